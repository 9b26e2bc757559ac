/* One operator of a workspace, the gradient or the forward computation: generated, written, verified with the records. */
#include "base/fs.h"
#include "cli/backward_int.h"
#include "cli/gen_int.h"
#include "lower/work.h"
#include "cli/own_file.h"
#include "desc/desc.h"
#include "graph/cases.h"

#include <libgen.h>
#include <string.h>

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

const char *backward_path(Arena *a, const BackwardJob *job, const char *name) {
    return arena_printf(a, "%s/%s", job->dir, name);
}

bool backward_write(Arena *a, const BackwardJob *job, const char *name, const void *data, size_t n_bytes, Err *err) {
    const char *path = backward_path(a, job, name);
    return fs_make_dirs(dirname(arena_strdup(a, path)), err) && fs_write(path, data, n_bytes, err);
}

/* ---- cases ----------------------------------------------------------------------------------------------------------- */

static const char *record_label(Arena *a, const json_t *record, bool hidden) {
    const char *text = arena_printf(a, "%s %s", text_at(record, "dtype"), text_at(record, "profile"));
    const char *name;
    json_t *size;
    json_object_foreach(json_object_get(record, "symbols"), name, size)
        text = arena_printf(a, "%s %s=%" JSON_INTEGER_FORMAT, text, name, json_integer_value(size));
    return hidden ? arena_printf(a, "%s, drawn anew", text) : text;
}

static json_t *record_spec(const BackwardJob *job, const json_t *record, bool hidden, const char *layout) {
    return json_pack("{s:s, s:s, s:O, s:b, s:s, s:b}", "kind", "record", "workspace", job->workspace, "index", json_object_get(record, "index"),
                     "hidden", hidden, "layout", layout, "forward", job->is_forward);
}

/* All records that have a truth; then, of each dtype's first standard one, a second draw that no file tells, laid out with
 * gaps; then the generator's own sizes. job->n_records and n_redrawn tell how many there are of the first two. */
static VerifyCase *make_cases(Arena *a, BackwardJob *job, const GraphCases *own, size_t *n) {
    const json_t *records = json_object_get(job->truth, "records");
    VerifyCase *list = ARENA_ARRAY(a, 2 * json_array_size(records) + own->n, VerifyCase);
    const char *last_dtype = "";
    *n = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *r = json_array_get(records, i);
        bool standard = !strcmp(text_at(r, "profile"), "standard");
        if (json_object_get(r, "file"))
            list[(*n)++] = (VerifyCase){.label = record_label(a, r, false), .apart = !standard, .spec = record_spec(job, r, false, "contiguous")};
    }
    job->n_records = *n;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *r = json_array_get(records, i);
        if (!json_object_get(r, "file") || strcmp(text_at(r, "profile"), "standard") != 0 || !strcmp(text_at(r, "dtype"), last_dtype)) continue;
        last_dtype = text_at(r, "dtype");
        list[(*n)++] = (VerifyCase){.label = record_label(a, r, true), .spec = record_spec(job, r, true, "strided")};
    }
    job->n_redrawn = *n - job->n_records;
    for (size_t i = 0; i < own->n; i++) {
        const char *profile = text_at(own->at[i].spec, "profile");
        list[(*n)++] = (VerifyCase){.label = own->at[i].label, .spec = json_incref(own->at[i].spec), .apart = !strcmp(profile, "edge"), .by_control = true};
    }
    return list;
}

/* Drops cases of the generator that the reference does not take. */
static bool admit_own(Arena *a, Bridge *b, const char *reference, GraphCases *own, Err *err) {
    json_t *specs = json_array();
    for (size_t i = 0; i < own->n; i++) json_array_append(specs, own->at[i].spec);
    json_t *params = json_pack("{s:s, s:o}", "path", reference, "cases", specs);
    BridgeReply reply = {0};
    bool ok = bridge_call(b, a, "admit", params, NULL, &reply, err);
    json_decref(params);
    size_t kept = 0;
    for (size_t i = 0; ok && i < own->n; i++) {
        if (json_is_string(json_array_get(json_object_get(reply.result, "refusals"), i))) json_decref(own->at[i].spec);
        else own->at[kept++] = own->at[i];
    }
    if (ok) own->n = kept;
    bridge_reply_clear(&reply);
    return ok;
}

/* ---- files ----------------------------------------------------------------------------------------------------------- */

/* The sources as the files a project has. */
static bool write_sources(Arena *a, const BackwardJob *job, const char *kernel, const char *const *source, Err *err) {
    static const struct {
        const char *folder, *suffix;
        GenSource source;
    } FILES[] = {{"op_host", ".json", GEN_PROJECT_JSON},
                 {"op_host", "_tiling.h", GEN_HOST_TILING},
                 {"op_host", ".cpp", GEN_HOST_OPERATOR},
                 {"op_kernel", ".cpp", GEN_KERNEL},
                 {"binding", ".cpp", GEN_PYTHON_BIND}};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        const char *text = source[FILES[i].source], *name = arena_printf(a, "%s/%s%s", FILES[i].folder, kernel, FILES[i].suffix);
        if (!backward_write(a, job, name, text, strlen(text), err)) return false;
    }
    return true;
}

/* A description that somebody edited stays, and is what gets verified; its sources are written from it. */
static bool keep_edited(Arena *a, Bridge *b, BackwardArgs *args, const BackwardJob *job, const char *path, Err *err) {
    DescViolation *rules;
    size_t n_rules;
    const Desc *d = desc_load_within(a, b, path, args->stage_limit_s, &rules, &n_rules, err);
    if (!d) return false;
    progress_stage(&args->progress, "%s was edited: it stays, and is verified as it is", strrchr(path, '/') + 1);
    return write_sources(a, job, d->kernel_name, d->source, err);
}

static bool write_operator(Arena *a, Bridge *b, BackwardArgs *args, const BackwardJob *job, Err *err) {
    const char *target = arena_printf(a, "TARGET=%s\n", args->target->name), *desc = arena_printf(a, "%s.ascendc.py", job->name);
    if (!backward_write(a, job, "target.env", target, strlen(target), err)) return false;
    Err why = {0};
    if (!own_file_may_replace(a, backward_path(a, job, desc), backward_path(a, job, "model.py"), &why)) return keep_edited(a, b, args, job, backward_path(a, job, desc), err);
    return backward_write(a, job, desc, job->desc_text, strlen(job->desc_text), err) &&
           backward_write(a, job, arena_printf(a, "%s.design.md", job->name), job->gen.design_md, strlen(job->gen.design_md), err) &&
           write_sources(a, job, job->gen.kernel_name, job->gen.source, err);
}

/* ---- the operator ------------------------------------------------------------------------------------------------------ */

static Graph *generate(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, Err *err) {
    const char *model = backward_path(a, job, "model.py");
    Graph *g = gen_trace(a, b, model, job->name, args->stage_limit_s, NULL, err);
    if (!g) return NULL;
    GenOptions o = {.chip = args->target->chip, .op_name = job->name};
    if (!gen_operator(a, g, &o, &job->gen, err)) return NULL;
    job->second_look = work_second_look(a, job->gen.plan);
    job->desc_text = own_file_mark(a, desc_print(a, job->gen.source), model);
    progress_stage(&args->progress, "%s: %zu operations, %zu inputs, %zu outputs", job->is_forward ? "forward" : "gradient", g->n_nodes, g->n_inputs, g->n_outputs);
    return g;
}

static bool verify(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, const Graph *g, Err *err) {
    GraphCases own = graph_cases(a, g, plan_facts());
    const char *reference = backward_path(a, job, "model.py");
    VerifyOptions o = {.op = job->name,
                       .category = job->gen.category,
                       .reference_path = reference,
                       .kernel_code_path = backward_path(a, job, arena_printf(a, "%s.ascendc.py", job->name)),
                       .chip = args->target->chip,
                       .standard = VERIFY_STD_ECOSYSTEM,
                       .control = true,
                       .model = args->model,
                       .stage_limit_s = args->stage_limit_s,
                       .build_dir = backward_path(a, job, "build"),
                       .on_log = progress_log,
                       .log_ctx = &args->progress};
    bool ok = fs_make_dirs(o.build_dir, err) && admit_own(a, b, reference, &own, err);
    if (ok) {
        VerifyCase *list = make_cases(a, job, &own, &o.n_cases);
        o.cases = list;
        backward_watch(a, job);
        ok = verify_run(a, b, &o, &job->verdict, err);
        job->changed = backward_changed(a, job);
        for (size_t i = 0; i < o.n_cases; i++) json_decref(list[i].spec);
    }
    graph_cases_clear(&own);
    return ok;
}

bool backward_deliver(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, Err *err) {
    const Graph *g = generate(a, b, args, job, err);
    return g && write_operator(a, b, args, job, err) && (args->no_verify || verify(a, b, args, job, g, err));
}
