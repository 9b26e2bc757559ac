/* What was seen, as JSON: launches, findings of the host side (findings.def) and of the simulator. */
#include "runtime/runtime_int.h"

#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *check, *file, *text, *text_zh, *hint, *hint_zh;
    SimSeverity severity;
} ROWS[RT_N_FINDINGS] = {
#define FINDING(id, check_, severity_, file_, text_, text_zh_, hint_, hint_zh_)                              \
    [RT_##id] = {.check = check_, .file = file_, .text = text_, .text_zh = text_zh_, .hint = hint_, .hint_zh = hint_zh_, .severity = severity_},
#include "runtime/findings.def"
#undef FINDING
};

static const char *const SEVERITIES[] = {[SIM_ERROR] = "error", [SIM_WARNING] = "warning", [SIM_NOTE] = "note"};

static char *format_va(Arena *a, const char *fmt, va_list args) {
    char text[2048];
    vsnprintf(text, sizeof text, fmt, args);
    return arena_strdup(a, text);
}

/* Equal findings are folded, as the simulator does. */
static void add_finding(Rt *rt, const Finding *f) {
    for (size_t i = 0; i < rt->findings.n; i++) {
        Finding *old = &rt->findings.at[i];
        if (!strcmp(old->check, f->check) && !strcmp(old->text, f->text)) {
            old->count++;
            return;
        }
    }
    vec_push(rt->report, &rt->findings, *f);
}

void rt_finding(Rt *rt, RtFindingId id, ...) {
    if (!rt) return;
    va_list args;
    Finding f = {.check = ROWS[id].check, .file = ROWS[id].file, .api = "", .hint = ROWS[id].hint, .hint_zh = ROWS[id].hint_zh,
                 .severity = ROWS[id].severity, .count = 1};
    va_start(args, id);
    f.text = format_va(rt->report, ROWS[id].text, args);
    va_end(args);
    va_start(args, id);
    f.text_zh = format_va(rt->report, ROWS[id].text_zh, args);
    va_end(args);
    add_finding(rt, &f);
}

void owh_host_finding(const char *check, const char *text, const char *hint) {
    Rt *rt = rt_current();
    if (!rt) return;
    for (int id = 0; id < RT_N_FINDINGS; id++)
        if (!strcmp(ROWS[id].check, check)) {
            rt_finding(rt, (RtFindingId)id, text);
            return;
        }
    const Finding f = {arena_strdup(rt->report, check), "host_operator_src", "", arena_strdup(rt->report, text),
                       arena_strdup(rt->report, text), arena_strdup(rt->report, hint), arena_strdup(rt->report, hint), SIM_ERROR, 1};
    add_finding(rt, &f);
}

void owh_host_log(const char *level, const char *file, int line, const char *fmt, ...) {
    va_list args;
    const char *base = strrchr(file, '/');
    fprintf(stderr, "[%s] %s:%d ", level, base ? base + 1 : file, line);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

static json_t *text_or_empty(const char *s) {
    json_t *j = s ? json_string(s) : NULL; /* NULL for text that is not UTF-8 */
    return j ? j : json_string("");
}

static json_t *finding_json(const SimFinding *f) {
    json_t *j = json_object();
    json_object_set_new(j, "check", text_or_empty(f->check));
    json_object_set_new(j, "severity", json_string(SEVERITIES[f->severity]));
    json_object_set_new(j, "file", text_or_empty(f->file));
    json_object_set_new(j, "line", json_integer(f->line));
    if (f->other_file) {
        json_object_set_new(j, "other_file", text_or_empty(f->other_file));
        json_object_set_new(j, "other_line", json_integer(f->other_line));
    }
    json_object_set_new(j, "api", text_or_empty(f->api));
    json_object_set_new(j, "block", json_integer(f->block));
    json_object_set_new(j, "count", json_integer((json_int_t)f->count));
    json_object_set_new(j, "text", text_or_empty(f->text));
    json_object_set_new(j, "text_zh", text_or_empty(f->text_zh));
    json_object_set_new(j, "hint", text_or_empty(f->hint));
    json_object_set_new(j, "hint_zh", text_or_empty(f->hint_zh));
    return j;
}

static json_t *launches_json(const Rt *rt) {
    json_t *list = json_array();
    for (size_t i = 0; i < rt->launches.n; i++) {
        const Launch *l = &rt->launches.at[i];
        json_t *dtypes = json_array(), *j = json_object();
        for (size_t k = 0; k < l->n_dtypes; k++) json_array_append_new(dtypes, text_or_empty(l->dtypes[k]));
        json_object_set_new(j, "op", text_or_empty(l->op));
        json_object_set_new(j, "kernel", text_or_empty(l->kernel));
        json_object_set_new(j, "block_dim", json_integer(l->block_dim));
        json_object_set_new(j, "tiling_key", json_integer((json_int_t)l->tiling_key));
        json_object_set_new(j, "tiling_bytes", json_integer((json_int_t)l->tiling_bytes));
        json_object_set_new(j, "workspace_bytes", json_integer((json_int_t)l->workspace_bytes));
        json_object_set_new(j, "tensor_bytes", json_integer((json_int_t)l->tensor_bytes));
        json_object_set_new(j, "dtypes", dtypes);
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *findings_json(const Rt *rt) {
    json_t *list = json_array();
    for (size_t i = 0; i < rt->findings.n; i++) {
        const Finding *f = &rt->findings.at[i];
        const SimFinding s = {.check = f->check, .severity = f->severity, .file = f->file, .api = f->api, .count = f->count,
                              .text = f->text, .text_zh = f->text_zh, .hint = f->hint, .hint_zh = f->hint_zh};
        json_array_append_new(list, finding_json(&s));
    }
    for (size_t i = 0; i < sim_n_findings(rt->sim); i++) json_array_append_new(list, finding_json(sim_finding(rt->sim, i)));
    return list;
}

static json_t *stats_json(const Rt *rt) {
    const SimStats *s = sim_stats(rt->sim);
    json_t *j = json_object();
    json_object_set_new(j, "n_insns", json_integer((json_int_t)s->n_insns));
    json_object_set_new(j, "gm_read_bytes", json_integer((json_int_t)s->gm_read_bytes));
    json_object_set_new(j, "gm_write_bytes", json_integer((json_int_t)s->gm_write_bytes));
    json_object_set_new(j, "store_bytes", json_integer((json_int_t)s->store_bytes));
    json_object_set_new(j, "ub_peak_bytes", json_integer(s->ub_peak_bytes));
    json_object_set_new(j, "sim_wall_s", json_real(s->wall_s));
    return j;
}

/* The ledger of UB: {bytes, uses: [{what, file, line, count, bytes, hidden}]}. */
static json_t *ub_json(const Rt *rt) {
    json_t *uses = json_array();
    for (size_t i = 0; i < sim_n_ub_uses(rt->sim); i++) {
        const SimUbUse *u = sim_ub_use(rt->sim, i);
        json_array_append_new(uses, json_pack("{s:o, s:o, s:I, s:I, s:I, s:b}", "what", text_or_empty(u->what), "file", text_or_empty(u->file), "line",
                                              (json_int_t)u->line, "count", (json_int_t)u->count, "bytes", (json_int_t)u->bytes, "hidden", u->hidden));
    }
    return json_pack("{s:I, s:o}", "bytes", (json_int_t)sim_ub_bytes(rt->sim), "uses", uses);
}

static json_t *number(double d) { return isfinite(d) ? json_real(d) : json_string(isnan(d) ? "nan" : d > 0 ? "inf" : "-inf"); }

/* Operands of the traced instruction: {api, role, memory, dtype, offset, n, values}; null: nothing wrote it. */
static json_t *trace_json(const Rt *rt) {
    json_t *list = json_array();
    for (size_t i = 0; i < sim_n_traced(rt->sim); i++) {
        const SimTraced *t = sim_traced(rt->sim, i);
        json_t *values = json_array();
        for (size_t k = 0; k < t->n_shown; k++) json_array_append_new(values, t->known[k] ? number(t->values[k]) : json_null());
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:s, s:I, s:I, s:o}", "api", text_or_empty(t->api), "role", text_or_empty(t->role), "memory",
                                              text_or_empty(t->memory), "dtype", dtype_info(t->dtype)->torch, "offset", (json_int_t)t->offset, "n", (json_int_t)t->n,
                                              "values", values));
    }
    return list;
}

const char *rt_report_json(Rt *rt) {
    json_t *j = json_object();
    json_object_set_new(j, "launches", launches_json(rt));
    json_object_set_new(j, "findings", findings_json(rt));
    json_object_set_new(j, "stats", stats_json(rt));
    json_object_set_new(j, "ub", ub_json(rt));
    if (sim_n_traced(rt->sim)) json_object_set_new(j, "trace", trace_json(rt));
    free(rt->json);
    rt->json = json_dumps(j, JSON_COMPACT);
    json_decref(j);
    return rt->json ? rt->json : "{}";
}

void rt_report_reset(Rt *rt) {
    arena_free(rt->report);
    rt->report = arena_new();
    memset(&rt->launches, 0, sizeof rt->launches);
    memset(&rt->findings, 0, sizeof rt->findings);
    sim_reset(rt->sim);
}
