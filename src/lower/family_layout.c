/* The layout family: cat, stack, pad, roll, repeat and the like. Nothing is moved for their own sake: the space of the
 * outputs is cut into boxes in each of which every such node takes its elements from one operand, as a view does. A box
 * is one pass of the pointwise schedule, which computes what stands before and after these nodes, too, and stores into
 * a part of its outputs. */
#include "lower/family.h"
#include "lower/layout.h"
#include "lower/plan_int.h"

#define MAX_BOXES      128 /* passes of one stage */
#define MAX_CUTS       32  /* of one box within another: ends that sizes put in no order cut each other without end */
#define MAX_BOXES_JOIN 16  /* more are not worth it for the sake of not leaving a temp */

typedef struct Work {
    Arena *a;
    const Stage *s;
    size_t variant, max_boxes;
    const GraphShape *output; /* of the outputs at hand */
    const uint32_t *values;   /* when only tried: of the stage's graph */
    size_t n_values, n_boxes, depth;
    const IndexMap *box;
    LayoutCut cut;
    PlanPasses *passes;
    GraphBounds *bounds;
    Err *err;
} Work;

static const char *op_name(size_t i) {
    return layout_name(i);
}

/* The operand as the dtype of the result: cat promotes. */
static void convert(Lower *lo, DType from, DType to, KirArg *arg) {
    if (from == to) return;
    KirVal v = kir_materialise(lo->pass->kir, *arg, kir_type_of_dtype(from));
    *arg = (KirArg){.kind = KIR_ARG_VAL, .val = kir_convert(lo->pass->kir, v, kir_type_of_dtype(to))};
}

static bool eval_number(Lower *lo, const LayoutAsk *q, DType t, KirArg *out) {
    const char *str;
    *out = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(0)};
    if (q->number && q->number->kind != GRAPH_ARG_NULL && !lower_arg(lo, q->n, q->number, NULL, NULL, out, &str)) return false;
    if (out->kind != KIR_ARG_NUM) return lower_unsupported(lo, q->n, "the value is not a number", "pad with a number");
    out->num_is_int = dtype_info(t)->cls == DTYPE_CLASS_I;
    out->num_is_bool = t == DTYPE_BOOL;
    return true;
}

static bool eval_anchor(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out) {
    Work *w = lo->family;
    const GraphValue *v = &lo->g->values[n->first_value + result];
    LayoutAsk q = {.lo = lo, .n = n, .box = w->box, .output = w->output, .cut = &w->cut};
    if (!layout_claims(n)) return lower_unsupported(lo, n, "it is not of the stage's family", "");
    if (!index_map_of_chain(lo, &v->shape, chain, &q.map) || !layout_ask(&q)) return false;
    DType t = v->dtype[lo->variant];
    if (!q.from) return eval_number(lo, &q, t, out);
    IndexMap *map = ARENA_NEW(lo->a, IndexMap);
    *map = q.map;
    if (!lower_value(lo, q.from->value, lower_map(lo, map), out)) return false;
    convert(lo, lo->g->values[q.from->value].dtype[lo->variant], t, out);
    return true;
}

/* ---- boxes
 * ------------------------------------------------------------------------------------------------------- */

static const GraphShape *output_shape(const Graph *g, uint32_t index) {
    return &g->values[lower_peel(g, g->outputs[index].value)].shape;
}

static bool add_output(Lower *lo, uint32_t index, const IndexMap *box, const Chain *chain) {
    const GraphOutput *o = &lo->g->outputs[index];
    uint32_t value = lower_peel(lo->g, o->value);
    const GraphValue *v = &lo->g->values[value];
    PlanPass *p = lo->pass;
    KirType t = kir_type_of_dtype(v->dtype[lo->variant]);
    KirArg arg;
    if (!lower_value(lo, value, chain, &arg)) return false;
    KirVal val = kir_convert(p->kir, kir_materialise(p->kir, arg, t), t);
    PlanAccess acc = {.is_store = true,
                      .is_temp = o->dtype != NULL,
                      .tensor = index,
                      .name = o->name,
                      .tensor_name = o->name,
                      .dtype = o->dtype ? o->dtype : v->dtype};
    acc.view = graph_view_contiguous(lo->a, &v->shape);
    index_map_apply(lo->a, box, &acc.view);
    vec_push(lo->a, &p->access, acc);
    vec_push(lo->a, &p->outputs, index);
    kir_store(p->kir, (uint32_t)(p->access.n - 1), val);
    return true;
}

/* All that the pass of a box computes. */
static bool fill_pass(Work *w, Lower *lo, const IndexMap *box) {
    const Graph *g = w->s->graph;
    const Chain *chain = lower_map(lo, box);
    KirArg arg;
    for (size_t i = 0; i < w->n_values; i++)
        if (!lower_value(lo, w->values[i], chain, &arg)) return false;
    for (size_t i = 0; w->n_values == 0 && i < w->s->writes.n; i++) {
        uint32_t index = w->s->writes.at[i];
        if (lower_same_shape(output_shape(g, index), w->output) && !add_output(lo, index, box, chain)) return false;
    }
    return w->n_values || plan_space(w->a, lo->pass, w->err);
}

static bool fill_box(Work *w, const IndexMap *box);

/* The two parts of a box, or the box with one dimension as two. */
static bool fill_parts(Work *w, const IndexMap *box, LayoutCut cut) {
    IndexMap *part = ARENA_ARRAY(w->a, 2, IndexMap);
    const Size *zero = size_const(w->a, 0);
    part[0] = part[1] = *box;
    if (cut.is_split) {
        index_map_narrow(w->a, &part[0], cut.p, zero, box->space.dim[cut.p]); /* arrays of its own */
        index_map_split(w->a, &part[0], cut.p, cut.at, cut.inner);
        return fill_box(w, &part[0]);
    }
    index_map_narrow(w->a, &part[0], cut.p, zero, cut.at);
    index_map_narrow(w->a, &part[1], cut.p, cut.at, size_sub(w->a, box->space.dim[cut.p], cut.at));
    return fill_box(w, &part[0]) && fill_box(w, &part[1]);
}

static bool fill_box(Work *w, const IndexMap *box) {
    PlanPass *p = ARENA_NEW(w->a, PlanPass);
    p->family = &FAMILY_layout;
    p->shape = box->space;
    p->kir = kir_new(w->a);
    w->box = box;
    w->cut = (LayoutCut){0};
    Lower lo = lower_begin(w->a, w->s->graph, w->variant, p, w->bounds, w->err);
    lo.takes_int64 = lo.takes_small = true;
    lo.counts = true;
    lo.anchor = eval_anchor;
    lo.family = w;
    if (!fill_pass(w, &lo, box)) {
        bool ok = w->cut.wanted && ++w->depth <= MAX_CUTS && fill_parts(w, box, w->cut);
        if (!ok && w->depth > MAX_CUTS)
            err_set(w->err, ERR_UNSUPPORTED, w->s->graph->file, "the output is put together from parts whose order depends on the sizes");
        w->depth--;
        return ok;
    }
    if (++w->n_boxes > w->max_boxes)
        return err_set(w->err, ERR_UNSUPPORTED, w->s->graph->file, "the output is put together from more than %zu parts",
                       w->max_boxes);
    if (w->n_values == 0) vec_push(w->a, w->passes, p);
    return true;
}

static bool fill(Work *w, const GraphShape *shape) {
    w->depth = 0;
    IndexMap *all = ARENA_NEW(w->a, IndexMap);
    index_map_identity(w->a, shape, all);
    w->output = shape;
    return fill_box(w, all);
}

/* ---- the family
 * -------------------------------------------------------------------------------------------------- */

/* Can a value be computed in the boxes of what the stage has of that shape? Those are cut for all of them. */
static bool can_compute(const Stage *s, uint32_t value) {
    Arena *a = arena_new();
    GraphBounds bounds = {.arena = a};
    Err ignored = {0};
    value = lower_peel(s->graph, value);
    const GraphShape *shape = &s->graph->values[value].shape;
    VEC(uint32_t) together = {0};
    vec_push(a, &together, value);
    for (size_t i = 0; i < s->anchors.n; i++) {
        uint32_t other = s->graph->nodes[s->anchors.at[i]].first_value;
        if (other != value && lower_same_shape(&s->graph->values[other].shape, shape)) vec_push(a, &together, other);
    }
    Work w = {.a = a, .s = s, .variant = s->graph->own_variant, .max_boxes = MAX_BOXES_JOIN, .values = together.at, .n_values = together.n,
              .bounds = &bounds, .err = &ignored};
    bool ok = fill(&w, shape);
    arena_free(a);
    return ok;
}

static bool joins(const Stage *s, const GraphNode *n) {
    return can_compute(s, n->first_value);
}

/* Results of the stage's anchors always; what follows them when that is no more work. */
static bool takes(const Stage *s, uint32_t v) {
    uint32_t value = lower_peel(s->graph, v);
    for (size_t i = 0; i < s->anchors.n; i++)
        if (s->graph->nodes[s->anchors.at[i]].first_value == value) return true;
    return can_compute(s, v);
}

static bool seen_before(const Stage *s, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (lower_same_shape(output_shape(s->graph, s->writes.at[k]), output_shape(s->graph, s->writes.at[i]))) return true;
    return false;
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    Work w = {.a = a, .s = s, .variant = v, .max_boxes = MAX_BOXES, .passes = passes, .bounds = bounds, .err = err};
    for (size_t i = 0; i < s->writes.n; i++)
        if (!seen_before(s, i) && !fill(&w, output_shape(s->graph, s->writes.at[i]))) return false;
    return true;
}

const Family FAMILY_layout = {
    .name = "layout",
    .what = "results put together from parts of tensors: cat, stack, pad, roll, repeat",
    .prologue = PROLOGUE_ALL,
    .takes_ints = true,
    .n_ops = layout_count,
    .op_name = op_name,
    .claims = layout_claims,
    .joins = joins,
    .takes = takes,
    .lower = lower,
    .finish = plan_slots,
    .check = plan_check_places,
    .print = plan_print_tiles,
};
