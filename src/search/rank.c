/* What SQLite's full-text search is taught: our tokenizer, and a rank that knows the weight of each term.
 *
 * The rank is BM25 over fields (a term's count in name, title and body is added up with the fields' weights
 * before it is dampened), times how much of the query the entry covers. SQLite's own bm25 knows no weights of
 * terms, and would count the number of rows of every term again for each query. */
#include "search/index_int.h"
#include "search/tokens.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const double FIELD_WEIGHT[N_FIELDS] = {[FIELD_NAME] = 6.0, [FIELD_TITLE] = 3.0, [FIELD_BODY] = 1.0};

#define BM25_K      1.2
#define BM25_B      0.6
#define LENGTH_MAX  12.0 /* times the mean: longer entries are not damped further */
#define GROUPS_MAX  128
#define COVER_FLOOR 0.25 /* what remains of the score of an entry that has next to nothing of the query */

/* ---- tokenizer ------------------------------------------------------------------------------- */

static int tok_create(void *ctx, const char **args, int n_args, Fts5Tokenizer **out) {
    (void)ctx, (void)args, (void)n_args;
    *out = (Fts5Tokenizer *)sqlite3_malloc(1);
    return *out ? SQLITE_OK : SQLITE_NOMEM;
}

static void tok_delete(Fts5Tokenizer *t) {
    sqlite3_free(t);
}

typedef int (*TokenFn)(void *ctx, int flags, const char *token, int n, int start, int end);

typedef struct Sink {
    TokenFn fn;
    void *ctx;
    int rc;
} Sink;

static bool to_sink(void *ctx, const Token *t) {
    Sink *s = ctx;
    s->rc = s->fn(s->ctx, t->same_place ? FTS5_TOKEN_COLOCATED : 0, t->text, (int)t->n_bytes, (int)t->start,
                  (int)t->end);
    return s->rc == SQLITE_OK;
}

/* A query's phrases are terms already, apart by spaces (query.c made them). */
static int take_terms(Sink *s, const char *text, int n) {
    for (int at = 0; at < n && s->rc == SQLITE_OK;) {
        int end = at;
        while (end < n && text[end] != ' ') end++;
        if (end > at) s->rc = s->fn(s->ctx, 0, text + at, end - at, at, end);
        at = end + 1;
    }
    return s->rc;
}

static int tok_tokenize(Fts5Tokenizer *t, void *ctx, int flags, const char *text, int n, TokenFn fn) {
    (void)t;
    Sink s = {.fn = fn, .ctx = ctx, .rc = SQLITE_OK};
    if (flags & FTS5_TOKENIZE_QUERY) return take_terms(&s, text, n);
    if (n > 0) tokens_each(text, (size_t)n, to_sink, &s);
    return s.rc;
}

/* ---- rank ------------------------------------------------------------------------------------ */

/* A phrase's count in the row, each occurrence with the weight of its field. */
static double count_phrase(const Fts5ExtensionApi *api, Fts5Context *fts, int phrase) {
    Fts5PhraseIter it;
    int field, at;
    double sum = 0;
    for (int rc = api->xPhraseFirst(fts, phrase, &it, &field, &at); rc == SQLITE_OK && field >= 0;
         api->xPhraseNext(fts, &it, &field, &at)) {
        if (field < N_FIELDS) sum += FIELD_WEIGHT[field];
        if (sum > 64) break; /* dampened to nearly the same anyway */
    }
    return sum;
}

static double length_norm(const Fts5ExtensionApi *api, Fts5Context *fts) {
    sqlite3_int64 rows = 0, total = 0;
    int tokens = 0;
    if (api->xRowCount(fts, &rows) != SQLITE_OK || rows == 0 ||
        api->xColumnTotalSize(fts, FIELD_BODY, &total) != SQLITE_OK || total == 0 ||
        api->xColumnSize(fts, FIELD_BODY, &tokens) != SQLITE_OK)
        return 1;
    double mean = (double)total / (double)rows;
    return 1 - BM25_B + BM25_B * fmin((double)tokens / mean, LENGTH_MAX);
}

static void rank_function(const Fts5ExtensionApi *api, Fts5Context *fts, sqlite3_context *out, int n_args,
                          sqlite3_value **args) {
    int n = api->xPhraseCount(fts);
    if (n_args != 1 || sqlite3_value_bytes(args[0]) != (int)sizeof(RankPhrase) * n || n == 0) {
        sqlite3_result_error(out, "ow_rank wants one weight for each phrase", -1);
        return;
    }
    const RankPhrase *p = sqlite3_value_blob(args[0]);
    double group[GROUPS_MAX] = {0}, norm = length_norm(api, fts), score = 0, covered = 0, all = 0;
    for (int i = 0; i < n; i++) {
        if (p[i].group < 0 || p[i].group >= GROUPS_MAX) continue;
        double tf = count_phrase(api, fts, i);
        if (tf == 0) continue;
        double s = p[i].weight * p[i].idf * tf * (BM25_K + 1) / (tf + BM25_K * norm);
        double *g = &group[p[i].group];
        if (s > *g) score += s - *g, *g = s; /* of several phrases for one word the best counts */
    }
    bool seen[GROUPS_MAX] = {0};
    for (int i = 0; i < n; i++) {
        int g = p[i].group;
        if (g < 0 || g >= GROUPS_MAX || seen[g]) continue;
        seen[g] = true;
        all += p[i].group_idf;
        if (group[g] > 0) covered += p[i].group_idf;
    }
    sqlite3_result_double(out, all > 0 ? score * (COVER_FLOOR + (1 - COVER_FLOOR) * covered / all) : score);
}

bool rank_register(sqlite3 *db, Err *err) {
    fts5_api *api = NULL;
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(db, "SELECT fts5(?1)", -1, &st, NULL) == SQLITE_OK) {
        sqlite3_bind_pointer(st, 1, (void *)&api, "fts5_api_ptr", NULL);
        sqlite3_step(st);
    }
    sqlite3_finalize(st);
    if (!api) {
        err_set(err, ERR_INTERNAL, NULL, "the SQLite library here (%s) has no full-text search (FTS5)",
                sqlite3_libversion());
        return err_hint(err, "install SQLite 3.34 or newer, built with FTS5");
    }
    fts5_tokenizer t = {.xCreate = tok_create, .xDelete = tok_delete, .xTokenize = tok_tokenize};
    if (api->xCreateTokenizer(api, "ow", NULL, &t, NULL) != SQLITE_OK ||
        api->xCreateFunction(api, "ow_rank", NULL, rank_function, NULL) != SQLITE_OK)
        return err_set(err, ERR_INTERNAL, NULL, "SQLite does not take the tokenizer: %s", sqlite3_errmsg(db));
    return true;
}
