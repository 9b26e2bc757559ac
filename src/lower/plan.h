/* From the graph to a kernel's schedule. The graph is cut into stages (lower/stage.h), each run by one
 * schedule family (lower/family.h). A plan holds the passes of all stages in order. A pass is one iteration
 * space with the accesses made in it, the KIR of one element, and where every value lives in UB.
 *
 * Schedules of the pointwise family, which has one pass per shape of output:
 *   FLAT  every operand runs through memory exactly as the output does (or is one number): the space is one
 * line, cut into tiles of some thousand elements. ROWS  the space is (outer dims...) x rows x cols. A tile is
 * rowsPerTile rows of one run of `rows` times colsPerTile columns; in UB a row takes `pitch` elements, a
 * multiple of 64, so that masks of rows stay aligned. */
#ifndef OPWRIGHT_LOWER_PLAN_H
#define OPWRIGHT_LOWER_PLAN_H

#include "graph/equal.h"
#include "graph/graph.h"
#include "graph/views.h"
#include "lower/kir.h"

typedef enum { PLAN_FLAT, PLAN_ROWS } PlanSchedule;

/* How an operand moves while the innermost dimension runs. */
typedef enum {
    PLAN_LINE,    /* FLAT: like the output */
    PLAN_NUMBER,  /* one element for the whole space: read once as a scalar */
    PLAN_ROW,     /* contiguous columns, another place for every row or outer index */
    PLAN_VECTOR,  /* contiguous columns, the same for every row: loaded once per column tile */
    PLAN_COLUMN,  /* one element per row */
    PLAN_STRIDED, /* columns apart from each other: gathered */
    PLAN_INDEX,   /* an index tensor: read where an access that it steers needs it */
    PLAN_PICKED,  /* every column's place comes from an index tensor */
    PLAN_UPDATE,  /* what goes to places of the space that an index tensor names; its view has a size of its own there */
    PLAN_COUNTED, /* no tensor: an element is its place under the view, int32 */
    PLAN_N_CLASSES
} PlanClass;

/* Where a value lives in UB. */
typedef enum {
    PLACE_NONE,
    PLACE_IN,   /* slot of load access `index`: its queue buffer when the tensor is 32 bits wide, else a work
                   slot */
    PLACE_OUT,  /* slot of store access `index`, likewise */
    PLACE_WORK, /* work slot, 32 bits per element */
    PLACE_KEEP, /* like a work slot, but its value stays from tile to tile */
    PLACE_MASK, /* 1 bit per element */
    PLACE_KEEP_MASK,
    PLACE_HALF /* 16 bits per element */
} PlaceKind;

typedef struct Place {
    PlaceKind kind;
    uint32_t index;
} Place;

/* A dimension of a tensor whose elements are named by an index tensor: its place adds index * stride. */
typedef struct PlanIndex {
    uint32_t access;           /* of the index tensor: PLAN_INDEX */
    const Size *size, *stride; /* of the dimension: elements; elements from index to index */
    bool wraps;                /* a negative index counts from the end */
} PlanIndex;

/* How an update changes the element that its index names. */
typedef enum { PLAN_SET, PLAN_ADD, PLAN_MULTIPLY, PLAN_GREATEST, PLAN_LEAST } PlanCombine;

/* Updates of a tile, one after the other in the order of the index: element (.., n, ..) of `source` goes to element
 * (.., index(.., n, ..), ..) of the space along PlanPass.named. KIR_UPDATE_* number them in their mode. */
typedef struct PlanUpdate {
    uint32_t index, source; /* accesses, PLAN_INDEX and PLAN_UPDATE; source UINT32_MAX: always `number` */
    PlanCombine how;
    bool has_number;
    KirScalar number; /* with a source: what its elements are multiplied by */
    bool wraps;       /* a negative index counts from the end */
    bool is_float;
} PlanUpdate;

typedef struct PlanAccess {
    bool is_store;
    bool is_temp;     /* the tensor is left by one stage for another, in workspace */
    uint32_t tensor;  /* position in inputs or outputs of the stage's graph */
    const char *name; /* C identifier, unique in the plan: "x", "x2" for a second view of x */
    const char *tensor_name;
    const DType *dtype; /* per variant of the plan */
    GraphView view;     /* over the pass's collapsed dims */
    PlanClass cls;
    Place place;     /* of the loaded value, or of the value to store when it is computed in place */
    bool in_place;   /* store: the value is computed in the slot of this access */
    bool slot_used;  /* some value lives in its slot, which a narrow type needs a work slot for */
    uint32_t scalar; /* PLAN_NUMBER: position in PlanPass.scalars */
    PlanIndex *by;   /* dimensions named by index tensors: n_by of them */
    uint32_t n_by;
} PlanAccess;

/* A number the kernel takes at run time: an attribute, an input of one element, a size of the call, or a member of the
 * class that the family's text sets. */
typedef enum { PLAN_ATTRIBUTE, PLAN_ELEMENT, PLAN_SIZE, PLAN_MEMBER } PlanScalarKind;
typedef struct PlanScalar {
    PlanScalarKind kind;
    const char *name; /* "alpha" */
    uint32_t index;   /* of Graph.scalars, or of PlanPass.access */
    bool negated;     /* the attribute times -1 */
    const Size *size;
    bool as_float, as_int; /* in which types instructions take it */
} PlanScalar;

typedef struct PlanStep {
    KirVal insn;
    Place dst, src[3]; /* of KIR operands; dst of a store is PLACE_OUT */
} PlanStep;

typedef struct PlanPass {
    const struct Family *family;
    uint32_t stage;   /* position in Plan.stages */
    void *own;        /* what the family keeps about it */
    GraphShape shape; /* as the user sees it */
    GraphShape space; /* collapsed: FLAT has 1 dim, ROWS outer dims, rows, cols */
    PlanSchedule schedule;
    bool ordered, backwards; /* tiles follow each other along dimension `named`, from its end */
    Kir *kir;
    size_t n_variants;      /* of the plan: length of the accesses' dtype lists */
    VEC(PlanAccess) access; /* loads and stores, as the outputs brought them in */
    VEC(PlanScalar) scalars;
    PlanStep *steps; /* in execution order */
    size_t n_steps;
    uint32_t n_work, n_keep, n_mask, n_keep_mask, n_half;
    bool half_scratch;     /* half slot 0 is scratch for bool tensors and 16-bit gathers */
    bool reserved_ub;      /* an instruction uses the framework's 8 KB */
    double cycles64;       /* vector cycles for 64 elements */
    VEC(uint32_t) outputs; /* positions in Graph.outputs */
    VEC(PlanUpdate) updates;
    uint32_t named; /* the dimension of the space that updates name or that tiles follow, plus one; 0: there is none */
} PlanPass;

typedef VEC(PlanPass *) PlanPasses;

/* Variants for which every pass has the same instructions: 16-bit results often need fewer of them. The
 * programs of a plan agree in passes, spaces, accesses and scalars and differ in KIR, steps and slots alone.
 */
typedef struct PlanProgram {
    VEC(size_t) variants; /* positions in Plan.variants */
    PlanPasses passes;
} PlanProgram;

/* A value that one stage leaves for another, in workspace. */
typedef struct PlanTemp {
    uint32_t value;     /* of the graph */
    uint32_t stage;     /* that writes it */
    const char *name;   /* C identifier */
    const DType *dtype; /* per variant of the graph: float32, int32 or bool */
} PlanTemp;
typedef VEC(PlanTemp) PlanTemps;

typedef struct Plan {
    const Graph *graph;
    PlanTemps temps;
    bool *waits;                 /* per pass: every core must have finished the passes before */
    VEC(const char *) decisions; /* for --explain: what was chosen, over what, and why */
    VEC(size_t) variants;        /* those of the graph's variants that one description serves */
    size_t own_variant;          /* position in variants */
    VEC(PlanProgram *) programs; /* the one of the file's own variant first */
    PlanPasses passes;           /* of the first program */
    GraphBounds bounds;          /* what views take for granted of the sizes */
    VEC(const char *) notes;     /* for people: variants left out and why */
} Plan;

/* Lowers the graph. NULL and *err: an op or dtype that is not supported, with its place in the user's file.
 */
Plan *plan_graph(Arena *a, const Graph *g, Err *err) ERR_CHECKED;
/* Checks that the places of values do not clash; for tests and --check. */
bool plan_check(const Plan *p, Err *err) ERR_CHECKED;
/* Text form, for --dump and tests. */
char *plan_print(const Plan *p, Arena *a);

/* Pass i as variant v of the plan runs it. */
const PlanPass *plan_pass(const Plan *p, size_t i, size_t v);
const char *plan_class_name(PlanClass c);
/* Ops that make a tensor of one value: aten.zeros_like and the like. */
/* Does every tensor argument of the op broadcast to its result? For graph_equalities. */
bool plan_is_elementwise(const char *op);
/* For graph_cases. */
const GraphFacts *plan_facts(void);
/* Operators that are anchors of some family. */
size_t plan_anchor_count(void);
const char *plan_anchor_name(size_t i);
size_t plan_fill_count(void);
const char *plan_fill_name(size_t i);
bool plan_is_converted_int(DType t); /* an integer that lies in memory otherwise than it is computed in, as int32 */
bool plan_is_small_int(DType t); /* of up to 16 bits: only passes of tiles read those */
bool plan_is_wide(DType t); /* 32 bits: a queue buffer can serve as a slot */

/* ---- UB
 * ----------------------------------------------------------------------------------------------------------
 */

#define PLAN_MAX_ROWS    128u  /* of a tile in schedule ROWS */
#define PLAN_MAX_TILE    8192u /* elements of a tile in schedule ROWS: copies of 16 to 32 KB */
#define PLAN_STAGE_COLS  512u  /* columns gathered at a time, one 32-byte block each */
#define PLAN_BLOCK_BYTES 32u
#define PLAN_WINDOW_BYTES 32768u /* of a dimension that columns are picked from */
#define PLAN_PICK_COLS    1024u  /* indices at a time */
#define PLAN_RANGE_BYTES  256u   /* two ends and what reductions of PLAN_PICK_COLS numbers put aside */
#define PLAN_SOURCE_ELEMENTS 2048u /* of the source of updates at a time; no tile with updates of rows is wider */

typedef struct PlanBuffer {
    const char *name;     /* of the queue or buffer in the kernel: "xQueue" */
    const char *what;     /* for people */
    uint32_t count;       /* buffers: 2 when it is double buffered */
    uint32_t bits;        /* of one element of a tile, in one buffer; 0 when the size is fixed */
    uint32_t fixed_bytes; /* of one buffer */
    uint32_t first, last; /* steps of the tile between which it holds data; n_steps and more: copies */
} PlanBuffer;

typedef VEC(PlanBuffer) PlanBuffers;

/* All of UB in variant v of the plan, in the order of the kernel's InitBuffer calls. */
PlanBuffer *plan_buffers(Arena *a, const PlanPass *p, size_t v, size_t *n);
/* Bits of UB for one element of a tile, and bytes that do not depend on the tile. */
uint32_t plan_bits_per_element(Arena *a, const PlanPass *p, size_t v);
uint32_t plan_fixed_bytes(Arena *a, const PlanPass *p, size_t v);
/* Queues of inputs share one when the AI Core's 8 buffers per position would not do. */
bool plan_packs_inputs(const PlanPass *p);
bool plan_packs_outputs(const PlanPass *p);
/* Updates name the columns of the space, not its rows. */
bool plan_updates_columns(const PlanPass *p);
/* Update u goes to whole rows: its index is the same for all columns. */
bool plan_updates_rows(const PlanPass *p, const PlanUpdate *u);
/* The vector operand that needs the most room in every variant: the queue of vectors is made for it. NULL: no
 * single one, it is made for 32 bits. */
const PlanAccess *plan_widest_vector(const PlanPass *p);
/* A column operand whose rows follow each other in memory; others arrive one 32-byte block per row. */
bool plan_column_is_dense(const PlanPass *p, const PlanAccess *acc);
/* An access whose columns are named by an index tensor along a dimension that lies contiguously in memory: a piece of it,
 * PLAN_WINDOW_BYTES long, stands in UB while columns are gathered from it. Others are copied one by one. */
bool plan_picks_from_window(const PlanPass *p, const PlanAccess *acc);
/* Does an index that steers acc change from column to column? */
bool plan_index_runs(const PlanPass *p, const PlanIndex *by);
/* Work slots in variant v: those every type needs, then, when it has 16-bit tensors, one for each operand
 * that can be narrow. */
uint32_t plan_n_work(const PlanPass *p, size_t v);
/* The work slot of access acc in variants where it is narrow; UINT32_MAX when it has none. */
uint32_t plan_narrow_slot(const PlanPass *p, const PlanAccess *acc);
/* Elements of instructions are rounded up to this: 64, or 128 when half comparisons occur (256 bytes each).
 * HW: Compare page, count. */
uint32_t plan_round(const PlanPass *p);

#endif
