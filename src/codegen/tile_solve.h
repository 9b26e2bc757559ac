/* The host's tile formula worked out here, for the numbers of the design text. */
#ifndef OPWRIGHT_CODEGEN_TILE_SOLVE_H
#define OPWRIGHT_CODEGEN_TILE_SOLVE_H

#include "codegen/gen.h"
#include "isa/isa.h"

typedef struct TileSolution {
    uint64_t ub_bytes, fixed_bytes, bits, fitting; /* of UB for tiles, elements that fit */
    uint64_t n_elements;                           /* of the output */
    uint64_t tile_elements;                        /* in UB */
    uint64_t n_tiles, block_dim;
    uint64_t units, rows, cols, rows_per_tile, cols_per_tile, row_blocks, col_blocks,
        runs; /* as the schedule has them */
} TileSolution;

/* Sizes by symbol values; the same steps as the code of host_tile.c, which tests compare it with. */
TileSolution tile_solve(Gen *gen, const GenPass *gp, size_t variant, const ChipInfo *chip,
                        const int64_t *symbol_values);

#endif
