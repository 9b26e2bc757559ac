/* The layout family place by place: every element of an output is stored once, from the element that a naive index
 * calculation names, for several sizes of the same plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../graph/fixtures.h"
#include "lower/plan.h"

#include <stdio.h>

#define N_SYMBOLS 3
#define MAX_OUT   4096

/* x is [s0, s1], y is [s0, s2]; one node. */
static const char TEXT[] = HEAD
    "'symbols':{'s0':{'hint':4},'s1':{'hint':7},'s2':{'hint':5}},'scalars':[],'inputs':["
    ARG("x", 0, FLOATS, "['s0','s1']", "[4,7]", "[7,1]") "," ARG("y", 1, FLOATS, "['s0','s2']", "[4,5]", "[5,1]")
    "],'nodes':[{'id':'n0','op':'%s','args':[%s],'kwargs':{}," FLOATS ",'shape':[%s]," AT(3, "f(x, y)")
    "}],'outputs':[{'ref':'n0','name':'z'}],'output_kind':'tensor'," MODEL("['x','y']");

/* Where element (r, c) of the result comes from: tensor 0 or 1 at (*row, *col), or -1: the padding. */
typedef int (*Naive)(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col);

static Plan *plan_of(Arena *a, const char *op, const char *args, const char *shape) {
    Err err = {0};
    char text[4096];
    snprintf(text, sizeof text, TEXT, op, args, shape);
    Graph *g = fixture_graph(a, text, &err);
    Plan *p = g ? plan_graph(a, g, &err) : NULL;
    if (!p) fail_msg("%s: %s", op, err.message);
    return p;
}

static int64_t place(const PlanAccess *acc, const int64_t *at, const int64_t *s) {
    int64_t k = size_eval(acc->view.offset, s);
    for (uint32_t d = 0; d < acc->view.shape.rank; d++) k += at[d] * size_eval(acc->view.stride[d], s);
    return k;
}

/* source[k]: 1 + tensor * MAX_OUT + element for what is stored to element k; 0 for a number. */
static void run_pass(const PlanPass *p, const int64_t *s, int64_t n_out, int64_t *source, int *stores) {
    int64_t at[GRAPH_MAX_RANK] = {0}, total = 1;
    for (uint32_t d = 0; d < p->space.rank; d++) total *= size_eval(p->space.dim[d], s);
    for (int64_t i = 0; i < total; i++) {
        int64_t rest = i, from = 0, to = -1;
        for (uint32_t d = p->space.rank; d-- > 0;) {
            at[d] = rest % size_eval(p->space.dim[d], s);
            rest /= size_eval(p->space.dim[d], s);
        }
        for (size_t k = 0; k < p->access.n; k++) {
            const PlanAccess *acc = &p->access.at[k];
            if (acc->is_store) to = place(acc, at, s);
            else from = 1 + acc->tensor * MAX_OUT + place(acc, at, s);
        }
        assert_in_range(to, 0, n_out - 1);
        source[to] = from;
        stores[to]++;
    }
}

static void check(const char *op, const char *args, const char *shape, Naive naive) {
    static const int64_t SIZES[][N_SYMBOLS] = {{4, 7, 5}, {1, 3, 4}, {6, 9, 3}, {3, 4, 3}};
    Arena *a = arena_new();
    Plan *p = plan_of(a, op, args, shape);
    Err err = {0};
    assert_true(plan_check(p, &err));
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++) {
        const int64_t *s = SIZES[i];
        const GraphShape *out = &p->graph->values[p->graph->outputs[0].value].shape;
        int64_t rows = size_eval(out->dim[0], s), cols = size_eval(out->dim[1], s);
        int64_t source[MAX_OUT];
        int stores[MAX_OUT] = {0};
        for (size_t k = 0; k < p->passes.n; k++) run_pass(p->passes.at[k], s, rows * cols, source, stores);
        for (int64_t k = 0; k < rows * cols; k++) {
            int64_t row = 0, col = 0;
            int tensor = naive(s, k / cols, k % cols, &row, &col);
            int64_t want = tensor < 0 ? 0 : 1 + tensor * MAX_OUT + row * s[1 + tensor] + col;
            if (stores[k] != 1) fail_msg("%s: element %d is stored %d times", op, (int)k, stores[k]);
            if (source[k] != want) fail_msg("%s: element %d comes from %d, not %d", op, (int)k, (int)source[k], (int)want);
        }
    }
    arena_free(a);
}

static int cat_columns(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = r;
    *col = c < s[1] ? c : c - s[1];
    return c >= s[1];
}

static int pad(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = r - 2;
    *col = c - 1;
    return *row >= 0 && *row < s[0] && *col >= 0 && *col < s[1] ? 0 : -1;
}

static int crop(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = r;
    *col = c + 1;
    return *col < s[1] ? 0 : -1;
}

static int mirrored(int64_t i, int64_t n) {
    return (int)(i < 0 ? -i : i >= n ? 2 * n - 2 - i : i);
}

static int reflect(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = r;
    *col = mirrored(c - 2, s[1]);
    return 0;
}

static int replicate(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = r;
    *col = c < 2 ? 0 : c - 2 >= s[1] ? s[1] - 1 : c - 2;
    return 0;
}

static int roll(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = (r + 5 * s[0] - 5) % s[0];
    *col = (c + 2) % s[1];
    return 0;
}

static int repeat(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    *row = r % s[0];
    *col = c % s[1];
    return 0;
}

static int interleave(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    (void)s;
    *row = r;
    *col = c / 3;
    return 0;
}

static int slice_scatter(const int64_t *s, int64_t r, int64_t c, int64_t *row, int64_t *col) {
    bool in = c >= 1 && c < 1 + s[2];
    *row = r;
    *col = in ? c - 1 : c;
    return in;
}

static void test_places(void **state) {
    (void)state;
    check("aten.cat.default", "[{'ref':'x'},{'ref':'y'}],1", "'s0','s1+s2'", cat_columns);
    check("aten.cat.default", "[{'ref':'x'},{'ref':'y'}],-1", "'s0','s1+s2'", cat_columns);
    check("aten.constant_pad_nd.default", "{'ref':'x'},[1,2,2,0],0.5", "'s0+2','s1+3'", pad);
    check("aten.constant_pad_nd.default", "{'ref':'x'},[-1,2]", "'s0','s1+1'", crop);
    check("aten.reflection_pad1d.default", "{'ref':'x'},[2,2]", "'s0','s1+4'", reflect);
    check("aten.replication_pad1d.default", "{'ref':'x'},[2,1]", "'s0','s1+3'", replicate);
    check("aten.roll.default", "{'ref':'x'},[5,-2],[0,1]", "'s0','s1'", roll);
    check("aten.repeat.default", "{'ref':'x'},[2,3]", "'2*s0','3*s1'", repeat);
    check("aten.repeat_interleave.self_int", "{'ref':'x'},3,1", "'s0','3*s1'", interleave);
}

/* Only for sizes at which the part fits: three pieces, with x last. */
static void test_scatter(void **state) {
    (void)state;
    Arena *a = arena_new();
    Plan *p = plan_of(a, "aten.slice_scatter.default", "{'ref':'x'},{'ref':'y'},1,1,{'size':'1+s2'}", "'s0','s1'");
    const int64_t s[N_SYMBOLS] = {4, 9, 5};
    int64_t source[MAX_OUT];
    int stores[MAX_OUT] = {0};
    assert_int_equal(p->passes.n, 3);
    for (size_t k = 0; k < p->passes.n; k++) run_pass(p->passes.at[k], s, 36, source, stores);
    for (int64_t k = 0; k < 36; k++) {
        int64_t row, col;
        int tensor = slice_scatter(s, k / 9, k % 9, &row, &col);
        assert_int_equal(stores[k], 1);
        assert_int_equal(source[k], 1 + tensor * MAX_OUT + row * s[1 + tensor] + col);
    }
    arena_free(a);
}

/* What cannot be cut says so, and where. */
static void test_refusals(void **state) {
    (void)state;
    static const char *const BAD[][3] = {
        {"aten.roll.default", "{'ref':'x'},[2],[]", "'s0','s1'"},
        {"aten.slice_scatter.default", "{'ref':'x'},{'ref':'y'},1,0,{'size':'2*s2'},2", "'s0','s1'"},
        {"aten.cat.default", "[],0", "'s0','s1'"},
        {"aten.repeat_interleave.self_int", "{'ref':'x'},3", "'s0','3*s1'"},
        {"aten.constant_pad_nd.default", "{'ref':'x'},[1]", "'s0','s1'"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Arena *a = arena_new();
        Err err = {0};
        char text[4096];
        snprintf(text, sizeof text, TEXT, BAD[i][0], BAD[i][1], BAD[i][2]);
        Graph *g = fixture_graph(a, text, &err);
        assert_non_null(g);
        assert_null(plan_graph(a, g, &err));
        assert_int_equal(err.code, ERR_UNSUPPORTED);
        assert_non_null(strstr(err.where, "demo.py:3"));
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_scatter),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
