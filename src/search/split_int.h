/* Shared by the files of split*.c. */
#ifndef OPWRIGHT_SEARCH_SPLIT_INT_H
#define OPWRIGHT_SEARCH_SPLIT_INT_H

#include "search/split.h"

typedef struct Split {
    Arena *a;
    const char *path, *stem; /* file name without folder, leading number and ending */
    const char *text;
    size_t n;
    SearchKind kind;
    bool forced; /* the kind is the user's */
    SplitList *out;
} Split;

#define FORMAT(ending, function, kind) void function(Split *s);
#include "search/formats.def"
#undef FORMAT

/* Adds lines [first, first + n_lines) of the text, `at` .. `end` in bytes; blank ones at both ends are
 * dropped, and nothing is added when none is left. Divides what is longer than an entry may be. */
void split_add(Split *s, const char *name, const char *title, size_t at, size_t end, size_t first_line);
void split_add_entry(Split *s, SplitEntry e);         /* its kind is the file's */
size_t split_count_lines(const char *text, size_t n); /* line ends in it */
/* End of the line that begins at or holds `at`: the place behind its '\n'. */
size_t split_line_end(const Split *s, size_t at);

#endif
