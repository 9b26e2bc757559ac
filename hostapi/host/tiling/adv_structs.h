/* The tiling structures of the high-level APIs: classes with setters in optiling, plain structures in AscendC::tiling. */
#ifndef OPWRIGHT_HOSTAPI_ADV_STRUCTS_H
#define OPWRIGHT_HOSTAPI_ADV_STRUCTS_H

#include "../../../device/ow/tiling_structs.h"
#include "../register/tilingdata_base.h"

namespace AscendC {
namespace tiling {
#define OWH_FIELD(type, name) type name = 0;
#define OWH_STRUCT(name)                                                                                     \
    struct alignas(8) name {                                                                                 \
        OW_FIELDS_##name(OWH_FIELD)                                                                          \
    };
OW_TILING_STRUCTS(OWH_STRUCT)
#undef OWH_STRUCT
#undef OWH_FIELD
} // namespace tiling
} // namespace AscendC

namespace optiling {
#define OWH_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name)
#define OWH_GET(type, name) plain.name = get_##name();
#define OWH_SET(type, name) set_##name(plain.name);
#define OWH_STRUCT(name)                                                                                     \
    BEGIN_TILING_DATA_DEF(name)                                                                              \
    OW_FIELDS_##name(OWH_FIELD) void OwhRead(::AscendC::tiling::name &plain) const { OW_FIELDS_##name(OWH_GET) } \
    void OwhWrite(const ::AscendC::tiling::name &plain) { OW_FIELDS_##name(OWH_SET) }                        \
    END_TILING_DATA_DEF;
OW_TILING_STRUCTS(OWH_STRUCT)
#undef OWH_STRUCT
#undef OWH_SET
#undef OWH_GET
#undef OWH_FIELD
} // namespace optiling

#endif
