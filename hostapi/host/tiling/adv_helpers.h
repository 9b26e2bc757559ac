/* The helpers that size temporary space and fill tiling structures for the high-level APIs. Each hands its shape and numbers to
 * the runtime; src/runtime/adv_host.def says what the numbers of a row are. */
#ifndef OPWRIGHT_HOSTAPI_ADV_HELPERS_H
#define OPWRIGHT_HOSTAPI_ADV_HELPERS_H

#include "../graph/tensor.h"
#include "adv_structs.h"
#include "platform/platform_ascendc.h"

namespace AscendC {

using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;

enum class ReducePattern : uint32_t {
    AR = 0, RA = 1, R, ARA, ARAR, ARARA, ARARAR, ARARARA, ARARARAR, ARARARARA, RAR, RARA, RARAR, RARARA, RARARAR, RARARARA
};
enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};

namespace owh {

inline bool Size(const char *api, const ge::Shape &shape, std::initializer_list<int64_t> numbers, uint32_t &max, uint32_t &min) {
    const std::vector<int64_t> dims = shape.GetDims();
    return owh_adv_size(api, dims.data(), dims.size(), numbers.begin(), &max, &min);
}
inline uint32_t Max(const char *api, const ge::Shape &shape, std::initializer_list<int64_t> numbers) {
    uint32_t max = 0, min = 0;
    Size(api, shape, numbers, max, min);
    return max;
}
inline uint32_t Min(const char *api, const ge::Shape &shape, std::initializer_list<int64_t> numbers) {
    uint32_t max = 0, min = 0;
    Size(api, shape, numbers, max, min);
    return min;
}
inline bool Factor(const char *api, std::initializer_list<int64_t> numbers, uint32_t &live, uint32_t &extra) {
    return owh_adv_factor(api, numbers.begin(), &live, &extra);
}

/* The plain structure behind a class of the host, and the plain structure itself. */
#define OWH_PLAIN(name)                                                                                      \
    inline bool Fill(const char *api, const ge::Shape &shape, std::initializer_list<int64_t> numbers, tiling::name &out) { \
        const std::vector<int64_t> dims = shape.GetDims();                                                   \
        return owh_adv_tiling(api, dims.data(), dims.size(), numbers.begin(), &out);                         \
    }                                                                                                        \
    inline bool Fill(const char *api, const ge::Shape &shape, std::initializer_list<int64_t> numbers, optiling::name &out) { \
        tiling::name plain;                                                                                  \
        out.OwhRead(plain);                                                                                  \
        if (!Fill(api, shape, numbers, plain)) return false;                                                 \
        out.OwhWrite(plain);                                                                                 \
        return true;                                                                                         \
    }
OW_TILING_STRUCTS(OWH_PLAIN)
#undef OWH_PLAIN

inline int64_t TypeSize(ge::DataType t) { return ge::GetSizeByDataType(t); }
inline int64_t DimOf(const ge::Shape &s, size_t i) { return i < s.GetDimNum() ? s.GetDim(i) : 0; }

} // namespace owh

/* ------------------------------------------------------------------------------------------------ elementwise */

#define OWH_SIZE(api)                                                                                        \
    inline void Get##api##MaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource, \
                                        uint32_t &maxValue, uint32_t &minValue) {                            \
        owh::Size(#api, srcShape, {typeSize, isReuseSource}, maxValue, minValue);                            \
    }
#define OWH_FACTOR(api)                                                                                      \
    inline void Get##api##TmpBufferFactorSize(const uint32_t typeSize, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) { \
        owh::Factor(#api, {typeSize}, maxLiveNodeCount, extraBuf);                                           \
    }
#define OWH_BOTH(api) OWH_SIZE(api) OWH_FACTOR(api)
OWH_BOTH(Acos) OWH_BOTH(Acosh) OWH_BOTH(Asin) OWH_BOTH(Asinh) OWH_BOTH(Atan) OWH_BOTH(Atanh) OWH_BOTH(Axpy) OWH_BOTH(Ceil)
OWH_BOTH(Clamp) OWH_BOTH(Cos) OWH_BOTH(Cosh) OWH_BOTH(Digamma) OWH_BOTH(Erf) OWH_BOTH(Erfc) OWH_BOTH(Exp) OWH_BOTH(Floor)
OWH_BOTH(Fmod) OWH_BOTH(Frac) OWH_BOTH(GeGLU) OWH_BOTH(Lgamma) OWH_BOTH(Log) OWH_BOTH(Log10) OWH_BOTH(Log2) OWH_BOTH(Sign)
OWH_BOTH(Sin) OWH_BOTH(Sinh) OWH_BOTH(Tan) OWH_BOTH(Tanh) OWH_BOTH(Trunc) OWH_BOTH(Xor)
OWH_SIZE(ReGlu) OWH_SIZE(ReduceXorSum) OWH_SIZE(Sigmoid)
OWH_FACTOR(SwiGLU) OWH_FACTOR(Mean)
#undef OWH_BOTH
#undef OWH_FACTOR
#undef OWH_SIZE

inline void GetSwiGLUMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue,
                                   const bool isReuseSource) {
    owh::Size("SwiGLU", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetSiluTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                           uint32_t &minValue) {
    owh::Size("Silu", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetSwishTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                            uint32_t &minValue) {
    owh::Size("Swish", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape, const uint32_t typeSize,
                                  const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("Round", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC &, const uint32_t typeSize, uint32_t &maxLiveNodeCount,
                                        uint32_t &extraBuf) {
    owh::Factor("Round", {typeSize}, maxLiveNodeCount, extraBuf);
}
inline uint32_t GetGeluMaxTmpSize(const TensorShape &srcShape, const uint32_t typeSize) { return owh::Max("Gelu", srcShape, {typeSize, 0}); }
inline uint32_t GetGeluMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize) { return owh::Min("Gelu", srcShape, {typeSize, 0}); }
inline void GetGeluMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("Gelu", srcShape, {typeSize, 0}, maxValue, minValue);
}
inline void GetPowerMaxMinTmpSize(const TensorShape &srcShape1, const TensorShape &srcShape2, const bool typeIsInt, const uint32_t typeSize,
                                  const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
    (void)isReuseSource;
    const bool first = srcShape1.GetShapeSize() != 1, second = srcShape2.GetShapeSize() != 1;
    owh::Size("Power", first ? srcShape1 : srcShape2, {typeSize, typeIsInt, first, second}, maxValue, minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt, const uint32_t typeSize,
                                        uint32_t &maxLiveNodeCount, uint32_t &extraBuffer) {
    owh::Factor("Power", {typeSize, typeIsInt, baseIsTensor, expIsTensor}, maxLiveNodeCount, extraBuffer);
}
inline uint32_t GetDropOutMaxTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource) {
    return owh::Max("DropOut", srcShape, {typeSize, isReuseSource});
}
inline uint32_t GetDropOutMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource) {
    return owh::Min("DropOut", srcShape, {typeSize, isReuseSource});
}
inline void GetDropOutMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                                    uint32_t &minValue) {
    owh::Size("DropOut", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetArangeMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }
inline void GetArithProgressionMaxMinTmpSize(uint32_t &maxValue, uint32_t &minValue) { maxValue = minValue = 0; }

/* ---------------------------------------------------------------------------------------- quantisation, select */

inline void GetAscendQuantMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("Quant", srcShape, {typeSize}, maxValue, minValue);
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t &maxLiveNodeCount, uint32_t &extraBuf) { maxLiveNodeCount = 2, extraBuf = 0; }
inline void GetAscendDequantMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("Dequant", srcShape, {typeSize}, maxValue, minValue);
}
inline void GetAscendDequantTmpBufferFactorSize(const TensorShape &srcShape, uint32_t &maxLiveNodeCount, uint32_t &extraBuf) {
    const size_t dims = srcShape.GetDimNum();
    maxLiveNodeCount = dims == 2 ? 1 : dims == 1 ? 2 : 0;
    extraBuf = dims == 2 ? 72 + static_cast<uint32_t>(srcShape.GetDim(1)) : dims == 1 ? 72 : 0;
}
inline void GetAscendAntiQuantMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape, bool isTranspose,
                                            TensorDataType inputDataType, TensorDataType outputDataType, uint32_t &maxValue,
                                            uint32_t &minValue) {
    (void)inputDataType;
    owh::Size("AntiQuant", srcShape, {scaleShape.GetShapeSize(), isTranspose, outputDataType == ge::DT_BF16}, maxValue, minValue);
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape, bool isTranspose,
                                             TensorDataType inputDataType, TensorDataType outputDataType) {
    uint32_t max = 0, min = 0;
    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, max, min);
    return max;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape &srcShape, const TensorShape &scaleShape, bool isTranspose,
                                             TensorDataType inputDataType, TensorDataType outputDataType) {
    uint32_t max = 0, min = 0;
    GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, max, min);
    return min;
}

inline void GetSelectMaxMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                   const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask, uint32_t &maxValue,
                                   uint32_t &minValue) {
    const TensorShape &src = src0Shape.GetShapeSize() != 1 ? src0Shape : src1Shape;
    if (src.GetDimNum() == 0 || maskShape.GetDimNum() == 0) return;
    const bool apart = src.GetDims().back() != maskShape.GetDims().back();
    owh::Size("Select", src, {srcTypeSize, maskTypeSize, apart && !isReuseMask}, maxValue, minValue);
}
inline uint32_t GetSelectMaxTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                    const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
    uint32_t max = 0, min = 0;
    GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, max, min);
    return max;
}
inline uint32_t GetSelectMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                    const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
    uint32_t max = 0, min = 0;
    GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, max, min);
    return min;
}
/* The same under their deprecated names. */
inline void GetSelectWithBytesMaskMaxMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                                const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask,
                                                uint32_t &maxValue, uint32_t &minValue) {
    GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, maxValue, minValue);
}
inline uint32_t GetSelectWithBytesMaskMaxTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                                 const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
    return GetSelectMaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline uint32_t GetSelectWithBytesMaskMinTmpSize(const TensorShape &src0Shape, const TensorShape &src1Shape, const uint32_t srcTypeSize,
                                                 const TensorShape &maskShape, const uint32_t maskTypeSize, const bool isReuseMask) {
    return GetSelectMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}

/* ---------------------------------------------------------------------------------------------------- reductions */

#define OWH_REDUCE(api)                                                                                      \
    inline void Get##api##MaxMinTmpSize(const TensorShape &srcShape, const TensorDataType dataType, ReducePattern pattern, \
                                        bool isSrcInnerPad, bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) { \
        owh::Size(#api, srcShape, {owh::TypeSize(dataType), static_cast<int64_t>(pattern), isSrcInnerPad, isReuseSource}, \
                  maxValue, minValue);                                                                       \
    }
OWH_REDUCE(ReduceSum) OWH_REDUCE(ReduceMean) OWH_REDUCE(ReduceMax) OWH_REDUCE(ReduceMin) OWH_REDUCE(ReduceAny) OWH_REDUCE(ReduceAll)
OWH_REDUCE(ReduceProd)
#undef OWH_REDUCE
inline void GetSumMaxMinTmpSize(const uint32_t n, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxSize, uint32_t &minSize) {
    owh::Size("Sum", TensorShape(std::vector<int64_t>{n}), {typeSize, isReuseSource}, maxSize, minSize);
}
inline void GetMeanMaxMinTmpSize(const uint32_t n, const uint32_t srcTypeSize, const uint32_t accTypeSize, const bool isReuseSource,
                                 uint32_t &maxSize, uint32_t &minSize) {
    (void)isReuseSource;
    owh::Size("Mean", TensorShape(std::vector<int64_t>{n}), {srcTypeSize, accTypeSize}, maxSize, minSize);
}
inline void GetCumSumMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isLastAxis, const bool isReuseSource,
                                   uint32_t &maxValue, uint32_t &minValue) {
    (void)isReuseSource;
    owh::Size("CumSum", srcShape, {typeSize, isLastAxis}, maxValue, minValue);
}

/* ------------------------------------------------------------------------------------------------------- softmax */

inline uint32_t GetSoftMaxMaxTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
    return owh::Max("SoftMax", srcShape, {dataTypeSize, isReuseSource});
}
inline uint32_t GetSoftMaxMinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
    return owh::Min("SoftMax", srcShape, {dataTypeSize, isReuseSource});
}
inline uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
    return owh::Max("LogSoftMax", srcShape, {dataTypeSize, isReuseSource});
}
inline uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize, const bool isReuseSource) {
    return owh::Min("LogSoftMax", srcShape, {dataTypeSize, isReuseSource});
}
inline uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize, const bool isUpdate, const bool) {
    return owh::Max("SoftMaxFlash", srcShape, {dataTypeSize, isUpdate});
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize, const bool isUpdate, const bool) {
    return owh::Min("SoftMaxFlash", srcShape, {dataTypeSize, isUpdate});
}
inline uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize, const bool isFront, const bool) {
    return owh::Max("SoftMaxGrad", srcShape, {dataTypeSize, isFront});
}
inline uint32_t GetSoftMaxGradMinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize, const bool isFront, const bool) {
    return owh::Min("SoftMaxGrad", srcShape, {dataTypeSize, isFront});
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                                            const bool isUpdate, const bool isBasicBlock = false, const bool isFlashOutputBrc = false) {
    return owh::Max("SoftMaxFlashV2", srcShape, {dataTypeSize2, dataTypeSize1, isUpdate, isBasicBlock, isFlashOutputBrc});
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                                            const bool isUpdate, const bool isBasicBlock = false, const bool isFlashOutputBrc = false) {
    return owh::Min("SoftMaxFlashV2", srcShape, {dataTypeSize2, dataTypeSize1, isUpdate, isBasicBlock, isFlashOutputBrc});
}
inline void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2,
                                           uint32_t &maxValue, uint32_t &minValue, const bool isUpdate, const bool isBasicBlock = false) {
    (void)dataTypeSize1, (void)isUpdate, (void)isBasicBlock;
    owh::Size("SoftMaxFlashV3", srcShape, {dataTypeSize2}, maxValue, minValue);
}
inline void SoftMaxTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                              optiling::SoftMaxTiling &softmaxTiling) {
    owh::Fill("SoftMax", srcShape, {dataTypeSize, localWorkSpaceSize}, softmaxTiling);
}
inline void SoftMaxTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                              tiling::SoftMaxTiling &softmaxTiling) {
    owh::Fill("SoftMax", srcShape, {dataTypeSize, localWorkSpaceSize}, softmaxTiling);
}
inline void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                                 optiling::LogSoftMaxTiling &softmaxTiling) {
    owh::Fill("LogSoftMax", srcShape, {dataTypeSize, localWorkSpaceSize}, softmaxTiling);
}
inline void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                                 tiling::LogSoftMaxTiling &softmaxTiling) {
    owh::Fill("LogSoftMax", srcShape, {dataTypeSize, localWorkSpaceSize}, softmaxTiling);
}
#define OWH_SOFTMAX(space)                                                                                   \
    inline void SoftMaxFlashTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, \
                                       space::SoftMaxTiling &softmaxFlashTiling, const bool isUpdate = false) { \
        owh::Fill("SoftMaxFlash", srcShape, {dataTypeSize, localWorkSpaceSize, isUpdate}, softmaxFlashTiling); \
    }                                                                                                        \
    inline void SoftMaxGradTilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize, \
                                      space::SoftMaxTiling &softmaxGradTiling, const bool isFront = false) { \
        owh::Fill("SoftMaxGrad", srcShape, {dataTypeSize, localWorkSpaceSize, isFront}, softmaxGradTiling);  \
    }                                                                                                        \
    inline void SoftMaxFlashV2TilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2, \
                                         const uint32_t localWorkSpaceSize, space::SoftMaxTiling &softmaxFlashTiling, \
                                         const bool isUpdate, const bool isBasicBlock = false, const bool isFlashOutputBrc = false) { \
        owh::Fill("SoftMaxFlashV2", srcShape,                                                                \
                  {dataTypeSize2, localWorkSpaceSize, dataTypeSize1, isUpdate, isBasicBlock, isFlashOutputBrc}, softmaxFlashTiling); \
    }                                                                                                        \
    inline void SoftMaxFlashV3TilingFunc(const TensorShape &srcShape, const uint32_t dataTypeSize1, const uint32_t dataTypeSize2, \
                                         const uint32_t localWorkSpaceSize, space::SoftMaxTiling &softmaxFlashV3Tiling, \
                                         const bool isUpdate, const bool isBasicBlock = false) {             \
        (void)dataTypeSize1, (void)isUpdate, (void)isBasicBlock;                                             \
        owh::Fill("SoftMaxFlashV3", srcShape, {dataTypeSize2, localWorkSpaceSize}, softmaxFlashV3Tiling);    \
    }
OWH_SOFTMAX(optiling)
OWH_SOFTMAX(tiling)
#undef OWH_SOFTMAX
inline bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling &t, const uint32_t dataTypeSize = 2) {
    return t.get_tailM() == 0 && t.get_srcK() >= 256 / dataTypeSize && t.get_srcK() < 2048 && t.get_srcK() % 64 == 0;
}
inline bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling &t, const uint32_t dataTypeSize = 2) {
    return t.tailM == 0 && t.srcK >= 256 / dataTypeSize && t.srcK < 2048 && t.srcK % 64 == 0;
}

/* ------------------------------------------------------------------------------------------------- normalisation */

inline bool GetRmsNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue,
                                    const bool isBasicBlock = false) {
    return owh::Size("RmsNorm", srcShape, {typeSize, 0, isBasicBlock}, maxValue, minValue);
}
inline void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue,
                                      uint32_t &minValue) {
    owh::Size("LayerNorm", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetLayerNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      const bool isComputeRstd, const bool isOnlyOutput, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("LayerNormRstd", srcShape, {typeSize, isReuseSource, isComputeRstd, isOnlyOutput}, maxValue, minValue);
}
inline void GetNormalizeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSizeU, const uint32_t typeSizeT,
                                      const bool isReuseSource, const bool isComputeRstd, const bool isOnlyOutput, uint32_t &maxValue,
                                      uint32_t &minValue) {
    owh::Size("Normalize", srcShape, {typeSizeU, typeSizeT, isReuseSource, isComputeRstd, isOnlyOutput}, maxValue, minValue);
}
inline void GetLayerNormGradMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                          uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("LayerNormGrad", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                              uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("LayerNormGradBeta", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
inline bool GetDeepNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                     const bool isBasicBlock, uint32_t &maxValue, uint32_t &minValue) {
    return owh::Size("DeepNorm", srcShape, {typeSize, isReuseSource, isBasicBlock}, maxValue, minValue);
}
inline bool GetBatchNormMaxMinTmpSize(const TensorShape &srcShape, const TensorShape &originSrcShape, const uint32_t typeSize,
                                      const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue, const bool isBasicBlock = false) {
    return owh::Size("BatchNorm", srcShape, {typeSize, isReuseSource, isBasicBlock, owh::DimOf(originSrcShape, 0)}, maxValue, minValue);
}
inline void GetGroupNormMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      const uint32_t groupNum, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("GroupNorm", srcShape, {typeSize, isReuseSource, groupNum}, maxValue, minValue);
}
inline void GetWelfordUpdateMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSizeT, const uint32_t typeSizeU,
                                          const bool isReuseSource, const bool isInplace, uint32_t &maxValue, uint32_t &minValue) {
    (void)typeSizeU, (void)isInplace;
    owh::Size("WelfordUpdate", srcShape, {typeSizeT, isReuseSource}, maxValue, minValue);
}
inline void GetWelfordFinalizeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const bool isReuseSource,
                                            uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("WelfordFinalize", srcShape, {typeSize, isReuseSource}, maxValue, minValue);
}
#define OWH_NORM(space)                                                                                      \
    inline bool GetRmsNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape, const uint32_t stackBufferByteSize, \
                                     const uint32_t typeSize, space::RmsNormTiling &tiling, const bool isBasicBlock = false) { \
        const bool same = originSrcShape.GetDimNum() == 3 && owh::DimOf(originSrcShape, 0) == owh::DimOf(srcShape, 0) && \
                          owh::DimOf(originSrcShape, 1) == owh::DimOf(srcShape, 1);                          \
        return same && owh::Fill("RmsNorm", srcShape,                                                        \
                                 {typeSize, stackBufferByteSize, 0, isBasicBlock, owh::DimOf(originSrcShape, 2)}, tiling); \
    }                                                                                                        \
    inline void GetLayerNormNDTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                         const bool isReuseSource, space::LayerNormTiling &tiling) {         \
        owh::Fill("LayerNorm", srcShape, {typeSize, stackBufferSize, isReuseSource}, tiling);                \
    }                                                                                                        \
    inline void GetLayerNormNDTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                         const bool isReuseSource, const bool isComputeRstd,                 \
                                         space::LayerNormSeparateTiling &tiling) {                           \
        (void)isComputeRstd;                                                                                 \
        owh::Fill("LayerNormRstd", srcShape, {typeSize, stackBufferSize, isReuseSource}, tiling);            \
    }                                                                                                        \
    inline void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                             const bool isReuseSource, space::LayerNormGradTiling &tiling) { \
        owh::Fill("LayerNormGrad", srcShape, {typeSize, stackBufferSize, isReuseSource}, tiling);            \
    }                                                                                                        \
    inline void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                                 const bool isReuseSource, space::LayerNormGradBetaTiling &tiling) { \
        owh::Fill("LayerNormGradBeta", srcShape, {typeSize, stackBufferSize, isReuseSource}, tiling);        \
    }                                                                                                        \
    inline bool GetDeepNormTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape, const uint32_t stackBufferSize, \
                                      const uint32_t typeSize, const bool isReuseSource, const bool isBasicBlock, \
                                      space::DeepNormTiling &tiling) {                                       \
        return owh::Fill("DeepNorm", srcShape,                                                               \
                         {typeSize, stackBufferSize, isReuseSource, isBasicBlock, owh::DimOf(originSrcShape, 0), \
                          owh::DimOf(originSrcShape, 1), owh::DimOf(originSrcShape, 2)},                     \
                         tiling);                                                                            \
    }                                                                                                        \
    inline bool GetBatchNormNDTilingInfo(const TensorShape &srcShape, const TensorShape &originSrcShape,     \
                                         const uint32_t stackBufferByteSize, const uint32_t typeSize, const bool isReuseSource, \
                                         space::BatchNormTiling &tilling, const bool isBasicBlock = false) { \
        return owh::Fill("BatchNorm", srcShape,                                                              \
                         {typeSize, stackBufferByteSize, isReuseSource, isBasicBlock, owh::DimOf(originSrcShape, 0)}, tilling); \
    }                                                                                                        \
    inline void GetGroupNormNDTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                         const bool isReuseSource, const uint32_t groupNum, space::GroupNormTiling &tiling) { \
        owh::Fill("GroupNorm", srcShape, {typeSize, stackBufferSize, isReuseSource, groupNum}, tiling);      \
    }
OWH_NORM(optiling)
OWH_NORM(tiling)
#undef OWH_NORM
inline void GetLayerNormNDTillingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                      const bool isReuseSource, optiling::LayerNormTiling &tilling) {
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}

/* ----------------------------------------------------------------------------------------------- shapes and orders */

inline void GetPadMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("Pad", srcShape, {typeSize}, maxValue, minValue);
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &, const uint32_t, uint32_t &maxValue,
                                  uint32_t &minValue) {
    maxValue = minValue = 0;
}
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape, const TensorShape &dstShape,
                                      uint32_t typeSize, const bool isReuseSource, uint32_t &maxValue, uint32_t &minValue) {
    (void)isReuseSource;
    owh::Size("Broadcast", srcShape,
              {typeSize, static_cast<int64_t>(dstShape.GetDimNum()), owh::DimOf(dstShape, 0), owh::DimOf(dstShape, 1)}, maxValue, minValue);
}
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t, const uint32_t) { return 0; }
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC &, const uint32_t elemCount, const uint32_t) { return elemCount * 8; }
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter,
                                 const bool isReuseSource, const bool isInitIndex, enum TopKMode mode, const bool isLargest,
                                 const uint32_t dataTypeSize, uint32_t &maxValue, uint32_t &minValue) {
    (void)isReuseSource, (void)dataTypeSize;
    return owh::Size("TopK", TensorShape(std::vector<int64_t>{inner, outter}), {isInitIndex, mode == TopKMode::TOPK_NSMALL, isLargest},
                     maxValue, minValue);
}
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC &, const TensorShape &srcShape, const TensorShape &dstShape,
                                      const TensorDataType, const TransDataConfig &config, uint32_t &maxValue, uint32_t &minValue) {
    const bool to_blocks = config.srcFormat == DataFormat::NCDHW;
    const bool z3d = config.srcFormat == DataFormat::FRACTAL_Z_3D || config.dstFormat == DataFormat::FRACTAL_Z_3D;
    return owh::Size("TransData", to_blocks ? srcShape : dstShape, {to_blocks, z3d}, maxValue, minValue);
}
inline void GetTransposeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn,
                                      uint32_t &maxValue, uint32_t &minValue) {
    owh::Size("Transpose", srcShape, {typeSize, transposeTypeIn}, maxValue, minValue);
}
inline void GetConfusionTransposeMaxMinTmpSize(const TensorShape &srcShape, const uint32_t typeSize, const uint32_t transposeTypeIn,
                                               uint32_t &maxValue, uint32_t &minValue) {
    GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
#define OWH_SHAPES(space)                                                                                    \
    inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t stackBufferSize, \
                              const uint32_t typeSize, space::PadTiling &tiling) {                           \
        owh::Fill("Pad", srcShape,                                                                           \
                  {typeSize, stackBufferSize, static_cast<int64_t>(oriSrcShape.GetDimNum()), owh::DimOf(oriSrcShape, 0), \
                   owh::DimOf(oriSrcShape, 1)},                                                              \
                  tiling);                                                                                   \
    }                                                                                                        \
    inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                space::UnPadTiling &tiling) {                                                \
        owh::Fill("UnPad", srcShape, {typeSize, stackBufferSize}, tiling);                                   \
    }                                                                                                        \
    inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC &, const int32_t inner, const int32_t outter, const int32_t k, \
                               const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode, const bool isLargest, \
                               space::TopkTiling &topKTiling) {                                              \
        return owh::Fill("TopK", TensorShape(std::vector<int64_t>{inner, outter}),                           \
                         {dataTypeSize, k, isInitIndex, mode == TopKMode::TOPK_NSMALL, isLargest}, topKTiling); \
    }                                                                                                        \
    inline void GetTransposeTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                       const uint32_t transposeTypeIn, space::ConfusionTransposeTiling &tiling) { \
        owh::Fill("Transpose", srcShape, {typeSize, stackBufferSize, transposeTypeIn}, tiling);              \
    }                                                                                                        \
    inline void GetConfusionTransposeTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                                const uint32_t transposeTypeIn, space::ConfusionTransposeTiling &tiling) { \
        owh::Fill("Transpose", srcShape, {typeSize, stackBufferSize, transposeTypeIn}, tiling);              \
    }                                                                                                        \
    inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape &srcShape, const uint32_t stackBufferSize, const uint32_t typeSize, \
                                                    space::ConfusionTransposeTiling &tiling) {               \
        owh::Fill("Transpose", srcShape, {typeSize, stackBufferSize, 7}, tiling);                            \
    }
OWH_SHAPES(optiling)
OWH_SHAPES(tiling)
#undef OWH_SHAPES

} // namespace AscendC
#endif
