/* Direct-launch descriptions: one JSON object with whole source files, whose host code launches kernels by
 * `kernel<<<blocks, nullptr, stream>>>(...)` and is bound to Python by pybind11 (docs/cann.md has the form). There is no operator
 * definition, no tiling class and no aclnn function. */
#ifndef OPWRIGHT_DESC_DIRECT_H
#define OPWRIGHT_DESC_DIRECT_H

#include "desc/desc.h"

typedef struct DirectSource {
    const char *path; /* relative, below the job's folder: "kernel/add.cpp" */
    const char *text;
    enum { DIRECT_OTHER, DIRECT_KERNEL, DIRECT_BINDING } role;
} DirectSource;

typedef struct DirectDesc {
    DirectSource *sources;
    size_t n_sources;
    const char **include_dirs; /* relative */
    size_t n_include_dirs;
    const char *module;    /* the extension's name: "benchmark_ops" */
    const char *build_dir; /* relative; the model looks for the extension there */
    const char *model_path, *model_class;
    const char *model_text;
} DirectDesc;

/* Whether a file is of this form: a JSON object (also in a ``` fence) with the list `sources`. Cheap for others. */
bool direct_is(const char *text);
/* NULL and *err, with the field in err->where: the form is not kept. What is not said is inferred: bindings hold
 * PYBIND11_MODULE, kernels are the other C++ files, the module's name is that of PYBIND11_MODULE. */
DirectDesc *direct_parse(Arena *a, const char *text, Err *err) ERR_CHECKED;
/* Static rules of the C++ files; `source` of a violation is the file's path. `model`: the worker's list for the entry. */
DescViolation *direct_check(Arena *a, const DirectDesc *d, const json_t *model, size_t *n);

#endif
