/* clock and asc_prof_start, under the vendor's name of its header. HW: clock page. */
#ifndef OW_ASC_TIME_H
#define OW_ASC_TIME_H

#include "kernel_operator.h"

/* Cycles since the program began. */
inline int64_t clock()
{
    return ow_system_cycle();
}

/* HW: asc_prof_start page: the range a profiler on the card looks at; nothing else. */
inline void asc_prof_start(OW_LOC) { ow_hint("asc_prof_start", ow_loc); }
inline void asc_prof_stop(OW_LOC) { ow_hint("asc_prof_stop", ow_loc); }

#endif
