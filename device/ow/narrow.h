/* Casts of instruction arguments, as src/verify/narrow.c marks them in a kernel: `(uint8_t)OW_NARROW(uint8_t) n` is (uint8_t)n,
 * `uint8_t r = OW_INTO(uint8_t) n` is uint8_t r = n; both tell when n does not fit. */
#ifndef OW_NARROW_H
#define OW_NARROW_H

#include "abi.h"
#include <type_traits>

template <typename T> struct OwNarrow {
    T value;
    template <typename U> constexpr OwNarrow(U from, OwLoc loc = {__builtin_FILE(), (uint32_t)__builtin_LINE()}) : value(Cut(from, loc)) {}
    constexpr operator T() const { return value; }

    template <typename U> static constexpr T Cut(U from, OwLoc loc)
    {
        T to = static_cast<T>(from);
        if constexpr (std::is_integral<U>::value)
            if (static_cast<U>(to) != from) ow_narrowed(sizeof(T) == 1 ? "uint8_t" : "uint16_t", (int64_t)from, (int64_t)to, loc);
        return to;
    }
};

template <typename T> struct OwInto {
    OwLoc loc;
    constexpr OwInto(OwLoc at = {__builtin_FILE(), (uint32_t)__builtin_LINE()}) : loc(at) {}
    template <typename U> constexpr T operator=(U from) const { return OwNarrow<T>::Cut(from, loc); }
};

#ifdef OW_LANG_PASS /* the device's compiler sees the kernel as it is */
#define OW_NARROW(T)
#define OW_NARROW_TYPE(T) T
#define OW_INTO(T)
#else
#define OW_NARROW(T) (OwNarrow<T>)
#define OW_NARROW_TYPE(T) OwNarrow<T>
#define OW_INTO(T) OwInto<T>() =
#endif

#endif
