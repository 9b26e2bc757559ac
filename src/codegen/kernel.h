/* Between the files that write kernel_src. */
#ifndef OPWRIGHT_CODEGEN_KERNEL_H
#define OPWRIGHT_CODEGEN_KERNEL_H

#include "codegen/gen.h"

#define GEN_UNIT 256u /* elements of schedule FLAT: cores take whole units, 512 bytes of a 16-bit tensor */

/* Free functions of kernel_src that a pass calls. */
enum {
    KERNEL_WIDEN = 1,
    KERNEL_NARROW = 2,
    KERNEL_NARROW_COPY = 4,
    KERNEL_FLOAT_BITS = 8,
    KERNEL_TO_FLOAT = 16
};
bool gen_uses_special_floats(const Kir *k); /* some instruction takes an infinity or NaN */
uint32_t gen_tile_needs(Gen *gen, const GenPass *gp);

/* First element of the tile in acc's tensor; without the column term when its columns are gathered. */
const char *gen_tile_start(Gen *gen, const GenPass *gp, const PlanAccess *acc, bool with_col);
/* Member functions CopyRows and CopyEachRow, CopyRowsOut; a call of one of them; conversions between bool tensors and masks. */
void gen_copy_rows(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_copy_rows_out(Cxx *cx);
void gen_copy_row_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, const char *dst, Cxx *cx);
void gen_mask_from_bytes(Cxx *cx);
void gen_bytes_from_mask(Cxx *cx);
void gen_read_numbers(Gen *gen, const GenPass *gp, Cxx *cx); /* inputs of one element into members */

bool gen_any(const GenPass *gp, bool (*is)(const PlanAccess *));
bool gen_has_class(const GenPass *gp, PlanClass c); /* among the loads */
bool gen_is_queued(const PlanAccess *acc);          /* has its tiles in a queue */
size_t gen_pass_tensors(const GenPass *gp, const PlanAccess **out);
const char *gen_tile_bytes(Gen *gen, const GenPass *gp, const PlanAccess *acc);
const char *gen_packed_offset(Gen *gen, const GenPass *gp, const PlanAccess *acc);
/* "IsSameType<DTYPE_X, half>::value || ..." for some variants; a number for each variant as one expression.
 */
const char *gen_kernel_is_any(Gen *gen, const size_t *variants, size_t n);
const char *gen_kernel_by_variant(Gen *gen, const uint32_t *number);
/* Name of the tensor that a queue hands out: "x", or "xIn" when "x" is its float32 form. */
const char *gen_io_name(const Gen *gen, const PlanAccess *acc);
/* Where gathering begins: the tile's first element. */
const char *gen_gather_start(Gen *gen, const GenPass *gp, const PlanAccess *acc);
bool gen_uses_scratch_here(const Gen *gen, const GenPass *gp);
void gen_kernel_conversions(Gen *gen, const GenPass *gp, Cxx *cx);

#endif
