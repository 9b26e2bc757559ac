/* Interpreter of kernel IR for tests: plain C, one float or int32 operation per instruction, nothing flushed.
 * Written from the meaning of the instructions, apart from the folding rules in kir.def. The chip's
 * documentation does not say what Max, Min and Relu do with NaN, so the caller picks a rule and recipes must
 * give the same under all of them. */
#ifndef OPWRIGHT_TEST_KIR_RUN_H
#define OPWRIGHT_TEST_KIR_RUN_H

#include "lower/kir.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef union Cell {
    float f;
    int32_t i;
    uint32_t u;
} Cell; /* a mask is i = 0 or 1 */

typedef enum { NAN_PASSES, NAN_LOSES, NAN_SECOND, NAN_RULES } NanRule;

typedef struct RunInput {
    const Cell *const *load; /* by access index, n cells each */
    Cell *const *store;      /* by access index */
    const double *scalars;   /* runtime scalars of the graph */
    size_t n;
    NanRule rule;
} RunInput;

static float run_max(float a, float b, NanRule r) {
    if (!isnan(a) && !isnan(b)) return a > b ? a : b;
    if (r == NAN_PASSES) return NAN;
    if (r == NAN_SECOND) return b;
    return isnan(a) ? b : a;
}

static float run_min(float a, float b, NanRule r) {
    if (!isnan(a) && !isnan(b)) return a < b ? a : b;
    if (r == NAN_PASSES) return NAN;
    if (r == NAN_SECOND) return b;
    return isnan(a) ? b : a;
}

static int run_cmp(float a, float b, uint32_t mode) {
    switch (mode) {
    case KIR_LT:
        return a < b;
    case KIR_GT:
        return a > b;
    case KIR_EQ:
        return a == b;
    case KIR_LE:
        return a <= b;
    case KIR_GE:
        return a >= b;
    default:
        abort(); /* NE must not be used: its NaN rule is not documented */
    }
}

static float run_round(float a, uint32_t mode) {
    switch (mode) {
    case KIR_ROUND_RINT:
        return nearbyintf(a);
    case KIR_ROUND_FLOOR:
        return floorf(a);
    case KIR_ROUND_CEIL:
        return ceilf(a);
    case KIR_ROUND_ROUND:
        return roundf(a);
    case KIR_ROUND_TRUNC:
        return truncf(a);
    default:
        abort(); /* NONE is illegal here */
    }
}

static int32_t run_f2i(float a, uint32_t mode) {
    double d = run_round(a, mode);
    if (isnan(d)) return 0;
    return d > 2147483647.0 ? INT32_MAX : d < -2147483648.0 ? INT32_MIN : (int32_t)d;
}

static Cell run_insn(const KirInsn *in, Cell a, Cell b, Cell c, float sf, int32_t si, NanRule r) {
    Cell d = {.u = 0};
    switch (in->op) {
    case KIR_FILL_F:
        d.f = sf;
        break;
    case KIR_FILL_I:
        d.i = si;
        break;
    case KIR_FILL_M:
        d.i = si != 0;
        break;
    case KIR_ADD_F:
        d.f = a.f + b.f;
        break;
    case KIR_SUB_F:
        d.f = a.f - b.f;
        break;
    case KIR_MUL_F:
        d.f = a.f * b.f;
        break;
    case KIR_DIV_F:
        d.f = a.f / b.f;
        break;
    case KIR_MAX_F:
        d.f = run_max(a.f, b.f, r);
        break;
    case KIR_MIN_F:
        d.f = run_min(a.f, b.f, r);
        break;
    case KIR_ADDS_F:
        d.f = a.f + sf;
        break;
    case KIR_MULS_F:
        d.f = a.f * sf;
        break;
    case KIR_MAXS_F:
        d.f = run_max(a.f, sf, r);
        break;
    case KIR_MINS_F:
        d.f = run_min(a.f, sf, r);
        break;
    case KIR_EXP_F:
        d.f = expf(a.f);
        break;
    case KIR_LN_F:
        d.f = logf(a.f);
        break;
    case KIR_SQRT_F:
        d.f = sqrtf(a.f);
        break;
    case KIR_ABS_F:
        d.f = fabsf(a.f);
        break;
    case KIR_RELU_F:
        d.f = run_max(a.f, 0, r);
        break;
    case KIR_ROUND_F:
        d.f = run_round(a.f, in->mode);
        break;
    case KIR_F2I:
        d.i = run_f2i(a.f, in->mode);
        break;
    case KIR_I2F:
        d.f = (float)a.i;
        break;
    case KIR_F2H:
        d.u = f16_from_f32(a.f);
        break;
    case KIR_H2F:
        d.f = f16_to_f32((uint16_t)a.u);
        break;
    case KIR_F2B:
        d.u = bf16_from_f32(a.f);
        break;
    case KIR_B2F:
        d.f = bf16_to_f32((uint16_t)a.u);
        break;
    case KIR_BITS_FI:
    case KIR_BITS_IF:
        d = a;
        break;
    case KIR_ADD_I:
        d.u = a.u + b.u;
        break;
    case KIR_SUB_I:
        d.u = a.u - b.u;
        break;
    case KIR_MUL_I:
        d.u = a.u * b.u;
        break;
    case KIR_MAX_I:
        d.i = a.i > b.i ? a.i : b.i;
        break;
    case KIR_MIN_I:
        d.i = a.i < b.i ? a.i : b.i;
        break;
    case KIR_ADDS_I:
        d.u = a.u + (uint32_t)si;
        break;
    case KIR_MULS_I:
        d.u = a.u * (uint32_t)si;
        break;
    case KIR_MAXS_I:
        d.i = a.i > si ? a.i : si;
        break;
    case KIR_MINS_I:
        d.i = a.i < si ? a.i : si;
        break;
    case KIR_SHL_I:
        assert(si >= 0 && si < 32);
        d.u = a.u << si;
        break;
    case KIR_SHR_I:
        assert(si >= 0 && si < 32);
        d.i = a.i >> si;
        break;
    case KIR_SHRU_I:
        assert(si >= 0 && si < 32);
        d.u = a.u >> si;
        break;
    case KIR_AND_I:
        d.u = a.u & b.u;
        break;
    case KIR_OR_I:
        d.u = a.u | b.u;
        break;
    case KIR_NOT_I:
        d.u = ~a.u;
        break;
    case KIR_CMP_F:
        d.i = run_cmp(a.f, b.f, in->mode);
        break;
    case KIR_CMPS_F:
        d.i = run_cmp(a.f, sf, in->mode);
        break;
    case KIR_EQ_I:
        d.i = a.i == b.i;
        break;
    case KIR_EQS_I:
        d.i = a.i == si;
        break;
    case KIR_AND_M:
        d.i = a.i & b.i;
        break;
    case KIR_OR_M:
        d.i = a.i | b.i;
        break;
    case KIR_NOT_M:
        d.i = !a.i;
        break;
    case KIR_SEL_F:
    case KIR_SEL_I:
        d = a.i ? b : c;
        break;
    case KIR_SELS_F:
        if (a.i) d = b;
        else d.f = sf;
        break;
    default:
        abort();
    }
    return d;
}

/* Runs every instruction over n elements, instruction by instruction as the chip does. */
static void kir_run(const Kir *k, const RunInput *in) {
    Cell *tile = malloc((k->insns.n + 1) * in->n * sizeof *tile);
    assert(tile);
    for (size_t v = 0; v < k->insns.n; v++) {
        const KirInsn *p = &k->insns.at[v];
        const Cell *src[3] = {tile, tile, tile};
        Cell *dst = tile + v * in->n;
        for (int s = 0; s < kir_op_info(p->op)->n_src; s++) src[s] = tile + p->src[s] * in->n;
        double s = p->scalar.is_runtime ? in->scalars[p->scalar.index] * (p->scalar.negate ? -1 : 1)
                                        : p->scalar.value;
        float sf = (float)s;
        int32_t si = isnan(s) || fabs(s) > 2147483648.0 ? 0 : (int32_t)s;
        if (kir_is_load(p->op)) memcpy(dst, in->load[p->mode], in->n * sizeof *dst);
        else if (kir_is_store(p->op)) memcpy(in->store[p->mode], src[0], in->n * sizeof *dst);
        else
            for (size_t e = 0; e < in->n; e++)
                dst[e] = run_insn(p, src[0][e], src[1][e], src[2][e], sf, si, in->rule);
    }
    free(tile);
}

#endif
