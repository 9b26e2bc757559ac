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

/* Who holds how much of UB: bytes of all buffers, and what some calls take besides. */
static void print_ledger(Arena *a, const json_t *ledger, ExplainLang lang, FILE *to) {
    const json_t *uses = json_object_get(ledger, "uses");
    const char *heads[] = {say(lang, "UB", "UB 用途"), say(lang, "where", "位置"), say(lang, "buffers", "个数"), say(lang, "bytes each", "单个字节"), say(lang, "bytes", "字节"), ""};
    Table *t = table_new(a, sizeof heads / sizeof heads[0], heads);
    json_int_t sum = 0, hidden = 0, have = json_integer_value(json_object_get(ledger, "bytes"));
    for (size_t i = 0; i < json_array_size(uses); i++) {
        const json_t *u = json_array_get(uses, i);
        json_int_t n = json_integer_value(json_object_get(u, "count")), bytes = json_integer_value(json_object_get(u, "bytes"));
        bool is_hidden = json_is_true(json_object_get(u, "hidden"));
        if (!is_hidden) sum += n * bytes;
        else if (bytes > hidden) hidden = bytes; /* they follow each other, so the largest counts */
        const char *cells[] = {text_at(u, "what"), arena_printf(a, "%s:%" JSON_INTEGER_FORMAT, text_at(u, "file"), json_integer_value(json_object_get(u, "line"))),
                               arena_printf(a, "%" JSON_INTEGER_FORMAT, n), arena_printf(a, "%" JSON_INTEGER_FORMAT, bytes),
                               arena_printf(a, "%" JSON_INTEGER_FORMAT, n * bytes), is_hidden ? say(lang, "taken by the API itself", "接口自行占用") : ""};
        table_row(t, cells);
    }
    if (json_array_size(uses) == 0) return;
    table_print(t, to);
    fprintf(to, say(lang, "UB: %" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " bytes in buffers, %" JSON_INTEGER_FORMAT " more at most taken by the API itself\n",
                    "UB: 缓冲区共 %" JSON_INTEGER_FORMAT " / %" JSON_INTEGER_FORMAT " 字节, 接口自行占用最多 %" JSON_INTEGER_FORMAT " 字节\n"),
            sum, have, hidden);
    if (sum + hidden > have)
        fprintf(to, say(lang, "over by %" JSON_INTEGER_FORMAT " bytes\n", "超出 %" JSON_INTEGER_FORMAT " 字节\n"), sum + hidden - have);
}

void check_print(Arena *a, const VerifyResult *r, const char *path, ExplainLang lang, FILE *to) {
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    static const char *const ORDER[] = {"error", "warning", "note"};
    const json_t *checks = json_object_get(r->json, "checks");
    fprintf(to, "%.*s\n", (int)strcspn(r->summary, "\n"), r->summary);
    for (size_t s = 0; s < sizeof ORDER / sizeof ORDER[0]; s++)
        for (size_t i = 0; i < json_array_size(checks); i++) {
            const json_t *c = json_array_get(checks, i);
            if (!strcmp(text_at(c, "severity"), ORDER[s])) print_check(c, file, lang, to);
        }
    print_ledger(a, json_object_get(r->json, "ub_ledger"), lang, to);
}
