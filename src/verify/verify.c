/* One verification from start to verdict: load, static rules, build, run the cases, judge. */
#include "verify/compile.h"
#include "verify/lang.h"

#include "base/fs.h"
#include "desc/direct.h"
#include "isa/isa.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SEED          1024
#define OWN_TRIALS    5
#define STAGE_LIMIT_S 120.0
#define MEMORY_MB     8192.0
#define DEFAULT_CHIP  "Ascend910B4"

typedef struct Verifier {
    Arena *arena;
    Bridge *bridge;
    const VerifyOptions *o;
    Report report;
    DiagList diags;
    DescViolation *rules;
    size_t n_rules;
    Toolchain tools;
    Build build;
    Early *early;
    const char *dir;                     /* with the folders `early` and `build` */
    const char *reference, *description; /* absolute */
    double limit_s, memory_mb;
    Before before;
    bool looked_near, bisected;
    const char *schedules[VERIFY_SCHEDULES_MAX];
    size_t n_schedules;
} Verifier;

static void log_line(const Verifier *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void log_line(const Verifier *v, const char *fmt, ...) {
    if (!v->o->on_log) return;
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    v->o->on_log(v->o->log_ctx, text);
}

/* A verdict from an error of the description itself; true. */
static bool conclude(Verifier *v, Verdict verdict, const char *check, const char *stage, const Err *e) {
    Arena *a = v->arena;
    const char *source = NULL;
    int line = 0;
    const char *colon = strrchr(e->where, ':');
    for (int i = 0; colon && i < DESC_N_SOURCES; i++)
        if (strlen(DESC_SOURCE_NAMES[i]) == (size_t)(colon - e->where) &&
            !strncmp(e->where, DESC_SOURCE_NAMES[i], (size_t)(colon - e->where))) {
            source = DESC_SOURCE_NAMES[i];
            line = atoi(colon + 1);
        }
    const char *text = !source && e->where[0] ? arena_printf(a, "%s: %s", e->where, e->message)
                                              : arena_strdup(a, e->message);
    const char *hint = e->hint[0] ? arena_strdup(a, e->hint) : NULL;
    Diag d = {.check = check,
              .stage = stage,
              .source = source,
              .line = line,
              .text = text,
              .text_zh = text,
              .hint = hint,
              .hint_zh = hint};
    diag_add(&v->diags, &d);
    v->report.verdict = verdict;
    v->report.error_message = text;
    return true;
}

/* ------------------------------------------------------------------------------------------------- load and
 * rules */

/* Sets report.desc, or a verdict when the file is no description. False: nothing can be judged. */
static bool load(Verifier *v, Err *err) {
    double start = time_now_s();
    Err e = {0};
    Err unread = {0};
    const char *text = fs_read(v->arena, v->description, NULL, &unread);
    if (text && direct_is(text)) {
        err_set(&e, ERR_UNSUPPORTED, NULL, "this is a direct-launch description (<<<...>>>), which the simulator does not run");
        err_hint(&e, "verify it on an NPU, with --backend cann or a device npu:k; the simulator takes descriptions of six sections");
        return conclude(v, VERDICT_NOT_MODELLED, "direct-launch", "load", &e);
    }
    if (!bridge_hello(v->bridge, err)) return false;
    v->report.python_s = time_now_s() - start; /* what was left of importing PyTorch */
    start = time_now_s();
    v->report.desc = desc_load_within(v->arena, v->bridge, v->description, v->limit_s, &v->rules, &v->n_rules, &e);
    v->report.load_s = time_now_s() - start;
    if (v->report.desc) return true;
    bool theirs = e.code == ERR_BAD_INPUT || e.code == ERR_UNSUPPORTED || e.code == ERR_TIMEOUT ||
                  e.code == ERR_CHILD_DIED;
    if (theirs) return conclude(v, VERDICT_FAIL, "description", "load", &e);
    *err = e;
    return false;
}

static void apply_rules(Verifier *v) {
    double start = time_now_s();
    bool policy = false, names = false;
    for (size_t i = 0; i < v->n_rules; i++) {
        const DescViolation *r = &v->rules[i];
        policy = policy || r->kind == DESC_RULE_POLICY;
        names = names || r->kind == DESC_RULE_NAMES;
        Diag d = {.check = r->rule,
                  .stage = "rules",
                  .severity = r->kind == DESC_RULE_ADVICE ? DIAG_NOTE : r->kind == DESC_RULE_NOTE ? DIAG_WARNING : DIAG_ERROR,
                  .source = r->source,
                  .line = r->line,
                  .text = r->message,
                  .text_zh = r->message_zh,
                  .hint = r->hint,
                  .hint_zh = r->hint_zh};
        diag_add(&v->diags, &d);
        if (d.severity == DIAG_ERROR && !v->report.error_message) v->report.error_message = r->message;
    }
    if (v->o->model.strict) {
        names = names || diag_count(&v->diags, DIAG_WARNING) > 0;
        diag_harden(&v->diags);
        if (names && !v->report.error_message) v->report.error_message = v->diags.at[0].text;
    }
    if (policy || names) v->report.verdict = policy ? VERDICT_REJECTED : VERDICT_FAIL;
    v->report.rules_s = time_now_s() - start;
}

/* -------------------------------------------------------------------------------------------------------------
 * build */

static bool run_build(Verifier *v, Err *err) {
    if (!early_take(v->early, v->report.desc, &v->build, &v->diags)) {
        const char *dir = v->o->debug_dir ? v->o->debug_dir : arena_printf(v->arena, "%s/build", v->dir);
        if (!build_run(v->arena, &v->tools, v->report.desc, dir, v->limit_s, &v->build, &v->diags, err))
            return false;
    }
    v->report.build = &v->build;
    v->report.compiled = v->build.ok;
    log_line(v, "build: %s in %.2f s (kernel %.2f, host %.2f, binding %.2f)", v->build.ok ? "done" : "failed",
             v->build.wall_s, v->build.kernel_s, v->build.host_s, v->build.binding_s);
    if (v->build.ok) return true;
    bool gap = false;
    for (size_t i = 0; i < v->diags.n; i++) gap = gap || v->diags.at[i].not_modelled;
    v->report.verdict = gap ? VERDICT_NOT_MODELLED : VERDICT_FAIL;
    for (size_t i = 0; i < v->diags.n && !v->report.error_message; i++)
        if (v->diags.at[i].severity == DIAG_ERROR && v->diags.at[i].not_modelled == gap)
            v->report.error_message = v->diags.at[i].text;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------------
 * run */

static const VerifyCase *own_cases(Arena *a, size_t *n) {
    *n = OWN_TRIALS;
    VerifyCase *cases = ARENA_ARRAY(a, OWN_TRIALS, VerifyCase);
    for (int i = 0; i < OWN_TRIALS; i++) {
        cases[i].label = arena_printf(a, "trial %d", i);
        /* The last one calls the model a second time: what a first call left behind must not matter. */
        cases[i].spec = json_pack("{s:s, s:i, s:b}", "kind", "own", "trial", i, "again", i == OWN_TRIALS - 1);
    }
    return cases;
}

/* want: which of golden, eager and actual the worker shall compute. changes: arguments that the reference writes, NULL for none. */
static json_t *run_params(const Verifier *v, json_t *spec, const char *schedule, json_t *want, const json_t *changes) {
    json_t *kernels = json_array();
    for (size_t i = 0; i < v->build.n_kernels; i++)
        json_array_append_new(kernels,
                              v->build.kernel_sos[i] ? json_string(v->build.kernel_sos[i]) : json_null());
    const VerifyModel *m = &v->o->model;
    if (v->o->trace) schedule = arena_printf(v->arena, "%s,%s", schedule, v->o->trace);
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:i, s:s, s:O, s:o, s:O?, s:{s:s, s:b, s:b}}", "reference",
                     v->reference, "model_src", v->report.desc->source[DESC_MODEL], "runtime",
                     v->tools.rt_lib, "chip", v->report.chip, "host_so", v->build.host_so, "kernel_name",
                     v->report.desc->kernel_name, "kernel_sos", kernels, "binding_so", v->build.binding_so,
                     "seed", SEED, "trail", arena_printf(v->arena, "%s/trail", v->dir), "case", spec, "want",
                     want, "changes", changes, "model", "schedule", schedule, "strict", m->strict, "exact", m->exact);
}

static void keep_launches(Verifier *v, const json_t *result) {
    json_t *launches = json_object_get(json_object_get(result, "report"), "launches");
    if (!launches || v->report.launches) return;
    v->report.launches = json_incref(launches);
}

static json_int_t ub_held(const json_t *ub) {
    json_int_t sum = 0;
    const json_t *uses = json_object_get(ub, "uses");
    for (size_t i = 0; i < json_array_size(uses); i++) {
        const json_t *u = json_array_get(uses, i);
        sum += json_integer_value(json_object_get(u, "count")) * json_integer_value(json_object_get(u, "bytes"));
    }
    return sum;
}

static void keep_ub(Verifier *v, const json_t *result) {
    json_t *ub = json_object_get(json_object_get(result, "report"), "ub");
    if (!json_is_object(ub) || (v->report.ub && ub_held(ub) <= ub_held(v->report.ub))) return;
    json_decref(v->report.ub);
    v->report.ub = json_incref(ub);
}

/* reference: what it said before, whose changed arguments the candidate's are compared with; NULL: nothing yet. */
static bool ask(Verifier *v, const VerifyCase *c, const char *schedule, json_t *want, const BridgeReply *reference, Arena *scratch, BridgeReply *reply, Err *err) {
    BridgeLimits limits = {.wall_s = v->limit_s, .memory_mb = v->memory_mb};
    json_t *params = run_params(v, c->spec, schedule, want, reference ? json_object_get(reference->result, "changes") : NULL);
    bool ok = params ? bridge_call(v->bridge, scratch, "run", params, &limits, reply, err)
                     : err_set(err, ERR_INTERNAL, NULL, "the request for a run cannot be written as JSON");
    json_decref(params);
    if (reply->log && *reply->log) v->report.log = arena_strdup(v->arena, reply->log);
    return ok;
}

/* The reference and the candidate run in a process each: whatever the candidate does to PyTorch or to the process it is
 * in, what it is compared with stays true. The float64 run costs as much as the reference; only the ecosystem standard
 * looks at it. */
static json_t *want_of(const Verifier *v, bool reference, bool actual) {
    json_t *want = json_array();
    if (reference && v->o->standard == VERIFY_STD_ECOSYSTEM) json_array_append_new(want, json_string("golden"));
    if (reference) json_array_append_new(want, json_string("eager"));
    if (actual) json_array_append_new(want, json_string("actual"));
    return want;
}

/* Puts what the reference's process said into the candidate's answer, as if one had said both. */
static void join_replies(Arena *a, BridgeReply *candidate, const BridgeReply *reference) {
    json_t *to = candidate->result, *from = reference->result;
    static const char *const KEYS[] = {"outputs", "eager_outputs", "golden_note", "picks"};
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        json_t *value = json_object_get(from, KEYS[i]);
        if (value) json_object_set(to, KEYS[i], value);
    }
    json_t *times = json_object_get(to, "times"), *ref_times = json_object_get(from, "times");
    json_object_set(times, "reference_s", json_object_get(ref_times, "reference_s"));
    json_object_set(times, "golden_s", json_object_get(ref_times, "golden_s"));
    json_object_update(json_object_get(to, "output_kinds"), json_object_get(from, "output_kinds"));
    json_array_extend(json_object_get(to, "blob_names"), json_object_get(from, "blob_names"));
    BridgeBlob *blobs = ARENA_ARRAY(a, candidate->n_blobs + reference->n_blobs, BridgeBlob);
    for (size_t i = 0; i < candidate->n_blobs; i++) blobs[i] = candidate->blobs[i];
    for (size_t i = 0; i < reference->n_blobs; i++) blobs[candidate->n_blobs + i] = reference->blobs[i];
    candidate->blobs = blobs;
    candidate->n_blobs += reference->n_blobs;
}

static bool same_inputs(const BridgeReply *a, const BridgeReply *b) {
    return json_equal(json_object_get(a->result, "inputs_digest"), json_object_get(b->result, "inputs_digest")) != 0;
}

/* The reference broke, not the candidate. True when that is a verdict about the machine: it has too little memory. */
static bool judge_reference_failure(Verifier *v, JudgeContext *ctx, const BridgeReply *reply, CaseResult *out, Err *err) {
    Err why = *err;
    const char *said = json_string_value(json_object_get(reply->error, "message"));
    if (said && strstr(said, "memory than the limit")) return judge_failure(v->arena, ctx, reply, out, err);
    if (why.code == ERR_TIMEOUT || why.code == ERR_CHILD_DIED)
        err_set(err, why.code, why.where, "running the reference: %s", why.message);
    return false;
}

/* The worker itself is gone, not the process that ran the code. */
static bool lost_worker(const BridgeReply *reply, const Err *err) { return !reply->error && err->code == ERR_CHILD_DIED; }

/* A worker dies by accident hardly ever, and not twice at the same place. */
static bool ask_candidate(Verifier *v, const VerifyCase *c, const char *schedule, const BridgeReply *reference, Arena *scratch, BridgeReply *reply, Err *err) {
    if (ask(v, c, schedule, want_of(v, false, true), reference, scratch, reply, err)) return true;
    if (!lost_worker(reply, err)) return false;
    log_line(v, "the worker was lost while the candidate ran; once more");
    *reply = (BridgeReply){0};
    *err = (Err){0};
    return ask(v, c, schedule, want_of(v, false, true), reference, scratch, reply, err);
}

static bool judge_lost_worker(Verifier *v, CaseResult *out, const Err *err) {
    Diag d = {.check = "run-crash",
              .stage = "run",
              .source = "model_src",
              .text = arena_printf(v->arena, "twice, the candidate took the process that runs it down with it: %s", err->message),
              .text_zh = "候选实现两次使运行它的进程终止",
              .hint = "remove what signals or stops other processes",
              .hint_zh = "请删除向其他进程发信号的代码"};
    diag_add(&v->diags, &d);
    out->precision = json_array();
    out->verdict = VERDICT_FAIL;
    out->reason = d.text;
    return true;
}

/* Once for a description: which slip gives exactly these numbers. No answer is no failure. */
static void look_near(Verifier *v, const VerifyCase *c, const char *schedule, JudgeContext *ctx, const BridgeReply *candidate, CaseResult *out) {
    if (v->looked_near || !out->is_mismatch) return;
    v->looked_near = true;
    Arena *scratch = arena_new();
    BridgeReply near = {0};
    Err ignored = {0};
    json_t *want = json_pack("[s]", "near");
    if (ask(v, c, schedule, want, NULL, scratch, &near, &ignored)) judge_near(v->arena, ctx, candidate, &near, out);
    bridge_reply_clear(&near);
    arena_free(scratch);
}

#define RANGE_MARGIN 4.0 /* ASSUMED: a right kernel's intermediate results are no larger than that many times the reference's */

/* Takes over what the replay found out about where values first go wrong. */
static void take_replay(Verifier *v, const BridgeReply *reply) {
    JudgeContext ctx = {.desc = v->report.desc, .diags = &v->diags};
    const json_t *findings = json_object_get(json_object_get(reply->result, "report"), "findings");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        const char *check = json_string_value(json_object_get(f, "check"));
        if (check && !strncmp(check, "first-", 6)) judge_finding(v->arena, &ctx, f);
    }
}

/* Runs a case that went wrong once more, watched: which instruction first leaves a NaN, an infinity, or a number far beyond
 * those of the reference. */
static void bisect(Verifier *v, const VerifyCase *c, const CaseResult *result) {
    if (!v->o->bisect || v->bisected || !result->is_mismatch) return;
    v->bisected = true;
    Arena *scratch = arena_new();
    BridgeReply range = {0}, replay = {0};
    Err ignored = {0};
    if (ask(v, c, v->schedules[0], json_pack("[s]", "range"), NULL, scratch, &range, &ignored)) {
        double largest = json_number_value(json_object_get(range.result, "largest"));
        const char *schedule = arena_printf(scratch, "in-order,watch:%g", largest * RANGE_MARGIN);
        if (ask(v, c, schedule, json_pack("[s]", "actual"), NULL, scratch, &replay, &ignored)) take_replay(v, &replay);
    }
    bridge_reply_clear(&range);
    bridge_reply_clear(&replay);
    arena_free(scratch);
}

/* The candidate under one schedule, against what the reference said. *stop: no use in trying further cases. */
static bool run_candidate(Verifier *v, const VerifyCase *c, const char *schedule, JudgeContext *ctx, const BridgeReply *reference,
                          CaseResult *out, bool *stop, Err *err) {
    Arena *scratch = arena_new(); /* blobs go as soon as they are compared */
    BridgeReply reply = {0};
    bool ok = ask_candidate(v, c, schedule, reference, scratch, &reply, err);
    if (ok && same_inputs(&reply, reference)) {
        join_replies(scratch, &reply, reference);
    } else if (ok) { /* get_inputs() draws from something no seed reaches: one process must see them all */
        bridge_reply_clear(&reply);
        reply = (BridgeReply){0};
        ok = ask(v, c, schedule, want_of(v, true, true), reference, scratch, &reply, err);
    }
    if (ok) {
        keep_launches(v, reply.result);
        keep_ub(v, reply.result);
        json_t *trace = json_object_get(json_object_get(reply.result, "report"), "trace");
        if (trace && !v->report.trace) v->report.trace = json_incref(trace);
        ok = judge_reply(v->arena, ctx, &reply, out, err);
        if (ok) look_near(v, c, schedule, ctx, &reply, out);
        if (ok) bisect(v, c, out);
        *stop = *stop || json_is_object(json_object_get(reply.result, "candidate_error"));
    } else {
        ok = lost_worker(&reply, err) ? judge_lost_worker(v, out, err) : judge_failure(v->arena, ctx, &reply, out, err);
        *stop = true;
    }
    bridge_reply_clear(&reply);
    arena_free(scratch);
    return ok;
}

/* A kernel whose numbers depend on which pipe happens to be first: the flaw is in its order, not in its arithmetic. */
static void tell_schedule(Verifier *v, const char *schedule, const CaseResult *first, const CaseResult *now) {
    if (first->verdict != VERDICT_PASS || now->verdict != VERDICT_FAIL) return;
    Diag d = {.check = "schedule-dependent",
              .stage = "run",
              .source = "kernel_src",
              .text = arena_printf(v->arena, "right when every instruction runs in the program's order, not under the schedule %s, which its synchronisation allows",
                                   schedule),
              .text_zh = arena_printf(v->arena, "按程序顺序执行时结果正确, 但在其同步所允许的另一种调度 (%s) 下不正确", schedule),
              .hint = "a SetFlag/WaitFlag pair, a queue step or a barrier is missing between two pipes: see the race reports",
              .hint_zh = "两条流水之间缺少 SetFlag/WaitFlag、队列操作或屏障: 请看竞争类诊断"};
    diag_add(&v->diags, &d);
}

/* The worse of two results of one case is kept. */
static void merge_case(CaseResult *out, CaseResult *next) {
    out->compare_s += next->compare_s;
    out->candidate_s += next->candidate_s;
    out->differs = out->differs || next->differs;
    if (verdict_rank(next->verdict) > verdict_rank(out->verdict)) {
        json_decref(out->precision);
        out->precision = next->precision;
        out->verdict = next->verdict;
        out->reason = next->reason;
        out->schedule = next->schedule;
    } else {
        json_decref(next->precision);
    }
}

/* The reference itself refuses NaN and infinities, or tensors without elements: there is nothing to compare. */
static bool leave_out(Verifier *v, CaseResult *out, Err *err) {
    Diag d = {.check = "golden-note",
              .stage = "compare",
              .severity = DIAG_NOTE,
              .text = arena_printf(v->arena, "the case `%s` is left out: %s", out->label, err->message),
              .text_zh = arena_printf(v->arena, "跳过用例 `%s`: %s", out->label, err->message),
              .hint = "the reference itself does not take these inputs, so there is nothing to compare with",
              .hint_zh = "参考实现本身不接受这些输入, 无从比较"};
    diag_add(&v->diags, &d);
    out->precision = json_array();
    out->left_out = true;
    out->reason = arena_strdup(v->arena, err->message);
    *err = (Err){0};
    return true;
}

/* Has an input without elements: some of PyTorch's operators do not take those. */
static bool is_empty_case(const json_t *spec) {
    size_t i, k;
    json_t *input, *size;
    json_array_foreach(json_object_get(spec, "inputs"), i, input)
        json_array_foreach(json_object_get(input, "shape"), k, size)
            if (json_is_integer(size) && json_integer_value(size) == 0) return true;
    return false;
}

/* One case through the worker. False: nothing can be judged. */
static bool run_case(Verifier *v, const VerifyCase *c, CaseResult *out, bool *stop, Err *err) {
    const char *profile = json_string_value(json_object_get(c->spec, "profile"));
    JudgeContext ctx = {.desc = v->report.desc,
                        .standard = v->o->standard,
                        .diags = &v->diags,
                        .strict = v->o->model.strict,
                        .before = v->n_schedules == 1 ? &v->before : NULL,
                        .apart = c->apart,
                        .by_control = c->by_control,
                        .control = v->o->control,
                        .edge_values = profile && (!strcmp(profile, "edge") || !strcmp(profile, "special"))};
    BridgeReply reference = {0};
    Arena *scratch = arena_new();
    out->label = c->label;
    bool ok = ask(v, c, v->schedules[0], want_of(v, true, false), NULL, scratch, &reference, err);
    if (!ok && (ctx.edge_values || is_empty_case(c->spec)) && reference.error && err->code == ERR_BAD_INPUT) {
        ok = leave_out(v, out, err);
        goto done;
    }
    if (!ok) {
        ok = judge_reference_failure(v, &ctx, &reference, out, err);
        *stop = true;
        goto done;
    }
    for (size_t i = 0; i < v->n_schedules && ok && !*stop; i++) {
        CaseResult one = {.label = c->label, .apart = c->apart, .schedule = v->schedules[i]};
        ok = run_candidate(v, c, v->schedules[i], &ctx, &reference, &one, stop, err);
        if (!ok) {
            json_decref(one.precision);
        } else if (i == 0) {
            *out = one;
        } else {
            tell_schedule(v, v->schedules[i], out, &one);
            merge_case(out, &one);
        }
    }
done:
    if (!ok) {
        json_decref(out->precision);
        out->precision = NULL;
    }
    bridge_reply_clear(&reference);
    arena_free(scratch);
    return ok;
}

/* Leaves in the folder what a debugger needs: the kernel's text under the name its lines have, and the parameters of one run. */
static bool write_debug(Verifier *v, Err *err) {
    const VerifyCase *cases = v->o->cases;
    size_t n = 1;
    if (!cases) cases = own_cases(v->arena, &n);
    json_t *params = run_params(v, cases[0].spec, v->schedules[0], json_array(), NULL);
    char *text = params ? json_dumps(params, JSON_INDENT(1)) : NULL;
    const char *kernel = v->report.desc->source[DESC_KERNEL], *dir = v->o->debug_dir;
    bool ok = text && fs_write(arena_printf(v->arena, "%s/kernel_src", dir), kernel, strlen(kernel), err) &&
              fs_write(arena_printf(v->arena, "%s/run.json", dir), text, strlen(text), err);
    if (!text) ok = err_set(err, ERR_INTERNAL, NULL, "the parameters of the run cannot be written as JSON");
    free(text);
    json_decref(params);
    if (!v->o->cases)
        for (size_t i = 0; i < n; i++) json_decref(cases[i].spec);
    return ok;
}

static bool run_cases(Verifier *v, Err *err) {
    Report *r = &v->report;
    double start = time_now_s();
    bool own = !v->o->cases, ok = true, stop = false;
    const VerifyCase *cases = own ? own_cases(v->arena, &r->n_planned) : v->o->cases;
    if (!own) r->n_planned = v->o->n_cases;
    r->cases = ARENA_ARRAY(v->arena, r->n_planned, CaseResult);
    for (size_t i = 0; i < r->n_planned && ok && !stop; i++) {
        CaseResult *c = &r->cases[i];
        ok = run_case(v, &cases[i], c, &stop, err);
        if (!ok) break;
        r->n_cases = i + 1;
        r->compare_s += c->compare_s;
        if (verdict_rank(c->verdict) > verdict_rank(r->verdict)) r->verdict = c->verdict;
        if (c->verdict != VERDICT_PASS && !r->error_message) r->error_message = c->reason;
        log_line(v, "case %zu of %zu (%s): %s", i + 1, r->n_planned, c->label, c->left_out ? "left out" : verdict_name(c->verdict));
        stop = stop ||
               (own && c->verdict != VERDICT_PASS); /* the seed stops at the first trial that fails, too */
    }
    if (own)
        for (size_t i = 0; i < r->n_planned; i++) json_decref(cases[i].spec);
    r->run_s = time_now_s() - start;
    return ok;
}

/* ------------------------------------------------------------------------------------------------------------
 * whole */

/* The worker has its own working folder, so it gets absolute paths. */
static const char *absolute(Arena *a, const char *what, const char *path, Err *err) {
    char real[PATH_MAX];
    if (path && realpath(path, real)) return arena_strdup(a, real);
    err_set(err, ERR_NOT_FOUND, path, "cannot read the %s %s: %s", what, path ? path : "", strerror(errno));
    return NULL;
}

static bool find_tools(Arena *a, const char *home, const char *scratch, Toolchain *t, Err *err) {
    t->rt_lib = toolchain_runtime(a, err);
    if (!t->rt_lib || !toolchain_find(a, home, scratch, t, err)) return false;
    t->clang = lang_clang(a);
    t->headers = headers_folder(a, t);
    return true;
}

void verify_warm(Arena *a, const Bridge *b) {
    Toolchain t = {0};
    Err ignored = {0};
    const char *home = fs_home(a, &ignored);
    (void)(home && find_tools(a, home, bridge_scratch(b), &t, &ignored));
}

/* FILE.py, or FILE.py#3: group 3 of its inputs (docs/bridge.md). */
static const char *absolute_reference(Arena *a, const char *path, Err *err) {
    const char *mark = strrchr(path, '#');
    if (!mark || fs_exists(path)) return absolute(a, "reference", path, err);
    const char *file = absolute(a, "reference", arena_printf(a, "%.*s", (int)(mark - path), path), err);
    return file ? arena_printf(a, "%s%s", file, mark) : NULL;
}

static bool prepare(Verifier *v, Err *err) {
    Arena *a = v->arena;
    v->n_schedules = verify_schedules(a, v->o->model.schedule, v->schedules, err);
    if (v->n_schedules == 0) return false;
    v->reference = v->o->reference_path ? absolute_reference(a, v->o->reference_path, err) : "";
    if (!v->reference) return false;
    v->description = absolute(a, "description", v->o->kernel_code_path, err);
    if (!v->description) return false;
    const char *home = fs_home(a, err);
    if (!home) return false;
    v->dir = fs_temp_dir_in(a, bridge_scratch(v->bridge), "job", err);
    if (!v->dir) return false;
    const char *early = arena_printf(a, "%s/early", v->dir), *build = arena_printf(a, "%s/build", v->dir);
    if (mkdir(early, 0700) != 0 || mkdir(build, 0700) != 0)
        return err_set(err, ERR_IO, v->dir, "cannot make a folder in %s: %s", v->dir, strerror(errno));
    v->tools.debug = v->o->debug_dir != NULL;
    if (!find_tools(a, home, v->dir, &v->tools, err)) return false;
    v->tools.lang = lang_toolchain(v->o->model.toolchain, v->report.chip);
    if (!v->o->debug_dir) v->early = early_start(&v->tools, early, v->description, v->limit_s);
    return true;
}

/* The build folder goes with the worker's; one that is wanted moves to where the user can find it. */
static void keep_build(Verifier *v) {
    Err ignored = {0};
    char *kept = fs_temp_dir(v->arena, "opwright-build", &ignored);
    if (!kept || rename(v->dir, kept) != 0) return;
    v->build.dir = arena_printf(v->arena, "%s%s", kept, strrchr(v->build.dir, '/')); /* build, or early */
    v->dir = NULL;
}

/* False: nothing can be judged. Otherwise the report holds a verdict. */
static bool judge_all(Verifier *v, Err *err) {
    if (!prepare(v, err) || !load(v, err)) return false;
    if (!v->report.desc) return true;
    apply_rules(v);
    if (v->report.verdict != VERDICT_PASS) return true;
    if (!run_build(v, err)) return false;
    if (!v->build.ok || !v->o->reference_path) return true;
    if (v->o->debug_dir) return write_debug(v, err);
    if (v->o->build_dir && !build_keep(v->arena, &v->build, &v->tools, v->report.desc, v->report.chip, v->o->build_dir, err)) return false;
    return run_cases(v, err); /* a reference that breaks its contract is found by the first case */
}

/* A failure of ours or of the machine is a verdict of its own, except where there was nothing to judge. */
static bool infra_verdict(Verifier *v, Err *err) {
    bool ours = err->code == ERR_INTERNAL || err->code == ERR_IO || err->code == ERR_CHILD_DIED ||
                err->code == ERR_TIMEOUT;
    if (!ours || !v->report.desc) return false;
    conclude(v, VERDICT_INFRA_ERROR, "infrastructure", "run", err);
    return true;
}

bool verify_run(Arena *a, Bridge *b, const VerifyOptions *o, VerifyResult *r, Err *err) {
    static const int EXIT[] = {[VERDICT_PASS] = 0,
                               [VERDICT_FAIL] = 1,
                               [VERDICT_REJECTED] = 1,
                               [VERDICT_NOT_MODELLED] = 1,
                               [VERDICT_INFRA_ERROR] = 3};
    double start = time_now_s();
    if (o->chip && !chip_find(o->chip))
        return err_set(err, ERR_USAGE, NULL, "no chip is called %s", o->chip) ||
               err_hint(err, "Ascend910B1 to Ascend910B4, Ascend910_9391 and Ascend910_9362 (A2, A3), Ascend910_95 (A5)");
    Verifier v = {.arena = a, .bridge = b, .o = o, .diags = {.arena = a}};
    v.limit_s = o->stage_limit_s > 0 ? o->stage_limit_s : STAGE_LIMIT_S;
    v.memory_mb = o->memory_mb > 0 ? o->memory_mb : MEMORY_MB;
    v.report = (Report){
        .options = o, .diags = &v.diags, .chip = o->chip ? o->chip : DEFAULT_CHIP, .verdict = VERDICT_PASS};
    bool ok = judge_all(&v, err) || infra_verdict(&v, err);
    if (o->keep_build && v.report.build) keep_build(&v);
    if (ok) {
        v.report.total_s = time_now_s() - start;
        r->verdict = v.report.verdict;
        r->exit_code = EXIT[v.report.verdict];
        r->json = report_json(a, &v.report);
        r->summary = report_summary(a, &v.report);
    }
    early_free(v.early); /* not before the report: some of its texts live there */
    if (v.dir) fs_remove_tree(v.dir);
    for (size_t i = 0; i < v.report.n_cases; i++) json_decref(v.report.cases[i].precision);
    json_decref(v.report.launches);
    json_decref(v.report.trace);
    json_decref(v.report.ub);
    before_clear(&v.before);
    return ok;
}
