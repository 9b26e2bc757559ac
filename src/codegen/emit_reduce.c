/* The reduce family's text: tiling fields, the host's tile formula, and reduce_*.c put together. */
#include "codegen/reduce_emit.h"

#include <inttypes.h>
#include <string.h>

/* ---- fields
 * ------------------------------------------------------------------------------------------------------ */

static void fields(Gen *gen, GenPass *gp) {
    const GraphShape *sp = &gp->p->space;
    for (uint32_t d = 0; d + 2 < sp->rank; d++)
        gen_add_dim(gen, gp, arena_printf(gen->a, "outer%u", d), sp->dim[d], "size of an outer dimension");
    gen_add_dim(gen, gp, "rows", sp->dim[sp->rank - 2], "rows");
    gen_add_dim(gen, gp, "cols", sp->dim[sp->rank - 1], "columns");
    gen_add_field(gen, gp, "uint64_t", "rowBlocks", NULL, NULL, "tiles along the rows");
    gen_add_field(gen, gp, "uint64_t", "colBlocks", NULL, NULL, "tiles along the columns");
    gen_add_field(gen, gp, "uint64_t", "nItems", NULL, NULL, "items, each reduced by itself");
    gen_add_field(gen, gp, "uint64_t", "nTiles", NULL, NULL, "tiles of an item");
    gen_add_field(gen, gp, "uint32_t", "rowsPerTile", NULL, NULL, "rows of a tile");
    gen_add_field(gen, gp, "uint32_t", "colsPerTile", NULL, NULL, "columns of a tile");
    gen_add_field(gen, gp, "uint32_t", "tileLength", NULL, NULL, "elements a tile takes in UB");
    if (reduce_has_piece_in(gp->p) || reduce_has_piece_out(gp->p))
        gen_add_field(gen, gp, "uint32_t", "pieceLength", NULL, NULL,
                      "most elements of a row or column piece");
    if (reduce_plan(gp->p)->n_exchanges)
        gen_add_field(gen, gp, "uint32_t", "coresPerItem", NULL, NULL, "cores that share an item");
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (gp->p->access.at[i].cls == PLAN_NUMBER)
            gen_add_size(gen, gp, arena_printf(gen->a, "%sOffset", gp->p->access.at[i].name),
                         gp->p->access.at[i].view.offset, "the element");
        else gen_add_access_sizes(gen, gp, &gp->p->access.at[i]);
    gen_add_scalars(gen, gp);
    gen_sort_fields(gen, gp);
}

/* ---- UB
 * ----------------------------------------------------------------------------------------------------------
 */

/* Bits of UB for an element of a tile, for a column, and bytes for the numbers of rows. */
static void ub_of(Gen *gen, const GenPass *gp, size_t v, uint32_t *tile_bits, uint32_t *col_bytes,
                  uint32_t *fixed) {
    const PlanPass *p = gp->p;
    ReduceUb ub = reduce_ub(p, v);
    uint32_t pieces = reduce_queue_depth(p) *
                      ((uint32_t)reduce_has_piece_in(p) + (uint32_t)reduce_has_piece_out(p)) *
                      reduce_piece_bytes(gen, p);
    *tile_bits = (uint32_t)ub.tile_bits;
    *col_bytes = (uint32_t)ub.col_bytes + (reduce_pieces_are_cols(p) ? pieces : 0);
    *fixed = REDUCE_MAX_ROWS * ((uint32_t)ub.row_bytes + pieces + 4 * reduce_lane_elements(p));
}

typedef enum { TILE_BITS, COL_BYTES, FIXED_BYTES } UbPart;

static const char *ub_text(Gen *gen, const GenPass *gp, UbPart part) {
    uint32_t *n = ARENA_ARRAY(gen->a, gen->plan->variants.n, uint32_t);
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        uint32_t x[3];
        ub_of(gen, gp, v, &x[0], &x[1], &x[2]);
        n[v] = x[part];
    }
    return host_by_dtype(gen, n);
}

static bool fits(Gen *gen, const GenPass *gp, Err *err) {
    uint32_t in = reduce_has_piece_in(gp->p), out = reduce_has_piece_out(gp->p);
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (reduce_is_tile_access(gp->p, &gp->p->access.at[i]))
            *(gp->p->access.at[i].is_store ? &out : &in) += 1;
    if (in > 8 || out > 8) {
        err_set(err, ERR_UNSUPPORTED, gen->g->file, "more than 7 tensors meet around one reduction");
        return err_hint(err, "split it into operators with fewer tensors");
    }
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        uint32_t bits, col, fixed;
        ub_of(gen, gp, v, &bits, &col, &fixed);
        if (fixed + (64u * bits / 8 + 64u * col) * 4 < 196608u - 256u - HOST_RESERVED_UB) continue;
        err_set(err, ERR_UNSUPPORTED, gen->g->file,
                "the operator needs %u bits of UB for one element; not even a tile of 256 fits", bits);
        return err_hint(err, "split it into operators with fewer tensors and intermediate results");
    }
    return true;
}

/* ---- host
 * -------------------------------------------------------------------------------------------------------- */

static uint32_t host_needs(Gen *gen, const GenPass *gp) {
    (void)gen;
    return HOST_MIN_TILE_ELEMENTS | HOST_MAX_TILE | HOST_MAX_ROWS |
           (reduce_plan(gp->p)->reserved_ub ? HOST_RESERVED : 0);
}

static bool uses_dtype(Gen *gen, const GenPass *gp) {
    return strstr(ub_text(gen, gp, TILE_BITS), "dtype") || strstr(ub_text(gen, gp, COL_BYTES), "dtype") ||
           strstr(ub_text(gen, gp, FIXED_BYTES), "dtype");
}

/* Columns first: as many as fit beside one row. */
static void write_tile_cols(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_comment(cx, "Whole rows when one fits, so that they are loaded once; several when they are short.");
    cxx_line(cx, "const uint64_t longest%s = tileRoom%s / (tileBits%s + 8 * colBytes%s) * 8 / 256 * 256;", s, s,
             s, s);
    cxx_line(cx, "uint64_t colsPerTile%s = AlignUp(std::max<uint64_t>(cols%s, 1), 64);", s, s);
    cxx_open(cx, "if (colsPerTile%s > longest%s)", s, s);
    cxx_line(cx, "const uint64_t piece = std::min<uint64_t>(longest%s, MAX_TILE);", s);
    cxx_line(cx, "colsPerTile%s = AlignUp(CeilDiv(cols%s, CeilDiv(cols%s, piece)), 64);", s, s, s);
    cxx_close(cx, "");
    (void)gen;
}

static void write_tile_rows(const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    bool several = reduce_plan(gp->p)->n_phases > 1;
    cxx_comment(cx, several ? "As many columns as leave room for all rows, so that they are loaded once; 2 "
                              "KB when that leaves too few."
                            : "Rows of 4 KB of float32.");
    if (several) {
        cxx_line(cx,
                 "const uint64_t whole%s = tileRoom%s * 8 / (std::max<uint64_t>(rows%s, 1) * tileBits%s + 8 "
                 "* colBytes%s) / 64 * 64;",
                 s, s, s, s, s);
        cxx_line(cx, "uint64_t colsPerTile%s = rows%s <= MAX_ROWS && whole%s >= 64 ? whole%s : 512;", s, s, s,
                 s);
    } else {
        cxx_line(cx, "uint64_t colsPerTile%s = 1024;", s);
    }
    cxx_line(cx, "colsPerTile%s = Clamp(AlignUp(cols%s, 64), 64, colsPerTile%s);", s, s, s);
}

static const char *product(Gen *gen, const GenPass *gp, bool reduced) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (uint32_t d = 0; d + 2 < gp->p->space.rank; d++)
        if (reduce_plan(gp->p)->reduced[d] == reduced) strbuf_printf(&sb, "outer%u%s * ", d, gp->suffix);
    return sb.n_bytes ? sb.text : "";
}

/* More items, then more cores for each item, until every core has work. */
static void write_balance(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    ReduceAxis axis = reduce_plan(gp->p)->axis;
    const char *kept = axis == REDUCE_COLS   ? arena_printf(gen->a, "CeilDiv(rows%s, rowsPerTile%s)", s, s)
                       : axis == REDUCE_ROWS ? arena_printf(gen->a, "CeilDiv(cols%s, colsPerTile%s)", s, s)
                                             : "1";
    const char *tiles =
        axis == REDUCE_COLS ? arena_printf(gen->a, "CeilDiv(cols%s, colsPerTile%s)", s, s)
        : axis == REDUCE_ROWS
            ? arena_printf(gen->a, "CeilDiv(rows%s, rowsPerTile%s)", s, s)
            : arena_printf(gen->a, "CeilDiv(rows%s, rowsPerTile%s) * CeilDiv(cols%s, colsPerTile%s)", s, s, s,
                           s);
    cxx_open(cx, "const auto countItems%s = [&]()", s);
    cxx_line(cx, "return %s%s;", product(gen, gp, false), kept);
    cxx_close(cx, ";");
    cxx_open(cx, "const auto countTiles%s = [&]()", s);
    cxx_line(cx, "return %s%s;", product(gen, gp, true), tiles);
    cxx_close(cx, ";");
    if (axis == REDUCE_COLS) {
        cxx_open(cx,
                 "while (countItems%s() < 2 * cores && rowsPerTile%s > 1 && rowsPerTile%s * colsPerTile%s > "
                 "MIN_TILE)",
                 s, s, s, s);
        cxx_line(cx, "rowsPerTile%s = CeilDiv(rowsPerTile%s, 2);", s, s);
        cxx_close(cx, "");
    }
    if (axis == REDUCE_ROWS) {
        cxx_open(cx, "while (countItems%s() < cores && colsPerTile%s > 128)", s, s);
        cxx_line(cx, "colsPerTile%s = AlignUp(CeilDiv(colsPerTile%s, 2), 64);", s, s);
        cxx_close(cx, "");
    }
    cxx_line(cx, "const uint64_t nItems%s = countItems%s();", s, s);
    if (reduce_plan(gp->p)->n_exchanges) {
        cxx_comment(
            cx, "Fewer items than cores: several cores share an item, none with less than 4 KB of float32.");
        cxx_line(cx, "const uint64_t sharing%s = nItems%s > 0 ? cores / nItems%s : 1;", s, s, s);
        if (axis != REDUCE_ROWS) {
            cxx_open(cx,
                     "while (countTiles%s() < sharing%s && rowsPerTile%s * colsPerTile%s > MIN_TILE && "
                     "colsPerTile%s > 64)",
                     s, s, s, s, s);
            cxx_line(cx, "colsPerTile%s = AlignUp(CeilDiv(colsPerTile%s, 2), 64);", s, s);
            cxx_close(cx, "");
        } else {
            cxx_open(cx,
                     "while (countTiles%s() < sharing%s && rowsPerTile%s * colsPerTile%s > MIN_TILE && "
                     "rowsPerTile%s > 1)",
                     s, s, s, s, s);
            cxx_line(cx, "rowsPerTile%s = CeilDiv(rowsPerTile%s, 2);", s, s);
            cxx_close(cx, "");
        }
        cxx_line(
            cx, "const uint64_t coresPerItem%s = Clamp(countTiles%s(), 1, std::max<uint64_t>(sharing%s, 1));",
            s, s, s);
        cxx_line(cx, "const uint64_t wanted%s = Clamp(nItems%s * coresPerItem%s, 1, cores);", s, s, s);
    } else {
        cxx_line(cx, "const uint64_t wanted%s = Clamp(nItems%s, 1, cores);", s, s);
    }
}

static void host_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    const PlanPass *p = gp->p;
    ReduceAxis axis = reduce_plan(p)->axis;
    for (uint32_t d = 0; d + 2 < p->space.rank; d++)
        cxx_line(cx, "const uint64_t outer%u%s = %s;", d, s,
                 host_field_value(gp, arena_printf(gen->a, "outer%u", d)));
    cxx_line(cx, "const uint64_t rows%s = %s;", s, host_field_value(gp, "rows"));
    cxx_line(cx, "const uint64_t cols%s = %s;", s, host_field_value(gp, "cols"));
    cxx_comment(cx, "UB for an element of a tile, for a column, and for the numbers of rows.");
    cxx_line(cx, "const uint64_t tileBits%s = %s;", s, ub_text(gen, gp, TILE_BITS));
    cxx_line(cx, "const uint64_t colBytes%s = %s;", s, ub_text(gen, gp, COL_BYTES));
    const char *fixed = ub_text(gen, gp, FIXED_BYTES);
    cxx_line(cx, "const uint64_t tileRoom%s = ubBytes - %s%s%s%s;", s, strchr(fixed, ' ') ? "(" : "", fixed,
             strchr(fixed, ' ') ? ")" : "", reduce_plan(p)->reserved_ub ? " - RESERVED_UB" : "");
    host_write_row_limit(gen, gp, cx);
    if (axis == REDUCE_ROWS) write_tile_rows(gp, cx);
    else write_tile_cols(gen, gp, cx);
    cxx_line(
        cx,
        "const uint64_t fitting%s = (tileRoom%s - colsPerTile%s * colBytes%s) * 8 / tileBits%s / 256 * 256;",
        s, s, s, s, s);
    const char *most = axis == REDUCE_ROWS && reduce_plan(p)->n_phases > 1
                           ? arena_printf(gen->a, "fitting%s", s)
                           : arena_printf(gen->a, "std::min<uint64_t>(fitting%s, MAX_TILE)", s);
    cxx_line(cx, "uint64_t rowsPerTile%s = Clamp(std::min(%s / colsPerTile%s, rows%s), 1, maxRows%s);", s,
             most, s, s, s);
    write_balance(gen, gp, cx);
}

static void host_split(Gen *gen, const GenPass *gp, Cxx *cx) {
    static const char *const OWN[] = {"rowBlocks",  "colBlocks",   "nItems",
                                      "nTiles",     "rowsPerTile", "colsPerTile",
                                      "tileLength", "pieceLength", "coresPerItem"};
    const char *s = gp->suffix;
    cxx_line(cx, "tiling.set_rowBlocks%s(CeilDiv(rows%s, rowsPerTile%s));", s, s, s);
    cxx_line(cx, "tiling.set_colBlocks%s(CeilDiv(cols%s, colsPerTile%s));", s, s, s);
    cxx_line(cx, "tiling.set_nItems%s(nItems%s);", s, s);
    cxx_line(cx, "tiling.set_nTiles%s(countTiles%s());", s, s);
    cxx_line(cx, "tiling.set_rowsPerTile%s(static_cast<uint32_t>(rowsPerTile%s));", s, s);
    cxx_line(cx, "tiling.set_colsPerTile%s(static_cast<uint32_t>(colsPerTile%s));", s, s);
    cxx_line(cx,
             "tiling.set_tileLength%s(static_cast<uint32_t>(AlignUp(rowsPerTile%s * colsPerTile%s, 256)));",
             s, s, s);
    if (reduce_has_piece_in(gp->p) || reduce_has_piece_out(gp->p)) {
        if (reduce_pieces_are_cols(gp->p))
            cxx_line(
                cx,
                "const uint64_t pieceLength%s = AlignUp(std::max<uint64_t>(colsPerTile%s, MAX_ROWS), 128);",
                s, s);
        else cxx_line(cx, "const uint64_t pieceLength%s = MAX_ROWS;", s);
        cxx_line(cx, "tiling.set_pieceLength%s(static_cast<uint32_t>(pieceLength%s));", s, s);
    }
    if (reduce_plan(gp->p)->n_exchanges)
        cxx_line(cx, "tiling.set_coresPerItem%s(static_cast<uint32_t>(coresPerItem%s));", s, s);
    for (size_t i = 0; i < gp->fields.n; i++) {
        const GenField *f = &gp->fields.at[i];
        bool own = false;
        for (size_t k = 0; k < sizeof OWN / sizeof OWN[0]; k++)
            own |= strcmp(f->name, arena_printf(gen->a, "%s%s", OWN[k], s)) == 0;
        if (!own && f->value) cxx_line(cx, "tiling.set_%s(%s);", f->name, f->value);
    }
}

/* One part for each core and exchange. */
static const char *scratch(Gen *gen, const GenPass *gp) {
    uint32_t n = reduce_plan(gp->p)->n_exchanges;
    return n ? arena_printf(gen->a, "%u * blockDim * pieceLength%s * sizeof(float)", n, gp->suffix) : NULL;
}

static bool syncs(Gen *gen, const GenPass *gp) {
    (void)gen;
    return reduce_plan(gp->p)->n_exchanges > 0;
}

/* ---- kernel
 * ------------------------------------------------------------------------------------------------------ */

static bool moves_narrow(Gen *gen, const GenPass *gp, bool stores) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store == stores && gen_is_float(acc) && !gen_is_always_wide(gen, acc) &&
            reduce_is_tile_access(gp->p, acc))
            return true;
    }
    return false;
}

static uint32_t kernel_needs(Gen *gen, const GenPass *gp) {
    const PlanPass *p = gp->p;
    uint32_t needs = gen_uses_special_floats(p->kir) ? KERNEL_FLOAT_BITS : 0;
    if (moves_narrow(gen, gp, false)) needs |= KERNEL_WIDEN;
    if (moves_narrow(gen, gp, true)) needs |= KERNEL_NARROW;
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (acc->is_store && gen_is_float(acc) && !acc->in_place && reduce_is_tile_access(p, acc))
            needs |= KERNEL_NARROW_COPY;
        if (acc->cls == PLAN_NUMBER && gen_is_float(acc)) needs |= KERNEL_TO_FLOAT;
    }
    for (size_t i = 0; i < p->kir->insns.n; i++) {
        KirOp op = p->kir->insns.at[i].op;
        if ((reduce_is_tile_op(op) || reduce_is_exchange(op)) && !reduce_is_int(op) &&
            reduce_fold_of(op) >= OP_MAX)
            needs |= KERNEL_FLOAT_BITS;
    }
    return needs;
}

const Emit EMIT_reduce = {
    .fields = fields,
    .fits = fits,
    .host_needs = host_needs,
    .host_uses_dtype = uses_dtype,
    .host_tiles = host_tiles,
    .host_split = host_split,
    .scratch = scratch,
    .syncs = syncs,
    .kernel_needs = kernel_needs,
    .kernel_class = reduce_write_class,
    .design = reduce_design,
};
