/* Happens-before over global memory. Inside a block the pipes' clocks say what is in order; between blocks only SyncAll and
 * the flags between cores do. Whole pages that one copy covers cost one mark. */
#include "sim/gm_shadow.h"
#include "sim/cross.h"
#include "sim/hazard.h"
#include "sim/sim_int.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, GRAINS = PAGE_BYTES / ISA_BLOCK_BYTES };

typedef struct GmGrains {
    struct GmGrains *next; /* while spare */
    GmGrain at[GRAINS];
} GmGrains;

bool gm_shadow_new(GmShadow *s, size_t n_bytes)
{
    s->n_pages = n_bytes / PAGE_BYTES + 1;
    s->pages = calloc(s->n_pages, sizeof *s->pages);
    return s->pages != NULL;
}

void gm_shadow_free(GmShadow *s)
{
    if (s->pages) gm_shadow_clear(s, (s->n_pages - 1) * PAGE_BYTES);
    for (struct GmGrains *g = s->spare, *next; g; g = next) next = g->next, free(g);
    free(s->pages);
    *s = (GmShadow){0};
}

void gm_shadow_clear(GmShadow *s, size_t n_bytes)
{
    for (size_t p = 0; p <= n_bytes / PAGE_BYTES; p++)
        if (s->pages[p].split) {
            s->pages[p].split->next = s->spare;
            s->spare = s->pages[p].split;
        }
    memset(s->pages, 0, (n_bytes / PAGE_BYTES + 1) * sizeof *s->pages);
}

/* One access on its way over the grains. */
typedef struct Touch {
    Core *c;
    GmRange *r;
    GmMark mine;
    AccessHow how;
    const uint8_t *data; /* of a plain write, at byte off */
    size_t off;
    bool told;
} Touch;

/* First byte of [from, end) that is among `bytes` of each 32 and would change, or end. */
static size_t first_change(const Touch *t, uint32_t bytes, size_t from, size_t end)
{
    const uint8_t *old = (const uint8_t *)t->r->gm->data;
    for (size_t i = from; i < end; i++)
        if ((bytes >> i % ISA_BLOCK_BYTES & 1) && old[i] != t->data[i - t->off]) return i;
    return end;
}

static bool is_ordered(const Touch *t, const GmMark *m)
{
    if (m->several) return t->c->n_meetings > m->clock;
    if (m->block != t->mine.block) return cross_knows(t->c, m->block, (Pipe)m->pipe, m->clock);
    return hazard_ordered(t->c, (Pipe)t->mine.pipe, (Pipe)m->pipe, m->clock);
}

static void report_pipes(const Touch *t, const GmMark *m, AccessHow how, size_t from, size_t end)
{
    Core *c = t->c;
    const Site here = {c->loc, c->api}, there = c->sim->sites.at[m->site];
    bool first = m->seq < t->mine.seq;
    const Site *a = first ? &there : &here, *b = first ? &here : &there;
    Pipe pa = (Pipe)(first ? m->pipe : t->mine.pipe), pb = (Pipe)(first ? t->mine.pipe : m->pipe);
    AccessHow ha = first ? how : t->how, hb = first ? t->how : how;
    CheckId id = ha == ACC_READ ? CHK_ID_RACE_GM_WAR : hb == ACC_READ ? CHK_ID_RACE_GM_RAW : CHK_ID_RACE_GM_WAW;
    char missing[64];
    hazard_missing(pa, pb, missing, sizeof missing);
    uint32_t between = first ? t->mine.seq - m->seq : m->seq - t->mine.seq;
    sim_report_race(c, hazard_severity(pa, pb, ha, hb, between), a, b, id, pipe_name(pa), a->api, loc_file(a->loc), LL(a->loc.line), LL(from), LL(end - 1),
                    t->r->gm->name, pipe_name(pb), b->api, missing);
}

static void report_blocks(const Touch *t, const GmMark *m, AccessHow how, size_t from, size_t end)
{
    Core *c = t->c;
    const Site here = {c->loc, c->api}, there = c->sim->sites.at[m->site];
    CheckId id = how == ACC_READ ? CHK_ID_RACE_BLOCKS_WAR : t->how == ACC_READ ? CHK_ID_RACE_BLOCKS_RAW : CHK_ID_RACE_BLOCKS_WAW;
    sim_report_race(c, SIM_ERROR, &there, &here, id, LL(m->block), there.api, loc_file(there.loc), LL(there.loc.line), LL(from), LL(end - 1),
                    t->r->gm->name, LL(c->block), c->api);
}

static void against(Touch *t, const GmMark *m, AccessHow how, uint32_t bytes, size_t from, size_t end)
{
    if (m->clock == 0 || !(m->bytes & bytes) || is_ordered(t, m) || t->told) return;
    if (t->how == ACC_ATOMIC && how == ACC_ATOMIC) return;
    bool plain = t->data && how == ACC_WRITE, other = m->block != t->mine.block;
    size_t at = plain ? first_change(t, m->bytes & bytes, from, end) : from;
    if (at == end) { /* the same values: either order does */
        if (other) t->r->n_same += end - from;
        return;
    }
    t->told = true;
    if (plain && other)
        sim_report(t->c, CHK_ID_GM_TWO_BLOCKS, LL(at), t->r->gm->name, LL(t->c->block), LL(m->block));
    else if (other || m->several)
        report_blocks(t, m, how, from, end);
    else
        report_pipes(t, m, how, from, end);
}

/* A mark for bytes that this access does not cover stays as old as it was: to call it newer would make races of none. */
static void put_mark(GmMark *m, const GmMark *mine, uint32_t bytes)
{
    bool keeps = m->clock && m->block == mine->block && !m->several && (m->bytes & ~bytes);
    uint32_t clock = keeps && m->pipe == mine->pipe && m->clock < mine->clock ? m->clock : mine->clock;
    uint32_t kept = keeps && m->pipe == mine->pipe ? m->bytes : 0;
    *m = *mine;
    m->clock = clock;
    m->bytes = kept | bytes;
}

static void put_read(const Touch *t, GmMark *m, uint32_t bytes)
{
    if (m->clock == 0 || (m->block == t->mine.block && !m->several)) {
        put_mark(m, &t->mine, bytes);
        return;
    }
    m->several = true;
    m->clock = t->c->n_meetings;
    m->bytes |= bytes;
}

static void touch_grain(Touch *t, GmGrain *g, uint32_t bytes, size_t from, size_t end)
{
    bool adds = g->wrote.atomic && !(g->wrote.mixed && g->wrote.block != t->mine.block);
    against(t, &g->wrote, adds ? ACC_ATOMIC : ACC_WRITE, bytes, from, end);
    if (t->how == ACC_READ) {
        g->all_read |= bytes;
        put_read(t, &g->read, bytes);
        return;
    }
    g->all_wrote |= bytes;
    g->scalar |= t->mine.pipe == PIPE_S;
    against(t, &g->read, ACC_READ, bytes, from, end);
    bool mixed = t->mine.atomic && g->wrote.clock && g->wrote.block == t->mine.block && (!g->wrote.atomic || g->wrote.mixed) &&
                 !cross_knows(t->c, t->mine.block, (Pipe)g->wrote.pipe, g->wrote.clock); /* else the blocks have met since */
    put_mark(&g->wrote, &t->mine, bytes);
    g->wrote.mixed = mixed;
    g->read.bytes &= ~bytes;
    if (g->read.bytes == 0) g->read.clock = 0;
}

static void split_page(GmShadow *s, GmPage *p)
{
    if (s->spare) {
        p->split = s->spare;
        s->spare = s->spare->next;
    } else if (!(p->split = malloc(sizeof *p->split))) {
        abort(); /* as arenas do */
    }
    for (size_t g = 0; g < GRAINS; g++) p->split->at[g] = p->all;
}

static void touch_page(Touch *t, size_t page, size_t from, size_t end)
{
    GmShadow *s = &t->r->shadow;
    GmPage *p = &s->pages[page];
    if (!p->split && end - from == PAGE_BYTES) {
        touch_grain(t, &p->all, UINT32_MAX, from, end);
        return;
    }
    if (!p->split) split_page(s, p);
    for (size_t at = from, stop; at < end; at = stop) {
        size_t g = at / ISA_BLOCK_BYTES;
        stop = (g + 1) * ISA_BLOCK_BYTES < end ? (g + 1) * ISA_BLOCK_BYTES : end;
        touch_grain(t, &p->split->at[g % GRAINS], (uint32_t)(((1ull << (stop - at)) - 1) << at % ISA_BLOCK_BYTES), at, stop);
    }
}

static void touch(Touch *t, size_t off, size_t n)
{
    for (size_t from = off, end; from < off + n; from = end) {
        size_t page = from / PAGE_BYTES;
        end = (page + 1) * PAGE_BYTES < off + n ? (page + 1) * PAGE_BYTES : off + n;
        touch_page(t, page, from, end);
    }
}

static Touch touch_of(Core *c, Pipe pipe, AccessHow how, GmRange *r)
{
    return (Touch){.c = c,
                   .r = r,
                   .how = how,
                   .mine = {.clock = hazard_clock(c, pipe), .seq = hazard_seq(c), .site = (uint16_t)hazard_site(c), .block = (uint16_t)c->block,
                            .pipe = (uint8_t)pipe, .atomic = how == ACC_ATOMIC}};
}

void gm_shadow_touch(Core *c, Pipe pipe, AccessHow how, GmRange *r, size_t off, size_t n)
{
    if (!r->shadow.pages || n == 0) return;
    Touch t = touch_of(c, pipe, how, r);
    touch(&t, off, n);
}

/* The scalar unit going through memory: the 32 bytes have its mark already, and nobody else's. */
static bool goes_on(const Core *c, GmRange *r, size_t off, size_t n)
{
    size_t g = off / ISA_BLOCK_BYTES;
    const GmPage *page = &r->shadow.pages[off / PAGE_BYTES];
    if (!page->split || (off + n - 1) / ISA_BLOCK_BYTES != g) return false;
    GmGrain *grain = &page->split->at[g % GRAINS];
    if (grain->read.clock || grain->wrote.pipe != PIPE_S || grain->wrote.block != c->block || grain->wrote.clock != hazard_clock(c, PIPE_S)) return false;
    uint32_t bytes = (uint32_t)(((1ull << n) - 1) << off % ISA_BLOCK_BYTES);
    grain->wrote.bytes |= bytes;
    grain->all_wrote |= bytes;
    return true;
}

void gm_shadow_write(Core *c, Pipe pipe, GmRange *r, size_t off, const uint8_t *data, size_t n)
{
    if (!r->shadow.pages || n == 0 || (pipe == PIPE_S && goes_on(c, r, off, n))) return;
    Touch t = touch_of(c, pipe, ACC_WRITE, r);
    t.data = data;
    t.off = off;
    touch(&t, off, n);
}

uint32_t gm_shadow_other_writer(const Core *c, const GmRange *r, size_t from, size_t end, bool scalar)
{
    for (size_t at = from, stop; at < end; at = stop) {
        size_t g = at / ISA_BLOCK_BYTES;
        stop = (g + 1) * ISA_BLOCK_BYTES < end ? (g + 1) * ISA_BLOCK_BYTES : end;
        const GmPage *p = &r->shadow.pages[at / PAGE_BYTES];
        const GmMark *m = p->split ? &p->split->at[g % GRAINS].wrote : &p->all.wrote;
        uint32_t bytes = (uint32_t)(((1ull << (stop - at)) - 1) << at % ISA_BLOCK_BYTES);
        if (m->clock == 0 || m->block == c->block || !(m->bytes & bytes) || (scalar && m->pipe != PIPE_S)) continue;
        if (!cross_knows(c, m->block, (Pipe)m->pipe, m->clock)) return m->block;
    }
    return UINT32_MAX;
}

static bool is_untouched(const GmPage *p) { return !p->split && (p->all.all_wrote | p->all.all_read) == 0; }

static const GmGrain *grain_at(const GmShadow *s, size_t page, size_t grain) { return s->pages[page].split ? &s->pages[page].split->at[grain] : &s->pages[page].all; }

static bool grains_clash(const GmGrain *a, const GmGrain *b) { return (a->all_wrote & (b->all_wrote | b->all_read)) || (a->all_read & b->all_wrote); }

/* A line may lie across two pairs of grains: with any grain beside it. */
static bool lines_clash(const GmShadow *a, const GmShadow *b, size_t grain, size_t n_grains)
{
    if (!grain_at(a, grain / GRAINS, grain % GRAINS)->scalar) return false;
    for (size_t g = grain ? grain - 1 : 0; g <= grain + 1 && g < n_grains; g++)
        if (grain_at(b, g / GRAINS, g % GRAINS)->all_wrote) return true;
    return false;
}

bool gm_shadow_clash(const GmShadow *a, const GmShadow *b, size_t n_bytes)
{
    if (!a->pages || !b->pages) return false;
    size_t n_grains = (n_bytes + ISA_BLOCK_BYTES - 1) / ISA_BLOCK_BYTES;
    for (size_t page = 0; page * GRAINS < n_grains; page++) {
        bool near = !is_untouched(&b->pages[page]) || (page && !is_untouched(&b->pages[page - 1])) || ((page + 1) * GRAINS < n_grains && !is_untouched(&b->pages[page + 1]));
        if (is_untouched(&a->pages[page]) || !near) continue;
        for (size_t g = page * GRAINS; g < (page + 1) * GRAINS && g < n_grains; g++)
            if (grains_clash(grain_at(a, page, g % GRAINS), grain_at(b, page, g % GRAINS)) || lines_clash(a, b, g, n_grains) || lines_clash(b, a, g, n_grains)) return true;
    }
    return false;
}
