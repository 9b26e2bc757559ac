/* Sizes that are equal though they are written differently. */
#include "graph/equal.h"

#include <string.h>

typedef struct List {
    Arena *a;
    VEC(GraphEqual) v;
} List;

static void add(List *l, const Size *x, const Size *y, const GraphNode *n) {
    for (size_t i = 0; i < l->v.n; i++) {
        const GraphEqual *e = &l->v.at[i];
        if ((size_equal(e->x, x) && size_equal(e->y, y)) || (size_equal(e->x, y) && size_equal(e->y, x)))
            return;
    }
    GraphEqual e = {.x = x, .y = y, .node = n};
    vec_push(l->a, &l->v, e);
}

/* arg broadcast to the node's result: dimensions are aligned at the end. */
static void compare(List *l, const Graph *g, const GraphNode *n, const GraphArg *arg) {
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) compare(l, g, n, &arg->item[i]);
    if (arg->kind != GRAPH_ARG_REF) return;
    const GraphShape *from = &g->values[arg->value].shape, *to = &g->values[n->first_value].shape;
    if (from->rank > to->rank) return;
    for (uint32_t d = 0; d < from->rank; d++) {
        const Size *x = from->dim[from->rank - 1 - d], *y = to->dim[to->rank - 1 - d];
        if (!size_equal(x, y) && !size_is(x, 1)) add(l, x, y, n);
    }
}

GraphEquals graph_equalities(Arena *a, const Graph *g, const GraphFacts *facts) {
    List l = {.a = a};
    for (size_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        GraphRelation r;
        for (size_t k = 0; facts->relation && facts->relation(a, g, n, k, &r); k++)
            if (r.is_equal && !size_equal(r.x, r.y)) add(&l, r.x, r.y, n);
        if (!facts->is_elementwise(n->op)) continue;
        for (size_t k = 0; k < n->n_args; k++) compare(&l, g, n, &n->args[k]);
        for (size_t k = 0; k < n->n_kwargs; k++) compare(&l, g, n, &n->kwargs[k].arg);
    }
    for (size_t i = 0; i < g->n_ties; i++) add(&l, g->ties[i].x, g->ties[i].y, &g->nodes[g->ties[i].node]);
    return (GraphEquals){.at = l.v.at, .n = l.v.n};
}

static int weight(const Graph *g, const Size *s) {
    if (size_is_const(s, NULL)) return 0;
    for (uint32_t i = 0; i < g->n_symbols; i++)
        if (g->symbols[i].input < g->n_inputs &&
            size_equal(s, g->values[g->inputs[g->symbols[i].input].value].shape.dim[g->symbols[i].dim]) &&
            size_uses(s, i))
            return 1;
    Arena *a = arena_new();
    int n = 2 + (int)strlen(size_print(a, s, g->symbol_names, SIZE_PYTHON));
    arena_free(a);
    return n;
}

/* The simplest size of the class that s is in. */
static const Size *canonical(Arena *a, const Graph *g, const GraphEquals *eq, const Size *s) {
    VEC(const Size *) seen = {0};
    vec_push(a, &seen, s);
    for (size_t k = 0; k < seen.n; k++)
        for (size_t i = 0; i < eq->n; i++) {
            const Size *other = size_equal(eq->at[i].x, seen.at[k])   ? eq->at[i].y
                                : size_equal(eq->at[i].y, seen.at[k]) ? eq->at[i].x
                                                                      : NULL;
            bool known = other == NULL;
            for (size_t j = 0; j < seen.n && !known; j++) known = size_equal(seen.at[j], other);
            if (!known) vec_push(a, &seen, other);
        }
    const Size *best = s;
    int least = weight(g, s);
    for (size_t k = 1; k < seen.n; k++) {
        int w = weight(g, seen.at[k]);
        if (w > least) continue;
        if (w == least && strcmp(size_print(a, seen.at[k], g->symbol_names, SIZE_PYTHON),
                                 size_print(a, best, g->symbol_names, SIZE_PYTHON)) >= 0)
            continue;
        best = seen.at[k];
        least = w;
    }
    return best;
}

const Graph *graph_with_simplest_sizes(Arena *a, const Graph *g, const GraphEquals *equals) {
    if (equals->n == 0) return g;
    Graph *copy = ARENA_NEW(a, Graph);
    *copy = *g;
    copy->values = ARENA_ARRAY(a, g->n_values, GraphValue);
    for (size_t i = 0; i < g->n_values; i++) {
        GraphValue *v = &copy->values[i];
        *v = g->values[i];
        v->shape.dim = ARENA_ARRAY(a, v->shape.rank, const Size *);
        for (uint32_t d = 0; d < v->shape.rank; d++)
            v->shape.dim[d] = canonical(a, g, equals, g->values[i].shape.dim[d]);
    }
    return copy;
}
