/* The nms family: boxes that do not overlap better ones. */
#include "lower/nms.h"

#include "lower/family.h"
#include "lower/line.h"

#include <string.h>

static const char *const ROWS[] = {
#define NMS(target) target,
#include "lower/nms.def"
#undef NMS
};

static size_t n_ops(void) {
    return sizeof ROWS / sizeof ROWS[0];
}

static const char *op_name(size_t i) {
    return ROWS[i];
}

static bool claims(const GraphNode *n) {
    for (size_t i = 0; i < n_ops(); i++)
        if (strcmp(ROWS[i], n->op) == 0) return true;
    return false;
}

const NmsPlan *nms_plan(const PlanPass *p) {
    return p->own;
}

static bool read_threshold(Lower *lo, const GraphNode *n, NmsPlan *plan) {
    const GraphArg *arg = graph_arg(n, 4, "threshold");
    if (arg && arg->kind == GRAPH_ARG_SCALAR) {
        PlanScalar s = {.kind = PLAN_ATTRIBUTE, .name = lo->g->scalars[arg->scalar].name, .index = arg->scalar, .as_float = true};
        lower_scalar(lo, s);
        plan->is_scalar = true;
        return true;
    }
    if (!arg || (arg->kind != GRAPH_ARG_NUM && arg->kind != GRAPH_ARG_INT)) return lower_unsupported(lo, n, "the threshold is no number", "");
    plan->threshold = arg->kind == GRAPH_ARG_NUM ? arg->f : (double)arg->i;
    return true;
}

static bool begin(Lower *lo, Arena *a, const Stage *s, const GraphNode *n, size_t v, GraphBounds *bounds, Err *err) {
    PlanPass *pass = ARENA_NEW(a, PlanPass);
    NmsPlan *plan = ARENA_NEW(a, NmsPlan);
    uint32_t *const access[] = {&plan->rows, &plan->places, &plan->count};
    pass->family = s->family;
    pass->kir = kir_new(a);
    pass->own = plan;
    pass->schedule = PLAN_FLAT;
    *lo = lower_begin(a, s->graph, v, pass, bounds, err);
    plan->kept = plan->n_kept = -1;
    for (size_t i = 0; i < 3; i++) {
        const GraphArg *arg = lower_tensor_arg(n, i);
        if (!arg) return lower_unsupported(lo, n, "its arguments are not understood", "");
        if (!lower_line(lo, n, arg->value, access[i])) return false;
        DType t = pass->access.at[*access[i]].dtype[v], wanted = i == 0 ? DTYPE_F32 : DTYPE_I32;
        if (t != wanted) return lower_unsupported(lo, n, "its arguments are not float32 boxes and int32 places", "");
    }
    plan->boxes = s->graph->values[n->args[1].value].shape.dim[0];
    plan->most = s->graph->values[n->first_value].shape.dim[0];
    pass->space = lower_line_shape(a, plan->boxes);
    pass->shape = s->graph->values[n->first_value].shape;
    pass->cycles64 = 64;
    return read_threshold(lo, n, plan);
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    const GraphNode *n = &s->graph->nodes[s->anchors.at[0]];
    bool *done = ARENA_ARRAY(a, s->writes.n, bool);
    for (size_t left = s->writes.n; left > 0;) { /* a result under two names takes another pass */
        Lower lo;
        if (!begin(&lo, a, s, n, v, bounds, err)) return false;
        NmsPlan *plan = lo.pass->own;
        for (size_t i = 0; i < s->writes.n; i++) {
            uint32_t value = lower_peel(s->graph, s->graph->outputs[s->writes.at[i]].value);
            int32_t *access = value == n->first_value ? &plan->kept : &plan->n_kept;
            if (done[i] || *access >= 0) continue;
            *access = (int32_t)lower_line_store(&lo, s->writes.at[i]);
            done[i] = true;
            left--;
        }
        vec_push(a, passes, lo.pass);
    }
    return true;
}

static bool joins(const Stage *s, const GraphNode *n) {
    if (s->anchors.n) return false;
    Arena *a = arena_new();
    GraphBounds bounds = {.arena = a};
    Err ignored = {0};
    Lower lo;
    bool ok = begin(&lo, a, s, n, s->graph->own_variant, &bounds, &ignored);
    arena_free(a);
    return ok;
}

static bool same(const PlanPass *x, const PlanPass *y) {
    const NmsPlan *a = nms_plan(x), *b = nms_plan(y);
    return a->kept == b->kept && a->n_kept == b->n_kept && a->is_scalar == b->is_scalar;
}

static void print(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index) {
    const NmsPlan *s = nms_plan(p);
    const char *const *names = plan->graph->symbol_names;
    strbuf_printf(sb, "pass %zu: nms, at most %s of %s boxes\n", index, size_print(sb->arena, s->most, names, SIZE_PYTHON),
                  size_print(sb->arena, s->boxes, names, SIZE_PYTHON));
}

const Family FAMILY_nms = {
    .name = "nms",
    .what = "boxes that do not overlap better ones",
    .prologue = PROLOGUE_ALL,
    .n_ops = n_ops,
    .op_name = op_name,
    .claims = claims,
    .joins = joins,
    .lower = lower,
    .same = same,
    .print = print,
};
