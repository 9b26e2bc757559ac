/* From the arguments of a vector call to the elements it touches, and the checks that hold for every instruction. */
#include "sim/trace.h"
#include "sim/vec_int.h"

#include <assert.h>
#include <string.h>

void vec_operand(VecOp *op, const char *role, const OwLocal *t, DType type, bool write)
{
    uint32_t size = (uint32_t)dtype_info(type)->size_bytes;
    op->o[op->n++] = (Operand){.role = role, .t = t, .type = type, .size = size, .per_block = ISA_BLOCK_BYTES / size,
                               .blk = 1, .rep = 8, .write = write};
}

static uint64_t bytes_of(const Operand *o, uint64_t n)
{
    return n * o->size >> o->nibble;
}

/* Elements of one block are followed at once by those of the next. */
static bool blocks_join(const Operand *o)
{
    return o->blk == 1 && bytes_of(o, o->per_block) == ISA_BLOCK_BYTES;
}

/* Lanes of a repeat: 256 bytes of the widest operand. */
static uint32_t lanes_of(const VecOp *op)
{
    uint32_t size = 1;
    for (uint32_t i = 0; i < op->n; i++)
        if (op->o[i].size > size) size = op->o[i].size;
    return ISA_REPEAT_BYTES / size;
}

bool vec_shape_count(Core *c, VecOp *op, int64_t count)
{
    c->counter_mode = false; /* HW: count form: ends in Normal mode with MASK all ones */
    c->mask[0] = c->mask[1] = ~0ull;
    if (count < 0) {
        sim_report(c, CHK_ID_COUNT_NEGATIVE, LL(count));
        return false;
    }
    op->shape = (Shape){.contiguous = true, .count = (uint64_t)count, .lanes = lanes_of(op)};
    return count > 0;
}

static uint32_t field(Core *c, const char *name, uint32_t v, uint32_t limit)
{
    if (v <= limit) return v;
    sim_report(c, CHK_ID_STRIDE_LIMIT, name, LL(v), LL(limit), LL(v & limit));
    return v & limit;
}

static void set_strides(Core *c, VecOp *op, const OwRepeat *r)
{
    bool copy = op->id == INSN_Copy, reduce = op->insn->form == FORM_REDUCE; /* HW: reduction pages: both up to 65535 */
    uint32_t blk_limit = copy || op->n < 3 ? 65535 : 255, rep_limit = copy ? 4095 : reduce ? 65535 : 255;
    for (uint32_t i = 0; i < op->n; i++) {
        Operand *o = &op->o[i];
        uint32_t blk = i == 0 ? r->dst_blk : r->src_blk[i - 1], rep = i == 0 ? r->dst_rep : r->src_rep[i - 1];
        o->blk = field(c, i == 0 ? "dstBlkStride" : "srcBlkStride", blk, blk_limit);
        o->rep = field(c, i == 0 ? "dstRepStride" : "srcRepStride", rep, rep_limit);
    }
    if (op->o[0].write && op->o[0].blk == 0 && op->shape.lanes * op->o[0].size > ISA_BLOCK_BYTES) sim_report(c, CHK_ID_STRIDE_ZERO);
}

static void mask_of_count(uint64_t n, uint64_t mask[2])
{
    mask[0] = n >= 64 ? ~0ull : (1ull << n) - 1;
    mask[1] = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
}

/* The lanes the mask argument names; the MASK register keeps them. */
static void set_mask(Core *c, VecOp *op, const OwRepeat *r)
{
    Shape *s = &op->shape;
    if (r->mask_bits) {
        c->mask[0] = r->mask_bits[0];
        c->mask[1] = r->mask_bits[1];
        c->mask_form = MASK_FORM_ANY;
    } else {
        uint64_t n = r->mask_count;
        if (n > s->lanes) {
            sim_report(c, CHK_ID_MASK_LARGE, LL(n), LL(s->lanes));
            n = s->lanes;
        }
        mask_of_count(n == s->lanes ? 128 : n, c->mask);
        c->mask_form = MASK_FORM_ANY;
    }
}

/* The register was filled for the other mode; bits of a mask that would be more elements than UB has are one, too. */
static void check_mode(Core *c, const OwRepeat *r)
{
    bool too_many = r->set_mask && r->mask_bits && c->mask[0] > (uint64_t)c->ub_bytes * 8;
    bool all = c->mask[0] == ~0ull && c->mask[1] == ~0ull; /* ResetMask, and what library calls leave */
    if (c->counter_mode && (too_many || (c->mask_form == MASK_FORM_LANES && !all))) sim_report(c, CHK_ID_MASK_AS_COUNT, (unsigned long long)c->mask[0]);
    if (!c->counter_mode && c->mask_form == MASK_FORM_COUNT && !all) sim_report(c, CHK_ID_MASK_AS_LANES, (unsigned long long)c->mask[0]);
}

/* Counter mode: MASK holds the number of elements, the repeats follow from it. */
static bool shape_counter(Core *c, VecOp *op)
{
    Shape *s = &op->shape;
    uint64_t n = c->mask[0];
    if (n > (uint64_t)c->ub_bytes * 8) n = (uint64_t)c->ub_bytes * 8;
    s->repeat = (uint32_t)((n + s->lanes - 1) / s->lanes);
    mask_of_count(s->lanes, s->mask);
    s->has_tail = n % s->lanes != 0;
    mask_of_count(n % s->lanes, s->tail_mask);
    return n > 0;
}

bool vec_shape_counted(Core *c, VecOp *op, uint64_t count)
{
    op->shape = (Shape){.lanes = lanes_of(op)};
    c->mask[0] = count;
    bool any = shape_counter(c, op);
    c->counter_mode = false;
    c->mask_form = MASK_FORM_ANY;
    c->mask[0] = c->mask[1] = ~0ull;
    return any;
}

bool vec_shape_repeat(Core *c, VecOp *op, const OwRepeat *r)
{
    Shape *s = &op->shape;
    *s = (Shape){.repeat = r->repeat, .lanes = lanes_of(op)};
    if (r->repeat > 255) {
        sim_report(c, CHK_ID_REPEAT_LIMIT, LL(r->repeat), LL(r->repeat & 255));
        s->repeat = r->repeat & 255;
    }
    set_strides(c, op, r);
    if (r->set_mask) set_mask(c, op, r);
    check_mode(c, r);
    if (c->counter_mode) return shape_counter(c, op);
    s->mask[0] = c->mask[0];
    s->mask[1] = c->mask[1];
    uint64_t full[2];
    mask_of_count(s->lanes, full);
    bool high = (s->mask[0] & ~full[0]) || (s->mask[1] & ~full[1]);
    if (high && r->set_mask && r->mask_bits && !(s->mask[0] == ~0ull && s->mask[1] == ~0ull))
        sim_report(c, CHK_ID_MASK_HIGH, LL(s->lanes));
    s->mask[0] &= full[0];
    s->mask[1] &= full[1];
    return s->repeat > 0 && (s->mask[0] | s->mask[1]) != 0;
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static bool lane_on(const uint64_t mask[2], uint32_t lane)
{
    return mask[lane / 64] >> (lane % 64) & 1;
}

static uint32_t lane_offset(const Operand *o, uint32_t lane)
{
    return ISA_BLOCK_BYTES * (lane / o->per_block * o->blk) + o->off + (lane % o->per_block * o->size >> o->nibble);
}

/* Bytes from the first one on that the operand spans. */
static uint64_t span_of(const Operand *o, const Shape *s)
{
    if (s->contiguous) return bytes_of(o, s->count);
    uint64_t worst = 0;
    for (uint32_t lane = 0; lane < s->lanes; lane++) {
        if (!lane_on(s->mask, lane)) continue;
        bool in_last = !s->has_tail || lane_on(s->tail_mask, lane);
        uint32_t last = s->repeat - 1;
        if (!in_last && last == 0) continue;
        if (!in_last) last--;
        uint64_t end = (uint64_t)ISA_BLOCK_BYTES * o->rep * last + lane_offset(o, lane) + o->size;
        if (end > worst) worst = end;
    }
    return worst;
}

static bool same_layout(const Operand *a, const Operand *b, const Shape *s)
{
    return a->p.addr == b->p.addr && a->per_block == b->per_block && (s->contiguous || (a->blk == b->blk && a->rep == b->rep));
}

/* Blocks of repeat r of a against blocks of repeat q of b, as [start, end) of what the active lanes cover. */
static bool repeats_meet(const Operand *a, uint32_t r, const Operand *b, uint32_t q, const Shape *s, bool *exact)
{
    bool meet = false;
    *exact = true;
    for (uint32_t l = 0; l < s->lanes; l += a->per_block)
        for (uint32_t m = 0; m < s->lanes; m += b->per_block) {
            uint64_t pa = (uint64_t)a->p.addr + ISA_BLOCK_BYTES * ((uint64_t)r * a->rep + l / a->per_block * a->blk);
            uint64_t pb = (uint64_t)b->p.addr + ISA_BLOCK_BYTES * ((uint64_t)q * b->rep + m / b->per_block * b->blk);
            if (pa + ISA_BLOCK_BYTES <= pb || pb + ISA_BLOCK_BYTES <= pa) continue;
            meet = true;
            if (pa != pb || l != m || a->per_block != b->per_block) *exact = false;
        }
    return meet;
}

/* HW: operand overlap rule: within a repeat exactly the same or disjoint; dst of one repeat no source of the next, but for
 * accumulation into the second source. */
static void check_repeats(Core *c, const VecOp *op, const Operand *src, bool may_chain)
{
    const Operand *dst = &op->o[0];
    bool exact;
    for (uint32_t r = 0; r < op->shape.repeat; r++) {
        if (repeats_meet(dst, r, src, r, &op->shape, &exact) && !exact) {
            sim_report(c, CHK_ID_OVERLAP, LL(dst->p.addr), LL(dst->p.addr + 255), src->role, LL(src->p.addr),
                       LL(src->p.addr + 255));
            return;
        }
        bool next = r + 1 < op->shape.repeat && repeats_meet(dst, r, src, r + 1, &op->shape, &exact);
        if (next && !(may_chain && (src->rep == 0 || dst->rep == 0))) {
            sim_report(c, CHK_ID_OVERLAP_REPEAT, src->role);
            return;
        }
    }
}

static void check_overlap(Core *c, const VecOp *op, const uint64_t *span)
{
    const Operand *dst = &op->o[0];
    for (uint32_t i = 1; i < op->n; i++) {
        const Operand *src = &op->o[i];
        uint64_t d0 = dst->p.addr, d1 = d0 + span[0], s0 = src->p.addr, s1 = s0 + span[i];
        if (d1 <= s0 || s1 <= d0) continue;
        bool wider = dst->size > src->size;
        bool no_overlap = wider && (op->insn->checks & CHK_NO_WIDE_OVERLAP);
        if (!no_overlap && op->shape.contiguous && d0 == s0 && dst->size <= src->size) continue;
        if (!no_overlap && !op->shape.contiguous && same_layout(dst, src, &op->shape) && dst->rep > 0) continue;
        if (op->shape.contiguous || no_overlap)
            sim_report(c, CHK_ID_OVERLAP, LL(d0), LL(d1 - 1), src->role, LL(s0), LL(s1 - 1));
        else
            check_repeats(c, op, src, (op->insn->checks & CHK_CHAIN) && i == 2 && dst->type != DTYPE_I16);
    }
}

bool vec_check(Core *c, VecOp *op)
{
    Shape *s = &op->shape;
    uint64_t span[VEC_MAX_OPERANDS] = {0};
    uint32_t align = op->insn->checks & CHK_ALIGN32 ? ISA_BLOCK_BYTES : 1;
    bool ok = true;
    for (uint32_t i = 0; i < op->n; i++) ok &= local_place(c, op->o[i].t, op->o[i].role, align, &op->o[i].p);
    if (!ok) return false;
    for (uint32_t i = 0; i < op->n; i++) {
        Operand *o = &op->o[i];
        span[i] = span_of(o, s);
        uint32_t fits = local_clip(c, &o->p, o->role, o->write, 0, span[i]);
        if (fits == span[i]) continue;
        if (!s->contiguous) return false;
        uint64_t whole = ((uint64_t)fits << o->nibble) / o->size;
        if (whole < s->count) s->count = whole;
    }
    if (s->contiguous && s->count == 0) return false;
    if ((op->insn->checks & CHK_OVERLAP) && op->o[0].write && !c->sim->options.no_checks) check_overlap(c, op, span);
    return true;
}

/* ---- the walk ----------------------------------------------------------------------------------------------------- */

/* A repeat that is contiguous in every operand, with all lanes on, joins the next one. */
static bool dense(const VecOp *op)
{
    const Shape *s = &op->shape;
    if (s->has_tail) return false;
    for (uint32_t i = 0; i < op->n; i++) {
        const Operand *o = &op->o[i];
        uint64_t bytes = bytes_of(o, s->lanes);
        if ((bytes > ISA_BLOCK_BYTES && !blocks_join(o)) || o->rep * ISA_BLOCK_BYTES != bytes) return false;
    }
    uint64_t full[2];
    mask_of_count(s->lanes, full);
    return s->mask[0] == full[0] && s->mask[1] == full[1];
}

static void walk_repeat(Core *c, const VecOp *op, uint32_t r, const uint64_t mask[2], uint32_t step, VecRun *fn)
{
    const Shape *s = &op->shape;
    for (uint32_t lane = 0; lane < s->lanes;) {
        if (!lane_on(mask, lane)) {
            lane++;
            continue;
        }
        uint32_t stop = (lane / step + 1) * step, end = lane;
        while (end < stop && end < s->lanes && lane_on(mask, end)) end++;
        uint32_t addr[VEC_MAX_OPERANDS] = {0};
        for (uint32_t i = 0; i < op->n; i++)
            addr[i] = op->o[i].p.addr + ISA_BLOCK_BYTES * r * op->o[i].rep + lane_offset(&op->o[i], lane);
        fn(c, op, addr, (uint64_t)r * s->lanes + lane, end - lane);
        lane = end;
    }
}

static void walk(Core *c, const VecOp *op, VecRun *fn)
{
    const Shape *s = &op->shape;
    uint32_t addr[VEC_MAX_OPERANDS] = {0};
    for (uint32_t i = 0; i < op->n; i++) addr[i] = op->o[i].p.addr;
    if (s->contiguous || dense(op)) {
        fn(c, op, addr, 0, s->contiguous ? (uint32_t)s->count : s->repeat * s->lanes);
        return;
    }
    uint32_t step = s->lanes; /* lanes that follow each other in memory in every operand */
    for (uint32_t i = 0; i < op->n; i++)
        if (!blocks_join(&op->o[i]) && op->o[i].per_block < step) step = op->o[i].per_block;
    for (uint32_t r = 0; r < s->repeat; r++)
        walk_repeat(c, op, r, s->has_tail && r + 1 == s->repeat ? s->tail_mask : s->mask, step, fn);
}

/* ---- issue ---------------------------------------------------------------------------------------------------------- */

enum { MAX_BLOCKS = 16, MAX_ACCESSES = (VEC_MAX_OPERANDS + 1) * MAX_BLOCKS + 3, MAX_EXTRA_BYTES = 256 };

/* An operand's bytes: repeats of what lies between the first and the last active lane of one. Blocks that do not follow
 * each other are rows of their own. */
static uint32_t operand_access(const Operand *o, const Shape *s, uint32_t n_packed, Access *out)
{
    AccessHow how = o->write ? ACC_WRITE : ACC_READ;
    if (o->write && n_packed) {
        *out = ub_write(o->p.addr, n_packed);
        return 1;
    }
    if (s->contiguous) {
        *out = (Access){.how = how, .at = o->p.addr, .len = bytes_of(o, s->count), .n_rows = 1};
        return 1;
    }
    uint32_t first = 0, end = s->lanes, n = 0, per = blocks_join(o) ? s->lanes : o->per_block;
    while (first < end && !lane_on(s->mask, first)) first++;
    while (end > first && !lane_on(s->mask, end - 1)) end--;
    for (uint32_t lane = first; lane < end; lane = (lane / per + 1) * per) {
        uint32_t stop = (lane / per + 1) * per < end ? (lane / per + 1) * per : end;
        uint64_t len = (uint64_t)lane_offset(o, stop - 1) + o->size - lane_offset(o, lane), step = (uint64_t)ISA_BLOCK_BYTES * o->rep;
        out[n] = (Access){.how = how, .at = o->p.addr + lane_offset(o, lane), .len = len, .step = step, .n_rows = s->repeat};
        if (step == len || s->repeat == 1) out[n].len = len * s->repeat, out[n].n_rows = 1;
        n++;
    }
    return n;
}

typedef struct Issued {
    VecOp op;
    InsnInfo insn;
    VecRun *run;
    void (*whole)(Core *c, const VecOp *op);
    _Alignas(16) unsigned char extra[MAX_EXTRA_BYTES];
} Issued;

static void run_op(Core *c, const VecOp *op, VecRun *run, void (*whole)(Core *, const VecOp *))
{
    if (op->lost_bytes) bits_fill(c->ub_valid, op->lost_at, op->lost_bytes, false);
    if (run)
        walk(c, op, run);
    else
        whole(c, op);
    if (c->sim->options.watch) watch_vec(c, op);
    if (c->sim->options.trace && trace_begin(c))
        for (uint32_t i = 0; i < op->n; i++)
            trace_ub(c, op->o[i].role, op->o[i].type, op->o[i].p.addr,
                     (op->shape.contiguous ? op->shape.count : (uint64_t)op->shape.repeat * op->shape.lanes) >> op->o[i].nibble);
}

static void run_issued(Core *c, const void *args)
{
    const Issued *i = args;
    VecOp op = i->op;
    op.insn = &i->insn;
    op.extra = op.n_extra_bytes ? i->extra : NULL;
    run_op(c, &op, i->run, i->whole);
}

static void issue_op(Core *c, const VecOp *op, VecRun *run, void (*whole)(Core *, const VecOp *))
{
    Access acc[MAX_ACCESSES];
    uint32_t n = 0;
    for (uint32_t i = 1; i <= op->n; i++) n += operand_access(&op->o[i % op->n], &op->shape, op->n_packed, acc + n); /* dst last */
    if (op->insn->form == FORM_ACC || op->insn->form == FORM_ACC_SCALAR) {
        uint32_t at = n;
        n += operand_access(&op->o[0], &op->shape, 0, acc + n);
        for (; at < n; at++) acc[at].how = ACC_READ;
    }
    for (uint32_t i = 0; i < op->n_also; i++) acc[n++] = op->also[i];
    if (op->lost_bytes) acc[n++] = ub_write(op->lost_at, op->lost_bytes);
    if (issue_direct(c, PIPE_V, acc, n)) {
        run_op(c, op, run, whole);
        return;
    }
    Issued i = {.op = *op, .insn = *op->insn, .run = run, .whole = whole};
    assert((op->extra == NULL) == (op->n_extra_bytes == 0) && op->n_extra_bytes <= sizeof i.extra);
    if (op->n_extra_bytes) memcpy(i.extra, op->extra, op->n_extra_bytes);
    issue_later(c, PIPE_V, run_issued, &i, sizeof i, acc, n);
}

void vec_walk(Core *c, const VecOp *op, VecRun *fn)
{
    issue_op(c, op, fn, NULL);
}

void vec_issue(Core *c, const VecOp *op, void (*fn)(Core *c, const VecOp *op))
{
    issue_op(c, op, NULL, fn);
}

void vec_mark(Core *c, const VecOp *op, const uint32_t *addr, uint32_t n, bool reads_dst)
{
    const Operand *d = &op->o[0];
    if (c->sim->options.no_checks) {
        ub_wrote(c, addr[0], n * d->size);
        return;
    }
    bool all = !reads_dst || bits_all(c->ub_valid, addr[0], (size_t)n * d->size);
    for (uint32_t i = 1; i < op->n && all; i++) all = bits_all(c->ub_valid, addr[i], (size_t)n * op->o[i].size);
    ub_wrote(c, addr[0], n * d->size);
    if (all) {
        bits_fill(c->ub_valid, addr[0], (size_t)n * d->size, true);
        return;
    }
    uint32_t part = op->insn->checks & CHK_BITWISE ? d->size : 1; /* pieces of a lane that do not mix */
    for (uint32_t e = 0; e < n * part; e++) {
        uint32_t d_size = d->size / part;
        bool ok = !reads_dst || bits_all(c->ub_valid, addr[0] + e * d_size, d_size);
        for (uint32_t i = 1; i < op->n && ok; i++) {
            uint32_t size = op->o[i].size / part;
            ok = bits_all(c->ub_valid, addr[i] + e * size, size);
        }
        bits_fill(c->ub_valid, addr[0] + e * d_size, d_size, ok);
    }
}

void vec_to_scalar(Core *c)
{
    uint32_t event = event_between(PIPE_V, PIPE_S);
    issue_set(c, FLAGS_QUEUE, event, 0);
    issue_wait(c, FLAGS_QUEUE, event, 0);
}
