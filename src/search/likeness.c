/* Reading and comparing what operators are built of. */
#include "search/likeness.h"

#include "search/tokens.h"

#include "base/strbuf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { E, R, M, W, X };
typedef struct Feature {
    const char *name, *ops, *calls, *made_of;
    int form;
} Feature;

static const Feature FEATURES[] = {
#define FEATURE(name_, ops_, calls_, form_, made_of_)                                                        \
    {.name = name_, .ops = ops_, .calls = calls_, .form = form_, .made_of = made_of_},
#include "search/features.def"
#undef FEATURE
};
#define N_FEATURES (sizeof FEATURES / sizeof FEATURES[0])
_Static_assert(N_FEATURES <= LIKE_FEATURES_MAX, "raise LIKE_FEATURES_MAX");

#define SHARE_FEATURES 0.65 /* of the whole; the rest is the shape of the computation */
#define SHARE_REDUCE   0.15
#define SHARE_SPREAD   0.12 /* broadcasting */
#define SHARE_RANK     0.08
#define UNTRACED       0.85 /* of what a kernel's calls alone can give */

static bool has_word(const char *list, const char *word, size_t n) {
    for (const char *s = list; *s;) {
        size_t k = strcspn(s, " ");
        if (k == n && memcmp(s, word, n) == 0) return true;
        s += k + strspn(s + k, " ");
    }
    return false;
}

static void count(Likeness *l, size_t feature) {
    if (l->count[feature] < 1000) l->count[feature]++;
}

bool likeness_is_empty(const Likeness *l) {
    for (size_t i = 0; i < N_FEATURES; i++)
        if (l->count[i]) return false;
    return true;
}

/* ---- from a graph ---------------------------------------------------------------------------- */

static bool is_one(const Size *s) {
    int64_t v;
    return size_is_const(s, &v) && v == 1;
}

/* Axes a reduction goes over; no list of them means all. */
static unsigned reduced_axes(const Graph *g, const GraphNode *n) {
    if (n->n_args == 0 || n->args[0].kind != GRAPH_ARG_REF) return 0;
    uint32_t rank = g->values[n->args[0].value].shape.rank, n_axes = 0;
    const GraphArg *dims = graph_arg(n, 1, "dim");
    bool last = false, first = false, is_list = dims && dims->kind == GRAPH_ARG_LIST;
    size_t n_dims = is_list ? dims->n : dims && dims->kind == GRAPH_ARG_INT;
    if (n_dims == 0) return LIKE_REDUCES_ALL;
    for (size_t i = 0; i < n_dims; i++) {
        const GraphArg *dim = is_list ? &dims->item[i] : dims;
        if (dim->kind != GRAPH_ARG_INT) continue;
        int64_t d = dim->i < 0 ? dim->i + rank : dim->i;
        last |= d + 1 == rank;
        first |= d == 0;
        n_axes++;
    }
    if (n_axes >= rank) return LIKE_REDUCES_ALL;
    return last ? LIKE_REDUCES_LAST : first ? LIKE_REDUCES_FIRST : LIKE_REDUCES_INNER;
}

/* How an operand is spread over the result. */
static unsigned spread(const GraphShape *in, const GraphShape *out) {
    if (in->rank > out->rank || out->rank == 0) return 0;
    uint32_t shift = out->rank - in->rank, n_spread = 0, n_own = 0;
    bool last_spread = false, first_spread = false;
    for (uint32_t i = 0; i < out->rank; i++) {
        bool one_out = is_one(out->dim[i]), spreads = !one_out && (i < shift || is_one(in->dim[i - shift]));
        n_spread += spreads;
        n_own += !spreads && !one_out;
        if (i + 1 == out->rank) last_spread = spreads;
        if (i == 0) first_spread = spreads;
    }
    if (n_spread == 0) return 0;
    if (n_own == 0) return LIKE_SCALAR;
    return !last_spread ? LIKE_ROW : first_spread ? LIKE_CHANNEL : LIKE_COLUMN;
}

/* "aten.add.Tensor" -> "add". */
static const char *base_name(const char *op, size_t *n) {
    const char *dot = strchr(op, '.');
    if (dot) op = dot + 1;
    *n = strcspn(op, ".");
    return op;
}

static void read_node(Likeness *l, const Graph *g, const GraphNode *n) {
    size_t k;
    const char *name = base_name(n->op, &k);
    for (size_t f = 0; f < N_FEATURES; f++) {
        if (!has_word(FEATURES[f].ops, name, k)) continue;
        count(l, f);
        if (FEATURES[f].form == R) l->reduces |= reduced_axes(g, n);
    }
    if (n->n_results == 0) return;
    const GraphShape *out = &g->values[n->first_value].shape;
    bool is_pointwise = false;
    for (size_t f = 0; f < N_FEATURES && !is_pointwise; f++)
        is_pointwise = FEATURES[f].form == E && has_word(FEATURES[f].ops, name, k);
    for (size_t i = 0; is_pointwise && i < n->n_args; i++)
        if (n->args[i].kind == GRAPH_ARG_REF)
            l->broadcasts |= spread(&g->values[n->args[i].value].shape, out);
}

Likeness likeness_of_graph(const Graph *g) {
    Likeness l = {.traced = true, .n_inputs = (unsigned)g->n_inputs};
    for (size_t i = 0; i < g->n_inputs; i++) {
        uint32_t rank = g->values[g->inputs[i].value].shape.rank;
        if (rank > l.rank_in) l.rank_in = rank;
    }
    for (size_t i = 0; i < g->n_outputs; i++) {
        uint32_t rank = g->values[g->outputs[i].value].shape.rank;
        if (rank > l.rank_out) l.rank_out = rank;
    }
    for (size_t i = 0; i < g->n_nodes; i++) read_node(&l, g, &g->nodes[i]);
    return l;
}

/* ---- from a kernel --------------------------------------------------------------------------- */

static bool is_word_char(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

Likeness likeness_of_kernel(const char *source) {
    Likeness l = {0};
    for (const char *s = source; *s;) {
        if (!is_word_char(*s)) {
            s++;
            continue;
        }
        size_t n = 0;
        while (is_word_char(s[n])) n++;
        const char *after = s + n + strspn(s + n, " ");
        if (*after == '(' || *after == '<')
            for (size_t f = 0; f < N_FEATURES; f++)
                if (has_word(FEATURES[f].calls, s, n)) count(&l, f);
        s += n;
    }
    return l;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* A sum over the names of the table, so that a text of another table is not taken for one of this. */
static unsigned table_sum(void) {
    unsigned h = 2166136261u;
    for (size_t f = 0; f < N_FEATURES; f++)
        for (const char *s = FEATURES[f].name; *s; s++) h = (h ^ (unsigned char)*s) * 16777619u;
    return h;
}

char *likeness_print(Arena *a, const Likeness *l) {
    StrBuf b;
    strbuf_init(&b, a);
    strbuf_printf(&b, "%x %d %u %u %u %u %u", table_sum(), l->traced, l->reduces, l->broadcasts, l->rank_in,
                  l->rank_out, l->n_inputs);
    for (size_t f = 0; f < N_FEATURES; f++)
        if (l->count[f]) strbuf_printf(&b, " %zu:%u", f, (unsigned)l->count[f]);
    return b.text;
}

bool likeness_parse(const char *text, Likeness *out) {
    unsigned sum, traced;
    int n = 0;
    *out = (Likeness){0};
    if (sscanf(text, "%x %u %u %u %u %u %u%n", &sum, &traced, &out->reduces, &out->broadcasts, &out->rank_in,
               &out->rank_out, &out->n_inputs, &n) != 7 ||
        sum != table_sum())
        return false;
    out->traced = traced;
    for (const char *s = text + n; *s;) {
        unsigned f, k;
        int used = 0;
        if (sscanf(s, " %u:%u%n", &f, &k, &used) != 2 || f >= N_FEATURES || k > 1000) return false;
        out->count[f] = (unsigned short)k;
        s += used;
    }
    return true;
}

/* ---- comparing ------------------------------------------------------------------------------- */

void likeness_rarity(const Likeness *const *all, size_t n, double rarity[LIKE_FEATURES_MAX]) {
    for (size_t f = 0; f < N_FEATURES; f++) {
        size_t with = 0;
        for (size_t i = 0; i < n; i++) with += all[i]->count[f] > 0;
        rarity[f] = 0.5 + log(1 + (double)n / (1 + (double)with));
    }
}

static size_t find_feature(const char *name, size_t n) {
    for (size_t f = 0; f < N_FEATURES; f++)
        if (strlen(FEATURES[f].name) == n && memcmp(FEATURES[f].name, name, n) == 0) return f;
    return N_FEATURES;
}

/* Features that the other lacks are put in simpler words, where the table has some. */
static Likeness in_words_of(const Likeness *l, const Likeness *other) {
    Likeness out = *l;
    for (size_t f = N_FEATURES; f-- > 0;) {
        if (!out.count[f] || other->count[f] || !*FEATURES[f].made_of) continue;
        for (const char *s = FEATURES[f].made_of; *s;) {
            size_t n = strcspn(s, " "), part = find_feature(s, n);
            if (part < N_FEATURES) count(&out, part);
            s += n + strspn(s + n, " ");
        }
        out.count[f] = 0;
    }
    return out;
}

/* Weighted overlap; a count is dampened, so that the second `add` says less than the first. */
static double overlap(const Likeness *a, const Likeness *b, const double *rarity) {
    double both = 0, any = 0;
    for (size_t f = 0; f < N_FEATURES; f++) {
        double x = sqrt(a->count[f]), y = sqrt(b->count[f]);
        both += rarity[f] * fmin(x, y);
        any += rarity[f] * fmax(x, y);
    }
    return any > 0 ? both / any : 0;
}

static double bits_alike(unsigned a, unsigned b) {
    return a == b ? 1 : (double)__builtin_popcount(a & b) / (double)__builtin_popcount(a | b);
}

double likeness_compare(const Likeness *a, const Likeness *b, const double *rarity) {
    if (likeness_is_empty(a) || likeness_is_empty(b)) return 0;
    Likeness x = in_words_of(a, b), y = in_words_of(b, a);
    double features = fmax(overlap(a, b, rarity), 0.95 * overlap(&x, &y, rarity));
    if (!a->traced || !b->traced) return UNTRACED * features;
    double rank =
        1.0 / (1 + abs((int)a->rank_in - (int)b->rank_in) + abs((int)a->rank_out - (int)b->rank_out));
    return SHARE_FEATURES * features + SHARE_REDUCE * bits_alike(a->reduces, b->reduces) +
           SHARE_SPREAD * bits_alike(a->broadcasts, b->broadcasts) + SHARE_RANK * rank;
}

/* ---- for people ------------------------------------------------------------------------------ */

char *likeness_shared(Arena *a, const Likeness *x, const Likeness *y) {
    static const struct {
        unsigned bit;
        const char *text;
    } REDUCE[] = {{LIKE_REDUCES_ALL, "over everything"},
                  {LIKE_REDUCES_LAST, "over the last axis"},
                  {LIKE_REDUCES_FIRST, "over the first axis"},
                  {LIKE_REDUCES_INNER, "over an inner axis"}},
      SPREAD[] = {{LIKE_ROW, "broadcast of a row"},
                  {LIKE_COLUMN, "broadcast of a column"},
                  {LIKE_CHANNEL, "broadcast per channel"},
                  {LIKE_SCALAR, "broadcast of one element"}};
    StrBuf b;
    strbuf_init(&b, a);
    Likeness simple_x = in_words_of(x, y), simple_y = in_words_of(y, x);
    for (size_t f = 0; f < N_FEATURES; f++)
        if ((x->count[f] && y->count[f]) || (simple_x.count[f] && simple_y.count[f]))
            strbuf_printf(&b, "%s%s", b.n_bytes ? ", " : "", FEATURES[f].name);
    for (size_t i = 0; i < 4; i++)
        if (x->reduces & y->reduces & REDUCE[i].bit)
            strbuf_printf(&b, "%s%s", b.n_bytes ? "; reduces " : "reduces ", REDUCE[i].text);
    for (size_t i = 0; i < 4; i++)
        if (x->broadcasts & y->broadcasts & SPREAD[i].bit)
            strbuf_printf(&b, "%s%s", b.n_bytes ? "; " : "", SPREAD[i].text);
    return b.text;
}
