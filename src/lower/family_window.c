/* The window family: the arguments of its operators, and the dimensions that they leave. */
#include "lower/eval.h"
#include "lower/family.h"
#include "lower/window.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *op;
    WindowFold fold;
} ROWS[] = {
#define WINDOW(target, fold) {target, WINDOW_##fold},
#include "lower/window.def"
#undef WINDOW
};
#define N_ROWS (sizeof ROWS / sizeof ROWS[0])

static size_t n_ops(void) {
    return N_ROWS;
}

static const char *op_name(size_t i) {
    return ROWS[i].op;
}

static size_t find_row(const char *op) {
    size_t i = 0;
    while (i < N_ROWS && strcmp(ROWS[i].op, op) != 0) i++;
    return i;
}

static bool claims(const GraphNode *n) {
    return find_row(n->op) < N_ROWS;
}

const WindowPlan *window_plan(const PlanPass *p) {
    return p->own;
}

/* ---- arguments
 * ------------------------------------------------------------------------------------------------------ */

#define NUMBERS_PER_AXIS 5 /* kernel, stride, padding, dilation, divisor: bridge/windows.py */
#define ADAPTIVE_KERNEL  0
#define TABLE_KERNEL     (-1)

typedef struct Work {
    Lower lo;
    const GraphNode *n;
    WindowPlan *plan;
    bool wants_place; /* the places of maxima are stored */
} Work;

static bool bad_args(Work *w) {
    return lower_unsupported(&w->lo, w->n, "its arguments are not understood", "pass sizes and numbers");
}

static const Size *size_item(Work *w, const GraphArg *list, size_t i) {
    const GraphArg *arg = list && list->kind == GRAPH_ARG_LIST && i < list->n ? &list->item[i] : NULL;
    if (arg && arg->kind == GRAPH_ARG_INT) return size_const(w->lo.a, arg->i);
    return arg && arg->kind == GRAPH_ARG_SIZE ? arg->size : NULL;
}

/* A tensor as it lies in memory, or under views that leave its elements in their order. */
static bool load_plain(Work *w, const GraphArg *arg, uint32_t *access) {
    Lower *lo = &w->lo;
    KirArg loaded;
    if (!arg || arg->kind != GRAPH_ARG_REF) return bad_args(w);
    if (!lower_value(lo, arg->value, NULL, &loaded)) return false;
    const KirInsn *in = loaded.kind == KIR_ARG_VAL ? &lo->pass->kir->insns.at[loaded.val] : NULL;
    if (!in || !kir_is_load(in->op))
        return lower_unsupported(lo, w->n, "an operand is not a tensor in memory", "");
    const PlanAccess *acc = &lo->pass->access.at[in->mode];
    GraphView all = graph_view_contiguous(lo->a, &acc->view.shape);
    for (uint32_t d = 0; d < all.shape.rank; d++)
        if (!size_is(all.shape.dim[d], 1) && !size_equal(all.stride[d], acc->view.stride[d]))
            return lower_unsupported(lo, w->n, "an operand's elements lie in another order", "make it contiguous");
    *access = in->mode;
    return acc->n_by == 0 || lower_unsupported(lo, w->n, "an operand is read by an index", "");
}

static bool read_divisor(Work *w, WindowAxis *axis, const Size *code) {
    int64_t v = 0;
    if (!size_is_const(code, &v) || v > WINDOW_BY_TAPS_PADDED) return bad_args(w);
    axis->divisor = v < 0 ? WINDOW_BY_NUMBER : (WindowDivisor)v;
    axis->number = size_const(w->lo.a, -v);
    return true;
}

static const GraphArg *table_arg(const GraphNode *n, size_t arg, const char *name, size_t i) {
    const GraphArg *list = graph_arg(n, arg, name);
    return list && list->kind == GRAPH_ARG_LIST && i < list->n ? &list->item[i] : NULL;
}

/* Tables of columns are [taps, out], others [out, taps]. */
static bool read_table(Work *w, WindowAxis *axis, size_t i, bool is_cols) {
    if (!load_plain(w, table_arg(w->n, 3, "index", i), &axis->index) ||
        !load_plain(w, table_arg(w->n, 4, "weight", i), &axis->weight))
        return false;
    const GraphShape *shape = &w->lo.pass->access.at[axis->index].view.shape;
    if (shape->rank != 2) return bad_args(w);
    axis->taps = shape->dim[is_cols ? 0 : 1];
    return true;
}

static bool read_axis(Work *w, WindowAxis *axis, size_t i, bool is_cols) {
    Arena *a = w->lo.a;
    const GraphArg *numbers = graph_arg(w->n, 1, "axes");
    const Size *v[NUMBERS_PER_AXIS];
    for (size_t k = 0; k < NUMBERS_PER_AXIS; k++)
        if (!(v[k] = size_item(w, numbers, i * NUMBERS_PER_AXIS + k))) return bad_args(w);
    if (size_is(v[0], TABLE_KERNEL)) {
        axis->kind = WINDOW_TABLE;
        return read_table(w, axis, i, is_cols);
    }
    axis->kind = size_is(v[0], ADAPTIVE_KERNEL) ? WINDOW_ADAPTIVE : WINDOW_POOL;
    axis->kernel = v[0], axis->stride = v[1], axis->padding = v[2], axis->dilation = v[3];
    axis->taps = v[0];
    if (axis->kind == WINDOW_ADAPTIVE)
        axis->taps = size_add(a, size_floordiv(a, size_sub(a, size_add(a, axis->in, axis->out), size_const(a, 1)), axis->out),
                              size_const(a, 1));
    return read_divisor(w, axis, v[4]);
}

static WindowAxis still_axis(Arena *a, const Size *n) {
    const Size *one = size_const(a, 1), *none = size_const(a, 0);
    return (WindowAxis){.kind = WINDOW_POOL, .in = n, .out = n, .kernel = one, .stride = one, .padding = none, .dilation = one,
                        .taps = one, .number = one};
}

/* Nothing is done along it. */
static bool is_still(const WindowAxis *x) {
    return x->kind == WINDOW_POOL && size_is(x->kernel, 1) && size_is(x->stride, 1) && size_is(x->padding, 0) &&
           x->divisor != WINDOW_BY_NUMBER && size_equal(x->in, x->out);
}

static void merge_still(Work *w) {
    WindowPlan *p = w->plan;
    Arena *a = w->lo.a;
    if (is_still(&p->axis[WINDOW_DEPTH]) && (!w->wants_place || size_is(p->axis[WINDOW_DEPTH].in, 1))) {
        p->outer = size_mul(a, p->outer, p->axis[WINDOW_DEPTH].in);
        p->axis[WINDOW_DEPTH] = still_axis(a, size_const(a, 1));
    } else {
        p->has_depth = true;
    }
    if (p->has_depth || !is_still(&p->axis[WINDOW_ROWS])) return;
    p->plane_rows = p->axis[WINDOW_ROWS].in;
    p->axis[WINDOW_ROWS] = still_axis(a, size_mul(a, p->outer, p->axis[WINDOW_ROWS].in));
    p->outer = size_const(a, 1);
}

static bool read_axes(Work *w) {
    Lower *lo = &w->lo;
    WindowPlan *p = w->plan;
    const GraphArg *size = graph_arg(w->n, 2, "size");
    const GraphShape *in = &lo->g->values[w->n->args[0].value].shape;
    if (!size || size->kind != GRAPH_ARG_LIST || size->n < 1 || size->n > 3 || size->n > in->rank) return bad_args(w);
    uint32_t n = (uint32_t)size->n, first = in->rank - n;
    p->outer = size_const(lo->a, 1);
    for (uint32_t d = 0; d < first; d++) p->outer = size_mul(lo->a, p->outer, in->dim[d]);
    for (uint32_t i = 0; i < 3; i++) p->axis[i] = still_axis(lo->a, size_const(lo->a, 1));
    for (uint32_t i = 0; i < n; i++) {
        WindowAxis *axis = &p->axis[3 - n + i];
        axis->in = in->dim[first + i];
        if (!(axis->out = size_item(w, size, i))) return bad_args(w);
        if (!read_axis(w, axis, i, i + 1 == n)) return false;
        if (p->fold == WINDOW_MAX && axis->kind == WINDOW_TABLE) return bad_args(w);
    }
    merge_still(w);
    return true;
}

/* ---- the pass
 * ------------------------------------------------------------------------------------------------------ */

static GraphShape space_of(Arena *a, const WindowPlan *p) {
    GraphShape s = {.rank = 4, .dim = ARENA_ARRAY(a, 4, const Size *)};
    s.dim[0] = p->outer;
    for (uint32_t i = 0; i < 3; i++) s.dim[1 + i] = p->axis[i].out;
    return s;
}

static bool begin(Work *w, Arena *a, const Stage *s, const GraphNode *n, size_t v, GraphBounds *bounds, Err *err) {
    PlanPass *pass = ARENA_NEW(a, PlanPass);
    *w = (Work){.n = n, .plan = ARENA_NEW(a, WindowPlan)};
    for (size_t i = 0; i < s->writes.n; i++)
        w->wants_place |= lower_peel(s->graph, s->graph->outputs[s->writes.at[i]].value) != n->first_value;
    pass->family = s->family;
    pass->kir = kir_new(a);
    pass->own = w->plan;
    pass->schedule = PLAN_ROWS;
    w->lo = lower_begin(a, s->graph, v, pass, bounds, err);
    w->plan->fold = ROWS[find_row(n->op)].fold;
    w->plan->value = w->plan->place = -1;
    if (!load_plain(w, graph_arg(n, 0, "x"), &w->plan->input) || !read_axes(w)) return false;
    DType t = pass->access.at[w->plan->input].dtype[v];
    if (dtype_info(t)->cls != DTYPE_CLASS_F)
        return lower_unsupported(&w->lo, n, "the input is not floating", "convert it to float32 before");
    for (size_t i = 0; i < pass->access.n; i++) {
        pass->access.at[i].view.shape = space_of(a, w->plan); /* the tensor is addressed by the kernel itself */
        pass->access.at[i].view.stride = graph_view_contiguous(a, &pass->access.at[i].view.shape).stride;
        pass->access.at[i].cls = PLAN_ROW;
    }
    pass->space = space_of(a, w->plan);
    return true;
}

static void add_store(Work *w, const GraphOutput *o, uint32_t index, uint32_t result) {
    PlanPass *pass = w->lo.pass;
    PlanAccess acc = {.is_store = true,
                      .is_temp = o->dtype != NULL,
                      .tensor = index,
                      .name = o->name,
                      .tensor_name = o->name,
                      .cls = PLAN_ROW,
                      .dtype = o->dtype ? o->dtype : w->lo.g->values[o->value].dtype,
                      .view = graph_view_contiguous(w->lo.a, &pass->space)};
    vec_push(w->lo.a, &pass->access, acc);
    vec_push(w->lo.a, &pass->outputs, index);
    if (result == 0) w->plan->value = (int32_t)pass->access.n - 1;
    else w->plan->place = (int32_t)pass->access.n - 1;
}

/* One pass; an output that two names have is stored once for each. */
static bool lower(Arena *a, const Stage *s, size_t v, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    const GraphNode *n = &s->graph->nodes[s->anchors.at[0]];
    bool done[64] = {false};
    for (size_t left = s->writes.n; left > 0;) {
        Work w;
        if (!begin(&w, a, s, n, v, bounds, err)) return false;
        w.lo.pass->shape = s->graph->values[n->first_value].shape;
        for (size_t i = 0; i < s->writes.n && i < 64; i++) {
            const GraphOutput *o = &s->graph->outputs[s->writes.at[i]];
            uint32_t result = lower_peel(s->graph, o->value) - n->first_value;
            if (done[i] || (result == 0 ? w.plan->value : w.plan->place) >= 0) continue;
            add_store(&w, o, s->writes.at[i], result);
            done[i] = true;
            left--;
        }
        w.lo.pass->cycles64 = 2;
        vec_push(a, passes, w.lo.pass);
    }
    return true;
}

/* A stage runs one of them. */
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

static double elements(const Graph *g, const WindowPlan *p, bool of_input) {
    int64_t *hints = calloc(g->n_symbols + 1, sizeof *hints);
    for (size_t s = 0; s < g->n_symbols; s++) hints[s] = g->symbols[s].hint;
    double n = (double)size_eval(p->outer, hints);
    for (uint32_t i = 0; i < 3; i++) n *= (double)size_eval(of_input ? p->axis[i].in : p->axis[i].out, hints);
    free(hints);
    return n > 0 ? n : 1;
}

/* The input is read about once, the tables are small. */
static double times_moved(const Graph *g, const PlanPass *p, const PlanAccess *acc) {
    const WindowPlan *w = window_plan(p);
    size_t i = (size_t)(acc - p->access.at);
    if (acc->is_store) return 1;
    return i == w->input ? elements(g, w, true) / elements(g, w, false) : 0;
}

static bool same(const PlanPass *x, const PlanPass *y) {
    return window_plan(x)->value == window_plan(y)->value && window_plan(x)->place == window_plan(y)->place;
}

static void print_axis(StrBuf *sb, const Plan *plan, const WindowAxis *x) {
    static const char *const KINDS[] = {"pool", "adaptive", "table"};
    const char *const *names = plan->graph->symbol_names;
    strbuf_printf(sb, "  %s: %s -> %s", KINDS[x->kind], size_print(sb->arena, x->in, names, SIZE_PYTHON),
                  size_print(sb->arena, x->out, names, SIZE_PYTHON));
    if (x->kind == WINDOW_POOL)
        strbuf_printf(sb, ", kernel %s, stride %s, padding %s, dilation %s", size_print(sb->arena, x->kernel, names, SIZE_PYTHON),
                      size_print(sb->arena, x->stride, names, SIZE_PYTHON), size_print(sb->arena, x->padding, names, SIZE_PYTHON),
                      size_print(sb->arena, x->dilation, names, SIZE_PYTHON));
    strbuf_add(sb, "\n");
}

static void print(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index) {
    const WindowPlan *w = window_plan(p);
    strbuf_printf(sb, "pass %zu: window, %s, %s outer\n", index, w->fold == WINDOW_MAX ? "max" : "sum",
                  size_print(sb->arena, w->outer, plan->graph->symbol_names, SIZE_PYTHON));
    for (uint32_t i = w->has_depth ? 0 : 1; i < 3; i++) print_axis(sb, plan, &w->axis[i]);
}

const Family FAMILY_window = {
    .name = "window",
    .what = "elements of a window joined: pooling and resizing",
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
