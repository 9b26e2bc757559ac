/* traj.json, the record of every verification of a piece of work, and what can be learned from it: which
 * records failed, which later one mended each, and what the change was. */
#ifndef OPWRIGHT_STORE_TRAJ_H
#define OPWRIGHT_STORE_TRAJ_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

/* The list. NULL and *err: no such file (ERR_NOT_FOUND), no JSON (with its line) or no list. Caller decrefs.
 */
json_t *traj_read(Arena *a, const char *path, Err *err) ERR_CHECKED;
/* Appends {idx, timestamp, code, result} to the list in `path`, whole or not at all, beside other writers. */
bool traj_append(Arena *a, const char *path, const char *code, const json_t *result, Err *err) ERR_CHECKED;

/* Correct: exit_code 0, and summary.correctness true or absent. */
bool traj_is_correct(const json_t *record);
/* {traj_path, total, error_count, error_indices, correct_count, correct_indices}. Caller decrefs. */
json_t *traj_stats(Arena *a, const char *path, const json_t *traj);
/* The list of error_fix_pairs.json: each error with the next correct record, else the nearest. `op` NULL:
 * from the records. NULL after an error; empty where errors or correct records are missing. Caller decrefs.
 */
json_t *traj_pairs(Arena *a, const json_t *traj, const char *op, Err *err) ERR_CHECKED;
/* What a record says about its failure; empty when it says nothing. */
const char *traj_error_text(Arena *a, const json_t *record);
/* A proposal for a pair's summary: cause and fix by the checker's diagnostics of the failed record, the calls
 * that the change brought in and took out. `lang` 0 English, 1 Chinese. */
const char *traj_propose_summary(Arena *a, const json_t *wrong, const json_t *right, int lang);

#endif
