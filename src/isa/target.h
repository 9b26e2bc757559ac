/* Targets in any wording. */
#ifndef OPWRIGHT_ISA_TARGET_H
#define OPWRIGHT_ISA_TARGET_H

#include "base/err.h"

typedef struct Target {
    const char *name; /* canonical: "a3", "a5" */
    const char *chip; /* a row of chip.def */
} Target;

/* NULL and *err, which lists what is known, for a wording that no row has. */
const Target *target_find(const char *wording, Err *err) ERR_CHECKED;

#endif
