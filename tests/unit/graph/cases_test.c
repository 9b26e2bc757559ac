/* The sets of inputs a graph is tried with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fixtures.h"
#include "graph/cases.h"
#include "graph/views.h"

static bool is_elementwise(const char *op) {
    return strncmp(op, "aten.sum", 8) != 0 && !graph_is_view(op);
}

static int64_t symbol_of(const GraphCase *c, const char *name) {
    return json_integer_value(json_object_get(json_object_get(c->spec, "symbols"), name));
}

static size_t count(const GraphCases *cases, const char *key, const char *value) {
    size_t n = 0;
    for (size_t i = 0; i < cases->n; i++)
        n += strcmp(json_string_value(json_object_get(cases->at[i].spec, key)), value) == 0;
    return n;
}

static void test_every_variant(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_ADD, &err);
    GraphCases cases = graph_cases(a, g, &(GraphFacts){.is_elementwise = is_elementwise});
    assert_true(count(&cases, "variant", "float16") >= 5);
    assert_true(count(&cases, "variant", "bfloat16") >= 5);
    assert_true(count(&cases, "variant", "float32") >= 7);
    assert_int_equal(count(&cases, "layout", "strided"), 1);
    assert_int_equal(count(&cases, "profile", "edge"), 1);
    bool ones = false, empty = false, odd = false, own = false;
    for (size_t i = 0; i < cases.n; i++) {
        int64_t s0 = symbol_of(&cases.at[i], "s0"), s1 = symbol_of(&cases.at[i], "s1");
        ones |= s0 == 1 && s1 == 1;
        empty |= s0 == 0;
        odd |= s0 == 7 && s1 == 31;
        own |= s0 == 8 && s1 == 2048;
        assert_true(s0 * s1 <= (int64_t)GRAPH_CASE_MAX_ELEMENTS);
    }
    assert_true(ones && empty && odd && own);
    graph_cases_clear(&cases);
    arena_free(a);
}

static bool is_add(const char *op) {
    return strncmp(op, "aten.add", 8) == 0;
}

/* Where an op does not take the largest numbers, the odd values of the edge case are without them. */
static void test_no_extremes_where_an_op_is_bounded(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_ADD, &err);
    GraphCases cases = graph_cases(a, g, &(GraphFacts){.is_elementwise = is_elementwise, .is_bounded = is_add});
    assert_int_equal(count(&cases, "profile", "edge"), 0);
    assert_int_equal(count(&cases, "profile", "special"), 1);
    graph_cases_clear(&cases);
    arena_free(a);
}

/* s2 must be s1//2: every case keeps the relation and most are not the file's own sizes. */
static void test_relations(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_HALF, &err);
    GraphCases cases = graph_cases(a, g, &(GraphFacts){.is_elementwise = is_elementwise});
    assert_true(cases.n >= 3 * 5);
    for (size_t i = 0; i < cases.n; i++)
        assert_int_equal(symbol_of(&cases.at[i], "s2"), symbol_of(&cases.at[i], "s1") / 2);
    json_t *y = json_array_get(json_object_get(cases.at[0].spec, "inputs"), 1);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(y, "shape"), 1)),
                     symbol_of(&cases.at[0], "s2"));
    graph_cases_clear(&cases);
    arena_free(a);
}

/* An op that asks for s0 <= s1, or for s0 == s1. */
static bool asks(bool is_equal, Arena *a, size_t i, GraphRelation *out) {
    *out = (GraphRelation){.x = size_symbol(a, 0), .y = size_symbol(a, 1), .is_equal = is_equal};
    return i == 0;
}
static bool no_larger(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out) {
    (void)g, (void)n;
    return asks(false, a, i, out);
}
static bool as_large(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out) {
    (void)g, (void)n;
    return asks(true, a, i, out);
}

static void test_relations_of_ops(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_ADD, &err);
    for (int equal = 0; equal < 2; equal++) {
        bool smaller = false;
        GraphCases cases = graph_cases(a, g, &(GraphFacts){.is_elementwise = is_elementwise, .relation = equal ? as_large : no_larger});
        assert_true(cases.n >= 3 * 3);
        for (size_t i = 0; i < cases.n; i++) {
            int64_t s0 = symbol_of(&cases.at[i], "s0"), s1 = symbol_of(&cases.at[i], "s1");
            assert_true(equal ? s0 == s1 : s0 <= s1);
            smaller |= s0 < s1;
        }
        assert_true(smaller == !equal);
        graph_cases_clear(&cases);
    }
    arena_free(a);
}

/* Sizes beyond the limit become smaller ones with the same remainders; those within it stay. */
static void test_points(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_ADD, &err);
    const GraphFacts facts = {.is_elementwise = is_elementwise};
    GraphCases cases = {0};
    json_t *left_out = json_array();
    const int64_t large[] = {4097, 393217}, small[] = {3, 40}, wide[] = {2, (int64_t)1 << 40};
    const GraphPoint points[] = {{.group = -1, .variant = g->own_variant, .sizes = large},
                                 {.group = 7, .variant = g->own_variant, .sizes = small},
                                 {.group = 8, .variant = g->own_variant, .sizes = wide}};
    graph_add_points(a, g, &facts, points, 3, 256.0 * 1048576, &cases, left_out);
    assert_int_equal(cases.n, 3);
    int64_t s0 = symbol_of(&cases.at[0], "s0"), s1 = symbol_of(&cases.at[0], "s1");
    assert_true(s0 >= 128 && s0 % 64 == 4097 % 64 && s1 >= 65536 && s1 % 8192 == 393217 % 8192);
    assert_true(s0 * s1 * 12 <= 256 * 1048576 && s0 * s1 * 12 >= 64 * 1048576);
    assert_string_equal(cases.at[0].instead, "s0=4097 s1=393217");
    assert_string_equal(json_string_value(json_object_get(cases.at[1].spec, "kind")), "own");
    assert_int_equal(json_integer_value(json_object_get(cases.at[1].spec, "group")), 7);
    assert_null(cases.at[1].instead);
    assert_int_equal(symbol_of(&cases.at[2], "s0"), 2);
    assert_int_equal(json_array_size(left_out), 0);
    graph_cases_clear(&cases);
    json_decref(left_out);
    arena_free(a);
}

/* A size that the trace ties to a number stays where making it smaller would break the tie: the other one becomes smaller. */
static void test_tied_points(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_TIED, &err);
    assert_non_null(g);
    assert_int_equal(g->n_ties, 1);
    const GraphFacts facts = {.is_elementwise = is_elementwise};
    GraphCases cases = {0};
    json_t *left_out = json_array();
    const int64_t sizes[] = {4096, 4096};
    const GraphPoint point = {.group = -1, .variant = g->own_variant, .sizes = sizes};
    graph_add_points(a, g, &facts, &point, 1, 4.0 * 1048576, &cases, left_out);
    assert_int_equal(cases.n, 1);
    int64_t s0 = symbol_of(&cases.at[0], "s0"), s1 = symbol_of(&cases.at[0], "s1");
    assert_true((s0 + 1023) / 1024 == 4 && s1 >= 1 && s0 * s1 * 12 <= 4 * 1048576);
    assert_int_equal(json_array_size(left_out), 0);
    graph_cases_clear(&cases);
    json_decref(left_out);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_variant), cmocka_unit_test(test_no_extremes_where_an_op_is_bounded), cmocka_unit_test(test_relations), cmocka_unit_test(test_relations_of_ops),
                                       cmocka_unit_test(test_points), cmocka_unit_test(test_tied_points)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
