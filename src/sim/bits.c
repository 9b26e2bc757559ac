/* Bit sets over bytes of memory, a word at a time. Ranges are [from, from + n). */
#include "sim/sim_int.h"

#include <string.h>

static uint64_t ones(size_t lo, size_t hi) /* bits lo..hi-1 of a word, hi <= 64 */
{
    uint64_t high = hi == 64 ? ~0ull : (1ull << hi) - 1;
    return high & ~((1ull << lo) - 1);
}

bool bits_all(const uint64_t *w, size_t from, size_t n)
{
    if (n == 0) return true;
    size_t end = from + n, i = from / 64, last = (end - 1) / 64;
    if (i == last) {
        uint64_t m = ones(from % 64, end - i * 64);
        return (w[i] & m) == m;
    }
    if (~w[i] & ones(from % 64, 64)) return false;
    uint64_t all = ~0ull;
    for (i++; i < last; i++) all &= w[i];
    uint64_t m = ones(0, end - last * 64);
    return all == ~0ull && (w[last] & m) == m;
}

size_t bits_count(const uint64_t *w, size_t from, size_t n)
{
    size_t total = 0;
    for (size_t at = from, end = from + n; at < end;) {
        size_t stop = (at / 64 + 1) * 64;
        if (stop > end) stop = end;
        total += (size_t)__builtin_popcountll(w[at / 64] & ones(at % 64, stop - at / 64 * 64));
        at = stop;
    }
    return total;
}

void bits_fill(uint64_t *w, size_t from, size_t n, bool value)
{
    if (n == 0) return;
    size_t end = from + n, i = from / 64, last = (end - 1) / 64;
    for (; i <= last; i++) {
        size_t lo = i == from / 64 ? from % 64 : 0, hi = i == last ? end - last * 64 : 64;
        uint64_t m = ones(lo, hi);
        w[i] = value ? w[i] | m : w[i] & ~m;
    }
}

bool bits_get(const uint64_t *w, size_t i)
{
    return w[i / 64] >> (i % 64) & 1;
}

size_t bits_find(const uint64_t *w, size_t from, size_t end, bool value)
{
    while (from < end) {
        uint64_t word = (value ? w[from / 64] : ~w[from / 64]) >> (from % 64);
        if (word) {
            from += (size_t)__builtin_ctzll(word);
            return from < end ? from : end;
        }
        from = (from / 64 + 1) * 64;
    }
    return end;
}

void bits_copy(uint64_t *dst, size_t to, const uint64_t *src, size_t from, size_t n)
{
    while (n) {
        size_t at = from;
        bool v = bits_get(src, at);
        size_t stop = bits_find(src, at, from + n, !v);
        bits_fill(dst, to, stop - at, v);
        to += stop - at;
        n -= stop - at;
        from = stop;
    }
}

void poison_fill(uint8_t *p, size_t n, size_t phase)
{
    const uint16_t even = POISON16, odd = (uint16_t)(POISON16 << 8 | POISON16 >> 8);
    const uint64_t word = 0x0001000100010001ull * (phase & 1 ? odd : even);
    size_t i = 0;
    for (; i + sizeof word <= n; i += sizeof word) memcpy(p + i, &word, sizeof word);
    for (; i < n; i++) p[i] = (uint8_t)((phase + i) & 1 ? POISON16 >> 8 : POISON16 & 0xff);
}
