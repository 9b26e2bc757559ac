/* GatherMask: the elements a pattern names, one after the other. HW: GatherMask page. */
#include "sim/vec_int.h"

#include <string.h>

typedef struct Gathered {
    uint32_t to, from, pattern_at, size;
    uint32_t repeat, n; /* repeats, elements looked at in each */
    uint32_t blk, step, pattern_step;
    uint32_t builtin; /* 1 to 7; 0: bits at pattern_at */
    Place place;      /* the destination */
} Gathered;

static bool selected(const Core *c, const Gathered *a, uint32_t r, uint32_t i, bool *known)
{
    *known = true;
    switch (a->builtin) {
    case 0: break;
    case 1:
    case 2: return i % 2 == a->builtin - 1;
    case 7: return true;
    default: return i % 4 == a->builtin - 3;
    }
    uint32_t at = a->pattern_at + r * a->pattern_step + i / 8;
    *known = bits_get(c->ub_valid, at);
    return c->ub[at] >> (i % 8) & 1;
}

/* One element of the result. False: the destination is full, which is reported. */
static bool keep(Core *c, const Gathered *a, uint32_t r, uint32_t i, uint32_t kept, bool sure)
{
    uint32_t per_block = ISA_BLOCK_BYTES / a->size, to = a->to + kept * a->size;
    uint32_t from = a->from + r * a->step + ISA_BLOCK_BYTES * (i / per_block * a->blk) + i % per_block * a->size;
    if (local_clip(c, &a->place, "dst", true, (uint64_t)kept * a->size, a->size) < a->size) return false;
    memmove(c->ub + to, c->ub + from, a->size);
    bits_fill(c->ub_valid, to, a->size, sure && bits_all(c->ub_valid, from, a->size));
    return true;
}

static void run_gather_mask(Core *c, const void *args)
{
    const Gathered *a = args;
    uint32_t kept = 0;
    bool sure = true, fits = true; /* sure: where the next one goes depends on all patterns so far */
    for (uint32_t r = 0; r < a->repeat && fits; r++)
        for (uint32_t i = 0; i < a->n && fits; i++) {
            bool known, on = selected(c, a, r, i, &known);
            sure = sure && known;
            if (on && (fits = keep(c, a, r, i, kept, sure))) kept++;
        }
    ub_wrote(c, a->to, kept * a->size);
    c->gathered = kept;
}

static uint32_t count_selected(const Gathered *a)
{
    if (a->builtin == 0) return a->n;
    uint32_t every = a->builtin == 7 ? 1 : a->builtin <= 2 ? 2 : 4, first = a->builtin == 7 ? 0 : a->builtin <= 2 ? a->builtin - 1 : a->builtin - 3;
    return a->n > first ? (a->n - first + every - 1) / every : 0;
}

static bool pattern_ok(Core *c, const OwLocal *pattern, Gathered *a)
{
    Place p;
    if (!pattern) {
        if (a->builtin >= 1 && a->builtin <= 7) return true;
        sim_report(c, CHK_ID_GATHER_PATTERN, LL(a->builtin));
        return false;
    }
    uint64_t span = (uint64_t)(a->repeat - 1) * a->pattern_step + (a->n + 7) / 8;
    if (!local_place(c, pattern, "src1Pattern", ISA_BLOCK_BYTES, &p) || local_clip(c, &p, "src1Pattern", false, 0, span) < span) return false;
    a->pattern_at = p.addr;
    return true;
}

/* pattern NULL: builtin. counter: mask elements in each repeat; else 256 bytes of them. HW: implementation: the call ends
 * in Normal mode, MASK holding `mask`. */
uint64_t ow_gather_mask(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *pattern, uint32_t builtin, uint32_t counter,
                        uint32_t mask, const OwGatherMask *p, OwLoc loc)
{
    Core *c = core_enter("GatherMask", loc);
    Gathered a = {.size = (uint32_t)dtype_info(dtype_of(type))->size_bytes, .repeat = p->repeat, .blk = p->blk, .builtin = builtin};
    a.n = counter ? mask : ISA_REPEAT_BYTES / a.size;
    a.step = p->src_rep * ISA_BLOCK_BYTES;
    a.pattern_step = p->pattern_rep * ISA_BLOCK_BYTES;
    c->counter_mode = false;
    c->mask[0] = mask, c->mask[1] = 0;
    if (a.n == 0 || a.repeat == 0) return 0; /* ASSUMED: nothing is gathered; HW: repeatTimes 0 is not described */
    Place to, from;
    if (a.n > c->ub_bytes) a.n = c->ub_bytes; /* far more than fits: the bounds say so */
    uint32_t blocks = (a.n + ISA_BLOCK_BYTES / a.size - 1) / (ISA_BLOCK_BYTES / a.size), in_last = (a.n - 1) % (ISA_BLOCK_BYTES / a.size) + 1;
    uint64_t one = (uint64_t)(blocks - 1) * a.blk * ISA_BLOCK_BYTES + in_last * a.size, span = (uint64_t)(a.repeat - 1) * a.step + one;
    if (!local_place(c, d, "dst", ISA_BLOCK_BYTES, &to) || !local_place(c, s, "src0", ISA_BLOCK_BYTES, &from)) return 0;
    if (local_clip(c, &from, "src0", false, 0, span) < span || !pattern_ok(c, pattern, &a)) return 0;
    uint64_t most = (uint64_t)count_selected(&a) * a.repeat * a.size, room = (to.end < c->ub_bytes ? to.end : c->ub_bytes) - to.addr;
    if (!pattern && local_clip(c, &to, "dst", true, 0, most) < most) return 0;
    a.to = to.addr, a.from = from.addr;
    a.place = to;
    if (most > room) most = room;
    const Access acc[] = {{.how = ACC_READ, .at = a.from, .len = one, .step = a.step, .n_rows = a.repeat}, ub_write(a.to, most),
                          ub_read(a.pattern_at, (a.repeat - 1) * a.pattern_step + (a.n + 7) / 8)};
    issue(c, PIPE_V, run_gather_mask, &a, sizeof a, acc, pattern ? 3 : 2);
    vec_to_scalar(c); /* the count is read from a register of the vector unit: implementation */
    return c->gathered;
}

int64_t ow_gather_mask_count(OwLoc loc)
{
    Core *c = core_enter("GetGatherMaskRemainCount", loc);
    vec_to_scalar(c);
    return (int64_t)c->gathered;
}
