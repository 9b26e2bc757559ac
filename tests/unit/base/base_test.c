/* Arena, text, errors, files and child processes. */
#include "base/fs.h"
#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static void arena_memory_is_zeroed_and_separate(void **state) {
    (void)state;
    Arena *a = arena_new();
    unsigned char *all[200];
    for (int i = 0; i < 200; i++) {
        size_t n = (size_t)(i * i * 7 % 40000);
        all[i] = arena_alloc(a, n);
        for (size_t k = 0; k < n; k++) assert_int_equal(all[i][k], 0);
        memset(all[i], i, n);
    }
    for (int i = 0; i < 200; i++) {
        size_t n = (size_t)(i * i * 7 % 40000);
        for (size_t k = 0; k < n; k++) assert_int_equal(all[i][k], (unsigned char)i);
    }
    arena_free(a);
    arena_free(NULL);
}

static void vec_and_strbuf_grow(void **state) {
    (void)state;
    Arena *a = arena_new();
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++) vec_push(a, &v, i);
    for (int i = 0; i < 1000; i++) assert_int_equal(v.at[i], i);
    StrBuf sb;
    strbuf_init(&sb, a);
    assert_string_equal(sb.text, "");
    for (int i = 0; i < 500; i++) strbuf_printf(&sb, "%d,", i % 10);
    assert_int_equal(sb.n_bytes, 1000);
    assert_int_equal(strlen(sb.text), 1000);
    arena_free(a);
}

static void errors_take_context_and_hint(void **state) {
    (void)state;
    Err err = {0};
    assert_false(err_set(&err, ERR_BAD_INPUT, "f.py:3", "no %s", "Model"));
    err_context(&err, "while reading %s", "f.py");
    err_hint(&err, "write one");
    assert_string_equal(err.message, "while reading f.py: no Model");
    assert_string_equal(err.where, "f.py:3");
    assert_string_equal(err.hint, "write one");
    assert_int_equal(err_exit_status(err.code), 2);
    char long_text[4000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    err_set(&err, ERR_IO, NULL, "%s", long_text);
    err_context(&err, "while testing");
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_memory_equal(err.message, "while testing: xxx", 18);
}

static void files_are_written_whole_or_not_at_all(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    char *dir = fs_temp_dir(a, "opwright test", &err);
    assert_non_null(dir);
    char *path = arena_printf(a, "%s/文件 a.txt", dir);
    assert_true(fs_write(path, "one", 3, &err));
    assert_true(fs_write(path, "two two", 7, &err));
    size_t n;
    char *text = fs_read(a, path, &n, &err);
    assert_int_equal(n, 7);
    assert_string_equal(text, "two two");
    assert_false(fs_write(arena_printf(a, "%s/none/a.txt", dir), "x", 1, &err));
    assert_int_equal(err.code, ERR_IO);
    assert_null(fs_read(a, dir, NULL, &err));
    assert_null(fs_read(a, arena_printf(a, "%s/none", dir), NULL, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_true(fs_make_dirs(arena_printf(a, "%s/p/q//r", dir), &err));
    assert_true(fs_make_dirs(arena_printf(a, "%s/p/q", dir), &err));
    assert_true(fs_exists(arena_printf(a, "%s/p/q/r", dir)));
    assert_false(fs_make_dirs(arena_printf(a, "%s/x", path), &err));
    /* A link out of the tree is removed, what it points to stays. */
    char *outside = fs_temp_dir(a, "opwright-outside", &err);
    char *kept = arena_printf(a, "%s/kept", outside);
    assert_true(fs_write(kept, "k", 1, &err));
    assert_int_equal(symlink(outside, arena_printf(a, "%s/link", dir)), 0);
    fs_remove_tree(dir);
    assert_false(fs_exists(dir));
    assert_true(fs_exists(kept));
    fs_remove_tree(outside);
    fs_remove_tree(outside);
    arena_free(a);
}

static ProcResult run(Arena *a, const char *script, double limit_s) {
    const char *argv[] = {"sh", "-c", script, NULL};
    Proc p;
    ProcResult r;
    Err err = {0};
    assert_true(proc_start(&p, argv, "/", &err));
    assert_true(proc_wait(&p, a, limit_s, &r, &err));
    return r;
}

static void processes_end_with_code_signal_or_time_limit(void **state) {
    (void)state;
    Arena *a = arena_new();
    ProcResult r = run(a, "pwd; echo err >&2; exit 7", 10);
    assert_int_equal(r.exit_code, 7);
    assert_string_equal(r.output, "/\nerr\n");
    r = run(a, "kill -SEGV $$", 10);
    assert_int_equal(r.signal_no, 11);
    r = run(a, "sleep 60 & sleep 60", 0.2);
    assert_true(r.timed_out);
    r = run(a, "head -c 3000000 /dev/zero | tr '\\0' x", 20);
    assert_int_equal(r.exit_code, 0);
    assert_int_equal(strlen(r.output), 1u << 20);
    const char *argv[] = {"no-such-program-here", NULL};
    Proc p;
    Err err = {0};
    assert_false(proc_start(&p, argv, NULL, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_and_separate),
        cmocka_unit_test(vec_and_strbuf_grow),
        cmocka_unit_test(errors_take_context_and_hint),
        cmocka_unit_test(files_are_written_whole_or_not_at_all),
        cmocka_unit_test(processes_end_with_code_signal_or_time_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
