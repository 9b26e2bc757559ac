/* The select family: what a mask names, one after the other. */
#include "lower/select.h"

#include "lower/family.h"
#include "lower/line.h"

#include <string.h>

typedef struct Row {
    const char *op;
    SelectKind kind;
} Row;

static const Row ROWS[] = {
#define SELECT(op, kind) {op, SELECT_##kind},
#include "lower/select.def"
#undef SELECT
};

static size_t n_ops(void) {
    return sizeof ROWS / sizeof ROWS[0];
}

static const char *op_name(size_t i) {
    return ROWS[i].op;
}

static const Row *find_row(const GraphNode *n) {
    for (size_t i = 0; i < n_ops(); i++)
        if (strcmp(ROWS[i].op, n->op) == 0) return &ROWS[i];
    return NULL;
}

static bool claims(const GraphNode *n) {
    return find_row(n) != NULL;
}

const SelectPlan *select_plan(const PlanPass *p) {
    return p->own;
}

bool select_has(const SelectPlan *s, SelectKind kind) {
    for (size_t i = 0; i < s->results.n; i++)
        if (s->results.at[i].kind == kind) return true;
    return false;
}

bool select_has_coordinates(const SelectPlan *s) {
    return s->shape.rank > 1 && (select_has(s, SELECT_COLUMN) || select_has(s, SELECT_ROWS));
}

/* ---- the pass
 * ------------------------------------------------------------------------------------------------------ */

typedef struct Work {
    Lower lo;
    SelectPlan *plan;
} Work;

static bool begin(Work *w, Arena *a, const Stage *s, const GraphNode *first, size_t v, GraphBounds *bounds, Err *err) {
    PlanPass *pass = ARENA_NEW(a, PlanPass);
    SelectPlan *plan = ARENA_NEW(a, SelectPlan);
    *w = (Work){.plan = plan};
    pass->family = s->family;
    pass->kir = kir_new(a);
    pass->own = plan;
    pass->schedule = PLAN_FLAT;
    w->lo = lower_begin(a, s->graph, v, pass, bounds, err);
    const GraphArg *mask = lower_tensor_arg(first, 0);
    if (!mask) return lower_unsupported(&w->lo, first, "its arguments are not understood", "");
    plan->shape = s->graph->values[mask->value].shape;
    plan->elements = lower_n_elements(a, &plan->shape);
    if (!lower_line(&w->lo, first, mask->value, &plan->mask)) return false;
    if (pass->access.at[plan->mask].dtype[v] != DTYPE_BOOL) return lower_unsupported(&w->lo, first, "its mask is not bool", "compare it with 0 before");
    pass->space = lower_line_shape(a, plan->elements);
    pass->shape = plan->shape;
    pass->cycles64 = 8;
    return true;
}

/* The tensor that a node takes values from; true for nodes that take none. */
static bool load_source(Work *w, const GraphNode *n, SelectResult *r) {
    const GraphArg *x = lower_tensor_arg(n, 1);
    if (r->kind != SELECT_VALUES) return true;
    if (!x || !size_equal(lower_n_elements(w->lo.a, &w->lo.g->values[x->value].shape), w->plan->elements))
        return lower_unsupported(&w->lo, n, "its arguments are not understood", "");
    return lower_line(&w->lo, n, x->value, &r->source);
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    Work w;
    if (!begin(&w, a, s, &s->graph->nodes[s->anchors.at[0]], v, bounds, err)) return false;
    for (size_t i = 0; i < s->writes.n; i++) {
        const GraphOutput *o = &s->graph->outputs[s->writes.at[i]];
        const GraphNode *n = &s->graph->nodes[s->graph->values[lower_peel(s->graph, o->value)].node];
        SelectResult r = {.kind = find_row(n)->kind};
        if (r.kind == SELECT_COLUMN) r.dim = (uint32_t)n->args[1].i;
        if (!load_source(&w, n, &r)) return false;
        r.store = lower_line_store(&w.lo, s->writes.at[i]);
        vec_push(a, &w.plan->results, r);
    }
    vec_push(a, passes, w.lo.pass);
    return true;
}

/* What the same mask names is found once. */
static bool joins(const Stage *s, const GraphNode *n) {
    const GraphNode *first = s->anchors.n ? &s->graph->nodes[s->anchors.at[0]] : n;
    const GraphArg *mask = lower_tensor_arg(n, 0), *known = lower_tensor_arg(first, 0);
    if (!mask || !known || mask->value != known->value) return false;
    Arena *a = arena_new();
    GraphBounds bounds = {.arena = a};
    Err ignored = {0};
    Work w;
    SelectResult r = {.kind = find_row(n)->kind};
    bool ok = begin(&w, a, s, n, s->graph->own_variant, &bounds, &ignored) && load_source(&w, n, &r);
    arena_free(a);
    return ok;
}

/* The mask is counted first. */
static double times_moved(const Graph *g, const PlanPass *p, const PlanAccess *acc) {
    (void)g;
    return acc == &p->access.at[select_plan(p)->mask] ? 2 : 1;
}

static bool same(const PlanPass *x, const PlanPass *y) {
    const SelectPlan *a = select_plan(x), *b = select_plan(y);
    if (a->mask != b->mask || a->results.n != b->results.n) return false;
    for (size_t i = 0; i < a->results.n; i++) {
        const SelectResult *r = &a->results.at[i], *q = &b->results.at[i];
        if (r->kind != q->kind || r->store != q->store || r->source != q->source || r->dim != q->dim) return false;
    }
    return true;
}

static void print(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index) {
    static const char *const KINDS[] = {"their number", "values", "places along one dimension", "places"};
    const SelectPlan *s = select_plan(p);
    strbuf_printf(sb, "pass %zu: select, of %s elements those that a mask names:", index,
                  size_print(sb->arena, s->elements, plan->graph->symbol_names, SIZE_PYTHON));
    for (size_t i = 0; i < s->results.n; i++) strbuf_printf(sb, "%s %s", i ? "," : "", KINDS[s->results.at[i].kind]);
    strbuf_add(sb, "\n");
}

const Family FAMILY_select = {
    .name = "select",
    .what = "what a mask names: nonzero, masked_select, indexing by masks",
    .prologue = PROLOGUE_ALL,
    .n_ops = n_ops,
    .op_name = op_name,
    .claims = claims,
    .joins = joins,
    .lower = lower,
    .times_moved = times_moved,
    .same = same,
    .print = print,
};
