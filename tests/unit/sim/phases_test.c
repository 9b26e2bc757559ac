/* Random programs of several blocks: in each phase a block takes another's tile through a queue, works on it (gather, arithmetic,
 * reads by the scalar unit) and gives it back through a queue, and all meet in SyncAll. They give the numbers of plain loops in
 * every schedule; with one SyncAll, queue step or flag left out there is a finding. */
#include "harness.h"

enum { N_BLOCKS = 4, N_PHASES = 6, LANES = 64, S_V = 21, V_S = 22, VECIN = 9, VECOUT = 10, GM_POS = 0, NONE = -1 };
typedef enum { WORK_ADD, WORK_GATHER, WORK_SCALAR, N_WORKS } Work;
typedef enum { LEAVE_NOTHING, LEAVE_SYNC, LEAVE_QUEUE_IN, LEAVE_QUEUE_OUT, LEAVE_FLAG, N_LEFT_OUT } LeftOut;

static _Alignas(64) float x[N_BLOCKS * LANES], z[N_BLOCKS * LANES], ws[2 * N_BLOCKS * LANES];
static Work work[N_PHASES][N_BLOCKS];
static uint32_t from[N_PHASES][N_BLOCKS];
static LeftOut left_out;
static int left_phase;

static uint32_t next(uint32_t *rng, uint32_t n)
{
    *rng = *rng * 1664525u + 1013904223u;
    return (*rng >> 8) % n;
}

static void make_program(uint32_t seed)
{
    uint32_t rng = seed * 2654435761u + 1;
    for (int p = 0; p < N_PHASES; p++)
        for (uint32_t k = 0; k < N_BLOCKS; k++) {
            work[p][k] = (Work)next(&rng, N_WORKS);
            from[p][k] = (k + 1 + next(&rng, N_BLOCKS - 1)) % N_BLOCKS; /* another one's */
        }
}

static bool leaves(LeftOut what, int phase) { return left_out == what && left_phase == phase; }

/* Where phase p reads, and with written = 1 where it writes: x, the two halves of ws in turn, z. */
static OwGlobal place(int p, int written, uint32_t block)
{
    int at = p + written;
    if (at == 0) return (OwGlobal){x + block * LANES, 1};
    if (at == N_PHASES) return (OwGlobal){z + block * LANES, 2};
    return (OwGlobal){ws + ((uint32_t)at % 2 * N_BLOCKS + block) * LANES, 3};
}

static void flag(uint32_t event, int p)
{
    if (leaves(LEAVE_FLAG, p)) return;
    ow_flag_set(event, 0, AT);
    ow_flag_wait(event, 0, AT);
}

static void compute(int p, Work what, const OwLocal *d, const OwLocal *s, const OwLocal *reversed)
{
    if (what == WORK_ADD) ow_vec_n("Add", OW_TYPES(OW_F32, OW_F32), d, s, s, 0, 0, LANES, AT);
    if (what == WORK_GATHER) ow_gather(OW_F32, d, s, reversed, 0, LANES, NULL, AT);
    if (what != WORK_SCALAR) return;
    ow_vec_n("Muls", OW_TYPES(OW_F32, OW_F32), d, s, NULL, 0x3f000000, 0, LANES, AT);
    flag(V_S, p);
    ow_local_set(OW_F32, d, 3, ow_local_get(OW_F32, d, 7, AT), AT);
    flag(S_V, p);
    ow_vec_n("Add", OW_TYPES(OW_F32, OW_F32), d, d, d, 0, 0, LANES, AT);
}

static void step(uint32_t que, OwLocal *t, bool left)
{
    if (left) return;
    ow_que_enque(que, t, AT);
    ow_que_deque(que, t, AT);
}

static void body(void *const *args)
{
    (void)args;
    uint32_t block = (uint32_t)ow_block_idx();
    OwLocal reversed = ub_at(98304, LANES * 4), in, out;
    ow_pipe_init(NULL, AT);
    uint32_t que_in = ow_que_init(GM_POS, VECIN, 1, 2, LANES * 4, AT), que_out = ow_que_init(VECOUT, GM_POS, 1, 2, LANES * 4, AT);
    for (uint32_t i = 0; i < LANES; i++) ow_local_set(OW_U32, &reversed, i, (LANES - 1 - i) * 4, AT);
    flag(S_V, NONE);
    for (int p = 0; p < N_PHASES; p++) {
        OwGlobal source = place(p, 0, from[p][block]), target = place(p, 1, block);
        ow_que_alloc(que_in, &in, AT);
        ow_copy_n(OW_F32, 0, &source, &in, LANES, AT);
        step(que_in, &in, leaves(LEAVE_QUEUE_IN, p));
        ow_que_alloc(que_out, &out, AT);
        compute(p, work[p][block], &out, &in, &reversed);
        ow_que_free(que_in, &in, AT);
        step(que_out, &out, leaves(LEAVE_QUEUE_OUT, p));
        ow_copy_n(OW_F32, 1, &target, &out, LANES, AT);
        ow_que_free(que_out, &out, AT);
        if (p + 1 < N_PHASES && !leaves(LEAVE_SYNC, p)) ow_sync_all(NULL, NULL, 0, AT);
    }
}

static void expected(float now[N_BLOCKS * LANES])
{
    float before[N_BLOCKS * LANES];
    memcpy(now, x, sizeof before);
    for (int p = 0; p < N_PHASES; p++) {
        memcpy(before, now, sizeof before);
        for (uint32_t k = 0; k < N_BLOCKS; k++) {
            const float *s = before + from[p][k] * LANES;
            float *d = now + k * LANES;
            for (uint32_t i = 0; i < LANES; i++) d[i] = work[p][k] == WORK_ADD ? 2 * s[i] : work[p][k] == WORK_GATHER ? s[LANES - 1 - i] : s[i];
            if (work[p][k] == WORK_SCALAR) d[3] = s[7];
        }
    }
}

static Sim *launch(const char *options)
{
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = sizeof x},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = sizeof z},
                        {.name = "ws", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_F32, .data = ws, .n_bytes = sizeof ws}};
    SimOptions o = {0};
    Err err;
    Sim *s = new_sim();
    assert_true(sim_parse_options(options, &o, &err));
    sim_set_options(s, &o);
    run_gm(s, body, gm, 3, N_BLOCKS);
    return s;
}

static void phases_agree_in_every_schedule(void **state)
{
    (void)state;
    static const char *const schedules[] = {"strict", "strict,lazy", "strict,random:3", "strict,random:4", "no-checks", "strict,threads:2"};
    float want[N_BLOCKS * LANES];
    left_out = LEAVE_NOTHING;
    for (uint32_t i = 0; i < N_BLOCKS * LANES; i++) x[i] = (float)(i * 7 % 101);
    for (uint32_t seed = 0; seed < 20; seed++) {
        make_program(seed);
        expected(want);
        for (size_t k = 0; k < sizeof schedules / sizeof *schedules; k++) {
            Sim *s = launch(schedules[k]);
            expect_clean(s);
            assert_memory_equal(z, want, sizeof z);
            sim_free(s);
        }
    }
}

static bool has_scalar_work(int p)
{
    for (uint32_t k = 0; k < N_BLOCKS; k++)
        if (work[p][k] == WORK_SCALAR) return true;
    return false;
}

/* A phase with a step left out: SyncAll between two phases, a queue step, the flags around the scalar unit where some block uses it. */
static void what_is_left_out_is_found(void **state)
{
    (void)state;
    uint32_t n = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        make_program(seed);
        for (left_out = LEAVE_SYNC; left_out < N_LEFT_OUT; left_out++)
            for (left_phase = 0; left_phase + 1 < N_PHASES; left_phase++) {
                if (left_out == LEAVE_FLAG && !has_scalar_work(left_phase)) continue;
                Sim *s = launch("");
                bool race = false;
                for (size_t i = 0; i < sim_n_findings(s); i++) race |= strncmp(sim_finding(s, i)->check, "race-", 5) == 0;
                if (!race) print_error("seed %u, phase %d, left out %d: nothing found\n", seed, left_phase, (int)left_out);
                assert_true(race);
                sim_free(s);
                n++;
            }
    }
    assert_true(n > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(phases_agree_in_every_schedule), cmocka_unit_test(what_is_left_out_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
