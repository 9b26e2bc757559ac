/* The replay that looks for where a result went wrong: the first instruction of a launch that leaves a NaN, an infinity, or a
 * value larger than any the reference has. Blocks run one after the other, so the first in time is the first of the lowest block. */
#include "sim/vec_int.h"

#include <math.h>
#include <stdio.h>

static void tell(Core *c, bool *told, CheckId id, uint64_t element, double value)
{
    *told = true;
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    sim_report(c, id, c->api, LL(element), text, LL(c->block));
}

void watch_ub(Core *c, DType t, uint64_t element, uint64_t at, uint64_t n)
{
    Sim *s = c->sim;
    size_t size = dtype_info(t)->size_bytes;
    if (!s->options.watch || dtype_info(t)->cls != DTYPE_CLASS_F) return;
    for (uint64_t i = 0; i < n && at + (i + 1) * size <= c->ub_bytes; i++) {
        if (!bits_all(c->ub_valid, at + i * size, size)) continue; /* what nobody wrote is told elsewhere */
        double v = dtype_load(t, c->ub + at + i * size, 0);
        if (isnan(v) && !s->told_nan) tell(c, &s->told_nan, CHK_ID_FIRST_NAN, element + i, v);
        else if (isinf(v) && !s->told_inf) tell(c, &s->told_inf, CHK_ID_FIRST_INF, element + i, v);
        else if (isfinite(v) && fabs(v) > s->options.watch_limit && !s->told_range) tell(c, &s->told_range, CHK_ID_FIRST_RANGE, element + i, v);
    }
}

void watch_vec(Core *c, const VecOp *op)
{
    const Operand *d = &op->o[0];
    const Shape *s = &op->shape;
    if (op->n_packed) return;
    if (s->contiguous) {
        watch_ub(c, d->type, 0, d->p.addr, s->count);
        return;
    }
    for (uint32_t r = 0; r < s->repeat; r++)
        for (uint32_t l = 0; l < s->lanes; l++) {
            if (!(s->mask[l / 64] >> l % 64 & 1)) continue;
            watch_ub(c, d->type, (uint64_t)r * s->lanes + l, d->p.addr + (uint64_t)ISA_BLOCK_BYTES * (r * d->rep + l / d->per_block * d->blk) + l % d->per_block * d->size, 1);
        }
}
