/* Stages: groups of the graph's nodes, each run by one schedule family, one after the other in one launch.
 * What one stage leaves for another is a temp, in workspace; every core waits for all others before it reads
 * one. Views, fills and pointwise nodes belong to no stage: each stage computes those it needs. Internal to
 * src/lower. */
#ifndef OPWRIGHT_LOWER_STAGE_H
#define OPWRIGHT_LOWER_STAGE_H

#include "lower/plan.h"

struct Family;

/* The graph of a stage has the operator's inputs followed by the temps as its inputs, and the operator's
 * outputs followed by the temps as its outputs. A value of another stage is a value without node there, like
 * an input. */
typedef struct Stage {
    const struct Family *family;
    uint32_t index;
    const Graph *graph;
    VEC(uint32_t) anchors; /* positions in Graph.nodes */
    VEC(uint32_t) writes;  /* positions in graph->outputs */
    bool waits;            /* reads temps */
} Stage;

typedef struct Stages {
    VEC(Stage *) list;
    PlanTemps temps;
    VEC(const char *) decisions;
} Stages;

/* Cuts the graph. NULL and *err: a node that no family knows, with its place in the user's file. */
Stages *stage_cut(Arena *a, const Graph *g, Err *err) ERR_CHECKED;

#endif
