/* verification.json, and its table for people. */
#include "cli/backward_int.h"
#include "cli/table.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA 1

const char *backward_status_name(BackwardStatus s) {
    static const char *const NAMES[] = {"PASS", "PASS_WITHIN_TOLERANCE", "FAIL", "REJECT_FAIL_CLOSED"};
    return NAMES[s];
}

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static bool is_pass(const json_t *one_case) {
    return !strcmp(text_at(one_case, "verdict"), "PASS") && !json_is_true(json_object_get(one_case, "differs"));
}

/* Some output needed more than the plain rule: that for small and cancelled values, or the comparison with the control. */
static bool within_tolerance(const json_t *one_case) {
    const json_t *list = json_object_get(one_case, "precision");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *stage = text_at(json_array_get(list, i), "stage");
        if (!strcmp(stage, "second stage") || !strcmp(stage, "control")) return true;
    }
    return false;
}

static void count(json_t *per_dtype, const char *dtype, const char *what) {
    json_t *row = json_object_get(per_dtype, dtype);
    if (!row) {
        row = json_pack("{s:i, s:i, s:i, s:i, s:i}", "cases", 0, "passed", 0, "within_tolerance", 0, "failed", 0, "skipped", 0);
        json_object_set_new(per_dtype, dtype, row);
    }
    static const char *const ALSO = "cases";
    json_object_set_new(row, what, json_integer(json_integer_value(json_object_get(row, what)) + 1));
    json_object_set_new(row, ALSO, json_integer(json_integer_value(json_object_get(row, ALSO)) + 1));
}

/* A record's case: what it was, and how it came out. NULL result: it was not reached. */
static json_t *case_json(const json_t *record, const json_t *result) {
    json_t *o = json_pack("{s:O, s:s, s:O, s:s, s:O}", "index", json_object_get(record, "index"), "dtype", text_at(record, "dtype"), "symbols",
                          json_object_get(record, "symbols"), "profile", text_at(record, "profile"), "seed", json_object_get(record, "seed"));
    if (json_object_get(record, "skipped")) {
        json_object_set_new(o, "status", json_string("skipped"));
        json_object_set(o, "reason", json_object_get(record, "skipped"));
        return o;
    }
    const char *status = !result ? "not run" : !is_pass(result) ? "failed" : within_tolerance(result) ? "within_tolerance" : "passed";
    json_object_set_new(o, "status", json_string(status));
    if (result && json_object_get(result, "reason")) json_object_set(o, "reason", json_object_get(result, "reason"));
    if (result) json_object_set(o, "outputs", json_object_get(result, "precision"));
    if (result && json_object_get(result, "gm")) json_object_set(o, "gm", json_object_get(result, "gm"));
    return o;
}

/* Fills cases (what is scored), edge (the other profiles) and per_dtype. */
static void sort_records(const BackwardJob *job, const json_t *results, json_t *cases, json_t *edge, json_t *per_dtype) {
    const json_t *records = json_object_get(job->truth, "records");
    size_t at = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *r = json_array_get(records, i);
        const json_t *result = json_object_get(r, "skipped") ? NULL : json_array_get(results, at++);
        bool scored = !strcmp(text_at(r, "profile"), "standard");
        json_t *o = case_json(r, result);
        const char *status = text_at(o, "status");
        if (scored) {
            bool passed = !strcmp(status, "passed") || !strcmp(status, "within_tolerance");
            count(per_dtype, text_at(r, "dtype"), !strcmp(status, "skipped") ? "skipped" : passed ? "passed" : "failed");
            if (!strcmp(status, "within_tolerance")) {
                json_t *row = json_object_get(per_dtype, text_at(r, "dtype"));
                json_object_set_new(row, status, json_integer(json_integer_value(json_object_get(row, status)) + 1));
            }
        }
        json_array_append_new(scored ? cases : edge, o);
    }
}

static json_int_t total(const json_t *per_dtype, const char *what) {
    json_int_t sum = 0;
    const char *dtype;
    json_t *row;
    json_object_foreach((json_t *)per_dtype, dtype, row) sum += json_integer_value(json_object_get(row, what));
    return sum;
}

/* Fail-closed: without a scored case that passed there is nothing to believe. Records drawn anew count as records do; the generator's own sizes
 * must pass by whatever stage of the standard: among a million values some are always small enough to need the second. */
static BackwardStatus judge(const BackwardJob *job, const json_t *per_dtype, const json_t *results) {
    json_int_t passed = total(per_dtype, "passed"), failed = total(per_dtype, "failed");
    if (job->changed) return BACKWARD_FAIL;
    if (passed + failed == 0) return BACKWARD_FAIL_CLOSED;
    if (failed > 0 || job->verdict.verdict != VERDICT_PASS) return BACKWARD_FAIL;
    if (total(per_dtype, "within_tolerance") > 0) return BACKWARD_WITHIN_TOLERANCE;
    for (size_t i = job->n_records; i < job->n_records + job->n_redrawn; i++)
        if (within_tolerance(json_array_get(results, i))) return BACKWARD_WITHIN_TOLERANCE;
    return BACKWARD_PASS;
}

/* The `precision` of one operator. */
static json_t *precision_json(const BackwardJob *job, BackwardStatus *status) {
    const json_t *results = json_object_get(job->verdict.json, "cases");
    json_t *cases = json_array(), *edge = json_array(), *per_dtype = json_object(), *more = json_array();
    sort_records(job, results, cases, edge, per_dtype);
    json_int_t lenient = 0;
    for (size_t i = job->n_records; i < json_array_size(results); i++) {
        const json_t *one = json_array_get(results, i);
        json_array_append(more, (json_t *)one);
        lenient += is_pass(one) && !json_object_get(one, "differs") && within_tolerance(one);
    }
    *status = judge(job, per_dtype, results);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:I}", "status", backward_status_name(*status), "standard", "ecosystem", "per_dtype", per_dtype,
                     "cases", cases, "edge_profiles", edge, "further_cases", more, "further_within_tolerance", lenient);
}

static void add_verdict(Arena *a, json_t *o, const BackwardJob *job) {
    const json_t *result = job->verdict.json;
    json_t *checks = json_object_get(result, "checks");
    if (job->changed)
        json_array_append_new(checks, json_pack("{s:s, s:s, s:s, s:s, s:s}", "check", "workspace-changed", "stage", "run", "severity", "error", "text",
                                                arena_printf(a, "%s was changed while the operator ran", job->changed), "text_zh",
                                                arena_printf(a, "算子运行期间 %s 被修改", job->changed)));
    json_object_set(o, "checks", checks);
    json_object_set_new(o, "verdict", json_string(text_at(result, "verdict")));
    if (json_object_get(result, "error_message")) json_object_set(o, "error_message", json_object_get(result, "error_message"));
}

/* What is wrong with either operator is wrong with the delivery: of both statuses the worse, FAIL before REJECT_FAIL_CLOSED. */
static BackwardStatus worse(BackwardStatus a, BackwardStatus b) {
    static const int RANK[] = {[BACKWARD_PASS] = 0, [BACKWARD_WITHIN_TOLERANCE] = 1, [BACKWARD_FAIL_CLOSED] = 2, [BACKWARD_FAIL] = 3};
    return RANK[a] >= RANK[b] ? a : b;
}

static json_t *forward_json(Arena *a, const BackwardJob *forward, BackwardStatus *status) {
    json_t *o = json_pack("{s:s, s:o}", "op", forward->name, "precision", precision_json(forward, status));
    add_verdict(a, o, forward);
    return o;
}

json_t *backward_report(Arena *a, const BackwardArgs *args, const BackwardJob *job, const BackwardJob *forward, BackwardStatus *status) {
    json_t *o = json_pack("{s:i, s:s, s:s, s:s, s:s}", "schema_version", SCHEMA, "op", job->name, "target", args->target->name, "chip",
                          args->target->chip, "backend", "sim");
    json_t *precision = precision_json(job, status);
    json_object_set_new(o, "precision", precision);
    json_object_set_new(o, "performance", json_null());
    json_object_set_new(o, "looks", json_pack("{s:i, s:s?}", "n", job->second_look ? 2 : 1, "why", job->second_look));
    add_verdict(a, o, job);
    if (forward) {
        BackwardStatus of_forward;
        json_object_set_new(o, "forward", forward_json(a, forward, &of_forward));
        *status = worse(*status, of_forward);
        json_object_set_new(precision, "status", json_string(backward_status_name(*status)));
    }
    Err ignored = {0};
    const char *verifier = backward_verifier(a, &ignored);
    json_object_set_new(o, "seal", json_pack("{s:s, s:s, s:s}", "truth", text_at(job->truth, "seal"), "verifier", verifier ? verifier : "", "covers",
                                             "truth: specification, records, truths and the code that made them; verifier: the code and the thresholds that judged"));
    json_object_set_new(o, "reproduce", json_string(arena_printf(a, "opwright backward %s --target %s%s", args->spec, args->target->name,
                                                                 forward ? " --with-forward" : "")));
    return o;
}

static void print_counts(Arena *a, const char *status, const char *op, const json_t *report, const json_t *precision) {
    static const char *const HEADS[] = {"dtype", "cases", "passed", "within tolerance", "failed", "skipped"};
    printf("%s %s: target %s, simulated %s, standard ecosystem\n", status, op, text_at(report, "target"), text_at(report, "chip"));
    Table *t = table_new(a, sizeof HEADS / sizeof HEADS[0], HEADS);
    const char *dtype;
    json_t *row;
    json_object_foreach(json_object_get(precision, "per_dtype"), dtype, row) {
        const char *cells[6] = {dtype};
        static const char *const KEYS[] = {"cases", "passed", "within_tolerance", "failed", "skipped"};
        for (size_t i = 0; i < 5; i++)
            cells[i + 1] = arena_printf(a, "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(row, KEYS[i])));
        table_row(t, cells);
    }
    table_print(t, stdout);
}

void backward_print(Arena *a, const json_t *report) {
    const json_t *precision = json_object_get(report, "precision"), *forward = json_object_get(report, "forward");
    print_counts(a, text_at(precision, "status"), text_at(report, "op"), report, precision);
    const json_t *of_forward = json_object_get(forward, "precision");
    if (forward) print_counts(a, text_at(of_forward, "status"), text_at(forward, "op"), report, of_forward);
}
