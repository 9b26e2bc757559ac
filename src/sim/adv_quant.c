/* Quantisation, DropOut, Select by a mask of elements. HW: pages of these APIs and their implementation. */
#include "sim/adv_int.h"
#include "sim/adv_size.h"

#include <string.h>

static bool size_ok(AdvCall *a, const char *what, int64_t v) { return ADV_WANT(a, what, v, 1 <= v && v <= 196608); }

/* ---- AscendQuant: numbers count, elements of scale and offset (0: the scalars) ------------------------------------------------- */

enum { Q_DST, Q_SRC, Q_SCALE, Q_OFFSET };

bool adv_plan_quant(AdvCall *a)
{
    int64_t calCount = a->in->n[0], scaleCount = a->in->n[1], offsetCount = a->in->n[2];
    if (calCount == 0) return false;
    if (!size_ok(a, "calCount", calCount)) return false;
    if (a->t[Q_SCALE].given && !(size_ok(a, "scaleCount", scaleCount) && ADV_WANT(a, "calCount", calCount, calCount % scaleCount == 0))) return false;
    if (a->t[Q_OFFSET].given && !ADV_WANT(a, "offsetCount", offsetCount, offsetCount == scaleCount)) return false;
    a->t[Q_DST].n = a->t[Q_SRC].n = (uint64_t)calCount;
    a->t[Q_SCALE].n = (uint64_t)scaleCount;
    a->t[Q_OFFSET].n = (uint64_t)offsetCount;
    a->tmp_bytes = 512;
    return true;
}

/* HW: half arithmetic, also for float sources; float scales and offsets are narrowed where they lie, which destroys them. */
void adv_run_quant(AdvCall *a)
{
    uint64_t n = a->t[Q_SRC].n, width = a->t[Q_SCALE].given ? a->t[Q_SCALE].n : 1;
    float *x = adv_floats(a, n), *scale = adv_floats(a, width), *offset = adv_floats(a, width);
    bool ok = adv_get(a, Q_SRC, 0, x, n);
    scale[0] = (float)a->in->f[0];
    for (uint64_t i = 0; i < width; i++) offset[i] = (float)a->in->f[1];
    if (a->t[Q_SCALE].given) ok &= adv_get(a, Q_SCALE, 0, scale, width);
    if (a->t[Q_OFFSET].given) ok &= adv_get(a, Q_OFFSET, 0, offset, width);
    for (uint64_t i = 0; i < n; i++) {
        float s = adv_half(scale[i % width]), o = adv_half(offset[i % width]);
        x[i] = adv_half(adv_half(adv_half(x[i]) * s) + o);
    }
    adv_put(a, Q_DST, 0, x, n, ok);
    for (uint32_t t = Q_SCALE; t <= Q_OFFSET; t++)
        if (a->t[t].given && a->t[t].type == DTYPE_F32) bits_fill(a->c->ub_valid, a->t[t].p.addr, a->t[t].n * 4, false);
}

/* ---- AscendDequant: numbers m, n, calCount, elements of all rows together (0: all) ------------------------------------------------ */

enum { D_DST, D_SRC, D_SCALE };

static uint64_t dequant_pitch(const AdvCall *a) { return adv_align((uint64_t)a->in->n[1] * a->t[D_DST].size, 32) / a->t[D_DST].size; }

bool adv_plan_dequant(AdvCall *a)
{
    int64_t m = a->in->n[0], n = a->in->n[1], calCount = a->in->n[2];
    if (!size_ok(a, "m", m) || !size_ok(a, "n", n) || !ADV_WANT(a, "n", n, n % 8 == 0) || !ADV_WANT(a, "calCount", calCount, 0 < calCount && calCount <= n))
        return false;
    a->t[D_SRC].n = (uint64_t)(m * n);
    a->t[D_DST].n = (uint64_t)(m - 1) * dequant_pitch(a) + (uint64_t)n;
    a->t[D_SCALE].n = (uint64_t)calCount;
    a->tmp_bytes = (64 + 2 * (uint64_t)n + 8) * 4;
    return true;
}

static bool dequant_scales(AdvCall *a, uint64_t n, float *out)
{
    if (!a->t[D_SCALE].given) {
        for (uint64_t i = 0; i < n; i++) out[i] = (float)a->in->f[0];
        return true;
    }
    if (a->t[D_SCALE].size != 8) return adv_get(a, D_SCALE, 0, out, n);
    for (uint64_t i = 0; i < n; i++) { /* HW: the low 32 bits hold a float */
        uint32_t low = (uint32_t)adv_get_int(a, D_SCALE, i);
        memcpy(&out[i], &low, 4);
    }
    return adv_valid(a, D_SCALE, 0, n);
}

void adv_run_dequant(AdvCall *a)
{
    uint64_t m = (uint64_t)a->in->n[0], n = (uint64_t)a->in->n[1], count = (uint64_t)a->in->n[2], left = (uint64_t)a->in->n[3];
    float *scale = adv_floats(a, count), *v = adv_floats(a, n);
    bool scales = dequant_scales(a, count, scale);
    for (uint64_t r = 0; r < m; r++) {
        for (uint64_t i = 0; i < n; i++) v[i] = (float)(int32_t)adv_get_int(a, D_SRC, r * n + i);
        bool ok = adv_valid(a, D_SRC, r * n, count) && scales;
        uint64_t todo = a->in->n[3] ? (left < count ? left : count) : count;
        for (uint64_t i = 0; i < todo; i++) v[i] *= scale[i];
        adv_put(a, D_DST, r * dequant_pitch(a), v, todo, ok);
        if (!a->in->n[3]) adv_put(a, D_DST, r * dequant_pitch(a) + count, v + count, n - count, false); /* HW: unscaled; undefined by the page */
        left -= todo;
        if (a->in->n[3] && left == 0) break;
    }
}

/* ---- AscendAntiQuant: numbers K, isTranspose, groups, elements of src --------------------------------------------------------------- */

enum { AQ_DST, AQ_SRC, AQ_OFFSET, AQ_SCALE };

bool adv_plan_antiquant(AdvCall *a)
{
    int64_t k = a->in->n[0], groups = a->in->n[2], srcSize = a->in->n[3];
    if (!size_ok(a, "k", k) || !size_ok(a, "src.GetSize()", srcSize) || !ADV_WANT(a, "src.GetSize()", srcSize, srcSize % k == 0)) return false;
    if (a->t[AQ_SCALE].given && !ADV_WANT(a, "groups", groups, groups >= 1 && k % groups == 0)) return false;
    if (a->t[AQ_SCALE].given && !a->in->n[1] && groups > 1) { /* HW: open: only the first group's rows seem to be done */
        sim_report(a->c, CHK_ID_NOT_MODELLED, "AscendAntiQuant of several groups without isTranspose");
        return false;
    }
    uint64_t n = (uint64_t)(srcSize / k), params = n * (uint64_t)groups;
    a->t[AQ_DST].n = a->t[AQ_SRC].n = (uint64_t)srcSize;
    a->t[AQ_OFFSET].n = a->t[AQ_SCALE].n = params;
    a->tmp_bytes = adv_size_antiquant((uint64_t)k, n, a->t[AQ_SCALE].given ? params : 1, a->in->n[1] != 0, a->t[AQ_DST].type == DTYPE_BF16).min;
    return true;
}

void adv_run_antiquant(AdvCall *a)
{
    const int64_t *v = a->in->n;
    uint64_t k = (uint64_t)v[0], groups = (uint64_t)v[2], n = (uint64_t)v[3] / k, width = a->t[AQ_SCALE].given ? n * groups : 1;
    bool half = a->t[AQ_DST].type == DTYPE_F16, has_offset = a->t[AQ_OFFSET].given || !a->t[AQ_SCALE].given;
    float *x = adv_floats(a, n * k), *scale = adv_floats(a, width), *offset = adv_floats(a, width);
    bool ok = adv_get(a, AQ_SRC, 0, x, n * k);
    scale[0] = (float)a->in->f[0], offset[0] = (float)a->in->f[1];
    if (a->t[AQ_SCALE].given) ok &= adv_get(a, AQ_SCALE, 0, scale, width);
    if (a->t[AQ_OFFSET].given) ok &= adv_get(a, AQ_OFFSET, 0, offset, width);
    for (uint64_t i = 0; i < n * k; i++) {
        uint64_t row = v[1] ? i % k : i / n, col = v[1] ? i / k : i % n; /* of K, of N */
        uint64_t at = width == 1 ? 0 : v[1] ? col * groups + row / (k / groups) : col;
        float y = has_offset ? x[i] + offset[at] : x[i];
        x[i] = half ? adv_half(adv_half(y) * scale[at]) : y * scale[at];
    }
    adv_put(a, AQ_DST, 0, x, n * k, ok);
}

/* ---- Select and DropOut: numbers first axis, last axis of src, of mask -------------------------------------------------------------- */

enum { M_DST, M_SRC, M_MASK };

static bool mask_shape_ok(AdvCall *a)
{
    int64_t firstAxis = a->in->n[0], srcLastAxis = a->in->n[1], maskLastAxis = a->in->n[2];
    if (!size_ok(a, "firstAxis", firstAxis) || !size_ok(a, "srcLastAxis", srcLastAxis) || !size_ok(a, "maskLastAxis", maskLastAxis)) return false;
    a->t[M_DST].n = a->t[M_SRC].n = (uint64_t)(firstAxis * srcLastAxis);
    a->t[M_MASK].n = (uint64_t)(firstAxis * maskLastAxis);
    a->uses_select = true;
    return true;
}

/* and: number 3 the scalar comes first, 4 isReuseMask */
bool adv_plan_select(AdvCall *a)
{
    int64_t srcLastAxis = a->in->n[1], maskLastAxis = a->in->n[2];
    if (!mask_shape_ok(a) || !ADV_WANT(a, "maskLastAxis", maskLastAxis, maskLastAxis >= srcLastAxis)) return false;
    bool apart = srcLastAxis != maskLastAxis, reuse = a->in->n[4] != 0;
    a->tmp_bytes = adv_size_select(a->t[M_SRC].n, a->t[M_MASK].size, apart && !reuse).min;
    a->spoils_src = apart && reuse; /* HW: the mask is packed in place */
    a->spoiled = M_MASK;
    return true;
}

void adv_run_select(AdvCall *a)
{
    uint64_t rows = (uint64_t)a->in->n[0], width = (uint64_t)a->in->n[1], pitch = (uint64_t)a->in->n[2];
    float *v = adv_floats(a, width), scalar = (float)a->in->f[0];
    bool first = a->in->n[3] != 0;
    for (uint64_t r = 0; r < rows; r++) {
        adv_get(a, M_SRC, r * width, v, width);
        for (uint64_t i = 0; i < width; i++) {
            int64_t bits = adv_get_int(a, M_MASK, r * pitch + i);
            bool zero = a->t[M_MASK].size == 4 ? ((uint32_t)bits << 1) == 0 : bits == 0, take_scalar = zero == first;
            bool ok = adv_valid(a, M_MASK, r * pitch + i, 1) && (take_scalar || adv_valid(a, M_SRC, r * width + i, 1));
            float x = take_scalar ? scalar : v[i];
            adv_put(a, M_DST, r * width + i, &x, 1, ok);
        }
    }
}

/* and: number 3 the mode; scalar keepProb */
enum { BYTES_DIRTY = 1, BYTES, BITS, BITS_DIRTY };

static int64_t dropout_mode(const AdvCall *a)
{
    int64_t src = a->in->n[1], mask = a->in->n[2];
    if (a->in->n[3]) return a->in->n[3];
    return src < mask ? BYTES_DIRTY : src == mask ? BYTES : src == 8 * mask ? BITS : BITS_DIRTY;
}

bool adv_plan_dropout(AdvCall *a)
{
    double keepProb = a->in->f[0];
    if (!ADV_WANT(a, "keepProb * 1000", keepProb * 1000, 0 < keepProb && keepProb < 1) || !mask_shape_ok(a)) return false;
    int64_t mode = dropout_mode(a), maskLastAxis = a->in->n[2], srcLastAxis = a->in->n[1];
    if (!ADV_WANT(a, "dropOutMode", mode, BYTES_DIRTY <= mode && mode <= BITS_DIRTY)) return false;
    if ((mode == BYTES_DIRTY || mode == BITS_DIRTY) && !ADV_WANT(a, "maskLastAxis", maskLastAxis, maskLastAxis % 32 == 0)) return false;
    if ((mode == BITS || mode == BITS_DIRTY) && !ADV_WANT(a, "maskLastAxis * 8", maskLastAxis * 8, maskLastAxis * 8 >= srcLastAxis)) return false;
    if ((mode == BYTES || mode == BYTES_DIRTY) && !ADV_WANT(a, "maskLastAxis", maskLastAxis, maskLastAxis >= srcLastAxis)) return false;
    a->tmp_bytes = 512;
    a->spoils_src = mode == BYTES_DIRTY || mode == BITS_DIRTY;
    a->spoiled = M_MASK;
    return true;
}

/* HW: times the reciprocal of keepProb in the tensor's type; a byte multiplies, so 0 of an infinity is NaN; a bit selects, the
 * lowest bit of a byte first. */
void adv_run_dropout(AdvCall *a)
{
    uint64_t rows = (uint64_t)a->in->n[0], width = (uint64_t)a->in->n[1], pitch = (uint64_t)a->in->n[2];
    bool half = a->t[M_DST].type == DTYPE_F16, bits = dropout_mode(a) >= BITS;
    float *v = adv_floats(a, width), scale = 1.0f / (float)a->in->f[0];
    if (half) scale = adv_half(scale);
    for (uint64_t r = 0; r < rows; r++) {
        adv_get(a, M_SRC, r * width, v, width);
        for (uint64_t i = 0; i < width; i++) {
            uint64_t at = r * pitch + (bits ? i / 8 : i);
            uint64_t byte = (uint64_t)adv_get_int(a, M_MASK, at);
            float x = bits ? (byte >> (i % 8) & 1 ? v[i] : 0.0f) : (float)byte * v[i];
            x = (half ? adv_half(x) : x) * scale;
            adv_put(a, M_DST, r * width + i, &x, 1, adv_valid(a, M_MASK, at, 1) && adv_valid(a, M_SRC, r * width + i, 1));
        }
    }
}
