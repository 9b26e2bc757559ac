/* The operator on the device: a child process runs it (bridge/cann_run.py), the judgement is made here. */
#include "cann/cann_int.h"

#include <stdlib.h>
#include <string.h>

#define SEED      1024
#define TRIALS    5
#define N_WARMUP  5
#define N_RUNS    100
#define LOG_BYTES 4000

static const char *tail(Arena *a, const char *text) {
    size_t n = strlen(text);
    return arena_strdup(a, n > LOG_BYTES ? text + n - LOG_BYTES : text);
}

/* job.json for cann_run.py; its path, or NULL. */
static const char *write_job(CannJob *j, const char *mode, Err *err) {
    json_t *job =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:i, s:b, s:i, s:i, s:s}", "mode", mode, "reference",
                  j->reference, "model_src", j->model_src, "model_file", j->model_file, "model_class", j->model_class,
                  "library", j->library, "module_dir", j->module_dir, "opp",
                  j->opp, "op", j->desc->op, "seed", SEED, "trials", TRIALS, "want_golden",
                  j->o->standard == VERIFY_STD_ECOSYSTEM, "warmup", N_WARMUP, "runs", N_RUNS, "out", j->dir);
    char *text = job ? json_dumps(job, 0) : NULL;
    json_decref(job);
    const char *path = arena_printf(j->arena, "%s/job.json", j->dir);
    bool ok = text ? fs_write(path, text, strlen(text), err)
                   : err_set(err, ERR_INTERNAL, NULL, "the job cannot be written as JSON");
    free(text);
    return ok ? path : NULL;
}

static bool start_child(CannJob *j, const char *mode, ProcResult *r, double *seconds, Err *err) {
    Arena *a = j->arena;
    const char *job = write_job(j, mode, err), *libraries = getenv("LD_LIBRARY_PATH");
    if (!job) return false;
    const char *argv[] = {
        "env",
        j->is_direct ? "--unset=ASCEND_CUSTOM_OPP_PATH" : arena_printf(a, "ASCEND_CUSTOM_OPP_PATH=%s", j->opp),
        arena_printf(a, "LD_LIBRARY_PATH=%s/op_api/lib:%s", j->opp, libraries ? libraries : ""),
        arena_printf(a, "ASCEND_RT_VISIBLE_DEVICES=%d", j->device),
        j->python,
        arena_printf(a, "%s/bridge/cann_run.py", j->home),
        job,
        NULL};
    if (!cann_step(j, !strcmp(mode, "check") ? "run on the device" : "time on the device", argv, j->dir, r,
                   seconds, err))
        return false;
    j->report.log = cann_unmangle(j, tail(a, r->output));
    return true;
}

/* The child's answer, or NULL when it wrote none. Caller decrefs. */
static json_t *read_answer(const CannJob *j, const char *mode) {
    return json_load_file(arena_printf(j->arena, "%s/%s.json", j->dir, mode), 0, NULL);
}

/* The child ended without an answer: the device or the process died under the candidate, or our own side
 * failed. */
static bool no_answer(CannJob *j, const ProcResult *r, Err *err) {
    Arena *a = j->arena;
    static const char *const EXPLAIN = "what the device said is in `log`; opwright explain reads it",
                             *const EXPLAIN_ZH = "设备信息在 log 中，可用 opwright explain 解读";
    if (r->timed_out) {
        cann_fail(j, VERDICT_FAIL, "run-timeout", "run", "kernel_src",
                  arena_printf(a, "the run on the device was stopped after %.0f s", j->limit_s),
                  arena_printf(a, "设备上的运行在 %.0f 秒后被终止", j->limit_s), EXPLAIN, EXPLAIN_ZH);
        return true;
    }
    int signal_no = r->signal_no         ? r->signal_no
                    : r->exit_code > 128 ? r->exit_code - 128
                                         : 0; /* `env` becomes the child itself */
    if (signal_no) {
        cann_fail(j, VERDICT_FAIL, "run-crash", "run", NULL,
                  arena_printf(a, "the process died on the device: signal %d", signal_no),
                  arena_printf(a, "设备上的进程异常终止：信号 %d", signal_no), EXPLAIN, EXPLAIN_ZH);
        return true;
    }
    err_set(err, ERR_INTERNAL, NULL, "the run on the device gave no result: %.1500s", tail(a, r->output));
    return err_hint(err, "opwright explain says what such a message means");
}

static bool unavailable(const json_t *answer, Err *err) {
    const char *why = json_string_value(json_object_get(answer, "unavailable"));
    if (!why) return false;
    err_set(err, ERR_NO_CANN, NULL, "the device cannot be used: %.1500s", why);
    err_hint(err, "opwright doctor says what is missing; opwright explain reads the message");
    return true;
}

/* Blobs of one trial from its file into the reply; what does not add up is our own fault. */
static bool take_blobs(CannJob *j, size_t trial, const json_t *sizes, BridgeReply *reply, Err *err) {
    size_t n_bytes, at = 0;
    const char *data =
        fs_read(j->arena, arena_printf(j->arena, "%s/trial%zu.bin", j->dir, trial), &n_bytes, err);
    if (!data) return false;
    reply->n_blobs = json_array_size(sizes);
    reply->blobs = ARENA_ARRAY(j->arena, reply->n_blobs, BridgeBlob);
    for (size_t i = 0; i < reply->n_blobs; i++) {
        json_int_t n = json_integer_value(json_array_get(sizes, i));
        if (n < 0 || (size_t)n > n_bytes - at)
            return err_set(err, ERR_INTERNAL, NULL, "the data of trial %zu is cut off", trial);
        reply->blobs[i] = (BridgeBlob){data + at, (size_t)n};
        at += (size_t)n;
    }
    return true;
}

static bool judge_trial(CannJob *j, size_t trial, json_t *entry, CaseResult *out, Err *err) {
    BridgeReply reply = {.result = json_object_get(entry, "result")};
    JudgeContext context = {.desc = j->desc, .standard = j->o->standard, .diags = &j->diags};
    out->label = arena_printf(j->arena, "trial %zu", trial);
    if (!json_is_object(reply.result))
        return err_set(err, ERR_INTERNAL, NULL, "the answer of trial %zu is none", trial);
    return take_blobs(j, trial, json_object_get(entry, "blobs"), &reply, err) &&
           judge_reply(j->arena, &context, &reply, out, err);
}

static bool judge_trials(CannJob *j, const json_t *answer, Err *err) {
    Report *r = &j->report;
    r->n_planned = TRIALS;
    r->cases = ARENA_ARRAY(j->arena, TRIALS, CaseResult);
    size_t n = json_array_size(answer);
    if (n == 0 || n > TRIALS)
        return err_set(err, ERR_INTERNAL, NULL, "the run on the device gave %zu answers", n);
    for (size_t i = 0; i < n; i++) {
        CaseResult *c = &r->cases[i];
        if (!judge_trial(j, i, json_array_get(answer, i), c, err)) {
            json_decref(c->precision);
            return false;
        }
        r->n_cases = i + 1;
        r->compare_s += c->compare_s;
        if (verdict_rank(c->verdict) > verdict_rank(r->verdict)) r->verdict = c->verdict;
        if (c->verdict != VERDICT_PASS && !r->error_message) r->error_message = c->reason;
        if (c->verdict != VERDICT_PASS) break; /* as the established runner does */
    }
    return true;
}

bool cann_check(CannJob *j, Err *err) {
    ProcResult r;
    if (!start_child(j, "check", &r, &j->report.run_s, err)) return false;
    json_t *answer = read_answer(j, "check");
    bool ok = answer ? !unavailable(answer, err) && judge_trials(j, answer, err) : no_answer(j, &r, err);
    json_decref(answer);
    return ok;
}

/* A time that cannot be taken is a note: the verdict about the numbers stands. */
static void no_time(CannJob *j, const char *why) {
    Diag d = {.check = "not-measured", .stage = "run", .severity = DIAG_NOTE, .text = why, .text_zh = why};
    diag_add(&j->diags, &d);
}

bool cann_measure(CannJob *j, Err *err) {
    ProcResult r;
    double seconds = 0;
    const char *log = j->report.log;
    if (!start_child(j, "time", &r, &seconds, err)) return false;
    json_t *answer = read_answer(j, "time"), *performance = json_object_get(answer, "performance"),
           *baseline = json_object_get(answer, "baseline");
    if (json_is_object(performance)) {
        j->report.log = log;
        j->performance = json_incref(performance);
        if (json_is_object(baseline)) j->baseline = json_incref(baseline);
        const char *why = json_string_value(json_object_get(answer, "baseline_error"));
        j->baseline_error = why && *why ? arena_strdup(j->arena, why) : NULL;
    } else {
        no_time(j, r.timed_out ? "the timed runs were stopped at the time limit"
                               : "the timed runs failed; what was printed is in `log`");
    }
    json_decref(answer);
    return true;
}
