/* Solved operators that are built like a reference. Golden solutions are first compared by the calls of their
 * kernels, which the index holds; the nearest of them, and the examples, are then compared by their
 * references' graphs, which are traced once and kept in the index by their text. */
#include "search/index_int.h"
#include "search/likeness.h"

#include "base/fs.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define NEAREST      24   /* golden solutions whose references are looked at */
#define TRACES_MAX   40   /* new traces of one search */
#define TRACE_WALL_S 30.0 /* of one reference */
#define ALL_WALL_S   60.0 /* after that what is left stays with its kernel's likeness */
#define LEAST        0.2

typedef struct Solved {
    SearchKind kind;
    const char *name, *title, *path, *reference; /* reference: what can be traced, or NULL */
    size_t n_lines;
    Likeness like;
    double score;
} Solved;

typedef struct Like {
    SearchIndex *ix;
    Arena *a;
    Bridge *bridge;
    Err *err;
    VEC(Solved) all;
    size_t n_traces;
    double start_s;
} Like;

/* ---- traced references ----------------------------------------------------------------------- */

static Graph *trace(Like *l, const char *path, Err *err) {
    json_t *params = json_pack("{s:s, s:[]}", "path", path, "ops");
    if (!params) {
        err_set(err, ERR_BAD_INPUT, path, "the name of the file is not UTF-8");
        return NULL;
    }
    BridgeReply reply = {0};
    const BridgeLimits limits = {.wall_s = TRACE_WALL_S};
    Graph *g = bridge_call(l->bridge, l->a, "trace", params, &limits, &reply, err)
                   ? graph_parse(l->a, json_object_get(reply.result, "graph"), err)
                   : NULL;
    json_decref(params);
    bridge_reply_clear(&reply);
    return g;
}

static const char *key_of(Arena *a, const char *text, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)text[i]) * 0x100000001b3u;
    return arena_printf(a, "%016" PRIx64 "-%zu", h, n);
}

static bool load_traced(Like *l, const char *key, Likeness *out) {
    sqlite3_stmt *st = NULL;
    bool found = false;
    if (sqlite3_prepare_v2(l->ix->db, "SELECT likeness FROM traced WHERE hash = ?1", -1, &st, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
            found = likeness_parse((const char *)sqlite3_column_text(st, 0), out);
    }
    sqlite3_finalize(st);
    return found;
}

/* A note for the next search; losing it costs a trace. */
static void store_traced(Like *l, const char *key, const Likeness *like) {
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(l->ix->db, "INSERT OR REPLACE INTO traced VALUES(?1, ?2)", -1, &st, NULL) ==
        SQLITE_OK) {
        sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(st, 2, likeness_print(l->a, like), -1, SQLITE_STATIC);
        sqlite3_step(st);
    }
    sqlite3_finalize(st);
}

/* False: it cannot be traced, which is noted as an empty likeness so that it is not tried again. */
static bool likeness_of_file(Like *l, const char *path, Likeness *out, Err *err) {
    size_t n;
    const char *text = fs_read(l->a, path, &n, err), *key = text ? key_of(l->a, text, n) : NULL;
    if (!text) return false;
    if (load_traced(l, key, out)) return out->traced;
    if (l->n_traces >= TRACES_MAX || time_now_s() - l->start_s > ALL_WALL_S) return false;
    l->n_traces++;
    Graph *g = trace(l, path, err);
    if (!g && err->code != ERR_BAD_INPUT && err->code != ERR_UNSUPPORTED)
        return false; /* another time, perhaps */
    *out = g ? likeness_of_graph(g) : (Likeness){0};
    store_traced(l, key, out);
    return g != NULL;
}

/* ---- who is solved --------------------------------------------------------------------------- */

/* The newest reference kept with a golden solution: versions/<op>/ref-*.py beside it. */
static const char *kept_reference(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    size_t n = strlen(slash + 1);
    if (n > 3) n -= 3;
    const char *dir = arena_printf(a, "%.*s/versions/%.*s", (int)(slash - path), path, (int)n, slash + 1),
               *best = NULL;
    DIR *d = opendir(dir);
    time_t newest = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t k = strlen(e->d_name);
        struct stat st;
        if (strncmp(e->d_name, "ref-", 4) != 0 || k < 7 || strcmp(e->d_name + k - 3, ".py") != 0) continue;
        const char *file = arena_printf(a, "%s/%s", dir, e->d_name);
        if (stat(file, &st) == 0 && (!best || st.st_mtime > newest)) best = file, newest = st.st_mtime;
    }
    if (d) closedir(d);
    return best;
}

/* Golden solutions, and examples that are references of their own. */
static bool load_solved(Like *l) {
    static const char SQL[] =
        "SELECT entry.kind, name, title, path, first_line + n_lines - 1, likeness, instr(body, 'class Model')"
        " FROM entry JOIN file ON file.id = entry.file WHERE entry.kind IN (?1, ?2)"
        " AND (likeness IS NOT NULL OR (path LIKE '%.py' AND first_line = 1)) ORDER BY path";
    sqlite3_stmt *st = index_prepare(l->ix, SQL, l->err);
    if (!st) return false;
    sqlite3_bind_int(st, 1, SEARCH_GOLDEN);
    sqlite3_bind_int(st, 2, SEARCH_EXAMPLE);
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        Solved s = {.kind = (SearchKind)sqlite3_column_int(st, 0),
                    .name = arena_strdup(l->a, (const char *)sqlite3_column_text(st, 1)),
                    .title = arena_strdup(l->a, (const char *)sqlite3_column_text(st, 2)),
                    .path = arena_strdup(l->a, (const char *)sqlite3_column_text(st, 3)),
                    .n_lines = (size_t)sqlite3_column_int64(st, 4)};
        const char *like = (const char *)sqlite3_column_text(st, 5);
        bool is_reference = sqlite3_column_int(st, 6) > 0 && !like;
        if (like && !likeness_parse(like, &s.like)) continue;
        if (is_reference) s.reference = s.path;
        if (like || is_reference) vec_push(l->a, &l->all, s);
    }
    sqlite3_finalize(st);
    return rc == SQLITE_DONE || index_fail(l->ix, "searching", l->err);
}

static int by_score(const void *a, const void *b) {
    const Solved *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void score_all(Like *l, const Likeness *query) {
    const Likeness **list = ARENA_ARRAY(l->a, l->all.n + 1, const Likeness *);
    double rarity[LIKE_FEATURES_MAX];
    for (size_t i = 0; i < l->all.n; i++) list[i] = &l->all.at[i].like;
    likeness_rarity(list, l->all.n, rarity);
    for (size_t i = 0; i < l->all.n; i++)
        l->all.at[i].score = likeness_compare(query, &l->all.at[i].like, rarity);
    qsort(l->all.at, l->all.n, sizeof l->all.at[0], by_score);
}

/* By their references, where there are some. */
static void refine(Like *l, const char *query_path) {
    size_t n_golden = 0;
    for (size_t i = 0; i < l->all.n; i++) {
        Solved *s = &l->all.at[i];
        if (s->kind == SEARCH_GOLDEN && n_golden++ < NEAREST) s->reference = kept_reference(l->a, s->path);
        Likeness like;
        Err ignored = {0};
        if (s->reference && strcmp(s->reference, query_path) != 0 &&
            likeness_of_file(l, s->reference, &like, &ignored))
            s->like = like;
    }
}

bool search_like(SearchIndex *ix, Arena *a, Bridge *bridge, const SearchLike *q, SearchHits *out, Err *err) {
    Like l = {.ix = ix, .a = a, .bridge = bridge, .err = err, .start_s = time_now_s()};
    *out = (SearchHits){0};
    char *real = realpath(q->reference, NULL);
    const char *path = real ? arena_strdup(a, real) : q->reference;
    free(real);
    Graph *g = trace(&l, q->reference, err);
    if (!g || !load_solved(&l)) return false;
    Likeness query = likeness_of_graph(g);
    score_all(&l, &query);
    refine(&l, path);
    score_all(&l, &query);
    size_t limit = q->limit ? q->limit : 10;
    out->at = ARENA_ARRAY(a, limit, SearchHit);
    for (size_t i = 0; i < l.all.n && out->n < limit; i++) {
        const Solved *s = &l.all.at[i];
        if (s->score < LEAST || !strcmp(s->path, path) || (q->kinds && !(q->kinds >> s->kind & 1))) continue;
        out->at[out->n++] = (SearchHit){.kind = s->kind,
                                        .name = s->name,
                                        .title = s->title,
                                        .path = s->path,
                                        .first_line = 1,
                                        .last_line = s->n_lines,
                                        .snippet = "",
                                        .score = s->score,
                                        .shared = likeness_shared(a, &query, &s->like)};
    }
    return true;
}
