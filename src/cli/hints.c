/* Hints at the end of a failed verification or generation. */
#include "cli/hints.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "store/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define N_HINTS        3
#define QUERY_MAX      1500 /* bytes of error text that are searched for */
#define CHECKS_MAX     3
#define SCORE_LEAST    4.0  /* below that a hit shares only common words */
#define SCORE_RELATIVE 0.35 /* of the best */

bool hints_places(Arena *a, SearchPlaces *out, Err *err) {
    Err none = {0};
    return search_places(a, fs_home(a, &none), store_root(a, &none), out, err);
}

static bool is_off(void) {
    const char *v = getenv("OPWRIGHT_HINTS");
    return v && !strcmp(v, "0");
}

/* The child: quiet, out of the way, and with no hold on our pipes. */
static void update_and_end(const SearchPlaces *places) {
    int null = open("/dev/null", O_RDWR);
    for (int fd = 0; fd < 3; fd++)
        if (null >= 0) dup2(null, fd);
    for (int fd = 3; fd < 64; fd++) close(fd);
    setsid();
    setpriority(PRIO_PROCESS, 0, 15);
    Err err = {0};
    SearchIndex *ix = search_open(places, &err);
    if (ix) (void)!search_update(ix, SEARCH_IF_STALE, NULL, &err);
    search_close(ix);
    _exit(0);
}

void hints_prepare(void) {
    if (is_off()) return;
    Arena *a = arena_new();
    SearchPlaces places;
    Err err = {0};
    if (hints_places(a, &places, &err) && !search_looks_fresh(&places)) {
        fflush(NULL);
        if (fork() == 0) update_and_end(&places);
    }
    arena_free(a);
}

/* ---- what is asked --------------------------------------------------------------------------- */

static void add_text(StrBuf *b, const char *text) {
    if (!text || b->n_bytes >= QUERY_MAX) return;
    strbuf_addn(b, text, strnlen(text, QUERY_MAX - b->n_bytes));
    strbuf_add(b, "\n");
}

/* The ids and texts of the first errors, and the calls they are about. */
static void add_checks(StrBuf *b, const json_t *checks) {
    size_t i, n = 0;
    const json_t *c;
    json_array_foreach(checks, i, c) {
        const char *severity = json_string_value(json_object_get(c, "severity"));
        if (!severity || strcmp(severity, "error") != 0) continue;
        add_text(b, json_string_value(json_object_get(c, "check")));
        add_text(b, json_string_value(json_object_get(c, "api")));
        add_text(b, json_string_value(json_object_get(c, "text")));
        if (++n == CHECKS_MAX) return;
    }
}

static const char *shown_path(Arena *a, const char *path) {
    char *cwd = getcwd(NULL, 0);
    size_t n = cwd ? strlen(cwd) : 0;
    const char *shown =
        n > 1 && !strncmp(path, cwd, n) && path[n] == '/' ? arena_strdup(a, path + n + 1) : path;
    free(cwd);
    return shown;
}

static void print_hits(FILE *to, Arena *a, const SearchHits *hits) {
    for (size_t i = 0; i < hits->n; i++) {
        const SearchHit *h = &hits->at[i];
        if (h->score < SCORE_LEAST || h->score < SCORE_RELATIVE * hits->at[0].score) break;
        if (i == 0) fputs("may help:\n", to);
        fprintf(to, "  %-7s %s:%zu  %s\n", search_kind_name(h->kind), shown_path(a, h->path), h->first_line,
                h->title);
    }
}

static void ask(FILE *to, Arena *a, const char *text) {
    SearchPlaces places;
    Err err = {0};
    SearchHits hits;
    SearchIndex *ix = hints_places(a, &places, &err) ? search_peek(&places) : NULL;
    SearchQuery q = {.text = text, .limit = N_HINTS};
    if (ix && search_query(ix, a, &q, &hits, &err)) print_hits(to, a, &hits);
    search_close(ix);
}

void hints_for_result(FILE *to, const char *op, const json_t *result) {
    if (is_off() || !result) return;
    const json_t *list =
        json_object_get(result, "result"); /* a service's answer holds the object in a list */
    if (json_is_array(list)) result = json_array_get(list, 0);
    Arena *a = arena_new();
    StrBuf b;
    strbuf_init(&b, a);
    add_checks(&b, json_object_get(result, "checks"));
    if (b.n_bytes == 0) add_text(&b, json_string_value(json_object_get(result, "error_message")));
    if (b.n_bytes) {
        add_text(&b, op);
        ask(to, a, b.text);
    }
    arena_free(a);
}

void hints_for_error(FILE *to, const char *op, const Err *err) {
    if (is_off()) return;
    Arena *a = arena_new();
    ask(to, a, arena_printf(a, "%s\n%s", op ? op : "", err->message));
    arena_free(a);
}
