/* opwright check: everything that can be said about a description, for people, for programs and for editors. */
#include "cli/check_int.h"
#include "cli/cli.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "explain/explain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *to) {
    fprintf(to, "usage: opwright check DESC.py --reference REF.py [options]\n\n"
                "Builds a description, holds it against the rules of the device's language, runs it on the simulated AI Core with all\n"
                "checks, compares it with its reference, and says for each fault where it is, what to do, and where that is explained.\n\n"
                "  --reference FILE    PyTorch reference: Model, get_inputs, get_init_inputs\n"
                "  --static            without a reference: build and rules only, nothing is run\n"
                "  --shape SHAPES      sizes of forward's tensors in order, 33x100,100 (`scalar` for no dimensions); may be\n"
                "                      repeated, each is a case; default: the file's own inputs, 5 times\n"
                "  --dtype NAME        of floating inputs with --shape; default: that of the file's own\n"
                "  --strict            warnings, habits that real cards forgive, are errors\n"
                "  --schedule NAME     in-order (default), lazy, random:SEED or all: orders of the pipes that are tried\n"
                "  --exact             give inexact instructions exact results: tells errors of the algorithm from theirs\n"
                "  --bisect            after a mismatch run the case again and tell the first instruction that leaves a NaN, an infinity,\n"
                "                      or a number beyond all that the reference computes\n"
                "  --toolchain NAME    rules of the device's language: a2 or a5 (default: of the chip), or none\n"
                "  --standard NAME     seed (default), multikernelbench or ecosystem\n"
                "  --chip NAME         default Ascend910B4\n"
                "  --time-limit S      for each stage, default 120\n"
                "  --json              print the result object (docs/result.md)\n"
                "  --sarif             print SARIF 2.1.0 for editors and CI\n"
                "  --lang en|zh        language of what is printed\n"
                "  --quiet             no progress lines\n\n"
                "exit status: 0 PASS, 1 another verdict, 2 bad input or a missing tool, 3 a failure of opwright or the machine\n");
}

enum { OPT_REF = 256, OPT_STATIC, OPT_BISECT, OPT_SHAPE, OPT_DTYPE, OPT_STANDARD, OPT_CHIP, OPT_TIME, OPT_JSON, OPT_SARIF, OPT_LANG, OPT_QUIET };

typedef struct Args {
    Arena *arena;
    VerifyOptions options;
    VEC(const char *) shapes;
    const char *dtype, *lang_name;
    ExplainLang lang;
    bool as_json, as_sarif, is_static, help;
    Progress progress;
} Args;

static bool parse_one(int c, Args *args, Err *err) {
    switch (c) {
    case OPT_REF: args->options.reference_path = optarg; return true;
    case OPT_BISECT: args->options.bisect = true; return true;
    case OPT_STATIC: args->is_static = true; return true;
    case OPT_SHAPE: vec_push(args->arena, &args->shapes, optarg); return true;
    case OPT_DTYPE: args->dtype = optarg; return true;
    case OPT_STANDARD: return verify_standard_find(optarg, &args->options.standard, err);
    case OPT_CHIP: args->options.chip = optarg; return true;
    case OPT_TIME: return cli_parse_positive("time-limit", optarg, &args->options.stage_limit_s, err);
    case OPT_JSON: args->as_json = true; return true;
    case OPT_SARIF: args->as_sarif = true; return true;
    case OPT_LANG: args->lang_name = optarg; return true;
    case OPT_QUIET: args->progress.quiet = true; return true;
    case 'h': args->help = true; return true;
    default: return model_option(c, &args->options.model, err);
    }
}

static bool parse_args(int argc, char **argv, Args *args, Err *err) {
    static const struct option OPTIONS[] = {{"reference", required_argument, NULL, OPT_REF},
                                            {"static", no_argument, NULL, OPT_STATIC},
                                            {"bisect", no_argument, NULL, OPT_BISECT},
                                            {"shape", required_argument, NULL, OPT_SHAPE},
                                            {"dtype", required_argument, NULL, OPT_DTYPE},
                                            MODEL_OPTIONS,
                                            {"standard", required_argument, NULL, OPT_STANDARD},
                                            {"chip", required_argument, NULL, OPT_CHIP},
                                            {"time-limit", required_argument, NULL, OPT_TIME},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"sarif", no_argument, NULL, OPT_SARIF},
                                            {"lang", required_argument, NULL, OPT_LANG},
                                            {"quiet", no_argument, NULL, OPT_QUIET},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    VerifyOptions *o = &args->options;
    o->on_log = progress_log;
    o->log_ctx = &args->progress;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;)
        if (!parse_one(c, args, err)) return false;
    if (args->help) return true;
    if (argc - optind != 1) {
        err_set(err, ERR_USAGE, NULL, argc == optind ? "no description given" : "one description at a time");
        return err_hint(err, "for example: opwright check add.ascendc.py --reference add.py");
    }
    o->kernel_code_path = argv[optind];
    o->op = check_op_name(args->arena, argv[optind]);
    if (args->is_static && o->reference_path) return err_set(err, ERR_USAGE, NULL, "--static needs no --reference");
    if (!args->is_static && !o->reference_path) {
        err_set(err, ERR_USAGE, NULL, "--reference is missing");
        return err_hint(err, "give the PyTorch file it is compared with, or --static for what can be said without running");
    }
    if (args->is_static && args->shapes.n) return err_set(err, ERR_USAGE, NULL, "--shape is for a run; --static runs nothing");
    if (args->as_json && args->as_sarif) return err_set(err, ERR_USAGE, NULL, "--json or --sarif, not both");
    return explain_lang(args->lang_name, &args->lang, err);
}

static bool run(Args *args, int *status, Err *err) {
    VerifyOptions *o = &args->options;
    if (!fs_check_readable(o->kernel_code_path, err) || (o->reference_path && !fs_check_readable(o->reference_path, err))) return false;
    Bridge *b = cli_start_bridge(args->arena, err);
    if (!b) return false;
    VerifyResult r = {0};
    bool ok = check_cases(args->arena, b, args->shapes.at, args->shapes.n, args->dtype, o, err) && verify_run(args->arena, b, o, &r, err);
    progress_clear(&args->progress);
    if (ok) {
        *status = r.exit_code;
        if (args->as_json || args->as_sarif) {
            json_t *out = args->as_json ? json_incref(r.json) : verify_sarif(args->arena, r.json, o->kernel_code_path, args->lang == EXPLAIN_ZH);
            char *text = json_dumps(out, JSON_INDENT(2));
            puts(text ? text : "{}");
            free(text);
            json_decref(out);
        } else {
            check_print(args->arena, &r, o->kernel_code_path, args->lang, stdout);
        }
    }
    for (size_t i = 0; i < o->n_cases; i++) json_decref(o->cases[i].spec);
    json_decref(r.json);
    bridge_stop(b);
    return ok;
}

int cli_check(int argc, char **argv) {
    Err err = {0};
    Args args = {.arena = arena_new()};
    int status = 0;
    bool ok = parse_args(argc, argv, &args, &err);
    if (ok && args.help) print_usage(stdout);
    else if (ok) ok = run(&args, &status, &err);
    progress_clear(&args.progress);
    if (!ok) status = cli_report(&err);
    arena_free(args.arena);
    return status;
}
