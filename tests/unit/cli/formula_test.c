/* Formulas of `opwright new`: what Python comes out, what is refused and where the caret stands. */
#include "cli/formula.c"
#include "cli/formula_check.c"
#include "cli/formula_decl.c"
#include "cli/formula_print.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Inputs every case may use: half and float matrices, a row, a channel vector, integers, masks, a 0-d tensor.
 */
static const char *const INPUTS[] = {"x:float16[M,N]", "y:fp32[N]",     "c:bf16[M,1]", "k:float[K]",
                                     "i:int32[M,N]",   "u:uint8[N]",    "m:bool[M,N]", "n:bool[N]",
                                     "s:float32[]",    "f:float16[2,3]"};
static const char *const SCALARS[] = {"alpha:float=0.5", "count:int=3", "flag:bool=true"};

typedef struct Case {
    Arena *a;
    FormulaDecls d;
    Formula *f;
    Err err;
} Case;

/* Declares those inputs and scalars whose name occurs in the formula as a word. */
static bool has_word(const char *text, const char *spec) {
    size_t n = strcspn(spec, ":");
    for (size_t i = 0; text[i]; i++) {
        bool starts = i == 0 || !is_name_char(text[i - 1]);
        if (starts && !strncmp(text + i, spec, n) && !is_name_char(text[i + n])) return true;
    }
    return false;
}

static bool run(Case *c, const char *formula) {
    *c = (Case){.a = arena_new()};
    c->d.arena = c->a;
    for (size_t i = 0; i < sizeof INPUTS / sizeof INPUTS[0]; i++)
        if (has_word(formula, INPUTS[i])) assert_true(formula_declare_input(&c->d, INPUTS[i], &c->err));
    for (size_t i = 0; i < sizeof SCALARS / sizeof SCALARS[0]; i++)
        if (has_word(formula, SCALARS[i])) assert_true(formula_declare_scalar(&c->d, SCALARS[i], &c->err));
    c->f = formula_parse(c->a, formula, &c->err);
    return c->f && formula_check(c->a, c->f, &c->d, &c->err) && formula_settle_dims(&c->d, &c->err);
}

static void test_python(void **state) {
    (void)state;
    /* Formula, and the body of forward. */
    static const char *const ROWS[][2] = {
        {"z = relu(x + y) * 2", "z = torch.relu(x + y) * 2"},
        {"x - (y - s)", "out = x - (y - s)"},
        {"x - y - s", "out = x - y - s"},
        {"(x + y) * s", "out = (x + y) * s"},
        {"x + (y * s)", "out = x + y * s"},
        {"-x ** 2", "out = -x ** 2"},
        {"(-x) ** 2", "out = (-x) ** 2"},
        {"2 ** -x ** y", "out = 2 ** -x ** y"},
        {"(x ** y) ** s", "out = (x ** y) ** s"},
        {"x ** (y ** s)", "out = x ** y ** s"},
        {"x / (y * s)", "out = x / (y * s)"},
        {"i // (count % 7)", "out = i // (count % 7)"},
        {"(x < y) == (y < s)", "out = (x < y) == (y < s)"},
        {"~m & n | m ^ n", "out = ~m & n | m ^ n"},
        {"~(m & (n | m))", "out = ~(m & (n | m))"},
        {"not x > 0 and m or n", "out = torch.logical_or(torch.logical_and(torch.logical_not(x > 0), m), n)"},
        {"where(m, x, 0)", "out = torch.where(m, x, 0)"},
        {"where(x > y, alpha, 1 - alpha)", "out = torch.where(x > y, alpha, 1 - alpha)"},
        {"max(x, 0) + min(1, y)", "out = torch.clamp(x, min=0) + torch.clamp(y, max=1)"},
        {"max(x, y)", "out = torch.maximum(x, y)"},
        {"clamp(x, -1, y)", "out = torch.clamp(torch.clamp(x, min=-1), max=y)"},
        {"x * sqrt(2 / pi)", "out = x * math.sqrt(2 / math.pi)"},
        {"x * (rsqrt(2) ** 2)", "out = x * (1 / math.sqrt(2)) ** 2"},
        {"float16(x + y)", "out = (x + y).to(torch.float16)"},
        {"gelu_tanh(x)", "out = nn.functional.gelu(x, approximate=\"tanh\")"},
        {"elu(x, alpha)", "out = nn.functional.elu(x, alpha)"},
        {"x * .5e-1 + 3. - +y", "out = x * .5e-1 + 3. - +y"},
        {"x * max(count, 2)", "out = x * max(count, 2)"},
        {"z = (x +\n y)", "z = x + y"},
        {"a = x + y ;\n\n b = a * a; ", "a = x + y\n        b = a * a"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Case c;
        if (!run(&c, ROWS[i][0])) fail_msg("%s: %s", ROWS[i][0], c.err.message);
        char *text = formula_print_reference(c.a, c.f, &c.d);
        char *body = arena_printf(c.a, ":\n        %s\n        return ", ROWS[i][1]);
        if (!strstr(text, body)) fail_msg("%s gave\n%s", ROWS[i][0], text);
        arena_free(c.a);
    }
}

static void test_errors(void **state) {
    (void)state;
    /* Formula, where, and part of the message. */
    static const char *const ROWS[][3] = {
        {"", "--formula:1:1", "empty"},
        {" ;\n; ", "--formula:1:1", "empty"},
        {"z = relu(x ++ y", "--formula:1:9", "not closed"},
        {"z = (x + y", "--formula:1:5", "not closed"},
        {"z = x + y)", "--formula:1:10", "expected an operator or the end"},
        {"z = x +", "--formula:1:8", "expected a name"},
        {"z = x + ; y", "--formula:1:9", "expected a name"},
        {"z = x y", "--formula:1:7", "expected an operator"},
        {"z = 2x", "--formula:1:6", "number runs into"},
        {"z = x + 1.2.3", "--formula:1:12", "number runs into"},
        {"z = x + 007", "--formula:1:9", "begin with 0"},
        {"z = x + 9999999999999999999", "--formula:1:9", "64 bits"},
        {"z = x + 1e999", "--formula:1:9", "finite"},
        {"z = x @ y", "--formula:1:7", "matrix"},
        {"z = x[1]", "--formula:1:6", "indexing"},
        {"z = x.t()", "--formula:1:6", "indexing"},
        {"z = x \\ y", "--formula:1:7", "no meaning"},
        {"a = x + y\nb = a ! y", "--formula:2:7", "not an operator"},
        {"z = \xC3\xA9 + x", "--formula:1:5", "ASCII"},
        {"z = x < y < s", "--formula:1:11", "chained"},
        {"z = x > 0 & y > 0", "--formula:1:15", "chained"},
        {"z = x + not m", "--formula:1:9", "parentheses"},
        {"x + y = z", "--formula:1:7", "only a single name"},
        {"lambda = x", "--formula:1:1", "word of Python"},
        {"torch = x", "--formula:1:1", "meaning of its own"},
        {"x + y; z = x", "--formula:1:1", "no name"},
        {"z = x; z = y", "--formula:1:8", "assigned twice"},
        {"x = x + 1", "--formula:1:1", "already declared"},
        {"z = w + x; w = y", "--formula:1:5", "before it is assigned"},
        {"z = z + x", "--formula:1:5", "before it is assigned"},
        {"z = q + x", "--formula:1:5", "not declared"},
        {"z = relu + x", "--formula:1:5", "needs its arguments"},
        {"z = rleu(x)", "--formula:1:5", "no function"},
        {"z = relu()", "--formula:1:5", "does not fit"},
        {"z = relu(x, y)", "--formula:1:5", "does not fit"},
        {"z = where(m, x, y, s)", "--formula:1:20", "too many arguments"},
        {"z = x + gelu(2)", "--formula:1:9", "does not fit"},
        {"z = gelu(i)", "--formula:1:10", "float tensors"},
        {"z = relu(m)", "--formula:1:10", "does not take bools"},
        {"z = where(x, x, y)", "--formula:1:11", "not bool"},
        {"z = where(flag, x, y)", "--formula:1:5", "does not fit"},
        {"z = x ^ 2", "--formula:1:7", "not floats"},
        {"z = ~x", "--formula:1:5", "not floats"},
        {"z = x * ~3", "--formula:1:9", "needs a tensor"},
        {"z = m - n", "--formula:1:7", "no `-` on bools"},
        {"z = 1 - m", "--formula:1:7", "no `-` on bools"},
        {"z = m + n", "--formula:1:7", "two bools"},
        {"z = m and 1", "--formula:1:7", "both sides"},
        {"z = not 1", "--formula:1:5", "right"},
        {"z = x / 0", "--formula:1:7", "division by zero"},
        {"z = i // (count - 3)", "--formula:1:7", "division by zero"},
        {"z = i ** -1", "--formula:1:7", "negative power"},
        {"z = x * sqrt(-2)", "--formula:1:9", "finite"},
        {"z = x * 10 ** 30", "--formula:1:12", "64 bits"},
        {"z = y + k", "--formula:1:7", "dimension N meets K"},
        {"z = x * y + x * f", "--formula:1:15", "dimension N meets 3"},
        {"z = max(x, k)", "--formula:1:12", "dimension N meets K"},
        {"z = 1 + alpha", "--formula:1:1", "not a tensor"},
    };
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Case c;
        if (run(&c, ROWS[i][0])) fail_msg("`%s` was accepted", ROWS[i][0]);
        assert_int_equal(c.err.code, ERR_BAD_INPUT);
        if (strcmp(c.err.where, ROWS[i][1]) != 0 || !strstr(c.err.message, ROWS[i][2]))
            fail_msg("`%s` gave %s: %s", ROWS[i][0], c.err.where, c.err.message);
        arena_free(c.a);
    }
}

static void test_caret(void **state) {
    (void)state;
    Err err = {0};
    formula_error(&err, "--formula", "a = x\n\tb\xC3\xA9 = y", 11, "what");
    assert_string_equal(err.where, "--formula:2:5");
    assert_string_equal(err.message, "what\n    \tb\xC3\xA9 = y\n    \t   ^");
    char text[400];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    formula_error(&err, "--formula", text, 200, "far");
    const char *line = strchr(err.message, '\n') + 1, *caret = strchr(line, '\n') + 1;
    assert_int_equal(strlen(caret), 4 + 3 + SHOWN_BEFORE + 1);
    assert_int_equal(caret - line, 4 + 3 + SHOWN_BEFORE + SHOWN_AFTER + 3 + 1);
    formula_error(&err, "--formula", "ab", 99, "past the end");
    assert_string_equal(err.where, "--formula:1:3");
}

static void test_depth(void **state) {
    (void)state;
    enum { N = 30000 };
    static char text[2 * N + 16];
    const char *const OPENINGS[] = {"(", "-", "x+", "x**", "relu(", "not "};
    for (size_t k = 0; k < sizeof OPENINGS / sizeof OPENINGS[0]; k++) {
        size_t n = 0;
        while (n + 8 < 2 * N) n += (size_t)sprintf(text + n, "%s", OPENINGS[k]);
        strcpy(text + n, "x");
        Case c;
        assert_false(run(&c, text));
        assert_non_null(strstr(c.err.message, "nested too deeply"));
        arena_free(c.a);
    }
    Arena *a = arena_new();
    Err err = {0};
    char *big = arena_alloc(a, FORMULA_MAX_BYTES + 2);
    memset(big, ' ', FORMULA_MAX_BYTES + 1);
    assert_null(formula_parse(a, big, &err));
    arena_free(a);
}

/* Shared parts must not be walked once per use: 2^200 steps otherwise. */
static void test_sharing(void **state) {
    (void)state;
    static char text[20000];
    size_t n = (size_t)sprintf(text, "a0 = x - 1");
    for (int i = 1; i < 200; i++) n += (size_t)sprintf(text + n, "; a%d = a%d - a%d", i, i - 1, i - 1);
    sprintf(text + n, "; z = log(a199)");
    Case c;
    assert_true(run(&c, text));
    assert_int_equal(c.d.inputs.at[0].range, FORMULA_UNIT);
    arena_free(c.a);
}

static void test_outputs(void **state) {
    (void)state;
    Case c;
    assert_true(run(&c, "a = x + y; b = a * 2; d = a - 1"));
    assert_int_equal(c.f->outputs.n, 2);
    assert_string_equal(c.f->outputs.at[0]->name, "b");
    assert_string_equal(c.f->outputs.at[1]->name, "d");
    assert_string_equal(formula_suggest_name(c.a, c.f), "add_mul_sub");
    arena_free(c.a);

    Case e = {.a = arena_new()};
    e.d.arena = e.a;
    assert_true(formula_declare_input(&e.d, "x:half[4]", &e.err));
    assert_true(formula_declare_outputs(&e.d, "b, a", &e.err));
    e.f = formula_parse(e.a, "a = x + 1; b = a * 2", &e.err);
    assert_non_null(e.f);
    assert_true(formula_check(e.a, e.f, &e.d, &e.err));
    assert_int_equal(e.f->outputs.n, 2);
    assert_string_equal(e.f->outputs.at[0]->name, "b");
    e.f = formula_parse(e.a, "a = x + 1; b = a * 2; w = x", &e.err);
    assert_false(formula_check(e.a, e.f, &e.d, &e.err));
    assert_non_null(strstr(e.err.message, "neither used nor an output"));
    e.f = formula_parse(e.a, "a = x + 1", &e.err);
    assert_false(formula_check(e.a, e.f, &e.d, &e.err));
    assert_non_null(strstr(e.err.message, "does not assign `b`"));
    arena_free(e.a);
}

static void test_ranges(void **state) {
    (void)state;
    static const struct {
        const char *formula;
        FormulaRange x;
    } ROWS[] = {{"log(x)", FORMULA_POSITIVE},        {"a = x * y; z = rsqrt(a + 1)", FORMULA_POSITIVE},
                {"log(1 - x)", FORMULA_UNIT},        {"log(abs(x))", FORMULA_NORMAL},
                {"sqrt(x * x + 1)", FORMULA_NORMAL}, {"log(1 + exp(-x))", FORMULA_NORMAL},
                {"x ** 2", FORMULA_NORMAL},          {"x ** 0.5", FORMULA_POSITIVE},
                {"pow(x, 3)", FORMULA_NORMAL},       {"pow(x, y)", FORMULA_POSITIVE},
                {"log(x > 0)", FORMULA_NORMAL},      {"log(i) + x", FORMULA_NORMAL}};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Case c;
        bool ok = run(&c, ROWS[i].formula);
        if (i == 10) { /* log of a mask is refused */
            assert_false(ok);
        } else {
            if (!ok) fail_msg("%s: %s", ROWS[i].formula, c.err.message);
            if (c.d.inputs.at[0].range != ROWS[i].x)
                fail_msg("%s: range %d", ROWS[i].formula, (int)c.d.inputs.at[0].range);
        }
        arena_free(c.a);
    }
}

static void test_declarations(void **state) {
    (void)state;
    static const struct {
        char kind;
        const char *spec, *where; /* where NULL: accepted */
    } ROWS[] = {{'i', " a : fp16 [ M , 3 ] ", NULL},
                {'i', "b:float32[]", NULL},
                {'i', "c:int32[0]", NULL},
                {'i', "a:float16[N]", "--input:1:1"},
                {'i', "d:float15[N]", "--input:1:3"},
                {'i', "d:float16", "--input:1:10"},
                {'i', "d:float16[M", "--input:1:12"},
                {'i', "d:float16[M,]", "--input:1:13"},
                {'i', "d:float16[-1]", "--input:1:11"},
                {'i', "d:float16[99999999999]", "--input:1:11"},
                {'i', "d:float16[1,2,3,4,5,6,7,8,9]", "--input:1:27"},
                {'i', "d:float16[M] x", "--input:1:14"},
                {'i', "d float16[M]", "--input:1:3"},
                {'i', "for:float16[M]", "--input:1:1"},
                {'i', "", "--input:1:1"},
                {'s', "p:float=-1.5e-3", NULL},
                {'s', "q:int=-7", NULL},
                {'s', "r:bool=False", NULL},
                {'s', "p:float=1", "--scalar:1:1"},
                {'s', "t:float", "--scalar:1:8"},
                {'s', "t:double=1", "--scalar:1:3"},
                {'s', "t:int=1.5", "--scalar:1:8"},
                {'s', "t:float=inf", "--scalar:1:9"},
                {'s', "t:float=0x10", "--scalar:1:10"},
                {'s', "t:float=1e999", "--scalar:1:9"},
                {'s', "t:bool=1", "--scalar:1:8"},
                {'s', "t:int=99999999999999999999", "--scalar:1:7"},
                {'d', "M=7", NULL},
                {'d', "M=8", "--dim:1:1"},
                {'d', "N=", "--dim:1:3"},
                {'d', "N=-2", "--dim:1:3"},
                {'d', "3=2", "--dim:1:1"}};
    Arena *a = arena_new();
    FormulaDecls d = {.arena = a};
    for (size_t i = 0; i < sizeof ROWS / sizeof ROWS[0]; i++) {
        Err err = {0};
        bool ok = ROWS[i].kind == 'i'   ? formula_declare_input(&d, ROWS[i].spec, &err)
                  : ROWS[i].kind == 's' ? formula_declare_scalar(&d, ROWS[i].spec, &err)
                                        : formula_declare_dim(&d, ROWS[i].spec, &err);
        if (ok != !ROWS[i].where || (!ok && strcmp(err.where, ROWS[i].where) != 0))
            fail_msg("`%s` gave %s: %s", ROWS[i].spec, err.where, err.message);
    }
    assert_int_equal(d.inputs.n, 3);
    assert_string_equal(d.scalars.at[0].text, "-0.0015");
    assert_string_equal(d.scalars.at[2].text, "False");
    arena_free(a);
}

static void test_sizes(void **state) {
    (void)state;
    Arena *a = arena_new();
    FormulaDecls d = {.arena = a};
    Err err = {0};
    assert_true(formula_declare_dim(&d, "N=512", &err));
    /* 512 is taken, so K and the unknown symbols stay apart from it and from each other. */
    assert_true(formula_declare_input(&d, "x:float16[B,M,N,Q]", &err));
    assert_true(formula_declare_input(&d, "y:float16[R,Q,256]", &err));
    assert_true(formula_settle_dims(&d, &err));
    for (size_t i = 0; i < d.dims.n; i++)
        for (size_t k = 0; k < i; k++) assert_int_not_equal(d.dims.at[i].n, d.dims.at[k].n);
    FormulaDim *largest;
    assert_true(count_elems(&d, &d.inputs.at[0], &largest) <= MAX_ELEMS_CHOSEN);
    assert_int_equal(d.dims.at[0].n, 512);

    FormulaDecls unused = {.arena = a};
    assert_true(formula_declare_input(&unused, "x:float16[M]", &err));
    assert_true(formula_declare_dim(&unused, "N=3", &err));
    assert_false(formula_settle_dims(&unused, &err));
    FormulaDecls huge = {.arena = a};
    assert_true(formula_declare_input(&huge, "x:float16[2147483647,2147483647,2147483647]", &err));
    assert_false(formula_settle_dims(&huge, &err));
    FormulaDecls same = {.arena = a};
    assert_true(formula_declare_input(&same, "M:float16[M]", &err));
    assert_false(formula_settle_dims(&same, &err));
    arena_free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_python), cmocka_unit_test(test_errors),       cmocka_unit_test(test_caret),
        cmocka_unit_test(test_depth),  cmocka_unit_test(test_sharing),      cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_ranges), cmocka_unit_test(test_declarations), cmocka_unit_test(test_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
