/* Builtin functions of the recipe language: the instructions, and the few forms made of more than one. One
 * row of BUILTINS is one function. */
#include "lower/recipe.h"

#include <math.h>
#include <string.h>

typedef bool (*BuiltinFn)(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                          const RxNode *at);

struct Builtin {
    const char *name;
    uint8_t min_args, max_args;
    BuiltinFn fn;
    KirOp op_f, op_i; /* instruction for floats and integers (KIR_N_OPS: none) */
    uint32_t mode;
    double (*known)(double); /* on a number known now */
};

static KirVal emit(EvalCtx *c, KirOp op, KirVal a, KirVal b, KirVal d, KirScalar s, uint32_t mode) {
    return kir_emit(c->kir, op, (KirVal[]){a, b, d}, s, mode);
}

static KirVal emit1(EvalCtx *c, KirOp op, KirVal a, uint32_t mode) {
    return emit(c, op, a, KIR_NONE, KIR_NONE, (KirScalar){0}, mode);
}

/* Instruction of one float source. */
static bool fn_unary(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                     const RxNode *at) {
    (void)n, (void)at;
    if (rv_is_const(&v[0]) && b->known) *out = rv_num(b->known(v[0].num.value), KIR_F32);
    else *out = rv_tile(emit1(c, b->op_f, op_tile(c, v[0], KIR_F32), b->mode));
    return true;
}

/* Rounding to a whole number; integers are whole. */
static bool fn_round(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                     const RxNode *at) {
    if (v[0].kind == RV_TILE && op_type(c, &v[0]) != KIR_F32) {
        *out = v[0];
        return true;
    }
    return fn_unary(c, b, v, n, out, at);
}

static bool fn_abs(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out, const RxNode *at) {
    if (op_type(c, &v[0]) == KIR_F32 || rv_is_const(&v[0])) return fn_unary(c, b, v, n, out, at);
    RxValue neg;
    if (!op_unary(c, OPR_NEG, v[0], &neg, at)) return false;
    *out = rv_tile(
        emit(c, KIR_MAX_I, op_tile(c, v[0], KIR_I32), op_tile(c, neg, KIR_I32), KIR_NONE, (KirScalar){0}, 0));
    return true;
}

static KirOp scalar_form(KirOp op) {
    switch (op) {
    case KIR_MAX_F:
        return KIR_MAXS_F;
    case KIR_MIN_F:
        return KIR_MINS_F;
    case KIR_MAX_I:
        return KIR_MAXS_I;
    default:
        return KIR_MINS_I;
    }
}

/* The Max or Min instruction: the caller must not care what it does with NaN. */
static bool fn_extreme(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                       const RxNode *at) {
    (void)n, (void)at;
    bool is_max = b->op_f == KIR_MAX_F;
    if (rv_is_const(&v[0]) && rv_is_const(&v[1])) {
        double x = v[0].num.value, y = v[1].num.value;
        *out = v[(x > y) == is_max ? 0 : 1];
        return true;
    }
    const RxValue *tile = v[0].kind == RV_TILE ? &v[0] : &v[1], *other = tile == &v[0] ? &v[1] : &v[0];
    KirType t = op_type(c, tile);
    if (other->kind == RV_TILE && op_type(c, other) < t) t = op_type(c, other);
    if (t == KIR_MASK && other->kind == RV_NUM) t = other->num_type;
    if (t == KIR_MASK) {
        *out = rv_tile(emit(c, is_max ? KIR_OR_M : KIR_AND_M, op_tile(c, v[0], t), op_tile(c, v[1], t),
                            KIR_NONE, (KirScalar){0}, 0));
        return true;
    }
    KirOp op = t == KIR_F32 ? b->op_f : b->op_i;
    if (other->kind == RV_NUM && tile->kind == RV_TILE)
        *out = rv_tile(emit(c, scalar_form(op), op_tile(c, *tile, t), KIR_NONE, KIR_NONE, other->num, 0));
    else *out = rv_tile(emit(c, op, op_tile(c, v[0], t), op_tile(c, v[1], t), KIR_NONE, (KirScalar){0}, 0));
    return true;
}

/* select(mask, a, b) */
static KirVal select_f(EvalCtx *c, KirVal m, RxValue a, RxValue b) {
    if (a.kind == RV_NUM && b.kind == RV_TILE)
        return emit(c, KIR_SELS_F, emit1(c, KIR_NOT_M, m, 0), op_tile(c, b, KIR_F32), KIR_NONE, a.num, 0);
    if (b.kind == RV_NUM) return emit(c, KIR_SELS_F, m, op_tile(c, a, KIR_F32), KIR_NONE, b.num, 0);
    return emit(c, KIR_SEL_F, m, op_tile(c, a, KIR_F32), op_tile(c, b, KIR_F32), (KirScalar){0}, 0);
}

static KirVal select_m(EvalCtx *c, KirVal m, RxValue a, RxValue b) {
    KirVal x = emit(c, KIR_AND_M, m, op_tile(c, a, KIR_MASK), KIR_NONE, (KirScalar){0}, 0);
    KirVal y =
        emit(c, KIR_AND_M, emit1(c, KIR_NOT_M, m, 0), op_tile(c, b, KIR_MASK), KIR_NONE, (KirScalar){0}, 0);
    return emit(c, KIR_OR_M, x, y, KIR_NONE, (KirScalar){0}, 0);
}

static bool fn_select(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                      const RxNode *at) {
    (void)b, (void)n, (void)at;
    if (rv_is_const(&v[0])) {
        *out = v[0].num.value != 0 ? v[1] : v[2];
        return true;
    }
    KirVal m = op_tile(c, v[0], KIR_MASK);
    KirType t1 = op_type(c, &v[1]), t2 = op_type(c, &v[2]), t = t1 < t2 ? t1 : t2;
    if (v[1].kind == RV_TILE && v[2].kind == RV_NUM && t1 != KIR_MASK)
        t = t1; /* a number takes the tile's type */
    if (v[2].kind == RV_TILE && v[1].kind == RV_NUM && t2 != KIR_MASK) t = t2;
    if (t == KIR_F32) *out = rv_tile(select_f(c, m, v[1], v[2]));
    else if (t == KIR_MASK) *out = rv_tile(select_m(c, m, v[1], v[2]));
    else *out = rv_tile(emit(c, KIR_SEL_I, m, op_tile(c, v[1], t), op_tile(c, v[2], t), (KirScalar){0}, 0));
    return true;
}

/* poly(x, c0, c1, ...): Horner's scheme, the constant term first. */
static bool fn_poly(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                    const RxNode *at) {
    (void)b;
    RxValue r = v[n - 1];
    for (size_t i = n - 2; i >= 1; i--) {
        if (!op_binary(c, OPR_MUL, r, v[0], &r, at) || !op_binary(c, OPR_ADD, r, v[i], &r, at)) return false;
    }
    *out = r;
    return true;
}

/* f32(x), i32(x), mask(x), fill(x): a tile of the type; i32 truncates. */
static bool fn_convert(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                       const RxNode *at) {
    (void)n, (void)at;
    KirType t = (KirType)b->mode;
    if (v[0].kind == RV_NUM && t == KIR_MASK && !v[0].num.is_runtime)
        *out = rv_num(v[0].num.value != 0, KIR_MASK);
    else if (v[0].kind == RV_NUM && t == KIR_F32) {
        *out = v[0];
        out->num_type = KIR_F32;
    } else *out = rv_tile(op_tile(c, v[0], t));
    return true;
}

static bool fn_fill(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                    const RxNode *at) {
    (void)b, (void)n, (void)at;
    *out = rv_tile(op_tile(c, v[0], op_type(c, &v[0])));
    return true;
}

/* bits(x): a float as int32; unbits(i): back. */
static bool fn_bits(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                    const RxNode *at) {
    (void)n, (void)at;
    KirType from = b->op_f == KIR_BITS_FI ? KIR_F32 : KIR_I32;
    *out = rv_tile(emit1(c, b->op_f, op_tile(c, v[0], from), 0));
    return true;
}

/* known(x): a number whose value is fixed when the kernel is generated; number(x): not a tile. */
static bool fn_known(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                     const RxNode *at) {
    (void)c, (void)n, (void)at;
    *out = rv_num(b->mode ? v[0].kind == RV_NUM : rv_is_const(&v[0]), KIR_MASK);
    return true;
}

/* whole(x): a known number without fraction. */
static bool fn_whole(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                     const RxNode *at) {
    (void)c, (void)b, (void)n, (void)at;
    *out = rv_num(rv_is_const(&v[0]) && v[0].num.value == floor(v[0].num.value), KIR_MASK);
    return true;
}

/* unsupported('what works instead'): the row cannot do this. */
static bool fn_unsupported(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                           const RxNode *at) {
    (void)b, (void)n, (void)out, (void)at;
    err_set(c->err, ERR_UNSUPPORTED, NULL, "%s: %s", c->target,
            v[0].kind == RV_STR ? v[0].str : "not supported");
    return false;
}

static double known_pow10(double n) {
    return pow(10, n);
}

static const Builtin BUILTINS[] = {
    {"exp", 1, 1, fn_unary, KIR_EXP_F, KIR_N_OPS, 0, exp},
    {"ln", 1, 1, fn_unary, KIR_LN_F, KIR_N_OPS, 0, log},
    {"sqrt", 1, 1, fn_unary, KIR_SQRT_F, KIR_N_OPS, 0, sqrt},
    {"relu_raw", 1, 1, fn_unary, KIR_RELU_F, KIR_N_OPS, 0, NULL},
    {"abs", 1, 1, fn_abs, KIR_ABS_F, KIR_N_OPS, 0, fabs},
    {"rint", 1, 1, fn_round, KIR_ROUND_F, KIR_N_OPS, KIR_ROUND_RINT, rint},
    {"floor", 1, 1, fn_round, KIR_ROUND_F, KIR_N_OPS, KIR_ROUND_FLOOR, floor},
    {"ceil", 1, 1, fn_round, KIR_ROUND_F, KIR_N_OPS, KIR_ROUND_CEIL, ceil},
    {"trunc", 1, 1, fn_round, KIR_ROUND_F, KIR_N_OPS, KIR_ROUND_TRUNC, trunc},
    {"rint_i32", 1, 1, fn_unary, KIR_F2I, KIR_N_OPS, KIR_ROUND_RINT, NULL},
    {"floor_i32", 1, 1, fn_unary, KIR_F2I, KIR_N_OPS, KIR_ROUND_FLOOR, NULL},
    {"max", 2, 2, fn_extreme, KIR_MAX_F, KIR_MAX_I, 0, NULL},
    {"min", 2, 2, fn_extreme, KIR_MIN_F, KIR_MIN_I, 0, NULL},
    {"select", 3, 3, fn_select, KIR_SEL_F, KIR_SEL_I, 0, NULL},
    {"poly", 3, 32, fn_poly, KIR_N_OPS, KIR_N_OPS, 0, NULL},
    {"f32", 1, 1, fn_convert, KIR_N_OPS, KIR_N_OPS, KIR_F32, NULL},
    {"i32", 1, 1, fn_convert, KIR_N_OPS, KIR_N_OPS, KIR_I32, NULL},
    {"mask", 1, 1, fn_convert, KIR_N_OPS, KIR_N_OPS, KIR_MASK, NULL},
    {"fill", 1, 1, fn_fill, KIR_N_OPS, KIR_N_OPS, 0, NULL},
    {"bits", 1, 1, fn_bits, KIR_BITS_FI, KIR_N_OPS, 0, NULL},
    {"unbits", 1, 1, fn_bits, KIR_BITS_IF, KIR_N_OPS, 0, NULL},
    {"known", 1, 1, fn_known, KIR_N_OPS, KIR_N_OPS, 0, NULL},
    {"number", 1, 1, fn_known, KIR_N_OPS, KIR_N_OPS, 1, NULL},
    {"whole", 1, 1, fn_whole, KIR_N_OPS, KIR_N_OPS, 0, NULL},
    {"pow10", 1, 1, fn_unary, KIR_N_OPS, KIR_N_OPS, 0, known_pow10},
    {"unsupported", 1, 1, fn_unsupported, KIR_N_OPS, KIR_N_OPS, 0, NULL},
};

const Builtin *builtin_find(const char *name) {
    for (size_t i = 0; i < sizeof BUILTINS / sizeof BUILTINS[0]; i++)
        if (strcmp(BUILTINS[i].name, name) == 0) return &BUILTINS[i];
    return NULL;
}

bool builtin_arity_ok(const Builtin *b, size_t n) {
    return n >= b->min_args && n <= b->max_args;
}

bool builtin_call(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out, const RxNode *at) {
    bool takes_any = b->fn == fn_known || b->fn == fn_whole || b->fn == fn_unsupported;
    for (size_t i = 0; i < n; i++) {
        if (!takes_any && v[i].kind != RV_NUM && v[i].kind != RV_TILE)
            return eval_error(c, at, "argument %zu of %s is not a number or a tile", i + 1, b->name);
    }
    if (b->fn == fn_unary && b->op_f == KIR_N_OPS && !rv_is_const(&v[0]))
        return eval_error(c, at, "%s needs a known number", b->name);
    return b->fn(c, b, v, n, out, at);
}
