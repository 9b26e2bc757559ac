/* What the vector instructions share: the shape of one instruction, its operands, and the walk over its elements. */
#ifndef OPWRIGHT_SIM_VEC_INT_H
#define OPWRIGHT_SIM_VEC_INT_H

#include "sim/sim_int.h"
#include "sim/vec_loops.h"

/* One operand: element (repeat r, lane l) lies at addr + 32 * (r * rep + l / per_block * blk) + off + (l % per_block * size >> nibble). */
typedef struct Operand {
    const char *role; /* "dst", "src0", "src1" */
    const OwLocal *t;
    DType type;
    uint32_t size, per_block; /* bytes of an element, elements in a 32-byte block */
    uint32_t off;             /* of the first element in its block, bytes */
    uint32_t nibble;          /* 1: two elements share a byte; lanes then come in pairs */
    uint32_t blk, rep;        /* strides, 32-byte blocks */
    bool write;
    Place p;
} Operand;

enum { VEC_MAX_OPERANDS = 3 };

/* Which elements an instruction works on. Contiguous: elements 0..count-1. Else repeats of lanes under a mask. */
typedef struct Shape {
    bool contiguous;
    uint64_t count;
    uint32_t repeat, lanes;
    uint64_t mask[2];
    uint64_t tail_mask[2]; /* of the last repeat, in counter mode */
    bool has_tail;
} Shape;

typedef struct VecOp {
    const InsnInfo *insn;
    InsnId id;
    Operand o[VEC_MAX_OPERANDS]; /* dst first */
    uint32_t n;
    Shape shape;
    VecScalar scalar;
    const void *extra;    /* what the instruction's own run function needs: */
    size_t n_extra_bytes; /* its size, without pointers to anything that ends with the call */
    Access also[2];       /* UB it touches besides the operands' elements */
    uint32_t n_also;
    uint32_t n_packed; /* bytes of dst when it holds a bit for each element; else 0 */
    uint32_t lost_at, lost_bytes; /* UB it leaves undefined */
} VecOp;

/* Fills operand i. type and t as the call gave them; strides 1 and 8 until shape_repeat says otherwise. */
void vec_operand(VecOp *op, const char *role, const OwLocal *t, DType type, bool write);
/* Count form: false when there is nothing to do. Leaves mask and mode as the API does. */
bool vec_shape_count(Core *c, VecOp *op, int64_t count);
/* Count form of an instruction whose elements do not follow each other in memory. */
bool vec_shape_counted(Core *c, VecOp *op, uint64_t count);
/* High-dimensional form, with the checks of its fields. False: nothing to do. */
bool vec_shape_repeat(Core *c, VecOp *op, const OwRepeat *r);
/* Bounds, alignment, overlap. False: the instruction is skipped. May shorten a contiguous shape. */
bool vec_check(Core *c, VecOp *op);
/* Calls fn for runs of elements that are contiguous in every operand: addr[i] is operand i's byte in UB. first: index of
 * the run's first element among all lanes of all repeats (repeat * lanes + lane). */
typedef void VecRun(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n);
/* Issues the instruction on PIPE_V: the runs come when the pipe gets there. */
void vec_walk(Core *c, const VecOp *op, VecRun *fn);
/* The same for an instruction that does not go by runs: fn gets the VecOp. */
void vec_issue(Core *c, const VecOp *op, void (*fn)(Core *c, const VecOp *op));
/* The scalar unit waits for what the vector unit has been given: it reads one of its result registers. ASSUMED: the compiler
 * puts the flag there, as it does by default for accesses of the scalar unit. */
void vec_to_scalar(Core *c);
/* Validity of a run: what is valid in every source is valid in dst. reads_dst: dst is a source too. */
void vec_mark(Core *c, const VecOp *op, const uint32_t *addr, uint32_t n, bool reads_dst);

/* Element conversions of runs. */
void vec_load_f32(const VecLoops *l, DType t, const void *src, float *dst, uint32_t n);
/* Rounds to nearest even; integers saturate. */
void vec_store_f32(const Core *c, const VecLoops *l, DType t, void *dst, const float *src, uint32_t n);
/* Rounds to an integer of `bits` bits, as Cast does. */
int64_t vec_round_int(const Core *c, double x, uint32_t mode, int bits);
float vec_scalar_f32(DType t, uint64_t bits);
int64_t vec_scalar_int(DType t, uint64_t bits);

/* watch.c: after an instruction has run: n elements from byte `at` on, the first being number `element` of the result. */
void watch_ub(Core *c, DType t, uint64_t element, uint64_t at, uint64_t n);
void watch_vec(Core *c, const VecOp *op);

void vec_cast_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n);
void vec_copy_counted(Core *c, VecOp *op, const OwRepeat *r);
void vec_add_deq_run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n);
/* For instructions that use the reserved end of UB. */
void vec_check_reserved(Core *c, const char *api);
void vec_run_compare(Core *c, VecOp *op, const OwRepeat *r, int64_t count, bool with_scalar);

#endif
