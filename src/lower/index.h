/* Reads of elements that another tensor names: index_select, embedding, gather, x[i]. Such a node is like a view whose
 * strides are not all known: where a dimension is named by an index tensor, an element's place is a sum of strides as in
 * a view, plus (index of the element) * stride for every such dimension. Chains (lower/eval.h) carry it to the input like
 * a view, so it costs no copy and fuses with what stands before and after it. Internal to src/lower. */
#ifndef OPWRIGHT_LOWER_INDEX_H
#define OPWRIGHT_LOWER_INDEX_H

#include "lower/eval.h"

/* One dimension named by an index tensor, while a chain is followed. */
typedef struct IndexTerm {
    uint32_t input;             /* of the stage's graph: the index tensor */
    GraphView view;             /* of it, over the dimensions reached so far */
    const Size *size, *stride;  /* of the dimension: elements; elements from index to index in the tensor it is of */
    bool wraps;
} IndexTerm;
typedef VEC(IndexTerm) IndexTerms;

size_t index_read_count(void);
const char *index_read_name(size_t i);
bool index_is_read(const char *op);
/* Node n, an indexed read, done to *v, which is its first argument; terms before it stay, its own are added. An index
 * that is no tensor in memory is unsupported: it has to be one first. */
bool index_apply(Lower *lo, const GraphNode *n, GraphView *v, IndexTerms *terms) ERR_CHECKED;
/* The input that `value` is a view of, with the views in *chain; -1: it is computed. *wraps becomes true when it is an index
 * of a dimension of `size` elements and negative ones are made to count from the end on the way. size may be NULL. */
int64_t index_input(Lower *lo, uint32_t value, const Size *size, const Chain **chain, bool *wraps);
/* When arg is an index that a pointwise op of INDEX_OF is given: the size of its dimension, from the end of which negative
 * ones count; else NULL. */
const Size *index_of_size(Arena *a, const GraphNode *n, const GraphArg *arg);
/* What the values of argument `arg` of node n must be less than; NULL: it names no elements. */
const Size *index_below(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end);

#endif
