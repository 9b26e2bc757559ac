/* Broadcast, Pad, UnPad, Transpose by scenes, quantisation; src/sim/adv_shape.c and adv_quant.c have what they do. */
#ifndef OW_ADV_SHAPE_H
#define OW_ADV_SHAPE_H

#include "ow/adv_call.h"
#include "ow/layout.h"

namespace AscendC {

#define OW_BROADCAST(TMP, tmp)                                                                                       \
    template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                     \
    inline void Broadcast(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                            \
                          const uint32_t dstShape[dim], const uint32_t srcShape[dim] TMP(), OW_LOC)                  \
    {                                                                                                                \
        OW_WANT(Broadcast, T, int8_t, uint8_t, half, float);                                                         \
        static_assert((dim == 1 || dim == 2) && (axis == 0 || axis == 1), "Broadcast: dim 1 or 2, axis 0 or 1");      \
        OwAdvCall(dstLocal, srcLocal)                                                                                \
            .Numbers(dim, axis, dim == 2 ? dstShape[0] : 1, dstShape[dim - 1], dim == 2 ? srcShape[0] : 1,           \
                     srcShape[dim - 1])                                                                              \
            .Tmp(tmp)                                                                                                \
            .Run("Broadcast", ow_loc);                                                                               \
    }
#define OW_TMP_LAST() , LocalTensor<uint8_t> &sharedTmpBuffer
OW_BROADCAST(OW_TMP_LAST, sharedTmpBuffer)
OW_BROADCAST(OW_NO_TMP, OwNoTensor{})
#undef OW_TMP_LAST
#undef OW_BROADCAST

struct PadParams {
    PadParams() {}
    PadParams(const uint16_t leftPadIn, const uint16_t rightPadIn, const int32_t padValueIn)
        : leftPad(leftPadIn), rightPad(rightPadIn), padValue(padValueIn)
    {
    }
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
    int32_t padValue = 0;
};
struct UnPadParams {
    UnPadParams() {}
    UnPadParams(const uint16_t leftPadIn, const uint16_t rightPadIn) : leftPad(leftPadIn), rightPad(rightPadIn) {}
    uint16_t leftPad = 0;
    uint16_t rightPad = 0;
};
#define OW_PAD(TMP, tmp)                                                                                             \
    template <typename T>                                                                                            \
    inline void Pad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, PadParams &padParams,          \
                    TMP() PadTiling &tiling, OW_LOC)                                                                 \
    {                                                                                                                \
        OW_WANT(Pad, T, int16_t, uint16_t, half, int32_t, uint32_t, float);                                          \
        OwAdvCall(dstTensor, srcTensor)                                                                              \
            .Numbers(tiling.srcHeight, tiling.srcWidth, tiling.srcOriWidth, padParams.leftPad, padParams.rightPad,   \
                     ow_bits(static_cast<T>(padParams.padValue)))                                                    \
            .Tmp(tmp)                                                                                                \
            .Run("Pad", ow_loc);                                                                                     \
    }
OW_BOTH_TMP(OW_PAD)
#undef OW_PAD
#define OW_UNPAD(TMP)                                                                                                \
    template <typename T>                                                                                            \
    inline void UnPad(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor, UnPadParams &unPadParams,    \
                      TMP() UnPadTiling &tiling, OW_LOC)                                                             \
    {                                                                                                                \
        OW_WANT(UnPad, T, int16_t, uint16_t, half, int32_t, uint32_t, float);                                        \
        OwAdvCall(dstTensor, srcTensor)                                                                              \
            .Numbers(tiling.srcHeight, tiling.srcWidth, unPadParams.rightPad)                                        \
            .Run("UnPad", ow_loc);                                                                                   \
    }
OW_UNPAD(OW_TMP_MUTABLE)
OW_UNPAD(OW_NO_TMP)
#undef OW_UNPAD

/* The opaque parameters of the tiling: GetTransposeTilingInfo puts the shape there. */
#define OW_TRANSPOSE(TMP, tmp)                                                                                       \
    template <typename T>                                                                                            \
    inline void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, TMP() TransposeType transposeType,   \
                          ConfusionTransposeTiling &tiling, OW_LOC)                                                  \
    {                                                                                                                \
        OW_WANT(Transpose, T, int16_t, uint16_t, half, int32_t, uint32_t, float);                                    \
        OwAdvCall(dst, src)                                                                                          \
            .Numbers((uint32_t)transposeType, tiling.param1, tiling.param2, tiling.param17, tiling.param16)          \
            .Tmp(tmp)                                                                                                \
            .Run("Transpose", ow_loc);                                                                               \
    }
OW_BOTH_TMP(OW_TRANSPOSE)
#undef OW_TRANSPOSE

/* ---- quantisation ---- */

struct AscendQuantConfig {
    constexpr AscendQuantConfig(const uint32_t calcCountIn, const uint32_t offsetCountIn, const uint32_t scaleCountIn,
                                const uint32_t workLocalSizeIn)
        : calcCount(calcCountIn), offsetCount(offsetCountIn), scaleCount(scaleCountIn), workLocalSize(workLocalSizeIn)
    {
    }
    uint32_t calcCount = 0;
    uint32_t offsetCount = 0;
    uint32_t scaleCount = 0;
    uint32_t workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {0, 0, 0, 0};

template <const AscendQuantConfig &config, typename T, typename S, typename O, typename Tmp>
inline void OwQuant(const LocalTensor<int8_t> &dst, const LocalTensor<T> &src, const S &scaleTensor, const O &offsetTensor,
                    float scale, float offset, const Tmp &tmp, uint32_t calCount, uint32_t scaleCount, OwLoc loc)
{
    OW_WANT(AscendQuant, T, half, float);
    const uint32_t n = config.calcCount ? config.calcCount : calCount, k = config.scaleCount ? config.scaleCount : scaleCount;
    OwAdvCall(dst, src, scaleTensor, offsetTensor).Numbers(n, k, k).Scalars(scale, offset).Tmp(tmp).Run("AscendQuant", loc);
}
#define OW_QUANT_HEAD                                                                                                \
    template <typename T, bool isReuseSource = false, const AscendQuantConfig &config = ASCEND_QUANT_DEFAULT_CFG>    \
    inline void AscendQuant(const LocalTensor<int8_t> &dstTensor, const LocalTensor<T> &srcTensor,
#define OW_QUANT(TMP, tmp)                                                                                           \
    OW_QUANT_HEAD TMP() const float scale, const float offset, const uint32_t calCount, OW_LOC)                      \
    {                                                                                                                \
        OwQuant<config>(dstTensor, srcTensor, OwNoTensor{}, OwNoTensor{}, scale, offset, tmp, calCount, 1, ow_loc);  \
    }                                                                                                                \
    OW_QUANT_HEAD TMP() const float scale, const float offset, OW_LOC)                                               \
    {                                                                                                                \
        OwQuant<config>(dstTensor, srcTensor, OwNoTensor{}, OwNoTensor{}, scale, offset, tmp, srcTensor.GetSize(),   \
                        1, ow_loc);                                                                                  \
    }                                                                                                                \
    OW_QUANT_HEAD TMP() const LocalTensor<T> &scaleTensor, const T offset, const uint32_t scaleCount,                \
        const uint32_t calCount, OW_LOC)                                                                             \
    {                                                                                                                \
        OwQuant<config>(dstTensor, srcTensor, scaleTensor, OwNoTensor{}, 0.0f, (float)offset, tmp, calCount,         \
                        scaleCount, ow_loc);                                                                         \
    }                                                                                                                \
    OW_QUANT_HEAD TMP() const LocalTensor<T> &scaleTensor, const T offset, OW_LOC)                                   \
    {                                                                                                                \
        OwQuant<config>(dstTensor, srcTensor, scaleTensor, OwNoTensor{}, 0.0f, (float)offset, tmp,                   \
                        srcTensor.GetSize(), scaleTensor.GetSize(), ow_loc);                                         \
    }                                                                                                                \
    OW_QUANT_HEAD TMP() const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor,                       \
        const uint32_t scaleCount, const uint32_t offsetCount, const uint32_t calCount, OW_LOC)                      \
    {                                                                                                                \
        (void)offsetCount;                                                                                           \
        OwQuant<config>(dstTensor, srcTensor, scaleTensor, offsetTensor, 0.0f, 0.0f, tmp, calCount, scaleCount,      \
                        ow_loc);                                                                                     \
    }                                                                                                                \
    OW_QUANT_HEAD TMP() const LocalTensor<T> &scaleTensor, const LocalTensor<T> &offsetTensor, OW_LOC)               \
    {                                                                                                                \
        OwQuant<config>(dstTensor, srcTensor, scaleTensor, offsetTensor, 0.0f, 0.0f, tmp, srcTensor.GetSize(),       \
                        scaleTensor.GetSize(), ow_loc);                                                              \
    }
OW_BOTH_TMP(OW_QUANT)
#undef OW_QUANT
#undef OW_QUANT_HEAD

enum class DeQuantMode : uint8_t { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
struct DequantParams {
    uint32_t m;
    uint32_t n;
    uint32_t calCount;
};
template <typename dstT, DeQuantMode mode, typename S, typename Tmp>
inline void OwDequant(const LocalTensor<dstT> &dst, const LocalTensor<int32_t> &src, const S &scale, float value,
                      const Tmp &tmp, DequantParams p, uint32_t only, OwLoc loc)
{
    const uint32_t block = 32 / sizeof(dstT);
    if (mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && p.m == 1 && p.calCount && p.calCount % block == 0 && p.n % p.calCount == 0)
        p = DequantParams{p.n / p.calCount, p.calCount, p.calCount};
    OwAdvCall(dst, src, scale).Numbers(p.m, p.n, p.calCount, only).Scalars(value).Tmp(tmp).Run("AscendDequant", loc);
}
inline float OwScale(float s) { return s; }
inline float OwScale(bfloat16_t s) { return ow_unbits<float>((uint64_t)s.ow_bits << 16); }
template <typename S>
inline DequantParams OwDequantShape(const LocalTensor<int32_t> &src, const LocalTensor<S> &scale)
{
    const uint32_t n = scale.GetSize();
    return DequantParams{n ? src.GetSize() / n : 0, n, n};
}
#define OW_DEQUANT_HEAD                                                                                              \
    template <typename dstT, typename scaleT, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>               \
    inline void AscendDequant(const LocalTensor<dstT> &dstTensor, const LocalTensor<int32_t> &srcTensor,
#define OW_DEQUANT_TYPES                                                                                             \
    OW_WANT_PAIR(AscendDequant, dstT, scaleT, half (*)(uint64_t), float (*)(float), float (*)(bfloat16_t),           \
                 bfloat16_t (*)(bfloat16_t), bfloat16_t (*)(float))
#define OW_DEQUANT(TMP, tmp)                                                                                         \
    OW_DEQUANT_HEAD const LocalTensor<scaleT> &deqScale, TMP() DequantParams params, OW_LOC)                         \
    {                                                                                                                \
        OW_DEQUANT_TYPES;                                                                                            \
        OwDequant<dstT, mode>(dstTensor, srcTensor, deqScale, 0.0f, tmp, params, 0, ow_loc);                         \
    }                                                                                                                \
    OW_DEQUANT_HEAD const LocalTensor<scaleT> &deqScale, TMP() const uint32_t calCount, OW_LOC)                      \
    {                                                                                                                \
        OW_DEQUANT_TYPES;                                                                                            \
        OwDequant<dstT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(dstTensor, srcTensor, deqScale, 0.0f, tmp,              \
                                                             OwDequantShape(srcTensor, deqScale), calCount, ow_loc); \
    }                                                                                                                \
    OW_DEQUANT_HEAD const scaleT deqScale, TMP() DequantParams params, OW_LOC)                                       \
    {                                                                                                                \
        OW_WANT_PAIR(AscendDequant, dstT, scaleT, float (*)(float), float (*)(bfloat16_t),                           \
                     bfloat16_t (*)(bfloat16_t), bfloat16_t (*)(float));                                             \
        OwDequant<dstT, mode>(dstTensor, srcTensor, OwNoTensor{}, OwScale(deqScale), tmp, params, 0, ow_loc);        \
    }
OW_BOTH_TMP(OW_DEQUANT)
#undef OW_DEQUANT
OW_DEQUANT_HEAD const LocalTensor<scaleT> &deqScale, const LocalTensor<uint8_t> &sharedTmpBuffer, OW_LOC)
{
    OW_DEQUANT_TYPES;
    OwDequant<dstT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(dstTensor, srcTensor, deqScale, 0.0f, sharedTmpBuffer,
                                                         OwDequantShape(srcTensor, deqScale), srcTensor.GetSize(), ow_loc);
}
OW_DEQUANT_HEAD const LocalTensor<scaleT> &deqScale, OW_LOC)
{
    OW_DEQUANT_TYPES;
    OwDequant<dstT, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(dstTensor, srcTensor, deqScale, 0.0f, OwNoTensor{},
                                                         OwDequantShape(srcTensor, deqScale), srcTensor.GetSize(), ow_loc);
}
#undef OW_DEQUANT_TYPES
#undef OW_DEQUANT_HEAD

struct AntiQuantShapeInfo {
    uint32_t offsetHeight{0};
    uint32_t offsetWidth{0};
    uint32_t scaleHeight{0};
    uint32_t scaleWidth{0};
};
/* How many groups along K the scales have: as given, as set on the tensor, or by its size. */
template <bool isTranspose, typename T>
inline uint32_t OwGroups(const AntiQuantShapeInfo &info, const LocalTensor<T> &scale, uint32_t n)
{
    if (info.scaleHeight && info.scaleWidth) return isTranspose ? info.scaleWidth : info.scaleHeight;
    const ShapeInfo &s = scale.shapeInfo_;
    if (s.shapeDim == 2) return isTranspose ? s.shape[1] : s.shape[0];
    return n ? scale.GetSize() / n : 0;
}
#define OW_ANTIQUANT_HEAD                                                                                            \
    template <typename InputDataType, typename OutputDataType, bool isTranspose>                                     \
    inline void AscendAntiQuant(const LocalTensor<OutputDataType> &dst, const LocalTensor<InputDataType> &src,
#define OW_ANTIQUANT_TYPES                                                                                           \
    OW_WANT(AscendAntiQuant, InputDataType, int8_t, int4b_t);                                                        \
    OW_WANT(AscendAntiQuant, OutputDataType, half, bfloat16_t);                                                      \
    const uint32_t ow_n = k ? src.GetSize() / k : 0
#define OW_ANTIQUANT_CALL                                                                                            \
    if constexpr (ow_same<InputDataType, int4b_t>)                                                                   \
        ow_not_modelled("AscendAntiQuant with int4b_t", ow_loc);                                                     \
    else                                                                                                             \
        OwAdvCall
#define OW_ANTIQUANT_TENSOR(offset, tmp)                                                                             \
    OW_ANTIQUANT_TYPES;                                                                                              \
    OW_ANTIQUANT_CALL(dst, src, offset, scale)                                                                       \
        .Numbers(k, isTranspose, OwGroups<isTranspose>(shapeInfo, scale, ow_n), src.GetSize())                       \
        .Tmp(tmp)                                                                                                    \
        .Run("AscendAntiQuant", ow_loc)
#define OW_ANTIQUANT_SCALAR(offset, tmp)                                                                             \
    OW_ANTIQUANT_TYPES;                                                                                              \
    (void)ow_n, (void)shapeInfo;                                                                                     \
    OW_ANTIQUANT_CALL(dst, src, OwNoTensor{}, OwNoTensor{})                                                          \
        .Numbers(k, isTranspose, 1, src.GetSize())                                                                   \
        .Scalars(OwScale16(scale), offset)                                                                           \
        .Tmp(tmp)                                                                                                    \
        .Run("AscendAntiQuant", ow_loc)
inline float OwScale16(half s) { return (float)s; }
inline float OwScale16(bfloat16_t s) { return OwScale(s); }
#define OW_ANTIQUANT(TMP, tmp)                                                                                       \
    OW_ANTIQUANT_HEAD const LocalTensor<OutputDataType> &offset, const LocalTensor<OutputDataType> &scale,           \
        TMP() const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {}, OW_LOC)                                    \
    {                                                                                                                \
        OW_ANTIQUANT_TENSOR(offset, tmp);                                                                            \
    }                                                                                                                \
    OW_ANTIQUANT_HEAD const OutputDataType offset, const OutputDataType scale, TMP() const uint32_t k,               \
        const AntiQuantShapeInfo &shapeInfo = {}, OW_LOC)                                                            \
    {                                                                                                                \
        OW_ANTIQUANT_SCALAR(OwScale16(offset), tmp);                                                                 \
    }
OW_BOTH_TMP(OW_ANTIQUANT)
#undef OW_ANTIQUANT
OW_ANTIQUANT_HEAD const LocalTensor<OutputDataType> &scale, OW_TMP() const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {},
                  OW_LOC)
{
    OW_ANTIQUANT_TENSOR(OwNoTensor{}, sharedTmpBuffer);
}
OW_ANTIQUANT_HEAD const OutputDataType scale, OW_TMP() const uint32_t k, const AntiQuantShapeInfo &shapeInfo = {}, OW_LOC)
{
    OW_ANTIQUANT_SCALAR(0.0f, sharedTmpBuffer);
}
#undef OW_ANTIQUANT_SCALAR
#undef OW_ANTIQUANT_TENSOR
#undef OW_ANTIQUANT_TYPES
#undef OW_ANTIQUANT_CALL
#undef OW_ANTIQUANT_HEAD

} // namespace AscendC
#endif
