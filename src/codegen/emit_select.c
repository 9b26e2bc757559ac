/* The select family's text: tiling fields, the host's formula, design. */
#include "codegen/select_emit.h"

/* Bytes of UB per element of a tile: mask, its half form, numbers, what is found; values in, wide, picked, out; places. */
static uint32_t bytes_per_element(const SelectPlan *p) {
    uint32_t bytes = 2 * 1 + 2 + 4 + 4 + 8;
    if (select_has(p, SELECT_VALUES)) bytes += 8 + 4 + 4;
    if (select_has_coordinates(p)) bytes += 4 * p->shape.rank + 4 * 2;
    return bytes;
}

/* The largest of some powers of two that leaves room in 192 KB. */
uint32_t select_tile(const SelectPlan *p) {
    uint32_t fixed = select_has(p, SELECT_ROWS) ? SELECT_PIECE * p->shape.rank * (4 + 4 + 8) : 0, tile = 8192;
    while (tile > 512 && fixed + tile * bytes_per_element(p) > 176 * 1024) tile /= 2;
    return tile;
}

static void fields(Gen *gen, GenPass *gp) {
    const SelectPlan *p = select_plan(gp->p);
    gen_add_dim(gen, gp, "elements", p->elements, "elements of the mask");
    for (uint32_t d = 1; select_has_coordinates(p) && d < p->shape.rank; d++)
        gen_add_dim(gen, gp, arena_printf(gen->a, "size%u", d), p->shape.dim[d], arena_printf(gen->a, "of dimension %u of the mask", d));
    gen_sort_fields(gen, gp);
}

static void host_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_line(cx, "const uint64_t elements%s = %s;", s, host_field_value(gp, "elements"));
    cxx_open(cx, "if (elements%s >= 1ULL << 31)", s);
    cxx_line(cx, "return ge::GRAPH_FAILED; // places are counted in 32 bits");
    cxx_close(cx, "");
    cxx_comment(cx, "Cores take tiles of %u elements of the mask, following ones each.", select_tile(select_plan(gp->p)));
    cxx_line(cx, "const uint64_t wanted%s = Clamp(CeilDiv(elements%s, %u), 1, cores);", s, s, select_tile(select_plan(gp->p)));
    (void)gen;
}

static const char *scratch(Gen *gen, const GenPass *gp) {
    (void)gp;
    return arena_strdup(gen->a, "blockDim * 32");
}

static bool syncs(Gen *gen, const GenPass *gp) {
    (void)gen, (void)gp;
    return true;
}

static void design(Design *d, const GenPass *gp) {
    const SelectPlan *p = select_plan(gp->p);
    strbuf_printf(&d->sb, "%s Selection\n\n", d->gen->n_passes > 1 ? "###" : "##");
    strbuf_printf(&d->sb,
                  "Family select. The mask is cut into tiles of %u elements, and each core takes tiles that follow each other. It counts what its "
                  "part of the mask names, leaves the number in workspace and waits for the others (SyncAll); what the cores before it found is "
                  "where its own results begin. Then it goes through its tiles again: GatherMask puts the elements named side by side, and they are "
                  "stored behind those before. Results have room for as many elements as the mask has; the binding cuts them to the number "
                  "found, for which it waits for the device.\n\n",
                  select_tile(p));
    if (select_has_coordinates(p))
        strbuf_add(&d->sb, "Places along dimensions are quotients and remainders of the number of an element, computed by way of float32 and "
                           "set right in integers.\n\n");
    design_pass(d, gp);
}

const Emit EMIT_select = {
    .fields = fields,
    .host_tiles = host_tiles,
    .scratch = scratch,
    .syncs = syncs,
    .kernel_class = select_write_class,
    .design = design,
};
