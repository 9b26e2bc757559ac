/* Reference files whose inputs come in groups: one operator for all groups that are calls of one graph. And the report of a run. */
#include "cli/gen_int.h"

#include <string.h>

void gen_groups_load(Arena *a, Bridge *b, const char *reference, GenGroups *groups) {
    json_t *params = json_pack("{s:s}", "path", reference);
    BridgeReply reply = {0};
    Err ignored = {0};
    bool ok = params && bridge_call(b, a, "groups", params, NULL, &reply, &ignored);
    json_decref(params);
    const json_t *kinds = ok ? json_object_get(reply.result, "kinds") : NULL;
    groups->n = json_array_size(kinds);
    groups->kind = ARENA_ARRAY(a, groups->n + 1, const char *);
    groups->done = ARENA_ARRAY(a, groups->n + 1, bool);
    groups->order = ARENA_ARRAY(a, groups->n + 1, size_t);
    for (size_t i = 0; i < groups->n; i++) {
        const char *kind = json_string_value(json_array_get(kinds, i));
        groups->kind[i] = arena_strdup(a, kind ? kind : "");
        groups->order[i] = (size_t)json_integer_value(json_array_get(json_object_get(reply.result, "order"), i));
    }
    bridge_reply_clear(&reply);
}

void gen_groups_mark(GenGroups *groups, const GenJob *job, bool ok) {
    for (size_t i = 0; ok && i < job->n_points; i++)
        if ((size_t)job->points[i].group < groups->n) groups->done[job->points[i].group] = true;
    if (ok || (size_t)job->group >= groups->n) return;
    for (size_t i = 0; i < groups->n; i++)
        if (!strcmp(groups->kind[i], groups->kind[job->group])) groups->done[i] = true;
}

bool gen_groups_read(Arena *a, GenJob *job, const json_t *more, Err *err) {
    const Graph *g = job->graph;
    const json_t *groups = json_object_get(more, "groups");
    job->trace_s = json_number_value(json_object_get(more, "seconds"));
    job->n_points = json_array_size(groups);
    job->points = ARENA_ARRAY(a, job->n_points + 1, GraphPoint);
    bool has_own = job->n_points == 0;
    for (size_t i = 0; i < job->n_points; i++) {
        const json_t *m = json_array_get(groups, i), *symbols = json_object_get(m, "symbols");
        int64_t *sizes = ARENA_ARRAY(a, g->n_symbols + 1, int64_t);
        for (size_t k = 0; k < g->n_symbols; k++) sizes[k] = json_integer_value(json_object_get(symbols, g->symbols[k].name));
        job->points[i] = (GraphPoint){.group = (int)json_integer_value(json_object_get(m, "group")),
                                      .variant = (size_t)json_integer_value(json_object_get(m, "variant")),
                                      .sizes = sizes,
                                      .scalars = json_incref(json_object_get(m, "scalars"))};
        if (job->points[i].variant >= g->n_variants || job->points[i].group < 0)
            return err_set(err, ERR_INTERNAL, job->call, "the bridge's groups do not fit its graph");
        has_own = has_own || job->points[i].group == job->group;
    }
    if (has_own) return true;
    err_set(err, ERR_UNSUPPORTED, job->call, "the operator traced from this group is for other inputs than the group has");
    return err_hint(err, "its tensors have several floating dtypes, or sizes that the program ties otherwise");
}

static json_t *groups_json(const GenJob *job) {
    json_t *list = json_array();
    for (size_t i = 0; i < job->n_points; i++) json_array_append_new(list, json_integer(job->points[i].group));
    return list;
}

json_t *gen_report_row(const GenJob *job, const char *description, const char *result, const Err *err) {
    json_t *row = json_pack("{s:s, s:i, s:o, s:s?, s:{s:f, s:f}}", "reference", job->reference, "group", job->group, "groups",
                            groups_json(job), "name", job->name, "seconds", "trace", job->trace_s, "write", job->write_s);
    if (err->code != ERR_OK) {
        json_object_set_new(row, "error", json_pack("{s:s, s:s, s:s, s:s}", "code", err_code_name(err->code), "where", err->where,
                                                    "message", err->message, "hint", err->hint));
        return row;
    }
    json_object_set_new(row, "description", json_string(description));
    json_object_set_new(row, "looks", json_pack("{s:i, s:s?}", "n", job->second_look ? 2 : 1, "why", job->second_look));
    if (!job->verdict.json) return row;
    json_object_set(row, "verdict", json_object_get(job->verdict.json, "verdict"));
    json_object_set_new(row, "result", json_string(result));
    return row;
}
