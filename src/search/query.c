/* A query to hits: candidates from the full-text index, then the order that exact names, kinds and literal
 * text ask for. */
#include "search/index_int.h"
#include "search/terms.h"
#include "search/tokens.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CANDIDATES 80
#define ROWS_MAX                                                                                             \
    3000 /* entries that are ranked for a query: very common words beside rarer ones are left out */
#define LITERAL_TOP   30  /* so many of the best are looked through for the query as it stands */
#define LITERAL_MIN   6   /* bytes */
#define SAME_FILE     2   /* hits from one file, where it is no table */
#define BONUS_NAME    1.5 /* for an entry whose name is all of the query; less for a part of it */
#define BONUS_DOC     0.5 /* of that, when the name is a document's */
#define BONUS_TEXT    0.4
#define SOUND_CHECK_S 3600

static const double KIND_WEIGHT[] = {
#define KIND(id, name, weight, plural) weight,
#include "search/kinds.def"
#undef KIND
};

typedef struct Candidate {
    int64_t id;
    double score;
    SearchKind kind;
    const char *name, *title, *path, *body;
    size_t first_line, n_lines;
    bool is_record;
} Candidate;

typedef struct Search {
    SearchIndex *ix;
    Arena *a;
    Err *err;
    const SearchQuery *q;
    QueryTerms terms;
    Phrase *drive[QUERY_PHRASES_MAX]; /* phrases that are looked for */
    size_t n_drive;
    Candidate *at;
    size_t n;
} Search;

/* ---- candidates ------------------------------------------------------------------------------ */

static int by_rows(const void *a, const void *b) {
    const Phrase *x = *(Phrase *const *)a, *y = *(Phrase *const *)b;
    if (x->n_rows != y->n_rows) return x->n_rows < y->n_rows ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Rare phrases first, until enough entries would be ranked; at least the rarest of all. */
static void choose_drive(Search *s) {
    for (size_t i = 0; i < s->terms.n_phrases; i++) s->drive[s->n_drive++] = &s->terms.phrase[i];
    qsort(s->drive, s->n_drive, sizeof s->drive[0], by_rows);
    size_t rows = 0, n = 0;
    while (n < s->n_drive && (n == 0 || rows + s->drive[n]->n_rows <= ROWS_MAX))
        rows += s->drive[n++]->n_rows;
    s->n_drive = n;
}

/* "a b" OR "c": terms hold neither quotes nor anything else that FTS5 reads. */
static const char *match_text(Search *s, bool in_names) {
    StrBuf b;
    strbuf_init(&b, s->a);
    if (in_names) strbuf_add(&b, "name : (");
    for (size_t i = 0; i < s->n_drive; i++) strbuf_printf(&b, "%s\"%s\"", i ? " OR " : "", s->drive[i]->text);
    if (in_names) strbuf_add(&b, ")");
    return b.text;
}

static RankPhrase *rank_phrases(Search *s) {
    RankPhrase *out = ARENA_ARRAY(s->a, s->n_drive, RankPhrase);
    for (size_t i = 0; i < s->n_drive; i++) {
        const Phrase *p = s->drive[i];
        const QueryGroup *g = &s->terms.group[p->group];
        out[i] = (RankPhrase){
            .weight = p->weight, .idf = p->idf, .group = p->group, .group_idf = g->weight * g->idf};
    }
    return out;
}

static bool has_candidate(const Search *s, int64_t id) {
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].id == id) return true;
    return false;
}

static bool collect(Search *s, bool in_names, size_t limit) {
    static const char ANY[] =
        "SELECT rowid, ow_rank(word, ?2) AS r FROM word WHERE word MATCH ?1 ORDER BY r DESC LIMIT ?3";
    static const char SOME[] =
        "SELECT word.rowid, ow_rank(word, ?2) AS r FROM word JOIN entry ON entry.id = word.rowid"
        " WHERE word MATCH ?1 AND (?4 >> entry.kind) & 1 ORDER BY r DESC LIMIT ?3";
    sqlite3_stmt *st = index_prepare(s->ix, s->q->kinds ? SOME : ANY, s->err);
    if (!st) return false;
    sqlite3_bind_text(st, 1, match_text(s, in_names), -1, SQLITE_STATIC);
    sqlite3_bind_blob(st, 2, rank_phrases(s), (int)(s->n_drive * sizeof(RankPhrase)), SQLITE_STATIC);
    sqlite3_bind_int64(st, 3, (sqlite3_int64)limit);
    if (s->q->kinds) sqlite3_bind_int64(st, 4, s->q->kinds);
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW)
        if (!has_candidate(s, sqlite3_column_int64(st, 0)))
            s->at[s->n++] =
                (Candidate){.id = sqlite3_column_int64(st, 0), .score = sqlite3_column_double(st, 1)};
    sqlite3_finalize(st);
    return rc == SQLITE_DONE || index_fail(s->ix, "searching", s->err);
}

static const char *text_column(Search *s, sqlite3_stmt *st, int i) {
    const char *t = (const char *)sqlite3_column_text(st, i);
    return arena_strdup(s->a, t ? t : "");
}

static bool load(Search *s) {
    sqlite3_stmt *st = index_prepare(
        s->ix,
        "SELECT entry.kind, name, title, path, first_line, n_lines, is_record FROM entry JOIN file ON"
        " file.id = entry.file WHERE entry.id = ?1",
        s->err);
    if (!st) return false;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        Candidate c = s->at[i];
        sqlite3_bind_int64(st, 1, c.id);
        if (sqlite3_step(st) == SQLITE_ROW) {
            int kind = sqlite3_column_int(st, 0);
            c.kind = kind >= 0 && kind < SEARCH_N_KINDS ? (SearchKind)kind : SEARCH_DOC;
            c.name = text_column(s, st, 1);
            c.title = text_column(s, st, 2);
            c.path = text_column(s, st, 3);
            c.first_line = (size_t)sqlite3_column_int64(st, 4);
            c.n_lines = (size_t)sqlite3_column_int64(st, 5);
            c.is_record = sqlite3_column_int(st, 6);
            s->at[n++] = c;
        }
        sqlite3_reset(st);
    }
    s->n = n;
    sqlite3_finalize(st);
    return true;
}

/* The text of an entry, which is long: read for those that may be shown. */
static const char *body_of(Search *s, Candidate *c) {
    if (c->body) return c->body;
    sqlite3_stmt *st = NULL;
    c->body = "";
    if (sqlite3_prepare_v2(s->ix->db, "SELECT body FROM entry WHERE id = ?1", -1, &st, NULL) == SQLITE_OK) {
        sqlite3_bind_int64(st, 1, c->id);
        if (sqlite3_step(st) == SQLITE_ROW) c->body = text_column(s, st, 0);
    }
    sqlite3_finalize(st);
    return c->body;
}

/* ---- order ----------------------------------------------------------------------------------- */

typedef struct NameCheck {
    const Search *s;
    bool hit[QUERY_GROUPS_MAX];
} NameCheck;

static bool check_name(void *ctx, const Token *t) {
    NameCheck *c = ctx;
    if (t->form != TOKEN_WHOLE) return true;
    for (size_t g = 0; g < c->s->terms.n_groups; g++) {
        const char *word = c->s->terms.group[g].word;
        if (word && strlen(word) == t->n_bytes && !memcmp(word, t->text, t->n_bytes)) c->hit[g] = true;
    }
    return true;
}

/* Which share of the query (0 to 1) is this entry's name, by how rare the words are. */
static double name_share(const Search *s, const char *name) {
    NameCheck c = {.s = s};
    tokens_each(name, strlen(name), check_name, &c);
    double hit = 0, all = 0;
    for (size_t g = 0; g < s->terms.n_groups; g++) {
        all += s->terms.group[g].weight * s->terms.group[g].idf;
        if (c.hit[g]) hit += s->terms.group[g].idf;
    }
    return all <= 0 ? 0 : hit < all ? hit / all : 1;
}

static int by_score(const void *a, const void *b) {
    const Candidate *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    int order = strcmp(x->path, y->path);
    if (order) return order;
    return x->first_line < y->first_line ? -1 : x->first_line > y->first_line;
}

/* The query without the white space around it, when it may stand somewhere as it is and says more than its
 * words do. */
static const char *literal_of(Search *s) {
    const char *t = s->q->text;
    while (isspace((unsigned char)*t)) t++;
    size_t n = strnlen(t, SEARCH_QUERY_MAX);
    while (n > 0 && isspace((unsigned char)t[n - 1])) n--;
    bool one_word = true;
    for (size_t i = 0; i < n && one_word; i++) one_word = isalnum((unsigned char)t[i]) || t[i] == '_';
    return n < LITERAL_MIN || one_word || memchr(t, '\n', n) ? NULL : arena_strndup(s->a, t, n);
}

static void order(Search *s) {
    for (size_t i = 0; i < s->n; i++) {
        Candidate *c = &s->at[i];
        double share = name_share(s, c->name);
        c->score *= KIND_WEIGHT[c->kind] * (1 + BONUS_NAME * share * (c->kind == SEARCH_DOC ? BONUS_DOC : 1));
    }
    qsort(s->at, s->n, sizeof s->at[0], by_score);
    const char *literal = literal_of(s);
    for (size_t i = 0; literal && i < s->n && i < LITERAL_TOP; i++)
        if (strcasestr(body_of(s, &s->at[i]), literal)) s->at[i].score *= 1 + BONUS_TEXT;
    if (literal) qsort(s->at, s->n, sizeof s->at[0], by_score);
}

/* ---- hits ------------------------------------------------------------------------------------ */

static size_t count_same(const Search *s, const SearchHits *out, const Candidate *c) {
    size_t n = 0;
    (void)s;
    for (size_t i = 0; i < out->n; i++)
        n += c->kind == SEARCH_API ? out->at[i].kind == SEARCH_API && !strcmp(out->at[i].name, c->name)
                                   : !strcmp(out->at[i].path, c->path);
    return n;
}

static TermSet *snippet_terms(Search *s) {
    TermSet *t = terms_new(s->a);
    for (size_t i = 0; i < s->terms.n_phrases; i++)
        for (const char *p = s->terms.phrase[i].text; *p;) {
            size_t n = strcspn(p, " ");
            terms_add(t, s->a, p, n, s->terms.phrase[i].weight * s->terms.phrase[i].idf);
            p += n + (p[n] == ' ');
        }
    return t;
}

static void make_hits(Search *s, SearchHits *out) {
    size_t limit = s->q->limit ? s->q->limit : 10;
    if (limit > SEARCH_LIMIT_MAX) limit = SEARCH_LIMIT_MAX;
    const TermSet *terms = snippet_terms(s);
    out->at = ARENA_ARRAY(s->a, limit, SearchHit);
    out->n = 0;
    for (size_t i = 0; i < s->n && out->n < limit; i++) {
        Candidate *c = &s->at[i];
        if (count_same(s, out, c) >= SAME_FILE) continue;
        SearchHit h = {.kind = c->kind,
                       .name = c->name,
                       .title = c->title,
                       .path = c->path,
                       .score = c->score,
                       .first_line = c->first_line};
        snippet_choose(s->a, body_of(s, c), terms, &h);
        if (c->is_record) h.first_line = c->first_line, h.last_line = c->first_line + c->n_lines - 1;
        out->at[out->n++] = h;
    }
}

static bool search_once(SearchIndex *ix, Arena *a, const SearchQuery *q, SearchHits *out, Err *err) {
    *out = (SearchHits){0};
    Search *s = ARENA_NEW(a, Search);
    *s = (Search){.ix = ix, .a = a, .err = err, .q = q};
    if (!terms_read(ix, a, q->text, strnlen(q->text, SEARCH_QUERY_MAX), &s->terms, err)) return false;
    choose_drive(s);
    if (s->n_drive == 0) return true;
    s->at = ARENA_ARRAY(a, 2 * CANDIDATES + SEARCH_LIMIT_MAX, Candidate);
    size_t wanted = q->limit > CANDIDATES / 2 ? CANDIDATES + q->limit / 2 : CANDIDATES;
    if (!collect(s, false, wanted) || !collect(s, true, CANDIDATES / 2) || !load(s)) return false;
    order(s);
    make_hits(s, out);
    return true;
}

/* Damage that no read meets shows as nothing found, so an empty answer is looked into: once an hour, for it
 * reads the whole file. */
static bool is_sound(SearchIndex *ix, Arena *a) {
    int64_t now = (int64_t)time(NULL), age = now - strtoll(index_note(ix, a, "sound"), NULL, 10);
    if (age >= 0 && age < SOUND_CHECK_S) return true;
    if (!index_is_sound(ix)) return false;
    Err lost = {0};
    (void)!index_set_note(ix, "sound", arena_printf(a, "%lld", (long long)now), &lost);
    return true;
}

bool search_query(SearchIndex *ix, Arena *a, const SearchQuery *q, SearchHits *out, Err *err) {
    bool ok = search_once(ix, a, q, out, err);
    if (ix->read_only || (ok ? out->n > 0 || is_sound(ix, a) : !index_is_damaged(ix))) return ok;
    return index_start_again(ix, err) && search_update(ix, SEARCH_FROM_NOTHING, NULL, err) &&
           search_once(ix, a, q, out, err);
}
