/* What a pair's summary can say by itself: the checker's diagnostics of the failed record name the cause and
 * the cure, and the two versions' sections show which calls came and went. */
#include "store/traj.h"

#include "base/strbuf.h"
#include "desc/cxx_lex.h"
#include "desc/desc.h"
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

#define CALLS_MAX  8 /* named in a summary */
#define CAUSES_MAX 3

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text && *text ? text : NULL;
}

static const char *first_line(Arena *a, const char *text) {
    return arena_strndup(a, text, strcspn(text, "\n"));
}

/* ---- cause and cure -------------------------------------------------------------------------- */

/* The words of a summary, in both languages. */
enum { CAUSE, FIX, NOW, GONE, CHANGED };
static const char *const WORDS[][2] = {[CAUSE] = {"Cause: ", "原因: "},
                                       [FIX] = {"Fix: ", "修复: "},
                                       [NOW] = {"Now called: ", "新增调用: "},
                                       [GONE] = {"No longer called: ", "去掉的调用: "},
                                       [CHANGED] = {"Changed sections: ", "改动的部分: "}};

static const char *end_of(int lang) {
    return lang ? "。" : ". ";
}

static bool from_checks(Arena *a, StrBuf *sb, const json_t *checks, int lang) {
    const char *hint = NULL;
    int n = 0;
    for (size_t i = 0; i < json_array_size(checks) && n < CAUSES_MAX; i++) {
        const json_t *c = json_array_get(checks, i);
        const char *severity = text_at(c, "severity"), *text = text_at(c, lang ? "text_zh" : "text"),
                   *source = text_at(c, "source");
        if (!text) text = text_at(c, "text");
        if (!severity || strcmp(severity, "error") != 0 || !text) continue;
        const char *api = text_at(c, "api"), *id = text_at(c, "check");
        json_int_t line = json_integer_value(json_object_get(c, "line"));
        strbuf_printf(sb, "%s[%s] %s", n++ ? "; " : WORDS[CAUSE][lang], id ? id : "?", first_line(a, text));
        if (source && line)
            strbuf_printf(sb, " (%s:%lld%s%s)", source, (long long)line, api ? ", " : "", api ? api : "");
        else if (api || source) strbuf_printf(sb, " (%s)", api ? api : source);
        if (!hint && (!id || strcmp(id, "output-mismatch") != 0))
            hint = text_at(c, lang ? "hint_zh" : "hint"); /* that one's says nothing here */
    }
    if (n) strbuf_add(sb, end_of(lang));
    if (hint) strbuf_printf(sb, "%s%s%s", WORDS[FIX][lang], hint, end_of(lang));
    return n > 0;
}

/* A result of another verifier: what its log means. */
static bool from_log(Arena *a, StrBuf *sb, const char *log, int lang) {
    ExplainReport r;
    Err ignored = {0};
    if (!*log) return false;
    if (explain_log(a, log, strlen(log), &r, &ignored) && r.n_matches) {
        const ExplainMatch *m = &r.matches[0];
        strbuf_printf(sb, "%s%s%s%s%s%s", WORDS[CAUSE][lang], m->cause[lang], end_of(lang), WORDS[FIX][lang],
                      m->check[lang], end_of(lang));
        return true;
    }
    strbuf_printf(sb, "%s%s%s", WORDS[CAUSE][lang], first_line(a, log), end_of(lang));
    return true;
}

/* ---- the change ------------------------------------------------------------------------------ */

/* Counts of called names; a name with a capital is one of the vendor's or a method made like one. */
static json_t *count_calls(Arena *a, const char *source) {
    CxxTokens t = cxx_lex(a, source);
    json_t *calls = json_object();
    for (size_t i = 0; i + 1 < t.n && t.at[i].kind != CXX_END; i++) {
        const CxxToken *name = &t.at[i];
        if (name->kind != CXX_IDENT || name->text[0] < 'A' || name->text[0] > 'Z') continue;
        if (!cxx_is(&t.at[i + 1], "(") && !cxx_is(&t.at[i + 1], "<")) continue;
        const char *key = arena_strndup(a, name->text, name->n_bytes);
        json_object_set_new(calls, key, json_integer(json_integer_value(json_object_get(calls, key)) + 1));
    }
    return calls;
}

/* Names in `to` that are not called, or called less often, in `from`. */
static void add_calls(StrBuf *sb, const char *word, json_t *from, json_t *to, int lang) {
    const char *name;
    json_t *count;
    int n = 0;
    json_object_foreach(to, name, count) {
        if (json_integer_value(count) <= json_integer_value(json_object_get(from, name)) || n == CALLS_MAX)
            continue;
        strbuf_printf(sb, "%s%s", n++ ? ", " : word, name);
    }
    if (n) strbuf_add(sb, end_of(lang));
}

static void add_change(Arena *a, StrBuf *sb, const char *wrong, const char *right, int lang) {
    const char *from[DESC_N_SOURCES], *to[DESC_N_SOURCES];
    if (!desc_peek(a, wrong, from) || !desc_peek(a, right, to)) return;
    int n = 0;
    for (int s = 0; s < DESC_N_SOURCES; s++)
        if (strcmp(from[s], to[s]) != 0)
            strbuf_printf(sb, "%s%s", n++ ? ", " : WORDS[CHANGED][lang], DESC_SOURCE_NAMES[s]);
    if (n) strbuf_add(sb, end_of(lang));
    json_t *before = count_calls(a, arena_printf(a, "%s\n%s", from[DESC_KERNEL], from[DESC_HOST_OPERATOR]));
    json_t *after = count_calls(a, arena_printf(a, "%s\n%s", to[DESC_KERNEL], to[DESC_HOST_OPERATOR]));
    add_calls(sb, WORDS[NOW][lang], before, after, lang);
    add_calls(sb, WORDS[GONE][lang], after, before, lang);
    json_decref(before);
    json_decref(after);
}

const char *traj_propose_summary(Arena *a, const json_t *wrong, const json_t *right, int lang) {
    StrBuf sb;
    strbuf_init(&sb, a);
    const json_t *inner = json_object_get(json_object_get(wrong, "result"), "result");
    const json_t *item = json_is_array(inner) ? json_array_get(inner, 0) : inner;
    if (!from_checks(a, &sb, json_object_get(item, "checks"), lang))
        from_log(a, &sb, traj_error_text(a, wrong), lang);
    const char *before = text_at(wrong, "code"), *after = text_at(right, "code");
    if (before && after) add_change(a, &sb, before, after, lang);
    while (sb.n_bytes && sb.text[sb.n_bytes - 1] == ' ') sb.text[--sb.n_bytes] = '\0';
    return sb.text;
}
