/* Life of a runtime: open, load the op and the binding, errors, the trail, close. */
#include "runtime/runtime_int.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Host libraries register from static constructors, bindings call back without a handle: one current runtime. */
static Rt *current;
static char open_error[1024];

Rt *rt_current(void) { return current; }
void rt_make_current(Rt *rt) { current = rt; }

int rt_fail(Rt *rt, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    if (rt) vsnprintf(rt->error, sizeof rt->error, fmt, args);
    else vsnprintf(open_error, sizeof open_error, fmt, args);
    va_end(args);
    return -1;
}

const char *rt_error(const Rt *rt) { return rt ? rt->error : open_error; }
const char *owh_last_error(void) { return rt_error(current); }

Rt *rt_open(const char *chip) {
    Err err = {0};
    Sim *sim = sim_new(chip, &err);
    if (!sim) {
        rt_fail(NULL, "open: %s%s%s", err.message, err.hint[0] ? "; " : "", err.hint);
        return NULL;
    }
    Rt *rt = calloc(1, sizeof *rt);
    if (!rt) abort();
    rt->sim = sim;
    rt->chip = chip_find(chip);
    rt->arena = arena_new();
    rt->report = arena_new();
    current = rt;
    return rt;
}

static void drop_op(Rt *rt) {
    for (size_t i = 0; i < rt->n_kernels; i++)
        if (rt->kernel_libs[i]) dlclose(rt->kernel_libs[i]);
    if (rt->host_lib) dlclose(rt->host_lib);
    rt->host_lib = NULL;
    rt->n_kernels = 0;
    memset(&rt->ops, 0, sizeof rt->ops);
    memset(&rt->impls, 0, sizeof rt->impls);
    memset(&rt->tiling_classes, 0, sizeof rt->tiling_classes);
}

static void drop_binding(Rt *rt) {
    for (size_t i = 0; i < rt->fns.n; i++) rt->fns.at[i].def.drop(rt->fns.at[i].def.self);
    if (rt->binding_lib) dlclose(rt->binding_lib);
    rt->binding_lib = NULL;
    memset(&rt->fns, 0, sizeof rt->fns);
}

void rt_close(Rt *rt) {
    if (!rt) return;
    current = rt; /* destructors of the libraries may call back */
    drop_binding(rt);
    drop_op(rt);
    if (rt->trail) {
        sim_set_trail(NULL);
        munmap(rt->trail, sizeof *rt->trail);
    }
    sim_free(rt->sim);
    arena_free(rt->arena);
    arena_free(rt->report);
    free(rt->workspace);
    free(rt->json);
    free(rt);
    current = NULL;
}

int rt_set_trail(Rt *rt, const char *path) {
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat st;
    if (fd < 0) return rt_fail(rt, "open: %s: %s", path, strerror(errno));
    if (fstat(fd, &st) != 0 || (st.st_size < (off_t)sizeof(SimTrail) && ftruncate(fd, (off_t)sizeof(SimTrail)) != 0)) {
        rt_fail(rt, "open: %s: %s", path, strerror(errno));
        close(fd);
        return -1;
    }
    void *map = mmap(NULL, sizeof(SimTrail), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (map == MAP_FAILED) return rt_fail(rt, "open: %s: %s", path, strerror(errno));
    if (rt->trail) munmap(rt->trail, sizeof *rt->trail);
    rt->trail = map;
    sim_set_trail(rt->trail);
    return 0;
}

/* OPWRIGHT_SIM_THREADS: host threads for one launch; services run several jobs side by side instead. */
static uint32_t sim_threads(void) {
    const char *text = getenv("OPWRIGHT_SIM_THREADS");
    const long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n <= 64 ? (uint32_t)n : 0;
}

int rt_set_model(Rt *rt, const char *schedule, int strict, int exact) {
    SimOptions o = {.strict = strict != 0, .exact = exact != 0, .n_threads = sim_threads()};
    Err err = {0};
    if (!sim_parse_options(schedule, &o, &err)) return rt_fail(rt, "open: %s", err.message);
    sim_set_options(rt->sim, &o);
    return 0;
}

void rt_trail(Rt *rt, const char *file, const char *api) {
    if (!rt->trail) return;
    snprintf(rt->trail->file, sizeof rt->trail->file, "%s", file);
    snprintf(rt->trail->api, sizeof rt->trail->api, "%s", api);
    rt->trail->line = 0;
    rt->trail->block = 0;
}

static int check_kernel_name(Rt *rt, const char *kernel_name) {
    char snake[256], have[1024] = "";
    for (size_t i = 0; i < rt->ops.n; i++) {
        rt_snake_case(rt->ops.at[i]->type, snake, sizeof snake);
        if (!strcmp(snake, kernel_name)) return 0;
        const size_t at = strlen(have);
        snprintf(have + at, sizeof have - at, "%s%s (kernel %s)", at ? ", " : "", rt->ops.at[i]->type, snake);
    }
    return rt_fail(rt, "host: OP_ADD registers %s, none of which has the kernel %s", have, kernel_name);
}

static int check_kernel_count(Rt *rt, int n_kernels) {
    char snake[256];
    for (size_t i = 0; i < rt->ops.n; i++) {
        rt_snake_case(rt->ops.at[i]->type, snake, sizeof snake);
        if (!strcmp(snake, rt->kernel_name) && rt->ops.at[i]->n_combos != (size_t)n_kernels)
            return rt_fail(rt, "host: %s declares %zu dtype combinations in host_operator_src, project_json_src lists %d", rt->ops.at[i]->type,
                           rt->ops.at[i]->n_combos, n_kernels);
    }
    return 0;
}

int rt_load_op(Rt *rt, const char *host_so, const char *kernel_name, const char *const *kernel_sos, int n_kernels) {
    current = rt;
    drop_op(rt);
    rt_trail(rt, "host_operator_src", "static constructors");
    void *loaded = dlopen(host_so, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (loaded) { /* its constructors, which register the operator, would not run again */
        dlclose(loaded);
        return rt_fail(rt, "host: %s is already loaded by another runtime", host_so);
    }
    rt->host_lib = dlopen(host_so, RTLD_NOW | RTLD_LOCAL);
    if (!rt->host_lib) return rt_fail(rt, "host: %s", dlerror());
    rt->kernel_name = arena_strdup(rt->arena, kernel_name);
    if (rt_ops_check(rt) || check_kernel_name(rt, kernel_name) || check_kernel_count(rt, n_kernels)) return -1;
    rt->kernel_paths = ARENA_ARRAY(rt->arena, (size_t)n_kernels, const char *);
    rt->kernel_libs = ARENA_ARRAY(rt->arena, (size_t)n_kernels, void *);
    for (int i = 0; i < n_kernels; i++) rt->kernel_paths[i] = kernel_sos[i] ? arena_strdup(rt->arena, kernel_sos[i]) : NULL;
    rt->n_kernels = (size_t)n_kernels;
    rt_trail(rt, "", "");
    return 0;
}

int rt_load_binding(Rt *rt, const char *binding_so) {
    char text[2048] = "";
    current = rt;
    drop_binding(rt);
    rt_trail(rt, "python_bind_src", "static constructors");
    rt->binding_lib = dlopen(binding_so, RTLD_NOW | RTLD_LOCAL);
    if (!rt->binding_lib) return rt_fail(rt, "binding: %s", dlerror());
    int (*init)(char *, size_t);
    *(void **)&init = dlsym(rt->binding_lib, OWH_BINDING_INIT);
    if (!init) return rt_fail(rt, "binding: python_bind_src has no PYBIND11_MODULE");
    rt_trail(rt, "python_bind_src", "PYBIND11_MODULE");
    if (init(text, sizeof text)) return rt_fail(rt, "binding: PYBIND11_MODULE: %s", text);
    rt_trail(rt, "", "");
    return rt->fns.n ? 0 : rt_fail(rt, "binding: PYBIND11_MODULE exports no function: m.def is missing");
}
