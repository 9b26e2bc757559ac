/* Unified diffs of two texts: made by libgit2, and put back on strictly. */
#ifndef OPWRIGHT_STORE_DIFF_H
#define OPWRIGHT_STORE_DIFF_H

#include "base/arena.h"
#include "base/err.h"

/* "--- from_name", "+++ to_name", then hunks with three lines of context; empty for equal texts. */
char *diff_unified(Arena *a, const char *from, const char *to, const char *from_name, const char *to_name,
                   Err *err) ERR_CHECKED;
/* `from` with the diff applied. NULL: the diff is damaged, or its lines are not those of `from` at the places
 * it names. */
char *diff_apply(Arena *a, const char *from, const char *diff, Err *err) ERR_CHECKED;
/* The diff behind its two lines of names: what two diffs must share to be the same change. */
const char *diff_body(const char *diff);

#endif
