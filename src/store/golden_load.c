/* Reading an operator with its versions, and taking versions out. */
#include "store/golden_int.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- read ------------------------------------------------------------------------------------ */

static bool is_record_name(const char *name) {
    size_t n = strspn(name, "0123456789abcdef");
    return n == 16 && !strcmp(name + n, ".json");
}

static bool add_version(Arena *a, const char *dir, GoldenEntry *e, const char *hash, Err *err) {
    json_t *record = golden_record_read(a, dir, e->op, hash, err);
    if (!record) return false;
    json_array_append_new(e->records, record);
    const char *reference = json_string_value(json_object_get(record, "reference"));
    const char *saved_at = json_string_value(json_object_get(record, "saved_at"));
    e->versions[e->n_versions++] = (GoldenVersion){
        .hash = arena_strdup(a, hash),
        .code_path = golden_version_path(a, dir, e->op, hash, ".py"),
        .reference_path =
            reference && !strchr(reference, '/') ? golden_version_path(a, dir, e->op, reference, "") : NULL,
        .saved_at = saved_at ? saved_at : "",
        .record = record,
        .results = json_object_get(record, "results"),
        .verified = json_object_get(record, "verified"),
        .best_on = ""};
    return true;
}

static int by_time_saved(const void *x, const void *y) {
    const GoldenVersion *v = x, *w = y;
    int order = strcmp(v->saved_at, w->saved_at);
    return order ? order : strcmp(v->hash, w->hash);
}

static bool load_versions(Arena *a, const char *dir, GoldenEntry *e, Err *err) {
    const char *path = arena_printf(a, "%s/versions/%s", dir, e->op);
    DIR *d = opendir(path);
    if (!d)
        return errno == ENOENT || err_set(err, ERR_IO, path, "cannot read the folder: %s", strerror(errno));
    VEC(char *) names = {0};
    for (const struct dirent *entry; (entry = readdir(d));)
        if (is_record_name(entry->d_name)) vec_push(a, &names, arena_strndup(a, entry->d_name, 16));
    closedir(d);
    e->versions = ARENA_ARRAY(a, names.n, GoldenVersion);
    for (size_t i = 0; i < names.n; i++)
        if (!add_version(a, dir, e, names.at[i], err)) return false;
    qsort(e->versions, e->n_versions, sizeof *e->versions, by_time_saved);
    return true;
}

/* True when no other version is faster on the same hardware. */
static bool is_best(const GoldenEntry *e, size_t v, const json_t *item) {
    GoldenTime mine = golden_time(item);
    if (mine.kind == GOLDEN_NO_TIME) return false;
    for (size_t i = 0; i < e->n_versions; i++) {
        const char *hardware;
        json_t *other;
        json_object_foreach(e->versions[i].results, hardware, other) {
            bool comparable;
            GoldenTime theirs = golden_time(other);
            int order = golden_compare(&mine, &theirs, &comparable);
            if (comparable && (order > 0 || (order == 0 && i < v))) return false;
        }
    }
    return true;
}

static void mark_best(Arena *a, GoldenEntry *e) {
    for (size_t v = 0; v < e->n_versions; v++) {
        const char *hardware;
        json_t *item;
        json_object_foreach(e->versions[v].results, hardware, item) if (is_best(e, v, item)) e->versions[v]
            .best_on = *e->versions[v].best_on ? arena_printf(a, "%s, %s", e->versions[v].best_on, hardware)
                                               : arena_strdup(a, hardware);
    }
}

/* Which version <op>.py is. */
static void find_current(Arena *a, GoldenEntry *e) {
    size_t n = 0;
    Err why = {0};
    const char *text = fs_read(a, e->code_path, &n, &why);
    if (!text) {
        e->state = arena_printf(a, "%s.py: %s", e->op, why.message);
        return;
    }
    const char *hash = store_hash16(a, text, n);
    for (size_t i = 0; i < e->n_versions; i++) {
        e->versions[i].current = !strcmp(e->versions[i].hash, hash);
        if (e->versions[i].current) return;
    }
    if (e->n_versions) e->state = arena_printf(a, "%s.py was edited after it was saved", e->op);
    /* without versions an older tool wrote it: it is its own and only version */
}

/* `item`: its member of info.json or NULL; taken over. */
static bool load(Arena *a, const char *dir, const char *op, json_t *item, GoldenEntry *e, Err *err) {
    *e = (GoldenEntry){
        .op = op, .code_path = golden_code_path(a, dir, op), .info = item, .records = json_array()};
    if (!store_check_op(op, err) || !load_versions(a, dir, e, err)) return false;
    if (!e->info && !e->n_versions && !fs_exists(e->code_path))
        return err_set(err, ERR_NOT_FOUND, NULL, "there is no golden solution for `%s` in %s", op, dir);
    find_current(a, e);
    mark_best(a, e);
    return true;
}

bool golden_load(Arena *a, const char *dir, const char *op, GoldenEntry *e, Err *err) {
    *e = (GoldenEntry){0};
    GoldenInfo info = {.path = arena_printf(a, "%s/info.json", dir)};
    if (!fs_exists(info.path)) return load(a, dir, op, NULL, e, err);
    info.text = fs_read(a, info.path, &info.n_bytes, err);
    if (!info.text) return false;
    if (!json_top_scan(info.text, info.n_bytes, op, &info.top, err)) return err_context(err, "%s", info.path);
    return load(a, dir, op, golden_info_item(&info), e, err);
}

bool golden_each(Arena *a, const char *dir, char *const *ops, size_t n_ops,
                 bool (*take)(void *ctx, const GoldenEntry *e), void *ctx, Err *err) {
    json_t *info = NULL;
    char **all = NULL;
    bool ok = store_read_json(a, arena_printf(a, "%s/info.json", dir), &info, err);
    if (ok && !ops) ok = golden_ops(a, dir, &all, &n_ops, err);
    for (size_t i = 0; ok && i < n_ops; i++) {
        const char *op = ops ? ops[i] : all[i];
        GoldenEntry e;
        ok = load(a, dir, op, json_incref(json_object_get(info, op)), &e, err);
        if (ok && !take(ctx, &e)) i = n_ops - 1;
        golden_entry_clear(&e);
    }
    json_decref(info);
    return ok;
}

void golden_entry_clear(GoldenEntry *e) {
    json_decref(e->info);
    json_decref(e->records);
    *e = (GoldenEntry){0};
}

const GoldenVersion *golden_find_version(const GoldenEntry *e, const char *hash, Err *err) {
    const GoldenVersion *found = NULL;
    for (size_t i = 0; i < e->n_versions; i++) {
        const GoldenVersion *v = &e->versions[i];
        if (!strcmp(hash, "current") ? !v->current : strncmp(v->hash, hash, strlen(hash)) != 0) continue;
        if (found) {
            err_set(err, ERR_BAD_INPUT, NULL, "`%s` begins the hash of more than one version of %s", hash,
                    e->op);
            return NULL;
        }
        found = v;
    }
    if (!found) {
        err_set(err, ERR_NOT_FOUND, NULL, "%s has no version `%s`", e->op, hash);
        err_hint(err, "`opwright golden show %s` lists them", e->op);
    }
    return found;
}

/* ---- change ---------------------------------------------------------------------------------- */

static void remove_files(Arena *a, const char *dir, const char *op, const char *hash) {
    (void)unlink(golden_version_path(a, dir, op, hash, ".py"));
    (void)unlink(golden_version_path(a, dir, op, hash, ".json"));
}

/* The version that takes the place of one that goes: the best proof first, then the fastest, then the newest.
 */
static const GoldenVersion *successor(const GoldenEntry *e, const GoldenVersion *gone) {
    const GoldenVersion *best = NULL;
    GoldenTime best_time = {0};
    for (size_t i = e->n_versions; i-- > 0;) {
        const GoldenVersion *v = &e->versions[i];
        const json_t *item = v == gone ? NULL : golden_record_best(v->record);
        GoldenTime t = golden_time(item);
        if (!item ||
            (best && (t.kind < best_time.kind || (t.kind == best_time.kind && !(t.ms < best_time.ms)))))
            continue;
        best = v;
        best_time = t;
    }
    return best;
}

/* Sets the operator's member of info.json, or takes it out. */
static bool write_info(Arena *a, const char *dir, const char *op, const json_t *item, Err *err) {
    GoldenInfo info;
    if (!golden_info_read(a, dir, op, &info, err)) return false;
    if (!item && !info.top.found) return true;
    size_t n = 0;
    const char *text =
        item ? json_top_set(a, info.text, info.n_bytes, &info.top, op, item, GOLDEN_INFO_INDENT, &n)
             : json_top_remove(a, info.text, info.n_bytes, &info.top, &n);
    return fs_write(info.path, text, n, err);
}

static bool make_current(Arena *a, const char *dir, const GoldenEntry *e, const GoldenVersion *v, Err *err) {
    size_t n = 0;
    const char *text = fs_read(a, v->code_path, &n, err);
    return text && fs_write(e->code_path, text, n, err) &&
           write_info(a, dir, e->op, golden_record_best(v->record), err);
}

static bool remove_all(Arena *a, const char *dir, const GoldenEntry *e, Err *err) {
    if (!write_info(a, dir, e->op, NULL, err)) return false;
    (void)unlink(golden_code_path(a, dir, e->op));
    fs_remove_tree(arena_printf(a, "%s/versions/%s", dir, e->op));
    return true;
}

static bool remove_locked(Arena *a, const char *dir, GoldenEntry *e, const char *hash, Err *err) {
    if (!hash) return remove_all(a, dir, e, err);
    const GoldenVersion *gone = golden_find_version(e, hash, err);
    if (!gone) return false;
    const GoldenVersion *next = gone->current ? successor(e, gone) : NULL;
    if (gone->current && !next) return remove_all(a, dir, e, err);
    if (next && !make_current(a, dir, e, next, err)) return false;
    remove_files(a, dir, e->op, gone->hash);
    return true;
}

bool golden_remove(Arena *a, const char *dir, const char *op, const char *hash, Err *err) {
    int lock = golden_lock(a, dir, err);
    if (lock < 0) return false;
    GoldenEntry e;
    bool ok = golden_load(a, dir, op, &e, err) && remove_locked(a, dir, &e, hash, err);
    golden_entry_clear(&e);
    store_unlock(lock);
    return ok;
}

bool golden_note_verified(Arena *a, const char *dir, const char *op, const char *hash, json_t *verified,
                          Err *err) {
    int lock = golden_lock(a, dir, err);
    bool ok = lock >= 0 &&
              fs_exists(golden_version_path(a, dir, op, hash, ".py")); /* gone meanwhile: nothing to note */
    json_t *record = ok ? golden_record_read(a, dir, op, hash, err) : NULL;
    if (record) json_object_set(record, "verified", verified);
    ok = lock >= 0 && (!ok || (record && golden_record_write(a, dir, op, hash, record, err)));
    json_decref(record);
    store_unlock(lock);
    return ok;
}
