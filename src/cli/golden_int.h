/* Shared by the files of opwright golden. */
#ifndef OPWRIGHT_CLI_GOLDEN_INT_H
#define OPWRIGHT_CLI_GOLDEN_INT_H

#include "store/golden.h"
#include "verify/verify.h"

typedef struct GoldenArgs {
    const char *dir, *version, *reference_dir;
    char **names; /* what is no option */
    size_t n_names, n_jobs;
    VerifyStandard standard;
    double stage_limit_s;
    bool as_json, code, all_versions, quiet, help;
} GoldenArgs;

/* The options of `golden list`, `show`, `diff`, `verify` and `rm`: each takes those of its own. */
bool golden_parse(int argc, char **argv, const char *usage, GoldenArgs *args, Err *err) ERR_CHECKED;
json_t *golden_entry_json(const GoldenEntry *e);

extern const char GOLDEN_VERIFY_USAGE[];
int golden_run_verify(Arena *a, GoldenArgs *args, Err *err);

#endif
