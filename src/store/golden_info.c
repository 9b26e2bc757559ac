/* info.json and the records of versions: reading, also when somebody's editor or a full disk has broken them.
 */
#include "store/golden_int.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *golden_dir(Arena *a, const char *dir, Err *err) {
    if (dir) return store_absolute(a, dir);
    const char *root = store_root(a, err);
    return root ? arena_printf(a, "%s/reference/golden_solutions", root) : NULL;
}

int golden_lock(Arena *a, const char *dir, Err *err) {
    return store_lock(arena_printf(a, "%s/.lock", dir), err);
}

const char *golden_code_path(Arena *a, const char *dir, const char *op) {
    return arena_printf(a, "%s/%s.py", dir, op);
}

const char *golden_version_path(Arena *a, const char *dir, const char *op, const char *hash,
                                const char *suffix) {
    return arena_printf(a, "%s/versions/%s/%s%s", dir, op, hash, suffix);
}

/* ---- records --------------------------------------------------------------------------------- */

json_t *golden_record_read(Arena *a, const char *dir, const char *op, const char *hash, Err *err) {
    const char *path = golden_version_path(a, dir, op, hash, ".json");
    json_t *record;
    if (!store_read_json(a, path, &record, err)) return NULL;
    if (!record) record = json_pack("{s:s, s:s, s:{}}", "op", op, "hash", hash, "results");
    if (json_is_object(record) && json_is_object(json_object_get(record, "results"))) return record;
    json_decref(record);
    err_set(err, ERR_BAD_INPUT, path,
            "is not the record of a version (an object with `results`); it was left as it is");
    return NULL;
}

bool golden_record_write(Arena *a, const char *dir, const char *op, const char *hash, const json_t *record,
                         Err *err) {
    return store_write_json(a, golden_version_path(a, dir, op, hash, ".json"), record, 2, err);
}

const json_t *golden_record_best(const json_t *record) {
    const json_t *results = json_object_get(record, "results"), *best = NULL;
    GoldenTime best_time = {0};
    const char *key;
    json_t *item;
    json_object_foreach((json_t *)json_object_get(record, "results"), key, item) {
        GoldenTime t = golden_time(item);
        bool better = !best || t.kind > best_time.kind ||
                      (t.kind == best_time.kind && (t.kind == GOLDEN_NO_TIME || t.ms < best_time.ms));
        if (better) best = item, best_time = t;
    }
    return results ? best : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

static int by_name(const void *x, const void *y) {
    return strcmp(*(char *const *)x, *(char *const *)y);
}

/* Folders of versions/. */
static bool version_ops(Arena *a, const char *dir, json_t *names, Err *err) {
    const char *path = arena_printf(a, "%s/versions", dir);
    DIR *d = opendir(path);
    if (!d)
        return errno == ENOENT || err_set(err, ERR_IO, path, "cannot read the folder: %s", strerror(errno));
    for (const struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.') json_object_set_new(names, e->d_name, json_true());
    closedir(d);
    return true;
}

bool golden_ops(Arena *a, const char *dir, char ***ops, size_t *n_ops, Err *err) {
    json_t *names = json_object(), *info = NULL;
    bool ok = store_read_json(a, arena_printf(a, "%s/info.json", dir), &info, err) &&
              version_ops(a, dir, names, err);
    const char *key;
    json_t *value;
    json_object_foreach(info, key, value) json_object_set_new(names, key, json_true());
    *ops = ARENA_ARRAY(a, json_object_size(names), char *);
    *n_ops = 0;
    json_object_foreach(names, key, value)(*ops)[(*n_ops)++] = arena_strdup(a, key);
    qsort(*ops, *n_ops, sizeof **ops, by_name);
    json_decref(info);
    json_decref(names);
    return ok;
}

/* ---- info.json ------------------------------------------------------------------------------- */

/* What <op>.py is, from the record of the version with its text; NULL when no record knows it. */
static json_t *item_from_versions(Arena *a, const char *dir, const char *op) {
    Err ignored = {0};
    size_t n = 0;
    const char *text = fs_read(a, golden_code_path(a, dir, op), &n, &ignored);
    json_t *record = text ? golden_record_read(a, dir, op, store_hash16(a, text, n), &ignored) : NULL;
    json_t *item = json_incref((json_t *)golden_record_best(record));
    json_decref(record);
    return item;
}

/* Members before the fault, then what the versions know and the text has not. */
static bool rebuild(Arena *a, const char *dir, const JsonTop *top, const char *broken, GoldenInfo *info,
                    size_t *n_kept, Err *err) {
    const char *whole = top->members_end ? arena_printf(a, "%.*s\n}", (int)top->members_end, broken) : "{}";
    json_t *o = json_loads(whole, 0, NULL), *names = json_object();
    if (!o) o = json_object();
    bool ok = version_ops(a, dir, names, err);
    const char *op;
    json_t *value;
    json_object_foreach(names, op, value) {
        Arena *scratch = arena_new();
        json_t *item = json_object_get(o, op) ? NULL : item_from_versions(scratch, dir, op);
        if (item) json_object_set_new(o, op, item);
        arena_free(scratch);
    }
    *n_kept = json_object_size(o);
    info->text = json_text_print(a, o, GOLDEN_INFO_INDENT, 0);
    info->n_bytes = strlen(info->text);
    json_decref(names);
    json_decref(o);
    return ok;
}

static bool mend(Arena *a, const char *dir, const char *op, const JsonTop *top, GoldenInfo *info,
                 const Err *why, Err *err) {
    const char *aside = store_keep_aside(a, info->path, info->text, info->n_bytes, err);
    size_t n_kept = 0;
    if (!aside || !rebuild(a, dir, top, info->text, info, &n_kept, err)) return false;
    info->broken_note =
        arena_printf(a, "%s: %s; it is kept as %s, and a new one was made from what was whole: %zu operators",
                     info->path, why->message, aside, n_kept);
    return json_top_scan(info->text, info->n_bytes, op, &info->top, err);
}

bool golden_info_read(Arena *a, const char *dir, const char *op, GoldenInfo *info, Err *err) {
    *info = (GoldenInfo){.path = arena_printf(a, "%s/info.json", dir), .text = "{}", .n_bytes = 2};
    if (fs_exists(info->path)) {
        info->text = fs_read(a, info->path, &info->n_bytes, err);
        if (!info->text) return false;
    }
    Err why = {0};
    JsonTop top;
    if (!json_top_scan(info->text, info->n_bytes, op, &top, &why))
        return mend(a, dir, op, &top, info, &why, err);
    info->top = top;
    return true;
}

json_t *golden_info_item(const GoldenInfo *info) {
    if (!info->top.found) return NULL;
    return json_loadb(info->text + info->top.value_at, info->top.value_end - info->top.value_at,
                      JSON_DECODE_ANY, NULL);
}
