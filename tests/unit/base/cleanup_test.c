/* A signal leaves neither temporary folders nor children behind; files of one set come together or not at
 * all. */
#include "base/cleanup.h"
#include "base/fs.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes a folder with things in it and starts a child that would live long; tells the test both, then waits.
 */
static void live_until_killed(int tell_fd) {
    Arena *a = arena_new();
    Err err = {0};
    Proc p;
    cleanup_install();
    char *dir = fs_temp_dir(a, "opwright-cleanup", &err);
    const char *const argv[] = {"sleep", "1000", NULL};
    if (!dir || !fs_make_dirs(arena_printf(a, "%s/a/b", dir), &err) || !proc_start(&p, argv, NULL, &err))
        _exit(9);
    for (int i = 0; i < 300; i++)
        if (!fs_write(arena_printf(a, "%s/a/file %d", dir, i), "x", 1, &err)) _exit(9);
    char line[512] = {0};
    snprintf(line, sizeof line, "%d %s", (int)p.pid, dir);
    if (write(tell_fd, line, sizeof line) != sizeof line) _exit(9);
    for (;;) pause();
}

/* Dead: whoever inherited it reaps it in a moment. */
static void assert_ends(int pid) {
    for (int k = 0; k < 200 && kill(pid, 0) == 0; k++) {
        char stat[64];
        snprintf(stat, sizeof stat, "/proc/%d/stat", pid);
        Arena *a = arena_new();
        Err ignored = {0};
        Proc p;
        ProcResult r = {0};
        const char *const argv[] = {"cat", stat, NULL};
        bool gone = !proc_start(&p, argv, NULL, &ignored) || !proc_wait(&p, a, 5, &r, &ignored) ||
                    !strstr(r.output, ") S ");
        arena_free(a);
        if (gone) return;
        usleep(10000);
    }
    assert_int_not_equal(kill(pid, 0), 0);
}

static void signals_leave_nothing_behind(void **state) {
    (void)state;
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        int fds[2], status = 0, pid = 0, n = 0;
        char line[512];
        assert_int_equal(pipe(fds), 0);
        pid_t us = fork();
        if (us == 0) live_until_killed(fds[1]);
        close(fds[1]);
        assert_int_equal(read(fds[0], line, sizeof line), sizeof line);
        close(fds[0]);
        assert_int_equal(sscanf(line, "%d %n", &pid, &n), 1);
        assert_true(fs_exists(line + n));
        assert_int_equal(kill(us, SIGNALS[i]), 0);
        assert_int_equal(waitpid(us, &status, 0), us);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGNALS[i]);
        assert_false(fs_exists(line + n));
        assert_ends(pid);
    }
}

/* A child that starts another in a session of its own, and ends, or waits to be killed. */
static void leave_stray(int tell_fd, bool normal) {
    Err err = {0};
    Proc p;
    cleanup_install();
    const char *const argv[] = {"sh", "-c", normal ? "setsid sleep 1000 >/dev/null 2>&1 & echo $!" : "setsid sleep 1000 & echo $!; wait", NULL};
    char line[64] = {0};
    if (!proc_start(&p, argv, NULL, &err) || read(p.out_fd, line, sizeof line - 1) <= 0) _exit(9);
    Arena *a = arena_new();
    ProcResult r;
    if (normal && !proc_wait(&p, a, 5, &r, &err)) _exit(9);
    arena_free(a);
    if (write(tell_fd, line, sizeof line) != sizeof line) _exit(9);
    if (normal) exit(0);
    for (;;) pause();
}

static void what_left_its_group_is_ended_too(void **state) {
    (void)state;
    for (int normal = 0; normal < 2; normal++) {
        int fds[2], status = 0;
        char line[64];
        assert_int_equal(pipe(fds), 0);
        pid_t us = fork();
        if (us == 0) leave_stray(fds[1], normal);
        close(fds[1]);
        assert_int_equal(read(fds[0], line, sizeof line), sizeof line);
        close(fds[0]);
        if (!normal) assert_int_equal(kill(us, SIGTERM), 0);
        assert_int_equal(waitpid(us, &status, 0), us);
        assert_true(normal ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WIFSIGNALED(status));
        assert_true(atoi(line) > 1);
        assert_ends(atoi(line));
    }
}

static void sets_of_files_are_whole(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    char *dir = fs_temp_dir(a, "opwright-set", &err);
    assert_non_null(dir);
    const char *one = arena_printf(a, "%s/one", dir), *two = arena_printf(a, "%s/none/two", dir);
    assert_false(fs_write_set((const FsFile[]){{one, "1", 1}, {two, "2", 1}}, 2, &err));
    assert_non_null(strstr(err.where, "none/two"));
    assert_false(fs_exists(one));
    two = arena_printf(a, "%s/two", dir);
    assert_true(fs_write_set((const FsFile[]){{one, "1", 1}, {two, "22", 2}}, 2, &err));
    assert_string_equal(fs_read(a, two, NULL, &err), "22");
    assert_true(fs_write_set(NULL, 0, &err));
    fs_remove_tree(dir);
    assert_false(fs_exists(dir));
    arena_free(a);
}

static void places_are_checked_before_work(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    char *dir = fs_temp_dir(a, "opwright-check", &err);
    const char *file = arena_printf(a, "%s/file", dir), *under = arena_printf(a, "%s/file/x", dir);
    assert_true(fs_write(file, "x", 1, &err));
    assert_true(fs_check_readable(file, &err));
    assert_false(fs_check_readable(dir, &err));
    assert_int_equal(err.code, ERR_BAD_INPUT);
    assert_false(fs_check_readable(arena_printf(a, "%s/none", dir), &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_true(fs_check_writable_dir(dir, &err));
    assert_true(fs_check_writable_dir(arena_printf(a, "%s/new/er", dir), &err));
    assert_false(fs_check_writable_dir(file, &err));
    assert_string_equal(err.where, file);
    assert_false(fs_check_writable_dir(under, &err));
    assert_true(fs_check_writable_dir("not there yet", &err));
    if (geteuid() != 0) {
        assert_int_equal(chmod(dir, 0500), 0);
        assert_false(fs_check_writable_dir(arena_printf(a, "%s/new", dir), &err));
        assert_string_equal(err.where, dir);
        assert_int_equal(chmod(dir, 0700), 0);
    }
    fs_remove_tree(dir);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(signals_leave_nothing_behind),
                                       cmocka_unit_test(what_left_its_group_is_ended_too),
                                       cmocka_unit_test(sets_of_files_are_whole),
                                       cmocka_unit_test(places_are_checked_before_work)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
