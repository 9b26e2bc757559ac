/* What an AI Core can do, and each chip's figures: tables only. Expressions of insn.def are expanded in sim. */
#ifndef OPWRIGHT_ISA_ISA_H
#define OPWRIGHT_ISA_ISA_H

#include "base/dtype.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ChipInfo {
    const char *name;
    uint32_t arch;
    uint32_t n_cube_cores, n_vector_cores;
    uint32_t clock_mhz;
    uint32_t ub_bytes, l1_bytes, l0a_bytes, l0b_bytes, l0c_bytes, bt_bytes, fb_bytes;
    uint64_t l2_bytes, hbm_bytes;
} ChipInfo;

const ChipInfo *chip_find(const char *name); /* NULL when unknown */
size_t chip_count(void);
const ChipInfo *chip_at(size_t i);

/* Last part of UB that some instructions use as scratch. HW: reserved UB, 8 KB from 184 KB on the 2201 architecture. */
#define ISA_UB_RESERVED_BYTES 8192u
#define ISA_BLOCK_BYTES       32u
#define ISA_REPEAT_BYTES      256u

/* Operand types an instruction comes in. */
typedef enum {
#define PAIR(id, dst, src) PAIR_##id,
#include "isa/pair.def"
#undef PAIR
    PAIR_COUNT
} PairId;
/* PAIR_COUNT when no row has these types. */
PairId pair_find(DType dst, DType src);

/* Round modes and comparison modes, in the order of the device enums. */
typedef enum { ROUND_NONE, ROUND_RINT, ROUND_FLOOR, ROUND_CEIL, ROUND_ROUND, ROUND_TRUNC, ROUND_ODD, ROUND_COUNT } RoundMode;
typedef enum { CMP_LT, CMP_GT, CMP_EQ, CMP_LE, CMP_GE, CMP_NE, CMP_COUNT } CmpMode;
const char *round_mode_name(uint32_t mode); /* "CAST_RINT"; "?" when out of range */

/* Bit set of round modes Cast takes for a pair; 0 when the chip has no such conversion. */
uint32_t cast_modes(DType dst, DType src);

typedef enum {
    FORM_UNARY,      /* d = f(a) */
    FORM_BINARY,     /* d = f(a, b) */
    FORM_SCALAR,     /* d = f(a, s) */
    FORM_ACC,        /* d = f(a, b, d) */
    FORM_ACC_SCALAR, /* d = f(a, s, d) */
    FORM_ADD_DEQ, /* d = max(0, half(a + b, scaled)) */
    FORM_FILL,
    FORM_MOVE,
    FORM_CAST,
    FORM_CAST_DEQ, /* 16-bit integers, scaled, to half a block of bytes each */
    FORM_COMPARE,
    FORM_COMPARE_SCALAR,
    FORM_SELECT,
    FORM_GATHER,
    FORM_BROADCAST,
    FORM_INDEX,
    FORM_REDUCE
} InsnForm;

typedef enum { COST_SIMPLE, COST_TERNARY, COST_DIV, COST_TRANS, COST_GATHER, COST_REDUCE } InsnCost;

enum {
    CHK_ALIGN32 = 1,         /* tensor addresses are multiples of 32 bytes */
    CHK_REPEAT = 2,          /* repeat and stride fields of 8 bits */
    CHK_OVERLAP = 4,         /* operands coincide or are disjoint */
    CHK_CHAIN = 8,           /* accumulating into a source over repeats is allowed */
    CHK_NO_WIDE_OVERLAP = 16, /* no overlap at all when the destination is wider */
    CHK_SHIFT = 32,          /* scalar within the width of the type */
    CHK_RESERVED_UB = 64,    /* overwrites the reserved end of UB */
    CHK_BITWISE = 128,       /* bytes of a lane do not mix: validity goes byte by byte */
    CHK_USUAL = CHK_ALIGN32 | CHK_REPEAT | CHK_OVERLAP
};

typedef struct InsnInfo {
    const char *name;
    InsnForm form;
    uint32_t pairs; /* bits of PairId */
    InsnCost cost;
    uint32_t checks;
} InsnInfo;

typedef enum {
#define INSN_FI(name, ...) INSN_##name,
#define INSN_F(name, ...)  INSN_##name,
#define INSN_I(name, ...)  INSN_##name,
#define INSN_N(name, ...)  INSN_##name,
#include "isa/insn.def"
    INSN_COUNT
} InsnId;

const InsnInfo *insn_info(InsnId id);
bool insn_find(const char *name, InsnId *out);

#endif
