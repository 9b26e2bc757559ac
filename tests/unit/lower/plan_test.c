/* Plans: spaces, classes, programs, places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../graph/fixtures.h"
#include "lower/plan.h"

static Plan *plan(Arena *a, const char *fixture) {
    Err err = {0};
    Graph *g = fixture_graph(a, fixture, &err);
    Plan *p = g ? plan_graph(a, g, &err) : NULL;
    if (!p) fail_msg("%s", err.message);
    return p;
}

static const PlanAccess *find(const PlanPass *p, const char *name) {
    for (size_t i = 0; i < p->access.n; i++)
        if (strcmp(p->access.at[i].name, name) == 0) return &p->access.at[i];
    fail_msg("no access %s", name);
    return NULL;
}

static void test_flat(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan(a, FIX_ADD);
    assert_int_equal(p->passes.n, 1);
    const PlanPass *pass = p->passes.at[0];
    assert_int_equal(pass->schedule, PLAN_FLAT);
    assert_int_equal(pass->space.rank, 1);
    assert_int_equal(p->variants.n, 3);
    assert_int_equal(p->programs.n, 1);
    assert_int_equal(find(pass, "x")->cls, PLAN_LINE);
    /* The sum is computed in the slot of its output, so float32 needs no work slot and 16-bit types one for
     * each tensor. */
    assert_true(find(pass, "z")->in_place);
    assert_int_equal(plan_n_work(pass, 2), 0);
    assert_int_equal(plan_n_work(pass, 0), 3);
    assert_int_equal(plan_bits_per_element(a, pass, 2), 3 * 2 * 32);
    assert_int_equal(plan_bits_per_element(a, pass, 0), 3 * 2 * 16 + 3 * 32);
    arena_free(a);
}

static void test_rows(void **state) {
    (void)state;
    Arena *a = arena_new();
    const PlanPass *pass = plan(a, FIX_BIAS)->passes.at[0];
    assert_int_equal(pass->schedule, PLAN_ROWS);
    assert_int_equal(find(pass, "x")->cls, PLAN_ROW);
    assert_int_equal(find(pass, "b")->cls, PLAN_VECTOR);
    assert_int_equal(find(pass, "b")->place.kind, PLACE_KEEP);
    assert_int_equal(pass->scalars.n, 1);
    assert_true(pass->scalars.at[0].as_float && !pass->scalars.at[0].as_int);
    const PlanPass *t = plan(a, FIX_TRANSPOSE)->passes.at[0];
    assert_int_equal(find(t, "x")->cls, PLAN_STRIDED);
    assert_int_equal(find(t, "y")->cls, PLAN_ROW);
    assert_true(size_is(find(t, "x")->view.stride[0], 1));
    arena_free(a);
}

static void test_passes(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan(a, FIX_TWO_SHAPES);
    assert_int_equal(p->passes.n, 2);
    assert_int_equal(find(p->passes.at[0], "c")->cls, PLAN_COLUMN);
    assert_true(plan_column_is_dense(p->passes.at[0], find(p->passes.at[0], "c")));
    assert_int_equal(p->passes.at[1]->schedule, PLAN_FLAT);
    arena_free(a);
}

static void test_equalities_are_bounds(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan(a, FIX_HALF);
    assert_true(size_equal(p->passes.at[0]->space.dim[1], size_symbol(a, 2)));
    bool up = false, down = false;
    const Size *half = size_floordiv(a, size_symbol(a, 1), size_const(a, 2)), *s2 = size_symbol(a, 2);
    for (size_t i = 0; i < p->bounds.list.n; i++) {
        up |= size_equal(p->bounds.list.at[i].small, half) && size_equal(p->bounds.list.at[i].large, s2);
        down |= size_equal(p->bounds.list.at[i].small, s2) && size_equal(p->bounds.list.at[i].large, half);
    }
    assert_true(up && down);
    arena_free(a);
}

static void test_unsupported(void **state) {
    (void)state;
    static const struct {
        const char *fixture, *where, *says;
    } CASES[] = {{FIX_FLOAT64, "demo.py:7", "float64"}, {FIX_UNKNOWN_OP, "demo.py:9", "nosuch"}};
    for (size_t i = 0; i < 2; i++) {
        Arena *a = arena_new();
        Err err = {0};
        Graph *g = fixture_graph(a, CASES[i].fixture, &err);
        assert_non_null(g);
        assert_null(plan_graph(a, g, &err));
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_string_equal(err.where, CASES[i].where);
        assert_non_null(strstr(err.message, CASES[i].says));
        assert_true(err.hint[0] != '\0');
        arena_free(a);
    }
}

/* A plan whose steps are disturbed must not pass the check. */
static void test_check_sees_clashes(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan(a, FIX_BIAS);
    PlanPass *pass = p->passes.at[0];
    Err err = {0};
    assert_true(plan_check(p, &err));
    for (size_t t = 0; t < pass->n_steps; t++)
        if (pass->steps[t].dst.kind == PLACE_OUT) pass->steps[t].dst = (Place){PLACE_KEEP, 0};
    assert_false(plan_check(p, &err));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flat),        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_passes),      cmocka_unit_test(test_equalities_are_bounds),
        cmocka_unit_test(test_unsupported), cmocka_unit_test(test_check_sees_clashes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
