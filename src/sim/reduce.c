/* Reductions. Sums are binary trees of neighbours within a repeat, each addition rounded to the type; the count form adds
 * the repeats' sums one after the other. HW: ReduceRepeat and ReduceSum pages. */
#include "sim/trace.h"
#include "sim/vec_int.h"

#include <stdlib.h>
#include <string.h>

enum { LANES = 128, SUM = 0, MAX = 1, MIN = 2, WHOLE = 0, BLOCK = 1, PAIR = 2 };

/* The lanes of one repeat. */
typedef struct RepeatLanes {
    float v[LANES];
    bool on[LANES];
    bool valid;
} RepeatLanes;

typedef struct Source {
    Place p;
    DType type;
    uint32_t size, per_block, lanes, blk, rep;
    uint32_t repeat;             /* repeat form */
    uint64_t mask[2], last_mask[2]; /* of every repeat, and of the last one: Counter mode leaves a tail */
} Source;

static float load(const Core *c, const Source *s, uint32_t at)
{
    if (s->type == DTYPE_F32) {
        float f;
        memcpy(&f, c->ub + at, 4);
        return f;
    }
    uint16_t h;
    memcpy(&h, c->ub + at, 2);
    return f16_to_f32(h);
}

static float rounded(const Source *s, float v)
{
    return s->type == DTYPE_F16 ? f16_to_f32(f16_from_f32(v)) : v;
}

static void fetch_repeat(const Core *c, const Source *s, uint32_t r, const uint64_t mask[2], RepeatLanes *out)
{
    out->valid = true;
    for (uint32_t l = 0; l < s->lanes; l++) {
        out->on[l] = mask[l / 64] >> (l % 64) & 1;
        out->v[l] = 0.0f;
        if (!out->on[l]) continue;
        uint32_t at = s->p.addr + ISA_BLOCK_BYTES * (r * s->rep + l / s->per_block * s->blk) + l % s->per_block * s->size;
        out->v[l] = load(c, s, at);
        if (!bits_all(c->ub_valid, at, s->size)) out->valid = false;
    }
}

/* Lanes that are off add nothing. ASSUMED: the tree keeps its shape, with 0 in their place. */
static float tree_sum(const Source *s, const float *v, uint32_t n)
{
    float t[LANES];
    memcpy(t, v, n * sizeof *t);
    for (; n > 1; n /= 2)
        for (uint32_t i = 0; i < n / 2; i++) t[i] = rounded(s, t[2 * i] + t[2 * i + 1]);
    return t[0];
}

static bool any_on(const RepeatLanes *l, uint32_t from, uint32_t n)
{
    for (uint32_t i = from; i < from + n; i++)
        if (l->on[i]) return true;
    return false;
}

/* Best of the lanes that are on, the first of equals. NaN: ASSUMED to win, as in Max. */
static uint32_t best_lane(const RepeatLanes *l, uint32_t kind, uint32_t from, uint32_t n)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = from; i < from + n; i++) {
        if (!l->on[i]) continue;
        if (best == UINT32_MAX || (kind == MAX ? l->v[i] > l->v[best] : l->v[i] < l->v[best]) ||
            (l->v[i] != l->v[i] && l->v[best] == l->v[best]))
            best = i;
    }
    return best;
}

/* element: which of the results it is. */
static void put(Core *c, DType t, uint64_t element, uint32_t at, float v, bool valid)
{
    dtype_store(t, c->ub + at, 0, (double)v);
    size_t size = dtype_info(t)->size_bytes;
    bits_fill(c->ub_valid, at, size, valid);
    ub_wrote(c, at, (uint32_t)size);
    watch_ub(c, t, element, at, 1);
}

static void put_index(Core *c, DType t, uint32_t at, uint32_t index, bool valid)
{
    size_t size = dtype_info(t)->size_bytes;
    memcpy(c->ub + at, &index, size);
    bits_fill(c->ub_valid, at, size, valid);
    ub_wrote(c, at, (uint32_t)size);
}

/* Bytes from the start of a repeat to the end of its last active lane. */
static uint64_t repeat_bytes(const Source *s, const uint64_t mask[2])
{
    uint32_t last = 0;
    for (uint32_t l = 0; l < s->lanes; l++)
        if (mask[l / 64] >> (l % 64) & 1) last = l;
    return ISA_BLOCK_BYTES * (uint64_t)(last / s->per_block * s->blk) + (last % s->per_block + 1) * s->size;
}

static void fetch(const Core *c, const Source *s, uint32_t r, RepeatLanes *out)
{
    fetch_repeat(c, s, r, r + 1 == s->repeat ? s->last_mask : s->mask, out);
}

/* Source under the repeat form's fields, checked. any_repeat: HW: ReduceSum, ReduceMax and ReduceMin split repeats above
 * 255 themselves. False: skip. */
static bool open_source(Core *c, DType t, const OwLocal *s, const OwRepeat *r, bool any_repeat, Source *out)
{
    VecOp op = {.id = INSN_ReduceSum, .insn = insn_info(INSN_ReduceSum)};
    vec_operand(&op, "src", s, t, false);
    OwRepeat fields = *r;
    fields.dst_blk = r->src_blk[0]; /* the one operand stands where dst would */
    fields.dst_rep = r->src_rep[0];
    bool more = any_repeat && !c->counter_mode && r->repeat > 255 && r->repeat <= 1u << 20; /* more is no number of repeats */
    if (more) fields.repeat = 255;
    if (!vec_shape_repeat(c, &op, &fields)) return false;
    if (!local_place(c, s, "src", ISA_BLOCK_BYTES, &op.o[0].p)) return false;
    const uint64_t *last_mask = op.shape.has_tail ? op.shape.tail_mask : op.shape.mask;
    *out = (Source){.p = op.o[0].p, .type = t, .size = op.o[0].size, .per_block = op.o[0].per_block, .lanes = op.shape.lanes,
                    .blk = op.o[0].blk, .rep = op.o[0].rep, .repeat = more ? r->repeat : op.shape.repeat, .mask = {op.shape.mask[0], op.shape.mask[1]},
                    .last_mask = {last_mask[0], last_mask[1]}};
    uint64_t span = repeat_bytes(out, last_mask) + ISA_BLOCK_BYTES * (uint64_t)(out->repeat - 1) * out->rep;
    if (out->repeat > 1) {
        uint64_t full = repeat_bytes(out, out->mask) + ISA_BLOCK_BYTES * (uint64_t)(out->repeat - 2) * out->rep;
        if (full > span) span = full;
    }
    return local_clip(c, &out->p, "src", false, 0, span) == span;
}

typedef struct Total {
    float sum;
    float best;
    uint32_t index;
    bool any, valid;
} Total;

static void add_repeat(const Source *s, const RepeatLanes *l, uint32_t kind, uint32_t base, Total *t)
{
    t->valid &= l->valid;
    if (kind == SUM) {
        float part = tree_sum(s, l->v, s->lanes);
        t->sum = t->any ? rounded(s, t->sum + part) : part;
        t->any = true;
        return;
    }
    uint32_t best = best_lane(l, kind, 0, s->lanes);
    if (best == UINT32_MAX) return;
    float v = l->v[best];
    if (!t->any || (kind == MAX ? v > t->best : v < t->best) || (v != v && t->best == t->best)) {
        t->best = v;
        t->index = base + best;
    }
    t->any = true;
}

/* ---- WholeReduce, BlockReduce, PairReduce --------------------------------------------------------------------------- */

static void whole_result(Core *c, const Source *s, const Place *d, uint32_t kind, uint32_t order, uint32_t r, uint32_t dst_rep,
                         const RepeatLanes *l)
{
    enum { VALUE_INDEX, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
    if (kind == SUM) {
        put(c, s->type, r, d->addr + r * dst_rep * s->size, tree_sum(s, l->v, s->lanes), l->valid);
        return;
    }
    uint32_t best = best_lane(l, kind, 0, s->lanes);
    if (best == UINT32_MAX) return;
    uint32_t unit = order == ONLY_INDEX ? 4 : order == ONLY_VALUE ? s->size : 2 * s->size, at = d->addr + r * dst_rep * unit;
    if (order == VALUE_INDEX || order == ONLY_VALUE) put(c, s->type, r, at, l->v[best], l->valid);
    if (order == INDEX_VALUE) put(c, s->type, r, at + s->size, l->v[best], l->valid);
    DType index_type = s->type == DTYPE_F16 && order != ONLY_INDEX ? DTYPE_U16 : DTYPE_U32;
    if (order == VALUE_INDEX) put_index(c, index_type, at + s->size, best, l->valid);
    if (order == INDEX_VALUE || order == ONLY_INDEX) put_index(c, index_type, at, best, l->valid);
}

static void part_result(Core *c, const Source *s, const Place *d, uint32_t kind, uint32_t width, uint32_t r, uint32_t dst_rep,
                        const RepeatLanes *l)
{
    uint32_t n = s->lanes / width, base = d->addr + r * dst_rep * n * s->size;
    for (uint32_t i = 0; i < n; i++) {
        if (!any_on(l, i * width, width)) continue; /* HW: the destination element is kept */
        uint32_t best = kind == SUM ? 0 : best_lane(l, kind, i * width, width);
        float v = kind == SUM ? tree_sum(s, l->v + i * width, width) : l->v[best];
        put(c, s->type, (uint64_t)r * n + i, base + i * s->size, v, l->valid);
    }
}

typedef struct ReduceRep {
    Source src;
    Place dst;
    uint32_t kind, group, order, width, dst_rep;
} ReduceRep;

static bool is_contiguous(const Core *c, const Source *s) { return s->blk == 1 && s->rep == 8 && !(s->repeat && c->counter_mode); }

static void set_register(ReduceSpr *r, DType t, float value, uint32_t index, SprState state)
{
    *r = (ReduceSpr){.state = state, .type = t, .index = index};
    dtype_store(t, &r->value, 0, (double)value);
}

/* HW: GetReduceRepeatMaxMinSpr page: the best of all repeats, its index in the whole of the data, which must be contiguous. */
static void best_of_repeats(Core *c, const ReduceRep *a)
{
    Total total = {0};
    for (uint32_t i = 0; i < a->src.repeat; i++) {
        RepeatLanes l;
        fetch(c, &a->src, i, &l);
        add_repeat(&a->src, &l, a->kind, i * a->src.lanes, &total);
    }
    set_register(&c->best, a->src.type, total.best, total.index, is_contiguous(c, &a->src) ? SPR_WHOLE : SPR_UNDEFINED);
}

static void run_reduce_rep(Core *c, const void *args)
{
    const ReduceRep *a = args;
    if (a->group == WHOLE && a->kind != SUM) best_of_repeats(c, a);
    for (uint32_t i = 0; i < a->src.repeat; i++) {
        RepeatLanes l;
        fetch(c, &a->src, i, &l);
        if (a->group == WHOLE)
            whole_result(c, &a->src, &a->dst, a->kind, a->order, i, a->dst_rep, &l);
        else
            part_result(c, &a->src, &a->dst, a->kind, a->width, i, a->dst_rep, &l);
    }
}

/* Bytes of a source under the repeat form: the active lanes of each repeat, as rows. */
static Access source_read(const Source *s)
{
    const uint64_t *mask = s->repeat > 1 ? s->mask : s->last_mask;
    return (Access){.how = ACC_READ, .at = s->p.addr, .len = repeat_bytes(s, mask), .step = ISA_BLOCK_BYTES * s->rep, .n_rows = s->repeat};
}

void ow_reduce_rep(const char *api, uint32_t type, uint32_t kind, uint32_t group, const OwLocal *d, const OwLocal *s,
                   uint32_t order, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    Source src;
    Place dst;
    DType t = dtype_of(type);
    if (!open_source(c, t, s, r, false, &src) || !local_place(c, d, "dst", src.size, &dst)) return;
    uint32_t width = group == BLOCK ? src.per_block : 2;
    uint32_t unit = group == WHOLE ? (kind == SUM || order == 2 ? src.size : order == 3 ? 4 : 2 * src.size) : src.lanes / width * src.size;
    uint64_t span = ((uint64_t)(src.repeat - 1) * r->dst_rep + 1) * unit;
    if (local_clip(c, &dst, "dst", true, 0, span) < span) return;
    const ReduceRep a = {.src = src, .dst = dst, .kind = kind, .group = group, .order = order, .width = width, .dst_rep = r->dst_rep};
    const Access acc[] = {source_read(&src),
                          {.how = ACC_WRITE, .at = dst.addr, .len = unit, .step = (uint64_t)r->dst_rep * unit, .n_rows = src.repeat}};
    issue(c, PIPE_V, run_reduce_rep, &a, sizeof a, acc, 2);
}

/* ---- ReduceSum, ReduceMax, ReduceMin --------------------------------------------------------------------------------- */

static void prefix_mask(uint64_t n, uint64_t mask[2])
{
    mask[0] = n >= 64 ? ~0ull : (1ull << n) - 1;
    mask[1] = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
}

/* Count form: contiguous elements; the source stands like a repeat form of full repeats and a tail. */
static bool open_count(Core *c, DType t, const OwLocal *s, int64_t count, Source *src, uint64_t *n)
{
    if (count < 0) {
        sim_report(c, CHK_ID_COUNT_NEGATIVE, LL(count));
        return false;
    }
    uint32_t size = (uint32_t)dtype_info(t)->size_bytes;
    *src = (Source){.type = t, .size = size, .per_block = 32 / size, .lanes = ISA_REPEAT_BYTES / size, .blk = 1, .rep = 8};
    if (!local_place(c, s, "src", ISA_BLOCK_BYTES, &src->p)) return false;
    *n = local_clip(c, &src->p, "src", false, 0, (uint64_t)count * size) / size;
    return *n > 0;
}

static void reduce_count(Core *c, const Source *src, uint32_t kind, uint64_t n, Total *total)
{
    for (uint32_t r = 0; (uint64_t)r * src->lanes < n; r++) {
        uint64_t left = n - (uint64_t)r * src->lanes, mask[2];
        RepeatLanes l;
        prefix_mask(left, mask);
        fetch_repeat(c, src, r, mask, &l);
        add_repeat(src, &l, kind, r * src->lanes, total);
    }
}

/* Repeat form. A sum of repeats is again a tree: over the repeats' sums, a repeat of them at a time. */
static void reduce_repeats(Core *c, const Source *src, uint32_t kind, Total *total)
{
    uint32_t n = src->repeat;
    float *sums = calloc((size_t)n + LANES, sizeof *sums); /* lanes past the last repeat add nothing */
    if (!sums) abort();                                    /* as arenas do */
    for (uint32_t i = 0; i < n; i++) {
        RepeatLanes l;
        fetch(c, src, i, &l);
        add_repeat(src, &l, kind, i * src->rep * src->per_block, total);
        sums[i] = tree_sum(src, l.v, src->lanes);
    }
    do { /* sums of sums, a repeat of them at a time */
        uint32_t groups = (n + src->lanes - 1) / src->lanes;
        for (uint32_t i = 0; i < groups; i++) {
            float one = tree_sum(src, sums + i * src->lanes, src->lanes);
            memset(sums + i * src->lanes, 0, src->lanes * sizeof *sums);
            sums[i] = one;
        }
        n = groups;
    } while (n > 1);
    if (kind == SUM) total->sum = sums[0];
    free(sums);
}

/* What a reduction writes into sharedTmpBuffer. HW: ReduceSum, ReduceMax; ReduceSum by count does without. */
static uint32_t work_bytes(const Source *s, uint32_t kind, bool with_index, uint64_t n)
{
    uint64_t repeats = s->repeat ? s->repeat : n / s->lanes, block = ISA_BLOCK_BYTES / s->size;
    if (kind == SUM) return s->repeat ? (uint32_t)((repeats + block - 1) / block * block * s->size) : 0;
    uint64_t pairs = 2 * (repeats ? repeats : 1), all = (pairs + block - 1) / block * block;
    uint64_t second = 2 * ((pairs + s->lanes - 1) / s->lanes);
    if (with_index && repeats > 1) all += (second + block - 1) / block * block;
    if (with_index && second > 2) all += (2 * ((second + s->lanes - 1) / s->lanes) + block - 1) / block * block;
    return (uint32_t)(all * s->size);
}

typedef struct ReduceAll {
    Source src;
    Place dst;
    uint32_t kind;
    bool with_index;
    uint64_t n; /* elements of the count form; src.repeat is 0 there */
    uint32_t work, work_bytes; /* of sharedTmpBuffer: left undefined */
} ReduceAll;

static void run_reduce_all(Core *c, const void *args)
{
    const ReduceAll *a = args;
    Total total = {.valid = true};
    DType t = a->src.type;
    if (a->src.repeat)
        reduce_repeats(c, &a->src, a->kind, &total);
    else
        reduce_count(c, &a->src, a->kind, a->n, &total);
    bits_fill(c->ub_valid, a->work, a->work_bytes, false);
    put(c, t, 0, a->dst.addr, a->kind == SUM ? total.sum : total.best, total.valid);
    if (a->with_index) put_index(c, t == DTYPE_F16 ? DTYPE_U16 : DTYPE_U32, a->dst.addr + a->src.size, total.index, total.valid);
    set_register(a->kind == SUM ? &c->acc : &c->best, t, a->kind == SUM ? total.sum : total.best, total.index, 
                 a->kind != SUM ? (is_contiguous(c, &a->src) ? SPR_NO_INDEX : SPR_UNDEFINED) : a->src.repeat ? SPR_UNDEFINED : SPR_WHOLE);
    if (c->sim->options.trace && trace_begin(c)) {
        trace_ub(c, "dst", t, a->dst.addr, a->with_index ? 2 : 1);
        trace_ub(c, "src", t, a->src.p.addr, a->src.repeat ? a->src.repeat * (uint64_t)ISA_REPEAT_BYTES / a->src.size : a->n);
    }
}

void ow_reduce_all(const char *api, uint32_t type, uint32_t kind, const OwLocal *d, const OwLocal *s, const OwLocal *tmp,
                   uint32_t cal_index, uint32_t set_mask, int64_t count, const OwRepeat *r, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    ReduceAll a = {.kind = kind, .with_index = kind != SUM && cal_index};
    Place work;
    DType t = dtype_of(type);
    if (!r && !set_mask) count = (int64_t)c->mask[0]; /* Counter mode set by the caller */
    if (!local_place(c, tmp, "sharedTmpBuffer", ISA_BLOCK_BYTES, &work)) return;
    if (!(r ? open_source(c, t, s, r, true, &a.src) : open_count(c, t, s, count, &a.src, &a.n))) return;
    if (!local_place(c, d, "dst", a.src.size, &a.dst)) return;
    uint32_t want = a.src.size * (a.with_index ? 2 : 1);
    if (local_clip(c, &a.dst, "dst", true, 0, want) < want) return;
    a.work = work.addr;
    a.work_bytes = local_clip(c, &work, "sharedTmpBuffer", true, 0, work_bytes(&a.src, kind, a.with_index, a.n));
    const Access acc[] = {r ? source_read(&a.src) : ub_read(a.src.p.addr, a.n * a.src.size), ub_write(a.dst.addr, want),
                          ub_write(a.work, a.work_bytes)};
    if (a.with_index && t == DTYPE_F16 && (r ? (uint64_t)a.src.repeat * ISA_REPEAT_BYTES / 2 : a.n) > 65536)
        sim_report(c, CHK_ID_REDUCE_INDEX, LL(r ? (uint64_t)a.src.repeat * ISA_REPEAT_BYTES / 2 : a.n));
    issue(c, PIPE_V, run_reduce_all, &a, sizeof a, acc, a.work_bytes ? 3 : 2);
    reuse_note(c, a.src.p.addr, (r ? (uint64_t)a.src.repeat * ISA_REPEAT_BYTES : a.n * a.src.size), a.dst.addr);
    if (!r && set_mask) {
        c->counter_mode = false;
        c->mask[0] = c->mask[1] = ~0ull;
    }
}

/* NULL: the register holds what is asked for. */
static const char *spr_fault(const ReduceSpr *r, DType t, bool with_index, const char **zh)
{
    static const char *const TEXTS[][2] = {{"no reduction has set it", "尚无归约设置该寄存器"},
                                           {"the last reduction was in a form that leaves something else there", "最近一次归约的形式不会在其中留下该结果"},
                                           {"the last reduction was of another element type", "最近一次归约的数据类型不同"},
                                           {"ReduceMax and ReduceMin leave no valid index there", "ReduceMax、ReduceMin 不会在其中留下有效下标"}};
    int k = r->state == SPR_UNSET ? 0 : r->state == SPR_UNDEFINED ? 1 : r->type != t ? 2 : r->state == SPR_NO_INDEX && with_index ? 3 : -1;
    if (k < 0) return NULL;
    *zh = TEXTS[k][1];
    return TEXTS[k][0];
}

void ow_reduce_spr(uint32_t type, uint32_t kind, uint64_t *value, uint64_t *index, OwLoc loc)
{
    Core *c = core_enter(kind == SUM ? "GetReduceRepeatSumSpr" : "GetReduceRepeatMaxMinSpr", loc);
    vec_to_scalar(c);
    const ReduceSpr *r = kind == SUM ? &c->acc : &c->best;
    const char *zh, *fault = spr_fault(r, dtype_of(type), index != NULL, &zh);
    if (fault) sim_report(c, CHK_ID_REDUCE_SPR, c->api, fault, zh);
    *value = r->value;
    if (index) *index = r->index;
}
