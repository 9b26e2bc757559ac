/* Meaning of a parsed formula: what each name is, the class and shape of every part, which overload a call
 * takes, the outputs, and which inputs must be drawn positive so that logarithms and roots are of numbers
 * that have one. */
#include "cli/formula.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the function tables ----------------------------------------------------------------------- */

#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)
/* A C function for each row of numbers, told apart by the row's line in formula.def. */
#define FORMULA_NUM(name_, pattern_, python_, value_)                                                        \
    static double JOIN(value_at_, __LINE__)(const double *v) {                                               \
        return value_;                                                                                       \
    }
#include "cli/formula.def"
#undef FORMULA_NUM

#define CLASS_OF_F FORMULA_FLOAT
#define CLASS_OF_I FORMULA_INT
#define CLASS_OF_U FORMULA_INT
#define CLASS_OF_B FORMULA_BOOL

const FormulaFn FORMULA_FNS[] = {
#define FORMULA_FN(name_, pattern_, args_, result_, domain_, sign_, python_)                                 \
    {.name = name_,                                                                                          \
     .pattern = pattern_,                                                                                    \
     .args = FORMULA_ARGS_##args_,                                                                           \
     .result = FORMULA_##result_,                                                                            \
     .domain = FORMULA_DOMAIN_##domain_,                                                                     \
     .sign = FORMULA_SIGN_##sign_,                                                                           \
     .python = python_},
#include "cli/formula.def"
#undef FORMULA_FN
#define FORMULA_NUM(name_, pattern_, python_, value_)                                                        \
    {.name = name_,                                                                                          \
     .pattern = pattern_,                                                                                    \
     .args = FORMULA_ARGS_ANY,                                                                               \
     .result = FORMULA_FLOAT,                                                                                \
     .python = python_,                                                                                      \
     .value = JOIN(value_at_, __LINE__)},
#include "cli/formula.def"
#undef FORMULA_NUM
/* Every element type is a cast of that name. */
#define DTYPE(id, torch_, cxx, ge, msop, size, cls_)                                                         \
    {.name = torch_,                                                                                         \
     .pattern = "T",                                                                                         \
     .args = FORMULA_ARGS_ANY,                                                                               \
     .result = CLASS_OF_##cls_,                                                                              \
     .sign = FORMULA_SIGN_ARGS,                                                                              \
     .python = "$p0.to(torch." torch_ ")"},
#include "base/dtype.def"
#undef DTYPE
};
const size_t FORMULA_N_FNS = sizeof FORMULA_FNS / sizeof FORMULA_FNS[0];

static const struct {
    const char *name, *python;
    double value;
} CONSTS[] = {
#define FORMULA_CONST(name_, python_, value_) {name_, python_, value_},
#include "cli/formula.def"
#undef FORMULA_CONST
};

static const char *const CLASS_WORDS[] = {
    [FORMULA_BOOL] = "bool", [FORMULA_INT] = "integer", [FORMULA_FLOAT] = "float"};

typedef struct Checker {
    Arena *a;
    Formula *f;
    FormulaDecls *d;
    size_t n_done; /* statements checked so far: only those may be used */
    Err *err;
} Checker;

#define fail_at(c, at, ...) formula_error((c)->err, "--formula", (c)->f->text, (at), __VA_ARGS__)

/* ---- shapes ------------------------------------------------------------------------------------ */

static const char *print_size(Arena *a, FormulaSize s) {
    return s.symbol ? s.symbol : arena_printf(a, "%lld", (long long)s.n);
}

char *formula_print_shape(Arena *a, FormulaShape s) {
    char *text = arena_strdup(a, "[");
    for (size_t i = 0; i < s.rank; i++)
        text = arena_printf(a, "%s%s%s", text, i ? ", " : "", print_size(a, s.dim[i]));
    return arena_printf(a, "%s]", text);
}

static bool same_size(FormulaSize a, FormulaSize b) {
    if (a.symbol && b.symbol) return !strcmp(a.symbol, b.symbol);
    return !a.symbol && !b.symbol && a.n == b.n;
}

static bool is_one(FormulaSize s) {
    return !s.symbol && s.n == 1;
}

/* Widens *shape by another operand's shape, as PyTorch aligns them: from the last dimension. */
static bool broadcast(Checker *c, size_t at, FormulaShape *shape, FormulaShape other) {
    size_t rank = shape->rank > other.rank ? shape->rank : other.rank;
    FormulaSize *dim = ARENA_ARRAY(c->a, rank, FormulaSize);
    for (size_t i = 0; i < rank; i++) { /* i counts from the last dimension */
        FormulaSize one = {.n = 1};
        FormulaSize l = i < shape->rank ? shape->dim[shape->rank - 1 - i] : one;
        FormulaSize r = i < other.rank ? other.dim[other.rank - 1 - i] : one;
        if (!same_size(l, r) && !is_one(l) && !is_one(r)) {
            fail_at(c, at, "shapes %s and %s do not broadcast: dimension %s meets %s",
                    formula_print_shape(c->a, *shape), formula_print_shape(c->a, other), print_size(c->a, l),
                    print_size(c->a, r));
            return err_hint(
                c->err,
                "shapes are aligned at their last dimension; there, sizes are the same symbol or number, "
                "or one of them is 1 or missing");
        }
        dim[rank - 1 - i] = is_one(l) ? r : l;
    }
    *shape = (FormulaShape){.rank = rank, .dim = dim};
    return true;
}

static bool broadcast_args(Checker *c, FormulaNode *n) {
    bool is_first = true;
    for (size_t i = 0; i < n->n_args; i++) {
        const FormulaNode *arg = n->arg[i];
        if (!arg->is_tensor) continue;
        if (is_first) n->shape = arg->shape;
        else if (!broadcast(c, n->kind == FORMULA_CALL ? arg->at : n->at, &n->shape, arg->shape))
            return false;
        is_first = false;
    }
    return true;
}

/* ---- ranges of inputs -------------------------------------------------------------------------- */

/* Asks the inputs behind n to be drawn so that n comes out positive, as far as that can be told. Each
 * statement is entered once per range, so shared parts cost nothing. */
static void want_positive(FormulaNode *n, FormulaRange range) {
    if (!n->is_tensor || (n->never_negative && range < FORMULA_UNIT)) return;
    if (n->input && n->input->range < range) n->input->range = range;
    if (n->statement && n->statement->range < range) {
        n->statement->range = range;
        want_positive(n->statement->value, range);
    }
    if (n->kind == FORMULA_OPERATION && (n->op == FORMULA_OP_SUB || n->op == FORMULA_OP_NEG))
        range = FORMULA_UNIT;
    for (size_t i = 0; i < n->n_args; i++) want_positive(n->arg[i], range);
}

static bool is_whole_number(const FormulaNode *n) {
    return !n->is_tensor && n->value == floor(n->value);
}

static bool all_never_negative(const FormulaNode *n) {
    for (size_t i = 0; i < n->n_args; i++)
        if (!n->arg[i]->never_negative) return false;
    return true;
}

static bool op_never_negative(const FormulaNode *n) {
    if (n->cls == FORMULA_BOOL) return true;
    switch (n->op) {
    case FORMULA_OP_SUB:
    case FORMULA_OP_NEG:
    case FORMULA_OP_BITNOT:
        return false;
    case FORMULA_OP_MUL:
        if (n->arg[0]->kind == FORMULA_NAME && n->arg[1]->kind == FORMULA_NAME &&
            !strcmp(n->arg[0]->text, n->arg[1]->text))
            return true;
        return all_never_negative(n);
    case FORMULA_OP_POW:
        if (is_whole_number(n->arg[1]) && fmod(n->arg[1]->value, 2) == 0) return true; /* NOLINT: exact */
        return n->arg[0]->never_negative;
    default:
        return all_never_negative(n);
    }
}

static void want_power_domain(FormulaNode *n) {
    if (n->cls == FORMULA_FLOAT && !is_whole_number(n->arg[1])) want_positive(n->arg[0], FORMULA_POSITIVE);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static double op_value(FormulaOpId op, double a, double b) {
    switch (op) {
    case FORMULA_OP_EQ:
        return a == b;
    case FORMULA_OP_NE:
        return a != b;
    case FORMULA_OP_LE:
        return a <= b;
    case FORMULA_OP_GE:
        return a >= b;
    case FORMULA_OP_LT:
        return a < b;
    case FORMULA_OP_GT:
        return a > b;
    case FORMULA_OP_ADD:
        return a + b;
    case FORMULA_OP_SUB:
        return a - b;
    case FORMULA_OP_MUL:
        return a * b;
    case FORMULA_OP_DIV:
        return a / b;
    case FORMULA_OP_FLOORDIV:
        return floor(a / b);
    case FORMULA_OP_MOD:
        return a - b * floor(a / b);
    case FORMULA_OP_POW:
        return pow(a, b);
    case FORMULA_OP_NEG:
        return -a;
    default:
        return a;
    }
}

/* A part made of numbers only is worked out by Python when the operator is called; it must be a number then.
 */
static bool check_number(Checker *c, FormulaNode *n) {
    if (!isfinite(n->value)) return fail_at(c, n->at, "this is not a finite number");
    if (n->cls == FORMULA_INT && fabs(n->value) >= 9223372036854775808.0)
        return fail_at(c, n->at, "this whole number does not fit in 64 bits");
    n->never_negative = n->value >= 0;
    return true;
}

/* ---- operators --------------------------------------------------------------------------------- */

static bool check_operands(Checker *c, FormulaNode *n) {
    const FormulaOp *op = &FORMULA_OPS[n->op];
    size_t n_tensors = 0, n_bools = 0;
    for (size_t i = 0; i < n->n_args; i++) {
        const FormulaNode *arg = n->arg[i];
        n_tensors += arg->is_tensor;
        n_bools += arg->cls == FORMULA_BOOL;
        if (op->takes == FORMULA_TAKES_BITS && arg->cls == FORMULA_FLOAT) {
            fail_at(c, n->at, "`%s` combines bools or integers, not floats", op->token);
            if (n->op == FORMULA_OP_BITXOR) return err_hint(c->err, "a power is written **");
            return err_hint(c->err, "a comparison next to it needs parentheses: (x > 0) & (y > 0)");
        }
        if (op->takes == FORMULA_TAKES_SIGNED && arg->cls == FORMULA_BOOL) {
            fail_at(c, n->at, "PyTorch has no `%s` on bools", op->token);
            return err_hint(c->err, "turn the mask into numbers first: where(mask, 1, 0)");
        }
    }
    if (op->takes == FORMULA_TAKES_NUM && n_bools == n->n_args) {
        fail_at(c, n->at, "`%s` between two bools", op->token);
        return err_hint(c->err, "combine masks with & and |, or turn them into numbers: where(mask, 1, 0)");
    }
    if (op->takes == FORMULA_TAKES_LOGIC && n_tensors < n->n_args)
        return fail_at(c, n->at, "`%s` needs tensors on %s", op->token,
                       n->n_args == 1 ? "its right" : "both sides");
    if (op->takes == FORMULA_TAKES_BITS && n_tensors == 0)
        return fail_at(c, n->at, "`%s` needs a tensor", op->token);
    const FormulaNode *last = n->arg[n->n_args - 1];
    bool divides = n->op == FORMULA_OP_DIV || n->op == FORMULA_OP_FLOORDIV || n->op == FORMULA_OP_MOD;
    if (divides && !last->is_tensor && last->value == 0) return fail_at(c, n->at, "division by zero");
    if (n->op == FORMULA_OP_POW && n->arg[0]->cls == FORMULA_INT && last->cls == FORMULA_INT &&
        !last->is_tensor && n->arg[0]->is_tensor && last->value < 0)
        return fail_at(c, n->at, "PyTorch has no negative power of integers");
    return true;
}

static FormulaClass widest(const FormulaNode *n, size_t from) {
    FormulaClass cls = FORMULA_BOOL;
    for (size_t i = from; i < n->n_args; i++)
        if (n->arg[i]->cls > cls) cls = n->arg[i]->cls;
    return cls;
}

static bool check_operation(Checker *c, FormulaNode *n) {
    if (!check_operands(c, n) || !broadcast_args(c, n)) return false;
    const FormulaOp *op = &FORMULA_OPS[n->op];
    n->cls = op->result == FORMULA_WIDEST ? widest(n, 0) : op->result;
    for (size_t i = 0; i < n->n_args; i++) n->is_tensor = n->is_tensor || n->arg[i]->is_tensor;
    if (!n->is_tensor) {
        /* A negative power of a Python int is a float. */
        if (n->op == FORMULA_OP_POW && n->arg[1]->value < 0) n->cls = FORMULA_FLOAT;
        n->value = op_value(n->op, n->arg[0]->value, n->n_args > 1 ? n->arg[1]->value : 0);
        return check_number(c, n);
    }
    n->never_negative = op_never_negative(n);
    if (n->op == FORMULA_OP_POW) want_power_domain(n);
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------- */

static bool fits_pattern(const FormulaNode *n, const char *pattern) {
    if (strlen(pattern) != n->n_args) return false;
    for (size_t i = 0; i < n->n_args; i++)
        if (pattern[i] != 'A' && (pattern[i] == 'T') != n->arg[i]->is_tensor) return false;
    return true;
}

/* Changes needed to turn a into b, up to 3: for "did you mean". */
static size_t edit_distance(const char *a, const char *b) {
    size_t row[32], n = strlen(b), m = strlen(a);
    if (n >= 32 || m >= 32) return 3;
    for (size_t j = 0; j <= n; j++) row[j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[n] < 3 ? row[n] : 3;
}

static bool unknown_function(Checker *c, const FormulaNode *n) {
    fail_at(c, n->at, "there is no function `%s`", n->text);
    const char *nearest = NULL;
    size_t best = 3;
    char known[900] = "";
    for (size_t i = 0; i < FORMULA_N_FNS; i++) {
        const FormulaFn *fn = &FORMULA_FNS[i];
        size_t d = edit_distance(n->text, fn->name);
        /* Of equally near names the one as long as the word: swapped letters are the usual slip. */
        if (d < best || (nearest && d == best && strlen(fn->name) == strlen(n->text) &&
                         strlen(nearest) != strlen(n->text))) {
            best = d;
            nearest = fn->name;
        }
        if (i > 0 && !strcmp(fn->name, FORMULA_FNS[i - 1].name)) continue;
        if (fn->value) continue; /* numbers: their names are above */
        size_t len = strlen(known);
        snprintf(known + len, sizeof known - len, "%s%s", len ? ", " : "", fn->name);
    }
    if (nearest) return err_hint(c->err, "did you mean %s?", nearest);
    return err_hint(c->err, "known: %s", known);
}

/* No overload fits: says what the name would take. */
static bool wrong_arguments(Checker *c, const FormulaNode *n) {
    char given[64] = "", takes[256] = "";
    for (size_t i = 0; i < n->n_args; i++) {
        size_t len = strlen(given);
        snprintf(given + len, sizeof given - len, "%s%s", i ? ", " : "",
                 n->arg[i]->is_tensor ? "tensor" : "number");
    }
    for (size_t i = 0; i < FORMULA_N_FNS; i++) {
        if (strcmp(FORMULA_FNS[i].name, n->text) != 0) continue;
        size_t len = strlen(takes);
        len += (size_t)snprintf(takes + len, sizeof takes - len, "%s%s(", len ? " or " : "", n->text);
        for (const char *p = FORMULA_FNS[i].pattern; *p && len < sizeof takes; p++)
            len += (size_t)snprintf(takes + len, sizeof takes - len, "%s%s",
                                    p > FORMULA_FNS[i].pattern ? ", " : "",
                                    *p == 'T'   ? "tensor"
                                    : *p == 'N' ? "number"
                                                : "either");
        if (len < sizeof takes) snprintf(takes + len, sizeof takes - len, ")");
    }
    fail_at(c, n->at, "%s(%s) does not fit", n->text, given);
    return err_hint(c->err, "it is %s", takes);
}

static bool check_arguments(Checker *c, const FormulaNode *n) {
    FormulaArgs wants = n->fn->args;
    for (size_t i = 0; i < n->n_args; i++) {
        const FormulaNode *arg = n->arg[i];
        if (wants == FORMULA_ARGS_CONDITION && i == 0 && arg->cls != FORMULA_BOOL) {
            fail_at(c, arg->at, "the condition of %s is %s, not bool", n->text, CLASS_WORDS[arg->cls]);
            return err_hint(c->err, "compare it: x > 0, or x != 0");
        }
        if (wants == FORMULA_ARGS_FLOATS && arg->is_tensor && arg->cls != FORMULA_FLOAT) {
            fail_at(c, arg->at, "%s takes float tensors; this one is %s", n->text, CLASS_WORDS[arg->cls]);
            return err_hint(c->err, "cast it: %s(float32(...))", n->text);
        }
        if (wants == FORMULA_ARGS_NUMBERS && arg->cls == FORMULA_BOOL) {
            fail_at(c, arg->at, "%s does not take bools", n->text);
            return err_hint(c->err, "turn the mask into numbers first: where(mask, 1, 0)");
        }
    }
    return true;
}

static bool check_call(Checker *c, FormulaNode *n) {
    bool is_known = false;
    for (size_t i = 0; i < FORMULA_N_FNS && !n->fn; i++) {
        if (strcmp(FORMULA_FNS[i].name, n->text) != 0) continue;
        is_known = true;
        if (fits_pattern(n, FORMULA_FNS[i].pattern)) n->fn = &FORMULA_FNS[i];
    }
    if (!is_known) return unknown_function(c, n);
    if (!n->fn) return wrong_arguments(c, n);
    if (!check_arguments(c, n) || !broadcast_args(c, n)) return false;
    size_t first = n->fn->args == FORMULA_ARGS_CONDITION ? 1 : 0;
    n->cls = n->fn->result == FORMULA_WIDEST ? widest(n, first) : n->fn->result;
    if (n->fn->value) {
        double v[FORMULA_MAX_ARGS] = {0};
        for (size_t i = 0; i < n->n_args; i++) v[i] = n->arg[i]->value;
        n->value = n->fn->value(v);
        return check_number(c, n);
    }
    n->is_tensor = true;
    n->never_negative =
        n->fn->sign == FORMULA_SIGN_NONNEG || (n->fn->sign == FORMULA_SIGN_ARGS && all_never_negative(n));
    if (n->fn->domain == FORMULA_DOMAIN_POSITIVE) want_positive(n->arg[0], FORMULA_POSITIVE);
    if (n->fn->domain == FORMULA_DOMAIN_POWER) want_power_domain(n);
    return true;
}

/* ---- names ------------------------------------------------------------------------------------- */

static FormulaInput *find_input(const FormulaDecls *d, const char *name) {
    for (size_t i = 0; i < d->inputs.n; i++)
        if (!strcmp(d->inputs.at[i].name, name)) return &d->inputs.at[i];
    return NULL;
}

static FormulaScalar *find_scalar(const FormulaDecls *d, const char *name) {
    for (size_t i = 0; i < d->scalars.n; i++)
        if (!strcmp(d->scalars.at[i].name, name)) return &d->scalars.at[i];
    return NULL;
}

static FormulaStatement *find_statement(Formula *f, const char *name, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!strcmp(f->statements.at[i].name, name)) return &f->statements.at[i];
    return NULL;
}

static bool unknown_name(Checker *c, const FormulaNode *n) {
    if (find_statement(c->f, n->text, c->f->statements.n))
        return fail_at(c, n->at, "`%s` is used before it is assigned", n->text);
    for (size_t i = 0; i < FORMULA_N_FNS; i++)
        if (!strcmp(FORMULA_FNS[i].name, n->text)) {
            fail_at(c, n->at, "`%s` is a function and needs its arguments", n->text);
            return err_hint(c->err, "write %s(x)", n->text);
        }
    fail_at(c, n->at, "`%s` is not declared", n->text);
    return err_hint(c->err, "add --input %s:float16[M,N] for a tensor or --scalar %s:float=0.5 for a number",
                    n->text, n->text);
}

static bool check_name(Checker *c, FormulaNode *n) {
    FormulaStatement *s = find_statement(c->f, n->text, c->n_done);
    if (s) {
        s->used = true;
        n->statement = s;
        n->cls = s->value->cls;
        n->is_tensor = s->value->is_tensor;
        n->shape = s->value->shape;
        n->value = s->value->value;
        n->never_negative = s->value->never_negative;
        return true;
    }
    n->input = find_input(c->d, n->text);
    if (n->input) {
        static const FormulaClass OF_DTYPE[] = {[DTYPE_CLASS_F] = FORMULA_FLOAT,
                                                [DTYPE_CLASS_I] = FORMULA_INT,
                                                [DTYPE_CLASS_U] = FORMULA_INT,
                                                [DTYPE_CLASS_B] = FORMULA_BOOL};
        n->input->used = true;
        n->is_tensor = true;
        n->cls = OF_DTYPE[dtype_info(n->input->dtype)->cls];
        n->shape = n->input->shape;
        n->never_negative = n->cls != FORMULA_FLOAT; /* integers are drawn from 1 to 100 */
        return true;
    }
    FormulaScalar *scalar = find_scalar(c->d, n->text);
    if (scalar) {
        scalar->used = true;
        n->cls = scalar->cls;
        n->value = scalar->value;
        return check_number(c, n);
    }
    for (size_t i = 0; i < sizeof CONSTS / sizeof CONSTS[0]; i++)
        if (!strcmp(CONSTS[i].name, n->text)) {
            n->python = CONSTS[i].python;
            n->cls = FORMULA_FLOAT;
            n->value = CONSTS[i].value;
            return check_number(c, n);
        }
    if (!strcmp(n->text, "True") || !strcmp(n->text, "False")) {
        n->value = n->text[0] == 'T';
        return check_number(c, n);
    }
    return unknown_name(c, n);
}

static bool check_node(Checker *c, FormulaNode *n) {
    for (size_t i = 0; i < n->n_args; i++)
        if (!check_node(c, n->arg[i])) return false;
    switch (n->kind) {
    case FORMULA_NUMBER:
        n->cls = strpbrk(n->text, ".eE") ? FORMULA_FLOAT : FORMULA_INT;
        n->value = strtod(n->text, NULL);
        return check_number(c, n);
    case FORMULA_NAME:
        return check_name(c, n);
    case FORMULA_OPERATION:
        return check_operation(c, n);
    default:
        return check_call(c, n);
    }
}

/* ---- the whole --------------------------------------------------------------------------------- */

static bool check_statement(Checker *c, FormulaStatement *s) {
    bool is_lone = c->f->statements.n == 1 && s->at == s->value->at;
    if (find_input(c->d, s->name) || find_scalar(c->d, s->name)) {
        fail_at(c, s->at, "`%s` is already declared as an input", s->name);
        return err_hint(c->err, is_lone ? "name the result: z = ..."
                                        : "a name has one value; call the new one something else");
    }
    if (find_statement(c->f, s->name, c->n_done)) {
        fail_at(c, s->at, "`%s` is assigned twice", s->name);
        return err_hint(c->err, "a name has one value; call the new one something else");
    }
    return check_node(c, s->value);
}

static bool add_output(Checker *c, const FormulaStatement *s) {
    if (!s->value->is_tensor) return fail_at(c, s->at, "the result `%s` is a number, not a tensor", s->name);
    vec_push(c->a, &c->f->outputs, s);
    return true;
}

static bool find_outputs(Checker *c) {
    const FormulaDecls *d = c->d;
    for (size_t i = 0; i < d->outputs.n; i++) {
        FormulaStatement *s = find_statement(c->f, d->outputs.at[i], c->f->statements.n);
        if (!s)
            return err_set(c->err, ERR_BAD_INPUT, "--output", "the formula does not assign `%s`",
                           d->outputs.at[i]);
        for (size_t k = 0; k < c->f->outputs.n; k++)
            if (c->f->outputs.at[k] == s)
                return err_set(c->err, ERR_BAD_INPUT, "--output", "`%s` is named twice", s->name);
        if (!add_output(c, s)) return false;
    }
    for (size_t i = 0; i < c->f->statements.n; i++) {
        FormulaStatement *s = &c->f->statements.at[i];
        if (s->used) continue;
        if (d->outputs.n == 0) {
            if (!add_output(c, s)) return false;
            continue;
        }
        bool is_output = false;
        for (size_t k = 0; k < c->f->outputs.n; k++) is_output = is_output || c->f->outputs.at[k] == s;
        if (!is_output) return fail_at(c, s->at, "`%s` is neither used nor an output", s->name);
    }
    return true;
}

bool formula_check(Arena *a, Formula *f, FormulaDecls *d, Err *err) {
    Checker c = {.a = a, .f = f, .d = d, .err = err};
    for (size_t i = 0; i < f->statements.n; i++) {
        if (!check_statement(&c, &f->statements.at[i])) return false;
        c.n_done++;
    }
    if (!find_outputs(&c)) return false;
    for (size_t i = 0; i < d->inputs.n; i++)
        if (!d->inputs.at[i].used)
            return err_set(err, ERR_BAD_INPUT, "--input", "`%s` does not appear in the formula",
                           d->inputs.at[i].name);
    for (size_t i = 0; i < d->scalars.n; i++)
        if (!d->scalars.at[i].used)
            return err_set(err, ERR_BAD_INPUT, "--scalar", "`%s` does not appear in the formula",
                           d->scalars.at[i].name);
    return true;
}
