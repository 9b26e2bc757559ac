/* traj.json with many writers at once, and one that is no list. */
#include "store/traj.h"

#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#define WRITERS 6
#define RECORDS 15

static void append_some(const char *path, int writer) {
    Arena *a = arena_new();
    bool ok = true;
    for (int i = 0; i < RECORDS && ok; i++) {
        Err err = {0};
        json_t *result = json_pack("{s:i, s:i}", "exit_code", writer, "i", i);
        ok = traj_append(a, path, "code", result, &err);
        json_decref(result);
    }
    arena_free(a);
    _exit(ok ? 0 : 1);
}

static void test_many_writers(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    char *dir = fs_temp_dir(a, "opwright-traj", &err);
    assert_non_null(dir);
    const char *path = arena_printf(a, "%s/traj.json", dir);
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) append_some(path, w);
    for (int w = 0; w < WRITERS; w++) {
        int status = 1;
        wait(&status);
        assert_int_equal(status, 0);
    }
    json_t *list = json_load_file(path, 0, NULL);
    assert_int_equal(json_array_size(list), WRITERS * RECORDS);
    int next[WRITERS] = {0};
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i), *result = json_object_get(o, "result");
        assert_int_equal(json_integer_value(json_object_get(o, "idx")), i);
        assert_string_equal(json_string_value(json_object_get(o, "code")), "code");
        assert_int_equal(strlen(json_string_value(json_object_get(o, "timestamp"))), 20);
        json_int_t w = json_integer_value(json_object_get(result, "exit_code"));
        assert_int_equal(json_integer_value(json_object_get(result, "i")), next[w]++);
    }
    json_decref(list);
    fs_remove_tree(dir);
    arena_free(a);
}

static void test_not_a_list(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"{}", "[1,", "3"};
    Arena *a = arena_new();
    Err err = {0};
    char *dir = fs_temp_dir(a, "opwright-traj", &err);
    assert_non_null(dir);
    const char *path = arena_printf(a, "%s/traj.json", dir);
    json_t *result = json_object();
    for (size_t i = 0; i < 3; i++) {
        assert_true(fs_write(path, TEXTS[i], strlen(TEXTS[i]), &err));
        assert_false(traj_append(a, path, "code", result, &err));
        assert_non_null(strstr(err.message, "left as it is"));
        assert_string_equal(fs_read(a, path, NULL, &err), TEXTS[i]);
    }
    json_decref(result);
    fs_remove_tree(dir);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_many_writers),
                                       cmocka_unit_test(test_not_a_list)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
