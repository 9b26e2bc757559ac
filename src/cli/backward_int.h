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
    bool resume, no_verify, help;
    Progress progress;
} BackwardArgs;

typedef struct BackwardJob {
    const char *dir;  /* the workspace */
    const char *name; /* "gelu_spec_grad" */
    json_t *truth;    /* backward_ref.json, with `verdict` */
    GenResult gen;
    const char *desc_text;
    VerifyResult verdict;
    size_t n_records, n_redrawn; /* cases of the verification that are records, and then records drawn anew; the rest are the generator's own */
} BackwardJob;

typedef enum { BACKWARD_PASS, BACKWARD_WITHIN_TOLERANCE, BACKWARD_FAIL, BACKWARD_FAIL_CLOSED } BackwardStatus;
const char *backward_status_name(BackwardStatus s);

/* verification.json (docs/backward.md); the caller decrefs. *status is what it says. */
json_t *backward_report(Arena *a, const BackwardArgs *args, const BackwardJob *job, BackwardStatus *status);
/* The table of dtypes for people. */
void backward_print(Arena *a, const json_t *report);

#endif
