/* float64 as two int32 words: conversions, comparisons and floor division against the machine's double; and int32 values modulo what
 * narrow integers hold. */
#include "kir_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#define N 60000

static double x[N], y[N];
static Cell low[2][N], high[2][N], single[N], out[N];

static double random_double(uint64_t *s, size_t i) {
    static const double EDGES[] = {0.0,    -0.0,   1.0,      -1.0,     INFINITY,  -INFINITY, NAN,     0x1p-126, 0x1p-127, 0x1.fffffep127, 0x1p128,
                                   1e-300, -1e300, 0x1p-149, 0x1p-200, 3.0000000000000004, 1.00000005960464477539, 2.5,  -7.0,   1e-320};
    *s = *s * 6364136223846793005u + 1442695040888963407u;
    if (i % 4 == 0) return EDGES[*s >> 33 & 0xffff ? (*s >> 33) % (sizeof EDGES / sizeof *EDGES) : 0];
    double m = 1 + (double)(*s >> 12) * 0x1p-52;
    return ldexp(*s & 1 ? m : -m, (int)(*s >> 5 & 31) - 15 + (i % 7 == 0 ? (int)(*s >> 50 & 255) - 128 : 0));
}

static void split(double d, Cell *lo, Cell *hi) {
    uint64_t bits;
    memcpy(&bits, &d, 8);
    lo->u = (uint32_t)bits;
    hi->u = (uint32_t)(bits >> 32);
}

static void make_numbers(void) {
    uint64_t s = 4711;
    for (size_t i = 0; i < N; i++) {
        x[i] = random_double(&s, i);
        y[i] = i % 5 == 0 ? x[i] : i % 5 == 1 ? nextafter(x[i], 0) : random_double(&s, i / 4);
        if (i % 9 == 0) x[i] = y[i] * (double)(int)(s >> 60) * (1 + ((int)(s >> 57 & 3) - 1) * 0x1p-39); /* around exact quotients */
        split(x[i], &low[0][i], &high[0][i]);
        split(y[i], &low[1][i], &high[1][i]);
        single[i].f = (float)x[i];
    }
}

/* Runs target on the words of x and y (or on float32), n_arg tensors. */
static void run(const char *target, KirType type, DType compute, size_t n_arg, DType result) {
    Arena *a = arena_new();
    Kir *k = kir_new(a);
    KirArg args[4] = {{0}}, r = {0};
    Err err = {0};
    for (uint32_t i = 0; i < n_arg; i++) args[i] = (KirArg){.kind = KIR_ARG_VAL, .val = kir_load(k, type, i)};
    if (!pointwise_apply(k, target, args, NULL, n_arg, compute, result, &r, &err)) fail_msg("%s: %s", target, err.message);
    kir_store(k, 0, kir_materialise(k, r, kir_type_of_dtype(result)));
    kir_prune(k);
    assert_true(kir_check(k, &err));
    const Cell *words[] = {low[0], high[0], low[1], high[1]}, *floats[] = {single};
    Cell *store[] = {out};
    kir_run(k, &(RunInput){type == KIR_F32 ? floats : words, store, NULL, N, NAN_PASSES});
    arena_free(a);
}

static bool same_float(float a, float b) {
    return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b));
}

static void doubles_become_floats_and_back(void **state) {
    (void)state;
    make_numbers();
    run("opwright.double_to_float.default", KIR_I32, DTYPE_I32, 2, DTYPE_F32);
    for (size_t i = 0; i < N; i++) {
        float want = (float)x[i]; /* below the smallest normal number the last place may be rounded twice */
        bool near = fabsf(want) < 0x1p-126f && fabsf(out[i].f - want) <= 0x1p-149f && signbit(want) == signbit(out[i].f);
        if (!same_float(out[i].f, want) && !near) fail_msg("%a becomes %a, not %a", x[i], (double)out[i].f, (double)want);
    }
    static Cell got_low[N];
    run("opwright.double_low.default", KIR_F32, DTYPE_F32, 1, DTYPE_I32);
    memcpy(got_low, out, sizeof out);
    run("opwright.double_high.default", KIR_F32, DTYPE_F32, 1, DTYPE_I32);
    for (size_t i = 0; i < N; i++) {
        uint64_t bits = (uint64_t)out[i].u << 32 | got_low[i].u;
        double d, want = (double)single[i].f;
        memcpy(&d, &bits, 8);
        if (!(isnan(d) && isnan(want)) && !(d == want && signbit(d) == signbit(want))) fail_msg("%a becomes %a", want, d);
    }
}

static void doubles_compare_exactly(void **state) {
    (void)state;
    run("opwright.double_less.default", KIR_I32, DTYPE_I32, 4, DTYPE_BOOL);
    for (size_t i = 0; i < N; i++)
        if (out[i].i != (x[i] < y[i])) fail_msg("%a < %a gives %d", x[i], y[i], out[i].i);
    run("opwright.double_equal.default", KIR_I32, DTYPE_I32, 4, DTYPE_BOOL);
    for (size_t i = 0; i < N; i++)
        if (out[i].i != (x[i] == y[i])) fail_msg("%a == %a gives %d", x[i], y[i], out[i].i);
    run("opwright.double_truth.default", KIR_I32, DTYPE_I32, 2, DTYPE_BOOL);
    for (size_t i = 0; i < N; i++)
        if (out[i].i != (x[i] != 0)) fail_msg("truth of %a is %d", x[i], out[i].i);
}

/* Where the quotient is a float32 without rounding and 45 bits of the operands tell; the recipe promises no more. */
static void doubles_divide_down(void **state) {
    (void)state;
    size_t n = 0;
    run("opwright.double_floor_divide.default", KIR_I32, DTYPE_I32, 4, DTYPE_F32);
    for (size_t i = 0; i < N; i++) {
        double q = x[i] / y[i];
        bool normal = fabs(x[i]) > 0x1p-70 && fabs(y[i]) > 0x1p-70 && fabs(x[i]) < 0x1p70 && fabs(y[i]) < 0x1p70;
        if (!normal || fabs(q) >= 0x1p23 || fabs(q - rint(q)) < 0x1p-41 * fmax(fabs(q), 1) || q == rint(q)) continue;
        n++;
        if (out[i].f != (float)floor(q)) fail_msg("floor of %a / %a gives %a, not %a", x[i], y[i], (double)out[i].f, floor(q));
    }
    assert_true(n > N / 8);
}

static void narrow_integers_wrap(void **state) {
    (void)state;
    static const struct {
        DType t;
        int32_t value, want;
    } CASES[] = {{DTYPE_I8, 128, -128}, {DTYPE_I8, -129, 127}, {DTYPE_I8, 300, 44},        {DTYPE_I8, -7, -7},           {DTYPE_U8, -1, 255}, {DTYPE_U8, 256, 0},
                 {DTYPE_U8, 255, 255},  {DTYPE_I16, 32768, -32768}, {DTYPE_I16, 65537, 1}, {DTYPE_I32, INT32_MIN, INT32_MIN}, {DTYPE_I64, 1 << 30, 1 << 30}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Arena *a = arena_new();
        Kir *k = kir_new(a);
        kir_store(k, 0, kir_wrap_to(k, kir_load(k, KIR_I32, 0), CASES[i].t));
        Cell in[1] = {{.i = CASES[i].value}}, got[1];
        const Cell *load[] = {in};
        Cell *store[] = {got};
        kir_run(k, &(RunInput){load, store, NULL, 1, NAN_PASSES});
        assert_int_equal(got[0].i, CASES[i].want);
        arena_free(a);
    }
    assert_true(kir_fits(-128, DTYPE_I8) && !kir_fits(128, DTYPE_I8) && kir_fits(255, DTYPE_U8) && !kir_fits(-1, DTYPE_U8) && kir_fits(-32768, DTYPE_I16));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubles_become_floats_and_back),
        cmocka_unit_test(doubles_compare_exactly),
        cmocka_unit_test(doubles_divide_down),
        cmocka_unit_test(narrow_integers_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
