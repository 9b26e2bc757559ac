/* The scan family: running sums, products, extremes. Its passes are those of the pointwise family, with tiles that follow
 * each other along the scanned dimension. */
#include "lower/scan.h"

#include "lower/eval.h"
#include "lower/family.h"
#include "lower/plan_int.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- the table
 * --------------------------------------------------------------------------------------------------- */

typedef enum { PLAIN, SUM, INDEXED, LOGSUM } How;

static const struct ScanRow {
    const char *op;
    How how;
    KirOp on_floats, on_ints;
} ROWS[] = {
#define SCAN(op, how, on_floats, on_ints) {op, how, on_floats, on_ints},
#include "lower/scan.def"
#undef SCAN
};
#define N_ROWS (sizeof ROWS / sizeof ROWS[0])

static size_t n_ops(void) {
    return N_ROWS;
}

static const char *op_name(size_t i) {
    return ROWS[i].op;
}

static const struct ScanRow *find_row(const GraphNode *n) {
    for (size_t i = 0; i < N_ROWS; i++)
        if (strcmp(ROWS[i].op, n->op) == 0) return &ROWS[i];
    return NULL;
}

static bool claims(const GraphNode *n) {
    return find_row(n) != NULL;
}

/* ---- finished passes
 * --------------------------------------------------------------------------------------------- */

bool scan_is_op(KirOp op) {
    for (size_t i = 0; i < N_ROWS; i++)
        if (op != KIR_N_OPS && (ROWS[i].on_floats == op || ROWS[i].on_ints == op)) return true;
    return false;
}

uint32_t scan_count(const PlanPass *p) {
    uint32_t n = 0;
    for (size_t i = 0; i < p->kir->insns.n; i++)
        if (scan_is_op(p->kir->insns.at[i].op) && p->kir->insns.at[i].mode >= n) n = p->kir->insns.at[i].mode + 1;
    return n;
}

bool scan_is_nested(const PlanPass *p) {
    Arena *a = arena_new();
    bool *rests = ARENA_ARRAY(a, p->kir->insns.n, bool), nested = false;
    for (size_t i = 0; i < p->kir->insns.n; i++) {
        const KirInsn *in = &p->kir->insns.at[i];
        for (uint32_t s = 0; s < kir_op_info(in->op)->n_src; s++) rests[i] |= rests[in->src[s]];
        nested |= scan_is_op(in->op) && rests[i];
        rests[i] |= scan_is_op(in->op);
    }
    arena_free(a);
    return nested;
}

bool scan_runs_along_columns(const PlanPass *p) {
    return p->named == p->space.rank;
}

bool scan_uses(const PlanPass *p, KirOp op) {
    for (size_t i = 0; i < p->kir->insns.n; i++)
        if (p->kir->insns.at[i].op == op) return true;
    return false;
}

uint32_t scan_carry_length(const PlanPass *p) {
    return scan_runs_along_columns(p) ? SCAN_LANES : SCAN_MAX_COLS;
}

/* ---- the order of tiles
 * ------------------------------------------------------------------------------------------ */

/* Of a pass: PlanPass.own. NULL: nothing is scanned. */
typedef struct Order {
    uint32_t dim; /* of PlanPass.shape */
    bool backwards;
} Order;

/* A scan of dimension `dim` of a tensor of `shape` that is seen under a chain: one dimension of the pass must run along whole
 * lines of it, forwards or backwards. */
static bool set_order(Lower *lo, const GraphNode *n, const GraphShape *shape, uint32_t dim, const Chain *chain) {
    GraphView contiguous = graph_view_contiguous(lo->a, shape), seen;
    const Size *step = contiguous.stride[dim], *back = size_sub(lo->a, size_const(lo->a, 0), step);
    PlanPass *p = lo->pass;
    Order *order = p->own;
    if (!lower_chain_view(lo, shape, chain, &seen)) return false;
    for (uint32_t d = 0; d < seen.shape.rank; d++) {
        bool forward = size_equal(seen.stride[d], step), backward = size_equal(seen.stride[d], back);
        if (!size_equal(seen.shape.dim[d], shape->dim[dim]) || (!forward && !backward)) continue;
        if (order && (order->dim != d || order->backwards != backward))
            return lower_unsupported(lo, n, "it runs along another dimension than what it is computed with, or the other way", "");
        p->own = order = ARENA_NEW(lo->a, Order);
        *order = (Order){.dim = d, .backwards = backward};
        p->ordered = true;
        p->named = d + 1;
        p->backwards = backward;
        return true;
    }
    return lower_unsupported(lo, n, "only a part of its result is used, or in another order", "");
}

/* ---- instructions
 * ------------------------------------------------------------------------------------------------ */

/* Scans of one value alike are one. */
static KirVal emit_scan(Kir *k, KirOp op, KirVal v) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < k->insns.n; i++) {
        const KirInsn *in = &k->insns.at[i];
        if (in->op == op && in->src[0] == v) return i;
        if (scan_is_op(in->op)) n++;
    }
    return kir_emit(k, op, &v, (KirScalar){0}, n);
}

static KirVal emit2(Kir *k, KirOp op, KirVal x, KirVal y, uint32_t mode) {
    return kir_emit(k, op, (KirVal[]){x, y}, (KirScalar){0}, mode);
}

/* Where the extreme of all elements so far comes from: an element that is the extreme, or NaN, names its own place, and the
 * greatest of these places so far is the answer. */
static KirVal emit_places(Kir *k, KirVal v, KirVal best) {
    KirVal hit;
    if (kir_type(k, v) == KIR_F32) {
        KirVal number = emit2(k, KIR_CMP_F, v, v, KIR_EQ);
        hit = emit2(k, KIR_OR_M, emit2(k, KIR_CMP_F, v, best, KIR_EQ), kir_emit(k, KIR_NOT_M, &number, (KirScalar){0}, 0), 0);
    } else hit = emit2(k, KIR_EQ_I, v, best, 0);
    KirVal none[] = {KIR_NONE, KIR_NONE, KIR_NONE};
    KirVal place = kir_emit(k, KIR_POSITION_I, none, (KirScalar){0}, 0);
    KirVal zero = kir_emit(k, KIR_FILL_I, none, kir_const(0), 0);
    return emit_scan(k, KIR_CUMMAX_I, kir_emit(k, KIR_SEL_I, (KirVal[]){hit, place, zero}, (KirScalar){0}, 0));
}

/* v, or `limit` where v compares so with it; NaN stays. */
static KirVal emit_limit(Kir *k, KirVal v, KirCmp cmp, double limit, double then) {
    KirVal beyond = kir_emit(k, KIR_CMPS_F, &v, kir_const(limit), cmp);
    KirVal other = kir_emit(k, KIR_FILL_F, (KirVal[]){KIR_NONE}, kir_const(then), 0);
    return kir_emit(k, KIR_SEL_F, (KirVal[]){beyond, other, v}, (KirScalar){0}, 0);
}

/* Differences of infinities are no numbers: the greatest numbers stand for them. */
static KirVal emit_logsum(Kir *k, KirVal v) {
    v = emit_limit(k, emit_limit(k, v, KIR_LT, -FLT_MAX, -FLT_MAX), KIR_GT, FLT_MAX, FLT_MAX);
    v = emit_scan(k, KIR_CUMLOGSUM_F, v);
    return emit_limit(k, emit_limit(k, v, KIR_LE, -FLT_MAX, -INFINITY), KIR_GE, FLT_MAX, INFINITY);
}

/* Sums of both signs keep their digits near 0: a value is a multiple of 2^-9 and a rest, each summed by itself. Sums of
 * multiples are exact up to 2^15, and the rests are small. Beyond that this is as exact as a sum of float32. */
#define TO_MULTIPLE 24576.0 /* 1.5 * 2^14: added and taken away again, it leaves a multiple of 2^-9 */

static KirVal emit_sum(Kir *k, KirVal v) {
    KirVal moved = kir_emit(k, KIR_ADDS_F, &v, kir_const(TO_MULTIPLE), 0);
    KirVal multiple = kir_emit(k, KIR_ADDS_F, &moved, kir_const(-TO_MULTIPLE), 0);
    KirVal rest = emit2(k, KIR_SUB_F, v, multiple, 0);
    KirVal number = emit2(k, KIR_CMP_F, rest, rest, KIR_EQ); /* an infinity has no rest */
    rest = kir_emit(k, KIR_SELS_F, (KirVal[]){number, rest}, kir_const(0), 0);
    return emit2(k, KIR_ADD_F, emit_scan(k, KIR_CUMSUM_F, multiple), emit_scan(k, KIR_CUMSUM_F, rest), 0);
}

static KirVal emit_row(Kir *k, const struct ScanRow *row, KirVal v, uint32_t result) {
    if (row->how == LOGSUM) return emit_logsum(k, v);
    if (row->how == SUM && kir_type(k, v) == KIR_F32) return emit_sum(k, v);
    KirVal all = emit_scan(k, kir_type(k, v) == KIR_F32 ? row->on_floats : row->on_ints, v);
    return result == 0 ? all : emit_places(k, v, all);
}

/* ---- nodes
 * ------------------------------------------------------------------------------------------------------- */

/* The scanned dimension; UINT32_MAX: one element, or a dimension of size 1. */
static bool find_dim(Lower *lo, const GraphNode *n, const GraphShape *shape, uint32_t *dim) {
    const GraphArg *arg = graph_arg(n, 1, "dim");
    int64_t d = arg && arg->kind == GRAPH_ARG_INT ? arg->i : INT64_MIN;
    if (d < 0) d += shape->rank;
    *dim = UINT32_MAX;
    if (shape->rank == 0) return true;
    if (d < 0 || d >= shape->rank) return lower_unsupported(lo, n, "the dimension is not understood", "name it as a number");
    if (!size_is(shape->dim[d], 1)) *dim = (uint32_t)d;
    return true;
}

/* The argument as the result's dtype holds it. */
static bool eval_arg(Lower *lo, const GraphNode *n, const Chain *chain, DType to, KirVal *out) {
    Kir *k = lo->pass->kir;
    const GraphArg *self = graph_arg(n, 0, "self");
    KirArg arg;
    if (!self || self->kind != GRAPH_ARG_REF) return lower_unsupported(lo, n, "its argument is no tensor", "");
    if (!lower_value(lo, self->value, chain, &arg)) return false;
    DType from = lower_dtype_of(lo, &lo->g->values[self->value]);
    KirVal v = kir_convert(k, kir_materialise(k, arg, kir_type_of_dtype(from)), kir_type_of_dtype(to));
    *out = from != to && dtype_info(to)->cls == DTYPE_CLASS_F ? kir_round_to(k, v, to) : v;
    return true;
}

static bool eval_anchor(Lower *lo, const GraphNode *n, uint32_t result, const Chain *chain, KirArg *out) {
    const struct ScanRow *row = find_row(n);
    const GraphValue *v = &lo->g->values[n->first_value];
    Kir *k = lo->pass->kir;
    DType t = lower_dtype_of(lo, v);
    uint32_t dim;
    KirVal val = KIR_NONE;
    if (!row) return lower_unsupported(lo, n, "it is not of the stage's family", "");
    if (!find_dim(lo, n, &v->shape, &dim) || !eval_arg(lo, n, chain, t, &val)) return false;
    if (kir_type(k, val) == KIR_MASK) val = kir_convert(k, val, KIR_I32);
    size_t before = k->insns.n;
    if (dim != UINT32_MAX) {
        if (!set_order(lo, n, &v->shape, dim, chain)) return false;
        if (result > 0 && lo->pass->backwards) return lower_unsupported(lo, n, "its indices are used backwards", "");
        if (row->how == LOGSUM && kir_type(k, val) != KIR_F32) return lower_unsupported(lo, n, "it is of integers", "");
        val = emit_row(k, row, val, result);
        lower_note(k, before, n);
    } else if (result > 0) {
        *out = (KirArg){.kind = KIR_ARG_NUM, .num = kir_const(0), .num_is_int = true};
        return true;
    }
    *out = (KirArg){.kind = KIR_ARG_VAL, .val = kir_convert(k, val, kir_type_of_dtype(lower_dtype_of(lo, &lo->g->values[n->first_value + result])))};
    return true;
}

/* ---- the stage
 * --------------------------------------------------------------------------------------------------- */

/* Lowers the stage as if these were all it leaves: positions in s->graph->outputs. */
static bool lower_writes(Arena *a, const Stage *s, size_t v, const uint32_t *writes, size_t n, PlanPasses *passes,
                         GraphBounds *bounds, Err *err) {
    Stage part = *s;
    memset(&part.writes, 0, sizeof part.writes);
    for (size_t i = 0; i < n; i++) vec_push(a, &part.writes, writes[i]);
    return plan_lower_tiles(a, &part, v, eval_anchor, passes, bounds, err);
}

static bool same_order(const Order *x, const Order *y) {
    return x && y ? x->dim == y->dim && x->backwards == y->backwards : x == y;
}

/* What runs along different dimensions, or different ways, goes to passes of its own. */
static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    size_t n = s->writes.n;
    const Order **order = ARENA_ARRAY(a, n, const Order *);
    bool *done = ARENA_ARRAY(a, n, bool);
    uint32_t *group = ARENA_ARRAY(a, n, uint32_t);
    for (size_t i = 0; i < n; i++) {
        PlanPasses alone = {0};
        GraphBounds ignored = {.arena = a};
        if (!lower_writes(a, s, v, &s->writes.at[i], 1, &alone, &ignored, err)) return false;
        order[i] = alone.at[0]->own;
    }
    for (size_t i = 0; i < n; i++) {
        size_t n_group = 0;
        for (size_t k = i; k < n; k++)
            if (!done[k] && same_order(order[i], order[k])) {
                done[k] = true;
                group[n_group++] = s->writes.at[k];
            }
        if (n_group && !lower_writes(a, s, v, group, n_group, passes, bounds, err)) return false;
    }
    return true;
}

/* Can the stage leave this value? Tried as the output of a draft. */
static bool takes(const Stage *s, uint32_t value) {
    Arena *a = arena_new();
    Graph g = *s->graph;
    Stage draft = *s;
    GraphOutput output = {.name = "draft", .value = value};
    GraphBounds bounds = {.arena = a};
    PlanPasses passes = {0};
    Err ignored = {0};
    uint32_t first = 0;
    g.n_outputs = 1;
    g.outputs = &output;
    draft.graph = &g;
    draft.family = &FAMILY_scan;
    bool ok = lower_writes(a, &draft, g.own_variant, &first, 1, &passes, &bounds, &ignored);
    arena_free(a);
    return ok;
}

static bool joins(const Stage *s, const GraphNode *n) {
    for (uint32_t r = 0; r < n->n_results; r++)
        if (!takes(s, n->first_value + r)) return false;
    return true;
}

static void add_buffers(Arena *a, const PlanPass *p, size_t v, PlanBuffers *list) {
    uint32_t carry = scan_carry_length(p) * 4, end = (uint32_t)p->n_steps;
    bool columns = scan_runs_along_columns(p), shares = !scan_is_nested(p);
    const PlanBuffer BUFFERS[] = {
        {.name = "steps_", .what = "the tile on its way from level to level", .count = 1, .bits = 32},
        {.name = "carry_", .what = "what lines have come to, for each scan", .count = 1, .fixed_bytes = scan_count(p) * carry},
        {.name = "carryInQueue_", .what = "what lines have come to on other cores", .count = shares, .fixed_bytes = carry},
        {.name = "carryOutQueue_", .what = "what other cores are told", .count = shares, .fixed_bytes = carry},
        {.name = "lanesAside_", .what = "ends of pieces of rows, and offsets to shift them", .count = columns, .fixed_bytes = SCAN_LANE_BYTES},
        {.name = "pattern_", .what = "one step repeated", .count = columns, .fixed_bytes = SCAN_CHUNK * 4},
        {.name = "greater_", .what = "the greater of each two", .count = scan_uses(p, KIR_CUMLOGSUM_F), .fixed_bytes = SCAN_CHUNK * 4}};
    (void)v;
    for (size_t i = 0; p->ordered && i < sizeof BUFFERS / sizeof BUFFERS[0]; i++) {
        PlanBuffer b = BUFFERS[i];
        b.last = end;
        if (b.count) vec_push(a, list, b);
    }
}

static bool same(const PlanPass *x, const PlanPass *y) {
    return x->named == y->named && x->ordered == y->ordered && x->backwards == y->backwards && scan_count(x) == scan_count(y);
}

const Family FAMILY_scan = {
    .name = "scan",
    .what = "running sums, products and extremes along a dimension",
    .prologue = PROLOGUE_ALL,
    .takes_ints = true,
    .n_ops = n_ops,
    .op_name = op_name,
    .claims = claims,
    .add_buffers = add_buffers,
    .joins = joins,
    .takes = takes,
    .lower = lower,
    .finish = plan_slots,
    .same = same,
    .check = plan_check_places,
    .print = plan_print_tiles,
};
