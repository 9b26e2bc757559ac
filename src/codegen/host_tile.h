/* Host code that solves the tiles of a pass. */
#ifndef OPWRIGHT_CODEGEN_HOST_TILE_H
#define OPWRIGHT_CODEGEN_HOST_TILE_H

#include "codegen/host.h"

/* Constants of the host's text that a pass uses. */
enum {
    HOST_UNIT = 1,
    HOST_MIN_TILE_ELEMENTS = 2,
    HOST_MAX_COPY = 4,
    HOST_MAX_TILE = 8,
    HOST_MAX_ROWS = 16,
    HOST_RESERVED = 32
};

/* Tile sizes and `wanted<suffix>`, the cores the pass would use. */
void host_write_tiles(Gen *gen, const GenPass *gp, Cxx *cx);
/* Shares among `blockDim` cores; sets the pass's tiling fields. */
void host_write_split(Gen *gen, const GenPass *gp, Cxx *cx);
/* `maxRows<suffix>`: rows of a tile that one copy can bring in. */
void host_write_row_limit(Gen *gen, const GenPass *gp, Cxx *cx);
/* `fitting<suffix>`: elements of a tile that UB holds; refuses columns too far apart for one copy. */
void host_write_fitting(Gen *gen, const GenPass *gp, Cxx *cx);
void host_write_gather_limit(Gen *gen, const GenPass *gp, Cxx *cx);
/* The host expression of a field's value. */
const char *host_field_value(const GenPass *gp, const char *name);
bool host_reserves_ub(const Gen *gen,
                      const GenPass *gp); /* some dtype's instructions work in the framework's 8 KB */
bool host_tile_uses_dtype(Gen *gen, const GenPass *gp); /* the formula needs `dtype` */
uint32_t host_tile_needs(Gen *gen, const GenPass *gp);
/* "a ? x : y" over the variants' dtypes; equal numbers are written once. */
const char *host_by_dtype(Gen *gen, const uint32_t *number);
uint32_t host_row_group(const Gen *gen, const GenPass *gp); /* rows that one gathering copy brings in */
uint32_t host_widest_bytes(const PlanPass *p, size_t v);

/* Constants of the formula, as the design text needs them too. */
#define HOST_MAX_COPY_BYTES 32768u
#define HOST_MIN_TILE       1024u
#define HOST_RESERVED_UB    8192u

#endif
