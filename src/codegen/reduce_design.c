/* The reduce family's part of the design text. */
#include "codegen/reduce_emit.h"

static const char *const SHAPES[] = {[SHAPE_NUMBER] = "one number",
                                     [SHAPE_ROWS] = "a number per row",
                                     [SHAPE_COLS] = "one row for all rows",
                                     [SHAPE_TILE] = "tiles"};

static void write_space(Design *d, const GenPass *gp) {
    static const char *const AXES[] = {
        [REDUCE_COLS] = "Columns are reduced; an item is a block of rows at one set of the kept outer "
                        "indices, its tiles follow each other "
                        "along the columns and the reduced outer dimensions.",
        [REDUCE_ROWS] = "Rows are reduced; an item is a block of columns at one set of the kept outer "
                        "indices, its tiles follow each other "
                        "along the rows and the reduced outer dimensions.",
        [REDUCE_BOTH] = "Rows and columns are reduced; an item is one set of the kept outer indices."};
    Gen *gen = d->gen;
    const PlanPass *p = gp->p;
    strbuf_add(&d->sb, "Family reduce. The space, with neighbouring dimensions of one kind merged where "
                       "every operand allows it, is (");
    for (uint32_t k = 0; k < p->space.rank; k++)
        strbuf_printf(&d->sb, "%s%s%s", k ? ", " : "",
                      size_print(gen->a, p->space.dim[k], gen->symbols, SIZE_PYTHON),
                      reduce_plan(p)->reduced[k] ? " reduced" : "");
    strbuf_printf(&d->sb, "). %s\n\n| access | tensor | moves as |\n|---|---|---|\n",
                  AXES[reduce_plan(p)->axis]);
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        strbuf_printf(&d->sb, "| %s `%s` | `%s` | %s |\n", acc->is_store ? "store" : "load", acc->name,
                      acc->tensor_name,
                      acc->cls == PLAN_NUMBER ? "one number, read once"
                                              : SHAPES[reduce_access_shape(p, acc)]);
    }
    strbuf_add(&d->sb, "\n");
}

void reduce_design(Design *d, const GenPass *gp) {
    const char *hash = d->gen->n_passes > 1 ? "###" : "##";
    const ReducePlan *r = reduce_plan(gp->p);
    strbuf_printf(&d->sb, "%s Iteration space\n\n", hash);
    write_space(d, gp);
    strbuf_printf(&d->sb, "%s Phases\n\n", hash);
    if (r->n_phases > 1)
        strbuf_printf(&d->sb,
                      "%u phases: each needs what the ones before have reduced. An item that fits into one "
                      "tile stays in UB, so memory is read "
                      "once; a longer one is read once for each phase that needs it.\n\n",
                      r->n_phases);
    if (r->n_exchanges)
        strbuf_printf(&d->sb,
                      "When there are fewer items than cores, several cores share an item's tiles: at %u "
                      "place%s each leaves its part in "
                      "workspace, all cores wait (SyncAll), and each joins the parts in the order of the "
                      "cores, so results are repeatable bit by "
                      "bit.\n\n",
                      r->n_exchanges, r->n_exchanges == 1 ? "" : "s");
    design_pass(d, gp);
    strbuf_printf(&d->sb,
                  "t: tiles, m: masks, c: rows of columns, r: numbers of rows, b: those in 32-byte "
                  "blocks. Arithmetic on tiles takes "
                  "%.1f cycles for 64 elements.\n\n",
                  gp->p->cycles64);
}
