/* Kernel IR: construction with folding and sharing, conversion between types, pruning and printing. What an
 * op is comes from kir.def; what the schedule does with it is the planner's business. */
#include "lower/kir.h"

#include "base/strbuf.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define KIR_NONE_SCALAR KIR_NO_TYPE

static const KirOpInfo OPS[KIR_N_OPS] = {
#define NONE NO_TYPE
#define S0                                                                                                   \
    0, {                                                                                                     \
        KIR_NO_TYPE, KIR_NO_TYPE, KIR_NO_TYPE                                                                \
    }
#define S1(a)                                                                                                \
    1, {                                                                                                     \
        KIR_##a, KIR_NO_TYPE, KIR_NO_TYPE                                                                    \
    }
#define S2(a, b)                                                                                             \
    2, {                                                                                                     \
        KIR_##a, KIR_##b, KIR_NO_TYPE                                                                        \
    }
#define S3(a, b, c)                                                                                          \
    3, {                                                                                                     \
        KIR_##a, KIR_##b, KIR_##c                                                                            \
    }
#define MODE_NO_TYPE KIR_MODE_NONE
#define MODE_CMP     KIR_MODE_CMP
#define MODE_ROUND   KIR_MODE_ROUND
#define MODE_ACCESS  KIR_MODE_ACCESS
#define CAT_(a, b)   a##b
#define CAT(a, b)    CAT_(a, b)
#define KIR(id, type, srcs, scalar, mode, in_place, reserved, cycles, call, fold, source)                    \
    [KIR_##id] = {#id,                                                                                       \
                  call,                                                                                      \
                  KIR_##type,                                                                                \
                  srcs,                                                                                      \
                  CAT(KIR_, scalar) != KIR_NO_TYPE,                                                          \
                  CAT(KIR_, scalar),                                                                         \
                  CAT(MODE_, mode),                                                                          \
                  in_place,                                                                                  \
                  reserved,                                                                                  \
                  cycles,                                                                                    \
                  source},
#include "lower/kir.def"
#undef KIR
};
#undef NONE

/* ---- constant folding: one small function per row
 * ---------------------------------------------------------------- */

typedef struct Num {
    float f;
    int32_t i;
    bool m;
} Num;

static int32_t saturate_i32(double d) {
    if (isnan(d)) return 0;
    if (d >= 2147483647.0) return INT32_MAX;
    if (d <= -2147483648.0) return INT32_MIN;
    return (int32_t)d;
}

static int32_t bits_of(float f) {
    int32_t i;
    memcpy(&i, &f, sizeof i);
    return i;
}

static float float_of(int32_t i) {
    float f;
    memcpy(&f, &i, sizeof f);
    return f;
}

static float round_by(float f, uint32_t mode) {
    switch (mode) {
    case KIR_ROUND_FLOOR:
        return floorf(f);
    case KIR_ROUND_CEIL:
        return ceilf(f);
    case KIR_ROUND_ROUND:
        return roundf(f);
    case KIR_ROUND_TRUNC:
        return truncf(f);
    default:
        return rintf(f);
    }
}

static bool compare(float a, float b, uint32_t mode) {
    switch (mode) {
    case KIR_LT:
        return a < b;
    case KIR_GT:
        return a > b;
    case KIR_LE:
        return a <= b;
    case KIR_GE:
        return a >= b;
    case KIR_NE:
        return a != b;
    default:
        return a == b;
    }
}

#define WRAP(a, op, b) ((int32_t)((uint32_t)(a)op(uint32_t)(b)))
#define FOLD_F(e)      (out->f = (e), true)
#define FOLD_FF(e)     (!isnan(fa) && !isnan(fb) && !isnan(fs) && (out->f = (e), true))
#define FOLD_I(e)      (out->i = (e), true)
#define FOLD_M(e)      (out->m = (e), true)
#define NOFOLD         false
#define KIR(id, type, srcs, scalar, mode_kind, in_place, reserved, cycles, call, fold, source)               \
    static bool fold_##id(const Num *v, const Num *s, uint32_t mode, Num *out) {                             \
        const float fa = v[0].f, fb = v[1].f, fc = v[2].f, fs = s->f;                                        \
        const int32_t ia = v[0].i, ib = v[1].i, ic = v[2].i, is = s->i;                                      \
        const bool ma = v[0].m, mb = v[1].m, ms = s->m;                                                      \
        (void)fa, (void)fb, (void)fc, (void)fs, (void)ia, (void)ib, (void)ic, (void)is, (void)ma, (void)mb,  \
            (void)ms;                                                                                        \
        (void)mode, (void)out;                                                                               \
        return fold;                                                                                         \
    }
#include "lower/kir.def"
#undef KIR

typedef bool (*FoldFn)(const Num *, const Num *, uint32_t, Num *);
static const FoldFn FOLDS[KIR_N_OPS] = {
#define KIR(id, ...) [KIR_##id] = fold_##id,
#include "lower/kir.def"
#undef KIR
};

/* ---- facts
 * ------------------------------------------------------------------------------------------------------- */

const KirOpInfo *kir_op_info(KirOp op) {
    assert(op < KIR_N_OPS);
    return &OPS[op];
}

bool kir_is_load(KirOp op) {
    return op == KIR_LOAD_F || op == KIR_LOAD_I || op == KIR_LOAD_M;
}

bool kir_is_store(KirOp op) {
    return op == KIR_STORE_F || op == KIR_STORE_I || op == KIR_STORE_M;
}

bool kir_is_update(KirOp op) {
    return op == KIR_UPDATE_F || op == KIR_UPDATE_I;
}

uint32_t kir_type_bits(KirType t) {
    static const uint32_t BITS[] = {
        [KIR_F32] = 32, [KIR_I32] = 32, [KIR_MASK] = 1, [KIR_F16] = 16, [KIR_BF16] = 16};
    assert(t < KIR_NO_TYPE);
    return BITS[t];
}

const char *kir_mode_text(KirOp op, uint32_t mode) {
    static const char *const CMP[] = {"CMPMODE::LT", "CMPMODE::GT", "CMPMODE::EQ",
                                      "CMPMODE::LE", "CMPMODE::GE", "CMPMODE::NE"};
    static const char *const ROUND[] = {"RoundMode::CAST_NONE",  "RoundMode::CAST_RINT",
                                        "RoundMode::CAST_FLOOR", "RoundMode::CAST_CEIL",
                                        "RoundMode::CAST_ROUND", "RoundMode::CAST_TRUNC"};
    switch (kir_op_info(op)->mode_kind) {
    case KIR_MODE_CMP:
        return mode <= KIR_NE ? CMP[mode] : NULL;
    case KIR_MODE_ROUND:
        return mode <= KIR_ROUND_TRUNC ? ROUND[mode] : NULL;
    default:
        return NULL;
    }
}

KirScalar kir_const(double value) {
    return (KirScalar){.value = value};
}

KirScalar kir_negated(KirScalar s) {
    if (s.is_runtime) s.negate = !s.negate;
    else s.value = -s.value;
    return s;
}

Kir *kir_new(Arena *a) {
    Kir *k = ARENA_NEW(a, Kir);
    k->arena = a;
    return k;
}

KirType kir_type(const Kir *k, KirVal v) {
    assert(v < k->insns.n);
    return OPS[k->insns.at[v].op].type;
}

/* ---- construction
 * ------------------------------------------------------------------------------------------------ */

/* A constant as the op sees it, so that equal instructions look equal. */
static KirScalar scalar_for(KirScalar s, KirType t) {
    if (t == KIR_NO_TYPE) return (KirScalar){0};
    if (s.is_runtime) return (KirScalar){.is_runtime = true, .negate = s.negate, .index = s.index};
    if (t == KIR_F32) return kir_const((double)(float)s.value);
    if (t == KIR_MASK) return kir_const(s.value != 0 ? 1 : 0);
    return kir_const((double)saturate_i32(s.value));
}

/* Bitwise, so that -0 differs from 0 and NaN equals itself. */
static bool same_scalar(KirScalar a, KirScalar b) {
    return a.is_runtime == b.is_runtime && a.negate == b.negate && a.index == b.index &&
           memcmp(&a.value, &b.value, sizeof a.value) == 0;
}

static Num num_of(KirScalar s) {
    return (Num){(float)s.value, saturate_i32(s.value), s.value != 0};
}

static KirScalar num_to_scalar(Num n, KirType t) {
    return kir_const(t == KIR_F32 ? (double)n.f : t == KIR_I32 ? (double)n.i : (double)n.m);
}

static KirOp fill_op(KirType t) {
    return t == KIR_F32 ? KIR_FILL_F : t == KIR_I32 ? KIR_FILL_I : KIR_FILL_M;
}

static bool is_fill(KirOp op) {
    return op == KIR_FILL_F || op == KIR_FILL_I || op == KIR_FILL_M;
}

/* Is v a tile of one constant? */
static bool fill_of(const Kir *k, KirVal v, KirScalar *s) {
    if (v == KIR_NONE || !is_fill(k->insns.at[v].op)) return false;
    *s = k->insns.at[v].scalar;
    return !s->is_runtime;
}

static KirVal find_equal(const Kir *k, const KirInsn *in) {
    for (size_t i = k->insns.n; i-- > 0;) {
        const KirInsn *have = &k->insns.at[i];
        if (have->op == in->op && have->mode == in->mode && memcmp(have->src, in->src, sizeof in->src) == 0 &&
            same_scalar(have->scalar, in->scalar))
            return (KirVal)i;
    }
    return KIR_NONE;
}

static KirVal append(Kir *k, const KirInsn *in) {
    assert(k->insns.n < KIR_NONE);
    vec_push(k->arena, &k->insns, *in);
    return (KirVal)(k->insns.n - 1);
}

/* Op on constants only. */
static bool fold(const Kir *k, const KirInsn *in, KirScalar *out) {
    const KirOpInfo *info = &OPS[in->op];
    Num v[3] = {{0}}, s = num_of(in->scalar), r = {0};
    if (is_fill(in->op) || (info->has_scalar && in->scalar.is_runtime)) return false;
    for (int i = 0; i < info->n_src; i++) {
        KirScalar c;
        if (!fill_of(k, in->src[i], &c)) return false;
        v[i] = num_of(c);
    }
    if (info->n_src == 0 || !FOLDS[in->op](v, &s, in->mode, &r)) return false;
    *out = num_to_scalar(r, info->type);
    return true;
}

static bool const_is(KirScalar s, double want) {
    return !s.is_runtime && s.value == want && signbit(s.value) == signbit(want);
}

/* Identities that hold for every value, NaN and signed zero included. Returns the value that stands for `in`.
 */
static KirVal simplify(const Kir *k, const KirInsn *in) {
    const KirInsn *at = k->insns.at;
    switch (in->op) {
    case KIR_ADDS_F:
        return const_is(in->scalar, -0.0) ? in->src[0] : KIR_NONE;
    case KIR_MULS_F:
    case KIR_MULS_I:
        return const_is(in->scalar, 1) ? in->src[0] : KIR_NONE;
    case KIR_ADDS_I:
    case KIR_SHL_I:
    case KIR_SHR_I:
    case KIR_SHRU_I:
        return const_is(in->scalar, 0) ? in->src[0] : KIR_NONE;
    case KIR_NOT_M:
    case KIR_NOT_I:
        return at[in->src[0]].op == in->op ? at[in->src[0]].src[0] : KIR_NONE;
    case KIR_BITS_FI:
        return at[in->src[0]].op == KIR_BITS_IF ? at[in->src[0]].src[0] : KIR_NONE;
    case KIR_BITS_IF:
        return at[in->src[0]].op == KIR_BITS_FI ? at[in->src[0]].src[0] : KIR_NONE;
    case KIR_AND_M:
    case KIR_OR_M:
    case KIR_AND_I:
    case KIR_OR_I:
    case KIR_MAX_I:
    case KIR_MIN_I:
        return in->src[0] == in->src[1] ? in->src[0] : KIR_NONE;
    case KIR_SEL_F:
    case KIR_SEL_I:
        return in->src[1] == in->src[2] ? in->src[1] : KIR_NONE;
    case KIR_ROUND_F: /* already whole */
        return at[in->src[0]].op == KIR_ROUND_F || at[in->src[0]].op == KIR_I2F ? in->src[0] : KIR_NONE;
    default:
        return KIR_NONE;
    }
}

/* A choice or a mask op with a constant mask. */
static KirVal simplify_mask(const Kir *k, const KirInsn *in) {
    KirScalar m;
    if (in->op == KIR_SEL_F || in->op == KIR_SEL_I)
        return fill_of(k, in->src[0], &m) ? in->src[m.value != 0 ? 1 : 2] : KIR_NONE;
    if (in->op == KIR_SELS_F) return fill_of(k, in->src[0], &m) && m.value != 0 ? in->src[1] : KIR_NONE;
    if (in->op != KIR_AND_M && in->op != KIR_OR_M) return KIR_NONE;
    for (int i = 0; i < 2; i++) {
        if (!fill_of(k, in->src[i], &m)) continue;
        bool neutral = (m.value != 0) == (in->op == KIR_AND_M);
        return in->src[neutral ? 1 - i : i];
    }
    return KIR_NONE;
}

static bool commutes(KirOp op) {
    return op == KIR_ADD_F || op == KIR_MUL_F || op == KIR_ADD_I || op == KIR_MUL_I || op == KIR_MAX_I ||
           op == KIR_MIN_I || op == KIR_AND_I || op == KIR_OR_I || op == KIR_AND_M || op == KIR_OR_M ||
           op == KIR_EQ_I;
}

static KirCmp swapped_cmp(uint32_t m) {
    return m == KIR_LT   ? KIR_GT
           : m == KIR_GT ? KIR_LT
           : m == KIR_LE ? KIR_GE
           : m == KIR_GE ? KIR_LE
                         : (KirCmp)m;
}

/* A source that is one number everywhere becomes the scalar of the op's other form. */
static void to_scalar_form(const Kir *k, KirInsn *in) {
    static const struct {
        KirOp tiles, scalar;
        uint8_t last; /* the source that may be the number; ops that commute, and comparisons, also take it
                         first */
    } FORMS[] = {
        {KIR_ADD_F, KIR_ADDS_F, 1}, {KIR_SUB_F, KIR_ADDS_F, 1}, {KIR_MUL_F, KIR_MULS_F, 1},
        {KIR_MAX_F, KIR_MAXS_F, 1}, {KIR_MIN_F, KIR_MINS_F, 1}, {KIR_ADD_I, KIR_ADDS_I, 1},
        {KIR_MUL_I, KIR_MULS_I, 1}, {KIR_MAX_I, KIR_MAXS_I, 1}, {KIR_MIN_I, KIR_MINS_I, 1},
        {KIR_EQ_I, KIR_EQS_I, 1},   {KIR_CMP_F, KIR_CMPS_F, 1}, {KIR_SEL_F, KIR_SELS_F, 2},
    };
    for (size_t i = 0; i < sizeof FORMS / sizeof FORMS[0]; i++) {
        if (FORMS[i].tiles != in->op) continue;
        int at = FORMS[i].last;
        bool first = at == 1 && in->op != KIR_SUB_F && is_fill(k->insns.at[in->src[0]].op);
        if (!first && !is_fill(k->insns.at[in->src[at]].op)) return;
        KirScalar s = k->insns.at[in->src[first ? 0 : at]].scalar;
        if (in->op == KIR_SUB_F) s = kir_negated(s);
        if (in->op == KIR_CMP_F && first) in->mode = swapped_cmp(in->mode);
        if (first) in->src[0] = in->src[1];
        in->src[at] = KIR_NONE;
        in->op = FORMS[i].scalar;
        in->scalar = s;
        return;
    }
}

KirVal kir_emit(Kir *k, KirOp op, const KirVal *src, KirScalar scalar, uint32_t mode) {
    const KirOpInfo *info = kir_op_info(op);
    KirInsn in = {.op = op, .src = {KIR_NONE, KIR_NONE, KIR_NONE}, .mode = mode};
    for (int i = 0; i < info->n_src; i++) {
        assert(src[i] < k->insns.n && kir_type(k, src[i]) == info->src[i]);
        in.src[i] = src[i];
    }
    in.scalar = scalar_for(scalar, info->has_scalar ? info->scalar_type : KIR_NO_TYPE);
    if (commutes(op) && in.src[0] > in.src[1]) {
        KirVal t = in.src[0];
        in.src[0] = in.src[1];
        in.src[1] = t;
    }
    if (kir_is_store(op)) return append(k, &in);
    to_scalar_form(k, &in);
    KirScalar c;
    if (fold(k, &in, &c))
        in = (KirInsn){.op = fill_op(info->type),
                       .src = {KIR_NONE, KIR_NONE, KIR_NONE},
                       .scalar = scalar_for(c, info->type)};
    KirVal same = simplify(k, &in);
    if (same == KIR_NONE) same = simplify_mask(k, &in);
    if (same == KIR_NONE) same = kir_without_cancelling(k, &in);
    if (same == KIR_NONE) same = find_equal(k, &in);
    return same != KIR_NONE ? same : append(k, &in);
}

KirVal kir_load(Kir *k, KirType type, uint32_t access) {
    KirOp op = type == KIR_F32 ? KIR_LOAD_F : type == KIR_I32 ? KIR_LOAD_I : KIR_LOAD_M;
    assert(type <= KIR_MASK);
    return kir_emit(k, op, NULL, (KirScalar){0}, access);
}

void kir_store(Kir *k, uint32_t access, KirVal v) {
    KirType type = kir_type(k, v);
    KirOp op = type == KIR_F32 ? KIR_STORE_F : type == KIR_I32 ? KIR_STORE_I : KIR_STORE_M;
    assert(type <= KIR_MASK);
    kir_emit(k, op, &v, (KirScalar){0}, access);
}

/* ---- conversion
 * -------------------------------------------------------------------------------------------------- */

KirType kir_type_of_dtype(DType t) {
    switch (dtype_info(t)->cls) {
    case DTYPE_CLASS_F:
        return KIR_F32;
    case DTYPE_CLASS_B:
        return KIR_MASK;
    default:
        return KIR_I32;
    }
}

static KirVal emit1(Kir *k, KirOp op, KirVal a, double scalar, uint32_t mode) {
    return kir_emit(k, op, &a, kir_const(scalar), mode);
}

static KirVal fill(Kir *k, KirType t, KirScalar s) {
    return kir_emit(k, fill_op(t), NULL, s, 0);
}

static KirVal mask_to(Kir *k, KirVal m, KirType to) {
    KirVal one = fill(k, to, kir_const(1));
    if (to == KIR_F32) return kir_emit(k, KIR_SELS_F, (KirVal[]){m, one}, kir_const(0), 0);
    return kir_emit(k, KIR_SEL_I, (KirVal[]){m, one, fill(k, to, kir_const(0))}, (KirScalar){0}, 0);
}

KirVal kir_convert(Kir *k, KirVal v, KirType to) {
    KirType from = kir_type(k, v);
    assert(from <= KIR_MASK && to <= KIR_MASK);
    if (from == to) return v;
    if (from == KIR_MASK) return mask_to(k, v, to);
    if (to == KIR_MASK) {
        KirVal zero = from == KIR_F32 ? emit1(k, KIR_CMPS_F, v, 0, KIR_EQ) : emit1(k, KIR_EQS_I, v, 0, 0);
        return emit1(k, KIR_NOT_M, zero, 0, 0);
    }
    return to == KIR_F32 ? emit1(k, KIR_I2F, v, 0, KIR_ROUND_RINT) : emit1(k, KIR_F2I, v, 0, KIR_ROUND_TRUNC);
}

KirVal kir_round_to(Kir *k, KirVal v, DType t) {
    if (kir_type(k, v) != KIR_F32) return v;
    if (t == DTYPE_F16) return emit1(k, KIR_H2F, emit1(k, KIR_F2H, v, 0, KIR_ROUND_RINT), 0, KIR_ROUND_NONE);
    if (t == DTYPE_BF16) return emit1(k, KIR_B2F, emit1(k, KIR_F2B, v, 0, KIR_ROUND_RINT), 0, KIR_ROUND_NONE);
    return v;
}

KirVal kir_wrap_to(Kir *k, KirVal v, DType t) {
    const DTypeInfo *info = dtype_info(t);
    bool is_int = info->cls == DTYPE_CLASS_I || info->cls == DTYPE_CLASS_U;
    if (!is_int || info->size_bytes > 2 || kir_type(k, v) != KIR_I32) return v;
    double spare = 32 - 8 * (double)info->size_bytes;
    return emit1(k, info->cls == DTYPE_CLASS_I ? KIR_SHR_I : KIR_SHRU_I, emit1(k, KIR_SHL_I, v, spare, 0), spare, 0);
}

bool kir_fits(double number, DType t) {
    double values = ldexp(1, 8 * (int)dtype_info(t)->size_bytes);
    double least = dtype_info(t)->cls == DTYPE_CLASS_I ? -values / 2 : 0;
    return number >= least && number < least + values;
}

KirVal kir_materialise(Kir *k, KirArg a, KirType type) {
    assert(a.kind != KIR_ARG_NONE);
    if (a.kind == KIR_ARG_VAL) return kir_convert(k, a.val, type);
    if (type == KIR_I32 && !a.num.is_runtime) a.num.value = trunc(a.num.value);
    bool is_float = a.num.is_runtime && !a.num_is_int && !a.num_is_bool; /* the truth of 0.5 is not that of its integer part */
    if (type == KIR_MASK && is_float) return kir_convert(k, fill(k, KIR_F32, a.num), KIR_MASK);
    return fill(k, type, a.num);
}

/* ---- whole programs
 * ---------------------------------------------------------------------------------------------- */

/* Marks what stores, and carries in use, need. True when a carry was marked behind the place where what it becomes was looked at. */
static bool mark_live(const Kir *k, bool *live) {
    for (size_t i = k->insns.n; i-- > 0;) {
        const KirInsn *in = &k->insns.at[i];
        bool is_final = in->op == KIR_FINAL_F || in->op == KIR_FINAL_I;
        live[i] |= kir_is_store(in->op) || (is_final && live[in->src[0]]);
        for (int s = 0; live[i] && s < OPS[in->op].n_src; s++) live[in->src[s]] = true;
    }
    bool again = false;
    for (size_t i = 0; i < k->insns.n; i++) {
        const KirInsn *in = &k->insns.at[i];
        again |= (in->op == KIR_FINAL_F || in->op == KIR_FINAL_I) && live[in->src[0]] && !live[i];
    }
    return again;
}

void kir_prune(Kir *k) {
    size_t n = k->insns.n, kept = 0;
    bool *live = ARENA_ARRAY(k->arena, n, bool);
    KirVal *now = ARENA_ARRAY(k->arena, n, KirVal);
    while (mark_live(k, live)) {} /* again while a carry that came alive keeps what it becomes */
    for (size_t i = 0; i < n; i++) {
        if (!live[i]) continue;
        KirInsn in = k->insns.at[i];
        for (int s = 0; s < OPS[in.op].n_src; s++) in.src[s] = now[in.src[s]];
        now[i] = (KirVal)kept;
        k->insns.at[kept++] = in;
    }
    k->insns.n = kept;
}

double kir_cycles64(const Kir *k) {
    double sum = 0;
    for (size_t i = 0; i < k->insns.n; i++) sum += OPS[k->insns.at[i].op].cycles64;
    return sum;
}

bool kir_check(const Kir *k, Err *err) {
    for (size_t i = 0; i < k->insns.n; i++) {
        const KirInsn *in = &k->insns.at[i];
        if (in->op >= KIR_N_OPS) return err_set(err, ERR_INTERNAL, NULL, "instruction %zu has no op", i);
        const KirOpInfo *info = &OPS[in->op];
        for (int s = 0; s < 3; s++) {
            if (s >= info->n_src ? in->src[s] != KIR_NONE : in->src[s] >= i)
                return err_set(err, ERR_INTERNAL, NULL,
                               "instruction %zu (%s): source %d is not an earlier value", i, info->name, s);
            if (s < info->n_src && kir_type(k, in->src[s]) != info->src[s])
                return err_set(err, ERR_INTERNAL, NULL, "instruction %zu (%s): source %d has the wrong type",
                               i, info->name, s);
        }
        bool has_text = info->mode_kind == KIR_MODE_CMP || info->mode_kind == KIR_MODE_ROUND;
        if (has_text && !kir_mode_text(in->op, in->mode))
            return err_set(err, ERR_INTERNAL, NULL, "instruction %zu (%s): no mode %u", i, info->name,
                           in->mode);
    }
    return true;
}

static void print_insn(StrBuf *sb, const Kir *k, size_t i) {
    static const char *const TYPE[] = {"f32", "i32", "mask", "f16", "bf16"};
    const KirInsn *in = &k->insns.at[i];
    const KirOpInfo *info = &OPS[in->op];
    if (kir_is_store(in->op)) strbuf_printf(sb, "%s", info->name);
    else strbuf_printf(sb, "v%zu:%s = %s", i, TYPE[info->type], info->name);
    for (int s = 0; s < info->n_src; s++) strbuf_printf(sb, " v%u", in->src[s]);
    if (info->has_scalar && in->scalar.is_runtime)
        strbuf_printf(sb, " %sscalar%u", in->scalar.negate ? "-" : "", in->scalar.index);
    else if (info->has_scalar) strbuf_printf(sb, " %.9g", in->scalar.value);
    if (info->mode_kind == KIR_MODE_ACCESS) strbuf_printf(sb, " @%u", in->mode);
    else if (kir_mode_text(in->op, in->mode))
        strbuf_printf(sb, " %s", strstr(kir_mode_text(in->op, in->mode), "::") + 2);
    if (in->note) strbuf_printf(sb, "  ; %s", in->note);
    strbuf_add(sb, "\n");
}

char *kir_print(const Kir *k, Arena *a) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < k->insns.n; i++) print_insn(&sb, k, i);
    return sb.text;
}
