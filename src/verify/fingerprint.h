/* What wrong numbers look like, and the likely cause in words. Usable on any two arrays, whoever made them. */
#ifndef OPWRIGHT_VERIFY_FINGERPRINT_H
#define OPWRIGHT_VERIFY_FINGERPRINT_H

#include "verify/verify_int.h"

#define FINGER_RANK_MAX 16
#define FINGER_HITS_MAX 4

typedef struct FingerInput {
    DType dtype;
    size_t n;
    const void *expected, *actual; /* of dtype */
    const void *before;            /* what the case before had to give, of the same size; or NULL */
    size_t dims[FINGER_RANK_MAX], rank;
    uint32_t block_dim; /* of the launch; 0 not known */
    size_t tile;        /* elements that one copy to an output stored, at most; 0 not known */
} FingerInput;

typedef struct FingerHit {
    const char *id, *text, *text_zh, *hint, *hint_zh;
} FingerHit;

typedef struct Fingerprint {
    size_t n_wrong, first, last; /* with a tolerance of the type, not of the standard */
    FingerHit hits[FINGER_HITS_MAX];
    size_t n_hits;
} Fingerprint;

/* Everything belongs to the arena. Outputs of more than 2^25 elements are judged by their first ones. */
void fingerprint(Arena *a, const FingerInput *in, Fingerprint *out);
json_t *fingerprint_json(const FingerInput *in, const Fingerprint *f);

/* ---- for fingerprint_*.c: both arrays as double, and which elements are wrong. */
typedef struct Finger {
    Arena *arena;
    const FingerInput *in;
    const double *e, *a, *before; /* expected, actual, before; n each */
    const bool *wrong;
    size_t n, n_wrong, first, last;
    double tol; /* relative */
} Finger;
typedef struct FingerWords {
    const char *s[2], *zh[2]; /* for the two %s of a row; zh NULL: as s */
} FingerWords;
typedef bool FingerFn(const Finger *f, FingerWords *w);

bool finger_close(const Finger *f, double got, double want);
/* "0.434294 (= 1/ln 10)": a number and what it may be: log bases, sizes of the output and what follows from them. */
const char *finger_number(const Finger *f, double value, bool zh);

#define FINGER(id, name, function, ...) FingerFn function;
#include "verify/fingerprint.def"
#undef FINGER

#endif
