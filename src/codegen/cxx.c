/* Writing indented text. */
#include "codegen/cxx.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_COLS 120

void cxx_init(Cxx *cx, Arena *a) {
    strbuf_init(&cx->sb, a);
    cx->depth = 0;
}

static char *format(Cxx *cx, const char *fmt, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    if (n < 0) abort();
    char *text = arena_alloc(cx->sb.arena, (size_t)n + 1);
    vsnprintf(text, (size_t)n + 1, fmt, ap);
    return text;
}

static void put(Cxx *cx, int depth, const char *text, size_t n) {
    for (int i = 0; i < depth; i++) strbuf_add(&cx->sb, "    ");
    strbuf_addn(&cx->sb, text, n);
    strbuf_add(&cx->sb, "\n");
}

/* Last place at or before `room` where a break after `mark` is good, not inside a string; 0: none. */
static size_t find_break(const char *text, size_t room, const char *mark) {
    size_t at = 0, n = strlen(mark);
    bool quoted = false;
    for (const char *p = text; *p; p++) {
        if (*p == '"' && (p == text || p[-1] != '\\')) quoted = !quoted;
        if (quoted || strncmp(p, mark, n) != 0) continue;
        if ((size_t)(p - text) + n > room && at) break;
        at = (size_t)(p - text) + n;
    }
    return at && text[at] ? at : 0;
}

static void put_wrapped(Cxx *cx, const char *text) {
    int depth = cx->depth;
    for (;;) {
        size_t room = (size_t)(LINE_MAX_COLS - 4 * depth), n = strlen(text), at = 0;
        const char *comment = strstr(text, "//");
        if (n > room && !(comment && comment < text + 2)) {
            at = find_break(text, room, ", ");
            if (!at) at = find_break(text, room, " + ");
        }
        if (!at) {
            put(cx, depth, text, n);
            return;
        }
        size_t cut = at;
        while (cut > 0 && text[cut - 1] == ' ') cut--;
        put(cx, depth, text, cut);
        text += at;
        depth = cx->depth + 1;
    }
}

void cxx_line(Cxx *cx, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    put_wrapped(cx, format(cx, fmt, ap));
    va_end(ap);
}

void cxx_blank(Cxx *cx) {
    strbuf_add(&cx->sb, "\n");
}

void cxx_open(Cxx *cx, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    put_wrapped(cx, arena_printf(cx->sb.arena, "%s {", format(cx, fmt, ap)));
    va_end(ap);
    cx->depth++;
}

void cxx_close(Cxx *cx, const char *tail) {
    cx->depth--;
    char *text = arena_printf(cx->sb.arena, "}%s", tail);
    put(cx, cx->depth, text, strlen(text));
}

void cxx_label(Cxx *cx, const char *text) {
    put(cx, cx->depth - 1, text, strlen(text));
}

void cxx_block(Cxx *cx) {
    put(cx, cx->depth++, "{", 1);
}

void cxx_else(Cxx *cx) {
    put(cx, cx->depth - 1, "} else {", 8);
}

void cxx_function(Cxx *cx, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    put_wrapped(cx, format(cx, fmt, ap));
    va_end(ap);
    put(cx, cx->depth, "{", 1);
    cx->depth++;
}

void cxx_comment(Cxx *cx, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    char *text = format(cx, fmt, ap);
    va_end(ap);
    size_t room = (size_t)(LINE_MAX_COLS - 4 * cx->depth - 3);
    for (char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        if (n > room) {
            size_t at = room;
            while (at > 0 && line[at] != ' ') at--;
            if (at > 0) n = at;
        }
        char *piece = arena_printf(cx->sb.arena, "// %.*s", (int)n, line);
        put(cx, cx->depth, piece, strlen(piece));
        line += n;
        while (*line == ' ' || *line == '\n') line++;
    }
}
