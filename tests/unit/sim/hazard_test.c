/* Pipes apart: each check of races, flags between blocks and the data cache is tripped once and missed narrowly once, and
 * random programs whose synchronisation is complete give the same numbers in every schedule, and a finding when one flag
 * is taken away. */
#include "harness.h"
#include "pairs.h"

#include <stdlib.h>

enum { MTE2_V = 4, V_MTE2 = 5, MTE3_V = 6, V_MTE3 = 7, MTE3_MTE2 = 19, MTE2_MTE3 = 20, S_V = 21, V_S = 22, S_MTE2 = 23, MTE3_S = 26 }; /* HardEvent */
enum { P_V = 1, P_MTE2 = 4, P_MTE3 = 5, P_ALL = 6, VECIN = 9, VECOUT = 10, GM_POS = 0 };
#define F32 OW_TYPES(OW_F32, OW_F32)

static _Alignas(64) float x[1024], z[1024], ws[4096];
static _Alignas(512) int32_t counts[1024];
static OwGlobal gx, gz, gw, gc;
static OwLocal a, b, w;

static void open_tensors(void)
{
    gx = (OwGlobal){x, 1}, gz = (OwGlobal){z, 2}, gw = (OwGlobal){ws, 3}, gc = (OwGlobal){counts, 4};
    a = ub_at(0, 1024), b = ub_at(1024, 1024), w = ub_at(8192, 8192);
}

static void order(uint32_t event)
{
    ow_flag_set(event, 0, AT);
    ow_flag_wait(event, 0, AT);
}

static void load(const OwLocal *to) { ow_copy_n(OW_F32, 0, &gx, to, 256, AT); }
static void store_at(uint64_t at, const OwLocal *from, uint64_t n)
{
    OwGlobal g = {z + at, 2};
    ow_copy_n(OW_F32, 1, &g, from, n, AT);
}
static void add(const OwLocal *d, const OwLocal *p, const OwLocal *q) { ow_vec_n("Add", F32, d, p, q, 0, 0, 256, AT); }
static void fill(const OwLocal *d) { ow_vec_n("Duplicate", F32, d, NULL, NULL, 0x3f800000, 0, 256, AT); }

/* Leaves z written, so that no launch ends with a finding about it. */
static void finish(void)
{
    ow_barrier(P_ALL, AT);
    fill(&b);
    order(V_MTE3);
    if (ow_block_idx() == 0)
        for (uint64_t i = 0; i < 1024; i += 256) store_at(i, &b, 256);
    ow_barrier(P_ALL, AT);
}

/* ---- pairs --------------------------------------------------------------------------------------------------------- */

typedef struct Body {
    const char *check;
    SimSeverity severity;
    uint32_t blocks;
    void (*trip)(void), (*miss)(void);
} Body;

static void raw_trip(void) { load(&a), add(&b, &a, &a), finish(); }
static void raw_miss(void) { load(&a), order(MTE2_V), add(&b, &a, &a), finish(); }
static void raw_store_trip(void) { fill(&a), store_at(0, &a, 256), finish(); }
static void raw_store_miss(void) { fill(&a), order(V_MTE3), store_at(0, &a, 256), finish(); }
static void war_trip(void) { load(&a), order(MTE2_V), add(&b, &a, &a), load(&a), finish(); }
static void war_miss(void) { load(&a), order(MTE2_V), add(&b, &a, &a), order(V_MTE2), load(&a), finish(); }
static void war_store_trip(void) { fill(&a), order(V_MTE3), store_at(0, &a, 256), fill(&a), finish(); }
static void war_store_miss(void) { fill(&a), order(V_MTE3), store_at(0, &a, 256), order(MTE3_V), fill(&a), finish(); }
/* Thousands of instructions later the store is long over: a warning. A near pair at the same places is an error again. */
static void war_late(int n_between)
{
    fill(&w), order(V_S), fill(&a), order(V_MTE3), store_at(0, &a, 256);
    for (int i = 0; i < n_between; i++) ow_local_get(OW_F32, &w, 0, AT);
    fill(&a), finish();
}
static void war_late_trip(void) { war_late(9000); }
static void war_late_miss(void) { war_store_miss(); }
static void war_soon_trip(void) { war_late(9000), war_late(0); }
static void war_soon_miss(void) { war_store_miss(); }
static void refill_trip(void) { load(&a), order(MTE2_MTE3), store_at(0, &a, 256), load(&a), finish(); }
static void refill_miss(void) { load(&a), order(MTE2_MTE3), store_at(0, &a, 256), order(MTE3_MTE2), load(&a), finish(); }
static void waw_trip(void) { load(&a), load(&a), finish(); }
static void waw_miss(void) { load(&a), ow_barrier(P_MTE2, AT), load(&a), finish(); }
static void scalar_trip(void) { fill(&a), ow_local_get(OW_F32, &a, 3, AT), finish(); }
static void scalar_miss(void) { fill(&a), order(V_S), ow_local_get(OW_F32, &a, 3, AT), finish(); }
static void scalar_set_trip(void) { ow_local_set(OW_F32, &a, 3, 0, AT), add(&b, &a, &a), finish(); }
static void scalar_set_miss(void) { ow_local_set(OW_F32, &a, 3, 0, AT), order(S_V), fill(&a), finish(); }
/* The scalar unit waited: what it issues afterwards needs no flag of its own. */
static void through_scalar_miss(void) { fill(&a), order(V_S), store_at(0, &a, 256), finish(); }

static void queue(bool deque)
{
    ow_pipe_init(NULL, AT);
    uint32_t q = ow_que_init(GM_POS, VECIN, 1, 1, 1024, AT);
    OwLocal t, d = ub_at(4096, 1024);
    for (int i = 0; i < 3; i++) {
        ow_que_alloc(q, &t, AT);
        load(&t);
        if (deque) ow_que_enque(q, &t, AT), ow_que_deque(q, &t, AT);
        add(&d, &t, &t);
        ow_que_free(q, &t, AT);
    }
    finish();
}
static void queue_trip(void) { queue(false); }
static void queue_miss(void) { queue(true); }

static void back_trip(void) { fill(&a), order(V_MTE3), store_at(0, &a, 256), ow_copy_n(OW_F32, 0, &gz, &b, 256, AT), finish(); }
static void back_miss(void) { fill(&a), order(V_MTE3), store_at(0, &a, 256), order(MTE3_MTE2), ow_copy_n(OW_F32, 0, &gz, &b, 256, AT), finish(); }
static void gm_war(bool ordered)
{
    fill(&a), order(V_MTE3), store_at(0, &a, 256), order(MTE3_MTE2);
    ow_copy_n(OW_F32, 0, &gz, &b, 256, AT), order(MTE3_V);
    ow_vec_n("Adds", F32, &a, &a, NULL, 0x3f800000, 0, 256, AT);
    if (ordered) order(MTE2_MTE3);
    order(V_MTE3), store_at(0, &a, 256), finish();
}
static void gm_war_trip(void) { gm_war(false); }
static void gm_war_miss(void) { gm_war(true); }
static void gm_waw(bool ordered)
{
    OwLocal second = ub_at(2048, 1024);
    fill(&a), ow_vec_n("Duplicate", F32, &second, NULL, NULL, 0x40000000, 0, 256, AT), order(V_MTE3);
    store_at(0, &a, 256);
    if (ordered) ow_barrier(P_MTE3, AT);
    store_at(8, &second, 128), finish();
}
static void gm_waw_trip(void) { gm_waw(false); }
static void gm_waw_miss(void) { gm_waw(true); }

static void blocks_read(bool meet)
{
    uint64_t me = (uint64_t)ow_block_idx();
    fill(&a), order(V_MTE3), store_at(me * 256, &a, 256);
    if (meet) ow_sync_all(NULL, NULL, 0, AT);
    else ow_barrier(P_ALL, AT);
    OwGlobal other = {z + (1 - me) * 256, 2};
    if (me == 1 || meet) ow_copy_n(OW_F32, 0, &other, &b, 256, AT);
    ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void blocks_read_trip(void) { blocks_read(false); }
static void blocks_read_miss(void) { blocks_read(true); }
static void blocks_overwrite(bool meet) /* block 0 reads what block 1 then writes */
{
    fill(&a), order(V_MTE3);
    if (ow_block_idx() == 0) store_at(256, &a, 256), order(MTE3_MTE2);
    OwGlobal g = {z + 256, 2};
    if (ow_block_idx() == 0) ow_copy_n(OW_F32, 0, &g, &b, 256, AT);
    if (meet) ow_sync_all(NULL, NULL, 0, AT);
    if (ow_block_idx() == 1) store_at(256, &a, 256);
    ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void blocks_overwrite_trip(void) { blocks_overwrite(false); }
static void blocks_overwrite_miss(void) { blocks_overwrite(true); }
static void atomics(bool meet) /* block 0 clears, both add */
{
    fill(&a), order(V_MTE3);
    if (ow_block_idx() == 0) store_at(0, &a, 256);
    if (meet) ow_sync_all(NULL, NULL, 0, AT);
    ow_barrier(P_MTE3, AT);
    ow_atomic(1, OW_F32, AT);
    store_at(0, &a, 256);
    ow_atomic(0, OW_F32, AT);
    ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void atomics_trip(void) { atomics(false); }
static void atomics_miss(void) { atomics(true); }

/* V waits for a flag that MTE3 sets behind its own wait for V. */
static void deadlock_trip(void)
{
    fill(&a);
    ow_flag_wait(MTE3_V, 0, AT);
    ow_flag_set(V_MTE3, 0, AT);
    ow_flag_wait(V_MTE3, 0, AT);
    ow_flag_set(MTE3_V, 0, AT);
    finish();
}
static void deadlock_miss(void)
{
    fill(&a);
    ow_flag_wait(MTE3_V, 0, AT);
    ow_flag_set(MTE3_V, 0, AT); /* later in the program, but on another pipe */
    ow_flag_set(V_MTE3, 0, AT);
    ow_flag_wait(V_MTE3, 0, AT);
    finish();
}

static void sync_counts_trip(void)
{
    ow_sync_all(NULL, NULL, 0, AT);
    if (ow_block_idx() == 1) ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void sync_counts_miss(void) { ow_sync_all(NULL, NULL, 0, AT), ow_sync_all(NULL, NULL, 0, AT), finish(); }
static void sync_used_trip(void) { ow_sync_all(&gc, &w, 9, AT), finish(); }
static void sync_used_miss(void) { ow_sync_all(&gc, &w, 2, AT), finish(); }
static void sync_outside_trip(void) { ow_sync_all(&gc, &w, 1, AT), finish(); }
static void sync_outside_miss(void)
{
    if (ow_block_idx() == 0) ow_sync_all(&gc, &w, 1, AT);
    finish();
}
static void sync_space_trip(void) { ow_sync_all(&gw, &w, 0, AT), finish(); }
static void sync_space_miss(void) { ow_sync_all(&gc, &w, 0, AT), finish(); }
static void sync_short_trip(void)
{
    OwLocal small = ub_at(196608 - 32, 32); /* less than 32 bytes a block */
    ow_sync_all(&gc, &small, 0, AT), finish();
}

static void cross(uint32_t sets, uint32_t waits, uint32_t flag, uint32_t pipe)
{
    for (uint32_t i = 0; i < sets; i++) ow_cross_set(0, pipe, flag, AT);
    for (uint32_t i = 0; i < waits; i++) ow_cross_wait(0, flag, AT);
    finish();
}
static void cross_miss(void) { cross(2, 2, 3, P_MTE3); }
static void cross_lost_trip(void) { cross(1, 2, 3, P_MTE3); }
static void cross_flag_trip(void) { cross(1, 1, 19, P_MTE3); }
static void cross_reserved_trip(void) { cross(1, 1, 12, P_MTE3); }
static void cross_counter_trip(void) { cross(17, 17, 3, P_MTE3); }
static void cross_counter_miss(void) { cross(15, 15, 3, P_MTE3); }
static void cross_pipe_trip(void) { cross(1, 0, 3, P_ALL); }

static void ib(int32_t event_set, int32_t event_wait, bool read)
{
    if (ow_block_idx() == 0) {
        fill(&a), order(V_MTE3), store_at(512, &a, 256);
        ow_ib_set(&gc, &w, 0, event_set, AT);
    } else {
        ow_ib_wait(&gc, &w, 0, event_wait, AT);
        OwGlobal g = {z + 512, 2};
        if (read) ow_copy_n(OW_F32, 0, &g, &b, 256, AT);
    }
    ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void ib_trip(void) { ib(0, 1, false); }
static void ib_miss(void) { ib(1, 1, true); }
static void ib_argument_trip(void) { ib(-1, 0, false); }

/* Blocks 0 and 1 write and arrive, 2 and 3 wait and read; in two rounds, block 2 as one that arrives in the second, too. */
static void group_of(uint32_t arrive_size, uint64_t shift, uint32_t index, bool wait)
{
    OwGlobal space = {(uint8_t *)counts + shift, 4};
    uint32_t me = (uint32_t)ow_block_idx();
    ow_group_open(&space, arrive_size, 2, AT);
    fill(&a), order(V_MTE3);
    for (uint32_t round = 1; round <= 2; round++) {
        if (me < 2) {
            ow_group_step(&space, 0, me + index, arrive_size, (round - 1) * 2, AT);
            store_at(256 * me, &a, 256);
            ow_group_step(&space, 0, me + index, arrive_size, (2 * round - 1) * 2, AT);
        } else {
            OwGlobal g = {z + 256 * (me - 2), 2};
            ow_group_step(&space, 1, me - 2, 2, (2 * round - 1) * arrive_size, AT);
            if (wait) ow_group_step(&space, 1, me - 2, 2, 2 * round * arrive_size, AT);
            ow_copy_n(OW_F32, 0, &g, &b, 256, AT);
            ow_barrier(P_ALL, AT);
            if (!wait) ow_group_step(&space, 1, me - 2, 2, 2 * round * arrive_size, AT);
        }
        ow_sync_all(NULL, NULL, 0, AT);
    }
    finish();
}
static void group_miss(void) { group_of(2, 0, 0, true); }
static void group_race_trip(void) { group_of(2, 0, 0, false); }
static void group_size_trip(void) { group_of(5, 0, 0, true); }
static void group_index_trip(void) { group_of(2, 0, 1, true); }
static void group_align_trip(void) { group_of(2, 32, 0, true); }
static void group_missing_trip(void) { group_of(3, 0, 0, true); }
static void group_space_trip(void)
{
    OwGlobal space = {(float *)(((uintptr_t)ws + 511) / 512 * 512), 3}; /* never cleared */
    ow_group_open(&space, 1, 1, AT);
    finish();
}

static void in_order(bool init, bool notify)
{
    uint64_t me = (uint64_t)ow_block_idx();
    if (init) ow_order_init(&gc, &w, AT);
    fill(&a), order(V_MTE3);
    for (int round = 0; round < 2; round++) {
        ow_order_wait(&gc, &w, AT);
        store_at(me * 8, &a, 64), order(MTE3_V); /* over what the block before wrote: in order */
        ow_vec_n("Adds", F32, &a, &a, NULL, 0x3f800000, 0, 256, AT), order(V_MTE3);
        if (notify || me != 0) ow_order_notify(&gc, &w, AT);
    }
    ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void order_miss(void) { ow_barrier(P_ALL, AT), in_order(true, true); }
static void order_init_trip(void) { in_order(false, true); }
static void order_notify_trip(void) { in_order(true, false); }

/* Rows of 126 floats, the last one first, each stored with as many bytes. The rows hold different values. */
static void rows(uint64_t n_bytes, bool up)
{
    for (uint64_t i = 0; i < 4; i++) {
        uint64_t r = up ? i : 3 - i;
        OwGlobal g = {z + r * 126, 2};
        OwPad p = {.count = 1, .len_bytes = (uint32_t)n_bytes, .ext = 1};
        ow_vec_n("Duplicate", F32, &a, NULL, NULL, 0x3f800000 + (r << 20), 0, 256, AT), order(V_MTE3);
        ow_copy_pad(OW_F32, 1, &g, &a, &p, AT), order(MTE3_V);
    }
    finish();
}
static void rows_trip(void) { rows(512, false); }
static void rows_miss(void) { rows(504, false); }
static void rows_up_trip(void) { rows(512, true); }
static void rows_up_miss(void) { rows(504, true); }
static void stale(bool clean)
{
    fill(&a), order(V_MTE3), store_at(0, &a, 256), order(MTE3_S);
    ow_gm_get(OW_F32, &gz, 1, AT);
    ow_vec_n("Adds", F32, &b, &a, NULL, 0x3f800000, 0, 256, AT), order(V_MTE3), ow_flag_set(S_MTE2 + 2, 0, AT), ow_flag_wait(S_MTE2 + 2, 0, AT);
    store_at(0, &b, 256), order(MTE3_S);
    if (clean) ow_dcache_clean(&gz, 0, AT);
    ow_gm_get(OW_F32, &gz, 1, AT);
    ow_dcache_clean(&gz, 1, AT);
    finish();
}
static void stale_trip(void) { stale(false); }
static void stale_miss(void) { stale(true); }
static void unflushed(bool clean)
{
    for (uint64_t i = 0; i < 8; i++) ow_gm_set(OW_F32, &gw, i, 0x3f800000, AT);
    if (clean) ow_dcache_clean(&gw, 0, AT);
    order(S_MTE2);
    ow_copy_n(OW_F32, 0, &gw, &a, 8, AT);
    ow_dcache_clean(&gw, 1, AT);
    finish();
}
static void unflushed_trip(void) { unflushed(false); }
static void unflushed_miss(void) { unflushed(true); }
static void clobber(bool clean)
{
    fill(&a), order(V_MTE3);
    ow_gm_set(OW_F32, &gz, 8, 0x3f800000, AT);
    if (clean) ow_dcache_clean(&gz, 1, AT);
    ow_flag_set(S_MTE2 + 2, 0, AT), ow_flag_wait(S_MTE2 + 2, 0, AT); /* S_MTE3 */
    store_at(0, &a, 8);
    ow_dcache_clean(&gz, 1, AT);
    finish();
}
static void clobber_trip(void) { clobber(false); }
static void clobber_miss(void) { clobber(true); }
static void neighbours(uint64_t step)
{
    fill(&a), order(V_MTE3);
    OwGlobal g = {ws + step, 3};
    if (ow_block_idx() == 0) ow_gm_set(OW_F32, &gw, 0, 0x3f800000, AT);
    else ow_copy_n(OW_F32, 1, &g, &a, 8, AT);
    ow_sync_all(NULL, NULL, 0, AT);
    finish();
}
static void neighbours_trip(void) { neighbours(8); }
static void neighbours_miss(void) { neighbours(16); }

#define E(check, blocks, name) {check, SIM_ERROR, blocks, name##_trip, name##_miss}
#define W(check, blocks, name) {check, SIM_WARNING, blocks, name##_trip, name##_miss}
static const Body BODIES[] = {
    W("race-read-after-write", 1, raw), W("race-read-after-write", 1, raw_store), W("race-write-after-read", 1, war),
    E("race-write-after-read", 1, war_store), W("race-write-after-read", 1, war_late), E("race-write-after-read", 1, war_soon), E("race-write-after-read", 1, refill), W("race-write-after-write", 1, waw),
    W("race-read-after-write", 1, scalar), W("race-read-after-write", 1, scalar_set), W("race-read-after-write", 1, queue),
    E("race-read-after-write", 1, back), W("race-write-after-read", 1, gm_war), W("race-write-after-write", 1, gm_waw),
    {"race-read-after-write", SIM_WARNING, 1, raw_store_trip, through_scalar_miss},
    E("race-between-blocks", 2, blocks_read), E("race-between-blocks", 2, blocks_overwrite), E("race-between-blocks", 2, atomics),
    E("deadlock", 1, deadlock), E("sync-all-missing", 2, sync_counts), E("sync-all-used-cores", 2, sync_used), W("sync-all-outside", 2, sync_outside),
    W("gm-row-overlap", 1, rows), W("gm-row-overlap", 1, rows_up),
    E("sync-all-workspace", 2, sync_space), {"ub-past-end", SIM_ERROR, 2, sync_short_trip, sync_space_miss},
    {"deadlock", SIM_ERROR, 2, cross_lost_trip, cross_miss}, {"cross-flag-id", SIM_ERROR, 2, cross_flag_trip, cross_miss},
    {"cross-flag-reserved", SIM_WARNING, 2, cross_reserved_trip, cross_miss}, E("cross-flag-counter", 2, cross_counter),
    {"cross-flag-pipe", SIM_ERROR, 2, cross_pipe_trip, cross_miss}, E("deadlock", 2, ib), {"ib-argument", SIM_ERROR, 2, ib_argument_trip, ib_miss},
    {"race-between-blocks", SIM_ERROR, 4, group_race_trip, group_miss}, {"group-barrier", SIM_ERROR, 4, group_size_trip, group_miss},
    {"group-barrier", SIM_ERROR, 4, group_index_trip, group_miss}, {"group-barrier", SIM_ERROR, 4, group_align_trip, group_miss},
    {"deadlock", SIM_ERROR, 4, group_missing_trip, group_miss}, {"sync-all-workspace", SIM_ERROR, 4, group_space_trip, group_miss},
    {"order-not-initialised", SIM_ERROR, 3, order_init_trip, order_miss}, {"deadlock", SIM_ERROR, 3, order_notify_trip, order_miss},
    W("cache-stale-read", 1, stale), E("cache-not-flushed", 1, unflushed), W("gm-cache-line-shared", 1, clobber),
    W("gm-cache-line-shared", 2, neighbours),
};

static void (*body)(void);

static void run_body(void *const *args)
{
    (void)args;
    open_tensors();
    body();
}

static void launch(Sim *s, void (*what)(void), uint32_t blocks)
{
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = sizeof x},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = sizeof z},
                        {.name = "ws", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_F32, .data = ws, .n_bytes = sizeof ws},
                        {.name = "counts", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_I32, .data = counts, .n_bytes = sizeof counts, .initialised = true}};
    body = what;
    memset(counts, 0, sizeof counts);
    run_gm(s, run_body, gm, 4, blocks);
}

static Sim *sim_with(const char *options)
{
    SimOptions o = {0};
    Err err;
    Sim *s = new_sim();
    assert_true(sim_parse_options(options, &o, &err));
    sim_set_options(s, &o);
    return s;
}

static void each_check_trips_and_its_neighbour_does_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
        const Body *p = &BODIES[i];
        Sim *s = sim_with("");
        launch(s, p->trip, p->blocks);
        const SimFinding *f = find_check(s, p->check);
        if (!f) print_error("%s did not trip (pair %zu; first finding: %s)\n", p->check, i, sim_n_findings(s) ? sim_finding(s, 0)->text : "none");
        assert_non_null(f);
        if (f->severity != p->severity) print_error("%s (pair %zu): %s\n", p->check, i, f->text);
        assert_int_equal(f->severity, p->severity);
        assert_true(strlen(f->text) > 10 && strlen(f->text_zh) > 10 && strlen(f->hint) > 10 && strlen(f->hint_zh) > 10);
        assert_null(strstr(f->text, "(null)"));
        assert_null(strstr(f->text_zh, "(null)"));
        if (strncmp(p->check, "race-", 5) == 0) assert_true(f->other_line > 0 && f->line > 0);
        sim_free(s);
        static const char *const schedules[] = {"strict", "strict,lazy", "strict,random:1", "strict,random:2"};
        for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++) {
            s = sim_with(schedules[k]);
            launch(s, p->miss, p->blocks);
            if (sim_n_findings(s)) print_error("%s (pair %zu, %s): ", p->check, i, schedules[k]);
            expect_clean(s);
            sim_free(s);
        }
    }
}

static const char *check_of(size_t i) { return BODIES[i].trip && BODIES[i].miss ? BODIES[i].check : NULL; }

static void every_pair_is_here(void **state)
{
    (void)state;
    assert_true(pairs_complete(PAIRS_IN_HAZARD, check_of, sizeof BODIES / sizeof *BODIES));
}

static void strict_makes_errors_of_warnings(void **state)
{
    (void)state;
    Sim *s = sim_with("strict");
    launch(s, raw_trip, 1);
    assert_int_equal(find_check(s, "race-read-after-write")->severity, SIM_ERROR);
    sim_free(s);
}

static void races_are_found_in_every_schedule(void **state)
{
    (void)state;
    static const char *const schedules[] = {"lazy", "random:1", "random:7"};
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof BODIES / sizeof *BODIES; i++) {
            if (strncmp(BODIES[i].check, "race-", 5) != 0 || BODIES[i].blocks > 1) continue;
            Sim *s = sim_with(schedules[k]);
            launch(s, BODIES[i].trip, 1);
            if (!find_check(s, BODIES[i].check)) print_error("%s (pair %zu) under %s\n", BODIES[i].check, i, schedules[k]);
            assert_non_null(find_check(s, BODIES[i].check));
            sim_free(s);
        }
}

/* Of 64 bytes that blocks write scalars into, one block's survive. */
static void adjacent_scalars(void)
{
    uint64_t me = (uint64_t)ow_block_idx();
    ow_gm_set(OW_F32, &gw, me, 0x40000000, AT);
    if (me == 0)
        for (uint64_t i = 0; i < 1024; i++) ow_gm_set(OW_F32, &gz, i, 0, AT);
}

static void scalars_of_two_blocks_in_one_line_are_lost(void **state)
{
    (void)state;
    Sim *s = sim_with("lazy");
    memset(ws, 0, sizeof ws);
    launch(s, adjacent_scalars, 8);
    int n = 0;
    for (int i = 0; i < 8; i++) n += ws[i] == 2.0f;
    assert_int_equal(n, 1);
    assert_non_null(find_check(s, "gm-cache-line-shared"));
    sim_free(s);
}

static void options_are_read(void **state)
{
    (void)state;
    SimOptions o = {0};
    Err err;
    assert_true(sim_parse_options("random:17,strict,exact,threads:2,no-hazards", &o, &err));
    assert_true(o.schedule == SIM_RANDOM && o.seed == 17 && o.strict && o.exact && o.n_threads == 2 && o.no_hazards);
    assert_true(sim_parse_options("", &o, &err) && o.seed == 17);
    static const char *const bad[] = {"eager", "random", "random:", "random:x", "random:1x", "strict lazy", "threads:1000", "lazy;strict",
                                      "lazylazylazylazylazylazylazylazylazylazylazylazylazylazylazylazylazylazy"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        err = (Err){0};
        assert_false(sim_parse_options(bad[i], &o, &err));
        assert_true(o.seed == 17 && strlen(err.message) > 0);
    }
}

/* ---- random programs -------------------------------------------------------------------------------------------------- */

enum { N_OPS = 40, N_BUFS = 5, LANES = 64, MAX_EDGES = 512, P_S = 0 };
typedef enum { OP_LOAD, OP_ADD, OP_SCALE, OP_SUM, OP_COPY, OP_STORE, OP_SET, OP_MOVE, OP_ACCUMULATE, N_KINDS } OpKind; /* MOVE: GetValue and SetValue of an element */

typedef struct Op {
    OpKind kind;
    uint32_t pipe, d, s0, s1, slot; /* buffers; 64 floats of x or z */
} Op;

typedef struct Edge {
    uint32_t from, to, event, id; /* event 99: PipeBarrier of a pipe before `to` */
    bool removed;
} Edge;

static Op ops[N_OPS];
static Edge edges[MAX_EDGES];
static uint32_t n_edges, rng;

static uint32_t pick(uint32_t n)
{
    rng = rng * 1664525u + 1013904223u;
    return (rng >> 8) % n;
}

static uint32_t event_of(uint32_t from, uint32_t to)
{
    static const struct { uint32_t from, to, event; } t[] = {{P_MTE2, P_V, 4}, {P_V, P_MTE2, 5}, {P_MTE3, P_V, 6}, {P_V, P_MTE3, 7}, {P_MTE3, P_MTE2, 19},
        {P_MTE2, P_MTE3, 20}, {P_S, P_V, 21}, {P_V, P_S, 22}, {P_S, P_MTE2, 23}, {P_MTE2, P_S, 24}, {P_S, P_MTE3, 25}, {P_MTE3, P_S, 26}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (t[i].from == from && t[i].to == to) return t[i].event;
    return 99;
}

typedef struct Span {
    uint32_t from, to; /* elements of a buffer */
} Span;
static const Span WHOLE = {0, LANES}, NOTHING = {0, 0};
static bool meet(Span one, Span other) { return one.from < other.to && other.from < one.to; }
static bool is_store(const Op *o) { return o->kind == OP_STORE || o->kind == OP_ACCUMULATE; }

static Span reads(const Op *o, uint32_t buf)
{
    if (o->kind == OP_LOAD || o->kind == OP_SET || (o->s0 != buf && !(o->kind == OP_ADD && o->s1 == buf))) return NOTHING;
    return o->kind == OP_MOVE ? (Span){o->slot, o->slot + 1} : WHOLE;
}
static Span writes(const Op *o, uint32_t buf)
{
    if (is_store(o) || o->d != buf) return NOTHING;
    return o->kind == OP_SET || o->kind == OP_MOVE ? (Span){o->slot, o->slot + 1} : o->kind == OP_SUM ? (Span){0, 1} : WHOLE;
}

static bool conflict(const Op *p, const Op *q)
{
    for (uint32_t k = 0; k < N_BUFS; k++)
        if (meet(writes(p, k), reads(q, k)) || meet(writes(p, k), writes(q, k)) || meet(reads(p, k), writes(q, k))) return true;
    return is_store(p) && is_store(q) && p->slot == q->slot && !(p->kind == OP_ACCUMULATE && q->kind == OP_ACCUMULATE);
}

static bool needs_edge(uint32_t i, uint32_t j)
{
    return conflict(&ops[i], &ops[j]) && (ops[i].pipe != ops[j].pipe || ops[i].pipe == P_MTE2 || ops[i].pipe == P_MTE3);
}

/* Is op i over before op j runs, by the edges that are there? */
static bool is_reached(uint32_t i, uint32_t j)
{
    bool over[N_OPS] = {0};
    over[i] = true; /* over[k]: i is over before k starts, or k is i */
    for (uint32_t k = i + 1; k <= j; k++)
        for (uint32_t e = 0; e < n_edges && !over[k]; e++) {
            const Edge *g = &edges[e];
            if (g->removed || g->to > k) continue;
            bool applies = g->event == 99 ? ops[g->to].pipe == ops[k].pipe : ops[g->to].pipe == P_S || ops[k].pipe == ops[g->to].pipe;
            if (!applies) continue;
            for (uint32_t m = i; m < g->to && !over[k]; m++) /* everything on the source pipe up to the flag */
                over[k] = over[m] && ops[m].pipe == ops[g->from].pipe && (g->event == 99 ? m < g->to : m <= g->from);
        }
    return over[j] && j != i;
}

static void make_program(uint32_t seed)
{
    static const uint32_t pipes[N_KINDS] = {P_MTE2, P_V, P_V, P_V, P_V, P_MTE3, P_S, P_S, P_MTE3};
    bool stored[16] = {false};
    rng = seed * 2654435761u + 1;
    n_edges = 0;
    for (uint32_t j = 0; j < N_OPS; j++) {
        Op *o = &ops[j];
        o->kind = j < N_BUFS ? OP_LOAD : (OpKind)pick(N_KINDS);
        *o = (Op){.kind = o->kind, .pipe = pipes[o->kind], .d = j < N_BUFS ? j : pick(N_BUFS), .s0 = pick(N_BUFS), .s1 = pick(N_BUFS), .slot = pick(16)};
        if (o->kind == OP_SUM && o->d == o->s0) o->d = (o->d + 1) % N_BUFS; /* in place it is a finding of its own */
        if (o->kind == OP_ACCUMULATE && !stored[o->slot]) o->kind = OP_STORE; /* adds to something */
        if (o->kind == OP_STORE) stored[o->slot] = true;
        for (uint32_t i = j; i-- > 0;) {
            if (!needs_edge(i, j) || is_reached(i, j)) continue;
            uint32_t event = ops[i].pipe == o->pipe ? 99 : event_of(ops[i].pipe, o->pipe), busy = 0;
            for (uint32_t e = 0; e < n_edges && event != 99; e++)
                if (edges[e].event == event && edges[e].to >= i) busy |= 1u << edges[e].id;
            if (busy == 0xff) { /* no id left: nothing more that needs one */
                *o = (Op){.kind = OP_LOAD, .pipe = P_MTE2, .d = o->d, .slot = o->slot};
                j--;
                while (n_edges && edges[n_edges - 1].to == j + 1) n_edges--;
                break;
            }
            assert_true(n_edges < MAX_EDGES);
            edges[n_edges++] = (Edge){i, j, event, (uint32_t)__builtin_ctz(~busy), false};
        }
    }
}

#define LINE(i) ((OwLoc){"program", (i) + 1})

static void run_op(const Op *o, OwLoc loc)
{
    OwLocal t[N_BUFS];
    for (uint32_t k = 0; k < N_BUFS; k++) t[k] = ub_at(k * LANES * 4, LANES * 4);
    OwGlobal from = {x + o->slot * LANES, 1}, to = {z + o->slot * LANES, 2};
    switch (o->kind) {
    case OP_LOAD: ow_copy_n(OW_F32, 0, &from, &t[o->d], LANES, loc); break;
    case OP_ADD: ow_vec_n("Add", F32, &t[o->d], &t[o->s0], &t[o->s1], 0, 0, LANES, loc); break;
    case OP_SCALE: ow_vec_n("Muls", F32, &t[o->d], &t[o->s0], NULL, 0x3f000000, 0, LANES, loc); break;
    case OP_SUM: ow_reduce_all("ReduceSum", OW_F32, 0, &t[o->d], &t[o->s0], &w, 0, 1, LANES, NULL, loc); break;
    case OP_COPY: ow_copy_local_n(OW_F32, &t[o->d], &t[o->s0], LANES, loc); break;
    case OP_STORE: ow_copy_n(OW_F32, 1, &to, &t[o->s0], LANES, loc); break;
    case OP_ACCUMULATE: ow_atomic(1, OW_F32, loc), ow_copy_n(OW_F32, 1, &to, &t[o->s0], LANES, loc), ow_atomic(0, OW_F32, loc); break;
    case OP_MOVE: ow_local_set(OW_F32, &t[o->d], o->slot, ow_local_get(OW_F32, &t[o->s0], o->slot, loc), loc); break;
    default: ow_local_set(OW_F32, &t[o->d], o->slot, 0x40400000, loc); break;
    }
}

static void run_program(void)
{
    for (uint32_t j = 0; j < N_OPS; j++) {
        for (uint32_t e = 0; e < n_edges; e++)
            if (edges[e].to == j && !edges[e].removed) {
                if (edges[e].event == 99) ow_barrier(ops[j].pipe, LINE(j));
                else ow_flag_wait(edges[e].event, (int32_t)edges[e].id, LINE(j));
            }
        run_op(&ops[j], LINE(j));
        for (uint32_t e = 0; e < n_edges; e++)
            if (edges[e].from == j && !edges[e].removed && edges[e].event != 99) ow_flag_set(edges[e].event, (int32_t)edges[e].id, LINE(j));
    }
}

/* As a tree of neighbours. */
static float neighbours_sum(const float *v)
{
    float t[LANES];
    memcpy(t, v, sizeof t);
    for (uint32_t n = LANES; n > 1; n /= 2)
        for (uint32_t i = 0; i < n / 2; i++) t[i] = t[2 * i] + t[2 * i + 1];
    return t[0];
}

/* The same by plain loops. */
static void expected(float *out, bool *written)
{
    float buf[N_BUFS][LANES] = {{0}};
    memset(written, 0, 16);
    for (uint32_t j = 0; j < N_OPS; j++) {
        const Op *o = &ops[j];
        for (uint32_t i = 0; i < LANES; i++) {
            if (o->kind == OP_LOAD) buf[o->d][i] = x[o->slot * LANES + i];
            if (o->kind == OP_ADD) buf[o->d][i] = buf[o->s0][i] + buf[o->s1][i];
            if (o->kind == OP_SCALE) buf[o->d][i] = buf[o->s0][i] * 0.5f;
            if (o->kind == OP_STORE) out[o->slot * LANES + i] = buf[o->s0][i];
            if (o->kind == OP_ACCUMULATE) out[o->slot * LANES + i] += buf[o->s0][i];
        }
        if (o->kind == OP_COPY) memcpy(buf[o->d], buf[o->s0], sizeof buf[0]);
        if (o->kind == OP_SUM) buf[o->d][0] = neighbours_sum(buf[o->s0]);
        if (o->kind == OP_MOVE) buf[o->d][o->slot] = buf[o->s0][o->slot];
        if (o->kind == OP_SET) buf[o->d][o->slot] = 3.0f;
        if (o->kind == OP_STORE) written[o->slot] = true;
    }
}

static void expect_races_only(const Sim *s, bool some)
{
    size_t n = 0;
    for (size_t i = 0; i < sim_n_findings(s); i++) {
        const SimFinding *f = sim_finding(s, i);
        bool race = strncmp(f->check, "race-", 5) == 0;
        n += race;
        if (!some && strcmp(f->check, "output-not-written") != 0) print_error("%s:%u and %u: %s\n", f->check, f->line, f->other_line, f->text);
        assert_true(some || strcmp(f->check, "output-not-written") == 0);
    }
    assert_true(some == (n > 0));
}

static void random_programs_agree_in_every_schedule(void **state)
{
    (void)state;
    static const char *const schedules[] = {"strict", "strict,lazy", "strict,random:3", "strict,random:4", "strict,random:5", "no-checks"};
    float want[1024];
    bool written[16];
    for (size_t i = 0; i < 1024; i++) x[i] = (float)(i * 7 % 101);
    for (uint32_t seed = 0; seed < 40; seed++) {
        make_program(seed);
        expected(want, written);
        for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++) {
            Sim *s = sim_with(schedules[k]);
            launch(s, run_program, 1);
            expect_races_only(s, false);
            for (uint32_t i = 0; i < 1024; i++) {
                if (!written[i / LANES]) continue;
                if (z[i] != want[i]) print_error("seed %u, %s, element %u: %g, not %g\n", seed, schedules[k], i, (double)z[i], (double)want[i]);
                assert_true(z[i] == want[i]);
            }
            sim_free(s);
        }
    }
}

/* but_stores: two stores to one place, which matter only when they bring different values, are left out. */
static bool has_race(bool but_stores)
{
    for (uint32_t j = 1; j < N_OPS; j++)
        for (uint32_t i = 0; i < j; i++)
            if (needs_edge(i, j) && !is_reached(i, j) && !(but_stores && ops[i].kind == OP_STORE && ops[j].kind == OP_STORE)) return true;
    return false;
}

static bool reports_pair(const Sim *s, uint32_t i, uint32_t j)
{
    for (size_t k = 0; k < sim_n_findings(s); k++) {
        const SimFinding *f = sim_finding(s, k);
        if (strncmp(f->check, "race-", 5) == 0 && f->line == j + 1 && f->other_line == i + 1) return true;
    }
    return false;
}

static void a_missing_flag_is_named(void **state)
{
    (void)state;
    uint32_t n_direct = 0, n_named = 0;
    for (uint32_t seed = 0; seed < 40; seed++) {
        make_program(seed);
        for (uint32_t e = 0; e < n_edges; e += 3) {
            edges[e].removed = true;
            bool needed = has_race(true);
            Sim *s = sim_with("");
            launch(s, run_program, 1);
            if (needed || !has_race(false)) expect_races_only(s, needed);
            bool direct = !is_store(&ops[edges[e].to]) && !is_reached(edges[e].from, edges[e].to); /* else another pair went by this edge */
            n_named += direct && reports_pair(s, edges[e].from, edges[e].to);
            n_direct += direct;
            sim_free(s);
            edges[e].removed = false;
        }
    }
    /* A pair may be told with a later access in its place: of the reads of one pipe the last is remembered. */
    assert_true(n_direct > 100 && n_named * 10 >= n_direct * 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_check_trips_and_its_neighbour_does_not), cmocka_unit_test(strict_makes_errors_of_warnings),
        cmocka_unit_test(races_are_found_in_every_schedule),           cmocka_unit_test(scalars_of_two_blocks_in_one_line_are_lost),
        cmocka_unit_test(options_are_read),                            cmocka_unit_test(random_programs_agree_in_every_schedule),
        cmocka_unit_test(a_missing_flag_is_named),                     cmocka_unit_test(every_pair_is_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
