/* What each kind of view does to strides and offset. */
#include "graph/views.h"

#include <string.h>

typedef enum {
    VIEW_RESHAPE,
    VIEW_EXPAND,
    VIEW_BROADCAST_IN_DIM,
    VIEW_PERMUTE,
    VIEW_TRANSPOSE,
    VIEW_TRANSPOSE_2D,
    VIEW_REVERSE_DIMS,
    VIEW_SLICE,
    VIEW_NARROW,
    VIEW_SELECT,
    VIEW_FLIP,
    VIEW_DIAGONAL,
    VIEW_SPLIT,
    VIEW_SPLIT_SIZES,
    VIEW_SPLIT_EVEN,
    VIEW_UNBIND,
    VIEW_SAME,
    VIEW_N_KINDS
} ViewKind;

static const struct {
    const char *op;
    ViewKind kind;
} VIEWS[] = {
#define VIEW(target, kind) {target, VIEW_##kind},
#include "graph/views.def"
#undef VIEW
};

size_t graph_view_count(void) {
    return sizeof VIEWS / sizeof VIEWS[0];
}
const char *graph_view_name(size_t i) {
    return VIEWS[i].op;
}

static bool find_kind(const char *op, ViewKind *kind) {
    for (size_t i = 0; i < graph_view_count(); i++)
        if (strcmp(VIEWS[i].op, op) == 0) {
            *kind = VIEWS[i].kind;
            return true;
        }
    return false;
}

bool graph_is_view(const char *op) {
    ViewKind kind;
    return find_kind(op, &kind);
}

bool graph_keeps_order(const char *op) {
    ViewKind kind;
    return find_kind(op, &kind) && (kind == VIEW_RESHAPE || kind == VIEW_SAME);
}

GraphView graph_view_contiguous(Arena *a, const GraphShape *shape) {
    GraphView v = {
        .shape = *shape, .stride = ARENA_ARRAY(a, shape->rank, const Size *), .offset = size_const(a, 0)};
    const Size *step = size_const(a, 1);
    for (uint32_t d = shape->rank; d-- > 0;) {
        v.stride[d] = step;
        step = size_mul(a, step, shape->dim[d]);
    }
    return v;
}

bool graph_view_equal(const GraphView *x, const GraphView *y) {
    if (x->shape.rank != y->shape.rank || !size_equal(x->offset, y->offset)) return false;
    for (uint32_t d = 0; d < x->shape.rank; d++)
        if (!size_equal(x->shape.dim[d], y->shape.dim[d]) || !size_equal(x->stride[d], y->stride[d]))
            return false;
    return true;
}

/* The stride that result dimension d takes over from dimension `from`: sizes must agree or be broadcast. */
static bool expand_dim(Arena *a, const GraphView *v, uint32_t from, const Size *to, const Size **stride) {
    if (size_equal(v->shape.dim[from], to)) {
        *stride = v->stride[from];
        return true;
    }
    *stride = size_const(a, 0);
    return size_is(v->shape.dim[from], 1);
}

bool graph_view_expand(Arena *a, GraphView *v, const GraphShape *shape) {
    if (v->shape.rank > shape->rank) return false;
    const Size **stride = ARENA_ARRAY(a, shape->rank, const Size *);
    uint32_t lead = shape->rank - v->shape.rank;
    for (uint32_t d = 0; d < shape->rank; d++) {
        if (d < lead) stride[d] = size_const(a, 0);
        else if (!expand_dim(a, v, d - lead, shape->dim[d], &stride[d])) return false;
    }
    *v = (GraphView){.shape = *shape, .stride = stride, .offset = v->offset};
    return true;
}

/* ---- arguments
 * --------------------------------------------------------------------------------------------------- */

typedef struct Ctx {
    Arena *a;
    const Graph *g;
    const GraphNode *n;
    uint32_t result;
    GraphView *v;
    GraphBounds *bounds;
    Err *err;
} Ctx;

static bool unsupported(Ctx *c, const char *why, const char *hint) {
    err_set(c->err, ERR_UNSUPPORTED, graph_at(c->a, c->g, c->n), "%s in `%s`: %s", c->n->op, c->n->text, why);
    return err_hint(c->err, "%s", hint);
}

static void add_bound(Ctx *c, const Size *small, const Size *large) {
    if (size_is_nonnegative(size_sub(c->a, large, small))) return;
    for (size_t i = 0; i < c->bounds->list.n; i++)
        if (size_equal(c->bounds->list.at[i].small, small) && size_equal(c->bounds->list.at[i].large, large))
            return;
    GraphBound b = {.small = small, .large = large, .node = c->n};
    vec_push(c->bounds->arena, &c->bounds->list, b);
}

static const Size *size_of_arg(Ctx *c, const GraphArg *arg) {
    if (arg && arg->kind == GRAPH_ARG_INT) return size_const(c->a, arg->i);
    if (arg && arg->kind == GRAPH_ARG_SIZE) return arg->size;
    return NULL;
}

/* Dimension argument i, counted from the end when negative. */
static bool get_dim(Ctx *c, const GraphArg *arg, int64_t fallback, uint32_t *out) {
    int64_t d = arg && arg->kind == GRAPH_ARG_INT ? arg->i : fallback;
    if (d < 0) d += c->v->shape.rank;
    if (d < 0 || d >= c->v->shape.rank)
        return unsupported(c, "dimension out of range", "name a dimension the tensor has");
    *out = (uint32_t)d;
    return true;
}

static const GraphShape *node_shape(const Ctx *c) {
    return &c->g->values[c->n->first_value + c->result].shape;
}

static const Size *moved(Ctx *c, uint32_t d, const Size *start) {
    return size_add(c->a, c->v->offset, size_mul(c->a, start, c->v->stride[d]));
}

/* Narrows dimension d to `len` elements, `step` apart, from `start`. */
static void take(Ctx *c, uint32_t d, const Size *start, const Size *len, const Size *step) {
    Arena *a = c->a;
    const Size *one = size_const(a, 1);
    const Size *end = size_add(a, size_add(a, start, size_mul(a, size_sub(a, len, one), step)), one);
    add_bound(c, size_const(a, 0), len);
    add_bound(c, end, c->v->shape.dim[d]);
    GraphView v = {.offset = moved(c, d, start), .shape = {.rank = c->v->shape.rank}};
    v.shape.dim = ARENA_ARRAY(a, v.shape.rank, const Size *);
    v.stride = ARENA_ARRAY(a, v.shape.rank, const Size *);
    for (uint32_t i = 0; i < v.shape.rank; i++) {
        v.shape.dim[i] = i == d ? len : c->v->shape.dim[i];
        v.stride[i] = i == d ? size_mul(a, c->v->stride[i], step) : c->v->stride[i];
    }
    *c->v = v;
}

/* A start or index: negative constants count from the end. */
static const Size *from_end(Ctx *c, uint32_t d, const Size *s) {
    int64_t k;
    return size_is_const(s, &k) && k < 0 ? size_add(c->a, c->v->shape.dim[d], s) : s;
}

/* ---- kinds
 * ------------------------------------------------------------------------------------------------------- */

static bool no_plain_view(Ctx *c) {
    return unsupported(c, "this reshape of a permuted, sliced or broadcast tensor is no plain view",
                       "reshape before permuting, or use permute, unsqueeze and expand instead");
}

/* Groups dimensions of v, last first, that lie contiguously in memory, and cuts each group into the new
 * dimensions, as PyTorch's computeStride does; sizes are compared as polynomials. */
bool graph_view_reshape(Arena *a, GraphView *v, const GraphShape *to, const GraphNode *n, GraphBounds *bounds) {
    Ctx c = {.a = a, .n = n, .v = v, .bounds = bounds};
    const Size **stride = ARENA_ARRAY(a, to->rank, const Size *), *one = size_const(a, 1);
    uint32_t left = to->rank; /* new dimensions not yet placed */
    for (uint32_t d = v->shape.rank; d-- > 0;) {
        if (size_is(v->shape.dim[d], 1)) continue;
        const Size *base = v->stride[d], *n_old = v->shape.dim[d], *n_new = one;
        uint32_t next = d;
        while (next > 0) { /* extend the group over the dimension before */
            if (size_is(v->shape.dim[next - 1], 1)) {
                next--;
                continue;
            }
            if (!size_equal(v->stride[next - 1], size_mul(a, n_old, base))) break;
            next--;
            n_old = size_mul(a, n_old, v->shape.dim[next]);
        }
        while (left > 0 && !size_equal(n_new, n_old)) {
            stride[--left] = size_mul(a, n_new, base);
            n_new = size_mul(a, n_new, to->dim[left]);
        }
        if (!size_equal(n_new, n_old)) {
            if (next > 0 || left > 0) return false;
            /* All is one block, so PyTorch has compared the counts: they differ in writing alone, as
             * 4*(s0//4) and s0. */
            add_bound(&c, n_old, n_new);
            add_bound(&c, n_new, n_old);
        }
        d = next;
    }
    while (left > 0)
        if (!size_is(to->dim[--left], 1)) return false;
    for (uint32_t d = 0; d < to->rank; d++)
        if (size_is(to->dim[d], 1)) stride[d] = size_const(a, 0);
    *v = (GraphView){.shape = *to, .stride = stride, .offset = v->offset};
    return true;
}

static bool apply_reshape(Ctx *c) {
    return graph_view_reshape(c->a, c->v, node_shape(c), c->n, c->bounds) || no_plain_view(c);
}

static bool apply_expand(Ctx *c) {
    if (graph_view_expand(c->a, c->v, node_shape(c))) return true;
    return unsupported(c, "sizes do not broadcast", "expand dimensions of size 1 only");
}

static bool apply_broadcast_in_dim(Ctx *c) {
    const GraphShape *to = node_shape(c);
    const GraphArg *dims = graph_arg(c->n, 2, "broadcast_dimensions");
    const Size **stride = ARENA_ARRAY(c->a, to->rank, const Size *);
    for (uint32_t d = 0; d < to->rank; d++) stride[d] = size_const(c->a, 0);
    for (uint32_t i = 0; dims && i < dims->n && i < c->v->shape.rank; i++) {
        int64_t d = dims->item[i].i;
        if (d < 0 || d >= to->rank || !expand_dim(c->a, c->v, i, to->dim[d], &stride[d]))
            return apply_expand(c);
    }
    *c->v = (GraphView){.shape = *to, .stride = stride, .offset = c->v->offset};
    return true;
}

static void permute(Ctx *c, const uint32_t *order) {
    GraphView v = {.offset = c->v->offset, .shape = {.rank = c->v->shape.rank}};
    v.shape.dim = ARENA_ARRAY(c->a, v.shape.rank, const Size *);
    v.stride = ARENA_ARRAY(c->a, v.shape.rank, const Size *);
    for (uint32_t d = 0; d < v.shape.rank; d++) {
        v.shape.dim[d] = c->v->shape.dim[order[d]];
        v.stride[d] = c->v->stride[order[d]];
    }
    *c->v = v;
}

static bool apply_permute(Ctx *c) {
    const GraphArg *dims = graph_arg(c->n, 1, "dims");
    uint32_t order[GRAPH_MAX_RANK], rank = c->v->shape.rank;
    if (!dims || dims->kind != GRAPH_ARG_LIST || dims->n != rank)
        return unsupported(c, "the list of dimensions is not understood", "name every dimension once");
    for (uint32_t d = 0; d < rank; d++)
        if (!get_dim(c, &dims->item[d], 0, &order[d])) return false;
    permute(c, order);
    return true;
}

static bool apply_swap(Ctx *c, bool is_2d) {
    uint32_t order[GRAPH_MAX_RANK], x = 0, y = 1;
    if (is_2d && c->v->shape.rank < 2) return true;
    if (!is_2d &&
        (!get_dim(c, graph_arg(c->n, 1, "dim0"), 0, &x) || !get_dim(c, graph_arg(c->n, 2, "dim1"), 1, &y)))
        return false;
    for (uint32_t d = 0; d < c->v->shape.rank; d++) order[d] = d == x ? y : d == y ? x : d;
    permute(c, order);
    return true;
}

static bool apply_reverse_dims(Ctx *c) {
    uint32_t order[GRAPH_MAX_RANK], rank = c->v->shape.rank;
    for (uint32_t d = 0; d < rank; d++) order[d] = rank - 1 - d;
    permute(c, order);
    return true;
}

static bool apply_slice(Ctx *c) {
    uint32_t d;
    if (!get_dim(c, graph_arg(c->n, 1, "dim"), 0, &d)) return false;
    const Size *start = size_of_arg(c, graph_arg(c->n, 2, "start"));
    const Size *step = size_of_arg(c, graph_arg(c->n, 4, "step"));
    if (!start) start = size_const(c->a, 0);
    if (!step) step = size_const(c->a, 1);
    take(c, d, from_end(c, d, start), node_shape(c)->dim[d], step);
    return true;
}

static bool apply_narrow(Ctx *c) {
    uint32_t d;
    const Size *start = size_of_arg(c, graph_arg(c->n, 2, "start"));
    if (!start || !get_dim(c, graph_arg(c->n, 1, "dim"), 0, &d))
        return unsupported(c, "start is not a size", "narrow by sizes");
    take(c, d, from_end(c, d, start), node_shape(c)->dim[d], size_const(c->a, 1));
    return true;
}

/* Fixes dimension d at `index` and drops it. */
static void drop(Ctx *c, uint32_t d, const Size *index) {
    take(c, d, index, size_const(c->a, 1), size_const(c->a, 1));
    for (uint32_t i = d; i + 1 < c->v->shape.rank; i++) {
        c->v->shape.dim[i] = c->v->shape.dim[i + 1];
        c->v->stride[i] = c->v->stride[i + 1];
    }
    c->v->shape.rank--;
}

static bool apply_select(Ctx *c) {
    uint32_t d;
    const Size *index = size_of_arg(c, graph_arg(c->n, 2, "index"));
    if (!get_dim(c, graph_arg(c->n, 1, "dim"), 0, &d)) return false;
    if (!index) return unsupported(c, "the index is not a size", "select with an integer");
    drop(c, d, from_end(c, d, index));
    return true;
}

static bool apply_flip(Ctx *c) {
    const GraphArg *dims = graph_arg(c->n, 1, "dims");
    const Size *one = size_const(c->a, 1);
    const Size **stride = ARENA_ARRAY(c->a, c->v->shape.rank, const Size *);
    memcpy(stride, c->v->stride, c->v->shape.rank * sizeof *stride);
    for (size_t i = 0; dims && i < dims->n; i++) {
        uint32_t d;
        if (!get_dim(c, &dims->item[i], 0, &d)) return false;
        c->v->offset = moved(c, d, size_sub(c->a, c->v->shape.dim[d], one));
        stride[d] = size_sub(c->a, size_const(c->a, 0), stride[d]);
    }
    c->v->stride = stride;
    return true;
}

static bool apply_diagonal(Ctx *c) {
    uint32_t x, y;
    const GraphArg *arg = graph_arg(c->n, 1, "offset");
    int64_t shift = arg && arg->kind == GRAPH_ARG_INT ? arg->i : 0;
    if (!get_dim(c, graph_arg(c->n, 2, "dim1"), 0, &x) || !get_dim(c, graph_arg(c->n, 3, "dim2"), 1, &y))
        return false;
    const GraphShape *to = node_shape(c);
    const Size **stride = ARENA_ARRAY(c->a, to->rank, const Size *);
    c->v->offset = moved(c, shift >= 0 ? y : x, size_const(c->a, shift >= 0 ? shift : -shift));
    uint32_t k = 0;
    for (uint32_t d = 0; d < c->v->shape.rank; d++)
        if (d != x && d != y) stride[k++] = c->v->stride[d];
    stride[k] = size_add(c->a, c->v->stride[x], c->v->stride[y]);
    *c->v = (GraphView){.shape = *to, .stride = stride, .offset = c->v->offset};
    return true;
}

/* The pieces before this one add up to its start. */
static bool apply_split(Ctx *c, const char *dim_name) {
    uint32_t d;
    if (!get_dim(c, graph_arg(c->n, 2, dim_name), 0, &d)) return false;
    const Size *start = size_const(c->a, 0);
    for (uint32_t i = 0; i < c->result; i++)
        start = size_add(c->a, start, c->g->values[c->n->first_value + i].shape.dim[d]);
    take(c, d, start, node_shape(c)->dim[d], size_const(c->a, 1));
    return true;
}

static bool apply_unbind(Ctx *c) {
    uint32_t d;
    if (!get_dim(c, graph_arg(c->n, 1, "dim"), 0, &d)) return false;
    drop(c, d, size_const(c->a, c->result));
    return true;
}

bool graph_view_apply(Arena *a, const Graph *g, const GraphNode *n, uint32_t result, GraphView *v,
                      GraphBounds *bounds, Err *err) {
    Ctx c = {.a = a, .g = g, .n = n, .result = result, .v = v, .bounds = bounds, .err = err};
    ViewKind kind;
    if (!find_kind(n->op, &kind)) return unsupported(&c, "this is no view", "");
    switch (kind) {
    case VIEW_RESHAPE:
        return apply_reshape(&c);
    case VIEW_EXPAND:
        return apply_expand(&c);
    case VIEW_BROADCAST_IN_DIM:
        return apply_broadcast_in_dim(&c);
    case VIEW_PERMUTE:
        return apply_permute(&c);
    case VIEW_TRANSPOSE:
        return apply_swap(&c, false);
    case VIEW_TRANSPOSE_2D:
        return apply_swap(&c, true);
    case VIEW_REVERSE_DIMS:
        return apply_reverse_dims(&c);
    case VIEW_SLICE:
        return apply_slice(&c);
    case VIEW_NARROW:
        return apply_narrow(&c);
    case VIEW_SELECT:
        return apply_select(&c);
    case VIEW_FLIP:
        return apply_flip(&c);
    case VIEW_DIAGONAL:
        return apply_diagonal(&c);
    case VIEW_SPLIT:
    case VIEW_SPLIT_SIZES:
    case VIEW_SPLIT_EVEN:
        return apply_split(&c, "dim");
    case VIEW_UNBIND:
        return apply_unbind(&c);
    case VIEW_SAME:
    case VIEW_N_KINDS:
        return true;
    }
    return true;
}

/* ---- validity of sizes
 * -------------------------------------------------------------------------------------------- */

bool graph_sizes_valid(Arena *a, const Graph *g, const int64_t *symbol_values) {
    for (size_t i = 0; i < g->n_values; i++)
        for (uint32_t d = 0; d < g->values[i].shape.rank; d++)
            if (size_eval(g->values[i].shape.dim[d], symbol_values) < 0) return false;
    GraphBounds bounds = {.arena = a};
    for (size_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        if (!graph_is_view(n->op) || n->n_args == 0 || n->args[0].kind != GRAPH_ARG_REF) continue;
        for (uint32_t r = 0; r < n->n_results; r++) {
            GraphView v = graph_view_contiguous(a, &g->values[n->args[0].value].shape);
            Err ignored = {0};
            if (!graph_view_apply(a, g, n, r, &v, &bounds, &ignored))
                continue; /* reported when it is lowered */
        }
    }
    for (size_t i = 0; i < bounds.list.n; i++)
        if (size_eval(bounds.list.at[i].small, symbol_values) >
            size_eval(bounds.list.at[i].large, symbol_values))
            return false;
    return true;
}
