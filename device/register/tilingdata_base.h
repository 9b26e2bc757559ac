/* Tiling data as the kernel sees it: the text that defines the host's class defines a plain struct of the same layout.
 * HW: tiling data macros: every scalar aligned to its own size, arrays to the element, nested structs to 8, the whole
 * padded to a multiple of 8. */
#ifndef OW_DEVICE_TILINGDATA_BASE_H
#define OW_DEVICE_TILINGDATA_BASE_H

#include "ow/adv_tiling.h"

#include <stddef.h>
#include <stdint.h>

#define BEGIN_TILING_DATA_DEF(name) struct alignas(8) name {
#define TILING_DATA_FIELD_DEF(type, name) alignas(sizeof(type)) type name
#define TILING_DATA_FIELD_DEF_ARR(type, count, name) alignas(sizeof(type)) type name[count]
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) alignas(8) type name
#define END_TILING_DATA_DEF }
/* GET_TILING_DATA finds the struct of its operator by this name. */
#define REGISTER_TILING_DATA_CLASS(op, type) using OwTilingOf_##op = type;

/* The kernel names the structs without the host's namespace. */
namespace optiling {
}
using namespace optiling;

#endif
