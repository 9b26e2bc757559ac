/* The recipe language and the operator table apart from float accuracy: every row parses and applies, int32
 * and bool operators exactly, classes and conversions, runtime numbers, errors, formulas. */
#include "kir_run.h"
#include "lower/recipe.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* ---- parser
 * -------------------------------------------------------------------------------------------------------- */

static void broken_recipes_are_refused_with_their_column(void **state) {
    (void)state;
    static const struct {
        const char *text, *column, *says;
    } BAD[] = {
        {"", "column 1:", "operand is missing"},        {"1 +", "column 4:", "operand is missing"},
        {"x * * y", "column 5:", "operand is missing"}, {"exp(x", "column 6:", "expected ')' or ','"},
        {"(x + 1", "column 7:", "expected ')'"},        {"x y", "column 3:", "something follows"},
        {"x $ y", "column 3:", "unexpected character"}, {"2x", "column 1:", "malformed number"},
        {"a = x", "column 6:", "expected ';'"},         {"a = x;", "column 7:", "operand is missing"},
        {"c ? a", "column 6:", "expected ':'"},         {"m == 'none", "column 6:", "without closing quote"},
        {"f(1,)", "column 5:", "operand is missing"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof BAD[0]; i++) {
        Arena *a = arena_new();
        Err err = {0};
        assert_null(rx_parse(a, BAD[i].text, "row", &err));
        assert_int_equal(err.code, ERR_INTERNAL);
        assert_string_equal(err.where, "row");
        if (!strstr(err.message, BAD[i].column) || !strstr(err.message, BAD[i].says))
            fail_msg("\"%s\": %s", BAD[i].text, err.message);
        arena_free(a);
    }
    Arena *a = arena_new();
    Err err = {0};
    char deep[2000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = '\0';
    assert_null(rx_parse(a, deep, "row", &err));
    assert_non_null(strstr(err.message, "too deeply"));
    arena_free(a);
}

static void formulas_print_as_latex(void **state) {
    (void)state;
    static const struct {
        const char *text, *latex;
    } GOOD[] = {
        {"x * (y + 1)", "x \\cdot \\left(y + 1\\right)"},
        {"a - (b - c)", "a - \\left(b - c\\right)"},
        {"a - b - c", "a - b - c"},
        {"-x ** 2", "-x^{2}"},
        {"(a + b) ** 2", "\\left(a + b\\right)^{2}"},
        {"alpha * x / sqrt(2 * pi)", "\\frac{\\alpha \\cdot x}{\\sqrt{2 \\cdot \\pi}}"},
        {"abs(self) < min_val", "\\left|\\mathit{self}\\right| < \\mathit{min\\_val}"},
        {"not (a < b) and c", "\\lnot \\left(a < b\\right) \\land c"},
        {"erf(x)", "\\operatorname{erf}\\left(x\\right)"},
        {"select(x > 0, x, 0)", "\\begin{cases} x & x > 0 \\\\ 0 & \\text{otherwise} \\end{cases}"},
        {"a ? 1 : 2", "\\begin{cases} 1 & a \\\\ 2 & \\text{otherwise} \\end{cases}"},
        {"2 ** -x", "2^{-x}"},
    };
    for (size_t i = 0; i < sizeof GOOD / sizeof GOOD[0]; i++) {
        Arena *a = arena_new();
        Err err = {0};
        RxNode *n = rx_parse(a, GOOD[i].text, "row", &err);
        assert_non_null(n);
        assert_string_equal(rx_latex(n, a), GOOD[i].latex);
        arena_free(a);
    }
}

/* ---- the table
 * ----------------------------------------------------------------------------------------------------- */

static bool is_mask_name(const char *name) {
    return strcmp(name, "condition") == 0 || strcmp(name, "mask") == 0 || strcmp(name, "pred") == 0;
}

/* Arguments for a row from its parameter list: tiles of `type` (masks where they must be), other values by
 * name. */
static size_t make_args(Kir *k, const PointwiseOp *op, KirType type, KirArg *args, const char **strs) {
    size_t n = 0;
    char *copy = arena_strdup(k->arena, op->params), *state = NULL;
    for (char *w = strtok_r(copy, " ", &state); w; w = strtok_r(NULL, " ", &state), n++) {
        args[n] = (KirArg){0};
        strs[n] = NULL;
        if (strchr(w, '=')) continue;
        if (strncmp(w, "size", 4) == 0 || strncmp(w, "shape", 5) == 0) continue;
        static const char *const NUMBERS[] = {
            "threshold",   "value",          "min_val",    "max_val", "beta", "lambd",     "alpha", "scale",
            "input_scale", "negative_slope", "fill_value", "delta",   "s",    "is_result", "weight"};
        bool number = strncmp(w, "reduction", 9) == 0;
        for (size_t i = 0; i < sizeof NUMBERS / sizeof NUMBERS[0]; i++)
            number = number || strcmp(w, NUMBERS[i]) == 0;
        if (number)
            args[n] = (KirArg){.kind = KIR_ARG_NUM,
                               .num = kir_const(strncmp(w, "reduction", 9) == 0 ? 0 : 1),
                               .num_is_int = true};
        else
            args[n] = (KirArg){.kind = KIR_ARG_VAL,
                               .val = kir_load(k, is_mask_name(w) ? KIR_MASK : type, (uint32_t)n)};
    }
    return n;
}

static void every_row_parses_and_applies(void **state) {
    (void)state;
    assert_true(pointwise_count() > 150);
    for (size_t i = 0; i < pointwise_count(); i++) {
        const PointwiseOp *op = pointwise_at(i);
        assert_ptr_equal(pointwise_find(op->target), op); /* no name twice */
        assert_true(strlen(op->text) > 0 && strlen(op->latex) > 0);
        assert_null(strchr(op->params, ':')); /* how the row takes an argument is not the caller's business */
        static const struct {
            DType in, out;
            KirType type;
        } TRY[] = {{DTYPE_F32, DTYPE_F32, KIR_F32},    {DTYPE_F16, DTYPE_F16, KIR_F32},
                   {DTYPE_I32, DTYPE_I32, KIR_I32},    {DTYPE_I32, DTYPE_F32, KIR_I32},
                   {DTYPE_BOOL, DTYPE_BOOL, KIR_MASK}, {DTYPE_BOOL, DTYPE_F32, KIR_MASK}};
        size_t worked = 0;
        for (size_t t = 0; t < sizeof TRY / sizeof TRY[0]; t++) {
            Arena *a = arena_new();
            Kir *k = kir_new(a);
            KirArg args[16], out = {0};
            const char *strs[16];
            Err err = {0};
            size_t n = make_args(k, op, TRY[t].type, args, strs);
            bool ok = pointwise_apply(k, op->target, args, strs, n, TRY[t].in, TRY[t].out, &out, &err);
            if (!ok && err.code != ERR_UNSUPPORTED && err.code != ERR_OK)
                fail_msg("%s: %s", op->target, err.message);
            if (ok) {
                worked++;
                kir_store(k, 0, kir_materialise(k, out, kir_type_of_dtype(TRY[t].out)));
                kir_prune(k);
                if (!kir_check(k, &err)) fail_msg("%s: %s", op->target, err.message);
            }
            arena_free(a);
        }
        bool none_by_default =
            strstr(op->params, "reduction=1") != NULL; /* PyTorch's default is a mean: not pointwise */
        if (worked == 0 && !none_by_default) fail_msg("%s works for no class", op->target);
        if (getenv("OPWRIGHT_LIST_OPS")) printf("%s\n", op->target);
    }
    assert_null(pointwise_find("aten.convolution.default"));
}

/* ---- running one operator
 * ------------------------------------------------------------------------------------------ */

typedef struct Op {
    const char *target;
    DType in, out;
    KirArg arg[6];
    const char *str[6];
    size_t n_arg;
    double scalars[4];
} Op;

#define X_ARG    ((KirArg){.kind = KIR_ARG_VAL, .val = 0})
#define Y_ARG    ((KirArg){.kind = KIR_ARG_VAL, .val = 1})
#define M_ARG    ((KirArg){.kind = KIR_ARG_VAL, .val = 2})
#define INT(n)   ((KirArg){.kind = KIR_ARG_NUM, .num = {.value = (n)}, .num_is_int = true})
#define FLOAT(n) ((KirArg){.kind = KIR_ARG_NUM, .num = {.value = (n)}})
#define RUNTIME(i)                                                                                           \
    ((KirArg){.kind = KIR_ARG_NUM, .num = {.is_runtime = true, .index = (i)}, .num_is_int = true})

/* x and y are loads 0 and 1 of the input's class, a mask is load 2. */
static Cell run_op(const Op *op, Cell x, Cell y, int m, KirType *out_type) {
    Arena *a = arena_new();
    Kir *k = kir_new(a);
    KirType t = kir_type_of_dtype(op->in);
    kir_load(k, t, 0), kir_load(k, t, 1), kir_load(k, KIR_MASK, 2);
    KirArg out = {0};
    Err err = {0};
    if (!pointwise_apply(k, op->target, op->arg, op->str, op->n_arg, op->in, op->out, &out, &err))
        fail_msg("%s: %s", op->target, err.message);
    KirVal v = kir_materialise(k, out, kir_type_of_dtype(op->out));
    *out_type = kir_type(k, v);
    kir_store(k, 0, v);
    kir_prune(k);
    if (!kir_check(k, &err)) fail_msg("%s: %s", op->target, err.message);
    Cell mask = {.i = m}, result = {.u = 0};
    const Cell *load[] = {&x, &y, &mask};
    Cell *store[] = {&result};
    kir_run(k, &(RunInput){load, store, op->scalars, 1, NAN_PASSES});
    arena_free(a);
    return result;
}

static double run_number(const Op *op, double x, double y, int m) {
    KirType in = kir_type_of_dtype(op->in), out;
    Cell cx = {.u = 0}, cy = {.u = 0};
    if (in == KIR_F32) cx.f = (float)x, cy.f = (float)y;
    else cx.i = (int32_t)x, cy.i = (int32_t)y;
    Cell r = run_op(op, cx, cy, m, &out);
    return out == KIR_F32 ? (double)r.f : (double)r.i;
}

/* ---- int32
 * ---------------------------------------------------------------------------------------------------------
 */

static int32_t wrap(int64_t v) {
    return (int32_t)(uint32_t)(uint64_t)v;
}
static int64_t i_floordiv(int64_t a, int64_t b) {
    return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
static int64_t i_remainder(int64_t a, int64_t b) {
    return a - i_floordiv(a, b) * b;
}
static int64_t i_pow(int64_t a, int64_t b) {
    if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    uint32_t r = 1, s = (uint32_t)a;
    for (; b; b >>= 1, s *= s)
        if (b & 1) r *= s;
    return (int32_t)r;
}
static int64_t i_shl(int64_t a, int64_t b) {
    return b < 0 || b > 31 ? 0 : (int64_t)(int32_t)((uint32_t)a << b);
}
static int64_t i_shr(int64_t a, int64_t b) {
    return a >> (b < 0 || b > 31 ? 31 : b);
}
static bool i_dividable(int64_t a, int64_t b) {
    return b != 0 && !(a == INT32_MIN && b == -1);
}

#define SKIP INT64_MIN /* the operator promises nothing here */
/* clang-format off */
#define INT_CASES                                                                                                      \
    X(add, "aten.add.Tensor", DTYPE_I32, a + b)                                                                              \
    X(sub, "aten.sub.Tensor", DTYPE_I32, a - b)                                                                              \
    X(mul, "aten.mul.Tensor", DTYPE_I32, a *b)                                                                               \
    X(maximum, "aten.maximum.default", DTYPE_I32, a > b ? a : b)                                                                 \
    X(minimum, "aten.minimum.default", DTYPE_I32, a < b ? a : b)                                                                 \
    X(fmax, "aten.fmax.default", DTYPE_I32, a > b ? a : b)                                                                    \
    X(floordiv, "aten.floor_divide.default", DTYPE_I32, i_dividable(a, b) ? i_floordiv(a, b) : SKIP)                              \
    X(from_end, "opwright.index_from_end.default", DTYPE_I32, (int32_t)(uint32_t)(a < 0 ? a + b : a))                                 \
    X(remainder, "aten.remainder.Tensor", DTYPE_I32, i_dividable(a, b) ? i_remainder(a, b) : SKIP)                                 \
    X(fmod, "aten.fmod.Tensor", DTYPE_I32, i_dividable(a, b) ? a % b : SKIP)                                                  \
    X(primdiv, "prims.div.default", DTYPE_I32, i_dividable(a, b) ? a / b : SKIP)                                                 \
    X(pow, "aten.pow.Tensor_Tensor", DTYPE_I32, i_pow(a, b))                                                                 \
    X(and, "aten.bitwise_and.Tensor", DTYPE_I32, a &b)                                                                       \
    X(or, "aten.bitwise_or.Tensor", DTYPE_I32, a | b)                                                                       \
    X(xor, "aten.bitwise_xor.Tensor", DTYPE_I32, a ^ b)                                                                      \
    X(shl, "aten.bitwise_left_shift.Tensor", DTYPE_I32, i_shl(a, b))                                                         \
    X(shr, "aten.bitwise_right_shift.Tensor", DTYPE_I32, i_shr(a, b))                                                        \
    X(eq, "aten.eq.Tensor", DTYPE_BOOL, a == b)                                                                             \
    X(ne, "aten.ne.Tensor", DTYPE_BOOL, a != b)                                                                             \
    X(lt, "aten.lt.Tensor", DTYPE_BOOL, a < b)                                                                              \
    X(le, "aten.le.Tensor", DTYPE_BOOL, a <= b)                                                                             \
    X(gt, "aten.gt.Tensor", DTYPE_BOOL, a > b)                                                                              \
    X(ge, "aten.ge.Tensor", DTYPE_BOOL, a >= b)                                                                             \
    X(land, "aten.logical_and.default", DTYPE_BOOL, a && b)                                                                   \
    X(lxor, "aten.logical_xor.default", DTYPE_BOOL, !a != !b)                                                                 \
    X(heaviside, "aten.heaviside.default", DTYPE_I32, a == 0 ? b : a > 0)                                                          \
    X(square, "aten.square.default", DTYPE_I32, a *a)                                                                           \
    X(abs, "aten.abs.default", DTYPE_I32, a < 0 ? -a : a)                                                                    \
    X(neg, "aten.neg.default", DTYPE_I32, -a)                                                                                \
    X(sign, "aten.sign.default", DTYPE_I32, (a > 0) - (a < 0))                                                                \
    X(relu, "aten.relu.default", DTYPE_I32, a > 0 ? a : 0)                                                                    \
    X(not, "aten.bitwise_not.default", DTYPE_I32, ~a)                                                                        \
    X(floor, "aten.floor.default", DTYPE_I32, a)                                                                               \
    X(lnot, "aten.logical_not.default", DTYPE_BOOL, a == 0)                                                                   \
    X(signbit, "aten.signbit.default", DTYPE_BOOL, a < 0)                                                                        \
    X(isnan, "aten.isnan.default", DTYPE_BOOL, 0)                                                                              \
    X(isfinite, "aten.isfinite.default", DTYPE_BOOL, 1)
/* clang-format on */

static const int32_t EDGES[] = {0,
                                1,
                                -1,
                                2,
                                -2,
                                3,
                                -3,
                                7,
                                -7,
                                10,
                                -10,
                                31,
                                32,
                                33,
                                63,
                                64,
                                100,
                                -100,
                                255,
                                256,
                                46341,
                                -46341,
                                65535,
                                65536,
                                16777215,
                                16777216,
                                16777217,
                                -16777217,
                                33554433,
                                1073741823,
                                1073741824,
                                -1073741824,
                                2147483646,
                                INT32_MAX,
                                -INT32_MAX,
                                INT32_MIN,
                                INT32_MIN + 1,
                                123456789,
                                -987654321,
                                1999999999,
                                715827883};
#define N_EDGES (sizeof EDGES / sizeof EDGES[0])
#define N_PAIRS (N_EDGES * N_EDGES + 20000)

static Cell pair_x[N_PAIRS], pair_y[N_PAIRS], pair_out[N_PAIRS];

static void make_pairs(void) {
    size_t n = 0;
    for (size_t i = 0; i < N_EDGES; i++)
        for (size_t j = 0; j < N_EDGES; j++, n++) pair_x[n].i = EDGES[i], pair_y[n].i = EDGES[j];
    uint64_t s = 12345;
    for (; n < N_PAIRS; n++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        pair_x[n].u = (uint32_t)(s >> 32);
        pair_y[n].u = (uint32_t)(s >> 16);
        if (n & 1) pair_y[n].i >>= s % 31;
        if (n & 2)
            pair_x[n].u =
                pair_y[n].u * (uint32_t)(s % 7) + (uint32_t)(s % 3) - 1; /* around exact quotients */
        if (n & 4) pair_y[n].i >>= 24;
    }
}

static void check_int(const char *target, DType out, int64_t (*ref)(int64_t, int64_t)) {
    Arena *a = arena_new();
    Kir *k = kir_new(a);
    KirArg args[] = {{.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_I32, 0)},
                     {.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_I32, 1)}},
           r = {0};
    Err err = {0};
    size_t n_arg = strchr(pointwise_find(target)->params, ' ') ? 2 : 1;
    if (!pointwise_apply(k, target, args, NULL, n_arg, DTYPE_I32, out, &r, &err))
        fail_msg("%s: %s", target, err.message);
    kir_store(k, 0, kir_materialise(k, r, kir_type_of_dtype(out)));
    kir_prune(k);
    assert_true(kir_check(k, &err));
    const Cell *load[] = {pair_x, pair_y};
    Cell *store[] = {pair_out};
    kir_run(k, &(RunInput){load, store, NULL, N_PAIRS, NAN_PASSES});
    if (getenv("OPWRIGHT_NUM_TABLE"))
        printf("%-36s %8.1f cycles, %zu instructions\n", target, kir_cycles64(k), k->insns.n);
    for (size_t i = 0; i < N_PAIRS; i++) {
        int64_t want = ref(pair_x[i].i, pair_y[i].i);
        if (want != SKIP && pair_out[i].i != wrap(want))
            fail_msg("%s of %d and %d gives %d, not %d", target, pair_x[i].i, pair_y[i].i, pair_out[i].i,
                     wrap(want));
    }
    arena_free(a);
}

#define X(name, target, out, expr)                                                                           \
    static int64_t ref_##name(int64_t a, int64_t b) {                                                        \
        (void)a, (void)b;                                                                                    \
        return expr;                                                                                         \
    }
INT_CASES
#undef X

static void int32_operators_are_exact(void **state) {
    (void)state;
    make_pairs();
#define X(name, target, out, expr) check_int(target, out, ref_##name);
    INT_CASES
#undef X
}

/* Numbers as operands, known or at run time. */
static void int32_with_numbers(void **state) {
    (void)state;
    static const double VALUES[] = {-2147483648.0, -100, -7, -1, 0, 1, 6, 7, 13, 1000, 2147483647.0};
    for (size_t i = 0; i < sizeof VALUES / sizeof VALUES[0]; i++) {
        double x = VALUES[i];
        Op op = {.in = DTYPE_I32, .out = DTYPE_I32, .arg = {X_ARG, INT(7)}, .n_arg = 2, .scalars = {7, 31}};
        for (int runtime = 0; runtime < 2; runtime++) {
            op.arg[1] = runtime ? RUNTIME(0) : INT(7);
            op.target = "aten.floor_divide.Scalar";
            assert_true(run_number(&op, x, 0, 0) == floor(x / 7));
            op.target = "aten.remainder.Scalar";
            assert_true(run_number(&op, x, 0, 0) == x - floor(x / 7) * 7);
            op.target = "aten.clamp_min.default";
            assert_true(run_number(&op, x, 0, 0) == fmax(x, 7));
            op.target = "aten.sub.Scalar";
            assert_true(run_number(&op, x, 0, 0) == (double)wrap((int64_t)x - 7));
            op.target = "aten.bitwise_and.Scalar";
            assert_true(run_number(&op, x, 0, 0) == (double)((int32_t)x & 7));
            op.target = "aten.bitwise_left_shift.Tensor_Scalar";
            assert_true(run_number(&op, x, 0, 0) == (double)i_shl((int64_t)x, 7));
            op.target = "aten.bitwise_right_shift.Tensor_Scalar";
            assert_true(run_number(&op, x, 0, 0) == (double)i_shr((int64_t)x, 7));
            op.target = "aten.pow.Tensor_Scalar";
            assert_true(run_number(&op, x, 0, 0) == (double)i_pow((int64_t)x, 7));
        }
        op = (Op){"aten.pow.Scalar", DTYPE_I32, DTYPE_I32, {INT(3), X_ARG}, {0}, 2, {0}};
        assert_true(run_number(&op, x, 0, 0) == (double)i_pow(3, (int64_t)x));
        op = (Op){"aten.add.Tensor", DTYPE_I32, DTYPE_I32, {X_ARG, X_ARG, INT(-3)}, {0}, 3, {0}};
        assert_true(run_number(&op, x, 0, 0) == (double)wrap(-2 * (int64_t)x));
        op = (Op){"aten.add.Tensor", DTYPE_I32, DTYPE_I32, {X_ARG, Y_ARG, RUNTIME(1)}, {0}, 3, {7, 31}};
        assert_true(run_number(&op, x, 5, 0) == (double)wrap((int64_t)x + 31 * 5));
        op = (Op){"aten.clamp.default", DTYPE_I32, DTYPE_I32, {X_ARG, INT(-5), INT(9)}, {0}, 3, {0}};
        assert_true(run_number(&op, x, 0, 0) == fmin(fmax(x, -5), 9));
        op = (Op){"aten.masked_fill.Scalar", DTYPE_I32, DTYPE_I32, {X_ARG, M_ARG, FLOAT(2.7)}, {0}, 3, {0}};
        assert_true(run_number(&op, x, 0, 1) == 2 && run_number(&op, x, 0, 0) == x);
    }
}

/* ---- classes
 * ------------------------------------------------------------------------------------------------------- */

static void integers_compute_as_floats_where_pytorch_says_so(void **state) {
    (void)state;
    Op op = {"aten.div.Tensor", DTYPE_I32, DTYPE_F32, {X_ARG, Y_ARG}, {0}, 2, {0}};
    assert_true(run_number(&op, 7, 2, 0) == 3.5);
    op = (Op){"aten.sigmoid.default", DTYPE_I32, DTYPE_F32, {X_ARG}, {0}, 1, {0}};
    assert_true(run_number(&op, 0, 0, 0) == 0.5);
    op = (Op){"aten.exp.default", DTYPE_BOOL, DTYPE_F32, {X_ARG}, {0}, 1, {0}};
    assert_true(run_number(&op, 1, 0, 0) == (double)expf(1));
    op = (Op){"aten.mul.Tensor", DTYPE_I32, DTYPE_F32, {X_ARG, FLOAT(0.5)}, {0}, 2, {0}};
    assert_true(run_number(&op, 3, 0, 0) == 1.5);
    op = (Op){"aten.lt.Scalar", DTYPE_I32, DTYPE_BOOL, {X_ARG, FLOAT(2.5)}, {0}, 2, {0}};
    assert_true(run_number(&op, 2, 0, 0) == 1 && run_number(&op, 3, 0, 0) == 0);
    op = (Op){"aten.eq.Scalar", DTYPE_BOOL, DTYPE_BOOL, {X_ARG, INT(2)}, {0}, 2, {0}};
    assert_true(run_number(&op, 1, 0, 0) == 0 && run_number(&op, 0, 0, 0) == 0);
    op = (Op){"aten.div.Tensor_mode", DTYPE_I32, DTYPE_I32, {X_ARG, Y_ARG, {0}}, {0, 0, "floor"}, 3, {0}};
    assert_true(run_number(&op, -7, 2, 0) == -4);
    op.str[2] = "trunc";
    assert_true(run_number(&op, -7, 2, 0) == -3);
    op = (Op){"aten.nan_to_num.default", DTYPE_F16, DTYPE_F16, {X_ARG}, {0}, 1, {0}};
    assert_true(run_number(&op, INFINITY, 0, 0) == 65504 && run_number(&op, -INFINITY, 0, 0) == -65504 &&
                run_number(&op, NAN, 0, 0) == 0);
}

static void bools_follow_logic(void **state) {
    (void)state;
    static const struct {
        const char *target;
        int want[4]; /* of (x, y) = 00 01 10 11 */
    } CASES[] = {
        {"aten.add.Tensor", {0, 1, 1, 1}},          {"aten.mul.Tensor", {0, 0, 0, 1}},
        {"aten.maximum.default", {0, 1, 1, 1}},     {"aten.minimum.default", {0, 0, 0, 1}},
        {"aten.eq.Tensor", {1, 0, 0, 1}},           {"aten.ne.Tensor", {0, 1, 1, 0}},
        {"aten.lt.Tensor", {0, 1, 0, 0}},           {"aten.le.Tensor", {1, 1, 0, 1}},
        {"aten.gt.Tensor", {0, 0, 1, 0}},           {"aten.ge.Tensor", {1, 0, 1, 1}},
        {"aten.logical_and.default", {0, 0, 0, 1}}, {"aten.logical_or.default", {0, 1, 1, 1}},
        {"aten.logical_xor.default", {0, 1, 1, 0}}, {"aten.bitwise_xor.Tensor", {0, 1, 1, 0}},
        {"aten.bitwise_and.Tensor", {0, 0, 0, 1}},  {"aten.bitwise_or.Tensor", {0, 1, 1, 1}},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Op op = {CASES[i].target, DTYPE_BOOL, DTYPE_BOOL, {X_ARG, Y_ARG}, {0}, 2, {0}};
        for (int v = 0; v < 4; v++)
            if (run_number(&op, v >> 1, v & 1, 0) != CASES[i].want[v])
                fail_msg("%s of %d %d", CASES[i].target, v >> 1, v & 1);
    }
    Op op = {"aten.where.self", DTYPE_BOOL, DTYPE_BOOL, {M_ARG, X_ARG, Y_ARG}, {0}, 3, {0}};
    for (int v = 0; v < 8; v++)
        assert_true(run_number(&op, v & 1, v >> 1 & 1, v >> 2) == (v >> 2 ? v & 1 : v >> 1 & 1));
    op = (Op){"aten.bitwise_not.default", DTYPE_BOOL, DTYPE_BOOL, {X_ARG}, {0}, 1, {0}};
    assert_true(run_number(&op, 0, 0, 0) == 1 && run_number(&op, 1, 0, 0) == 0);
}

static void casts_follow_pytorch(void **state) {
    (void)state;
    Op op = {"prims.convert_element_type.default", DTYPE_F32, DTYPE_I32, {X_ARG}, {0}, 1, {0}};
    assert_true(run_number(&op, -2.7, 0, 0) == -2 && run_number(&op, 2.7, 0, 0) == 2);
    op.out = DTYPE_BOOL;
    assert_true(run_number(&op, -0.0, 0, 0) == 0 && run_number(&op, 0.1, 0, 0) == 1 &&
                run_number(&op, NAN, 0, 0) == 1);
    op.out = DTYPE_F16;
    assert_true(run_number(&op, 1 + 0x1p-11 + 0x1p-20, 0, 0) == 1 + 0x1p-10);
    op.out = DTYPE_BF16;
    assert_true(run_number(&op, 1 + 0x1p-8, 0, 0) == 1 && run_number(&op, 1 + 0x3p-8, 0, 0) == 1 + 0x1p-6);
    op.in = DTYPE_I32, op.out = DTYPE_F16;
    assert_true(run_number(&op, 2049, 0, 0) == 2048);
    op.in = DTYPE_BOOL, op.out = DTYPE_F32;
    assert_true(run_number(&op, 1, 0, 0) == 1 && run_number(&op, 0, 0, 0) == 0);
    op.out = DTYPE_I32;
    assert_true(run_number(&op, 1, 0, 0) == 1 && run_number(&op, 0, 0, 0) == 0);
    /* nothing is rounded twice or when it need not be */
    Arena *a = arena_new();
    Kir *k = kir_new(a);
    KirArg x = {.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_F32, 0)}, r = {0};
    Err err = {0};
    assert_true(pointwise_apply(k, "aten._to_copy.default", &x, NULL, 1, DTYPE_F16, DTYPE_F32, &r, &err));
    assert_int_equal(r.val, x.val);
    assert_true(pointwise_apply(k, "aten._to_copy.default", &x, NULL, 1, DTYPE_F16, DTYPE_F16, &r, &err));
    assert_int_equal(r.val, x.val);
    arena_free(a);
}

/* ---- numbers and errors
 * -------------------------------------------------------------------------------------------- */

static void constants_come_back_as_numbers(void **state) {
    (void)state;
    Arena *a = arena_new();
    Kir *k = kir_new(a);
    KirArg like = {.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_F32, 0)}, r = {0};
    Err err = {0};
    assert_true(pointwise_apply(k, "aten.full_like.default", (KirArg[]){like, FLOAT(0.1)}, NULL, 2, DTYPE_F32,
                                DTYPE_F32, &r, &err));
    assert_true(r.kind == KIR_ARG_NUM && r.num.value == 0.1);
    assert_true(pointwise_apply(k, "aten.ones_like.default", &like, NULL, 1, DTYPE_F32, DTYPE_F32, &r, &err));
    assert_true(r.kind == KIR_ARG_NUM && r.num.value == 1 && !r.num_is_int);
    assert_true(pointwise_apply(k, "aten.add.Tensor", (KirArg[]){INT(2), INT(3)}, NULL, 2, DTYPE_I32,
                                DTYPE_I32, &r, &err));
    assert_true(r.kind == KIR_ARG_NUM && r.num.value == 5 && r.num_is_int);
    assert_true(pointwise_apply(k, "aten.tanh.default", (KirArg[]){FLOAT(0.5)}, NULL, 1, DTYPE_F32, DTYPE_F32,
                                &r, &err));
    assert_true(r.kind == KIR_ARG_NUM && fabs(r.num.value - tanh(0.5)) < 1e-7);
    assert_true(pointwise_apply(k, "aten.scalar_tensor.default", (KirArg[]){RUNTIME(1)}, NULL, 1, DTYPE_F32,
                                DTYPE_F32, &r, &err));
    assert_true(r.kind == KIR_ARG_NUM && r.num.is_runtime && r.num.index == 1);
    arena_free(a);
}

static void errors_name_the_operator_and_the_way_out(void **state) {
    (void)state;
    Arena *a = arena_new();
    Kir *k = kir_new(a);
    KirArg x = {.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_F32, 0)},
           i = {.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_I32, 1)}, r;
    Err err = {0};
    assert_false(pointwise_apply(k, "aten.convolution.default", &x, NULL, 1, DTYPE_F32, DTYPE_F32, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "aten.convolution.default"));
    assert_false(pointwise_apply(k, "aten.bitwise_and.Tensor", (KirArg[]){x, x}, NULL, 2, DTYPE_F32,
                                 DTYPE_F32, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "floating") && strstr(err.hint, "int32"));
    assert_false(pointwise_apply(k, "aten.exp.default", &i, NULL, 1, DTYPE_I32, DTYPE_I32, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "integer") && strstr(err.hint, "float32"));
    assert_false(pointwise_apply(k, "aten.abs.default", &x, NULL, 1, DTYPE_F64, DTYPE_F64, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "float64") && strstr(err.hint, "float32"));
    assert_false(pointwise_apply(k, "aten.abs.default", &i, NULL, 1, DTYPE_I64, DTYPE_I64, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "int64") && strstr(err.hint, "int32"));
    assert_false(pointwise_apply(k, "aten.mse_loss.default", (KirArg[]){x, x, INT(1)}, NULL, 3, DTYPE_F32,
                                 DTYPE_F32, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "reduction none"));
    assert_false(pointwise_apply(k, "aten.mse_loss.default", (KirArg[]){x, x}, NULL, 2, DTYPE_F32, DTYPE_F32,
                                 &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED);
    assert_false(
        pointwise_apply(k, "aten.abs.default", (KirArg[]){x, x}, NULL, 2, DTYPE_F32, DTYPE_F32, &r, &err));
    assert_true(err.code == ERR_UNSUPPORTED && strstr(err.message, "1 arguments"));
    arena_free(a);
}

/* What matters for cost: constants choose the cheap form. */
static void known_numbers_take_the_cheap_form(void **state) {
    (void)state;
    static const struct {
        const char *target;
        KirArg arg;
        double at_most;
    } CASES[] = {
        {"aten.pow.Tensor_Scalar", INT(2), 1},     {"aten.pow.Tensor_Scalar", INT(3), 2},
        {"aten.pow.Tensor_Scalar", FLOAT(0.5), 2}, {"aten.div.Scalar", INT(8), 1},
        {"aten.add.Scalar", FLOAT(0.1), 1},        {"aten.sub.Scalar", FLOAT(0.1), 1},
        {"aten.clamp_min.default", INT(0), 2.1},   {"aten.mul.Scalar", INT(1), 0},
        {"aten.clamp.default", INT(0), 3},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        Arena *a = arena_new();
        Kir *k = kir_new(a);
        KirArg r = {0};
        Err err = {0};
        KirArg x = {.kind = KIR_ARG_VAL, .val = kir_load(k, KIR_F32, 0)};
        assert_true(pointwise_apply(k, CASES[i].target, (KirArg[]){x, CASES[i].arg}, NULL, 2, DTYPE_F32,
                                    DTYPE_F32, &r, &err));
        kir_store(k, 0, kir_materialise(k, r, KIR_F32));
        kir_prune(k);
        if (kir_cycles64(k) > CASES[i].at_most) fail_msg("%s costs %g", CASES[i].target, kir_cycles64(k));
        arena_free(a);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_recipes_are_refused_with_their_column),
        cmocka_unit_test(formulas_print_as_latex),
        cmocka_unit_test(every_row_parses_and_applies),
        cmocka_unit_test(int32_operators_are_exact),
        cmocka_unit_test(int32_with_numbers),
        cmocka_unit_test(integers_compute_as_floats_where_pytorch_says_so),
        cmocka_unit_test(bools_follow_logic),
        cmocka_unit_test(casts_follow_pytorch),
        cmocka_unit_test(constants_come_back_as_numbers),
        cmocka_unit_test(errors_name_the_operator_and_the_way_out),
        cmocka_unit_test(known_numbers_take_the_cheap_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
