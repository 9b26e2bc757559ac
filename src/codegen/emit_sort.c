/* The sort family's text: tiling fields, the host's formula, design. */
#include "codegen/sort_emit.h"

#include <string.h>

static void fields(Gen *gen, GenPass *gp) {
    const SortPlan *p = sort_plan(gp->p);
    gen_add_dim(gen, gp, "rows", p->rows, "rows");
    gen_add_dim(gen, gp, "cols", p->n, "elements of a row");
    gen_add_dim(gen, gp, "first", p->first, "place in the order of the first element that is wanted");
    gen_add_dim(gen, gp, "wanted", p->count, "elements of a row that are wanted");
    for (size_t i = 0; i < gp->p->access.n; i++)
        gen_add_size(gen, gp, arena_printf(gen->a, "%sOffset", gp->p->access.at[i].name), gp->p->access.at[i].view.offset,
                     "first element of the view");
    gen_sort_fields(gen, gp);
}

static void host_helpers(Gen *gen, Cxx *cx) {
    (void)gen;
    cxx_line(cx, "constexpr uint64_t SORT_CHUNK = %u; // records that a core sorts in UB, the same number in the kernel", SORT_CHUNK);
    cxx_line(cx, "constexpr uint64_t RECORD_BYTES = 8;");
}

static void host_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_line(cx, "const uint64_t rows%s = %s;", s, host_field_value(gp, "rows"));
    cxx_line(cx, "const uint64_t cols%s = %s;", s, host_field_value(gp, "cols"));
    cxx_comment(cx, "A core takes chunks of rows; longer rows are merged from chunks, by way of workspace.");
    cxx_line(cx, "const uint64_t chunks%s = rows%s * CeilDiv(cols%s, SORT_CHUNK);", s, s, s);
    cxx_line(cx, "const uint64_t wanted%s = Clamp(chunks%s, 1, cores);", s, s);
    (void)gen;
}


/* Records of all rows twice: from one half to the other. */
static const char *scratch(Gen *gen, const GenPass *gp) {
    const char *s = gp->suffix;
    return arena_printf(gen->a, "cols%s > SORT_CHUNK ? 2 * RECORD_BYTES * AlignUp(rows%s * cols%s, 64) : 0", s, s, s);
}

static bool syncs(Gen *gen, const GenPass *gp) {
    (void)gen, (void)gp;
    return true;
}

static uint32_t kernel_needs(Gen *gen, const GenPass *gp) {
    (void)gen, (void)gp;
    return KERNEL_FLOAT_BITS;
}

static void design(Design *d, const GenPass *gp) {
    strbuf_printf(&d->sb, "%s Order\n\n", d->gen->n_passes > 1 ? "###" : "##");
    strbuf_printf(&d->sb,
                  "Family sort. An element becomes a record of 8 bytes: its value in float32 and its place in the row. A core sorts chunks of %u "
                  "records in UB, 32 at a time by Sort32 and then four runs into one by MrgSort. The runs of longer rows lie in workspace and are merged "
                  "four by four, windows of them at a time, until one is left; all cores wait for each other in between. Both instructions put the "
                  "greatest first and leave equal ones in order%s.\n\n",
                  SORT_CHUNK, sort_plan(gp->p)->descending ? "" : ", so a row is taken from its end and stored from its end");
    design_pass(d, gp);
}

const Emit EMIT_sort = {
    .fields = fields,
    .host_helpers = host_helpers,
    .host_tiles = host_tiles,
    .scratch = scratch,
    .syncs = syncs,
    .kernel_needs = kernel_needs,
    .kernel_class = sort_write_class,
    .design = design,
};
