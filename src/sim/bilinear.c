/* BilinearInterpolation: HW: its page: the framework makes it of Gatherb, Brcb, Mul, Add and Adds, in the space it is given.
 *
 *   tmp: h_repeat * v_repeat gathered repeats of 256 bytes, then each element of src1 as a block of 32 bytes
 */
#include "sim/vec_int.h"

enum { MAX_REPEAT = 255, BLOCKS = ISA_REPEAT_BYTES / ISA_BLOCK_BYTES, ELEMENT = 2, LANES = ISA_REPEAT_BYTES / ELEMENT };

static OwLocal part(const OwLocal *t, uint64_t from_bytes)
{
    OwLocal r = *t;
    r.addr += (uint32_t)from_bytes;
    r.len_bytes -= (uint32_t)from_bytes;
    return r;
}

static bool within(Core *c, const char *what, uint32_t v, uint32_t low, uint32_t high, const char *rule)
{
    if (v >= low && v <= high) return true;
    sim_report(c, CHK_ID_ADV_ARGUMENT, "BilinearInterpolation", what, LL(v), rule);
    return false;
}

static bool arguments_ok(Core *c, const OwLocal *weight, const OwLocal *tmp, const OwBilinear *p)
{
    bool ok = within(c, "hRepeat", p->h_repeat, 1, MAX_REPEAT, "1 to 255") && within(c, "vRepeat", p->v_repeat, 1, MAX_REPEAT, "1 to 255") &&
              within(c, "hRepeat * vRepeat", p->h_repeat * p->v_repeat, 1, MAX_REPEAT, "at most 255 (HW: implementation: one 8-bit field)") &&
              within(c, "vROffset", p->v_offset, LANES, 255 * ISA_BLOCK_BYTES / ELEMENT, "128 to 4080 (HW: implementation: an 8-bit field of blocks)") &&
              within(c, "vROffset % 16", p->v_offset % 16, 0, 0, "0");
    uint64_t need = (uint64_t)p->h_repeat * p->v_repeat * ISA_REPEAT_BYTES + (uint64_t)weight->len_bytes / ELEMENT * ISA_BLOCK_BYTES;
    if (ok && tmp->len_bytes < need) {
        sim_report(c, CHK_ID_ADV_TMP, "BilinearInterpolation", LL(need), LL(tmp->len_bytes));
        return false;
    }
    return ok;
}

void ow_bilinear(const OwLocal *d, const OwLocal *s, const OwLocal *offset, const OwLocal *weight, const OwLocal *tmp,
                 const OwBilinear *p, const uint64_t *mask_bits, uint64_t mask_count, OwLoc loc)
{
    Core *c = core_enter("BilinearInterpolation", loc);
    if (!arguments_ok(c, weight, tmp, p)) return;
    const uint32_t n = p->h_repeat * p->v_repeat, types = OW_TYPES(OW_F16, OW_F16);
    const OwLocal weights = part(tmp, (uint64_t)n * ISA_REPEAT_BYTES);
    ow_gatherb(OW_U16, tmp, s, offset, &(OwRepeat){.repeat = n, .dst_blk = 1, .dst_rep = BLOCKS}, loc);
    ow_brcb(OW_F16, &weights, weight, &(OwRepeat){.repeat = weight->len_bytes / ELEMENT / BLOCKS, .dst_blk = 1, .dst_rep = BLOCKS}, loc);
    const OwRepeat mul = {.repeat = n, .mask_count = LANES, .set_mask = 1, .dst_blk = 1, .src_blk = {p->repeat_mode ? 1 : 0, 1},
                          .dst_rep = BLOCKS, .src_rep = {p->repeat_mode ? BLOCKS : 1, BLOCKS}};
    c->counter_mode = false;
    ow_vec_r("Mul", types, tmp, &weights, tmp, 0, 0, &mul, loc);
    OwRepeat sum = {.repeat = p->h_repeat - 1, .mask_bits = mask_bits, .mask_count = mask_count, .set_mask = 1, .dst_blk = 1, .src_blk = {1, 1},
                    .dst_rep = 0, .src_rep = {BLOCKS, 0}};
    for (uint32_t v = 0; v < p->v_repeat && p->h_repeat > 1; v++) {
        const OwLocal to = part(tmp, (uint64_t)v * p->h_repeat * ISA_REPEAT_BYTES), next = part(&to, ISA_REPEAT_BYTES);
        ow_vec_r("Add", types, &to, &next, &to, 0, 0, &sum, loc);
    }
    const OwRepeat out = {.repeat = p->v_repeat, .mask_bits = mask_bits, .mask_count = mask_count, .set_mask = 1, .dst_blk = p->dst_blk, .src_blk = {1, 1},
                          .dst_rep = p->v_offset * ELEMENT / ISA_BLOCK_BYTES, .src_rep = {p->h_repeat * BLOCKS, 0}};
    ow_vec_r("Adds", types, d, tmp, NULL, 0, 0, &out, loc);
}
