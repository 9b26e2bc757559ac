/* opwright backward: a forward specification in; a workspace with the truth, the gradient operator and its verdict out. */
#include "cli/backward_int.h"
#include "cli/cli.h"
#include "cli/gen_int.h"
#include "cli/model_options.h"
#include "cli/own_file.h"
#include "desc/desc.h"
#include "graph/cases.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_usage(FILE *to) {
    fprintf(to,
            "usage: opwright backward SPEC.py [options]\n\n"
            "SPEC.py holds a differentiable function `forward` and a dict BACKWARD_SPEC (docs/backward.md). Writes the folder\n"
            "SPEC_grad/ beside it, or into --output-dir: forward_spec.py, model.py, backward_ref.json, truth/, the operator\n"
            "SPEC_grad.ascendc.py, its sources one by one in op_host/, op_kernel/ and binding/, SPEC_grad_autograd.py (PyTorch glue:\n"
            "loss.backward() runs the operator), its libraries for the simulator in build/, and verification.json.\n\n"
            "  --target NAME       a3 (default) or a5, in any wording: 910C, V220, arch22; 950PR, V300, arch35\n"
            "  --output-dir DIR    where the folder is made\n"
            "  --resume            keep a truth that is complete and sealed; without it, it is computed again\n"
            "  --no-verify         write only\n"
            "  --time-limit S      for each stage, default 120\n"
            "  --strict --schedule NAME --exact   as for gen\n"
            "  --verbose --quiet   a progress line for every case; none\n\n"
            "exit status: 0 status PASS, 1 another status, 2 a specification that cannot be worked on or a missing tool,\n"
            "3 a failure of opwright or the machine\n");
}

enum { OPT_TARGET = 256, OPT_DIR, OPT_RESUME, OPT_NO_VERIFY, OPT_TIME, OPT_VERBOSE, OPT_QUIET };

static bool parse_args(int argc, char **argv, BackwardArgs *args, Err *err) {
    static const struct option OPTIONS[] = {
        {"target", required_argument, NULL, OPT_TARGET},
        {"output-dir", required_argument, NULL, OPT_DIR},
        {"resume", no_argument, NULL, OPT_RESUME},
        {"no-verify", no_argument, NULL, OPT_NO_VERIFY},
        {"time-limit", required_argument, NULL, OPT_TIME},
        {"verbose", no_argument, NULL, OPT_VERBOSE},
        {"quiet", no_argument, NULL, OPT_QUIET},
        MODEL_OPTIONS,
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    args->target_text = "a3";
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;) switch (c) {
        case OPT_TARGET: args->target_text = optarg; break;
        case OPT_DIR: args->output_dir = optarg; break;
        case OPT_RESUME: args->resume = true; break;
        case OPT_NO_VERIFY: args->no_verify = true; break;
        case OPT_TIME:
            if (!cli_parse_positive("time-limit", optarg, &args->stage_limit_s, err)) return false;
            break;
        case OPT_VERBOSE: args->progress.verbose = true; break;
        case OPT_QUIET: args->progress.quiet = true; break;
        case 'h': args->help = true; return true;
        default:
            if (!model_option(c, &args->model, err)) return false;
        }
    if (argc - optind != 1) {
        err_set(err, ERR_USAGE, NULL, argc == optind ? "no specification given" : "one specification at a time");
        return err_hint(err, "for example: opwright backward gelu_spec.py --target a3; see `opwright backward --help`");
    }
    args->spec = argv[optind];
    if (args->output_dir && !*args->output_dir) return err_set(err, ERR_USAGE, NULL, "--output-dir is empty");
    args->target = target_find(args->target_text, err);
    return args->target != NULL;
}

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static const char *in_dir(Arena *a, const BackwardJob *job, const char *name) {
    return arena_printf(a, "%s/%s", job->dir, name);
}

static bool write_bytes(Arena *a, const BackwardJob *job, const char *name, const void *data, size_t n_bytes, Err *err) {
    const char *path = in_dir(a, job, name);
    return fs_make_dirs(dirname(arena_strdup(a, path)), err) && fs_write(path, data, n_bytes, err);
}

/* ---- truth ----------------------------------------------------------------------------------------------------------- */

/* The worker may not write: it hands the files over. */
static bool write_blobs(Arena *a, const BackwardJob *job, const BridgeReply *reply, Err *err) {
    const json_t *names = json_object_get(reply->result, "files");
    for (size_t i = 0; i < json_array_size(names) && i < reply->n_blobs; i++)
        if (!write_bytes(a, job, json_string_value(json_array_get(names, i)), reply->blobs[i].data, reply->blobs[i].n_bytes, err)) return false;
    return true;
}

/* Sets job->truth. False after an error; a specification that cannot be worked on is one that names the verdict. */
static bool prepare_truth(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, Err *err) {
    json_t *params = json_pack("{s:s, s:s, s:b}", "path", args->spec, "workspace", job->dir, "resume", args->resume);
    if (!params) return err_set(err, ERR_BAD_INPUT, args->spec, "the name of the file is not UTF-8");
    BridgeReply reply = {0};
    const BridgeLimits limits = {.wall_s = args->stage_limit_s};
    bool ok = bridge_call(b, a, "backward_truth", params, &limits, &reply, err);
    json_decref(params);
    if (ok) job->truth = json_incref(reply.result);
    if (ok && !write_blobs(a, job, &reply, err)) {
        bridge_reply_clear(&reply);
        return false;
    }
    if (!ok && (err->code == ERR_TIMEOUT || err->code == ERR_CHILD_DIED)) {
        err->code = ERR_BAD_INPUT;
        err_hint(err, "forward of the specification did that while its gradients were computed in float64: smaller cases, or --time-limit");
    }
    bridge_reply_clear(&reply);
    if (!ok) return false;
    const char *verdict = text_at(job->truth, "verdict");
    if (!strcmp(verdict, "READY")) return true;
    int line = (int)json_integer_value(json_object_get(job->truth, "line"));
    const char *where = line > 0 ? arena_printf(a, "%s:%d", args->spec, line) : args->spec;
    err_set(err, ERR_BAD_INPUT, where, "%s: %s", verdict, text_at(job->truth, "message"));
    return err_hint(err, "%s", text_at(job->truth, "hint"));
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
    return json_pack("{s:s, s:s, s:O, s:b, s:s}", "kind", "record", "workspace", job->dir, "index", json_object_get(record, "index"),
                     "hidden", hidden, "layout", layout);
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
        if (!write_bytes(a, job, name, text, strlen(text), err)) return false;
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
    if (!write_bytes(a, job, "target.env", target, strlen(target), err)) return false;
    Err why = {0};
    if (!own_file_may_replace(a, in_dir(a, job, desc), in_dir(a, job, "model.py"), &why)) return keep_edited(a, b, args, job, in_dir(a, job, desc), err);
    return write_bytes(a, job, desc, job->desc_text, strlen(job->desc_text), err) &&
           write_bytes(a, job, arena_printf(a, "%s.design.md", job->name), job->gen.design_md, strlen(job->gen.design_md), err) &&
           write_sources(a, job, job->gen.kernel_name, job->gen.source, err);
}

/* ---- the operator ------------------------------------------------------------------------------------------------------ */

static Graph *generate(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, Err *err) {
    const char *model = in_dir(a, job, "model.py");
    Graph *g = gen_trace(a, b, model, job->name, args->stage_limit_s, NULL, err);
    if (!g) return NULL;
    GenOptions o = {.chip = args->target->chip, .op_name = job->name};
    if (!gen_operator(a, g, &o, &job->gen, err)) return NULL;
    job->desc_text = own_file_mark(a, desc_print(a, job->gen.source), model);
    progress_stage(&args->progress, "gradient: %zu operations, %zu inputs, %zu outputs", g->n_nodes, g->n_inputs, g->n_outputs);
    return g;
}

static bool verify(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, const Graph *g, Err *err) {
    GraphCases own = graph_cases(a, g, plan_facts());
    const char *reference = in_dir(a, job, "model.py");
    VerifyOptions o = {.op = job->name,
                       .category = job->gen.category,
                       .reference_path = reference,
                       .kernel_code_path = in_dir(a, job, arena_printf(a, "%s.ascendc.py", job->name)),
                       .chip = args->target->chip,
                       .standard = VERIFY_STD_ECOSYSTEM,
                       .control = true,
                       .model = args->model,
                       .stage_limit_s = args->stage_limit_s,
                       .build_dir = in_dir(a, job, "build"),
                       .on_log = progress_log,
                       .log_ctx = &args->progress};
    bool ok = fs_make_dirs(o.build_dir, err) && admit_own(a, b, reference, &own, err);
    if (ok) {
        VerifyCase *list = make_cases(a, job, &own, &o.n_cases);
        o.cases = list;
        ok = verify_run(a, b, &o, &job->verdict, err);
        for (size_t i = 0; i < o.n_cases; i++) json_decref(list[i].spec);
    }
    graph_cases_clear(&own);
    return ok;
}

static bool finish(Arena *a, BackwardArgs *args, BackwardJob *job, int *status, Err *err) {
    BackwardStatus s;
    json_t *report = backward_report(a, args, job, &s);
    char *text = json_dumps(report, JSON_INDENT(2));
    bool ok = fs_write(in_dir(a, job, "verification.json"), text, strlen(text), err);
    free(text);
    if (ok) {
        progress_clear(&args->progress);
        backward_print(a, report);
        if (s != BACKWARD_PASS && job->verdict.summary) puts(job->verdict.summary);
        printf("wrote %s\n", job->dir);
        *status = s == BACKWARD_PASS ? 0 : job->verdict.exit_code == 3 ? 3 : 1;
    }
    json_decref(report);
    return ok;
}

/* What an earlier run claimed holds no longer; an interruption must not leave it standing. */
static void forget_verdict(Arena *a, const BackwardJob *job) {
    unlink(in_dir(a, job, "verification.json"));
    fs_remove_tree(in_dir(a, job, "build"));
}

static bool run(Arena *a, Bridge *b, BackwardArgs *args, int *status, Err *err) {
    char *spec = realpath(args->spec, NULL);
    if (!spec) {
        err_set(err, ERR_BAD_INPUT, args->spec, "FORWARD_SPEC_MISSING: there is no such file");
        return err_hint(err, "give the path of a forward specification");
    }
    const char *base = basename(arena_strdup(a, spec));
    size_t n = strlen(base);
    const char *stem = n > 3 && !strcmp(base + n - 3, ".py") ? arena_printf(a, "%.*s", (int)n - 3, base) : base;
    const char *parent = args->output_dir ? args->output_dir : dirname(arena_strdup(a, spec));
    args->spec = arena_strdup(a, spec);
    free(spec);
    BackwardJob job = {.dir = arena_printf(a, "%s/%s_grad", parent, stem)};
    if (!fs_check_writable_dir(parent, err) || !fs_make_dirs(job.dir, err)) return false;
    char *real = realpath(job.dir, NULL);
    if (!real) return err_set(err, ERR_IO, job.dir, "the workspace cannot be read");
    job.dir = arena_strdup(a, real);
    free(real);
    forget_verdict(a, &job);
    bool ok = prepare_truth(a, b, args, &job, err);
    if (ok) {
        job.name = arena_strdup(a, text_at(job.truth, "op"));
        const json_t *counts = json_object_get(job.truth, "counts");
        progress_stage(&args->progress, "truth: READY, %" JSON_INTEGER_FORMAT " cases, %" JSON_INTEGER_FORMAT " skipped", json_integer_value(json_object_get(counts, "records")),
                       json_integer_value(json_object_get(counts, "skipped")));
        const Graph *g = generate(a, b, args, &job, err);
        ok = g && write_operator(a, b, args, &job, err);
        if (ok && args->no_verify) printf("wrote %s\n", job.dir);
        else if (ok) ok = verify(a, b, args, &job, g, err) && finish(a, args, &job, status, err);
    }
    json_decref(job.truth);
    json_decref(job.verdict.json);
    return ok;
}

int cli_backward(int argc, char **argv) {
    BackwardArgs args = {0};
    Err err = {0};
    if (!parse_args(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    Arena *a = arena_new();
    Bridge *b = cli_start_bridge(a, &err);
    int status = 0;
    if (!b || !run(a, b, &args, &status, &err)) status = cli_report(&err);
    bridge_stop(b);
    arena_free(a);
    return status;
}
