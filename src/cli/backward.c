/* opwright backward: a forward specification in; a workspace with the truth, the gradient operator and its verdict out. */
#include "cli/backward_int.h"
#include "cli/cli.h"
#include "cli/model_options.h"

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
            "  --with-forward      the forward operator too, in forward/, and used by the PyTorch glue\n"
            "  --no-verify         write only\n"
            "  --time-limit S      for each stage, default 120\n"
            "  --strict --schedule NAME --exact   as for gen\n"
            "  --verbose --quiet   a progress line for every case; none\n\n"
            "exit status: 0 status PASS, 1 another status, 2 a specification that cannot be worked on or a missing tool,\n"
            "3 a failure of opwright or the machine\n");
}

enum { OPT_TARGET = 256, OPT_DIR, OPT_RESUME, OPT_FORWARD, OPT_NO_VERIFY, OPT_TIME, OPT_VERBOSE, OPT_QUIET };

static bool parse_args(int argc, char **argv, BackwardArgs *args, Err *err) {
    static const struct option OPTIONS[] = {
        {"target", required_argument, NULL, OPT_TARGET},
        {"output-dir", required_argument, NULL, OPT_DIR},
        {"resume", no_argument, NULL, OPT_RESUME},
        {"with-forward", no_argument, NULL, OPT_FORWARD},
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
        case OPT_FORWARD: args->with_forward = true; break;
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

/* ---- truth ----------------------------------------------------------------------------------------------------------- */

/* The worker may not write: it hands the files over. */
static bool write_blobs(Arena *a, const BackwardJob *job, const BridgeReply *reply, Err *err) {
    const json_t *names = json_object_get(reply->result, "files");
    for (size_t i = 0; i < json_array_size(names) && i < reply->n_blobs; i++)
        if (!backward_write(a, job, json_string_value(json_array_get(names, i)), reply->blobs[i].data, reply->blobs[i].n_bytes, err)) return false;
    return true;
}

/* Sets job->truth. False after an error; a specification that cannot be worked on is one that names the verdict. */
static bool prepare_truth(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, Err *err) {
    json_t *saved = NULL;
    if (args->with_forward && !backward_choose(a, b, args, &saved, err)) {
        json_decref(saved);
        return false;
    }
    json_t *params = json_pack("{s:s, s:s, s:b, s:b, s:o}", "path", args->spec, "workspace", job->dir, "resume", args->resume, "with_forward",
                               args->with_forward, "saved", saved ? saved : json_array());
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

/* forward: NULL, or the job of the forward operator. */
static bool finish(Arena *a, BackwardArgs *args, const BackwardJob *job, const BackwardJob *forward, int *status, Err *err) {
    BackwardStatus s;
    json_t *report = backward_report(a, args, job, forward, &s);
    char *text = json_dumps(report, JSON_INDENT(2));
    bool ok = fs_write(backward_path(a, job, "verification.json"), text, strlen(text), err);
    free(text);
    if (ok) {
        progress_clear(&args->progress);
        backward_print(a, report);
        if (s != BACKWARD_PASS && job->verdict.summary) puts(job->verdict.summary);
        if (s != BACKWARD_PASS && forward && forward->verdict.summary) puts(forward->verdict.summary);
        printf("wrote %s\n", job->dir);
        bool infra = job->verdict.exit_code == 3 || (forward && forward->verdict.exit_code == 3);
        *status = s == BACKWARD_PASS ? 0 : infra ? 3 : 1;
    }
    json_decref(report);
    return ok;
}

/* What an earlier run claimed holds no longer; an interruption must not leave it standing. */
static void forget_verdict(Arena *a, const BackwardJob *job) {
    unlink(backward_path(a, job, "verification.json"));
    fs_remove_tree(backward_path(a, job, "build"));
    fs_remove_tree(backward_path(a, job, "forward/build"));
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
    job.dir = job.workspace = arena_strdup(a, real);
    free(real);
    forget_verdict(a, &job);
    bool ok = prepare_truth(a, b, args, &job, err);
    if (ok) {
        job.name = arena_strdup(a, text_at(job.truth, "op"));
        const json_t *counts = json_object_get(job.truth, "counts");
        progress_stage(&args->progress, "truth: READY, %" JSON_INTEGER_FORMAT " cases, %" JSON_INTEGER_FORMAT " skipped", json_integer_value(json_object_get(counts, "records")),
                       json_integer_value(json_object_get(counts, "skipped")));
        BackwardJob forward = {.dir = backward_path(a, &job, "forward"), .workspace = job.dir, .truth = job.truth, .is_forward = true};
        forward.name = text_at(job.truth, "forward");
        ok = backward_deliver(a, b, args, &job, err) && (!args->with_forward || backward_deliver(a, b, args, &forward, err));
        if (ok && args->no_verify) printf("wrote %s\n", job.dir);
        else if (ok) ok = finish(a, args, &job, args->with_forward ? &forward : NULL, status, err);
        json_decref(forward.verdict.json);
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
