/* Graph to KIR. Outputs are asked for; a node asks its arguments for the same elements. A view on the way is
 * remembered in a chain, and an input under a chain becomes one strided access, so no view ever costs a copy,
 * wherever in the expression it stands. */
#include "lower/eval.h"

#include "lower/family.h"
#include "lower/index.h"
#include "lower/index_map.h"

#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 4000

static const char *const IGNORED_KWARGS[] = {"dtype",         "layout",       "device", "pin_memory",
                                             "memory_format", "non_blocking", "copy",   "implicit"};

bool lower_same_shape(const GraphShape *x, const GraphShape *y) {
    if (x->rank != y->rank) return false;
    for (uint32_t d = 0; d < x->rank; d++)
        if (!size_equal(x->dim[d], y->dim[d])) return false;
    return true;
}

static const Chain *get_chain(Lower *lo, const Chain *want) {
    for (size_t i = 0; i < lo->chains.n; i++) {
        const Chain *c = lo->chains.at[i];
        if (c->map || want->map) {
            if (c->map && want->map && c->next == want->next && index_map_equal(c->map, want->map)) return c;
            continue;
        }
        if (c->next == want->next && c->node == want->node && c->result == want->result &&
            c->reshape == want->reshape && (want->node || lower_same_shape(c->shape, want->shape)))
            return c;
    }
    Chain *c = ARENA_NEW(lo->a, Chain);
    *c = *want;
    vec_push(lo->a, &lo->chains, c);
    return c;
}

const Chain *lower_chain(Lower *lo, const GraphNode *node, uint32_t result, const GraphShape *shape,
                         const Chain *next) {
    return get_chain(lo, &(Chain){.next = next, .node = node, .result = result, .shape = shape});
}

const Chain *lower_reshape(Lower *lo, const GraphNode *n, const GraphShape *shape, const Chain *next) {
    return get_chain(lo, &(Chain){.next = next, .shape = shape, .reshape = n});
}

const Chain *lower_map(Lower *lo, const IndexMap *map) {
    return get_chain(lo, &(Chain){.map = map});
}

bool lower_unsupported(Lower *lo, const GraphNode *n, const char *why, const char *hint) {
    err_set(lo->err, ERR_UNSUPPORTED, graph_at(lo->a, lo->g, n), "%s in `%s`: %s", n->op, n->text, why);
    return err_hint(lo->err, "%s", hint);
}

bool lower_dtype_is_supported(DType t) {
    return t == DTYPE_F16 || t == DTYPE_BF16 || t == DTYPE_F32 || t == DTYPE_I32 || t == DTYPE_BOOL;
}

/* Integers of another width than 32 bits, and unsigned ones, that the stage computes as int32. */
static bool is_as_int32(const Lower *lo, DType t) {
    DTypeClass cls = dtype_info(t)->cls;
    if (t == DTYPE_I64) return lo->takes_int64;
    return (lo->takes_small || lo->makes_small) && t != DTYPE_I32 && (cls == DTYPE_CLASS_I || cls == DTYPE_CLASS_U);
}

/* ---- inputs
 * ------------------------------------------------------------------------------------------------------ */

static bool is_number(const GraphView *v) {
    bool one = true;
    for (uint32_t d = 0; d < v->shape.rank; d++) {
        if (!size_is(v->stride[d], 0) && !size_is(v->shape.dim[d], 1)) return false;
        one = one && size_is(v->shape.dim[d], 1);
    }
    return !one;
}

static bool is_taken(const Lower *lo, const char *name) {
    for (size_t i = 0; i < lo->g->n_inputs; i++)
        if (strcmp(lo->g->inputs[i].name, name) == 0) return true;
    for (size_t i = 0; i < lo->g->n_outputs; i++)
        if (strcmp(lo->g->outputs[i].name, name) == 0) return true;
    for (size_t i = 0; i < lo->pass->access.n; i++)
        if (strcmp(lo->pass->access.at[i].name, name) == 0) return true;
    return false;
}

static const char *negated_name(const Lower *lo, const char *scalar) {
    const char *name = arena_printf(lo->a, "minus_%s", scalar);
    bool taken = is_taken(lo, name);
    for (size_t i = 0; i < lo->g->n_scalars && !taken; i++) taken = strcmp(lo->g->scalars[i].name, name) == 0;
    return taken ? negated_name(lo, arena_printf(lo->a, "%s_value", scalar)) : name;
}

/* The tensor's own name for its first view, "x2" for another, unless an operand of the user has that name. */
static const char *access_name(Lower *lo, const char *tensor) {
    bool first = true;
    for (size_t i = 0; i < lo->pass->access.n; i++)
        first = first && strcmp(lo->pass->access.at[i].tensor_name, tensor) != 0;
    const char *name = tensor;
    for (int n = 2; !first && (n == 2 || is_taken(lo, name)); n++)
        name = arena_printf(lo->a, "%s%d", tensor, n);
    return name;
}

uint32_t lower_scalar(Lower *lo, PlanScalar s) {
    for (size_t i = 0; i < lo->pass->scalars.n; i++) {
        const PlanScalar *have = &lo->pass->scalars.at[i];
        if (have->kind == s.kind &&
            (s.kind == PLAN_SIZE ? size_equal(have->size, s.size) : have->index == s.index && have->negated == s.negated))
            return (uint32_t)i;
    }
    vec_push(lo->a, &lo->pass->scalars, s);
    return (uint32_t)(lo->pass->scalars.n - 1);
}

static bool same_indices(const PlanAccess *acc, const PlanIndex *by, size_t n_by) {
    bool same = acc->n_by == n_by;
    for (size_t i = 0; i < n_by && same; i++)
        same = acc->by[i].access == by[i].access && acc->by[i].wraps == by[i].wraps &&
               size_equal(acc->by[i].stride, by[i].stride);
    return same;
}

/* The load of an input under a view, steered by n_by indices. */
static uint32_t get_access(Lower *lo, uint32_t tensor, const GraphView *view, PlanClass cls, PlanIndex *by, size_t n_by) {
    const GraphInput *in = &lo->g->inputs[tensor];
    for (size_t i = 0; i < lo->pass->access.n; i++)
        if (!lo->pass->access.at[i].is_store && lo->pass->access.at[i].tensor == tensor &&
            lo->pass->access.at[i].cls == cls && graph_view_equal(&lo->pass->access.at[i].view, view) && same_indices(&lo->pass->access.at[i], by, n_by))
            return (uint32_t)i;
    PlanAccess acc = {.tensor = tensor, .name = access_name(lo, in->name), .tensor_name = in->name};
    acc.is_temp = in->kind == GRAPH_TEMP;
    acc.dtype = in->dtype ? in->dtype : lo->g->values[in->value].dtype;
    acc.view = *view;
    acc.by = by;
    acc.n_by = (uint32_t)n_by;
    acc.cls = cls;
    vec_push(lo->a, &lo->pass->access, acc);
    return (uint32_t)(lo->pass->access.n - 1);
}

static bool apply_step(Lower *lo, const Chain *c, GraphView *view) {
    if (c->map) {
        index_map_apply(lo->a, c->map, view);
        return true;
    }
    if (c->node && !graph_view_apply(lo->a, lo->g, c->node, c->result, view, lo->bounds, lo->err)) return false;
    if (c->reshape && !graph_view_reshape(lo->a, view, c->shape, c->reshape, lo->bounds))
        return lower_unsupported(lo, c->reshape, "a permuted or sliced tensor is seen under another shape", "");
    if (!c->node && !c->reshape && !graph_view_expand(lo->a, view, c->shape))
        return err_set(lo->err, ERR_BAD_INPUT, lo->g->file, "shapes do not broadcast");
    return true;
}

bool lower_apply_chain(Lower *lo, const Chain *chain, GraphView *view) {
    for (const Chain *c = chain; c; c = c->next)
        if (!apply_step(lo, c, view)) return false;
    return true;
}

/* Views of index tensors go through the same steps as the view of what they steer. */
static bool follow_chain(Lower *lo, const GraphShape *shape, const Chain *chain, GraphView *out, IndexTerms *terms) {
    *out = graph_view_contiguous(lo->a, shape);
    for (const Chain *c = chain; c; c = c->next) {
        if (c->node && index_is_read(c->node->op)) {
            if (!index_apply(lo, c->node, out, terms)) return false;
            continue;
        }
        if (!apply_step(lo, c, out)) return false;
        for (size_t i = 0; i < terms->n; i++)
            if (!apply_step(lo, c, &terms->at[i].view)) return false;
    }
    return true;
}

uint32_t lower_operand(Lower *lo, uint32_t input, const GraphView *view, PlanClass cls) {
    return get_access(lo, input, view, cls, NULL, 0);
}

bool lower_chain_view(Lower *lo, const GraphShape *shape, const Chain *chain, GraphView *out) {
    IndexTerms terms = {0};
    if (!follow_chain(lo, shape, chain, out, &terms)) return false;
    return terms.n == 0 || err_set(lo->err, ERR_UNSUPPORTED, lo->g->file, "an index tensor stands between this and memory");
}

static bool eval_input(Lower *lo, uint32_t value, const Chain *chain, KirArg *out) {
    const GraphValue *val = &lo->g->values[value];
    const DType *left = lo->g->inputs[val->result].dtype; /* of a temp: an int64 is left as int32 */
    DType t = left ? left[lo->variant] : val->dtype[lo->variant];
    if (!lower_dtype_is_supported(t) && (!is_as_int32(lo, t) || (!lo->takes_small && t != DTYPE_I64))) {
        err_set(lo->err, ERR_UNSUPPORTED, lo->g->file, "input `%s` has dtype %s",
                lo->g->inputs[val->result].name, dtype_info(t)->torch);
        return err_hint(lo->err, "use float16, bfloat16, float32, int32 or bool%s",
                        t == DTYPE_I64 ? "; integers that fit can be made with .to(torch.int32)" : "");
    }
    GraphView view;
    IndexTerms terms = {0};
    if (!follow_chain(lo, &val->shape, chain, &view, &terms)) return false;
    PlanIndex *by = ARENA_ARRAY(lo->a, terms.n + 1, PlanIndex);
    for (size_t i = 0; i < terms.n; i++) {
        const IndexTerm *term = &terms.at[i];
        uint32_t index = lower_operand(lo, term->input, &term->view, PLAN_INDEX);
        by[i] = (PlanIndex){.access = index, .size = term->size, .stride = term->stride, .wraps = term->wraps};
    }
    PlanClass cls = is_number(&view) && !terms.n ? PLAN_NUMBER : PLAN_LINE; /* plan_space refines it */
    uint32_t access = get_access(lo, val->result, &view, cls, by, terms.n);
    if (lo->pass->access.at[access].cls != PLAN_NUMBER) {
        *out = (KirArg){.kind = KIR_ARG_VAL, .val = kir_load(lo->pass->kir, kir_type_of_dtype(t), access)};
        return true;
    }
    uint32_t s = lower_scalar(
        lo, (PlanScalar){.kind = PLAN_ELEMENT, .name = lo->pass->access.at[access].name, .index = access});
    lo->pass->access.at[access].scalar = s;
    *out = (KirArg){.kind = KIR_ARG_NUM,
                    .num = {.is_runtime = true, .index = s},
                    .num_is_int = kir_type_of_dtype(t) == KIR_I32,
                    .num_is_bool = t == DTYPE_BOOL};
    return true;
}

/* ---- nodes
 * ------------------------------------------------------------------------------------------------------- */

/* Aligned at the last dimension, each size of `from` is that of `to` or 1. */
static bool broadcasts(const GraphShape *from, const GraphShape *to) {
    if (from->rank > to->rank) return false;
    for (uint32_t d = 1; d <= from->rank; d++)
        if (!size_is(from->dim[from->rank - d], 1) &&
            !size_equal(from->dim[from->rank - d], to->dim[to->rank - d]))
            return false;
    return true;
}

bool lower_arg(Lower *lo, const GraphNode *n, const GraphArg *arg, const GraphShape *to, const Chain *chain,
               KirArg *out, const char **str) {
    *out = (KirArg){.kind = KIR_ARG_NONE};
    *str = NULL;
    switch (arg->kind) {
    case GRAPH_ARG_NULL:
    case GRAPH_ARG_DTYPE:
        return true;
    case GRAPH_ARG_STR:
        *str = arg->str;
        return true;
    case GRAPH_ARG_INT:
        *out = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const((double)arg->i), .num_is_int = true};
        return true;
    case GRAPH_ARG_BOOL:
        *out = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const((double)arg->i), .num_is_bool = true};
        return true;
    case GRAPH_ARG_NUM:
        *out = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(arg->f)};
        return true;
    case GRAPH_ARG_SCALAR: {
        const GraphScalar *s = &lo->g->scalars[arg->scalar];
        const char *name = arg->negated ? negated_name(lo, s->name) : s->name;
        uint32_t i = lower_scalar(lo, (PlanScalar){.kind = PLAN_ATTRIBUTE, .name = name, .index = arg->scalar, .negated = arg->negated});
        *out = (KirArg){.kind = KIR_ARG_NUM, .num = {.is_runtime = true, .index = i}};
        out->num_is_int = s->type == GRAPH_INT;
        out->num_is_bool = s->type == GRAPH_BOOL;
        return true;
    }
    case GRAPH_ARG_SIZE: {
        const char *name = arena_printf(lo->a, "size%zu", lo->pass->scalars.n);
        uint32_t i = lower_scalar(lo, (PlanScalar){.kind = PLAN_SIZE, .name = name, .size = arg->size});
        *out = (KirArg){.kind = KIR_ARG_NUM, .num = {.is_runtime = true, .index = i}, .num_is_int = true};
        return true;
    }
    case GRAPH_ARG_REF: {
        const GraphShape *from = &lo->g->values[arg->value].shape;
        if (!broadcasts(from, to))
            return lower_unsupported(
                lo, n,
                arena_printf(lo->a, "`%s` has elements the result has not", lo->g->values[arg->value].id),
                "reductions are not supported; use the form without one (reduction='none')");
        return lower_value(lo, arg->value,
                           lower_same_shape(from, to) ? chain : lower_chain(lo, NULL, 0, to, chain), out);
    }
    case GRAPH_ARG_LIST:
        return lower_unsupported(lo, n, "an argument is a list", "pass single tensors and numbers");
    }
    return false;
}

/* Length of the first name in "self other alpha=1", and where the next one begins. */
static const char *next_param(const char *p, size_t *n_name) {
    *n_name = strcspn(p, " =");
    p += strcspn(p, " ");
    return p + strspn(p, " ");
}

static const GraphArg *find_kwarg(const GraphNode *n, const char *name, size_t n_name) {
    for (size_t i = 0; i < n->n_kwargs; i++)
        if (strlen(n->kwargs[i].name) == n_name && strncmp(n->kwargs[i].name, name, n_name) == 0)
            return &n->kwargs[i].arg;
    return NULL;
}

static bool check_kwargs(Lower *lo, const GraphNode *n, const char *params) {
    for (size_t i = 0; i < n->n_kwargs; i++) {
        const char *name = n->kwargs[i].name;
        bool known = n->kwargs[i].arg.kind == GRAPH_ARG_NULL;
        for (size_t k = 0; k < sizeof IGNORED_KWARGS / sizeof *IGNORED_KWARGS; k++)
            known |= strcmp(name, IGNORED_KWARGS[k]) == 0;
        size_t n_name;
        for (const char *p = params; *p && !known;) {
            const char *next = next_param(p, &n_name);
            known = strlen(name) == n_name && strncmp(p, name, n_name) == 0;
            p = next;
        }
        if (!known)
            return lower_unsupported(lo, n, arena_printf(lo->a, "argument `%s` is not understood", name),
                                     "leave it out");
    }
    return true;
}

/* The dtype in which PyTorch computes: the highest class, and in it the widest type, of the tensor arguments.
 */
DType lower_promote(DType x, DType y) {
    static const int RANK[] = {
        [DTYPE_CLASS_B] = 0, [DTYPE_CLASS_U] = 1, [DTYPE_CLASS_I] = 1, [DTYPE_CLASS_F] = 2};
    int rx = RANK[dtype_info(x)->cls], ry = RANK[dtype_info(y)->cls];
    if (rx != ry) return rx > ry ? x : y;
    if (x == y) return x;
    if (dtype_info(x)->size_bytes == dtype_info(y)->size_bytes)
        return dtype_info(x)->cls == DTYPE_CLASS_F ? DTYPE_F32 : x;
    return dtype_info(x)->size_bytes > dtype_info(y)->size_bytes ? x : y;
}

void lower_note(Kir *k, size_t from, const GraphNode *n) {
    for (size_t i = from; i < k->insns.n; i++)
        if (!k->insns.at[i].note && !kir_is_load(k->insns.at[i].op) && n->text[0])
            k->insns.at[i].note = n->text;
}

#define MAX_PARAMS 12

typedef struct Call {
    KirArg args[MAX_PARAMS];
    const char *strs[MAX_PARAMS];
    size_t n;
    DType compute;
} Call;

DType lower_dtype_of(const Lower *lo, const GraphValue *v) {
    DType t = v->dtype[lo->variant];
    bool follows = lo->wide && dtype_info(t)->cls == DTYPE_CLASS_F;
    for (size_t k = 0; k < lo->g->n_variants; k++) follows = follows && v->dtype[k] == lo->g->variants[k];
    if (is_as_int32(lo, t)) return DTYPE_I32;
    return follows ? DTYPE_F32 : t;
}

static bool read_call(Lower *lo, const GraphNode *n, const PointwiseOp *op, const Chain *chain, Call *call) {
    DType out_type = lower_dtype_of(lo, &lo->g->values[n->first_value]);
    const GraphShape *to = &lo->g->values[n->first_value].shape;
    bool has_tensor = false;
    const char *p = op->params;
    for (; *p && call->n < MAX_PARAMS; call->n++) {
        size_t n_name;
        const char *next = next_param(p, &n_name);
        const GraphArg *arg = call->n < n->n_args ? &n->args[call->n] : find_kwarg(n, p, n_name);
        if (arg && !lower_arg(lo, n, arg, to, chain, &call->args[call->n], &call->strs[call->n]))
            return false;
        if (arg && arg->kind == GRAPH_ARG_REF) {
            DType t = lower_dtype_of(lo, &lo->g->values[arg->value]);
            call->compute = has_tensor ? lower_promote(call->compute, t) : t;
            has_tensor = true;
        }
        p = next;
    }
    if (!has_tensor) call->compute = out_type;
    if (call->n < n->n_args && n->args[call->n].kind != GRAPH_ARG_NULL &&
        n->args[call->n].kind != GRAPH_ARG_DTYPE)
        return lower_unsupported(lo, n, "more arguments than expected", "use the op's plain form");
    return check_kwargs(lo, n, op->params);
}

/* PyTorch gives a Python integer the dtype of the tensors beside it, modulo what that holds. */
static void wrap_numbers(Lower *lo, const GraphNode *n, Call *call) {
    bool any = false;
    DType widest = DTYPE_BOOL;
    for (size_t i = 0; i < n->n_args; i++) {
        if (n->args[i].kind != GRAPH_ARG_REF) continue;
        widest = lower_promote(widest, lo->g->values[n->args[i].value].dtype[lo->variant]);
        any = true;
    }
    for (size_t i = 0; i < call->n && any; i++) {
        KirArg *arg = &call->args[i];
        if (arg->kind != KIR_ARG_NUM || !arg->num_is_int || dtype_info(widest)->size_bytes > 2 || kir_type_of_dtype(widest) != KIR_I32) continue;
        if (!arg->num.is_runtime && kir_fits(arg->num.value, widest)) continue;
        KirVal wrapped = kir_wrap_to(lo->pass->kir, kir_materialise(lo->pass->kir, *arg, KIR_I32), widest);
        *arg = (KirArg){.kind = KIR_ARG_VAL, .val = wrapped};
    }
}

/* Numbers known only at run time become filled tiles: some recipes branch on the number itself. */
static bool fill_numbers(Lower *lo, Call *call) {
    bool any = false;
    for (size_t i = 0; i < call->n; i++) {
        KirArg *arg = &call->args[i];
        if (arg->kind != KIR_ARG_NUM || !arg->num.is_runtime) continue;
        KirType t = arg->num_is_bool                                                 ? KIR_MASK
                    : arg->num_is_int && kir_type_of_dtype(call->compute) != KIR_F32 ? KIR_I32
                                                                                     : KIR_F32;
        *arg = (KirArg){.kind = KIR_ARG_VAL, .val = kir_materialise(lo->pass->kir, *arg, t)};
        any = true;
    }
    return any;
}

static bool eval_pointwise(Lower *lo, const GraphNode *n, const PointwiseOp *op, const Chain *chain,
                           KirArg *out) {
    Call call = {.n = 0, .compute = DTYPE_F32};
    if (!read_call(lo, n, op, chain, &call)) return false;
    wrap_numbers(lo, n, &call);
    DType out_type = lower_dtype_of(lo, &lo->g->values[n->first_value]);
    Kir *k = lo->pass->kir;
    size_t before = k->insns.n;
    bool ok = pointwise_apply(k, n->op, call.args, call.strs, call.n, call.compute, out_type, out, lo->err);
    if (!ok && fill_numbers(lo, &call)) {
        *lo->err = (Err){0};
        ok = pointwise_apply(k, n->op, call.args, call.strs, call.n, call.compute, out_type, out, lo->err);
    }
    if (!ok) {
        if (!lo->err->where[0])
            snprintf(lo->err->where, sizeof lo->err->where, "%s", graph_at(lo->a, lo->g, n));
        return false;
    }
    lower_note(k, before, n);
    return true;
}

/* start + step * i for i < length */
#define COUNT_OP "prims.iota.default"

/* Tensors of one value, and of counted ones. */
static const struct {
    const char *op, *arg_name;
    int arg; /* position of the value, or -1 */
    double value;
} FILLS[] = {
    {"aten.full.default", "fill_value", 1, 0},
    {"aten.full_like.default", "fill_value", 1, 0},
    {"aten.new_full.default", "fill_value", 2, 0},
    {"aten.scalar_tensor.default", "s", 0, 0},
    {"aten.fill.Scalar", "value", 1, 0},
    {"aten.zeros.default", NULL, -1, 0},
    {"aten.zeros_like.default", NULL, -1, 0},
    {"aten.new_zeros.default", NULL, -1, 0},
    {"aten.ones.default", NULL, -1, 1},
    {"aten.ones_like.default", NULL, -1, 1},
    {"aten.new_ones.default", NULL, -1, 1},
    {"prims.fill.default", "value", 1, 0},
    {COUNT_OP, NULL, -1, 0},
};

size_t plan_fill_count(void) {
    return sizeof FILLS / sizeof FILLS[0];
}
const char *plan_fill_name(size_t i) {
    return FILLS[i].op;
}

bool lower_is_fill(const Graph *g, uint32_t value) {
    int32_t node = g->values[value].node;
    for (size_t i = 0; node >= 0 && i < plan_fill_count(); i++)
        if (strcmp(FILLS[i].op, g->nodes[node].op) == 0) return true;
    return false;
}

static bool eval_fill(Lower *lo, const GraphNode *n, size_t i, KirArg *out) {
    DType t = lo->g->values[n->first_value].dtype[lo->variant];
    const char *str;
    *out = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(FILLS[i].value)};
    if (FILLS[i].arg >= 0) {
        const GraphArg *arg = graph_arg(n, (size_t)FILLS[i].arg, FILLS[i].arg_name);
        if (!arg || !lower_arg(lo, n, arg, &lo->g->values[n->first_value].shape, NULL, out, &str))
            return false;
    }
    if (out->kind != KIR_ARG_NUM)
        return lower_unsupported(lo, n, "the value is not a number", "fill with a number");
    out->num_is_int = kir_type_of_dtype(t) == KIR_I32;
    out->num_is_bool = t == DTYPE_BOOL;
    return true;
}

static const Size *size_of_kwarg(Lower *lo, const GraphNode *n, const char *name) {
    const GraphArg *arg = graph_arg(n, SIZE_MAX, name);
    if (arg && arg->kind == GRAPH_ARG_INT) return size_const(lo->a, arg->i);
    return arg && arg->kind == GRAPH_ARG_SIZE ? arg->size : NULL;
}

/* A counted access: the place of an element under the view is its value. */
static bool eval_count(Lower *lo, const GraphNode *n, const Chain *chain, KirArg *out) {
    const Size *start = size_of_kwarg(lo, n, "start"), *step = size_of_kwarg(lo, n, "step");
    DType *dtype = ARENA_ARRAY(lo->a, lo->g->n_variants, DType);
    GraphView v;
    PlanPass *p = lo->pass;
    if (!lo->counts || !start || !step)
        return lower_unsupported(lo, n, "numbers are not counted in this stage", "make them a tensor before");
    if (!lower_chain_view(lo, &lo->g->values[n->first_value].shape, chain, &v)) return false;
    for (size_t i = 0; i < lo->g->n_variants; i++) dtype[i] = DTYPE_I32;
    v.offset = size_add(lo->a, start, size_mul(lo->a, step, v.offset));
    for (uint32_t d = 0; d < v.shape.rank; d++) v.stride[d] = size_mul(lo->a, step, v.stride[d]);
    uint32_t i = 0;
    while (i < p->access.n && (p->access.at[i].cls != PLAN_COUNTED || !graph_view_equal(&p->access.at[i].view, &v))) i++;
    if (i == p->access.n) {
        const char *name = "place";
        for (int k = 2; is_taken(lo, name); k++) name = arena_printf(lo->a, "place%d", k);
        PlanAccess acc = {.tensor = UINT32_MAX, .name = name, .tensor_name = name, .dtype = dtype, .view = v, .cls = PLAN_COUNTED};
        vec_push(lo->a, &p->access, acc);
    }
    *out = (KirArg){.kind = KIR_ARG_VAL, .val = kir_load(p->kir, KIR_I32, i)};
    return true;
}

/* Is v, an int32, within the range of dtype t for every input? True for wider types than 16 bits. */
static bool is_inside(const Lower *lo, KirVal v, DType t) {
    const KirInsn *in = &lo->pass->kir->insns.at[v];
    if (dtype_info(t)->size_bytes > 2 || kir_type_of_dtype(t) != KIR_I32) return true;
    switch (in->op) {
    case KIR_LOAD_I:
        return lo->pass->access.at[in->mode].dtype[lo->variant] == t;
    case KIR_FILL_I:
        return !in->scalar.is_runtime && kir_fits(in->scalar.value, t);
    case KIR_MAX_I:
    case KIR_MIN_I:
        return is_inside(lo, in->src[0], t) && is_inside(lo, in->src[1], t);
    case KIR_SEL_I:
        return is_inside(lo, in->src[1], t) && is_inside(lo, in->src[2], t);
    default:
        return false;
    }
}

static void wrap(Lower *lo, DType t, KirArg *out) {
    if (out->kind == KIR_ARG_VAL && kir_type(lo->pass->kir, out->val) == KIR_I32 && !is_inside(lo, out->val, t))
        out->val = kir_wrap_to(lo->pass->kir, out->val, t);
}

static bool eval_node(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out) {
    DType t = lo->g->values[n->first_value + result].dtype[lo->variant];
    bool is_moved = graph_is_view(n->op); /* fit to be moved when what it is a view of is */
    if (!lower_dtype_is_supported(t) && !is_as_int32(lo, t) && !is_moved)
        return lower_unsupported(lo, n, arena_printf(lo->a, "the result has dtype %s", dtype_info(t)->torch),
                                 t == DTYPE_I64 ? "make it int32 with dtype=torch.int32 or .to(torch.int32)"
                                                : "use float16, bfloat16, float32, bool or integers of up to 32 bits");
    if (graph_is_view(n->op)) {
        const GraphArg *self = graph_arg(n, 0, "self");
        if (!self || self->kind != GRAPH_ARG_REF)
            return lower_unsupported(lo, n, "the viewed tensor is missing", "");
        return lower_value(lo, self->value, lower_chain(lo, n, result, NULL, chain), out);
    }
    if (strcmp(n->op, COUNT_OP) == 0) return eval_count(lo, n, chain, out);
    for (size_t i = 0; i < plan_fill_count(); i++)
        if (strcmp(FILLS[i].op, n->op) == 0) return eval_fill(lo, n, i, out);
    const PointwiseOp *op = lo->anchor && family_of(n) ? NULL : pointwise_find(n->op);
    if (!op && !lo->anchor)
        return lower_unsupported(lo, n, "the generator does not know this op",
                                 "pointwise ops, broadcasts and views are supported; `opwright ops` lists them");
    if (!(op ? eval_pointwise(lo, n, op, chain, out) : lo->anchor(lo, n, result, chain, out))) return false;
    wrap(lo, t, out);
    return true;
}

bool lower_value(Lower *lo, uint32_t value, const Chain *chain, KirArg *out) {
    for (size_t i = 0; i < lo->memo[value].n; i++)
        if (lo->memo[value].at[i].chain == chain) {
            *out = lo->memo[value].at[i].arg;
            return true;
        }
    const GraphValue *v = &lo->g->values[value];
    if (++lo->depth > MAX_DEPTH)
        return err_set(lo->err, ERR_UNSUPPORTED, lo->g->file, "the expression is nested more than %d deep",
                       MAX_DEPTH);
    bool ok = v->node < 0 ? eval_input(lo, value, chain, out)
                          : eval_node(lo, &lo->g->nodes[v->node], v->result, chain, out);
    lo->depth--;
    Memo m = {.chain = chain, .arg = *out};
    if (ok) vec_push(lo->a, &lo->memo[value], m);
    return ok;
}

Lower lower_begin(Arena *a, const Graph *g, size_t variant, PlanPass *pass, GraphBounds *bounds, Err *err) {
    return (Lower){.a = a,
                   .g = g,
                   .variant = variant,
                   .pass = pass,
                   .bounds = bounds,
                   .err = err,
                   .memo = ARENA_ARRAY(a, g->n_values, Memos)};
}

uint32_t lower_peel(const Graph *g, uint32_t value) {
    for (;;) {
        const GraphValue *v = &g->values[value];
        if (v->node < 0 || !graph_keeps_order(g->nodes[v->node].op)) return value;
        value = g->nodes[v->node].args[0].value;
    }
}
