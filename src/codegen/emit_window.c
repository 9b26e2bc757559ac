/* The window family's text: tiling fields, the host's tile formula, design. */
#include "codegen/window_emit.h"

#include <string.h>

const char WINDOW_LETTER[3] = {'D', 'H', 'W'};

bool window_is_divided(const WindowAxis *axis) {
    return axis->divisor == WINDOW_BY_TAPS_INSIDE || axis->divisor == WINDOW_BY_TAPS_PADDED;
}

bool window_has_table(const WindowPlan *w) {
    for (int i = 0; i < 3; i++)
        if (w->axis[i].kind == WINDOW_TABLE) return true;
    return false;
}

bool window_scales(const WindowPlan *w) {
    for (int i = 0; i < 3; i++)
        if (w->axis[i].divisor != WINDOW_NOT_DIVIDED) return true;
    return false;
}

/* ---- fields
 * ------------------------------------------------------------------------------------------------------ */

static void add_axis_fields(Gen *gen, GenPass *gp, const WindowAxis *x, char letter) {
    const char *what[] = {"input elements", "output elements", "taps", "elements from window to window", "elements before the first",
                          "elements from tap to tap"};
    const char *name[] = {"in", "out", "taps", "stride", "padding", "dilation"};
    const Size *value[] = {x->in, x->out, x->taps, x->stride, x->padding, x->dilation};
    size_t n = x->kind == WINDOW_POOL ? 6 : 3;
    for (size_t i = 0; i < n; i++) gen_add_dim(gen, gp, arena_printf(gen->a, "%s%c", name[i], letter), value[i], what[i]);
}

static void fields(Gen *gen, GenPass *gp) {
    const WindowPlan *w = window_plan(gp->p);
    gen_add_dim(gen, gp, "outer", w->outer, "planes, or volumes");
    for (int i = w->has_depth ? 0 : 1; i < 3; i++) add_axis_fields(gen, gp, &w->axis[i], WINDOW_LETTER[i]);
    if (w->place >= 0 && w->plane_rows) gen_add_dim(gen, gp, "planeRows", w->plane_rows, "rows of a plane");
    gen_add_field(gen, gp, "uint64_t", "rowBlocks", NULL, NULL, "tiles along the rows of a plane");
    gen_add_field(gen, gp, "uint64_t", "nTiles", NULL, NULL, "tiles");
    gen_add_field(gen, gp, "uint32_t", "rowsPerTile", NULL, NULL, "output rows of a tile");
    gen_add_field(gen, gp, "uint32_t", "colsPerTile", NULL, NULL, "output columns of a tile");
    gen_add_field(gen, gp, "uint32_t", "blockRows", NULL, NULL, "input rows that stand in UB");
    gen_add_field(gen, gp, "uint32_t", "blockPitch", NULL, NULL, "elements from one to the next");
    gen_add_field(gen, gp, "uint32_t", "tapChunk", NULL, NULL, "taps of a row whose offsets stand in UB");
    for (size_t i = 0; i < gp->p->access.n; i++)
        gen_add_size(gen, gp, arena_printf(gen->a, "%sOffset", gp->p->access.at[i].name), gp->p->access.at[i].view.offset,
                     "first element of the view");
    gen_sort_fields(gen, gp);
}

/* ---- host
 * -------------------------------------------------------------------------------------------------------- */

static uint32_t host_needs(Gen *gen, const GenPass *gp) {
    (void)gen;
    return HOST_MAX_ROWS | (window_plan(gp->p)->place >= 0 ? HOST_RESERVED : 0);
}

/* Input elements under n neighbouring output elements. */
static void write_span(Gen *gen, const GenPass *gp, Cxx *cx, int i, const char *name) {
    const WindowAxis *x = &window_plan(gp->p)->axis[i];
    const char *s = gp->suffix;
    char c = WINDOW_LETTER[i];
    const char *ratio = arena_printf(gen->a, "CeilDiv(n * in%c%s, std::max<uint64_t>(out%c%s, 1))", c, s, c, s);
    const char *span = x->kind == WINDOW_POOL
                           ? arena_printf(gen->a, "(n - 1) * stride%c%s + (taps%c%s - 1) * dilation%c%s + 1", c, s, c, s, c, s)
                       : x->kind == WINDOW_ADAPTIVE ? arena_printf(gen->a, "%s + 3", ratio)
                                                    : arena_printf(gen->a, "2 * %s + taps%c%s", ratio, c, s);
    cxx_open(cx, "const auto %s%s = [&](uint64_t n)", name, s);
    cxx_line(cx, "return Clamp(%s, 1, std::max<uint64_t>(in%c%s, 1));", span, c, s);
    cxx_close(cx, ";");
}

/* Bytes of UB of a tile: see the buffers of window_class.c. */
static void write_bytes(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    const char *s = gp->suffix;
    bool places = w->place >= 0;
    cxx_open(cx, "const auto bytesOf%s = [&](uint64_t rows, uint64_t cols, uint64_t blockRows)", s);
    cxx_line(cx, "const uint64_t outPitch = AlignUp(cols, 64), width = AlignUp(colsUnder%s(cols), 16);", s);
    cxx_line(cx, "const uint64_t chunk = Clamp(TAP_ROOM / outPitch, 1, tapsW%s);", s);
    cxx_line(cx, "uint64_t bytes = blockRows * width * 8 + rows * outPitch * 8; // input and output twice, in 16 or 32 bits");
    cxx_line(cx, "bytes += %s(width + %u) * 4; // joined rows", places ? "" : "rows * ", 2 * WINDOW_EDGE);
    cxx_line(cx, "bytes += (chunk * %d + %d) * outPitch * 4; // offsets, one row", 1 + (w->axis[WINDOW_COLS].kind == WINDOW_TABLE) + places,
             1 + window_is_divided(&w->axis[WINDOW_COLS]) + 4 * places);
    if (places) cxx_line(cx, "bytes += rows * outPitch * 20; // places");
    for (int i = 0; i < 2; i++)
        if (w->axis[i].kind == WINDOW_TABLE)
            cxx_line(cx, "bytes += 2 * AlignUp(%staps%c%s * 4, 32); // table", i == WINDOW_ROWS ? "rows * " : "", WINDOW_LETTER[i], s);
    cxx_line(cx, "return bytes;");
    cxx_close(cx, ";");
    (void)gen;
}

static void host_helpers(Gen *gen, Cxx *cx) {
    (void)gen;
    cxx_line(cx, "constexpr uint64_t TAP_ROOM = 8192; // elements of 4 bytes: offsets of taps");
    cxx_line(cx, "constexpr uint64_t MAX_BLOCK_ROWS = 4095; // of one copy");
}

static void host_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    const char *s = gp->suffix;
    for (size_t i = 0; i < gp->fields.n; i++)
        if (gp->fields.at[i].value && gp->fields.at[i].size && !strstr(gp->fields.at[i].name, "Offset") && !strstr(gp->fields.at[i].name, "planeRows"))
            cxx_line(cx, "const uint64_t %s = %s;", gp->fields.at[i].name, gp->fields.at[i].value);
    if (w->has_depth) cxx_line(cx, "(void)inD%s, (void)tapsD%s;", s, s);
    cxx_comment(cx, "Input rows and columns that neighbouring output rows and columns rest on.");
    write_span(gen, gp, cx, WINDOW_ROWS, "rowsUnder");
    write_span(gen, gp, cx, WINDOW_COLS, "colsUnder");
    write_bytes(gen, gp, cx);
    cxx_line(cx, "const uint64_t room%s = ubBytes - 1024%s;", s, w->place >= 0 ? " - RESERVED_UB" : "");
    cxx_comment(cx, "Whole rows when the input rows of one output row fit, then as many output rows as leave work for every core.");
    cxx_line(cx, "uint64_t colsPerTile%s = std::max<uint64_t>(outW%s, 1);", s, s);
    cxx_open(cx, "while (colsPerTile%s > 64 && bytesOf%s(1, colsPerTile%s, rowsUnder%s(1)) > room%s)", s, s, s, s, s);
    cxx_line(cx, "colsPerTile%s = AlignUp(CeilDiv(colsPerTile%s, 2), 64);", s, s);
    cxx_close(cx, "");
    cxx_open(cx, "while (colsPerTile%s > 1 && bytesOf%s(1, colsPerTile%s, 1) > room%s)", s, s, s, s);
    cxx_line(cx, "colsPerTile%s = CeilDiv(colsPerTile%s, 2);", s, s);
    cxx_close(cx, "");
    cxx_open(cx, "if (bytesOf%s(1, colsPerTile%s, 1) > room%s)", s, s, s);
    cxx_line(cx, "return ge::GRAPH_FAILED; // a window is wider than UB");
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t lines%s = outer%s * %s%s%sCeilDiv(outW%s, colsPerTile%s);", s, s, w->has_depth ? "outD" : "",
             w->has_depth ? s : "", w->has_depth ? " * " : "", s, s);
    cxx_line(cx, "uint64_t rowsPerTile%s = Clamp(outH%s, 1, MAX_ROWS);", s, s);
    cxx_open(cx,
             "while (rowsPerTile%s > 1 && (bytesOf%s(rowsPerTile%s, colsPerTile%s, rowsUnder%s(rowsPerTile%s)) > room%s || lines%s * "
             "CeilDiv(outH%s, rowsPerTile%s) < cores))",
             s, s, s, s, s, s, s, s, s, s);
    cxx_line(cx, "rowsPerTile%s = CeilDiv(rowsPerTile%s, 2);", s, s);
    cxx_close(cx, "");
    cxx_line(cx, "uint64_t blockRows%s = std::min(rowsUnder%s(rowsPerTile%s), MAX_BLOCK_ROWS);", s, s, s);
    cxx_open(cx, "while (blockRows%s > 1 && bytesOf%s(rowsPerTile%s, colsPerTile%s, blockRows%s) > room%s)", s, s, s, s, s, s);
    cxx_line(cx, "blockRows%s = CeilDiv(blockRows%s, 2);", s, s);
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t rowBlocks%s = CeilDiv(outH%s, rowsPerTile%s);", s, s, s);
    cxx_line(cx, "const uint64_t wanted%s = Clamp(lines%s * rowBlocks%s, 1, cores);", s, s, s);
}

static void host_split(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_line(cx, "tiling.set_rowBlocks%s(rowBlocks%s);", s, s);
    cxx_line(cx, "tiling.set_nTiles%s(lines%s * rowBlocks%s);", s, s, s);
    cxx_line(cx, "tiling.set_rowsPerTile%s(static_cast<uint32_t>(rowsPerTile%s));", s, s);
    cxx_line(cx, "tiling.set_colsPerTile%s(static_cast<uint32_t>(colsPerTile%s));", s, s);
    cxx_line(cx, "tiling.set_blockRows%s(static_cast<uint32_t>(blockRows%s));", s, s);
    cxx_line(cx, "tiling.set_blockPitch%s(static_cast<uint32_t>(AlignUp(colsUnder%s(colsPerTile%s), 16)));", s, s, s);
    cxx_line(cx, "tiling.set_tapChunk%s(static_cast<uint32_t>(Clamp(TAP_ROOM / AlignUp(colsPerTile%s, 64), 1, tapsW%s)));", s, s, s);
    for (size_t i = 0; i < gp->fields.n; i++) {
        const GenField *f = &gp->fields.at[i];
        if (f->value) cxx_line(cx, "tiling.set_%s(%s);", f->name, f->value);
    }
    (void)gen;
}

/* ---- kernel
 * ------------------------------------------------------------------------------------------------------ */

static uint32_t kernel_needs(Gen *gen, const GenPass *gp) {
    const WindowPlan *w = window_plan(gp->p);
    uint32_t needs = w->fold == WINDOW_MAX ? KERNEL_FLOAT_BITS : 0;
    if (!gen_is_always_wide(gen, &gp->p->access.at[w->input])) needs |= KERNEL_WIDEN;
    if (w->value >= 0 && !gen_is_always_wide(gen, &gp->p->access.at[w->value])) needs |= KERNEL_NARROW;
    return needs;
}

/* ---- design
 * ------------------------------------------------------------------------------------------------------ */

static void design(Design *d, const GenPass *gp) {
    const char *hash = d->gen->n_passes > 1 ? "###" : "##";
    const WindowPlan *w = window_plan(gp->p);
    strbuf_printf(&d->sb, "%s Windows\n\n", hash);
    strbuf_printf(&d->sb,
                  "Family window, %s. A tile is rowsPerTile output rows of colsPerTile columns in one plane. A block of input rows stands "
                  "in UB and is replaced when a row beyond it is asked for, so that windows that overlap read little twice. Rows of a "
                  "window are joined first, as they lie; then each tap of the columns is picked from the joined row by Gather. Taps "
                  "outside the input find %s beside the row: padding is never copied.\n\n",
                  w->fold == WINDOW_MAX ? "largest of each" : "sum of each", w->fold == WINDOW_MAX ? "-inf" : "0");
    design_pass(d, gp);
}

const Emit EMIT_window = {
    .fields = fields,
    .host_needs = host_needs,
    .host_helpers = host_helpers,
    .host_tiles = host_tiles,
    .host_split = host_split,
    .kernel_needs = kernel_needs,
    .kernel_class = window_write_class,
    .design = design,
};
