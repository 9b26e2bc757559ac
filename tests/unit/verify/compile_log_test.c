/* Compiler output of both families to diagnostics: place in the user's section, source line, hint, and the
 * difference between a fault of the description and a gap of our headers. */
#include "verify/verify_int.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

static Desc make_desc(void) {
    Desc d = {.path = "t.py", .op = "AddCustom", .kernel_name = "add_custom"};
    for (int i = 0; i < DESC_N_SOURCES; i++) d.source[i] = "";
    d.source[DESC_KERNEL] = "#include \"kernel_operator.h\"\nvoid f() {\n    Foo(x);\n}\n";
    d.source[DESC_HOST_OPERATOR] = "int a;\n\tint b\r\n";
    d.source[DESC_PYTHON_BIND] = "x\ny\n";
    return d;
}

typedef struct Case {
    const char *output, *source, *text; /* text: what must be part of it */
    int line, column;
    size_t n;
    bool not_modelled;
} Case;

static const Case CASES[] = {
    {"kernel_src: In function 'void f()':\nkernel_src:3:5: error: 'Foo' was not declared in this scope\n",
     "kernel_src", "'Foo' was not declared in this scope\n    Foo(x);", 3, 5, 1, false},
    {"host_operator_src:2:7: error: expected ';' before 'int'\n", "host_operator_src", "\n    int b", 2, 7, 1,
     false},
    /* g++: the user's line comes before an error in our header */
    {"In file included from kernel_src:1:\n/h/device/ow/vector.h: In instantiation of 'void AscendC::Add(T) "
     "[with T = double]':\n"
     "kernel_src:3:9:   required from here\n/h/device/ow/vector.h:40:5: error: static assertion failed: no "
     "such type\n"
     "/h/device/ow/vector.h:40:5: note: 'x' evaluates to false\n",
     "kernel_src", "static assertion failed: no such type", 3, 9, 1, false},
    /* clang++: after it */
    {"/h/device/ow/vector.h:40:5: error: static assertion failed: no such type\n"
     "kernel_src:3:9: note: in instantiation of function template specialization 'AscendC::Add<double>' "
     "requested here\n1 error generated.\n",
     "kernel_src", "static assertion failed", 3, 9, 1, false},
    /* a macro of our headers: the note behind the error has the line, the #include line is no help */
    {"In file included from /h/hostapi/torch/pytorch_npu_helper.hpp:3,\n                 from "
     "python_bind_src:1:\n"
     "/h/hostapi/torch/ow/exec.h:9:5: error: expected ';' before 'do'\npython_bind_src:2:5: note: in "
     "expansion of macro 'EXEC_NPU_CMD'\n",
     "python_bind_src", "expected ';' before 'do'\n    y", 2, 5, 1, false},
    /* candidates and notes are no errors of their own */
    {"kernel_src:3:5: error: no matching function for call to 'Add(int)'\n/h/device/ow/vector.h:1:1: note: "
     "candidate: 'void Add()'\n"
     "/h/device/ow/vector.h:1:1: note:   candidate expects 0 arguments, 1 provided\n",
     "kernel_src", "no matching function", 3, 5, 1, false},
    {"kernel_src:3:5: error: a\nkernel_src:2:1: error: b\n", "kernel_src", "a", 3, 5, 2, false},
    {"kernel_src:1:10: fatal error: my/own.h: No such file or directory\ncompilation terminated.\n",
     "kernel_src", "my/own.h", 1, 10, 1, false},
    {"kernel_src:1:10: fatal error: lib/matmul_intf.h: No such file or directory\ncompilation terminated.\n",
     "kernel_src", "lib/matmul_intf.h", 1, 10, 1, true},
    {"kernel_src:1:10: fatal error: 'lib/matmul_intf.h' file not found\n", "kernel_src", "lib/matmul_intf.h",
     1, 10, 1, true},
    {"kernel_src:3:5: error: 'AllReduce' is not a member of 'AscendC'\n", "kernel_src", "AllReduce", 3, 5,
     1, true},
    {"kernel_src:3:5: error: 'class AscendC::LocalTensor<float>' has no member named 'AllReduce'\n",
     "kernel_src", "", 3, 5, 1, true},
    {"kernel_src:3:14: error: no member named 'AllReduce' in namespace 'AscendC'\n", "kernel_src", "", 3, 14,
     1, true},
    {"kernel_src:3:5: error: 'AllReducex' is not a member of 'AscendC'\n", "kernel_src", "", 3, 5, 1, false},
    /* our headers have the name, so it is only used wrongly */
    {"kernel_src:3:5: error: 'LocalTensor' was not declared in this scope\n", "kernel_src", "", 3, 5, 1,
     false},
    {"python_bind_src:2:7: error: 'index_copy_unheard_of' is not a member of 'at'\n", "python_bind_src", "",
     2, 7, 1, true},
    {"python_bind_src:2:7: error: 'foo' was not declared in this scope\n", "python_bind_src", "", 2, 7, 1,
     false},
    {"/usr/bin/ld: k.o: in function `f':\nkernel_0.cpp:(.text+0x9): undefined reference to `g'\ncollect2: "
     "error: ld returned 1 exit status\n",
     NULL, "undefined reference", 0, 0, 1, false},
    {"g++: internal compiler error: Segmentation fault signal terminated program cc1plus\n", NULL, NULL, 0, 0,
     0, false},
    {"", NULL, NULL, 0, 0, 0, false},
    {"::: :1:2:3 error\nkernel_src:0:0: error: x\nkernel_src:99999999999999999999:1: error: y\n", NULL, "", 0,
     0, 1, false},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        const Case *c = &CASES[i];
        Desc d = make_desc();
        DiagList list = {.arena = arena_new()};
        assert_int_equal(compile_log_parse(&d, OPWRIGHT_SOURCE_DIR, c->output, &list), c->n);
        print_message("case %zu: %zu %s\n", i, list.n, list.n ? list.at[0].text : "");
        assert_int_equal(list.n, c->n);
        if (c->n == 0) {
            arena_free(list.arena);
            continue;
        }
        const Diag *g = &list.at[0];
        if (c->source) {
            assert_string_equal(g->source, c->source);
            assert_int_equal(g->line, c->line);
            assert_int_equal(g->column, c->column);
        }
        assert_non_null(strstr(g->text, c->text));
        assert_int_equal(g->not_modelled, c->not_modelled);
        assert_non_null(g->text_zh);
        arena_free(list.arena);
    }
}

/* A flood of errors is cut. */
static void test_flood(void **state) {
    (void)state;
    Desc d = make_desc();
    DiagList list = {.arena = arena_new()};
    char *text = arena_alloc(list.arena, 400 * 40);
    for (int i = 1; i <= 400; i++)
        strcat(text, arena_printf(list.arena, "kernel_src:%d:1: error: e%d\n", i, i));
    compile_log_parse(&d, OPWRIGHT_SOURCE_DIR, text, &list);
    assert_true(list.n >= 10 && list.n <= 20);
    arena_free(list.arena);
}

static void test_folding(void **state) {
    (void)state;
    DiagList list = {.arena = arena_new()};
    Diag d = {.check = "gm-out-of-bounds",
              .severity = DIAG_WARNING,
              .source = "kernel_src",
              .line = 4,
              .count = 3,
              .text = "a"};
    diag_add(&list, &d);
    d.severity = DIAG_ERROR;
    diag_add(&list, &d);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.at[0].count, 6);
    assert_int_equal(list.at[0].severity, DIAG_ERROR);
    d.line = 5;
    diag_add(&list, &d);
    d.check = "other";
    diag_add(&list, &d);
    assert_int_equal(list.n, 3);
    assert_int_equal(diag_count(&list, DIAG_ERROR), 3);
    arena_free(list.arena);
}

/* An unknown name of the API is answered with those like it. */
static void test_names_like_it(void **state) {
    (void)state;
    static const struct {
        const char *name, *like;
    } NAMES[] = {{"DatCopy", "DataCopy"}, {"Sigmod", "Sigmoid"}, {"ReduceSun", "ReduceSum"}, {"VecAdd", "Add"}, {"SyncFunc", "SyncAll"}, {"datacopypad", "DataCopyPad"}, {"Qqqqq", NULL}};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++) {
        Desc d = make_desc();
        DiagList list = {.arena = arena_new()};
        const char *log = arena_printf(list.arena, "kernel_src:3:14: error: '%s' is not a member of 'AscendC'\n", NAMES[i].name);
        assert_int_equal(compile_log_parse(&d, OPWRIGHT_SOURCE_DIR, log, &list), 1);
        bool offered = strstr(list.at[0].hint, "names of the API like it:") != NULL;
        assert_int_equal(offered, NAMES[i].like != NULL);
        if (offered) {
            assert_non_null(strstr(list.at[0].hint, NAMES[i].like));
            assert_non_null(strstr(list.at[0].hint_zh, NAMES[i].like));
        }
        arena_free(list.arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases), cmocka_unit_test(test_flood),
                                       cmocka_unit_test(test_folding), cmocka_unit_test(test_names_like_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
