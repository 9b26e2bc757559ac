/* CheckLocalMemoryIA: ranges of UB that the kernel guards against accesses of chosen kinds. HW: its page. */
#include "sim/sim_int.h"

enum { KIND_READ, KIND_WRITE, KINDS_OF_S = 0, KINDS_OF_V = 2, KINDS_OF_MTE = 4 }; /* bits, in the order of CheckLocalMemoryIAParam */

/* A block given as GetPhyAddr() / 32 is one of the host's memory here, cut to 32 bits; one given as a number is UB's. */
static uint32_t ub_block(const Core *c, uint32_t block)
{
    return block <= c->ub_bytes / ISA_BLOCK_BYTES ? block : block - (uint32_t)((uintptr_t)c->ub / ISA_BLOCK_BYTES);
}

void ow_guard(uint32_t reg, uint32_t start, uint32_t end, uint32_t kinds, OwLoc loc)
{
    Core *c = core_enter("CheckLocalMemoryIA", loc);
    if (reg >= N_UB_GUARDS) {
        sim_report(c, CHK_ID_GUARD_REGISTER, LL(reg));
        return;
    }
    c->guards[reg] = (UbGuard){.from = ub_block(c, start) + 1, .to = ub_block(c, end) + 1, .kinds = kinds, .loc = c->loc};
    c->is_guarded = false;
    for (uint32_t i = 0; i < N_UB_GUARDS; i++) c->is_guarded |= c->guards[i].kinds != 0;
}

static bool meets(const UbGuard *g, const Access *a)
{
    for (uint32_t i = 0; i < a->n_rows; i++) {
        uint64_t at = a->at + i * a->step;
        if (a->len && at < (uint64_t)g->to * ISA_BLOCK_BYTES && at + a->len > (uint64_t)g->from * ISA_BLOCK_BYTES) return true;
    }
    return false;
}

void guard_check(Core *c, Pipe pipe, const Access *acc, uint32_t n_acc)
{
    uint32_t base = pipe == PIPE_S ? KINDS_OF_S : pipe == PIPE_V ? KINDS_OF_V : KINDS_OF_MTE;
    for (uint32_t i = 0; i < n_acc * N_UB_GUARDS; i++) {
        const Access *a = &acc[i / N_UB_GUARDS];
        const UbGuard *g = &c->guards[i % N_UB_GUARDS];
        uint32_t kind = base + (a->how == ACC_READ ? KIND_READ : KIND_WRITE);
        if (a->range || !(g->kinds >> kind & 1) || !meets(g, a)) continue;
        sim_report(c, CHK_ID_GUARD_HIT, pipe_name(pipe), a->how == ACC_READ ? "reads" : "writes", LL((uint64_t)g->from * ISA_BLOCK_BYTES),
                   LL((uint64_t)g->to * ISA_BLOCK_BYTES - 1), loc_file(g->loc), LL(g->loc.line));
        core_kill(c);
    }
}
