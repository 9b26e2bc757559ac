/* The result of `opwright check` for people, in English or Chinese. */
#include "cli/check_int.h"
#include "cli/table.h"

#include <string.h>

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

static const char *say(ExplainLang lang, const char *en, const char *zh) {
    return lang == EXPLAIN_ZH ? zh : en;
}

static const char *severity_text(const char *severity, ExplainLang lang) {
    static const struct {
        const char *id, *zh;
    } NAMES[] = {{"error", "错误"}, {"warning", "警告"}, {"note", "提示"}};
    for (size_t i = 0; lang == EXPLAIN_ZH && i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (!strcmp(severity, NAMES[i].id)) return NAMES[i].zh;
    return severity;
}

/* "kernel_src:57 (add.py:120): " or what of it is known. */
static void print_place(const json_t *c, const char *file, FILE *to) {
    json_int_t line = json_integer_value(json_object_get(c, "line")), in_file = json_integer_value(json_object_get(c, "file_line"));
    const char *source = text_at(c, "source");
    if (!*source) return;
    fputs(source, to);
    if (line > 0) fprintf(to, ":%" JSON_INTEGER_FORMAT, line);
    if (in_file > 0) fprintf(to, " (%s:%" JSON_INTEGER_FORMAT ")", file, in_file);
    fputs(": ", to);
}

/* Further lines of a text are set in. */
static void print_indented(const char *text, FILE *to) {
    for (; *text; text++) {
        fputc(*text, to);
        if (*text == '\n') fputs("      ", to);
    }
}

static void print_check(const json_t *c, const char *file, ExplainLang lang, FILE *to) {
    fprintf(to, "  %s ", severity_text(text_at(c, "severity"), lang));
    print_place(c, file, to);
    fprintf(to, "[%s] ", text_at(c, "check"));
    print_indented(text_at(c, say(lang, "text", "text_zh")), to);
    json_int_t count = json_integer_value(json_object_get(c, "count"));
    if (count > 1) fprintf(to, say(lang, " (%" JSON_INTEGER_FORMAT " times)", " (共 %" JSON_INTEGER_FORMAT " 次)"), count);
    fputc('\n', to);
    const char *hint = text_at(c, say(lang, "hint", "hint_zh"));
    if (*hint) {
        fputs(say(lang, "      fix: ", "      处理: "), to);
        print_indented(hint, to);
        fputc('\n', to);
    }
    fprintf(to, "      %s%s\n", say(lang, "see: ", "说明: "), text_at(c, "page"));
}

void check_print(Arena *a, const VerifyResult *r, const char *path, ExplainLang lang, FILE *to) {
    (void)a;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    static const char *const ORDER[] = {"error", "warning", "note"};
    const json_t *checks = json_object_get(r->json, "checks");
    fprintf(to, "%.*s\n", (int)strcspn(r->summary, "\n"), r->summary);
    for (size_t s = 0; s < sizeof ORDER / sizeof ORDER[0]; s++)
        for (size_t i = 0; i < json_array_size(checks); i++) {
            const json_t *c = json_array_get(checks, i);
            if (!strcmp(text_at(c, "severity"), ORDER[s])) print_check(c, file, lang, to);
        }
}
