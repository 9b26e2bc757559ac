/* The pointwise family: views, fills and pointwise ops alone. One pass for each shape of output. */
#include "lower/eval.h"
#include "lower/family.h"
#include "lower/plan_int.h"

static bool add_output(Lower *lo, uint32_t index) {
    const GraphOutput *o = &lo->g->outputs[index];
    uint32_t value = lower_peel(lo->g, o->value);
    const GraphValue *v = &lo->g->values[value];
    PlanPass *p = lo->pass;
    DType t = v->dtype[lo->variant];
    KirArg arg;
    if (!lower_value(lo, value, NULL, &arg)) return false;
    KirVal val =
        kir_convert(p->kir, kir_materialise(p->kir, arg, kir_type_of_dtype(t)), kir_type_of_dtype(t));
    PlanAccess acc = {.is_store = true,
                      .is_temp = o->dtype != NULL,
                      .tensor = index,
                      .name = o->name,
                      .tensor_name = o->name,
                      .dtype = o->dtype ? o->dtype : lo->g->values[o->value].dtype};
    acc.view = graph_view_contiguous(lo->a, &v->shape);
    vec_push(lo->a, &p->access, acc);
    vec_push(lo->a, &p->outputs, index);
    kir_store(p->kir, (uint32_t)(p->access.n - 1), val);
    return true;
}

static const GraphShape *output_shape(const Graph *g, uint32_t index) {
    return &g->values[lower_peel(g, g->outputs[index].value)].shape;
}

static PlanPass *find_pass(Arena *a, PlanPasses *passes, size_t from, const Family *family, const GraphShape *shape) {
    for (size_t i = from; i < passes->n; i++)
        if (lower_same_shape(&passes->at[i]->shape, shape)) return passes->at[i];
    PlanPass *p = ARENA_NEW(a, PlanPass);
    p->family = family;
    p->shape = *shape;
    p->kir = kir_new(a);
    vec_push(a, passes, p);
    return p;
}

bool plan_lower_tiles(Arena *a, const Stage *s, size_t v, PlanAnchor anchor, PlanPasses *passes, GraphBounds *bounds,
                      Err *err) {
    const Graph *g = s->graph;
    size_t from = passes->n;
    for (size_t i = 0; i < s->writes.n; i++) find_pass(a, passes, from, s->family, output_shape(g, s->writes.at[i]));
    for (size_t k = from; k < passes->n; k++) {
        Lower lo = lower_begin(a, g, v, passes->at[k], bounds, err);
        lo.anchor = anchor;
        lo.takes_int64 = lo.takes_small = s->family->takes_ints;
        lo.counts = true;
        for (size_t i = 0; i < s->writes.n; i++)
            if (lower_same_shape(&lo.pass->shape, output_shape(g, s->writes.at[i])) &&
                !add_output(&lo, s->writes.at[i]))
                return false;
        if (!plan_space(a, passes->at[k], err)) return false;
    }
    return true;
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    return plan_lower_tiles(a, s, v, NULL, passes, bounds, err);
}

const Family FAMILY_pointwise = {
    .name = "pointwise",
    .what = "every element of the output from the elements at the same place of the operands",
    .prologue = PROLOGUE_ALL,
    .takes_ints = true,
    .lower = lower,
    .finish = plan_slots,
    .check = plan_check_places,
    .print = plan_print_tiles,
};
