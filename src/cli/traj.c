/* opwright traj: what a trajectory teaches, with the files and fields of the existing scripts. */
#include "cli/cli.h"
#include "cli/subcommand.h"
#include "cli/traj_int.h"
#include "store/json_text.h"
#include "store/store.h"
#include "store/traj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

enum {
    OPT_TRAJ = 256,
    OPT_OUTPUT,
    OPT_OP,
    OPT_PAIRS,
    OPT_IDX,
    OPT_SUMMARY,
    OPT_REF,
    OPT_UNVERIFIED,
    OPT_STANDARD,
    OPT_CHIP,
    OPT_LIMIT,
    OPT_LANG,
    OPT_JSON,
    OPT_QUIET
};

static bool take_text_option(int c, TrajArgs *args) {
    const struct {
        int c;
        const char **to;
    } texts[] = {{OPT_TRAJ, &args->traj_path},   {OPT_OUTPUT, &args->output},      {OPT_OP, &args->op},
                 {OPT_PAIRS, &args->pairs_path}, {OPT_REF, &args->reference_path}, {OPT_CHIP, &args->chip},
                 {OPT_SUMMARY, &args->summary}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].c == c) {
            *texts[i].to = optarg;
            return true;
        }
    return false;
}

static bool take_option(int c, TrajArgs *args, Err *err) {
    char *end;
    if (take_text_option(c, args)) return true;
    switch (c) {
    case OPT_IDX:
        args->idx = strtol(optarg, &end, 10);
        args->has_idx = true;
        return (end != optarg && !*end) ||
               err_set(err, ERR_USAGE, NULL, "--idx takes a number, not `%s`", optarg);
    case OPT_UNVERIFIED:
        return args->unverified = true;
    case OPT_JSON:
        return args->as_json = true;
    case OPT_QUIET:
        return args->quiet = true;
    case OPT_STANDARD:
        return verify_standard_find(optarg, &args->standard, err);
    case OPT_LIMIT:
        return cli_parse_positive("time-limit", optarg, &args->stage_limit_s, err);
    case OPT_LANG:
        return explain_lang(optarg, &args->lang, err);
    default:
        return false;
    }
}

/* `takes`: letters of the options that this command has. */
static bool parse(int argc, char **argv, const char *takes, const char *usage, TrajArgs *args, Err *err) {
    static const struct {
        struct option option;
        char letter;
    } KNOWN[] = {{{"traj_path", required_argument, NULL, OPT_TRAJ}, 't'},
                 {{"output", required_argument, NULL, OPT_OUTPUT}, 'o'},
                 {{"op", required_argument, NULL, OPT_OP}, 'n'},
                 {{"pairs_path", required_argument, NULL, OPT_PAIRS}, 'p'},
                 {{"json_path", required_argument, NULL, OPT_PAIRS}, 'j'},
                 {{"idx", required_argument, NULL, OPT_IDX}, 'i'},
                 {{"summary", required_argument, NULL, OPT_SUMMARY}, 's'},
                 {{"reference_path", required_argument, NULL, OPT_REF}, 'r'},
                 {{"unverified", no_argument, NULL, OPT_UNVERIFIED}, 'r'},
                 {{"standard", required_argument, NULL, OPT_STANDARD}, 'r'},
                 {{"chip", required_argument, NULL, OPT_CHIP}, 'r'},
                 {{"time-limit", required_argument, NULL, OPT_LIMIT}, 'r'},
                 {{"json", no_argument, NULL, OPT_JSON}, 'r'},
                 {{"quiet", no_argument, NULL, OPT_QUIET}, 'r'},
                 {{"lang", required_argument, NULL, OPT_LANG}, 'l'},
                 {{"help", no_argument, NULL, 'h'}, 'h'}};
    enum { N = sizeof KNOWN / sizeof KNOWN[0] };
    struct option options[N + 1] = {0};
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        if (KNOWN[i].letter == 'h' || strchr(takes, KNOWN[i].letter)) options[n++] = KNOWN[i].option;
    for (int c; (c = cli_next_option(argc, argv, "h", options, err)) != -1;) {
        if (c == 'h') {
            fputs(usage, stdout);
            return args->help = true;
        }
        if (!take_option(c, args, err)) return false;
    }
    if (optind < argc) return err_set(err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
    return true;
}

/* Reads the options and hands over; `run` returns the exit status and may set *err. */
static int with_args(int argc, char **argv, const char *takes, const char *usage,
                     int (*run)(Arena *, TrajArgs *, Err *)) {
    TrajArgs args = {.pairs_path = NULL};
    Err err = {0};
    if (!parse(argc, argv, takes, usage, &args, &err)) return cli_report(&err);
    if (args.help) return 0;
    Arena *a = arena_new();
    int status = run(a, &args, &err);
    if (err.code) status = cli_report(&err);
    arena_free(a);
    return status;
}

static bool want(const char *value, const char *option, Err *err) {
    return value || err_set(err, ERR_USAGE, NULL, "--%s is missing", option);
}

/* ---- stats ----------------------------------------------------------------------------------- */

static const char STATS_USAGE[] =
    "usage: opwright traj stats --traj_path TRAJ.json [--output FILE]\n\n"
    "How many records failed and how many are correct, and which: to standard output or to FILE.\n";

static int stats(Arena *a, TrajArgs *args, Err *err) {
    if (!want(args->traj_path, "traj_path", err)) return 2;
    const char *path = store_absolute(a, args->traj_path);
    json_t *traj = traj_read(a, path, err);
    if (!traj) return 2;
    json_t *o = traj_stats(a, path, traj);
    bool ok = true;
    if (!o) ok = err_set(err, ERR_BAD_INPUT, path, "the path is not UTF-8");
    else if (args->output) ok = store_write_json(a, args->output, o, 2, err);
    else puts(json_text_print(a, o, 2, 0));
    if (ok && args->output) printf("wrote %s\n", args->output);
    json_decref(o);
    json_decref(traj);
    return 0;
}

/* ---- pairs and auto -------------------------------------------------------------------------- */

static const char PAIRS_USAGE[] =
    "usage: opwright traj pairs --traj_path TRAJ.json [--output FILE] [--op NAME]\n\n"
    "Pairs each failed record with the next correct one, else the nearest, and writes what changed to FILE\n"
    "(default error_fix_pairs.json). Summaries that are there already stay.\n";
static const char AUTO_USAGE[] =
    "usage: opwright traj auto --traj_path TRAJ.json [--output FILE] [--op NAME] [--lang en|zh]\n\n"
    "As `traj pairs`, with a summary for each pair: the cause and the cure by the checker's diagnostics, and "
    "the\n"
    "calls that the change brought in and took out. Summaries that are there already stay.\n";

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

/* Summaries of an earlier run for the same change. False: the file there is no list, and is left alone. */
static bool keep_summaries(Arena *a, const char *path, json_t *pairs, Err *err) {
    json_t *old;
    if (!store_read_json(a, path, &old, err)) return false;
    if (old && !json_is_array(old)) {
        json_decref(old);
        return err_set(err, ERR_BAD_INPUT, path, "is not a list of pairs; it was left as it is");
    }
    for (size_t i = 0; i < json_array_size(pairs); i++)
        for (size_t k = 0; k < json_array_size(old); k++) {
            json_t *pair = json_array_get(pairs, i), *other = json_array_get(old, k);
            if (*text_at(other, "summary") &&
                !strcmp(text_at(pair, "code_diff"), text_at(other, "code_diff")) &&
                !strcmp(text_at(pair, "error_code"), text_at(other, "error_code")))
                json_object_set(pair, "summary", json_object_get(other, "summary"));
        }
    json_decref(old);
    return true;
}

static void propose_summaries(Arena *a, const json_t *traj, json_t *pairs, int lang) {
    for (size_t i = 0; i < json_array_size(pairs); i++) {
        json_t *pair = json_array_get(pairs, i);
        if (*text_at(pair, "summary")) continue;
        const json_t *wrong =
            json_array_get(traj, (size_t)json_integer_value(json_object_get(pair, "error_idx")));
        const json_t *right =
            json_array_get(traj, (size_t)json_integer_value(json_object_get(pair, "correct_idx")));
        json_object_set_new(pair, "summary", json_string(traj_propose_summary(a, wrong, right, lang)));
    }
}

static int make_pairs(Arena *a, TrajArgs *args, bool propose, Err *err) {
    if (!want(args->traj_path, "traj_path", err)) return 2;
    const char *output = args->output ? args->output : "error_fix_pairs.json";
    json_t *traj = traj_read(a, args->traj_path, err);
    json_t *pairs = traj ? traj_pairs(a, traj, args->op, err) : NULL;
    size_t n = json_array_size(pairs);
    if (pairs && n == 0) {
        json_t *o = traj_stats(a, args->traj_path, traj);
        printf("no pairs: both failed and correct records are needed; %lld failed, %lld are correct\n",
               (long long)json_integer_value(json_object_get(o, "error_count")),
               (long long)json_integer_value(json_object_get(o, "correct_count")));
        json_decref(o);
    } else if (pairs && keep_summaries(a, output, pairs, err)) {
        if (propose) propose_summaries(a, traj, pairs, (int)args->lang);
        if (store_write_json(a, output, pairs, 2, err))
            printf("wrote %zu pairs of %s to %s\n", n, args->traj_path, output);
        for (size_t i = 0; propose && !err->code && i < n; i++)
            printf("  %zu: %s\n", i, text_at(json_array_get(pairs, i), "summary"));
    }
    json_decref(pairs);
    json_decref(traj);
    return 0;
}

static int pairs_(Arena *a, TrajArgs *args, Err *err) {
    return make_pairs(a, args, false, err);
}
static int auto_(Arena *a, TrajArgs *args, Err *err) {
    return make_pairs(a, args, true, err);
}

/* ---- show and summarize ---------------------------------------------------------------------- */

static const char SHOW_USAGE[] =
    "usage: opwright traj show --json_path PAIRS.json --idx N\n\nOne record of a list, whole.\n";
static const char SUMMARIZE_USAGE[] =
    "usage: opwright traj summarize [--pairs_path PAIRS.json] --idx N --summary TEXT\n\n"
    "Writes the text into the pair's summary (default file: error_fix_pairs.json).\n";

const char *traj_pairs_path(const TrajArgs *args) {
    return args->pairs_path ? args->pairs_path : "error_fix_pairs.json";
}

json_t *traj_read_pairs(Arena *a, const char *path, Err *err) {
    return traj_read(a, path, err);
}

static json_t *element(json_t *list, const TrajArgs *args, const char *path, Err *err) {
    json_t *o = args->idx >= 0 ? json_array_get(list, (size_t)args->idx) : NULL;
    if (!o)
        err_set(err, ERR_BAD_INPUT, path, "has no record %ld: it holds %zu", args->idx,
                json_array_size(list));
    return o;
}

static int show(Arena *a, TrajArgs *args, Err *err) {
    if (!want(args->pairs_path, "json_path", err) || !want(args->has_idx ? "" : NULL, "idx", err)) return 2;
    json_t *list = traj_read_pairs(a, args->pairs_path, err);
    const json_t *o = list ? element(list, args, args->pairs_path, err) : NULL;
    if (o) puts(json_text_print(a, o, 2, 0));
    json_decref(list);
    return 0;
}

static bool set_summary(Arena *a, const TrajArgs *args, const char *path, Err *err) {
    json_t *list = traj_read_pairs(a, path, err);
    json_t *pair = list ? element(list, args, path, err) : NULL;
    json_t *text = json_string(args->summary);
    bool ok = pair != NULL;
    if (ok && !json_is_object(pair))
        ok = err_set(err, ERR_BAD_INPUT, path, "record %ld is no object", args->idx);
    if (ok && !text) ok = err_set(err, ERR_BAD_INPUT, NULL, "the summary is not UTF-8");
    if (ok) {
        json_object_set(pair, "summary", text);
        if (json_object_get(pair, "idx")) json_object_set_new(pair, "idx", json_integer(args->idx));
        ok = store_write_json(a, path, list, 2, err);
    }
    json_decref(text);
    json_decref(list);
    return ok;
}

static int summarize(Arena *a, TrajArgs *args, Err *err) {
    if (!want(args->has_idx ? "" : NULL, "idx", err) || !want(args->summary, "summary", err)) return 2;
    const char *path = traj_pairs_path(args);
    int lock = store_lock(arena_printf(a, "%s.lock", path), err);
    if (lock >= 0 && set_summary(a, args, path, err))
        printf("wrote the summary of pair %ld to %s\n", args->idx, path);
    store_unlock(lock);
    return 0;
}

/* ---- table ----------------------------------------------------------------------------------- */

static int run_stats(int argc, char **argv) {
    return with_args(argc, argv, "to", STATS_USAGE, stats);
}
static int run_pairs(int argc, char **argv) {
    return with_args(argc, argv, "ton", PAIRS_USAGE, pairs_);
}
static int run_auto(int argc, char **argv) {
    return with_args(argc, argv, "tonl", AUTO_USAGE, auto_);
}
static int run_show(int argc, char **argv) {
    return with_args(argc, argv, "pji", SHOW_USAGE, show);
}
static int run_summarize(int argc, char **argv) {
    return with_args(argc, argv, "pis", SUMMARIZE_USAGE, summarize);
}
static int run_save(int argc, char **argv) {
    return with_args(argc, argv, "npsrt", TRAJ_SAVE_USAGE, traj_save);
}

int cli_traj(int argc, char **argv) {
    static const SubCommand TABLE[] = {
        {"stats", "traj stats", run_stats, "how many records of a traj.json failed and which"},
        {"pairs", "traj pairs", run_pairs, "each failed record with the one that mended it, and the change"},
        {"auto", "traj auto", run_auto, "the same, with a proposed summary for each"},
        {"show", "traj show", run_show, "one record of a list"},
        {"summarize", "traj summarize", run_summarize, "write the summary of a pair"},
        {"save", "traj save", run_save, "replay the pairs and keep those that hold as lessons"},
    };
    return cli_run_subcommand(argc, argv, TABLE, sizeof TABLE / sizeof TABLE[0],
                              "Verification appends to traj.json beside its result. Lessons go to "
                              "reference/issues of the store (docs/memory.md).");
}
