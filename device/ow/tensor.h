/* LocalTensor and GlobalTensor: handles on places in memory; every access goes through the ABI. */
#ifndef OW_TENSOR_H
#define OW_TENSOR_H

#include "ow/trait.h"

namespace AscendC {

template <typename T> class LocalTensor;

/* What tensors of a TensorTrait have in place of ShapeInfo. */
template <typename T, bool is_trait = is_tensorTrait_v<T>> struct OwTensorBase {
    ShapeInfo shapeInfo_;
    void SetShapeInfo(const ShapeInfo &shapeInfo) { shapeInfo_ = shapeInfo; }
    ShapeInfo GetShapeInfo() const { return shapeInfo_; }
};
template <typename T> struct OwTensorBase<T, true> {
    T &GetTensorTrait() { return ow_trait; }
    const T &GetTensorTrait() const { return ow_trait; }
    void SetTensorTrait(const T &trait) { ow_trait = trait; }

private:
    T ow_trait;
};

/* The right operand of an overloaded operator: operators cannot take a default argument, a conversion can. */
template <typename T> struct OwOperand {
    const LocalTensor<T> &t;
    OwLoc loc;
    OwOperand(const LocalTensor<T> &tensor, OW_LOC) : t(tensor), loc(ow_loc) {}
};
/* dst = src0 op src1, run on assignment. */
template <typename T> struct OwArithExpr {
    const char *api;
    OwLocal a, b;
    OwLoc loc;
};
template <typename T> struct OwCompareExpr {
    OwLocal a, b;
    uint32_t mode, count;
    OwLoc loc;
};

template <typename T> class LocalTensor : public OwTensorBase<T> {
public:
    using PrimType = PrimT<T>;
    OwLocal ow;

    LocalTensor() { ow = OwLocal{0, 0, OW_BUF_NONE, 0, (uint8_t)TPosition::MAX, 0}; }
    LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize)
    {
        ow = OwLocal{addr, (uint32_t)ow_bytes<T>(tileSize), OW_BUF_RAW, 0, (uint8_t)pos, 0};
    }
    /* Of a TensorTrait: position and length are the trait's. */
    template <typename U = T, Std::enable_if_t<is_tensorTrait_v<U>, bool> = true> LocalTensor(uint32_t addr)
    {
        static_assert(ow_bytes<T>(U::LiteLayoutType::size) % 32 == 0, "LocalTensor of a TensorTrait: a multiple of 32 bytes");
        ow = OwLocal{addr, (uint32_t)ow_bytes<T>(U::LiteLayoutType::size), OW_BUF_RAW, 0, (uint8_t)U::tPos, 0};
    }
    PrimType GetValue(const uint32_t index, OW_LOC) const
    {
        if constexpr (ow_same<PrimType, int4b_t>)
            return int4b_t((uint32_t)ow_local_get(OW_U8, &ow, index / 2, ow_loc) >> (index % 2 * 4));
        else
            return ow_unbits<PrimType>(ow_local_get(ow_id<T>, &ow, index, ow_loc));
    }
    template <typename S> void SetValue(const uint32_t index, const S value, OW_LOC) const
    {
        const PrimType v = static_cast<PrimType>(value);
        if constexpr (ow_same<PrimType, int4b_t>) { /* the byte is read, changed and written back */
            uint64_t keep = ow_local_get(OW_U8, &ow, index / 2, ow_loc) & (0xf0u >> (index % 2 * 4));
            ow_local_set(OW_U8, &ow, index / 2, keep | (uint64_t)v.storage << (index % 2 * 4), ow_loc);
        } else {
            ow_local_set(ow_id<T>, &ow, index, ow_bits<PrimType>(v), ow_loc);
        }
    }
    PrimType &operator()(const uint32_t offset, OW_LOC) const { return *(PrimType *)ow_local_ref(ow_id<T>, &ow, offset, ow_loc); }
    LocalTensor operator[](const uint32_t offset) const
    {
        LocalTensor r = *this;
        r.ow.addr += (uint32_t)ow_bytes<T>(offset);
        r.ow.len_bytes -= (uint32_t)ow_bytes<T>(offset);
        return r;
    }
    template <typename U> LocalTensor<U> ReinterpretCast() const
    {
        LocalTensor<U> r;
        r.ow = ow;
        if constexpr (is_tensorTrait_v<T> && is_tensorTrait_v<U>) r.GetTensorTrait().SetLayout(this->GetTensorTrait().GetLayout());
        return r;
    }
    uint64_t GetPhyAddr() const { return (uint64_t)ow_local_host(&ow); }
    uint64_t GetPhyAddr(const uint32_t offset) const { return (uint64_t)ow_local_host(&ow) + ow_bytes<T>(offset); }
    int32_t GetPosition() const { return ow.pos; }
    void SetSize(const uint32_t size) { ow.len_bytes = (uint32_t)ow_bytes<T>(size); }
    uint32_t GetSize() const { return (uint32_t)ow_elements<T>(ow.len_bytes); }
    uint32_t GetLength() const { return ow.len_bytes; }
    void SetBufferLen(uint32_t dataLen) { ow.len_bytes = dataLen; }
    template <typename S> void SetAddrWithOffset(LocalTensor<S> &src, uint32_t offset)
    {
        ow = src.ow;
        ow.addr += (uint32_t)ow_bytes<S>(offset);
    }
    /* A number kept with the buffer, for all its tensors. */
    void SetUserTag(const TTagType tag, OW_LOC) { ow_buf_tag(&ow, 1, tag, ow_loc); }
    TTagType GetUserTag(OW_LOC) const { return ow_buf_tag(&ow, 0, 0, ow_loc); }

    void operator=(const OwArithExpr<T> &e)
    {
        ow_vec_n(e.api, OW_TYPES(ow_id<T>, ow_id<T>), &ow, &e.a, &e.b, 0, 0, (int64_t)GetSize(), e.loc);
    }
    void operator=(const OwCompareExpr<float> &e) { OwCompare(OW_F32, e.a, e.b, e.mode, e.count, e.loc); }
    void operator=(const OwCompareExpr<half> &e) { OwCompare(OW_F16, e.a, e.b, e.mode, e.count, e.loc); }

#define OW_ARITH(op, name)                                                                                           \
    OwArithExpr<T> operator op(OwOperand<T> src1) const { return OwArithExpr<T>{name, ow, src1.t.ow, src1.loc}; }
    OW_ARITH(+, "Add")
    OW_ARITH(-, "Sub")
    OW_ARITH(*, "Mul")
    OW_ARITH(/, "Div")
    OW_ARITH(|, "Or")
    OW_ARITH(&, "And")
#undef OW_ARITH
#define OW_CMP(op, m)                                                                                                \
    OwCompareExpr<T> operator op(OwOperand<T> src1) const                                                            \
    {                                                                                                                \
        return OwCompareExpr<T>{ow, src1.t.ow, (uint32_t)CMPMODE::m, GetSize(), src1.loc};                           \
    }
    OW_CMP(<, LT)
    OW_CMP(>, GT)
    OW_CMP(!=, NE)
    OW_CMP(==, EQ)
    OW_CMP(<=, LE)
    OW_CMP(>=, GE)
#undef OW_CMP

private:
    void OwCompare(uint32_t type, const OwLocal &a, const OwLocal &b, uint32_t mode, uint32_t count, OwLoc loc)
    {
        ow_vec_n("Compare", OW_TYPES(ow_id<T>, type), &ow, &a, &b, 0, mode, count, loc);
    }
};

template <typename T> class GlobalTensor : public OwTensorBase<T> {
public:
    using PrimType = PrimT<T>;
    OwGlobal ow;
    uint64_t bufferSize_;

    GlobalTensor() : ow{nullptr, 0}, bufferSize_(0) {}
    void SetGlobalBuffer(__gm__ PrimType *buffer, uint64_t bufferSize, OW_LOC)
    {
        ow = OwGlobal{(void *)buffer, ow_gm_bind((const void *)buffer, ow_loc)};
        bufferSize_ = bufferSize;
    }
    void SetGlobalBuffer(__gm__ PrimType *buffer, OW_LOC) { SetGlobalBuffer(buffer, (uint64_t)0, ow_loc); }
    const __gm__ PrimType *GetPhyAddr() const { return (const PrimType *)ow.addr; }
    __gm__ PrimType *GetPhyAddr(const uint64_t offset) const { return (PrimType *)((uintptr_t)ow.addr + ow_bytes<T>(offset)); }
    PrimType GetValue(const uint64_t offset, OW_LOC) const
    {
        if constexpr (ow_same<PrimType, int4b_t>)
            return int4b_t((uint32_t)ow_gm_get(OW_U8, &ow, offset / 2, ow_loc) >> (offset % 2 * 4));
        else
            return ow_unbits<PrimType>(ow_gm_get(ow_id<T>, &ow, offset, ow_loc));
    }
    __gm__ PrimType &operator()(const uint64_t offset, OW_LOC) const { return *(PrimType *)ow_gm_ref(ow_id<T>, &ow, offset, ow_loc); }
    void SetValue(const uint64_t offset, PrimType value, OW_LOC)
    {
        if constexpr (ow_same<PrimType, int4b_t>) {
            uint64_t keep = ow_gm_get(OW_U8, &ow, offset / 2, ow_loc) & (0xf0u >> (offset % 2 * 4));
            ow_gm_set(OW_U8, &ow, offset / 2, keep | (uint64_t)value.storage << (offset % 2 * 4), ow_loc);
        } else {
            ow_gm_set(ow_id<T>, &ow, offset, ow_bits<PrimType>(value), ow_loc);
        }
    }
    uint64_t GetSize() const { return bufferSize_; }
    GlobalTensor operator[](const uint64_t offset) const
    {
        GlobalTensor r = *this;
        r.ow.addr = (void *)((uintptr_t)ow.addr + ow_bytes<T>(offset));
        return r;
    }
    template <CacheRwMode rwMode = CacheRwMode::RW> void SetL2CacheHint(CacheMode) {}
};

/* Static tensors: places in a local memory, one after the other. HW: LocalMemAllocator pages; implementation: nothing is
 * rounded up. */
template <Hardware hard = Hardware::UB> class LocalMemAllocator {
    static_assert(hard == Hardware::UB, "LocalMemAllocator of a memory other than UB is not modelled");

public:
    LocalMemAllocator() {}
    uint32_t GetCurAddr() const { return head_; }
    template <TPosition pos, class DataType, uint32_t tileSize> LocalTensor<DataType> Alloc()
    {
        return Alloc<pos, DataType>(tileSize);
    }
    template <TPosition pos, class DataType> LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC,
                      "Alloc: a position of UB");
        uint32_t at = head_;
        head_ += (uint32_t)ow_bytes<DataType>(tileSize);
        return LocalTensor<DataType>(pos, at, tileSize);
    }
    template <class Trait> Std::enable_if_t<is_tensorTrait_v<Trait>, LocalTensor<Trait>> Alloc()
    {
        constexpr TPosition pos = Trait::tPos;
        static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC,
                      "Alloc: a position of UB");
        LocalTensor<Trait> r(head_);
        head_ += r.ow.len_bytes;
        return r;
    }
    template <class DataType, uint32_t tileSize> LocalTensor<DataType> Alloc()
    {
        return Alloc<TPosition::VECCALC, DataType>(tileSize);
    }
    template <class DataType> LocalTensor<DataType> Alloc(uint32_t tileSize)
    {
        return Alloc<TPosition::VECCALC, DataType>(tileSize);
    }

private:
    uint32_t head_ = 0;
};

} // namespace AscendC
#endif
