/* What the cage can do on this machine, and the command lines that start it. */
#include "cage/cage.h"

#include "base/fs.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PROBE_LIMIT_S 10.0

static struct {
    pthread_once_t once;
    CageKind kind;
    char helper[PATH_MAX]; /* opwright-cage */
    char describe[512];
} state = {.once = PTHREAD_ONCE_INIT};

/* The namespaces: nothing of the machine's network, processes or shared memory; all files, read-only. */
static const char *const BWRAP[] = {"bwrap",         "--ro-bind",     "/",           "/",         "--dev",          "/dev",
                                    "--proc",        "/proc",
                                    /* for root these settings of the whole machine are writable files */
                                    "--ro-bind-try", "/proc/sys",     "/proc/sys",
                                    "--ro-bind-try", "/proc/sysrq-trigger", "/proc/sysrq-trigger",
                                    "--ro-bind-try", "/proc/fs",      "/proc/fs",
                                    "--unshare-net", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                                    "--new-session", "--as-pid-1", "--die-with-parent"};
#define N_BWRAP (sizeof BWRAP / sizeof BWRAP[0])

static bool find_helper(void) {
    ssize_t n = readlink("/proc/self/exe", state.helper, sizeof state.helper - sizeof "-cage");
    if (n <= 0) return false;
    state.helper[n] = '\0';
    char *slash = strrchr(state.helper, '/');
    size_t room = sizeof state.helper - (size_t)(slash + 1 - state.helper);
    int len = snprintf(slash + 1, room, "opwright-cage");
    return len > 0 && (size_t)len < room && access(state.helper, X_OK) == 0;
}

/* Runs a command that does nothing; *said gets the last line it printed when it fails. */
static bool probe(const char *const *argv, char *said, size_t cap) {
    Arena *a = arena_new();
    Err err = {0};
    Proc p;
    ProcResult r = {.exit_code = -1};
    bool ok = proc_start(&p, argv, NULL, &err) && proc_wait(&p, a, PROBE_LIMIT_S, &r, &err) && r.exit_code == 0;
    if (!ok) {
        const char *text = r.output && *r.output ? r.output : err.message;
        snprintf(said, cap, "%.*s", (int)strcspn(text, "\n"), text);
    }
    arena_free(a);
    return ok;
}

static void look(void) {
    const char *off = getenv("OPWRIGHT_CAGE");
    char said[256] = "";
    state.kind = CAGE_NONE;
    if (off && !strcmp(off, "off")) {
        snprintf(state.describe, sizeof state.describe, "none: switched off by OPWRIGHT_CAGE=off; foreign code runs with your rights");
        return;
    }
    if (!find_helper()) {
        snprintf(state.describe, sizeof state.describe, "none: opwright-cage is not beside this program; foreign code runs with your rights");
        return;
    }
    const char *filter[] = {state.helper, "--", "true", NULL};
    if (!probe(filter, said, sizeof said)) {
        snprintf(state.describe, sizeof state.describe, "none: %s; foreign code runs with your rights", said);
        return;
    }
    state.kind = CAGE_FILTER;
    if (off && !strcmp(off, "filter")) {
        snprintf(state.describe, sizeof state.describe, "partial: filtered system calls and limits only, files are not confined (OPWRIGHT_CAGE=filter)");
        return;
    }
    const char *full[N_BWRAP + 5];
    memcpy(full, BWRAP, sizeof BWRAP);
    memcpy(full + N_BWRAP, (const char *const[]){"--", state.helper, "--", "true", NULL}, 5 * sizeof *full);
    if (probe(full, said, sizeof said)) {
        state.kind = CAGE_FULL;
        snprintf(state.describe, sizeof state.describe,
                 "full: no network, one writable folder, own processes only, filtered system calls (bubblewrap and seccomp)");
    } else {
        snprintf(state.describe, sizeof state.describe,
                 "partial: filtered system calls and limits only, files are not confined (%s); install bubblewrap, and allow user namespaces", said);
    }
}

CageKind cage_kind(void) {
    pthread_once(&state.once, look);
    return state.kind;
}

const char *cage_describe(void) {
    pthread_once(&state.once, look);
    return state.describe;
}

const char *const *cage_argv(Arena *a, const CageSpec *spec, const char *const *argv) {
    CageKind kind = cage_kind();
    if (kind == CAGE_NONE) return argv;
    VEC(const char *) v = {0};
    if (kind == CAGE_FILTER) {
        vec_push(a, &v, "env");
        vec_push(a, &v, arena_printf(a, "TMPDIR=%s", spec->writable));
    }
    if (kind == CAGE_FULL) {
        for (size_t i = 0; i < N_BWRAP; i++) vec_push(a, &v, BWRAP[i]);
        const char *const mine[] = {"--bind", spec->writable, spec->writable, "--setenv", "TMPDIR", spec->writable, "--"};
        for (size_t i = 0; i < sizeof mine / sizeof mine[0]; i++) vec_push(a, &v, mine[i]);
    }
    const char *const helper[] = {arena_strdup(a, state.helper),
                                  "--processes",
                                  arena_printf(a, "%u", spec->processes ? spec->processes : 512u),
                                  "--file-bytes",
                                  arena_printf(a, "%llu", (unsigned long long)(spec->file_bytes ? spec->file_bytes : 4ull << 30)),
                                  "--memory-bytes",
                                  arena_printf(a, "%llu", (unsigned long long)spec->memory_bytes),
                                  "--cpu-s",
                                  arena_printf(a, "%u", spec->cpu_s),
                                  "--"};
    for (size_t i = 0; i < sizeof helper / sizeof helper[0]; i++) vec_push(a, &v, helper[i]);
    for (size_t i = 0; argv[i]; i++) vec_push(a, &v, argv[i]);
    vec_push(a, &v, NULL);
    return v.at;
}
