/* The operators of layout.def: which operand, at which indices, the elements of a result come from. Along a dimension the
 * result is a sequence of pieces; an index in piece k is, in the piece's operand, base + way * index. When the elements
 * asked for lie in several pieces, the space has to be cut where one ends. */
#include "lower/layout.h"

#include <string.h>

typedef enum {
    KIND_CAT,
    KIND_STACK,
    KIND_PAD_CONSTANT,
    KIND_PAD_REFLECT,
    KIND_PAD_REPLICATE,
    KIND_SLICE_SCATTER,
    KIND_SELECT_SCATTER,
    KIND_ROLL,
    KIND_REPEAT,
    KIND_INTERLEAVE
} Kind;

static const struct {
    const char *op;
    Kind kind;
} ROWS[] = {
#define LAYOUT(target, kind) {target, KIND_##kind},
#include "lower/layout.def"
#undef LAYOUT
};

size_t layout_count(void) {
    return sizeof ROWS / sizeof ROWS[0];
}

const char *layout_name(size_t i) {
    return ROWS[i].op;
}

static size_t find_row(const char *op) {
    size_t i = 0;
    while (i < layout_count() && strcmp(ROWS[i].op, op) != 0) i++;
    return i;
}

bool layout_claims(const GraphNode *n) {
    return find_row(n->op) < layout_count();
}

/* ---- cuts
 * -------------------------------------------------------------------------------------------------------- */

static bool not_affine(LayoutAsk *q) {
    return lower_unsupported(q->lo, q->n, "its elements are not asked for in runs that lie in one operand each",
                             "let its result be an output, or a stage of its own by a reduction of it");
}

static const GraphShape *result_shape(LayoutAsk *q) {
    return &q->lo->g->values[q->n->first_value].shape;
}

static const Size *minus(LayoutAsk *q, const Size *x, const Size *y) {
    return size_sub(q->lo->a, x, y);
}

/* The space runs through dimension `row` of the result as the output does through one of its own, and both are of
 * one size: pieces end within it. */
static bool is_whole(LayoutAsk *q, uint32_t row, uint32_t p) {
    const Size *total = result_shape(q)->dim[row];
    if (!size_is(q->map.step[row][p], 1)) return false;
    for (uint32_t r = 0; r < q->box->rank; r++)
        if (size_is(q->box->step[r][p], 1) && size_equal(q->box->start[r], q->map.start[row]) &&
            size_equal(q->output->dim[r], total))
            return true;
    return false;
}

/* Asks for a cut where index `row` reaches `end`. */
static bool ask_cut(LayoutAsk *q, uint32_t row, const Size *end) {
    Arena *a = q->lo->a;
    int p = index_map_only_step(&q->map, row);
    int64_t step;
    if (p < 0 || !size_is_const(q->map.step[row][p], &step)) return not_affine(q);
    const Size *start = q->map.start[row], *len = q->map.space.dim[p], *at;
    if (step > 0)
        at = size_floordiv(a, size_add(a, minus(q, end, start), size_const(a, step - 1)), size_const(a, step));
    else
        at = size_add(a, size_floordiv(a, minus(q, start, end), size_const(a, -step)), size_const(a, 1));
    bool inside = size_is_nonnegative(at) && size_is_nonnegative(minus(q, len, at));
    if (size_is(at, 0) || size_equal(at, len) || (!inside && !is_whole(q, row, (uint32_t)p)))
        return not_affine(q);
    *q->cut = (LayoutCut){.wanted = true, .p = (uint32_t)p, .at = at};
    return false;
}

/* Which of the pieces that end at ends[0 .. n-1] holds all elements asked for. False: a cut is wanted. */
static bool find_piece(LayoutAsk *q, uint32_t row, const Size *const *ends, size_t n, size_t *piece) {
    const Size *least, *most, *one = size_const(q->lo->a, 1), *from = size_const(q->lo->a, 0);
    if (!index_map_range(q->lo->a, &q->map, row, &least, &most)) return not_affine(q);
    for (size_t i = 0; i < n; from = ends[i++]) {
        *piece = i;
        if (size_equal(from, ends[i]) || size_is_nonnegative(minus(q, least, ends[i]))) continue;
        if (i + 1 == n || size_equal(ends[i], ends[n - 1]) || size_is_nonnegative(minus(q, minus(q, ends[i], one), most))) return true;
        return ask_cut(q, row, ends[i]);
    }
    return true; /* there are no elements */
}

/* The index in the operand: base + way * the index in the result. */
static void move_row(LayoutAsk *q, uint32_t row, const Size *base, int way) {
    Arena *a = q->lo->a;
    q->map.start[row] = size_add(a, base, size_mul(a, size_const(a, way), q->map.start[row]));
    for (uint32_t p = 0; p < q->map.space.rank; p++)
        q->map.step[row][p] = size_mul(a, size_const(a, way), q->map.step[row][p]);
}

/* ---- arguments
 * --------------------------------------------------------------------------------------------------- */

static const Size *size_arg(LayoutAsk *q, const GraphArg *arg) {
    if (arg && arg->kind == GRAPH_ARG_INT) return size_const(q->lo->a, arg->i);
    return arg && arg->kind == GRAPH_ARG_SIZE ? arg->size : NULL;
}

static const GraphShape *shape_of(LayoutAsk *q, const GraphArg *arg) {
    return &q->lo->g->values[arg->value].shape;
}

static bool bad_args(LayoutAsk *q) {
    return lower_unsupported(q->lo, q->n, "its arguments are not understood", "pass sizes and numbers");
}

static bool get_dim(LayoutAsk *q, const GraphArg *arg, uint32_t *d) {
    uint32_t rank = result_shape(q)->rank;
    int64_t dim = arg && arg->kind == GRAPH_ARG_INT ? arg->i : 0;
    if (dim < 0) dim += rank;
    *d = (uint32_t)dim;
    return (dim >= 0 && dim < rank) || bad_args(q);
}

/* ---- kinds
 * ------------------------------------------------------------------------------------------------------- */

/* cat and stack: the tensors one after the other along a dimension, which those of a stack have not. */
static bool ask_sequence(LayoutAsk *q, bool is_stack) {
    Arena *a = q->lo->a;
    const GraphArg *list = graph_arg(q->n, 0, "tensors");
    uint32_t d;
    size_t piece, n = 0;
    if (!list || list->kind != GRAPH_ARG_LIST || list->n == 0 || !get_dim(q, graph_arg(q->n, 1, "dim"), &d)) return bad_args(q);
    const Size **ends = ARENA_ARRAY(a, list->n, const Size *), *at = size_const(a, 0);
    const GraphArg **from = ARENA_ARRAY(a, list->n, const GraphArg *);
    for (size_t i = 0; i < list->n; i++) {
        if (list->item[i].kind != GRAPH_ARG_REF) return bad_args(q);
        const GraphShape *shape = shape_of(q, &list->item[i]);
        if (!is_stack && shape->rank == 1 && result_shape(q)->rank > 1) continue; /* cat leaves out a tensor of shape [0] */
        at = size_add(a, at, is_stack ? size_const(a, 1) : shape->dim[d]);
        from[n] = &list->item[i];
        ends[n++] = at;
    }
    if (n == 0 || !find_piece(q, d, ends, n, &piece)) return n == 0 && bad_args(q);
    if (is_stack) index_map_drop(&q->map, d);
    else if (piece > 0) move_row(q, d, size_sub(a, size_const(a, 0), ends[piece - 1]), 1);
    q->from = from[piece];
    return true;
}

/* One end of a padded dimension: negative padding takes elements away. */
static const Size *pad_size(LayoutAsk *q, const GraphArg *pad, size_t i) {
    return pad->item && i < pad->n ? size_arg(q, &pad->item[i]) : NULL;
}

static bool pad_dim(LayoutAsk *q, Kind kind, uint32_t d, const Size *low) {
    Arena *a = q->lo->a;
    const Size *n = shape_of(q, q->from)->dim[d], *total = result_shape(q)->dim[d], *one = size_const(a, 1);
    const Size *ends[3] = {low, size_add(a, low, n), total};
    bool cuts_low = size_is_nonnegative(minus(q, size_const(a, 0), low)), cuts_high = size_is_nonnegative(minus(q, ends[1], total));
    size_t piece;
    if (cuts_low) ends[0] = size_const(a, 0);
    if (cuts_high) ends[1] = total;
    if (!find_piece(q, d, ends, 3, &piece)) return false;
    if (piece == 1) {
        move_row(q, d, minus(q, size_const(a, 0), low), 1);
    } else if (kind == KIND_PAD_CONSTANT) {
        q->from = NULL;
    } else if (kind == KIND_PAD_REPLICATE) {
        move_row(q, d, piece == 0 ? size_const(a, 0) : minus(q, n, one), 0);
    } else { /* mirrored at the first or the last element */
        const Size *last = size_mul(a, size_const(a, 2), minus(q, n, one));
        move_row(q, d, piece == 0 ? low : size_add(a, last, low), -1);
    }
    return true;
}

static bool ask_pad(LayoutAsk *q, Kind kind) {
    const GraphArg *pad = graph_arg(q->n, 1, kind == KIND_PAD_CONSTANT ? "pad" : "padding");
    uint32_t rank = result_shape(q)->rank;
    if (!pad || pad->kind != GRAPH_ARG_LIST || pad->n % 2 || pad->n / 2 > rank) return bad_args(q);
    q->from = &q->n->args[0];
    q->number = kind == KIND_PAD_CONSTANT ? graph_arg(q->n, 2, "value") : NULL;
    for (uint32_t d = rank - (uint32_t)pad->n / 2; q->from && d < rank; d++) {
        const Size *low = pad_size(q, pad, 2 * (rank - 1 - d)), *high = pad_size(q, pad, 2 * (rank - 1 - d) + 1);
        if (!low || !high) return bad_args(q);
        if (size_is(low, 0) && size_is(high, 0)) continue;
        if (!pad_dim(q, kind, d, low)) return false;
    }
    return true;
}

/* The first argument with a part replaced by the second. */
static bool ask_scatter(LayoutAsk *q, bool is_select) {
    Arena *a = q->lo->a;
    uint32_t d;
    size_t piece;
    if (!get_dim(q, graph_arg(q->n, 2, "dim"), &d)) return false;
    const Size *start = size_arg(q, graph_arg(q->n, 3, is_select ? "index" : "start"));
    const Size *step = is_select ? NULL : size_arg(q, graph_arg(q->n, 5, "step"));
    const GraphArg *src = graph_arg(q->n, 1, "src");
    const Size *total = result_shape(q)->dim[d];
    int64_t k;
    if (!src || src->kind != GRAPH_ARG_REF || (is_select && !start)) return bad_args(q);
    if (step && !size_is(step, 1))
        return lower_unsupported(q->lo, q->n, "a step between the replaced elements", "replace a run of elements");
    if (!start) start = size_const(a, 0);
    if (size_is_const(start, &k) && k < 0) start = size_add(a, total, start);
    const Size *ends[3] = {start, size_add(a, start, is_select ? size_const(a, 1) : shape_of(q, src)->dim[d]), total};
    if (!find_piece(q, d, ends, 3, &piece)) return false;
    q->from = piece == 1 ? src : &q->n->args[0];
    if (piece != 1) return true;
    if (is_select) index_map_drop(&q->map, d);
    else move_row(q, d, minus(q, size_const(a, 0), start), 1);
    return true;
}

/* by modulo n, from 0 to n; size_mod of a negative number and of no elements are left out, which C++ has otherwise. */
static const Size *roll_shift(Arena *a, const Size *by, const Size *n) {
    const Size *back = size_sub(a, size_const(a, 0), by), *m = size_max(a, n, size_const(a, 1));
    if (size_is_const(n, NULL)) m = n;
    return size_is_nonnegative(back) ? size_sub(a, n, size_mod(a, back, m)) : size_mod(a, by, m);
}

static bool ask_roll(LayoutAsk *q) {
    Arena *a = q->lo->a;
    const GraphArg *shifts = graph_arg(q->n, 1, "shifts"), *dims = graph_arg(q->n, 2, "dims");
    size_t n_dims = dims && dims->kind == GRAPH_ARG_LIST ? dims->n : 0;
    if (!shifts || shifts->kind != GRAPH_ARG_LIST || (n_dims != shifts->n && (n_dims || result_shape(q)->rank != 1)))
        return lower_unsupported(q->lo, q->n, "the tensor is rolled as if it were flat", "name the dimensions");
    q->from = &q->n->args[0];
    for (size_t i = 0; i < shifts->n; i++) {
        uint32_t d;
        size_t piece;
        const Size *by = size_arg(q, &shifts->item[i]);
        if (!by) return bad_args(q);
        if (!get_dim(q, n_dims ? &dims->item[i] : NULL, &d)) return false;
        const Size *n = result_shape(q)->dim[d], *shift = roll_shift(a, by, n);
        const Size *ends[2] = {shift, n};
        if (size_is(n, 1)) continue;
        if (!find_piece(q, d, ends, 2, &piece)) return false;
        move_row(q, d, piece == 0 ? minus(q, n, shift) : minus(q, size_const(a, 0), shift), 1);
    }
    return true;
}

/* Index modulo n, or divided by n: both need the space to run through multiples of n in one dimension and through what
 * is less than n in another. */
static bool ask_period(LayoutAsk *q, uint32_t row, const Size *n, const Size *times, bool is_modulo) {
    Arena *a = q->lo->a;
    const Size *least, *most, *zero = size_const(a, 0);
    IndexMap rest = q->map, multiples = q->map;
    multiples.start[row] = zero;
    for (uint32_t p = 0; p < q->map.space.rank; p++) {
        const Size *quotient = size_floordiv(a, q->map.step[row][p], n);
        bool is_multiple = size_equal(size_mul(a, quotient, n), q->map.step[row][p]);
        if (is_multiple) rest.step[row][p] = zero;
        multiples.step[row][p] = is_multiple ? quotient : zero;
    }
    bool known = index_map_range(a, &rest, row, &least, &most);
    if (known && size_is_nonnegative(least) && size_is_nonnegative(minus(q, minus(q, n, size_const(a, 1)), most))) {
        q->map = is_modulo ? rest : multiples;
        return true;
    }
    int p = index_map_only_step(&q->map, row);
    if (p < 0 || !size_is(q->map.step[row][p], 1) || !size_is(q->map.start[row], 0) ||
        !size_equal(q->map.space.dim[p], size_mul(a, n, times)) || q->map.space.rank == GRAPH_MAX_RANK)
        return not_affine(q);
    *q->cut = (LayoutCut){.wanted = true, .is_split = true, .p = (uint32_t)p, .at = times, .inner = n};
    return false;
}

static bool ask_repeat(LayoutAsk *q) {
    const GraphArg *times = graph_arg(q->n, 1, "repeats");
    q->from = &q->n->args[0];
    const GraphShape *shape = shape_of(q, q->from);
    if (!times || times->kind != GRAPH_ARG_LIST || times->n < shape->rank) return bad_args(q);
    uint32_t lead = (uint32_t)times->n - shape->rank;
    for (uint32_t d = 0; d < lead; d++) index_map_drop(&q->map, 0);
    for (uint32_t d = 0; d < shape->rank; d++) {
        const Size *n = size_arg(q, &times->item[lead + d]);
        if (!n) return bad_args(q);
        if (size_is(shape->dim[d], 1)) move_row(q, d, size_const(q->lo->a, 0), 0);
        else if (!size_is(n, 1) && !ask_period(q, d, shape->dim[d], n, true)) return false;
    }
    return true;
}

static bool ask_interleave(LayoutAsk *q) {
    const Size *times = size_arg(q, graph_arg(q->n, 1, "repeats"));
    const GraphArg *dim = graph_arg(q->n, 2, "dim");
    uint32_t d;
    q->from = &q->n->args[0];
    if (!times || ((!dim || dim->kind != GRAPH_ARG_INT) && shape_of(q, q->from)->rank != 1)) return bad_args(q);
    if (!get_dim(q, dim, &d)) return false;
    return size_is(times, 1) || ask_period(q, d, times, shape_of(q, q->from)->dim[d], false);
}

bool layout_ask(LayoutAsk *q) {
    Kind kind = ROWS[find_row(q->n->op)].kind;
    switch (kind) {
    case KIND_CAT:
    case KIND_STACK:
        return ask_sequence(q, kind == KIND_STACK);
    case KIND_PAD_CONSTANT:
    case KIND_PAD_REFLECT:
    case KIND_PAD_REPLICATE:
        return ask_pad(q, kind);
    case KIND_SLICE_SCATTER:
    case KIND_SELECT_SCATTER:
        return ask_scatter(q, kind == KIND_SELECT_SCATTER);
    case KIND_ROLL:
        return ask_roll(q);
    case KIND_REPEAT:
        return ask_repeat(q);
    case KIND_INTERLEAVE:
        return ask_interleave(q);
    }
    return false;
}
