/* Between the files of the planner. */
#ifndef OPWRIGHT_LOWER_PLAN_INT_H
#define OPWRIGHT_LOWER_PLAN_INT_H

#include "base/strbuf.h"
#include "lower/plan.h"

/* Drops accesses and scalars that no instruction uses. */
void plan_drop_unused(Arena *a, PlanPass *p);
/* Drops what no store needs, merges dims, chooses the schedule and classifies the accesses. */
bool plan_space(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;
/* Puts the instructions in execution order and gives every value its place. */
bool plan_slots(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;

struct Chain;
struct Lower;
/* What gives a node's value that is no view, fill or pointwise op (Lower.anchor). */
typedef bool (*PlanAnchor)(struct Lower *lo, const GraphNode *n, uint32_t result, const struct Chain *chain, KirArg *out);
struct Stage;
/* Passes of tiles over the stage's outputs, one for each shape: the lowering of the pointwise family and of those built on
 * it. anchor may be NULL. */
bool plan_lower_tiles(Arena *a, const struct Stage *s, size_t variant, PlanAnchor anchor, PlanPasses *passes,
                      GraphBounds *bounds, Err *err) ERR_CHECKED;

/* Rules and text of passes with places. */
bool plan_check_places(const PlanPass *p, Err *err) ERR_CHECKED;
void plan_print_tiles(StrBuf *sb, const Plan *p, const PlanPass *pass, size_t index);

#endif
