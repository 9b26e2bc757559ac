/* Precompiled headers: made once, found again, made anew when a header changes, and never a stand-in for an #include. */
#include "verify/compile.h"

#include "base/fs.h"
#include "verify/lang.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static Arena *a;
static char *dir;

static int make_dir(void **state) {
    Err err = {0};
    (void)state;
    a = arena_new();
    dir = fs_temp_dir(a, "opwright-test", &err);
    return dir && setenv("XDG_CACHE_HOME", arena_printf(a, "%s/cache", dir), 1) == 0 ? 0 : 1;
}

static int remove_dir(void **state) {
    (void)state;
    fs_remove_tree(dir);
    arena_free(a);
    return 0;
}

static void write_at(const char *path, const char *text) {
    Err err = {0};
    assert_true(fs_make_dirs(arena_strndup(a, path, (size_t)(strrchr(path, '/') - path)), &err));
    assert_true(fs_write(path, text, strlen(text), &err));
}

/* A home with small headers of its own, for the real compiler. */
static Toolchain small_home(const char *name) {
    Toolchain t = {0};
    Err err = {0};
    const char *home = arena_printf(a, "%s/%s", dir, name);
    assert_true(toolchain_find(a, home, dir, &t, &err));
    t.clang = lang_clang(a);
    write_at(arena_printf(a, "%s/device/kernel_operator.h", home), "#pragma once\ninline int kernel_side() { return 1; }\n");
    write_at(arena_printf(a, "%s/hostapi/host/register/op_def_registry.h", home), "#pragma once\ninline int host_side() { return 2; }\n");
    write_at(arena_printf(a, "%s/hostapi/torch/torch/extension.h", home), "#pragma once\ninline int binding_side() { return 3; }\n");
    return t;
}

static bool has(const char *const *argv, const char *word) {
    for (; *argv; argv++)
        if (!strcmp(*argv, word)) return true;
    return false;
}

/* Exit status of the compiler over a text. */
static int compile(const Toolchain *t, CompileSide side, const char *text) {
    Proc p;
    ProcResult r;
    Err err = {0};
    write_at(arena_printf(a, "%s/x.cpp", dir), text);
    assert_true(proc_start(&p, compile_command(a, t, side, dir, "x", text), dir, &err));
    assert_true(proc_wait(&p, a, 120, &r, &err));
    if (r.exit_code) printf("%s", r.output);
    return r.exit_code;
}

static void test_made_once_and_again_when_changed(void **state) {
    (void)state;
    Toolchain t = small_home("changing");
    const char *first = headers_folder(a, &t);
    assert_non_null(first);
    for (CompileSide side = 0; side < N_SIDES; side++)
        if (side != SIDE_LANG || t.clang) assert_true(fs_exists(headers_file(a, first, side)));
    struct stat before, after;
    const char *made = arena_printf(a, "%s.%s", headers_file(a, first, SIDE_HOST), strstr(t.version, "clang") ? "pch" : "gch");
    assert_int_equal(stat(made, &before), 0);
    assert_string_equal(headers_folder(a, &t), first);
    assert_int_equal(stat(made, &after), 0);
    assert_true(before.st_ino == after.st_ino);

    write_at(arena_printf(a, "%s/device/kernel_operator.h", t.home), "#pragma once\ninline int kernel_side_now() { return 1; }\n");
    const char *second = headers_folder(a, &t);
    assert_non_null(second);
    assert_string_not_equal(second, first);
    t.headers = second;
    assert_int_equal(compile(&t, SIDE_KERNEL, "#include \"kernel_operator.h\"\nint x() { return kernel_side_now(); }\n"), 0);
}

static void test_every_side_compiles_with_them(void **state) {
    (void)state;
    static const char *const TEXT[N_SIDES] = {[SIDE_KERNEL] = "#include \"kernel_operator.h\"\nint x() { return kernel_side(); }\n",
                                              [SIDE_HOST] = "# include <register/op_def_registry.h>\nint x() { return host_side(); }\n",
                                              [SIDE_BINDING] = "  #include <torch/extension.h>\nint x() { return binding_side(); }\n",
                                              [SIDE_LANG] = "#include \"kernel_operator.h\"\nint x() { return kernel_side(); }\n"};
    Toolchain t = small_home("sides");
    t.headers = headers_folder(a, &t);
    assert_non_null(t.headers);
    for (CompileSide side = 0; side < N_SIDES; side++) {
        if (side == SIDE_LANG && !t.clang) continue;
        assert_true(has(compile_command(a, &t, side, dir, "x", TEXT[side]), headers_file(a, t.headers, side)));
        assert_int_equal(compile(&t, side, TEXT[side]), 0);
        assert_true(fs_exists(compile_output(a, side, dir, "x")));
    }
}

/* A section that forgets its #include, or names it in a comment alone, is refused as it is without the cache. */
static void test_no_stand_in_for_an_include(void **state) {
    (void)state;
    static const char *const FORGETS[] = {"int x() { return kernel_side(); }\n",
                                          "// kernel_operator.h is needed\nint x() { return kernel_side(); }\n",
                                          "const char *s = \"kernel_operator.h\"; int x() { return kernel_side(); }\n",
                                          "#include <cmath> // not \"my_kernel_operator.h\"\nint x() { return kernel_side(); }\n"};
    Toolchain t = small_home("forgets");
    t.headers = headers_folder(a, &t);
    for (size_t i = 0; i < sizeof FORGETS / sizeof FORGETS[0]; i++) {
        assert_false(has(compile_command(a, &t, SIDE_KERNEL, dir, "x", FORGETS[i]), "-include"));
        assert_int_not_equal(compile(&t, SIDE_KERNEL, FORGETS[i]), 0);
    }
}

static void test_few_stay(void **state) {
    (void)state;
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    const char *parent = arena_printf(a, "%s/cache/opwright/headers", dir), *name[8];
    for (size_t i = 0; i < 8; i++) {
        name[i] = arena_printf(a, "%s/old-%zu", parent, i);
        write_at(arena_printf(a, "%s/whole", name[i]), "");
        assert_int_equal(utimensat(AT_FDCWD, name[i], old, 0), 0);
    }
    Toolchain t = small_home("another");
    const char *folder = headers_folder(a, &t);
    assert_non_null(folder);
    assert_true(fs_exists(folder));
    size_t n = 0;
    for (size_t i = 0; i < 8; i++) n += fs_exists(name[i]);
    assert_true(n < 4);
}

static void test_builds_go_on_without_a_cache(void **state) {
    (void)state;
    Toolchain t = small_home("nowhere");
    write_at(arena_printf(a, "%s/file", dir), "");
    assert_int_equal(setenv("XDG_CACHE_HOME", arena_printf(a, "%s/file", dir), 1), 0);
    assert_null(headers_folder(a, &t));
    assert_null(headers_folder(a, &t));
    t.headers = NULL;
    assert_int_equal(compile(&t, SIDE_KERNEL, "#include \"kernel_operator.h\"\nint x() { return kernel_side(); }\n"), 0);
    t.debug = true; /* another optimisation: never with them */
    assert_int_equal(setenv("XDG_CACHE_HOME", arena_printf(a, "%s/cache", dir), 1), 0);
    assert_null(headers_folder(a, &t));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_made_once_and_again_when_changed), cmocka_unit_test(test_every_side_compiles_with_them),
        cmocka_unit_test(test_no_stand_in_for_an_include), cmocka_unit_test(test_few_stay),
        cmocka_unit_test(test_builds_go_on_without_a_cache)};
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
