/* Changes as models write them, and as they should not. */
#include "improve/chat.h"
#include "improve/patch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static const char FILE_TEXT[] = "one\ntwo\n  three\ntwo again\nlast";

static void test_applied(void **state) {
    (void)state;
    static const struct {
        const char *answer, *want;
    } ROWS[] = {
        {"<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\n", "1\ntwo\n  three\ntwo again\nlast"},
        {"Sure!\n```\n<<<<<<< SEARCH  \none\ntwo\n=======\n>>>>>>> REPLACE\n```\nDone.",
         "  three\ntwo again\nlast"},
        {"<<<<<<< SEARCH\n  three\n=======\n  3\n  4\n>>>>>>> REPLACE\ntext\n<<<<<<<SEARCH\r\n  4\n=======\n "
         " 5\n>>>>>>>REPLACE",
         "one\ntwo\n  3\n  5\ntwo again\nlast"},
        {"<<<<<<< SEARCH\nlast\n=======\nend\n>>>>>>> REPLACE\n", "one\ntwo\n  three\ntwo again\nend\n"}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Err err = {0};
        size_t n;
        const char *got = patch_apply(a, FILE_TEXT, ROWS[i].answer, &n, &err);
        if (!got) fail_msg("row %zu: %s", i, err.message);
        assert_string_equal(got, ROWS[i].want);
    }
    arena_free(a);
}

static void test_refused(void **state) {
    (void)state;
    static const struct {
        const char *answer, *words;
    } ROWS[] = {{"", "no change"},
                {"def f(): pass\n", "no change"},
                {"<<<<<<< SEARCH\none\n", "not closed"},
                {"<<<<<<< SEARCH\none\n=======\n1\n", "not closed"},
                {"<<<<<<< SEARCH\none\n>>>>>>> REPLACE\n", "not closed"},
                {"<<<<<<< SEARCH\n=======\n1\n>>>>>>> REPLACE\n", "empty"},
                {"<<<<<<< SEARCH\n \n=======\n1\n>>>>>>> REPLACE\n", "empty"},
                {"<<<<<<< SEARCH\nthree\n four\n=======\n1\n>>>>>>> REPLACE\n", "not in the file"},
                {"<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> REPLACE\n<<<<<<< SEARCH\ntwo\n=======\n2\n>>>>>>> "
                 "REPLACE\n",
                 "change 2"},
                {"<<<<<<< SEARCH\none\n=======\none\n>>>>>>> REPLACE\n", "as it was"}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Err err = {0};
        size_t n;
        if (patch_apply(a, FILE_TEXT, ROWS[i].answer, &n, &err)) fail_msg("row %zu was taken", i);
        if (!strstr(err.message, ROWS[i].words)) fail_msg("row %zu: %s", i, err.message);
    }
    Err err = {0};
    size_t n;
    assert_null(patch_apply(a, "x\ny\nx\n", "<<<<<<< SEARCH\nx\n=======\nz\n>>>>>>> REPLACE\n", &n, &err));
    assert_non_null(strstr(err.message, "2 times"));
    arena_free(a);
}

static void test_a_rewrite_is_no_change(void **state) {
    (void)state;
    Arena *a = arena_new();
    char *text = arena_strdup(a, ""), *old = arena_strdup(a, "");
    for (int i = 0; i < 100; i++) {
        text = arena_printf(a, "%sline %d\n", text, i);
        if (i >= 20 && i < 80) old = arena_printf(a, "%sline %d\n", old, i);
    }
    Err err = {0};
    size_t n;
    assert_null(patch_apply(
        a, text, arena_printf(a, "<<<<<<< SEARCH\n%s=======\nall new\n>>>>>>> REPLACE\n", old), &n, &err));
    assert_non_null(strstr(err.message, "60 of 100"));
    arena_free(a);
}

static void test_answers(void **state) {
    (void)state;
    static const struct {
        const char *body, *text; /* NULL: refused */
        bool cut;
        long n_tokens;
    } ROWS[] = {
        {"{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}],\"usage\":{\"total_"
         "tokens\":7}}",
         "hi", false, 7},
        {"{\"choices\":[{\"message\":{\"content\":\"h\"},\"finish_reason\":\"length\"}],\"usage\":{\"total_"
         "tokens\":-7}}",
         "h", true, 0},
        {"{\"choices\":[{\"message\":{\"content\":null},\"finish_reason\":\"length\"}]}", "", true, 0},
        {"{\"choices\":[]}", NULL, false, 0},
        {"{\"choices\":[{\"message\":{\"content\":[1]}}]}", NULL, false, 0},
        {"{\"choices\":[{\"mess", NULL, false, 0},
        {"<html>", NULL, false, 0},
        {"", NULL, false, 0}};
    Arena *a = arena_new();
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Err err = {0};
        ChatAnswer answer = {0};
        bool ok = chat_parse(a, ROWS[i].body, strlen(ROWS[i].body), &answer, &err);
        assert_int_equal(ok, ROWS[i].text != NULL);
        if (!ok) continue;
        assert_string_equal(answer.text, ROWS[i].text);
        assert_int_equal(answer.cut, ROWS[i].cut);
        assert_int_equal(answer.n_tokens, ROWS[i].n_tokens);
    }
    assert_string_equal(chat_blot(a, "a sk-123 b sk-123", "sk-123"), "a *** b ***");
    assert_string_equal(chat_blot(a, "abc", "ab"), "abc");
    assert_string_equal(chat_blot(a, "abc", NULL), "abc");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_applied), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_a_rewrite_is_no_change),
                                       cmocka_unit_test(test_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
