/* Happens-before: which accesses of a core's pipes are in order, and the races among the others. Each pipe has a clock that
 * a flag or a barrier moves on; a pipe knows, of every other, up to which clock its accesses are over. */
#ifndef OPWRIGHT_SIM_HAZARD_H
#define OPWRIGHT_SIM_HAZARD_H

#include "sim/issue.h"
#include "sim/sim.h"

typedef struct Clocks {
    uint32_t at[N_PIPES];
} Clocks;

/* What everything issued from now on comes after; and that for an instruction of `pipe` that is about to run. */
void hazard_issued(const Core *c, Clocks *out);
void hazard_enter(Core *c, Pipe pipe, const Clocks *issued);
void hazard_enter_now(Core *c, Pipe pipe); /* one that was issued just now */
/* Before an instruction of `pipe` runs: its accesses against earlier ones. seq: in the order of issue. */
void hazard_access(Core *c, Pipe pipe, uint32_t seq, const Access *acc, uint32_t n_acc);
/* SetFlag on `pipe`: what is over once the flag is set. */
void hazard_signal(Core *c, Pipe pipe, Clocks *before);
/* WaitFlag on `pipe`. The scalar unit issues everything: when it waits, all that is issued later comes after. */
void hazard_join(Core *c, Pipe pipe, const Clocks *before);
void hazard_barrier(Core *c, Pipe pipe);
void hazard_barrier_all(Core *c);

/* For the analysis of global memory. */
uint32_t hazard_clock(const Core *c, Pipe pipe);
bool hazard_ordered(const Core *c, Pipe pipe, Pipe earlier, uint32_t clock);
uint32_t hazard_seq(const Core *c); /* of the instruction that runs */
uint32_t hazard_site(Core *c); /* number of c's place among the launch's sites */
/* issued_between: instructions of the core from the first access to the second. */
SimSeverity hazard_severity(Pipe first, Pipe second, AccessHow first_how, AccessHow second_how, uint32_t issued_between);
void hazard_missing(Pipe first, Pipe second, char *text, size_t cap); /* "SetFlag/WaitFlag<HardEvent::V_MTE3>" */

struct Hazards *hazards_new(void);
void hazards_free(struct Hazards *h);
void hazards_reset(Core *c);

#endif
