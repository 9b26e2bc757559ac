/* The nms family: what its two halves tell each other. Internal to src/lower and src/codegen. */
#ifndef OPWRIGHT_LOWER_NMS_H
#define OPWRIGHT_LOWER_NMS_H

#include "lower/plan.h"

/* Of `boxes` boxes, rows (x1, y1, x2, y2) of float32, the first `count` (a number in memory) count. Accesses are positions in PlanPass.access; -1:
 * not wanted. */
typedef struct NmsPlan {
    uint32_t rows, places, count;
    int32_t kept, n_kept;
    const Size *boxes, *most; /* most: elements of the result */
    bool is_scalar;           /* the threshold is PlanPass.scalars[0], else `threshold` */
    double threshold;         /* two boxes overlap when intersection over union is no less */
} NmsPlan;

const NmsPlan *nms_plan(const PlanPass *p);

#define NMS_BLOCK 1024u     /* boxes in UB at a time */
#define NMS_MOST  (1u << 19) /* boxes, of which a bit each stays in UB */

#endif
