/* Files to entries: kinds, names and, above all, lines. */
#include "search/split.h"

#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static SplitList split(Arena *a, const char *path, const char *text, int kind) {
    SplitList l;
    split_file(a, path, text, strlen(text), kind, &l);
    return l;
}

static void check(const SplitEntry *e, SearchKind kind, const char *name, const char *title, size_t first,
                  size_t n) {
    assert_int_equal(e->kind, kind);
    assert_string_equal(e->name, name);
    assert_string_equal(e->title, title);
    assert_int_equal(e->first_line, first);
    assert_int_equal(e->n_lines, n);
}

static void test_markdown(void **state) {
    (void)state;
    Arena *a = arena_new();
    SplitList l = split(a, "docs/0012_Queue.md",
                        "# Queue\n\nfirst\n\n## Depth\n```\n# no heading\n```\nlast\n### Deep\nx\n## 中文\ny",
                        SPLIT_KIND_AUTO);
    assert_int_equal(l.n, 4);
    check(&l.at[0], SEARCH_DOC, "Queue", "Queue", 1, 3);
    check(&l.at[1], SEARCH_DOC, "Queue", "Queue > Depth", 5, 5);
    check(&l.at[2], SEARCH_DOC, "Queue", "Queue > Depth > Deep", 10, 2);
    check(&l.at[3], SEARCH_DOC, "Queue", "Queue > 中文", 12, 2);
    assert_string_equal(l.at[3].body, "## 中文\ny");
    arena_free(a);
}

/* Every line of a long file is in one entry, in order, and its number is right. */
static void test_long(void **state) {
    (void)state;
    Arena *a = arena_new();
    StrBuf b;
    strbuf_init(&b, a);
    for (int i = 1; i <= 1000; i++) strbuf_printf(&b, "%s%d\n", i % 9 == 0 ? "\n" : "line ", i);
    SplitList l = split(a, "kernel.cpp", b.text, SPLIT_KIND_AUTO);
    assert_true(l.n > 1000 / SPLIT_ENTRY_LINES);
    size_t at = 0;
    for (size_t i = 0; i < l.n; i++) {
        const char *place = strstr(b.text + at, l.at[i].body);
        assert_non_null(place);
        for (const char *p = b.text + at; p < place; p++) assert_true(*p == '\n');
        size_t line = 1;
        for (const char *p = b.text; p < place; p++) line += *p == '\n';
        assert_int_equal(line, l.at[i].first_line);
        assert_true(l.at[i].n_lines <= SPLIT_ENTRY_LINES);
        at = (size_t)(place - b.text) + strlen(l.at[i].body);
    }
    assert_true(strspn(b.text + at, "\n") == strlen(b.text + at));
    arena_free(a);
}

static void test_one_long_line(void **state) {
    (void)state;
    Arena *a = arena_new();
    size_t n = 3 * SPLIT_ENTRY_BYTES;
    char *text = arena_alloc(a, n + 1);
    for (size_t i = 0; i + 3 <= n; i += 3) memcpy(text + i, "核", 3);
    SplitList l = split(a, "x.txt", text, SPLIT_KIND_AUTO);
    assert_true(l.n >= 3);
    size_t sum = 0;
    for (size_t i = 0; i < l.n; i++) {
        assert_int_equal(strlen(l.at[i].body) % 3, 0); /* cut between characters */
        sum += strlen(l.at[i].body);
    }
    assert_int_equal(sum, strlen(text));
    arena_free(a);
}

static void test_description(void **state) {
    (void)state;
    Arena *a = arena_new();
    const char *text = "# a comment\nproject_json_src = '''\n[{\"op\": \"MseLossCustom\"}]\n'''\nkernel_src "
                       "= '''\nint k;\n'''\n";
    SplitList l = split(a, "x/mse_loss.py", text, SEARCH_GOLDEN);
    assert_int_equal(l.n, 1);
    check(&l.at[0], SEARCH_GOLDEN, "mse_loss", "mse_loss (MseLossCustom)", 1, 7);
    l = split(a, "x/bias_gelu.ascendc.py", text, SPLIT_KIND_AUTO);
    check(&l.at[0], SEARCH_EXAMPLE, "bias_gelu", "bias_gelu (MseLossCustom)", 1, 7);
    l = split(a, "add.py", "\"\"\"x + y, by hand.\"\"\"\nimport torch\n", SPLIT_KIND_AUTO);
    check(&l.at[0], SEARCH_EXAMPLE, "add", "x + y, by hand.", 1, 2);
    arena_free(a);
}

static void test_lessons(void **state) {
    (void)state;
    Arena *a = arena_new();
    SplitList l = split(
        a, "issues/add.json",
        "[\n  {\n    \"op\": \"add\", \"error\": \"a } [ \\\" b\",\n    \"code_diff\": \"--- a\\n+++ "
        "b\\n-old\\n+new\\n same\",\n"
        "    \"summary\": \"short\\nmore\"\n  },\n  {\"error\": \"only\", \"nested\": [{\"x\": [1]}]}\n]\n",
        SEARCH_ISSUE);
    assert_null(l.fault);
    assert_int_equal(l.n, 2);
    check(&l.at[0], SEARCH_ISSUE, "add", "short", 2, 5);
    assert_non_null(strstr(l.at[0].body, "-old\n+new\n"));
    assert_null(strstr(l.at[0].body, "same"));
    check(&l.at[1], SEARCH_ISSUE, "add", "only", 7, 1);
    arena_free(a);
}

static void test_damaged(void **state) {
    (void)state;
    Arena *a = arena_new();
    SplitList l = split(a, "add.json", "[\n{\"op\": \"add\",", SEARCH_ISSUE);
    assert_int_equal(l.n, 0);
    assert_non_null(strstr(l.fault, "line 2"));
    assert_int_equal(split(a, "add.json", "{}", SEARCH_ISSUE).n, 0);
    assert_int_equal(split(a, "x.md", "", SPLIT_KIND_AUTO).n, 0);
    assert_int_equal(split(a, "x.md", "\n \n", SPLIT_KIND_AUTO).n, 0);
    SplitList nul;
    split_file(a, "x.md", "a\0b", 3, SPLIT_KIND_AUTO, &nul);
    assert_non_null(nul.fault);
    assert_false(split_wants("a/b.so"));
    assert_false(split_wants("a.md/b"));
    assert_true(split_wants("a/b.MD"));
    arena_free(a);
}

static void test_tables(void **state) {
    (void)state;
    Arena *a = arena_new();
    SplitList l = split(a, "api.tsv", "# about\nname\tpage\tchips\nDataCopy\tcopies\ta2\n\nCast\t\ta2 a3\n",
                        SPLIT_KIND_AUTO);
    assert_int_equal(l.n, 2);
    check(&l.at[0], SEARCH_API, "DataCopy", "DataCopy: copies", 3, 1);
    check(&l.at[1], SEARCH_API, "Cast", "Cast", 5, 1);
    l = split(a, "api.jsonl",
              "{\"api\":\"Exp\",\"form\":\"count\",\"chips\":{\"a2\":true}}\nbroken\n{\"api\":\"Ln\"}\n",
              SPLIT_KIND_AUTO);
    assert_int_equal(l.n, 2);
    check(&l.at[0], SEARCH_API, "Exp", "Exp: count", 1, 1);
    assert_non_null(strstr(l.at[0].body, "chips: {\"a2\":true}"));
    check(&l.at[1], SEARCH_API, "Ln", "Ln", 3, 1);
    assert_non_null(strstr(l.fault, "line 2"));
    l = split(a, "copy.def",
              "/* about */\nAPI(.api = \"DataCopy\", .form = \"count\", .a2 = \"exact\",\n    .call = "
              "\"f(\\\"x\\\");\", .limits = \"one \"\n \"two\")\n"
              "API(.api = \"DataCopy\", .form = \"pad\", .a2 = \"none\",\n    .call = \"-\")\nAPI(.api = "
              "\"Cast\", .form = \"f\", .a2 = \"exact\")\n",
              SEARCH_API);
    assert_int_equal(l.n, 3);
    check(&l.at[0], SEARCH_API, "DataCopy", "DataCopy, count", 2, 3);
    assert_non_null(strstr(l.at[0].body, "call: f(\"x\");\nlimits: one two\n"));
    check(&l.at[1], SEARCH_API, "DataCopy", "DataCopy, pad (not modelled)", 5, 2);
    assert_non_null(strstr(l.at[1].body, "limits: one two")); /* as in the row before */
    assert_null(strstr(l.at[1].body, "call"));
    check(&l.at[2], SEARCH_API, "Cast", "Cast, f", 7, 1);
    assert_null(strstr(l.at[2].body, "limits"));
    l = split(a, "other.def", "ROW(1)\nAPI(.x", SPLIT_KIND_AUTO);
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markdown),      cmocka_unit_test(test_long),
        cmocka_unit_test(test_one_long_line), cmocka_unit_test(test_description),
        cmocka_unit_test(test_lessons),       cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
