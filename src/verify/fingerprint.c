/* The table of fingerprints, and what they share. */
#include "verify/fingerprint.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX ((size_t)1 << 25)

static const struct {
    const char *id;
    FingerFn *fits;
    const char *text, *text_zh, *hint, *hint_zh;
} ROWS[] = {
#define FINGER(id_, name, function, text_, text_zh_, hint_, hint_zh_) {name, function, text_, text_zh_, hint_, hint_zh_},
#include "verify/fingerprint.def"
#undef FINGER
};

bool finger_close(const Finger *f, double got, double want) {
    if (got == want || (isnan(got) && isnan(want))) return true;
    double size = fmax(fabs(got), fabs(want));
    return isfinite(got) && isfinite(want) && fabs(got - want) <= f->tol * size + f->tol * 1e-3;
}

static double tolerance(DType t) {
    if (dtype_info(t)->cls != DTYPE_CLASS_F) return 0;
    return t == DTYPE_BF16 ? 3e-2 : t == DTYPE_F16 ? 4e-3 : 5e-4;
}

static const double *widen(Arena *a, DType t, const void *data, size_t n) {
    if (!data) return NULL;
    double *out = ARENA_ARRAY(a, n, double);
    for (size_t i = 0; i < n; i++) out[i] = dtype_load(t, data, i);
    return out;
}

/* ---- numbers with a meaning ------------------------------------------------------------------------------------ */

typedef struct Meaning {
    double value;
    const char *en, *zh;
} Meaning;

static const Meaning KNOWN[] = {
    {0.43429448190325183, "1/ln 10: the logarithm has base 10 (LogSoftMax is defined so); multiply by 2.302585", "1/ln 10: 对数以 10 为底 (LogSoftMax 即如此定义); 请乘以 2.302585"},
    {2.302585092994046, "ln 10: a logarithm of base 10 was expected", "ln 10: 期望以 10 为底的对数"},
    {1.4426950408889634, "1/ln 2: the logarithm has base 2", "1/ln 2: 对数以 2 为底"},
    {0.6931471805599453, "ln 2: a logarithm of base 2 was expected", "ln 2: 期望以 2 为底的对数"},
    {-1, "the sign is turned", "符号相反"},
    {2, "a doubled term: something is added twice", "翻倍: 某项被加了两次"},
    {0.5, "half", "一半"},
};

/* A size n of the output, or a product of its last dimensions: sums and means differ by n, variances by n/(n-1). */
static const char *size_meaning(const Finger *f, double value, bool zh) {
    size_t sizes[2 * FINGER_RANK_MAX + 2], n_sizes = 0;
    size_t tail = 1, rank = f->in->rank;
    for (size_t i = rank; i-- > 0;) {
        tail *= f->in->dims[i];
        sizes[n_sizes++] = f->in->dims[i];
        sizes[n_sizes++] = tail;
    }
    for (size_t i = 0; i < n_sizes; i++) {
        double n = (double)sizes[i];
        if (n < 2) continue;
        const struct {
            double value;
            const char *en, *zh;
        } FORMS[] = {{n, "%zu elements: a sum instead of a mean", "共 %zu 个元素: 求和代替了求平均"},
                     {1 / n, "1/%zu: a mean instead of a sum", "1/%zu: 求平均代替了求和"},
                     {(n - 1) / n, "(n-1)/n with n = %zu: a biased variance instead of an unbiased one", "(n-1)/n, n = %zu: 用有偏方差代替了无偏方差"},
                     {n / (n - 1), "n/(n-1) with n = %zu: an unbiased variance instead of a biased one", "n/(n-1), n = %zu: 用无偏方差代替了有偏方差"},
                     {sqrt((n - 1) / n), "sqrt((n-1)/n) with n = %zu: a biased deviation instead of an unbiased one", "sqrt((n-1)/n), n = %zu: 用有偏标准差代替了无偏标准差"},
                     {sqrt(n / (n - 1)), "sqrt(n/(n-1)) with n = %zu: an unbiased deviation instead of a biased one", "sqrt(n/(n-1)), n = %zu: 用无偏标准差代替了有偏标准差"},
                     {sqrt(n), "sqrt(%zu)", "sqrt(%zu)"},
                     {1 / sqrt(n), "1/sqrt(%zu)", "1/sqrt(%zu)"}};
        for (size_t k = 0; k < sizeof FORMS / sizeof FORMS[0]; k++)
            if (fabs(value - FORMS[k].value) <= 1e-4 * fabs(FORMS[k].value)) return arena_printf(f->arena, zh ? FORMS[k].zh : FORMS[k].en, sizes[i]);
    }
    return NULL;
}

/* No output size says n, but the ratio itself is a whole number or one below or above such a fraction. */
static const char *count_meaning(const Finger *f, double value, bool zh) {
    double up = value >= 1 ? value : 1 / value, whole = nearbyint(up);
    if (whole >= 3 && whole < 1e7 && fabs(up - whole) <= 1e-5 * whole)
        return arena_printf(f->arena, value > 1 ? (zh ? "%.0f: 可能以求和代替了求平均" : "%.0f: perhaps a sum instead of a mean") : (zh ? "1/%.0f: 可能以求平均代替了求和" : "1/%.0f: perhaps a mean instead of a sum"), whole);
    double n = value < 1 ? 1 / (1 - value) : value / (value - 1), m = nearbyint(n);
    if (value > 0.3 && value < 3 && value != 1 && m >= 3 && m < 1e4 && fabs(value - (value < 1 ? (m - 1) / m : m / (m - 1))) <= 2e-6)
        return arena_printf(f->arena, value < 1 ? (zh ? "(n-1)/n, n = %.0f: 可能用有偏方差代替了无偏方差" : "(n-1)/n with n = %.0f: perhaps a biased variance instead of an unbiased one")
                                                : (zh ? "n/(n-1), n = %.0f: 可能用无偏方差代替了有偏方差" : "n/(n-1) with n = %.0f: perhaps an unbiased variance instead of a biased one"), m);
    return NULL;
}

const char *finger_number(const Finger *f, double value, bool zh) {
    const char *means = NULL;
    for (size_t i = 0; i < sizeof KNOWN / sizeof KNOWN[0] && !means; i++)
        if (fabs(value - KNOWN[i].value) <= fmax(1e-4, f->tol / 4) * fabs(KNOWN[i].value)) means = zh ? KNOWN[i].zh : KNOWN[i].en;
    if (!means) means = size_meaning(f, value, zh);
    if (!means) means = count_meaning(f, value, zh);
    return means ? arena_printf(f->arena, "%.7g (%s)", value, means) : arena_printf(f->arena, "%.7g", value);
}

/* ---- whole ----------------------------------------------------------------------------------------------------- */

static const char *fill(Arena *a, const char *text, const char *const s[2]) {
    const char *first = strstr(text, "%s"), *second = strstr(first + 2, "%s");
    return arena_printf(a, "%.*s%s%.*s%s%s", (int)(first - text), text, s[0] ? s[0] : "", (int)(second - first - 2), first + 2, s[1] ? s[1] : "", second + 2);
}

static void find_wrong(Finger *f, bool *wrong) {
    for (size_t i = 0; i < f->n; i++) {
        wrong[i] = !finger_close(f, f->a[i], f->e[i]);
        if (!wrong[i]) continue;
        if (f->n_wrong++ == 0) f->first = i;
        f->last = i;
    }
    f->wrong = wrong;
}

void fingerprint(Arena *a, const FingerInput *in, Fingerprint *out) {
    Arena *scratch = arena_new();
    *out = (Fingerprint){0};
    Finger f = {.arena = scratch, .in = in, .n = in->n < ELEMENTS_MAX ? in->n : ELEMENTS_MAX, .tol = tolerance(in->dtype)};
    f.e = widen(scratch, in->dtype, in->expected, f.n);
    f.a = widen(scratch, in->dtype, in->actual, f.n);
    f.before = widen(scratch, in->dtype, in->before, f.n);
    find_wrong(&f, ARENA_ARRAY(scratch, f.n + 1, bool));
    out->n_wrong = f.n_wrong;
    out->first = f.first;
    out->last = f.last;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0] && f.n_wrong > 0 && out->n_hits < FINGER_HITS_MAX; i++) {
        FingerWords w = {0};
        if (!ROWS[i].fits(&f, &w)) continue;
        for (int k = 0; k < 2; k++)
            if (!w.zh[k]) w.zh[k] = w.s[k];
        out->hits[out->n_hits++] = (FingerHit){.id = ROWS[i].id, .text = fill(a, ROWS[i].text, w.s), .text_zh = fill(a, ROWS[i].text_zh, w.zh), .hint = ROWS[i].hint, .hint_zh = ROWS[i].hint_zh};
    }
    arena_free(scratch);
}

json_t *fingerprint_json(const FingerInput *in, const Fingerprint *f) {
    json_t *patterns = json_array();
    for (size_t i = 0; i < f->n_hits; i++)
        json_array_append_new(patterns, json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", f->hits[i].id, "text", f->hits[i].text, "text_zh", f->hits[i].text_zh, "hint", f->hits[i].hint,
                                                  "hint_zh", f->hits[i].hint_zh));
    return json_pack("{s:f, s:I, s:I, s:o}", "share", in->n ? (double)f->n_wrong / (double)in->n : 0.0, "first", (json_int_t)f->first, "last", (json_int_t)f->last, "patterns", patterns);
}
