/* Elementwise high-level APIs with forms of their own, and the fills; src/sim/adv_pair.c and adv_quant.c have what they do. */
#ifndef OW_ADV_PAIR_H
#define OW_ADV_PAIR_H

#include "ow/adv_call.h"
#include "ow/copy.h"

namespace AscendC {

#define OW_PAIR_TMP const LocalTensor<uint8_t> &sharedTmpBuffer
/* D, S: const, or empty where the interface takes tensors that may change. */
#define OW_PAIR(api, D, S, EXTRA, extra, TMP_AND_COUNT, tmp, count, ...)                                            \
    template <typename T, bool isReuseSource = false>                                                                \
    inline void api(D LocalTensor<T> &dstTensor, S LocalTensor<T> &srcTensor0, S LocalTensor<T> &srcTensor1          \
                        EXTRA() TMP_AND_COUNT(), OW_LOC)                                                             \
    {                                                                                                                \
        OW_WANT(api, T, __VA_ARGS__);                                                                                \
        OwAdvCall(dstTensor, srcTensor0, srcTensor1).Numbers(count).Scalars(extra).Tmp(tmp).Run(#api, ow_loc);       \
    }
#define OW_NOTHING()
#define OW_PAIR_N() , uint32_t calCount
#define OW_PAIR_TMP_N() , OW_PAIR_TMP, uint32_t calCount
#define OW_PAIR_TMP_W() , OW_PAIR_TMP
#define OW_PAIR_COUNT(api, D, EXTRA, extra, ...)                                                                 \
    OW_PAIR(api, D, const, EXTRA, extra, OW_PAIR_TMP_N, sharedTmpBuffer, calCount, __VA_ARGS__)                         \
    OW_PAIR(api, D, const, EXTRA, extra, OW_PAIR_N, OwNoTensor{}, calCount, __VA_ARGS__)
#define OW_PAIR_WHOLE(api, D, S, EXTRA, extra, ...)                                                                 \
    OW_PAIR(api, D, const, EXTRA, extra, OW_PAIR_TMP_W, sharedTmpBuffer, srcTensor0.GetSize(), __VA_ARGS__)             \
    OW_PAIR(api, D, S, EXTRA, extra, OW_NOTHING, OwNoTensor{}, srcTensor0.GetSize(), __VA_ARGS__)
#define OW_BETA() , const float &scalarValue
OW_PAIR_COUNT(GeGLU, const, OW_NOTHING, 0.0f, half, float)
OW_PAIR_WHOLE(GeGLU, const, const, OW_NOTHING, 0.0f, half, float)
OW_PAIR_COUNT(SwiGLU, , OW_BETA, scalarValue, half, float)
OW_PAIR_WHOLE(SwiGLU, , , OW_BETA, scalarValue, half, float)
OW_PAIR_COUNT(ReGlu, const, OW_NOTHING, 0.0f, half, bfloat16_t, float)
OW_PAIR_COUNT(Xor, const, OW_NOTHING, 0.0f, int16_t, uint16_t)
OW_PAIR_WHOLE(Xor, const, const, OW_NOTHING, 0.0f, int16_t, uint16_t)
#undef OW_PAIR_WHOLE
#undef OW_PAIR_COUNT
#undef OW_PAIR
#undef OW_PAIR_N
#undef OW_PAIR_TMP_N
#undef OW_PAIR_TMP_W
#undef OW_BETA

template <typename T, typename U, bool isReuseSource = false>
inline void Axpy(const LocalTensor<T> &dstTensor, const LocalTensor<U> &srcTensor, const U scalarValue, OW_PAIR_TMP,
                 const uint32_t calCount, OW_LOC)
{
    OW_WANT_PAIR(Axpy, T, U, half (*)(half), float (*)(float), float (*)(half));
    OwAdvCall(dstTensor, srcTensor).Numbers(calCount).Scalars(scalarValue).Tmp(sharedTmpBuffer).Run("Axpy", ow_loc);
}
template <typename T>
inline void Arange(const LocalTensor<T> &dst, const T firstValue, const T diffValue, const int32_t count, OW_LOC)
{
    OW_WANT(Arange, T, int16_t, half, int32_t, float);
    /* whole numbers as such, the others as scalars */
    constexpr bool whole = ow_same<T, int16_t> || ow_same<T, int32_t>;
    OwAdvCall call(dst);
    if constexpr (whole)
        call.Numbers(count, firstValue, diffValue);
    else
        call.Numbers(count).Scalars(firstValue, diffValue);
    call.Run("Arange", ow_loc);
}
template <typename T>
inline void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue, const int32_t count, OW_LOC)
{
    Arange<T>(dst, firstValue, diffValue, count, ow_loc);
}
template <typename T> inline void Fill(GlobalTensor<T> &gmWorkspaceAddr, const uint64_t size, const T value, OW_LOC)
{
    OW_WANT(Fill, T, uint16_t, int16_t, half, uint32_t, int32_t, float);
    ow_init_output(ow_id<T>, &gmWorkspaceAddr.ow, size, ow_bits(value), ow_loc);
}

/* ---- selection by a mask of elements ---- */

struct SelectWithBytesMaskShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
    SelectWithBytesMaskShapeInfo() {}
};
struct DropOutShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
    DropOutShapeInfo() {}
};
#define OW_SELECT_BYTES(S0, S1, tensor, scalar, first)                                                               \
    template <typename T, typename U, bool isReuseMask = true>                                                       \
    inline void Select(const LocalTensor<T> &dst, S0 src0, S1 src1, const LocalTensor<U> &mask, OW_PAIR_TMP,         \
                       const SelectWithBytesMaskShapeInfo &info, OW_LOC)                                             \
    {                                                                                                                \
        OW_WANT(Select, T, half, float);                                                                             \
        OW_WANT(Select, U, bool, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);                             \
        OwAdvCall(dst, tensor, mask)                                                                                 \
            .Numbers(info.firstAxis, info.srcLastAxis, info.maskLastAxis, first, isReuseMask)                        \
            .Scalars(scalar)                                                                                         \
            .Tmp(sharedTmpBuffer)                                                                                    \
            .Run("Select", ow_loc);                                                                                  \
    }
OW_SELECT_BYTES(const LocalTensor<T> &, T, src0, src1, 0)
OW_SELECT_BYTES(T, const LocalTensor<T> &, src1, src0, 1)
#undef OW_SELECT_BYTES

#define OW_DROPOUT(TMP, tmp)                                                                                         \
    template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>                                      \
    inline void DropOut(const LocalTensor<T> &dstLocal, const LocalTensor<T> &srcLocal,                              \
                        const LocalTensor<uint8_t> &maskLocal, TMP() const float keepProb,                           \
                        const DropOutShapeInfo &info, OW_LOC)                                                        \
    {                                                                                                                \
        OW_WANT(DropOut, T, half, float);                                                                            \
        static_assert(dropOutMode <= 4, "DropOut: dropOutMode is 0 to 4");                                           \
        OwAdvCall(dstLocal, srcLocal, maskLocal)                                                                     \
            .Numbers(info.firstAxis, info.srcLastAxis, info.maskLastAxis, dropOutMode)                               \
            .Scalars(keepProb)                                                                                       \
            .Tmp(tmp)                                                                                                \
            .Run("DropOut", ow_loc);                                                                                 \
    }
OW_BOTH_TMP(OW_DROPOUT)
#undef OW_DROPOUT
#undef OW_NOTHING
#undef OW_PAIR_TMP

} // namespace AscendC
#endif
