/* What every row of adv_calls.def shares: its tensors, the checks, temporary space, reading and writing of rows. */
#include "sim/adv_int.h"

#include <string.h>

static const AdvApi APIS[] = {
#define ADV_CALL(name, fn, alias, ...) {#name, adv_plan_##fn, adv_run_##fn, alias, {__VA_ARGS__}},
#include "sim/adv_calls.def"
#undef ADV_CALL
};

static const AdvApi *find(const char *name)
{
    for (size_t i = 0; i < sizeof APIS / sizeof APIS[0]; i++)
        if (!strcmp(APIS[i].name, name)) return &APIS[i];
    return NULL;
}

bool adv_refuse(AdvCall *a, const char *what, int64_t value, const char *rule)
{
    sim_report(a->c, CHK_ID_ADV_ARGUMENT, a->api->name, what, LL(value), rule);
    return false;
}

/* ---- checks ---------------------------------------------------------------------------------------------------------- */

static bool meet(uint64_t a, uint64_t an, uint64_t b, uint64_t bn) { return an && bn && a < b + bn && b < a + an; }
static uint64_t bytes_of(const AdvTensor *t) { return t->n * t->size; }

/* "x=y" is one of the words of the list, either way round. */
static bool may_alias(const char *list, const char *x, const char *y)
{
    size_t nx = strlen(x), ny = strlen(y);
    for (const char *p = list; *p; p += strcspn(p, " "), p += strspn(p, " ")) {
        size_t n = strcspn(p, " ");
        if (n != nx + ny + 1) continue;
        if (!strncmp(p, x, nx) && p[nx] == '=' && !strncmp(p + nx + 1, y, ny)) return true;
        if (!strncmp(p, y, ny) && p[ny] == '=' && !strncmp(p + ny + 1, x, nx)) return true;
    }
    return false;
}

static void check_overlap(const AdvCall *a)
{
    for (uint32_t i = 0; i < OW_ADV_TENSORS; i++)
        for (uint32_t j = 0; j < OW_ADV_TENSORS; j++) {
            const AdvTensor *d = &a->t[i], *s = &a->t[j];
            if (i == j || !d->given || !d->out || !s->given || (s->out && j < i)) continue;
            if (!meet(d->p.addr, bytes_of(d), s->p.addr, bytes_of(s))) continue;
            if (d->p.addr == s->p.addr && may_alias(a->api->alias, d->role, s->role)) continue;
            sim_report(a->c, CHK_ID_ADV_OVERLAP, a->api->name, d->role, s->role);
        }
}

/* HW: the framework's space is all of UB from the end of the InitBuffer allocations to 64 bytes before its end; the last 256
 * bytes are not the kernel's. */
static void take_tmp(AdvCall *a)
{
    Core *c = a->c;
    uint32_t at = c->ub_top, room = c->ub_bytes > at + 256 ? c->ub_bytes - 256 - at : 0;
    if (!a->tmp_bytes) return;
    if (a->in->tmp) {
        Place p;
        if (!local_place(c, a->in->tmp, "sharedTmpBuffer", ISA_BLOCK_BYTES, &p)) return;
        at = p.addr;
        room = a->in->tmp->len_bytes;
        for (uint32_t i = 0; i < OW_ADV_TENSORS; i++)
            if (a->t[i].given && meet(at, a->tmp_bytes, a->t[i].p.addr, bytes_of(&a->t[i])))
                sim_report(c, CHK_ID_ADV_OVERLAP, a->api->name, "sharedTmpBuffer", a->t[i].role);
    }
    if (room < a->tmp_bytes)
        sim_report(c, a->in->tmp ? CHK_ID_ADV_TMP : CHK_ID_ADV_ROOM, a->api->name, LL(a->tmp_bytes), LL(room));
    uint64_t lost = a->tmp_bytes < room ? a->tmp_bytes : room;
    if (room >= a->tmp_bytes && a->tmp_writes > lost) lost = a->tmp_writes;
    if (lost > 0 && at + lost <= c->ub_bytes) a->lost_at = at, a->lost_bytes = (uint32_t)lost;
}

static void take_reserved(const AdvCall *a)
{
    uint32_t from = a->c->ub_bytes - ISA_UB_RESERVED_BYTES;
    if (a->uses_select && a->c->ub_top > from)
        sim_report(a->c, CHK_ID_UB_RESERVED, a->api->name, LL(ISA_UB_RESERVED_BYTES), LL(a->c->ub_top));
}

/* False: the call is skipped. */
static bool place_all(AdvCall *a)
{
    bool ok = true;
    for (uint32_t i = 0; i < OW_ADV_TENSORS; i++) {
        AdvTensor *t = &a->t[i];
        if (!t->given || t->n == 0) continue;
        if (!local_place(a->c, a->in->t[i], t->role, ISA_BLOCK_BYTES, &t->p)) {
            ok = false;
            continue;
        }
        ok &= local_clip(a->c, &t->p, t->role, t->out, 0, bytes_of(t)) == bytes_of(t);
    }
    return ok;
}

static void open_tensors(AdvCall *a)
{
    for (uint32_t i = 0; i < OW_ADV_TENSORS && a->api->roles[i]; i++) {
        const char *role = a->api->roles[i];
        AdvTensor *t = &a->t[i];
        t->in_too = *role == '+';
        t->out = *role == '>' || t->in_too;
        t->role = t->out ? role + 1 : role;
        t->given = a->in->t[i] != NULL;
        if (!t->given) continue;
        t->type = dtype_of(a->in->type[i]);
        t->size = (uint32_t)dtype_info(t->type)->size_bytes;
    }
}

/* A call on its way to PIPE_V. The result goes to the caller, which waits for it. */
typedef struct Issued {
    AdvCall a;
    OwAdv in;
    int64_t *result;
} Issued;

static void run_issued(Core *c, const void *args)
{
    const Issued *i = args;
    AdvCall a = i->a;
    a.c = c;
    a.in = &i->in;
    a.arena = arena_new();
    if (a.lost_bytes) bits_fill(c->ub_valid, a.lost_at, a.lost_bytes, false);
    if (a.uses_select) c->cmpmask_valid = false;
    a.api->run(&a);
    if (a.spoils_src) bits_fill(c->ub_valid, a.t[a.spoiled].p.addr, bytes_of(&a.t[a.spoiled]), false);
    if (i->result) *i->result = a.result;
    arena_free(a.arena);
}

/* HW: one call is a sequence of vector instructions: it reads its sources, and writes its results and its space. */
static void issue_call(const AdvCall *a, int64_t *result)
{
    Access acc[2 * OW_ADV_TENSORS + 1];
    uint32_t n = 0;
    Issued args = {.a = *a, .in = *a->in, .result = a->answers ? result : NULL};
    for (uint32_t i = 0; i < OW_ADV_TENSORS; i++) {
        const AdvTensor *t = &a->t[i];
        if (t->given && t->n && (!t->out || t->in_too)) acc[n++] = ub_read(t->p.addr, bytes_of(t));
    }
    for (uint32_t i = 0; i < OW_ADV_TENSORS; i++) {
        const AdvTensor *t = &a->t[i];
        if (t->given && t->n && (t->out || (a->spoils_src && i == a->spoiled))) acc[n++] = ub_write(t->p.addr, bytes_of(t));
    }
    if (a->lost_bytes) acc[n++] = ub_write(a->lost_at, a->lost_bytes);
    issue(a->c, PIPE_V, run_issued, &args, sizeof args, acc, n);
    if (a->answers) issue_barrier_all(a->c);
}

int64_t ow_adv_call(const char *api, const OwAdv *call, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    int64_t result = 0;
    AdvCall a = {.c = c, .api = find(api), .in = call, .loops = vec_loops()};
    if (!a.api) {
        sim_report(c, CHK_ID_NOT_MODELLED, api);
        return 0;
    }
    open_tensors(&a);
    if (a.api->plan(&a) && place_all(&a)) {
        check_overlap(&a);
        take_tmp(&a);
        take_reserved(&a);
        issue_call(&a, &result);
    }
    c->counter_mode = false; /* HW: the library's routines end in Normal mode with MASK all ones */
    c->mask[0] = c->mask[1] = ~0ull;
    return result;
}

/* ---- elements -------------------------------------------------------------------------------------------------------- */

float *adv_floats(AdvCall *a, uint64_t n) { return arena_array(a->arena, n, sizeof(float)); }

static uint32_t at(const AdvCall *a, uint32_t i, uint64_t off) { return a->t[i].p.addr + (uint32_t)off * a->t[i].size; }

bool adv_valid(const AdvCall *a, uint32_t i, uint64_t off, uint64_t n)
{
    return bits_all(a->c->ub_valid, at(a, i, off), n * a->t[i].size);
}

bool adv_get(const AdvCall *a, uint32_t i, uint64_t off, float *out, uint64_t n)
{
    vec_load_f32(a->loops, a->t[i].type, a->c->ub + at(a, i, off), out, (uint32_t)n);
    return adv_valid(a, i, off, n);
}

static void wrote(AdvCall *a, uint32_t i, uint64_t off, uint64_t n, bool ok)
{
    uint32_t bytes = (uint32_t)n * a->t[i].size;
    bits_fill(a->c->ub_valid, at(a, i, off), bytes, ok);
    ub_wrote(a->c, at(a, i, off), bytes);
}

void adv_put(AdvCall *a, uint32_t i, uint64_t off, const float *v, uint64_t n, bool ok)
{
    vec_store_f32(a->c, a->loops, a->t[i].type, a->c->ub + at(a, i, off), v, (uint32_t)n);
    wrote(a, i, off, n, ok);
    watch_ub(a->c, a->t[i].type, off, at(a, i, off), n);
}

/* The half below in size, then one step away from zero when that is no further: exact for every float. */
static float round_away(float x)
{
    float r = adv_half(x), d = x - r;
    uint16_t bits = f16_from_f32(r);
    if (d == 0.0f || !isfinite(x) || (d > 0.0f) != (x > 0.0f)) return r; /* r is already further out than x */
    float next = f16_to_f32((uint16_t)(bits + 1));
    return next - x == d ? next : r;
}

void adv_put_round(AdvCall *a, uint32_t i, uint64_t off, const float *v, uint64_t n, bool ok)
{
    float r[512];
    if (a->t[i].type != DTYPE_F16) {
        adv_put(a, i, off, v, n, ok);
        return;
    }
    for (uint64_t done = 0; done < n; done += 512) {
        uint64_t k = n - done < 512 ? n - done : 512;
        for (uint64_t j = 0; j < k; j++) r[j] = round_away(v[done + j]);
        adv_put(a, i, off + done, r, k, ok);
    }
}

int64_t adv_get_int(const AdvCall *a, uint32_t i, uint64_t off)
{
    const uint8_t *p = a->c->ub + at(a, i, off);
    DType t = a->t[i].type;
    uint64_t bits = 0;
    memcpy(&bits, p, a->t[i].size);
    if (dtype_info(t)->cls != DTYPE_CLASS_I) return (int64_t)bits;
    uint32_t shift = 64 - 8 * a->t[i].size;
    return (int64_t)(bits << shift) >> shift;
}

void adv_put_int(AdvCall *a, uint32_t i, uint64_t off, int64_t v, bool ok)
{
    memcpy(a->c->ub + at(a, i, off), &v, a->t[i].size); /* little-endian host, as the device */
    wrote(a, i, off, 1, ok);
}

void adv_put_bits(AdvCall *a, uint32_t i, uint64_t off, uint64_t bits, uint64_t n)
{
    for (uint64_t j = 0; j < n; j++) adv_put_int(a, i, off + j, (int64_t)bits, true);
}

void adv_move(AdvCall *a, uint32_t to, uint64_t to_off, uint32_t from, uint64_t from_off, uint64_t n)
{
    uint32_t d = at(a, to, to_off), s = at(a, from, from_off), bytes = (uint32_t)n * a->t[from].size;
    memmove(a->c->ub + d, a->c->ub + s, bytes);
    bits_copy(a->c->ub_valid, d, a->c->ub_valid, s, bytes);
    ub_wrote(a->c, d, bytes);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------ */

enum { LANES = 64 };

float adv_tree(const float *v, uint32_t n)
{
    float t[LANES] = {0};
    memcpy(t, v, n * sizeof *v);
    for (uint32_t k = LANES; k > 1; k /= 2)
        for (uint32_t i = 0; i < k / 2; i++) t[i] = t[2 * i] + t[2 * i + 1];
    return t[0];
}

float adv_sum_chunks(const float *v, uint64_t n)
{
    float lane[LANES] = {0};
    for (uint64_t i = 0; i < n; i += LANES)
        for (uint64_t j = 0; j < LANES && i + j < n; j++) lane[j] = i == 0 ? v[j] : lane[j] + v[i + j];
    return adv_tree(lane, LANES);
}

float adv_sum_repeats(const float *v, uint64_t n)
{
    enum { MAX = 192 * 1024 / 4 / LANES };
    float part[MAX];
    uint64_t k = 0;
    if (n == 0) return 0.0f;
    if (n == 1) return v[0];
    for (uint64_t i = 0; i < n && k < MAX; i += LANES) part[k++] = adv_tree(v + i, (uint32_t)(n - i < LANES ? n - i : LANES));
    while (k > 1) {
        uint64_t m = 0;
        for (uint64_t i = 0; i < k; i += LANES) part[m++] = adv_tree(part + i, (uint32_t)(k - i < LANES ? k - i : LANES));
        k = m;
    }
    return part[0];
}

/* NaN: ASSUMED to win, as in Max. */
float adv_max(const float *v, uint64_t n)
{
    float m = v[0];
    for (uint64_t i = 1; i < n; i++) m = v[i] > m || v[i] != v[i] ? v[i] : m;
    return m;
}

float adv_half(float x) { return f16_to_f32(f16_from_f32(x)); }

uint64_t adv_floor2(uint64_t n)
{
    uint64_t p = 1;
    while (p * 2 <= n) p *= 2;
    return p;
}
