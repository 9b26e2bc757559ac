/* Shared by the files of desc only. */
#ifndef OPWRIGHT_DESC_DESC_INT_H
#define OPWRIGHT_DESC_DESC_INT_H

#include "desc/cxx_lex.h"
#include "desc/desc.h"

#include <jansson.h>
#include <stddef.h>

/* ---- rules.c */
typedef enum {
#define RULE(id, name, kind, message, message_zh, hint, hint_zh) RULE_##id,
#include "desc/rules.def"
#undef RULE
    RULE_COUNT
} RuleId;

typedef struct RuleList {
    Arena *arena;
    DescViolation *at;
    size_t n, cap;
} RuleList;

/* Adds a violation. `subject` replaces every %s of the row's texts; NULL when the row has none. */
void rule_add(RuleList *list, RuleId id, DescSource source, int line, const char *subject);
/* One entry of the worker's list. A rule this table does not know keeps the worker's words. */
void rule_add_from_worker(RuleList *list, const json_t *entry);

/* ---- project_json.c: fills op, kernel_name, inputs, outputs, n_combos of *d from its project_json_src. */
bool project_json_parse(Arena *a, Desc *d, Err *err) ERR_CHECKED;

/* ---- json_locate.c: line (1-based) where the value at `path` starts in a JSON text, or of the innermost
 * value that exists; 1 when the text is no JSON. A step is a key or, with key NULL, an index. */
typedef struct JsonStep {
    const char *key;
    size_t index;
} JsonStep;
int json_locate(const char *text, const JsonStep *path, size_t n_steps);

/* ---- check_*.c: static rules on comment-free tokens. */
void check_kernel(RuleList *list, const Desc *d);
void check_host(RuleList *list,
                Desc *d); /* also takes over tensors that only the operator definition has right */
void check_binding(RuleList *list, const Desc *d);
/* What no host code may do, whatever its form: compute, or launch operators by name. */
void check_calls(RuleList *list, const CxxTokens *t);

#endif
