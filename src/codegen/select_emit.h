/* Between the files that write select passes. */
#ifndef OPWRIGHT_CODEGEN_SELECT_EMIT_H
#define OPWRIGHT_CODEGEN_SELECT_EMIT_H

#include "codegen/emit.h"
#include "codegen/kernel.h"
#include "lower/select.h"

#define SELECT_PIECE 256u /* rows of places put together at a time */

uint32_t select_tile(const SelectPlan *p); /* elements of the mask in UB at a time */
void select_write_class(Gen *gen, const GenPass *gp, Cxx *cx);

#endif
