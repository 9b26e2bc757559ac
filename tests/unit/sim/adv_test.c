/* The elementwise high-level APIs against the functions of the C library, within what their published steps give. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

enum { N = 512 };
typedef struct Row {
    const char *api;
    double (*truth)(double a, double b, double s);
    double from, to;             /* of a; b runs over [0.25, 4] */
    double float_tol, half_tol;  /* |error| / (1 + |truth|) */
    bool two;
    double s;
} Row;

static double f_log(double a, double b, double s) { (void)b, (void)s; return log(a); }
static double f_log2(double a, double b, double s) { (void)b, (void)s; return log2(a); }
static double f_log10(double a, double b, double s) { (void)b, (void)s; return log10(a); }
static double f_sigmoid(double a, double b, double s) { (void)b, (void)s; return 1 / (1 + exp(-a)); }
static double f_silu(double a, double b, double s) { (void)b, (void)s; return a / (1 + exp(-a)); }
static double f_swish(double a, double b, double s) { (void)b; return a / (1 + exp(-s * a)); }
static double f_gelu(double a, double b, double s) { (void)b, (void)s; return 0.5 * a * (1 + tanh(0.7978845608 * (a + 0.044715 * a * a * a))); }
static double f_gelu_exact(double a, double b, double s) { (void)b, (void)s; return 0.5 * a * (1 + erf(a * 0.70710678118)); }
static double f_faster(double a, double b, double s) { (void)b, (void)s; return a / (1 + exp(-1.702 * a)); }
static double f_tanh(double a, double b, double s) { (void)b, (void)s; return tanh(a); }
static double f_sinh(double a, double b, double s) { (void)b, (void)s; return sinh(a); }
static double f_cosh(double a, double b, double s) { (void)b, (void)s; return cosh(a); }
static double f_asinh(double a, double b, double s) { (void)b, (void)s; return asinh(a); }
static double f_acosh(double a, double b, double s) { (void)b, (void)s; return acosh(a); }
static double f_atanh(double a, double b, double s) { (void)b, (void)s; return atanh(a); }
static double f_erf(double a, double b, double s) { (void)b, (void)s; return erf(a); }
static double f_sin(double a, double b, double s) { (void)b, (void)s; return sin(a); }
static double f_cos(double a, double b, double s) { (void)b, (void)s; return cos(a); }
static double f_tan(double a, double b, double s) { (void)b, (void)s; return tan(a); }
static double f_floor(double a, double b, double s) { (void)b, (void)s; return floor(a); }
static double f_ceil(double a, double b, double s) { (void)b, (void)s; return ceil(a); }
static double f_round(double a, double b, double s) { (void)b, (void)s; return nearbyint(a); }
static double f_trunc(double a, double b, double s) { (void)b, (void)s; return trunc(a); }
static double f_frac(double a, double b, double s) { (void)b, (void)s; return a - trunc(a); }
static double f_sign(double a, double b, double s) { (void)b, (void)s; return (a > 0) - (a < 0); }
static double f_min(double a, double b, double s) { (void)b; return fmin(a, s); }
static double f_max(double a, double b, double s) { (void)b; return fmax(a, s); }
static double f_fmod(double a, double b, double s) { (void)s; return fmod(a, b); }
static double f_pow(double a, double b, double s) { (void)s; return pow(a, b); }
static double f_pow_s(double a, double b, double s) { (void)b; return pow(a, s); }
static double f_s_pow(double a, double b, double s) { (void)b; return pow(s, a); }

static double f_asin(double a, double b, double s) { (void)b, (void)s; return asin(a); }
static double f_acos(double a, double b, double s) { (void)b, (void)s; return acos(a); }
static double f_atan(double a, double b, double s) { (void)b, (void)s; return atan(a); }
static double f_erfc(double a, double b, double s) { (void)b, (void)s; return erfc(a); }
static double f_exp(double a, double b, double s) { (void)b, (void)s; return exp(a); }
static double f_lgamma(double a, double b, double s) { (void)b, (void)s; return lgamma(a); }
static double f_digamma(double a, double b, double s) { (void)b, (void)s; return (lgamma(a + 1e-4) - lgamma(a - 1e-4)) / 2e-4; }

#define H 2e-3 /* a few roundings to half */
static const Row ROWS[] = {
    {"Log", f_log, 0.01, 50, 1e-6, H, .s = 0},
    {"Log2", f_log2, 0.01, 50, 1e-6, H, .s = 0},
    {"Log10", f_log10, 0.01, 50, 1e-6, H, .s = 0},
    {"Sigmoid", f_sigmoid, -9, 9, 1e-6, H, .s = 0},
    {"Silu", f_silu, -9, 9, 1e-6, H, .s = 0},
    {"Swish", f_swish, -6, 6, 1e-6, 4e-3, .s = 1.5},
    {"Gelu", f_gelu, -6, 6, 1e-6, 4e-3, .s = 0},
    {"FasterGelu", f_faster, -6, 6, 1e-6, 4e-3, .s = 0},
    {"FasterGeluV2", f_gelu_exact, 0.125, 6, 1e-2, 1.5e-2, .s = 0},
    {"Tanh", f_tanh, -12, 12, 1e-6, H, .s = 0},
    {"Sinh", f_sinh, -4, 4, 1e-6, H, .s = 0},
    {"Cosh", f_cosh, -4, 4, 1e-6, H, .s = 0},
    {"Asinh", f_asinh, -30, 30, 1e-6, H, .s = 0},
    {"Acosh", f_acosh, 1.125, 30, 1e-5, H, .s = 0},
    {"Atanh", f_atanh, -0.9375, 0.9375, 1e-6, H, .s = 0},
    {"Erf", f_erf, -5, 5, 1e-6, H, .s = 0},
    {"Sin", f_sin, -60, 60, 1e-5, H, .s = 0},
    {"Cos", f_cos, -60, 60, 1e-5, H, .s = 0},
    {"Tan", f_tan, -1.25, 1.25, 1e-5, H, .s = 0},
    {"Floor", f_floor, -9, 9, 0, 0, .s = 0},
    {"Ceil", f_ceil, -9, 9, 0, 0, .s = 0},
    {"Round", f_round, -9, 9, 0, 0, .s = 0},
    {"Trunc", f_trunc, -9, 9, 0, 0, .s = 0},
    {"Frac", f_frac, -9, 9, 0, 0, .s = 0},
    {"Sign", f_sign, -9, 9, 0, 0, .s = 0},
    {"ClampMax", f_min, -9, 9, 0, 0, .s = 1.5},
    {"ClampMin", f_max, -9, 9, 0, 0, .s = 1.5},
    {"Fmod", f_fmod, -9, 9, 1e-5, 5e-2, .two = true, .s = 0},
    {"Power", f_pow, 0.125, 6, 1e-5, H, .two = true, .s = 0},
    {"PowerTensorScalar", f_pow_s, -3, 3, 1e-5, H, .s = 3},
    {"PowerScalarTensor", f_s_pow, -3, 3, 1e-5, H, .s = 2.5},
    {"Asin", f_asin, -1, 1, 1e-4, H, .s = 0},
    {"Acos", f_acos, -1, 1, 1e-4, H, .s = 0},
    {"Atan", f_atan, -40, 40, 5e-6, H, .s = 0},
    {"Erfc", f_erfc, -5, 9, 1e-6, H, .s = 0},
    {"Exp", f_exp, -8, 4, 1e-6, H, .s = 10},
    {"Lgamma", f_lgamma, 0.0625, 40, 1e-6, H, .s = 0},
    {"Digamma", f_digamma, 0.0625, 40, 1e-6, H, .s = 0},
};

static const Row *row;
static bool half;
static double in_a[N], in_b[N], got[N];

static uint64_t bits_of(double v)
{
    uint32_t u = 0;
    dtype_store(half ? DTYPE_F16 : DTYPE_F32, &u, 0, v);
    return u;
}
static void body(void *const *args)
{
    (void)args;
    uint32_t type = half ? OW_F16 : OW_F32, size = half ? 2 : 4;
    OwLocal d = ub_at(0, N * size), a = ub_at(8192, N * size), b = ub_at(16384, N * size), tmp = ub_at(32768, 16384);
    for (int i = 0; i < N; i++) {
        double va = row->from + (row->to - row->from) * i / (N - 1), vb = 0.25 + 3.75 * ((i * 37) % N) / (N - 1);
        ow_local_set(type, &a, (uint64_t)i, bits_of(va), AT);
        ow_local_set(type, &b, (uint64_t)i, bits_of(vb), AT);
        in_a[i] = dtype_load(half ? DTYPE_F16 : DTYPE_F32, ow_local_host(&a), (size_t)i);
        in_b[i] = dtype_load(half ? DTYPE_F16 : DTYPE_F32, ow_local_host(&b), (size_t)i);
    }
    ow_adv(row->api, type, &d, &a, row->two ? &b : NULL, &tmp, bits_of(row->s), 0, N, AT);
    for (int i = 0; i < N; i++) got[i] = dtype_load(half ? DTYPE_F16 : DTYPE_F32, ow_local_host(&d), (size_t)i);
}

static void every_row_is_near_its_function(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++)
        for (int h = 0; h < 2; h++) {
            row = &ROWS[r];
            half = h;
            Sim *s = new_sim();
            run(s, body);
            expect_clean(s);
            for (int i = 0; i < N; i++) {
                double want = row->truth(in_a[i], in_b[i], row->s), off = fabs(got[i] - want) / (1 + fabs(want));
                if (!(off <= (half ? row->half_tol : row->float_tol)))
                    fail_msg("%s %s at %g, %g: %g, expected %g (off by %g)", row->api, half ? "half" : "float", in_a[i], in_b[i], got[i], want, off);
            }
            sim_free(s);
        }
}

/* With `exact` a result is the function's, rounded once. */
static void exact_rows_are_rounded_once(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++)
        for (int h = 0; h < 2; h++) {
            row = &ROWS[r];
            half = h;
            if (row->truth == f_gelu_exact || row->truth == f_digamma) continue; /* a formula of its own; no exact truth here */
            Sim *s = new_sim();
            sim_set_options(s, &(SimOptions){.no_hazards = true, .exact = true});
            run(s, body);
            expect_clean(s);
            for (int i = 0; i < N; i++) {
                double want = row->truth(in_a[i], in_b[i], row->s), step = half ? 0x1p-11 : 0x1p-24, least = half ? 0x1p-25 : 0x1p-150;
                if (!(fabs(got[i] - want) <= fabs(want) * step * 1.00001 + least * 1.00001 + (row->truth == f_gelu ? 1e-10 : 1e-16)))
                    fail_msg("%s %s at %g, %g: %.17g, expected %.17g", row->api, half ? "half" : "float", in_a[i], in_b[i], got[i], want);
            }
            sim_free(s);
        }
}

/* A row that is in the table and not here would not be tested: each name must be known, and no other. */
static void the_table_is_covered(void **state)
{
    (void)state;
    static const char *const TABLE[] = {
#define ADV(name, ...) #name,
#include "sim/adv.def"
#undef ADV
    };
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++) {
        bool known = false;
        for (size_t r = 0; r < sizeof ROWS / sizeof ROWS[0]; r++) known = known || !strcmp(ROWS[r].api, TABLE[i]);
        if (!known) fail_msg("%s has no reference here", TABLE[i]);
    }
    assert_int_equal(sizeof TABLE / sizeof TABLE[0], sizeof ROWS / sizeof ROWS[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_near_its_function),
        cmocka_unit_test(exact_rows_are_rounded_once),
        cmocka_unit_test(the_table_is_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
