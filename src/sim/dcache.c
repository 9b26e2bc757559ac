/* HW: system caches page: the data cache is written back late; a line is 64 bytes and goes back whole, over what others wrote
 * into it since it was loaded. A kernel's end writes everything back (GlobalTensor::SetValue page). ASSUMED: 32 KB, one place for
 * each line. */
#include "sim/dcache.h"
#include "sim/hazard.h"
#include "sim/sim_int.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64, N_LINES = 512 };

typedef struct Line {
    uintptr_t at;    /* address of its first byte */
    uint32_t gen;    /* the line is there when this is the cache's */
    GmRange *r;      /* bytes outside r are not touched */
    uint64_t dirty;  /* a bit for each byte */
    uint8_t data[LINE_BYTES];
} Line;

typedef struct DataCache {
    Line line[N_LINES];
    uint32_t gen, n_dirty;
} DataCache;

struct DataCache *dcache_new(void)
{
    DataCache *d = calloc(1, sizeof *d);
    if (d) d->gen = 1;
    return d;
}

void dcache_free(struct DataCache *d) { free(d); }

void dcache_reset(Core *c)
{
    c->dcache->gen++;
    c->dcache->n_dirty = 0;
}

bool dcache_is_dirty(const Core *c) { return c->dcache->n_dirty > 0; }

static bool is_write_through(const Core *c) { return c->sim->options.schedule == SIM_IN_ORDER; }
static Line *place_of(Core *c, uintptr_t at) { return &c->dcache->line[at / LINE_BYTES % N_LINES]; }
static uintptr_t line_start(const void *p) { return (uintptr_t)p & ~(uintptr_t)(LINE_BYTES - 1); }
static uint64_t ones(size_t from, size_t n) { return (n >= 64 ? ~0ull : (1ull << n) - 1) << from; }

/* The part of a line that lies in its range. */
static void bounds(const Line *l, size_t *from, size_t *end)
{
    uintptr_t base = (uintptr_t)l->r->gm->data, top = base + l->r->gm->n_bytes;
    *from = l->at < base ? base - l->at : 0;
    *end = l->at + LINE_BYTES > top ? top - l->at : LINE_BYTES;
}

static void write_back(Core *c, Line *l)
{
    if (!l->dirty) return;
    size_t from, end;
    bounds(l, &from, &end);
    if (!is_write_through(c)) memcpy((uint8_t *)l->at + from, l->data + from, end - from);
    l->dirty = 0;
    c->dcache->n_dirty--;
}

static Line *find(Core *c, uintptr_t at)
{
    Line *l = place_of(c, at);
    return l->gen == c->dcache->gen && l->at == at ? l : NULL;
}

static Line *load(Core *c, GmRange *r, uintptr_t at)
{
    Line *l = find(c, at);
    if (l) return l;
    l = place_of(c, at);
    if (l->gen == c->dcache->gen) write_back(c, l);
    l->at = at;
    l->gen = c->dcache->gen;
    l->r = r;
    l->dirty = 0;
    size_t from, end;
    bounds(l, &from, &end);
    memcpy(l->data + from, (const uint8_t *)at + from, end - from);
    return l;
}

/* ---- the scalar unit ----------------------------------------------------------------------------------------------- */

static uint64_t word_at(const void *p, uint32_t size)
{
    uint64_t v = 0;
    switch (size) { /* fixed sizes: this is where scalar kernels spend their time */
    case 4: memcpy(&v, p, 4); break;
    case 2: memcpy(&v, p, 2); break;
    case 8: memcpy(&v, p, 8); break;
    default: memcpy(&v, p, 1); break;
    }
    return v;
}

static bool crosses(const uint8_t *p, uint32_t size) { return line_start(p) != line_start(p + size - 1); }

uint64_t dcache_read(Core *c, GmRange *r, const uint8_t *p, uint32_t size)
{
    uint64_t bits = word_at(p, size);
    if (crosses(p, size)) return bits; /* misaligned, which has been reported */
    Line *l = load(c, r, line_start(p));
    size_t off = (uintptr_t)p - l->at;
    uint64_t cached = word_at(l->data + off, size);
    if (cached == bits) return bits;
    if (!(l->dirty & ones(off, size))) sim_report(c, CHK_ID_DCACHE_STALE, LL((uintptr_t)p - (uintptr_t)r->gm->data), r->gm->name);
    return is_write_through(c) ? bits : cached;
}

/* Another block wrote into the line since the two met. */
static void check_line(Core *c, GmRange *r, uintptr_t at)
{
    if (!r->shadow.pages) return;
    uintptr_t base = (uintptr_t)r->gm->data;
    size_t from = at < base ? 0 : at - base, end = at + LINE_BYTES - base < r->gm->n_bytes ? at + LINE_BYTES - base : r->gm->n_bytes;
    uint32_t block = gm_shadow_other_writer(c, r, from, end, false);
    if (block != UINT32_MAX) sim_report(c, CHK_ID_GM_LINE, LL(from), r->gm->name, LL(c->block), LL(block));
}

static void mark_dirty(Core *c, Line *l, size_t off, uint32_t size)
{
    if (!l->dirty) c->dcache->n_dirty++;
    l->dirty |= ones(off, size);
}

static void store(Core *c, GmRange *r, uint8_t *p, const void *bits, uint32_t size)
{
    if (!c->sim->options.no_hazards) {
        const Line *have = find(c, line_start(p));
        if (!have || !have->dirty) check_line(c, r, line_start(p));
        gm_shadow_write(c, PIPE_S, r, (size_t)(p - (uint8_t *)r->gm->data), bits, size);
    }
    if (crosses(p, size)) {
        memcpy(p, bits, size);
        return;
    }
    Line *l = load(c, r, line_start(p));
    size_t off = (uintptr_t)p - l->at;
    memcpy(l->data + off, bits, size);
    mark_dirty(c, l, off, size);
    if (is_write_through(c)) memcpy(p, bits, size);
}

void dcache_write(Core *c, GmRange *r, uint8_t *p, uint64_t bits, uint32_t size)
{
    store(c, r, p, &bits, size);
}

void *dcache_ref(Core *c, GmRange *r, uint8_t *p, uint32_t size)
{
    if (is_write_through(c) || crosses(p, size)) {
        if (!crosses(p, size)) dcache_read(c, r, p, size);
        return p;
    }
    Line *l = place_of(c, line_start(p));
    for (uint32_t i = 0; i < c->n_refs; i++) { /* another reference of the same expression stands in the line's place */
        const uint8_t *held = c->refs[i].p;
        if (held >= l->data && held < l->data + LINE_BYTES && !find(c, line_start(p))) return p;
    }
    l = load(c, r, line_start(p));
    return l->data + ((uintptr_t)p - l->at);
}

void dcache_wrote(Core *c, GmRange *r, uint8_t *p, const void *ref, uint32_t size)
{
    uint8_t bits[8];
    memcpy(bits, ref, size);
    store(c, r, p, bits, size);
}

void dcache_clean(Core *c, const uint8_t *p, bool entire)
{
    if (entire) {
        for (uint32_t i = 0; i < N_LINES && c->dcache->n_dirty; i++)
            if (c->dcache->line[i].gen == c->dcache->gen) write_back(c, &c->dcache->line[i]);
        dcache_reset(c);
        return;
    }
    Line *l = find(c, line_start(p));
    if (!l) return;
    write_back(c, l);
    l->gen = 0;
}

/* ---- copies --------------------------------------------------------------------------------------------------------- */

/* The first dirty line of a core that holds some of [from, end). */
static const Line *dirty_line(Core *c, uintptr_t from, uintptr_t end)
{
    if (!c->dcache->n_dirty) return NULL;
    if ((end - from) / LINE_BYTES > N_LINES) {
        for (uint32_t i = 0; i < N_LINES; i++) {
            const Line *l = &c->dcache->line[i];
            if (l->gen == c->dcache->gen && l->dirty && l->at < end && l->at + LINE_BYTES > from) return l;
        }
        return NULL;
    }
    for (uintptr_t at = from & ~(uintptr_t)(LINE_BYTES - 1); at < end; at += LINE_BYTES) {
        const Line *l = find(c, at);
        if (l && l->dirty) return l;
    }
    return NULL;
}

static bool holds(const Line *l, uintptr_t from, uintptr_t end)
{
    size_t first = from > l->at ? from - l->at : 0, last = end < l->at + LINE_BYTES ? end - l->at : LINE_BYTES;
    return (l->dirty & ones(first, last - first)) != 0;
}

void dcache_check_read(Core *c, GmRange *r, size_t off, size_t n)
{
    Sim *s = c->sim;
    uintptr_t from = (uintptr_t)r->gm->data + off, end = from + n;
    uint32_t n_cores = c->n_meetings ? s->chip->n_vector_cores : 1; /* without a meeting it is a race, and told as one */
    for (uint32_t i = 0; i < n_cores && s->cores[i]; i++) {
        Core *other = c->n_meetings ? s->cores[i] : c;
        if (other != c && other->state == CORE_DONE) continue;
        const Line *l = dirty_line(other, from, end);
        if (l && holds(l, from, end)) sim_report(c, CHK_ID_DCACHE_UNFLUSHED, LL(l->at < from ? off : l->at - from + off), r->gm->name, LL(other->block));
    }
}

void dcache_check_store(Core *c, GmRange *r, size_t off, size_t n)
{
    uintptr_t from = (uintptr_t)r->gm->data + off, end = from + n;
    const Line *l = dirty_line(c, from, end);
    if (l) sim_report(c, CHK_ID_DCACHE_CLOBBER, LL(l->at - (uintptr_t)r->gm->data), r->gm->name);
    if (!r->shadow.pages) return;
    const uintptr_t edges[2] = {line_start((void *)from), line_start((void *)(end - 1))};
    for (uint32_t i = 0; i < 2; i++) { /* lines written in part, where another block's scalar unit wrote too */
        bool part = edges[i] < from || edges[i] + LINE_BYTES > end;
        size_t base = (size_t)(uintptr_t)r->gm->data, a = edges[i] < base ? 0 : edges[i] - base, b = edges[i] + LINE_BYTES - base;
        uint32_t block = part ? gm_shadow_other_writer(c, r, a, b < r->gm->n_bytes ? b : r->gm->n_bytes, true) : UINT32_MAX;
        if (block != UINT32_MAX) sim_report(c, CHK_ID_GM_LINE_STORE, LL(a), r->gm->name, LL(c->block), LL(block));
    }
}
