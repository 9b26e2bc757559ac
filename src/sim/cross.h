/* Synchronisation between the blocks of a launch that are resident at once: who waits for whom, what each block knows to be
 * over in the others, and the wait graph when nobody can go on. */
#ifndef OPWRIGHT_SIM_CROSS_H
#define OPWRIGHT_SIM_CROSS_H

#include "sim/issue.h"

struct Sim;
struct Cross;

typedef enum { WAIT_NONE, WAIT_SYNC_ALL, WAIT_FLAG, WAIT_IB_SET, WAIT_IB_WAIT, WAIT_PREVIOUS, WAIT_GROUP } WaitKind;

/* What a block waits for. */
typedef struct CoreWait {
    WaitKind kind;
    uint32_t group; /* WAIT_SYNC_ALL: blocks that take part; WAIT_FLAG: flag; WAIT_IB_*: event; WAIT_GROUP: 0 for arrivals, 1 for waiters */
    uint32_t count; /* how many such meetings, sets or rounds there must have been */
    uint32_t block; /* WAIT_IB_*: the block that sets */
    uintptr_t slot; /* WAIT_IB_*: address of the signal; WAIT_GROUP: of the counters */
} CoreWait;

/* n: blocks of the launch, 0 when they are not all resident: then nobody may wait for another. */
struct Cross *cross_new(uint32_t n);
void cross_free(struct Cross *x);
/* Accesses of `pipe` of the other block up to this clock are over before c's next instruction. */
bool cross_knows(const Core *c, uint32_t block, Pipe pipe, uint32_t clock);
/* The first block that c's wait still needs, or UINT32_MAX: c can go on. */
uint32_t cross_blocker(const Core *c);
/* The blocks that wait, as a report: no core can go on. */
void cross_report_deadlock(struct Sim *s);

#endif
