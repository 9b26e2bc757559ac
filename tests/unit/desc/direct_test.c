/* The form of direct-launch descriptions: what is taken, what is inferred, what is refused, and the rules of their files. */
#include "desc/direct.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MODEL   "{\"path\":\"ModelNew.py\",\"content\":\"import x\\n\"}"
#define KERNEL  "{\"path\":\"./k//a.cpp\",\"content\":\"void f() { k<float><<<8, nullptr, s>>>(x); }\"}"
#define BINDING "{\"path\":\"k/b.cpp\",\"content\":\"PYBIND11_MODULE(ops, m) {}\"}"

static void what_is_not_said_is_inferred(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    static const char TEXT[] = "```json\n{\"sources\":[" MODEL "," KERNEL "," BINDING ",{\"path\":\"k/h.h\"},{\"path\":\"s/notes.txt\"}]}\n```\n";
    assert_true(direct_is(TEXT));
    DirectDesc *d = direct_parse(a, TEXT, &err);
    if (!d) fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(d->n_sources, 5);
    assert_string_equal(d->sources[1].path, "k/a.cpp");
    assert_int_equal(d->sources[1].role, DIRECT_KERNEL);
    assert_int_equal(d->sources[2].role, DIRECT_BINDING);
    assert_int_equal(d->sources[3].role, DIRECT_OTHER);
    assert_string_equal(d->module, "ops");
    assert_string_equal(d->build_dir, "k/build");
    assert_string_equal(d->model_path, "ModelNew.py");
    assert_string_equal(d->model_class, "ModelNew");
    assert_int_equal(d->n_include_dirs, 3); /* the root, k, s */
    assert_string_equal(d->include_dirs[0], "");
    size_t n;
    assert_true(direct_check(a, d, NULL, &n) == NULL || n == 0);
    arena_free(a);
}

static void what_is_said_counts(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    DirectDesc *d = direct_parse(a,
                                 "{\"entry\":{\"model\":\"m/x.py::Net\"},\"build\":{\"kernel_sources\":[\"k/a.cpp\"],\"binding_sources\":[\"k/b.cpp\"],"
                                 "\"include_dirs\":[\".\",\"inc\"],\"module_name\":\"other\",\"build_dir\":\"out\"},"
                                 "\"sources\":[" KERNEL "," BINDING ",{\"path\":\"m/x.py\",\"content\":\"\"},{\"path\":\"spare.cpp\"}]}",
                                 &err);
    if (!d) fail_msg("%s: %s", err.where, err.message);
    assert_int_equal(d->sources[3].role, DIRECT_OTHER); /* not named, so not built */
    assert_string_equal(d->module, "other");
    assert_string_equal(d->build_dir, "out");
    assert_string_equal(d->model_class, "Net");
    assert_int_equal(d->n_include_dirs, 2);
    arena_free(a);
}

static void other_files_are_not_of_this_form(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"", "x = 1\n", "{}", "{\"sources\":{}}", "[{\"op\":\"A\"}]", "{\"sources\":[", "project_json_src = '''[{}]'''", "```\n{\"a\":1}\n```", "```json {"};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) assert_false(direct_is(TEXTS[i]));
}

static const struct {
    const char *text, *field;
} REFUSED[] = {
    {"{\"sources\":[]}", "sources"},
    {"{\"sources\":[3]}", "sources[0].path"},
    {"{\"sources\":[{\"path\":\"/etc/x.cpp\"}]}", "sources[0].path"},
    {"{\"sources\":[{\"path\":\"a/../../x.cpp\"}]}", "sources[0].path"},
    {"{\"sources\":[{\"path\":\"a\\nb.cpp\"}]}", "sources[0].path"},
    {"{\"sources\":[{\"path\":\".\"}]}", "sources[0].path"},
    {"{\"sources\":[" KERNEL "," KERNEL "]}", "sources[1].path"},
    {"{\"sources\":[{\"path\":\"a.cpp\",\"content\":3}]}", "sources[0].content"},
    {"{\"sources\":[" MODEL "," KERNEL "]}", "sources"},
    {"{\"sources\":[" MODEL "," BINDING "]}", "sources"},
    {"{\"sources\":[" KERNEL "," BINDING "]}", "entry.model"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"entry\":{\"model\":3}}", "entry.model"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"entry\":{\"model\":\"ModelNew.py::a b\"}}", "entry.model"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"build\":{\"build_dir\":\"../out\"}}", "build.build_dir"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"build\":{\"build_dir\":\"k/a.cpp\"}}", "build.build_dir"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"build\":{\"include_dirs\":[\"/usr\"]}}", "build.include_dirs[0]"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"build\":{\"binding_sources\":[\"k/none.cpp\"]}}", "build.binding_sources[0]"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING "],\"build\":{\"module_name\":\"a;b\"}}", "build.module_name"},
    {"{\"sources\":[" MODEL "," KERNEL "," BINDING ",{\"path\":\"c.cpp\",\"content\":\"PYBIND11_MODULE(two, m) {}\"}]}", "c.cpp"},
};

static void what_is_wrong_is_named(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof REFUSED / sizeof REFUSED[0]; i++) {
        Arena *a = arena_new();
        Err err = {0};
        if (direct_parse(a, REFUSED[i].text, &err)) fail_msg("taken: %s", REFUSED[i].text);
        assert_string_equal(err.where, REFUSED[i].field);
        assert_int_equal(err.code, ERR_BAD_INPUT);
        arena_free(a);
    }
}

static void rules_name_the_file(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    DirectDesc *d = direct_parse(a,
                                 "{\"sources\":[" MODEL ",{\"path\":\"a.cpp\",\"content\":\"// k<<<1, nullptr, s>>>(x);\\n\"},"
                                 "{\"path\":\"b.cpp\",\"content\":\"PYBIND11_MODULE(o, m) {}\\nauto f(T x) { EXEC_NPU_CMD(aclnnAdd, x); return at::add(x, x); }\"}]}",
                                 &err);
    assert_non_null(d);
    size_t n = 0;
    DescViolation *v = direct_check(a, d, NULL, &n);
    static const struct {
        const char *rule, *source;
        int line;
    } WANT[] = {{"bind-builtin-op", "b.cpp", 2}, {"bind-computes", "b.cpp", 2}, {"direct-no-launch", NULL, 0}};
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(v[i].rule, WANT[i].rule);
        assert_int_equal(v[i].line, WANT[i].line);
        assert_int_equal(v[i].kind, DESC_RULE_POLICY);
        if (WANT[i].source) assert_string_equal(v[i].source, WANT[i].source);
        else assert_null(v[i].source);
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_said_is_inferred), cmocka_unit_test(what_is_said_counts),
                                       cmocka_unit_test(other_files_are_not_of_this_form), cmocka_unit_test(what_is_wrong_is_named),
                                       cmocka_unit_test(rules_name_the_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
