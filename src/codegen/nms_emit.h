/* Between the files that write nms passes. */
#ifndef OPWRIGHT_CODEGEN_NMS_EMIT_H
#define OPWRIGHT_CODEGEN_NMS_EMIT_H

#include "codegen/emit.h"
#include "codegen/kernel.h"
#include "lower/nms.h"

void nms_write_class(Gen *gen, const GenPass *gp, Cxx *cx);

#endif
