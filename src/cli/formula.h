/* The formulas of `opwright new`: "z = relu(x + y) * 2" and its declarations in, a PyTorch reference file
 * out. formula.c parses, formula_decl.c reads the declarations, formula_check.c gives every part its class
 * and shape, formula_print.c writes Python. Everything lives in the arena given. Errors are ERR_BAD_INPUT and
 * show the place in the user's text with a caret. */
#ifndef OPWRIGHT_CLI_FORMULA_H
#define OPWRIGHT_CLI_FORMULA_H

#include "base/arena.h"
#include "base/dtype.h"
#include "base/err.h"

#include <stdint.h>

#define FORMULA_MAX_ARGS  3
#define FORMULA_MAX_RANK  8     /* what the generator takes */
#define FORMULA_MAX_DEPTH 200   /* nesting of one expression; parser and walks recurse this deep */
#define FORMULA_MAX_BYTES 65536 /* of formula text */

typedef enum { FORMULA_BOOL, FORMULA_INT, FORMULA_FLOAT, FORMULA_WIDEST } FormulaClass;

/* A dimension: a number, or a symbol for a size that may change between calls. */
typedef struct FormulaSize {
    const char *symbol; /* NULL: a number */
    int64_t n;          /* the number */
} FormulaSize;

typedef struct FormulaShape {
    size_t rank; /* 0: a 0-d tensor */
    const FormulaSize *dim;
} FormulaShape;

/* Where float values are drawn from: normal; above zero (under a logarithm or root); between 0 and 1 (there,
 * subtracted). */
typedef enum { FORMULA_NORMAL, FORMULA_POSITIVE, FORMULA_UNIT } FormulaRange;

typedef struct FormulaInput {
    const char *name;
    DType dtype;
    FormulaShape shape;
    bool used; /* set by formula_check, as is range */
    FormulaRange range;
} FormulaInput;

typedef struct FormulaScalar {
    const char *name;
    FormulaClass cls;
    const char *text; /* the value as Python writes it */
    double value;
    bool used;
} FormulaScalar;

typedef struct FormulaDim {
    const char *symbol;
    int64_t n;
    bool given; /* by --dim, not chosen here */
} FormulaDim;

typedef struct FormulaDecls {
    Arena *arena;
    VEC(FormulaInput) inputs;
    VEC(FormulaScalar) scalars;
    VEC(FormulaDim) dims;
    VEC(const char *) outputs; /* --output; empty: every name that is assigned and not used later */
} FormulaDecls;

/* "x:float16[M,N]", "alpha:float=0.5", "M=2048", "z,w": one more declaration. */
bool formula_declare_input(FormulaDecls *d, const char *spec, Err *err) ERR_CHECKED;
bool formula_declare_scalar(FormulaDecls *d, const char *spec, Err *err) ERR_CHECKED;
bool formula_declare_dim(FormulaDecls *d, const char *spec, Err *err) ERR_CHECKED;
bool formula_declare_outputs(FormulaDecls *d, const char *spec, Err *err) ERR_CHECKED;
/* Gives every symbol in use a size, all different; a --dim for a symbol that nothing uses is an error. */
bool formula_settle_dims(FormulaDecls *d, Err *err) ERR_CHECKED;

/* ---- the parsed formula ------------------------------------------------------------------------ */

typedef enum {
#define FORMULA_OP(id, ...) FORMULA_OP_##id,
#include "cli/formula.def"
#undef FORMULA_OP
    FORMULA_N_OPS
} FormulaOpId;

typedef enum {
    FORMULA_TAKES_NUM,
    FORMULA_TAKES_SIGNED,
    FORMULA_TAKES_BITS,
    FORMULA_TAKES_LOGIC,
    FORMULA_TAKES_ANY
} FormulaTakes;
typedef enum {
    FORMULA_ARGS_FLOATS,
    FORMULA_ARGS_NUMBERS,
    FORMULA_ARGS_ANY,
    FORMULA_ARGS_CONDITION
} FormulaArgs;
typedef enum { FORMULA_SIGN_ANY, FORMULA_SIGN_NONNEG, FORMULA_SIGN_ARGS } FormulaSign;
typedef enum { FORMULA_DOMAIN_NONE, FORMULA_DOMAIN_POSITIVE, FORMULA_DOMAIN_POWER } FormulaDomain;

typedef struct FormulaOp {
    const char *token;
    int n_args, precedence;
    FormulaTakes takes;
    FormulaClass result;
    const char *word, *python; /* python NULL: written as in the formula */
} FormulaOp;
extern const FormulaOp FORMULA_OPS[FORMULA_N_OPS];

typedef struct FormulaFn {
    const char *name, *pattern;
    FormulaArgs args;
    FormulaClass result;
    FormulaDomain domain;
    FormulaSign sign;
    const char *python;
    double (*value)(const double *v); /* of number overloads, else NULL */
} FormulaFn;
extern const FormulaFn FORMULA_FNS[];
extern const size_t FORMULA_N_FNS;

typedef enum { FORMULA_NUMBER, FORMULA_NAME, FORMULA_OPERATION, FORMULA_CALL } FormulaKind;

struct FormulaStatement;

typedef struct FormulaNode {
    FormulaKind kind;
    size_t at;        /* byte in the formula's text, for carets */
    const char *text; /* number or name as written, function name, operator token */
    FormulaOpId op;
    struct FormulaNode *arg[FORMULA_MAX_ARGS];
    size_t n_args;
    int depth;
    /* set by formula_check */
    const FormulaFn *fn;
    struct FormulaStatement *statement; /* a name assigned earlier */
    FormulaInput *input;                /* a declared input */
    const char *python;                 /* a constant's text */
    bool never_negative;
    FormulaClass cls;
    bool is_tensor;
    FormulaShape shape; /* tensors */
    double value;       /* numbers, with the declared value of scalars */
} FormulaNode;

typedef struct FormulaStatement {
    const char *name;
    size_t at;
    FormulaNode *value;
    bool used;
    FormulaRange range; /* asked of the inputs behind it */
} FormulaStatement;

typedef struct Formula {
    const char *text;
    VEC(FormulaStatement) statements;      /* does not grow after parsing: nodes point into it */
    VEC(const FormulaStatement *) outputs; /* set by formula_check */
} Formula;

/* One or more assignments separated by `;` or new lines; a lone expression is given the name "out". */
Formula *formula_parse(Arena *a, const char *text, Err *err) ERR_CHECKED;
/* Resolves names, checks classes and shapes, finds the outputs and which inputs must be positive. */
bool formula_check(Arena *a, Formula *f, FormulaDecls *d, Err *err) ERR_CHECKED;
/* Text of the reference file. The formula must have been checked and the dims settled. */
char *formula_print_reference(Arena *a, const Formula *f, const FormulaDecls *d);
/* A file name from the operations in order, "add_relu_mul"; at most 40 bytes. */
char *formula_suggest_name(Arena *a, const Formula *f);
/* "[M, N]" */
char *formula_print_shape(Arena *a, FormulaShape s);

/* True for what Python and the reference file let a value or symbol be called. Otherwise *why is a clause. */
bool formula_name_ok(const char *name, const char **why);
/* Message, the line of `text` that holds byte `at`, and a caret under it. Returns false. */
bool formula_error(Err *err, const char *label, const char *text, size_t at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
