/* Shared by the files of cann only. */
#ifndef OPWRIGHT_CANN_CANN_INT_H
#define OPWRIGHT_CANN_CANN_INT_H

#include "base/fs.h"
#include "cann/cann.h"
#include "desc/direct.h"
#include "verify/report.h" /* diagnostics, judgement and the result object are those of a simulated run */

typedef struct CannTimes {
    double project_s, package_s, install_s, binding_s;
} CannTimes;

typedef struct CannJob {
    Arena *arena;
    const VerifyOptions *o;
    CannParts parts;
    const char *home, *python;
    int device;
    const char *dir;                    /* private folder of the job, absolute */
    const char *reference;              /* absolute */
    const char *path, *text;            /* of the description */
    bool is_direct;
    const char *suffix;                 /* "Xqwertyu": makes the operator's name unique */
    const Desc *desc;                   /* as written */
    const char *source[DESC_N_SOURCES]; /* with the unique name */
    const char *op, *snake;             /* unique names */
    const char *opp;                    /* <dir>/opp/vendors/<vendor>, once installed */
    const char *module_dir;             /* holds the extension of Python, once built */
    const char *library;                /* its name */
    const DirectDesc *direct;           /* of a direct-launch description; then desc has names only */
    const char *model_file, *model_src, *model_class;
    DiagList diags;
    Report report;
    CannTimes times;
    double limit_s;                 /* of one step */
    json_t *performance, *baseline; /* owned; NULL when not measured */
    const char *baseline_error;
} CannJob;

/* ---- mangle.c: the unique name. */
/* Eight characters, different for every call. */
const char *cann_suffix(Arena *a);
/* text with every occurrence of `from` replaced. */
char *cann_replace(Arena *a, const char *text, const char *from, const char *to);
/* Fills suffix, op, snake and source from desc. */
void cann_mangle(CannJob *j);
/* Takes the suffix out of text that tools print. */
const char *cann_unmangle(const CannJob *j, const char *text);

/* ---- steps. True: the step is done, or a verdict other than PASS is in report. False: nothing can be
 * judged. */
bool cann_make_project(CannJob *j, Err *err) ERR_CHECKED; /* project.c */
bool cann_build_package(CannJob *j, Err *err) ERR_CHECKED;
bool cann_install(CannJob *j, Err *err) ERR_CHECKED;
bool cann_build_binding(CannJob *j, Err *err) ERR_CHECKED; /* binding.c */
bool cann_build_direct(CannJob *j, Err *err) ERR_CHECKED;  /* direct.c */
bool cann_check(CannJob *j, Err *err) ERR_CHECKED;         /* run.c */
bool cann_measure(CannJob *j, Err *err) ERR_CHECKED;

/* ---- log.c */
/* Runs argv and times it. The output is in *r. False only on our own failure. */
bool cann_step(CannJob *j, const char *name, const char *const *argv, const char *cwd, ProcResult *r,
               double *seconds, Err *err) ERR_CHECKED;
/* A verdict from a tool that failed: compiler errors at their sections, else the end of what it said.
 * `section` is what the tool works on, or NULL. */
void cann_tool_failed(CannJob *j, const char *name, const char *section, const ProcResult *r);
/* A diagnostic that decides. */
void cann_fail(CannJob *j, Verdict v, const char *check, const char *stage, const char *section,
               const char *text, const char *text_zh, const char *hint, const char *hint_zh);

/* ---- direct.c: descriptions that launch their kernels themselves. */
/* Path of the compiler of <<<...>>> in the toolkit, or NULL. */
const char *cann_find_bisheng(Arena *a, const char *toolkit);
/* Reads the form in j->text and its rules; what judge and report want of a description, or NULL. */
const Desc *cann_load_direct(CannJob *j, Bridge *b, DescViolation **rules, size_t *n_rules, Err *err) ERR_CHECKED;

#endif
