/* The table at the end of `opwright gen` over several files. */
#include "cli/gen_int.h"

#include <string.h>

static const char *dtypes_text(Arena *a, const Graph *g) {
    const char *text = "";
    for (size_t i = 0; i < g->n_variants; i++)
        text = arena_printf(a, "%s%s%s", text, i ? "," : "", dtype_info(g->variants[i])->torch);
    return text;
}

static double number(const json_t *p, const char *key) {
    return json_number_value(json_object_get(p, key));
}

/* "2e-07/3e-06 of 1e-04/1e-03" of the output whose error comes nearest to its limit; where the standard has
 * no such limits the largest difference. */
static const char *precision_text(Arena *a, const json_t *result) {
    const json_t *list = json_object_get(result, "precision"), *worst = NULL;
    double worst_share = -1.0, max_abs = 0.0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        double limit = number(p, "MARE_limit"), share = limit > 0 ? number(p, "MARE") / limit : 0.0;
        if (number(p, "max_abs") > max_abs) max_abs = number(p, "max_abs");
        if (share <= worst_share) continue;
        worst = p;
        worst_share = share;
    }
    if (!worst) return "-";
    if (number(worst, "MARE_limit") > 0.0)
        return arena_printf(a, "%.1e/%.1e of %.1e/%.1e", number(worst, "MERE"), number(worst, "MARE"),
                            number(worst, "MERE_limit"), number(worst, "MARE_limit"));
    return max_abs > 0.0 ? arena_printf(a, "largest difference %.1e", max_abs) : "exact";
}

static size_t count_checks(const json_t *result, const char *severity) {
    const json_t *list = json_object_get(result, "checks");
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        n += !strcmp(json_string_value(json_object_get(json_array_get(list, i), "severity")), severity);
    return n;
}

bool gen_has_findings(const json_t *result) {
    return count_checks(result, "error") + count_checks(result, "warning") > 0;
}

static const char *checks_text(Arena *a, const json_t *result) {
    size_t n_errors = count_checks(result, "error"), n_warnings = count_checks(result, "warning");
    if (n_errors + n_warnings == 0) return "clean";
    return arena_printf(a, "%zu error%s, %zu warning%s", n_errors, n_errors == 1 ? "" : "s", n_warnings,
                        n_warnings == 1 ? "" : "s");
}

const char *gen_verdict_text(Arena *a, const GenJob *job, const Err *err) {
    if (err->code != ERR_OK) return err_code_name(err->code);
    const char *verdict = json_string_value(json_object_get(job->verdict.json, "verdict"));
    return verdict ? arena_strdup(a, verdict) : "written";
}

void gen_table_row(Arena *a, Table *t, const GenJob *job, const Err *err) {
    const char *name = job->name ? job->name : job->call;
    const json_t *r = job->verdict.json;
    if (err->code != ERR_OK) {
        table_row(t, (const char *const[]){name, "-", "-", "-", "-", "-", gen_verdict_text(a, job, err)});
        return;
    }
    table_row(t, (const char *const[]){name, dtypes_text(a, job->graph),
                                       r ? arena_printf(a, "%zu", job->n_cases) : "-",
                                       !r                                             ? "-"
                                       : json_is_true(json_object_get(r, "compiled")) ? "yes"
                                                                                      : "no",
                                       r ? precision_text(a, r) : "-", r ? checks_text(a, r) : "-",
                                       gen_verdict_text(a, job, err)});
}
