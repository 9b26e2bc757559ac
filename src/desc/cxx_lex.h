/* A lexer for the C++ of description files: enough to look at live code without being fooled by comments,
 * string literals, raw strings, line continuations or `#if 0` parts. It does not expand macros. Never fails:
 * anything it does not know is one punctuation token. */
#ifndef OPWRIGHT_DESC_CXX_LEX_H
#define OPWRIGHT_DESC_CXX_LEX_H

#include "base/arena.h"

#include <stdbool.h>

typedef enum { CXX_IDENT, CXX_NUMBER, CXX_STRING, CXX_CHAR, CXX_PUNCT, CXX_DIRECTIVE, CXX_END } CxxKind;

typedef struct CxxToken {
    CxxKind kind;
    const char *text; /* into the source, not terminated; a directive is the whole logical line from '#' */
    size_t n_bytes;
    int line; /* 1-based, of the first character */
} CxxToken;

typedef struct CxxTokens {
    CxxToken *at; /* at[n] is CXX_END */
    size_t n, cap;
} CxxTokens;

/* `::` and `->` are one token, every other punctuation character its own. The result points into source. */
CxxTokens cxx_lex(Arena *a, const char *source);
bool cxx_is(const CxxToken *t, const char *text);
/* Text of a string token without quotes, prefix and raw delimiter; escapes are left as they are. */
char *cxx_string_text(Arena *a, const CxxToken *t);

#endif
