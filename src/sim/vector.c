/* The vector unit: rows of insn.def with an expression, fills, moves; each run of contiguous elements is one loop call. */
#include "sim/vec_int.h"

#include <string.h>

enum { CHUNK = 512 }; /* elements widened at a time: three of them stay in the first-level cache */

void vec_load_f32(const VecLoops *l, DType t, const void *src, float *dst, uint32_t n)
{
    switch (t) {
    case DTYPE_F32: memcpy(dst, src, (size_t)n * 4); break;
    case DTYPE_F16: l->widen_f16(dst, src, n); break;
    case DTYPE_BF16: l->widen_bf16(dst, src, n); break;
    default:
        for (uint32_t i = 0; i < n; i++) dst[i] = (float)dtype_load(t, src, i);
    }
}

/* HW: saturation rule: with CTRL[48] = 0 half and bfloat16 results have no infinity and no NaN. */
static void saturate16(DType t, uint16_t *p, uint32_t n)
{
    uint16_t inf = t == DTYPE_F16 ? 0x7c00 : 0x7f80;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t mag = p[i] & 0x7fff;
        if (mag > inf) p[i] = 0;
        else if (mag == inf) p[i] = (uint16_t)((p[i] & 0x8000) | (inf - 1));
    }
}

static int32_t to_int_sat(float v, float lo, float hi)
{
    float r = __builtin_rintf(v);
    return r != r ? 0 : (int32_t)(r < lo ? lo : r > hi ? hi : r);
}

void vec_store_f32(const Core *c, const VecLoops *l, DType t, void *dst, const float *src, uint32_t n)
{
    switch (t) {
    case DTYPE_F32: memcpy(dst, src, (size_t)n * 4); break;
    case DTYPE_F16: l->narrow_f16(dst, src, n); break;
    case DTYPE_BF16: l->narrow_bf16(dst, src, n); break;
    case DTYPE_I8:
        for (uint32_t i = 0; i < n; i++) ((int8_t *)dst)[i] = (int8_t)to_int_sat(src[i], -128.0f, 127.0f);
        break;
    default: /* uint8_t */
        for (uint32_t i = 0; i < n; i++) ((uint8_t *)dst)[i] = (uint8_t)to_int_sat(src[i], 0.0f, 255.0f);
    }
    if ((t == DTYPE_F16 || t == DTYPE_BF16) && c->ctrl48 == 0) saturate16(t, dst, n);
}

float vec_scalar_f32(DType t, uint64_t bits)
{
    return (float)dtype_load(t, &bits, 0);
}

int64_t vec_scalar_int(DType t, uint64_t bits)
{
    switch (t) {
    case DTYPE_I8: return (int8_t)bits;
    case DTYPE_I16: return (int16_t)bits;
    case DTYPE_I32: return (int32_t)bits;
    case DTYPE_U8: return (uint8_t)bits;
    case DTYPE_U16: return (uint16_t)bits;
    case DTYPE_U32: return (uint32_t)bits;
    default: return (int64_t)bits;
    }
}

/* ---- rows with an expression --------------------------------------------------------------------------------------- */

static bool reads_dst(const VecOp *op)
{
    return op->insn->form == FORM_ACC || op->insn->form == FORM_ACC_SCALAR;
}

/* Types other than float compute as float, a chunk at a time, and are rounded once. */
static void run_widened(const Core *c, const VecOp *op, const VecLoops *l, const uint32_t *addr, uint32_t n)
{
    float d[CHUNK], s[2][CHUNK];
    const Operand *o = op->o;
    for (uint32_t at = 0; at < n; at += CHUNK) {
        uint32_t k = n - at < CHUNK ? n - at : CHUNK;
        for (uint32_t i = 1; i < op->n; i++) vec_load_f32(l, o[i].type, c->ub + addr[i] + at * o[i].size, s[i - 1], k);
        if (reads_dst(op)) vec_load_f32(l, o[0].type, c->ub + addr[0] + at * o[0].size, d, k);
        l->f32[op->id](d, s[0], s[1], &op->scalar, k);
        vec_store_f32(c, l, o[0].type, c->ub + addr[0] + at * o[0].size, d, k);
    }
}

/* HW: asc_set_ctrl page: with CTRL[53] integer results beyond the type become its ends; without, the low bits stay. ASSUMED:
 * shifts and bit operations are none of these. */
static bool saturates(const Core *c, const VecOp *op)
{
    DTypeClass cls = dtype_info(op->o[0].type)->cls;
    return c->ctrl53 && (cls == DTYPE_CLASS_I || cls == DTYPE_CLASS_U) && op->o[0].type == op->o[1].type && !(op->insn->checks & (CHK_BITWISE | CHK_SHIFT));
}

static void run_saturated(Core *c, const VecOp *op, const VecLoops *l, const uint32_t *addr, uint32_t n)
{
    int64_t v[VEC_MAX_OPERANDS][CHUNK];
    DType t = op->o[0].type;
    uint32_t size = op->o[0].size, bits = size * 8;
    bool is_signed = dtype_info(t)->cls == DTYPE_CLASS_I;
    int64_t high = is_signed ? ((int64_t)1 << (bits - 1)) - 1 : ((int64_t)1 << bits) - 1, low = is_signed ? -high - 1 : 0;
    for (uint32_t at = 0; at < n; at += CHUNK) {
        uint32_t k = n - at < CHUNK ? n - at : CHUNK;
        for (uint32_t i = 1; i < op->n; i++)
            for (uint32_t j = 0; j < k; j++) {
                uint64_t raw = 0;
                memcpy(&raw, c->ub + addr[i] + (at + j) * size, size);
                v[i][j] = vec_scalar_int(t, raw);
            }
        l->i64[op->id](v[0], v[1], v[2], &op->scalar, k);
        for (uint32_t j = 0; j < k; j++) {
            int64_t r = v[0][j] < low ? low : v[0][j] > high ? high : v[0][j];
            memcpy(c->ub + addr[0] + (at + j) * size, &r, size);
        }
    }
}

static VecLoop *loop_of(const VecLoops *l, const VecOp *op)
{
    if (op->n > 1 && op->o[0].type != op->o[1].type) return NULL;
    switch (op->o[0].type) {
    case DTYPE_F32: return l->f32[op->id];
    case DTYPE_I16: return l->i16[op->id];
    case DTYPE_U16: return l->u16[op->id];
    case DTYPE_I32: return l->i32[op->id];
    case DTYPE_U32: return l->u32[op->id];
    default: return NULL;
    }
}

static void run_expression(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    const VecLoops *l = vec_loops();
    VecLoop *loop = loop_of(l, op);
    (void)first;
    vec_mark(c, op, addr, n, reads_dst(op));
    if (saturates(c, op))
        run_saturated(c, op, l, addr, n);
    else if (loop)
        loop(c->ub + addr[0], c->ub + addr[1], c->ub + addr[2], &op->scalar, n);
    else
        run_widened(c, op, l, addr, n);
}

static void run_fill(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    uint8_t *d = c->ub + addr[0];
    uint32_t size = op->o[0].size;
    (void)first;
    if (size == 2) {
        uint16_t v = (uint16_t)op->scalar.i;
        for (uint32_t i = 0; i < n; i++) memcpy(d + 2 * i, &v, 2);
    } else {
        uint32_t v = (uint32_t)op->scalar.i;
        for (uint32_t i = 0; i < n; i++) memcpy(d + 4 * i, &v, 4);
    }
    ub_wrote(c, addr[0], n * size);
    bits_fill(c->ub_valid, addr[0], (size_t)n * size, true);
}

static void run_move(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    size_t bytes = (size_t)n * op->o[0].size;
    (void)first;
    vec_mark(c, op, addr, n, false);
    memmove(c->ub + addr[0], c->ub + addr[1], bytes);
}

/* ---- entry ----------------------------------------------------------------------------------------------------------- */

static bool type_ok(Core *c, const InsnInfo *insn, DType dst, DType src)
{
    bool ok;
    if (insn->form == FORM_CAST)
        ok = cast_modes(dst, src) != 0;
    else {
        PairId pair = pair_find(dst, src);
        ok = pair != PAIR_COUNT && (insn->pairs >> pair & 1);
    }
    if (!ok) sim_report(c, CHK_ID_DTYPE, insn->name, dtype_info(dst)->cxx, dtype_info(src)->cxx, c->sim->chip->name);
    return ok;
}

static bool cast_ok(Core *c, const VecOp *op)
{
    DType d = op->o[0].type, s = op->o[1].type;
    if (op->scalar.arg >= ROUND_COUNT || !(cast_modes(d, s) >> op->scalar.arg & 1)) {
        sim_report(c, CHK_ID_ROUND_MODE, dtype_info(s)->cxx, dtype_info(d)->cxx, round_mode_name(op->scalar.arg));
        return false;
    }
    if (d == DTYPE_F16 && s == DTYPE_I32 && c->deq_form != DEQ_HALF) sim_report(c, CHK_ID_DEQ_SCALE, c->api, "SetDeqScale(half)");
    return true;
}

static VecRun *run_of(const VecOp *op)
{
    switch (op->insn->form) {
    case FORM_FILL: return run_fill;
    case FORM_MOVE: return run_move;
    case FORM_CAST: return vec_cast_run;
    case FORM_ADD_DEQ: return vec_add_deq_run;
    default: return run_expression;
    }
}

/* Scalar operand in both readings; a shift is checked against the type's width. */
static void set_scalar(Core *c, VecOp *op, DType src, uint64_t bits, uint32_t arg)
{
    const DTypeInfo *info = dtype_info(src);
    bool is_float = info->cls == DTYPE_CLASS_F;
    op->scalar = (VecScalar){.arg = arg, .is_half = op->o[0].type == DTYPE_F16, .exact = c->sim->options.exact};
    if (op->insn->form == FORM_FILL) {
        op->scalar.i = (int64_t)bits;
        return;
    }
    op->scalar.f = is_float ? vec_scalar_f32(src, bits) : 0.0f;
    op->scalar.i = is_float ? 0 : vec_scalar_int(src, bits);
    int64_t width = (int64_t)info->size_bytes * 8;
    if ((op->insn->checks & CHK_SHIFT) && (op->scalar.i < 0 || op->scalar.i > width)) {
        sim_report(c, CHK_ID_SHIFT, LL(op->scalar.i), LL(width));
        op->scalar.i &= width - 1;
    }
}

/* Everything before the shape is known. False: the instruction is not issued. */
static bool begin(Core *c, VecOp *op, const char *api, DType dt, DType st, const OwLocal *d, const OwLocal *a, const OwLocal *b,
                  uint64_t scalar, uint32_t arg)
{
    *op = (VecOp){.id = insn_of(c, api)};
    if (op->id == INSN_COUNT) return false;
    op->insn = insn_info(op->id);
    if (!type_ok(c, op->insn, dt, st)) return false;
    vec_operand(op, "dst", d, dt, true);
    if (a) vec_operand(op, b ? "src0" : "src", a, st, false);
    if (b) vec_operand(op, "src1", b, st, false);
    set_scalar(c, op, st, scalar, arg);
    if (op->insn->form == FORM_ADD_DEQ) {
        vec_check_reserved(c, api);
        if (!c->deq_set) sim_report(c, CHK_ID_DEQ_SCALE, api, "SetDeqScale(half)");
    }
    return op->insn->form != FORM_CAST || cast_ok(c, op);
}

static bool is_compare(const VecOp *op)
{
    return op->insn->form == FORM_COMPARE || op->insn->form == FORM_COMPARE_SCALAR;
}

/* HW: And and Or, implementation: the count form on 32-bit tensors issues 16-bit instructions for `count` units. */
static DType as_16_bit(Core *c, const char *api, DType t, int64_t count)
{
    if ((t != DTYPE_I32 && t != DTYPE_U32) || (strcmp(api, "And") != 0 && strcmp(api, "Or") != 0)) return t;
    if (count > 0) sim_report(c, CHK_ID_HALF_DONE, api, LL(count), LL(count / 2));
    return DTYPE_U16;
}

void ow_vec_n(const char *api, uint32_t types, const OwLocal *d, const OwLocal *a, const OwLocal *b, uint64_t scalar,
              uint32_t arg, int64_t count, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    VecOp op;
    DType dt = as_16_bit(c, api, dtype_of(types & 0xff), count), st = as_16_bit(c, api, dtype_of(types >> 8 & 0xff), 0);
    if (!begin(c, &op, api, dt, st, d, a, b, scalar, arg)) return;
    if (is_compare(&op)) {
        vec_run_compare(c, &op, NULL, count, op.insn->form == FORM_COMPARE_SCALAR);
        return;
    }
    if (vec_shape_count(c, &op, count) && vec_check(c, &op)) vec_walk(c, &op, run_of(&op));
}

void ow_vec_r(const char *api, uint32_t types, const OwLocal *d, const OwLocal *a, const OwLocal *b, uint64_t scalar,
              uint32_t arg, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    VecOp op;
    if (!begin(c, &op, api, dtype_of(types & 0xff), dtype_of(types >> 8 & 0xff), d, a, b, scalar, arg)) return;
    if (is_compare(&op)) {
        vec_run_compare(c, &op, r, 0, op.insn->form == FORM_COMPARE_SCALAR);
        return;
    }
    if (op.id == INSN_Copy && c->counter_mode && !r->set_mask) { /* ASSUMED: with isSetMask the mask argument is bits there too */
        vec_copy_counted(c, &op, r);
        return;
    }
    if (vec_shape_repeat(c, &op, r) && vec_check(c, &op)) vec_walk(c, &op, run_of(&op));
}
