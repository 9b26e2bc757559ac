/* The texts a model gets. The findings come first and the file last, so that what is cut off by a short
 * memory is the least. */
#include "improve/prompt.h"

#include "base/strbuf.h"

#include <string.h>

#define FINDINGS_MAX 12
#define GOLDEN_MAX   24000 /* bytes; a longer one is left out: half a kernel teaches nothing */
#define LESSONS_MAX  3

const char PROMPT_SYSTEM[] =
    "You correct AscendC operators for Huawei Ascend NPUs. A description is one Python file with six "
    "module-level strings: project_json_src, "
    "host_tiling_src, host_operator_src, kernel_src, python_bind_src, model_src. A checker builds it, runs "
    "it on a simulated AI Core and compares "
    "it with a PyTorch reference.\n"
    "Rules:\n"
    "- All computation happens in kernel_src. model_src may create parameters and views, python_bind_src may "
    "allocate and launch; neither may "
    "compute, nor call other operators. What breaks this is rejected.\n"
    "- The operator must hold for other shapes than the test's: no sizes or attributes of the test as "
    "constants, and no single block to hide "
    "a race between cores.\n"
    "- Change as little as possible, only what the findings are about.\n"
    "Answer with changes in exactly this form, as many as needed, and nothing else of the file:\n"
    "<<<<<<< SEARCH\n"
    "lines of the file exactly as they stand, enough that they stand there only once\n"
    "=======\n"
    "the lines that take their place\n"
    ">>>>>>> REPLACE\n";

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static void add_finding(StrBuf *sb, const json_t *c) {
    json_int_t line = json_integer_value(json_object_get(c, "file_line"));
    strbuf_printf(sb, "- %s [%s]", text_at(c, "severity"), text_at(c, "check"));
    if (*text_at(c, "source")) strbuf_printf(sb, " %s", text_at(c, "source"));
    if (line) strbuf_printf(sb, ", line %lld of the file", (long long)line);
    strbuf_printf(sb, ": %.1500s\n", text_at(c, "text"));
    if (*text_at(c, "hint")) strbuf_printf(sb, "  to mend it: %.600s\n", text_at(c, "hint"));
}

static void add_findings(StrBuf *sb, const json_t *result) {
    const json_t *checks = json_object_get(result, "checks");
    size_t n = 0;
    strbuf_printf(sb, "\n## What the checker found (verdict %s)\n", text_at(result, "verdict"));
    for (int errors = 1; errors >= 0; errors--) /* errors before warnings */
        for (size_t i = 0; i < json_array_size(checks) && n < FINDINGS_MAX; i++) {
            const json_t *c = json_array_get(checks, i);
            if ((!strcmp(text_at(c, "severity"), "error")) != errors ||
                !strcmp(text_at(c, "severity"), "note"))
                continue;
            add_finding(sb, c);
            n++;
        }
    if (n == 0) strbuf_printf(sb, "%.3000s\n", text_at(result, "error_message"));
}

static void add_memory(Arena *a, StrBuf *sb, const PromptFacts *f) {
    const char *name, *golden = recall_golden(a, f->root, f->op, &name),
                      *lessons = recall_lessons(a, f->root, f->op, f->result, LESSONS_MAX);
    if (*lessons) strbuf_printf(sb, "\n## Lessons that held when they were replayed\n%s", lessons);
    if (golden && strlen(golden) <= GOLDEN_MAX && strcmp(golden, f->description) != 0)
        strbuf_printf(sb, "\n## A verified solution of a near operator (%s)\n```python\n%s\n```\n", name,
                      golden);
}

const char *prompt_question(Arena *a, const PromptFacts *f) {
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_printf(&sb, "Operator `%s` for %s.\n", f->op, f->chip);
    add_findings(&sb, f->result);
    if (*f->earlier) strbuf_printf(&sb, "\n## What earlier changes came to\n%s", f->earlier);
    if (f->refusal) strbuf_printf(&sb, "\n## Your last answer could not be used\n%s\n", f->refusal);
    strbuf_printf(&sb, "\n## The reference (never to be changed)\n```python\n%s\n```\n", f->reference);
    if (f->root) add_memory(a, &sb, f);
    strbuf_printf(&sb, "\n## The file to correct\n```python\n%s\n```\n", f->description);
    return sb.text;
}
