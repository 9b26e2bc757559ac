/* What desc_print writes must evaluate back byte for byte: Python itself is the judge. */
#include "base/fs.h"
#include "desc/desc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static const char *const NASTY[] = {
    "",
    "\n",
    "plain\n",
    "\nstarts with a line\n",
    "no newline at the end",
    "\"",
    "ends in a quote\"",
    "ends in both'\"",
    "\"\"\" inside",
    "''' inside",
    "both \"\"\" and '''",
    "printf(\"a\\n\");\n",
    "ends in a backslash\\",
    "ends in two\\\\",
    "ends in three\\\\\\",
    "raw and \"\"\" and ''' with \\ inside",
    "line \\\ncontinued\n",
    "\\",
    "\\'''\\\"\"\"",
    "carriage\r\nreturns\r",
    "tab\tand \f form feed \v \a \b \x01 \x7f",
    "{braces} %s %% \\N{DASH} \\u1234 \\x41",
    "# -*- coding: latin-1 -*-\n# coding: utf-16\n",
    "中文注释 // é ñ 🙂\n",
    "\xef\xbb\xbf a byte order mark",
    "broken utf-8: \xff \xc0\x80 \xe4\xb8 \xed\xa0\x80 \xf5\x80\x80\x80 end",
    "#define X(a) \\\n    a##b \"s\\\"t\"\n",
    "'''\"\"\"\\",
};
#define N_NASTY (sizeof NASTY / sizeof NASTY[0])

static const char PROGRAM[] =
    "import sys\n"
    "names = sys.argv[2].split(',')\n"
    "ns = {}\n"
    "exec(compile(open(sys.argv[1], 'rb').read(), sys.argv[1], 'exec'), ns)\n"
    "for n in names: open(sys.argv[3] + '/' + n, 'wb').write(ns[n].encode('utf-8', 'surrogateescape'))\n";

static void check_round_trip(Arena *a, const char *dir, const char *const source[DESC_N_SOURCES]) {
    Err err = {0};
    const char *file = arena_printf(a, "%s/d.py", dir), *text = desc_print(a, source);
    assert_true(fs_write(file, text, strlen(text), &err));
    const char *python = getenv("OPWRIGHT_PYTHON");
    const char *argv[] = {
        python ? python : "python3",
        "-I",
        "-c",
        PROGRAM,
        file,
        "project_json_src,host_tiling_src,host_operator_src,kernel_src,python_bind_src,model_src",
        dir,
        NULL};
    Proc p;
    ProcResult r;
    assert_true(proc_start(&p, argv, NULL, &err));
    assert_true(proc_wait(&p, a, 60, &r, &err));
    if (r.exit_code != 0) print_message("%s\n%s\n", r.output, text);
    assert_int_equal(r.exit_code, 0);
    for (int i = 0; i < DESC_N_SOURCES; i++) {
        size_t n;
        char *back = fs_read(a, arena_printf(a, "%s/%s", dir, DESC_SOURCE_NAMES[i]), &n, &err);
        assert_non_null(back);
        assert_int_equal(n, strlen(source[i]));
        assert_memory_equal(back, source[i], n);
    }
}

static void test_round_trip(void **state) {
    (void)state;
    Err err = {0};
    Arena *a = arena_new();
    const char *dir = fs_temp_dir(a, "desc_print", &err);
    assert_non_null(dir);
    for (size_t i = 0; i < N_NASTY; i += DESC_N_SOURCES) {
        const char *source[DESC_N_SOURCES];
        for (size_t k = 0; k < DESC_N_SOURCES; k++) source[k] = NASTY[(i + k) % N_NASTY];
        check_round_trip(a, dir, source);
    }
    fs_remove_tree(dir);
    arena_free(a);
}

/* Bytes that matter to Python's reader, in random order. */
static void test_random(void **state) {
    (void)state;
    static const char ALPHABET[] = "'\"\\\n\r\t ax\xc3\xa9{}#%";
    unsigned seed = 7;
    Err err = {0};
    Arena *a = arena_new();
    const char *dir = fs_temp_dir(a, "desc_print", &err);
    assert_non_null(dir);
    for (int round = 0; round < 12; round++) {
        const char *source[DESC_N_SOURCES];
        for (int k = 0; k < DESC_N_SOURCES; k++) {
            size_t n = 1 + (seed = seed * 1664525u + 1013904223u) / (1u << 27);
            char *s = arena_alloc(a, n + 1);
            for (size_t i = 0; i < n; i++)
                s[i] = ALPHABET[((seed = seed * 1664525u + 1013904223u) >> 16) % (sizeof ALPHABET - 1)];
            source[k] = s;
        }
        check_round_trip(a, dir, source);
    }
    fs_remove_tree(dir);
    arena_free(a);
}

/* Ordinary sources stay readable: triple quotes, raw when there are backslashes. */
static void test_readable(void **state) {
    (void)state;
    Arena *a = arena_new();
    const char *source[DESC_N_SOURCES] = {
        "[]", "a\nb\n", "s = \"x\";\n", "p(\"\\n\");\n", "say(\"\"\"x\"\"\")\n", "end\""};
    const char *text = desc_print(a, source);
    assert_non_null(strstr(text, "host_tiling_src = \"\"\"a\nb\n\"\"\"\n"));
    assert_non_null(strstr(text, "host_operator_src = \"\"\"s = \"x\";\n\"\"\"\n"));
    assert_non_null(strstr(text, "kernel_src = r\"\"\"p(\"\\n\");\n\"\"\"\n"));
    assert_non_null(strstr(text, "python_bind_src = '''say(\"\"\"x\"\"\")\n'''\n"));
    assert_non_null(strstr(text, "model_src = '''end\"'''\n"));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_readable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
