/* Which of two kernels stays, savers at the same time, and an info.json that somebody broke. */
#include "store/golden.h"

#include "base/fs.h"
#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka needs the four above first */
#include <cmocka.h>

typedef struct Place {
    Arena *a;
    const char *dir, *golden;
} Place;

static int set_up(void **state) {
    Arena *a = arena_new();
    Place *p = ARENA_NEW(a, Place);
    Err err = {0};
    p->a = a;
    p->dir = fs_temp_dir(a, "opwright-golden", &err);
    p->golden = arena_printf(a, "%s/\xe7\x9f\xa5 \xe8\xaf\x86/golden", p->dir);
    *state = p;
    return p->dir ? 0 : -1;
}

static int tear_down(void **state) {
    Place *p = *state;
    fs_remove_tree(p->dir);
    arena_free(p->a);
    return 0;
}

static void write_text(const char *path, const char *text) {
    Err err = {0};
    if (!fs_write(path, text, strlen(text), &err)) fail_msg("%s", err.message);
}

/* Saves `code` with a result; hardware "sim-..." with `ms` as the prediction. The outcome, or -1 with *err.
 */
static int save(const Place *p, const char *op, const char *code, const char *hardware, double ms, bool force,
                Err *err) {
    bool sim = !strncmp(hardware, "sim-", 4);
    const char *result = arena_printf(p->a, "%s/r%d.json", p->dir, (int)getpid()),
               *path = arena_printf(p->a, "%s/k%d.py", p->dir, (int)getpid());
    write_text(path, code);
    write_text(result, arena_printf(p->a,
                                    "{\"op\": \"%s\", \"compiled\": true, \"correctness\": true, "
                                    "\"hardware\": \"%s\", \"%s\": {\"%s\": %g}}",
                                    op, hardware, sim ? "prediction" : "performance",
                                    sim ? "time_ms" : "median", ms));
    GoldenSave o = {.dir = p->golden, .result_path = result, .code_path = path, .force = force};
    GoldenSaved saved = {0};
    return golden_save(p->a, &o, &saved, err) ? (int)saved.outcome : -1;
}

static void expect_current(const Place *p, const char *op, const char *code, size_t n_versions) {
    Err err = {0};
    GoldenEntry e;
    assert_true(golden_load(p->a, p->golden, op, &e, &err));
    assert_string_equal(fs_read(p->a, e.code_path, NULL, &err), code);
    assert_int_equal(e.n_versions, n_versions);
    assert_null(e.state);
    golden_entry_clear(&e);
}

static void test_what_stays(void **state) {
    const Place *p = *state;
    static const struct {
        const char *code, *hardware;
        double ms;
        bool force;
        int outcome;
        const char *current; /* afterwards */
    } STEPS[] = {{"a", "sim-Ascend910B4", 5, false, GOLDEN_SAVED, "a"},
                 {"b", "sim-Ascend910B4", 6, false, GOLDEN_SLOWER, "a"},
                 {"c", "ai_core-Ascend910B4", 9, false, GOLDEN_SAVED,
                  "c"}, /* measured beats predicted, whatever the figures */
                 {"d", "sim-Ascend910B4", 1, false, GOLDEN_KEPT, "c"},
                 {"e", "ai_core-Ascend910B4", 9.5, false, GOLDEN_SLOWER, "c"},
                 {"f", "ai_core-Ascend950", 20, false, GOLDEN_SAVED,
                  "f"}, /* another chip: nothing can be said, the last counts */
                 {"e", "ai_core-Ascend950", 21, true, GOLDEN_SAVED, "e"},
                 {"e", "ai_core-Ascend950", 22, false, GOLDEN_SAVED, "e"}};
    size_t n_versions[] = {1, 2, 3, 4, 5, 6, 6, 6};
    for (size_t i = 0; i < sizeof STEPS / sizeof STEPS[0]; i++) {
        Err err = {0};
        int outcome = save(p, "mul", STEPS[i].code, STEPS[i].hardware, STEPS[i].ms, STEPS[i].force, &err);
        if (outcome != STEPS[i].outcome) fail_msg("step %zu: %d %s", i, outcome, err.message);
        expect_current(p, "mul", STEPS[i].current, n_versions[i]);
    }
    GoldenEntry e;
    Err err = {0};
    assert_true(golden_load(p->a, p->golden, "mul", &e, &err));
    for (size_t i = 0; i < e.n_versions; i++) { /* one best for each chip and kind of time */
        const char *text = fs_read(p->a, e.versions[i].code_path, NULL, &err);
        const char *want = !strcmp(text, "c")   ? "ai_core-Ascend910B4"
                           : !strcmp(text, "f") ? "ai_core-Ascend950"
                           : !strcmp(text, "d") ? "sim-Ascend910B4"
                                                : "";
        assert_string_equal(e.versions[i].best_on, want);
    }
    golden_entry_clear(&e);
}

#define SAVERS 6
#define SAVES  8

static void test_savers_at_once(void **state) {
    const Place *p = *state;
    for (int s = 0; s < SAVERS; s++) {
        if (fork() != 0) continue;
        bool ok = true;
        for (int i = 0; i < SAVES && ok; i++) {
            Err err = {0};
            const char *op = i % 2 ? "shared" : arena_printf(p->a, "op_%d_%d", s, i);
            ok = save(p, op, arena_printf(p->a, "code %d %d", s, i), "ai_core-A", 1 + s + i, true, &err) ==
                 GOLDEN_SAVED;
        }
        _exit(ok ? 0 : 1);
    }
    for (int s = 0; s < SAVERS; s++) {
        int status = 1;
        wait(&status);
        assert_int_equal(status, 0);
    }
    char **ops;
    size_t n;
    Err err = {0};
    assert_true(golden_ops(p->a, p->golden, &ops, &n, &err));
    assert_int_equal(n, 1 + SAVERS * SAVES / 2);
    json_t *info = json_load_file(arena_printf(p->a, "%s/info.json", p->golden), 0, NULL);
    assert_int_equal(json_object_size(info), n);
    json_decref(info);
    GoldenEntry e;
    assert_true(golden_load(p->a, p->golden, "shared", &e, &err));
    assert_int_equal(e.n_versions, SAVERS * SAVES / 2);
    assert_null(e.state);
    golden_entry_clear(&e);
}

static void test_broken_info(void **state) {
    const Place *p = *state;
    Err err = {0};
    assert_int_equal(save(p, "one", "1", "ai_core-A", 1, false, &err), GOLDEN_SAVED);
    assert_int_equal(save(p, "two", "2", "ai_core-A", 2, false, &err), GOLDEN_SAVED);
    const char *path = arena_printf(p->a, "%s/info.json", p->golden);
    size_t n;
    const char *whole = fs_read(p->a, path, &n, &err);
    const char *broken = arena_printf(p->a, "{\"hand\": {\"note\": 1},%.*s", (int)n - 20, whole + 1);
    write_text(path, broken);
    assert_int_equal(save(p, "three", "3", "ai_core-A", 3, false, &err), GOLDEN_SAVED);
    json_t *info = json_load_file(path, 0, NULL);
    assert_int_equal(json_object_size(info), 4); /* what was whole, what the versions know, and the new one */
    assert_non_null(json_object_get(info, "hand"));
    assert_non_null(json_object_get(json_object_get(info, "two"), "saved_at"));
    json_decref(info);
    const char *aside = arena_printf(p->a, "%s.broken-%s", path, store_hash16(p->a, broken, strlen(broken)));
    assert_string_equal(fs_read(p->a, aside, NULL, &err), broken);
}

static void test_edited_current_is_kept(void **state) {
    const Place *p = *state;
    Err err = {0};
    assert_int_equal(save(p, "op", "1", "ai_core-A", 2, false, &err), GOLDEN_SAVED);
    write_text(arena_printf(p->a, "%s/op.py", p->golden), "edited by hand");
    GoldenEntry e;
    assert_true(golden_load(p->a, p->golden, "op", &e, &err));
    assert_non_null(strstr(e.state, "edited"));
    golden_entry_clear(&e);
    assert_int_equal(save(p, "op", "2", "ai_core-A", 1, false, &err), GOLDEN_SAVED);
    expect_current(p, "op", "2", 3);
    assert_true(golden_remove(p->a, p->golden, "op", "current",
                              &err)); /* the edited one has no result: "1" is next */
    expect_current(p, "op", "1", 2);
}

static void test_bad_names(void **state) {
    const Place *p = *state;
    static const char *const NAMES[] = {"", "..", "../x", "a/b", ".hidden", "-rf", "a\nb", "a\\b"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Err err = {0};
        assert_false(store_check_op(NAMES[i], &err));
        assert_int_equal(err.code, ERR_BAD_INPUT);
    }
    Err err = {0};
    assert_true(store_check_op("\xe5\x8a\xa0\xe6\xb3\x95 2", &err));
    assert_int_equal(save(p, "../out", "x", "ai_core-A", 1, false, &err), -1);
    assert_false(fs_exists(p->golden));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_savers_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_broken_info, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_edited_current_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_names, set_up, tear_down)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
