/* The cache of precompiled headers: <cache>/headers/<digest>/{kernel,host,binding,lang}.h and what compilers make of them. A folder
 * counts when it holds the file `whole`, written last: clang keeps the path of a header in what it makes of it, so it must be made in
 * its place. */
#include "verify/compile.h"

#include "base/fs.h"
#include "base/sha256.h"
#include "base/stamp.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAKE_LIMIT_S 120.0
#define KEEP_N 4
#define KEEP_S (24 * 3600)

/* Everything that what is made depends on. */
static void digest_of(Arena *a, const Toolchain *t, char out[SHA256_HEX]) {
    Sha256 h;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&h);
    sha256_add_field(&h, t->version);
    for (CompileSide side = 0; side < N_SIDES; side++) {
        ArgList flags = {0};
        if (side == SIDE_LANG && !t->clang) continue;
        compile_flags(a, t, side, &flags);
        for (size_t i = 0; i < flags.n; i++) sha256_add_field(&h, flags.at[i]);
    }
    if (t->clang) stamp_file(&h, t->clang);
    stamp_tree(&h, arena_printf(a, "%s/device", t->home));
    stamp_tree(&h, arena_printf(a, "%s/hostapi", t->home));
    sha256_final(&h, digest);
    sha256_hex(digest, out);
}

static bool make_one(Arena *a, const Toolchain *t, const char *folder, CompileSide side, Proc *p, Err *err) {
    const char *file = headers_file(a, folder, side), *text = arena_printf(a, "#include \"%s\"\n", compile_header(side));
    bool clang = side == SIDE_LANG || strstr(t->version, "clang") != NULL;
    ArgList v = {0};
    compile_flags(a, t, side, &v);
    const char *const rest[] = {compile_include(a, t, side), "-x", "c++-header", "-o", arena_printf(a, "%s.%s", file, clang ? "pch" : "gch"), file, NULL};
    for (size_t i = 0; i < sizeof rest / sizeof rest[0]; i++) vec_push(a, &v, rest[i]);
    return fs_write(file, text, strlen(text), err) && proc_start(p, v.at, folder, err);
}

static bool make_all(Arena *a, const Toolchain *t, const char *folder, Err *err) {
    Proc procs[N_SIDES];
    bool started[N_SIDES] = {0}, ok = true;
    for (CompileSide side = 0; side < N_SIDES; side++)
        if (side != SIDE_LANG || t->clang) ok = (started[side] = make_one(a, t, folder, side, &procs[side], err)) && ok;
    for (CompileSide side = 0; side < N_SIDES; side++) {
        ProcResult r;
        if (started[side]) ok = proc_wait(&procs[side], a, MAKE_LIMIT_S, &r, err) && r.exit_code == 0 && ok;
    }
    return ok;
}

typedef struct Made {
    const char *path;
    time_t used;
} Made;

static int newest_first(const void *x, const void *y) {
    const Made *a = x, *b = y;
    return (a->used < b->used) - (a->used > b->used);
}

/* What other versions and compilers made: a few stay, and all that was used today, as it may be in use. */
static void forget_old(Arena *a, const char *parent) {
    VEC(Made) list = {0};
    DIR *d = opendir(parent);
    for (const struct dirent *e; d && (e = readdir(d));) {
        const Made m = {.path = arena_printf(a, "%s/%s", parent, e->d_name)};
        struct stat st;
        if (e->d_name[0] == '.' || stat(m.path, &st) != 0 || !S_ISDIR(st.st_mode)) continue;
        vec_push(a, &list, m);
        list.at[list.n - 1].used = st.st_mtime;
    }
    if (d) closedir(d);
    if (list.n) qsort(list.at, list.n, sizeof list.at[0], newest_first);
    for (size_t i = KEEP_N; i < list.n; i++)
        if (list.at[i].used + KEEP_S < time(NULL)) fs_remove_tree(list.at[i].path);
}

static bool make_folder(Arena *a, const Toolchain *t, const char *parent, const char *folder, const char *whole) {
    Err ignored = {0};
    fs_remove_tree(folder); /* one that was interrupted */
    bool ok = fs_make_dirs(folder, &ignored) && make_all(a, t, folder, &ignored) && fs_write(whole, "", 0, &ignored);
    if (!ok) fs_remove_tree(folder);
    forget_old(a, parent);
    return ok;
}

/* Two processes that start together: one makes it, the other waits. */
static bool have_folder(Arena *a, const Toolchain *t, const char *parent, const char *folder) {
    Err ignored = {0};
    struct timespec now[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    const char *whole = arena_printf(a, "%s/whole", folder);
    if (fs_exists(whole)) {
        (void)utimensat(AT_FDCWD, folder, now, 0);
        return true;
    }
    if (!fs_make_dirs(parent, &ignored)) return false;
    int lock = open(arena_printf(a, "%s/lock", parent), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0) return false;
    bool ok = flock(lock, LOCK_EX) == 0 && (fs_exists(whole) || make_folder(a, t, parent, folder, whole));
    close(lock);
    return ok;
}

const char *headers_folder(Arena *a, const Toolchain *t) {
    /* A folder that could not be made is not tried for again in this process. */
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char failed[SHA256_HEX];
    const char *cache = t->debug ? NULL : fs_user_dir(a, "XDG_CACHE_HOME", ".cache");
    if (!cache) return NULL;
    char digest[SHA256_HEX];
    digest_of(a, t, digest);
    const char *parent = arena_printf(a, "%s/headers", cache), *folder = arena_printf(a, "%s/%.24s", parent, digest);
    pthread_mutex_lock(&lock);
    bool ok = strcmp(failed, digest) != 0 && have_folder(a, t, parent, folder);
    if (!ok) memcpy(failed, digest, sizeof failed);
    pthread_mutex_unlock(&lock);
    return ok ? folder : NULL;
}
