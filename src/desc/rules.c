/* The table of static rules and how a violation is worded. */
#include "desc/desc_int.h"

#include "base/strbuf.h"

#include <string.h>

typedef struct RuleRow {
    const char *name;
    DescRuleKind kind;
    const char *message, *message_zh, *hint, *hint_zh;
} RuleRow;

static const RuleRow ROWS[] = {
#define RULE(id, name_, kind_, message_, message_zh_, hint_, hint_zh_)                                       \
    [RULE_##id] = {name_, DESC_RULE_##kind_, message_, message_zh_, hint_, hint_zh_},
#include "desc/rules.def"
#undef RULE
};

/* `text` with every %s replaced by subject. */
static char *fill(Arena *a, const char *text, const char *subject) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (const char *hole; (hole = strstr(text, "%s")); text = hole + 2) {
        strbuf_addn(&sb, text, (size_t)(hole - text));
        strbuf_add(&sb, subject ? subject : "");
    }
    strbuf_add(&sb, text);
    return sb.text;
}

void rule_add(RuleList *list, RuleId id, DescSource source, int line, const char *subject) {
    const RuleRow *row = &ROWS[id];
    Arena *a = list->arena;
    DescViolation v = {
        .rule = row->name,
        .kind = row->kind,
        .source = DESC_SOURCE_NAMES[source],
        .line = line,
        .message = fill(a, row->message, subject),
        .message_zh = fill(a, row->message_zh, subject),
        .hint = row->hint,
        .hint_zh = row->hint_zh,
    };
    vec_push(a, list, v);
}

static const char *text_of(Arena *a, const json_t *entry, const char *key, const char *fallback) {
    const char *s = json_string_value(json_object_get(entry, key));
    return s && *s ? arena_strdup(a, s) : fallback;
}

void rule_add_from_worker(RuleList *list, const json_t *entry) {
    Arena *a = list->arena;
    const char *name = text_of(a, entry, "rule", "model-rule");
    const RuleRow *row = NULL;
    for (size_t i = 0; i < RULE_COUNT; i++)
        if (!strcmp(ROWS[i].name, name)) row = &ROWS[i];
    const char *message = text_of(a, entry, "message", row ? row->message : name);
    const char *hint = text_of(a, entry, "hint", row ? row->hint : "");
    /* The worker's message names the function and the place; the table's Chinese text is general, so both are
     * given. */
    const char *zh = row ? arena_printf(a, "%s (%s)", row->message_zh, message) : message;
    DescViolation v = {
        .rule = name,
        .kind = DESC_RULE_POLICY,
        .source = DESC_SOURCE_NAMES[DESC_MODEL],
        .line = (int)json_integer_value(json_object_get(entry, "line")),
        .message = message,
        .message_zh = zh,
        .hint = hint,
        .hint_zh = row ? row->hint_zh : hint,
    };
    vec_push(a, list, v);
}
