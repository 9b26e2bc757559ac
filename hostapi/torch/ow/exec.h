/* EXEC_NPU_CMD: converts each argument with its C++ type and hands them to the runtime, which knows what the generated
 * aclnn function takes. As in the vendor's helper every argument must be an lvalue and nothing converts implicitly.
 * HW: api_truth host, "EXEC_NPU_CMD ...". */
#ifndef OPWRIGHT_HOSTAPI_TORCH_EXEC_H
#define OPWRIGHT_HOSTAPI_TORCH_EXEC_H

#include "tensor.h"

typedef struct aclFloatArray aclFloatArray;
typedef struct aclIntArray aclIntArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensor aclTensor;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalar aclScalar;

namespace at {
namespace ow {

template <class T> const char *TypeText() { return __PRETTY_FUNCTION__; } /* the runtime cuts out "T = ..." */

struct Converter {
    OwhArg *out;
    std::vector<RtTensor *> *handles; /* reserved: pointers into it stay valid */

    void operator()(const Tensor &t) const { *out = Of(OWH_ARG_TENSOR), out->tensor = t.OwHandle(); }
    void operator()(const TensorList &ts) const {
        *out = Of(OWH_ARG_TENSORS);
        out->n = ts.size();
        out->tensors = handles->data() + handles->size();
        for (const Tensor &t : ts) handles->push_back(t.OwHandle());
    }
    void operator()(const IntArrayRef &v) const { *out = Of(OWH_ARG_INTS), out->data = v.data(), out->n = v.size(); }
    void operator()(const ArrayRef<bool> &v) const { *out = Of(OWH_ARG_BOOLS), out->data = v.data(), out->n = v.size(); }
    template <size_t N> void operator()(const std::array<bool, N> &v) const {
        *out = Of(OWH_ARG_BOOLS), out->data = v.data(), out->n = N;
    }
    void operator()(const Scalar &v) const {
        *out = Of(OWH_ARG_SCALAR), out->f = v.toDouble(), out->i = v.toLong(), out->n = static_cast<size_t>(v.type());
    }
    void operator()(const optional<Tensor> &t) const { (*this)(t.has_value() ? *t : Tensor()); }
    void operator()(const optional<IntArrayRef> &v) const {
        if (v.has_value()) return (*this)(*v);
        *out = Of(OWH_ARG_INTS), out->i = 1; /* a null pointer, not an empty array */
    }
    void operator()(const optional<Scalar> &v) const {
        if (v.has_value()) return (*this)(*v);
        *out = Of(OWH_ARG_TENSOR);
    }
    void operator()(const ScalarType &t) const { *out = Of(OWH_ARG_SCALAR_TYPE), out->i = static_cast<int64_t>(t); }
    void operator()(const char *s) const { *out = Of(OWH_ARG_CSTR), out->data = s; }
    void operator()(char *s) const { *out = Of(OWH_ARG_CSTR), out->data = s; }
    /* Exactly T: an array type that only converts to IntArrayRef ends here, as it does in the vendor's helper. */
    template <class T> void operator()(const T &v) const {
        *out = Of(OWH_ARG_RAW);
        out->n_bytes = static_cast<int32_t>(sizeof(T));
        out->cxx_type = TypeText<T>();
        if constexpr (std::is_same<T, bool>::value) out->kind = OWH_ARG_BOOL, out->i = v;
        else if constexpr (std::is_same<T, double>::value) out->kind = OWH_ARG_DOUBLE, out->f = v;
        else if constexpr (std::is_floating_point<T>::value) out->f = static_cast<double>(v);
        else if constexpr (std::is_integral<T>::value) {
            out->i = static_cast<int64_t>(v);
            if (sizeof(T) == sizeof(int64_t)) out->kind = OWH_ARG_INT64;
        }
    }

  private:
    static OwhArg Of(int32_t kind) {
        OwhArg a = {};
        a.kind = kind;
        return a;
    }
};

inline size_t CountTensors(const TensorList &ts) { return ts.size(); }
template <class T> size_t CountTensors(const T &) { return 0; }

template <class... Ts> void Exec(const char *aclnn, Ts &...args) {
    OwhArg list[sizeof...(Ts) + 1] = {};
    std::vector<RtTensor *> handles;
    handles.reserve((CountTensors(args) + ... + 0));
    size_t n = 0;
    (Converter{&list[n++], &handles}(args), ...);
    if (owh_exec(aclnn, list, n) != 0) c10::OwFail();
}

} // namespace ow
} // namespace at

#define EXEC_NPU_CMD(aclnn_api, ...)                                                                         \
    do {                                                                                                     \
        ::at::ow::Exec(#aclnn_api, ##__VA_ARGS__);                                                           \
    } while (false)

#endif
