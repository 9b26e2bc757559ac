/* Cast: every pair of cast.def in every mode it takes, against a reference that picks between the two neighbours of the
 * exact value; modes and pairs that do not exist leave the destination alone and say so. */
#include "harness.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>

enum { N = 4096, DST = 0, SRC = 65536 };

static struct {
    DType dt, st;
    uint32_t mode;
    _Alignas(8) uint8_t src[N * 8], dst[N * 8];
    bool deq;
} now;

static void body(void *const *args)
{
    (void)args;
    OwLocal d = ub_at(DST, 65536), s = ub_at(SRC, 65536);
    size_t ds = dtype_info(now.dt)->size_bytes, ss = dtype_info(now.st)->size_bytes;
    memcpy(ow_local_host(&s), now.src, N * ss);
    memcpy(ow_local_host(&d), now.dst, N * ds);
    if (now.deq) ow_deq_scale(0x3800, AT); /* 0.5 */
    ow_vec_n("Cast", OW_TYPES(now.dt, now.st), &d, &s, NULL, 0, now.mode, N, AT);
    memcpy(now.dst, ow_local_host(&d), N * ds);
}

/* Of two neighbours lo <= x <= hi, the one the mode takes; lo_even says whose last bit is 0. */
static double pick(double x, double lo, double hi, bool lo_even, uint32_t mode)
{
    if (lo == hi) return lo;
    switch (mode) {
    case ROUND_FLOOR: return lo;
    case ROUND_CEIL: return hi;
    case ROUND_TRUNC: return x < 0 ? hi : lo;
    case ROUND_ODD: return lo_even ? hi : lo;
    default: break;
    }
    double below = x - lo, above = hi - x;
    if (below != above) return below < above ? lo : hi;
    if (mode == ROUND_ROUND) return x < 0 ? lo : hi;
    return lo_even ? lo : hi;
}

/* Floats of 16 bits in order of value: index k of the non-negative ones is their bit pattern. Beyond the largest finite
 * value the grid goes on, as rounding sees it. */
static double grid16(DType t, uint32_t k)
{
    uint32_t inf = t == DTYPE_F16 ? 0x7c00 : 0x7f80;
    if (k < inf) return (double)(t == DTYPE_F16 ? f16_to_f32((uint16_t)k) : bf16_to_f32((uint16_t)k));
    return t == DTYPE_F16 ? 65536.0 : 0x1p128;
}

static double want_float16(DType t, double x, uint32_t mode)
{
    uint32_t inf = t == DTYPE_F16 ? 0x7c00 : 0x7f80, lo = 0, hi = inf;
    if (isnan(x)) return NAN;
    if (isinf(x)) return x;
    double m = fabs(x);
    uint32_t away = x < 0 ? (mode == ROUND_FLOOR ? ROUND_CEIL : mode == ROUND_CEIL ? ROUND_FLOOR : mode) : mode;
    double r;
    if (m >= grid16(t, inf)) {
        r = away == ROUND_FLOOR || away == ROUND_TRUNC || away == ROUND_ODD ? grid16(t, inf - 1) : INFINITY;
    } else {
        while (hi - lo > 1) {
            uint32_t mid = (lo + hi) / 2;
            if (grid16(t, mid) <= m) lo = mid;
            else hi = mid;
        }
        r = grid16(t, lo) == m ? m : pick(m, grid16(t, lo), grid16(t, hi), lo % 2 == 0, away);
        if (r == grid16(t, inf)) r = INFINITY;
    }
    return copysign(r, x);
}

static double want_integer(double x, uint32_t mode)
{
    double lo = floor(x), hi = ceil(x);
    return pick(x, lo, hi, fmod(lo, 2.0) == 0.0, mode);
}

static int64_t want_saturated(double x, uint32_t mode, int bits, bool is_signed)
{
    if (isnan(x)) return 0;
    double top = ldexp(1.0, is_signed ? bits - 1 : bits), r = isinf(x) ? x : want_integer(x, mode);
    if (r >= top) return bits == 64 ? INT64_MAX : (int64_t)top - 1;
    if (r < (is_signed ? -top : 0.0)) return is_signed ? (bits == 64 ? INT64_MIN : -(int64_t)top) : 0;
    return (int64_t)r;
}

static float want_int_to_f32(int64_t v, uint32_t mode)
{
    volatile int64_t in = v;
    fesetround(FE_DOWNWARD);
    volatile float lo = (float)in;
    fesetround(FE_UPWARD);
    volatile float hi = (float)in;
    fesetround(FE_TONEAREST);
    if (lo == hi) return lo;
    __int128 below = (__int128)v - (__int128)lo, above = (__int128)hi - (__int128)v;
    uint32_t bits;
    float flo = lo;
    memcpy(&bits, &flo, 4);
    switch (mode) {
    case ROUND_FLOOR: return lo;
    case ROUND_CEIL: return hi;
    case ROUND_TRUNC: return v < 0 ? hi : lo;
    default: break;
    }
    if (below != above) return below < above ? lo : hi;
    if (mode == ROUND_ROUND) return v < 0 ? lo : hi;
    return bits % 2 == 0 ? lo : hi;
}

static int64_t source_int(uint32_t i)
{
    switch (now.st) {
    case DTYPE_I8: return ((int8_t *)now.src)[i];
    case DTYPE_U8: return now.src[i];
    case DTYPE_I16: return ((int16_t *)now.src)[i];
    case DTYPE_I32: return ((int32_t *)now.src)[i];
    default: return ((int64_t *)now.src)[i];
    }
}

static void want(uint32_t i, void *out)
{
    const DTypeInfo *d = dtype_info(now.dt), *s = dtype_info(now.st);
    bool from_float = s->cls == DTYPE_CLASS_F;
    double x = from_float ? dtype_load(now.st, now.src, i) : 0.0;
    int64_t v = from_float ? 0 : source_int(i), r = 0;
    if (now.dt == DTYPE_F16 || now.dt == DTYPE_BF16) {
        if (!from_float) x = (double)v;
        if (now.st == DTYPE_I32) x = (double)((float)v * 0x1p-17f * 0.5f * 0x1p17f);
        dtype_store(now.dt, out, 0, want_float16(now.dt, x, now.st == DTYPE_I32 ? ROUND_RINT : now.mode));
        return;
    }
    if (now.dt == DTYPE_F32) {
        float f = !from_float ? want_int_to_f32(v, now.mode) : now.st == DTYPE_F32 && isfinite(x) ? (float)want_integer(x, now.mode) : (float)x;
        memcpy(out, &f, 4);
        return;
    }
    int bits = (int)d->size_bytes * 8;
    if (from_float) r = want_saturated(x, now.mode, bits, d->cls == DTYPE_CLASS_I);
    else r = bits >= 64 ? v : v >= ((int64_t)1 << (bits - 1)) ? ((int64_t)1 << (bits - 1)) - 1 : v < -((int64_t)1 << (bits - 1)) ? -((int64_t)1 << (bits - 1)) : v;
    memcpy(out, &r, d->size_bytes);
}

static void fill_sources(uint32_t round)
{
    static const float special[] = {0.0f, -0.0f, 0.5f, -0.5f, 1.5f, -1.5f, 2.5f, 127.5f, -128.5f, 255.5f, 32767.5f, 65504.0f, 65519.996f, 65520.0f, -65536.0f,
                                    2147483648.0f, -2147483648.0f, 4194304.5f, 9.3e18f, 1e30f, INFINITY, -INFINITY, NAN, 5.96e-8f, 2.9e-8f, 1e-45f, 3.3895e38f, 0.5001221f};
    size_t size = dtype_info(now.st)->size_bytes;
    for (uint32_t i = 0; i < N; i++) {
        uint64_t v = ((uint64_t)(uint32_t)rand() << 40) ^ ((uint64_t)(uint32_t)rand() << 20) ^ (uint64_t)(uint32_t)rand();
        if (size == 2) v = round * N + i; /* all 65536 patterns over the rounds */
        if (size == 8) v = (uint64_t)((int64_t)v >> (v % 63));
        if (size == 4 && now.st == DTYPE_I32) v = (uint32_t)((int32_t)v >> (v % 31));
        if (now.st == DTYPE_F32 && i % 3 == 0) {
            float f = i % 2 ? special[(i / 6) % (sizeof special / sizeof *special)] : (float)((int32_t)v >> 16) / 64.0f;
            memcpy(&v, &f, 4);
        }
        memcpy(now.src + i * size, &v, size);
    }
}

static void check_mode(Sim *s, uint32_t round)
{
    size_t size = dtype_info(now.dt)->size_bytes;
    fill_sources(round);
    memset(now.dst, 0x5a, sizeof now.dst);
    now.deq = now.dt == DTYPE_F16 && now.st == DTYPE_I32;
    run(s, body);
    expect_clean(s);
    for (uint32_t i = 0; i < N; i++) {
        _Alignas(8) uint8_t w[8] = {0};
        want(i, w);
        if (memcmp(w, now.dst + i * size, size) == 0) continue;
        bool is_float = dtype_info(now.dt)->cls == DTYPE_CLASS_F;
        double g = dtype_load(now.dt, now.dst, i), e = dtype_load(now.dt, w, 0);
        if (is_float && ((isnan(g) && isnan(e)) || (g == 0 && e == 0))) continue;
        print_error("%s <- %s %s: %.17g gives %.17g, want %.17g\n", dtype_info(now.dt)->cxx, dtype_info(now.st)->cxx, round_mode_name(now.mode),
                    dtype_load(now.st, now.src, i), g, e);
        fail();
    }
}

static void every_pair_every_mode(void **state)
{
    (void)state;
    Sim *s = new_sim();
    size_t n_pairs = 0;
    for (int d = 0; d < DTYPE_COUNT; d++)
        for (int t = 0; t < DTYPE_COUNT; t++) {
            uint32_t modes = cast_modes((DType)d, (DType)t);
            n_pairs += modes != 0;
            for (uint32_t m = 0; m < ROUND_COUNT; m++) {
                if (!(modes >> m & 1)) continue;
                now.dt = (DType)d, now.st = (DType)t, now.mode = m;
                for (uint32_t round = 0; round < (dtype_info(now.st)->size_bytes == 2 ? 16u : 2u); round++) check_mode(s, round);
            }
        }
    assert_int_equal(n_pairs, 23);
    sim_free(s);
}

static void a_mode_that_does_not_exist_does_nothing(void **state)
{
    (void)state;
    Sim *s = new_sim();
    now.dt = DTYPE_BF16, now.st = DTYPE_F32, now.mode = ROUND_NONE, now.deq = false;
    memset(now.dst, 0x5a, sizeof now.dst);
    run(s, body);
    const SimFinding *f = find_check(s, "cast-round-mode");
    assert_non_null(f);
    assert_non_null(strstr(f->text, "CAST_NONE"));
    for (size_t i = 0; i < N * 2; i++) assert_int_equal(now.dst[i], 0x5a);
    sim_free(s);
}

static void a_pair_the_chip_lacks_is_named(void **state)
{
    (void)state;
    Sim *s = new_sim();
    now.dt = DTYPE_I8, now.st = DTYPE_F32, now.mode = ROUND_RINT;
    run(s, body);
    assert_non_null(find_check(s, "dtype-not-supported"));
    sim_free(s);
}

static void without_a_scale_int_to_half_is_reported(void **state)
{
    (void)state;
    Sim *s = new_sim();
    now.dt = DTYPE_F16, now.st = DTYPE_I32, now.mode = ROUND_NONE, now.deq = false;
    run(s, body);
    assert_non_null(find_check(s, "deq-scale-not-set"));
    sim_free(s);
}

static uint16_t saturated[4];
static void saturating_body(void *const *args)
{
    (void)args;
    OwLocal d = ub_at(0, 64), s = ub_at(64, 64);
    const float in[4] = {1e30f, -INFINITY, NAN, 2.0f};
    memcpy(ow_local_host(&s), in, sizeof in);
    ow_ctrl_set("SetSaturationFlag", 48, 0, AT);
    ow_vec_n("Cast", OW_TYPES(DTYPE_F16, DTYPE_F32), &d, &s, NULL, 0, ROUND_NONE, 4, AT);
    memcpy(saturated, ow_local_host(&d), sizeof saturated);
}

static void saturation_mode_leaves_no_infinity(void **state)
{
    (void)state;
    Sim *s = new_sim();
    run(s, saturating_body);
    assert_int_equal(saturated[0], 0x7bff);
    assert_int_equal(saturated[1], 0xfbff);
    assert_int_equal(saturated[2], 0);
    assert_int_equal(saturated[3], 0x4000);
    sim_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_every_mode),
        cmocka_unit_test(a_mode_that_does_not_exist_does_nothing),
        cmocka_unit_test(a_pair_the_chip_lacks_is_named),
        cmocka_unit_test(without_a_scale_int_to_half_is_reported),
        cmocka_unit_test(saturation_mode_leaves_no_infinity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
