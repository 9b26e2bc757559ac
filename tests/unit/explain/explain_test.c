/* Every row of explain.def explains its sample and leaves its near miss alone; causes come before what
 * follows from them. */
#include "explain/explain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *id, *hit, *miss;
} SAMPLES[] = {
#define SAMPLE(id_, hit_, miss_) {id_, hit_, miss_},
#include "samples.def"
#undef SAMPLE
};
#define N_SAMPLES (sizeof SAMPLES / sizeof SAMPLES[0])

static ExplainReport explain(Arena *a, const char *text) {
    ExplainReport r;
    Err err = {0};
    assert_true(explain_log(a, text, strlen(text), &r, &err));
    return r;
}

static const ExplainMatch *find(const ExplainReport *r, const char *id) {
    for (size_t i = 0; i < r->n_matches; i++)
        if (!strcmp(r->matches[i].id, id)) return &r->matches[i];
    return NULL;
}

static size_t place(const ExplainReport *r, const char *id) {
    const ExplainMatch *m = find(r, id);
    if (!m) fail_msg("%s was not recognised", id);
    return (size_t)(m - r->matches);
}

static void test_every_row_has_one_sample(void **state) {
    (void)state;
    size_t n = 0;
    for (const char *id; (id = explain_row_id(n)); n++) {
        size_t samples = 0;
        for (size_t k = 0; k < N_SAMPLES; k++) samples += !strcmp(SAMPLES[k].id, id);
        if (samples != 1) fail_msg("row %s has %zu samples", id, samples);
        for (size_t k = 0; k < n; k++)
            if (!strcmp(explain_row_id(k), id)) fail_msg("two rows are called %s", id);
    }
    assert_int_equal(n, N_SAMPLES);
    assert_true(n >= 60);
}

static void test_samples(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SAMPLES; i++) {
        Arena *a = arena_new();
        ExplainReport r = explain(a, SAMPLES[i].hit);
        const ExplainMatch *m = find(&r, SAMPLES[i].id);
        if (!m) fail_msg("%s does not explain: %s", SAMPLES[i].id, SAMPLES[i].hit);
        assert_int_equal(m->line, 1);
        assert_true(m->column >= 1 && m->column <= strlen(SAMPLES[i].hit));
        for (int k = 0; k < EXPLAIN_N_LANGS; k++)
            assert_true(m->cause[k][0] && m->check[k][0] && m->title[k][0]);
        r = explain(a, SAMPLES[i].miss);
        if (find(&r, SAMPLES[i].id))
            fail_msg("%s explains what it should not: %s", SAMPLES[i].id, SAMPLES[i].miss);
        arena_free(a);
    }
}

static void test_related_checks_exist(void **state) {
    (void)state;
    Arena *a = arena_new();
    const char *related, *text[EXPLAIN_N_LANGS];
    for (size_t i = 0; (related = explain_row_related(i)); i++)
        for (char *id = strtok(arena_strdup(a, related), " "); id; id = strtok(NULL, " "))
            if (!explain_known_check(id, text))
                fail_msg("%s names %s, which is no check", explain_row_id(i), id);
    assert_false(explain_known_check("no-such-check", text));
    arena_free(a);
}

static const char DEVICE_LOG[] =
    "[FAIL] npuSynchronizeDevice:build/torch_npu.dir/x.ts:525 NPU function error: "
    "AclrtSynchronizeDeviceWithTimeout, error code is 507035\n"
    "[ERROR] 2026-03-10-02:06:04 (PID:2587457, Device:0, RankID:-1) ERR00100 PTA call acl api failed\n"
    "[Error]: The vector core execution is abnormal.\n"
    "EZ9999: Inner Error!\n"
    "EZ9999[PID: 2587457] (EZ9999):  The error from device(chipId:0, dieId:0), serial number is 2197, there "
    "is an exception of aivec error, "
    "core id is 5, error code = 0x4000000000000000, dump info: pc start: 0x12c043800000, current: "
    "0x12c0438008e0, vec error info: 0x20000003c, "
    "mte error info: 0x2060000d5, biu error info: 0\n"
    "The extend info: errcode:(0x4000000000000000, 0x4000, 0) errorStr: VEC instruction error: the ub "
    "address out of bounds.CCU instruction "
    "address check error. fixp_error0 info: 0x60000d5, blk:0, sublk:0, subErrType:4.\n"
    "there is an exception of aivec error, core id is 17, error code = 0, dump info: pc start: "
    "0x12c043800000, current: 0x12c0438008e0,\n"
    "The process exits for this inner error, and the current working operator name is aclnnMaskedSelect.\n";

static void test_cause_before_consequences(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r = explain(a, DEVICE_LOG);
    assert_string_equal(r.matches[0].id, "device-ub-out-of-bounds");
    assert_int_equal(r.matches[0].line, 6);
    assert_null(find(&r, "device-ccu-address")); /* it follows from the cause in the same line */
    assert_true(place(&r, "rt-507035") < place(&r, "device-masked-select"));
    assert_true(place(&r, "device-aivec") < place(&r, "device-operator-name"));
    assert_int_equal(find(&r, "device-aivec")->count, 2);
    assert_non_null(strstr(r.facts[EXPLAIN_EN], "2 cores reported (5, 17), all at byte 0x8e0"));
    assert_non_null(strstr(r.facts[EXPLAIN_ZH], "2 个核上报（5, 17）"));
    const char *text = explain_print(a, &r, EXPLAIN_EN);
    assert_true(strstr(text, "1. fault of the kernel") < strstr(text, "MaskedSelect and waits"));
    arena_free(a);
}

static void test_first_compiler_error_comes_first(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r =
        explain(a, "a.cpp:12:3: error: use of undeclared identifier 'foo'\n"
                   "a.cpp:47:38: error: use of undeclared identifier 'sqrtf'; did you mean 'sqrt'?\n"
                   "Opc tool compile failed.\n");
    assert_int_equal(r.n_matches, 3);
    assert_string_equal(r.matches[0].id, "kernel-undeclared");
    assert_int_equal(r.matches[0].count, 1); /* the libm line is told by its own row alone */
    assert_string_equal(r.matches[1].id, "kernel-libm");
    assert_string_equal(r.matches[2].id, "package-opc");
    arena_free(a);
}

static void test_unknown_input(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r = explain(a, "all is well\n");
    assert_int_equal(r.n_matches, 0);
    assert_non_null(strstr(explain_print(a, &r, EXPLAIN_EN), "Nothing in these lines is known"));
    assert_non_null(strstr(explain_print(a, &r, EXPLAIN_ZH), "opwright doctor"));
    r = explain(a, "");
    assert_int_equal(r.n_matches, 0);
    arena_free(a);
}

static void test_result_object(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r =
        explain(a, "{\"result\": [{\"compile_info\": \"a:1: error: unknown type name 'T'\\nmore\", "
                   "\"checks\": [{\"check\": \"ub-past-end\", "
                   "\"severity\": \"error\", \"source\": \"kernel_src\", \"line\": 31, \"text\": \"Add UB "
                   "bytes 1..2\", \"text_zh\": \"中文\", \"hint\": \"smaller\"}]}]}");
    assert_int_equal(r.n_matches, 2);
    assert_string_equal(r.matches[0].id, "ub-past-end");
    assert_string_equal(r.matches[0].excerpt, "kernel_src:31: Add UB bytes 1..2");
    assert_string_equal(r.matches[0].cause[EXPLAIN_ZH], "中文");
    assert_string_equal(r.matches[0].check[EXPLAIN_ZH], "smaller");
    assert_string_equal(r.matches[1].id, "kernel-unknown-type");
    r = explain(a, "FAIL add: 0 of 5 cases pass\n  error kernel_src:31: [ub-past-end] Add UB bytes 1..2\n  "
                   "note x: [not-a-check] y\n");
    assert_int_equal(r.n_matches, 1);
    assert_string_equal(r.matches[0].id, "ub-past-end");
    assert_int_equal(r.matches[0].line, 2);
    arena_free(a);
}

static void test_texts_quoted_in_json_lines(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r = explain(a, "{\"type\":\"log\",\"data\":\"start\\na.cpp:1:1: error: unknown type name "
                                 "'cType'\\nend\"}\n{\"type\":\"x\"}\n");
    assert_int_equal(r.n_matches, 1);
    assert_string_equal(r.matches[0].excerpt, "a.cpp:1:1: error: unknown type name 'cType'");
    arena_free(a);
}

static void test_excerpts_can_be_shown(void **state) {
    (void)state;
    Arena *a = arena_new();
    static const char BYTES[] = "\x1b[31mbad\xff\x01 bytes\0: unknown type name 'T' \xe4\xb8\xad\xe6\x96\x87";
    ExplainReport r;
    Err err = {0};
    assert_true(explain_log(a, BYTES, sizeof BYTES - 1, &r, &err));
    assert_string_equal(r.matches[0].excerpt, "bad?  bytes : unknown type name 'T' \xe4\xb8\xad\xe6\x96\x87");
    char *line = arena_alloc(a, 100001); /* cut into pieces, and the excerpt is around the match */
    memset(line, 'x', 100000);
    memcpy(line + 99000, " unknown type name 'T' ", 23);
    r = explain(a, line);
    assert_int_equal(r.n_matches, 1);
    assert_true(strlen(r.matches[0].excerpt) <= EXPLAIN_EXCERPT_MAX);
    assert_non_null(strstr(r.matches[0].excerpt, "unknown type name"));
    arena_free(a);
}

static void test_too_large(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r;
    Err err = {0};
    assert_false(explain_log(a, "", EXPLAIN_INPUT_MAX + 1, &r, &err));
    assert_int_equal(err.code, ERR_BAD_INPUT);
    arena_free(a);
}

static void test_json(void **state) {
    (void)state;
    Arena *a = arena_new();
    ExplainReport r = explain(a, DEVICE_LOG);
    json_t *j = explain_json(&r, EXPLAIN_EN);
    assert_true(json_is_true(json_object_get(j, "recognised")));
    json_t *first = json_array_get(json_object_get(j, "matches"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "level")), "cause");
    assert_string_equal(json_string_value(json_array_get(json_object_get(first, "checks"), 0)),
                        "ub-past-end");
    assert_int_equal(json_array_size(json_object_get(j, "matches")), r.n_matches);
    json_decref(j);
    arena_free(a);
}

static void test_language(void **state) {
    (void)state;
    Err err = {0};
    ExplainLang lang;
    assert_true(explain_lang("zh", &lang, &err) && lang == EXPLAIN_ZH);
    assert_false(explain_lang("fr", &lang, &err));
    unsetenv("LC_ALL");
    unsetenv("LC_MESSAGES");
    setenv("LANG", "zh_CN.UTF-8", 1);
    assert_true(explain_lang(NULL, &lang, &err) && lang == EXPLAIN_ZH);
    setenv("LC_ALL", "C.UTF-8", 1);
    assert_true(explain_lang(NULL, &lang, &err) && lang == EXPLAIN_EN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_has_one_sample),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_related_checks_exist),
        cmocka_unit_test(test_cause_before_consequences),
        cmocka_unit_test(test_first_compiler_error_comes_first),
        cmocka_unit_test(test_unknown_input),
        cmocka_unit_test(test_result_object),
        cmocka_unit_test(test_texts_quoted_in_json_lines),
        cmocka_unit_test(test_excerpts_can_be_shown),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_language),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
