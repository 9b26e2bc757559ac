/* The scan family's text: that of the pointwise family with tiles that follow each other (scan_kernel.c). Here: tiling fields
 * and the host's tile formula. */
#include "codegen/emit.h"

#include "codegen/design.h"
#include "codegen/kernel.h"
#include "lower/scan.h"

#include <string.h>

static bool columns(const GenPass *gp) {
    return scan_runs_along_columns(gp->p);
}

static bool shares(const GenPass *gp) {
    return gp->p->ordered && !scan_is_nested(gp->p);
}

/* ---- fields
 * ------------------------------------------------------------------------------------------------------ */

static void fields(Gen *gen, GenPass *gp) {
    const GraphShape *sp = &gp->p->space;
    if (!gp->p->ordered) {
        gen_make_fields(gen, gp);
        return;
    }
    for (uint32_t d = 0; d + 2 < sp->rank; d++)
        gen_add_dim(gen, gp, arena_printf(gen->a, "outer%u", d), sp->dim[d], "size of an outer dimension");
    gen_add_dim(gen, gp, "rows", sp->dim[sp->rank - 2], columns(gp) ? "rows of one run" : "rows, each a step of the scan");
    gen_add_dim(gen, gp, "cols", sp->dim[sp->rank - 1], columns(gp) ? "columns, each a step of the scan" : "columns");
    gen_add_field(gen, gp, "uint64_t", "lineTiles", NULL, NULL, "tiles of a line: those that follow each other");
    gen_add_field(gen, gp, "uint64_t", "linesPerCore", NULL, NULL, "lines every core takes");
    if (columns(gp)) gen_add_field(gen, gp, "uint64_t", "rowBlocks", NULL, NULL, "tiles along the rows of one run");
    if (shares(gp)) {
        gen_add_field(gen, gp, "uint64_t", "nLines", NULL, NULL, "lines");
        gen_add_field(gen, gp, "uint32_t", "coresPerLine", NULL, NULL, "cores that share a line");
    }
    gen_add_field(gen, gp, "uint32_t", "extraLines", NULL, NULL, "the first cores take one line more");
    gen_add_field(gen, gp, "uint32_t", "rowsPerTile", NULL, NULL, "rows of a tile");
    gen_add_field(gen, gp, "uint32_t", "colsPerTile", NULL, NULL, "columns of a tile");
    gen_add_field(gen, gp, "uint32_t", "tileLength", NULL, NULL, "elements a tile takes in UB");
    if (columns(gp)) gen_add_field(gen, gp, "uint32_t", "pieces", NULL, NULL, "pieces a row of a tile is scanned in");
    gen_add_operand_fields(gen, gp);
}

/* ---- host
 * -------------------------------------------------------------------------------------------------------- */

#define LEAST_TILE 2048u

static bool fits(Gen *gen, const GenPass *gp, Err *err) {
    if (!gp->p->ordered) return gen_tile_fits(gen, gp, err);
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        const PlanPass *p = plan_pass(gen->plan, gp->index, v);
        uint64_t ub = 196608u - 256u - (p->reserved_ub ? HOST_RESERVED_UB : 0), fixed = plan_fixed_bytes(gen->a, p, v);
        if (fixed < ub && (ub - fixed) * 8 / plan_bits_per_element(gen->a, p, v) >= LEAST_TILE) continue;
        err_set(err, ERR_UNSUPPORTED, gen->g->file, "a scan works on tiles of %u elements at least, which do not fit into UB with all that is computed around it",
                LEAST_TILE);
        return err_hint(err, "split it into operators with fewer tensors and intermediate results");
    }
    return true;
}

static uint32_t host_needs(Gen *gen, const GenPass *gp) {
    if (!gp->p->ordered) return host_tile_needs(gen, gp);
    return HOST_MIN_TILE_ELEMENTS | HOST_MAX_TILE | HOST_MAX_ROWS | (host_reserves_ub(gen, gp) ? HOST_RESERVED : 0);
}

/* Rows are lanes, 16 at least: pieces of rows where these are few. */
static void write_column_tiles(Cxx *cx, const char *s) {
    cxx_comment(cx, "The rows of a tile are scanned side by side, 16 to %u of them: as many as leave every core two lines and rows of 512 "
                    "bytes. Fewer rows than 16 are cut into pieces.",
                SCAN_LANES);
    cxx_line(cx, "uint64_t rowsPerTile%s = 1;", s);
    cxx_line(cx, "const uint64_t manyRows%s = std::min<uint64_t>(rows%s, maxRows%s);", s, s, s);
    cxx_open(cx, "while (rowsPerTile%s < 16 && rowsPerTile%s < manyRows%s)", s, s, s);
    cxx_line(cx, "rowsPerTile%s *= 2;", s);
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t shortRow%s = Clamp(AlignUp(cols%s, 64), 64, 128);", s, s);
    cxx_open(cx, "while (rowsPerTile%s >= 16 && rowsPerTile%s < %u && 2 * rowsPerTile%s * shortRow%s <= longest%s && runs%s * CeilDiv(rows%s, 2 * rowsPerTile%s) >= 2 * cores)",
             s, s, SCAN_LANES, s, s, s, s, s, s);
    cxx_line(cx, "rowsPerTile%s *= 2;", s);
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t pieces%s = rowsPerTile%s < 16 ? 16 / rowsPerTile%s : 1;", s, s, s);
    cxx_line(cx, "const uint64_t unit%s = std::max<uint64_t>(16 * pieces%s, 64);", s, s);
    cxx_line(cx, "const uint64_t widest%s = longest%s / rowsPerTile%s / unit%s * unit%s;", s, s, s, s, s);
    cxx_line(cx, "const uint64_t nBlocks%s = std::max<uint64_t>(CeilDiv(cols%s, widest%s), 1);", s, s, s);
    cxx_line(cx, "uint64_t colsPerTile%s = std::max(AlignUp(CeilDiv(cols%s, nBlocks%s), unit%s), unit%s);", s, s, s, s, s);
    cxx_line(cx, "const uint64_t rowBlocks%s = CeilDiv(rows%s, rowsPerTile%s);", s, s, s);
    cxx_line(cx, "const uint64_t nLines%s = cols%s > 0 ? runs%s * rowBlocks%s : 0;", s, s, s, s);
}

static void write_row_tiles(Cxx *cx, const char *s) {
    cxx_comment(cx, "Columns are scanned side by side: as many as leave every core a line, %u at most.", SCAN_MAX_COLS);
    cxx_line(cx, "uint64_t colsPerTile%s = Clamp(AlignUp(cols%s, 64), 64, %u);", s, s, SCAN_MAX_COLS);
    cxx_open(cx, "while (runs%s * CeilDiv(cols%s, colsPerTile%s) < cores && colsPerTile%s > 128)", s, s, s, s);
    cxx_line(cx, "colsPerTile%s = AlignUp(colsPerTile%s / 2, 64);", s, s);
    cxx_close(cx, "");
    cxx_line(cx, "uint64_t rowsPerTile%s = Clamp(std::min(longest%s / colsPerTile%s, rows%s), 1, maxRows%s);", s, s, s, s, s);
    cxx_line(cx, "const uint64_t nLines%s = rows%s > 0 ? runs%s * CeilDiv(cols%s, colsPerTile%s) : 0;", s, s, s, s, s);
}

/* Cores that share a line read it twice: two of them gain nothing. */
static void write_sharing(const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    const char *along = columns(gp) ? "cols" : "rows", *least = columns(gp) ? "unit" : NULL;
    cxx_open(cx, "const auto countTiles%s = [&]()", s);
    cxx_line(cx, "return CeilDiv(%s%s, %sPerTile%s);", along, s, along, s);
    cxx_close(cx, ";");
    if (!shares(gp)) {
        cxx_line(cx, "const uint64_t wanted%s = Clamp(nLines%s, 1, cores);", s, s);
        return;
    }
    cxx_comment(cx, "Fewer lines than cores: several cores share a line, which is read twice then, so two would gain nothing.");
    cxx_line(cx, "const uint64_t sharing%s = nLines%s > 0 ? cores / nLines%s : 1;", s, s, s);
    if (least) cxx_open(cx, "while (sharing%s > 2 && countTiles%s() < sharing%s && rowsPerTile%s * colsPerTile%s > MIN_TILE && colsPerTile%s >= 2 * unit%s)", s, s, s, s, s, s, s);
    else cxx_open(cx, "while (sharing%s > 2 && countTiles%s() < sharing%s && rowsPerTile%s * colsPerTile%s > MIN_TILE && rowsPerTile%s > 1)", s, s, s, s, s, s);
    if (least) cxx_line(cx, "colsPerTile%s = AlignUp(colsPerTile%s / 2, unit%s);", s, s, s);
    else cxx_line(cx, "rowsPerTile%s = CeilDiv(rowsPerTile%s, 2);", s, s);
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t joining%s = std::min<uint64_t>(countTiles%s(), sharing%s);", s, s, s);
    cxx_line(cx, "const uint64_t coresPerLine%s = joining%s > 2 ? joining%s : 1;", s, s, s);
    cxx_line(cx, "const uint64_t wanted%s = Clamp(nLines%s * coresPerLine%s, 1, cores);", s, s, s);
}

static void host_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    StrBuf runs;
    strbuf_init(&runs, gen->a);
    if (!gp->p->ordered) {
        host_write_tiles(gen, gp, cx);
        return;
    }
    for (uint32_t d = 0; d + 2 < gp->p->space.rank; d++) {
        cxx_line(cx, "const uint64_t outer%u%s = %s;", d, s, host_field_value(gp, arena_printf(gen->a, "outer%u", d)));
        strbuf_printf(&runs, "%souter%u%s", d ? " * " : "", d, s);
    }
    cxx_line(cx, "const uint64_t runs%s = %s;", s, runs.n_bytes ? runs.text : "1");
    cxx_line(cx, "const uint64_t rows%s = %s;", s, host_field_value(gp, "rows"));
    cxx_line(cx, "const uint64_t cols%s = %s;", s, host_field_value(gp, "cols"));
    host_write_gather_limit(gen, gp, cx);
    host_write_fitting(gen, gp, cx);
    cxx_line(cx, "const uint64_t longest%s = std::min<uint64_t>(fitting%s, MAX_TILE);", s, s);
    host_write_row_limit(gen, gp, cx);
    if (columns(gp)) write_column_tiles(cx, s);
    else write_row_tiles(cx, s);
    write_sharing(gp, cx);
}

static void host_split(Gen *gen, const GenPass *gp, Cxx *cx) {
    static const char *const OWN[] = {"lineTiles", "linesPerCore", "rowBlocks", "nLines", "coresPerLine", "extraLines", "rowsPerTile",
                                      "colsPerTile", "tileLength", "pieces"};
    const char *s = gp->suffix;
    if (!gp->p->ordered) {
        host_write_split(gen, gp, cx);
        return;
    }
    cxx_line(cx, "tiling.set_lineTiles%s(countTiles%s());", s, s);
    cxx_line(cx, "tiling.set_linesPerCore%s(nLines%s / blockDim);", s, s);
    cxx_line(cx, "tiling.set_extraLines%s(static_cast<uint32_t>(nLines%s %% blockDim));", s, s);
    if (columns(gp)) {
        cxx_line(cx, "tiling.set_rowBlocks%s(rowBlocks%s);", s, s);
        cxx_line(cx, "tiling.set_pieces%s(static_cast<uint32_t>(pieces%s));", s, s);
    }
    if (shares(gp)) {
        cxx_line(cx, "tiling.set_nLines%s(nLines%s);", s, s);
        cxx_line(cx, "tiling.set_coresPerLine%s(static_cast<uint32_t>(coresPerLine%s));", s, s);
    }
    cxx_line(cx, "tiling.set_rowsPerTile%s(static_cast<uint32_t>(rowsPerTile%s));", s, s);
    cxx_line(cx, "tiling.set_colsPerTile%s(static_cast<uint32_t>(colsPerTile%s));", s, s);
    cxx_line(cx, "tiling.set_tileLength%s(static_cast<uint32_t>(AlignUp(rowsPerTile%s * colsPerTile%s, 256)));", s, s, s);
    for (size_t i = 0; i < gp->fields.n; i++) {
        const GenField *f = &gp->fields.at[i];
        bool own = false;
        for (size_t k = 0; k < sizeof OWN / sizeof OWN[0]; k++) own |= strcmp(f->name, arena_printf(gen->a, "%s%s", OWN[k], s)) == 0;
        if (!own && f->value) cxx_line(cx, "tiling.set_%s(%s);", f->name, f->value);
    }
}

/* A carry for each core and scan. */
static const char *scratch(Gen *gen, const GenPass *gp) {
    if (!shares(gp)) return NULL;
    return arena_printf(gen->a, "static_cast<uint64_t>(%u) * blockDim * sizeof(float)", scan_count(gp->p) * scan_carry_length(gp->p));
}

static bool syncs(Gen *gen, const GenPass *gp) {
    (void)gen;
    return shares(gp);
}

static uint32_t kernel_needs(Gen *gen, const GenPass *gp) {
    static const KirOp EXTREMES[] = {KIR_CUMMAX_F, KIR_CUMMIN_F};
    uint32_t needs = gen_tile_needs(gen, gp);
    for (size_t i = 0; i < 2; i++)
        if (gp->p->ordered && scan_uses(gp->p, EXTREMES[i])) needs |= KERNEL_FLOAT_BITS;
    return needs;
}

static const char *buffer_bytes(Gen *gen, const GenPass *gp, const char *name) {
    static const char *const BYTES[][2] = {{"steps_", "tileLength_ * sizeof(float)"},
                                           {"carry_", "SCANS * CARRY_LENGTH * sizeof(float)"},
                                           {"carryInQueue_", "CARRY_LENGTH * sizeof(float)"},
                                           {"carryOutQueue_", "CARRY_LENGTH * sizeof(float)"},
                                           {"lanesAside_", "LANE_BYTES"},
                                           {"pattern_", "CHUNK * sizeof(float)"},
                                           {"greater_", "CHUNK * sizeof(float)"}};
    (void)gen, (void)gp;
    for (size_t i = 0; i < sizeof BYTES / sizeof BYTES[0]; i++)
        if (strcmp(BYTES[i][0], name) == 0) return BYTES[i][1];
    return NULL;
}

const Emit EMIT_scan = {
    .fields = fields,
    .fits = fits,
    .host_needs = host_needs,
    .host_uses_dtype = host_tile_uses_dtype,
    .host_tiles = host_tiles,
    .host_split = host_split,
    .scratch = scratch,
    .syncs = syncs,
    .kernel_needs = kernel_needs,
    .kernel_class = gen_kernel_class,
    .buffer_bytes = buffer_bytes,
    .members = gen_scan_functions,
    .design = design_tile_pass,
};
