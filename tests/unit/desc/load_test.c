/* Descriptions: meta data, and every static rule with a description that breaks it and near misses that do
 * not. */
#include "desc/desc.h"
#include "desc/desc_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static const char *const GOOD[DESC_N_SOURCES] = {
    [DESC_PROJECT_JSON] =
        "[{\"op\": \"TwiceCustom\", \"language\": \"cpp\",\n"
        "  \"input_desc\": [{\"name\": \"x\", \"param_type\": \"required\",\n"
        "    \"format\": [\"ND\", \"ND\"],\n    \"type\": [\"float\", \"fp16\"]}],\n"
        "  \"output_desc\": [{\"name\": \"y\", \"param_type\": \"required\", \"format\": [\"ND\", \"ND\"],\n"
        "    \"type\": [\"float\", \"float16\"]}]}]\n",
    [DESC_HOST_TILING] =
        "BEGIN_TILING_DATA_DEF(TD)\nEND_TILING_DATA_DEF;\nREGISTER_TILING_DATA_CLASS(TwiceCustom, TD)\n",
    [DESC_HOST_OPERATOR] =
        "class TwiceCustom : public OpDef {\n this->Input(\"x\").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});\n"
        " this->Output(\"y\").DataType({ge::DT_FLOAT, ge::DT_FLOAT16});\n};\nOP_ADD(TwiceCustom);\n",
    [DESC_KERNEL] = "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void "
                    "twice_custom(GM_ADDR x, GM_ADDR y,\n"
                    "    GM_ADDR workspace, GM_ADDR tiling) { GET_TILING_DATA(td, tiling); f<int, 2>(x, td.n); }\n",
    [DESC_PYTHON_BIND] = "at::Tensor f(const at::Tensor &x) {\n  auto y = at::empty_like(x);\n  "
                         "EXEC_NPU_CMD(aclnnTwiceCustom, x, y);\n"
                         "  return y;\n}\n",
    [DESC_MODEL] = "import custom_ops_lib\n",
};

typedef struct Loaded {
    Arena *arena;
    Desc *d;
    DescViolation *rules;
    size_t n;
    Err err;
} Loaded;

/* Loads GOOD with one source replaced. */
static Loaded load_with(DescSource which, const char *text, const json_t *worker_rules) {
    Loaded l = {.arena = arena_new()};
    json_t *sources = json_object(), *lines = json_object();
    for (int i = 0; i < DESC_N_SOURCES; i++) {
        json_object_set_new(sources, DESC_SOURCE_NAMES[i],
                            json_string(i == (int)which && text ? text : GOOD[i]));
        json_object_set_new(lines, DESC_SOURCE_NAMES[i], json_integer(10 * (i + 1)));
    }
    json_t *result = json_pack("{s:o, s:o}", "sources", sources, "lines", lines);
    if (worker_rules) json_object_set_new(result, "rules", json_deep_copy(worker_rules));
    l.d = desc_from_sources(l.arena, "t.py", result, &l.rules, &l.n, &l.err);
    json_decref(result);
    return l;
}

static void test_good(void **state) {
    (void)state;
    Loaded l = load_with(DESC_MODEL, NULL, NULL);
    assert_non_null(l.d);
    for (size_t i = 0; i < l.n; i++) print_message("%s: %s\n", l.rules[i].rule, l.rules[i].message);
    assert_int_equal(l.n, 0);
    assert_string_equal(l.d->op, "TwiceCustom");
    assert_string_equal(l.d->kernel_name, "twice_custom");
    assert_int_equal(l.d->n_combos, 2);
    assert_int_equal(l.d->inputs[0].types[1], DTYPE_F16);
    assert_string_equal(l.d->outputs[0].formats[0], "ND");
    assert_int_equal(l.d->line[DESC_KERNEL], 40);
    arena_free(l.arena);
}

static void test_json_errors(void **state) {
    (void)state;
#define T(name, types, formats) "{\"name\": \"" name "\", \"type\": " types ",\n \"format\": " formats "}"
#define OUT                     ", \"output_desc\": [" T("y", "[\"float\"]", "[\"ND\"]") "]"
    static const struct {
        const char *json, *where, *message;
    } CASES[] = {
        {"[{\"op\": }]", "project_json_src:1", "not JSON"},
        {"\n\n[{\"op\": \"A\" \"x\": 1}]", "project_json_src:3", "not JSON"},
        {"", "project_json_src:1", "not JSON"},
        {"3", "project_json_src:1", "not JSON"},
        {"[]", "project_json_src:1", "0 operators"},
        {"[{\"op\":\"A\"" OUT "},{\"op\":\"B\"}]", "project_json_src:1", "2 operators"},
        {"[3]", "project_json_src:1", "must be an object"},
        {"{\"op\":\n 7" OUT "}", "project_json_src:2", "`op` is missing or no string"},
        {"{\"op\":\n\n\"add\"" OUT "}", "project_json_src:3", "not a type name"},
        {"{\"op\":\"A b\"" OUT "}", "project_json_src:1", "not a type name"},
        {"{\"op\":\"A\",\n\"language\": \"rust\"" OUT "}", "project_json_src:2", "`language` must be cpp"},
        {"{\"op\":\"A\",\n\"attr\": 1" OUT "}", "project_json_src:2", "`attr` must be a list"},
        {"{\"op\":\"A\",\n\"output_desc\": []}", "project_json_src:2", "names no output"},
        {"{\"op\":\"A\",\n\"input_desc\": {}" OUT "}", "project_json_src:2", "must be a list of tensors"},
        {"{\"op\":\"A\",\"input_desc\": [\n3]" OUT "}", "project_json_src:2", "must be an object"},
        {"{\"op\":\"A\",\"input_desc\": [\n{\"name\": \"1x\"}]" OUT "}", "project_json_src:2", "identifier"},
        {"{\"op\":\"A\",\"input_desc\": [" T("x", "[\"float\"]", "[\"ND\"]") ",\n" T("x", "[\"float\"]",
                                                                                     "[\"ND\"]") "]" OUT "}",
         "project_json_src:3", "names `x` twice"},
        {"{\"op\":\"A\",\"input_desc\": [{\"name\":\"x\",\n\"param_type\":\"maybe\"}]" OUT "}",
         "project_json_src:2", "`param_type` of `x`"},
        {"{\"op\":\"A\",\"input_desc\": [" T("x", "[\n\"flaot\"]", "[\"ND\"]") "]" OUT "}",
         "project_json_src:1", "unknown type `flaot`"},
        {"{\"op\":\"A\",\"input_desc\": [" T("x", "[]", "[\"ND\"]") "]" OUT "}", "project_json_src:1",
         "`type` must be a list"},
        {"{\"op\":\"A\",\"input_desc\": [" T("x", "[3]", "[\"ND\"]") "]" OUT "}", "project_json_src:1",
         "`type` must be a list"},
        {"{\"op\":\"A\",\"input_desc\": [" T("x", "[\"float\",\"int32\"]", "[\"ND\"]") "]" OUT "}",
         "project_json_src:2", "`format` of `x` has 1"},
        {"{\"op\":\"A\",\"input_desc\": [" T("x", "[\"float\",\"int32\"]", "[\"ND\",\"ND\"]") "]" OUT "}",
         "project_json_src:2", "`type` of `y` has 1"},
        {"{\"op\":\"A\", \"op\":\"B\"" OUT "}", "project_json_src:1", "not JSON"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Loaded l = load_with(DESC_PROJECT_JSON, CASES[i].json, NULL);
        print_message("%zu: %s %s\n", i, l.err.where, l.err.message);
        assert_null(l.d);
        assert_int_equal(l.err.code, ERR_BAD_INPUT);
        assert_string_equal(l.err.where, CASES[i].where);
        assert_non_null(strstr(l.err.message, CASES[i].message));
        arena_free(l.arena);
    }
}

static void test_json_forms(void **state) {
    (void)state;
    /* One object without a list, a name in place of a list of one, no inputs, param_type left out. */
    Arena *a = arena_new();
    Err err = {0};
    Desc d = {.path = "t.py"};
    d.source[DESC_PROJECT_JSON] =
        "{\"op\":\"Conv2DCustom\", \"output_desc\":[{\"name\":\"y\",\"type\":\"bf16\",\"format\":\"ND\"}]}";
    assert_true(project_json_parse(a, &d, &err));
    assert_string_equal(d.kernel_name, "conv2_d_custom");
    assert_string_equal(d.outputs[0].param_type, "required");
    assert_int_equal(d.n_inputs, 0);
    assert_int_equal(d.n_combos, 1);
    assert_int_equal(d.outputs[0].types[0], DTYPE_BF16);
    arena_free(a);
}

/* name NULL: nothing but notes may be found. */
typedef struct RuleCase {
    DescSource which;
    const char *text, *name;
    int line;
} RuleCase;

#define ENTRY(before, args) before " twice_custom(" args ") {}\n"
#define GOOD_ENTRY                                                                                           \
    ENTRY("extern \"C\" __global__ __aicore__ void", "GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t")
#define EXEC "EXEC_NPU_CMD(aclnnTwiceCustom, x, y);\n"

static const RuleCase RULES[] = {
    {DESC_PROJECT_JSON, "{\"op\": \"Cumsum\", \"output_desc\": [{\"name\": \"y\", \"type\": \"float\", \"format\": \"ND\"}]}", "op-name-builtin", 0},
    {DESC_PROJECT_JSON, NULL, NULL, 0}, /* TwiceCustom */
    {DESC_KERNEL, "", "kernel-empty", 1},
    {DESC_KERNEL, "// nothing\n#include \"kernel_operator.h\"\n/* void f() {} */", "kernel-empty", 1},
    {DESC_KERNEL, "void f() {}", "kernel-entry", 0},
    {DESC_KERNEL, "\nextern \"C\" __global__ __aicore__ void twice(GM_ADDR x) {}", "kernel-entry", 2},
    {DESC_KERNEL, "// " GOOD_ENTRY "int a;", "kernel-entry", 0},
    {DESC_KERNEL, "#if 0\n" GOOD_ENTRY "#endif\nint a;", "kernel-entry", 0},
    {DESC_KERNEL, ENTRY("__global__ __aicore__ void", "GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t"),
     "kernel-entry-linkage", 1},
    {DESC_KERNEL, ENTRY("extern \"C\" __global__ void", "GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t"),
     "kernel-entry-linkage", 1},
    {DESC_KERNEL,
     "extern \"C\" {\n" ENTRY("__global__ __aicore__ void", "GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t") "}",
     NULL, 0},
    {DESC_KERNEL,
     "extern \"C\" __aicore__ __global__ void twice_custom(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t) {}",
     NULL, 0},
    {DESC_KERNEL, "\n\n" ENTRY("extern \"C\" __global__ __aicore__ void", "GM_ADDR x, GM_ADDR w, GM_ADDR t"),
     "kernel-arguments", 3},
    {DESC_KERNEL, ENTRY("extern \"C\" __global__ __aicore__ void", ""), "kernel-arguments", 1},
    {DESC_KERNEL, ENTRY("extern \"C\" __global__ __aicore__ void", "void"), "kernel-arguments", 1},
    {DESC_KERNEL,
     ENTRY("extern \"C\" __global__ __aicore__ void", "P<int, 2> x, GM_ADDR y /* , */, GM_ADDR w, GM_ADDR t"),
     NULL, 0},
    {DESC_KERNEL, "extern \"C\" __global__ __aicore__ void other(GM_ADDR a) {}\n" GOOD_ENTRY, NULL, 0},
    {DESC_HOST_OPERATOR, "this->Input(\"x\"); this->Output(\"y\");\n// OP_ADD(TwiceCustom)\n", "host-op-add",
     0},
    {DESC_HOST_OPERATOR, "this->Input(\"x\"); this->Output(\"y\");\nOP_ADD(Twice);\n", "host-op-add", 2},
    {DESC_HOST_OPERATOR, "this->Input(\"x\"); this->Output(\"y\"); OP_ADD(TwiceCustom);", NULL, 0},
    {DESC_HOST_OPERATOR, "this->Input(\"x\"); this->Input(\"w\"); this->Output(\"y\"); OP_ADD(TwiceCustom);", "host-tensors", 1},
    {DESC_HOST_OPERATOR, "this->Input(\"x\").DataType({ge::DT_INT32, ge::DT_FLOAT}); this->Output(\"y\").DataType({ge::DT_FLOAT, ge::DT_FLOAT}); OP_ADD(TwiceCustom);", "host-types", 1},
    {DESC_HOST_TILING, "REGISTER_TILING_DATA_CLASS(Twice, TD)", "host-tiling-class", 1},
    {DESC_HOST_TILING, "REGISTER_TILING_DATA_CLASS(Inner, I)\nREGISTER_TILING_DATA_CLASS(TwiceCustom, TD)",
     NULL, 0},
    {DESC_HOST_TILING, "", NULL, 0},
    {DESC_HOST_TILING, "BEGIN_TILING_DATA_DEF(TD)\nTILING_DATA_FIELD_DEF(uint32_t, n);\nTILING_DATA_FIELD_DEF(float, eps);\nTILING_DATA_FIELD_DEF_ARR(uint32_t, 4, sizes);", "tiling-field-unread", 3},
    {DESC_PYTHON_BIND, "at::Tensor f() { return at::empty({1}); }", "bind-no-launch", 0},
    {DESC_PYTHON_BIND, "// " EXEC, "bind-no-launch", 0},
    {DESC_PYTHON_BIND, "/* " EXEC " */", "bind-no-launch", 0},
    {DESC_PYTHON_BIND,
     "auto s = \""
     "EXEC_NPU_CMD(aclnnTwiceCustom, x, y)"
     "\";",
     "bind-no-launch", 0},
    {DESC_PYTHON_BIND, "auto s = R\"(" EXEC ")\";", "bind-no-launch", 0},
    {DESC_PYTHON_BIND,
     "#define RUN "
     "EXEC_NPU_CMD(aclnnTwiceCustom, x, y)\n",
     "bind-no-launch", 0},
    {DESC_PYTHON_BIND, "#if 0\n" EXEC "#endif\n", "bind-no-launch", 0},
    {DESC_PYTHON_BIND, EXEC "\nEXEC_NPU_CMD(aclnnAdd, x, y);", "bind-builtin-op", 3},
    {DESC_PYTHON_BIND, EXEC "aclnnMulGetWorkspaceSize(x, y);", "bind-builtin-op", 2},
    {DESC_PYTHON_BIND, EXEC "aclnnTwiceCustomGetWorkspaceSize(x, y);", NULL, 0},
    {DESC_PYTHON_BIND, EXEC "auto z = at::add(x, y);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "auto z = torch::nn::functional::relu(x);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "auto z = at::native::conv2d(x);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "auto z = at::_ops::add::call(x, y);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "auto z = x.sum();", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "auto z = x.ne(0);", NULL, 0}, /* to bool */
    {DESC_PYTHON_BIND, EXEC "auto z = x.ne(1);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "auto z = x.ne(0, y);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "x->add_(y);", "bind-computes", 2},
    {DESC_PYTHON_BIND, EXEC "// auto z = at::add(x, y);", NULL, 0},
    {DESC_PYTHON_BIND,
     EXEC
     "auto z = std::max(a, b); v.push_back(1); at::IntArrayRef s(d); auto o = x.options().dtype(at::kHalf);",
     NULL, 0},
    {DESC_PYTHON_BIND,
     EXEC "auto z = at::zeros({1}, torch::dtype(torch::kFloat32)).view({1, 1}).contiguous();", NULL, 0},
    {DESC_PYTHON_BIND, EXEC "auto z = at::Scalar(1.0); int sum(int); auto q = sum(3);", NULL, 0},
    {DESC_PYTHON_BIND, EXEC "auto op = c10::Dispatcher::singleton();", "bind-dispatch", 2},
    {DESC_PYTHON_BIND, EXEC "py::module_::import(\"torch\");", "bind-dispatch", 2},
};

static void test_rules(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; i++) {
        const RuleCase *c = &RULES[i];
        Loaded l = load_with(c->which, c->text, NULL);
        assert_non_null(l.d);
        bool found = false;
        for (size_t k = 0; k < l.n; k++) {
            const DescViolation *v = &l.rules[k];
            if (!c->name) print_message("case %zu: unexpected %s: %s\n", i, v->rule, v->message);
            if (!c->name) assert_int_equal(v->kind, DESC_RULE_NOTE);
            if (!c->name || strcmp(v->rule, c->name) != 0) continue;
            found = true;
            assert_int_equal(v->line, c->line);
            assert_string_equal(v->source, DESC_SOURCE_NAMES[c->which]);
            assert_true(strlen(v->message) && strlen(v->message_zh) && strlen(v->hint) && strlen(v->hint_zh));
            assert_null(strstr(v->message, "%s"));
            assert_null(strstr(v->message_zh, "%s"));
        }
        if (c->name && !found) print_message("case %zu: no %s in: %s\n", i, c->name, c->text);
        assert_true(found || !c->name);
        arena_free(l.arena);
    }
}

/* Each rule has a description that breaks it and, of the same section, one close to it that does not. Rules of model_src are the worker's
 * (tests/bridge/test_admit.py), those of direct launches have tests of their own (direct_test.c). */
static void test_every_rule_has_a_case(void **state) {
    (void)state;
    static const char *const NAMES[] = {
#define RULE(id, name, ...) name,
#include "desc/rules.def"
#undef RULE
    };
    for (size_t k = 0; k < sizeof NAMES / sizeof NAMES[0]; k++) {
        bool broken = false, missed = false;
        if (!strncmp(NAMES[k], "model-", 6) || !strncmp(NAMES[k], "direct-", 7)) continue;
        for (size_t i = 0; i < sizeof RULES / sizeof RULES[0]; i++) {
            if (!RULES[i].name || strcmp(RULES[i].name, NAMES[k]) != 0) continue;
            broken = true;
            for (size_t m = 0; m < sizeof RULES / sizeof RULES[0]; m++) missed |= !RULES[m].name && RULES[m].which == RULES[i].which;
        }
        if (!broken || !missed) print_message("%s: %s\n", NAMES[k], broken ? "no near miss" : "nothing breaks it");
        assert_true(broken && missed);
    }
}

/* The operator definition counts where it differs. */
static void test_host_wins(void **state) {
    (void)state;
    Loaded l = load_with(
        DESC_HOST_OPERATOR,
        "this->Input(\"x\").DataType({ge::DT_INT32}); this->Output(\"y\").DataType({ge::DT_BF16});\n"
        "OpAICoreConfig c; c.Input(\"x\").DataType({ge::DT_FLOAT}); OP_ADD(TwiceCustom);",
        NULL);
    assert_non_null(l.d);
    assert_int_equal(l.d->n_combos, 1);
    assert_int_equal(l.d->inputs[0].types[0], DTYPE_I32);
    assert_int_equal(l.d->outputs[0].types[0], DTYPE_BF16);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.rules[0].kind, DESC_RULE_NOTE);
    arena_free(l.arena);
}

static void test_worker_rules(void **state) {
    (void)state;
    json_t *rules = json_pack("[{s:s, s:i, s:s, s:s}, {s:s, s:i}]", "rule", "model-computes", "line", 7,
                              "message", "torch.relu", "hint", "", "rule", "from-the-future", "line", 0);
    Loaded l = load_with(DESC_MODEL, NULL, rules);
    assert_int_equal(l.n, 2);
    assert_string_equal(l.rules[0].message, "torch.relu");
    assert_int_equal(l.rules[0].line, 7);
    assert_non_null(strstr(l.rules[0].message_zh, "torch.relu"));
    assert_true(strlen(l.rules[0].hint) > 0);
    assert_string_equal(l.rules[1].rule, "from-the-future");
    json_decref(rules);
    arena_free(l.arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),  cmocka_unit_test(test_json_errors), cmocka_unit_test(test_json_forms),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_every_rule_has_a_case), cmocka_unit_test(test_host_wins),   cmocka_unit_test(test_worker_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
