/* at::Tensor over RtTensor, allocation and views. Nothing here computes. */
#ifndef OPWRIGHT_HOSTAPI_TORCH_TENSOR_H
#define OPWRIGHT_HOSTAPI_TORCH_TENSOR_H

#include "refused.h"
#include "types.h"

namespace at {

namespace ow {
template <class T> struct ScalarTypeOf;
template <> struct ScalarTypeOf<uint8_t> { static constexpr ScalarType value = kByte; };
template <> struct ScalarTypeOf<int8_t> { static constexpr ScalarType value = kChar; };
template <> struct ScalarTypeOf<int16_t> { static constexpr ScalarType value = kShort; };
template <> struct ScalarTypeOf<int32_t> { static constexpr ScalarType value = kInt; };
template <> struct ScalarTypeOf<int64_t> { static constexpr ScalarType value = kLong; };
template <> struct ScalarTypeOf<float> { static constexpr ScalarType value = kFloat; };
template <> struct ScalarTypeOf<double> { static constexpr ScalarType value = kDouble; };
template <> struct ScalarTypeOf<bool> { static constexpr ScalarType value = kBool; };
} // namespace ow

/* Return type of the deleted functions of refused.h: its name shows in the message of the compiler. */
class BindingsMayNotCompute {};

class Tensor {
  public:
    Tensor() : t_(nullptr) {}
    Tensor(const Tensor &o) : t_(o.t_) {
        if (t_ != nullptr) owh_tensor_ref(t_);
    }
    Tensor(Tensor &&o) noexcept : t_(o.t_) { o.t_ = nullptr; }
    ~Tensor() {
        if (t_ != nullptr) owh_tensor_unref(t_);
    }
    Tensor &operator=(const Tensor &o) {
        Tensor copy(o);
        return *this = std::move(copy);
    }
    Tensor &operator=(Tensor &&o) noexcept {
        RtTensor *mine = t_;
        t_ = o.t_;
        o.t_ = mine;
        return *this;
    }
    /* Takes one reference; NULL is the failure of the call that made it. */
    static Tensor OwTake(RtTensor *t) {
        if (t == nullptr) c10::OwFail();
        Tensor r;
        r.t_ = t;
        return r;
    }
    RtTensor *OwHandle() const { return t_; } /* NULL when undefined */

    bool defined() const { return t_ != nullptr; }
    void reset() { *this = Tensor(); }
    bool is_same(const Tensor &o) const { return t_ == o.t_; }
    int64_t dim() const { return h()->rank; }
    int64_t ndimension() const { return h()->rank; }
    IntArrayRef sizes() const { return IntArrayRef(h()->size, static_cast<size_t>(h()->rank)); }
    IntArrayRef strides() const { return IntArrayRef(h()->stride, static_cast<size_t>(h()->rank)); }
    int64_t size(int64_t d) const { return h()->size[Wrap(d)]; }
    int64_t stride(int64_t d) const { return h()->stride[Wrap(d)]; }
    int64_t numel() const { return owh_tensor_numel(h()); }
    int64_t storage_offset() const { return h()->offset; }
    ScalarType scalar_type() const { return static_cast<ScalarType>(owh_scalar_type_of_dtype(h()->dtype)); }
    caffe2::TypeMeta dtype() const { return scalar_type(); }
    size_t element_size() const { return owh_dtype_bytes(h()->dtype); }
    size_t itemsize() const { return element_size(); }
    size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
    Device device() const { return h()->on_cpu != 0 ? Device(kCPU) : Device(kPrivateUse1, 0); }
    DeviceIndex get_device() const { return device().index(); }
    bool is_cpu() const { return h()->on_cpu != 0; }
    bool is_cuda() const { return false; }
    bool is_privateuseone() const { return h()->on_cpu == 0; }
    Layout layout() const { return kStrided; }
    TensorOptions options() const { return TensorOptions(scalar_type()).device(device()); }
    bool requires_grad() const { return false; }
    bool is_floating_point() const { return isFloatingType(scalar_type()); }
    bool is_contiguous(MemoryFormat f = MemoryFormat::Contiguous) const {
        PlainFormat(f);
        return owh_tensor_is_contiguous(h());
    }

    /* Copies only when the layout asks for it. */
    Tensor contiguous(MemoryFormat f = MemoryFormat::Contiguous) const {
        return is_contiguous(f) ? *this : OwTake(owh_tensor_clone(t_, t_->dtype, t_->on_cpu != 0));
    }
    Tensor clone() const { return OwTake(owh_tensor_clone(h(), h()->dtype, h()->on_cpu != 0)); }
    Tensor detach() const { return *this; }
    Tensor cpu() const { return Moved(scalar_type(), Device(kCPU)); }
    Tensor to(ScalarType t, bool = false, bool = false) const { return Moved(t, device()); }
    Tensor to(caffe2::TypeMeta t, bool = false, bool = false) const { return Moved(t.toScalarType(), device()); }
    Tensor to(Device d, bool = false, bool = false) const { return Moved(scalar_type(), d); }
    Tensor to(DeviceType d, bool = false, bool = false) const { return Moved(scalar_type(), Device(d)); }
    Tensor to(Device d, ScalarType t, bool = false, bool = false) const { return Moved(t, d); }
    Tensor to(const TensorOptions &o, bool = false, bool = false) const { return Moved(o.dtype().toScalarType(), o.device()); }
    Tensor to(const Tensor &like, bool = false, bool = false) const { return Moved(like.scalar_type(), like.device()); }
    /* x.ne(0) is a conversion to bool, nothing more; any other ne computes. */
    Tensor ne(int zero) const {
        TORCH_CHECK(zero == 0, "a binding may not compute: ne(", zero, ")");
        return to(kBool);
    }

    Tensor view(IntArrayRef s) const { return OwTake(owh_tensor_reshape(h(), s.data(), s.size(), true)); }
    Tensor reshape(IntArrayRef s) const { return OwTake(owh_tensor_reshape(h(), s.data(), s.size(), false)); }
    Tensor view_as(const Tensor &o) const { return view(o.sizes()); }
    Tensor reshape_as(const Tensor &o) const { return reshape(o.sizes()); }
    Tensor flatten(int64_t from = 0, int64_t to = -1) const {
        if (dim() == 0) return reshape({1});
        const size_t a = Wrap(from), b = Wrap(to);
        TORCH_CHECK(a <= b, "flatten() has invalid args: start_dim cannot come after end_dim");
        std::vector<int64_t> s(sizes().begin(), sizes().begin() + a);
        int64_t n = 1;
        for (size_t i = a; i <= b; i++) n *= h()->size[i];
        s.push_back(n);
        s.insert(s.end(), sizes().begin() + b + 1, sizes().end());
        return reshape(s);
    }
    Tensor permute(IntArrayRef d) const { return OwTake(owh_tensor_permute(h(), d.data(), d.size())); }
    Tensor transpose(int64_t a, int64_t b) const { return OwTake(owh_tensor_transpose(h(), a, b)); }
    Tensor t() const {
        TORCH_CHECK(dim() <= 2, "t() expects a tensor with <= 2 dimensions, but self is ", dim(), "D");
        return dim() < 2 ? *this : transpose(0, 1);
    }
    Tensor mT() const { return transpose(-2, -1); }
    Tensor slice(int64_t d = 0, optional<int64_t> start = nullopt, optional<int64_t> end = nullopt, int64_t step = 1) const {
        return OwTake(owh_tensor_slice(h(), d, start.value_or(0), end.value_or(INT64_MAX), step));
    }
    Tensor narrow(int64_t d, int64_t start, int64_t length) const { return OwTake(owh_tensor_narrow(h(), d, start, length)); }
    Tensor select(int64_t d, int64_t i) const { return OwTake(owh_tensor_select(h(), d, i)); }
    Tensor operator[](int64_t i) const { return select(0, i); }
    Tensor squeeze() const { return OwTake(owh_tensor_squeeze(h(), 0, true)); }
    Tensor squeeze(int64_t d) const { return OwTake(owh_tensor_squeeze(h(), d, false)); }
    Tensor unsqueeze(int64_t d) const { return OwTake(owh_tensor_unsqueeze(h(), d)); }
    Tensor expand(IntArrayRef s, bool = false) const { return OwTake(owh_tensor_expand(h(), s.data(), s.size())); }
    Tensor expand_as(const Tensor &o) const { return expand(o.sizes()); }
    Tensor as_strided(IntArrayRef s, IntArrayRef strides, optional<int64_t> offset = nullopt) const {
        TORCH_CHECK(s.size() == strides.size(), "mismatch in length of strides and shape");
        return OwTake(owh_tensor_strided(h(), s.data(), strides.data(), static_cast<int32_t>(s.size()),
                                         offset.value_or(h()->offset)));
    }
    std::vector<Tensor> split(int64_t n, int64_t d = 0) const {
        TORCH_CHECK(n > 0, "split expects split_size be positive, but got split_size=", n);
        std::vector<Tensor> parts;
        for (int64_t at = 0; at < size(d); at += n) parts.push_back(narrow(d, at, n < size(d) - at ? n : size(d) - at));
        return parts;
    }
    std::vector<Tensor> chunk(int64_t n, int64_t d = 0) const {
        TORCH_CHECK(n > 0, "chunk expects `chunks` to be greater than 0, got: ", n);
        return split(size(d) == 0 ? 1 : (size(d) + n - 1) / n, d);
    }

    void *data_ptr() const { return owh_tensor_address(h(), true); }
    const void *const_data_ptr() const { return owh_tensor_address(h(), false); }
    void *mutable_data_ptr() const { return data_ptr(); }
    template <class T> T *data_ptr() const {
        TORCH_CHECK(scalar_type() == ow::ScalarTypeOf<T>::value, "expected scalar type ",
                    ow::ScalarTypeOf<T>::value, " but found ", scalar_type());
        return static_cast<T *>(data_ptr());
    }
    Scalar item() const {
        int64_t i = 0;
        const ScalarType t = scalar_type();
        TORCH_CHECK(numel() == 1, "a Tensor with ", numel(), " elements cannot be converted to Scalar");
        const double f = owh_tensor_item(t_, &i);
        if (isFloatingType(t)) return Scalar(f);
        return t == kBool ? Scalar(i != 0) : Scalar(i);
    }
    template <class T> T item() const { return item().to<T>(); }
    /* Constants and copies: no arithmetic. */
    Tensor &fill_(const Scalar &v) { return Filled(v), *this; }
    const Tensor &fill_(const Scalar &v) const { return Filled(v), *this; }
    Tensor &zero_() { return Filled(Scalar(static_cast<int64_t>(0))), *this; }
    Tensor &copy_(const Tensor &from, bool = false) { return Copied(from), *this; }
    const Tensor &copy_(const Tensor &from, bool = false) const { return Copied(from), *this; }
    Tensor new_empty(IntArrayRef s) const { return OwEmpty(s, options()); }
    Tensor new_empty(IntArrayRef s, const TensorOptions &o) const { return OwEmpty(s, o); }
    Tensor new_zeros(IntArrayRef s) const { return OwEmpty(s, options()).zero_(); }
    Tensor new_zeros(IntArrayRef s, const TensorOptions &o) const { return OwEmpty(s, o).zero_(); }

    static Tensor OwEmpty(IntArrayRef s, const TensorOptions &o) {
        const ScalarType t = o.dtype().toScalarType();
        return OwTake(owh_tensor_empty(owh_dtype_of_scalar_type(static_cast<int32_t>(t)), s.data(),
                                       static_cast<int32_t>(s.size()), o.device().is_cpu()));
    }

#define OWH_REFUSE(name) template <class... A> BindingsMayNotCompute name(A &&...) const = delete;
    OWH_COMPUTE_NAMES(OWH_REFUSE)
    OWH_COMPUTE_METHODS(OWH_REFUSE)
#undef OWH_REFUSE

  private:
    RtTensor *h() const {
        TORCH_CHECK(t_ != nullptr, "tensor does not exist: it is undefined");
        return t_;
    }
    size_t Wrap(int64_t d) const {
        const int64_t n = h()->rank;
        TORCH_CHECK(d >= -n && d < n, "Dimension out of range (expected to be in range of [", -n, ", ", n - 1, "], but got ", d, ")");
        return static_cast<size_t>(d < 0 ? d + n : d);
    }
    static void PlainFormat(MemoryFormat f) {
        TORCH_CHECK(f == MemoryFormat::Contiguous || f == MemoryFormat::Preserve,
                    "not modelled: channels-last memory formats in a binding");
    }
    Tensor Moved(ScalarType t, Device d) const {
        if (t == scalar_type() && d.is_cpu() == is_cpu()) return *this;
        return OwTake(owh_tensor_clone(t_, owh_dtype_of_scalar_type(static_cast<int32_t>(t)), d.is_cpu()));
    }
    void Copied(const Tensor &from) const {
        const Tensor same = from.expand(sizes());
        if (owh_tensor_copy(h(), same.t_) != 0) c10::OwFail();
    }
    void Filled(const Scalar &v) const { owh_tensor_fill(h(), v.toDouble(), v.toLong(), !v.isFloatingPoint()); }

    RtTensor *t_;
};
using TensorList = ArrayRef<Tensor>;

inline Tensor empty(IntArrayRef s, const TensorOptions &o = {}, optional<MemoryFormat> = nullopt) { return Tensor::OwEmpty(s, o); }
inline Tensor zeros(IntArrayRef s, const TensorOptions &o = {}) { return Tensor::OwEmpty(s, o).zero_(); }
inline Tensor ones(IntArrayRef s, const TensorOptions &o = {}) { return Tensor::OwEmpty(s, o).fill_(1); }
inline Tensor empty_like(const Tensor &t, const TensorOptions &o, optional<MemoryFormat> = nullopt) { return Tensor::OwEmpty(t.sizes(), o); }
/* A dense input keeps its order of dimensions, as in PyTorch (MemoryFormat::Preserve). */
inline Tensor empty_like(const Tensor &t) {
    return Tensor::OwTake(owh_tensor_empty_like(t.defined() ? t.OwHandle() : nullptr));
}
inline Tensor zeros_like(const Tensor &t) { return empty_like(t).zero_(); }
inline Tensor zeros_like(const Tensor &t, const TensorOptions &o) { return zeros(t.sizes(), o); }
inline Tensor ones_like(const Tensor &t) { return empty_like(t).fill_(1); }
inline Tensor ones_like(const Tensor &t, const TensorOptions &o) { return ones(t.sizes(), o); }
inline Tensor reshape(const Tensor &t, IntArrayRef s) { return t.reshape(s); }
inline Tensor permute(const Tensor &t, IntArrayRef d) { return t.permute(d); }
inline Tensor transpose(const Tensor &t, int64_t a, int64_t b) { return t.transpose(a, b); }
inline Tensor squeeze(const Tensor &t) { return t.squeeze(); }
inline Tensor squeeze(const Tensor &t, int64_t d) { return t.squeeze(d); }
inline Tensor unsqueeze(const Tensor &t, int64_t d) { return t.unsqueeze(d); }
inline Tensor narrow(const Tensor &t, int64_t d, int64_t start, int64_t n) { return t.narrow(d, start, n); }
inline Tensor select(const Tensor &t, int64_t d, int64_t i) { return t.select(d, i); }
inline Tensor flatten(const Tensor &t, int64_t from = 0, int64_t to = -1) { return t.flatten(from, to); }
inline Tensor clone(const Tensor &t) { return t.clone(); }
inline std::vector<int64_t> infer_size(IntArrayRef a, IntArrayRef b) {
    int64_t out[RT_MAX_RANK];
    const int32_t n = owh_broadcast(a.data(), a.size(), b.data(), b.size(), out);
    if (n < 0) c10::OwFail();
    return std::vector<int64_t>(out, out + n);
}
inline std::vector<Tensor> broadcast_tensors(TensorList ts) {
    std::vector<int64_t> s;
    for (const Tensor &t : ts) s = infer_size(s, t.sizes());
    std::vector<Tensor> out;
    for (const Tensor &t : ts) out.push_back(t.expand(s));
    return out;
}

#define OWH_REFUSE(name) template <class... A> BindingsMayNotCompute name(A &&...) = delete;
OWH_COMPUTE_NAMES(OWH_REFUSE)
#undef OWH_REFUSE

#define OWH_REFUSE_OP(op)                                                                                    \
    template <class A, class B,                                                                              \
              std::enable_if_t<std::is_same<A, Tensor>::value || std::is_same<B, Tensor>::value, int> = 0>   \
    BindingsMayNotCompute operator op(const A &, const B &) = delete;
OWH_REFUSE_OP(+)
OWH_REFUSE_OP(-)
OWH_REFUSE_OP(*)
OWH_REFUSE_OP(/)
#undef OWH_REFUSE_OP

} // namespace at

namespace torch {
using namespace at;
using at::Tensor;
constexpr at::ScalarType kFloat16 = at::kHalf, kFloat32 = at::kFloat, kFloat64 = at::kDouble, kInt8 = at::kChar,
                         kInt16 = at::kShort, kInt32 = at::kInt, kInt64 = at::kLong, kUInt8 = at::kByte;
} // namespace torch

#endif
