/* The index as its users see it: what changes is found, what is damaged is made again, what is asked comes
 * first. */
#include "search/search.h"

#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Fixture {
    Arena *a;
    char *dir;
    SearchPlaces places;
} Fixture;

static void put(Fixture *f, const char *path, const char *text) {
    Err err = {0};
    const char *full = arena_printf(f->a, "%s/%s", f->dir, path);
    const char *slash = strrchr(full, '/');
    assert_true(fs_make_dirs(arena_strndup(f->a, full, (size_t)(slash - full)), &err));
    assert_true(fs_write(full, text, strlen(text), &err));
}

static int setup(void **state) {
    Fixture *f = calloc(1, sizeof *f);
    Err err = {0};
    f->a = arena_new();
    f->dir = fs_temp_dir(f->a, "search", &err);
    assert_non_null(f->dir);
    setenv("OPWRIGHT_INDEX_DIR", arena_printf(f->a, "%s/索引 dir", f->dir), 1);
    put(f, "home/docs/copy.md",
        "# Copies\nDataCopy moves blocks of 32 bytes.\n## Tails\nDataCopyPad takes any number of bytes: "
        "非对齐的尾块用它搬运。\n");
    put(f, "home/docs/service.md", "# The service\nJobs wait in a queue.\n");
    put(f, "store/reference/golden_solutions/reduce_sum.py",
        "project_json_src='''[{\"op\":\"ReduceSumCustom\"}]'''\nkernel_src = '''\nWholeReduceSum(a, "
        "b);\n'''\n");
    put(f, "store/reference/golden_solutions/old_versions/x.py", "kernel_src = 'notindexed'\n");
    put(f, "store/reference/issues/add.json",
        "[{\"op\":\"add\",\"error\":\"use of undeclared identifier 'sqrtf'\",\"summary\":\"use sqrt\"}]");
    const char *home = arena_printf(f->a, "%s/home", f->dir), *store = arena_printf(f->a, "%s/store", f->dir);
    assert_true(search_places(f->a, home, store, &f->places, &err));
    *state = f;
    return 0;
}

static int teardown(void **state) {
    Fixture *f = *state;
    fs_remove_tree(f->dir);
    arena_free(f->a);
    free(f);
    return 0;
}

static SearchHits find(Fixture *f, const char *text, unsigned kinds) {
    Err err = {0};
    SearchIndex *ix = search_open(&f->places, &err);
    assert_non_null(ix);
    assert_true(search_update(ix, SEARCH_IF_STALE, NULL, &err));
    SearchHits hits;
    SearchQuery q = {.text = text, .kinds = kinds};
    assert_true(search_query(ix, f->a, &q, &hits, &err));
    search_close(ix);
    return hits;
}

static void expect_first(Fixture *f, const char *text, const char *path_end, size_t line) {
    SearchHits h = find(f, text, 0);
    assert_true(h.n > 0);
    size_t n = strlen(h.at[0].path), k = strlen(path_end);
    if (n < k || strcmp(h.at[0].path + n - k, path_end) != 0) fail_msg("`%s` gives %s", text, h.at[0].path);
    assert_true(h.at[0].first_line <= line && line <= h.at[0].last_line);
}

static void test_finds(void **state) {
    Fixture *f = *state;
    expect_first(f, "DataCopyPad", "docs/copy.md", 4);
    expect_first(f, "reduce sum", "reduce_sum.py", 1);
    expect_first(f, "ReduceSum", "reduce_sum.py", 1);
    expect_first(f, "WholeReduceSum(a, b);", "reduce_sum.py", 3);
    expect_first(f, "尾块", "docs/copy.md", 4);
    expect_first(f, "搬", "docs/copy.md", 4);
    expect_first(f, "非对齐搬运", "docs/copy.md", 4);
    expect_first(f, "尾块处理方法", "docs/copy.md", 4); /* its first words alone */
    expect_first(f, "undeclared identifier sqrtf", "issues/add.json", 1);
    expect_first(f, "educeSu", "reduce_sum.py", 1);                            /* a piece of a name */
    expect_first(f, "how are the remainder's bytes moved", "docs/copy.md", 4); /* other words for it */
    assert_int_equal(find(f, "zzzz qqqq", 0).n, 0);
    assert_int_equal(find(f, "notindexed", 0).n, 0); /* versions of a golden solution are not solutions */
    assert_int_equal(find(f, "\" OR * ( NEAR name:", 0).n, 0);
    assert_int_equal(find(f, "queue", 1u << SEARCH_GOLDEN).n, 0);
    assert_int_equal(find(f, "queue", 1u << SEARCH_DOC).n, 1);
}

static void test_follows_files(void **state) {
    Fixture *f = *state;
    assert_int_equal(find(f, "xylophone", 0).n, 0);
    put(f, "home/docs/new.md", "# New\nxylophone\n");
    assert_int_equal(find(f, "xylophone", 0).n, 1);
    put(f, "home/docs/new.md", "# New\n\n\nbassoon xylophone\n");
    SearchHits h = find(f, "bassoon", 0);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.at[0].last_line, 4);
    unlink(arena_printf(f->a, "%s/home/docs/new.md", f->dir));
    assert_int_equal(find(f, "xylophone", 0).n, 0);
    assert_int_equal(find(f, "bassoon", 0).n, 0);
}

static void test_only_what_changed_is_read(void **state) {
    Fixture *f = *state;
    Err err = {0};
    SearchStats s;
    SearchIndex *ix = search_open(&f->places, &err);
    assert_true(search_update(ix, SEARCH_IF_STALE, &s, &err));
    assert_int_equal(s.n_read, 4);
    assert_int_equal(s.n_entries[SEARCH_DOC], 3);
    assert_int_equal(s.n_entries[SEARCH_GOLDEN], 1);
    assert_int_equal(s.n_entries[SEARCH_ISSUE], 1);
    assert_true(search_update(ix, SEARCH_IF_STALE, &s, &err));
    assert_int_equal(s.n_read, 0);
    put(f, "home/docs/service.md",
        "# The service\nJobs wait in a queue.\n"); /* another time, the same text */
    assert_true(search_update(ix, SEARCH_IF_STALE, &s, &err));
    assert_int_equal(s.n_read, 1);
    assert_true(search_update(ix, SEARCH_FROM_NOTHING, &s, &err));
    assert_int_equal(s.n_read, 4);
    assert_int_equal(s.n_entries[SEARCH_DOC], 3);
    search_close(ix);
    assert_true(search_looks_fresh(&f->places));
    put(f, "home/docs/other.md", "x\n");
    assert_false(search_looks_fresh(&f->places));
}

static void test_added_folders(void **state) {
    Fixture *f = *state;
    Err err = {0};
    SearchStats s;
    const char *mine = arena_printf(f->a, "%s/我的 ops", f->dir);
    put(f, "我的 ops/deep/er/kernel.cpp", "int marimba;\n");
    put(f, "我的 ops/.git/config.md", "marimba\n");
    put(f, "我的 ops/notes.txt", "celesta\n");
    assert_true(search_add_path(&f->places, mine, -1, &err));
    assert_true(search_add_path(&f->places, mine, SEARCH_DOC, &err)); /* again: changes the kind */
    SearchHits h = find(f, "marimba", 0);
    assert_int_equal(h.n, 1);
    assert_int_equal(h.at[0].kind, SEARCH_DOC);
    assert_int_equal(find(f, "celesta", 0).n, 1);
    size_t n;
    const char **paths = search_added_paths(f->a, &f->places, &n, &err);
    assert_int_equal(n, 1);
    assert_string_equal(paths[0], mine);
    put(f, "我的 ops/notes.txt", "harpsichord\n");
    SearchIndex *ix = search_open(&f->places, &err);
    assert_true(search_update(ix, SEARCH_ALL_FOLDERS, &s, &err));
    assert_int_equal(s.n_read, 1);
    search_close(ix);
    assert_int_equal(find(f, "harpsichord", 0).n, 1);
    assert_true(search_drop_path(&f->places, mine, &err));
    assert_int_equal(find(f, "marimba", 0).n, 0);
    assert_false(search_drop_path(&f->places, mine, &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_false(search_add_path(&f->places, "/no/such/folder", -1, &err));
}

/* A list that cannot be read is left as it is. */
static void test_broken_list(void **state) {
    Fixture *f = *state;
    Err err = {0};
    assert_true(search_add_path(&f->places, f->dir, -1, &err));
    assert_true(fs_write(f->places.added, "[{", 2, &err));
    assert_false(search_add_path(&f->places, f->dir, -1, &err));
    assert_int_equal(err.code, ERR_BAD_INPUT);
    assert_string_equal(fs_read(f->a, f->places.added, NULL, &err), "[{");
}

static void damage(Fixture *f, long at, const char *bytes, size_t n) {
    FILE *file = fopen(f->places.index, "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    fwrite(bytes, 1, n, file);
    fclose(file);
}

static void test_damage(void **state) {
    Fixture *f = *state;
    expect_first(f, "DataCopyPad", "docs/copy.md", 4);
    Err err = {0};
    assert_true(fs_write(f->places.index, "no database at all, only text", 29, &err));
    expect_first(f, "DataCopyPad", "docs/copy.md", 4);
    char junk[4096];
    memset(junk, 0xa5, sizeof junk);
    for (long at = 100; at < 40000; at += 9001) { /* in the middle of its pages */
        damage(f, at, junk, sizeof junk);
        expect_first(f, "DataCopyPad", "docs/copy.md", 4);
    }
    assert_int_equal(truncate(f->places.index, 5000), 0);
    expect_first(f, "DataCopyPad", "docs/copy.md", 4);
    unlink(f->places.index);
    assert_null(search_peek(&f->places));
    expect_first(f, "DataCopyPad", "docs/copy.md", 4);
}

/* In a child, where a failed assertion would run the other tests once more. */
static bool finds_one(Fixture *f, const char *text) {
    Err err = {0};
    SearchHits hits = {0};
    SearchQuery q = {.text = text};
    SearchIndex *ix = search_open(&f->places, &err);
    bool ok = ix && search_update(ix, SEARCH_IF_STALE, NULL, &err) &&
              search_query(ix, f->a, &q, &hits, &err) && hits.n == 1;
    if (!ok) fprintf(stderr, "%s: %s\n", text, err.message);
    search_close(ix);
    return ok;
}

/* Processes that add files and search at once: nothing is lost and nobody fails. */
static void test_many_processes(void **state) {
    Fixture *f = *state;
    enum { N = 6, EACH = 5 };
    pid_t pids[N];
    for (int p = 0; p < N; p++)
        if ((pids[p] = fork()) == 0) {
            for (int i = 0; i < EACH; i++) {
                put(f, arena_printf(f->a, "home/docs/p%d_%d.md", p, i),
                    arena_printf(f->a, "# T\nworker%dfile%d\n", p, i));
                if (!finds_one(f, arena_printf(f->a, "worker%dfile%d", p, i))) _exit(1);
            }
            _exit(0);
        }
    for (int p = 0; p < N; p++) {
        int status;
        waitpid(pids[p], &status, 0);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    for (int p = 0; p < N; p++)
        for (int i = 0; i < EACH; i++)
            assert_int_equal(find(f, arena_printf(f->a, "worker%dfile%d", p, i), 0).n, 1);
}

static void test_odd_queries(void **state) {
    Fixture *f = *state;
    char *longest = malloc(1 << 20);
    memset(longest, 'a', 1 << 20);
    longest[(1 << 20) - 1] = '\0';
    find(f, longest, 0);
    for (size_t i = 0; i + 2 < 1 << 20; i += 2) longest[i] = ' ';
    find(f, longest, 0);
    free(longest);
    for (int n = 0; n < 300; n += 50) {
        char text[2048] = "";
        for (int i = 0; i < n; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "w%d ", i);
        find(f, text, 0);
    }
    find(f, "\xff\xfe\x80 \xe5", 0);
    find(f, "the of and", 0);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_finds),          T(test_follows_files), T(test_only_what_changed_is_read),
        T(test_added_folders),  T(test_broken_list),   T(test_damage),
        T(test_many_processes), T(test_odd_queries)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
