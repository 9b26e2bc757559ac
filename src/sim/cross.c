/* SyncAll, IBSet and IBWait, flags between cores, GroupBarrier, and the order of blocks: the scheduler resumes a core when cross_blocker
 * says that its wait is over. HW: synchronisation between cores pages; slots and rounds as the implementation has them. */
#include "sim/cross.h"
#include "sim/fiber.h"
#include "sim/hazard.h"
#include "sim/sim_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_CROSS_FLAGS = 16, MAX_COUNTER = 15, SYNC_MIXED = -1 };

/* Of each block, up to which clock of each pipe is over. */
typedef struct Known {
    uint32_t clock[N_PIPES];
} Known;

typedef struct Signal { /* of IBSet */
    uintptr_t slot;
    Known *row;
    struct Signal *next;
} Signal;

enum { ARRIVALS, WAITERS, N_SIDES };

typedef struct Group { /* of GroupBarrier: its two counters in global memory */
    uintptr_t slot;
    uint32_t n[N_SIDES];
    Known *row[N_SIDES]; /* what those who counted know to be over */
    struct Group *next;
} Group;

struct Cross {
    uint32_t n;
    Known *known;        /* [n][n]: what a block knows of the others */
    uint32_t *n_arrived; /* [n + 1][n]: SyncAlls entered, for each number of blocks that take part */
    uint32_t *n_set[N_CROSS_FLAGS], *n_waited[N_CROSS_FLAGS]; /* [n] */
    Known *flag_row[N_CROSS_FLAGS];                           /* [MAX_COUNTER + 1][n]: what each set says is over */
    uint32_t *n_notified;                                     /* [n] */
    Signal *signals;
    Group *groups;
};

static void *zeros(size_t n, size_t size)
{
    void *p = calloc(n, size);
    if (!p) abort(); /* as arenas do */
    return p;
}

struct Cross *cross_new(uint32_t n)
{
    struct Cross *x = zeros(1, sizeof *x);
    x->n = n;
    if (n < 2) return x;
    x->known = zeros((size_t)n * n, sizeof *x->known);
    x->n_arrived = zeros((size_t)(n + 1) * n, sizeof *x->n_arrived);
    x->n_notified = zeros(n, sizeof *x->n_notified);
    for (uint32_t i = 0; i < N_CROSS_FLAGS; i++) {
        x->n_set[i] = zeros(n, sizeof **x->n_set);
        x->n_waited[i] = zeros(n, sizeof **x->n_waited);
    }
    return x;
}

void cross_free(struct Cross *x)
{
    if (!x) return;
    for (uint32_t i = 0; i < N_CROSS_FLAGS; i++) free(x->n_set[i]), free(x->n_waited[i]), free(x->flag_row[i]);
    for (Signal *s = x->signals, *next; s; s = next) next = s->next, free(s->row), free(s);
    for (Group *g = x->groups, *next; g; g = next) next = g->next, free(g->row[ARRIVALS]), free(g->row[WAITERS]), free(g);
    free(x->known);
    free(x->n_arrived);
    free(x->n_notified);
    free(x);
}

/* ---- knowledge ---------------------------------------------------------------------------------------------------- */

static Known *row_of(const Core *c) { return &c->sim->cross->known[(size_t)c->block * c->sim->cross->n]; }

bool cross_knows(const Core *c, uint32_t block, Pipe pipe, uint32_t clock)
{
    const struct Cross *x = c->sim->cross;
    return x->known && block < x->n && row_of(c)[block].clock[pipe] >= clock;
}

static void merge(Known *to, const Known *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t p = 0; p < N_PIPES; p++)
            if (from[i].clock[p] > to[i].clock[p]) to[i].clock[p] = from[i].clock[p];
}

/* After PIPE_ALL: everything c did so far is over. */
static void publish(Core *c)
{
    for (Pipe p = 0; p < N_PIPES; p++) row_of(c)[c->block].clock[p] = hazard_clock(c, p) - 1;
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

static const Signal *find_signal(const struct Cross *x, uintptr_t slot)
{
    const Signal *s = x->signals;
    while (s && s->slot != slot) s = s->next;
    return s;
}

static uint32_t first_below(const uint32_t *counts, uint32_t n, uint32_t want)
{
    for (uint32_t i = 0; i < n; i++)
        if (counts[i] < want) return i;
    return UINT32_MAX;
}

static Group *group_at(struct Cross *x, uintptr_t slot)
{
    for (Group *g = x->groups; g; g = g->next)
        if (g->slot == slot) return g;
    Group *g = zeros(1, sizeof *g);
    *g = (Group){.slot = slot, .next = x->groups};
    for (int side = 0; side < N_SIDES; side++) g->row[side] = zeros(x->n + 1, sizeof(Known));
    return x->groups = g;
}

/* Blocks below have notified in this round, those above in the one before. */
static uint32_t order_blocker(const Core *c, const struct Cross *x)
{
    uint32_t low = first_below(x->n_notified, c->block, c->wait.count);
    if (low != UINT32_MAX) return low;
    uint32_t high = first_below(x->n_notified + c->block, x->n - c->block, c->wait.count - 1);
    return high == UINT32_MAX ? UINT32_MAX : c->block + high;
}

uint32_t cross_blocker(const Core *c)
{
    struct Cross *x = c->sim->cross;
    const CoreWait *w = &c->wait;
    switch (w->kind) {
    case WAIT_SYNC_ALL: return first_below(x->n_arrived + (size_t)w->group * x->n, w->group, w->count);
    case WAIT_FLAG: return first_below(x->n_set[w->group], x->n, w->count);
    case WAIT_IB_SET: return find_signal(x, w->slot) ? w->block : UINT32_MAX;
    case WAIT_IB_WAIT: return find_signal(x, w->slot) ? UINT32_MAX : w->block;
    case WAIT_PREVIOUS: return order_blocker(c, x);
    case WAIT_GROUP: return group_at(x, w->slot)->n[w->group] < w->count ? x->n : UINT32_MAX;
    default: return UINT32_MAX;
    }
}

/* Lets others run until the wait is over. */
static void wait_for(Core *c, CoreWait wait)
{
    c->wait = wait;
    if (cross_blocker(c) != UINT32_MAX) {
        c->state = CORE_WAITING;
        fiber_leave(c->fiber);
    }
    c->wait.kind = WAIT_NONE;
}

static bool must_be_resident(Core *c)
{
    core_needs_order(c);
    Sim *s = c->sim;
    if (s->launch->block_dim <= s->chip->n_vector_cores) return s->launch->block_dim > 1;
    sim_report(c, CHK_ID_SYNC_BLOCKS, LL(s->launch->block_dim), LL(s->chip->n_vector_cores), c->api);
    core_kill(c);
}

/* Global memory that the API counts in. zeros: it must hold zeros at the first use; only then is it as the host left it. */
static bool check_space(Core *c, const OwGlobal *gm, uint64_t from, uint64_t need, bool zeros_first)
{
    uint64_t skip, n_ok;
    GmRange *r = gm_access(c, gm, (uintptr_t)gm->addr + from, need, true, &skip, &n_ok);
    if (!r || n_ok < need) return false;
    if (!zeros_first || !r->valid || c->n_meetings) return true;
    size_t off = (size_t)((uintptr_t)gm->addr + from + skip - (uintptr_t)r->gm->data);
    gm_settle_raw(r, off, n_ok);
    size_t bad = bits_find(r->valid, off, off + n_ok, false);
    if (bad < off + n_ok) sim_report(c, CHK_ID_SYNC_SPACE, LL(bad - off), LL(n_ok - 1), LL(need), c->api);
    return true;
}

static void check_ub(Core *c, const OwLocal *ub, uint64_t need)
{
    Place p;
    if (local_place(c, ub, "ubWorkspace", ISA_BLOCK_BYTES, &p)) local_clip(c, &p, "ubWorkspace", true, 0, need);
}

/* ---- SyncAll ------------------------------------------------------------------------------------------------------- */

/* The last of a group to arrive: all of them know what each knew. */
static void meet(Core *c, uint32_t group)
{
    struct Cross *x = c->sim->cross;
    Known *all = zeros(x->n, sizeof *all);
    for (uint32_t i = 0; i < group; i++) merge(all, x->known + (size_t)i * x->n, x->n);
    for (uint32_t i = 0; i < group; i++) memcpy(x->known + (size_t)i * x->n, all, x->n * sizeof *all);
    free(all);
}

static void sync_all(Core *c, uint32_t group)
{
    struct Cross *x = c->sim->cross;
    if (c->block >= group) { /* HW: soft SyncAll, implementation: it would wait for the others, nobody for it */
        sim_report(c, CHK_ID_SYNC_OUTSIDE, LL(c->block), LL(group - 1));
        return;
    }
    uint32_t *arrived = x->n_arrived + (size_t)group * x->n, mine = ++arrived[c->block];
    publish(c);
    if (first_below(arrived, group, mine) == UINT32_MAX) meet(c, group);
    wait_for(c, (CoreWait){.kind = WAIT_SYNC_ALL, .group = group, .count = mine});
    if (group == x->n) c->n_meetings++;
}

/* gm and ub are the soft form's workspaces; the barrier is the same. HW: SyncAll pages: every block must be resident. */
void ow_sync_all(const OwGlobal *gm, const OwLocal *ub, int32_t used_cores, OwLoc loc)
{
    Core *c = core_enter("SyncAll", loc);
    uint32_t n = c->sim->launch->block_dim;
    if (used_cores == SYNC_MIXED) {
        sim_report(c, CHK_ID_SYNC_MIX);
        core_kill(c);
    }
    if (gm) check_space(c, gm, 0, (uint64_t)n * ISA_BLOCK_BYTES, true);
    if (ub) check_ub(c, ub, (uint64_t)n * ISA_BLOCK_BYTES);
    if (used_cores > 0 && (uint32_t)used_cores > n) {
        sim_report(c, CHK_ID_SYNC_USED, LL(used_cores), LL(n));
        core_kill(c);
    }
    issue_barrier_all(c); /* HW: SyncAll, implementation: begins with PIPE_ALL */
    if (must_be_resident(c)) sync_all(c, used_cores > 0 ? (uint32_t)used_cores : n);
}

/* ---- flags between cores ------------------------------------------------------------------------------------------- */

/* Runs when the pipe gets to it: what it did so far is over. */
static void run_cross_set(Core *c, const void *args)
{
    const uint32_t *a = args; /* flag, pipe */
    struct Cross *x = c->sim->cross;
    uint32_t n = x->n_set[a[0]][c->block]++;
    if (n >= x->n_waited[a[0]][c->block] + MAX_COUNTER) sim_report(c, CHK_ID_CROSS_COUNTER, LL(a[0]), LL(MAX_COUNTER));
    if (!x->flag_row[a[0]]) x->flag_row[a[0]] = zeros((size_t)(MAX_COUNTER + 1) * x->n, sizeof(Known));
    Clocks before;
    hazard_signal(c, (Pipe)a[1], &before);
    memcpy(x->flag_row[a[0]][(size_t)(n % (MAX_COUNTER + 1)) * x->n + c->block].clock, before.at, sizeof before.at);
}

static bool mode_ok(Core *c, uint32_t mode, uint32_t flag)
{
    enum { FIRST_OF_SYNC_ALL = 11, LAST_OF_SYNC_ALL = 14 };
    if (mode != 0) { /* modes 1 and 2 are about the cores of one AI Core, which vector-only kernels do not share */
        sim_report(c, CHK_ID_NOT_MODELLED, "CrossCoreSetFlag and CrossCoreWaitFlag in modes other than 0");
        core_kill(c);
    }
    if (flag >= N_CROSS_FLAGS) sim_report(c, CHK_ID_CROSS_FLAG, LL(flag), LL(flag % N_CROSS_FLAGS));
    if (flag >= FIRST_OF_SYNC_ALL && flag <= LAST_OF_SYNC_ALL) sim_report(c, CHK_ID_CROSS_RESERVED, LL(flag));
    return must_be_resident(c);
}

void ow_cross_set(uint32_t mode, uint32_t pipe, uint32_t flag, OwLoc loc)
{
    Core *c = core_enter("CrossCoreSetFlag", loc);
    Pipe p = pipe_of_abi(pipe);
    if (p == N_PIPES || p == PIPE_S) {
        sim_report(c, CHK_ID_CROSS_PIPE);
        return;
    }
    if (!mode_ok(c, mode, flag)) return;
    const uint32_t args[2] = {flag % N_CROSS_FLAGS, p};
    issue(c, p, run_cross_set, args, sizeof args, NULL, 0);
}

/* HW: CrossCoreWaitFlag page: on this architecture it stops the issue of everything; what was issued goes on. */
void ow_cross_wait(uint32_t mode, uint32_t flag, OwLoc loc)
{
    Core *c = core_enter("CrossCoreWaitFlag", loc);
    if (!mode_ok(c, mode, flag)) return;
    struct Cross *x = c->sim->cross;
    flag %= N_CROSS_FLAGS;
    uint32_t round = x->n_waited[flag][c->block]++;
    pipes_run_ready(c); /* others may wait for what was issued here */
    wait_for(c, (CoreWait){.kind = WAIT_FLAG, .group = flag, .count = round + 1});
    merge(row_of(c), x->flag_row[flag] + (size_t)(round % (MAX_COUNTER + 1)) * x->n, x->n);
    Clocks own;
    memcpy(own.at, x->flag_row[flag][(size_t)(round % (MAX_COUNTER + 1)) * x->n + c->block].clock, sizeof own.at);
    hazard_join(c, PIPE_S, &own);
}

/* ---- IBSet, IBWait -------------------------------------------------------------------------------------------------- */

/* HW: IBSet, implementation: 32 bytes for each event and block: blockNum * 8 * eventID + blockIdx * 8 int32. */
static bool open_signal(Core *c, const OwGlobal *gm, const OwLocal *ub, int32_t block, int32_t event, CoreWait *w)
{
    uint32_t n = c->sim->launch->block_dim;
    if (block < 0 || (uint32_t)block >= n || event < 0) {
        sim_report(c, CHK_ID_IB_ARGUMENT, LL(block), LL(event), LL(n - 1));
        core_kill(c);
    }
    uint64_t at = ISA_BLOCK_BYTES * ((uint64_t)n * (uint32_t)event + (uint32_t)block);
    check_ub(c, ub, ISA_BLOCK_BYTES);
    if (!check_space(c, gm, at, ISA_BLOCK_BYTES, true)) core_kill(c);
    *w = (CoreWait){.group = (uint32_t)event, .block = (uint32_t)block, .slot = (uintptr_t)gm->addr + at};
    issue_barrier_all(c);
    return must_be_resident(c);
}

void ow_ib_set(const OwGlobal *gm, const OwLocal *ub, int32_t block, int32_t event, OwLoc loc)
{
    Core *c = core_enter("IBSet", loc);
    struct Cross *x = c->sim->cross;
    CoreWait w;
    if (!open_signal(c, gm, ub, block, event, &w)) return;
    w.kind = WAIT_IB_SET;
    wait_for(c, w);
    publish(c);
    Signal *s = zeros(1, sizeof *s);
    *s = (Signal){.slot = w.slot, .row = zeros(x->n, sizeof(Known)), .next = x->signals};
    memcpy(s->row, row_of(c), x->n * sizeof(Known));
    x->signals = s;
}

void ow_ib_wait(const OwGlobal *gm, const OwLocal *ub, int32_t block, int32_t event, OwLoc loc)
{
    Core *c = core_enter("IBWait", loc);
    struct Cross *x = c->sim->cross;
    CoreWait w;
    if (!open_signal(c, gm, ub, block, event, &w)) return;
    w.kind = WAIT_IB_WAIT;
    wait_for(c, w);
    Signal **at = &x->signals, *s;
    while ((*at)->slot != w.slot) at = &(*at)->next;
    s = *at;
    merge(row_of(c), s->row, x->n);
    *at = s->next;
    free(s->row);
    free(s);
}

/* ---- GroupBarrier --------------------------------------------------------------------------------------------------- */

enum { GROUP_ALIGN = 512, GROUP_UB_BYTES = 1600 }; /* HW: GroupBarrier constructor page */

static void group_number(Core *c, const char *what, const char *what_zh, uint64_t value, uint64_t low, uint64_t high)
{
    if (value >= low && value <= high) return;
    sim_report(c, CHK_ID_GROUP_BARRIER, what, what_zh, LL(value), LL(low), LL(high));
    core_kill(c);
}

/* HW: GroupBarrier pages; the counters' places and the limits of the sizes as the implementation has them. */
void ow_group_open(const OwGlobal *gm, uint32_t arrive_size, uint32_t wait_size, OwLoc loc)
{
    Core *c = core_enter("GroupBarrier", loc);
    uint64_t n = c->sim->launch->block_dim, most = arrive_size > wait_size ? arrive_size : wait_size;
    group_number(c, "the distance of groupWorkspace from a multiple of 512 bytes", "groupWorkspace 距 512 字节倍数的偏移", (uintptr_t)gm->addr % GROUP_ALIGN, 0, 0);
    group_number(c, "arriveSize", "arriveSize", arrive_size, 1, n);
    group_number(c, "waitSize", "waitSize", wait_size, 1, n);
    ledger_hidden(c, c->api, GROUP_UB_BYTES);
    if (!check_space(c, gm, 0, most * GROUP_ALIGN, true)) core_kill(c);
    must_be_resident(c);
}

typedef struct GroupSignal {
    uintptr_t slot;
    uint32_t side, scalar_clock;
} GroupSignal;

/* Runs when MTE3 gets to it: what the block's MTE3 did so far is over, and what its scalar unit did before. */
static void run_group_signal(Core *c, const void *args)
{
    const GroupSignal *s = args;
    struct Cross *x = c->sim->cross;
    Group *g = group_at(x, s->slot);
    Clocks before;
    hazard_signal(c, PIPE_MTE3, &before);
    g->n[s->side]++;
    if (!x->known) return;
    Known *row = g->row[s->side];
    merge(row, row_of(c), x->n);
    Known own;
    memcpy(own.clock, before.at, sizeof own.clock);
    own.clock[PIPE_S] = s->scalar_clock;
    merge(&row[c->block], &own, 1);
}

/* side 0, Arrive: counts once the waiters of all earlier rounds are through; 1, Wait: once all of this round have arrived, whose
 * number `need` is. The counting is a copy of MTE3, which a flag S_MTE3 precedes. */
void ow_group_step(const OwGlobal *gm, uint32_t side, uint32_t index, uint32_t size, uint32_t need, OwLoc loc)
{
    Core *c = core_enter(side == ARRIVALS ? "GroupBarrier::Arrive" : "GroupBarrier::Wait", loc);
    struct Cross *x = c->sim->cross;
    group_number(c, side == ARRIVALS ? "arriveIndex" : "waitIndex", side == ARRIVALS ? "arriveIndex" : "waitIndex", index, 0, size - 1);
    core_needs_order(c);
    uint32_t other = side == ARRIVALS ? WAITERS : ARRIVALS;
    if (need) {
        pipes_run_ready(c); /* others may wait for what was issued here */
        wait_for(c, (CoreWait){.kind = WAIT_GROUP, .group = other, .count = need, .slot = (uintptr_t)gm->addr});
        if (x->known) merge(row_of(c), group_at(x, (uintptr_t)gm->addr)->row[other], x->n);
    }
    const GroupSignal s = {.slot = (uintptr_t)gm->addr, .side = side, .scalar_clock = hazard_clock(c, PIPE_S) - 1};
    issue(c, PIPE_MTE3, run_group_signal, &s, sizeof s, NULL, 0);
}

/* ---- blocks in order ------------------------------------------------------------------------------------------------- */

static void check_order_space(Core *c, const OwGlobal *gm, const OwLocal *ub)
{
    uint64_t n = c->sim->launch->block_dim;
    check_space(c, gm, 0, n * ISA_BLOCK_BYTES, false);
    check_ub(c, ub, n * ISA_BLOCK_BYTES + ISA_BLOCK_BYTES);
    issue_barrier_all(c);
}

void ow_order_init(const OwGlobal *gm, const OwLocal *ub, OwLoc loc)
{
    Core *c = core_enter("InitDetermineComputeWorkspace", loc);
    check_order_space(c, gm, ub);
    if (c->sim->launch->block_dim > 1) must_be_resident(c);
    c->order_open = true;
}

void ow_order_wait(const OwGlobal *gm, const OwLocal *ub, OwLoc loc)
{
    Core *c = core_enter("WaitPreBlock", loc);
    struct Cross *x = c->sim->cross;
    if (!c->order_open) sim_report(c, CHK_ID_ORDER_INIT, c->api);
    check_order_space(c, gm, ub);
    if (!must_be_resident(c)) return;
    wait_for(c, (CoreWait){.kind = WAIT_PREVIOUS, .count = x->n_notified[c->block] + 1});
    for (uint32_t b = 0; b < x->n; b++) /* rows change only when their block notifies or meets others */
        if (x->n_notified[b] > 0) merge(row_of(c), x->known + (size_t)b * x->n, x->n);
}

void ow_order_notify(const OwGlobal *gm, const OwLocal *ub, OwLoc loc)
{
    Core *c = core_enter("NotifyNextBlock", loc);
    if (!c->order_open) sim_report(c, CHK_ID_ORDER_INIT, c->api);
    check_order_space(c, gm, ub);
    if (!must_be_resident(c)) return;
    publish(c);
    c->sim->cross->n_notified[c->block]++;
}

/* ---- nobody can go on ------------------------------------------------------------------------------------------------- */

static size_t describe_wait(const Core *c, char *text, size_t cap, bool zh)
{
    const CoreWait *w = &c->wait;
    uint32_t by = cross_blocker(c);
    const Core *other = NULL;
    for (uint32_t i = 0; i < c->sim->chip->n_vector_cores && c->sim->cores[i]; i++)
        if (c->sim->cores[i]->state == CORE_WAITING && c->sim->cores[i]->block == by) other = c->sim->cores[i];
    int n = zh ? snprintf(text, cap, "第 %u 块在 %s:%u 的 %s 等待", c->block, loc_file(c->loc), c->loc.line, c->api)
               : snprintf(text, cap, "block %u waits in %s at %s:%u", c->block, c->api, loc_file(c->loc), c->loc.line);
    size_t at = (size_t)n < cap ? (size_t)n : cap;
    if (w->kind == WAIT_IB_SET)
        n = snprintf(text + at, cap - at, zh ? "事件 %u 的信号被取走" : " for the signal of event %u to be taken", w->group);
    else if (w->kind == WAIT_GROUP)
        n = snprintf(text + at, cap - at, zh ? "计数达到 %u，当前为 %u" : " for %u blocks to count, of which %u have", w->count,
                     group_at(c->sim->cross, w->slot)->n[w->group]);
    else if (other)
        n = snprintf(text + at, cap - at, zh ? "第 %u 块，而它在 %s:%u 的 %s 等待" : " for block %u, which waits at %s:%u in %s", by, loc_file(other->loc),
                     other->loc.line, other->api);
    else
        n = snprintf(text + at, cap - at, zh ? "第 %u 块，而它已结束" : " for block %u, which has ended", by);
    at += (size_t)n;
    return at < cap ? at : cap;
}

static void wait_graph(Sim *s, char *text, size_t cap, bool zh)
{
    enum { SHOWN = 3 };
    size_t at = 0;
    uint32_t n = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < s->chip->n_vector_cores && s->cores[i]; i++) {
        const Core *c = s->cores[i];
        if (c->state != CORE_WAITING || n++ >= SHOWN) continue;
        if (at && at < cap) at += (size_t)snprintf(text + at, cap - at, zh ? "；" : "; ");
        if (at < cap) at += describe_wait(c, text + at, cap - at, zh);
    }
    if (n > SHOWN && at < cap) snprintf(text + at, cap - at, zh ? "；另有 %u 个核块" : "; and %u more", n - SHOWN);
}

void cross_report_deadlock(Sim *s)
{
    char text[700], zh[700];
    Core *first = NULL;
    uint32_t n_ended = 0, n = s->launch->block_dim;
    bool all_meet = true; /* everyone who waits is in SyncAll: some block did not come */
    for (uint32_t i = 0; i < s->chip->n_vector_cores && s->cores[i]; i++) {
        if (s->cores[i]->state != CORE_WAITING) continue;
        if (!first) first = s->cores[i];
        all_meet &= s->cores[i]->wait.kind == WAIT_SYNC_ALL;
    }
    if (!first) return;
    const uint32_t *arrived = s->cross->n_arrived + (size_t)n * s->cross->n;
    for (uint32_t b = 0; b < n && all_meet; b++) n_ended += arrived[b] < first->wait.count;
    wait_graph(s, text, sizeof text, false);
    wait_graph(s, zh, sizeof zh, true);
    if (all_meet)
        sim_report(first, CHK_ID_SYNC_MISSING, LL(n_ended), LL(n), LL(first->wait.count), text, zh);
    else
        sim_report(first, CHK_ID_CORE_DEADLOCK, text, zh);
}
