/* Stores that no API call makes: a kernel's own __gm__ pointer. */
#include "harness.h"

#include <string.h>

enum { N = 48 };
static float z[N];
static int8_t b[64];
static int32_t ws[16];
static int n_raw;

/* Elements 0..n_raw-1 through a pointer, the rest through the API when rest is set. */
static void store(void *const *args, bool rest)
{
    OwGlobal g = {args[0], ow_gm_bind(args[0], AT)};
    volatile float *p = args[0];
    for (int i = 0; i < N; i++) {
        float v = (float)i;
        uint64_t bits = 0;
        memcpy(&bits, &v, sizeof v);
        if (i < n_raw) p[i] = v;
        else if (rest) ow_gm_set(OW_F32, &g, (uint64_t)i, bits, AT);
    }
}
static void all_body(void *const *args) { store(args, true); }
static void part_body(void *const *args) { store(args, false); }

static Sim *launch(void (*body)(void *const *), bool blank)
{
    Sim *s = new_sim();
    memset(z, 0xFF, sizeof z);
    const SimGm gm[] = {{.name = "z", .role = SIM_GM_OUTPUT, .dtype = DTYPE_F32, .data = z, .n_bytes = sizeof z, .blank = blank}};
    run_gm(s, body, gm, 1, 1);
    return s;
}

static void what_a_pointer_wrote_counts(void **state)
{
    (void)state;
    n_raw = 30;
    Sim *s = launch(all_body, true);
    const SimFinding *f = find_check(s, "gm-raw-pointer");
    assert_non_null(f);
    assert_int_equal(f->severity, SIM_NOTE);
    assert_non_null(strstr(f->text, "120 bytes of z"));
    assert_int_equal(sim_n_findings(s), 1);
    for (int i = 0; i < N; i++) assert_true(z[i] == (float)i);
    sim_free(s);
    n_raw = 0;
    s = launch(all_body, true);
    expect_clean(s);
    sim_free(s);
}

static void what_it_left_out_is_still_missing(void **state)
{
    (void)state;
    n_raw = 30;
    Sim *s = launch(part_body, true);
    const SimFinding *f = find_check(s, "output-not-written");
    assert_non_null(f);
    assert_non_null(strstr(f->text, "72 of 192 bytes"));
    assert_non_null(strstr(f->text, "elements 30..47"));
    assert_non_null(find_check(s, "gm-raw-pointer"));
    sim_free(s);
}

/* Memory that the launch may not fill: nothing is known, nothing is assumed. */
static void without_the_pattern_nothing_is_guessed(void **state)
{
    (void)state;
    n_raw = N;
    Sim *s = launch(part_body, false);
    assert_non_null(find_check(s, "output-not-written"));
    assert_null(find_check(s, "gm-raw-pointer"));
    sim_free(s);
}

/* Single bytes may equal the pattern: 32 of them are one. And what a pointer wrote may be read back by the API. */
static void bytes_body(void *const *args)
{
    volatile int8_t *p = args[0];
    for (int i = 0; i < 64; i++) p[i] = (int8_t)(i * 5 + 0x7f); /* the pattern's bytes are among them */
    volatile int32_t *w = args[1];
    w[3] = 77;
    OwGlobal g = {args[1], ow_gm_bind(args[1], AT)};
    OwLocal d = ub_at(0, 64);
    assert_int_equal(ow_gm_get(OW_I32, &g, 3, AT), 77);
    ow_copy_n(OW_I32, 0, &g, &d, 8, AT);
    assert_int_equal(ow_local_get(OW_I32, &d, 3, AT), 77);
}

static void bytes_and_reading_back(void **state)
{
    (void)state;
    Sim *s = new_sim();
    const SimGm gm[] = {{.name = "b", .role = SIM_GM_OUTPUT, .dtype = DTYPE_I8, .data = b, .n_bytes = sizeof b, .blank = true},
                        {.name = "workspace", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_U8, .data = ws, .n_bytes = sizeof ws, .blank = true}};
    run_gm(s, bytes_body, gm, 2, 1);
    for (size_t i = 0; i < sim_n_findings(s); i++) assert_string_equal(sim_finding(s, i)->check, "gm-raw-pointer");
    assert_int_equal(sim_n_findings(s), 1);
    sim_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_pointer_wrote_counts),
        cmocka_unit_test(what_it_left_out_is_still_missing),
        cmocka_unit_test(without_the_pattern_nothing_is_guessed),
        cmocka_unit_test(bytes_and_reading_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
