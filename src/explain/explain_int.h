/* Shared by the files of explain only. */
#ifndef OPWRIGHT_EXPLAIN_EXPLAIN_INT_H
#define OPWRIGHT_EXPLAIN_EXPLAIN_INT_H

#include "explain/explain.h"

typedef VEC(ExplainMatch) MatchList;

/* ---- own.c: results of our own. */
/* When the text is a JSON object or list: its texts, one per line, and the entries of its "checks" into
 * `found`. NULL when it is no JSON. */
char *own_flatten(Arena *a, const char *text, size_t n_bytes, MatchList *found);
/* A line of our own summary, "error kernel_src:12: [check-id] text". */
bool own_line(Arena *a, const char *line, ExplainMatch *m);

/* ---- facts.c: counts cores, program counters and blocks of device reports. */
typedef struct Facts Facts;
Facts *facts_new(Arena *a);
void facts_line(Facts *f, const char *line);
void facts_print(Arena *a, const Facts *f, const char *out[EXPLAIN_N_LANGS]);

/* Text that can be shown: valid UTF-8, no control characters, around byte `at` of a long line. */
const char *excerpt_of(Arena *a, const char *line, size_t at);

#endif
