/* Tiling structures of the high-level APIs: how many rows fit the temporary space at once, and what is left over. Fields
 * that only steer the vendor's own instruction sequence (masks, offsets inside the space) are left 0.
 * HW: pages of the ...TilingFunc and Get...TilingInfo helpers and their implementation for the 2201 architecture. */
#include "runtime/adv_host.h"

#include <string.h>

#define U(x) ((uint32_t)(x))
enum { TILE = 8 };

/* ---- softmax: numbers typeSize, bytes of space, then as the size row ------------------------------------------------------ */

/* Whole multiples of 8 rows that divide m, and no more than 64 repeats of 256 elements: what the basic-block code takes. */
static uint64_t basic_rows(uint64_t rows, uint64_t m, uint64_t k)
{
    if (rows <= 8 || m % 8 || k % 64) return rows;
    rows = rows / 8 * 8;
    while (m % rows) rows -= 8;
    while (rows * k >= 64 * 256) rows /= 2;
    return rows;
}

/* basic: for the basic-block code where the shape allows; otherwise whole multiples of tile. */
static bool fill_softmax(const AdvAsk *q, uint64_t row_floats, uint64_t tile, bool basic, SoftMaxTiling *t)
{
    uint64_t m, k, blk = 32 / (uint64_t)q->n[0];
    if (!adv_rows(q, &m, &k)) return false;
    uint64_t rows = adv_least((uint64_t)q->n[1] / 4 / row_floats, m);
    if (basic) rows = basic_rows(rows, m, k);
    if (rows < m && rows > tile) rows = rows / tile * tile;
    uint64_t tail = rows ? m % rows : 0;
    *t = (SoftMaxTiling){.srcM = U(m), .srcK = U(k), .srcSize = U(m * k), .outMaxM = U(m), .outMaxK = U(blk),
                         .outMaxSize = U(m * blk), .splitM = U(rows), .splitK = U(k), .splitSize = U(rows * k), .reduceM = U(rows),
                         .reduceK = U(blk), .reduceSize = U(rows * blk), .rangeM = U(rows ? m / rows : 0), .tailM = U(tail),
                         .tailSplitSize = U(tail * k), .tailReduceSize = U(tail * blk)};
    return true;
}

static bool type_ok(const AdvAsk *q) { return q->n[0] == 2 || q->n[0] == 4; }
static uint64_t last_of(const AdvAsk *q) { return q->n_dims ? (uint64_t)q->dims[q->n_dims - 1] : 0; }

static bool tiling_softmax(const AdvAsk *q, void *out)
{
    uint64_t blk = 32 / (uint64_t)q->n[0];
    return fill_softmax(q, blk + last_of(q) + 64, TILE, true, out);
}
/* isUpdate */
static bool tiling_softmax_flash(const AdvAsk *q, void *out)
{
    uint64_t blk = 32 / (uint64_t)q->n[0], k = last_of(q);
    return fill_softmax(q, q->n[2] ? 4 * blk + 2 * k : blk + k + 64, TILE, true, out);
}
/* isFront */
static bool tiling_softmax_grad(const AdvAsk *q, void *out)
{
    uint64_t blk = 32 / (uint64_t)q->n[0];
    return fill_softmax(q, adv_grad_row(last_of(q), blk, q->n[0] == 2, q->n[2] != 0), TILE, true, out);
}
/* numbers: size of the statistics, space, size of the data, isUpdate, isBasicBlock, isFlashOutputBrc */
static bool tiling_softmax_flash_v2(const AdvAsk *q, void *out)
{
    uint64_t m, k, blk = 32 / (uint64_t)q->n[0];
    bool half = q->n[2] == 2;
    if (!adv_rows(q, &m, &k)) return false;
    bool basic = q->n[4] && k % 64 == 0 && m % TILE == 0;
    return fill_softmax(q, adv_flash_v2_row(k, blk, half, basic), half && q->n[5] ? 2 * TILE : TILE, basic, out);
}
static bool tiling_softmax_flash_v3(const AdvAsk *q, void *out)
{
    uint64_t blk = 32 / (uint64_t)q->n[0];
    return fill_softmax(q, 5 * blk + 2 * last_of(q) + 64, TILE, false, out);
}

/* ---- normalisation: numbers typeSize, bytes of space, isReuseSource, then as stated ----------------------------------------- */

static bool has_space(const char *api, const AdvAsk *q, const int64_t *n)
{
    AdvAsk size = *q;
    AdvSize s;
    size.n = n;
    return adv_size_of(api, &size, &s) && (uint64_t)q->n[1] >= s.min;
}

/* isBasicBlock, original H */
static bool tiling_rms_norm(const AdvAsk *q, void *out)
{
    const int64_t n[] = {q->n[0], q->n[2], q->n[3]};
    if (q->n_dims != 3 || !has_space("RmsNorm", q, n)) return false;
    uint64_t h = last_of(q), rows = q->elements / h, c = q->n[0] == 4 ? 1 : 2, space = (uint64_t)q->n[1] / 4, original = (uint64_t)q->n[4], pass = 1;
    if (h * (uint64_t)q->n[0] % 32 || original == 0 || original > h) return false;
    while (pass < rows && space >= (pass + 1) * h * c + adv_up(pass + 1, 8)) pass++;
    if (q->n[3]) pass = pass < 8 ? pass : pass / 8 * 8;
    else if (pass > 255) pass = 255;
    uint64_t tail = rows % pass;
    *(RmsNormTiling *)out = (RmsNormTiling){.bLength = U(q->dims[0]), .sLength = U(q->dims[1]), .hLength = U(h), .originalHLength = U(original),
                                            .reciprocalOfHLength = 1.0f / (float)original, .mainBshLength = U(pass * h), .mainBsLength = U(pass),
                                            .mainBsLengthAlign = U(adv_up(pass, 8)), .loopRound = U(rows / pass),
                                            .inputTailPos = U((rows - tail) * h), .tailBshLength = U(tail * h), .tailBsLength = U(tail)};
    return true;
}

/* What LayerNorm, DeepNorm and their like share: rows of h elements in passes of as many as n_buffers of the space hold. */
typedef struct Passes {
    uint64_t space, stats, stats_kept, one, loops, tail, rows_one, rows_tail;
} Passes;

static bool passes(const AdvAsk *q, uint64_t rows, uint64_t h, uint64_t buffers, Passes *p)
{
    *p = (Passes){.space = (uint64_t)q->n[1] / 4, .stats = adv_up(rows, 8)};
    p->stats_kept = q->n[0] == 4 ? 0 : 2 * p->stats;
    if (p->space < p->stats_kept) return false;
    p->one = adv_least((p->space - p->stats_kept) / buffers / h * h, rows * h);
    if (p->one == 0) return false;
    p->loops = rows * h / p->one;
    p->tail = rows * h % p->one;
    p->rows_one = p->one / h;
    p->rows_tail = p->tail / h;
    return true;
}

#define NORM_FIELDS(p, rows, h, original, buffers)                                                                         \
    .bLength = U(q->dims[0]), .sLength = U(q->dims[1]), .hLength = U(h), .originalHLength = U(original),                    \
    .inputXSize = U((rows) * (h)), .meanVarSize = U(rows), .numberOfTmpBuf = U(buffers), .meanTmpTensorSize = U((p).stats), \
    .varianceTmpTensorPos = U((p).stats), .varianceTmpTensorSize = U((p).stats), .tmpBufSize = U((p).space),                \
    .oneTmpSize = U((p).one), .firstTmpStartPos = U((p).stats_kept), .secondTmpStartPos = U((p).stats_kept + (p).one),      \
    .thirdTmpStartPos = U((p).stats_kept + 2 * (p).one), .loopRound = U((p).loops), .inputRoundSize = U((p).one),           \
    .inputTailSize = U((p).tail), .inputTailPos = U((rows) * (h) - (p).tail), .meanVarRoundSize = U((p).rows_one),          \
    .meanVarTailSize = U((p).rows_tail), .meanVarTailPos = U((rows) - (p).rows_tail), .bshCurLength = U((p).one),           \
    .bsCurLength = U((p).rows_one), .lastDimValueBack = 1.0f / (float)(original)

/* dims: B, S, H, original H */
static bool tiling_layer_norm(const AdvAsk *q, void *out)
{
    Passes p;
    if (q->n_dims != 4 || q->elements == 0 || !type_ok(q)) return false;
    uint64_t rows = (uint64_t)(q->dims[0] * q->dims[1]), h = (uint64_t)q->dims[2], buffers = q->n[2] && q->n[0] == 4 ? 2 : 3;
    if (!passes(q, rows, h, buffers, &p)) return false;
    *(LayerNormTiling *)out = (LayerNormTiling){NORM_FIELDS(p, rows, h, q->dims[3], buffers)};
    return true;
}

/* isBasicBlock, original B, S, H */
static bool tiling_deep_norm(const AdvAsk *q, void *out)
{
    const int64_t n[] = {q->n[0], q->n[2], q->n[3]};
    Passes p;
    if (!has_space("DeepNorm", q, n)) return false;
    uint64_t rows = (uint64_t)(q->dims[0] * q->dims[1]), h = last_of(q), buffers = q->n[2] && q->n[0] == 4 ? 2 : 3;
    int64_t original = q->n[6];
    bool same = q->n[4] == q->dims[0] && q->n[5] == q->dims[1];
    if (!same || h > 2040 || h * (uint64_t)q->n[0] % 32 || original < 1 || original > (int64_t)h || (q->n[3] && original != (int64_t)h)) return false;
    if (!passes(q, rows, h, buffers, &p)) return false;
    *(DeepNormTiling *)out = (DeepNormTiling){NORM_FIELDS(p, rows, h, original, buffers)};
    return true;
}

/* dims: A, R */
static bool tiling_layer_norm_rstd(const AdvAsk *q, void *out)
{
    if (q->n_dims != 2 || q->elements == 0 || !type_ok(q)) return false;
    uint64_t rows = (uint64_t)q->dims[0], r = adv_up((uint64_t)q->dims[1], 32 / (uint64_t)q->n[0]), space = (uint64_t)q->n[1] / 4;
    uint64_t stats = adv_up(rows, 8);
    if (space < stats) return false;
    uint64_t one = adv_least((space - stats) / 2 / r * r, rows * r);
    if (one == 0) return false;
    uint64_t tail = rows * r % one;
    *(LayerNormSeparateTiling *)out = (LayerNormSeparateTiling){
        .aLength = U(rows), .rLength = U(q->dims[1]), .inputXSize = U(rows * r), .meanVarSize = U(rows), .numberOfTmpBuf = 2,
        .varianceTmpTensorSize = U(stats), .tmpBufSize = U(space), .oneTmpSize = U(one), .firstTmpStartPos = U(stats),
        .secondTmpStartPos = U(stats + one), .loopRound = U(rows * r / one), .inputRoundSize = U(one),
        .inputTailSize = U(tail), .inputTailPos = U(rows * r - tail), .meanVarRoundSize = U(one / r), .meanVarTailSize = U(tail / r),
        .meanVarTailPos = U(rows - tail / r), .arCurLength = U(one), .aCurLength = U(one / r), .rValueBack = 1.0f / (float)q->dims[1]};
    return true;
}

static uint32_t float_bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static bool tiling_layer_norm_grad(const AdvAsk *q, void *out)
{
    if (q->n_dims != 4 || q->elements == 0 || !type_ok(q)) return false;
    uint64_t h = (uint64_t)q->dims[2], x = (uint64_t)(q->dims[0] * q->dims[1]) * h, buffers = q->n[0] == 2 ? 9 : q->n[2] ? 4 : 6;
    uint64_t rows = (uint64_t)q->n[1] / 4 / buffers / h;
    if (rows == 0) return false;
    rows = adv_up(rows, 32 / (uint64_t)q->n[0]);
    uint64_t one = rows * h, kept = q->n[0] == 4 && q->n[2] ? 0 : one, half = q->n[0] == 2 ? one : 0;
    *(LayerNormGradTiling *)out = (LayerNormGradTiling){
        .stackBufferSize = U(q->n[1]), .bLength = U(q->dims[0]), .sLength = U(q->dims[1]), .hLength = U(h), .originalHLength = U(q->dims[3]),
        .oneCalSize = U(one), .nohCalSize = U(rows), .loopNum = U(x / one), .tailSize = U(x % one), .nohTailSize = U(x % one / h),
        .tmpTensorBSHSize = U(one), .pdVarTensorPos = U(one), .pdVarTensorSize = U(one), .pdMeanTensorPos = U(2 * one), .pdMeanTensorSize = U(one),
        .x1TensorPos = U(3 * kept), .x1TensorSize = U(one), .x2TensorPos = U(4 * kept), .x2TensorSize = U(one),
        .x3TensorPos = U(3 * one + 2 * kept), .x3TensorSize = U(one), .tmpTensorPos = U(6 * half), .tmpTensorSize = U(one),
        .tmpTensor1Pos = U(7 * half), .tmpTensor1Size = U(one), .tmpTensor2Pos = U(8 * half), .tmpTensor2Size = U(one),
        .lastDimValueBack = float_bits(1.0f / (float)q->dims[3]),
        .lastDimValueBackMulTwo = float_bits(2.0f / (float)q->dims[3])};
    return true;
}

static bool tiling_layer_norm_grad_beta(const AdvAsk *q, void *out)
{
    if (q->n_dims != 4 || q->elements == 0 || !type_ok(q)) return false;
    uint64_t h = (uint64_t)q->dims[2], rows = (uint64_t)(q->dims[0] * q->dims[1]), space = (uint64_t)q->n[1] / 4;
    bool half = q->n[0] == 2;
    if (space < 2 * h) return false;
    uint64_t one = adv_least((half ? (space - 2 * h) / 2 : space) / h * h, rows * h);
    if (one == 0) return false;
    uint64_t tail = rows * h % one;
    *(LayerNormGradBetaTiling *)out = (LayerNormGradBetaTiling){
        .stackBufferSize = U(space), .bLength = U(q->dims[0]), .sLength = U(q->dims[1]), .hLength = U(h), .originalHLength = U(q->dims[3]),
        .bshLength = U(rows * h), .bsLength = U(rows), .oneCalSize = U(one), .numberOfTmpBuf = half ? 2 : 1, .loopRound = U(rows * h / one),
        .inputTailSize = U(tail), .inputTailPos = U(rows * h - tail), .bsTailSize = U(tail / h), .bshCurLength = U(one), .bsCurLength = U(one / h),
        .betaTempTensorPos = half ? U(h) : 0, .inputDyTmpTensorPos = half ? U(2 * h) : 0, .resForGammaTmpTensorPos = half ? U(2 * h + one) : 0};
    return true;
}

/* isBasicBlock, original B */
static bool tiling_batch_norm(const AdvAsk *q, void *out)
{
    const int64_t n[] = {q->n[0], q->n[2], q->n[3], q->n[4]};
    if (!has_space("BatchNorm", q, n) || q->n[4] < 1) return false;
    uint64_t sh = (uint64_t)(q->dims[1] * q->dims[2]), b = (uint64_t)q->n[4], space = (uint64_t)q->n[1] / 4, block = 32 / (uint64_t)q->n[0];
    if (sh % block) return false;
    uint64_t stats = adv_up(sh, 8), kept = q->n[0] == 4 ? 0 : 2 * stats;
    uint64_t one = adv_least((space - kept) / 3 / (b * block) * (b * block), b * sh);
    if (one == 0) return false;
    if (q->n[3]) one = one / b / 64 * 64 * b;
    uint64_t tail = b * sh % one;
    *(BatchNormTiling *)out = (BatchNormTiling){
        .originalBLength = U(b), .meanVarSize = U(sh), .varianceTmpTensorPos = U(stats), .tmpBufSize = U(space), .oneTmpSize = U(one),
        .firstTmpStartPos = U(kept), .secondTmpStartPos = U(kept + one), .thirdTmpStartPos = U(kept + 2 * one), .loopRound = U(b * sh / one),
        .inputTailSize = U(tail), .inputTailPos = U((b * sh - tail) / b), .meanVarTailSize = U(tail / b), .meanVarTailPos = U(sh - tail / b),
        .bshCurLength = U(one), .shCurLength = U(one / b), .firstDimValueBack = 1.0f / (float)b, .castHalfRepStride = 4,
        .shCurLengthBlockNum = U(one / b / 8), .castHalfOutRepStride = U(sh / 16)};
    return true;
}

/* groupNum */
static bool tiling_group_norm(const AdvAsk *q, void *out)
{
    if (q->n_dims != 4 || q->elements == 0 || !type_ok(q) || q->n[3] < 1 || q->dims[1] < q->n[3]) return false;
    uint64_t n = (uint64_t)q->dims[0], c = (uint64_t)q->dims[1], hw = (uint64_t)(q->dims[2] * q->dims[3]), g = (uint64_t)q->n[3], d = c / g;
    uint64_t type = (uint64_t)q->n[0], pitch = adv_up(hw * type, 32) / type, group = d * pitch, buffers = q->n[2] && type == 4 ? 2 : 3;
    uint64_t stats = adv_up(n * g, 8), kept = type == 4 ? 0 : 2 * stats, space = (uint64_t)q->n[1] / 32 * 8;
    if (space < kept) return false;
    uint64_t pass = adv_least((space - kept) / buffers / group, n * g);
    if (pass == 0 || (type == 2 && pass * group < c)) return false;
    uint64_t one = pass * group, tail = n * c * pitch % one;
    *(GroupNormTiling *)out = (GroupNormTiling){
        .n = U(n), .c = U(c), .hw = U(hw), .g = U(g), .d = U(d), .hwAlignSize = U(pitch), .dhwAlignSize = U(group), .inputXSize = U(n * c * pitch),
        .meanVarSize = U(n * g), .numberOfTmpBuf = U(buffers), .meanTmpTensorSize = U(stats), .varianceTmpTensorPos = U(stats),
        .varianceTmpTensorSize = U(stats), .tmpBufSize = U(space), .oneTmpSize = U(one), .firstTmpStartPos = U(kept),
        .secondTmpStartPos = U(kept + one), .thirdTmpStartPos = U(kept + 2 * one), .loopRound = U(n * c * pitch / one), .inputRoundSize = U(one),
        .inputTailSize = U(tail), .inputTailPos = U(n * c * pitch - tail), .meanVarRoundSize = U(pass), .meanVarTailSize = U(tail / group),
        .meanVarTailPos = U(n * g - tail / group), .bshCurLength = U(one), .bsCurLength = U(pass), .factor = 1.0f / (float)(d * hw)};
    return true;
}

/* ---- shapes and orders ------------------------------------------------------------------------------------------------------ */

/* numbers: typeSize, space, original rank and sizes */
static bool tiling_pad(const AdvAsk *q, void *out)
{
    if (q->n_dims != 2 || !type_ok(q) || q->n[2] != 2 || q->n[3] * q->n[4] > (int64_t)q->elements) return false;
    uint64_t height = (uint64_t)q->dims[0], width = (uint64_t)q->dims[1], block = 32 / (uint64_t)q->n[0];
    PadTiling *t = out;
    t->srcHeight = U(height);
    t->srcWidth = U(width);
    t->srcOriWidth = U(q->n[4]);
    t->widthWithoutLastBlock = U(width - block);
    t->blocksPerRow = U(width / block);
    t->heightTiling = 255;
    t->heightFractal = U(height / 255);
    t->heightFractalTail = U(height % 255);
    t->mainLoopOffset = U(255 * width);
    t->tailBlockOffset = U(height / 255 * 255 * width + width - block);
    return true;
}
static bool tiling_unpad(const AdvAsk *q, void *out)
{
    if (q->n_dims != 2 || !type_ok(q)) return false;
    UnPadTiling *t = out;
    t->srcHeight = U(q->dims[0]);
    t->srcWidth = U(q->dims[1]);
    return true;
}

/* dims inner, outter; numbers: typeSize, k, isInitIndex, small mode, isLargest */
static bool tiling_topk(const AdvAsk *q, void *out)
{
    if (q->n_dims != 2 || q->elements == 0 || !type_ok(q)) return false;
    int32_t inner = (int32_t)q->dims[0], outter = (int32_t)q->dims[1], k = (int32_t)q->n[1], type = (int32_t)q->n[0], all = inner * outter;
    bool init = q->n[2] != 0, small = q->n[3] != 0;
    int32_t sorted = small ? 8 * all / type + (q->n[4] ? 0 : all) + 64 / type : 16 * inner / type, index = (small ? all : inner) * 4 / type;
    TopkTiling *t = out;
    t->tmpLocalSize = sorted + (init ? 0 : index);
    t->allDataSize = all;
    t->innerDataSize = (small ? all : inner) * 8 / type;
    t->kAlignFourBytes = (int32_t)adv_up((uint64_t)k, 8);
    t->maskOffset = outter * k;
    if (small) return true;
    t->sortRepeat = U(inner / 32);
    t->srcIndexOffset = init ? 0 : sorted;
    t->kAlignTwoBytes = (int32_t)adv_up((uint64_t)k, 16);
    t->maskOffset = outter * (type == 2 ? t->kAlignTwoBytes : t->kAlignFourBytes);
    return true;
}

/* numbers: typeSize, space, scene. The first of the opaque parameters hold the block size and the shape. */
static bool tiling_transpose(const AdvAsk *q, void *out)
{
    int64_t scene = q->n[2];
    ConfusionTransposeTiling *t = out;
    if (!type_ok(q) || scene < 1 || scene > 7 || q->n_dims < (scene == 7 ? 2 : 4)) return false;
    t->param0 = U(32 / q->n[0]);
    t->param1 = U(q->dims[0]);
    t->param2 = U(q->dims[1]);
    if (scene == 7) return true;
    t->param3 = U(scene <= 2 ? (int64_t)adv_up((uint64_t)q->dims[3], 16) : q->dims[3]);
    if (scene <= 2) t->param4 = U(adv_up((uint64_t)q->dims[2], 16));
    t->param17 = U(q->dims[2]);
    t->param16 = U(q->dims[3]);
    return true;
}

/* ---- the table ---------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *api;
    bool (*fn)(const AdvAsk *q, void *out);
} ROWS[] = {
#define SIMPLE(...)
#define SIZE(...)
#define TILING(api, name) {#api, tiling_##name},
#include "runtime/adv_host.def"
#undef SIMPLE
#undef SIZE
#undef TILING
};

bool owh_adv_tiling(const char *api, const int64_t *dims, size_t n_dims, const int64_t *n, void *out)
{
    AdvAsk q = {.dims = dims, .n_dims = n_dims, .elements = 1, .n = n};
    for (size_t i = 0; i < n_dims; i++)
        if (dims[i] <= 0 || __builtin_mul_overflow(q.elements, (uint64_t)dims[i], &q.elements) || q.elements > UINT32_MAX) return false;
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        if (!strcmp(ROWS[i].api, api)) return (n[0] == 2 || n[0] == 4) && ROWS[i].fn(&q, out);
    return false;
}
