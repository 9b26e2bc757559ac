/* The traced graph (docs/graph.md): tensors and nodes with symbolic shapes, parsed and checked. Everything
 * lives in the arena of graph_parse; nothing refers to the JSON afterwards. */
#ifndef OPWRIGHT_GRAPH_GRAPH_H
#define OPWRIGHT_GRAPH_GRAPH_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"
#include "graph/size.h"

#include <jansson.h>

#define GRAPH_MAX_RANK 8

typedef struct GraphShape {
    uint32_t rank;
    const Size **dim;
} GraphShape;

/* GRAPH_TEMP: not of the user: a value that one stage of the kernel leaves for another (lower/stage.h). */
typedef enum { GRAPH_ARGUMENT, GRAPH_PARAMETER, GRAPH_BUFFER, GRAPH_TEMP } GraphInputKind;

typedef struct GraphInput {
    const char *name; /* C identifier */
    const char *path; /* "self.bias"; NULL for arguments */
    GraphInputKind kind;
    int arg_index;                     /* position in forward; -1 for parameters and buffers */
    uint32_t value;                    /* its entry in Graph.values */
    int64_t *hint_shape, *hint_stride; /* elements; rank of the value */
    bool contiguous;
    const DType *dtype; /* GRAPH_TEMP: what it is kept in, per variant; else NULL: the value's own */
} GraphInput;

typedef enum { GRAPH_FLOAT, GRAPH_INT, GRAPH_BOOL } GraphScalarType;

typedef struct GraphScalar {
    const char *name; /* C identifier */
    GraphScalarType type;
    double value; /* in the user's file */
    bool from_init;
    int arg_index;
} GraphScalar;

/* A tensor of the graph: an input or the result of a node. */
typedef struct GraphValue {
    const char *id;
    const DType *dtype; /* one per variant */
    GraphShape shape;
    int32_t node;    /* -1 for inputs */
    uint32_t result; /* which result of the node; for inputs the position in Graph.inputs */
} GraphValue;

typedef enum {
    GRAPH_ARG_NULL,
    GRAPH_ARG_REF,    /* value */
    GRAPH_ARG_SCALAR, /* scalar */
    GRAPH_ARG_INT,    /* i */
    GRAPH_ARG_NUM,    /* f: also the constants inf, -inf, nan */
    GRAPH_ARG_BOOL,   /* i */
    GRAPH_ARG_STR,    /* str */
    GRAPH_ARG_SIZE,   /* size */
    GRAPH_ARG_DTYPE,  /* dtype */
    GRAPH_ARG_LIST    /* item, n */
} GraphArgKind;

typedef struct GraphArg {
    GraphArgKind kind;
    uint32_t value, scalar;
    bool negated; /* the scalar times -1 */
    int64_t i;
    double f;
    const char *str;
    const Size *size;
    DType dtype;
    struct GraphArg *item;
    size_t n;
} GraphArg;

typedef struct GraphKwarg {
    const char *name;
    GraphArg arg;
} GraphKwarg;

typedef struct GraphNode {
    const char *id, *op; /* "aten.add.Tensor" */
    GraphArg *args;
    GraphKwarg *kwargs;
    size_t n_args, n_kwargs;
    uint32_t first_value, n_results; /* results are consecutive in Graph.values */
    bool is_multi;                   /* the op returns a list, even when of one */
    int line;                        /* in the user's file; 0 when not known */
    const char *text;                /* the user's expression, or "" */
} GraphNode;

typedef struct GraphOutput {
    const char *name; /* C identifier */
    uint32_t value;
    const DType *dtype; /* of a temp (lower/stage.h), per variant; NULL: the value's own */
    bool is_count;      /* no result of forward: how many elements others have */
    uint32_t changes;   /* no result of forward: what becomes of that input, plus one; 0: none */
    uint32_t cut;       /* the dimension along which only as many elements count as output `count` says, plus one; 0: there is none */
    uint32_t count;     /* position in Graph.outputs */
} GraphOutput;

typedef enum { GRAPH_OUT_TENSOR, GRAPH_OUT_TUPLE, GRAPH_OUT_LIST, GRAPH_OUT_NONE } GraphOutputKind;

/* Sizes that the trace took for equal. */
typedef struct GraphTie {
    const Size *x, *y;
    uint32_t node; /* that it was traced for */
} GraphTie;

typedef struct GraphModel {
    const char *module_code, *init_code, *forward_params;
    const char **call_args;
    size_t n_call_args;
    const char **results; /* per output: what follows it in ModelNew, as ".view(torch.float64)"; "" mostly */
    size_t n_results;     /* 0: nothing follows any */
} GraphModel;

typedef struct GraphSymbol {
    const char *name;
    int64_t hint;
    uint32_t input, dim; /* first input dimension in which it stands alone */
} GraphSymbol;

typedef struct Graph {
    const char *name, *file, *torch;
    DType *variants;
    size_t n_variants, own_variant;
    GraphSymbol *symbols;
    const char **symbol_names; /* for size_print */
    size_t n_symbols;
    GraphInput *inputs;
    size_t n_inputs;
    GraphScalar *scalars;
    size_t n_scalars;
    GraphValue *values; /* inputs, then results in execution order */
    size_t n_values;
    GraphTie *ties;
    size_t n_ties;
    GraphNode *nodes;
    size_t n_nodes;
    GraphOutput *outputs;
    size_t n_outputs;
    GraphOutputKind output_kind;
    GraphModel model;
    const char **notes;
    size_t n_notes;
} Graph;

/* Parses and checks; NULL and *err (BAD_INPUT with the place in the JSON) when the object is not a graph. */
Graph *graph_parse(Arena *a, const json_t *json, Err *err) ERR_CHECKED;
/* The rules every graph keeps: references point back, names are distinct C identifiers, each symbol stands
 * alone in an input, lists have one entry per variant. graph_parse has run it. */
bool graph_check(const Graph *g, Err *err) ERR_CHECKED;
/* Text form, one tensor or node a line, for --dump and tests. */
char *graph_print(const Graph *g, Arena *a);
/* "reference.py:12: x + y" for errors about a node. */
const char *graph_at(Arena *a, const Graph *g, const GraphNode *n);
/* Outputs that forward returns; those behind them are counts. */
size_t graph_n_results(const Graph *g);
/* Argument `i`, or the keyword argument of that name, or NULL when neither is given. */
const GraphArg *graph_arg(const GraphNode *n, size_t i, const char *name);

#endif
