/* Lessons: what was wrong, the change that mended it, and what to learn. One enters the store only after a
 * replay: the wrong version fails and the mended one passes, on the reference's own inputs and on other
 * shapes.
 *
 *   reference/issues/<op>.json             list of {op, error, code_diff, summary, replay}: admitted
 *   reference/issues/unverified/<op>.json  the same with verified false and why: kept apart, used by nothing
 */
#ifndef OPWRIGHT_STORE_LESSON_H
#define OPWRIGHT_STORE_LESSON_H

#include "base/arena.h"
#include "base/err.h"
#include "bridge/bridge.h"
#include "verify/verify.h"

typedef enum {
    LESSON_ADMITTED,
#define REFUSAL(id, name, text) LESSON_##id,
#include "store/refusals.def"
#undef REFUSAL
    LESSON_N_OUTCOMES
} LessonOutcome;

const char *lesson_outcome_name(LessonOutcome o); /* "admitted", "no-summary", ... */
const char *lesson_outcome_text(LessonOutcome o);

typedef struct LessonReplay {
    const char *op, *summary;
    const char *wrong, *diff;   /* the wrong version's text, and the change */
    const char *reference_path; /* may be NULL */
    const char *chip;           /* NULL: the default */
    VerifyStandard standard;
    double stage_limit_s; /* 0: verify's */
    void (*on_log)(void *ctx, const char *line);
    void *log_ctx;
} LessonReplay;

typedef struct LessonVerdict {
    LessonOutcome outcome;
    const char *detail; /* what the replay said; empty on admission */
    json_t *replay; /* {at, chip, standard, wrong, right, own_cases, fresh_cases, checks}; caller decrefs; may
                       be NULL */
} LessonVerdict;

/* False when nothing could be replayed: no worker, a broken reference. */
bool lesson_replay(Arena *a, Bridge *b, const LessonReplay *o, LessonVerdict *v, Err *err) ERR_CHECKED;

/* reference/issues, or its folder of unverified ones, under the store's root. */
const char *lesson_path(Arena *a, const char *root, const char *op, bool unverified);
/* Adds lessons to the file: one with the same change and error replaces the old one, all others stay. A file
 * that cannot be read is copied aside, named in *note (may be set to NULL), and started anew. */
bool lesson_store(Arena *a, const char *path, json_t *lessons, const char **note, Err *err) ERR_CHECKED;

#endif
