/* Sort, Extract and TopK: records of 8 bytes, the score (half or float) first, its index in the last four.
 * HW: pages of the sort API; order as Sort32 has it: highest first, equal scores by place. */
#include "sim/adv_int.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 32, RECORD_BYTES = 8 };

typedef struct Entry {
    float score;
    uint32_t index;
    uint64_t place; /* in the input: equal scores keep their order */
    bool known;
} Entry;

/* HW: NaN comes first, whichever way TopK goes. */
static int by_score(const void *x, const void *y)
{
    const Entry *a = x, *b = y;
    bool an = a->score != a->score, bn = b->score != b->score;
    if (an != bn) return an ? -1 : 1;
    if (!an && a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

/* ---- Sort: numbers repeatTime, isFullSort ------------------------------------------------------------------------------ */

enum { S_DST, S_SRC, S_INDEX };

bool adv_plan_sort(AdvCall *a)
{
    int64_t repeatTime = a->in->n[0];
    if (!ADV_WANT(a, "repeatTime", repeatTime, 0 <= repeatTime && repeatTime <= 255) || repeatTime == 0) return false;
    uint64_t n = (uint64_t)repeatTime * GROUP;
    a->t[S_SRC].n = a->t[S_INDEX].n = n;
    a->t[S_DST].n = n * RECORD_BYTES / a->t[S_DST].size;
    a->tmp_bytes = a->in->n[1] && repeatTime > 1 ? n * RECORD_BYTES : 0;
    return true;
}

static void put_record(AdvCall *a, uint64_t at, const Entry *e)
{
    uint32_t per = RECORD_BYTES / a->t[S_DST].size, addr = a->t[S_DST].p.addr + (uint32_t)at * RECORD_BYTES;
    adv_put(a, S_DST, at * per, &e->score, 1, e->known);
    memcpy(a->c->ub + addr + 4, &e->index, 4);
    bits_fill(a->c->ub_valid, addr + a->t[S_DST].size, RECORD_BYTES - a->t[S_DST].size, e->known);
    ub_wrote(a->c, addr, RECORD_BYTES);
}

void adv_run_sort(AdvCall *a)
{
    uint64_t n = a->t[S_SRC].n, group = a->in->n[1] ? n : GROUP;
    Entry *e = arena_array(a->arena, n, sizeof *e);
    for (uint64_t i = 0; i < n; i++) {
        e[i].known = adv_get(a, S_SRC, i, &e[i].score, 1) && adv_valid(a, S_INDEX, i, 1);
        e[i].index = (uint32_t)adv_get_int(a, S_INDEX, i);
        e[i].place = i;
    }
    for (uint64_t i = 0; i < n; i += group) qsort(e + i, group, sizeof *e, by_score);
    for (uint64_t i = 0; i < n; i++) put_record(a, i, &e[i]);
}

/* ---- Extract: number repeatTime ------------------------------------------------------------------------------------------ */

enum { E_VALUE, E_INDEX, E_SORTED };

bool adv_plan_extract(AdvCall *a)
{
    int64_t repeatTime = a->in->n[0];
    if (!ADV_WANT(a, "repeatTime", repeatTime, 0 <= repeatTime && repeatTime <= 255) || repeatTime == 0) return false;
    uint64_t n = (uint64_t)repeatTime * GROUP;
    a->t[E_VALUE].n = a->t[E_INDEX].n = n;
    a->t[E_SORTED].n = n * RECORD_BYTES / a->t[E_SORTED].size;
    return true;
}

void adv_run_extract(AdvCall *a)
{
    uint64_t n = a->t[E_VALUE].n;
    uint32_t per = RECORD_BYTES / a->t[E_SORTED].size;
    Core *c = a->c;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t from = a->t[E_SORTED].p.addr + (uint32_t)i * RECORD_BYTES + 4, to = a->t[E_INDEX].p.addr + (uint32_t)i * 4;
        adv_move(a, E_VALUE, i, E_SORTED, i * per, 1);
        memcpy(c->ub + to, c->ub + from, 4);
        bits_copy(c->ub_valid, to, c->ub_valid, from, 4);
        ub_wrote(c, to, 4);
    }
}

/* ---- TopK ------------------------------------------------------------------------------------------------------------------ */

enum { T_VALUE, T_INDEX, T_SRC, T_SRC_INDEX, T_FINISH };
enum { N_K, N_OUTTER, N_INNER, N_N, N_INIT, N_FINISH, N_SMALL, N_LARGEST };

bool adv_plan_topk(AdvCall *a)
{
    const int64_t *v = a->in->n;
    int64_t k = v[N_K], outter = v[N_OUTTER], inner = v[N_INNER], n = v[N_N];
    if (!ADV_WANT(a, "outter", outter, 1 <= outter && outter <= 196608) || !ADV_WANT(a, "inner", inner, 32 <= inner && inner <= 4096 && inner % 32 == 0) ||
        !ADV_WANT(a, "n", n, 1 <= n && n <= inner) || !ADV_WANT(a, "k", k, 1 <= k && k <= n))
        return false;
    if (v[N_SMALL] && !ADV_WANT(a, "inner", inner, inner == 32)) return false;
    uint64_t per = ISA_BLOCK_BYTES / a->t[T_VALUE].size, rows = (uint64_t)outter, uk = (uint64_t)k;
    uint64_t value_pitch = v[N_SMALL] ? uk : adv_align(uk, per), index_pitch = v[N_SMALL] ? uk : adv_align(uk, 8);
    a->t[T_SRC].n = rows * (uint64_t)inner;
    a->t[T_VALUE].n = (rows - 1) * value_pitch + uk;
    a->t[T_INDEX].n = (rows - 1) * index_pitch + uk;
    a->t[T_SRC_INDEX].given = v[N_INIT] != 0;
    a->t[T_SRC_INDEX].n = v[N_SMALL] ? a->t[T_SRC].n : (uint64_t)inner;
    a->t[T_FINISH].given = v[N_FINISH] != 0;
    a->t[T_FINISH].n = rows;
    uint64_t extra = v[N_INIT] ? 0 : 4, all = a->t[T_SRC].n;
    a->tmp_bytes = v[N_SMALL] ? 8 * all + 64 + (v[N_LARGEST] ? 0 : 4 * all) + extra * all : (16 + extra) * (uint64_t)inner;
    return true;
}

static void topk_row(AdvCall *a, uint64_t row, Entry *e)
{
    const int64_t *v = a->in->n;
    uint64_t inner = (uint64_t)v[N_INNER], k = (uint64_t)v[N_K], per = ISA_BLOCK_BYTES / a->t[T_VALUE].size;
    uint64_t values = row * (v[N_SMALL] ? k : adv_align(k, per)), indices = row * (v[N_SMALL] ? k : adv_align(k, 8));
    float sign = v[N_LARGEST] ? 1.0f : -1.0f;
    bool finished = v[N_FINISH] && !v[N_SMALL] && adv_get_int(a, T_FINISH, row) != 0;
    for (uint64_t i = 0; i < inner; i++) {
        bool ok = adv_get(a, T_SRC, row * inner + i, &e[i].score, 1);
        uint64_t at = v[N_SMALL] ? row * inner + i : i;
        e[i].score *= sign;
        e[i].index = v[N_INIT] ? (uint32_t)adv_get_int(a, T_SRC_INDEX, at) : (uint32_t)i;
        e[i].known = ok && (!v[N_INIT] || adv_valid(a, T_SRC_INDEX, at, 1));
        e[i].place = i;
    }
    qsort(e, inner, sizeof *e, by_score);
    for (uint64_t i = 0; i < k; i++) {
        float x = e[i].score * sign;
        adv_put(a, T_VALUE, values + i, &x, 1, e[i].known);
        adv_put_int(a, T_INDEX, indices + i, finished ? v[N_N] : (int64_t)e[i].index, e[i].known);
    }
}

void adv_run_topk(AdvCall *a)
{
    Entry *e = arena_array(a->arena, (size_t)a->in->n[N_INNER], sizeof *e);
    for (uint64_t row = 0; row < (uint64_t)a->in->n[N_OUTTER]; row++) topk_row(a, row, e);
}
