/* The pipes of a core: queues of instructions that have been issued and have not run, the flags between them, and the
 * schedule that says which runs next. A pipe's instructions run in the order of issue. */
#include "sim/issue.h"
#include "sim/hazard.h"
#include "sim/sim_int.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ENTRY_RUN, ENTRY_SET, ENTRY_WAIT, ENTRY_BARRIER } EntryKind;

typedef struct Entry {
    struct Entry *next;
    EntryKind kind;
    FlagSpace space;
    uint32_t event, id;
    IssueRun *run;
    OwLoc loc;
    const char *api;
    Regs regs; /* as they were when the instruction was issued */
    Clocks issued; /* what the scalar unit had waited for by then */
    uint32_t seq, n_acc;
    size_t acc_at; /* offset of the accesses in data */
    _Alignas(16) unsigned char data[];
} Entry;

typedef struct PipeQueue {
    Entry *first, *last;
} PipeQueue;

/* A flag that is set, with what is known to have happened before; sets of one flag that were not waited for follow each other. */
typedef struct Token {
    struct Token *next;
    Clocks before;
} Token;

typedef struct Flag {
    Token *first, *last;
} Flag;

typedef struct Pipes {
    PipeQueue queue[N_PIPES];
    uint32_t n_queued, seq;
    uint64_t random;
    Flag flags[N_FLAG_SPACES][N_EVENTS][N_EVENT_IDS];
    Token *spare;
} Pipes;

enum { MAX_QUEUED = 8192 }; /* instructions that wait; then the scalar unit does. ASSUMED: any bound is a legal machine */

static const struct {
    const char *name;
    Pipe from, to;
} EVENTS[N_EVENTS] = {
#define EVENT(from, to) {#from "_" #to, PIPE_##from, PIPE_##to},
#include "sim/event.def"
#undef EVENT
};

const char *event_name(uint32_t event) { return event < N_EVENTS ? EVENTS[event].name : "?"; }
Pipe event_source(uint32_t event) { return EVENTS[event].from; }
Pipe event_target(uint32_t event) { return EVENTS[event].to; }

const char *pipe_name(Pipe p)
{
    static const char *const names[N_PIPES] = {"S", "V", "MTE2", "MTE3", "MTE1", "M", "FIX"};
    return names[p];
}

uint32_t event_between(Pipe from, Pipe to)
{
    for (uint32_t e = 0; e < N_EVENTS; e++)
        if (EVENTS[e].from == from && EVENTS[e].to == to) return e;
    return N_EVENTS;
}

/* ---- queues ------------------------------------------------------------------------------------------------------ */

struct Pipes *pipes_new(void)
{
    return calloc(1, sizeof(Pipes));
}

static void drop_entries(Pipes *p)
{
    for (uint32_t i = 0; i < N_PIPES; i++)
        for (Entry *e = p->queue[i].first, *next; e; e = next) next = e->next, free(e);
    memset(p->queue, 0, sizeof p->queue);
    p->n_queued = 0;
}

static void give_token(Pipes *p, Token *t)
{
    t->next = p->spare;
    p->spare = t;
}

static void drop_tokens(Pipes *p)
{
    Flag *flags = &p->flags[0][0][0];
    for (size_t i = 0; i < sizeof p->flags / sizeof *flags; i++)
        for (Token *t = flags[i].first, *next; t; t = next) next = t->next, give_token(p, t);
    memset(p->flags, 0, sizeof p->flags);
}

void pipes_free(struct Pipes *p)
{
    if (!p) return;
    drop_entries(p);
    drop_tokens(p);
    for (Token *t = p->spare, *next; t; t = next) next = t->next, free(t);
    free(p);
}

void pipes_reset(Core *c)
{
    Pipes *p = c->pipes;
    drop_entries(p);
    drop_tokens(p);
    p->seq = 0;
    p->random = (c->sim->options.seed + 1) * 0x9e3779b97f4a7c15ull ^ (c->block + 1) * 0xbf58476d1ce4e5b9ull;
}

static uint32_t below(Pipes *p, uint32_t n) /* xorshift64* */
{
    p->random ^= p->random >> 12;
    p->random ^= p->random << 25;
    p->random ^= p->random >> 27;
    return (uint32_t)((p->random * 0x2545f4914f6cdd1dull >> 32) % n);
}

static Entry *entry_new(Core *c, EntryKind kind, size_t n_args, uint32_t n_acc)
{
    size_t acc_at = (n_args + 15) / 16 * 16;
    Entry *e = malloc(sizeof *e + acc_at + n_acc * sizeof(Access));
    if (!e) abort(); /* as arenas do */
    *e = (Entry){.kind = kind, .loc = c->loc, .api = c->api, .regs = c->regs, .seq = c->pipes->seq, .n_acc = n_acc, .acc_at = acc_at};
    hazard_issued(c, &e->issued);
    return e;
}

static void push(Core *c, Pipe pipe, Entry *e)
{
    PipeQueue *q = &c->pipes->queue[pipe];
    if (q->first)
        q->last->next = e;
    else
        q->first = e;
    q->last = e;
    c->pipes->n_queued++;
}

/* ---- flags ------------------------------------------------------------------------------------------------------- */

static Flag *flag_of(Core *c, const Entry *e) { return &c->pipes->flags[e->space][e->event][e->id]; }

static void set_flag(Core *c, Flag *f, uint32_t event)
{
    Token *t = c->pipes->spare;
    if (t)
        c->pipes->spare = t->next;
    else if (!(t = malloc(sizeof *t)))
        abort();
    t->next = NULL;
    hazard_signal(c, EVENTS[event].from, &t->before);
    if (f->first)
        f->last->next = t;
    else
        f->first = t;
    f->last = t;
}

static void take_flag(Core *c, Flag *f, uint32_t event)
{
    Token *t = f->first;
    f->first = t->next;
    hazard_join(c, EVENTS[event].to, &t->before);
    give_token(c->pipes, t);
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static void run_entry(Core *c, Pipe pipe, Entry *e)
{
    OwLoc loc = c->loc;
    const char *api = c->api;
    Regs regs = c->regs;
    c->loc = e->loc;
    c->api = e->api;
    c->regs = e->regs;
    hazard_access(c, pipe, e->seq, (const Access *)(e->data + e->acc_at), e->n_acc);
    e->run(c, e->data);
    c->loc = loc;
    c->api = api;
    c->regs = regs;
}

static bool is_ready(Core *c, Pipe pipe)
{
    const Entry *e = c->pipes->queue[pipe].first;
    return e && (e->kind != ENTRY_WAIT || flag_of(c, e)->first);
}

/* Runs the first instruction of a pipe, which is ready. */
static void step(Core *c, Pipe pipe)
{
    PipeQueue *q = &c->pipes->queue[pipe];
    Entry *e = q->first;
    q->first = e->next;
    c->pipes->n_queued--;
    hazard_enter(c, pipe, &e->issued);
    switch (e->kind) {
    case ENTRY_RUN: run_entry(c, pipe, e); break;
    case ENTRY_SET: set_flag(c, flag_of(c, e), e->event); break;
    case ENTRY_WAIT: take_flag(c, flag_of(c, e), e->event); break;
    case ENTRY_BARRIER: hazard_barrier(c, pipe); break;
    }
    free(e);
}

/* Runs one instruction that `pipe` needs to go on: its first, or what sets the flag its first waits for, and so on. */
static bool advance(Core *c, Pipe pipe)
{
    for (uint32_t seen = 0; !(seen >> pipe & 1);) {
        const Entry *e = c->pipes->queue[pipe].first;
        if (!e) return false;
        if (is_ready(c, pipe)) return step(c, pipe), true;
        seen |= 1u << pipe;
        pipe = EVENTS[e->event].from;
    }
    return false;
}

static bool step_random(Core *c)
{
    Pipe ready[N_PIPES];
    uint32_t n = 0;
    for (Pipe p = 0; p < N_PIPES; p++)
        if (is_ready(c, p)) ready[n++] = p;
    if (n) step(c, ready[below(c->pipes, n)]);
    return n > 0;
}

static bool run_all_ready(Core *c)
{
    bool any = false;
    for (bool again = c->pipes->n_queued > 0; again;) {
        again = false;
        for (Pipe p = 0; p < N_PIPES; p++)
            while (is_ready(c, p)) {
                step(c, p);
                any = again = true;
            }
    }
    return any;
}

/* One thing more towards what `pipe` has to do. False: nothing can. */
static bool progress(Core *c, Pipe pipe)
{
    switch (c->sim->options.schedule) {
    case SIM_LAZY: return advance(c, pipe);
    case SIM_RANDOM: return step_random(c);
    default: return run_all_ready(c);
    }
}

/* Lazy: consumers first, so that data which is not waited for is not there yet. */
static bool progress_any(Core *c)
{
    static const Pipe order[N_PIPES] = {PIPE_MTE3, PIPE_FIX, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_S};
    if (c->sim->options.schedule != SIM_LAZY) return progress(c, PIPE_S);
    for (uint32_t i = 0; i < N_PIPES; i++)
        if (c->pipes->queue[order[i]].first && advance(c, order[i])) return true;
    return false;
}

/* After an instruction was queued. */
static void settle(Core *c)
{
    Pipes *p = c->pipes;
    if (c->sim->options.schedule == SIM_RANDOM)
        while (below(p, 3) == 0 && step_random(c)) continue;
    if (c->sim->options.schedule == SIM_IN_ORDER) run_all_ready(c);
    while (p->n_queued > MAX_QUEUED && progress_any(c)) continue;
}

static bool runs_at_once(const Core *c, Pipe pipe) { return c->sim->options.schedule == SIM_IN_ORDER && !c->pipes->queue[pipe].first; }

bool issue_direct(Core *c, Pipe pipe, const Access *acc, uint32_t n_acc)
{
    uint32_t seq = ++c->pipes->seq;
    if (c->eaten.n_bytes) reuse_check(c, acc, n_acc);
    if (c->is_guarded) guard_check(c, pipe, acc, n_acc);
    if (!runs_at_once(c, pipe)) return false;
    hazard_enter_now(c, pipe);
    hazard_access(c, pipe, seq, acc, n_acc);
    return true;
}

void issue(Core *c, Pipe pipe, IssueRun *run, const void *args, size_t n_bytes, const Access *acc, uint32_t n_acc)
{
    if (issue_direct(c, pipe, acc, n_acc))
        run(c, args);
    else
        issue_later(c, pipe, run, args, n_bytes, acc, n_acc);
}

void issue_later(Core *c, Pipe pipe, IssueRun *run, const void *args, size_t n_bytes, const Access *acc, uint32_t n_acc)
{
    Entry *e = entry_new(c, ENTRY_RUN, n_bytes, n_acc);
    e->run = run;
    if (n_bytes) memcpy(e->data, args, n_bytes);
    if (n_acc) memcpy(e->data + e->acc_at, acc, n_acc * sizeof *acc);
    push(c, pipe, e);
    settle(c);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------ */

/* "V waits for MTE3_V, id 0, at kernel_src:12; ..." of all pipes that wait. */
static void waits_text(Core *c, char *text, size_t cap, bool zh)
{
    size_t at = 0;
    text[0] = 0;
    for (Pipe p = 0; p < N_PIPES && at < cap; p++) {
        const Entry *e = c->pipes->queue[p].first;
        if (!e || e->kind != ENTRY_WAIT || is_ready(c, p)) continue;
        at += (size_t)snprintf(text + at, cap - at, zh ? "%s%s 在 %s:%u 等待 %s（事件号 %u）" : "%s%s waits at %s:%u for %s, id %u", at ? (zh ? "；" : "; ") : "",
                               pipe_name(p), loc_file(e->loc), e->loc.line, event_name(e->event), e->id);
    }
}

static void report_deadlock(Core *c, const char *who, const char *who_zh)
{
    char text[512], zh[512];
    if (core_report_owed(c)) return; /* that explains it */
    waits_text(c, text, sizeof text, false);
    waits_text(c, zh, sizeof zh, true);
    sim_report(c, CHK_ID_DEADLOCK, who, who_zh, text, zh);
}

void issue_set(Core *c, FlagSpace space, uint32_t event, uint32_t id)
{
    Pipe pipe = EVENTS[event].from;
    if (runs_at_once(c, pipe)) {
        hazard_enter_now(c, pipe);
        set_flag(c, &c->pipes->flags[space][event][id], event);
        if (c->pipes->n_queued) run_all_ready(c);
        return;
    }
    Entry *e = entry_new(c, ENTRY_SET, 0, 0);
    e->space = space, e->event = event, e->id = id;
    push(c, pipe, e);
    settle(c);
}

static void scalar_wait(Core *c, Flag *f, uint32_t event, uint32_t id)
{
    while (!f->first) {
        if (progress(c, EVENTS[event].from)) continue;
        char who[64], who_zh[64];
        snprintf(who, sizeof who, "the scalar unit waits for %s, id %u", event_name(event), id);
        snprintf(who_zh, sizeof who_zh, "标量单元等待 %s（事件号 %u）", event_name(event), id);
        report_deadlock(c, who, who_zh);
        core_kill(c);
    }
    take_flag(c, f, event);
}

void issue_wait(Core *c, FlagSpace space, uint32_t event, uint32_t id)
{
    Pipe pipe = EVENTS[event].to;
    Flag *f = &c->pipes->flags[space][event][id];
    if (pipe == PIPE_S) {
        scalar_wait(c, f, event, id);
        return;
    }
    if (runs_at_once(c, pipe) && f->first) {
        take_flag(c, f, event);
        return;
    }
    Entry *e = entry_new(c, ENTRY_WAIT, 0, 0);
    e->space = space, e->event = event, e->id = id;
    push(c, pipe, e);
    settle(c);
}

void issue_barrier(Core *c, Pipe pipe)
{
    if (runs_at_once(c, pipe)) {
        hazard_enter_now(c, pipe);
        hazard_barrier(c, pipe);
        return;
    }
    push(c, pipe, entry_new(c, ENTRY_BARRIER, 0, 0));
    settle(c);
}

bool pipes_drain(Core *c)
{
    while (c->pipes->n_queued)
        if (!progress_any(c)) {
            report_deadlock(c, "everything issued so far has to end", "此前下发的指令必须全部结束");
            return false;
        }
    hazard_barrier_all(c);
    return true;
}

void pipes_run_ready(Core *c)
{
    run_all_ready(c);
}

Pipe pipe_of_abi(uint32_t pipe)
{
    static const Pipe pipes[] = {PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, N_PIPES, N_PIPES, N_PIPES, N_PIPES, PIPE_FIX};
    return pipe < sizeof pipes / sizeof *pipes ? pipes[pipe] : N_PIPES;
}

void issue_barrier_all(Core *c)
{
    if (!pipes_drain(c)) core_kill(c);
}

void issue_scalar_read(Core *c, const Access *acc, uint32_t n_acc)
{
    while (c->pipes->queue[PIPE_S].first) step(c, PIPE_S); /* stores and flags of the scalar unit never wait */
    if (c->is_guarded) guard_check(c, PIPE_S, acc, n_acc);
    hazard_enter_now(c, PIPE_S);
    hazard_access(c, PIPE_S, ++c->pipes->seq, acc, n_acc);
}
