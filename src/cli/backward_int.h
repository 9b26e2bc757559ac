/* What the files of `opwright backward` share: one specification on its way to a verified gradient operator. */
#ifndef OPWRIGHT_CLI_BACKWARD_INT_H
#define OPWRIGHT_CLI_BACKWARD_INT_H

#include "cli/progress.h"
#include "codegen/codegen.h"
#include "isa/target.h"
#include "verify/verify.h"

typedef struct BackwardArgs {
    const char *spec, *target_text, *output_dir;
    const Target *target;
    VerifyModel model;
    double stage_limit_s;
    bool resume, with_forward, no_verify, help;
    Progress progress;
} BackwardArgs;

typedef struct BackwardFile {
    const char *path, *hash;
} BackwardFile;
#define BACKWARD_N_WATCHED 4

typedef struct BackwardJob {
    const char *dir;       /* where the operator is: the workspace, or its folder forward/ */
    const char *workspace; /* where the records are */
    const char *name;      /* "gelu_spec_grad" */
    bool is_forward;       /* the operator of the forward computation */
    json_t *truth;    /* backward_ref.json, with `verdict` */
    GenResult gen;
    const char *desc_text;
    const char *second_look; /* why an input must be read twice (lower/work.h); NULL */
    VerifyResult verdict;
    BackwardFile watched[BACKWARD_N_WATCHED]; /* what must not change while the operator runs */
    const char *changed;                      /* the one that did, or NULL */
    size_t n_records, n_redrawn; /* cases of the verification that are records, and then records drawn anew; the rest are the generator's own */
} BackwardJob;

typedef enum { BACKWARD_PASS, BACKWARD_WITHIN_TOLERANCE, BACKWARD_FAIL, BACKWARD_FAIL_CLOSED } BackwardStatus;
const char *backward_status_name(BackwardStatus s);

/* dir/name, and a file there; folders are made. */
const char *backward_path(Arena *a, const BackwardJob *job, const char *name);
bool backward_write(Arena *a, const BackwardJob *job, const char *name, const void *data, size_t n_bytes, Err *err) ERR_CHECKED;
/* backward_operator.c: generates, writes and verifies the operator of job->dir/model.py; fills job->verdict unless --no-verify. */
bool backward_deliver(Arena *a, Bridge *b, BackwardArgs *args, BackwardJob *job, Err *err) ERR_CHECKED;

/* backward_choice.c: what the forward operator saves for the gradient, as `saved` of docs/bridge.md; the caller decrefs, after an error too. */
bool backward_choose(Arena *a, Bridge *b, BackwardArgs *args, json_t **saved, Err *err) ERR_CHECKED;
/* backward_seal.c: takes the hashes of job->watched; tells later which of them no longer holds, NULL: none. */
void backward_watch(Arena *a, BackwardJob *job);
const char *backward_changed(Arena *a, const BackwardJob *job);
/* One hash over this program, which holds the thresholds, and the Python code that runs and judges; NULL and *err without it. */
const char *backward_verifier(Arena *a, Err *err) ERR_CHECKED;

/* verification.json (docs/backward.md); the caller decrefs. *status is what it says. forward: NULL, or the job of the forward
 * operator. */
json_t *backward_report(Arena *a, const BackwardArgs *args, const BackwardJob *job, const BackwardJob *forward, BackwardStatus *status);
/* The table of dtypes for people. */
void backward_print(Arena *a, const json_t *report);

#endif
