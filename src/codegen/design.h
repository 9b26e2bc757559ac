/* Between the files that write the design text. */
#ifndef OPWRIGHT_CODEGEN_DESIGN_H
#define OPWRIGHT_CODEGEN_DESIGN_H

#include "codegen/gen.h"
#include "isa/isa.h"

typedef struct Design {
    Gen *gen;
    StrBuf sb;
    const ChipInfo *chip;
    int64_t *hints; /* the symbols' values in the user's file */
} Design;

/* Space, tiles and cores, instructions of a pass of the pointwise family. */
void design_tile_pass(Design *d, const GenPass *gp);
/* What the family prints of a pass, as a block of text. */
void design_pass(Design *d, const GenPass *gp);
/* Bytes a second all cores together can stream. */
double design_stream_rate(const ChipInfo *chip);

#endif
