/* Judges one output by one standard (standards.def). Works in blocks of doubles, so that one loop serves
 * every dtype and 16 M elements take well under a second. */
#include "verify/verify.h"

#include "base/dtype.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BLOCK 2048

typedef enum { KIND_ALLCLOSE, KIND_ECOSYSTEM } StandardKind;

static const struct {
    const char *name;
    StandardKind kind;
    double atol, rtol;
} STANDARDS[] = {
#define STANDARD(id, name_, kind_, atol_, rtol_) [VERIFY_STD_##id] = {name_, KIND_##kind_, atol_, rtol_},
#define PRECISION(...)
#include "verify/standards.def"
#undef STANDARD
#undef PRECISION
};

typedef struct Precision {
    int t, small, small_error, cancel; /* powers of two */
} Precision;

static const Precision PRECISIONS[DTYPE_COUNT] = {
#define STANDARD(...)
#define PRECISION(dtype, t_, small_, error_, cancel_) [DTYPE_##dtype] = {t_, small_, error_, cancel_},
#include "verify/standards.def"
#undef STANDARD
#undef PRECISION
};

bool verify_standard_find(const char *name, VerifyStandard *out, Err *err) {
    for (size_t i = 0; i < sizeof STANDARDS / sizeof STANDARDS[0]; i++)
        if (!strcmp(name, STANDARDS[i].name)) {
            *out = (VerifyStandard)i;
            return true;
        }
    err_set(err, ERR_USAGE, NULL, "unknown standard `%s`", name);
    return err_hint(err, "known: seed, multikernelbench, ecosystem");
}

const char *verify_standard_name(VerifyStandard std) {
    return STANDARDS[std].name;
}

/* ------------------------------------------------------------------------------------------- loading and
 * rounding */

static double f16_value(uint16_t h) {
    uint32_t u = (uint32_t)(h & 0x7fffu) << 13;
    float f;
    memcpy(&f, &u, 4);
    double d = (h & 0x7c00u) == 0x7c00u ? (h & 0x3ffu ? (double)NAN : (double)INFINITY) : (double)f * 0x1p112;
    return h & 0x8000u ? -d : d;
}

static double bf16_value(uint16_t h) {
    uint32_t u = (uint32_t)h << 16;
    float f;
    memcpy(&f, &u, 4);
    return (double)f;
}

static void load_block(DType t, const void *src, size_t first, size_t n, double *out) {
    switch (t) {
    case DTYPE_F16:
        for (size_t i = 0; i < n; i++) out[i] = f16_value(((const uint16_t *)src)[first + i]);
        return;
    case DTYPE_BF16:
        for (size_t i = 0; i < n; i++) out[i] = bf16_value(((const uint16_t *)src)[first + i]);
        return;
    case DTYPE_F32:
        for (size_t i = 0; i < n; i++) out[i] = (double)((const float *)src)[first + i];
        return;
    case DTYPE_F64:
        memcpy(out, (const double *)src + first, n * sizeof *out);
        return;
    default: /* integers have their own loop */
        for (size_t i = 0; i < n; i++) out[i] = dtype_load(t, src, first + i);
    }
}

/* |d| rounded to `man_bits` stored bits, ties to even: adding and taking away 2^(e + 52 - man_bits), where e
 * is the exponent of d but at least that of the smallest normal, lets the FPU round at the right place. */
static double round_narrow(double d, int man_bits, int min_exp, double overflow) {
    double a = fabs(d);
    if (!(a <= DBL_MAX)) return d;
    if (a >= overflow) return copysign((double)INFINITY, d);
    uint64_t bits;
    memcpy(&bits, &a, 8);
    int64_t e = (int64_t)(bits >> 52);
    if (e < min_exp + 1023) e = min_exp + 1023;
    uint64_t magic_bits = (uint64_t)(e + 52 - man_bits) << 52;
    double magic;
    memcpy(&magic, &magic_bits, 8);
    return copysign((a + magic) - magic, d);
}

/* The truth as the output's type can hold it. */
static void round_block(DType t, double *v, size_t n) {
    if (t == DTYPE_F16)
        for (size_t i = 0; i < n; i++) v[i] = round_narrow(v[i], 10, -14, 65520.0);
    else if (t == DTYPE_BF16)
        for (size_t i = 0; i < n; i++) v[i] = round_narrow(v[i], 7, -126, 0x1.ffp127);
    else if (t == DTYPE_F32)
        for (size_t i = 0; i < n; i++) v[i] = (double)(float)v[i];
}

static double largest_finite(DType t) {
    return t == DTYPE_F16    ? 65504.0
           : t == DTYPE_BF16 ? 0x1.fep127
           : t == DTYPE_F32  ? (double)FLT_MAX
                             : DBL_MAX;
}

/* ---------------------------------------------------------------------------------------------- what all
 * loops keep */

typedef struct Tally {
    CompareResult *r;
    double worst_key; /* error of r->worst; infinity for NaN and the like */
} Tally;

static void note_worst(Tally *t, size_t i, double key, double got, double expected) {
    if (t->worst_key >= key) return;
    t->worst_key = key;
    t->r->worst = i;
    t->r->worst_got = got;
    t->r->worst_expected = expected;
}

static void note_max_abs(CompareResult *r, size_t i, double diff) {
    if (diff <= r->max_abs) return;
    r->max_abs = diff;
    r->max_abs_at = i;
}

static void note_wrong(Tally *t, size_t i) {
    if (t->r->n_wrong++ == 0) t->r->first_wrong = i;
    t->r->last_wrong = i;
}

/* --------------------------------------------------------------------------------------------------- exact
 * and bits */

static int64_t load_int(DType t, const void *src, size_t i) {
    switch (t) {
    case DTYPE_I8:
        return ((const int8_t *)src)[i];
    case DTYPE_I16:
        return ((const int16_t *)src)[i];
    case DTYPE_I32:
        return ((const int32_t *)src)[i];
    case DTYPE_U16:
        return ((const uint16_t *)src)[i];
    case DTYPE_U32:
        return ((const uint32_t *)src)[i];
    case DTYPE_U8:
    case DTYPE_BOOL:
        return ((const uint8_t *)src)[i];
    default:
        return ((const int64_t *)src)[i]; /* uint64 keeps its bits */
    }
}

#define PICK_NEAR 0x1p-13 /* of values that an index picks from; the ecosystem standard's threshold of float32 */

/* Element i of an index into computed values: is what it picks as near to what it should pick as a value has to be? */
static bool picks_alike(const CompareInput *in, size_t i, int64_t got, int64_t want) {
    if (!in->values || got < 0 || (uint64_t)got >= in->pick_n || want < 0 || (uint64_t)want >= in->pick_n) return false;
    size_t inner = i % in->pick_inner, outer = i / (in->pick_k * in->pick_inner), first = outer * in->pick_n * in->pick_inner + inner;
    double a = in->values[first + (size_t)got * in->pick_inner], b = in->values[first + (size_t)want * in->pick_inner];
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= PICK_NEAR * fabs(b);
}

/* Another element of the same row that has the same index; i itself when there is none. */
static size_t picked_twice(const CompareInput *in, size_t i, int64_t got) {
    size_t first = i / (in->pick_k * in->pick_inner) * in->pick_k * in->pick_inner + i % in->pick_inner;
    for (size_t k = 0; k < in->pick_k; k++) {
        size_t j = first + k * in->pick_inner;
        if (j != i && load_int(in->dtype, in->actual, j) == got) return j;
    }
    return i;
}

static bool is_near(const CompareInput *in, size_t i, int64_t got, int64_t want) {
    if (in->low && in->high && in->low[i] <= got && got <= in->high[i]) return true;
    return picks_alike(in, i, got, want) && picked_twice(in, i, got) == i;
}

/* Integers that come from floating numbers (an index of the largest, a comparison) are right as exact numbers give them
 * and as the reference's own dtype does, where numbers that differ may round to the same; and where they rest on computed
 * numbers, as numbers that differ by rounding give them. */
static void compare_exact(const CompareInput *in, CompareResult *r) {
    Tally t = {.r = r, .worst_key = -1};
    const int64_t *golden = in->golden;
    r->stage = "exact";
    for (size_t i = 0; i < in->n; i++) {
        int64_t got = load_int(in->dtype, in->actual, i), want = golden ? golden[i] : load_int(in->dtype, in->eager, i);
        if (got == want || (in->eager && got == load_int(in->dtype, in->eager, i)) || is_near(in, i, got, want)) continue;
        double diff = fabs((double)got - (double)want);
        note_wrong(&t, i);
        note_worst(&t, i, diff, (double)got, (double)want);
        note_max_abs(r, i, diff);
    }
    r->pass = r->n_wrong == 0;
    if (!r->pass)
        snprintf(r->reason, sizeof r->reason, "%zu of %zu elements differ; this type must be exact",
                 r->n_wrong, in->n);
}

static void compare_bits(const CompareInput *in, CompareResult *r) {
    Tally t = {.r = r, .worst_key = -1};
    double got[BLOCK], want[BLOCK];
    r->stage = "exact";
    for (size_t first = 0; first < in->n; first += BLOCK) {
        size_t n = in->n - first < BLOCK ? in->n - first : BLOCK;
        load_block(in->dtype, in->actual, first, n, got);
        memcpy(want, (const double *)in->golden + first, n * sizeof *want);
        round_block(in->dtype, want, n);
        for (size_t i = 0; i < n; i++) {
            bool both_nan = isnan(got[i]) && isnan(want[i]);
            if (both_nan || (got[i] == want[i] && signbit(got[i]) == signbit(want[i]))) continue;
            double diff = fabs(got[i] - want[i]);
            note_wrong(&t, first + i);
            note_worst(&t, first + i, isnan(diff) ? (double)INFINITY : diff, got[i], want[i]);
            note_max_abs(r, first + i, diff);
        }
    }
    r->pass = r->n_wrong == 0;
    if (!r->pass)
        snprintf(r->reason, sizeof r->reason, "%zu of %zu elements are not bit-exact", r->n_wrong, in->n);
}

/* ---------------------------------------------------------------------------------------------------------
 * allclose */

static void compare_allclose(VerifyStandard std, const CompareInput *in, CompareResult *r) {
    const double atol = STANDARDS[std].atol, rtol = STANDARDS[std].rtol;
    Tally t = {.r = r, .worst_key = -1};
    double got[BLOCK], want[BLOCK], sum_rel = 0;
    size_t n_finite = 0;
    r->stage = "allclose";
    for (size_t first = 0; first < in->n; first += BLOCK) {
        size_t n = in->n - first < BLOCK ? in->n - first : BLOCK;
        load_block(in->dtype, in->actual, first, n, got);
        if (in->eager) {
            load_block(in->dtype, in->eager, first, n, want);
        } else {
            memcpy(want, (const double *)in->golden + first, n * sizeof *want);
            round_block(in->dtype, want, n);
        }
        for (size_t i = 0; i < n; i++) {
            double diff = fabs(got[i] - want[i]), mag = fabs(want[i]);
            if (diff <= DBL_MAX) { /* both finite */
                double rel = diff / (mag + 1e-7);
                sum_rel += rel;
                n_finite++;
                if (rel > r->mare) r->mare = rel;
                note_max_abs(r, first + i, diff);
                if (diff > t.worst_key) note_worst(&t, first + i, diff, got[i], want[i]);
                if (diff > atol + rtol * mag) note_wrong(&t, first + i);
            } else if (got[i] != want[i]) { /* equal infinities are close, a NaN never is */
                note_worst(&t, first + i, (double)INFINITY, got[i], want[i]);
                note_wrong(&t, first + i);
            }
        }
    }
    r->mere = n_finite ? sum_rel / (double)n_finite : 0;
    r->pass = r->n_wrong == 0;
    if (!r->pass)
        snprintf(r->reason, sizeof r->reason, "%zu of %zu elements are off by more than %g + %g * |expected|",
                 r->n_wrong, in->n, atol, rtol);
}

/* --------------------------------------------------------------------------------------------------------
 * ecosystem */

typedef struct Eco {
    const CompareInput *in;
    double t, small, small_error, cancel, largest;
    size_t n, n_bad; /* compared; NaN or infinity in the wrong place */
    double sum_rel;
} Eco;

/* Brings a pair with NaN or infinity into the form the rule can judge: false when it is settled, *bad then
 * says how. */
static bool settle(const Eco *e, double *got, double *want, bool *bad) {
    *bad = false;
    if (isnan(*got) || isnan(*want)) {
        *bad = !(isnan(*got) && isnan(*want));
        return false;
    }
    if (isinf(*got) && isinf(*want)) {
        *bad = *got != *want;
        return false;
    }
    if (isinf(*got)) *got = copysign(e->largest, *got);
    if (isinf(*want)) *want = copysign(e->largest, *want);
    return true;
}

/* Does the kernel give what the reference gives in its own dtype? Where its intermediate results overflow or vanish, that may be
 * finite, too: g / sqrt(g * g) is 0 there. */
static bool is_own(const Eco *e, double got, double eager, double truth) {
    if (!isfinite(eager)) return got == eager || (isnan(got) && isnan(eager));
    return isfinite(got) && isfinite(truth) && fabs(got - eager) <= e->t * fabs(eager);
}

static void load_pair(const Eco *e, size_t first, size_t n, double *got, double *want) {
    load_block(e->in->dtype, e->in->actual, first, n, got);
    memcpy(want, (const double *)e->in->golden + first, n * sizeof *want);
    round_block(e->in->dtype, want, n);
    if (!e->in->own_overflow_counts || !e->in->eager) return;
    double eager[BLOCK];
    load_block(e->in->dtype, e->in->eager, first, n, eager);
    for (size_t i = 0; i < n; i++)
        if (is_own(e, got[i], eager[i], want[i])) want[i] = eager[i];
}

static void eco_first_stage(Eco *e, CompareResult *r) {
    Tally t = {.r = r, .worst_key = -1};
    double got[BLOCK], want[BLOCK];
    const double limit = r->mare_limit;
    for (size_t first = 0; first < e->in->n; first += BLOCK) {
        size_t n = e->in->n - first < BLOCK ? e->in->n - first : BLOCK;
        load_pair(e, first, n, got, want);
        for (size_t i = 0; i < n; i++) {
            double g = got[i], w = want[i];
            bool bad;
            if (!(fabs(g) + fabs(w) <= DBL_MAX) && !settle(e, &g, &w, &bad)) {
                if (!bad) continue;
                e->n_bad++;
                note_wrong(&t, first + i);
                note_worst(&t, first + i, (double)INFINITY, got[i], want[i]);
                continue;
            }
            double diff = fabs(g - w), rel = diff / (fabs(w) + 1e-7);
            e->sum_rel += rel;
            e->n++;
            if (rel > r->mare) r->mare = rel;
            note_max_abs(r, first + i, diff);
            if (rel > t.worst_key) note_worst(&t, first + i, rel, got[i], want[i]);
            if (!(rel < limit)) note_wrong(&t, first + i);
        }
    }
    r->mere = e->n ? e->sum_rel / (double)e->n : 0;
}

typedef struct SecondStage {
    size_t small, small_cpu, cancel, cancel_cpu; /* elements off */
    size_t n_rest;
    double sum_rest, max_rest;
} SecondStage;

static void second_stage_element(const Eco *e, double limit, double g, double w, double eager,
                                 SecondStage *s) {
    double mag = fabs(w), diff = fabs(g - w), rel = diff / (mag + 1e-7);
    double cpu_diff = fabs(eager - w);
    if (mag < e->small) {
        s->small += diff > e->small_error;
        s->small_cpu += cpu_diff > e->small_error;
    } else if (mag < e->cancel && fabs(g) < e->cancel) {
        s->cancel += !(rel < limit);
        s->cancel_cpu += !(cpu_diff / (mag + 1e-7) < limit);
    } else {
        s->n_rest++;
        s->sum_rest += rel;
        if (rel > s->max_rest) s->max_rest = rel;
    }
}

static void eco_second_stage(Eco *e, CompareResult *r) {
    double got[BLOCK], want[BLOCK], eager[BLOCK];
    SecondStage s = {0};
    for (size_t first = 0; first < e->in->n; first += BLOCK) {
        size_t n = e->in->n - first < BLOCK ? e->in->n - first : BLOCK;
        load_pair(e, first, n, got, want);
        if (e->in->eager) load_block(e->in->dtype, e->in->eager, first, n, eager);
        else memcpy(eager, want, n * sizeof *eager); /* no run to compare with: as if it were perfect */
        for (size_t i = 0; i < n; i++) {
            bool bad;
            if (settle(e, &got[i], &want[i], &bad))
                second_stage_element(e, r->mare_limit, got[i], want[i], eager[i], &s);
        }
    }
    r->stage = "second stage";
    r->n_small_wrong = s.small;
    r->n_small_allowed = 2 * (s.small_cpu > 1 ? s.small_cpu : 1);
    r->n_cancel_wrong = s.cancel;
    r->n_cancel_allowed = 2 * (s.cancel_cpu > 1 ? s.cancel_cpu : 1);
    double mere = s.n_rest ? s.sum_rest / (double)s.n_rest : 0;
    bool rest = mere < r->mere_limit && s.max_rest < r->mare_limit;
    r->pass = rest && s.small <= r->n_small_allowed && s.cancel <= r->n_cancel_allowed;
    if (r->pass) { /* the figures that decided, not those of elements the rule leaves out */
        r->mere = mere;
        r->mare = s.max_rest;
    } else if (!rest) {
        snprintf(r->reason, sizeof r->reason,
                 "MERE %.3g (limit %.3g), MARE %.3g (limit %.3g) without small and cancelled values", mere,
                 r->mere_limit, s.max_rest, r->mare_limit);
    } else {
        bool small = s.small > r->n_small_allowed;
        snprintf(r->reason, sizeof r->reason, "%zu %s values are off, at most %zu may be",
                 small ? s.small : s.cancel, small ? "small" : "cancelled",
                 small ? r->n_small_allowed : r->n_cancel_allowed);
    }
}

static void compare_ecosystem(const CompareInput *in, CompareResult *r) {
    const Precision *p = &PRECISIONS[in->dtype];
    Eco e = {.in = in,
             .t = in->has_threshold ? in->threshold : ldexp(1, p->t),
             .small = ldexp(1, p->small),
             .small_error = ldexp(1, p->small_error),
             .cancel = ldexp(1, p->cancel),
             .largest = largest_finite(in->dtype)};
    r->stage = "plain";
    r->mere_limit = e.t;
    r->mare_limit = 10 * e.t;
    eco_first_stage(&e, r);
    if (e.n_bad > 0)
        snprintf(r->reason, sizeof r->reason,
                 "%zu NaN or infinite values stand in the wrong place or have the wrong sign", e.n_bad);
    else if (e.n == 0 || (r->mere < r->mere_limit && r->mare < r->mare_limit)) r->pass = true;
    else eco_second_stage(&e, r);
}

void compare_output(VerifyStandard std, const CompareInput *in, CompareResult *out) {
    *out = (CompareResult){0};
    if (dtype_info(in->dtype)->cls != DTYPE_CLASS_F) compare_exact(in, out);
    else if (in->has_threshold && in->threshold == 0) compare_bits(in, out);
    else if (STANDARDS[std].kind == KIND_ALLCLOSE) compare_allclose(std, in, out);
    else compare_ecosystem(in, out);
}
