/* A folder of opwright is locked by its owner (base/cleanup.h). Older programs and the existing skill lock
 * nothing: there, a process that works in a folder or has a file of it open shows that it is in use, and a
 * young one is left alone. */
#include "store/clean.h"

#include "base/fs.h"
#include "store/store.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define YOUNG_S 60 /* between a folder's making and its first use by its owner */

const char *clean_fate_text(CleanFate fate) {
    static const char *const TEXTS[] = {
        [CLEAN_REMOVED] = "removed",         [CLEAN_IN_USE] = "in use",
        [CLEAN_YOUNG] = "used a moment ago", [CLEAN_FOREIGN] = "another user's",
        [CLEAN_KEPT] = "a kept build",       [CLEAN_FAILED] = "cannot be removed"};
    return TEXTS[fate];
}

typedef struct Clean {
    Arena *arena;
    const CleanOptions *o;
    VEC(char *) used; /* paths that processes work in or have open */
    size_t n_removed, n_failed;
} Clean;

/* ---- what is in use -------------------------------------------------------------------------- */

static void add_link(Clean *c, const char *link) {
    char target[PATH_MAX];
    ssize_t n = readlink(link, target, sizeof target - 1);
    if (n <= 0 || target[0] != '/') return;
    vec_push(c->arena, &c->used, arena_strndup(c->arena, target, (size_t)n));
}

static void add_process(Clean *c, const char *pid) {
    add_link(c, arena_printf(c->arena, "/proc/%s/cwd", pid));
    const char *path = arena_printf(c->arena, "/proc/%s/fd", pid);
    DIR *d = opendir(path);
    if (!d) return; /* another user's: its folders are not ours to remove */
    for (const struct dirent *e; (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0]))
            add_link(c, arena_printf(c->arena, "%s/%s", path, e->d_name));
    closedir(d);
}

static void find_used(Clean *c) {
    DIR *d = opendir("/proc");
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d));)
        if (isdigit((unsigned char)e->d_name[0])) add_process(c, e->d_name);
    closedir(d);
}

static bool is_used(const Clean *c, const char *path) {
    char real[PATH_MAX];
    if (!realpath(path, real)) return false;
    size_t n = strlen(real);
    for (size_t i = 0; i < c->used.n; i++)
        if (!strncmp(c->used.at[i], real, n) && (c->used.at[i][n] == '/' || c->used.at[i][n] == '\0'))
            return true;
    return false;
}

/* ---- one folder ------------------------------------------------------------------------------ */

/* Holds the folder's lock while it looks and removes, so that no owner can come to it meanwhile. */
static CleanFate judge(const Clean *c, const char *path, const struct stat *st) {
    if (st->st_uid != geteuid()) return CLEAN_FOREIGN;
    if (is_used(c, path)) return CLEAN_IN_USE;
    if (time(NULL) - st->st_mtime < YOUNG_S) return CLEAN_YOUNG;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) return CLEAN_FAILED;
    CleanFate fate = flock(fd, LOCK_EX | LOCK_NB) == 0 ? CLEAN_REMOVED : CLEAN_IN_USE;
    if (fate == CLEAN_REMOVED && !c->o->dry_run) {
        fs_remove_tree(path);
        if (fs_exists(path)) fate = CLEAN_FAILED;
    }
    close(fd);
    return fate;
}

static void take_folder(Clean *c, const char *dir, const char *name, bool keep) {
    const char *path = arena_printf(c->arena, "%s/%s", dir, name);
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISDIR(st.st_mode)) return;
    CleanFate fate = keep ? CLEAN_KEPT : judge(c, path, &st);
    c->n_removed += fate == CLEAN_REMOVED;
    c->n_failed += fate == CLEAN_FAILED;
    if (c->o->on_folder) c->o->on_folder(c->o->ctx, path, fate);
}

/* ---- two places ------------------------------------------------------------------------------ */

#define BUILDS "opwright-build." /* of verify --keep-build */

/* "opwright", perhaps words after dashes, a dot and mkdtemp's six characters. */
static bool is_own_name(const char *name) {
    static const char PREFIX[] = "opwright";
    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0) return false;
    const char *dot = strrchr(name, '.');
    size_t words = strspn(name + sizeof PREFIX - 1, "abcdefghijklmnopqrstuvwxyz-");
    const char *behind = name + sizeof PREFIX - 1 + words;
    bool starts = words == 0 || name[sizeof PREFIX - 1] == '-';
    return dot && behind == dot && starts && strlen(dot) == 7 &&
           strspn(dot + 1, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") == 6;
}

static bool each_folder(Clean *c, const char *dir, bool skill, Err *err) {
    DIR *d = opendir(dir);
    if (!d)
        return errno == ENOENT || err_set(err, ERR_IO, dir, "cannot read the folder: %s", strerror(errno));
    VEC(char *) names = {0};
    for (const struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            vec_push(c->arena, &names, arena_strdup(c->arena, e->d_name));
    closedir(d);
    const char *op = c->o->op, *custom = "_custom";
    size_t n = op ? strlen(op) : 0;
    const char *prefix = !op                                    ? ""
                         : n > 7 && !strcmp(op + n - 7, custom) ? op
                                                                : arena_printf(c->arena, "%s%s", op, custom);
    for (size_t i = 0; i < names.n; i++) {
        const char *name = names.at[i];
        if (skill ? !strncmp(name, prefix, strlen(prefix)) : is_own_name(name))
            take_folder(c, dir, name, !skill && !c->o->builds && !strncmp(name, BUILDS, sizeof BUILDS - 1));
    }
    return true;
}

bool clean_run(Arena *a, const CleanOptions *o, size_t *n_removed, Err *err) {
    Clean c = {.arena = a, .o = o};
    bool ok = true;
    find_used(&c);
    if (o->skill_root)
        ok = each_folder(&c, arena_printf(a, "%s/scripts/multi-kernel-bench/tmp", o->skill_root), true, err);
    if (o->temp_dir) ok = each_folder(&c, o->temp_dir, false, err) && ok;
    *n_removed = c.n_removed;
    if (ok && c.n_failed) ok = err_set(err, ERR_IO, NULL, "%zu folders cannot be removed", c.n_failed);
    return ok;
}
