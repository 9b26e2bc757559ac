/* The tile formula: host code that solves a pass's tiles from the size of UB and shares them among the cores.
 */
#include "codegen/host_tile.h"

#include "codegen/kernel.h"

#include <string.h>

/* "a ? x : y" over the variants' dtypes; equal numbers are written once. */
const char *host_by_dtype(Gen *gen, const uint32_t *number) {
    size_t n = gen->plan->variants.n;
    bool same = true;
    for (size_t v = 1; v < n; v++) same = same && number[v] == number[0];
    if (same) return arena_printf(gen->a, "%u", number[0]);
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    bool *done = ARENA_ARRAY(gen->a, n, bool);
    uint32_t last = number[n - 1];
    for (size_t v = 0; v < n; v++) {
        if (done[v] || number[v] == last) continue;
        const char *join = "";
        for (size_t w = v; w < n; w++) {
            if (number[w] != number[v]) continue;
            strbuf_printf(&sb, "%sdtype == ge::%s", join,
                          dtype_info(gen->g->variants[gen->plan->variants.at[w]])->ge);
            join = " || ";
            done[w] = true;
        }
        strbuf_printf(&sb, " ? %u : ", number[v]);
    }
    strbuf_printf(&sb, "%u", last);
    return sb.text;
}

static const char *bits_text(Gen *gen, const GenPass *gp) {
    uint32_t *n = ARENA_ARRAY(gen->a, gen->plan->variants.n, uint32_t);
    for (size_t v = 0; v < gen->plan->variants.n; v++)
        n[v] = plan_bits_per_element(gen->a, plan_pass(gen->plan, gp->index, v), v);
    return host_by_dtype(gen, n);
}

static const char *fixed_text(Gen *gen, const GenPass *gp) {
    uint32_t *n = ARENA_ARRAY(gen->a, gen->plan->variants.n, uint32_t);
    for (size_t v = 0; v < gen->plan->variants.n; v++)
        n[v] = plan_fixed_bytes(gen->a, plan_pass(gen->plan, gp->index, v), v);
    return host_by_dtype(gen, n);
}

uint32_t host_widest_bytes(const PlanPass *p, size_t v) {
    uint32_t widest = 1;
    for (size_t i = 0; i < p->access.n; i++) {
        uint32_t size = (uint32_t)dtype_info(p->access.at[i].dtype[v])->size_bytes;
        if (p->access.at[i].cls != PLAN_NUMBER && size > widest) widest = size;
    }
    return widest;
}

static const char *widest_text(Gen *gen, const GenPass *gp) {
    uint32_t *n = ARENA_ARRAY(gen->a, gen->plan->variants.n, uint32_t);
    for (size_t v = 0; v < gen->plan->variants.n; v++) n[v] = host_widest_bytes(gp->p, v);
    return host_by_dtype(gen, n);
}

bool host_tile_uses_dtype(Gen *gen, const GenPass *gp) {
    return strstr(bits_text(gen, gp), "dtype") || strstr(fixed_text(gen, gp), "dtype") ||
           strstr(widest_text(gen, gp), "dtype");
}

uint32_t host_tile_needs(Gen *gen, const GenPass *gp) {
    uint32_t needs = HOST_MIN_TILE_ELEMENTS | (gp->p->schedule == PLAN_FLAT ? HOST_UNIT | HOST_MAX_COPY
                                                                            : HOST_MAX_TILE | HOST_MAX_ROWS);
    if (gp->p->updates.n) needs &= ~(uint32_t)HOST_MAX_TILE;
    return needs | (host_reserves_ub(gen, gp) ? HOST_RESERVED : 0);
}

bool host_reserves_ub(const Gen *gen, const GenPass *gp) {
    for (size_t v = 0; v < gen->plan->variants.n; v++)
        if (plan_pass(gen->plan, gp->index, v)->reserved_ub) return true;
    return false;
}

const char *host_field_value(const GenPass *gp, const char *name) {
    for (size_t i = 0; i < gp->fields.n; i++)
        if (strncmp(gp->fields.at[i].name, name, strlen(name)) == 0 &&
            strcmp(gp->fields.at[i].name + strlen(name), gp->suffix) == 0)
            return gp->fields.at[i].value;
    return "0";
}

void host_write_fitting(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix, *fixed = fixed_text(gen, gp);
    cxx_comment(cx, "UB one element of a tile takes: queue buffers twice, work slots once.");
    cxx_line(cx, "const uint64_t elementBits%s = %s;", s, bits_text(gen, gp));
    if (strcmp(fixed, "0") != 0) cxx_line(cx, "const uint64_t fixedBytes%s = %s;", s, fixed);
    const char *bytes =
        strcmp(fixed, "0") != 0 ? arena_printf(gen->a, "ubBytes - fixedBytes%s", s) : "ubBytes";
    if (host_reserves_ub(gen, gp)) bytes = arena_printf(gen->a, "%s - RESERVED_UB", bytes);
    if (strchr(bytes, ' ')) bytes = arena_printf(gen->a, "(%s)", bytes);
    cxx_line(cx, "const uint64_t fitting%s = %s * 8 / elementBits%s / 256 * 256;", s, bytes, s);
}

static void write_flat(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_line(cx, "const uint64_t total%s = %s;", s, host_field_value(gp, "total"));
    host_write_fitting(gen, gp, cx);
    cxx_line(cx, "const uint64_t units%s = CeilDiv(total%s, UNIT);", s, s);
    cxx_comment(cx, "No core gets less than 4 KB of float32.");
    cxx_line(cx, "const uint64_t wanted%s = Clamp(units%s / (MIN_TILE / UNIT), 1, cores);", s, s);
    (void)gen;
}

static void write_flat_end(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_line(cx, "const uint64_t unitsPerCore%s = units%s / blockDim;", s, s);
    cxx_comment(cx,
                "Tiles of one core are alike: at least four of them, no copy over 32 KB, none under 4 KB.");
    cxx_line(cx, "const uint64_t share%s = (unitsPerCore%s + (units%s %% blockDim != 0 ? 1 : 0)) * UNIT;", s,
             s, s);
    const char *widest = widest_text(gen, gp);
    if (strchr(widest, ' ')) widest = arena_printf(gen->a, "(%s)", widest);
    cxx_line(cx, "const uint64_t longest%s = Clamp(MAX_COPY_BYTES / %s, 256, fitting%s);", s, widest, s);
    cxx_line(
        cx,
        "const uint64_t nTiles%s = std::max(CeilDiv(share%s, longest%s), Clamp(share%s / MIN_TILE, 1, 4));",
        s, s, s, s);
    cxx_line(
        cx,
        "const uint64_t tileLength%s = std::max<uint64_t>(AlignUp(CeilDiv(share%s, nTiles%s), 256), 256);", s,
        s, s);
    cxx_line(cx, "tiling.set_total%s(total%s);", s, s);
    cxx_line(cx, "tiling.set_unitsPerCore%s(unitsPerCore%s);", s, s);
    cxx_line(cx, "tiling.set_extraUnits%s(static_cast<uint32_t>(units%s %% blockDim));", s, s);
    cxx_line(cx, "tiling.set_tileLength%s(static_cast<uint32_t>(tileLength%s));", s, s);
}

/* ---- rows
 * -------------------------------------------------------------------------------------------------------- */

/* Rows that one gathering copy brings in at once. */
uint32_t host_row_group(const Gen *gen, const GenPass *gp) {
    uint32_t group = 1, last = gp->p->space.rank - 1;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || acc->cls != PLAN_STRIDED || !size_is(acc->view.stride[last - 1], 1) ||
            gen_is_bool(acc))
            continue;
        uint32_t n = gen_is_always_wide(gen, acc) ? 8 : 16;
        if (n > group) group = n;
    }
    return group;
}

/* C++: how far apart two elements lie that are a step apart, whichever way it goes. */
static const char *distance(Gen *gen, const Size *step) {
    const Size *back = size_sub(gen->a, size_const(gen->a, 0), step);
    const char *text = size_print(gen->a, step, gen->symbols, SIZE_CXX), *text_back = size_print(gen->a, back, gen->symbols, SIZE_CXX);
    if (size_is_nonnegative(step)) return arena_printf(gen->a, "static_cast<uint64_t>(%s)", text);
    if (size_is_nonnegative(back)) return arena_printf(gen->a, "static_cast<uint64_t>(%s)", text_back);
    return arena_printf(gen->a, "static_cast<uint64_t>(std::max<int64_t>(%s, %s))", text, text_back);
}

void host_write_row_limit(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    StrBuf steps;
    strbuf_init(&steps, gen->a);
    strbuf_printf(&steps, "cols%s", s);
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || (acc->cls != PLAN_ROW && acc->cls != PLAN_COLUMN)) continue;
        const Size *step = acc->view.stride[gp->p->space.rank - 2];
        if (size_is_const(step, NULL) || size_equal(step, gp->p->space.dim[gp->p->space.rank - 1])) continue;
        strbuf_printf(&steps, ", %s", distance(gen, step));
    }
    cxx_comment(cx, "A copy of several rows holds their distance in 32 bits of bytes.");
    cxx_line(
        cx,
        "const uint64_t maxRows%s = std::max<uint64_t>({%s}) * sizeof(float) > UINT32_MAX ? 1 : MAX_ROWS;", s,
        steps.text);
}

void host_write_gather_limit(Gen *gen, const GenPass *gp, Cxx *cx) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        const Size *step = acc->view.stride[acc->view.shape.rank - 1];
        if (acc->is_store || acc->cls != PLAN_STRIDED || size_is_const(step, NULL)) continue;
        cxx_comment(cx, "So does a gathering copy for the distance of columns.");
        cxx_open(cx, "if (%s * sizeof(float) > UINT32_MAX)", distance(gen, step));
        cxx_line(cx, "return ge::GRAPH_FAILED;");
        cxx_close(cx, "");
    }
}

/* Rows and columns of the largest tile. A tile with updates is as large as fits, since each goes through all indices. */
static void write_largest(const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    if (gp->p->updates.n == 0) cxx_line(cx, "const uint64_t longest%s = std::min<uint64_t>(fitting%s, MAX_TILE);", s, s);
    else if (plan_updates_columns(gp->p)) cxx_line(cx, "const uint64_t longest%s = fitting%s;", s, s);
    else cxx_line(cx, "const uint64_t longest%s = fitting%s, widest%s = std::min<uint64_t>(fitting%s, %u);", s, s, s, s, PLAN_SOURCE_ELEMENTS);
}

/* As wide as the source of updates may be, where rows are named. */
static const char *widest_text_of(Gen *gen, const GenPass *gp) {
    bool narrow = gp->p->updates.n && !plan_updates_columns(gp->p);
    return arena_printf(gen->a, "%s%s", narrow ? "widest" : "longest", gp->suffix);
}

static void write_rows(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    const PlanPass *p = gp->p;
    StrBuf runs;
    strbuf_init(&runs, gen->a);
    for (uint32_t d = 0; d + 2 < p->space.rank; d++) {
        cxx_line(cx, "const uint64_t outer%u%s = %s;", d, s,
                 host_field_value(gp, arena_printf(gen->a, "outer%u", d)));
        strbuf_printf(&runs, "outer%u%s * ", d, s);
    }
    cxx_line(cx, "const uint64_t rows%s = %s;", s, host_field_value(gp, "rows"));
    cxx_line(cx, "const uint64_t cols%s = %s;", s, host_field_value(gp, "cols"));
    host_write_gather_limit(gen, gp, cx);
    host_write_fitting(gen, gp, cx);
    write_largest(gp, cx);
    host_write_row_limit(gen, gp, cx);
    cxx_comment(cx, "Whole rows when they fit, several of them when they are short.");
    cxx_line(cx, "const uint64_t pieces%s = std::max<uint64_t>(CeilDiv(cols%s, %s), 1);", s, s, widest_text_of(gen, gp));
    cxx_line(cx, "uint64_t colsPerTile%s = std::max<uint64_t>(AlignUp(CeilDiv(cols%s, pieces%s), 64), 64);",
             s, s, s);
    cxx_line(cx, "uint64_t rowsPerTile%s = Clamp(std::min(longest%s / colsPerTile%s, rows%s), 1, maxRows%s);",
             s, s, s, s, s);
    cxx_comment(cx, "Smaller tiles until every core has four, down to 4 KB of float32.");
    cxx_open(cx, "const auto countTiles%s = [&]()", s);
    cxx_line(cx, "return %sCeilDiv(rows%s, rowsPerTile%s) * CeilDiv(cols%s, colsPerTile%s);", runs.text, s, s,
             s, s);
    cxx_close(cx, ";");
    uint32_t group = host_row_group(gen, gp);
    cxx_open(cx,
             "while (countTiles%s() < 4 * cores && rowsPerTile%s > %u && rowsPerTile%s * colsPerTile%s > "
             "MIN_TILE)",
             s, s, group, s, s);
    cxx_line(cx, "rowsPerTile%s = CeilDiv(rowsPerTile%s, 2);", s, s);
    cxx_close(cx, "");
    cxx_open(cx, "while (countTiles%s() < %scores && colsPerTile%s > MIN_TILE)", s, gen_picks(gp, true) ? "" : "4 * ", s);
    cxx_line(cx, "colsPerTile%s = AlignUp(CeilDiv(colsPerTile%s, 2), 64);", s, s);
    cxx_close(cx, "");
    if (group > 1) {
        cxx_comment(cx, "Gathering copies bring in %u rows at a time.", group);
        cxx_open(cx, "if (rowsPerTile%s > %u)", s, group);
        cxx_line(cx, "rowsPerTile%s = rowsPerTile%s / %u * %u;", s, s, group, group);
        cxx_close(cx, "");
    }
    cxx_line(cx, "const uint64_t nTiles%s = countTiles%s();", s, s);
    cxx_line(cx, "const uint64_t wanted%s = Clamp(nTiles%s, 1, cores);", s, s);
}

static void write_rows_end(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    for (uint32_t d = 0; d + 2 < gp->p->space.rank; d++)
        cxx_line(cx, "tiling.set_outer%u%s(outer%u%s);", d, s, d, s);
    cxx_line(cx, "tiling.set_rows%s(rows%s);", s, s);
    cxx_line(cx, "tiling.set_cols%s(cols%s);", s, s);
    cxx_line(cx, "tiling.set_rowBlocks%s(CeilDiv(rows%s, rowsPerTile%s));", s, s, s);
    cxx_line(cx, "tiling.set_tilesPerCore%s(nTiles%s / blockDim);", s, s);
    cxx_line(cx, "tiling.set_extraTiles%s(static_cast<uint32_t>(nTiles%s %% blockDim));", s, s);
    cxx_line(cx, "tiling.set_rowsPerTile%s(static_cast<uint32_t>(rowsPerTile%s));", s, s);
    cxx_line(cx, "tiling.set_colsPerTile%s(static_cast<uint32_t>(colsPerTile%s));", s, s);
    cxx_line(cx,
             "tiling.set_tileLength%s(static_cast<uint32_t>(AlignUp(rowsPerTile%s * colsPerTile%s, 256)));",
             s, s, s);
    (void)gen;
}

void host_write_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    if (gp->p->schedule == PLAN_FLAT) write_flat(gen, gp, cx);
    else write_rows(gen, gp, cx);
}

void host_write_split(Gen *gen, const GenPass *gp, Cxx *cx) {
    static const char *const SET[] = {"total",      "unitsPerCore", "extraUnits", "tileLength",
                                      "rows",       "cols",         "rowBlocks",  "tilesPerCore",
                                      "extraTiles", "rowsPerTile",  "colsPerTile"};
    if (gp->p->schedule == PLAN_FLAT) write_flat_end(gen, gp, cx);
    else write_rows_end(gen, gp, cx);
    for (size_t i = 0; i < gp->fields.n; i++) {
        const GenField *f = &gp->fields.at[i];
        bool set = strncmp(f->name, "outer", 5) == 0;
        for (size_t k = 0; k < sizeof SET / sizeof SET[0]; k++)
            set |= strcmp(f->name, arena_printf(gen->a, "%s%s", SET[k], gp->suffix)) == 0;
        if (!set && f->value) cxx_line(cx, "tiling.set_%s(%s);", f->name, f->value);
    }
}
