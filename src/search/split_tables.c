/* Lessons and tables: JSON lists, JSON lines, and text with tabs. An entry's body is made for reading, with
 * the line of the file where its record begins. */
#include "search/split_int.h"

#include "base/strbuf.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const json_t *o, const char *key) {
    const char *t = json_string_value(json_object_get(o, key));
    return t && *t ? t : NULL;
}

static const char *first_of(const json_t *o, const char *const *keys) {
    for (; *keys; keys++)
        if (text_of(o, *keys)) return text_of(o, *keys);
    return NULL;
}

/* One line, cut at a character's border. */
static const char *one_line(Arena *a, const char *text, size_t max) {
    text += strspn(text, " \t\r\n");
    size_t n = strcspn(text, "\r\n");
    if (n > max) {
        n = max;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    }
    return arena_strndup(a, text, n);
}

/* ---- lines of records ------------------------------------------------------------------------ */

/* Lines on which the members of a JSON list begin. */
typedef struct Places {
    size_t at, line;
    int depth;
} Places;

/* Moves to the first byte of the next member of the outermost list, which is text that jansson has taken. */
static size_t next_member(const Split *s, Places *p, size_t *last_line) {
    bool in_string = false, found = false;
    size_t begins = 0;
    for (; p->at < s->n; p->at++) {
        char c = s->text[p->at];
        if (c == '\n') p->line++;
        if (in_string) {
            if (c == '\\') p->at++;
            else if (c == '"') in_string = false;
            continue;
        }
        if (c == '"') in_string = true;
        if (c == '{' || c == '[') {
            if (p->depth++ == 1 && c == '{' && !found) found = true, begins = p->line;
        } else if (c == '}' || c == ']') {
            if (--p->depth == 1 && found) {
                p->at++;
                *last_line = p->line;
                return begins;
            }
        }
    }
    *last_line = p->line;
    return found ? begins : 0;
}

/* ---- lessons --------------------------------------------------------------------------------- */

/* The changed lines of a diff, which say more than what stands around them. */
static void add_changes(StrBuf *b, const char *diff) {
    size_t kept = 0;
    while (diff && *diff && kept < 8192) {
        size_t n = strcspn(diff, "\n");
        if ((*diff == '+' || *diff == '-') && strncmp(diff, "+++", 3) != 0 && strncmp(diff, "---", 3) != 0 &&
            n > 1) {
            strbuf_addn(b, diff, n);
            strbuf_add(b, "\n");
            kept += n;
        }
        diff += n;
        if (*diff) diff++;
    }
}

static void add_lesson(Split *s, const json_t *o, size_t line, size_t last_line) {
    StrBuf b;
    strbuf_init(&b, s->a);
    const char *summary = text_of(o, "summary"), *error = text_of(o, "error"), *op = text_of(o, "op");
    if (summary) strbuf_printf(&b, "%s\n", summary);
    if (error) {
        size_t n = strlen(error);
        strbuf_addn(&b, error, n < 8192 ? n : 8192);
        strbuf_add(&b, "\n");
    }
    add_changes(&b, text_of(o, "code_diff"));
    const char *title = one_line(s->a, summary ? summary : error ? error : s->stem, 200);
    split_add_entry(s, (SplitEntry){.name = op ? arena_strdup(s->a, op) : s->stem,
                                    .title = title,
                                    .body = b.text,
                                    .first_line = line,
                                    .n_lines = last_line - line + 1,
                                    .is_record = true});
}

static bool is_lesson(const json_t *o) {
    return text_of(o, "error") || text_of(o, "summary") || text_of(o, "code_diff");
}

static void add_record(Split *s, const json_t *o, size_t line, size_t last_line);

void split_json(Split *s) {
    json_error_t e;
    json_t *list = json_loadb(s->text, s->n, 0, &e);
    if (!list) {
        s->out->fault = arena_printf(s->a, "is not JSON: %s (line %d)", e.text, e.line);
        return;
    }
    Places p = {.line = 1};
    const json_t *o;
    size_t i;
    if (json_is_array(list)) json_array_foreach(list, i, o) {
            size_t last = 1, line = json_is_object(o) ? next_member(s, &p, &last) : 0;
            if (line == 0) continue;
            if (is_lesson(o)) add_lesson(s, o, line, last);
            else if (text_of(o, "api")) add_record(s, o, line, last);
        }
    json_decref(list);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void add_value(StrBuf *b, const char *key, const json_t *v) {
    if (json_is_string(v)) {
        if (*json_string_value(v)) strbuf_printf(b, "%s: %s\n", key, json_string_value(v));
        return;
    }
    char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
    if (text && !json_is_null(v)) strbuf_printf(b, "%s: %s\n", key, text);
    free(text);
}

/* A row of a table: its name, and every field on a line. */
static void add_record(Split *s, const json_t *o, size_t line, size_t last_line) {
    static const char *const NAMES[] = {"api", "name", "names", "title", NULL};
    static const char *const TITLES[] = {"form", "page", "title", "group", NULL};
    const char *name = first_of(o, NAMES), *title = first_of(o, TITLES);
    if (!name) return;
    StrBuf b;
    strbuf_init(&b, s->a);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)o, key, v) add_value(&b, key, v);
    SearchKind kind = s->kind;
    if (!s->forced) s->kind = SEARCH_API;
    const char *own = arena_strdup(s->a, name),
               *shown = title ? arena_printf(s->a, "%s: %s", name, one_line(s->a, title, 160)) : own;
    split_add_entry(s, (SplitEntry){.name = own,
                                    .title = shown,
                                    .body = b.text,
                                    .first_line = line,
                                    .n_lines = last_line - line + 1,
                                    .is_record = true});
    s->kind = kind;
}

void split_jsonl(Split *s) {
    size_t line = 1;
    for (size_t at = 0; at < s->n; line++) {
        size_t end = split_line_end(s, at);
        json_error_t e;
        json_t *o = json_loadb(s->text + at, end - at, 0, &e);
        if (json_is_object(o)) add_record(s, o, line, line);
        else if (!o && end - at > 1 && !s->out->fault)
            s->out->fault = arena_printf(s->a, "line %zu is not JSON: %s", line, e.text);
        json_decref(o);
        at = end;
    }
}

/* Cells of a line, at most `max`; the text is cut up. */
static size_t cut_cells(char *line, char **cell, size_t max) {
    size_t n = 0;
    for (char *rest = line, *c; n < max && (c = strsep(&rest, "\t"));) cell[n++] = c;
    return n;
}

#define CELLS_MAX 64

/* The first line that is no comment has the columns' names. */
void split_tsv(Split *s) {
    char *head[CELLS_MAX], *cell[CELLS_MAX];
    size_t n_head = 0, line = 1;
    for (size_t at = 0; at < s->n; line++) {
        size_t end = split_line_end(s, at);
        char *text = arena_strndup(s->a, s->text + at, end - at);
        text[strcspn(text, "\r\n")] = '\0';
        at = end;
        if (!*text || *text == '#') continue;
        if (n_head == 0) {
            n_head = cut_cells(text, head, CELLS_MAX);
            continue;
        }
        size_t n = cut_cells(text, cell, CELLS_MAX);
        json_t *o = json_object();
        for (size_t i = 0; i < n && i < n_head; i++) json_object_set_new(o, head[i], json_string(cell[i]));
        add_record(s, o, line, line);
        json_decref(o);
    }
}
