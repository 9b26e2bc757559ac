/* A core: what an API call does before and after its own work, the references it hands out, its end. */
#include "sim/dcache.h"
#include "sim/fiber.h"
#include "sim/hazard.h"
#include "sim/sim_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Thread_local Core *sim_core;
static _Thread_local SimTrail *trail;

void sim_set_trail(SimTrail *t)
{
    trail = t;
}

SimTrail *core_trail(void) { return trail; }

static void copy_name(char *to, size_t cap, const char *from)
{
    size_t n = strlen(from);
    if (n >= cap) n = cap - 1;
    memcpy(to, from, n);
    to[n] = 0;
}

static void write_trail(const Core *c)
{
    trail->line = c->loc.line;
    trail->block = c->block;
    copy_name(trail->file, sizeof trail->file, loc_file(c->loc));
    copy_name(trail->api, sizeof trail->api, c->api);
}

Core *core_enter(const char *api, OwLoc loc)
{
    Core *c = sim_core;
    if (!c) { /* a static initialiser: there is no core to blame */
        fprintf(stderr, "%s:%u: %s called outside a kernel launch\n", loc_file(loc), loc.line, api);
        abort();
    }
    Sim *s = c->sim;
    if (c->n_refs) core_settle_refs(c);
    c->api = api;
    if (loc.file) c->loc = loc;
    if (trail) write_trail(c);
    if (s->given_up && parallel_is_over(s)) core_kill(c);
    if (++s->n_calls > s->call_limit) {
        sim_report(c, CHK_ID_INSN_LIMIT, LL(s->call_limit));
        core_kill(c);
    }
    return c;
}

void core_kill(Core *c)
{
    c->killed = true;
    c->state = CORE_DONE;
    c->n_refs = 0;
    c->sim->n_killed++;
    for (;;) fiber_leave(c->fiber);
}

/* The access through a reference, at the place that made it. */
static void settle_access(Core *c, const PendingRef *r, bool written)
{
    OwLoc loc = c->loc;
    const char *api = c->api;
    Access acc = written ? ub_write(r->addr, r->n_bytes) : ub_read(r->addr, r->n_bytes);
    if (r->is_gm) acc.range = r->range, acc.at = (uint64_t)(r->gm - (uint8_t *)r->range->gm->data);
    c->loc = r->loc;
    c->api = "operator()";
    issue_scalar_read(c, &acc, 1);
    if (r->is_gm && written) dcache_wrote(c, r->range, r->gm, r->p, r->n_bytes);
    c->loc = loc;
    c->api = api;
}

/* A reference that was not written through since, on memory nothing wrote, was a read of it. */
static void settle(Core *c, const PendingRef *r)
{
    bool written = memcmp(r->p, r->old, r->n_bytes) != 0;
    settle_access(c, r, written);
    if (!written) {
        if (!r->was_valid)
            sim_report_at(c, r->loc, "operator()", CHK_ID_UNINIT_SCALAR, LL(r->index), r->is_gm ? r->range->gm->name : "the tensor");
        return;
    }
    if (!r->is_gm) {
        ub_wrote(c, r->addr, r->n_bytes);
        bits_fill(c->ub_valid, r->addr, r->n_bytes, true);
        return;
    }
    size_t off = (size_t)(r->gm - (uint8_t *)r->range->gm->data);
    if (r->range->gm->role == SIM_GM_INPUT)
        sim_report_at(c, r->loc, "operator()", CHK_ID_GM_WRITE_INPUT, LL(off), LL(off + r->n_bytes - 1), r->range->gm->name);
    if (r->range->valid) bits_fill(r->range->valid, off, r->n_bytes, true);
}

void core_settle_refs(Core *c)
{
    uint32_t n = c->n_refs;
    c->n_refs = 0;
    for (uint32_t i = 0; i < n; i++) settle(c, &c->refs[i]);
}

void core_soc_init(Core *c)
{
    c->mask[0] = c->mask[1] = ~0ull;
    c->counter_mode = false;
    c->atomic_op = 0;
}

/* Local memory holds nothing at the start of a block. */
void core_reset(Core *c, uint32_t block)
{
    poison_fill(c->ub, c->ub_touched, 0);
    memset(c->ub_valid, 0, c->ub_bytes / 8);
    c->ub_touched = c->ub_top = 0;
    c->eaten.n_bytes = 0;
    c->block = block;
    c->state = CORE_READY;
    c->killed = false;
    c->n_bufs = c->n_bufs_before = c->n_ques = 0;
    c->pipe_live = false;
    c->pool = NULL;
    c->spm = (OwGlobal){0};
    c->spm_bytes = 0;
    memset(c->guards, 0, sizeof c->guards);
    c->is_guarded = false;
    c->store_atomic = 0;
    core_soc_init(c);
    c->cmpmask[0] = c->cmpmask[1] = 0;
    c->cmpmask_valid = false;
    c->ctrl48 = 1; /* ASSUMED: the run time starts kernels in INF/NAN mode, although the register's reset value saturates */
    c->ctrl53 = c->ctrl59 = 0;
    c->deq_scale = 1.0f;
    c->deq_set = c->pad_set = false;
    c->deq_form = DEQ_NONE;
    c->acc = c->best = (ReduceSpr){.state = SPR_UNSET};
    c->wait.kind = WAIT_NONE;
    c->n_meetings = 0;
    c->order_open = false;
    dcache_reset(c);
    pipes_reset(c);
    hazards_reset(c);
    memset(c->event_taken, 0, sizeof c->event_taken);
    memset(c->flag_set, 0, sizeof c->flag_set);
    memset(c->flag_owed, 0, sizeof c->flag_owed);
    c->n_refs = 0;
    c->loc = (OwLoc){"kernel_src", 0};
    c->api = "";
    if (trail) write_trail(c);
}

static void check_queues(Core *c)
{
    for (uint32_t q = 1; q <= c->n_ques; q++) {
        const Que *que = &c->ques[q];
        uint32_t held = 0;
        for (uint32_t b = 0; b < que->n_bufs; b++) {
            uint8_t state = c->bufs[que->first + b].state;
            held += state == BUF_OCCUPIED || state == BUF_DEQUEUED;
        }
        if (que->n_queued) sim_report_at(c, que->made, "TQue", CHK_ID_QUE_LEFT, LL(que->n_queued));
        if (held) sim_report_at(c, que->made, "TQue", CHK_ID_QUE_LEAK, LL(held));
    }
}

bool core_report_owed(Core *c)
{
    bool any = false;
    for (uint32_t e = 0; e < N_EVENTS; e++) {
        for (uint32_t i = 0; i < N_EVENT_IDS; i++)
            if (c->flag_owed[e] >> i & 1) sim_report_at(c, c->flag_loc[e][i], "WaitFlag", CHK_ID_FLAG_NO_SET, event_name(e), LL(i));
        any |= c->flag_owed[e] != 0;
        c->flag_owed[e] = 0;
    }
    return any;
}

void core_finish(Core *c)
{
    core_settle_refs(c);
    check_queues(c);
    pipes_drain(c);
    core_report_owed(c);
    if (c->atomic_op) sim_report(c, CHK_ID_ATOMIC_LEFT);
    for (uint32_t e = 0; e < N_EVENTS; e++)
        for (uint32_t i = 0; i < N_EVENT_IDS; i++)
            if (c->flag_set[e] >> i & 1) sim_report_at(c, c->flag_loc[e][i], "SetFlag", CHK_ID_FLAG_LEFT, LL(i), event_name(e));
}

InsnId insn_of(Core *c, const char *name)
{
    Sim *s = c->sim;
    size_t slot = ((uintptr_t)name >> 2) % 64;
    if (s->insn_cache[slot].name != name) {
        InsnId id = INSN_COUNT;
        if (!insn_find(name, &id)) {
            sim_report(c, CHK_ID_NOT_MODELLED, name);
            return INSN_COUNT;
        }
        s->insn_cache[slot].name = name;
        s->insn_cache[slot].insn = (uint32_t)id + 1;
    }
    return (InsnId)(s->insn_cache[slot].insn - 1);
}

DType dtype_of(uint32_t abi_type)
{
    _Static_assert(OW_F16 == (int)DTYPE_F16 && OW_F32 == (int)DTYPE_F32 && OW_I32 == (int)DTYPE_I32 &&
                       OW_BOOL == (int)DTYPE_BOOL && OW_N_TYPES == (int)DTYPE_COUNT,
                   "device/abi.h lists the types of base/dtype.def in its order");
    return (DType)abi_type;
}
