/* Functions of the scalar unit on numbers. HW: pages of the scalar computations. */
#ifndef OW_SCALAR_H
#define OW_SCALAR_H

#include "ow/tensor.h"

namespace AscendC {

inline float ToFloat(const bfloat16_t &bVal)
{
    return ow_unbits<float>((uint64_t)bVal.ow_bits << 16);
}
inline bfloat16_t ToBfloat16(const float &fVal)
{
    return bfloat16_t(fVal);
}
inline bfloat16_t Cast(const float &fVal) { return bfloat16_t(fVal); }
inline float Cast(const bfloat16_t &bVal) { return ToFloat(bVal); }

/* float to half, rounded to odd: cut, then the last bit set when anything was cut off. */
inline half OwCastOdd(float v)
{
    half h = (half)v; /* nearest: at most one step above the cut value, also from the largest number to infinity */
    if ((float)h == v || v != v) return h;
    uint16_t bits = (uint16_t)ow_bits(h);
    if (__builtin_fabsf((float)h) > __builtin_fabsf(v)) bits = (uint16_t)(bits - 1);
    return ow_unbits<half>((uint64_t)(bits | 1u));
}
template <typename T, typename U, RoundMode roundMode> inline U ScalarCast(T valueIn)
{
    constexpr bool odd = __is_same(U, half) && roundMode == RoundMode::CAST_ODD;
    constexpr bool whole = __is_same(U, int32_t) && (roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                                                     roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT);
    static_assert(__is_same(T, float) && (odd || whole),
                  "ScalarCast: float to int32_t with CAST_ROUND, CAST_CEIL, CAST_FLOOR or CAST_RINT, float to half with CAST_ODD");
    if constexpr (odd) {
        return OwCastOdd(valueIn);
    } else {
        float r = roundMode == RoundMode::CAST_ROUND  ? __builtin_roundf(valueIn)
                  : roundMode == RoundMode::CAST_CEIL ? __builtin_ceilf(valueIn)
                  : roundMode == RoundMode::CAST_FLOOR ? __builtin_floorf(valueIn)
                                                       : __builtin_rintf(valueIn);
        return r >= 2147483648.0f ? INT32_MAX : r >= -2147483648.0f ? (int32_t)r : r == r ? INT32_MIN : 0;
    }
}
template <typename T, typename U, RoundMode roundMode> inline U Cast(T valueIn)
{
    return ScalarCast<T, U, roundMode>(valueIn);
}

template <int countValue> inline int64_t GetBitCount(uint64_t valueIn)
{
    static_assert(countValue == 0 || countValue == 1, "GetBitCount counts zeros or ones");
    return __builtin_popcountll(countValue ? valueIn : ~valueIn);
}
template <int countValue> inline int64_t ScalarGetCountOfValue(uint64_t valueIn) { return GetBitCount<countValue>(valueIn); }
inline int64_t CountLeadingZero(uint64_t valueIn) { return valueIn ? __builtin_clzll(valueIn) : 64; }
inline int64_t ScalarCountLeadingZero(uint64_t valueIn) { return CountLeadingZero(valueIn); }
inline int64_t CountBitsCntSameAsSignBit(int64_t valueIn)
{
    return valueIn == 0 || valueIn == -1 ? -1 : __builtin_clrsbll(valueIn);
}
template <int countValue> inline int64_t GetSFFValue(uint64_t valueIn)
{
    static_assert(countValue == 0 || countValue == 1, "GetSFFValue looks for a zero or a one");
    uint64_t v = countValue ? valueIn : ~valueIn;
    return v ? __builtin_ctzll(v) : -1;
}
/* Division by a constant as the high half of a product: n / divisor = ((n * magic >> width) + n) >> shift. HW: header; divisor 1 to
 * half the type's range. */
template <typename T> inline void GetUintDivMagicAndShift(T &magic, T &shift, T divisor)
{
    static_assert(ow_one_of<T, uint32_t, uint64_t>, "GetUintDivMagicAndShift takes uint32_t and uint64_t");
    shift = (T)(64 - CountLeadingZero(divisor) - (GetBitCount<1>(divisor) == 1 ? 1 : 0));
    unsigned __int128 rest = ((unsigned __int128)1 << shift) - divisor;
    magic = (T)((rest << (8 * sizeof(T))) / divisor + 1);
}
template <int countValue> inline int64_t ScalarGetSFFValue(uint64_t valueIn) { return GetSFFValue<countValue>(valueIn); }

/* Global memory past the data cache. */
#define OW_BYPASS_TYPES(T)                                                                                           \
    static_assert(ow_one_of<T, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>,            \
                  "ReadGmByPassDCache and WriteGmByPassDCache take integers of 8 to 64 bits")
template <typename T> inline T ReadGmByPassDCache(__gm__ T *addr, OW_LOC)
{
    OW_BYPASS_TYPES(T);
    OwGlobal g = {(void *)addr, ow_gm_bind((const void *)addr, ow_loc)};
    return ow_unbits<T>(ow_gm_get_direct(ow_id<T>, &g, ow_loc));
}
template <typename T> inline void WriteGmByPassDCache(__gm__ T *addr, T value, OW_LOC)
{
    OW_BYPASS_TYPES(T);
    OwGlobal g = {(void *)addr, ow_gm_bind((const void *)addr, ow_loc)};
    ow_gm_set_direct(ow_id<T>, &g, ow_bits<T>(value), ow_loc);
}
#undef OW_BYPASS_TYPES

} // namespace AscendC
#endif
