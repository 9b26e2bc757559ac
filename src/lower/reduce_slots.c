/* Places of values in UB: a linear scan over the sections in order. What a loop finds from before stays to
 * the loop's end; what later phases find from earlier ones keeps its slot to its last use. */
#include "lower/reduce_int.h"

#include <string.h>

/* A stretch of time in which a value needs its slot: one for values that stay, else one for each phase. */
typedef struct Live {
    KirVal v;
    uint32_t section; /* UINT32_MAX: stays */
    uint32_t start, end;
    ReducePlace place;
} Live;

typedef struct Slot {
    ReducePlace place;
    uint32_t busy_to;
    bool busy;
} Slot;

typedef struct Alloc {
    Arena *a;
    PlanPass *p;
    ReducePlan *r;
    const Kir *k;
    KirVal *root;
    bool *stays;
    VEC(Live) live;
    VEC(Slot) slots;
    uint32_t *first_at, *end_at; /* per section: positions of its steps */
} Alloc;

static const KirInsn *insn(const Alloc *al, KirVal v) {
    return &al->k->insns.at[v];
}

static bool is_view(const KirOpInfo *info) {
    return info->call && !info->call[0];
}

static bool is_final(KirOp op) {
    return op == KIR_FINAL_F || op == KIR_FINAL_I;
}

static bool is_carry(KirOp op) {
    return op == KIR_CARRY_F || op == KIR_CARRY_I;
}

static bool is_tile_op(KirOp op) {
    return op >= KIR_TSUM_F && op <= KIR_TPROD_I;
}

static SlotKind kind_of(const Alloc *al, KirVal v) {
    KirType t = kir_type(al->k, v);
    switch (al->r->shape_of[v]) {
    case SHAPE_TILE:
        return kir_type_bits(t) == 32 ? SLOT_TILE : kir_type_bits(t) == 1 ? SLOT_MASK : SLOT_HALF;
    case SHAPE_COLS:
        return SLOT_COLS;
    case SHAPE_BLOCKS:
    case SHAPE_BLOCK:
        return SLOT_BLOCKS;
    default:
        return SLOT_ROWS;
    }
}

static void find_roots(Alloc *al) {
    size_t n = al->k->insns.n;
    al->root = ARENA_ARRAY(al->a, n, KirVal);
    for (KirVal v = 0; v < n; v++) {
        const KirInsn *in = insn(al, v);
        al->root[v] = is_final(in->op) || is_view(kir_op_info(in->op)) ? al->root[in->src[0]] : v;
    }
}

/* Values of the loop that a later phase finds in UB. */
static void find_staying(Alloc *al) {
    al->stays = ARENA_ARRAY(al->a, al->k->insns.n, bool);
    for (uint32_t s = 1; s < 2 * al->r->n_phases; s += 2) {
        const ReduceSection *sec = &al->r->section[s];
        bool *again = ARENA_ARRAY(al->a, al->k->insns.n, bool);
        for (size_t t = 0; t < sec->n; t++) again[sec->at[t].insn] = sec->at[t].again;
        for (size_t t = 0; t < sec->n; t++) {
            const KirInsn *in = insn(al, sec->at[t].insn);
            if (kir_is_load(in->op) && sec->at[t].again) al->stays[sec->at[t].insn] = true;
            if (sec->at[t].again) continue;
            for (int i = 0; i < kir_op_info(in->op)->n_src; i++)
                if (again[in->src[i]]) al->stays[in->src[i]] = al->stays[al->root[in->src[i]]] = true;
        }
    }
}

static Live *find_live(Alloc *al, KirVal v, uint32_t section) {
    uint32_t key = !al->r->loop_of[v] || al->stays[v] ? UINT32_MAX : section;
    for (size_t i = 0; i < al->live.n; i++)
        if (al->live.at[i].v == v && al->live.at[i].section == key) return &al->live.at[i];
    Live l = {.v = v, .section = key, .start = UINT32_MAX};
    vec_push(al->a, &al->live, l);
    return &al->live.at[al->live.n - 1];
}

static void use(Alloc *al, KirVal v, uint32_t section, uint32_t pos) {
    Live *l = find_live(al, v, section);
    if (l->end < pos) l->end = pos;
    bool from_before = l->start != UINT32_MAX && l->start < al->first_at[section];
    if (section % 2 && from_before && l->end < al->end_at[section]) l->end = al->end_at[section];
}

static void find_lives(Alloc *al) {
    uint32_t n = 2 * al->r->n_phases + 1, pos = 0;
    al->first_at = ARENA_ARRAY(al->a, n, uint32_t);
    al->end_at = ARENA_ARRAY(al->a, n, uint32_t);
    for (uint32_t s = 0; s < n; s++) {
        al->first_at[s] = pos;
        pos += (uint32_t)al->r->section[s].n + 1;
        al->end_at[s] = pos - 1;
    }
    for (uint32_t s = 0; s < n; s++)
        for (size_t t = 0; t < al->r->section[s].n; t++) {
            const ReduceStep *st = &al->r->section[s].at[t];
            const KirInsn *in = insn(al, st->insn);
            uint32_t at = al->first_at[s] + (uint32_t)t;
            KirVal r = al->root[st->insn];
            if (st->joins) {
                use(al, al->root[in->src[1]], s, at);
                use(al, r, s, at);
                continue;
            }
            for (int i = 0; i < kir_op_info(in->op)->n_src; i++) use(al, al->root[in->src[i]], s, at);
            if (kir_is_store(in->op) || r != st->insn) continue;
            Live *l = find_live(al, r, s);
            if (l->start == UINT32_MAX) l->start = at;
            if (l->end < at) l->end = at;
        }
}

/* ---- slots
 * ------------------------------------------------------------------------------------------------------- */

static bool same_place(ReducePlace x, ReducePlace y) {
    return x.kind == y.kind && x.index == y.index;
}

static Slot *slot_at(Alloc *al, ReducePlace p) {
    for (size_t i = 0; i < al->slots.n; i++)
        if (same_place(al->slots.at[i].place, p)) return &al->slots.at[i];
    Slot s = {.place = p};
    vec_push(al->a, &al->slots, s);
    return &al->slots.at[al->slots.n - 1];
}

static void occupy(Slot *s, uint32_t to) {
    s->busy = true;
    s->busy_to = to;
}

static ReducePlace free_slot(Alloc *al, SlotKind kind, uint32_t pos, uint32_t to) {
    for (size_t i = 0; i < al->slots.n; i++) {
        Slot *s = &al->slots.at[i];
        if (s->place.kind != kind || (s->busy && s->busy_to >= pos)) continue;
        occupy(s, to);
        return s->place;
    }
    ReducePlace p = {kind, al->r->n_slots[kind]++};
    occupy(slot_at(al, p), to);
    return p;
}

/* The place of a source that dies here and that the instruction may write over. */
static bool take_source(Alloc *al, const KirInsn *in, const Live *l, uint32_t section, uint32_t pos,
                        ReducePlace *out) {
    const KirOpInfo *info = kir_op_info(in->op);
    for (int i = 0; info->in_place && i < info->n_src; i++) {
        KirVal r = al->root[in->src[i]];
        const Live *its = find_live(al, r, section);
        if (its->end != pos || al->r->shape_of[r] != al->r->shape_of[l->v] || is_carry(insn(al, r)->op))
            continue;
        if (kir_type_bits(kir_type(al->k, r)) != kir_type_bits(kir_type(al->k, l->v))) continue;
        if (its->place.kind == SLOT_OUT || (its->place.kind == SLOT_IN && al->stays[l->v])) continue; /* what is stored stays as it is */
        *out = its->place;
        return true;
    }
    return false;
}

/* The store that takes value v in this section right from where it is computed. */
static const ReduceStep *store_of(const Alloc *al, KirVal v, uint32_t section) {
    const ReduceSection *sec = &al->r->section[section];
    for (size_t t = 0; t < sec->n; t++) {
        const KirInsn *in = insn(al, sec->at[t].insn);
        if (kir_is_store(in->op) && in->op != KIR_STORE_M && al->root[in->src[0]] == v) return &sec->at[t];
    }
    return NULL;
}

static bool in_output(Alloc *al, const Live *l, uint32_t section, ReducePlace *out) {
    if (section % 2 == 0 || al->stays[l->v] || kind_of(al, l->v) != SLOT_TILE) return false;
    const ReduceStep *st = store_of(al, l->v, section);
    if (!st) return false;
    uint32_t access = insn(al, st->insn)->mode;
    PlanAccess *acc = &al->p->access.at[access];
    if (acc->in_place || acc->dtype[0] == DTYPE_I64) return false;
    acc->in_place = acc->slot_used = true;
    *out = (ReducePlace){SLOT_OUT, access};
    return true;
}

static void place_value(Alloc *al, KirVal v, uint32_t section, uint32_t pos) {
    Live *l = find_live(al, v, section);
    const KirInsn *in = insn(al, v);
    ReducePlace p;
    if (l->place.kind != SLOT_NONE) return; /* computed again in its own slot */
    if (kir_is_load(in->op) && kind_of(al, v) == SLOT_TILE) {
        p = (ReducePlace){SLOT_IN, in->mode};
        al->p->access.at[in->mode].slot_used = true;
    } else if (in_output(al, l, section, &p) || take_source(al, in, l, section, pos, &p)) {
    } else {
        l = find_live(al, v, section);
        p = free_slot(al, kind_of(al, v), pos, l->end);
    }
    l = find_live(al, v, section);
    l->place = p;
    occupy(slot_at(al, p), l->end);
}

/* Folding halves a tile again and again; it may destroy a source that dies and is not stored. */
static void place_fold(Alloc *al, ReduceStep *st, uint32_t section, uint32_t pos) {
    KirVal src = al->root[insn(al, st->insn)->src[0]];
    const Live *l = find_live(al, src, section);
    st->fold_in_place = l->end == pos && l->place.kind != SLOT_OUT;
    st->fold = st->fold_in_place ? l->place : free_slot(al, SLOT_TILE, pos, pos);
}

/* A carry that only its sum uses is added to where it is. */
static bool is_direct(const Alloc *al, KirVal next, KirVal carry) {
    const KirInsn *in = insn(al, next);
    size_t uses = 0;
    if (!kir_op_info(in->op)->in_place || (in->src[0] != carry && in->src[1] != carry)) return false;
    for (KirVal v = 0; v < al->k->insns.n; v++) {
        const KirInsn *other = insn(al, v);
        for (int i = 0; i < kir_op_info(other->op)->n_src; i++) {
            uses += other->src[i] == carry && !is_final(other->op);
            if (other->src[i] == next && !is_final(other->op)) return false;
        }
    }
    return uses == 1;
}

static void join_directly(Alloc *al) {
    for (uint32_t s = 1; s < 2 * al->r->n_phases; s += 2) {
        ReduceSection *sec = &al->r->section[s];
        size_t n = 0;
        for (size_t t = 0; t < sec->n; t++) {
            const KirInsn *in = insn(al, sec->at[t].insn);
            bool direct = sec->at[t].joins && is_direct(al, in->src[1], in->src[0]);
            if (direct) al->root[in->src[1]] = in->src[0];
            else sec->at[n++] = sec->at[t];
        }
        sec->n = n;
    }
}

static void scan(Alloc *al) {
    for (uint32_t s = 0; s < 2 * al->r->n_phases + 1; s++)
        for (size_t t = 0; t < al->r->section[s].n; t++) {
            ReduceStep *st = &al->r->section[s].at[t];
            const KirInsn *in = insn(al, st->insn);
            uint32_t pos = al->first_at[s] + (uint32_t)t;
            if (is_tile_op(in->op)) place_fold(al, st, s, pos);
            if (!st->joins && !kir_is_store(in->op) && al->root[st->insn] == st->insn)
                place_value(al, st->insn, s, pos);
            for (int i = 0; i < kir_op_info(in->op)->n_src; i++)
                st->src[i] = find_live(al, al->root[in->src[i]], s)->place;
            st->dst = kir_is_store(in->op) ? (ReducePlace){SLOT_OUT, in->mode}
                                           : find_live(al, al->root[st->insn], s)->place;
        }
}

static void drop_views(ReducePlan *r, const Kir *k) {
    for (uint32_t s = 0; s < 2 * r->n_phases + 1; s++) {
        size_t n = 0;
        for (size_t t = 0; t < r->section[s].n; t++)
            if (!is_view(kir_op_info(k->insns.at[r->section[s].at[t].insn].op)))
                r->section[s].at[n++] = r->section[s].at[t];
        r->section[s].n = n;
    }
}

static void find_extras(PlanPass *p, ReducePlan *r) {
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        r->half_scratch |= acc->dtype[0] == DTYPE_BOOL && acc->cls != PLAN_NUMBER;
        r->reserved_ub |= acc->is_store && acc->dtype[0] == DTYPE_BOOL;
        r->holds[i] =
            !acc->is_store && r->first_phase[i] != UINT32_MAX && r->last_phase[i] > r->first_phase[i];
    }
    for (size_t i = 0; i < p->kir->insns.n; i++)
        r->reserved_ub |= kir_op_info(p->kir->insns.at[i].op)->wants_reserved_ub;
    p->reserved_ub = r->reserved_ub;
}

bool reduce_slots(Arena *a, PlanPass *p, Err *err) {
    Alloc al = {.a = a, .p = p, .r = p->own, .k = p->kir};
    if (!kir_check(p->kir, err)) return false;
    find_extras(p, al.r);
    if (al.r->half_scratch) al.r->n_slots[SLOT_HALF] = 1;
    find_roots(&al);
    join_directly(&al);
    find_staying(&al);
    find_lives(&al);
    scan(&al);
    drop_views(al.r, p->kir);
    return true;
}

/* ---- UB
 * ----------------------------------------------------------------------------------------------------------
 */

static bool can_be_narrow(const PlanPass *p, const PlanAccess *acc) {
    if (acc->slot_used && acc->dtype[0] == DTYPE_I64) return true; /* computed as int32 */
    if (!acc->slot_used || dtype_info(acc->dtype[0])->cls != DTYPE_CLASS_F) return false;
    for (size_t v = 0; v < p->n_variants; v++)
        if (dtype_info(acc->dtype[v])->size_bytes != 4) return true;
    return false;
}

uint32_t reduce_narrow_slot(const PlanPass *p, const PlanAccess *acc) {
    uint32_t n = reduce_plan(p)->n_slots[SLOT_TILE];
    if (!can_be_narrow(p, acc)) return UINT32_MAX;
    for (const PlanAccess *before = p->access.at; before < acc; before++) n += can_be_narrow(p, before);
    return n;
}

uint32_t reduce_n_tiles(const PlanPass *p, size_t v) {
    uint32_t n = 0;
    bool narrow = false;
    for (size_t i = 0; i < p->access.n; i++) {
        if (!can_be_narrow(p, &p->access.at[i])) continue;
        n++;
        narrow |= dtype_info(p->access.at[i].dtype[v])->size_bytes != 4;
    }
    return reduce_plan(p)->n_slots[SLOT_TILE] + (narrow ? n : 0);
}

ReduceUb reduce_ub(const PlanPass *p, size_t v) {
    const ReducePlan *r = reduce_plan(p);
    ReduceUb ub = {.tile_bits = 32 * (uint64_t)reduce_n_tiles(p, v) + r->n_slots[SLOT_MASK] +
                                16 * (uint64_t)r->n_slots[SLOT_HALF],
                   .col_bytes = 4 * (uint64_t)r->n_slots[SLOT_COLS],
                   .row_bytes = 4 * (uint64_t)r->n_slots[SLOT_ROWS] + 32 * (uint64_t)r->n_slots[SLOT_BLOCKS]};
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (acc->cls != PLAN_NUMBER && reduce_access_shape(p, acc) == SHAPE_TILE)
            ub.tile_bits += 2 * 8 * (uint64_t)dtype_info(acc->dtype[v])->size_bytes;
    }
    return ub;
}

/* ---- text
 * -------------------------------------------------------------------------------------------------------- */

static void print_place(StrBuf *sb, const PlanPass *p, ReducePlace x) {
    static const char *const PREFIX[SLOT_N] = {"-", "", "", "t", "m", "h", "c", "r", "b"};
    if (x.kind == SLOT_IN || x.kind == SLOT_OUT) strbuf_add(sb, p->access.at[x.index].name);
    else strbuf_printf(sb, "%s%u", PREFIX[x.kind], x.index);
}

static void print_step(StrBuf *sb, const PlanPass *p, const ReduceStep *st) {
    const KirInsn *in = &p->kir->insns.at[st->insn];
    const KirOpInfo *info = kir_op_info(in->op);
    strbuf_printf(sb, "    %s", st->again ? "again " : "");
    print_place(sb, p, st->dst);
    strbuf_printf(sb, " = %s", info->name);
    for (int s = 0; s < info->n_src; s++) {
        strbuf_add(sb, " ");
        print_place(sb, p, st->src[s]);
    }
    if (info->has_scalar && in->scalar.is_runtime)
        strbuf_printf(sb, " %s%s", in->scalar.negate ? "-" : "", p->scalars.at[in->scalar.index].name);
    else if (info->has_scalar) strbuf_printf(sb, " %.9g", in->scalar.value);
    if (st->fold.kind != SLOT_NONE) {
        strbuf_add(sb, " by ");
        print_place(sb, p, st->fold);
    }
    strbuf_add(sb, "\n");
}

void reduce_print(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index) {
    static const char *const AXES[] = {"columns", "rows", "rows and columns"};
    const ReducePlan *r = reduce_plan(p);
    strbuf_printf(sb, "pass %zu: reduce %s [", index, AXES[r->axis]);
    for (uint32_t d = 0; d < p->space.rank; d++)
        strbuf_printf(sb, "%s%s%s", d ? ", " : "",
                      size_print(sb->arena, p->space.dim[d], plan->graph->symbol_names, SIZE_PYTHON),
                      r->reduced[d] ? "*" : "");
    strbuf_printf(sb, "], %u phases, %u tile, %u mask, %u cols, %u rows, %u blocks\n", r->n_phases,
                  r->n_slots[SLOT_TILE], r->n_slots[SLOT_MASK], r->n_slots[SLOT_COLS], r->n_slots[SLOT_ROWS],
                  r->n_slots[SLOT_BLOCKS]);
    for (uint32_t s = 0; s < 2 * r->n_phases + 1; s++) {
        if (s % 2) strbuf_printf(sb, "  phase %u\n", s / 2 + 1);
        else strbuf_add(sb, "  item\n");
        for (size_t t = 0; t < r->section[s].n; t++) print_step(sb, p, &r->section[s].at[t]);
    }
}
