/* Compute: the steps of the plan as AscendC calls, and the loads and stores around them. */
#include "codegen/kernel.h"

#include <ctype.h>
#include <string.h>

static bool is_split(const Gen *gen, const PlanAccess *acc) {
    return gen_is_float(acc) && !gen_is_always_wide(gen, acc);
}

/* In memory of another type than it is computed in. */
static bool is_converted(const Gen *gen, const PlanAccess *acc) {
    return is_split(gen, acc) || gen_is_converted_int(acc);
}

const char *gen_io_name(const Gen *gen, const PlanAccess *acc) {
    if (!is_converted(gen, acc) && !(gen_is_bool(acc) && !acc->is_store)) return acc->name;
    return arena_printf(gen->a, "%s%s", acc->name, acc->is_store ? "Out" : "In");
}

/* ---- names of places
 * --------------------------------------------------------------------------------------------- */

typedef struct Ctx {
    Gen *gen;
    const GenPass *gp;
    const PlanPass *p; /* of the program at hand */
    Cxx *cx;
    const char **work_type,
        **half_type;  /* per slot: type of its first value, by which its variable is declared */
    const char *note; /* last comment written */
    uint32_t round;
} Ctx;

static const char *type_name(KirType t) {
    static const char *const NAMES[] = {[KIR_F32] = "float",
                                        [KIR_I32] = "int32_t",
                                        [KIR_MASK] = "uint8_t",
                                        [KIR_F16] = "half",
                                        [KIR_BF16] = "bfloat16_t"};
    return NAMES[t];
}

/* Type of the variable that stands for a place. */
static const char *declared_type(const Ctx *c, Place p) {
    switch (p.kind) {
    case PLACE_IN:
    case PLACE_OUT:
        return gen_is_float(&c->p->access.at[p.index]) ? "float" : "int32_t";
    case PLACE_WORK:
        return c->work_type[p.index];
    case PLACE_HALF:
        return c->half_type[p.index];
    default:
        return NULL;
    }
}

static const char *place_name(const Ctx *c, Place p) {
    switch (p.kind) {
    case PLACE_IN:
    case PLACE_OUT:
        return c->p->access.at[p.index].name;
    case PLACE_WORK:
        return arena_printf(c->gen->a, "t%u", p.index);
    case PLACE_MASK:
        return arena_printf(c->gen->a, "m%u", p.index);
    case PLACE_HALF:
        return c->p->half_scratch && p.index == 0 ? "scratch" : arena_printf(c->gen->a, "h%u", p.index);
    default:
        break;
    }
    for (size_t i = 0; i < c->p->access.n; i++) { /* what stays is named after its operand */
        const PlanAccess *acc = &c->p->access.at[i];
        if (acc->cls == PLAN_VECTOR && acc->place.kind == p.kind && acc->place.index == p.index)
            return acc->name;
    }
    return "?";
}

/* The operand at a place, as type t. */
static const char *operand(const Ctx *c, Place p, KirType t) {
    const char *have = declared_type(c, p), *name = place_name(c, p), *want = type_name(t);
    if (p.kind == PLACE_KEEP) have = want; /* an operand that stays keeps its type */
    return have && strcmp(have, want) != 0 ? arena_printf(c->gen->a, "%s.ReinterpretCast<%s>()", name, want)
                                           : name;
}

/* ---- instructions
 * ------------------------------------------------------------------------------------------------ */

static const char *scalar_text(const Ctx *c, const KirInsn *in) {
    const KirOpInfo *info = kir_op_info(in->op);
    bool is_float = info->scalar_type == KIR_F32;
    if (!in->scalar.is_runtime) return gen_literal(c->gen->a, in->scalar.value, is_float);
    const char *member = gen_scalar_member(c->gen, c->gp->p, in->scalar.index, is_float);
    if (info->scalar_type == KIR_MASK) return arena_printf(c->gen->a, "(%s != 0 ? 1 : 0)", member);
    return in->scalar.negate ? arena_printf(c->gen->a, "-%s", member) : member;
}

/* `.ReinterpretCast<a>().ReinterpretCast<b>()` is the last cast alone, and a cast to the declared type is
 * none. */
static void drop_double_casts(char *text) {
    for (char *p = strstr(text, ".ReinterpretCast<"); p; p = strstr(p, ".ReinterpretCast<")) {
        char *end = strstr(p, ">()");
        if (!end) return;
        if (strncmp(end + 3, ".ReinterpretCast<", 17) == 0) memmove(p, end + 3, strlen(end + 3) + 1);
        else p = end;
    }
}

static const char *insn_text(const Ctx *c, const PlanStep *st) {
    const KirInsn *in = &c->p->kir->insns.at[st->insn];
    const KirOpInfo *info = kir_op_info(in->op);
    StrBuf sb;
    strbuf_init(&sb, c->gen->a);
    for (const char *p = info->call; *p; p++) {
        if (*p != '$') {
            strbuf_addn(&sb, p, 1);
            continue;
        }
        p++;
        if (*p == 'd') strbuf_add(&sb, operand(c, st->dst, info->type));
        else if (isdigit((unsigned char)*p))
            strbuf_add(&sb, operand(c, st->src[*p - '0'], info->src[*p - '0']));
        else if (*p == 's') strbuf_add(&sb, scalar_text(c, in));
        else if (*p == 'i') strbuf_printf(&sb, "%u", in->mode);
        else if (*p == '=' && strcmp(place_name(c, st->dst), place_name(c, st->src[0])) != 0)
            strbuf_printf(&sb, "DataCopy(%s, %s, count); ", operand(c, st->dst, info->type), operand(c, st->src[0], info->src[0]));
        else if (*p == 'n') strbuf_add(&sb, "count");
        else if (*p == 'm') strbuf_add(&sb, kir_mode_text(in->op, in->mode));
    }
    drop_double_casts(sb.text);
    return sb.text;
}

static void write_note(Ctx *c, const KirInsn *in) {
    if (!in->note || !in->note[0] || (c->note && strcmp(c->note, in->note) == 0)) return;
    cxx_comment(c->cx, "%s", in->note);
    c->note = in->note;
}

/* ---- loads
 * ------------------------------------------------------------------------------------------------------- */

/* The lower 16 bits of an int32. */
static void write_drop_sign(Ctx *c, const char *dst) {
    const char *bits = arena_printf(c->gen->a, "%s.ReinterpretCast<uint32_t>()", dst);
    cxx_line(c->cx, "ShiftLeft(%s, %s, static_cast<uint32_t>(16), count);", bits, bits);
    cxx_line(c->cx, "ShiftRight(%s, %s, static_cast<uint32_t>(16), count);", bits, bits);
}

static void write_column(Ctx *c, const PlanAccess *acc, Place dst) {
    const char *io = gen_io_name(c->gen, acc);
    bool dense = plan_column_is_dense(c->p, acc), is_bool = gen_is_bool(acc);
    bool minus, same = strcmp(gen_kernel_size(c->gen, c->gp, acc->view.stride[c->p->space.rank - 2], &minus),
                              "0") == 0 && acc->n_by == 0;
    bool by_half = is_bool || gen_ints_use_half(acc), by_float = gen_is_converted_int(acc) && !by_half && dtype_info(acc->dtype[0])->size_bytes == 2;
    const char *target = by_half ? "scratch" : operand(c, dst, gen_is_float(acc) || by_float ? KIR_F32 : KIR_I32);
    const char *what = dense ? "ExpandRows" : same ? "FillTile" : "FillRows", *src = io;
    const char *step =
        dense || same ? "" : arena_printf(c->gen->a, ", BLOCK_BYTES / sizeof(%s)", gen_io_type(c->gen, acc));
    if (is_bool || is_converted(c->gen, acc))
        src = arena_printf(c->gen->a, "WideColumn<%s>(%s, %s)", by_half ? "half" : gen_is_converted_int(acc) && !by_float ? "int32_t" : "float", io,
                           dense ? "nRows_" : arena_printf(c->gen->a, "nRows_ * BLOCK_BYTES / sizeof(%s)", gen_io_type(c->gen, acc)));
    cxx_line(c->cx, "%s(%s, %s%s);", what, target, src, step);
    if (is_bool)
        cxx_line(c->cx, "CompareScalar(%s, scratch, static_cast<half>(0), CMPMODE::NE, count);",
                 place_name(c, dst));
    else if (by_half || by_float)
        cxx_line(c->cx, "Cast(%s, %s, RoundMode::CAST_RINT, count);", operand(c, dst, KIR_I32), target);
    if (by_float && acc->dtype[0] == DTYPE_U16) write_drop_sign(c, operand(c, dst, KIR_I32));
}

static void write_strided(Ctx *c, const PlanAccess *acc, Place dst) {
    Gen *gen = c->gen;
    bool minus_row, minus_col;
    uint32_t rank = c->p->space.rank;
    const char *row = gen_kernel_size(gen, c->gp, acc->view.stride[rank - 2], &minus_row);
    const char *col = gen_kernel_size(gen, c->gp, acc->view.stride[rank - 1], &minus_col);
    const char *start = gen_gather_start(gen, c->gp, acc);
    const char *type = gen_io_type(gen, acc);
    bool neighbours = size_is(acc->view.stride[rank - 2], 1) && dtype_info(acc->dtype[0])->size_bytes > 1;
    const char *args = arena_printf(gen->a, "%sGm_, %s, %s%s, %s", acc->tensor_name, start,
                                    minus_row ? "0 - " : "", row, col);
    const char *call =
        arena_printf(gen->a, "%s<%s, %s>", minus_col ? "GatherRowsBack" : "GatherRows",
                     gen_is_bool(acc) ? "uint16_t, uint8_t" : arena_printf(gen->a, "%s, %s", gen_ints_gathered_type(gen, acc), type),
                     neighbours ? arena_printf(gen->a, "BLOCK_BYTES / sizeof(%s)", type) : "1");
    if (gen_is_bool(acc)) {
        cxx_line(c->cx, "%s(scratch.ReinterpretCast<uint16_t>(), %s);", call, args);
        cxx_line(c->cx, "MaskFromPairs(%s, count);", place_name(c, dst));
    } else if (gen_ints_gather_aside(acc)) {
        cxx_line(c->cx, "%s(half_.Get<%s>(), %s);", call, gen_ints_gathered_type(gen, acc), args);
        gen_ints_from_gathered(c->cx, acc, operand(c, dst, KIR_I32), "count");
    } else if (is_split(gen, acc)) {
        cxx_line(c->cx, "LocalTensor<%s> %s = GatherTarget<%s>(%s);", type, gen_io_name(gen, acc), type,
                 operand(c, dst, KIR_F32));
        cxx_line(c->cx, "%s(%s, %s);", call, gen_io_name(gen, acc), args);
        cxx_line(c->cx, "Widen(%s, %s, count);", operand(c, dst, KIR_F32), gen_io_name(gen, acc));
    } else {
        cxx_line(c->cx, "%s(%s, %s);", call, operand(c, dst, gen_is_float(acc) ? KIR_F32 : KIR_I32), args);
    }
}

static void write_picked(Ctx *c, const PlanAccess *acc, Place dst) {
    Gen *gen = c->gen;
    const char *type = gen_io_type(gen, acc), *pick = gen_index_function(gen, acc, "Pick");
    if (gen_is_bool(acc)) {
        cxx_line(c->cx, "%s(scratch.ReinterpretCast<uint16_t>());", pick);
        cxx_line(c->cx, "MaskFromPairs(%s, count);", place_name(c, dst));
    } else if (gen_ints_gather_aside(acc)) {
        cxx_line(c->cx, "%s(half_.Get<%s>());", pick, gen_ints_gathered_type(gen, acc));
        gen_ints_from_gathered(c->cx, acc, operand(c, dst, KIR_I32), "count");
    } else if (is_split(gen, acc)) {
        cxx_line(c->cx, "LocalTensor<%s> %s = GatherTarget<%s>(%s);", type, gen_io_name(gen, acc), type,
                 operand(c, dst, KIR_F32));
        cxx_line(c->cx, "%s(%s);", pick, gen_io_name(gen, acc));
        cxx_line(c->cx, "Widen(%s, %s, count);", operand(c, dst, KIR_F32), gen_io_name(gen, acc));
    } else {
        cxx_line(c->cx, "%s(%s);", pick, operand(c, dst, gen_is_float(acc) ? KIR_F32 : KIR_I32));
    }
}

static void write_counted(Ctx *c, const PlanAccess *acc, Place dst) {
    uint32_t rank = c->p->space.rank;
    bool minus[2];
    const char *row = gen_kernel_size(c->gen, c->gp, acc->view.stride[rank - 2], &minus[0]),
               *col = gen_kernel_size(c->gen, c->gp, acc->view.stride[rank - 1], &minus[1]);
    cxx_line(c->cx, "CountRows(%s, static_cast<int64_t>(%s), %sstatic_cast<int32_t>(%s), %sstatic_cast<int32_t>(%s));", operand(c, dst, KIR_I32),
             gen_tile_start(c->gen, c->gp, acc, true), minus[0] ? "-" : "", row, minus[1] ? "-" : "", col);
}

static void write_load(Ctx *c, const PlanStep *st) {
    const PlanAccess *acc = &c->p->access.at[c->p->kir->insns.at[st->insn].mode];
    switch (acc->cls) {
    case PLAN_LINE:
    case PLAN_ROW:
        if (gen_is_bool(acc))
            cxx_line(c->cx, "MaskFromBytes(%s, %s, count);", place_name(c, st->dst),
                     gen_io_name(c->gen, acc));
        else if (is_split(c->gen, acc))
            cxx_line(c->cx, "Widen(%s, %s, count);", acc->name, gen_io_name(c->gen, acc));
        else if (gen_is_converted_int(acc))
            gen_ints_in(c->cx, acc, acc->name, gen_io_name(c->gen, acc), "count");
        break;
    case PLAN_COLUMN:
        write_column(c, acc, st->dst);
        break;
    case PLAN_STRIDED:
        write_strided(c, acc, st->dst);
        break;
    case PLAN_PICKED:
        write_picked(c, acc, st->dst);
        break;
    case PLAN_COUNTED:
        write_counted(c, acc, st->dst);
        break;
    default:
        break; /* a vector is in UB already */
    }
}

static void write_store(Ctx *c, const PlanStep *st) {
    const PlanAccess *acc = &c->p->access.at[c->p->kir->insns.at[st->insn].mode];
    const char *io = gen_io_name(c->gen, acc);
    KirType t = kir_op_info(c->p->kir->insns.at[st->insn].op)->type;
    const char *src = operand(c, st->src[0], t);
    if (t == KIR_MASK) cxx_line(c->cx, "BytesFromMask(%s, %s, count);", io, src);
    else if (gen_is_converted_int(acc)) gen_ints_out(c->cx, acc, io, src, "count");
    else if (acc->in_place && is_split(c->gen, acc)) cxx_line(c->cx, "Narrow(%s, %s, count);", io, src);
    else if (!acc->in_place && t == KIR_F32) cxx_line(c->cx, "NarrowCopy(%s, %s, count);", io, src);
    else if (!acc->in_place) cxx_line(c->cx, "DataCopy(%s, %s, count);", io, src);
}

/* ---- Compute
 * ----------------------------------------------------------------------------------------------------- */

static void find_slot_types(Ctx *c) {
    const PlanPass *p = c->p;
    c->work_type = ARENA_ARRAY(c->gen->a, p->n_work, const char *);
    c->half_type = ARENA_ARRAY(c->gen->a, p->n_half, const char *);
    for (size_t i = 0; i < p->n_half; i++) c->half_type[i] = "half";
    for (size_t i = p->n_steps; i-- > 0;) {
        const PlanStep *st = &p->steps[i];
        const char *t = type_name(kir_type(p->kir, st->insn));
        if (st->dst.kind == PLACE_WORK) c->work_type[st->dst.index] = t;
        if (st->dst.kind == PLACE_HALF) c->half_type[st->dst.index] = t;
    }
}

static void write_in_tensor(Ctx *c, const PlanAccess *acc) {
    const char *type = gen_io_type(c->gen, acc), *io = gen_io_name(c->gen, acc);
    if (plan_packs_inputs(c->p))
        cxx_line(c->cx, "LocalTensor<%s> %s = in[%s].ReinterpretCast<%s>();", type, io,
                 gen_packed_offset(c->gen, c->gp, acc), type);
    else cxx_line(c->cx, "LocalTensor<%s> %s = %sQueue_.DeQue<%s>();", type, io, acc->name, type);
    if (gen_repeats_row(c->gen, c->gp, acc)) cxx_line(c->cx, "RepeatRow(%s);", io);
}

static void write_out_tensor(Ctx *c, const PlanAccess *acc) {
    const char *type = gen_io_type(c->gen, acc), *io = gen_io_name(c->gen, acc);
    if (plan_packs_outputs(c->p))
        cxx_line(c->cx, "LocalTensor<%s> %s = out[%s].ReinterpretCast<%s>();", type, io,
                 gen_packed_offset(c->gen, c->gp, acc), type);
    else cxx_line(c->cx, "LocalTensor<%s> %s = %sQueue_.AllocTensor<%s>();", type, io, acc->name, type);
}

const char *gen_step_text(Gen *gen, const GenPass *gp, size_t program, const PlanStep *st) {
    Ctx c = {.gen = gen, .gp = gp, .p = gen->plan->programs.at[program]->passes.at[gp->index]};
    const KirInsn *in = &c.p->kir->insns.at[st->insn];
    find_slot_types(&c);
    if (!kir_is_load(in->op) && !kir_is_store(in->op)) return insn_text(&c, st);
    const PlanAccess *acc = &c.p->access.at[in->mode];
    return arena_printf(gen->a, kir_is_load(in->op) ? "load %s (%s)" : "store %s (%s)", acc->name,
                        plan_class_name(acc->cls));
}

static void write_queue_tensors(Ctx *c) {
    const PlanPass *p = c->p;
    if (plan_packs_inputs(p)) cxx_line(c->cx, "LocalTensor<uint8_t> in = inQueue_.DeQue<uint8_t>();");
    for (size_t i = 0; i < p->access.n; i++)
        if (!p->access.at[i].is_store && gen_is_queued(&p->access.at[i]))
            write_in_tensor(c, &p->access.at[i]);
    if (plan_packs_outputs(p))
        cxx_line(c->cx, "LocalTensor<uint8_t> out = outQueue_.AllocTensor<uint8_t>();");
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].is_store) write_out_tensor(c, &p->access.at[i]);
}

static void write_slots(Ctx *c) {
    const PlanPass *p = c->p;
    Gen *gen = c->gen;
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        uint32_t slot = plan_narrow_slot(p, acc);
        if (slot != UINT32_MAX && gen_is_converted_int(acc))
            cxx_line(c->cx, "LocalTensor<int32_t> %s = work_.Get<int32_t>()[%u * tileLength_];", acc->name, slot);
        else if (slot != UINT32_MAX)
            cxx_line(c->cx, "LocalTensor<float> %s = Slot(%s, %u);", acc->name, gen_io_name(gen, acc), slot);
    }
    for (uint32_t i = 0; i < p->n_work; i++)
        cxx_line(c->cx, "LocalTensor<%s> t%u = work_.Get<%s>()[%u * tileLength_];", c->work_type[i], i,
                 c->work_type[i], i);
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (acc->cls != PLAN_VECTOR) continue;
        if (acc->place.kind == PLACE_KEEP_MASK)
            cxx_line(c->cx, "LocalTensor<uint8_t> %s = keepMask_.Get<uint8_t>()[%u * tileLength_ / 8];",
                     acc->name, acc->place.index);
        else
            cxx_line(c->cx, "LocalTensor<%s> %s = keep_.Get<%s>()[%u * tileLength_];",
                     gen_is_float(acc) ? "float" : "int32_t", acc->name,
                     gen_is_float(acc) ? "float" : "int32_t", acc->place.index);
    }
    for (uint32_t i = 0; i < p->n_mask; i++)
        cxx_line(c->cx, "LocalTensor<uint8_t> m%u = mask_.Get<uint8_t>()[%u * tileLength_ / 8];", i, i);
    for (uint32_t i = 0; i < p->n_half; i++) {
        if (i == 0 && p->half_scratch && !gen_uses_scratch_here(gen, c->gp)) continue;
        cxx_line(c->cx, "LocalTensor<%s> %s = half_.Get<%s>()[%u * tileLength_];", c->half_type[i],
                 place_name(c, (Place){PLACE_HALF, i}), c->half_type[i], i);
    }
}

/* Scratch is a variable of Compute itself when a column of bytes or a gathered bool goes through it. */
bool gen_uses_scratch_here(const Gen *gen, const GenPass *gp) {
    (void)gen;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (gen_is_bool(acc) && !acc->is_store && (acc->cls == PLAN_COLUMN || acc->cls == PLAN_STRIDED || acc->cls == PLAN_PICKED))
            return true;
        if (gen_ints_use_half(acc) && acc->cls == PLAN_COLUMN) return true;
    }
    return false;
}

static void write_release(Ctx *c) {
    const PlanPass *p = c->p;
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].is_store && !plan_packs_outputs(p))
            cxx_line(c->cx, "%sQueue_.EnQue(%s);", p->access.at[i].name,
                     gen_io_name(c->gen, &p->access.at[i]));
    if (plan_packs_outputs(p)) cxx_line(c->cx, "outQueue_.EnQue(out);");
    for (size_t i = 0; i < p->access.n; i++)
        if (!p->access.at[i].is_store && gen_is_queued(&p->access.at[i]) && !plan_packs_inputs(p))
            cxx_line(c->cx, "%sQueue_.FreeTensor(%s);", p->access.at[i].name,
                     gen_io_name(c->gen, &p->access.at[i]));
    if (plan_packs_inputs(p)) cxx_line(c->cx, "inQueue_.FreeTensor(in);");
}

/* One statement a line. */
static void write_insn(Ctx *c, const PlanStep *st) {
    const char *text = insn_text(c, st);
    for (const char *end = strstr(text, "; "); end; end = strstr(text, "; ")) {
        cxx_line(c->cx, "%.*s;", (int)(end - text), text);
        text = end + 2;
    }
    cxx_line(c->cx, "%s;", text);
}

static void write_steps(Ctx *c) {
    for (size_t t = 0; t < c->p->n_steps; t++) {
        const PlanStep *st = &c->p->steps[t];
        const KirInsn *in = &c->p->kir->insns.at[st->insn];
        write_note(c, in);
        if (kir_is_load(in->op)) write_load(c, st);
        else if (kir_is_store(in->op)) write_store(c, st);
        else write_insn(c, st);
    }
}

/* "Compute", or "ComputeHalfBfloat16" when other types are computed otherwise. */
static const char *function_name(Gen *gen, size_t program) {
    const PlanProgram *pr = gen->plan->programs.at[program];
    const char *name = "Compute";
    for (size_t i = 0; gen->plan->programs.n > 1 && i < pr->variants.n; i++) {
        char *type = arena_strdup(
            gen->a, dtype_info(gen->g->variants[gen->plan->variants.at[pr->variants.at[i]]])->cxx);
        type[0] = (char)toupper((unsigned char)type[0]);
        name = arena_printf(gen->a, "%s%.*s", name, (int)strcspn(type, "_"), type);
    }
    return name;
}

static void write_function(Gen *gen, const GenPass *gp, size_t program, Cxx *cx) {
    Ctx c = {.gen = gen,
             .gp = gp,
             .p = gen->plan->programs.at[program]->passes.at[gp->index],
             .cx = cx,
             .round = plan_round(gp->p)};
    bool flat = gp->p->schedule == PLAN_FLAT;
    find_slot_types(&c);
    cxx_comment(cx,
                "Whole groups of %u elements: lanes past the end of the data are computed and never stored.",
                c.round);
    cxx_function(cx, "__aicore__ inline void %s(%s)", function_name(gen, program), flat ? "uint32_t n" : "");
    cxx_line(cx, "const int32_t count = RoundUp(%s, %u);", flat ? "n" : "nRows_ * pitch_", c.round);
    write_queue_tensors(&c);
    write_slots(&c);
    cxx_blank(cx);
    write_steps(&c);
    cxx_blank(cx);
    write_release(&c);
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_dispatch(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool flat = gp->p->schedule == PLAN_FLAT;
    const char *n = flat ? "n" : "";
    size_t last = gen->plan->programs.n - 1;
    cxx_comment(cx, "Results of 16 bits need fewer instructions.");
    cxx_function(cx, "__aicore__ inline void Compute(%s)", flat ? "uint32_t n" : "");
    for (size_t i = 0; i < last; i++) {
        const PlanProgram *pr = gen->plan->programs.at[i];
        const char *test = gen_kernel_is_any(gen, pr->variants.at, pr->variants.n);
        cxx_open(cx, "%sif constexpr (%s)", i ? "else " : "", test);
        cxx_line(cx, "%s(%s);", function_name(gen, i), n);
        if (i + 1 < last) cxx_close(cx, "");
    }
    cxx_else(cx);
    cxx_line(cx, "%s(%s);", function_name(gen, last), n);
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_kernel_compute(Gen *gen, const GenPass *gp, Cxx *cx) {
    gen_kernel_conversions(gen, gp, cx);
    for (size_t i = 0; i < gen->plan->programs.n; i++) write_function(gen, gp, i, cx);
    if (gen->plan->programs.n > 1) write_dispatch(gen, gp, cx);
}
