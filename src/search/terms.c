/* A query to phrases, and how rare each is. */
#include "search/terms.h"

#include "search/tokens.h"

#include "base/strbuf.h"

#include <math.h>
#include <string.h>

#define WEIGHT_PART    0.35 /* a word inside an identifier, beside the identifier */
#define WEIGHT_SAME    0.6  /* another word for it */
#define WEIGHT_PIECE   0.5  /* a longer name that holds it */
#define WORDS_MAX      256  /* of a query */
#define PIECES_MAX     8
#define PIECE_MIN      3 /* bytes: what a trigram is */
#define SEQUENCE_WORDS 3 /* so many neighbours may be one name: batch matrix multiply */

/* A word of the query: a whole identifier, an English word, a pair of Chinese characters (or one that stands
 * alone). */
typedef struct Word {
    const char *text, *folded; /* the term; the same without the stem cut, for joining */
    size_t start, end;
    bool is_cjk, is_part;
} Word;

typedef struct Words {
    Arena *a;
    const char *query;
    Word at[WORDS_MAX];
    size_t n;
} Words;

typedef struct Builder {
    SearchIndex *ix;
    Arena *a;
    Err *err;
    QueryTerms *q;
    sqlite3_stmt *count, *pieces;
    bool ok;
} Builder;

/* ---- words ----------------------------------------------------------------------------------- */

static const char *fold(Arena *a, const char *s, size_t n) {
    char *out = arena_strndup(a, s, n);
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (out[i] != '_') out[k++] = out[i] >= 'A' && out[i] <= 'Z' ? (char)(out[i] - 'A' + 'a') : out[i];
    out[k] = '\0';
    return out;
}

static bool take(void *ctx, const Token *t) {
    Words *w = ctx;
    if (w->n == WORDS_MAX) return false;
    Word word = {.text = arena_strndup(w->a, t->text, t->n_bytes), .start = t->start, .end = t->end};
    word.is_cjk = t->form == TOKEN_CHAR || t->form == TOKEN_PAIR;
    word.is_part = t->form == TOKEN_PART;
    word.folded = word.is_cjk ? word.text : fold(w->a, w->query + t->start, t->end - t->start);
    Word *last = w->n ? &w->at[w->n - 1] : NULL;
    if (t->form == TOKEN_PAIR && last->start == t->start)
        *last = word; /* in the place of its first character */
    else if (t->form == TOKEN_CHAR && last && last->is_cjk && last->end == t->end)
        return true; /* second of the pair before */
    else w->at[w->n++] = word;
    return true;
}

static bool is_same_word(const Words *w, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (!strcmp(w->at[k].text, w->at[i].text) && w->at[k].is_part == w->at[i].is_part) return true;
    return false;
}

/* ---- phrases --------------------------------------------------------------------------------- */

/* Entries that have the term. */
static size_t count_term(Builder *b, const char *term, size_t n) {
    size_t rows = 0;
    sqlite3_bind_text(b->count, 1, term, (int)n, SQLITE_STATIC);
    int rc = sqlite3_step(b->count);
    if (rc == SQLITE_ROW) rows = (size_t)sqlite3_column_int64(b->count, 0);
    else if (rc != SQLITE_DONE) b->ok = index_fail(b->ix, "reading the search index", b->err);
    sqlite3_reset(b->count);
    return rows;
}

static size_t count_phrase(Builder *b, const char *text) {
    size_t least = SIZE_MAX;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, " "), rows = count_term(b, s, n);
        if (rows < least) least = rows;
        s += n + (s[n] == ' ');
    }
    return least == SIZE_MAX ? 0 : least;
}

static int new_group(Builder *b, const char *word, double weight) {
    QueryTerms *q = b->q;
    if (q->n_groups == QUERY_GROUPS_MAX) return -1;
    q->group[q->n_groups] = (QueryGroup){.word = word, .weight = weight};
    return (int)q->n_groups++;
}

static bool add_phrase(Builder *b, int group, const char *text, double weight) {
    QueryTerms *q = b->q;
    if (group < 0 || q->n_phrases == QUERY_PHRASES_MAX || !*text) return false;
    for (size_t i = 0; i < q->n_phrases; i++)
        if (q->phrase[i].group == group && !strcmp(q->phrase[i].text, text)) return true;
    size_t rows = count_phrase(b, text);
    if (rows == 0) return false;
    double idf = log(1 + (q->n_entries - (double)rows + 0.5) / ((double)rows + 0.5));
    q->phrase[q->n_phrases++] =
        (Phrase){.text = text, .weight = weight, .idf = idf, .n_rows = rows, .group = group};
    QueryGroup *g = &q->group[group];
    if (weight * idf > g->idf) g->idf = weight * idf;
    return true;
}

/* ---- other words for it ---------------------------------------------------------------------- */

static size_t read_words(Arena *a, const char *text, size_t n_bytes, Words *w) {
    *w = (Words){.a = a, .query = text};
    tokens_each(text, n_bytes, take, w);
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        if (!w->at[i].is_part) w->at[n++] = w->at[i];
    return w->n = n;
}

static const char *join_terms(Arena *a, const Words *w) {
    StrBuf b;
    strbuf_init(&b, a);
    for (size_t i = 0; i < w->n; i++) strbuf_printf(&b, "%s%s", i ? " " : "", w->at[i].text);
    return b.text;
}

static bool stands_at(const Words *query, size_t at, const Words *words) {
    if (words->n == 0 || at + words->n > query->n) return false;
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(query->at[at + i].text, words->at[i].text) != 0) return false;
    return true;
}

/* Adds what the row says beside `found`, the part of it that the query has. */
static void add_others(Builder *b, int group, const char *row, const char *found) {
    for (const char *s = row; *s;) {
        size_t n = strcspn(s, "|");
        if (s != found) {
            Words w;
            read_words(b->a, s, n, &w);
            add_phrase(b, group, join_terms(b->a, &w), WEIGHT_SAME);
        }
        s += n + (s[n] == '|');
    }
}

static void add_synonyms(Builder *b, const Words *query, size_t at, int group) {
    static const char *const ROWS[] = {
#define SAME(words_) words_,
#include "search/synonyms.def"
#undef SAME
    };
    for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++)
        for (const char *s = ROWS[r]; *s;) {
            size_t n = strcspn(s, "|");
            Words w;
            read_words(b->a, s, n, &w);
            if (stands_at(query, at, &w)) {
                add_others(b, group, ROWS[r], s);
                break;
            }
            s += n + (s[n] == '|');
        }
}

/* ---- pieces of names ------------------------------------------------------------------------- */

/* Names of the lexicon that hold `piece`, by the trigram index. */
static void add_pieces(Builder *b, int group, const char *piece) {
    if (strlen(piece) < PIECE_MIN) return;
    const char *names[PIECES_MAX];
    size_t n = 0;
    sqlite3_bind_text(b->pieces, 1, arena_printf(b->a, "\"%s\"", piece), -1, SQLITE_STATIC);
    sqlite3_bind_int(b->pieces, 2, PIECES_MAX);
    int rc;
    while (n < PIECES_MAX && (rc = sqlite3_step(b->pieces)) == SQLITE_ROW)
        names[n++] = arena_strdup(b->a, (const char *)sqlite3_column_text(b->pieces, 0));
    sqlite3_reset(b->pieces);
    for (size_t i = 0; i < n; i++) add_phrase(b, group, names[i], WEIGHT_PIECE);
}

/* ---- the query ------------------------------------------------------------------------------- */

static bool all_stop(const Words *w) {
    for (size_t i = 0; i < w->n; i++)
        if (!token_is_stop(w->at[i].text, strlen(w->at[i].text))) return false;
    return true;
}

static void add_word(Builder *b, const Words *w, const Words *wholes, size_t i, size_t whole_at) {
    const Word *word = &w->at[i];
    if (word->is_part) {
        add_phrase(b, new_group(b, NULL, WEIGHT_PART), word->text, WEIGHT_PART);
        return;
    }
    int g = new_group(b, word->text, 1);
    bool known = add_phrase(b, g, word->text, 1);
    add_synonyms(b, wholes, whole_at, g);
    if (!known && !word->is_cjk) add_pieces(b, g, word->folded);
}

/* Neighbours that are one name in the index: "reduce sum" -> reducesum. Covering it is asked of nobody. */
static void add_sequences(Builder *b, const Words *w) {
    for (size_t i = 0; i < w->n; i++) {
        const char *joined = w->at[i].folded;
        for (size_t k = i + 1; k < w->n && k < i + SEQUENCE_WORDS && !w->at[k].is_cjk && !w->at[k - 1].is_cjk;
             k++) {
            joined = arena_printf(b->a, "%s%s", joined, w->at[k].folded);
            if (count_term(b, joined, strlen(joined))) add_phrase(b, new_group(b, joined, 0), joined, 1);
        }
    }
}

static bool prepare(Builder *b) {
    sqlite3_stmt *all = index_prepare(b->ix, "SELECT count(*) FROM entry", b->err);
    b->count = index_prepare(b->ix, "SELECT doc FROM term WHERE term = ?1", b->err);
    b->pieces = index_prepare(
        b->ix, "SELECT word FROM piece WHERE piece MATCH ?1 ORDER BY length(word) LIMIT ?2", b->err);
    bool ok = all && b->count && b->pieces;
    if (ok && sqlite3_step(all) == SQLITE_ROW) b->q->n_entries = (double)sqlite3_column_int64(all, 0);
    else if (ok) ok = index_fail(b->ix, "reading the search index", b->err);
    sqlite3_finalize(all);
    return ok;
}

bool terms_read(SearchIndex *ix, Arena *a, const char *text, size_t n_bytes, QueryTerms *out, Err *err) {
    *out = (QueryTerms){0};
    Builder b = {.ix = ix, .a = a, .err = err, .q = out, .ok = true};
    if (prepare(&b)) {
        Words *all = ARENA_NEW(a, Words), *wholes = ARENA_NEW(a, Words);
        *all = (Words){.a = a, .query = text};
        tokens_each(text, n_bytes, take, all);
        read_words(a, text, n_bytes, wholes);
        bool keep_stops = all_stop(wholes);
        for (size_t i = 0, whole = 0; i < all->n; i++) {
            bool is_stop = !keep_stops && token_is_stop(all->at[i].text, strlen(all->at[i].text));
            if (!is_stop && !is_same_word(all, i)) add_word(&b, all, wholes, i, whole);
            whole += !all->at[i].is_part;
        }
        add_sequences(&b, wholes);
    } else b.ok = false;
    sqlite3_finalize(b.count);
    sqlite3_finalize(b.pieces);
    return b.ok;
}
