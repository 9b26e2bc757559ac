/* Between the files of the reduce family. */
#ifndef OPWRIGHT_LOWER_REDUCE_INT_H
#define OPWRIGHT_LOWER_REDUCE_INT_H

#include "base/strbuf.h"
#include "lower/reduce.h"

/* Merges dimensions, chooses the axis and classifies accesses. False: some operand cannot be moved by this
 * family. */
bool reduce_space(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;
/* Values get their shapes, steps their sections. */
bool reduce_sections(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;
void reduce_print(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index);
/* Values get their places. */
bool reduce_slots(Arena *a, PlanPass *p, Err *err) ERR_CHECKED;

#endif
