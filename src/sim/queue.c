/* TPipe, TQue, TBuf: allocation in UB, the states of buffers, and the 8 event ids that each pair of pipes has.
 * HW: TPipe and TQue pages; the ids as the implementation takes them: EnQue takes a forward id that DeQue gives back,
 * FreeTensor takes a backward id that the next AllocTensor of the same buffer gives back. */
#include "sim/sim_int.h"

#include <string.h>

enum { POS_GM = 0, POS_VECIN = 9, POS_VECOUT = 10, POS_VECCALC = 11 }; /* TPosition */
enum { EV_MTE2_V = 4, EV_V_MTE2, EV_MTE3_V, EV_V_MTE3, EV_MTE3_MTE2 = 19, EV_MTE2_MTE3 }; /* HardEvent */

static bool is_ub(uint32_t pos)
{
    return pos == POS_VECIN || pos == POS_VECOUT || pos == POS_VECCALC;
}

void ow_pipe_init(const void *pipe, OwLoc loc)
{
    Core *c = core_enter("TPipe", loc);
    (void)pipe;
    if (c->pipe_live) sim_report(c, CHK_ID_TPIPE_TWICE, loc_file(c->pipe_made), LL(c->pipe_made.line));
    c->pipe_live = true;
    c->pipe_made = c->loc;
    core_soc_init(c);
    c->ub_top = 0;
    c->n_bufs_before = c->n_bufs;
}

/* Waits for the buffers that were freed: their backward ids are free again. HW: TPipe, implementation. */
static void settle_events(Core *c)
{
    for (uint32_t b = 1; b <= c->n_bufs; b++) {
        Buf *buf = &c->bufs[b];
        if (buf->back >= 0) issue_wait(c, FLAGS_QUEUE, (uint32_t)c->ques[buf->que].backward, (uint32_t)buf->back);
        buf->back = -1;
    }
    memset(c->event_taken, 0, sizeof c->event_taken);
}

void ow_pipe_reset(const void *pipe, OwLoc loc)
{
    Core *c = core_enter("Reset", loc);
    (void)pipe;
    core_soc_init(c);
    c->ub_top = 0;
    c->n_bufs_before = c->n_bufs;
    settle_events(c);
}

void ow_pipe_destroy(const void *pipe, OwLoc loc)
{
    Core *c = core_enter("~TPipe", loc);
    (void)pipe;
    c->pipe_live = false;
    settle_events(c);
    issue_barrier_all(c);
}

/* ---- event ids -------------------------------------------------------------------------------------------------- */

/* An id of the queue's event, and its flag set on the source pipe. */
static int8_t take_event(Core *c, int16_t event)
{
    if (event < 0) return -1;
    for (int8_t i = 0; i < N_EVENT_IDS; i++)
        if (!(c->event_taken[event] >> i & 1)) {
            c->event_taken[event] |= (uint8_t)(1u << i);
            issue_set(c, FLAGS_QUEUE, (uint32_t)event, (uint32_t)i);
            return i;
        }
    sim_report(c, CHK_ID_QUE_EVENTS);
    core_kill(c);
}

/* The target pipe waits for it; the id is free again. */
static void give_event(Core *c, int16_t event, int8_t *id)
{
    if (event >= 0 && *id >= 0) {
        c->event_taken[event] &= (uint8_t) ~(1u << *id);
        issue_wait(c, FLAGS_QUEUE, (uint32_t)event, (uint32_t)*id);
    }
    *id = -1;
}

int32_t ow_event_alloc(uint32_t event, uint32_t keep, OwLoc loc)
{
    Core *c = core_enter(keep ? "AllocEventID" : "FetchEventID", loc);
    if (event >= N_EVENTS) return 0;
    for (int32_t i = 0; i < N_EVENT_IDS; i++)
        if (!(c->event_taken[event] >> i & 1)) {
            if (keep) c->event_taken[event] |= (uint8_t)(1u << i);
            return i;
        }
    sim_report(c, CHK_ID_EVENT_POOL, event_name(event));
    return 8; /* HW: AllocEventID page: the device gives 8, which is no id */
}

void ow_event_release(uint32_t event, int32_t id, OwLoc loc)
{
    Core *c = core_enter("ReleaseEventID", loc);
    if (event < N_EVENTS && id >= 0 && id < N_EVENT_IDS) c->event_taken[event] &= (uint8_t) ~(1u << id);
}

/* ---- InitBuffer -------------------------------------------------------------------------------------------------- */

static bool init_ok(Core *c, uint32_t pos, uint32_t n_bufs, uint32_t len_bytes)
{
    if (!c->pipe_live) sim_report(c, CHK_ID_NO_TPIPE);
    if (!is_ub(pos)) {
        sim_report(c, CHK_ID_NOT_MODELLED, "a queue or buffer outside VECIN, VECOUT and VECCALC");
        return false;
    }
    if (len_bytes == 0 || n_bufs == 0) {
        sim_report(c, CHK_ID_BUF_ZERO, n_bufs ? "len" : "num");
        return false;
    }
    uint32_t n_in_pipe = c->n_bufs - c->n_bufs_before + n_bufs;
    if (n_in_pipe > FRAMEWORK_BUFS) sim_report(c, CHK_ID_QUE_BUFFERS, LL(n_in_pipe), LL(FRAMEWORK_BUFS));
    return c->n_bufs + n_bufs <= MAX_BUFS && c->n_ques < MAX_QUES;
}

/* Bump allocation, lengths rounded up to 32 bytes. A buffer past the end of UB gets a place there all the same: only
 * touching it is an error. */
static uint32_t add_bufs(Core *c, uint32_t que, uint32_t pos, uint32_t n, uint32_t len_bytes)
{
    uint64_t len = ((uint64_t)len_bytes + 31) / 32 * 32;
    uint32_t first = c->n_bufs + 1, *free_at = c->pool ? &c->pool->top : &c->ub_top;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t top = *free_at + len;
        if (top > UINT32_MAX / 2) top = UINT32_MAX / 2;
        Buf *b = &c->bufs[++c->n_bufs];
        uint16_t gen = b->gen;
        *b = (Buf){.start = *free_at, .len = (uint32_t)(top - *free_at), .que = que, .gen = (uint16_t)(gen + 1),
                   .pos = (uint8_t)pos, .event = -1, .back = -1, .tag = -1, .pool = c->pool, .made = c->loc, .last = c->loc};
        b->tensor_bytes = b->len;
        *free_at = (uint32_t)top;
    }
    if (c->pool) {
        if (c->pool->top > c->pool->end) sim_report(c, CHK_ID_POOL_FULL, LL(c->pool->top - c->pool->start), LL(c->pool->end - c->pool->start));
        return first;
    }
    if (c->ub_top > c->ub_bytes) sim_report(c, CHK_ID_UB_CAPACITY, LL(c->ub_top), LL(c->ub_bytes));
    ledger_allocated(c);
    if (c->ub_top > c->sim->stats.ub_peak_bytes) c->sim->stats.ub_peak_bytes = c->ub_top;
    return first;
}

uint32_t ow_que_init(uint32_t src_pos, uint32_t dst_pos, int32_t depth, uint32_t n_bufs, uint32_t len_bytes, OwLoc loc)
{
    Core *c = core_enter("InitBuffer", loc);
    uint32_t pos = dst_pos == POS_GM ? src_pos : dst_pos;
    if (!init_ok(c, pos, n_bufs, len_bytes)) return 0;
    uint32_t id = ++c->n_ques;
    Que *q = &c->ques[id];
    *q = (Que){.src = (uint8_t)src_pos, .dst = (uint8_t)dst_pos, .pos = (uint8_t)pos, .depth = depth, .n_bufs = n_bufs,
               .forward = -1, .backward = -1, .made = c->loc};
    /* A queue between a position and itself (VECCALC) orders nothing. */
    if (src_pos == POS_GM) q->forward = EV_MTE2_V, q->backward = EV_V_MTE2;
    else if (dst_pos == POS_GM) q->forward = EV_V_MTE3, q->backward = EV_MTE3_V;
    else if (src_pos == POS_VECIN && dst_pos == POS_VECOUT) q->forward = EV_MTE2_MTE3, q->backward = EV_MTE3_MTE2;
    q->first = add_bufs(c, id, pos, n_bufs, len_bytes);
    return id;
}

uint32_t ow_tbuf_init(uint32_t pos, uint32_t len_bytes, OwLoc loc)
{
    Core *c = core_enter("InitBuffer", loc);
    return init_ok(c, pos, 1, len_bytes) ? add_bufs(c, 0, pos, 1, len_bytes) : 0;
}

/* ---- pools ------------------------------------------------------------------------------------------------------------- */

/* HW: TBufPool pages: a pool is a part of its parent, or has the place of another pool. */
void ow_pool_init(OwPool *pool, uint32_t pos, uint32_t len_bytes, OwPool *parent, const OwPool *share, OwLoc loc)
{
    Core *c = core_enter("InitBufPool", loc);
    if (!init_ok(c, pos, 1, len_bytes)) return;
    uint32_t len = (len_bytes + 31) / 32 * 32;
    if (share) {
        if (!share->ready) sim_report(c, CHK_ID_QUE_NO_INIT);
        if (len > share->end - share->start) sim_report(c, CHK_ID_POOL_FULL, LL(len), LL(share->end - share->start));
        *pool = (OwPool){.start = share->start, .end = share->end, .top = share->start, .ready = 1};
        return;
    }
    OwPool *before = c->pool;
    c->pool = parent;
    uint32_t at = c->bufs[add_bufs(c, 0, pos, 1, len_bytes)].start;
    c->n_bufs--; /* memory without a buffer of its own */
    c->pool = before;
    *pool = (OwPool){.start = at, .end = at + len, .top = at, .ready = 1};
}

void ow_pool_use(OwPool *pool, OwLoc loc)
{
    Core *c = core_enter("InitBuffer", loc);
    if (pool && !pool->ready) sim_report(c, CHK_ID_QUE_NO_INIT);
    c->pool = pool;
}

/* HW: TBufPool::Reset, and the implementation: the pool starts anew; what it gave out is not to be used. It waits for the buffers
 * that were freed, but does not give their event ids back: only TPipe::Reset does. */
void ow_pool_reset(OwPool *pool, OwLoc loc)
{
    Core *c = core_enter("Reset", loc);
    for (uint32_t i = 1; i <= c->n_bufs; i++) {
        Buf *b = &c->bufs[i];
        if (b->pool != pool) continue;
        if (b->back >= 0) issue_wait(c, FLAGS_QUEUE, (uint32_t)c->ques[b->que].backward, (uint32_t)b->back);
        b->back = -1;
        b->pool = NULL;
    }
    pool->top = pool->start;
}

void ow_que_place(uint32_t que, uint32_t i, uint32_t addr, uint32_t len_bytes, const OwPool *pool, OwLoc loc)
{
    Core *c = core_enter("InitBuffer", loc);
    if (que == 0 || que > c->n_ques || i >= c->ques[que].n_bufs) return;
    Buf *b = &c->bufs[c->ques[que].first + i];
    b->pool = pool;
    b->start = addr;
    b->len = b->tensor_bytes = len_bytes;
    if ((uint64_t)addr + len_bytes > c->ub_bytes) sim_report(c, CHK_ID_UB_CAPACITY, LL(addr) + len_bytes, LL(c->ub_bytes));
}

int32_t ow_buf_tag(const OwLocal *t, uint32_t set, int32_t tag, OwLoc loc)
{
    Core *c = core_enter(set ? "SetUserTag" : "GetUserTag", loc);
    if (t->buf == OW_BUF_RAW || t->buf > c->n_bufs) {
        sim_report(c, CHK_ID_NO_TENSOR, "the tensor");
        return -1;
    }
    if (set) c->bufs[t->buf].tag = tag;
    return c->bufs[t->buf].tag;
}

static OwLocal no_tensor(void)
{
    return (OwLocal){.buf = OW_BUF_NONE, .pos = POS_VECCALC};
}

static OwLocal tensor_of(Core *c, uint32_t buf)
{
    const Buf *b = &c->bufs[buf];
    return (OwLocal){.addr = b->start, .len_bytes = b->tensor_bytes, .buf = buf, .gen = b->gen, .pos = b->pos};
}

/* Get(len) writes the length into the shared descriptor: a later Get() sees it. HW: TBuf::Get, implementation. */
void ow_tbuf_get(const char *api, uint32_t tbuf, uint32_t len_bytes, uint32_t offset_bytes, OwLocal *out, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    *out = no_tensor();
    if (tbuf == 0 || tbuf > c->n_bufs) {
        sim_report(c, CHK_ID_QUE_NO_INIT);
        return;
    }
    Buf *b = &c->bufs[tbuf];
    if (len_bytes != UINT32_MAX) {
        if ((uint64_t)len_bytes + offset_bytes > b->len)
            sim_report(c, CHK_ID_TBUF_LEN, api, LL(len_bytes) + offset_bytes, LL(b->len));
        if (offset_bytes == 0) b->tensor_bytes = len_bytes;
    }
    *out = tensor_of(c, tbuf);
    out->addr += offset_bytes;
    if (len_bytes != UINT32_MAX) out->len_bytes = len_bytes;
}

/* HW: PopStackBuffer: what is left of UB; nothing is recorded as taken. */
void ow_stack_buffer(uint32_t pos, OwLocal *out, OwLoc loc)
{
    Core *c = core_enter("PopStackBuffer", loc);
    uint32_t end = c->ub_bytes - 256;
    *out = (OwLocal){.addr = c->ub_top, .len_bytes = c->ub_top < end ? end - c->ub_top : 0, .buf = OW_BUF_RAW, .pos = (uint8_t)pos};
}

/* HW: InitSpmBuffer page. The implementation keeps it apart from the pipes, so a new one does not forget it. */
void ow_spm_init(const OwGlobal *gm, int32_t len_bytes, OwLoc loc)
{
    Core *c = core_enter("InitSpmBuffer", loc);
    c->spm = *gm;
    c->spm_bytes = len_bytes;
}

void ow_spm_at(const char *api, int64_t at, int64_t span, OwGlobal *out, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    if (c->spm.addr && (at < 0 || at + span > c->spm_bytes)) sim_report(c, CHK_ID_SPM_RANGE, LL(at), LL(at + span), LL(c->spm_bytes));
    *out = c->spm;
    if (out->addr) out->addr = (void *)((uintptr_t)out->addr + (uintptr_t)at);
}

/* ---- queue operations --------------------------------------------------------------------------------------------- */

static Que *que_of(Core *c, uint32_t id)
{
    if (id == 0 || id > c->n_ques) {
        sim_report(c, CHK_ID_QUE_NO_INIT);
        return NULL;
    }
    return &c->ques[id];
}

void ow_que_alloc(uint32_t que, OwLocal *out, OwLoc loc)
{
    Core *c = core_enter("AllocTensor", loc);
    Que *q = que_of(c, que);
    *out = no_tensor();
    if (!q) return;
    for (uint32_t k = 0; k < q->n_bufs; k++) {
        uint32_t id = q->first + (q->cursor + k) % q->n_bufs;
        Buf *b = &c->bufs[id];
        if (b->state != BUF_FREE) continue;
        q->cursor = (q->cursor + k + 1) % q->n_bufs;
        give_event(c, q->backward, &b->back);
        b->state = BUF_OCCUPIED;
        b->gen++;
        b->last = c->loc;
        q->n_used++;
        *out = tensor_of(c, id);
        return;
    }
    const Buf *oldest = &c->bufs[q->first + q->cursor];
    sim_report(c, CHK_ID_QUE_EXHAUSTED, LL(q->n_bufs), loc_file(oldest->last), LL(oldest->last.line));
    core_kill(c);
}

/* The buffer of t when it belongs to the queue, else NULL and a finding. */
static Buf *owned(Core *c, uint32_t que, const Que *q, const OwLocal *t, const char *what)
{
    if (t->buf == OW_BUF_NONE) {
        sim_report(c, CHK_ID_NO_TENSOR, "the tensor");
        return NULL;
    }
    if (t->buf < q->first || t->buf >= q->first + q->n_bufs || c->bufs[t->buf].que != que) {
        sim_report(c, CHK_ID_QUE_FOREIGN, what);
        return NULL;
    }
    return &c->bufs[t->buf];
}

void ow_que_enque(uint32_t que, const OwLocal *t, OwLoc loc)
{
    Core *c = core_enter("EnQue", loc);
    Que *q = que_of(c, que);
    Buf *b = q ? owned(c, que, q, t, "EnQue") : NULL;
    if (!b) return;
    if (b->state == BUF_FREE || b->state == BUF_ENQUEUED) {
        sim_report(c, CHK_ID_QUE_STATE, "EnQue", b->state == BUF_FREE ? "free" : "already enqueued");
        return;
    }
    if (q->depth > 0 && q->n_queued >= (uint32_t)q->depth) sim_report(c, CHK_ID_QUE_FULL, LL(q->n_queued + 1), LL(q->depth));
    b->event = take_event(c, q->forward);
    b->state = BUF_ENQUEUED;
    b->last = c->loc;
    if (q->n_queued < sizeof q->fifo / sizeof *q->fifo) q->fifo[q->n_queued++] = t->buf;
}

/* Depth 0 takes the very tensor it is given; other queues the oldest. */
void ow_que_deque(uint32_t que, OwLocal *t, OwLoc loc)
{
    Core *c = core_enter("DeQue", loc);
    Que *q = que_of(c, que);
    if (!q) return;
    uint32_t at = 0;
    if (q->depth == 0)
        while (at < q->n_queued && q->fifo[at] != t->buf) at++;
    if (at >= q->n_queued) {
        sim_report(c, CHK_ID_QUE_EMPTY);
        core_kill(c);
    }
    uint32_t id = q->fifo[at];
    memmove(&q->fifo[at], &q->fifo[at + 1], (--q->n_queued - at) * sizeof *q->fifo);
    Buf *b = &c->bufs[id];
    give_event(c, q->forward, &b->event);
    b->state = BUF_DEQUEUED;
    b->last = c->loc;
    if (q->depth != 0) *t = tensor_of(c, id);
}

void ow_que_free(uint32_t que, const OwLocal *t, OwLoc loc)
{
    Core *c = core_enter("FreeTensor", loc);
    Que *q = que_of(c, que);
    Buf *b = q ? owned(c, que, q, t, "FreeTensor") : NULL;
    if (!b) return;
    if (b->state == BUF_FREE || b->gen != t->gen) {
        sim_report(c, CHK_ID_QUE_FREE_TWICE, loc_file(b->last), LL(b->last.line));
        return;
    }
    if (b->state == BUF_ENQUEUED) {
        sim_report(c, CHK_ID_QUE_STATE, "FreeTensor", "still enqueued");
        return;
    }
    b->state = BUF_FREE;
    b->last = c->loc;
    b->back = take_event(c, q->backward);
    q->n_used--;
}

int32_t ow_que_ask(const char *api, uint32_t que, uint32_t what, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    const Que *q = que_of(c, que);
    if (!q) return 0;
    switch (what) {
    case 0: return q->depth > 0 && q->n_queued < (uint32_t)q->depth;
    case 1: return q->n_queued > 0;
    case 2: return (int32_t)q->n_queued;
    default: return q->n_used < q->n_bufs;
    }
}

void ow_que_free_events(uint32_t que, OwLoc loc)
{
    Core *c = core_enter("FreeAllEvent", loc);
    Que *q = que_of(c, que);
    if (!q) return;
    for (uint32_t b = 0; b < q->n_bufs; b++) give_event(c, q->backward, &c->bufs[q->first + b].back);
}
