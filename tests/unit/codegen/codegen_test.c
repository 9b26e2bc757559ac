/* The six sources: deterministic, consistent with each other, free of names that collide. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../graph/fixtures.h"
#include "codegen/codegen.h"

static const char *const ALL[] = {FIX_ADD, FIX_BIAS, FIX_TRANSPOSE, FIX_TWO_SHAPES, FIX_HALF, FIX_SOFTMAX, FIX_TWO_STAGES, FIX_SUM_ROWS};

static GenResult generate(Arena *a, const char *fixture, const GenOptions *o) {
    Err err = {0};
    GenResult r = {0};
    Graph *g = fixture_graph(a, fixture, &err);
    if (!g || !gen_operator(a, g, o, &r, &err)) fail_msg("%s", err.message);
    return r;
}

static void test_deterministic(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        Arena *a = arena_new(), *b = arena_new();
        GenOptions o = {0};
        GenResult x = generate(a, ALL[i], &o), y = generate(b, ALL[i], &o);
        for (int k = 0; k < GEN_N_SOURCES; k++) assert_string_equal(x.source[k], y.source[k]);
        assert_string_equal(x.spec_json, y.spec_json);
        assert_string_equal(x.design_md, y.design_md);
        arena_free(a);
        arena_free(b);
    }
}

static size_t count(const char *text, const char *what) {
    size_t n = 0;
    for (const char *p = strstr(text, what); p; p = strstr(p + 1, what)) n++;
    return n;
}

/* Every field of the tiling data is set by the host once and read by the kernel. */
static void test_tiling_fields(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        Arena *a = arena_new();
        GenOptions o = {0};
        GenResult r = generate(a, ALL[i], &o);
        size_t n = 0;
        for (const char *p = strstr(r.source[GEN_HOST_TILING], "TILING_DATA_FIELD_DEF("); p;
             p = strstr(p + 1, "TILING_DATA_FIELD_DEF(")) {
            const char *name = strchr(p, ',') + 2;
            char *field = arena_strndup(a, name, strcspn(name, ")"));
            assert_int_equal(count(r.source[GEN_HOST_OPERATOR], arena_printf(a, "tiling.set_%s(", field)), 1);
            assert_int_equal(count(r.source[GEN_KERNEL], arena_printf(a, "= tiling.%s;", field)) +
                                 count(r.source[GEN_KERNEL], arena_printf(a, "user + tilingData.%s;", field)),
                             1);
            n++;
        }
        assert_true(n >= 4);
        arena_free(a);
    }
}

/* Queues: as many allocations as releases, enqueues as dequeues. */
static void test_queue_calls(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof ALL / sizeof ALL[0]; i++) {
        Arena *a = arena_new();
        GenOptions o = {0};
        GenResult r = generate(a, ALL[i], &o);
        const char *k = r.source[GEN_KERNEL];
        size_t programs = r.plan->programs.n;
        if (programs == 1) assert_int_equal(count(k, "AllocTensor<"), count(k, "FreeTensor("));
        if (programs == 1) assert_int_equal(count(k, ".EnQue("), count(k, ".DeQue<"));
        arena_free(a);
    }
}

static void test_names(void **state) {
    (void)state;
    Arena *a = arena_new();
    GenResult r = generate(a, FIX_ADD, &(GenOptions){.op_name = "bias_gelu"});
    assert_string_equal(r.op_type, "BiasGeluCustom");
    assert_string_equal(r.kernel_name, "bias_gelu_custom");
    assert_non_null(strstr(r.source[GEN_KERNEL],
                           "void bias_gelu_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,"));
    assert_non_null(strstr(r.source[GEN_PYTHON_BIND], "EXEC_NPU_CMD(aclnnBiasGeluCustom, x, y, z);"));
    assert_non_null(strstr(r.source[GEN_MODEL], "return custom_ops_lib.bias_gelu_custom(x, y)"));
    r = generate(a, FIX_ADD, &(GenOptions){.op_name = "10_relu"});
    assert_string_equal(r.op_type, "Op10ReluCustom");
    assert_string_equal(r.kernel_name, "op10_relu_custom");
    /* A tensor called `rows` would collide with the kernel's own name. */
    char *text = arena_strdup(a, FIX_ADD);
    for (char *p = strstr(text, "'name':'x'"); p; p = strstr(p, "'name':'x'")) memcpy(p, "'name':'n'", 10);
    r = generate(a, text, &(GenOptions){0});
    assert_non_null(strstr(r.source[GEN_KERNEL], "n_inGm_"));
    Err err = {0};
    GenResult bad;
    Graph *g = fixture_graph(a, FIX_ADD, &err);
    assert_false(gen_operator(a, g, &(GenOptions){.op_name = "a-b"}, &bad, &err));
    assert_int_equal(err.code, ERR_USAGE);
    assert_false(gen_operator(a, g, &(GenOptions){.chip = "Ascend1"}, &bad, &err));
    arena_free(a);
}

/* The binding checks what the trace takes for granted. */
static void test_binding_checks(void **state) {
    (void)state;
    Arena *a = arena_new();
    GenResult r = generate(a, FIX_HALF, &(GenOptions){0});
    const char *b = r.source[GEN_PYTHON_BIND];
    assert_non_null(strstr(b, "TORCH_CHECK(x.dim() == 2"));
    assert_non_null(strstr(b, "y.scalar_type() == x.scalar_type()"));
    assert_non_null(strstr(b, "TORCH_CHECK(y.size(0) == s0"));
    assert_non_null(strstr(b, "TORCH_CHECK((s1 / 2) <= s2"));
    assert_non_null(strstr(b, "TORCH_CHECK(s2 <= (s1 / 2)"));
    r = generate(a, FIX_BIAS, &(GenOptions){0});
    assert_non_null(strstr(r.source[GEN_PYTHON_BIND], "double alpha"));
    assert_non_null(strstr(r.source[GEN_HOST_OPERATOR], "this->Attr(\"alpha\").AttrType(REQUIRED).Float();"));
    arena_free(a);
}

static void test_spec(void **state) {
    (void)state;
    Arena *a = arena_new();
    GenResult r = generate(a, FIX_BIAS, &(GenOptions){0});
    json_t *spec = json_loads(r.spec_json, 0, NULL);
    assert_non_null(spec);
    assert_string_equal(json_string_value(json_object_get(spec, "category")), "broadcast");
    json_t *out = json_array_get(json_object_get(spec, "outputs"), 0);
    assert_string_equal(json_string_value(json_object_get(out, "formula")), "z = (x * alpha) + b");
    json_decref(spec);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deterministic),  cmocka_unit_test(test_tiling_fields),
        cmocka_unit_test(test_queue_calls),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_binding_checks), cmocka_unit_test(test_spec)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
