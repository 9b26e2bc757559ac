/* Shapes and sections of a reduce pass. The instructions are written anew: numbers become fills of the shape
 * that wants them, compact values are expanded where an instruction cannot take them as they are, and each
 * value gets its place in time: once per item before a phase, or for every tile of the phases that need it.
 */
#include "lower/reduce_int.h"

#include <string.h>

#define ANY 255 /* a number: no shape of its own */

typedef struct New {
    KirVal old;
    ReduceShape shape;
    bool loop;
    KirVal val;
} New;

typedef struct Work {
    Arena *a;
    PlanPass *p;
    ReducePlan *r;
    const Kir *old;
    Kir *kir;
    VEC(New) made;
    uint8_t *old_shape;
    VEC(uint8_t) shape, loop; /* per new value */
    uint32_t *depth;
    uint32_t *in_phase; /* bits of the phases whose tiles compute it */
} Work;

static uint32_t kept_shape(const ReducePlan *r) {
    return r->axis == REDUCE_COLS ? SHAPE_ROWS : r->axis == REDUCE_ROWS ? SHAPE_COLS : SHAPE_NUMBER;
}

static uint32_t reduced_bits(const ReducePlan *r) {
    return SHAPE_TILE & ~kept_shape(r);
}

static bool is_tile_op(KirOp op) {
    return op >= KIR_TSUM_F && op <= KIR_TPROD_I;
}
static bool is_exchange(KirOp op) {
    return op >= KIR_XSUM_F && op <= KIR_XPROD_I;
}
static bool is_carry(KirOp op) {
    return op == KIR_CARRY_F || op == KIR_CARRY_I;
}
static bool is_final(KirOp op) {
    return op == KIR_FINAL_F || op == KIR_FINAL_I;
}
static bool is_fill(KirOp op) {
    return op == KIR_FILL_F || op == KIR_FILL_I || op == KIR_FILL_M;
}

bool reduce_is_strided_op(KirOp op) {
    static const KirOp OPS[] = {KIR_ADD_F, KIR_SUB_F, KIR_MUL_F, KIR_DIV_F, KIR_MAX_F, KIR_MIN_F,
                                KIR_ADD_I, KIR_SUB_I, KIR_MUL_I, KIR_MAX_I, KIR_MIN_I};
    for (size_t i = 0; i < sizeof OPS / sizeof OPS[0]; i++)
        if (OPS[i] == op) return true;
    return false;
}

/* ---- shapes
 * ------------------------------------------------------------------------------------------------------ */

static uint32_t index_shape(const Work *w) {
    int32_t last = (int32_t)w->p->space.rank - 1, d = w->r->position_dim;
    return d == last ? SHAPE_COLS : d == last - 1 ? SHAPE_ROWS : SHAPE_NUMBER;
}

static uint8_t shape_of_old(const Work *w, const KirInsn *in) {
    const KirOpInfo *info = kir_op_info(in->op);
    if (is_fill(in->op)) return ANY;
    if (kir_is_load(in->op) || kir_is_store(in->op))
        return (uint8_t)reduce_access_shape(w->p, &w->p->access.at[in->mode]);
    if (is_carry(in->op) || is_tile_op(in->op) || is_final(in->op) || is_exchange(in->op))
        return (uint8_t)kept_shape(w->r);
    if (in->op == KIR_INDEX_F) return (uint8_t)index_shape(w);
    uint8_t shape = ANY;
    for (int s = 0; s < info->n_src; s++) {
        uint8_t its = w->old_shape[in->src[s]];
        if (its != ANY) shape = shape == ANY ? its : (uint8_t)(shape | its);
    }
    return shape;
}

static KirVal append(Work *w, KirInsn in, uint32_t shape, bool loop) {
    vec_push(w->a, &w->kir->insns, in);
    vec_push(w->a, &w->shape, (uint8_t)shape);
    bool varies = shape <= SHAPE_TILE && (shape & reduced_bits(w->r)) != 0;
    vec_push(w->a, &w->loop, (uint8_t)(loop || varies));
    return (KirVal)(w->kir->insns.n - 1);
}

static KirVal find_made(const Work *w, KirVal old, uint32_t shape, bool loop) {
    for (size_t i = 0; i < w->made.n; i++)
        if (w->made.at[i].old == old && w->made.at[i].shape == (ReduceShape)shape &&
            w->made.at[i].loop == loop)
            return w->made.at[i].val;
    return KIR_NONE;
}

static KirVal remember(Work *w, KirVal old, uint32_t shape, bool loop, KirVal val) {
    New n = {.old = old, .shape = (ReduceShape)shape, .loop = loop, .val = val};
    vec_push(w->a, &w->made, n);
    return val;
}

static KirVal natural(const Work *w, KirVal old) {
    for (size_t i = 0; i < w->made.n; i++)
        if (w->made.at[i].old == old && (uint8_t)w->made.at[i].shape == w->old_shape[old])
            return w->made.at[i].val;
    return KIR_NONE;
}

/* A number, or what is computed from numbers, in a shape. */
static KirVal number_at(Work *w, KirVal old, uint32_t shape, bool loop) {
    KirVal have = find_made(w, old, shape, loop);
    if (have != KIR_NONE) return have;
    KirInsn in = w->old->insns.at[old];
    for (int s = 0; s < kir_op_info(in.op)->n_src; s++) in.src[s] = number_at(w, in.src[s], shape, loop);
    return remember(w, old, shape, loop, append(w, in, shape, loop));
}

/* A mask cannot be repeated along rows and columns; zeros and ones can, from rows by way of blocks (as_blocks). */
static KirVal expand_mask(Work *w, KirVal v, uint32_t shape, bool loop) {
    uint32_t from = w->shape.at[v];
    bool was_loop = w->loop.at[v];
    KirInsn one = {.op = KIR_FILL_F, .src = {KIR_NONE, KIR_NONE, KIR_NONE}, .scalar = kir_const(1)};
    KirVal ones = append(w, one, from, was_loop);
    KirVal number = append(w, (KirInsn){.op = KIR_SELS_F, .src = {v, ones, KIR_NONE}, .scalar = kir_const(0)},
                           from, was_loop);
    if (from != SHAPE_COLS)
        number = append(w, (KirInsn){.op = KIR_EXPAND_F, .src = {number, KIR_NONE, KIR_NONE}},
                        from == SHAPE_ROWS ? SHAPE_BLOCKS : SHAPE_BLOCK, was_loop);
    KirVal wide = append(w, (KirInsn){.op = KIR_EXPAND_F, .src = {number, KIR_NONE, KIR_NONE}}, shape, loop);
    KirInsn test = {
        .op = KIR_CMPS_F, .src = {wide, KIR_NONE, KIR_NONE}, .scalar = kir_const(0.5), .mode = KIR_GT};
    return append(w, test, shape, loop);
}

/* Does it change from tile to tile? A carry begins before the tiles, and does. */
static bool is_loop_value(const Work *w, KirVal v) {
    return w->loop.at[v] || is_carry(w->kir->insns.at[v].op);
}

/* A number per row takes the form of blocks first: that is what can be repeated along a row. */
static KirVal as_blocks(Work *w, KirVal old, KirVal v) {
    bool loop = is_loop_value(w, v);
    uint32_t shape = w->shape.at[v] == SHAPE_ROWS ? SHAPE_BLOCKS : SHAPE_BLOCK;
    KirVal have = find_made(w, old, shape, loop);
    if (have != KIR_NONE) return have;
    KirOp op = kir_type(w->kir, v) == KIR_F32 ? KIR_EXPAND_F : KIR_EXPAND_I;
    KirVal b = append(w, (KirInsn){.op = op, .src = {v, KIR_NONE, KIR_NONE}}, shape, loop);
    return remember(w, old, shape, loop, b);
}

/* The value in exactly this shape. */
static KirVal at_shape(Work *w, KirVal old, uint32_t shape, bool loop) {
    if (w->old_shape[old] == ANY) return number_at(w, old, shape, loop || (shape & reduced_bits(w->r)));
    KirVal v = natural(w, old);
    if (w->shape.at[v] == shape) return v;
    bool its_loop = is_loop_value(w, v) || (shape & reduced_bits(w->r)) != 0;
    KirVal have = find_made(w, old, shape, its_loop);
    if (have != KIR_NONE) return have;
    if (kir_type(w->kir, v) == KIR_MASK)
        return remember(w, old, shape, its_loop, expand_mask(w, v, shape, its_loop));
    KirOp op = kir_type(w->kir, v) == KIR_F32 ? KIR_EXPAND_F : KIR_EXPAND_I;
    KirVal from = w->shape.at[v] == SHAPE_COLS ? v : as_blocks(w, old, v);
    return remember(w, old, shape, its_loop,
                    append(w, (KirInsn){.op = op, .src = {from, KIR_NONE, KIR_NONE}}, shape, its_loop));
}

/* As a strided operand beside others that make up `shape`. */
static KirVal as_operand(Work *w, KirVal old, uint32_t shape, bool loop) {
    if (w->old_shape[old] == ANY) return number_at(w, old, shape, loop);
    KirVal v = natural(w, old);
    uint32_t its = w->shape.at[v];
    if (its == shape || (its == SHAPE_COLS && shape == SHAPE_TILE)) return v;
    return as_blocks(w, old, v);
}

static bool is_loop_old(const Work *w, const KirInsn *in) {
    const KirOpInfo *info = kir_op_info(in->op);
    if (kir_is_load(in->op)) return !reduce_is_per_item(w->p, &w->p->access.at[in->mode]);
    if (is_carry(in->op))
        return false; /* begins before the tiles; what uses it with a tile's values is in the loop by those */
    if (is_tile_op(in->op) || in->op == KIR_INDEX_F) return true;
    if (is_final(in->op) || is_exchange(in->op)) return false;
    for (int s = 0; s < info->n_src; s++)
        if (w->old_shape[in->src[s]] != ANY) {
            KirVal v = natural(w, in->src[s]);
            if (w->loop.at[v] || is_carry(w->kir->insns.at[v].op)) return true;
        }
    return false;
}

static void rewrite(Work *w, KirVal i) {
    KirInsn in = w->old->insns.at[i];
    const KirOpInfo *info = kir_op_info(in.op);
    uint32_t shape = w->old_shape[i];
    if (shape == ANY) return; /* when it is wanted */
    bool loop = is_loop_old(w, &in);
    uint32_t want = is_tile_op(in.op) ? (uint32_t)SHAPE_TILE : shape;
    bool strided = reduce_is_strided_op(in.op);
    if (is_final(in.op)) loop = true; /* for numbers among its sources */
    for (int s = 0; s < info->n_src; s++)
        in.src[s] = strided ? as_operand(w, in.src[s], want, loop) : at_shape(w, in.src[s], want, loop);
    KirVal v = append(w, in, shape, is_final(in.op) ? false : loop);
    remember(w, i, shape, w->loop.at[v], v);
}

/* ---- phases
 * ------------------------------------------------------------------------------------------------------ */

/* Depth: how many reductions over all tiles must be done before. A carry is as deep as the phase that feeds
 * it. */
static void find_depths(Work *w) {
    size_t n = w->kir->insns.n;
    w->depth = ARENA_ARRAY(w->a, n, uint32_t);
    for (int round = 0; round < 16; round++) {
        bool changed = false;
        for (size_t i = 0; i < n; i++) {
            const KirInsn *in = &w->kir->insns.at[i];
            uint32_t d = is_carry(in->op) ? w->depth[i] : 0;
            for (int s = 0; s < kir_op_info(in->op)->n_src; s++)
                if (w->depth[in->src[s]] > d) d = w->depth[in->src[s]];
            if (is_final(in->op)) {
                uint32_t phase = w->depth[in->src[1]];
                if (w->depth[in->src[0]] < phase) w->depth[in->src[0]] = phase, changed = true;
                d = phase + 1;
            }
            changed |= d != w->depth[i];
            w->depth[i] = d;
        }
        if (!changed) return;
    }
}

/* Everything in the loop that v needs, in phase ph. */
static void need(Work *w, KirVal v, uint32_t ph) {
    if (!w->loop.at[v] || w->in_phase[v] >> ph & 1) return;
    w->in_phase[v] |= 1u << ph;
    const KirInsn *in = &w->kir->insns.at[v];
    for (int s = 0; s < kir_op_info(in->op)->n_src; s++) need(w, in->src[s], ph);
}

static void find_phases(Work *w) {
    size_t n = w->kir->insns.n;
    w->in_phase = ARENA_ARRAY(w->a, n, uint32_t);
    w->r->n_phases = 1;
    for (size_t i = 0; i < n; i++) {
        const KirInsn *in = &w->kir->insns.at[i];
        uint32_t ph = is_final(in->op) ? w->depth[i] - 1 : w->depth[i];
        if (is_final(in->op)) need(w, in->src[1], ph);
        else if (kir_is_store(in->op) && w->loop.at[i]) need(w, (KirVal)i, ph);
        else continue;
        if (ph + 1 > w->r->n_phases) w->r->n_phases = ph + 1;
    }
}

static uint32_t first_phase(const Work *w, KirVal v) {
    uint32_t ph = 0;
    while (!(w->in_phase[v] >> ph & 1)) ph++;
    return ph;
}

/* Cycles for 64 elements of what phase ph computes again; below this it is cheaper than a slot of UB. */
#define CHEAP_CYCLES 4.5

static bool keeps_values(const Work *w, uint32_t ph) {
    double cycles = 0;
    for (KirVal v = 0; v < w->kir->insns.n; v++)
        if (w->in_phase[v] >> ph & 1 && first_phase(w, v) < ph && w->shape.at[v] == SHAPE_TILE)
            cycles += kir_op_info(w->kir->insns.at[v].op)->cycles64;
    return cycles > CHEAP_CYCLES;
}

static void make_sections(Work *w) {
    ReducePlan *r = w->r;
    size_t n = w->kir->insns.n;
    r->section = ARENA_ARRAY(w->a, 2 * r->n_phases + 1, ReduceSection);
    for (uint32_t s = 0; s < 2 * r->n_phases + 1; s++) {
        VEC(ReduceStep) list = {0};
        bool keeps = s % 2 && keeps_values(w, s / 2);
        for (KirVal v = 0; v < n; v++) {
            const KirInsn *in = &w->kir->insns.at[v];
            ReduceStep st = {.insn = v};
            if (s % 2 == 0) {
                if (w->loop.at[v] || w->depth[v] != s / 2) continue;
                if (is_final(in->op)) continue; /* its carry */
            } else {
                if (!(w->in_phase[v] >> (s / 2) & 1)) continue;
                bool is_load = kir_is_load(in->op);
                st.again = first_phase(w, v) < s / 2 && (keeps || is_load);
            }
            vec_push(w->a, &list, st);
        }
        for (KirVal v = 0; s % 2 && v < n; v++) /* at the end of a tile */
            if (is_final(w->kir->insns.at[v].op) && w->depth[v] == s / 2 + 1) {
                ReduceStep st = {.insn = v, .joins = true};
                vec_push(w->a, &list, st);
            }
        r->section[s] = (ReduceSection){.at = list.at, .n = list.n};
    }
}

static void note_access_phases(Work *w) {
    for (size_t i = 0; i < w->p->access.n; i++) w->r->first_phase[i] = UINT32_MAX;
    for (KirVal v = 0; v < w->kir->insns.n; v++) {
        const KirInsn *in = &w->kir->insns.at[v];
        if (!kir_is_load(in->op) && !kir_is_store(in->op)) continue;
        for (uint32_t ph = 0; ph < w->r->n_phases; ph++) {
            if (!(w->in_phase[v] >> ph & 1)) continue;
            if (w->r->first_phase[in->mode] == UINT32_MAX) w->r->first_phase[in->mode] = ph;
            w->r->last_phase[in->mode] = ph;
        }
    }
}

bool reduce_sections(Arena *a, PlanPass *p, Err *err) {
    Work w = {.a = a, .p = p, .r = p->own, .old = p->kir, .kir = kir_new(a)};
    if (!kir_check(p->kir, err)) return false;
    w.old_shape = ARENA_ARRAY(a, p->kir->insns.n, uint8_t);
    for (KirVal i = 0; i < p->kir->insns.n; i++) w.old_shape[i] = shape_of_old(&w, &p->kir->insns.at[i]);
    for (KirVal i = 0; i < p->kir->insns.n; i++) rewrite(&w, i);
    find_depths(&w);
    find_phases(&w);
    if (w.r->n_phases > 30)
        return err_set(err, ERR_UNSUPPORTED, NULL, "more than 30 reductions rest on each other");
    make_sections(&w);
    note_access_phases(&w);
    p->kir = w.kir;
    w.r->shape_of = w.shape.at;
    w.r->loop_of = w.loop.at;
    w.r->in_phase = w.in_phase;
    for (size_t i = 0; i < w.kir->insns.n; i++) w.r->n_exchanges += is_exchange(w.kir->insns.at[i].op);
    p->cycles64 = 0;
    for (uint32_t s = 1; s < 2 * w.r->n_phases; s += 2)
        for (size_t t = 0; t < w.r->section[s].n; t++)
            if (!w.r->section[s].at[t].again && w.shape.at[w.r->section[s].at[t].insn] == SHAPE_TILE)
                p->cycles64 += kir_op_info(w.kir->insns.at[w.r->section[s].at[t].insn].op)->cycles64;
    return true;
}
