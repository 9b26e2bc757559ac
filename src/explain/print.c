/* A report as text and as JSON. */
#include "explain/explain_int.h"

#include "base/strbuf.h"

#include <string.h>

#define CAUSES_MAX 6 /* told in full; the rest of a long compiler log says the same */
#define SIGNS_MAX  12

static const struct {
    const char *found, *none, *try_these, *cause, *check, *shown, *run, *also, *more;
} WORDS[] = {
    [EXPLAIN_EN] =
        {.found = "most likely cause first:",
         .none = "Nothing in these lines is known to opwright.",
         .try_these =
             "  - paste more of the log: the first `error:` or EZ line and what surrounds it\n"
             "  - on a card, set ASCEND_SLOG_PRINT_TO_STDOUT=1 ASCEND_LAUNCH_BLOCKING=1 and run again;\n"
             "    the device's own words are in ~/ascend/log/debug/plog, in lines with errorStr\n"
             "  - run the same description on the simulated AI Core, which says line and operand:\n"
             "      opwright verify --local --op NAME --reference_path REF.py --kernel_code_path DESC.py\n"
             "  - see whether the installation is complete: opwright doctor\n",
         .cause = "cause",
         .check = "check",
         .shown = "simulator checks",
         .run = "to see where it is",
         .also = "follows from it or says less:",
         .more = "more"},
    [EXPLAIN_ZH] =
        {.found = "按可能性排序，首个最可能是根因：",
         .none = "这些内容中没有 opwright 认识的错误。",
         .try_these =
             "  - 请粘贴更多日志：第一个 error: 或 EZ 行及其前后内容\n"
             "  - 在 NPU 上设置 ASCEND_SLOG_PRINT_TO_STDOUT=1 ASCEND_LAUNCH_BLOCKING=1 后重跑；\n"
             "    设备给出的原因在 ~/ascend/log/debug/plog 中含 errorStr 的行\n"
             "  - 在模拟的 AI Core 上运行同一描述文件，它会指出行号与操作数：\n"
             "      opwright verify --local --op NAME --reference_path REF.py --kernel_code_path DESC.py\n"
             "  - 检查安装是否完整：opwright doctor\n",
         .cause = "原因",
         .check = "检查",
         .shown = "模拟器检查项",
         .run = "定位命令",
         .also = "由此引起，或信息较少：",
         .more = "更多"},
};

static const char *comma_list(Arena *a, const char *ids) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (const char *p = ids; *p; p++) strbuf_addn(&sb, *p == ' ' ? ", " : p, *p == ' ' ? 2 : 1);
    return sb.text;
}

static void print_place(StrBuf *sb, const ExplainMatch *m, ExplainLang lang) {
    if (!m->line) return; /* an entry of a result object */
    if (lang == EXPLAIN_ZH) strbuf_printf(sb, "第 %zu 行", m->line);
    else strbuf_printf(sb, "line %zu", m->line);
    if (m->count > 1) strbuf_printf(sb, lang == EXPLAIN_ZH ? "，共 %zu 处" : ", %zu times", m->count);
}

static void print_full(Arena *a, StrBuf *sb, size_t number, const ExplainMatch *m, ExplainLang lang) {
    strbuf_printf(sb, "\n%zu. %s [%s]  ", number, m->title[lang], m->id);
    print_place(sb, m, lang);
    strbuf_printf(sb, "\n   > %s\n   %s: %s\n", m->excerpt, WORDS[lang].cause, m->cause[lang]);
    if (*m->check[lang]) strbuf_printf(sb, "   %s: %s\n", WORDS[lang].check, m->check[lang]);
    if (*m->related && strcmp(m->related, m->id) != 0)
        strbuf_printf(sb, "   %s: %s\n", WORDS[lang].shown, comma_list(a, m->related));
}

/* How many of the leading matches are told in full: all causes, or the signs when there is none. */
static size_t leading(const ExplainReport *r) {
    size_t n = 0;
    bool causes = r->matches[0].level <= EXPLAIN_GENERAL;
    while (n < r->n_matches &&
           (causes ? r->matches[n].level <= EXPLAIN_GENERAL : r->matches[n].level == r->matches[0].level))
        n++;
    return n;
}

const char *explain_print(Arena *a, const ExplainReport *r, ExplainLang lang) {
    StrBuf sb;
    strbuf_init(&sb, a);
    if (!r->n_matches) {
        strbuf_printf(&sb, "%s\n%s", WORDS[lang].none, WORDS[lang].try_these);
        return sb.text;
    }
    size_t n_full = leading(r), shown = n_full > CAUSES_MAX ? CAUSES_MAX : n_full;
    strbuf_printf(&sb, "%s\n", WORDS[lang].found);
    for (size_t i = 0; i < shown; i++) print_full(a, &sb, i + 1, &r->matches[i], lang);
    if (n_full > shown) strbuf_printf(&sb, "\n   ... %zu %s\n", n_full - shown, WORDS[lang].more);
    if (*r->facts[lang]) strbuf_printf(&sb, "\n%s\n", r->facts[lang]);
    const char *command = "";
    for (size_t i = 0; i < shown && !*command; i++) command = r->matches[i].command;
    if (*command) strbuf_printf(&sb, "\n%s:\n  %s\n", WORDS[lang].run, command);
    if (n_full < r->n_matches) strbuf_printf(&sb, "\n%s\n", WORDS[lang].also);
    for (size_t i = n_full; i < r->n_matches && i < n_full + SIGNS_MAX; i++) {
        strbuf_printf(&sb, "  [%s] ", r->matches[i].id);
        print_place(&sb, &r->matches[i], lang);
        strbuf_printf(&sb, ": %s\n", r->matches[i].cause[lang]);
    }
    return sb.text;
}

json_t *explain_json(const ExplainReport *r, ExplainLang lang) {
    static const char *const LEVELS[] = {"cause", "general", "sign", "echo"};
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_matches; i++) {
        const ExplainMatch *m = &r->matches[i];
        json_t *related = json_array();
        for (const char *p = m->related; *p;) {
            size_t n = strcspn(p, " ");
            json_array_append_new(related, json_stringn(p, n));
            p += n + (p[n] == ' ');
        }
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:o, s:s}", "id",
                                        m->id, "class", m->cls, "title", m->title[lang], "level",
                                        LEVELS[m->level], "line", (json_int_t)m->line, "count",
                                        (json_int_t)m->count, "excerpt", m->excerpt, "cause", m->cause[lang],
                                        "check", m->check[lang], "checks", related, "command", m->command));
    }
    return json_pack("{s:b, s:o, s:s, s:I}", "recognised", r->n_matches > 0, "matches", list, "facts",
                     r->facts[lang], "lines", (json_int_t)r->n_lines);
}
