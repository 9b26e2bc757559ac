/* Elementwise high-level APIs. Overloads and template parameters follow the public headers; adv.def has what they do. */
#ifndef OW_ADV_H
#define OW_ADV_H

#include "ow/vector.h"

namespace AscendC {

#define OW_TMP_ARG const LocalTensor<uint8_t> &sharedTmpBuffer
#define OW_ADV_CALL(name, a, b, tmp, scalar, how, count)                                                             \
    OW_WANT(name, T, half, float);                                                                                   \
    ow_adv(#name, ow_id<T>, &dst.ow, a, b, tmp, scalar, how, count, ow_loc)
#define OW_ADV_HEAD template <typename T, bool isReuseSource = false>
#define OW_REUSE (isReuseSource ? OW_ADV_REUSE : 0)

/* (dst, src[, tmp], count); the tensors whole where W is given. TMP_T: some take the space as a tensor that may change. */
#define OW_ADV_N(name)                                                                                               \
    OW_ADV_HEAD inline void name(OW_L(T) dst, OW_L(T) src, const uint32_t count, OW_LOC)                             \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, 0, OW_REUSE, count);                                            \
    }
#define OW_ADV_TMP_N(name, TMP_T)                                                                                    \
    OW_ADV_HEAD inline void name(OW_L(T) dst, OW_L(T) src, TMP_T &sharedTmpBuffer, const uint32_t count, OW_LOC)     \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, 0, OW_REUSE, count);                                \
    }
#define OW_ADV_W(name)                                                                                               \
    OW_ADV_HEAD inline void name(OW_L(T) dst, OW_L(T) src, OW_LOC)                                                   \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, 0, OW_REUSE, src.GetSize());                                    \
    }
#define OW_ADV_TMP_W(name)                                                                                           \
    OW_ADV_HEAD inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP_ARG, OW_LOC)                                       \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, 0, OW_REUSE, src.GetSize());                        \
    }
#define OW_ADV_COUNT(name)                                                                                           \
    OW_ADV_N(name)                                                                                                   \
    OW_ADV_TMP_N(name, const LocalTensor<uint8_t>)
#define OW_ADV_ALL(name)                                                                                             \
    OW_ADV_COUNT(name)                                                                                               \
    OW_ADV_W(name)                                                                                                   \
    OW_ADV_TMP_W(name)
OW_ADV_N(Log)
OW_ADV_W(Log)
OW_ADV_N(Log10)
OW_ADV_W(Log10)
OW_ADV_N(Silu)
OW_ADV_ALL(Log2)
OW_ADV_ALL(Sigmoid)
OW_ADV_ALL(Tanh)
OW_ADV_ALL(Sinh)
OW_ADV_ALL(Cosh)
OW_ADV_ALL(Asinh)
OW_ADV_ALL(Acosh)
OW_ADV_ALL(Atanh)
OW_ADV_ALL(Asin)
OW_ADV_ALL(Acos)
OW_ADV_ALL(Atan)
OW_ADV_ALL(Erf)
OW_ADV_ALL(Erfc)
OW_ADV_ALL(Sin)
OW_ADV_ALL(Cos)
OW_ADV_ALL(Tan)
OW_ADV_ALL(Trunc)
OW_ADV_ALL(Frac)
OW_ADV_ALL(Sign)
OW_ADV_COUNT(Floor)
OW_ADV_COUNT(Ceil)
OW_ADV_COUNT(Round)
OW_ADV_COUNT(Lgamma)
OW_ADV_N(Digamma)
OW_ADV_TMP_N(Digamma, LocalTensor<uint8_t>)
#undef OW_ADV_ALL
#undef OW_ADV_COUNT
#undef OW_ADV_N
#undef OW_ADV_TMP_N
#undef OW_ADV_W
#undef OW_ADV_TMP_W

/* Not the instruction of this name: the fraction by a series of so many terms. */
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(OW_L(T) dst, OW_L(T) src, const uint32_t count, OW_LOC)
{
    OW_ADV_CALL(Exp, &src.ow, nullptr, nullptr, ow_bits((T)taylorExpandLevel), OW_REUSE, count);
}
template <typename T, uint8_t taylorExpandLevel, bool isReuseSource = false>
inline void Exp(OW_L(T) dst, OW_L(T) src, OW_TMP_ARG, const uint32_t count, OW_LOC)
{
    OW_ADV_CALL(Exp, &src.ow, nullptr, &sharedTmpBuffer.ow, ow_bits((T)taylorExpandLevel), OW_REUSE, count);
}

template <typename T, bool isReuseSource = false>
inline void Swish(OW_L(T) dst, OW_L(T) src, uint32_t dataSize, const T scalarValue, OW_LOC)
{
    OW_ADV_CALL(Swish, &src.ow, nullptr, nullptr, ow_bits(scalarValue), 0, dataSize);
}

#define OW_GELU(name)                                                                                                \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                  \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP_ARG, const uint32_t dataSize, OW_LOC)                              \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, &sharedTmpBuffer.ow, 0, highPrecision ? OW_ADV_VIA_FLOAT : 0, dataSize);                        \
    }                                                                                                                \
    template <typename T, bool highPrecision = false, bool highPerformance = false>                                  \
    inline void name(OW_L(T) dst, OW_L(T) src, const uint32_t dataSize, OW_LOC)                                      \
    {                                                                                                                \
        OW_ADV_CALL(name, &src.ow, nullptr, nullptr, 0, highPrecision ? OW_ADV_VIA_FLOAT : 0, dataSize);                                    \
    }
OW_GELU(Gelu)
OW_GELU(FasterGelu)
OW_GELU(FasterGeluV2)
#undef OW_GELU

#define OW_CLAMP(name)                                                                                               \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void name(OW_L(T) dst, OW_L(T) src, OW_TMP_ARG, const T scalar, const uint32_t count, OW_LOC)                 \
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
#define OW_ADV_TWO_FORMS(api, A, B, w, M)                                                                            \
    OW_ADV_HEAD inline void api(OW_L(T) dst, A, B, OW_TMP_ARG, uint32_t count, OW_LOC)                               \
    {                                                                                                                \
        M(&sharedTmpBuffer.ow, count);                                                                               \
    }                                                                                                                \
    OW_ADV_HEAD inline void api(OW_L(T) dst, A, B, uint32_t count, OW_LOC)                                           \
    {                                                                                                                \
        M(nullptr, count);                                                                                           \
    }                                                                                                                \
    OW_ADV_HEAD inline void api(OW_L(T) dst, A, B, OW_TMP_ARG, OW_LOC)                                               \
    {                                                                                                                \
        M(&sharedTmpBuffer.ow, w.GetSize());                                                                         \
    }                                                                                                                \
    OW_ADV_HEAD inline void api(OW_L(T) dst, A, B, OW_LOC)                                                           \
    {                                                                                                                \
        M(nullptr, w.GetSize());                                                                                     \
    }
/* Whole numbers to whole powers go their own way. scalar: 0 none, 1 the base, 2 the exponent. */
template <typename T>
inline void OwPower(const char *row, const OwLocal *d, const OwLocal *a, const OwLocal *b, uint32_t scalar, T value,
                    const OwLocal *tmp, uint32_t count, OwLoc loc)
{
    OW_WANT(Power, T, half, float, int32_t);
    if constexpr (ow_same<T, int32_t>) {
        OwAdv call = {};
        call.t[0] = d, call.t[1] = scalar == 1 ? nullptr : a, call.t[2] = scalar == 2 ? nullptr : scalar == 1 ? a : b;
        for (int i = 0; i < 3; i++) call.type[i] = OW_I32;
        call.tmp = tmp;
        call.n[0] = count, call.n[1] = scalar, call.n[2] = (int64_t)value;
        ow_adv_call("PowerInt", &call, loc);
    } else {
        ow_adv(row, ow_id<T>, d, a, b, tmp, ow_bits(value), 0, count, loc);
    }
}
#define OW_POWER_TT(tmp, n) OwPower<T>("Power", &dst.ow, &src0.ow, &src1.ow, 0, T(0), tmp, n, ow_loc)
#define OW_POWER_TS(tmp, n) OwPower<T>("PowerTensorScalar", &dst.ow, &src0.ow, nullptr, 2, src1, tmp, n, ow_loc)
#define OW_POWER_ST(tmp, n) OwPower<T>("PowerScalarTensor", &dst.ow, &src1.ow, nullptr, 1, src0, tmp, n, ow_loc)
#define OW_FMOD(tmp, n) OW_ADV_CALL(Fmod, &src0.ow, &src1.ow, tmp, 0, 0, n)
OW_ADV_TWO_FORMS(Power, OW_L(T) src0, OW_L(T) src1, src0, OW_POWER_TT)
OW_ADV_TWO_FORMS(Power, OW_L(T) src0, const T &src1, src0, OW_POWER_TS)
OW_ADV_TWO_FORMS(Power, const T &src0, OW_L(T) src1, src1, OW_POWER_ST)
OW_ADV_TWO_FORMS(Fmod, OW_L(T) src0, OW_L(T) src1, src0, OW_FMOD)
#undef OW_POWER_TT
#undef OW_POWER_TS
#undef OW_POWER_ST
#undef OW_FMOD
#undef OW_ADV_TWO_FORMS
#undef OW_ADV_HEAD
#undef OW_REUSE
#undef OW_ADV_CALL
#undef OW_TMP_ARG

} // namespace AscendC
#endif
