/* Marks casts that make an instruction's argument narrow, so that one that loses digits is told when the kernel runs. */
#ifndef OPWRIGHT_VERIFY_NARROW_H
#define OPWRIGHT_VERIFY_NARROW_H

#include "base/arena.h"

/* kernel_src with OW_NARROW and OW_INTO (device/ow/narrow.h) put into casts to uint8_t and uint16_t that an AscendC call, one of its
 * structures of parameters, a field of one, or a variable given to one takes. Lines stay as they are. Takes any text. */
const char *narrow_marks(Arena *a, const char *kernel_src);

#endif
