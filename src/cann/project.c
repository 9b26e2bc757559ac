/* From sources to an operator package in a private path: msopgen, build.sh, the package's installer. */
#include "cann/cann_int.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ASCEND_CUSTOM_OPP_PATH disturbs a build: an installed operator would be found before the one being built.
 */
#define CLEAN_ENV "env", "-u", "ASCEND_CUSTOM_OPP_PATH"

static bool write_text(const char *path, const char *text, Err *err) {
    return fs_write(path, text, strlen(text), err);
}

/* HW: Ascend C guide, "modify the build options": CMakePresets.json holds the toolkit's folder under
 * ASCEND_CANN_PACKAGE_PATH; the generated default is one usual place. */
static bool set_toolkit_path(CannJob *j, const char *project, Err *err) {
    const char *path = arena_printf(j->arena, "%s/CMakePresets.json", project);
    if (!fs_exists(path)) return true;
    json_t *presets = json_load_file(path, 0, NULL), *list = json_object_get(presets, "configurePresets");
    size_t i;
    json_t *preset;
    json_array_foreach(list, i, preset) {
        json_t *variable =
            json_object_get(json_object_get(preset, "cacheVariables"), "ASCEND_CANN_PACKAGE_PATH");
        const char *value = json_string_value(json_object_get(variable, "value"));
        if (value && !fs_exists(value)) json_object_set_new(variable, "value", json_string(j->parts.toolkit));
    }
    char *text = presets ? json_dumps(presets, JSON_INDENT(4)) : NULL;
    bool ok = !text || write_text(path, text, err);
    free(text);
    json_decref(presets);
    return ok;
}

/* A folder that msopgen should have made. */
static bool expect(CannJob *j, const char *path) {
    if (fs_exists(path)) return true;
    const char *text = arena_printf(j->arena, "msopgen ended without making %s", path + strlen(j->dir) + 1);
    cann_fail(j, VERDICT_INFRA_ERROR, "compile", "build", NULL, text,
              arena_printf(j->arena, "msopgen 没有生成 %s", path + strlen(j->dir) + 1),
              "this release of the toolkit lays its projects out in another way",
              "该版本工具包的工程结构不同");
    return false;
}

bool cann_make_project(CannJob *j, Err *err) {
    Arena *a = j->arena;
    const char *json = arena_printf(a, "%s/%s.json", j->dir, j->snake),
               *project = arena_printf(a, "%s/project", j->dir);
    if (!write_text(json, j->source[DESC_PROJECT_JSON], err)) return false;
    const char *unit = arena_printf(a, "ai_core-%s", j->report.chip);
    const char *argv[] = {CLEAN_ENV, j->parts.msopgen, "gen", "-i",   json,    "-c",
                          unit,      "-lan",           "cpp", "-out", project, NULL};
    ProcResult r;
    if (!cann_step(j, "msopgen", argv, j->dir, &r, &j->times.project_s, err)) return false;
    if (r.exit_code != 0) {
        cann_tool_failed(j, "msopgen", DESC_SOURCE_NAMES[DESC_PROJECT_JSON], &r);
        return true;
    }
    const char *host = arena_printf(a, "%s/op_host", project),
               *kernel = arena_printf(a, "%s/op_kernel", project);
    if (!expect(j, host) || !expect(j, kernel) || !expect(j, arena_printf(a, "%s/build.sh", project)))
        return true;
    return write_text(arena_printf(a, "%s/%s_tiling.h", host, j->snake), j->source[DESC_HOST_TILING], err) &&
           write_text(arena_printf(a, "%s/%s.cpp", host, j->snake), j->source[DESC_HOST_OPERATOR], err) &&
           write_text(arena_printf(a, "%s/%s.cpp", kernel, j->snake), j->source[DESC_KERNEL], err) &&
           set_toolkit_path(j, project, err);
}

/* The package that build.sh made, or NULL. */
static const char *find_package(const CannJob *j) {
    const char *folder = arena_printf(j->arena, "%s/project/build_out", j->dir), *found = NULL;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && !found && (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (!strncmp(e->d_name, "custom_opp", 10) && !strcmp(e->d_name + n - 4, ".run"))
            found = arena_printf(j->arena, "%s/%s", folder, e->d_name);
    }
    if (d) closedir(d);
    return found;
}

bool cann_build_package(CannJob *j, Err *err) {
    const char *argv[] = {CLEAN_ENV, "./build.sh", NULL};
    ProcResult r;
    if (!cann_step(j, "build.sh", argv, arena_printf(j->arena, "%s/project", j->dir), &r, &j->times.package_s,
                   err))
        return false;
    if (r.exit_code != 0 || !find_package(j)) cann_tool_failed(j, "build.sh", NULL, &r);
    return true;
}

/* <dir>/opp/vendors/<vendor>, whatever the vendor is called; NULL when nothing was installed. */
static const char *find_vendor(const CannJob *j) {
    const char *folder = arena_printf(j->arena, "%s/opp/vendors", j->dir), *found = NULL;
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && !found && (e = readdir(d));) {
        const char *vendor = arena_printf(j->arena, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && fs_exists(arena_printf(j->arena, "%s/op_api/lib", vendor))) found = vendor;
    }
    if (d) closedir(d);
    return found;
}

bool cann_install(CannJob *j, Err *err) {
    const char *out = arena_printf(j->arena, "%s/project/build_out", j->dir);
    const char *argv[] = {CLEAN_ENV, find_package(j), arena_printf(j->arena, "--install-path=%s/opp", j->dir),
                          NULL};
    ProcResult r;
    if (!cann_step(j, "installer", argv, out, &r, &j->times.install_s, err)) return false;
    j->opp = r.exit_code == 0 ? find_vendor(j) : NULL;
    if (!j->opp) cann_tool_failed(j, "installer", NULL, &r);
    return true;
}
