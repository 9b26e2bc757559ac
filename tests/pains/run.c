/* Runs kernels of a library as launches of the simulator and prints what is found. One line of standard input is one launch:
 *   symbol blocks n workspace_bytes options      ("-": no options)
 * The kernel gets x[i] = i, y[i] = 2 i, z, the workspace and a tiling of two numbers {n, blocks}. Printed: symbol|check|severity|line|text */
#include "sim/sim.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SEVERITIES[] = {[SIM_ERROR] = "error", [SIM_WARNING] = "warning", [SIM_NOTE] = "note"};

static int fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    return 1;
}

static int launch(void *lib, const char *symbol, uint32_t blocks, uint32_t n, size_t ws_bytes, const char *options) {
    Err err = {0};
    Sim *s = sim_new("Ascend910B4", &err);
    SimOptions o = {0};
    if (!s || !sim_parse_options(strcmp(options, "-") ? options : "", &o, &err)) return fail(err.message);
    sim_set_options(s, &o);
    void (*entry)(void *const *);
    *(void **)&entry = dlsym(lib, symbol);
    if (!entry) return fail(symbol);
    float *data[3];
    for (int i = 0; i < 3; i++) data[i] = aligned_alloc(512, ((size_t)n * 4 + 511) / 512 * 512 + 512);
    for (uint32_t i = 0; i < n; i++) data[0][i] = (float)i, data[1][i] = 2 * (float)i;
    void *ws = aligned_alloc(512, (ws_bytes + 511) / 512 * 512 + 512);
    uint32_t tiling[2] = {n, blocks};
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = data[0], .n_bytes = n * 4ul},
                        {.name = "y", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = data[1], .n_bytes = n * 4ul},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = data[2], .n_bytes = n * 4ul, .blank = true},
                        {.name = "tiling", .role = SIM_GM_TILING, .dtype = DTYPE_U8, .data = tiling, .n_bytes = sizeof tiling},
                        {.name = "workspace", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_U8, .data = ws, .n_bytes = ws_bytes, .blank = true}};
    void *args[] = {data[0], data[1], data[2], ws_bytes ? ws : NULL, tiling};
    SimLaunch l = {.op_name = "Pains", .entry = entry, .args = args, .gm = gm, .n_gm = ws_bytes ? 5 : 4, .block_dim = blocks};
    if (!sim_launch(s, &l, &err)) return fail(err.message);
    for (size_t i = 0; i < sim_n_findings(s); i++) {
        const SimFinding *f = sim_finding(s, i);
        printf("%s|%s|%s|%u|%s\n", symbol, f->check, SEVERITIES[f->severity], f->line, f->text);
    }
    for (int i = 0; i < 3; i++) free(data[i]);
    free(ws);
    sim_free(s);
    return 0;
}

int main(int argc, char **argv) {
    void *lib = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!lib) return fail(argc == 2 ? dlerror() : "usage: run KERNELS.so");
    char symbol[64], options[64];
    unsigned blocks, n;
    size_t ws;
    while (scanf("%63s %u %u %zu %63s", symbol, &blocks, &n, &ws, options) == 5) {
        if (launch(lib, symbol, blocks, n, ws, options)) return 1;
        printf("%s|done|note|0|\n", symbol);
        fflush(stdout);
    }
    return 0;
}
