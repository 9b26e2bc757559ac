/* Each of the three test files with pairs has those that pairs.def gives it, and no check that pairs.def does not know. */
#ifndef OPWRIGHT_TESTS_SIM_PAIRS_H
#define OPWRIGHT_TESTS_SIM_PAIRS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

typedef enum { PAIRS_IN_CHECKS, PAIRS_IN_HAZARD, PAIRS_IN_LAUNCH } PairsFile;

static const struct {
    const char *check;
    PairsFile file;
} ALL_PAIRS[] = {
#define PAIR_IN(check, file) {check, PAIRS_IN_##file},
#include "pairs.def"
};

static inline bool pairs_known(const char *check)
{
    for (size_t i = 0; i < sizeof ALL_PAIRS / sizeof ALL_PAIRS[0]; i++)
        if (!strcmp(ALL_PAIRS[i].check, check)) return true;
    return false;
}

/* check_of(i): the check of pair i of n, NULL when it lacks one of its two bodies. */
static inline bool pairs_complete(PairsFile file, const char *(*check_of)(size_t i), size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        const char *check = check_of(i);
        if (!check || !pairs_known(check)) ok = false, fprintf(stderr, "pair %zu: %s\n", i, check ? check : "a body is missing");
    }
    for (size_t k = 0; k < sizeof ALL_PAIRS / sizeof ALL_PAIRS[0]; k++) {
        bool found = ALL_PAIRS[k].file != file;
        for (size_t i = 0; i < n && !found; i++) found = check_of(i) && !strcmp(check_of(i), ALL_PAIRS[k].check);
        if (!found) ok = false, fprintf(stderr, "no pair for %s\n", ALL_PAIRS[k].check);
    }
    return ok;
}

#endif
