/* The normalisation family. Rows are the last axis except in BatchNorm (over the first) and GroupNorm (over channels and
 * pixels of a group). Steps and order of summation: HW: pages of the normalisation API and their implementation. */
#include "sim/adv_int.h"

enum { MAX_LEN = 196608 };

static bool size_ok(AdvCall *a, const char *what, int64_t v) { return ADV_WANT(a, what, v, 1 <= v && v <= 196608); }

/* B, S and H of [B, S, H] in numbers 0, 1, 2; H is padded to whole blocks. */
static bool bsh_ok(AdvCall *a, uint32_t x, int64_t originalHLength)
{
    int64_t bLength = a->in->n[0], sLength = a->in->n[1], hLength = a->in->n[2], blockElems = ISA_BLOCK_BYTES / (int64_t)a->t[x].size;
    return size_ok(a, "bLength", bLength) && size_ok(a, "sLength", sLength) && size_ok(a, "hLength", hLength) &&
           ADV_WANT(a, "hLength", hLength, hLength % blockElems == 0) &&
           ADV_WANT(a, "originalHLength", originalHLength, 1 <= originalHLength && originalHLength <= hLength);
}

static uint64_t align32(uint64_t bytes) { return adv_align(bytes, 32); }
static void subtract(float *v, uint64_t n, float x)
{
    for (uint64_t i = 0; i < n; i++) v[i] -= x;
}
static void scale(float *v, uint64_t n, float x)
{
    for (uint64_t i = 0; i < n; i++) v[i] *= x;
}
static void square(float *d, const float *v, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) d[i] = v[i] * v[i];
}

/* ---- RmsNorm --------------------------------------------------------------------------------------------------------- */

enum { R_DST, R_SRC, R_GAMMA };

bool adv_plan_rms_norm(AdvCall *a)
{
    const int64_t *n = a->in->n; /* b, s, h, original h, isBasicBlock, rows of a pass */
    if (!bsh_ok(a, R_SRC, n[3])) return false;
    int64_t hLength = n[2], rows = n[0] * n[1], pass = n[5] < 1 ? 1 : n[5] > rows ? rows : n[5];
    if (n[4] && !(ADV_WANT(a, "hLength", hLength, hLength % 64 == 0 && hLength < 2048) && ADV_WANT(a, "B * S", rows, rows % 8 == 0)))
        return false;
    a->t[R_DST].n = a->t[R_SRC].n = (uint64_t)(rows * hLength);
    a->t[R_GAMMA].n = (uint64_t)hLength;
    uint64_t c = a->t[R_SRC].type == DTYPE_F16 ? 2 : 1;
    a->tmp_bytes = (c * (uint64_t)(pass * hLength) + adv_align((uint64_t)pass, ISA_BLOCK_BYTES / a->t[R_SRC].size)) * 4;
    return true;
}

void adv_run_rms_norm(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t h = (uint64_t)n[2], ori = (uint64_t)n[3], rows = (uint64_t)(n[0] * n[1]);
    float *v = adv_floats(a, h), *sq = adv_floats(a, h), *gamma = adv_floats(a, h), inverse = 1.0f / (float)ori;
    bool g = adv_get(a, R_GAMMA, 0, gamma, h);
    for (uint64_t r = 0; r < rows; r++) {
        bool all = adv_get(a, R_SRC, r * h, v, h) && g, ok = all || adv_valid(a, R_SRC, r * h, ori);
        square(sq, v, h);
        float sum = n[4] ? adv_sum_chunks(sq, h) : adv_sum_repeats(sq, ori);
        float f = adv_exp(a, -0.5f * adv_ln(a, sum * inverse + (float)a->in->f[0]));
        for (uint64_t i = 0; i < h; i++) v[i] = v[i] * f * gamma[i];
        adv_put(a, R_DST, r * h, v, ori, ok && (g || adv_valid(a, R_GAMMA, 0, ori)));
        adv_put(a, R_DST, r * h + ori, v + ori, h - ori, all);
    }
}

/* ---- LayerNorm, DeepNorm ---------------------------------------------------------------------------------------------- */

enum { L_OUT, L_MEAN, L_VAR, L_X, L_GAMMA, L_BETA, L_GX };

static void spans_bsh(AdvCall *a, uint64_t rows, uint64_t h)
{
    a->t[L_OUT].n = a->t[L_X].n = rows * h;
    a->t[L_MEAN].n = a->t[L_VAR].n = rows;
    a->t[L_GAMMA].n = a->t[L_BETA].n = h;
}

bool adv_plan_layer_norm(AdvCall *a)
{
    const int64_t *n = a->in->n; /* b, s, h, original h, isReuseSource */
    if (!bsh_ok(a, L_X, n[3])) return false;
    uint64_t rows = (uint64_t)(n[0] * n[1]), h = (uint64_t)n[2];
    bool reuse = n[4] && a->t[L_X].type == DTYPE_F32;
    spans_bsh(a, rows, h);
    a->tmp_bytes = (reuse ? 2 : 3) * align32(h * 4) + 2 * align32(rows * 4);
    a->uses_select = true;
    a->spoils_src = reuse && a->in->t[L_X]->addr != a->in->t[L_OUT]->addr;
    a->spoiled = L_X;
    return true;
}

/* v becomes (v - mean) * rstd * gamma + beta. */
static void affine(float *v, uint64_t n, float rstd, const float *gamma, const float *beta)
{
    for (uint64_t i = 0; i < n; i++) v[i] = v[i] * rstd * gamma[i] + beta[i];
}

void adv_run_layer_norm(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t h = (uint64_t)n[2], rows = (uint64_t)(n[0] * n[1]);
    float *v = adv_floats(a, h), *w = adv_floats(a, h), *gamma = adv_floats(a, h), *beta = adv_floats(a, h);
    float inverse = 1.0f / (float)n[3], eps = (float)a->in->f[0];
    bool params = adv_both(adv_get(a, L_GAMMA, 0, gamma, h), adv_get(a, L_BETA, 0, beta, h));
    for (uint64_t r = 0; r < rows; r++) {
        bool ok = adv_get(a, L_X, r * h, v, h);
        for (uint64_t i = 0; i < h; i++) w[i] = v[i] * inverse;
        float mean = adv_sum_chunks(w, h);
        subtract(v, h, mean);
        square(w, v, h);
        scale(w, h, inverse);
        float var = adv_sum_chunks(w, h);
        affine(v, h, 1.0f / sqrtf(var + eps), gamma, beta);
        adv_put(a, L_OUT, r * h, v, h, ok && params);
        adv_put(a, L_MEAN, r, &mean, 1, ok);
        adv_put(a, L_VAR, r, &var, 1, ok);
    }
}

bool adv_plan_deep_norm(AdvCall *a)
{
    const int64_t *n = a->in->n; /* b, s, h, original h, isReuseSrc, isBasicBlock */
    if (!bsh_ok(a, L_X, n[3])) return false;
    int64_t hLength = n[2], rows = n[0] * n[1];
    if (!ADV_WANT(a, "hLength", hLength, hLength <= 2040)) return false;
    if (n[5] && !(ADV_WANT(a, "hLength", hLength, hLength % 64 == 0) && ADV_WANT(a, "B * S", rows, rows % 8 == 0))) return false;
    bool reuse = n[4] && a->t[L_X].type == DTYPE_F32;
    spans_bsh(a, (uint64_t)rows, (uint64_t)hLength);
    a->t[L_GX].n = a->t[L_X].n;
    a->tmp_bytes = (reuse ? 2 : 3) * align32((uint64_t)hLength * 4) + 2 * align32((uint64_t)rows * 4);
    a->spoils_src = reuse && a->in->t[L_X]->addr != a->in->t[L_OUT]->addr;
    a->spoiled = L_X;
    return true;
}

/* HW: the output named rstd receives the variance. */
void adv_run_deep_norm(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t h = (uint64_t)n[2], ori = (uint64_t)n[3], rows = (uint64_t)(n[0] * n[1]);
    float *v = adv_floats(a, h), *w = adv_floats(a, h), *gamma = adv_floats(a, h), *beta = adv_floats(a, h);
    float inverse = 1.0f / (float)ori, alpha = (float)a->in->f[0], eps = (float)a->in->f[1];
    bool params = adv_both(adv_get(a, L_GAMMA, 0, gamma, h), adv_get(a, L_BETA, 0, beta, h));
    for (uint64_t r = 0; r < rows; r++) {
        bool ok = adv_both(adv_get(a, L_X, r * h, v, h), adv_get(a, L_GX, r * h, w, h));
        for (uint64_t i = 0; i < h; i++) v[i] = v[i] * alpha + w[i];
        for (uint64_t i = 0; i < h; i++) w[i] = v[i] * inverse;
        float mean = adv_sum_repeats(w, ori);
        subtract(v, h, mean);
        square(w, v, h);
        scale(w, h, inverse);
        float var = adv_sum_repeats(w, ori);
        affine(v, h, 1.0f / sqrtf(var + eps), gamma, beta);
        adv_put(a, L_OUT, r * h, v, h, ok && params);
        adv_put(a, L_MEAN, r, &mean, 1, ok);
        adv_put(a, L_VAR, r, &var, 1, ok);
    }
}

/* ---- Normalize, LayerNorm with rstd ------------------------------------------------------------------------------------ */

enum { N_OUT, N_RSTD, N_MEAN, N_VAR, N_X, N_GAMMA, N_BETA };

/* Numbers: aLength, rLength, rLengthWithPadding, isNoGamma, isNoBeta. */
static bool ar_ok(AdvCall *a, uint32_t x)
{
    int64_t aLength = a->in->n[0], rLength = a->in->n[1], rLengthWithPadding = a->in->n[2], blockElems = ISA_BLOCK_BYTES / (int64_t)a->t[x].size;
    return size_ok(a, "aLength", aLength) && size_ok(a, "rLength", rLength) && size_ok(a, "rLengthWithPadding", rLengthWithPadding) &&
           ADV_WANT(a, "rLengthWithPadding", rLengthWithPadding, rLengthWithPadding % blockElems == 0 && rLengthWithPadding >= rLength);
}

bool adv_plan_normalize(AdvCall *a)
{
    const int64_t *n = a->in->n;
    if (!ar_ok(a, N_X)) return false;
    uint64_t rows = (uint64_t)n[0], pitch = (uint64_t)n[2];
    a->t[N_GAMMA].given = !n[3];
    a->t[N_BETA].given = !n[4];
    a->t[N_OUT].n = a->t[N_X].n = rows * pitch;
    a->t[N_RSTD].n = a->t[N_MEAN].n = a->t[N_VAR].n = rows;
    a->t[N_GAMMA].n = a->t[N_BETA].n = (uint64_t)n[1];
    uint64_t need = (a->t[N_GAMMA].type == DTYPE_F16 ? 4 : 2) * pitch * 4;
    a->tmp_bytes = need > align32(rows * 4) ? need : align32(rows * 4);
    return true;
}

/* gamma and beta of the columns, or ones and zeros where the configuration has none. */
static bool get_affine(AdvCall *a, uint32_t gamma_at, uint32_t beta_at, uint64_t n, float *gamma, float *beta)
{
    bool ok = true;
    for (uint64_t i = 0; i < n; i++) gamma[i] = 1.0f;
    if (a->t[gamma_at].given) ok &= adv_get(a, gamma_at, 0, gamma, n);
    if (a->t[beta_at].given) ok &= adv_get(a, beta_at, 0, beta, n);
    return ok;
}

void adv_run_normalize(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t rows = (uint64_t)n[0], len = (uint64_t)n[1], pitch = (uint64_t)n[2];
    float *v = adv_floats(a, pitch), *gamma = adv_floats(a, pitch), *beta = adv_floats(a, pitch), mean, var;
    bool params = get_affine(a, N_GAMMA, N_BETA, len, gamma, beta);
    for (uint64_t r = 0; r < rows; r++) {
        bool stats = adv_both(adv_get(a, N_MEAN, r, &mean, 1), adv_get(a, N_VAR, r, &var, 1));
        bool ok = adv_get(a, N_X, r * pitch, v, len) && stats;
        float rstd = 1.0f / sqrtf(var + (float)a->in->f[0]);
        subtract(v, len, mean);
        affine(v, len, rstd, gamma, beta);
        adv_put(a, N_OUT, r * pitch, v, len, ok && params);
        adv_put(a, N_OUT, r * pitch + len, v + len, pitch - len, false); /* HW: padding columns get garbage */
        adv_put(a, N_RSTD, r, &rstd, 1, stats);
    }
}

enum { LR_OUT, LR_MEAN, LR_RSTD, LR_X, LR_GAMMA, LR_BETA };

bool adv_plan_layer_norm_rstd(AdvCall *a)
{
    const int64_t *n = a->in->n; /* as Normalize, then aLength and rLength of the tiling */
    int64_t aLength = n[0], tilingRows = n[5];
    if (!ar_ok(a, LR_X) || !ADV_WANT(a, "aLength", aLength, aLength <= tilingRows)) return false;
    uint64_t rows = (uint64_t)n[0], pitch = (uint64_t)n[2];
    a->t[LR_GAMMA].given = !n[3];
    a->t[LR_BETA].given = !n[4];
    a->t[LR_OUT].n = a->t[LR_X].n = rows * pitch;
    a->t[LR_MEAN].n = a->t[LR_RSTD].n = rows;
    a->t[LR_GAMMA].n = a->t[LR_BETA].n = (uint64_t)n[1];
    uint64_t norm = (a->t[LR_GAMMA].type == DTYPE_F16 ? 4 : 2) * pitch * 4;
    if (norm < align32(rows * 4)) norm = align32(rows * 4);
    if (norm < 2 * align32(pitch * 4)) norm = 2 * align32(pitch * 4);
    a->tmp_bytes = norm + align32(rows * 4);
    a->uses_select = true;
    return true;
}

void adv_run_layer_norm_rstd(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t rows = (uint64_t)n[0], len = (uint64_t)n[1], pitch = (uint64_t)n[2];
    float *v = adv_floats(a, pitch), *w = adv_floats(a, pitch), *gamma = adv_floats(a, pitch), *beta = adv_floats(a, pitch);
    float inverse = 1.0f / (float)len, eps = (float)a->in->f[0];
    bool params = get_affine(a, LR_GAMMA, LR_BETA, len, gamma, beta);
    for (uint64_t r = 0; r < rows; r++) {
        bool ok = adv_get(a, LR_X, r * pitch, v, len);
        for (uint64_t i = 0; i < len; i++) w[i] = v[i] * inverse;
        float mean = adv_sum_chunks(w, len);
        subtract(v, len, mean);
        square(w, v, len);
        scale(w, len, inverse);
        float rstd = 1.0f / sqrtf(adv_sum_chunks(w, len) + eps);
        affine(v, len, rstd, gamma, beta);
        adv_put(a, LR_OUT, r * pitch, v, len, ok && params);
        adv_put(a, LR_OUT, r * pitch + len, v + len, pitch - len, false);
        adv_put(a, LR_MEAN, r, &mean, 1, ok);
        adv_put(a, LR_RSTD, r, &rstd, 1, ok);
        if (pitch > len) { /* HW: the padding of inputX is cleared in place */
            for (uint64_t i = 0; i < pitch; i++) w[i] = 0.0f;
            adv_put(a, LR_X, r * pitch + len, w, pitch - len, true);
        }
    }
}

/* ---- gradients --------------------------------------------------------------------------------------------------------- */

enum { LG_PDX, LG_RES, LG_DY, LG_X, LG_VAR, LG_MEAN, LG_GAMMA };

bool adv_plan_layer_norm_grad(AdvCall *a)
{
    const int64_t *n = a->in->n; /* b, s, h, original h, isReuseSource, NZ */
    int64_t dataFormat = n[5];
    if (!bsh_ok(a, LG_X, n[3]) || !ADV_WANT(a, "dataFormat", dataFormat, dataFormat == 0)) return false;
    uint64_t rows = (uint64_t)(n[0] * n[1]), h = (uint64_t)n[2];
    bool half = a->t[LG_X].type == DTYPE_F16;
    a->t[LG_PDX].n = a->t[LG_RES].n = a->t[LG_DY].n = a->t[LG_X].n = rows * h;
    a->t[LG_VAR].n = a->t[LG_MEAN].n = rows;
    a->t[LG_GAMMA].n = h;
    a->tmp_bytes = (half ? 9 : n[4] ? 4 : 6) * (rows * h < h * h ? rows * h : h * h) * a->t[LG_X].size;
    return true;
}

/* The gradient of one row: g = dy * gamma, d = x - mean. res: d * rstd. */
static void grad_row(float *g, float *d, float *w, uint64_t h, uint64_t ori, float var, float eps, float *res)
{
    float v = var + eps, rstd = 1.0f / sqrtf(v), rstd3 = 1.0f / sqrtf(v * v * v), inverse = 1.0f / (float)ori;
    for (uint64_t i = 0; i < h; i++) w[i] = g[i] * (d[i] * rstd3) * -0.5f;
    float pd_var = adv_sum_repeats(w, h);
    for (uint64_t i = 0; i < h; i++) w[i] = d[i] * -2.0f;
    float pull = pd_var * inverse * adv_sum_repeats(w, h);
    for (uint64_t i = 0; i < h; i++) w[i] = g[i] * rstd * -1.0f;
    float pd_mean = adv_sum_repeats(w, h) + pull;
    for (uint64_t i = 0; i < h; i++) {
        res[i] = d[i] * rstd;
        g[i] = g[i] * rstd + pd_var * (2.0f * inverse) * d[i] + pd_mean * inverse;
    }
}

void adv_run_layer_norm_grad(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t h = (uint64_t)n[2], rows = (uint64_t)(n[0] * n[1]);
    float *g = adv_floats(a, h), *d = adv_floats(a, h), *w = adv_floats(a, h), *gamma = adv_floats(a, h), *res = adv_floats(a, h), var, mean;
    bool scale_known = adv_get(a, LG_GAMMA, 0, gamma, h);
    for (uint64_t r = 0; r < rows; r++) {
        bool x = adv_both(adv_both(adv_get(a, LG_X, r * h, d, h), adv_get(a, LG_VAR, r, &var, 1)), adv_get(a, LG_MEAN, r, &mean, 1));
        bool ok = adv_get(a, LG_DY, r * h, g, h) && x && scale_known;
        for (uint64_t i = 0; i < h; i++) g[i] *= gamma[i];
        subtract(d, h, mean);
        grad_row(g, d, w, h, (uint64_t)n[3], var, (float)a->in->f[0], res);
        adv_put(a, LG_PDX, r * h, g, h, ok);
        adv_put(a, LG_RES, r * h, res, h, x);
    }
}

enum { LB_GAMMA, LB_BETA, LB_RES, LB_DY };

bool adv_plan_layer_norm_grad_beta(AdvCall *a)
{
    const int64_t *n = a->in->n; /* b, s, h, original h, isReuseSource */
    if (!bsh_ok(a, LB_DY, n[3])) return false;
    uint64_t rows = (uint64_t)(n[0] * n[1]), h = (uint64_t)n[2];
    a->t[LB_RES].n = a->t[LB_DY].n = rows * h;
    a->t[LB_GAMMA].n = a->t[LB_BETA].n = (uint64_t)n[3];
    a->tmp_bytes = (a->t[LB_DY].type == DTYPE_F16 ? 4 : 2) * h * 4;
    a->spoils_src = n[4] && a->t[LB_DY].type == DTYPE_F32; /* HW: resForGamma is overwritten, whatever the page says */
    a->spoiled = LB_RES;
    return true;
}

void adv_run_layer_norm_grad_beta(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t h = (uint64_t)n[2], ori = (uint64_t)n[3], rows = (uint64_t)(n[0] * n[1]);
    float *dy = adv_floats(a, h), *res = adv_floats(a, h), *gamma = adv_floats(a, h), *beta = adv_floats(a, h);
    bool g = true, b = true;
    for (uint64_t r = 0; r < rows; r++) {
        b &= adv_get(a, LB_DY, r * h, dy, ori);
        g &= adv_get(a, LB_RES, r * h, res, ori);
        for (uint64_t i = 0; i < ori; i++) {
            gamma[i] += dy[i] * res[i];
            beta[i] += dy[i];
        }
    }
    adv_put(a, LB_GAMMA, 0, gamma, ori, g && b);
    adv_put(a, LB_BETA, 0, beta, ori, b);
}
