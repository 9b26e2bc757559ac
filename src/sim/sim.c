/* One Sim: its chip, its findings, and the running of a launch: blocks in waves over the cores, each core a fiber that
 * runs its block to the end or to a synchronisation of all cores. */
#include "sim/dcache.h"
#include "sim/fiber.h"
#include "sim/hazard.h"
#include "sim/sim_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const uint64_t CALL_LIMIT = 2000000000ull; /* API calls in one launch: about a minute of them */

Sim *sim_new(const char *chip, Err *err)
{
    const ChipInfo *info = chip_find(chip);
    if (!info) {
        err_set(err, ERR_NOT_FOUND, NULL, "no chip is called %s", chip);
        err_hint(err, "known chips: Ascend910B1 to Ascend910B4, Ascend910_9391, Ascend910_9362, Ascend910_95");
        return NULL;
    }
    Sim *s = calloc(1, sizeof *s);
    Core **cores = calloc(info->n_vector_cores, sizeof *cores);
    if (!s || !cores) {
        free(s);
        free(cores);
        err_set(err, ERR_INTERNAL, NULL, "no memory for a simulator");
        return NULL;
    }
    s->chip = info;
    s->cores = cores;
    s->arena = arena_new();
    s->call_limit = CALL_LIMIT;
    const char *limit = getenv("OPWRIGHT_SIM_CALL_LIMIT"); /* for tests of the limit itself */
    if (limit) s->call_limit = strtoull(limit, NULL, 10);
    return s;
}

static void core_free(Core *c)
{
    if (!c) return;
    fiber_free(c->fiber);
    free(c->ub);
    free(c->ub_valid);
    pipes_free(c->pipes);
    dcache_free(c->dcache);
    hazards_free(c->hazards);
    free(c->bufs);
    free(c->ques);
    free(c);
}

static Core *core_new(Sim *s)
{
    Core *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->sim = s;
    c->ub_bytes = s->chip->ub_bytes;
    c->ub = aligned_alloc(64, c->ub_bytes);
    c->ub_valid = calloc(c->ub_bytes / 64, sizeof *c->ub_valid);
    c->bufs = calloc(MAX_BUFS + 1, sizeof *c->bufs);
    c->ques = calloc(MAX_QUES + 1, sizeof *c->ques);
    c->fiber = fiber_new();
    c->pipes = pipes_new();
    c->hazards = hazards_new();
    c->dcache = dcache_new();
    if (!c->dcache || !c->pipes || !c->hazards || !c->ub || !c->ub_valid || !c->bufs || !c->ques || !c->fiber) {
        core_free(c);
        return NULL;
    }
    poison_fill(c->ub, c->ub_bytes, 0);
    c->state = CORE_DONE;
    return c;
}

void sim_free(Sim *s)
{
    if (!s) return;
    for (uint32_t i = 0; i < s->chip->n_vector_cores; i++) core_free(s->cores[i]);
    free(s->cores);
    parallel_free(s);
    for (size_t i = 0; i < s->n_stores; i++) {
        free(s->stores[i].valid);
        gm_shadow_free(&s->stores[i].shadow);
    }
    free(s->stores);
    arena_free(s->arena);
    free(s);
}

const SimStats *sim_stats(const Sim *s)
{
    return &s->stats;
}

void sim_reset(Sim *s)
{
    arena_free(s->arena);
    s->arena = arena_new();
    memset(&s->findings, 0, sizeof s->findings);
    memset(&s->ub_uses, 0, sizeof s->ub_uses);
    memset(&s->ub_hidden, 0, sizeof s->ub_hidden);
    s->ub_ledger_top = 0;
    memset(&s->traced, 0, sizeof s->traced);
    s->n_trace_hits = 0;
    s->told_nan = s->told_inf = s->told_range = false;
    memset(&s->stats, 0, sizeof s->stats);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void grow_stores(Sim *s, size_t n)
{
    if (n <= s->n_stores) return;
    s->stores = realloc(s->stores, n * sizeof *s->stores);
    if (!s->stores) abort(); /* as arenas do */
    memset(s->stores + s->n_stores, 0, (n - s->n_stores) * sizeof *s->stores);
    s->n_stores = n;
}

/* Clear bits for n_bytes of global memory. */
static uint64_t *clear_valid(RangeStore *t, size_t n_bytes)
{
    size_t n = (n_bytes / 64 + 1) * sizeof *t->valid;
    if (t->valid && n_bytes <= t->valid_bytes) return memset(t->valid, 0, n);
    free(t->valid);
    t->valid = calloc(1, n);
    t->valid_bytes = n_bytes;
    if (!t->valid) abort();
    return t->valid;
}

static GmShadow clear_shadow(RangeStore *t, size_t n_bytes)
{
    if (t->shadow.pages && n_bytes <= t->shadow_bytes) return t->shadow; /* cleared when its launch ended */
    gm_shadow_free(&t->shadow);
    t->shadow_bytes = n_bytes;
    if (!gm_shadow_new(&t->shadow, n_bytes)) abort();
    return t->shadow;
}

/* Outputs and workspace start unwritten, unless the caller says it has filled them. */
static void open_ranges(Sim *s, const SimLaunch *l, bool fill)
{
    s->ranges = ARENA_ARRAY(s->launch_arena, l->n_gm, GmRange);
    s->n_ranges = l->n_gm;
    grow_stores(s, l->n_gm);
    s->last_range = 0;
    for (size_t i = 0; i < l->n_gm; i++) {
        const SimGm *gm = &l->gm[i];
        bool tracked = (gm->role == SIM_GM_OUTPUT || gm->role == SIM_GM_WORKSPACE) && !gm->initialised && !s->options.no_checks;
        s->ranges[i].gm = gm;
        if (tracked) s->ranges[i].valid = clear_valid(&s->stores[i], gm->n_bytes);
        bool followed = (gm->role == SIM_GM_OUTPUT || gm->role == SIM_GM_WORKSPACE) && !s->options.no_hazards;
        if (followed) s->ranges[i].shadow = clear_shadow(&s->stores[i], gm->n_bytes);
        if (tracked && gm->blank && fill) gm_raw_open(&s->ranges[i]);
    }
}

static void check_written(Sim *s, GmRange *r)
{
    size_t n = r->gm->n_bytes;
    if (bits_all(r->valid, 0, n)) return;
    size_t missing = n - bits_count(r->valid, 0, n);
    size_t size = dtype_info(r->gm->dtype)->size_bytes, n_gaps = 0, first = 0, first_end = 0;
    for (size_t at = bits_find(r->valid, 0, n, false); at < n;) {
        size_t end = bits_find(r->valid, at, n, true);
        if (n_gaps++ == 0) first = at, first_end = end;
        poison_fill((uint8_t *)r->gm->data + at, end - at, at);
        at = bits_find(r->valid, end, n, false);
    }
    sim_report_launch(s, CHK_ID_OUT_NOT_WRITTEN, LL(missing), LL(n), r->gm->name, LL(first), LL(first_end - 1),
                      LL(first / size), LL((first_end - 1) / size), LL(n_gaps));
}

static void check_ranges(Sim *s)
{
    for (size_t i = 0; i < s->n_ranges; i++) {
        GmRange *r = &s->ranges[i];
        if (r->valid) gm_raw_close(s, r);
        if (r->gm->role == SIM_GM_OUTPUT && r->n_same > 0 && r->n_same >= r->gm->n_bytes)
            sim_report_launch(s, CHK_ID_SAME_BY_ALL, LL(r->gm->n_bytes), LL(r->n_same / r->gm->n_bytes + 1), r->gm->name);
        if (r->gm->role == SIM_GM_OUTPUT && r->valid) check_written(s, r);
    }
}

static void free_ranges(Sim *s)
{
    for (size_t i = 0; i < s->n_ranges; i++) {
        if (!s->ranges[i].shadow.pages) continue;
        gm_shadow_clear(&s->ranges[i].shadow, s->ranges[i].gm->n_bytes);
        s->stores[i].shadow = s->ranges[i].shadow;
    }
    s->ranges = NULL;
    s->n_ranges = 0;
}

void sim_reopen_ranges(Sim *s, const SimLaunch *l)
{
    free_ranges(s);
    open_ranges(s, l, true);
}

static void run_block(void *arg)
{
    Core *c = arg;
    c->sim->launch->entry(c->sim->launch->args);
    core_finish(c);
    c->state = CORE_DONE;
}

/* Runs c until it is done or waits for the others. */
static void resume(Core *c)
{
    sim_core = c;
    fiber_enter(c->fiber);
    sim_core = NULL;
}

/* A core that runs nothing; NULL without memory. Blocks that never meet follow each other on core 0, whose memories stay
 * in the host's cache. */
Core *sim_idle_core(Sim *s)
{
    for (uint32_t i = 0; i < s->chip->n_vector_cores; i++) {
        if (!s->cores[i]) s->cores[i] = core_new(s);
        if (!s->cores[i] || s->cores[i]->state == CORE_DONE) return s->cores[i];
    }
    return NULL;
}

static uint32_t below(Sim *s, uint32_t n)
{
    s->random = s->random * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((s->random >> 33) % n);
}

/* A block that has ended: its cache is written back now, or as late as can be. HW: the end of a kernel writes it back. */
static void end_block(Core *c)
{
    SimSchedule schedule = c->sim->options.schedule;
    if (c->state != CORE_DONE) return;
    bool late = dcache_is_dirty(c) && (schedule == SIM_LAZY || (schedule == SIM_RANDOM && below(c->sim, 2)));
    if (late)
        c->state = CORE_HELD;
    else
        dcache_clean(c, NULL, true);
}

static void write_back_held(Sim *s)
{
    uint32_t n = s->chip->n_vector_cores, from = s->options.schedule == SIM_RANDOM ? below(s, n) : 0;
    for (uint32_t i = 0; i < n; i++) {
        Core *c = s->cores[(from + i) % n];
        if (!c || c->state != CORE_HELD) continue;
        dcache_clean(c, NULL, true);
        c->state = CORE_DONE;
    }
}

static Core *next_ready(Sim *s)
{
    Core *ready[256];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->chip->n_vector_cores && s->cores[i] && n < 256; i++)
        if (s->cores[i]->state == CORE_WAITING && cross_blocker(s->cores[i]) == UINT32_MAX) ready[n++] = s->cores[i];
    if (n == 0) return NULL;
    return ready[s->options.schedule == SIM_RANDOM ? below(s, n) : 0];
}

static void end_waiting(Sim *s)
{
    if (s->n_killed == 0) cross_report_deadlock(s); /* a core that ended by a fault explains the wait */
    for (uint32_t i = 0; i < s->chip->n_vector_cores && s->cores[i]; i++) {
        Core *c = s->cores[i];
        if (c->state != CORE_WAITING) continue;
        c->state = CORE_DONE;
        end_block(c);
    }
}

void sim_run_block(Core *c, uint32_t block)
{
    core_reset(c, block);
    fiber_set(c->fiber, run_block, c);
    resume(c);
    end_block(c);
}

/* The blocks of a wave, in their order or in one drawn. */
static void wave_order(Sim *s, uint32_t first, uint32_t n, uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++) order[i] = first + i;
    for (uint32_t i = n; i > 1 && s->options.schedule == SIM_RANDOM; i--) {
        uint32_t k = below(s, i), t = order[k];
        order[k] = order[i - 1];
        order[i - 1] = t;
    }
}

/* Blocks first..first+n-1 at once: each runs until it ends or waits for others, then whoever can go on. */
static bool run_wave(Sim *s, uint32_t first, uint32_t n, Err *err)
{
    uint32_t *order = ARENA_ARRAY(s->launch_arena, n, uint32_t);
    s->n_killed = 0;
    wave_order(s, first, n, order);
    for (uint32_t i = 0; i < n; i++) {
        Core *c = sim_idle_core(s);
        if (!c) return err_set(err, ERR_INTERNAL, NULL, "no memory for core %u of the simulator", i);
        sim_run_block(c, order[i]);
    }
    for (Core *c = next_ready(s); c; c = next_ready(s)) {
        c->state = CORE_READY;
        resume(c);
        end_block(c);
    }
    end_waiting(s);
    write_back_held(s);
    return true;
}

static bool run_blocks(Sim *s, const SimLaunch *l, Err *err)
{
    uint32_t n_cores = s->chip->n_vector_cores;
    bool ok = true;
    if (parallel_run(s, l)) return true;
    for (uint32_t first = 0; first < l->block_dim && ok; first += n_cores) {
        uint32_t n = l->block_dim - first;
        ok = run_wave(s, first, n < n_cores ? n : n_cores, err);
    }
    return ok;
}

void sim_open_launch(Sim *s, const SimLaunch *l, bool fill)
{
    s->launch = l;
    s->launch_arena = arena_new();
    s->n_calls = 0;
    s->key_asked = s->key_matched = false;
    s->random = s->options.seed;
    s->cross = cross_new(l->block_dim <= s->chip->n_vector_cores ? l->block_dim : 0);
    memset(s->insn_cache, 0, sizeof s->insn_cache); /* names live in the kernel's library, which may have changed */
    memset(&s->sites, 0, sizeof s->sites);
    memset(s->site_cache, 0, sizeof s->site_cache);
    open_ranges(s, l, fill);
}

void sim_close_launch(Sim *s)
{
    free_ranges(s);
    cross_free(s->cross);
    s->cross = NULL;
    arena_free(s->launch_arena);
    s->launch_arena = NULL;
    s->launch = NULL;
}

bool sim_launch(Sim *s, const SimLaunch *l, Err *err)
{
    double start_s = now_s();
    bool ok = true;
    if (l->block_dim == 0 || l->block_dim > 65535) {
        s->launch = l;
        sim_report_launch(s, CHK_ID_BLOCK_DIM, LL(l->block_dim));
        s->launch = NULL;
    } else {
        sim_open_launch(s, l, true);
        ok = run_blocks(s, l, err);
        if (s->key_asked && !s->key_matched && l->tiling_key != 0) sim_report_launch(s, CHK_ID_TILING_KEY, LL(l->tiling_key));
        check_ranges(s);
        s->stats.n_insns += s->n_calls;
        sim_close_launch(s);
    }
    s->stats.wall_s += now_s() - start_s;
    return ok;
}
