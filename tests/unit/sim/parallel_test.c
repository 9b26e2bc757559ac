/* Blocks on several host threads: the results, figures and findings of one thread, whatever the kernel does. */
#include "harness.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { V_MTE3 = 7, MTE2_MTE3 = 20, MTE2_V = 4, N = 1 << 16, BLOCKS = 64 };
#define F32 OW_TYPES(OW_F32, OW_F32)

static float x[N], z[N], io[N];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_t seen[8];
static size_t n_seen;

static void note_thread(void)
{
    pthread_mutex_lock(&lock);
    size_t i = 0;
    while (i < n_seen && !pthread_equal(seen[i], pthread_self())) i++;
    if (i == n_seen && n_seen < 8) seen[n_seen++] = pthread_self();
    pthread_mutex_unlock(&lock);
}

static void order(uint32_t event) { ow_flag_set(event, 0, AT), ow_flag_wait(event, 0, AT); }

/* Doubles a block's share, from `from` to `to`. */
static void twice(OwGlobal from, OwGlobal to, uint64_t n)
{
    OwLocal t = ub_at(0, 4096);
    ow_copy_n(OW_F32, 0, &from, &t, n, AT), order(MTE2_V);
    ow_vec_n("Add", F32, &t, &t, &t, 0, 0, (int64_t)n, AT), order(V_MTE3);
    ow_copy_n(OW_F32, 1, &to, &t, n, AT);
}

static uint64_t share(void) { return (uint64_t)ow_block_idx() * (N / BLOCKS); }
static OwGlobal at(float *p, uint32_t range) { return (OwGlobal){p, range}; }

static void clean(void) { twice(at(x + share(), 1), at(z + share(), 2), N / BLOCKS); }
static void in_place(void) { clean(), ow_barrier(6, AT), twice(at(io + share(), 3), at(io + share(), 3), N / BLOCKS); }
static void late_sync(void) { in_place(), ow_sync_all(NULL, NULL, 0, AT); } /* more blocks than cores */
static void late_atomic(void)
{
    in_place();
    if (ow_block_idx() < 40) return;
    OwLocal t = ub_at(8192, 32);
    ow_vec_n("Duplicate", F32, &t, NULL, NULL, 0x3f800000, 0, 8, AT), order(V_MTE3);
    OwGlobal g = at(io, 3);
    ow_atomic(1, OW_F32, AT), ow_copy_n(OW_F32, 1, &g, &t, 8, AT), ow_atomic(0, OW_F32, AT);
}
static void late_finding(void)
{
    in_place();
    OwLocal t = ub_at(196608 - 32, 32);
    if (ow_block_idx() % 7 == 5) ow_vec_n("Muls", F32, &t, &t, NULL, 0, 0, 9 + ow_block_idx(), AT);
}
static void neighbours(void) /* each block also writes the head of the next one's share */
{
    in_place();
    OwLocal t = ub_at(8192, 64);
    ow_vec_n("Duplicate", F32, &t, NULL, NULL, 0x3f800000 + (uint32_t)(ow_block_idx() << 8), 0, 8, AT), order(V_MTE3);
    OwGlobal g = at(z + (share() + N / BLOCKS) % N, 2);
    ow_copy_n(OW_F32, 1, &g, &t, 8, AT);
}
static void reads_neighbour(void)
{
    OwLocal t = ub_at(8192, 64);
    OwGlobal g = at(io + (share() + N / BLOCKS) % N, 3);
    ow_copy_n(OW_F32, 0, &g, &t, 8, AT);
    in_place();
}
static void scalars_side_by_side(void)
{
    clean();
    OwGlobal g = at(io, 3);
    ow_gm_set(OW_F32, &g, (uint64_t)ow_block_idx(), 0x3f800000, AT);
}
static void many_kinds(void) /* instructions that block 0, which runs first and alone, does not use */
{
    in_place();
    if (ow_block_idx() == 0) return;
    OwLocal f = ub_at(16384, 1024), h = ub_at(20480, 512), m = ub_at(24576, 64), r = ub_at(28672, 64), w = ub_at(32768, 1024), tmp = ub_at(36864, 4096);
    ow_vec_n("Duplicate", F32, &f, NULL, NULL, 0x3f800000, 0, 256, AT);
    ow_vec_n("Cast", OW_TYPES(OW_F16, OW_F32), &h, &f, NULL, 0, 1, 256, AT);
    ow_vec_n("Compare", OW_TYPES(OW_U8, OW_F32), &m, &f, &f, 0, 2, 256, AT);
    ow_reduce_all("ReduceSum", OW_F32, 0, &r, &f, &w, 0, 1, 256, NULL, AT);
    ow_adv("Sigmoid", OW_F32, &w, &f, NULL, &tmp, 0, 0, 256, AT);
}
static void unwritten(void)
{
    if (ow_block_idx() != 33) clean();
    OwGlobal g = at(io, 3);
    (void)g;
}

static void (*what)(void);

static void run_what(void *const *args)
{
    (void)args;
    note_thread();
    what();
}

typedef struct Outcome {
    float *z, *io;
    char *findings;
    SimStats stats;
} Outcome;

static Outcome outcome(void (*kernel)(void), uint32_t n_threads)
{
    const SimGm gm[] = {{.name = "x", .role = SIM_GM_INPUT, .dtype = DTYPE_F32, .data = x, .n_bytes = sizeof x},
                        {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = sizeof z},
                        {.name = "io", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = io, .n_bytes = sizeof io, .initialised = true}};
    for (size_t i = 0; i < N; i++) x[i] = (float)i, io[i] = (float)(i % 97), z[i] = -1.0f;
    Sim *s = new_sim();
    sim_set_options(s, &(SimOptions){.n_threads = n_threads});
    what = kernel;
    n_seen = 0;
    run_gm(s, run_what, gm, 3, BLOCKS);
    Outcome o = {malloc(sizeof z), malloc(sizeof io), calloc(1, 1 << 16), *sim_stats(s)};
    memcpy(o.z, z, sizeof z);
    memcpy(o.io, io, sizeof io);
    for (size_t i = 0, n = 0; i < sim_n_findings(s); i++) {
        const SimFinding *f = sim_finding(s, i);
        n += (size_t)snprintf(o.findings + n, (1 << 16) - n, "%s %s:%u block %u, %llu times: %s\n", f->check, f->file, f->line, f->block, (unsigned long long)f->count, f->text);
        assert_true(n < 1 << 16);
    }
    sim_free(s);
    return o;
}

static void free_outcome(Outcome *o) { free(o->z), free(o->io), free(o->findings); }

static void the_same_on_any_number_of_threads(void **state)
{
    (void)state;
    static const struct {
        void (*kernel)(void);
        const char *finding;
    } kernels[] = {{clean, NULL}, {in_place, NULL}, {many_kinds, NULL}, {late_sync, "sync-all-blocks"}, {late_atomic, "race-between-blocks"},
                   {late_finding, "ub-past-end"}, {neighbours, "gm-two-writers"}, {reads_neighbour, "race-between-blocks"},
                   {scalars_side_by_side, "gm-cache-line-shared"}, {unwritten, "output-not-written"}};
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (uint32_t n = 2; n <= 5; n++) {
            Outcome one = outcome(kernels[k].kernel, 1);
            assert_int_equal(n_seen, 1);
            Outcome many = outcome(kernels[k].kernel, n);
            if (strcmp(one.findings, many.findings) != 0) print_error("kernel %zu, %u threads:\n%sinstead of\n%s", k, n, many.findings, one.findings);
            assert_string_equal(one.findings, many.findings);
            assert_true((kernels[k].finding == NULL) == (one.findings[0] == 0));
            if (kernels[k].finding) assert_non_null(strstr(one.findings, kernels[k].finding));
            assert_memory_equal(one.z, many.z, sizeof z);
            assert_memory_equal(one.io, many.io, sizeof io);
            assert_true(one.stats.n_insns == many.stats.n_insns && one.stats.gm_read_bytes == many.stats.gm_read_bytes &&
                        one.stats.gm_write_bytes == many.stats.gm_write_bytes && one.stats.store_bytes == many.stats.store_bytes);
            free_outcome(&one), free_outcome(&many);
        }
}

static void blocks_wait_for_company(void) /* so that one thread cannot take them all */
{
    clean();
    for (int i = 0; i < 2000 && ow_block_idx() > 0 && n_seen < 2; i++) {
        struct timespec t = {0, 1000000};
        nanosleep(&t, NULL);
    }
}

static void blocks_that_never_meet_run_apart(void **state)
{
    (void)state;
    Outcome o = outcome(blocks_wait_for_company, 2);
    assert_int_equal(n_seen, 2);
    for (size_t i = 0; i < N; i++) assert_true(o.z[i] == 2.0f * (float)i);
    free_outcome(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_same_on_any_number_of_threads), cmocka_unit_test(blocks_that_never_meet_run_apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
