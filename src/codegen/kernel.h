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

/* Do all rows of a tile read the same row of acc? It is loaded once and repeated in UB. */
bool gen_repeats_row(Gen *gen, const GenPass *gp, const PlanAccess *acc);

/* First element of the tile in acc's tensor; without the column term when its columns are gathered. */
const char *gen_tile_start(Gen *gen, const GenPass *gp, const PlanAccess *acc, bool with_col);
/* Member functions CopyRows and CopyEachRow, CopyRowsOut; a call of one of them; conversions between bool tensors and masks. */
void gen_copy_rows(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_copy_rows_out(Cxx *cx);
void gen_copy_row_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, const char *dst, Cxx *cx);
void gen_mask_from_bytes(Cxx *cx);
void gen_bytes_from_mask(Cxx *cx);
void gen_read_numbers(Gen *gen, const GenPass *gp, Cxx *cx); /* inputs of one element into members */
/* Adds a term of a place, " + row * xRowStride_", unless the stride is 0. */
void gen_add_term(Gen *gen, const GenPass *gp, StrBuf *sb, const char *index, const Size *stride);
/* Does the least tile fit into UB of every known chip? */
bool gen_tile_fits(Gen *gen, const GenPass *gp, Err *err);

/* emit_scan.c: passes whose tiles follow each other (PlanPass.ordered). */
void gen_scan_init(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_scan_process(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_scan_locate(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_scan_functions(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_scan_members(Gen *gen, const GenPass *gp, Cxx *cx);

/* kernel_ints.c: integers of other types than int32 (gen_is_converted_int). Lines that make int32 of `count` elements of acc's
 * tensor and the other way round; gathered elements lie in the 16-bit scratch when they gather aside. */
void gen_ints_in(Cxx *cx, const PlanAccess *acc, const char *dst, const char *src, const char *count);
void gen_ints_out(Cxx *cx, const PlanAccess *acc, const char *dst, const char *src, const char *count);
bool gen_ints_gather_aside(const PlanAccess *acc);
bool gen_ints_use_half(const PlanAccess *acc); /* convert by way of half: bytes */
const char *gen_ints_gathered_type(const Gen *gen, const PlanAccess *acc); /* that Gather moves them as */
void gen_ints_from_gathered(Cxx *cx, const PlanAccess *acc, const char *dst, const char *count);
void gen_int_conversions(const GenPass *gp, Cxx *cx); /* the member functions that these call */

/* kernel_index.c: accesses steered by index tensors. */
/* Member function of acc: "PickX"; with verb "" the one that tells where an element is, "XAt". */
const char *gen_index_function(Gen *gen, const PlanAccess *acc, const char *verb);
void gen_index_functions(Gen *gen, const GenPass *gp, Cxx *cx);
/* Rows, or one number for each row, into the queue's tensor. */
void gen_index_copy_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx);
/* Element of a view for a row and a column that are expressions; col NULL: without its term. */
const char *gen_place(Gen *gen, const GenPass *gp, const GraphView *view, const char *row, const char *col);
bool gen_wraps(const GenPass *gp); /* LoadPlaces must know negative indices */
/* Member function LoadPlaces: n indices as int32 in place_. */
void gen_load_places(Cxx *cx, bool wraps);
/* WaitForScalarReads and EndScalarReads, when FillRows and FillTile do not bring them. */
bool gen_fills_rows(const GenPass *gp);
void gen_scalar_reads(Cxx *cx);
bool gen_picks(const GenPass *gp, bool from_window); /* some access picks columns: from a window, or one by one */

bool gen_any(const GenPass *gp, bool (*is)(const PlanAccess *));
bool gen_has_class(const GenPass *gp, PlanClass c); /* among the loads */
bool gen_is_queued(const PlanAccess *acc);          /* has its tiles in a queue */
size_t gen_pass_tensors(const GenPass *gp, const PlanAccess **out);
/* What every class has: Init up to its members of tiling data (a function left open), its tensors of global memory bound in Init,
 * and both declared. */
void gen_open_init(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_bind_tensors(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_declare_tensors(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_declare_fields(const GenPass *gp, Cxx *cx);
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
