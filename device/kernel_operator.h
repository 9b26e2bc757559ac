/* The AscendC device API, over abi.h. See README.md for how a kernel is compiled against it. */
#ifndef OW_KERNEL_OPERATOR_H
#define OW_KERNEL_OPERATOR_H

#include "ow/base.h"
#include "ow/narrow.h"
#include "ow/std.h"
#include "ow/tensor.h"
#include "ow/pipe.h"
#include "ow/vector.h"
#include "ow/quant.h"
#include "ow/limits.h"
#include "ow/cmpsel.h"
#include "ow/reduce.h"
#include "ow/layout.h"
#include "ow/adv.h"
#include "ow/adv_softmax.h"
#include "ow/adv_norm.h"
#include "ow/adv_reduce.h"
#include "ow/adv_pair.h"
#include "ow/adv_sort.h"
#include "ow/adv_shape.h"
#include "ow/adv_trans.h"
#include "ow/copy.h"
#include "ow/system.h"
#include "ow/list.h"
#include "ow/gaps.h"

#undef OW_L
#undef OW_G
#undef OW_WANT
#undef OW_WANT_PAIR
#undef OW_NONE
#undef OW_TMP
#undef OW_TMP_MUTABLE
#undef OW_NO_TMP
#undef OW_BOTH_TMP

#endif
