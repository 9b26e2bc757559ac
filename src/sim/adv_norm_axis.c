/* Normalisation over other axes than the last: BatchNorm over the batch, GroupNorm over the pixels of a group, Welford's
 * running mean and variance. HW: pages of the normalisation API and their implementation. */
#include "sim/adv_int.h"

static bool size_ok(AdvCall *a, const char *what, int64_t v) { return ADV_WANT(a, what, v, 1 <= v && v <= 196608); }

/* ---- BatchNorm --------------------------------------------------------------------------------------------------------- */

enum { B_OUT, B_MEAN, B_VAR, B_X, B_GAMMA, B_BETA };

bool adv_plan_batch_norm(AdvCall *a)
{
    const int64_t *n = a->in->n; /* original B, S * H, isBasicBlock */
    int64_t originalBLength = n[0], meanVarSize = n[1], blockElems = ISA_BLOCK_BYTES / (int64_t)a->t[B_X].size;
    if (!size_ok(a, "originalBLength", originalBLength) || !size_ok(a, "meanVarSize", meanVarSize) ||
        !ADV_WANT(a, "meanVarSize", meanVarSize, meanVarSize % blockElems == 0))
        return false;
    if (n[2] && !(ADV_WANT(a, "originalBLength", originalBLength, originalBLength % 8 == 0) &&
                  ADV_WANT(a, "meanVarSize", meanVarSize, meanVarSize % 64 == 0)))
        return false;
    uint64_t b = (uint64_t)n[0], sh = (uint64_t)n[1];
    a->t[B_OUT].n = a->t[B_X].n = b * sh;
    a->t[B_MEAN].n = a->t[B_VAR].n = sh;
    a->t[B_GAMMA].n = a->t[B_BETA].n = b;
    uint64_t row = n[2] ? 256 : a->t[B_X].type == DTYPE_F16 ? 64 : 32;
    a->tmp_bytes = 3 * b * row + 2 * adv_align(sh * 4, 32);
    return true;
}

void adv_run_batch_norm(AdvCall *a)
{
    uint64_t b = (uint64_t)a->in->n[0], sh = (uint64_t)a->in->n[1];
    float *x = adv_floats(a, b * sh), *mean = adv_floats(a, sh), *var = adv_floats(a, sh), *gamma = adv_floats(a, b), *beta = adv_floats(a, b);
    float inverse = 1.0f / (float)b, eps = (float)a->in->f[0];
    bool ok = adv_get(a, B_X, 0, x, b * sh), params = adv_both(adv_get(a, B_GAMMA, 0, gamma, b), adv_get(a, B_BETA, 0, beta, b));
    for (uint64_t i = 0; i < b; i++)
        for (uint64_t j = 0; j < sh; j++) mean[j] = i ? mean[j] + x[i * sh + j] * inverse : x[j] * inverse;
    for (uint64_t i = 0; i < b; i++)
        for (uint64_t j = 0; j < sh; j++) {
            x[i * sh + j] -= mean[j];
            float part = x[i * sh + j] * x[i * sh + j] * inverse;
            var[j] = i ? var[j] + part : part;
        }
    for (uint64_t i = 0; i < b; i++)
        for (uint64_t j = 0; j < sh; j++)
            x[i * sh + j] = x[i * sh + j] * adv_exp(a, -0.5f * adv_ln(a, var[j] + eps)) * gamma[i] + beta[i];
    adv_put(a, B_OUT, 0, x, b * sh, ok && params);
    adv_put(a, B_MEAN, 0, mean, sh, ok);
    adv_put(a, B_VAR, 0, var, sh, ok);
}

/* ---- GroupNorm --------------------------------------------------------------------------------------------------------- */

enum { G_OUT, G_MEAN, G_VAR, G_X, G_GAMMA, G_BETA };

bool adv_plan_group_norm(AdvCall *a)
{
    const int64_t *n = a->in->n; /* n, c, hw, g, pitch of a channel, isReuseSource */
    int64_t N = n[0], C = n[1], HW = n[2], groupNum = n[3];
    if (!size_ok(a, "n", N) || !size_ok(a, "c", C) || !size_ok(a, "hw", HW) || !size_ok(a, "groupNum", groupNum) ||
        !ADV_WANT(a, "groupNum", groupNum, C % groupNum == 0))
        return false;
    uint64_t pitch = adv_align((uint64_t)HW * a->t[G_X].size, 32) / a->t[G_X].size;
    bool reuse = n[5] && a->t[G_X].type == DTYPE_F32;
    a->t[G_OUT].n = a->t[G_X].n = (uint64_t)(N * C) * pitch;
    a->t[G_MEAN].n = a->t[G_VAR].n = (uint64_t)(N * groupNum);
    a->t[G_GAMMA].n = a->t[G_BETA].n = (uint64_t)C;
    a->tmp_bytes = (reuse ? 2 : 3) * (uint64_t)(C / groupNum) * pitch * 4 + 2 * adv_align((uint64_t)(N * groupNum) * 4, 32);
    a->spoils_src = reuse && a->in->t[G_X]->addr != a->in->t[G_OUT]->addr;
    a->spoiled = G_X;
    return true;
}

/* HW: channels lie at a pitch of whole blocks; the sums include that padding, so it has to be 0. */
void adv_run_group_norm(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t c = (uint64_t)n[1], hw = (uint64_t)n[2], groups = (uint64_t)n[3], d = c / groups;
    uint64_t pitch = adv_align(hw * a->t[G_X].size, 32) / a->t[G_X].size, len = d * pitch;
    float *x = adv_floats(a, len), *w = adv_floats(a, len), *gamma = adv_floats(a, c), *beta = adv_floats(a, c);
    float factor = 1.0f / (float)(d * hw), eps = (float)a->in->f[0];
    bool params = adv_both(adv_get(a, G_GAMMA, 0, gamma, c), adv_get(a, G_BETA, 0, beta, c));
    for (uint64_t g = 0; g < (uint64_t)n[0] * groups; g++) {
        bool ok = adv_get(a, G_X, g * len, x, len);
        float mean = adv_sum_repeats(x, len) * factor;
        for (uint64_t i = 0; i < len; i++) {
            x[i] = i % pitch < hw ? x[i] - mean : 0.0f;
            w[i] = x[i] * x[i];
        }
        float var = adv_sum_repeats(w, len) * factor, rstd = 1.0f / sqrtf(var + eps);
        for (uint64_t i = 0; i < len; i++) {
            uint64_t channel = (g % groups) * d + i / pitch;
            x[i] = i % pitch < hw ? x[i] * rstd * gamma[channel] + beta[channel] : 0.0f;
        }
        adv_put(a, G_OUT, g * len, x, len, ok && params);
        adv_put(a, G_MEAN, g, &mean, 1, ok);
        adv_put(a, G_VAR, g, &var, 1, ok);
    }
}

/* ---- Welford ------------------------------------------------------------------------------------------------------------ */

enum { W_MEAN, W_VAR, W_IN_MEAN, W_IN_VAR, W_X };

bool adv_plan_welford_update(AdvCall *a)
{
    const int64_t *n = a->in->n; /* rnLength, abLength, abComputeLength, isReuseSource, isInplace */
    int64_t rnLength = n[0], abLength = n[1], abComputeLength = n[2];
    if (!ADV_WANT(a, "rnLength", rnLength, rnLength == 1) || !size_ok(a, "abLength", abLength) ||
        !ADV_WANT(a, "abComputeLength", abComputeLength, 0 < abComputeLength && abComputeLength <= abLength))
        return false;
    for (uint32_t i = 0; i <= W_X; i++) a->t[i].n = (uint64_t)(n[4] && i < W_X ? abLength : abComputeLength);
    bool half = a->t[W_X].type == DTYPE_F16;
    a->tmp_bytes = half ? 768 : n[3] ? 256 : 512;
    a->spoils_src = n[3] && !half;
    a->spoiled = W_X;
    return true;
}

void adv_run_welford_update(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t len = (uint64_t)n[2];
    float *x = adv_floats(a, len), *mean = adv_floats(a, len), *var = adv_floats(a, len), rec = (float)a->in->f[0];
    bool m = adv_both(adv_get(a, W_IN_MEAN, 0, mean, len), adv_get(a, W_X, 0, x, len)), v = adv_get(a, W_IN_VAR, 0, var, len);
    if (n[4] && n[1] > n[2]) { /* in place: what is not computed is carried over */
        uint64_t rest = (uint64_t)n[1] - len;
        adv_move(a, W_MEAN, len, W_IN_MEAN, len, rest);
        adv_move(a, W_VAR, len, W_IN_VAR, len, rest);
    }
    for (uint64_t i = 0; i < len; i++) {
        float d = x[i] - mean[i];
        mean[i] = d * rec + mean[i];
        var[i] = d * (x[i] - mean[i]) + var[i];
    }
    adv_put(a, W_MEAN, 0, mean, len, m);
    adv_put(a, W_VAR, 0, var, len, m && v);
}

enum { WF_MEAN, WF_VAR, WF_IN_MEAN, WF_IN_VAR, WF_COUNTS };

bool adv_plan_welford_finalize(AdvCall *a)
{
    const int64_t *n = a->in->n; /* rnLength, abLength, headCount, headCountLength, tailCount, tailCountLength */
    int64_t abLength = n[1], lengths = n[3] + n[5];
    if (!size_ok(a, "abLength", abLength) || !ADV_WANT(a, "abLength", abLength, abLength % 8 == 0) ||
        !ADV_WANT(a, "headCountLength + tailCountLength", lengths, lengths == abLength))
        return false;
    a->t[WF_MEAN].n = a->t[WF_VAR].n = 8;
    for (uint32_t i = WF_IN_MEAN; i <= WF_COUNTS; i++) a->t[i].n = (uint64_t)abLength;
    a->tmp_bytes = 1024;
    a->uses_select = true;
    return true;
}

/* How many samples stand behind partial result i. */
static float weight(const AdvCall *a, uint64_t i)
{
    const int64_t *n = a->in->n;
    if (a->t[WF_COUNTS].given) return (float)adv_get_int(a, WF_COUNTS, i);
    if (n[4] == 0 || n[5] == 0) return (float)n[0];
    return (float)((int64_t)i < n[3] ? n[2] : n[4]);
}

void adv_run_welford_finalize(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t len = (uint64_t)n[1];
    float *m = adv_floats(a, len), *v = adv_floats(a, len), *w = adv_floats(a, len), mean[8] = {0}, var[8] = {0};
    float ab_rec = (float)a->in->f[0], r_rec = (float)a->in->f[1];
    bool plain = !a->t[WF_COUNTS].given && (n[4] == 0 || n[5] == 0);
    bool ok_mean = adv_get(a, WF_IN_MEAN, 0, m, len) && (!a->t[WF_COUNTS].given || adv_valid(a, WF_COUNTS, 0, len));
    bool ok_var = adv_get(a, WF_IN_VAR, 0, v, len);
    for (uint64_t i = 0; i < len; i++) w[i] = plain ? m[i] * ab_rec : weight(a, i) * m[i] * r_rec;
    mean[0] = adv_sum_repeats(w, len);
    for (uint64_t i = 0; i < len; i++) {
        float d = m[i] - mean[0];
        w[i] = (v[i] + weight(a, i) * (d * d)) * r_rec;
    }
    var[0] = adv_sum_repeats(w, len);
    adv_put(a, WF_MEAN, 0, mean, 8, ok_mean); /* HW: a block: the value, then zeros */
    adv_put(a, WF_VAR, 0, var, 8, ok_mean && ok_var);
}
