/* What a plan costs, by a model of memory, vector unit, waiting and launches; for decisions and for
 * --explain. */
#ifndef OPWRIGHT_LOWER_COST_H
#define OPWRIGHT_LOWER_COST_H

#include "isa/isa.h"
#include "lower/plan.h"

typedef struct Cost {
    double bytes;  /* between memory and cores */
    double cycles; /* of the vector units, all cores together */
    uint32_t n_syncs, n_launches;
} Cost;

/* Microseconds: the longer of memory and vector unit, and what is paid once. */
double cost_us(const ChipInfo *chip, const Cost *c);
/* Of pass i of a finished plan, in the file's own dtype and with its sizes. */
Cost cost_of_pass(const Plan *p, size_t i);
/* The same graph with a launch for every node, as PyTorch runs it. */
Cost cost_of_eager(const Graph *g);
/* Adds to the plan's decisions what its passes cost, and what running node by node would. */
void cost_explain(Arena *a, Plan *p);

#endif
