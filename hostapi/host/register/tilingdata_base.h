/* BEGIN_TILING_DATA_DEF ... END_TILING_DATA_DEF: a host class with setters over a byte buffer whose layout the kernel
 * reads as a plain struct. Layout: a scalar at a multiple of its size, an array at a multiple of its element's, a nested
 * structure at a multiple of 8, the total rounded up to 8; gaps are zero. HW: api_truth host, "BEGIN_TILING_DATA_DEF" ff. */
#ifndef OPWRIGHT_HOSTAPI_REGISTER_TILINGDATA_BASE_H
#define OPWRIGHT_HOSTAPI_REGISTER_TILINGDATA_BASE_H

#include "../../abi.h"

#include <vector>

namespace optiling {

/* Nested structures keep their own buffers; SaveToBuffer gathers them. Their places are kept relative to the outer
 * object, so that copies of it gather from their own members. */
class TilingDef {
  public:
    TilingDef() : n_(0), outer_(nullptr) {}
    TilingDef(const TilingDef &) = default;
    TilingDef &operator=(const TilingDef &) = default;
    size_t GetDataSize() const { return size(); }
    void SaveToBuffer(void *to, size_t capacity) const {
        if (to == nullptr || capacity < size()) {
            owh_host_finding("tiling-buffer-too-small",
                            "SaveToBuffer: the tiling data is larger than the buffer; nothing was copied",
                            "pass GetRawTilingData()->GetData() and ->GetCapacity(); keep the structure within the capacity");
            return;
        }
        Gather(static_cast<unsigned char *>(to));
    }
    void SetDataPtr(void *p) {
        Gather(static_cast<unsigned char *>(p));
        outer_ = static_cast<unsigned char *>(p);
    }

  protected:
    /* Reserves n_bytes at a multiple of align and returns the offset. */
    size_t OwhPlace(size_t n_bytes, size_t align) {
        const size_t at = (n_ + align - 1) / align * align;
        n_ = at + n_bytes;
        own_.resize(size());
        return at;
    }
    size_t OwhPlaceStruct(const TilingDef &inner) {
        const size_t at = OwhPlace(inner.size(), 8);
        const ptrdiff_t away = reinterpret_cast<const char *>(&inner) - reinterpret_cast<const char *>(this);
        nested_.push_back(Nested{away, at});
        return at;
    }
    unsigned char *OwhAt(size_t at) { return (outer_ != nullptr ? outer_ : own_.data()) + at; }
    const unsigned char *OwhAt(size_t at) const { return (outer_ != nullptr ? outer_ : own_.data()) + at; }

  private:
    struct Nested {
        ptrdiff_t away; /* of the inner object from this one, bytes */
        size_t at;
    };
    size_t size() const { return (n_ + 7) / 8 * 8; }
    void Gather(unsigned char *to) const {
        if (to != OwhAt(0)) __builtin_memcpy(to, OwhAt(0), size());
        for (const Nested &s : nested_)
            reinterpret_cast<const TilingDef *>(reinterpret_cast<const char *>(this) + s.away)->Gather(to + s.at);
    }
    size_t n_; /* bytes so far */
    unsigned char *outer_;
    std::vector<unsigned char> own_;
    std::vector<Nested> nested_;
};

struct OwhTilingClass {
    OwhTilingClass(const char *op, const char *name, size_t n_bytes) { owh_tiling_class(op, name, n_bytes); }
};

} // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name) \
    class class_name : public ::optiling::TilingDef {

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                         \
  public:                                                                                                    \
    void set_##field_name(data_type value) {                                                                 \
        field_name##_ = value;                                                                               \
        __builtin_memcpy(this->OwhAt(field_name##_at_), &value, sizeof value);                                \
    }                                                                                                        \
    data_type get_##field_name() const { return field_name##_; }                                             \
                                                                                                             \
  private:                                                                                                   \
    data_type field_name##_ = 0;                                                                             \
    size_t field_name##_at_ = this->OwhPlace(sizeof(data_type), sizeof(data_type));                           \
                                                                                                             \
  public:

#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                                            \
  public:                                                                                                    \
    void set_##field_name(const arr_type *values) {                                                          \
        __builtin_memcpy(this->OwhAt(field_name##_at_), values, sizeof(arr_type) * (arr_size));               \
    }                                                                                                        \
    arr_type *get_##field_name() { return reinterpret_cast<arr_type *>(this->OwhAt(field_name##_at_)); }      \
                                                                                                             \
  private:                                                                                                   \
    size_t field_name##_at_ = this->OwhPlace(sizeof(arr_type) * (arr_size), sizeof(arr_type));                \
                                                                                                             \
  public:

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)                                                \
  public:                                                                                                    \
    struct_type field_name;                                                                                  \
                                                                                                             \
  private:                                                                                                   \
    size_t field_name##_at_ = this->OwhPlaceStruct(field_name);                                               \
                                                                                                             \
  public:

#define END_TILING_DATA_DEF }

#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                                                      \
    static ::optiling::OwhTilingClass owh_tiling_class_##op_type##class_name __attribute__((unused))(          \
        #op_type, #class_name, class_name().GetDataSize());

#endif
