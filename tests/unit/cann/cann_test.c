/* Whole verifications against the stand-in for the vendor's toolkit in tests/cann. Needs Python with PyTorch;
 * without it the tests that start a worker are skipped, out loud. OPWRIGHT_SLOW_TESTS=1 runs the rarer
 * failures, too. */
#include "base/fs.h"
#include "cann/cann.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define STAND_IN  OPWRIGHT_SOURCE_DIR "/tests/cann"
#define REFERENCE OPWRIGHT_SOURCE_DIR "/examples/add.py"
#define ADD       OPWRIGHT_SOURCE_DIR "/examples/handwritten/add.py"

typedef struct World {
    Arena *arena;
    const char *dir, *log;
    bool has_torch;
} World;

static char *path_before; /* PATH of the test itself */

static void touch(const char *path) {
    Err err = {0};
    if (!fs_write(path, "", 0, &err)) fail_msg("%s", err.message);
}

/* A machine with a toolkit, devices 0 and 3, and torch_npu. */
static int set_up(void **state) {
    Err err = {0};
    World *w = calloc(1, sizeof *w);
    w->arena = arena_new();
    w->dir = fs_temp_dir(w->arena, "opwright-cann-test-", &err);
    w->log = arena_printf(w->arena, "%s/log", w->dir);
    touch(arena_printf(w->arena, "%s/davinci0", w->dir));
    touch(arena_printf(w->arena, "%s/davinci3", w->dir));
    touch(arena_printf(w->arena, "%s/davinci_manager", w->dir));
    path_before = arena_strdup(w->arena, getenv("PATH"));
    setenv("OPWRIGHT_HOME", OPWRIGHT_SOURCE_DIR, 1);
    setenv("OPWRIGHT_DEV_DIR", w->dir, 1);
    setenv("OPWRIGHT_NPU_HELPER", STAND_IN "/pytorch_npu_helper.hpp", 1);
    setenv("ASCEND_TOOLKIT_HOME", STAND_IN, 1);
    setenv("ASCEND_CUSTOM_OPP_PATH", "/no/such/operators",
           1); /* of the user's shell: must not reach a build */
    setenv("PYTHONPATH", STAND_IN "/python", 1);
    setenv("PATH", arena_printf(w->arena, "%s:%s", STAND_IN "/bin", path_before), 1);
    setenv("STAND_IN_LOG", w->log, 1);
    unsetenv("STAND_IN_MODE");
    BridgeOptions o = {.home = OPWRIGHT_SOURCE_DIR};
    Bridge *b = bridge_start(&o, &err);
    w->has_torch = b && bridge_hello(b, &err);
    bridge_stop(b);
    if (!w->has_torch) printf("SKIPPED: whole verifications need Python with PyTorch (%s)\n", err.message);
    *state = w;
    return 0;
}

static int tear_down(void **state) {
    World *w = *state;
    fs_remove_tree(w->dir);
    arena_free(w->arena);
    free(w);
    return 0;
}

typedef struct Outcome {
    bool ok;
    VerifyResult r;
    Err err;
} Outcome;

static Outcome verify(World *w, const char *mode, double limit_s) {
    if (mode) setenv("STAND_IN_MODE", mode, 1);
    else unsetenv("STAND_IN_MODE");
    VerifyOptions o = {
        .op = "add", .reference_path = REFERENCE, .kernel_code_path = ADD, .stage_limit_s = limit_s};
    Outcome out = {0};
    out.ok = cann_verify(w->arena, &o, &out.r, &out.err);
    return out;
}

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* The check that decided: the first error. */
static const json_t *first_error(const VerifyResult *r) {
    size_t i;
    const json_t *check;
    json_array_foreach(json_object_get(r->json, "checks"), i,
                       check) if (!strcmp(text_at(check, "severity"), "error")) return check;
    return NULL;
}

static void decided_by(const Outcome *out, Verdict verdict, const char *check, const char *source, int line) {
    if (!out->ok) fail_msg("nothing was judged: %s", out->err.message);
    const json_t *found = first_error(&out->r);
    if (out->r.verdict != verdict || strcmp(text_at(found, "check"), check) != 0)
        fail_msg("not %s but: %s", check, out->r.summary);
    assert_string_equal(text_at(found, "source"), source);
    assert_int_equal(json_integer_value(json_object_get(found, "line")), line);
}

#define NEEDS_TORCH(w)                                                                                       \
    if (!(w)->has_torch) skip()
/* A verification takes 5 to 10 seconds, most of it PyTorch's imports. */
#define NEEDS_TIME(w)                                                                                        \
    NEEDS_TORCH(w);                                                                                          \
    if (!getenv("OPWRIGHT_SLOW_TESTS")) {                                                                    \
        printf("SKIPPED: set OPWRIGHT_SLOW_TESTS=1 to run it\n");                                            \
        skip();                                                                                              \
    }

static void test_pass_and_measure(void **state) {
    World *w = *state;
    NEEDS_TORCH(w);
    unlink(w->log);
    Outcome out = verify(w, NULL, 0);
    if (!out.ok || out.r.verdict != VERDICT_PASS) fail_msg("%s", out.ok ? out.r.summary : out.err.message);
    assert_int_equal(out.r.exit_code, 0);
    const json_t *j = out.r.json;
    assert_string_equal(text_at(j, "backend"), "cann");
    assert_string_equal(text_at(j, "hardware"), "ai_core-Ascend910B4");
    assert_string_equal(text_at(j, "device"), "npu:0");
    assert_true(json_is_true(json_object_get(j, "compiled")) &&
                json_is_true(json_object_get(j, "correctness")));
    assert_int_equal(json_array_size(json_object_get(j, "cases")), 5);
    assert_null(json_object_get(j, "performance_note"));
    static const char *const KEYS[] = {"mean", "median", "std", "min", "max"};
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        assert_true(json_is_real(json_object_get(json_object_get(j, "performance"), KEYS[i])));
        assert_true(json_is_real(json_object_get(json_object_get(j, "baseline_performance"), KEYS[i])));
    }
    assert_int_equal(json_integer_value(json_object_get(json_object_get(j, "performance"), "num_trials")),
                     100);
    assert_true(json_real_value(json_object_get(j, "speedup")) > 0);
    assert_non_null(strstr(out.r.summary, "5 of 5 cases pass"));
    assert_non_null(strstr(out.r.summary, "npu:0"));
    assert_null(strstr(out.r.summary, "simulated"));
    Err err = {0};
    const char *log = fs_read(w->arena, w->log, NULL, &err);
    assert_true(!strncmp(log, "msopgen AddCustomX", 18) &&
                strstr(log, " ai_core-Ascend910B4\nbuild.sh AddCustomX"));
    json_decref(out.r.json);
}

static void test_build_failures(void **state) {
    World *w = *state;
    NEEDS_TORCH(w);
    Outcome out = verify(w, "kernel-error", 0);
    decided_by(&out, VERDICT_FAIL, "compile", "kernel_src", 12);
    assert_false(json_is_true(json_object_get(out.r.json, "compiled")));
    assert_int_equal(json_integer_value(json_object_get(first_error(&out.r), "count")), 2);
    assert_non_null(strstr(text_at(first_error(&out.r), "text"), "'add_custom_len'"));
    json_decref(out.r.json);
    out = verify(w, "host-error", 0);
    decided_by(&out, VERDICT_FAIL, "compile", "host_operator_src", 9);
    json_decref(out.r.json);
    out = verify(w, "msopgen-error", 0);
    decided_by(&out, VERDICT_FAIL, "compile", "project_json_src", 0);
    assert_non_null(strstr(text_at(out.r.json, "compile_info"), "type in the json file is not supported"));
    json_decref(out.r.json);
    out = verify(w, "no-package", 0);
    decided_by(&out, VERDICT_INFRA_ERROR, "compile", "", 0);
    assert_int_equal(out.r.exit_code, 3);
    json_decref(out.r.json);
}

static void test_wrong_numbers(void **state) {
    World *w = *state;
    NEEDS_TORCH(w);
    Outcome out = verify(w, "wrong", 0);
    decided_by(&out, VERDICT_FAIL, "output-mismatch", "kernel_src", 0);
    assert_true(json_is_true(json_object_get(out.r.json, "compiled")));
    assert_non_null(strstr(text_at(out.r.json, "correctness_info"), "location: (7, 2047)"));
    assert_true(json_is_null(json_object_get(out.r.json, "performance")));
    json_decref(out.r.json);
}

static void test_faults_of_the_device(void **state) {
    World *w = *state;
    NEEDS_TORCH(w);
    Outcome out = verify(w, "raise", 0);
    decided_by(&out, VERDICT_FAIL, "candidate-forward", "model_src", 9);
    assert_non_null(strstr(text_at(out.r.json, "correctness_info"), "507035"));
    json_decref(out.r.json);
}

static void test_a_process_that_ends_early(void **state) {
    World *w = *state;
    NEEDS_TIME(w);
    Outcome out = verify(w, "crash", 0);
    decided_by(&out, VERDICT_FAIL, "run-crash", "", 0);
    assert_non_null(strstr(text_at(out.r.json, "log"), "about to die"));
    json_decref(out.r.json);
    out = verify(w, "hang", 20);
    decided_by(&out, VERDICT_FAIL, "run-timeout", "kernel_src", 0);
    json_decref(out.r.json);
}

static void test_an_operator_that_never_ran(void **state) {
    World *w = *state;
    NEEDS_TIME(w);
    Outcome out = verify(w, "no-load", 0);
    decided_by(&out, VERDICT_REJECTED, "kernel-not-launched", "python_bind_src", 0);
    json_decref(out.r.json);
}

static void test_times_that_fail_leave_the_verdict(void **state) {
    World *w = *state;
    NEEDS_TIME(w);
    Outcome out = verify(w, "no-time", 0);
    assert_true(out.ok && out.r.verdict == VERDICT_PASS);
    assert_true(json_is_null(json_object_get(out.r.json, "performance")));
    assert_non_null(strstr(text_at(out.r.json, "log"), "no time for this"));
    json_decref(out.r.json);
}

static void test_another_device(void **state) {
    World *w = *state;
    NEEDS_TIME(w);
    unsetenv("STAND_IN_MODE");
    VerifyOptions o = {.op = "add", .reference_path = REFERENCE, .kernel_code_path = ADD};
    VerifyResult r;
    Err err = {0};
    setenv("STAND_IN_DEVICE", "3", 1);
    bool ok = cann_verify_on(w->arena, &o, 3, &r, &err);
    unsetenv("STAND_IN_DEVICE");
    if (!ok || r.verdict != VERDICT_PASS) fail_msg("%s", ok ? r.summary : err.message);
    assert_string_equal(text_at(r.json, "device"), "npu:3");
    json_decref(r.json);
    assert_false(cann_verify_on(w->arena, &o, 1, &r, &err));
    assert_int_equal(err.code, ERR_NO_CANN);
}

static void test_a_device_that_cannot_be_used(void **state) {
    World *w = *state;
    NEEDS_TIME(w);
    Outcome out = verify(w, "no-device", 0); /* the binding's build imports torch_npu, too */
    assert_true(!out.ok || out.r.verdict == VERDICT_INFRA_ERROR);
    if (out.ok) json_decref(out.r.json);
    out = verify(w, "no-card", 0);
    assert_false(out.ok);
    assert_int_equal(out.err.code, ERR_NO_CANN);
    assert_non_null(strstr(out.err.message, "207004"));
    unsetenv("OPWRIGHT_NPU_HELPER");
    out = verify(w, NULL, 0);
    setenv("OPWRIGHT_NPU_HELPER", STAND_IN "/pytorch_npu_helper.hpp", 1);
    assert_false(out.ok);
    assert_int_equal(out.err.code, ERR_NO_CANN);
    assert_non_null(strstr(out.err.message, "pytorch_npu_helper.hpp"));
}

static void test_what_is_missing_is_named(void **state) {
    World *w = *state;
    char why[512];
    assert_true(cann_available(why, sizeof why));
    assert_string_equal(why, "");
    setenv("PATH", path_before, 1);
    bool found = cann_available(why, sizeof why);
    assert_false(found);
    assert_non_null(strstr(why, "msopgen"));
    assert_null(strstr(why, "toolkit (ASCEND"));
    Outcome out = verify(w, NULL, 0);
    setenv("PATH", arena_printf(w->arena, "%s:%s", STAND_IN "/bin", path_before), 1);
    assert_false(out.ok);
    assert_int_equal(err_exit_status(out.err.code), 3);
    assert_non_null(strstr(out.err.message, "msopgen"));
    setenv("OPWRIGHT_DEV_DIR", STAND_IN, 1);
    assert_false(cann_available(why, sizeof why));
    assert_non_null(strstr(why, "no device"));
    setenv("OPWRIGHT_DEV_DIR", w->dir, 1);
    char small[8];
    setenv("PATH", path_before, 1);
    assert_false(cann_available(small, sizeof small)); /* cut, never past the end */
    assert_int_equal(strlen(small), sizeof small - 1);
    setenv("PATH", arena_printf(w->arena, "%s:%s", STAND_IN "/bin", path_before), 1);
}

static void test_cases_are_refused(void **state) {
    World *w = *state;
    VerifyCase one = {.label = "x"};
    VerifyOptions o = {
        .op = "add", .reference_path = REFERENCE, .kernel_code_path = ADD, .cases = &one, .n_cases = 1};
    VerifyResult r;
    Err err = {0};
    assert_false(cann_verify(w->arena, &o, &r, &err));
    assert_int_equal(err.code, ERR_UNSUPPORTED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_missing_is_named),
        cmocka_unit_test(test_cases_are_refused),
        cmocka_unit_test(test_pass_and_measure),
        cmocka_unit_test(test_build_failures),
        cmocka_unit_test(test_wrong_numbers),
        cmocka_unit_test(test_faults_of_the_device),
        cmocka_unit_test(test_a_process_that_ends_early),
        cmocka_unit_test(test_an_operator_that_never_ran),
        cmocka_unit_test(test_times_that_fail_leave_the_verdict),
        cmocka_unit_test(test_another_device),
        cmocka_unit_test(test_a_device_that_cannot_be_used),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
