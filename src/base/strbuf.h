/* Growing text in an arena: what codegen and reports write into. Always NUL-terminated. */
#ifndef OPWRIGHT_BASE_STRBUF_H
#define OPWRIGHT_BASE_STRBUF_H

#include "base/arena.h"

typedef struct StrBuf {
    Arena *arena;
    char *text; /* never NULL after strbuf_init */
    size_t n_bytes, cap;
} StrBuf;

void strbuf_init(StrBuf *sb, Arena *a);
void strbuf_add(StrBuf *sb, const char *text);
void strbuf_addn(StrBuf *sb, const char *text, size_t n_bytes);
void strbuf_printf(StrBuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
