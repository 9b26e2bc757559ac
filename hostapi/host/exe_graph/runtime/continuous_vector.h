/* gert::ContinuousVector: a header followed by its elements. HW: api_truth host, "gert::ContinuousVector". */
#ifndef OPWRIGHT_HOSTAPI_GERT_VECTOR_H
#define OPWRIGHT_HOSTAPI_GERT_VECTOR_H

#include "graph/types.h"

namespace gert {

class ContinuousVector {
  public:
    size_t GetSize() const { return v_.size; }
    size_t GetCapacity() const { return v_.capacity; }
    ge::graphStatus SetSize(const size_t n) {
        if (n > v_.capacity) return ge::GRAPH_PARAM_OUT_OF_RANGE;
        v_.size = n;
        return ge::GRAPH_SUCCESS;
    }
    const void *GetData() const { return this + 1; }
    void *MutableData() { return this + 1; }

  private:
    OwhVector v_;
};

template <class T> class TypedContinuousVector : public ContinuousVector {
  public:
    const T *GetData() const { return static_cast<const T *>(ContinuousVector::GetData()); }
    T *MutableData() { return static_cast<T *>(ContinuousVector::MutableData()); }
};

} // namespace gert
#endif
