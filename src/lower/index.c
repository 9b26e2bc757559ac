/* Indexed reads as steps of a chain: which dimensions of the tensor are named by which index tensor. */
#include "lower/index.h"

#include <string.h>

typedef enum {
    READ_SELECT, /* (self, dim, index): one dimension by a tensor of rank 0 or 1 */
    READ_ROWS,   /* (weight, index): the first dimension by a tensor of any rank */
    READ_GATHER, /* (self, dim, index): one dimension, another index for every element */
    READ_LIST    /* (self, [index or None, ...]): dimensions by tensors that broadcast to each other */
} ReadHow;

static const struct {
    const char *op;
    ReadHow how;
    bool wraps;
} READS[] = {
#define INDEX_READ(op, how, wraps) {op, READ_##how, wraps},
#define INDEX_WRAP(op)
#define INDEX_OF(op)
#include "lower/index.def"
#undef INDEX_READ
#undef INDEX_WRAP
#undef INDEX_OF
};
#define N_READS (sizeof READS / sizeof READS[0])

static const char *const WRAPS[] = {
#define INDEX_READ(op, how, wraps)
#define INDEX_WRAP(op) op,
#define INDEX_OF(op)
#include "lower/index.def"
#undef INDEX_READ
#undef INDEX_WRAP
#undef INDEX_OF
};

static const char *const OF[] = {
#define INDEX_READ(op, how, wraps)
#define INDEX_WRAP(op)
#define INDEX_OF(op) op,
#include "lower/index.def"
#undef INDEX_READ
#undef INDEX_WRAP
#undef INDEX_OF
};

size_t index_read_count(void) {
    return N_READS;
}

const char *index_read_name(size_t i) {
    return READS[i].op;
}

static size_t find_read(const char *op) {
    size_t i = 0;
    while (i < N_READS && strcmp(READS[i].op, op) != 0) i++;
    return i;
}

bool index_is_read(const char *op) {
    return find_read(op) < N_READS;
}

/* ---- arguments
 * --------------------------------------------------------------------------------------------------- */

/* What a node names: `index` names dimension `dim` of its first argument. */
typedef struct Named {
    uint32_t dim, index;
    const GraphArg *arg; /* that is the index */
} Named;
typedef VEC(Named) NamedDims;

static bool get_dim(const GraphArg *arg, uint32_t rank, uint32_t *out) {
    int64_t d = arg && arg->kind == GRAPH_ARG_INT ? arg->i : INT64_MAX;
    if (d < 0) d += rank;
    *out = (uint32_t)d;
    return d >= 0 && d < rank;
}

/* False when the node is not one that can be read this way: a mask as an index, a tensor of rank 0. */
static bool named_dims(Arena *a, const Graph *g, const GraphNode *n, ReadHow how, NamedDims *out) {
    const GraphArg *self = graph_arg(n, 0, how == READ_ROWS ? "weight" : "self");
    if (!self || self->kind != GRAPH_ARG_REF) return false;
    uint32_t rank = g->values[self->value].shape.rank, dim = 0;
    if (how == READ_LIST) {
        const GraphArg *list = graph_arg(n, 1, "indices");
        if (!list || list->kind != GRAPH_ARG_LIST || list->n > rank) return false;
        for (uint32_t d = 0; d < list->n; d++) {
            Named named = {.dim = d, .index = list->item[d].value, .arg = &list->item[d]};
            if (list->item[d].kind == GRAPH_ARG_NULL) continue;
            if (list->item[d].kind != GRAPH_ARG_REF) return false;
            vec_push(a, out, named);
        }
        return out->n > 0;
    }
    const GraphArg *index = how == READ_ROWS ? graph_arg(n, 1, "indices") : graph_arg(n, 2, "index");
    if (!index || index->kind != GRAPH_ARG_REF) return false;
    if (how != READ_ROWS && !get_dim(graph_arg(n, 1, "dim"), rank, &dim)) return false;
    Named named = {.dim = dim, .index = index->value, .arg = index};
    vec_push(a, out, named);
    return rank > 0;
}

const Size *index_of_size(Arena *a, const GraphNode *n, const GraphArg *arg) {
    const GraphArg *size = graph_arg(n, 1, "size");
    for (size_t i = 0; i < sizeof OF / sizeof OF[0]; i++)
        if (strcmp(OF[i], n->op) == 0 && size && arg == &n->args[0])
            return size->kind == GRAPH_ARG_INT ? size_const(a, size->i) : size->kind == GRAPH_ARG_SIZE ? size->size : NULL;
    return NULL;
}

static bool is_wrap(const GraphNode *n, const Size *size) {
    const GraphArg *by = graph_arg(n, 1, "other");
    for (size_t i = 0; i < sizeof WRAPS / sizeof WRAPS[0]; i++)
        if (strcmp(WRAPS[i], n->op) == 0 && by && n->args[0].kind == GRAPH_ARG_REF)
            return by->kind == GRAPH_ARG_INT ? size_is(size, by->i) : by->kind == GRAPH_ARG_SIZE && size_equal(by->size, size);
    return false;
}

int64_t index_input(Lower *lo, uint32_t value, const Size *size, const Chain **chain, bool *wraps) {
    for (;;) {
        const GraphValue *v = &lo->g->values[value];
        if (v->node < 0) return v->result;
        const GraphNode *n = &lo->g->nodes[v->node];
        if (size && is_wrap(n, size)) *wraps = true;
        else if (!graph_is_view(n->op) || n->n_args == 0 || n->args[0].kind != GRAPH_ARG_REF) return -1;
        else *chain = lower_chain(lo, n, v->result, NULL, *chain);
        value = n->args[0].value;
    }
}

/* ---- terms
 * ------------------------------------------------------------------------------------------------------- */

static bool add_term(Lower *lo, const GraphNode *n, const Named *named, const GraphView *self, bool wraps, IndexTerms *terms) {
    const Chain *chain = NULL;
    IndexTerm t = {.size = self->shape.dim[named->dim], .stride = self->stride[named->dim], .wraps = wraps};
    DType dtype = lo->g->values[named->index].dtype[lo->variant];
    if (dtype != DTYPE_I32 && dtype != DTYPE_I64)
        return lower_unsupported(lo, n, arena_printf(lo->a, "indices of dtype %s", dtype_info(dtype)->torch),
                                 "use int64 or int32 indices; for a mask, torch.where or masked_fill");
    int64_t input = index_input(lo, named->index, t.size, &chain, &t.wraps);
    if (input < 0) return lower_unsupported(lo, n, "its indices are computed on the way", "");
    t.input = (uint32_t)input;
    if (!lower_chain_view(lo, &lo->g->values[lo->g->inputs[input].value].shape, chain, &t.view)) return false;
    vec_push(lo->a, terms, t);
    return true;
}

/* A view of the result's shape, all strides 0. */
static GraphView blank(Lower *lo, const GraphNode *n, const Size *offset) {
    GraphView v = {.shape = lo->g->values[n->first_value].shape, .offset = offset};
    v.stride = ARENA_ARRAY(lo->a, v.shape.rank, const Size *);
    for (uint32_t d = 0; d < v.shape.rank; d++) v.stride[d] = size_const(lo->a, 0);
    return v;
}

/* The result's dimensions are those of v with `n_index` dimensions of the index in place of the named ones; they begin at
 * result dimension `at`. Every term, old or new, gets a view over them. */
static void replace_dims(Lower *lo, const GraphNode *n, const bool *named, uint32_t at, uint32_t n_index, GraphView *v,
                         size_t n_old, IndexTerms *terms) {
    GraphView out = blank(lo, n, v->offset);
    GraphView *old = ARENA_ARRAY(lo->a, n_old, GraphView);
    for (size_t i = 0; i < n_old; i++) old[i] = blank(lo, n, terms->at[i].view.offset);
    for (uint32_t d = 0, to = 0; d < v->shape.rank; d++) {
        if (named[d]) continue;
        if (to == at) to += n_index;
        out.stride[to] = v->stride[d];
        for (size_t i = 0; i < n_old; i++) old[i].stride[to] = terms->at[i].view.stride[d];
        to++;
    }
    for (size_t i = 0; i < n_old; i++) terms->at[i].view = old[i];
    for (size_t i = n_old; i < terms->n; i++) {
        GraphView *index = &terms->at[i].view, over = blank(lo, n, index->offset);
        uint32_t lead = n_index - index->shape.rank; /* indices broadcast to each other */
        for (uint32_t d = 0; d < index->shape.rank; d++)
            if (!size_is(index->shape.dim[d], 1)) over.stride[at + lead + d] = index->stride[d];
        *index = over;
    }
    *v = out;
}

/* A call breaks it when the index is longer than the tensor. */
static void bind_length(Lower *lo, const GraphNode *n, const Size *small, const Size *large) {
    GraphBound b = {.small = small, .large = large, .node = n};
    if (!size_is_nonnegative(size_sub(lo->a, large, small))) vec_push(lo->bounds->arena, &lo->bounds->list, b);
}

/* gather: every dimension is as long as the index's; the one it names moves by the index alone. */
static void narrow_dims(Lower *lo, const GraphNode *n, uint32_t dim, GraphView *v, size_t n_old, IndexTerms *terms) {
    GraphView out = blank(lo, n, v->offset);
    for (uint32_t d = 0; d < out.shape.rank; d++) {
        if (d == dim) continue;
        out.stride[d] = v->stride[d];
        bind_length(lo, n, out.shape.dim[d], v->shape.dim[d]);
    }
    for (size_t i = 0; i < n_old; i++) {
        GraphView over = blank(lo, n, terms->at[i].view.offset);
        for (uint32_t d = 0; d < out.shape.rank; d++)
            if (d != dim) over.stride[d] = terms->at[i].view.stride[d];
        terms->at[i].view = over;
    }
    *v = out;
}

/* A named dimension over which older terms run cannot be left out of their views. */
static bool is_run_by_terms(const IndexTerms *terms, size_t n_old, uint32_t dim) {
    for (size_t i = 0; i < n_old; i++)
        if (!size_is(terms->at[i].view.stride[dim], 0)) return true;
    return false;
}

bool index_apply(Lower *lo, const GraphNode *n, GraphView *v, IndexTerms *terms) {
    size_t which = find_read(n->op), n_old = terms->n;
    ReadHow how = READS[which].how;
    NamedDims dims = {0};
    bool named[GRAPH_MAX_RANK] = {false}, adjacent = true;
    uint32_t n_index = 0;
    if (!named_dims(lo->a, lo->g, n, how, &dims)) return lower_unsupported(lo, n, "its arguments are not understood", "");
    for (size_t i = 0; i < dims.n; i++) {
        if (is_run_by_terms(terms, n_old, dims.at[i].dim)) return lower_unsupported(lo, n, "it reads what another index has named", "");
        if (!add_term(lo, n, &dims.at[i], v, READS[which].wraps, terms)) return false;
        uint32_t rank = lo->g->values[dims.at[i].index].shape.rank;
        named[dims.at[i].dim] = true;
        if (rank > n_index) n_index = rank;
        adjacent = adjacent && (i == 0 || dims.at[i].dim == dims.at[i - 1].dim + 1);
    }
    if (how == READ_GATHER) {
        narrow_dims(lo, n, dims.at[0].dim, v, n_old, terms);
        return true;
    }
    if (how == READ_SELECT) n_index = 1; /* of rank 0 it selects one, and the dimension stays */
    replace_dims(lo, n, named, adjacent ? dims.at[0].dim : 0, n_index, v, n_old, terms);
    return true;
}

const Size *index_below(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end) {
    size_t which = find_read(n->op);
    NamedDims dims = {0};
    *from_end = which < N_READS && READS[which].wraps;
    if (which == N_READS || arg == &n->args[0] || !named_dims(a, g, n, READS[which].how, &dims)) return NULL;
    for (size_t i = 0; i < dims.n; i++)
        if (dims.at[i].arg == arg) return g->values[n->args[0].value].shape.dim[dims.at[i].dim];
    return NULL;
}
