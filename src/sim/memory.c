/* The two memories a vector core touches: where an access lies, what part of it may be done, scalar access. */
#include "sim/trace.h"
#include "sim/dcache.h"
#include "sim/sim_int.h"

#include <assert.h>
#include <string.h>

/* ---- local memory ---------------------------------------------------------------------------------------------- */

static bool in_ub(uint8_t pos)
{
    enum { VECIN = 9, VECOUT = 10, VECCALC = 11 }; /* TPosition */
    return pos == VECIN || pos == VECOUT || pos == VECCALC;
}

const char *position_name(uint8_t pos)
{
    static const char *const NAMES[] = {"GM", "A1", "A2", "B1", "B2", "C1", "C2", "CO1", "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
    return pos < sizeof NAMES / sizeof NAMES[0] ? NAMES[pos] : "no position";
}

bool local_in_l1(const OwLocal *t)
{
    enum { A1 = 1, B1 = 3, C1 = 5, TSCM = 13 };
    return t->buf != OW_BUF_NONE && (t->pos == A1 || t->pos == B1 || t->pos == C1 || t->pos == TSCM);
}

/* A tensor of a buffer: the buffer's own bounds count, whatever length the tensor was given. */
static bool place_in_buffer(Core *c, const OwLocal *t, const char *role, Place *out)
{
    if (t->buf > c->n_bufs) {
        sim_report(c, CHK_ID_NO_TENSOR, role);
        return false;
    }
    const Buf *b = &c->bufs[t->buf];
    if (b->que && (b->state == BUF_FREE || b->gen != t->gen))
        sim_report(c, CHK_ID_AFTER_FREE, role, loc_file(b->last), LL(b->last.line));
    else if (b->que && b->state == BUF_ENQUEUED)
        sim_report(c, CHK_ID_WHILE_QUEUED, role, loc_file(b->last), LL(b->last.line));
    out->start = b->start;
    out->end = b->start + b->len;
    out->made = b->made;
    out->raw = false;
    return true;
}

bool local_place(Core *c, const OwLocal *t, const char *role, uint32_t align_bytes, Place *out)
{
    if (t->buf == OW_BUF_NONE) {
        sim_report(c, CHK_ID_NO_TENSOR, role);
        return false;
    }
    if (!in_ub(t->pos)) {
        if (local_in_l1(t) && !strncmp(c->api, "DataCopy", 8)) { /* HW: DataCopy, implementation: the cube core does these copies */
            sim_report(c, CHK_ID_NOT_MODELLED, "DataCopy with L1 (TPosition A1, B1, C1, TSCM)");
            core_kill(c);
        }
        sim_report(c, CHK_ID_WRONG_POSITION, role, position_name(t->pos));
        return false;
    }
    out->addr = t->addr;
    if (t->buf == OW_BUF_RAW) {
        *out = (Place){.addr = t->addr, .end = c->ub_bytes, .raw = true};
    } else if (!place_in_buffer(c, t, role, out)) {
        return false;
    }
    if (t->addr % align_bytes != 0) {
        sim_report(c, CHK_ID_UB_MISALIGNED, role, LL(t->addr), LL(t->addr % align_bytes), LL(align_bytes));
        out->addr -= t->addr % align_bytes; /* ASSUMED: the unit drops the low address bits */
    }
    return true;
}

uint32_t local_clip(Core *c, const Place *p, const char *role, bool write, uint64_t off, uint64_t n_bytes)
{
    const char *verb = write ? "writes" : "reads";
    uint64_t from = (uint64_t)p->addr + off, to = from + n_bytes;
    if (n_bytes == 0) return 0;
    if (from >= p->start && to <= p->end && to <= c->ub_bytes) return (uint32_t)n_bytes;
    if (to > c->ub_bytes) {
        sim_report(c, CHK_ID_UB_PAST_END, role, verb, LL(from), LL(to - 1), LL(c->ub_bytes));
        return from < c->ub_bytes && from < p->end ? (uint32_t)((p->end < c->ub_bytes ? p->end : c->ub_bytes) - from) : 0;
    }
    long long rel = LL(from) - LL(p->start);
    sim_report(c, CHK_ID_UB_OOB, verb, role, rel, rel + LL(n_bytes) - 1, LL(p->end - p->start), loc_file(p->made),
               LL(p->made.line), LL(to) - LL(p->end));
    return from >= p->start && from < p->end ? (uint32_t)(p->end - from) : 0;
}

void ub_wrote(Core *c, uint32_t addr, uint32_t n_bytes)
{
    if (n_bytes == 0) return; /* clipped away: addr may lie past the end of UB */
    assert((uint64_t)addr + n_bytes <= c->ub_bytes);
    if (addr + n_bytes > c->ub_touched) c->ub_touched = addr + n_bytes;
}

/* ---- global memory --------------------------------------------------------------------------------------------- */

GmRange *gm_find(Sim *s, uintptr_t addr)
{
    for (size_t k = 0; k < s->n_ranges; k++) {
        size_t i = (s->last_range + k) % s->n_ranges;
        uintptr_t base = (uintptr_t)s->ranges[i].gm->data;
        if (addr >= base && addr - base < s->ranges[i].gm->n_bytes) {
            s->last_range = i;
            return &s->ranges[i];
        }
    }
    return NULL;
}

static GmRange *nearest(Sim *s, uintptr_t addr, uint64_t *distance)
{
    GmRange *best = NULL;
    *distance = UINT64_MAX;
    for (size_t i = 0; i < s->n_ranges; i++) {
        uintptr_t base = (uintptr_t)s->ranges[i].gm->data, end = base + s->ranges[i].gm->n_bytes;
        uint64_t d = addr < base ? base - addr : addr >= end ? addr - end : 0;
        if (d < *distance) *distance = d, best = &s->ranges[i];
    }
    return best;
}

/* Core blocks past the last element bind at or past a tensor's end: it is still that tensor they mean. */
uint32_t ow_gm_bind(const void *addr, OwLoc loc)
{
    Core *c = core_enter("SetGlobalBuffer", loc);
    if (!addr) return 0;
    GmRange *r = gm_find(c->sim, (uintptr_t)addr);
    if (!r) {
        uint64_t distance;
        GmRange *near = nearest(c->sim, (uintptr_t)addr, &distance);
        if (near && distance <= near->gm->n_bytes + 4096) r = near;
    }
    return r ? (uint32_t)(r - c->sim->ranges) + 1 : 0;
}

/* An operator in place hands the same memory in twice, as input and as output: writes are the output's. */
static GmRange *writable_at(Sim *s, uintptr_t addr)
{
    for (size_t i = 0; i < s->n_ranges; i++) {
        const SimGm *gm = s->ranges[i].gm;
        uintptr_t base = (uintptr_t)gm->data;
        bool writable = gm->role == SIM_GM_OUTPUT || gm->role == SIM_GM_WORKSPACE;
        if (writable && addr >= base && addr - base < gm->n_bytes) return &s->ranges[i];
    }
    return NULL;
}

enum { ALLOCATION_BYTES = 512 }; /* ASSUMED: the framework's caching allocator rounds up to it; a public operator that needs 32 passes */

/* The habit of storing a scalar result with a whole block's copy, or several: on cards it passes always. */
static bool past_small_output(const GmRange *r, uint64_t off, uint64_t n_bytes)
{
    enum { BLOCK_BYTES = 32 };
    return r->gm->role == SIM_GM_OUTPUT && r->gm->n_bytes < BLOCK_BYTES && off + n_bytes <= ALLOCATION_BYTES;
}

GmRange *gm_access(Core *c, const OwGlobal *g, uintptr_t addr, uint64_t n_bytes, bool write, uint64_t *skip, uint64_t *n_ok)
{
    Sim *s = c->sim;
    const char *verb = write ? "writes" : "reads";
    *skip = *n_ok = 0;
    if (g->addr == NULL) {
        sim_report(c, CHK_ID_GM_NULL, verb, LL(n_bytes));
        return NULL;
    }
    GmRange *r = g->range && g->range <= s->n_ranges ? &s->ranges[g->range - 1] : gm_find(s, addr);
    if (!r) {
        uint64_t distance;
        GmRange *near = nearest(s, addr, &distance);
        sim_report(c, CHK_ID_GM_UNMAPPED, verb, LL(n_bytes), near ? near->gm->name : "none", LL(distance));
        return NULL;
    }
    if (write && r->gm->role == SIM_GM_INPUT) {
        GmRange *out = writable_at(s, addr);
        if (out) r = out;
    }
    uintptr_t base = (uintptr_t)r->gm->data;
    if (addr < base) {
        sim_report(c, CHK_ID_GM_BEFORE, verb, LL(n_bytes), LL(base - addr), r->gm->name);
        *skip = base - addr < n_bytes ? base - addr : n_bytes;
    }
    uint64_t off = addr + *skip - base, want = n_bytes - *skip, size = r->gm->n_bytes;
    *n_ok = off >= size ? 0 : want <= size - off ? want : size - off;
    if (*n_ok < want && write && past_small_output(r, off, want))
        sim_report(c, CHK_ID_GM_PAST_SMALL, LL(off), LL(off + want - 1), r->gm->name, LL(size), LL(ALLOCATION_BYTES));
    else if (*n_ok < want)
        sim_report(c, CHK_ID_GM_OOB, verb, LL(off), LL(off + want - 1), r->gm->name, LL(size), LL(off + want - size));
    if (write && r->gm->role == SIM_GM_INPUT && *n_ok) {
        sim_report(c, CHK_ID_GM_WRITE_INPUT, LL(off), LL(off + *n_ok - 1), r->gm->name);
    }
    return *n_ok ? r : NULL;
}

/* ---- scalar access --------------------------------------------------------------------------------------------- */

static uint32_t size_of(uint32_t type)
{
    return (uint32_t)dtype_info(dtype_of(type))->size_bytes;
}

/* Address in UB of element index, or UINT32_MAX after a finding. */
static uint32_t local_element(Core *c, const OwLocal *t, uint32_t size, uint64_t index, bool write)
{
    Place p;
    if (!local_place(c, t, "the tensor", 1, &p)) return UINT32_MAX;
    uint64_t from = (uint64_t)p.addr + index * size;
    if (from < p.start || from + size > p.end || from + size > c->ub_bytes) {
        sim_report(c, CHK_ID_SCALAR_INDEX, write ? "writes" : "reads", LL(index),
                   LL((p.end < c->ub_bytes ? p.end : c->ub_bytes) - LL(p.addr)) / size);
        return UINT32_MAX;
    }
    return (uint32_t)from;
}

uint64_t ow_local_get(uint32_t type, const OwLocal *t, uint64_t index, OwLoc loc)
{
    Core *c = core_enter("GetValue", loc);
    uint32_t size = size_of(type), at = local_element(c, t, size, index, false);
    uint64_t bits = 0;
    if (at == UINT32_MAX) return 0;
    const Access acc = ub_read(at, size);
    issue_scalar_read(c, &acc, 1);
    if (!bits_all(c->ub_valid, at, size)) sim_report(c, CHK_ID_UNINIT_SCALAR, LL(index), "the tensor");
    memcpy(&bits, c->ub + at, size);
    if (c->sim->options.trace && trace_begin(c)) trace_ub(c, "element", dtype_of(type), at, 1);
    return bits;
}

typedef struct LocalStore {
    uint32_t at, size;
    uint64_t bits;
} LocalStore;

static void run_local_store(Core *c, const void *args)
{
    const LocalStore *a = args;
    memcpy(c->ub + a->at, &a->bits, a->size);
    bits_fill(c->ub_valid, a->at, a->size, true);
    ub_wrote(c, a->at, a->size);
}

void ow_local_set(uint32_t type, const OwLocal *t, uint64_t index, uint64_t bits, OwLoc loc)
{
    Core *c = core_enter("SetValue", loc);
    uint32_t size = size_of(type), at = local_element(c, t, size, index, true);
    if (at == UINT32_MAX) return;
    const LocalStore a = {at, size, bits};
    const Access acc = ub_write(at, size);
    issue(c, PIPE_S, run_local_store, &a, sizeof a, &acc, 1);
}

/* What a reference to nowhere refers to: written and read by nobody else. */
static _Thread_local uint64_t nowhere[2];

static void *pending(Core *c, PendingRef r)
{
    const uint32_t cap = sizeof c->refs / sizeof *c->refs;
    if (c->n_refs == cap) core_settle_refs(c);
    memcpy(r.old, r.p, r.n_bytes);
    r.loc = c->loc;
    c->refs[c->n_refs++] = r;
    return r.p;
}

/* The references of one expression stay pending together: entering a call must not settle them. */
static Core *enter_ref(OwLoc loc)
{
    Core *c = sim_core;
    uint32_t held = c->n_refs;
    c->n_refs = 0;
    core_enter("operator()", loc);
    c->n_refs = held;
    return c;
}

void *ow_local_ref(uint32_t type, const OwLocal *t, uint64_t index, OwLoc loc)
{
    Core *c = enter_ref(loc);
    uint32_t size = size_of(type), at = local_element(c, t, size, index, true);
    if (at == UINT32_MAX) return nowhere;
    issue_scalar_read(c, NULL, 0);
    return pending(c, (PendingRef){.p = c->ub + at, .n_bytes = size, .index = (uint32_t)index, .addr = at,
                                   .was_valid = bits_all(c->ub_valid, at, size)});
}

void *ow_local_host(const OwLocal *t)
{
    return sim_core->ub + (t->addr < sim_core->ub_bytes ? t->addr : 0);
}

static GmRange *gm_element(Core *c, const OwGlobal *g, uint32_t size, uint64_t index, bool write, uint8_t **p)
{
    uint64_t skip, n_ok;
    uintptr_t addr = (uintptr_t)g->addr + index * size;
    GmRange *r = gm_access(c, g, addr, size, write, &skip, &n_ok);
    if (!r || n_ok < size) return NULL;
    if (addr % size)
        sim_report(c, CHK_ID_GM_MISALIGNED, write ? "writes" : "reads", r->gm->name, LL(addr - (uintptr_t)r->gm->data), LL(size));
    *p = (uint8_t *)addr;
    return r;
}

uint64_t ow_gm_get(uint32_t type, const OwGlobal *g, uint64_t index, OwLoc loc)
{
    Core *c = core_enter("GetValue", loc);
    uint32_t size = size_of(type);
    uint8_t *p;
    GmRange *r = gm_element(c, g, size, index, false, &p);
    if (!r) return 0;
    size_t off = (size_t)(p - (uint8_t *)r->gm->data);
    const Access acc = {.how = ACC_READ, .range = r, .at = off, .len = size, .n_rows = r->shadow.pages ? 1 : 0};
    issue_scalar_read(c, &acc, acc.n_rows);
    c->sim->stats.gm_read_bytes += size;
    uint64_t bits = dcache_read(c, r, p, size);
    if (r->valid && !gm_settle_raw(r, off, size)) {
        sim_report(c, CHK_ID_UNINIT_SCALAR, LL(index), r->gm->name);
        poison_fill((uint8_t *)&bits, size, 0);
    }
    return bits;
}

void ow_gm_set(uint32_t type, const OwGlobal *g, uint64_t index, uint64_t bits, OwLoc loc)
{
    Core *c = core_enter("SetValue", loc);
    uint32_t size = size_of(type);
    uint8_t *p;
    GmRange *r = gm_element(c, g, size, index, true, &p);
    if (!r || r->gm->role == SIM_GM_INPUT) return;
    issue_scalar_read(c, NULL, 0);
    dcache_write(c, r, p, bits, size);
    c->sim->stats.gm_write_bytes += size;
    if (r->valid) bits_fill(r->valid, (size_t)(p - (uint8_t *)r->gm->data), size, true);
}

void *ow_gm_ref(uint32_t type, const OwGlobal *g, uint64_t index, OwLoc loc)
{
    Core *c = enter_ref(loc);
    uint32_t size = size_of(type);
    uint8_t *p;
    GmRange *r = gm_element(c, g, size, index, false, &p);
    if (!r) return nowhere;
    bool valid = !r->valid || bits_all(r->valid, (size_t)(p - (uint8_t *)r->gm->data), size);
    if (r->gm->role == SIM_GM_INPUT) { /* if it is written, it is the output of an operator in place */
        GmRange *out = writable_at(c->sim, (uintptr_t)p);
        if (out) r = out;
    }
    issue_scalar_read(c, NULL, 0);
    return pending(c, (PendingRef){.p = dcache_ref(c, r, p, size), .gm = p, .n_bytes = size, .index = (uint32_t)index, .is_gm = true, .range = r, .was_valid = valid});
}

void ow_dcache_clean(const OwGlobal *g, uint32_t entire, OwLoc loc)
{
    Core *c = core_enter("DataCacheCleanAndInvalid", loc);
    issue_scalar_read(c, NULL, 0);
    dcache_clean(c, g->addr, entire != 0);
}
