/* Build a description, run it against its reference on the simulator, compare, and give one verdict
 * (docs/result.md). */
#ifndef OPWRIGHT_VERIFY_VERIFY_H
#define OPWRIGHT_VERIFY_VERIFY_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"
#include "bridge/bridge.h"

typedef enum { VERIFY_STD_SEED, VERIFY_STD_MULTIKERNELBENCH, VERIFY_STD_ECOSYSTEM } VerifyStandard;

/* By name: "seed", "multikernelbench", "ecosystem"; the error lists them. */
bool verify_standard_find(const char *name, VerifyStandard *out, Err *err) ERR_CHECKED;
const char *verify_standard_name(VerifyStandard std);

/* How the simulated AI Core runs the kernel, and how severe its judge is. All zero: as the result documents it. */
typedef struct VerifyModel {
    bool strict;          /* warnings, habits that real cards forgive, are errors */
    bool exact;           /* instructions that the documentation calls inexact give exact results */
    const char *schedule; /* NULL or "in-order", "lazy", "random:SEED", "all" (those three, one after the other) */
    const char *toolchain; /* device-language rules of "a2", "a5" or "none"; NULL: of the chip */
} VerifyModel;

bool verify_model_is_default(const VerifyModel *m);
bool verify_toolchain_known(const char *name); /* "a2", "a5" or "none" */

#define VERIFY_SCHEDULES_MAX 4
/* The runs a schedule stands for, written to `out`; 0 and *err when there is no such schedule. */
size_t verify_schedules(Arena *a, const char *schedule, const char *out[VERIFY_SCHEDULES_MAX], Err *err) ERR_CHECKED;

/* One set of inputs to try. */
typedef struct VerifyCase {
    const char *label; /* "float16 s0=31 s1=7" */
    json_t *spec;      /* the `case` object of docs/bridge.md */
    bool apart;        /* values at the ends of the format: faults count, wrong numbers are told apart and fail nothing */
    bool by_control;   /* sizes of our own choice: see judge_by_control; needs VerifyOptions.control */
} VerifyCase;

typedef struct VerifyOptions {
    const char *op;       /* name for the result */
    const char *category; /* or NULL */
    const char *reference_path; /* NULL: only what can be said without running */
    const char *kernel_code_path;
    const char *chip; /* NULL: "Ascend910B4" */
    VerifyStandard standard;
    const VerifyCase *cases; /* NULL: 5 trials of the file's own inputs, seed 1024 */
    size_t n_cases;
    bool control; /* beside each output, how far the reference itself is off in the output's dtype (ecosystem standard) */
    double stage_limit_s;                        /* 0: 120 per stage */
    double memory_mb;                            /* 0: 8192 */
    VerifyModel model;
    const char *trace; /* "trace:BLOCK:LINE:HIT", or NULL: keep an instruction's operands in the result's `trace` */
    const char *debug_dir; /* an existing folder, or NULL: build there for a debugger, write run.json (what bridge/one.py takes), run nothing */
    const char *build_dir; /* an existing folder, or NULL: the libraries go there with build.json, for bridge/built.py to call them later */
    bool bisect;     /* after a mismatch, run the case again and tell where values first go wrong */
    bool keep_build;                             /* leave the build folder and name it in the result */
    void (*on_log)(void *ctx, const char *line); /* progress, may be NULL */
    void *log_ctx;
} VerifyOptions;

typedef enum {
    VERDICT_PASS,
    VERDICT_FAIL,
    VERDICT_REJECTED,
    VERDICT_NOT_MODELLED,
    VERDICT_INFRA_ERROR
} Verdict;

typedef struct VerifyResult {
    Verdict verdict;
    int exit_code; /* 0 only for PASS */
    json_t *json;  /* the result object of formats, with backend, checks, precision, stages; caller decrefs */
    const char *summary; /* text for people */
} VerifyResult;

/* False only when nothing could be judged (no reference, no worker); a bad description is a verdict. */
bool verify_run(Arena *a, Bridge *b, const VerifyOptions *o, VerifyResult *r, Err *err) ERR_CHECKED;

/* Finds and makes ahead what every verification needs: the compiler, the precompiled headers. A service calls it before its first job. */
void verify_warm(Arena *a, const Bridge *b);

/* The checks of a result object as SARIF 2.1.0; `description` is the path of the file they speak of. The caller decrefs. */
json_t *verify_sarif(Arena *a, const json_t *result, const char *description, bool zh);

/* Comparison of one output, usable alone. golden is float64 (or int64 when the dtype is not floating). */
typedef struct CompareInput {
    DType dtype; /* of actual and eager */
    size_t n;
    const void *golden; /* double[n] or int64_t[n]; may be NULL when eager is there and the standard is no
                           ecosystem */
    const void *eager;  /* reference in its own dtype; may be NULL when golden is there */
    const void *actual;
    /* What integers of the ecosystem standard may be beside golden and eager; NULL or 0 where they must be equal (bridge/nearby.py). */
    const int64_t *low, *high;          /* anything from low[i] to high[i] */
    const double *values;               /* actual is an index (outer, pick_k, pick_inner) into values (outer, pick_n, pick_inner): one that picks */
    size_t pick_n, pick_k, pick_inner;  /* a value equal up to 2^-13 is right, if no index comes twice */
    /* Edge values: what the reference gives in its own dtype is right too, whatever the float64 truth is (ecosystem standard): its
     * intermediate results overflow and vanish earlier. */
    bool own_overflow_counts;
    bool has_threshold; /* `threshold` replaces T of the ecosystem standard; 0 on a float: bit-exact under any
                           standard */
    double threshold;
} CompareInput;

typedef struct CompareResult {
    bool pass;
    double mere, mare, mere_limit, mare_limit;
    double max_abs; /* largest finite difference, at element max_abs_at */
    size_t max_abs_at;
    size_t n_wrong, first_wrong, last_wrong, worst; /* indices into the flattened output */
    double worst_got, worst_expected;
    size_t n_small_wrong, n_small_allowed, n_cancel_wrong, n_cancel_allowed;
    const char *stage; /* "plain", "second stage", "allclose", "exact" */
    char reason[256];  /* empty on pass */
} CompareResult;

void compare_output(VerifyStandard std, const CompareInput *in, CompareResult *out);

#endif
