/* Reads the files a request names, inside the root folder when the service has one. */
#ifndef OPWRIGHT_SERVER_SOURCE_H
#define OPWRIGHT_SERVER_SOURCE_H

#include "base/arena.h"
#include "base/err.h"

#define SOURCE_MAX_BYTES (8u << 20)

typedef struct SourceRoot {
    const char *path; /* NULL: files may lie anywhere; else absolute, without symlinks */
    int fd;           /* of that folder, -1 without one */
} SourceRoot;

/* path may be NULL. The descriptor is the caller's to close. */
bool source_root_open(Arena *a, const char *path, SourceRoot *root, Err *err) ERR_CHECKED;
/* Absolute form of a path as asked: relative ones start at the root, else at the working folder. */
const char *source_absolute(Arena *a, const SourceRoot *root, const char *path);
/* The file's text. With a root, no symlink and no ".." leads out of it, also not one put there while this
 * runs, and the error never says what lies outside. err->where is left empty. */
char *source_read(Arena *a, const SourceRoot *root, const char *path, Err *err) ERR_CHECKED;
/* imports.c: a digest of the Python files in the file's own folder that `text`, its contents, takes in, and those that
 * these take in; NULL when there are none. */
const char *source_imports(Arena *a, const SourceRoot *root, const char *path, const char *text);

#endif
