/* Reads a description without Python, when it is nothing but assignments of string literals, as most are.
 * PyTorch takes seconds to import and the worker evaluates the file after that, so whoever can see the
 * sources now can compile meanwhile. What this reads is a guess to be checked against the worker's answer:
 * anything unusual is given up on. */
#include "desc/desc.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <string.h>

typedef struct Peek {
    Arena *arena;
    const char *p;
} Peek;

static void blanks(Peek *k, bool lines) {
    for (;; k->p++) {
        if (*k->p == '#') k->p += strcspn(k->p, "\n");
        if (*k->p != ' ' && *k->p != '\t' && !(lines && *k->p == '\n')) return;
    }
}

static void add_utf8(StrBuf *sb, unsigned long c) {
    char b[4];
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char LEAD[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n; i-- > 1; c >>= 6) b[i] = (char)(0x80 | (c & 0x3f));
    b[0] = (char)(LEAD[n] | c);
    strbuf_addn(sb, b, n);
}

/* n digits of a base at *p; false when there are fewer. */
static bool digits(const char **p, int base, size_t n, unsigned long *out) {
    *out = 0;
    for (size_t i = 0; i < n; i++, (*p)++) {
        int c = tolower((unsigned char)**p);
        int v = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
        if (v >= base) return false;
        *out = *out * (unsigned long)base + (unsigned long)v;
    }
    return true;
}

/* One escape; k->p is behind the backslash. */
static bool escape(Peek *k, StrBuf *sb) {
    static const char NAMES[] = "abfnrtv\\'\"", VALUES[] = "\a\b\f\n\r\t\v\\'\"";
    unsigned long c;
    char e = *k->p++;
    const char *at = e ? strchr(NAMES, e) : NULL;
    if (at) {
        strbuf_addn(sb, &VALUES[at - NAMES], 1);
        return true;
    }
    if (e == '\n') return true;
    if (e == 'x' || e == 'u' || e == 'U') {
        if (!digits(&k->p, 16, e == 'x' ? 2 : e == 'u' ? 4 : 8, &c)) return false;
        if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) return false;
        add_utf8(sb, c);
        return true;
    }
    if (!e || e == 'N' || isdigit((unsigned char)e))
        return false; /* names of characters and octal: not worth it */
    strbuf_add(sb, "\\");
    strbuf_addn(sb, &e, 1);
    return true;
}

/* One literal with its prefix. */
static bool literal(Peek *k, StrBuf *sb) {
    bool raw = *k->p == 'r' || *k->p == 'R';
    if (raw) k->p++;
    char q = *k->p;
    if (q != '"' && q != '\'') return false;
    bool triple = k->p[1] == q && k->p[2] == q;
    k->p += triple ? 3 : 1;
    while (*k->p) {
        if (*k->p == q && (!triple || (k->p[1] == q && k->p[2] == q))) {
            k->p += triple ? 3 : 1;
            return true;
        }
        if (*k->p == '\n' && !triple) return false;
        if (*k->p == '\\' && raw) {
            if (!k->p[1]) return false;
            strbuf_addn(sb, k->p, 2);
            k->p += 2;
        } else if (*k->p == '\\') {
            k->p++;
            if (!escape(k, sb)) return false;
        } else {
            strbuf_addn(sb, k->p++, 1);
        }
    }
    return false;
}

static bool at_literal(const Peek *k) {
    char c = *k->p == 'r' || *k->p == 'R' ? k->p[1] : *k->p;
    return c == '"' || c == '\'';
}

/* Literals side by side, in parentheses over several lines or not, up to the end of the line. */
static const char *value(Peek *k) {
    StrBuf sb;
    strbuf_init(&sb, k->arena);
    bool parens = *k->p == '(';
    if (parens) k->p++;
    blanks(k, parens);
    if (!at_literal(k)) return NULL;
    while (at_literal(k)) {
        if (!literal(k, &sb)) return NULL;
        blanks(k, parens);
    }
    if (parens && *k->p++ != ')') return NULL;
    blanks(k, false);
    return *k->p == '\n' || *k->p == '\0' ? sb.text : NULL;
}

static const char **slot(const char *source[DESC_N_SOURCES], const char *name, size_t n) {
    for (int i = 0; i < DESC_N_SOURCES; i++)
        if (strlen(DESC_SOURCE_NAMES[i]) == n && !memcmp(DESC_SOURCE_NAMES[i], name, n)) return &source[i];
    return NULL;
}

bool desc_peek(Arena *a, const char *text, const char *source[DESC_N_SOURCES]) {
    Peek k = {.arena = a, .p = text};
    for (int i = 0; i < DESC_N_SOURCES; i++) source[i] = NULL;
    if (strchr(text, '\r')) return false;
    for (blanks(&k, true); *k.p; blanks(&k, true)) {
        if (at_literal(&k)) { /* a text that stands alone: documentation */
            if (!value(&k)) return false;
            continue;
        }
        const char *name = k.p;
        while (isalnum((unsigned char)*k.p) || *k.p == '_') k.p++;
        size_t n = (size_t)(k.p - name);
        blanks(&k, false);
        if (n == 0 || *k.p++ != '=') return false;
        blanks(&k, false);
        const char *text_of = value(&k), **to = slot(source, name, n);
        if (!text_of) return false;
        if (to) *to = text_of;
    }
    for (int i = 0; i < DESC_N_SOURCES; i++)
        if (!source[i]) return false;
    return true;
}
