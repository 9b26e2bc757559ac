/* `opwright trace`: the values of what an instruction at one line of one block touches, after it has run. */
#include "sim/trace.h"

#include <string.h>

static bool is_place(const Core *c)
{
    const SimOptions *o = &c->sim->options;
    return o->trace && c->block == o->trace_block && c->loc.line == o->trace_line && !strcmp(loc_file(c->loc), "kernel_src");
}

/* True for the instruction that is wanted: all operands of one run belong to it. */
bool trace_begin(Core *c)
{
    Sim *s = c->sim;
    if (!is_place(c)) return false;
    s->n_trace_hits++;
    return s->n_trace_hits == s->options.trace_hit;
}

static void add(Sim *s, SimTraced t, const uint8_t *data, const uint64_t *valid, size_t at)
{
    size_t size = dtype_info(t.dtype)->size_bytes;
    t.n_shown = t.n < SIM_TRACE_MAX ? t.n : SIM_TRACE_MAX;
    double *values = ARENA_ARRAY(s->arena, t.n_shown + 1, double);
    bool *known = ARENA_ARRAY(s->arena, t.n_shown + 1, bool);
    for (size_t i = 0; i < t.n_shown; i++) {
        values[i] = dtype_load(t.dtype, data, i);
        known[i] = !valid || bits_all(valid, at + i * size, size);
    }
    t.api = arena_strdup(s->arena, t.api);
    t.role = arena_strdup(s->arena, t.role);
    t.memory = arena_strdup(s->arena, t.memory);
    t.values = values;
    t.known = known;
    vec_push(s->arena, &s->traced, t);
}

void trace_ub(Core *c, const char *role, DType t, uint64_t at, uint64_t n)
{
    size_t size = dtype_info(t)->size_bytes;
    if (at >= c->ub_bytes) return;
    if (n > (c->ub_bytes - at) / size) n = (c->ub_bytes - at) / size;
    add(c->sim, (SimTraced){.api = c->api, .role = role, .memory = "UB", .dtype = t, .offset = at, .n = n}, c->ub + at, c->ub_valid, at);
}

void trace_gm(Core *c, const char *role, const GmRange *r, uint64_t at, uint64_t n_bytes)
{
    DType t = r->gm->dtype;
    if (at >= r->gm->n_bytes) return;
    if (n_bytes > r->gm->n_bytes - at) n_bytes = r->gm->n_bytes - at;
    add(c->sim, (SimTraced){.api = c->api, .role = role, .memory = r->gm->name, .dtype = t, .offset = at, .n = n_bytes / dtype_info(t)->size_bytes},
        (const uint8_t *)r->gm->data + at, r->valid, at);
}

size_t sim_n_traced(const Sim *s) { return s->traced.n; }
const SimTraced *sim_traced(const Sim *s, size_t i) { return &s->traced.at[i]; }
