/* Finds the C++ compiler and the runtime library. */
#include "base/fs.h"
#include "verify/toolchain.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBE_LIMIT_S 20.0

/* True when `cxx` compiles the probe; *version gets its first line of --version. */
static bool try_compiler(Arena *a, const char *cxx, const char *probe, const char **version) {
    Proc p;
    ProcResult r;
    Err ignored = {0};
    const char *compile[] = {cxx, "-std=c++17", "-fsyntax-only", "-x", "c++", probe, NULL};
    if (!proc_start(&p, compile, NULL, &ignored) || !proc_wait(&p, a, PROBE_LIMIT_S, &r, &ignored) ||
        r.exit_code != 0)
        return false;
    const char *ask[] = {cxx, "--version", NULL};
    if (!proc_start(&p, ask, NULL, &ignored) || !proc_wait(&p, a, PROBE_LIMIT_S, &r, &ignored)) return false;
    *version = arena_strndup(a, r.output, strcspn(r.output, "\n"));
    return true;
}

typedef struct Numbered {
    const char *name; /* "g++-12" */
    int family, number;
} Numbered;
typedef VEC(Numbered) NumberedList;

/* Families in their order, the newest of each first. */
static int by_rank(const void *x, const void *y) {
    const Numbered *a = x, *b = y;
    return a->family != b->family ? a->family - b->family : b->number - a->number;
}

/* Adds the numbered compilers of one folder of PATH: distributions install newer ones beside a plain g++ that is too old. */
static void add_numbered(Arena *a, const char *folder, NumberedList *list) {
    static const char *const FAMILIES[] = {"g++-", "clang++-"};
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        for (int f = 0; f < 2; f++) {
            size_t n = strlen(FAMILIES[f]), digits = strncmp(e->d_name, FAMILIES[f], n) ? 0 : strspn(e->d_name + n, "0123456789");
            if (digits == 0 || digits > 3 || e->d_name[n + digits]) continue;
            const Numbered one = {arena_strdup(a, e->d_name), f, atoi(e->d_name + n)};
            vec_push(a, list, one);
        }
    }
    if (d) closedir(d);
}

static bool find_numbered(Arena *a, const char *probe, Toolchain *t) {
    NumberedList list = {0};
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        if (n) add_numbered(a, arena_strndup(a, p, n), &list);
        p += n + (p[n] == ':');
    }
    if (list.n) qsort(list.at, list.n, sizeof list.at[0], by_rank);
    for (size_t i = 0; i < list.n; i++) {
        bool again = i > 0 && !strcmp(list.at[i].name, list.at[i - 1].name); /* in several folders */
        if (again || !try_compiler(a, list.at[i].name, probe, &t->version)) continue;
        t->cxx = list.at[i].name;
        return true;
    }
    return false;
}

static bool find_plain(Arena *a, const char *probe, const char *const *names, Toolchain *t) {
    for (size_t i = 0; names[i]; i++) {
        if (!try_compiler(a, names[i], probe, &t->version)) continue;
        t->cxx = names[i];
        return true;
    }
    return false;
}

/* The last answer: a service asks for every job. The same while PATH and OPWRIGHT_CXX are. */
static struct {
    pthread_mutex_t lock;
    char *key, *cxx, *version;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *known_key(Arena *a) {
    const char *path = getenv("PATH"), *chosen = getenv("OPWRIGHT_CXX");
    return arena_printf(a, "%s\n%s", path ? path : "", chosen ? chosen : "");
}

static void set_known(char **at, const char *text) {
    free(*at);
    *at = strdup(text);
    if (!*at) abort();
}

static void remember(Arena *a, const Toolchain *t) {
    pthread_mutex_lock(&known.lock);
    set_known(&known.key, known_key(a));
    set_known(&known.cxx, t->cxx);
    set_known(&known.version, t->version);
    pthread_mutex_unlock(&known.lock);
}

static bool recall(Arena *a, Toolchain *t) {
    pthread_mutex_lock(&known.lock);
    bool same = known.key && !strcmp(known.key, known_key(a));
    if (same) t->cxx = arena_strdup(a, known.cxx);
    if (same) t->version = arena_strdup(a, known.version);
    pthread_mutex_unlock(&known.lock);
    return same;
}

bool toolchain_find(Arena *a, const char *home, const char *scratch, Toolchain *t, Err *err) {
    /* Kernels need _Float16 as a type of its own: g++ 12 and clang++ 15 have it, older ones refuse or lack
     * it. */
    static const char PROBE[] =
        "_Float16 ow_probe(_Float16 a, float b) { return (_Float16)(a * (_Float16)b); }\n";
    t->home = home;
    if (recall(a, t)) return true;
    const char *probe = arena_printf(a, "%s/probe.cpp", scratch), *chosen = getenv("OPWRIGHT_CXX");
    if (!fs_write(probe, PROBE, sizeof PROBE - 1, err)) return false;
    bool set = chosen && *chosen;
    const char *const mine[] = {set ? arena_strdup(a, chosen) : NULL, NULL}, *const usual[] = {"g++", "clang++", NULL};
    if (find_plain(a, probe, set ? mine : usual, t) || (!set && find_numbered(a, probe, t))) {
        remember(a, t);
        return true;
    }
    if (set)
        err_set(err, ERR_NO_COMPILER, NULL,
                "OPWRIGHT_CXX names `%s`, which is not there or does not know _Float16", chosen);
    else
        err_set(err, ERR_NO_COMPILER, NULL,
                "no C++ compiler that knows _Float16: neither g++ (12 or newer) nor clang++ (15 or newer) works, nor one "
                "with a number in its name");
    return err_hint(err, "install one, on Debian and Ubuntu: apt-get install g++ (or g++-12), or set "
                         "OPWRIGHT_CXX to its path");
}

const char *toolchain_runtime(Arena *a, Err *err) {
    const char *set = getenv("OPWRIGHT_RT");
    if (set && *set) return arena_strdup(a, set);
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n > 0) {
        exe[n] = '\0';
        char *slash = strrchr(exe, '/');
        if (slash) *slash = '\0';
        static const char *const PLACES[] = {"", "/../lib/opwright", "/../lib"};
        for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++) {
            const char *path = arena_printf(a, "%s%s/libopwright_rt.so", exe, PLACES[i]);
            if (fs_exists(path)) return path;
        }
    }
    err_set(err, ERR_NOT_FOUND, NULL, "cannot find libopwright_rt.so, the simulated AI Core");
    err_hint(err, "build it beside the opwright program, or set OPWRIGHT_RT to its path");
    return NULL;
}
