/* Cases of other shapes than a reference file's own, for any reference: sizes that are equal stay equal,
 * those of 1 stay 1 (they broadcast), and what the reference itself refuses is left out. */
#ifndef OPWRIGHT_STORE_FRESH_H
#define OPWRIGHT_STORE_FRESH_H

#include "base/arena.h"
#include "base/err.h"
#include "bridge/bridge.h"
#include "verify/verify.h"

typedef struct FreshCases {
    VerifyCase *at;
    size_t n; /* 0: the reference takes no other shapes */
} FreshCases;

bool fresh_cases(Arena *a, Bridge *b, const char *reference_path, FreshCases *out, Err *err) ERR_CHECKED;
void fresh_cases_clear(FreshCases *cases);

#endif
