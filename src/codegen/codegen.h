/* From a graph to everything a person gets: the six sources of a description, the specification and the
 * design text. Writes text only; the same graph and options give the same bytes. */
#ifndef OPWRIGHT_CODEGEN_CODEGEN_H
#define OPWRIGHT_CODEGEN_CODEGEN_H

#include "base/arena.h"
#include "base/err.h"
#include "graph/graph.h"
#include "lower/plan.h"

/* In the order of a description file. */
typedef enum {
    GEN_PROJECT_JSON,
    GEN_HOST_TILING,
    GEN_HOST_OPERATOR,
    GEN_KERNEL,
    GEN_PYTHON_BIND,
    GEN_MODEL,
    GEN_N_SOURCES
} GenSource;

typedef struct GenOptions {
    const char *chip;    /* for the specification and the design's worked numbers; NULL: "Ascend910B4" */
    const char *op_name; /* in snake case; NULL: the graph's name */
    bool explain;        /* the design text also lists every instruction */
} GenOptions;

typedef struct GenResult {
    const char *source[GEN_N_SOURCES];
    const char *spec_json, *design_md;
    const char *op_type;     /* "BiasGeluCustom" */
    const char *kernel_name; /* "bias_gelu_custom", also the function of the binding */
    const char *category;
    const Plan *plan;
} GenResult;

/* False and *err: what is not supported, with its place in the user's file. */
bool gen_operator(Arena *a, const Graph *g, const GenOptions *o, GenResult *r, Err *err) ERR_CHECKED;

/* Every op name the generator knows, for the bridge's keep list: a new JSON list the caller owns. */
json_t *gen_known_ops(void);

#endif
