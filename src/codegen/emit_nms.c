/* The nms family's text: tiling fields, the host's formula, design. */
#include "codegen/nms_emit.h"

static void fields(Gen *gen, GenPass *gp) {
    const NmsPlan *p = nms_plan(gp->p);
    gen_add_dim(gen, gp, "boxes", p->boxes, "boxes");
    gen_add_dim(gen, gp, "most", p->most, "boxes that are kept at most");
    gen_add_scalars(gen, gp);
    gen_sort_fields(gen, gp);
}

static void host_tiles(Gen *gen, const GenPass *gp, Cxx *cx) {
    const char *s = gp->suffix;
    cxx_line(cx, "const uint64_t boxes%s = %s;", s, host_field_value(gp, "boxes"));
    cxx_open(cx, "if (boxes%s > %u)", s, NMS_MOST);
    cxx_line(cx, "return ge::GRAPH_FAILED; // a bit for each box stays in UB");
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t wanted%s = 1; // every decision rests on those before", s);
    (void)gen;
}

static void design(Design *d, const GenPass *gp) {
    strbuf_printf(&d->sb, "%s Boxes\n\n", d->gen->n_passes > 1 ? "###" : "##");
    strbuf_printf(&d->sb,
                  "Family nms. Boxes come in the order of their scores. One core goes through them in blocks of %u: the next box that no kept one "
                  "overlaps is kept, and by one pass of vector instructions over the rest of the block those that overlap it get their bit set. Then the "
                  "boxes kept of a block do the same to each later block. A bit for every box stays in UB. Nothing else is to be done at the same time: "
                  "each decision rests on all before it.\n\n",
                  NMS_BLOCK);
    design_pass(d, gp);
}

const Emit EMIT_nms = {
    .fields = fields,
    .host_tiles = host_tiles,
    .kernel_class = nms_write_class,
    .design = design,
};
