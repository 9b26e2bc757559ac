/* Replies of the worker, made up, and what is made of them. */
#include "verify/verify_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#define LAUNCH   "\"launches\": [{\"op\": \"AddCustom\"}]"
#define SHAPE(n) "[{\"dtype\": \"float32\", \"shape\": [" #n "]}]"

typedef struct Judged {
    Arena *arena;
    DiagList diags;
    CaseResult out;
    Err err;
    bool ok;
} Judged;

static const Desc DESC = {.path = "d.py", .op = "AddCustom", .kernel_name = "add_custom"};

static const float ONES[3] = {1, 1, 1}, TWOS[3] = {1, 1, 2};

/* report, eager, actual and rest are JSON texts; both blobs hold 3 floats, or nothing. */
static Judged judge(const char *report, const char *eager, const char *actual, const char *rest,
                    const float *got) {
    Judged j = {.arena = arena_new()};
    j.diags.arena = j.arena;
    char *text =
        arena_printf(j.arena,
                     "{\"report\": {%s}, \"eager_outputs\": %s, \"actual\": %s, \"blob_names\": [\"eager0\", "
                     "\"actual0\"]%s}",
                     report, eager, actual, rest);
    BridgeBlob blobs[2] = {{ONES, sizeof ONES}, {got, sizeof ONES}};
    BridgeReply reply = {.result = json_loads(text, 0, NULL), .blobs = blobs, .n_blobs = got ? 2 : 0};
    assert_non_null(reply.result);
    JudgeContext c = {.desc = &DESC, .standard = VERIFY_STD_SEED, .diags = &j.diags};
    j.ok = judge_reply(j.arena, &c, &reply, &j.out, &j.err);
    json_decref(reply.result);
    return j;
}

static Judged judge_dead(const char *error) {
    Judged j = {.arena = arena_new()};
    j.diags.arena = j.arena;
    BridgeReply reply = {.error = json_loads(error, 0, NULL)};
    JudgeContext c = {.desc = &DESC, .standard = VERIFY_STD_SEED, .diags = &j.diags};
    j.ok = judge_failure(j.arena, &c, &reply, &j.out, &j.err);
    json_decref(reply.error);
    return j;
}

static void expect(Judged *j, Verdict verdict, const char *check) {
    for (size_t i = 0; i < j->diags.n; i++)
        print_message("  [%s] %s\n", j->diags.at[i].check, j->diags.at[i].text);
    assert_true(j->ok);
    assert_int_equal(j->out.verdict, verdict);
    bool found = !check;
    for (size_t i = 0; i < j->diags.n; i++) found = found || !strcmp(j->diags.at[i].check, check);
    assert_true(found);
    if (!check) assert_int_equal(j->diags.n, 0);
    json_decref(j->out.precision);
    arena_free(j->arena);
}

static void test_values(void **state) {
    (void)state;
    Judged j = judge(LAUNCH, SHAPE(3), SHAPE(3), "", ONES);
    expect(&j, VERDICT_PASS, NULL);
    j = judge(LAUNCH, SHAPE(3), SHAPE(3), "", TWOS);
    assert_non_null(strstr(j.out.reason, "max diff: 1, location: (2,)"));
    assert_non_null(strstr(j.out.reason, "Diff count: 1 of 3"));
    assert_int_equal(json_array_size(j.out.precision), 1);
    expect(&j, VERDICT_FAIL, "output-mismatch");
}

/* A case under the ecosystem standard with a control; golden is 0.5 everywhere. */
static Verdict judge_controlled(float eager, float actual, bool by_control, const char **stage) {
    static const double GOLDEN[3] = {0.5, 0.5, 0.5};
    const float e[3] = {eager, eager, eager}, got[3] = {actual, actual, actual};
    Judged j = {.arena = arena_new()};
    j.diags.arena = j.arena;
    char *text = arena_printf(j.arena, "{\"report\": {%s}, \"eager_outputs\": %s, \"actual\": %s, \"blob_names\": [\"golden0\", \"eager0\", \"actual0\"]}", LAUNCH,
                              SHAPE(3), SHAPE(3));
    BridgeBlob blobs[3] = {{GOLDEN, sizeof GOLDEN}, {e, sizeof e}, {got, sizeof got}};
    BridgeReply reply = {.result = json_loads(text, 0, NULL), .blobs = blobs, .n_blobs = 3};
    JudgeContext c = {.desc = &DESC, .standard = VERIFY_STD_ECOSYSTEM, .diags = &j.diags, .control = true, .by_control = by_control};
    assert_true(judge_reply(j.arena, &c, &reply, &j.out, &j.err));
    const char *found = json_string_value(json_object_get(json_array_get(j.out.precision, 0), "stage"));
    *stage = !strcmp(found, "control") ? "control" : !strcmp(found, "plain") ? "plain" : "second stage";
    Verdict v = j.out.verdict;
    json_decref(j.out.precision);
    json_decref(reply.result);
    arena_free(j.arena);
    return v;
}

/* Where the reference itself misses the standard in its dtype, a case of our own sizes allows twice its errors; a record never does. */
static void test_control(void **state) {
    (void)state;
    const char *stage;
    assert_int_equal(judge_controlled(0.51f, 0.515f, true, &stage), VERDICT_PASS);
    assert_string_equal(stage, "control");
    assert_int_equal(judge_controlled(0.51f, 0.525f, true, &stage), VERDICT_FAIL); /* more than twice */
    assert_int_equal(judge_controlled(0.51f, 0.515f, false, &stage), VERDICT_FAIL);
    assert_int_equal(judge_controlled(0.5f, 0.51f, true, &stage), VERDICT_FAIL); /* the reference is good */
    assert_int_equal(judge_controlled(0.51f, 0.5f, true, &stage), VERDICT_PASS);
    assert_string_equal(stage, "plain");
}

static void test_forms(void **state) {
    (void)state;
    Judged j = judge(LAUNCH, SHAPE(3), "[]", "", ONES);
    expect(&j, VERDICT_FAIL, "output-count");
    j = judge(LAUNCH, SHAPE(3), "null", "", ONES);
    expect(&j, VERDICT_FAIL, "output-count");
    j = judge(LAUNCH, SHAPE(3), "[{\"dtype\": \"float32\", \"shape\": [1, 3]}]", "", ONES);
    assert_non_null(strstr(j.out.reason, "(1, 3), expected (3,)"));
    expect(&j, VERDICT_FAIL, "output-shape");
    j = judge(LAUNCH, SHAPE(3), "[{\"dtype\": \"int32\", \"shape\": [3]}]", "", ONES);
    expect(&j, VERDICT_FAIL, "output-dtype");
    j = judge(LAUNCH, "[{\"dtype\": \"complex64\", \"shape\": [3]}]",
              "[{\"dtype\": \"complex64\", \"shape\": [3]}]", "", ONES);
    expect(&j, VERDICT_NOT_MODELLED, "not-modelled-dtype");
}

/* Faults count even when the numbers agree; warnings do not decide. */
static void test_findings(void **state) {
    (void)state;
#define FINDING(check, severity)                                                                             \
    LAUNCH ", \"findings\": [{\"check\": \"" check "\", \"severity\": \"" severity                           \
           "\", \"file\": \"kernel_src\", \"line\": 3, \"count\": 2, \"text\": \"t\"}]"
    Judged j = judge(FINDING("gm-race", "error"), SHAPE(3), SHAPE(3), "", ONES);
    assert_int_equal(j.diags.at[0].line, 3);
    assert_int_equal(j.diags.at[0].count, 2);
    expect(&j, VERDICT_FAIL, "gm-race");
    j = judge(FINDING("slow", "warning"), SHAPE(3), SHAPE(3), "", ONES);
    expect(&j, VERDICT_PASS, "slow");
    j = judge(FINDING("not-modelled", "error"), SHAPE(3), SHAPE(3), "", TWOS);
    expect(&j, VERDICT_NOT_MODELLED, "not-modelled");
}

static void test_conduct(void **state) {
    (void)state;
    Judged j = judge("\"launches\": []", SHAPE(3), SHAPE(3), "", ONES);
    expect(&j, VERDICT_REJECTED, "kernel-not-launched");
    j = judge("\"launches\": [{\"op\": \"MulCustom\"}]", SHAPE(3), SHAPE(3), "", ONES);
    expect(&j, VERDICT_REJECTED, "kernel-not-launched");
    j = judge("\"launches\": []", SHAPE(0), SHAPE(0), "", NULL); /* nothing to compute */
    expect(&j, VERDICT_PASS, NULL);
    j = judge(LAUNCH, SHAPE(3), SHAPE(3), ", \"fallback\": [\"aten.add.Tensor\"]", ONES);
    assert_non_null(strstr(j.out.reason, "aten.add.Tensor"));
    expect(&j, VERDICT_REJECTED, "torch-fallback");
    j = judge(LAUNCH, SHAPE(3), SHAPE(3), ", \"inputs_changed\": [\"x\"]", ONES);
    expect(&j, VERDICT_FAIL, "input-changed");
}

static void test_candidate_errors(void **state) {
    (void)state;
#define ERROR(stage, message)                                                                                \
    ", \"candidate_error\": {\"stage\": \"" stage "\", \"message\": \"" message                              \
    "\", \"file\": \"model_src\", \"line\": 4}"
    static const char *const STAGES[] = {"import", "construct", "forward", "tiling", "launch"};
    static const char *const TEXTS[] = {ERROR("import", "m"), ERROR("construct", "m"), ERROR("forward", "m"),
                                        ERROR("tiling", "m"), ERROR("launch", "m")};
    for (size_t i = 0; i < 5; i++) {
        Judged j = judge("", "[]", "null", TEXTS[i], NULL);
        assert_int_equal(j.diags.at[0].line, 4);
        const char *check = arena_printf(j.arena, "candidate-%s", STAGES[i]);
        assert_string_equal(j.diags.at[0].check, check);
        assert_true(j.diags.at[0].hint && j.diags.at[0].hint_zh);
        expect(&j, VERDICT_FAIL, j.diags.at[0].check);
    }
    Judged j = judge("", "[]", "null", ERROR("forward", "not modelled: complex tensors"), NULL);
    expect(&j, VERDICT_NOT_MODELLED, "candidate-forward");
}

static void test_protocol(void **state) {
    (void)state;
    Judged j = judge(LAUNCH, SHAPE(4), SHAPE(4), "", ONES); /* blobs are too short */
    assert_false(j.ok);
    assert_int_equal(j.err.code, ERR_INTERNAL);
    json_decref(j.out.precision);
    arena_free(j.arena);
    j = judge(LAUNCH, "[{\"dtype\": \"float32\", \"shape\": [-1]}]",
              "[{\"dtype\": \"float32\", \"shape\": [-1]}]", "", ONES);
    expect(&j, VERDICT_FAIL, "output-shape");
}

static void test_death(void **state) {
    (void)state;
    Judged j = judge_dead(
        "{\"code\": \"timeout\", \"message\": \"not done after 5 s\", \"trail\": {\"file\": \"kernel_src\", "
        "\"line\": 9, \"api\": \"DataCopy\", \"block\": 3}}");
    assert_string_equal(j.diags.at[0].source, "kernel_src");
    assert_int_equal(j.diags.at[0].line, 9);
    assert_non_null(strstr(j.out.reason, "block 3 at DataCopy"));
    expect(&j, VERDICT_FAIL, "run-timeout");
    j = judge_dead("{\"code\": \"child_died\", \"message\": \"killed by SIGSEGV\", \"signal\": 11}");
    expect(&j, VERDICT_FAIL, "run-crash");
    j = judge_dead(
        "{\"code\": \"child_died\", \"message\": \"the code needs more memory than the limit allows\"}");
    expect(&j, VERDICT_INFRA_ERROR, "out-of-memory");
    j = judge_dead("{\"code\": \"bad_input\", \"message\": \"the reference is broken\"}");
    assert_false(j.ok);
    json_decref(j.out.precision);
    arena_free(j.arena);
    j = judge_dead("{\"code\": \"internal\", \"message\": \"a defect\"}");
    assert_false(j.ok);
    json_decref(j.out.precision);
    arena_free(j.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_findings),
        cmocka_unit_test(test_conduct),
        cmocka_unit_test(test_candidate_errors),
        cmocka_unit_test(test_protocol),
        cmocka_unit_test(test_death),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
