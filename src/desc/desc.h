/* Description files: the six sources, their meta data, and the static rules (formats: project_json_src ... model_src). */
#ifndef OPWRIGHT_DESC_DESC_H
#define OPWRIGHT_DESC_DESC_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"
#include "bridge/bridge.h"

typedef enum {
    DESC_PROJECT_JSON,
    DESC_HOST_TILING,
    DESC_HOST_OPERATOR,
    DESC_KERNEL,
    DESC_PYTHON_BIND,
    DESC_MODEL,
    DESC_N_SOURCES
} DescSource;

extern const char *const DESC_SOURCE_NAMES[DESC_N_SOURCES]; /* "project_json_src", ... */

typedef struct DescTensor {
    const char *name;       /* "x" */
    const char *param_type; /* "required", "optional", "dynamic" */
    const DType *types;     /* one per combination */
    const char *const *formats;
} DescTensor;

typedef struct Desc {
    const char *path;
    const char *source[DESC_N_SOURCES];
    int line[DESC_N_SOURCES]; /* first line of the string in the file; 0 not known */
    const char *op;           /* "AddCustom" */
    const char *kernel_name;  /* "add_custom" */
    DescTensor *inputs, *outputs;
    size_t n_inputs, n_outputs, n_combos;
} Desc;

/* A rule broken: found before anything is built. */
typedef struct DescViolation {
    const char *rule; /* stable id */
    const char *source; /* "model_src" */
    int line;           /* in that source; 0 not known */
    const char *message, *message_zh, *hint, *hint_zh;
} DescViolation;

/* Op type to file and function name: "AddCustom" -> "add_custom", "Conv2DCustom" -> "conv2_d_custom" (vendor's rule). */
char *desc_snake_case(Arena *a, const char *op);
/* Operator name to op type: "bias_gelu" -> "BiasGeluCustom". */
char *desc_op_type(Arena *a, const char *name);
/* Evaluates the file in the worker and parses project_json_src. NULL and *err: not a description, with file and line. */
Desc *desc_load(Arena *a, Bridge *b, const char *path, DescViolation **rules, size_t *n_rules, Err *err) ERR_CHECKED;
/* Text of a description file holding the six sources, which Python reads back byte for byte. */
char *desc_print(Arena *a, const char *const source[DESC_N_SOURCES]);

#endif
