/* The sort family: the arguments of its operator, and the rows it sorts. */
#include "lower/sort.h"

#include "lower/eval.h"
#include "lower/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const ROWS[] = {
#define SORT(target) target,
#include "lower/sort.def"
#undef SORT
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

const SortPlan *sort_plan(const PlanPass *p) {
    return p->own;
}

/* ---- the pass
 * ------------------------------------------------------------------------------------------------------ */

typedef struct Work {
    Lower lo;
    const GraphNode *n;
    SortPlan *plan;
} Work;

static const Size *size_arg(Arena *a, const GraphNode *n, size_t i, const char *name) {
    const GraphArg *arg = graph_arg(n, i, name);
    if (arg && arg->kind == GRAPH_ARG_INT) return size_const(a, arg->i);
    return arg && arg->kind == GRAPH_ARG_SIZE ? arg->size : NULL;
}

/* Rows as they lie in memory, one after the other. */
static bool load_rows(Work *w, const GraphShape *shape, size_t v) {
    Lower *lo = &w->lo;
    const GraphArg *x = graph_arg(w->n, 0, "x");
    KirArg loaded;
    if (!lower_value(lo, x->value, NULL, &loaded)) return false;
    const KirInsn *in = loaded.kind == KIR_ARG_VAL ? &lo->pass->kir->insns.at[loaded.val] : NULL;
    if (!in || !kir_is_load(in->op)) return lower_unsupported(lo, w->n, "the rows are not in memory", "");
    PlanAccess *acc = &lo->pass->access.at[in->mode];
    GraphView all = graph_view_contiguous(lo->a, shape);
    if (dtype_info(acc->dtype[v])->cls != DTYPE_CLASS_F)
        return lower_unsupported(lo, w->n, "the rows are not floating", "convert them to float32 before");
    for (uint32_t d = 0; d < shape->rank; d++)
        if (!size_is(shape->dim[d], 1) && !size_equal(all.stride[d], acc->view.stride[d]))
            return lower_unsupported(lo, w->n, "the rows lie in another order", "make them contiguous");
    w->plan->input = in->mode;
    acc->cls = PLAN_ROW;
    return acc->n_by == 0 || lower_unsupported(lo, w->n, "the rows are read by an index", "");
}

static GraphShape rows_of(Arena *a, const Size *rows, const Size *columns) {
    GraphShape s = {.rank = 2, .dim = ARENA_ARRAY(a, 2, const Size *)};
    s.dim[0] = rows;
    s.dim[1] = columns;
    return s;
}

static bool begin(Work *w, Arena *a, const Stage *s, const GraphNode *n, size_t v, GraphBounds *bounds, Err *err) {
    PlanPass *pass = ARENA_NEW(a, PlanPass);
    SortPlan *plan = ARENA_NEW(a, SortPlan);
    *w = (Work){.n = n, .plan = plan};
    pass->family = s->family;
    pass->kir = kir_new(a);
    pass->own = plan;
    pass->schedule = PLAN_ROWS;
    w->lo = lower_begin(a, s->graph, v, pass, bounds, err);
    const GraphArg *x = graph_arg(n, 0, "x"), *order = graph_arg(n, 3, "descending");
    if (!x || x->kind != GRAPH_ARG_REF || !order) return lower_unsupported(&w->lo, n, "its arguments are not understood", "");
    const GraphShape *shape = &s->graph->values[x->value].shape;
    *plan = (SortPlan){.value = -1, .place = -1, .descending = order->i != 0};
    plan->n = shape->dim[shape->rank - 1];
    plan->rows = size_const(a, 1);
    for (uint32_t d = 0; d + 1 < shape->rank; d++) plan->rows = size_mul(a, plan->rows, shape->dim[d]);
    plan->first = size_arg(a, n, 1, "first");
    plan->count = size_arg(a, n, 2, "count");
    if (!plan->first || !plan->count) return lower_unsupported(&w->lo, n, "how many elements are wanted is not known", "pass a number");
    GraphBound enough = {.small = size_add(a, plan->first, plan->count), .large = plan->n, .node = n};
    vec_push(bounds->arena, &bounds->list, enough);
    if (!load_rows(w, shape, v)) return false;
    PlanAccess *acc = &pass->access.at[plan->input];
    acc->view.shape = rows_of(a, plan->rows, plan->n);
    acc->view.stride = graph_view_contiguous(a, &acc->view.shape).stride;
    pass->space = rows_of(a, plan->rows, plan->n);
    pass->shape = s->graph->values[n->first_value].shape;
    pass->cycles64 = 64;
    return true;
}

static void add_store(Work *w, const GraphOutput *o, uint32_t index, int32_t *access) {
    Arena *a = w->lo.a;
    PlanPass *pass = w->lo.pass;
    GraphShape shape = rows_of(a, w->plan->rows, w->plan->count);
    PlanAccess acc = {.is_store = true,
                      .is_temp = o->dtype != NULL,
                      .tensor = index,
                      .name = o->name,
                      .tensor_name = o->name,
                      .cls = PLAN_ROW,
                      .dtype = o->dtype ? o->dtype : w->lo.g->values[o->value].dtype,
                      .view = graph_view_contiguous(a, &shape)};
    vec_push(a, &pass->access, acc);
    vec_push(a, &pass->outputs, index);
    *access = (int32_t)pass->access.n - 1;
}

/* One pass for both results; a result that is left under two names takes another pass. */
static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    const GraphNode *n = &s->graph->nodes[s->anchors.at[0]];
    bool *done = ARENA_ARRAY(a, s->writes.n, bool);
    for (size_t left = s->writes.n; left > 0;) {
        Work w;
        if (!begin(&w, a, s, n, v, bounds, err)) return false;
        for (size_t i = 0; i < s->writes.n; i++) {
            const GraphOutput *o = &s->graph->outputs[s->writes.at[i]];
            int32_t *access = lower_peel(s->graph, o->value) == n->first_value ? &w.plan->value : &w.plan->place;
            if (done[i] || *access >= 0) continue;
            add_store(&w, o, s->writes.at[i], access);
            done[i] = true;
            left--;
        }
        vec_push(a, passes, w.lo.pass);
    }
    return true;
}

/* A stage sorts once. */
static bool joins(const Stage *s, const GraphNode *n) {
    if (s->anchors.n) return false;
    Arena *a = arena_new();
    GraphBounds bounds = {.arena = a};
    Err ignored = {0};
    Work w;
    bool ok = begin(&w, a, s, n, s->graph->own_variant, &bounds, &ignored);
    arena_free(a);
    return ok;
}

/* No more elements are wanted than a row has. */
static bool relation(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out) {
    const GraphArg *x = graph_arg(n, 0, "x");
    const Size *first = size_arg(a, n, 1, "first"), *count = size_arg(a, n, 2, "count");
    if (i > 0 || !x || x->kind != GRAPH_ARG_REF || !first || !count) return false;
    const GraphShape *shape = &g->values[x->value].shape;
    *out = (GraphRelation){.x = size_add(a, first, count), .y = shape->dim[shape->rank - 1]};
    return true;
}

/* Rows longer than a chunk move through workspace as records of 8 bytes, once for every fourfold. */
static double times_moved(const Graph *g, const PlanPass *p, const PlanAccess *acc) {
    int64_t *hints = calloc(g->n_symbols + 1, sizeof *hints);
    for (size_t s = 0; s < g->n_symbols; s++) hints[s] = g->symbols[s].hint;
    double n = (double)size_eval(sort_plan(p)->n, hints);
    free(hints);
    if (acc->is_store || n <= SORT_CHUNK) return 1;
    return 1 + 4 * ceil(log2(n / SORT_CHUNK) / 2);
}

static bool same(const PlanPass *x, const PlanPass *y) {
    return sort_plan(x)->value == sort_plan(y)->value && sort_plan(x)->place == sort_plan(y)->place;
}

static void print(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index) {
    const SortPlan *s = sort_plan(p);
    const char *const *names = plan->graph->symbol_names;
    strbuf_printf(sb, "pass %zu: sort, %s, %s rows of %s, from %s on %s elements\n", index, s->descending ? "greatest first" : "least first",
                  size_print(sb->arena, s->rows, names, SIZE_PYTHON), size_print(sb->arena, s->n, names, SIZE_PYTHON),
                  size_print(sb->arena, s->first, names, SIZE_PYTHON), size_print(sb->arena, s->count, names, SIZE_PYTHON));
}

const Family FAMILY_sort = {
    .name = "sort",
    .what = "rows in order: sort, argsort, topk, kthvalue, median",
    .prologue = PROLOGUE_ALL,
    .n_ops = n_ops,
    .op_name = op_name,
    .claims = claims,
    .joins = joins,
    .lower = lower,
    .relation = relation,
    .times_moved = times_moved,
    .same = same,
    .print = print,
};
