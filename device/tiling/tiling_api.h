/* The kernel's reading of a tiling header that names structures of the high-level APIs. */
#ifndef OW_DEVICE_TILING_API_H
#define OW_DEVICE_TILING_API_H

#include "register/tilingdata_base.h"

#endif
