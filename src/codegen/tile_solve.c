/* The host's tile formula worked out here. */
#include "codegen/tile_solve.h"

#include "codegen/host_tile.h"
#include "codegen/kernel.h"

static uint64_t ceil_div(uint64_t n, uint64_t by) {
    return by ? (n + by - 1) / by : 0;
}
static uint64_t align_up(uint64_t n, uint64_t unit) {
    return ceil_div(n, unit) * unit;
}
static uint64_t least(uint64_t x, uint64_t y) {
    return x < y ? x : y;
}
static uint64_t most(uint64_t x, uint64_t y) {
    return x > y ? x : y;
}
static uint64_t clamp(uint64_t n, uint64_t low, uint64_t high) {
    return most(low, least(n, high));
}

static void solve_flat(const GenPass *gp, size_t v, uint64_t cores, TileSolution *t) {
    t->units = ceil_div(t->n_elements, GEN_UNIT);
    t->block_dim = clamp(t->units / (HOST_MIN_TILE / GEN_UNIT), 1, cores);
    uint64_t share = (t->units / t->block_dim + (t->units % t->block_dim != 0)) * GEN_UNIT;
    uint64_t longest = clamp(HOST_MAX_COPY_BYTES / host_widest_bytes(gp->p, v), 256, t->fitting);
    uint64_t n = most(ceil_div(share, longest), clamp(share / HOST_MIN_TILE, 1, 4));
    t->tile_elements = most(align_up(ceil_div(share, n), 256), 256);
    t->n_tiles = ceil_div(t->n_elements, t->tile_elements);
}

static uint64_t count_tiles(TileSolution *t) {
    t->row_blocks = ceil_div(t->rows, t->rows_per_tile);
    t->col_blocks = ceil_div(t->cols, t->cols_per_tile);
    return t->runs * t->row_blocks * t->col_blocks;
}

static void solve_rows(Gen *gen, const GenPass *gp, uint64_t cores, const int64_t *symbols, TileSolution *t) {
    const GraphShape *sp = &gp->p->space;
    t->runs = 1;
    for (uint32_t d = 0; d + 2 < sp->rank; d++) t->runs *= (uint64_t)size_eval(sp->dim[d], symbols);
    t->rows = (uint64_t)size_eval(sp->dim[sp->rank - 2], symbols);
    t->cols = (uint64_t)size_eval(sp->dim[sp->rank - 1], symbols);
    bool updates = gp->p->updates.n > 0;
    uint64_t longest = updates ? t->fitting : least(t->fitting, PLAN_MAX_TILE),
             widest = updates && !plan_updates_columns(gp->p) ? least(t->fitting, PLAN_SOURCE_ELEMENTS) : longest,
             pieces = most(ceil_div(t->cols, widest), 1),
             group = host_row_group(gen, gp);
    t->cols_per_tile = most(align_up(ceil_div(t->cols, pieces), 64), 64);
    t->rows_per_tile = clamp(least(longest / t->cols_per_tile, t->rows), 1, PLAN_MAX_ROWS);
    while (count_tiles(t) < 4 * cores && t->rows_per_tile > group &&
           t->rows_per_tile * t->cols_per_tile > HOST_MIN_TILE)
        t->rows_per_tile = ceil_div(t->rows_per_tile, 2);
    while (count_tiles(t) < (gen_picks(gp, true) ? 1 : 4) * cores && t->cols_per_tile > HOST_MIN_TILE)
        t->cols_per_tile = align_up(ceil_div(t->cols_per_tile, 2), 64);
    if (group > 1 && t->rows_per_tile > group) t->rows_per_tile = t->rows_per_tile / group * group;
    t->n_tiles = count_tiles(t);
    t->block_dim = clamp(t->n_tiles, 1, cores);
    t->tile_elements = align_up(t->rows_per_tile * t->cols_per_tile, 256);
}

TileSolution tile_solve(Gen *gen, const GenPass *gp, size_t variant, const ChipInfo *chip,
                        const int64_t *symbol_values) {
    const PlanPass *p = plan_pass(gen->plan, gp->index, variant);
    TileSolution t = {.n_elements = 1};
    t.bits = plan_bits_per_element(gen->a, p, variant);
    t.fixed_bytes = plan_fixed_bytes(gen->a, p, variant);
    t.ub_bytes =
        chip->ub_bytes - 256u -
        (host_reserves_ub(gen, gp) ? HOST_RESERVED_UB : 0); /* HW: GetCoreMemSize: UB less 256 bytes */
    t.fitting = (t.ub_bytes - t.fixed_bytes) * 8 / t.bits / 256 * 256;
    for (uint32_t d = 0; d < gp->p->space.rank; d++)
        t.n_elements *= (uint64_t)size_eval(gp->p->space.dim[d], symbol_values);
    if (gp->p->schedule == PLAN_FLAT) solve_flat(gp, variant, chip->n_vector_cores, &t);
    else solve_rows(gen, gp, chip->n_vector_cores, symbol_values, &t);
    return t;
}
