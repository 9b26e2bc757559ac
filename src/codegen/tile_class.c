/* The class of a pass of the pointwise family: Init, Process, members. Data movement is kernel_copy.c,
 * arithmetic kernel_compute.c. */
#include "codegen/emit.h"
#include "codegen/host.h"
#include "codegen/kernel.h"
#include "lower/scan.h"

#include <string.h>

bool gen_any(const GenPass *gp, bool (*is)(const PlanAccess *)) {
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (is(&gp->p->access.at[i])) return true;
    return false;
}

bool gen_has_class(const GenPass *gp, PlanClass c) {
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (!gp->p->access.at[i].is_store && gp->p->access.at[i].cls == c) return true;
    return false;
}

static bool is_moved(const PlanAccess *acc) {
    return acc->cls != PLAN_NUMBER;
}

static bool has_narrow_float(const Gen *gen, const GenPass *gp, int stores) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (is_moved(acc) && (stores < 0 || acc->is_store == stores) && gen_is_float(acc) &&
            !gen_is_always_wide(gen, acc))
            return true;
    }
    return false;
}

/* Some store copies its value because the value could not be computed in the output's slot. */
static bool has_copied_store(const PlanPass *p) {
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].is_store && gen_is_float(&p->access.at[i]) && !p->access.at[i].in_place)
            return true;
    return false;
}

bool gen_uses_special_floats(const Kir *k) {
    for (size_t i = 0; i < k->insns.n; i++) {
        const KirInsn *in = &k->insns.at[i];
        const KirOpInfo *info = kir_op_info(in->op);
        if (info->has_scalar && info->scalar_type == KIR_F32 && !in->scalar.is_runtime &&
            in->scalar.value - in->scalar.value != 0)
            return true;
    }
    return false;
}

static bool reads_float_number(const GenPass *gp) {
    for (size_t i = 0; i < gp->p->scalars.n; i++) {
        const PlanScalar *s = &gp->p->scalars.at[i];
        if (s->kind == PLAN_ELEMENT && gen_is_float(&gp->p->access.at[s->index])) return true;
    }
    return false;
}
uint32_t gen_tile_needs(Gen *gen, const GenPass *gp) {
    uint32_t needs = 0;
    if (has_narrow_float(gen, gp, false)) needs |= KERNEL_WIDEN;
    if (has_narrow_float(gen, gp, true)) needs |= KERNEL_NARROW;
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        const PlanPass *p = plan_pass(gen->plan, gp->index, v);
        if (has_copied_store(p)) needs |= KERNEL_NARROW_COPY;
        if (gen_uses_special_floats(p->kir)) needs |= KERNEL_FLOAT_BITS;
    }
    if (reads_float_number(gp)) needs |= KERNEL_TO_FLOAT;
    return needs;
}

/* ---- class
 * ------------------------------------------------------------------------------------------------------- */

/* Tensors of the pass, each once, inputs first: GM arguments of Init and GlobalTensor members. */
size_t gen_pass_tensors(const GenPass *gp, const PlanAccess **out) {
    size_t n = 0;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        bool seen = acc->cls == PLAN_COUNTED;
        for (size_t k = 0; k < n; k++)
            seen |= out[k]->is_store == acc->is_store && out[k]->tensor == acc->tensor;
        if (!seen) out[n++] = acc;
    }
    return n;
}

/* ---- slots: how many there are may depend on the dtype
 * ----------------------------------------------------------- */

enum { SLOTS_WORK, SLOTS_MASK, SLOTS_HALF, SLOTS_N };
static const struct {
    const char *buffer, *constant;
} SLOT_KINDS[SLOTS_N] = {{"work_", "WORK_SLOTS"}, {"mask_", "MASK_SLOTS"}, {"half_", "HALF_SLOTS"}};

static uint32_t *slot_counts(Gen *gen, const GenPass *gp, int kind) {
    uint32_t *n = ARENA_ARRAY(gen->a, gen->plan->variants.n, uint32_t);
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        const PlanPass *p = plan_pass(gen->plan, gp->index, v);
        n[v] = kind == SLOTS_WORK ? plan_n_work(p, v) : kind == SLOTS_MASK ? p->n_mask : p->n_half;
    }
    return n;
}

/* A number, or the name of a constant. */
static const char *slot_count(Gen *gen, const GenPass *gp, int kind) {
    const uint32_t *n = slot_counts(gen, gp, kind);
    for (size_t v = 1; v < gen->plan->variants.n; v++)
        if (n[v] != n[0]) return SLOT_KINDS[kind].constant;
    return arena_printf(gen->a, "%u", n[0]);
}

/* The constant that says whether a dtype has this buffer at all; NULL when every dtype has it. */
static const char *absent_in_some(Gen *gen, const GenPass *gp, const char *buffer) {
    for (int k = 0; k < SLOTS_N; k++) {
        if (strcmp(SLOT_KINDS[k].buffer, buffer) != 0) continue;
        const uint32_t *n = slot_counts(gen, gp, k);
        for (size_t v = 0; v < gen->plan->variants.n; v++)
            if (n[v] == 0) return SLOT_KINDS[k].constant;
    }
    return NULL;
}

/* "IsSameType<DTYPE_X, float>::value" */
static const char *is_variant(Gen *gen, size_t v) {
    size_t key = host_key_input(gen);
    const GraphInput *in = &gen->g->inputs[key];
    return arena_printf(gen->a, "IsSameType<DTYPE_%s, %s>::value", gen_upper(gen->a, in->name),
                        dtype_info(gen_value_dtype(gen, &gen->g->values[in->value], v))->cxx);
}

const char *gen_kernel_is_any(Gen *gen, const size_t *variants, size_t n) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t i = 0; i < n; i++) strbuf_printf(&sb, "%s%s", i ? " || " : "", is_variant(gen, variants[i]));
    return sb.text;
}

const char *gen_kernel_by_variant(Gen *gen, const uint32_t *number) {
    size_t n = gen->plan->variants.n;
    const char *text = arena_printf(gen->a, "%u", number[0]);
    for (size_t v = 1; v < n; v++) /* float32 comes last and first in the text */
        if (number[v] != number[0])
            text = arena_printf(gen->a, "%s ? %u : %s", is_variant(gen, v), number[v], text);
    return text;
}

/* ---- buffers
 * ----------------------------------------------------------------------------------------------------- */

/* Expression for the bytes of one tile of access acc in its queue. */
const char *gen_tile_bytes(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    const char *type = gen_io_type(gen, acc);
    if (acc->cls != PLAN_COLUMN) return arena_printf(gen->a, "tileLength_ * sizeof(%s)", type);
    if (plan_column_is_dense(gp->p, acc)) return arena_printf(gen->a, "MAX_ROWS * sizeof(%s)", type);
    return "MAX_ROWS * BLOCK_BYTES";
}

static const char *packed_bytes(Gen *gen, const GenPass *gp, bool stores) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store != stores || !gen_is_queued(acc)) continue;
        strbuf_printf(&sb, "%s%s", sb.n_bytes ? " + " : "", gen_tile_bytes(gen, gp, acc));
    }
    return sb.text;
}

/* Where access acc begins in the shared queue's buffer. */
const char *gen_packed_offset(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *other = &gp->p->access.at[i];
        if (strcmp(other->name, acc->name) == 0) break; /* not by address: acc may be of another program */
        if (other->is_store != acc->is_store || !gen_is_queued(other)) continue;
        strbuf_printf(&sb, "%s%s", sb.n_bytes ? " + " : "", gen_tile_bytes(gen, gp, other));
    }
    return sb.n_bytes ? sb.text : "0";
}

static const char *const PICK_BUFFERS[] = {"place_", "inWindow_", "picked_"};

static const char *buffer_bytes(Gen *gen, const GenPass *gp, const PlanBuffer *b) {
    const PlanPass *p = gp->p;
    const char *own = gp->emit->buffer_bytes ? gp->emit->buffer_bytes(gen, gp, b->name) : NULL;
    if (own) return own;
    if (strcmp(b->name, "inQueue_") == 0) return packed_bytes(gen, gp, false);
    if (strcmp(b->name, "outQueue_") == 0) return packed_bytes(gen, gp, true);
    if (strcmp(b->name, "vectorQueue_") == 0) {
        const PlanAccess *widest = plan_widest_vector(p);
        return arena_printf(gen->a, "tileLength_ * sizeof(%s)", widest ? gen_io_type(gen, widest) : "float");
    }
    if (strcmp(b->name, "work_") == 0)
        return arena_printf(gen->a, "%s * tileLength_ * sizeof(float)", slot_count(gen, gp, SLOTS_WORK));
    if (strcmp(b->name, "keep_") == 0)
        return arena_printf(gen->a, "%u * tileLength_ * sizeof(float)", p->n_keep);
    if (strcmp(b->name, "mask_") == 0)
        return arena_printf(gen->a, "%s * tileLength_ / 8", slot_count(gen, gp, SLOTS_MASK));
    if (strcmp(b->name, "keepMask_") == 0)
        return arena_printf(gen->a, "%u * tileLength_ / 8", p->n_keep_mask);
    if (strcmp(b->name, "half_") == 0)
        return arena_printf(gen->a, "%s * tileLength_ * sizeof(half)", slot_count(gen, gp, SLOTS_HALF));
    if (strcmp(b->name, "stageQueue_") == 0) return "STAGE_COLS * BLOCK_BYTES";
    if (strncmp(b->name, "blockOffsets", 12) == 0) return "STAGE_COLS * sizeof(uint32_t)";
    if (strcmp(b->name, "windowQueue_") == 0) return "WINDOW_BYTES";
    if (strcmp(b->name, "indexQueue_") == 0) return "PICK_COLS * sizeof(int64_t)";
    if (strcmp(b->name, "range_") == 0) return arena_printf(gen->a, "%u", PLAN_RANGE_BYTES);
    if (strcmp(b->name, "isInside_") == 0) return "PICK_COLS / 8";
    for (size_t i = 0; i < 3; i++)
        if (strcmp(b->name, PICK_BUFFERS[i]) == 0) return "PICK_COLS * sizeof(int32_t)";
    if (strcmp(b->name, "columnBlocks_") == 0) return "MAX_ROWS * BLOCK_BYTES";
    if (strcmp(b->name, "columnWide_") == 0) return "2 * MAX_ROWS * BLOCK_BYTES";
    for (size_t i = 0; i < p->access.n; i++)
        if (strcmp(b->name, arena_printf(gen->a, "%sQueue_", p->access.at[i].name)) == 0)
            return gen_tile_bytes(gen, gp, &p->access.at[i]);
    return "0";
}

/* The buffers of all variants, each once. */
static PlanBuffer *all_buffers(Gen *gen, const GenPass *gp, size_t *n) {
    VEC(PlanBuffer) list = {0};
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        size_t k;
        const PlanBuffer *b = plan_buffers(gen->a, plan_pass(gen->plan, gp->index, v), v, &k);
        for (size_t i = 0; i < k; i++) {
            bool seen = false;
            for (size_t j = 0; j < list.n; j++) seen |= strcmp(list.at[j].name, b[i].name) == 0;
            if (!seen) vec_push(gen->a, &list, b[i]);
        }
    }
    *n = list.n;
    return list.at;
}

static void write_init_buffers(Gen *gen, const GenPass *gp, Cxx *cx) {
    size_t n;
    const PlanBuffer *b = all_buffers(gen, gp, &n);
    for (size_t i = 0; i < n; i++) {
        bool is_queue = strstr(b[i].name, "Queue_") != NULL;
        const char *bytes = buffer_bytes(gen, gp, &b[i]), *maybe = absent_in_some(gen, gp, b[i].name);
        if (maybe) cxx_open(cx, "if constexpr (%s > 0)", maybe);
        if (is_queue) cxx_line(cx, "pipe->InitBuffer(%s, %u, %s);", b[i].name, b[i].count, bytes);
        else cxx_line(cx, "pipe->InitBuffer(%s, %s);", b[i].name, bytes);
        if (maybe) cxx_close(cx, "");
    }
}

static void write_share(const GenPass *gp, Cxx *cx) {
    const char *share = gp->p->schedule == PLAN_FLAT ? "units" : "tiles";
    cxx_comment(cx, "A contiguous share of the %s; the first cores take one more.", share);
    cxx_line(cx, "const uint64_t core = GetBlockIdx();");
    if (gp->p->schedule == PLAN_FLAT) {
        cxx_line(cx, "begin_ = (core * unitsPerCore_ + Least<uint64_t>(core, extraUnits_)) * UNIT;");
        cxx_line(cx, "end_ = Least(begin_ + (unitsPerCore_ + (core < extraUnits_ ? 1 : 0)) * UNIT, total_);");
    } else {
        cxx_line(cx, "begin_ = core * tilesPerCore_ + Least<uint64_t>(core, extraTiles_);");
        cxx_line(cx, "end_ = begin_ + tilesPerCore_ + (core < extraTiles_ ? 1 : 0);");
        cxx_line(cx, "pitch_ = RoundUp(colsPerTile_, 64);");
    }
}

static void write_init(Gen *gen, const GenPass *gp, Cxx *cx) {
    gen_open_init(gen, gp, cx);
    cxx_blank(cx);
    if (gp->p->ordered) gen_scan_init(gen, gp, cx);
    else write_share(gp, cx);
    cxx_blank(cx);
    gen_bind_tensors(gen, gp, cx);
    cxx_blank(cx);
    write_init_buffers(gen, gp, cx);
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_read_numbers(Gen *gen, const GenPass *gp, Cxx *cx) {
    for (uint32_t i = 0; i < gp->p->scalars.n; i++) {
        const PlanScalar *s = &gp->p->scalars.at[i];
        if (s->kind != PLAN_ELEMENT) continue;
        const PlanAccess *acc = &gp->p->access.at[s->index];
        bool minus;
        const char *at = gen_kernel_size(gen, gp, acc->view.offset, &minus);
        for (int as_float = 1; as_float >= 0; as_float--) {
            if (as_float ? !s->as_float : !s->as_int) continue;
            const char *member = gen_scalar_member(gen, gp->p, i, as_float);
            const char *value = arena_printf(gen->a, "%sGm_.GetValue(%s)", acc->tensor_name, at);
            if (acc->dtype[0] == DTYPE_U16) value = arena_printf(gen->a, "static_cast<uint16_t>(%s)", value);
            if (gen_is_float(acc) && as_float) cxx_line(cx, "%s = NumberToFloat(%s);", member, value);
            else if (as_float)
                cxx_line(cx, "%s = static_cast<float>(static_cast<int32_t>(%s));", member, value);
            else if (gen_is_float(acc))
                cxx_line(cx, "%s = static_cast<int32_t>(NumberToFloat(%s));", member, value);
            else cxx_line(cx, "%s = static_cast<int32_t>(%s);", member, value);
        }
    }
}

static void write_process(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool flat = gp->p->schedule == PLAN_FLAT, vectors = gen_has_class(gp, PLAN_VECTOR),
         strided = gen_has_class(gp, PLAN_STRIDED) || gen_picks(gp, false);
    cxx_function(cx, "__aicore__ inline void Process()");
    if (!gp->p->ordered) { /* cores without tiles wait with the others */
        cxx_open(cx, "if (begin_ >= end_)");
        cxx_line(cx, "return;");
        cxx_close(cx, "");
    }
    gen_read_numbers(gen, gp, cx);
    if (strided) cxx_line(cx, "MakeBlockOffsets();");
    if (gp->emit->prepare) gp->emit->prepare(gen, gp, cx);
    if (gp->p->ordered) {
        gen_scan_process(gen, gp, cx);
        return;
    }
    if (flat) {
        cxx_open(cx, "for (uint64_t start = begin_; start < end_; start += tileLength_)");
        cxx_line(cx, "const uint32_t n = static_cast<uint32_t>(Least<uint64_t>(tileLength_, end_ - start));");
        cxx_line(cx, "CopyIn(start, n);");
        cxx_line(cx, "Compute(n);");
        cxx_line(cx, "CopyOut(start, n);");
    } else {
        if (vectors) cxx_line(cx, "uint64_t loadedCol = cols_;");
        cxx_open(cx, "for (uint64_t tile = begin_; tile < end_; tile++)");
        cxx_line(cx, "Locate(tile);");
        if (vectors) {
            cxx_open(cx, "if (col_ != loadedCol)");
            cxx_line(cx, "LoadVectors();");
            cxx_line(cx, "loadedCol = col_;");
            cxx_close(cx, "");
        }
        cxx_line(cx, "CopyIn();");
        cxx_line(cx, "Compute();");
        cxx_line(cx, "CopyOut();");
    }
    cxx_close(cx, "");
    if (gen_picks(gp, true)) cxx_line(cx, "FreeWindow();");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_members(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanPass *p = gp->p;
    size_t n_buffers;
    const PlanBuffer *b = all_buffers(gen, gp, &n_buffers);
    gen_declare_tensors(gen, gp, cx);
    for (size_t i = 0; i < n_buffers; i++) {
        bool is_queue = strstr(b[i].name, "Queue_") != NULL, is_out = strcmp(b[i].name, "outQueue_") == 0 || strcmp(b[i].name, "carryOutQueue_") == 0;
        for (size_t k = 0; k < p->access.n; k++)
            is_out |= p->access.at[k].is_store &&
                      strcmp(b[i].name, arena_printf(gen->a, "%sQueue_", p->access.at[k].name)) == 0;
        const char *position = strcmp(b[i].name, "columnBlocks_") == 0 ? "VECIN" : "VECCALC";
        if (is_queue) cxx_line(cx, "TQue<TPosition::%s, 1> %s;", is_out ? "VECOUT" : "VECIN", b[i].name);
        else cxx_line(cx, "TBuf<TPosition::%s> %s;", position, b[i].name);
    }
    cxx_blank(cx);
    gen_declare_fields(gp, cx);
    for (uint32_t i = 0; i < p->scalars.n; i++) {
        const PlanScalar *s = &p->scalars.at[i];
        if (s->kind != PLAN_ELEMENT) continue;
        if (s->as_float) cxx_line(cx, "float %s;", gen_scalar_member(gen, p, i, true));
        if (s->as_int) cxx_line(cx, "int32_t %s;", gen_scalar_member(gen, p, i, false));
    }
    if (p->schedule == PLAN_FLAT) {
        cxx_line(cx, "uint64_t begin_, end_; // elements of this core");
        return;
    }
    cxx_line(cx, "uint64_t begin_, end_; // tiles of this core");
    if (p->ordered) gen_scan_members(gen, gp, cx);
    cxx_blank(cx);
    cxx_comment(cx, "The tile at hand.");
    for (uint32_t d = 0; d + 2 < p->space.rank; d++) cxx_line(cx, "uint64_t i%u_;", d);
    cxx_line(cx, "uint64_t row_, col_;");
    cxx_line(cx, "uint32_t nRows_, nCols_;");
    cxx_line(cx, "uint32_t pitch_; // elements from row to row in UB");
    if (!gen_picks(gp, true)) return;
    cxx_blank(cx);
    cxx_comment(cx, "The window in UB that columns are picked from.");
    cxx_line(cx, "LocalTensor<uint8_t> window_;");
    cxx_line(cx, "const __gm__ void *windowAt_ = nullptr;");
    cxx_line(cx, "uint64_t windowBytes_ = 0; // 0: there is none");
}

static void write_constants(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool column = gen_has_class(gp, PLAN_COLUMN), strided = gen_has_class(gp, PLAN_STRIDED) || gen_picks(gp, false), window = gen_picks(gp, true),
         updates = gp->p->updates.n > 0;
    if (gp->p->schedule == PLAN_FLAT)
        cxx_line(cx, "static constexpr uint64_t UNIT = %u; // elements: cores take whole units", GEN_UNIT);
    if (column) cxx_line(cx, "static constexpr uint32_t MAX_ROWS = %u; // of a tile", PLAN_MAX_ROWS);
    if (strided)
        cxx_line(cx, "static constexpr uint32_t STAGE_COLS = %u; // columns gathered at a time",
                 PLAN_STAGE_COLS);
    if (column || strided) cxx_line(cx, "static constexpr uint32_t BLOCK_BYTES = %u;", PLAN_BLOCK_BYTES);
    if (window)
        cxx_line(cx, "static constexpr uint32_t WINDOW_BYTES = %u; // of a dimension that columns are picked from", PLAN_WINDOW_BYTES);
    if (window || updates) cxx_line(cx, "static constexpr uint32_t PICK_COLS = %u; // indices at a time", PLAN_PICK_COLS);
    if (updates) cxx_line(cx, "static constexpr uint32_t SOURCE_ELEMENTS = %u; // of updates at a time", PLAN_SOURCE_ELEMENTS);
    if (gp->p->schedule == PLAN_FLAT || column || strided || window || updates) cxx_blank(cx);
    bool any = false;
    for (int k = 0; k < SLOTS_N; k++) {
        if (strcmp(slot_count(gen, gp, k), SLOT_KINDS[k].constant) != 0) continue;
        cxx_line(cx, "static constexpr uint32_t %s = %s;", SLOT_KINDS[k].constant,
                 gen_kernel_by_variant(gen, slot_counts(gen, gp, k)));
        any = true;
    }
    if (any) cxx_blank(cx);
}

static void write_class_comment(Gen *gen, const GenPass *gp, Cxx *cx) {
    for (size_t i = 0; i < gp->p->outputs.n; i++) {
        uint32_t index = gp->p->outputs.at[i];
        if (index < gen->g->n_outputs) cxx_comment(cx, "%s", gen_formula_text(gen, index));
        else cxx_comment(cx, "`%s`, which a later stage needs", gen->plan->temps.at[index - gen->g->n_outputs].name);
    }
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (uint32_t d = 0; d < gp->p->space.rank; d++)
        strbuf_printf(&sb, "%s%s", d ? " x " : "",
                      size_print_factor(gen->a, gp->p->space.dim[d], gen->symbols, SIZE_PYTHON));
    if (gp->p->schedule == PLAN_FLAT) {
        cxx_comment(cx,
                    "All operands run through memory alike, so the %s elements are one line, cut into tiles "
                    "of tileLength.",
                    sb.text);
        return;
    }
    cxx_comment(
        cx,
        "The space is %s. A tile is rowsPerTile x colsPerTile; a row takes a multiple of 64 elements in UB.",
        sb.text);
    if (gp->p->ordered)
        cxx_comment(cx, "%s are scanned: the tiles of a line, which have the same %s, follow each other on one core%s.",
                    scan_runs_along_columns(gp->p) ? "Columns" : "Rows", scan_runs_along_columns(gp->p) ? "rows" : "columns",
                    scan_is_nested(gp->p) ? "" : ", or several that share it");
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        static const char *const WHAT[PLAN_N_CLASSES] = {[PLAN_NUMBER] = "one number",
                                                         [PLAN_VECTOR] = "one row that all rows share",
                                                         [PLAN_COLUMN] = "one number for each row",
                                                         [PLAN_STRIDED] =
                                                             "its columns lie apart and are gathered",
                                                         [PLAN_INDEX] = "names elements of others",
                                                         [PLAN_PICKED] = "its columns are named by an index tensor",
                                                         [PLAN_UPDATE] = "goes to places that an index tensor names",
                                                         [PLAN_COUNTED] = "counted, not read"};
        if (!acc->is_store && WHAT[acc->cls]) cxx_comment(cx, "  %s: %s", acc->name, WHAT[acc->cls]);
    }
}

void gen_open_class(const GenPass *gp, Cxx *cx) {
    cxx_open(cx, "class %s", gp->cls);
    cxx_label(cx, "public:");
    cxx_line(cx, "__aicore__ inline %s() {}", gp->cls);
    cxx_blank(cx);
}

void gen_kernel_class(Gen *gen, const GenPass *gp, Cxx *cx) {
    write_class_comment(gen, gp, cx);
    gen_open_class(gp, cx);
    write_init(gen, gp, cx);
    write_process(gen, gp, cx);
    cxx_label(cx, "private:");
    write_constants(gen, gp, cx);
    gen_kernel_copy(gen, gp, cx);
    if (gp->emit->members) gp->emit->members(gen, gp, cx);
    gen_kernel_compute(gen, gp, cx);
    write_members(gen, gp, cx);
    cxx_close(cx, ";");
    cxx_blank(cx);
}
