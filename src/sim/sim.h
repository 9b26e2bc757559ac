/* The simulated AI Core: runs one kernel launch and reports what the hardware would hide.
 * Knows isa and base only. All state hangs off Sim; two Sims may run side by side. */
#ifndef OPWRIGHT_SIM_SIM_H
#define OPWRIGHT_SIM_SIM_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Sim Sim;

/* One global-memory range the kernel may touch. Anything outside every range is an out-of-bounds access. */
typedef enum { SIM_GM_INPUT, SIM_GM_OUTPUT, SIM_GM_WORKSPACE, SIM_GM_TILING } SimGmRole;

typedef struct SimGm {
    const char *name; /* for reports: "x", "workspace", ... */
    SimGmRole role;   /* outputs and workspace start uninitialised; writing an input is a finding */
    DType dtype;      /* of elements, for reports */
    void *data;       /* host memory; the kernel reads and writes it in place. NULL only when n_bytes is 0 */
    size_t n_bytes;
    bool initialised; /* an output or workspace the caller filled before the launch (zeros): reading it is no finding */
    bool blank;       /* not initialised, and the launch may fill it with a pattern: then stores that no API call makes are seen */
} SimGm;

typedef struct SimLaunch {
    const char *op_name;
    void (*entry)(void *const *args); /* generated beside the kernel: unpacks args and calls it */
    void *const *args;                /* inputs, outputs, workspace, tiling: addresses inside gm ranges, or NULL */
    const SimGm *gm;
    size_t n_gm;
    uint32_t block_dim; /* as the tiling function set it; the sim maps blocks to cores in waves */
    uint64_t tiling_key;
} SimLaunch;

typedef enum { SIM_ERROR, SIM_WARNING, SIM_NOTE } SimSeverity;

/* A fault of the kernel under test. Equal (check, file, line, other line) are folded and counted. Text belongs to the Sim. */
typedef struct SimFinding {
    const char *check; /* stable id, a row of sim/checks.def: "gm-out-of-bounds" */
    SimSeverity severity;
    const char *file; /* "kernel_src" */
    uint32_t line;    /* 1-based; 0 when not known */
    const char *other_file; /* the place it clashes with (a race: the earlier access); NULL: none */
    uint32_t other_line;
    const char *api;  /* "DataCopy" */
    uint32_t block;   /* block index of the first occurrence */
    uint64_t count;
    const char *text, *text_zh; /* what was expected, what happened, in numbers */
    const char *hint, *hint_zh; /* how to mend it */
} SimFinding;

/* How a launch is simulated; all zero is the usual way. */
typedef enum {
    SIM_IN_ORDER, /* instructions run as they are issued */
    SIM_LAZY,     /* a pipe runs as late as the program's synchronisation allows */
    SIM_RANDOM    /* any legal order, drawn from seed; so is the order of cores */
} SimSchedule;

typedef struct SimOptions {
    SimSchedule schedule;
    uint64_t seed;      /* SIM_RANDOM */
    bool strict;        /* habits that pass on cards although irregular are errors: no finding is a warning */
    bool exact;         /* instructions of limited accuracy give the exact result, rounded */
    bool trace;           /* keep the operands of the trace_hit-th instruction that runs at that line in that block */
    uint32_t trace_block, trace_line, trace_hit;
    bool watch;           /* tell the first vector instruction that leaves a NaN, an infinity, or a value beyond watch_limit */
    double watch_limit;
    bool no_hazards;    /* no analysis of races, for measuring */
    bool no_checks;     /* none at all: nothing is remembered of what was written, and only what ends a launch is told */
    uint32_t n_threads; /* host threads for launches whose cores never meet; 0 and 1: one */
} SimOptions;

typedef struct SimStats {
    uint64_t n_insns, gm_read_bytes, gm_write_bytes;
    uint64_t store_bytes; /* most that one copy to an output moved: a tile */
    uint32_t ub_peak_bytes; /* highest UB use by InitBuffer of any core */
    double wall_s;
} SimStats;

/* chip: a name of isa's table ("Ascend910B4"); NULL result and *err when unknown. */
Sim *sim_new(const char *chip, Err *err) ERR_CHECKED;
void sim_free(Sim *s);
/* For the launches that follow. */
void sim_set_options(Sim *s, const SimOptions *o);
/* Words with commas between: "in-order", "lazy", "random:SEED", "strict", "exact", "no-hazards", "no-checks", "threads:N", "watch:LIMIT", "trace:BLOCK:LINE:HIT". Changes what
 * is named, leaves the rest of *o. "" changes nothing. */
bool sim_parse_options(const char *text, SimOptions *o, Err *err) ERR_CHECKED;
/* Runs all blocks. False only for failures of ours (no memory, block_dim out of range is a finding). */
bool sim_launch(Sim *s, const SimLaunch *l, Err *err) ERR_CHECKED;
/* Findings and figures of all launches since sim_new or sim_reset. */
size_t sim_n_findings(const Sim *s);
const SimFinding *sim_finding(const Sim *s, size_t i);
const SimStats *sim_stats(const Sim *s);
void sim_reset(Sim *s);

/* A line of the ledger of UB (ledger.c): the buffers of the core that held most, then what the API takes without asking. */
typedef struct SimUbUse {
    const char *what; /* "TQue VECIN", "TBuf VECCALC", or the API that takes space for itself */
    const char *file; /* of InitBuffer, or of the call */
    uint32_t line, count, bytes; /* bytes: of one of the `count` buffers */
    bool hidden;
} SimUbUse;
size_t sim_n_ub_uses(const Sim *s);
const SimUbUse *sim_ub_use(const Sim *s, size_t i);
uint32_t sim_ub_bytes(const Sim *s); /* of the chip */

/* An operand of the instruction that SimOptions.trace asks for, as it was after the instruction. */
#define SIM_TRACE_MAX 4096
typedef struct SimTraced {
    const char *api, *role, *memory; /* "Add"; "dst", "src0"; "UB" or the name of a global tensor */
    DType dtype;
    uint64_t offset, n; /* bytes from the start of the memory; elements */
    size_t n_shown;     /* at most SIM_TRACE_MAX */
    const double *values;
    const bool *known; /* false: nothing wrote it */
} SimTraced;
size_t sim_n_traced(const Sim *s);
const SimTraced *sim_traced(const Sim *s, size_t i);

/* Where the current thread's kernel is, kept up to date in memory the caller shares with a watcher, so that a crash or
 * a hang can be placed: written at every API call. NULL switches it off. */
typedef struct SimTrail {
    char file[32];
    uint32_t line, block;
    char api[32];
} SimTrail;
void sim_set_trail(SimTrail *t);

#endif
