/* Elementwise high-level APIs. Overloads and template parameters follow the public headers; adv.def has what they do. */
#ifndef OW_ADV_H
#define OW_ADV_H

#include "ow/vector.h"

namespace AscendC {

#define OW_TMP const LocalTensor<uint8_t> &sharedTmpBuffer
#define OW_ADV_CALL(name, a, b, tmp, scalar, via, count)                                                             \
    OW_WANT(name, T, half, float);                                                                                   \
    ow_adv(#name, ow_id<T>, &dst.ow, a, b, tmp, scalar, via, count, ow_loc)

/* (dst, src[, tmp], count); the tensors whole where W is given. */
#define OW_ADV_N(name)                                                                                               \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void name(OW_L(T) dst, OW_L(T) src, const uint32_t count, OW_LOC)                                         \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, 0, 0, count);                                                   \
    }
#define OW_ADV_TMP_N(name)                                                                                           \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP, const uint32_t count, OW_LOC)                                 \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, 0, 0, count);                                       \
    }
#define OW_ADV_W(name)                                                                                               \
    template <typename T, bool isReuseSource = false> inline void name(OW_L(T) dst, OW_L(T) src, OW_LOC)             \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, 0, 0, src.GetSize());                                           \
    }
#define OW_ADV_TMP_W(name)                                                                                           \
    template <typename T, bool isReuseSource = false> inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP, OW_LOC)     \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, 0, 0, src.GetSize());                               \
    }
#define OW_ADV_ALL(name)                                                                                             \
    OW_ADV_N(name)                                                                                                   \
    OW_ADV_TMP_N(name)                                                                                               \
    OW_ADV_W(name)                                                                                                   \
    OW_ADV_TMP_W(name)
OW_ADV_N(Log)
OW_ADV_W(Log)
OW_ADV_N(Log10)
OW_ADV_W(Log10)
OW_ADV_ALL(Log2)
OW_ADV_ALL(Sigmoid)
OW_ADV_N(Silu)
OW_ADV_ALL(Tanh)
OW_ADV_ALL(Sinh)
OW_ADV_ALL(Cosh)
OW_ADV_ALL(Asinh)
OW_ADV_ALL(Acosh)
OW_ADV_ALL(Atanh)
OW_ADV_ALL(Erf)
OW_ADV_ALL(Sin)
OW_ADV_ALL(Cos)
OW_ADV_ALL(Tan)
OW_ADV_N(Floor)
OW_ADV_TMP_N(Floor)
OW_ADV_N(Ceil)
OW_ADV_TMP_N(Ceil)
OW_ADV_N(Round)
OW_ADV_TMP_N(Round)
OW_ADV_ALL(Trunc)
OW_ADV_ALL(Frac)
OW_ADV_ALL(Sign)
#undef OW_ADV_ALL
#undef OW_ADV_N
#undef OW_ADV_TMP_N
#undef OW_ADV_W
#undef OW_ADV_TMP_W

template <typename T, bool isReuseSource = false>
inline void Swish(OW_L(T) dst, OW_L(T) src, uint32_t dataSize, const T scalarValue, OW_LOC)
{
    OW_ADV_CALL(Swish, &src.ow, nullptr, nullptr, ow_bits(scalarValue), 0, dataSize);
}

#define OW_GELU(name)                                                                                                \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                  \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP, const uint32_t dataSize, OW_LOC)                              \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, 0, highPrecision, dataSize);                        \
    }                                                                                                                \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                  \
    inline void name(OW_L(T) dst, OW_L(T) src, const uint32_t dataSize, OW_LOC)                                      \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, 0, highPrecision, dataSize);                                    \
    }
OW_GELU(Gelu)
OW_GELU(FasterGelu)
OW_GELU(FasterGeluV2)
#undef OW_GELU

#define OW_CLAMP(name)                                                                                               \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP, const T scalar, const uint32_t count, OW_LOC)                 \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, ow_bits(scalar), 0, count);                         \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void name(OW_L(T) dst, OW_L(T) src, const T scalar, const uint32_t count, OW_LOC)                         \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, ow_bits(scalar), 0, count);                                     \
    }
OW_CLAMP(ClampMax)
OW_CLAMP(ClampMin)
#undef OW_CLAMP

/* Two operands; the whole form goes by the size of the tensor `w`. */
#define OW_ADV_TWO(api, row, A, B, w, a, b, s)                                                                       \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void api(OW_L(T) dst, A, B, OW_TMP, uint32_t count, OW_LOC)                                               \
    {                                                                                                                \
        OW_ADV_CALL(row, a, b, &sharedTmpBuffer.ow, s, 0, count);                                                    \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false> inline void api(OW_L(T) dst, A, B, uint32_t count, OW_LOC)     \
    {                                                                                                                \
        OW_ADV_CALL(row, a, b, nullptr, s, 0, count);                                                                \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false> inline void api(OW_L(T) dst, A, B, OW_TMP, OW_LOC)             \
    {                                                                                                                \
        OW_ADV_CALL(row, a, b, &sharedTmpBuffer.ow, s, 0, w.GetSize());                                              \
    }                                                                                                                \
    template <typename T, bool isReuseSource = false> inline void api(OW_L(T) dst, A, B, OW_LOC)                     \
    {                                                                                                                \
        OW_ADV_CALL(row, a, b, nullptr, s, 0, w.GetSize());                                                          \
    }
OW_ADV_TWO(Power, Power, OW_L(T) src0, OW_L(T) src1, src0, &src0.ow, &src1.ow, 0)
OW_ADV_TWO(Power, PowerTensorScalar, OW_L(T) src0, const T &src1, src0, &src0.ow, nullptr, ow_bits(src1))
OW_ADV_TWO(Power, PowerScalarTensor, const T &src0, OW_L(T) src1, src1, &src1.ow, nullptr, ow_bits(src0))
OW_ADV_TWO(Fmod, Fmod, OW_L(T) src0, OW_L(T) src1, src0, &src0.ow, &src1.ow, 0)
#undef OW_ADV_TWO
#undef OW_ADV_CALL
#undef OW_TMP

} // namespace AscendC
#endif
