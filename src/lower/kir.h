/* Kernel IR: what is computed for every element of the iteration space, as machine instructions over typed values.
 * One value is a whole tile. Values are in single assignment; kir_* constructors fold constants and share equal
 * instructions. The schedule (dims, accesses, tiles, buffers) is in lower/plan.h; text comes from codegen. */
#ifndef OPWRIGHT_LOWER_KIR_H
#define OPWRIGHT_LOWER_KIR_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"

#include <stdint.h>

/* Types values have inside the kernel. Floating tensors of any width compute as F32, int32 as I32, bool as MASK: one
 * bit per element, as Compare writes and Select reads it. */
typedef enum {
    KIR_F32,
    KIR_I32,
    KIR_MASK,
    KIR_F16, /* F16 and BF16 only between a narrowing Cast and the Cast back (kir_round_to) */
    KIR_BF16,
    KIR_NO_TYPE
} KirType;
/* Bits one element takes in UB: 32, 32, 1, 16, 16. */
uint32_t kir_type_bits(KirType t);

typedef enum {
#define KIR(id, ...) KIR_##id,
#include "lower/kir.def"
#undef KIR
    KIR_N_OPS
} KirOp;

/* What `mode` of an instruction means. */
typedef enum { KIR_MODE_NONE, KIR_MODE_CMP, KIR_MODE_ROUND, KIR_MODE_ACCESS } KirModeKind;

/* A row of kir.def. */
typedef struct KirOpInfo {
    const char *name;  /* "ADD_F" */
    const char *call;  /* text template of the AscendC call, see kir.def; NULL for LOAD and STORE. "" is no instruction: the
                        * result is the memory of source 0 under another type, so both live until the later one dies and
                        * nothing may overwrite it in place before that */
    KirType type;      /* of the result; of the stored value for STORE */
    uint8_t n_src;
    KirType src[3];
    bool has_scalar;   /* takes a scalar operand, of type scalar_type (KIR_MASK: 0 or 1) */
    KirType scalar_type;
    KirModeKind mode_kind;
    bool in_place;     /* result may take the place of any source of the same width */
    bool wants_reserved_ub; /* uses the 8 KB the framework reserves at the end of UB (Select modes 1 and 2) */
    double cycles64;   /* issue cycles for 64 elements; LOAD and STORE are counted as copies, so 0 here */
    const char *needs_chip_note; /* source of the facts in this row */
} KirOpInfo;
const KirOpInfo *kir_op_info(KirOp op);
bool kir_is_load(KirOp op);
bool kir_is_store(KirOp op);
bool kir_is_update(KirOp op);
/* Text of $m for this op: "CMPMODE::LT", "RoundMode::CAST_RINT"; NULL when the op has no such mode. */
const char *kir_mode_text(KirOp op, uint32_t mode);

typedef uint32_t KirVal; /* index into Kir.insns */
#define KIR_NONE UINT32_MAX

/* A number an instruction takes: a constant, already rounded to the op's scalar type, or runtime scalar `index` of the
 * graph (tiling data), converted to that type and then negated when `negate` is set. */
typedef struct KirScalar {
    bool is_runtime;
    bool negate;    /* runtime only */
    double value;   /* constant, may be infinite or NaN; or unused */
    uint32_t index; /* runtime: position in the graph's scalars */
} KirScalar;
KirScalar kir_const(double value);
KirScalar kir_negated(KirScalar s);

typedef struct KirInsn {
    KirOp op;
    KirVal src[3];    /* KIR_NONE when absent */
    KirScalar scalar; /* when the op has one */
    uint32_t mode;    /* comparison or round mode, or the access index of LOAD and STORE */
    const char *note; /* what it is in the user's terms ("x + y"), or NULL; a comment in the kernel */
} KirInsn;

typedef struct Kir {
    Arena *arena;
    VEC(KirInsn) insns;
} Kir;

Kir *kir_new(Arena *a);
/* Appends, folds or shares; returns the value. Sources must have the op's types (asserted). */
KirVal kir_emit(Kir *k, KirOp op, const KirVal *src, KirScalar scalar, uint32_t mode);
/* For kir_emit: v - v * w, written with what w lacks of 1 (kir_cancel.c); KIR_NONE. */
KirVal kir_without_cancelling(Kir *k, const KirInsn *in);
/* A value that is loaded: `access` is an index the planner gives meaning to. */
KirVal kir_load(Kir *k, KirType type, uint32_t access);
void kir_store(Kir *k, uint32_t access, KirVal v);
KirType kir_type(const Kir *k, KirVal v);
/* Removes instructions no STORE needs and renumbers the rest in order; values held by the caller become stale, so this
 * comes last. */
void kir_prune(Kir *k);
/* Issue cycles for 64 elements of all instructions in k. */
double kir_cycles64(const Kir *k);
/* Checks operand types, single assignment order and modes; for tests and --check. */
bool kir_check(const Kir *k, Err *err) ERR_CHECKED;
/* Comparison and round modes, in the order of the device enums. */
typedef enum { KIR_LT, KIR_GT, KIR_EQ, KIR_LE, KIR_GE, KIR_NE } KirCmp;
typedef enum { KIR_ROUND_NONE, KIR_ROUND_RINT, KIR_ROUND_FLOOR, KIR_ROUND_CEIL, KIR_ROUND_ROUND, KIR_ROUND_TRUNC } KirRound;
/* Text form, one instruction a line, for --dump and tests. */
char *kir_print(const Kir *k, Arena *a);

/* An operand of a graph op: a tile value or a number. */
typedef struct KirArg {
    enum { KIR_ARG_NONE, KIR_ARG_VAL, KIR_ARG_NUM } kind;
    KirVal val;
    KirScalar num;
    bool num_is_int, num_is_bool; /* Python type of the number */
} KirArg;

/* The float, integer or bool class a graph node computes in: its result's or, for comparisons, its inputs' class. */
KirType kir_type_of_dtype(DType t);
/* Converts a value or number to a type as PyTorch's cast does (float to int truncates, anything to bool is != 0). */
KirVal kir_convert(Kir *k, KirVal v, KirType to);
/* Rounds an F32 value to what dtype can hold (explicit casts in the user's code). */
KirVal kir_round_to(Kir *k, KirVal v, DType t);
/* The int32 value v modulo what an integer dtype of up to 16 bits holds; v itself for other dtypes. */
KirVal kir_wrap_to(Kir *k, KirVal v, DType t);
/* Can an integer dtype of up to 16 bits hold the number? */
bool kir_fits(double number, DType t);
KirVal kir_materialise(Kir *k, KirArg a, KirType type); /* a number becomes a filled tile */

/* ---- recipes: graph op -> instructions; one row of lower/pointwise.def is one op ------------------------------ */

typedef struct PointwiseOp {
    const char *target;     /* "aten.gelu.default" */
    const char *params;     /* "self approximate='none'": names and defaults of the op's arguments */
    const char *latex;      /* formula with \alpha and names of params */
    const char *text;       /* formula as text: "x * 0.5 * (1 + erf(x / sqrt(2)))" */
    bool is_bounded;        /* right for arguments of ordinary size only */
} PointwiseOp;

const PointwiseOp *pointwise_find(const char *target); /* NULL: not a pointwise op we know */
size_t pointwise_count(void);
const PointwiseOp *pointwise_at(size_t i);
/* Applies op `target` to args, one for each parameter of the row in order (KIR_ARG_NONE takes the default; strings such as
 * approximate are given in `str_args` by position, else NULL). in_types: class of the computation (the promoted class of
 * the tensor inputs); out_dtype: the node's result. The result may be a number when everything was constant.
 * Error ERR_UNSUPPORTED names the op, why, and the nearest form that works. */
bool pointwise_apply(Kir *k, const char *target, const KirArg *args, const char *const *str_args, size_t n_args, DType compute_dtype,
                     DType out_dtype, KirArg *result, Err *err) ERR_CHECKED;

#endif
