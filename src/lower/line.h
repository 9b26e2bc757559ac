/* Tensors as they lie in memory: what families that read no views have in common. Internal to src/lower. */
#ifndef OPWRIGHT_LOWER_LINE_H
#define OPWRIGHT_LOWER_LINE_H

#include "lower/eval.h"
#include "lower/stage.h"

const Size *lower_n_elements(Arena *a, const GraphShape *s);
GraphShape lower_line_shape(Arena *a, const Size *n);
/* The access of an argument of node n, a tensor in memory taken as one line. False: it is none, or of a type that is not computed with. */
bool lower_line(Lower *lo, const GraphNode *n, uint32_t value, uint32_t *access) ERR_CHECKED;
/* The access that stores output `index` of the stage's graph as one line. */
uint32_t lower_line_store(Lower *lo, uint32_t index);
/* Argument i of a node when it is a tensor; NULL. */
const GraphArg *lower_tensor_arg(const GraphNode *n, size_t i);

#endif
