/* traj.json: every verification of a piece of work, in order. Writers take turns by a lock file beside it,
 * because the file itself is replaced at each write. */
#include "store/traj.h"

#include "store/json_text.h"
#include "store/store.h"

#include <string.h>

json_t *traj_read(Arena *a, const char *path, Err *err) {
    json_t *list;
    if (!store_read_json(a, path, &list, err)) return NULL;
    if (!list) {
        err_set(err, ERR_NOT_FOUND, path, "there is no such file");
        return NULL;
    }
    if (json_is_array(list)) return list;
    json_decref(list);
    err_set(err, ERR_BAD_INPUT, path, "is not a list of records; it was left as it is");
    return NULL;
}

static bool append(Arena *a, const char *path, const char *code, const json_t *result, Err *err) {
    Err missing = {0};
    json_t *list = traj_read(a, path, &missing);
    if (!list && missing.code == ERR_NOT_FOUND) list = json_array();
    if (!list) {
        *err = missing;
        return false;
    }
    json_t *text = json_string(code);
    json_array_append_new(list, json_pack("{s:I, s:s, s:o, s:O}", "idx", (json_int_t)json_array_size(list),
                                          "timestamp", store_stamp(a), "code", text ? text : json_string(""),
                                          "result", result));
    bool ok = store_write_json(a, path, list, 2, err);
    json_decref(list);
    return ok;
}

bool traj_append(Arena *a, const char *path, const char *code, const json_t *result, Err *err) {
    int lock = store_lock(arena_printf(a, "%s.lock", path), err);
    bool ok = lock >= 0 && append(a, path, code, result, err);
    store_unlock(lock);
    return ok;
}
