/* Which folders are searched, and which files lie in them with time and size: cheap enough for every search.
 */
#include "search/index_int.h"
#include "search/split.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEPTH_MAX 24
#define FILES_MAX 500000u /* of one folder: beyond that it is taken for a mistake and the rest left out */

/* Folders of opwright itself and of a store, below their roots. */
static const struct {
    bool in_store;
    const char *path;
    int kind;
    const char *ending, *except;
    bool deep, mine;
} OWN[] = {
    {true, "reference/golden_solutions", SEARCH_GOLDEN, ".py", NULL, false, false},
    {true, "reference/issues", SEARCH_ISSUE, ".json", NULL, false,
     false}, /* not those below: they hold no proved lessons */
    {false, "docs", SPLIT_KIND_AUTO, NULL, "api.md", true, false}, /* made from data/api */
    {false, "README.md", SEARCH_DOC, NULL, NULL, false, false},
    {false, "data/api", SEARCH_API, ".def", NULL, true, false},
    {false, "examples", SPLIT_KIND_AUTO, NULL, NULL, true, false},
    {true, "reference/docs", SEARCH_DOC, NULL, NULL, true, true},
};
#define N_OWN (sizeof OWN / sizeof OWN[0])

static bool add_mine(Arena *a, const SearchPlaces *p, Folder *out, size_t *n, Err *err) {
    json_error_t e;
    if (access(p->added, F_OK) != 0) return true;
    json_t *list = json_load_file(p->added, 0, &e);
    if (!list) return err_set(err, ERR_BAD_INPUT, p->added, "is not JSON: %s (line %d)", e.text, e.line);
    size_t i;
    const json_t *o;
    json_array_foreach(list, i, o) {
        const char *path = json_string_value(json_object_get(o, "path")),
                   *kind = json_string_value(json_object_get(o, "kind"));
        SearchKind k;
        if (!path) continue;
        out[(*n)++] = (Folder){.path = arena_strdup(a, path),
                               .deep = true,
                               .mine = true,
                               .kind = kind && search_kind_find(kind, &k) ? (int)k : SPLIT_KIND_AUTO};
        if (*n >= N_OWN + 1000) break;
    }
    json_decref(list);
    return true;
}

Folder *scan_folders(const SearchPlaces *p, Arena *a, size_t *n, Err *err) {
    Folder *out = ARENA_ARRAY(a, N_OWN + 1001, Folder);
    *n = 0;
    for (size_t i = 0; i < N_OWN; i++) {
        const char *root = OWN[i].in_store ? p->store : p->home;
        if (root)
            out[(*n)++] = (Folder){.path = arena_printf(a, "%s/%s", root, OWN[i].path),
                                   .kind = OWN[i].kind,
                                   .ending = OWN[i].ending,
                                   .except = OWN[i].except,
                                   .deep = OWN[i].deep,
                                   .mine = OWN[i].mine};
    }
    return add_mine(a, p, out, n, err) ? out : NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct Scan {
    Arena *a;
    FoundList *out;
    const Folder *folder, *all;
    size_t n_all, n_here;
} Scan;

static uint64_t mix(uint64_t h, uint64_t v) {
    h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
    h *= 0xff51afd7ed558ccdu;
    return h ^ h >> 33;
}

static uint64_t hash_text(const char *s) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; *s; s++) h = (h ^ (unsigned char)*s) * 0x100000001b3u;
    return h;
}

static bool ends_with(const char *s, const char *tail) {
    size_t n = strlen(s), k = strlen(tail);
    return n >= k && !strcmp(s + n - k, tail);
}

static void take_file(Scan *s, const char *path, const struct stat *st) {
    const Folder *f = s->folder;
    if (!split_wants(path) || (f->ending && !ends_with(path, f->ending)) ||
        (f->except && ends_with(path, f->except)))
        return;
    if (st->st_size <= 0 || st->st_size > SPLIT_FILE_MAX || s->n_here++ >= FILES_MAX) return;
    Found found = {.path = path,
                   .n_bytes = st->st_size,
                   .kind = f->kind,
                   .mine = f->mine,
                   .mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec};
    s->out->state += mix(mix(mix(hash_text(path), (uint64_t)found.mtime_ns), (uint64_t)found.n_bytes),
                         (uint64_t)(found.kind + 1));
    vec_push(s->a, s->out, found);
}

/* Folders that hold no source of anyone's: what tools made. */
static bool is_skipped(const char *name) {
    static const char *const NAMES[] = {"node_modules", "__pycache__", "build", "build_out"};
    if (name[0] == '.') return true;
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (!strcmp(name, NAMES[i])) return true;
    return false;
}

/* A folder that stands in the list itself is walked there, with the kind it has there. */
static bool is_listed(const Scan *s, const char *path) {
    for (size_t i = 0; i < s->n_all; i++)
        if (&s->all[i] != s->folder && !strcmp(s->all[i].path, path)) return true;
    return false;
}

static void walk(Scan *s, const char *path, int depth) {
    DIR *d = opendir(path);
    if (!d) return;
    int fd = dirfd(d);
    for (struct dirent *e; (e = readdir(d));) {
        struct stat st;
        if (e->d_name[0] == '.') continue;
        bool known_dir = e->d_type == DT_DIR;
        if (!known_dir && e->d_type == DT_REG && !split_wants(e->d_name)) continue;
        const char *below = arena_printf(s->a, "%s/%s", path, e->d_name);
        if (known_dir || (e->d_type == DT_UNKNOWN && fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
                          S_ISDIR(st.st_mode))) {
            if (s->folder->deep && depth < DEPTH_MAX && !is_skipped(e->d_name) && !is_listed(s, below))
                walk(s, below, depth + 1);
        } else if (fstatat(fd, e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode)) take_file(s, below, &st);
    }
    closedir(d);
}

FoundList scan_files(Arena *a, const Folder *folders, size_t n, bool mine) {
    FoundList out = {.state = 1};
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        Scan s = {.a = a, .out = &out, .folder = &folders[i], .all = folders, .n_all = n};
        if (folders[i].mine != mine || stat(folders[i].path, &st) != 0) continue;
        if (S_ISDIR(st.st_mode)) walk(&s, folders[i].path, 0);
        else if (S_ISREG(st.st_mode)) take_file(&s, folders[i].path, &st);
    }
    return out;
}
