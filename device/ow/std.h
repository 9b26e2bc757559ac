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
template <bool b> using bool_constant = integral_constant<bool, b>;
#define OW_STD_TRAIT(name, expr)                                                                                     \
    template <typename T> struct name : bool_constant<(expr)> {};                                                    \
    template <typename T> inline constexpr bool name##_v = name<T>::value;
template <typename T, typename... L> inline constexpr bool ow_listed = (__is_same(T, L) || ...);
template <typename T> using remove_cv_t_of = typename remove_cv<T>::type;
OW_STD_TRAIT(is_void, __is_same(remove_cv_t_of<T>, void))
OW_STD_TRAIT(is_integral, (ow_listed<remove_cv_t_of<T>, bool, char, signed char, unsigned char, wchar_t, char16_t, char32_t, short,
                                     unsigned short, int, unsigned, long, unsigned long, long long, unsigned long long>))
OW_STD_TRAIT(is_floating_point, (ow_listed<remove_cv_t_of<T>, float, double, long double>))
#undef OW_STD_TRAIT
#define OW_STD_MATCH(name, ...)                                                                                      \
    template <typename T> struct name : false_type {};                                                               \
    __VA_ARGS__                                                                                                      \
    template <typename T> inline constexpr bool name##_v = name<T>::value;
OW_STD_MATCH(is_array, template <typename T> struct is_array<T[]> : true_type{};
             template <typename T, size_t n> struct is_array<T[n]> : true_type{};)
OW_STD_MATCH(is_pointer, template <typename T> struct is_pointer<T *> : true_type{};
             template <typename T> struct is_pointer<T *const> : true_type{};
             template <typename T> struct is_pointer<T *volatile> : true_type{};
             template <typename T> struct is_pointer<T *const volatile> : true_type{};)
OW_STD_MATCH(is_reference, template <typename T> struct is_reference<T &> : true_type{};
             template <typename T> struct is_reference<T &&> : true_type{};)
OW_STD_MATCH(is_const, template <typename T> struct is_const<const T> : true_type{};)
#undef OW_STD_MATCH
template <typename B, typename D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <typename B, typename D> inline constexpr bool is_base_of_v = is_base_of<B, D>::value;
template <typename F, typename T> struct is_convertible {
    template <typename U> static void take(U);
    template <typename A> static auto test(int) -> decltype(take<T>(*(A *)nullptr), true_type());
    template <typename A> static false_type test(...);
    static constexpr bool value = decltype(test<typename remove_reference<F>::type>(0))::value;
};
template <typename F> struct is_convertible<F, void> : bool_constant<__is_same(F, void)> {};
template <typename F, typename T> inline constexpr bool is_convertible_v = is_convertible<F, T>::value;
#define OW_STD_ADD(name, ...)                                                                                        \
    template <typename T> struct name {                                                                              \
        using type = __VA_ARGS__;                                                                                    \
    };                                                                                                               \
    template <typename T> using name##_t = typename name<T>::type;
OW_STD_ADD(add_const, const T)
OW_STD_ADD(add_volatile, volatile T)
OW_STD_ADD(add_cv, const volatile T)
OW_STD_ADD(add_pointer, typename remove_reference<T>::type *)
OW_STD_ADD(add_lvalue_reference, T &)
OW_STD_ADD(add_rvalue_reference, T &&)
#undef OW_STD_ADD
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_volatile_t = typename remove_volatile<T>::type;
template <typename T> struct remove_pointer {
    using type = T;
};
template <typename T> struct remove_pointer<T *> {
    using type = T;
};
template <typename T> struct remove_pointer<T *const> {
    using type = T;
};
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;

template <typename T, T... I> struct integer_sequence {
    using value_type = T;
    static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <size_t N, size_t... I> struct OwIndices : OwIndices<N - 1, N - 1, I...> {};
template <size_t... I> struct OwIndices<0, I...> {
    using type = index_sequence<I...>;
};
template <size_t N> using make_index_sequence = typename OwIndices<N>::type;

/* tuple: one base for each element, told apart by its index. */
template <size_t N, typename T> struct OwElement {
    T value;
};
template <typename I, typename... T> struct OwElements;
template <size_t... I, typename... T> struct OwElements<index_sequence<I...>, T...> : OwElement<I, T>... {
    constexpr OwElements() = default;
    constexpr explicit OwElements(const T &...v) : OwElement<I, T>{v}... {}
};
template <> struct OwElements<index_sequence<>> {};
template <typename... T> class tuple : public OwElements<make_index_sequence<sizeof...(T)>, T...> {
public:
    using OwBase = OwElements<make_index_sequence<sizeof...(T)>, T...>;
    constexpr tuple() = default;
    template <typename... U, enable_if_t<sizeof...(U) == sizeof...(T) && (sizeof...(T) > 0), bool> = true>
    constexpr tuple(const U &...v) : OwBase(v...)
    {
    }
};
template <typename T> struct tuple_size;
template <typename... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <typename T> inline constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t N, typename T> struct tuple_element;
template <size_t N, typename H, typename... T> struct tuple_element<N, tuple<H, T...>> : tuple_element<N - 1, tuple<T...>> {};
template <typename H, typename... T> struct tuple_element<0, tuple<H, T...>> {
    using type = H;
};
template <size_t N, typename... T> constexpr typename tuple_element<N, tuple<T...>>::type &get(tuple<T...> &t)
{
    return static_cast<OwElement<N, typename tuple_element<N, tuple<T...>>::type> &>(t).value;
}
template <size_t N, typename... T> constexpr const typename tuple_element<N, tuple<T...>>::type &get(const tuple<T...> &t)
{
    return static_cast<const OwElement<N, typename tuple_element<N, tuple<T...>>::type> &>(t).value;
}
template <typename... T> constexpr tuple<remove_cv_t<remove_reference_t<T>>...> make_tuple(T &&...v) { return {v...}; }
template <typename T> struct is_tuple : false_type {};
template <typename... T> struct is_tuple<tuple<T...>> : true_type {};
template <typename T> inline constexpr bool is_tuple_v = is_tuple<T>::value;

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
