/* A table of text columns for the terminal: widths follow the content (display width, so Chinese lines up
 * too). */
#ifndef OPWRIGHT_CLI_TABLE_H
#define OPWRIGHT_CLI_TABLE_H

#include "base/arena.h"

#include <stdio.h>

typedef struct Table Table;

/* `heads` are n_columns texts. The table lives in the arena. */
Table *table_new(Arena *a, size_t n_columns, const char *const *heads);
/* Adds a row of n_columns texts; they are borrowed. */
void table_row(Table *t, const char *const *cells);
void table_print(const Table *t, FILE *to);

#endif
