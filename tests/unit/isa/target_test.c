/* Every wording people use for a chip leads to its target; others are told what is known. */
#include "isa/isa.h"
#include "isa/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

static void test_wordings(void **state)
{
    static const struct {
        const char *wording, *name, *chip;
    } CASES[] = {
        {"a3", "a3", "Ascend910_9391"},       {"A5", "a5", "Ascend910_95"},        {"910C", "a3", "Ascend910_9391"},
        {"Ascend 910C", "a3", "Ascend910_9391"}, {"V220", "a3", "Ascend910_9391"},  {"arch22", "a3", "Ascend910_9391"},
        {"Arch-22", "a3", "Ascend910_9391"},  {"910B", "a3", "Ascend910B4"},       {"A2", "a3", "Ascend910B4"},
        {"Ascend910B2", "a3", "Ascend910B2"}, {"ascend910_93", "a3", "Ascend910_9391"}, {"Ascend910_9362", "a3", "Ascend910_9362"},
        {"950PR", "a5", "Ascend910_95"},      {"V300", "a5", "Ascend910_95"},      {"arch35", "a5", "Ascend910_95"},
        {"dav-3510", "a5", "Ascend910_95"},   {"Ascend950", "a5", "Ascend910_95"}, {"Ascend910_95", "a5", "Ascend910_95"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Err err = {0};
        const Target *t = target_find(CASES[i].wording, &err);
        assert_non_null(t);
        assert_string_equal(t->name, CASES[i].name);
        assert_string_equal(t->chip, CASES[i].chip);
        assert_non_null(chip_find(t->chip));
    }
}

static void test_unknown(void **state)
{
    static const char *const CASES[] = {"", "ascend", "a4", "a", "91", "310P", "a3;rm", "910c910c910c910c910c910c910c910c910c"};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Err err = {0};
        assert_null(target_find(CASES[i], &err));
        assert_int_equal(err.code, ERR_USAGE);
        assert_non_null(strstr(err.hint, "arch35"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wordings), cmocka_unit_test(test_unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
