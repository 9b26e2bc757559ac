/* The scanner agrees with jansson about what is JSON, members are replaced in place, and numbers are printed
 * as Python prints them. */
#include "store/json_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void test_agrees_with_jansson(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"{}",
                                        " { } \n",
                                        "{\"a\":1}",
                                        "{\"a\":-0.5e+3,\"b\":[1,2,{}],\"c\":[],\"d\":null,\"e\":true}",
                                        "{\"\\u4e2d\\ud83d\\ude00\":\"\\n\\/\"}",
                                        "{\"a\":9223372036854775807}",
                                        "{\"a\":-9223372036854775808}",
                                        "{\"\xe4\xb8\xad\":\"\xf0\x9f\x98\x80\x7f\"}",
                                        "",
                                        "[",
                                        "[]",
                                        "1",
                                        "{",
                                        "{\"a\"",
                                        "{\"a\":",
                                        "{\"a\":1",
                                        "{\"a\":1,",
                                        "{\"a\":1,}",
                                        "{,}",
                                        "{\"a\":01}",
                                        "{\"a\":1.}",
                                        "{\"a\":.5}",
                                        "{\"a\":-}",
                                        "{\"a\":1e}",
                                        "{\"a\":9223372036854775808}",
                                        "{\"a\":1e999}",
                                        "{\"a\":NaN}",
                                        "{\"a\":tru}",
                                        "{\"a\":\"\\u12\"}",
                                        "{\"a\":\"\\ud800\"}",
                                        "{\"a\":\"\\udc00\"}",
                                        "{\"a\":\"\\u0000\"}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":\"\xc0\x80\"}",
                                        "{\"a\":\"\xed\xa0\x80\"}",
                                        "{\"a\":\"\xf4\x90\x80\x80\"}",
                                        "{\"a\":\"\xe4\xb8\"}",
                                        "{} x",
                                        "{\"a\":[1 2]}",
                                        "{\"a\" 1}",
                                        "{'a':1}"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        JsonTop top;
        Err err = {0};
        bool ours = json_top_scan(TEXTS[i], strlen(TEXTS[i]), "a", &top, &err);
        json_t *o = json_loads(TEXTS[i], 0, NULL);
        if (ours != json_is_object(o)) fail_msg("text %zu: %s", i, TEXTS[i]);
        if (ours) assert_int_equal(top.n_members, json_object_size(o));
        else assert_non_null(strstr(err.message, "line "));
        json_decref(o);
    }
}

static void test_says_the_line(void **state) {
    (void)state;
    const char *text = "{\n \"a\": 1,\n \"b\": {\n  \"c\": 2\n";
    JsonTop top;
    Err err = {0};
    assert_false(json_top_scan(text, strlen(text), NULL, &top, &err));
    assert_non_null(strstr(err.message, "line 5"));
    assert_non_null(strstr(err.message, "cut off"));
    assert_int_equal(top.n_members, 1);
    assert_int_equal(top.members_end, 9);
}

static void check_set(Arena *a, const char *text, const char *key, const char *want) {
    JsonTop top;
    Err err = {0};
    size_t n;
    assert_true(json_top_scan(text, strlen(text), key, &top, &err));
    json_t *value = json_pack("{s:i}", "x", 1);
    assert_string_equal(json_top_set(a, text, strlen(text), &top, key, value, 2, &n), want);
    assert_int_equal(n, strlen(want));
    json_decref(value);
}

static void test_sets_a_member(void **state) {
    (void)state;
    Arena *a = arena_new();
    check_set(a, "{}", "k", "{\n  \"k\": {\n    \"x\": 1\n  }\n}");
    check_set(a, "{\n  \"a\": 1\n}\n", "k", "{\n  \"a\": 1,\n  \"k\": {\n    \"x\": 1\n  }\n}\n");
    check_set(a, "{\"k\":0.10,  \"a\":1e2}", "k", "{\"k\":{\n    \"x\": 1\n  },  \"a\":1e2}");
    check_set(a, "{\"k\":1,\"\\u006b\":2}", "k",
              "{\"k\":1,\"\\u006b\":{\n    \"x\": 1\n  }}"); /* the last of equal keys */
    arena_free(a);
}

static void test_removes_a_member(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"{\"k\":1}", "{\n  \"k\": 1,\n  \"a\": 2\n}",
                                        "{\n  \"a\": 2,\n  \"k\": 1\n}", "{\"a\":1 , \"k\":[{}] , \"b\":2}"};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        JsonTop top;
        Err err = {0};
        size_t n;
        assert_true(json_top_scan(TEXTS[i], strlen(TEXTS[i]), "k", &top, &err));
        json_t *want = json_loads(TEXTS[i], 0, NULL),
               *got = json_loads(json_top_remove(a, TEXTS[i], strlen(TEXTS[i]), &top, &n), 0, NULL);
        json_object_del(want, "k");
        assert_true(json_equal(want, got));
        json_decref(want);
        json_decref(got);
    }
    arena_free(a);
}

/* What Python's json.dumps prints for the same doubles. */
static void test_prints_numbers_as_python(void **state) {
    (void)state;
    static const struct {
        double d;
        const char *text;
    } ROWS[] = {{0.1, "0.1"},
                {0.00604, "0.00604"},
                {1.0, "1.0"},
                {-0.0, "-0.0"},
                {1e-5, "1e-05"},
                {0.0001, "0.0001"},
                {1e15, "1000000000000000.0"},
                {1e16, "1e+16"},
                {1e22, "1e+22"},
                {123456789012345680.0, "1.2345678901234568e+17"},
                {5e-324, "5e-324"},
                {1.7976931348623157e308, "1.7976931348623157e+308"},
                {100.0, "100.0"},
                {1.5e-7, "1.5e-07"},
                {2.0 / 3, "0.6666666666666666"}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        json_t *o = json_real(ROWS[i].d);
        assert_string_equal(json_text_print(a, o, 2, 0), ROWS[i].text);
        json_decref(o);
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_agrees_with_jansson), cmocka_unit_test(test_says_the_line),
        cmocka_unit_test(test_sets_a_member), cmocka_unit_test(test_removes_a_member),
        cmocka_unit_test(test_prints_numbers_as_python)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
