/* Every check of checks.def: one body that trips it, and one close to it that must not. */
#include "harness.h"
#include "pairs.h"

#include <stdlib.h>

enum { VECIN = 9, VECOUT = 10, VECCALC = 11, GM = 0, A1 = 1 };
enum { EV_V_S = 22, EV_MTE3_V = 6, EV_MTE2_V = 4 };
#define F32F32 OW_TYPES(OW_F32, OW_F32)

/* The launch every body gets: x, y inputs of 1000 floats, z output of 1000 floats, 4000 bytes each. */
static float x[1000], y[1000], z[1000];
static uint8_t tiling[8];

static OwGlobal gm(void *p)
{
    return (OwGlobal){p, ow_gm_bind(p, AT)};
}
static OwLocal tbuf(uint32_t bytes)
{
    OwLocal t;
    ow_tbuf_get("Get", ow_tbuf_init(VECCALC, bytes, AT), UINT32_MAX, 0, &t, AT);
    return t;
}
static void fill(OwLocal t, int64_t n)
{
    ow_vec_n("Duplicate", F32F32, &t, NULL, NULL, 0x3f800000, 0, n, AT);
}
static OwRepeat rep(uint64_t mask, uint32_t repeat)
{
    return (OwRepeat){.mask_count = mask, .set_mask = 1, .repeat = repeat, .dst_blk = 1, .src_blk = {1, 1}, .dst_rep = 8, .src_rep = {8, 8}};
}
static void pad_out(OwGlobal g, OwLocal t, uint32_t bytes)
{
    OwPad p = {.count = 1, .len_bytes = bytes, .ext = 1};
    ow_copy_pad(OW_F32, 1, &g, &t, &p, AT);
}
static void pad_in(OwLocal t, OwGlobal g, uint32_t bytes, uint32_t left)
{
    OwPad p = {.count = 1, .len_bytes = bytes, .ext = 1, .left = left, .is_pad = 1};
    ow_copy_pad(OW_F32, 0, &g, &t, &p, AT);
}
static void pipe_up(void)
{
    ow_pipe_init(NULL, AT);
}
static uint32_t que(uint32_t pos, uint32_t bufs)
{
    return ow_que_init(pos == VECIN ? GM : pos, pos == VECIN ? VECIN : GM, 1, bufs, 256, AT);
}
/* Writes all of z, so that nothing is said about it. */
static void write_z(void)
{
    OwLocal t = ub_at(0, 8192);
    fill(t, 1000);
    pad_out(gm(z), t, 4000);
}

#define BODY(name, ...)                                                                                      \
    static void name(void *const *args)                                                                      \
    {                                                                                                        \
        (void)args;                                                                                          \
        __VA_ARGS__                                                                                          \
    }
#define PAIR(name, trip, miss)                                                                               \
    BODY(trip_##name, trip)                                                                                  \
    BODY(miss_##name, miss)
#define BRACES(...) __VA_ARGS__

PAIR(gm_oob, BRACES({ OwLocal t = ub_at(0, 4096); pad_in(t, gm(x + 999), 8, 0); write_z(); }),
     BRACES({ OwLocal t = ub_at(0, 4096); pad_in(t, gm(x + 999), 4, 0); write_z(); }))
PAIR(gm_write_input, BRACES({ write_z(); OwLocal t = ub_at(0, 64); pad_out(gm(x), t, 4); }), BRACES({ write_z(); OwLocal t = ub_at(0, 64); pad_out(gm(z), t, 4); }))
PAIR(gm_null, BRACES({ write_z(); OwGlobal g = {0}; ow_gm_get(OW_F32, &g, 0, AT); }), BRACES({ write_z(); OwGlobal g = gm(x); ow_gm_get(OW_F32, &g, 0, AT); }))
PAIR(gm_unmapped, BRACES({ write_z(); float far; OwGlobal g = {&far, 0}; ow_gm_get(OW_F32, &g, 0, AT); }), BRACES({ write_z(); OwGlobal g = {x, 0}; ow_gm_get(OW_F32, &g, 0, AT); }))
PAIR(gm_misaligned, BRACES({ write_z(); OwGlobal g = gm((uint8_t *)x + 2); ow_gm_get(OW_F32, &g, 0, AT); }), BRACES({ write_z(); OwGlobal g = gm((uint8_t *)x + 4); ow_gm_get(OW_F32, &g, 0, AT); }))
PAIR(out_not_written, BRACES({ fill(ub_at(0, 8192), 1000); pad_out(gm(z), ub_at(0, 8192), 3996); }), BRACES({ write_z(); }))
PAIR(ub_oob, BRACES({ write_z(); pipe_up(); OwLocal t = tbuf(100); fill(t, 33); }), BRACES({ write_z(); pipe_up(); OwLocal t = tbuf(100); fill(t, 32); }))
PAIR(ub_past_end, BRACES({ write_z(); fill(ub_at(196608 - 32, 64), 9); }), BRACES({ write_z(); fill(ub_at(196608 - 32, 32), 8); }))
PAIR(ub_capacity, BRACES({ write_z(); pipe_up(); tbuf(196609); }), BRACES({ write_z(); pipe_up(); tbuf(196608); }))
PAIR(ub_misaligned, BRACES({ write_z(); fill(ub_at(16, 64), 1); }), BRACES({ write_z(); fill(ub_at(32, 64), 1); }))
PAIR(ub_reserved, BRACES({ pipe_up(); tbuf(190000); OwLocal a = tbuf(1024); fill(a, 256); OwLocal s = ub_at(0, 64); fill(s, 8);
                           ow_select(OW_F32, &a, &s, &a, NULL, 0, 1, 64, NULL, AT); write_z(); }),
     BRACES({ pipe_up(); tbuf(180000); OwLocal a = tbuf(1024); fill(a, 256); OwLocal s = ub_at(0, 64); fill(s, 8);
              ow_select(OW_F32, &a, &s, &a, NULL, 0, 1, 64, NULL, AT); write_z(); }))
PAIR(no_tensor, BRACES({ write_z(); OwLocal t = {.buf = OW_BUF_NONE}; fill(t, 1); }), BRACES({ write_z(); fill(ub_at(0, 64), 1); }))
PAIR(wrong_position, BRACES({ write_z(); OwLocal t = ub_at(0, 64); t.pos = A1; fill(t, 1); }), BRACES({ write_z(); OwLocal t = ub_at(0, 64); t.pos = VECOUT; fill(t, 1); }))
static void copy_from(uint8_t pos)
{
    OwLocal d = ub_at(0, 64), s = ub_at(4096, 64);
    fill(s, 8);
    s.pos = pos;
    ow_copy_local_n(OW_F32, &d, &s, 8, AT);
}
PAIR(from_l1, BRACES({ write_z(); copy_from(A1); }), BRACES({ write_z(); copy_from(VECIN); }))
static void spill(int64_t at)
{
    OwGlobal g = gm(x);
    ow_spm_init(&g, 128, AT);
    ow_spm_at("ReadSpmBuffer", at, 64, &g, AT);
}
PAIR(spm_range, BRACES({ write_z(); spill(96); }), BRACES({ write_z(); spill(64); }))
PAIR(to_l1, BRACES({ write_z(); OwLocal t = ub_at(0, 64); t.pos = A1; OwGlobal g = gm(x); ow_copy_n(OW_F32, 0, &g, &t, 8, AT); }), BRACES({ write_z(); OwLocal t = ub_at(0, 64); OwGlobal g = gm(x); ow_copy_n(OW_F32, 0, &g, &t, 8, AT); }))
PAIR(after_free, BRACES({ write_z(); pipe_up(); uint32_t q = que(VECOUT, 1); OwLocal t; ow_que_alloc(q, &t, AT); ow_que_free(q, &t, AT); fill(t, 1); }),
     BRACES({ write_z(); pipe_up(); uint32_t q = que(VECOUT, 1); OwLocal t; ow_que_alloc(q, &t, AT); fill(t, 1); ow_que_free(q, &t, AT); }))
PAIR(while_queued, BRACES({ write_z(); pipe_up(); uint32_t q = que(VECOUT, 1); OwLocal t; ow_que_alloc(q, &t, AT); ow_que_enque(q, &t, AT); fill(t, 1);
                            ow_que_deque(q, &t, AT); ow_que_free(q, &t, AT); }),
     BRACES({ write_z(); pipe_up(); uint32_t q = que(VECOUT, 1); OwLocal t; ow_que_alloc(q, &t, AT); ow_que_enque(q, &t, AT);
              ow_que_deque(q, &t, AT); fill(t, 1); ow_que_free(q, &t, AT); }))
PAIR(scalar_index, BRACES({ write_z(); pipe_up(); OwLocal t = tbuf(64); ow_local_set(OW_F32, &t, 16, 0, AT); }), BRACES({ write_z(); pipe_up(); OwLocal t = tbuf(64); ow_local_set(OW_F32, &t, 15, 0, AT); }))
PAIR(uninit_gm, BRACES({ write_z(); pad_out(gm(z), ub_at(65536, 64), 4); }), BRACES({ write_z(); fill(ub_at(65536, 64), 1); pad_out(gm(z), ub_at(65536, 64), 4); }))
PAIR(uninit_scalar, BRACES({ write_z(); OwLocal t = ub_at(65536, 64); ow_local_get(OW_F32, &t, 3, AT); }), BRACES({ write_z(); OwLocal t = ub_at(65536, 64); ow_local_set(OW_F32, &t, 3, 0, AT); ow_local_get(OW_F32, &t, 3, AT); }))
PAIR(uninit_ref, BRACES({ write_z(); OwLocal t = ub_at(65536, 64); ow_local_ref(OW_F32, &t, 3, AT); }), BRACES({ write_z(); OwLocal t = ub_at(65536, 64); *(float *)ow_local_ref(OW_F32, &t, 3, AT) = 1.0f; ow_local_get(OW_F32, &t, 3, AT); }))
PAIR(uninit_atomic, BRACES({ ow_atomic(1, OW_F32, AT); write_z(); }), BRACES({ write_z(); ow_atomic(1, OW_F32, AT); write_z(); ow_atomic(0, OW_F32, AT); }))
PAIR(atomic_left, BRACES({ write_z(); ow_atomic(1, OW_F32, AT); write_z(); }), BRACES({ write_z(); ow_atomic(1, OW_F32, AT); write_z(); ow_atomic(0, OW_F32, AT); }))
PAIR(copy_unaligned, BRACES({ write_z(); OwGlobal g = gm(x); OwLocal t = ub_at(0, 4096); ow_copy_n(OW_F32, 0, &g, &t, 9, AT); }), BRACES({ write_z(); OwGlobal g = gm(x); OwLocal t = ub_at(0, 4096); ow_copy_n(OW_F32, 0, &g, &t, 16, AT); }))
PAIR(copy_limit, BRACES({ write_z(); OwGlobal g = gm(x); OwLocal t = ub_at(0, 4096); ow_copy_blocks(OW_F32, 0, &g, &t, 4097, 1, 0, 0, AT); }), BRACES({ write_z(); OwGlobal g = gm(x); OwLocal t = ub_at(0, 4096); ow_copy_blocks(OW_F32, 0, &g, &t, 100, 1, 0, 0, AT); }))
PAIR(pad_limit, BRACES({ write_z(); pad_in(ub_at(0, 4096), gm(x), 4, 9); }), BRACES({ write_z(); pad_in(ub_at(0, 4096), gm(x), 4, 8); }))
PAIR(pad_length, BRACES({ write_z(); pad_in(ub_at(0, 4096), gm(x), 6, 0); }), BRACES({ write_z(); pad_in(ub_at(0, 4096), gm(x), 8, 0); }))
PAIR(count_negative, BRACES({ write_z(); fill(ub_at(0, 64), -1); }), BRACES({ write_z(); fill(ub_at(0, 64), 0); }))
static void muls(OwLocal d, OwLocal s, OwRepeat r)
{
    ow_vec_r("Muls", F32F32, &d, &s, NULL, 0x3f800000, 0, &r, AT);
}
PAIR(repeat_limit, BRACES({ write_z(); muls(ub_at(0, 8), ub_at(0, 8), rep(64, 256)); }), BRACES({ write_z(); muls(ub_at(0, 8), ub_at(0, 8), rep(64, 255)); }))
PAIR(stride_limit, BRACES({ write_z(); OwRepeat r = rep(64, 1); r.dst_rep = 256; muls(ub_at(0, 8), ub_at(65536, 8), r); }), BRACES({ write_z(); OwRepeat r = rep(64, 1); r.dst_rep = 255; muls(ub_at(0, 8), ub_at(65536, 8), r); }))
PAIR(stride_zero, BRACES({ write_z(); OwRepeat r = rep(64, 1); r.dst_blk = 0; muls(ub_at(0, 8), ub_at(65536, 8), r); }), BRACES({ write_z(); OwRepeat r = rep(64, 1); r.src_blk[0] = 0; muls(ub_at(0, 8), ub_at(65536, 8), r); }))
PAIR(mask_large, BRACES({ write_z(); muls(ub_at(0, 8), ub_at(0, 8), rep(65, 1)); }), BRACES({ write_z(); muls(ub_at(0, 8), ub_at(0, 8), rep(64, 1)); }))
PAIR(mask_high, BRACES({ write_z(); uint64_t m[2] = {1, 1}; OwRepeat r = rep(0, 1); r.mask_bits = m; muls(ub_at(0, 8), ub_at(0, 8), r); }), BRACES({ write_z(); uint64_t m[2] = {1, 0}; OwRepeat r = rep(0, 1); r.mask_bits = m; muls(ub_at(0, 8), ub_at(0, 8), r); }))
static void muls_by_register(void)
{
    OwRepeat r = rep(0, 1);
    r.set_mask = 0;
    muls(ub_at(0, 8), ub_at(0, 8), r);
    ow_mask_mode(0, AT);
    ow_mask_set(~0ull, ~0ull, 0, AT);
}
PAIR(mask_as_lanes, BRACES({ write_z(); ow_mask_len(OW_F32, 1, 40, AT); muls_by_register(); }), BRACES({ write_z(); ow_mask_mode(1, AT); ow_mask_len(OW_F32, 1, 40, AT); muls_by_register(); }))
PAIR(mask_as_count, BRACES({ write_z(); ow_mask_mode(1, AT); ow_mask_len(OW_F32, 0, 4, AT); muls_by_register(); }), BRACES({ write_z(); ow_mask_len(OW_F32, 0, 4, AT); muls_by_register(); }))
/* Blocks 1 and 2 of UB are guarded against writes of V. */
static void guarded(uint32_t first_float)
{
    ow_guard(2, 0, 2, 8, AT);
    fill(ub_at(4 * first_float, 8), 8);
}
PAIR(guard_hit, BRACES({ write_z(); guarded(8); }), BRACES({ write_z(); guarded(0); }))
PAIR(guard_end, BRACES({ write_z(); guarded(16); }), BRACES({ write_z(); guarded(24); }))
PAIR(guard_off, BRACES({ write_z(); ow_guard(2, 0, 2, 8, AT); ow_guard(1, 0, 2, 0, AT); fill(ub_at(32, 8), 8); }), BRACES({ write_z(); ow_guard(2, 0, 2, 8, AT); ow_guard(2, 0, 2, 0, AT); fill(ub_at(32, 8), 8); }))
PAIR(guard_kind, BRACES({ write_z(); ow_guard(0, 0, 2, 2, AT); OwLocal t = ub_at(32, 8); ow_local_set(OW_F32, &t, 0, 0, AT); }), BRACES({ write_z(); ow_guard(0, 0, 2, 1, AT); OwLocal t = ub_at(32, 8); ow_local_set(OW_F32, &t, 0, 0, AT); }))
static void compare(uint32_t type, uint32_t mode, int64_t n)
{
    OwLocal d = ub_at(0, 8), a = ub_at(4096, 8);
    ow_vec_n("Compare", OW_TYPES(OW_U8, type), &d, &a, &a, 0, mode, n, AT);
}
PAIR(compare_256, BRACES({ write_z(); compare(OW_F32, CMP_GT, 65); }), BRACES({ write_z(); compare(OW_F32, CMP_GT, 128); }))
PAIR(compare_int, BRACES({ write_z(); compare(OW_I32, CMP_GT, 64); }), BRACES({ write_z(); compare(OW_I32, CMP_EQ, 64); }))
PAIR(dtype, BRACES({ write_z(); OwLocal t = ub_at(0, 64); ow_vec_n("Add", OW_TYPES(OW_I8, OW_I8), &t, &t, &t, 0, 0, 1, AT); }), BRACES({ write_z(); OwLocal t = ub_at(0, 64); ow_vec_n("Add", OW_TYPES(OW_I16, OW_I16), &t, &t, &t, 0, 0, 1, AT); }))
static void cast(uint32_t mode)
{
    OwLocal d = ub_at(0, 64), s = ub_at(4096, 64);
    ow_vec_n("Cast", OW_TYPES(OW_I32, OW_F32), &d, &s, NULL, 0, mode, 8, AT);
}
PAIR(round_mode, BRACES({ write_z(); cast(ROUND_NONE); }), BRACES({ write_z(); cast(ROUND_RINT); }))
PAIR(overlap, BRACES({ write_z(); OwLocal a = ub_at(0, 64), b = ub_at(32, 64); ow_vec_n("Add", F32F32, &a, &b, &b, 0, 0, 16, AT); }), BRACES({ write_z(); OwLocal a = ub_at(0, 64), b = ub_at(32, 64); ow_vec_n("Add", F32F32, &a, &b, &b, 0, 0, 8, AT); }))
static void accumulate(const char *name, bool second)
{
    OwLocal acc = ub_at(0, 256), src = ub_at(4096, 4096);
    OwRepeat r = rep(64, 4);
    r.dst_rep = 0;
    r.src_rep[second ? 1 : 0] = 0;
    ow_vec_r(name, F32F32, &acc, second ? &src : &acc, second ? &acc : &src, 0, 0, &r, AT);
}
PAIR(overlap_repeat, BRACES({ write_z(); accumulate("Add", false); }), BRACES({ write_z(); accumulate("Add", true); }))
PAIR(overlap_wide, BRACES({ write_z(); OwLocal t = ub_at(0, 64); ow_vec_n("Cast", OW_TYPES(OW_F32, OW_F16), &t, &t, NULL, 0, 0, 16, AT); }), BRACES({ write_z(); OwLocal t = ub_at(0, 64); ow_vec_n("Cast", OW_TYPES(OW_F16, OW_F32), &t, &t, NULL, 0, 0, 16, AT); }))
static void shift(uint64_t by)
{
    OwLocal t = ub_at(0, 64);
    ow_vec_n("ShiftLeft", OW_TYPES(OW_I16, OW_I16), &t, &t, NULL, by, 0, 8, AT);
}
static void cast_deq(bool sign)
{
    OwLocal d = ub_at(0, 64), src = ub_at(4096, 64);
    ow_deq_word((uint64_t)sign << 46 | 0x3f800000u, AT);
    ow_cast_deq(OW_I8, &d, &src, 0, 8, NULL, AT);
}
PAIR(deq_sign, BRACES({ write_z(); cast_deq(false); }), BRACES({ write_z(); cast_deq(true); }))
PAIR(deq_form, BRACES({ write_z(); cast_deq(true); OwLocal d = ub_at(0, 64), s = ub_at(4096, 64); ow_cast_deq(OW_I8, &d, &s, OW_DEQ_TABLE, 8, NULL, AT); }),
     BRACES({ write_z(); cast_deq(true); OwLocal d = ub_at(0, 64), s = ub_at(4096, 64), t = ub_at(8192, 128); for (uint64_t i = 0; i < 16; i++) ow_local_set(OW_U64, &t, i, 1, AT);
              ow_deq_table(&t, AT); ow_cast_deq(OW_I8, &d, &s, OW_DEQ_TABLE, 8, NULL, AT); }))
static void cast_int4(uint32_t n)
{
    OwLocal d = ub_at(0, 64), s = ub_at(4096, 64);
    ow_cast_int4(0, &d, &s, ROUND_RINT, n, NULL, AT);
}
PAIR(int4_odd, BRACES({ write_z(); cast_int4(7); }), BRACES({ write_z(); cast_int4(8); }))
static void register_after(uint32_t kind, const OwRepeat *r, bool with_index, uint32_t type)
{
    OwLocal d = ub_at(0, 64), s = ub_at(4096, 1024), w = ub_at(16384, 1024);
    uint64_t value, index;
    fill(s, 256);
    if (kind < 3) ow_reduce_all("Reduce", OW_F32, kind, &d, &s, &w, 0, 1, 64, r, AT);
    ow_reduce_spr(type, kind == 3 ? 0 : kind, &value, with_index ? &index : NULL, AT);
}
static const OwRepeat FOUR = {.mask_count = 64, .set_mask = 1, .repeat = 4, .dst_blk = 1, .src_blk = {1, 1}, .dst_rep = 8, .src_rep = {8, 8}};
PAIR(spr_unset, BRACES({ write_z(); register_after(3, NULL, false, OW_F32); }), BRACES({ write_z(); register_after(0, NULL, false, OW_F32); }))
PAIR(spr_form, BRACES({ write_z(); register_after(0, &FOUR, false, OW_F32); }), BRACES({ write_z(); register_after(1, &FOUR, false, OW_F32); }))
PAIR(spr_index, BRACES({ write_z(); register_after(1, NULL, true, OW_F32); }), BRACES({ write_z(); register_after(1, NULL, false, OW_F32); }))
PAIR(spr_type, BRACES({ write_z(); register_after(2, NULL, false, OW_F16); }), BRACES({ write_z(); register_after(2, NULL, false, OW_F32); }))
PAIR(shift, BRACES({ write_z(); shift(17); }), BRACES({ write_z(); shift(16); }))
static void and_(uint32_t type)
{
    OwLocal t = ub_at(0, 64);
    ow_vec_n("And", OW_TYPES(type, type), &t, &t, &t, 0, 0, 8, AT);
}
PAIR(half_done, BRACES({ write_z(); and_(OW_I32); }), BRACES({ write_z(); and_(OW_U16); }))
static void gather(uint32_t offset)
{
    OwLocal d = ub_at(0, 64), s = ub_at(196608 - 64, 64), o = ub_at(4096, 64);
    for (uint64_t i = 0; i < 8; i++) ow_local_set(OW_U32, &o, i, i == 7 ? offset : 0, AT);
    ow_gather(OW_F32, &d, &s, &o, 0, 8, NULL, AT);
}
PAIR(gather_offset, BRACES({ write_z(); gather(64); }), BRACES({ write_z(); gather(60); }))
PAIR(gather_align, BRACES({ write_z(); gather(2); }), BRACES({ write_z(); gather(4); }))
static void create_index(uint64_t mask)
{
    OwLocal d = ub_at(0, 256);
    OwRepeat r = rep(mask, 1);
    ow_index(OW_F32, &d, 0, 0, &r, AT);
}
static void slice(uint32_t end)
{
    OwLocal t = tbuf(4000);
    OwGlobal g = gm(x);
    const OwSlice s = {.start = 0, .end = end, .stride = 8, .burst = 1, .shape = 1000};
    ow_copy_slice(OW_F32, 0, &g, &t, &s, &s, 1, AT);
}
PAIR(slice, BRACES({ write_z(); pipe_up(); slice(20); }), BRACES({ write_z(); pipe_up(); slice(23); }))
static void nz2nd(uint32_t d)
{
    OwLocal t = tbuf(4096);
    OwGlobal g = gm(z);
    const OwNz2Nd p = {.matrices = 1, .n = 4, .d = d, .src_matrix = 1, .src_n = 16, .dst_d = 32, .dst_matrix = 1};
    fill(t, 1024);
    ow_copy_nz2nd(OW_F32, &g, &t, &p, AT);
}
PAIR(nz2nd, BRACES({ write_z(); pipe_up(); nz2nd(20); }), BRACES({ write_z(); pipe_up(); nz2nd(32); }))
static void gather_pattern(uint32_t pattern)
{
    OwLocal a = tbuf(256), b = tbuf(256);
    OwGatherMask p = {.blk = 1, .repeat = 1, .src_rep = 8};
    fill(a, 64);
    ow_gather_mask(OW_F32, &b, &a, NULL, pattern, 0, 0, &p, AT);
}
PAIR(gather_pattern, BRACES({ write_z(); pipe_up(); gather_pattern(8); }), BRACES({ write_z(); pipe_up(); gather_pattern(7); }))
static void merge(uint32_t valid, uint32_t repeat)
{
    const uint16_t len[4] = {4, 4, 4, 4};
    OwLocal d = tbuf(512), src[4];
    for (int i = 0; i < 4; i++) src[i] = tbuf(256), fill(src[i], 64);
    ow_mrg_sort(OW_F32, &d, src, len, 0, valid, repeat, AT);
}
PAIR(mrg_sort, BRACES({ write_z(); pipe_up(); merge(5, 1); }), BRACES({ write_z(); pipe_up(); merge(7, 1); }))
static void transpose(uint32_t w)
{
    OwLocal d = tbuf(4096), s = tbuf(4096), tmp = tbuf(16384);
    const uint32_t nchw[4] = {1, 4, 2, w};
    fill(s, 1024);
    ow_transpose_ext(OW_F32, &d, &s, &tmp, nchw, 11, AT);
}
PAIR(transpose, BRACES({ write_z(); pipe_up(); transpose(6); }), BRACES({ write_z(); pipe_up(); transpose(8); }))
static void pooled(uint32_t len)
{
    OwPool pool = {0};
    ow_pool_init(&pool, VECCALC, 128, NULL, NULL, AT);
    ow_pool_use(&pool, AT);
    ow_tbuf_init(VECCALC, len, AT);
    ow_tbuf_init(VECCALC, 32, AT);
    ow_pool_use(NULL, AT);
}
PAIR(pool_full, BRACES({ write_z(); pipe_up(); pooled(128); }), BRACES({ write_z(); pipe_up(); pooled(96); }))
PAIR(index_mask, BRACES({ write_z(); create_index(7); }), BRACES({ write_z(); create_index(8); }))

PAIR(que_no_init, BRACES({ write_z(); OwLocal t; ow_que_alloc(0, &t, AT); }), BRACES({ write_z(); pipe_up(); uint32_t q = que(VECIN, 1); OwLocal t; ow_que_alloc(q, &t, AT); ow_que_free(q, &t, AT); }))
PAIR(que_exhausted, BRACES({ write_z(); pipe_up(); uint32_t q = que(VECIN, 2); OwLocal t; ow_que_alloc(q, &t, AT); ow_que_alloc(q, &t, AT); ow_que_alloc(q, &t, AT); }),
     BRACES({ write_z(); pipe_up(); uint32_t q = que(VECIN, 2); OwLocal t, u; ow_que_alloc(q, &t, AT); ow_que_alloc(q, &u, AT); ow_que_free(q, &t, AT); ow_que_alloc(q, &t, AT); ow_que_free(q, &t, AT); ow_que_free(q, &u, AT); }))
PAIR(que_empty, BRACES({ write_z(); pipe_up(); uint32_t q = que(VECIN, 1); OwLocal t; ow_que_deque(q, &t, AT); }), BRACES({ write_z(); pipe_up(); uint32_t q = que(VECIN, 1); OwLocal t; ow_que_alloc(q, &t, AT); ow_que_enque(q, &t, AT); ow_que_deque(q, &t, AT); ow_que_free(q, &t, AT); }))
static void enque_n(uint32_t n)
{
    pipe_up();
    uint32_t q = que(VECIN, 2);
    OwLocal t;
    for (uint32_t i = 0; i < n; i++) ow_que_alloc(q, &t, AT), ow_que_enque(q, &t, AT);
    for (uint32_t i = 0; i < n; i++) ow_que_deque(q, &t, AT), ow_que_free(q, &t, AT);
}
PAIR(que_full, BRACES({ write_z(); enque_n(2); }), BRACES({ write_z(); enque_n(1); }))
static void free_in(bool right)
{
    pipe_up();
    uint32_t a = que(VECIN, 1), b = que(VECIN, 1);
    OwLocal t, u;
    ow_que_alloc(a, &t, AT);
    ow_que_alloc(b, &u, AT);
    if (!right) ow_que_free(b, &t, AT);
    ow_que_free(a, &t, AT);
    ow_que_free(b, &u, AT);
}
PAIR(que_foreign, BRACES({ write_z(); free_in(false); }), BRACES({ write_z(); free_in(true); }))
static void enque_times(int n)
{
    pipe_up();
    uint32_t q = ow_que_init(GM, VECIN, 4, 1, 64, AT);
    OwLocal t;
    ow_que_alloc(q, &t, AT);
    for (int i = 0; i < n; i++) ow_que_enque(q, &t, AT);
    ow_que_deque(q, &t, AT);
    ow_que_free(q, &t, AT);
}
PAIR(que_state, BRACES({ write_z(); enque_times(2); }), BRACES({ write_z(); enque_times(1); }))
static void free_times(int n)
{
    pipe_up();
    uint32_t q = que(VECIN, 1);
    OwLocal t;
    ow_que_alloc(q, &t, AT);
    for (int i = 0; i < n; i++) ow_que_free(q, &t, AT);
}
PAIR(que_free_twice, BRACES({ write_z(); free_times(2); }), BRACES({ write_z(); free_times(1); }))
static void cycle_queues(uint32_t n)
{
    pipe_up();
    OwLocal t;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t q = que(VECIN, 1);
        ow_que_alloc(q, &t, AT);
        ow_que_free(q, &t, AT);
    }
}
PAIR(que_events, BRACES({ write_z(); cycle_queues(9); }), BRACES({ write_z(); cycle_queues(8); }))
static void many_tbufs(uint32_t n)
{
    pipe_up();
    for (uint32_t i = 0; i < n; i++) tbuf(32);
}
PAIR(que_buffers, BRACES({ write_z(); many_tbufs(65); }), BRACES({ write_z(); many_tbufs(64); ow_pipe_destroy(NULL, AT); many_tbufs(64); }))
static void leave_queued(bool drain)
{
    pipe_up();
    uint32_t q = que(VECIN, 1);
    OwLocal t;
    ow_que_alloc(q, &t, AT);
    ow_que_enque(q, &t, AT);
    if (drain) ow_que_deque(q, &t, AT), ow_que_free(q, &t, AT);
}
PAIR(que_left, BRACES({ write_z(); leave_queued(false); }), BRACES({ write_z(); leave_queued(true); }))
PAIR(que_leak, BRACES({ write_z(); pipe_up(); OwLocal t; ow_que_alloc(que(VECIN, 1), &t, AT); }), BRACES({ write_z(); free_times(1); }))
PAIR(buf_zero, BRACES({ write_z(); pipe_up(); ow_tbuf_init(VECCALC, 0, AT); }), BRACES({ write_z(); pipe_up(); ow_tbuf_init(VECCALC, 1, AT); }))
static void get_len(uint32_t len)
{
    pipe_up();
    OwLocal t;
    ow_tbuf_get("Get", ow_tbuf_init(VECCALC, 64, AT), len, 0, &t, AT);
}
PAIR(tbuf_len, BRACES({ write_z(); get_len(96); }), BRACES({ write_z(); get_len(64); }))
static void two_pipes(bool destroy)
{
    pipe_up();
    tbuf(32);
    if (destroy) ow_pipe_destroy(NULL, AT);
    pipe_up();
}
PAIR(tpipe_twice, BRACES({ write_z(); two_pipes(false); }), BRACES({ write_z(); two_pipes(true); }))
PAIR(no_tpipe, BRACES({ write_z(); ow_tbuf_init(VECCALC, 32, AT); }), BRACES({ write_z(); pipe_up(); ow_tbuf_init(VECCALC, 32, AT); }))

static void flags(uint32_t event, int32_t id, int sets, int waits)
{
    for (int i = 0; i < sets; i++) ow_flag_set(event, id, AT);
    for (int i = 0; i < waits; i++) ow_flag_wait(event, id, AT);
}
PAIR(flag_id, BRACES({ write_z(); flags(EV_MTE2_V, 8, 1, 1); }), BRACES({ write_z(); flags(EV_MTE2_V, 7, 1, 1); }))
PAIR(flag_twice, BRACES({ write_z(); flags(EV_MTE2_V, 0, 2, 1); }), BRACES({ write_z(); flags(EV_MTE2_V, 0, 1, 1); flags(EV_MTE2_V, 0, 1, 1); }))
PAIR(flag_no_set, BRACES({ write_z(); flags(EV_V_S, 0, 0, 1); }), BRACES({ write_z(); flags(EV_V_S, 0, 1, 1); }))
PAIR(flag_owed, BRACES({ write_z(); flags(EV_MTE3_V, 0, 0, 1); }), BRACES({ write_z(); flags(EV_MTE3_V, 0, 0, 1); flags(EV_MTE3_V, 0, 1, 0); }))
PAIR(flag_left, BRACES({ write_z(); flags(EV_V_S, 0, 1, 0); }), BRACES({ write_z(); flags(EV_V_S, 0, 1, 1); }))
static void take_events(int n)
{
    for (int i = 0; i < n; i++) ow_event_alloc(EV_V_S, 1, AT);
}
PAIR(event_pool, BRACES({ write_z(); take_events(9); }), BRACES({ write_z(); take_events(8); }))
static void tiling_get(size_t n)
{
    uint8_t out[64];
    ow_tiling_get(out, n, tiling, AT);
}
PAIR(tiling_small, BRACES({ write_z(); tiling_get(12); }), BRACES({ write_z(); tiling_get(8); }))
PAIR(narrowed, BRACES({ write_z(); ow_narrowed("uint8_t", 256, 0, AT); }), BRACES({ write_z(); }))
PAIR(overflow, BRACES({ write_z(); ow_overflow("'int'", 65536, "*", 65536, AT); }), BRACES({ write_z(); }))
PAIR(assert_failed, BRACES({ write_z(); ow_trap("n > 0", AT); }), BRACES({ write_z(); }))
PAIR(not_modelled, BRACES({ write_z(); ow_not_modelled("IBSet", AT); }), BRACES({ write_z(); }))
PAIR(task_type, BRACES({ write_z(); ow_task_type("KERNEL_TYPE_MIX_AIC_1_2", 5, AT); }), BRACES({ write_z(); ow_task_type("KERNEL_TYPE_AIV_ONLY", 0, AT); }))
static const struct {
    const char *check;
    void (*trip)(void *const *), (*miss)(void *const *);
} PAIRS[] = {
#define P(check, name) {check, trip_##name, miss_##name}
    P("gm-out-of-bounds", gm_oob), P("gm-write-input", gm_write_input), P("gm-null", gm_null), P("gm-unmapped", gm_unmapped),
    P("gm-misaligned", gm_misaligned), P("output-not-written", out_not_written), P("ub-out-of-bounds", ub_oob), P("ub-past-end", ub_past_end),
    P("ub-capacity", ub_capacity), P("ub-misaligned", ub_misaligned), P("ub-reserved", ub_reserved), P("tensor-not-allocated", no_tensor),
    P("tensor-wrong-memory", wrong_position), P("copy-from-l1", from_l1), P("spm-out-of-range", spm_range), P("not-modelled", to_l1), P("tensor-after-free", after_free), P("tensor-while-queued", while_queued),
    P("scalar-out-of-bounds", scalar_index), P("uninitialised-output", uninit_gm), P("uninitialised-scalar", uninit_scalar),
    P("uninitialised-scalar", uninit_ref), P("uninitialised-accumulate", uninit_atomic), P("copy-unaligned-count", copy_unaligned),
    P("copy-limit", copy_limit), P("copy-pad-limit", pad_limit), P("copy-pad-length", pad_length), P("count-negative", count_negative),
    P("repeat-too-large", repeat_limit), P("stride-too-large", stride_limit), P("stride-zero", stride_zero), P("mask-too-large", mask_large),
    P("mask-high-bits", mask_high), P("mask-mode", mask_as_lanes), P("mask-mode", mask_as_count), P("atomic-left-on", atomic_left),
    P("local-memory-guard", guard_hit), P("local-memory-guard", guard_end), P("local-memory-guard", guard_off), P("local-memory-guard", guard_kind), P("compare-count-256", compare_256), P("compare-int-mode", compare_int), P("dtype-not-supported", dtype),
    P("cast-round-mode", round_mode), P("overlap", overlap), P("overlap", overlap_repeat), P("overlap", overlap_wide), P("shift-range", shift),
    P("deq-sign-mode", deq_sign), P("deq-scale-not-set", deq_form), P("int4-odd", int4_odd),
    P("reduce-register", spr_unset), P("reduce-register", spr_form), P("reduce-register", spr_index), P("reduce-register", spr_type),
    P("and-or-32-bit", half_done), P("gather-offset", gather_offset), P("gather-offset", gather_align), P("index-mask", index_mask),
    P("gather-mask-pattern", gather_pattern), P("mrg-sort-queues", mrg_sort), P("transpose-shape", transpose), P("buf-pool-full", pool_full), P("copy-slice", slice), P("copy-nz2nd", nz2nd),
    P("que-not-initialised", que_no_init), P("que-pool-exhausted", que_exhausted), P("que-empty", que_empty), P("que-full", que_full),
    P("que-foreign-tensor", que_foreign), P("que-wrong-state", que_state), P("que-free-twice", que_free_twice), P("que-event-ids", que_events),
    P("que-buffers", que_buffers), P("que-not-drained", que_left), P("tensor-leak", que_leak), P("buffer-empty", buf_zero),
    P("tbuf-length", tbuf_len), P("tpipe-twice", tpipe_twice), P("tpipe-missing", no_tpipe), P("flag-id", flag_id), P("flag-set-twice", flag_twice),
    P("flag-never-set", flag_no_set), P("flag-never-set", flag_owed), P("flag-left-set", flag_left), P("event-ids-exhausted", event_pool),
    P("tiling-too-small", tiling_small), P("assert-failed", assert_failed), P("argument-narrowed", narrowed), P("integer-overflow", overflow), P("not-modelled", not_modelled), P("not-modelled", task_type),
};

static void launch(Sim *s, void (*body)(void *const *))
{
    const SimGm ranges[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = sizeof x},
                            {.name = "y", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = y, .n_bytes = sizeof y},
                            {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = sizeof z},
                            {.name = "tiling", .role = SIM_GM_TILING, .dtype = DTYPE_U8, .data = tiling, .n_bytes = sizeof tiling}};
    run_gm(s, body, ranges, 4, 1);
}

static void each_check_trips_and_its_neighbour_does_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        Sim *s = new_sim();
        launch(s, PAIRS[i].trip);
        const SimFinding *f = find_check(s, PAIRS[i].check);
        if (!f) print_error("%s did not trip (pair %zu; first finding: %s)\n", PAIRS[i].check, i, sim_n_findings(s) ? sim_finding(s, 0)->text : "none");
        assert_non_null(f);
        assert_true(strlen(f->text) > 10 && strlen(f->text_zh) > 10 && strlen(f->hint) > 10 && strlen(f->hint_zh) > 10);
        assert_null(strstr(f->text, "(null)"));
        assert_null(strstr(f->text_zh, "(null)"));
        sim_reset(s);
        launch(s, PAIRS[i].miss);
        if (sim_n_findings(s)) print_error("%s (pair %zu): near miss gave %s: %s\n", PAIRS[i].check, i, sim_finding(s, 0)->check, sim_finding(s, 0)->text);
        assert_int_equal(sim_n_findings(s), 0);
        sim_free(s);
    }
}

/* Switched off, a body that trips says nothing, but for what ends the launch. */
static void without_checks_only_an_end_is_told(void **state)
{
    (void)state;
    static const char *const ENDS[] = {"que-empty", "que-pool-exhausted", "que-event-ids", "flag-never-set", "not-modelled", "assert-failed", "local-memory-guard"};
    for (size_t i = 0; i < sizeof PAIRS / sizeof *PAIRS; i++) {
        Sim *s = new_sim();
        sim_set_options(s, &(SimOptions){.no_hazards = true, .no_checks = true});
        launch(s, PAIRS[i].trip);
        bool ends = false;
        for (size_t k = 0; k < sizeof ENDS / sizeof *ENDS; k++) ends |= strcmp(ENDS[k], PAIRS[i].check) == 0;
        if (!ends && sim_n_findings(s)) print_error("%s: %s\n", PAIRS[i].check, sim_finding(s, 0)->text);
        assert_int_equal(sim_n_findings(s), ends ? 1 : 0);
        sim_free(s);
    }
}

static const char *check_of(size_t i) { return PAIRS[i].trip && PAIRS[i].miss ? PAIRS[i].check : NULL; }

static void every_check_has_a_pair(void **state)
{
    (void)state;
    static const char *const ids[] = {
#define CHECK(ident, id, ...) id,
#include "sim/checks.def"
#undef CHECK
    };
    for (size_t c = 0; c < sizeof ids / sizeof *ids; c++) {
        if (!pairs_known(ids[c])) print_error("pairs.def does not have %s\n", ids[c]);
        assert_true(pairs_known(ids[c]));
    }
    for (size_t k = 0; k < sizeof ALL_PAIRS / sizeof ALL_PAIRS[0]; k++) {
        bool found = false;
        for (size_t c = 0; c < sizeof ids / sizeof *ids && !found; c++) found = strcmp(ids[c], ALL_PAIRS[k].check) == 0;
        if (!found) print_error("there is no check %s\n", ALL_PAIRS[k].check);
        assert_true(found);
    }
    assert_true(pairs_complete(PAIRS_IN_CHECKS, check_of, sizeof PAIRS / sizeof *PAIRS));
}

static uint32_t stored_bytes;

static void store_from_start(void *const *args)
{
    OwGlobal g = {args[0], 1};
    OwLocal t = ub_at(0, 8192);
    fill(t, 256);
    pad_out(g, t, stored_bytes);
}

static void scalar_results_may_be_stored_by_whole_blocks(void **state)
{
    (void)state;
    static float out[256];
    static const struct {
        uint32_t n_bytes, stored;
        const char *check;
    } CASES[] = {{4, 128, "gm-past-small-output"}, {28, 512, "gm-past-small-output"}, {4, 516, "gm-out-of-bounds"}, {32, 64, "gm-out-of-bounds"}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        Sim *s = new_sim();
        const SimGm range = {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = out, .n_bytes = CASES[i].n_bytes};
        stored_bytes = CASES[i].stored;
        run_gm(s, store_from_start, &range, 1, 1);
        assert_int_equal(sim_n_findings(s), 1);
        assert_string_equal(sim_finding(s, 0)->check, CASES[i].check);
        assert_int_equal(sim_finding(s, 0)->severity, i < 2 ? SIM_WARNING : SIM_ERROR);
        sim_free(s);
    }
}

static void texts_give_numbers(void **state)
{
    (void)state;
    Sim *s = new_sim();
    launch(s, trip_gm_oob);
    assert_string_equal(find_check(s, "gm-out-of-bounds")->text, "reads bytes 3996..4003 of x, which has 4000 bytes: 4 past its end");
    sim_reset(s);
    launch(s, trip_copy_unaligned);
    assert_string_equal(find_check(s, "copy-unaligned-count")->text,
                        "9 elements are 36 bytes, not a multiple of 32: the copy moves 32 bytes, the last 4 bytes are left out");
    sim_free(s);
}

static void equal_findings_are_counted(void **state)
{
    (void)state;
    Sim *s = new_sim();
    launch(s, trip_shift);
    launch(s, trip_shift);
    assert_int_equal(find_check(s, "shift-range")->count, 2);
    sim_free(s);
}

static void the_trail_follows(void **state)
{
    (void)state;
    Sim *s = new_sim();
    SimTrail t = {0};
    sim_set_trail(&t);
    launch(s, trip_assert_failed);
    sim_set_trail(NULL);
    assert_string_equal(t.file, "test_src");
    assert_string_equal(t.api, "ASSERT");
    assert_true(t.line > 0);
    sim_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_checks_only_an_end_is_told),
        cmocka_unit_test(every_check_has_a_pair),       cmocka_unit_test(each_check_trips_and_its_neighbour_does_not),
        cmocka_unit_test(scalar_results_may_be_stored_by_whole_blocks), cmocka_unit_test(texts_give_numbers),           cmocka_unit_test(equal_findings_are_counted), cmocka_unit_test(the_trail_follows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
