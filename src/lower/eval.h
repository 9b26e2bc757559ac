/* Values of the graph as KIR: what all families share. Internal to src/lower.
 *
 * A pass asks for a value's elements over its own space; nodes ask their arguments for the same elements.
 * Views on the way are remembered in a chain; where the chain ends, at an input of the stage's graph, it
 * becomes one strided access. */
#ifndef OPWRIGHT_LOWER_EVAL_H
#define OPWRIGHT_LOWER_EVAL_H

#include "lower/plan.h"

/* What is done to a tensor before its elements are used, first step first. Chains are shared: equal ones are
 * one object. */
typedef struct Chain {
    const struct Chain *next;
    const GraphNode *node; /* a view, or NULL: brought to `shape` */
    uint32_t result;
    const GraphShape *shape;
    const GraphNode *reshape; /* brought to it by a reshape for this node, not by broadcasting */
    const struct IndexMap *map; /* not NULL: the elements that the map names, whatever node and shape */
} Chain;

typedef struct Memo {
    const Chain *chain;
    KirArg arg;
} Memo;
typedef VEC(Memo) Memos;

typedef struct Lower Lower;
struct Lower {
    Arena *a;
    const Graph *g; /* of the stage */
    size_t variant;
    PlanPass *pass; /* takes the accesses, scalars and instructions */
    GraphBounds *bounds;
    Memos *memo; /* per value */
    VEC(Chain *) chains;
    Err *err;
    int depth;
    bool wide;        /* 16-bit floats that follow the variant count as float32 in recipes: nothing is rounded
                         between */
    bool takes_int64; /* loads of int64, computed as int32 */
    bool makes_small; /* results of such integers, which leave the stage as int32 */
    bool takes_small; /* loads and results of other integers than int32 and int64, computed as int32 */
    bool counts;      /* accesses may be PLAN_COUNTED */
    /* A node that is no view, fill or pointwise op; NULL: there are none in this stage. */
    bool (*anchor)(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out);
    void *family; /* for the anchor function */
};

/* Ready to evaluate values of g for a pass. */
Lower lower_begin(Arena *a, const Graph *g, size_t variant, PlanPass *pass, GraphBounds *bounds, Err *err);
/* Value `value` under a chain (NULL: as it is). */
bool lower_value(Lower *lo, uint32_t value, const Chain *chain, KirArg *out) ERR_CHECKED;
/* The chain that does view `node` (or, when it is NULL, broadcasts to `shape`), then `next`. */
const Chain *lower_chain(Lower *lo, const GraphNode *node, uint32_t result, const GraphShape *shape,
                         const Chain *next);
const Chain *lower_reshape(Lower *lo, const GraphNode *n, const GraphShape *shape, const Chain *next);
/* The elements that a map (lower/index_map.h) names. */
const Chain *lower_map(Lower *lo, const struct IndexMap *map);
/* What element of a contiguous tensor of `shape` each element under the chain is. */
bool lower_chain_view(Lower *lo, const GraphShape *shape, const Chain *chain, GraphView *out) ERR_CHECKED;
/* The access of an input that is no load of its own: PLAN_INDEX, PLAN_UPDATE. */
uint32_t lower_operand(Lower *lo, uint32_t input, const GraphView *view, PlanClass cls);
bool lower_apply_chain(Lower *lo, const Chain *chain, GraphView *v) ERR_CHECKED; /* to a view of the tensor */
bool lower_same_shape(const GraphShape *x, const GraphShape *y);
bool lower_dtype_is_supported(DType t);
/* The dtype a value counts as in recipes. */
DType lower_dtype_of(const Lower *lo, const GraphValue *v);
/* Error about a node, with its place in the user's file. Always false. */
bool lower_unsupported(Lower *lo, const GraphNode *n, const char *why, const char *hint);
/* An argument of node n over the elements of `to`: a value that broadcasts to it, or a number; text arguments
 * go to *str. */
bool lower_arg(Lower *lo, const GraphNode *n, const GraphArg *arg, const GraphShape *to, const Chain *chain,
               KirArg *out, const char **str) ERR_CHECKED;
uint32_t lower_scalar(Lower *lo, PlanScalar s);
/* Marks instructions from `from` on as what the user wrote at node n. */
void lower_note(Kir *k, size_t from, const GraphNode *n);
DType lower_promote(DType x, DType y);
/* Is the value one number everywhere, made by a fill? */
bool lower_is_fill(const Graph *g, uint32_t value);
/* An output that only reshapes, or copies, has the same elements in the same order as what it reshapes. */
uint32_t lower_peel(const Graph *g, uint32_t value);

#endif
