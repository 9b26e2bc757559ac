/* Reading literals without Python must give what Python gives, or give up. */
#include "base/fs.h"
#include "base/strbuf.h"
#include "desc/desc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

/* Literals as they stand behind `=`; want NULL: given up on. */
static const struct {
    const char *literal, *want;
} CASES[] = {
    {"''", ""},
    {"'a' # comment", "a"},
    {"'''a\nb'''", "a\nb"},
    {"\"\"\"a\"b\"\" c\"\"\"", "a\"b\"\" c"},
    {"'a' \"b\" r'\\n'", "ab\\n"},
    {"('a'\n   # between\n   'b')", "ab"},
    {"'\\n\\t\\\\\\'\\\"\\q\\x41\\u4e2d\\U0001f642'", "\n\t\\'\"\\qA中🙂"},
    {"'''a\\\nb'''", "ab"},
    {"r'''\\'''' x'''", NULL},
    {"R'\\''", "\\'"},
    {"'a\\101'", NULL},
    {"'\\N{DASH}'", NULL},
    {"f'{x}'", NULL},
    {"b'x'", NULL},
    {"'a' + 'b'", NULL},
    {"'a'.strip()", NULL},
    {"'a", NULL},
    {"'''a", NULL},
    {"'a\nb'", NULL},
    {"('a'", NULL},
    {"3", NULL},
    {"'\\x00'", NULL},
    {"'\\ud800'", NULL},
    {"'a\\", NULL},
};

static char *file_with(Arena *a, const char *literal) {
    return arena_printf(a,
                        "# heading\n\"\"\"documentation = 'x'\"\"\"\nother = "
                        "'ignored'\nproject_json_src=%s\n\nhost_tiling_src = ''\n"
                        "host_operator_src=''\nkernel_src\t=\t''\npython_bind_src=''\nmodel_src=''",
                        literal);
}

static void test_cases(void **state) {
    (void)state;
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const char *source[DESC_N_SOURCES];
        bool ok = desc_peek(a, file_with(a, CASES[i].literal), source);
        if (ok != (CASES[i].want != NULL)) print_message("case %zu: %s\n", i, CASES[i].literal);
        assert_int_equal(ok, CASES[i].want != NULL);
        if (ok) assert_string_equal(source[DESC_PROJECT_JSON], CASES[i].want);
    }
    const char *source[DESC_N_SOURCES];
    assert_false(desc_peek(a, "kernel_src = ''\n", source));
    assert_false(desc_peek(a, "import json\n", source));
    assert_false(desc_peek(a, "", source));
    arena_free(a);
}

/* The last assignment counts, and what desc_print writes is read back. */
static void test_print(void **state) {
    (void)state;
    Arena *a = arena_new();
    const char *in[DESC_N_SOURCES] = {"a", "\n\"\"\"x\"\"\"\n", "p(\"\\n\")", "both ''' \"\"\" and \\",
                                      "",  "tab\t\xc3\xa9"};
    const char *out[DESC_N_SOURCES];
    char *text = desc_print(a, in);
    assert_true(desc_peek(a, text, out));
    for (int i = 0; i < DESC_N_SOURCES; i++) assert_string_equal(out[i], in[i]);
    assert_true(desc_peek(a, arena_printf(a, "%s\nmodel_src = 'again'\n", text), out));
    assert_string_equal(out[DESC_MODEL], "again");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_print)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
