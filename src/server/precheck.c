/* Static rules before the service is asked. Only what the sources show by themselves: rules of model_src need
 * its syntax tree, and a description that is more than assignments of text needs Python; the service checks
 * these, before it builds. */
#include "server/client.h"

#include "base/strbuf.h"
#include "desc/desc.h"
#include "server/job.h"

#include <string.h>

static json_t *check_json(const DescViolation *v) {
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s?, s:i, s:i, s:s, s:s}", "check", v->rule, "stage", "rules", "severity",
                  v->kind >= DESC_RULE_NOTE ? "warning" : "error", "source", v->source, "line", v->line,
                  "count", 1, "text", v->message, "text_zh", v->message_zh ? v->message_zh : v->message);
    if (v->hint) json_object_set_new(o, "hint", json_string(v->hint));
    if (v->hint_zh) json_object_set_new(o, "hint_zh", json_string(v->hint_zh));
    return o;
}

static void add_text(StrBuf *sb, const DescViolation *v) {
    strbuf_printf(sb, "  %s %s", v->kind >= DESC_RULE_NOTE ? "warning" : "error", v->source ? v->source : "");
    if (v->line > 0) strbuf_printf(sb, ":%d", v->line);
    strbuf_printf(sb, "%s[%s] %s\n", v->source ? ": " : "", v->rule, v->message);
    if (v->hint) strbuf_printf(sb, "      fix: %s\n", v->hint);
}

json_t *client_precheck(Arena *a, const ClientOptions *o, const char *text) {
    const char *source[DESC_N_SOURCES];
    if (!desc_peek(a, text, source)) return NULL;
    json_t *sources = json_object();
    for (int i = 0; i < DESC_N_SOURCES; i++)
        json_object_set_new(sources, DESC_SOURCE_NAMES[i], json_string(source[i]));
    json_t *worker = json_pack("{s:o, s:{}, s:[]}", "sources", sources, "lines", "rules");
    DescViolation *rules = NULL;
    size_t n_rules = 0;
    Err ignored = {0};
    bool policy = false, names = false;
    const char *first = NULL;
    if (!desc_from_sources(a, o->kernel_code_path, worker, &rules, &n_rules, &ignored)) n_rules = 0;
    json_decref(worker);
    json_t *checks = json_array();
    StrBuf sb, infos;
    strbuf_init(&sb, a);
    strbuf_init(&infos, a);
    for (size_t i = 0; i < n_rules; i++) {
        const DescViolation *v = &rules[i];
        policy = policy || v->kind == DESC_RULE_POLICY;
        names = names || v->kind == DESC_RULE_NAMES;
        if (v->kind < DESC_RULE_NOTE && !first) first = v->message;
        json_array_append_new(checks, check_json(v));
        add_text(&sb, v);
        if (v->kind < DESC_RULE_NOTE) add_text(&infos, v);
    }
    if (!policy && !names) {
        json_decref(checks);
        return NULL;
    }
    const char *verdict = policy ? "REJECTED" : "FAIL";
    Request r = {.op = o->op, .category = o->category, .language = "ascendc"};
    json_t *result = job_plain_result(&r, "sim", verdict, first, NULL), *object = json_array_get(result, 0);
    json_object_set_new(object, "checks", checks);
    json_object_set_new(object, "compile_info", json_string(infos.text));
    const char *summary =
        arena_printf(a, "%s %s: a static rule is broken, nothing was built and the service was not asked\n%s",
                     verdict, o->op, sb.text);
    return json_pack("{s:i, s:s, s:s, s:o, s:s}", "exit_code", 1, "reference_path", o->reference_path,
                     "kernel_code_path", o->kernel_code_path, "result", result, "summary", summary);
}
