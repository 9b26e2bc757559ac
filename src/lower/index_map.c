/* Arithmetic of index maps. */
#include "lower/index_map.h"

#include <string.h>

static void copy_shape(Arena *a, const GraphShape *from, GraphShape *to) {
    to->rank = from->rank;
    to->dim = ARENA_ARRAY(a, GRAPH_MAX_RANK + 1, const Size *);
    memcpy(to->dim, from->dim, from->rank * sizeof *to->dim);
}

void index_map_identity(Arena *a, const GraphShape *shape, IndexMap *m) {
    m->rank = shape->rank;
    copy_shape(a, shape, &m->space);
    for (uint32_t r = 0; r < m->rank; r++) {
        m->start[r] = size_const(a, 0);
        for (uint32_t p = 0; p < m->rank; p++) m->step[r][p] = size_const(a, r == p);
    }
}

/* Index r alone is the place in memory of a tensor in which only dimension r has a stride, and that is 1. */
bool index_map_of_chain(Lower *lo, const GraphShape *shape, const Chain *chain, IndexMap *m) {
    Arena *a = lo->a;
    index_map_identity(a, shape, m);
    for (uint32_t r = 0; chain && r < shape->rank; r++) {
        GraphView v = graph_view_contiguous(a, shape);
        for (uint32_t d = 0; d < shape->rank; d++) v.stride[d] = size_const(a, d == r);
        if (!lower_apply_chain(lo, chain, &v)) return false;
        copy_shape(a, &v.shape, &m->space);
        m->start[r] = v.offset;
        memcpy(m->step[r], v.stride, v.shape.rank * sizeof *v.stride);
    }
    if (!chain || shape->rank) return true;
    GraphView v = graph_view_contiguous(a, shape);
    if (!lower_apply_chain(lo, chain, &v)) return false;
    copy_shape(a, &v.shape, &m->space);
    return true;
}

void index_map_apply(Arena *a, const IndexMap *m, GraphView *v) {
    GraphView out = {.shape = m->space, .offset = v->offset};
    out.stride = ARENA_ARRAY(a, m->space.rank, const Size *);
    for (uint32_t p = 0; p < m->space.rank; p++) out.stride[p] = size_const(a, 0);
    for (uint32_t r = 0; r < m->rank; r++) {
        out.offset = size_add(a, out.offset, size_mul(a, m->start[r], v->stride[r]));
        for (uint32_t p = 0; p < m->space.rank; p++)
            out.stride[p] = size_add(a, out.stride[p], size_mul(a, m->step[r][p], v->stride[r]));
    }
    *v = out;
}

bool index_map_equal(const IndexMap *x, const IndexMap *y) {
    if (x->rank != y->rank || !lower_same_shape(&x->space, &y->space)) return false;
    for (uint32_t r = 0; r < x->rank; r++) {
        if (!size_equal(x->start[r], y->start[r])) return false;
        for (uint32_t p = 0; p < x->space.rank; p++)
            if (!size_equal(x->step[r][p], y->step[r][p])) return false;
    }
    return true;
}

void index_map_drop(IndexMap *m, uint32_t row) {
    m->rank--;
    for (uint32_t r = row; r < m->rank; r++) {
        m->start[r] = m->start[r + 1];
        memcpy(m->step[r], m->step[r + 1], sizeof m->step[r]);
    }
}

bool index_map_range(Arena *a, const IndexMap *m, uint32_t row, const Size **least, const Size **most) {
    *least = *most = m->start[row];
    for (uint32_t p = 0; p < m->space.rank; p++) {
        const Size *step = m->step[row][p];
        const Size *way = size_mul(a, step, size_sub(a, m->space.dim[p], size_const(a, 1)));
        if (size_is_nonnegative(step)) *most = size_add(a, *most, way);
        else if (size_is_nonnegative(size_sub(a, size_const(a, 0), step))) *least = size_add(a, *least, way);
        else return false;
    }
    return true;
}

int index_map_only_step(const IndexMap *m, uint32_t row) {
    int only = -1;
    for (uint32_t p = 0; p < m->space.rank; p++) {
        if (size_is(m->step[row][p], 0)) continue;
        if (only >= 0) return -1;
        only = (int)p;
    }
    return only;
}

void index_map_split(Arena *a, IndexMap *m, uint32_t p, const Size *outer, const Size *inner) {
    for (uint32_t q = m->space.rank; q > p + 1; q--) m->space.dim[q] = m->space.dim[q - 1];
    m->space.dim[p] = outer;
    m->space.dim[p + 1] = inner;
    for (uint32_t r = 0; r < m->rank; r++) {
        for (uint32_t q = m->space.rank; q > p + 1; q--) m->step[r][q] = m->step[r][q - 1];
        m->step[r][p + 1] = m->step[r][p];
        m->step[r][p] = size_mul(a, m->step[r][p], inner);
    }
    m->space.rank++;
}

void index_map_narrow(Arena *a, IndexMap *m, uint32_t p, const Size *from, const Size *len) {
    copy_shape(a, &(GraphShape){m->space.rank, m->space.dim}, &m->space);
    m->space.dim[p] = len;
    for (uint32_t r = 0; r < m->rank; r++)
        m->start[r] = size_add(a, m->start[r], size_mul(a, m->step[r][p], from));
}
