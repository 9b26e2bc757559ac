/* The softmax family; src/sim/adv_softmax.c has what it does. */
#ifndef OW_ADV_SOFTMAX_H
#define OW_ADV_SOFTMAX_H

#include "ow/adv_call.h"

namespace AscendC {

enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };

struct SoftmaxConfig {
    constexpr SoftmaxConfig(const bool isCheckTilingIn) : isCheckTiling(isCheckTilingIn) {}
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn, const uint32_t oriSrcKIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn)
    {
    }
    constexpr SoftmaxConfig(const bool isCheckTilingIn, const uint32_t oriSrcMIn, const uint32_t oriSrcKIn,
                            const SoftmaxMode modeIn)
        : isCheckTiling(isCheckTilingIn), oriSrcM(oriSrcMIn), oriSrcK(oriSrcKIn), mode(modeIn)
    {
    }
    bool isCheckTiling = true;
    uint32_t oriSrcM = 0;
    uint32_t oriSrcK = 0;
    SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};

struct SoftMaxShapeInfo {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
};
struct SoftMaxParams {
    uint32_t srcM{0};
    uint32_t srcK{0};
    uint32_t oriSrcM{0};
    uint32_t oriSrcK{0};
    uint32_t loopCnt{1};
    uint32_t splitMeanCnt{8};
    float alpha{0.9375};
};

/* Rows and columns of the call: those of the argument, else those set on src, else the tiling's. */
template <typename T, typename Tiling>
inline SoftMaxShapeInfo OwSoftmaxShape(const SoftMaxShapeInfo &given, const LocalTensor<T> &src, const Tiling &tiling,
                                       const SoftmaxConfig &config)
{
    SoftMaxShapeInfo s = given;
    const ShapeInfo &info = src.shapeInfo_;
    if ((s.srcM == 0 || s.srcK == 0) && info.shapeDim > 0 && info.shapeDim <= 8 && info.originalShapeDim > 0 &&
        info.originalShapeDim <= 8) {
        s = SoftMaxShapeInfo{1, info.shape[info.shapeDim - 1], 1, info.originalShape[info.originalShapeDim - 1]};
        for (int i = 0; i + 1 < info.shapeDim; i++) s.srcM *= info.shape[i];
        for (int i = 0; i + 1 < info.originalShapeDim; i++) s.oriSrcM *= info.originalShape[i];
    } else if (s.srcM == 0 || s.srcK == 0) {
        s = SoftMaxShapeInfo{tiling.srcM, tiling.srcK, tiling.srcM, tiling.srcK};
    }
    if (config.oriSrcM != 0 && config.oriSrcK != 0) s.oriSrcK = config.oriSrcK;
    return s;
}
/* Numbers of the family: m, k, original m and k, NZ, isBasicBlock, the API's own flag, isReuseSource, one value a row,
 * rows of a pass, loop count, parts, step. The tiling of another shape is made anew on the device. */
#define OW_SOFTMAX_NUMBERS(src, tiling, info, nz, basic, flag, reuse, one, cfg)                                      \
    const SoftMaxShapeInfo ow_s = OwSoftmaxShape(info, src, tiling, cfg);                                            \
    const uint32_t ow_split = tiling.srcM == ow_s.srcM && tiling.srcK == ow_s.srcK ? tiling.splitM : 1;              \
    ow_call.Numbers(ow_s.srcM, ow_s.srcK, ow_s.oriSrcM, ow_s.oriSrcK, nz, basic, flag, reuse, one, ow_split, 1, 8, 0)

#define OW_SOFTMAX_STATS(api, dst_t, stat_t, sum, max, want, TMP, tmp)                                               \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,        \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                                     \
    inline void api(const LocalTensor<dst_t> &dstTensor, const LocalTensor<stat_t> &sum,                             \
                    const LocalTensor<stat_t> &max, const LocalTensor<dst_t> &srcTensor,                             \
                    TMP() const SoftMaxTiling &tiling, const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)          \
    {                                                                                                                \
        want;                                                                                                        \
        OwAdvCall ow_call(dstTensor, sum, max, srcTensor);                                                           \
        OW_SOFTMAX_NUMBERS(srcTensor, tiling, softmaxShapeInfo, isDataFormatNZ, isBasicBlock, 0, isReuseSource, 0,   \
                           config);                                                                                  \
        ow_call.Tmp(tmp).Run(#api, ow_loc);                                                                          \
    }
#define OW_SOFTMAX_FORMS(TMP, tmp)                                                                                   \
    OW_SOFTMAX_STATS(SoftMax, T, T, sumTensor, maxTensor, OW_WANT(SoftMax, T, half, float), TMP, tmp)                \
    OW_SOFTMAX_STATS(SoftMax, half, float, sumTensor, maxTensor, , TMP, tmp)                                         \
    OW_SOFTMAX_STATS(SimpleSoftMax, T, T, inSumTensor, inMaxTensor, OW_WANT(SimpleSoftMax, T, half, float), TMP,     \
                     tmp)                                                                                            \
    OW_SOFTMAX_STATS(SimpleSoftMax, half, float, inSumTensor, inMaxTensor, , TMP, tmp)                               \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false,                                     \
              const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                                                     \
    inline void SoftMax(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, TMP() const SoftMaxTiling &tiling,    \
                        const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)                                       \
    {                                                                                                                \
        OW_WANT(SoftMax, T, half, float);                                                                            \
        OwAdvCall ow_call(dstTensor, OwNoTensor{}, OwNoTensor{}, srcTensor);                                         \
        OW_SOFTMAX_NUMBERS(srcTensor, tiling, softmaxShapeInfo, 0, isBasicBlock, 0, isReuseSource, 0, config);       \
        ow_call.Tmp(tmp).Run("SoftMax", ow_loc);                                                                     \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>                                   \
    inline void SoftmaxGrad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                       \
                            const LocalTensor<T> &srcTensor, TMP() const SoftMaxTiling &tiling, bool isFront = false,           \
                            const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)                                   \
    {                                                                                                                \
        OW_WANT(SoftmaxGrad, T, half, float);                                                                        \
        OwAdvCall ow_call(dstTensor, gradTensor, srcTensor);                                                         \
        OW_SOFTMAX_NUMBERS(srcTensor, tiling, softmaxShapeInfo, isDataFormatNZ, 0, isFront, isReuseSource, 0,        \
                           SOFTMAX_DEFAULT_CFG);                                                                     \
        ow_call.Tmp(tmp).Run("SoftmaxGrad", ow_loc);                                                                 \
    }                                                                                                                \
    template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>                                    \
    inline void SoftmaxGradFront(const LocalTensor<T> &dstTensor, const LocalTensor<T> &gradTensor,                  \
                                 const LocalTensor<T> &srcTensor, TMP() const SoftMaxTiling &tiling,                            \
                                 const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)                              \
    {                                                                                                                \
        OW_WANT(SoftmaxGradFront, T, half, float);                                                                   \
        OwAdvCall ow_call(dstTensor, gradTensor, srcTensor);                                                         \
        OW_SOFTMAX_NUMBERS(srcTensor, tiling, softmaxShapeInfo, isDataFormatNZ, isBasicBlock, 1, 0, 0,               \
                           SOFTMAX_DEFAULT_CFG);                                                                     \
        ow_call.Tmp(tmp).Run("SoftmaxGradFront", ow_loc);                                                            \
    }                                                                                                                \
    template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,  \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>                        \
    inline void SoftmaxFlashV3(const LocalTensor<T> &dstTensor, const LocalTensor<U> &meanTensor,                    \
                               const LocalTensor<U> &expSumTensor, const LocalTensor<U> &maxTensor,                  \
                               const LocalTensor<T> &srcTensor, const LocalTensor<T> &expMaxTensor,                  \
                               const LocalTensor<U> &inMeanTensor, const LocalTensor<U> &inExpSumTensor,             \
                               const LocalTensor<U> &inMaxTensor, TMP() const SoftMaxTiling &tiling,                            \
                               const SoftMaxParams &params, OW_LOC)                                                  \
    {                                                                                                                \
        OW_WANT(SoftmaxFlashV3, T, half);                                                                            \
        OW_WANT(SoftmaxFlashV3, U, float);                                                                           \
        OwAdvCall(dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inMeanTensor,             \
                  inExpSumTensor, inMaxTensor)                                                                       \
            .Numbers(params.srcM, params.srcK, params.oriSrcM, params.oriSrcK, isDataFormatNZ, isBasicBlock,         \
                     isUpdate, isReuseSource, 0, tiling.splitM, params.loopCnt, params.splitMeanCnt, 0)              \
            .Scalars(params.alpha)                                                                                   \
            .Tmp(tmp)                                                                                                \
            .Run("SoftmaxFlashV3", ow_loc);                                                                          \
    }
OW_BOTH_TMP(OW_SOFTMAX_FORMS)
#undef OW_SOFTMAX_FORMS
#undef OW_SOFTMAX_STATS

#define OW_FLASH(data_t, stat_t, want, TMP, tmp)                                                                     \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                     \
    inline void SoftmaxFlash(                                                                                        \
        const LocalTensor<data_t> &dstTensor, const LocalTensor<stat_t> &sumTensor,                                  \
        const LocalTensor<stat_t> &maxTensor, const LocalTensor<data_t> &srcTensor,                                  \
        const LocalTensor<data_t> &expMaxTensor, const LocalTensor<stat_t> &inSumTensor,                             \
        const LocalTensor<stat_t> &inMaxTensor, TMP() const SoftMaxTiling &tiling, bool isUpdate = false,                       \
        const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)                                                       \
    {                                                                                                                \
        want;                                                                                                        \
        OwAdvCall ow_call(dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor, inSumTensor, inMaxTensor);       \
        OW_SOFTMAX_NUMBERS(srcTensor, tiling, softmaxShapeInfo, 0, isBasicBlock, isUpdate, isReuseSource, 0,         \
                           SOFTMAX_DEFAULT_CFG);                                                                     \
        ow_call.Tmp(tmp).Run("SoftmaxFlash", ow_loc);                                                                \
    }
#define OW_FLASH_V2_HEAD                                                                                             \
    template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,              \
              bool isDataFormatNZ = false, const SoftmaxConfig &config = SOFTMAX_DEFAULT_CFG>
#define OW_FLASH_V2_TAIL(tmp)                                                                                        \
    OW_SOFTMAX_NUMBERS(srcTensor, tiling, softmaxShapeInfo, isDataFormatNZ, isBasicBlock, isUpdate, isReuseSource,   \
                       config.mode == SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC, config);                              \
    ow_call.Tmp(tmp).Run("SoftmaxFlashV2", ow_loc)
#define OW_FLASH_V2(data_t, stat_t, want, TMP, tmp)                                                                  \
    OW_FLASH_V2_HEAD inline void SoftmaxFlashV2(                                                                     \
        const LocalTensor<data_t> &dstTensor, const LocalTensor<stat_t> &expSumTensor,                               \
        const LocalTensor<stat_t> &maxTensor, const LocalTensor<data_t> &srcTensor,                                  \
        const LocalTensor<data_t> &expMaxTensor, const LocalTensor<stat_t> &inExpSumTensor,                          \
        const LocalTensor<stat_t> &inMaxTensor, TMP() const SoftMaxTiling &tiling,                                              \
        const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)                                                       \
    {                                                                                                                \
        want;                                                                                                        \
        OwAdvCall ow_call(dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor, inExpSumTensor, inMaxTensor,  \
                          OwNoTensor{});                                                                             \
        OW_FLASH_V2_TAIL(tmp);                                                                                       \
    }
#define OW_FLASH_FORMS(TMP, tmp)                                                                                     \
    OW_FLASH(T, T, OW_WANT(SoftmaxFlash, T, half, float), TMP, tmp)                                                  \
    OW_FLASH(half, float, , TMP, tmp)                                                                                \
    OW_FLASH_V2(T, T, OW_WANT(SoftmaxFlashV2, T, half, float), TMP, tmp)                                             \
    OW_FLASH_V2(half, float, , TMP, tmp)                                                                             \
    OW_FLASH_V2_HEAD inline void SoftmaxFlashV2(                                                                     \
        const LocalTensor<T> &dstTensor, const LocalTensor<T> &outReduceMax, const LocalTensor<T> &outExpSum,        \
        const LocalTensor<T> &outMax, const LocalTensor<T> &srcTensor, const LocalTensor<T> &outExpMax,              \
        const LocalTensor<T> &inExpSum, const LocalTensor<T> &inMax, TMP() const SoftMaxTiling &tiling,                         \
        const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)                                                       \
    {                                                                                                                \
        OW_WANT(SoftmaxFlashV2, T, half, float);                                                                     \
        OwAdvCall ow_call(dstTensor, outExpSum, outMax, srcTensor, outExpMax, inExpSum, inMax, outReduceMax);        \
        OW_FLASH_V2_TAIL(tmp);                                                                                       \
    }
OW_BOTH_TMP(OW_FLASH_FORMS)
#undef OW_FLASH_FORMS
#undef OW_FLASH_V2
#undef OW_FLASH_V2_TAIL
#undef OW_FLASH_V2_HEAD
#undef OW_FLASH

template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void LogSoftMax(const LocalTensor<T> &dst, const LocalTensor<T> &sum, const LocalTensor<T> &max,
                       const LocalTensor<T> &src, const LocalTensor<uint8_t> &sharedTmpBuffer, const LogSoftMaxTiling &tiling,
                       const SoftMaxShapeInfo &softmaxShapeInfo = {}, OW_LOC)
{
    OW_WANT(LogSoftMax, T, half, float);
    OwAdvCall ow_call(dst, sum, max, src);
    OW_SOFTMAX_NUMBERS(src, tiling, softmaxShapeInfo, isDataFormatNZ, 0, 0, isReuseSource, 0, SOFTMAX_DEFAULT_CFG);
    ow_call.Tmp(sharedTmpBuffer).Run("LogSoftMax", ow_loc);
}

template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1> &softMaxRes, const LocalTensor<T2> &maxTensor, const uint32_t from,
                             const T1 to, const SoftMaxShapeInfo &softmaxShapeInfo, OW_LOC)
{
    OW_WANT(AdjustSoftMaxRes, T1, half, float);
    OW_WANT(AdjustSoftMaxRes, T2, half, float);
    return OwAdvCall(softMaxRes, maxTensor)
               .Numbers(softmaxShapeInfo.srcM, softmaxShapeInfo.srcK, softmaxShapeInfo.oriSrcM, softmaxShapeInfo.oriSrcK,
                        isDataFormatNZ, 0, 0, 0, 0, 1, from, 0, stepSizeMode)
               .Scalars(to)
               .Run("AdjustSoftMaxRes", ow_loc) != 0;
}
#undef OW_SOFTMAX_NUMBERS

} // namespace AscendC
#endif
