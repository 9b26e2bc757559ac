/* Elementary functions for the element loops: branch-free, so that the compiler vectorises the loop around them; the same
 * results on every host (no fused multiply-add: the layer is built with -ffp-contract=off). */
#ifndef OPWRIGHT_SIM_VEC_MATH_H
#define OPWRIGHT_SIM_VEC_MATH_H

#include "sim/vec_loops.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static inline float v_from_bits(uint32_t u)
{
    float f;
    memcpy(&f, &u, 4);
    return f;
}
static inline uint32_t v_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

/* e^x, at most 1 ulp or so: x = n ln2 + r with |r| <= ln2 / 2, series to r^7 (the next term is below 2^-27), then 2^n in
 * two factors, so that results below the normal range keep their subnormal value. */
static inline float v_exp(float x)
{
    float y = x < -104.0f ? -104.0f : x; /* below: 0 */
    y = y > 89.0f ? 89.0f : y;           /* above: infinity */
    float n = y * 1.44269504f;
    n = (n + 12582912.0f) - 12582912.0f; /* nearest integer: 1.5 * 2^23 pushes the fraction out */
    float r = (y - n * 0.693145751953125f) - n * 1.42860676e-6f; /* ln2 = 0.693145751953125 + 1.428606...e-6 */
    float p = 1.9841270e-4f;
    p = p * r + 1.3888889e-3f;
    p = p * r + 8.3333333e-3f;
    p = p * r + 4.1666667e-2f;
    p = p * r + 1.6666667e-1f;
    p = p * r + 0.5f;
    p = p * r * r + r + 1.0f;
    int32_t k = (int32_t)(x != x ? 0.0f : n), half = k >> 1;
    float scale1 = v_from_bits((uint32_t)(half + 127) << 23), scale2 = v_from_bits((uint32_t)(k - half + 127) << 23);
    float e = p * scale1 * scale2;
    return x != x ? x : e;
}

/* ln x: x = m 2^e with m in [sqrt(1/2), sqrt(2)); ln m = f - s (f - R), s = f / (2 + f), f = m - 1, R even in s.
 * HW: the result for x <= 0 is not documented; ASSUMED: -inf for 0, NaN below. */
static inline float v_ln(float x)
{
    float scaled = x < 1.17549435e-38f ? x * 8388608.0f : x;
    float bias = x < 1.17549435e-38f ? -23.0f : 0.0f;
    uint32_t u = v_bits(scaled) - 0x3f3504f3u; /* so that the exponent field splits at sqrt(1/2) */
    float e = (float)((int32_t)u >> 23) + bias;
    float f = v_from_bits((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    float s = f / (2.0f + f), z = s * s;
    float big = z * (0.66666667f + z * (0.4f + z * (0.28571430f + z * 0.22222222f)));
    float r = e * 0.693145751953125f + ((f - s * (f - big)) + e * 1.42860676e-6f);
    r = x == INFINITY ? x : r;
    r = x == 0.0f ? -INFINITY : r;
    return x < 0.0f || x != x ? NAN : r;
}

static inline float v_relu(float a)
{
    return a > 0.0f || a != a ? a : 0.0f;
}

/* The same two, correctly rounded but for a case in 2^29. */
static inline float v_exp_of(float x, int exact)
{
    return exact ? (float)exp((double)x) : v_exp(x);
}
static inline float v_ln_of(float x, int exact)
{
    return exact ? (float)log((double)x) : v_ln(x);
}

/* What the approximating instructions leave of a result: 12 bits of mantissa for float, 8 for half.
 * HW: Reciprocal and Rsqrt pages: float does not meet a relative error of 1e-4, half not 1e-3, on this architecture.
 * ASSUMED: the width of the table; the true pattern is not published. */
static inline float v_coarse(float v, int is_half, int exact)
{
    uint32_t u = v_bits(v), drop = is_half ? 15 : 11;
    uint32_t rounded = (u + ((1u << (drop - 1)) - 1) + (u >> drop & 1)) & ~((1u << drop) - 1);
    return exact || (u & 0x7f800000u) == 0x7f800000u ? v : v_from_bits(rounded);
}

/* A step within an instruction on half tensors is rounded to half: nearest even; 2^-24 is the last subnormal bit, 65520
 * and above are infinite. */
static inline float v_step(float v, int is_half)
{
    uint32_t u = v_bits(v), mag = u & 0x7fffffffu, sign = u & 0x80000000u;
    uint32_t normal = (mag + 0xfffu + (mag >> 13 & 1u)) & ~0x1fffu;
    uint32_t small = v_bits((v_from_bits(mag) + 0.5f) - 0.5f); /* a float at 0.5 counts in 2^-24 */
    uint32_t r = mag < 0x38800000u ? small : normal >= 0x47800000u ? 0x7f800000u : normal;
    r = mag > 0x7f800000u ? mag : r;
    return is_half ? v_from_bits(sign | r) : v;
}

#endif
