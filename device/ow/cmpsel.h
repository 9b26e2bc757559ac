/* Compare, Compares, Select and the CMPMASK register. */
#ifndef OW_CMPSEL_H
#define OW_CMPSEL_H

#include "ow/vector.h"

namespace AscendC {

#define OW_CMP_WANT(name)                                                                                            \
    OW_WANT(name, T, half, float, int32_t);                                                                          \
    OW_WANT(name, U, int8_t, uint8_t)

template <typename T, typename U, bool isSetMask = true>
inline void Compare(OW_L(U) dst, OW_L(T) src0, OW_L(T) src1, CMPMODE cmpMode, const uint64_t mask[],
                    uint32_t repeatTime, const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_CMP_WANT(Compare);
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);
    ow_vec_r("Compare", OW_TYPES(ow_id<U>, ow_id<T>), &dst.ow, &src0.ow, &src1.ow, 0, (uint32_t)cmpMode, &r, ow_loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(OW_L(U) dst, OW_L(T) src0, OW_L(T) src1, CMPMODE cmpMode, const uint64_t mask, uint32_t repeatTime,
                    const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_CMP_WANT(Compare);
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);
    ow_vec_r("Compare", OW_TYPES(ow_id<U>, ow_id<T>), &dst.ow, &src0.ow, &src1.ow, 0, (uint32_t)cmpMode, &r, ow_loc);
}
template <typename T, bool isSetMask = true>
inline void Compare(OW_L(T) src0, OW_L(T) src1, CMPMODE cmpMode, const uint64_t mask[],
                    const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_WANT(Compare, T, half, float);
    OwRepeat r = OwRep(mask, 0, isSetMask, 1, repeatParams);
    ow_compare_reg(ow_id<T>, &src0.ow, &src1.ow, (uint32_t)cmpMode, &r, ow_loc);
}
template <typename T, bool isSetMask = true>
inline void Compare(OW_L(T) src0, OW_L(T) src1, CMPMODE cmpMode, const uint64_t mask,
                    const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_WANT(Compare, T, half, float);
    OwRepeat r = OwRep(nullptr, mask, isSetMask, 1, repeatParams);
    ow_compare_reg(ow_id<T>, &src0.ow, &src1.ow, (uint32_t)cmpMode, &r, ow_loc);
}
template <typename T, typename U>
inline void Compare(OW_L(U) dst, OW_L(T) src0, OW_L(T) src1, CMPMODE cmpMode, uint32_t count, OW_LOC)
{
    OW_CMP_WANT(Compare);
    ow_vec_n("Compare", OW_TYPES(ow_id<U>, ow_id<T>), &dst.ow, &src0.ow, &src1.ow, 0, (uint32_t)cmpMode, count, ow_loc);
}
template <typename T> inline void GetCmpMask(OW_L(T) dst, OW_LOC)
{
    ow_cmpmask_get(&dst.ow, ow_loc);
}
template <typename T> inline void SetCmpMask(OW_L(T) src, OW_LOC)
{
    ow_cmpmask_set(&src.ow, ow_loc);
}

#define OW_COMPARE_SCALAR(name)                                                                                      \
    template <typename T, typename U, bool isSetMask = true>                                                         \
    inline void name(OW_L(U) dst, OW_L(T) src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask[],          \
                     uint32_t repeatTime, const UnaryRepeatParams &repeatParams, OW_LOC)                             \
    {                                                                                                                \
        OW_CMP_WANT(name);                                                                                           \
        OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);                                            \
        ow_vec_r(#name, OW_TYPES(ow_id<U>, ow_id<T>), &dst.ow, &src0.ow, nullptr, ow_bits(src1Scalar),               \
                 (uint32_t)cmpMode, &r, ow_loc);                                                                     \
    }                                                                                                                \
    template <typename T, typename U, bool isSetMask = true>                                                         \
    inline void name(OW_L(U) dst, OW_L(T) src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask,            \
                     uint32_t repeatTime, const UnaryRepeatParams &repeatParams, OW_LOC)                             \
    {                                                                                                                \
        OW_CMP_WANT(name);                                                                                           \
        OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);                                      \
        ow_vec_r(#name, OW_TYPES(ow_id<U>, ow_id<T>), &dst.ow, &src0.ow, nullptr, ow_bits(src1Scalar),               \
                 (uint32_t)cmpMode, &r, ow_loc);                                                                     \
    }                                                                                                                \
    template <typename T, typename U>                                                                                \
    inline void name(OW_L(U) dst, OW_L(T) src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count, OW_LOC)         \
    {                                                                                                                \
        OW_CMP_WANT(name);                                                                                           \
        ow_vec_n(#name, OW_TYPES(ow_id<U>, ow_id<T>), &dst.ow, &src0.ow, nullptr, ow_bits(src1Scalar),               \
                 (uint32_t)cmpMode, count, ow_loc);                                                                  \
    }
OW_COMPARE_SCALAR(Compares)
OW_COMPARE_SCALAR(CompareScalar)
#undef OW_COMPARE_SCALAR
#undef OW_CMP_WANT

#define OW_SEL_WANT                                                                                                  \
    OW_WANT(Select, T, half, float);                                                                                 \
    OW_WANT(Select, U, uint8_t, uint16_t, uint32_t, uint64_t)
template <typename T, typename U, bool isSetMask = true>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, OW_L(T) src1, SELMODE selMode, uint64_t mask[],
                   uint32_t repeatTime, const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_SEL_WANT;
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, &src1.ow, 0, (uint32_t)selMode, 0, &r, ow_loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, OW_L(T) src1, SELMODE selMode, uint64_t mask,
                   uint32_t repeatTime, const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_SEL_WANT;
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, &src1.ow, 0, (uint32_t)selMode, 0, &r, ow_loc);
}
template <typename T, SELMODE selMode>
inline void Select(OW_L(T) dst, OW_L(T) src0, OW_L(T) src1, uint32_t repeatTime, const BinaryRepeatParams &repeatParams,
                   OW_LOC)
{
    OW_WANT(Select, T, half, float);
    OwRepeat r = OwRep(nullptr, 0, false, repeatTime, repeatParams);
    ow_select(ow_id<T>, &dst.ow, nullptr, &src0.ow, &src1.ow, 0, (uint32_t)selMode, 0, &r, ow_loc);
}
template <typename T, typename U>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, uint32_t repeatTime,
                   const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_SEL_WANT;
    OwRepeat r = OwRep(nullptr, 0, false, repeatTime, repeatParams);
    /* The scalar comes from CMPMASK: mode 3 of the interface. */
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, nullptr, 0, 3, 0, &r, ow_loc);
}
template <typename T, typename U>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, OW_L(T) src1, SELMODE selMode, uint32_t count, OW_LOC)
{
    OW_SEL_WANT;
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, &src1.ow, 0, (uint32_t)selMode, count, nullptr, ow_loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, T src1, SELMODE selMode, uint64_t mask[],
                   uint32_t repeatTime, const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_SEL_WANT;
    OwRepeat r = OwRep(mask, 0, isSetMask, repeatTime, repeatParams);
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, nullptr, ow_bits(src1), (uint32_t)selMode, 0, &r, ow_loc);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, T src1, SELMODE selMode, uint64_t mask,
                   uint32_t repeatTime, const BinaryRepeatParams &repeatParams, OW_LOC)
{
    OW_SEL_WANT;
    OwRepeat r = OwRep(nullptr, mask, isSetMask, repeatTime, repeatParams);
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, nullptr, ow_bits(src1), (uint32_t)selMode, 0, &r, ow_loc);
}
template <typename T, typename U>
inline void Select(OW_L(T) dst, OW_L(U) selMask, OW_L(T) src0, T src1, SELMODE selMode, uint32_t count, OW_LOC)
{
    OW_SEL_WANT;
    ow_select(ow_id<T>, &dst.ow, &selMask.ow, &src0.ow, nullptr, ow_bits(src1), (uint32_t)selMode, count, nullptr,
              ow_loc);
}
#undef OW_SEL_WANT

} // namespace AscendC
#endif
