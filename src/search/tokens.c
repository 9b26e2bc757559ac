/* The tokenizer: see tokens.h for what comes out. */
#include "search/tokens.h"

#include <string.h>

typedef bool (*TakeFn)(void *ctx, const Token *t);

typedef struct Walk {
    const char *text;
    size_t n;
    TakeFn take;
    void *ctx;
} Walk;

size_t token_utf8(const char *text, size_t n_bytes, unsigned *code) {
    const unsigned char *s = (const unsigned char *)text;
    if (n_bytes == 0) return 0;
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : s[0] >= 0xc2 ? 2 : 0;
    if (n == 0 || n > n_bytes || s[0] > 0xf4) return 0;
    unsigned c = s[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    *code = c;
    return n;
}

bool token_is_cjk(unsigned c) {
    return (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x3041 && c <= 0x30ff) || (c >= 0xac00 && c <= 0xd7a3) || (c >= 0x20000 && c <= 0x2fa1f);
}

/* Letters beyond ASCII that stand in words (alphabets, not signs). */
static bool is_other_letter(unsigned c) {
    return (c >= 0xc0 && c <= 0x1fff && c != 0xd7 && c != 0xf7) || c == 0xb5;
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_word_byte(char c) {
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
}

/* ---- stems ----------------------------------------------------------------------------------- */

static bool ends(const char *s, size_t n, const char *tail) {
    size_t k = strlen(tail);
    return n >= k && memcmp(s + n - k, tail, k) == 0;
}

static bool has_vowel(const char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strchr("aeiouy", s[i])) return true;
    return false;
}

/* What is left when a verb's or noun's ending is cut; 0: nothing is. */
static size_t cut_ending(const char *s, size_t n) {
    static const char *const ENDINGS[] = {"ation", "tion", "ment", "ing", "ed"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        size_t k = strlen(ENDINGS[i]);
        if (n < k + 3 || !ends(s, n, ENDINGS[i]) || !has_vowel(s, n - k)) continue;
        n -= k;
        if (n > 3 && s[n - 1] == s[n - 2] && !strchr("lsz", s[n - 1])) n--; /* mapped -> map */
        return n;
    }
    return 0;
}

/* Length of the stem of a lower-case English word: endings that change nothing of what it is about are cut.
 */
static size_t stem(char *s, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_lower(s[i])) return n;
    if (n < 4) return n;
    if (ends(s, n, "ies") && n > 4) {
        s[n - 3] = 'y';
        n -= 2;
    } else if (ends(s, n, "sses")) n -= 2;
    else if (s[n - 1] == 's' && !strchr("sui", s[n - 2])) n--;
    size_t k = cut_ending(s, n);
    if (k) n = k;
    if (n > 4 && s[n - 1] == 'e') n--;
    return n;
}

bool token_is_stop(const char *word, size_t n_bytes) {
    static const char *const WORDS[] = {
#define STOP(word_) word_,
#include "search/stop.def"
#undef STOP
    };
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strlen(WORDS[i]) == n_bytes && memcmp(WORDS[i], word, n_bytes) == 0) return true;
    return false;
}

/* ---- identifiers and words ------------------------------------------------------------------- */

static char to_lower(char c) {
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

/* True where a new word of an identifier begins: fooBar, HTTPServer, foo_bar. */
static bool begins_word(const char *s, size_t i, size_t n) {
    if (s[i - 1] == '_') return s[i] != '_';
    if (is_upper(s[i]) && !is_upper(s[i - 1])) return true;
    return is_upper(s[i]) && i + 1 < n && is_lower(s[i + 1]);
}

static size_t count_words(const char *s, size_t n) {
    size_t words = 1;
    for (size_t i = 1; i < n; i++) words += begins_word(s, i, n);
    return words;
}

static bool emit(Walk *w, const char *s, size_t start, size_t end, TokenForm form, bool same) {
    Token t = {.text = s, .start = start, .end = end, .form = form, .same_place = same};
    t.n_bytes = strlen(s);
    return t.n_bytes == 0 || w->take(w->ctx, &t);
}

/* Lower case without underscores, cut to TOKEN_MAX_BYTES at a character's border. */
static size_t fold(char out[TOKEN_MAX_BYTES + 1], const char *s, size_t n) {
    size_t k = 0;
    for (size_t i = 0; i < n && k < TOKEN_MAX_BYTES; i++)
        if (s[i] != '_') out[k++] = to_lower(s[i]);
    while (k > 0 && k == TOKEN_MAX_BYTES && ((unsigned char)out[k - 1] & 0x80)) k--;
    return k;
}

static bool take_identifier(Walk *w, size_t start, size_t end) {
    const char *s = w->text + start;
    size_t n = end - start;
    while (n > 0 && *s == '_') s++, n--, start++;
    while (n > 0 && s[n - 1] == '_') n--;
    if (n == 0) return true;
    char word[TOKEN_MAX_BYTES + 1];
    size_t n_words = count_words(s, n), k = fold(word, s, n);
    if (n_words == 1) k = stem(word, k);
    word[k] = '\0';
    if (!emit(w, word, start, start + n, TOKEN_WHOLE, false)) return false;
    if (n_words == 1) return true;
    for (size_t from = 0; from < n;) {
        size_t to = from + 1;
        while (to < n && !begins_word(s, to, n)) to++;
        k = fold(word, s + from, to - from);
        k = stem(word, k);
        word[k] = '\0';
        if (!emit(w, word, start + from, start + to, TOKEN_PART, true)) return false;
        from = to;
    }
    return true;
}

static size_t word_end(const Walk *w, size_t at) {
    while (at < w->n) {
        unsigned c;
        size_t k = token_utf8(w->text + at, w->n - at, &c);
        if (k == 0 || !(k == 1 ? is_word_byte(w->text[at]) : is_other_letter(c))) break;
        at += k;
    }
    return at;
}

/* ---- Chinese --------------------------------------------------------------------------------- */

static bool take_cjk(Walk *w, size_t at, size_t n_char) {
    char word[2 * 4 + 1];
    memcpy(word, w->text + at, n_char);
    word[n_char] = '\0';
    if (!emit(w, word, at, at + n_char, TOKEN_CHAR, false)) return false;
    unsigned c;
    size_t next = at + n_char, k = token_utf8(w->text + next, w->n - next, &c);
    if (k == 0 || !token_is_cjk(c)) return true;
    memcpy(word + n_char, w->text + next, k);
    word[n_char + k] = '\0';
    return emit(w, word, at, next + k, TOKEN_PAIR, true);
}

bool tokens_each(const char *text, size_t n_bytes, TakeFn take, void *ctx) {
    Walk w = {.text = text, .n = n_bytes, .take = take, .ctx = ctx};
    for (size_t at = 0; at < n_bytes;) {
        unsigned c = 0;
        size_t k = token_utf8(text + at, n_bytes - at, &c);
        if (k > 1 && token_is_cjk(c)) {
            if (!take_cjk(&w, at, k)) return false;
            at += k;
        } else if (k && (k == 1 ? is_word_byte(text[at]) : is_other_letter(c))) {
            size_t end = word_end(&w, at);
            if (!take_identifier(&w, at, end)) return false;
            at = end;
        } else at += k ? k : 1;
    }
    return true;
}
