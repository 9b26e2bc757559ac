/* Elementwise high-level APIs (adv.def): one pass over the elements, after the checks that their steps would meet. */
#include "sim/vec_int.h"
#include "sim/vec_math.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 512, ADV_SAME = 1, ADV_RESERVED = 2, ADV_SPOILS = 4, ADV_SERIES = 8 };

static inline float round_half(float x)
{
    uint16_t bits;
    dtype_store(DTYPE_F16, &bits, 0, (double)x);
    return (float)dtype_load(DTYPE_F16, &bits, 0);
}
#define R(x) (h ? round_half(x) : (x))

/* ---- routines of more than one line; h: every step is rounded to half ----------------------------------------------- */

static float adv_gelu(float a, bool h)
{
    float cube = R(R(a * a) * a), y = R(R(R(cube * R(0.044715f)) + a) * R(1.5957691216f));
    float e = R(v_exp(-fabsf(y))), tail = R(v_exp(y < 0.0f ? y : 0.0f));
    return R(a / R(1.0f + e)) * tail;
}

static float adv_gelu_v2(float a, bool h)
{
    float t = R(a + R(1e-12f)), sign = R(t / fabsf(t)), x = R(fabsf(R(R(0.7071f) * a)));
    float m = R((x < R(1.769f) ? x : R(1.769f)) - R(1.769f)), q = R(R(R(m * m) * R(-0.1444f)) + 0.5f);
    return a * R(R(sign * q) + 0.5f);
}

static float adv_tanh(float a)
{
    float x = a < -8.8f ? -8.8f : a > 8.8f ? 8.8f : a, e = v_exp(2.0f * x);
    return (e - 1.0f) / (e + 1.0f);
}

static float adv_cosh(float e) { return e + 0.25f / e; }

static float adv_erf(float a)
{
    float x = a < -3.92f ? -3.92f : a > 3.92f ? 3.92f : a, z = x * x;
    float p = ((((0.053443748819f * z + 7.5517016694f) * z + 101.62808918f) * z + 1393.8061484f) * z + 5063.7915060f) * z + 29639.384698f;
    float q = ((((z + 31.212858877f) * z + 398.56963806f) * z + 3023.1248150f) * z + 13243.365831f) * z + 26267.224157f;
    return x * p / q;
}

/* a - k pi, pi in four parts. */
static float minus_k_pi(float a, float k)
{
    return (((a - k * 3.140625f) - k * 9.670257568359375e-4f) - k * 6.2771141529083251953e-7f) - k * 1.21644916362129151821e-10f;
}

static float odd_series(float r, float k)
{
    float z = r * r, p = (((2.604926501e-6f * z - 1.980894471e-4f) * z + 8.33304934e-3f) * z - 1.666665792e-1f) * z + 1.0f;
    return r * p * (4.0f * floorf(k * 0.5f) - 2.0f * k + 1.0f); /* -1 when k is odd */
}

static float adv_sin(float a)
{
    float k = roundf(a * 0.31830987f);
    return odd_series(minus_k_pi(a, k), k);
}

static float adv_cos(float a)
{
    float k = rintf(a * 0.31830987f + 0.5f), v = odd_series(minus_k_pi(a, k) + 1.57079632679f, k);
    return v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
}

static float adv_tan(float a)
{
    float r = minus_k_pi(a, rintf(a * 0.31830987f)), z = r * r;
    return r * ((0.06985208f * z - 6.87115737f) * z + 61.20362573f) / ((r - 1.57079632679f) * (r + 1.57079632679f) * (z - 24.8048928861f));
}

static float adv_power(float a, float b)
{
    bool whole = fabsf(b - rintf(b)) < 1e-8f, odd = whole && fabsf(fmodf(rintf(b), 2.0f)) == 1.0f;
    if (b == 0.0f || a == 1.0f || (a == -1.0f && isinf(b))) return 1.0f;
    if (a < 0.0f && !isinf(a) && !whole) return NAN;
    float v = v_exp(b * v_ln(fabsf(a)));
    return signbit(a) && odd ? -v : v;
}

static float asin_series(float x)
{
    float z = x * x;
    float p = ((((((0.0139648437f * z + 0.0173527644f) * z + 0.0223721590f) * z + 0.0303819444f) * z + 0.0446428571f) * z + 0.075f) * z + 0.1666666667f) * z + 1.0f;
    return x * p;
}

/* Beyond sqrt(1/2) by way of the other leg of the triangle. */
static float adv_asin(float a)
{
    float x = fabsf(a), small = asin_series(x), large = 1.57079632679f - asin_series(sqrtf(1.0f - x * x));
    return copysignf(x <= 0.70710678f ? small : large, a);
}

/* n terms of the odd series. */
static float atan_series(float x, int n)
{
    float z = x * x, p = 0.0f;
    for (int i = n - 1; i >= 0; i--) p = p * z + (i % 2 ? -1.0f : 1.0f) / (float)(2 * i + 1);
    return x * p;
}

/* The least of four series, each about a point an eighth of pi further on; their last terms add, so none falls below the truth. */
static float adv_atan(float a)
{
    const float eighth = 0.392699081699f, t = 0.414213562373f;
    float x = fabsf(a < -10000.0f ? -10000.0f : a > 10000.0f ? 10000.0f : a), about_1 = fabsf((x - 1.0f) / (x + 1.0f));
    float r = atan_series(x, 5), next = eighth + atan_series(fabsf((x - t) / (1.0f + x * t)), 5);
    r = next < r ? next : r;
    next = 2.0f * eighth + atan_series(about_1, 5);
    r = next < r ? next : r;
    next = 3.0f * eighth + atan_series(fabsf((about_1 - t) / (1.0f + about_1 * t)), 7);
    return copysignf(next < r ? next : r, a);
}

static float adv_erfc(float a)
{
    float x = fabsf(a) < 10.0f ? fabsf(a) : 10.0f, tail = (float)erfc((double)x);
    return a < 0.0f ? 2.0f - tail : tail;
}

/* The whole part by the instruction, the fraction by its series. */
static float adv_exp_series(float a, float level)
{
    if (level == 0.0f) return v_exp(a);
    float n = floorf(a), f = a - n, term = 1.0f, sum = 1.0f;
    for (int i = 1; i <= (int)level; i++) {
        term = term * f / (float)i;
        sum += term;
    }
    return v_exp(n) * sum;
}

/* ln |Gamma(x)|; poles give infinity. HW: half: everything from 65504 on too. */
static float adv_lgamma(float a)
{
    int sign;
    if (a != a) return a;
    if (a <= 0.0f && a == floorf(a)) return INFINITY;
    return (float)lgamma_r((double)a, &sign);
}

/* The derivative of ln Gamma: shifted by ten, then the asymptotic series; reflected below 0. HW: NaN at the poles and far down. */
static float adv_digamma(float a)
{
    double x = (double)a, r = 0.0;
    if (a != a || a <= -8388608.0f || (a <= 0.0f && a == floorf(a))) return NAN;
    if (x < 0.0) {
        r = -3.14159265358979323846 / tan(3.14159265358979323846 * x);
        x = 1.0 - x;
    }
    for (int i = 0; i < 10; i++) r -= 1.0 / (x + i);
    double y = x + 10.0, z = 1.0 / (y * y);
    return (float)(r + log(y) - 0.5 / y - z * (1.0 / 12 - z * (1.0 / 120 - z * (1.0 / 252 - z / 240))));
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

typedef void AdvLoop(float *d, const float *a, const float *b, float s, uint32_t n);
typedef void AdvExact(float *d, const float *a, const float *b, float s, uint32_t n, bool h);

/* Row by row: the expression for float and for half tensors, and the exact one. HW: results go through float; the double of the
 * exact one is rounded to half at once, by way of a float whose last bit keeps what was cut off. */
static float round_odd(double x)
{
    float f = (float)x;
    uint32_t bits;
    if ((double)f == x || x != x || isinf(f)) return f;
    memcpy(&bits, &f, 4);
    if (fabs((double)f) > fabs(x)) bits--;
    bits |= 1;
    memcpy(&f, &bits, 4);
    return f;
}

#define ADV(name, half, tmp_half, tmp_float, flags, expression, exact)                                                 \
    static void exact_##name(float *d, const float *pa, const float *pb, float ps, uint32_t n, bool h)                 \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i++) {                                                                             \
            const double a = pa[i], b = pb[i], s = ps, v = (exact);                                                    \
            (void)a, (void)b, (void)s;                                                                                 \
            d[i] = h ? round_odd(v) : (float)v;                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    static inline float element_##name(float a, float b, float s, bool h)                                              \
    {                                                                                                                  \
        (void)a, (void)b, (void)s, (void)h;                                                                            \
        return expression;                                                                                             \
    }                                                                                                                  \
    static void float_##name(float *d, const float *a, const float *b, float s, uint32_t n)                            \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i++) d[i] = element_##name(a[i], b[i], s, false);                                  \
    }                                                                                                                  \
    static void half_##name(float *d, const float *a, const float *b, float s, uint32_t n)                             \
    {                                                                                                                  \
        for (uint32_t i = 0; i < n; i++) d[i] = element_##name(a[i], b[i], s, true);                                   \
    }
#include "sim/adv.def"
#undef ADV

typedef struct AdvInfo {
    const char *name;
    bool steps; /* half tensors are computed in half */
    uint32_t tmp_half, tmp_float, flags;
    AdvLoop *as_float, *as_half;
    AdvExact *exact;
} AdvInfo;

#define STEPS true
#define VIA   false
static const AdvInfo ADVS[] = {
#define ADV(name, half, tmp_half, tmp_float, flags, expression, exact)                                                 \
    {#name, half, tmp_half, tmp_float, flags, float_##name, half_##name, exact_##name},
#include "sim/adv.def"
#undef ADV
};

static const AdvInfo *find(const char *name)
{
    for (size_t i = 0; i < sizeof ADVS / sizeof ADVS[0]; i++)
        if (!strcmp(ADVS[i].name, name)) return &ADVS[i];
    return NULL;
}

/* What a run needs besides the instruction's shape. */
typedef struct AdvRun {
    AdvLoop *loop;
    AdvExact *exact; /* NULL: as the library computes */
    bool spoils; /* src is work space: its contents are lost */
} AdvRun;

static void run(Core *c, const VecOp *op, const uint32_t *addr, uint64_t first, uint32_t n)
{
    const VecLoops *l = vec_loops();
    const AdvRun *r = op->extra;
    DType t = op->o[0].type;
    float d[CHUNK], s[2][CHUNK] = {{0}};
    (void)first;
    vec_mark(c, op, addr, n, false);
    for (uint32_t at = 0; at < n; at += CHUNK) {
        uint32_t k = n - at < CHUNK ? n - at : CHUNK;
        for (uint32_t i = 1; i < op->n; i++) vec_load_f32(l, t, c->ub + addr[i] + at * op->o[i].size, s[i - 1], k);
        if (r->exact)
            r->exact(d, s[0], s[1], op->scalar.f, k, t == DTYPE_F16);
        else
            r->loop(d, s[0], s[1], op->scalar.f, k);
        vec_store_f32(c, l, t, c->ub + addr[0] + at * op->o[0].size, d, k);
    }
    if (r->spoils) bits_fill(c->ub_valid, addr[1], (size_t)n * op->o[1].size, false);
}

/* ---- checks ---------------------------------------------------------------------------------------------------------- */

static bool meet(uint64_t a, uint64_t an, uint64_t b, uint64_t bn) { return an && bn && a < b + bn && b < a + an; }

static void check_overlap(Core *c, const AdvInfo *info, const VecOp *op)
{
    uint64_t n = op->shape.count * op->o[0].size;
    for (uint32_t i = 1; i < op->n && !(info->flags & ADV_SAME); i++)
        if (meet(op->o[0].p.addr, n, op->o[i].p.addr, n)) sim_report(c, CHK_ID_ADV_OVERLAP, info->name, "dst", op->o[i].role);
}

/* Temporary space: enough of it, apart from the operands, and lost to whoever kept something there. */
static void take_tmp(Core *c, const AdvInfo *info, VecOp *op, const OwLocal *tmp, bool reuses)
{
    uint32_t need = op->o[0].type == DTYPE_F16 ? info->tmp_half : info->tmp_float - (reuses ? 256 : 0);
    if ((info->flags & ADV_SERIES) && op->scalar.f == 0.0f) need = 0; /* no series: one instruction */
    uint64_t n = op->shape.count * op->o[0].size;
    uint32_t at = c->ub_top, room = c->ub_bytes > at + 256 ? c->ub_bytes - 256 - at : 0;
    if (!need) return;
    if (!tmp) ledger_hidden(c, info->name, need);
    if (tmp) {
        Place p;
        if (!local_place(c, tmp, "sharedTmpBuffer", 32, &p)) return;
        at = p.addr;
        room = tmp->len_bytes;
        for (uint32_t i = 0; i < op->n; i++)
            if (meet(at, need, op->o[i].p.addr, n)) sim_report(c, CHK_ID_ADV_OVERLAP, info->name, "sharedTmpBuffer", op->o[i].role);
    }
    if (room < need) sim_report(c, tmp ? CHK_ID_ADV_TMP : CHK_ID_ADV_ROOM, info->name, LL(need), LL(room));
    uint32_t lost = need < room ? need : room;
    if (lost > 0 && at + lost <= c->ub_bytes) op->lost_at = at, op->lost_bytes = lost;
}

void ow_adv(const char *api, uint32_t type, const OwLocal *d, const OwLocal *a, const OwLocal *b, const OwLocal *tmp, uint64_t scalar,
            uint32_t how, int64_t count, OwLoc loc)
{
    Core *c = core_enter(api, loc);
    const AdvInfo *info = find(api);
    DType t = dtype_of(type);
    if (!info) {
        sim_report(c, CHK_ID_NOT_MODELLED, api);
        return;
    }
    const InsnInfo insn = {.name = info->name, .form = b ? FORM_BINARY : FORM_UNARY, .checks = CHK_ALIGN32 | CHK_OVERLAP};
    bool reuses = (how & OW_ADV_REUSE) && (info->flags & ADV_SPOILS) && t == DTYPE_F32;
    AdvRun r = {.loop = t == DTYPE_F16 && info->steps && !(how & OW_ADV_VIA_FLOAT) ? info->as_half : info->as_float, .exact = c->sim->options.exact ? info->exact : NULL, .spoils = reuses};
    VecOp op = {.id = INSN_COUNT, .insn = &insn, .extra = &r, .n_extra_bytes = sizeof r, .scalar = {.f = vec_scalar_f32(t, scalar), .is_half = t == DTYPE_F16}};
    vec_operand(&op, "dst", d, t, true);
    vec_operand(&op, b ? "src0" : "src", a, t, false);
    if (b) vec_operand(&op, "src1", b, t, false);
    if (!vec_shape_count(c, &op, count) || !vec_check(c, &op)) return;
    check_overlap(c, info, &op);
    take_tmp(c, info, &op, tmp, reuses);
    if (reuses) op.also[op.n_also++] = ub_write(op.o[1].p.addr, op.shape.count * op.o[1].size);
    uint32_t from = c->ub_bytes - ISA_UB_RESERVED_BYTES;
    if (info->flags & ADV_RESERVED) ledger_hidden(c, info->name, ISA_UB_RESERVED_BYTES);
    if ((info->flags & ADV_RESERVED) && c->ub_top > from) sim_report(c, CHK_ID_UB_RESERVED, info->name, LL(ISA_UB_RESERVED_BYTES), LL(c->ub_top));
    vec_walk(c, &op, run);
}
