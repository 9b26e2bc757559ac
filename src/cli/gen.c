/* opwright gen: reference files in; descriptions, specifications, designs and verdicts out, and a table of
 * them. */
#include "cli/cli.h"
#include "cli/gen_int.h"
#include "cli/hints.h"
#include "cli/model_options.h"
#include "cli/own_file.h"
#include "desc/desc.h"
#include "graph/cases.h"
#include "isa/isa.h"
#include "lower/work.h"

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_usage(FILE *to) {
    fprintf(
        to,
        "usage: opwright gen REFERENCE.py... [options]\n\n"
        "Writes, for each reference file, beside it or into --output-dir:\n"
        "  NAME.ascendc.py   the operator: project JSON, host tiling, host operator, kernel, binding, model\n"
        "  NAME.spec.json    the requirement in normal form\n"
        "  NAME.design.md    the design: prototype, tiling, buffers, core split, instructions\n"
        "  NAME.result.json  the verdict\n\n"
        "  --output-dir DIR    where to write (made when missing)\n"
        "  --name NAME         operator name; default: from the file name (one file only)\n"
        "  --force             replace a NAME.ascendc.py that gen did not write or that was edited since\n"
        "  --no-verify         write only; no result file\n"
        "  --standard NAME     ecosystem (default), multikernelbench or seed\n"
        "  --chip NAME         default Ascend910B4\n"
        "  --explain           print what was decided about stages and families, and why\n"
        "  --dump STAGE        print `graph` or `plan` and write nothing\n"
        "  --time-limit S      for tracing and for each stage of verification, default 120\n"
        "  --strict            warnings, habits that real cards forgive, are errors\n"
        "  --schedule NAME     in-order (default), lazy, random:SEED or all: orders of the pipes that are "
        "tried\n"
        "  --exact             give inexact instructions exact results\n"
        "  --max-bytes N       inputs and outputs of the largest case together, default 16 MiB: a file's own sizes are tried up to\n"
        "                      there, larger ones at sizes with the same remainders (K, M and G may follow N)\n"
        "  --report FILE       what came of each operator, as JSON (docs/result.md)\n"
        "  --verbose           a progress line for every case\n"
        "  --quiet             no progress lines\n\n"
        "A file whose inputs come in groups (get_input_groups in place of get_inputs) gives an operator for each kind of group.\n"
        "FILE.py#3 gives only that of group 3.\n"
        "Verdicts go to standard output, progress and errors to standard error. With several files the last "
        "thing printed\n"
        "is a table of them, and one that fails does not stop the others.\n"
        "exit status: 0 all PASS, 1 another verdict, 2 bad input or a missing tool, 3 a failure of opwright "
        "or the machine;\n"
        "of several files the largest\n");
}

enum {
    OPT_DIR = 256,
    OPT_NAME,
    OPT_FORCE,
    OPT_NO_VERIFY,
    OPT_STANDARD,
    OPT_CHIP,
    OPT_DUMP,
    OPT_TIME,
    OPT_VERBOSE,
    OPT_QUIET,
    OPT_EXPLAIN,
    OPT_MAX_BYTES,
    OPT_REPORT
};

#define MAX_BYTES (16.0 * 1048576)

/* "256M" */
static bool parse_bytes(const char *text, double *out, Err *err) {
    static const char UNITS[] = "KMG";
    char *end;
    double n = strtod(text, &end);
    const char *unit = *end ? strchr(UNITS, *end) : NULL;
    for (const char *u = UNITS; unit && u <= unit; u++) n *= 1024;
    if (unit) end++;
    if (n >= 4096 && n < 1e15 && *end == 0) {
        *out = n;
        return true;
    }
    err_set(err, ERR_USAGE, NULL, "--max-bytes takes a number of bytes of at least 4096, not `%s`", text);
    return err_hint(err, "for example 64M");
}

static bool check_chip(const char *name, Err *err) {
    if (chip_find(name)) return true;
    char known[512] = "";
    for (size_t i = 0, n = 0; i < chip_count() && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", chip_at(i)->name);
    err_set(err, ERR_USAGE, NULL, "chip `%s` is not known", name);
    return err_hint(err, "one of %s", known);
}

static bool parse_args(int argc, char **argv, GenArgs *args, Err *err) {
    static const struct option OPTIONS[] = {
        {"output-dir", required_argument, NULL, OPT_DIR},
        {"name", required_argument, NULL, OPT_NAME},
        {"no-verify", no_argument, NULL, OPT_NO_VERIFY},
        {"standard", required_argument, NULL, OPT_STANDARD},
        {"chip", required_argument, NULL, OPT_CHIP},
        {"dump", required_argument, NULL, OPT_DUMP},
        {"time-limit", required_argument, NULL, OPT_TIME},
        {"quiet", no_argument, NULL, OPT_QUIET},
        {"max-bytes", required_argument, NULL, OPT_MAX_BYTES},
        {"report", required_argument, NULL, OPT_REPORT},
        MODEL_OPTIONS,
        {"force", no_argument, NULL, OPT_FORCE},
        {"verbose", no_argument, NULL, OPT_VERBOSE},
        {"explain", no_argument, NULL, OPT_EXPLAIN},
        {"help", no_argument, NULL, 'h'},
        {0},
    };
    args->standard = VERIFY_STD_ECOSYSTEM;
    args->max_bytes = MAX_BYTES;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;) switch (c) {
        case OPT_DIR:
            args->output_dir = optarg;
            break;
        case OPT_NAME:
            args->name = optarg;
            break;
        case OPT_NO_VERIFY:
            args->no_verify = true;
            break;
        case OPT_STANDARD:
            if (!verify_standard_find(optarg, &args->standard, err)) return false;
            break;
        case OPT_CHIP:
            args->chip = optarg;
            break;
        case OPT_DUMP:
            args->dump = optarg;
            break;
        case OPT_TIME:
            if (!cli_parse_positive("time-limit", optarg, &args->stage_limit_s, err)) return false;
            break;
        case OPT_MAX_BYTES:
            if (!parse_bytes(optarg, &args->max_bytes, err)) return false;
            break;
        case OPT_REPORT:
            args->report = optarg;
            break;
        case OPT_EXPLAIN:
            args->explain = true;
            break;
        case OPT_FORCE:
            args->force = true;
            break;
        case OPT_VERBOSE:
            args->progress.verbose = true;
            break;
        case OPT_QUIET:
            args->progress.quiet = true;
            break;
        case 'h':
            args->help = true;
            return true;
        default:
            if (!model_option(c, &args->model, err)) return false;
        }
    args->files = argv + optind;
    args->n_files = argc - optind;
    args->progress.brief = args->n_files > 1;
    if (args->n_files == 0) {
        err_set(err, ERR_USAGE, NULL, "no reference file given");
        return err_hint(err, "for example: opwright gen --output-dir out add.py; see `opwright gen --help`");
    }
    if (args->name && args->n_files > 1)
        return err_set(err, ERR_USAGE, NULL, "--name goes with one reference file");
    if (args->dump && strcmp(args->dump, "graph") != 0 && strcmp(args->dump, "plan") != 0)
        return err_set(err, ERR_USAGE, NULL, "--dump takes graph or plan, not `%s`", args->dump);
    if (args->output_dir && !*args->output_dir) return err_set(err, ERR_USAGE, NULL, "--output-dir is empty");
    return !args->chip || check_chip(args->chip, err);
}

/* Tracing runs nothing but the reference: when it hangs or dies, the file did it. */
static void blame_reference(const char *reference, Err *err) {
    err->code = ERR_BAD_INPUT;
    if (!err->where[0]) snprintf(err->where, sizeof err->where, "%s", reference);
    err_hint(err, "the file did that while it was imported or run; try: python3 %s", reference);
}

Graph *gen_trace(Arena *a, Bridge *b, const char *reference, const char *name, double limit_s, json_t **more, Err *err) {
    json_t *params = json_pack("{s:s, s:o}", "path", reference, "ops", gen_known_ops());
    if (!params) {
        err_set(err, ERR_BAD_INPUT, reference, "the name of the file is not UTF-8");
        return NULL;
    }
    if (name) json_object_set_new(params, "name", json_string(name));
    BridgeReply reply = {0};
    Graph *graph = NULL;
    const BridgeLimits limits = {.wall_s = limit_s};
    if (bridge_call(b, a, "trace", params, &limits, &reply, err)) {
        graph = graph_parse(a, json_object_get(reply.result, "graph"), err);
        if (more) *more = json_incref(reply.result);
    } else if (err->code == ERR_TIMEOUT || err->code == ERR_CHILD_DIED) blame_reference(reference, err);
    json_decref(params);
    bridge_reply_clear(&reply);
    return graph;
}

static const char *plural(size_t n) {
    return n == 1 ? "" : "s";
}

static bool generate(Arena *a, Bridge *b, GenArgs *args, GenJob *job, Err *err) {
    json_t *more = NULL;
    job->graph = gen_trace(a, b, job->call, args->name, args->stage_limit_s, &more, err);
    bool ok = job->graph && gen_groups_read(a, job, more, err);
    json_decref(more);
    if (!ok) return false;
    job->name = !args->name ? job->graph->name : job->group ? arena_printf(a, "%s_g%d", args->name, job->group) : args->name;
    double start = time_now_s();
    if (args->dump && !strcmp(args->dump, "graph")) fputs(graph_print(job->graph, a), stdout);
    if (args->dump && !strcmp(args->dump, "plan")) {
        const Plan *plan = plan_graph(a, job->graph, err);
        if (plan) fputs(plan_print(plan, a), stdout);
        return plan != NULL;
    }
    GenOptions o = {.chip = args->chip, .op_name = job->name};
    if (!gen_operator(a, job->graph, &o, &job->gen, err)) return false;
    if (args->dump && !strcmp(args->dump, "plan")) fputs(plan_print(job->gen.plan, a), stdout);
    for (size_t i = 0; args->explain && i < job->gen.plan->decisions.n; i++)
        printf("%s: %s\n", job->name, job->gen.plan->decisions.at[i]);
    job->desc_text = own_file_mark(a, desc_print(a, job->gen.source), job->reference);
    job->write_s = time_now_s() - start;
    job->second_look = work_second_look(a, job->gen.plan);
    if (args->explain)
        printf("%s: looks at its inputs: %s%s\n", job->name, job->second_look ? "two, because " : "one", job->second_look ? job->second_look : "");
    const Graph *g = job->graph;
    progress_stage(&args->progress, "trace: %zu input%s, %zu output%s, %zu operation%s", g->n_inputs,
                   plural(g->n_inputs), g->n_outputs, plural(g->n_outputs), g->n_nodes, plural(g->n_nodes));
    return true;
}

/* What is written for an operator; the first is the description, the last is there only after verification.
 */
static const char *const SUFFIXES[] = {".ascendc.py", ".spec.json", ".design.md", ".result.json"};
#define N_SUFFIXES (sizeof SUFFIXES / sizeof SUFFIXES[0])

static const char *out_path(Arena *a, const GenJob *job, const char *suffix) {
    if (!strcmp(job->dir, ".")) return arena_printf(a, "%s%s", job->name, suffix);
    return arena_printf(a, "%s/%s%s", job->dir, job->name, suffix);
}

/* The cases that the reference itself takes and the standard can judge; why not the others is kept for the
 * result. */
static bool admit(Arena *a, Bridge *b, GenArgs *args, GenJob *job, const GraphCases *cases, VerifyCase *list,
                  Err *err) {
    json_t *specs = json_array();
    for (size_t i = 0; i < cases->n; i++) json_array_append(specs, cases->at[i].spec);
    json_t *params = json_pack("{s:s, s:o}", "path", job->call, "cases", specs);
    BridgeReply reply = {0};
    bool ok = bridge_call(b, a, "admit", params, NULL, &reply, err);
    json_decref(params);
    const json_t *refusals = ok ? json_object_get(reply.result, "refusals") : NULL;
    for (size_t i = 0; ok && i < cases->n; i++) {
        const char *why = json_string_value(json_array_get(refusals, i));
        const char *profile = json_string_value(json_object_get(cases->at[i].spec, "profile"));
        if (!why && args->standard != VERIFY_STD_ECOSYSTEM && profile &&
            (!strcmp(profile, "edge") || !strcmp(profile, "special")))
            why = "under this standard NaN never agrees, not even with NaN";
        if (!why) {
            list[job->n_cases++] = (VerifyCase){.label = cases->at[i].label, .spec = cases->at[i].spec};
            continue;
        }
        json_array_append_new(job->left_out,
                              json_pack("{s:s, s:s}", "label", cases->at[i].label, "reason", why));
        if (args->progress.verbose)
            progress_stage(&args->progress, "case left out (%s): %s", cases->at[i].label, why);
    }
    bridge_reply_clear(&reply);
    size_t n_left_out = json_array_size(job->left_out);
    if (ok && n_left_out)
        progress_stage(&args->progress, "cases: %zu, and %zu left out", job->n_cases, n_left_out);
    else if (ok) progress_stage(&args->progress, "cases: %zu", job->n_cases);
    return ok;
}

/* Verifies the text as it would be written, from a temporary place, so that a failure of ours leaves nothing
 * behind. */
static bool verify(Arena *a, Bridge *b, GenArgs *args, GenJob *job, Err *err) {
    char *tmp = fs_temp_dir_in(a, bridge_scratch(b), "gen", err);
    if (!tmp) return false;
    const char *path = arena_printf(a, "%s/%s.ascendc.py", tmp, job->name);
    GraphCases cases = job->n_points ? graph_odd_cases(a, job->graph, plan_facts()) : graph_cases(a, job->graph, plan_facts());
    const GraphPoint own = graph_own_point(a, job->graph);
    job->left_out = json_array();
    graph_add_points(a, job->graph, plan_facts(), job->n_points ? job->points : &own, job->n_points ? job->n_points : 1,
                     args->max_bytes, &cases, job->left_out);
    VerifyCase *list = ARENA_ARRAY(a, cases.n, VerifyCase);
    if (!admit(a, b, args, job, &cases, list, err)) {
        graph_cases_clear(&cases);
        fs_remove_tree(tmp);
        return false;
    }
    if (job->n_cases == 0) {
        graph_cases_clear(&cases);
        fs_remove_tree(tmp);
        err_set(err, ERR_UNSUPPORTED, job->call, "there is no case to verify it with: its smallest inputs and outputs are beyond --max-bytes");
        return err_hint(err, "raise --max-bytes, or write it only, with --no-verify");
    }
    VerifyOptions o = {.op = job->name,
                       .category = job->gen.category,
                       .reference_path = job->call,
                       .kernel_code_path = path,
                       .chip = args->chip,
                       .standard = args->standard,
                       .model = args->model,
                       .cases = list,
                       .n_cases = job->n_cases,
                       .stage_limit_s = args->stage_limit_s,
                       .on_log = progress_log,
                       .log_ctx = &args->progress};
    bool ok = fs_write(path, job->desc_text, strlen(job->desc_text), err) &&
              verify_run(a, b, &o, &job->verdict, err);
    graph_cases_clear(&cases);
    fs_remove_tree(tmp);
    return ok;
}

static bool write_files(Arena *a, GenJob *job, Err *err) {
    char *result = NULL;
    if (job->verdict.json) {
        const char *desc = out_path(a, job, SUFFIXES[0]);
        json_object_set_new(job->verdict.json, "reference_path", json_string(job->reference));
        json_object_set_new(job->verdict.json, "kernel_code_path", json_string(desc));
        if (job->n_points) json_object_set_new(job->verdict.json, "group", json_integer(job->group));
        json_t *found = json_object_get(job->verdict.json, "cases_left_out"); /* by running the reference */
        if (found) json_array_extend(job->left_out, found);
        if (json_array_size(job->left_out) > 0) json_object_set(job->verdict.json, "cases_left_out", job->left_out);
        result = json_dumps(job->verdict.json, JSON_INDENT(2));
    }
    const char *const text[N_SUFFIXES] = {job->desc_text, job->gen.spec_json, job->gen.design_md, result};
    FsFile files[N_SUFFIXES];
    size_t n = 0;
    for (size_t i = 0; i < N_SUFFIXES; i++)
        if (text[i])
            files[n++] =
                (FsFile){.path = out_path(a, job, SUFFIXES[i]), .data = text[i], .n_bytes = strlen(text[i])};
    bool was_there = fs_exists(job->dir);
    bool ok = fs_make_dirs(job->dir, err) && fs_write_set(files, n, err);
    if (!ok && !was_there) rmdir(job->dir);
    if (ok && !result)
        remove(out_path(a, job, ".result.json")); /* of an earlier run: it speaks of another description */
    free(result);
    return ok;
}

/* Everything that can stop the files from being written, before the work is done. */
static bool check_place(Arena *a, const GenArgs *args, const GenJob *job, const char *const *taken,
                        size_t n_taken, Err *err) {
    const char *path = out_path(a, job, SUFFIXES[0]);
    if (strlen(job->name) + sizeof ".result.json.tmp.XXXXXX" > NAME_MAX) {
        err_set(err, ERR_BAD_INPUT, job->reference,
                "the operator name made from it is too long for a file name");
        return err_hint(err, "give a shorter one with --name");
    }
    for (size_t i = 0; i < n_taken; i++)
        if (taken[i] && !strcmp(taken[i], path)) {
            err_set(err, ERR_BAD_INPUT, job->reference, "an earlier file of this command has written %s",
                    path);
            return err_hint(err,
                            "files with one operator name need different folders, or a run each with --name");
        }
    return args->force || own_file_may_replace(a, path, job->reference, err);
}

/* FILE.py#3, given by the user. */
static void split_call(Arena *a, GenJob *job) {
    const char *mark = strrchr(job->reference, '#');
    if (!mark || !mark[1] || mark[1 + strspn(mark + 1, "0123456789")] || fs_exists(job->reference)) return;
    job->group = atoi(mark + 1);
    job->reference = arena_printf(a, "%.*s", (int)(mark - job->reference), job->reference);
}

/* `taken`: descriptions that this command has written. */
static bool run_job(Arena *a, Bridge *b, GenArgs *args, GenJob *job, const char *const *taken, size_t n_taken,
                    Err *err) {
    split_call(a, job);
    job->dir = args->output_dir ? args->output_dir : dirname(arena_strdup(a, job->reference));
    if (!fs_check_readable(job->reference, err)) return false;
    if (!args->dump && !fs_check_writable_dir(job->dir, err)) return false;
    if (!generate(a, b, args, job, err)) return false;
    if (args->dump) return true;
    if (!check_place(a, args, job, taken, n_taken, err)) return false;
    if (!args->no_verify && !verify(a, b, args, job, err)) return false;
    return write_files(a, job, err);
}

/* The verdict with what was found, and where the files are. Findings that matter are shown; notes stay in the
 * result. */
static void print_one(Arena *a, const GenArgs *args, const GenJob *job) {
    if (args->dump) return;
    if (job->verdict.summary) {
        bool calm = job->verdict.exit_code == 0 && !gen_has_findings(job->verdict.json);
        printf("%.*s\n", calm ? (int)strcspn(job->verdict.summary, "\n") : INT_MAX, job->verdict.summary);
    }
    for (size_t i = 0; i < N_SUFFIXES; i++)
        if (i < N_SUFFIXES - 1 || job->verdict.json)
            printf("%s %s\n", i ? "     " : "wrote", out_path(a, job, SUFFIXES[i]));
}

/* One of several: a line when it is done, and its findings when it did not pass. */
static void print_step(Arena *a, GenArgs *args, const GenJob *job, int i, double wall_s, const Err *err) {
    progress_clear(&args->progress);
    if (!args->progress.quiet)
        fprintf(stderr, "[%*d/%d] %-28s %-9s %5.1f s\n", args->n_files > 9 ? 2 : 1, i + 1, args->n_files,
                job->name ? job->name : job->reference, gen_verdict_text(a, job, err), wall_s);
    if (job->verdict.summary && job->verdict.exit_code != 0) puts(job->verdict.summary);
    fflush(stdout);
}

/* One command: what was written, what came of it. */
typedef struct Run {
    Arena *a;
    Bridge *b;
    GenArgs *args;
    Table *table;
    VEC(const char *) taken; /* descriptions that this command has written */
    json_t *report;
    int status, n_operators;
} Run;

static bool run_one(Run *r, GenJob *job, int i) {
    Err err = {0};
    double start = time_now_s();
    r->args->progress.label = r->args->n_files > 1 || job->group ? job->call : NULL;
    bool ok = run_job(r->a, r->b, r->args, job, r->taken.at, r->taken.n, &err);
    progress_clear(&r->args->progress);
    int one = ok ? job->verdict.exit_code : cli_report(&err);
    if (!ok && err.code == ERR_UNSUPPORTED) hints_for_error(stderr, job->name, &err);
    if (one > r->status) r->status = one;
    gen_table_row(r->a, r->table, job, &err);
    r->n_operators++;
    if (r->args->n_files > 1) print_step(r->a, r->args, job, i, time_now_s() - start, &err);
    else if (ok) print_one(r->a, r->args, job);
    if (ok && job->verdict.exit_code) hints_for_result(stdout, job->name, job->verdict.json);
    const char *desc = job->name ? out_path(r->a, job, SUFFIXES[0]) : "", *result = job->name ? out_path(r->a, job, ".result.json") : "";
    if (ok && !r->args->dump) vec_push(r->a, &r->taken, desc);
    json_array_append_new(r->report, gen_report_row(job, desc, result, &err));
    return ok;
}

/* A file, or each kind of its groups of inputs. */
static void run_file(Run *r, int i) {
    const char *file = r->args->files[i];
    GenGroups groups = {0};
    for (size_t turn = 0; turn <= groups.n; turn++) { /* group 0 is what a file without groups has, too */
        size_t k = turn ? groups.order[turn - 1] : 0;
        if (turn && (groups.done[k] || k == 0)) continue;
        GenJob job = {.reference = file, .call = k ? arena_printf(r->a, "%s#%zu", file, k) : file, .group = (int)k};
        bool ok = run_one(r, &job, i);
        bool alone = job.reference != file; /* FILE.py#3 */
        if (k == 0 && !alone && (job.n_points || !ok)) gen_groups_load(r->a, r->b, file, &groups);
        gen_groups_mark(&groups, &job, ok);
        for (size_t p = 0; p < job.n_points; p++) json_decref(job.points[p].scalars);
        json_decref(job.verdict.json);
        json_decref(job.left_out);
    }
}

static bool write_report(const Run *r, Err *err) {
    char *text = json_dumps(r->report, JSON_INDENT(1));
    bool ok = text && fs_write(r->args->report, text, strlen(text), err);
    free(text);
    return ok;
}

static int run_all(Arena *a, Bridge *b, GenArgs *args) {
    static const char *const HEADS[] = {"operator", "dtypes", "cases", "compiled", "MERE/MARE of limits",
                                        "checks",   "verdict"};
    Run r = {.a = a, .b = b, .args = args, .table = table_new(a, sizeof HEADS / sizeof HEADS[0], HEADS), .report = json_array()};
    Err err = {0};
    for (int i = 0; i < args->n_files; i++) run_file(&r, i);
    if (r.n_operators > 1 && !args->dump) table_print(r.table, stdout);
    if (args->report && !write_report(&r, &err)) r.status = cli_report(&err);
    json_decref(r.report);
    return r.status;
}

int cli_gen(int argc, char **argv) {
    GenArgs args = {0};
    Err err = {0};
    if (!parse_args(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    hints_prepare();
    Arena *a = arena_new();
    Bridge *b = cli_start_bridge(a, &err);
    int status = b ? run_all(a, b, &args) : cli_report(&err);
    bridge_stop(b);
    arena_free(a);
    return status;
}
