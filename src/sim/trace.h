/* For run functions: values of operands after an instruction, when `opwright trace` asks for its line (trace.c). */
#ifndef OPWRIGHT_SIM_TRACE_H
#define OPWRIGHT_SIM_TRACE_H

#include "sim/sim_int.h"

/* At the end of a run function; true: tell the operands. */
bool trace_begin(Core *c);
void trace_ub(Core *c, const char *role, DType t, uint64_t at, uint64_t n_elems);
void trace_gm(Core *c, const char *role, const GmRange *r, uint64_t at, uint64_t n_bytes);

#endif
