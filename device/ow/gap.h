/* Declares a function that the simulator does not model: any arguments, any template arguments of the shapes AscendC uses.
 * A real overload is always the better match: here every argument goes through a conversion. */
#ifndef OW_GAP_H
#define OW_GAP_H

#include "ow/base.h"

namespace AscendC {

struct OwAny { /* takes any argument, also a braced list */
    template <typename... A> OwAny(A &&...) {}
};
struct OwNoValue { /* what such a function gives: whatever is asked for */
    template <typename T> operator T() const { return T(); }
};

#define OW_GAP_ONE(name, ...)                                                                                        \
    template <__VA_ARGS__>                                                                                           \
    inline OwNoValue name(OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(),       \
                          OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(),       \
                          OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(), OwAny = OwAny(),       \
                          OwAny = OwAny(), OW_LOC)                                                                   \
    {                                                                                                                \
        ow_not_modelled(#name, ow_loc);                                                                              \
        return OwNoValue();                                                                                          \
    }
/* No type parameter before a pack of types is ever deduced: the form without explicit ones is the last. */
#define OW_GAP(name)                                                                                                 \
    OW_GAP_ONE(name, typename T0, auto... V)                                                                         \
    OW_GAP_ONE(name, typename T0, typename T1, auto... V)                                                            \
    OW_GAP_ONE(name, typename T0, typename T1, typename T2, auto... V)                                               \
    OW_GAP_ONE(name, typename T0, typename T1, typename T2, typename T3, auto... V)                                  \
    OW_GAP_ONE(name, auto V0, typename T0, auto... V)                                                                \
    OW_GAP_ONE(name, auto V0, typename T0, typename T1, auto... V)                                                   \
    OW_GAP_ONE(name, auto... V)

} // namespace AscendC
#endif
