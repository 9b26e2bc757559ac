/* The lines of an entry that answer best: the window with the most, and the rarest, terms of the query. */
#include "search/index_int.h"
#include "search/tokens.h"

#include "base/strbuf.h"

#include <string.h>

#define TERMS_MAX     64  /* bits of a line's mask */
#define LINE_MAX_SHOW 220 /* bytes */

struct TermSet {
    struct {
        const char *text;
        size_t n_bytes;
        double weight;
    } at[TERMS_MAX];
    size_t n;
};

TermSet *terms_new(Arena *a) {
    return ARENA_NEW(a, TermSet);
}

void terms_add(TermSet *t, Arena *a, const char *text, size_t n_bytes, double weight) {
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].n_bytes == n_bytes && memcmp(t->at[i].text, text, n_bytes) == 0) return;
    if (t->n == TERMS_MAX) return;
    t->at[t->n].text = arena_strndup(a, text, n_bytes);
    t->at[t->n].n_bytes = n_bytes;
    t->at[t->n++].weight = weight;
}

typedef struct Lines {
    const TermSet *terms;
    const char *body;
    size_t *start; /* of each line, and one past the last */
    uint64_t *mask;
    size_t n, now; /* now: the line of the last token */
} Lines;

static bool mark(void *ctx, const Token *t) {
    Lines *l = ctx;
    while (l->now + 1 < l->n && t->start >= l->start[l->now + 1]) l->now++;
    for (size_t i = 0; i < l->terms->n; i++)
        if (l->terms->at[i].n_bytes == t->n_bytes && memcmp(l->terms->at[i].text, t->text, t->n_bytes) == 0)
            l->mask[l->now] |= (uint64_t)1 << i;
    return true;
}

static Lines read_lines(Arena *a, const char *body, const TermSet *terms) {
    size_t n_bytes = strlen(body), n = 1;
    for (size_t i = 0; i < n_bytes; i++) n += body[i] == '\n';
    Lines l = {.terms = terms,
               .body = body,
               .n = n,
               .start = ARENA_ARRAY(a, n + 1, size_t),
               .mask = ARENA_ARRAY(a, n, uint64_t)};
    for (size_t i = 0, line = 0; i < n_bytes; i++)
        if (body[i] == '\n') l.start[++line] = i + 1;
    l.start[n] = n_bytes + (n_bytes && body[n_bytes - 1] != '\n');
    tokens_each(body, n_bytes, mark, &l);
    return l;
}

/* Weight of the distinct terms in lines [first, last]. */
static double weigh(const Lines *l, size_t first, size_t last) {
    uint64_t all = 0;
    for (size_t i = first; i <= last; i++) all |= l->mask[i];
    double sum = 0;
    for (size_t i = 0; i < l->terms->n; i++)
        if (all >> i & 1) sum += l->terms->at[i].weight;
    return sum;
}

static void add_line(StrBuf *b, const Lines *l, size_t i) {
    size_t n = l->start[i + 1] > l->start[i] ? l->start[i + 1] - l->start[i] - 1 : 0;
    const char *s = l->body + l->start[i];
    bool cut = n > LINE_MAX_SHOW;
    if (cut)
        for (n = LINE_MAX_SHOW; n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80;) n--;
    if (b->n_bytes) strbuf_add(b, "\n");
    strbuf_addn(b, s, n);
    if (cut) strbuf_add(b, "...");
}

void snippet_choose(Arena *a, const char *body, const TermSet *terms, SearchHit *hit) {
    Lines l = read_lines(a, body, terms);
    size_t first = 0, height = l.n < SEARCH_SNIPPET_LINES ? l.n : SEARCH_SNIPPET_LINES;
    double best = -1;
    for (size_t i = 0; i + height <= l.n; i++) {
        if (i > 0 && l.mask[i] == 0) continue; /* a window begins where something is said */
        double w = weigh(&l, i, i + height - 1);
        if (w > best) best = w, first = i;
    }
    size_t last = first + height - 1;
    while (last > first + 2 && best > 0 && weigh(&l, first, last - 1) >= best)
        last--; /* what adds nothing goes */
    StrBuf b;
    strbuf_init(&b, a);
    for (size_t i = first; i <= last; i++) add_line(&b, &l, i);
    hit->snippet = b.text;
    hit->last_line = hit->first_line + last;
    hit->first_line += first;
}
