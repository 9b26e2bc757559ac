/* The element loops of the vector unit: one function a row of insn.def and element type, built once for the plain
 * instruction set and once for a wider one (x86-64 with AVX2), chosen at run time. */
#ifndef OPWRIGHT_SIM_VEC_LOOPS_H
#define OPWRIGHT_SIM_VEC_LOOPS_H

#include "isa/isa.h"

/* The scalar operand, and what else an expression may look at. */
typedef struct VecScalar {
    float f;
    int64_t i;
    uint32_t arg;
    int is_half; /* float loops: the result will be rounded to half */
    int exact;   /* instructions of limited accuracy give the exact result, rounded */
} VecScalar;

/* d, a, b: n elements of the loop's type; d may be a or b, or overlap neither. */
typedef void VecLoop(void *d, const void *a, const void *b, const VecScalar *s, size_t n);

typedef struct VecLoops {
    VecLoop *f32[INSN_COUNT], *i16[INSN_COUNT], *u16[INSN_COUNT], *i32[INSN_COUNT], *u32[INSN_COUNT];
    VecLoop *i64[INSN_COUNT]; /* the integer expression in full: where results saturate instead of wrapping */
    void (*widen_f16)(float *d, const uint16_t *a, size_t n);
    void (*narrow_f16)(uint16_t *d, const float *a, size_t n); /* nearest even */
    void (*widen_bf16)(float *d, const uint16_t *a, size_t n);
    void (*narrow_bf16)(uint16_t *d, const float *a, size_t n); /* nearest even */
    void (*f32_to_i32)(int32_t *d, const float *a, uint32_t mode, size_t n); /* RINT to TRUNC; saturates, NaN gives 0 */
    void (*i32_to_f32)(float *d, const int32_t *a, size_t n);                /* nearest even */
    /* one byte an element, 0 or 1 */
    void (*compare)(uint8_t *d, const float *a, const float *b, uint32_t mode, size_t n);
    void (*select32)(uint32_t *d, const uint8_t *sel, const uint32_t *a, const uint32_t *b, size_t n);
    void (*select16)(uint16_t *d, const uint8_t *sel, const uint16_t *a, const uint16_t *b, size_t n);
} VecLoops;

extern const VecLoops vec_loops_plain;
extern const VecLoops vec_loops_avx2; /* x86-64 only */
const VecLoops *vec_loops(void);      /* the best this machine runs */

#endif
