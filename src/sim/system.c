/* Flags, barriers, block numbers, mask and control registers, tiling, printing. */
#include "sim/sim_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- flags and barriers ---------------------------------------------------------------------------------------- */

static bool flag_ok(Core *c, uint32_t event, int32_t id)
{
    if (event < N_EVENTS && id >= 0 && id < N_EVENT_IDS) return true;
    sim_report(c, CHK_ID_FLAG_ID, LL(id));
    return false;
}

void ow_flag_set(uint32_t event, int32_t id, OwLoc loc)
{
    Core *c = core_enter("SetFlag", loc);
    if (!flag_ok(c, event, id)) return;
    uint8_t bit = (uint8_t)(1u << id);
    OwLoc before = c->flag_loc[event][id];
    if (c->flag_owed[event] & bit) { /* a wait of the other pipe, issued earlier, goes on now */
        c->flag_owed[event] &= (uint8_t)~bit;
        issue_set(c, FLAGS_USER, event, (uint32_t)id);
        return;
    }
    if (c->flag_set[event] & bit) sim_report(c, CHK_ID_FLAG_TWICE, LL(id), event_name(event), loc_file(before), LL(before.line));
    c->flag_set[event] |= bit;
    c->flag_loc[event][id] = c->loc;
    issue_set(c, FLAGS_USER, event, (uint32_t)id);
}

/* A wait before its set is no fault when the waiting pipe is not the scalar one: that pipe alone waits. */
void ow_flag_wait(uint32_t event, int32_t id, OwLoc loc)
{
    Core *c = core_enter("WaitFlag", loc);
    if (!flag_ok(c, event, id)) return;
    uint8_t bit = (uint8_t)(1u << id);
    if (c->flag_set[event] & bit) {
        c->flag_set[event] &= (uint8_t)~bit;
        issue_wait(c, FLAGS_USER, event, (uint32_t)id);
        return;
    }
    const char *name = event_name(event);
    if (event_target(event) == PIPE_S || (c->flag_owed[event] & bit)) {
        sim_report(c, CHK_ID_FLAG_NO_SET, name, LL(id));
        core_kill(c);
    }
    c->flag_owed[event] |= bit;
    c->flag_loc[event][id] = c->loc;
    issue_wait(c, FLAGS_USER, event, (uint32_t)id);
}

void ow_barrier(uint32_t pipe, OwLoc loc)
{
    Core *c = core_enter("PipeBarrier", loc);
    Pipe p = pipe_of_abi(pipe);
    if (p == N_PIPES || p == PIPE_S)
        issue_barrier_all(c); /* PIPE_ALL, and DataSyncBarrier, which waits for all earlier accesses */
    else
        issue_barrier(c, p);
}

/* ---- numbers of the launch -------------------------------------------------------------------------------------- */

int64_t ow_block_idx(void)
{
    return sim_core->block;
}

int64_t ow_block_num(void)
{
    return sim_core->sim->launch->block_dim;
}

/* Without a timing model yet: one tick per API call, so that it grows and repeats between runs. */
int64_t ow_system_cycle(void)
{
    core_needs_order(sim_core);
    return (int64_t)sim_core->sim->n_calls;
}

void ow_init_soc(OwLoc loc)
{
    core_soc_init(core_enter("InitSocState", loc));
}

/* Vector-only kernels are modelled; kinds that start cube cores are not. */
void ow_task_type(const char *name, uint32_t type, OwLoc loc)
{
    enum { AIV_ONLY = 0, MIX_AIV_1_0 = 2 };
    Core *c = core_enter("KERNEL_TASK_TYPE_DEFAULT", loc);
    if (type != AIV_ONLY && type != MIX_AIV_1_0) {
        sim_report(c, CHK_ID_NOT_MODELLED, name);
        core_kill(c);
    }
}

void ow_tiling_get(void *out, uint64_t n_bytes, const void *tiling, OwLoc loc)
{
    Core *c = core_enter("GET_TILING_DATA", loc);
    memset(out, 0, n_bytes);
    GmRange *r = tiling ? gm_find(c->sim, (uintptr_t)tiling) : NULL;
    uint64_t have = r ? r->gm->n_bytes - ((uintptr_t)tiling - (uintptr_t)r->gm->data) : 0;
    if (have < n_bytes) sim_report(c, CHK_ID_TILING_SMALL, LL(n_bytes), LL(have));
    if (r) memcpy(out, tiling, have < n_bytes ? have : n_bytes);
}

int ow_tiling_key_is(uint64_t key, OwLoc loc)
{
    Core *c = core_enter("TILING_KEY_IS", loc);
    bool hit = c->sim->launch->tiling_key == key;
    c->sim->key_asked = true;
    c->sim->key_matched |= hit;
    return hit;
}

/* HW: engineered builds hand the kernel the user part of the workspace already. */
void *ow_user_workspace(void *workspace, OwLoc loc)
{
    core_enter("GetUserWorkspace", loc);
    return workspace;
}

void *ow_sys_workspace(void)
{
    const Sim *s = sim_core->sim;
    for (size_t i = 0; i < s->n_ranges; i++)
        if (s->ranges[i].gm->role == SIM_GM_WORKSPACE) return s->ranges[i].gm->data;
    return NULL;
}

/* ---- registers -------------------------------------------------------------------------------------------------- */

void ow_mask_set(uint64_t high, uint64_t low, uint32_t counter, OwLoc loc)
{
    Core *c = core_enter("SetVectorMask", loc);
    c->mask_form = counter ? MASK_FORM_COUNT : MASK_FORM_ANY;
    c->mask[0] = low;
    c->mask[1] = high;
}

void ow_mask_len(uint32_t type, uint32_t counter, int32_t len, OwLoc loc)
{
    Core *c = core_enter("SetVectorMask", loc);
    uint32_t lanes = ISA_REPEAT_BYTES / (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    if (len < 0) {
        sim_report(c, CHK_ID_COUNT_NEGATIVE, LL(len));
        len = 0;
    }
    c->mask_form = counter ? MASK_FORM_COUNT : MASK_FORM_LANES;
    if (counter) {
        c->mask[0] = (uint32_t)len;
        c->mask[1] = 0;
        return;
    }
    uint32_t n = (uint32_t)len < lanes ? (uint32_t)len : lanes;
    if (n == lanes) n = 128; /* HW: a full mask sets both words */
    c->mask[0] = n >= 64 ? ~0ull : (1ull << n) - 1;
    c->mask[1] = n >= 128 ? ~0ull : n > 64 ? (1ull << (n - 64)) - 1 : 0;
}

void ow_mask_mode(uint32_t counter, OwLoc loc)
{
    core_enter(counter ? "SetMaskCount" : "SetMaskNorm", loc)->counter_mode = counter;
}

void ow_ctrl_set(const char *api, uint32_t bit, uint32_t value, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    *(bit == 48 ? &c->ctrl48 : bit == 53 ? &c->ctrl53 : &c->ctrl59) = value;
}

uint32_t ow_ctrl_get(uint32_t bit)
{
    const Core *c = sim_core;
    return bit == 48 ? c->ctrl48 : bit == 53 ? c->ctrl53 : c->ctrl59;
}

/* ---- printing and stopping --------------------------------------------------------------------------------------- */

void ow_printf(OwLoc loc, const char *fmt, ...)
{
    Core *c = core_enter("printf", loc);
    core_needs_order(c);
    va_list args;
    va_start(args, fmt);
    printf("[AIV Block %u/%u] ", c->block, c->sim->launch->block_dim);
    vprintf(fmt, args);
    va_end(args);
    size_t n = strlen(fmt);
    if (n == 0 || fmt[n - 1] != '\n') putchar('\n');
}

void ow_trap(const char *what, OwLoc loc)
{
    Core *c = core_enter("ASSERT", loc);
    sim_report(c, CHK_ID_ASSERT, what);
    core_kill(c);
}

void ow_not_modelled(const char *api, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    sim_report(c, CHK_ID_NOT_MODELLED, api);
    core_kill(c);
}
