/* --strict, --schedule, --exact and --toolchain. */
#include "cli/model_options.h"

static bool check_schedule(const char *name, Err *err) {
    const char *ignored[VERIFY_SCHEDULES_MAX];
    Arena *a = arena_new();
    bool ok = verify_schedules(a, name, ignored, err) > 0;
    arena_free(a);
    return ok;
}

static bool check_toolchain(const char *name, Err *err) {
    return verify_toolchain_known(name) ||
           err_set(err, ERR_USAGE, NULL, "--toolchain takes a2, a5 or none, not `%s`", name);
}

bool model_option(int c, VerifyModel *m, Err *err) {
    switch (c) {
    case OPT_STRICT:
        m->strict = true;
        return true;
    case OPT_EXACT:
        m->exact = true;
        return true;
    case OPT_SCHEDULE:
        m->schedule = optarg;
        return check_schedule(optarg, err);
    case OPT_TOOLCHAIN:
        m->toolchain = optarg;
        return check_toolchain(optarg, err);
    default:
        return false;
    }
}
