/* A reduction that puts its result into its own source: legal, and the source is whole no more. Who reads it as a whole afterwards
 * most likely wants what was there before. */
#include "sim/sim_int.h"

void reuse_note(Core *c, uint32_t src, uint64_t n_bytes, uint32_t dst)
{
    if (dst < src || dst >= src + n_bytes || n_bytes <= ISA_BLOCK_BYTES) return;
    c->eaten = (Eaten){.at = src, .n_bytes = n_bytes, .dst = dst, .loc = c->loc};
}

void reuse_check(Core *c, const Access *acc, uint32_t n_acc)
{
    const Eaten e = c->eaten;
    for (uint32_t i = 0; i < n_acc; i++) {
        const Access *a = &acc[i];
        uint64_t end = a->at + (a->n_rows ? (a->n_rows - 1) * a->step + a->len : 0);
        if (a->range || e.dst < a->at || e.dst >= end) continue;
        bool whole = a->how == ACC_READ && end - a->at > ISA_BLOCK_BYTES && a->at >= e.at && end <= e.at + e.n_bytes;
        if (whole) sim_report(c, CHK_ID_REUSED, loc_file(e.loc), LL(e.loc.line), LL(e.dst - e.at));
        if (whole || a->how == ACC_WRITE) c->eaten.n_bytes = 0; /* told, or the source is filled anew */
    }
}
