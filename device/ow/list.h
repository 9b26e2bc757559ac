/* Lists of tensors: what a kernel is given for a parameter declared DYNAMIC.
 * HW: pages of ListTensorDesc and TensorDesc, and the guide's page on operators with a dynamic number of inputs. */
#ifndef OW_LIST_H
#define OW_LIST_H

#include "ow/tensor.h"

namespace AscendC {

class ListTensorDesc;

template <class T> class TensorDesc {
  public:
    void SetShapeAddr(uint64_t *shapePtr) { shape_ = shapePtr; }
    uint64_t GetDim() { return dim_; }
    uint64_t GetIndex() { return index_; }
    uint64_t GetShape(uint32_t offset, OW_LOC)
    {
        if (offset < dim_ && shape_) return shape_[offset];
        ow_trap(shape_ ? "TensorDesc::GetShape: offset < GetDim()" : "TensorDesc::GetShape: SetShapeAddr was called before GetDesc", ow_loc);
        return 0;
    }
    __gm__ T *GetDataPtr() { return ptr_; }
    /* HW: header: the number of elements it is given is that of bytes. */
    GlobalTensor<T> GetDataObj(OW_LOC)
    {
        uint64_t n = sizeof(T);
        for (uint32_t i = 0; i < dim_; i++) n *= shape_[i];
        GlobalTensor<T> tensor;
        tensor.SetGlobalBuffer(ptr_, (uint32_t)n, ow_loc);
        return tensor;
    }
    friend class ListTensorDesc;

  private:
    uint32_t dim_ = 0, index_ = 0;
    uint64_t *shape_ = nullptr;
    __gm__ T *ptr_ = nullptr;
};

/* Words as src/runtime/launch.c lays them out. Every record is read with the first one's rank, as on the card. */
class ListTensorDesc {
  public:
    ListTensorDesc() {}
    ListTensorDesc(__gm__ void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff, OW_LOC) { Init(data, length, shapeSize, ow_loc); }
    void Init(__gm__ void *data, uint32_t length = 0xffffffff, uint32_t shapeSize = 0xffffffff, OW_LOC)
    {
        words_.SetGlobalBuffer((__gm__ uint64_t *)data, ow_loc);
        if (!data) return ow_trap("ListTensorDesc: data is not a null address", ow_loc);
        const uint64_t first = words_.GetValue(1, ow_loc), bytes = words_.GetValue(0, ow_loc);
        pointers_ = bytes / sizeof(uint64_t);
        dim_ = (uint32_t)first;
        record_ = dim_ ? 1 + dim_ : 2;
        count_ = (uint32_t)(first >> 32);
        if (!count_) count_ = (uint32_t)(words_.GetValue(pointers_ - record_, ow_loc) >> 32) + 1;
        const bool sizes_given = length != 0xffffffff && shapeSize != 0xffffffff;
        if (sizes_given && (count_ != shapeSize || length != bytes + count_ * sizeof(uint64_t)))
            ow_trap("ListTensorDesc: length and shapeSize are those of the list", ow_loc);
    }
    template <class T> void GetDesc(TensorDesc<T> &desc, uint32_t index, OW_LOC)
    {
        if (index >= count_ || !dim_ || !desc.shape_)
            return ow_trap(index >= count_ ? "ListTensorDesc::GetDesc: index < GetSize()"
                           : !dim_         ? "ListTensorDesc::GetDesc: the list has shapes"
                                           : "ListTensorDesc::GetDesc: desc.SetShapeAddr was called",
                           ow_loc);
        desc.dim_ = dim_;
        desc.index_ = index;
        desc.ptr_ = GetDataPtr<T>(index, ow_loc);
        for (uint32_t i = 0; i < dim_; i++) desc.shape_[i] = words_.GetValue(2 + (uint64_t)index * record_ + i, ow_loc);
    }
    template <class T> __gm__ T *GetDataPtr(uint32_t index, OW_LOC)
    {
        if (index >= count_) ow_trap("ListTensorDesc::GetDataPtr: index < GetSize()", ow_loc);
        return (__gm__ T *)(uintptr_t)words_.GetValue(pointers_ + index, ow_loc);
    }
    uint32_t GetSize() { return count_; }

  private:
    GlobalTensor<uint64_t> words_;
    uint64_t pointers_ = 0;
    uint32_t dim_ = 0, record_ = 0, count_ = 0;
};

} // namespace AscendC
#endif
