/* opwright golden: the store of kernels that were verified. */
#include "cli/cli.h"
#include "cli/golden_int.h"
#include "cli/subcommand.h"
#include "cli/table.h"
#include "store/diff.h"
#include "store/golden.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- save ------------------------------------------------------------------------------------ */

static void print_save_usage(FILE *to) {
    fputs(
        "usage: opwright golden save [--op NAME] --result_path RESULT.json [options]\n\n"
        "Keeps a description that was verified (compiled and correct) as <op>.py with its result in "
        "info.json, and every version\n"
        "of it under versions/. Operator and paths come from the result where it has them.\n\n"
        "  --op NAME                operator, when the result does not say\n"
        "  --result_path FILE       result of a verification: an object with a `result` list, a list, or one "
        "object\n"
        "  --kernel_code_path FILE  the description, when the result does not say\n"
        "  --reference_path FILE    its PyTorch reference; kept, so that `golden verify` can run it again\n"
        "  --output_dir DIR         the store; default: reference/golden_solutions under $ASCEND_SKILL_ROOT\n"
        "  --force                  make it the current one although the present one is faster\n\n"
        "exit status: 0 saved, 2 refused: no solution, bad input, or slower than the present one (then kept "
        "as a version)\n",
        to);
}

enum { OPT_OP = 256, OPT_RESULT, OPT_CODE, OPT_REF, OPT_DIR, OPT_FORCE };

static bool parse_save(int argc, char **argv, GoldenSave *o, bool *help, Err *err) {
    static const struct option OPTIONS[] = {{"op", required_argument, NULL, OPT_OP},
                                            {"result_path", required_argument, NULL, OPT_RESULT},
                                            {"kernel_code_path", required_argument, NULL, OPT_CODE},
                                            {"reference_path", required_argument, NULL, OPT_REF},
                                            {"output_dir", required_argument, NULL, OPT_DIR},
                                            {"force", no_argument, NULL, OPT_FORCE},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;) switch (c) {
        case OPT_OP:
            o->op = optarg;
            break;
        case OPT_RESULT:
            o->result_path = optarg;
            break;
        case OPT_CODE:
            o->code_path = optarg;
            break;
        case OPT_REF:
            o->reference_path = optarg;
            break;
        case OPT_DIR:
            o->dir = optarg;
            break;
        case OPT_FORCE:
            o->force = true;
            break;
        case 'h':
            *help = true;
            return true;
        default:
            return false;
        }
    if (optind < argc) return err_set(err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
    return o->result_path || err_set(err, ERR_USAGE, NULL, "--result_path is missing");
}

static int report_save(const GoldenSaved *s) {
    if (s->broken_note) fprintf(stderr, "opwright: %s\n", s->broken_note);
    if (s->reference_note)
        fprintf(stderr, "opwright: `golden verify` cannot run it again: %s\n", s->reference_note);
    if (s->outcome == GOLDEN_SAVED) {
        printf("saved %s from %s\n      %s (version %s)\n      %s\n", s->op, s->kernel_code_path,
               s->code_path, s->hash, s->info_path);
        return 0;
    }
    printf("kept %s from %s as version %s; %s stays as it was\n", s->op, s->kernel_code_path, s->hash,
           s->code_path);
    if (s->outcome == GOLDEN_KEPT) {
        printf("     the present one was measured on %s (%.3g ms), this one was not; --force replaces it\n",
               s->old_time.hardware, s->old_time.ms);
        return 0;
    }
    Err err = {0};
    err_set(&err, ERR_BAD_INPUT, NULL,
            "the present solution of %s is faster on %s: %.4g ms %s, this one %.4g ms", s->op,
            s->new_time.chip, s->old_time.ms, s->old_time.kind == GOLDEN_MEASURED ? "measured" : "predicted",
            s->new_time.ms);
    err_hint(&err, "it was kept as a version; --force makes it the current one");
    return cli_report(&err);
}

static int run_save(int argc, char **argv) {
    GoldenSave o = {0};
    Err err = {0};
    bool help = false;
    if (!parse_save(argc, argv, &o, &help, &err)) return cli_report(&err);
    if (help) {
        print_save_usage(stdout);
        return 0;
    }
    Arena *a = arena_new();
    GoldenSaved saved = {0};
    o.dir = golden_dir(a, o.dir, &err);
    int status = o.dir && golden_save(a, &o, &saved, &err) ? report_save(&saved) : cli_report(&err);
    arena_free(a);
    return status;
}

/* ---- options of the others ------------------------------------------------------------------- */

bool golden_parse(int argc, char **argv, const char *usage, GoldenArgs *args, Err *err) {
    enum { DIR_ = 256, JSON, VERSION, CODE, REFS, STANDARD, JOBS, ALL, LIMIT, QUIET };
    static const struct {
        struct option option;
        const char *commands; /* of those that take it: their first letters */
    } ALL_OPTIONS[] = {{{"output_dir", required_argument, NULL, DIR_}, "lsdvr"},
                       {{"json", no_argument, NULL, JSON}, "lsv"},
                       {{"version", required_argument, NULL, VERSION}, "sr"},
                       {{"code", no_argument, NULL, CODE}, "s"},
                       {{"reference_dir", required_argument, NULL, REFS}, "v"},
                       {{"standard", required_argument, NULL, STANDARD}, "v"},
                       {{"jobs", required_argument, NULL, JOBS}, "v"},
                       {{"all-versions", no_argument, NULL, ALL}, "v"},
                       {{"time-limit", required_argument, NULL, LIMIT}, "v"},
                       {{"quiet", no_argument, NULL, QUIET}, "v"},
                       {{"help", no_argument, NULL, 'h'}, "lsdvr"}};
    enum { N = sizeof ALL_OPTIONS / sizeof ALL_OPTIONS[0] };
    struct option options[N + 1] = {0};
    size_t n = 0;
    for (size_t i = 0; i < N; i++)
        if (strchr(ALL_OPTIONS[i].commands, strchr(argv[0], ' ')[1])) options[n++] = ALL_OPTIONS[i].option;
    double number;
    for (int c; (c = cli_next_option(argc, argv, "hj:", options, err)) != -1;) switch (c) {
        case DIR_:
            args->dir = optarg;
            break;
        case JSON:
            args->as_json = true;
            break;
        case VERSION:
            args->version = optarg;
            break;
        case CODE:
            args->code = true;
            break;
        case REFS:
            args->reference_dir = optarg;
            break;
        case STANDARD:
            if (!verify_standard_find(optarg, &args->standard, err)) return false;
            break;
        case 'j':
        case JOBS:
            if (!cli_parse_positive("jobs", optarg, &number, err)) return false;
            args->n_jobs = number < 1 ? 1 : number > 1024 ? 1024 : (size_t)number;
            break;
        case ALL:
            args->all_versions = true;
            break;
        case LIMIT:
            if (!cli_parse_positive("time-limit", optarg, &args->stage_limit_s, err)) return false;
            break;
        case QUIET:
            args->quiet = true;
            break;
        case 'h':
            fputs(usage, stdout);
            args->help = true;
            return true;
        default:
            return false;
        }
    args->names = argv + optind;
    args->n_names = (size_t)(argc - optind);
    return true;
}

/* Reads the options and hands over to `run` with the store's folder; *at_least and at_most names. */
static int with_args(int argc, char **argv, const char *usage, size_t at_least, size_t at_most,
                     int (*run)(Arena *, GoldenArgs *, Err *)) {
    GoldenArgs args = {0};
    Err err = {0};
    if (!golden_parse(argc, argv, usage, &args, &err)) return cli_report(&err);
    if (args.help) return 0;
    if (args.n_names < at_least)
        err_set(&err, ERR_USAGE, NULL, "`opwright %s` needs the name of an operator", argv[0]);
    else if (args.n_names > at_most)
        err_set(&err, ERR_USAGE, NULL, "unexpected argument `%s`", args.names[at_most]);
    if (err.code) return cli_report(&err);
    Arena *a = arena_new();
    args.dir = golden_dir(a, args.dir, &err);
    int status = args.dir ? run(a, &args, &err) : 2;
    if (err.code) status = cli_report(&err);
    arena_free(a);
    return status;
}

/* ---- list ------------------------------------------------------------------------------------ */

static const char *time_text(Arena *a, const json_t *item) {
    GoldenTime t = golden_time(item);
    if (t.kind == GOLDEN_NO_TIME) return "-";
    return arena_printf(a, "%.4g ms%s", t.ms, t.kind == GOLDEN_PREDICTED ? " predicted" : "");
}

static const char *text_or(const json_t *o, const char *key, const char *otherwise) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : otherwise;
}

static json_t *version_json(const GoldenVersion *v) {
    json_t *o =
        json_pack("{s:s, s:b, s:s, s:s, s:s, s:O}", "version", v->hash, "current", v->current, "best_on",
                  v->best_on, "saved_at", v->saved_at, "code_path", v->code_path, "results", v->results);
    if (v->reference_path) json_object_set_new(o, "reference_path", json_string(v->reference_path));
    if (v->verified) json_object_set(o, "verified", v->verified);
    return o;
}

json_t *golden_entry_json(const GoldenEntry *e) {
    json_t *versions = json_array();
    for (size_t i = 0; i < e->n_versions; i++) json_array_append_new(versions, version_json(&e->versions[i]));
    json_t *o = json_pack("{s:s, s:s, s:s, s:o}", "op", e->op, "code_path", e->code_path, "class",
                          golden_class(e->info), "versions", versions);
    json_object_set(o, "info", e->info ? e->info : json_null());
    if (e->state) json_object_set_new(o, "state", json_string(e->state));
    return o;
}

static int print_json(json_t *o) {
    char *text = json_dumps(o, JSON_INDENT(2));
    puts(text ? text : "null");
    free(text);
    json_decref(o);
    return 0;
}

static const char LIST_USAGE[] =
    "usage: opwright golden list [--output_dir DIR] [--json]\n\n"
    "One line an operator: its current version's time, its class (faster: at least as fast as what it "
    "replaces; near: 0.8 and\n"
    "more of its speed; slow: 0.1 and more; very-slow; unmeasured), how many versions are kept.\n";

typedef struct List {
    Arena *arena;
    Table *table;
    json_t *json; /* NULL: a table is wanted */
    size_t n;
} List;

static bool list_entry(void *ctx, const GoldenEntry *e) {
    List *l = ctx;
    Arena *a = l->arena;
    l->n++;
    if (l->json) return json_array_append_new(l->json, golden_entry_json(e)) == 0;
    table_row(l->table, (const char *const[]){
                            e->op, arena_strdup(a, text_or(e->info, "hardware", "-")), time_text(a, e->info),
                            golden_class(e->info), arena_printf(a, "%zu", e->n_versions),
                            arena_strdup(a, text_or(e->info, "saved_at", "-")), e->state ? e->state : ""});
    return true;
}

static int list(Arena *a, GoldenArgs *args, Err *err) {
    static const char *const HEADS[] = {"operator", "hardware", "time", "class",
                                        "versions", "saved",    "state"};
    List l = {.arena = a,
              .table = table_new(a, sizeof HEADS / sizeof HEADS[0], HEADS),
              .json = args->as_json ? json_array() : NULL};
    bool ok = golden_each(a, args->dir, NULL, 0, list_entry, &l, err);
    if (ok && l.json) print_json(json_incref(l.json));
    else if (ok && l.n) table_print(l.table, stdout);
    else if (ok) printf("no golden solutions in %s\n", args->dir);
    json_decref(l.json);
    return 0;
}

static int run_list(int argc, char **argv) {
    return with_args(argc, argv, LIST_USAGE, 0, 0, list);
}

/* ---- show ------------------------------------------------------------------------------------ */

static const char SHOW_USAGE[] =
    "usage: opwright golden show OP [--version HASH] [--code] [--output_dir DIR] [--json]\n\n"
    "Prints what is known of an operator and each of its versions; with --code the text of the current or "
    "the named version.\n";

static void print_entry(Arena *a, const GoldenEntry *e) {
    printf("%s  %s, %s on %s\n  %s\n", e->op, golden_class(e->info), time_text(a, e->info),
           text_or(e->info, "hardware", "no hardware"), e->code_path);
    if (e->state) printf("  %s\n", e->state);
    for (size_t i = 0; i < e->n_versions; i++) {
        const GoldenVersion *v = &e->versions[i];
        printf("%c %s  saved %s%s%s%s\n", v->current ? '*' : ' ', v->hash, v->saved_at,
               *v->best_on ? ", best on " : "", v->best_on, v->reference_path ? "" : ", no reference");
        const char *hardware;
        json_t *item;
        json_object_foreach(v->results, hardware, item) printf(
            "    %s: %s, %s\n", *hardware ? hardware : "no hardware", time_text(a, item), golden_class(item));
        if (v->verified)
            printf("    verified again %s: %s\n", text_or(v->verified, "at", "?"),
                   text_or(v->verified, "verdict", "?"));
    }
}

static int show_entry(Arena *a, const GoldenArgs *args, const GoldenEntry *e, Err *err) {
    const GoldenVersion *v = args->version ? golden_find_version(e, args->version, err) : NULL;
    if (args->version && !v) return 2;
    if (args->code) {
        size_t n = 0;
        const char *text = fs_read(a, v ? v->code_path : e->code_path, &n, err);
        if (text) fwrite(text, 1, n, stdout);
        return 0;
    }
    if (args->as_json) return print_json(v ? version_json(v) : golden_entry_json(e));
    print_entry(a, e);
    return 0;
}

static int show(Arena *a, GoldenArgs *args, Err *err) {
    GoldenEntry e;
    int status = golden_load(a, args->dir, args->names[0], &e, err) ? show_entry(a, args, &e, err) : 2;
    golden_entry_clear(&e);
    return status;
}

static int run_show(int argc, char **argv) {
    return with_args(argc, argv, SHOW_USAGE, 1, 1, show);
}

/* ---- diff ------------------------------------------------------------------------------------ */

static const char DIFF_USAGE[] = "usage: opwright golden diff OP [OLD [NEW]] [--output_dir DIR]\n\n"
                                 "What changed between two versions. OLD and NEW are the beginnings of "
                                 "hashes, `current`, or files (with a slash or .py).\n"
                                 "Without OLD: the version saved before the current one; without NEW: the "
                                 "current one. Exit status 1 when they differ.\n";

static bool is_file(const char *name) {
    size_t n = strlen(name);
    return strchr(name, '/') || (n > 3 && !strcmp(name + n - 3, ".py"));
}

/* Path and name of one side; `name` NULL: the current one, or, for the old side, the one before it. */
static const char *side(const GoldenEntry *e, const char *name, bool old, const char **label, Err *err) {
    *label = name ? name : "current";
    if (name && is_file(name)) return name;
    if (name && strcmp(name, "current") != 0) {
        const GoldenVersion *v = golden_find_version(e, name, err);
        if (v) *label = v->hash;
        return v ? v->code_path : NULL;
    }
    if (!old || name) return e->code_path;
    for (size_t i = e->n_versions; i-- > 0;)
        if (!e->versions[i].current) {
            *label = e->versions[i].hash;
            return e->versions[i].code_path;
        }
    err_set(err, ERR_NOT_FOUND, NULL, "%s has no version but the current one", e->op);
    return NULL;
}

static int diff_entry(Arena *a, const GoldenArgs *args, const GoldenEntry *e, Err *err) {
    const char *label[2], *path[2], *text[2];
    for (int i = 0; i < 2; i++) {
        const char *name = args->n_names > (size_t)i + 1 ? args->names[i + 1] : NULL;
        path[i] = side(e, name, i == 0, &label[i], err);
        text[i] = path[i] ? fs_read(a, path[i], NULL, err) : NULL;
        if (!text[i]) return 2;
    }
    const char *diff = diff_unified(a, text[0], text[1], arena_printf(a, "%s/%s", e->op, label[0]),
                                    arena_printf(a, "%s/%s", e->op, label[1]), err);
    if (!diff) return 3;
    fputs(diff, stdout);
    return *diff ? 1 : 0;
}

static int diff(Arena *a, GoldenArgs *args, Err *err) {
    GoldenEntry e;
    int status = golden_load(a, args->dir, args->names[0], &e, err) ? diff_entry(a, args, &e, err) : 2;
    golden_entry_clear(&e);
    return status;
}

static int run_diff(int argc, char **argv) {
    return with_args(argc, argv, DIFF_USAGE, 1, 3, diff);
}

/* ---- rm -------------------------------------------------------------------------------------- */

static const char RM_USAGE[] = "usage: opwright golden rm OP [--version HASH] [--output_dir DIR]\n\n"
                               "Removes one version (of the others the fastest becomes the current one) or, "
                               "without --version, the operator with all.\n";

static int rm(Arena *a, GoldenArgs *args, Err *err) {
    if (!golden_remove(a, args->dir, args->names[0], args->version, err)) return 2;
    if (args->version) printf("removed version %s of %s\n", args->version, args->names[0]);
    else printf("removed %s with all its versions\n", args->names[0]);
    return 0;
}

static int run_rm(int argc, char **argv) {
    return with_args(argc, argv, RM_USAGE, 1, 1, rm);
}

/* ---- verify (golden_verify.c) ---------------------------------------------------------------- */

static int run_verify(int argc, char **argv) {
    return with_args(argc, argv, GOLDEN_VERIFY_USAGE, 0, (size_t)-1, golden_run_verify);
}

int cli_golden(int argc, char **argv) {
    static const SubCommand TABLE[] = {
        {"save", "golden save", run_save, "keep a description that was verified"},
        {"list", "golden list", run_list, "one line an operator"},
        {"show", "golden show", run_show, "an operator with its versions"},
        {"diff", "golden diff", run_diff, "what changed between two versions"},
        {"verify", "golden verify", run_verify, "run the store again and say what no longer passes"},
        {"rm", "golden rm", run_rm, "remove an operator or one version"},
    };
    return cli_run_subcommand(argc, argv, TABLE, sizeof TABLE / sizeof TABLE[0],
                              "The store is reference/golden_solutions under $ASCEND_SKILL_ROOT, else under "
                              "~/.local/share/opwright.");
}
