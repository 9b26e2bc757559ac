/* Fingerprints in the values: what the wrong result is of the right one. */
#include "verify/fingerprint.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define MOST       0.98 /* share of the elements that must fit */
#define SHIFT_MAX  65536
#define PROBES_MAX 8

static bool is_most(size_t n_fit, size_t n) {
    return n > 0 && (double)n_fit >= MOST * (double)n;
}

/* Every element is as `fits` says, and the expected ones are not. */
static bool all_actual(const Finger *f, bool (*fits)(double)) {
    size_t n_expected = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (!fits(f->a[i])) return false;
        n_expected += fits(f->e[i]);
    }
    return n_expected < f->n;
}

static bool is_nan(double d) { return isnan(d); }
static bool is_zero(double d) { return d == 0; }

bool finger_all_nan(const Finger *f, FingerWords *w) {
    (void)w;
    return all_actual(f, is_nan);
}

bool finger_all_zero(const Finger *f, FingerWords *w) {
    (void)w;
    return all_actual(f, is_zero);
}

bool finger_constant(const Finger *f, FingerWords *w) {
    if (f->n < 2 || isnan(f->a[0]) || f->a[0] == 0) return false;
    bool varies = false;
    for (size_t i = 1; i < f->n; i++) {
        if (f->a[i] != f->a[0]) return false;
        varies = varies || f->e[i] != f->e[0];
    }
    w->s[0] = arena_printf(f->arena, "%.7g", f->a[0]);
    return varies;
}

/* The value that g(actual, expected) has for most elements, taken from the middle one. */
static int compare_doubles(const void *x, const void *y) {
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

static bool common_value(const Finger *f, double (*g)(double, double), double (*back)(double, double), double *value) {
    double *all = ARENA_ARRAY(f->arena, f->n + 1, double);
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        double v = g(f->a[i], f->e[i]);
        if (isfinite(v)) all[n++] = v;
    }
    if (n < 2 || n < f->n / 2) return false;
    qsort(all, n, sizeof *all, compare_doubles);
    *value = all[n / 2];
    size_t n_fit = 0;
    bool varies = false;
    for (size_t i = 0; i < f->n; i++) {
        n_fit += finger_close(f, f->a[i], back(f->e[i], *value));
        varies = varies || f->e[i] != f->e[0];
    }
    return varies && is_most(n_fit, f->n);
}

static double quotient(double a, double e) { return e != 0 ? a / e : NAN; }
static double times(double e, double v) { return e * v; }
static double difference(double a, double e) { return a - e; }
static double plus(double e, double v) { return e + v; }

bool finger_ratio(const Finger *f, FingerWords *w) {
    double v;
    if (!common_value(f, quotient, times, &v) || v == 0 || finger_close(f, v, 1)) return false;
    w->s[0] = finger_number(f, v, false);
    w->zh[0] = finger_number(f, v, true);
    return true;
}

bool finger_offset(const Finger *f, FingerWords *w) {
    double v;
    if (!common_value(f, difference, plus, &v) || v == 0) return false;
    w->s[0] = arena_printf(f->arena, "%.7g", v);
    return true;
}

/* Most elements are g(expected), and g changes something. */
static bool mapped(const Finger *f, double (*g)(double)) {
    size_t n_fit = 0;
    for (size_t i = 0; i < f->n; i++) n_fit += finger_close(f, f->a[i], g(f->e[i]));
    return f->n > 1 && f->n_wrong > f->n / 8 && is_most(n_fit, f->n);
}

static double one_minus(double d) { return 1 - d; }
static double one_over(double d) { return 1 / d; }
static double squared(double d) { return d * d; }
static double root(double d) { return d >= 0 ? sqrt(d) : NAN; }

bool finger_inverted(const Finger *f, FingerWords *w) {
    (void)w;
    return mapped(f, one_minus);
}
bool finger_reciprocal(const Finger *f, FingerWords *w) {
    (void)w;
    return mapped(f, one_over);
}
bool finger_square(const Finger *f, FingerWords *w) {
    (void)w;
    return mapped(f, squared);
}
bool finger_root(const Finger *f, FingerWords *w) {
    (void)w;
    return mapped(f, root);
}

bool finger_transposed(const Finger *f, FingerWords *w) {
    (void)w;
    size_t rank = f->in->rank;
    if (rank < 2 || f->n != f->in->n) return false;
    size_t rows = f->in->dims[rank - 2], cols = f->in->dims[rank - 1], one = rows * cols, n_fit = 0;
    if (rows < 2 || cols < 2) return false;
    for (size_t i = 0; i < f->n; i++) {
        size_t base = i / one * one, at = i % one; /* actual is laid out as cols x rows */
        n_fit += finger_close(f, f->a[i], f->e[base + at % rows * cols + at / rows]);
    }
    return is_most(n_fit, f->n);
}

/* Wrong elements that shift by k explains. */
static size_t count_shift(const Finger *f, long k) {
    size_t n_fit = 0;
    for (size_t i = 0; i < f->n; i++) {
        long from = (long)i + k;
        if (f->wrong[i] && from >= 0 && from < (long)f->n) n_fit += finger_close(f, f->a[i], f->e[from]);
    }
    return n_fit;
}

/* Few values tell nothing: a probe's value must be rare around it. */
static bool is_rare(const Finger *f, size_t at) {
    size_t same = 0, from = at > 64 ? at - 64 : 0, to = at + 64 < f->n ? at + 64 : f->n;
    for (size_t i = from; i < to; i++) same += finger_close(f, f->a[i], f->e[i]) && f->e[i] == f->e[at];
    return same < 4 && f->a[at] != 0 && isfinite(f->a[at]);
}

bool finger_shifted(const Finger *f, FingerWords *w) {
    if (f->n_wrong < 4) return false;
    long best = 0;
    size_t probes = 0;
    for (size_t i = f->first; i <= f->last && probes < PROBES_MAX && !best; i += 1 + f->n_wrong / PROBES_MAX) {
        if (!f->wrong[i] || !is_rare(f, i)) continue;
        probes++;
        for (long k = 1; k <= SHIFT_MAX && !best; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                long from = (long)i + sign * k;
                if (from < 0 || from >= (long)f->n || f->a[i] != f->e[from]) continue;
                size_t fit = count_shift(f, sign * k);
                if (fit >= 4 && (double)fit >= 0.9 * (double)f->n_wrong) best = sign * k;
            }
    }
    if (!best) return false;
    w->s[0] = arena_printf(f->arena, "%+ld", best);
    return true;
}

bool finger_stale(const Finger *f, FingerWords *w) {
    (void)w;
    if (!f->before || f->n < 2) return false;
    size_t n_fit = 0;
    for (size_t i = 0; i < f->n; i++) n_fit += finger_close(f, f->a[i], f->before[i]);
    return is_most(n_fit, f->n);
}

bool finger_wrapped(const Finger *f, FingerWords *w) {
    (void)w;
    const DTypeInfo *t = dtype_info(f->in->dtype);
    if ((t->cls != DTYPE_CLASS_I && t->cls != DTYPE_CLASS_U) || t->size_bytes < 4) return false;
    for (size_t i = 0; i < f->n; i++) {
        int64_t e = (int64_t)f->e[i], a = (int64_t)f->a[i];
        if (((e ^ a) & 0xffff) != 0 || (f->wrong[i] && a != (int16_t)(e & 0xffff) && a != (e & 0xffff))) return false;
    }
    return true;
}

/* The low bits of every float32 are zero. */
static bool low_bits_zero(const Finger *f, unsigned bits) {
    const uint32_t *p = f->in->actual;
    for (size_t i = 0; i < f->n; i++)
        if (p[i] & ((1u << bits) - 1)) return false;
    return true;
}

bool finger_narrowed(const Finger *f, FingerWords *w) {
    if (f->in->dtype != DTYPE_F32 || f->n < 16) return false;
    size_t exact = 0;
    const uint32_t *e = f->in->expected;
    for (size_t i = 0; i < f->n; i++) exact += (e[i] & 0x1fffu) == 0;
    if (exact > f->n / 2) return false; /* the truth has no more bits either */
    for (size_t i = 0; i < f->n; i++)
        if (f->wrong[i] && !(fabs(f->a[i] - f->e[i]) <= 0x1p-5 * fabs(f->e[i]))) return false;
    w->s[0] = low_bits_zero(f, 16) ? "bfloat16" : low_bits_zero(f, 13) ? "half" : NULL;
    return w->s[0] != NULL;
}

/* ---- the wrong ones only --------------------------------------------------------------------------------------- */

static bool all_wrong(const Finger *f, bool (*fits)(double)) {
    for (size_t i = f->first; i <= f->last; i++)
        if (f->wrong[i] && !fits(f->a[i])) return false;
    return f->n_wrong < f->n;
}

bool finger_wrong_nan(const Finger *f, FingerWords *w) {
    (void)w;
    return all_wrong(f, is_nan);
}

bool finger_wrong_zero(const Finger *f, FingerWords *w) {
    (void)w;
    return all_wrong(f, is_zero);
}

bool finger_wrong_constant(const Finger *f, FingerWords *w) {
    double v = f->a[f->first];
    if (f->n_wrong < 4 || f->n_wrong == f->n || !isfinite(v) || v == 0) return false;
    bool varies = false;
    for (size_t i = f->first; i <= f->last; i++) {
        if (!f->wrong[i]) continue;
        if (f->a[i] != v) return false;
        varies = varies || f->e[i] != f->e[f->first];
    }
    bool limit = fabs(v) == (double)FLT_MAX || fabs(v) == 65504;
    w->s[0] = arena_printf(f->arena, "%.7g%s", v, fabs(v) == (double)FLT_MAX ? " (FLT_MAX)" : "");
    return varies || limit;
}

bool finger_overflow(const Finger *f, FingerWords *w) {
    double limit = f->in->dtype == DTYPE_F16 ? 65504.0 : f->in->dtype == DTYPE_F32 ? (double)FLT_MAX : 0x1.fep127;
    if (dtype_info(f->in->dtype)->cls != DTYPE_CLASS_F) return false;
    for (size_t i = f->first; i <= f->last; i++)
        if (f->wrong[i] && !(fabs(f->a[i]) >= limit)) return false;
    w->s[0] = dtype_info(f->in->dtype)->torch;
    return true;
}

bool finger_small(const Finger *f, FingerWords *w) {
    double worst = 0;
    if (f->tol == 0) return false;
    for (size_t i = f->first; i <= f->last; i++) {
        if (!f->wrong[i]) continue;
        double rel = fabs(f->a[i] - f->e[i]) / (fabs(f->e[i]) + 1e-3);
        if (!(rel < 0.1)) return false;
        if (rel > worst) worst = rel;
    }
    w->s[0] = arena_printf(f->arena, "%.2g", worst);
    return true;
}
