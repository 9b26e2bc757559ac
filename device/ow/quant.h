/* Conversions with a scale: SetDeqScale and CastDequant; and BilinearInterpolation. */
#ifndef OW_QUANT_H
#define OW_QUANT_H

#include "ow/vector.h"

namespace AscendC {

inline void SetDeqScale(half scale, OW_LOC)
{
    ow_deq_scale((uint16_t)ow_bits(scale), ow_loc);
}
/* HW: SetDeqScale page, table 1. */
inline uint64_t OwDeqWord(float scale, int16_t offset, bool signMode)
{
    return ow_bits(scale) | (uint64_t)(offset & 0x1ff) << 37 | (uint64_t)signMode << 46;
}
inline void SetDeqScale(float scale, int16_t offset, bool signMode, OW_LOC)
{
    ow_deq_word(OwDeqWord(scale, offset, signMode), ow_loc);
}
constexpr int32_t VDEQ_TENSOR_SIZE = 16;
struct VdeqInfo {
    VdeqInfo() {}
    VdeqInfo(const float scale[VDEQ_TENSOR_SIZE], const int16_t offset[VDEQ_TENSOR_SIZE], const bool signMode[VDEQ_TENSOR_SIZE])
    {
        for (int32_t i = 0; i < VDEQ_TENSOR_SIZE; i++) {
            vdeqScale[i] = scale[i];
            vdeqOffset[i] = offset[i];
            vdeqSignMode[i] = signMode[i];
        }
    }
    float vdeqScale[VDEQ_TENSOR_SIZE] = {0};
    int16_t vdeqOffset[VDEQ_TENSOR_SIZE] = {0};
    bool vdeqSignMode[VDEQ_TENSOR_SIZE] = {0};
};
template <typename T> inline void SetDeqScale(OW_L(T) vdeq, const VdeqInfo &vdeqInfo, OW_LOC)
{
    OW_WANT(SetDeqScale, T, uint64_t);
    for (uint32_t i = 0; i < VDEQ_TENSOR_SIZE; i++)
        vdeq.SetValue(i, OwDeqWord(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]), ow_loc);
    ow_deq_table(&vdeq.ow, ow_loc);
}

/* HW: CastDequant page. int32_t to half is Cast, as in the framework; CastDeq is the older name. */
#define OW_CAST_DEQ(name, mask_decl, bits, count_of)                                                                 \
    template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>            \
    inline void name(OW_L(T) dst, OW_L(U) src, mask_decl, uint8_t repeatTime, const UnaryRepeatParams &repeatParams, \
                     OW_LOC)                                                                                         \
    {                                                                                                                \
        OW_WANT_PAIR(name, T, U, int8_t (*)(int16_t), uint8_t (*)(int16_t), half (*)(int32_t));                      \
        OwRepeat r = OwRep(bits, (uint64_t)(count_of), isSetMask, repeatTime, repeatParams);                         \
        if constexpr (ow_same<PrimT<U>, int32_t>)                                                                    \
            ow_vec_r("Cast", OW_TYPES(OW_F16, OW_I32), &dst.ow, &src.ow, nullptr, 0, (uint32_t)RoundMode::CAST_RINT, &r, ow_loc); \
        else                                                                                                         \
            ow_cast_deq(ow_id<T>, &dst.ow, &src.ow, isVecDeq * OW_DEQ_TABLE | halfBlock * OW_DEQ_HIGH, 0, &r, ow_loc); \
    }
#define OW_CAST_DEQ_N(name)                                                                                          \
    template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                                   \
    inline void name(OW_L(T) dst, OW_L(U) src, const uint32_t count, OW_LOC)                                         \
    {                                                                                                                \
        OW_WANT_PAIR(name, T, U, int8_t (*)(int16_t), uint8_t (*)(int16_t), half (*)(int32_t));                      \
        if constexpr (ow_same<PrimT<U>, int32_t>)                                                                    \
            ow_vec_n("Cast", OW_TYPES(OW_F16, OW_I32), &dst.ow, &src.ow, nullptr, 0, (uint32_t)RoundMode::CAST_RINT, count, ow_loc); \
        else                                                                                                         \
            ow_cast_deq(ow_id<T>, &dst.ow, &src.ow, isVecDeq * OW_DEQ_TABLE | halfBlock * OW_DEQ_HIGH, count, nullptr, ow_loc); \
    }
OW_CAST_DEQ(CastDequant, const uint64_t mask[], mask, 0)
OW_CAST_DEQ(CastDequant, const int32_t mask, nullptr, mask)
OW_CAST_DEQ_N(CastDequant)
OW_CAST_DEQ(CastDeq, const uint64_t mask[], mask, 0)
OW_CAST_DEQ(CastDeq, const int32_t mask, nullptr, mask)
OW_CAST_DEQ_N(CastDeq)
#undef OW_CAST_DEQ
#undef OW_CAST_DEQ_N

/* HW: BilinearInterpolation page; sharedTmpBuffer holds what it gathers. */
#define OW_BILINEAR(mask_decl, bits, count)                                                                          \
    template <typename T>                                                                                            \
    inline void BilinearInterpolation(OW_L(T) dst, OW_L(T) src0, OW_L(uint32_t) src0Offset, OW_L(T) src1, mask_decl, \
                                      uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride, uint16_t vROffset,    \
                                      uint8_t vRepeat, OW_L(uint8_t) sharedTmpBuffer, OW_LOC)                        \
    {                                                                                                                \
        OW_WANT(BilinearInterpolation, T, half);                                                                     \
        const OwBilinear p = {hRepeat, vRepeat, repeatMode, dstBlkStride, vROffset};                                 \
        ow_bilinear(&dst.ow, &src0.ow, &src0Offset.ow, &src1.ow, &sharedTmpBuffer.ow, &p, bits, count, ow_loc);      \
    }
OW_BILINEAR(uint64_t mask[], mask, 0)
OW_BILINEAR(uint64_t mask, nullptr, mask)
#undef OW_BILINEAR

} // namespace AscendC
#endif
