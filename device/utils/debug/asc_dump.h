/* asc_dump, under the vendor's name of its header: elements at an address in global memory or UB. HW: asc_dump page. */
#ifndef OW_ASC_DUMP_H
#define OW_ASC_DUMP_H

#include "kernel_operator.h"

#ifdef OW_LANG_PASS /* pointers to different memories are different types there */
#define OW_ASC_DUMP(name, space) template <typename T> inline void name(space T *, uint32_t, uint32_t) {}
OW_ASC_DUMP(asc_dump, __gm__)
OW_ASC_DUMP(asc_dump, __ubuf__)
OW_ASC_DUMP(asc_dump_gm, __gm__)
OW_ASC_DUMP(asc_dump_ubuf, __ubuf__)
#else
#define OW_ASC_DUMP(name)                                                                                            \
    template <typename T> inline void name(T *input, uint32_t desc, uint32_t dump_size, OW_LOC)                      \
    {                                                                                                                \
        if (OW_DUMP_ON) ow_dump_at(#name, AscendC::ow_id<T>, input, desc, dump_size, ow_loc);                        \
    }
OW_ASC_DUMP(asc_dump)
OW_ASC_DUMP(asc_dump_gm)
OW_ASC_DUMP(asc_dump_ubuf)
#endif
#undef OW_ASC_DUMP

#endif
