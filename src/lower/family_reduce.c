/* The reduce family: which dimensions a node reduces, and its recipe over the stage's space. */
#include "lower/eval.h"
#include "lower/family.h"
#include "lower/plan_int.h"
#include "lower/recipe.h"
#include "lower/reduce_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes
 * ------------------------------------------------------------------------------------------------------- */

/* Position of a parameter in "self dim=None keepdim=False"; SIZE_MAX. */
static size_t param_index(const char *params, const char *name) {
    size_t i = 0, n = strlen(name);
    for (const char *p = params; *p; i++) {
        if (strncmp(p, name, n) == 0 && (p[n] == ' ' || p[n] == '=' || p[n] == '\0')) return i;
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    return SIZE_MAX;
}

static const GraphArg *arg_named(const GraphNode *n, const char *params, const char *name) {
    size_t i = param_index(params, name);
    return i == SIZE_MAX ? NULL : graph_arg(n, i, name);
}

/* The parameter `reduction` of a pointwise loss: 0 none, 1 mean, 2 sum. */
static int loss_reduction(const GraphNode *n) {
    const PointwiseOp *op = pointwise_find(n->op);
    if (!op || param_index(op->params, "reduction") == SIZE_MAX || strstr(n->op, "backward")) return 0;
    const GraphArg *arg = arg_named(n, op->params, "reduction");
    return arg && arg->kind == GRAPH_ARG_INT ? (int)arg->i : 1;
}

static bool claims(const GraphNode *n) {
    return reduce_row_find(n->op) || loss_reduction(n) != 0;
}

/* What a node reduces. */
typedef struct Space {
    GraphShape shape;
    bool reduced[GRAPH_MAX_RANK + 2];
    int32_t position_dim; /* the dimension of indices; -1 when several are reduced */
    bool is_reshaped;     /* the argument has another shape: */
    GraphShape argument;
} Space;

static bool mark_dim(Space *s, const GraphArg *d) {
    int64_t i = d->kind == GRAPH_ARG_INT ? d->i : INT64_MAX;
    if (i < 0) i += s->shape.rank;
    if (i < 0 || i >= s->shape.rank) return s->shape.rank == 0;
    s->reduced[i] = true;
    return true;
}

static bool mark_dims(Space *s, const GraphArg *dims) {
    bool all = !dims || dims->kind == GRAPH_ARG_NULL || (dims->kind == GRAPH_ARG_LIST && dims->n == 0);
    for (uint32_t d = 0; all && d < s->shape.rank; d++) s->reduced[d] = true;
    if (all) return true;
    if (dims->kind != GRAPH_ARG_LIST) return mark_dim(s, dims);
    for (size_t i = 0; i < dims->n; i++)
        if (!mark_dim(s, &dims->item[i])) return false;
    return true;
}

static void mark_from(Space *s, uint32_t first) {
    for (uint32_t d = first; d < s->shape.rank; d++) s->reduced[d] = true;
}

/* (N, C, ...) as (N, groups, C / groups, ...) */
static bool split_groups(Arena *a, Space *s, const GraphArg *groups) {
    GraphShape from = s->shape;
    if (!groups || groups->kind != GRAPH_ARG_INT || from.rank < 2 || from.rank >= GRAPH_MAX_RANK)
        return false;
    s->shape.rank = from.rank + 1;
    s->shape.dim = ARENA_ARRAY(a, s->shape.rank, const Size *);
    s->shape.dim[0] = from.dim[0];
    s->shape.dim[1] = size_const(a, groups->i);
    s->shape.dim[2] = size_floordiv(a, from.dim[1], s->shape.dim[1]);
    for (uint32_t d = 2; d < from.rank; d++) s->shape.dim[d + 1] = from.dim[d];
    s->is_reshaped = true;
    s->argument = from;
    mark_from(s, 2);
    return true;
}

static bool node_space(Arena *a, const Graph *g, const GraphNode *n, Space *s) {
    const ReduceRow *row = reduce_row_find(n->op);
    if (n->n_args == 0 || n->args[0].kind != GRAPH_ARG_REF) return false;
    *s = (Space){.shape = g->values[n->args[0].value].shape, .position_dim = -1};
    const char *kind = row ? row->space : "all";
    bool ok = true;
    if (strcmp(kind, "dims") == 0) ok = mark_dims(s, arg_named(n, row->params, "dim"));
    else if (strcmp(kind, "tail") == 0) {
        const GraphArg *shape = arg_named(n, row->params, "normalized_shape");
        ok = shape && shape->kind == GRAPH_ARG_LIST && shape->n <= s->shape.rank;
        if (ok) mark_from(s, s->shape.rank - (uint32_t)shape->n);
    } else if (strcmp(kind, "groups") == 0) ok = split_groups(a, s, arg_named(n, row->params, "group"));
    else if (strcmp(kind, "channel") == 0)
        for (uint32_t d = 0; d < s->shape.rank; d++) s->reduced[d] = d != 1;
    else if (strcmp(kind, "instance") == 0) mark_from(s, 2);
    else if (strcmp(kind, "class") == 0) {
        const GraphArg *r = arg_named(n, row->params, "reduction");
        s->position_dim = s->shape.rank > 1 ? 1 : 0;
        if (!r || r->kind != GRAPH_ARG_INT || r->i != 0) mark_from(s, 0);
        s->reduced[s->position_dim] = true;
    } else mark_from(s, 0);
    uint32_t n_reduced = 0, last = 0;
    for (uint32_t d = 0; d < s->shape.rank; d++)
        if (s->reduced[d]) n_reduced++, last = d;
    if (n_reduced == 1 && s->position_dim < 0) s->position_dim = (int32_t)last;
    return ok;
}

static bool same_space(const Space *x, const Space *y) {
    if (!lower_same_shape(&x->shape, &y->shape)) return false;
    for (uint32_t d = 0; d < x->shape.rank; d++)
        if (x->reduced[d] != y->reduced[d]) return false;
    return x->position_dim == y->position_dim;
}

/* ---- a stage at work
 * --------------------------------------------------------------------------------------------- */

typedef struct Work {
    Lower lo;
    Space space;
    GraphShape kept; /* space with 1 for reduced dimensions */
    ReduceEnv env;
} Work;

static KirScalar member(void *ctx, ReduceMember m) {
    static const char *const NAMES[REDUCE_N_MEMBERS] = {[REDUCE_IS_FIRST] = "isFirst",
                                                        [REDUCE_IS_LATER] = "isLater",
                                                        [REDUCE_BEFORE_INVERSE] = "beforeInverse",
                                                        [REDUCE_TILE_WEIGHT] = "tileWeight",
                                                        [REDUCE_TILE_INVERSE] = "tileInverse",
                                                        [REDUCE_CORE_COUNT] = "coreCount",
                                                        [REDUCE_CORE_INVERSE] = "coreInverse",
                                                        [REDUCE_TILE_START] = "tileStart"};
    Work *w = ctx;
    uint32_t i =
        lower_scalar(&w->lo, (PlanScalar){.kind = PLAN_MEMBER, .name = NAMES[m], .index = (uint32_t)m});
    return (KirScalar){.is_runtime = true, .index = i};
}

/* Number of elements that are reduced to one. */
static KirScalar numel(Work *w) {
    Arena *a = w->lo.a;
    const Size *n = size_const(a, 1);
    int64_t v;
    for (uint32_t d = 0; d < w->space.shape.rank; d++)
        if (w->space.reduced[d]) n = size_mul(a, n, w->space.shape.dim[d]);
    if (size_is_const(n, &v)) return kir_const((double)v);
    uint32_t i = lower_scalar(&w->lo, (PlanScalar){.kind = PLAN_SIZE, .name = "reducedCount", .size = n});
    return (KirScalar){.is_runtime = true, .index = i};
}

/* Where the class or channel dimension is alone, or alone missing. */
static GraphShape channel_shape(Work *w, bool label) {
    Arena *a = w->lo.a;
    GraphShape s = {.rank = w->space.shape.rank, .dim = ARENA_ARRAY(a, w->space.shape.rank, const Size *)};
    for (uint32_t d = 0; d < s.rank; d++) {
        bool is_channel = w->space.is_reshaped ? d == 1 || d == 2 : d == (s.rank > 1 ? 1u : 0u);
        s.dim[d] = is_channel != label ? w->space.shape.dim[d] : size_const(a, 1);
    }
    return s;
}

/* Argument i of node n over the space. */
static bool eval_param(Work *w, const GraphNode *n, const GraphArg *arg, const RecipeParam *param,
                       KirArg *out, const char **str) {
    Lower *lo = &w->lo;
    *out = (KirArg){.kind = KIR_ARG_NONE};
    *str = NULL;
    if (!arg || param->shape == PARAM_SKIP) return true;
    if (arg->kind != GRAPH_ARG_REF) return lower_arg(lo, n, arg, &w->space.shape, NULL, out, str);
    const GraphShape *from = &lo->g->values[arg->value].shape;
    if (lower_same_shape(from, &w->space.shape)) return lower_value(lo, arg->value, NULL, out);
    GraphShape *mid = ARENA_NEW(lo->a, GraphShape);
    if (param->shape != PARAM_PLAIN) *mid = channel_shape(w, param->shape == PARAM_LABEL);
    else if (w->space.is_reshaped) *mid = w->space.shape;
    else return lower_arg(lo, n, arg, &w->space.shape, NULL, out, str);
    const Chain *chain =
        lower_same_shape(mid, &w->space.shape) ? NULL : lower_chain(lo, NULL, 0, &w->space.shape, NULL);
    return lower_value(lo, arg->value, lower_same_shape(from, mid) ? chain : lower_reshape(lo, n, mid, chain),
                       out);
}

#define MAX_PARAMS 16

static bool apply_row(Work *w, const GraphNode *n, const ReduceRow *row, uint32_t result, KirArg *out) {
    Lower *lo = &w->lo;
    const Recipe *r = &row->result[0];
    KirArg args[MAX_PARAMS];
    const char *strs[MAX_PARAMS];
    if (result >= row->n_results)
        return lower_unsupported(lo, n, "this result is not supported", "use the others");
    for (size_t i = 0; i < r->n_param; i++)
        if (!eval_param(w, n, graph_arg(n, i, r->param[i].name), &r->param[i], &args[i], &strs[i]))
            return false;
    DType compute = lower_dtype_of(lo, &lo->g->values[n->args[0].value]);
    DType out_type = lower_dtype_of(lo, &lo->g->values[n->first_value + result]);
    return reduce_apply(&w->env, lo->pass->kir, row, result, args, strs, r->n_param, compute, out_type, out,
                        lo->err);
}

/* The loss of every element, then their mean or sum. */
static bool apply_loss(Work *w, const GraphNode *n, KirArg *out) {
    Lower *lo = &w->lo;
    const PointwiseOp *op = pointwise_find(n->op);
    KirArg args[MAX_PARAMS] = {{0}}, loss;
    const char *strs[MAX_PARAMS] = {0}, *p = op->params;
    size_t i = 0;
    for (; *p && i < MAX_PARAMS; i++) {
        const char *name = arena_strndup(lo->a, p, strcspn(p, " ="));
        const GraphArg *arg = graph_arg(n, i, name);
        if (strcmp(name, "reduction") == 0)
            args[i] = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(0), .num_is_int = true};
        else if (arg && !lower_arg(lo, n, arg, &w->space.shape, NULL, &args[i], &strs[i])) return false;
        p += strcspn(p, " ");
        p += strspn(p, " ");
    }
    return pointwise_apply(lo->pass->kir, n->op, args, strs, i, DTYPE_F32, DTYPE_F32, &loss, lo->err) &&
           reduce_loss(&w->env, lo->pass->kir, loss, loss_reduction(n), out, lo->err);
}

/* Does the chain show a contiguous tensor of n's result as the space shows its own elements, or its kept
 * ones? */
static bool is_seen_plainly(Work *w, const GraphShape *shape, const Chain *chain) {
    GraphView have;
    Err ignored = {0}, *was = w->lo.err;
    w->lo.err = &ignored;
    bool ok = lower_chain_view(&w->lo, shape, chain, &have);
    w->lo.err = was;
    if (!ok || !size_is(have.offset, 0) || !lower_same_shape(&have.shape, &w->space.shape)) return false;
    GraphView all = graph_view_contiguous(w->lo.a, &w->space.shape),
              kept = graph_view_contiguous(w->lo.a, &w->kept);
    bool is_all = true, is_kept = true;
    for (uint32_t d = 0; d < have.shape.rank; d++) {
        if (size_is(have.shape.dim[d], 1)) continue;
        is_all = is_all && size_equal(have.stride[d], all.stride[d]);
        is_kept = is_kept && (w->space.reduced[d] ? size_is(have.stride[d], 0)
                                                  : size_equal(have.stride[d], kept.stride[d]));
    }
    return is_all || is_kept;
}

static bool eval_anchor(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out) {
    Work *w = lo->family;
    Space space;
    size_t before = lo->pass->kir->insns.n;
    if (!claims(n) || !node_space(lo->a, lo->g, n, &space) || !same_space(&space, &w->space))
        return lower_unsupported(lo, n, "it reduces other dimensions than the stage it is in", "");
    if (!is_seen_plainly(w, &lo->g->values[n->first_value + result].shape, chain))
        return lower_unsupported(lo, n, "its result is used in another order", "");
    const ReduceRow *row = reduce_row_find(n->op);
    bool ok = row ? apply_row(w, n, row, result, out) : apply_loss(w, n, out);
    if (!ok && !lo->err->where[0])
        snprintf(lo->err->where, sizeof lo->err->where, "%s", graph_at(lo->a, lo->g, n));
    if (ok) lower_note(lo->pass->kir, before, n);
    return ok;
}

/* ---- outputs
 * ----------------------------------------------------------------------------------------------------- */

static const Size *count(Arena *a, const GraphShape *s) {
    const Size *n = size_const(a, 1);
    for (uint32_t d = 0; d < s->rank; d++) n = size_mul(a, n, s->dim[d]);
    return n;
}

/* The chain from a value of `shape` to the space, and whether it has a value for each kept element only. */
static bool find_frame(Work *w, const GraphNode *n, const GraphShape *shape, const Chain **chain,
                       bool *is_kept) {
    Lower *lo = &w->lo;
    Arena *a = lo->a;
    const Chain *spread =
        lower_same_shape(&w->kept, &w->space.shape) ? NULL : lower_chain(lo, NULL, 0, &w->space.shape, NULL);
    *chain = NULL;
    *is_kept = false;
    if (lower_same_shape(shape, &w->space.shape)) return true;
    if (w->space.is_reshaped && lower_same_shape(shape, &w->space.argument)) {
        *chain = lower_reshape(lo, n, &w->space.shape, NULL);
        return true;
    }
    *is_kept = size_equal(count(a, shape), count(a, &w->kept));
    if (*is_kept)
        *chain = lower_same_shape(shape, &w->kept) ? spread : lower_reshape(lo, n, &w->kept, spread);
    else *chain = lower_reshape(lo, n, &w->space.shape, NULL);
    return *is_kept || size_equal(count(a, shape), count(a, &w->space.shape));
}

static GraphView store_view(Work *w, bool is_kept) {
    GraphView v = graph_view_contiguous(w->lo.a, is_kept ? &w->kept : &w->space.shape);
    v.shape = w->space.shape;
    for (uint32_t d = 0; is_kept && d < v.shape.rank; d++)
        if (w->space.reduced[d]) v.stride[d] = size_const(w->lo.a, 0);
    return v;
}

static bool add_store(Work *w, const GraphOutput *o, uint32_t index) {
    Lower *lo = &w->lo;
    uint32_t value = lower_peel(lo->g, o->value);
    const GraphValue *v = &lo->g->values[value];
    const GraphNode *n = v->node >= 0 ? &lo->g->nodes[v->node] : &lo->g->nodes[0];
    const Chain *chain;
    bool is_kept;
    KirArg arg;
    if (!find_frame(w, n, &v->shape, &chain, &is_kept))
        return lower_unsupported(lo, n, "its shape is not that of the stage", "");
    if (!lower_value(lo, value, chain, &arg)) return false;
    KirType t = kir_type_of_dtype(lower_dtype_of(lo, v));
    KirVal val = kir_convert(lo->pass->kir, kir_materialise(lo->pass->kir, arg, t), t);
    PlanAccess acc = {.is_store = true,
                      .is_temp = o->dtype != NULL,
                      .tensor = index,
                      .name = o->name,
                      .tensor_name = o->name,
                      .dtype = o->dtype ? o->dtype : lo->g->values[o->value].dtype,
                      .view = store_view(w, is_kept)};
    vec_push(lo->a, &lo->pass->access, acc);
    vec_push(lo->a, &lo->pass->outputs, index);
    kir_store(lo->pass->kir, (uint32_t)(lo->pass->access.n - 1), val);
    return true;
}

static Work *begin(Arena *a, const Stage *s, size_t v, GraphBounds *bounds, Err *err) {
    Work *w = ARENA_NEW(a, Work);
    PlanPass *p = ARENA_NEW(a, PlanPass);
    ReducePlan *own = ARENA_NEW(a, ReducePlan);
    p->family = &FAMILY_reduce;
    p->kir = kir_new(a);
    p->own = own;
    w->lo = lower_begin(a, s->graph, v, p, bounds, err);
    w->lo.anchor = eval_anchor;
    w->lo.family = w;
    w->lo.wide = w->lo.takes_int64 = w->lo.makes_small = true;
    const GraphNode *n = &s->graph->nodes[s->anchors.at[0]];
    if (!node_space(a, s->graph, n, &w->space)) {
        lower_unsupported(&w->lo, n, "the dimensions are not understood", "name them as numbers");
        return NULL;
    }
    w->kept = w->space.shape;
    w->kept.dim = ARENA_ARRAY(a, w->kept.rank, const Size *);
    for (uint32_t d = 0; d < w->kept.rank; d++)
        w->kept.dim[d] = w->space.reduced[d] ? size_const(a, 1) : w->space.shape.dim[d];
    w->env = (ReduceEnv){.a = a, .member = member, .ctx = w};
    w->env.numel = numel(w);
    own->shape = p->shape = w->space.shape;
    own->position_dim = w->space.position_dim;
    memcpy(own->reduced, w->space.reduced, sizeof own->reduced);
    return w;
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    Work *w = begin(a, s, v, bounds, err);
    if (!w) return false;
    for (size_t i = 0; i < s->writes.n; i++)
        if (!add_store(w, &s->graph->outputs[s->writes.at[i]], s->writes.at[i])) return false;
    if (!reduce_space(a, w->lo.pass, err) || !reduce_sections(a, w->lo.pass, err)) return false;
    vec_push(a, passes, w->lo.pass);
    return true;
}

/* ---- drafts
 * ------------------------------------------------------------------------------------------------------ */

/* Tries to store these values in a pass of their own. */
static bool try_values(const Stage *s, const uint32_t *values, size_t n) {
    Arena *a = arena_new();
    Err ignored = {0};
    GraphBounds bounds = {.arena = a};
    Work *w = begin(a, s, s->graph->own_variant, &bounds, &ignored);
    bool ok = w != NULL;
    for (size_t i = 0; ok && i < n; i++) {
        GraphOutput o = {.name = arena_printf(a, "draft%zu", i), .value = values[i]};
        ok = add_store(w, &o, (uint32_t)i);
    }
    ok = ok && reduce_space(a, w->lo.pass, &ignored) && reduce_sections(a, w->lo.pass, &ignored);
    arena_free(a);
    return ok;
}

static bool joins(const Stage *s, const GraphNode *n) {
    Space mine, its;
    uint32_t values[64];
    size_t count_values = 0;
    Arena *a = arena_new();
    Stage draft = *s;
    bool ok = node_space(a, s->graph, n, &its);
    uint32_t alone = (uint32_t)(n - s->graph->nodes);
    if (ok && s->anchors.n)
        ok = node_space(a, s->graph, &s->graph->nodes[s->anchors.at[0]], &mine) && same_space(&mine, &its);
    if (s->anchors.n == 0) {
        draft.anchors.at = &alone;
        draft.anchors.n = 1;
    }
    for (size_t i = 0; i < s->anchors.n && count_values < 60; i++)
        values[count_values++] = s->graph->nodes[s->anchors.at[i]].first_value;
    values[count_values++] = n->first_value;
    ok = ok && try_values(&draft, values, count_values);
    arena_free(a);
    return ok;
}

static bool takes(const Stage *s, uint32_t v) {
    return !plan_is_small_int(s->graph->values[v].dtype[s->graph->own_variant]) && try_values(s, &v, 1);
}

static bool finish(Arena *a, PlanPass *p, Err *err) {
    return reduce_slots(a, p, err);
}

static bool same(const PlanPass *x, const PlanPass *y) {
    Arena *a = arena_new();
    bool equal = strcmp(kir_print(x->kir, a), kir_print(y->kir, a)) == 0;
    arena_free(a);
    return equal;
}

static const char *op_name(size_t i) {
    return reduce_row_at(i)->target;
}

/* Labels are indices of classes. */
static const Size *index_below(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end) {
    const ReduceRow *row = reduce_row_find(n->op);
    Space s;
    size_t i = 0;
    while (i < n->n_args && arg != &n->args[i]) i++;
    *from_end = false;
    if (!row || i == n->n_args || i >= row->result[0].n_param || row->result[0].param[i].shape != PARAM_LABEL) return NULL;
    return node_space(a, g, n, &s) && s.position_dim >= 0 ? s.shape.dim[s.position_dim] : NULL;
}

/* Once where an item is one tile, else once for each phase that needs it. */
static double times_moved(const Graph *g, const PlanPass *p, const PlanAccess *acc) {
    const ReducePlan *r = reduce_plan(p);
    size_t i = (size_t)(acc - p->access.at);
    if (acc->is_store || r->first_phase[i] == UINT32_MAX || p->n_variants == 0) return 1;
    int64_t *hints = calloc(g->n_symbols + 1, sizeof *hints);
    for (size_t s = 0; s < g->n_symbols; s++) hints[s] = g->symbols[s].hint;
    uint32_t last = p->space.rank - 1;
    double item = r->axis == REDUCE_COLS ? 1 : 64;
    for (uint32_t d = 0; d <= last; d++)
        if (r->reduced[d]) item *= (double)size_eval(p->space.dim[d], hints);
    free(hints);
    bool fits =
        item * (double)reduce_ub(p, g->own_variant < p->n_variants ? g->own_variant : 0).tile_bits / 8 <
        180e3;
    double phases = r->last_phase[i] - r->first_phase[i] + 1.0;
    return fits ? 1 : phases;
}

const Family FAMILY_reduce = {
    .name = "reduce",
    .what = "reductions along some dimensions, with the pointwise work around them",
    .prologue = PROLOGUE_ALL,
    .n_ops = reduce_row_count,
    .op_name = op_name,
    .claims = claims,
    .index_below = index_below,
    .joins = joins,
    .takes = takes,
    .lower = lower,
    .times_moved = times_moved,
    .moves_by_phase = true,
    .finish = finish,
    .same = same,
    .print = reduce_print,
};
