/* What opwright doctor looks at: one function for each row of doctor.def. */
#include "cli/doctor.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "cage/cage.h"
#include "cann/cann.h"
#include "verify/toolchain.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#define GIB               (1024.0 * 1024.0 * 1024.0)
#define TEMP_WANTED_GIB   1.0 /* ASSUMED: a build folder of a large operator and its logs */
#define MEMORY_WANTED_GIB 2.0 /* MEASURED: PyTorch's import is about 0.3 GiB, the rest is for tensors */

static void set(Item *item, ItemStatus status, const char *value) {
    item->status = status;
    item->value = value;
}

/* With the cure of the error, when it has one. */
static void set_error(Doctor *d, Item *item, ItemStatus status, const Err *err) {
    set(item, status, arena_strdup(d->arena, err->message));
    if (err->hint[0]) item->mend = arena_strdup(d->arena, err->hint);
}

void look_home(Doctor *d, Item *item) {
    Err err = {0};
    d->home = fs_home(d->arena, &err);
    if (d->home) set(item, ITEM_OK, d->home);
    else set_error(d, item, ITEM_BAD, &err);
}

void look_runtime(Doctor *d, Item *item) {
    Err err = {0};
    const char *path = toolchain_runtime(d->arena, &err);
    if (!path) set_error(d, item, ITEM_BAD, &err);
    else if (access(path, R_OK) != 0)
        set(item, ITEM_BAD, arena_printf(d->arena, "%s: %s", path, strerror(errno)));
    else set(item, ITEM_OK, path);
}

void look_compiler(Doctor *d, Item *item) {
    Err err = {0};
    char *dir = fs_temp_dir(d->arena, "opwright-doctor-", &err);
    Toolchain t = {0};
    if (dir && toolchain_find(d->arena, d->home ? d->home : "", dir, &t, &err)) set(item, ITEM_OK, t.version);
    else set_error(d, item, ITEM_BAD, &err);
    if (dir) fs_remove_tree(dir);
}

static const char *text_of(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* First line of what a program prints; NULL when it cannot be run. */
static const char *first_line(Arena *a, const char *const *argv) {
    Proc p;
    ProcResult r;
    Err ignored = {0};
    if (!proc_start(&p, argv, NULL, &ignored) || !proc_wait(&p, a, 30, &r, &ignored) || r.exit_code != 0)
        return NULL;
    return arena_strndup(a, r.output, strcspn(r.output, "\n"));
}

void look_python(Doctor *d, Item *item) {
    if (d->hello) {
        set(item, ITEM_OK, text_of(d->hello, "python"));
        return;
    }
    /* The worker says no Python and no PyTorch alike. */
    const char *argv[] = {d->home ? cann_python(d->arena, d->home) : "python3", "--version", NULL};
    const char *version = first_line(d->arena, argv);
    if (version) set(item, ITEM_OK, arena_printf(d->arena, "%s (%s)", version, argv[0]));
    else set(item, ITEM_BAD, arena_printf(d->arena, "%s cannot be run", argv[0]));
}

void look_torch(Doctor *d, Item *item) {
    if (!d->hello) {
        const Err *err = d->bridge ? &d->hello_err : &d->bridge_err;
        set(item, ITEM_BAD, arena_strdup(d->arena, err->message));
        return;
    }
    bool supported = json_is_true(json_object_get(d->hello, "supported"));
    const char *version = text_of(d->hello, "torch");
    set(item, supported ? ITEM_OK : ITEM_LIMITED,
        supported ? version : arena_printf(d->arena, "%s: %s", version, text_of(d->hello, "message")));
}

void look_simulator(Doctor *d, Item *item) {
    if (!d->hello || !d->home) {
        set(item, ITEM_BAD, "not tried: something above is missing");
        return;
    }
    Err err = {0};
    VerifyResult r = {0};
    char *dir = fs_temp_dir(d->arena, "opwright-doctor-", &err);
    double start = time_now_s();
    if (!dir || !doctor_probe(d->arena, d->bridge, dir, &r, &err)) set_error(d, item, ITEM_BAD, &err);
    else if (r.verdict != VERDICT_PASS) set(item, ITEM_BAD, r.summary);
    else set(item, ITEM_OK, arena_printf(d->arena, "PASS in %.1f s", time_now_s() - start));
    d->simulator_works = item->status == ITEM_OK;
    json_decref(r.json);
    if (dir) fs_remove_tree(dir);
}

void look_cage(Doctor *d, Item *item) {
    (void)d;
    static const ItemStatus STATUS[] = {
        [CAGE_FULL] = ITEM_OK, [CAGE_FILTER] = ITEM_LIMITED, [CAGE_NONE] = ITEM_LIMITED};
    set(item, STATUS[cage_kind()], cage_describe());
}

void look_bubblewrap(Doctor *d, Item *item) {
    static const char *const ARGV[] = {"bwrap", "--version", NULL};
    const char *version = first_line(d->arena, ARGV);
    set(item, version ? ITEM_OK : ITEM_ABSENT, version ? version : "not installed");
}

/* A library's own word for its version, without being linked to it. */
static const char *library_version(Arena *a, const char *file, const char *function) {
    void *lib = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!lib) return NULL;
    const char *(*version)(void) = NULL;
    void *symbol = dlsym(lib, function);
    memcpy(&version, &symbol, sizeof version); /* ISO C has no cast from an object to a function */
    const char *text = version ? version() : "?";
    /* "libcurl/7.88.1 OpenSSL/3.0": the first word says it */
    return arena_strndup(a, text, strcspn(text, " "));
}

/* libseccomp gives a structure of three numbers. */
static const char *seccomp_text(Arena *a) {
    struct Version {
        unsigned int major, minor, micro;
    };
    void *lib = dlopen("libseccomp.so.2", RTLD_LAZY | RTLD_LOCAL),
         *symbol = lib ? dlsym(lib, "seccomp_version") : NULL;
    if (!symbol) return NULL;
    const struct Version *(*version)(void) = NULL;
    memcpy(&version, &symbol, sizeof version);
    const struct Version *v = version();
    return arena_printf(a, "%u.%u.%u", v->major, v->minor, v->micro);
}

void look_libraries(Doctor *d, Item *item) {
    Arena *a = d->arena;
    const struct {
        const char *name, *version;
    } found[] = {{"jansson", library_version(a, "libjansson.so.4", "jansson_version_str")},
                 {"libmicrohttpd", library_version(a, "libmicrohttpd.so.12", "MHD_get_version")},
                 {"libcurl", library_version(a, "libcurl.so.4", "curl_version")},
                 {"libseccomp", seccomp_text(a)}};
    StrBuf sb;
    strbuf_init(&sb, a);
    item->status = ITEM_OK;
    for (size_t i = 0; i < sizeof found / sizeof found[0]; i++) {
        const char *version = found[i].version ? found[i].version : "missing";
        size_t prefix = strlen(found[i].name);
        if (!strncmp(version, found[i].name, prefix) && version[prefix] == '/') version += prefix + 1;
        strbuf_printf(&sb, "%s%s %s", i ? ", " : "", found[i].name, version);
        if (!found[i].version) item->status = ITEM_LIMITED;
    }
    item->value = sb.text;
}

void look_toolkit(Doctor *d, Item *item) {
    CannParts p;
    cann_find(d->arena, &p);
    if (!p.toolkit) set(item, ITEM_ABSENT, "not found: ASCEND_TOOLKIT_HOME is not set");
    else set(item, ITEM_OK, *p.version ? arena_printf(d->arena, "%s, %s", p.version, p.toolkit) : p.toolkit);
}

void look_msopgen(Doctor *d, Item *item) {
    CannParts p;
    cann_find(d->arena, &p);
    set(item, p.msopgen ? ITEM_OK : ITEM_ABSENT, p.msopgen ? p.msopgen : "not on PATH");
}

void look_torch_npu(Doctor *d, Item *item) {
    static const char ASK[] = "import importlib.metadata as m\nprint(m.version('torch_npu'))";
    const char *argv[] = {d->home ? cann_python(d->arena, d->home) : "python3", "-c", ASK, NULL};
    const char *version = first_line(d->arena, argv);
    set(item, version ? ITEM_OK : ITEM_ABSENT, version ? version : "not installed in this Python");
}

void look_devices(Doctor *d, Item *item) {
    CannParts p;
    cann_find(d->arena, &p);
    StrBuf sb;
    strbuf_init(&sb, d->arena);
    for (size_t i = 0; i < p.n_devices; i++) strbuf_printf(&sb, "%snpu:%d", i ? ", " : "", p.devices[i]);
    set(item, p.n_devices ? ITEM_OK : ITEM_ABSENT, p.n_devices ? sb.text : "none");
}

void look_temp(Doctor *d, Item *item) {
    Err err = {0};
    char *dir = fs_temp_dir(d->arena, "opwright-doctor-", &err);
    struct statvfs vfs;
    if (!dir) {
        set_error(d, item, ITEM_BAD, &err);
        return;
    }
    const char *parent = arena_strndup(d->arena, dir, (size_t)(strrchr(dir, '/') - dir));
    if (statvfs(dir, &vfs) != 0) {
        set(item, ITEM_LIMITED, arena_printf(d->arena, "%s: %s", parent, strerror(errno)));
    } else {
        double free_gib = (double)vfs.f_bavail * (double)vfs.f_frsize / GIB;
        bool noexec = vfs.f_flag & ST_NOEXEC;
        set(item,
            noexec                       ? ITEM_BAD
            : free_gib < TEMP_WANTED_GIB ? ITEM_LIMITED
                                         : ITEM_OK,
            arena_printf(d->arena, "%s, %.1f GiB free%s", parent, free_gib,
                         noexec ? ", mounted noexec: built libraries cannot be loaded" : ""));
    }
    fs_remove_tree(dir);
}

void look_memory(Doctor *d, Item *item) {
    FILE *f = fopen("/proc/meminfo", "re");
    double total = 0, available = 0;
    char line[128];
    while (f && fgets(line, sizeof line, f)) {
        sscanf(line, "MemTotal: %lf", &total);
        sscanf(line, "MemAvailable: %lf", &available);
    }
    if (f) fclose(f);
    double free_gib = available * 1024.0 / GIB;
    set(item, free_gib < MEMORY_WANTED_GIB ? ITEM_LIMITED : ITEM_OK,
        arena_printf(d->arena, "%.1f GiB, %.1f GiB free", total * 1024.0 / GIB, free_gib));
}

void look_cores(Doctor *d, Item *item) {
    struct utsname u;
    set(item, ITEM_OK,
        arena_printf(d->arena, "%ld, %s", sysconf(_SC_NPROCESSORS_ONLN), uname(&u) == 0 ? u.machine : "?"));
}
