/* The class of a reduce pass: Init, Process, where items and tiles lie, members. */
#include "codegen/reduce_emit.h"

#include <string.h>

static bool is_reduced(const GenPass *gp, uint32_t d) {
    return reduce_plan(gp->p)->reduced[d];
}

/* ---- buffers
 * ----------------------------------------------------------------------------------------------------- */

static uint32_t max_tiles(Gen *gen, const GenPass *gp, bool *varies) {
    uint32_t most = 0;
    *varies = false;
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        uint32_t n = reduce_n_tiles(gp->p, v);
        *varies |= v && n != most;
        if (n > most) most = n;
    }
    return most;
}

static const char *tiles_text(Gen *gen, const GenPass *gp) {
    bool varies;
    uint32_t n = max_tiles(gen, gp, &varies);
    return varies ? "TILE_SLOTS" : arena_printf(gen->a, "%u", n);
}

uint32_t reduce_lane_elements(const PlanPass *p) {
    const ReducePlan *r = reduce_plan(p);
    uint32_t n = 0;
    for (size_t i = 0; i < p->kir->insns.n; i++) {
        KirOp op = p->kir->insns.at[i].op;
        if (!reduce_is_tile_op(op) || r->axis == REDUCE_ROWS) continue;
        if (reduce_is_int(op) || reduce_fold_of(op) == OP_MUL) return 35;
        if (r->axis == REDUCE_BOTH) n = 3;
    }
    return n;
}

typedef struct Buf {
    const char *name, *bytes, *type;
    uint32_t depth; /* 0: no queue */
} Buf;
typedef VEC(Buf) Bufs;

static Bufs buffers(Gen *gen, const GenPass *gp) {
    const PlanPass *p = gp->p;
    const ReducePlan *r = reduce_plan(p);
    Bufs list = {0};
    uint32_t depth = reduce_queue_depth(p);
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (!reduce_is_tile_access(p, acc)) continue;
        Buf b = {arena_printf(gen->a, "%sQueue_", acc->name),
                 arena_printf(gen->a, "tileLength_ * sizeof(%s)", gen_io_type(gen, acc)),
                 acc->is_store ? "TQue<TPosition::VECOUT, 1>" : "TQue<TPosition::VECIN, 1>", depth};
        vec_push(gen->a, &list, b);
    }
    const char *piece = arena_printf(gen->a, "pieceLength_ * %u", reduce_piece_bytes(gen, p));
    Buf more[] = {
        {reduce_has_piece_in(p) ? "pieceInQueue_" : NULL, piece, "TQue<TPosition::VECIN, 1>", depth},
        {reduce_has_piece_out(p) ? "pieceOutQueue_" : NULL, piece, "TQue<TPosition::VECOUT, 1>", depth},
        {strcmp(tiles_text(gen, gp), "0") != 0 ? "tiles_" : NULL,
         arena_printf(gen->a, "%s * tileLength_ * sizeof(float)", tiles_text(gen, gp)),
         "TBuf<TPosition::VECCALC>", 0},
        {r->n_slots[SLOT_MASK] ? "masks_" : NULL,
         arena_printf(gen->a, "%u * tileLength_ / 8", r->n_slots[SLOT_MASK]), "TBuf<TPosition::VECCALC>", 0},
        {r->n_slots[SLOT_HALF] ? "half_" : NULL,
         arena_printf(gen->a, "%u * tileLength_ * sizeof(half)", r->n_slots[SLOT_HALF]),
         "TBuf<TPosition::VECCALC>", 0},
        {r->n_slots[SLOT_COLS] ? "colSlots_" : NULL,
         arena_printf(gen->a, "%u * pitch_ * sizeof(float)", r->n_slots[SLOT_COLS]),
         "TBuf<TPosition::VECCALC>", 0},
        {r->n_slots[SLOT_ROWS] ? "rowSlots_" : NULL,
         arena_printf(gen->a, "%u * MAX_ROWS * sizeof(float)", r->n_slots[SLOT_ROWS]),
         "TBuf<TPosition::VECCALC>", 0},
        {r->n_slots[SLOT_BLOCKS] ? "blocks_" : NULL,
         arena_printf(gen->a, "%u * MAX_ROWS * 32", r->n_slots[SLOT_BLOCKS]), "TBuf<TPosition::VECCALC>", 0},
        {reduce_lane_elements(p) ? "lanes_" : NULL,
         arena_printf(gen->a, "%u * MAX_ROWS * sizeof(float)", reduce_lane_elements(p)),
         "TBuf<TPosition::VECCALC>", 0},
    };
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
        if (more[i].name) vec_push(gen->a, &list, more[i]);
    return list;
}

static void write_init_buffers(Gen *gen, const GenPass *gp, Cxx *cx) {
    Bufs list = buffers(gen, gp);
    for (size_t i = 0; i < list.n; i++) {
        const Buf *b = &list.at[i];
        bool maybe = strcmp(b->name, "tiles_") == 0 && strncmp(b->bytes, "TILE_SLOTS", 10) == 0;
        if (maybe) cxx_open(cx, "if constexpr (TILE_SLOTS > 0)");
        if (b->depth) cxx_line(cx, "pipe->InitBuffer(%s, %u, %s);", b->name, b->depth, b->bytes);
        else cxx_line(cx, "pipe->InitBuffer(%s, %s);", b->name, b->bytes);
        if (maybe) cxx_close(cx, "");
    }
}

/* ---- Init
 * -------------------------------------------------------------------------------------------------------- */

static void write_shares(const GenPass *gp, Cxx *cx) {
    bool splits = reduce_plan(gp->p)->n_exchanges > 0;
    cxx_line(cx, "const uint64_t core = GetBlockIdx(), cores = GetBlockNum();");
    cxx_line(cx, "tileBegin_ = 0;");
    cxx_line(cx, "tileEnd_ = nTiles_;");
    if (splits) {
        cxx_open(cx, "if (coresPerItem_ > 1)");
        cxx_comment(cx, "More cores than items: each takes a contiguous share of one item's tiles.");
        cxx_line(cx, "part_ = static_cast<uint32_t>(core %% coresPerItem_);");
        cxx_line(cx, "itemBegin_ = core / coresPerItem_;");
        cxx_line(cx, "itemEnd_ = itemBegin_ < nItems_ ? itemBegin_ + 1 : itemBegin_;");
        cxx_line(cx, "tileBegin_ = part_ * (nTiles_ / coresPerItem_) + Least<uint64_t>(part_, nTiles_ %% "
                     "coresPerItem_);");
        cxx_line(
            cx,
            "tileEnd_ = tileBegin_ + nTiles_ / coresPerItem_ + (part_ < nTiles_ %% coresPerItem_ ? 1 : 0);");
        cxx_else(cx);
        cxx_line(cx, "part_ = 0;");
    }
    cxx_comment(cx, "A contiguous share of the items; the first cores take one more.");
    cxx_line(cx, "itemBegin_ = core * (nItems_ / cores) + Least<uint64_t>(core, nItems_ %% cores);");
    cxx_line(cx, "itemEnd_ = itemBegin_ + nItems_ / cores + (core < nItems_ %% cores ? 1 : 0);");
    if (splits) cxx_close(cx, "");
    if (reduce_plan(gp->p)->n_phases > 1) cxx_line(cx, "resident_ = tileEnd_ - tileBegin_ <= 1;");
}

static void write_init(Gen *gen, const GenPass *gp, Cxx *cx) {
    gen_open_init(gen, gp, cx);
    if (emit_scratch(gen, gp)) cxx_line(cx, "scratch_ = scratch;");
    cxx_line(cx, "pitch_ = RoundUp(colsPerTile_, 64);");
    write_shares(gp, cx);
    cxx_blank(cx);
    gen_bind_tensors(gen, gp, cx);
    write_init_buffers(gen, gp, cx);
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- Process
 * ----------------------------------------------------------------------------------------------------- */

static bool has_elements(const PlanPass *p) {
    for (size_t i = 0; i < p->scalars.n; i++)
        if (p->scalars.at[i].kind == PLAN_ELEMENT) return true;
    return false;
}

static bool counts_tiles(const PlanPass *p) {
    return reduce_uses_member(p, "tileWeight") || reduce_uses_member(p, "tileInverse") ||
           reduce_uses_member(p, "coreCount");
}

static void write_process(Gen *gen, const GenPass *gp, Cxx *cx) {
    const ReducePlan *r = reduce_plan(gp->p);
    cxx_function(cx, "__aicore__ inline void Process()");
    if (has_elements(gp->p)) gen_read_numbers(gen, gp, cx);
    cxx_open(cx, "for (uint64_t item = itemBegin_; item < itemEnd_; item++)");
    cxx_line(cx, "LocateItem(item);");
    for (uint32_t ph = 0; ph < r->n_phases; ph++) {
        if (counts_tiles(gp->p) && ph == 0) cxx_line(cx, "ForgetTiles();");
        if (r->section[2 * ph].n) cxx_line(cx, "Before%u();", ph + 1);
        cxx_open(cx, "for (uint64_t tile = tileBegin_; tile < tileEnd_; tile++)");
        cxx_line(cx, "LocateTile(tile);");
        if (counts_tiles(gp->p) && ph == 0) cxx_line(cx, "CountTile();");
        cxx_line(cx, "Phase%u();", ph + 1);
        cxx_close(cx, "");
    }
    if (r->section[2 * r->n_phases].n) cxx_line(cx, "Finish();");
    cxx_close(cx, "");
    if (r->n_exchanges) {
        cxx_comment(cx, "Cores without an item wait as often as the others.");
        cxx_open(cx,
                 "for (uint32_t i = 0; coresPerItem_ > 1 && itemBegin_ >= itemEnd_ && i < EXCHANGES; i++)");
        cxx_line(cx, "SyncAll();");
        cxx_close(cx, "");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* The numbers `rest` is made of, first one fastest: blocks of a tile dimension or outer dimensions, kept or
 * reduced. */
static void write_outer(const GenPass *gp, Cxx *cx, bool reduced) {
    for (uint32_t d = gp->p->space.rank - 2; d-- > 0;) {
        if (is_reduced(gp, d) != reduced) continue;
        cxx_line(cx, "i%u_ = rest %% outer%u_;", d, d);
        cxx_line(cx, "rest /= outer%u_;", d);
    }
}

static void write_block(Cxx *cx, const char *index, const char *what) {
    const char *rows = strcmp(what, "row") == 0 ? "rows" : "cols";
    cxx_line(cx, "%s_ = %s * %sPerTile_;", what, index, rows);
    cxx_line(cx, "n%s_ = static_cast<uint32_t>(Least<uint64_t>(%sPerTile_, %s_ - %s_));",
             strcmp(what, "row") == 0 ? "Rows" : "Cols", rows, rows, what);
}

static void write_locate(const GenPass *gp, Cxx *cx) {
    ReduceAxis axis = reduce_plan(gp->p)->axis;
    bool outer[2] = {false, false};
    for (uint32_t d = 0; d + 2 < gp->p->space.rank; d++) outer[is_reduced(gp, d)] = true;
    cxx_function(cx, "__aicore__ inline void LocateItem(uint64_t item)");
    if (outer[0])
        cxx_line(cx, "uint64_t rest = item%s;",
                 axis == REDUCE_COLS   ? " / rowBlocks_"
                 : axis == REDUCE_ROWS ? " / colBlocks_"
                                       : "");
    if (axis == REDUCE_COLS) write_block(cx, outer[0] ? "item % rowBlocks_" : "item", "row");
    if (axis == REDUCE_ROWS) write_block(cx, outer[0] ? "item % colBlocks_" : "item", "col");
    write_outer(gp, cx, false);
    if (axis == REDUCE_BOTH && !outer[0]) cxx_line(cx, "(void)item;");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void LocateTile(uint64_t tile)");
    if (axis == REDUCE_BOTH) {
        cxx_line(cx, "uint64_t rest = tile / colBlocks_;");
        write_block(cx, "tile % colBlocks_", "col");
        write_block(cx, outer[1] ? "rest % rowBlocks_" : "rest", "row");
        if (outer[1]) cxx_line(cx, "rest /= rowBlocks_;");
    } else {
        const char *blocks = axis == REDUCE_COLS ? "colBlocks_" : "rowBlocks_";
        if (outer[1]) cxx_line(cx, "uint64_t rest = tile / %s;", blocks);
        write_block(cx, outer[1] ? arena_printf(cx->sb.arena, "tile %% %s", blocks) : "tile",
                    axis == REDUCE_COLS ? "col" : "row");
    }
    write_outer(gp, cx, true);
    if (reduce_uses_member(gp->p, "tileStart")) {
        int32_t d = reduce_plan(gp->p)->position_dim, last = (int32_t)gp->p->space.rank - 1;
        const char *at = d == last       ? "col_"
                         : d == last - 1 ? "row_"
                         : d < 0         ? "0"
                                         : arena_printf(cx->sb.arena, "i%d_", d);
        cxx_line(cx, "tileStart_ = static_cast<int32_t>(%s);", at);
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_count_tile(const GenPass *gp, Cxx *cx) {
    ReduceAxis axis = reduce_plan(gp->p)->axis;
    const char *n = axis == REDUCE_COLS ? "nCols_" : axis == REDUCE_ROWS ? "nRows_" : "nRows_ * nCols_";
    if (!counts_tiles(gp->p)) return;
    cxx_comment(cx, "Weights with which this tile joins those before it.");
    cxx_function(cx, "__aicore__ inline void CountTile()");
    cxx_line(
        cx,
        "const float n = static_cast<float>(static_cast<int32_t>(%s)), before = static_cast<float>(seen_);",
        n);
    cxx_line(cx, "seen_ += %s;", n);
    cxx_line(cx, "const float all = static_cast<float>(seen_);");
    if (reduce_uses_member(gp->p, "isFirst")) cxx_line(cx, "isFirst_ = before > 0.0f ? 0.0f : 1.0f;");
    if (reduce_uses_member(gp->p, "isLater")) cxx_line(cx, "isLater_ = before > 0.0f ? 1.0f : 0.0f;");
    if (reduce_uses_member(gp->p, "beforeInverse"))
        cxx_line(cx, "beforeInverse_ = before > 0.0f ? 1.0f / before : 0.0f;");
    if (reduce_uses_member(gp->p, "tileInverse")) cxx_line(cx, "tileInverse_ = 1.0f / n;");
    if (reduce_uses_member(gp->p, "tileWeight")) cxx_line(cx, "tileWeight_ = before * (n / all);");
    if (reduce_uses_member(gp->p, "coreCount")) cxx_line(cx, "coreCount_ = all;");
    if (reduce_uses_member(gp->p, "coreInverse")) cxx_line(cx, "coreInverse_ = 1.0f / all;");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void ForgetTiles()");
    cxx_line(cx, "seen_ = 0;");
    if (reduce_uses_member(gp->p, "coreCount")) cxx_line(cx, "coreCount_ = 0.0f;");
    if (reduce_uses_member(gp->p, "coreInverse")) cxx_line(cx, "coreInverse_ = 0.0f;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- members
 * ----------------------------------------------------------------------------------------------------- */

static void write_constants(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanPass *p = gp->p;
    bool varies;
    max_tiles(gen, gp, &varies);
    cxx_line(cx, "static constexpr uint32_t MAX_ROWS = %u; // of a tile", REDUCE_MAX_ROWS);
    cxx_line(cx, "static constexpr uint32_t LONGEST_STEP = 255 * 8; // elements from repeat to repeat");
    if (reduce_plan(p)->n_exchanges)
        cxx_line(cx, "static constexpr uint32_t EXCHANGES = %u; // between cores that share an item",
                 reduce_plan(p)->n_exchanges);
    if (varies) {
        uint32_t *n = ARENA_ARRAY(gen->a, gen->plan->variants.n, uint32_t);
        for (size_t v = 0; v < gen->plan->variants.n; v++) n[v] = reduce_n_tiles(p, v);
        cxx_line(cx, "static constexpr uint32_t TILE_SLOTS = %s;", gen_kernel_by_variant(gen, n));
    }
    cxx_blank(cx);
}

static void write_slot(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool needed = false, both = false;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->dtype[0] == DTYPE_I64 || reduce_narrow_slot(gp->p, acc) == UINT32_MAX) continue;
        needed = true;
        both |= gen_is_ever_wide(gen, acc);
    }
    if (!needed) return;
    cxx_comment(
        cx, both ? "The float32 form of an operand: its own buffer, or a tile slot when it is 16 bits wide."
                 : "The float32 form of a 16-bit operand.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<float> Slot(const LocalTensor<T> &io, uint32_t slot)");
    if (both) {
        cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
        cxx_line(cx, "return io;");
        cxx_else(cx);
    }
    cxx_line(cx, "return tiles_.Get<float>()[slot * tileLength_];");
    if (both) cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_members(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanPass *p = gp->p;
    Bufs list = buffers(gen, gp);
    gen_declare_tensors(gen, gp, cx);
    if (emit_scratch(gen, gp)) cxx_line(cx, "GM_ADDR scratch_;");
    for (size_t i = 0; i < list.n; i++) cxx_line(cx, "%s %s;", list.at[i].type, list.at[i].name);
    for (size_t i = 0; i < p->access.n; i++)
        if (!p->access.at[i].is_store && reduce_is_tile_access(p, &p->access.at[i]))
            cxx_line(cx, "LocalTensor<%s> %sIn_;", gen_io_type(gen, &p->access.at[i]), p->access.at[i].name);
    cxx_blank(cx);
    gen_declare_fields(gp, cx);
    for (uint32_t i = 0; i < p->scalars.n; i++) {
        const PlanScalar *s = &p->scalars.at[i];
        if (s->kind != PLAN_ELEMENT && s->kind != PLAN_MEMBER) continue;
        if (s->as_float) cxx_line(cx, "float %s;", gen_scalar_member(gen, p, i, true));
        if (s->as_int) cxx_line(cx, "int32_t %s;", gen_scalar_member(gen, p, i, false));
    }
    if (counts_tiles(p)) cxx_line(cx, "int64_t seen_; // elements of an item that this core has seen");
    cxx_line(cx, "uint64_t itemBegin_, itemEnd_, tileBegin_, tileEnd_; // of this core");
    if (reduce_plan(p)->n_exchanges) cxx_line(cx, "uint32_t part_; // of an item that cores share");
    if (reduce_plan(p)->n_phases > 1)
        cxx_line(cx, "bool resident_; // an item's tile stays in UB from phase to phase");
    cxx_blank(cx);
    cxx_comment(cx, "The tile at hand.");
    for (uint32_t d = 0; d + 2 < p->space.rank; d++) cxx_line(cx, "uint64_t i%u_;", d);
    cxx_line(cx, "uint64_t row_ = 0, col_ = 0;");
    cxx_line(cx, "uint32_t nRows_, nCols_;");
    cxx_line(cx, "uint32_t pitch_; // elements from row to row in UB");
}

static void write_class_comment(Gen *gen, const GenPass *gp, Cxx *cx) {
    static const char *const WHAT[] = {
        [REDUCE_COLS] = "columns are reduced: an item is a block of rows",
        [REDUCE_ROWS] = "rows are reduced: an item is a block of columns",
        [REDUCE_BOTH] = "rows and columns are reduced: an item is one set of outer indices"};
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t i = 0; i < gp->p->outputs.n; i++)
        if (gp->p->outputs.at[i] < gen->g->n_outputs)
            cxx_comment(cx, "%s", gen_formula_text(gen, gp->p->outputs.at[i]));
    for (uint32_t d = 0; d < gp->p->space.rank; d++)
        strbuf_printf(&sb, "%s%s%s", d ? " x " : "",
                      size_print_factor(gen->a, gp->p->space.dim[d], gen->symbols, SIZE_PYTHON),
                      is_reduced(gp, d) ? " (reduced)" : "");
    cxx_comment(cx,
                "The space is %s. A tile is rowsPerTile x colsPerTile; of it the %s. A row takes a multiple "
                "of 64 elements in UB.",
                sb.text, WHAT[reduce_plan(gp->p)->axis]);
    if (reduce_plan(gp->p)->n_phases > 1)
        cxx_comment(cx,
                    "An item that is one tile is loaded once; a longer one again for each of its %u phases.",
                    reduce_plan(gp->p)->n_phases);
}

void reduce_write_class(Gen *gen, const GenPass *gp, Cxx *cx) {
    write_class_comment(gen, gp, cx);
    gen_open_class(gp, cx);
    write_init(gen, gp, cx);
    write_process(gen, gp, cx);
    cxx_label(cx, "private:");
    write_constants(gen, gp, cx);
    write_locate(gp, cx);
    write_count_tile(gp, cx);
    bool loads = false, stores = false;
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (reduce_is_tile_access(gp->p, &gp->p->access.at[i]))
            *(gp->p->access.at[i].is_store ? &stores : &loads) = true;
    if (loads) gen_copy_rows(gen, gp, cx);
    if (stores) gen_copy_rows_out(cx);
    write_slot(gen, gp, cx);
    reduce_write_helpers(gen, gp, cx);
    reduce_write_sections(gen, gp, cx);
    write_members(gen, gp, cx);
    cxx_close(cx, ";");
    cxx_blank(cx);
}
