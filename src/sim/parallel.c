/* Several host threads for launches whose blocks never meet. Each thread has a Sim of its own (cores, marks, figures) and
 * takes blocks as they come; only global memory is shared. Whatever makes the order of blocks visible gives the attempt up:
 * an API that orders or counts (SyncAll, atomics, printing, the cycle counter), any finding, and any two blocks of different
 * threads that touch the same bytes, one of them writing, or the same cache line through the scalar unit. Then memory is put
 * back and all blocks run one after the other, so that results and findings are those of one thread. Block 0 runs first, alone:
 * what gives up does so there nearly always. */
#include "sim/dcache.h"
#include "sim/sim_int.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 64, MIN_BLOCKS = 4 };

typedef struct Team {
    uint32_t n_blocks;
    uint32_t next;  /* block to take, shared */
    bool given_up;  /* shared */
    SimTrail *trail;
} Team;

typedef struct Member {
    Team *team;
    Sim *sim;
    const SimLaunch *to_open; /* NULL: sim has its launch open already. Clearing megabytes of marks is work for all threads */
    pthread_t thread;
    bool started, no_memory;
} Member;

void core_needs_order(Core *c)
{
    if (!c->sim->given_up) return;
    __atomic_store_n(c->sim->given_up, true, __ATOMIC_RELAXED);
    core_kill(c);
}

bool parallel_is_over(const Sim *s) { return s->given_up && __atomic_load_n(s->given_up, __ATOMIC_RELAXED); }

static bool run_block_of(Sim *s, uint32_t block)
{
    Core *c = sim_idle_core(s);
    if (!c) return false;
    sim_run_block(c, block);
    return true;
}

static void open_for(Member *m)
{
    if (m->to_open) sim_open_launch(m->sim, m->to_open, false);
    m->to_open = NULL;
}

static void *work(void *arg)
{
    Member *m = arg;
    Team *t = m->team;
    sim_set_trail(t->trail);
    open_for(m);
    while (!parallel_is_over(m->sim) && !m->no_memory) {
        uint32_t block = __atomic_fetch_add(&t->next, 1, __ATOMIC_RELAXED);
        if (block >= t->n_blocks) break;
        m->no_memory = !run_block_of(m->sim, block);
    }
    return NULL;
}

/* ---- helpers: the Sims of the other threads ------------------------------------------------------------------------- */

static Sim *helper_at(Sim *s, uint32_t i)
{
    Err err;
    if (!s->helpers) s->helpers = calloc(MAX_THREADS, sizeof *s->helpers);
    if (s->helpers && !s->helpers[i]) s->helpers[i] = sim_new(s->chip->name, &err);
    return s->helpers ? s->helpers[i] : NULL;
}

void parallel_free(Sim *s)
{
    for (uint32_t i = 0; s->helpers && i < MAX_THREADS; i++) sim_free(s->helpers[i]);
    free(s->helpers);
}

static void prepare_helper(Sim *h, const Sim *s, bool *given_up)
{
    sim_reset(h);
    h->options = s->options;
    h->call_limit = s->call_limit;
    h->ub_ledger_top = s->ub_ledger_top;
    h->given_up = given_up;
}

/* Something the helper saw that s has not recorded, and would record in an order of its own. */
static bool has_news(const Sim *h, const Sim *s)
{
    if (h->ub_ledger_top != s->ub_ledger_top) return true;
    for (size_t i = 0; i < h->ub_hidden.n; i++) {
        bool known = false;
        for (size_t k = 0; k < s->ub_hidden.n && !known; k++)
            known = s->ub_hidden.at[k].line == h->ub_hidden.at[i].line && s->ub_hidden.at[k].bytes >= h->ub_hidden.at[i].bytes &&
                    !strcmp(s->ub_hidden.at[k].what, h->ub_hidden.at[i].what);
        if (!known) return true;
    }
    return false;
}

static void take_over(Sim *s, const Sim *h)
{
    s->n_calls += h->n_calls;
    s->key_asked |= h->key_asked;
    s->key_matched |= h->key_matched;
    s->stats.gm_read_bytes += h->stats.gm_read_bytes;
    s->stats.gm_write_bytes += h->stats.gm_write_bytes;
    if (h->stats.store_bytes > s->stats.store_bytes) s->stats.store_bytes = h->stats.store_bytes;
    for (size_t i = 0; i < s->n_ranges; i++) {
        size_t n_words = s->ranges[i].valid ? s->ranges[i].gm->n_bytes / 64 + 1 : 0;
        for (size_t w = 0; w < n_words; w++)
            if (h->ranges[i].valid[w]) s->ranges[i].valid[w] |= h->ranges[i].valid[w];
    }
}

static bool clashes(const Sim *a, const Sim *b)
{
    for (size_t i = 0; i < a->n_ranges; i++)
        if (gm_shadow_clash(&a->ranges[i].shadow, &b->ranges[i].shadow, a->ranges[i].gm->n_bytes)) return true;
    return false;
}

/* ---- memory as it was ------------------------------------------------------------------------------------------------- */

static bool is_written(const SimGm *gm) { return gm->role == SIM_GM_OUTPUT || gm->role == SIM_GM_WORKSPACE; }

static void **save(const SimLaunch *l, Arena *a)
{
    void **saved = ARENA_ARRAY(a, l->n_gm, void *);
    for (size_t i = 0; i < l->n_gm; i++) {
        const SimGm *gm = &l->gm[i];
        if (!is_written(gm) || !gm->initialised || gm->n_bytes == 0) continue;
        saved[i] = malloc(gm->n_bytes);
        if (!saved[i]) abort(); /* as arenas do */
        memcpy(saved[i], gm->data, gm->n_bytes);
    }
    return saved;
}

static void drop(const SimLaunch *l, void **saved, bool put_back)
{
    for (size_t i = 0; i < l->n_gm; i++) {
        if (saved[i] && put_back) memcpy(l->gm[i].data, saved[i], l->gm[i].n_bytes);
        free(saved[i]);
    }
}

/* ---- the attempt -------------------------------------------------------------------------------------------------------- */

/* Blocks 1 and on, by all members. */
static void share_out(Member *members, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) members[i].started = pthread_create(&members[i].thread, NULL, work, &members[i]) == 0;
    work(&members[0]);
    for (uint32_t i = 1; i < n; i++)
        if (members[i].started)
            pthread_join(members[i].thread, NULL);
        else
            open_for(&members[i]); /* it did nothing, and is asked for its marks like the others */
}

static bool agree(const Member *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (members[i].no_memory || has_news(members[i].sim, members[0].sim)) return false;
        for (uint32_t k = 0; k < i; k++)
            if (clashes(members[i].sim, members[k].sim)) return false;
    }
    return true;
}

bool parallel_run(Sim *s, const SimLaunch *l)
{
    const SimOptions *o = &s->options;
    uint32_t n = o->n_threads < MAX_THREADS ? o->n_threads : MAX_THREADS;
    if (n < 2 || o->schedule != SIM_IN_ORDER || o->no_hazards || o->trace || o->watch || l->block_dim < MIN_BLOCKS) return false;
    Team team = {.n_blocks = l->block_dim, .next = 1, .trail = core_trail()};
    Member members[MAX_THREADS] = {{.team = &team, .sim = s}};
    SimStats before = s->stats;
    void **saved = save(l, s->launch_arena);
    s->given_up = &team.given_up;
    members[0].no_memory = !run_block_of(s, 0);
    bool ok = !team.given_up && !members[0].no_memory;
    uint32_t n_members = 1;
    for (; ok && n_members < n; n_members++) {
        Sim *h = helper_at(s, n_members - 1);
        if (!h) break;
        members[n_members] = (Member){.team = &team, .sim = h, .to_open = l};
        prepare_helper(h, s, &team.given_up);
    }
    if (ok) share_out(members, n_members);
    ok = ok && !team.given_up && agree(members, n_members);
    for (uint32_t i = 1; i < n_members; i++) {
        if (ok) take_over(s, members[i].sim);
        sim_close_launch(members[i].sim);
    }
    s->given_up = NULL;
    drop(l, saved, !ok);
    if (ok) return true;
    s->stats = before;
    s->n_calls = 0;
    s->key_asked = s->key_matched = false;
    sim_reopen_ranges(s, l);
    return false;
}
