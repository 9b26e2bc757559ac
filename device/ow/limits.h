/* NumericLimits: the ends and the special values of an element type, as scalars and as fills of a tensor. HW: kernel_operator_limits_intf.h. */
#ifndef OW_LIMITS_H
#define OW_LIMITS_H

#include "ow/vector.h"

namespace AscendC {

/* Bits of each value; for integers without a sign the smallest is 0, with one the highest bit. */
template <typename T> struct OwLimits {
    static constexpr bool is_half = ow_same<T, half>, is_float = is_half || ow_same<T, float>;
    static constexpr uint64_t ones = sizeof(T) == 8 ? ~0ull : (1ull << (8 * sizeof(T))) - 1, sign = ones - (ones >> 1);
    static constexpr bool is_signed = T(-1) < T(0);
    static constexpr uint64_t inf = is_half ? 0x7c00u : 0x7f800000u;
    static constexpr uint64_t max = is_float ? inf - 1 : is_signed ? ones >> 1 : ones;
    static constexpr uint64_t lowest = is_float ? sign | max : is_signed ? sign : 0;
    static constexpr uint64_t min = is_float ? (is_half ? 0x400u : 0x800000u) : lowest; /* smallest normal number */
    static constexpr uint64_t quiet = inf | (is_half ? 0x200u : 0x400000u), signaling = inf | (is_half ? 0x100u : 0x200000u);
};

template <typename T> struct NumericLimits {
    static_assert(ow_one_of<T, uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t, half, float>, "NumericLimits: not of this type on the target chip");
#define OW_LIMIT(name, bits)                                                                                         \
    static constexpr T name()                                                                                        \
    {                                                                                                                \
        if constexpr (OwLimits<T>::is_half)                                                                          \
            return __builtin_bit_cast(T, (uint16_t)(OwLimits<T>::bits));                                             \
        else if constexpr (OwLimits<T>::is_float)                                                                    \
            return __builtin_bit_cast(T, (uint32_t)(OwLimits<T>::bits));                                             \
        else                                                                                                         \
            return (T)(OwLimits<T>::bits);                                                                           \
    }                                                                                                                \
    static void name(const LocalTensor<T> &dst, uint32_t count, OW_LOC) { Duplicate(dst, name(), (int32_t)count, ow_loc); }
#define OW_LIMIT_F(name, bits)                                                                                       \
    template <typename U = T, Std::enable_if_t<OwLimits<U>::is_float, bool> = true> static constexpr T name()        \
    {                                                                                                                \
        return __builtin_bit_cast(T, (Std::conditional_t<OwLimits<T>::is_half, uint16_t, uint32_t>)(bits));          \
    }                                                                                                                \
    static void name(const LocalTensor<T> &dst, uint32_t count, OW_LOC) { Duplicate(dst, name(), (int32_t)count, ow_loc); }
    OW_LIMIT(Max, max)
    OW_LIMIT(Lowest, lowest)
    OW_LIMIT(Min, min)
    OW_LIMIT_F(Infinity, OwLimits<T>::inf)
    OW_LIMIT_F(NegativeInfinity, OwLimits<T>::sign | OwLimits<T>::inf)
    OW_LIMIT_F(QuietNaN, OwLimits<T>::quiet)
    OW_LIMIT_F(SignalingNaN, OwLimits<T>::signaling)
    OW_LIMIT_F(DeNormMin, 1u)
#undef OW_LIMIT
#undef OW_LIMIT_F
};

} // namespace AscendC
#endif
