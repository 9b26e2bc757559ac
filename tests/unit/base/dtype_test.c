/* The 16-bit float conversions against the compiler's own _Float16-free reference: bit-by-bit search. */
#include "base/dtype.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* Value of a 16-bit float pattern, from the definition of the format. */
static double value_of(uint16_t bits, int man_bits, int bias) {
    int exp_bits = 15 - man_bits;
    int e = (bits >> man_bits) & ((1 << exp_bits) - 1);
    int m = bits & ((1 << man_bits) - 1);
    double sign = bits & 0x8000 ? -1.0 : 1.0;
    if (e == (1 << exp_bits) - 1) return m ? (double)NAN : sign * (double)INFINITY;
    if (e == 0) return sign * ldexp(m, 1 - bias - man_bits);
    return sign * ldexp((1 << man_bits) + m, e - bias - man_bits);
}

static void every_half_value_reads_back(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        double want = value_of((uint16_t)h, 10, 15);
        float got = f16_to_f32((uint16_t)h);
        if (isnan(want)) {
            assert_true(isnan(got));
            assert_true(isnan(f16_to_f32(f16_from_f32(got))));
            continue;
        }
        assert_true((double)got == want);
        assert_int_equal(f16_from_f32(got), h);
        assert_int_equal(f16_from_f64(want), h);
    }
}

static void every_bfloat_value_reads_back(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        double want = value_of((uint16_t)h, 7, 127);
        float got = bf16_to_f32((uint16_t)h);
        if (isnan(want)) {
            assert_true(isnan(got) && isnan(bf16_to_f32(bf16_from_f32(got))));
            continue;
        }
        assert_true((double)got == want);
        assert_int_equal(bf16_from_f32(got), h);
        assert_int_equal(bf16_from_f64(want), h);
    }
}

/* Between two neighbouring halves: below the middle goes down, above goes up, the middle goes to the even
 * one. */
static void half_rounds_to_nearest_even(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 0x7bff; h++) {
        double lo = value_of((uint16_t)h, 10, 15), hi = value_of((uint16_t)(h + 1), 10, 15),
               mid = (lo + hi) / 2;
        assert_int_equal(f16_from_f64(nextafter(mid, lo)), h);
        assert_int_equal(f16_from_f64(nextafter(mid, hi)), h + 1);
        assert_int_equal(f16_from_f64(mid), h % 2 ? h + 1 : h);
        assert_int_equal(f16_from_f32((float)mid), h % 2 ? h + 1 : h);
        assert_int_equal(f16_from_f64(-mid), 0x8000u | (h % 2 ? h + 1 : h));
    }
    assert_int_equal(f16_from_f64(65519.9), 0x7bff);
    assert_int_equal(f16_from_f64(65520.0), 0x7c00);
    assert_int_equal(bf16_from_f64(3.4e38), 0x7f80);
}

static void load_and_store_every_type(void **state) {
    (void)state;
    for (int t = 0; t < DTYPE_COUNT; t++) {
        _Alignas(8) unsigned char buf[32] = {0};
        dtype_store((DType)t, buf, 1, 1.0);
        assert_true(dtype_load((DType)t, buf, 1) == 1.0);
        assert_true(dtype_load((DType)t, buf, 0) == 0.0);
    }
}

static void names_are_found_in_every_spelling(void **state) {
    (void)state;
    static const struct {
        const char *name;
        DType want;
    } rows[] = {{"float16", DTYPE_F16},     {"half", DTYPE_F16},         {"fp16", DTYPE_F16},
                {"DT_FLOAT16", DTYPE_F16},  {"ge::DT_BF16", DTYPE_BF16}, {"float", DTYPE_F32},
                {"torch.int64", DTYPE_I64}, {"bool", DTYPE_BOOL},        {"bf16", DTYPE_BF16},
                {"int32_t", DTYPE_I32}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        DType t;
        assert_true(dtype_find(rows[i].name, &t));
        assert_int_equal(t, rows[i].want);
    }
    DType t;
    assert_false(dtype_find("floaty", &t));
    assert_false(dtype_find("", &t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_value_reads_back),       cmocka_unit_test(every_bfloat_value_reads_back),
        cmocka_unit_test(half_rounds_to_nearest_even),       cmocka_unit_test(load_and_store_every_type),
        cmocka_unit_test(names_are_found_in_every_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
