/* The orders in which a candidate is run: each is a run of its own, and all must agree. */
#include "verify/verify_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SEED_DIGITS_MAX 9

static bool is_random(const char *s) {
    static const char PREFIX[] = "random:";
    if (strncmp(s, PREFIX, sizeof PREFIX - 1) != 0) return false;
    size_t n = 0;
    for (const char *p = s + sizeof PREFIX - 1; *p; p++, n++)
        if (!isdigit((unsigned char)*p)) return false;
    return n > 0 && n <= SEED_DIGITS_MAX;
}

size_t verify_schedules(Arena *a, const char *schedule, const char *out[VERIFY_SCHEDULES_MAX], Err *err) {
    static const char *const ALL[] = {"in-order", "lazy", "random:1", "random:2"};
    if (!schedule || !strcmp(schedule, ALL[0])) {
        out[0] = ALL[0];
        return 1;
    }
    if (!strcmp(schedule, "all")) {
        memcpy(out, ALL, sizeof ALL);
        return sizeof ALL / sizeof ALL[0];
    }
    if (!strcmp(schedule, "lazy") || is_random(schedule)) {
        out[0] = arena_strdup(a, schedule);
        return 1;
    }
    err_set(err, ERR_USAGE, NULL, "there is no schedule `%s`", schedule);
    err_hint(err, "one of in-order, lazy, random:SEED (a number), all");
    return 0;
}

bool verify_model_is_default(const VerifyModel *m) { return !m->strict && !m->exact && !m->schedule && !m->toolchain; }

bool verify_toolchain_known(const char *name) { return !strcmp(name, "a2") || !strcmp(name, "a5") || !strcmp(name, "none"); }
