/* A diff put back on gives the new text, whatever the two are; one that does not fit is refused. */
#include "store/diff.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static void test_round_trip(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"",
                                        "a\n",
                                        "a",
                                        "a\nb\n",
                                        "a\nb",
                                        "b\na\n",
                                        "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n",
                                        "A\nb\nc\nd\ne\nf\ng\nh\ni\nj\nK",
                                        "\n\n",
                                        "\xe4\xb8\xad\xe6\x96\x87\n",
                                        "a\r\nb\r\n",
                                        "-- x\n++ y\n@@ z\n\\ w\n"};
    enum { N = sizeof TEXTS / sizeof TEXTS[0] };
    Arena *a = arena_new();
    for (size_t i = 0; i < N; i++)
        for (size_t k = 0; k < N; k++) {
            Err err = {0};
            const char *diff = diff_unified(a, TEXTS[i], TEXTS[k], "old", "new", &err);
            assert_non_null(diff);
            assert_int_equal(*diff == '\0', i == k);
            if (i != k) assert_true(!strncmp(diff, "--- old\n+++ new\n@@ ", 19));
            const char *back = diff_apply(a, TEXTS[i], diff, &err);
            if (!back) fail_msg("%zu to %zu: %s\n%s", i, k, err.message, diff);
            assert_string_equal(back, TEXTS[k]);
        }
    arena_free(a);
}

/* Random line edits of a longer text. */
static void test_many_edits(void **state) {
    (void)state;
    unsigned seed = 7;
    for (int round = 0; round < 200; round++) {
        Arena *a = arena_new();
        char *from = arena_strdup(a, ""), *to = arena_strdup(a, "");
        for (int line = 0; line < 60; line++) {
            int what = rand_r(&seed) % 12;
            if (what != 0) from = arena_printf(a, "%sline %d\n", from, line % 9);
            if (what != 1) to = arena_printf(a, "%sline %d%s\n", to, line % 9, what == 2 ? " changed" : "");
        }
        Err err = {0};
        const char *diff = diff_unified(a, from, to, "old", "new", &err);
        const char *back = diff ? diff_apply(a, from, diff, &err) : NULL;
        assert_non_null(back);
        assert_string_equal(back, to);
        arena_free(a);
    }
}

static void test_refuses_what_does_not_fit(void **state) {
    (void)state;
    static const char *const DIFFS[] = {"--- o\n+++ n\n@@ -1 +1 @@\n-x\n+y\n",
                                        "@@ -9 +9 @@\n-a\n+y\n",
                                        "@@ -1,2 +1 @@\n-a\n",
                                        "@@ -1 +1 @@\n",
                                        "nonsense",
                                        "@@ -1 +1 @@\n*a\n",
                                        "@@ -1,0 +1,1 @@",
                                        "@@ -1 +1,1 @@\n-a\n a\n"};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof DIFFS / sizeof DIFFS[0]; i++) {
        Err err = {0};
        if (diff_apply(a, "a\nb\n", DIFFS[i], &err)) fail_msg("diff %zu was taken", i);
        assert_int_equal(err.code, ERR_BAD_INPUT);
    }
    arena_free(a);
}

/* As difflib writes it: the header's ranges without ",1", an empty side one line before. */
static void test_form(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    assert_string_equal(diff_unified(a, "a\nb\n", "a\nc\n", "error_idx_0", "correct_idx_3", &err),
                        "--- error_idx_0\n+++ correct_idx_3\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
    assert_string_equal(diff_unified(a, "", "a\n", "o", "n", &err), "--- o\n+++ n\n@@ -0,0 +1 @@\n+a\n");
    assert_string_equal(diff_body("--- o\n+++ n\n@@ -0,0 +1 @@\n"), "@@ -0,0 +1 @@\n");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip), cmocka_unit_test(test_many_edits),
                                       cmocka_unit_test(test_refuses_what_does_not_fit),
                                       cmocka_unit_test(test_form)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
