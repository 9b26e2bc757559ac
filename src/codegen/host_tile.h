/* Host code that solves the tiles of a pass. */
#ifndef OPWRIGHT_CODEGEN_HOST_TILE_H
#define OPWRIGHT_CODEGEN_HOST_TILE_H

#include "codegen/host.h"

/* Tile sizes and `wanted<suffix>`, the cores the pass would use. */
void host_write_tiles(Gen *gen, const GenPass *gp, Cxx *cx);
/* Shares among `blockDim` cores; sets the pass's tiling fields. */
void host_write_split(Gen *gen, const GenPass *gp, Cxx *cx);
bool host_reserves_ub(const Gen *gen,
                      const GenPass *gp); /* some dtype's instructions work in the framework's 8 KB */
bool host_uses_dtype(Gen *gen);           /* the formula needs `dtype` */
uint32_t host_row_group(const Gen *gen, const GenPass *gp); /* rows that one gathering copy brings in */
uint32_t host_widest_bytes(const PlanPass *p, size_t v);

/* Constants of the formula, as the design text needs them too. */
#define HOST_MAX_COPY_BYTES 32768u
#define HOST_MIN_TILE       1024u
#define HOST_RESERVED_UB    8192u

#endif
