/* Infix and prefix operators of the recipe language on values: numbers known now are computed in double, a
 * tile and a number take the scalar form of the instruction, a runtime number without one becomes a filled
 * tile. */
#include "lower/recipe.h"

#include <math.h>

RxValue rv_num(double v, KirType type) {
    return (RxValue){.kind = RV_NUM, .num = kir_const(v), .num_type = type};
}

RxValue rv_tile(KirVal v) {
    return (RxValue){.kind = RV_TILE, .tile = v};
}

bool rv_is_const(const RxValue *v) {
    return v->kind == RV_NUM && !v->num.is_runtime;
}

KirType op_type(const EvalCtx *c, const RxValue *v) {
    return v->kind == RV_TILE ? kir_type(c->kir, v->tile) : v->num_type;
}

KirVal op_tile(EvalCtx *c, RxValue v, KirType type) {
    if (v.kind == RV_TILE) return kir_convert(c->kir, v.tile, type);
    KirArg number = {.kind = KIR_ARG_NUM, .num = v.num, .num_is_int = v.num_type == KIR_I32, .num_is_bool = v.num_type == KIR_MASK};
    return kir_materialise(c->kir, number, type);
}

static KirVal emit(EvalCtx *c, KirOp op, KirVal a, KirVal b, KirScalar s, uint32_t mode) {
    return kir_emit(c->kir, op, (KirVal[]){a, b, KIR_NONE}, s, mode);
}

static KirVal emit_not(EvalCtx *c, KirVal m) {
    return emit(c, KIR_NOT_M, m, KIR_NONE, (KirScalar){0}, 0);
}

/* The number as an operand of an op of type t: an integer op truncates it. */
static KirScalar scalar_of(const RxValue *v, KirType t) {
    KirScalar s = v->num;
    if (t == KIR_I32 && !s.is_runtime) s.value = trunc(s.value);
    return s;
}

/* ---- numbers known now
 * ------------------------------------------------------------------------------------------- */

static bool const_binary(RxOpr o, const RxValue *a, const RxValue *b, RxValue *out) {
    double x = a->num.value, y = b->num.value;
    bool ints = a->num_type != KIR_F32 && b->num_type != KIR_F32;
    KirType t = ints ? KIR_I32 : KIR_F32;
    switch (o) {
    case OPR_ADD:
        *out = rv_num(x + y, t);
        return true;
    case OPR_SUB:
        *out = rv_num(x - y, t);
        return true;
    case OPR_MUL:
        *out = rv_num(x * y, t);
        return true;
    case OPR_DIV:
        *out = rv_num(x / y, KIR_F32);
        return true;
    case OPR_POW:
        *out = rv_num(pow(x, y), t);
        return true;
    case OPR_EQ:
        *out = rv_num(x == y, KIR_MASK);
        return true;
    case OPR_NE:
        *out = rv_num(x != y, KIR_MASK);
        return true;
    case OPR_LT:
        *out = rv_num(x < y, KIR_MASK);
        return true;
    case OPR_LE:
        *out = rv_num(x <= y, KIR_MASK);
        return true;
    case OPR_GT:
        *out = rv_num(x > y, KIR_MASK);
        return true;
    case OPR_GE:
        *out = rv_num(x >= y, KIR_MASK);
        return true;
    case OPR_AND:
        *out = rv_num(x != 0 && y != 0, KIR_MASK);
        return true;
    case OPR_OR:
        *out = rv_num(x != 0 || y != 0, KIR_MASK);
        return true;
    default:
        return false; /* bit operators go through tiles, which fold */
    }
}

/* None and texts can only be compared. */
static bool same_text(const RxValue *a, const RxValue *b) {
    if (a->kind != b->kind) return false;
    if (a->kind == RV_NIL) return true;
    for (const char *x = a->str, *y = b->str;; x++, y++) {
        if (*x != *y) return false;
        if (!*x) return true;
    }
}

/* ---- arithmetic
 * -------------------------------------------------------------------------------------------------- */

/* Rows: opcode on two tiles, and on a tile and a number (KIR_N_OPS where there is none), for floats and
 * integers. */
static const struct {
    KirOp tiles[2], scalar[2];
    bool commutes;
} ARITH[OPR_COUNT] = {
    [OPR_ADD] = {{KIR_ADD_F, KIR_ADD_I}, {KIR_ADDS_F, KIR_ADDS_I}, true},
    [OPR_SUB] = {{KIR_SUB_F, KIR_SUB_I}, {KIR_ADDS_F, KIR_ADDS_I}, false},
    [OPR_MUL] = {{KIR_MUL_F, KIR_MUL_I}, {KIR_MULS_F, KIR_MULS_I}, true},
};

/* number - tile: the negation is exact, so this rounds once. */
static KirVal reverse_sub(EvalCtx *c, const RxValue *num, KirVal v, KirType t) {
    KirOp mul = t == KIR_F32 ? KIR_MULS_F : KIR_MULS_I, add = t == KIR_F32 ? KIR_ADDS_F : KIR_ADDS_I;
    KirVal neg = emit(c, mul, v, KIR_NONE, kir_const(-1), 0);
    return emit(c, add, neg, KIR_NONE, scalar_of(num, t), 0);
}

static KirVal arith(EvalCtx *c, RxOpr o, RxValue a, RxValue b, KirType t) {
    int i = t == KIR_I32;
    if (a.kind == RV_NUM && b.kind == RV_TILE) {
        KirVal v = op_tile(c, b, t);
        if (o == OPR_SUB) return reverse_sub(c, &a, v, t);
        return emit(c, ARITH[o].scalar[i], v, KIR_NONE, scalar_of(&a, t), 0);
    }
    if (b.kind == RV_NUM && a.kind == RV_TILE) {
        KirScalar s = scalar_of(&b, t);
        return emit(c, ARITH[o].scalar[i], op_tile(c, a, t), KIR_NONE, o == OPR_SUB ? kir_negated(s) : s, 0);
    }
    return emit(c, ARITH[o].tiles[i], op_tile(c, a, t), op_tile(c, b, t), (KirScalar){0}, 0);
}

/* x / c: exact as a product when c is a power of two; otherwise Div, because x * (1 / c) rounds twice. */
static KirVal divide(EvalCtx *c, RxValue a, RxValue b) {
    if (rv_is_const(&b) && a.kind == RV_TILE) {
        int e = 0;
        double inv = 1 / b.num.value;
        if (fabs(frexp(b.num.value, &e)) == 0.5 && e > -120 && e < 120)
            return emit(c, KIR_MULS_F, op_tile(c, a, KIR_F32), KIR_NONE, kir_const(inv), 0);
    }
    return emit(c, KIR_DIV_F, op_tile(c, a, KIR_F32), op_tile(c, b, KIR_F32), (KirScalar){0}, 0);
}

/* x ** n for a small whole n, as products. */
static bool power(EvalCtx *c, RxValue a, const RxValue *b, RxValue *out, const RxNode *at) {
    double n = rv_is_const(b) ? b->num.value : 0;
    if (n != floor(n) || n < 1 || n > 64)
        return eval_error(c, at, "** takes a whole number from 1 to 64; use pow()");
    RxValue acc = {0};
    for (unsigned left = (unsigned)n; left; left >>= 1) {
        if (left & 1) {
            if (acc.kind == RV_NIL) acc = a;
            else if (!op_binary(c, OPR_MUL, acc, a, &acc, at)) return false;
        }
        if (left > 1 && !op_binary(c, OPR_MUL, a, a, &a, at)) return false;
    }
    *out = acc;
    return true;
}

/* ---- comparisons
 * ------------------------------------------------------------------------------------------------- */

static KirCmp cmp_mode(RxOpr o) {
    switch (o) {
    case OPR_LT:
        return KIR_LT;
    case OPR_GT:
        return KIR_GT;
    case OPR_LE:
        return KIR_LE;
    case OPR_GE:
        return KIR_GE;
    case OPR_NE:
        return KIR_NE;
    default:
        return KIR_EQ;
    }
}

static RxOpr swapped(RxOpr o) {
    return o == OPR_LT ? OPR_GT : o == OPR_GT ? OPR_LT : o == OPR_LE ? OPR_GE : o == OPR_GE ? OPR_LE : o;
}

static KirVal compare_f(EvalCtx *c, RxOpr o, RxValue a, RxValue b) {
    if (o == OPR_NE) return emit_not(c, compare_f(c, OPR_EQ, a, b));
    if (a.kind == RV_NUM && b.kind == RV_TILE) return compare_f(c, swapped(o), b, a);
    KirVal va = op_tile(c, a, KIR_F32);
    if (b.kind == RV_NUM) return emit(c, KIR_CMPS_F, va, KIR_NONE, b.num, cmp_mode(o));
    return emit(c, KIR_CMP_F, va, op_tile(c, b, KIR_F32), (KirScalar){0}, cmp_mode(o));
}

/* Only EQ exists: a >= b is max(a, b) == a, a <= b is min(a, b) == a. */
static KirVal compare_i(EvalCtx *c, RxOpr o, RxValue a, RxValue b) {
    if (o == OPR_NE || o == OPR_LT || o == OPR_GT) {
        RxOpr opposite = o == OPR_NE ? OPR_EQ : o == OPR_LT ? OPR_GE : OPR_LE;
        return emit_not(c, compare_i(c, opposite, a, b));
    }
    if (a.kind == RV_NUM && b.kind == RV_TILE) return compare_i(c, swapped(o), b, a);
    KirVal va = op_tile(c, a, KIR_I32);
    if (b.kind == RV_NUM) {
        KirScalar s = scalar_of(&b, KIR_I32);
        if (o == OPR_EQ) return emit(c, KIR_EQS_I, va, KIR_NONE, s, 0);
        KirVal m = emit(c, o == OPR_GE ? KIR_MAXS_I : KIR_MINS_I, va, KIR_NONE, s, 0);
        return emit(c, KIR_EQ_I, m, va, (KirScalar){0}, 0);
    }
    KirVal vb = op_tile(c, b, KIR_I32);
    if (o != OPR_EQ) vb = emit(c, o == OPR_GE ? KIR_MAX_I : KIR_MIN_I, va, vb, (KirScalar){0}, 0);
    return emit(c, KIR_EQ_I, va, vb, (KirScalar){0}, 0);
}

static KirVal mask_xor(EvalCtx *c, KirVal a, KirVal b) {
    KirVal any = emit(c, KIR_OR_M, a, b, (KirScalar){0}, 0),
           both = emit(c, KIR_AND_M, a, b, (KirScalar){0}, 0);
    return emit(c, KIR_AND_M, any, emit_not(c, both), (KirScalar){0}, 0);
}

/* false < true */
static KirVal compare_m(EvalCtx *c, RxOpr o, RxValue a, RxValue b) {
    KirVal x = op_tile(c, a, KIR_MASK), y = op_tile(c, b, KIR_MASK);
    switch (o) {
    case OPR_NE:
        return mask_xor(c, x, y);
    case OPR_EQ:
        return emit_not(c, mask_xor(c, x, y));
    case OPR_LT:
        return emit(c, KIR_AND_M, emit_not(c, x), y, (KirScalar){0}, 0);
    case OPR_GT:
        return emit(c, KIR_AND_M, x, emit_not(c, y), (KirScalar){0}, 0);
    case OPR_LE:
        return emit(c, KIR_OR_M, emit_not(c, x), y, (KirScalar){0}, 0);
    default:
        return emit(c, KIR_OR_M, x, emit_not(c, y), (KirScalar){0}, 0);
    }
}

/* ---- bits and shifts
 * --------------------------------------------------------------------------------------------- */

static KirVal bitwise(EvalCtx *c, RxOpr o, RxValue a, RxValue b, KirType t) {
    KirVal x = op_tile(c, a, t), y = op_tile(c, b, t);
    bool m = t == KIR_MASK;
    KirScalar none = {0};
    if (o == OPR_BAND) return emit(c, m ? KIR_AND_M : KIR_AND_I, x, y, none, 0);
    if (o == OPR_BOR) return emit(c, m ? KIR_OR_M : KIR_OR_I, x, y, none, 0);
    if (m) return mask_xor(c, x, y);
    /* a ^ b = (a | b) - (a & b): the second has no bit the first lacks, so nothing is borrowed */
    KirVal any = emit(c, KIR_OR_I, x, y, none, 0), both = emit(c, KIR_AND_I, x, y, none, 0);
    return emit(c, KIR_SUB_I, any, both, none, 0);
}

static bool shift(EvalCtx *c, RxOpr o, RxValue a, RxValue b, RxValue *out, const RxNode *at) {
    if (!rv_is_const(&b) || b.num.value < 0 || b.num.value > 31 || op_type(c, &a) == KIR_F32)
        return eval_error(c, at, "a shift takes an integer and a known count from 0 to 31");
    KirOp op = o == OPR_SHL ? KIR_SHL_I : o == OPR_SHR ? KIR_SHR_I : KIR_SHRU_I;
    *out = rv_tile(emit(c, op, op_tile(c, a, KIR_I32), KIR_NONE, b.num, 0));
    return true;
}

/* ---- dispatch
 * ---------------------------------------------------------------------------------------------------- */

static KirType widest(KirType a, KirType b) { /* F32 > I32 > MASK, the order of the enum reversed */
    return a < b ? a : b;
}

/* The type two operands meet in. A tile decides over numbers: a number takes the tile's type, unless the tile
 * is a mask. */
static KirType meet(const EvalCtx *c, const RxValue *a, const RxValue *b) {
    KirType ta = op_type(c, a), tb = op_type(c, b);
    if (a->kind == RV_TILE && b->kind == RV_NUM && ta != KIR_MASK) return ta;
    if (b->kind == RV_TILE && a->kind == RV_NUM && tb != KIR_MASK) return tb;
    return widest(ta, tb);
}

static bool is_compare(RxOpr o) {
    return o >= OPR_EQ && o <= OPR_GE;
}

bool op_binary(EvalCtx *c, RxOpr o, RxValue a, RxValue b, RxValue *out, const RxNode *at) {
    if (a.kind == RV_NIL || a.kind == RV_STR || b.kind == RV_NIL || b.kind == RV_STR) {
        if (o != OPR_EQ && o != OPR_NE)
            return eval_error(c, at, "'%s' needs numbers or tiles", rx_opr_text(o));
        *out = rv_num(same_text(&a, &b) == (o == OPR_EQ), KIR_MASK);
        return true;
    }
    if (rv_is_const(&a) && rv_is_const(&b) && const_binary(o, &a, &b, out)) return true;
    KirType t = meet(c, &a, &b);
    if (o == OPR_POW) return power(c, a, &b, out, at);
    if (o == OPR_SHL || o == OPR_SHR || o == OPR_SHRU) return shift(c, o, a, b, out, at);
    if (o == OPR_AND || o == OPR_OR) {
        *out = rv_tile(bitwise(c, o == OPR_AND ? OPR_BAND : OPR_BOR, a, b, KIR_MASK));
    } else if (is_compare(o)) {
        *out = rv_tile(t == KIR_F32   ? compare_f(c, o, a, b)
                       : t == KIR_I32 ? compare_i(c, o, a, b)
                                      : compare_m(c, o, a, b));
    } else if (o == OPR_BAND || o == OPR_BOR || o == OPR_BXOR) {
        if (t == KIR_F32) return eval_error(c, at, "'%s' needs integers or masks", rx_opr_text(o));
        *out = rv_tile(bitwise(c, o, a, b, t));
    } else if (o == OPR_DIV) {
        *out = rv_tile(divide(c, a, b));
    } else {
        *out = rv_tile(arith(c, o, a, b, t == KIR_MASK ? KIR_I32 : t));
    }
    return true;
}

static bool unary_number(EvalCtx *c, RxOpr o, RxValue a, RxValue *out, const RxNode *at) {
    if (o == OPR_NEG) {
        *out = a;
        out->num = kir_negated(a.num);
        if (a.num_type == KIR_MASK) out->num_type = KIR_I32;
        return true;
    }
    if (o == OPR_NOT && rv_is_const(&a)) {
        *out = rv_num(a.num.value == 0, KIR_MASK);
        return true;
    }
    return eval_error(c, at, "'%s' needs a tile", rx_opr_text(o));
}

bool op_unary(EvalCtx *c, RxOpr o, RxValue a, RxValue *out, const RxNode *at) {
    if (a.kind == RV_NUM) return unary_number(c, o, a, out, at);
    if (a.kind != RV_TILE) return eval_error(c, at, "'%s' needs a number or a tile", rx_opr_text(o));
    KirType t = kir_type(c->kir, a.tile);
    if (o == OPR_NOT || (o == OPR_INV && t == KIR_MASK)) {
        *out = rv_tile(emit_not(c, op_tile(c, a, KIR_MASK)));
    } else if (o == OPR_INV) {
        if (t == KIR_F32) return eval_error(c, at, "'~' needs integers or masks");
        *out = rv_tile(emit(c, KIR_NOT_I, a.tile, KIR_NONE, (KirScalar){0}, 0));
    } else {
        KirVal v = t == KIR_MASK ? op_tile(c, a, KIR_I32) : a.tile;
        *out = rv_tile(emit(c, t == KIR_F32 ? KIR_MULS_F : KIR_MULS_I, v, KIR_NONE, kir_const(-1), 0));
    }
    return true;
}
