/* Small changes as a model writes them:
 *
 *   <<<<<<< SEARCH
 *   lines as they stand in the file, once
 *   =======
 *   lines that take their place
 *   >>>>>>> REPLACE
 *
 * Several of them; anything around them is talk. */
#ifndef OPWRIGHT_IMPROVE_PATCH_H
#define OPWRIGHT_IMPROVE_PATCH_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/* The text with all changes made. NULL and *err, in words for the model: none is there, one is not closed,
 * does not fit or fits twice, nothing changes, or more than half of the lines do. */
char *patch_apply(Arena *a, const char *text, const char *answer, size_t *n_changes, Err *err) ERR_CHECKED;

#endif
