/* The normalisation family; src/sim/adv_norm.c and adv_norm_axis.c have what it does. */
#ifndef OW_ADV_NORM_H
#define OW_ADV_NORM_H

#include "ow/adv_call.h"

namespace AscendC {

enum class ReducePattern : uint32_t {
    AR = 0, RA = 1, R, ARA, ARAR, ARARA, ARARAR, ARARARA, ARARARAR, ARARARARA, RAR, RARA, RARAR, RARARA, RARARAR, RARARARA
};
struct LayerNormConfig {
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
    bool isOutputRstd = true;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false, true};
constexpr LayerNormConfig LNCFG_NOBETA = {true, false, false, true};
constexpr LayerNormConfig LNCFG_NOGAMMA = {false, true, false, true};
constexpr LayerNormConfig LNCFG_NOOPT = {true, true, false, true};
struct NormalizeConfig {
    ReducePattern reducePattern = ReducePattern::AR;
    int32_t aLength = -1;
    bool isNoBeta = false;
    bool isNoGamma = false;
    bool isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};
constexpr NormalizeConfig NLCFG_NOBETA = {ReducePattern::AR, -1, true, false, false};
constexpr NormalizeConfig NLCFG_NOGAMMA = {ReducePattern::AR, -1, false, true, false};
constexpr NormalizeConfig NLCFG_NOOPT = {ReducePattern::AR, -1, true, true, false};
struct LayerNormPara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct NormalizePara {
    uint32_t aLength;
    uint32_t rLength;
    uint32_t rLengthWithPadding;
};
struct WelfordUpdateConfig {
    constexpr WelfordUpdateConfig(const bool isInplaceIn) : isInplace(isInplaceIn) {}
    bool isInplace = false;
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordUpdateParam {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t abComputeLength;
    float nRec;
};
struct WelfordFinalizePara {
    uint32_t rnLength;
    uint32_t abLength;
    uint32_t headCount;
    uint32_t headCountLength;
    uint32_t tailCount;
    uint32_t tailCountLength;
    float abRec;
    float rRec;
};
struct LayerNormGradShapeInfo {
    DataFormat dataFormat = DataFormat::ND;
};

#define OW_NORM_FORMS(TMP, tmp)                                                                                      \
    template <typename T, bool isBasicBlock = false>                                                                 \
    inline void RmsNorm(OW_L(T) dstLocal, OW_L(T) srcLocal, OW_L(T) gammaLocal, TMP() const T epsilon,                 \
                        const RmsNormTiling &tiling, OW_LOC)                                                         \
    {                                                                                                                \
        OW_WANT(RmsNorm, T, half, float);                                                                            \
        OwAdvCall(dstLocal, srcLocal, gammaLocal)                                                                    \
            .Numbers(tiling.bLength, tiling.sLength, tiling.hLength, tiling.originalHLength, isBasicBlock,           \
                     tiling.mainBsLength)                                                                            \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("RmsNorm", ow_loc);                                                                                 \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void LayerNorm(OW_L(T) output, OW_L(T) outputMean, OW_L(T) outputVariance, OW_L(T) inputX, OW_L(T) gamma, \
                          OW_L(T) beta, TMP() const T epsilon, LayerNormTiling &tiling, OW_LOC)                        \
    {                                                                                                                \
        OW_WANT(LayerNorm, T, half, float);                                                                          \
        OwAdvCall(output, outputMean, outputVariance, inputX, gamma, beta)                                           \
            .Numbers(tiling.bLength, tiling.sLength, tiling.hLength, tiling.originalHLength, isReuseSource)          \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("LayerNorm", ow_loc);                                                                               \
    }                                                                                                                \
    template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig &config = LNCFG_NORM>        \
    inline void LayerNorm(OW_L(T) output, OW_L(float) outputMean, OW_L(float) outputRstd, OW_L(T) inputX,            \
                          OW_L(U) gamma, OW_L(U) beta, const float epsilon, TMP() const LayerNormPara &para,           \
                          const LayerNormSeparateTiling &tiling, OW_LOC)                                             \
    {                                                                                                                \
        OW_WANT_PAIR(LayerNorm, T, U, half (*)(half), half (*)(float), float (*)(float));                            \
        static_assert(!config.isOnlyOutput && config.isOutputRstd, "LayerNorm: only isOutputRstd on this chip");     \
        OwAdvCall(output, outputMean, outputRstd, inputX, gamma, beta)                                               \
            .Numbers(para.aLength, para.rLength, para.rLengthWithPadding, config.isNoGamma, config.isNoBeta,         \
                     tiling.aLength)                                                                                 \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("LayerNormRstd", ow_loc);                                                                           \
    }                                                                                                                \
    template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig &config = NLCFG_NORM>        \
    inline void Normalize(OW_L(T) output, OW_L(float) outputRstd, OW_L(float) inputMean, OW_L(float) inputVariance,  \
                          OW_L(T) inputX, OW_L(U) gamma, OW_L(U) beta, TMP() const float epsilon,                      \
                          const NormalizePara &para, OW_LOC)                                                         \
    {                                                                                                                \
        OW_WANT_PAIR(Normalize, T, U, half (*)(half), half (*)(float), float (*)(float));                            \
        OwAdvCall(output, outputRstd, inputMean, inputVariance, inputX, gamma, beta)                                 \
            .Numbers(para.aLength, para.rLength, para.rLengthWithPadding, config.isNoGamma, config.isNoBeta)         \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("Normalize", ow_loc);                                                                               \
    }                                                                                                                \
    template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>                                        \
    inline void DeepNorm(OW_L(T) dstLocal, OW_L(T) meanLocal, OW_L(T) rstdLocal, OW_L(T) srcLocal, OW_L(T) gxLocal,  \
                         OW_L(T) betaLocal, OW_L(T) gammaLocal, TMP() const T alpha, const T epsilon,                  \
                         DeepNormTiling &tiling, OW_LOC)                                                             \
    {                                                                                                                \
        OW_WANT(DeepNorm, T, half, float);                                                                           \
        OwAdvCall(dstLocal, meanLocal, rstdLocal, srcLocal, gammaLocal, betaLocal, gxLocal)                          \
            .Numbers(tiling.bLength, tiling.sLength, tiling.hLength, tiling.originalHLength, isReuseSrc,             \
                     isBasicBlock)                                                                                   \
            .Scalars(alpha, epsilon)                                                                                 \
            .Tmp(tmp)                                                                                                \
            .Run("DeepNorm", ow_loc);                                                                                \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false, bool isBasicBlock = false>                                     \
    inline void BatchNorm(OW_L(T) output, OW_L(T) outputMean, OW_L(T) outputVariance, OW_L(T) inputX, OW_L(T) gamm,  \
                          OW_L(T) beta, TMP() const T epsilon, BatchNormTiling &tiling, OW_LOC)                        \
    {                                                                                                                \
        OW_WANT(BatchNorm, T, half, float);                                                                          \
        OwAdvCall(output, outputMean, outputVariance, inputX, gamm, beta)                                            \
            .Numbers(tiling.originalBLength, tiling.meanVarSize, isBasicBlock)                                       \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("BatchNorm", ow_loc);                                                                               \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void GroupNorm(OW_L(T) output, OW_L(T) outputMean, OW_L(T) outputVariance, OW_L(T) inputX, OW_L(T) gamma, \
                          OW_L(T) beta, TMP() const T epsilon, GroupNormTiling &tiling, OW_LOC)                        \
    {                                                                                                                \
        OW_WANT(GroupNorm, T, half, float);                                                                          \
        OwAdvCall(output, outputMean, outputVariance, inputX, gamma, beta)                                           \
            .Numbers(tiling.n, tiling.c, tiling.hw, tiling.g, tiling.hwAlignSize, isReuseSource)                     \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("GroupNorm", ow_loc);                                                                               \
    }                                                                                                                \
    template <typename T, typename U, bool isReuseSource = false,                                                    \
              const WelfordUpdateConfig &config = WFUPDATE_DEFAULT_CFG>                                              \
    inline void WelfordUpdate(OW_L(U) outputMean, OW_L(U) outputVariance, OW_L(U) inputMean, OW_L(U) inputVariance,  \
                              OW_L(T) inputX, TMP() const WelfordUpdateParam &para, OW_LOC)                            \
    {                                                                                                                \
        OW_WANT(WelfordUpdate, T, half, float);                                                                      \
        OW_WANT(WelfordUpdate, U, float);                                                                            \
        OwAdvCall(outputMean, outputVariance, inputMean, inputVariance, inputX)                                      \
            .Numbers(para.rnLength, para.abLength, para.abComputeLength, isReuseSource, config.isInplace)            \
            .Scalars(para.nRec)                                                                                      \
            .Tmp(tmp)                                                                                                \
            .Run("WelfordUpdate", ow_loc);                                                                           \
    }
OW_BOTH_TMP(OW_NORM_FORMS)
#undef OW_NORM_FORMS

#define OW_WELFORD(COUNTS, counts, TMP, tmp)                                                                         \
    template <bool isReuseSource = false>                                                                            \
    inline void WelfordFinalize(OW_L(float) outputMean, OW_L(float) outputVariance, OW_L(float) inputMean,           \
                                OW_L(float) inputVariance, COUNTS() TMP() WelfordFinalizePara &para, OW_LOC)         \
    {                                                                                                                \
        OwAdvCall(outputMean, outputVariance, inputMean, inputVariance, counts)                                      \
            .Numbers(para.rnLength, para.abLength, para.headCount, para.headCountLength, para.tailCount,             \
                     para.tailCountLength)                                                                           \
            .Scalars(para.abRec, para.rRec)                                                                          \
            .Tmp(tmp)                                                                                                \
            .Run("WelfordFinalize", ow_loc);                                                                         \
    }
#define OW_COUNTS() const LocalTensor<int32_t> &counts,
OW_WELFORD(OW_NO_TMP, OwNoTensor{}, OW_TMP, sharedTmpBuffer)
OW_WELFORD(OW_COUNTS, counts, OW_TMP, sharedTmpBuffer)
OW_WELFORD(OW_NO_TMP, OwNoTensor{}, OW_NO_TMP, OwNoTensor{})
OW_WELFORD(OW_COUNTS, counts, OW_NO_TMP, OwNoTensor{})
#undef OW_COUNTS
#undef OW_WELFORD

/* These take their temporary space as a tensor that may change. */
#define OW_GRAD(TMP, tmp)                                                                                            \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void LayerNormGrad(OW_L(T) outputPdX, OW_L(T) resForGamma, OW_L(T) inputDy, OW_L(T) inputX,               \
                              OW_L(T) inputVariance, OW_L(T) inputMean, OW_L(T) inputGamma, TMP() T epsilon,           \
                              LayerNormGradTiling &tiling, const LayerNormGradShapeInfo &shapeInfo = {}, OW_LOC)     \
    {                                                                                                                \
        OW_WANT(LayerNormGrad, T, half, float);                                                                      \
        OwAdvCall(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma)                     \
            .Numbers(tiling.bLength, tiling.sLength, tiling.hLength, tiling.originalHLength, isReuseSource,          \
                     (uint32_t)shapeInfo.dataFormat)                                                                 \
            .Scalars(epsilon)                                                                                        \
            .Tmp(tmp)                                                                                                \
            .Run("LayerNormGrad", ow_loc);                                                                           \
    }
OW_GRAD(OW_TMP_MUTABLE, sharedTmpBuffer)
OW_GRAD(OW_NO_TMP, OwNoTensor{})
#undef OW_GRAD

#define OW_GRAD_BETA(TMP, tmp, CONST)                                                                                \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void LayerNormGradBeta(OW_L(T) outputPdGamma, OW_L(T) outputPdBeta, OW_L(T) resForGamma, OW_L(T) inputDy, \
                                  TMP() CONST LayerNormGradBetaTiling &tiling, OW_LOC)                                 \
    {                                                                                                                \
        OW_WANT(LayerNormGradBeta, T, half, float);                                                                  \
        OwAdvCall(outputPdGamma, outputPdBeta, resForGamma, inputDy)                                                 \
            .Numbers(tiling.bLength, tiling.sLength, tiling.hLength, tiling.originalHLength, isReuseSource)          \
            .Tmp(tmp)                                                                                                \
            .Run("LayerNormGradBeta", ow_loc);                                                                       \
    }
OW_GRAD_BETA(OW_TMP, sharedTmpBuffer, const)
OW_GRAD_BETA(OW_NO_TMP, OwNoTensor{}, )
#undef OW_GRAD_BETA

} // namespace AscendC
#endif
