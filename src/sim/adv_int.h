/* The high-level APIs that are more than one pass over elements. A row of adv_calls.def has a plan and a run: the plan looks
 * at the numbers of the call and says how much of each tensor and of temporary space it takes, the common part checks that
 * (adv_call.c), the run computes. Runs work in float as the library does, and keep its order of summation. */
#ifndef OPWRIGHT_SIM_ADV_INT_H
#define OPWRIGHT_SIM_ADV_INT_H

#include "sim/vec_int.h"
#include "sim/vec_math.h"

typedef struct AdvTensor {
    const char *role;
    DType type;
    uint32_t size; /* bytes of an element */
    bool given, out, in_too; /* out: written; in_too: and read */
    uint64_t n; /* elements it spans from its first one; set by the plan */
    Place p;
} AdvTensor;

typedef struct AdvCall AdvCall;
typedef struct AdvApi {
    const char *name;
    bool (*plan)(AdvCall *a); /* false: nothing to do, or already reported */
    void (*run)(AdvCall *a);
    const char *alias;                  /* "dst=src max=inMax": pairs that may be one tensor */
    const char *roles[OW_ADV_TENSORS]; /* '>' before the name: written, '+': read and written */
} AdvApi;

struct AdvCall {
    Core *c;
    const AdvApi *api;
    const OwAdv *in;
    const VecLoops *loops;
    Arena *arena; /* of the run; dies with it */
    AdvTensor t[OW_ADV_TENSORS];
    uint64_t tmp_bytes;  /* temporary space it needs at least */
    uint64_t tmp_writes; /* what it writes there, where that is more */
    uint32_t lost_at, lost_bytes; /* where that is: left undefined */
    bool uses_select;    /* writes the reserved end of UB */
    bool spoils_src;     /* isReuseSource: the contents of `spoiled` are lost */
    uint32_t spoiled;
    bool answers;        /* the scalar unit waits for `result` */
    int64_t result;
};

/* Reports that an argument breaks its rule ("1 <= n <= inner") and returns false. */
bool adv_refuse(AdvCall *a, const char *what, int64_t value, const char *rule);
#define ADV_WANT(a, what, value, condition) ((condition) || adv_refuse(a, what, (int64_t)(value), #condition))

/* A work array of the call, zeroed. */
float *adv_floats(AdvCall *a, uint64_t n);
/* Both were called, whatever the first said. */
static inline bool adv_both(bool a, bool b) { return a && b; }
/* Elements [off, off + n) of tensor i as float; true when all of them were ever written. */
bool adv_get(const AdvCall *a, uint32_t i, uint64_t off, float *out, uint64_t n);
/* The other way, rounding to nearest even; ok: the values are known. */
void adv_put(AdvCall *a, uint32_t i, uint64_t off, const float *v, uint64_t n, bool ok);
/* As adv_put, ties away from zero: CAST_ROUND. */
void adv_put_round(AdvCall *a, uint32_t i, uint64_t off, const float *v, uint64_t n, bool ok);
bool adv_valid(const AdvCall *a, uint32_t i, uint64_t off, uint64_t n);
/* Whole numbers. */
int64_t adv_get_int(const AdvCall *a, uint32_t i, uint64_t off);
void adv_put_int(AdvCall *a, uint32_t i, uint64_t off, int64_t v, bool ok);
/* Bytes of n elements, and whether they were written, from one tensor to another of the same type. */
void adv_move(AdvCall *a, uint32_t to, uint64_t to_off, uint32_t from, uint64_t from_off, uint64_t n);
/* One element's bytes, without a source. */
void adv_put_bits(AdvCall *a, uint32_t i, uint64_t off, uint64_t bits, uint64_t n);

/* The library's exponential and logarithm, or with --exact the functions themselves. */
static inline float adv_exp(const AdvCall *a, float x) { return v_exp_of(x, a->c->sim->options.exact); }
static inline float adv_ln(const AdvCall *a, float x) { return v_ln_of(x, a->c->sim->options.exact); }

/* Sums of one row. HW: WholeReduceSum adds neighbours as a tree. */
float adv_tree(const float *v, uint32_t n);         /* n <= 64 lanes of one repeat */
float adv_sum_chunks(const float *v, uint64_t n);   /* chunks of 64 added lane by lane, then the tree */
float adv_sum_repeats(const float *v, uint64_t n);  /* the tree of each 64, then of their sums */
float adv_max(const float *v, uint64_t n);
float adv_half(float x); /* rounded to half */
/* The power of two adv_floor2(n) <= n. */
uint64_t adv_floor2(uint64_t n);
static inline uint64_t adv_align(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }

/* A call's numbers, tensors and scalars in the row's order. */
#define ADV_CALL(name, fn, alias, ...) bool adv_plan_##fn(AdvCall *a); void adv_run_##fn(AdvCall *a);
#include "sim/adv_calls.def"
#undef ADV_CALL

#endif
