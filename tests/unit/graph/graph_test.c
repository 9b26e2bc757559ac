/* Parsing, rules and text form of graphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"

static void test_parse(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    Graph *g = fixture_graph(a, FIX_BIAS, &err);
    if (!g) fail_msg("%s", err.message);
    assert_int_equal(g->n_variants, 3);
    assert_int_equal(g->own_variant, 2);
    assert_int_equal(g->n_inputs, 2);
    assert_int_equal(g->symbols[1].input, 0);
    assert_int_equal(g->symbols[1].dim, 1);
    assert_int_equal(g->nodes[0].args[1].kind, GRAPH_ARG_SCALAR);
    assert_int_equal(g->nodes[1].args[0].value, g->nodes[0].first_value);
    assert_string_equal(graph_at(a, g, &g->nodes[1]), "demo.py:4");
    char *text = graph_print(g, a);
    assert_non_null(strstr(text, "input x: float16|bfloat16|float32[s0, s1]"));
    assert_non_null(
        strstr(text, "n0: float16|bfloat16|float32[s0, s1] = aten.mul.Tensor(x, $alpha)  # 3: x * alpha"));
    assert_non_null(strstr(text, "output z = n1"));
    arena_free(a);
}

/* One thing wrong in each; the message must name it. */
static void test_bad_graphs(void **state) {
    (void)state;
    static const struct {
        const char *was, *is, *says;
    } CASES[] = {{"'schema':1", "'schema':2", "schema"},
                 {"'own_variant':2", "'own_variant':3", "own_variant"},
                 {"{'ref':'y'}", "{'ref':'n0'}", "n0"},
                 {"{'ref':'y'}", "{'ref':'nobody'}", "nobody"},
                 {"{'ref':'y'}", "{'thing':1}", "nodes[0]"},
                 {"'name':'z'", "'name':'x'", "`x`"},
                 {"'name':'z'", "'name':'half'", "half"},
                 {"'name':'z'", "'name':'a b'", "a b"},
                 {"'id':'n0'", "'id':'x'", "twice"},
                 {"'s0':{'hint':8}", "'s0':{'hint':9}", "hint"},
                 {"'s1':{'hint':2048}", "'s1':{'hint':2048},'s2':{'hint':3}", "s2"},
                 {"'hint_stride':[2048,1]", "'hint_stride':[2048]", "hint_stride"},
                 {"['x','y']", "['x']", "call_args"},
                 {"'dtype':['float16','bfloat16','float32']", "'dtype':['float16']", "dtype"},
                 {"'shape':['s0','s1']", "'shape':['s0','s1 +']", "s1 +"},
                 {"'outputs':[{'ref':'n0','name':'z'}]", "'outputs':[]", "no output"}};
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Arena *a = arena_new();
        const char *at = strstr(FIX_ADD, CASES[i].was);
        assert_non_null(at);
        char *text =
            arena_printf(a, "%.*s%s%s", (int)(at - FIX_ADD), FIX_ADD, CASES[i].is, at + strlen(CASES[i].was));
        Err err = {0};
        assert_null(fixture_graph(a, text, &err));
        if (err.code != ERR_BAD_INPUT || !strstr(err.message, CASES[i].says))
            fail_msg("%s: %s", CASES[i].is, err.message);
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse), cmocka_unit_test(test_bad_graphs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
