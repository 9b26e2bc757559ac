/* Which records failed, which later one mended each, and the change between them: files and fields of the
 * existing scripts. */
#include "store/traj.h"

#include "store/diff.h"

#include <string.h>

bool traj_is_correct(const json_t *record) {
    const json_t *result = json_object_get(record, "result"),
                 *exit_code = json_object_get(result, "exit_code");
    const json_t *correctness = json_object_get(json_object_get(result, "summary"), "correctness");
    bool zero = json_is_integer(exit_code) && json_integer_value(exit_code) == 0;
    return zero && (!correctness || json_is_null(correctness) || json_is_true(correctness));
}

json_t *traj_stats(Arena *a, const char *path, const json_t *traj) {
    (void)a;
    json_t *lists[2] = {json_array(), json_array()};
    for (size_t i = 0; i < json_array_size(traj); i++)
        json_array_append_new(lists[traj_is_correct(json_array_get(traj, i))], json_integer((json_int_t)i));
    return json_pack("{s:s, s:I, s:I, s:o, s:I, s:o}", "traj_path", path, "total",
                     (json_int_t)json_array_size(traj), "error_count", (json_int_t)json_array_size(lists[0]),
                     "error_indices", lists[0], "correct_count", (json_int_t)json_array_size(lists[1]),
                     "correct_indices", lists[1]);
}

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text && *text ? text : NULL;
}

/* The result object inside a record's answer. */
static const json_t *item_of(const json_t *record) {
    const json_t *inner = json_object_get(json_object_get(record, "result"), "result");
    return json_is_array(inner) ? json_array_get(inner, 0) : inner;
}

const char *traj_error_text(Arena *a, const json_t *record) {
    const char *reason = text_at(json_object_get(json_object_get(record, "result"), "summary"), "reason");
    if (reason) return arena_strdup(a, reason);
    const json_t *item = item_of(record);
    const char *compile = text_at(item, "compile_info"), *correctness = text_at(item, "correctness_info");
    char *both = arena_printf(a, "%s%s", compile ? compile : "", correctness ? correctness : "");
    both += strspn(both, " \t\r\n");
    size_t n = strlen(both);
    while (n && strchr(" \t\r\n", both[n - 1])) n--;
    return arena_strndup(a, both, n);
}

/* summary.op, op, then the description's file name without its ending. */
static const char *infer_op(Arena *a, const json_t *record) {
    const json_t *result = json_object_get(record, "result");
    const char *op = text_at(json_object_get(result, "summary"), "op"),
               *path = text_at(result, "kernel_code_path");
    if (!op) op = text_at(result, "op");
    if (op) return arena_strdup(a, op);
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    const char *dot = name && *name ? strrchr(name + 1, '.') : NULL;
    if (name && *name) return dot ? arena_strndup(a, name, (size_t)(dot - name)) : arena_strdup(a, name);
    op = text_at(item_of(record), "op");
    return op ? arena_strdup(a, op) : "unknown_op";
}

/* The next correct record after `at`, else the nearest before it; the list holds at least one. */
static size_t partner(const json_t *traj, size_t at) {
    size_t n = json_array_size(traj);
    for (size_t i = at + 1; i < n; i++)
        if (traj_is_correct(json_array_get(traj, i))) return i;
    size_t i = at;
    while (!traj_is_correct(json_array_get(traj, i))) i--;
    return i;
}

static const char *code_of(const json_t *record) {
    const char *code = text_at(record, "code");
    return code ? code : "";
}

static json_t *make_pair(Arena *a, const json_t *traj, size_t idx, size_t wrong_at, const char *op,
                         Err *err) {
    size_t right_at = partner(traj, wrong_at);
    const json_t *wrong = json_array_get(traj, wrong_at), *right = json_array_get(traj, right_at);
    const char *diff =
        diff_unified(a, code_of(wrong), code_of(right), arena_printf(a, "error_idx_%zu", wrong_at),
                     arena_printf(a, "correct_idx_%zu", right_at), err);
    if (!diff) return NULL;
    json_t *pair =
        json_pack("{s:I, s:s, s:s, s:I, s:I, s:s, s:s, s:s, s:s}", "idx", (json_int_t)idx, "code_pair_name",
                  arena_printf(a, "%s_%zu_%zu", op, right_at, wrong_at), "op", op, "error_idx",
                  (json_int_t)wrong_at, "correct_idx", (json_int_t)right_at, "error_code", code_of(wrong),
                  "code_diff", diff, "error", traj_error_text(a, wrong), "summary", "");
    if (!pair) {
        err_set(err, ERR_BAD_INPUT, NULL, "record %zu holds a text that is not UTF-8", wrong_at);
        return NULL;
    }
    /* For the replay; readers of the established form pass it over. */
    const char *reference = text_at(json_object_get(right, "result"), "reference_path");
    if (reference) json_object_set_new(pair, "reference_path", json_string(reference));
    return pair;
}

json_t *traj_pairs(Arena *a, const json_t *traj, const char *op, Err *err) {
    size_t n = json_array_size(traj), first_right = n;
    for (size_t i = n; i-- > 0;)
        if (traj_is_correct(json_array_get(traj, i))) first_right = i;
    json_t *pairs = json_array();
    if (first_right == n) return pairs;
    if (!op) op = infer_op(a, json_array_get(traj, first_right));
    for (size_t i = 0; i < n; i++) {
        if (traj_is_correct(json_array_get(traj, i))) continue;
        json_t *pair = make_pair(a, traj, json_array_size(pairs), i, op, err);
        if (!pair) {
            json_decref(pairs);
            return NULL;
        }
        json_array_append_new(pairs, pair);
    }
    return pairs;
}
