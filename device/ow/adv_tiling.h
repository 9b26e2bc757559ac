/* The tiling structures of the high-level APIs as kernels see them. */
#ifndef OW_ADV_TILING_H
#define OW_ADV_TILING_H

#include "tiling_structs.h"

#include <stdint.h>

#define OW_TILING_FIELD(type, name) alignas(sizeof(type)) type name = {};
#define OW_TILING_STRUCT(name)                                                                                       \
    struct alignas(8) name {                                                                                         \
        OW_FIELDS_##name(OW_TILING_FIELD)                                                                            \
    };
namespace AscendC {
namespace tiling {
OW_TILING_STRUCTS(OW_TILING_STRUCT)
} // namespace tiling
} // namespace AscendC
#undef OW_TILING_STRUCT
#undef OW_TILING_FIELD

#define OW_TILING_USE(name) using AscendC::tiling::name;
OW_TILING_STRUCTS(OW_TILING_USE)
namespace optiling {
OW_TILING_STRUCTS(OW_TILING_USE)
}
#undef OW_TILING_USE

#endif
