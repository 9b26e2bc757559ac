/* The iteration space of a pass: dead accesses dropped, dimensions merged, a schedule chosen, accesses
 * classified. All of it holds for every size the symbols can take. */
#include "lower/plan_int.h"

#include <stdio.h>

/* ---- what is used
 * ------------------------------------------------------------------------------------------------ */

static void mark_used(const PlanPass *p, bool *access, bool *scalar) {
    for (size_t i = 0; i < p->kir->insns.n; i++) {
        const KirInsn *in = &p->kir->insns.at[i];
        if (kir_is_load(in->op) || kir_is_store(in->op)) access[in->mode] = true;
        if (kir_op_info(in->op)->has_scalar && in->scalar.is_runtime) scalar[in->scalar.index] = true;
    }
    for (size_t i = 0; i < p->scalars.n; i++)
        if (scalar[i] && p->scalars.at[i].kind == PLAN_ELEMENT) access[p->scalars.at[i].index] = true;
    for (size_t i = 0; i < p->updates.n; i++) {
        const PlanUpdate *u = &p->updates.at[i];
        access[u->index] = true;
        if (u->source != UINT32_MAX) access[u->source] = true;
        if (u->has_number && u->number.is_runtime) scalar[u->number.index] = true;
    }
    for (size_t i = 0; i < p->access.n; i++)
        for (uint32_t k = 0; access[i] && k < p->access.at[i].n_by; k++) access[p->access.at[i].by[k].access] = true;
}

/* Updates that no instruction makes are dropped; the others keep their order. */
static void drop_updates(Arena *a, PlanPass *p) {
    uint32_t *now = ARENA_ARRAY(a, p->updates.n, uint32_t), n = 0;
    bool *used = ARENA_ARRAY(a, p->updates.n, bool);
    for (size_t i = 0; i < p->kir->insns.n; i++)
        if (kir_is_update(p->kir->insns.at[i].op)) used[p->kir->insns.at[i].mode] = true;
    for (uint32_t i = 0; i < p->updates.n; i++) {
        now[i] = n;
        if (used[i]) p->updates.at[n++] = p->updates.at[i];
    }
    p->updates.n = n;
    for (size_t i = 0; i < p->kir->insns.n; i++)
        if (kir_is_update(p->kir->insns.at[i].op)) p->kir->insns.at[i].mode = now[p->kir->insns.at[i].mode];
    if (n == 0 && !p->ordered) p->named = 0;
}

/* Keeps used accesses and scalars, in order, and renumbers what refers to them. */
void plan_drop_unused(Arena *a, PlanPass *p) {
    bool *used = ARENA_ARRAY(a, p->access.n, bool), *wanted = ARENA_ARRAY(a, p->scalars.n, bool);
    uint32_t *access_now = ARENA_ARRAY(a, p->access.n, uint32_t),
             *scalar_now = ARENA_ARRAY(a, p->scalars.n, uint32_t);
    mark_used(p, used, wanted);
    size_t n = 0;
    for (size_t i = 0; i < p->scalars.n; i++) {
        if (!wanted[i]) continue;
        scalar_now[i] = (uint32_t)n;
        p->scalars.at[n++] = p->scalars.at[i];
    }
    p->scalars.n = n;
    n = 0;
    for (size_t i = 0; i < p->access.n; i++) {
        if (!used[i]) continue;
        access_now[i] = (uint32_t)n;
        p->access.at[n] = p->access.at[i];
        p->access.at[n].scalar = p->access.at[i].cls == PLAN_NUMBER ? scalar_now[p->access.at[i].scalar] : 0;
        n++;
    }
    p->access.n = n;
    for (size_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < p->access.at[i].n_by; k++)
            p->access.at[i].by[k].access = access_now[p->access.at[i].by[k].access];
    for (size_t i = 0; i < p->updates.n; i++) {
        PlanUpdate *u = &p->updates.at[i];
        u->index = access_now[u->index];
        if (u->source != UINT32_MAX) u->source = access_now[u->source];
        if (!u->has_number || !u->number.is_runtime) continue;
        PlanScalar *s = &p->scalars.at[u->number.index = scalar_now[u->number.index]];
        *(u->is_float ? &s->as_float : &s->as_int) = true;
    }
    for (size_t i = 0; i < p->scalars.n; i++)
        if (p->scalars.at[i].kind == PLAN_ELEMENT)
            p->scalars.at[i].index = access_now[p->scalars.at[i].index];
    for (size_t i = 0; i < p->kir->insns.n; i++) {
        KirInsn *in = &p->kir->insns.at[i];
        if (kir_is_load(in->op) || kir_is_store(in->op)) in->mode = access_now[in->mode];
        if (!kir_op_info(in->op)->has_scalar || !in->scalar.is_runtime) continue;
        in->scalar.index = scalar_now[in->scalar.index];
        PlanScalar *s = &p->scalars.at[in->scalar.index];
        if (kir_op_info(in->op)->scalar_type == KIR_F32) s->as_float = true;
        else s->as_int = true;
    }
}

/* ---- dimensions
 * -------------------------------------------------------------------------------------------------- */

static void remove_dim(PlanPass *p, uint32_t d) {
    for (size_t i = 0; i < p->access.n; i++) {
        GraphView *v = &p->access.at[i].view;
        for (uint32_t k = d; k + 1 < v->shape.rank; k++) {
            v->shape.dim[k] = v->shape.dim[k + 1];
            v->stride[k] = v->stride[k + 1];
        }
        v->shape.rank--;
    }
    for (uint32_t k = d; k + 1 < p->space.rank; k++) p->space.dim[k] = p->space.dim[k + 1];
    p->space.rank--;
    if (p->named > d + 1) p->named--;
}

/* Dims d and d+1 are one when each access steps over d as if it had run through all of d+1. */
static bool can_merge(Arena *a, const PlanPass *p, uint32_t d) {
    if (p->named == d + 1 || p->named == d + 2) return false;
    for (size_t i = 0; i < p->access.n; i++) {
        const GraphView *v = &p->access.at[i].view;
        if (!size_equal(v->stride[d], size_mul(a, v->stride[d + 1], p->space.dim[d + 1]))) return false;
    }
    return true;
}

/* Dimension d takes in the one before it. Updates may have sizes of their own. */
static void merge_dim(Arena *a, PlanPass *p, uint32_t d) {
    p->space.dim[d] = size_mul(a, p->space.dim[d - 1], p->space.dim[d]);
    for (size_t i = 0; i < p->access.n; i++) {
        const Size **dim = p->access.at[i].view.shape.dim;
        dim[d] = size_mul(a, dim[d - 1], dim[d]);
    }
}

static void insert_leading_one(Arena *a, PlanPass *p) {
    const Size *one = size_const(a, 1), *zero = size_const(a, 0);
    for (size_t i = 0; i < p->access.n; i++) {
        GraphView *v = &p->access.at[i].view;
        const Size **dim = ARENA_ARRAY(a, v->shape.rank + 1, const Size *),
                   **stride = ARENA_ARRAY(a, v->shape.rank + 1, const Size *);
        dim[0] = one;
        stride[0] = zero;
        for (uint32_t d = 0; d < v->shape.rank; d++) {
            dim[d + 1] = v->shape.dim[d];
            stride[d + 1] = v->stride[d];
        }
        v->shape.rank++;
        v->shape.dim = dim;
        v->stride = stride;
    }
    const Size **dim = ARENA_ARRAY(a, p->space.rank + 1, const Size *);
    dim[0] = one;
    for (uint32_t d = 0; d < p->space.rank; d++) dim[d + 1] = p->space.dim[d];
    p->space.dim = dim;
    p->space.rank++;
    if (p->named) p->named++;
}

/* Every view gets its own arrays, since they are changed now. */
static void own_arrays(Arena *a, PlanPass *p) {
    p->space = p->shape;
    p->space.dim = ARENA_ARRAY(a, p->shape.rank, const Size *);
    for (uint32_t d = 0; d < p->shape.rank; d++) p->space.dim[d] = p->shape.dim[d];
    for (size_t i = 0; i < p->access.n; i++) {
        GraphView *v = &p->access.at[i].view, old = *v;
        v->shape.dim = ARENA_ARRAY(a, old.shape.rank, const Size *);
        v->stride = ARENA_ARRAY(a, old.shape.rank, const Size *);
        for (uint32_t d = 0; d < old.shape.rank; d++) {
            v->shape.dim[d] = old.shape.dim[d];
            v->stride[d] = old.stride[d];
        }
    }
}

/* Stores have columns next to each other; without a last dimension of one element, those into a part of an output
 * might not. */
static bool stores_stay_dense(const PlanPass *p) {
    const Size *columns = NULL;
    uint32_t d = p->space.rank - 1;
    while (d > 0 && size_is(p->space.dim[d - 1], 1)) d--;
    for (size_t i = 0; d > 0 && i < p->access.n; i++) {
        columns = p->access.at[i].view.stride[d - 1];
        if (p->access.at[i].is_store && !size_is(columns, 1)) return false;
    }
    return true;
}

static void collapse(Arena *a, PlanPass *p) {
    for (uint32_t d = p->space.rank; d-- > 0;)
        if (size_is(p->space.dim[d], 1) && p->named != d + 1 && (d + 1 < p->space.rank || stores_stay_dense(p))) remove_dim(p, d);
    for (uint32_t d = p->space.rank; d-- > 1;) {
        if (!can_merge(a, p, d - 1)) continue;
        merge_dim(a, p, d);
        remove_dim(p, d - 1);
    }
}

/* A dimension that is kept apart becomes the rows unless it is the columns. */
static void bring_named_to_rows(PlanPass *p) {
    for (; p->named && p->named + 1 < p->space.rank; p->named++) {
        uint32_t d = p->named - 1;
        const Size *dim = p->space.dim[d];
        p->space.dim[d] = p->space.dim[d + 1];
        p->space.dim[d + 1] = dim;
        for (size_t i = 0; i < p->access.n; i++) {
            GraphView *v = &p->access.at[i].view;
            const Size *size = v->shape.dim[d], *stride = v->stride[d];
            v->shape.dim[d] = v->shape.dim[d + 1];
            v->stride[d] = v->stride[d + 1];
            v->shape.dim[d + 1] = size;
            v->stride[d + 1] = stride;
        }
    }
}

/* ---- classes
 * ----------------------------------------------------------------------------------------------------- */

bool plan_updates_columns(const PlanPass *p) {
    return p->named == p->space.rank;
}

bool plan_updates_rows(const PlanPass *p, const PlanUpdate *u) {
    return !plan_updates_columns(p) && size_is(p->access.at[u->index].view.stride[p->space.rank - 1], 0);
}

static bool runs_in_line(const PlanPass *p) {
    if (p->space.rank > 1 || p->named) return false;
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (acc->n_by || acc->cls == PLAN_COUNTED) return false;
        if (acc->cls != PLAN_NUMBER && p->space.rank == 1 && !size_is(acc->view.stride[0], 1)) return false;
    }
    return true;
}

bool plan_index_runs(const PlanPass *p, const PlanIndex *by) {
    return !size_is(p->access.at[by->access].view.stride[p->space.rank - 1], 0);
}

bool plan_picks_from_window(const PlanPass *p, const PlanAccess *acc) {
    uint32_t last = p->space.rank - 1;
    if (acc->cls != PLAN_PICKED || (plan_is_converted_int(acc->dtype[0]) || acc->dtype[0] == DTYPE_BOOL) || !size_is(acc->view.stride[last], 0)) return false;
    uint32_t n = 0;
    for (uint32_t i = 0; i < acc->n_by; i++) {
        if (!plan_index_runs(p, &acc->by[i])) continue;
        n++;
        if (!size_is(acc->by[i].stride, 1) || !size_is(p->access.at[acc->by[i].access].view.stride[last], 1)) return false;
    }
    return n == 1;
}

static PlanClass row_class(const PlanPass *p, const PlanAccess *acc) {
    uint32_t last = p->space.rank - 1;
    const Size *inner = acc->view.stride[last];
    for (uint32_t i = 0; i < acc->n_by; i++)
        if (plan_index_runs(p, &acc->by[i])) return PLAN_PICKED;
    if (acc->n_by) return size_is(inner, 0) ? PLAN_COLUMN : size_is(inner, 1) ? PLAN_ROW : PLAN_PICKED;
    if (size_is(inner, 0)) return PLAN_COLUMN;
    if (!size_is(inner, 1)) return PLAN_STRIDED;
    if (last == 1 && size_is(p->space.dim[0], 1)) return PLAN_ROW;
    for (uint32_t d = 0; d < last; d++)
        if (!size_is(acc->view.stride[d], 0)) return PLAN_ROW;
    return PLAN_VECTOR;
}

bool plan_space(Arena *a, PlanPass *p, Err *err) {
    kir_prune(p->kir);
    drop_updates(a, p);
    plan_drop_unused(a, p);
    if (p->access.n == 0) return err_set(err, ERR_INTERNAL, NULL, "a pass stores nothing");
    own_arrays(a, p);
    collapse(a, p);
    bring_named_to_rows(p);
    p->schedule = runs_in_line(p) ? PLAN_FLAT : PLAN_ROWS;
    if (p->space.rank == 0) { /* one element */
        insert_leading_one(a, p);
        for (size_t i = 0; i < p->access.n; i++) p->access.at[i].view.stride[0] = size_const(a, 1);
    }
    if (p->schedule == PLAN_ROWS && p->space.rank == 1) insert_leading_one(a, p);
    for (size_t i = 0; i < p->access.n; i++) {
        PlanAccess *acc = &p->access.at[i];
        if (acc->cls == PLAN_NUMBER || acc->cls == PLAN_INDEX || acc->cls == PLAN_UPDATE || acc->cls == PLAN_COUNTED) continue;
        acc->cls = p->schedule == PLAN_FLAT ? PLAN_LINE : acc->is_store ? PLAN_ROW : row_class(p, acc);
    }
    p->cycles64 = kir_cycles64(p->kir);
    return true;
}
