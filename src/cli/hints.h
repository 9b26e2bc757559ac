/* The three most useful things that are known about a failure, after everything else that is printed. They
 * never change a verdict, and cost next to nothing: a stale index is brought up to date by a child while the
 * long work runs. OPWRIGHT_HINTS=0 switches them off. */
#ifndef OPWRIGHT_CLI_HINTS_H
#define OPWRIGHT_CLI_HINTS_H

#include "base/arena.h"
#include "base/err.h"
#include "search/search.h"

#include <jansson.h>
#include <stdio.h>

/* Where the index and what it is made of lie, for this process. */
bool hints_places(Arena *a, SearchPlaces *out, Err *err) ERR_CHECKED;
/* Before long work. */
void hints_prepare(void);
/* What is known about the errors of a result (docs/result.md), or about the text of an error; `op` may be
 * NULL. Prints nothing when nothing fits. */
void hints_for_result(FILE *to, const char *op, const json_t *result);
void hints_for_error(FILE *to, const char *op, const Err *err);

#endif
