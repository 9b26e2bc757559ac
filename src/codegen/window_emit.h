/* Between the files that write the window family's text. */
#ifndef OPWRIGHT_CODEGEN_WINDOW_EMIT_H
#define OPWRIGHT_CODEGEN_WINDOW_EMIT_H

#include "codegen/emit.h"
#include "codegen/kernel.h"
#include "lower/window.h"

#define WINDOW_EDGE 8u /* elements of a joined row beside the input's: what taps outside find */

extern const char WINDOW_LETTER[3]; /* D, H, W: of fields and members */

void window_write_class(Gen *gen, const GenPass *gp, Cxx *cx);
/* window_axis.c: member functions that tell where the taps of an axis are. */
void window_write_axes(Gen *gen, const GenPass *gp, Cxx *cx);
/* Member function MakeOffsets: bytes from which Gather takes each tap of the columns; LocateCols. */
void window_write_columns(Gen *gen, const GenPass *gp, Cxx *cx);
bool window_is_divided(const WindowAxis *axis); /* by a number of taps */
bool window_has_table(const WindowPlan *w);
bool window_scales(const WindowPlan *w);

#endif
