/* Sizes that are written differently and are equal all the same, because an operation put their tensors side
 * by side: s3//2 and s4 when x[..., :s3//2] was multiplied by a tensor of s4 columns. */
#ifndef OPWRIGHT_GRAPH_EQUAL_H
#define OPWRIGHT_GRAPH_EQUAL_H

#include "graph/graph.h"

typedef struct GraphEqual {
    const Size *x, *y;
    const GraphNode *node; /* the operation that needs it */
} GraphEqual;
typedef struct GraphEquals {
    GraphEqual *at;
    size_t n;
} GraphEquals;

/* Whether the tensor arguments of an op broadcast to its result. */
typedef bool (*GraphOpTest)(const char *op);
/* Two sizes that an op relates: x == y, or x <= y. */
typedef struct GraphRelation {
    const Size *x, *y;
    bool is_equal;
} GraphRelation;
/* What the layers below know of ops. */
typedef struct GraphFacts {
    GraphOpTest is_elementwise;
    /* Whether an op is right for finite numbers of ordinary size only. NULL: none is. */
    GraphOpTest is_bounded;
    /* Relation number i between the sizes of node n; false: there are no more. NULL: there are none. */
    bool (*relation)(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out);
    /* When `arg`, an argument of the node or an item of one that is a list, holds indices: what they must be less than; *from_end: negative ones count from
     * the end. NULL: it does not. */
    const Size *(*index_below)(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end);
} GraphFacts;
/* From every elementwise op: each dimension of an argument is 1 or the result's; and the relations that are equalities. */
GraphEquals graph_equalities(Arena *a, const Graph *g, const GraphFacts *facts);
/* A copy of g in which each size of a tensor is the simplest of those it equals: a constant, a symbol, a
 * short expression. */
const Graph *graph_with_simplest_sizes(Arena *a, const Graph *g, const GraphEquals *equals);

#endif
