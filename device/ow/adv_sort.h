/* Sort, Extract, MrgSort by lists, TopK; src/sim/adv_sort.c has what they do. */
#ifndef OW_ADV_SORT_H
#define OW_ADV_SORT_H

#include "ow/adv_call.h"
#include "ow/layout.h"

namespace AscendC {

/* HW: this chip sorts scores where they lie: nothing is copied. */
template <typename T>
inline void Concat(LocalTensor<T> &concat, const LocalTensor<T> &src, const LocalTensor<T> &tmp, const int32_t repeatTime)
{
    OW_WANT(Concat, T, half, float);
    (void)tmp, (void)repeatTime;
    concat = src;
}
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &concat, const LocalTensor<uint32_t> &index,
                 LocalTensor<T> &tmp, const int32_t repeatTime, OW_LOC)
{
    OW_WANT(Sort, T, half, float);
    OwAdvCall(dst, concat, index).Numbers(repeatTime, isFullSort).Tmp(tmp.template ReinterpretCast<uint8_t>()).Run("Sort", ow_loc);
}
template <typename T>
inline void Extract(const LocalTensor<T> &dstValue, const LocalTensor<uint32_t> &dstIndex, const LocalTensor<T> &sorted,
                    const int32_t repeatTime, OW_LOC)
{
    OW_WANT(Extract, T, half, float);
    OwAdvCall(dstValue, dstIndex, sorted).Numbers(repeatTime).Run("Extract", ow_loc);
}
template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &sortList, const uint16_t elementCountList[4],
                    uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime, OW_LOC)
{
    MrgSort(dst, sortList, MrgSort4Info(elementCountList, isExhaustedSuspension, validBit, (uint16_t)repeatTime), ow_loc);
    if constexpr (isExhaustedSuspension) {
        uint16_t taken[4];
        GetMrgSortResult(taken[0], taken[1], taken[2], taken[3], ow_loc);
        for (int i = 0; i < 4; i++) sortedNum[i] = taken[i];
    }
}
template <typename T> inline uint32_t GetSortOffset(const uint32_t elemOffset)
{
    return (uint32_t)(elemOffset * (8 / sizeof(T)));
}
template <typename T> inline uint32_t GetSortLen(const uint32_t elemCount)
{
    return (uint32_t)(elemCount * (8 / sizeof(T)));
}

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
struct TopKInfo {
    int32_t outter = 1;
    int32_t inner;
    int32_t n;
};
#define OW_TOPK(TMP, tmp)                                                                                            \
    template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,               \
              enum TopKMode topkMode = TopKMode::TOPK_NORMAL>                                                        \
    inline void TopK(const LocalTensor<T> &dstValueLocal, const LocalTensor<int32_t> &dstIndexLocal,                 \
                     const LocalTensor<T> &srcLocal, const LocalTensor<int32_t> &srcIndexLocal,                      \
                     const LocalTensor<bool> &finishLocal, TMP() const int32_t k, const TopkTiling &tilling,         \
                     const TopKInfo &topKInfo, const bool isLargest = true, OW_LOC)                                  \
    {                                                                                                                \
        OW_WANT(TopK, T, half, float);                                                                               \
        OwAdvCall(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal)                                \
            .Numbers(k, topKInfo.outter, topKInfo.inner, topKInfo.n, isInitIndex, isHasfinish,                       \
                     topkMode == TopKMode::TOPK_NSMALL, isLargest)                                                   \
            .Tmp(tmp)                                                                                                \
            .Run("TopK", ow_loc);                                                                                    \
    }
#define OW_TMP_LOCAL() const LocalTensor<uint8_t> &tmpLocal,
OW_TOPK(OW_TMP_LOCAL, tmpLocal)
OW_TOPK(OW_NO_TMP, OwNoTensor{})
#undef OW_TMP_LOCAL
#undef OW_TOPK

} // namespace AscendC
#endif
