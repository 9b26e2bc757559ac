/* Time of simulated elementwise kernels on 16 M floats, all checks on, beside the host's own loop and memcpy.
 * Build: cc -O2 -Isrc bench/sim_elementwise.c -o sim_elementwise -Wl,--whole-archive libow_sim.a libow_isa.a libow_base.a
 *        -Wl,--no-whole-archive -ljansson -lm
 * Use: sim_elementwise [OPTIONS]: words of sim_parse_options, "threads:2" or "no-hazards".
 * The kernels are the classic three-stage ones, written against the C interface: per tile two queue cycles, copies, and
 * one Add, or the nine instructions of a tanh-form GELU. */
#include "../device/abi.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 1 << 24, BLOCKS = 40, TILE = 4096, VECIN = 9, VECOUT = 10, GM = 0 };
#define AT  ((OwLoc){"bench", (uint32_t)__LINE__})
#define F32 OW_TYPES(OW_F32, OW_F32)

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static uint64_t bits(float f)
{
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}

static void gelu(const OwLocal *z, const OwLocal *x, int64_t n)
{
    ow_vec_n("Mul", F32, z, x, x, 0, 0, n, AT);
    ow_vec_n("Mul", F32, z, z, x, 0, 0, n, AT);
    ow_vec_n("Muls", F32, z, z, NULL, bits(0.044715f), 0, n, AT);
    ow_vec_n("Add", F32, z, z, x, 0, 0, n, AT);
    ow_vec_n("Muls", F32, z, z, NULL, bits(-1.5957691f), 0, n, AT);
    ow_vec_n("Exp", F32, z, z, NULL, 0, 0, n, AT);
    ow_vec_n("Adds", F32, z, z, NULL, bits(1.0f), 0, n, AT);
    ow_vec_n("Div", F32, z, x, z, 0, 0, n, AT);
}

static int which; /* 0 add, 1 gelu */

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
        if (which == 0) {
            ow_que_alloc(qy, &y, AT);
            ow_copy_n(OW_F32, 0, &gy, &y, TILE, AT);
            ow_que_enque(qy, &y, AT);
            ow_que_deque(qy, &y, AT);
        }
        ow_que_deque(qx, &x, AT);
        ow_que_alloc(qz, &z, AT);
        if (which == 0) ow_vec_n("Add", F32, &z, &x, &y, 0, 0, TILE, AT);
        else gelu(&z, &x, TILE);
        ow_que_enque(qz, &z, AT);
        ow_que_free(qx, &x, AT);
        if (which == 0) ow_que_free(qy, &y, AT);
        ow_que_deque(qz, &z, AT);
        ow_copy_n(OW_F32, 1, &gz, &z, TILE, AT);
        ow_que_free(qz, &z, AT);
    }
    ow_pipe_destroy(NULL, AT);
}

int main(int argc, char **argv)
{
    float *x = malloc(N * 4ul), *y = malloc(N * 4ul), *z = malloc(N * 4ul);
    Err err;
    Sim *s = sim_new("Ascend910B4", &err);
    SimOptions options = {0};
    if (!x || !y || !z || !s || !sim_parse_options(argc > 1 ? argv[1] : "", &options, &err)) return 1;
    sim_set_options(s, &options);
    for (size_t i = 0; i < N; i++) x[i] = (float)(i % 1000) * 0.01f - 5.0f, y[i] = 1.0f, z[i] = 0.0f;
    for (int r = 0; r < 3; r++) {
        double t0 = now_ms();
        for (size_t i = 0; i < N; i++) z[i] = x[i] + y[i];
        double t1 = now_ms();
        memcpy(z, x, N * 4ul);
        printf("host: add %.1f ms, memcpy %.1f ms\n", t1 - t0, now_ms() - t1);
    }
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = N * 4ul},
                        {.name = "y", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = y, .n_bytes = N * 4ul},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = N * 4ul}};
    void *args[] = {x, y, z};
    SimLaunch l = {.op_name = "Bench", .entry = kernel, .args = args, .gm = gm, .n_gm = 3, .block_dim = BLOCKS};
    for (which = 0; which < 2; which++)
        for (int r = 0; r < 3; r++) {
            sim_reset(s);
            if (!sim_launch(s, &l, &err)) return 1;
            const SimStats *st = sim_stats(s);
            printf("sim: %s %.1f ms, %llu calls, %zu findings\n", which ? "gelu" : "add", st->wall_s * 1e3, (unsigned long long)st->n_insns, sim_n_findings(s));
            for (size_t i = 0; i < sim_n_findings(s); i++) printf("  %s\n", sim_finding(s, i)->text);
        }
    sim_free(s);
    free(x), free(y), free(z);
    return 0;
}
