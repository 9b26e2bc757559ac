/* The instructions without an element expression, the copies, mask modes, validity and the meeting of cores. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

static uint8_t out[65536];
static float in_f[4096];
static uint16_t in_h[4096];

static void put(uint32_t addr, const void *data, uint32_t n_bytes)
{
    OwLocal t = ub_at(addr, n_bytes);
    for (uint32_t i = 0; i < n_bytes; i++) ow_local_set(OW_U8, &t, i, ((const uint8_t *)data)[i], AT);
}
static void take(uint32_t addr, uint32_t n_bytes)
{
    OwLocal t = ub_at(addr, n_bytes);
    memcpy(out, ow_local_host(&t), n_bytes);
}
static OwRepeat rep(uint64_t mask, uint32_t repeat)
{
    return (OwRepeat){.mask_count = mask, .set_mask = 1, .repeat = repeat, .dst_blk = 1, .src_blk = {1, 1}, .dst_rep = 8, .src_rep = {8, 8}};
}
static const float *of(void)
{
    return (const float *)out;
}

/* ---- compare and select -------------------------------------------------------------------------------------------- */

static uint32_t cmp_mode;
static bool cmp_scalar, cmp_half;
static void compare_body(void *const *args)
{
    (void)args;
    OwLocal d = ub_at(0, 256), a = ub_at(4096, 4096), b = ub_at(8192, 4096);
    uint32_t type = cmp_half ? OW_F16 : OW_F32;
    uint64_t scalar = cmp_half ? f16_from_f32(2.0f) : 0x40000000;
    put(4096, cmp_half ? (const void *)in_h : in_f, cmp_half ? 512 : 1024);
    put(8192, cmp_half ? (const void *)(in_h + 256) : in_f + 256, cmp_half ? 512 : 1024);
    ow_vec_n(cmp_scalar ? "Compares" : "Compare", OW_TYPES(OW_U8, type), &d, &a, cmp_scalar ? NULL : &b, scalar, cmp_mode, 256, AT);
    take(0, 32);
}

static bool holds(float a, float b, uint32_t mode)
{
    switch (mode) {
    case CMP_LT: return a < b;
    case CMP_GT: return a > b;
    case CMP_EQ: return a == b;
    case CMP_LE: return a <= b;
    case CMP_GE: return a >= b;
    default: return a != b;
    }
}

static void compare_gives_bits_low_first(void **state)
{
    (void)state;
    Sim *s = new_sim();
    for (int i = 0; i < 512; i++) {
        in_f[i] = (float)(i * 7 % 5);
        if (i % 50 == 3) in_f[i] = NAN;
        in_h[i] = f16_from_f32(in_f[i]);
    }
    for (int k = 0; k < 4; k++)
        for (cmp_mode = 0; cmp_mode < CMP_COUNT; cmp_mode++) {
            cmp_scalar = k & 1, cmp_half = k & 2;
            run(s, compare_body);
            for (int i = 0; i < 256; i++) assert_int_equal(out[i / 8] >> (i % 8) & 1, holds(in_f[i], cmp_scalar ? 2.0f : in_f[256 + i], cmp_mode));
        }
    expect_clean(s);
    sim_free(s);
}

static uint32_t sel_mode, sel_n;
static bool sel_repeat, sel_half;
static void select_body(void *const *args)
{
    (void)args;
    static const uint8_t bits[32] = {0x35, 0xff, 0x00, 0x80, 0x01, 0x5a, 0xa5, 0x77, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x81};
    OwLocal d = ub_at(0, 1024), sel = ub_at(1024, 32), a = ub_at(4096, 2048), b = ub_at(8192, 2048);
    uint32_t type = sel_half ? OW_F16 : OW_F32;
    put(1024, bits, 32);
    put(4096, sel_half ? (const void *)in_h : in_f, 512);
    put(8192, sel_half ? (const void *)(in_h + 512) : in_f + 512, 512);
    OwRepeat r = rep(sel_half ? 128 : 64, 2);
    uint64_t scalar = sel_half ? f16_from_f32(-3.0f) : 0xc0400000;
    ow_select(type, &d, &sel, &a, sel_mode == 1 ? NULL : &b, scalar, sel_mode, sel_n, sel_repeat ? &r : NULL, AT);
    take(0, 512);
}

static void select_takes_a_where_the_bit_is_set(void **state)
{
    (void)state;
    static const uint8_t bits[32] = {0x35, 0xff, 0x00, 0x80, 0x01, 0x5a, 0xa5, 0x77, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70, 0x81};
    Sim *s = new_sim();
    for (int i = 0; i < 1024; i++) in_f[i] = (float)i, in_h[i] = f16_from_f32((float)i);
    for (int k = 0; k < 4; k++)
        for (sel_mode = 0; sel_mode < 3; sel_mode++) {
            sel_half = k & 1, sel_repeat = k & 2;
            uint32_t lanes = sel_half ? 128 : 64;
            sel_n = sel_repeat ? 2 * lanes : 77;
            run(s, select_body);
            for (uint32_t i = 0; i < sel_n; i++) {
                uint32_t bit = sel_mode == 0 ? i % lanes : i;
                float want = bits[bit / 8] >> (bit % 8) & 1 ? (float)i : sel_mode == 1 ? -3.0f : (float)(512 + i);
                float got = sel_half ? f16_to_f32(((uint16_t *)out)[i]) : of()[i];
                assert_true(got == want);
            }
        }
    expect_clean(s);
    sim_free(s);
}

/* Lanes a padded tile left unwritten do not spoil the others, nor reach the output when only the others are stored. */
static float z[256];
static void padded_tail_body(void *const *args)
{
    OwLocal a = ub_at(4096, 1024), bits = ub_at(0, 64), d = ub_at(8192, 1024);
    (void)args;
    put(4096, in_f, 100 * 4);
    ow_vec_n("Compares", OW_TYPES(OW_U8, OW_F32), &bits, &a, NULL, 0, CMP_GT, 128, AT);
    /* 16-bit words of the mask, half of the last one junk: bytes do not mix */
    ow_vec_n("And", OW_TYPES(OW_U16, OW_U16), &bits, &bits, &bits, 0, 0, 8, AT);
    ow_select(OW_F32, &d, &bits, &a, NULL, 0, 1, 128, NULL, AT);
    OwGlobal g = {args[0], 1};
    OwPad p = {.count = 1, .len_bytes = 400, .ext = 1};
    ow_copy_pad(OW_F32, 1, &g, &d, &p, AT);
}

static void junk_beyond_the_tail_is_no_finding(void **state)
{
    (void)state;
    Sim *s = new_sim();
    SimGm gm = {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = 400};
    run_gm(s, padded_tail_body, &gm, 1, 1);
    expect_clean(s);
    sim_free(s);
}

static void junk_stored_body(void *const *args)
{
    OwLocal a = ub_at(4096, 1024), d = ub_at(8192, 1024);
    put(4096, in_f, 100 * 4);
    ow_vec_n("Adds", OW_TYPES(OW_F32, OW_F32), &d, &a, NULL, 0, 0, 128, AT); /* lanes 100.. read nothing anyone wrote */
    OwGlobal g = {args[0], 1};
    OwPad p = {.count = 1, .len_bytes = 404, .ext = 1};
    ow_copy_pad(OW_F32, 1, &g, &d, &p, AT);
}

static void junk_that_is_stored_is_named(void **state)
{
    (void)state;
    Sim *s = new_sim();
    SimGm gm = {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = 404};
    run_gm(s, junk_stored_body, &gm, 1, 1);
    assert_int_equal(sim_n_findings(s), 1);
    assert_string_equal(sim_finding(s, 0)->text, "bytes 400..403 of z are written from local memory that nothing wrote (4 bytes in all)");
    assert_true(isnan(z[100]));
    sim_free(s);
}

/* ---- moving ---------------------------------------------------------------------------------------------------------- */

static void moves_body(void *const *args)
{
    (void)args;
    OwLocal d = ub_at(0, 8192), s = ub_at(16384, 4096), o = ub_at(20480, 256);
    uint32_t offsets[16];
    for (uint32_t i = 0; i < 16; i++) offsets[i] = (15 - i) * 8;
    put(16384, in_f, 1024);
    put(20480, offsets, 64);
    ow_gather(OW_F32, &d, &s, &o, 4, 16, NULL, AT);
    take(0, 64);
    memcpy(out + 1024, out, 64);
    OwRepeat r = rep(0, 2);
    ow_brcb(OW_F32, &d, &s, &r, AT);
    take(0, 512);
    memcpy(out + 2048, out, 512);
    OwLocal e = ub_at(24576, 1024);
    ow_index(OW_I32, &e, (uint64_t)(uint32_t)-5, 100, NULL, AT);
    take(24576, 400);
}

static void gather_brcb_and_index(void **state)
{
    (void)state;
    Sim *s = new_sim();
    for (int i = 0; i < 256; i++) in_f[i] = (float)i;
    run(s, moves_body);
    expect_clean(s);
    for (int i = 0; i < 16; i++) assert_true(((float *)(out + 1024))[i] == (float)((15 - i) * 2 + 1));
    for (int i = 0; i < 128; i++) assert_true(((float *)(out + 2048))[i] == (float)(i / 8));
    for (int i = 0; i < 100; i++) assert_int_equal(((int32_t *)out)[i], i - 5);
    sim_free(s);
}

static void counter_body(void *const *args)
{
    (void)args;
    OwLocal d = ub_at(0, 1024), s = ub_at(4096, 1024);
    put(0, in_f, 1024);
    put(4096, in_f, 1024);
    OwRepeat r = rep(0, 1);
    r.set_mask = 0;
    ow_mask_mode(1, AT);
    ow_mask_len(OW_F32, 1, 100, AT);
    ow_vec_r("Adds", OW_TYPES(OW_F32, OW_F32), &d, &s, NULL, 0x3f800000, 0, &r, AT); /* repeat 1 is ignored */
    ow_mask_mode(0, AT);
    ow_mask_len(OW_F32, 0, 3, AT);
    r.repeat = 2;
    ow_vec_r("Adds", OW_TYPES(OW_F32, OW_F32), &d, &d, NULL, 0x42c80000, 0, &r, AT); /* 3 lanes of 2 repeats */
    take(0, 1024);
}

static void mask_register_modes(void **state)
{
    (void)state;
    Sim *s = new_sim();
    for (int i = 0; i < 256; i++) in_f[i] = (float)i;
    run(s, counter_body);
    expect_clean(s);
    for (int i = 0; i < 256; i++) assert_true(of()[i] == (float)i + (i < 100 ? 1 : 0) + (i % 64 < 3 && i < 128 ? 100 : 0));
    sim_free(s);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

static float x[64], w[64];
static void padded_load_body(void *const *args)
{
    OwLocal d = ub_at(0, 1024), e = ub_at(1024, 1024);
    OwGlobal g = {args[0], 1};
    OwPad p = {.count = 3, .len_bytes = 12, .src_gap = 4, .dst_gap = 1, .ext = 1};
    ow_copy_pad(OW_F32, 0, &g, &d, &p, AT);
    OwPad q = {.count = 1, .len_bytes = 12, .is_pad = 1, .left = 2, .right = 1, .value = 0x40e00000, .ext = 1};
    ow_copy_pad(OW_F32, 0, &g, &e, &q, AT);
    take(0, 160);
    memcpy(out + 1024, out, 160);
    take(1024, 32);
    OwGlobal h = {args[1], 2};
    OwPad back = {.count = 2, .len_bytes = 12, .src_gap = 1, .dst_gap = 8, .ext = 1};
    ow_copy_pad(OW_F32, 1, &h, &d, &back, AT);
    OwLocal f = ub_at(4096, 256);
    ow_copy_blocks(OW_F32, 0, &g, &f, 2, 1, 1, 2, AT); /* block 0 to 0, block 2 to 3 */
    OwLocal k = ub_at(8192, 256);
    ow_copy_local_blocks(OW_F32, &k, &f, 2, 1, 2, 0, AT);
    take(8192, 64);
    memcpy(out + 2048, out, 64);
    take(1024, 32);
}

static void padding_strides_and_dummies(void **state)
{
    (void)state;
    Sim *s = new_sim();
    for (int i = 0; i < 64; i++) x[i] = (float)(i + 1), w[i] = -1.0f;
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = sizeof x},
                        {.name = "w", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_F32, .data = w, .n_bytes = sizeof w}};
    run_gm(s, padded_load_body, gm, 2, 1);
    expect_clean(s);
    const float *d = (const float *)(out + 1024);
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < 8; i++) assert_true(d[r * 16 + i] == (float)(r * 4 + (i < 3 ? i : 0) + 1));
    const float left_right[8] = {7, 7, 1, 2, 3, 7, 7, 7};
    assert_memory_equal(out, left_right, 32);
    for (int i = 0; i < 3; i++) assert_true(w[i] == x[i] && w[5 + i] == x[4 + i]);
    assert_true(w[3] == -1.0f && w[4] == -1.0f && w[8] == -1.0f);
    const float *k = (const float *)(out + 2048);
    for (int i = 0; i < 8; i++) assert_true(k[i] == x[i] && k[8 + i] == x[16 + i]);
    sim_free(s);
}

static float acc[8];
static void atomic_body(void *const *args)
{
    OwLocal t = ub_at(0, 32);
    ow_vec_n("Duplicate", OW_TYPES(OW_F32, OW_F32), &t, NULL, NULL, 0x3f800000, 0, 8, AT);
    OwGlobal g = {args[0], 1};
    ow_atomic(1, OW_F32, AT);
    ow_copy_n(OW_F32, 1, &g, &t, 8, AT);
    ow_atomic(0, OW_F32, AT);
}

static void atomic_add_over_blocks(void **state)
{
    (void)state;
    Sim *s = new_sim();
    memset(acc, 0, sizeof acc);
    SimGm gm = {.name = "acc", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = acc, .n_bytes = sizeof acc, .initialised = true};
    run_gm(s, atomic_body, &gm, 1, 100);
    expect_clean(s);
    for (int i = 0; i < 8; i++) assert_true(acc[i] == 100.0f);
    sim_free(s);
}

static void in_place_body(void *const *args)
{
    OwLocal t = ub_at(0, 32);
    OwGlobal in = {args[0], ow_gm_bind(args[0], AT)}, result = {args[1], ow_gm_bind(args[1], AT)};
    ow_copy_n(OW_F32, 0, &in, &t, 8, AT);
    ow_vec_n("Adds", OW_TYPES(OW_F32, OW_F32), &t, &t, NULL, 0x3f800000, 0, 7, AT);
    ow_copy_n(OW_F32, 1, &result, &t, 8, AT);
    *(float *)ow_gm_ref(OW_F32, &result, 7, AT) = 5.0f;
}

static void input_and_output_may_be_one(void **state)
{
    (void)state;
    Sim *s = new_sim();
    for (int i = 0; i < 8; i++) acc[i] = (float)i;
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = acc, .n_bytes = sizeof acc},
                        {.name = "x_ref", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = acc, .n_bytes = sizeof acc}};
    run_gm(s, in_place_body, gm, 2, 1);
    expect_clean(s);
    for (int i = 0; i < 7; i++) assert_true(acc[i] == (float)(i + 1));
    assert_true(acc[7] == 5.0f);
    sim_free(s);
}

/* ---- reductions ---------------------------------------------------------------------------------------------------------- */

static void reduce_body(void *const *args)
{
    (void)args;
    OwLocal d = ub_at(0, 256), s = ub_at(4096, 4096), t = ub_at(16384, 1024);
    put(4096, in_f, 4000);
    ow_reduce_all("ReduceSum", OW_F32, 0, &d, &s, &t, 0, 1, 1000, NULL, AT);
    OwLocal d2 = ub_at(32, 32), d3 = ub_at(64, 64), d4 = ub_at(128, 128);
    ow_reduce_all("ReduceMax", OW_F32, 1, &d2, &s, &t, 1, 1, 1000, NULL, AT);
    OwRepeat r = rep(64, 4);
    r.dst_rep = 1;
    ow_reduce_rep("WholeReduceMin", OW_F32, 2, 0, &d3, &s, 0, &r, AT);
    ow_reduce_rep("BlockReduceSum", OW_F32, 0, 1, &d4, &s, 0, &r, AT);
    take(0, 256);
}

static void reductions(void **state)
{
    (void)state;
    Sim *s = new_sim();
    double sum = 0;
    for (int i = 0; i < 1000; i++) in_f[i] = (float)((i * 37) % 101) - 50.0f, sum += (double)in_f[i];
    run(s, reduce_body);
    expect_clean(s);
    assert_true((double)of()[0] == sum);
    int best = 0;
    for (int i = 1; i < 1000; i++)
        if (in_f[i] > in_f[best]) best = i;
    assert_true(of()[8] == in_f[best]);
    assert_int_equal(((uint32_t *)out)[9], best);
    for (int r = 0; r < 4; r++) {
        int low = 0;
        for (int i = 1; i < 64; i++)
            if (in_f[r * 64 + i] < in_f[r * 64 + low]) low = i;
        assert_true(of()[16 + 2 * r] == in_f[r * 64 + low]);
        assert_int_equal(((uint32_t *)out)[17 + 2 * r], low);
        for (int b = 0; b < 8; b++) {
            float want = 0;
            for (int i = 0; i < 8; i++) want += in_f[r * 64 + b * 8 + i];
            assert_true(of()[32 + r * 8 + b] == want);
        }
    }
    sim_free(s);
}

/* ---- cores -------------------------------------------------------------------------------------------------------------- */

enum { APART = 16 }; /* floats of a cache line */
static float slots[40 * APART];
static void meet_body(void *const *args)
{
    OwGlobal g = {args[0], 1};
    uint64_t n = (uint64_t)ow_block_num(), me = (uint64_t)ow_block_idx();
    ow_gm_set(OW_F32, &g, me * APART, 0x3f800000, AT);
    ow_sync_all(NULL, NULL, 0, AT);
    float total = 0; /* every block sees what all wrote before the meeting */
    for (uint64_t i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)ow_gm_get(OW_F32, &g, i * APART, AT);
        float v;
        memcpy(&v, &bits, 4);
        total += v;
    }
    uint32_t bits;
    memcpy(&bits, &total, 4);
    ow_sync_all(NULL, NULL, 0, AT);
    ow_gm_set(OW_F32, &g, me * APART, bits, AT);
}
static void meet_some_body(void *const *args)
{
    (void)args;
    if (ow_block_idx() != 3) ow_sync_all(NULL, NULL, 0, AT);
}

static void cores_meet(void **state)
{
    (void)state;
    Sim *s = new_sim();
    SimGm gm = {.name = "slots", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = slots, .n_bytes = sizeof slots, .initialised = true};
    run_gm(s, meet_body, &gm, 1, 40);
    expect_clean(s);
    for (int i = 0; i < 40; i++) assert_true(slots[i * APART] == 40.0f);
    run(s, meet_some_body);
    expect_clean(s);
    run_gm(s, meet_some_body, NULL, 0, 8);
    assert_non_null(find_check(s, "sync-all-missing"));
    sim_reset(s);
    run_gm(s, meet_some_body, NULL, 0, 41);
    assert_non_null(find_check(s, "sync-all-blocks"));
    sim_free(s);
}

/* A tensor that starts past the end of UB: every access is named and skipped, the next block starts clean. */
static void past_the_end_body(void *const *args)
{
    (void)args;
    OwLocal far = ub_at(196608 + 4096, 1024), half = ub_at(196608 - 512, 1024), ok = ub_at(0, 1024);
    ow_vec_n("Duplicate", OW_TYPES(OW_F32, OW_F32), &ok, NULL, NULL, 0, 0, 256, AT);
    ow_vec_n("Duplicate", OW_TYPES(OW_F32, OW_F32), &far, NULL, NULL, 0, 0, 256, AT);
    ow_vec_n("Adds", OW_TYPES(OW_F32, OW_F32), &half, &ok, NULL, 0, 0, 256, AT);
    OwGlobal g = {args[0], 1};
    OwPad p = {.count = 1, .len_bytes = 1000, .ext = 1};
    ow_copy_pad(OW_F32, 0, &g, &far, &p, AT);
    ow_copy_n(OW_F32, 0, &g, &far, 256, AT);
    ow_local_set(OW_F32, &far, 3, 0, AT);
}

static void memory_past_the_end_of_ub_is_never_touched(void **state)
{
    (void)state;
    Sim *s = new_sim();
    static float in[256];
    SimGm gm = {.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = in, .n_bytes = sizeof in};
    run_gm(s, past_the_end_body, &gm, 1, 100);
    assert_non_null(find_check(s, "ub-past-end"));
    sim_free(s);
}

static void count_body(void *const *args)
{
    OwGlobal g = {args[0], 1};
    ow_gm_set(OW_F32, &g, (uint64_t)ow_block_idx() * APART, 0x3f800000, AT);
    OwLocal t = ub_at(0, 64);
    if (ow_block_idx() > 0) ow_local_get(OW_F32, &t, 0, AT); /* nothing of the block before is left */
    ow_local_set(OW_F32, &t, 0, 0, AT);
}

static void blocks_beyond_the_cores_run_in_waves(void **state)
{
    (void)state;
    Sim *s = new_sim();
    static float many[100 * APART];
    SimGm gm = {.name = "many", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = many, .n_bytes = sizeof many, .initialised = true};
    run_gm(s, count_body, &gm, 1, 100);
    assert_int_equal(sim_n_findings(s), 1);
    assert_int_equal(find_check(s, "uninitialised-scalar")->count, 99);
    for (int i = 0; i < 100; i++) assert_true(many[i * APART] == 1.0f);
    sim_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compare_gives_bits_low_first), cmocka_unit_test(select_takes_a_where_the_bit_is_set),
        cmocka_unit_test(junk_beyond_the_tail_is_no_finding), cmocka_unit_test(junk_that_is_stored_is_named),
        cmocka_unit_test(gather_brcb_and_index), cmocka_unit_test(mask_register_modes),
        cmocka_unit_test(padding_strides_and_dummies), cmocka_unit_test(atomic_add_over_blocks),
        cmocka_unit_test(input_and_output_may_be_one),
        cmocka_unit_test(reductions), cmocka_unit_test(cores_meet), cmocka_unit_test(blocks_beyond_the_cores_run_in_waves),
        cmocka_unit_test(memory_past_the_end_of_ub_is_never_touched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
