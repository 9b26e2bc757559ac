/* gert::Tensor, gert::CompileTimeTensorDesc. HW: api_truth host, "gert::Tensor ...", "gert::CompileTimeTensorDesc". */
#ifndef OPWRIGHT_HOSTAPI_GERT_TENSOR_H
#define OPWRIGHT_HOSTAPI_GERT_TENSOR_H

#include "exe_graph/runtime/shape.h"

namespace gert {

enum TensorPlacement { kOnDeviceHbm = 0, kOnHost = 1, kFollowing = 2, kOnDeviceP2p = 3, kTensorPlacementEnd = 4 };

class CompileTimeTensorDesc {
  public:
    ge::DataType GetDataType() const { return static_cast<ge::DataType>(t_.dtype); }
    ge::Format GetOriginFormat() const { return static_cast<ge::Format>(t_.origin_format); }
    ge::Format GetStorageFormat() const { return static_cast<ge::Format>(t_.storage_format); }
    void SetDataType(ge::DataType t) { t_.dtype = t; }
    void SetOriginFormat(ge::Format f) { t_.origin_format = f; }
    void SetStorageFormat(ge::Format f) { t_.storage_format = f; }

  private:
    OwhTypeDesc t_;
};
static_assert(sizeof(CompileTimeTensorDesc) == sizeof(OwhTypeDesc), "a view of OwhTypeDesc");

class Tensor {
  public:
    const Shape &GetOriginShape() const { return shape().GetOriginShape(); }
    const Shape &GetStorageShape() const { return shape().GetStorageShape(); }
    const StorageShape &GetShape() const { return shape(); }
    int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
    ge::DataType GetDataType() const { return static_cast<ge::DataType>(t_.type.dtype); }
    ge::Format GetOriginFormat() const { return static_cast<ge::Format>(t_.type.origin_format); }
    ge::Format GetStorageFormat() const { return static_cast<ge::Format>(t_.type.storage_format); }
    TensorPlacement GetPlacement() const { return static_cast<TensorPlacement>(t_.placement); }
    size_t GetSize() const { return t_.n_bytes; }
    /* Only value-depend inputs have data here; nullptr otherwise. */
    template <class T> const T *GetData() const { return static_cast<const T *>(t_.data); }
    template <class T> T *GetData() { return static_cast<T *>(t_.data); }
    const void *GetAddr() const { return t_.data; }
    void *GetAddr() { return t_.data; }

  private:
    const StorageShape &shape() const { return reinterpret_cast<const StorageShape &>(t_.shape); }
    OwhTensorDesc t_;
};
static_assert(sizeof(Tensor) == sizeof(OwhTensorDesc), "a view of OwhTensorDesc");

} // namespace gert
#endif
