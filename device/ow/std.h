/* AscendC::Std: the few things kernels use from it. */
#ifndef OW_STD_H
#define OW_STD_H

#include <stddef.h>

namespace AscendC {
namespace Std {
template <typename T, T v> struct integral_constant {
    static constexpr T value = v;
    using value_type = T;
    using type = integral_constant;
    constexpr operator T() const { return v; }
    constexpr T operator()() const { return v; }
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <size_t N> using Int = integral_constant<size_t, N>;
template <bool b, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> {
    using type = T;
};
template <bool b, typename T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, typename T, typename F> struct conditional {
    using type = T;
};
template <typename T, typename F> struct conditional<false, T, F> {
    using type = F;
};
template <bool b, typename T, typename F> using conditional_t = typename conditional<b, T, F>::type;
template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <typename T, typename U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <typename T> struct remove_reference {
    using type = T;
};
template <typename T> struct remove_reference<T &> {
    using type = T;
};
template <typename T> struct remove_reference<T &&> {
    using type = T;
};
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> struct remove_const {
    using type = T;
};
template <typename T> struct remove_const<const T> {
    using type = T;
};
template <typename T> struct remove_volatile {
    using type = T;
};
template <typename T> struct remove_volatile<volatile T> {
    using type = T;
};
template <typename T> struct remove_cv {
    using type = typename remove_const<typename remove_volatile<T>::type>::type;
};
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> constexpr T max(const T a, const T b) { return a > b ? a : b; }
template <typename T> constexpr T min(const T a, const T b) { return a < b ? a : b; }
} // namespace Std

template <typename T, typename U> struct IsSameType {
    static constexpr bool value = false;
};
template <typename T> struct IsSameType<T, T> {
    static constexpr bool value = true;
};
} // namespace AscendC
#endif
