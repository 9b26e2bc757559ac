/* Sets of inputs to try a generated operator with. */
#include "graph/cases.h"

#include "graph/views.h"

#include <inttypes.h>
#include <string.h>

typedef struct Builder {
    Arena *a;
    const Graph *g;
    GraphEquals equals;
    VEC(GraphRelation) limits; /* that are no equalities */
    const Size **below; /* per input: bound of its integers, or NULL */
    bool *from_end;     /* per input: negative integers down to -below are right, too */
    VEC(GraphCase) cases;
    VEC(int64_t *) sizes; /* assignments that are legal, each once */
    double max_elements;  /* of the largest tensor */
    double max_bytes;     /* of inputs and outputs together, 0: any */
    size_t variant;       /* max_bytes is for */
} Builder;

/* Elements of the largest tensor; values of nodes count, because the reference computes them. */
static double largest(const Graph *g, const int64_t *sizes) {
    double most = 0;
    for (size_t i = 0; i < g->n_values; i++) {
        double n = 1;
        for (uint32_t d = 0; d < g->values[i].shape.rank; d++)
            n *= (double)size_eval(g->values[i].shape.dim[d], sizes);
        if (n > most) most = n;
    }
    return most;
}

/* Of inputs and outputs together. */
static double io_bytes(const Graph *g, size_t variant, const int64_t *sizes) {
    double sum = 0;
    for (size_t i = 0; i < g->n_inputs + g->n_outputs; i++) {
        const GraphValue *v = &g->values[i < g->n_inputs ? g->inputs[i].value : g->outputs[i - g->n_inputs].value];
        double n = (double)dtype_info(v->dtype[variant])->size_bytes;
        for (uint32_t d = 0; d < v->shape.rank; d++) n *= (double)size_eval(v->shape.dim[d], sizes);
        sum += n;
    }
    return sum;
}

/* Halves the largest size until every tensor has at most the number of elements that is quick to verify. */
static void shrink(const Graph *g, int64_t *sizes) {
    while (largest(g, sizes) > GRAPH_CASE_MAX_ELEMENTS) {
        size_t big = 0;
        for (size_t i = 1; i < g->n_symbols; i++)
            if (sizes[i] > sizes[big]) big = i;
        if (g->n_symbols == 0 || sizes[big] <= 2) return;
        sizes[big] = (sizes[big] + 1) / 2;
    }
}

/* Grows the sizes in turn until the largest tensor comes near the limit. */
static void grow(const Graph *g, int64_t *sizes) {
    for (int round = 0; round < 64 && largest(g, sizes) < GRAPH_CASE_MAX_ELEMENTS / 2; round++) {
        size_t i = (size_t)round % g->n_symbols;
        sizes[i] = sizes[i] * 2 + 1;
    }
    shrink(g, sizes);
}

/* Some index would have nothing to name. */
static bool indexes_nothing(const Builder *b, const int64_t *sizes) {
    for (size_t i = 0; i < b->g->n_inputs; i++) {
        const GraphShape *shape = &b->g->values[b->g->inputs[i].value].shape;
        bool empty = !b->below[i] || size_eval(b->below[i], sizes) > 0;
        for (uint32_t d = 0; d < shape->rank; d++) empty = empty || size_eval(shape->dim[d], sizes) == 0;
        if (!empty) return true;
    }
    return false;
}

/* Some op asks for x <= y. */
static bool breaks_relation(const Builder *b, const int64_t *sizes) {
    for (size_t i = 0; i < b->limits.n; i++)
        if (size_eval(b->limits.at[i].x, sizes) > size_eval(b->limits.at[i].y, sizes)) return true;
    return false;
}

static bool is_legal(Builder *b, const int64_t *sizes) {
    if (indexes_nothing(b, sizes) || breaks_relation(b, sizes)) return false;
    for (size_t i = 0; i < b->equals.n; i++)
        if (size_eval(b->equals.at[i].x, sizes) != size_eval(b->equals.at[i].y, sizes)) return false;
    if (b->max_bytes > 0 && io_bytes(b->g, b->variant, sizes) > b->max_bytes) return false;
    return graph_sizes_valid(b->a, b->g, sizes) && (b->g->n_symbols == 0 || largest(b->g, sizes) <= b->max_elements);
}

/* Position of s among the symbols when it is one. */
static bool is_symbol(Builder *b, const Size *s, uint32_t *index) {
    for (*index = 0; *index < b->g->n_symbols; ++*index)
        if (size_equal(s, size_symbol(b->a, *index))) return true;
    return false;
}

/* Symbols that must equal an expression get its value. */
static void follow_equalities(Builder *b, int64_t *sizes) {
    for (size_t round = 0; round < 4; round++)
        for (size_t i = 0; i < b->equals.n; i++) {
            const GraphEqual *e = &b->equals.at[i];
            uint32_t s;
            if (is_symbol(b, e->x, &s)) sizes[s] = size_eval(e->y, sizes);
            else if (is_symbol(b, e->y, &s)) sizes[s] = size_eval(e->x, sizes);
        }
}

static bool try_sizes(Builder *b, const int64_t *from, size_t i, int64_t value, int64_t *out) {
    memcpy(out, from, b->g->n_symbols * sizeof *out);
    out[i] = value;
    follow_equalities(b, out);
    return is_legal(b, out);
}

/* An assignment that a relation forbids (a slice that needs 133 columns, a size that must be even) is mended:
 * one size made a multiple of something, one or more sizes as in the file. */
static bool mend(Builder *b, int64_t *sizes) {
    static const int64_t MULTIPLES[] = {2, 4, 8, 3, 16, 32, 64, 6, 12, 5, 7, 128};
    size_t n = b->g->n_symbols;
    int64_t *was = ARENA_ARRAY(b->a, n + 1, int64_t);
    if (n == 0) return is_legal(b, sizes);
    memcpy(was, sizes, n * sizeof *was);
    if (try_sizes(b, was, 0, was[0], sizes)) return true;
    for (size_t k = 0; k < sizeof MULTIPLES / sizeof MULTIPLES[0]; k++)
        for (size_t i = 0; i < n; i++) {
            int64_t m = MULTIPLES[k], up = (was[i] + m - 1) / m * m;
            if (try_sizes(b, was, i, up ? up : m, sizes)) return true;
        }
    for (size_t i = n; i-- > 0;) {
        was[i] = b->g->symbols[i].hint;
        if (try_sizes(b, was, i, was[i], sizes)) return true;
    }
    return false;
}

static void add_sizes(Builder *b, const int64_t *sizes, bool mendable) {
    size_t n = b->g->n_symbols;
    int64_t *copy = ARENA_ARRAY(b->a, n, int64_t);
    if (n) memcpy(copy, sizes, n * sizeof *copy);
    follow_equalities(b, copy);
    if (mendable ? !mend(b, copy) : !is_legal(b, copy)) return;
    for (size_t i = 0; i < b->sizes.n; i++)
        if (n == 0 || memcmp(b->sizes.at[i], copy, n * sizeof *copy) == 0) return;
    vec_push(b->a, &b->sizes, copy);
}

/* Python may refuse to work out the -1 of a reshape of nothing. */
static bool may_be_empty(const Graph *g) {
    for (size_t i = 0; i < g->n_nodes; i++)
        if (graph_keeps_order(g->nodes[i].op) &&
            (strstr(g->nodes[i].op, "view") || strstr(g->nodes[i].op, "shape") ||
             strstr(g->nodes[i].op, "flatten")))
            return false;
    return true;
}

static void choose_sizes(Builder *b) {
    /* First and last symbol count from their ends: the last one is mostly the row length. */
    static const int64_t OUTER[] = {1, 7, 31, 13, 3, 5}, INNER[] = {1, 31, 7, 1021, 8193, 2047};
    const Graph *g = b->g;
    size_t n = g->n_symbols;
    int64_t *s = ARENA_ARRAY(b->a, n + 1, int64_t);
    for (size_t i = 0; i < n; i++) s[i] = g->symbols[i].hint;
    shrink(g, s);
    add_sizes(b, s, true);
    for (size_t k = 0; k < sizeof OUTER / sizeof OUTER[0]; k++) {
        for (size_t i = 0; i < n; i++) s[i] = i + 1 == n ? INNER[k] : i == 0 ? OUTER[k] : OUTER[k] % 5 + 1;
        shrink(g, s);
        add_sizes(b, s, true);
    }
    if (n == 0) return;
    for (size_t i = 0; i < n; i++) s[i] = i == 0 ? 0 : 5;
    if (may_be_empty(g)) add_sizes(b, s, false);
    for (size_t i = 0; i < n; i++) s[i] = g->symbols[i].hint > 1 ? g->symbols[i].hint : 3;
    shrink(g, s);
    grow(g, s);
    add_sizes(b, s, true);
}

static bool is_index_type(const Graph *g, const GraphArg *arg) {
    return arg->kind == GRAPH_ARG_REF && dtype_info(g->values[arg->value].dtype[0])->cls == DTYPE_CLASS_I;
}

/* The only operand of integers of an elementwise op: in where(mask, index, 0), index; NULL. */
static const GraphArg *only_integers(const Graph *g, const GraphNode *n) {
    const GraphArg *only = NULL;
    for (size_t i = 0; i < n->n_args; i++) {
        if (!is_index_type(g, &n->args[i])) continue;
        if (only) return NULL;
        only = &n->args[i];
    }
    return only;
}

/* The input that a value shows, itself, through views, or put together with numbers; NULL: none. */
static const GraphInput *input_of(const Graph *g, const GraphFacts *facts, uint32_t value) {
    while (g->values[value].node >= 0) {
        const GraphNode *n = &g->nodes[g->values[value].node];
        const GraphArg *from = graph_is_view(n->op) && n->n_args && n->args[0].kind == GRAPH_ARG_REF ? &n->args[0]
                               : facts->is_elementwise(n->op)                                      ? only_integers(g, n)
                                                                                                   : NULL;
        if (!from) return NULL;
        value = from->value;
    }
    return &g->inputs[g->values[value].result];
}

/* arg, or each item of it when it is a list. */
static void bind_index(Builder *b, const GraphFacts *facts, const GraphNode *n, const GraphArg *arg) {
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) bind_index(b, facts, n, &arg->item[i]);
    bool from_end = false;
    const Size *s = arg->kind == GRAPH_ARG_REF ? facts->index_below(b->a, b->g, n, arg, &from_end) : NULL;
    const GraphInput *in = s ? input_of(b->g, facts, arg->value) : NULL;
    if (!in) return;
    const Size **below = &b->below[in - b->g->inputs];
    *below = *below ? size_min(b->a, *below, s) : s;
    b->from_end[in - b->g->inputs] |= from_end;
}

/* For every input, what its integers must be less than because some op takes them as indices. */
static void bind_indices(Builder *b, const GraphFacts *facts) {
    b->below = ARENA_ARRAY(b->a, b->g->n_inputs + 1, const Size *);
    b->from_end = ARENA_ARRAY(b->a, b->g->n_inputs + 1, bool);
    for (size_t i = 0; i < b->g->n_nodes && facts->index_below; i++)
        for (size_t k = 0; k < b->g->nodes[i].n_args; k++) bind_index(b, facts, &b->g->nodes[i], &b->g->nodes[i].args[k]);
}

static void find_limits(Builder *b, const GraphFacts *facts) {
    GraphRelation r;
    for (size_t i = 0; i < b->g->n_nodes && facts->relation; i++)
        for (size_t k = 0; facts->relation(b->a, b->g, &b->g->nodes[i], k, &r); k++)
            if (!r.is_equal) vec_push(b->a, &b->limits, r);
}

static json_t *inputs_json(const Builder *b, const int64_t *sizes) {
    const Graph *g = b->g;
    json_t *list = json_array();
    for (size_t i = 0; i < g->n_inputs; i++) {
        const GraphShape *shape = &g->values[g->inputs[i].value].shape;
        json_t *dims = json_array();
        for (uint32_t d = 0; d < shape->rank; d++)
            json_array_append_new(dims, json_integer(size_eval(shape->dim[d], sizes)));
        json_t *o = json_pack("{s:o}", "shape", dims);
        if (g->inputs[i].path) json_object_set_new(o, "path", json_string(g->inputs[i].path));
        if (b->below[i]) json_object_set_new(o, "below", json_integer(size_eval(b->below[i], sizes)));
        if (b->from_end[i]) json_object_set_new(o, "from_end", json_true());
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *scalars_json(const Graph *g) {
    json_t *o = json_object();
    for (size_t i = 0; i < g->n_scalars; i++) {
        const GraphScalar *s = &g->scalars[i];
        json_object_set_new(o, s->name,
                            s->type == GRAPH_FLOAT ? json_real(s->value)
                            : s->type == GRAPH_INT ? json_integer((json_int_t)s->value)
                                                   : json_boolean(s->value != 0));
    }
    return o;
}

static void add_case(Builder *b, size_t variant, const int64_t *sizes, const char *layout,
                     const char *profile) {
    const Graph *g = b->g;
    const char *label = dtype_info(g->variants[variant])->torch;
    json_t *symbols = json_object();
    for (size_t i = 0; i < g->n_symbols; i++) {
        label = arena_printf(b->a, "%s %s=%" PRId64, label, g->symbols[i].name, sizes[i]);
        json_object_set_new(symbols, g->symbols[i].name, json_integer(sizes[i]));
    }
    if (strcmp(layout, "contiguous") != 0) label = arena_printf(b->a, "%s %s", label, layout);
    if (strcmp(profile, "own") != 0) label = arena_printf(b->a, "%s %s values", label, profile);
    GraphCase c = {.label = label};
    c.spec =
        json_pack("{s:s, s:s, s:o, s:o, s:o, s:s, s:s}", "kind", "sized", "variant",
                  dtype_info(g->variants[variant])->torch, "symbols", symbols, "scalars", scalars_json(g),
                  "inputs", inputs_json(b, sizes), "layout", layout, "profile", profile);
    vec_push(b->a, &b->cases, c);
}

/* The assignment for the layout and edge cases: not empty, not the largest. */
static const int64_t *middle_sizes(const Builder *b) {
    for (size_t i = 0; i < b->sizes.n; i++) {
        double n = largest(b->g, b->sizes.at[i]);
        if (n >= 64 && n <= 65536) return b->sizes.at[i];
    }
    return b->sizes.n ? b->sizes.at[0] : NULL;
}

/* Does some op combine elements, as sums do, or not take the largest numbers? */
static bool avoids_extremes(const Graph *g, const GraphFacts *facts) {
    for (size_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        if (n->n_args && n->args[0].kind == GRAPH_ARG_REF && !facts->is_elementwise(n->op) && !graph_is_view(n->op)) return true;
        if (facts->is_bounded && facts->is_bounded(n->op)) return true;
    }
    return false;
}

/* Strided inputs, and edge values. */
static void add_odd_cases(Builder *b, const GraphFacts *facts) {
    const int64_t *middle = middle_sizes(b);
    if (!middle) return;
    add_case(b, b->g->own_variant, middle, "strided", "own");
    add_case(b, b->g->own_variant, middle, "contiguous", avoids_extremes(b->g, facts) ? "special" : "edge");
}

static Builder new_builder(Arena *a, const Graph *g, const GraphFacts *facts) {
    Builder b = {.a = a,
                 .g = g,
                 .equals = graph_equalities(a, g, facts),
                 .max_elements = GRAPH_CASE_MAX_ELEMENTS};
    bind_indices(&b, facts);
    find_limits(&b, facts);
    return b;
}

GraphCases graph_cases(Arena *a, const Graph *g, const GraphFacts *facts) {
    Builder b = new_builder(a, g, facts);
    choose_sizes(&b);
    for (size_t v = 0; v < g->n_variants; v++)
        for (size_t i = 0; i < b.sizes.n; i++) add_case(&b, v, b.sizes.at[i], "contiguous", "own");
    add_odd_cases(&b, facts);
    return (GraphCases){.at = b.cases.at, .n = b.cases.n};
}

GraphCases graph_odd_cases(Arena *a, const Graph *g, const GraphFacts *facts) {
    Builder b = new_builder(a, g, facts);
    choose_sizes(&b);
    add_odd_cases(&b, facts);
    return (GraphCases){.at = b.cases.at, .n = b.cases.n};
}

/* ---- calls of the file itself
 * ----------------------------------------------------------------------------------- */

/* How a size is made smaller: to no less than `least`, in steps of `step`, so that n % step stays. */
typedef struct Reduction {
    bool inner; /* sizes of the last dimension of an input, else the others */
    int64_t least, step;
} Reduction;
static const Reduction REDUCTIONS[] = {
    {false, 128, 64},     /* still more rows than cores */
    {true, 65536, 8192},  /* rows that UB does not hold */
    {false, 3, 8},
    {true, 2048, 256},
    {false, 1, 2},
    {true, 16, 16},
};

static bool is_inner(const Graph *g, size_t symbol) {
    const GraphSymbol *s = &g->symbols[symbol];
    return s->dim + 1 == g->values[g->inputs[s->input].value].shape.rank;
}

/* n made smaller by about `factor`. */
static int64_t reduced_size(const Reduction *r, int64_t n, double factor) {
    int64_t want = (int64_t)((double)n / factor), least = r->least < n ? r->least : n;
    if (want < least) want = least;
    int64_t v = n - (n - want + r->step - 1) / r->step * r->step; /* the largest that is no more than `want` */
    while (v < least) v += r->step;
    return v < n ? v : n;
}

/* Makes sizes fit the builder's limits; symbol `pinned` stays (SIZE_MAX: none). */
static bool reduce_others(Builder *b, int64_t *sizes, size_t pinned) {
    const Graph *g = b->g;
    for (size_t k = 0; k < sizeof REDUCTIONS / sizeof REDUCTIONS[0]; k++)
        for (size_t turn = 0; turn < g->n_symbols; turn++) {
            double over = io_bytes(g, b->variant, sizes) / b->max_bytes, tall = largest(g, sizes) / b->max_elements;
            if (over <= 1 && tall <= 1) return mend(b, sizes);
            size_t big = g->n_symbols;
            for (size_t i = 0; i < g->n_symbols; i++)
                if (i != pinned && is_inner(g, i) == REDUCTIONS[k].inner && sizes[i] > REDUCTIONS[k].least && (big == g->n_symbols || sizes[i] > sizes[big]))
                    big = i;
            if (big == g->n_symbols) break;
            sizes[big] = reduced_size(&REDUCTIONS[k], sizes[big], over > tall ? over : tall);
            follow_equalities(b, sizes);
        }
    return mend(b, sizes);
}

/* Where the program ties a size to numbers of its own (a split into 4 parts of 1024), the others are reduced. */
static bool reduce_sizes(Builder *b, int64_t *sizes) {
    size_t n = b->g->n_symbols, bytes = n * sizeof *sizes;
    int64_t *was = ARENA_ARRAY(b->a, n + 1, int64_t);
    memcpy(was, sizes, bytes);
    if (reduce_others(b, sizes, SIZE_MAX)) return true;
    for (size_t pinned = 0; pinned < n; pinned++) {
        memcpy(sizes, was, bytes);
        if (reduce_others(b, sizes, pinned)) return true;
    }
    return false;
}

static const char *sizes_text(const Builder *b, const int64_t *sizes) {
    const char *text = "";
    for (size_t i = 0; i < b->g->n_symbols; i++)
        text = arena_printf(b->a, "%s%s%s=%" PRId64, text, i ? " " : "", b->g->symbols[i].name, sizes[i]);
    return text;
}

/* The case of the call itself, with no sizes of ours, or of its kind in other sizes. */
static void add_point(Builder *b, const GraphPoint *p, const int64_t *sizes, bool is_itself) {
    add_case(b, p->variant, sizes, "contiguous", "own");
    GraphCase *c = &b->cases.at[b->cases.n - 1];
    if (p->scalars) json_object_update(json_object_get(c->spec, "scalars"), p->scalars);
    if (p->group >= 0) {
        c->label = arena_printf(b->a, "group %d: %s", p->group, c->label);
        json_object_set_new(c->spec, "group", json_integer(p->group));
        if (is_itself) json_object_set_new(c->spec, "kind", json_string("own"));
    }
    if (is_itself) return;
    c->instead = sizes_text(b, p->sizes);
    c->label = arena_printf(b->a, "%s instead of %s", c->label, c->instead);
}

static bool is_among(const GraphCases *cases, const char *label) {
    for (size_t i = 0; i < cases->n; i++)
        if (!strcmp(cases->at[i].label, label)) return true;
    return false;
}

void graph_add_points(Arena *a, const Graph *g, const GraphFacts *facts, const GraphPoint *points, size_t n, double max_bytes,
                      GraphCases *cases, json_t *left_out) {
    Builder b = new_builder(a, g, facts);
    b.max_bytes = b.max_elements = max_bytes;
    int64_t *sizes = ARENA_ARRAY(a, g->n_symbols + 1, int64_t);
    for (size_t i = 0; i < n; i++) {
        b.variant = points[i].variant;
        if (g->n_symbols) memcpy(sizes, points[i].sizes, g->n_symbols * sizeof *sizes);
        bool fits = io_bytes(g, b.variant, sizes) <= max_bytes && largest(g, sizes) <= b.max_elements;
        if (fits || (g->n_symbols > 0 && reduce_sizes(&b, sizes))) {
            add_point(&b, &points[i], sizes, fits);
            continue;
        }
        const char *label = arena_printf(a, "%s%s", points[i].group < 0 ? "" : arena_printf(a, "group %d: ", points[i].group),
                                         sizes_text(&b, points[i].sizes));
        json_array_append_new(left_out, json_pack("{s:s, s:s}", "label", label, "reason",
                                                  arena_printf(a, "inputs and outputs have %.0f MiB, and the program fixes their sizes",
                                                               io_bytes(g, b.variant, points[i].sizes) / 1048576)));
    }
    VEC(GraphCase) all = {0};
    for (size_t i = 0; i < cases->n; i++) vec_push(a, &all, cases->at[i]);
    for (size_t i = 0; i < b.cases.n; i++) {
        if (is_among(cases, b.cases.at[i].label)) json_decref(b.cases.at[i].spec);
        else vec_push(a, &all, b.cases.at[i]);
    }
    *cases = (GraphCases){.at = all.at, .n = all.n};
}

GraphPoint graph_own_point(Arena *a, const Graph *g) {
    int64_t *sizes = ARENA_ARRAY(a, g->n_symbols + 1, int64_t);
    for (size_t i = 0; i < g->n_symbols; i++) sizes[i] = g->symbols[i].hint;
    return (GraphPoint){.group = -1, .variant = g->own_variant, .sizes = sizes};
}

void graph_cases_clear(GraphCases *cases) {
    for (size_t i = 0; i < cases->n; i++) json_decref(cases->at[i].spec);
    cases->n = 0;
}
