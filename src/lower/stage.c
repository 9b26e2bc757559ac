/* Cutting the graph into stages. Anchors are taken in execution order; each joins the first stage that may
 * run it and comes late enough, or opens a new one. Then each output goes to the stage that can compute it
 * beside its anchors, or to a pointwise stage at the end. */
#include "lower/stage.h"

#include "lower/eval.h"
#include "lower/family.h"
#include "lower/stage_int.h"

#include <string.h>

#define NOWHERE (-1)

/* A line of --explain. The number of a stage is known when all are placed. */
typedef struct Decision {
    const Stage *stage; /* whose number stands before the text; NULL: none */
    const char *text;
} Decision;

typedef struct Cut {
    Arena *a;
    const Graph *g;
    Stages *out;
    int32_t
        *made_by; /* per value: the stage that leaves it; NOWHERE: computed where it is needed, or an input */
    VEC(Decision) decisions;
    Err *err;
} Cut;

/* ---- what a value rests on
 * ---------------------------------------------------------------------------------------- */

typedef void (*VisitFn)(void *ctx, uint32_t value);

static void visit_value(const Cut *c, uint32_t value, bool *seen, VisitFn visit, void *ctx);

static void visit_arg(const Cut *c, const GraphArg *arg, bool *seen, VisitFn visit, void *ctx) {
    if (arg->kind == GRAPH_ARG_REF) visit_value(c, arg->value, seen, visit, ctx);
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++)
        visit_arg(c, &arg->item[i], seen, visit, ctx);
}

/* A tensor of one value needs nothing of what it is like but the shape. */
static void visit_args(const Cut *c, const GraphNode *n, bool *seen, VisitFn visit, void *ctx) {
    if (lower_is_fill(c->g, n->first_value)) return;
    for (size_t i = 0; i < n->n_args; i++) visit_arg(c, &n->args[i], seen, visit, ctx);
    for (size_t i = 0; i < n->n_kwargs; i++) visit_arg(c, &n->kwargs[i].arg, seen, visit, ctx);
}

/* Calls visit for the values left by stages that `value` is computed from, itself included. */
static void visit_value(const Cut *c, uint32_t value, bool *seen, VisitFn visit, void *ctx) {
    if (seen[value]) return;
    seen[value] = true;
    if (c->made_by[value] != NOWHERE) visit(ctx, value);
    else if (c->g->values[value].node >= 0)
        visit_args(c, &c->g->nodes[c->g->values[value].node], seen, visit, ctx);
}

typedef struct Latest {
    const Cut *c;
    int32_t stage;
} Latest;

static void see_stage(void *ctx, uint32_t value) {
    Latest *l = ctx;
    if (l->c->made_by[value] > l->stage) l->stage = l->c->made_by[value];
}

/* The last stage that a value, or a node's arguments, rest on. */
static int32_t latest_of_value(const Cut *c, uint32_t value) {
    Latest l = {.c = c, .stage = NOWHERE};
    visit_value(c, value, ARENA_ARRAY(c->a, c->g->n_values, bool), see_stage, &l);
    return l.stage;
}

static int32_t latest_of_args(const Cut *c, const GraphNode *n) {
    Latest l = {.c = c, .stage = NOWHERE};
    visit_args(c, n, ARENA_ARRAY(c->a, c->g->n_values, bool), see_stage, &l);
    return l.stage;
}

/* ---- graphs of stages
 * --------------------------------------------------------------------------------------------- */

static DType temp_dtype(DType t) {
    return dtype_info(t)->cls == DTYPE_CLASS_F   ? DTYPE_F32
           : dtype_info(t)->cls == DTYPE_CLASS_B ? DTYPE_BOOL
                                                 : DTYPE_I32;
}

static size_t find_temp(const PlanTemps *temps, uint32_t value) {
    for (size_t i = 0; i < temps->n; i++)
        if (temps->at[i].value == value) return i;
    return SIZE_MAX;
}

static bool is_taken(const Graph *g, const PlanTemps *temps, const char *name) {
    for (size_t i = 0; i < temps->n; i++)
        if (strcmp(temps->at[i].name, name) == 0) return true;
    for (size_t i = 0; i < g->n_inputs; i++)
        if (strcmp(g->inputs[i].name, name) == 0) return true;
    for (size_t i = 0; i < g->n_outputs; i++)
        if (strcmp(g->outputs[i].name, name) == 0) return true;
    return false;
}

static void add_temp(Cut *c, PlanTemps *temps, uint32_t value) {
    if (find_temp(temps, value) != SIZE_MAX) return;
    const GraphValue *v = &c->g->values[value];
    DType *dtype = ARENA_ARRAY(c->a, c->g->n_variants, DType);
    for (size_t k = 0; k < c->g->n_variants; k++) dtype[k] = temp_dtype(v->dtype[k]);
    const char *name = arena_printf(c->a, "stage%d", c->made_by[value] + 1);
    for (int n = 2; is_taken(c->g, temps, name); n++)
        name = arena_printf(c->a, "stage%d_%d", c->made_by[value] + 1, n);
    PlanTemp t = {.value = value, .stage = (uint32_t)c->made_by[value], .name = name, .dtype = dtype};
    vec_push(c->a, temps, t);
}

/* The graph as stage `index` sees it: values of other stages are inputs. */
static const Graph *graph_of(Cut *c, int32_t index, const PlanTemps *temps) {
    Graph *g = ARENA_NEW(c->a, Graph);
    *g = *c->g;
    g->inputs = ARENA_ARRAY(c->a, c->g->n_inputs + temps->n, GraphInput);
    g->outputs = ARENA_ARRAY(c->a, c->g->n_outputs + temps->n, GraphOutput);
    g->values = ARENA_ARRAY(c->a, c->g->n_values, GraphValue);
    memcpy(g->inputs, c->g->inputs, c->g->n_inputs * sizeof *g->inputs);
    memcpy(g->outputs, c->g->outputs, c->g->n_outputs * sizeof *g->outputs);
    memcpy(g->values, c->g->values, c->g->n_values * sizeof *g->values);
    for (size_t i = 0; i < temps->n; i++) {
        const PlanTemp *t = &temps->at[i];
        uint32_t at = (uint32_t)g->n_inputs++;
        g->inputs[at] = (GraphInput){.name = t->name,
                                     .kind = GRAPH_TEMP,
                                     .arg_index = -1,
                                     .value = t->value,
                                     .contiguous = true,
                                     .dtype = t->dtype};
        g->outputs[g->n_outputs++] = (GraphOutput){.name = t->name, .value = t->value, .dtype = t->dtype};
        if (c->made_by[t->value] == index) continue;
        g->values[t->value].node = -1;
        g->values[t->value].result = at;
    }
    return g;
}

/* For a question about stage `index`: every value of other stages is a temp. */
static const Graph *draft_graph(Cut *c, int32_t index) {
    PlanTemps temps = {0};
    for (uint32_t v = 0; v < c->g->n_values; v++)
        if (c->made_by[v] != NOWHERE && c->made_by[v] != index) add_temp(c, &temps, v);
    return graph_of(c, index, &temps);
}

/* ---- anchors
 * ------------------------------------------------------------------------------------------------------ */

static void decide(Cut *c, const Stage *s, const char *text) {
    Decision d = {.stage = s, .text = text};
    vec_push(c->a, &c->decisions, d);
}

static void tell_decisions(Cut *c) {
    for (size_t i = 0; i < c->decisions.n; i++) {
        const Decision *d = &c->decisions.at[i];
        const char *text = d->stage ? arena_printf(c->a, "stage %u%s", d->stage->index + 1, d->text) : d->text;
        vec_push(c->a, &c->out->decisions, text);
    }
}

static Stage *open_stage(Cut *c, const Family *f) {
    Stage *s = ARENA_NEW(c->a, Stage);
    s->family = f;
    s->index = (uint32_t)c->out->list.n;
    vec_push(c->a, &c->out->list, s);
    return s;
}

static void own_results(Cut *c, const GraphNode *n, int32_t stage) {
    for (uint32_t r = 0; r < n->n_results; r++) c->made_by[n->first_value + r] = stage;
}

static bool may_join(Cut *c, Stage *s, const GraphNode *n) {
    if (!s->family->joins) return false;
    own_results(c, n, (int32_t)s->index);
    Stage draft = *s;
    draft.graph = draft_graph(c, (int32_t)s->index);
    bool ok = s->family->joins(&draft, n);
    own_results(c, n, NOWHERE);
    return ok;
}

/* A value that a family wants to find in memory: an input, what a stage has left, or views of such. */
static bool lies_in_memory(const Cut *c, uint32_t value, FamilyPrologue allowed) {
    const GraphValue *v = &c->g->values[value];
    if (allowed == PROLOGUE_ALL || c->made_by[value] != NOWHERE) return true;
    if (v->node < 0) return !plan_is_small_int(v->dtype[0]); /* those become int32 first */
    const GraphNode *n = &c->g->nodes[v->node];
    return allowed == PROLOGUE_VIEWS && graph_is_view(n->op) && n->n_args &&
           n->args[0].kind == GRAPH_ARG_REF && lies_in_memory(c, n->args[0].value, allowed);
}

/* The innermost value under views that is computed. */
static uint32_t under_views(const Cut *c, uint32_t value, FamilyPrologue allowed) {
    const GraphValue *v = &c->g->values[value];
    while (allowed == PROLOGUE_VIEWS && v->node >= 0 && graph_is_view(c->g->nodes[v->node].op) &&
           c->g->nodes[v->node].args[0].kind == GRAPH_ARG_REF) {
        value = c->g->nodes[v->node].args[0].value;
        v = &c->g->values[value];
    }
    return value;
}

/* A pointwise stage that comes after all stages that value rests on; one that is there already saves waiting, and what several
 * values have in common is computed once. */
static Stage *pointwise_stage_for(Cut *c, uint32_t value) {
    for (size_t i = (size_t)(latest_of_value(c, value) + 1); i < c->out->list.n; i++)
        if (c->out->list.at[i]->family == &FAMILY_pointwise) return c->out->list.at[i];
    return open_stage(c, &FAMILY_pointwise);
}

static void compute_ahead(Cut *c, uint32_t value, const char *why) {
    Stage *s = pointwise_stage_for(c, value);
    c->made_by[value] = (int32_t)s->index;
    decide(c, s, arena_printf(c->a, " computes `%s` ahead: %s", c->g->values[value].id, why));
}

static void prepare_arg(Cut *c, const GraphArg *arg, FamilyPrologue allowed) {
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) prepare_arg(c, &arg->item[i], allowed);
    if (arg->kind != GRAPH_ARG_REF || lies_in_memory(c, arg->value, allowed)) return;
    compute_ahead(c, under_views(c, arg->value, allowed), "the stage that needs it reads tensors only");
}

static void prepare_args(Cut *c, const Family *f, const GraphNode *n, FamilyPrologue allowed) {
    for (size_t i = 0; i < n->n_args; i++)
        if (!f->from_memory || f->from_memory(n, i)) prepare_arg(c, &n->args[i], allowed);
}

typedef struct Reader {
    const Cut *c;
    int32_t stage;
    bool found;
} Reader;

static void see_reader(void *ctx, uint32_t value) {
    Reader *r = ctx;
    r->found |= r->c->made_by[value] == r->stage;
}

/* Does a stage behind i, to `last`, need what i leaves? */
static bool is_needed_to(const Cut *c, int32_t i, int32_t last) {
    Reader r = {.c = c, .stage = i};
    for (int32_t j = i + 1; j <= last; j++) {
        const Stage *s = c->out->list.at[j];
        bool *seen = ARENA_ARRAY(c->a, c->g->n_values, bool);
        for (size_t k = 0; k < s->anchors.n; k++) visit_args(c, &c->g->nodes[s->anchors.at[k]], seen, see_reader, &r);
        for (uint32_t v = 0; v < c->g->n_values; v++)
            if (c->made_by[v] == j && family_is_free(&c->g->nodes[c->g->values[v].node]))
                visit_args(c, &c->g->nodes[c->g->values[v].node], seen, see_reader, &r);
    }
    return r.found;
}

/* Stage i comes after stage `last`. */
static Stage *move_behind(Cut *c, int32_t i, int32_t last) {
    Stage *s = c->out->list.at[i];
    for (int32_t j = i; j < last; j++) {
        c->out->list.at[j] = c->out->list.at[j + 1];
        c->out->list.at[j]->index = (uint32_t)j;
    }
    c->out->list.at[last] = s;
    s->index = (uint32_t)last;
    for (uint32_t v = 0; v < c->g->n_values; v++) {
        if (c->made_by[v] == i) c->made_by[v] = last;
        else if (c->made_by[v] > i && c->made_by[v] <= last) c->made_by[v]--;
    }
    return s;
}

/* A stage of the family that comes late enough, or may come later, and agrees; NULL. */
static Stage *find_stage(Cut *c, const Family *f, const GraphNode *n) {
    int32_t from = latest_of_args(c, n);
    for (size_t i = from < 0 ? 0 : (size_t)from; i < c->out->list.n; i++) {
        Stage *s = c->out->list.at[i];
        if (s->family == f && may_join(c, s, n)) return s;
    }
    for (int32_t i = from - 1; i >= 0; i--) {
        Stage *s = c->out->list.at[i];
        if (s->family == f && !is_needed_to(c, i, from) && may_join(c, s, n)) return move_behind(c, i, from);
    }
    return NULL;
}

/* What the family cannot compute on the way comes as tensors: first the values under views, so that nothing is copied and nothing repeated
 * is written, then the views too. */
static Stage *open_prepared(Cut *c, const Family *f, const GraphNode *n) {
    for (FamilyPrologue left = PROLOGUE_VIEWS;; left = PROLOGUE_NONE) {
        prepare_args(c, f, n, left);
        Stage *s = find_stage(c, f, n);
        if (s) return s;
        s = open_stage(c, f);
        if (left == PROLOGUE_NONE || may_join(c, s, n)) return s;
        c->out->list.n--;
    }
}

static bool place_anchor(Cut *c, uint32_t node) {
    const GraphNode *n = &c->g->nodes[node];
    const Family *f = family_of(n);
    if (!f) {
        err_set(c->err, ERR_UNSUPPORTED, graph_at(c->a, c->g, n),
                "%s in `%s`: the generator does not know this op", n->op, n->text);
        return err_hint(c->err, "`opwright ops` lists the operators it knows");
    }
    for (size_t i = 0; i < n->n_args && f->prologue != PROLOGUE_ALL; i++)
        prepare_arg(c, &n->args[i], f->prologue);
    Stage *s = find_stage(c, f, n);
    if (!s) s = open_stage(c, f);
    if (s->anchors.n == 0 && f->prologue == PROLOGUE_ALL && f->joins && !may_join(c, s, n)) {
        c->out->list.n--; /* its arguments as tensors first */
        s = open_prepared(c, f, n);
    }
    bool joins = s->anchors.n > 0;
    vec_push(c->a, &s->anchors, node);
    own_results(c, n, (int32_t)s->index);
    if (joins)
        decide(c, s, arena_printf(c->a, " also runs %s (`%s`): same space, and all it needs is there", n->op, n->text));
    else decide(c, s, arena_printf(c->a, ", family %s: %s (`%s`)", f->name, n->op, n->text));
    return true;
}

static bool *needed_nodes(const Cut *c) {
    bool *need = ARENA_ARRAY(c->a, c->g->n_nodes, bool), *seen = ARENA_ARRAY(c->a, c->g->n_values, bool);
    for (size_t i = 0; i < c->g->n_outputs; i++) visit_value(c, c->g->outputs[i].value, seen, NULL, NULL);
    for (uint32_t v = 0; v < c->g->n_values; v++)
        if (seen[v] && c->g->values[v].node >= 0) need[c->g->values[v].node] = true;
    return need;
}

/* Marks the reshapes between values that are computed; those behind the last one only say how an output is seen. */
static void mark_reshapes(const Graph *g, const GraphArg *arg, bool *inner) {
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) mark_reshapes(g, &arg->item[i], inner);
    if (arg->kind != GRAPH_ARG_REF) return;
    for (int32_t node = g->values[arg->value].node; node >= 0 && graph_keeps_order(g->nodes[node].op);
         node = g->values[g->nodes[node].args[0].value].node)
        inner[node] = true;
}

static bool *inner_reshapes(const Cut *c, const bool *need) {
    bool *inner = ARENA_ARRAY(c->a, c->g->n_nodes, bool);
    for (uint32_t i = 0; i < c->g->n_nodes; i++) {
        const GraphNode *n = &c->g->nodes[i];
        for (size_t k = 0; need[i] && !graph_keeps_order(n->op) && k < n->n_args; k++) mark_reshapes(c->g, &n->args[k], inner);
    }
    return inner;
}

/* ---- outputs
 * ------------------------------------------------------------------------------------------------------ */

static bool is_anchor_result(const Cut *c, const Stage *s, uint32_t value) {
    return c->made_by[lower_peel(c->g, value)] == (int32_t)s->index;
}

static bool may_take(Cut *c, Stage *s, uint32_t value) {
    if (!s->family->takes) return is_anchor_result(c, s, value);
    Stage draft = *s;
    draft.graph = draft_graph(c, (int32_t)s->index);
    return s->family->takes(&draft, value);
}

static Stage *last_pointwise(Cut *c, Stage **last) {
    if (!*last) *last = open_stage(c, &FAMILY_pointwise);
    return *last;
}

static void mark_inputs(const Cut *c, uint32_t value, bool *reads);

static void mark_inputs_of_arg(const Cut *c, const GraphArg *arg, bool *reads) {
    if (arg->kind == GRAPH_ARG_REF) mark_inputs(c, arg->value, reads);
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) mark_inputs_of_arg(c, &arg->item[i], reads);
}

/* Marks the graph's inputs of more than one element that a value is computed from without any stage. */
static void mark_inputs(const Cut *c, uint32_t value, bool *reads) {
    const GraphValue *v = &c->g->values[value];
    if (reads[value] || c->made_by[value] != NOWHERE) return;
    if (v->node < 0) {
        for (uint32_t d = 0; d < v->shape.rank; d++) reads[value] |= !size_is(v->shape.dim[d], 1);
        return;
    }
    const GraphNode *n = &c->g->nodes[v->node];
    for (size_t i = 0; !lower_is_fill(c->g, value) && i < n->n_args; i++) mark_inputs_of_arg(c, &n->args[i], reads);
}

/* An output that rests on no stage is stored by one that reads its inputs anyway, so that they are read once. */
static Stage *stage_beside(Cut *c, uint32_t value) {
    bool *own = ARENA_ARRAY(c->a, c->g->n_values, bool);
    mark_inputs(c, value, own);
    for (size_t i = 0; i < c->out->list.n; i++) {
        Stage *s = c->out->list.at[i];
        if (!s->family->takes || !s->anchors.n) continue;
        bool *its = ARENA_ARRAY(c->a, c->g->n_values, bool), shared = false;
        for (size_t k = 0; k < s->anchors.n; k++) {
            const GraphNode *n = &c->g->nodes[s->anchors.at[k]];
            for (size_t m = 0; m < n->n_args; m++) mark_inputs_of_arg(c, &n->args[m], its);
        }
        for (uint32_t v = 0; v < c->g->n_values; v++) shared |= own[v] && its[v];
        if (shared && may_take(c, s, value)) return s;
    }
    return NULL;
}

static void place_output(Cut *c, uint32_t index, Stage **last) {
    uint32_t value = c->g->outputs[index].value;
    int32_t from = latest_of_value(c, value);
    Stage *s = from >= 0 ? c->out->list.at[from] : NULL, *beside = s ? NULL : stage_beside(c, value);
    if (beside || (s && may_take(c, s, value))) {
        vec_push(c->a, &(beside ? beside : s)->writes, index);
        return;
    }
    if (s)
        decide(c, NULL, arena_printf(
                      c->a,
                      "output `%s` gets a pointwise stage of its own: stage %u cannot compute it beside its "
                      "own results",
                      c->g->outputs[index].name, s->index + 1));
    s = last_pointwise(c, last);
    vec_push(c->a, &s->writes, index);
}

/* ---- what crosses from stage to stage
 * ------------------------------------------------------------------------------- */

typedef struct Reads {
    Cut *c;
    Stage *s;
} Reads;

static void see_read(void *ctx, uint32_t value) {
    Reads *r = ctx;
    if (r->c->made_by[value] == (int32_t)r->s->index) return;
    add_temp(r->c, &r->c->out->temps, value);
    r->s->waits = true;
}

static void find_reads(Cut *c, Stage *s) {
    Reads r = {.c = c, .s = s};
    bool *seen = ARENA_ARRAY(c->a, c->g->n_values, bool);
    for (size_t i = 0; i < s->anchors.n; i++)
        visit_args(c, &c->g->nodes[s->anchors.at[i]], seen, see_read, &r);
    for (size_t i = 0; i < s->writes.n; i++) {
        uint32_t v = c->g->outputs[s->writes.at[i]].value;
        visit_value(c, v, seen, see_read, &r);
    }
}

static void find_early_reads(Cut *c, Stage *s) { /* of values computed ahead */
    Reads r = {.c = c, .s = s};
    bool *seen = ARENA_ARRAY(c->a, c->g->n_values, bool);
    for (uint32_t v = 0; v < c->g->n_values; v++) {
        int32_t node = c->g->values[v].node;
        if (c->made_by[v] == (int32_t)s->index && node >= 0 && family_is_free(&c->g->nodes[node]))
            visit_args(c, &c->g->nodes[node], seen, see_read, &r);
    }
}

static void finish_stages(Cut *c) {
    for (size_t i = 0; i < c->out->list.n; i++) {
        find_early_reads(c, c->out->list.at[i]);
        find_reads(c, c->out->list.at[i]);
    }
    for (size_t t = 0; t < c->out->temps.n; t++) {
        Stage *maker = c->out->list.at[c->out->temps.at[t].stage];
        vec_push(c->a, &maker->writes, (uint32_t)(c->g->n_outputs + t));
    }
    for (size_t i = 0; i < c->out->list.n; i++)
        c->out->list.at[i]->graph = graph_of(c, (int32_t)i, &c->out->temps);
}

Stages *stage_cut(Arena *a, const Graph *g, Err *err) {
    Cut c = {.a = a,
             .g = g,
             .out = ARENA_NEW(a, Stages),
             .made_by = ARENA_ARRAY(a, g->n_values, int32_t),
             .err = err};
    for (size_t v = 0; v < g->n_values; v++) c.made_by[v] = NOWHERE;
    const bool *need = needed_nodes(&c), *inner = inner_reshapes(&c, need);
    StageViews views = {.a = a, .g = g, .made_by = c.made_by, .of = ARENA_ARRAY(a, g->n_values, const ViewList *)};
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        if (need[i] && !family_is_free(n) && !place_anchor(&c, i)) return NULL;
        if (inner[i] && stage_reshape_copies(&views, n)) compute_ahead(&c, n->args[0].value, "it is then seen under a shape that takes a copy");
    }
    Stage *last = NULL;
    for (uint32_t i = 0; i < g->n_outputs; i++) place_output(&c, i, &last);
    finish_stages(&c);
    tell_decisions(&c);
    return c.out;
}
