/* Copy in Counter mode. HW: Copy page: other than with every instruction, MASK counts the elements of each repeat, which may
 * be more than 8 blocks, and repeatTime still counts. */
#include "sim/vec_int.h"

#include <string.h>

typedef struct Counted {
    uint32_t to, from, size, n, repeat;
    uint32_t dst_blk, src_blk, dst_rep, src_rep; /* bytes */
} Counted;

static void run_counted(Core *c, const void *args)
{
    const Counted *a = args;
    uint32_t per_block = ISA_BLOCK_BYTES / a->size;
    for (uint32_t r = 0; r < a->repeat; r++)
        for (uint32_t i = 0; i < a->n; i += per_block) {
            uint32_t n = (a->n - i < per_block ? a->n - i : per_block) * a->size;
            uint32_t to = a->to + r * a->dst_rep + i / per_block * a->dst_blk, from = a->from + r * a->src_rep + i / per_block * a->src_blk;
            memmove(c->ub + to, c->ub + from, n);
            if (to != from) bits_copy(c->ub_valid, to, c->ub_valid, from, n);
            ub_wrote(c, to, n);
        }
}

void vec_copy_counted(Core *c, VecOp *op, const OwRepeat *r)
{
    Operand *d = &op->o[0], *s = &op->o[1];
    uint64_t n = c->mask[0], blocks = n / d->per_block + (n % d->per_block != 0);
    Counted a = {.size = d->size, .n = (uint32_t)n, .repeat = r->repeat & 255, .dst_blk = r->dst_blk * ISA_BLOCK_BYTES, .src_blk = r->src_blk[0] * ISA_BLOCK_BYTES,
                 .dst_rep = r->dst_rep * ISA_BLOCK_BYTES, .src_rep = r->src_rep[0] * ISA_BLOCK_BYTES};
    if (n == 0 || a.repeat == 0) return;
    if (!local_place(c, d->t, d->role, ISA_BLOCK_BYTES, &d->p) || !local_place(c, s->t, s->role, ISA_BLOCK_BYTES, &s->p)) return;
    uint64_t tail = (n - (blocks - 1) * d->per_block) * a.size;
    uint64_t one_d = (blocks - 1) * a.dst_blk + tail, one_s = (blocks - 1) * a.src_blk + tail;
    uint64_t span_d = (uint64_t)(a.repeat - 1) * a.dst_rep + one_d, span_s = (uint64_t)(a.repeat - 1) * a.src_rep + one_s;
    if (local_clip(c, &d->p, d->role, true, 0, span_d) < span_d || local_clip(c, &s->p, s->role, false, 0, span_s) < span_s) return;
    a.to = d->p.addr, a.from = s->p.addr;
    const Access acc[] = {{.how = ACC_READ, .at = a.from, .len = one_s, .step = a.src_rep, .n_rows = a.repeat},
                          {.how = ACC_WRITE, .at = a.to, .len = one_d, .step = a.dst_rep, .n_rows = a.repeat}};
    issue(c, PIPE_V, run_counted, &a, sizeof a, acc, 2);
}
