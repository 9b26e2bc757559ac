/* Finds the toolkit, its generator of projects, and the devices. */
#include "cann/cann.h"

#include "base/fs.h"
#include "base/strbuf.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *first_folder(Arena *a) {
    static const char *const VARIABLES[] = {"ASCEND_TOOLKIT_HOME", "ASCEND_HOME_PATH"};
    for (size_t i = 0; i < sizeof VARIABLES / sizeof VARIABLES[0]; i++) {
        const char *value = getenv(VARIABLES[i]);
        if (value && *value && fs_exists(value)) return arena_strdup(a, value);
    }
    const char *home = getenv("HOME"), *usual = "/usr/local/Ascend/ascend-toolkit/latest";
    if (home && *home) {
        const char *own = arena_printf(a, "%s/Ascend/ascend-toolkit/latest", home);
        if (fs_exists(own)) return own;
    }
    return fs_exists(usual) ? usual : NULL;
}

/* HW: CANN packages carry `Version=` or `version=` lines in version.cfg or version.info, by release. */
static const char *version_of(Arena *a, const char *toolkit) {
    static const char *const FILES[] = {"version.cfg", "opp/version.info", "compiler/version.info",
                                        "version.info"};
    for (size_t i = 0; i < sizeof FILES / sizeof FILES[0]; i++) {
        Err ignored = {0};
        const char *path = arena_printf(a, "%s/%s", toolkit, FILES[i]);
        const char *text = fs_exists(path) ? fs_read(a, path, NULL, &ignored) : NULL;
        for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
            if (strncasecmp(p, "version=", 8) != 0) continue;
            return arena_strndup(a, p + 8, strcspn(p + 8, "\r\n"));
        }
    }
    return "";
}

static const char *program_in_path(Arena *a, const char *name) {
    const char *path = getenv("PATH");
    for (const char *p = path ? path : ""; *p;) {
        size_t n = strcspn(p, ":");
        const char *full = arena_printf(a, "%.*s/%s", (int)n, p, name);
        if (n && access(full, X_OK) == 0) return full;
        p += n + (p[n] == ':');
    }
    return NULL;
}

static int compare_ints(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

static void find_devices(CannParts *p) {
    const char *set = getenv("OPWRIGHT_DEV_DIR");
    DIR *d = opendir(set && *set ? set : "/dev");
    if (!d) return;
    for (const struct dirent *e; (e = readdir(d)) && p->n_devices < CANN_DEVICES_MAX;) {
        if (strncmp(e->d_name, "davinci", 7) != 0 || e->d_name[7] < '0' || e->d_name[7] > '9')
            continue; /* not davinci_manager */
        char *end;
        long k = strtol(e->d_name + 7, &end, 10);
        if (*end == '\0' && k < 10000) p->devices[p->n_devices++] = (int)k;
    }
    closedir(d);
    qsort(p->devices, p->n_devices, sizeof p->devices[0], compare_ints);
}

void cann_find(Arena *a, CannParts *p) {
    *p = (CannParts){.version = ""};
    p->toolkit = first_folder(a);
    if (p->toolkit) p->version = version_of(a, p->toolkit);
    p->msopgen = program_in_path(a, "msopgen");
    find_devices(p);
}

bool cann_available(char *why, size_t n_bytes) {
    Arena *a = arena_new();
    CannParts p;
    cann_find(a, &p);
    StrBuf sb;
    strbuf_init(&sb, a);
    if (!p.toolkit) strbuf_add(&sb, "no CANN toolkit (ASCEND_TOOLKIT_HOME is not set to a folder); ");
    if (!p.msopgen) strbuf_add(&sb, "no msopgen on PATH (source set_env.sh of the toolkit); ");
    if (!p.n_devices) strbuf_add(&sb, "no device (/dev/davinci<k>); ");
    bool ok = sb.n_bytes == 0;
    if (n_bytes) snprintf(why, n_bytes, "%.*s", ok ? 0 : (int)sb.n_bytes - 2, sb.text);
    arena_free(a);
    return ok;
}

const char *cann_python(Arena *a, const char *home) {
    const char *set = getenv("OPWRIGHT_PYTHON");
    if (set && *set) return arena_strdup(a, set);
    const char *own = arena_printf(a, "%s/.venv/bin/python", home);
    return fs_exists(own) ? own : "python3";
}
