/* JSON as text: a strict look at a large object without building it, replacing one member in place, and
 * printing the way Python's json module does, so that files shared with Python tools change only where
 * something changed. */
#ifndef OPWRIGHT_STORE_JSON_TEXT_H
#define OPWRIGHT_STORE_JSON_TEXT_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

/* What a look at the top-level object of a text found. Offsets are bytes from its start. */
typedef struct JsonTop {
    size_t n_members;
    size_t open;        /* of the '{' */
    size_t members_end; /* end of the last whole member's value; 0: no member */
    bool found;         /* the key asked for; of several equal ones the last counts, as in Python */
    size_t key_at, value_at, value_end;
} JsonTop;

/* Checks the whole text (RFC 8259, UTF-8, an object on top) and looks for `key`. False: *err has the line,
 * and *top what was whole before it. */
bool json_top_scan(const char *text, size_t n_bytes, const char *key, JsonTop *top, Err *err) ERR_CHECKED;
/* The text with `value` under `key`: in the old one's place, or as the last member. n_indent: spaces of a
 * level. `top` is of this text and key. */
char *json_top_set(Arena *a, const char *text, size_t n_bytes, const JsonTop *top, const char *key,
                   const json_t *value, int n_indent, size_t *n_out);
/* The text without the member that was found. */
char *json_top_remove(Arena *a, const char *text, size_t n_bytes, const JsonTop *top, size_t *n_out);

/* As json.dumps(o, indent=n_indent, ensure_ascii=False) writes it: the shortest digits that read back, no
 * line end. `depth`: levels it stands below the top already. */
char *json_text_print(Arena *a, const json_t *o, int n_indent, int depth);

#endif
