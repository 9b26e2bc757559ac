/* Integers that lie in memory otherwise than they are computed in, which is int32. The vector unit has no conversion between
 * bytes and int32: bytes go through half, 16 bits through float, which hold them exactly (isa/cast.def). */
#include "codegen/kernel.h"

static bool is_byte(const PlanAccess *acc) {
    return gen_is_converted_int(acc) && dtype_info(acc->dtype[0])->size_bytes == 1;
}

static bool is_short(const PlanAccess *acc) {
    return gen_is_converted_int(acc) && dtype_info(acc->dtype[0])->size_bytes == 2;
}

static bool is_unsigned(const PlanAccess *acc) {
    return dtype_info(acc->dtype[0])->cls == DTYPE_CLASS_U;
}

bool gen_ints_use_half(const PlanAccess *acc) {
    return is_byte(acc);
}

void gen_ints_in(Cxx *cx, const PlanAccess *acc, const char *dst, const char *src, const char *count) {
    if (is_byte(acc)) cxx_line(cx, "IntsFromBytes(%s, %s, %s);", dst, src, count);
    else if (is_short(acc)) cxx_line(cx, "%s(%s, %s, %s);", is_unsigned(acc) ? "IntsFromUnsignedShorts" : "IntsFromShorts", dst, src, count);
    else cxx_line(cx, "Cast(%s, %s, RoundMode::CAST_NONE, %s);", dst, src, count);
}

void gen_ints_out(Cxx *cx, const PlanAccess *acc, const char *dst, const char *src, const char *count) {
    if (is_byte(acc)) cxx_line(cx, "BytesFromInts(%s, %s, %s);", dst, src, count);
    else cxx_line(cx, "Cast(%s, %s, RoundMode::CAST_NONE, %s);", dst, src, count);
}

const char *gen_ints_gathered_type(const Gen *gen, const PlanAccess *acc) {
    return is_byte(acc) ? "uint16_t" : is_short(acc) ? "int16_t" : gen_is_converted_int(acc) ? "int32_t" : gen_io_type(gen, acc);
}

void gen_ints_from_gathered(Cxx *cx, const PlanAccess *acc, const char *dst, const char *count) {
    if (is_byte(acc)) cxx_line(cx, "%s(%s, %s);", is_unsigned(acc) ? "IntsFromUnsignedPairs" : "IntsFromPairs", dst, count);
    else gen_ints_in(cx, acc, dst, "half_.Get<int16_t>()", count);
}

bool gen_ints_gather_aside(const PlanAccess *acc) {
    return is_byte(acc) || is_short(acc);
}

static void write_from_bytes(Cxx *cx) {
    cxx_comment(cx, "Bytes as int32, by way of half.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void IntsFromBytes(const LocalTensor<int32_t> &dst, const LocalTensor<T> &src, int32_t count)");
    cxx_line(cx, "LocalTensor<half> wide = half_.Get<half>();");
    cxx_line(cx, "Cast(wide, src, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "Cast(dst, wide, RoundMode::CAST_RINT, count);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_to_bytes(Cxx *cx) {
    cxx_comment(cx, "Values that fit a byte.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void BytesFromInts(const LocalTensor<T> &dst, const LocalTensor<int32_t> &src, int32_t count)");
    cxx_line(cx, "LocalTensor<int16_t> shorts = half_.Get<int16_t>();");
    cxx_line(cx, "LocalTensor<half> wide = half_.Get<half>();");
    cxx_line(cx, "Cast(shorts, src, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "Cast(wide, shorts, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "Cast(dst, wide, RoundMode::CAST_NONE, count);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_from_shorts(Cxx *cx, bool is_unsigned) {
    cxx_comment(cx, "16-bit integers as int32, by way of float.");
    cxx_function(cx, "__aicore__ inline void %s(const LocalTensor<int32_t> &dst, const LocalTensor<int16_t> &src, int32_t count)",
                 is_unsigned ? "IntsFromUnsignedShorts" : "IntsFromShorts");
    cxx_line(cx, "LocalTensor<float> wide = dst.ReinterpretCast<float>();");
    cxx_line(cx, "Cast(wide, src, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "Cast(dst, wide, RoundMode::CAST_RINT, count);");
    if (is_unsigned) {
        cxx_line(cx, "LocalTensor<uint32_t> bits = dst.ReinterpretCast<uint32_t>();");
        cxx_line(cx, "ShiftLeft(bits, bits, static_cast<uint32_t>(16), count);");
        cxx_line(cx, "ShiftRight(bits, bits, static_cast<uint32_t>(16), count);");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_from_pairs(Cxx *cx, bool is_unsigned) {
    const char *type = is_unsigned ? "uint16_t" : "int16_t";
    cxx_comment(cx, "The 16-bit scratch holds pairs of bytes of which the first is the element.");
    cxx_function(cx, "__aicore__ inline void %s(const LocalTensor<int32_t> &dst, int32_t count)",
                 is_unsigned ? "IntsFromUnsignedPairs" : "IntsFromPairs");
    cxx_line(cx, "LocalTensor<uint16_t> pairs = half_.Get<uint16_t>();");
    cxx_line(cx, "LocalTensor<%s> low = half_.Get<%s>();", type, type);
    cxx_line(cx, "LocalTensor<half> wide = half_.Get<half>();");
    cxx_line(cx, "ShiftLeft(pairs, pairs, static_cast<uint16_t>(8), count);");
    cxx_line(cx, "ShiftRight(low, low, static_cast<%s>(8), count);", type);
    cxx_line(cx, "Cast(wide, low%s, RoundMode::CAST_NONE, count);", is_unsigned ? ".ReinterpretCast<int16_t>()" : "");
    cxx_line(cx, "Cast(dst, wide, RoundMode::CAST_RINT, count);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* A load that is gathered, of which the conversion begins with pairs. */
static bool is_gathered(const PlanAccess *acc) {
    return acc->cls == PLAN_STRIDED || acc->cls == PLAN_PICKED;
}

void gen_int_conversions(const GenPass *gp, Cxx *cx) {
    bool from_bytes = false, to_bytes = false, shorts[2] = {false, false}, pairs[2] = {false, false};
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->cls == PLAN_NUMBER || acc->cls == PLAN_COUNTED) continue;
        to_bytes |= acc->is_store && is_byte(acc);
        if (acc->is_store || acc->cls == PLAN_COLUMN) continue;
        from_bytes |= is_byte(acc) && !is_gathered(acc);
        pairs[is_unsigned(acc)] |= is_byte(acc) && is_gathered(acc);
        shorts[is_unsigned(acc)] |= is_short(acc);
    }
    if (from_bytes) write_from_bytes(cx);
    for (int u = 0; u < 2; u++)
        if (shorts[u]) write_from_shorts(cx, u);
    for (int u = 0; u < 2; u++)
        if (pairs[u]) write_from_pairs(cx, u);
    if (to_bytes) write_to_bytes(cx);
}
