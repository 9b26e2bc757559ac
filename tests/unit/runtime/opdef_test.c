/* Operator definitions: what is refused when the host library is loaded, and the expansion of dtype lists. */
#include "runtime/runtime_int.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#define GE(...) (const int32_t[]){__VA_ARGS__}, sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)
enum { F32 = 0, F16 = 1, I32 = 3, BF16 = 27, ND = 2 };

static Rt *rt;

static int open_rt(void **state) {
    (void)state;
    rt = rt_open("Ascend910B4");
    return rt ? 0 : -1;
}
static int close_rt(void **state) {
    (void)state;
    rt_close(rt);
    return 0;
}

static uint32_t guard(void (*fn)(void), void *ctx, char *text, size_t n_text) {
    (void)fn, (void)ctx, (void)text, (void)n_text;
    return 0;
}
static void some_fn(void) {}

static OwhOpDef *new_op(void) {
    OwhOpDef *op = owh_op_new("ZooCustom", guard);
    owh_op_fn(op, OWH_FN_TILING, some_fn);
    owh_op_add_config(op, "ascend910b", NULL);
    owh_op_register(op);
    return op;
}

static void refuse(const char *part) {
    assert_int_not_equal(rt_ops_check(rt), 0);
    if (!strstr(rt_error(rt), part)) fail_msg("'%s' does not contain '%s'", rt_error(rt), part);
}

static void columns_and_lists_multiply(void **state) {
    (void)state;
    OwhOpDef *op = new_op();
    owh_param_dtypes(owh_op_param(op, false, "x"), GE(F16, F32), false);
    owh_param_dtypes(owh_op_param(op, false, "i"), GE(I32, F32, BF16), true);
    owh_param_dtypes(owh_op_param(op, true, "y"), GE(F32, F16), false);
    assert_int_equal(rt_ops_check(rt), 0);
    static const int32_t WANT[][3] = {{F16, I32, F32}, {F16, F32, F32}, {F16, BF16, F32}, {F32, I32, F16}, {F32, F32, F16}, {F32, BF16, F16}};
    assert_int_equal(op->n_combos, 6);
    for (size_t c = 0; c < 6; c++)
        for (size_t p = 0; p < 3; p++) {
            assert_int_equal(op->combo_dtype[c * 3 + p], WANT[c][p]);
            assert_int_equal(op->combo_format[c * 3 + p], ND);
        }
}

static void follow_copies_the_columns(void **state) {
    (void)state;
    OwhOpDef *op = new_op();
    owh_param_dtypes(owh_op_param(op, false, "x"), GE(F16, F32), false);
    owh_param_follow(owh_op_param(op, true, "y"), "x", 1);
    assert_int_equal(rt_ops_check(rt), 0);
    assert_int_equal(op->combo_dtype[1], F16);
    assert_int_equal(op->combo_dtype[3], F32);
}

static void unequal_columns_are_refused(void **state) {
    (void)state;
    OwhOpDef *op = new_op();
    owh_param_dtypes(owh_op_param(op, false, "x"), GE(F16, F32), false);
    owh_param_dtypes(owh_op_param(op, true, "y"), GE(F16), false);
    refuse("is not aligned");
}

static void parameters_are_checked(void **state) {
    (void)state;
    OwhOpDef *op = new_op();
    OwhParamDef *x = owh_op_param(op, false, "x"), *y = owh_op_param(op, true, "y");
    refuse("input 'x' of ZooCustom has no DataType");
    owh_param_dtypes(x, GE(F32), false);
    owh_param_dtypes(y, GE(F32), false);
    assert_int_equal(rt_ops_check(rt), 0);
    assert_ptr_equal(owh_op_param(op, false, "x"), x); /* get or create */
    owh_param_flag(x, OWH_PARAM_AUTO_CONTIGUOUS);
    owh_param_flag(x, OWH_PARAM_IGNORE_CONTIGUOUS);
    refuse("conflicting");
    x->flags = 0;
    owh_param_flag(y, OWH_PARAM_VALUE_DEPEND);
    refuse("ValueDepend does not support output");
    y->flags = 0;
    owh_param_init_value(x, 0);
    refuse("InitValue");
}

static void an_op_needs_tiling_config_output_and_registration(void **state) {
    (void)state;
    refuse("OP_ADD is missing");
    OwhOpDef *op = owh_op_new("ZooCustom", guard);
    owh_op_register(op);
    refuse("has no tiling function");
    owh_op_fn(op, OWH_FN_TILING, some_fn);
    owh_op_add_config(op, "ascend310p", NULL);
    refuse("no AddConfig(\"ascend910b\")");
    owh_op_add_config(op, "ascend910b", NULL);
    refuse("has no output");
}

static void attributes_need_a_type_aclnn_can_pass(void **state) {
    (void)state;
    OwhOpDef *op = new_op();
    owh_param_dtypes(owh_op_param(op, true, "y"), GE(F32), false);
    OwhAttrDef *a = owh_op_attr(op, "alpha");
    refuse("'alpha' of ZooCustom has no type");
    owh_attr_type(a, OWH_LIST_LIST_INT, NULL, 0);
    refuse("is not support");
    const float two = 2;
    owh_attr_type(a, OWH_FLOAT, &two, 1);
    assert_int_equal(rt_ops_check(rt), 0);
    assert_true(*(const float *)a->data == 2);
}

static void a_chip_configuration_replaces_parameters(void **state) {
    (void)state;
    OwhOpDef *op = owh_op_new("ZooCustom", guard);
    owh_op_fn(op, OWH_FN_TILING, some_fn);
    OwhConfigDef *cfg = owh_config_new();
    owh_param_dtypes(owh_op_param(op, false, "x"), GE(F32), false);
    owh_param_dtypes(owh_op_param(op, true, "y"), GE(F32), false);
    owh_param_dtypes(owh_config_param(cfg, false, "x"), GE(F16, BF16), false);
    owh_param_dtypes(owh_config_param(cfg, true, "y"), GE(F16, BF16), false);
    owh_op_add_config(op, "ascend910b", cfg);
    owh_op_register(op);
    assert_int_equal(rt_ops_check(rt), 0);
    assert_int_equal(op->n_combos, 2);
    assert_int_equal(op->combo_dtype[2], BF16);
}

static void impl_registration_gives_the_tiling_function(void **state) {
    (void)state;
    OwhOpDef *op = owh_op_new("ZooCustom", guard);
    owh_op_add_config(op, "ascend910b", NULL);
    owh_param_dtypes(owh_op_param(op, true, "y"), GE(F32), false);
    owh_op_register(op);
    owh_impl_op_fn("ZooCustom", guard, OWH_FN_TILING, some_fn);
    assert_int_equal(rt_ops_check(rt), 0);
    assert_ptr_equal(op->fn[OWH_FN_TILING], some_fn);
}

static void snake_case_is_the_vendors(void **state) {
    (void)state;
    static const char *const PAIRS[][2] = {{"AddCustom", "add_custom"}, {"Conv2DCustom", "conv2_d_custom"}, {"GRUCell", "gru_cell"},
                                           {"GatherV2Custom", "gather_v2_custom"}, {"HTTPServerCustom", "http_server_custom"}, {"AbcAAc", "abc_a_ac"},
                                           {"ECAAttention", "eca_attention"}, {"ResNet101", "res_net101"}};
    char out[64];
    for (size_t i = 0; i < sizeof PAIRS / sizeof PAIRS[0]; i++) {
        rt_snake_case(PAIRS[i][0], out, sizeof out);
        assert_string_equal(out, PAIRS[i][1]);
    }
}

static void chip_figures_are_the_vendors(void **state) {
    (void)state;
    uint64_t v = 0;
    assert_true(owh_platform_get(NULL, OWH_PLAT_CORES_AIV, &v));
    assert_int_equal(v, 40);
    assert_true(owh_platform_get(NULL, OWH_PLAT_CORES_AIC, &v));
    assert_int_equal(v, 20);
    assert_true(owh_platform_get(NULL, OWH_PLAT_MEM_SIZE + 5, &v)); /* UB: 192 KiB less 256 bytes */
    assert_int_equal(v, 196352);
    assert_true(owh_platform_get(NULL, OWH_PLAT_MEM_SIZE + 3, &v)); /* L1: 512 KiB less 256 bytes */
    assert_int_equal(v, 524032);
    assert_true(owh_platform_get(NULL, OWH_PLAT_LIB_WORKSPACE, &v));
    assert_int_equal(v, 16777216);
    assert_false(owh_platform_get(NULL, OWH_PLAT_MEM_SIZE + 9, &v));
    assert_null(owh_platform_of("Ascend999"));
    assert_true(owh_platform_get(owh_platform_of("Ascend910B1"), OWH_PLAT_CORES_AIV, &v));
    assert_int_equal(v, 48);
}

static void an_unknown_chip_is_named(void **state) {
    (void)state;
    assert_null(rt_open("Ascend999"));
    assert_non_null(strstr(rt_error(NULL), "Ascend999"));
    assert_non_null(strstr(rt_error(NULL), "Ascend910B4"));
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_rt, close_rt)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(columns_and_lists_multiply), TEST(follow_copies_the_columns), TEST(unequal_columns_are_refused), TEST(parameters_are_checked),
        TEST(an_op_needs_tiling_config_output_and_registration), TEST(attributes_need_a_type_aclnn_can_pass),
        TEST(a_chip_configuration_replaces_parameters), TEST(impl_registration_gives_the_tiling_function), TEST(snake_case_is_the_vendors),
        TEST(chip_figures_are_the_vendors), TEST(an_unknown_chip_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
