/* Finds the C++ compiler and the runtime library. */
#include "base/fs.h"
#include "verify/verify_int.h"

#include <limits.h>
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

bool toolchain_find(Arena *a, const char *home, const char *scratch, Toolchain *t, Err *err) {
    /* Kernels need _Float16 as a type of its own: g++ 12 and clang++ 15 have it, older ones refuse or lack
     * it. */
    static const char PROBE[] =
        "_Float16 ow_probe(_Float16 a, float b) { return (_Float16)(a * (_Float16)b); }\n";
    const char *probe = arena_printf(a, "%s/probe.cpp", scratch);
    if (!fs_write(probe, PROBE, sizeof PROBE - 1, err)) return false;
    const char *chosen = getenv("OPWRIGHT_CXX");
    const char *const candidates[] = {chosen && *chosen ? chosen : "g++",
                                      chosen && *chosen ? NULL : "clang++"};
    for (size_t i = 0; i < 2; i++) {
        if (!candidates[i] || !try_compiler(a, candidates[i], probe, &t->version)) continue;
        t->cxx = candidates[i];
        t->home = home;
        return true;
    }
    if (chosen && *chosen)
        err_set(err, ERR_NO_COMPILER, NULL,
                "OPWRIGHT_CXX names `%s`, which is not there or does not know _Float16", chosen);
    else
        err_set(
            err, ERR_NO_COMPILER, NULL,
            "no C++ compiler that knows _Float16: neither g++ (12 or newer) nor clang++ (15 or newer) works");
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
