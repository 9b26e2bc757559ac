/* Sort32 and MrgSort: sorting by score, highest first, of records of 8 bytes: the score (half or float) first, its index in
 * the last four bytes. HW: Sort32, MrgSort and GetMrgSortResult pages. */
#include "sim/vec_int.h"

#include <string.h>

enum { RECORD = 8, PER_SORT = 32, QUEUES = 4 };

static float score_at(const uint8_t *p, DType t)
{
    if (t == DTYPE_F32) {
        float f;
        memcpy(&f, p, 4);
        return f;
    }
    uint16_t h;
    memcpy(&h, p, 2);
    return f16_to_f32(h);
}

/* a comes before b. HW: NaN is not described; ASSUMED: it is greater than any number. */
static bool above(float a, float b)
{
    return a > b || (a != a && b == b);
}

/* ---- Sort32 ------------------------------------------------------------------------------------------------------------ */

typedef struct Sort {
    uint32_t to, score, index, size, repeat;
    DType type;
} Sort;

static void sort_one(Core *c, const Sort *a, uint32_t r)
{
    uint32_t score = a->score + r * PER_SORT * a->size, index = a->index + r * PER_SORT * 4, to = a->to + r * PER_SORT * RECORD;
    uint8_t out[PER_SORT * RECORD] = {0}; /* ASSUMED: the unused bytes of half records are 0 */
    uint32_t order[PER_SORT];
    bool known = bits_all(c->ub_valid, score, PER_SORT * a->size), index_known[PER_SORT];
    for (uint32_t i = 0; i < PER_SORT; i++) { /* insertion: equal scores stay in order */
        float v = score_at(c->ub + score + i * a->size, a->type);
        uint32_t k = i;
        for (; k > 0 && above(v, score_at(c->ub + score + order[k - 1] * a->size, a->type)); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    for (uint32_t k = 0; k < PER_SORT; k++) {
        memcpy(out + k * RECORD, c->ub + score + order[k] * a->size, a->size);
        memcpy(out + k * RECORD + 4, c->ub + index + order[k] * 4, 4);
        index_known[k] = bits_all(c->ub_valid, index + order[k] * 4, 4);
    }
    memcpy(c->ub + to, out, sizeof out);
    for (uint32_t k = 0; k < PER_SORT; k++) {
        bits_fill(c->ub_valid, to + k * RECORD, 4, known);
        bits_fill(c->ub_valid, to + k * RECORD + 4, 4, known && index_known[k]);
    }
    ub_wrote(c, to, sizeof out);
}

static void run_sort(Core *c, const void *args)
{
    const Sort *a = args;
    for (uint32_t r = 0; r < a->repeat; r++) sort_one(c, a, r);
}

void ow_sort32(uint32_t type, const OwLocal *d, const OwLocal *score, const OwLocal *index, uint32_t repeat, OwLoc loc)
{
    Core *c = core_enter("Sort32", loc);
    Sort a = {.type = dtype_of(type), .size = (uint32_t)dtype_info(dtype_of(type))->size_bytes};
    Place pd, ps, pi;
    if (repeat > 255) sim_report(c, CHK_ID_REPEAT_LIMIT, LL(repeat), LL(repeat & 255));
    a.repeat = repeat & 255;
    if (!local_place(c, d, "dst", ISA_BLOCK_BYTES, &pd) || !local_place(c, score, "src0", ISA_BLOCK_BYTES, &ps) ||
        !local_place(c, index, "src1", ISA_BLOCK_BYTES, &pi) || a.repeat == 0)
        return;
    uint32_t n = a.repeat * PER_SORT;
    if (local_clip(c, &ps, "src0", false, 0, n * a.size) < n * a.size || local_clip(c, &pi, "src1", false, 0, n * 4) < n * 4 ||
        local_clip(c, &pd, "dst", true, 0, n * RECORD) < n * RECORD)
        return;
    a.to = pd.addr, a.score = ps.addr, a.index = pi.addr;
    const Access acc[] = {ub_read(a.score, n * a.size), ub_read(a.index, n * 4), ub_write(a.to, n * RECORD)};
    issue(c, PIPE_V, run_sort, &a, sizeof a, acc, 3);
}

/* ---- MrgSort ----------------------------------------------------------------------------------------------------------- */

typedef struct Merge {
    uint32_t to, from[QUEUES], len[QUEUES], n, repeat;
    bool suspend;
    DType type;
} Merge;

static bool is_done(const Merge *a, const uint32_t *taken)
{
    uint32_t empty = 0;
    for (uint32_t q = 0; q < a->n; q++) empty += taken[q] == a->len[q];
    return a->suspend ? empty > 0 : empty == a->n;
}

/* Merges one repeat, which starts off_bytes into sources and destination. Of equal scores the lower queue comes first. */
static void merge_one(Core *c, const Merge *a, uint32_t off_bytes, uint32_t taken[QUEUES])
{
    uint32_t to = a->to + off_bytes, from = to;
    bool known = true;
    memset(taken, 0, QUEUES * sizeof *taken);
    for (; !is_done(a, taken); to += RECORD) {
        uint32_t best = QUEUES, best_at = 0;
        for (uint32_t q = 0; q < a->n; q++) {
            if (taken[q] == a->len[q]) continue;
            uint32_t at = a->from[q] + off_bytes + taken[q] * RECORD;
            known = known && bits_all(c->ub_valid, at, dtype_info(a->type)->size_bytes);
            if (best == QUEUES || above(score_at(c->ub + at, a->type), score_at(c->ub + best_at, a->type))) best = q, best_at = at;
        }
        taken[best]++;
        memcpy(c->ub + to, c->ub + best_at, RECORD);
        if (known)
            bits_copy(c->ub_valid, to, c->ub_valid, best_at, RECORD);
        else
            bits_fill(c->ub_valid, to, RECORD, false);
    }
    ub_wrote(c, from, to - from);
}

static void run_merge(Core *c, const void *args)
{
    const Merge *a = args;
    uint32_t total = 0, taken[QUEUES] = {0};
    for (uint32_t q = 0; q < a->n; q++) total += a->len[q];
    for (uint32_t r = 0; r < a->repeat; r++) merge_one(c, a, r * total * RECORD, taken);
    for (uint32_t q = 0; q < QUEUES; q++) c->mrg_taken[q] = (uint16_t)taken[q];
}

static bool merge_args(Core *c, const uint16_t len[QUEUES], uint32_t valid, bool suspend, uint32_t repeat, Merge *a)
{
    bool same = len[0] == len[1] && len[1] == len[2] && len[2] == len[3];
    const char *why = valid != 3 && valid != 7 && valid != 15 ? "validBit is not 3, 7 or 15" : NULL;
    const char *why_zh = why ? "validBit 不是 3、7 或 15" : NULL;
    a->n = valid == 3 ? 2 : valid == 7 ? 3 : 4;
    for (uint32_t q = 0; q < a->n && !why; q++) {
        a->len[q] = len[q];
        if (len[q] > 4095) why = "a queue is longer than 4095 records", why_zh = "某个队列超过 4095 条记录";
    }
    if (!why && repeat > 1 && (!same || valid != 15 || suspend))
        why = "several repeats need four queues of one length, and no suspension", why_zh = "多次重复要求四个队列等长且不使用耗尽暂停";
    if (why) sim_report(c, CHK_ID_MRG_SORT, why, why_zh);
    return !why && repeat > 0;
}

void ow_mrg_sort(uint32_t type, const OwLocal *d, const OwLocal src[4], const uint16_t len[4], uint32_t suspend, uint32_t valid,
                 uint32_t repeat, OwLoc loc)
{
    static const char *const roles[QUEUES] = {"src1", "src2", "src3", "src4"};
    Core *c = core_enter("MrgSort", loc);
    Merge a = {.type = dtype_of(type), .suspend = suspend, .repeat = repeat};
    if (!merge_args(c, len, valid, suspend, repeat, &a)) return;
    Access acc[QUEUES + 1];
    uint64_t total = 0;
    for (uint32_t q = 0; q < a.n; q++) total += (uint64_t)a.len[q] * RECORD;
    for (uint32_t q = 0; q < a.n; q++) {
        Place p;
        uint64_t one = (uint64_t)a.len[q] * RECORD, span = one ? (a.repeat - 1) * total + one : 0;
        if (!local_place(c, &src[q], roles[q], RECORD, &p) || local_clip(c, &p, roles[q], false, 0, span) < span) return;
        a.from[q] = p.addr;
        acc[q] = (Access){.how = ACC_READ, .at = p.addr, .len = one, .step = total, .n_rows = one ? a.repeat : 0};
    }
    Place to;
    if (!local_place(c, d, "dst", ISA_BLOCK_BYTES, &to) || local_clip(c, &to, "dst", true, 0, total * a.repeat) < total * a.repeat) return;
    a.to = to.addr;
    for (uint32_t q = 0; q < a.n; q++)
        if (a.len[q] && a.to < a.from[q] + a.len[q] * RECORD && a.from[q] < a.to + total * a.repeat) {
            sim_report(c, CHK_ID_OVERLAP, LL(a.to), LL(a.to + total * a.repeat - 1), roles[q], LL(a.from[q]), LL(a.from[q] + a.len[q] * RECORD - 1));
            return;
        }
    acc[a.n] = ub_write(a.to, total * a.repeat);
    issue(c, PIPE_V, run_merge, &a, sizeof a, acc, a.n + 1);
}

void ow_mrg_result(uint16_t taken[4], OwLoc loc)
{
    Core *c = core_enter("GetMrgSortResult", loc);
    vec_to_scalar(c);
    memcpy(taken, c->mrg_taken, sizeof c->mrg_taken);
}
