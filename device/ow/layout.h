/* Sorting, gathering by mask, and layout changes within UB. */
#ifndef OW_LAYOUT_H
#define OW_LAYOUT_H

#include "ow/vector.h"

namespace AscendC {

/* ---- GatherMask --------------------------------------------------------------------------------------------------- */

enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
const GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V1;
const GatherMaskMode defaultGahterMaskMode = GatherMaskMode::VERSION_V1;

struct GatherMaskParams {
    GatherMaskParams() {}
    GatherMaskParams(const uint8_t src0BlockStrideIn, const uint16_t repeatTimesIn, const uint16_t src0RepeatStrideIn,
                     const uint8_t src1RepeatStrideIn)
        : src0BlockStride(src0BlockStrideIn), repeatTimes(repeatTimesIn), src0RepeatStride(src0RepeatStrideIn),
          src1RepeatStride(src1RepeatStrideIn)
    {
    }
    uint8_t src0BlockStride = DEFAULT_BLK_STRIDE;
    uint16_t repeatTimes = 0;
    uint16_t src0RepeatStride = DEFAULT_REPEAT_STRIDE;
    uint8_t src1RepeatStride = DEFAULT_REPEAT_STRIDE;
};
inline OwGatherMask OwMaskParams(const GatherMaskParams &p)
{
    return OwGatherMask{p.src0BlockStride, p.repeatTimes, p.src0RepeatStride, p.src1RepeatStride};
}

#define OW_GATHERED half, bfloat16_t, int16_t, uint16_t, int32_t, uint32_t, float
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(OW_L(T) dst, OW_L(T) src0, OW_L(U) src1Pattern, const bool reduceMode, const uint32_t mask,
                       const GatherMaskParams &gatherMaskParams, uint64_t &rsvdCnt, OW_LOC)
{
    OW_WANT(GatherMask, T, OW_GATHERED);
    static_assert(sizeof(T) == 2 ? ow_same<U, uint16_t> : ow_same<U, uint32_t>,
                  "GatherMask: src1Pattern is uint16_t for 16-bit elements and uint32_t for 32-bit ones");
    OwGatherMask p = OwMaskParams(gatherMaskParams);
    rsvdCnt = ow_gather_mask(ow_id<T>, &dst.ow, &src0.ow, &src1Pattern.ow, 0, reduceMode, mask, &p, ow_loc);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(OW_L(T) dst, OW_L(T) src0, const uint8_t src1Pattern, const bool reduceMode, const uint32_t mask,
                       const GatherMaskParams &gatherMaskParams, uint64_t &rsvdCnt, OW_LOC)
{
    OW_WANT(GatherMask, T, OW_GATHERED);
    OwGatherMask p = OwMaskParams(gatherMaskParams);
    rsvdCnt = ow_gather_mask(ow_id<T>, &dst.ow, &src0.ow, nullptr, src1Pattern, reduceMode, mask, &p, ow_loc);
}
inline int64_t GetGatherMaskRemainCount(OW_LOC) { return ow_gather_mask_count(ow_loc); }
#undef OW_GATHERED

/* ---- sorting ------------------------------------------------------------------------------------------------------- */

struct MrgSort4Info {
    MrgSort4Info() {}
    MrgSort4Info(const uint16_t elementLengthsIn[4], const bool ifExhaustedSuspensionIn, const uint16_t validBitIn,
                 const uint16_t repeatTimesIn)
        : ifExhaustedSuspension(ifExhaustedSuspensionIn), validBit(validBitIn), repeatTimes((uint8_t)repeatTimesIn)
    {
        for (int i = 0; i < 4; i++) elementLengths[i] = elementLengthsIn[i];
    }
    uint16_t elementLengths[4] = {0};
    bool ifExhaustedSuspension = false;
    uint16_t validBit = 0;
    uint8_t repeatTimes = 1;
};
template <typename T> struct MrgSortSrcList {
    MrgSortSrcList() {}
    MrgSortSrcList(OW_L(T) src1In, OW_L(T) src2In, OW_L(T) src3In, OW_L(T) src4In)
        : src1(src1In), src2(src2In), src3(src3In), src4(src4In)
    {
    }
    LocalTensor<T> src1, src2, src3, src4;
};

template <typename T>
inline void Sort32(OW_L(T) dst, OW_L(T) src0, OW_L(uint32_t) src1, const int32_t repeatTime, OW_LOC)
{
    OW_WANT(Sort32, T, half, float);
    ow_sort32(ow_id<T>, &dst.ow, &src0.ow, &src1.ow, (uint32_t)repeatTime, ow_loc);
}
template <typename T>
inline void MrgSort(OW_L(T) dst, const MrgSortSrcList<T> &src, const MrgSort4Info &params, OW_LOC)
{
    OW_WANT(MrgSort, T, half, float);
    const OwLocal list[4] = {src.src1.ow, src.src2.ow, src.src3.ow, src.src4.ow};
    ow_mrg_sort(ow_id<T>, &dst.ow, list, params.elementLengths, params.ifExhaustedSuspension, params.validBit,
                params.repeatTimes, ow_loc);
}
inline void GetMrgSortResult(uint16_t &mrgSortList1, uint16_t &mrgSortList2, uint16_t &mrgSortList3,
                             uint16_t &mrgSortList4, OW_LOC)
{
    uint16_t taken[4];
    ow_mrg_result(taken, ow_loc);
    mrgSortList1 = taken[0], mrgSortList2 = taken[1], mrgSortList3 = taken[2], mrgSortList4 = taken[3];
}

/* ---- TransDataTo5HD and Transpose ---------------------------------------------------------------------------------- */

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct TransDataTo5HDParams {
    constexpr TransDataTo5HDParams() = default;
    constexpr TransDataTo5HDParams(const bool dstHighHalfIn, const bool srcHighHalfIn, const uint8_t repeatTimesIn,
                                   const uint16_t dstRepStrideIn, const uint16_t srcRepStrideIn)
        : dstHighHalf(dstHighHalfIn), srcHighHalf(srcHighHalfIn), repeatTimes(repeatTimesIn), dstRepStride(dstRepStrideIn),
          srcRepStride(srcRepStrideIn)
    {
    }
    bool dstHighHalf = false;
    bool srcHighHalf = false;
    uint8_t repeatTimes = 1;
    uint16_t dstRepStride = 0;
    uint16_t srcRepStride = 0;
};

#define OW_5HD                                                                                                       \
    OW_WANT(TransDataTo5HD, T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float)
template <typename T> inline void OwTrans5hd(const OwLocal *dst, const OwLocal *src, const TransDataTo5HDParams &p, OwLoc loc)
{
    ow_trans_5hd(ow_id<T>, dst, src, (p.dstHighHalf ? 1 : 0) | (p.srcHighHalf ? 2 : 0), p.repeatTimes, p.dstRepStride,
                 p.srcRepStride, loc);
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams &nchwconvParams, OW_LOC)
{
    OW_5HD;
    OwLocal d[16], s[16];
    for (int i = 0; i < 16; i++) d[i] = dstList[i].ow, s[i] = srcList[i].ow;
    OwTrans5hd<T>(d, s, nchwconvParams, ow_loc);
}
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams &nchwconvParams, OW_LOC)
{
    OW_5HD;
    OwLocal d[16], s[16];
    for (int i = 0; i < 16; i++) ow_local_at(dstList[i], &d[i], ow_loc), ow_local_at(srcList[i], &s[i], ow_loc);
    OwTrans5hd<T>(d, s, nchwconvParams, ow_loc);
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t> &dst, const LocalTensor<uint64_t> &src,
                           const TransDataTo5HDParams &nchwconvParams, OW_LOC)
{
    uint64_t d[16], s[16];
    for (int i = 0; i < 16; i++) d[i] = dst.GetValue((uint32_t)i, ow_loc), s[i] = src.GetValue((uint32_t)i, ow_loc);
    TransDataTo5HD<T>(d, s, nchwconvParams, ow_loc);
}
#undef OW_5HD

enum class TransposeType : uint8_t {
    TRANSPOSE_TYPE_NONE, TRANSPOSE_NZ2ND_0213, TRANSPOSE_NZ2NZ_0213, TRANSPOSE_NZ2NZ_012_WITH_N,
    TRANSPOSE_NZ2ND_012_WITH_N, TRANSPOSE_NZ2ND_012_WITHOUT_N, TRANSPOSE_NZ2NZ_012_WITHOUT_N, TRANSPOSE_ND2ND_ONLY,
    TRANSPOSE_ND_UB_GM, TRANSPOSE_GRAD_ND_UB_GM, TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC, TRANSPOSE_NHWC2NCHW,
    TRANSPOSE_ND2ND_021, TRANSPOSE_ND2ND_102, TRANSPOSE_ND2ND_210, TRANSPOSE_ND2NZ_WITH_INTLV
};
struct TransposeParamsExt {
    constexpr TransposeParamsExt() = default;
    constexpr TransposeParamsExt(const uint16_t nSizeIn, const uint16_t cSizeIn, const uint16_t hSizeIn,
                                 const uint16_t wSizeIn, const TransposeType transposeTypeIn)
        : nSize(nSizeIn), cSize(cSizeIn), hSize(hSizeIn), wSize(wSizeIn), transposeType(transposeTypeIn)
    {
    }
    uint16_t nSize = 0;
    uint16_t cSize = 0;
    uint16_t hSize = 0;
    uint16_t wSize = 0;
    TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};
template <typename T> inline void Transpose(OW_L(T) dst, OW_L(T) src, OW_LOC)
{
    OW_WANT(Transpose, T, int16_t, uint16_t, half);
    ow_transpose_16(ow_id<T>, &dst.ow, &src.ow, ow_loc);
}
template <typename T>
inline void Transpose(OW_L(T) dst, OW_L(T) src, const LocalTensor<uint8_t> &sharedTmpBuffer,
                      const TransposeParamsExt &transposeParams, OW_LOC)
{
    OW_WANT(Transpose, T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float);
    const uint32_t nchw[4] = {transposeParams.nSize, transposeParams.cSize, transposeParams.hSize, transposeParams.wSize};
    ow_transpose_ext(ow_id<T>, &dst.ow, &src.ow, &sharedTmpBuffer.ow, nchw, (uint32_t)transposeParams.transposeType, ow_loc);
}

} // namespace AscendC
#endif
