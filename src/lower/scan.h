/* Scans: what both halves of the family know. Internal to src/lower and src/codegen.
 *
 * A pass that scans is a pass of tiles (lower/plan.h) whose tiles follow each other along one dimension, that of the columns
 * or that of the rows: PlanPass.named. A line is all tiles of the same rows or columns; one core takes them in order and
 * carries the last values over. */
#ifndef OPWRIGHT_LOWER_SCAN_H
#define OPWRIGHT_LOWER_SCAN_H

#include "lower/plan.h"

bool scan_is_op(KirOp op);
uint32_t scan_count(const PlanPass *p); /* carries that the pass needs: 1 + the greatest mode of its scans */
/* Does a scan rest on another one? Its totals are not known before the other's carry is. */
bool scan_is_nested(const PlanPass *p);
bool scan_runs_along_columns(const PlanPass *p);
bool scan_uses(const PlanPass *p, KirOp op);

/* Bytes of the buffers of a pass (lower/plan_ub.c). */
#define SCAN_LANES      128u  /* most rows of a tile when columns are scanned */
#define SCAN_PIECES     16u   /* pieces that the rows of a tile are cut into when they are few */
#define SCAN_MAX_COLS   2048u /* most columns of a tile when rows are scanned */
#define SCAN_CHUNK      2048u /* elements that are joined with a repeated pattern, or by way of a temporary, at a time */
#define SCAN_LANE_BYTES 576u
uint32_t scan_carry_length(const PlanPass *p); /* elements */

#endif
