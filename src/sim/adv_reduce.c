/* Reductions by pattern, Sum, Mean, CumSum, ReduceXorSum. HW: pages of the reduce API and their implementation: sums fold
 * halves of a power of two onto each other, rows beyond it first. */
#include "sim/adv_int.h"
#include "sim/adv_size.h"

#include <string.h>

enum { DST, SRC };

static bool size_ok(AdvCall *a, const char *what, int64_t v) { return ADV_WANT(a, what, v, 1 <= v && v <= 196608); }

/* ---- patterns: numbers first, last, is RA, srcInnerPad, isReuseSource --------------------------------------------------- */

typedef float Combine(float, float);
static float add(float x, float y) { return x + y; }
static float mul(float x, float y) { return x * y; }
static float most(float x, float y) { return x > y || x != x ? x : y; }
static float least(float x, float y) { return x < y || x != x ? x : y; }

static bool plan(AdvCall *a, AdvReduceKind kind)
{
    const int64_t *n = a->in->n;
    int64_t first = n[0], last = n[1], srcInnerPad = n[3];
    if (!size_ok(a, "srcShape[0]", first) || !size_ok(a, "srcShape[1]", last) || !ADV_WANT(a, "srcInnerPad", srcInnerPad, srcInnerPad != 0))
        return false;
    uint64_t pitch = adv_align((uint64_t)last * a->t[SRC].size, 32) / a->t[SRC].size;
    a->t[SRC].n = (uint64_t)(first - 1) * pitch + (uint64_t)last;
    a->t[DST].n = (uint64_t)(n[2] ? last : first);
    a->tmp_bytes = adv_size_reduce(kind, (uint64_t)first, (uint64_t)last, a->t[SRC].size, n[2] != 0, n[4] != 0).min;
    a->spoils_src = n[4] != 0;
    a->spoiled = SRC;
    return true;
}

bool adv_plan_pattern_sum(AdvCall *a) { return plan(a, ADV_REDUCE_SUM); }
bool adv_plan_pattern_max(AdvCall *a) { return plan(a, ADV_REDUCE_MAX); }
bool adv_plan_pattern_logic(AdvCall *a) { return plan(a, ADV_REDUCE_LOGIC); }
bool adv_plan_pattern_prod(AdvCall *a) { return plan(a, ADV_REDUCE_PROD); }

/* v[0, n) onto v[0]: what lies beyond the largest power of two first, then halves. down_to: lanes a repeat instruction takes. */
static float fold_row(float *v, uint64_t n, uint64_t down_to, Combine *f)
{
    uint64_t k = adv_floor2(n);
    if (n <= down_to) k = n;
    for (uint64_t i = k; i < n; i++) v[i - k] = f(v[i - k], v[i]);
    for (; k > down_to; k /= 2)
        for (uint64_t i = 0; i < k / 2; i++) v[i] = f(v[i], v[i + k / 2]);
    if (f == add) return adv_tree(v, (uint32_t)k);
    float r = v[0];
    for (uint64_t i = 1; i < k; i++) r = f(r, v[i]);
    return r;
}

static void run_ar(AdvCall *a, Combine *f, float scale)
{
    uint64_t first = (uint64_t)a->in->n[0], last = (uint64_t)a->in->n[1];
    uint64_t pitch = adv_align(last * a->t[SRC].size, 32) / a->t[SRC].size;
    float *v = adv_floats(a, last);
    for (uint64_t r = 0; r < first; r++) {
        bool ok = adv_get(a, SRC, r * pitch, v, last);
        float x = fold_row(v, last, f == mul ? 8 : 64, f) * scale;
        adv_put(a, DST, r, &x, 1, ok);
    }
}

/* Rows beyond the largest power of two are folded in, then halves; a column's result is known when all of it is. */
static void run_ra(AdvCall *a, Combine *f, float scale)
{
    uint64_t first = (uint64_t)a->in->n[0], last = (uint64_t)a->in->n[1], k = adv_floor2(first);
    uint64_t pitch = adv_align(last * a->t[SRC].size, 32) / a->t[SRC].size;
    float *v = adv_floats(a, first * last);
    bool ok = true;
    for (uint64_t r = 0; r < first; r++) ok &= adv_get(a, SRC, r * pitch, v + r * last, last);
    for (uint64_t i = k * last; i < first * last; i++) v[i - k * last] = f(v[i - k * last], v[i]);
    for (; k > 1; k /= 2)
        for (uint64_t i = 0; i < k / 2 * last; i++) v[i] = f(v[i], v[i + k / 2 * last]);
    for (uint64_t i = 0; i < last; i++) v[i] *= scale;
    if (ok) {
        adv_put(a, DST, 0, v, last, true);
        return;
    }
    for (uint64_t i = 0; i < last; i++) {
        bool known = true;
        for (uint64_t r = 0; r < first && known; r++) known = adv_valid(a, SRC, r * pitch + i, 1);
        adv_put(a, DST, i, v + i, 1, known);
    }
}

static void run(AdvCall *a, Combine *f, float scale)
{
    if (a->in->n[2])
        run_ra(a, f, scale);
    else
        run_ar(a, f, scale);
}

void adv_run_pattern_sum(AdvCall *a)
{
    int64_t len = a->in->n[2] ? a->in->n[0] : a->in->n[1];
    run(a, add, strcmp(a->api->name, "ReduceMean") ? 1.0f : 1.0f / (float)len);
}
void adv_run_pattern_prod(AdvCall *a) { run(a, mul, 1.0f); }

/* HW: ReduceAny and ReduceAll are maximum and minimum; over bytes by columns they are bitwise Or and And. */
void adv_run_pattern_max(AdvCall *a)
{
    bool is_max = !strcmp(a->api->name, "ReduceMax") || !strcmp(a->api->name, "ReduceAny");
    run(a, is_max ? most : least, 1.0f);
}

void adv_run_pattern_logic(AdvCall *a)
{
    const int64_t *n = a->in->n;
    bool is_or = !strcmp(a->api->name, "ReduceAny");
    if (a->t[SRC].size != 1 || !n[2]) {
        adv_run_pattern_max(a);
        return;
    }
    uint64_t pitch = adv_align((uint64_t)n[1], 32);
    for (uint64_t i = 0; i < (uint64_t)n[1]; i++) {
        int64_t v = is_or ? 0 : 0xff;
        bool known = true;
        for (uint64_t r = 0; r < (uint64_t)n[0]; r++) {
            int64_t x = adv_get_int(a, SRC, r * pitch + i);
            v = is_or ? v | x : v & x;
            known &= adv_valid(a, SRC, r * pitch + i, 1);
        }
        adv_put_int(a, DST, i, v, known);
    }
}

/* ---- Sum and Mean: numbers outter, inner, n; Mean: element size it adds in ----------------------------------------------- */

bool adv_plan_sum(AdvCall *a)
{
    int64_t outter = a->in->n[0], inner = a->in->n[1], n = a->in->n[2], inner_bytes = inner * (int64_t)a->t[SRC].size;
    if (!size_ok(a, "outter", outter) || !size_ok(a, "inner", inner) || !ADV_WANT(a, "n", n, 1 <= n && n <= inner) ||
        !ADV_WANT(a, "inner * sizeof(T)", inner_bytes, inner_bytes % 32 == 0))
        return false;
    a->t[SRC].n = (uint64_t)((outter - 1) * inner + n);
    a->t[DST].n = (uint64_t)outter;
    a->tmp_bytes = adv_size_sum((uint64_t)n, a->t[SRC].size, a->t[SRC].size).min;
    return true;
}

bool adv_plan_mean(AdvCall *a)
{
    if (!adv_plan_sum(a)) return false;
    a->tmp_writes = adv_size_sum((uint64_t)a->in->n[2], a->t[SRC].size, (uint32_t)a->in->n[3]).min;
    a->tmp_bytes = adv_size_mean((uint64_t)a->in->n[2], a->t[SRC].size, (uint32_t)a->in->n[3]).min;
    return true;
}

/* The tree of each repeat, then of the repeats' results; half: every addition is rounded. */
static float sum_rounded(float *v, uint64_t n, bool half)
{
    uint64_t lanes = half ? 128 : 64;
    while (n > 1) {
        uint64_t m = 0;
        for (uint64_t i = 0; i < n; i += lanes) {
            float t[128] = {0};
            memcpy(t, v + i, (n - i < lanes ? n - i : lanes) * sizeof *v);
            for (uint64_t k = lanes; k > 1; k /= 2)
                for (uint64_t j = 0; j < k / 2; j++) t[j] = half ? adv_half(t[2 * j] + t[2 * j + 1]) : t[2 * j] + t[2 * j + 1];
            v[m++] = t[0];
        }
        n = m;
    }
    return v[0];
}

static void run_sum(AdvCall *a, bool half, float scale)
{
    uint64_t outer = (uint64_t)a->in->n[0], inner = (uint64_t)a->in->n[1], n = (uint64_t)a->in->n[2];
    float *v = adv_floats(a, n);
    if (half) scale = adv_half(scale);
    for (uint64_t r = 0; r < outer; r++) {
        bool ok = adv_get(a, SRC, r * inner, v, n);
        float x = sum_rounded(v, n, half) * scale;
        adv_put(a, DST, r, &x, 1, ok);
    }
}

void adv_run_sum(AdvCall *a) { run_sum(a, a->t[SRC].type == DTYPE_F16, 1.0f); }
void adv_run_mean(AdvCall *a) { run_sum(a, a->in->n[3] == 2, 1.0f / (float)a->in->n[2]); }

/* ---- CumSum: numbers outter, inner, isLastAxis, outputLastRow ------------------------------------------------------------- */

enum { C_DST, C_LAST, C_SRC };

bool adv_plan_cumsum(AdvCall *a)
{
    int64_t outter = a->in->n[0], inner = a->in->n[1], inner_bytes = inner * (int64_t)a->t[C_SRC].size;
    if (!size_ok(a, "outter", outter) || !size_ok(a, "inner", inner) || !ADV_WANT(a, "inner * sizeof(T)", inner_bytes, inner_bytes % 32 == 0))
        return false;
    a->t[C_DST].n = a->t[C_SRC].n = (uint64_t)(outter * inner);
    a->t[C_LAST].given = a->in->n[3] != 0;
    a->t[C_LAST].n = (uint64_t)inner;
    a->tmp_bytes = adv_size_cumsum((uint64_t)outter, (uint64_t)inner, a->t[C_SRC].size, a->in->n[2] != 0).min;
    return true;
}

void adv_run_cumsum(AdvCall *a)
{
    uint64_t outer = (uint64_t)a->in->n[0], inner = (uint64_t)a->in->n[1];
    bool last_axis = a->in->n[2] != 0, ok = true;
    float *v = adv_floats(a, inner), *sum = adv_floats(a, inner);
    for (uint64_t r = 0; r < outer; r++) {
        bool row = adv_get(a, C_SRC, r * inner, v, inner);
        ok = last_axis ? row : ok && row;
        for (uint64_t i = 0; i < inner; i++) sum[i] = last_axis ? (i ? sum[i - 1] + v[i] : v[i]) : (r ? sum[i] + v[i] : v[i]);
        adv_put(a, C_DST, r * inner, sum, inner, ok);
    }
    if (a->t[C_LAST].given) adv_put(a, C_LAST, 0, sum, inner, ok); /* HW: the last row of dst in either direction */
}

/* ---- ReduceXorSum: numbers calCount, isReuseSource ------------------------------------------------------------------------ */

enum { X_DST, X_A, X_B };

bool adv_plan_xor_sum(AdvCall *a)
{
    int64_t calCount = a->in->n[0];
    if (!size_ok(a, "calCount", calCount)) return false;
    a->t[X_DST].n = 1;
    a->t[X_A].n = a->t[X_B].n = (uint64_t)calCount;
    uint64_t bytes = (uint64_t)calCount * 2;
    a->tmp_bytes = (a->in->n[1] ? 2 : 3) * (bytes < 256 ? 256 : bytes);
    a->spoils_src = a->in->n[1] != 0;
    a->spoiled = X_B;
    return true;
}

void adv_run_xor_sum(AdvCall *a)
{
    uint64_t n = a->t[X_A].n;
    float *v = adv_floats(a, n);
    for (uint64_t i = 0; i < n; i++) v[i] = (float)(int16_t)(adv_get_int(a, X_A, i) ^ adv_get_int(a, X_B, i));
    float sum = roundf(adv_sum_repeats(v, n)); /* HW: through float, CAST_ROUND, saturating */
    int64_t r = sum >= 32767.0f ? 32767 : sum <= -32768.0f ? -32768 : (int64_t)sum;
    adv_put_int(a, X_DST, 0, r, adv_valid(a, X_A, 0, n) && adv_valid(a, X_B, 0, n));
}
