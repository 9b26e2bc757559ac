/* The recipe language: how an operator is written as text and turned into kernel IR. Internal to src/lower.
 *
 *   body  := { name '=' expr ';' } expr
 *   expr  := cond '?' expr ':' expr      the condition must be known when the kernel is generated; one that
 * is not (a runtime number) counts as false | or | and | not              masks, or known conditions | == !=
 * < <= > >=             mask, or a known condition | '|' '^' '&' '<<' '>>' '>>>' + - * / ** ~ unary - |
 * number | name | 'text' | None | name '(' args ')' | '(' expr ')'
 *
 * Binding grows downwards in the order of Python (comparisons bind looser than '|'). Names are parameters,
 * earlier lets, constants (pi inf nan, and the dtype facts of EvalCtx). Calls are builtins (one instruction
 * or a little more: recipe_op.c) or rows of recipes.def, whose body is chosen by the widest type among its
 * tile arguments. */
#ifndef OPWRIGHT_LOWER_RECIPE_H
#define OPWRIGHT_LOWER_RECIPE_H

#include "lower/kir.h"

/* ---- syntax tree
 * ------------------------------------------------------------------------------------------------- */

typedef enum { RX_NUM, RX_STR, RX_NIL, RX_NAME, RX_CALL, RX_UNARY, RX_BINARY, RX_COND, RX_LET } RxKind;

typedef enum {
    OPR_OR,
    OPR_AND,
    OPR_NOT,
    OPR_EQ,
    OPR_NE,
    OPR_LT,
    OPR_LE,
    OPR_GT,
    OPR_GE,
    OPR_BOR,
    OPR_BXOR,
    OPR_BAND,
    OPR_SHL,
    OPR_SHR,
    OPR_SHRU,
    OPR_ADD,
    OPR_SUB,
    OPR_MUL,
    OPR_DIV,
    OPR_NEG,
    OPR_INV,
    OPR_POW,
    OPR_COUNT
} RxOpr;
const char *rx_opr_text(RxOpr o);

typedef struct RxNode RxNode;
struct RxNode {
    RxKind kind;
    RxOpr opr;        /* UNARY, BINARY */
    double num;       /* NUM */
    bool is_int;      /* NUM written without point or exponent */
    const char *name; /* NAME, CALL, STR, LET */
    RxNode **arg;     /* operands; LET: value, rest */
    size_t n_arg;
    uint32_t column; /* 1-based, in the row's text */
};

/* Parses a body; `what` names it in errors. NULL and *err on failure. */
RxNode *rx_parse(Arena *a, const char *text, const char *what, Err *err) ERR_CHECKED;
/* LaTeX of an expression; lets are not allowed. */
char *rx_latex(const RxNode *n, Arena *a);

/* ---- rows
 * -------------------------------------------------------------------------------------------------------- */

typedef struct RecipeParam {
    const char *name;
    KirType type;      /* KIR_MASK: always a mask, takes no part in the class; KIR_NO_TYPE: the class of the
                          computation */
    const RxNode *def; /* default, NULL when required */
    bool keep;         /* ":any": passed on as it is */
    enum { PARAM_PLAIN, PARAM_SKIP, PARAM_CHANNEL, PARAM_LABEL } shape; /* reduce.def */
} RecipeParam;

typedef struct Recipe {
    const char *name; /* "erf" or "aten.erf.default" */
    RecipeParam *param;
    size_t n_param;
    const RxNode *body[3]; /* by KirType F32, I32, MASK; NULL when the class is not given */
} Recipe;

const Recipe *recipe_find(const char *name); /* rows of recipes.def */

/* ---- evaluation
 * -------------------------------------------------------------------------------------------------- */

typedef enum { RV_NIL, RV_NUM, RV_TILE, RV_STR } RvKind;

typedef struct RxValue {
    RvKind kind;
    KirScalar num;
    KirType num_type; /* Python type of the number: F32 float, I32 int, MASK bool */
    KirVal tile;
    const char *str;
} RxValue;

/* What recipes of reduce.def know beside: the reduction at hand (recipe_reduce.c). */
typedef struct ReduceEnv ReduceEnv;

typedef struct EvalCtx {
    Kir *kir;
    ReduceEnv *reduce; /* NULL in pointwise recipes */
    const char *target; /* for messages */
    DType compute, out; /* of the node */
    uint32_t depth;     /* nesting of recipe calls */
    Err *err;
} EvalCtx;

RxValue rv_num(double v, KirType type);
RxValue rv_tile(KirVal v);
bool rv_is_const(const RxValue *v); /* a number known now */
/* Applies a recipe's body for `cls` to n_param values. */
bool recipe_apply(EvalCtx *c, const Recipe *r, KirType cls, const RxValue *args, RxValue *out) ERR_CHECKED;
bool eval_error(const EvalCtx *c, const RxNode *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Operators and builtins on values: recipe_op.c. */
bool op_unary(EvalCtx *c, RxOpr o, RxValue a, RxValue *out, const RxNode *at) ERR_CHECKED;
bool op_binary(EvalCtx *c, RxOpr o, RxValue a, RxValue b, RxValue *out, const RxNode *at) ERR_CHECKED;
/* A tile of `type`; numbers are filled. */
KirVal op_tile(EvalCtx *c, RxValue v, KirType type);
KirType op_type(const EvalCtx *c, const RxValue *v);

/* ---- reductions: recipe_reduce.c --------------------------------------------------------------------------- */

/* A row of reduce.def under one name. Bodies of result r are body[r]. */
typedef struct ReduceRow {
    const char *target, *params;
    const char *space; /* "dims", "tail", "groups", "channel", "class", "all" */
    Recipe *result;    /* one recipe for each result of the op */
    size_t n_results;
    const char *math;
} ReduceRow;
const ReduceRow *reduce_row_find(const char *target); /* NULL: none */
size_t reduce_row_count(void);
const ReduceRow *reduce_row_at(size_t i);

/* Numbers the kernel itself knows while it runs. */
typedef enum {
    REDUCE_IS_FIRST,       /* 1 for the first tile of the item on this core, else 0; and the other way round */
    REDUCE_IS_LATER,
    REDUCE_BEFORE_INVERSE, /* 1 / elements of the tiles before, 0 when there are none */
    REDUCE_TILE_WEIGHT,    /* elements before times those of this tile over their sum */
    REDUCE_TILE_INVERSE,   /* 1 / elements of this tile */
    REDUCE_CORE_COUNT,     /* elements this core has seen of the item, and 1 over it, or 0 */
    REDUCE_CORE_INVERSE,
    REDUCE_TILE_START,  /* index of the tile's first element along the reduced dimension */
    REDUCE_N_MEMBERS
} ReduceMember;

struct ReduceGroup {
    int kind;
    KirVal x, result[2];
    KirVal centred; /* x less its mean */
};

struct ReduceEnv {
    Arena *a;
    KirScalar numel; /* elements reduced to one */
    uint32_t n_carries;
    KirScalar (*member)(void *ctx, ReduceMember m); /* as a scalar of instructions */
    void *ctx;
    /* Reductions made already: of the same value they are the same. */
    VEC(struct ReduceGroup) groups;
};

/* A sum, mean, ... by name: "rsum". NULL: no such function. */
typedef bool (*ReduceFn)(EvalCtx *c, RxValue x, RxValue *out);
ReduceFn reduce_fn_find(const char *name);
/* Applies result r of a row to args (by parameter). */
bool reduce_apply(ReduceEnv *env, Kir *k, const ReduceRow *row, size_t r, const KirArg *args, const char *const *str_args,
                  size_t n_args, DType compute, DType out, KirArg *result, Err *err) ERR_CHECKED;
/* Sum or mean over all elements of a pointwise loss: reduction is 1 (mean) or 2 (sum). */
bool reduce_loss(ReduceEnv *env, Kir *k, KirArg loss, int reduction, KirArg *result, Err *err) ERR_CHECKED;

/* Builtin functions: recipe_fn.c. */
typedef struct Builtin Builtin;
const Builtin *builtin_find(const char *name);
bool builtin_arity_ok(const Builtin *b, size_t n);
bool builtin_call(EvalCtx *c, const Builtin *b, const RxValue *v, size_t n, RxValue *out,
                  const RxNode *at) ERR_CHECKED;

#endif
