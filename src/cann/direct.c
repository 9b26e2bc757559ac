/* Direct-launch descriptions on the device: kernels by the toolkit's compiler, the binding as an extension with their objects
 * in it. Nothing is registered or installed, so no name needs to be unique. */
#include "cann/cann_int.h"

#include "base/names.h"
#include "base/strbuf.h"
#include "isa/isa.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* HW: Ascend C guide, "operator compilation", and the vendor's packages: where headers of kernels and of host code lie, by
 * release. Those that are not there are left out. */
static const char *const INCLUDES[] = {"include",
                                       "include/experiment/runtime",
                                       "include/experiment/msprof",
                                       "compiler/tikcpp/include",
                                       "compiler/ascendc/include/basic_api/impl",
                                       "compiler/ascendc/include/basic_api/interface",
                                       "compiler/ascendc/include/highlevel_api/impl",
                                       "compiler/ascendc/include/highlevel_api/tiling",
                                       "compiler/ascendc/impl/aicore/basic_api"};
/* What launching and tiling by hand need besides torch_npu's own. */
static const char *const LIBRARIES[] = {"ascendcl", "platform", "register", "tiling_api", "ascendc_runtime", "runtime", "profapi"};
#define N_OF(array) (sizeof(array) / sizeof(array)[0])

/* Folder of the toolkit for this machine: "x86_64-linux". */
static const char *system_folder(Arena *a, const char *toolkit) {
    struct utsname u;
    return arena_printf(a, "%s/%s-linux", toolkit, uname(&u) == 0 ? u.machine : "aarch64");
}

const char *cann_find_bisheng(Arena *a, const char *toolkit) {
    if (!toolkit) return NULL;
    const char *places[] = {arena_printf(a, "%s/bin/bisheng", toolkit),
                            arena_printf(a, "%s/ccec_compiler/bin/bisheng", system_folder(a, toolkit)),
                            arena_printf(a, "%s/compiler/ccec_compiler/bin/bisheng", toolkit)};
    for (size_t i = 0; i < N_OF(places); i++)
        if (access(places[i], X_OK) == 0) return places[i];
    return NULL;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* What judge and report want of a description: names. */
static const Desc *name_it(CannJob *j) {
    Desc *d = ARENA_NEW(j->arena, Desc);
    d->path = j->path;
    d->op = d->kernel_name = j->o->op ? j->o->op : j->direct->module;
    for (int i = 0; i < DESC_N_SOURCES; i++) d->source[i] = "";
    return d;
}

const Desc *cann_load_direct(CannJob *j, Bridge *b, DescViolation **rules, size_t *n_rules, Err *err) {
    Arena *a = j->arena;
    j->direct = direct_parse(a, j->text, err);
    if (!j->direct) return NULL;
    BridgeReply reply = {0};
    const BridgeLimits limits = {.wall_s = j->limit_s, .memory_mb = 4096};
    json_t *params = json_pack("{s:s, s:s}", "model_src", j->direct->model_text, "library", j->direct->module);
    const Desc *d = NULL;
    bool ok = bridge_call(b, a, "check_model", params, &limits, &reply, err);
    json_decref(params);
    if (ok) {
        *rules = direct_check(a, j->direct, json_object_get(reply.result, "rules"), n_rules);
        d = name_it(j);
        j->op = d->op;
        j->snake = d->kernel_name;
        j->library = j->direct->module;
        j->model_src = j->direct->model_text;
        j->model_class = j->direct->model_class;
        j->model_file = arena_printf(a, "%s/work/%s", j->dir, j->direct->model_path);
    }
    bridge_reply_clear(&reply);
    return d;
}

/* ---- what compilers say ---------------------------------------------------------------------- */

/* "…/kernel/add.cpp:12:5: error: text" about one of the sources; false for any other line. */
static bool take_error_line(CannJob *j, const char *line) {
    Arena *a = j->arena;
    for (size_t i = 0; i < j->direct->n_sources; i++) {
        const char *path = j->direct->sources[i].path, *at = strstr(line, path);
        if (!at || (at != line && at[-1] != '/' && !isspace((unsigned char)at[-1]))) continue;
        int row = 0, column = 0, n = 0;
        if (sscanf(at + strlen(path), ":%d:%d: %n", &row, &column, &n) < 2 || n == 0) continue;
        const char *rest = at + strlen(path) + n;
        bool fatal = !strncmp(rest, "fatal error: ", 13);
        if (!fatal && strncmp(rest, "error: ", 7) != 0) continue;
        const char *text = arena_strdup(a, rest + (fatal ? 13 : 7));
        Diag d = {.check = "compile", .stage = "build", .source = path, .line = row, .column = column, .text = text, .text_zh = text};
        diag_add(&j->diags, &d);
        if (!j->report.error_message) j->report.error_message = arena_printf(a, "%s:%d: %s", path, row, text);
        return true;
    }
    return false;
}

static void compiler_failed(CannJob *j, const char *name, const char *source, const ProcResult *r) {
    bool found = false;
    for (const char *p = r->output; !r->timed_out && *p;) {
        size_t n = strcspn(p, "\n");
        found = take_error_line(j, arena_strndup(j->arena, p, n)) || found;
        p += n + (p[n] == '\n');
    }
    if (!found) return cann_tool_failed(j, name, source, r);
    if (verdict_rank(VERDICT_FAIL) > verdict_rank(j->report.verdict)) j->report.verdict = VERDICT_FAIL;
}

/* ---- building -------------------------------------------------------------------------------- */

static bool write_sources(CannJob *j, Err *err) {
    for (size_t i = 0; i < j->direct->n_sources; i++) {
        const DirectSource *s = &j->direct->sources[i];
        const char *path = arena_printf(j->arena, "%s/work/%s", j->dir, s->path);
        const char *folder = arena_strndup(j->arena, path, (size_t)(strrchr(path, '/') - path));
        if (!fs_make_dirs(folder, err) || !fs_write(path, s->text, strlen(s->text), err)) return false;
    }
    return fs_make_dirs(arena_printf(j->arena, "%s/objects", j->dir), err) && fs_make_dirs(j->module_dir, err);
}

typedef VEC(const char *) Words;

/* Include folders: of the description, of the toolkit, and those of Python and PyTorch, which it prints. */
static bool collect_includes(CannJob *j, Words *folders, Err *err) {
    Arena *a = j->arena;
    ProcResult r;
    double seconds;
    for (size_t i = 0; i < j->direct->n_include_dirs; i++)
        vec_push(a, folders, arena_printf(a, "%s/work/%s", j->dir, j->direct->include_dirs[i]));
    for (size_t i = 0; i < N_OF(INCLUDES); i++) {
        const char *folder = arena_printf(a, "%s/%s", j->parts.toolkit, INCLUDES[i]);
        if (fs_exists(folder)) vec_push(a, folders, folder);
    }
    const char *argv[] = {j->python, arena_printf(a, "%s/bridge/cann_build.py", j->home), "--includes", NULL};
    if (!cann_step(j, "folders of PyTorch", argv, j->dir, &r, &seconds, err)) return false;
    if (r.exit_code != 0 && strstr(r.output, "No module named")) {
        err_set(err, ERR_NO_CANN, NULL, "%s lacks PyTorch or torch_npu: %.500s", j->python, r.output);
        return err_hint(err, "pip install the torch_npu that fits this PyTorch and CANN; OPWRIGHT_PYTHON chooses another Python");
    }
    if (r.exit_code != 0) {
        cann_tool_failed(j, "folders of PyTorch", NULL, &r);
        return true;
    }
    for (const char *p = r.output; *p;) { /* "include: FOLDER", between what the imports print */
        size_t n = strcspn(p, "\n");
        if (!strncmp(p, "include: ", 9)) vec_push(a, folders, arena_strndup(a, p + 9, n - 9));
        p += n + (p[n] == '\n');
    }
    return true;
}

static bool compile_kernel(CannJob *j, const DirectSource *s, const Words *folders, const char *object, Err *err) {
    Arena *a = j->arena;
    Words argv = {0};
    const ChipInfo *chip = chip_find(j->report.chip);
    /* HW: Ascend C guide, quick start: --npu-arch takes the architecture's number, "dav-2201" for the 910B family; -xasc
     * takes <<<...>>> in files of any name. */
    const char *const flags[] = {cann_find_bisheng(a, j->parts.toolkit), arena_printf(a, "--npu-arch=dav-%u", chip ? chip->arch : 2201u),
                                 "-xasc", "-std=c++17", "-fPIC"};
    for (size_t i = 0; i < N_OF(flags); i++) vec_push(a, &argv, flags[i]);
    for (size_t i = 0; i < folders->n; i++) vec_push(a, &argv, arena_printf(a, "-I%s", folders->at[i]));
    const char *const rest[] = {"-c", s->path, "-o", object, NULL};
    for (size_t i = 0; i < N_OF(rest); i++) vec_push(a, &argv, rest[i]);
    ProcResult r;
    double seconds = 0;
    if (!cann_step(j, arena_printf(a, "bisheng %s", s->path), argv.at, arena_printf(a, "%s/work", j->dir), &r, &seconds, err))
        return false;
    j->times.package_s += seconds;
    if (r.exit_code != 0 || !fs_exists(object)) compiler_failed(j, "bisheng", s->path, &r);
    return true;
}

/* The order for cann_build.py. */
static const char *write_build(CannJob *j, const Words *folders, const Words *objects, Err *err) {
    Arena *a = j->arena;
    json_t *sources = json_array(), *object_list = json_array(), *includes = json_array(), *libraries = json_array();
    for (size_t i = 0; i < j->direct->n_sources; i++)
        if (j->direct->sources[i].role == DIRECT_BINDING) json_array_append_new(sources, json_string(j->direct->sources[i].path));
    for (size_t i = 0; i < objects->n; i++) json_array_append_new(object_list, json_string(objects->at[i]));
    for (size_t i = 0; i < folders->n; i++) json_array_append_new(includes, json_string(folders->at[i]));
    for (size_t i = 0; i < N_OF(LIBRARIES); i++) json_array_append_new(libraries, json_string(LIBRARIES[i]));
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:[s, s]}", "name", j->direct->module, "folder",
                          arena_printf(a, "%s/work", j->dir), "out", j->module_dir, "objects_dir",
                          arena_printf(a, "%s/objects", j->dir), "sources", sources, "objects", object_list, "include_dirs",
                          includes, "libraries", libraries, "library_dirs",
                          arena_printf(a, "%s/lib64", system_folder(a, j->parts.toolkit)), arena_printf(a, "%s/lib64", j->parts.toolkit));
    char *text = o ? json_dumps(o, 0) : NULL;
    json_decref(o);
    const char *path = arena_printf(a, "%s/build.json", j->dir);
    bool ok = text ? fs_write(path, text, strlen(text), err) : err_set(err, ERR_INTERNAL, NULL, "the build cannot be written as JSON");
    free(text);
    return ok ? path : NULL;
}

static bool build_binding(CannJob *j, const Words *folders, const Words *objects, Err *err) {
    Arena *a = j->arena;
    const char *order = write_build(j, folders, objects, err);
    if (!order) return false;
    const char *argv[] = {j->python, arena_printf(a, "%s/bridge/cann_build.py", j->home), "--order", order, NULL};
    ProcResult r;
    if (!cann_step(j, "binding", argv, arena_printf(a, "%s/work", j->dir), &r, &j->times.binding_s, err)) return false;
    if (r.exit_code != 0) compiler_failed(j, "binding", NULL, &r);
    return true;
}

bool cann_build_direct(CannJob *j, Err *err) {
    Arena *a = j->arena;
    Words folders = {0}, objects = {0};
    j->module_dir = arena_printf(a, "%s/work/%s", j->dir, j->direct->build_dir);
    j->opp = j->module_dir;
    if (!write_sources(j, err) || !collect_includes(j, &folders, err)) return false;
    for (size_t i = 0; i < j->direct->n_sources && j->report.verdict == VERDICT_PASS; i++) {
        if (j->direct->sources[i].role != DIRECT_KERNEL) continue;
        const char *object = arena_printf(a, "%s/objects/%zu.o", j->dir, i);
        vec_push(a, &objects, object);
        if (!compile_kernel(j, &j->direct->sources[i], &folders, object, err)) return false;
    }
    return j->report.verdict != VERDICT_PASS || build_binding(j, &folders, &objects, err);
}
