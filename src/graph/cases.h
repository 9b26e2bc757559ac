/* Sets of inputs to try a generated operator with: sizes, dtypes, layouts and edge values derived from the
 * graph. */
#ifndef OPWRIGHT_GRAPH_CASES_H
#define OPWRIGHT_GRAPH_CASES_H

#include "graph/equal.h"
#include "graph/graph.h"

typedef struct GraphCase {
    const char *label; /* "float16 s0=31 s1=7" */
    json_t *spec;      /* the `case` object of docs/bridge.md; owned by the list */
    const char *instead; /* the sizes it stands for, when they are too large to be tried; else NULL */
} GraphCase;

typedef struct GraphCases {
    GraphCase *at;
    size_t n;
} GraphCases;

/* One call that the file itself makes. */
typedef struct GraphPoint {
    int group;             /* of get_input_groups(); -1: get_inputs() */
    size_t variant;
    const int64_t *sizes;  /* one per symbol */
    json_t *scalars;       /* {name: number} that differ from the file's; may be NULL */
} GraphPoint;

/* Elements of the largest tensor of a case. */
#define GRAPH_CASE_MAX_ELEMENTS (2u << 20)

/* For every variant: the file's own sizes (made smaller when they are very large), 1, small primes, sizes
 * beside tile boundaries, an empty tensor, a large one; those that the graph's views and relations allow,
 * each once. Then one case with strided inputs and one with edge values (only 0, infinities and NaN where elements
 * are combined), in the file's own variant. A graph
 * without symbols has one size. */
GraphCases graph_cases(Arena *a, const Graph *g, const GraphFacts *facts);
/* Only those last two: for a file that itself says with what sizes it is called. */
GraphCases graph_odd_cases(Arena *a, const Graph *g, const GraphFacts *facts);
/* Adds a case for each point. Where inputs and outputs have more than max_bytes together, its sizes are made smaller in a way that keeps
 * what tiles look like: remainders stay, outer sizes stay above the number of cores, rows stay longer than UB, as far as that goes.
 * Points that cannot be made small enough are left out; their labels are added to *left_out, a JSON array of {label, reason}. */
void graph_add_points(Arena *a, const Graph *g, const GraphFacts *facts, const GraphPoint *points, size_t n, double max_bytes,
                      GraphCases *cases, json_t *left_out);
/* The file's own call: sizes as in the file. */
GraphPoint graph_own_point(Arena *a, const Graph *g);
void graph_cases_clear(GraphCases *cases);

#endif
