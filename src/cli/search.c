/* opwright search: past work and knowledge, by words, code, an error text, or the structure of an operator.
 */
#include "cli/cli.h"
#include "cli/hints.h"
#include "search/search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_usage(FILE *to) {
    fputs("usage: opwright search WORDS... [options]\n"
          "       opwright search --like REFERENCE.py [options]\n\n"
          "Searches golden solutions, lessons from errors, documents, the API table and examples. The words "
          "may be English or\n"
          "Chinese, names of operators or of AscendC calls, pieces of code, or the text of an error; `-` "
          "reads them from standard\n"
          "input.\n\n"
          "  --like FILE   solved operators that compute what this reference does or nearly: by its traced "
          "graph, not by names\n"
          "  --kind LIST   only golden, issue, doc, api or example; several apart by commas\n"
          "  --limit N     how many (default 10)\n"
          "  --json        the answer as one JSON object\n"
          "  --no-update   search the index as it is, without looking for changed files\n\n"
          "The index is made and kept up to date by itself; `opwright index` adds folders of yours.\n"
          "exit status: 0 something was found, 1 nothing was, 2 bad input or an index that cannot be read or "
          "written\n",
          to);
}

typedef struct Args {
    SearchQuery query;
    const char *like;
    bool as_json, no_update, help;
} Args;

enum { OPT_KIND = 256, OPT_LIKE, OPT_LIMIT, OPT_JSON, OPT_NO_UPDATE };

static bool parse_kinds(const char *list, unsigned *kinds, Err *err) {
    for (const char *s = list;; s++) {
        size_t n = strcspn(s, ",");
        char name[32];
        SearchKind k;
        snprintf(name, sizeof name, "%.*s", n < sizeof name ? (int)n : (int)sizeof name - 1, s);
        if (!search_kind_find(name, &k)) {
            err_set(err, ERR_USAGE, NULL, "`%s` is not a kind", name);
            return err_hint(err, "golden, issue, doc, api or example");
        }
        *kinds |= 1u << k;
        s += n;
        if (!*s) return true;
    }
}

static bool parse_limit(const char *text, size_t *limit, Err *err) {
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > SEARCH_LIMIT_MAX)
        return err_set(err, ERR_USAGE, NULL, "--limit takes a number from 1 to %d, not `%s`",
                       SEARCH_LIMIT_MAX, text);
    *limit = (size_t)n;
    return true;
}

static bool parse_args(int argc, char **argv, Args *args, Err *err) {
    static const struct option OPTIONS[] = {{"like", required_argument, NULL, OPT_LIKE},
                                            {"kind", required_argument, NULL, OPT_KIND},
                                            {"limit", required_argument, NULL, OPT_LIMIT},
                                            {"json", no_argument, NULL, OPT_JSON},
                                            {"no-update", no_argument, NULL, OPT_NO_UPDATE},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;) switch (c) {
        case OPT_KIND:
            if (!parse_kinds(optarg, &args->query.kinds, err)) return false;
            break;
        case OPT_LIKE:
            args->like = optarg;
            break;
        case OPT_LIMIT:
            if (!parse_limit(optarg, &args->query.limit, err)) return false;
            break;
        case OPT_JSON:
            args->as_json = true;
            break;
        case OPT_NO_UPDATE:
            args->no_update = true;
            break;
        case 'h':
            return args->help = true;
        default:
            return false;
        }
    return true;
}

/* The words of the command line as one text, or what is piped in. */
static const char *read_words(Arena *a, int argc, char **argv, Err *err) {
    if (argc - optind == 1 && !strcmp(argv[optind], "-")) {
        char *text = arena_alloc(a, SEARCH_QUERY_MAX + 1);
        size_t n = fread(text, 1, SEARCH_QUERY_MAX, stdin);
        for (char *p = text; (p = memchr(p, '\0', n - (size_t)(p - text)));) *p = ' ';
        return text;
    }
    const char *text = "";
    for (int i = optind; i < argc; i++) text = *text ? arena_printf(a, "%s %s", text, argv[i]) : argv[i];
    if (text[strspn(text, " \t\r\n")]) return text;
    err_set(err, ERR_USAGE, NULL, "nothing to search for");
    err_hint(err, "for example: opwright search \"reduce last axis unaligned float16\"");
    return NULL;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* Files may hold any bytes; JSON takes UTF-8. */
static json_t *text_json(const char *text) {
    json_t *j = json_string(text);
    if (j) return j;
    char *clean = strdup(text);
    if (!clean) abort();
    for (char *p = clean; *p; p++)
        if ((unsigned char)*p >= 0x80) *p = '?';
    j = json_string(clean);
    free(clean);
    return j;
}

static void print_json(const char *query, const SearchHits *hits) {
    json_t *list = json_array();
    for (size_t i = 0; i < hits->n; i++) {
        const SearchHit *h = &hits->at[i];
        json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:I, s:I, s:f, s:o}", "kind", search_kind_name(h->kind),
                              "name", text_json(h->name), "title", text_json(h->title), "path",
                              text_json(h->path), "first_line", (json_int_t)h->first_line, "last_line",
                              (json_int_t)h->last_line, "score", h->score, "snippet", text_json(h->snippet));
        if (h->shared) json_object_set_new(o, "shared", text_json(h->shared));
        json_array_append_new(list, o);
    }
    json_t *doc = json_pack("{s:o, s:o}", "query", text_json(query), "hits", list);
    char *text = json_dumps(doc, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    puts(text);
    free(text);
    json_decref(doc);
}

/* A line of a foreign file: no control characters reach the terminal. */
static void print_line(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++) putchar((unsigned char)s[i] < 0x20 && s[i] != '\t' ? ' ' : s[i]);
    putchar('\n');
}

static void print_text(const SearchHits *hits) {
    for (size_t i = 0; i < hits->n; i++) {
        const SearchHit *h = &hits->at[i];
        printf("%s%s  %s:%zu-%zu\n", i ? "\n" : "", search_kind_name(h->kind), h->path, h->first_line,
               h->last_line);
        fputs("  ", stdout);
        print_line(h->title, strlen(h->title));
        if (h->shared) printf("  both: %s\n", h->shared);
        for (const char *s = h->snippet; *s;) {
            size_t n = strcspn(s, "\n");
            fputs("    ", stdout);
            print_line(s, n);
            s += n + (s[n] == '\n');
        }
    }
}

static bool find_like(Arena *a, SearchIndex *ix, const Args *args, SearchHits *hits, Err *err) {
    const SearchLike q = {.reference = args->like, .kinds = args->query.kinds, .limit = args->query.limit};
    Bridge *b = fs_check_readable(args->like, err) ? cli_start_bridge(a, err) : NULL;
    bool ok = b && search_like(ix, a, b, &q, hits, err);
    bridge_stop(b);
    return ok;
}

static bool find(Arena *a, const Args *args, SearchHits *hits, Err *err) {
    SearchPlaces places;
    if (!hints_places(a, &places, err)) return false;
    SearchIndex *ix = search_open(&places, err);
    bool ok = ix && (args->no_update || search_update(ix, SEARCH_IF_STALE, NULL, err)) &&
              (args->like ? find_like(a, ix, args, hits, err) : search_query(ix, a, &args->query, hits, err));
    search_close(ix);
    return ok;
}

int cli_search(int argc, char **argv) {
    Args args = {0};
    Err err = {0};
    if (!parse_args(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    Arena *a = arena_new();
    SearchHits hits = {0};
    int status;
    if (args.like && optind < argc)
        err_set(&err, ERR_USAGE, NULL, "--like compares a file; words go without it");
    else args.query.text = args.like ? args.like : read_words(a, argc, argv, &err);
    if (!args.query.text || !find(a, &args, &hits, &err)) status = cli_report(&err);
    else {
        if (args.as_json) print_json(args.query.text, &hits);
        else print_text(&hits);
        if (hits.n == 0 && !args.as_json) fputs("nothing was found\n", stderr);
        status = hits.n ? 0 : 1;
    }
    arena_free(a);
    return status;
}
