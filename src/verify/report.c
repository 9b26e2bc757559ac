/* The result object (docs/result.md) and the summary for people. */
#include "verify/verify_int.h"

#include "base/strbuf.h"

#include <string.h>

#define SUMMARY_CHECKS_MAX 10

static const char *const VERDICTS[] = {[VERDICT_PASS] = "PASS",
                                       [VERDICT_FAIL] = "FAIL",
                                       [VERDICT_REJECTED] = "REJECTED",
                                       [VERDICT_NOT_MODELLED] = "NOT_MODELLED",
                                       [VERDICT_INFRA_ERROR] = "INFRA_ERROR"};
static const char *const SEVERITIES[] = {
    [DIAG_ERROR] = "error", [DIAG_WARNING] = "warning", [DIAG_NOTE] = "note"};

const char *verdict_name(Verdict v) {
    return VERDICTS[v];
}

int verdict_rank(Verdict v) {
    /* Work outside the kernel says nothing about the kernel; what cannot be modelled makes its other faults
     * doubtful. */
    static const int RANK[] = {[VERDICT_PASS] = 0,
                               [VERDICT_FAIL] = 1,
                               [VERDICT_NOT_MODELLED] = 2,
                               [VERDICT_REJECTED] = 3,
                               [VERDICT_INFRA_ERROR] = 4};
    return RANK[v];
}

static void set_text(json_t *o, const char *key, const char *text) {
    json_t *v = text ? json_string(text) : NULL;
    if (text && !v) v = json_string("(text is not UTF-8)");
    if (v) json_object_set_new(o, key, v);
}

/* Line of the description file, when the section's place in it is known. */
static int file_line(const Desc *d, const char *source, int line) {
    if (!d || !source || line <= 0) return 0;
    for (int i = 0; i < DESC_N_SOURCES; i++)
        if (!strcmp(source, DESC_SOURCE_NAMES[i]) && d->line[i] > 0) return d->line[i] + line - 1;
    return 0;
}

static json_t *other_json(const Desc *desc, const Diag *d) {
    json_t *o = json_pack("{s:s}", "source", d->other_source);
    if (d->other_line > 0) json_object_set_new(o, "line", json_integer(d->other_line));
    int in_file = file_line(desc, d->other_source, d->other_line);
    if (in_file > 0) json_object_set_new(o, "file_line", json_integer(in_file));
    return o;
}

static json_t *check_json(const Desc *desc, const Diag *d) {
    json_t *o = json_object();
    set_text(o, "check", d->check);
    set_text(o, "stage", d->stage);
    set_text(o, "severity", SEVERITIES[d->severity]);
    set_text(o, "source", d->source);
    if (d->line > 0) json_object_set_new(o, "line", json_integer(d->line));
    if (d->column > 0) json_object_set_new(o, "column", json_integer(d->column));
    int in_file = file_line(desc, d->source, d->line);
    if (in_file > 0) json_object_set_new(o, "file_line", json_integer(in_file));
    if (d->other_source) json_object_set_new(o, "other", other_json(desc, d));
    set_text(o, "api", d->api);
    json_object_set_new(o, "count", json_integer((json_int_t)d->count));
    set_text(o, "text", d->text);
    set_text(o, "text_zh", d->text_zh ? d->text_zh : d->text);
    set_text(o, "hint", d->hint);
    set_text(o, "hint_zh", d->hint_zh ? d->hint_zh : d->hint);
    set_text(o, "page", diag_page(d->check));
    if (d->not_modelled) json_object_set_new(o, "not_modelled", json_true());
    return o;
}

static const char *place_text(Arena *a, const Diag *d) {
    if (!d->source) return "";
    return d->line > 0 ? arena_printf(a, "%s:%d: ", d->source, d->line) : arena_printf(a, "%s: ", d->source);
}

/* "kernel_src:57: text\n  fix: hint\n" of every diag that `stage` and the severity select. */
static const char *stage_text(Arena *a, const DiagList *diags, const char *const *stages, size_t n_stages) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < diags->n; i++) {
        const Diag *d = &diags->at[i];
        bool wanted = false;
        for (size_t k = 0; k < n_stages; k++) wanted = wanted || !strcmp(d->stage, stages[k]);
        if (!wanted || d->severity != DIAG_ERROR) continue;
        strbuf_printf(&sb, "%s%s: %s\n", place_text(a, d), SEVERITIES[d->severity], d->text);
        if (d->hint) strbuf_printf(&sb, "    fix: %s\n", d->hint);
    }
    return sb.text;
}

static json_t *cases_json(const Report *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_cases; i++) {
        const CaseResult *c = &r->cases[i];
        if (c->left_out) continue;
        json_t *o = json_object();
        set_text(o, "label", c->label);
        set_text(o, "verdict", VERDICTS[c->verdict]);
        if (c->apart) json_object_set_new(o, "differs", json_boolean(c->differs));
        if (c->reason && *c->reason) set_text(o, "reason", c->reason);
        if (c->schedule && strcmp(c->schedule, "in-order") != 0) set_text(o, "schedule", c->schedule);
        json_object_set(o, "precision", c->precision);
        if (c->gm_least)
            json_object_set_new(o, "gm", json_pack("{s:I, s:I, s:I}", "read", c->gm_read, "written", c->gm_written, "least", c->gm_least));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *left_out_json(const Report *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_cases; i++)
        if (r->cases[i].left_out) json_array_append_new(list, json_pack("{s:s, s:s}", "label", r->cases[i].label, "reason", r->cases[i].reason));
    return list;
}

/* Per output the case that says most: a failed one, else the one with the largest MARE. */
static json_t *precision_json(const Report *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_cases; i++)
        for (size_t k = 0; !r->cases[i].apart && k < json_array_size(r->cases[i].precision); k++) {
            json_t *now = json_array_get(r->cases[i].precision, k), *best = json_array_get(list, k);
            bool worse = !best;
            if (best) {
                bool best_pass = json_is_true(json_object_get(best, "pass")),
                     now_pass = json_is_true(json_object_get(now, "pass"));
                double best_mare = json_number_value(json_object_get(best, "MARE")),
                       mare = json_number_value(json_object_get(now, "MARE"));
                worse = (best_pass && !now_pass) || (best_pass == now_pass && mare > best_mare);
            }
            if (!worse) continue;
            json_t *copy = json_copy(now);
            set_text(copy, "case", r->cases[i].label);
            if (best) json_array_set_new(list, k, copy);
            else json_array_append_new(list, copy);
        }
    return list;
}

static json_t *stages_json(const Report *r) {
    json_t *o = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "python", r->python_s, "load", r->load_s, "rules",
                          r->rules_s, "run", r->run_s, "compare", r->compare_s, "total", r->total_s);
    if (r->build)
        json_object_set_new(o, "build",
                            json_pack("{s:f, s:f, s:f, s:f}", "kernel", r->build->kernel_s, "host",
                                      r->build->host_s, "binding", r->build->binding_s, "total",
                                      r->build->wall_s));
    return o;
}

/* Nothing was to be run. */
static bool is_static(const Report *r) {
    return !r->options->reference_path;
}

static json_t *model_json(const VerifyOptions *o) {
    const VerifyModel *m = &o->model;
    return json_pack("{s:s, s:b, s:b}", "schedule", m->schedule ? m->schedule : "in-order", "strict", m->strict, "exact", m->exact);
}

json_t *report_json(Arena *a, const Report *r) {
    static const char *const BUILD_STAGES[] = {"load", "rules", "build"}, *const RUN_STAGES[] = {"run",
                                                                                                 "compare"};
    const VerifyOptions *o = r->options;
    json_t *j = json_object();
    json_object_set_new(j, "index", json_integer(0));
    set_text(j, "op", o->op);
    set_text(j, "category", o->category ? o->category : "custom");
    set_text(j, "language", "ascendc");
    json_object_set_new(j, "compiled", json_boolean(r->compiled));
    json_object_set_new(j, "correctness", json_boolean(r->verdict == VERDICT_PASS && !is_static(r)));
    json_object_set_new(j, "performance", json_null());
    set_text(j, "performance_note", "not measured: the simulated AI Core gives no times yet");
    set_text(j, "hardware", arena_printf(a, "sim-%s", r->chip));
    set_text(j, "compile_info", stage_text(a, r->diags, BUILD_STAGES, 3));
    set_text(j, "correctness_info", stage_text(a, r->diags, RUN_STAGES, 2));
    if (r->error_message) set_text(j, "error_message", r->error_message);
    set_text(j, "backend", "sim");
    set_text(j, "chip", r->chip);
    set_text(j, "verdict", VERDICTS[r->verdict]);
    if (is_static(r) && r->verdict == VERDICT_PASS) json_object_set_new(j, "verdict", json_null());
    set_text(j, "standard", verify_standard_name(o->standard));
    json_object_set_new(j, "model", model_json(o));
    json_t *checks = json_array();
    for (size_t i = 0; i < r->diags->n; i++)
        json_array_append_new(checks, check_json(r->desc, &r->diags->at[i]));
    json_object_set_new(j, "checks", checks);
    json_object_set_new(j, "precision", precision_json(r));
    json_object_set_new(j, "cases", cases_json(r));
    json_t *left_out = left_out_json(r);
    if (json_array_size(left_out)) json_object_set(j, "cases_left_out", left_out);
    json_decref(left_out);
    if (r->trace) json_object_set(j, "trace", r->trace);
    if (r->ub) json_object_set(j, "ub_ledger", r->ub);
    if (r->launches) json_object_set(j, "launches", r->launches);
    json_object_set_new(j, "stages", stages_json(r));
    if (r->build && r->build->lang) set_text(j, "device_language", r->build->lang);
    if (r->build && o->keep_build) set_text(j, "build_dir", r->build->dir);
    if (r->log && *r->log) set_text(j, "log", r->log);
    return j;
}

/* ----------------------------------------------------------------------------------------------------------
 * summary */

static void add_check(StrBuf *sb, Arena *a, const Diag *d) {
    strbuf_printf(sb, "  %s %s[%s] %s", SEVERITIES[d->severity], place_text(a, d), d->check, d->text);
    if (d->count > 1) strbuf_printf(sb, " (%llu times)", (unsigned long long)d->count);
    strbuf_add(sb, "\n");
    if (d->hint) strbuf_printf(sb, "      fix: %s\n", d->hint);
}

static void add_headline(StrBuf *sb, const Report *r) {
    size_t passed = 0, left_out = 0;
    for (size_t i = 0; i < r->n_cases; i++) {
        left_out += r->cases[i].left_out;
        passed += !r->cases[i].left_out && r->cases[i].verdict == VERDICT_PASS;
    }
    strbuf_printf(sb, "%s %s: ", is_static(r) && r->verdict == VERDICT_PASS ? "BUILT" : VERDICTS[r->verdict], r->options->op ? r->options->op : "?");
    if (!r->compiled)
        strbuf_add(sb, r->verdict == VERDICT_REJECTED ? "a static rule is broken, nothing was built"
                                                      : "not built");
    else if (is_static(r)) strbuf_add(sb, "it builds; nothing was run, since there is no reference");
    else strbuf_printf(sb, "%zu of %zu cases pass", passed, r->n_planned - left_out);
    if (left_out) strbuf_printf(sb, ", %zu left out", left_out);
    strbuf_printf(sb, ", standard %s, simulated %s, %.1f s\n", verify_standard_name(r->options->standard),
                  r->chip, r->total_s);
}

const char *report_summary(Arena *a, const Report *r) {
    StrBuf sb;
    strbuf_init(&sb, a);
    add_headline(&sb, r);
    size_t shown = 0;
    for (int severity = DIAG_ERROR; severity <= DIAG_NOTE; severity++)
        for (size_t i = 0; i < r->diags->n; i++)
            if ((int)r->diags->at[i].severity == severity && shown++ < SUMMARY_CHECKS_MAX)
                add_check(&sb, a, &r->diags->at[i]);
    if (shown > SUMMARY_CHECKS_MAX)
        strbuf_printf(&sb, "  ... %zu more, see `checks` in the result\n", shown - SUMMARY_CHECKS_MAX);
    for (size_t i = 0; i < r->n_cases; i++)
        if (r->cases[i].verdict != VERDICT_PASS) {
            strbuf_printf(&sb, "  first case that did not pass: %s\n", r->cases[i].label);
            break;
        }
    if (r->build && r->options->keep_build) strbuf_printf(&sb, "  build folder: %s\n", r->build->dir);
    size_t n = sb.n_bytes;
    if (n > 0 && sb.text[n - 1] == '\n') sb.text[n - 1] = '\0';
    return sb.text;
}
