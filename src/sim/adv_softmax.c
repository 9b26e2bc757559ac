/* The softmax family: rows of an [m, k] matrix, ND or NZ, with per-row statistics in blocks of 32 bytes.
 * NZ: element (m, k) lies at (k / 16 * M + m) * 16 + k % 16. HW: SoftMax pages and their implementation: reductions look at
 * oriSrcK columns, everything elementwise at srcK, so the padding of dst gets what the padding of src gives. */
#include "sim/adv_int.h"

#include <string.h>

enum { NZ_COLS = 16 };
/* Numbers of every call of the family. */
enum { N_M, N_K, N_ORI_M, N_ORI_K, N_NZ, N_BASIC, N_FLAG, N_REUSE, N_ONE, N_SPLIT_M, N_LOOP, N_PARTS, N_STEP };

typedef struct Rows {
    uint64_t m, k, ori_k;
    bool nz;
} Rows;

static Rows rows_of(const AdvCall *a)
{
    const int64_t *n = a->in->n;
    return (Rows){(uint64_t)n[N_M], (uint64_t)n[N_K], (uint64_t)n[N_ORI_K], n[N_NZ] != 0};
}

static bool get_row(const AdvCall *a, uint32_t t, const Rows *r, uint64_t m, float *v)
{
    bool ok = true;
    if (!r->nz) return adv_get(a, t, m * r->k, v, r->k);
    for (uint64_t k = 0; k < r->k; k += NZ_COLS) ok &= adv_get(a, t, (k / NZ_COLS * r->m + m) * NZ_COLS, v + k, NZ_COLS);
    return ok;
}

/* Whether the columns that reductions look at were written. */
static bool row_known(const AdvCall *a, uint32_t t, const Rows *r, uint64_t m)
{
    if (!r->nz) return adv_valid(a, t, m * r->k, r->ori_k);
    bool ok = true;
    for (uint64_t k = 0; k < r->ori_k; k += NZ_COLS)
        ok &= adv_valid(a, t, (k / NZ_COLS * r->m + m) * NZ_COLS, r->ori_k - k < NZ_COLS ? r->ori_k - k : NZ_COLS);
    return ok;
}

/* ok: the columns before ori_k are known; all: so is the padding. */
static void put_row(AdvCall *a, uint32_t t, const Rows *r, uint64_t m, const float *v, bool ok, bool all)
{
    if (!r->nz) {
        adv_put_round(a, t, m * r->k, v, r->ori_k, ok);
        adv_put_round(a, t, m * r->k + r->ori_k, v + r->ori_k, r->k - r->ori_k, all);
        return;
    }
    for (uint64_t k = 0; k < r->k; k += NZ_COLS) {
        uint64_t at = (k / NZ_COLS * r->m + m) * NZ_COLS, n = r->ori_k <= k ? 0 : r->ori_k - k < NZ_COLS ? r->ori_k - k : NZ_COLS;
        adv_put_round(a, t, at, v + k, n, ok);
        adv_put_round(a, t, at + n, v + k + n, NZ_COLS - n, all);
    }
}

/* The sum in the order of the layout: lanes of a repeat, or of a fractal's 16 columns. */
static float row_sum(const Rows *r, const float *v)
{
    float lane[NZ_COLS] = {0};
    if (!r->nz) return adv_sum_chunks(v, r->ori_k);
    for (uint64_t i = 0; i < r->ori_k; i++) lane[i % NZ_COLS] += v[i];
    return adv_tree(lane, NZ_COLS);
}

/* ---- statistics ------------------------------------------------------------------------------------------------------ */

static uint64_t stat_width(const AdvCall *a, uint32_t t) { return a->in->n[N_ONE] ? 1 : ISA_BLOCK_BYTES / a->t[t].size; }

static void put_stat(AdvCall *a, uint32_t t, uint64_t m, float v, bool ok)
{
    float block[NZ_COLS];
    uint64_t n = stat_width(a, t);
    for (uint64_t i = 0; i < n; i++) block[i] = v;
    adv_put_round(a, t, m * n, block, n, ok);
}

/* The row's value; the library reads all lanes of the block, so all must be there. */
static bool get_stat(const AdvCall *a, uint32_t t, uint64_t m, float *v)
{
    float block[NZ_COLS];
    uint64_t n = stat_width(a, t);
    bool ok = adv_get(a, t, m * n, block, n);
    *v = block[0];
    return ok;
}

/* Per-lane subtraction and division: lane i of a column meets lane i of the statistic's block. */
static bool get_lanes(const AdvCall *a, uint32_t t, uint64_t m, float *v)
{
    uint64_t n = ISA_BLOCK_BYTES / a->t[t].size;
    bool ok = adv_get(a, t, m * n, v, n);
    for (uint64_t i = n; i < NZ_COLS; i++) v[i] = v[i % n];
    return ok;
}

/* ---- plans ----------------------------------------------------------------------------------------------------------- */

static bool shape_ok(AdvCall *a, uint32_t src)
{
    const int64_t *n = a->in->n;
    int64_t srcM = n[N_M], srcK = n[N_K], oriSrcK = n[N_ORI_K], blockElems = ISA_BLOCK_BYTES / (int64_t)a->t[src].size;
    if (!ADV_WANT(a, "srcM", srcM, 1 <= srcM && srcM <= 196608) || !ADV_WANT(a, "srcK", srcK, 1 <= srcK && srcK <= 196608)) return false;
    if (n[N_NZ] && !ADV_WANT(a, "srcK", srcK, srcK % 16 == 0)) return false;
    if (n[N_BASIC] && !(ADV_WANT(a, "srcK", srcK, srcK < 2048 && srcK % 64 == 0) && ADV_WANT(a, "srcM", srcM, srcM % 8 == 0)))
        return false;
    return ADV_WANT(a, "srcK", srcK, srcK % blockElems == 0) && ADV_WANT(a, "oriSrcK", oriSrcK, 1 <= oriSrcK && oriSrcK <= srcK);
}

/* Matrices and statistics span what the shape says; tmp: floats a row needs. rows: what the tiling takes in one pass. */
static void spans(AdvCall *a, const char *matrices, uint64_t row_floats)
{
    Rows r = rows_of(a);
    for (uint32_t i = 0; i < OW_ADV_TENSORS; i++)
        if (a->t[i].given) a->t[i].n = strchr(matrices, (int)('0' + i)) ? r.m * r.k : r.m * stat_width(a, i);
    int64_t split = a->in->n[N_SPLIT_M];
    uint64_t rows = split > 1 ? (uint64_t)split < r.m ? (uint64_t)split : r.m : 1;
    a->tmp_bytes = rows * row_floats * sizeof(float);
}

static uint64_t block_of(const AdvCall *a, uint32_t t) { return ISA_BLOCK_BYTES / a->t[t].size; }

enum { S_DST, S_SUM, S_MAX, S_SRC }; /* SoftMax, SimpleSoftMax, LogSoftMax */
bool adv_plan_softmax(AdvCall *a)
{
    if (!shape_ok(a, S_SRC)) return false;
    spans(a, "03", (a->t[S_SUM].given ? block_of(a, S_SUM) : 8) + (uint64_t)a->in->n[N_K] + 64);
    a->spoils_src = a->in->n[N_REUSE] && a->t[S_SRC].type == DTYPE_F32 && !a->t[S_SUM].given; /* HW: only there */
    a->spoiled = S_SRC;
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

static void exp_minus(const AdvCall *a, float *v, uint64_t n, float max)
{
    for (uint64_t i = 0; i < n; i++) v[i] = adv_exp(a, v[i] - max);
}

void adv_run_softmax(AdvCall *a)
{
    Rows r = rows_of(a);
    float *v = adv_floats(a, r.k);
    for (uint64_t m = 0; m < r.m; m++) {
        bool all = get_row(a, S_SRC, &r, m, v), ok = all || row_known(a, S_SRC, &r, m);
        float max = adv_max(v, r.ori_k);
        exp_minus(a, v, r.k, max);
        float sum = row_sum(&r, v);
        for (uint64_t i = 0; i < r.k; i++) v[i] /= sum;
        put_row(a, S_DST, &r, m, v, ok, all);
        if (a->t[S_MAX].given) put_stat(a, S_MAX, m, max, ok);
        if (a->t[S_SUM].given) put_stat(a, S_SUM, m, sum, ok);
    }
}

bool adv_plan_log_softmax(AdvCall *a) { return adv_plan_softmax(a); }

/* HW: the result is the logarithm to base 10. */
void adv_run_log_softmax(AdvCall *a)
{
    Rows r = rows_of(a);
    float *v = adv_floats(a, r.k);
    for (uint64_t m = 0; m < r.m; m++) {
        bool all = get_row(a, S_SRC, &r, m, v), ok = all || row_known(a, S_SRC, &r, m);
        float max = adv_max(v, r.ori_k);
        exp_minus(a, v, r.k, max);
        float sum = row_sum(&r, v);
        for (uint64_t i = 0; i < r.k; i++) v[i] = adv_ln(a, v[i] / sum) * 0.4342944819f;
        put_row(a, S_DST, &r, m, v, ok, all);
        put_stat(a, S_MAX, m, max, ok);
        put_stat(a, S_SUM, m, sum, ok);
    }
}

bool adv_plan_simple_softmax(AdvCall *a) { return adv_plan_softmax(a); }

void adv_run_simple_softmax(AdvCall *a)
{
    Rows r = rows_of(a);
    float *v = adv_floats(a, r.k), max[NZ_COLS], sum[NZ_COLS];
    for (uint64_t m = 0; m < r.m; m++) {
        bool stats = adv_both(get_lanes(a, S_MAX, m, max), get_lanes(a, S_SUM, m, sum));
        bool all = get_row(a, S_SRC, &r, m, v) && stats, ok = all || (stats && row_known(a, S_SRC, &r, m));
        for (uint64_t i = 0; i < r.k; i++) v[i] = adv_exp(a, v[i] - max[i % NZ_COLS]) / sum[i % NZ_COLS];
        put_row(a, S_DST, &r, m, v, ok, all);
    }
}

/* ---- SoftmaxFlash and V2 --------------------------------------------------------------------------------------------- */

enum { F_DST, F_SUM, F_MAX, F_SRC, F_EXPMAX, F_INSUM, F_INMAX, F_REDUCE_MAX };

/* Inputs and expMax belong to an update only. */
static void drop_update(AdvCall *a)
{
    if (a->in->n[N_FLAG]) return;
    for (uint32_t i = F_EXPMAX; i <= F_INMAX; i++) a->t[i].given = false;
}

bool adv_plan_flash(AdvCall *a)
{
    uint64_t k = (uint64_t)a->in->n[N_K], blk = block_of(a, F_SUM);
    if (!shape_ok(a, F_SRC)) return false;
    drop_update(a);
    spans(a, "03", a->in->n[N_FLAG] ? 4 * blk + 2 * k : blk + k + 64);
    return true;
}

void adv_run_flash(AdvCall *a)
{
    Rows r = rows_of(a);
    bool update = a->in->n[N_FLAG];
    float *v = adv_floats(a, r.k), in_max = 0.0f, in_sum = 0.0f;
    for (uint64_t m = 0; m < r.m; m++) {
        bool known = !update || (adv_both(get_stat(a, F_INMAX, m, &in_max), get_stat(a, F_INSUM, m, &in_sum)));
        bool all = get_row(a, F_SRC, &r, m, v) && known, ok = all || (known && row_known(a, F_SRC, &r, m));
        float max = adv_max(v, r.ori_k), before = 0.0f;
        if (update && in_max > max) max = in_max;
        exp_minus(a, v, r.k, max);
        if (update) before = adv_exp(a, in_max - max) * in_sum;
        float sum = row_sum(&r, v) + before;
        for (uint64_t i = 0; i < r.k; i++) v[i] /= sum;
        put_row(a, F_DST, &r, m, v, ok, all);
        put_stat(a, F_MAX, m, max, ok);
        put_stat(a, F_SUM, m, sum, ok);
        if (update) put_stat(a, F_EXPMAX, m, before / sum, ok);
    }
}

bool adv_plan_flash_v2(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t k = (uint64_t)n[N_K], blk = block_of(a, F_SUM);
    bool half = a->t[F_SRC].type == DTYPE_F16;
    if (!shape_ok(a, F_SRC)) return false;
    if (a->t[F_REDUCE_MAX].given && !(n[N_ONE] && n[N_FLAG])) { /* HW: this form does nothing in other modes */
        adv_refuse(a, "isUpdate and SoftmaxConfig::mode", n[N_FLAG], "isUpdate && mode == SOFTMAX_OUTPUT_WITHOUT_BRC");
        return false;
    }
    drop_update(a);
    uint64_t row = n[N_BASIC] ? (half ? blk + k + 64 + (k == 1024 ? 64 : 0) : blk + 64 + (k == 1024 ? 64 : 0))
                   : half     ? 2 * blk + k + 64
                              : blk + 64;
    spans(a, "03", row);
    return true;
}

void adv_run_flash_v2(AdvCall *a)
{
    Rows r = rows_of(a);
    bool update = a->in->n[N_FLAG];
    float *v = adv_floats(a, r.k), in_max = 0.0f, in_sum = 0.0f;
    for (uint64_t m = 0; m < r.m; m++) {
        bool known = !update || (adv_both(get_stat(a, F_INMAX, m, &in_max), get_stat(a, F_INSUM, m, &in_sum)));
        bool all = get_row(a, F_SRC, &r, m, v) && known, ok = all || (known && row_known(a, F_SRC, &r, m));
        float own = adv_max(v, r.ori_k), max = update && in_max > own ? in_max : own;
        exp_minus(a, v, r.k, max);
        float sum = row_sum(&r, v), e = update ? adv_exp(a, in_max - max) : 0.0f;
        put_row(a, F_DST, &r, m, v, ok, all);
        put_stat(a, F_MAX, m, max, ok);
        put_stat(a, F_SUM, m, update ? e * in_sum + sum : sum, ok);
        if (update) put_stat(a, F_EXPMAX, m, e, ok);
        if (a->t[F_REDUCE_MAX].given) put_stat(a, F_REDUCE_MAX, m, own, ok);
    }
}

/* ---- SoftmaxFlashV3 --------------------------------------------------------------------------------------------------- */

enum { V3_DST, V3_MEAN, V3_SUM, V3_MAX, V3_SRC, V3_EXPMAX, V3_INMEAN, V3_INSUM, V3_INMAX };

bool adv_plan_flash_v3(AdvCall *a)
{
    const int64_t *n = a->in->n;
    int64_t srcK = n[N_K], srcM = n[N_M], oriSrcK = n[N_ORI_K], loopCnt = n[N_LOOP], splitMeanCnt = n[N_PARTS];
    if (!shape_ok(a, V3_SRC)) return false;
    if (!ADV_WANT(a, "srcK", srcK, srcK >= 512 && srcK % 64 == 0) || !ADV_WANT(a, "srcM", srcM, srcM % 8 == 0) ||
        !ADV_WANT(a, "oriSrcK", oriSrcK, oriSrcK == srcK) || !ADV_WANT(a, "splitMeanCnt", splitMeanCnt, splitMeanCnt == 8) ||
        !ADV_WANT(a, "loopCnt", loopCnt, loopCnt >= 1))
        return false;
    for (uint32_t i = V3_EXPMAX; i <= V3_INMAX; i++) a->t[i].given &= n[N_FLAG] != 0;
    spans(a, "04", 5 * 8 + 2 * (uint64_t)srcK + 64);
    return true;
}

/* Takes alpha / (1 - alpha) of the distance between the row's mean and each part's mean off the part. Returns the mean. */
static float shift_parts(float *v, uint64_t k, float factor)
{
    enum { PARTS = 8 };
    uint64_t part = k / PARTS;
    float mean[PARTS], all;
    for (uint64_t p = 0; p < PARTS; p++) mean[p] = adv_sum_chunks(v + p * part, part) * (1.0f / (float)part);
    all = adv_tree(mean, PARTS) * (1.0f / PARTS);
    for (uint64_t p = 0; p < PARTS; p++) {
        float shift = (all - mean[p]) * factor;
        for (uint64_t i = 0; i < part; i++) v[p * part + i] -= shift;
    }
    return all;
}

void adv_run_flash_v3(AdvCall *a)
{
    Rows r = rows_of(a);
    bool update = a->in->n[N_FLAG];
    float alpha = (float)a->in->f[0], factor = alpha / (1.0f - alpha), loops = (float)a->in->n[N_LOOP];
    float *v = adv_floats(a, r.k), in_mean = 0.0f, in_sum = 0.0f, in_max = 0.0f;
    for (uint64_t m = 0; m < r.m; m++) {
        bool known = !update || (adv_both(adv_both(get_stat(a, V3_INMEAN, m, &in_mean), get_stat(a, V3_INSUM, m, &in_sum)), get_stat(a, V3_INMAX, m, &in_max)));
        bool ok = get_row(a, V3_SRC, &r, m, v) && known;
        float row_mean = shift_parts(v, r.k, factor);
        float mean = update ? (in_mean * (loops - 1.0f) + row_mean) * (1.0f / loops) : row_mean;
        float own = adv_max(v, r.k), shift = (row_mean - mean) * factor, max = own + shift, e = 0.0f;
        if (update) {
            float back = (in_mean - mean) * factor, old = in_max + back;
            if (old > max) max = old;
            e = adv_exp(a, back + (in_max - max));
        }
        exp_minus(a, v, r.k, max - shift);
        float sum = row_sum(&r, v);
        put_row(a, V3_DST, &r, m, v, ok, ok);
        put_stat(a, V3_MEAN, m, mean, ok);
        put_stat(a, V3_MAX, m, max, ok);
        put_stat(a, V3_SUM, m, update ? e * in_sum + sum : sum, ok);
        if (update) put_stat(a, V3_EXPMAX, m, e, ok);
    }
}

/* ---- SoftmaxGrad, SoftmaxGradFront ------------------------------------------------------------------------------------- */

enum { G_DST, G_GRAD, G_SRC };

bool adv_plan_softmax_grad(AdvCall *a)
{
    bool front = a->in->n[N_FLAG], half = a->t[G_SRC].type == DTYPE_F16;
    uint64_t blk = block_of(a, G_SRC), k = (uint64_t)a->in->n[N_K];
    if (!shape_ok(a, G_SRC)) return false;
    spans(a, front ? "12" : "012", half ? 2 * blk + 3 * k + 64 : front ? blk + k + 64 : 2 * blk + k + 64);
    return true;
}

void adv_run_softmax_grad(AdvCall *a)
{
    Rows r = rows_of(a);
    float *g = adv_floats(a, r.k), *y = adv_floats(a, r.k), *p = adv_floats(a, r.k);
    for (uint64_t m = 0; m < r.m; m++) {
        bool all = adv_both(get_row(a, G_GRAD, &r, m, g), get_row(a, G_SRC, &r, m, y));
        bool ok = all || (row_known(a, G_GRAD, &r, m) && row_known(a, G_SRC, &r, m));
        for (uint64_t i = 0; i < r.k; i++) p[i] = g[i] * y[i];
        float sum = row_sum(&r, p);
        if (a->in->n[N_FLAG]) {
            put_stat(a, G_DST, m, sum, ok);
            continue;
        }
        for (uint64_t i = 0; i < r.k; i++) p[i] = (g[i] - sum) * y[i];
        put_row(a, G_DST, &r, m, p, ok, all);
    }
}

/* ---- AdjustSoftMaxRes -------------------------------------------------------------------------------------------------- */

enum { A_RES, A_MAX };

bool adv_plan_adjust(AdvCall *a)
{
    const int64_t *n = a->in->n;
    if (!shape_ok(a, A_RES)) return false;
    a->t[A_RES].n = (uint64_t)(n[N_M] * n[N_K]);
    a->t[A_MAX].n = (uint64_t)n[N_M] * (n[N_STEP] ? 1 : block_of(a, A_MAX));
    a->answers = true;
    return true;
}

/* HW: rows are looked at one by one; a half compares the low 16 bits of `from`. */
void adv_run_adjust(AdvCall *a)
{
    Rows r = rows_of(a);
    uint64_t step = a->in->n[N_STEP] ? 1 : block_of(a, A_MAX), seek = (uint64_t)a->in->n[N_LOOP];
    if (a->t[A_MAX].size == 2) seek &= 0xffff;
    float *v = adv_floats(a, r.k);
    for (uint64_t i = 0; i < r.k; i++) v[i] = (float)a->in->f[0];
    for (uint64_t m = 0; m < r.m; m++) {
        if (!adv_valid(a, A_MAX, m * step, 1)) {
            sim_report(a->c, CHK_ID_UNINIT_SCALAR, LL(m * step), "maxTensor");
            continue;
        }
        uint64_t bits = (uint64_t)adv_get_int(a, A_MAX, m * step);
        if (bits != seek) continue;
        put_row(a, A_RES, &r, m, v, true, true);
        a->result = 1;
    }
}
