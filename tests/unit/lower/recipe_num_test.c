/* Every float operator against a double-precision reference written here from libm, over the whole range of
 * floats, special values and random operands, under each NaN rule. OPWRIGHT_NUM_TABLE=1 prints errors and
 * costs. */
#include "kir_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define EPS 0x1p-23

/* ---- references
 * ---------------------------------------------------------------------------------------------------- */

#define SKIP 1.2345e300 /* the operator promises nothing here */

static double r_sigmoid(double x) {
    return 1 / (1 + exp(-x));
}
static double r_softplus(double x, double beta, double thr) {
    return beta * x > thr ? x : log1p(exp(beta * x)) / beta;
}
static double r_silu(double x) {
    return x / (1 + exp(-x));
}
static double r_mish(double x) {
    return x * tanh(log1p(exp(x)));
}
static double r_cdf(double x) {
    return 0.5 * erfc(-x * M_SQRT1_2);
}
static double r_gelu(double x) {
    return x * r_cdf(x);
}
static double r_gelu_tanh(double x) {
    double u = sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); /* 0.5 (1 + tanh u) without cancellation */
    return x / (1 + exp(-2 * u));
}
static double r_elu(double x, double alpha, double scale, double in) {
    return x > 0 ? x * scale : alpha * scale * expm1(x * in);
}
static double r_max(double x, double y) {
    return isnan(x) || isnan(y) ? NAN : x > y ? x : y;
}
static double r_min(double x, double y) {
    return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
}
static double r_clamp(double x, double lo, double hi) {
    return r_min(r_max(x, lo), hi);
}
static double r_sign(double x) {
    return (x > 0) - (x < 0);
}
/* Quotients from 2^24 on are not divided exactly. */
static bool far(double x, double y) {
    return isfinite(x) && isfinite(y) && y != 0 && fabs(x / y) >= 0x1p24;
}
static double r_fmod(double x, double y) {
    return far(x, y) ? SKIP : fmod(x, y);
}
static double r_remainder(double x, double y) {
    if (far(x, y)) return SKIP;
    double m = fmod(x, y);
    return m != 0 && (m < 0) != (y < 0) ? m + y : m;
}
static double r_floordiv(double x, double y) {
    if (y == 0 || far(x, y)) return x / y;
    double m = fmod(x, y), d = (x - m) / y;
    if (m != 0 && (m < 0) != (y < 0)) d -= 1;
    double f = floor(d);
    return d - f > 0.5 ? f + 1 : f;
}
static double r_logaddexp(double x, double y) {
    if (x == y && isinf(x)) return x;
    return r_max(x, y) + log1p(exp(-fabs(x - y)));
}
static double r_xlogy(double x, double y) {
    return isnan(y) ? NAN : x == 0 ? 0 : x * log(y);
}
static double r_shrink(double x, double l) {
    return x > l ? x - l : x < -l ? x + l : isnan(x) ? x : 0;
}
static double r_gelu_grad(double x) {
    return r_cdf(x) + x * exp(-0.5 * x * x) / sqrt(2 * M_PI);
}
static double r_gelu_tanh_grad(double x) {
    double c = sqrt(2 / M_PI), u = c * (x + 0.044715 * x * x * x), s = 1 / (1 + exp(-2 * u)),
           q = 1 / (1 + exp(2 * u));
    return s + (s * q == 0 && !isinf(x) ? 0 : x * s * q * 2 * c * (1 + 3 * 0.044715 * x * x));
}
static double r_silu_grad(double x) {
    return r_sigmoid(x) * (1 + x * (1 - r_sigmoid(x)));
}
static double r_mish_grad(double x) {
    double t = tanh(log1p(exp(x)));
    return t + x * r_sigmoid(x) * (1 - t * t);
}
static double r_rintdec(double x, double p) {
    return rint((float)(x * p)) / p;
} /* as PyTorch, x * p is rounded first */
static double r_logit(double x) {
    return log(x / (1 - x));
}
static double r_nan2num(double x, double n, double hi, double lo) {
    return isnan(x) ? n : x > hi ? hi : x < lo ? lo : x;
}
static double r_smooth(double x, double y, double b) {
    return fabs(x - y) < b ? 0.5 * (x - y) * (x - y) / b : fabs(x - y) - 0.5 * b;
}
static double r_huber(double x, double y, double d) {
    return fabs(x - y) < d ? 0.5 * (x - y) * (x - y) : d * (fabs(x - y) - 0.5 * d);
}
static double r_hypot(double x, double y) {
    return hypot(x, y);
}
static double r_heaviside(double x, double y) {
    return x == 0 ? y : x > 0 ? 1 : 0;
}
static double r_hardswish(double x) {
    return x * (r_clamp(x + 3, 0, 6) / 6);
}
static double r_pow(double x, double y) {
    return pow(x, y);
}
/* float32 overflow of an intermediate that PyTorch's own float kernel shares is not an error: see CASE's
 * `cap`. */

typedef double (*RefFn)(double x, double y, double z);

typedef struct Case {
    const char *target, *args;
    RefFn ref;
    double lo, hi; /* range of x (and y, z) where the error counts; NaN and inf are always checked */
    double tol;    /* allowed error: |out - ref| / (|ref| + floor), in units of 2^-23 */
    double floor;  /* absolute values that no longer count */
} Case;

/* clang-format off */
#define CASES                                                                                                          \
    X(exp, "aten.exp.default", "x", exp(x), -87, 88.7, 2, 0)                                                            \
    X(exp2, "aten.exp2.default", "x", exp2(x), -126, 127.9, 4, 0)                                                       \
    X(expm1, "aten.expm1.default", "x", expm1(x), -1e30, 88.7, 6, 0)                                                    \
    X(log, "aten.log.default", "x", log(x), 0, INFINITY, 2, 0)                                                          \
    X(log2, "aten.log2.default", "x", log2(x), 0, INFINITY, 4, 0)                                                       \
    X(log10, "aten.log10.default", "x", log10(x), 0, INFINITY, 4, 0)                                                    \
    X(log1p, "aten.log1p.default", "x", log1p(x), -1, INFINITY, 4, 0)                                                   \
    X(sqrt, "aten.sqrt.default", "x", sqrt(x), 0, INFINITY, 1, 0)                                                       \
    X(rsqrt, "aten.rsqrt.default", "x", 1 / sqrt(x), 0, INFINITY, 2, 0)                                                 \
    X(recip, "aten.reciprocal.default", "x", 1 / x, -INFINITY, INFINITY, 1, 1e-38)                                      \
    X(sigmoid, "aten.sigmoid.default", "x", r_sigmoid(x), -87, INFINITY, 4, 0)                                          \
    X(sigmoid_low, "aten.sigmoid.default", "x", r_sigmoid(x), -INFINITY, INFINITY, 4, 1e-30)                            \
    X(logsig, "aten.log_sigmoid.default", "x", log(r_sigmoid(x)) == -INFINITY ? x : -log1p(exp(-x)), -700, 80, 5, 0)    \
    X(tanh, "aten.tanh.default", "x", tanh(x), -INFINITY, INFINITY, 6, 0)                                               \
    X(tanh_low, "aten.tanh.default", "x", tanh(x), -INFINITY, -3, 0.6, 0)                                               \
    X(erf, "aten.erf.default", "x", erf(x), -INFINITY, INFINITY, 6, 0)                                              \
    X(erfc, "aten.erfc.default", "x", erfc(x), -INFINITY, 2.5, 24, 0)                                                   \
    X(erfc_tail, "aten.erfc.default", "x", erfc(x), 2.5, 9, 200, 0)                                                     \
    X(sin, "aten.sin.default", "x", sin(x), -100, 100, 4, 1e-3)                                                         \
    X(sin_far, "aten.sin.default", "x", sin(x), -1e5, 1e5, 40, 1e-1)                                                    \
    X(cos, "aten.cos.default", "x", cos(x), -100, 100, 4, 1e-3)                                                         \
    X(cos_far, "aten.cos.default", "x", cos(x), -1e5, 1e5, 40, 1e-1)                                                    \
    X(tan, "aten.tan.default", "x", tan(x), -30, 30, 12, 1e-2)                                                          \
    X(asin, "aten.asin.default", "x", asin(x), -1, 1, 5, 0)                                                             \
    X(acos, "aten.acos.default", "x", acos(x), -1, 1, 5, 0)                                                             \
    X(atan, "aten.atan.default", "x", atan(x), -INFINITY, INFINITY, 5, 0)                                               \
    X(sinh, "aten.sinh.default", "x", sinh(x), -88.7, 88.7, 8, 0)                                                       \
    X(cosh, "aten.cosh.default", "x", cosh(x), -88.7, 88.7, 8, 0)                                                       \
    X(asinh, "aten.asinh.default", "x", asinh(x), -INFINITY, INFINITY, 6, 0)                                            \
    X(acosh, "aten.acosh.default", "x", acosh(x), 1, INFINITY, 6, 0)                                                    \
    X(atanh, "aten.atanh.default", "x", atanh(x), -1, 1, 6, 0)                                                          \
    X(floor, "aten.floor.default", "x", floor(x), -INFINITY, INFINITY, 0, 0)                                            \
    X(ceil, "aten.ceil.default", "x", ceil(x), -INFINITY, INFINITY, 0, 0)                                               \
    X(trunc, "aten.trunc.default", "x", trunc(x), -INFINITY, INFINITY, 0, 0)                                            \
    X(round, "aten.round.default", "x", rint(x), -INFINITY, INFINITY, 0, 0)                                             \
    X(round2, "aten.round.decimals", "x 2", r_rintdec(x, 100), -1e4, 1e4, 2, 0.02)                                      \
    X(roundm1, "aten.round.decimals", "x -1", rint(x / 10) * 10, -1e4, 1e4, 1, 0)                                       \
    X(frac, "aten.frac.default", "x", x - trunc(x), -INFINITY, INFINITY, 0, 0)                                          \
    X(abs, "aten.abs.default", "x", fabs(x), -INFINITY, INFINITY, 0, 0)                                                 \
    X(neg, "aten.neg.default", "x", -x, -INFINITY, INFINITY, 0, 0)                                                      \
    X(sign, "aten.sign.default", "x", r_sign(x), -INFINITY, INFINITY, 0, 0)                                             \
    X(relu, "aten.relu.default", "x", r_max(x, 0), -INFINITY, INFINITY, 0, 0)                                           \
    X(relu6, "aten.relu6.default", "x", r_clamp(x, 0, 6), -INFINITY, INFINITY, 0, 0)                                    \
    X(hardtanh, "aten.hardtanh.default", "x -1 1", r_clamp(x, -1, 1), -INFINITY, INFINITY, 0, 0)                        \
    X(leaky, "aten.leaky_relu.default", "x 0.01", x > 0 ? x : 0.01 * x, -INFINITY, INFINITY, 1, 1e-38)                  \
    X(leaky_rt, "aten.leaky_relu.default", "x $0.3", x > 0 ? x : 0.3 * x, -INFINITY, INFINITY, 1, 1e-38)                \
    X(prelu, "aten._prelu_kernel.default", "x y", x > 0 ? x : x * y, -1e18, 1e18, 1, 1e-38)                                     \
    X(thresh, "aten.threshold.default", "x 0.5 7.0", x <= 0.5 ? 7 : x, -INFINITY, INFINITY, 0, 0)                       \
    X(thresh_rt, "aten.threshold.default", "x $0.5 $7.0", x <= 0.5 ? 7 : x, -INFINITY, INFINITY, 0, 0)                  \
    X(hardsig, "aten.hardsigmoid.default", "x", r_clamp(x + 3, 0, 6) / 6, -INFINITY, INFINITY, 2, 0.5)                  \
    X(hardswish, "aten.hardswish.default", "x", r_hardswish(x), -INFINITY, INFINITY, 3, 0.5)                            \
    X(silu, "aten.silu.default", "x", r_silu(x), -80, INFINITY, 4, 0)                                                   \
    X(mish, "aten.mish.default", "x", r_mish(x), -80, INFINITY, 8, 0)                                                   \
    X(softplus, "aten.softplus.default", "x", r_softplus(x, 1, 20), -80, INFINITY, 5, 0)                                \
    X(softplus_b, "aten.softplus.default", "x 2.0 3.0", r_softplus(x, 2, 3), -40, INFINITY, 5, 0)                       \
    X(softplus_rt, "aten.softplus.default", "x $2.0 $3.0", r_softplus(x, 2, 3), -40, INFINITY, 5, 0)                    \
    X(elu, "aten.elu.default", "x", r_elu(x, 1, 1, 1), -INFINITY, INFINITY, 6, 0)                                       \
    X(elu3, "aten.elu.default", "x 1.5 2.0 0.5", r_elu(x, 1.5, 2, 0.5), -INFINITY, 1e38, 8, 0)                          \
    X(elu_rt, "aten.elu.default", "x $1.5 $2.0 $0.5", r_elu(x, 1.5, 2, 0.5), -INFINITY, 1e38, 8, 0)                     \
    X(selu, "aten.selu.default", "x", r_elu(x, 1.6732632423543772, 1.0507009873554805, 1), -INFINITY, 3e38, 8, 0)       \
    X(celu, "aten.celu.default", "x 0.7", x > 0 ? x : 0.7 * expm1(x / 0.7), -INFINITY, INFINITY, 8, 0)                  \
    X(gelu, "aten.gelu.default", "x 'none'", r_gelu(x), -2, INFINITY, 6, 0)                                             \
    X(gelu_neg, "aten.gelu.default", "x 'none'", r_gelu(x), -INFINITY, INFINITY, 100, 1e-7)                             \
    X(gelu_tanh, "aten.gelu.default", "x 'tanh'", r_gelu_tanh(x), -3, INFINITY, 16, 0)                                  \
    X(gelu_tanh_neg, "aten.gelu.default", "x 'tanh'", r_gelu_tanh(x), -INFINITY, INFINITY, 100, 1e-7)                   \
    X(softshrink, "aten.softshrink.default", "x 0.5", r_shrink(x, 0.5), -INFINITY, INFINITY, 1, 0)                      \
    X(softshrink_rt, "aten.softshrink.default", "x $0.5", r_shrink(x, 0.5), -INFINITY, INFINITY, 1, 0)                  \
    X(hardshrink, "aten.hardshrink.default", "x 0.5", x >= -0.5 && x <= 0.5 ? 0 : x, -INFINITY, INFINITY, 0, 0)         \
    X(logit, "aten.logit.default", "x", r_logit(x), 0, 1, 6, 1e-7)                                                      \
    X(logit_eps, "aten.logit.default", "x 0.1", r_logit(r_clamp(x, (float)0.1, (float)0.9)), -INFINITY, INFINITY, 6, 1e-7) \
    X(nan2num, "aten.nan_to_num.default", "x", r_nan2num(x, 0, 0x1.FFFFFEp127, -0x1.FFFFFEp127), -INFINITY, INFINITY, 0, 0) \
    X(nan2num3, "aten.nan_to_num.default", "x 1.0 2.0 -3.0", isnan(x) ? 1 : x == INFINITY ? 2 : x == -INFINITY ? -3 : x, \
      -INFINITY, INFINITY, 0, 0)                                                                                       \
    X(deg2rad, "aten.deg2rad.default", "x", x * (M_PI / 180), -INFINITY, INFINITY, 2, 1e-37)                            \
    X(rad2deg, "aten.rad2deg.default", "x", x * (180 / M_PI), -1e36, 1e36, 2, 0)                                        \
    X(add, "aten.add.Tensor", "x y 1", x + y, -INFINITY, INFINITY, 1, 1e-38)                                            \
    X(add_a, "aten.add.Tensor", "x y 0.5", x + 0.5 * y, -INFINITY, INFINITY, 2, 1e-30)                                  \
    X(add_s, "aten.add.Scalar", "x 2.5", x + 2.5, -INFINITY, INFINITY, 1, 0)                                            \
    X(sub, "aten.sub.Tensor", "x y", x - y, -INFINITY, INFINITY, 1, 1e-38)                                              \
    X(sub_rt, "aten.sub.Scalar", "x $2.5", x - 2.5, -INFINITY, INFINITY, 1, 1e-38)                                      \
    X(rsub, "aten.rsub.Scalar", "x 1", 1 - x, -INFINITY, INFINITY, 1, 0)                                                \
    X(mul, "aten.mul.Tensor", "x y", x * y, -1e19, 1e19, 1, 1e-38)                                                      \
    X(mul_s, "aten.mul.Scalar", "x 3", x * 3, -1e38, 1e38, 1, 0)                                                        \
    X(div, "aten.div.Tensor", "x y", x / y, -1e18, 1e18, 1, 1e-37)                                                      \
    X(div_s, "aten.div.Scalar", "x 3", x / 3, -INFINITY, INFINITY, 1, 1e-37)                                            \
    X(div_4, "aten.div.Scalar", "x 4", x / 4, -INFINITY, INFINITY, 1, 1e-37)                                            \
    X(div_floor, "aten.div.Tensor_mode", "x y 'floor'", r_floordiv(x, y), -1e3, 1e3, 2, 0)                              \
    X(div_trunc, "aten.div.Tensor_mode", "x 0.75 'trunc'", trunc(x / 0.75), -1e3, 1e3, 0, 0)                            \
    X(floordiv, "aten.floor_divide.default", "x y", r_floordiv(x, y), -1e3, 1e3, 2, 0)                                  \
    X(remainder, "aten.remainder.Tensor", "x y", r_remainder(x, y), -1e3, 1e3, 1, 0)                                    \
    X(remainder_s, "aten.remainder.Scalar", "x 0.75", r_remainder(x, 0.75), -1e6, 1e6, 1, 0)                            \
    X(fmod, "aten.fmod.Tensor", "x y", r_fmod(x, y), -1e3, 1e3, 0, 0)                                                     \
    X(maximum, "aten.maximum.default", "x y", r_max(x, y), -INFINITY, INFINITY, 0, 0)                                   \
    X(minimum, "aten.minimum.default", "x y", r_min(x, y), -INFINITY, INFINITY, 0, 0)                                   \
    X(fmax, "aten.fmax.default", "x y", fmax(x, y), -INFINITY, INFINITY, 0, 0)                                          \
    X(fmin, "aten.fmin.default", "x y", fmin(x, y), -INFINITY, INFINITY, 0, 0)                                          \
    X(clamp, "aten.clamp.default", "x -0.5 2", r_clamp(x, -0.5, 2), -INFINITY, INFINITY, 0, 0)                          \
    X(clamp_rt, "aten.clamp.default", "x $-0.5 2", r_clamp(x, -0.5, 2), -INFINITY, INFINITY, 0, 0)                      \
    X(clamp_lo, "aten.clamp.default", "x -0.5", r_max(x, -0.5), -INFINITY, INFINITY, 0, 0)                              \
    X(clamp_hi, "aten.clamp.default", "x None 2", r_min(x, 2), -INFINITY, INFINITY, 0, 0)                               \
    X(clamp_t, "aten.clamp.Tensor", "x y z", r_clamp(x, y, z), -INFINITY, INFINITY, 0, 0)                               \
    X(clamp_t1, "aten.clamp.Tensor", "x None z", r_min(x, z), -INFINITY, INFINITY, 0, 0)                                \
    X(clamp_min, "aten.clamp_min.default", "x 0.5", r_max(x, 0.5), -INFINITY, INFINITY, 0, 0)                           \
    X(atan2, "aten.atan2.default", "x y", atan2(x, y), -1e30, 1e30, 6, 1e-30)                                           \
    X(hypot, "aten.hypot.default", "x y", r_hypot(x, y), -1e38, 1e38, 4, 1e-37)                                         \
    X(logaddexp, "aten.logaddexp.default", "x y", r_logaddexp(x, y), -INFINITY, INFINITY, 4, 0.3)                       \
    X(xlogy, "aten.xlogy.Tensor", "x y", r_xlogy(x, y), -1e30, 1e30, 4, 1e-30)                                          \
    X(copysign, "aten.copysign.Tensor", "x y", copysign(x, y), -INFINITY, INFINITY, 0, 0)                               \
    X(copysign_s, "aten.copysign.Scalar", "x -2", copysign(x, -2), -INFINITY, INFINITY, 0, 0)                           \
    X(heaviside, "aten.heaviside.default", "x y", r_heaviside(x, y), -INFINITY, INFINITY, 0, 0)                         \
    X(ldexp, "aten.ldexp.Tensor", "x y", x * exp2(y), -60, 60, 4, 1e-36)                                                \
    X(addcmul, "aten.addcmul.default", "x y z 0.5", fabs(y * z) > 3e38 ? SKIP : x + 0.5 * (y * z), 0, 1e15, 3, 1e-30)                               \
    X(addcdiv, "aten.addcdiv.default", "x y z $0.5", fabs(y / z) > 3e38 ? SKIP : x + 0.5 * (y / z), 1e-10, 1e15, 3, 1e-30)                          \
    X(lerp_s, "aten.lerp.Scalar", "x y 0.25", x + 0.25 * (y - x), 0, 1e30, 4, 1e-30)                                    \
    X(lerp_s2, "aten.lerp.Scalar", "x y 0.75", y - (y - x) * 0.25, 0, 1e30, 4, 1e-30)                                   \
    X(lerp_t, "aten.lerp.Tensor", "x y z", fabs(z) < 0.5 ? x + z * (y - x) : y - (y - x) * (1 - z), 0, 1, 4, 1e-2)                                              \
    X(pow, "aten.pow.Tensor_Tensor", "x y", r_pow(x, y), -INFINITY, INFINITY, 8, 1e-37)                                 \
    X(pow_2, "aten.pow.Tensor_Scalar", "x 2", x * x, -1e19, 1e19, 1, 1e-37)                                             \
    X(pow_3, "aten.pow.Tensor_Scalar", "x 3", x * x * x, -1e12, 1e12, 2, 1e-37)                                         \
    X(pow_5f, "aten.pow.Tensor_Scalar", "x 5.0", pow(x, 5), -1e7, 1e7, 4, 1e-36)                                        \
    X(pow_half, "aten.pow.Tensor_Scalar", "x 0.5", sqrt(x), 0, INFINITY, 1, 0)                                          \
    X(pow_m1, "aten.pow.Tensor_Scalar", "x -1", 1 / x, -INFINITY, INFINITY, 1, 1e-37)                                   \
    X(pow_27, "aten.pow.Tensor_Scalar", "x 2.7", pow(x, 2.7f), 0, INFINITY, 8, 1e-37)                                   \
    X(pow_15, "aten.pow.Tensor_Scalar", "x 1.5", pow(x, 1.5), 0, INFINITY, 3, 1e-36)                                    \
    X(pow_45, "aten.pow.Tensor_Scalar", "x 4.5", pow(x, 4.5), 0, INFINITY, 5, 1e-30)                                    \
    X(pow_m33, "aten.pow.Tensor_Scalar", "x -3.3", pow(x, -3.3f), 0, INFINITY, 8, 1e-37)                                \
    X(pow_21, "aten.pow.Tensor_Scalar", "x 21", pow(x, 21), -INFINITY, INFINITY, 8, 1e-37)                              \
    X(pow_0, "aten.pow.Tensor_Scalar", "x 0", 1, -INFINITY, INFINITY, 0, 0)                                             \
    X(pow_rt, "aten.pow.Tensor_Scalar", "x $2.5", pow(x, 2.5), 0, INFINITY, 8, 1e-37)                                   \
    X(pow_base, "aten.pow.Scalar", "2 x", exp2(x), -INFINITY, INFINITY, 8, 1e-37)                                       \
    X(pow_base_n, "aten.pow.Scalar", "-1.5 x", pow(-1.5, x), -INFINITY, INFINITY, 8, 1e-37)                             \
    X(where, "aten.where.self", "m x y", m ? x : y, -INFINITY, INFINITY, 0, 0)                                          \
    X(where_s, "aten.where.ScalarSelf", "m 3.0 x", m ? 3 : x, -INFINITY, INFINITY, 0, 0)                                \
    X(where_ss, "aten.where.Scalar", "m 3.0 -2.0", m ? 3 : -2, -INFINITY, INFINITY, 0, 0)                               \
    X(mfill, "aten.masked_fill.Scalar", "x m 0.25", m ? 0.25 : x, -INFINITY, INFINITY, 0, 0)                            \
    X(mfill_inf, "aten.masked_fill.Scalar", "x m -inf", m ? -INFINITY : x, -INFINITY, INFINITY, 0, 0)                   \
    X(mfill_t, "aten.masked_fill.Tensor", "x m y", m ? y : x, -INFINITY, INFINITY, 0, 0)                                \
    X(mse, "aten.mse_loss.default", "x y 0", (x - y) * (x - y), 0, 1e15, 8, 1e10)                                       \
    X(smooth, "aten.smooth_l1_loss.default", "x y 0 0.5", r_smooth(x, y, 0.5), -10, 10, 8, 1e-2)                        \
    X(huber, "aten.huber_loss.default", "x y 0 1.5", r_huber(x, y, 1.5), -10, 10, 8, 1e-2)                              \
    X(thr_b, "aten.threshold_backward.default", "y x 0", x <= 0 ? 0 : y, -INFINITY, INFINITY, 0, 0)                     \
    X(sig_b, "aten.sigmoid_backward.default", "y x", y * (1 - x) * x, -1e9, 1e9, 3, 1e-30)                              \
    X(tanh_b, "aten.tanh_backward.default", "y x", y * (1 - x * x), -1e9, 1e9, 4, 1e-30)                                \
    X(silu_b, "aten.silu_backward.default", "1.0 x", r_silu_grad(x), -INFINITY, INFINITY, 8, 0.1)                       \
    X(mish_b, "aten.mish_backward.default", "1.0 x", r_mish_grad(x), -INFINITY, INFINITY, 16, 0.1)                      \
    X(gelu_b, "aten.gelu_backward.default", "1.0 x 'none'", r_gelu_grad(x), -INFINITY, INFINITY, 8, 0.1)                \
    X(gelut_b, "aten.gelu_backward.default", "1.0 x 'tanh'", r_gelu_tanh_grad(x), -INFINITY, INFINITY, 16, 0.1)         \
    X(htanh_b, "aten.hardtanh_backward.default", "y x -1 1", x > -1 && x < 1 ? y : 0, -INFINITY, INFINITY, 0, 0)        \
    X(hsig_b, "aten.hardsigmoid_backward.default", "y x", x > -3 && x < 3 ? y / 6 : 0, -INFINITY, INFINITY, 1, 1e-37)   \
    X(hswish_b, "aten.hardswish_backward.default", "y x", x <= -3 ? 0 : x >= 3 ? y : y * ((x + 1.5) / 3), -1e30, 1e30, 3, 1e-30) \
    X(leaky_b, "aten.leaky_relu_backward.default", "y x 0.1 False", x > 0 ? y : y * 0.1, -INFINITY, INFINITY, 1, 1e-37) \
    X(elu_b, "aten.elu_backward.default", "y 1.5 2.0 0.5 False x", !(x > 0) ? y * 0.5 * 3 * exp(x * 0.5) : y * 2, -100, 100, 8, 1e-30) \
    X(elu_br, "aten.elu_backward.default", "y 1.5 2.0 0.5 True x", !(x > 0) ? y * 0.5 * (x + 3) : y * 2, -100, 100, 4, 1e-1) \
    X(softplus_b2, "aten.softplus_backward.default", "1.0 x 1 20", r_sigmoid(x), -80, INFINITY, 6, 0)                   \
    X(softplus_b3, "aten.softplus_backward.default", "1.0 x 2.0 3.0", 2 * x > 3 ? 1 : r_sigmoid(2 * x), -40, INFINITY, 6, 0) \
    X(logsig_b, "aten.log_sigmoid_backward.default", "1.0 x y", r_sigmoid(-x), -INFINITY, 80, 6, 0)                     \
    X(logit_b, "aten.logit_backward.default", "1.0 x", x < 0 || x > 1 ? NAN : 1 / (x * (1 - x)), 1e-30, 1, 4, 0)        \
    X(sshr_b, "aten.softshrink_backward.default", "y x 0.5", fabs(x) > 0.5 ? y : 0, -INFINITY, INFINITY, 0, 0)  \
    X(eq, "aten.eq.Tensor", "x y", x == y, -INFINITY, INFINITY, 0, 0)                                                   \
    X(ne, "aten.ne.Tensor", "x y", x != y, -INFINITY, INFINITY, 0, 0)                                                   \
    X(lt, "aten.lt.Tensor", "x y", x < y, -INFINITY, INFINITY, 0, 0)                                                    \
    X(le, "aten.le.Scalar", "x 1", x <= 1, -INFINITY, INFINITY, 0, 0)                                                   \
    X(gt, "aten.gt.Tensor", "x y", x > y, -INFINITY, INFINITY, 0, 0)                                                    \
    X(ge, "aten.ge.Scalar", "x $1.5", x >= 1.5, -INFINITY, INFINITY, 0, 0)                                              \
    X(isnan, "aten.isnan.default", "x", isnan(x), -INFINITY, INFINITY, 0, 0)                                            \
    X(isinf, "aten.isinf.default", "x", isinf(x) != 0, -INFINITY, INFINITY, 0, 0)                                       \
    X(isfinite, "aten.isfinite.default", "x", isfinite(x) != 0, -INFINITY, INFINITY, 0, 0)                              \
    X(isposinf, "aten.isposinf.default", "x", x == INFINITY, -INFINITY, INFINITY, 0, 0)                                 \
    X(isneginf, "aten.isneginf.default", "x", x == -INFINITY, -INFINITY, INFINITY, 0, 0)                                \
    X(signbit, "aten.signbit.default", "x", signbit(x) != 0, -INFINITY, INFINITY, 0, 0)                                 \
    X(land, "aten.logical_and.default", "x y", x != 0 && y != 0, -INFINITY, INFINITY, 0, 0)                             \
    X(lor, "aten.logical_or.default", "x m", x != 0 || m, -INFINITY, INFINITY, 0, 0)                                    \
    X(lxor, "aten.logical_xor.default", "x y", (x != 0) != (y != 0), -INFINITY, INFINITY, 0, 0)                         \
    X(lnot, "aten.logical_not.default", "x", x == 0, -INFINITY, INFINITY, 0, 0)                                         \
    X(square, "aten.square.default", "x", x * x, -1e19, 1e19, 1, 1e-37)                                                 \
    X(clone, "aten.clone.default", "x", x, -INFINITY, INFINITY, 0, 0)
/* clang-format on */

#define X(name, target, args, expr, lo, hi, tol, fl)                                                         \
    static double ref_##name(double x, double y, double z) {                                                 \
        const bool m = y > 0; /* what the mask operand holds */                                              \
        (void)x, (void)y, (void)z, (void)m;                                                                  \
        return (double)(expr);                                                                               \
    }
CASES
#undef X
static const Case ALL[] = {
#define X(name, target, args, expr, lo, hi, tol, fl) {target, args, ref_##name, lo, hi, tol, fl},
    CASES
#undef X
};

/* ---- operands
 * ------------------------------------------------------------------------------------------------------ */

typedef struct Data {
    size_t n;
    Cell *v[4]; /* x y z m */
} Data;

static uint32_t next_random(void) {
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (uint32_t)(s >> 16);
}

static const float SPECIAL[] = {0,
                                -0.0f,
                                1,
                                -1,
                                0.5f,
                                -0.5f,
                                2,
                                -2,
                                3,
                                -3,
                                6,
                                100,
                                -100,
                                1e-7f,
                                -1e-7f,
                                1e-30f,
                                -1e-30f,
                                1e-38f,
                                1e-40f,
                                -1e-40f,
                                0x1p-149f,
                                1e10f,
                                -1e10f,
                                1e20f,
                                -1e20f,
                                3e38f,
                                -3e38f,
                                0x1.fffffep127f,
                                -0x1.fffffep127f,
                                0x1p-126f,
                                0.99999994f,
                                1.0000001f,
                                20,
                                88.7f,
                                -88.7f,
                                -103.9f,
                                INFINITY,
                                -INFINITY,
                                NAN,
                                0.75f,
                                2.5f,
                                1.5f,
                                -2.5f,
                                -7,
                                7,
                                0x1p24f,
                                0x1p23f,
                                -0x1p23f};
#define N_SPECIAL (sizeof SPECIAL / sizeof SPECIAL[0])

/* Mixed magnitudes: any float, near 1, small integers and halves, a usual range. */
static float random_float(void) {
    Cell c = {.u = next_random()};
    switch (next_random() % 5) {
    case 0:
        return c.f;
    case 1:
        return 1 + (float)(int32_t)c.u * 0x1p-40f;
    case 2:
        return (float)((int32_t)(c.u % 129) - 64) * 0.5f;
    case 3:
        return (float)(int32_t)c.u * 0x1p-30f;
    default:
        return (float)(int32_t)c.u * 0x1p-26f;
    }
}

static void put(Data *d, size_t at, float x, float y, float z) {
    d->v[0][at].f = x, d->v[1][at].f = y, d->v[2][at].f = z;
    d->v[3][at].i = y > 0;
}

static Data make_data(size_t share) {
    const size_t grid = 200000 / share, any = 150000 / share, pairs = 200000 / share;
    Data d = {.n = grid + any + pairs + N_SPECIAL * N_SPECIAL};
    for (int i = 0; i < 4; i++) d.v[i] = malloc(d.n * sizeof(Cell));
    size_t at = 0;
    for (size_t i = 0; i < grid; i++)
        put(&d, at++, ((float)i - (float)grid / 2) * 2e-4f * (float)share, random_float(), random_float());
    for (size_t i = 0; i < any; i++) {
        Cell c = {.u = (uint32_t)(i * 28631u * share)};
        put(&d, at++, c.f, random_float(), random_float());
    }
    for (size_t i = 0; i < pairs; i++) put(&d, at++, random_float(), random_float(), random_float());
    for (size_t i = 0; i < N_SPECIAL; i++)
        for (size_t j = 0; j < N_SPECIAL; j++)
            put(&d, at++, SPECIAL[i], SPECIAL[j], SPECIAL[(i + j) % N_SPECIAL]);
    assert(at == d.n);
    return d;
}

/* ---- building a case
 * ----------------------------------------------------------------------------------------------- */

typedef struct Built {
    Kir *kir;
    double scalars[8];
    bool is_mask;
} Built;

static KirArg parse_arg(Kir *k, const char *word, Built *b, size_t *n_scalar, const char **str) {
    static const char NAMES[] = "xyzm";
    const char *var = word[1] == '\0' ? strchr(NAMES, word[0]) : NULL;
    *str = NULL;
    if (var)
        return (KirArg){.kind = KIR_ARG_VAL,
                        .val = kir_load(k, *var == 'm' ? KIR_MASK : KIR_F32, (uint32_t)(var - NAMES))};
    if (strcmp(word, "None") == 0) return (KirArg){.kind = KIR_ARG_NONE};
    if (strcmp(word, "True") == 0 || strcmp(word, "False") == 0)
        return (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(word[0] == 'T'), .num_is_bool = true};
    if (word[0] == '\'') {
        char *text = arena_strdup(k->arena, word + 1);
        text[strlen(text) - 1] = '\0';
        *str = text;
        return (KirArg){.kind = KIR_ARG_NONE};
    }
    bool runtime = word[0] == '$';
    KirArg a = {.kind = KIR_ARG_NUM, .num_is_int = !strpbrk(word, ".n")};
    double value = strtod(word + runtime, NULL);
    a.num = kir_const(value);
    if (!runtime) return a;
    a.num = (KirScalar){.is_runtime = true, .index = (uint32_t)*n_scalar};
    b->scalars[(*n_scalar)++] = value;
    return a;
}

static bool is_bool_op(const char *target) {
    static const char *const NAMES[] = {"eq.",      "ne.",     "lt.",     "le.",      "gt.",
                                        "ge.",      "isnan",   "isinf",   "isfinite", "isposinf",
                                        "isneginf", "signbit", "logical_"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strncmp(target + 5, NAMES[i], strlen(NAMES[i])) == 0) return true;
    return false;
}

static Built build(Arena *a, const Case *c, DType dtype) {
    Built b = {.kir = kir_new(a), .is_mask = is_bool_op(c->target)};
    KirArg args[8];
    const char *strs[8];
    size_t n = 0, n_scalar = 0;
    char *copy = arena_strdup(a, c->args), *state = NULL;
    for (char *w = strtok_r(copy, " ", &state); w; w = strtok_r(NULL, " ", &state), n++)
        args[n] = parse_arg(b.kir, w, &b, &n_scalar, &strs[n]);
    KirArg out = {0};
    Err err = {0};
    if (!pointwise_apply(b.kir, c->target, args, strs, n, dtype, b.is_mask ? DTYPE_BOOL : dtype, &out, &err))
        fail_msg("%s (%s): %s", c->target, c->args, err.message);
    KirVal v = kir_materialise(b.kir, out, b.is_mask ? KIR_MASK : KIR_F32);
    kir_store(b.kir, 0, v);
    kir_prune(b.kir);
    if (!kir_check(b.kir, &err)) fail_msg("%s: %s", c->target, err.message);
    return b;
}

/* ---- comparing
 * ----------------------------------------------------------------------------------------------------- */

typedef struct Score {
    double max, sum;
    size_t n, worst;
    size_t bad_nan;
    size_t bad_at;
} Score;

/* What a float holds: overflow to infinity. */
static double as_float(double d) {
    float f = (float)d;
    return f;
}

static void score_one(const Case *c, const Data *d, size_t i, double got, Score *s) {
    double x = d->v[0][i].f, y = d->v[1][i].f, z = d->v[2][i].f;
    double want = c->ref(x, y, z), held = as_float(want);
    if (want == SKIP) return;
    bool uses_y = strpbrk(c->args, "ym") != NULL, uses_z = strchr(c->args, 'z') != NULL;
    bool finite_in = isfinite(x) && (!uses_y || isfinite(y)) && (!uses_z || isfinite(z));
    bool in_range = x >= c->lo && x <= c->hi && (!uses_y || (y >= c->lo && y <= c->hi)) &&
                    (!uses_z || (z >= c->lo && z <= c->hi));
    if (isnan(want) || isnan(got) || !finite_in) {
        bool same = isnan(want) ? isnan(got) : isinf(held) ? got == held : isfinite(got);
        if (!same && (in_range || !finite_in || isnan(want)) && s->bad_nan++ == 0) s->bad_at = i;
        if (!finite_in && isfinite(held) && isfinite(got) && in_range && c->tol == 0 && got != want &&
            s->bad_nan++ == 0)
            s->bad_at = i;
        return;
    }
    if (!in_range) return;
    if (isinf(held) || isinf(got)) { /* the largest finite value stands in for the infinite one */
        want = isinf(held) ? copysign(0x1.fffffep127, held) : want;
        got = isinf(got) ? copysign(0x1.fffffep127, got) : got;
    }
    double e = want == got ? 0 : fabs(got - want) / (fabs(want) + fmax(c->floor, 0x1p-126));
    if (e > s->max) s->max = e, s->worst = i;
    s->sum += e, s->n++;
}

/* The NaN rules other than the first only matter where there are NaNs: among the special values at the end.
 */
static Score run_case(const Case *c, const Built *b, const Data *d, NanRule rule) {
    Score s = {0};
    size_t first = rule == 0 ? 0 : d->n - N_SPECIAL * N_SPECIAL;
    enum { CHUNK = 4096 };
    static Cell out[CHUNK];
    for (size_t at = first; at < d->n; at += CHUNK) {
        size_t n = d->n - at < CHUNK ? d->n - at : CHUNK;
        const Cell *load[] = {d->v[0] + at, d->v[1] + at, d->v[2] + at, d->v[3] + at};
        Cell *store[] = {out};
        kir_run(b->kir, &(RunInput){load, store, b->scalars, n, rule});
        for (size_t i = 0; i < n; i++) score_one(c, d, at + i, b->is_mask ? out[i].i : (double)out[i].f, &s);
    }
    return s;
}

static double got_at(const Built *b, const Data *d, size_t i, NanRule rule) {
    Cell out[1];
    const Cell *load[] = {d->v[0] + i, d->v[1] + i, d->v[2] + i, d->v[3] + i};
    Cell *store[] = {out};
    kir_run(b->kir, &(RunInput){load, store, b->scalars, 1, rule});
    return b->is_mask ? out[0].i : (double)out[0].f;
}

static void report(const Case *c, const Built *b, const Data *d, NanRule rule, const Score *s, double tol) {
    size_t at = s->bad_nan ? s->bad_at : s->worst;
    double x = d->v[0][at].f, y = d->v[1][at].f, z = d->v[2][at].f;
    print_error(
        "%s (%s) rule %d: error %.2f of %.2f, %zu wrong NaN or inf; at %.9g %.9g %.9g got %.9g, want %.9g\n",
        c->target, c->args, rule, s->max / EPS, tol / EPS, s->bad_nan, x, y, z, got_at(b, d, at, rule),
        c->ref(x, y, z));
}

/* All cases as float32, or as float16 where the results are rounded later and recipes may be shorter. */
static void run_all(DType dtype) {
    bool table = getenv("OPWRIGHT_NUM_TABLE") != NULL;
    Data d = make_data(table ? 1 : 5);
    size_t failed = 0;
    if (table)
        printf("%-36s %-18s %8s %6s %10s %10s\n", dtype_info(dtype)->torch, "arguments", "cycles", "insns",
               "max/2^-23", "mean/2^-23");
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        Case c = ALL[i];
        if (dtype == DTYPE_F16 && strstr(c.target, "nan_to_num"))
            continue; /* its bounds are float16's: recipe_test */
        Arena *a = arena_new();
        Built b = build(a, &c, dtype);
        if (dtype == DTYPE_F16) c.floor = fmax(c.floor, 1e-7);
        double tol = dtype == DTYPE_F16 ? fmax(c.tol * EPS, 4e-5) : c.tol * EPS;
        for (NanRule rule = 0; rule < NAN_RULES; rule++) {
            Score s = run_case(&c, &b, &d, rule);
            if (table && rule == 0)
                printf("%-36s %-18s %8.1f %6zu %10.2f %10.3f\n", c.target, c.args, kir_cycles64(b.kir),
                       b.kir->insns.n, s.max / EPS, s.n ? s.sum / (double)s.n / EPS : 0);
            if (s.max <= tol && s.bad_nan == 0) continue;
            report(&c, &b, &d, rule, &s, tol);
            failed++;
            break;
        }
        arena_free(a);
    }
    for (int i = 0; i < 4; i++) free(d.v[i]);
    assert_int_equal(failed, 0);
}

static void operators_follow_the_reference(void **state) {
    (void)state;
    run_all(DTYPE_F32);
}

static void short_recipes_serve_16_bits(void **state) {
    (void)state;
    run_all(DTYPE_F16);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operators_follow_the_reference),
                                       cmocka_unit_test(short_recipes_serve_16_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
