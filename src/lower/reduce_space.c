/* The space of a reduce pass: dead accesses dropped, neighbouring dimensions of one kind merged, the tile's
 * axis chosen, accesses classified. All of it holds for every size the symbols can take. */
#include "lower/plan_int.h"
#include "lower/reduce_int.h"

#include <string.h>

typedef struct Space {
    Arena *a;
    PlanPass *p;
    ReducePlan *r;
} Space;

static void remove_dim(Space *s, uint32_t d) {
    PlanPass *p = s->p;
    for (size_t i = 0; i < p->access.n; i++) {
        GraphView *v = &p->access.at[i].view;
        for (uint32_t k = d; k + 1 < v->shape.rank; k++) {
            v->shape.dim[k] = v->shape.dim[k + 1];
            v->stride[k] = v->stride[k + 1];
        }
        v->shape.rank--;
    }
    for (uint32_t k = d; k + 1 < p->space.rank; k++) {
        p->space.dim[k] = p->space.dim[k + 1];
        s->r->reduced[k] = s->r->reduced[k + 1];
    }
    p->space.rank--;
    if (s->r->position_dim > (int32_t)d) s->r->position_dim--;
}

/* A dimension of size 1 at d; there is room (own_arrays). */
static void insert_one(Space *s, uint32_t d, bool reduced) {
    PlanPass *p = s->p;
    for (size_t i = 0; i < p->access.n; i++) {
        GraphView *v = &p->access.at[i].view;
        for (uint32_t k = v->shape.rank; k > d; k--) {
            v->shape.dim[k] = v->shape.dim[k - 1];
            v->stride[k] = v->stride[k - 1];
        }
        v->shape.dim[d] = size_const(s->a, 1);
        v->stride[d] = size_const(s->a, 0);
        v->shape.rank++;
    }
    for (uint32_t k = p->space.rank; k > d; k--) {
        p->space.dim[k] = p->space.dim[k - 1];
        s->r->reduced[k] = s->r->reduced[k - 1];
    }
    p->space.dim[d] = size_const(s->a, 1);
    s->r->reduced[d] = reduced;
    p->space.rank++;
    if (s->r->position_dim >= (int32_t)d) s->r->position_dim++;
}

#define ROOM 4 /* dimensions that may be inserted */

static const Size **copy_sizes(Arena *a, const Size **from, uint32_t n) {
    const Size **to = ARENA_ARRAY(a, n + ROOM, const Size *);
    for (uint32_t d = 0; d < n; d++) to[d] = from[d];
    return to;
}

static void own_arrays(Space *s) {
    PlanPass *p = s->p;
    p->space = p->shape;
    p->space.dim = copy_sizes(s->a, p->shape.dim, p->shape.rank);
    for (size_t i = 0; i < p->access.n; i++) {
        GraphView *v = &p->access.at[i].view;
        v->shape.dim = copy_sizes(s->a, v->shape.dim, v->shape.rank);
        v->stride = copy_sizes(s->a, v->stride, v->shape.rank);
    }
}

static bool can_merge(Space *s, uint32_t d) {
    const PlanPass *p = s->p;
    if (s->r->reduced[d] != s->r->reduced[d + 1]) return false;
    if (s->r->position_dim == (int32_t)d || s->r->position_dim == (int32_t)d + 1) return false;
    for (size_t i = 0; i < p->access.n; i++) {
        const GraphView *v = &p->access.at[i].view;
        if (!size_equal(v->stride[d], size_mul(s->a, v->stride[d + 1], p->space.dim[d + 1]))) return false;
    }
    return true;
}

static void merge(Space *s) {
    PlanPass *p = s->p;
    for (uint32_t d = p->space.rank; d-- > 0;)
        if (size_is(p->space.dim[d], 1) && s->r->position_dim != (int32_t)d) remove_dim(s, d);
    for (uint32_t d = p->space.rank; d-- > 1;) {
        if (!can_merge(s, d - 1)) continue;
        p->space.dim[d] = size_mul(s->a, p->space.dim[d - 1], p->space.dim[d]);
        for (size_t i = 0; i < p->access.n; i++) p->access.at[i].view.shape.dim[d] = p->space.dim[d];
        remove_dim(s, d - 1);
    }
}

/* Rows and columns of the tile: the two innermost dimensions, at least one of them reduced. */
static void choose_axis(Space *s) {
    PlanPass *p = s->p;
    bool any = false;
    for (uint32_t d = 0; d < p->space.rank; d++) any |= s->r->reduced[d];
    if (!any) insert_one(s, p->space.rank, true);
    uint32_t last = p->space.rank - 1;
    bool cols = s->r->reduced[last];
    if (p->space.rank == 1) insert_one(s, 0, !cols);
    else if (!cols && !s->r->reduced[last - 1]) insert_one(s, last, true);
    last = p->space.rank - 1;
    s->r->axis = !cols ? REDUCE_ROWS : s->r->reduced[last - 1] ? REDUCE_BOTH : REDUCE_COLS;
}

ReduceShape reduce_access_shape(const PlanPass *p, const PlanAccess *acc) {
    uint32_t last = p->space.rank - 1;
    uint32_t bits = (size_is(acc->view.stride[last], 0) ? 0u : (uint32_t)SHAPE_COLS) |
                    (size_is(acc->view.stride[last - 1], 0) ? 0u : (uint32_t)SHAPE_ROWS);
    const ReducePlan *r = reduce_plan(p);
    if (!acc->is_store) return (ReduceShape)bits;
    /* A store has the shape of what is stored: a kept dimension of size 1 has stride 0. */
    uint32_t kept =
        (r->reduced[last] ? 0u : (uint32_t)SHAPE_COLS) | (r->reduced[last - 1] ? 0u : (uint32_t)SHAPE_ROWS);
    return reduce_is_per_item(p, acc) ? (ReduceShape)kept : SHAPE_TILE;
}

bool reduce_is_per_item(const PlanPass *p, const PlanAccess *acc) {
    const ReducePlan *r = reduce_plan(p);
    for (uint32_t d = 0; d < p->space.rank; d++)
        if (r->reduced[d] && !size_is(acc->view.stride[d], 0)) return false;
    /* Nothing is larger than 1 along the reduced dimensions: then a store is of the items. */
    return true;
}

const ReducePlan *reduce_plan(const PlanPass *p) {
    return p->own;
}

static bool refuse(const PlanAccess *acc, const char *why, Err *err) {
    err_set(err, ERR_UNSUPPORTED, NULL, "`%s` %s", acc->name, why);
    return err_hint(err, "make it contiguous before it is reduced");
}

/* Columns must be neighbours in memory, numbers of rows too; rows may lie anywhere forwards. */
static bool classify(Space *s, PlanAccess *acc, Err *err) {
    const PlanPass *p = s->p;
    uint32_t last = p->space.rank - 1;
    const Size *col = acc->view.stride[last], *row = acc->view.stride[last - 1];
    static const PlanClass CLASSES[] = {[SHAPE_NUMBER] = PLAN_COLUMN,
                                        [SHAPE_ROWS] = PLAN_COLUMN,
                                        [SHAPE_COLS] = PLAN_VECTOR,
                                        [SHAPE_TILE] = PLAN_ROW};
    ReduceShape shape = reduce_access_shape(p, acc);
    if (acc->cls == PLAN_NUMBER) return true;
    if (!size_is(col, 0) && !size_is(col, 1)) return refuse(acc, "has columns that lie apart", err);
    if (shape == SHAPE_ROWS && !size_is(row, 1) && !size_is(row, 0))
        return refuse(acc, "has numbers of rows that lie apart", err);
    if (!size_is_nonnegative(row)) return refuse(acc, "has rows that run backwards", err);
    acc->cls = CLASSES[shape];
    return true;
}

bool reduce_space(Arena *a, PlanPass *p, Err *err) {
    Space s = {.a = a, .p = p, .r = p->own};
    kir_prune(p->kir);
    plan_drop_unused(a, p);
    if (p->access.n == 0) return err_set(err, ERR_INTERNAL, NULL, "a pass stores nothing");
    if (p->access.n > 64)
        return err_set(err, ERR_UNSUPPORTED, NULL, "more than 64 tensors meet in one reduction");
    own_arrays(&s);
    merge(&s);
    choose_axis(&s);
    p->schedule = PLAN_ROWS;
    for (size_t i = 0; i < p->access.n; i++)
        if (!classify(&s, &p->access.at[i], err)) return false;
    return true;
}
