/* Cast: rows of cast.def. The common pairs have loops; the rest goes element by element through exact arithmetic: a
 * source value is an integer or a float, both held without loss, and is rounded once to the destination. */
#include "sim/vec_int.h"
#include "sim/vec_math.h"

#include <string.h>

enum { CHUNK = 512 };

/* Rounds x to an integer. */
static double round_int(double x, uint32_t mode)
{
    switch (mode) {
    case ROUND_FLOOR: return floor(x);
    case ROUND_CEIL: return ceil(x);
    case ROUND_ROUND: return round(x);
    case ROUND_TRUNC: return trunc(x);
    default: return rint(x);
    }
}

/* Rounds x to a format of `bits` significant bits whose smallest normal exponent is min_exp (2^min_exp). */
static double round_float(double x, int bits, int min_exp, uint32_t mode)
{
    if (x == 0.0 || !isfinite(x)) return x;
    int e;
    frexp(x, &e); /* |x| in [2^(e-1), 2^e) */
    int ulp = (e - 1 < min_exp ? min_exp : e - 1) - (bits - 1);
    double scaled = ldexp(x, -ulp); /* exact: x has at most 53 bits and the scale is a power of two */
    double r = mode == ROUND_ODD ? trunc(scaled) : round_int(scaled, mode);
    if (mode == ROUND_ODD && r != scaled && fmod(r, 2.0) == 0.0) r += scaled > 0 ? 1.0 : -1.0;
    return copysign(ldexp(r, ulp), x);
}

/* A finite value beyond the largest goes to infinity, or stays the largest where the mode rounds towards zero. */
static double overflow_float(double r, double largest, uint32_t mode)
{
    if (!isfinite(r) || fabs(r) <= largest) return r;
    bool to_zero = mode == ROUND_TRUNC || mode == ROUND_ODD || (mode == ROUND_FLOOR && r > 0) || (mode == ROUND_CEIL && r < 0);
    return copysign(to_zero ? largest : INFINITY, r);
}

static uint16_t to_f16(const Core *c, double x, uint32_t mode)
{
    double r = overflow_float(round_float(x, 11, -14, mode), 65504.0, mode);
    if (c->ctrl48 == 0) r = r != r ? 0.0 : isinf(r) ? copysign(65504.0, r) : r;
    return f16_from_f64(r);
}

static uint16_t to_bf16(const Core *c, double x, uint32_t mode)
{
    const double largest = 0x1.fep127;
    double r = overflow_float(round_float(x, 8, -126, mode), largest, mode);
    if (c->ctrl48 == 0) r = r != r ? 0.0 : isinf(r) ? copysign(largest, r) : r;
    return bf16_from_f64(r);
}

/* HW: out of range saturates by default (CTRL[59] = 0), else keeps the low bits. NaN: ASSUMED 0. */
static int64_t to_int(const Core *c, double x, uint32_t mode, int bits, bool is_signed)
{
    double r = round_int(x, mode), hi = ldexp(1.0, is_signed ? bits - 1 : bits), lo = is_signed ? -hi : 0.0;
    if (r != r) return 0;
    if (r < hi && r >= lo) return (int64_t)r;
    if (c->ctrl59 && fabs(r) < 0x1p63) return (int64_t)r;
    if (bits == 64) return r > 0 ? INT64_MAX : INT64_MIN;
    return r > 0 ? (int64_t)(hi - 1.0) : (int64_t)lo;
}

int64_t vec_round_int(const Core *c, double x, uint32_t mode, int bits)
{
    return to_int(c, x, mode, bits, true);
}

/* An integer to float: 24 significant bits. v is split so that no double rounding happens. */
static float int_to_f32(int64_t v, uint32_t mode)
{
    uint64_t mag = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    int shift = mag ? 64 - __builtin_clzll(mag) - 24 : 0;
    if (shift <= 0) return (float)v;
    uint64_t kept = mag >> shift, rest = mag & ((1ull << shift) - 1), half = 1ull << (shift - 1);
    bool up;
    switch (mode) {
    case ROUND_FLOOR: up = v < 0 && rest; break;
    case ROUND_CEIL: up = v > 0 && rest; break;
    case ROUND_ROUND: up = rest >= half; break;
    case ROUND_TRUNC: up = false; break;
    default: up = rest > half || (rest == half && (kept & 1)); break;
    }
    float r = ldexpf((float)(kept + up), shift);
    return v < 0 ? -r : r;
}

/* ---- one element ------------------------------------------------------------------------------------------------- */

static bool is_float(DType t)
{
    return dtype_info(t)->cls == DTYPE_CLASS_F;
}

static void from_int(const Core *c, DType dt, void *dst, uint32_t i, int64_t v, uint32_t mode)
{
    switch (dt) {
    case DTYPE_F16: ((uint16_t *)dst)[i] = to_f16(c, (double)v, mode); break;
    case DTYPE_F32: ((float *)dst)[i] = int_to_f32(v, mode); break;
    case DTYPE_I16: ((int16_t *)dst)[i] = (int16_t)(c->ctrl59 ? v : v > 32767 ? 32767 : v < -32768 ? -32768 : v); break;
    case DTYPE_I32: ((int32_t *)dst)[i] = (int32_t)(c->ctrl59 ? v : v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v); break;
    default: ((int64_t *)dst)[i] = v; break;
    }
}

static void from_float(const Core *c, DType dt, void *dst, uint32_t i, double x, uint32_t mode, bool same)
{
    switch (dt) {
    case DTYPE_F16: ((uint16_t *)dst)[i] = to_f16(c, x, mode); break;
    case DTYPE_BF16: ((uint16_t *)dst)[i] = to_bf16(c, x, mode); break;
    case DTYPE_F32: ((float *)dst)[i] = (float)(same ? copysign(round_int(x, mode), x) : x); break;
    case DTYPE_I8: ((int8_t *)dst)[i] = (int8_t)to_int(c, x, mode, 8, true); break;
    case DTYPE_U8: ((uint8_t *)dst)[i] = (uint8_t)to_int(c, x, mode, 8, false); break;
    case DTYPE_I16: ((int16_t *)dst)[i] = (int16_t)to_int(c, x, mode, 16, true); break;
    case DTYPE_I32: ((int32_t *)dst)[i] = (int32_t)to_int(c, x, mode, 32, true); break;
    default: ((int64_t *)dst)[i] = to_int(c, x, mode, 64, true); break;
    }
}

/* HW: Cast page, int32 to half: half((src / 2^17) * scale * 2^17), the scale from SetDeqScale. */
static void dequantise(const Core *c, uint16_t *dst, uint32_t i, int32_t v)
{
    float scaled = ((float)v * 0x1p-17f * c->deq_scale) * 0x1p17f;
    dst[i] = to_f16(c, scaled, ROUND_RINT);
}

static void cast_elements(const Core *c, const VecOp *op, uint8_t *dst, const uint8_t *src, uint32_t n)
{
    DType dt = op->o[0].type, st = op->o[1].type;
    uint32_t mode = op->scalar.arg;
    for (uint32_t i = 0; i < n; i++) {
        if (dt == DTYPE_F16 && st == DTYPE_I32)
            dequantise(c, (uint16_t *)dst, i, ((const int32_t *)src)[i]);
        else if (is_float(st))
            from_float(c, dt, dst, i, dtype_load(st, src, i), mode, dt == st);
        else if (st == DTYPE_I64)
            from_int(c, dt, dst, i, ((const int64_t *)src)[i], mode);
        else
            from_int(c, dt, dst, i, (int64_t)dtype_load(st, src, i), mode);
    }
}

/* ---- pairs with a loop --------------------------------------------------------------------------------------------- */

static bool nearest(uint32_t mode)
{
    return mode == ROUND_NONE || mode == ROUND_RINT;
}

/* True when a loop did the run. */
static bool cast_loop(const Core *c, const VecOp *op, uint8_t *dst, const uint8_t *src, uint32_t n)
{
    const VecLoops *l = vec_loops();
    DType dt = op->o[0].type, st = op->o[1].type;
    uint32_t mode = op->scalar.arg;
    if (dt == DTYPE_F32 && st == DTYPE_F16) return l->widen_f16((float *)dst, (const uint16_t *)src, n), true;
    if (dt == DTYPE_F32 && st == DTYPE_BF16) return l->widen_bf16((float *)dst, (const uint16_t *)src, n), true;
    if (dt == DTYPE_F32 && st == DTYPE_I32 && nearest(mode)) return l->i32_to_f32((float *)dst, (const int32_t *)src, n), true;
    if (dt == DTYPE_I32 && st == DTYPE_F32 && !c->ctrl59) return l->f32_to_i32((int32_t *)dst, (const float *)src, mode, n), true;
    if ((dt == DTYPE_F16 || dt == DTYPE_BF16) && st == DTYPE_F32 && nearest(mode))
        return vec_store_f32(c, l, dt, dst, (const float *)src, n), true;
    return false;
}

/* Destination and source of different width may share memory in the direction the hardware bears: work on a copy. */
void vec_cast_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    uint8_t in[CHUNK * 8];
    uint32_t ds = op->o[0].size, ss = op->o[1].size;
    (void)first;
    for (uint32_t at = 0; at < n; at += CHUNK) {
        uint32_t k = n - at < CHUNK ? n - at : CHUNK;
        uint32_t a[VEC_MAX_OPERANDS] = {addr[0] + at * ds, addr[1] + at * ss};
        memcpy(in, c->ub + a[1], (size_t)k * ss);
        vec_mark(c, op, a, k, false);
        if (!cast_loop(c, op, c->ub + a[0], in, k)) cast_elements(c, op, c->ub + a[0], in, k);
    }
}

/* HW: AddDeqRelu, implementation: both sources hold intermediate results afterwards, which are not defined for the user. */
void vec_add_deq_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    (void)first;
    vec_mark(c, op, addr, n, false);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a, b;
        memcpy(&a, c->ub + addr[1] + 4 * i, 4);
        memcpy(&b, c->ub + addr[2] + 4 * i, 4);
        float scaled = ((float)(int32_t)(a + b) * 0x1p-17f * c->deq_scale) * 0x1p17f;
        uint16_t h = to_f16(c, scaled, ROUND_RINT);
        if ((h & 0x8000) && (h & 0x7fff) <= 0x7c00) h = 0; /* not a NaN */
        memcpy(c->ub + addr[0] + 2 * i, &h, 2);
    }
    for (uint32_t k = 1; k < op->n; k++)
        if (op->o[k].p.addr != op->o[0].p.addr) bits_fill(c->ub_valid, addr[k], (size_t)n * 4, false);
}
