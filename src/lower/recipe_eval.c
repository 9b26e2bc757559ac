/* Evaluates recipe bodies: names, lets, known conditions, and calls of builtins and of other recipes. */
#include "lower/recipe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Env {
    const char *name;
    RxValue value;
    const struct Env *up;
} Env;

#define MAX_CALL_DEPTH 32
#define MAX_CALL_ARGS  32

bool eval_error(const EvalCtx *c, const RxNode *at, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return err_set(c->err, ERR_INTERNAL, NULL, "recipe of %s, column %u: %s", c->target, at ? at->column : 0,
                   text);
}

static bool eval(EvalCtx *c, const RxNode *n, const Env *env, RxValue *out);

/* Largest finite value of the node's result type. */
static double dtype_max(DType t) {
    if (t == DTYPE_F16) return 65504;
    if (t == DTYPE_BF16) return 0x1.FEp127;
    return 0x1.FFFFFEp127;
}

static bool eval_name(EvalCtx *c, const RxNode *n, const Env *env, RxValue *out) {
    for (; env; env = env->up) {
        if (strcmp(env->name, n->name) != 0) continue;
        *out = env->value;
        return true;
    }
    const struct {
        const char *name;
        double value;
        KirType type;
    } known[] = {
        {"pi", M_PI, KIR_F32},
        {"inf", INFINITY, KIR_F32},
        {"nan", NAN, KIR_F32},
        {"dtype_max", dtype_max(c->out), KIR_F32},
        {"out16", dtype_info(c->out)->size_bytes == 2, KIR_MASK},
        {"True", 1, KIR_MASK},
        {"False", 0, KIR_MASK},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(known[i].name, n->name) != 0) continue;
        *out = rv_num(known[i].value, known[i].type);
        return true;
    }
    if (c->reduce && strcmp(n->name, "numel") == 0) {
        *out = (RxValue){.kind = RV_NUM, .num = c->reduce->numel, .num_type = KIR_F32};
        return true;
    }
    return eval_error(c, n, "nothing is called '%s'", n->name);
}

/* to_out(x): x as the node's result holds it, rounded when the result is narrower than what was computed. */
static RxValue to_out(EvalCtx *c, RxValue v) {
    KirVal t = op_tile(c, v, kir_type_of_dtype(c->out));
    bool rounds = v.kind != RV_TILE || kir_type(c->kir, v.tile) != KIR_F32 || c->compute != c->out;
    return rv_tile(rounds ? kir_round_to(c->kir, t, c->out) : t);
}

static KirType class_of(const EvalCtx *c, const Recipe *r, const RxValue *v) {
    KirType tiles = KIR_NO_TYPE, numbers = KIR_NO_TYPE;
    for (size_t i = 0; i < r->n_param; i++) {
        if (r->param[i].keep || r->param[i].type != KIR_NO_TYPE) continue;
        if (v[i].kind == RV_TILE && op_type(c, &v[i]) < tiles) tiles = op_type(c, &v[i]);
        if (v[i].kind == RV_NUM && v[i].num_type < numbers) numbers = v[i].num_type;
    }
    if (tiles == KIR_NO_TYPE) return numbers == KIR_NO_TYPE ? KIR_F32 : numbers;
    return tiles;
}

static bool call_recipe(EvalCtx *c, const RxNode *n, const Recipe *r, RxValue *v, RxValue *out) {
    if (n->n_arg > r->n_param) return eval_error(c, n, "%s takes %zu arguments", r->name, r->n_param);
    for (size_t i = n->n_arg; i < r->n_param; i++) {
        if (!r->param[i].def)
            return eval_error(c, n, "%s needs its argument '%s'", r->name, r->param[i].name);
        if (!eval(c, r->param[i].def, NULL, &v[i])) return false;
    }
    if (c->depth >= MAX_CALL_DEPTH)
        return eval_error(c, n, "%s: recipes call each other too deeply", r->name);
    c->depth++;
    bool ok = recipe_apply(c, r, class_of(c, r, v), v, out);
    c->depth--;
    return ok;
}

static bool eval_call(EvalCtx *c, const RxNode *n, const Env *env, RxValue *out) {
    RxValue v[MAX_CALL_ARGS] = {{0}};
    if (n->n_arg > MAX_CALL_ARGS) return eval_error(c, n, "too many arguments");
    for (size_t i = 0; i < n->n_arg; i++)
        if (!eval(c, n->arg[i], env, &v[i])) return false;
    if (strcmp(n->name, "to_out") == 0 && n->n_arg == 1) {
        *out = to_out(c, v[0]);
        return true;
    }
    ReduceFn reduce = c->reduce ? reduce_fn_find(n->name) : NULL;
    if (reduce) return n->n_arg <= 1 ? reduce(c, v[0], out) : eval_error(c, n, "%s takes one argument", n->name);
    const Builtin *b = builtin_find(n->name);
    if (b) {
        if (!builtin_arity_ok(b, n->n_arg))
            return eval_error(c, n, "wrong number of arguments for %s", n->name);
        return builtin_call(c, b, v, n->n_arg, out, n);
    }
    const Recipe *r = recipe_find(n->name);
    return r ? call_recipe(c, n, r, v, out) : eval_error(c, n, "no function is called '%s'", n->name);
}

/* 1 true, 0 false, -1 not known when the kernel is generated, -2 error. `and` and `or` look at their right
 * side only when the left leaves it open. */
static int known_condition(EvalCtx *c, const RxNode *n, const Env *env) {
    if (n->kind == RX_BINARY && (n->opr == OPR_AND || n->opr == OPR_OR)) {
        int decides = n->opr == OPR_AND ? 0 : 1;
        int left = known_condition(c, n->arg[0], env);
        if (left == decides || left == -2) return left;
        int right = known_condition(c, n->arg[1], env);
        return left == -1 && right != decides && right != -2 ? -1 : right;
    }
    if (n->kind == RX_UNARY && n->opr == OPR_NOT) {
        int inner = known_condition(c, n->arg[0], env);
        return inner < 0 ? inner : !inner;
    }
    RxValue v;
    if (!eval(c, n, env, &v)) return -2;
    return rv_is_const(&v) ? v.num.value != 0 : -1;
}

static bool eval(EvalCtx *c, const RxNode *n, const Env *env, RxValue *out) {
    RxValue a = {0}, b = {0};
    switch (n->kind) {
    case RX_NUM:
        *out = rv_num(n->num, n->is_int ? KIR_I32 : KIR_F32);
        return true;
    case RX_STR:
        *out = (RxValue){.kind = RV_STR, .str = n->name};
        return true;
    case RX_NIL:
        *out = (RxValue){.kind = RV_NIL};
        return true;
    case RX_NAME:
        return eval_name(c, n, env, out);
    case RX_CALL:
        return eval_call(c, n, env, out);
    case RX_UNARY:
        return eval(c, n->arg[0], env, &a) && op_unary(c, n->opr, a, out, n);
    case RX_BINARY:
        return eval(c, n->arg[0], env, &a) && eval(c, n->arg[1], env, &b) &&
               op_binary(c, n->opr, a, b, out, n);
    case RX_COND: {
        int k = known_condition(c, n->arg[0], env);
        return k != -2 && eval(c, n->arg[k == 1 ? 1 : 2], env, out);
    }
    case RX_LET: {
        Env let = {.name = n->name, .up = env};
        return eval(c, n->arg[0], env, &let.value) && eval(c, n->arg[1], &let, out);
    }
    }
    return eval_error(c, n, "unknown node");
}

/* Bools without a body of their own compute as integers, integers as floats. */
static const RxNode *body_for(const Recipe *r, KirType *cls) {
    static const KirType WIDER[] = {[KIR_MASK] = KIR_I32, [KIR_I32] = KIR_F32};
    while (!r->body[*cls] && *cls != KIR_F32) *cls = WIDER[*cls];
    return r->body[*cls];
}

bool recipe_apply(EvalCtx *c, const Recipe *r, KirType cls, const RxValue *args, RxValue *out) {
    const RxNode *body = body_for(r, &cls);
    if (!body) {
        err_set(c->err, ERR_UNSUPPORTED, NULL, "%s does not work on floating tensors", r->name);
        return err_hint(c->err, "convert the tensor to int32 or bool first");
    }
    Env env[MAX_CALL_ARGS];
    const Env *top = NULL;
    if (r->n_param > MAX_CALL_ARGS) return eval_error(c, NULL, "%s has too many parameters", r->name);
    for (size_t i = 0; i < r->n_param; i++) {
        RxValue v = args[i];
        KirType want = r->param[i].type != KIR_NO_TYPE ? r->param[i].type : cls;
        if (v.kind == RV_TILE && !r->param[i].keep) v = rv_tile(op_tile(c, v, want));
        env[i] = (Env){.name = r->param[i].name, .value = v, .up = top};
        top = &env[i];
    }
    return eval(c, body, top, out);
}
