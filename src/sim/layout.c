/* Instructions that lay elements out anew within UB: TransDataTo5HD, Transpose. HW: their pages. */
#include "sim/sim_int.h"

#include <stdlib.h>
#include <string.h>

enum { LIST = 16 }; /* blocks of 32 bytes on each side */

/* ---- TransDataTo5HD -------------------------------------------------------------------------------------------------- */

typedef struct Trans5hd {
    uint32_t dst[LIST], src[LIST]; /* bytes in UB, of the first repeat */
    uint32_t size, repeat, dst_step, src_step;
    bool dst_high, src_high;
} Trans5hd;

/* Where element j of source block i goes: block and byte. */
static bool target_of(const Trans5hd *a, uint32_t i, uint32_t j, uint32_t *block, uint32_t *byte)
{
    switch (a->size) {
    case 1: /* half of each side's block */
        if (j / LIST != (a->src_high ? 1u : 0u)) return false;
        *block = j % LIST;
        *byte = (a->dst_high ? LIST : 0) + i;
        return true;
    case 2: *block = j, *byte = 2 * i; return true;
    default: *block = 2 * j + i / 8, *byte = 4 * (i % 8); return true;
    }
}

static void one_5hd(Core *c, const Trans5hd *a, uint32_t r)
{
    uint8_t in[LIST][ISA_BLOCK_BYTES];
    bool known[LIST][ISA_BLOCK_BYTES];
    for (uint32_t i = 0; i < LIST; i++) {
        uint32_t at = a->src[i] + r * a->src_step;
        memcpy(in[i], c->ub + at, ISA_BLOCK_BYTES);
        for (uint32_t j = 0; j < ISA_BLOCK_BYTES / a->size; j++) known[i][j] = bits_all(c->ub_valid, at + j * a->size, a->size);
    }
    for (uint32_t i = 0; i < LIST; i++)
        for (uint32_t j = 0; j < ISA_BLOCK_BYTES / a->size; j++) {
            uint32_t block, byte;
            if (!target_of(a, i, j, &block, &byte)) continue;
            uint32_t to = a->dst[block] + r * a->dst_step + byte;
            memcpy(c->ub + to, in[i] + j * a->size, a->size);
            bits_fill(c->ub_valid, to, a->size, known[i][j]);
            ub_wrote(c, to, a->size);
        }
}

static void run_5hd(Core *c, const void *args)
{
    const Trans5hd *a = args;
    for (uint32_t r = 0; r < a->repeat; r++) one_5hd(c, a, r);
}

static bool list_place(Core *c, const OwLocal *list, const char *role, bool write, uint64_t span, uint32_t offset, uint32_t out[LIST])
{
    bool ok = true;
    for (uint32_t i = 0; i < LIST; i++) {
        Place p;
        if (!local_place(c, &list[i], role, ISA_BLOCK_BYTES, &p)) return false;
        ok = local_clip(c, &p, role, write, offset, span) == span && ok;
        out[i] = p.addr + offset;
    }
    return ok;
}

/* high: bit 0 dstHighHalf, bit 1 srcHighHalf. HW: with one repeat the strides are added once to every address, with more
 * repeat r adds them r times. */
void ow_trans_5hd(uint32_t type, const OwLocal *dst, const OwLocal *src, uint32_t high, uint32_t repeat, uint32_t dst_rep,
                  uint32_t src_rep, OwLoc loc)
{
    Core *c = core_enter("TransDataTo5HD", loc);
    Trans5hd a = {.size = (uint32_t)dtype_info(dtype_of(type))->size_bytes, .repeat = repeat, .dst_high = high & 1, .src_high = high & 2};
    if (repeat > 255) sim_report(c, CHK_ID_REPEAT_LIMIT, LL(repeat), LL(repeat & 255));
    a.repeat &= 255;
    if (a.repeat == 0) return;
    a.dst_step = dst_rep * ISA_BLOCK_BYTES;
    a.src_step = src_rep * ISA_BLOCK_BYTES;
    uint32_t last = a.repeat - 1, dst_at = a.repeat == 1 ? a.dst_step : 0, src_at = a.repeat == 1 ? a.src_step : 0;
    uint64_t dst_span = (uint64_t)last * a.dst_step + ISA_BLOCK_BYTES, src_span = (uint64_t)last * a.src_step + ISA_BLOCK_BYTES;
    if (!list_place(c, dst, "dst", true, dst_span, dst_at, a.dst) || !list_place(c, src, "src", false, src_span, src_at, a.src)) return;
    Access acc[2 * LIST];
    for (uint32_t i = 0; i < LIST; i++) {
        acc[i] = (Access){.how = ACC_READ, .at = a.src[i], .len = ISA_BLOCK_BYTES, .step = a.src_step, .n_rows = a.repeat};
        acc[LIST + i] = (Access){.how = ACC_WRITE, .at = a.dst[i], .len = ISA_BLOCK_BYTES, .step = a.dst_step, .n_rows = a.repeat};
    }
    issue(c, PIPE_V, run_5hd, &a, sizeof a, acc, 2 * LIST);
}

/* Kernels give places also as what GetPhyAddr returned: the tensor there, bounded by the buffer it lies in. */
void ow_local_at(uint64_t phy, OwLocal *out, OwLoc loc)
{
    Core *c = core_enter("TransDataTo5HD", loc);
    enum { VECCALC = 11 }; /* TPosition */
    uint64_t at = phy - (uint64_t)(uintptr_t)c->ub;
    *out = (OwLocal){.addr = at < c->ub_bytes ? (uint32_t)at : c->ub_bytes, .buf = OW_BUF_RAW, .pos = VECCALC};
    for (uint32_t b = 1; b <= c->n_bufs; b++) {
        const Buf *buf = &c->bufs[b];
        if (at < buf->start || at >= (uint64_t)buf->start + buf->len) continue;
        out->buf = b;
        out->gen = buf->gen;
    }
}

/* ---- Transpose -------------------------------------------------------------------------------------------------------- */

/* dst[i][k][j] of n matrices of rows x cols elements: dst element (i, k, j) is src element (i, j, k). */
typedef struct Transposed {
    uint32_t to, from, size, n, rows, cols;
    uint32_t work, work_bytes; /* left undefined */
} Transposed;

static void run_transpose(Core *c, const void *args)
{
    const Transposed *a = args;
    uint32_t total = a->n * a->rows * a->cols * a->size;
    uint8_t *in = malloc(total);
    if (!in) abort(); /* as arenas do */
    for (uint32_t i = 0; i < a->n; i++) {
        uint32_t one = a->rows * a->cols, base = i * one;
        for (uint32_t e = 0; e < one; e++) {
            uint32_t j = e / a->cols, k = e % a->cols;
            memcpy(in + (base + k * a->rows + j) * a->size, c->ub + a->from + (base + e) * a->size, a->size);
        }
    }
    bool all = bits_all(c->ub_valid, a->from, total);
    if (all)
        bits_fill(c->ub_valid, a->to, total, true);
    else if (a->to != a->from) /* ASSUMED of one matrix onto itself: what is not known stays where it is */
        for (uint32_t e = 0; e < a->n * a->rows * a->cols; e++) {
            uint32_t one = a->rows * a->cols, i = e / one, j = e % one / a->cols, k = e % a->cols;
            bits_fill(c->ub_valid, a->to + (i * one + k * a->rows + j) * a->size, a->size, bits_all(c->ub_valid, a->from + e * a->size, a->size));
        }
    memcpy(c->ub + a->to, in, total);
    ub_wrote(c, a->to, total);
    if (a->work_bytes) bits_fill(c->ub_valid, a->work, a->work_bytes, false);
    free(in);
}

static void transpose(Core *c, const OwLocal *d, const OwLocal *s, Transposed a)
{
    Place to, from;
    uint64_t total = (uint64_t)a.n * a.rows * a.cols * a.size;
    if (!local_place(c, d, "dst", ISA_BLOCK_BYTES, &to) || !local_place(c, s, "src", ISA_BLOCK_BYTES, &from) || total == 0) return;
    if (local_clip(c, &from, "src", false, 0, total) < total || local_clip(c, &to, "dst", true, 0, total) < total) return;
    a.to = to.addr;
    a.from = from.addr;
    const Access acc[] = {ub_read(a.from, total), ub_write(a.to, total), ub_write(a.work, a.work_bytes)};
    issue(c, PIPE_V, run_transpose, &a, sizeof a, acc, a.work_bytes ? 3 : 2);
}

void ow_transpose_16(uint32_t type, const OwLocal *d, const OwLocal *s, OwLoc loc)
{
    Core *c = core_enter("Transpose", loc);
    Transposed a = {.size = (uint32_t)dtype_info(dtype_of(type))->size_bytes, .n = 1, .rows = 16, .cols = 16};
    transpose(c, d, s, a);
}

/* kind: TransposeType. HW: Transpose page, forms with TransposeParamsExt; implementation: other kinds do nothing. */
void ow_transpose_ext(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *tmp, const uint32_t nchw[4], uint32_t kind, OwLoc loc)
{
    enum { ND2ND_B16 = 10, NCHW2NHWC = 11, NHWC2NCHW = 12 };
    Core *c = core_enter("Transpose", loc);
    uint32_t n = nchw[0], ch = nchw[1], hw = nchw[2] * nchw[3], size = (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    if (kind == ND2ND_B16) {
        if (nchw[2] == 16 && nchw[3] == 16) transpose(c, d, s, (Transposed){.size = size, .n = 1, .rows = 16, .cols = 16});
        return;
    }
    if (kind != NCHW2NHWC && kind != NHWC2NCHW) {
        sim_report(c, CHK_ID_NOT_MODELLED, "this TransposeType");
        return;
    }
    if (n == 0 || ch == 0 || hw == 0) return;
    if (hw * size % ISA_BLOCK_BYTES || ch > 4095 || hw > 4095) {
        sim_report(c, CHK_ID_TRANSPOSE, LL(ch), LL(hw), LL(hw * size));
        return;
    }
    uint32_t h0 = size == 1 ? 32 : 16, w0 = ISA_BLOCK_BYTES / size;
    uint64_t want = (uint64_t)(kind == NCHW2NHWC ? ch + 2 : 2 * ch + 1) * h0 * w0 * size;
    Place work;
    if (ch == 1) want = 0; /* HW: implementation: a plain copy */
    if (want) {
        if (!local_place(c, tmp, "sharedTmpBuffer", ISA_BLOCK_BYTES, &work)) return;
        if (tmp->len_bytes < want) sim_report(c, CHK_ID_ADV_TMP, "Transpose", LL(want), LL(tmp->len_bytes));
        if (local_clip(c, &work, "sharedTmpBuffer", true, 0, want) < want) return;
    }
    transpose(c, d, s, (Transposed){.size = size, .n = n, .rows = kind == NCHW2NHWC ? ch : hw, .cols = kind == NCHW2NHWC ? hw : ch,
                                    .work = want ? work.addr : 0, .work_bytes = (uint32_t)want});
}
