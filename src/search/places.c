/* Where the index and the list of a user's folders lie, and that list. The list is the one thing here that
 * cannot be made again, so it is a file of its own beside the user's data, not part of the index. */
#include "search/split.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char *place_of(Arena *a, const char *variable, const char *fallback, Err *err) {
    const char *dir = fs_user_dir(a, variable, fallback);
    if (dir) return dir;
    err_set(err, ERR_IO, NULL, "there is no place for the search index: neither %s nor HOME is set",
            variable);
    err_hint(err, "set OPWRIGHT_INDEX_DIR to a folder");
    return NULL;
}

/* FNV-1a over both paths: indexes of different trees and stores lie side by side. */
static uint64_t key_of(const char *home, const char *store) {
    uint64_t h = 0xcbf29ce484222325u;
    for (const char *s = home ? home : ""; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    h = (h ^ 0xff) * 0x100000001b3u;
    for (const char *s = store ? store : ""; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

static const char *real_path(Arena *a, const char *path) {
    char *real = path ? realpath(path, NULL) : NULL;
    const char *copy = real ? arena_strdup(a, real) : path;
    free(real);
    return copy;
}

bool search_places(Arena *a, const char *home, const char *store, SearchPlaces *out, Err *err) {
    const char *own = getenv("OPWRIGHT_INDEX_DIR");
    bool has_own = own && *own;
    const char *cache = has_own ? own : place_of(a, "XDG_CACHE_HOME", ".cache", err);
    const char *data = has_own ? own : place_of(a, "XDG_DATA_HOME", ".local/share", err);
    if (!cache || !data) return false;
    out->home = real_path(a, home);
    out->store = real_path(a, store);
    out->index =
        arena_printf(a, "%s/search-%016llx.sqlite", cache, (unsigned long long)key_of(out->home, out->store));
    out->added = arena_printf(a, "%s/index_paths.json", data);
    return true;
}

/* ---- the user's list ------------------------------------------------------------------------- */

static json_t *load_list(Arena *a, const char *path, Err *err) {
    (void)a;
    if (!fs_exists(path)) return json_array();
    json_error_t e;
    json_t *list = json_load_file(path, 0, &e);
    if (json_is_array(list)) return list;
    if (list) err_set(err, ERR_BAD_INPUT, path, "is not a list of {path, kind}");
    else err_set(err, ERR_BAD_INPUT, path, "is not JSON: %s (line %d)", e.text, e.line);
    err_hint(err, "mend it, or remove it and add the folders again; it was left as it is");
    json_decref(list);
    return NULL;
}

static const char *folder_of(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

/* Runs `change` on the list while no other process does. */
static bool with_list(const SearchPlaces *p,
                      bool (*change)(json_t *list, const char *path, int kind, Err *err), const char *path,
                      int kind, Err *err) {
    Arena *a = arena_new();
    json_t *list = NULL;
    char *text = NULL;
    bool ok = false;
    int fd = -1;
    if (!fs_make_dirs(folder_of(a, p->added), err)) goto done;
    const char *lock = arena_printf(a, "%s.lock", p->added);
    fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) != 0) {
        err_set(err, ERR_IO, lock, "cannot lock: %s", strerror(errno));
        goto done;
    }
    list = load_list(a, p->added, err);
    if (!list || !change(list, path, kind, err)) goto done;
    text = json_dumps(list, JSON_INDENT(2));
    ok = text ? fs_write(p->added, text, strlen(text), err)
              : err_set(err, ERR_BAD_INPUT, path, "the path is not UTF-8");
done:
    if (fd >= 0) close(fd);
    free(text);
    json_decref(list);
    arena_free(a);
    return ok;
}

static size_t find_path(const json_t *list, const char *path) {
    size_t i;
    const json_t *o;
    json_array_foreach(list, i, o) {
        const char *have = json_string_value(json_object_get(o, "path"));
        if (have && !strcmp(have, path)) return i;
    }
    return SIZE_MAX;
}

static bool put_path(json_t *list, const char *path, int kind, Err *err) {
    json_t *o = json_pack("{s:s}", "path", path);
    if (!o) return err_set(err, ERR_BAD_INPUT, path, "the path is not UTF-8");
    if (kind >= 0) json_object_set_new(o, "kind", json_string(search_kind_name((SearchKind)kind)));
    size_t at = find_path(list, path);
    return (at == SIZE_MAX ? json_array_append_new(list, o) : json_array_set_new(list, at, o)) == 0;
}

static bool take_path(json_t *list, const char *path, int kind, Err *err) {
    (void)kind;
    size_t at = find_path(list, path);
    if (at == SIZE_MAX) {
        err_set(err, ERR_NOT_FOUND, path, "was not added");
        return err_hint(err, "`opwright index list` shows what was");
    }
    return json_array_remove(list, at) == 0;
}

bool search_add_path(const SearchPlaces *places, const char *path, int kind, Err *err) {
    char *real = realpath(path, NULL);
    if (!real) return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, path, "%s", strerror(errno));
    bool ok = access(real, R_OK) == 0 || err_set(err, ERR_IO, path, "cannot be read: %s", strerror(errno));
    ok = ok && with_list(places, put_path, real, kind, err);
    free(real);
    return ok;
}

bool search_drop_path(const SearchPlaces *places, const char *path, Err *err) {
    char *real = realpath(path, NULL); /* a folder that is gone is named as it was added */
    bool ok = with_list(places, take_path, real ? real : path, 0, err);
    free(real);
    return ok;
}

const char **search_added_paths(Arena *a, const SearchPlaces *places, size_t *n, Err *err) {
    json_t *list = load_list(a, places->added, err);
    if (!list) return NULL;
    const char **paths = ARENA_ARRAY(a, json_array_size(list) + 1, const char *);
    *n = 0;
    size_t i;
    const json_t *o;
    json_array_foreach(list, i, o) {
        const char *path = json_string_value(json_object_get(o, "path"));
        if (path) paths[(*n)++] = arena_strdup(a, path);
    }
    json_decref(list);
    return paths;
}
