/* Checks that want more than a body in one block: several blocks, a tiling key, options, a small output. Each trips once and is missed
 * narrowly once. */
#include "harness.h"
#include "pairs.h"

#include <math.h>
#include <stdlib.h>

enum { V_MTE3 = 7, VECCALC = 11, SYNC_OF_MIXED = -1, FLOATS = 1000 };
#define F32F32 OW_TYPES(OW_F32, OW_F32)

static _Alignas(64) float z[FLOATS + 512];
static bool tripping; /* the body runs as the one that trips */

static void fill_with(uint32_t at, uint32_t n, float v)
{
    OwLocal t = ub_at(at, n * 4);
    uint32_t bits;
    memcpy(&bits, &v, 4);
    ow_vec_n("Duplicate", F32F32, &t, NULL, NULL, bits, 0, n, AT);
}
static void store(uint32_t from, uint64_t to_byte, uint32_t bytes)
{
    OwLocal t = ub_at(from, bytes);
    OwGlobal g = {(uint8_t *)z + to_byte, 1};
    OwPad p = {.count = 1, .len_bytes = bytes, .ext = 1};
    ow_flag_set(V_MTE3, 0, AT), ow_flag_wait(V_MTE3, 0, AT);
    ow_copy_pad(OW_F32, 1, &g, &t, &p, AT);
}
static void write_all(float v) { fill_with(0, FLOATS, v), store(0, 0, FLOATS * 4); }
static void by_block_0(void)
{
    if (ow_block_idx() == 0) write_all(1.0f);
}

static void past_small(void) { fill_with(0, 64, 1.0f), store(0, 0, tripping ? 128 : 4); }
static void raw_pointer(void)
{
    if (!tripping) {
        write_all(1.0f);
        return;
    }
    for (int i = 0; i < FLOATS; i++) z[i] = 1.0f;
}
static void two_writers(void)
{
    uint64_t me = (uint64_t)ow_block_idx();
    fill_with(0, 512, 1.0f + (float)me);
    store(0, me * FLOATS * 2, FLOATS * 2 + (tripping && me == 0 ? 32 : 0));
}
static void same_by_all(void)
{
    if (tripping || ow_block_idx() == 0) write_all(1.0f);
}
static void library(uint32_t tmp_bytes, uint32_t buffer)
{
    OwLocal d = ub_at(0, 1024), s = ub_at(1024, 1024), tmp = ub_at(2048, tmp_bytes);
    if (buffer) ow_pipe_init(NULL, AT), ow_tbuf_init(VECCALC, buffer, AT);
    fill_with(1024, 256, 1.0f);
    ow_adv("Sigmoid", OW_F32, &d, &s, NULL, tmp_bytes ? &tmp : NULL, 0, 0, 256, AT);
    write_all(1.0f);
}
static void small_tmp(void) { library(tripping ? 224 : 256, 0); }
static void no_room(void) { library(0, 196608 - 256 - 256 + (tripping ? 32 : 0)); }
static void bilinear(void)
{
    const OwLocal d = ub_at(0, 1024), s = ub_at(4096, 1024), off = ub_at(8192, 256), w = ub_at(12288, 32), tmp = ub_at(16384, 4096);
    const OwBilinear p = {.h_repeat = tripping ? 0 : 1, .v_repeat = 1, .dst_blk = 1, .v_offset = 128};
    fill_with(4096, 256, 1.0f), fill_with(12288, 8, 1.0f);
    for (uint64_t i = 0; i < 8; i++) ow_local_set(OW_U32, &off, i, i * 32, AT);
    ow_bilinear(&d, &s, &off, &w, &tmp, &p, NULL, 128, AT);
    write_all(1.0f);
}
static void meet(void) { by_block_0(), ow_sync_all(NULL, NULL, 0, AT); }
static void meet_mixed(void) { by_block_0(), ow_sync_all(NULL, NULL, tripping ? SYNC_OF_MIXED : 0, AT); }
static void key(void) { write_all(1.0f), ow_tiling_key_is(1, AT); }
static void reduced(void)
{
    OwLocal s = ub_at(8192, 256), d = tripping ? s : ub_at(16384, 64), w = ub_at(20480, 256), out = ub_at(24576, 256);
    fill_with(8192, 64, 1.0f);
    ow_reduce_all("ReduceSum", OW_F32, 0, &d, &s, &w, 0, 1, 64, NULL, AT);
    ow_vec_n("Muls", F32F32, &out, &s, NULL, 0x3f000000, 0, 64, AT);
    write_all(1.0f);
}
static void half_index(void)
{
    OwLocal s = ub_at(0, 140032), d = ub_at(150016, 64), w = ub_at(155008, 32768);
    int64_t n = tripping ? 65537 : 65536;
    ow_vec_n("Duplicate", OW_TYPES(OW_F16, OW_F16), &s, NULL, NULL, 0x3c00, 0, n, AT);
    ow_reduce_all("ReduceMax", OW_F16, 1, &d, &s, &w, 1, 1, n, NULL, AT);
    write_all(1.0f);
}
static void combine(const char *api, float a, float b)
{
    OwLocal d = ub_at(8192, 256), x = ub_at(12288, 256), y = ub_at(16384, 256);
    fill_with(12288, 64, a), fill_with(16384, 64, b);
    ow_vec_n(api, F32F32, &d, &x, &y, 0, 0, 64, AT);
    write_all(1.0f);
}
static void nan_of_zeros(void) { combine("Div", 0.0f, tripping ? 0.0f : 1.0f); }
static void infinite(void) { combine("Mul", 3e38f, tripping ? 2.0f : 1.0f); }
static void beyond(void) { combine("Add", 6.0f, tripping ? 5.0f : 4.0f); }
static void calls(void)
{
    write_all(1.0f);
    for (int i = 0; tripping || i < 500; i++) ow_barrier(0, AT);
}
static void nothing(void) { by_block_0(); }

typedef struct LaunchPair {
    const char *check;
    SimSeverity severity;
    const char *options;
    void (*body)(void);
    uint32_t blocks, blocks_missed; /* 0 as the second: the same */
    uint64_t key, key_missed;
    size_t z_bytes;
} LaunchPair;

#define P(name, severity, options, body, ...) {name, severity, options, body, __VA_ARGS__}
static const LaunchPair PAIRS[] = {
    P("gm-past-small-output", SIM_WARNING, "", past_small, .blocks = 1, .z_bytes = 4),
    P("gm-raw-pointer", SIM_NOTE, "", raw_pointer, .blocks = 1),
    P("gm-two-writers", SIM_ERROR, "", two_writers, .blocks = 2),
    P("gm-same-by-blocks", SIM_WARNING, "", same_by_all, .blocks = 2),
    P("tmp-too-small", SIM_ERROR, "no-hazards", small_tmp, .blocks = 1),
    P("tmp-no-room", SIM_ERROR, "no-hazards", no_room, .blocks = 1),
    P("argument", SIM_ERROR, "no-hazards", bilinear, .blocks = 1),
    P("sync-all-blocks", SIM_ERROR, "", meet, .blocks = 41, .blocks_missed = 40),
    P("sync-all-mix", SIM_ERROR, "", meet_mixed, .blocks = 2),
    P("block-dim", SIM_ERROR, "", nothing, .blocks = 65536, .blocks_missed = 3),
    P("tiling-key-unmatched", SIM_ERROR, "", key, .blocks = 1, .key = 2, .key_missed = 1),
    P("reduce-source-reused", SIM_WARNING, "no-hazards", reduced, .blocks = 1),
    P("reduce-index-range", SIM_ERROR, "no-hazards", half_index, .blocks = 1),
    P("first-nan", SIM_NOTE, "no-hazards,watch:1e38", nan_of_zeros, .blocks = 1),
    P("first-infinity", SIM_NOTE, "no-hazards,watch:4e38", infinite, .blocks = 1),
    P("first-out-of-range", SIM_NOTE, "no-hazards,watch:10", beyond, .blocks = 1),
    P("instruction-limit", SIM_ERROR, "", calls, .blocks = 1),
};
enum { N_PAIRS = sizeof PAIRS / sizeof PAIRS[0] };

static void (*body)(void);
static void run_body(void *const *args)
{
    (void)args;
    body();
}

static Sim *launched(const LaunchPair *p, bool trip)
{
    Sim *s = new_sim();
    Err err = {0};
    SimOptions o = {0};
    assert_true(sim_parse_options(p->options, &o, &err));
    sim_set_options(s, &o);
    const SimGm gm = {.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = p->z_bytes ? p->z_bytes : FLOATS * 4, .blank = true};
    void *args[1] = {z};
    body = p->body;
    tripping = trip;
    harness_body = run_body;
    SimLaunch l = {.op_name = "Test", .entry = harness_entry, .args = args, .gm = &gm, .n_gm = 1, .block_dim = !trip && p->blocks_missed ? p->blocks_missed : p->blocks,
                   .tiling_key = trip ? p->key : p->key_missed};
    assert_true(sim_launch(s, &l, &err));
    return s;
}

static void each_check_trips_and_its_neighbour_does_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PAIRS; i++) {
        Sim *s = launched(&PAIRS[i], true);
        const SimFinding *f = find_check(s, PAIRS[i].check);
        if (!f) print_error("%s did not trip (first finding: %s)\n", PAIRS[i].check, sim_n_findings(s) ? sim_finding(s, 0)->text : "none");
        assert_non_null(f);
        assert_int_equal(f->severity, PAIRS[i].severity);
        assert_true(strlen(f->text) > 10 && strlen(f->text_zh) > 10 && strlen(f->hint) > 10 && strlen(f->hint_zh) > 10);
        assert_null(strstr(f->text, "(null)"));
        assert_null(strstr(f->text_zh, "(null)"));
        sim_free(s);
        s = launched(&PAIRS[i], false);
        if (sim_n_findings(s)) print_error("%s: near miss\n", PAIRS[i].check);
        expect_clean(s);
        sim_free(s);
    }
}

static const char *check_of(size_t i) { return PAIRS[i].body ? PAIRS[i].check : NULL; }

static void every_pair_is_here(void **state)
{
    (void)state;
    assert_true(pairs_complete(PAIRS_IN_LAUNCH, check_of, N_PAIRS));
}

int main(void)
{
    setenv("OPWRIGHT_SIM_CALL_LIMIT", "4000", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_check_trips_and_its_neighbour_does_not), cmocka_unit_test(every_pair_is_here)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
