/* Whole calls: host, kernel and binding libraries compiled from zoo_*.cpp with the headers of hostapi/, then every way a
 * call can go wrong. Needs a C++ compiler; without one every test is skipped. */
#include "base/fs.h"
#include "runtime/runtime_int.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Arena *arena;
static const char *dir;
static Rt *rt;

static const char *built(const char *name) { return arena_printf(arena, "%s/%s.so", dir, name); }

static bool compile(const char *source, const char *include, const char *define, const char *name) {
    ProcResult r;
    Proc p;
    Err err = {0};
    const char *cxx = getenv("CXX") ? getenv("CXX") : "g++";
    const char *const argv[] = {cxx, "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", "-fvisibility=hidden", define,
                                arena_printf(arena, "-I%s/hostapi/%s", OPWRIGHT_SOURCE_DIR, include), "-o", built(name),
                                arena_printf(arena, "%s/tests/unit/runtime/%s.cpp", OPWRIGHT_SOURCE_DIR, source), NULL};
    if (!proc_start(&p, argv, NULL, &err) || !proc_wait(&p, arena, 120, &r, &err)) {
        fprintf(stderr, "%s: %s\n", cxx, err.message);
        return false;
    }
    if (r.exit_code != 0) fprintf(stderr, "%s\n", r.output);
    return r.exit_code == 0;
}

static int build_zoo(void **state) {
    Err err = {0};
    (void)state;
    arena = arena_new();
    dir = fs_temp_dir(arena, "opwright-zoo", &err);
    if (!dir) return -1;
    bool ok = compile("zoo_host", "host", "-DZOO=0", "host") && compile("zoo_binding", "torch", "-DZOO=0", "binding");
    ok = ok && compile("zoo_kernel", "../device", "-DZOO=0", "add") && compile("zoo_kernel", "../device", "-DZOO=1", "zoo");
    return ok && compile("zoo_kernel", "../device", "-DZOO=2", "twice") && compile("zoo_kernel", "../device", "-DZOO=3", "pair") ? 0 : -1;
}

static int remove_zoo(void **state) {
    (void)state;
    fs_remove_tree(dir);
    arena_free(arena);
    return 0;
}

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

static void load(const char *kernel_name, const char *lib, int n_kernels) {
    const char *const sos[] = {built(lib), NULL};
    if (rt_load_op(rt, built("host"), kernel_name, sos, n_kernels)) fail_msg("%s", rt_error(rt));
    if (rt_load_binding(rt, built("binding"))) fail_msg("%s", rt_error(rt));
}

static RtValue tensor_of(RtTensor *t) { return (RtValue){.kind = RT_TENSOR, .u.tensor = t}; }

static RtTensor *wrap(const char *dtype, int rank, const int64_t *size, const int64_t *stride, void *data, size_t n_bytes) {
    RtTensor *t = rt_tensor_wrap(dtype, rank, size, stride, 0, data, (int64_t)n_bytes);
    assert_non_null(t);
    return t;
}

static float X[6] = {1, 2, 3, 4, 5, 6}, Y[6] = {10, 20, 30, 40, 50, 60};
static RtValue x23(void) { return tensor_of(wrap("float32", 2, (int64_t[]){2, 3}, (int64_t[]){3, 1}, X, sizeof X)); }
static RtValue y23(void) { return tensor_of(wrap("float32", 2, (int64_t[]){2, 3}, (int64_t[]){3, 1}, Y, sizeof Y)); }
static RtValue x23_strided(void) { return tensor_of(wrap("float32", 2, (int64_t[]){2, 3}, (int64_t[]){1, 2}, X, sizeof X)); }

static const float *floats(const RtValue *v) {
    assert_int_equal(v->kind, RT_TENSOR);
    return rt_tensor_data(v->u.tensor);
}

static void fails_with(const char *name, RtValue *args, int n, const char *start, const char *part) {
    RtValue r;
    assert_int_not_equal(rt_call(rt, name, args, n, &r), 0);
    const char *e = rt_error(rt);
    if (strncmp(e, start, strlen(start)) || !strstr(e, part)) fail_msg("%s: '%s' is not '%s...%s'", name, e, start, part);
    assert_int_equal(r.kind, RT_NONE);
}

static void reported(const char *check, bool want) {
    const char *json = rt_report_json(rt), *quoted = arena_printf(arena, "\"check\":\"%s\"", check);
    if ((strstr(json, quoted) != NULL) != want) fail_msg("%s %s in %s", check, want ? "missing" : "unexpected", json);
}

static void add_adds(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    RtValue args[] = {x23(), y23()}, r;
    if (rt_call(rt, "add", args, 2, &r)) fail_msg("%s", rt_error(rt));
    for (int i = 0; i < 6; i++) assert_true(floats(&r)[i] == X[i] + Y[i]);
    assert_int_equal(r.u.tensor->rank, 2);
    assert_non_null(strstr(rt_report_json(rt), "\"launches\":[{\"op\":\"AddCustom\",\"kernel\":\"add_custom\",\"block_dim\":1,\"tiling_key\":0,"
                                               "\"tiling_bytes\":8,\"workspace_bytes\":0,\"tensor_bytes\":72,\"dtypes\":[\"float32\",\"float32\",\"float32\"]}]"));
    reported("infer-shape-mismatch", false);
    reported("output-not-from-kernel", false);
    rt_value_clear(&r);
    rt_report_reset(rt);
    assert_non_null(strstr(rt_report_json(rt), "\"launches\":[],\"findings\":[]"));
}

static void copies_and_views_of_results_count_as_the_kernels(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    RtValue args[] = {x23()}, r;
    if (rt_call(rt, "copy_of_result", args, 1, &r)) fail_msg("%s", rt_error(rt));
    assert_int_equal(r.u.tensor->rank, 3);
    assert_int_equal(r.u.tensor->size[1], 3);
    assert_true(floats(&r)[1] == 2 * X[3]);
    reported("output-not-from-kernel", false);
    rt_value_clear(&r);
}

static void results_of_nobody_are_found(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    RtValue args[] = {x23()}, r;
    assert_int_equal(rt_call(rt, "not_from_kernel", args, 1, &r), 0);
    reported("output-not-from-kernel", true);
    rt_value_clear(&r);
    args[0] = x23();
    assert_int_equal(rt_call(rt, "identity", args, 1, &r), 0);
    reported("output-is-input", true);
    assert_ptr_equal(r.u.tensor->storage, X);
    rt_value_clear(&r);
}

static void an_in_place_operator_changes_its_input(void **state) {
    (void)state;
    float data[4] = {1, 2, 3, 4};
    load("twice_custom", "twice", 1);
    RtValue args[] = {tensor_of(wrap("float32", 1, (int64_t[]){4}, (int64_t[]){1}, data, sizeof data))}, r;
    if (rt_call(rt, "twice", args, 1, &r)) fail_msg("%s", rt_error(rt));
    for (int i = 0; i < 4; i++) assert_true(data[i] == (float)(2 * (i + 1)));
    reported("output-is-input", false);
    reported("infer-shape-absent", true);
    rt_value_clear(&r);
}

/* ---- what the tiling function sees */

static RtValue zoo_args[7];
static RtValue *zoo(int64_t mode) {
    zoo_args[0] = x23();
    zoo_args[1] = (RtValue){.kind = RT_NONE};
    zoo_args[2] = (RtValue){.kind = RT_INT, .u.i = mode};
    zoo_args[3] = (RtValue){.kind = RT_FLOAT, .u.f = 2.5};
    zoo_args[4] = (RtValue){.kind = RT_BOOL, .u.i = 1};
    zoo_args[5] = (RtValue){.kind = RT_STR, .u.str = strdup("xyz")};
    zoo_args[6] = (RtValue){.kind = RT_INTS, .n = 2, .u.ints = owh_alloc(16)};
    zoo_args[6].u.ints[0] = 4;
    zoo_args[6].u.ints[1] = 5;
    return zoo_args;
}

static void check_seen(RtValue *args, const float want[19]) {
    RtValue r;
    if (rt_call(rt, "zoo", args, 7, &r)) fail_msg("%s", rt_error(rt));
    for (int i = 0; i < 19; i++)
        if (floats(&r)[i] != want[i]) fail_msg("field %d: got %g, want %g", i, (double)floats(&r)[i], (double)want[i]);
    rt_value_clear(&r);
}

static void tiling_sees_shapes_attributes_and_the_chip(void **state) {
    (void)state;
    load("zoo_custom", "zoo", 1);
    check_seen(zoo(0), (float[]){0, 2.5f, 1, 'x', 2, 5, 2, 1, 0, 0, 40, 196352, 1, 1, 1, 1, 2, 0, 0});
    int32_t m[1] = {1};
    RtValue *args = zoo(10);
    args[1] = tensor_of(wrap("int32", 1, (int64_t[]){1}, (int64_t[]){1}, m, sizeof m));
    check_seen(args, (float[]){10, 2.5f, 1, 'x', 2, 5, 2, 2, 1, 0, 40, 196352, 1, 1, 1, 1, 2, 2, 1});
    check_seen(zoo(11), (float[]){11, 2.5f, 1, 'x', 2, 5, 2, 1, 0, 0, 40, 196352, 1, 1, 1, 1, 2, 0, 0});
    reported("infer-shape-mismatch", true); /* its InferShape says [2, 3], the binding allocates [19] */
    reported("attr-type", false);
}

static void strided_inputs_are_copied_when_auto_contiguous(void **state) {
    (void)state;
    load("zoo_custom", "zoo", 1);
    RtValue *args = zoo(0);
    rt_value_clear(&args[0]);
    args[0] = x23_strided();
    check_seen(args, (float[]){0, 2.5f, 1, 'x', 2, 5, 2, 1, 0, 0, 40, 196352, 1, 1, 1, 1, 3, 0, 0}); /* x[0][1] is 3 */
}

static void tiling_failures_are_named(void **state) {
    (void)state;
    static const struct {
        int64_t mode;
        const char *part;
    } CASES[] = {{1, "do tiling failed: the tiling function of ZooCustom returned 4294967295 for x float32[2, 3]"}, {2, "tiles do not fit"},
                 {3, "block dim 0, allowed is 1 to 65535: SetBlockDim was not called"}, {4, "block dim 70000"}, {5, "20000 bytes, the capacity is 16384"},
                 {8, "2 workspaces"}};
    load("zoo_custom", "zoo", 1);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) fails_with("zoo", zoo(CASES[i].mode), 7, "tiling: ", CASES[i].part);
    assert_non_null(strstr(rt_report_json(rt), "\"launches\":[]"));
}

static void tiling_mistakes_are_found(void **state) {
    (void)state;
    static const struct {
        int64_t mode;
        const char *check;
    } CASES[] = {{7, "workspace-size-unset"}, {9, "attr-type"}};
    load("zoo_custom", "zoo", 1);
    for (size_t i = 0; i < 2; i++) {
        RtValue r;
        rt_report_reset(rt);
        if (rt_call(rt, "zoo", zoo(CASES[i].mode), 7, &r)) fail_msg("%s", rt_error(rt));
        reported(CASES[i].check, true);
        rt_value_clear(&r);
    }
}

/* ---- each finding of the host side, and a call close to it that must not have it */

static void one_arg(const char *kernel, const char *lib, int n_kernels, const char *fn, RtValue arg, int infer_wrong) {
    RtValue args[2] = {arg, {0}}, r;
    int n = 1;
    load(kernel, lib, n_kernels);
    int *wrong = dlsym(rt->host_lib, "zoo_infer_wrong");
    assert_non_null(wrong);
    *wrong = infer_wrong;
    if (!strcmp(fn, "add")) args[n++] = arg.u.tensor->size[0] ? y23() : tensor_of(wrap("float32", 2, (int64_t[]){0, 3}, (int64_t[]){3, 1}, Y, 0));
    if (!strcmp(fn, "pair")) args[n++] = (RtValue){.kind = RT_INT, .u.i = infer_wrong ? 5 : 6};
    if (rt_call(rt, fn, args, n, &r)) fail_msg("%s: %s", fn, rt_error(rt));
    rt_value_clear(&r);
    *wrong = 0;
}
static void zoo_mode(int64_t mode) {
    RtValue r;
    load("zoo_custom", "zoo", 1);
    if (rt_call(rt, "zoo", zoo(mode), 7, &r)) fail_msg("%s", rt_error(rt));
    rt_value_clear(&r);
}
static void add_with(int infer_wrong) { one_arg("add_custom", "add", 2, "add", x23(), infer_wrong); }
static void add_fn(const char *fn) { one_arg("add_custom", "add", 2, fn, x23(), 0); }
static void zoo_fn(const char *fn) { one_arg("zoo_custom", "zoo", 1, fn, x23(), 0); }
static void save_to(size_t capacity) {
    unsigned char bytes[48];
    load("add_custom", "add", 2);
    size_t (*layout)(unsigned char *, size_t, int);
    *(void **)&layout = dlsym(rt->host_lib, "zoo_layout");
    layout(bytes, capacity, 0);
}
static void mode_0(void) { zoo_mode(0); }
static void mode_no_size(void) { zoo_mode(6); }
static void mode_no_workspace(void) { zoo_mode(7); }
static void mode_wrong_attr(void) { zoo_mode(9); }
static void mode_short(void) { zoo_mode(12); }
static void mode_large(void) { zoo_mode(13); }
static void add_right(void) { add_with(0); }
static void add_infer_fails(void) { add_with(1); }
static void add_infer_type(void) { add_with(2); }
static void add_wrong_shape(void) { add_fn("wrong_shape_output"); }
static void add_empty(void) { one_arg("add_custom", "add", 2, "add", tensor_of(wrap("float32", 2, (int64_t[]){0, 3}, (int64_t[]){3, 1}, X, 0)), 0); }
static void twice_it(void) { one_arg("twice_custom", "twice", 1, "twice", x23(), 0); }
static void int_for_bool(void) { zoo_fn("int_flag"); }
static void float_for_double(void) { zoo_fn("float_scale"); }
static void right_types(void) { zoo_fn("null_name"); }
static void of_nobody(void) { add_fn("not_from_kernel"); }
static void same_tensor(void) { add_fn("identity"); }
static void of_the_kernel(void) { add_fn("copy_of_result"); }
static void cast_there(void) { add_fn("cast"); }
static void cast_nothing(void) { add_fn("uncast"); }
static void pair_overlapping(void) { one_arg("pair_custom", "pair", 1, "pair", x23(), 1); }
static void pair_apart(void) { one_arg("pair_custom", "pair", 1, "pair", x23(), 0); }
static void save_too_small(void) { save_to(39); }
static void save_fits(void) { save_to(40); }

static const struct {
    const char *check;
    void (*trip)(void), (*miss)(void);
} FINDING_PAIRS[] = {
    {"tiling-data-empty", mode_no_size, mode_0}, {"tiling-data-size", mode_short, mode_0}, {"tiling-data-over-2048", mode_large, mode_short},
    {"workspace-size-unset", mode_no_workspace, mode_0}, {"attr-type", mode_wrong_attr, mode_0}, {"infer-shape-mismatch", add_wrong_shape, add_right},
    {"infer-shape-failed", add_infer_fails, add_right}, {"infer-dtype-mismatch", add_infer_type, add_right}, {"infer-shape-absent", twice_it, add_right},
    {"attr-abi", int_for_bool, right_types}, {"attr-abi", float_for_double, right_types}, {"output-not-from-kernel", of_nobody, of_the_kernel},
    {"output-is-input", same_tensor, of_the_kernel}, {"binding-cast", cast_there, cast_nothing}, {"empty-output", add_empty, add_right},
    {"tiling-buffer-too-small", save_too_small, save_fits}, {"outputs-overlap", pair_overlapping, pair_apart},
};

static void each_finding_trips_and_its_neighbour_does_not(void **state) {
    (void)state;
    static const char *const IDS[] = {
#define FINDING(id, check, ...) check,
#include "runtime/findings.def"
#undef FINDING
    };
    const size_t n = sizeof FINDING_PAIRS / sizeof FINDING_PAIRS[0];
    for (size_t i = 0; i < n; i++) {
        rt_report_reset(rt);
        FINDING_PAIRS[i].trip();
        reported(FINDING_PAIRS[i].check, true);
        rt_report_reset(rt);
        FINDING_PAIRS[i].miss();
        reported(FINDING_PAIRS[i].check, false);
    }
    for (size_t k = 0; k < sizeof IDS / sizeof IDS[0]; k++) {
        bool found = false;
        for (size_t i = 0; i < n && !found; i++) found = !strcmp(FINDING_PAIRS[i].check, IDS[k]);
        if (!found) fail_msg("no pair for %s", IDS[k]);
    }
}

/* ---- what bindings get wrong */

static void wrong_arguments_of_exec_are_named(void **state) {
    (void)state;
    static const struct {
        const char *fn, *part;
    } CASES[] = {
        {"too_few", "aclnnAddCustom takes 3 arguments (inputs x, y; outputs z), but EXEC_NPU_CMD passes 2"},
        {"undefined_input", "argument 2: required input 'y' is an undefined tensor"},
        {"number_input", "input 'y' is a tensor, but double was passed"},
        {"cpu_output", "output 'z' is a CPU tensor"},
        {"strided_output", "output 'z' is not contiguous"},
        {"builtin", "aclnnRelu is not the operator of this description (aclnnAddCustom)"},
    };
    load("add_custom", "add", 2);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        RtValue args[] = {x23()};
        fails_with(CASES[i].fn, args, 1, "exec: ", CASES[i].part);
    }
}

static void traps_of_the_c_interface_are_named(void **state) {
    (void)state;
    static const struct {
        const char *fn, *part;
    } CASES[] = {
        {"int_scale", "attribute 'scale' is Float, for which the generated aclnn function takes double, but the C++ variable is int; the operator "
                      "would see garbage: declare the variable as double"},
        {"int_mode", "the C++ variable is int;"},
        {"double_mode", "the C++ variable is double;"},
        {"string_name", "pass a const char* variable"},
        {"vector_dims", "declare the variable as at::IntArrayRef"},
    };
    load("zoo_custom", "zoo", 1);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        RtValue args[] = {x23()};
        fails_with(CASES[i].fn, args, 1, "exec: aclnnZooCustom argument ", CASES[i].part);
    }
    RtValue args[] = {x23()}, r;
    assert_int_equal(rt_call(rt, "int_flag", args, 1, &r), 0);
    assert_true(floats(&r)[2] == 0); /* 256 has a zero low byte */
    reported("attr-abi", true);
    rt_value_clear(&r);
}

static void float_for_double_arrives_as_zero(void **state) {
    (void)state;
    RtValue args[] = {x23()}, r;
    load("zoo_custom", "zoo", 1);
    if (rt_call(rt, "float_scale", args, 1, &r)) fail_msg("%s", rt_error(rt));
    assert_true(floats(&r)[1] == 0);
    reported("attr-abi", true);
    rt_value_clear(&r);
}

static void null_text_and_list_take_the_defaults(void **state) {
    (void)state;
    RtValue args[] = {x23()}, r;
    load("zoo_custom", "zoo", 1);
    if (rt_call(rt, "null_name", args, 1, &r)) fail_msg("%s", rt_error(rt));
    assert_true(floats(&r)[3] == 'n'); /* "none" */
    assert_true(floats(&r)[4] == 3 && floats(&r)[5] == 9);
    rt_value_clear(&r);
}

static void dtypes_and_layouts_are_checked(void **state) {
    (void)state;
    uint16_t half[6] = {0};
    load("add_custom", "add", 2);
    RtValue args[3] = {x23(), tensor_of(wrap("float16", 2, (int64_t[]){2, 3}, (int64_t[]){3, 1}, half, sizeof half))};
    fails_with("add", args, 2, "exec: ", "no dtype combination for x float32[2, 3], y float16[2, 3], z float32[2, 3]; it declares "
                                         "(x float32, y float32, z float32), (x float16, y float16, z float16)");
    for (int i = 0; i < 2; i++) args[i] = tensor_of(wrap("float16", 2, (int64_t[]){2, 3}, (int64_t[]){3, 1}, half, sizeof half));
    fails_with("add", args, 2, "launch: ", "no kernel was built for dtype combination 1");
    args[0] = x23();
    args[1] = x23_strided();
    args[2] = x23();
    fails_with("add_into", args, 3, "exec: ", "input 'y' of AddCustom is not contiguous (shape [2, 3], strides [1, 2])");
}

static void empty_outputs_are_not_launched(void **state) {
    (void)state;
    RtValue args[2], r;
    load("add_custom", "add", 2);
    for (int i = 0; i < 2; i++) args[i] = tensor_of(wrap("float32", 2, (int64_t[]){0, 3}, (int64_t[]){3, 1}, X, 0));
    if (rt_call(rt, "add", args, 2, &r)) fail_msg("%s", rt_error(rt));
    assert_int_equal(owh_tensor_numel(r.u.tensor), 0);
    reported("empty-output", true);
    reported("output-not-from-kernel", false);
    assert_non_null(strstr(rt_report_json(rt), "\"launches\":[]"));
    rt_value_clear(&r);
}

static void exceptions_of_the_binding_become_texts(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    RtValue args[] = {x23()};
    fails_with("checked", args, 1, "binding: ", "x must be 3D, got [2, 3] of Float on npu:0");
    fails_with("throws", NULL, 0, "binding: ", "index 7");
    fails_with("throws_int", NULL, 0, "binding: ", "not a std::exception");
    fails_with("undefined_sizes", NULL, 0, "binding: ", "undefined");
    fails_with("no_such", NULL, 0, "type: ", "no_such");
    args[0] = x23();
    fails_with("add", args, 1, "type: ", "incompatible");
}

static void values_of_every_kind_pass_both_ways(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    RtValue list = {.kind = RT_INTS, .n = 2, .u.ints = owh_alloc(16)}, r;
    list.u.ints[1] = -4;
    RtValue args[] = {{.kind = RT_INT, .u.i = 41}, {.kind = RT_INT, .u.i = 2}, list, {.kind = RT_NONE}, {.kind = RT_STR, .u.str = strdup("s")}};
    if (rt_call(rt, "many", args, 5, &r)) fail_msg("%s", rt_error(rt));
    assert_int_equal(r.kind, RT_TUPLE);
    assert_int_equal(r.n, 7);
    assert_int_equal(r.u.items[0].u.i, 42);
    assert_true(r.u.items[1].kind == RT_FLOAT && r.u.items[1].u.f == 2.0);
    assert_true(r.u.items[2].kind == RT_INTS && r.u.items[2].n == 2 && r.u.items[2].u.ints[1] == -4);
    assert_int_equal(r.u.items[3].kind, RT_NONE);
    assert_string_equal(r.u.items[4].u.str, "s");
    assert_true(r.u.items[5].kind == RT_FLOATS && r.u.items[5].u.floats[0] == 0.5);
    assert_int_equal(r.u.items[6].kind, RT_BOOL);
    rt_value_clear(&r);
    RtValue t = {.kind = RT_TENSORS, .n = 2, .u.items = owh_alloc(2 * sizeof(RtValue))};
    t.u.items[0] = x23();
    t.u.items[1] = y23();
    if (rt_call(rt, "tensors", &t, 1, &r)) fail_msg("%s", rt_error(rt));
    assert_int_equal(r.kind, RT_TENSORS);
    assert_ptr_equal(r.u.items[1].u.tensor->storage, Y);
    rt_value_clear(&r);
}

static void overloads_are_tried_in_order(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    RtValue args[2] = {x23()}, r;
    static const char *const WANT[] = {"tensor", "int", "0"};
    for (int i = 0; i < 3; i++) {
        if (i == 1) args[0] = (RtValue){.kind = RT_INT, .u.i = 1};
        if (i == 2) args[0] = (RtValue){.kind = RT_INTS, .u.ints = owh_alloc(0)}, args[1] = (RtValue){.kind = RT_BOOL};
        assert_int_equal(rt_call(rt, "over", args, i == 2 ? 2 : 1, &r), 0);
        assert_string_equal(r.u.str, WANT[i]);
        rt_value_clear(&r);
    }
    args[0] = (RtValue){.kind = RT_STR, .u.str = strdup("no")};
    fails_with("over", args, 1, "type: ", "over()");
}

static void signatures_are_known(void **state) {
    (void)state;
    load("add_custom", "add", 2);
    for (int i = 0; i < rt_n_functions(rt); i++) {
        if (strcmp(rt_function_name(rt, i), "zoo")) continue;
        const char *json = rt_function_params_json(rt, i);
        assert_non_null(strstr(json, "{\"name\":\"x\",\"named\":true,\"type\":\"torch.Tensor\"}"));
        assert_non_null(strstr(json, "\"type\":\"torch.Tensor | None\",\"default\":null"));
        assert_non_null(strstr(json, "\"default\":[4,5]"));
        assert_string_equal(rt_function_result(rt, i), "torch.Tensor");
        return;
    }
    fail_msg("zoo is not exported");
}

static void loading_the_wrong_things_fails(void **state) {
    (void)state;
    const char *const sos[] = {built("add")};
    assert_int_not_equal(rt_load_op(rt, "/nowhere/host.so", "add_custom", sos, 1), 0);
    assert_non_null(strstr(rt_error(rt), "host: /nowhere/host.so"));
    assert_int_not_equal(rt_load_op(rt, built("host"), "mul_custom", sos, 1), 0);
    assert_non_null(strstr(rt_error(rt), "AddCustom (kernel add_custom)"));
    assert_int_not_equal(rt_load_op(rt, built("host"), "add_custom", sos, 1), 0);
    assert_non_null(strstr(rt_error(rt), "declares 2 dtype combinations in host_operator_src, project_json_src lists 1"));
    assert_int_not_equal(rt_load_binding(rt, built("add")), 0);
    assert_non_null(strstr(rt_error(rt), "no PYBIND11_MODULE"));
}

static void tiling_data_has_the_vendors_layout(void **state) {
    (void)state;
    /* c at 0, d at 8, e at 16, f at 18..23, g at 24 (a 24, b 26, padded to 8), h at 32, padded to 40 */
    static const unsigned char WANT[40] = {
        0x11, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0xFE, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66,
        0xAA, 0, 0xCC, 0xBB, 0, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0};
    unsigned char got[48];
    load("add_custom", "add", 2);
    size_t (*layout)(unsigned char *, size_t, int);
    *(void **)&layout = dlsym(rt->host_lib, "zoo_layout");
    assert_non_null(layout);
    memset(got, 0x5A, sizeof got);
    assert_int_equal(layout(got, 40, 0), 40);
    assert_memory_equal(got, WANT, 40);
    assert_int_equal(got[40], 0x5A);
    assert_int_equal(layout(got, 40, 1), 40); /* a copy has its own members */
    assert_int_equal(got[0], 0x77);
    assert_int_equal(got[26], 0x34);
    memset(got, 0x5A, sizeof got);
    layout(got, 39, 0); /* too small: nothing is copied, and said */
    assert_int_equal(got[0], 0x5A);
    reported("tiling-buffer-too-small", true);
}

static void the_trail_names_the_stage(void **state) {
    (void)state;
    const char *path = arena_printf(arena, "%s/trail", dir);
    Err err = {0};
    size_t n = 0;
    assert_int_equal(rt_set_trail(rt, path), 0);
    load("add_custom", "add", 2);
    fails_with("throws", NULL, 0, "binding: ", "index 7");
    rt_trail(rt, "python_bind_src", "add");
    const SimTrail *t = (const SimTrail *)(const void *)fs_read(arena, path, &n, &err);
    assert_true(n >= sizeof *t);
    assert_string_equal(t->file, "python_bind_src");
    assert_string_equal(t->api, "add");
    assert_int_not_equal(rt_set_trail(rt, "/nowhere/trail"), 0);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, open_rt, close_rt)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(add_adds), TEST(copies_and_views_of_results_count_as_the_kernels), TEST(results_of_nobody_are_found),
        TEST(an_in_place_operator_changes_its_input), TEST(tiling_sees_shapes_attributes_and_the_chip),
        TEST(strided_inputs_are_copied_when_auto_contiguous), TEST(tiling_failures_are_named), TEST(tiling_mistakes_are_found),
        TEST(each_finding_trips_and_its_neighbour_does_not), TEST(wrong_arguments_of_exec_are_named), TEST(traps_of_the_c_interface_are_named), TEST(float_for_double_arrives_as_zero), TEST(null_text_and_list_take_the_defaults),
        TEST(dtypes_and_layouts_are_checked), TEST(empty_outputs_are_not_launched), TEST(exceptions_of_the_binding_become_texts),
        TEST(values_of_every_kind_pass_both_ways), TEST(overloads_are_tried_in_order), TEST(signatures_are_known),
        TEST(loading_the_wrong_things_fails), TEST(tiling_data_has_the_vendors_layout), TEST(the_trail_names_the_stage),
    };
    if (system("${CXX:-g++} --version >/dev/null 2>&1") != 0) {
        fprintf(stderr, "SKIPPED: no C++ compiler, calls are not tested\n");
        return 0;
    }
    /* EXEC_NPU_CMD is reached from libraries only: name it, so that the linker keeps it. */
    int (*volatile keep)(const char *, const OwhArg *, size_t) = owh_exec;
    if (!keep) return 1;
    return cmocka_run_group_tests(tests, build_zoo, remove_zoo);
}
