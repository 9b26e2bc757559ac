/* The cage against code that tries to get out. What namespaces give is tested where this machine has them. */
#include "base/fs.h"
#include "cage/cage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static Arena *arena;
static char *inside, *outside; /* a writable folder, and one that is not */

static ProcResult run_limited(const char *script, uint32_t processes, uint64_t file_bytes) {
    const char *argv[] = {"sh", "-c", script, NULL};
    const CageSpec spec = {.writable = inside, .processes = processes, .file_bytes = file_bytes};
    Proc p;
    ProcResult r;
    Err err = {0};
    assert_true(proc_start(&p, cage_argv(arena, &spec, argv), inside, &err));
    assert_true(proc_wait(&p, arena, 60, &r, &err));
    return r;
}

static ProcResult run(const char *script) {
    return run_limited(script, 0, 0);
}

static int set_up(void **state) {
    (void)state;
    Err err = {0};
    arena = arena_new();
    inside = fs_temp_dir(arena, "opwright cage 笼", &err);
    outside = fs_temp_dir(arena, "opwright-out", &err);
    return inside && outside && cage_kind() != CAGE_NONE ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    fs_remove_tree(inside);
    fs_remove_tree(outside);
    arena_free(arena);
    return 0;
}

static void commands_run_and_end_as_they_do_outside(void **state) {
    (void)state;
    ProcResult r = run("echo out; echo err >&2; pwd; exit 7");
    assert_int_equal(r.exit_code, 7);
    assert_string_equal(r.output, arena_printf(arena, "out\nerr\n%s\n", inside));
    assert_int_equal(run("kill -SEGV $$").exit_code, 128 + 11);
    assert_int_equal(run("no-such-program-here").exit_code, 127);
    assert_int_equal(run("echo x > made && cat made").exit_code, 0);
    assert_true(fs_exists(arena_printf(arena, "%s/made", inside)));
}

static void there_is_no_network_and_no_way_to_more(void **state) {
    (void)state;
    ProcResult r = run("python3 -c 'import socket\n"
                       "for f in (socket.AF_INET, socket.AF_INET6, 16, 17):\n"
                       "    try: socket.socket(f, socket.SOCK_RAW if f > 10 else socket.SOCK_STREAM)\n"
                       "    except OSError as e: print(e.errno)\n"
                       "    else: print(\"open\")\n"
                       "a, b = socket.socketpair(); a.send(b\"1\"); print(b.recv(1))'");
    assert_string_equal(r.output, "13\n13\n13\n13\nb'1'\n");
    r = run("unshare -n true || echo no; unshare -U true || echo no; mount -t tmpfs none . || echo no");
    assert_null(strstr(r.output, "yes"));
    int said = 0;
    for (const char *at = r.output; (at = strstr(at, "no\n")); at += 3) said++;
    assert_int_equal(said, 3);
}

static void memory_and_time_are_limited(void **state) {
    (void)state;
    const char *argv[] = {"python3", "-c",
                          "import resource\n"
                          "try: bytearray(2 << 30); print('had it')\n"
                          "except MemoryError: print('no memory')\n"
                          "print(resource.getrlimit(resource.RLIMIT_CPU), flush=True)\n"
                          "while True: pass\n",
                          NULL};
    const CageSpec spec = {.writable = inside, .memory_bytes = 1u << 30, .cpu_s = 1};
    Proc p;
    ProcResult r;
    Err err = {0};
    assert_true(proc_start(&p, cage_argv(arena, &spec, argv), inside, &err) && proc_wait(&p, arena, 60, &r, &err));
    assert_false(r.timed_out);
    assert_int_equal(r.exit_code, 128 + 9);
    assert_string_equal(r.output, "no memory\n(1, 1)\n");
}

static void files_are_limited(void **state) {
    (void)state;
    ProcResult r = run_limited("head -c 3000000 /dev/zero > big; wc -c < big", 0, 1000000);
    assert_non_null(strstr(r.output, "1000000"));
    assert_string_equal(run("echo $TMPDIR").output, arena_printf(arena, "%s\n", inside));
    if (cage_kind() != CAGE_FULL) skip();
    r = run(arena_printf(arena, "touch %s/x || echo refused; touch /etc/x || echo refused; rm -rf %s; ls -d %s; echo $TMPDIR", outside, outside, outside));
    assert_false(fs_exists(arena_printf(arena, "%s/x", outside)));
    assert_true(fs_exists(outside));
    assert_non_null(strstr(r.output, inside));
}

static void processes_are_counted_and_die_with_the_cage(void **state) {
    (void)state;
    if (cage_kind() != CAGE_FULL) skip();
    ProcResult r = run_limited("while :; do sleep 1000 & done", 40, 0);
    assert_int_equal(r.exit_code, 98);
    assert_non_null(strstr(r.output, "more than 40 processes"));
    r = run("sleep 1000 & ls -d /proc/[0-9]* | wc -l; kill -9 -1 2>/dev/null; true");
    assert_false(r.timed_out);
    r = run("ps -e 2>/dev/null | wc -l; setsid sleep 4242 >/dev/null 2>&1 & exit 0");
    assert_int_equal(r.exit_code, 0);
}

static void the_cage_says_what_it_can_do(void **state) {
    (void)state;
    assert_non_null(strstr(cage_describe(), cage_kind() == CAGE_FULL ? "full: " : "partial: "));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commands_run_and_end_as_they_do_outside), cmocka_unit_test(there_is_no_network_and_no_way_to_more),
        cmocka_unit_test(memory_and_time_are_limited), cmocka_unit_test(files_are_limited),                       cmocka_unit_test(processes_are_counted_and_die_with_the_cage),
        cmocka_unit_test(the_cage_says_what_it_can_do),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
