/* Writes a description file. People read these files, so a source goes into a triple-quoted literal wherever
 * Python reads that back byte for byte, raw when it has backslashes; otherwise it is written line by line
 * with escapes. */
#include "desc/desc.h"

#include "base/strbuf.h"

#include <string.h>

/* Length of the valid UTF-8 sequence at s (1 to 4), or 0. */
static size_t utf8_len(const unsigned char *s) {
    size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (s[0] > 0xf4) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f)) return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) return 0;
    return n;
}

/* Characters that may stand in a literal as they are: Python turns a carriage return into a newline, and
 * other control characters are invisible. */
static bool is_plain(const unsigned char *s, size_t len) {
    if (len == 0) return false;
    if (len == 1) return (*s >= 0x20 && *s < 0x7f) || *s == '\n' || *s == '\t';
    return true;
}

static bool fits_triple(const char *text, char quote) {
    const char triple[4] = {quote, quote, quote, '\0'};
    size_t n = strlen(text), n_slashes = 0;
    if (strstr(text, triple) || (n > 0 && text[n - 1] == quote)) return false;
    while (n_slashes < n && text[n - 1 - n_slashes] == '\\') n_slashes++;
    if (n_slashes % 2 != 0) return false; /* a raw literal cannot end in an odd number of backslashes */
    const unsigned char *s = (const unsigned char *)text;
    for (size_t len; *s; s += len) {
        len = utf8_len(s);
        if (!is_plain(s, len)) return false;
    }
    return true;
}

static void print_escaped_char(StrBuf *sb, const unsigned char *s, size_t len) {
    if (len == 0)
        strbuf_printf(sb, "\\udc%02x", (unsigned)*s); /* PEP 383: how Python holds a byte that is no UTF-8 */
    else if (*s == '\n') strbuf_add(sb, "\\n");
    else if (*s == '\t') strbuf_add(sb, "\\t");
    else if (*s == '\r') strbuf_add(sb, "\\r");
    else if (*s == '"' || *s == '\\') strbuf_printf(sb, "\\%c", *s);
    else if (!is_plain(s, len)) strbuf_printf(sb, "\\x%02x", (unsigned)*s);
    else strbuf_addn(sb, (const char *)s, len);
}

static void print_escaped(StrBuf *sb, const char *text) {
    const unsigned char *s = (const unsigned char *)text;
    strbuf_add(sb, "(\n    \"");
    for (size_t len; *s; s += len ? len : 1) {
        len = utf8_len(s);
        print_escaped_char(sb, s, len);
        if (*s == '\n' && s[1]) strbuf_add(sb, "\"\n    \"");
    }
    strbuf_add(sb, "\"\n)");
}

static void print_source(StrBuf *sb, const char *name, const char *text) {
    strbuf_printf(sb, "%s = ", name);
    char quote = fits_triple(text, '"') ? '"' : fits_triple(text, '\'') ? '\'' : '\0';
    if (!quote) {
        print_escaped(sb, text);
    } else {
        const char *raw = strchr(text, '\\') ? "r" : "";
        strbuf_printf(sb, "%s%c%c%c", raw, quote, quote, quote);
        strbuf_add(sb, text);
        strbuf_printf(sb, "%c%c%c", quote, quote, quote);
    }
    strbuf_add(sb, "\n");
}

char *desc_print(Arena *a, const char *const source[DESC_N_SOURCES]) {
    StrBuf sb;
    strbuf_init(&sb, a);
    /* The first line fixes the encoding, so that no text in the second can be taken for such a line. */
    strbuf_add(&sb, "# -*- coding: utf-8 -*-\n");
    for (int i = 0; i < DESC_N_SOURCES; i++) {
        strbuf_add(&sb, "\n");
        print_source(&sb, DESC_SOURCE_NAMES[i], source[i] ? source[i] : "");
    }
    return sb.text;
}
