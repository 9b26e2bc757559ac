/* The binding as an extension of the user's PyTorch, built in the job's folder and never installed. */
#include "cann/cann_int.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define HELPER "pytorch_npu_helper.hpp"

/* EXEC_NPU_CMD is in no package: users keep the header of the vendor's samples. */
static const char *find_helper(const CannJob *j) {
    const char *set = getenv("OPWRIGHT_NPU_HELPER");
    if (set && *set) return arena_strdup(j->arena, set);
    const char *path = j->desc->path, *slash = strrchr(path, '/');
    const char *beside = arena_printf(j->arena, "%.*s%s", slash ? (int)(slash - path + 1) : 0, path, HELPER);
    return fs_exists(beside) ? beside : NULL;
}

bool cann_build_binding(CannJob *j, Err *err) {
    Arena *a = j->arena;
    const char *helper = find_helper(j);
    size_t n_bytes;
    const char *text = helper ? fs_read(a, helper, &n_bytes, err) : NULL;
    if (!text) {
        if (!helper) err_set(err, ERR_NO_CANN, NULL, "there is no %s, which defines EXEC_NPU_CMD", HELPER);
        return err_hint(err, "take it from the vendor's samples of operator calls and set "
                             "OPWRIGHT_NPU_HELPER to its path, or put it beside the description");
    }
    j->module_dir = arena_printf(a, "%s/binding", j->dir);
    const char *op = arena_printf(a, "%s/op.cpp", j->module_dir), *source = j->source[DESC_PYTHON_BIND];
    if (!fs_make_dirs(j->module_dir, err) ||
        !fs_write(arena_printf(a, "%s/" HELPER, j->module_dir), text, n_bytes, err) ||
        !fs_write(op, source, strlen(source), err))
        return false;
    const char *argv[] = {j->python, arena_printf(a, "%s/bridge/cann_build.py", j->home), j->module_dir,
                          NULL};
    ProcResult r;
    if (!cann_step(j, "binding", argv, j->module_dir, &r, &j->times.binding_s, err)) return false;
    if (r.exit_code != 0 && strstr(r.output, "No module named 'torch_npu'")) {
        err_set(err, ERR_NO_CANN, NULL, "torch_npu is not installed in %s", j->python);
        return err_hint(err, "pip install the torch_npu that fits this PyTorch and CANN; OPWRIGHT_PYTHON "
                             "chooses another Python");
    }
    if (r.exit_code != 0) cann_tool_failed(j, "binding", NULL, &r);
    return true;
}
