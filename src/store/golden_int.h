/* Shared by the files of the golden store. */
#ifndef OPWRIGHT_STORE_GOLDEN_INT_H
#define OPWRIGHT_STORE_GOLDEN_INT_H

#include "store/golden.h"

#include "store/json_text.h"

#define GOLDEN_INFO_INDENT 4 /* as the existing tools write info.json */

/* info.json as text, checked. A file that cannot be read is copied aside, and `text` holds what was whole in
 * it together with what the versions know; broken_note says so. */
typedef struct GoldenInfo {
    const char *path;
    const char *text;
    size_t n_bytes;
    JsonTop top; /* of the operator asked for */
    const char *broken_note;
} GoldenInfo;
bool golden_info_read(Arena *a, const char *dir, const char *op, GoldenInfo *info, Err *err) ERR_CHECKED;
/* The operator's member; NULL when it has none. Caller decrefs. */
json_t *golden_info_item(const GoldenInfo *info);

int golden_lock(Arena *a, const char *dir, Err *err) ERR_CHECKED;
const char *golden_code_path(Arena *a, const char *dir, const char *op);
const char *golden_version_path(Arena *a, const char *dir, const char *op, const char *hash,
                                const char *suffix);
/* The record of a version, new when there is none. NULL after an error. Caller decrefs. */
json_t *golden_record_read(Arena *a, const char *dir, const char *op, const char *hash, Err *err) ERR_CHECKED;
bool golden_record_write(Arena *a, const char *dir, const char *op, const char *hash, const json_t *record,
                         Err *err) ERR_CHECKED;
/* The result of a record that says most: the fastest measured one, else the last. NULL: it has none. */
const json_t *golden_record_best(const json_t *record);

#endif
