/* opwright verify: one description against its reference, with the options of the existing client. */
#include "base/cleanup.h"
#include "cann/cann.h"
#include "cli/cli.h"
#include "cli/hints.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "server/client.h"
#include "server/job.h"
#include "server/request.h"
#include "verify/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void print_usage(FILE *to) {
    fprintf(to,
            "usage: opwright verify --op NAME --reference_path REF.py --kernel_code_path DESC.py "
            "[--local | --backend NAME] [options]\n\n"
            "Builds a description, runs it, and compares it with its reference: here with --local, else by "
            "asking a verification\n"
            "service (`opwright serve`).\n\n"
            "  --op NAME                operator name for the result\n"
            "  --reference_path FILE    PyTorch reference: Model, get_inputs, get_init_inputs\n"
            "  --kernel_code_path FILE  description: a Python file with the six sources\n"
            "  --local                  verify here, on the simulated AI Core\n"
            "  --backend NAME           sim or cann (a real NPU, docs/cann.md): verify here with it\n"
            "  --result_json_path FILE  default ./result.json: the answer (docs/result.md), which is also appended to\n"
            "                           traj.json beside it; '' writes neither\n"
            "  --standard NAME          seed (default), multikernelbench or ecosystem\n"
            "  --chip NAME              default Ascend910B4\n"
            "  --time-limit SECONDS     with --local: for each stage, default 120 (cann: 600)\n"
            "  --memory-limit MB        with --local: for the candidate, default 8192\n"
            "  --keep-build             with --local: leave the build folder and name it in the result\n"
            "  --strict                 warnings, habits that real cards forgive, are errors\n"
            "  --schedule NAME          in-order (default), lazy, random:SEED or all\n"
            "  --exact                  give inexact instructions exact results\n"
            "  --toolchain NAME         device-language rules of a2 or a5, or none\n"
            "  --url URL                of the service (env ASCEND_VERIFY_URL), default %s\n"
            "  --stream                 show the service's log as it comes\n"
            "  --devices LIST           that the service may use: npu:0,npu:1; with --backend cann the one to use\n"
            "  --token-file FILE        the service's token (env ASCEND_VERIFY_TOKEN holds it too)\n"
            "  --send-sources           send the files' texts, for a service on another machine\n"
            "  --no-cache               verify again, also what the service has verified before\n"
            "  --verbose                a line for every case\n"
            "  --quiet                  only the verdict\n\n"
            "The verdict goes to standard output, progress and errors to standard error.\n"
            "exit status: 0 PASS, 1 another verdict, 2 bad input or a missing tool, 3 a failure of opwright "
            "or the machine\n",
            CLIENT_DEFAULT_URL);
}

enum {
    OPT_OP = 256,
    OPT_REF,
    OPT_DESC,
    OPT_LOCAL,
    OPT_BACKEND,
    OPT_RESULT,
    OPT_STANDARD,
    OPT_CHIP,
    OPT_TIME,
    OPT_MEMORY,
    OPT_KEEP,
    OPT_URL,
    OPT_STREAM,
    OPT_DEVICES,
    OPT_TOKEN,
    OPT_SEND,
    OPT_NO_CACHE,
    OPT_VERBOSE,
    OPT_QUIET
};

static const struct option OPTIONS[] = {
    {"op", required_argument, NULL, OPT_OP},
    {"reference_path", required_argument, NULL, OPT_REF},
    {"kernel_code_path", required_argument, NULL, OPT_DESC},
    {"local", no_argument, NULL, OPT_LOCAL},
    {"backend", required_argument, NULL, OPT_BACKEND},
    {"result_json_path", required_argument, NULL, OPT_RESULT},
    {"standard", required_argument, NULL, OPT_STANDARD},
    {"chip", required_argument, NULL, OPT_CHIP},
    {"time-limit", required_argument, NULL, OPT_TIME},
    {"memory-limit", required_argument, NULL, OPT_MEMORY},
    {"keep-build", no_argument, NULL, OPT_KEEP},
    {"url", required_argument, NULL, OPT_URL},
    {"stream", no_argument, NULL, OPT_STREAM},
    {"devices", required_argument, NULL, OPT_DEVICES},
    {"token-file", required_argument, NULL, OPT_TOKEN},
    {"send-sources", no_argument, NULL, OPT_SEND},
    {"no-cache", no_argument, NULL, OPT_NO_CACHE},
    MODEL_OPTIONS,
    {"verbose", no_argument, NULL, OPT_VERBOSE},
    {"quiet", no_argument, NULL, OPT_QUIET},
    {"help", no_argument, NULL, 'h'},
    {0},
};

typedef struct Args {
    VerifyOptions options;
    ClientOptions client;
    const char *result_path; /* "": nothing is written */
    bool result_named;       /* by the user: then it must be possible to write it */
    const char *asked;       /* an option that only a service understands */
    Progress progress;
    bool local, cann, help;
    int npu; /* with cann: the device; -1: the first one */
} Args;

static bool parse_backend(Args *args, Err *err) {
    args->cann = !strcmp(optarg, "cann");
    args->local = true;
    if (args->cann || !strcmp(optarg, "sim")) return true;
    return err_set(err, ERR_USAGE, NULL, "--backend is sim or cann, not `%s`", optarg);
}

static bool parse_one(int c, Args *args, Err *err) {
    VerifyOptions *o = &args->options;
    switch (c) {
    case OPT_OP:
        o->op = optarg;
        return true;
    case OPT_REF:
        o->reference_path = optarg;
        return true;
    case OPT_DESC:
        o->kernel_code_path = optarg;
        return true;
    case OPT_LOCAL:
        args->local = true;
        return true;
    case OPT_BACKEND:
        return parse_backend(args, err);
    case OPT_RESULT:
        args->result_path = optarg, args->result_named = true;
        return true;
    case OPT_STANDARD:
        return verify_standard_find(optarg, &o->standard, err);
    case OPT_CHIP:
        o->chip = optarg;
        return true;
    case OPT_TIME:
        return cli_parse_positive("time-limit", optarg, &o->stage_limit_s, err);
    case OPT_MEMORY:
        return cli_parse_positive("memory-limit", optarg, &o->memory_mb, err);
    case OPT_KEEP:
        o->keep_build = true;
        return true;
    case OPT_URL:
        args->client.url = optarg, args->asked = "url";
        return true;
    case OPT_STREAM:
        args->client.stream = true, args->asked = "stream";
        return true;
    case OPT_DEVICES:
        args->client.devices = optarg;
        return true;
    case OPT_TOKEN:
        args->client.token_file = optarg, args->asked = "token-file";
        return true;
    case OPT_SEND:
        args->client.send_sources = true, args->asked = "send-sources";
        return true;
    case OPT_NO_CACHE:
        args->client.no_cache = true, args->asked = "no-cache";
        return true;
    case OPT_VERBOSE:
        args->progress.verbose = true;
        return true;
    case OPT_QUIET:
        args->progress.quiet = true;
        return true;
    case 'h':
        args->help = true;
        return true;
    default:
        return model_option(c, &o->model, err);
    }
}

/* --devices without a service: the NPU to use. */
static bool choose_device(Args *args, Err *err) {
    const char *list = args->client.devices;
    if (!args->local || !list) return true;
    if (!args->cann)
        return err_set(err, ERR_USAGE, NULL, "--devices is for a service or for --backend cann; --local has one simulated core");
    Arena *a = arena_new();
    const char *name = request_device_name(a, list);
    bool ok = name && !strncmp(name, "npu:", 4);
    if (ok) args->npu = atoi(name + 4);
    arena_free(a);
    return ok || err_set(err, ERR_USAGE, NULL, "--backend cann verifies on one NPU, `npu:0`, not on `%s`", list);
}

static bool parse_args(int argc, char **argv, Args *args, Err *err) {
    args->result_path = "./result.json";
    args->npu = -1;
    args->options.on_log = progress_log;
    args->options.log_ctx = &args->progress;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;)
        if (!parse_one(c, args, err)) return false;
    if (args->help) return true;
    if (optind < argc) return err_set(err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
    const struct {
        const char *name, *value;
    } required[] = {{"op", args->options.op},
                    {"reference_path", args->options.reference_path},
                    {"kernel_code_path", args->options.kernel_code_path}};
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!required[i].value || !*required[i].value)
            return err_set(err, ERR_USAGE, NULL, "--%s is missing", required[i].name);
    if (args->cann && !verify_model_is_default(&args->options.model))
        return err_set(err, ERR_USAGE, NULL, "--strict, --schedule, --exact and --toolchain are the simulator's; an NPU has none of them");
    if (args->local && args->asked)
        return err_set(err, ERR_USAGE, NULL, "--%s is for a service; --local and --backend ask none", args->asked);
    return choose_device(args, err);
}

/* Whether the answer can be written where it shall go. */
static bool check_result_path(Arena *a, const char *path, Err *err) {
    const char *slash = strrchr(path, '/');
    const char *dir = !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return err_set(err, ERR_BAD_INPUT, path, "this is a folder; --result_json_path names a file");
    return fs_check_writable_dir(dir, err);
}

/* What can be known before the worker starts. A file that nobody asked for must not stand in the way. */
static bool check_files(Arena *a, Args *args, Err *err) {
    if (!fs_check_readable(args->options.reference_path, err) ||
        !fs_check_readable(args->options.kernel_code_path, err))
        return false;
    Err e = {0};
    if (!*args->result_path || check_result_path(a, args->result_path, &e)) return true;
    if (args->result_named) {
        *err = e;
        return false;
    }
    if (!args->progress.quiet) fprintf(stderr, "opwright: %s; no result.json is written\n", e.message);
    args->result_path = "";
    return true;
}

/* ---- on this machine --------------------------------------------------------------------------- */

static bool run_here(Arena *a, const Args *args, VerifyResult *r, Err *err) {
    if (args->cann) {
        cleanup_install();
        return args->npu < 0 ? cann_verify(a, &args->options, r, err)
                             : cann_verify_on(a, &args->options, args->npu, r, err);
    }
    Bridge *b = cli_start_bridge(a, err);
    bool ok = b && verify_run(a, b, &args->options, r, err);
    bridge_stop(b);
    return ok;
}

/* In the form a service answers in; the caller's. What could not be judged has no verdict. */
static json_t *answer_of(Arena *a, const Args *args, const VerifyResult *r, const Err *err) {
    const VerifyOptions *o = &args->options;
    const Request asked = {.op = o->op, .category = o->category, .language = "ascendc"};
    const char *summary = r->summary;
    int status = r->exit_code;
    json_t *result = r->json ? json_pack("[O]", r->json)
                             : job_error_result(a, &asked, args->cann ? "cann" : "sim", err, &status, &summary);
    return client_answer(a, o->reference_path, o->kernel_code_path, status, result, summary);
}

static bool verify_here(Arena *a, Args *args, int *status, Err *err) {
    VerifyResult r = {0};
    bool ok = run_here(a, args, &r, err);
    progress_clear(&args->progress);
    if (ok) puts(r.summary);
    *status = r.exit_code;
    if (*args->result_path) {
        json_t *answer = answer_of(a, args, &r, err);
        Err ignored = {0}, e = {0};
        const char *code = fs_read(a, args->options.kernel_code_path, NULL, &ignored);
        if (!client_keep(a, args->result_path, code ? code : "", answer, &e) && ok) {
            *err = e;
            ok = false;
        }
        json_decref(answer);
    }
    if (ok && r.exit_code) hints_for_result(stdout, args->options.op, r.json);
    json_decref(r.json);
    return ok;
}

/* ---- by asking a service; the answer's exit code is ours --------------------------------------- */

static bool verify_there(Arena *a, Args *args, int *status, Err *err) {
    static const char *const STANDARDS[] = {[VERIFY_STD_SEED] = NULL,
                                            [VERIFY_STD_MULTIKERNELBENCH] = "multikernelbench",
                                            [VERIFY_STD_ECOSYSTEM] = "ecosystem"};
    ClientOptions *c = &args->client;
    c->op = args->options.op;
    c->reference_path = args->options.reference_path;
    c->kernel_code_path = args->options.kernel_code_path;
    c->standard = STANDARDS[args->options.standard];
    c->chip = args->options.chip;
    c->model = args->options.model;
    c->result_json_path = *args->result_path ? args->result_path : NULL;
    c->on_log = args->options.on_log;
    c->log_ctx = args->options.log_ctx;
    ClientAnswer answer = {0};
    bool ok = client_verify(a, c, &answer, err);
    progress_clear(&args->progress);
    if (answer.summary) puts(answer.summary);
    *status = answer.exit_code;
    if (answer.exit_code) hints_for_result(stdout, c->op, answer.json);
    json_decref(answer.json);
    return ok;
}

int cli_verify(int argc, char **argv) {
    Args args = {0};
    Err err = {0};
    if (!parse_args(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    hints_prepare();
    Arena *a = arena_new();
    int status = 0;
    bool ok =
        check_files(a, &args, &err) && (args.local ? verify_here : verify_there)(a, &args, &status, &err);
    progress_clear(&args.progress);
    if (!ok) status = cli_report(&err);
    arena_free(a);
    return status;
}
