/* The tiling structures of the high-level APIs, under the name kernels include. */
#ifndef OW_KERNEL_TILING_H
#define OW_KERNEL_TILING_H

#include "ow/adv_tiling.h"

#endif
