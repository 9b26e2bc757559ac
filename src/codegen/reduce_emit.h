/* Between the files that write the reduce family's text. */
#ifndef OPWRIGHT_CODEGEN_REDUCE_EMIT_H
#define OPWRIGHT_CODEGEN_REDUCE_EMIT_H

#include "codegen/emit.h"
#include "codegen/kernel.h"
#include "lower/reduce.h"

/* Operations on two operands that helpers are written for, as bits. */
enum { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MAX, OP_MIN, OP_N };
const char *reduce_op_name(int op);  /* "ADD" */
int reduce_op_of(KirOp op);          /* of a strided op; -1 */
int reduce_fold_of(KirOp op);        /* of T* and X*: what joins two values; -1 */
double reduce_identity_of(KirOp op); /* of T* and X* */
const char *reduce_identity_text(Gen *gen, KirOp op);
bool reduce_is_tile_op(KirOp op);
bool reduce_is_exchange(KirOp op);
bool reduce_is_int(KirOp op); /* T* and X* on int32 */

bool reduce_is_tile_access(const PlanPass *p, const PlanAccess *acc);
bool reduce_has_piece_in(const PlanPass *p); /* rows, columns or numbers arrive, or cores exchange */
bool reduce_has_piece_out(const PlanPass *p);
bool reduce_pieces_are_cols(const PlanPass *p); /* some piece is as long as a row of columns */
uint32_t reduce_piece_bytes(const Gen *gen, const PlanPass *p); /* of one element, the widest */
uint32_t reduce_queue_depth(const PlanPass *p);
uint32_t reduce_lane_elements(const PlanPass *p); /* per row, for joining lanes; 0: none */
bool reduce_uses_member(const PlanPass *p, const char *name);

void reduce_write_helpers(Gen *gen, const GenPass *gp, Cxx *cx);
void reduce_write_sections(Gen *gen, const GenPass *gp, Cxx *cx);
void reduce_write_class(Gen *gen, const GenPass *gp, Cxx *cx);
void reduce_host_tiles(Gen *gen, const GenPass *gp, Cxx *cx);
void reduce_host_split(Gen *gen, const GenPass *gp, Cxx *cx);
bool reduce_host_uses_dtype(Gen *gen, const GenPass *gp);
bool reduce_fits(Gen *gen, const GenPass *gp, Err *err);
const char *reduce_scratch(Gen *gen, const GenPass *gp);
void reduce_design(Design *d, const GenPass *gp);

#endif
