/* Runs a C function as the kernel of one launch, on raw UB addresses. */
#ifndef OPWRIGHT_TESTS_SIM_HARNESS_H
#define OPWRIGHT_TESTS_SIM_HARNESS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../device/abi.h"
#include "isa/isa.h"
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#define AT ((OwLoc){"test_src", (uint32_t)__LINE__})

static inline OwLocal ub_at(uint32_t addr, uint32_t len_bytes)
{
    return (OwLocal){.addr = addr, .len_bytes = len_bytes, .buf = OW_BUF_RAW, .pos = 11 /* VECCALC */};
}

static void (*harness_body)(void *const *args);

static inline void harness_entry(void *const *args)
{
    harness_body(args);
}

/* Launches body with the given ranges as arguments, in order. */
static inline void run_gm(Sim *s, void (*body)(void *const *args), const SimGm *gm, size_t n_gm, uint32_t block_dim)
{
    void *args[8] = {0};
    Err err;
    for (size_t i = 0; i < n_gm; i++) args[i] = gm[i].data;
    harness_body = body;
    SimLaunch l = {.op_name = "Test", .entry = harness_entry, .args = args, .gm = gm, .n_gm = n_gm, .block_dim = block_dim};
    assert_true(sim_launch(s, &l, &err));
}

static inline void run(Sim *s, void (*body)(void *const *args))
{
    run_gm(s, body, NULL, 0, 1);
}

/* Without the analysis of races, which most bodies, having no flags, would trip; hazard_test.c switches it on. */
static inline Sim *new_sim(void)
{
    Err err;
    Sim *s = sim_new("Ascend910B4", &err);
    assert_non_null(s);
    sim_set_options(s, &(SimOptions){.no_hazards = true});
    return s;
}

static inline const SimFinding *find_check(const Sim *s, const char *check)
{
    for (size_t i = 0; i < sim_n_findings(s); i++)
        if (strcmp(sim_finding(s, i)->check, check) == 0) return sim_finding(s, i);
    return NULL;
}

/* No findings at all; prints the first otherwise. */
static inline void expect_clean(const Sim *s)
{
    if (sim_n_findings(s)) print_error("%s:%u %s: %s\n", sim_finding(s, 0)->file, sim_finding(s, 0)->line, sim_finding(s, 0)->check, sim_finding(s, 0)->text);
    assert_int_equal(sim_n_findings(s), 0);
}

#endif
