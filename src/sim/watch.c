/* The replay that looks for where a result went wrong: the first vector instruction of a launch that leaves a NaN, an infinity, or a
 * value larger than any the reference has. Blocks run one after the other, so the first in time is the first of the lowest block. */
#include "sim/vec_int.h"

#include <math.h>
#include <stdio.h>

static bool is_watched(const VecOp *op)
{
    return !op->n_packed && dtype_info(op->o[0].type)->cls == DTYPE_CLASS_F && op->insn->name;
}

static void tell(Core *c, const VecOp *op, bool *told, CheckId id, uint64_t element, double value)
{
    *told = true;
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    sim_report(c, id, op->insn->name, LL(element), text, LL(c->block));
}

static void look(Core *c, const VecOp *op, uint64_t element, uint64_t at)
{
    Sim *s = c->sim;
    if (at + op->o[0].size > c->ub_bytes || !bits_all(c->ub_valid, at, op->o[0].size)) return; /* what nobody wrote is told elsewhere */
    double v = dtype_load(op->o[0].type, c->ub + at, 0);
    if (isnan(v) && !s->told_nan) tell(c, op, &s->told_nan, CHK_ID_FIRST_NAN, element, v);
    else if (isinf(v) && !s->told_inf) tell(c, op, &s->told_inf, CHK_ID_FIRST_INF, element, v);
    else if (isfinite(v) && fabs(v) > s->options.watch_limit && !s->told_range) tell(c, op, &s->told_range, CHK_ID_FIRST_RANGE, element, v);
}

void watch_vec(Core *c, const VecOp *op)
{
    const Operand *d = &op->o[0];
    const Shape *s = &op->shape;
    if (!c->sim->options.watch || !is_watched(op)) return;
    if (s->contiguous) {
        for (uint64_t i = 0; i < s->count; i++) look(c, op, i, d->p.addr + i * d->size);
        return;
    }
    for (uint32_t r = 0; r < s->repeat; r++)
        for (uint32_t l = 0; l < s->lanes; l++) {
            if (!(s->mask[l / 64] >> l % 64 & 1)) continue;
            look(c, op, (uint64_t)r * s->lanes + l, d->p.addr + (uint64_t)ISA_BLOCK_BYTES * (r * d->rep + l / d->per_block * d->blk) + l % d->per_block * d->size);
        }
}
