/* Conversions with parameters beside the round mode: SetDeqScale in its three forms, CastDequant, and 4-bit integers. */
#include "sim/vec_int.h"

#include <math.h>
#include <string.h>

enum { TABLE_WORDS = 16, TABLE_BYTES = TABLE_WORDS * 8, HALF_BLOCK = ISA_BLOCK_BYTES / 2 };

/* ---- SetDeqScale ------------------------------------------------------------------------------------------------- */

void ow_deq_scale(uint16_t scale_f16, OwLoc loc)
{
    Core *c = core_enter("SetDeqScale", loc);
    c->deq_scale = f16_to_f32(scale_f16);
    c->deq_set = true;
    c->deq_form = DEQ_HALF;
}

void ow_deq_word(uint64_t word, OwLoc loc)
{
    Core *c = core_enter("SetDeqScale", loc);
    c->deq_word = word;
    c->deq_form = DEQ_SCALAR;
}

/* HW: SetDeqScale page: the register then holds the table's address in blocks. ASSUMED: the compiler orders the scalar stores of the
 * table before the vector unit's reads; the page's own example sets no flag. */
void ow_deq_table(const OwLocal *table, OwLoc loc)
{
    Core *c = core_enter("SetDeqScale", loc);
    Place p;
    if (!local_place(c, table, "vdeq", ISA_BLOCK_BYTES, &p) || local_clip(c, &p, "vdeq", true, 0, TABLE_BYTES) < TABLE_BYTES) return;
    uint32_t event = event_between(PIPE_S, PIPE_V);
    issue_set(c, FLAGS_QUEUE, event, 0);
    issue_wait(c, FLAGS_QUEUE, event, 0);
    c->deq_word = p.addr;
    c->deq_form = DEQ_TABLE;
}

/* ---- CastDequant --------------------------------------------------------------------------------------------------- */

/* HW: SetDeqScale page: scale in bits 0..31, of which the unit takes sign, exponent and 10 bits of mantissa; offset, 9 bits with
 * sign, in 37..45; sign mode in 46. ASSUMED: the bits of the scale that do not fit are dropped, and the sum is rounded
 * once, to nearest even; the page says for the pair int32_t to half only that it rounds so. */
static uint8_t dequantised(uint64_t word, int16_t v)
{
    uint32_t bits = (uint32_t)word & 0xffffe000u;
    float scale;
    memcpy(&scale, &bits, 4);
    int offset = (int)(word >> 37 & 0x1ff);
    if (offset & 0x100) offset -= 0x200;
    bool is_signed = word >> 46 & 1;
    double r = rint((double)v * scale + offset), low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
    if (r != r) return 0;
    return (uint8_t)(int)(r < low ? low : r > high ? high : r);
}

static void run_cast_deq(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    int16_t in[ISA_REPEAT_BYTES / 2];
    bool table = op->scalar.arg & OW_DEQ_TABLE;
    vec_mark(c, op, addr, n, false); /* a run stays inside a block */
    memcpy(in, c->ub + addr[1], (size_t)n * 2);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t word = c->deq_word, lane = (first + i) % TABLE_WORDS;
        if (table) memcpy(&word, c->ub + (uint32_t)c->deq_word + 8 * lane, 8);
        c->ub[addr[0] + i] = dequantised(word, in[i]);
        if (table && !bits_all(c->ub_valid, (size_t)c->deq_word + 8 * lane, 8)) bits_fill(c->ub_valid, addr[0] + i, 1, false);
    }
}

void ow_cast_deq(uint32_t dst_type, const OwLocal *d, const OwLocal *s, uint32_t how, uint32_t count, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("CastDequant", loc);
    DType t = dtype_of(dst_type);
    bool table = how & OW_DEQ_TABLE, is_signed = c->deq_word >> 46 & 1;
    VecOp op = {.id = INSN_CastDequant, .insn = insn_info(INSN_CastDequant), .scalar = {.arg = how}};
    if (c->deq_form != (table ? DEQ_TABLE : DEQ_SCALAR)) {
        sim_report(c, CHK_ID_DEQ_SCALE, "CastDequant", table ? "SetDeqScale(tensor, VdeqInfo)" : "SetDeqScale(scale, offset, signMode)");
        return;
    }
    if (!table && is_signed != (t == DTYPE_I8))
        sim_report(c, CHK_ID_DEQ_SIGN, dtype_info(t)->cxx, is_signed ? "true" : "false", LL(is_signed ? -128 : 0), LL(is_signed ? 127 : 255));
    vec_operand(&op, "dst", d, t, true);
    vec_operand(&op, "src", s, DTYPE_I16, false);
    op.o[0].per_block = HALF_BLOCK; /* HW: CastDequant page: a block of 16 sources fills one half of a destination block */
    op.o[0].off = how & OW_DEQ_HIGH ? HALF_BLOCK : 0;
    if (table) op.also[op.n_also++] = ub_read((uint32_t)c->deq_word, TABLE_BYTES);
    if ((r ? vec_shape_repeat(c, &op, r) : vec_shape_counted(c, &op, count)) && vec_check(c, &op)) vec_walk(c, &op, run_cast_deq);
}

/* ---- 4-bit integers ------------------------------------------------------------------------------------------------- */

static void run_from_int4(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    (void)op, (void)first;
    for (uint32_t i = 0; i < n; i++) {
        uint8_t four = c->ub[addr[1] + i / 2] >> i % 2 * 4 & 15;
        uint16_t h = f16_from_f32((float)(four - (four & 8) * 2));
        memcpy(c->ub + addr[0] + 2 * i, &h, 2);
        bits_fill(c->ub_valid, addr[0] + 2 * i, 2, bits_get(c->ub_valid, addr[1] + i / 2));
    }
    ub_wrote(c, addr[0], 2 * n);
}

/* HW: overflow rule of Cast: out of range saturates, or with CTRL[59] keeps the low bits. */
static void run_to_int4(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    (void)first;
    for (uint32_t i = 0; i < n; i += 2) {
        uint8_t four[2];
        bool known = bits_all(c->ub_valid, addr[1] + 2 * i, 4);
        for (uint32_t k = 0; k < 2; k++) four[k] = (uint8_t)vec_round_int(c, dtype_load(DTYPE_F16, c->ub + addr[1], i + k), op->scalar.arg, 4) & 15;
        c->ub[addr[0] + i / 2] = (uint8_t)(four[0] | four[1] << 4);
        bits_fill(c->ub_valid, addr[0] + i / 2, 1, known);
    }
    ub_wrote(c, addr[0], n / 2);
}

/* HW: Cast page: count and mask are even, and in mask words the two bits of a byte are equal. */
static bool int4_pairs(Core *c, uint32_t count, const OwRepeat *r)
{
    uint64_t odd_bits = 0x5555555555555555u;
    const char *what = r ? "mask" : "count";
    uint64_t n = r ? r->mask_count : count;
    if (r && !r->set_mask) return true; /* the MASK register's own */
    if (r && r->mask_bits) {
        for (uint32_t i = 0; i < 2; i++)
            if ((r->mask_bits[i] ^ r->mask_bits[i] >> 1) & odd_bits) return sim_report(c, CHK_ID_INT4_ODD, "mask[]", LL(r->mask_bits[i])), false;
        return true;
    }
    if (n % 2) sim_report(c, CHK_ID_INT4_ODD, what, LL(n));
    return n % 2 == 0;
}

void ow_cast_int4(uint32_t to_half, const OwLocal *d, const OwLocal *s, uint32_t mode, uint32_t count, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("Cast", loc);
    VecOp op = {.id = INSN_Cast, .insn = insn_info(INSN_Cast), .scalar = {.arg = mode}};
    bool has_mode = to_half ? mode == ROUND_NONE : mode < ROUND_ODD;
    if (!has_mode) {
        sim_report(c, CHK_ID_ROUND_MODE, to_half ? "int4b_t" : "half", to_half ? "half" : "int4b_t", round_mode_name(mode));
        return;
    }
    if (!int4_pairs(c, count, r)) return;
    vec_operand(&op, "dst", d, to_half ? DTYPE_F16 : DTYPE_I8, true);
    vec_operand(&op, "src", s, to_half ? DTYPE_I8 : DTYPE_F16, false);
    Operand *packed = &op.o[to_half ? 1 : 0];
    packed->nibble = 1;
    packed->per_block = ISA_BLOCK_BYTES * 2;
    if ((r ? vec_shape_repeat(c, &op, r) : vec_shape_count(c, &op, count)) && vec_check(c, &op)) vec_walk(c, &op, to_half ? run_from_int4 : run_to_int4);
}
