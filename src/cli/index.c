/* opwright index: what `opwright search` searches, beside opwright's own documents and the store. */
#include "cli/cli.h"
#include "cli/hints.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_usage(FILE *to) {
    fputs("usage: opwright index add PATH... [--kind KIND]\n"
          "       opwright index remove PATH...\n"
          "       opwright index list | update | rebuild\n\n"
          "Adds folders or files of yours to what `opwright search` finds: an operator repository, "
          "documents, old logs. Markdown,\n"
          "text, Python, C++, JSON lists of lessons and tables are read. Only what changed is read again.\n\n"
          "  add        take in folders or files, now and whenever they change\n"
          "  remove     forget them\n"
          "  list       what was added, and what the index holds\n"
          "  update     look for changes now\n"
          "  rebuild    make the whole index again; it can always be made from the files\n"
          "  --kind K   with add: golden, issue, doc, api or example for all of it; else each file by what "
          "it is\n"
          "exit status: 0 done, 2 bad input or an index that cannot be written\n",
          to);
}

static void print_stats(const SearchStats *s, const SearchPlaces *places) {
    size_t n = 0;
    for (int k = 0; k < SEARCH_N_KINDS; k++) n += s->n_entries[k];
    printf("%zu entries:", n);
    for (int k = 0; k < SEARCH_N_KINDS; k++)
        printf("%s %zu %s", k ? "," : "", s->n_entries[k], search_kind_plural((SearchKind)k));
    printf("\n%zu file%s looked at, %zu read, %zu gone; %.2f s; %s\n", s->n_files, s->n_files == 1 ? "" : "s",
           s->n_read, s->n_removed, s->wall_s, places->index);
    if (s->n_faults)
        printf("%zu file%s could not be read as what it is; the first: %s\n", s->n_faults,
               s->n_faults == 1 ? "" : "s", s->fault);
}

static bool update(const SearchPlaces *places, SearchUpdate how, Err *err) {
    SearchStats stats;
    SearchIndex *ix = search_open(places, err);
    bool ok = ix && search_update(ix, how, &stats, err);
    search_close(ix);
    if (ok) print_stats(&stats, places);
    return ok;
}

typedef struct Args {
    Arena *arena;
    SearchPlaces places;
    char **paths;
    int n_paths, kind;
} Args;

static bool run_add(Args *args, Err *err) {
    for (int i = 0; i < args->n_paths; i++)
        if (!search_add_path(&args->places, args->paths[i], args->kind, err)) return false;
    return update(&args->places, SEARCH_ALL_FOLDERS, err);
}

static bool run_remove(Args *args, Err *err) {
    for (int i = 0; i < args->n_paths; i++)
        if (!search_drop_path(&args->places, args->paths[i], err)) return false;
    return update(&args->places, SEARCH_ALL_FOLDERS, err);
}

static bool run_list(Args *args, Err *err) {
    size_t n;
    const char **paths = search_added_paths(args->arena, &args->places, &n, err);
    if (!paths) return false;
    for (size_t i = 0; i < n; i++) puts(paths[i]);
    return update(&args->places, SEARCH_IF_STALE, err);
}

static bool run_update(Args *args, Err *err) {
    return update(&args->places, SEARCH_ALL_FOLDERS, err);
}

static bool run_rebuild(Args *args, Err *err) {
    return update(&args->places, SEARCH_FROM_NOTHING, err);
}

static const struct {
    const char *name;
    bool (*run)(Args *args, Err *err);
    bool takes_paths;
} VERBS[] = {{"add", run_add, true},
             {"remove", run_remove, true},
             {"list", run_list, false},
             {"update", run_update, false},
             {"rebuild", run_rebuild, false}};

static bool run_verb(Args *args, const char *name, Err *err) {
    for (size_t i = 0; i < sizeof VERBS / sizeof VERBS[0]; i++) {
        if (strcmp(VERBS[i].name, name) != 0) continue;
        if (VERBS[i].takes_paths && args->n_paths == 0)
            return err_set(err, ERR_USAGE, NULL, "index %s needs a folder or file", name);
        if (!VERBS[i].takes_paths && args->n_paths)
            return err_set(err, ERR_USAGE, NULL, "unexpected argument `%s`", args->paths[0]);
        if (args->kind >= 0 && VERBS[i].run != run_add)
            return err_set(err, ERR_USAGE, NULL, "--kind goes with `index add`");
        return hints_places(args->arena, &args->places, err) && VERBS[i].run(args, err);
    }
    err_set(err, ERR_USAGE, NULL, "`%s` is not something `opwright index` does", name);
    return err_hint(err, "add, remove, list, update or rebuild");
}

int cli_index(int argc, char **argv) {
    static const struct option OPTIONS[] = {
        {"kind", required_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'}, {0}};
    Args args = {.kind = -1};
    Err err = {0};
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, &err)) != -1;) {
        SearchKind k;
        if (c == 'h') {
            print_usage(stdout);
            return 0;
        }
        if (c != 'k') return cli_report(&err);
        if (!search_kind_find(optarg, &k)) {
            err_set(&err, ERR_USAGE, NULL, "`%s` is not a kind", optarg);
            err_hint(&err, "golden, issue, doc, api or example");
            return cli_report(&err);
        }
        args.kind = (int)k;
    }
    if (optind >= argc) {
        err_set(&err, ERR_USAGE, NULL, "what should be done is missing");
        err_hint(&err, "see `opwright index --help`");
        return cli_report(&err);
    }
    args.arena = arena_new();
    args.paths = argv + optind + 1;
    args.n_paths = argc - optind - 1;
    int status = run_verb(&args, argv[optind], &err) ? 0 : cli_report(&err);
    arena_free(args.arena);
    return status;
}
