/* The sections of a reduce pass as member functions: what is done once per item (Before1, Before2, ...,
 * Finish) and for every tile of a phase (Phase1, Phase2, ...). */
#include "codegen/reduce_emit.h"

#include <ctype.h>
#include <string.h>

typedef struct Ctx {
    Gen *gen;
    const GenPass *gp;
    const PlanPass *p;
    const ReducePlan *r;
    Cxx *cx;
    const ReduceSection *sec;
    uint32_t section;
    const char *type[SLOT_N][64]; /* of slots in this function: by their first value */
    bool used[SLOT_N][64], in_used[64];
    const char *note;
    uint32_t *round; /* exchanges so far */
} Ctx;

static const char *type_name(KirType t) {
    static const char *const NAMES[] = {[KIR_F32] = "float",
                                        [KIR_I32] = "int32_t",
                                        [KIR_MASK] = "uint8_t",
                                        [KIR_F16] = "half",
                                        [KIR_BF16] = "bfloat16_t"};
    return NAMES[t];
}

static bool is_split(const Ctx *c, const PlanAccess *acc) {
    return gen_is_float(acc) && !gen_is_always_wide(c->gen, acc);
}

/* What the queue hands out, when it is not the float32 form itself. */
static bool has_io_name(const Ctx *c, const PlanAccess *acc) {
    return is_split(c, acc) || gen_is_bool(acc) || acc->dtype[0] == DTYPE_I64;
}

static const char *io_name(const Ctx *c, const PlanAccess *acc) {
    if (!acc->is_store) return arena_printf(c->gen->a, "%sIn_", acc->name);
    return has_io_name(c, acc) ? arena_printf(c->gen->a, "%sOut", acc->name) : acc->name;
}

/* ---- places
 * ------------------------------------------------------------------------------------------------------ */

static const char *PREFIX[SLOT_N] = {[SLOT_TILE] = "t", [SLOT_MASK] = "m", [SLOT_HALF] = "h",
                                     [SLOT_COLS] = "c", [SLOT_ROWS] = "r", [SLOT_BLOCKS] = "b"};

static const char *place_name(const Ctx *c, ReducePlace p) {
    if (p.kind == SLOT_IN || p.kind == SLOT_OUT) return c->p->access.at[p.index].name;
    return arena_printf(c->gen->a, "%s%u", PREFIX[p.kind], p.index);
}

static const char *declared_type(const Ctx *c, ReducePlace p) {
    if (p.kind == SLOT_IN || p.kind == SLOT_OUT)
        return gen_is_float(&c->p->access.at[p.index]) ? "float" : "int32_t";
    if (p.kind == SLOT_MASK) return "uint8_t";
    return c->type[p.kind][p.index];
}

static const char *operand(const Ctx *c, ReducePlace p, KirType t) {
    const char *have = declared_type(c, p), *want = type_name(t), *name = place_name(c, p);
    return strcmp(have, want) != 0 ? arena_printf(c->gen->a, "%s.ReinterpretCast<%s>()", name, want) : name;
}

static const char *source(const Ctx *c, const ReduceStep *st, int i) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    return operand(c, st->src[i], kir_type(c->p->kir, in->src[i]));
}

static const char *result(const Ctx *c, const ReduceStep *st) {
    return operand(c, st->dst, kir_type(c->p->kir, st->insn));
}

static const char *count_of(uint32_t shape) {
    return shape == SHAPE_TILE   ? "tileCount"
           : shape == SHAPE_COLS ? "colCount"
           : shape == SHAPE_ROWS ? "rowCount"
                                 : "64";
}

static void see_place(Ctx *c, ReducePlace p, KirType t) {
    if (p.kind == SLOT_NONE) return;
    if (p.kind == SLOT_IN || p.kind == SLOT_OUT) {
        c->in_used[p.index] = true;
        return;
    }
    c->used[p.kind][p.index] = true;
    if (!c->type[p.kind][p.index]) c->type[p.kind][p.index] = type_name(t);
}

static void find_slots(Ctx *c) {
    const Kir *k = c->p->kir;
    for (size_t t = 0; t < c->sec->n; t++) {
        const ReduceStep *st = &c->sec->at[t];
        const KirInsn *in = &k->insns.at[st->insn];
        if (!kir_is_store(in->op)) see_place(c, st->dst, kir_type(k, st->insn));
        else if (c->p->access.at[in->mode].in_place) see_place(c, st->dst, kir_type(k, st->insn));
        for (int i = st->joins ? 1 : 0; i < kir_op_info(in->op)->n_src; i++)
            see_place(c, st->src[i], kir_type(k, in->src[i]));
        if (st->fold.kind != SLOT_NONE) see_place(c, st->fold, kir_type(k, st->insn));
    }
}

/* ---- instructions
 * ------------------------------------------------------------------------------------------------ */

static const char *scalar_text(const Ctx *c, const KirInsn *in) {
    const KirOpInfo *info = kir_op_info(in->op);
    bool is_float = info->scalar_type == KIR_F32;
    if (!in->scalar.is_runtime) return gen_literal(c->gen->a, in->scalar.value, is_float);
    const char *member = gen_scalar_member(c->gen, c->p, in->scalar.index, is_float);
    if (info->scalar_type == KIR_MASK) return arena_printf(c->gen->a, "(%s != 0 ? 1 : 0)", member);
    return in->scalar.negate ? arena_printf(c->gen->a, "-%s", member) : member;
}

static void drop_double_casts(char *text) {
    for (char *p = strstr(text, ".ReinterpretCast<"); p; p = strstr(p, ".ReinterpretCast<")) {
        char *end = strstr(p, ">()");
        if (!end) return;
        if (strncmp(end + 3, ".ReinterpretCast<", 17) == 0) memmove(p, end + 3, strlen(end + 3) + 1);
        else p = end;
    }
}

static const char *template_text(const Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    StrBuf sb;
    strbuf_init(&sb, c->gen->a);
    for (const char *p = kir_op_info(in->op)->call; *p; p++) {
        if (*p != '$') {
            strbuf_addn(&sb, p, 1);
            continue;
        }
        p++;
        if (*p == 'd') strbuf_add(&sb, result(c, st));
        else if (isdigit((unsigned char)*p)) strbuf_add(&sb, source(c, st, *p - '0'));
        else if (*p == 's') strbuf_add(&sb, scalar_text(c, in));
        else if (*p == 'n') strbuf_add(&sb, count_of(c->r->shape_of[st->insn]));
        else if (*p == 'm') strbuf_add(&sb, kir_mode_text(in->op, in->mode));
    }
    drop_double_casts(sb.text);
    return sb.text;
}

static const char *like(uint32_t shape, uint32_t of) {
    if (shape == of) return "Like::TILE";
    return shape == SHAPE_COLS ? "Like::ROW" : shape == SHAPE_BLOCKS ? "Like::BLOCKS" : "Like::BLOCK";
}

/* "nRows_, pitch_": the extent of a shape as rows x pitch. */
static const char *extent(uint32_t shape) {
    return shape == SHAPE_TILE   ? "nRows_, pitch_"
           : shape == SHAPE_COLS ? "1, pitch_"
           : shape == SHAPE_ROWS ? "1, RoundUp(nRows_, 64)"
                                 : "1, 64";
}

static void write_strided(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    uint32_t of = c->r->shape_of[st->insn];
    cxx_line(c->cx, "Beside<Op::%s, %s, %s>(%s, %s, %s, %s);", reduce_op_name(reduce_op_of(in->op)),
             like(c->r->shape_of[in->src[0]], of), like(c->r->shape_of[in->src[1]], of), result(c, st),
             source(c, st, 0), source(c, st, 1), extent(of));
}

static void write_expand(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    uint32_t to = c->r->shape_of[st->insn], from = c->r->shape_of[in->src[0]];
    if (to == SHAPE_BLOCKS)
        cxx_line(c->cx, "Brcb(%s, %s, static_cast<uint8_t>(RoundUp(nRows_, 8) / 8), {1, 8});", result(c, st),
                 source(c, st, 0));
    else if (to == SHAPE_BLOCK) cxx_line(c->cx, "Brcb(%s, %s, 1, {1, 8});", result(c, st), source(c, st, 0));
    else
        cxx_line(c->cx, "Expand<%s>(%s, %s, %s);", like(from, to), result(c, st), source(c, st, 0),
                 extent(to));
}

static void write_tile_op(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    KirType t = kir_type(c->p->kir, st->insn);
    const char *op = reduce_op_name(reduce_fold_of(in->op)), *identity = reduce_identity_text(c->gen, in->op);
    const char *fold = operand(c, st->fold, t), *in_place = st->fold_in_place ? "true" : "false";
    if (c->r->axis == REDUCE_ROWS) {
        cxx_line(c->cx, "FoldRows<Op::%s>(%s, %s, %s);", op, fold, source(c, st, 0), in_place);
        cxx_line(c->cx, "DataCopy(%s, %s, pitch_);", result(c, st), fold);
        return;
    }
    bool lanes = reduce_is_int(in->op) || reduce_fold_of(in->op) == OP_MUL;
    cxx_line(c->cx, "FoldColumns<Op::%s>(%s, %s, %s, %s);", op, fold, source(c, st, 0), identity, in_place);
    cxx_line(c->cx, "%s<Op::%s>(%s, %s, nRows_, pitch_);", lanes ? "JoinLanesByHalves" : "JoinLanes", op,
             result(c, st), fold);
    if (c->r->axis == REDUCE_BOTH) cxx_line(c->cx, "JoinRows<Op::%s>(%s, %s);", op, result(c, st), identity);
}

static void write_index(Ctx *c, const ReduceStep *st) {
    uint32_t shape = c->r->shape_of[st->insn];
    if (shape == SHAPE_NUMBER) cxx_line(c->cx, "Duplicate(%s, 0.0f, 64);", result(c, st));
    else
        cxx_line(c->cx, "CreateVecIndex(%s, 0.0f, static_cast<uint32_t>(%s));", result(c, st),
                 shape == SHAPE_COLS ? "pitch_" : "nRows_");
}

static void write_exchange(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    const char *to = result(c, st), *from = source(c, st, 0);
    if (strcmp(to, from) != 0)
        cxx_line(c->cx, "DataCopy(%s, %s, %s);", to, from, count_of(c->r->shape_of[st->insn]));
    cxx_line(c->cx, "JoinCores<Op::%s>(%s, %s, %u);", reduce_op_name(reduce_fold_of(in->op)), to,
             reduce_identity_text(c->gen, in->op), (*c->round)++);
}

/* ---- loads and stores
 * -------------------------------------------------------------------------------------------- */

static const char *piece_length(uint32_t shape) {
    return shape == SHAPE_COLS ? "nCols_" : shape == SHAPE_ROWS ? "nRows_" : "1";
}

static void write_load(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    const PlanAccess *acc = &c->p->access.at[in->mode];
    const char *to = result(c, st), *io = io_name(c, acc);
    uint32_t shape = c->r->shape_of[st->insn];
    if (shape != SHAPE_TILE) {
        cxx_line(c->cx, "%s(%s, %sGm_[%s], %s);", gen_is_bool(acc) ? "LoadMaskPiece" : "LoadPiece", to,
                 acc->tensor_name, gen_tile_start(c->gen, c->gp, acc, true), piece_length(shape));
        return;
    }
    if (gen_is_bool(acc)) cxx_line(c->cx, "MaskFromBytes(%s, %s, tileCount);", to, io);
    else if (acc->dtype[0] == DTYPE_I64)
        cxx_line(c->cx, "Cast(%s, %s, RoundMode::CAST_NONE, tileCount);", to, io);
    else if (is_split(c, acc)) cxx_line(c->cx, "Widen(%s, %s, tileCount);", to, io);
}

static void write_piece_store(Ctx *c, const ReduceStep *st, const PlanAccess *acc) {
    uint32_t shape = c->r->shape_of[st->insn];
    bool shared = c->r->n_exchanges > 0;
    if (shared) cxx_open(c->cx, "if (part_ == 0)");
    cxx_line(c->cx, "%s(%sGm_[%s], %s, %s);", gen_is_bool(acc) ? "StoreMaskPiece" : "StorePiece",
             acc->tensor_name, gen_tile_start(c->gen, c->gp, acc, true), source(c, st, 0),
             piece_length(shape));
    if (shared) cxx_close(c->cx, "");
}

static void write_store(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    const PlanAccess *acc = &c->p->access.at[in->mode];
    const char *io = io_name(c, acc), *src = source(c, st, 0);
    KirType t = kir_type(c->p->kir, in->src[0]);
    if (c->r->shape_of[st->insn] != SHAPE_TILE) {
        write_piece_store(c, st, acc);
        return;
    }
    if (t == KIR_MASK) cxx_line(c->cx, "BytesFromMask(%s, %s, tileCount);", io, src);
    else if (acc->dtype[0] == DTYPE_I64)
        cxx_line(c->cx, "Cast(%s, %s, RoundMode::CAST_NONE, tileCount);", io, src);
    else if (acc->in_place && is_split(c, acc)) cxx_line(c->cx, "Narrow(%s, %s, tileCount);", io, src);
    else if (!acc->in_place && t == KIR_F32) cxx_line(c->cx, "NarrowCopy(%s, %s, tileCount);", io, src);
    else if (!acc->in_place) cxx_line(c->cx, "DataCopy(%s, %s, tileCount);", io, src);
}

static void write_step(Ctx *c, const ReduceStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    uint32_t shape = c->r->shape_of[st->insn];
    if (in->note && in->note[0] && !(c->note && strcmp(c->note, in->note) == 0)) {
        cxx_comment(c->cx, "%s", in->note);
        c->note = in->note;
    }
    if (st->joins)
        cxx_line(c->cx, "DataCopy(%s, %s, %s);", operand(c, st->dst, kir_type(c->p->kir, st->insn)),
                 source(c, st, 1), count_of(shape));
    else if (kir_is_load(in->op)) write_load(c, st);
    else if (kir_is_store(in->op)) write_store(c, st);
    else if (in->op == KIR_CARRY_F || in->op == KIR_CARRY_I)
        cxx_line(c->cx, "Duplicate(%s, %s, %s);", result(c, st), scalar_text(c, in), count_of(shape));
    else if (in->op == KIR_EXPAND_F || in->op == KIR_EXPAND_I) write_expand(c, st);
    else if (in->op == KIR_INDEX_F) write_index(c, st);
    else if (reduce_is_tile_op(in->op)) write_tile_op(c, st);
    else if (reduce_is_exchange(in->op)) write_exchange(c, st);
    else if (reduce_is_strided_op(in->op) &&
             (c->r->shape_of[in->src[0]] != shape || c->r->shape_of[in->src[1]] != shape))
        write_strided(c, st);
    else cxx_line(c->cx, "%s;", template_text(c, st));
}

/* ---- functions
 * --------------------------------------------------------------------------------------------------- */

static void write_slots(Ctx *c) {
    static const struct {
        const char *buffer, *step;
    } KINDS[SLOT_N] = {[SLOT_TILE] = {"tiles_", "tileLength_"}, [SLOT_MASK] = {"masks_", "tileLength_ / 8"},
                       [SLOT_HALF] = {"half_", "tileLength_"},  [SLOT_COLS] = {"colSlots_", "pitch_"},
                       [SLOT_ROWS] = {"rowSlots_", "MAX_ROWS"}, [SLOT_BLOCKS] = {"blocks_", "MAX_ROWS * 8"}};
    for (size_t i = 0; i < c->p->access.n; i++) {
        const PlanAccess *acc = &c->p->access.at[i];
        if (!c->in_used[i]) continue;
        if (acc->dtype[0] == DTYPE_I64)
            cxx_line(c->cx, "LocalTensor<int32_t> %s = tiles_.Get<int32_t>()[%u * tileLength_];", acc->name,
                     reduce_narrow_slot(c->p, acc));
        else if (has_io_name(c, acc))
            cxx_line(c->cx, "LocalTensor<float> %s = Slot(%s, %u);", acc->name, io_name(c, acc),
                     reduce_narrow_slot(c->p, acc));
        else if (!acc->is_store)
            cxx_line(c->cx, "LocalTensor<%s> %s = %s;", gen_is_float(acc) ? "float" : "int32_t", acc->name,
                     io_name(c, acc));
    }
    for (int k = SLOT_TILE; k < SLOT_N; k++)
        for (uint32_t i = 0; i < c->r->n_slots[k]; i++) {
            if (!c->used[k][i]) continue;
            const char *type = k == SLOT_MASK ? "uint8_t" : c->type[k][i];
            const char *get = (k == SLOT_COLS || k == SLOT_ROWS) && strcmp(type, "float") != 0 &&
                                      strcmp(type, "int32_t") != 0
                                  ? arena_printf(c->gen->a, "Get<float>()[%u * %s].ReinterpretCast<%s>()", i,
                                                 KINDS[k].step, type)
                                  : arena_printf(c->gen->a, "Get<%s>()[%u * %s]", type, i, KINDS[k].step);
            cxx_line(c->cx, "LocalTensor<%s> %s%u = %s.%s;", type, PREFIX[k], i, KINDS[k].buffer, get);
        }
}

static void write_counts(Ctx *c, size_t body, const char *text) {
    (void)body;
    bool wide = false;
    for (size_t i = 0; i < c->p->access.n; i++) wide |= gen_is_bool(&c->p->access.at[i]);
    const char *unit = wide ? "128" : "64";
    if (strstr(text, "tileCount"))
        cxx_line(c->cx, "const int32_t tileCount = RoundUp(nRows_ * pitch_, %s);", unit);
    if (strstr(text, "colCount")) cxx_line(c->cx, "const int32_t colCount = pitch_;");
    if (strstr(text, "rowCount")) cxx_line(c->cx, "const int32_t rowCount = RoundUp(nRows_, %s);", unit);
}

/* The steps; runs of those that are only done again when the item is not resident in one block. */
static void write_steps(Ctx *c) {
    bool open = false;
    for (size_t t = 0; t < c->sec->n; t++) {
        const ReduceStep *st = &c->sec->at[t];
        const KirInsn *in = &c->p->kir->insns.at[st->insn];
        const PlanAccess *acc = kir_is_load(in->op) ? &c->p->access.at[in->mode] : NULL;
        bool silent = acc && reduce_is_tile_access(c->p, acc) && !has_io_name(c, acc);
        if (silent) continue;
        if (st->again != open && open) cxx_close(c->cx, "");
        if (st->again != open && !open) cxx_open(c->cx, "if (!resident_)");
        open = st->again;
        write_step(c, st);
    }
    if (open) cxx_close(c->cx, "");
}

/* The steps are written apart first: what they mention is declared before them. */
static void write_body(Ctx *c) {
    Cxx body, *outer = c->cx;
    cxx_init(&body, c->gen->a);
    body.depth = outer->depth;
    c->cx = &body;
    find_slots(c);
    write_steps(c);
    c->cx = outer;
    write_counts(c, 0, body.sb.text ? body.sb.text : "");
    write_slots(c);
    if (body.sb.text) strbuf_add(&outer->sb, body.sb.text);
}

static bool is_loaded(const Ctx *c, size_t i) {
    const PlanAccess *acc = &c->p->access.at[i];
    if (acc->is_store || !reduce_is_tile_access(c->p, acc)) return false;
    for (size_t t = 0; t < c->sec->n; t++) {
        const KirInsn *in = &c->p->kir->insns.at[c->sec->at[t].insn];
        if (kir_is_load(in->op) && in->mode == i) return true;
    }
    return false;
}

static bool is_stored(const Ctx *c, size_t i) {
    for (size_t t = 0; t < c->sec->n; t++) {
        const KirInsn *in = &c->p->kir->insns.at[c->sec->at[t].insn];
        if (kir_is_store(in->op) && in->mode == i) return true;
    }
    return false;
}

static void write_copies_in(Ctx *c, uint32_t phase) {
    for (size_t i = 0; i < c->p->access.n; i++) {
        const PlanAccess *acc = &c->p->access.at[i];
        const char *io = io_name(c, acc), *type = gen_io_type(c->gen, acc);
        if (!is_loaded(c, i)) continue;
        bool held = c->r->first_phase[i] < phase;
        if (held) cxx_open(c->cx, "if (!resident_)");
        cxx_line(c->cx, "%s = %sQueue_.AllocTensor<%s>();", io, acc->name, type);
        gen_copy_row_in(c->gen, c->gp, acc, io, c->cx);
        cxx_line(c->cx, "%sQueue_.EnQue(%s);", acc->name, io);
        cxx_line(c->cx, "%s = %sQueue_.DeQue<%s>();", io, acc->name, type);
        if (held) cxx_close(c->cx, "");
    }
    for (size_t i = 0; i < c->p->access.n; i++) {
        const PlanAccess *acc = &c->p->access.at[i];
        if (acc->is_store && reduce_is_tile_access(c->p, acc) && is_stored(c, i))
            cxx_line(c->cx, "LocalTensor<%s> %s = %sQueue_.AllocTensor<%s>();", gen_io_type(c->gen, acc),
                     io_name(c, acc), acc->name, gen_io_type(c->gen, acc));
    }
}

static void write_copies_out(Ctx *c, uint32_t phase) {
    for (size_t i = 0; i < c->p->access.n; i++) {
        const PlanAccess *acc = &c->p->access.at[i];
        const char *io = io_name(c, acc);
        if (!acc->is_store || !reduce_is_tile_access(c->p, acc) || !is_stored(c, i)) continue;
        cxx_line(c->cx, "%sQueue_.EnQue(%s);", acc->name, io);
        cxx_line(c->cx, "%s = %sQueue_.DeQue<%s>();", io, acc->name, gen_io_type(c->gen, acc));
        cxx_line(c->cx, "CopyRowsOut(%sGm_[%s], %s);", acc->tensor_name,
                 gen_tile_start(c->gen, c->gp, acc, true), io);
        cxx_line(c->cx, "%sQueue_.FreeTensor(%s);", acc->name, io);
    }
    for (size_t i = 0; i < c->p->access.n; i++) {
        const PlanAccess *acc = &c->p->access.at[i];
        if (!is_loaded(c, i)) continue;
        bool held = c->r->last_phase[i] > phase;
        if (held) cxx_open(c->cx, "if (!resident_)");
        cxx_line(c->cx, "%sQueue_.FreeTensor(%s);", acc->name, io_name(c, acc));
        if (held) cxx_close(c->cx, "");
    }
}

void reduce_write_sections(Gen *gen, const GenPass *gp, Cxx *cx) {
    const ReducePlan *r = reduce_plan(gp->p);
    uint32_t round = 0;
    for (uint32_t s = 0; s < 2 * r->n_phases + 1; s++) {
        Ctx c = {.gen = gen,
                 .gp = gp,
                 .p = gp->p,
                 .r = r,
                 .cx = cx,
                 .sec = &r->section[s],
                 .section = s,
                 .round = &round};
        if (s % 2 == 0 && c.sec->n == 0) continue;
        if (s % 2) cxx_function(cx, "__aicore__ inline void Phase%u()", s / 2 + 1);
        else if (s < 2 * r->n_phases) cxx_function(cx, "__aicore__ inline void Before%u()", s / 2 + 1);
        else cxx_function(cx, "__aicore__ inline void Finish()");
        if (s % 2) write_copies_in(&c, s / 2);
        write_body(&c);
        if (s % 2) write_copies_out(&c, s / 2);
        cxx_close(cx, "");
        cxx_blank(cx);
    }
}
