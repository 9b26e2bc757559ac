/* Index maps: which element of a value each element of a pass's space is, one affine expression per dimension
 * of the value. The layout family reads and changes them. Internal to src/lower. */
#ifndef OPWRIGHT_LOWER_INDEX_MAP_H
#define OPWRIGHT_LOWER_INDEX_MAP_H

#include "lower/eval.h"

/* Index r of the value at element (i0, i1, ...) of `space` is start[r] + sum of step[r][p] * ip. */
typedef struct IndexMap {
    uint32_t rank;
    GraphShape space;
    const Size *start[GRAPH_MAX_RANK];
    const Size *step[GRAPH_MAX_RANK][GRAPH_MAX_RANK];
} IndexMap;

void index_map_identity(Arena *a, const GraphShape *shape, IndexMap *m);
/* What the chain does to indices of a value of `shape`; false when that is not affine, as for a reshape that
 * merges dimensions of a broadcast tensor. */
bool index_map_of_chain(Lower *lo, const GraphShape *shape, const Chain *chain, IndexMap *m);
/* The elements of a view of the value that the map names. */
void index_map_apply(Arena *a, const IndexMap *m, GraphView *v);
bool index_map_equal(const IndexMap *x, const IndexMap *y);
void index_map_drop(IndexMap *m, uint32_t row);
/* Least and greatest index r; false when a step's sign is not known. */
bool index_map_range(Arena *a, const IndexMap *m, uint32_t row, const Size **least, const Size **most);
/* The one dimension of the space that index r changes with, or -1: none, or several. */
int index_map_only_step(const IndexMap *m, uint32_t row);
/* Space dimension p as (outer, inner) with `inner` elements in the second. */
void index_map_split(Arena *a, IndexMap *m, uint32_t p, const Size *outer, const Size *inner);
/* Space dimension p narrowed to `len` elements from `from` on. */
void index_map_narrow(Arena *a, IndexMap *m, uint32_t p, const Size *from, const Size *len);

#endif
