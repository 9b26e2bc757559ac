/* Construction of kernel IR: folding, sharing, scalar forms, pruning, conversion, printing, and the table of
 * ops itself. */
#include "kir_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

static Kir *new_kir(Arena **a) {
    *a = arena_new();
    return kir_new(*a);
}

static KirVal emit(Kir *k, KirOp op, KirVal a, KirVal b, KirVal c, double s, uint32_t mode) {
    return kir_emit(k, op, (KirVal[]){a, b, c}, kir_const(s), mode);
}

static KirVal fill(Kir *k, double v) {
    return kir_emit(k, KIR_FILL_F, NULL, kir_const(v), 0);
}
static KirVal fill_i(Kir *k, double v) {
    return kir_emit(k, KIR_FILL_I, NULL, kir_const(v), 0);
}

static const KirInsn *insn(const Kir *k, KirVal v) {
    return &k->insns.at[v];
}

static double value_of(const Kir *k, KirVal v) {
    KirOp op = k->insns.at[v].op;
    assert_true(op == KIR_FILL_F || op == KIR_FILL_I || op == KIR_FILL_M);
    return k->insns.at[v].scalar.value;
}

static void equal_instructions_are_shared(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    KirVal x = kir_load(k, KIR_F32, 0), y = kir_load(k, KIR_F32, 1);
    assert_int_equal(kir_load(k, KIR_F32, 0), x);
    assert_int_not_equal(x, y);
    KirVal s = emit(k, KIR_ADD_F, x, y, 0, 0, 0);
    assert_int_equal(emit(k, KIR_ADD_F, y, x, 0, 0, 0), s);
    assert_int_not_equal(emit(k, KIR_SUB_F, x, y, 0, 0, 0), emit(k, KIR_SUB_F, y, x, 0, 0, 0));
    assert_int_equal(emit(k, KIR_MULS_F, x, 0, 0, 0.1, 0), emit(k, KIR_MULS_F, x, 0, 0, (double)0.1f, 0));
    assert_int_not_equal(emit(k, KIR_ADDS_F, x, 0, 0, 0.0, 0), emit(k, KIR_MULS_F, x, 0, 0, 0.0, 0));
    assert_int_not_equal(emit(k, KIR_MULS_F, x, 0, 0, 0.0, 0), emit(k, KIR_MULS_F, x, 0, 0, -0.0, 0));
    assert_int_not_equal(emit(k, KIR_CMP_F, x, y, 0, 0, KIR_LT), emit(k, KIR_CMP_F, x, y, 0, 0, KIR_GT));
    KirScalar r0 = {.is_runtime = true, .index = 0}, r1 = {.is_runtime = true, .index = 1};
    KirVal m0 = kir_emit(k, KIR_MULS_F, &x, r0, 0);
    assert_int_equal(kir_emit(k, KIR_MULS_F, &x, r0, 0), m0);
    assert_int_not_equal(kir_emit(k, KIR_MULS_F, &x, r1, 0), m0);
    assert_int_not_equal(kir_emit(k, KIR_MULS_F, &x, kir_negated(r0), 0), m0);
    size_t n = k->insns.n;
    kir_store(k, 0, s), kir_store(k, 0, s); /* stores are effects */
    assert_int_equal(k->insns.n, n + 2);
    arena_free(a);
}

static void constants_fold_as_the_instructions_compute(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    float tenth = 0.1f, third = 1 / 3.0f;
    KirVal t = fill(k, 0.1), h = fill(k, 1 / 3.0);
    assert_true(value_of(k, t) == (double)tenth);
    assert_true(value_of(k, emit(k, KIR_ADD_F, t, h, 0, 0, 0)) == (double)(tenth + third));
    assert_true(value_of(k, emit(k, KIR_DIV_F, t, h, 0, 0, 0)) == (double)(tenth / third));
    assert_true(value_of(k, emit(k, KIR_ROUND_F, fill(k, -2.5), 0, 0, 0, KIR_ROUND_RINT)) == -2);
    assert_true(value_of(k, emit(k, KIR_F2I, fill(k, 3e9), 0, 0, 0, KIR_ROUND_TRUNC)) == INT32_MAX);
    assert_true(value_of(k, emit(k, KIR_BITS_FI, fill(k, 1), 0, 0, 0, 0)) == 0x3f800000);
    assert_true(value_of(k, emit(k, KIR_ADD_I, fill_i(k, INT32_MAX), fill_i(k, 1), 0, 0, 0)) == INT32_MIN);
    assert_true(value_of(k, emit(k, KIR_SHR_I, fill_i(k, -8), 0, 0, 1, 0)) == -4);
    assert_true(value_of(k, emit(k, KIR_SHRU_I, fill_i(k, -8), 0, 0, 1, 0)) == 0x7ffffffc);
    assert_true(value_of(k, emit(k, KIR_CMP_F, t, h, 0, 0, KIR_LT)) == 1);
    assert_true(value_of(k, emit(k, KIR_CMPS_F, fill(k, NAN), 0, 0, 0, KIR_EQ)) == 0);
    /* what Max does with NaN is not known, so it is left to the chip */
    KirVal m = emit(k, KIR_MAX_F, fill(k, NAN), t, 0, 0, 0);
    assert_true(k->insns.at[m].op == KIR_MAXS_F);
    assert_true(value_of(k, emit(k, KIR_MAX_F, t, h, 0, 0, 0)) == (double)third);
    /* a runtime number is not a constant */
    KirVal r = kir_emit(k, KIR_FILL_F, NULL, (KirScalar){.is_runtime = true}, 0);
    KirVal s = emit(k, KIR_ADD_F, r, t, 0, 0, 0);
    assert_true(k->insns.at[s].op == KIR_ADDS_F && k->insns.at[s].src[0] != KIR_NONE);
    arena_free(a);
}

static void identities_keep_nan_and_signed_zero(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    KirVal x = kir_load(k, KIR_F32, 0), y = kir_load(k, KIR_F32, 1), i = kir_load(k, KIR_I32, 2),
           m = kir_load(k, KIR_MASK, 3);
    assert_int_equal(emit(k, KIR_MULS_F, x, 0, 0, 1, 0), x);
    assert_int_equal(emit(k, KIR_ADDS_F, x, 0, 0, -0.0, 0), x);
    assert_int_not_equal(emit(k, KIR_ADDS_F, x, 0, 0, 0.0, 0), x); /* -0 + 0 is +0 */
    assert_int_not_equal(emit(k, KIR_MULS_F, x, 0, 0, -1, 0), x);
    assert_int_equal(emit(k, KIR_ADDS_I, i, 0, 0, 0, 0), i);
    assert_int_equal(emit(k, KIR_SHL_I, i, 0, 0, 0, 0), i);
    KirVal n = emit(k, KIR_NOT_M, m, 0, 0, 0, 0);
    assert_int_equal(emit(k, KIR_NOT_M, n, 0, 0, 0, 0), m);
    KirVal b = emit(k, KIR_BITS_FI, x, 0, 0, 0, 0);
    assert_int_equal(emit(k, KIR_BITS_IF, b, 0, 0, 0, 0), x);
    assert_int_equal(emit(k, KIR_SEL_F, m, x, x, 0, 0), x);
    KirVal yes = kir_emit(k, KIR_FILL_M, NULL, kir_const(1), 0),
           no = kir_emit(k, KIR_FILL_M, NULL, kir_const(0), 0);
    assert_int_equal(emit(k, KIR_SEL_F, yes, x, y, 0, 0), x);
    assert_int_equal(emit(k, KIR_SEL_F, no, x, y, 0, 0), y);
    assert_int_equal(emit(k, KIR_AND_M, m, yes, 0, 0, 0), m);
    assert_int_equal(emit(k, KIR_AND_M, no, m, 0, 0, 0), no);
    assert_int_equal(emit(k, KIR_OR_M, m, no, 0, 0, 0), m);
    assert_int_equal(emit(k, KIR_OR_M, m, yes, 0, 0, 0), yes);
    KirVal f = emit(k, KIR_ROUND_F, x, 0, 0, 0, KIR_ROUND_FLOOR);
    assert_int_equal(emit(k, KIR_ROUND_F, f, 0, 0, 0, KIR_ROUND_RINT), f);
    arena_free(a);
}

static void numbers_take_the_scalar_form(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    KirVal x = kir_load(k, KIR_F32, 0), two = fill(k, 2), m = kir_load(k, KIR_MASK, 1);
    KirVal v = emit(k, KIR_SUB_F, x, two, 0, 0, 0);
    assert_true(insn(k, v)->op == KIR_ADDS_F && insn(k, v)->src[0] == x && insn(k, v)->scalar.value == -2);
    v = emit(k, KIR_SUB_F, two, x, 0, 0, 0);
    assert_true(insn(k, v)->op == KIR_SUB_F);
    v = emit(k, KIR_MUL_F, two, x, 0, 0, 0);
    assert_true(insn(k, v)->op == KIR_MULS_F && insn(k, v)->src[0] == x && insn(k, v)->src[1] == KIR_NONE);
    v = emit(k, KIR_CMP_F, two, x, 0, 0, KIR_LE);
    assert_true(insn(k, v)->op == KIR_CMPS_F && insn(k, v)->src[0] == x && insn(k, v)->mode == KIR_GE);
    v = emit(k, KIR_SEL_F, m, x, two, 0, 0);
    assert_true(insn(k, v)->op == KIR_SELS_F && insn(k, v)->src[0] == m && insn(k, v)->src[1] == x &&
                insn(k, v)->scalar.value == 2);
    v = emit(k, KIR_SEL_F, m, two, x, 0, 0);
    assert_true(insn(k, v)->op == KIR_SEL_F);
    arena_free(a);
}

/* g - g * (1 - t * t) near t = 0, written as gradients of tanh come: all digits are kept, and infinite g gives NaN as before. */
static void differences_do_not_cancel(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    KirVal g = kir_load(k, KIR_F32, 0), t = emit(k, KIR_ABS_F, kir_load(k, KIR_F32, 1), 0, 0, 0, 0);
    KirVal rest = emit(k, KIR_ADDS_F, emit(k, KIR_MULS_F, t, 0, 0, -1, 0), 0, 0, 1, 0);
    KirVal w = emit(k, KIR_ADD_F, rest, emit(k, KIR_MUL_F, t, rest, 0, 0, 0), 0, 0, 0);
    KirVal minus = emit(k, KIR_MUL_F, emit(k, KIR_MULS_F, g, 0, 0, -1, 0), w, 0, 0, 0);
    kir_store(k, 2, emit(k, KIR_ADD_F, g, minus, 0, 0, 0));
    kir_store(k, 3, emit(k, KIR_SUB_F, g, emit(k, KIR_MUL_F, rest, g, 0, 0, 0), 0, 0, 0)); /* g * t */
    kir_store(k, 4, emit(k, KIR_SUB_F, g, emit(k, KIR_MUL_F, t, g, 0, 0, 0), 0, 0, 0));    /* left as it is */
    Cell gs[3] = {{.f = 3}, {.f = INFINITY}, {.f = -0.5f}}, ts[3] = {{.f = 1e-6f}, {.f = 0.5f}, {.f = -0.25f}}, out[3][3];
    const Cell *load[] = {gs, ts};
    Cell *store[] = {NULL, NULL, out[0], out[1], out[2]};
    kir_run(k, &(RunInput){load, store, NULL, 3, NAN_PASSES});
    for (int i = 0; i < 3; i++) {
        double v = gs[i].f, u = fabs((double)ts[i].f), want[3] = {v * u * u, v * u, v - v * u};
        for (int j = 0; j < 3; j++)
            if (isinf(v)) assert_true(isnan(out[j][i].f));
            else assert_true(fabs((double)out[j][i].f - want[j]) <= 2e-7 * fabs(want[j]));
    }
    arena_free(a);
}

static void prune_keeps_what_stores_need(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    KirVal x = kir_load(k, KIR_F32, 0), unused = kir_load(k, KIR_F32, 1);
    emit(k, KIR_EXP_F, unused, 0, 0, 0, 0);
    KirVal y = emit(k, KIR_EXP_F, x, 0, 0, 0, 0);
    k->insns.at[y].note = "exp(x)";
    kir_store(k, 7, emit(k, KIR_ADDS_F, y, 0, 0, 1, 0));
    kir_prune(k);
    assert_string_equal(kir_print(k, a), "v0:f32 = LOAD_F @0\n"
                                         "v1:f32 = EXP_F v0  ; exp(x)\n"
                                         "v2:f32 = ADDS_F v1 1\n"
                                         "STORE_F v2 @7\n");
    assert_true(kir_cycles64(k) == 3);
    Err err = {0};
    assert_true(kir_check(k, &err));
    k->insns.at[1].src[0] = 2;
    assert_false(kir_check(k, &err));
    k->insns.at[1].src[0] = 0;
    k->insns.at[2].op = KIR_ADDS_I;
    assert_false(kir_check(k, &err));
    arena_free(a);
}

static void conversions(void **state) {
    (void)state;
    Arena *a;
    Kir *k = new_kir(&a);
    KirVal x = kir_load(k, KIR_F32, 0), i = kir_load(k, KIR_I32, 1), m = kir_load(k, KIR_MASK, 2);
    assert_int_equal(kir_convert(k, x, KIR_F32), x);
    KirVal out[] = {kir_convert(k, x, KIR_I32),    kir_convert(k, x, KIR_MASK),   kir_convert(k, i, KIR_F32),
                    kir_convert(k, i, KIR_MASK),   kir_convert(k, m, KIR_F32),    kir_convert(k, m, KIR_I32),
                    kir_round_to(k, x, DTYPE_F16), kir_round_to(k, x, DTYPE_BF16)};
    for (uint32_t s = 0; s < 8; s++) kir_store(k, s, out[s]);
    assert_int_equal(kir_round_to(k, x, DTYPE_F32), x);
    Cell cx = {.f = -2.7001953f}, ci = {.i = 5}, cm = {.i = 1}, r[8];
    const Cell *load[] = {&cx, &ci, &cm};
    Cell *store[8];
    for (int s = 0; s < 8; s++) store[s] = &r[s];
    kir_run(k, &(RunInput){load, store, NULL, 1, NAN_PASSES});
    assert_true(r[0].i == -2 && r[1].i == 1 && r[2].f == 5 && r[3].i == 1 && r[4].f == 1 && r[5].i == 1);
    assert_true(r[6].f == -2.7011719f /* nearest half, a tie to even */ || r[6].f == -2.6992188f);
    assert_true(r[7].f == -2.703125f);
    KirArg num = {.kind = KIR_ARG_NUM, .num = kir_const(-2.9)};
    assert_true(value_of(k, kir_materialise(k, num, KIR_I32)) == -2);
    assert_true(value_of(k, kir_materialise(k, num, KIR_MASK)) == 1);
    arena_free(a);
}

/* The rows are the contract with the writer of kernel text. */
static void rows_are_consistent(void **state) {
    (void)state;
    for (KirOp op = 0; op < KIR_N_OPS; op++) {
        const KirOpInfo *r = kir_op_info(op);
        assert_true(r->type < KIR_NO_TYPE);
        bool memory = kir_is_load(op) || kir_is_store(op);
        if (op >= KIR_INDEX_F) { /* the family writes these */
            assert_null(r->call);
            continue;
        }
        if (op >= KIR_UPDATE_F && op < KIR_INDEX_F) { /* a member function that the family writes; the mode is its number */
            assert_true(strstr(r->call, "$d") && (strstr(r->call, "$i") != NULL) == (r->mode_kind == KIR_MODE_ACCESS));
            continue;
        }
        assert_true((r->call == NULL) == memory);
        assert_true((r->mode_kind == KIR_MODE_ACCESS) == memory);
        if (memory) continue;
        bool view = r->call[0] == '\0';
        assert_true(view == (op == KIR_BITS_FI || op == KIR_BITS_IF));
        assert_true((r->cycles64 > 0) == !view);
        if (view) continue;
        if (!strstr(r->call, "$d") || !strstr(r->call, "$n")) fail_msg("%s has no result or count", r->name);
        for (int s = 0; s < 3; s++) {
            char word[3] = {'$', (char)('0' + s), 0};
            if ((strstr(r->call, word) != NULL) != (s < r->n_src)) fail_msg("%s: source %d", r->name, s);
        }
        if ((strstr(r->call, "$s") != NULL) != r->has_scalar) fail_msg("%s: scalar", r->name);
        bool mode = r->mode_kind == KIR_MODE_CMP || r->mode_kind == KIR_MODE_ROUND;
        if ((strstr(r->call, "$m") != NULL) != mode) fail_msg("%s: mode", r->name);
        if ((strstr(r->call, "SELMODE") != NULL) != r->wants_reserved_ub)
            fail_msg("%s: reserved UB", r->name);
        for (int s = 0; r->in_place && s < r->n_src; s++) /* in place needs a source of the result's width */
            if (kir_type_bits(r->src[s]) == kir_type_bits(r->type)) break;
            else if (s == r->n_src - 1) fail_msg("%s: in place", r->name);
    }
    assert_string_equal(kir_mode_text(KIR_CMP_F, KIR_NE), "CMPMODE::NE");
    assert_string_equal(kir_mode_text(KIR_ROUND_F, KIR_ROUND_TRUNC), "RoundMode::CAST_TRUNC");
    assert_null(kir_mode_text(KIR_ADD_F, 0));
    assert_null(kir_mode_text(KIR_CMP_F, 6));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_instructions_are_shared),
        cmocka_unit_test(constants_fold_as_the_instructions_compute),
        cmocka_unit_test(identities_keep_nan_and_signed_zero),
        cmocka_unit_test(numbers_take_the_scalar_form),
        cmocka_unit_test(differences_do_not_cancel),
        cmocka_unit_test(prune_keeps_what_stores_need),
        cmocka_unit_test(conversions),
        cmocka_unit_test(rows_are_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
