/* Where the memory of past work lies, and how its files are read and written: whole or not at all, one writer
 * at a time, and nothing that cannot be read is written over (docs/memory.md). */
#ifndef OPWRIGHT_STORE_STORE_H
#define OPWRIGHT_STORE_STORE_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

/* $ASCEND_SKILL_ROOT, else opwright's folder under $XDG_DATA_HOME (~/.local/share). Absolute; need not be
 * there. */
const char *store_root(Arena *a, Err *err) ERR_CHECKED;
const char *store_absolute(Arena *a, const char *path);
/* An operator's name becomes a file's: no separators, no control characters, valid UTF-8, 1 to 200 bytes, no
 * dot or dash in front. */
bool store_check_op(const char *op, Err *err) ERR_CHECKED;
/* Now, in UTC: "2026-03-09T17:18:25Z". */
const char *store_stamp(Arena *a);
/* First 16 hexadecimal digits of the SHA-256, and all 64. */
const char *store_hash16(Arena *a, const void *data, size_t n_bytes);
const char *store_hash(Arena *a, const void *data, size_t n_bytes);

/* Waits for the lock file (made when missing, with its folder); the kernel frees it when its holder dies. -1
 * after an error. */
int store_lock(const char *lock_path, Err *err) ERR_CHECKED;
void store_unlock(int fd);

/* The file as JSON. *out is NULL and the result true when there is no such file. False: it is no JSON, with
 * file and line. */
bool store_read_json(Arena *a, const char *path, json_t **out, Err *err) ERR_CHECKED;
/* The same from text in memory that came from `path`. */
json_t *store_parse_json(const char *path, const char *text, size_t n_bytes, Err *err) ERR_CHECKED;
bool store_write_json(Arena *a, const char *path, const json_t *o, int n_indent, Err *err) ERR_CHECKED;
/* Keeps the bytes of a file that cannot be used under a name of their own beside it, and gives the name: a
 * second call with the same bytes gives the same. */
const char *store_keep_aside(Arena *a, const char *path, const char *bytes, size_t n_bytes,
                             Err *err) ERR_CHECKED;
/* The part of a path before the last slash, "." without one. */
const char *store_dir_of(Arena *a, const char *path);

#endif
