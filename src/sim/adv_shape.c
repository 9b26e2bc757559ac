/* Broadcast, Pad, UnPad and Transpose by scenes: bytes move, values stay. HW: pages of the tensor-transform API. */
#include "sim/adv_int.h"
#include "sim/adv_size.h"

enum { DST, SRC, CUBE = 16 };

static bool size_ok(AdvCall *a, const char *what, int64_t v) { return ADV_WANT(a, what, v, 1 <= v && v <= 196608); }
static void undefined(AdvCall *a, uint32_t t) { bits_fill(a->c->ub_valid, a->t[t].p.addr, a->t[t].n * a->t[t].size, false); }

/* ---- Broadcast: numbers dim, axis, the two sizes of dst, of src ----------------------------------------------------------- */

bool adv_plan_broadcast(AdvCall *a)
{
    const int64_t *n = a->in->n;
    int64_t dim = n[0], axis = n[1], dst0 = n[2], dst1 = n[3], src0 = n[4], src1 = n[5], row = dst1 * (int64_t)a->t[DST].size;
    if (!size_ok(a, "dstShape[0]", dst0) || !size_ok(a, "dstShape[1]", dst1) || !size_ok(a, "srcShape[0]", src0) || !size_ok(a, "srcShape[1]", src1))
        return false;
    bool equal = (src0 == dst0 && src1 == dst1) || src0 * src1 == 1;
    if (!equal && (!ADV_WANT(a, "dim", dim, dim == 2) || (axis && !(ADV_WANT(a, "srcShape[0]", src0, src0 == dst0) && ADV_WANT(a, "srcShape[1]", src1, src1 == 1))) ||
                   (!axis && !(ADV_WANT(a, "srcShape[1]", src1, src1 == dst1) && ADV_WANT(a, "srcShape[0]", src0, src0 == 1) &&
                               ADV_WANT(a, "dst row bytes", row, row % 32 == 0)))))
        return false;
    a->t[DST].n = (uint64_t)(dst0 * dst1);
    a->t[SRC].n = (uint64_t)(src0 * src1);
    a->tmp_bytes = adv_size_broadcast(a->t[SRC].n, (uint64_t)dst0, (uint64_t)dst1, a->t[DST].size, equal, (uint32_t)axis).min;
    return true;
}

void adv_run_broadcast(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t d0 = (uint64_t)n[2], d1 = (uint64_t)n[3], s0 = (uint64_t)n[4], s1 = (uint64_t)n[5];
    for (uint64_t i = 0; i < d0; i++) {
        if (s1 == d1) {
            adv_move(a, DST, i * d1, SRC, s0 == d0 ? i * d1 : 0, d1);
            continue;
        }
        for (uint64_t j = 0; j < d1; j++) adv_move(a, DST, i * d1 + j, SRC, s0 == d0 ? i : 0, 1);
    }
}

/* ---- Pad: numbers height, width, original width, left, right, value bits --------------------------------------------------- */

static bool in_blocks(const AdvCall *a) { return a->in->n[1] * (int64_t)a->t[SRC].size % ISA_BLOCK_BYTES == 0; }

bool adv_plan_pad(AdvCall *a)
{
    const int64_t *n = a->in->n;
    int64_t srcHeight = n[0], srcWidth = n[1], srcOriWidth = n[2], leftPad = n[3], rightPad = n[4], blockElems = ISA_BLOCK_BYTES / (int64_t)a->t[SRC].size;
    if (!size_ok(a, "srcHeight", srcHeight) || !size_ok(a, "srcWidth", srcWidth)) return false;
    if (in_blocks(a)) {
        if (!ADV_WANT(a, "srcOriWidth", srcOriWidth, srcOriWidth <= srcWidth && srcWidth - srcOriWidth < blockElems) ||
            !ADV_WANT(a, "rightPad", rightPad, rightPad <= srcWidth - srcOriWidth))
            return false;
        a->t[DST].n = (uint64_t)(srcHeight * srcWidth);
    } else {
        int64_t width = leftPad + srcWidth + rightPad, most = (int64_t)adv_align((uint64_t)srcWidth, (uint64_t)blockElems);
        if (!ADV_WANT(a, "leftPad + srcWidth + rightPad", width, width <= most)) return false;
        a->t[DST].n = (uint64_t)(srcHeight * width);
        a->tmp_bytes = 1024;
    }
    a->t[SRC].n = (uint64_t)(srcHeight * srcWidth);
    return true;
}

void adv_run_pad(AdvCall *a)
{
    const int64_t *n = a->in->n;
    uint64_t height = (uint64_t)n[0], width = (uint64_t)n[1], left = (uint64_t)n[3], right = (uint64_t)n[4], value = (uint64_t)n[5];
    bool whole = in_blocks(a);
    uint64_t pitch = whole ? width : left + width + right;
    for (uint64_t i = 0; i < height; i++) {
        uint64_t row = i * pitch;
        if (!whole) adv_put_bits(a, DST, row, value, left);
        adv_move(a, DST, row + (whole ? 0 : left), SRC, i * width, width);
        adv_put_bits(a, DST, row + (whole ? (uint64_t)n[2] : left + width), value, right);
    }
}

/* ---- UnPad: numbers height, width, right ------------------------------------------------------------------------------------- */

bool adv_plan_unpad(AdvCall *a)
{
    const int64_t *n = a->in->n;
    int64_t srcHeight = n[0], srcWidth = n[1], rightPad = n[2], blockElems = ISA_BLOCK_BYTES / (int64_t)a->t[SRC].size;
    if (!ADV_WANT(a, "srcHeight", srcHeight, 1 <= srcHeight && srcHeight <= 65535) || !size_ok(a, "srcWidth", srcWidth) ||
        !ADV_WANT(a, "srcWidth", srcWidth, srcWidth % blockElems == 0) || !ADV_WANT(a, "rightPad", rightPad, 0 < rightPad && rightPad < blockElems))
        return false;
    a->t[SRC].n = (uint64_t)(srcHeight * srcWidth);
    a->t[DST].n = (uint64_t)(srcHeight * (srcWidth - rightPad));
    return true;
}

void adv_run_unpad(AdvCall *a)
{
    uint64_t width = (uint64_t)a->in->n[1], keep = width - (uint64_t)a->in->n[2];
    for (uint64_t i = 0; i < (uint64_t)a->in->n[0]; i++) adv_move(a, DST, i * keep, SRC, i * width, keep);
}

/* ---- Transpose: numbers scene, B, N, S, H / N (or H, W in the last scene) ------------------------------------------------------ */

enum { SCENE_0213_ND = 1, SCENE_0213_NZ, SCENE_WITH_N_NZ, SCENE_WITH_N_ND, SCENE_WITHOUT_N_ND, SCENE_WITHOUT_N_NZ, SCENE_PLAIN };

typedef struct Heads {
    uint64_t b, n, s, d;    /* d: H / N */
    uint64_t s16, d1, h, h1; /* rows in whole fractals; fractals of d; N * d; fractals of h */
} Heads;

static Heads heads_of(const AdvCall *a)
{
    const int64_t *n = a->in->n;
    Heads h = {.b = (uint64_t)n[1], .n = (uint64_t)n[2], .s = (uint64_t)n[3], .d = (uint64_t)n[4]};
    h.s16 = adv_align(h.s, CUBE);
    h.d1 = adv_align(h.d, CUBE) / CUBE;
    h.h = h.n * h.d;
    h.h1 = adv_align(h.h, CUBE) / CUBE;
    return h;
}

bool adv_plan_transpose(AdvCall *a)
{
    const int64_t *v = a->in->n;
    int64_t scene = v[0];
    if (!ADV_WANT(a, "transposeType", scene, SCENE_0213_ND <= scene && scene <= SCENE_PLAIN)) return false;
    if (!size_ok(a, "shape[0]", v[1]) || !size_ok(a, "shape[1]", v[2])) return false;
    if (scene == SCENE_PLAIN) {
        int64_t height = v[1], width = v[2];
        if (!ADV_WANT(a, "height", height, height % 16 == 0) || !ADV_WANT(a, "width", width, width % 16 == 0)) return false;
        a->t[DST].n = a->t[SRC].n = (uint64_t)(height * width);
        return true;
    }
    if (!size_ok(a, "shape[2]", v[3]) || !size_ok(a, "shape[3]", v[4])) return false;
    int64_t N = v[2];
    if (scene == SCENE_0213_NZ && !ADV_WANT(a, "N", N, N % 16 == 0)) return false;
    Heads h = heads_of(a);
    uint64_t by_head = h.b * h.n * h.d1 * h.s16 * CUBE, by_row = h.b * h.h1 * h.s16 * CUBE;
    bool in = scene == SCENE_WITH_N_NZ || scene == SCENE_WITH_N_ND, out = scene == SCENE_WITHOUT_N_ND || scene == SCENE_WITHOUT_N_NZ;
    a->t[SRC].n = in ? by_row : by_head;
    a->t[DST].n = out ? by_row : by_head;
    a->tmp_bytes = (scene <= SCENE_0213_NZ ? 256u : 512u) * (uint64_t)a->t[SRC].size;
    return true;
}

static uint64_t nz_by_head(const Heads *h, uint64_t b, uint64_t n, uint64_t s, uint64_t d)
{
    return (((b * h->n + n) * h->d1 + d / CUBE) * h->s16 + s) * CUBE + d % CUBE;
}
static uint64_t nz_by_row(const Heads *h, uint64_t b, uint64_t n, uint64_t s, uint64_t d)
{
    uint64_t col = n * h->d + d;
    return ((b * h->h1 + col / CUBE) * h->s16 + s) * CUBE + col % CUBE;
}

static uint64_t to_of(int64_t scene, const Heads *h, uint64_t b, uint64_t n, uint64_t s, uint64_t d)
{
    switch (scene) {
    case SCENE_0213_ND: return ((b * h->s16 + s) * h->n + n) * h->d1 * CUBE + d;
    case SCENE_0213_NZ: return (((b * h->s16 + s) * h->d1 + d / CUBE) * h->n + n) * CUBE + d % CUBE;
    case SCENE_WITH_N_NZ: return nz_by_head(h, b, n, s, d);
    case SCENE_WITH_N_ND: return ((b * h->n + n) * h->s16 + s) * h->d1 * CUBE + d;
    case SCENE_WITHOUT_N_ND: return (b * h->s16 + s) * h->h1 * CUBE + n * h->d + d;
    default: return nz_by_row(h, b, n, s, d);
    }
}

/* Padding of heads and rows holds anything afterwards. */
static void run_heads(AdvCall *a)
{
    Heads h = heads_of(a);
    int64_t scene = a->in->n[0];
    bool by_row = scene == SCENE_WITH_N_NZ || scene == SCENE_WITH_N_ND;
    undefined(a, DST);
    for (uint64_t b = 0; b < h.b; b++)
        for (uint64_t n = 0; n < h.n; n++)
            for (uint64_t s = 0; s < h.s; s++)
                for (uint64_t d = 0; d < h.d; d++)
                    adv_move(a, DST, to_of(scene, &h, b, n, s, d), SRC, by_row ? nz_by_row(&h, b, n, s, d) : nz_by_head(&h, b, n, s, d), 1);
}

void adv_run_transpose(AdvCall *a)
{
    uint64_t height = (uint64_t)a->in->n[1], width = (uint64_t)a->in->n[2];
    if (a->in->n[0] != SCENE_PLAIN) {
        run_heads(a);
        return;
    }
    for (uint64_t i = 0; i < height; i++)
        for (uint64_t j = 0; j < width; j++) adv_move(a, DST, j * height + i, SRC, i * width + j, 1);
}
