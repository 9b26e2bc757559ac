/* clock, under the vendor's name of its header. HW: clock page. */
#ifndef OW_ASC_TIME_H
#define OW_ASC_TIME_H

#include "kernel_operator.h"

/* Cycles since the program began. */
inline int64_t clock()
{
    return ow_system_cycle();
}

#endif
