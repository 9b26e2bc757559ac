/* PYBIND11_MODULE over the runtime's function table: no Python here. Argument conversion follows pybind11's and PyTorch's
 * casters; what does not fit an overload tries the next one. */
#ifndef OPWRIGHT_HOSTAPI_TORCH_PYBIND_H
#define OPWRIGHT_HOSTAPI_TORCH_PYBIND_H

#include "tensor.h"

#include <cstring>

namespace pybind11 {

struct none {};
class arg;

namespace detail {

/* ---- results and defaults: C++ to RtValue */
inline RtValue Value(int32_t kind) {
    RtValue v;
    std::memset(&v, 0, sizeof v);
    v.kind = kind;
    return v;
}
inline RtValue ToValue(const at::Tensor &t) {
    RtValue v = Value(t.defined() ? RT_TENSOR : RT_NONE);
    v.u.tensor = t.OwHandle();
    if (t.defined()) owh_tensor_ref(v.u.tensor);
    return v;
}
inline RtValue ToValue(none) { return Value(RT_NONE); }
inline RtValue ToValue(std::nullopt_t) { return Value(RT_NONE); }
inline RtValue ToValue(bool b) {
    RtValue v = Value(RT_BOOL);
    v.u.i = b;
    return v;
}
template <class T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value, int> = 0> RtValue ToValue(T i) {
    RtValue v = Value(RT_INT);
    v.u.i = static_cast<int64_t>(i);
    return v;
}
template <class T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0> RtValue ToValue(T f) {
    RtValue v = Value(RT_FLOAT);
    v.u.f = static_cast<double>(f);
    return v;
}
inline RtValue ToValue(const char *s) {
    RtValue v = Value(RT_STR);
    v.u.str = static_cast<char *>(owh_alloc(std::strlen(s) + 1));
    std::strcpy(v.u.str, s);
    return v;
}
inline RtValue ToValue(const std::string &s) { return ToValue(s.c_str()); }
template <class T> RtValue ToValue(const std::optional<T> &o);
template <class... T> RtValue ToValue(const std::tuple<T...> &t);
template <class A, class B> RtValue ToValue(const std::pair<A, B> &p) { return ToValue(std::tuple<const A &, const B &>(p.first, p.second)); }
/* Lists of anything: the elements' kind decides; Python sees a list. */
template <class It> RtValue ListValue(It begin, It end) {
    using T = std::decay_t<decltype(*begin)>;
    const size_t n = static_cast<size_t>(end - begin);
    RtValue v = Value(RT_TENSORS);
    v.n = static_cast<int32_t>(n);
    if constexpr (std::is_floating_point<T>::value) {
        v.kind = RT_FLOATS;
        v.u.floats = static_cast<double *>(owh_alloc(n * sizeof(double)));
        for (size_t i = 0; i < n; i++) v.u.floats[i] = static_cast<double>(begin[i]);
    } else if constexpr (std::is_integral<T>::value) {
        v.kind = std::is_same<T, bool>::value ? RT_BOOLS : RT_INTS;
        v.u.ints = static_cast<int64_t *>(owh_alloc(n * sizeof(int64_t)));
        for (size_t i = 0; i < n; i++) v.u.ints[i] = static_cast<int64_t>(begin[i]);
    } else {
        v.u.items = static_cast<RtValue *>(owh_alloc(n * sizeof(RtValue)));
        for (size_t i = 0; i < n; i++) v.u.items[i] = ToValue(begin[i]);
    }
    return v;
}
template <class T> RtValue ToValue(const std::vector<T> &l) { return ListValue(l.begin(), l.end()); }
template <class T> RtValue ToValue(const c10::ArrayRef<T> &l) { return ListValue(l.begin(), l.end()); }
template <class T, size_t N> RtValue ToValue(const std::array<T, N> &l) { return ListValue(l.begin(), l.end()); }
template <class T> RtValue ToValue(const std::optional<T> &o) { return o.has_value() ? ToValue(*o) : Value(RT_NONE); }
template <class... T> RtValue ToValue(const std::tuple<T...> &t) {
    RtValue v = Value(RT_TUPLE);
    v.n = static_cast<int32_t>(sizeof...(T));
    v.u.items = static_cast<RtValue *>(owh_alloc(sizeof...(T) * sizeof(RtValue)));
    size_t i = 0;
    std::apply([&](const auto &...item) { ((v.u.items[i++] = ToValue(item)), ...); }, t);
    return v;
}

/* ---- arguments: RtValue to C++. load is false when the value does not fit the type. */
template <class T, class = void> struct Caster; /* no caster: the compile error names the type */

template <> struct Caster<at::Tensor> {
    static constexpr const char *name = "torch.Tensor";
    at::Tensor value;
    bool load(const RtValue &v) {
        if (v.kind != RT_TENSOR) return false;
        owh_tensor_ref(v.u.tensor);
        value = at::Tensor::OwTake(v.u.tensor);
        return true;
    }
};
template <> struct Caster<bool> {
    static constexpr const char *name = "bool";
    bool value = false;
    bool load(const RtValue &v) {
        value = v.kind == RT_FLOAT ? v.u.f != 0 : v.u.i != 0;
        if (v.kind == RT_NONE) value = false; /* pybind11: None is False */
        return v.kind == RT_BOOL || v.kind == RT_INT || v.kind == RT_FLOAT || v.kind == RT_NONE;
    }
};
template <class T> struct Caster<T, std::enable_if_t<std::is_integral<T>::value && !std::is_same<T, bool>::value>> {
    static constexpr const char *name = "int";
    T value = 0;
    bool load(const RtValue &v) {
        int64_t i = v.u.i;
        if (v.kind == RT_TENSOR) { /* an object with __index__: one element of an integer type */
            if (owh_tensor_numel(v.u.tensor) != 1) return false;
            const at::ScalarType t = static_cast<at::ScalarType>(owh_scalar_type_of_dtype(v.u.tensor->dtype));
            if (!c10::isIntegralType(t, true)) return false;
            owh_tensor_item(v.u.tensor, &i);
        } else if (v.kind != RT_INT && v.kind != RT_BOOL) {
            return false;
        }
        value = static_cast<T>(i);
        return static_cast<int64_t>(value) == i && !(std::is_unsigned<T>::value && sizeof(T) < 8 && i < 0);
    }
};
template <class T> struct Caster<T, std::enable_if_t<std::is_floating_point<T>::value>> {
    static constexpr const char *name = "float";
    T value = 0;
    bool load(const RtValue &v) {
        if (v.kind == RT_TENSOR) { /* an object with __float__ */
            int64_t i = 0;
            if (owh_tensor_numel(v.u.tensor) != 1) return false;
            value = static_cast<T>(owh_tensor_item(v.u.tensor, &i));
            return true;
        }
        value = static_cast<T>(v.kind == RT_FLOAT ? v.u.f : static_cast<double>(v.u.i));
        return v.kind == RT_FLOAT || v.kind == RT_INT || v.kind == RT_BOOL;
    }
};
template <> struct Caster<std::string> {
    static constexpr const char *name = "str";
    std::string value;
    bool load(const RtValue &v) {
        if (v.kind != RT_STR) return false;
        value = v.u.str;
        return true;
    }
};
template <> struct Caster<c10::Scalar> {
    static constexpr const char *name = "Number";
    c10::Scalar value;
    bool load(const RtValue &v) {
        if (v.kind == RT_FLOAT) value = c10::Scalar(v.u.f);
        else if (v.kind == RT_BOOL) value = c10::Scalar(v.u.i != 0);
        else if (v.kind == RT_INT) value = c10::Scalar(v.u.i);
        else return false;
        return true;
    }
};
template <class T> struct Caster<std::vector<T>> {
    static constexpr const char *name = std::is_same<T, at::Tensor>::value       ? "collections.abc.Sequence[torch.Tensor]"
                                        : std::is_floating_point<T>::value ? "collections.abc.Sequence[float]"
                                        : std::is_same<T, bool>::value     ? "collections.abc.Sequence[bool]"
                                                                           : "collections.abc.Sequence[int]";
    std::vector<T> value;
    bool load(const RtValue &v) {
        const bool scalars = v.kind == RT_INTS || v.kind == RT_FLOATS || v.kind == RT_BOOLS;
        if (!scalars && v.kind != RT_TENSORS) return false;
        for (int32_t i = 0; i < v.n; i++) {
            RtValue one = Value(v.kind == RT_FLOATS ? RT_FLOAT : v.kind == RT_BOOLS ? RT_BOOL : RT_INT);
            if (v.kind == RT_FLOATS) one.u.f = v.u.floats[i];
            else if (scalars) one.u.i = v.u.ints[i];
            else one = v.u.items[i];
            Caster<T> c;
            if (!c.load(one)) return false;
            value.push_back(std::move(c.value));
        }
        return true;
    }
};
template <class T> struct Caster<c10::ArrayRef<T>> {
    static constexpr const char *name = Caster<std::vector<T>>::name;
    Caster<std::vector<T>> list;
    c10::ArrayRef<T> value;
    bool load(const RtValue &v) {
        if (!list.load(v)) return false;
        value = c10::ArrayRef<T>(list.value);
        return true;
    }
};
template <class T, size_t N> struct Caster<std::array<T, N>> {
    static constexpr const char *name = Caster<std::vector<T>>::name;
    std::array<T, N> value;
    bool load(const RtValue &v) {
        Caster<std::vector<T>> list;
        if (!list.load(v) || list.value.size() != N) return false;
        for (size_t i = 0; i < N; i++) value[i] = list.value[i];
        return true;
    }
};
template <class T> struct OptionalName { static constexpr const char *value = "object | None"; };
template <> struct OptionalName<at::Tensor> { static constexpr const char *value = "torch.Tensor | None"; };
template <> struct OptionalName<int64_t> { static constexpr const char *value = "int | None"; };
template <> struct OptionalName<double> { static constexpr const char *value = "float | None"; };
template <> struct OptionalName<bool> { static constexpr const char *value = "bool | None"; };
template <class T> struct Caster<std::optional<T>> {
    static constexpr const char *name = OptionalName<T>::value;
    Caster<T> inner;
    std::optional<T> value;
    bool load(const RtValue &v) {
        if (v.kind == RT_NONE) return true;
        if (!inner.load(v)) return false;
        value = inner.value;
        return true;
    }
};

template <class R> struct ResultName { static constexpr const char *value = "object"; };
template <> struct ResultName<void> { static constexpr const char *value = "None"; };
template <> struct ResultName<at::Tensor> { static constexpr const char *value = "torch.Tensor"; };
template <> struct ResultName<std::vector<at::Tensor>> { static constexpr const char *value = "list[torch.Tensor]"; };
template <class... T> struct ResultName<std::tuple<T...>> { static constexpr const char *value = "tuple"; };

inline int CopyText(char *text, size_t n_text, const char *what) {
    if (n_text > 0) {
        std::strncpy(text, what, n_text - 1);
        text[n_text - 1] = 0;
    }
    return 1;
}

/* ---- one exported function: each argument's caster is a base, which costs the compiler less than a tuple of them */
template <size_t I, class T> struct Slot : Caster<T> {};
template <class Seq, class... A> struct Slots;
template <size_t... I, class... A> struct Slots<std::index_sequence<I...>, A...> : Slot<I, A>... {
    bool load_all(const RtValue *args) {
        (void)args;
        return (static_cast<Slot<I, A> &>(*this).load(args[I]) && ... && true);
    }
    template <class F> decltype(auto) apply(F &fn) { return fn(static_cast<Slot<I, A> &>(*this).value...); }
};

template <class F, class R, class... A> struct Bound {
    F fn;
    static void Drop(void *self) { delete static_cast<Bound *>(self); }
    static int Call(void *self, RtValue *args, int32_t n_args, RtValue *result, char *text, size_t n_text) {
        if (n_args != static_cast<int32_t>(sizeof...(A))) return 2;
        try {
            Slots<std::index_sequence_for<A...>, std::decay_t<A>...> slots;
            if (!slots.load_all(args)) return 2;
            F &fn = static_cast<Bound *>(self)->fn;
            if constexpr (std::is_void<R>::value) {
                slots.apply(fn);
                *result = Value(RT_NONE);
            } else {
                *result = ToValue(slots.apply(fn));
            }
            return 0;
        } catch (const std::exception &e) {
            return CopyText(text, n_text, e.what());
        } catch (...) {
            return CopyText(text, n_text, "binding: an exception that is not a std::exception");
        }
    }
};

} // namespace detail

class arg {
  public:
    explicit arg(const char *name) : name(name) {}
    arg &noconvert(bool = true) { return *this; }
    arg &none(bool = true) { return *this; }
    template <class T> arg operator=(const T &v) const {
        arg a(name);
        a.fallback = detail::ToValue(v);
        a.has_fallback = true;
        return a;
    }
    const char *name;
    RtValue fallback = detail::Value(RT_NONE);
    bool has_fallback = false;
};
enum class return_value_policy : uint8_t { automatic, automatic_reference, take_ownership, copy, move, reference, reference_internal };
class gil_scoped_release {};
template <class...> struct call_guard {};

class module_ {
  public:
    template <class F, class... Extra> module_ &def(const char *name, F &&f, const Extra &...extra) {
        Bind(name, std::forward<F>(f), extra...);
        return *this;
    }
    const char *&doc() { return doc_; }

  private:
    struct Extras {
        const char *doc;
        OwhFnParam *params;
        size_t n, max;
    };
    static void Take(Extras &e, const char *doc) { e.doc = doc; }
    static void Take(Extras &e, const arg &a) {
        if (e.n < e.max) {
            e.params[e.n].name = a.name;
            e.params[e.n].fallback = a.has_fallback ? &a.fallback : nullptr;
        }
        e.n++;
    }
    static void Take(Extras &, return_value_policy) {}
    template <class... G> static void Take(Extras &, call_guard<G...>) {}
    static void Done(const char *name, const Extras &e, OwhFnDef def) {
        if (e.n != 0 && e.n != e.max) {
            def.drop(def.self);
            throw c10::Error(std::string("m.def(\"") + name + "\"): the number of py::arg differs from the number of parameters");
        }
        def.doc = e.doc;
        owh_binding_def(&def);
    }

    template <class R, class... A, class... Extra> static void Bind(const char *name, R (*f)(A...), const Extra &...extra) {
        Add<R (*)(A...), R, A...>(name, f, extra...);
    }
    template <class F, class... Extra> static void Bind(const char *name, F f, const Extra &...extra) {
        Member(name, f, &F::operator(), extra...);
    }
    template <class F, class R, class... A, class... Extra>
    static void Member(const char *name, const F &f, R (F::*)(A...) const, const Extra &...extra) {
        Add<F, R, A...>(name, f, extra...);
    }
    template <class F, class R, class... A, class... Extra> static void Add(const char *name, F f, const Extra &...extra) {
        OwhFnParam params[sizeof...(A) + 1] = {{nullptr, detail::Caster<std::decay_t<A>>::name, nullptr}...};
        Extras e = {"", params, 0, sizeof...(A)};
        (Take(e, extra), ...);
        using B = detail::Bound<F, R, A...>;
        Done(name, e, OwhFnDef{name, "", detail::ResultName<R>::value, params, static_cast<int32_t>(sizeof...(A)), &B::Call,
                               new B{f}, &B::Drop});
    }
    const char *doc_ = "";
};
using module = module_;

namespace detail {
inline int Init(void (*fn)(module_ &), char *text, size_t n_text) {
    try {
        module_ m;
        fn(m);
        return 0;
    } catch (const std::exception &e) {
        return CopyText(text, n_text, e.what());
    } catch (...) {
        return CopyText(text, n_text, "an exception that is not a std::exception");
    }
}
} // namespace detail
} // namespace pybind11

namespace py = pybind11;

#define PYBIND11_MODULE(name, variable, ...)                                                                 \
    static void owh_pybind_module(::pybind11::module_ &);                                                    \
    extern "C" OWH_API int owh_binding_init(char *text, size_t n_text) {                                     \
        return ::pybind11::detail::Init(&owh_pybind_module, text, n_text);                                   \
    }                                                                                                        \
    static void owh_pybind_module([[maybe_unused]] ::pybind11::module_ &variable)

#endif
