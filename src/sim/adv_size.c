/* HW: pages of the Get...MaxMinTmpSize helpers and their implementation for the 2201 architecture. */
#include "sim/adv_size.h"

enum { BLOCK = 32, REPEAT = 256, HALF = 2 };

static uint64_t up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }
static AdvSize both(uint64_t n) { return (AdvSize){n, n}; }

/* The largest power of two <= n; half of it when that is n itself and `split`. */
static uint64_t fold(uint64_t n, bool split)
{
    uint64_t k = 1;
    while (k * 2 <= n) k *= 2;
    return k == n && split && k > 1 ? k / 2 : k;
}

static AdvSize reduce_ar(AdvReduceKind kind, uint64_t first, uint64_t last, uint32_t size)
{
    uint64_t k = fold(last, first > 1), block = BLOCK / size, repeat = REPEAT / size;
    if (kind == ADV_REDUCE_SUM) return both(last <= 64 ? 0 : first * k * size);
    if (kind == ADV_REDUCE_PROD) return both((larger(8, k) + first * 8) * size + REPEAT);
    if (kind == ADV_REDUCE_LOGIC && size == 1) return both(up(last, BLOCK) * HALF + first * BLOCK);
    return both(last <= block ? 0 : last < repeat ? first * BLOCK : first * REPEAT);
}

AdvSize adv_size_reduce(AdvReduceKind kind, uint64_t first, uint64_t last, uint32_t type_size, bool is_ra, bool reuse)
{
    bool wide = kind == ADV_REDUCE_LOGIC && type_size == 1 && !is_ra; /* goes through half whatever may be reused */
    if (reuse && !wide) return both(kind == ADV_REDUCE_PROD && !is_ra ? REPEAT : 0);
    return is_ra ? both(fold(first, true) * up(last * type_size, BLOCK)) : reduce_ar(kind, first, last, type_size);
}

AdvSize adv_size_sum(uint64_t n, uint32_t type_size, uint32_t acc_size)
{
    if (type_size == acc_size) {
        uint64_t repeats = up(n * type_size, REPEAT) / REPEAT;
        return both(up(repeats * type_size, BLOCK));
    }
    uint64_t repeats = up(n * acc_size, REPEAT) / REPEAT; /* the row itself is widened too */
    return both(up(repeats * acc_size, BLOCK) + up(n * type_size, BLOCK) / type_size * acc_size);
}

/* HW: Mean's helper counts the partial sums as bytes: it answers less than the routine writes. */
AdvSize adv_size_mean(uint64_t n, uint32_t type_size, uint32_t acc_size)
{
    uint64_t repeats = up(n * acc_size, REPEAT) / REPEAT;
    return both(up(repeats, BLOCK) + (type_size == acc_size ? 0 : up(n * type_size, BLOCK) / type_size * acc_size));
}

AdvSize adv_size_cumsum(uint64_t outer, uint64_t inner, uint32_t type_size, bool is_last_axis)
{
    if (!is_last_axis) return both(type_size == HALF ? outer * inner * 4 : 0);
    uint64_t row = inner * type_size * 2 + (type_size == HALF ? inner * 2 : 0);
    return (AdvSize){up(outer, 16) * row, 16 * row};
}

AdvSize adv_size_broadcast(uint64_t src_n, uint64_t d0, uint64_t d1, uint32_t type_size, bool equal, uint32_t axis)
{
    uint64_t cast = type_size == 1 ? HALF * (up(src_n, 16) + up(d0 * d1, 16)) : 0, size = type_size == 1 ? HALF : type_size;
    if (equal) return both(type_size == 1 ? cast + BLOCK : 0);
    if (axis == 0) return both(BLOCK + cast);
    uint64_t block = BLOCK / size, row = up(d1 * size, BLOCK);
    AdvSize s = {up(d0, 8) * BLOCK + cast, block * BLOCK + cast};
    if (d1 * size % BLOCK != 0) {
        s.max += d0 * row;
        s.min += block * row;
    }
    return s;
}

AdvSize adv_size_select(uint64_t src_n, uint32_t mask_size, bool compacts)
{
    uint64_t pass = src_n < 4096 ? src_n : 4096, extra = compacts ? up(src_n * mask_size, BLOCK) : 0;
    return (AdvSize){larger(1024, up(src_n, BLOCK) * HALF + 512) + extra, larger(1024, up(pass, BLOCK) * HALF + 512) + extra};
}

AdvSize adv_size_antiquant(uint64_t src_k, uint64_t src_n, uint64_t scale_n, bool transposed, bool to_bf16)
{
    if (!to_bf16) return both(0);
    if (scale_n == 1) return (AdvSize){4 * src_k * src_n, 1024};
    return both(transposed ? 320 * scale_n : 8 * scale_n + 256 * src_k);
}

AdvSize adv_size_transdata(bool to_blocks, bool is_z3d, uint64_t n, uint64_t c, uint64_t d, uint64_t h, uint64_t w)
{
    uint64_t pixels = up(h * w, 16), c1 = up(c, 16), n1 = up(n, 16);
    if (!is_z3d) return both(HALF * d * (to_blocks ? pixels * (1 + c1) : c1 * pixels + 256));
    if (to_blocks) return both(HALF * larger(c * d * pixels, d * h * w * n1) + HALF * n1 * d * c1 * pixels);
    return both(HALF * n1 * c1 * d * pixels * (n % 16 || c % 16 ? 2 : 1));
}
