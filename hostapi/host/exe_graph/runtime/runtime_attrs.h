/* gert::RuntimeAttrs: attributes by declaration index. The getters do not check types; a wrong one is reported as a
 * finding, since on the card it returns garbage. HW: api_truth host, "RuntimeAttrs ...". */
#ifndef OPWRIGHT_HOSTAPI_GERT_ATTRS_H
#define OPWRIGHT_HOSTAPI_GERT_ATTRS_H

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {
namespace ow {
template <class T> struct AttrKind { enum { value = -1 }; }; /* not checked */
template <> struct AttrKind<bool> { enum { value = OWH_BOOL }; };
template <> struct AttrKind<float> { enum { value = OWH_FLOAT }; };
template <> struct AttrKind<double> { enum { value = 100 }; };   /* 8 bytes where 4 are: never right */
template <> struct AttrKind<int32_t> { enum { value = 101 }; };  /* the low half of an Int attr */
template <> struct AttrKind<int64_t> { enum { value = OWH_INT }; };
template <> struct AttrKind<char> { enum { value = OWH_STR }; };
template <> struct AttrKind<ContinuousVector> { enum { value = 102 }; }; /* any list */
template <> struct AttrKind<TypedContinuousVector<int64_t>> { enum { value = OWH_LIST_INT }; };
template <> struct AttrKind<TypedContinuousVector<float>> { enum { value = OWH_LIST_FLOAT }; };
template <> struct AttrKind<TypedContinuousVector<bool>> { enum { value = OWH_LIST_BOOL }; };
} // namespace ow

class RuntimeAttrs {
  public:
    template <class T> const T *GetAttrPointer(size_t index) const {
        if (index >= a_.n) return nullptr;
        owh_attr_read(&a_, index, ow::AttrKind<T>::value);
        return static_cast<const T *>(a_.at[index].data);
    }
    const int64_t *GetInt(const size_t i) const { return GetAttrPointer<int64_t>(i); }
    const float *GetFloat(const size_t i) const { return GetAttrPointer<float>(i); }
    const bool *GetBool(const size_t i) const { return GetAttrPointer<bool>(i); }
    const char *GetStr(const size_t i) const { return GetAttrPointer<char>(i); }
    const TypedContinuousVector<int64_t> *GetListInt(const size_t i) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(i);
    }
    const TypedContinuousVector<float> *GetListFloat(const size_t i) const {
        return GetAttrPointer<TypedContinuousVector<float>>(i);
    }
    size_t GetAttrNum() const { return a_.n; }

  private:
    OwhAttrs a_;
};

} // namespace gert
#endif
