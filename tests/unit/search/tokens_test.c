/* Terms of English, Chinese and code; any bytes. */
#include "search/tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct Out {
    char text[1024];
    size_t limit, n;
} Out;

/* "whole", "+part" and "+pair" at the same place. */
static bool take(void *ctx, const Token *t) {
    Out *o = ctx;
    assert_true(t->start < t->end && strlen(t->text) == t->n_bytes && t->n_bytes > 0 &&
                t->n_bytes <= TOKEN_MAX_BYTES);
    size_t k = strlen(o->text);
    snprintf(o->text + k, sizeof o->text - k, "%s%s%s", k ? " " : "", t->same_place ? "+" : "", t->text);
    return ++o->n != o->limit;
}

static void check(const char *text, const char *expected) {
    Out o = {0};
    assert_true(tokens_each(text, strlen(text), take, &o));
    assert_string_equal(o.text, expected);
}

static void test_code(void **state) {
    (void)state;
    check("DataCopyPad(dst, src)", "datacopypad +data +copy +pad dst src");
    check("reduce_sum", "reducesum +reduc +sum");
    check("ReduceSum", "reducesum +reduc +sum");
    check("GetUBSize", "getubsize +get +ub +size");
    check("__aicore__", "aicor");
    check("0x800000 507035 EZ9999", "0x800000 507035 ez9999");
    check("AscendC::Cast<half>", "ascendc +ascend +c cast half");
    check("___ _ ", "");
}

static void test_english(void **state) {
    (void)state;
    check("unaligned copies", "unalign copy");
    check("reduces reducing reduction", "reduc reduc reduc");
    check("mapped mapping maps", "map map map");
    check("pass misses class bus", "pass miss class bus");
    check("tail", "tail");
    check("alignment aligned", "align align");
}

static void test_chinese(void **state) {
    (void)state;
    check("非对齐", "非 +非对 对 +对齐 齐");
    check("核", "核");
    check("用DataCopy搬运", "用 datacopy +data +copy 搬 +搬运 运");
    check("对齐，搬运", "对 +对齐 齐 搬 +搬运 运");
}

static void test_any_bytes(void **state) {
    (void)state;
    char all[512];
    for (size_t i = 0; i < sizeof all; i++) all[i] = (char)(i & 0xff);
    Out o = {0};
    assert_true(tokens_each(all, sizeof all, take, &o));
    check("\xe5\xaf", ""); /* a cut character */
    check("a\xff"
          "b",
          "a b");
    char longest[200];
    memset(longest, 'x', sizeof longest);
    Out l = {0};
    assert_true(tokens_each(longest, sizeof longest, take, &l));
    assert_int_equal(strlen(l.text), TOKEN_MAX_BYTES);
}

static void test_stops(void **state) {
    (void)state;
    Out o = {.limit = 2};
    assert_false(tokens_each("a b c", 5, take, &o));
    assert_string_equal(o.text, "a b");
    assert_true(token_is_stop("the", 3));
    assert_false(token_is_stop("then", 4));
    assert_true(token_is_stop("怎么", strlen("怎么")));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_code), cmocka_unit_test(test_english),
                                       cmocka_unit_test(test_chinese), cmocka_unit_test(test_any_bytes),
                                       cmocka_unit_test(test_stops)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
