/* One verification on an NPU from start to verdict: the steps in order, and the result object. */
#include "cann/cann_int.h"

#include "base/strbuf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEP_LIMIT_S                                                                                         \
    600.0 /* ASSUMED: the vendor's build takes one to three minutes for one operator on a server */
#define DEFAULT_CHIP "Ascend910B4"

static bool absolute(Arena *a, const char *what, const char *path, const char **out, Err *err) {
    char real[PATH_MAX];
    if (!path || !realpath(path, real))
        return err_set(err, ERR_NOT_FOUND, path, "cannot read the %s %s: %s", what, path ? path : "",
                       strerror(errno));
    *out = arena_strdup(a, real);
    return true;
}

/* True when something is missing that this description needs. */
static bool is_missing(CannJob *j, Err *err) {
    char why[512] = "";
    bool ok = cann_available(why, sizeof why);
    cann_find(j->arena, &j->parts);
    if (j->is_direct && !cann_find_bisheng(j->arena, j->parts.toolkit)) {
        ok = false;
        snprintf(why, sizeof why, "no bisheng, the compiler of <<<...>>>, below the toolkit (%s)", j->parts.toolkit ? j->parts.toolkit : "none was found");
    } else if (j->is_direct && j->parts.n_devices > 0) {
        ok = true; /* it needs no msopgen */
    }
    if (ok) return false;
    err_set(err, ERR_NO_CANN, NULL, "the CANN backend cannot run here: %s", why);
    err_hint(err, "opwright doctor says how to get it; --backend sim needs none of it");
    return true;
}

static bool prepare(CannJob *j, Err *err) {
    if (!absolute(j->arena, "description", j->o->kernel_code_path, &j->path, err)) return false;
    j->text = fs_read(j->arena, j->path, NULL, err);
    if (!j->text) return false;
    j->is_direct = direct_is(j->text);
    if (is_missing(j, err)) return false;
    bool known = false;
    for (size_t i = 0; i < j->parts.n_devices; i++) known = known || j->parts.devices[i] == j->device;
    if (!known) {
        err_set(err, ERR_NO_CANN, NULL, "there is no device npu:%d", j->device);
        return err_hint(err, "the first one is npu:%d; opwright doctor lists them", j->parts.devices[0]);
    }
    if (j->o->cases) {
        err_set(err, ERR_UNSUPPORTED, NULL, "the CANN backend runs the file's own inputs only");
        return err_hint(err, "verify other shapes with --backend sim");
    }
    j->home = fs_home(j->arena, err);
    if (!j->home || !absolute(j->arena, "reference", j->o->reference_path, &j->reference, err)) return false;
    j->python = cann_python(j->arena, j->home);
    j->dir = fs_temp_dir(j->arena, "opwright-cann-", err);
    return j->dir != NULL;
}

/* Loads the description in a caged worker, which is gone before the device is used. */
static bool load(CannJob *j, Err *err) {
    BridgeOptions options = {.home = j->home};
    Bridge *b = bridge_start(&options, err);
    if (!b) return false;
    double start = time_now_s();
    DescViolation *rules = NULL;
    size_t n_rules = 0;
    Err e = {0};
    bool ready = bridge_hello(b, err) != NULL;
    if (ready && j->is_direct) j->desc = cann_load_direct(j, b, &rules, &n_rules, &e);
    else if (ready) j->desc = desc_load_within(j->arena, b, j->path, j->limit_s, &rules, &n_rules, &e);
    bridge_stop(b);
    j->report.load_s = time_now_s() - start;
    j->report.desc = j->desc;
    if (!ready) return false;
    if (!j->desc) {
        bool theirs = e.code == ERR_BAD_INPUT || e.code == ERR_UNSUPPORTED || e.code == ERR_TIMEOUT ||
                      e.code == ERR_CHILD_DIED;
        const char *text = arena_printf(j->arena, "%s%s%s", e.where, e.where[0] ? ": " : "", e.message);
        const char *hint = e.hint[0] ? arena_strdup(j->arena, e.hint) : NULL;
        if (theirs) cann_fail(j, VERDICT_FAIL, "description", "load", NULL, text, text, hint, hint);
        else *err = e;
        return theirs;
    }
    for (size_t i = 0; i < n_rules; i++) {
        const DescViolation *r = &rules[i];
        Diag note = {.check = r->rule,
                     .stage = "rules",
                     .severity = DIAG_WARNING,
                     .source = r->source,
                     .line = r->line,
                     .text = r->message,
                     .text_zh = r->message_zh,
                     .hint = r->hint,
                     .hint_zh = r->hint_zh};
        if (r->kind < DESC_RULE_NOTE) {
            note.severity = DIAG_ERROR;
            Verdict v = r->kind == DESC_RULE_POLICY ? VERDICT_REJECTED : VERDICT_FAIL;
            if (verdict_rank(v) > verdict_rank(j->report.verdict)) j->report.verdict = v;
            if (!j->report.error_message) j->report.error_message = r->message;
        }
        diag_add(&j->diags, &note);
    }
    return true;
}

static bool run_steps(CannJob *j, Err *err) {
    static bool (*const OPERATOR[])(CannJob *, Err *) = {cann_make_project, cann_build_package, cann_install,
                                                         cann_build_binding, NULL},
                (*const DIRECT[])(CannJob *, Err *) = {cann_build_direct, NULL};
    if (!prepare(j, err) || !load(j, err)) return false;
    if (j->report.verdict != VERDICT_PASS) return true;
    if (!j->is_direct) cann_mangle(j);
    bool (*const *build)(CannJob *, Err *) = j->is_direct ? DIRECT : OPERATOR;
    for (size_t i = 0; build[i]; i++) {
        if (!build[i](j, err)) return false;
        if (j->report.verdict != VERDICT_PASS) return true;
    }
    j->report.compiled = true;
    if (!cann_check(j, err)) return false;
    return j->report.verdict != VERDICT_PASS || cann_measure(j, err);
}

/* ---- the result: that of a simulated run, with what only a device gives */

static double number_at(const json_t *o, const char *key) {
    return json_number_value(json_object_get(o, key));
}

static json_t *result_json(CannJob *j) {
    json_t *r = report_json(j->arena, &j->report);
    json_object_set_new(r, "backend", json_string("cann"));
    json_object_set_new(r, "hardware", json_string(arena_printf(j->arena, "ai_core-%s", j->report.chip)));
    json_object_set_new(r, "device", json_string(arena_printf(j->arena, "npu:%d", j->device)));
    if (*j->parts.version) json_object_set_new(r, "cann_version", json_string(j->parts.version));
    json_object_del(r, "performance_note");
    json_object_set_new(r, "performance", j->performance ? json_incref(j->performance) : json_null());
    if (j->baseline) {
        json_object_set(r, "baseline_performance", j->baseline);
        double own = number_at(j->performance, "mean"), theirs = number_at(j->baseline, "mean");
        if (own > 0) json_object_set_new(r, "speedup", json_real(theirs / own));
    } else if (j->baseline_error) {
        json_object_set_new(r, "baseline_note", json_string(j->baseline_error));
    }
    const CannTimes *t = &j->times;
    json_object_set_new(json_object_get(r, "stages"), "build",
                        json_pack("{s:f, s:f, s:f, s:f, s:f}", "project", t->project_s, "package",
                                  t->package_s, "install", t->install_s, "binding", t->binding_s, "total",
                                  t->project_s + t->package_s + t->install_s + t->binding_s));
    if (j->o->keep_build) json_object_set_new(r, "build_dir", json_string(j->dir));
    return r;
}

/* The first line is ours, the rest that of a simulated run. */
static const char *summary(CannJob *j) {
    Arena *a = j->arena;
    const Report *r = &j->report;
    size_t passed = 0;
    for (size_t i = 0; i < r->n_cases; i++) passed += r->cases[i].verdict == VERDICT_PASS;
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_printf(&sb, "%s %s: ", verdict_name(r->verdict), j->o->op ? j->o->op : "?");
    if (r->compiled) strbuf_printf(&sb, "%zu of %zu cases pass", passed, r->n_planned);
    else strbuf_add(&sb, "not built");
    strbuf_printf(&sb, ", standard %s, npu:%d (%s)", verify_standard_name(j->o->standard), j->device,
                  r->chip);
    if (j->performance) strbuf_printf(&sb, ", median %.4f ms", number_at(j->performance, "median"));
    if (j->baseline) strbuf_printf(&sb, " (PyTorch on the device %.4f ms)", number_at(j->baseline, "median"));
    strbuf_printf(&sb, ", %.1f s", r->total_s);
    const char *rest = strchr(report_summary(a, r), '\n');
    if (rest) strbuf_add(&sb, rest);
    if (j->o->keep_build) strbuf_printf(&sb, "\n  build folder: %s", j->dir);
    return sb.text;
}

bool cann_verify_on(Arena *a, const VerifyOptions *o, int device, VerifyResult *out, Err *err) {
    static const int EXIT[] = {[VERDICT_PASS] = 0,
                               [VERDICT_FAIL] = 1,
                               [VERDICT_REJECTED] = 1,
                               [VERDICT_NOT_MODELLED] = 1,
                               [VERDICT_INFRA_ERROR] = 3};
    double start = time_now_s();
    CannJob j = {.arena = a,
                 .o = o,
                 .device = device,
                 .diags = {.arena = a},
                 .limit_s = o->stage_limit_s > 0 ? o->stage_limit_s : STEP_LIMIT_S};
    j.report = (Report){
        .options = o, .diags = &j.diags, .chip = o->chip ? o->chip : DEFAULT_CHIP, .verdict = VERDICT_PASS};
    bool ok = run_steps(&j, err);
    if (ok) {
        j.report.total_s = time_now_s() - start;
        *out = (VerifyResult){.verdict = j.report.verdict,
                              .exit_code = EXIT[j.report.verdict],
                              .json = result_json(&j),
                              .summary = summary(&j)};
    }
    if (j.dir && !(ok && o->keep_build)) fs_remove_tree(j.dir);
    for (size_t i = 0; i < j.report.n_cases; i++) json_decref(j.report.cases[i].precision);
    json_decref(j.performance);
    json_decref(j.baseline);
    return ok;
}

bool cann_verify(Arena *a, const VerifyOptions *o, VerifyResult *r, Err *err) {
    CannParts p;
    cann_find(a, &p);
    return cann_verify_on(a, o, p.n_devices ? p.devices[0] : 0, r, err);
}
