/* gert::Shape and gert::StorageShape over the plain structs of abi.h. HW: api_truth host, "gert::Shape", "gert::StorageShape". */
#ifndef OPWRIGHT_HOSTAPI_GERT_SHAPE_H
#define OPWRIGHT_HOSTAPI_GERT_SHAPE_H

#include "graph/types.h"

#include <initializer_list>

namespace gert {

class Shape {
  public:
    static constexpr size_t kMaxDimNum = OWH_MAX_DIMS;
    static constexpr int64_t kInvalidDimValue = INT64_MIN;

    Shape() : s_() {}
    /* More than 25 dims give an empty shape, silently, as the vendor's does. */
    Shape(const std::initializer_list<int64_t> &dims) : s_() {
        if (dims.size() > kMaxDimNum) return;
        for (int64_t d : dims) s_.dim[s_.n_dims++] = d;
    }

    /* 1 for a scalar; INT64_MIN on overflow; unknown dims (-1) are multiplied in. */
    int64_t GetShapeSize() const {
        int64_t n = 1;
        for (size_t i = 0; i < s_.n_dims && i < kMaxDimNum; i++)
            if (__builtin_mul_overflow(n, s_.dim[i], &n)) return kInvalidDimValue;
        return n;
    }
    bool IsScalar() const { return s_.n_dims == 0; }
    void SetScalar() { s_.n_dims = 0; }
    size_t GetDimNum() const { return s_.n_dims; }
    void SetDimNum(const size_t n) { s_.n_dims = n; }
    int64_t GetDim(const size_t i) const { return i >= kMaxDimNum ? kInvalidDimValue : s_.dim[i]; }
    const int64_t &operator[](const size_t i) const { return s_.dim[i]; }
    int64_t &operator[](const size_t i) { return s_.dim[i]; }
    /* The number of dims becomes i, not i + 1, when it was less: the vendor's behaviour. Call SetDimNum first. */
    void SetDim(const size_t i, const int64_t value) {
        if (i >= kMaxDimNum) return;
        s_.dim[i] = value;
        if (s_.n_dims < i) s_.n_dims = i;
    }
    Shape &AppendDim(const int64_t value) {
        if (s_.n_dims < kMaxDimNum) s_.dim[s_.n_dims++] = value;
        return *this;
    }
    bool operator==(const Shape &o) const {
        if (s_.n_dims != o.s_.n_dims) return false;
        for (size_t i = 0; i < s_.n_dims && i < kMaxDimNum; i++)
            if (s_.dim[i] != o.s_.dim[i]) return false;
        return true;
    }
    bool operator!=(const Shape &o) const { return !(*this == o); }

  private:
    OwhShape s_;
};
static_assert(sizeof(Shape) == sizeof(OwhShape), "gert::Shape is a view of OwhShape");

class StorageShape {
  public:
    StorageShape() = default;
    StorageShape(std::initializer_list<int64_t> origin, std::initializer_list<int64_t> storage)
        : origin_(origin), storage_(storage) {}
    const Shape &GetOriginShape() const { return origin_; }
    const Shape &GetStorageShape() const { return storage_; }
    Shape &MutableOriginShape() { return origin_; }
    Shape &MutableStorageShape() { return storage_; }
    bool operator==(const StorageShape &o) const { return origin_ == o.origin_ && storage_ == o.storage_; }
    bool operator!=(const StorageShape &o) const { return !(*this == o); }

  private:
    Shape origin_;
    Shape storage_;
};
static_assert(sizeof(StorageShape) == sizeof(OwhStorageShape), "gert::StorageShape is a view of OwhStorageShape");

} // namespace gert
#endif
