/* Reductions. */
#ifndef OW_REDUCE_H
#define OW_REDUCE_H

#include "ow/vector.h"

namespace AscendC {

#define OW_REDUCE_ALL(name, kind, idx_decl, idx, N_TMPL, N_SET)                                                      \
    template <typename T>                                                                                            \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_L(T) sharedTmpBuffer, const int32_t mask,                          \
                     const int32_t repeatTime, const int32_t srcRepStride idx_decl, OW_LOC)                          \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        OwRepeat r = OwRep(nullptr, (uint64_t)mask, true, (uint32_t)repeatTime, 1, 1, 8, (uint32_t)srcRepStride);    \
        ow_reduce_all(#name, ow_id<T>, kind, &dst.ow, &src.ow, &sharedTmpBuffer.ow, idx, 1, 0, &r, ow_loc);          \
    }                                                                                                                \
    template <typename T>                                                                                            \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_L(T) sharedTmpBuffer, const uint64_t mask[],                       \
                     const int32_t repeatTime, const int32_t srcRepStride idx_decl, OW_LOC)                          \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        OwRepeat r = OwRep(mask, 0, true, (uint32_t)repeatTime, 1, 1, 8, (uint32_t)srcRepStride);                    \
        ow_reduce_all(#name, ow_id<T>, kind, &dst.ow, &src.ow, &sharedTmpBuffer.ow, idx, 1, 0, &r, ow_loc);          \
    }                                                                                                                \
    template <typename T N_TMPL>                                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_L(T) sharedTmpBuffer, const int32_t count idx_decl, OW_LOC)        \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        ow_reduce_all(#name, ow_id<T>, kind, &dst.ow, &src.ow, &sharedTmpBuffer.ow, idx, N_SET, count, nullptr,      \
                      ow_loc);                                                                                       \
    }
#define OW_CAL , bool calIndex = 0
#define OW_SET , bool isSetMask = true
OW_REDUCE_ALL(ReduceSum, 0, OW_NONE, 0, OW_SET, isSetMask)
OW_REDUCE_ALL(ReduceMax, 1, OW_CAL, calIndex, OW_NONE, 1)
OW_REDUCE_ALL(ReduceMin, 2, OW_CAL, calIndex, OW_NONE, 1)
#undef OW_REDUCE_ALL
#undef OW_CAL
#undef OW_SET

/* Argument order differs between the families: mask before repeatTime for the whole-repeat ones, after it for others. */
#define OW_REDUCE_REP(name, kind, group, order, MASK_ARG0, ARG1, MASK_ARG1, ARG2, ...)                               \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, MASK_ARG0, ARG1, const int32_t dstRepStride,                          \
                     const int32_t srcBlkStride, const int32_t srcRepStride __VA_ARGS__, OW_LOC)                     \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        OwRepeat r = OwRep(mask, 0, isSetMask, (uint32_t)repeatTime, 1, (uint32_t)srcBlkStride,                      \
                           (uint32_t)dstRepStride, (uint32_t)srcRepStride);                                          \
        ow_reduce_rep(#name, ow_id<T>, kind, group, &dst.ow, &src.ow, order, &r, ow_loc);                            \
    }                                                                                                                \
    template <typename T, bool isSetMask = true>                                                                     \
    inline void name(OW_L(T) dst, OW_L(T) src, MASK_ARG1, ARG2, const int32_t dstRepStride,                          \
                     const int32_t srcBlkStride, const int32_t srcRepStride __VA_ARGS__, OW_LOC)                     \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        OwRepeat r = OwRep(nullptr, (uint64_t)mask, isSetMask, (uint32_t)repeatTime, 1, (uint32_t)srcBlkStride,      \
                           (uint32_t)dstRepStride, (uint32_t)srcRepStride);                                          \
        ow_reduce_rep(#name, ow_id<T>, kind, group, &dst.ow, &src.ow, order, &r, ow_loc);                            \
    }
#define OW_WHOLE(name, kind, order, ...)                                                                             \
    OW_REDUCE_REP(name, kind, 0, order, const uint64_t mask[], const int32_t repeatTime, const int32_t mask,         \
                  const int32_t repeatTime, __VA_ARGS__)
#define OW_PART(name, kind, group)                                                                                   \
    OW_REDUCE_REP(name, kind, group, 0, const int32_t repeatTime, const uint64_t mask[], const int32_t repeatTime,   \
                  const int32_t mask, )
#define OW_ORDER , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX
OW_WHOLE(WholeReduceSum, 0, 0, )
OW_WHOLE(WholeReduceMax, 1, (uint32_t)order, OW_ORDER)
OW_WHOLE(WholeReduceMin, 2, (uint32_t)order, OW_ORDER)
OW_PART(BlockReduceSum, 0, 1)
OW_PART(BlockReduceMax, 1, 1)
OW_PART(BlockReduceMin, 2, 1)
OW_PART(PairReduceSum, 0, 2)
#undef OW_ORDER
#undef OW_WHOLE
#undef OW_PART
#undef OW_REDUCE_REP

/* The names since 9.1, with the kind as a template argument and mask before repeatTime in all of them. */
#define OW_REDUCE_KIND(name, group, order, order_decl, only_sum)                                                     \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                  \
    inline void name(OW_L(T) dst, OW_L(U) src, const uint64_t mask[], const int32_t repeatTime,                      \
                     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride order_decl,  \
                     OW_LOC)                                                                                         \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        static_assert(ow_same<T, U>, #name " takes the same element type for dst and src on the target chip");       \
        static_assert(!only_sum || reduceType == ReduceType::SUM, #name " takes ReduceType::SUM only");              \
        OwRepeat r = OwRep(mask, 0, isSetMask, (uint32_t)repeatTime, 1, (uint32_t)srcBlkStride,                      \
                           (uint32_t)dstRepStride, (uint32_t)srcRepStride);                                          \
        ow_reduce_rep(#name, ow_id<T>, (uint32_t)reduceType, group, &dst.ow, &src.ow, order, &r, ow_loc);            \
    }                                                                                                                \
    template <ReduceType reduceType, typename T, typename U, bool isSetMask = true>                                  \
    inline void name(OW_L(T) dst, OW_L(U) src, const int32_t mask, const int32_t repeatTime,                         \
                     const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride order_decl,  \
                     OW_LOC)                                                                                         \
    {                                                                                                                \
        OW_WANT(name, T, half, float);                                                                               \
        static_assert(ow_same<T, U>, #name " takes the same element type for dst and src on the target chip");       \
        static_assert(!only_sum || reduceType == ReduceType::SUM, #name " takes ReduceType::SUM only");              \
        OwRepeat r = OwRep(nullptr, (uint64_t)mask, isSetMask, (uint32_t)repeatTime, 1, (uint32_t)srcBlkStride,      \
                           (uint32_t)dstRepStride, (uint32_t)srcRepStride);                                          \
        ow_reduce_rep(#name, ow_id<T>, (uint32_t)reduceType, group, &dst.ow, &src.ow, order, &r, ow_loc);            \
    }
#define OW_ORDER , ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX
OW_REDUCE_KIND(ReduceRepeat, 0, (uint32_t)order, OW_ORDER, false)
OW_REDUCE_KIND(ReduceDataBlock, 1, 0, , false)
OW_REDUCE_KIND(ReducePairElem, 2, 0, , true)
#undef OW_ORDER
#undef OW_REDUCE_KIND

/* HW: RepeatReduceSum, implementation: dstBlkStride is not used. */
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(OW_L(T) dst, OW_L(T) src, const int32_t repeatTime, const int32_t mask,
                            const int32_t dstBlkStride, const int32_t srcBlkStride, const int32_t dstRepStride,
                            const int32_t srcRepStride, OW_LOC)
{
    WholeReduceSum<T, isSetMask>(dst, src, mask, repeatTime, dstRepStride, srcBlkStride, srcRepStride, ow_loc);
}

template <typename T> inline void GetReduceMaxMinCount(T &maxMinValue, OW_LOC)
{
    uint64_t v;
    ow_reduce_spr(ow_id<T>, 1, &v, nullptr, ow_loc);
    maxMinValue = ow_unbits<T>(v);
}
template <typename T> inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, OW_LOC)
{
    GetReduceMaxMinCount(maxMinValue, ow_loc);
}
template <typename T> inline void GetReduceMaxMinCount(T &maxMinValue, T &maxMinIndex, OW_LOC)
{
    uint64_t v, i;
    ow_reduce_spr(ow_id<T>, 1, &v, &i, ow_loc);
    maxMinValue = ow_unbits<T>(v);
    maxMinIndex = ow_unbits<T>(i);
}
template <typename T> inline void GetReduceRepeatMaxMinSpr(T &maxMinValue, T &maxMinIndex, OW_LOC)
{
    GetReduceMaxMinCount(maxMinValue, maxMinIndex, ow_loc);
}
template <typename T> inline T GetAccVal(OW_LOC)
{
    uint64_t v;
    ow_reduce_spr(ow_id<T>, 0, &v, nullptr, ow_loc);
    return ow_unbits<T>(v);
}
template <typename T> inline T GetReduceRepeatSumSpr(OW_LOC)
{
    return GetAccVal<T>(ow_loc);
}

} // namespace AscendC
#endif
