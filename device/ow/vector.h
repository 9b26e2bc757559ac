/* Vector instructions. Each overload packs its arguments and makes one call; dtype rules are static_asserts, everything
 * else is checked by the simulator from the row of the same name in insn.def. Argument order, template parameters and
 * const-ness follow the public headers: overloads must accept what those accept, and no more. */
#ifndef OW_VECTOR_H
#define OW_VECTOR_H

#include "ow/params.h"
#include "ow/std.h"
#include "ow/tensor.h"

namespace AscendC {

inline OwRepeat OwRep(const uint64_t *bits, uint64_t count, bool set_mask, uint32_t repeat, const UnaryRepeatParams &p)
{
    return OwRepeat{bits,           count, set_mask,       repeat, p.dstBlkStride, {p.srcBlkStride, p.srcBlkStride},
                    p.dstRepStride, {p.srcRepStride, p.srcRepStride}};
}
inline OwRepeat OwRep(const uint64_t *bits, uint64_t count, bool set_mask, uint32_t repeat, const BinaryRepeatParams &p)
{
    return OwRepeat{bits,           count, set_mask,       repeat, p.dstBlkStride, {p.src0BlkStride, p.src1BlkStride},
                    p.dstRepStride, {p.src0RepStride, p.src1RepStride}};
}
inline OwRepeat OwRep(const uint64_t *bits, uint64_t count, bool set_mask, uint32_t repeat, uint32_t dst_blk,
                      uint32_t src_blk, uint32_t dst_rep, uint32_t src_rep)
{
    return OwRepeat{bits, count, set_mask, repeat, dst_blk, {src_blk, src_blk}, dst_rep, {src_rep, src_rep}};
}

#define OW_L(T) const LocalTensor<T> &
/* The dtypes the target's instruction takes; the vendor's compile ends here too. */
#define OW_WANT(name, T, ...)                                                                                        \
    static_assert(ow_one_of<T, __VA_ARGS__>, #name " does not take this element type on the target chip; it takes "  \
                                                   #__VA_ARGS__)

#define OW_UNARY(name, ...)                                                                                          \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, uint64_t mask[], const uint32_t repeatTime,                           \
                     const UnaryRepeatParams &repeatParams, OW_LOC)                                                  \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);                                            \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, 0, 0, &r, ow_loc);                  \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, uint64_t mask, const uint32_t repeatTime,                             \
                     const UnaryRepeatParams &repeatParams, OW_LOC)                                                  \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);                                      \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, 0, 0, &r, ow_loc);                  \
    }                                                                                                                \
    template <typename T> inline void name(OW_L(T) dst, OW_L(T) src, const int32_t &count, OW_LOC)                   \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        ow_vec_n(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, 0, 0, count, ow_loc);               \
    }
OW_UNARY(Relu, half, int32_t, float)
OW_UNARY(Exp, half, float)
OW_UNARY(Ln, half, float)
OW_UNARY(Abs, half, float)
OW_UNARY(Reciprocal, half, float)
OW_UNARY(Rsqrt, half, float)
OW_UNARY(Sqrt, half, float)
OW_UNARY(Not, int16_t, uint16_t)
#undef OW_UNARY

#define OW_BINARY_R(name, ...)                                                                                       \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src0, OW_L(T) src1, uint64_t mask[], const uint32_t repeatTime,            \
                     const BinaryRepeatParams &repeatParams, OW_LOC)                                                 \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);                                            \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src0.ow, &src1.ow, 0, 0, &r, ow_loc);                \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src0, OW_L(T) src1, uint64_t mask, const uint32_t repeatTime,              \
                     const BinaryRepeatParams &repeatParams, OW_LOC)                                                 \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);                                      \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src0.ow, &src1.ow, 0, 0, &r, ow_loc);                \
    }
#define OW_BINARY_N(name, ...)                                                                                       \
    template <typename T>                                                                                            \
    inline void name(OW_L(T) dst, OW_L(T) src0, OW_L(T) src1, const int32_t &count, OW_LOC)                          \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        ow_vec_n(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src0.ow, &src1.ow, 0, 0, count, ow_loc);             \
    }
#define OW_BINARY(name, ...)                                                                                         \
    OW_BINARY_R(name, __VA_ARGS__)                                                                                   \
    OW_BINARY_N(name, __VA_ARGS__)
OW_BINARY(Add, half, int16_t, int32_t, float)
OW_BINARY(Sub, half, int16_t, int32_t, float)
OW_BINARY(Mul, half, int16_t, int32_t, float)
OW_BINARY(Div, half, float)
OW_BINARY(Max, half, int16_t, int32_t, float)
OW_BINARY(Min, half, int16_t, int32_t, float)
OW_BINARY(AddRelu, half, int16_t, float)
OW_BINARY(SubRelu, half, int16_t, float)
OW_BINARY(FusedMulAdd, half, float)
OW_BINARY(MulAddRelu, half, float)
/* The older name of MulAddRelu. */
#define OW_OLD_NAME(T_LIST, mask)                                                                                    \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void FusedMulAddRelu(OW_L(T) dst, OW_L(T) src0, OW_L(T) src1, mask, const uint32_t repeatTime,            \
                                const BinaryRepeatParams &repeatParams, OW_LOC)                                      \
    {                                                                                                                \
        MulAddRelu<T, isSetMask>(dst, src0, src1, T_LIST, repeatTime, repeatParams, ow_loc);                         \
    }
OW_OLD_NAME(mask, uint64_t mask[])
OW_OLD_NAME(mask, uint64_t mask)
#undef OW_OLD_NAME
template <typename T> inline void FusedMulAddRelu(OW_L(T) dst, OW_L(T) src0, OW_L(T) src1, const int32_t &count, OW_LOC)
{
    MulAddRelu(dst, src0, src1, count, ow_loc);
}
/* HW: And page and implementation: 32-bit tensors compile in the count form, but only `count` 16-bit units are done. */
OW_BINARY_R(And, int16_t, uint16_t)
OW_BINARY_R(Or, int16_t, uint16_t)
OW_BINARY_N(And, int16_t, uint16_t, int32_t, uint32_t)
OW_BINARY_N(Or, int16_t, uint16_t, int32_t, uint32_t)
#undef OW_BINARY
#undef OW_BINARY_R
#undef OW_BINARY_N

#define OW_BINARY_SCALAR(name, arg_decl, arg, ...)                                                                   \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, const T &scalarValue, uint64_t mask[], const uint32_t repeatTime,     \
                     const UnaryRepeatParams &repeatParams arg_decl, OW_LOC)                                         \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);                                            \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), arg, &r,      \
                 ow_loc);                                                                                            \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, const T &scalarValue, uint64_t mask, const uint32_t repeatTime,       \
                     const UnaryRepeatParams &repeatParams arg_decl, OW_LOC)                                         \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);                                      \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), arg, &r,      \
                 ow_loc);                                                                                            \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, const T &scalarValue, const int32_t &count, OW_LOC)                   \
    {                                                                                                                \
        OW_WANT(name, T, __VA_ARGS__);                                                                               \
        if constexpr (isSetMask) {                                                                                   \
            ow_vec_n(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), 0, count, \
                     ow_loc);                                                                                        \
        } else {                                                                                                     \
            OwRepeat r = OwRep(nullptr, 0, false, 1, 1, 1, 8, 8);                                                    \
            ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), 0, &r,    \
                     ow_loc);                                                                                        \
        }                                                                                                            \
    }
/* The vendor's second family: for tensors of traits, and with both types given, as in Muls<float, float>(...). */
#define OW_BINARY_SCALAR_TYPED(name, arg_decl, arg_use)                                                              \
    template <typename T, typename U, bool isSetMask = true, Std::enable_if_t<ow_same<PrimT<T>, U>, bool> = true>  \
    inline void name(OW_L(T) dst, OW_L(T) src, const U &scalarValue, uint64_t mask[], const uint32_t repeatTime,     \
                     const UnaryRepeatParams &repeatParams arg_decl, OW_LOC)                                         \
    {                                                                                                                \
        name<PrimT<T>, isSetMask>(dst.template ReinterpretCast<PrimT<T>>(), src.template ReinterpretCast<PrimT<T>>(), \
                                  scalarValue, mask, repeatTime, repeatParams arg_use, ow_loc); \
    }                                                                                                                \
    template <typename T, typename U, bool isSetMask = true, Std::enable_if_t<ow_same<PrimT<T>, U>, bool> = true>  \
    inline void name(OW_L(T) dst, OW_L(T) src, const U &scalarValue, uint64_t mask, const uint32_t repeatTime,       \
                     const UnaryRepeatParams &repeatParams arg_decl, OW_LOC)                                         \
    {                                                                                                                \
        name<PrimT<T>, isSetMask>(dst.template ReinterpretCast<PrimT<T>>(), src.template ReinterpretCast<PrimT<T>>(), \
                                  scalarValue, mask, repeatTime, repeatParams arg_use, ow_loc); \
    }                                                                                                                \
    template <typename T, typename U, bool isSetMask = true, Std::enable_if_t<ow_same<PrimT<T>, U>, bool> = true>  \
    inline void name(OW_L(T) dst, OW_L(T) src, const U &scalarValue, const int32_t &count, OW_LOC)                   \
    {                                                                                                                \
        name<PrimT<T>, isSetMask>(dst.template ReinterpretCast<PrimT<T>>(), src.template ReinterpretCast<PrimT<T>>(), \
                                  scalarValue, count, ow_loc); \
    }
#define OW_NONE
#define OW_ROUND_EN , bool roundEn = false
OW_BINARY_SCALAR(Adds, OW_NONE, 0, half, int16_t, int32_t, float)
OW_BINARY_SCALAR(Muls, OW_NONE, 0, half, int16_t, int32_t, float)
OW_BINARY_SCALAR(Maxs, OW_NONE, 0, half, int16_t, int32_t, float)
OW_BINARY_SCALAR(Mins, OW_NONE, 0, half, int16_t, int32_t, float)
OW_BINARY_SCALAR(LeakyRelu, OW_NONE, 0, half, float)
OW_BINARY_SCALAR(ShiftLeft, OW_NONE, 0, int16_t, uint16_t, int32_t, uint32_t)
OW_BINARY_SCALAR(ShiftRight, OW_ROUND_EN, (uint32_t)roundEn, int16_t, uint16_t, int32_t, uint32_t)
#define OW_ROUND_USE , roundEn
OW_BINARY_SCALAR_TYPED(Adds, OW_NONE, OW_NONE)
OW_BINARY_SCALAR_TYPED(Muls, OW_NONE, OW_NONE)
OW_BINARY_SCALAR_TYPED(Maxs, OW_NONE, OW_NONE)
OW_BINARY_SCALAR_TYPED(Mins, OW_NONE, OW_NONE)
OW_BINARY_SCALAR_TYPED(LeakyRelu, OW_NONE, OW_NONE)
OW_BINARY_SCALAR_TYPED(ShiftLeft, OW_NONE, OW_NONE)
OW_BINARY_SCALAR_TYPED(ShiftRight, OW_ROUND_EN, OW_ROUND_USE)
#undef OW_BINARY_SCALAR_TYPED
#undef OW_ROUND_USE
#undef OW_BINARY_SCALAR
#undef OW_ROUND_EN

/* dst type T and source type U: a pair of the list, given as types of function pointers to stay in one list. */
template <typename T, typename U, typename... L> constexpr bool ow_pair_of = (__is_same(PrimT<T> (*)(PrimT<U>), L) || ...);
#define OW_WANT_PAIR(name, T, U, ...)                                                                                \
    static_assert(ow_pair_of<T, U, __VA_ARGS__>,                                                                     \
                  #name " does not take this pair of element types on the target chip; dst(src) may be " #__VA_ARGS__)

#define OW_MIXED(name, count_t, mask_const, ...)                                                                     \
    template <typename T, typename U, bool isSetMask = true>                                                         \
    inline void name(OW_L(T) dst, OW_L(U) src0, OW_L(U) src1, mask_const uint64_t mask[], const uint32_t repeatTime, \
                     const BinaryRepeatParams &repeatParams, OW_LOC)                                                 \
    {                                                                                                                \
        OW_WANT_PAIR(name, T, U, __VA_ARGS__);                                                                       \
        OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);                                            \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src0.ow, &src1.ow, 0, 0, &r, ow_loc);                \
    }                                                                                                                \
    template <typename T, typename U, bool isSetMask = true>                                                         \
    inline void name(OW_L(T) dst, OW_L(U) src0, OW_L(U) src1, uint64_t mask, const uint32_t repeatTime,              \
                     const BinaryRepeatParams &repeatParams, OW_LOC)                                                 \
    {                                                                                                                \
        OW_WANT_PAIR(name, T, U, __VA_ARGS__);                                                                       \
        OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);                                      \
        ow_vec_r(#name, OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src0.ow, &src1.ow, 0, 0, &r, ow_loc);                \
    }                                                                                                                \
    template <typename T, typename U>                                                                                \
    inline void name(OW_L(T) dst, OW_L(U) src0, OW_L(U) src1, count_t count, OW_LOC)                                 \
    {                                                                                                                \
        OW_WANT_PAIR(name, T, U, __VA_ARGS__);                                                                       \
        ow_vec_n(#name, OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src0.ow, &src1.ow, 0, 0, count, ow_loc);             \
    }
OW_MIXED(MulAddDst, const int32_t &, const, half (*)(half), float (*)(float), float (*)(half))
OW_MIXED(MulCast, uint32_t, OW_NONE, int8_t (*)(half), uint8_t (*)(half))
OW_MIXED(AddReluCast, const uint32_t, OW_NONE, int8_t (*)(half), int8_t (*)(int16_t), half (*)(float))
OW_MIXED(SubReluCast, const uint32_t, OW_NONE, int8_t (*)(half), int8_t (*)(int16_t), half (*)(float))
#undef OW_MIXED

template <typename T, typename U, bool isSetMask = true>
inline void Axpy(OW_L(T) dst, OW_L(U) src, const U &scalarValue, uint64_t mask, const uint32_t repeatTime,
                 const UnaryRepeatParams &repeatParams, OW_LOC)
{
    OW_WANT_PAIR(Axpy, T, U, half (*)(half), float (*)(float), float (*)(half));
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);
    ow_vec_r("Axpy", OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), 0, &r, ow_loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(OW_L(T) dst, OW_L(U) src, const U &scalarValue, uint64_t mask[], const uint32_t repeatTime,
                 const UnaryRepeatParams &repeatParams, OW_LOC)
{
    OW_WANT_PAIR(Axpy, T, U, half (*)(half), float (*)(float), float (*)(half));
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);
    ow_vec_r("Axpy", OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), 0, &r, ow_loc);
}
template <typename T, typename U>
inline void Axpy(OW_L(T) dst, OW_L(U) src, const U &scalarValue, const int32_t &count, OW_LOC)
{
    OW_WANT_PAIR(Axpy, T, U, half (*)(half), float (*)(float), float (*)(half));
    ow_vec_n("Axpy", OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src.ow, nullptr, ow_bits(scalarValue), 0, count, ow_loc);
}

/* dst half, sources int32_t; the scale of SetDeqScale(half). */
#define OW_ADD_DEQ_RELU(mask_decl, bits, count)                                                                      \
    template <bool isSetMask = true>                                                                                 \
    inline void AddDeqRelu(OW_L(half) dst, OW_L(int32_t) src0, OW_L(int32_t) src1, mask_decl,                        \
                           const uint32_t repeatTime, const BinaryRepeatParams &repeatParams, OW_LOC)                \
    {                                                                                                                \
        OwRepeat r = OwRep(bits, count, isSetMask, repeatTime, repeatParams);                                        \
        ow_vec_r("AddDeqRelu", OW_TYPES(OW_F16, OW_I32), &dst.ow, &src0.ow, &src1.ow, 0, 0, &r, ow_loc);             \
    }                                                                                                                \
    template <typename T, typename U, bool isSetMask = true>                                                         \
    inline void AddDeqRelu(OW_L(T) dst, OW_L(U) src0, OW_L(U) src1, mask_decl, const uint32_t repeatTime,            \
                           const BinaryRepeatParams &repeatParams, OW_LOC)                                           \
    {                                                                                                                \
        OW_WANT_PAIR(AddDeqRelu, T, U, half (*)(int32_t));                                                           \
        OwRepeat r = OwRep(bits, count, isSetMask, repeatTime, repeatParams);                                        \
        ow_vec_r("AddDeqRelu", OW_TYPES(OW_F16, OW_I32), &dst.ow, &src0.ow, &src1.ow, 0, 0, &r, ow_loc);             \
    }
OW_ADD_DEQ_RELU(uint64_t mask[], mask, 0)
OW_ADD_DEQ_RELU(uint64_t mask, nullptr, mask)
#undef OW_ADD_DEQ_RELU
inline void AddDeqRelu(OW_L(half) dst, OW_L(int32_t) src0, OW_L(int32_t) src1, const int32_t &count, OW_LOC)
{
    ow_vec_n("AddDeqRelu", OW_TYPES(OW_F16, OW_I32), &dst.ow, &src0.ow, &src1.ow, 0, 0, count, ow_loc);
}

/* HW: Cast page, pair table for the 2201 architecture. */
#define OW_CAST_PAIRS                                                                                                \
    half (*)(int8_t), half (*)(uint8_t), half (*)(int16_t), half (*)(int32_t), half (*)(float), float (*)(half),     \
        float (*)(bfloat16_t), float (*)(int16_t), float (*)(int32_t), float (*)(int64_t), float (*)(float),         \
        bfloat16_t (*)(float), int8_t (*)(half), uint8_t (*)(half), int16_t (*)(half), int16_t (*)(float),           \
        int16_t (*)(int32_t), int32_t (*)(half), int32_t (*)(bfloat16_t), int32_t (*)(float), int32_t (*)(int64_t),  \
        int64_t (*)(float), int64_t (*)(int32_t), half (*)(int4b_t), int4b_t (*)(half)
/* Two 4-bit integers share a byte: their conversions have a call of their own. */
template <typename T, typename U> constexpr bool ow_int4_cast = ow_same<PrimT<T>, int4b_t> || ow_same<PrimT<U>, int4b_t>;
template <typename T, typename U, bool isSetMask = true>
inline void Cast(OW_L(T) dst, OW_L(U) src, const RoundMode &roundMode, const uint64_t mask[], const uint32_t repeatTime,
                 const UnaryRepeatParams &repeatParams, OW_LOC)
{
    OW_WANT_PAIR(Cast, T, U, OW_CAST_PAIRS);
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);
    if constexpr (ow_int4_cast<T, U>)
        ow_cast_int4(ow_same<PrimT<U>, int4b_t>, &dst.ow, &src.ow, (uint32_t)roundMode, 0, &r, ow_loc);
    else
        ow_vec_r("Cast", OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src.ow, nullptr, 0, (uint32_t)roundMode, &r, ow_loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(OW_L(T) dst, OW_L(U) src, const RoundMode &roundMode, const uint64_t mask, const uint32_t repeatTime,
                 const UnaryRepeatParams &repeatParams, OW_LOC)
{
    OW_WANT_PAIR(Cast, T, U, OW_CAST_PAIRS);
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);
    if constexpr (ow_int4_cast<T, U>)
        ow_cast_int4(ow_same<PrimT<U>, int4b_t>, &dst.ow, &src.ow, (uint32_t)roundMode, 0, &r, ow_loc);
    else
        ow_vec_r("Cast", OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src.ow, nullptr, 0, (uint32_t)roundMode, &r, ow_loc);
}
template <typename T, typename U>
inline void Cast(OW_L(T) dst, OW_L(U) src, const RoundMode &roundMode, const uint32_t count, OW_LOC)
{
    OW_WANT_PAIR(Cast, T, U, OW_CAST_PAIRS);
    if constexpr (ow_int4_cast<T, U>)
        ow_cast_int4(ow_same<PrimT<U>, int4b_t>, &dst.ow, &src.ow, (uint32_t)roundMode, count, nullptr, ow_loc);
    else
        ow_vec_n("Cast", OW_TYPES(ow_id<T>, ow_id<U>), &dst.ow, &src.ow, nullptr, 0, (uint32_t)roundMode, count, ow_loc);
}

#define OW_DUPLICATE half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float
template <typename T, bool isSetMask = true>
inline void Duplicate(OW_L(T) dst, const T &scalarValue, uint64_t mask, const uint32_t repeatTime,
                      const uint32_t dstBlockStride, const uint32_t dstRepeatStride, OW_LOC)
{
    OW_WANT(Duplicate, T, OW_DUPLICATE);
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, dstBlockStride, 1, dstRepeatStride, 8);
    ow_vec_r("Duplicate", OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, nullptr, nullptr, ow_bits(scalarValue), 0, &r, ow_loc);
}
template <typename T, bool isSetMask = true>
inline void Duplicate(OW_L(T) dst, const T &scalarValue, uint64_t mask[], const uint32_t repeatTime,
                      const uint32_t dstBlockStride, const uint32_t dstRepeatStride, OW_LOC)
{
    OW_WANT(Duplicate, T, OW_DUPLICATE);
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, dstBlockStride, 1, dstRepeatStride, 8);
    ow_vec_r("Duplicate", OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, nullptr, nullptr, ow_bits(scalarValue), 0, &r, ow_loc);
}
template <typename T> inline void Duplicate(OW_L(T) dst, const T &scalarValue, const int32_t &count, OW_LOC)
{
    OW_WANT(Duplicate, T, OW_DUPLICATE);
    ow_vec_n("Duplicate", OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, nullptr, nullptr, ow_bits(scalarValue), 0, count,
             ow_loc);
}
#undef OW_DUPLICATE

#define OW_COPY half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float
template <typename T, bool isSetMask = true>
inline void Copy(OW_L(T) dst, OW_L(T) src, const uint64_t mask[], const uint32_t repeatTime,
                 const CopyRepeatParams &p, OW_LOC)
{
    OW_WANT(Copy, T, OW_COPY);
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, p.dstStride, p.srcStride, p.dstRepeatSize, p.srcRepeatSize);
    ow_vec_r("Copy", OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, 0, 0, &r, ow_loc);
}
template <typename T, bool isSetMask = true>
inline void Copy(OW_L(T) dst, OW_L(T) src, const uint64_t mask, const uint32_t repeatTime, const CopyRepeatParams &p,
                 OW_LOC)
{
    OW_WANT(Copy, T, OW_COPY);
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, p.dstStride, p.srcStride, p.dstRepeatSize, p.srcRepeatSize);
    ow_vec_r("Copy", OW_TYPES(ow_id<T>, ow_id<T>), &dst.ow, &src.ow, nullptr, 0, 0, &r, ow_loc);
}
template <typename T>
inline void Brcb(OW_L(T) dst, OW_L(T) src, const uint32_t repeatTime, const BrcbRepeatParams &p, OW_LOC)
{
    OW_WANT(Brcb, T, OW_COPY);
    OwRepeat r = OwRep(nullptr, 0, false, repeatTime, p.dstBlkStride, 0, p.dstRepStride, 0);
    ow_brcb(ow_id<T>, &dst.ow, &src.ow, &r, ow_loc);
}
template <typename T>
inline void Gather(OW_L(T) dst, OW_L(T) src, OW_L(uint32_t) srcOffset, const uint32_t srcBaseOffset,
                   const uint64_t mask, const uint32_t repeatTime, const uint32_t dstRepStride, OW_LOC)
{
    OW_WANT(Gather, T, OW_COPY);
    OwRepeat r = OwRep(nullptr, mask, true, repeatTime, 1, 1, dstRepStride, 8);
    ow_gather(ow_id<T>, &dst.ow, &src.ow, &srcOffset.ow, srcBaseOffset, 0, &r, ow_loc);
}
template <typename T>
inline void Gather(OW_L(T) dst, OW_L(T) src, OW_L(uint32_t) srcOffset, const uint32_t srcBaseOffset,
                   const uint64_t mask[], const uint32_t repeatTime, const uint32_t dstRepStride, OW_LOC)
{
    OW_WANT(Gather, T, OW_COPY);
    OwRepeat r = OwRep(mask, 0, true, repeatTime, 1, 1, dstRepStride, 8);
    ow_gather(ow_id<T>, &dst.ow, &src.ow, &srcOffset.ow, srcBaseOffset, 0, &r, ow_loc);
}
template <typename T>
inline void Gather(OW_L(T) dst, OW_L(T) src, OW_L(uint32_t) srcOffset, const uint32_t srcBaseOffset,
                   const uint32_t count, OW_LOC)
{
    OW_WANT(Gather, T, OW_COPY);
    ow_gather(ow_id<T>, &dst.ow, &src.ow, &srcOffset.ow, srcBaseOffset, count, nullptr, ow_loc);
}
template <typename T>
inline void Gatherb(OW_L(T) dst, OW_L(T) src, OW_L(uint32_t) offset, const uint32_t repeatTime,
                    const GatherRepeatParams &p, OW_LOC)
{
    OW_WANT(Gatherb, T, uint16_t, uint32_t);
    OwRepeat r = OwRep(nullptr, 0, false, repeatTime, p.dstBlkStride, 1, p.dstRepStride, 8);
    ow_gatherb(ow_id<T>, &dst.ow, &src.ow, &offset.ow, &r, ow_loc);
}
#undef OW_COPY

#define OW_INDEX half, int16_t, int32_t, float
template <typename T>
inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask, uint32_t repeatTime,
                           uint32_t dstBlkStride, uint32_t dstRepStride, OW_LOC)
{
    OW_WANT(CreateVecIndex, T, OW_INDEX);
    OwRepeat r = OwRep(nullptr, mask, true, repeatTime, dstBlkStride, 1, dstRepStride, 8);
    ow_index(ow_id<T>, &dst.ow, ow_bits(firstValue), 0, &r, ow_loc);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T> &dst, const T &firstValue, uint64_t mask[], uint32_t repeatTime,
                           uint32_t dstBlkStride, uint32_t dstRepStride, OW_LOC)
{
    OW_WANT(CreateVecIndex, T, OW_INDEX);
    OwRepeat r = OwRep(mask, 0, true, repeatTime, dstBlkStride, 1, dstRepStride, 8);
    ow_index(ow_id<T>, &dst.ow, ow_bits(firstValue), 0, &r, ow_loc);
}
template <typename T> inline void CreateVecIndex(LocalTensor<T> dst, const T &firstValue, uint32_t count, OW_LOC)
{
    OW_WANT(CreateVecIndex, T, OW_INDEX);
    ow_index(ow_id<T>, &dst.ow, ow_bits(firstValue), count, nullptr, ow_loc);
}
#undef OW_INDEX

/* mask register */
template <typename T, MaskMode mode = MaskMode::NORMAL>
static inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow, OW_LOC)
{
    ow_mask_set(maskHigh, maskLow, mode == MaskMode::COUNTER, ow_loc);
}
template <typename T, MaskMode mode = MaskMode::NORMAL> static inline void SetVectorMask(int32_t len, OW_LOC)
{
    ow_mask_len(ow_id<T>, mode == MaskMode::COUNTER, len, ow_loc);
}
inline void ResetMask(OW_LOC)
{
    ow_mask_set(~0ull, ~0ull, 0, ow_loc);
}
inline void SetMaskCount(OW_LOC)
{
    ow_mask_mode(1, ow_loc);
}
inline void SetMaskNorm(OW_LOC)
{
    ow_mask_mode(0, ow_loc);
}
template <SaturationMode mode> inline void SetSaturationFlag(bool enableSat, OW_LOC)
{
    ow_ctrl_set("SetSaturationFlag", mode == SaturationMode::FLOAT ? 48 : mode == SaturationMode::CAST ? 59 : 53,
                mode == SaturationMode::INT ? enableSat : !enableSat, ow_loc);
}
template <SaturationMode mode> inline bool GetSaturationFlag()
{
    return mode == SaturationMode::INT ? ow_ctrl_get(53) != 0 : !ow_ctrl_get(mode == SaturationMode::FLOAT ? 48 : 59);
}
template <int8_t startBit, int8_t endBit> static inline void SetCtrlSpr(int64_t value, OW_LOC)
{
    static_assert(startBit == 48 && endBit == 48, "SetCtrlSpr: only bit 48 on this architecture");
    ow_ctrl_set("SetCtrlSpr", 48, (uint32_t)(value & 1), ow_loc);
}
template <int8_t startBit, int8_t endBit> static inline int64_t GetCtrlSpr()
{
    static_assert(startBit == 48 && endBit == 48, "GetCtrlSpr: only bit 48 on this architecture");
    return (int64_t)ow_ctrl_get(48);
}

} // namespace AscendC
#endif
