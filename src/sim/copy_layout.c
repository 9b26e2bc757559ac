/* DataCopy forms that the device's headers make out of several plain copies: slices, ND to NZ, NZ to ND. HW: their pages;
 * where a page and the headers' code differ the card does what the code says. */
#include "sim/sim_int.h"

/* ---- slices ------------------------------------------------------------------------------------------------------------- */

enum { MAX_DIMS = 8 };

/* Element at which piece `k` of the slice begins: pieces go through the dimensions above the first, the second fastest. */
static uint64_t piece_at(const OwSlice *s, uint32_t dims, uint64_t k)
{
    uint64_t at = s[0].start, size = 1;
    for (uint32_t i = 1; i < dims; i++) {
        size *= s[i - 1].shape;
        uint64_t n = ((uint64_t)s[i].end - s[i].start + 1 + s[i].stride) / (1 + (uint64_t)s[i].stride);
        if (n == 0) n = 1;
        at += (s[i].start + k % n * (1 + (uint64_t)s[i].stride)) * size;
        k /= n;
    }
    return at;
}

static uint64_t n_pieces(const OwSlice *s, uint32_t dims)
{
    uint64_t n = 1;
    for (uint32_t i = 1; i < dims; i++) n *= ((uint64_t)s[i].end - s[i].start + 1 + s[i].stride) / (1 + (uint64_t)s[i].stride);
    return n;
}

static bool slice_ok(Core *c, const OwSlice *src, uint32_t dims, uint64_t per_block)
{
    uint64_t one = src[0].burst * per_block + src[0].stride, len = (uint64_t)src[0].end - src[0].start + 1 + src[0].stride;
    bool ok = dims >= 1 && dims <= MAX_DIMS && src[0].burst > 0 && src[0].end >= src[0].start && len % one == 0;
    for (uint32_t i = 0; i < dims && ok; i++) ok = src[i].end < src[i].shape && src[i].start <= src[i].end;
    if (!ok) sim_report(c, CHK_ID_SLICE, LL(src[0].start), LL(src[0].end), LL(src[0].burst * per_block), LL(src[0].stride));
    return ok;
}

void ow_copy_slice(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, const OwSlice *on_gm, const OwSlice *on_ub,
                   uint32_t dims, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    const OwSlice *src = to_gm ? on_ub : on_gm;
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes, per_block = ISA_BLOCK_BYTES / size;
    if (!slice_ok(c, src, dims, per_block)) return;
    uint32_t count = (uint32_t)(((uint64_t)src[0].end - src[0].start + 1 + src[0].stride) / (src[0].burst * per_block + src[0].stride));
    uint32_t gm_bytes = on_gm[0].stride * size, ub_gap = on_ub[0].stride * size / ISA_BLOCK_BYTES;
    uint64_t n = n_pieces(src, dims);
    for (uint64_t k = 0; k < n; k++) {
        OwGlobal g = *gm;
        OwLocal u = *ub;
        g.addr = (void *)((uintptr_t)gm->addr + piece_at(on_gm, dims, k) * size);
        u.addr += (uint32_t)(piece_at(on_ub, dims, k) * size);
        if (gm_bytes % ISA_BLOCK_BYTES == 0) {
            uint32_t gap = gm_bytes / ISA_BLOCK_BYTES;
            ow_copy_blocks(type, to_gm, &g, &u, count, src[0].burst, to_gm ? ub_gap : gap, to_gm ? gap : ub_gap, loc);
        } else {
            OwPad p = {.count = count, .len_bytes = src[0].burst * ISA_BLOCK_BYTES, .src_gap = to_gm ? ub_gap : gm_bytes,
                       .dst_gap = to_gm ? gm_bytes : ub_gap, .ext = 1};
            ow_copy_pad(type, to_gm, &g, &u, &p, loc);
        }
    }
}

/* ---- ND to NZ ------------------------------------------------------------------------------------------------------------ */

enum { ROWS_AT_ONCE = 255 };

/* The columns of one C0 group, in pieces of 255 rows. */
static void copy_group(uint32_t type, const OwGlobal *gm, const OwLocal *ub, const OwNd2Nz *p, uint32_t size, uint32_t c0, uint32_t group, OwLoc loc)
{
    uint32_t left = p->d - group * c0, n = left < c0 ? left : c0, row_bytes = c0 * size;
    /* HW: implementation: float rows are 64 bytes, a short one is filled up by whole blocks */
    uint32_t gap = size == 4 && n < c0 ? (c0 - n) * size / ISA_BLOCK_BYTES : size == 4 ? p->dst_n - 2 : 0;
    for (uint32_t row = 0; row < p->n; row += ROWS_AT_ONCE) {
        OwGlobal g = *gm;
        OwLocal u = *ub;
        g.addr = (void *)((uintptr_t)gm->addr + ((uint64_t)group * c0 + (uint64_t)row * p->src_d) * size);
        u.addr += group * p->dst_c0 * ISA_BLOCK_BYTES + row * row_bytes;
        OwPad pad = {.count = p->n - row < ROWS_AT_ONCE ? p->n - row : ROWS_AT_ONCE, .len_bytes = n * size, .src_gap = ((int64_t)p->src_d - n) * size,
                     .dst_gap = gap, .ext = 1};
        ow_copy_pad(type, 0, &g, &u, &pad, loc);
    }
}

/* What the page says and what the device's code does agree on: one matrix, rows that follow each other. */
static bool nd2nz_known(const OwNd2Nz *p, uint32_t size)
{
    bool one = p->matrices <= 1 && p->src_matrix == 0 && p->dst_matrix == 0;
    bool rows = size == 4 ? p->dst_n == 2 : p->dst_n == 1;
    return one && rows && p->src_d >= p->d && (p->n < ROWS_AT_ONCE || p->src_d == p->d);
}

void ow_copy_nd2nz(uint32_t type, const OwGlobal *gm, const OwLocal *ub, const OwNd2Nz *p, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes, c0 = size == 4 ? 16 : ISA_BLOCK_BYTES / size;
    if (p->matrices == 0 || p->n == 0 || p->d == 0) return;
    if (!nd2nz_known(p, size)) {
        sim_report(c, CHK_ID_NOT_MODELLED, "DataCopy with Nd2NzParams where the documentation and the device's code differ");
        return;
    }
    for (uint32_t group = 0; group * c0 < p->d; group++) copy_group(type, gm, ub, p, size, c0, group, loc);
}

/* ---- NZ to ND ------------------------------------------------------------------------------------------------------------ */

enum { FRACTAL = 16, BLOCKS_AT_ONCE = 4095 };

static void store_group(uint32_t type, const OwGlobal *gm, const OwLocal *ub, const OwNz2Nd *p, uint32_t size, uint32_t group, OwLoc loc)
{
    for (uint32_t row = 0; row < p->n; row += BLOCKS_AT_ONCE) {
        OwGlobal g = *gm;
        OwLocal u = *ub;
        g.addr = (void *)((uintptr_t)gm->addr + ((uint64_t)group * FRACTAL + (uint64_t)row * p->dst_d) * size);
        u.addr += (group * p->src_n * FRACTAL + row * FRACTAL) * size;
        OwPad pad = {.count = p->n - row < BLOCKS_AT_ONCE ? p->n - row : BLOCKS_AT_ONCE, .len_bytes = FRACTAL * size,
                     .dst_gap = ((int64_t)p->dst_d - FRACTAL) * size, .ext = 1};
        ow_copy_pad(type, 1, &g, &u, &pad, loc);
    }
}

void ow_copy_nz2nd(uint32_t type, const OwGlobal *gm, const OwLocal *ub, const OwNz2Nd *p, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    if (p->d % FRACTAL || p->dst_d < FRACTAL) {
        sim_report(c, CHK_ID_NZ2ND, LL(p->d), LL(p->dst_d));
        return;
    }
    for (uint32_t m = 0; m < p->matrices; m++) {
        OwGlobal g = *gm;
        OwLocal u = *ub;
        g.addr = (void *)((uintptr_t)gm->addr + (uint64_t)m * p->dst_matrix * size);
        u.addr += m * p->src_matrix * FRACTAL * FRACTAL * size;
        for (uint32_t group = 0; group * FRACTAL < p->d; group++) store_group(type, &g, &u, p, size, group, loc);
    }
}
