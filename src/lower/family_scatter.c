/* The scatter family: elements that another tensor names are changed. A core owns a piece of the result, which stays in UB
 * in float32 or int32 while the core goes through the updates in their order and makes those that fall into the piece: no
 * two cores write the same element, and duplicates come in the same order in every run. Its passes are those of the
 * pointwise family with UPDATE instructions, so what stands before `self` and after the result is part of the tile. */
#include "lower/family.h"
#include "lower/index.h"
#include "lower/plan_int.h"

#include <math.h>
#include <string.h>

typedef enum { HOW_ELEMENTS, HOW_ROWS } ScatterHow;
/* What happens to an element that is named; the first five are those of PlanCombine. */
typedef enum { BY_SET, BY_ADD, BY_MULTIPLY, BY_GREATEST, BY_LEAST, BY_MEAN, BY_BY_NAME } ScatterBy;

static const struct {
    const char *op;
    ScatterHow how;
    ScatterBy by;
    uint8_t reduce;
} OPS[] = {
#define SCATTER(op, how, by, reduce) {op, HOW_##how, BY_##by, reduce},
#define SCATTER_NAME(name, by)
#include "lower/scatter.def"
#undef SCATTER
#undef SCATTER_NAME
};
#define N_OPS (sizeof OPS / sizeof OPS[0])

static const struct {
    const char *name;
    ScatterBy by;
} NAMES[] = {
#define SCATTER(op, how, by, reduce)
#define SCATTER_NAME(name, by) {name, BY_##by},
#include "lower/scatter.def"
#undef SCATTER
#undef SCATTER_NAME
};

enum { ARG_SELF, ARG_DIM, ARG_INDEX, ARG_SOURCE };

static size_t n_ops(void) {
    return N_OPS;
}

static const char *op_name(size_t i) {
    return OPS[i].op;
}

static size_t find(const GraphNode *n) {
    size_t i = 0;
    while (i < N_OPS && strcmp(OPS[i].op, n->op) != 0) i++;
    return i;
}

static bool claims(const GraphNode *n) {
    return find(n) < N_OPS;
}

/* ---- arguments
 * --------------------------------------------------------------------------------------------------- */

typedef struct Scatter {
    const GraphNode *node;
    ScatterHow how;
    uint32_t self, dim, index; /* values; the dimension */
    const GraphArg *source;
    ScatterBy by;
    bool include_self;
    const GraphArg *alpha; /* NULL: 1 */
} Scatter;

static bool find_by(const GraphNode *n, size_t which, ScatterBy *by) {
    *by = OPS[which].by;
    if (*by != BY_BY_NAME) return true;
    const GraphArg *name = graph_arg(n, OPS[which].reduce, "reduce");
    for (size_t i = 0; name && name->kind == GRAPH_ARG_STR && i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (strcmp(NAMES[i].name, name->str) == 0) {
            *by = NAMES[i].by;
            return true;
        }
    return false;
}

static bool read_node(const Graph *g, const GraphNode *n, Scatter *s) {
    size_t which = find(n);
    const GraphArg *self = graph_arg(n, ARG_SELF, "self"), *dim = graph_arg(n, ARG_DIM, "dim"), *index = graph_arg(n, ARG_INDEX, "index"),
                   *include = graph_arg(n, SIZE_MAX, "include_self");
    *s = (Scatter){.node = n, .how = OPS[which].how, .include_self = true};
    if (!self || self->kind != GRAPH_ARG_REF || !dim || dim->kind != GRAPH_ARG_INT || !index || index->kind != GRAPH_ARG_REF || n->n_args <= ARG_SOURCE)
        return false;
    uint32_t rank = g->values[self->value].shape.rank;
    s->self = self->value;
    s->index = index->value;
    s->dim = (uint32_t)(dim->i < 0 ? dim->i + rank : dim->i);
    s->source = &n->args[ARG_SOURCE];
    s->alpha = graph_arg(n, SIZE_MAX, "alpha");
    if (include) s->include_self = include->i != 0;
    return rank > 0 && s->dim < rank && find_by(n, which, &s->by) &&
           g->values[s->index].shape.rank <= (s->how == HOW_ROWS ? 1 : rank);
}

/* ---- operands
 * ---------------------------------------------------------------------------------------------------- */

static const Size *zero(Lower *lo) {
    return size_const(lo->a, 0);
}

/* The only place along a dimension of one element: its stride may be anything, so it is that of a dense tensor. */
static void make_dense(Lower *lo, GraphView *v) {
    for (uint32_t d = v->shape.rank; d-- > 0;) {
        if (!size_is(v->shape.dim[d], 1)) continue;
        v->stride[d] = d + 1 < v->shape.rank ? size_mul(lo->a, v->stride[d + 1], v->shape.dim[d + 1]) : size_const(lo->a, 1);
    }
}

static bool find_input(Lower *lo, const Scatter *s, uint32_t value, const Size *size, bool *wraps, uint32_t *input, GraphView *view) {
    const Chain *chain = NULL;
    int64_t found = index_input(lo, value, size, &chain, wraps);
    if (found < 0) return lower_unsupported(lo, s->node, "an operand is computed on the way", "");
    *input = (uint32_t)found;
    if (!lower_chain_view(lo, &lo->g->values[lo->g->inputs[found].value].shape, chain, view)) return false;
    make_dense(lo, view);
    uint32_t rank = view->shape.rank;
    if (rank && !size_is(view->stride[rank - 1], 1)) return lower_unsupported(lo, s->node, "elements of an operand lie apart", "");
    return true;
}

/* The view of an index of rank 0 or 1 over the dimensions of self: it runs along `dim` alone. */
static GraphView along(Lower *lo, const GraphShape *self, uint32_t dim, const GraphView *index) {
    GraphView v = {.shape = {self->rank, ARENA_ARRAY(lo->a, self->rank, const Size *)},
                   .stride = ARENA_ARRAY(lo->a, self->rank, const Size *),
                   .offset = index->offset};
    for (uint32_t d = 0; d < self->rank; d++) {
        v.shape.dim[d] = self->dim[d];
        v.stride[d] = zero(lo);
    }
    v.shape.dim[dim] = index->shape.rank ? index->shape.dim[0] : size_const(lo->a, 1);
    v.stride[dim] = size_const(lo->a, 1);
    return v;
}

static bool bind(Lower *lo, const Scatter *s, const Size *small, const Size *large) {
    GraphBound b = {.small = small, .large = large, .node = s->node};
    if (!size_is_nonnegative(size_sub(lo->a, large, small))) vec_push(lo->bounds->arena, &lo->bounds->list, b);
    return true;
}

/* A size that may be 0 where the result has one element. */
static bool check_ones(Lower *lo, const Scatter *s, const GraphShape *self, const GraphView *v) {
    for (uint32_t d = 0; d < self->rank; d++)
        if (d != s->dim && size_is(self->dim[d], 1) && !size_is(v->shape.dim[d], 1))
            return lower_unsupported(lo, s->node, "a dimension of one element has updates of another size", "");
    return true;
}

static bool add_index(Lower *lo, const Scatter *s, PlanUpdate *u) {
    const GraphShape *self = &lo->g->values[s->self].shape;
    DType t = lo->g->values[s->index].dtype[lo->variant];
    uint32_t input;
    GraphView view;
    if (t != DTYPE_I32 && t != DTYPE_I64)
        return lower_unsupported(lo, s->node, arena_printf(lo->a, "indices of dtype %s", dtype_info(t)->torch), "use int64 or int32 indices");
    if (!find_input(lo, s, s->index, self->dim[s->dim], &u->wraps, &input, &view)) return false;
    if (s->how == HOW_ROWS) view = along(lo, self, s->dim, &view);
    if (view.shape.rank != self->rank) return lower_unsupported(lo, s->node, "the index has another rank than self", "");
    for (uint32_t d = 0; d < self->rank; d++)
        if (d != s->dim) bind(lo, s, view.shape.dim[d], self->dim[d]);
    u->index = lower_operand(lo, input, &view, PLAN_INDEX);
    return check_ones(lo, s, self, &view);
}

/* A source that holds one number everywhere, known before the call or not, is that number. */
static bool read_number(Lower *lo, const Scatter *s, const GraphArg *arg, KirScalar *out) {
    static const GraphShape SCALAR = {0};
    const char *str;
    KirArg value;
    if (arg->kind == GRAPH_ARG_REF) {
        uint32_t under = arg->value;
        for (int32_t node = lo->g->values[under].node; node >= 0 && graph_is_view(lo->g->nodes[node].op); node = lo->g->values[under].node)
            under = lo->g->nodes[node].args[0].value;
        if (!lower_is_fill(lo->g, under) || !lower_value(lo, under, NULL, &value)) return false;
    } else if (!lower_arg(lo, s->node, arg, &SCALAR, NULL, &value, &str)) {
        return false;
    }
    *out = value.num;
    return value.kind == KIR_ARG_NUM;
}

static bool add_source(Lower *lo, const Scatter *s, PlanUpdate *u) {
    const GraphShape *self = &lo->g->values[s->self].shape;
    bool ignored = false;
    uint32_t input;
    GraphView view;
    u->source = UINT32_MAX;
    u->has_number = true;
    if (read_number(lo, s, s->source, &u->number)) return true;
    if (s->source->kind != GRAPH_ARG_REF) return lower_unsupported(lo, s->node, "the value is no number", "");
    if (!find_input(lo, s, s->source->value, NULL, &ignored, &input, &view)) return false;
    if (view.shape.rank != self->rank) return lower_unsupported(lo, s->node, "the source has another rank than self", "");
    DType t = lo->g->values[s->source->value].dtype[lo->variant];
    if (!lower_dtype_is_supported(t) && t != DTYPE_I64) return lower_unsupported(lo, s->node, arena_printf(lo->a, "a source of dtype %s", dtype_info(t)->torch), "use float16, bfloat16, float32, int32 or bool");
    const GraphView *index = &lo->pass->access.at[u->index].view;
    for (uint32_t d = 0; d < self->rank; d++)
        if (s->how == HOW_ELEMENTS || d == s->dim) bind(lo, s, index->shape.dim[d], view.shape.dim[d]);
    u->source = lower_operand(lo, input, &view, PLAN_UPDATE);
    u->has_number = s->alpha != NULL;
    return !s->alpha || read_number(lo, s, s->alpha, &u->number) || lower_unsupported(lo, s->node, "alpha is no number", "");
}

/* ---- values
 * ------------------------------------------------------------------------------------------------------ */

static KirVal update(Lower *lo, PlanUpdate u, PlanCombine how, KirVal base) {
    Kir *k = lo->pass->kir;
    u.how = how;
    u.is_float = kir_type(k, base) == KIR_F32;
    vec_push(lo->a, &lo->pass->updates, u);
    return kir_emit(k, u.is_float ? KIR_UPDATE_F : KIR_UPDATE_I, (KirVal[3]){base, KIR_NONE, KIR_NONE}, (KirScalar){0},
                    (uint32_t)(lo->pass->updates.n - 1));
}

static KirVal number(Lower *lo, double value, KirType type) {
    return kir_materialise(lo->pass->kir, (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(value)}, type);
}

/* How often each element is named. */
static KirVal count(Lower *lo, PlanUpdate u, double from) {
    u.source = UINT32_MAX;
    u.has_number = true;
    u.number = kir_const(1);
    return update(lo, u, PLAN_ADD, number(lo, from, KIR_F32));
}

static KirVal binary(Lower *lo, KirOp op, KirVal x, KirVal y) {
    return kir_emit(lo->pass->kir, op, (KirVal[3]){x, y, KIR_NONE}, (KirScalar){0}, 0);
}

/* The value that changes nothing. */
static double identity(ScatterBy by, bool is_float) {
    static const double OF[] = {[BY_SET] = 0, [BY_ADD] = 0, [BY_MULTIPLY] = 1, [BY_MEAN] = 0};
    if (by == BY_GREATEST) return is_float ? -INFINITY : (double)INT32_MIN;
    if (by == BY_LEAST) return is_float ? INFINITY : (double)INT32_MAX;
    return OF[by];
}

/* Without self: named elements begin at the identity, the others stay. */
static bool combine(Lower *lo, const Scatter *s, const PlanUpdate *u, KirVal self, KirVal *out) {
    Kir *k = lo->pass->kir;
    KirType type = kir_type(k, self);
    bool is_float = type == KIR_F32, mean = s->by == BY_MEAN;
    PlanCombine how = mean ? PLAN_ADD : (PlanCombine)s->by;
    if (mean && !is_float) return lower_unsupported(lo, s->node, "a mean of integers", "convert to float32 first");
    if (s->include_self) {
        *out = update(lo, *u, how, self);
        if (mean) *out = binary(lo, KIR_DIV_F, *out, count(lo, *u, 1));
        return true;
    }
    KirVal n = count(lo, *u, 0),
           named = kir_emit(k, KIR_CMPS_F, (KirVal[3]){n, KIR_NONE, KIR_NONE}, kir_const(0), KIR_GT);
    KirVal alone = update(lo, *u, how, number(lo, identity(s->by, is_float), type));
    if (mean) alone = binary(lo, KIR_DIV_F, alone, n); /* 0 / 0 where nothing is named */
    *out = kir_emit(k, is_float ? KIR_SEL_F : KIR_SEL_I, (KirVal[3]){named, alone, self}, (KirScalar){0}, 0);
    return true;
}

static bool eval_anchor(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out) {
    Scatter s;
    PlanUpdate u = {0};
    KirArg self;
    (void)result;
    if (!claims(n)) return lower_unsupported(lo, n, "it is not of the stage's family", "");
    if (!read_node(lo->g, n, &s)) return lower_unsupported(lo, n, "its arguments are not understood", "");
    if (chain) return lower_unsupported(lo, n, "its result is viewed", "");
    if (lo->pass->named && lo->pass->named != s.dim + 1) return lower_unsupported(lo, n, "another one along another dimension is here", "");
    if (!add_index(lo, &s, &u) || !add_source(lo, &s, &u)) return false;
    if (!lower_value(lo, s.self, NULL, &self)) return false;
    KirType type = kir_type_of_dtype(lo->g->values[n->first_value].dtype[lo->variant]), computed = type == KIR_MASK ? KIR_F32 : type;
    Kir *k = lo->pass->kir;
    size_t before = k->insns.n;
    KirVal base = kir_convert(k, kir_materialise(k, self, type), computed), value = base;
    if (!combine(lo, &s, &u, base, &value)) return false;
    lo->pass->named = s.dim + 1;
    *out = (KirArg){.kind = KIR_ARG_VAL, .val = kir_convert(k, value, type)};
    lower_note(k, before, n);
    return true;
}

/* ---- the family
 * -------------------------------------------------------------------------------------------------- */

/* Tried on a pass of its own. */
static bool can_compute(const Stage *s, uint32_t value) {
    Arena *a = arena_new();
    PlanPass pass = {.kir = kir_new(a)};
    GraphBounds bounds = {.arena = a};
    Err ignored = {0};
    KirArg arg;
    Lower lo = lower_begin(a, s->graph, s->graph->own_variant, &pass, &bounds, &ignored);
    lo.takes_int64 = lo.takes_small = true;
    lo.anchor = eval_anchor;
    bool ok = lower_value(&lo, value, NULL, &arg);
    arena_free(a);
    return ok;
}

/* Every scatter has a stage to itself. */
static bool joins(const Stage *s, const GraphNode *n) {
    return s->anchors.n == 0 && can_compute(s, n->first_value);
}

static bool takes(const Stage *s, uint32_t value) {
    return can_compute(s, lower_peel(s->graph, value));
}

static bool from_memory(const GraphNode *n, size_t i) {
    (void)n;
    return i != ARG_SELF;
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    return plan_lower_tiles(a, s, v, eval_anchor, passes, bounds, err);
}

static const Size *below(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end) {
    Scatter s;
    (void)a;
    *from_end = false;
    return arg == graph_arg(n, ARG_INDEX, "index") && read_node(g, n, &s) ? g->values[s.self].shape.dim[s.dim] : NULL;
}

/* ELEMENTS: the index is no larger than the source, nor than self except along dim. ROWS: the source is as large as self but
 * along dim, where it is as large as the index. */
static bool relation(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out) {
    Scatter s;
    if (!read_node(g, n, &s)) return false;
    const GraphShape *self = &g->values[s.self].shape, *index = &g->values[s.index].shape;
    bool has_source = s.source->kind == GRAPH_ARG_REF && g->values[s.source->value].shape.rank == self->rank;
    const GraphShape *source = has_source ? &g->values[s.source->value].shape : NULL;
    uint32_t d = (uint32_t)(i % self->rank);
    if (i >= 2u * self->rank) return false;
    const Size *named = s.how == HOW_ROWS ? index->rank ? index->dim[0] : size_const(a, 1) : index->rank == self->rank ? index->dim[d] : NULL;
    *out = (GraphRelation){.x = self->dim[d], .y = self->dim[d], .is_equal = s.how == HOW_ROWS};
    if (!named) return true;
    if (s.how == HOW_ROWS && source && i < self->rank) out->x = d == s.dim ? named : self->dim[d], out->y = source->dim[d];
    if (s.how == HOW_ELEMENTS && i < self->rank && d != s.dim) out->x = named;
    if (s.how == HOW_ELEMENTS && i >= self->rank && source) out->x = named, out->y = source->dim[d];
    return true;
}

static double size_of(const Graph *g, const Size *s) {
    int64_t hints[64] = {0};
    for (size_t i = 0; i < g->n_symbols && i < 64; i++) hints[i] = g->symbols[i].hint;
    return (double)size_eval(s, hints);
}

#define TILE_ELEMENTS 16384.0 /* about what fits: 8 bytes an element beside the buffers of updates */

/* Indices pass through UB for every tile along the named dimension. */
static double times_moved(const Graph *g, const PlanPass *p, const PlanAccess *acc) {
    if (acc->cls != PLAN_INDEX || p->updates.n == 0) return 1;
    uint32_t rank = p->space.rank;
    double named = size_of(g, p->space.dim[p->named - 1]), cols = size_of(g, p->space.dim[rank - 1]);
    if (plan_updates_columns(p)) return ceil(named / TILE_ELEMENTS);
    double wide = cols < PLAN_SOURCE_ELEMENTS ? cols : PLAN_SOURCE_ELEMENTS, times = ceil(named * wide / TILE_ELEMENTS);
    return size_is(acc->view.stride[rank - 1], 0) ? times * ceil(cols / PLAN_SOURCE_ELEMENTS) : times;
}

static bool same_number(const PlanUpdate *x, const PlanUpdate *y) {
    return x->has_number == y->has_number &&
           (!x->has_number || (x->number.is_runtime == y->number.is_runtime &&
                               (x->number.is_runtime ? x->number.index == y->number.index : x->number.value == y->number.value)));
}

static bool same(const PlanPass *x, const PlanPass *y) {
    if (x->named != y->named || x->updates.n != y->updates.n) return false;
    for (size_t i = 0; i < x->updates.n; i++) {
        const PlanUpdate *p = &x->updates.at[i], *q = &y->updates.at[i];
        if (p->index != q->index || p->source != q->source || p->how != q->how || p->wraps != q->wraps || p->is_float != q->is_float ||
            !same_number(p, q))
            return false;
    }
    return true;
}

static void add_buffers(Arena *a, const PlanPass *p, size_t v, PlanBuffers *list) {
    static const PlanBuffer INDEX[] = {
        {.name = "indexQueue_", .what = "indices, double buffered", .count = 2, .fixed_bytes = PLAN_PICK_COLS * 8},
        {.name = "place_", .what = "places that indices name", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "inWindow_", .what = "the same, kept inside the tile", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "isInside_", .what = "which of them the tile has", .count = 1, .fixed_bytes = PLAN_PICK_COLS / 8},
        {.name = "order_", .what = "0, 1, 2, ...", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "at_", .what = "places of updates in the tile", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "from_", .what = "which of the indices they are", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4}};
    static const PlanBuffer SOURCE = {.name = "sourceQueue_", .what = "what goes to those places, double buffered", .count = 2},
                            WIDE = {.name = "wide_", .what = "the same in float32", .count = 1, .fixed_bytes = PLAN_SOURCE_ELEMENTS * 4};
    uint32_t bytes = 0;
    bool narrow = false;
    for (size_t i = 0; i < p->updates.n; i++) {
        if (p->updates.at[i].source == UINT32_MAX) continue;
        const PlanAccess *acc = &p->access.at[p->updates.at[i].source];
        uint32_t size = (uint32_t)dtype_info(acc->dtype[v])->size_bytes;
        if (size > bytes) bytes = size;
        for (size_t k = 0; k < p->n_variants; k++) narrow |= !plan_is_wide(acc->dtype[k]);
    }
    if (p->updates.n == 0) return;
    for (size_t i = 0; i < sizeof INDEX / sizeof INDEX[0]; i++) {
        bool known = false;
        for (size_t k = 0; k < list->n; k++) known |= strcmp(list->at[k].name, INDEX[i].name) == 0;
        if (!known) vec_push(a, list, INDEX[i]);
    }
    if (bytes) {
        vec_push(a, list, SOURCE);
        list->at[list->n - 1].fixed_bytes = PLAN_SOURCE_ELEMENTS * bytes;
    }
    if (narrow) vec_push(a, list, WIDE);
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].last == 0) list->at[i].last = (uint32_t)p->n_steps;
}

const Family FAMILY_scatter = {
    .name = "scatter",
    .what = "elements that an index tensor names are changed: scatter, index_add, index_copy, index_put",
    .prologue = PROLOGUE_ALL,
    .takes_ints = true,
    .n_ops = n_ops,
    .op_name = op_name,
    .claims = claims,
    .index_below = below,
    .relation = relation,
    .from_memory = from_memory,
    .add_buffers = add_buffers,
    .joins = joins,
    .takes = takes,
    .lower = lower,
    .times_moved = times_moved,
    .finish = plan_slots,
    .same = same,
    .check = plan_check_places,
    .print = plan_print_tiles,
};
