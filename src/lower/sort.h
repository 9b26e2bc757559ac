/* The sort family: what its two halves tell each other. Internal to src/lower and src/codegen. */
#ifndef OPWRIGHT_LOWER_SORT_H
#define OPWRIGHT_LOWER_SORT_H

#include "lower/plan.h"

/* Elements first to first + count - 1 of each row of n, once it is in order. Accesses are positions in PlanPass.access; -1: not wanted. */
typedef struct SortPlan {
    uint32_t input;
    int32_t value, place;
    const Size *rows, *n, *first, *count;
    bool descending;
} SortPlan;

const SortPlan *sort_plan(const PlanPass *p);

#define SORT_CHUNK 4096u /* records sorted in UB at a time: what 196352 bytes hold, 44 for each */

#endif
