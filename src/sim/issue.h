/* How an API call reaches the units of a core. Each instruction belongs to a pipe; pipes run apart, each in its own order,
 * and only flags, barriers and queues order two of them.
 *
 * The rule for every instruction that touches memory: what can be said from the arguments alone (types, fields, alignment,
 * bounds, overlap, who holds the tensor) is checked in the ow_* function, when the call is made. Everything that reads or
 * writes memory or its validity bits goes into a run function, which gets a copy of the arguments and is handed to
 * issue() together with what it will touch:
 *
 *     typedef struct { uint32_t to, from, n; } Args;               no pointers into the caller's stack
 *     static void run(Core *c, const void *args) { const Args *a = args; ... c->ub ... }
 *     ...
 *     const Args a = {...};
 *     const Access acc[] = {ub_read(from, n), ub_write(to, n)};
 *     issue(c, PIPE_V, run, &a, sizeof a, acc, 2);
 *
 * Vector instructions with a VecOp call vec_walk, which does this; see vec_int.h. Registers that the scalar unit sets (mask,
 * counter mode, CTRL, SetDeqScale, SetPadValue, atomic mode: struct Regs) are read in run as they were at the call, and
 * may be written only at the call. Registers that a pipe writes (CMPMASK, the reduction's results) are read and written
 * in run. A run function reports findings as usual; it never ends the core and never calls issue().
 *
 * In the schedule in-order an instruction runs inside issue(), nothing is copied. */
#ifndef OPWRIGHT_SIM_ISSUE_H
#define OPWRIGHT_SIM_ISSUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Core Core;
struct GmRange;

typedef enum { PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3, PIPE_MTE1, PIPE_M, PIPE_FIX, N_PIPES } Pipe;

typedef enum { ACC_READ, ACC_WRITE, ACC_ATOMIC } AccessHow; /* ACC_ATOMIC: a write that adds to what others add */

/* Bytes that an instruction touches: n_rows rows of len bytes, row i at `at + i * step`. */
typedef struct Access {
    AccessHow how;
    struct GmRange *range; /* NULL: UB */
    uint64_t at;           /* byte in UB or in the range */
    uint64_t len, step;
    uint32_t n_rows;
} Access;

static inline Access ub_read(uint32_t at, uint64_t len) { return (Access){.how = ACC_READ, .at = at, .len = len, .n_rows = 1}; }
static inline Access ub_write(uint32_t at, uint64_t len) { return (Access){.how = ACC_WRITE, .at = at, .len = len, .n_rows = 1}; }

typedef void IssueRun(Core *c, const void *args);

void issue(Core *c, Pipe pipe, IssueRun *run, const void *args, size_t n_bytes, const Access *acc, uint32_t n_acc);
/* The two halves of issue, for callers whose copy of the arguments is large. True: the caller runs the instruction now. */
bool issue_direct(Core *c, Pipe pipe, const Access *acc, uint32_t n_acc);
void issue_later(Core *c, Pipe pipe, IssueRun *run, const void *args, size_t n_bytes, const Access *acc, uint32_t n_acc);

/* ---- synchronisation --------------------------------------------------------------------------------------------- */

enum { N_EVENTS = 35, N_EVENT_IDS = 8 };
/* Flags a kernel sets itself, and those of its queues: the framework gives ids out, the counts are apart. */
typedef enum { FLAGS_USER, FLAGS_QUEUE, N_FLAG_SPACES } FlagSpace;

const char *event_name(uint32_t event);
const char *pipe_name(Pipe p);
Pipe event_source(uint32_t event);
Pipe event_target(uint32_t event);
/* HardEvent from one pipe to another, or N_EVENTS. */
uint32_t event_between(Pipe from, Pipe to);

void issue_set(Core *c, FlagSpace space, uint32_t event, uint32_t id);
/* When the scalar unit is the one to wait, the call returns once the flag is set; a flag that cannot come any more ends the
 * core with a finding. */
void issue_wait(Core *c, FlagSpace space, uint32_t event, uint32_t id);
/* Accesses of one pipe before and after are in order. */
void issue_barrier(Core *c, Pipe pipe);
/* PIPE_ALL: everything issued so far has run. */
void issue_barrier_all(Core *c);
/* Before the scalar unit touches memory itself, at once: its earlier stores are done. */
void issue_scalar_read(Core *c, const Access *acc, uint32_t n_acc);

/* The pipes of a core at the start and at the end of a block. Drain: false when some pipe waits for ever, which is reported. */
struct Pipes *pipes_new(void);
void pipes_free(struct Pipes *p);
void pipes_reset(Core *c);
bool pipes_drain(Core *c);
void pipes_run_ready(Core *c);
Pipe pipe_of_abi(uint32_t pipe); /* of pipe_t; N_PIPES: PIPE_ALL, or none that this core has */

#endif
