/* The entry header of the vendor's tiling helpers. Modelled so far: the platform figures and tiling structures. The
 * helpers of the high-level API (matmul, softmax, reductions) are not; a source that uses them does not compile. */
#ifndef OPWRIGHT_HOSTAPI_TILING_API_H
#define OPWRIGHT_HOSTAPI_TILING_API_H

#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#endif
