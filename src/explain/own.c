/* Results of opwright itself: the result object and the summary it prints. */
#include "explain/explain_int.h"

#include "base/strbuf.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

typedef struct KnownCheck {
    const char *id, *hint[EXPLAIN_N_LANGS];
} KnownCheck;

/* Every id a result can hold: the simulator's, the static rules', the runtime's, and those of docs/result.md.
 */
static const KnownCheck KNOWN[] = {
#define CHECK(id, name, severity, text, text_zh, hint, hint_zh) {name, {hint, hint_zh}},
#include "sim/checks.def"
#undef CHECK
#define RULE(id, name, kind, text, text_zh, hint, hint_zh) {name, {hint, hint_zh}},
#include "desc/rules.def"
#undef RULE
#define FINDING(id, name, severity, file, text, text_zh, hint, hint_zh) {name, {hint, hint_zh}},
#include "runtime/findings.def"
#undef FINDING
#define STAGE(name) {name, {"", ""}},
    STAGE("description") STAGE("compile") STAGE("compile-timeout") STAGE("candidate-import")
        STAGE("candidate-construct") STAGE("candidate-forward") STAGE("candidate-tiling")
            STAGE("candidate-launch") STAGE("run-crash") STAGE("run-timeout") STAGE("out-of-memory")
                STAGE("torch-fallback") STAGE("kernel-not-launched") STAGE("input-changed")
                    STAGE("output-count") STAGE("output-shape") STAGE("output-dtype") STAGE("output-mismatch")
#undef STAGE
};

bool explain_known_check(const char *id, const char *text[EXPLAIN_N_LANGS]) {
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0]; i++)
        if (!strcmp(KNOWN[i].id, id)) {
            for (int k = 0; k < EXPLAIN_N_LANGS; k++) text[k] = KNOWN[i].hint[k];
            return true;
        }
    return false;
}

/* Length of the valid UTF-8 sequence at p, 0 when there is none. */
static size_t utf8_length(const unsigned char *p) {
    size_t n = p[0] < 0x80                   ? 1
               : p[0] >= 0xC2 && p[0] < 0xE0 ? 2
               : (p[0] & 0xF0) == 0xE0       ? 3
               : p[0] >= 0xF0 && p[0] < 0xF5 ? 4
                                             : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xC0) != 0x80) return 0;
    if (n == 3 && ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] >= 0xA0))) return 0;
    if (n == 4 && ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] >= 0x90))) return 0;
    return n;
}

const char *excerpt_of(Arena *a, const char *line, size_t at) {
    size_t n = strlen(line), start = at > EXPLAIN_EXCERPT_MAX / 2 && n > EXPLAIN_EXCERPT_MAX ? at - 40 : 0;
    while (start < n && ((unsigned char)line[start] & 0xC0) == 0x80) start++; /* not inside a character */
    while (start < n && isspace((unsigned char)line[start])) start++;
    char out[EXPLAIN_EXCERPT_MAX + 1];
    size_t used = 0;
    bool in_escape = false; /* colours of a terminal */
    for (size_t i = start; i < n;) {
        unsigned char c = (unsigned char)line[i];
        size_t len = utf8_length((const unsigned char *)line + i);
        size_t step = len ? len : 1;
        if (c == 0x1B) in_escape = true;
        else if (in_escape) in_escape = !isalpha(c);
        else {
            if (used + step > EXPLAIN_EXCERPT_MAX - 3) {
                memcpy(out + used, "...", 3);
                used += 3;
                break;
            }
            if (!len) out[used++] = '?';
            else if (len == 1) out[used++] = (char)(c < 0x20 || c == 0x7F ? ' ' : c);
            else {
                memcpy(out + used, line + i, len);
                used += len;
            }
        }
        i += step;
    }
    while (used && out[used - 1] == ' ') used--;
    return arena_strndup(a, out, used);
}

static ExplainMatch own_match(const char *id, const char *severity) {
    static const char *const TITLE[] = {"a check of opwright", "opwright 的检查"};
    ExplainMatch m = {.id = id,
                      .level = !strcmp(severity, "error") ? EXPLAIN_CAUSE : EXPLAIN_SIGN,
                      .cls = "check",
                      .related = id,
                      .command = "",
                      .column = 1,
                      .count = 1};
    for (int k = 0; k < EXPLAIN_N_LANGS; k++) m.title[k] = TITLE[k];
    return m;
}

bool own_line(Arena *a, const char *line, ExplainMatch *m) {
    static const char *const SEVERITIES[] = {"error", "warning", "note"};
    const char *p = line + strspn(line, " ");
    for (size_t i = 0; i < sizeof SEVERITIES / sizeof SEVERITIES[0]; i++) {
        size_t n = strlen(SEVERITIES[i]);
        if (strncmp(p, SEVERITIES[i], n) != 0 || p[n] != ' ') continue;
        const char *open = strchr(p + n, '['), *close = open ? strchr(open, ']') : NULL;
        if (!close || close[1] != ' ') return false;
        const char *id = arena_strndup(a, open + 1, (size_t)(close - open - 1)), *hint[EXPLAIN_N_LANGS];
        if (!explain_known_check(id, hint)) return false;
        *m = own_match(id, SEVERITIES[i]);
        m->excerpt = excerpt_of(a, p, 0);
        for (int k = 0; k < EXPLAIN_N_LANGS; k++) {
            m->cause[k] = excerpt_of(a, close + 2, 0);
            m->check[k] = hint[k];
        }
        return true;
    }
    return false;
}

static const char *text_of(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static const char *first_of(const char *x, const char *y) {
    return *x ? x : y;
}

/* An entry of `checks` in a result object. */
static void take_check(Arena *a, const json_t *check, MatchList *found) {
    const char *id = text_of(check, "check");
    if (!*id) return;
    ExplainMatch m = own_match(arena_strdup(a, id), first_of(text_of(check, "severity"), "error"));
    const char *text = text_of(check, "text"), *hint = text_of(check, "hint");
    m.cause[EXPLAIN_EN] = arena_strdup(a, text);
    m.cause[EXPLAIN_ZH] = arena_strdup(a, first_of(text_of(check, "text_zh"), text));
    m.check[EXPLAIN_EN] = arena_strdup(a, hint);
    m.check[EXPLAIN_ZH] = arena_strdup(a, first_of(text_of(check, "hint_zh"), hint));
    const json_t *line = json_object_get(check, "line");
    const char *source = text_of(check, "source");
    m.excerpt =
        excerpt_of(a,
                   json_is_integer(line) && *source
                       ? arena_printf(a, "%s:%lld: %s", source, (long long)json_integer_value(line), text)
                       : text,
                   0);
    vec_push(a, found, m);
}

/* Results nest a few levels; what is deeper is not ours. */
#define DEPTH_MAX 16

static void flatten(Arena *a, const json_t *j, int depth, StrBuf *sb, MatchList *found) {
    if (depth > DEPTH_MAX) return;
    if (json_is_string(j)) {
        strbuf_addn(sb, json_string_value(j), json_string_length(j));
        strbuf_add(sb, "\n");
    }
    size_t i;
    const json_t *item;
    json_array_foreach(j, i, item) flatten(a, item, depth + 1, sb, found);
    const char *key;
    json_object_foreach((json_t *)(uintptr_t)j, key, item) {
        if (strcmp(key, "checks") != 0 || !json_is_array(item)) {
            flatten(a, item, depth + 1, sb, found);
            continue;
        }
        size_t k;
        const json_t *check;
        json_array_foreach(item, k, check) take_check(a, check, found);
    }
}

char *own_flatten(Arena *a, const char *text, size_t n_bytes, MatchList *found) {
    size_t i = 0;
    while (i < n_bytes && isspace((unsigned char)text[i])) i++;
    if (i == n_bytes || (text[i] != '{' && text[i] != '[')) return NULL;
    json_t *j = json_loadb(text, n_bytes, JSON_ALLOW_NUL, NULL);
    if (!j) return NULL;
    StrBuf sb;
    strbuf_init(&sb, a);
    flatten(a, j, 0, &sb, found);
    json_decref(j);
    for (size_t k = 0; k < sb.n_bytes; k++)
        if (!sb.text[k]) sb.text[k] = ' ';
    return sb.text;
}
