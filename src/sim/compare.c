/* Compare, Select and the CMPMASK register. Results are bits, the first element in the lowest bit of the first byte.
 * A byte of results counts as written when one of its eight comparisons had valid operands: the rest are lanes that
 * padding filled, whose selected values are themselves unwritten. */
#include "sim/vec_int.h"

#include <string.h>

enum { LANES = 128 }; /* most lanes of a repeat */

/* Lanes of one repeat (or of a stretch of the count form), brought together. */
typedef struct Lanes {
    uint8_t bytes[LANES * 4];
    bool valid[LANES];
} Lanes;

static uint32_t lane_addr(const Operand *o, uint64_t repeat, uint32_t lane, bool contiguous, uint32_t lanes)
{
    if (contiguous) return o->p.addr + (uint32_t)((repeat * lanes + lane) * o->size);
    return o->p.addr + ISA_BLOCK_BYTES * ((uint32_t)repeat * o->rep + lane / o->per_block * o->blk) + lane % o->per_block * o->size;
}

static void fetch(const Core *c, const Operand *o, const VecOp *op, uint64_t repeat, uint32_t n, Lanes *out)
{
    uint32_t step = op->shape.contiguous || o->blk == 1 ? n : o->per_block; /* lanes that follow each other */
    for (uint32_t lane = 0; lane < n; lane += step) {
        uint32_t at = lane_addr(o, repeat, lane, op->shape.contiguous, op->shape.lanes);
        uint32_t k = n - lane < step ? n - lane : step;
        memcpy(out->bytes + lane * o->size, c->ub + at, k * o->size);
        memset(out->valid + lane, 1, k);
        if (bits_all(c->ub_valid, at, k * o->size)) continue;
        for (uint32_t i = 0; i < k; i++) out->valid[lane + i] = bits_all(c->ub_valid, at + i * o->size, o->size);
    }
}

/* 0 or 1 a lane. Integers compare for equality: HW: the only integer comparison of this architecture. */
static void compare_lanes(const VecOp *op, const Lanes *a, const Lanes *b, uint32_t n, uint8_t *out)
{
    DType t = op->o[1].type;
    if (t == DTYPE_I32) {
        for (uint32_t i = 0; i < n; i++) out[i] = memcmp(a->bytes + 4 * i, b->bytes + 4 * i, 4) == 0;
        return;
    }
    float fa[LANES], fb[LANES];
    vec_load_f32(vec_loops(), t, a->bytes, fa, n);
    vec_load_f32(vec_loops(), t, b->bytes, fb, n);
    vec_loops()->compare(out, fa, fb, op->scalar.arg, n);
}

static void fill_lanes(const VecOp *op, uint64_t bits, Lanes *out)
{
    uint32_t size = op->o[1].size;
    for (uint32_t i = 0; i < LANES; i++) {
        memcpy(out->bytes + i * size, &bits, size);
        out->valid[i] = true;
    }
}

static uint64_t scalar_bits(const VecOp *op)
{
    uint64_t bits = 0;
    switch (op->o[1].type) {
    case DTYPE_F32: memcpy(&bits, &op->scalar.f, 4); break;
    case DTYPE_F16: bits = f16_from_f32(op->scalar.f); break;
    default: bits = (uint32_t)op->scalar.i; break;
    }
    return bits;
}

static void store_bits(Core *c, uint32_t at, const uint8_t *on, const Lanes *a, const Lanes *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) {
        uint8_t byte = 0;
        bool known = false;
        for (uint32_t k = 0; k < 8 && i + k < n; k++) {
            byte |= (uint8_t)(on[i + k] << k);
            known |= a->valid[i + k] && b->valid[i + k];
        }
        c->ub[at + i / 8] = byte;
        bits_fill(c->ub_valid, at + i / 8, 1, known);
    }
}

/* Count form: whole 256-byte stretches only. HW: Compare page: the rest is not computed. */
static bool compare_shape(Core *c, VecOp *op, const OwRepeat *r, int64_t count)
{
    uint32_t lanes = ISA_REPEAT_BYTES / op->o[1].size;
    if (r) {
        uint64_t mask[2] = {c->mask[0], c->mask[1]};
        OwRepeat all = *r; /* HW: mask is ignored on this architecture */
        all.set_mask = 0;
        all.dst_blk = 1;
        c->mask[0] = c->mask[1] = ~0ull;
        bool counter = c->counter_mode;
        c->counter_mode = false;
        bool ok = vec_shape_repeat(c, op, &all);
        c->counter_mode = counter;
        c->mask[0] = mask[0];
        c->mask[1] = mask[1];
        op->shape.lanes = lanes;
        return ok;
    }
    if (!vec_shape_count(c, op, count)) return false;
    uint64_t bytes = (uint64_t)count * op->o[1].size, rest = bytes % ISA_REPEAT_BYTES;
    if (rest) sim_report(c, CHK_ID_COMPARE_256, LL(count), LL(bytes), LL(rest / op->o[1].size));
    op->shape.lanes = lanes;
    op->shape.count -= rest / op->o[1].size;
    op->shape.repeat = (uint32_t)(op->shape.count / lanes);
    return op->shape.count > 0;
}

/* Sources by the shape; the destination holds one bit an element, packed. */
static bool compare_check(Core *c, VecOp *op)
{
    uint32_t per_repeat = op->shape.lanes / 8;
    for (uint32_t i = 0; i < op->n; i++)
        if (!local_place(c, op->o[i].t, op->o[i].role, ISA_BLOCK_BYTES, &op->o[i].p)) return false;
    uint64_t want = (uint64_t)op->shape.repeat * per_repeat;
    uint64_t fits = local_clip(c, &op->o[0].p, "dst", true, 0, want) / per_repeat;
    for (uint32_t i = 1; i < op->n; i++) {
        const Operand *o = &op->o[i];
        uint64_t step = op->shape.contiguous ? ISA_REPEAT_BYTES : ISA_BLOCK_BYTES * o->rep;
        uint64_t one = op->shape.contiguous ? ISA_REPEAT_BYTES : ISA_BLOCK_BYTES * (7ull * o->blk + 1);
        uint64_t span = (op->shape.repeat - 1) * step + one, ok = local_clip(c, &o->p, o->role, false, 0, span);
        if (ok == span) continue;
        uint64_t whole = ok < one ? 0 : step ? (ok - one) / step + 1 : op->shape.repeat;
        if (whole < fits) fits = whole;
    }
    op->shape.repeat = (uint32_t)fits;
    if (op->shape.contiguous) op->shape.count = fits * op->shape.lanes;
    return fits > 0;
}

static void run_compare(Core *c, const VecOp *op)
{
    uint32_t lanes = op->shape.lanes;
    bool with_scalar = op->n < 3;
    Lanes a, b;
    uint8_t on[LANES];
    if (with_scalar) fill_lanes(op, scalar_bits(op), &b);
    for (uint32_t rep = 0; rep < op->shape.repeat; rep++) {
        fetch(c, &op->o[1], op, rep, lanes, &a);
        if (!with_scalar) fetch(c, &op->o[2], op, rep, lanes, &b);
        compare_lanes(op, &a, &b, lanes, on);
        store_bits(c, op->o[0].p.addr + rep * lanes / 8, on, &a, &b, lanes);
    }
    ub_wrote(c, op->o[0].p.addr, op->shape.repeat * lanes / 8);
}

void vec_run_compare(Core *c, VecOp *op, const OwRepeat *r, int64_t count, bool with_scalar)
{
    (void)with_scalar; /* then there is no second source */
    if (op->o[1].type == DTYPE_I32 && op->scalar.arg != CMP_EQ) sim_report(c, CHK_ID_COMPARE_INT_EQ);
    if (!compare_shape(c, op, r, count) || !compare_check(c, op)) return;
    op->n_packed = op->shape.repeat * op->shape.lanes / 8;
    vec_issue(c, op, run_compare);
}

/* ---- CMPMASK --------------------------------------------------------------------------------------------------------- */

static void run_compare_reg(Core *c, const VecOp *op)
{
    Lanes la, lb;
    uint8_t on[LANES];
    fetch(c, &op->o[1], op, 0, op->shape.lanes, &la);
    fetch(c, &op->o[2], op, 0, op->shape.lanes, &lb);
    compare_lanes(op, &la, &lb, op->shape.lanes, on);
    for (uint32_t i = 0; i < op->shape.lanes; i++) {
        uint64_t bit = 1ull << (i % 64);
        if (!(op->shape.mask[i / 64] & bit)) continue; /* HW: masked-off bits keep their value */
        c->cmpmask[i / 64] = on[i] ? c->cmpmask[i / 64] | bit : c->cmpmask[i / 64] & ~bit;
    }
    c->cmpmask_valid = true;
}

void ow_compare_reg(uint32_t type, const OwLocal *a, const OwLocal *b, uint32_t mode, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("Compare", loc);
    VecOp op = {.id = INSN_Compare, .insn = insn_info(INSN_Compare), .scalar = {.arg = mode}};
    vec_operand(&op, "src0", a, dtype_of(type), false); /* stands where dst would: strides follow */
    vec_operand(&op, "src0", a, dtype_of(type), false);
    vec_operand(&op, "src1", b, dtype_of(type), false);
    if (!vec_shape_repeat(c, &op, r) || !vec_check(c, &op)) return;
    vec_issue(c, &op, run_compare_reg);
}

static bool mask_place(Core *c, const OwLocal *t, const char *role, bool write, Place *p)
{
    return local_place(c, t, role, 16, p) && local_clip(c, p, role, write, 0, 16) == 16;
}

static void run_cmpmask_get(Core *c, const void *args)
{
    const Place *p = args;
    memcpy(c->ub + p->addr, c->cmpmask, 16);
    bits_fill(c->ub_valid, p->addr, 16, c->cmpmask_valid);
    ub_wrote(c, p->addr, 16);
}

static void run_cmpmask_set(Core *c, const void *args)
{
    const Place *p = args;
    memcpy(c->cmpmask, c->ub + p->addr, 16);
    c->cmpmask_valid = bits_all(c->ub_valid, p->addr, 16);
}

void ow_cmpmask_get(const OwLocal *d, OwLoc loc)
{
    Core *c = core_enter("GetCmpMask", loc);
    Place p;
    if (!mask_place(c, d, "dst", true, &p)) return;
    const Access acc = ub_write(p.addr, 16);
    issue(c, PIPE_V, run_cmpmask_get, &p, sizeof p, &acc, 1);
}

void ow_cmpmask_set(const OwLocal *s, OwLoc loc)
{
    Core *c = core_enter("SetCmpMask", loc);
    Place p;
    if (!mask_place(c, s, "src", false, &p)) return;
    const Access acc = ub_read(p.addr, 16);
    issue(c, PIPE_V, run_cmpmask_set, &p, sizeof p, &acc, 1);
}

/* ---- Select ---------------------------------------------------------------------------------------------------------- */

enum { SEL_CMPMASK = 0, SEL_SCALAR = 1, SEL_TENSOR = 2, SEL_SCALAR_REG = 3 };

typedef struct Selection {
    uint32_t mode;
    bool has_tensor; /* selMask given as a tensor */
    Place sel;
    uint64_t sel_bits; /* bits available */
    uint64_t scalar;
    bool scalar_in_cmpmask; /* taken from there when the instruction runs */
} Selection;

/* Eight bits to eight bytes, zero or not. */
static void spread(uint8_t bits, uint8_t out[8])
{
    uint64_t v = bits * 0x0101010101010101ull & 0x8040201008040201ull;
    memcpy(out, &v, 8);
}

static bool lane_selected(const Core *c, const VecOp *op, const Selection *s, uint64_t lane, bool *valid)
{
    uint64_t bit = s->mode == SEL_CMPMASK ? lane % op->shape.lanes : lane;
    if (!s->has_tensor) {
        *valid = c->cmpmask_valid;
        return c->cmpmask[bit / 64 % 2] >> (bit % 64) & 1;
    }
    uint32_t at = s->sel.addr + (uint32_t)(bit / 8);
    *valid = bit < s->sel_bits && bits_get(c->ub_valid, at);
    return bit < s->sel_bits && (c->ub[at] >> (bit % 8) & 1);
}

/* Where lane bits come from: the first repeat's bits again and again, or on and on. False: some lanes are not valid. */
static bool fetch_selection(const Core *c, const VecOp *op, const Selection *s, uint64_t first, uint32_t n, uint8_t *on, bool *valid)
{
    bool in_order = s->has_tensor && s->mode != SEL_CMPMASK && first % 8 == 0 && n % 8 == 0 && first + n <= s->sel_bits;
    uint32_t at = s->sel.addr + (uint32_t)(first / 8);
    if (in_order && bits_all(c->ub_valid, at, n / 8)) {
        for (uint32_t i = 0; i < n; i += 8) spread(c->ub[at + i / 8], on + i);
        memset(valid, 1, n);
        return true;
    }
    bool all = true;
    for (uint32_t i = 0; i < n; i++) {
        on[i] = lane_selected(c, op, s, first + i, &valid[i]);
        all &= valid[i];
    }
    return all;
}

static void select_stretch(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    const Selection *s = op->extra;
    uint32_t size = op->o[0].size;
    uint8_t on[LANES], b[LANES * 4];
    bool known[LANES];
    bool all = fetch_selection(c, op, s, first, n, on, known);
    for (uint32_t i = 1; i < op->n; i++) all = all && bits_all(c->ub_valid, addr[i], n * size);
    for (uint32_t i = 0; i < n && !all; i++) {
        uint32_t from = on[i] ? addr[1] + i * size : op->n > 2 ? addr[2] + i * size : UINT32_MAX;
        known[i] = known[i] && (from == UINT32_MAX || bits_all(c->ub_valid, from, size));
    }
    const void *scalar = s->scalar_in_cmpmask ? c->cmpmask : &s->scalar;
    for (uint32_t i = 0; i < n && op->n == 2; i++) memcpy(b + i * size, scalar, size);
    const uint8_t *other = op->n > 2 ? c->ub + addr[2] : b;
    if (size == 4)
        vec_loops()->select32((uint32_t *)(c->ub + addr[0]), on, (const uint32_t *)(c->ub + addr[1]), (const uint32_t *)other, n);
    else
        vec_loops()->select16((uint16_t *)(c->ub + addr[0]), on, (const uint16_t *)(c->ub + addr[1]), (const uint16_t *)other, n);
    if (all) bits_fill(c->ub_valid, addr[0], n * size, true);
    for (uint32_t i = 0; i < n && !all; i++) bits_fill(c->ub_valid, addr[0] + i * size, size, known[i]);
    ub_wrote(c, addr[0], n * size);
}

static void select_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    for (uint32_t at = 0; at < n; at += LANES) {
        uint32_t a[VEC_MAX_OPERANDS] = {0};
        for (uint32_t i = 0; i < op->n; i++) a[i] = addr[i] + at * op->o[i].size;
        select_stretch(c, op, a, first + at, n - at < LANES ? n - at : LANES);
    }
}

/* HW: reserved UB: Select uses the last 8 KB of UB in its tensor forms. */
void vec_check_reserved(Core *c, const char *api)
{
    uint32_t from = c->ub_bytes - ISA_UB_RESERVED_BYTES;
    ledger_hidden(c, api, ISA_UB_RESERVED_BYTES);
    if (c->ub_top > from) sim_report(c, CHK_ID_UB_RESERVED, api, LL(ISA_UB_RESERVED_BYTES), LL(c->ub_top));
}

static bool selection_place(Core *c, const VecOp *op, const OwLocal *sel, Selection *s)
{
    s->has_tensor = sel != NULL;
    if (!sel) return true;
    if (!local_place(c, sel, "selMask", ISA_BLOCK_BYTES, &s->sel)) return false;
    uint64_t total = op->shape.contiguous ? op->shape.count : (uint64_t)op->shape.repeat * op->shape.lanes;
    if (s->mode == SEL_CMPMASK && total > op->shape.lanes) total = op->shape.lanes;
    s->sel_bits = 8ull * local_clip(c, &s->sel, "selMask", false, 0, (total + 7) / 8);
    return true;
}

void ow_select(uint32_t type, const OwLocal *d, const OwLocal *sel, const OwLocal *a, const OwLocal *b, uint64_t scalar,
               uint32_t mode, int64_t count, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter("Select", loc);
    VecOp op = {.id = INSN_Select, .insn = insn_info(INSN_Select)};
    Selection s = {.mode = mode, .scalar = scalar};
    if (mode == SEL_SCALAR_REG) {
        s.mode = SEL_TENSOR;
        s.scalar_in_cmpmask = true;
    }
    if (!sel && mode == SEL_TENSOR) {
        sim_report(c, CHK_ID_NOT_MODELLED, "Select with the address of selMask in CMPMASK");
        return;
    }
    vec_operand(&op, "dst", d, dtype_of(type), true);
    vec_operand(&op, "src0", a, dtype_of(type), false);
    if (b) vec_operand(&op, "src1", b, dtype_of(type), false);
    if (sel && mode != SEL_CMPMASK) vec_check_reserved(c, "Select");
    if (!(r ? vec_shape_repeat(c, &op, r) : vec_shape_count(c, &op, count))) return;
    if (!vec_check(c, &op) || !selection_place(c, &op, sel, &s)) return;
    op.extra = &s;
    op.n_extra_bytes = sizeof s;
    if (s.has_tensor) op.also[op.n_also++] = ub_read(s.sel.addr, s.sel_bits / 8);
    vec_walk(c, &op, select_run);
}
