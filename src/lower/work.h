/* Whether an operator can be done in one look at its inputs: the bound of what it may move between memory and cores. */
#ifndef OPWRIGHT_LOWER_WORK_H
#define OPWRIGHT_LOWER_WORK_H

#include "lower/plan.h"

/* Why some input must be read a second time: what is computed from it needs, beside each element, a result of all of them that is
 * finished only after they have gone through UB. NULL: each input can be read once. With the sizes of the user's file. */
const char *work_second_look(Arena *a, const Plan *p);

#endif
