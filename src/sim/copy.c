/* MTE2, MTE3 and the copies within UB. A copy is rows: row i moves len bytes from src + i * src_step to dst + i * dst_step.
 * What may be touched is found once for the whole copy when it is in bounds, row by row when it is not. */
#include "sim/trace.h"
#include "sim/dcache.h"
#include "sim/sim_int.h"

#include <math.h>
#include <string.h>

typedef struct Rows {
    uint32_t n;
    uint64_t len; /* bytes of a row */
    uint64_t gm_step, ub_step;
} Rows;

static uint32_t clamp_field(Core *c, const char *name, uint64_t v, uint64_t limit, uint32_t mask)
{
    if (v <= limit) return (uint32_t)v;
    sim_report(c, CHK_ID_COPY_LIMIT, name, LL(v), LL(limit), LL(v & mask));
    return (uint32_t)v & mask;
}

/* ---- GM to UB -------------------------------------------------------------------------------------------------- */

/* Bytes nothing wrote arrive as poison and stay marked. */
static void load_bytes(Core *c, GmRange *r, const uint8_t *src, uint32_t dst, size_t n)
{
    size_t off = (size_t)(src - (const uint8_t *)r->gm->data);
    memcpy(c->ub + dst, src, n);
    if (c->sim->options.no_checks) return;
    if (!r->valid || bits_all(r->valid, off, n) || gm_settle_raw(r, off, n)) {
        bits_fill(c->ub_valid, dst, n, true);
        return;
    }
    bits_copy(c->ub_valid, dst, r->valid, off, n);
    for (size_t i = 0; i < n; i++)
        if (!bits_get(r->valid, off + i)) poison_fill(c->ub + dst + i, 1, dst + i);
}

/* A copy between global memory and UB that has passed its checks, and the parts of either side that may be touched. */
typedef struct Copy {
    GmRange *r;
    uint8_t *gm;
    uint32_t ub;
    Rows rows;
    uint64_t skip, gm_ok, ub_ok;
} Copy;

/* Whole copies lie in bounds nearly always: then one check each side. Else the first row out of bounds is reported. */
static bool open_copy(Core *c, const OwGlobal *g, const Place *p, const Rows *rows, bool to_gm, Copy *out)
{
    uint64_t ub_span = rows->n ? (rows->n - 1) * rows->ub_step + rows->len : 0;
    uint64_t gm_span = rows->n ? (rows->n - 1) * rows->gm_step + rows->len : 0;
    *out = (Copy){.gm = g->addr, .ub = p->addr, .rows = *rows};
    if (ub_span == 0) return false;
    out->ub_ok = local_clip(c, p, to_gm ? "src" : "dst", !to_gm, 0, ub_span);
    out->r = gm_access(c, g, (uintptr_t)g->addr, gm_span, to_gm, &out->skip, &out->gm_ok);
    return out->r && !(to_gm && (out->r->gm->role == SIM_GM_INPUT || out->r->gm->role == SIM_GM_TILING));
}

static Access gm_rows(const Copy *k, AccessHow how)
{
    uint64_t at = (uint64_t)(k->gm - (uint8_t *)k->r->gm->data);
    bool dense = k->rows.gm_step == k->rows.len || k->rows.n == 1;
    return (Access){.how = how, .range = k->r, .at = at, .len = dense ? k->rows.len * k->rows.n : k->rows.len, .step = k->rows.gm_step,
                    .n_rows = k->skip ? 0 : dense ? 1 : k->rows.n}; /* before the range: reported already */
}

static Access ub_rows(const Copy *k, AccessHow how)
{
    bool dense = k->rows.ub_step == k->rows.len || k->rows.n == 1;
    return (Access){.how = how, .at = k->ub, .len = dense ? k->rows.len * k->rows.n : k->rows.len, .step = k->rows.ub_step, .n_rows = dense ? 1 : k->rows.n};
}

/* What of row i may be touched; false: nothing. */
static bool row_at(const Copy *k, uint32_t i, uint64_t *gm_off, uint64_t *ub_off, uint64_t *n)
{
    *gm_off = i * k->rows.gm_step;
    *ub_off = i * k->rows.ub_step;
    *n = k->rows.len;
    if (*gm_off < k->skip || *gm_off >= k->skip + k->gm_ok || *ub_off >= k->ub_ok) return false;
    if (*n > k->skip + k->gm_ok - *gm_off) *n = k->skip + k->gm_ok - *gm_off;
    if (*n > k->ub_ok - *ub_off) *n = k->ub_ok - *ub_off;
    return true;
}

static void trace_copy(Core *c, const Copy *k, bool to_gm)
{
    DType t = k->r->gm->dtype;
    uint64_t n = k->rows.n ? (k->rows.n - 1) * k->rows.ub_step + k->rows.len : 0;
    trace_ub(c, to_gm ? "src" : "dst", t, k->ub, n / dtype_info(t)->size_bytes);
    trace_gm(c, to_gm ? "dst" : "src", k->r, (uint64_t)(k->gm - (uint8_t *)k->r->gm->data) + k->skip, k->gm_ok);
}

static void run_load(Core *c, const void *args)
{
    const Copy *k = args;
    for (uint32_t i = 0; i < k->rows.n; i++) {
        uint64_t gm_off, ub_off, n;
        if (!row_at(k, i, &gm_off, &ub_off, &n)) continue;
        load_bytes(c, k->r, k->gm + gm_off, k->ub + (uint32_t)ub_off, n);
        c->sim->stats.gm_read_bytes += n;
    }
    ub_wrote(c, k->ub, (uint32_t)k->ub_ok);
    if (c->sim->options.trace && trace_begin(c)) trace_copy(c, k, false);
}

static void issue_load(Core *c, const OwGlobal *g, const Place *p, const Rows *rows)
{
    Copy k;
    if (!open_copy(c, g, p, rows, false, &k)) return;
    const Access acc[] = {gm_rows(&k, ACC_READ), ub_rows(&k, ACC_WRITE)};
    issue(c, PIPE_MTE2, run_load, &k, sizeof k, acc, 2);
}

/* ---- UB to GM -------------------------------------------------------------------------------------------------- */

#define ATOMIC_LOOP(T, op)                                                                                   \
    for (size_t i = 0; i < n / sizeof(T); i++) {                                                             \
        T a, b;                                                                                              \
        memcpy(&a, dst + i * sizeof(T), sizeof(T));                                                          \
        memcpy(&b, src + i * sizeof(T), sizeof(T));                                                          \
        a = (T)(op);                                                                                         \
        memcpy(dst + i * sizeof(T), &a, sizeof(T));                                                          \
    }
#define ATOMIC_TYPE(T, sum)                                                                                  \
    if (op == 1) ATOMIC_LOOP(T, sum)                                                                         \
    else if (op == 2) ATOMIC_LOOP(T, a > b ? a : b)                                                          \
    else ATOMIC_LOOP(T, a < b ? a : b)

static void atomic_16(uint32_t op, DType t, uint8_t *dst, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        uint16_t ra, rb;
        memcpy(&ra, dst + 2 * i, 2);
        memcpy(&rb, src + 2 * i, 2);
        float a = t == DTYPE_F16 ? f16_to_f32(ra) : bf16_to_f32(ra), b = t == DTYPE_F16 ? f16_to_f32(rb) : bf16_to_f32(rb);
        float v = op == 1 ? a + b : op == 2 ? (a > b ? a : b) : (a < b ? a : b);
        ra = t == DTYPE_F16 ? f16_from_f32(v) : bf16_from_f32(v);
        memcpy(dst + 2 * i, &ra, 2);
    }
}

/* op: 1 add, 2 max, 3 min. ASSUMED: the addition in global memory rounds to nearest even and integers wrap. */
static void atomic_bytes(uint32_t op, DType t, uint8_t *dst, const uint8_t *src, size_t n)
{
    switch (t) {
    case DTYPE_F16:
    case DTYPE_BF16: atomic_16(op, t, dst, src, n); break;
    case DTYPE_F32: ATOMIC_TYPE(float, a + b) break;
    case DTYPE_I8: ATOMIC_TYPE(int8_t, a + b) break;
    case DTYPE_I16: ATOMIC_TYPE(int16_t, a + b) break;
    case DTYPE_I32: ATOMIC_TYPE(int32_t, (uint32_t)a + (uint32_t)b) break;
    default: break;
    }
}

/* A copy that starts in fresh bytes and ends in less than a repeat of written ones, or the other way round: the two belong to
 * neighbour rows. What other blocks wrote is told as such. */
static void check_rows(Core *c, const GmRange *r, size_t off, const uint8_t *data, size_t n)
{
    bool head = bits_get(r->valid, off);
    if (head == bits_get(r->valid, off + n - 1)) return;
    size_t edge = bits_find(r->valid, off, off + n, !head), from = head ? off : edge, end = head ? edge : off + n;
    if (end - from >= ISA_REPEAT_BYTES) return;
    const uint8_t *old = (const uint8_t *)r->gm->data;
    while (from < end && old[from] == data[from - off]) from++;
    if (from == end || gm_shadow_other_writer(c, r, from, end, false) != UINT32_MAX) return;
    while (old[end - 1] == data[end - 1 - off]) end--;
    sim_report(c, CHK_ID_ROW_OVERLAP, LL(off), LL(off + n - 1), r->gm->name, LL(from), LL(end - 1));
}

static void store_bytes(Core *c, GmRange *r, uint8_t *dst, uint32_t src, size_t n)
{
    size_t off = (size_t)(dst - (uint8_t *)r->gm->data);
    bool known = c->sim->options.no_checks || bits_all(c->ub_valid, src, n);
    if (!known && r->gm->role == SIM_GM_OUTPUT) {
        size_t bad = bits_find(c->ub_valid, src, src + n, false), end = bits_find(c->ub_valid, bad, src + n, true);
        sim_report(c, CHK_ID_UNINIT_GM, LL(off + bad - src), LL(off + end - 1 - src), r->gm->name,
                   LL(n - bits_count(c->ub_valid, src, n)));
    }
    if (c->atomic_op) {
        if (r->valid && !gm_settle_raw(r, off, n)) {
            size_t bad = bits_find(r->valid, off, off + n, false);
            sim_report(c, CHK_ID_UNINIT_ATOMIC, LL(bad), LL(bits_find(r->valid, bad, off + n, true) - 1), r->gm->name);
        }
        atomic_bytes(c->atomic_op, dtype_of(c->atomic_type), dst, c->ub + src, n);
    } else {
        if (!c->sim->options.no_hazards) {
            if (r->valid && n) check_rows(c, r, off, c->ub + src, n);
            dcache_check_store(c, r, off, n);
            gm_shadow_write(c, PIPE_MTE3, r, off, c->ub + src, n);
        }
        memcpy(dst, c->ub + src, n);
    }
    if (!r->valid) return;
    if (known || r->gm->role == SIM_GM_OUTPUT) { /* an output's bytes are written, however wrong */
        bits_fill(r->valid, off, n, true);
    } else {
        bits_copy(r->valid, off, c->ub_valid, src, n);
    }
}

static void run_store(Core *c, const void *args)
{
    const Copy *k = args;
    SimStats *stats = &c->sim->stats;
    uint64_t all = 0;
    for (uint32_t i = 0; i < k->rows.n; i++) {
        uint64_t gm_off, ub_off, n;
        if (!row_at(k, i, &gm_off, &ub_off, &n)) continue;
        store_bytes(c, k->r, k->gm + gm_off, k->ub + (uint32_t)ub_off, n);
        all += n;
    }
    stats->gm_write_bytes += all;
    if (k->r->gm->role == SIM_GM_OUTPUT && all > stats->store_bytes) stats->store_bytes = all;
    if (c->sim->options.trace && trace_begin(c)) trace_copy(c, k, true);
}

static void issue_store(Core *c, const OwGlobal *g, const Place *p, const Rows *rows)
{
    Copy k;
    if (c->store_atomic) ow_not_modelled("a copy while SetStoreAtomicConfig is on", c->loc);
    if (!open_copy(c, g, p, rows, true, &k)) return;
    const Access acc[] = {ub_rows(&k, ACC_READ), gm_rows(&k, c->atomic_op ? ACC_ATOMIC : ACC_WRITE)};
    issue(c, PIPE_MTE3, run_store, &k, sizeof k, acc, 2);
}

/* ---- the API's forms ------------------------------------------------------------------------------------------- */

static void gm_align(Core *c, const OwGlobal *g, uint32_t size, bool write)
{
    if ((uintptr_t)g->addr % size == 0 || !g->range || g->range > c->sim->n_ranges) return;
    const SimGm *gm = c->sim->ranges[g->range - 1].gm;
    sim_report(c, CHK_ID_GM_MISALIGNED, write ? "writes" : "reads", gm->name, LL((uintptr_t)g->addr - (uintptr_t)gm->data), LL(size));
}

static void run_rows(Core *c, uint32_t type, uint32_t to_gm, const OwGlobal *g, const OwLocal *ub, const Rows *rows)
{
    Place p;
    if (!local_place(c, ub, to_gm ? "src" : "dst", ISA_BLOCK_BYTES, &p)) return;
    gm_align(c, g, (uint32_t)dtype_info(dtype_of(type))->size_bytes, to_gm);
    if (to_gm)
        issue_store(c, g, &p, rows);
    else
        issue_load(c, g, &p, rows);
}

/* Rounds down to whole blocks. HW: DataCopy page, count form; blocks are counted in 16 bits. */
static uint64_t whole_blocks(Core *c, uint32_t type, uint64_t count)
{
    uint64_t bytes = count * dtype_info(dtype_of(type))->size_bytes, blocks = bytes / ISA_BLOCK_BYTES;
    if (bytes % ISA_BLOCK_BYTES)
        sim_report(c, CHK_ID_COPY_UNALIGNED, LL(count), LL(bytes), LL(blocks * ISA_BLOCK_BYTES), LL(bytes % ISA_BLOCK_BYTES));
    return (uint64_t)clamp_field(c, "the number of 32-byte blocks", blocks, 65535, 0xffff) * ISA_BLOCK_BYTES;
}

void ow_copy_n(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, uint64_t count, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    Rows rows = {.n = 1, .len = whole_blocks(c, type, count)};
    run_rows(c, type, to_gm, gm, ub, &rows);
}

static Rows block_rows(Core *c, bool src_is_gm, uint32_t count, uint32_t len, uint32_t src_gap, uint32_t dst_gap)
{
    count = clamp_field(c, "blockCount", count, 4095, 0xfff);
    len = clamp_field(c, "blockLen", len, 65535, 0xffff);
    src_gap = clamp_field(c, "srcGap", src_gap, 65535, 0xffff);
    dst_gap = clamp_field(c, "dstGap", dst_gap, 65535, 0xffff);
    uint64_t src = ((uint64_t)len + src_gap) * ISA_BLOCK_BYTES, dst = ((uint64_t)len + dst_gap) * ISA_BLOCK_BYTES;
    return (Rows){.n = len ? count : 0,
                  .len = (uint64_t)len * ISA_BLOCK_BYTES,
                  .gm_step = src_is_gm ? src : dst,
                  .ub_step = src_is_gm ? dst : src};
}

void ow_copy_blocks(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, uint32_t count, uint32_t len,
                    uint32_t src_gap, uint32_t dst_gap, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    Rows rows = block_rows(c, !to_gm, count, len, src_gap, dst_gap);
    run_rows(c, type, to_gm, gm, ub, &rows);
}

/* Fills pad bytes [from, from + n) of a row with elements of the given value. */
static void pad_bytes(Core *c, uint32_t from, uint32_t n, uint32_t size, uint64_t value, bool known)
{
    for (uint32_t i = 0; i < n; i++) c->ub[from + i] = (uint8_t)(value >> (i % size * 8));
    if (!known) poison_fill(c->ub + from, n, from);
    bits_fill(c->ub_valid, from, n, known);
}

/* HW: DataCopyPad page, padding rules: [left][data][right][dummy up to 32 bytes]; dummy is the block's first element when
 * there is no padding, else the padding value when isPad. ASSUMED: also with isPad and no padding it is the first element. */
typedef struct Padded {
    Copy copy; /* of the data; r NULL: no byte of it can be read */
    uint32_t at, left, right, size, row_bytes;
    uint64_t room, value; /* bytes from `at` on */
    bool is_pad;
} Padded;

static void run_padded(Core *c, const void *args)
{
    const Padded *a = args;
    const Rows *rows = &a->copy.rows;
    if (a->copy.r) run_load(c, &a->copy);
    bool plain = a->left == 0 && a->right == 0;
    for (uint32_t i = 0; i < rows->n; i++) {
        uint64_t at = i * rows->ub_step;
        if (at + a->row_bytes > a->room) break;
        uint32_t row = a->at + (uint32_t)at, end = row + a->left + (uint32_t)rows->len;
        uint64_t first = 0;
        memcpy(&first, c->ub + row + a->left, a->size);
        pad_bytes(c, row, a->left, a->size, c->pad_value, c->pad_set);
        pad_bytes(c, end, a->right, a->size, c->pad_value, c->pad_set);
        uint32_t dummy = row + a->row_bytes - end - a->right;
        pad_bytes(c, end + a->right, dummy, a->size, plain ? first : a->value, plain || a->is_pad);
    }
    uint64_t span = (rows->n - 1) * rows->ub_step + a->row_bytes;
    ub_wrote(c, a->at, (uint32_t)(span < a->room ? span : a->room));
}

static void load_padded(Core *c, const OwGlobal *g, const Place *p, const Rows *rows, const OwPad *pad, uint32_t size)
{
    Padded a = {.at = p->addr, .left = pad->left * size, .right = pad->right * size, .size = size, .value = pad->value, .is_pad = pad->is_pad};
    a.row_bytes = (uint32_t)((a.left + rows->len + a.right + 31) / 32 * 32);
    if (rows->n == 0) return;
    if (local_clip(c, p, "dst", true, 0, (rows->n - 1) * rows->ub_step + a.row_bytes) == 0) return;
    a.room = (p->end < c->ub_bytes ? p->end : c->ub_bytes) - (uint64_t)p->addr;
    Place data = *p;
    data.addr += a.left;
    bool any = open_copy(c, g, &data, rows, false, &a.copy);
    if (!any) a.copy.r = NULL;
    if (pad->is_pad) c->pad_value = pad->value, c->pad_set = true;
    bool dense = rows->ub_step == a.row_bytes || rows->n == 1;
    Access acc[2] = {{.how = ACC_WRITE, .at = p->addr, .len = dense ? (uint64_t)a.row_bytes * rows->n : a.row_bytes, .step = rows->ub_step,
                      .n_rows = dense ? 1 : rows->n}};
    if (any) acc[1] = gm_rows(&a.copy, ACC_READ);
    issue(c, PIPE_MTE2, run_padded, &a, sizeof a, acc, any ? 2 : 1);
}

void ow_copy_pad(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, const OwPad *pad, OwLoc loc)
{
    Core *c = core_enter("DataCopyPad", loc);
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    uint32_t n = clamp_field(c, "blockCount", pad->count, 4095, 0xfff);
    uint32_t len = pad->ext ? clamp_field(c, "blockLen", pad->len_bytes, 2097151, 0x1fffff)
                            : clamp_field(c, "blockLen", pad->len_bytes, 65535, 0xffff);
    uint64_t limit = pad->ext ? UINT32_MAX : 65535;
    uint32_t mask = pad->ext ? UINT32_MAX : 0xffff;
    uint64_t src_gap = clamp_field(c, "srcStride", (uint64_t)pad->src_gap, limit, mask);
    uint64_t dst_gap = clamp_field(c, "dstStride", (uint64_t)pad->dst_gap, limit, mask);
    if (len % size) sim_report(c, CHK_ID_PAD_LENGTH, LL(len), LL(size));
    if (pad->left * size > 32) sim_report(c, CHK_ID_PAD_LIMIT, LL(pad->left * size), "left");
    if (pad->right * size > 32) sim_report(c, CHK_ID_PAD_LIMIT, LL(pad->right * size), "right");
    Rows rows = {.n = len ? n : 0, .len = len};
    uint64_t ub_row = ((to_gm ? 0 : (pad->left + pad->right) * size) + (uint64_t)len + 31) / 32 * 32;
    rows.gm_step = len + (to_gm ? dst_gap : src_gap);
    rows.ub_step = ub_row + (to_gm ? src_gap : dst_gap) * ISA_BLOCK_BYTES;
    Place p;
    if (!local_place(c, ub, to_gm ? "src" : "dst", ISA_BLOCK_BYTES, &p)) return;
    if (to_gm)
        issue_store(c, gm, &p, &rows);
    else
        load_padded(c, gm, &p, &rows, pad, size);
}

/* ---- within UB: PIPE_V ----------------------------------------------------------------------------------------- */

typedef struct Local {
    uint32_t to, from, n;
    uint64_t len, src_step, dst_step, ok_d, ok_s;
} Local;

static void run_local(Core *c, const void *args)
{
    const Local *a = args;
    for (uint32_t i = 0; i < a->n; i++) {
        uint64_t od = i * a->dst_step, os = i * a->src_step, n = a->len;
        if (od >= a->ok_d || os >= a->ok_s) break;
        if (n > a->ok_d - od) n = a->ok_d - od;
        if (n > a->ok_s - os) n = a->ok_s - os;
        uint32_t to = a->to + (uint32_t)od, from = a->from + (uint32_t)os;
        memmove(c->ub + to, c->ub + from, n);
        if (bits_all(c->ub_valid, from, n))
            bits_fill(c->ub_valid, to, n, true);
        else if (to != from)
            bits_copy(c->ub_valid, to, c->ub_valid, from, n);
    }
    ub_wrote(c, a->to, (uint32_t)a->ok_d);
}

static void local_rows(Core *c, const OwLocal *d, const OwLocal *s, const Rows *rows, uint64_t src_step, uint64_t dst_step)
{
    if (local_in_l1(s) && !local_in_l1(d)) { /* HW: DataCopy, implementation for the 2201 architecture */
        sim_report(c, CHK_ID_L1_TO_UB, position_name(s->pos));
        return;
    }
    Place pd, ps;
    if (!local_place(c, d, "dst", ISA_BLOCK_BYTES, &pd) || !local_place(c, s, "src", ISA_BLOCK_BYTES, &ps)) return;
    if (rows->n == 0 || rows->len == 0) return;
    uint64_t ok_d = local_clip(c, &pd, "dst", true, 0, (rows->n - 1) * dst_step + rows->len);
    uint64_t ok_s = local_clip(c, &ps, "src", false, 0, (rows->n - 1) * src_step + rows->len);
    const Local a = {.to = pd.addr, .from = ps.addr, .n = rows->n, .len = rows->len, .src_step = src_step, .dst_step = dst_step, .ok_d = ok_d, .ok_s = ok_s};
    const Access acc[] = {{.how = ACC_READ, .at = ps.addr, .len = rows->len, .step = src_step, .n_rows = rows->n},
                          {.how = ACC_WRITE, .at = pd.addr, .len = rows->len, .step = dst_step, .n_rows = rows->n}};
    issue(c, PIPE_V, run_local, &a, sizeof a, acc, 2);
}

void ow_copy_local_n(uint32_t type, const OwLocal *d, const OwLocal *s, uint64_t count, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    Rows rows = {.n = 1, .len = whole_blocks(c, type, count)};
    local_rows(c, d, s, &rows, 0, 0);
}

void ow_copy_local_blocks(uint32_t type, const OwLocal *d, const OwLocal *s, uint32_t count, uint32_t len, uint32_t src_gap,
                          uint32_t dst_gap, OwLoc loc)
{
    Core *c = core_enter("DataCopy", loc);
    (void)type;
    Rows rows = block_rows(c, true, count, len, src_gap, dst_gap);
    local_rows(c, d, s, &rows, rows.gm_step, rows.ub_step);
}

typedef struct Fill {
    GmRange *r;
    uint8_t *p;
    uint64_t n, value;
    uint32_t size;
} Fill;

static void run_fill(Core *c, const void *args)
{
    const Fill *a = args;
    uint8_t chunk[1024];
    size_t off = (size_t)(a->p - (uint8_t *)a->r->gm->data);
    for (uint32_t i = 0; i < sizeof chunk; i += a->size) memcpy(chunk + i, &a->value, a->size);
    for (uint64_t at = 0, n; at < a->n; at += n) {
        n = a->n - at < sizeof chunk ? (a->n - at) / a->size * a->size : sizeof chunk;
        if (n == 0) break; /* a part of an element: clipped, and reported */
        if (!c->sim->options.no_hazards) gm_shadow_write(c, PIPE_MTE3, a->r, off + at, chunk, n);
        memcpy(a->p + at, chunk, n);
    }
    if (a->r->valid) bits_fill(a->r->valid, (size_t)(a->p - (uint8_t *)a->r->gm->data), a->n, true);
    c->sim->stats.gm_write_bytes += a->n;
}

/* HW: InitOutput page: fills global memory with a value by copies from UB. */
void ow_init_output(uint32_t type, const OwGlobal *gm, uint64_t count, uint64_t value, OwLoc loc)
{
    Core *c = core_enter("InitOutput", loc);
    uint32_t size = (uint32_t)dtype_info(dtype_of(type))->size_bytes;
    uint64_t skip, n_ok;
    GmRange *r = gm_access(c, gm, (uintptr_t)gm->addr, count * size, true, &skip, &n_ok);
    if (!r || r->gm->role == SIM_GM_INPUT || r->gm->role == SIM_GM_TILING) return;
    const Fill a = {.r = r, .p = (uint8_t *)gm->addr + skip, .n = n_ok, .value = value, .size = size};
    const Access acc = {.how = ACC_WRITE, .range = r, .at = (uint64_t)(a.p - (uint8_t *)r->gm->data), .len = n_ok, .n_rows = 1};
    issue(c, PIPE_MTE3, run_fill, &a, sizeof a, &acc, 1);
}

void ow_pad_value(uint32_t type, uint64_t bits, OwLoc loc)
{
    Core *c = core_enter("SetPadValue", loc);
    (void)type;
    c->pad_value = bits;
    c->pad_set = true;
}

/* HW: SetStoreAtomicConfig page: which stores the register acts on is not said, so a copy while it is on is not modelled. */
uint32_t ow_store_atomic(uint32_t set, uint32_t config, OwLoc loc)
{
    Core *c = core_enter(set ? "SetStoreAtomicConfig" : "GetStoreAtomicConfig", loc);
    if (set) c->store_atomic = (uint16_t)config;
    return c->store_atomic;
}

void ow_atomic(uint32_t op, uint32_t type, OwLoc loc)
{
    enum { KEEP_OP = 4 };
    Core *c = core_enter(op ? "SetAtomic" : "SetAtomicNone", loc);
    if (op != KEEP_OP) c->atomic_op = op;
    if (c->atomic_op) core_needs_order(c); /* sums of floats depend on it */
    c->atomic_type = type;
}
