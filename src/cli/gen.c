/* opwright gen: reference files in; descriptions, specifications, designs and verdicts out, and a table of them. */
#include "cli/cli.h"
#include "cli/table.h"
#include "codegen/codegen.h"
#include "desc/desc.h"
#include "graph/cases.h"
#include "graph/graph.h"
#include "verify/verify.h"

#include <getopt.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *to) {
    fprintf(to,
            "usage: opwright gen REFERENCE.py... [options]\n\n"
            "Writes, for each reference file, beside it or into --output-dir:\n"
            "  NAME.ascendc.py   the operator: project JSON, host tiling, host operator, kernel, binding, model\n"
            "  NAME.spec.json    the requirement in normal form\n"
            "  NAME.design.md    the design: prototype, tiling, buffers, core split, instructions\n"
            "  NAME.result.json  the verdict\n\n"
            "  --output-dir DIR    where to write (made when missing)\n"
            "  --name NAME         operator name; default: from the file name (one file only)\n"
            "  --no-verify         write only\n"
            "  --standard NAME     ecosystem (default), multikernelbench or seed\n"
            "  --chip NAME         default Ascend910B4\n"
            "  --dump STAGE        print the graph, the plan or nothing else: graph, plan\n"
            "  --time-limit S      for each stage of verification, default 120\n"
            "  --quiet             no progress lines\n\n"
            "exit status: 0 all PASS, 1 a verdict is not PASS, 2 bad input or a missing tool\n");
}

typedef struct Args {
    const char *output_dir, *name, *chip, *dump;
    VerifyStandard standard;
    double stage_limit_s;
    bool no_verify, quiet, help;
    char **files;
    int n_files;
} Args;

/* One operator on its way from the reference to the files. */
typedef struct Job {
    const char *reference, *name, *dir;
    Graph *graph;
    GenResult gen;
    const char *desc_text;
    VerifyResult verdict;
    size_t n_cases;   /* that the reference takes */
    json_t *left_out; /* {label, reason} of the others */
} Job;

enum { OPT_DIR = 256, OPT_NAME, OPT_NO_VERIFY, OPT_STANDARD, OPT_CHIP, OPT_DUMP, OPT_TIME, OPT_QUIET };

static bool parse_args(int argc, char **argv, Args *args, Err *err) {
    static const struct option OPTIONS[] = {
        {"output-dir", required_argument, NULL, OPT_DIR},      {"name", required_argument, NULL, OPT_NAME},
        {"no-verify", no_argument, NULL, OPT_NO_VERIFY},       {"standard", required_argument, NULL, OPT_STANDARD},
        {"chip", required_argument, NULL, OPT_CHIP},           {"dump", required_argument, NULL, OPT_DUMP},
        {"time-limit", required_argument, NULL, OPT_TIME},     {"quiet", no_argument, NULL, OPT_QUIET},
        {"help", no_argument, NULL, 'h'},                      {0},
    };
    args->standard = VERIFY_STD_ECOSYSTEM;
    for (int c; (c = getopt_long(argc, argv, "h", OPTIONS, NULL)) != -1;) switch (c) {
        case OPT_DIR: args->output_dir = optarg; break;
        case OPT_NAME: args->name = optarg; break;
        case OPT_NO_VERIFY: args->no_verify = true; break;
        case OPT_STANDARD:
            if (!verify_standard_find(optarg, &args->standard, err)) return false;
            break;
        case OPT_CHIP: args->chip = optarg; break;
        case OPT_DUMP: args->dump = optarg; break;
        case OPT_TIME:
            if (!cli_parse_positive("time-limit", optarg, &args->stage_limit_s, err)) return false;
            break;
        case OPT_QUIET: args->quiet = true; break;
        case 'h': args->help = true; return true;
        default: return err_set(err, ERR_USAGE, NULL, "see `opwright gen --help`");
        }
    args->files = argv + optind;
    args->n_files = argc - optind;
    if (args->n_files == 0) return err_set(err, ERR_USAGE, NULL, "no reference file given");
    if (args->name && args->n_files > 1) return err_set(err, ERR_USAGE, NULL, "--name goes with one reference file");
    if (args->dump && strcmp(args->dump, "graph") != 0 && strcmp(args->dump, "plan") != 0)
        return err_set(err, ERR_USAGE, NULL, "--dump takes graph or plan, not `%s`", args->dump);
    return true;
}

/* The graph of the reference, from the worker. */
static bool trace(Arena *a, Bridge *b, const Args *args, Job *job, Err *err) {
    json_t *params = json_pack("{s:s, s:o}", "path", job->reference, "ops", gen_known_ops());
    if (!params) return err_set(err, ERR_BAD_INPUT, job->reference, "the path is not UTF-8");
    if (args->name) json_object_set_new(params, "name", json_string(args->name));
    BridgeReply reply = {0};
    bool ok = bridge_call(b, a, "trace", params, NULL, &reply, err);
    json_decref(params);
    if (ok) {
        job->graph = graph_parse(a, json_object_get(reply.result, "graph"), err);
        ok = job->graph != NULL;
    }
    bridge_reply_clear(&reply);
    return ok;
}

static bool generate(Arena *a, Bridge *b, const Args *args, Job *job, Err *err) {
    if (!trace(a, b, args, job, err)) return false;
    job->name = args->name ? args->name : job->graph->name;
    if (args->dump && !strcmp(args->dump, "graph")) fputs(graph_print(job->graph, a), stdout);
    GenOptions o = {.chip = args->chip, .op_name = job->name};
    if (!gen_operator(a, job->graph, &o, &job->gen, err)) return false;
    if (args->dump && !strcmp(args->dump, "plan")) fputs(plan_print(job->gen.plan, a), stdout);
    job->desc_text = desc_print(a, job->gen.source);
    return true;
}

static const char *out_path(Arena *a, const Job *job, const char *suffix) {
    return arena_printf(a, "%s/%s%s", job->dir, job->name, suffix);
}

/* The cases that the reference itself takes; what it says to the others is kept for the result. */
static bool admit(Arena *a, Bridge *b, const Args *args, Job *job, const GraphCases *cases, VerifyCase *list, Err *err) {
    json_t *specs = json_array();
    for (size_t i = 0; i < cases->n; i++) json_array_append(specs, cases->at[i].spec);
    json_t *params = json_pack("{s:s, s:o}", "path", job->reference, "cases", specs);
    BridgeReply reply = {0};
    bool ok = bridge_call(b, a, "admit", params, NULL, &reply, err);
    json_decref(params);
    const json_t *refusals = ok ? json_object_get(reply.result, "refusals") : NULL;
    job->left_out = json_array();
    for (size_t i = 0; ok && i < cases->n; i++) {
        const char *why = json_string_value(json_array_get(refusals, i));
        if (!why) {
            list[job->n_cases++] = (VerifyCase){.label = cases->at[i].label, .spec = cases->at[i].spec};
            continue;
        }
        json_array_append_new(job->left_out, json_pack("{s:s, s:s}", "label", cases->at[i].label, "reason", why));
        if (!args->quiet) cli_log(NULL, arena_printf(a, "case left out (%s): the reference does not take it: %s", cases->at[i].label, why));
    }
    bridge_reply_clear(&reply);
    return ok;
}

/* Verifies the text as it would be written, from a temporary place, so that a failure of ours leaves nothing behind. */
static bool verify(Arena *a, Bridge *b, const Args *args, Job *job, Err *err) {
    char *tmp = fs_temp_dir(a, "opwright-gen", err);
    if (!tmp) return false;
    const char *path = arena_printf(a, "%s/%s.ascendc.py", tmp, job->name);
    GraphCases cases = graph_cases(a, job->graph);
    VerifyCase *list = ARENA_ARRAY(a, cases.n, VerifyCase);
    if (!admit(a, b, args, job, &cases, list, err)) {
        graph_cases_clear(&cases);
        fs_remove_tree(tmp);
        return false;
    }
    VerifyOptions o = {.op = job->name,
                       .category = job->gen.category,
                       .reference_path = job->reference,
                       .kernel_code_path = path,
                       .chip = args->chip,
                       .standard = args->standard,
                       .cases = list,
                       .n_cases = job->n_cases,
                       .stage_limit_s = args->stage_limit_s,
                       .on_log = args->quiet ? NULL : cli_log};
    bool ok = fs_write(path, job->desc_text, strlen(job->desc_text), err) && verify_run(a, b, &o, &job->verdict, err);
    graph_cases_clear(&cases);
    fs_remove_tree(tmp);
    return ok;
}

static bool write_files(Arena *a, Job *job, Err *err) {
    char *result = NULL;
    if (job->verdict.json) {
        const char *desc = out_path(a, job, ".ascendc.py");
        json_object_set_new(job->verdict.json, "reference_path", json_string(job->reference));
        json_object_set_new(job->verdict.json, "kernel_code_path", json_string(desc));
        if (json_array_size(job->left_out) > 0) json_object_set(job->verdict.json, "cases_left_out", job->left_out);
        result = json_dumps(job->verdict.json, JSON_INDENT(2));
    }
    const struct {
        const char *suffix, *text;
    } files[] = {{".ascendc.py", job->desc_text}, {".spec.json", job->gen.spec_json}, {".design.md", job->gen.design_md}, {".result.json", result}};
    bool ok = fs_make_dirs(job->dir, err);
    for (size_t i = 0; ok && i < sizeof files / sizeof files[0]; i++)
        if (files[i].text) ok = fs_write(out_path(a, job, files[i].suffix), files[i].text, strlen(files[i].text), err);
    free(result);
    return ok;
}

static bool run_job(Arena *a, Bridge *b, const Args *args, Job *job, Err *err) {
    job->dir = args->output_dir ? args->output_dir : dirname(arena_strdup(a, job->reference));
    if (!generate(a, b, args, job, err)) return false;
    if (args->dump) return true;
    if (!args->no_verify && !verify(a, b, args, job, err)) return false;
    return write_files(a, job, err);
}

/* ------------------------------------------------------------------------------------------------------ the table */

static const char *dtypes_text(Arena *a, const Graph *g) {
    const char *text = "";
    for (size_t i = 0; i < g->n_variants; i++)
        text = arena_printf(a, "%s%s%s", text, i ? "," : "", dtype_info(g->variants[i])->torch);
    return text;
}

/* "2e-07 / 3e-06 of 1e-04 / 1e-03": the output whose error comes nearest to its limit. */
static const char *precision_text(Arena *a, const json_t *result) {
    const json_t *list = json_object_get(result, "precision"), *worst = NULL;
    double worst_share = -1.0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        double limit = json_number_value(json_object_get(p, "MARE_limit")), mare = json_number_value(json_object_get(p, "MARE"));
        double share = limit > 0 ? mare / limit : mare;
        if (share <= worst_share) continue;
        worst = p;
        worst_share = share;
    }
    if (!worst) return "-";
    if (json_number_value(json_object_get(worst, "MARE_limit")) == 0.0) return "exact";
    return arena_printf(a, "%.1e/%.1e of %.1e/%.1e", json_number_value(json_object_get(worst, "MERE")),
                        json_number_value(json_object_get(worst, "MARE")), json_number_value(json_object_get(worst, "MERE_limit")),
                        json_number_value(json_object_get(worst, "MARE_limit")));
}

static const char *checks_text(Arena *a, const json_t *result) {
    size_t n[3] = {0};
    static const char *const NAMES[] = {"error", "warning", "note"};
    const json_t *list = json_object_get(result, "checks");
    for (size_t i = 0; i < json_array_size(list); i++)
        for (size_t k = 0; k < 3; k++)
            if (!strcmp(json_string_value(json_object_get(json_array_get(list, i), "severity")), NAMES[k])) n[k]++;
    if (n[0] + n[1] == 0) return "clean";
    return arena_printf(a, "%zu errors, %zu warnings", n[0], n[1]);
}

static void add_row(Arena *a, Table *t, const Job *job, const Err *err) {
    const char *name = job->name ? job->name : job->reference;
    const json_t *r = job->verdict.json;
    if (err->code != ERR_OK) {
        table_row(t, (const char *const[]){name, "-", "-", "-", "-", "-", err_code_name(err->code)});
        return;
    }
    const char *verdict = r ? arena_strdup(a, json_string_value(json_object_get(r, "verdict"))) : "written";
    table_row(t, (const char *const[]){name, dtypes_text(a, job->graph), r ? arena_printf(a, "%zu", job->n_cases) : "-",
                                       !r ? "-" : json_is_true(json_object_get(r, "compiled")) ? "yes" : "no",
                                       r ? precision_text(a, r) : "-", r ? checks_text(a, r) : "-", verdict});
}

static int run_all(Arena *a, Bridge *b, const Args *args) {
    static const char *const HEADS[] = {"operator", "dtypes", "cases", "compiled", "MERE/MARE of limits", "checks", "verdict"};
    Table *t = table_new(a, sizeof HEADS / sizeof HEADS[0], HEADS);
    int status = 0;
    for (int i = 0; i < args->n_files; i++) {
        Job job = {.reference = args->files[i]};
        Err err = {0};
        if (!args->quiet && args->n_files > 1) fprintf(stderr, "%s\n", args->files[i]);
        int one = run_job(a, b, args, &job, &err) ? job.verdict.exit_code : cli_report(&err);
        add_row(a, t, &job, &err);
        if (one > status) status = one;
        if (job.verdict.summary && (args->n_files == 1 || one != 0)) puts(job.verdict.summary);
        if (args->n_files == 1 && err.code == ERR_OK && !args->dump) printf("wrote %s\n", out_path(a, &job, ".ascendc.py"));
        json_decref(job.verdict.json);
        json_decref(job.left_out);
    }
    if (args->n_files > 1) table_print(t, stdout);
    return status;
}

int cli_gen(int argc, char **argv) {
    Args args = {0};
    Err err = {0};
    if (!parse_args(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    Arena *a = arena_new();
    Bridge *b = cli_start_bridge(a, &err);
    int status = b ? run_all(a, b, &args) : cli_report(&err);
    bridge_stop(b);
    arena_free(a);
    return status;
}
