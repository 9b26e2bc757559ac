/* Shared by the files of opwright traj. */
#ifndef OPWRIGHT_CLI_TRAJ_INT_H
#define OPWRIGHT_CLI_TRAJ_INT_H

#include "base/arena.h"
#include "base/err.h"
#include "explain/explain.h"
#include "verify/verify.h"

typedef struct TrajArgs {
    const char *traj_path, *output, *op, *pairs_path, *summary, *reference_path, *chip;
    long idx;
    bool has_idx, unverified, as_json, quiet, help;
    VerifyStandard standard;
    double stage_limit_s;
    ExplainLang lang;
} TrajArgs;

const char *traj_pairs_path(const TrajArgs *args);
json_t *traj_read_pairs(Arena *a, const char *path, Err *err) ERR_CHECKED;

extern const char TRAJ_SAVE_USAGE[];
int traj_save(Arena *a, TrajArgs *args, Err *err);

#endif
