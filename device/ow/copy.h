/* Copies between global and local memory, and within local memory. */
#ifndef OW_COPY_H
#define OW_COPY_H

#include "ow/params.h"
#include "ow/tensor.h"

namespace AscendC {

#define OW_L(T) const LocalTensor<T> &
#define OW_G(T) const GlobalTensor<T> &

template <typename T> inline void DataCopy(OW_L(T) dst, OW_G(T) src, const uint32_t count, OW_LOC)
{
    ow_copy_n(ow_id<T>, 0, &src.ow, &dst.ow, count, ow_loc);
}
template <typename T> inline void DataCopy(OW_G(T) dst, OW_L(T) src, const uint32_t count, OW_LOC)
{
    ow_copy_n(ow_id<T>, 1, &dst.ow, &src.ow, count, ow_loc);
}
template <typename T> inline void DataCopy(OW_L(T) dst, OW_L(T) src, const uint32_t count, OW_LOC)
{
    ow_copy_local_n(ow_id<T>, &dst.ow, &src.ow, count, ow_loc);
}
template <typename T> inline void DataCopy(OW_L(T) dst, OW_G(T) src, const DataCopyParams &p, OW_LOC)
{
    ow_copy_blocks(ow_id<T>, 0, &src.ow, &dst.ow, p.blockCount, p.blockLen, p.srcGap, p.dstGap, ow_loc);
}
template <typename T> inline void DataCopy(OW_G(T) dst, OW_L(T) src, const DataCopyParams &p, OW_LOC)
{
    ow_copy_blocks(ow_id<T>, 1, &dst.ow, &src.ow, p.blockCount, p.blockLen, p.srcGap, p.dstGap, ow_loc);
}
template <typename T> inline void DataCopy(OW_L(T) dst, OW_L(T) src, const DataCopyParams &p, OW_LOC)
{
    ow_copy_local_blocks(ow_id<T>, &dst.ow, &src.ow, p.blockCount, p.blockLen, p.srcGap, p.dstGap, ow_loc);
}
/* HW: on this architecture the enhanced parameters are ignored for these paths (implementation). */
template <typename T>
inline void DataCopy(OW_L(T) dst, OW_G(T) src, const DataCopyParams &p, const DataCopyEnhancedParams &, OW_LOC)
{
    DataCopy(dst, src, p, ow_loc);
}
template <typename T>
inline void DataCopy(OW_G(T) dst, OW_L(T) src, const DataCopyParams &p, const DataCopyEnhancedParams &, OW_LOC)
{
    DataCopy(dst, src, p, ow_loc);
}

template <typename T>
inline void DataCopy(OW_L(T) dst, OW_L(T) src, const DataCopyParams &p, const DataCopyEnhancedParams &, OW_LOC)
{
    DataCopy(dst, src, p, ow_loc);
}

/* Slices. A shapeValue of 0 in the first one: the lengths are those of the tensors' ShapeInfo. */
#define OW_SLICED                                                                                                    \
    static_assert(ow_one_of<T, int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>,      \
                  "DataCopy with SliceInfo takes elements of 8 to 32 bits")
template <typename G, typename L>
inline void OwCopySlice(uint32_t type, uint32_t to_gm, const G &gm, const L &ub, const SliceInfo *on_gm, const SliceInfo *on_ub,
                        uint32_t dims, OwLoc loc)
{
    OwSlice g[8] = {}, u[8] = {};
    bool given = (to_gm ? on_ub : on_gm)[0].shapeValue != 0;
    for (uint32_t i = 0; i < dims && i < 8; i++) {
        g[i] = {on_gm[i].startIndex, on_gm[i].endIndex, on_gm[i].stride, on_gm[i].burstLen,
                given ? on_gm[i].shapeValue : gm.shapeInfo_.shape[i]};
        u[i] = {on_ub[i].startIndex, on_ub[i].endIndex, on_ub[i].stride, on_ub[i].burstLen,
                given ? on_ub[i].shapeValue : ub.shapeInfo_.shape[i]};
    }
    ow_copy_slice(type, to_gm, &gm.ow, &ub.ow, g, u, dims, loc);
}
template <typename T>
inline void DataCopy(OW_L(T) dst, OW_G(T) src, const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, OW_LOC)
{
    OW_SLICED;
    OwCopySlice(ow_id<T>, 0, src, dst, srcSliceInfo, dstSliceInfo, dimValue, ow_loc);
}
template <typename T>
inline void DataCopy(OW_G(T) dst, OW_L(T) src, const SliceInfo dstSliceInfo[], const SliceInfo srcSliceInfo[],
                     const uint32_t dimValue = 1, OW_LOC)
{
    OW_SLICED;
    OwCopySlice(ow_id<T>, 1, dst, src, dstSliceInfo, srcSliceInfo, dimValue, ow_loc);
}
#undef OW_SLICED
template <typename T> inline void DataCopy(OW_L(T) dst, OW_G(T) src, const Nd2NzParams &p, OW_LOC)
{
    OwNd2Nz q = {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcDValue, p.dstNzC0Stride, p.dstNzNStride, p.dstNzMatrixStride};
    ow_copy_nd2nz(ow_id<T>, &src.ow, &dst.ow, &q, ow_loc);
}
template <typename T> inline void DataCopy(OW_G(T) dst, OW_L(T) src, const Nz2NdParamsFull &p, OW_LOC)
{
    static_assert(sizeof(PrimT<T>) == 2 || sizeof(PrimT<T>) == 4, "DataCopy from NZ to ND takes elements of 16 and 32 bits");
    OwNz2Nd q = {p.ndNum, p.nValue, p.dValue, p.srcNdMatrixStride, p.srcNStride, p.dstDStride, p.dstNdMatrixStride};
    ow_copy_nz2nd(ow_id<T>, &dst.ow, &src.ow, &q, ow_loc);
}

template <typename T, typename P>
inline void OwPadIn(OW_L(T) dst, OW_G(T) src, const P &p, bool is_pad, uint32_t left, uint32_t right, uint64_t value,
                    bool ext, OwLoc loc)
{
    OwPad c = {p.blockCount, p.blockLen, p.srcStride, p.dstStride, is_pad, left, right, value, ext};
    ow_copy_pad(ow_id<T>, 0, &src.ow, &dst.ow, &c, loc);
}
template <typename T>
inline void DataCopyPad(OW_L(T) dst, OW_G(T) src, const DataCopyExtParams &p, const DataCopyPadExtParams<PrimT<T>> &pad, OW_LOC)
{
    OwPadIn(dst, src, p, pad.isPad, pad.leftPadding, pad.rightPadding, ow_bits(pad.paddingValue), true, ow_loc);
}
template <typename T>
inline void DataCopyPad(OW_L(T) dst, OW_G(T) src, const DataCopyParams &p, const DataCopyPadParams &pad, OW_LOC)
{
    OwPadIn(dst, src, p, pad.isPad, pad.leftPadding, pad.rightPadding, pad.paddingValue, false, ow_loc);
}
template <typename T> inline void DataCopyPad(OW_G(T) dst, OW_L(T) src, const DataCopyExtParams &p, OW_LOC)
{
    OwPad c = {p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0, 0, 0, 0, 1};
    ow_copy_pad(ow_id<T>, 1, &dst.ow, &src.ow, &c, ow_loc);
}
template <typename T> inline void DataCopyPad(OW_G(T) dst, OW_L(T) src, const DataCopyParams &p, OW_LOC)
{
    OwPad c = {p.blockCount, p.blockLen, p.srcStride, p.dstStride, 0, 0, 0, 0, 0};
    ow_copy_pad(ow_id<T>, 1, &dst.ow, &src.ow, &c, ow_loc);
}
template <typename T, TPosition pos = TPosition::MAX> inline void SetPadValue(T paddingValue, OW_LOC)
{
    ow_pad_value(ow_id<T>, ow_bits(paddingValue), ow_loc);
}
template <typename T> inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0, OW_LOC)
{
    ow_init_output(ow_id<T>, &gmWorkspaceAddr.ow, size, ow_bits(value), ow_loc);
}

#define OW_ATOMIC(name, op)                                                                                          \
    template <typename T> inline void name(OW_LOC)                                                                   \
    {                                                                                                                \
        static_assert(ow_one_of<T, int8_t, int16_t, half, bfloat16_t, int32_t, float>,                               \
                      #name " takes int8_t, int16_t, half, bfloat16_t, int32_t and float");                          \
        ow_atomic(op, ow_id<T>, ow_loc);                                                                             \
    }
OW_ATOMIC(SetAtomicAdd, 1)
OW_ATOMIC(SetAtomicMax, 2)
OW_ATOMIC(SetAtomicMin, 3)
OW_ATOMIC(SetAtomicType, 4)
#undef OW_ATOMIC
enum class AtomicDtype { ATOMIC_NONE = 0, ATOMIC_F32, ATOMIC_F16, ATOMIC_S16, ATOMIC_S32, ATOMIC_S8, ATOMIC_BF16 };
enum class AtomicOp { ATOMIC_SUM = 0 };
template <AtomicDtype type, AtomicOp op> inline void SetStoreAtomicConfig(OW_LOC)
{
    ow_store_atomic(1, (uint32_t)type | (type == AtomicDtype::ATOMIC_NONE ? 0 : (uint32_t)op << 3), ow_loc);
}
inline void GetStoreAtomicConfig(uint16_t &atomicType, uint16_t &atomicOp, OW_LOC)
{
    uint32_t config = ow_store_atomic(0, 0, ow_loc);
    atomicType = config & 7;
    atomicOp = config >> 3 & 3;
}
inline void SetAtomicNone(OW_LOC)
{
    ow_atomic(0, OW_F32, ow_loc);
}
/* HW: implementation: the copy with one atomic mode, which is off afterwards; NONE and others copy plainly. */
template <typename T, ReduceType reduceType = ReduceType::NONE>
inline void DataCopyWithReduce(OW_G(T) dst, OW_L(T) src, const DataCopyParams &p, OW_LOC)
{
    constexpr uint32_t op = reduceType == ReduceType::SUM ? 1 : reduceType == ReduceType::MAX ? 2 : reduceType == ReduceType::MIN ? 3 : 0;
    ow_atomic(op, ow_id<T>, ow_loc);
    DataCopy(dst, src, p, ow_loc);
    SetAtomicNone(ow_loc);
}
template <typename T, ReduceType reduceType = ReduceType::NONE>
inline void DataCopyWithReduce(OW_G(T) dst, OW_L(T) src, const uint32_t count, OW_LOC)
{
    DataCopyWithReduce<T, reduceType>(dst, src, DataCopyParams(1, (uint16_t)(count * sizeof(PrimT<T>) / 32), 0, 0), ow_loc);
}
inline void DisableDmaAtomic(OW_LOC)
{
    ow_atomic(0, OW_F32, ow_loc);
}

} // namespace AscendC
#endif
