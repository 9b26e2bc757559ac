/* Views against plain index arithmetic: every element of a viewed tensor must be the one PyTorch would give.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "fixtures.h"
#include "graph/equal.h"
#include "graph/views.h"

/* A graph of one view of x[s0=4, s1=6], for the node text and result shape given. */
static bool is_elementwise(const char *op) {
    return strncmp(op, "aten.sum", 8) != 0 && !graph_is_view(op);
}

static Graph *one_view(Arena *a, const char *op, const char *args, const char *shape) {
    char *text =
        arena_printf(a,
                     HEAD "'symbols':{'s0':{'hint':4},'s1':{'hint':6}},'scalars':[],'inputs':[" ARG(
                         "x", 0, FLOATS, "['s0','s1']", "[4,6]",
                         "[6,1]") "],'nodes':[{'id':'n0','op':'%s','args':[{'ref':'x'}%s],'kwargs':{}," FLOATS
                                  ",'shape':%s," AT(3, "view") "}],'outputs':[{'ref':'n0','name':'z'}],'"
                                                               "output_kind':'tensor'," MODEL("['x']"),
                     op, args, shape);
    Err err = {0};
    Graph *g = fixture_graph(a, text, &err);
    if (!g) fail_msg("%s: %s", op, err.message);
    return g;
}

static const int64_t SIZES[] = {4, 6};

/* Elements of x in the view's order. */
static size_t elements(const GraphView *v, int64_t *out) {
    size_t n = 1;
    for (uint32_t d = 0; d < v->shape.rank; d++) n *= (size_t)size_eval(v->shape.dim[d], SIZES);
    for (size_t i = 0; i < n; i++) {
        int64_t at = size_eval(v->offset, SIZES);
        size_t rest = i;
        for (uint32_t d = v->shape.rank; d-- > 0;) {
            size_t dim = (size_t)size_eval(v->shape.dim[d], SIZES);
            at += (int64_t)(rest % dim) * size_eval(v->stride[d], SIZES);
            rest /= dim;
        }
        out[i] = at;
    }
    return n;
}

static void test_views(void **state) {
    (void)state;
    static const struct {
        const char *op, *args, *shape;
        int64_t want[8]; /* the first ones; element (i, j) of x is 6 i + j */
    } CASES[] = {
        {"aten.t.default", "", "['s1','s0']", {0, 6, 12, 18, 1, 7, 13, 19}},
        {"aten.permute.default", ",[1,0]", "['s1','s0']", {0, 6, 12, 18, 1, 7, 13, 19}},
        {"aten.transpose.int", ",0,-1", "['s1','s0']", {0, 6, 12, 18, 1, 7, 13, 19}},
        {"aten.slice.Tensor", ",1,2,5", "['s0',3]", {2, 3, 4, 8, 9, 10, 14, 15}},
        {"aten.slice.Tensor",
         ",1,0,9223372036854775807,2",
         "['s0','(s1 + 1)//2']",
         {0, 2, 4, 6, 8, 10, 12, 14}},
        {"aten.slice.Tensor", ",0,-2", "[2,'s1']", {12, 13, 14, 15, 16, 17, 18, 19}},
        {"aten.select.int", ",0,1", "['s1']", {6, 7, 8, 9, 10, 11}},
        {"aten.select.int", ",1,-1", "['s0']", {5, 11, 17, 23}},
        {"aten.flip.default", ",[1]", "['s0','s1']", {5, 4, 3, 2, 1, 0, 11, 10}},
        {"aten.flip.default", ",[0,1]", "['s0','s1']", {23, 22, 21, 20, 19, 18, 17, 16}},
        {"aten.view.default", ",[-1]", "['s0*s1']", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"aten.view.default", ",['s0',2,3]", "['s0',2,'s1//2']", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"aten.unsqueeze.default", ",1", "['s0',1,'s1']", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"aten.expand.default", ",[3,'s0','s1']", "[3,'s0','s1']", {0, 1, 2, 3, 4, 5, 6, 7}},
        {"aten.diagonal.default", ",1", "['s0']", {1, 8, 15, 22}},
        {"aten.clone.default", "", "['s0','s1']", {0, 1, 2, 3, 4, 5, 6, 7}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Arena *a = arena_new();
        Graph *g = one_view(a, CASES[i].op, CASES[i].args, CASES[i].shape);
        GraphView v = graph_view_contiguous(a, &g->values[0].shape);
        GraphBounds bounds = {.arena = a};
        Err err = {0};
        if (!graph_view_apply(a, g, &g->nodes[0], 0, &v, &bounds, &err))
            fail_msg("%s: %s", CASES[i].op, err.message);
        int64_t got[256];
        size_t n = elements(&v, got);
        for (size_t k = 0; k < n && k < 8; k++)
            if (got[k] != CASES[i].want[k])
                fail_msg("%s%s: element %zu is %ld", CASES[i].op, CASES[i].args, k, (long)got[k]);
        assert_true(graph_sizes_valid(a, g, SIZES));
        arena_free(a);
    }
}

/* What a slice takes for granted becomes a bound, and sizes that break it are not valid. */
static void test_bounds(void **state) {
    (void)state;
    Arena *a = arena_new();
    Graph *g = one_view(a, "aten.slice.Tensor", ",1,3,5", "['s0',2]");
    assert_true(graph_sizes_valid(a, g, (int64_t[]){4, 5}));
    assert_false(graph_sizes_valid(a, g, (int64_t[]){4, 4}));
    arena_free(a);
}

static void test_reshape_of_transposed(void **state) {
    (void)state;
    Arena *a = arena_new();
    Graph *g = one_view(a, "aten.view.default", ",[-1]", "['s0*s1']");
    GraphView v = graph_view_contiguous(a, &g->values[0].shape);
    const Size *t = v.stride[0], *d = v.shape.dim[0];
    v.stride[0] = v.stride[1];
    v.stride[1] = t;
    v.shape.dim = (const Size *[]){v.shape.dim[1], d};
    GraphBounds bounds = {.arena = a};
    Err err = {0};
    assert_false(graph_view_apply(a, g, &g->nodes[0], 0, &v, &bounds, &err));
    assert_int_equal(err.code, ERR_UNSUPPORTED);
    assert_string_equal(err.where, "demo.py:3");
    arena_free(a);
}

static void test_equal_sizes(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_HALF, &err);
    if (!g) fail_msg("%s", err.message);
    GraphEquals equals = graph_equalities(a, g, &(GraphFacts){.is_elementwise = is_elementwise});
    assert_int_equal(equals.n, 1);
    const Graph *simple = graph_with_simplest_sizes(a, g, &equals);
    assert_true(size_equal(simple->values[2].shape.dim[1], size_symbol(a, 2)));
    assert_true(size_equal(g->values[2].shape.dim[1], size_floordiv(a, size_symbol(a, 1), size_const(a, 2))));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_views), cmocka_unit_test(test_bounds),
                                       cmocka_unit_test(test_reshape_of_transposed),
                                       cmocka_unit_test(test_equal_sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
