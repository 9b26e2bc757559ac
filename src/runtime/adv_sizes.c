/* Temporary space of the high-level APIs as their host helpers answer it: rows of adv_host.def. */
#include "runtime/adv_host.h"

#include <string.h>

#define ALIGN32(n) adv_up((n), 32)

static AdvSize both(uint64_t n) { return (AdvSize){n, n}; }
static bool is_half(uint64_t type_size) { return type_size == 2; }
static bool type_ok(int64_t type_size) { return type_size == 2 || type_size == 4; }

bool adv_rows(const AdvAsk *q, uint64_t *m, uint64_t *k)
{
    if (q->n_dims == 0 || q->elements == 0) return false;
    *k = (uint64_t)q->dims[q->n_dims - 1];
    *m = q->elements / *k;
    return true;
}

/* ---- elementwise: numbers typeSize, isReuseSource unless stated ------------------------------------------------------- */

static AdvSize simple(const AdvAsk *q, uint64_t c)
{
    return (AdvSize){c * adv_most(q->elements * (uint64_t)q->n[0], 256), c * 256};
}

static bool size_acosh(const AdvAsk *q, AdvSize *s)
{
    uint64_t type = (uint64_t)q->n[0], p = is_half(type) ? 2 : 1;
    *s = (AdvSize){adv_most(p * q->elements, 256) * type, p * 256};
    return true;
}
static bool size_clamp(const AdvAsk *q, AdvSize *s)
{
    uint64_t least = is_half((uint64_t)q->n[0]) ? 128 : 64;
    *s = (AdvSize){adv_most(q->elements, least), least};
    return true;
}
static bool size_exp(const AdvAsk *q, AdvSize *s)
{
    uint64_t c = is_half((uint64_t)q->n[0]) ? 4 : q->n[1] ? 2 : 3;
    *s = (AdvSize){c * adv_most(q->elements * 4, 256), c * 256};
    return true;
}
static bool size_log2(const AdvAsk *q, AdvSize *s)
{
    *s = is_half((uint64_t)q->n[0]) ? (AdvSize){adv_most(4 * q->elements, 256), 256} : both(0);
    return true;
}
static bool size_gelu(const AdvAsk *q, AdvSize *s)
{
    *s = (AdvSize){adv_most(3 * q->elements * 4, 768), 768};
    return true;
}
static bool size_reglu(const AdvAsk *q, AdvSize *s)
{
    *s = is_half((uint64_t)q->n[0]) ? (AdvSize){adv_most(6 * q->elements * 2, 1536), 1536} : both(256);
    return true;
}
/* numbers: typeSize, typeIsInt, base is a tensor, exponent is a tensor */
static uint64_t power_factor(const int64_t *n)
{
    bool two = n[2] && n[3];
    return is_half((uint64_t)n[0]) ? 14 : n[1] ? (two ? 6 : 7) : two ? 4 : 5;
}
static bool size_power(const AdvAsk *q, AdvSize *s)
{
    uint64_t c = power_factor(q->n), type = (uint64_t)q->n[0], least = is_half(type) ? 128 : 256, extra = q->n[1] ? 0 : 256;
    *s = (AdvSize){c * adv_most(q->elements * type, least) + extra, c * least + extra};
    return true;
}
static bool size_dropout(const AdvAsk *q, AdvSize *s)
{
    *s = (AdvSize){adv_most(2 * q->elements * 4, 512), 512};
    return true;
}
static bool size_quant(const AdvAsk *q, AdvSize *s)
{
    if (!type_ok(q->n[0]) || q->elements == 0) return false;
    *s = (AdvSize){ALIGN32(adv_most(2 * q->elements, 512)), 512};
    return true;
}
static bool size_dequant(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims < 1 || q->n_dims > 2 || q->n[0] != 4) return false;
    uint64_t n = (uint64_t)q->dims[q->n_dims - 1];
    *s = (AdvSize){(64 + q->elements + n + 8) * 4, (64 + 2 * n + 8) * 4};
    return true;
}
/* numbers: scale elements, isTranspose, output is bfloat16 */
static bool size_antiquant(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims != 2) return false;
    *s = adv_size_antiquant((uint64_t)q->dims[0], (uint64_t)q->dims[1], (uint64_t)q->n[0], q->n[1] != 0, q->n[2] != 0);
    return true;
}
/* numbers: source type size, mask type size, mask is compacted apart */
static bool size_select(const AdvAsk *q, AdvSize *s)
{
    *s = adv_size_select(q->elements, (uint32_t)q->n[1], q->n[2] != 0);
    return true;
}

/* ---- reductions -------------------------------------------------------------------------------------------------------- */

/* numbers: typeSize, pattern, isSrcInnerPad, isReuseSource */
static bool reduce(const AdvAsk *q, AdvReduceKind kind, AdvSize *s)
{
    if (q->n_dims != 2 || q->elements == 0 || q->n[1] > 1) return false;
    *s = adv_size_reduce(kind, (uint64_t)q->dims[0], (uint64_t)q->dims[1], (uint32_t)q->n[0], q->n[1] != 0, q->n[3] != 0);
    return true;
}
static bool size_reduce_sum(const AdvAsk *q, AdvSize *s) { return q->n[0] == 4 && reduce(q, ADV_REDUCE_SUM, s); }
static bool size_reduce_max(const AdvAsk *q, AdvSize *s) { return type_ok(q->n[0]) && reduce(q, ADV_REDUCE_MAX, s); }
static bool size_reduce_logic(const AdvAsk *q, AdvSize *s) { return (q->n[0] == 1 || q->n[0] == 4) && reduce(q, ADV_REDUCE_LOGIC, s); }
static bool size_reduce_prod(const AdvAsk *q, AdvSize *s) { return q->n[0] == 4 && reduce(q, ADV_REDUCE_PROD, s); }
static bool size_reduce_xor_sum(const AdvAsk *q, AdvSize *s)
{
    *s = both((q->n[1] ? 2 : 3) * adv_most(q->elements * 2, 256));
    return true;
}
/* numbers: typeSize; Mean: and the size of what it adds in. dims: n */
static bool size_sum(const AdvAsk *q, AdvSize *s)
{
    *s = adv_size_sum(q->elements, (uint32_t)q->n[0], (uint32_t)q->n[0]);
    return true;
}
static bool size_mean(const AdvAsk *q, AdvSize *s)
{
    *s = adv_size_mean(q->elements, (uint32_t)q->n[0], (uint32_t)q->n[1]);
    return true;
}
/* numbers: typeSize, isLastAxis */
static bool size_cumsum(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims != 2) return false;
    *s = adv_size_cumsum((uint64_t)q->dims[0], (uint64_t)q->dims[1], (uint32_t)q->n[0], q->n[1] != 0);
    return true;
}

/* ---- softmax: numbers typeSize (of the statistics), then as stated ------------------------------------------------------ */

static bool softmax_rows(const AdvAsk *q, uint64_t row_floats(const AdvAsk *q, uint64_t k), AdvSize *s)
{
    uint64_t m, k;
    if (!type_ok(q->n[0]) || !adv_rows(q, &m, &k)) return false;
    uint64_t row = row_floats(q, k);
    *s = (AdvSize){m * row * 4, row * 4};
    return true;
}
static uint64_t block_of(const AdvAsk *q) { return 32 / (uint64_t)q->n[0]; }
static uint64_t plain_row(const AdvAsk *q, uint64_t k) { return block_of(q) + k + 64; }
static bool size_softmax(const AdvAsk *q, AdvSize *s) { return softmax_rows(q, plain_row, s); }
/* isUpdate */
static uint64_t flash_row(const AdvAsk *q, uint64_t k) { return q->n[1] ? 4 * block_of(q) + 2 * k : plain_row(q, k); }
static bool size_softmax_flash(const AdvAsk *q, AdvSize *s) { return softmax_rows(q, flash_row, s); }
/* isFront */
uint64_t adv_grad_row(uint64_t k, uint64_t blk, bool half, bool front)
{
    return half ? 2 * blk + 3 * k + 64 : front ? blk + k + 64 : 2 * blk + k + 64;
}
static uint64_t grad_row(const AdvAsk *q, uint64_t k) { return adv_grad_row(k, block_of(q), is_half((uint64_t)q->n[0]), q->n[1] != 0); }
static bool size_softmax_grad(const AdvAsk *q, AdvSize *s) { return softmax_rows(q, grad_row, s); }
static uint64_t v3_row(const AdvAsk *q, uint64_t k) { return 5 * block_of(q) + 2 * k + 64; }
static bool size_softmax_flash_v3(const AdvAsk *q, AdvSize *s) { return softmax_rows(q, v3_row, s); }

uint64_t adv_flash_v2_row(uint64_t k, uint64_t blk, bool half, bool basic)
{
    uint64_t wide = basic && k == 1024 ? 64 : 0;
    return (half ? (basic ? blk : 2 * blk) + k + 64 : blk + 64) + wide;
}
/* numbers: size of the statistics, size of the data, isUpdate, isBasicBlock, isFlashOutputBrc */
static bool size_softmax_flash_v2(const AdvAsk *q, AdvSize *s)
{
    uint64_t m, k, data = (uint64_t)q->n[1], rows;
    if (!type_ok(q->n[0]) || !type_ok(q->n[1]) || !adv_rows(q, &m, &k)) return false;
    bool basic = q->n[3] && k % 64 == 0;
    uint64_t row = adv_flash_v2_row(k, block_of(q), is_half(data), basic), least = q->n[4] ? adv_least(32 / data, m) : basic ? 8 : 1;
    for (rows = m; basic && m % 8 == 0 && rows * k >= 64 * 256;) rows /= 2;
    uint64_t most = basic && m % 8 ? adv_flash_v2_row(k, block_of(q), is_half(data), false) : row;
    *s = (AdvSize){rows * most * 4, least * row * 4};
    return true;
}

/* ---- normalisation: numbers typeSize, isReuseSource, then as stated ------------------------------------------------------ */

static bool bsh(const AdvAsk *q, size_t n_dims) { return q->n_dims == n_dims && q->elements > 0 && type_ok(q->n[0]); }
static uint64_t rows_of(const AdvAsk *q) { return (uint64_t)(q->dims[0] * q->dims[1]); }

static bool size_layer_norm(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 4)) return false;
    uint64_t c = q->n[1] && q->n[0] == 4 ? 2 : 3, stats = 2 * ALIGN32(rows_of(q) * 4), h = (uint64_t)q->dims[2];
    *s = (AdvSize){c * ALIGN32(rows_of(q) * h * 4) + stats, c * ALIGN32(h * 4) + stats};
    return true;
}
static bool size_deep_norm(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 3)) return false;
    uint64_t c = q->n[1] && q->n[0] == 4 ? 2 : 3, stats = 2 * ALIGN32(rows_of(q) * 4), h = (uint64_t)q->dims[2];
    if (q->n[2] && (h % 64 || rows_of(q) % 8)) return false;
    *s = (AdvSize){c * ALIGN32(q->elements * 4) + stats, c * ALIGN32(h * 4) + stats};
    return true;
}
static bool size_rms_norm(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 3)) return false;
    uint64_t c = q->n[0] == 2 ? 2 : 1, h = (uint64_t)q->dims[2];
    if (q->n[2] && (h % 64 || h >= 2048 || rows_of(q) % 8)) return false;
    *s = (AdvSize){(c * q->elements + adv_up(rows_of(q), 32 / (uint64_t)q->n[0])) * 4, (c * h + 8) * 4};
    return true;
}
/* numbers: typeSize, isReuseSource, isBasicBlock, original B */
static bool size_batch_norm(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 3)) return false;
    uint64_t sh = (uint64_t)(q->dims[1] * q->dims[2]), b = (uint64_t)q->n[3], mv = 2 * ALIGN32(sh * 4);
    if (q->n[2] && (sh % 64 || b % 8)) return false;
    *s = (AdvSize){3 * ALIGN32(b * sh * 4) + mv, 3 * b * (q->n[2] ? 256 : q->n[0] == 2 ? 64 : 32) + mv};
    return true;
}
/* numbers: typeSize, isReuseSource, groupNum */
static bool size_group_norm(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 4) || q->n[2] < 1) return false;
    uint64_t type = (uint64_t)q->n[0], c = q->n[1] && type == 4 ? 2 : 3, stats = 2 * ALIGN32((uint64_t)(q->dims[0] * q->n[2]) * 4);
    uint64_t channel = ALIGN32((uint64_t)(q->dims[2] * q->dims[3]) * type) / type * 4;
    *s = (AdvSize){c * rows_of(q) * channel + stats, c * (uint64_t)(q->dims[1] / q->n[2]) * channel + stats};
    return true;
}
static bool size_layer_norm_grad(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 4)) return false;
    uint64_t type = (uint64_t)q->n[0], c = type == 2 ? 9 : q->n[1] ? 4 : 6, h = (uint64_t)q->dims[2], x = rows_of(q) * h;
    *s = (AdvSize){c * adv_most(x, h * h) * type, c * adv_least(x, h * h) * type};
    return true;
}
static bool size_layer_norm_grad_beta(const AdvAsk *q, AdvSize *s)
{
    if (!bsh(q, 4)) return false;
    uint64_t c = q->n[0] == 2 ? 4 : 2, h = (uint64_t)q->dims[2];
    *s = (AdvSize){c * rows_of(q) * h * 4, c * h * 4};
    return true;
}
/* numbers: typeSize of gamma, of x, isReuseSource, isComputeRstd, isOnlyOutput */
static bool size_normalize(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims != 2 || q->elements == 0 || !q->n[3] || q->n[4] || !type_ok(q->n[1])) return false;
    uint64_t a = (uint64_t)q->dims[0], r = adv_up((uint64_t)q->dims[1], 32 / (uint64_t)q->n[1]);
    uint64_t need = (q->n[0] == 2 ? 4 : 2) * r * 4;
    *s = (AdvSize){2 * r * 4 + 2 * adv_up(a, 8) * r * 4, adv_most(ALIGN32(a * 4), need)};
    return true;
}
/* numbers: typeSize, isReuseSource, isComputeRstd, isOnlyOutput */
static bool size_layer_norm_rstd(const AdvAsk *q, AdvSize *s)
{
    const int64_t norm[] = {q->n[0], q->n[0], q->n[1], q->n[2], q->n[3]};
    AdvAsk n = *q;
    AdvSize in;
    n.n = norm;
    if (!size_normalize(&n, &in)) return false;
    uint64_t a = (uint64_t)q->dims[0], r = adv_up((uint64_t)q->dims[1], 32 / (uint64_t)q->n[0]), mv = ALIGN32(a * 4);
    *s = (AdvSize){adv_most(2 * ALIGN32(a * r * 4), in.max) + mv, adv_most(2 * ALIGN32(r * 4), in.min) + mv};
    return true;
}
/* numbers: typeSize of x, isReuseSource */
static bool size_welford_update(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims != 2) return false;
    uint64_t least = q->n[0] == 2 ? 768 : q->n[1] ? 256 : 512;
    *s = (AdvSize){adv_up(q->elements, 64) / 64 * least, least};
    return true;
}
static bool size_welford_finalize(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims != 1 || q->elements == 0 || q->elements % 8) return false;
    *s = (AdvSize){q->elements <= 64 ? 1024 : (128 + 2 * q->elements) * 4, 1024};
    return true;
}

/* ---- shapes and orders --------------------------------------------------------------------------------------------------- */

static bool size_pad(const AdvAsk *q, AdvSize *s)
{
    if (q->n_dims != 2 || !type_ok(q->n[0]) || q->elements == 0) return false;
    *s = (AdvSize){adv_up(q->elements, 16) * 64, 1024};
    return true;
}
/* dims: of src; numbers: typeSize, destination rank, its two sizes */
static bool size_broadcast(const AdvAsk *q, AdvSize *s)
{
    uint64_t d0 = q->n[1] == 2 ? (uint64_t)q->n[2] : 1, d1 = (uint64_t)(q->n[1] == 2 ? q->n[3] : q->n[2]), type = (uint64_t)q->n[0];
    if (q->n[1] != (int64_t)q->n_dims || q->n_dims < 1 || q->n_dims > 2) return false;
    bool equal = q->elements == d0 * d1 || q->elements == 1;
    uint32_t axis = q->n_dims == 2 && q->dims[1] == 1 && !equal ? 1 : 0;
    if (!equal && axis == 0 && d1 * type % 32) return false;
    *s = adv_size_broadcast(q->elements, d0, d1, (uint32_t)type, equal, axis);
    return true;
}
/* dims inner, outter; numbers: isInitIndex, small mode, isLargest */
static bool size_topk(const AdvAsk *q, AdvSize *s)
{
    uint64_t inner = (uint64_t)q->dims[0], all = q->elements, extra = q->n[0] ? 0 : 4;
    *s = both(q->n[1] ? 8 * all + 64 + (q->n[2] ? 0 : 4 * all) + extra * all : (16 + extra) * inner);
    return true;
}
/* dims: n, c, d, h, w; numbers: to blocks, FRACTAL_Z_3D */
static bool size_transdata(const AdvAsk *q, AdvSize *s)
{
    const int64_t *d = q->dims;
    if (q->n_dims != 5) return false;
    *s = adv_size_transdata(q->n[0] != 0, q->n[1] != 0, (uint64_t)d[0], (uint64_t)d[1], (uint64_t)d[2], (uint64_t)d[3], (uint64_t)d[4]);
    return true;
}
/* numbers: typeSize, scene */
static bool size_transpose(const AdvAsk *q, AdvSize *s)
{
    uint64_t type = (uint64_t)q->n[0];
    int64_t scene = q->n[1];
    if (scene < 1 || scene > 7 || q->n_dims < (scene == 7 ? 2 : 4)) return false;
    *s = scene == 7 ? both(0) : scene <= 2 ? (AdvSize){adv_up((uint64_t)q->dims[2], 16) * 16 * type, 256 * type} : both(512 * type);
    return true;
}

/* ---- the table ------------------------------------------------------------------------------------------------------------- */

typedef struct SizeRow {
    const char *api;
    bool (*fn)(const AdvAsk *q, AdvSize *s); /* NULL: the simple rule */
    uint8_t half, wide, wide_reuse, factor_half, factor_wide;
} SizeRow;

static const SizeRow ROWS[] = {
#define SIMPLE(api, half, wide, reuse, factor_half, factor_wide) {#api, NULL, half, wide, reuse, factor_half, factor_wide},
#define SIZE(api, name, factor_half, factor_wide)                {#api, size_##name, 0, 0, 0, factor_half, factor_wide},
#define TILING(api, name)
#include "runtime/adv_host.def"
#undef SIMPLE
#undef SIZE
#undef TILING
};

static const SizeRow *find(const char *api)
{
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        if (!strcmp(ROWS[i].api, api)) return &ROWS[i];
    return NULL;
}

bool adv_size_of(const char *api, const AdvAsk *q, AdvSize *out)
{
    const SizeRow *r = find(api);
    if (!r) return false;
    if (r->fn) return r->fn(q, out);
    *out = simple(q, q->n[0] == 2 ? r->half : q->n[1] ? r->wide_reuse : r->wide);
    return true;
}

static bool ask(const int64_t *dims, size_t n_dims, const int64_t *n, AdvAsk *q)
{
    *q = (AdvAsk){.dims = dims, .n_dims = n_dims, .elements = 1, .n = n};
    for (size_t i = 0; i < n_dims; i++)
        if (dims[i] < 0 || __builtin_mul_overflow(q->elements, (uint64_t)dims[i], &q->elements) || q->elements > UINT32_MAX) return false;
    return true;
}

bool owh_adv_size(const char *api, const int64_t *dims, size_t n_dims, const int64_t *n, uint32_t *max, uint32_t *min)
{
    AdvAsk q;
    AdvSize s;
    if (!ask(dims, n_dims, n, &q) || !adv_size_of(api, &q, &s)) return false;
    *max = (uint32_t)s.max;
    *min = (uint32_t)s.min;
    return true;
}

bool owh_adv_factor(const char *api, const int64_t *n, uint32_t *max_live, uint32_t *extra)
{
    const SizeRow *r = find(api);
    if (!r) return false;
    *extra = 0;
    *max_live = n[0] == 2 ? r->factor_half : r->factor_wide;
    if (!strcmp(api, "Power")) {
        *max_live = (uint32_t)power_factor(n);
        *extra = n[1] ? 0 : 256;
    }
    return true;
}
