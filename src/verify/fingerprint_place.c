/* Fingerprints in the places: which elements are wrong, against rows, tiles, blocks and 32 bytes. */
#include "base/strbuf.h"
#include "verify/fingerprint.h"

#define RUNS_MIN 3

/* Element slices as a launch of block_dim blocks cuts them most often: equal parts, the last one shorter. */
bool finger_cores(const Finger *f, FingerWords *w) {
    uint32_t blocks = f->in->block_dim;
    if (blocks < 2 || blocks > f->n || f->n_wrong == f->n) return false;
    size_t slice = (f->n + blocks - 1) / blocks, n_bad = 0;
    StrBuf sb;
    strbuf_init(&sb, f->arena);
    for (uint32_t b = 0; b < blocks; b++) {
        size_t from = b * slice, to = from + slice < f->n ? from + slice : f->n, wrong = 0;
        for (size_t i = from; i < to; i++) wrong += f->wrong[i];
        if (from >= to || wrong == 0) continue;
        if ((double)wrong < 0.9 * (double)(to - from)) return false;
        if (n_bad++ < 8) strbuf_printf(&sb, "%s%u", sb.n_bytes ? ", " : "", b);
    }
    if (n_bad == 0 || n_bad == blocks) return false;
    w->s[0] = arena_printf(f->arena, "%s%s", sb.text, n_bad > 8 ? ", ..." : "");
    w->s[1] = arena_printf(f->arena, "%u", blocks);
    return true;
}

bool finger_tail(const Finger *f, FingerWords *w) {
    if (f->last != f->n - 1 || f->first == 0 || (double)f->n_wrong < 0.9 * (double)(f->last - f->first + 1)) return false;
    if ((double)f->n_wrong > 0.6 * (double)f->n) return false;
    w->s[0] = arena_printf(f->arena, "%zu", f->first);
    w->s[1] = arena_printf(f->arena, "%zu", f->n);
    return true;
}

/* What a number of elements is: a row, a slice of a block, a tile or some, 32 bytes, 64 bytes, 256 bytes. */
static const char *name_length(const Finger *f, size_t length, bool zh) {
    size_t tail = 1, size = dtype_info(f->in->dtype)->size_bytes;
    for (size_t i = f->in->rank; i-- > 0;) {
        tail *= f->in->dims[i];
        if (tail == length && tail > 1) {
            size_t k = f->in->rank - i;
            if (k == 1) return zh ? "一行" : "one row";
            return arena_printf(f->arena, zh ? "最后 %zu 维" : "the last %zu dimensions", k);
        }
    }
    uint32_t blocks = f->in->block_dim;
    if (blocks > 1 && (f->n + blocks - 1) / blocks == length) return zh ? "一个核块的份额" : "the share of one block";
    size_t tile = f->in->tile, n_tiles = tile > 1 && length % tile == 0 ? length / tile : 0;
    if (n_tiles == 1) return zh ? "一个分块: 一次搬出的长度" : "one tile: what one copy stores";
    if (n_tiles > 1 && n_tiles <= 4) return arena_printf(f->arena, zh ? "%zu 个分块" : "%zu tiles, of what one copy stores", n_tiles);
    static const struct {
        size_t bytes;
        const char *en, *zh;
    } UNITS[] = {{32, "32 bytes, one block of UB", "32 字节, UB 的一个块"}, {64, "64 bytes, one cache line", "64 字节, 一个缓存行"}, {256, "256 bytes, one repeat", "256 字节, 一次重复"}};
    for (size_t i = 0; i < sizeof UNITS / sizeof UNITS[0]; i++)
        if (length * size == UNITS[i].bytes) return zh ? UNITS[i].zh : UNITS[i].en;
    return NULL;
}

/* Runs of wrong elements start at equal distances. */
bool finger_period(const Finger *f, FingerWords *w) {
    size_t n_runs = 0, start = 0, period = 0, shortest = 0, longest = 0, n_fit = 0;
    for (size_t i = f->first; i <= f->last; i++) {
        if (!f->wrong[i] || (i > 0 && f->wrong[i - 1])) continue;
        size_t end = i;
        while (end <= f->last && f->wrong[end]) end++;
        size_t length = end - i;
        if (n_runs == 1) period = i - start;
        if (n_runs >= 1) n_fit += i - start == period;
        if (n_runs == 0 || length < shortest) shortest = length;
        if (length > longest) longest = length;
        start = i;
        n_runs++;
    }
    if (n_runs < RUNS_MIN || period < 2 || (double)n_fit < 0.9 * (double)(n_runs - 1)) return false;
    for (int zh = 0; zh < 2; zh++) {
        const char *name = name_length(f, period, zh);
        const char *text = arena_printf(f->arena, zh ? "%zu 个元素%s%s%s" : "%zu elements%s%s%s", period, name ? (zh ? " (" : " (") : "", name ? name : "", name ? ")" : "");
        const char *runs = shortest == longest ? arena_printf(f->arena, zh ? ": 每段 %zu 个, 从第 %zu 个开始" : ": %zu in each, the first at %zu", shortest, f->first)
                                               : arena_printf(f->arena, zh ? ": 每段 %zu 到 %zu 个" : ": %zu to %zu in each", shortest, longest);
        (zh ? w->zh : w->s)[0] = text;
        (zh ? w->zh : w->s)[1] = runs;
    }
    return true;
}
