/* gert::TilingData: the raw buffer a tiling function fills. HW: api_truth host, "gert::TilingData ...". */
#ifndef OPWRIGHT_HOSTAPI_GERT_TILING_DATA_H
#define OPWRIGHT_HOSTAPI_GERT_TILING_DATA_H

#include "graph/types.h"

namespace gert {

class TilingData {
  public:
    size_t GetCapacity() const { return d_.capacity; }
    size_t GetDataSize() const { return d_.n_bytes; }
    void SetDataSize(const size_t n) { d_.n_bytes = n; }
    void *GetData() { return d_.data; }
    const void *GetData() const { return d_.data; }
    /* Packed, no padding between values. */
    template <class T> ge::graphStatus Append(const T &value) { return Append(&value, 1); }
    template <class T> ge::graphStatus Append(const T *values, const size_t n) {
        void *to = Expand(n * sizeof(T));
        if (to == nullptr) return ge::GRAPH_FAILED;
        __builtin_memcpy(to, values, n * sizeof(T));
        return ge::GRAPH_SUCCESS;
    }
    void *Expand(const size_t n_bytes) {
        if (n_bytes > d_.capacity || d_.n_bytes > d_.capacity - n_bytes) return nullptr;
        void *to = static_cast<char *>(d_.data) + d_.n_bytes;
        d_.n_bytes += n_bytes;
        return to;
    }

  private:
    OwhTilingData d_;
};

template <class T> TilingData &operator<<(TilingData &out, const T &value) {
    out.Append(value);
    return out;
}

} // namespace gert
#endif
