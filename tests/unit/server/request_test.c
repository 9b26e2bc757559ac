/* Requests: what is understood, and that what is written reads back. Refusals are in
 * tests/server/test_limits.py. */
#include "server/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static bool parse(Arena *a, const char *body, Request *out, Err *err) {
    Request *items = NULL;
    size_t n = 0;
    *err = (Err){0};
    if (!request_parse(a, body, strlen(body), false, &items, &n, err)) return false;
    assert_int_equal(n, 1);
    *out = *items;
    return true;
}

static void test_defaults(void **state) {
    (void)state;
    Arena *a = arena_new();
    Request r;
    Err err;
    assert_true(parse(a,
                      "{\"op\":\"add\",\"reference_path\":\"/r.py\",\"kernel_code_path\":\"/"
                      "k.py\",\"devices\":null,\"unknown\":[1,{}]}",
                      &r, &err));
    assert_string_equal(r.op, "add");
    assert_string_equal(r.reference_path, "/r.py");
    assert_string_equal(r.language, "ascendc");
    assert_int_equal(r.n_devices, 0);
    assert_false(r.no_cache);
    assert_null(r.reference_src);
    assert_null(r.standard);
    arena_free(a);
}

static void test_devices(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } ROWS[] = {{"0", "npu:0"},
                {" 7 ", "npu:7"},
                {"npu:1", "npu:1"},
                {"NPU:01", "npu:1"},
                {"npu: 2", "npu:2"},
                {"sim:0", "sim:0"},
                {"Sim:12", "sim:12"},
                {"npu:", NULL},
                {"gpu:0", NULL},
                {"npu:-1", NULL},
                {"npu:1x", NULL},
                {"", NULL},
                {"npu", NULL},
                {"npu:99999", NULL},
                {"sim:1 2", NULL},
                {"n", NULL},
                {"npu:99999999999999999999", NULL}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        const char *got = request_device_name(a, ROWS[i].in);
        if (!ROWS[i].out) assert_null(got);
        else assert_string_equal(got, ROWS[i].out);
    }
    Request r;
    Err err;
    assert_true(parse(a,
                      "{\"op\":\"a\",\"reference_src\":\"r\",\"kernel_code_src\":\"k\",\"devices\":[\"sim:"
                      "2\",\"1\",\"npu:1\",\" \",\"sim:0\"]}",
                      &r, &err));
    assert_int_equal(r.n_devices, 3);
    assert_string_equal(r.devices[0], "npu:1");
    assert_string_equal(r.devices[1], "sim:0");
    assert_string_equal(r.devices[2], "sim:2");
    assert_true(
        parse(a, "{\"op\":\"a\",\"reference_src\":\"r\",\"kernel_code_src\":\"k\",\"devices\":\"npu:1, 0\"}",
              &r, &err));
    assert_int_equal(r.n_devices, 2);
    arena_free(a);
}

static void test_batch(void **state) {
    (void)state;
    Arena *a = arena_new();
    Request *items;
    size_t n = 9;
    Err err = {0};
    const char *body = "{\"items\":[{\"op\":\"a\",\"reference_src\":\"1\",\"kernel_code_src\":\"2\"},{\"op\":"
                       "\"b\",\"reference_src\":\"3\",\"kernel_code_src\":\"4\"}]}";
    assert_true(request_parse(a, body, strlen(body), true, &items, &n, &err));
    assert_int_equal(n, 2);
    assert_string_equal(items[1].op, "b");
    assert_true(request_parse(a, "{\"items\":[]}", 12, true, &items, &n, &err));
    assert_int_equal(n, 0);
    assert_false(request_parse(a, body, strlen(body), false, &items, &n, &err));
    assert_string_equal(err.where, "op");
    arena_free(a);
}

static void test_round_trip(void **state) {
    (void)state;
    Arena *a = arena_new();
    Request r, again;
    Err err;
    assert_true(
        parse(a,
              "{\"op\":\"\\u52a0\\u6cd5\",\"reference_path\":\"/\\u4e2d.py\",\"kernel_code_src\":\"x = "
              "'\\\"\\n'\",\"devices\":[\"sim:1\"],"
              "\"no_cache\":true,\"standard\":\"ecosystem\",\"chip\":\"Ascend910B4\",\"category\":\"math\"}",
              &r, &err));
    json_t *o = request_json(&r);
    char *text = json_dumps(o, 0);
    assert_true(parse(a, text, &again, &err));
    json_t *o2 = request_json(&again);
    assert_true(json_equal(o, o2));
    assert_true(again.no_cache);
    assert_string_equal(again.kernel_code_src, "x = '\"\n'");
    json_decref(o);
    json_decref(o2);
    free(text);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_defaults), cmocka_unit_test(test_devices),
                                       cmocka_unit_test(test_batch), cmocka_unit_test(test_round_trip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
