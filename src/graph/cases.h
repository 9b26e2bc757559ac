/* Sets of inputs to try a generated operator with: sizes, dtypes, layouts and edge values derived from the
 * graph. */
#ifndef OPWRIGHT_GRAPH_CASES_H
#define OPWRIGHT_GRAPH_CASES_H

#include "graph/equal.h"
#include "graph/graph.h"

typedef struct GraphCase {
    const char *label; /* "float16 s0=31 s1=7" */
    json_t *spec;      /* the `case` object of docs/bridge.md; owned by the list */
} GraphCase;

typedef struct GraphCases {
    GraphCase *at;
    size_t n;
} GraphCases;

/* Elements of the largest tensor of a case. */
#define GRAPH_CASE_MAX_ELEMENTS (2u << 20)

/* For every variant: the file's own sizes (made smaller when they are very large), 1, small primes, sizes
 * beside tile boundaries, an empty tensor, a large one; those that the graph's views and relations allow,
 * each once. Then one case with strided inputs and one with edge values (only 0, infinities and NaN where elements
 * are combined), in the file's own variant. A graph
 * without symbols has one size. */
GraphCases graph_cases(Arena *a, const Graph *g, const GraphFacts *facts);
void graph_cases_clear(GraphCases *cases);

#endif
