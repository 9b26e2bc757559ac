/* The select family: what its two halves tell each other. Internal to src/lower and src/codegen. */
#ifndef OPWRIGHT_LOWER_SELECT_H
#define OPWRIGHT_LOWER_SELECT_H

#include "lower/plan.h"

typedef enum { SELECT_COUNT, SELECT_VALUES, SELECT_COLUMN, SELECT_ROWS } SelectKind;

/* One result of a pass. Accesses are positions in PlanPass.access. */
typedef struct SelectResult {
    SelectKind kind;
    uint32_t store;
    uint32_t source; /* SELECT_VALUES: the tensor they are taken from */
    uint32_t dim;    /* SELECT_COLUMN */
} SelectResult;

/* What is named by a mask, in the order of its elements. Results are as large as the mask; those that no element comes to are 0. */
typedef struct SelectPlan {
    uint32_t mask; /* access */
    const Size *elements;
    GraphShape shape; /* of the mask */
    VEC(SelectResult) results;
} SelectPlan;

const SelectPlan *select_plan(const PlanPass *p);
bool select_has(const SelectPlan *s, SelectKind kind);
/* Are places along several dimensions wanted? Otherwise the place of an element is its number. */
bool select_has_coordinates(const SelectPlan *s);

#endif
