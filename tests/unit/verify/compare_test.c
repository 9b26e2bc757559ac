/* The comparison against a second implementation written from the text of the standards: whole arrays, one
 * rule after the other, no blocks, conversions by base. */
#include "verify/verify.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static const DType FLOATS[] = {DTYPE_F16, DTYPE_BF16, DTYPE_F32};

/* ----------------------------------------------------------------------------------------------- the naive
 * judgement */

typedef struct Table {
    double t, small, err, cancel, largest;
} Table;

static Table table_of(DType d) {
    if (d == DTYPE_F16) return (Table){1.0 / 1024, 1.0 / 2048, 1.0 / 65536, 1.0 / 32, 65504};
    if (d == DTYPE_BF16) return (Table){1.0 / 128, 1.0 / 256, 1.0 / 65536, 1.0 / 8, 3.3895313892515355e38};
    return (Table){1.0 / 8192, 1.0 / 16384, 1.0 / 1073741824, 1.0 / 256, (double)FLT_MAX};
}

static bool naive_ecosystem(DType d, size_t n, const double *golden, const double *eager,
                            const double *actual) {
    Table tb = table_of(d);
    double *w = calloc(n + 1, sizeof *w), *g = calloc(n + 1, sizeof *g);
    bool *use = calloc(n + 1, sizeof *use), pass = false;
    double sum = 0, max = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned char cell[8] = {0};
        dtype_store(d, cell, 0, golden[i]);
        w[i] = dtype_load(d, cell, 0);
        g[i] = actual[i];
        if (isnan(w[i]) != isnan(g[i])) goto done;
        if (isnan(w[i])) continue;
        if (isinf(w[i]) && isinf(g[i])) {
            if ((w[i] > 0) != (g[i] > 0)) goto done;
            continue;
        }
        if (isinf(w[i])) w[i] = w[i] > 0 ? tb.largest : -tb.largest;
        if (isinf(g[i])) g[i] = g[i] > 0 ? tb.largest : -tb.largest;
        use[i] = true;
        double rel = fabs(g[i] - w[i]) / (fabs(w[i]) + 1e-7);
        sum += rel;
        if (rel > max) max = rel;
        m++;
    }
    pass = m == 0 || (sum / (double)m < tb.t && max < 10 * tb.t);
    if (pass) goto done;
    size_t small = 0, small_cpu = 0, cancel = 0, cancel_cpu = 0, rest = 0;
    sum = 0;
    max = 0;
    for (size_t i = 0; i < n; i++) {
        if (!use[i]) continue;
        double mag = fabs(w[i]), rel = fabs(g[i] - w[i]) / (mag + 1e-7), cpu = fabs(eager[i] - w[i]);
        if (mag < tb.small) {
            if (fabs(g[i] - w[i]) > tb.err) small++;
            if (cpu > tb.err) small_cpu++;
        } else if (mag < tb.cancel && fabs(g[i]) < tb.cancel) {
            if (rel >= 10 * tb.t) cancel++;
            if (cpu / (mag + 1e-7) >= 10 * tb.t) cancel_cpu++;
        } else {
            rest++;
            sum += rel;
            if (rel > max) max = rel;
        }
    }
    pass = (rest == 0 || (sum / (double)rest < tb.t && max < 10 * tb.t)) &&
           small <= 2 * (small_cpu ? small_cpu : 1) && cancel <= 2 * (cancel_cpu ? cancel_cpu : 1);
done:
    free(w);
    free(g);
    free(use);
    return pass;
}

static bool naive_allclose(size_t n, const double *want, const double *got, double tol) {
    for (size_t i = 0; i < n; i++) {
        if (isnan(want[i]) || isnan(got[i])) return false;
        if (isinf(want[i]) || isinf(got[i])) {
            if (want[i] != got[i]) return false;
        } else if (fabs(got[i] - want[i]) > tol + tol * fabs(want[i])) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------- one
 * question */

typedef struct Data {
    DType d;
    size_t n;
    double *golden, *eager, *actual; /* eager and actual hold values the type can hold */
    void *eager_bits, *actual_bits;
} Data;

static void data_init(Data *x, DType d, size_t n) {
    *x = (Data){.d = d, .n = n};
    x->golden = calloc(n + 1, 8);
    x->eager = calloc(n + 1, 8);
    x->actual = calloc(n + 1, 8);
    x->eager_bits = calloc(n + 1, 8);
    x->actual_bits = calloc(n + 1, 8);
}

static void data_free(Data *x) {
    free(x->golden);
    free(x->eager);
    free(x->actual);
    free(x->eager_bits);
    free(x->actual_bits);
}

static void set(Data *x, size_t i, double golden, double eager, double actual) {
    x->golden[i] = golden;
    dtype_store(x->d, x->eager_bits, i, eager);
    dtype_store(x->d, x->actual_bits, i, actual);
    x->eager[i] = dtype_load(x->d, x->eager_bits, i);
    x->actual[i] = dtype_load(x->d, x->actual_bits, i);
}

static CompareResult judge(VerifyStandard std, const Data *x) {
    CompareInput in = {
        .dtype = x->d, .n = x->n, .golden = x->golden, .eager = x->eager_bits, .actual = x->actual_bits};
    CompareResult r;
    compare_output(std, &in, &r);
    assert_true(r.pass == (r.reason[0] == '\0'));
    return r;
}

/* Asks both; returns the answer. */
static CompareResult judge_both(const Data *x) {
    CompareResult r = judge(VERIFY_STD_ECOSYSTEM, x);
    assert_int_equal(r.pass, naive_ecosystem(x->d, x->n, x->golden, x->eager, x->actual));
    assert_int_equal(judge(VERIFY_STD_SEED, x).pass, naive_allclose(x->n, x->eager, x->actual, 1e-2));
    assert_int_equal(judge(VERIFY_STD_MULTIKERNELBENCH, x).pass,
                     naive_allclose(x->n, x->eager, x->actual, 1e-4));
    return r;
}

/* -------------------------------------------------------------------------------------------------------------
 * tests */

static double uniform(unsigned *seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1 << 24);
}

/* Values over many magnitudes with NaN, infinities and errors of every size; sizes around the block length.
 */
static void test_random(void **state) {
    (void)state;
    static const size_t SIZES[] = {0, 1, 2, 7, 2047, 2048, 2049, 5000};
    unsigned seed = 1;
    size_t n_pass = 0, n_fail = 0, n_second = 0;
    for (int round = 0; round < 120; round++)
        for (size_t f = 0; f < 3; f++) {
            Data x;
            data_init(&x, FLOATS[f], SIZES[(size_t)round % 8]);
            double noise = pow(10, -6 + 5 * uniform(&seed)), low = -8 * uniform(&seed);
            for (size_t i = 0; i < x.n; i++) {
                double v = (uniform(&seed) < 0.5 ? -1 : 1) * pow(10, low + 4 * uniform(&seed));
                double u = uniform(&seed);
                if (round % 4 == 1 && u < 0.002) v = (double)NAN;
                if (round % 4 == 2 && u < 0.002) v = (double)INFINITY;
                double got = v * (1 + noise * (2 * uniform(&seed) - 1)),
                       eager = v * (1 + noise * 0.7 * (2 * uniform(&seed) - 1));
                if (round % 16 == 5 && u > 0.9995) got = (double)NAN;
                set(&x, i, v, eager, got);
            }
            CompareResult r = judge_both(&x);
            if (r.pass) n_pass++;
            else n_fail++;
            if (!strcmp(r.stage, "second stage") && r.pass) n_second++;
            data_free(&x);
        }
    print_message("%zu pass, %zu fail, %zu by the second stage\n", n_pass, n_fail, n_second);
    assert_true(n_pass > 30 && n_fail > 30 && n_second > 3);
}

typedef struct One {
    DType d;
    double golden, eager, actual;
    bool pass;
    const char *stage;
} One;

/* One element each: every branch of the rule. */
static void test_branches(void **state) {
    (void)state;
    const double inf = (double)INFINITY, nan = (double)NAN, t16 = 1.0 / 1024;
    const One cases[] = {
        {DTYPE_F16, 1, 1, 1, true, "plain"},
        {DTYPE_F16, 1, 1, 1 - 0.9 * t16, true, "plain"},       /* MERE is below T */
        {DTYPE_F16, 1, 1, 1 + 4 * t16, false, "second stage"}, /* MARE is fine, MERE is not */
        {DTYPE_F16, 1, 1, 1 + 11 * t16, false, "second stage"},
        {DTYPE_F16, nan, nan, nan, true, "plain"},
        {DTYPE_F16, nan, nan, 1, false, "plain"},
        {DTYPE_F16, 1, 1, nan, false, "plain"},
        {DTYPE_F16, inf, inf, inf, true, "plain"},
        {DTYPE_F16, -inf, -inf, -inf, true, "plain"},
        {DTYPE_F16, inf, inf, -inf, false, "plain"},
        {DTYPE_F16, 70000, inf, inf, true, "plain"}, /* the truth overflows the type, too */
        {DTYPE_F16, inf, inf, 65504, true, "plain"}, /* largest finite stands in */
        {DTYPE_F16, 65504, 65504, inf, true, "plain"},
        {DTYPE_F16, inf, inf, 60000, false, "second stage"},
        {DTYPE_F16, 100, 100, inf, false, "second stage"},
        {DTYPE_F32, inf, inf, (double)FLT_MAX, true, "plain"},
        {DTYPE_BF16, 3.4e38, inf, inf, true, "plain"},
        {DTYPE_F32, 0, 0, 0, true, "plain"},
        {DTYPE_F32, 0, 0, 1e-12, true, "plain"},        /* 1e-12 / 1e-7 is below T */
        {DTYPE_F32, 0, 0, 1e-10, true, "second stage"}, /* small, and within the small-value error */
        {DTYPE_F32, 0, 0, 1e-4, true, "second stage"}, /* one small value may be off: at most 2 * max(0, 1) */
        {DTYPE_F32, 1e-3, 1e-3, 2e-3, true, "second stage"}, /* cancelled: both below 2^-8, one may be off */
        {DTYPE_F32, 1e-3, 1e-3, 1, false, "second stage"},   /* the output is not near zero */
        {DTYPE_F32, 1, 1, 1e-3, false, "second stage"},
        {DTYPE_F32, -0.0, 0, 0, true, "plain"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Data x;
        data_init(&x, cases[i].d, 1);
        set(&x, 0, cases[i].golden, cases[i].eager, cases[i].actual);
        CompareResult r = judge_both(&x);
        if (r.pass != cases[i].pass || strcmp(r.stage, cases[i].stage) != 0)
            print_message("case %zu: %s %d %s\n", i, r.stage, r.pass, r.reason);
        assert_int_equal(r.pass, cases[i].pass);
        assert_string_equal(r.stage, cases[i].stage);
        data_free(&x);
    }
}

/* Edge values: the reference's own overflow is right too, but nothing else becomes right by it. */
static void test_own_overflow(void **state) {
    (void)state;
    const double inf = (double)INFINITY, nan = (double)NAN;
    const struct {
        double golden, eager, actual;
        bool pass;
    } cases[] = {{1e38, inf, inf, true}, {1e38, nan, nan, true}, {1e38, inf, 1e38, true}, {1e38, inf, -inf, false},
                 {1e38, nan, inf, false}, {1e38, 1e38, inf, false}, {inf, nan, nan, true}, {inf, nan, inf, true}, {inf, nan, 1, false}, {nan, 1, 1, false}, {1e38, inf, 2e38, false},
                 {0.1, 0, 0, true}, {0.1, 0.05, 0.05, true}, {0.1, 0.05, 0.06, false}, {0.1, 0.05, 0.1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        float eager = (float)cases[i].eager, actual = (float)cases[i].actual;
        CompareInput in = {.dtype = DTYPE_F32, .n = 1, .golden = &cases[i].golden, .eager = &eager, .actual = &actual};
        CompareResult r;
        in.own_overflow_counts = true;
        compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
        assert_int_equal(r.pass, cases[i].pass);
        in.own_overflow_counts = false;
        compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
        if (isfinite(cases[i].golden) && !isfinite(cases[i].actual)) assert_false(r.pass);
    }
}

/* Counts of the second stage: one more than twice the CPU's is too many. */
static void test_counts(void **state) {
    (void)state;
    for (size_t cpu = 0; cpu <= 3; cpu++)
        for (size_t off = 1; off <= 8; off++)
            for (int cancel = 0; cancel < 2; cancel++) {
                Data x;
                data_init(&x, DTYPE_F32, 16);
                double v = cancel ? 1e-3 : 1e-5, wrong = v * 2;
                for (size_t i = 0; i < x.n; i++)
                    set(&x, i, v, i < cpu ? wrong : v, i >= x.n - off ? wrong : v);
                CompareResult r = judge_both(&x);
                size_t allowed = 2 * (cpu ? cpu : 1);
                assert_int_equal(r.pass, off <= allowed);
                assert_int_equal(cancel ? r.n_cancel_wrong : r.n_small_wrong, off);
                assert_int_equal(cancel ? r.n_cancel_allowed : r.n_small_allowed, allowed);
                data_free(&x);
            }
}

/* What is reported: first, last and worst element, and the largest difference. */
static void test_figures(void **state) {
    (void)state;
    Data x;
    data_init(&x, DTYPE_F32, 5000);
    for (size_t i = 0; i < x.n; i++) set(&x, i, 2, 2, 2);
    set(&x, 17, 2, 2, 3);
    set(&x, 3000, 2, 2, -5);
    set(&x, 4999, 2, 2, 2.5);
    for (int s = VERIFY_STD_SEED; s <= VERIFY_STD_ECOSYSTEM; s++) {
        CompareResult r = judge((VerifyStandard)s, &x);
        assert_false(r.pass);
        assert_int_equal(r.n_wrong, 3);
        assert_int_equal(r.first_wrong, 17);
        assert_int_equal(r.last_wrong, 4999);
        assert_int_equal(r.worst, 3000);
        assert_true(r.worst_got == -5 && r.worst_expected == 2 && r.max_abs == 7);
    }
    set(&x, 60, 1e6, 1e6, 1e6 - 100); /* the largest difference is not the largest relative error */
    CompareResult eco = judge(VERIFY_STD_ECOSYSTEM, &x);
    assert_true(eco.worst == 3000 && eco.max_abs == 100 && eco.max_abs_at == 60);
    set(&x, 60, 2, 2, 2);
    set(&x, 40, 2, 2, (double)NAN);
    CompareResult r = judge(VERIFY_STD_SEED, &x);
    assert_int_equal(r.worst, 40);
    assert_int_equal(r.n_wrong, 4);
    assert_true(isnan(r.worst_got));
    data_free(&x);
}

/* What computed values on the edge between two integers become: anything from one to the other, under the ecosystem standard's truth. */
static void test_integers_between(void **state) {
    (void)state;
    const int64_t golden[] = {5, 7, -3}, low[] = {4, 7, INT64_MIN}, high[] = {5, 7, INT64_MAX};
    static const struct {
        int32_t actual[3];
        size_t n_wrong;
    } CASES[] = {{{5, 7, -3}, 0}, {{4, 7, INT32_MAX}, 0}, {{3, 7, 0}, 1}, {{6, 8, 0}, 2}};
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        CompareInput in = {.dtype = DTYPE_I32, .n = 3, .golden = golden, .actual = CASES[c].actual, .low = low, .high = high};
        CompareResult r;
        compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
        assert_int_equal(r.n_wrong, CASES[c].n_wrong);
        assert_true(r.pass == !CASES[c].n_wrong);
    }
}

/* An index into computed values: two of the largest of each row of 4, for 2 columns, (2, 4, 2). */
static void test_picks(void **state) {
    (void)state;
    const double near = 1 + 0x1p-14, nan = (double)NAN;
    const double values[] = {1, 5, near, 5, 9, 3, 0, nan, 2, 8, 2, 7, 2.1, 7, 1, 6};
    const int64_t golden[] = {2, 3, 1, 0, 2, 0, 0, 1}; /* (2, 2, 2) */
    static const struct {
        int64_t actual[8];
        size_t n_wrong;
    } CASES[] = {
        {{2, 3, 1, 0, 2, 0, 0, 1}, 0},  /* the very same */
        {{2, 3, 1, 1, 2, 0, 0, 1}, 0},  /* 5 for 5 */
        {{2, 3, 0, 0, 2, 0, 0, 1}, 0},  /* 1 for 1 + 2^-14 */
        {{2, 3, 1, 0, 2, 0, 0, 2}, 0},  /* 7 for 7 in the second row */
        {{2, 3, 1, 0, 0, 0, 0, 1}, 1},  /* 2 for 2.1 */
        {{2, 3, 1, 0, 2, 0, 0, 4}, 1},  /* outside */
        {{2, 3, 1, 0, 2, 0, -1, 1}, 1}, /* before */
        {{2, 2, 1, 0, 2, 0, 0, 1}, 1},  /* a number for NaN */
        {{2, 1, 1, 1, 2, 0, 0, 1}, 2},  /* a number for NaN, and one that comes twice */
    };
    for (size_t c = 0; c < sizeof CASES / sizeof CASES[0]; c++) {
        CompareInput in = {.dtype = DTYPE_I64, .n = 8, .golden = golden, .actual = CASES[c].actual, .values = values, .pick_n = 4, .pick_k = 2, .pick_inner = 2};
        CompareResult r;
        compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
        assert_int_equal(r.n_wrong, CASES[c].n_wrong);
    }
}

/* Integers and bool are exact under every standard; int64 beyond 2^53 too. */
static void test_integers(void **state) {
    (void)state;
    const int64_t big = INT64_C(9007199254740993);
    int64_t golden[] = {1, -7, big, 0}, actual[] = {1, -7, big, 0};
    for (int s = VERIFY_STD_SEED; s <= VERIFY_STD_ECOSYSTEM; s++) {
        CompareInput in = {.dtype = DTYPE_I64, .n = 4, .golden = golden, .eager = golden, .actual = actual};
        CompareResult r;
        compare_output((VerifyStandard)s, &in, &r);
        assert_true(r.pass);
        actual[2] = big - 1;
        compare_output((VerifyStandard)s, &in, &r);
        assert_false(r.pass);
        assert_int_equal(r.worst, 2);
        actual[2] = big;
        in.golden = NULL; /* the reference's own integers are as good */
        in.actual = golden;
        compare_output((VerifyStandard)s, &in, &r);
        assert_true(r.pass);
    }
#define CHECK_TYPE(D, C, lo, hi)                                                                             \
    do {                                                                                                     \
        C got[] = {(C)(lo), (C)(hi), 1};                                                                     \
        int64_t want[] = {(int64_t)(lo), (int64_t)(hi), 1};                                                  \
        CompareInput in = {.dtype = D, .n = 3, .golden = want, .actual = got};                               \
        CompareResult r;                                                                                     \
        compare_output(VERIFY_STD_SEED, &in, &r);                                                            \
        assert_true(r.pass);                                                                                 \
        got[1] = (C)(got[1] - 1);                                                                            \
        compare_output(VERIFY_STD_SEED, &in, &r);                                                            \
        assert_true(!r.pass && r.n_wrong == 1 && r.first_wrong == 1 && r.max_abs == 1);                      \
    } while (0)
    CHECK_TYPE(DTYPE_I8, int8_t, -128, 127);
    CHECK_TYPE(DTYPE_I16, int16_t, -32768, 32767);
    CHECK_TYPE(DTYPE_I32, int32_t, -2147483647, 2147483647);
    CHECK_TYPE(DTYPE_U8, uint8_t, 0, 255);
    CHECK_TYPE(DTYPE_U16, uint16_t, 0, 65535);
    CHECK_TYPE(DTYPE_U32, uint32_t, 0, 4294967295u);
    uint8_t bools[] = {0, 1, 2};
    int64_t want[] = {0, 1, 1};
    CompareInput in = {.dtype = DTYPE_BOOL, .n = 3, .golden = want, .actual = bools};
    CompareResult r;
    compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
    assert_int_equal(r.n_wrong, 1); /* a byte of 2 is no bool */
    in.n = 2;
    compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
    assert_true(r.pass);
    in.n = 0;
    compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
    assert_true(r.pass);
    /* Indices of computed numbers: as in float64 or as in the own dtype, nothing else. */
    const int64_t exact[] = {2856, 3, 7}, own[] = {964, 3, 9};
    int64_t got[] = {964, 3, 7};
    in = (CompareInput){.dtype = DTYPE_I64, .n = 3, .golden = exact, .eager = own, .actual = got};
    compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
    assert_true(r.pass);
    got[2] = 8;
    compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
    assert_true(!r.pass && r.n_wrong == 1 && r.worst == 2);
}

static void test_bit_exact(void **state) {
    (void)state;
    const double nan = (double)NAN;
    const One cases[] = {
        {DTYPE_F32, 0.1, 0, (double)0.1f, true, "exact"},
        {DTYPE_F32, 0.1, 0, (double)nextafterf(0.1f, 1), false, "exact"},
        {DTYPE_F32, 0.0, 0, -0.0, false, "exact"},
        {DTYPE_F16, nan, nan, nan, true, "exact"},
        {DTYPE_F16, 1, 1, nan, false, "exact"},
        {DTYPE_BF16, 1.001, 1, 1, true, "exact"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Data x;
        data_init(&x, cases[i].d, 1);
        set(&x, 0, cases[i].golden, cases[i].eager, cases[i].actual);
        CompareInput in = {
            .dtype = x.d, .n = 1, .golden = x.golden, .actual = x.actual_bits, .has_threshold = true};
        CompareResult r;
        compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
        assert_int_equal(r.pass, cases[i].pass);
        data_free(&x);
    }
}

/* The truth is rounded once, from double, to nearest even: every half, every boundary, and random doubles. */
static void test_rounding(void **state) {
    (void)state;
    unsigned seed = 3;
    for (size_t f = 0; f < 3; f++)
        for (int i = 0; i < 200000; i++) {
            double v = i < 65536 ? f16_to_f32((uint16_t)i) * (i % 3 ? 1.0 : 1.00048828125)
                                 : ldexp(uniform(&seed) - 0.5, (int)(80 * uniform(&seed)) - 40);
            if (i % 7 == 0) v += ldexp(v, -11);
            unsigned char cell[8] = {0};
            dtype_store(FLOATS[f], cell, 0, v);
            CompareInput in = {
                .dtype = FLOATS[f], .n = 1, .golden = &v, .actual = cell, .has_threshold = true};
            CompareResult r;
            compare_output(VERIFY_STD_ECOSYSTEM, &in, &r);
            if (!r.pass)
                print_message("dtype %zu, value %a: got %a, rounded %a\n", f, v, r.worst_got,
                              r.worst_expected);
            assert_true(r.pass);
        }
}

static void test_names(void **state) {
    (void)state;
    VerifyStandard s;
    Err err = {0};
    assert_true(verify_standard_find("ecosystem", &s, &err) && s == VERIFY_STD_ECOSYSTEM);
    assert_false(verify_standard_find("strict", &s, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_string_equal(verify_standard_name(VERIFY_STD_SEED), "seed");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),   cmocka_unit_test(test_branches), cmocka_unit_test(test_own_overflow), cmocka_unit_test(test_counts),
        cmocka_unit_test(test_figures),  cmocka_unit_test(test_integers),
        cmocka_unit_test(test_integers_between), cmocka_unit_test(test_picks), cmocka_unit_test(test_bit_exact),
        cmocka_unit_test(test_rounding), cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
