/* Unique names: the same in every section, and taken out of messages again. */
#include "cann/cann_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static Desc description(const char *op, const char *kernel) {
    Desc d = {.op = op, .kernel_name = kernel};
    d.source[DESC_PROJECT_JSON] = "[{\"op\": \"BiasGeluCustom\"}]";
    d.source[DESC_HOST_TILING] = "REGISTER_TILING_DATA_CLASS(BiasGeluCustom, BiasGeluCustomTilingData)";
    d.source[DESC_HOST_OPERATOR] = "#include \"bias_gelu_custom_tiling.h\"\nOP_ADD(BiasGeluCustom);";
    d.source[DESC_KERNEL] = "void bias_gelu_custom(GM_ADDR x)";
    d.source[DESC_PYTHON_BIND] = "EXEC_NPU_CMD(aclnnBiasGeluCustom, x, y);";
    d.source[DESC_MODEL] = "custom_ops_lib.bias_gelu_custom(x)";
    return d;
}

static void test_every_section_gets_the_name(void **state) {
    (void)state;
    Arena *a = arena_new();
    Desc d = description("BiasGeluCustom", "bias_gelu_custom");
    CannJob j = {.arena = a, .desc = &d};
    cann_mangle(&j);
    assert_int_equal(strlen(j.suffix), 8);
    assert_string_equal(j.op, arena_printf(a, "BiasGeluCustom%s", j.suffix));
    assert_true(!strncmp(j.snake, "bias_gelu_custom_x", 18) && strlen(j.snake) == 25);
    assert_string_equal(j.source[DESC_HOST_TILING],
                        arena_printf(a, "REGISTER_TILING_DATA_CLASS(%s, %sTilingData)", j.op, j.op));
    assert_string_equal(j.source[DESC_HOST_OPERATOR],
                        arena_printf(a, "#include \"%s_tiling.h\"\nOP_ADD(%s);", j.snake, j.op));
    assert_string_equal(j.source[DESC_KERNEL], arena_printf(a, "void %s(GM_ADDR x)", j.snake));
    assert_string_equal(j.source[DESC_MODEL], arena_printf(a, "custom_ops_lib.%s(x)", j.snake));
    for (int i = 0; i < DESC_N_SOURCES; i++) assert_string_equal(cann_unmangle(&j, j.source[i]), d.source[i]);
    arena_free(a);
}

static void test_suffixes_differ(void **state) {
    (void)state;
    Arena *a = arena_new();
    for (int i = 0; i < 100; i++) {
        const char *x = cann_suffix(a), *y = cann_suffix(a);
        assert_true(strcmp(x, y) != 0 && x[0] == 'X' && strspn(x + 1, "abcdefghijklmnopqrstuvwxyz") == 7);
    }
    arena_free(a);
}

static void test_replace(void **state) {
    (void)state;
    Arena *a = arena_new();
    assert_string_equal(cann_replace(a, "aXaXXa", "X", "--"), "a--a----a");
    assert_string_equal(cann_replace(a, "", "X", "y"), "");
    assert_string_equal(cann_replace(a, "abc", "", "y"), "abc");
    arena_free(a);
}

static ProcResult output(char *text) {
    return (ProcResult){.exit_code = 1, .output = text};
}

/* A job as it is when a tool has failed. */
static CannJob job(Arena *a, Desc *d, const VerifyOptions *o) {
    CannJob j = {
        .arena = a, .o = o, .desc = d, .home = OPWRIGHT_SOURCE_DIR, .diags = {.arena = a}, .limit_s = 5};
    cann_mangle(&j);
    return j;
}

static void test_errors_are_told_at_their_section(void **state) {
    (void)state;
    Arena *a = arena_new();
    VerifyOptions o = {0};
    Desc d = description("BiasGeluCustom", "bias_gelu_custom");
    CannJob j = job(a, &d, &o);
    ProcResult r = output(arena_printf(
        a,
        "[ERROR] TBE(7,python3):2026-03-10 [opc_common.py:525][opc_log_full] /t/op_kernel/%s.cpp:1:5: error: "
        "use of undeclared identifier '%s_n'\n"
        "[ascend910b] %s_90b6 /t/op_kernel/%s.cpp:1:5: error: use of undeclared identifier '%s_n'\n"
        "/t/op_host/%s.cpp:2:1: error: 'foo' was not declared in this scope\n"
        "In file included from /t/op_host/%s.cpp:1:\n/t/op_host/%s_tiling.h:1:3: error: expected ';'\nOpc "
        "tool compile failed.\n",
        j.snake, j.snake, j.op, j.snake, j.snake, j.snake, j.snake, j.snake));
    cann_tool_failed(&j, "build.sh", NULL, &r);
    assert_int_equal(j.report.verdict, VERDICT_FAIL);
    assert_int_equal(j.diags.n, 3);
    assert_string_equal(j.diags.at[0].source, "kernel_src");
    assert_int_equal(j.diags.at[0].line, 1);
    assert_int_equal(j.diags.at[0].count, 2);
    assert_non_null(strstr(j.diags.at[0].text, "'bias_gelu_custom_n'"));
    assert_string_equal(j.diags.at[1].source, "host_operator_src");
    assert_string_equal(j.diags.at[2].source, "host_tiling_src");
    for (size_t i = 0; i < j.diags.n; i++) assert_string_equal(j.diags.at[i].check, "compile");
    arena_free(a);
}

static void test_a_vendor_name_that_the_model_lacks_is_no_excuse_here(void **state) {
    (void)state;
    Arena *a = arena_new();
    VerifyOptions o = {0};
    Desc d = description("BiasGeluCustom", "bias_gelu_custom");
    CannJob j = job(a, &d, &o);
    ProcResult r = output(arena_printf(
        a, "/t/op_kernel/%s.cpp:1:5: error: no member named 'Fixpipe' in namespace 'AscendC'\n", j.snake));
    cann_tool_failed(&j, "build.sh", NULL, &r);
    assert_int_equal(j.report.verdict, VERDICT_FAIL);
    assert_string_equal(j.diags.at[0].check, "compile");
    assert_false(j.diags.at[0].not_modelled);
    arena_free(a);
}

static void test_a_failure_without_a_place_is_the_toolkits(void **state) {
    (void)state;
    Arena *a = arena_new();
    VerifyOptions o = {0};
    Desc d = description("BiasGeluCustom", "bias_gelu_custom");
    CannJob j = job(a, &d, &o);
    ProcResult r = output(arena_strdup(a, "start\nModuleNotFoundError: No module named 'decorator'\nend\n"));
    cann_tool_failed(&j, "build.sh", NULL, &r);
    assert_int_equal(j.report.verdict, VERDICT_INFRA_ERROR);
    assert_non_null(strstr(j.diags.at[0].text, "No module named 'decorator'"));
    j = job(a, &d, &o);
    cann_tool_failed(&j, "msopgen", "project_json_src", &r); /* it reads nothing but the description */
    assert_int_equal(j.report.verdict, VERDICT_FAIL);
    assert_string_equal(j.diags.at[0].source, "project_json_src");
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_section_gets_the_name),
        cmocka_unit_test(test_suffixes_differ),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_errors_are_told_at_their_section),
        cmocka_unit_test(test_a_vendor_name_that_the_model_lacks_is_no_excuse_here),
        cmocka_unit_test(test_a_failure_without_a_place_is_the_toolkits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
