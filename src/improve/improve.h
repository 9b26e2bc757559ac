/* The fix loop: verify, ask a model for a small change, verify again, until it passes or the budget is spent.
 * Every try is a record of traj.json. The user's file is only written over on request, and only by what
 * passed. */
#ifndef OPWRIGHT_IMPROVE_IMPROVE_H
#define OPWRIGHT_IMPROVE_IMPROVE_H

#include "bridge/bridge.h"
#include "improve/chat.h"
#include "verify/verify.h"

typedef struct ImproveOptions {
    const char *op, *reference_path, *code_path;
    const char *output_path; /* what passed is written here */
    const char *traj_path;
    const char *chip; /* NULL: the default */
    const char *root; /* of the store; NULL: nothing is recalled */
    VerifyStandard standard;
    double stage_limit_s;
    int max_tries;        /* questions to the model */
    long token_budget;    /* 0: none */
    double time_budget_s; /* 0: none */
    ChatOptions chat;
    void (*on_log)(void *ctx, const char *line);
    void *log_ctx;
} ImproveOptions;

typedef enum {
    IMPROVE_PASSED_ALREADY,
    IMPROVE_PASSED,
    IMPROVE_TRIES_SPENT,
    IMPROVE_TOKENS_SPENT,
    IMPROVE_TIME_SPENT
} ImproveOutcome;

typedef struct ImproveResult {
    ImproveOutcome outcome;
    int n_tries;
    long n_tokens;
    json_t *answer;      /* of the last verification: {exit_code, ..., result, summary}; caller decrefs */
    const char *summary; /* of the last verification */
    const char *diff;    /* from the user's file to what passed; empty otherwise */
} ImproveResult;

/* False when it cannot go on: a broken reference, an endpoint that refuses. Tries made until then are in
 * traj.json. */
bool improve_run(Arena *a, Bridge *b, const ImproveOptions *o, ImproveResult *r, Err *err) ERR_CHECKED;

#endif
