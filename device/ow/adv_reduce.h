/* Reductions by pattern, Sum, Mean, CumSum, ReduceXorSum; src/sim/adv_reduce.c has what they do. */
#ifndef OW_ADV_REDUCE_H
#define OW_ADV_REDUCE_H

#include "ow/adv_call.h"

namespace AscendC {

namespace Pattern {
namespace Reduce {
/* id as ReducePattern counts them. */
#define OW_PATTERN(name, i)                                                                                          \
    struct name {                                                                                                    \
        static constexpr int32_t ow_pattern = i;                                                                     \
    };
OW_PATTERN(AR, 0)
OW_PATTERN(RA, 1)
OW_PATTERN(R, 2)
OW_PATTERN(ARA, 3)
OW_PATTERN(ARAR, 4)
OW_PATTERN(ARARA, 5)
OW_PATTERN(ARARAR, 6)
OW_PATTERN(ARARARA, 7)
OW_PATTERN(ARARARAR, 8)
OW_PATTERN(ARARARARA, 9)
OW_PATTERN(RAR, 10)
OW_PATTERN(RARA, 11)
OW_PATTERN(RARAR, 12)
OW_PATTERN(RARARA, 13)
OW_PATTERN(RARARAR, 14)
OW_PATTERN(RARARARA, 15)
#undef OW_PATTERN
} // namespace Reduce
} // namespace Pattern

#define OW_PATTERN_REDUCE(api, TMP, tmp, ...)                                                                        \
    template <class T, class pattern, bool isReuseSource = false>                                                    \
    inline void api(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, TMP() const uint32_t srcShape[], \
                    bool srcInnerPad, OW_LOC)                                                                        \
    {                                                                                                                \
        OW_WANT(api, T, __VA_ARGS__);                                                                                \
        static_assert(pattern::ow_pattern <= 1, #api ": this chip reduces by AR or RA");                             \
        OwAdvCall(dstTensor, srcTensor)                                                                              \
            .Numbers(srcShape[0], srcShape[1], pattern::ow_pattern, srcInnerPad, isReuseSource)                      \
            .Tmp(tmp)                                                                                                \
            .Run(#api, ow_loc);                                                                                      \
    }
#define OW_REDUCE_FORMS(TMP, tmp)                                                                                    \
    OW_PATTERN_REDUCE(ReduceSum, TMP, tmp, float)                                                                    \
    OW_PATTERN_REDUCE(ReduceMean, TMP, tmp, float)                                                                   \
    OW_PATTERN_REDUCE(ReduceMax, TMP, tmp, half, float)                                                              \
    OW_PATTERN_REDUCE(ReduceMin, TMP, tmp, half, float)                                                              \
    OW_PATTERN_REDUCE(ReduceAny, TMP, tmp, uint8_t, float)                                                           \
    OW_PATTERN_REDUCE(ReduceAll, TMP, tmp, uint8_t, float)                                                           \
    OW_PATTERN_REDUCE(ReduceProd, TMP, tmp, float)
OW_BOTH_TMP(OW_REDUCE_FORMS)
#undef OW_REDUCE_FORMS
#undef OW_PATTERN_REDUCE

struct SumParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};
struct MeanParams {
    uint32_t outter = 1;
    uint32_t inner;
    uint32_t n;
};
#define OW_SUM_FORMS(TMP, tmp)                                                                                       \
    template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>             \
    inline void Sum(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, TMP() const SumParams &sumParams, OW_LOC) \
    {                                                                                                                \
        OW_WANT(Sum, T, half, float);                                                                                \
        static_assert(reduceDim == -1, "Sum: only the last axis");                                                   \
        OwAdvCall(dstTensor, srcTensor)                                                                              \
            .Numbers(sumParams.outter, sumParams.inner, sumParams.n)                                                 \
            .Tmp(tmp)                                                                                                \
            .Run("Sum", ow_loc);                                                                                     \
    }                                                                                                                \
    template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,               \
              int32_t reduceDim = -1>                                                                                \
    inline void Mean(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, TMP() const MeanParams &meanParams,      \
                     OW_LOC)                                                                                         \
    {                                                                                                                \
        OW_WANT_PAIR(Mean, T, accType, half (*)(half), float (*)(float), half (*)(float));                           \
        static_assert(reduceDim == -1, "Mean: only the last axis");                                                  \
        OwAdvCall(dstTensor, srcTensor)                                                                              \
            .Numbers(meanParams.outter, meanParams.inner, meanParams.n, sizeof(accType))                             \
            .Tmp(tmp)                                                                                                \
            .Run("Mean", ow_loc);                                                                                    \
    }
OW_BOTH_TMP(OW_SUM_FORMS)
#undef OW_SUM_FORMS

enum class CumSumAlgorithm { CUMSUM_ALGORITHM_LINEBYLINE = 0, CUMSUM_ALGORITHM_SKLANSKY = 1 };
struct CumSumConfig {
    bool isLastAxis{true};
    bool isReuseSource{false};
    bool outputLastRow{false};
    CumSumAlgorithm algorithm{CumSumAlgorithm::CUMSUM_ALGORITHM_LINEBYLINE};
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
    uint32_t outter{0};
    uint32_t inner{0};
};
#define OW_CUMSUM(TMP, tmp)                                                                                          \
    template <typename T, const CumSumConfig &config = defaultCumSumConfig>                                          \
    inline void CumSum(LocalTensor<T> &dstTensor, LocalTensor<T> &lastRowTensor, const LocalTensor<T> &srcTensor,    \
                       TMP() const CumSumInfo &cumSumInfo, OW_LOC)                                                     \
    {                                                                                                                \
        OW_WANT(CumSum, T, half, float);                                                                             \
        OwAdvCall(dstTensor, lastRowTensor, srcTensor)                                                               \
            .Numbers(cumSumInfo.outter, cumSumInfo.inner, config.isLastAxis, config.outputLastRow)                   \
            .Tmp(tmp)                                                                                                \
            .Run("CumSum", ow_loc);                                                                                  \
    }
OW_CUMSUM(OW_TMP_MUTABLE, sharedTmpBuffer)
OW_CUMSUM(OW_NO_TMP, OwNoTensor{})
#undef OW_CUMSUM

#define OW_XOR_SUM(TMP, tmp)                                                                                         \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void ReduceXorSum(LocalTensor<T> &dstTensor, const LocalTensor<T> &src0Tensor,                            \
                             const LocalTensor<T> &src1Tensor, TMP() const uint32_t calCount, OW_LOC)                  \
    {                                                                                                                \
        OW_WANT(ReduceXorSum, T, int16_t);                                                                           \
        OwAdvCall(dstTensor, src0Tensor, src1Tensor).Numbers(calCount, isReuseSource).Tmp(tmp).Run("ReduceXorSum", ow_loc); \
    }
OW_XOR_SUM(OW_TMP_MUTABLE, sharedTmpBuffer)
OW_XOR_SUM(OW_NO_TMP, OwNoTensor{})
#undef OW_XOR_SUM

} // namespace AscendC
#endif
