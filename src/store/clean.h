/* Takes away what finished or dead jobs left: temporary folders of opwright, and build folders of the
 * existing skill. Nothing else, nothing that is in use, and nothing that a user asked to keep. */
#ifndef OPWRIGHT_STORE_CLEAN_H
#define OPWRIGHT_STORE_CLEAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

typedef enum { CLEAN_REMOVED, CLEAN_IN_USE, CLEAN_YOUNG, CLEAN_FOREIGN, CLEAN_KEPT, CLEAN_FAILED } CleanFate;
const char *clean_fate_text(CleanFate fate);

typedef struct CleanOptions {
    const char *temp_dir;   /* where opwright's own lie; NULL: not these */
    const char *skill_root; /* its scripts/multi-kernel-bench/tmp; NULL: not these */
    const char *op;         /* of the skill's only those of this operator; NULL: all */
    bool builds;            /* also what --keep-build left */
    bool dry_run;           /* only say what would go */
    void (*on_folder)(void *ctx, const char *path, CleanFate fate);
    void *ctx;
} CleanOptions;

/* *n_removed counts what went (or would). False when a folder cannot be read or removed; the others are done.
 */
bool clean_run(Arena *a, const CleanOptions *o, size_t *n_removed, Err *err) ERR_CHECKED;

#endif
