/* Structure without names: graphs and kernels of one computation are near, others are not. */
#include "search/likeness.h"

#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A graph with inputs x [s0, s1] and, when `other` is given, y of that shape; nodes as "op|args|shape" in
 * JSON. */
typedef struct NodeText {
    const char *op, *args, *shape;
} NodeText;

static Likeness read_graph(Arena *a, const char *other, const NodeText *nodes, size_t n) {
    StrBuf b;
    strbuf_init(&b, a);
    strbuf_add(&b, "{\"schema\":1,\"name\":\"t\",\"file\":\"t.py\",\"torch\":\"2\",\"variants\":[\"float32\"]"
                   ",\"own_variant\":0,"
                   "\"symbols\":{\"s0\":{\"hint\":5},\"s1\":{\"hint\":7}},\"inputs\":[");
    const char *const IN = "{\"id\":\"%s\",\"name\":\"%s\",\"kind\":\"argument\",\"arg_index\":%d,\"dtype\":["
                           "\"float32\"],\"shape\":%s,"
                           "\"hint_shape\":%s,\"hint_stride\":%s,\"contiguous\":true}";
    char text[1024];
    snprintf(text, sizeof text, IN, "x", "x", 0, "[\"s0\",\"s1\"]", "[5,7]", "[7,1]");
    strbuf_add(&b, text);
    if (other) {
        bool flat = !strchr(other, ',');
        snprintf(text, sizeof text, IN, "y", "y", 1, other, flat ? "[7]" : "[5,1]", flat ? "[1]" : "[1,1]");
        strbuf_printf(&b, ",%s", text);
    }
    strbuf_add(&b, "],\"scalars\":[],\"nodes\":[");
    for (size_t i = 0; i < n; i++)
        strbuf_printf(&b,
                      "%s{\"id\":\"n%zu\",\"op\":\"%s\",\"args\":%s,\"kwargs\":{},\"dtype\":[\"float32\"],"
                      "\"shape\":%s}",
                      i ? "," : "", i + 1, nodes[i].op, nodes[i].args, nodes[i].shape);
    strbuf_printf(&b,
                  "],\"outputs\":[{\"ref\":\"n%zu\",\"name\":\"z\"}],\"output_kind\":\"tensor\",\"model\":{"
                  "\"module_code\":\"\",\"init_code\":\"\",\"call_args\":[\"x\"%s],"
                  "\"forward_params\":\"x\"},\"notes\":[]}",
                  n, other ? ",\"y\"" : "");
    json_error_t e;
    json_t *j = json_loads(b.text, 0, &e);
    if (!j) fail_msg("%s: %s", e.text, b.text);
    Err err = {0};
    Graph *g = graph_parse(a, j, &err);
    if (!g) fail_msg("%s", err.message);
    Likeness l = likeness_of_graph(g);
    json_decref(j);
    return l;
}

#define XY "[\"s0\",\"s1\"]"
static const NodeText SUM_LAST[] = {{"aten.exp.default", "[{\"ref\":\"x\"}]", XY},
                                    {"aten.sum.dim_IntList", "[{\"ref\":\"n1\"},[-1]]", "[\"s0\"]"}};
static const NodeText SUM_FIRST[] = {{"aten.exp.default", "[{\"ref\":\"x\"}]", XY},
                                     {"aten.sum.dim_IntList", "[{\"ref\":\"n1\"},[0]]", "[\"s1\"]"}};
static const NodeText SUM_ALL[] = {{"aten.exp.default", "[{\"ref\":\"x\"}]", XY},
                                   {"aten.sum.default", "[{\"ref\":\"n1\"}]", "[]"}};
static const NodeText ADD[] = {{"aten.add.Tensor", "[{\"ref\":\"x\"},{\"ref\":\"y\"}]", XY}};
static const NodeText GELU[] = {{"aten.gelu.default", "[{\"ref\":\"x\"}]", XY}};

static void test_graph(void **state) {
    (void)state;
    Arena *a = arena_new();
    Likeness last = read_graph(a, NULL, SUM_LAST, 2), first = read_graph(a, NULL, SUM_FIRST, 2),
             all = read_graph(a, NULL, SUM_ALL, 2);
    assert_int_equal(last.reduces, LIKE_REDUCES_LAST);
    assert_int_equal(first.reduces, LIKE_REDUCES_FIRST);
    assert_int_equal(all.reduces, LIKE_REDUCES_ALL);
    assert_int_equal(last.rank_in, 2);
    assert_int_equal(last.rank_out, 1);
    assert_int_equal(read_graph(a, "[\"s1\"]", ADD, 1).broadcasts, LIKE_ROW);
    assert_int_equal(read_graph(a, "[\"s0\",1]", ADD, 1).broadcasts, LIKE_COLUMN);
    assert_int_equal(read_graph(a, "[\"s0\",\"s1\"]", ADD, 1).broadcasts, 0);
    assert_string_equal(likeness_shared(a, &last, &last), "exp, sum; reduces over the last axis");
    arena_free(a);
}

static void test_order(void **state) {
    (void)state;
    Arena *a = arena_new();
    Likeness last = read_graph(a, NULL, SUM_LAST, 2), first = read_graph(a, NULL, SUM_FIRST, 2),
             add = read_graph(a, "[\"s1\"]", ADD, 1);
    Likeness gelu = read_graph(a, NULL, GELU, 1);
    Likeness kernel = likeness_of_kernel("Exp(a, b, n); WholeReduceSum<float>(c, a, n); // Addition");
    Likeness parts =
        likeness_of_kernel("Muls(a, x, k, n);\nExp(a, a, n);\nAdds (a, a, 1, n);\nDiv(a, x, a, n);");
    assert_false(kernel.traced);
    const Likeness *list[] = {&last, &first, &add, &gelu, &kernel, &parts};
    double rarity[LIKE_FEATURES_MAX];
    likeness_rarity(list, 6, rarity);
    assert_true(likeness_compare(&last, &last, rarity) > 0.999);
    assert_true(likeness_compare(&last, &last, rarity) > likeness_compare(&last, &first, rarity));
    assert_true(likeness_compare(&last, &first, rarity) > likeness_compare(&last, &add, rarity));
    assert_true(likeness_compare(&last, &kernel, rarity) > likeness_compare(&add, &kernel, rarity));
    assert_true(likeness_compare(&gelu, &parts, rarity) >
                likeness_compare(&gelu, &kernel, rarity)); /* gelu in simpler words */
    for (size_t i = 0; i < 6; i++)
        for (size_t k = 0; k < 6; k++) {
            double s = likeness_compare(list[i], list[k], rarity);
            assert_true(s >= 0 && s <= 1.0001);
            double back = likeness_compare(list[k], list[i], rarity);
            assert_true(s - back < 1e-9 && back - s < 1e-9);
        }
    Likeness none = likeness_of_kernel("");
    assert_true(likeness_is_empty(&none) && likeness_compare(&none, &last, rarity) == 0);
    arena_free(a);
}

static void test_text(void **state) {
    (void)state;
    Arena *a = arena_new();
    Likeness l = read_graph(a, "[\"s1\"]", ADD, 1), back;
    assert_true(likeness_parse(likeness_print(a, &l), &back));
    assert_memory_equal(&l, &back, sizeof l);
    static const char *const BAD[] = {"", "x", "0 1 1 1 1 1 1", "1 2 3"};
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) assert_false(likeness_parse(BAD[i], &back));
    const char *good = likeness_print(a, &l);
    assert_false(likeness_parse(arena_printf(a, "%s 99:1", good), &back));
    assert_false(likeness_parse(arena_printf(a, "%s 1:-5", good), &back));
    arena_free(a);
}

/* Every name in the last column of the table is a row of it. */
static void test_table(void **state) {
    (void)state;
    static const struct {
        const char *name, *made_of;
    } ROWS[] = {
#define FEATURE(name_, ops, calls, form, made_of_) {name_, made_of_},
#include "search/features.def"
#undef FEATURE
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++)
        for (const char *s = ROWS[i].made_of; *s;) {
            size_t n = strcspn(s, " ");
            bool found = false;
            for (size_t k = 0; k < sizeof ROWS / sizeof ROWS[0]; k++)
                found = found || (strlen(ROWS[k].name) == n && !memcmp(ROWS[k].name, s, n));
            if (!found) fail_msg("%s: `%.*s` is no feature", ROWS[i].name, (int)n, s);
            s += n + strspn(s + n, " ");
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_graph), cmocka_unit_test(test_order),
                                       cmocka_unit_test(test_text), cmocka_unit_test(test_table)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
