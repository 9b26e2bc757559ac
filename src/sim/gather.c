/* Gather, Gatherb, Brcb, CreateVecIndex: instructions whose elements come from elsewhere than their own place. */
#include "sim/vec_int.h"

#include <string.h>

/* ---- Gather --------------------------------------------------------------------------------------------------------- */

typedef struct GatherSrc {
    Place p;
    uint32_t base; /* bytes added to every offset */
} GatherSrc;

/* Byte in UB of the element at `offset`, or UINT32_MAX after a finding. */
static uint32_t gather_addr(Core *c, const GatherSrc *s, uint32_t offset, uint32_t size, uint64_t lane)
{
    uint64_t at = (uint64_t)s->p.addr + s->base + offset, end = s->p.end < c->ub_bytes ? s->p.end : c->ub_bytes;
    const char *why = at + size > end ? "leaves the source buffer" : (s->base + (uint64_t)offset) % size ? "is not a multiple of the element size" : NULL;
    if (why) sim_report(c, CHK_ID_GATHER_OFFSET, LL(offset), LL(lane), why);
    return at + size > end ? UINT32_MAX : (uint32_t)at;
}

static void gather_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    const GatherSrc *s = op->extra;
    uint32_t size = op->o[0].size;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t offset, to = addr[0] + i * size, off_at = addr[1] + i * 4;
        memcpy(&offset, c->ub + off_at, 4);
        bool known = bits_all(c->ub_valid, off_at, 4);
        uint32_t from = known ? gather_addr(c, s, offset, size, first + i) : UINT32_MAX;
        if (from != UINT32_MAX) {
            memcpy(c->ub + to, c->ub + from, size);
            known = bits_all(c->ub_valid, from, size);
        } else {
            known = false;
        }
        bits_fill(c->ub_valid, to, size, known);
    }
    ub_wrote(c, addr[0], n * size);
}

/* Offsets are read in lane order whatever the mask: lane l of repeat r has offset r * lanes + l. */
void ow_gather(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *offset, uint32_t base, int64_t count,
               const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("Gather", loc);
    VecOp op = {.id = INSN_Gather, .insn = insn_info(INSN_Gather)};
    GatherSrc src = {.base = base};
    vec_operand(&op, "dst", d, dtype_of(type), true);
    if (!local_place(c, s, "src", ISA_BLOCK_BYTES, &src.p)) return;
    op.extra = &src;
    op.n_extra_bytes = sizeof src;
    op.also[op.n_also++] = ub_read(src.p.addr, (src.p.end < c->ub_bytes ? src.p.end : c->ub_bytes) - (uint64_t)src.p.addr);
    if (!(r ? vec_shape_repeat(c, &op, r) : vec_shape_count(c, &op, count))) return; /* lanes are those of the destination */
    vec_operand(&op, "srcOffset", offset, DTYPE_U32, false);
    op.o[1].rep = op.shape.lanes * 4 / ISA_BLOCK_BYTES;
    if (vec_check(c, &op)) vec_walk(c, &op, gather_run);
}

/* Of instructions whose destination is blocks: block i / 8 * rep + i % 8 * blk of `to`. */
typedef struct Blocks {
    uint32_t to, from, n, blk, rep, span, size;
    GatherSrc src;
} Blocks;

static void run_gatherb(Core *c, const void *args)
{
    const Blocks *b = args;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t off, at = b->to + ISA_BLOCK_BYTES * (i / 8 * b->rep + i % 8 * b->blk);
        memcpy(&off, c->ub + b->from + 4 * i, 4);
        uint32_t from = bits_all(c->ub_valid, b->from + 4 * i, 4) ? gather_addr(c, &b->src, off, ISA_BLOCK_BYTES, i) : UINT32_MAX;
        if (from == UINT32_MAX) {
            bits_fill(c->ub_valid, at, ISA_BLOCK_BYTES, false);
            continue;
        }
        memmove(c->ub + at, c->ub + from, ISA_BLOCK_BYTES);
        bits_copy(c->ub_valid, at, c->ub_valid, from, ISA_BLOCK_BYTES);
    }
    ub_wrote(c, b->to, b->span);
}

void ow_gatherb(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *offset, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("Gatherb", loc);
    GatherSrc src = {0};
    Place to, offs;
    (void)type;
    if (!local_place(c, d, "dst", 32, &to) || !local_place(c, offset, "offset", 32, &offs) || !local_place(c, s, "src", 32, &src.p)) return;
    uint32_t n = (r->repeat & 255) * 8;
    if (r->repeat > 255) sim_report(c, CHK_ID_REPEAT_LIMIT, LL(r->repeat), LL(r->repeat & 255));
    if (n == 0 || local_clip(c, &offs, "offset", false, 0, n * 4) < n * 4) return;
    uint32_t blk = r->dst_blk ? r->dst_blk : 1; /* HW: 0 acts as 1 */
    uint64_t span = ISA_BLOCK_BYTES * ((uint64_t)(n / 8 - 1) * r->dst_rep + 7 * blk + 1);
    if (local_clip(c, &to, "dst", true, 0, span) < span) return;
    const Blocks args = {.to = to.addr, .from = offs.addr, .n = n, .blk = blk, .rep = r->dst_rep, .span = (uint32_t)span, .src = src};
    const Access acc[] = {ub_read(offs.addr, n * 4), ub_read(src.p.addr, (src.p.end < c->ub_bytes ? src.p.end : c->ub_bytes) - (uint64_t)src.p.addr),
                          ub_write(to.addr, span)};
    issue(c, PIPE_V, run_gatherb, &args, sizeof args, acc, 3);
}

static void run_brcb(Core *c, const void *args)
{
    const Blocks *b = args;
    for (uint32_t i = 0; i < b->n; i++) {
        uint32_t at = b->to + ISA_BLOCK_BYTES * (i / 8 * b->rep + i % 8 * b->blk), src = b->from + i * b->size;
        uint8_t value[8];
        bool known = bits_all(c->ub_valid, src, b->size);
        memcpy(value, c->ub + src, b->size);
        for (uint32_t k = 0; k < ISA_BLOCK_BYTES; k += b->size) memcpy(c->ub + at + k, value, b->size);
        bits_fill(c->ub_valid, at, ISA_BLOCK_BYTES, known);
    }
    ub_wrote(c, b->to, b->span);
}

/* HW: Brcb page: block b of repeat r is filled with src[8 r + b]; MASK is set to all ones first. */
void ow_brcb(uint32_t type, const OwLocal *d, const OwLocal *s, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("Brcb", loc);
    Place to, from;
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes, n = (r->repeat & 255) * 8;
    c->mask[0] = c->mask[1] = ~0ull;
    if (r->repeat > 255) sim_report(c, CHK_ID_REPEAT_LIMIT, LL(r->repeat), LL(r->repeat & 255));
    if (!local_place(c, d, "dst", 32, &to) || !local_place(c, s, "src", 32, &from) || n == 0) return;
    uint32_t blk = r->dst_blk ? r->dst_blk : 1;
    uint64_t span = ISA_BLOCK_BYTES * ((uint64_t)(n / 8 - 1) * r->dst_rep + 7ull * blk + 1);
    if (local_clip(c, &from, "src", false, 0, n * size) < n * size || local_clip(c, &to, "dst", true, 0, span) < span) return;
    if (to.addr < from.addr + n * size && from.addr < to.addr + span)
        sim_report(c, CHK_ID_OVERLAP, LL(to.addr), LL(to.addr + span - 1), "src", LL(from.addr), LL(from.addr + n * size - 1));
    const Blocks args = {.to = to.addr, .from = from.addr, .n = n, .blk = blk, .rep = r->dst_rep, .span = (uint32_t)span, .size = size};
    const Access acc[] = {ub_read(from.addr, n * size), ub_write(to.addr, span)};
    issue(c, PIPE_V, run_brcb, &args, sizeof args, acc, 2);
}

/* ---- CreateVecIndex ----------------------------------------------------------------------------------------------- */

/* HW: implementation: half indices round at every addition, so large ones drift; here each is rounded once. */
static void index_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    DType t = op->o[0].type;
    uint8_t *d = c->ub + addr[0];
    for (uint32_t i = 0; i < n; i++) {
        uint64_t k = first + i;
        switch (t) {
        case DTYPE_F32: ((float *)d)[i] = op->scalar.f + (float)k; break;
        case DTYPE_F16: ((uint16_t *)d)[i] = f16_from_f32(op->scalar.f + (float)k); break;
        case DTYPE_I16: ((uint16_t *)d)[i] = (uint16_t)((uint64_t)op->scalar.i + k); break;
        default: ((uint32_t *)d)[i] = (uint32_t)((uint64_t)op->scalar.i + k); break;
        }
    }
    bits_fill(c->ub_valid, addr[0], (size_t)n * op->o[0].size, true);
    ub_wrote(c, addr[0], n * op->o[0].size);
}

void ow_index(uint32_t type, const OwLocal *d, uint64_t first, int64_t count, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("CreateVecIndex", loc);
    VecOp op = {.id = INSN_CreateVecIndex, .insn = insn_info(INSN_CreateVecIndex)};
    DType t = dtype_of(type);
    vec_operand(&op, "dst", d, t, true);
    op.scalar.f = dtype_info(t)->cls == DTYPE_CLASS_F ? vec_scalar_f32(t, first) : 0.0f;
    op.scalar.i = dtype_info(t)->cls == DTYPE_CLASS_F ? 0 : vec_scalar_int(t, first);
    if (r && !r->mask_bits && r->mask_count < op.o[0].per_block) /* HW: implementation: reads at a negative offset */
        sim_report(c, CHK_ID_INDEX_MASK, LL(r->mask_count), LL(op.o[0].per_block));
    if ((r ? vec_shape_repeat(c, &op, r) : vec_shape_count(c, &op, count)) && vec_check(c, &op)) vec_walk(c, &op, index_run);
}
