/* A scanner that builds nothing (a store's info.json has megabytes, and one save must not parse all of it),
 * and a printer. */
#include "store/json_text.h"

#include "base/strbuf.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- scanner --------------------------------------------------------------------------------- */

#define DEPTH_MAX 512

typedef struct Scan {
    const unsigned char *at, *end, *start;
    const char *fault;
} Scan;

static bool fail(Scan *s, const char *fault) {
    s->fault = fault;
    return false;
}

static void skip_space(Scan *s) {
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\r' || *s->at == '\t')) s->at++;
}

/* Bytes of the UTF-8 sequence at `at`; 0: none that is allowed (overlong, surrogate, beyond the last code
 * point). */
static size_t utf8_length(const unsigned char *at, size_t n) {
    static const struct {
        unsigned char lo, hi, second_lo, second_hi, length;
    } ROWS[] = {{0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
                {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
                {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        if (at[0] < ROWS[i].lo || at[0] > ROWS[i].hi) continue;
        size_t len = ROWS[i].length;
        if (n < len || at[1] < ROWS[i].second_lo || at[1] > ROWS[i].second_hi) return 0;
        for (size_t k = 2; k < len; k++)
            if (at[k] < 0x80 || at[k] > 0xBF) return 0;
        return len;
    }
    return 0;
}

static bool hex4(Scan *s, unsigned *out) {
    if (s->end - s->at < 4) return fail(s, "a \\u escape is cut off");
    *out = 0;
    for (int i = 0; i < 4; i++) {
        unsigned char c = *s->at++;
        static const char DIGITS[] = "0123456789abcdef";
        const char *digit = c ? strchr(DIGITS, c | 0x20) : NULL;
        if (!digit || (c < '0')) return fail(s, "a \\u escape needs four hexadecimal digits");
        *out = *out * 16 + (unsigned)(digit - DIGITS);
    }
    return true;
}

/* Behind the backslash. jansson takes neither lone surrogates nor \u0000, so neither do we. */
static bool scan_escape(Scan *s) {
    if (s->at == s->end) return fail(s, "a text is not closed");
    unsigned char c = *s->at++;
    if (c && strchr("\"\\/bfnrt", c)) return true;
    if (c != 'u') return fail(s, "an unknown escape in a text");
    unsigned hi, lo;
    if (!hex4(s, &hi)) return false;
    if (hi == 0) return fail(s, "\\u0000 in a text");
    if (hi < 0xD800 || hi > 0xDFFF) return true;
    if (hi > 0xDBFF || s->end - s->at < 6 || s->at[0] != '\\' || s->at[1] != 'u')
        return fail(s, "half of a surrogate pair in a text");
    s->at += 2;
    if (!hex4(s, &lo)) return false;
    return (lo >= 0xDC00 && lo <= 0xDFFF) || fail(s, "half of a surrogate pair in a text");
}

static bool scan_string(Scan *s) {
    if (s->at == s->end || *s->at != '"') return fail(s, "a text in double quotes is wanted here");
    s->at++;
    while (s->at < s->end) {
        unsigned char c = *s->at;
        if (c >= 0x20 && c < 0x80 && c != '"' && c != '\\') {
            s->at++;
        } else if (c == '"') {
            s->at++;
            return true;
        } else if (c == '\\') {
            s->at++;
            if (!scan_escape(s)) return false;
        } else if (c < 0x20) {
            return fail(s, c == '\n' ? "a text is not closed on its line" : "a control character in a text");
        } else {
            size_t n = utf8_length(s->at, (size_t)(s->end - s->at));
            if (n == 0) return fail(s, "bytes that are not UTF-8");
            s->at += n;
        }
    }
    return fail(s, "a text is not closed");
}

static bool scan_digits(Scan *s) {
    const unsigned char *start = s->at;
    while (s->at < s->end && *s->at >= '0' && *s->at <= '9') s->at++;
    return s->at > start || fail(s, "a digit is wanted here");
}

static bool scan_number(Scan *s) {
    const unsigned char *start = s->at;
    bool real = false;
    if (*s->at == '-') s->at++;
    const unsigned char *first = s->at;
    if (!scan_digits(s)) return false;
    if (*first == '0' && s->at - first > 1) return fail(s, "a number starts with 0");
    if (s->at < s->end && *s->at == '.') {
        real = true;
        s->at++;
        if (!scan_digits(s)) return false;
    }
    if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
        real = true;
        s->at++;
        if (s->at < s->end && (*s->at == '+' || *s->at == '-')) s->at++;
        if (!scan_digits(s)) return false;
    }
    char buf[64];
    size_t n = (size_t)(s->at - start);
    if (real ? n < 300 && !memchr(start, 'e', n) && !memchr(start, 'E', n) : n < 19) return true;
    if (n >= sizeof buf) return fail(s, "a number of too many digits");
    memcpy(buf, start, n);
    buf[n] = '\0';
    char *stop;
    if (real)
        return fabs(strtod(buf, &stop)) <= 1.7976931348623157e308 ||
               fail(s, "a number beyond what a double holds");
    static const char LIMIT[] = "9223372036854775807", LOWEST[] = "-9223372036854775808";
    const char *limit = buf[0] == '-' ? LOWEST : LIMIT;
    return n < strlen(limit) || (n == strlen(limit) && strcmp(buf, limit) <= 0) ||
           fail(s, "an integer beyond 64 bits");
}

static bool scan_value(Scan *s, int depth);

static bool scan_word(Scan *s, const char *word) {
    size_t n = strlen(word);
    if ((size_t)(s->end - s->at) < n || memcmp(s->at, word, n) != 0) return fail(s, "this is no JSON value");
    s->at += n;
    return true;
}

/* After a value: true and *more on a comma, true at `close`. */
static bool next_item(Scan *s, unsigned char close, bool *more) {
    skip_space(s);
    if (s->at == s->end) return fail(s, "the file ends in the middle: it is cut off");
    *more = *s->at == ',';
    if (!*more && *s->at != close)
        return fail(s, close == '}' ? "`,` or `}` is wanted here" : "`,` or `]` is wanted here");
    s->at++;
    return true;
}

static bool scan_array(Scan *s, int depth) {
    s->at++;
    skip_space(s);
    if (s->at < s->end && *s->at == ']') {
        s->at++;
        return true;
    }
    for (bool more = true; more;)
        if (!scan_value(s, depth) || !next_item(s, ']', &more)) return false;
    return true;
}

static bool scan_key(Scan *s) {
    skip_space(s);
    if (!scan_string(s)) return false;
    skip_space(s);
    if (s->at == s->end || *s->at != ':') return fail(s, "`:` is wanted here");
    s->at++;
    return true;
}

static bool scan_object(Scan *s, int depth) {
    s->at++;
    skip_space(s);
    if (s->at < s->end && *s->at == '}') {
        s->at++;
        return true;
    }
    for (bool more = true; more;)
        if (!scan_key(s) || !scan_value(s, depth) || !next_item(s, '}', &more)) return false;
    return true;
}

static bool scan_value(Scan *s, int depth) {
    skip_space(s);
    if (s->at == s->end) return fail(s, "the file ends in the middle: it is cut off");
    if (depth >= DEPTH_MAX) return fail(s, "nested too deeply");
    switch (*s->at) {
    case '{':
        return scan_object(s, depth + 1);
    case '[':
        return scan_array(s, depth + 1);
    case '"':
        return scan_string(s);
    case 't':
        return scan_word(s, "true");
    case 'f':
        return scan_word(s, "false");
    case 'n':
        return scan_word(s, "null");
    default:
        return *s->at == '-' || (*s->at >= '0' && *s->at <= '9') ? scan_number(s)
                                                                 : fail(s, "this is no JSON value");
    }
}

/* True when the quoted text in [at, end) stands for `key`. */
static bool same_key(const unsigned char *at, const unsigned char *end, const char *key) {
    size_t n = (size_t)(end - at);
    if (!memchr(at, '\\', n)) return n == strlen(key) + 2 && !memcmp(at + 1, key, n - 2);
    json_t *text = json_loadb((const char *)at, n, JSON_DECODE_ANY, NULL);
    bool same = text && !strcmp(json_string_value(text), key);
    json_decref(text);
    return same;
}

static bool scan_member(Scan *s, const char *key, JsonTop *top) {
    skip_space(s);
    const unsigned char *key_at = s->at;
    if (!scan_string(s)) return false;
    const unsigned char *key_end = s->at;
    s->at = key_at;
    if (!scan_key(s)) return false;
    skip_space(s);
    const unsigned char *value = s->at;
    if (!scan_value(s, 1)) return false;
    top->members_end = (size_t)(s->at - s->start);
    top->n_members++;
    if (!key || !same_key(key_at, key_end, key)) return true;
    top->found = true;
    top->key_at = (size_t)(key_at - s->start);
    top->value_at = (size_t)(value - s->start);
    top->value_end = top->members_end;
    return true;
}

static bool scan_top(Scan *s, const char *key, JsonTop *top) {
    skip_space(s);
    if (s->at == s->end) return fail(s, "the file is empty");
    if (*s->at != '{') return fail(s, "an object `{...}` is wanted on top");
    top->open = (size_t)(s->at - s->start);
    s->at++;
    skip_space(s);
    bool more = !(s->at < s->end && *s->at == '}');
    if (!more) s->at++;
    while (more)
        if (!scan_member(s, key, top) || !next_item(s, '}', &more)) return false;
    skip_space(s);
    return s->at == s->end || fail(s, "there is something behind the object");
}

bool json_top_scan(const char *text, size_t n_bytes, const char *key, JsonTop *top, Err *err) {
    Scan s = {.start = (const unsigned char *)text};
    s.at = s.start;
    s.end = s.start + n_bytes;
    *top = (JsonTop){0};
    if (scan_top(&s, key, top)) return true;
    size_t line = 1;
    for (const unsigned char *c = s.start; c < s.at; c++) line += *c == '\n';
    return err_set(err, ERR_BAD_INPUT, NULL, "line %zu: %s", line, s.fault);
}

/* ---- one member ------------------------------------------------------------------------------ */

char *json_top_set(Arena *a, const char *text, size_t n_bytes, const JsonTop *top, const char *key,
                   const json_t *value, int n_indent, size_t *n_out) {
    const char *print = json_text_print(a, value, n_indent, 1);
    StrBuf sb;
    strbuf_init(&sb, a);
    if (top->found) {
        strbuf_addn(&sb, text, top->value_at);
        strbuf_add(&sb, print);
        strbuf_addn(&sb, text + top->value_end, n_bytes - top->value_end);
    } else {
        json_t *name = json_string(key);
        size_t cut = top->members_end ? top->members_end : top->open + 1;
        strbuf_addn(&sb, text, cut);
        strbuf_printf(&sb, "%s\n%*s%s: ", top->members_end ? "," : "", n_indent, "",
                      json_text_print(a, name, 0, 0));
        strbuf_add(&sb, print);
        if (!top->members_end) strbuf_add(&sb, "\n");
        strbuf_addn(&sb, text + cut, n_bytes - cut);
        json_decref(name);
    }
    *n_out = sb.n_bytes;
    return sb.text;
}

char *json_top_remove(Arena *a, const char *text, size_t n_bytes, const JsonTop *top, size_t *n_out) {
    size_t from = top->key_at, to = top->value_end;
    while (from > top->open + 1 && strchr(" \t\r\n", text[from - 1])) from--;
    size_t behind = to;
    while (behind < n_bytes && strchr(" \t\r\n", text[behind])) behind++;
    if (text[from - 1] == ',') from--; /* the comma before it, or, for the first, the one behind */
    else if (behind < n_bytes && text[behind] == ',') to = behind + 1;
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_addn(&sb, text, from);
    strbuf_addn(&sb, text + to, n_bytes - to);
    *n_out = sb.n_bytes;
    return sb.text;
}

/* ---- printer --------------------------------------------------------------------------------- */

static void print_string(StrBuf *sb, const char *text, size_t n) {
    strbuf_add(sb, "\"");
    for (size_t i = 0, from = 0; i <= n; i++) {
        unsigned char c = i < n ? (unsigned char)text[i] : '"';
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        strbuf_addn(sb, text + from, i - from);
        from = i + 1;
        static const char NAMED[] = "\b\t\n\f\r", LETTERS[] = "btnfr";
        const char *named = c ? strchr(NAMED, c) : NULL;
        if (i == n) break;
        if (c == '"' || c == '\\') strbuf_printf(sb, "\\%c", c);
        else if (named) strbuf_printf(sb, "\\%c", LETTERS[named - NAMED]);
        else strbuf_printf(sb, "\\u%04x", c);
    }
    strbuf_add(sb, "\"");
}

/* The shortest digits that read back; an exponent below -4 and from 16 on, as Python's repr. */
static void print_real(StrBuf *sb, double d) {
    char buf[40], digits[24];
    int n = 0, exponent = 0;
    for (int precision = 0; precision <= 16; precision++) {
        snprintf(buf, sizeof buf, "%.*e", precision, d);
        if (strtod(buf, NULL) == d || precision == 16) break;
    }
    const char *at = buf;
    if (*at == '-') strbuf_add(sb, "-"), at++;
    for (; *at != 'e'; at++)
        if (*at != '.') digits[n++] = *at;
    exponent = (int)strtol(at + 1, NULL, 10);
    if (exponent < -4 || exponent >= 16) {
        strbuf_addn(sb, digits, 1);
        if (n > 1) strbuf_printf(sb, ".%.*s", n - 1, digits + 1);
        strbuf_printf(sb, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
    } else if (exponent < 0) {
        strbuf_printf(sb, "0.%.*s%.*s", -exponent - 1, "000", n, digits);
    } else if (n <= exponent + 1) {
        strbuf_printf(sb, "%.*s%.*s.0", n, digits, exponent + 1 - n, "0000000000000000");
    } else {
        strbuf_printf(sb, "%.*s.%.*s", exponent + 1, digits, n - exponent - 1, digits + exponent + 1);
    }
}

static void new_line(StrBuf *sb, int n_indent, int depth) {
    strbuf_printf(sb, "\n%*s", n_indent * depth, "");
}

static void print_value(StrBuf *sb, const json_t *o, int n_indent, int depth);

static void print_array(StrBuf *sb, const json_t *o, int n_indent, int depth) {
    size_t n = json_array_size(o);
    strbuf_add(sb, "[");
    for (size_t i = 0; i < n; i++) {
        if (i) strbuf_add(sb, ",");
        new_line(sb, n_indent, depth + 1);
        print_value(sb, json_array_get(o, i), n_indent, depth + 1);
    }
    if (n) new_line(sb, n_indent, depth);
    strbuf_add(sb, "]");
}

static void print_object(StrBuf *sb, const json_t *o, int n_indent, int depth) {
    json_t *all = json_incref((json_t *)(uintptr_t)o); /* the iterator takes no const, and changes nothing */
    bool any = false;
    strbuf_add(sb, "{");
    for (void *it = json_object_iter(all); it; it = json_object_iter_next(all, it)) {
        if (any) strbuf_add(sb, ",");
        any = true;
        new_line(sb, n_indent, depth + 1);
        const char *key = json_object_iter_key(it);
        print_string(sb, key, strlen(key));
        strbuf_add(sb, ": ");
        print_value(sb, json_object_iter_value(it), n_indent, depth + 1);
    }
    if (any) new_line(sb, n_indent, depth);
    strbuf_add(sb, "}");
    json_decref(all);
}

static void print_value(StrBuf *sb, const json_t *o, int n_indent, int depth) {
    switch (json_typeof(o)) {
    case JSON_OBJECT:
        print_object(sb, o, n_indent, depth);
        return;
    case JSON_ARRAY:
        print_array(sb, o, n_indent, depth);
        return;
    case JSON_STRING:
        print_string(sb, json_string_value(o), json_string_length(o));
        return;
    case JSON_INTEGER:
        strbuf_printf(sb, "%" JSON_INTEGER_FORMAT, json_integer_value(o));
        return;
    case JSON_REAL:
        print_real(sb, json_real_value(o));
        return;
    default:
        strbuf_add(sb, json_is_true(o) ? "true" : json_is_false(o) ? "false" : "null");
    }
}

char *json_text_print(Arena *a, const json_t *o, int n_indent, int depth) {
    StrBuf sb;
    strbuf_init(&sb, a);
    print_value(&sb, o, n_indent, depth);
    return sb.text;
}
