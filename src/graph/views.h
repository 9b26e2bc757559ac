/* Views as index maps: what element of a contiguous tensor a viewed element is. */
#ifndef OPWRIGHT_GRAPH_VIEWS_H
#define OPWRIGHT_GRAPH_VIEWS_H

#include "graph/graph.h"

/* Element (i0, i1, ...) of the view is element offset + i0*stride[0] + i1*stride[1] + ... of the tensor
 * below. */
typedef struct GraphView {
    GraphShape shape;
    const Size **stride; /* elements; 0 repeats, negative runs backwards */
    const Size *offset;
} GraphView;

/* Something a view takes for granted and a call may break: small <= large. */
typedef struct GraphBound {
    const Size *small, *large;
    const GraphNode *node;
} GraphBound;
typedef struct GraphBounds {
    Arena *arena;
    VEC(GraphBound) list;
} GraphBounds;

bool graph_is_view(const char *op);
/* A view whose elements are those of its argument in the same order: reshape, squeeze, contiguous. */
bool graph_keeps_order(const char *op);
size_t graph_view_count(void);
const char *graph_view_name(size_t i);

/* A contiguous tensor of this shape. */
GraphView graph_view_contiguous(Arena *a, const GraphShape *shape);
/* Broadcasts *v to shape, aligned at the last dimension as PyTorch does. False when the shapes do not fit. */
bool graph_view_expand(Arena *a, GraphView *v, const GraphShape *shape);
/* The same elements in the same order under another shape; false when that takes a copy. Counts that differ in writing
 * alone become bounds of node n. */
bool graph_view_reshape(Arena *a, GraphView *v, const GraphShape *shape, const GraphNode *n, GraphBounds *bounds);
/* Applies view node n (its result number `result`) to *v, which is the node's first argument. Relations that
 * the sizes of a call must keep are added to *bounds unless they always hold. ERR_UNSUPPORTED names the place
 * in the user's file. */
bool graph_view_apply(Arena *a, const Graph *g, const GraphNode *n, uint32_t result, GraphView *v,
                      GraphBounds *bounds, Err *err) ERR_CHECKED;
bool graph_view_equal(const GraphView *x, const GraphView *y);

/* True when the symbol values respect every size and view of the graph: no negative size, no slice out of
 * range. */
bool graph_sizes_valid(Arena *a, const Graph *g, const int64_t *symbol_values);

#endif
