/* The ledger of UB: who holds how much of it, at the moment some core held most, and what the API takes without asking. */
#include "sim/sim_int.h"

#include <stdio.h>
#include <string.h>

static bool same_place(OwLoc a, const SimUbUse *u) { return a.line == u->line && !strcmp(loc_file(a), u->file); }

static void add_use(Sim *s, SimUbUse use)
{
    use.file = arena_strdup(s->arena, use.file);
    use.what = arena_strdup(s->arena, use.what);
    vec_push(s->arena, &s->ub_uses, use);
}

static const char *pos_name(uint8_t pos)
{
    return pos == 9 ? "VECIN" : pos == 10 ? "VECOUT" : "VECCALC"; /* TPosition; no others are in UB */
}

/* One line for each InitBuffer. */
void ledger_allocated(Core *c)
{
    Sim *s = c->sim;
    if (c->ub_top <= s->ub_ledger_top) return;
    s->ub_ledger_top = c->ub_top;
    memset(&s->ub_uses, 0, sizeof s->ub_uses);
    uint32_t que = 0;
    for (uint32_t i = 1; i <= c->n_bufs; i++) {
        const Buf *b = &c->bufs[i];
        SimUbUse *last = s->ub_uses.n ? &s->ub_uses.at[s->ub_uses.n - 1] : NULL;
        if (last && b->que && b->que == que && same_place(b->made, last)) {
            last->count++;
            continue;
        }
        que = b->que;
        char what[32];
        snprintf(what, sizeof what, "%s %s", b->que ? "TQue" : "TBuf", pos_name(b->pos));
        add_use(s, (SimUbUse){.what = what, .file = loc_file(b->made), .line = b->made.line, .count = 1, .bytes = b->len});
    }
}

void ledger_hidden(Core *c, const char *api, uint32_t n_bytes)
{
    Sim *s = c->sim;
    for (size_t i = 0; i < s->ub_hidden.n; i++) {
        SimUbUse *u = &s->ub_hidden.at[i];
        if (strcmp(u->what, api) != 0 || !same_place(c->loc, u)) continue;
        if (u->bytes < n_bytes) u->bytes = n_bytes;
        return;
    }
    const SimUbUse use = {.what = arena_strdup(s->arena, api), .file = arena_strdup(s->arena, loc_file(c->loc)), .line = c->loc.line, .count = 1, .bytes = n_bytes, .hidden = true};
    vec_push(s->arena, &s->ub_hidden, use);
}

size_t sim_n_ub_uses(const Sim *s) { return s->ub_uses.n + s->ub_hidden.n; }

const SimUbUse *sim_ub_use(const Sim *s, size_t i) { return i < s->ub_uses.n ? &s->ub_uses.at[i] : &s->ub_hidden.at[i - s->ub_uses.n]; }

uint32_t sim_ub_bytes(const Sim *s) { return s->chip->ub_bytes; }
