/* Simulated vector operators on 16 M floats, and scalar access to global memory, timed: one line each, `name ms`. bench/sim/run.py
 * builds it, runs it and sets the times beside PyTorch's.
 * Use: operators [OPTIONS [NAME]]: words of sim_parse_options, "threads:2", "no-hazards" or "no-checks"; without NAME every operator; NAME scalar: only the last line.
 * The kernels are the classic three-stage ones, against the C interface: per tile two queue cycles, copies, and the
 * instructions of the operator's row. */
#include "../../device/abi.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { N = 1 << 24, BLOCKS = 40, TILE = 4096, VECIN = 9, VECOUT = 10, GM = 0, RUNS = 3 };
enum { SCALAR_BLOCKS = 1000, SCALAR_PER_BLOCK = 2048 };
#define AT  ((OwLoc){"bench", (uint32_t)__LINE__})
#define F32 OW_TYPES(OW_F32, OW_F32)

typedef enum { END, X, Y, Z, NONE } Src; /* the operands of a step; Z is the tile that becomes the result */

typedef struct Step {
    const char *api;
    Src a, b;
    float scalar;
} Step;

typedef struct Operator {
    const char *name;
    int n_inputs;
    Step steps[9];
} Operator;

static const Operator OPERATORS[] = {
#define OPERATOR(name, n_inputs, ...) {#name, n_inputs, {__VA_ARGS__}},
#include "operators.def"
#undef OPERATOR
};
enum { N_OPERATORS = sizeof OPERATORS / sizeof *OPERATORS };

static const Operator *op;

static uint64_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static void compute(const OwLocal *z, const OwLocal *x, const OwLocal *y)
{
    const OwLocal *of[] = {[X] = x, [Y] = y, [Z] = z, [NONE] = NULL};
    for (const Step *s = op->steps; s->api; s++) ow_vec_n(s->api, F32, z, of[s->a], of[s->b], bits(s->scalar), 0, TILE, AT);
}

static void kernel(void *const *args)
{
    uint64_t per = N / BLOCKS / TILE * TILE + TILE, from = per * (uint64_t)ow_block_idx(), end = from + per < N ? from + per : N;
    ow_pipe_init(NULL, AT);
    uint32_t qx = ow_que_init(GM, VECIN, 1, 2, TILE * 4, AT), qy = ow_que_init(GM, VECIN, 1, 2, TILE * 4, AT);
    uint32_t qz = ow_que_init(VECOUT, GM, 1, 2, TILE * 4, AT);
    for (uint64_t at = from; at < end; at += TILE) {
        OwLocal x, y, z;
        OwGlobal gx = {(float *)args[0] + at, 1}, gy = {(float *)args[1] + at, 2}, gz = {(float *)args[2] + at, 3};
        ow_que_alloc(qx, &x, AT);
        ow_copy_n(OW_F32, 0, &gx, &x, TILE, AT);
        ow_que_enque(qx, &x, AT);
        if (op->n_inputs == 2) {
            ow_que_alloc(qy, &y, AT);
            ow_copy_n(OW_F32, 0, &gy, &y, TILE, AT);
            ow_que_enque(qy, &y, AT);
            ow_que_deque(qy, &y, AT);
        }
        ow_que_deque(qx, &x, AT);
        ow_que_alloc(qz, &z, AT);
        compute(&z, &x, &y);
        ow_que_enque(qz, &z, AT);
        ow_que_free(qx, &x, AT);
        if (op->n_inputs == 2) ow_que_free(qy, &y, AT);
        ow_que_deque(qz, &z, AT);
        ow_copy_n(OW_F32, 1, &gz, &z, TILE, AT);
        ow_que_free(qz, &z, AT);
    }
}

/* z[i] = x[i], a scalar at a time, each block its own part. */
static void scalar_kernel(void *const *args)
{
    OwGlobal x = {args[0], 1}, z = {args[2], 3};
    uint64_t from = (uint64_t)ow_block_idx() * SCALAR_PER_BLOCK;
    for (uint64_t i = from; i < from + SCALAR_PER_BLOCK; i++) ow_gm_set(OW_F32, &z, i, ow_gm_get(OW_F32, &x, i, AT), AT);
}

/* The best of some launches in ms; negative after an error or a finding. */
static double best_ms(Sim *s, const SimLaunch *l)
{
    double best = -1;
    for (int r = 0; r < RUNS; r++) {
        Err err;
        sim_reset(s);
        if (!sim_launch(s, l, &err)) return -1;
        for (size_t i = 0; i < sim_n_findings(s); i++) fprintf(stderr, "%s\n", sim_finding(s, i)->text);
        if (sim_n_findings(s)) return -1;
        double ms = sim_stats(s)->wall_s * 1e3;
        if (best < 0 || ms < best) best = ms;
    }
    return best;
}

static bool run_all(Sim *s, const char *only, float *const data[3])
{
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = data[0], .n_bytes = N * 4ul},
                        {.name = "y", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = data[1], .n_bytes = N * 4ul},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = data[2], .n_bytes = N * 4ul}};
    void *args[] = {data[0], data[1], data[2]};
    SimLaunch l = {.op_name = "Bench", .entry = kernel, .args = args, .gm = gm, .n_gm = 3, .block_dim = BLOCKS};
    for (size_t i = 0; i < N_OPERATORS; i++) {
        op = &OPERATORS[i];
        if (only && strcmp(only, op->name) != 0) continue;
        double ms = best_ms(s, &l);
        if (ms < 0) return false;
        printf("%s %.2f\n", op->name, ms);
        fflush(stdout);
    }
    if (only && strcmp(only, "scalar") != 0) return true;
    SimGm small[3] = {gm[0], gm[1], gm[2]};
    for (int i = 0; i < 3; i++) small[i].n_bytes = 4ul * SCALAR_BLOCKS * SCALAR_PER_BLOCK;
    l = (SimLaunch){.op_name = "Scalar", .entry = scalar_kernel, .args = args, .gm = small, .n_gm = 3, .block_dim = SCALAR_BLOCKS};
    double ms = best_ms(s, &l);
    printf("ns-per-scalar-access %.2f\n", ms * 1e6 / (2.0 * SCALAR_BLOCKS * SCALAR_PER_BLOCK));
    return ms > 0;
}

int main(int argc, char **argv)
{
    float *data[3];
    Err err;
    Sim *s = sim_new("Ascend910B4", &err);
    SimOptions options = {0};
    if (!s || !sim_parse_options(argc > 1 ? argv[1] : "", &options, &err)) return 1;
    sim_set_options(s, &options);
    for (int t = 0; t < 3; t++) {
        data[t] = aligned_alloc(512, N * 4ul); /* as the card: lines of the cache do not straddle tensors */
        if (!data[t]) return 1;
        for (size_t i = 0; i < N; i++) data[t][i] = (float)(i % 1000) * 0.01f + 0.5f;
    }
    bool ok = run_all(s, argc > 2 ? argv[2] : NULL, data);
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("peak-mb %.0f\n", (double)use.ru_maxrss / 1024);
    sim_free(s);
    for (int t = 0; t < 3; t++) free(data[t]);
    return ok ? 0 : 1;
}
