/* Execution order and places in UB: linear scan over the KIR, results in place of a source that dies where
 * the instruction allows it.
 *
 * Slots of 32 bits are of three origins. A work slot is a piece of a work buffer. The slot of a load access
 * is its queue buffer when the tensor has 32-bit elements, and a work slot of its own when the kernel is
 * built for a 16-bit type; the slot of a store access likewise. One allocation thus serves every dtype:
 * between the last use of a load and the end of the tile its slot holds other values, and so does the slot of
 * a store before its value is computed. */
#include "lower/plan_int.h"

#include <string.h>

typedef struct Slot {
    Place place;
    uint32_t busy_to; /* step of the last use of what it holds now; 0 when free */
    bool is_busy;
    uint32_t reserved_from; /* step from which it belongs to the value it was made for; UINT32_MAX: none */
} Slot;

typedef VEC(Slot) Slots;

typedef struct Alloc {
    Arena *a;
    PlanPass *p;
    KirVal *order; /* instruction of each step */
    uint32_t n_steps;
    KirVal *root;         /* value whose memory this one is */
    uint32_t *def, *last; /* per root: step of definition and of last use */
    Place *place;         /* per root */
    Slots slots[3];       /* 32 bits, masks, 16 bits */
} Alloc;

enum { CLASS_32, CLASS_MASK, CLASS_HALF };

static int class_of(KirType t) {
    return kir_type_bits(t) == 32 ? CLASS_32 : kir_type_bits(t) == 1 ? CLASS_MASK : CLASS_HALF;
}

static const KirInsn *insn(const Alloc *al, KirVal v) {
    return &al->p->kir->insns.at[v];
}

bool plan_is_converted_int(DType t) {
    return kir_type_of_dtype(t) == KIR_I32 && !plan_is_wide(t);
}

bool plan_is_small_int(DType t) {
    return kir_type_of_dtype(t) == KIR_I32 && dtype_info(t)->size_bytes <= 2;
}

bool plan_is_wide(DType t) {
    return dtype_info(t)->size_bytes == 4;
}

/* ---- order
 * ------------------------------------------------------------------------------------------------------- */

/* Loads sink to just before their first use, stores rise to just after their value. Values stored after being
 * computed keep the order of the KIR otherwise. */
static void make_order(Alloc *al) {
    const Kir *k = al->p->kir;
    size_t n = k->insns.n;
    bool *done = ARENA_ARRAY(al->a, n, bool);
    al->order = ARENA_ARRAY(al->a, n, KirVal);
    for (uint32_t i = 0; i < n; i++) {
        const KirInsn *in = &k->insns.at[i];
        if (kir_is_load(in->op) || kir_is_store(in->op)) continue;
        for (int s = 0; s < kir_op_info(in->op)->n_src; s++)
            if (kir_is_load(k->insns.at[in->src[s]].op) && !done[in->src[s]]) {
                al->order[al->n_steps++] = in->src[s];
                done[in->src[s]] = true;
            }
        al->order[al->n_steps++] = i;
        done[i] = true;
        for (uint32_t j = i + 1; j < n; j++)
            if (kir_is_store(k->insns.at[j].op) && k->insns.at[j].src[0] == i) {
                al->order[al->n_steps++] = j;
                done[j] = true;
            }
    }
    for (uint32_t i = 0; i < n; i++) /* loads that are stored as they are */
        if (!done[i]) al->order[al->n_steps++] = i;
}

static void find_lifetimes(Alloc *al) {
    size_t n = al->p->kir->insns.n;
    al->root = ARENA_ARRAY(al->a, n, KirVal);
    al->def = ARENA_ARRAY(al->a, n, uint32_t);
    al->last = ARENA_ARRAY(al->a, n, uint32_t);
    al->place = ARENA_ARRAY(al->a, n, Place);
    for (uint32_t i = 0; i < n; i++) {
        const KirOpInfo *info = kir_op_info(insn(al, i)->op);
        bool is_view = info->call && !info->call[0];
        al->root[i] = is_view ? al->root[insn(al, i)->src[0]] : i;
    }
    for (uint32_t t = 0; t < al->n_steps; t++) {
        KirVal v = al->order[t];
        const KirInsn *in = insn(al, v);
        if (al->root[v] == v) al->def[v] = al->last[v] = t;
        for (int s = 0; s < kir_op_info(in->op)->n_src; s++) al->last[al->root[in->src[s]]] = t;
    }
}

/* ---- slots
 * ------------------------------------------------------------------------------------------------------- */

static Slot *new_slot(Alloc *al, int cls, PlaceKind kind, uint32_t index) {
    Slot s = {.place = {kind, index}, .reserved_from = UINT32_MAX};
    vec_push(al->a, &al->slots[cls], s);
    return &al->slots[cls].at[al->slots[cls].n - 1];
}

static uint32_t *work_counter(Alloc *al, int cls) {
    return cls == CLASS_32 ? &al->p->n_work : cls == CLASS_MASK ? &al->p->n_mask : &al->p->n_half;
}

/* May the result of step t, needed until `last`, go into slot s? `dying` says that what the slot holds is
 * read by step t for the last time and the instruction may write over it. */
static bool fits(const Alloc *al, const Slot *s, uint32_t t, uint32_t last, bool in_place) {
    if (s->is_busy && (s->busy_to > t || (s->busy_to == t && !in_place))) return false;
    if (s->reserved_from == UINT32_MAX || last < s->reserved_from) return true;
    if (last > s->reserved_from) return false;
    return kir_op_info(insn(al, al->order[s->reserved_from])->op)->in_place;
}

static void occupy(Alloc *al, Slot *s, KirVal v) {
    s->is_busy = true;
    s->busy_to = al->last[v];
    al->place[v] = s->place;
}

static Slot *find_slot(Alloc *al, int cls, Place p) {
    for (size_t i = 0; i < al->slots[cls].n; i++)
        if (memcmp(&al->slots[cls].at[i].place, &p, sizeof p) == 0) return &al->slots[cls].at[i];
    return NULL;
}

/* A slot for the result of step t: that of a dying source, else any free one, else a new work slot. */
static void allocate(Alloc *al, uint32_t t, KirVal v) {
    const KirInsn *in = insn(al, v);
    const KirOpInfo *info = kir_op_info(in->op);
    int cls = class_of(info->type);
    for (int s = 0; info->in_place && s < info->n_src; s++) {
        KirVal src = al->root[in->src[s]];
        Slot *slot = class_of(kir_type(al->p->kir, src)) == cls ? find_slot(al, cls, al->place[src]) : NULL;
        if (slot && al->last[src] == t && fits(al, slot, t, al->last[v], true)) {
            occupy(al, slot, v);
            return;
        }
    }
    for (size_t i = 0; i < al->slots[cls].n; i++)
        if (fits(al, &al->slots[cls].at[i], t, al->last[v], false)) {
            occupy(al, &al->slots[cls].at[i], v);
            return;
        }
    PlaceKind kind = cls == CLASS_32 ? PLACE_WORK : cls == CLASS_MASK ? PLACE_MASK : PLACE_HALF;
    occupy(al, new_slot(al, cls, kind, (*work_counter(al, cls))++), v);
}

/* ---- loads and stores
 * -------------------------------------------------------------------------------------------- */

/* Queue buffers of loads and stores that can serve as slots. */
static void make_queue_slots(Alloc *al) {
    for (uint32_t i = 0; i < al->p->access.n; i++) {
        PlanAccess *acc = &al->p->access.at[i];
        if (kir_type_of_dtype(acc->dtype[0]) == KIR_MASK) continue;
        if (acc->is_store) new_slot(al, CLASS_32, PLACE_OUT, i);
        else if (acc->cls == PLAN_LINE || acc->cls == PLAN_ROW) new_slot(al, CLASS_32, PLACE_IN, i);
    }
}

/* A value is computed right in the slot of the first output it is stored to; the slot of an output that is a
 * copy is taken from the step of the copy on. */
static void reserve_outputs(Alloc *al) {
    const Kir *k = al->p->kir;
    for (uint32_t t = 0; t < al->n_steps; t++) {
        const KirVal i = al->order[t];
        if (!kir_is_store(k->insns.at[i].op)) continue;
        KirVal v = al->root[k->insns.at[i].src[0]];
        PlanAccess *acc = &al->p->access.at[k->insns.at[i].mode];
        Slot *slot = find_slot(al, CLASS_32, (Place){PLACE_OUT, k->insns.at[i].mode});
        if (!slot) continue;
        slot->reserved_from = t;
        if (kir_is_load(insn(al, v)->op) || al->place[v].kind != PLACE_NONE) continue;
        acc->in_place = true;
        al->place[v] = slot->place;
        slot->reserved_from = al->def[v];
    }
}

/* Operands that stay are numbered as they are listed, so that all programs of a plan agree. */
static uint32_t keep_index(const PlanPass *p, const PlanAccess *acc, bool is_mask) {
    uint32_t n = 0;
    for (const PlanAccess *before = p->access.at; before < acc; before++)
        n += before->cls == PLAN_VECTOR && (before->dtype[0] == DTYPE_BOOL) == is_mask;
    return n;
}

static void place_load(Alloc *al, uint32_t t, KirVal v) {
    PlanAccess *acc = &al->p->access.at[insn(al, v)->mode];
    bool is_mask = kir_type(al->p->kir, v) == KIR_MASK;
    if (acc->cls == PLAN_VECTOR) {
        al->place[v] = (Place){is_mask ? PLACE_KEEP_MASK : PLACE_KEEP, keep_index(al->p, acc, is_mask)};
        *(is_mask ? &al->p->n_keep_mask : &al->p->n_keep) += 1;
    } else if (!is_mask && (acc->cls == PLAN_LINE || acc->cls == PLAN_ROW)) {
        occupy(al, find_slot(al, CLASS_32, (Place){PLACE_IN, insn(al, v)->mode}), v);
    } else {
        allocate(al, t, v);
    }
    acc->place = al->place[v];
}

/* The buffer of a load in a queue is full from the start of the tile, not only from its first use. */
static void block_inputs(Alloc *al) {
    for (uint32_t t = 0; t < al->n_steps; t++) {
        KirVal v = al->order[t];
        if (!kir_is_load(insn(al, v)->op)) continue;
        Slot *s = find_slot(al, CLASS_32, (Place){PLACE_IN, insn(al, v)->mode});
        if (!s) continue;
        s->is_busy = true;
        s->busy_to = al->last[v];
    }
}

static bool needs_half_scratch(const PlanPass *p) {
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        size_t bytes = dtype_info(acc->dtype[0])->size_bytes;
        if (bytes == 1 && acc->cls != PLAN_NUMBER) return true; /* to and from half */
        if ((acc->cls == PLAN_STRIDED || acc->cls == PLAN_PICKED) && (bytes == 2 || dtype_info(acc->dtype[0])->cls == DTYPE_CLASS_F)) return true;
    }
    return false;
}

/* The mask of an output becomes bytes by way of Select, which uses the framework's part of UB. */
static bool uses_reserved_ub(const PlanPass *p) {
    for (size_t i = 0; i < p->kir->insns.n; i++)
        if (kir_op_info(p->kir->insns.at[i].op)->wants_reserved_ub || p->kir->insns.at[i].op == KIR_STORE_M)
            return true;
    for (size_t i = 0; i < p->access.n; i++)
        if (plan_picks_from_window(p, &p->access.at[i])) return true;
    return false;
}

static void run_scan(Alloc *al) {
    for (uint32_t t = 0; t < al->n_steps; t++) {
        KirVal v = al->order[t];
        const KirInsn *in = insn(al, v);
        if (kir_is_load(in->op)) {
            place_load(al, t, v);
        } else if (!kir_is_store(in->op) && al->root[v] == v) {
            if (al->place[v].kind == PLACE_OUT) { /* its output's slot */
                Slot *s = find_slot(al, CLASS_32, al->place[v]);
                s->is_busy = true;
                s->busy_to = UINT32_MAX;
            } else {
                allocate(al, t, v);
            }
        }
    }
}

static void mark_slot(PlanPass *p, Place place) {
    if (place.kind == PLACE_IN || place.kind == PLACE_OUT) p->access.at[place.index].slot_used = true;
}

static void write_steps(Alloc *al) {
    PlanPass *p = al->p;
    p->steps = ARENA_ARRAY(al->a, al->n_steps, PlanStep);
    for (uint32_t t = 0; t < al->n_steps; t++) {
        KirVal v = al->order[t];
        const KirInsn *in = insn(al, v);
        const KirOpInfo *info = kir_op_info(in->op);
        if (info->call && !info->call[0]) continue; /* a view of the source */
        PlanStep *st = &p->steps[p->n_steps++];
        st->insn = v;
        st->dst = kir_is_store(in->op) ? (Place){PLACE_OUT, in->mode} : al->place[v];
        for (int s = 0; s < info->n_src; s++) st->src[s] = al->place[al->root[in->src[s]]];
        mark_slot(p, kir_is_store(in->op) ? (Place){0} : st->dst);
    }
}

bool plan_slots(Arena *a, PlanPass *p, Err *err) {
    if (!kir_check(p->kir, err)) return false;
    Alloc al = {.a = a, .p = p};
    p->half_scratch = needs_half_scratch(p);
    p->n_half = p->half_scratch ? 1 : 0;
    p->reserved_ub = uses_reserved_ub(p);
    make_order(&al);
    find_lifetimes(&al);
    make_queue_slots(&al);
    reserve_outputs(&al);
    block_inputs(&al);
    run_scan(&al);
    write_steps(&al);
    return true;
}
