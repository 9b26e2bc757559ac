/* Which casts of a kernel are marked: those of instruction arguments, and no others. */
#include "verify/narrow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka needs the four above first */
#include <cmocka.h>

#define IN(body) "void f(int n) {\n" body "\n}\n"

static const struct {
    const char *source, *marked; /* NULL: as it is */
} CASES[] = {
    {IN("Add(z, x, y, m, (uint8_t)(n / 64), p);"), IN("Add(z, x, y, m, (uint8_t) OW_NARROW(uint8_t) (n / 64), p);")},
    {IN("AscendC::Add<float, true>(z, x, y, m, (uint8_t)n, p);"), IN("AscendC::Add<float, true>(z, x, y, m, (uint8_t) OW_NARROW(uint8_t) n, p);")},
    {IN("Add(z, x, y, m, static_cast<uint8_t>(n), p);"), IN("Add(z, x, y, m, (uint8_t)static_cast<OW_NARROW_TYPE(uint8_t)>(n), p);")},
    {IN("Add(z, x, y, m, uint8_t(n), p);"), IN("Add(z, x, y, m, (uint8_t)OW_NARROW_TYPE(uint8_t)(n), p);")},
    {IN("DataCopy(x, g[i], {(uint16_t)n, 1, 0, 0});"), IN("DataCopy(x, g[i], {(uint16_t) OW_NARROW(uint16_t) n, 1, 0, 0});")},
    {IN("DataCopyParams p{1, (uint16_t)n, 0, 0};"), IN("DataCopyParams p{1, (uint16_t) OW_NARROW(uint16_t) n, 0, 0};")},
    {IN("if (n) { p.blockLen = (uint16_t)n; }"), IN("if (n) { p.blockLen = (uint16_t) OW_NARROW(uint16_t) n; }")},
    {IN("uint8_t r = n / 64; Add(z, x, y, m, r, p);"), IN("uint8_t r = OW_INTO(uint8_t)  n / 64; Add(z, x, y, m, r, p);")},
    {IN("auto r = (uint8_t)n; Add(z, x, y, m, r, p);"), IN("auto r = (uint8_t) OW_NARROW(uint8_t) n; Add(z, x, y, m, r, p);")},
    {IN("const uint8_t r = (uint8_t)n; Add(z, x, y, m, r, p);"), IN("const uint8_t r = OW_INTO(uint8_t)  (uint8_t) OW_NARROW(uint8_t) n; Add(z, x, y, m, r, p);")},
    /* what no instruction takes, constants, all bits, types and declarations */
    {IN("uint16_t low = (uint16_t)n; sum += low;"), NULL},
    {IN("mine(n, (uint8_t)n);"), NULL},
    {IN("Add(z, x, y, m, 4, p); uint8_t q = (uint8_t)n;"), NULL},
    {IN("Duplicate(z, (uint16_t)-1, n); Duplicate(z, static_cast<uint16_t>(~0u), n);"), NULL},
    {IN("constexpr uint8_t R = (uint8_t)(T / 64); Add(z, x, y, m, R, p);"), NULL},
    {IN("LocalTensor<uint8_t> m = q.AllocTensor<uint8_t>(); Select(z, m.ReinterpretCast<uint8_t>(), x, y);"), NULL},
    {"void f(uint8_t) const; template <uint8_t N = 3> void g(uint8_t n = 4, uint16_t = 5);\n", NULL},
    {IN("Add(z, x, y, m, sizeof(uint8_t), p);"), NULL},
    {"#define R (uint8_t)n\n// Add(z, (uint8_t)n)\n", NULL},
    {"Add(z, static_cast<uint8_t>", NULL}, {"uint8_t", NULL}, {"", NULL}, {"))}}uint8_t r = (uint8_t)n", NULL}, {"Add>((uint8_t", NULL},
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Arena *a = arena_new();
        assert_string_equal(narrow_marks(a, CASES[i].source), CASES[i].marked ? CASES[i].marked : CASES[i].source);
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
