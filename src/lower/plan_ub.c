/* What of UB a pass takes: the list of buffers in the order the kernel asks for them. Everything that is said
 * about UB, by the kernel, the host's tile formula and the design text, comes from this list. */
#include "lower/family.h"
#include "lower/plan_int.h"

#include <string.h>

static bool is_queued(const PlanAccess *acc) {
    return acc->is_store || acc->cls == PLAN_LINE || acc->cls == PLAN_ROW || acc->cls == PLAN_COLUMN;
}

static bool has_class(const PlanPass *p, PlanClass c) {
    for (size_t i = 0; i < p->access.n; i++)
        if (!p->access.at[i].is_store && p->access.at[i].cls == c) return true;
    return false;
}

static size_t n_queues(const PlanPass *p, bool stores) {
    size_t n = 0;
    for (size_t i = 0; i < p->access.n; i++)
        n += p->access.at[i].is_store == stores && is_queued(&p->access.at[i]);
    return n;
}

/* HW: AllocTensor page: at most 8 buffers per TPosition. */
#define MAX_BUFFERS 8

bool plan_packs_inputs(const PlanPass *p) {
    size_t others = (size_t)has_class(p, PLAN_VECTOR) + 2 * (size_t)has_class(p, PLAN_STRIDED) +
                    3 * (size_t)has_class(p, PLAN_PICKED) + (p->updates.n ? 4 : 0) + p->ordered;
    return 2 * n_queues(p, false) + others > MAX_BUFFERS;
}

bool plan_packs_outputs(const PlanPass *p) {
    return 2 * n_queues(p, true) + p->ordered > MAX_BUFFERS;
}

bool plan_column_is_dense(const PlanPass *p, const PlanAccess *acc) {
    return acc->n_by == 0 && size_is(acc->view.stride[p->space.rank - 2], 1);
}

uint32_t plan_round(const PlanPass *p) {
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (!acc->is_store && acc->cls != PLAN_NUMBER && kir_type_of_dtype(acc->dtype[0]) == KIR_MASK)
            return 128;
    }
    return 64;
}

/* An operand whose slot is in use and that is not computed in the type it has in memory: a float of 16 bits in some variant,
 * or an integer of another width. */
static bool can_be_narrow(const PlanPass *p, const PlanAccess *acc) {
    bool queued = acc->is_store || acc->cls == PLAN_LINE || acc->cls == PLAN_ROW;
    if (!queued || !acc->slot_used || dtype_info(acc->dtype[0])->cls == DTYPE_CLASS_B) return false;
    for (size_t v = 0; v < p->n_variants; v++)
        if (!plan_is_wide(acc->dtype[v])) return true;
    return false;
}

uint32_t plan_narrow_slot(const PlanPass *p, const PlanAccess *acc) {
    uint32_t n = p->n_work;
    if (!can_be_narrow(p, acc)) return UINT32_MAX;
    for (const PlanAccess *before = p->access.at; before < acc; before++) n += can_be_narrow(p, before);
    return n;
}

uint32_t plan_n_work(const PlanPass *p, size_t v) {
    uint32_t n = 0;
    bool narrow = false;
    for (size_t i = 0; i < p->access.n; i++) {
        if (!can_be_narrow(p, &p->access.at[i])) continue;
        n++;
        narrow |= !plan_is_wide(p->access.at[i].dtype[v]);
    }
    return p->n_work + (narrow ? n : 0);
}

typedef struct List {
    Arena *a;
    PlanBuffers v;
    uint32_t end; /* step after the last */
} List;

static void add(List *l, PlanBuffer b) {
    vec_push(l->a, &l->v, b);
}

/* Steps of first definition and last use of what lives in places of a kind. */
static void live_range(const PlanPass *p, PlaceKind kind, uint32_t *first, uint32_t *last) {
    *first = UINT32_MAX;
    *last = 0;
    for (uint32_t t = 0; t < p->n_steps; t++)
        for (int s = -1; s < 3; s++) {
            Place x = s < 0 ? p->steps[t].dst : p->steps[t].src[s];
            if (x.kind != kind) continue;
            if (t < *first) *first = t;
            *last = t;
        }
    if (*first == UINT32_MAX) *first = 0;
}

static uint32_t column_bytes(const PlanPass *p, const PlanAccess *acc, size_t v) {
    uint32_t size = (uint32_t)dtype_info(acc->dtype[v])->size_bytes;
    return plan_column_is_dense(p, acc) ? PLAN_MAX_ROWS * size : PLAN_MAX_ROWS * PLAN_BLOCK_BYTES;
}

/* A tile that goes through all updates takes long: room for a larger one is worth more than copies beside it. */
static uint32_t depth(const PlanPass *p) {
    return p->updates.n ? 1 : 2;
}

static void add_queue(List *l, const PlanPass *p, const PlanAccess *acc, size_t v) {
    uint32_t bits = 8 * (uint32_t)dtype_info(acc->dtype[v])->size_bytes;
    PlanBuffer b = {.name = arena_printf(l->a, "%sQueue_", acc->name), .count = depth(p)};
    b.what = arena_printf(l->a, "%s %s%s", acc->is_store ? "tiles of output" : "tiles of", acc->name,
                          b.count == 2 ? ", double buffered" : "");
    if (acc->cls == PLAN_COLUMN) b.fixed_bytes = column_bytes(p, acc, v);
    else b.bits = bits;
    b.last = l->end;
    add(l, b);
}

static void add_packed(List *l, const PlanPass *p, size_t v, bool stores) {
    PlanBuffer b = {.name = stores ? "outQueue_" : "inQueue_", .count = depth(p), .last = l->end};
    b.what = arena_printf(l->a, "tiles of all %s side by side%s", stores ? "outputs" : "inputs", b.count == 2 ? ", double buffered" : "");
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        if (acc->is_store != stores || !is_queued(acc)) continue;
        if (acc->cls == PLAN_COLUMN) b.fixed_bytes += column_bytes(p, acc, v);
        else b.bits += 8 * (uint32_t)dtype_info(acc->dtype[v])->size_bytes;
    }
    add(l, b);
}

static void add_queues(List *l, const PlanPass *p, size_t v, bool stores) {
    if (stores ? plan_packs_outputs(p) : plan_packs_inputs(p)) {
        add_packed(l, p, v, stores);
        return;
    }
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].is_store == stores && is_queued(&p->access.at[i]))
            add_queue(l, p, &p->access.at[i], v);
}

const PlanAccess *plan_widest_vector(const PlanPass *p) {
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        bool widest = acc->cls == PLAN_VECTOR;
        for (size_t k = 0; k < p->access.n && widest; k++)
            for (size_t v = 0; v < p->n_variants && p->access.at[k].cls == PLAN_VECTOR; v++)
                widest = widest && dtype_info(acc->dtype[v])->size_bytes >=
                                       dtype_info(p->access.at[k].dtype[v])->size_bytes;
        if (widest) return acc;
    }
    return NULL;
}

static uint32_t widest_vector_bits(const PlanPass *p, size_t v) {
    const PlanAccess *acc = plan_widest_vector(p);
    return acc ? 8 * (uint32_t)dtype_info(acc->dtype[v])->size_bytes : 32;
}

static bool runs_backwards(const PlanAccess *acc) {
    const Size *inner = acc->view.stride[acc->view.shape.rank - 1];
    Arena *a = arena_new();
    bool back = size_is_nonnegative(size_sub(a, size_const(a, 0), inner));
    arena_free(a);
    return back;
}

static void add_strided(List *l, const PlanPass *p) {
    bool forward = false, backward = false;
    for (size_t i = 0; i < p->access.n; i++) {
        if (p->access.at[i].cls == PLAN_PICKED) forward |= !plan_picks_from_window(p, &p->access.at[i]);
        if (p->access.at[i].cls != PLAN_STRIDED) continue;
        bool back = runs_backwards(&p->access.at[i]);
        backward |= back;
        forward |= !back;
    }
    if (!forward && !backward) return;
    add(l, (PlanBuffer){.name = "stageQueue_",
                        .what = "columns on their way, one 32-byte block each",
                        .count = 2,
                        .fixed_bytes = PLAN_STAGE_COLS * PLAN_BLOCK_BYTES,
                        .last = l->end});
    if (forward)
        add(l, (PlanBuffer){.name = "blockOffsets_",
                            .what = "byte offset of every block, for Gather",
                            .count = 1,
                            .fixed_bytes = PLAN_STAGE_COLS * 4,
                            .last = l->end});
    if (backward)
        add(l, (PlanBuffer){.name = "blockOffsetsBack_",
                            .what = "the same, last block first",
                            .count = 1,
                            .fixed_bytes = PLAN_STAGE_COLS * 4,
                            .last = l->end});
}

static void add_picked(List *l, const PlanPass *p) {
    static const PlanBuffer BUFFERS[] = {
        {.name = "windowQueue_", .what = "a piece of the dimension that columns are picked from", .count = 1, .fixed_bytes = PLAN_WINDOW_BYTES},
        {.name = "indexQueue_", .what = "indices of columns, double buffered", .count = 2, .fixed_bytes = PLAN_PICK_COLS * 8},
        {.name = "place_", .what = "places of columns in the window", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "inWindow_", .what = "the same, kept inside the window", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "picked_", .what = "columns before those of other windows are dropped", .count = 1, .fixed_bytes = PLAN_PICK_COLS * 4},
        {.name = "isInside_", .what = "which columns this window has", .count = 1, .fixed_bytes = PLAN_PICK_COLS / 8},
        {.name = "range_", .what = "the least and the greatest place, and room to find them", .count = 1, .fixed_bytes = PLAN_RANGE_BYTES}};
    bool any = false;
    for (size_t i = 0; i < p->access.n; i++) any |= plan_picks_from_window(p, &p->access.at[i]);
    for (size_t i = 0; any && i < sizeof BUFFERS / sizeof BUFFERS[0]; i++) {
        PlanBuffer b = BUFFERS[i];
        b.last = l->end;
        add(l, b);
    }
}

static void add_slots(List *l, const PlanPass *p, size_t v) {
    static const struct {
        PlaceKind kind;
        const char *name, *what;
        uint32_t bits;
    } KINDS[] = {{PLACE_WORK, "work_", "work slots, 32 bits", 32},
                 {PLACE_KEEP, "keep_", "operands that stay from tile to tile", 32},
                 {PLACE_MASK, "mask_", "masks, 1 bit", 1},
                 {PLACE_KEEP_MASK, "keepMask_", "masks that stay from tile to tile", 1},
                 {PLACE_HALF, "half_", "16-bit values", 16}};
    uint32_t n[] = {plan_n_work(p, v), p->n_keep, p->n_mask, p->n_keep_mask, p->n_half};
    for (size_t i = 0; i < sizeof KINDS / sizeof KINDS[0]; i++) {
        PlanBuffer b = {.name = KINDS[i].name, .count = 1, .bits = n[i] * KINDS[i].bits};
        b.what = arena_printf(l->a, "%u %s", n[i], KINDS[i].what);
        if (n[i] == 0) continue;
        bool keeps =
            KINDS[i].kind == PLACE_KEEP || KINDS[i].kind == PLACE_KEEP_MASK || (i == 0 && n[0] > p->n_work);
        live_range(p, KINDS[i].kind, &b.first, &b.last);
        if (keeps || b.last < b.first) {
            b.first = 0;
            b.last = l->end;
        }
        add(l, b);
    }
}

PlanBuffer *plan_buffers(Arena *a, const PlanPass *p, size_t v, size_t *n) {
    List l = {.a = a, .end = (uint32_t)p->n_steps};
    add_queues(&l, p, v, false);
    if (has_class(p, PLAN_VECTOR))
        add(&l, (PlanBuffer){.name = "vectorQueue_",
                             .what = "one row of an operand that all rows share",
                             .count = 1,
                             .bits = widest_vector_bits(p, v),
                             .last = l.end});
    add_strided(&l, p);
    add_picked(&l, p);
    if (p->family->add_buffers) p->family->add_buffers(a, p, v, &l.v);
    add_queues(&l, p, v, true);
    if (has_class(p, PLAN_COLUMN)) {
        add(&l, (PlanBuffer){.name = "columnBlocks_",
                             .what = "one number of every row, repeated over 32 bytes",
                             .count = 1,
                             .fixed_bytes = PLAN_MAX_ROWS * PLAN_BLOCK_BYTES,
                             .last = l.end});
        add(&l, (PlanBuffer){.name = "columnWide_",
                             .what = "numbers of rows after widening",
                             .count = 1,
                             .fixed_bytes = PLAN_MAX_ROWS * 2 * PLAN_BLOCK_BYTES,
                             .last = l.end});
    }
    add_slots(&l, p, v);
    *n = l.v.n;
    return l.v.at;
}

uint32_t plan_bits_per_element(Arena *a, const PlanPass *p, size_t v) {
    size_t n;
    uint32_t bits = 0;
    const PlanBuffer *b = plan_buffers(a, p, v, &n);
    for (size_t i = 0; i < n; i++) bits += b[i].count * b[i].bits;
    return bits;
}

uint32_t plan_fixed_bytes(Arena *a, const PlanPass *p, size_t v) {
    size_t n;
    uint32_t bytes = 0;
    const PlanBuffer *b = plan_buffers(a, p, v, &n);
    for (size_t i = 0; i < n; i++) bytes += b[i].count * b[i].fixed_bytes;
    return bytes;
}
