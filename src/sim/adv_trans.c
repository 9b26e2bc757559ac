/* TransData: between NCDHW and the two layouts of the cube unit, for elements of 16 bits. HW: its page. Numbers: which way (TO_5HD...),
 * n c d h w, then the dimensions of the other layout as the call gave them.
 *
 *   NCDHW         [n][c][d][h * w, padded to 16]
 *   NDC1HWC0      [n][d][c / 16][h][w][c % 16]
 *   FRACTAL_Z_3D  [d][c / 16][h][w][n / 16][n % 16][c % 16]
 */
#include "sim/adv_int.h"
#include "sim/adv_size.h"

enum { DST, SRC, CUBE = 16 };
enum { TO_5HD, FROM_5HD, TO_Z3D, FROM_Z3D };

typedef struct Dims {
    uint64_t n, c, d, h, w, c1, n1, hw, pitch; /* pitch: of h * w on the NCDHW side */
    bool z3d;
} Dims;

static Dims dims_of(const AdvCall *a)
{
    const int64_t *v = a->in->n;
    Dims s = {.n = (uint64_t)v[1], .c = (uint64_t)v[2], .d = (uint64_t)v[3], .h = (uint64_t)v[4], .w = (uint64_t)v[5], .z3d = v[0] >= TO_Z3D};
    s.c1 = adv_align(s.c, CUBE) / CUBE;
    s.n1 = adv_align(s.n, CUBE) / CUBE;
    s.hw = s.h * s.w;
    s.pitch = adv_align(s.hw, CUBE);
    return s;
}

static uint64_t flat_size(const Dims *s) { return s->n * s->c * s->d * s->pitch; }
static uint64_t cut_size(const Dims *s)
{
    return s->z3d ? s->d * s->c1 * s->hw * s->n1 * CUBE * CUBE : s->n * s->d * s->c1 * s->hw * CUBE;
}
static uint64_t flat_at(const Dims *s, uint64_t n, uint64_t c, uint64_t d, uint64_t x) { return ((n * s->c + c) * s->d + d) * s->pitch + x; }
static uint64_t cut_at(const Dims *s, uint64_t n, uint64_t c, uint64_t d, uint64_t x)
{
    if (!s->z3d) return (((n * s->d + d) * s->c1 + c / CUBE) * s->hw + x) * CUBE + c % CUBE;
    return ((((d * s->c1 + c / CUBE) * s->hw + x) * s->n1 + n / CUBE) * CUBE + n % CUBE) * CUBE + c % CUBE;
}

/* The other layout's dimensions must be those that n c d h w give. */
static bool shapes_agree(AdvCall *a, const Dims *s)
{
    const int64_t *other = a->in->n + 6;
    const uint64_t five[] = {s->n, s->d, s->c1, s->h, s->w, CUBE}, z3d[] = {s->d, s->c1, s->h, s->w, s->n1, CUBE, CUBE};
    const uint64_t *want = s->z3d ? z3d : five;
    for (uint32_t i = 0; i < (s->z3d ? 7u : 6u); i++)
        if ((uint64_t)other[i] != want[i]) return adv_refuse(a, "a dimension of the blocked layout", other[i], "it is the one N, C, D, H and W give, with C0 = N0 = 16");
    return true;
}

bool adv_plan_trans_data(AdvCall *a)
{
    const int64_t *v = a->in->n;
    static const char *const NAMES[] = {"N", "C", "D", "H", "W"};
    for (uint32_t i = 0; i < 5; i++)
        if (!ADV_WANT(a, NAMES[i], v[1 + i], 1 <= v[1 + i] && v[1 + i] <= 65535)) return false;
    Dims s = dims_of(a);
    if (!shapes_agree(a, &s)) return false;
    bool to = v[0] == TO_5HD || v[0] == TO_Z3D;
    a->t[to ? SRC : DST].n = flat_size(&s);
    a->t[to ? DST : SRC].n = cut_size(&s);
    a->tmp_bytes = adv_size_transdata(to, s.z3d, s.n, s.c, s.d, s.h, s.w).min;
    return true;
}

static void to_cut(AdvCall *a, const Dims *s)
{
    uint64_t n_all = s->z3d ? s->n1 * CUBE : s->n;
    for (uint64_t n = 0; n < n_all; n++)
        for (uint64_t c = 0; c < s->c1 * CUBE; c++)
            for (uint64_t d = 0; d < s->d; d++)
                for (uint64_t x = 0; x < s->hw; x++) {
                    uint64_t at = cut_at(s, n, c, d, x);
                    if (n < s->n && c < s->c)
                        adv_move(a, DST, at, SRC, flat_at(s, n, c, d, x), 1);
                    else
                        adv_put_bits(a, DST, at, 0, 1);
                }
}

/* What fills the rows of h * w up is not defined. */
static void from_cut(AdvCall *a, const Dims *s)
{
    bits_fill(a->c->ub_valid, a->t[DST].p.addr, a->t[DST].n * a->t[DST].size, false);
    for (uint64_t n = 0; n < s->n; n++)
        for (uint64_t c = 0; c < s->c; c++)
            for (uint64_t d = 0; d < s->d; d++)
                for (uint64_t x = 0; x < s->hw; x++) adv_move(a, DST, flat_at(s, n, c, d, x), SRC, cut_at(s, n, c, d, x), 1);
}

void adv_run_trans_data(AdvCall *a)
{
    Dims s = dims_of(a);
    if (a->in->n[0] == TO_5HD || a->in->n[0] == TO_Z3D)
        to_cut(a, &s);
    else
        from_cut(a, &s);
}
