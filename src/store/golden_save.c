/* opwright golden save: from a result object to the files of the store. */
#include "store/golden_int.h"

#include "base/fs.h"
#include "store/store.h"

#include <string.h>

/* ---- the result ------------------------------------------------------------------------------ */

typedef struct Work {
    Arena *arena;
    const GoldenSave *o;
    GoldenSaved *out;
    json_t *result; /* owns item */
    json_t *item;   /* the result object with saved_at */
    const char *op, *code_path, *reference_path, *stamp;
    const char *code, *hash;
    size_t n_code;
} Work;

/* The result object inside any of the three shapes; NULL and *err. */
static json_t *find_item(const char *path, json_t *result, Err *err) {
    json_t *list = json_is_array(result) ? result : json_object_get(result, "result");
    json_t *item = !list ? result : json_is_array(list) ? json_array_get(list, 0) : NULL;
    if (json_is_object(item)) return item;
    err_set(err, ERR_BAD_INPUT, path, "is no result of a verification: %s",
            json_is_array(list) && json_array_size(list) == 0
                ? "its list of results is empty"
                : "an object, a list of objects or an object with a `result` list is wanted");
    return NULL;
}

static bool take_text(const json_t *o, const char *key, const char *path, const char **out, Err *err) {
    const json_t *value = json_object_get(o, key);
    if (!value || json_is_null(value)) return true;
    *out = json_string_value(value);
    return *out || err_set(err, ERR_BAD_INPUT, path, "`%s` is not a text", key);
}

/* Operator and places: the result's own names count, except for a reference that was given. */
static bool take_names(Work *w, Err *err) {
    const char *path = w->o->result_path, *reference = NULL;
    w->op = w->o->op;
    w->code_path = w->o->code_path;
    if (!take_text(w->item, "op", path, &w->op, err)) return false;
    for (int i = 0; i < 2; i++) { /* the item first, then the object around it, which counts more */
        const json_t *o = i ? w->result : w->item;
        if (!take_text(o, "kernel_code_path", path, &w->code_path, err) ||
            !take_text(o, "reference_path", path, &reference, err))
            return false;
    }
    w->reference_path = w->o->reference_path ? w->o->reference_path : reference;
    if (!w->op) return err_set(err, ERR_BAD_INPUT, path, "no operator name in the result: give --op");
    if (!w->code_path)
        return err_set(err, ERR_BAD_INPUT, path,
                       "no path of the description in the result: give --kernel_code_path");
    w->op = arena_strdup(w->arena, w->op);
    /* What came out of the result goes with it: the names are needed longer. */
    w->code_path = store_absolute(w->arena, arena_strdup(w->arena, w->code_path));
    if (w->reference_path)
        w->reference_path = store_absolute(w->arena, arena_strdup(w->arena, w->reference_path));
    return store_check_op(w->op, err);
}

static bool take_result(Work *w, Err *err) {
    if (!store_read_json(w->arena, w->o->result_path, &w->result, err)) return false;
    if (!w->result) return err_set(err, ERR_NOT_FOUND, w->o->result_path, "there is no such result file");
    json_t *item = find_item(w->o->result_path, w->result, err);
    if (!item) return false;
    w->item = json_copy(item);
    bool compiled = json_is_true(json_object_get(item, "compiled")),
         correct = json_is_true(json_object_get(item, "correctness"));
    if (!compiled || !correct)
        return err_set(err, ERR_BAD_INPUT, w->o->result_path,
                       "this is no solution: compiled is %s, correctness is %s; nothing was saved",
                       compiled ? "true" : "not true", correct ? "true" : "not true");
    if (!take_names(w, err)) return false;
    w->code = fs_read(w->arena, w->code_path, &w->n_code, err);
    if (!w->code) return err_context(err, "the description");
    w->hash = store_hash16(w->arena, w->code, w->n_code);
    w->stamp = store_stamp(w->arena);
    json_object_set_new(w->item, "saved_at", json_string(w->stamp));
    return true;
}

/* ---- versions -------------------------------------------------------------------------------- */

/* Writes unless the same bytes are there. */
static bool write_once(const char *path, const char *data, size_t n, Err *err) {
    return fs_exists(path) || fs_write(path, data, n, err);
}

/* Keeps the reference, and the test cases beside it, under their content's name; *name stays NULL when there
 * is none. */
static bool keep_reference(Work *w, const char **name, Err *err) {
    Arena *a = w->arena;
    *name = NULL;
    if (!w->reference_path) {
        w->out->reference_note = "no reference is known";
        return true;
    }
    size_t n = 0, n_cases = 0;
    Err why = {0};
    const char *text = fs_read(a, w->reference_path, &n, &why);
    if (!text) {
        w->out->reference_note = arena_printf(a, "the reference %s: %s", w->reference_path, why.message);
        return true;
    }
    size_t stem = strlen(w->reference_path);
    if (stem > 3 && !strcmp(w->reference_path + stem - 3, ".py")) stem -= 3;
    const char *cases_path = arena_printf(a, "%.*s.json", (int)stem, w->reference_path);
    const char *cases = fs_exists(cases_path) ? fs_read(a, cases_path, &n_cases, &why) : NULL;
    const char *both = cases ? arena_printf(a, "%s%s", text, cases) : text;
    const char *hash = store_hash16(a, both, strlen(both));
    *name = arena_printf(a, "ref-%s.py", hash);
    if (cases &&
        !write_once(golden_version_path(a, w->o->dir, w->op, arena_printf(a, "ref-%s", hash), ".json"), cases,
                    n_cases, err))
        return false;
    return write_once(golden_version_path(a, w->o->dir, w->op, *name, ""), text, n, err);
}

/* Adds a result to a version's record, which is made with its text when it is new. */
static bool keep_version(Work *w, const char *hash, const char *code, size_t n_code, json_t *item,
                         const char *reference, Err *err) {
    Arena *a = w->arena;
    if (!write_once(golden_version_path(a, w->o->dir, w->op, hash, ".py"), code, n_code, err)) return false;
    json_t *record = golden_record_read(a, w->o->dir, w->op, hash, err);
    if (!record) return false;
    const char *hardware = json_string_value(json_object_get(item, "hardware"));
    const char *saved_at = json_string_value(json_object_get(item, "saved_at"));
    if (item) json_object_set(json_object_get(record, "results"), hardware ? hardware : "", item);
    if (saved_at || !json_object_get(record, "saved_at"))
        json_object_set_new(record, "saved_at", json_string(saved_at ? saved_at : w->stamp));
    if (reference) json_object_set_new(record, "reference", json_string(reference));
    bool ok = golden_record_write(a, w->o->dir, w->op, hash, record, err);
    json_decref(record);
    return ok;
}

/* A <op>.py that no version holds (an older tool wrote it, or somebody edited it) becomes one before it is
 * replaced. */
static bool adopt_current(Work *w, const char *target, json_t *old_item, Err *err) {
    size_t n = 0;
    if (!fs_exists(target)) return true;
    const char *text = fs_read(w->arena, target, &n, err);
    if (!text) return false;
    const char *hash = store_hash16(w->arena, text, n);
    if (!strcmp(hash, w->hash) || fs_exists(golden_version_path(w->arena, w->o->dir, w->op, hash, ".py")))
        return true;
    /* With versions there, the result in info.json is that of another text: this one has none. */
    bool edited = fs_exists(arena_printf(w->arena, "%s/versions/%s", w->o->dir, w->op));
    const char *folder = arena_printf(w->arena, "%s/versions/%s", w->o->dir, w->op);
    return fs_make_dirs(folder, err) && keep_version(w, hash, text, n, edited ? NULL : old_item, NULL, err);
}

/* ---- decide and write ------------------------------------------------------------------------ */

static bool same_as_current(Work *w, const char *target) {
    size_t n = 0;
    Err ignored = {0};
    const char *text = fs_read(w->arena, target, &n, &ignored);
    return text && n == w->n_code && !memcmp(text, w->code, n);
}

static GoldenOutcome decide(Work *w, const char *target, const json_t *old_item) {
    GoldenSaved *out = w->out;
    out->new_time = golden_time(w->item);
    out->old_time = golden_time(old_item);
    /* The texts must outlive the JSON. */
    out->old_time.hardware = arena_strdup(w->arena, out->old_time.hardware);
    out->old_time.chip = arena_strdup(w->arena, out->old_time.chip);
    out->new_time.hardware = arena_strdup(w->arena, out->new_time.hardware);
    out->new_time.chip = arena_strdup(w->arena, out->new_time.chip);
    if (!old_item || w->o->force || !fs_exists(target)) return GOLDEN_SAVED;
    bool comparable;
    int order = golden_compare(&out->new_time, &out->old_time, &comparable);
    bool same_text = same_as_current(w, target);
    /* Measured is not given up for what was only simulated, not even of the same text: it would be lost from
     * info.json. */
    if (out->old_time.kind == GOLDEN_MEASURED && out->new_time.kind != GOLDEN_MEASURED) return GOLDEN_KEPT;
    if (same_text) return GOLDEN_SAVED;
    return comparable && order > 0 ? GOLDEN_SLOWER : GOLDEN_SAVED;
}

static bool write_current(Work *w, const GoldenInfo *info, const char *target, Err *err) {
    size_t n = 0;
    const char *text =
        json_top_set(w->arena, info->text, info->n_bytes, &info->top, w->op, w->item, GOLDEN_INFO_INDENT, &n);
    const FsFile files[] = {{.path = target, .data = w->code, .n_bytes = w->n_code},
                            {.path = info->path, .data = text, .n_bytes = n}};
    bool same = same_as_current(w, target);
    return fs_write_set(files + same, 2u - same, err);
}

static bool save_locked(Work *w, Err *err) {
    Arena *a = w->arena;
    GoldenInfo info;
    if (!golden_info_read(a, w->o->dir, w->op, &info, err)) return false;
    const char *target = golden_code_path(a, w->o->dir, w->op), *reference;
    json_t *old_item = golden_info_item(&info);
    *w->out = (GoldenSaved){.op = w->op,
                            .hash = w->hash,
                            .code_path = target,
                            .info_path = info.path,
                            .kernel_code_path = w->code_path,
                            .broken_note = info.broken_note};
    w->out->outcome = decide(w, target, old_item);
    bool ok = adopt_current(w, target, old_item, err) &&
              fs_make_dirs(arena_printf(a, "%s/versions/%s", w->o->dir, w->op), err) &&
              keep_reference(w, &reference, err) &&
              keep_version(w, w->hash, w->code, w->n_code, w->item, reference, err);
    if (ok && w->out->outcome == GOLDEN_SAVED) ok = write_current(w, &info, target, err);
    else if (ok && info.broken_note) ok = fs_write(info.path, info.text, info.n_bytes, err);
    json_decref(old_item);
    return ok;
}

bool golden_save(Arena *a, const GoldenSave *o, GoldenSaved *out, Err *err) {
    Work w = {.arena = a, .o = o, .out = out};
    bool ok = take_result(&w, err);
    int lock = ok ? golden_lock(a, o->dir, err) : -1;
    ok = ok && lock >= 0 && save_locked(&w, err);
    store_unlock(lock);
    json_decref(w.item);
    json_decref(w.result);
    return ok;
}
