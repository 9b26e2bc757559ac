/* Happens-before inside a core: clocks of the pipes, and for the local memory who wrote and who read each byte last. */
#include "sim/hazard.h"
#include "sim/dcache.h"
#include "sim/sim_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Who touched a byte last; clock 0: nobody. */
typedef struct Mark {
    uint32_t clock, seq, site;
    Pipe pipe;
} Mark;

enum { N_READERS = 3 }; /* pipes that read UB: S, V, MTE3 */

/* Bytes from `from` to the next segment's, which have been touched alike. */
typedef struct Segment {
    uint32_t from;
    Mark written, read[N_READERS];
} Segment;

typedef struct Hazards {
    Clocks known[N_PIPES]; /* known[p].at[q]: what q did up to this clock is over before p's next instruction */
    Clocks issued;         /* the same for the scalar unit's issuing */
    uint32_t n_issued, seen[N_PIPES]; /* changes of issued, and those that a pipe has taken over */
    uint32_t now[N_PIPES], seq;
    Segment *seg;
    uint32_t n_segs, cap_segs, last;
    uint32_t top; /* bytes of the memory */
} Hazards;

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

struct Hazards *hazards_new(void)
{
    Hazards *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    h->cap_segs = 64;
    h->seg = calloc(h->cap_segs, sizeof *h->seg);
    if (h->seg) return h;
    free(h);
    return NULL;
}

void hazards_free(struct Hazards *h)
{
    if (h) free(h->seg);
    free(h);
}

void hazards_reset(Core *c)
{
    Hazards *h = c->hazards;
    memset(h->known, 0, sizeof h->known);
    memset(&h->issued, 0, sizeof h->issued);
    memset(h->seen, 0, sizeof h->seen);
    h->n_issued = 0;
    for (Pipe p = 0; p < N_PIPES; p++) h->now[p] = 1;
    h->n_segs = 1;
    h->seg[0] = (Segment){0};
    h->last = 0;
    h->top = c->ub_bytes;
}

static void merge(Clocks *to, const Clocks *from)
{
    for (uint32_t q = 0; q < N_PIPES; q++)
        if (from->at[q] > to->at[q]) to->at[q] = from->at[q];
}

void hazard_issued(const Core *c, Clocks *out) { *out = c->hazards->issued; }
void hazard_enter(Core *c, Pipe pipe, const Clocks *issued) { merge(&c->hazards->known[pipe], issued); }

void hazard_enter_now(Core *c, Pipe pipe)
{
    Hazards *h = c->hazards;
    if (h->seen[pipe] == h->n_issued) return;
    h->seen[pipe] = h->n_issued;
    merge(&h->known[pipe], &h->issued);
}

void hazard_signal(Core *c, Pipe pipe, Clocks *before)
{
    Hazards *h = c->hazards;
    *before = h->known[pipe];
    before->at[pipe] = h->now[pipe]++;
}

void hazard_join(Core *c, Pipe pipe, const Clocks *before)
{
    Hazards *h = c->hazards;
    merge(&h->known[pipe], before);
    if (pipe != PIPE_S) return;
    merge(&h->issued, before);
    h->n_issued++;
}

void hazard_barrier(Core *c, Pipe pipe)
{
    Hazards *h = c->hazards;
    h->known[pipe].at[pipe] = h->now[pipe]++;
}

void hazard_barrier_all(Core *c)
{
    Hazards *h = c->hazards;
    for (Pipe p = 0; p < N_PIPES; p++) h->issued.at[p] = h->now[p]++;
    h->n_issued++;
}

uint32_t hazard_clock(const Core *c, Pipe pipe) { return c->hazards->now[pipe]; }

uint32_t hazard_seq(const Core *c) { return c->hazards->seq; }

/* Copies of one DMA pipe may end out of order; vector instructions do not (the compiler puts barriers between them), and the
 * scalar unit keeps its own order. HW: PipeBarrier page, constraints. */
bool hazard_ordered(const Core *c, Pipe pipe, Pipe earlier, uint32_t clock)
{
    if (pipe == earlier && (pipe == PIPE_V || pipe == PIPE_S)) return true;
    return c->hazards->known[pipe].at[earlier] >= clock;
}

/* ---- places in the source ---------------------------------------------------------------------------------------- */

static bool is_here(const Core *c, const Site *s) { return s->loc.line == c->loc.line && s->api == c->api && s->loc.file == c->loc.file; }

uint32_t hazard_site(Core *c)
{
    Sim *s = c->sim;
    uint16_t *slot = &s->site_cache[(c->loc.line + ((uintptr_t)c->api >> 3)) % 256];
    if (*slot < s->sites.n && is_here(c, &s->sites.at[*slot])) return *slot;
    uint32_t i = 0;
    while (i < s->sites.n && !is_here(c, &s->sites.at[i])) i++;
    if (i == s->sites.n && i < UINT16_MAX) vec_push(s->launch_arena, &s->sites, ((Site){c->loc, c->api}));
    if (i == UINT16_MAX) i--;
    *slot = (uint16_t)i;
    return i;
}

/* ---- races --------------------------------------------------------------------------------------------------------- */

SimSeverity hazard_severity(Pipe first, Pipe second, AccessHow first_how, AccessHow second_how, uint32_t issued_between)
{
    enum { R = 0, W = 1, ERROR = SIM_ERROR };
    /* ASSUMED: two cycles an instruction at the least, so 16384 cycles: a copy of the whole UB by each of 40 cores, which
     * share 800 GB/s, takes about as long. Whatever began before that is over on a card; only luck says so, not a flag. */
    enum { LONG_OVER = 8192 };
    if (issued_between > LONG_OVER) return SIM_WARNING;
    static const struct {
        Pipe first, second;
        int first_writes, second_writes;
        SimSeverity severity;
    } rows[] = {
#define RACE(first, second, how1, how2, severity) {PIPE_##first, PIPE_##second, how1, how2, (SimSeverity)severity},
#include "sim/race.def"
#undef RACE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].first == first && rows[i].second == second && rows[i].first_writes == (first_how != ACC_READ) &&
            rows[i].second_writes == (second_how != ACC_READ))
            return rows[i].severity;
    return SIM_WARNING;
}

void hazard_missing(Pipe first, Pipe second, char *text, size_t cap)
{
    uint32_t event = event_between(first, second);
    if (first == second)
        snprintf(text, cap, "PipeBarrier<PIPE_%s>", pipe_name(first));
    else if (event == N_EVENTS)
        snprintf(text, cap, "PipeBarrier<PIPE_ALL>");
    else
        snprintf(text, cap, "SetFlag/WaitFlag<HardEvent::%s>", event_name(event));
}

static const Buf *buffer_at(const Core *c, uint32_t at)
{
    for (uint32_t b = c->n_bufs; b >= 1; b--)
        if (at >= c->bufs[b].start && at < c->bufs[b].start + c->bufs[b].len) return &c->bufs[b];
    return NULL;
}

static const char *buffer_kind(const Buf *b)
{
    enum { VECIN = 9, VECOUT = 10 }; /* TPosition */
    if (!b || !b->que) return "TBuf";
    return b->pos == VECIN ? "VECIN" : b->pos == VECOUT ? "VECOUT" : "VECCALC";
}

/* One of two accesses that nothing orders; which came first in the program is told by seq. */
typedef struct Party {
    Pipe pipe;
    AccessHow how;
    uint32_t seq;
    Site site;
} Party;

static void report_race(Core *c, Party a, Party b, uint32_t from, uint32_t to)
{
    const Party *first = a.seq < b.seq ? &a : &b, *second = a.seq < b.seq ? &b : &a;
    CheckId id = first->how == ACC_READ ? CHK_ID_RACE_WAR : second->how == ACC_READ ? CHK_ID_RACE_RAW : CHK_ID_RACE_WAW;
    const Buf *buf = buffer_at(c, from);
    OwLoc made = buf ? buf->made : (OwLoc){NULL, 0};
    char missing[64];
    hazard_missing(first->pipe, second->pipe, missing, sizeof missing);
    sim_report_race(c, hazard_severity(first->pipe, second->pipe, first->how, second->how, second->seq - first->seq), &first->site, &second->site, id,
                    pipe_name(first->pipe), first->site.api, loc_file(first->site.loc), LL(first->site.loc.line), LL(from), LL(to - 1), buffer_kind(buf),
                    loc_file(made), LL(made.line), pipe_name(second->pipe), second->site.api, missing);
}

static uint32_t reader_slot(Pipe p) { return p == PIPE_V ? 1 : p == PIPE_MTE3 ? 2 : 0; }

typedef struct Touch {
    Core *c;
    Mark mark;
    AccessHow how;
} Touch;

static void against(const Touch *t, const Mark *m, AccessHow how, uint32_t from, uint32_t to)
{
    if (m->clock == 0 || hazard_ordered(t->c, t->mark.pipe, m->pipe, m->clock)) return;
    Party other = {m->pipe, how, m->seq, t->c->sim->sites.at[m->site]};
    Party self = {t->mark.pipe, t->how, t->mark.seq, {t->c->loc, t->c->api}};
    report_race(t->c, other, self, from, to);
}

static void check_segment(const Touch *t, const Segment *s, uint32_t from, uint32_t to)
{
    against(t, &s->written, ACC_WRITE, from, to);
    for (uint32_t r = 0; r < N_READERS && t->how != ACC_READ; r++) against(t, &s->read[r], ACC_READ, from, to);
}

static void mark_segment(const Touch *t, Segment *s)
{
    if (t->how == ACC_READ) {
        s->read[reader_slot(t->mark.pipe)] = t->mark;
        return;
    }
    s->written = t->mark;
    memset(s->read, 0, sizeof s->read);
}

/* ---- segments ------------------------------------------------------------------------------------------------------ */

static uint32_t end_of(const Hazards *h, uint32_t i) { return i + 1 < h->n_segs ? h->seg[i + 1].from : h->top; }

static uint32_t segment_at(Hazards *h, uint32_t at)
{
    uint32_t i = h->last;
    if (i < h->n_segs && h->seg[i].from <= at && at < end_of(h, i)) return i;
    uint32_t lo = 0, hi = h->n_segs;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (h->seg[mid].from <= at)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

static void insert_copy(Hazards *h, uint32_t i, uint32_t from)
{
    if (h->n_segs == h->cap_segs) {
        h->cap_segs *= 2;
        h->seg = realloc(h->seg, h->cap_segs * sizeof *h->seg);
        if (!h->seg) abort(); /* as arenas do */
    }
    memmove(&h->seg[i + 1], &h->seg[i], (h->n_segs - i) * sizeof *h->seg);
    h->n_segs++;
    h->seg[i + 1].from = from;
}

static bool same_mark(const Mark *a, const Mark *b) { return a->clock == b->clock && (a->clock == 0 || (a->pipe == b->pipe && a->site == b->site)); }

static bool alike(const Segment *a, const Segment *b)
{
    return same_mark(&a->written, &b->written) && same_mark(&a->read[0], &b->read[0]) && same_mark(&a->read[1], &b->read[1]) &&
           same_mark(&a->read[2], &b->read[2]);
}

static void keep_latest(Segment *to, const Segment *from)
{
    if (from->written.seq > to->written.seq) to->written.seq = from->written.seq;
    for (uint32_t r = 0; r < N_READERS; r++)
        if (from->read[r].seq > to->read[r].seq) to->read[r].seq = from->read[r].seq;
}

/* Segments i to j: each joins the one before when nothing tells them apart. */
static void join_alike(Hazards *h, uint32_t i, uint32_t j)
{
    uint32_t kept = i;
    for (uint32_t k = i + 1; k <= j; k++) {
        if (alike(&h->seg[kept], &h->seg[k]))
            keep_latest(&h->seg[kept], &h->seg[k]);
        else
            h->seg[++kept] = h->seg[k];
    }
    if (kept == j) return;
    memmove(&h->seg[kept + 1], &h->seg[j + 1], (h->n_segs - j - 1) * sizeof *h->seg);
    h->n_segs -= j - kept;
}

/* The scalar unit going through memory element by element only moves a boundary. */
static bool grow_previous(const Touch *t, Hazards *h, uint32_t i, uint32_t from, uint32_t to)
{
    if (i == 0 || h->seg[i].from != from || to >= end_of(h, i)) return false;
    Segment then = h->seg[i];
    mark_segment(t, &then);
    if (!alike(&then, &h->seg[i - 1])) return false;
    check_segment(t, &h->seg[i], from, to);
    h->seg[i].from = to;
    h->last = i;
    return true;
}

static void touch(const Touch *t, Hazards *h, uint32_t from, uint32_t to)
{
    uint32_t i = segment_at(h, from);
    if (grow_previous(t, h, i, from, to)) return;
    if (h->seg[i].from < from) insert_copy(h, i++, from);
    uint32_t j = i;
    for (; j < h->n_segs && h->seg[j].from < to; j++) {
        if (end_of(h, j) > to) insert_copy(h, j, to);
        check_segment(t, &h->seg[j], h->seg[j].from, end_of(h, j));
        mark_segment(t, &h->seg[j]);
    }
    join_alike(h, i > 0 ? i - 1 : 0, j < h->n_segs ? j : h->n_segs - 1);
    h->last = i < h->n_segs ? i : h->n_segs - 1;
}

/* Plain writes come with their data, when they are made: gm_shadow_write. */
static void touch_gm(Core *c, Pipe pipe, const Access *a)
{
    uint64_t top = a->range->gm->n_bytes;
    for (uint32_t r = 0; r < a->n_rows && a->how != ACC_WRITE && a->range->shadow.pages; r++) {
        uint64_t from = a->at + r * a->step, to = from + a->len;
        if (to > top) to = top;
        if (from < to) gm_shadow_touch(c, pipe, a->how, a->range, from, to - from);
        if (from < to && a->how == ACC_READ && pipe != PIPE_S) dcache_check_read(c, a->range, from, to - from);
    }
}

void hazard_access(Core *c, Pipe pipe, uint32_t seq, const Access *acc, uint32_t n_acc)
{
    Hazards *h = c->hazards;
    h->seq = seq;
    if (c->sim->options.no_hazards || n_acc == 0) return;
    Touch t = {.c = c, .mark = {h->now[pipe], seq, hazard_site(c), pipe}};
    for (uint32_t i = 0; i < n_acc; i++) {
        t.how = acc[i].how;
        if (acc[i].range) {
            touch_gm(c, pipe, &acc[i]);
            continue;
        }
        for (uint32_t r = 0; r < acc[i].n_rows; r++) {
            uint64_t from = acc[i].at + r * acc[i].step, to = from + acc[i].len;
            if (to > h->top) to = h->top;
            if (from < to) touch(&t, h, (uint32_t)from, (uint32_t)to);
        }
    }
}
