/* A file to entries: what one search result is. A description is one entry, a document gives one for each
 * section, a lesson file one for each lesson, a table one for each row, other code one for each stretch. Pure
 * text work. */
#ifndef OPWRIGHT_SEARCH_SPLIT_H
#define OPWRIGHT_SEARCH_SPLIT_H

#include "base/arena.h"
#include "search/search.h"

typedef struct SplitEntry {
    SearchKind kind;
    const char
        *name; /* operator, API or document: what an exact match is about; several are apart by spaces */
    const char *title, *body;   /* one line; the text that is searched and shown */
    size_t first_line, n_lines; /* in the file, from 1 */
    bool is_record;             /* the body was made from these lines; else it is these lines */
    const char *likeness;       /* of a description: what its kernel is built of (likeness.h); else NULL */
} SplitEntry;

typedef struct SplitList {
    SplitEntry *at;
    size_t n, cap;
    const char *fault; /* why the file could not be read as what it is; NULL: it could */
} SplitList;

#define SPLIT_KIND_AUTO   (-1)
#define SPLIT_FILE_MAX    (4u << 20) /* bytes; larger files are left out */
#define SPLIT_ENTRY_LINES 80         /* a longer section or stretch of code is divided */
#define SPLIT_ENTRY_BYTES (64u << 10)

/* True when a file of that name may hold entries. */
bool split_wants(const char *path);
/* `text` is NUL-terminated. `kind` overrides what the file seems to be, where it makes sense. All belongs to
 * the arena. */
void split_file(Arena *a, const char *path, const char *text, size_t n_bytes, int kind, SplitList *out);

#endif
