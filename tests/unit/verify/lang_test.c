/* Rules of the device's language: every row has a kernel that trips it and a near miss that does not, in both passes' words. */
#include "verify/compile.h"
#include "verify/lang.h"

#include "base/fs.h"
#include "base/strbuf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the four above first */
#include <cmocka.h>

typedef struct Case {
    const char *rule;
    bool needs_tree;
    const char *trips, *passes;
} Case;

static const Case CASES[] = {
#define LANG_CASE(rule_, needs_tree_, trips_, passes_) {.rule = rule_, .needs_tree = needs_tree_, .trips = trips_, .passes = passes_},
#include "lang_cases.def"
#undef LANG_CASE
};
#define N_CASES (sizeof CASES / sizeof CASES[0])

enum { LINES = 10, EXTRA_LINE = 4, BODY_LINE = 8 }; /* of case i, after i * LINES */

static void add_kernel(StrBuf *sb, size_t i, const char *body) {
    const char *extra = strstr(body, "//+");
    int n = extra ? (int)(extra - body) : (int)strlen(body);
    strbuf_printf(sb, "\nnamespace c%zu {\n%s\nclass K {\npublic:\n    GM_ADDR gm; __aicore__ inline void Process(uint32_t n, float f) {\n%.*s\n    }\n};\n}\n", i,
                  extra ? extra + 3 : "", n, body);
}

/* A kernel of many cases, each in a namespace of its own. */
static const char *kernel_of(Arena *a, const char *const *bodies, size_t n) {
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_add(&sb, "#include \"kernel_operator.h\"\nusing namespace AscendC;");
    for (size_t i = 0; i < n; i++) add_kernel(&sb, i, bodies[i]);
    strbuf_add(&sb, "\nextern \"C\" __global__ __aicore__ void case_custom(GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {\n");
    for (size_t i = 0; i < n; i++) strbuf_printf(&sb, "    { c%zu::K k; k.gm = x; k.Process(3, 1.0f); }\n", i);
    strbuf_add(&sb, "}\n");
    return sb.text;
}

/* Both passes over a kernel. */
static DiagList look(Arena *a, const char *dir, const char *clang, const char *kernel, unsigned toolchain) {
    DiagList diags = {.arena = a};
    LangPass pass = {.diags = &diags, .toolchain = toolchain};
    Err err = {0};
    lang_tokens(&pass, kernel);
    if (!clang) return diags;
    const char *text = arena_printf(a, "#line 1 \"kernel_src\"\n%s", kernel), *file = arena_printf(a, "%s/k.cpp", dir);
    const Toolchain t = {.cxx = "c++", .version = "", .home = OPWRIGHT_SOURCE_DIR, .clang = clang};
    Proc p;
    ProcResult r;
    assert_true(fs_write(file, text, strlen(text), &err));
    assert_true(proc_start(&p, compile_command(a, &t, SIDE_LANG, dir, "k", text), dir, &err));
    assert_true(proc_wait(&p, a, 60, &r, &err));
    const char *tree = fs_read(a, arena_printf(a, "%s/k.ast", dir), NULL, &err);
    assert_non_null(tree);
    lang_messages(&pass, r.output);
    lang_ast(&pass, tree);
    return diags;
}

/* A fault of the rule in the lines of case i. */
static const Diag *find(const DiagList *diags, const char *rule, size_t i) {
    for (size_t k = 0; k < diags->n; k++) {
        int line = diags->at[k].line - (int)i * LINES;
        if (!strcmp(diags->at[k].check, rule) && (line == EXTRA_LINE || line == BODY_LINE)) return &diags->at[k];
    }
    return NULL;
}

static void test_cases(void **state) {
    (void)state;
    Arena *a = arena_new();
    Err err = {0};
    const char *clang = lang_clang(a), *trips[N_CASES], *passes[N_CASES];
    char *dir = fs_temp_dir(a, "opwright-lang-test-", &err);
    if (!clang) print_message("no clang on this machine: only the rules over tokens are tested\n");
    for (size_t i = 0; i < N_CASES; i++) trips[i] = CASES[i].trips, passes[i] = CASES[i].passes;
    DiagList bad = look(a, dir, clang, kernel_of(a, trips, N_CASES), LANG_A2), good = look(a, dir, clang, kernel_of(a, passes, N_CASES), LANG_A2);
    for (size_t i = 0; i < N_CASES; i++) {
        const Case *c = &CASES[i];
        if (c->needs_tree && !clang) continue;
        const Diag *d = find(&bad, c->rule, i);
        if (!d) fail_msg("%s is not found in: %s", c->rule, c->trips);
        assert_string_equal(d->source, "kernel_src");
        assert_true(d->text && d->text_zh && d->hint && d->hint_zh && d->severity == DIAG_ERROR);
    }
    for (size_t i = 0; i < good.n; i++)
        fail_msg("a near miss is refused (%s: %s): %s", good.at[i].check, good.at[i].text, passes[(good.at[i].line - 1) / LINES]);
    fs_remove_tree(dir);
    arena_free(a);
}

static void test_every_rule_has_a_case(void **state) {
    (void)state;
    for (int rule = 0; rule < LANG_N_RULES; rule++) {
        bool found = false;
        for (size_t i = 0; i < N_CASES; i++) found = found || !strcmp(CASES[i].rule, lang_rule_id((LangRule)rule));
        if (!found) fail_msg("%s has no case", lang_rule_id((LangRule)rule));
    }
}

/* The newer toolchain takes what the older refuses; no toolchain, no rules. */
static void test_toolchains(void **state) {
    (void)state;
    Arena *a = arena_new();
    const char *body = "float y = expf(f); double z = 0;", *kernel = kernel_of(a, &body, 1);
    assert_int_equal(look(a, NULL, NULL, kernel, LANG_A2).n, 2);
    assert_int_equal(look(a, NULL, NULL, kernel, LANG_A5).n, 1);
    assert_int_equal(look(a, NULL, NULL, kernel, 0).n, 0);
    assert_int_equal(lang_toolchain(NULL, "Ascend910B4"), LANG_A2);
    assert_int_equal(lang_toolchain("a5", "Ascend910B4"), LANG_A5);
    assert_int_equal(lang_toolchain(NULL, "Ascend910_95"), LANG_A5);
    assert_int_equal(lang_toolchain("none", "Ascend910B4"), 0);
    arena_free(a);
}

/* Text that is no tree is passed over. */
static void test_any_text(void **state) {
    (void)state;
    static const char *const TEXTS[] = {"", "<kernel_src:", "|-<kernel_src:1:1\n", "`-X 0x <kernel_src:1:1, <a>> y 'q':'\n", "kernel_src:9: error: __gm__ reinterpret_cast from",
                                        "|-FunctionDecl 0x1 prev 0x1 <kernel_src:1:1> used f 'void ()'\n| `-DeclRefExpr 0x2 <col:1> Function 0x1\n",
                                        "|-CStyleCastExpr 0x1 <kernel_src:2:2> 'float' <IntegralToFloating>"};
    Arena *a = arena_new();
    DiagList diags = {.arena = a};
    LangPass pass = {.diags = &diags, .toolchain = LANG_A2};
    for (size_t i = 0; i < sizeof TEXTS / sizeof TEXTS[0]; i++) {
        lang_ast(&pass, TEXTS[i]);
        lang_messages(&pass, TEXTS[i]);
        lang_tokens(&pass, TEXTS[i]);
    }
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_every_rule_has_a_case),
        cmocka_unit_test(test_toolchains),
        cmocka_unit_test(test_any_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
