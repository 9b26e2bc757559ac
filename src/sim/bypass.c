/* Scalar access to global memory past the data cache: exactly the element's bytes move, no cache line takes part.
 * HW: ReadGmByPassDCache and WriteGmByPassDCache pages. */
#include "sim/dcache.h"
#include "sim/sim_int.h"

#include <string.h>

static GmRange *element(Core *c, const OwGlobal *g, uint32_t size, bool write)
{
    uint64_t skip, n_ok;
    GmRange *r = gm_access(c, g, (uintptr_t)g->addr, size, write, &skip, &n_ok);
    if (!r || n_ok < size) return NULL;
    size_t off = (size_t)((uintptr_t)g->addr - (uintptr_t)r->gm->data);
    if (off % size) sim_report(c, CHK_ID_GM_MISALIGNED, write ? "writes" : "reads", r->gm->name, LL(off), LL(size));
    return r;
}

uint64_t ow_gm_get_direct(uint32_t type, const OwGlobal *g, OwLoc loc)
{
    Core *c = core_enter("ReadGmByPassDCache", loc);
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    GmRange *r = element(c, g, size, false);
    uint64_t bits = 0;
    if (!r) return 0;
    size_t off = (size_t)((uintptr_t)g->addr - (uintptr_t)r->gm->data);
    const Access acc = {.how = ACC_READ, .range = r, .at = off, .len = size, .n_rows = 1};
    issue_scalar_read(c, &acc, 1);
    if (!c->sim->options.no_hazards) dcache_check_read(c, r, off, size);
    memcpy(&bits, g->addr, size);
    if (r->valid && !bits_all(r->valid, off, size)) {
        sim_report(c, CHK_ID_UNINIT_SCALAR, LL(off / size), r->gm->name);
        poison_fill((uint8_t *)&bits, size, 0);
    }
    c->sim->stats.gm_read_bytes += size;
    return bits;
}

void ow_gm_set_direct(uint32_t type, const OwGlobal *g, uint64_t bits, OwLoc loc)
{
    Core *c = core_enter("WriteGmByPassDCache", loc);
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    GmRange *r = element(c, g, size, true);
    if (!r || r->gm->role == SIM_GM_INPUT) return;
    size_t off = (size_t)((uintptr_t)g->addr - (uintptr_t)r->gm->data);
    issue_scalar_read(c, NULL, 0);
    if (!c->sim->options.no_hazards) {
        dcache_check_store(c, r, off, size);
        gm_shadow_write(c, PIPE_S, r, off, (const uint8_t *)&bits, size);
    }
    memcpy(g->addr, &bits, size);
    if (r->valid) bits_fill(r->valid, off, size, true);
    c->sim->stats.gm_write_bytes += size;
}
