/* Description files: the six sources, their meta data, and the static rules (formats: project_json_src ...
 * model_src). */
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

/* POLICY: the form is not kept or work is done outside the kernel (REJECTED). NAMES: the sections contradict
 * each other, so that no device could run them (FAIL). NOTE: told, decides nothing unless warnings are errors.
 * ADVICE: told, never decides. */
typedef enum { DESC_RULE_POLICY, DESC_RULE_NAMES, DESC_RULE_NOTE, DESC_RULE_ADVICE } DescRuleKind;

/* A rule broken: found before anything is built. */
typedef struct DescViolation {
    const char *rule; /* stable id */
    DescRuleKind kind;
    const char *source; /* "model_src" */
    int line;           /* in that source; 0 not known */
    const char *message, *message_zh, *hint, *hint_zh;
} DescViolation;

/* Evaluates the file in the worker and parses project_json_src. NULL and *err: not a description, with file
 * and line. */
Desc *desc_load(Arena *a, Bridge *b, const char *path, DescViolation **rules, size_t *n_rules,
                Err *err) ERR_CHECKED;
/* The same with a limit of its own instead of 60 s. */
Desc *desc_load_within(Arena *a, Bridge *b, const char *path, double limit_s, DescViolation **rules,
                       size_t *n_rules, Err *err) ERR_CHECKED;
/* The same from the worker's answer (docs/bridge.md, load_desc). Where the operator definition in
 * host_operator_src names other tensors or types than project_json_src, the definition counts and a NOTE says
 * so. */
Desc *desc_from_sources(Arena *a, const char *path, const json_t *result, DescViolation **rules,
                        size_t *n_rules, Err *err) ERR_CHECKED;
/* The six sources of a file that is nothing but assignments of string literals, without Python; false for any
 * other. A guess that lets work start early: what desc_load says counts. */
bool desc_peek(Arena *a, const char *text, const char *source[DESC_N_SOURCES]);
/* The description of a guess. NULL, without a reason, when it is none or breaks a rule. */
Desc *desc_from_peek(Arena *a, const char *path, const char *const source[DESC_N_SOURCES]);
/* Text of a description file holding the six sources, which Python reads back byte for byte. */
char *desc_print(Arena *a, const char *const source[DESC_N_SOURCES]);

#endif
