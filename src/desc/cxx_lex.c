/* See cxx_lex.h. */
#include "desc/cxx_lex.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

typedef struct Lexer {
    Arena *arena;
    const char *p;
    int line;
    bool at_line_start; /* only blanks since the last newline */
    CxxTokens out;
} Lexer;

static bool is_ident_start(char c) {
    return isalpha((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}
static bool is_ident(char c) {
    return is_ident_start(c) || isdigit((unsigned char)c);
}

/* Length of a backslash-newline at p, or 0. */
static size_t splice_len(const char *p) {
    if (p[0] != '\\') return 0;
    if (p[1] == '\n') return 2;
    return p[1] == '\r' && p[2] == '\n' ? 3 : 0;
}

/* One step forward that counts lines. */
static void step(Lexer *l) {
    if (*l->p == '\n') l->line++;
    l->p++;
}

static void push(Lexer *l, CxxKind kind, const char *start, int line) {
    CxxToken t = {.kind = kind, .text = start, .n_bytes = (size_t)(l->p - start), .line = line};
    vec_push(l->arena, &l->out, t);
}

static void skip_line_comment(Lexer *l) {
    while (*l->p && *l->p != '\n') {
        size_t n = splice_len(l->p);
        if (n == 0) {
            l->p++;
            continue;
        }
        while (n-- > 0) step(l);
    }
}

static void skip_block_comment(Lexer *l) {
    l->p += 2;
    while (*l->p && !(l->p[0] == '*' && l->p[1] == '/')) step(l);
    if (*l->p) l->p += 2;
}

/* A string or character literal; l->p is at the opening quote. An unterminated one ends with its line. */
static void skip_quoted(Lexer *l) {
    char quote = *l->p++;
    while (*l->p && *l->p != quote && *l->p != '\n') {
        if (*l->p == '\\' && l->p[1]) step(l);
        step(l);
    }
    if (*l->p == quote) l->p++;
}

/* l->p is at the quote after R. Ends at )delim" or, when that never comes, at the end of the text. */
static void skip_raw(Lexer *l) {
    const char *delim = l->p + 1;
    size_t n = 0;
    while (n < 16 && delim[n] && delim[n] != '(' && delim[n] != '\n' && delim[n] != '"') n++;
    if (delim[n] != '(') {
        skip_quoted(l);
        return;
    }
    l->p = delim + n;
    while (*l->p) {
        if (*l->p == ')' && strncmp(l->p + 1, delim, n) == 0 && l->p[1 + n] == '"') {
            l->p += n + 2;
            return;
        }
        step(l);
    }
}

/* A directive up to the end of its logical line, comments left in. */
static void skip_directive(Lexer *l) {
    while (*l->p && *l->p != '\n') {
        size_t n = splice_len(l->p);
        if (n > 0) {
            while (n-- > 0) step(l);
        } else if (l->p[0] == '/' && l->p[1] == '*') {
            skip_block_comment(l);
        } else if (l->p[0] == '/' && l->p[1] == '/') {
            skip_line_comment(l);
        } else {
            l->p++;
        }
    }
}

static size_t skip_blanks(const char *text, size_t n, size_t i) {
    while (i < n && (text[i] == ' ' || text[i] == '\t')) i++;
    return i;
}

/* The word after '#', and where its arguments start. */
static size_t directive_word(const char *text, size_t n, size_t *end) {
    size_t i = skip_blanks(text, n, 1);
    size_t j = i;
    while (j < n && is_ident(text[j])) j++;
    *end = j;
    return i;
}

static bool directive_is(const char *text, size_t n, const char *word) {
    size_t end, i = directive_word(text, n, &end);
    return end - i == strlen(word) && memcmp(text + i, word, end - i) == 0;
}

/* `#if 0` or `#if false` with nothing else but a comment behind. */
static bool is_dead_if(const char *text, size_t n) {
    if (!directive_is(text, n, "if")) return false;
    size_t end;
    directive_word(text, n, &end);
    size_t i = skip_blanks(text, n, end);
    size_t len = i < n && text[i] == '0' ? 1 : n - i >= 5 && memcmp(text + i, "false", 5) == 0 ? 5 : 0;
    if (len == 0) return false;
    i = skip_blanks(text, n, i + len);
    return i >= n || text[i] == '\r' || text[i] == '/';
}

/* The rest of a line that is not compiled: a comment or string in it may still hide what looks like a
 * directive. */
static void skip_dead_line(Lexer *l) {
    while (*l->p && *l->p != '\n') {
        if (l->p[0] == '/' && l->p[1] == '*') skip_block_comment(l);
        else if (l->p[0] == '/' && l->p[1] == '/') skip_line_comment(l);
        else if (*l->p == '"') skip_quoted(l);
        else l->p++;
    }
    if (*l->p) step(l);
}

/* After `#if 0`: on to the end of its #else, #elif or #endif line. Inside, only directives matter. */
static void skip_dead_part(Lexer *l) {
    int depth = 1;
    while (*l->p && depth > 0) {
        skip_dead_line(l);
        const char *q = l->p;
        while (*q == ' ' || *q == '\t') q++;
        if (*q != '#') continue;
        l->p = q;
        skip_directive(l);
        size_t n = (size_t)(l->p - q);
        if (directive_is(q, n, "if") || directive_is(q, n, "ifdef") || directive_is(q, n, "ifndef")) depth++;
        if (directive_is(q, n, "endif")) depth--;
        if (depth == 1 && (directive_is(q, n, "else") || directive_is(q, n, "elif"))) depth = 0;
    }
}

static void lex_directive(Lexer *l) {
    const char *start = l->p;
    int line = l->line;
    skip_directive(l);
    push(l, CXX_DIRECTIVE, start, line);
    if (is_dead_if(start, (size_t)(l->p - start))) skip_dead_part(l);
}

static bool is_raw_prefix(const char *s, size_t n) {
    return n > 0 && n <= 3 && s[n - 1] == 'R' &&
           (n == 1 || (n == 2 && strchr("uUL", s[0])) || (n == 3 && s[0] == 'u' && s[1] == '8'));
}

static bool is_string_prefix(const char *s, size_t n) {
    return (n == 1 && strchr("uUL", s[0])) || (n == 2 && s[0] == 'u' && s[1] == '8');
}

static void lex_word(Lexer *l) {
    const char *start = l->p;
    int line = l->line;
    while (is_ident(*l->p)) l->p++;
    size_t n = (size_t)(l->p - start);
    if (*l->p == '"' && is_raw_prefix(start, n)) {
        skip_raw(l);
        push(l, CXX_STRING, start, line);
    } else if ((*l->p == '"' || *l->p == '\'') && is_string_prefix(start, n)) {
        CxxKind kind = *l->p == '"' ? CXX_STRING : CXX_CHAR;
        skip_quoted(l);
        push(l, kind, start, line);
    } else {
        push(l, CXX_IDENT, start, line);
    }
}

/* Numbers with digit separators and exponents; exact syntax does not matter here. */
static void lex_number(Lexer *l) {
    const char *start = l->p;
    while (is_ident(*l->p) || *l->p == '.' || (*l->p == '\'' && isalnum((unsigned char)l->p[1])) ||
           ((*l->p == '+' || *l->p == '-') && strchr("eEpP", l->p[-1])))
        l->p++;
    push(l, CXX_NUMBER, start, l->line);
}

static void lex_one(Lexer *l) {
    const char *start = l->p;
    int line = l->line;
    char c = *start;
    bool first = l->at_line_start;
    l->at_line_start = false;
    if (c == '#' && first) {
        lex_directive(l);
    } else if (is_ident_start(c)) {
        lex_word(l);
    } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)start[1]))) {
        lex_number(l);
    } else if (c == '"' || c == '\'') {
        skip_quoted(l);
        push(l, c == '"' ? CXX_STRING : CXX_CHAR, start, line);
    } else {
        l->p += (c == ':' && start[1] == ':') || (c == '-' && start[1] == '>') ? 2 : 1;
        push(l, CXX_PUNCT, start, line);
    }
}

CxxTokens cxx_lex(Arena *a, const char *source) {
    Lexer l = {.arena = a, .p = source, .line = 1, .at_line_start = true};
    while (*l.p) {
        size_t splice = splice_len(l.p);
        if (*l.p == '\n') {
            step(&l);
            l.at_line_start = true;
        } else if (splice > 0) {
            while (splice-- > 0) step(&l);
        } else if (isspace((unsigned char)*l.p)) {
            l.p++;
        } else if (l.p[0] == '/' && l.p[1] == '/') {
            skip_line_comment(&l);
        } else if (l.p[0] == '/' && l.p[1] == '*') {
            skip_block_comment(&l);
        } else {
            lex_one(&l);
        }
    }
    push(&l, CXX_END, l.p, l.line);
    l.out.n--;
    return l.out;
}

bool cxx_is(const CxxToken *t, const char *text) {
    return t->kind != CXX_END && strlen(text) == t->n_bytes && memcmp(t->text, text, t->n_bytes) == 0;
}

char *cxx_string_text(Arena *a, const CxxToken *t) {
    const char *end = t->text + t->n_bytes;
    const char *quote = memchr(t->text, '"', t->n_bytes);
    if (!quote) return arena_strdup(a, "");
    const char *from = quote + 1;
    if (quote > t->text && quote[-1] == 'R') {
        const char *paren = memchr(quote, '(', (size_t)(end - quote));
        size_t delim = paren ? (size_t)(paren - from) : 0;
        bool closed = paren && (size_t)(end - paren) >= delim + 3 && end[-1] == '"' &&
                      end[-2 - (ptrdiff_t)delim] == ')';
        if (!closed) return arena_strdup(a, "");
        return arena_strndup(a, paren + 1, (size_t)(end - paren) - delim - 3);
    }
    if (end > from && end[-1] == '"') end--;
    return arena_strndup(a, from, (size_t)(end - from));
}
