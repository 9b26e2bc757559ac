/* The lexer must see live code only. */
#include "desc/cxx_lex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* All tokens joined by one space. */
static char *joined(Arena *a, const char *src) {
    CxxTokens t = cxx_lex(a, src);
    char *out = arena_alloc(a, strlen(src) * 2 + 64);
    for (size_t i = 0; i < t.n; i++) {
        if (i) strcat(out, " ");
        strncat(out, t.at[i].text, t.at[i].n_bytes);
    }
    assert_int_equal(t.at[t.n].kind, CXX_END);
    return out;
}

static void test_live_code(void **state) {
    (void)state;
    static const struct {
        const char *src, *want;
    } CASES[] = {
        {"", ""},
        {"a // b\nc", "a c"},
        {"a /* b\n */ c", "a c"},
        {"a // b \\\n still\nc", "a c"},
        {"a /", "a /"},
        {"a /* never closed", "a"},
        {"x = \"// no comment\"; y", "x = \"// no comment\" ; y"},
        {"x = \"a\\\"b\" y", "x = \"a\\\"b\" y"},
        {"'\"' + '\\'' z", "'\"' + '\\'' z"},
        {"R\"(a \" // b)\" c", "R\"(a \" // b)\" c"},
        {"u8R\"d(a)\" )d\" c", "u8R\"d(a)\" )d\" c"},
        {"LR\"(never closed", "LR\"(never closed"},
        {"u8\"x\" L'c' u", "u8\"x\" L'c' u"},
        {"at::Tensor p->q", "at :: Tensor p -> q"},
        {"1'000'000u + 0x1p-3 + 1.5e+4f + .5", "1'000'000u + 0x1p-3 + 1.5e+4f + .5"},
        {"#if 0\ndead\n#endif\nlive", "#if 0 live"},
        {"#if 0\ndead\n#else\nlive\n#endif", "#if 0 live #endif"},
        {"# if false /* off */\nd\n#ifdef X\nd\n#endif\nd\n#elif 1\nlive\n#endif",
         "# if false /* off */ live #endif"},
        {"#if 0\n/* d\n#endif\n*/ d\n#endif\nlive", "#if 0 live"},
        {"#if 0\nd \"/*\"\n#endif\nlive", "#if 0 live"},
        {"#if 0\nnever closed", "#if 0"},
        {"#if 01\nlive\n#endif", "#if 01 live #endif"},
        {"#if 0 || X\nlive\n#endif", "#if 0 || X live #endif"},
        {"a # b", "a # b"},
        {"#define F(x) \\\n  EXEC(x)\nlive", "#define F(x) \\\n  EXEC(x) live"},
        {"\"broken\nnext", "\"broken next"},
    };
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        assert_string_equal(joined(a, CASES[i].src), CASES[i].want);
    arena_free(a);
}

static void test_lines(void **state) {
    (void)state;
    Arena *a = arena_new();
    CxxTokens t = cxx_lex(a, "a\n/*\n\n*/ b \"x\\\ny\" c\nR\"(1\n2)\" d // \\\n\ne");
    static const struct {
        const char *text;
        int line;
    } WANT[] = {{"a", 1}, {"b", 4}, {"c", 5}, {"d", 7}, {"e", 9}};
    for (size_t k = 0; k < sizeof WANT / sizeof WANT[0]; k++) {
        bool found = false;
        for (size_t i = 0; i < t.n; i++)
            if (cxx_is(&t.at[i], WANT[k].text)) {
                assert_int_equal(t.at[i].line, WANT[k].line);
                found = true;
            }
        assert_true(found);
    }
    arena_free(a);
}

static void test_string_text(void **state) {
    (void)state;
    static const struct {
        const char *src, *want;
    } CASES[] = {{"\"x\"", "x"},        {"u8\"\"", ""},     {"R\"(a)b)\"", "a)b"},
                 {"R\"zz(q)zz\"", "q"}, {"\"open", "open"}, {"R\"(open", ""}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        CxxTokens t = cxx_lex(a, CASES[i].src);
        assert_int_equal(t.n, 1);
        assert_string_equal(cxx_string_text(a, &t.at[0]), CASES[i].want);
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_live_code), cmocka_unit_test(test_lines),
                                       cmocka_unit_test(test_string_text)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
