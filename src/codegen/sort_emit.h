/* Between the files that write sort passes. */
#ifndef OPWRIGHT_CODEGEN_SORT_EMIT_H
#define OPWRIGHT_CODEGEN_SORT_EMIT_H

#include "codegen/emit.h"
#include "codegen/kernel.h"
#include "lower/sort.h"

void sort_write_class(Gen *gen, const GenPass *gp, Cxx *cx);

#endif
