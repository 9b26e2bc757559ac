/* Between the files of the planner. */
#ifndef OPWRIGHT_LOWER_PLAN_INT_H
#define OPWRIGHT_LOWER_PLAN_INT_H

#include "lower/plan.h"

/* One pass per output shape with KIR, accesses over the output's own dims, and views' bounds; in variant v of
 * the graph. */
bool plan_lower(Arena *a, const Graph *g, size_t v, PlanPasses *passes, GraphBounds *bounds,
                Err *err) ERR_CHECKED;
/* Drops what no store needs, merges dims, chooses the schedule and classifies the accesses. */
bool plan_space(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;
/* Puts the instructions in execution order and gives every value its place. */
bool plan_slots(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;

#endif
