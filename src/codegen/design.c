/* design.md: what a reviewer needs to follow the operator without running it. Every number comes from the
 * plan and from the tile formula worked out for the sizes of the user's file. */
#include "codegen/design.h"

#include "codegen/emit.h"
#include "codegen/kernel.h"

#include <inttypes.h>
#include <string.h>

static const char *shape_text(Gen *gen, const GraphShape *shape) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    strbuf_add(&sb, "(");
    for (uint32_t d = 0; d < shape->rank; d++)
        strbuf_printf(&sb, "%s%s", d ? ", " : "",
                      size_print(gen->a, shape->dim[d], gen->symbols, SIZE_PYTHON));
    strbuf_add(&sb, ")");
    return sb.text;
}

static const char *dtypes_text(Gen *gen, const GraphValue *v) {
    const char *text = "";
    for (size_t k = 0; k < gen->plan->variants.n; k++) {
        const char *name = dtype_info(gen_value_dtype(gen, v, k))->torch;
        if (k && gen_value_dtype(gen, v, k) == gen_value_dtype(gen, v, k - 1)) continue;
        text = arena_printf(gen->a, "%s%s%s", text, k ? ", " : "", name);
    }
    return text;
}

static void write_prototype(Design *d) {
    static const char *const KINDS[] = {"argument", "parameter", "buffer"}, *const TYPES[] = {"float", "int",
                                                                                              "bool"};
    const Graph *g = d->gen->g;
    strbuf_printf(&d->sb, "## Prototype\n\nOperator type `%s`, kernel `%s`, aclnn name `aclnn%s`.\n\n",
                  d->gen->op_type, d->gen->snake, d->gen->op_type);
    strbuf_add(&d->sb, "| | name | role | dtype | shape |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < g->n_inputs; i++) {
        const GraphValue *v = &g->values[g->inputs[i].value];
        strbuf_printf(&d->sb, "| input | `%s` | %s | %s | %s |\n", g->inputs[i].name,
                      KINDS[g->inputs[i].kind], dtypes_text(d->gen, v), shape_text(d->gen, &v->shape));
    }
    for (size_t i = 0; i < g->n_outputs; i++) {
        const GraphValue *v = &g->values[g->outputs[i].value];
        strbuf_printf(&d->sb, "| output | `%s` | | %s | %s |\n", g->outputs[i].name, dtypes_text(d->gen, v),
                      shape_text(d->gen, &v->shape));
    }
    for (size_t i = 0; i < g->n_scalars; i++)
        strbuf_printf(&d->sb, "| attribute | `%s` | number | %s | |\n", g->scalars[i].name,
                      TYPES[g->scalars[i].type]);
    if (g->n_symbols) strbuf_add(&d->sb, "\nSizes may change from call to call:");
    for (size_t i = 0; i < g->n_symbols; i++)
        strbuf_printf(&d->sb, "%s %s is size %u of `%s` (%" PRId64 " in the file)", i ? "," : "",
                      d->gen->symbols[i], g->symbols[i].dim, g->inputs[g->symbols[i].input].name,
                      g->symbols[i].hint);
    strbuf_add(&d->sb, g->n_symbols ? ".\n\n" : "\n");
}

static void write_formula(Design *d) {
    strbuf_add(&d->sb, "## Formula\n\n");
    for (size_t i = 0; i < d->gen->g->n_outputs; i++)
        strbuf_printf(&d->sb, "```\n%s\n```\n\n$$\n%s\n$$\n\n", gen_formula_text(d->gen, i),
                      gen_formula_latex(d->gen, i));
    bool narrow = false;
    for (size_t v = 0; v < d->gen->plan->variants.n; v++) {
        DType t = d->gen->g->variants[d->gen->plan->variants.at[v]];
        narrow |= t == DTYPE_F16 || t == DTYPE_BF16;
    }
    if (narrow)
        strbuf_add(&d->sb, "16-bit operands are widened to float32 on the way in and results rounded to "
                           "nearest even on the way out, once: "
                           "intermediate results are not rounded to 16 bits.\n\n");
}

/* ---- one pass
 * ---------------------------------------------------------------------------------------------------- */

static void write_space(Design *d, const GenPass *gp) {
    static const char *const MOVES[PLAN_N_CLASSES] = {
        [PLAN_LINE] = "runs through memory as the output does",
        [PLAN_NUMBER] = "one number, read once by the scalar unit",
        [PLAN_ROW] = "rows of contiguous elements",
        [PLAN_VECTOR] = "one row that all rows share; loaded and repeated once per column block",
        [PLAN_COLUMN] = "one number for each row; spread over its row in UB",
        [PLAN_STRIDED] = "columns lie apart; gathered in UB",
        [PLAN_INDEX] = "an index tensor, read as the accesses it steers need it",
        [PLAN_PICKED] = "an index tensor names every column",
        [PLAN_UPDATE] = "goes, in the order of the index, to the places of the tile that the index names",
        [PLAN_COUNTED] = "counted in UB, not read"};
    Gen *gen = d->gen;
    strbuf_printf(&d->sb,
                  "The output is %s; with neighbouring dimensions merged where every operand allows it the "
                  "space is %s, ",
                  shape_text(gen, &gp->p->shape), shape_text(gen, &gp->p->space));
    strbuf_add(&d->sb, gp->p->schedule == PLAN_FLAT ? "one line.\n\n"
                                                    : "read as (outer dimensions, rows, columns).\n\n");
    strbuf_add(&d->sb,
               "| access | tensor | first element | strides | how it moves |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        StrBuf strides;
        strbuf_init(&strides, gen->a);
        for (uint32_t k = 0; k < acc->view.shape.rank; k++)
            strbuf_printf(&strides, "%s%s", k ? ", " : "",
                          size_print(gen->a, acc->view.stride[k], gen->symbols, SIZE_PYTHON));
        strbuf_printf(&d->sb, "| %s `%s` | `%s` | %s | (%s) | %s |\n", acc->is_store ? "store" : "load",
                      acc->name, acc->tensor_name,
                      size_print(gen->a, acc->view.offset, gen->symbols, SIZE_PYTHON), strides.text,
                      acc->n_by && acc->cls != PLAN_PICKED ? "rows that an index tensor names, copied one by one" : MOVES[acc->cls]);
    }
    strbuf_add(&d->sb, "\n");
}

static void write_formula_of_tile(Design *d, const GenPass *gp, const TileSolution *t, const char *dtype) {
    strbuf_printf(&d->sb,
                  "A tile of T elements takes T * %" PRIu64 " / 8 + %" PRIu64
                  " bytes of UB (%s), so T <= (%" PRIu64 " - %" PRIu64 ") * 8 / %" PRIu64 " = %" PRIu64
                  ", in multiples of 256.",
                  t->bits, t->fixed_bytes, dtype, t->ub_bytes, t->fixed_bytes, t->bits, t->fitting);
    if (host_reserves_ub(d->gen, gp))
        strbuf_add(&d->sb, " Select works in the last 8 KB of UB, which are left out.");
    if (gp->p->schedule == PLAN_FLAT)
        strbuf_printf(
            &d->sb,
            " No copy is longer than %u bytes, and a core that has enough work gets at least four tiles.\n\n"
            "For the sizes of the file on %s: %" PRIu64 " elements are %" PRIu64 " units of %u; %" PRIu64
            " cores take contiguous shares of whole units, the first %" PRIu64
            " one more than the others. A tile has %" PRIu64 " elements (%" PRIu64
            " bytes of float32), so there are about %" PRIu64
            " tiles. The last tile of a core is copied with its exact length.\n\n",
            HOST_MAX_COPY_BYTES, d->gen->chip, t->n_elements, t->units, GEN_UNIT, t->block_dim,
            t->units % t->block_dim, t->tile_elements, t->tile_elements * 4, t->n_tiles);
    else
        strbuf_printf(&d->sb,
                      " A tile is at most %u elements and %u rows; a row takes its columns rounded up to 64. "
                      "Tiles are halved, rows first, while the "
                      "cores have fewer than four each and a tile is over %u elements.\n\n"
                      "For the sizes of the file on %s: %" PRIu64 " runs of %" PRIu64 " rows and %" PRIu64
                      " columns; a tile is %" PRIu64 " x %" PRIu64 ", %" PRIu64
                      " elements of UB. That is %" PRIu64 " x %" PRIu64 " x %" PRIu64 " = %" PRIu64
                      " tiles on %" PRIu64
                      " cores in contiguous shares, row blocks fastest, column blocks slowest.\n\n",
                      PLAN_MAX_TILE, PLAN_MAX_ROWS, HOST_MIN_TILE, d->gen->chip, t->runs, t->rows, t->cols,
                      t->rows_per_tile, t->cols_per_tile, t->tile_elements, t->col_blocks, t->runs,
                      t->row_blocks, t->n_tiles, t->block_dim);
}

static void write_buffers(Design *d, const PlanPass *p, size_t v, const TileSolution *t) {
    size_t n;
    const PlanBuffer *b = plan_buffers(d->gen->a, p, v, &n);
    uint64_t at = 0;
    strbuf_add(&d->sb, "| buffer | holds | first byte | bytes | live |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < n; i++) {
        uint64_t one = (b[i].bits * t->tile_elements / 8 + b[i].fixed_bytes + 31) / 32 * 32,
                 bytes = one * b[i].count;
        const char *live = b[i].last >= p->n_steps
                               ? "whole tile, over copies"
                               : arena_printf(d->gen->a, "steps %u to %u", b[i].first + 1, b[i].last + 1);
        strbuf_printf(&d->sb, "| `%s` | %s | %" PRIu64 " | %s%" PRIu64 " | %s |\n", b[i].name, b[i].what, at,
                      b[i].count == 2 ? "2 x " : "", one, live);
        at += bytes;
    }
    strbuf_printf(&d->sb, "| total | | | %" PRIu64 " of %" PRIu64 " | |\n\n", at, t->ub_bytes);
}

/* Bytes that cross between UB and GM for one element. */
static uint32_t traffic_bytes(const PlanPass *p, size_t v) {
    uint32_t bytes = 0;
    for (size_t i = 0; i < p->access.n; i++) {
        PlanClass c = p->access.at[i].cls;
        if (c == PLAN_LINE || c == PLAN_ROW || c == PLAN_STRIDED)
            bytes += (uint32_t)dtype_info(p->access.at[i].dtype[v])->size_bytes;
    }
    return bytes;
}

/* Bytes a second all cores together can stream. HW: published stream measurements of the 910B series:
 * about 1.5 of 1.8 TB/s, half of it on the chip with half the memory. ASSUMED for chips that are not in the
 * list. */
double design_stream_rate(const ChipInfo *chip) {
    return strstr(chip->name, "910B4") ? 0.75e12 : 1.5e12;
}

static void write_instructions(Design *d, const GenPass *gp, size_t program, size_t v) {
    const PlanPass *p = d->gen->plan->programs.at[program]->passes.at[gp->index];
    strbuf_add(&d->sb, "| step | instruction | cycles per 64 | of |\n|---|---|---|---|\n");
    const char *last = NULL;
    for (size_t t = 0; t < p->n_steps; t++) {
        const KirInsn *in = &p->kir->insns.at[p->steps[t].insn];
        const KirOpInfo *info = kir_op_info(in->op);
        bool again = in->note && last && strcmp(in->note, last) == 0;
        strbuf_printf(&d->sb, "| %zu | `%s` | %g | %s |\n", t + 1,
                      gen_step_text(d->gen, gp, program, &p->steps[t]), info->cycles64,
                      in->note && !again ? arena_printf(d->gen->a, "`%s`", in->note) : "");
        last = in->note;
    }
    double casts = 0;
    for (size_t i = 0; i < p->access.n; i++)
        if (gen_is_bool(&p->access.at[i])) casts += 3;
        else if (!plan_is_wide(p->access.at[i].dtype[v]) && p->access.at[i].cls != PLAN_NUMBER &&
                 p->access.at[i].cls != PLAN_VECTOR)
            casts += 1;
    double budget = d->chip->n_vector_cores * (double)d->chip->clock_mhz * 1e6 * traffic_bytes(p, v) * 64 /
                    design_stream_rate(d->chip);
    double cycles = p->cycles64 + casts;
    strbuf_printf(&d->sb,
                  "\nArithmetic takes %.1f cycles for 64 elements (%.1f of them conversions of 16-bit and "
                  "bool operands). Moving their %u bytes through "
                  "memory at %.2f TB/s leaves %.1f cycles on %u cores, so the operator is bound by %s.\n\n",
                  cycles, casts, traffic_bytes(p, v), design_stream_rate(d->chip) / 1e12, budget,
                  d->chip->n_vector_cores, cycles <= budget ? "memory" : "the vector unit");
}

void design_pass(Design *d, const GenPass *gp) {
    strbuf_add(&d->sb, "```\n");
    gp->p->family->print(&d->sb, d->gen->plan, gp->p, gp->index);
    strbuf_add(&d->sb, "```\n\n");
}

void design_tile_pass(Design *d, const GenPass *gp) {
    Gen *gen = d->gen;
    strbuf_printf(&d->sb, "%s Iteration space\n\n", gen->n_passes > 1 ? "###" : "##");
    write_space(d, gp);
    strbuf_printf(&d->sb, "%s Tiles and cores\n\n", gen->n_passes > 1 ? "###" : "##");
    for (size_t k = 0; k < gen->plan->programs.n; k++) {
        size_t v = gen->plan->programs.at[k]->variants.at[0];
        const char *dtype = dtype_info(gen->g->variants[gen->plan->variants.at[v]])->torch;
        TileSolution t = tile_solve(gen, gp, v, d->chip, d->hints);
        write_formula_of_tile(d, gp, &t, dtype);
        write_buffers(d, gen->plan->programs.at[k]->passes.at[gp->index], v, &t);
    }
    strbuf_printf(&d->sb, "%s Instructions\n\n", gen->n_passes > 1 ? "###" : "##");
    for (size_t k = 0; k < gen->plan->programs.n; k++) {
        size_t v = gen->plan->programs.at[k]->variants.at[0];
        if (gen->plan->programs.n > 1) {
            strbuf_add(&d->sb, "For");
            for (size_t w = 0; w < gen->plan->programs.at[k]->variants.n; w++)
                strbuf_printf(
                    &d->sb, "%s %s", w ? "," : "",
                    dtype_info(
                        gen->g->variants[gen->plan->variants.at[gen->plan->programs.at[k]->variants.at[w]]])
                        ->torch);
            strbuf_add(&d->sb, ":\n\n");
        }
        write_instructions(d, gp, k, v);
    }
}

static void write_limits(Design *d) {
    const Plan *plan = d->gen->plan;
    if (plan->bounds.list.n == 0 && plan->notes.n == 0) return;
    strbuf_add(&d->sb, "## Limits\n\n");
    for (size_t i = 0; i < plan->bounds.list.n; i++) {
        const GraphBound *b = &plan->bounds.list.at[i];
        strbuf_printf(&d->sb, "- %s <= %s, for `%s`; the binding checks it.\n",
                      size_print(d->gen->a, b->small, d->gen->symbols, SIZE_PYTHON),
                      size_print(d->gen->a, b->large, d->gen->symbols, SIZE_PYTHON), b->node->text);
    }
    for (size_t i = 0; i < plan->notes.n; i++) strbuf_printf(&d->sb, "- %s\n", plan->notes.at[i]);
    strbuf_add(&d->sb, "\n");
}

const char *gen_design_md(Gen *gen) {
    Design d = {
        .gen = gen, .chip = chip_find(gen->chip), .hints = ARENA_ARRAY(gen->a, gen->g->n_symbols, int64_t)};
    strbuf_init(&d.sb, gen->a);
    for (size_t i = 0; i < gen->g->n_symbols; i++) d.hints[i] = gen->g->symbols[i].hint;
    strbuf_printf(&d.sb, "# %s\n\nDesign of the operator generated from `%s` for %s.\n\n", gen->name,
                  gen->g->file, gen->chip);
    write_prototype(&d);
    write_formula(&d);
    if (gen->n_passes > 1)
        strbuf_printf(&d.sb,
                      "The outputs have %zu shapes; the kernel runs one pass over each, in one launch.\n\n",
                      gen->n_passes);
    for (size_t i = 0; i < gen->n_passes; i++) {
        if (gen->n_passes > 1) strbuf_printf(&d.sb, "## Pass %zu\n\n", i + 1);
        gen->pass[i].emit->design(&d, &gen->pass[i]);
    }
    write_limits(&d);
    if (gen->explain) strbuf_printf(&d.sb, "## Plan\n\n```\n%s```\n", plan_print(gen->plan, gen->a));
    return d.sb.text;
}
