/* Element types, devices, array references, scalars and tensor options of c10/at. */
#ifndef OPWRIGHT_HOSTAPI_TORCH_TYPES_H
#define OPWRIGHT_HOSTAPI_TORCH_TYPES_H

#include "check.h"

#include <array>
#include <initializer_list>
#include <optional>
#include <tuple>
#include <vector>

namespace c10 {

template <class T> using optional = std::optional<T>;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;

/* Numbers are PyTorch's own, which the acl tables are indexed by. */
enum class ScalarType : int8_t {
    Byte = 0, Char = 1, Short = 2, Int = 3, Long = 4, Half = 5, Float = 6, Double = 7, ComplexHalf = 8,
    ComplexFloat = 9, ComplexDouble = 10, Bool = 11, QInt8 = 12, QUInt8 = 13, QInt32 = 14, BFloat16 = 15,
    QUInt4x2 = 16, QUInt2x4 = 17, Bits1x8 = 18, Bits2x4 = 19, Bits4x2 = 20, Bits8 = 21, Bits16 = 22,
    Float8_e5m2 = 23, Float8_e4m3fn = 24, Float8_e5m2fnuz = 25, Float8_e4m3fnuz = 26, UInt16 = 27, UInt32 = 28,
    UInt64 = 29, Undefined = 44, NumOptions = 45
};
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                     kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool,
                     kBFloat16 = ScalarType::BFloat16, kUInt16 = ScalarType::UInt16, kUInt32 = ScalarType::UInt32,
                     kUInt64 = ScalarType::UInt64;
inline const char *toString(ScalarType t) { return owh_scalar_type_name(static_cast<int32_t>(t)); }
inline bool isFloatingType(ScalarType t) {
    return t == kHalf || t == kFloat || t == kDouble || t == kBFloat16;
}
inline bool isIntegralType(ScalarType t, bool include_bool) {
    return t <= kLong || t == kUInt16 || t == kUInt32 || t == kUInt64 || (include_bool && t == kBool);
}
inline size_t elementSize(ScalarType t) { return owh_dtype_bytes(owh_dtype_of_scalar_type(static_cast<int32_t>(t))); }

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, Meta = 15, PrivateUse1 = 20 };
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kPrivateUse1 = DeviceType::PrivateUse1;
using DeviceIndex = int8_t;

struct Device {
    Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
    DeviceType type() const { return type_; }
    DeviceIndex index() const { return index_; }
    bool has_index() const { return index_ != -1; }
    bool is_cpu() const { return type_ == DeviceType::CPU; }
    bool is_cuda() const { return false; }
    bool is_privateuseone() const { return type_ == DeviceType::PrivateUse1; }
    bool operator==(const Device &o) const { return type_ == o.type_ && index_ == o.index_; }
    bool operator!=(const Device &o) const { return !(*this == o); }
    std::string str() const { return type_ == DeviceType::CPU ? "cpu" : "npu:0"; }

  private:
    DeviceType type_;
    DeviceIndex index_;
};

enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided;

template <class T> class ArrayRef {
  public:
    using value_type = T;
    using iterator = const T *;
    using const_iterator = const T *;
    ArrayRef() : p_(nullptr), n_(0) {}
    ArrayRef(const T &one) : p_(&one), n_(1) {}
    ArrayRef(const T *p, size_t n) : p_(p), n_(n) {}
    ArrayRef(const T *begin, const T *end) : p_(begin), n_(static_cast<size_t>(end - begin)) {}
    template <class A> ArrayRef(const std::vector<T, A> &v) : p_(v.data()), n_(v.size()) {}
    template <size_t N> ArrayRef(const std::array<T, N> &v) : p_(v.data()), n_(N) {}
    template <size_t N> ArrayRef(const T (&v)[N]) : p_(v), n_(N) {}
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winit-list-lifetime" /* as in PyTorch: the list outlives the call it is written in */
#endif
    ArrayRef(const std::initializer_list<T> &v) : p_(v.begin()), n_(v.size()) {}
#pragma GCC diagnostic pop
    const T *begin() const { return p_; }
    const T *end() const { return p_ + n_; }
    const T *cbegin() const { return p_; }
    const T *cend() const { return p_ + n_; }
    const T *data() const { return p_; }
    size_t size() const { return n_; }
    bool empty() const { return n_ == 0; }
    const T &front() const { return at(0); }
    const T &back() const { return at(n_ - 1); }
    const T &operator[](size_t i) const { return p_[i]; }
    const T &at(size_t i) const {
        TORCH_CHECK(i < n_, "ArrayRef: invalid index Index = ", i, "; Length = ", n_);
        return p_[i];
    }
    bool equals(ArrayRef o) const {
        if (n_ != o.n_) return false;
        for (size_t i = 0; i < n_; i++)
            if (!(p_[i] == o.p_[i])) return false;
        return true;
    }
    ArrayRef slice(size_t from, size_t n) const {
        TORCH_CHECK(from <= n_ && n <= n_ - from, "ArrayRef: invalid slice, N = ", from, "; M = ", n, "; size = ", n_);
        return ArrayRef(p_ + from, n);
    }
    ArrayRef slice(size_t from) const { return slice(from, n_ - from); }
    std::vector<T> vec() const { return std::vector<T>(p_, p_ + n_); }

  private:
    const T *p_;
    size_t n_;
};
template <class T> bool operator==(ArrayRef<T> a, ArrayRef<T> b) { return a.equals(b); }
template <class T> bool operator!=(ArrayRef<T> a, ArrayRef<T> b) { return !a.equals(b); }
template <class T> bool operator==(const std::vector<T> &a, ArrayRef<T> b) { return ArrayRef<T>(a).equals(b); }
template <class T> bool operator==(ArrayRef<T> a, const std::vector<T> &b) { return a.equals(ArrayRef<T>(b)); }
template <class T> bool operator!=(const std::vector<T> &a, ArrayRef<T> b) { return !(a == b); }
template <class T> bool operator!=(ArrayRef<T> a, const std::vector<T> &b) { return !(a == b); }
using IntArrayRef = ArrayRef<int64_t>;

class Scalar {
  public:
    Scalar() : Scalar(static_cast<int64_t>(0)) {}
    Scalar(double v) : type_(kDouble), f_(v), i_(0) {}
    Scalar(float v) : Scalar(static_cast<double>(v)) {}
    Scalar(bool v) : type_(kBool), f_(v), i_(v) {}
    template <class T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0>
    Scalar(T v) : type_(kLong), f_(static_cast<double>(v)), i_(static_cast<int64_t>(v)) {}
    ScalarType type() const { return type_; }
    bool isFloatingPoint() const { return type_ == kDouble; }
    bool isBoolean() const { return type_ == kBool; }
    bool isIntegral(bool include_bool) const { return type_ == kLong || (include_bool && type_ == kBool); }
    double toDouble() const { return type_ == kDouble ? f_ : static_cast<double>(i_); }
    float toFloat() const { return static_cast<float>(toDouble()); }
    int64_t toLong() const { return type_ == kDouble ? static_cast<int64_t>(f_) : i_; }
    int toInt() const { return static_cast<int>(toLong()); }
    bool toBool() const { return type_ == kDouble ? f_ != 0 : i_ != 0; }
    template <class T> T to() const {
        if constexpr (std::is_same<T, bool>::value) return toBool();
        else if constexpr (std::is_floating_point<T>::value) return static_cast<T>(toDouble());
        else return static_cast<T>(toLong());
    }

  private:
    ScalarType type_;
    double f_;
    int64_t i_;
};

} // namespace c10

namespace caffe2 {
/* What Tensor::dtype() gives: compares with ScalarType. */
class TypeMeta {
  public:
    TypeMeta(c10::ScalarType t) : t_(t) {}
    c10::ScalarType toScalarType() const { return t_; }
    size_t itemsize() const { return c10::elementSize(t_); }
    const char *name() const { return c10::toString(t_); }
    friend bool operator==(TypeMeta a, TypeMeta b) { return a.t_ == b.t_; }
    friend bool operator!=(TypeMeta a, TypeMeta b) { return a.t_ != b.t_; }

  private:
    c10::ScalarType t_;
};
inline void OwAdd(std::string &s, TypeMeta t) { s += t.name(); }
} // namespace caffe2

namespace c10 {

/* As in PyTorch, what is not given is float32 on the CPU. */
class TensorOptions {
  public:
    TensorOptions() : t_(kFloat), d_(kCPU) {}
    TensorOptions(ScalarType t) : t_(t), d_(kCPU) {}
    TensorOptions(caffe2::TypeMeta t) : t_(t.toScalarType()), d_(kCPU) {}
    TensorOptions(Device d) : t_(kFloat), d_(d) {}
    TensorOptions(DeviceType d) : t_(kFloat), d_(d) {}
    TensorOptions(Layout) : TensorOptions() {}
    TensorOptions dtype(ScalarType t) const { return TensorOptions(t, d_); }
    TensorOptions dtype(caffe2::TypeMeta t) const { return TensorOptions(t.toScalarType(), d_); }
    TensorOptions device(Device d) const { return TensorOptions(t_, d); }
    TensorOptions device(DeviceType d) const { return TensorOptions(t_, Device(d)); }
    TensorOptions device(DeviceType d, DeviceIndex i) const { return TensorOptions(t_, Device(d, i)); }
    TensorOptions layout(Layout) const { return *this; }
    TensorOptions requires_grad(bool) const { return *this; }
    TensorOptions pinned_memory(bool) const { return *this; }
    TensorOptions memory_format(MemoryFormat) const { return *this; }
    caffe2::TypeMeta dtype() const { return t_; }
    Device device() const { return d_; }

  private:
    TensorOptions(ScalarType t, Device d) : t_(t), d_(d) {}
    ScalarType t_;
    Device d_;
};
inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions dtype(caffe2::TypeMeta t) { return TensorOptions(t); }
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions device(DeviceType d) { return TensorOptions(d); }

inline void OwAdd(std::string &s, ScalarType t) { s += toString(t); }
inline void OwAdd(std::string &s, Device d) { s += d.str(); }
inline void OwAdd(std::string &s, DeviceType t) { s += t == kCPU ? "cpu" : "privateuseone"; }
template <class T> void OwAdd(std::string &s, ArrayRef<T> v) {
    s += '[';
    for (size_t i = 0; i < v.size(); i++) {
        if (i > 0) s += ", ";
        OwAdd(s, v[i]);
    }
    s += ']';
}
template <class T> void OwAdd(std::string &s, const std::vector<T> &v) { OwAdd(s, ArrayRef<T>(v)); }
} // namespace c10

namespace at {
using namespace c10;
using c10::Scalar;
using c10::ScalarType;
} // namespace at
#endif
