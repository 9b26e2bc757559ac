/* Tables for the terminal. */
#include "cli/table.h"

#include <stdbool.h>
#include <string.h>

struct Table {
    Arena *arena;
    size_t n_columns;
    VEC(const char **) rows; /* the first is the head */
};

/* Columns a UTF-8 text takes on a terminal: wide for CJK and full-width forms, one otherwise. */
static size_t display_width(const char *text) {
    size_t width = 0;
    for (const unsigned char *p = (const unsigned char *)text; *p;) {
        unsigned lead = *p++;
        unsigned more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
        unsigned code = more == 3 ? lead & 7u : more == 2 ? lead & 15u : more == 1 ? lead & 31u : lead;
        while (more-- && (*p & 0xc0) == 0x80) code = code << 6 | (*p++ & 63u);
        bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xa4cf) ||
                    (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) ||
                    (code >= 0xfe30 && code <= 0xfe6f) || (code >= 0xff00 && code <= 0xff60);
        width += wide ? 2 : 1;
    }
    return width;
}

Table *table_new(Arena *a, size_t n_columns, const char *const *heads) {
    Table *t = ARENA_NEW(a, Table);
    t->arena = a;
    t->n_columns = n_columns;
    table_row(t, heads);
    return t;
}

void table_row(Table *t, const char *const *cells) {
    const char **row = ARENA_ARRAY(t->arena, t->n_columns, const char *);
    for (size_t c = 0; c < t->n_columns; c++) row[c] = cells[c];
    vec_push(t->arena, &t->rows, row);
}

static void print_padded(FILE *to, const char *text, size_t width, char fill) {
    fputs(text, to);
    for (size_t w = display_width(text); w < width; w++) fputc(fill, to);
}

void table_print(const Table *t, FILE *to) {
    size_t *width = ARENA_ARRAY(t->arena, t->n_columns, size_t);
    for (size_t r = 0; r < t->rows.n; r++)
        for (size_t c = 0; c < t->n_columns; c++) {
            size_t w = display_width(t->rows.at[r][c]);
            if (w > width[c]) width[c] = w;
        }
    for (size_t r = 0; r < t->rows.n; r++) {
        for (size_t c = 0; c < t->n_columns; c++)
            if (c + 1 == t->n_columns) fprintf(to, "%s\n", t->rows.at[r][c]);
            else print_padded(to, t->rows.at[r][c], width[c] + 2, ' ');
        for (size_t c = 0; r == 0 && c < t->n_columns; c++) {
            print_padded(to, "", width[c], '-');
            fputs(c + 1 == t->n_columns ? "\n" : "  ", to);
        }
    }
}
