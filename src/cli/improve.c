/* opwright improve: a description that fails, a model that proposes small changes, and the checker between
 * them. */
#include "cli/cli.h"
#include "cli/progress.h"
#include "improve/improve.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_usage(FILE *to) {
    fputs("usage: opwright improve --op NAME --reference_path REF.py --kernel_code_path DESC.py --model NAME "
          "--base-url URL [options]\n\n"
          "Verifies the description on the simulated AI Core and, while it fails, asks a model behind any "
          "OpenAI-compatible endpoint\n"
          "for a small change: it gets the reference, the file, the findings, the nearest golden solution "
          "and lessons that held.\n"
          "Every try is a record of traj.json. The description itself is not written to; what passed goes to "
          "--output_path.\n\n"
          "  --op NAME                operator\n"
          "  --reference_path FILE    PyTorch reference\n"
          "  --kernel_code_path FILE  description to correct\n"
          "  --model NAME             model of the endpoint\n"
          "  --base-url URL           what stands before /chat/completions, e.g. http://127.0.0.1:8000/v1\n"
          "  --output_path FILE       default: DESC.improved.py; --in_place writes over DESC.py itself\n"
          "  --force                  replace an output file that is there\n"
          "  --result_json_path FILE  the last answer; traj.json lies beside it, else beside the output\n"
          "  --max-tries N            questions to the model, default 8\n"
          "  --max-tokens N           of one answer; default: the endpoint's\n"
          "  --token-budget N         stop after so many tokens in all\n"
          "  --time-budget SECONDS    stop after so long\n"
          "  --request-timeout S      of one request, default 300\n"
          "  --retry-wait S           before a request is tried again, doubled each time, default 1\n"
          "  --key-env NAME           environment variable with the endpoint's key; default "
          "OPWRIGHT_API_KEY, then OPENAI_API_KEY\n"
          "  --no-memory              send nothing of the store\n"
          "  --standard, --chip, --time-limit, --verbose, --quiet   as for verify\n\n"
          "exit status: 0 it passes, 1 it does not and the budget is spent, 2 bad input, 3 a failure of "
          "opwright or the machine\n",
          to);
}

typedef struct Args {
    ImproveOptions o;
    const char *result_path, *key_env;
    Progress progress;
    bool in_place, force, no_memory, help;
} Args;

enum {
    OP = 256,
    REF,
    CODE,
    MODEL,
    URL,
    OUT,
    IN_PLACE,
    FORCE,
    RESULT,
    TRIES,
    TOKENS,
    TOKEN_BUDGET,
    TIME_BUDGET,
    REQUEST,
    WAIT,
    KEY,
    NO_MEMORY,
    STANDARD,
    CHIP,
    LIMIT,
    VERBOSE,
    QUIET
};

static bool take_text(int c, Args *args) {
    const struct {
        int c;
        const char **to;
    } texts[] = {{OP, &args->o.op},
                 {REF, &args->o.reference_path},
                 {CODE, &args->o.code_path},
                 {MODEL, &args->o.chat.model},
                 {URL, &args->o.chat.base_url},
                 {OUT, &args->o.output_path},
                 {RESULT, &args->result_path},
                 {KEY, &args->key_env},
                 {CHIP, &args->o.chip}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].c == c) {
            *texts[i].to = optarg;
            return true;
        }
    return false;
}

static bool take_number(int c, Args *args, bool *taken, Err *err) {
    double tries, tokens, token_budget;
    const struct {
        int c;
        const char *name;
        double *to;
    } numbers[] = {{TRIES, "max-tries", &tries},
                   {TOKENS, "max-tokens", &tokens},
                   {TOKEN_BUDGET, "token-budget", &token_budget},
                   {TIME_BUDGET, "time-budget", &args->o.time_budget_s},
                   {REQUEST, "request-timeout", &args->o.chat.timeout_s},
                   {WAIT, "retry-wait", &args->o.chat.retry_wait_s},
                   {LIMIT, "time-limit", &args->o.stage_limit_s}};
    size_t i = 0, n = sizeof numbers / sizeof numbers[0];
    while (i < n && numbers[i].c != c) i++;
    *taken = i < n;
    if (!*taken) return true;
    if (!cli_parse_positive(numbers[i].name, optarg, numbers[i].to, err)) return false;
    if (c == TRIES) args->o.max_tries = tries < 1 ? 1 : (int)tries;
    if (c == TOKENS) args->o.chat.max_tokens = (long)tokens;
    if (c == TOKEN_BUDGET) args->o.token_budget = (long)token_budget;
    return true;
}

static bool take_option(int c, Args *args, Err *err) {
    bool taken;
    if (take_text(c, args)) return true;
    if (!take_number(c, args, &taken, err)) return false;
    if (c == STANDARD) return verify_standard_find(optarg, &args->o.standard, err);
    const struct {
        int c;
        bool *to;
    } flags[] = {{IN_PLACE, &args->in_place},    {FORCE, &args->force},
                 {NO_MEMORY, &args->no_memory},  {VERBOSE, &args->progress.verbose},
                 {QUIET, &args->progress.quiet}, {'h', &args->help}};
    for (size_t i = 0; !taken && i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].c == c) taken = *flags[i].to = true;
    return taken;
}

static bool parse(int argc, char **argv, Args *args, Err *err) {
#define WITH(name, code)                                                                                     \
    { name, required_argument, NULL, code }
#define FLAG(name, code)                                                                                     \
    { name, no_argument, NULL, code }
    static const struct option OPTIONS[] = {WITH("op", OP),
                                            WITH("reference_path", REF),
                                            WITH("kernel_code_path", CODE),
                                            WITH("model", MODEL),
                                            WITH("base-url", URL),
                                            WITH("output_path", OUT),
                                            FLAG("in_place", IN_PLACE),
                                            FLAG("force", FORCE),
                                            WITH("result_json_path", RESULT),
                                            WITH("max-tries", TRIES),
                                            WITH("max-tokens", TOKENS),
                                            WITH("token-budget", TOKEN_BUDGET),
                                            WITH("time-budget", TIME_BUDGET),
                                            WITH("request-timeout", REQUEST),
                                            WITH("retry-wait", WAIT),
                                            WITH("key-env", KEY),
                                            FLAG("no-memory", NO_MEMORY),
                                            WITH("standard", STANDARD),
                                            WITH("chip", CHIP),
                                            WITH("time-limit", LIMIT),
                                            FLAG("verbose", VERBOSE),
                                            FLAG("quiet", QUIET),
                                            FLAG("help", 'h'),
                                            {0}};
#undef WITH
#undef FLAG
    args->o.max_tries = 8;
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;)
        if (!take_option(c, args, err)) return false;
    if (args->help) return true;
    if (optind < argc) return err_set(err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
    const struct {
        const char *name, *value;
    } required[] = {{"op", args->o.op},
                    {"reference_path", args->o.reference_path},
                    {"kernel_code_path", args->o.code_path},
                    {"model", args->o.chat.model},
                    {"base-url", args->o.chat.base_url}};
    for (size_t i = 0; i < sizeof required / sizeof required[0]; i++)
        if (!required[i].value || !*required[i].value)
            return err_set(err, ERR_USAGE, NULL, "--%s is missing", required[i].name);
    if (args->in_place && args->o.output_path)
        return err_set(err, ERR_USAGE, NULL, "--in_place and --output_path exclude each other");
    return store_check_op(args->o.op, err);
}

/* The key, out of the environment: what we start, foreign code among it, shall not find it there, nor in
 * /proc. */
static bool take_key(Arena *a, Args *args, Err *err) {
    static const char *const DEFAULTS[] = {"OPWRIGHT_API_KEY", "OPENAI_API_KEY"};
    const char *names[2] = {args->key_env ? args->key_env : DEFAULTS[0], args->key_env ? NULL : DEFAULTS[1]};
    for (size_t i = 0; i < 2 && names[i]; i++) {
        char *value = getenv(names[i]);
        if (!value || !*value) continue;
        if (!args->o.chat.key) args->o.chat.key = arena_strdup(a, value);
        memset(value, 'x', strlen(value));
        unsetenv(names[i]);
    }
    if (args->key_env && !args->o.chat.key)
        return err_set(err, ERR_USAGE, NULL, "the environment variable %s that --key-env names is not set",
                       args->key_env);
    return !args->o.chat.key || !strpbrk(args->o.chat.key, "\r\n") ||
           err_set(err, ERR_USAGE, NULL, "the key in the environment holds a line end");
}

static bool choose_places(Arena *a, Args *args, Err *err) {
    ImproveOptions *o = &args->o;
    o->reference_path = store_absolute(a, o->reference_path);
    o->code_path = store_absolute(a, o->code_path);
    if (!fs_check_readable(o->reference_path, err) || !fs_check_readable(o->code_path, err)) return false;
    size_t n = strlen(o->code_path);
    if (n > 3 && !strcmp(o->code_path + n - 3, ".py")) n -= 3;
    if (args->in_place) o->output_path = o->code_path;
    else if (!o->output_path) o->output_path = arena_printf(a, "%.*s.improved.py", (int)n, o->code_path);
    if (!args->in_place && !args->force && fs_exists(o->output_path)) {
        err_set(err, ERR_BAD_INPUT, o->output_path, "the file is there already");
        return err_hint(err, "give --force to replace it, or another --output_path");
    }
    const char *dir = store_dir_of(a, args->result_path ? args->result_path : o->output_path);
    o->traj_path = arena_printf(a, "%s/traj.json", dir);
    Err ignored = {0};
    o->root = args->no_memory ? NULL : store_root(a, &ignored);
    return fs_check_writable_dir(store_dir_of(a, o->output_path), err) && fs_check_writable_dir(dir, err) &&
           fs_make_dirs(dir, err);
}

static int report(Arena *a, const Args *args, const ImproveResult *r, Err *err) {
    static const char *const SPENT[] = {[IMPROVE_TRIES_SPENT] = "the tries are spent",
                                        [IMPROVE_TOKENS_SPENT] = "the tokens are spent",
                                        [IMPROVE_TIME_SPENT] = "the time is spent"};
    puts(r->summary);
    if (r->outcome == IMPROVE_PASSED)
        printf("\n%swrote %s after %d tries, %ld tokens\n", r->diff, args->o.output_path, r->n_tries,
               r->n_tokens);
    else if (r->outcome == IMPROVE_PASSED_ALREADY) puts("nothing to improve: no model was asked");
    else
        printf("\n%s after %d tries, %ld tokens; %s is as it was\n", SPENT[r->outcome], r->n_tries,
               r->n_tokens, args->o.code_path);
    printf("tries: %s\n", args->o.traj_path);
    if (args->result_path && !store_write_json(a, args->result_path, r->answer, 2, err)) return 2;
    return r->outcome == IMPROVE_PASSED || r->outcome == IMPROVE_PASSED_ALREADY ? 0 : 1;
}

int cli_improve(int argc, char **argv) {
    Args args = {0};
    Err err = {0};
    if (!parse(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    Arena *a = arena_new();
    ImproveResult r = {0};
    args.o.on_log = args.o.chat.on_log = progress_log;
    args.o.log_ctx = args.o.chat.log_ctx = &args.progress;
    Bridge *b = take_key(a, &args, &err) && choose_places(a, &args, &err) ? cli_start_bridge(a, &err) : NULL;
    bool ok = b && improve_run(a, b, &args.o, &r, &err);
    bridge_stop(b);
    progress_clear(&args.progress);
    int status = ok ? report(a, &args, &r, &err) : 2;
    if (err.code) status = cli_report(&err);
    json_decref(r.answer);
    arena_free(a);
    return status;
}
