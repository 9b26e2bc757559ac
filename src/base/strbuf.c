/* Growing text in an arena. */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void strbuf_init(StrBuf *sb, Arena *a) {
    sb->arena = a;
    sb->cap = 256;
    sb->n_bytes = 0;
    sb->text = arena_alloc(a, sb->cap);
}

static void reserve(StrBuf *sb, size_t extra) {
    size_t need = sb->n_bytes + extra + 1;
    if (need <= sb->cap) return;
    size_t cap = sb->cap;
    while (cap < need) cap *= 2;
    char *p = arena_alloc(sb->arena, cap);
    memcpy(p, sb->text, sb->n_bytes + 1);
    sb->text = p;
    sb->cap = cap;
}

void strbuf_addn(StrBuf *sb, const char *text, size_t n_bytes) {
    reserve(sb, n_bytes);
    memcpy(sb->text + sb->n_bytes, text, n_bytes);
    sb->n_bytes += n_bytes;
    sb->text[sb->n_bytes] = '\0';
}

void strbuf_add(StrBuf *sb, const char *text) {
    strbuf_addn(sb, text, strlen(text));
}

void strbuf_printf(StrBuf *sb, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) abort();
    reserve(sb, (size_t)n);
    vsnprintf(sb->text + sb->n_bytes, (size_t)n + 1, fmt, again);
    va_end(again);
    sb->n_bytes += (size_t)n;
}
