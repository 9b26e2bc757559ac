/* Elementwise high-level APIs with operands that adv.def's form does not have: other types, two gated sources, an
 * accumulating destination. HW: their pages and implementation. */
#include "sim/adv_int.h"

#include <stdlib.h>
#include <string.h>

enum { DST, A, B };
enum { HALF = 2 };

static bool plan(AdvCall *a, uint64_t tmp_bytes)
{
    int64_t count = a->in->n[0];
    if (count == 0) return false;
    if (!ADV_WANT(a, "count", count, 1 <= count && count <= 196608)) return false;
    for (uint32_t i = 0; i < OW_ADV_TENSORS; i++) a->t[i].n = (uint64_t)count;
    a->tmp_bytes = tmp_bytes;
    return true;
}
static bool is_half(const AdvCall *a) { return a->t[DST].size == HALF; }

bool adv_plan_geglu(AdvCall *a) { return plan(a, is_half(a) ? 1024 : 0); }
bool adv_plan_swiglu(AdvCall *a) { return plan(a, is_half(a) ? 1536 : 0); }
bool adv_plan_reglu(AdvCall *a) { return plan(a, is_half(a) ? 1536 : 256); }
bool adv_plan_xor(AdvCall *a) { return plan(a, 256); }

typedef float Gate(const AdvCall *a, float x, float g, float s);

/* HW: through float for 16-bit types. */
static void run(AdvCall *a, Gate *f)
{
    uint64_t n = a->t[DST].n;
    float *x = adv_floats(a, n), *g = adv_floats(a, n), s = (float)a->in->f[0];
    bool all = adv_get(a, A, 0, x, n);
    all &= adv_get(a, B, 0, g, n);
    for (uint64_t i = 0; i < n; i++) x[i] = f(a, x[i], g[i], s);
    if (all) {
        adv_put(a, DST, 0, x, n, true);
        return;
    }
    for (uint64_t i = 0; i < n; i++) adv_put(a, DST, i, x + i, 1, adv_valid(a, A, i, 1) && adv_valid(a, B, i, 1));
}

static float geglu(const AdvCall *a, float x, float g, float s)
{
    (void)s;
    return x * (g / (1.0f + adv_exp(a, -0.0713548162726f * (g * g + 22.363860002236f) * g)));
}
static float swiglu(const AdvCall *a, float x, float g, float s) { return x * (g / (1.0f + adv_exp(a, -s * g))); }
static float reglu(const AdvCall *a, float x, float g, float s)
{
    (void)a, (void)s;
    return x * v_relu(g);
}
void adv_run_geglu(AdvCall *a) { run(a, geglu); }
void adv_run_swiglu(AdvCall *a) { run(a, swiglu); }
void adv_run_reglu(AdvCall *a) { run(a, reglu); }

void adv_run_xor(AdvCall *a)
{
    for (uint64_t i = 0; i < a->t[DST].n; i++)
        adv_put_int(a, DST, i, adv_get_int(a, A, i) ^ adv_get_int(a, B, i), adv_valid(a, A, i, 1) && adv_valid(a, B, i, 1));
}

/* ---- Axpy: dst += scalar * src --------------------------------------------------------------------------------------- */

bool adv_plan_axpy(AdvCall *a) { return plan(a, is_half(a) ? 1024 : 0); }

void adv_run_axpy(AdvCall *a)
{
    uint64_t n = a->t[DST].n;
    float *d = adv_floats(a, n), *x = adv_floats(a, n), s = (float)a->in->f[0];
    bool all = adv_get(a, DST, 0, d, n);
    all &= adv_get(a, A, 0, x, n);
    bool *ok = all ? NULL : arena_array(a->arena, n, sizeof *ok);
    for (uint64_t i = 0; ok && i < n; i++) ok[i] = adv_valid(a, DST, i, 1) && adv_valid(a, A, i, 1);
    for (uint64_t i = 0; i < n; i++) d[i] = d[i] + s * x[i];
    adv_put(a, DST, 0, d, n, true);
    for (uint64_t i = 0; ok && i < n; i++)
        if (!ok[i]) adv_put(a, DST, i, d + i, 1, false);
}

/* ---- Power of int32: numbers count, which operand is the scalar (0: none, 1: the base, 2: the exponent), scalar ------- */

bool adv_plan_power_int(AdvCall *a)
{
    if (!plan(a, a->in->n[1] ? 1792 : 1536)) return false;
    a->uses_select = true;
    return true;
}

/* Square and multiply, wrapping. HW: a negative exponent gives the truncated reciprocal of the power, 0 for 1 / 0. */
static int32_t power(int32_t base, int32_t exponent)
{
    uint32_t r = 1, b = (uint32_t)base, e = exponent < 0 ? 0u - (uint32_t)exponent : (uint32_t)exponent;
    for (; e; e >>= 1, b *= b)
        if (e & 1) r *= b;
    if (exponent >= 0) return (int32_t)r;
    return r == 1 ? 1 : r == UINT32_MAX ? -1 : 0;
}

void adv_run_power_int(AdvCall *a)
{
    const int64_t *n = a->in->n;
    for (uint64_t i = 0; i < a->t[DST].n; i++) {
        bool ok = (n[1] == 1 || adv_valid(a, A, i, 1)) && (n[1] == 2 || adv_valid(a, B, i, 1));
        int64_t base = n[1] == 1 ? n[2] : adv_get_int(a, A, i), exponent = n[1] == 2 ? n[2] : adv_get_int(a, B, i);
        adv_put_int(a, DST, i, power((int32_t)base, (int32_t)exponent), ok);
    }
}

/* ---- Arange: numbers count; scalars first, step; whole numbers first, step in numbers 1 and 2 --------------------------- */

bool adv_plan_arange(AdvCall *a)
{
    int64_t count = a->in->n[0], per_block = ISA_BLOCK_BYTES / (int64_t)a->t[DST].size;
    if (!ADV_WANT(a, "count", count, 1 <= count && count <= 196608)) return false;
    a->t[DST].n = count > per_block ? adv_align((uint64_t)count, (uint64_t)per_block) : (uint64_t)count;
    return true;
}

/* HW: one block by scalar stores, the next of the first 256 bytes from the block before, the rest from 256 bytes before: an
 * addition each time, so rounding adds up. */
static void arange_float(AdvCall *a)
{
    uint64_t n = a->t[DST].n, block = ISA_BLOCK_BYTES / a->t[DST].size, repeat = 8 * block;
    bool half = is_half(a);
    float *v = adv_floats(a, n), first = (float)a->in->f[0], step = (float)a->in->f[1];
    for (uint64_t i = 0; i < n; i++) {
        uint64_t back = i < block ? 0 : i < repeat ? block : repeat;
        float add = back ? step * (float)back : 0.0f;
        v[i] = back ? v[i - back] + (half ? adv_half(add) : add) : first + step * (float)i;
        if (half) v[i] = adv_half(v[i]);
    }
    adv_put(a, DST, 0, v, n, true);
}

void adv_run_arange(AdvCall *a)
{
    const int64_t *n = a->in->n;
    if (dtype_info(a->t[DST].type)->cls == DTYPE_CLASS_F) {
        arange_float(a);
        return;
    }
    for (uint64_t i = 0; i < a->t[DST].n; i++) adv_put_int(a, DST, i, (int64_t)((uint64_t)n[1] + (uint64_t)n[2] * i), true);
}
