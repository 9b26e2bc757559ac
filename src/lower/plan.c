/* A plan: variants that one text can serve, passes lowered, spaced and given places; text form and rules. */
#include "lower/plan_int.h"

#include "base/strbuf.h"

#include <stdio.h>
#include <string.h>

const char *plan_class_name(PlanClass c) {
    static const char *const NAMES[PLAN_N_CLASSES] = {[PLAN_LINE] = "line",     [PLAN_NUMBER] = "number",
                                                      [PLAN_ROW] = "row",       [PLAN_VECTOR] = "vector",
                                                      [PLAN_COLUMN] = "column", [PLAN_STRIDED] = "strided"};
    return NAMES[c];
}

static bool build(Arena *a, const Graph *g, size_t variant, PlanPasses *passes, GraphBounds *bounds, Err *err) {
    *bounds = (GraphBounds){.arena = a};
    if (!plan_lower(a, g, variant, passes, bounds, err)) return false;
    for (size_t i = 0; i < passes->n; i++)
        if (!plan_space(a, passes->at[i], err)) return false;
    return true;
}

/* One kernel text serves two variants when the instructions and accesses are the same. */
static bool same_passes(Arena *a, const PlanPasses *x, const PlanPasses *y) {
    if (x->n != y->n) return false;
    for (size_t i = 0; i < x->n; i++) {
        const PlanPass *p = x->at[i], *q = y->at[i];
        if (p->access.n != q->access.n || p->scalars.n != q->scalars.n) return false;
        if (strcmp(kir_print(p->kir, a), kir_print(q->kir, a)) != 0) return false;
    }
    return true;
}

static bool keep_variant(Plan *p, Arena *a, size_t v, const PlanPasses *own, Err *err) {
    PlanPasses passes = {0};
    GraphBounds bounds;
    const char *name = dtype_info(p->graph->variants[v])->torch, *why = NULL;
    Err failed = {0};
    if (v == p->graph->own_variant) return true;
    if (!build(a, p->graph, v, &passes, &bounds, &failed))
        why = arena_printf(a, "%s", failed.message);
    else if (!same_passes(a, own, &passes))
        why = "it computes in another way than the file's own dtype does";
    if (why) vec_push(a, &p->notes, (const char *)arena_printf(a, "%s is left out: %s", name, why));
    (void)err;
    return !why;
}

static const DType *pick(Arena *a, const Plan *p, const DType *per_graph_variant) {
    DType *out = ARENA_ARRAY(a, p->variants.n, DType);
    for (size_t v = 0; v < p->variants.n; v++) out[v] = per_graph_variant[p->variants.at[v]];
    return out;
}

Plan *plan_graph(Arena *a, const Graph *g, Err *err) {
    Plan *p = ARENA_NEW(a, Plan);
    p->graph = g;
    if (!build(a, g, g->own_variant, &p->passes, &p->bounds, err)) return NULL;
    for (size_t v = 0; v < g->n_variants; v++) {
        if (!keep_variant(p, a, v, &p->passes, err)) continue;
        if (v == g->own_variant) p->own_variant = p->variants.n;
        vec_push(a, &p->variants, v);
    }
    for (size_t i = 0; i < p->passes.n; i++) {
        PlanPass *pass = p->passes.at[i];
        for (size_t k = 0; k < pass->access.n; k++) pass->access.at[k].dtype = pick(a, p, pass->access.at[k].dtype);
        if (!plan_slots(a, pass, err)) return NULL;
    }
    return plan_check(p, err) ? p : NULL;
}

/* ---- check ------------------------------------------------------------------------------------------------------- */

static bool same_place(Place x, Place y) { return x.kind == y.kind && x.index == y.index; }

static bool is_loaded_later(const PlanPass *p, size_t t, Place x) {
    for (; t < p->n_steps; t++)
        if (kir_is_load(p->kir->insns.at[p->steps[t].insn].op) && same_place(p->steps[t].dst, x)) return true;
    return false;
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
                ok = err_set(err, ERR_INTERNAL, NULL, "step %zu (%s): source %d is not in its place", t, kir_op_info(in->op)->name, s);
        }
        if (kir_is_store(in->op)) continue;
        if (st->dst.kind == PLACE_IN && !kir_is_load(in->op) && is_loaded_later(p, t, st->dst))
            ok = err_set(err, ERR_INTERNAL, NULL, "step %zu (%s): overwrites an input that is not used yet", t, kir_op_info(in->op)->name);
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

bool plan_check(const Plan *p, Err *err) {
    for (size_t i = 0; i < p->passes.n; i++)
        if (!check_pass(p->passes.at[i], err)) return false;
    return true;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_place(StrBuf *sb, const PlanPass *p, Place x) {
    static const char *const PREFIX[] = {"?", "", "", "t", "k", "m", "km", "h"};
    if (x.kind == PLACE_IN || x.kind == PLACE_OUT)
        strbuf_add(sb, p->access.at[x.index].name);
    else
        strbuf_printf(sb, "%s%u", PREFIX[x.kind], x.index);
}

static void print_access(StrBuf *sb, const Plan *p, const PlanAccess *acc) {
    const char *const *sym = p->graph->symbol_names;
    strbuf_printf(sb, "  %s %s: %s of %s, offset %s, strides", acc->is_store ? "store" : "load", acc->name, plan_class_name(acc->cls),
                  acc->tensor_name, size_print(sb->arena, acc->view.offset, sym, SIZE_PYTHON));
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
    else if (info->has_scalar)
        strbuf_printf(sb, " %.9g", in->scalar.value);
    if (kir_mode_text(in->op, in->mode)) strbuf_printf(sb, " %s", kir_mode_text(in->op, in->mode));
    strbuf_add(sb, "\n");
}

char *plan_print(const Plan *p, Arena *a) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < p->passes.n; i++) {
        const PlanPass *pass = p->passes.at[i];
        strbuf_printf(&sb, "pass %zu: %s [", i, pass->schedule == PLAN_FLAT ? "flat" : "rows");
        for (uint32_t d = 0; d < pass->space.rank; d++)
            strbuf_printf(&sb, "%s%s", d ? ", " : "", size_print(a, pass->space.dim[d], p->graph->symbol_names, SIZE_PYTHON));
        strbuf_printf(&sb, "], %u work, %u keep, %u mask, %u half\n", pass->n_work, pass->n_keep, pass->n_mask + pass->n_keep_mask, pass->n_half);
        for (size_t k = 0; k < pass->access.n; k++) print_access(&sb, p, &pass->access.at[k]);
        for (size_t t = 0; t < pass->n_steps; t++) print_step(&sb, pass, &pass->steps[t]);
    }
    return sb.text;
}
