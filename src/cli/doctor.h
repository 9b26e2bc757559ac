/* Shared by the files of opwright doctor. */
#ifndef OPWRIGHT_CLI_DOCTOR_H
#define OPWRIGHT_CLI_DOCTOR_H

#include "base/arena.h"
#include "base/err.h"
#include "bridge/bridge.h"
#include "verify/verify.h"

typedef enum {
    ITEM_OK,
    ITEM_LIMITED, /* works, with a limit that the value names */
    ITEM_ABSENT,  /* not there, and not needed by the simulator */
    ITEM_BAD      /* needed and not there, or broken */
} ItemStatus;

typedef struct Item {
    ItemStatus status;
    const char *value; /* what was found: a version, a path, a number, or why not */
    const char *mend;  /* or NULL: the table's */
} Item;

typedef struct Doctor {
    Arena *arena;
    const char *home;    /* NULL: not found */
    Bridge *bridge;      /* NULL: not started, bridge_err says why */
    const json_t *hello; /* NULL: hello_err says why */
    Err bridge_err, hello_err;
    bool simulator_works;
} Doctor;

#define DOCTOR(id, group, function, name, name_zh, mend, mend_zh) void function(Doctor *d, Item *item);
#include "cli/doctor.def"
#undef DOCTOR

/* doctor_probe.c: writes the reference and the description of a small operator into dir and verifies it. */
bool doctor_probe(Arena *a, Bridge *b, const char *dir, VerifyResult *r, Err *err) ERR_CHECKED;

#endif
