/* Sizes: normal form, division, comparison, printing, parsing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "graph/size.h"

static const char *const SYM[] = {"s0", "s1", "s2"};

static const Size *parse(Arena *a, const char *text) {
    Err err = {0};
    const Size *s = size_parse(a, text, SYM, 3, &err);
    if (!s) fail_msg("%s: %s", text, err.message);
    return s;
}

static void test_normal_form(void **state) {
    (void)state;
    static const char *const EQUAL[][2] = {{"s0*s1", "s1 * s0"},
                                           {"(s0 + 1)*(s0 - 1)", "s0*s0 - 1"},
                                           {"2*s0 - s0 - s0", "0"},
                                           {"(s0*s1*4)//(s1*2)", "2*s0"},
                                           {"s0*s1 % s1", "0"},
                                           {"Min(s0, s0 + 3)", "s0"},
                                           {"Max(s0*s1 + 2, 2)", "s0*s1 + 2"},
                                           {"7//2", "3"},
                                           {"(-7)//2", "-4"},
                                           {"(s0 + 1)//2 + (s0 + 1)//2", "2*((s0 + 1)//2)"},
                                           {"Min(s0, s1)", "Min(s1, s0)"}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof EQUAL / sizeof EQUAL[0]; i++)
        if (!size_equal(parse(a, EQUAL[i][0]), parse(a, EQUAL[i][1])))
            fail_msg("%s is %s, not %s", EQUAL[i][0], size_print(a, parse(a, EQUAL[i][0]), SYM, SIZE_PYTHON),
                     EQUAL[i][1]);
    assert_false(size_equal(parse(a, "s0//2"), parse(a, "(s0 + 1)//2")));
    assert_false(size_equal(parse(a, "s0"), parse(a, "s1")));
    arena_free(a);
}

/* Printing and reading back gives the same size, and both evaluate as Python would. */
static void test_print_and_eval(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t value; /* s0=7 s1=5 s2=-3 */
    } CASES[] = {
        {"s0*s1 + s0 + 1", 43},           {"(s0 + 1)//2", 4},   {"s2//2", -2},   {"s2 % 5", 2},
        {"Max(s0, s1) - Min(s0, s1)", 2}, {"s0*(s1 - s2)", 56}, {"-s0 + 3", -4}, {"((s0))*2 - 1", 13},
        {"Min(s0, s1, s2)", -3},          {"s0*s0*s0", 343}};
    static const int64_t V[] = {7, 5, -3};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const Size *s = parse(a, CASES[i].text);
        assert_int_equal(size_eval(s, V), CASES[i].value);
        const char *text = size_print(a, s, SYM, SIZE_PYTHON);
        if (!size_equal(s, parse(a, text))) fail_msg("%s printed as %s", CASES[i].text, text);
    }
    assert_string_equal(size_print(a, parse(a, "(s0 + 1)//2"), SYM, SIZE_CXX), "((s0 + 1) / 2)");
    assert_string_equal(size_print(a, parse(a, "Max(s0, s1)*2"), SYM, SIZE_CXX),
                        "2 * std::max<int64_t>(s0, s1)");
    assert_string_equal(size_print_factor(a, parse(a, "s0 + 1"), SYM, SIZE_CXX), "(s0 + 1)");
    arena_free(a);
}

static void test_questions(void **state) {
    (void)state;
    Arena *a = arena_new();
    int64_t v;
    assert_true(size_is_const(parse(a, "3*4 - 12"), &v) && v == 0);
    assert_false(size_is_const(parse(a, "s0"), NULL));
    assert_true(size_uses(parse(a, "(s0 + s1)//2"), 1));
    assert_false(size_uses(parse(a, "(s0 + s1)//2"), 2));
    assert_true(size_is_nonnegative(parse(a, "s0*s1 + s0//2")));
    assert_false(size_is_nonnegative(parse(a, "s0 - 1")));
    /* Sizes after windows, multiplied out. */
    assert_true(size_is_nonnegative(parse(a, "((s0 - 1)//2 + 1)*((s1 - 1)//2 + 1)")));
    assert_true(size_is_nonnegative(parse(a, "s0*((s1 - 3)//2 + 2) + (s0 - 1)//2 + 1")));
    assert_false(size_is_nonnegative(parse(a, "(s0 - 1)//2")));
    assert_false(size_is_nonnegative(parse(a, "(s0 - 3)//2 + 1")));
    assert_false(size_is_nonnegative(parse(a, "((s0 - 1)//2 + 1)*(s1 - 1)")));
    assert_false(size_is_nonnegative(parse(a, "(s0 - 1)//s1 + 1")));
    arena_free(a);
}

static void test_bad_text(void **state) {
    (void)state;
    static const char *const BAD[] = {"", "s9", "s0 +", "(s0", "s0 s1", "Min(s0", "1.5", "s0//0", "s0 $"};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Err err = {0};
        assert_null(size_parse(a, BAD[i], SYM, 3, &err));
        assert_int_equal(err.code, ERR_BAD_INPUT);
    }
    char deep[2000];
    for (size_t i = 0; i < sizeof deep - 1; i++) deep[i] = '(';
    deep[sizeof deep - 1] = '\0';
    Err err = {0};
    assert_null(size_parse(a, deep, SYM, 3, &err));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_normal_form),
                                       cmocka_unit_test(test_print_and_eval),
                                       cmocka_unit_test(test_questions), cmocka_unit_test(test_bad_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
