/* Stages, and the reduce family's spaces, phases and places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../graph/fixtures.h"
#include "lower/family.h"
#include "lower/plan.h"
#include "lower/reduce.h"

static Plan *plan(Arena *a, const char *fixture) {
    Err err = {0};
    Graph *g = fixture_graph(a, fixture, &err);
    Plan *p = g ? plan_graph(a, g, &err) : NULL;
    if (!p) fail_msg("%s", err.message);
    return p;
}

static uint32_t count_op(const PlanPass *p, KirOp op) {
    uint32_t n = 0;
    for (size_t i = 0; i < p->kir->insns.n; i++) n += p->kir->insns.at[i].op == op;
    return n;
}

/* Maximum and sum of exponentials in one look at the data, the quotient in another; the product is part of it. */
static void test_softmax_is_two_phases(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan(a, FIX_SOFTMAX);
    assert_int_equal(p->passes.n, 1);
    assert_int_equal(p->variants.n, 3);
    assert_int_equal(p->programs.n, 1);
    const PlanPass *pass = p->passes.at[0];
    const ReducePlan *r = reduce_plan(pass);
    assert_ptr_equal(pass->family, &FAMILY_reduce);
    assert_int_equal(r->axis, REDUCE_COLS);
    assert_int_equal(r->n_phases, 2);
    assert_int_equal(r->n_exchanges, 2);
    assert_int_equal(count_op(pass, KIR_TMAX_F), 1);
    assert_int_equal(count_op(pass, KIR_TSUM_F), 1);
    for (size_t i = 0; i < pass->access.n; i++) {
        const PlanAccess *acc = &pass->access.at[i];
        bool is_column = strcmp(acc->name, "c") == 0;
        assert_int_equal(reduce_access_shape(pass, acc), is_column ? SHAPE_ROWS : SHAPE_TILE);
        assert_int_equal(reduce_is_per_item(pass, acc), is_column);
        if (strcmp(acc->name, "x") == 0) assert_true(r->holds[i]);
    }
    arena_free(a);
}

static void test_rows_are_reduced(void **state) {
    (void)state;
    Arena *a = arena_new();
    const PlanPass *pass = plan(a, FIX_SUM_ROWS)->passes.at[0];
    assert_int_equal(reduce_plan(pass)->axis, REDUCE_ROWS);
    assert_int_equal(reduce_plan(pass)->n_phases, 1);
    assert_int_equal(pass->space.rank, 2);
    assert_true(reduce_plan(pass)->reduced[0] && !reduce_plan(pass)->reduced[1]);
    arena_free(a);
}

/* What one stage leaves is float32 whatever the tensors are, and the next one waits for it. */
static void test_stages(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan(a, FIX_TWO_STAGES);
    assert_int_equal(p->passes.n, 2);
    assert_int_equal(p->temps.n, 1);
    assert_false(p->waits[0]);
    assert_true(p->waits[1]);
    for (size_t v = 0; v < 3; v++) assert_int_equal(p->temps.at[0].dtype[v], DTYPE_F32);
    assert_true(p->decisions.n >= 2);
    bool reads = false;
    for (size_t i = 0; i < p->passes.at[1]->access.n; i++) {
        const PlanAccess *acc = &p->passes.at[1]->access.at[i];
        reads |= acc->is_temp && !acc->is_store && strcmp(acc->name, p->temps.at[0].name) == 0;
    }
    assert_true(reads);
    arena_free(a);
}

/* A slot holds one value at a time: what a step reads was put there by the step that computed it. */
static void check_places(const PlanPass *p) {
    const ReducePlan *r = reduce_plan(p);
    enum { N = 64 };
    KirVal holds[SLOT_N][N];
    memset(holds, 0xFF, sizeof holds);
    for (uint32_t s = 0; s < 2 * r->n_phases + 1; s++)
        for (size_t t = 0; t < r->section[s].n; t++) {
            const ReduceStep *st = &r->section[s].at[t];
            const KirInsn *in = &p->kir->insns.at[st->insn];
            for (int i = st->joins ? 1 : 0; i < kir_op_info(in->op)->n_src; i++) {
                KirVal want = in->src[i];
                const KirInsn *src = &p->kir->insns.at[want];
                if (src->op == KIR_FINAL_F || src->op == KIR_FINAL_I) continue; /* the carry, or what joins it directly */
                if (src->op == KIR_CARRY_F || src->op == KIR_CARRY_I) continue;
                if (holds[st->src[i].kind][st->src[i].index] != want)
                    fail_msg("section %u step %zu (%s): source %d is not in its place", s, t, kir_op_info(in->op)->name, i);
            }
            if (st->fold.kind != SLOT_NONE && !st->fold_in_place) holds[st->fold.kind][st->fold.index] = KIR_NONE;
            if (!kir_is_store(in->op)) holds[st->dst.kind][st->dst.index] = st->insn;
        }
}

static void test_places(void **state) {
    (void)state;
    static const char *const ALL[] = {FIX_SOFTMAX, FIX_SUM_ROWS, FIX_TWO_STAGES};
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        Arena *a = arena_new();
        Plan *p = plan(a, ALL[i]);
        for (size_t k = 0; k < p->passes.n; k++)
            if (p->passes.at[k]->family == &FAMILY_reduce) check_places(p->passes.at[k]);
        arena_free(a);
    }
}

/* Every row of the table is claimed, and no pointwise op is. */
static void test_claims(void **state) {
    (void)state;
    for (size_t i = 0; i < plan_anchor_count(); i++) {
        GraphNode n = {.op = plan_anchor_name(i)};
        assert_ptr_equal(family_of(&n), plan_anchor_family(i));
        assert_false(family_is_free(&n));
    }
    GraphNode add = {.op = "aten.add.Tensor"};
    assert_null(family_of(&add));
    assert_true(family_is_free(&add));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_softmax_is_two_phases), cmocka_unit_test(test_rows_are_reduced), cmocka_unit_test(test_stages),
        cmocka_unit_test(test_places),                cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
