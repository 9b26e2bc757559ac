/* The entry header of the vendor's tiling helpers: platform figures, tiling structures, the helpers of the high-level APIs on
 * the vector side. Those of the matrix side are not modelled: a source that uses them does not compile. */
#ifndef OPWRIGHT_HOSTAPI_TILING_API_H
#define OPWRIGHT_HOSTAPI_TILING_API_H

#include "register/tilingdata_base.h"
#include "tiling/adv_helpers.h"
#include "tiling/platform/platform_ascendc.h"

#endif
