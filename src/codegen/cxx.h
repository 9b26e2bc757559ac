/* Writing indented text. */
#ifndef OPWRIGHT_CODEGEN_CXX_H
#define OPWRIGHT_CODEGEN_CXX_H

#include "base/strbuf.h"

typedef struct Cxx {
    StrBuf sb;
    int depth; /* of indentation, 4 blanks each */
} Cxx;

void cxx_init(Cxx *cx, Arena *a);
/* One line at the current depth. A line that would pass column 120 breaks after a comma. */
void cxx_line(Cxx *cx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cxx_blank(Cxx *cx);
/* The line, then " {" and deeper; cxx_close ends it with "}" and the tail. */
void cxx_open(Cxx *cx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void cxx_close(Cxx *cx, const char *tail);
/* "public:", a step further out than what is around it. */
void cxx_label(Cxx *cx, const char *text);
/* A "{" of its own. */
void cxx_block(Cxx *cx);
/* "} else {" */
void cxx_else(Cxx *cx);
/* A function head has its brace on a line of its own. */
void cxx_function(Cxx *cx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "// " in front of every line of the text, wrapped at column 120. */
void cxx_comment(Cxx *cx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
