/* Files that gen may write again: a description carries a line that says which reference it came from and a
 * sum of the rest, so that one a person wrote or edited is not lost. */
#ifndef OPWRIGHT_CLI_OWN_FILE_H
#define OPWRIGHT_CLI_OWN_FILE_H

#include "base/arena.h"
#include "base/err.h"

/* The text with the line as its second. `reference` is a path; only its file name is written. */
const char *own_file_mark(Arena *a, const char *text, const char *reference);
/* True when nothing is at `path`, or what own_file_mark made of the same reference and nobody has edited
 * since. */
bool own_file_may_replace(Arena *a, const char *path, const char *reference, Err *err) ERR_CHECKED;

#endif
