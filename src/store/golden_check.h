/* Runs golden solutions again, several at a time. */
#ifndef OPWRIGHT_STORE_GOLDEN_CHECK_H
#define OPWRIGHT_STORE_GOLDEN_CHECK_H

#include "base/arena.h"
#include "base/err.h"
#include "verify/verify.h"

typedef struct GoldenCheckRow {
    const char *op, *hash; /* hash empty: <op>.py, of which no version is kept */
    const char *code_path, *reference_path;
    const char *chip; /* NULL: the default */
    const char
        *state; /* "PASS", "FAIL", ...; "NO_REFERENCE", "MISSING"; "ERROR" when nothing could be judged */
    const char *reason; /* empty on PASS */
    double wall_s;
} GoldenCheckRow;

typedef struct GoldenCheck {
    const char *dir;
    char **ops; /* NULL: all */
    size_t n_ops;
    bool all_versions;         /* not only the current ones */
    const char *reference_dir; /* where <op>.py or <op>_torch_reference.py may lie, when the store keeps none;
                                  may be NULL */
    VerifyStandard standard;
    double stage_limit_s; /* 0: verify's */
    size_t n_jobs;        /* 0: as many as there are processors */
    /* A row is done; called by one thread at a time. */
    void (*on_row)(void *ctx, const GoldenCheckRow *row, size_t n_done, size_t n_rows);
    void *ctx;
} GoldenCheck;

typedef struct GoldenCheckReport {
    GoldenCheckRow *rows;
    size_t n_rows, n_pass, n_not_run; /* the rest no longer pass */
} GoldenCheckReport;

/* Verdicts are noted in the versions' records. False only when nothing could be run at all. */
bool golden_check(Arena *a, const GoldenCheck *o, GoldenCheckReport *r, Err *err) ERR_CHECKED;

#endif
