/* The index family: reads of elements that another tensor names. Its passes are those of the pointwise family, with
 * accesses whose places come from index tensors. */
#include "lower/family.h"
#include "lower/index.h"
#include "lower/plan_int.h"

static size_t n_ops(void) {
    return index_read_count();
}

static const char *op_name(size_t i) {
    return index_read_name(i);
}

static bool claims(const GraphNode *n) {
    return index_is_read(n->op);
}

static bool eval_anchor(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out) {
    if (!claims(n)) return lower_unsupported(lo, n, "it is not of the stage's family", "");
    return lower_value(lo, n->args[0].value, lower_chain(lo, n, result, NULL, chain), out);
}

/* Can the value be computed here? Tried on a pass of its own. */
static bool can_compute(const Stage *s, uint32_t value) {
    Arena *a = arena_new();
    PlanPass pass = {.kir = kir_new(a)};
    GraphBounds bounds = {.arena = a};
    Err ignored = {0};
    KirArg arg;
    Lower lo = lower_begin(a, s->graph, s->graph->own_variant, &pass, &bounds, &ignored);
    lo.takes_int64 = lo.takes_small = true;
    lo.anchor = eval_anchor;
    lo.counts = true;
    bool ok = lower_value(&lo, value, NULL, &arg);
    arena_free(a);
    return ok;
}

static bool joins(const Stage *s, const GraphNode *n) {
    return can_compute(s, n->first_value);
}

static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    return plan_lower_tiles(a, s, v, eval_anchor, passes, bounds, err);
}

/* The same tensors name the same dimensions. */
static bool same(const PlanPass *x, const PlanPass *y) {
    for (size_t i = 0; i < x->access.n; i++) {
        const PlanAccess *p = &x->access.at[i], *q = &y->access.at[i];
        if (p->n_by != q->n_by) return false;
        for (uint32_t k = 0; k < p->n_by; k++)
            if (p->by[k].access != q->by[k].access || p->by[k].wraps != q->by[k].wraps ||
                !size_equal(p->by[k].stride, q->by[k].stride))
                return false;
    }
    return true;
}

const Family FAMILY_index = {
    .name = "index",
    .what = "elements that an index tensor names: index_select, embedding, gather, x[i]",
    .prologue = PROLOGUE_ALL,
    .takes_ints = true,
    .n_ops = n_ops,
    .op_name = op_name,
    .claims = claims,
    .index_below = index_below,
    .joins = joins,
    .takes = can_compute,
    .lower = lower,
    .finish = plan_slots,
    .same = same,
    .check = plan_check_places,
    .print = plan_print_tiles,
};
