/* Reductions in recipes: each becomes what is done to a tile (T*), how tiles are joined (a carry and what it
 * becomes), and how the cores that share an item are joined (X*). A reduction that rests on another one of
 * the same value is joined with it where one look at the data will do: mean and squared distances, sums of
 * exponentials under a running maximum, an extreme and its index. */
#include "lower/recipe.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { KIND_SUM, KIND_MAX, KIND_MIN, KIND_PROD, KIND_MOMENTS, KIND_ARGMAX, KIND_ARGMIN };

typedef struct ReduceOp {
    KirOp tile[2], cores[2]; /* float, integer */
    KirOp join[2];
    double identity[2];
} ReduceOp;

static const ReduceOp OPS[] = {
    [KIND_SUM] = {{KIR_TSUM_F, KIR_TSUM_I}, {KIR_XSUM_F, KIR_XSUM_I}, {KIR_ADD_F, KIR_ADD_I}, {0, 0}},
    [KIND_MAX] = {{KIR_TMAX_F, KIR_TMAX_I},
                  {KIR_XMAX_F, KIR_XMAX_I},
                  {KIR_MAX_F, KIR_MAX_I},
                  {-INFINITY, INT32_MIN}},
    [KIND_MIN] = {{KIR_TMIN_F, KIR_TMIN_I},
                  {KIR_XMIN_F, KIR_XMIN_I},
                  {KIR_MIN_F, KIR_MIN_I},
                  {INFINITY, INT32_MAX}},
    [KIND_PROD] = {{KIR_TPROD_F, KIR_TPROD_I}, {KIR_XPROD_F, KIR_XPROD_I}, {KIR_MUL_F, KIR_MUL_I}, {1, 1}},
};

typedef struct ReduceGroup Group;

static KirVal emit(Kir *k, KirOp op, KirVal a, KirVal b, KirScalar s, uint32_t mode) {
    return kir_emit(k, op, (KirVal[]){a, b, KIR_NONE}, s, mode);
}
static KirVal emit1(Kir *k, KirOp op, KirVal a) {
    return emit(k, op, a, KIR_NONE, (KirScalar){0}, 0);
}
static KirVal emit2(Kir *k, KirOp op, KirVal a, KirVal b) {
    return emit(k, op, a, b, (KirScalar){0}, 0);
}
static KirVal emits(Kir *k, KirOp op, KirVal a, KirScalar s) {
    return emit(k, op, a, KIR_NONE, s, 0);
}

static KirVal new_carry(EvalCtx *c, KirType t, double start) {
    return emit(c->kir, t == KIR_F32 ? KIR_CARRY_F : KIR_CARRY_I, KIR_NONE, KIR_NONE, kir_const(start),
                c->reduce->n_carries++);
}

static KirVal final(Kir *k, KirVal carry, KirVal next) {
    return emit2(k, kir_type(k, carry) == KIR_F32 ? KIR_FINAL_F : KIR_FINAL_I, carry, next);
}

static Group *find_group(ReduceEnv *env, int kind, KirVal x) {
    for (size_t i = 0; i < env->groups.n; i++)
        if (env->groups.at[i].kind == kind && env->groups.at[i].x == x) return &env->groups.at[i];
    return NULL;
}

static KirVal add_group(ReduceEnv *env, int kind, KirVal x, KirVal first, KirVal second) {
    Group g = {.kind = kind, .x = x, .result = {first, second}};
    vec_push(env->a, &env->groups, g);
    return first;
}

/* What a tile adds to the sum of those before it. What one addition loses the next makes up (Kahan), so that a sum is as exact with
 * small tiles as with large ones; infinite sums have lost nothing. */
static KirVal add_tile(EvalCtx *c, KirVal sum, KirVal tile) {
    Kir *k = c->kir;
    KirVal lost = new_carry(c, KIR_F32, 0);
    KirVal more = emit2(k, KIR_SUB_F, tile, lost), next = emit2(k, KIR_ADD_F, sum, more);
    KirVal next_lost = emit2(k, KIR_SUB_F, emit2(k, KIR_SUB_F, next, sum), more);
    KirVal finite = emit(k, KIR_CMP_F, next_lost, next_lost, (KirScalar){0}, KIR_EQ);
    (void) final(k, lost, kir_emit(k, KIR_SELS_F, (KirVal[]){finite, next_lost}, kir_const(0), 0));
    return next;
}

static KirVal simple(EvalCtx *c, int kind, KirVal x) {
    Kir *k = c->kir;
    const Group *have = find_group(c->reduce, kind, x);
    if (have) return have->result[0];
    int i = kir_type(k, x) == KIR_I32;
    const ReduceOp *op = &OPS[kind];
    KirVal carry = new_carry(c, i ? KIR_I32 : KIR_F32, op->identity[i]), tile = emit1(k, op->tile[i], x);
    KirVal next = kind == KIND_SUM && !i ? add_tile(c, carry, tile) : emit2(k, op->join[i], carry, tile);
    return add_group(c->reduce, kind, x, emit1(k, op->cores[i], final(k, carry, next)), KIR_NONE);
}

/* ---- mean and squared distances
 * ----------------------------------------------------------------------------------- */

static KirScalar member(EvalCtx *c, ReduceMember m) {
    return c->reduce->member(c->reduce->ctx, m);
}

/* Values are taken relative to the mean of the first tile, so that sums stay small beside what they are
 * compared with: a normalised value near 0 is as wrong as the mean is. A tile's own mean and distances come
 * first, since its data is at hand; then both are joined with those of the tiles before, and at the end with
 * those of other cores. What one addition loses the next makes up. The mean is near + off: near is a float32,
 * off what it lacks. */
static const Group *moments(EvalCtx *c, KirVal x) {
    Kir *k = c->kir;
    const Group *have = find_group(c->reduce, KIND_MOMENTS, x);
    if (have) return have;
    KirVal near = new_carry(c, KIR_F32, 0), sum = new_carry(c, KIR_F32, 0), lost = new_carry(c, KIR_F32, 0),
           m2 = new_carry(c, KIR_F32, 0);
    KirVal far = emit2(k, KIR_SUB_F, x, near);
    KirVal tile_sum = emit1(k, KIR_TSUM_F, far);
    KirVal tile_mean = emits(k, KIR_MULS_F, tile_sum, member(c, REDUCE_TILE_INVERSE));
    KirVal d = emit2(k, KIR_SUB_F, far, tile_mean);
    KirVal tile_m2 = emit1(k, KIR_TSUM_F, emit2(k, KIR_MUL_F, d, d));
    KirVal delta =
        emit2(k, KIR_SUB_F, tile_mean, emits(k, KIR_MULS_F, sum, member(c, REDUCE_BEFORE_INVERSE)));
    KirVal between = emits(k, KIR_MULS_F, emit2(k, KIR_MUL_F, delta, delta), member(c, REDUCE_TILE_WEIGHT));
    KirVal next_m2 = emit2(k, KIR_ADD_F, emit2(k, KIR_ADD_F, m2, tile_m2), between);
    KirVal more = emit2(k, KIR_SUB_F, tile_sum, lost), next = emit2(k, KIR_ADD_F, sum, more);
    KirVal next_lost = emit2(k, KIR_SUB_F, emit2(k, KIR_SUB_F, next, sum), more);
    /* After the first tile its mean is what values are relative to, and what is left of it by rounding their
     * sum. */
    KirVal left = emits(k, KIR_MULS_F, emit1(k, KIR_TSUM_F, d), member(c, REDUCE_IS_FIRST));
    KirVal next_near = emit2(k, KIR_ADD_F, near, emits(k, KIR_MULS_F, tile_mean, member(c, REDUCE_IS_FIRST)));
    KirVal core_near = final(k, near, next_near);
    KirVal core_sum =
        final(k, sum, emit2(k, KIR_ADD_F, left, emits(k, KIR_MULS_F, next, member(c, REDUCE_IS_LATER))));
    KirVal core_m2 = final(k, m2, next_m2);
    (void) final(k, lost, emits(k, KIR_MULS_F, next_lost, member(c, REDUCE_IS_LATER)));
    KirScalar n = member(c, REDUCE_CORE_COUNT);
    KirVal numel = emit(k, KIR_FILL_F, KIR_NONE, KIR_NONE, c->reduce->numel, 0);
    KirVal all_near = emit2(k, KIR_DIV_F, emit1(k, KIR_XSUM_F, emits(k, KIR_MULS_F, core_near, n)), numel);
    KirVal apart = emit2(k, KIR_SUB_F, core_near, all_near);
    KirVal rest = emit1(k, KIR_XSUM_F, emit2(k, KIR_ADD_F, emits(k, KIR_MULS_F, apart, n), core_sum));
    KirVal off = emit2(k, KIR_DIV_F, rest, numel);
    KirVal core_off =
        emit2(k, KIR_ADD_F, apart, emits(k, KIR_MULS_F, core_sum, member(c, REDUCE_CORE_INVERSE)));
    KirVal shift = emit2(k, KIR_SUB_F, core_off, off);
    KirVal moved = emits(k, KIR_MULS_F, emit2(k, KIR_MUL_F, shift, shift), n);
    KirVal all_m2 = emit1(k, KIR_XSUM_F, emit2(k, KIR_ADD_F, core_m2, moved));
    add_group(c->reduce, KIND_MOMENTS, x, emit2(k, KIR_ADD_F, all_near, off), all_m2);
    struct ReduceGroup *g = &c->reduce->groups.at[c->reduce->groups.n - 1];
    g->centred = emit2(k, KIR_SUB_F, emit2(k, KIR_SUB_F, x, all_near), off);
    return g;
}

/* ---- sums of exp(x - c), where c comes from the maximum of x
 * ------------------------------------------------------- */

/* Is v made of `from` and numbers alone, without further loads and reductions? */
static bool is_made_of(const Kir *k, KirVal v, KirVal from) {
    const KirInsn *in = &k->insns.at[v];
    const KirOpInfo *info = kir_op_info(in->op);
    if (v == from) return true;
    if (!info->call || info->n_src == 0)
        return in->op == KIR_FILL_F || in->op == KIR_FILL_I || in->op == KIR_FILL_M;
    for (int s = 0; s < info->n_src; s++)
        if (!is_made_of(k, in->src[s], from)) return false;
    return true;
}

/* v with `to` in the place of `from`. */
static KirVal with(Kir *k, KirVal v, KirVal from, KirVal to) {
    if (v == from) return to;
    KirInsn in = k->insns.at[v];
    KirVal src[3] = {KIR_NONE, KIR_NONE, KIR_NONE};
    for (int s = 0; s < kir_op_info(in.op)->n_src; s++) src[s] = with(k, in.src[s], from, to);
    return kir_emit(k, in.op, src, in.scalar, in.mode);
}

/* A row without a number so far has maximum -inf; its scale must not become inf - inf. */
static KirVal guarded(Kir *k, KirVal c) {
    return emits(k, KIR_MAXS_F, c, kir_const(-FLT_MAX));
}

static bool exp_sum(EvalCtx *c, KirVal v, KirVal *out) {
    Kir *k = c->kir;
    const KirInsn e = k->insns.at[v], d = e.op == KIR_EXP_F ? k->insns.at[e.src[0]] : e;
    if (e.op != KIR_EXP_F || d.op != KIR_SUB_F) return false;
    const Group *max = find_group(c->reduce, KIND_MAX, d.src[0]);
    if (!max || !is_made_of(k, d.src[1], max->result[0])) return false;
    KirVal x = d.src[0], all_max = max->result[0], core_max = k->insns.at[all_max].src[0];
    KirVal before = k->insns.at[core_max].src[0], after = k->insns.at[core_max].src[1], scale = d.src[1];
    KirVal was = guarded(k, with(k, scale, all_max, before)), is = guarded(k, with(k, scale, all_max, after));
    KirVal sum = new_carry(c, KIR_F32, 0);
    KirVal kept = emit2(k, KIR_MUL_F, sum, emit1(k, KIR_EXP_F, emit2(k, KIR_SUB_F, was, is)));
    KirVal tile = emit1(k, KIR_TSUM_F, emit1(k, KIR_EXP_F, emit2(k, KIR_SUB_F, x, is)));
    KirVal core_sum = final(k, sum, emit2(k, KIR_ADD_F, kept, tile));
    KirVal core_scale = guarded(k, with(k, scale, all_max, core_max)), all_scale = guarded(k, scale);
    KirVal scaled =
        emit2(k, KIR_MUL_F, core_sum, emit1(k, KIR_EXP_F, emit2(k, KIR_SUB_F, core_scale, all_scale)));
    *out = add_group(c->reduce, KIND_SUM, v, emit1(k, KIR_XSUM_F, scaled), KIR_NONE);
    return true;
}

/* ---- index of an extreme
 * ------------------------------------------------------------------------------------------ */

static KirVal is_nan(Kir *k, KirVal v) {
    return emit1(k, KIR_NOT_M, emit(k, KIR_CMP_F, v, v, (KirScalar){0}, KIR_EQ));
}

/* Is v the extreme m: equal, or both NaN. */
static KirVal hits(Kir *k, KirVal v, KirVal m) {
    return emit2(k, KIR_OR_M, emit(k, KIR_CMP_F, v, m, (KirScalar){0}, KIR_EQ), is_nan(k, v));
}

#define NOWHERE 16777216.0 /* past every index in a tile, exact in float32 */

static KirVal arg(EvalCtx *c, bool is_max, KirVal x) {
    Kir *k = c->kir;
    int kind = is_max ? KIND_ARGMAX : KIND_ARGMIN;
    const Group *have = find_group(c->reduce, kind, x);
    if (have) return have->result[0];
    const ReduceOp *op = &OPS[is_max ? KIND_MAX : KIND_MIN];
    KirVal best = simple(c, is_max ? KIND_MAX : KIND_MIN, x), core_best = k->insns.at[best].src[0];
    KirVal before = k->insns.at[core_best].src[0];
    KirVal tile_best = emit1(k, op->tile[0], x),
           index = emit(k, KIR_INDEX_F, KIR_NONE, KIR_NONE, (KirScalar){0}, 0);
    KirVal place = kir_emit(k, KIR_SELS_F, (KirVal[]){hits(k, x, tile_best), index}, kir_const(NOWHERE), 0);
    KirVal in_tile = emit(k, KIR_F2I, emit1(k, KIR_TMIN_F, place), KIR_NONE, (KirScalar){0}, KIR_ROUND_RINT);
    KirVal found = emits(k, KIR_ADDS_I, in_tile, member(c, REDUCE_TILE_START));
    /* Better, or NaN where there was none: not (tile <= before), and before is a number. */
    KirVal worse = emit(k, KIR_CMP_F, tile_best, before, (KirScalar){0}, is_max ? KIR_LE : KIR_GE);
    KirVal number = emit(k, KIR_CMP_F, before, before, (KirScalar){0}, KIR_EQ);
    KirVal take = emit2(k, KIR_AND_M, emit1(k, KIR_NOT_M, worse), number);
    /* An infinite extreme may not be better than the start: the first tile is taken then. */
    KirVal carry = new_carry(c, KIR_I32, INT32_MAX);
    KirVal none = emits(k, KIR_EQS_I, carry, kir_const(INT32_MAX));
    KirVal same = emit(k, KIR_CMP_F, tile_best, before, (KirScalar){0}, KIR_EQ);
    take = emit2(k, KIR_OR_M, take, emit2(k, KIR_AND_M, none, same));
    KirVal next = kir_emit(k, KIR_SEL_I, (KirVal[]){take, found, carry}, (KirScalar){0}, 0);
    KirVal core_index = final(k, carry, next);
    KirVal far = emit(k, KIR_FILL_I, KIR_NONE, KIR_NONE, kir_const(INT32_MAX), 0);
    KirVal mine =
        kir_emit(k, KIR_SEL_I, (KirVal[]){hits(k, core_best, best), core_index, far}, (KirScalar){0}, 0);
    return add_group(c->reduce, kind, x, emit1(k, KIR_XMIN_I, mine), KIR_NONE);
}

/* ---- functions
 * ---------------------------------------------------------------------------------------------------- */

static bool plain(EvalCtx *c, int kind, RxValue x, RxValue *out) {
    KirType t = op_type(c, &x) == KIR_MASK ? KIR_I32 : op_type(c, &x);
    KirVal v = op_tile(c, x, t);
    if (kind == KIND_SUM && exp_sum(c, v, &v)) *out = rv_tile(v);
    else *out = rv_tile(simple(c, kind, v));
    return true;
}

static bool fn_rsum(EvalCtx *c, RxValue x, RxValue *out) {
    KirVal v;
    if (x.kind == RV_TILE) {
        const Group *have = find_group(c->reduce, KIND_SUM, x.tile);
        v = have ? have->result[0] : KIR_NONE;
        if (have) {
            *out = rv_tile(v);
            return true;
        }
    }
    return plain(c, KIND_SUM, x, out);
}
static bool fn_rmax(EvalCtx *c, RxValue x, RxValue *out) {
    return plain(c, KIND_MAX, x, out);
}
static bool fn_rmin(EvalCtx *c, RxValue x, RxValue *out) {
    return plain(c, KIND_MIN, x, out);
}
static bool fn_rprod(EvalCtx *c, RxValue x, RxValue *out) {
    return plain(c, KIND_PROD, x, out);
}

/* Masks as 0 and 1. */
static bool of_mask(EvalCtx *c, int kind, RxValue x, RxValue *out) {
    Kir *k = c->kir;
    KirVal v = simple(c, kind, kir_convert(k, op_tile(c, x, KIR_MASK), KIR_F32));
    *out = rv_tile(emit(k, KIR_CMPS_F, v, KIR_NONE, kir_const(0.5), KIR_GT));
    return true;
}
static bool fn_rany(EvalCtx *c, RxValue x, RxValue *out) {
    return of_mask(c, KIND_MAX, x, out);
}
static bool fn_rall(EvalCtx *c, RxValue x, RxValue *out) {
    return of_mask(c, KIND_MIN, x, out);
}
static bool fn_rmean(EvalCtx *c, RxValue x, RxValue *out) {
    *out = rv_tile(moments(c, op_tile(c, x, KIR_F32))->result[0]);
    return true;
}
static bool fn_rcentred(EvalCtx *c, RxValue x, RxValue *out) {
    *out = rv_tile(moments(c, op_tile(c, x, KIR_F32))->centred);
    return true;
}
static bool fn_rm2(EvalCtx *c, RxValue x, RxValue *out) {
    *out = rv_tile(moments(c, op_tile(c, x, KIR_F32))->result[1]);
    return true;
}
static bool fn_rargmax(EvalCtx *c, RxValue x, RxValue *out) {
    *out = rv_tile(arg(c, true, op_tile(c, x, KIR_F32)));
    return true;
}
static bool fn_rargmin(EvalCtx *c, RxValue x, RxValue *out) {
    *out = rv_tile(arg(c, false, op_tile(c, x, KIR_F32)));
    return true;
}

static bool fn_position(EvalCtx *c, RxValue x, RxValue *out) {
    (void)x;
    Kir *k = c->kir;
    KirVal index = emit(k, KIR_INDEX_F, KIR_NONE, KIR_NONE, (KirScalar){0}, 0);
    KirVal in_tile = emit(k, KIR_F2I, index, KIR_NONE, (KirScalar){0}, KIR_ROUND_RINT);
    *out = rv_tile(emits(k, KIR_ADDS_I, in_tile, member(c, REDUCE_TILE_START)));
    return true;
}

ReduceFn reduce_fn_find(const char *name) {
    static const struct {
        const char *name;
        ReduceFn fn;
    } FNS[] = {{"rsum", fn_rsum},       {"rmax", fn_rmax},       {"rmin", fn_rmin},
               {"rprod", fn_rprod},     {"rany", fn_rany},       {"rall", fn_rall},
               {"rmean", fn_rmean},     {"rm2", fn_rm2},         {"rcentred", fn_rcentred},
               {"rargmax", fn_rargmax}, {"rargmin", fn_rargmin}, {"position", fn_position}};
    for (size_t i = 0; i < sizeof FNS / sizeof FNS[0]; i++)
        if (strcmp(FNS[i].name, name) == 0) return FNS[i].fn;
    return NULL;
}

bool reduce_loss(ReduceEnv *env, Kir *k, KirArg loss, int reduction, KirArg *result, Err *err) {
    EvalCtx c = {
        .kir = k, .reduce = env, .target = "loss", .compute = DTYPE_F32, .out = DTYPE_F32, .err = err};
    RxValue x = rv_tile(kir_materialise(k, loss, KIR_F32)), out = {0};
    if (!fn_rsum(&c, x, &out)) return false;
    KirVal numel = emit(k, KIR_FILL_F, KIR_NONE, KIR_NONE, env->numel, 0);
    KirVal v = reduction == 1 ? emit2(k, KIR_DIV_F, out.tile, numel) : out.tile;
    *result = (KirArg){.kind = KIR_ARG_VAL, .val = v};
    return true;
}
