/* ge::Shape: the shape class of the graph side, which the tiling helpers take. HW: api_truth host, "ge::Shape". */
#ifndef OPWRIGHT_HOSTAPI_GRAPH_TENSOR_H
#define OPWRIGHT_HOSTAPI_GRAPH_TENSOR_H

#include "types.h"

#include <initializer_list>
#include <vector>

namespace ge {

class Shape {
  public:
    Shape() {}
    explicit Shape(const std::vector<int64_t> &dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    /* 0 outside the shape, as the vendor's. */
    int64_t GetDim(size_t i) const { return i < dims_.size() ? dims_[i] : 0; }
    graphStatus SetDim(size_t i, int64_t v) {
        if (i >= dims_.size()) return GRAPH_FAILED;
        dims_[i] = v;
        return GRAPH_SUCCESS;
    }
    std::vector<int64_t> GetDims() const { return dims_; }
    /* 0 for an empty shape; -1 with an unknown dimension or on overflow. */
    int64_t GetShapeSize() const {
        if (dims_.empty()) return 0;
        int64_t n = 1;
        for (int64_t d : dims_)
            if (d < 0 || __builtin_mul_overflow(n, d, &n)) return -1;
        return n;
    }

  private:
    std::vector<int64_t> dims_;
};

} // namespace ge
#endif
