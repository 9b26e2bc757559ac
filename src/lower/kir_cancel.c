/* Differences that cancel. v - v * w loses all digits where w is near 1, as in the gradient of x - tanh(x), where w is 1 - tanh(x)^2.
 * Where what w lacks of 1 is known it is v * (1 - w), which loses none. Both are the same for real numbers. An infinite v gives NaN in the
 * first form, which v - v adds to the second. */
#include "lower/kir.h"

#include <stddef.h>

static KirVal emit(Kir *k, KirOp op, KirVal a, KirVal b) {
    return kir_emit(k, op, (KirVal[]){a, b, KIR_NONE}, (KirScalar){0}, 0);
}

static bool is_scaled(const KirInsn *in, KirOp op, double by) {
    return in->op == op && !in->scalar.is_runtime && in->scalar.value == by;
}

/* u of 1 - u; KIR_NONE. */
static KirVal taken_from_one(const Kir *k, KirVal v) {
    const KirInsn *add = &k->insns.at[v];
    if (!is_scaled(add, KIR_ADDS_F, 1)) return KIR_NONE;
    const KirInsn *minus = &k->insns.at[add->src[0]];
    return is_scaled(minus, KIR_MULS_F, -1) ? minus->src[0] : KIR_NONE;
}

/* Of (1 - a) + a * (1 - a), which is 1 - a^2: a; KIR_NONE. */
static KirVal square_taken_from_one(const Kir *k, KirVal v) {
    const KirInsn *add = &k->insns.at[v];
    for (int i = 0; add->op == KIR_ADD_F && i < 2; i++) {
        KirVal rest = add->src[i], a = taken_from_one(k, rest);
        const KirInsn *mul = &k->insns.at[add->src[1 - i]];
        bool fits = a != KIR_NONE && mul->op == KIR_MUL_F;
        if (fits && ((mul->src[0] == a && mul->src[1] == rest) || (mul->src[1] == a && mul->src[0] == rest))) return a;
    }
    return KIR_NONE;
}

/* 1 - w without a subtraction; KIR_NONE where that is not known. */
static KirVal complement(Kir *k, KirVal w) {
    KirVal u = taken_from_one(k, w), a = square_taken_from_one(k, w);
    return u != KIR_NONE ? u : a != KIR_NONE ? emit(k, KIR_MUL_F, a, a) : KIR_NONE;
}

/* Is `mul` v * w, or with `negated` -v * w? Which w; KIR_NONE. */
static KirVal factor_beside(const Kir *k, KirVal mul, KirVal v, bool negated) {
    const KirInsn *m = &k->insns.at[mul];
    for (int i = 0; m->op == KIR_MUL_F && i < 2; i++) {
        const KirInsn *s = &k->insns.at[m->src[i]];
        if (negated ? is_scaled(s, KIR_MULS_F, -1) && s->src[0] == v : m->src[i] == v) return m->src[1 - i];
    }
    return KIR_NONE;
}

KirVal kir_without_cancelling(Kir *k, const KirInsn *in) {
    for (int i = 0; i < (in->op == KIR_ADD_F ? 2 : in->op == KIR_SUB_F ? 1 : 0); i++) {
        KirVal v = in->src[i], w = factor_beside(k, in->src[1 - i], v, in->op == KIR_ADD_F);
        KirVal rest = w == KIR_NONE ? KIR_NONE : complement(k, w);
        if (rest != KIR_NONE) return emit(k, KIR_ADD_F, emit(k, KIR_MUL_F, v, rest), emit(k, KIR_SUB_F, v, v));
    }
    return KIR_NONE;
}
