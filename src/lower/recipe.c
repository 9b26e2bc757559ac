/* The operator table: rows of recipes.def and pointwise.def, parsed once per process, and their application
 * to a node. */
#include "lower/recipe.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

/* A row as written. `any` stands for the bodies not given. */
typedef struct Row {
    const char *names, *params;
    const char *any, *f, *i, *b, *math;
    bool is_bounded;
} Row;

#define ANY(text)  .any = text
#define F(text)    .f = text
#define I(text)    .i = text
#define B(text)    .b = text
#define MATH(text) .math = text
#define BOUNDED    .is_bounded = true
static const Row RECIPES[] = {
#define RECIPE(name, params, ...) {name, params, __VA_ARGS__},
#include "lower/recipes.def"
#undef RECIPE
};
static const Row POINTWISE_ROWS[] = {
#define POINTWISE(names, params, ...) {names, params, __VA_ARGS__},
#include "lower/pointwise.def"
#undef POINTWISE
};
/* A reduction's row: `any`, f, i, b are the first result's bodies; more results have one body each. */
typedef struct ReduceText {
    const char *names, *params, *space;
    Row first;
    const char *more[3];
} ReduceText;
#define RESULTS(...) {.names = NULL, __VA_ARGS__}
static const ReduceText REDUCE_ROWS[] = {
#define REDUCE(names, params, space, first, ...) {names, params, space, first, {__VA_ARGS__}},
#include "lower/reduce.def"
#undef REDUCE
};
#undef RESULTS
#undef ANY
#undef F
#undef I
#undef B
#undef MATH
#undef BOUNDED

typedef struct PointwiseEntry {
    PointwiseOp op;
    Recipe recipe;
} PointwiseEntry;

/* Written once under `once`, read only afterwards; lives as long as the process. */
static struct {
    pthread_once_t once;
    Arena *arena;
    VEC(Recipe) recipes;
    VEC(PointwiseEntry) ops;
    VEC(ReduceRow) reductions;
    bool ok;
    Err err;
} table = {.once = PTHREAD_ONCE_INIT};

/* ---- rows to tables
 * ---------------------------------------------------------------------------------------------- */

/* "name", "name=default", "name:mask", "name:any=default" */
static bool parse_param(Arena *a, const char *text, const char *what, RecipeParam *p, Err *err) {
    const char *eq = strchr(text, '='), *colon = memchr(text, ':', eq ? (size_t)(eq - text) : strlen(text));
    const char *name_end = colon ? colon : eq ? eq : text + strlen(text);
    *p = (RecipeParam){.name = arena_strndup(a, text, (size_t)(name_end - text)), .type = KIR_NO_TYPE};
    if (colon) {
        const char *type = arena_strndup(a, colon + 1, eq ? (size_t)(eq - colon - 1) : strlen(colon + 1));
        if (strcmp(type, "mask") == 0) p->type = KIR_MASK;
        else if (strcmp(type, "any") == 0) p->keep = true;
        else if (strcmp(type, "skip") == 0) p->shape = PARAM_SKIP;
        else if (strcmp(type, "channel") == 0) p->shape = PARAM_CHANNEL;
        else if (strcmp(type, "label") == 0) p->shape = PARAM_LABEL, p->keep = true;
        else return err_set(err, ERR_INTERNAL, what, "parameter '%s' has an unknown type", text);
    }
    return !eq || (p->def = rx_parse(a, eq + 1, what, err)) != NULL;
}

static bool parse_params(Arena *a, const char *text, Recipe *r, Err *err) {
    VEC(RecipeParam) params = {0};
    char *copy = arena_strdup(a, text), *state = NULL;
    for (char *word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state)) {
        RecipeParam p;
        if (!parse_param(a, word, r->name, &p, err)) return false;
        vec_push(a, &params, p);
    }
    r->param = params.at;
    r->n_param = params.n;
    return true;
}

static bool parse_row(Arena *a, const Row *row, const char *name, Recipe *r, Err *err) {
    const char *bodies[3] = {[KIR_F32] = row->f, [KIR_I32] = row->i, [KIR_MASK] = row->b};
    *r = (Recipe){.name = name};
    for (int cls = 0; cls < 3; cls++) {
        const char *text = bodies[cls] ? bodies[cls] : row->any;
        if (text && !(r->body[cls] = rx_parse(a, text, name, err))) return false;
    }
    return parse_params(a, row->params, r, err);
}

/* The formula people read: given, or the float body, or whatever body there is. */
static bool parse_math(Arena *a, const Row *row, PointwiseOp *op, Err *err) {
    op->text = row->math ? row->math : row->any ? row->any : row->f ? row->f : row->i ? row->i : row->b;
    RxNode *n = rx_parse(a, op->text, op->target, err);
    if (!n) return false;
    op->latex = rx_latex(n, a);
    return true;
}

/* The parameter list as callers see it: names and defaults, without ":mask" and ":any". */
static const char *plain_params(Arena *a, const char *params) {
    char *out = arena_strdup(a, params), *to = out;
    bool in_type = false;
    for (const char *p = params; *p; p++) {
        if (*p == ':') in_type = true;
        if (*p == ' ' || *p == '=') in_type = false;
        if (!in_type) *to++ = *p;
    }
    *to = '\0';
    return out;
}

/* One entry for each name of the row. */
static bool add_pointwise(Arena *a, const Row *row, Err *err) {
    char *copy = arena_strdup(a, row->names), *state = NULL;
    for (char *name = strtok_r(copy, " ", &state); name; name = strtok_r(NULL, " ", &state)) {
        PointwiseEntry e = {.op = {.target = name, .params = plain_params(a, row->params), .is_bounded = row->is_bounded}};
        if (!parse_row(a, row, name, &e.recipe, err) || !parse_math(a, row, &e.op, err)) return false;
        vec_push(a, &table.ops, e);
    }
    return true;
}

static bool add_reduction(Arena *a, const ReduceText *text, Err *err) {
    char *copy = arena_strdup(a, text->names), *state = NULL;
    for (char *name = strtok_r(copy, " ", &state); name; name = strtok_r(NULL, " ", &state)) {
        ReduceRow r = {.target = name, .params = plain_params(a, text->params), .space = text->space, .n_results = 1};
        while (r.n_results < 4 && text->more[r.n_results - 1]) r.n_results++;
        r.result = ARENA_ARRAY(a, r.n_results, Recipe);
        for (size_t k = 0; k < r.n_results; k++) {
            Row row = k ? (Row){.any = text->more[k - 1]} : text->first;
            row.params = text->params;
            if (!parse_row(a, &row, name, &r.result[k], err)) return false;
        }
        r.math = text->first.math ? text->first.math : text->first.any ? text->first.any : text->first.f;
        vec_push(a, &table.reductions, r);
    }
    return true;
}

static bool build_table(Arena *a, Err *err) {
    for (size_t i = 0; i < sizeof RECIPES / sizeof RECIPES[0]; i++) {
        Recipe r;
        if (!parse_row(a, &RECIPES[i], RECIPES[i].names, &r, err)) return false;
        vec_push(a, &table.recipes, r);
    }
    for (size_t i = 0; i < sizeof POINTWISE_ROWS / sizeof POINTWISE_ROWS[0]; i++)
        if (!add_pointwise(a, &POINTWISE_ROWS[i], err)) return false;
    for (size_t i = 0; i < sizeof REDUCE_ROWS / sizeof REDUCE_ROWS[0]; i++)
        if (!add_reduction(a, &REDUCE_ROWS[i], err)) return false;
    return true;
}

static void table_init(void) {
    table.arena = arena_new();
    table.ok = build_table(table.arena, &table.err);
}

static void table_need(void) {
    pthread_once(&table.once, table_init);
}

const Recipe *recipe_find(const char *name) {
    table_need();
    for (size_t i = 0; i < table.recipes.n; i++)
        if (strcmp(table.recipes.at[i].name, name) == 0) return &table.recipes.at[i];
    return NULL;
}

static const PointwiseEntry *entry_find(const char *target) {
    table_need();
    for (size_t i = 0; i < table.ops.n; i++)
        if (strcmp(table.ops.at[i].op.target, target) == 0) return &table.ops.at[i];
    return NULL;
}

const PointwiseOp *pointwise_find(const char *target) {
    const PointwiseEntry *e = entry_find(target);
    return e ? &e->op : NULL;
}

size_t pointwise_count(void) {
    table_need();
    return table.ops.n;
}

const PointwiseOp *pointwise_at(size_t i) {
    table_need();
    assert(i < table.ops.n);
    return &table.ops.at[i].op;
}

const ReduceRow *reduce_row_find(const char *target) {
    table_need();
    for (size_t i = 0; i < table.reductions.n; i++)
        if (strcmp(table.reductions.at[i].target, target) == 0) return &table.reductions.at[i];
    return NULL;
}

size_t reduce_row_count(void) {
    table_need();
    return table.reductions.n;
}

const ReduceRow *reduce_row_at(size_t i) {
    return &table.reductions.at[i];
}

/* ---- application to a node
 * --------------------------------------------------------------------------------------- */

static bool computable(DType t) {
    return t == DTYPE_F16 || t == DTYPE_BF16 || t == DTYPE_F32 || t == DTYPE_I32 || t == DTYPE_BOOL;
}

static RxValue value_of(const KirArg *a, const char *str) {
    if (str) return (RxValue){.kind = RV_STR, .str = str};
    if (a->kind == KIR_ARG_VAL) return rv_tile(a->val);
    if (a->kind == KIR_ARG_NONE) return (RxValue){.kind = RV_NIL};
    return (RxValue){.kind = RV_NUM,
                     .num = a->num,
                     .num_type = a->num_is_bool  ? KIR_MASK
                                 : a->num_is_int ? KIR_I32
                                                 : KIR_F32};
}

/* The class the node computes in. PyTorch has settled the result's type; for a bool result (comparisons)
 * Python numbers among the operands may still widen it. */
static KirType node_class(const Recipe *r, DType compute, DType out, const RxValue *v) {
    KirType cls = kir_type_of_dtype(compute), result = kir_type_of_dtype(out);
    if (out != DTYPE_BOOL) return result < cls ? result : cls;
    for (size_t i = 0; i < r->n_param; i++)
        if (v[i].kind == RV_NUM && !r->param[i].keep && r->param[i].type == KIR_NO_TYPE &&
            v[i].num_type < cls)
            cls = v[i].num_type;
    return cls;
}

static bool take_args(EvalCtx *c, const Recipe *r, const KirArg *args, const char *const *str_args,
                      size_t n_args, RxValue *v) {
    if (n_args > r->n_param)
        return err_set(c->err, ERR_UNSUPPORTED, NULL, "%s takes %zu arguments here, not %zu", c->target,
                       r->n_param, n_args);
    for (size_t i = 0; i < r->n_param; i++) {
        v[i] = i < n_args ? value_of(&args[i], str_args ? str_args[i] : NULL) : (RxValue){.kind = RV_NIL};
        if (v[i].kind != RV_NIL || !r->param[i].def) continue;
        Recipe def = {.name = r->param[i].name, .body = {r->param[i].def, r->param[i].def, r->param[i].def}};
        if (!recipe_apply(c, &def, KIR_F32, NULL, &v[i])) return false;
    }
    return true;
}

static KirArg to_arg(EvalCtx *c, RxValue v) {
    KirType want = kir_type_of_dtype(c->out);
    if (v.kind == RV_NUM) {
        KirType t = want < v.num_type ? want : v.num_type;
        return (KirArg){
            .kind = KIR_ARG_NUM, .num = v.num, .num_is_int = t == KIR_I32, .num_is_bool = t == KIR_MASK};
    }
    KirVal tile = op_tile(c, v, want);
    const KirInsn *in = &c->kir->insns.at[tile];
    if (in->op != KIR_FILL_F && in->op != KIR_FILL_I && in->op != KIR_FILL_M)
        return (KirArg){.kind = KIR_ARG_VAL, .val = tile};
    return (KirArg){.kind = KIR_ARG_NUM,
                    .num = in->scalar,
                    .num_is_int = want == KIR_I32,
                    .num_is_bool = want == KIR_MASK};
}

bool pointwise_apply(Kir *k, const char *target, const KirArg *args, const char *const *str_args,
                     size_t n_args, DType compute_dtype, DType out_dtype, KirArg *result, Err *err) {
    const PointwiseEntry *e = entry_find(target);
    if (!table.ok) {
        *err = table.err;
        return false;
    }
    if (!e) return err_set(err, ERR_UNSUPPORTED, NULL, "%s is not a pointwise operator known here", target);
    if (!computable(compute_dtype) || !computable(out_dtype)) {
        DType bad = computable(compute_dtype) ? out_dtype : compute_dtype;
        err_set(err, ERR_UNSUPPORTED, NULL,
                "%s on %s: the vector unit computes in float16, bfloat16, float32, int32 and bool", target,
                dtype_info(bad)->torch);
        return err_hint(err, "convert the tensor with .to(torch.%s) before",
                        dtype_info(bad)->cls == DTYPE_CLASS_F ? "float32" : "int32");
    }
    RxValue v[32] = {{0}}, out = {0};
    EvalCtx c = {.kir = k, .target = target, .compute = compute_dtype, .out = out_dtype, .err = err};
    if (!take_args(&c, &e->recipe, args, str_args, n_args, v)) return false;
    KirType cls = node_class(&e->recipe, compute_dtype, out_dtype, v);
    if (cls != KIR_F32 && out_dtype == DTYPE_I32 && !e->recipe.body[KIR_I32]) {
        err_set(err, ERR_UNSUPPORTED, NULL, "%s does not work on integer tensors", target);
        return err_hint(err, "convert the tensor with .to(torch.float32) before");
    }
    if (!recipe_apply(&c, &e->recipe, cls, v, &out)) return false;
    if (out.kind != RV_NUM && out.kind != RV_TILE)
        return eval_error(&c, NULL, "the body gives no number or tile");
    *result = to_arg(&c, out);
    return true;
}

bool reduce_apply(ReduceEnv *env, Kir *k, const ReduceRow *row, size_t r, const KirArg *args, const char *const *str_args,
                  size_t n_args, DType compute, DType out_dtype, KirArg *result, Err *err) {
    const Recipe *recipe = &row->result[r];
    RxValue v[32] = {{0}}, out = {0};
    EvalCtx c = {.kir = k, .reduce = env, .target = row->target, .compute = compute, .out = out_dtype, .err = err};
    if (!table.ok) {
        *err = table.err;
        return false;
    }
    if (!take_args(&c, recipe, args, str_args, n_args, v)) return false;
    if (!recipe_apply(&c, recipe, kir_type_of_dtype(compute), v, &out)) return false;
    if (out.kind != RV_NUM && out.kind != RV_TILE) return eval_error(&c, NULL, "the body gives no number or tile");
    *result = to_arg(&c, out);
    return true;
}
