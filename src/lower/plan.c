/* A plan: variants that one text can serve, passes lowered, spaced and given places; text form and rules. */
#include "lower/cost.h"
#include "lower/family.h"
#include "lower/plan_int.h"

#include "base/strbuf.h"
#include "graph/equal.h"

#include <stdio.h>
#include <string.h>

const char *plan_class_name(PlanClass c) {
    static const char *const NAMES[PLAN_N_CLASSES] = {
        [PLAN_LINE] = "line",     [PLAN_NUMBER] = "number", [PLAN_ROW] = "row",
        [PLAN_VECTOR] = "vector", [PLAN_COLUMN] = "column", [PLAN_STRIDED] = "strided",
        [PLAN_INDEX] = "index",   [PLAN_PICKED] = "picked",   [PLAN_UPDATE] = "update",
        [PLAN_COUNTED] = "counted"};
    return NAMES[c];
}

static bool build(Arena *a, const Stages *stages, size_t variant, PlanPasses *passes, GraphBounds *bounds,
                  Err *err) {
    *bounds = (GraphBounds){.arena = a};
    for (size_t i = 0; i < stages->list.n; i++) {
        const Stage *s = stages->list.at[i];
        size_t from = passes->n;
        if (!s->family->lower(a, s, variant, passes, bounds, err)) return false;
        for (size_t k = from; k < passes->n; k++) passes->at[k]->stage = (uint32_t)i;
    }
    return true;
}

/* Programs of one plan move the same data in the same way. */
static bool same_structure(const PlanPasses *x, const PlanPasses *y) {
    if (x->n != y->n) return false;
    for (size_t i = 0; i < x->n; i++) {
        const PlanPass *p = x->at[i], *q = y->at[i];
        if (p->family != q->family || p->access.n != q->access.n || p->scalars.n != q->scalars.n) return false;
        if (p->family->same && !p->family->same(p, q)) return false;
        for (size_t k = 0; k < p->access.n; k++) {
            const PlanAccess *s = &p->access.at[k], *t = &q->access.at[k];
            if (s->is_store != t->is_store || s->tensor != t->tensor || s->cls != t->cls ||
                !graph_view_equal(&s->view, &t->view))
                return false;
        }
        for (size_t k = 0; k < p->scalars.n; k++)
            if (p->scalars.at[k].kind != q->scalars.at[k].kind ||
                strcmp(p->scalars.at[k].name, q->scalars.at[k].name) != 0)
                return false;
    }
    return true;
}

static bool same_instructions(Arena *a, const PlanPasses *x, const PlanPasses *y) {
    for (size_t i = 0; i < x->n; i++)
        if (strcmp(kir_print(x->at[i]->kir, a), kir_print(y->at[i]->kir, a)) != 0) return false;
    return true;
}

static PlanProgram *get_program(Plan *p, Arena *a, PlanPasses passes) {
    for (size_t i = 0; i < p->programs.n; i++)
        if (same_instructions(a, &p->programs.at[i]->passes, &passes)) return p->programs.at[i];
    PlanProgram *program = ARENA_NEW(a, PlanProgram);
    program->passes = passes;
    vec_push(a, &p->programs, program);
    return program;
}

static bool add_variant(Plan *p, Arena *a, const Stages *stages, size_t v, Err *err) {
    const PlanPasses *own = &p->passes;
    PlanPasses passes = {0};
    GraphBounds bounds;
    const char *why = NULL;
    Err failed = {0};
    if (!build(a, stages, v, &passes, &bounds, &failed)) why = failed.message;
    else if (!same_structure(own, &passes))
        why = "its data does not move as that of the file's own dtype does";
    if (why && v == p->graph->own_variant)
        return err_set(err, ERR_INTERNAL, NULL, "the own variant: %s", why);
    if (why) {
        vec_push(a, &p->notes,
                 (const char *)arena_printf(a, "%s is left out: %s", dtype_info(p->graph->variants[v])->torch,
                                            why));
        return true;
    }
    PlanProgram *program = get_program(p, a, passes);
    if (v == p->graph->own_variant) p->own_variant = p->variants.n;
    vec_push(a, &program->variants, p->variants.n);
    vec_push(a, &p->variants, v);
    return true;
}

static const DType *pick(Arena *a, const Plan *p, const DType *per_graph_variant) {
    DType *out = ARENA_ARRAY(a, p->variants.n, DType);
    for (size_t v = 0; v < p->variants.n; v++) out[v] = per_graph_variant[p->variants.at[v]];
    return out;
}

/* A scalar has a field of a type when any program takes it in that type. */
static void merge_scalars(Plan *p, size_t pass) {
    PlanPass *first = p->passes.at[pass];
    for (size_t i = 0; i < p->programs.n; i++)
        for (size_t k = 0; k < first->scalars.n; k++) {
            first->scalars.at[k].as_float |= p->programs.at[i]->passes.at[pass]->scalars.at[k].as_float;
            first->scalars.at[k].as_int |= p->programs.at[i]->passes.at[pass]->scalars.at[k].as_int;
        }
    for (size_t i = 1; i < p->programs.n; i++)
        for (size_t k = 0; k < first->scalars.n; k++)
            p->programs.at[i]->passes.at[pass]->scalars.at[k] = first->scalars.at[k];
}

static bool finish_pass(Arena *a, Plan *p, PlanPass *pass, Err *err) {
    pass->n_variants = p->variants.n;
    for (size_t k = 0; k < pass->access.n; k++)
        pass->access.at[k].dtype = pick(a, p, pass->access.at[k].dtype);
    return !pass->family->finish || pass->family->finish(a, pass, err);
}

/* Equalities the sizes of a call must keep are bounds in both directions. */
static void bind_equalities(Plan *p, const GraphEquals *equals) {
    for (size_t i = 0; i < equals->n; i++) {
        const GraphEqual *e = &equals->at[i];
        GraphBound up = {.small = e->x, .large = e->y, .node = e->node},
                   down = {.small = e->y, .large = e->x, .node = e->node};
        vec_push(p->bounds.arena, &p->bounds.list, up);
        vec_push(p->bounds.arena, &p->bounds.list, down);
    }
}

/* The first pass of a stage that reads what others have left. */
static void find_waits(Arena *a, Plan *p, const Stages *stages) {
    p->waits = ARENA_ARRAY(a, p->passes.n, bool);
    for (size_t i = 1; i < p->passes.n; i++)
        p->waits[i] = p->passes.at[i]->stage != p->passes.at[i - 1]->stage && stages->list.at[p->passes.at[i]->stage]->waits;
}

/* Indices name places; other tensors of wide integers hold numbers that must fit. */
static void note_int64(Arena *a, Plan *p) {
    bool any = false;
    for (size_t i = 0; i < p->passes.n; i++)
        for (size_t k = 0; k < p->passes.at[i]->access.n; k++) {
            const PlanAccess *acc = &p->passes.at[i]->access.at[k];
            DType t = acc->dtype[0];
            any |= (t == DTYPE_I64 || t == DTYPE_U64 || t == DTYPE_U32) && acc->cls != PLAN_INDEX && !acc->is_store;
        }
    if (any) vec_push(a, &p->notes, (const char *)"int64, uint64 and uint32 tensors are computed as int32: their values must fit into it");
}

Plan *plan_graph(Arena *a, const Graph *g, Err *err) {
    Plan *p = ARENA_NEW(a, Plan);
    GraphEquals equals = graph_equalities(a, g, plan_facts());
    p->graph = graph_with_simplest_sizes(a, g, &equals);
    const Stages *stages = stage_cut(a, p->graph, err);
    if (!stages || !build(a, stages, g->own_variant, &p->passes, &p->bounds, err)) return NULL;
    p->temps = stages->temps;
    for (size_t i = 0; i < stages->decisions.n; i++) vec_push(a, &p->decisions, stages->decisions.at[i]);
    find_waits(a, p, stages);
    bind_equalities(p, &equals);
    get_program(p, a, p->passes); /* the first */
    for (size_t v = 0; v < g->n_variants; v++)
        if (!add_variant(p, a, stages, v, err)) return NULL;
    for (size_t i = 0; i < p->passes.n; i++) merge_scalars(p, i);
    for (size_t k = 0; k < p->programs.n; k++)
        for (size_t i = 0; i < p->passes.n; i++)
            if (!finish_pass(a, p, p->programs.at[k]->passes.at[i], err)) return NULL;
    note_int64(a, p);
    cost_explain(a, p);
    return plan_check(p, err) ? p : NULL;
}

const PlanPass *plan_pass(const Plan *p, size_t i, size_t v) {
    for (size_t k = 0; k < p->programs.n; k++)
        for (size_t w = 0; w < p->programs.at[k]->variants.n; w++)
            if (p->programs.at[k]->variants.at[w] == v) return p->programs.at[k]->passes.at[i];
    return p->passes.at[i];
}

/* ---- check
 * ------------------------------------------------------------------------------------------------------- */

static bool same_place(Place x, Place y) {
    return x.kind == y.kind && x.index == y.index;
}

/* Is x the queue buffer of a load still to come? A gathered operand may go into the buffer of one that is
 * done with. */
static bool is_loaded_later(const PlanPass *p, size_t t, Place x) {
    for (; t < p->n_steps; t++)
        if (kir_is_load(p->kir->insns.at[p->steps[t].insn].op) && same_place(p->steps[t].dst, x) &&
            p->kir->insns.at[p->steps[t].insn].mode == x.index)
            return true;
    return false;
}

/* What is stored must stay in the buffer until it is copied out. */
static bool check_stores(const PlanPass *p, Err *err) {
    for (size_t t = 0; t < p->n_steps; t++) {
        if (!kir_is_store(p->kir->insns.at[p->steps[t].insn].op)) continue;
        for (size_t u = t + 1; u < p->n_steps; u++)
            if (same_place(p->steps[u].dst, p->steps[t].dst))
                return err_set(err, ERR_INTERNAL, NULL, "step %zu overwrites what step %zu has stored", u, t);
    }
    return true;
}

/* Runs the steps on a map from places to values: each source must still be where the step looks for it. */
static bool check_pass(const PlanPass *p, Err *err) {
    Arena *a = arena_new();
    const Kir *k = p->kir;
    VEC(Place) places = {0};
    VEC(KirVal) holds = {0};
    KirVal *root = ARENA_ARRAY(a, k->insns.n, KirVal);
    for (uint32_t i = 0; i < k->insns.n; i++) {
        const KirOpInfo *info = kir_op_info(k->insns.at[i].op);
        root[i] = info->call && !info->call[0] ? root[k->insns.at[i].src[0]] : i;
    }
    bool ok = true;
    for (size_t t = 0; ok && t < p->n_steps; t++) {
        const PlanStep *st = &p->steps[t];
        const KirInsn *in = &k->insns.at[st->insn];
        for (int s = 0; ok && s < kir_op_info(in->op)->n_src; s++) {
            size_t i = 0;
            while (i < places.n && !same_place(places.at[i], st->src[s])) i++;
            if (i == places.n || holds.at[i] != root[in->src[s]])
                ok = err_set(err, ERR_INTERNAL, NULL, "step %zu (%s): source %d is not in its place", t,
                             kir_op_info(in->op)->name, s);
        }
        if (kir_is_store(in->op)) continue;
        if (st->dst.kind == PLACE_IN && !kir_is_load(in->op) && is_loaded_later(p, t, st->dst))
            ok = err_set(err, ERR_INTERNAL, NULL, "step %zu (%s): overwrites an input that is not used yet",
                         t, kir_op_info(in->op)->name);
        size_t i = 0;
        while (i < places.n && !same_place(places.at[i], st->dst)) i++;
        if (i == places.n) {
            vec_push(a, &places, st->dst);
            vec_push(a, &holds, root[st->insn]);
        }
        holds.at[i] = root[st->insn];
    }
    arena_free(a);
    return ok;
}

bool plan_check_places(const PlanPass *p, Err *err) {
    return check_pass(p, err) && check_stores(p, err);
}

bool plan_check(const Plan *p, Err *err) {
    for (size_t k = 0; k < p->programs.n; k++)
        for (size_t i = 0; i < p->passes.n; i++) {
            const PlanPass *pass = p->programs.at[k]->passes.at[i];
            if (pass->family->check && !pass->family->check(pass, err)) return false;
        }
    return true;
}

/* ---- text
 * -------------------------------------------------------------------------------------------------------- */

static void print_place(StrBuf *sb, const PlanPass *p, Place x) {
    static const char *const PREFIX[] = {"?", "", "", "t", "k", "m", "km", "h"};
    if (x.kind == PLACE_IN || x.kind == PLACE_OUT) strbuf_add(sb, p->access.at[x.index].name);
    else strbuf_printf(sb, "%s%u", PREFIX[x.kind], x.index);
}

static void print_access(StrBuf *sb, const Plan *p, const PlanAccess *acc) {
    const char *const *sym = p->graph->symbol_names;
    strbuf_printf(sb, "  %s %s: %s of %s, offset %s, strides", acc->is_store ? "store" : "load", acc->name,
                  plan_class_name(acc->cls), acc->tensor_name,
                  size_print(sb->arena, acc->view.offset, sym, SIZE_PYTHON));
    for (uint32_t d = 0; d < acc->view.shape.rank; d++)
        strbuf_printf(sb, " %s", size_print(sb->arena, acc->view.stride[d], sym, SIZE_PYTHON));
    strbuf_add(sb, "\n");
}

static void print_step(StrBuf *sb, const PlanPass *p, const PlanStep *st) {
    const KirInsn *in = &p->kir->insns.at[st->insn];
    const KirOpInfo *info = kir_op_info(in->op);
    strbuf_add(sb, "  ");
    print_place(sb, p, st->dst);
    strbuf_printf(sb, " = %s", info->name);
    for (int s = 0; s < info->n_src; s++) {
        strbuf_add(sb, " ");
        print_place(sb, p, st->src[s]);
    }
    if (info->has_scalar && in->scalar.is_runtime)
        strbuf_printf(sb, " %s%s", in->scalar.negate ? "-" : "", p->scalars.at[in->scalar.index].name);
    else if (info->has_scalar) strbuf_printf(sb, " %.9g", in->scalar.value);
    if (kir_mode_text(in->op, in->mode)) strbuf_printf(sb, " %s", kir_mode_text(in->op, in->mode));
    strbuf_add(sb, "\n");
}

void plan_print_tiles(StrBuf *sb, const Plan *p, const PlanPass *pass, size_t index) {
    strbuf_printf(sb, "pass %zu: %s [", index, pass->schedule == PLAN_FLAT ? "flat" : "rows");
    for (uint32_t d = 0; d < pass->space.rank; d++)
        strbuf_printf(sb, "%s%s", d ? ", " : "",
                      size_print(sb->arena, pass->space.dim[d], p->graph->symbol_names, SIZE_PYTHON));
    strbuf_printf(sb, "], %u work, %u keep, %u mask, %u half\n", pass->n_work, pass->n_keep,
                  pass->n_mask + pass->n_keep_mask, pass->n_half);
    for (size_t k = 0; k < pass->access.n; k++) print_access(sb, p, &pass->access.at[k]);
    for (size_t t = 0; t < pass->n_steps; t++) print_step(sb, pass, &pass->steps[t]);
}

char *plan_print(const Plan *p, Arena *a) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t k = 0; k < p->programs.n; k++) {
        strbuf_add(&sb, "program for");
        for (size_t w = 0; w < p->programs.at[k]->variants.n; w++)
            strbuf_printf(
                &sb, " %s",
                dtype_info(p->graph->variants[p->variants.at[p->programs.at[k]->variants.at[w]]])->torch);
        strbuf_add(&sb, "\n");
        for (size_t i = 0; i < p->passes.n; i++) {
            const PlanPass *pass = p->programs.at[k]->passes.at[i];
            pass->family->print(&sb, p, pass, i);
        }
    }
    return sb.text;
}
