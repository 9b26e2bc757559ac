/* The reduce family: reductions along some dimensions with the pointwise work before, between and after them.
 *
 * The space is that of the reduced tensor. Its dimensions are kept or reduced; neighbours of one kind are
 * merged. A tile lies over the two innermost, rows and columns; of these the columns, the rows, or both are
 * reduced (ReduceAxis). Outer kept dimensions and blocks of the tile's kept dimension number the items; outer
 * reduced dimensions and blocks of the reduced ones number an item's tiles.
 *
 *   for each item
 *       for each phase
 *           what is computed once per item                            (sections 0, 2, 4, ...)
 *           for each tile: load, compute, join into carries, store    (sections 1, 3, 5, ...)
 *       what is computed once per item
 *
 * A value has a shape within the tile: all of it, a row that all rows share, a number per row, or one number.
 * Where an item is one tile (resident) later phases find in UB what earlier ones have loaded. Where there are
 * more cores than items, several cores share an item's tiles and join their carries through workspace. */
#ifndef OPWRIGHT_LOWER_REDUCE_H
#define OPWRIGHT_LOWER_REDUCE_H

#include "lower/plan.h"

typedef enum { REDUCE_COLS, REDUCE_ROWS, REDUCE_BOTH } ReduceAxis;

/* Bits: varies along rows, along columns. BLOCKS and BLOCK are ROW numbers and a NUMBER repeated over 32
 * bytes each, the form in which instructions take them beside a tile. */
typedef enum {
    SHAPE_NUMBER = 0,
    SHAPE_ROWS = 1,
    SHAPE_COLS = 2,
    SHAPE_TILE = 3,
    SHAPE_BLOCKS = 4,
    SHAPE_BLOCK = 5
} ReduceShape;

typedef enum {
    SLOT_NONE,
    SLOT_IN,     /* float32 form of load `index` */
    SLOT_OUT,    /* float32 form of store `index` */
    SLOT_TILE,   /* work slot of a tile */
    SLOT_MASK,   /* bits of a tile */
    SLOT_HALF,   /* 16 bits per element of a tile */
    SLOT_COLS,   /* a row of columns */
    SLOT_ROWS,   /* a number per row */
    SLOT_BLOCKS, /* a 32-byte block per row */
    SLOT_N
} SlotKind;

typedef struct ReducePlace {
    SlotKind kind;
    uint32_t index;
} ReducePlace;

typedef struct ReduceStep {
    KirVal insn;
    bool again; /* was computed in an earlier phase: only done when the item is not resident */
    bool joins; /* a FINAL at the end of a tile: its second source goes into the carry */
    ReducePlace dst, src[3];
    ReducePlace fold; /* T*: tile slot it may destroy */
    bool fold_in_place;
} ReduceStep;

typedef struct ReduceSection {
    ReduceStep *at;
    size_t n;
} ReduceSection;

typedef struct ReducePlan {
    /* Before the space is merged */
    GraphShape shape;
    bool reduced[GRAPH_MAX_RANK + 2]; /* of shape, then of PlanPass.space */
    int32_t position_dim;             /* whose index INDEX_F gives; -1: none */
    /* After */
    ReduceAxis axis;
    uint32_t n_phases;
    ReduceSection *section; /* 2 * n_phases + 1 */
    uint8_t *shape_of;      /* per value: ReduceShape */
    uint8_t *loop_of;       /* per value: computed for every tile */
    uint32_t *in_phase;     /* per value: bits of the phases that compute it */
    uint32_t n_slots[SLOT_N];
    uint32_t n_exchanges; /* X* */
    bool half_scratch;    /* half slot 0 serves bool tensors */
    bool reserved_ub;
    bool holds[64]; /* per access: stays in UB from phase to phase when the item is resident */
    uint32_t first_phase[64], last_phase[64]; /* per access of a tile or column load: where it is used */
} ReducePlan;

const ReducePlan *reduce_plan(const PlanPass *p);
ReduceShape reduce_access_shape(const PlanPass *p, const PlanAccess *acc);
/* Loads and stores that are done once per item. */
bool reduce_is_per_item(const PlanPass *p, const PlanAccess *acc);
/* The float32 work slot of an access that is 16 bits wide in some variant, past those of n_slots; UINT32_MAX:
 * none. */
uint32_t reduce_narrow_slot(const PlanPass *p, const PlanAccess *acc);
uint32_t reduce_n_tiles(const PlanPass *p, size_t v); /* work slots of a tile in variant v */
bool reduce_is_strided_op(KirOp op);                  /* takes rows, columns and numbers beside tiles */
/* Bytes of UB: per element of a tile, per column, per row, fixed. */
typedef struct ReduceUb {
    uint64_t tile_bits, col_bytes, row_bytes;
} ReduceUb;
ReduceUb reduce_ub(const PlanPass *p, size_t v);
#define REDUCE_MAX_ROWS 128u

#endif
