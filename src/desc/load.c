/* Loads a description: the worker evaluates the file, the meta data is parsed, the static rules are applied.
 */
#include "desc/desc_int.h"

#include <string.h>

const char *const DESC_SOURCE_NAMES[DESC_N_SOURCES] = {
    [DESC_PROJECT_JSON] = "project_json_src",   [DESC_HOST_TILING] = "host_tiling_src",
    [DESC_HOST_OPERATOR] = "host_operator_src", [DESC_KERNEL] = "kernel_src",
    [DESC_PYTHON_BIND] = "python_bind_src",     [DESC_MODEL] = "model_src",
};

static bool take_sources(Arena *a, Desc *d, const json_t *result, Err *err) {
    const json_t *sources = json_object_get(result, "sources"), *lines = json_object_get(result, "lines");
    for (int i = 0; i < DESC_N_SOURCES; i++) {
        const char *name = DESC_SOURCE_NAMES[i];
        const char *text = json_string_value(json_object_get(sources, name));
        if (!text) {
            err_set(err, ERR_BAD_INPUT, d->path, "%s has no string `%s`", d->path, name);
            return err_hint(
                err,
                "a description defines project_json_src, host_tiling_src, host_operator_src, kernel_src, "
                "python_bind_src and model_src");
        }
        d->source[i] = arena_strdup(a, text);
        d->line[i] = (int)json_integer_value(json_object_get(lines, name));
    }
    return true;
}

static void check_sources(RuleList *list, Desc *d) {
    check_host(list, d); /* first: it may settle which tensors count */
    check_kernel(list, d);
    check_binding(list, d);
}

Desc *desc_from_sources(Arena *a, const char *path, const json_t *result, DescViolation **rules,
                        size_t *n_rules, Err *err) {
    Desc *d = ARENA_NEW(a, Desc);
    d->path = arena_strdup(a, path);
    if (!take_sources(a, d, result, err) || !project_json_parse(a, d, err)) return NULL;
    RuleList list = {.arena = a};
    const json_t *found = json_object_get(result, "rules");
    for (size_t i = 0; i < json_array_size(found); i++) rule_add_from_worker(&list, json_array_get(found, i));
    check_sources(&list, d);
    *rules = list.at;
    *n_rules = list.n;
    return d;
}

Desc *desc_from_peek(Arena *a, const char *path, const char *const source[DESC_N_SOURCES]) {
    Err ignored = {0};
    Desc *d = ARENA_NEW(a, Desc);
    d->path = arena_strdup(a, path);
    for (int i = 0; i < DESC_N_SOURCES; i++) d->source[i] = source[i];
    if (!project_json_parse(a, d, &ignored)) return NULL;
    RuleList list = {.arena = a};
    check_sources(&list, d);
    for (size_t i = 0; i < list.n; i++)
        if (list.at[i].kind < DESC_RULE_NOTE) return NULL;
    return d;
}

Desc *desc_load(Arena *a, Bridge *b, const char *path, DescViolation **rules, size_t *n_rules, Err *err) {
    return desc_load_within(a, b, path, 60, rules, n_rules, err);
}

Desc *desc_load_within(Arena *a, Bridge *b, const char *path, double limit_s, DescViolation **rules,
                       size_t *n_rules, Err *err) {
    BridgeReply reply = {0};
    json_t *params = json_pack("{s:s}", "path", path);
    if (!params) {
        err_set(err, ERR_BAD_INPUT, NULL, "the path of the description is not valid UTF-8");
        return NULL;
    }
    const BridgeLimits limits = {.wall_s = limit_s, .memory_mb = 4096};
    bool ok = bridge_call(b, a, "load_desc", params, &limits, &reply, err);
    json_decref(params);
    if (!ok) {
        bridge_reply_clear(&reply);
        return NULL;
    }
    Desc *d = desc_from_sources(a, path, reply.result, rules, n_rules, err);
    bridge_reply_clear(&reply);
    return d;
}
