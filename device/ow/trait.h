/* Layouts, coordinates and tensor traits: what the compiler knows about a tensor's shape. They say nothing to the simulator. HW:
 * pages Layout, Coordinate and TensorTrait. */
#ifndef OW_TRAIT_H
#define OW_TRAIT_H

#include "ow/base.h"
#include "ow/std.h"

namespace AscendC {

template <typename... T> using Shape = Std::tuple<T...>;
template <typename... T> using Stride = Std::tuple<T...>;
template <typename... T> using Coord = Std::tuple<T...>;
template <typename... T> constexpr Shape<T...> MakeShape(const T &...t) { return {t...}; }
template <typename... T> constexpr Stride<T...> MakeStride(const T &...t) { return {t...}; }
template <typename... T> constexpr Coord<T...> MakeCoord(const T &...t) { return {t...}; }

/* Numbers in a nest of tuples, and whether the type holds all of them. */
template <typename T> struct OwNest {
    static constexpr size_t depth = 1;
    static constexpr bool is_static = false;
};
template <size_t n> struct OwNest<Std::Int<n>> {
    static constexpr size_t depth = 1;
    static constexpr bool is_static = true;
};
template <typename... T> struct OwNest<Std::tuple<T...>> {
    static constexpr size_t depth = (0 + ... + OwNest<T>::depth);
    static constexpr bool is_static = (true && ... && OwNest<T>::is_static);
};

/* HW: implementation: elements of a layout of two dimensions, or of two that are each cut in two: the outer extent times its
 * stride, the larger of the two dimensions'. otherwise: what any other layout has. */
template <typename S, typename D> constexpr uint32_t OwLayoutSize(const S &shape, const D &stride, uint32_t otherwise)
{
    using Std::get;
    uint32_t rows = 0, cols = 0;
    if constexpr (OwNest<D>::depth != OwNest<S>::depth) {
        return otherwise;
    } else if constexpr (OwNest<S>::depth == 2 && Std::tuple_size_v<S> == 2) {
        rows = (uint32_t)(get<0>(shape) * get<0>(stride));
        cols = (uint32_t)(get<1>(shape) * get<1>(stride));
    } else if constexpr (OwNest<S>::depth == 4 && Std::tuple_size_v<S> == 2) {
        rows = (uint32_t)(get<1>(get<0>(shape)) * get<1>(get<0>(stride)));
        cols = (uint32_t)(get<1>(get<1>(shape)) * get<1>(get<1>(stride)));
    } else {
        return otherwise;
    }
    return rows > cols ? rows : cols;
}

/* How many elements a shape has. */
template <typename S> constexpr auto OwProduct(const S &shape) { return shape; }
template <size_t... I, typename... T> constexpr auto OwProductOf(const Std::tuple<T...> &shape, Std::index_sequence<I...>);
template <typename... T> constexpr auto OwProduct(const Std::tuple<T...> &shape)
{
    return OwProductOf(shape, Std::make_index_sequence<sizeof...(T)>());
}
template <size_t... I, typename... T> constexpr auto OwProductOf(const Std::tuple<T...> &shape, Std::index_sequence<I...>)
{
    return (1 * ... * OwProduct(Std::get<I>(shape)));
}

/* A coordinate's place. A number over a shape counts its first dimension fastest; the last one takes what is left. */
template <typename C, typename S, typename D> constexpr auto Crd2Idx(const C &coord, const S &shape, const D &stride);
template <size_t... I, typename C, typename S, typename D>
constexpr auto OwSumOf(const C &coord, const S &shape, const D &stride, Std::index_sequence<I...>)
{
    return (0 + ... + Crd2Idx(Std::get<I>(coord), Std::get<I>(shape), Std::get<I>(stride)));
}
template <size_t i, typename C, typename S, typename D> constexpr auto OwUnravel(const C &coord, const S &shape, const D &stride)
{
    if constexpr (i + 1 == Std::tuple_size_v<S>) {
        return Crd2Idx(coord, Std::get<i>(shape), Std::get<i>(stride));
    } else {
        auto n = OwProduct(Std::get<i>(shape));
        return Crd2Idx(coord % n, Std::get<i>(shape), Std::get<i>(stride)) + OwUnravel<i + 1>(coord / n, shape, stride);
    }
}
template <typename C, typename S, typename D> constexpr auto Crd2Idx(const C &coord, const S &shape, const D &stride)
{
    if constexpr (Std::is_tuple_v<C>) {
        static_assert(Std::is_tuple_v<S> && Std::is_tuple_v<D>, "Crd2Idx: a tuple of coordinates needs tuples of shape and stride");
        static_assert(Std::tuple_size_v<C> == Std::tuple_size_v<S> && Std::tuple_size_v<C> == Std::tuple_size_v<D>,
                      "Crd2Idx: coordinate, shape and stride differ in their number of dimensions");
        return OwSumOf(coord, shape, stride, Std::make_index_sequence<Std::tuple_size_v<C>>());
    } else if constexpr (Std::is_tuple_v<S>) {
        static_assert(Std::tuple_size_v<S> == Std::tuple_size_v<D>, "Crd2Idx: shape and stride differ in their number of dimensions");
        return OwUnravel<0>(coord, shape, stride);
    } else {
        return coord * stride;
    }
}

template <typename S, typename D> struct Layout {
    static_assert(Std::is_tuple_v<S> && Std::is_tuple_v<D>, "Layout takes a Shape and a Stride");
    static constexpr size_t size = OwNest<S>::is_static && OwNest<D>::is_static ? OwLayoutSize(S(), D(), 0) : 0;

    constexpr Layout(const S &shape = {}, const D &stride = {}) : ow_shape(shape), ow_stride(stride) {}
    constexpr uint32_t GetSize() const { return OwLayoutSize(ow_shape, ow_stride, UINT32_MAX); }
    constexpr Layout layout() const { return *this; }
    template <size_t... I> constexpr auto GetShape() const { return OwPick<I...>(ow_shape); }
    template <size_t... I> constexpr auto GetStride() const { return OwPick<I...>(ow_stride); }
    template <typename C> constexpr auto operator()(const C &coord) const { return Crd2Idx(coord, ow_shape, ow_stride); }

private:
    template <size_t... I, typename T> static constexpr auto OwPick(const T &t)
    {
        if constexpr (sizeof...(I) == 0)
            return t;
        else
            return Std::make_tuple(Std::get<I>(t)...);
    }
    S ow_shape;
    D ow_stride;
};
template <typename C, typename S, typename D> constexpr auto Crd2Idx(const C &coord, const Layout<S, D> &layout) { return layout(coord); }
template <typename S, typename D> constexpr Layout<S, D> MakeLayout(const S &shape, const D &stride) { return {shape, stride}; }
template <typename T> struct is_layout : Std::false_type {};
template <typename S, typename D> struct is_layout<Layout<S, D>> : Std::true_type {};
template <typename T> constexpr bool is_layout_v = is_layout<T>::value;

/* The element type of a tensor without ShapeInfo. */
template <typename T, TPosition pos = TPosition::GM, typename L = Layout<Shape<>, Stride<>>> struct TensorTrait {
    static_assert(is_layout_v<L>, "TensorTrait takes a Layout");
    using LiteType = T;
    using LiteLayoutType = L;
    static constexpr TPosition tPos = pos;

    constexpr TensorTrait(const L &t = {}) : ow_layout(t) {}
    constexpr L &GetLayout() { return ow_layout; }
    constexpr const L &GetLayout() const { return ow_layout; }
    constexpr void SetLayout(const L &t) { ow_layout = t; }
    constexpr auto GetShape() const { return ow_layout.GetShape(); }
    constexpr auto GetStride() const { return ow_layout.GetStride(); }

private:
    L ow_layout;
};
template <typename T, TPosition pos, typename L> constexpr TensorTrait<T, pos, L> MakeTensorTrait(const L &t) { return {t}; }
template <typename T> struct is_tensorTrait : Std::false_type {};
template <typename T, TPosition pos, typename L> struct is_tensorTrait<TensorTrait<T, pos, L>> : Std::true_type {};
template <typename T> constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

template <typename T, TPosition pos, typename L> struct OwType<TensorTrait<T, pos, L>> : OwType<T> {};
template <typename T, TPosition pos, typename L> struct OwPrim<TensorTrait<T, pos, L>> {
    using type = T;
};

} // namespace AscendC
#endif
