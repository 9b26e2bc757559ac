/* Golden solutions: kernels that were verified. The folder is the established one, <op>.py and info.json,
 * readable by what reads it today; beside it versions/<op>/ keeps every version by its content:
 *
 *   info.json                      op -> result object + saved_at: what <op>.py is
 *   <op>.py                        the current version's text
 *   versions/<op>/<hash16>.py      each version's text
 *   versions/<op>/<hash16>.json    its record: results per hardware, its reference, when it was verified
 * again versions/<op>/ref-<hash16>.py  the references they were verified against (and .json: test cases
 * beside them) */
#ifndef OPWRIGHT_STORE_GOLDEN_H
#define OPWRIGHT_STORE_GOLDEN_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

/* reference/golden_solutions of the store's root; `dir` NULL or another folder: that one, absolute. */
const char *golden_dir(Arena *a, const char *dir, Err *err) ERR_CHECKED;

/* ---- times */
/* A measured and a predicted time are never compared, nor are times of two chips. */
typedef enum { GOLDEN_NO_TIME, GOLDEN_PREDICTED, GOLDEN_MEASURED } GoldenTimeKind;
typedef struct GoldenTime {
    GoldenTimeKind kind;
    double ms;
    const char *hardware; /* as the result has it; "" when it has none */
    const char *chip;     /* "Ascend910B4" of "ai_core-Ascend910B4" and "sim-Ascend910B4" */
} GoldenTime;
GoldenTime golden_time(const json_t *item);
/* Under 0 when a is faster, over 0 when slower; 0 and *comparable false when nothing can be said. */
int golden_compare(const GoldenTime *a, const GoldenTime *b, bool *comparable);
/* How a kernel stands against what it replaces: "faster", "near", "slow", "very-slow", or "unmeasured". */
const char *golden_class(const json_t *item);

/* ---- save */
typedef struct GoldenSave {
    const char *dir;            /* golden_dir */
    const char *op;             /* may be NULL; the result's own name counts first */
    const char *result_path;    /* object with a `result` list, bare list or bare object */
    const char *code_path;      /* may be NULL; the result's own path counts first */
    const char *reference_path; /* may be NULL; counts before the result's own */
    bool force;                 /* becomes the current one whatever its time */
} GoldenSave;

typedef enum {
    GOLDEN_SAVED, /* it is the current one */
    GOLDEN_KEPT, /* kept as a version; times could not be compared and the current one has the better proof */
    GOLDEN_SLOWER /* kept as a version; the current one is faster on this chip */
} GoldenOutcome;

typedef struct GoldenSaved {
    GoldenOutcome outcome;
    const char *op, *hash, *code_path, *info_path; /* <op>.py and info.json, absolute */
    const char *kernel_code_path;                  /* where the text came from */
    const char *reference_note;                    /* why `golden verify` cannot run it again, or NULL */
    const char *broken_note; /* what became of an info.json that could not be read, or NULL */
    GoldenTime old_time, new_time;
} GoldenSaved;

bool golden_save(Arena *a, const GoldenSave *o, GoldenSaved *out, Err *err) ERR_CHECKED;

/* ---- read */
typedef struct GoldenVersion {
    const char *hash;           /* 16 digits */
    const char *code_path;      /* absolute */
    const char *reference_path; /* NULL: none was kept */
    const char *saved_at;
    const json_t *record; /* the record whole; owned by the entry, as all below */
    json_t *results;      /* hardware -> result object */
    json_t *verified;     /* {at, verdict, ...} of the last `golden verify`, or NULL */
    const char *best_on;  /* hardware it is the fastest on, apart by ", "; empty */
    bool current;
} GoldenVersion;

typedef struct GoldenEntry {
    const char *op;
    const char *code_path;   /* <op>.py */
    json_t *info;            /* its member of info.json, or NULL; owned */
    json_t *records;         /* owns what the versions point into */
    GoldenVersion *versions; /* the oldest first */
    size_t n_versions;
    const char *state; /* NULL, or what is wrong: "<op>.py is missing", "edited since it was saved", ... */
} GoldenEntry;

/* One operator with its versions; ERR_NOT_FOUND when there is none. golden_entry_clear afterwards, also after
 * a failure. */
bool golden_load(Arena *a, const char *dir, const char *op, GoldenEntry *e, Err *err) ERR_CHECKED;
void golden_entry_clear(GoldenEntry *e);
/* The named operators (ops NULL: all, sorted) one after the other, until `take` returns false. An entry is
 * gone when take returns; its texts belong to the arena, its JSON does not. */
bool golden_each(Arena *a, const char *dir, char *const *ops, size_t n_ops,
                 bool (*take)(void *ctx, const GoldenEntry *e), void *ctx, Err *err) ERR_CHECKED;
/* Names of all operators, sorted: members of info.json and folders of versions/. */
bool golden_ops(Arena *a, const char *dir, char ***ops, size_t *n_ops, Err *err) ERR_CHECKED;
/* A version by the beginning of its hash, or "current". NULL: unknown or ambiguous. */
const GoldenVersion *golden_find_version(const GoldenEntry *e, const char *hash, Err *err) ERR_CHECKED;

/* ---- change */
/* Removes one version (the fastest of those left becomes current) or, hash NULL, the operator with all of
 * them. */
bool golden_remove(Arena *a, const char *dir, const char *op, const char *hash, Err *err) ERR_CHECKED;
/* Writes {at, verdict, ...} into a version's record. */
bool golden_note_verified(Arena *a, const char *dir, const char *op, const char *hash, json_t *verified,
                          Err *err) ERR_CHECKED;

#endif
