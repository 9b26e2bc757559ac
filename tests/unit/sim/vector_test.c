/* Every row of insn.def with an expression, for every type, form and a range of sizes, against loops written here. The
 * reference is a table of its own: a row without a line here fails, and so does a line without a row. */
#include "harness.h"

#include <math.h>
#include <stdlib.h>

typedef struct Value {
    float f;
    int64_t i;
} Value;

typedef struct Ref {
    const char *name;
    float (*f)(float a, float b, float d, float s);
    int64_t (*i)(int64_t a, int64_t b, int64_t s, int bits, bool is_signed);
    double tolerance_ulp; /* of the result's type; 0: exact */
    double relative;      /* instead, for the approximating instructions */
} Ref;

#define F(name, expr)                                                                                        \
    static float f_##name(float a, float b, float d, float s)                                                \
    {                                                                                                        \
        (void)a, (void)b, (void)d, (void)s;                                                                  \
        return expr;                                                                                         \
    }
#define I(name, expr)                                                                                        \
    static int64_t i_##name(int64_t a, int64_t b, int64_t s, int bits, bool is_signed)                       \
    {                                                                                                        \
        (void)a, (void)b, (void)s, (void)bits, (void)is_signed;                                              \
        return expr;                                                                                         \
    }

static float nan_first(float a, float b, bool max)
{
    if (isnan(a) || isnan(b)) return NAN;
    return max ? (a > b ? a : b) : (a < b ? a : b);
}
static float relu(float x)
{
    return isnan(x) ? x : x > 0 ? x : 0;
}
static int64_t wrap(int64_t v, int bits, bool is_signed)
{
    uint64_t m = bits == 64 ? ~0ull : (1ull << bits) - 1, u = (uint64_t)v & m;
    return is_signed && (u >> (bits - 1) & 1) ? (int64_t)(u | ~m) : (int64_t)u;
}

F(Add, a + b) I(Add, a + b)
F(Sub, a - b) I(Sub, a - b)
F(Mul, a *b) I(Mul, a *b)
F(Div, a / b)
F(Max, nan_first(a, b, true)) I(Max, a < b ? b : a)
F(Min, nan_first(a, b, false)) I(Min, b < a ? b : a)
F(AddRelu, relu(a + b)) I(AddRelu, wrap(a + b, bits, is_signed) < 0 ? 0 : wrap(a + b, bits, is_signed))
F(SubRelu, relu(a - b)) I(SubRelu, wrap(a - b, bits, is_signed) < 0 ? 0 : wrap(a - b, bits, is_signed))
I(And, a &b)
I(Or, a | b)
F(Exp, (float)exp((double)a))
F(Ln, (float)log((double)a))
F(Abs, a < 0 || (a == 0 && signbit(a)) ? -a : a)
F(Reciprocal, (float)(1.0 / (double)a))
F(Sqrt, (float)sqrt((double)a))
F(Rsqrt, (float)(1.0 / sqrt((double)a)))
F(Relu, relu(a)) I(Relu, a < 0 ? 0 : a)
I(Not, -a - 1)
F(Adds, a + s) I(Adds, a + s)
F(Muls, a *s) I(Muls, a *s)
F(Maxs, nan_first(a, s, true)) I(Maxs, a < s ? s : a)
F(Mins, nan_first(a, s, false)) I(Mins, a > s ? s : a)
F(LeakyRelu, a >= 0 ? a : s * a)
/* Instructions of two steps on half tensors round the first one too. */
static bool steps_are_half;
static float step(float x)
{
    return steps_are_half ? f16_to_f32(f16_from_f32(x)) : x;
}
F(MulAddDst, step(a *b) + d)
F(FusedMulAdd, step(a *d) + b)
F(MulAddRelu, relu(step(a *d) + b))
F(Axpy, step(s *a) + d)
F(MulCast, a *b)
F(AddReluCast, relu(a + b))
F(SubReluCast, relu(a - b))

/* A signed left shift keeps the sign bit; shifting right is floor division. */
static int64_t i_ShiftLeft(int64_t a, int64_t b, int64_t s, int bits, bool is_signed)
{
    (void)b;
    if (!is_signed) return s >= bits ? 0 : a << s;
    int64_t low = s >= bits ? 0 : (int64_t)(((uint64_t)a << s) & ((1ull << (bits - 1)) - 1));
    return a < 0 ? low - ((int64_t)1 << (bits - 1)) : low;
}
static int64_t i_ShiftRight(int64_t a, int64_t b, int64_t s, int bits, bool is_signed)
{
    (void)b, (void)bits, (void)is_signed;
    for (int64_t k = 0; k < s; k++) a = a < 0 ? -((-a + 1) / 2) : a / 2;
    return a;
}

static const Ref REFS[] = {
    {"Add", f_Add, i_Add, 0, 0}, {"Sub", f_Sub, i_Sub, 0, 0}, {"Mul", f_Mul, i_Mul, 0, 0}, {"Div", f_Div, NULL, 0, 0},
    {"Max", f_Max, i_Max, 0, 0}, {"Min", f_Min, i_Min, 0, 0}, {"AddRelu", f_AddRelu, i_AddRelu, 0, 0},
    {"SubRelu", f_SubRelu, i_SubRelu, 0, 0}, {"And", NULL, i_And, 0, 0}, {"Or", NULL, i_Or, 0, 0},
    {"Exp", f_Exp, NULL, 2, 0}, {"Ln", f_Ln, NULL, 2, 0}, {"Abs", f_Abs, NULL, 0, 0},
    {"Reciprocal", f_Reciprocal, NULL, 0, 2e-4}, {"Sqrt", f_Sqrt, NULL, 0, 0}, {"Rsqrt", f_Rsqrt, NULL, 0, 2e-4},
    {"Relu", f_Relu, i_Relu, 0, 0}, {"Not", NULL, i_Not, 0, 0}, {"Adds", f_Adds, i_Adds, 0, 0},
    {"Muls", f_Muls, i_Muls, 0, 0}, {"Maxs", f_Maxs, i_Maxs, 0, 0}, {"Mins", f_Mins, i_Mins, 0, 0},
    {"LeakyRelu", f_LeakyRelu, NULL, 0, 0}, {"ShiftLeft", NULL, i_ShiftLeft, 0, 0},
    {"ShiftRight", NULL, i_ShiftRight, 0, 0}, {"MulAddDst", f_MulAddDst, NULL, 0, 0},
    {"FusedMulAdd", f_FusedMulAdd, NULL, 0, 0}, {"MulAddRelu", f_MulAddRelu, NULL, 0, 0}, {"Axpy", f_Axpy, NULL, 0, 0},
    {"MulCast", f_MulCast, NULL, 0, 0}, {"AddReluCast", f_AddReluCast, NULL, 0, 0},
    {"SubReluCast", f_SubReluCast, NULL, 0, 0},
};

static const Ref *ref_of(const char *name)
{
    for (size_t i = 0; i < sizeof REFS / sizeof *REFS; i++)
        if (strcmp(REFS[i].name, name) == 0) return &REFS[i];
    return NULL;
}

/* ---- one case ----------------------------------------------------------------------------------------------------- */

enum { UB = 196608, DST = 0, SRC0 = 65536, SRC1 = 131072, AREA = 65536 };

typedef struct Case {
    const InsnInfo *insn;
    const Ref *ref;
    DType dt, st;
    bool count_form;
    int64_t count;
    OwRepeat r;
    uint64_t bits[2];
    uint64_t scalar;
    uint8_t mem[UB], want[UB]; /* before, and what should be after */
} Case;

static Case *now;

static uint32_t next_random(void)
{
    static uint32_t x = 2463534242u;
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    return x;
}

static void fill(DType t, uint8_t *p, uint32_t n_bytes, bool positive)
{
    static const float special[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 3.0e-5f, 65504.0f, -70000.0f, INFINITY, -INFINITY, NAN, 88.7f, -87.3f, 1e-40f, 9.3e-7f};
    size_t size = dtype_info(t)->size_bytes;
    for (uint32_t i = 0; i < n_bytes / size; i++) {
        if (dtype_info(t)->cls == DTYPE_CLASS_F) {
            float v = (float)((int32_t)next_random() >> 8) / 100000.0f;
            if (i % 5 == 0) v = special[next_random() % (sizeof special / sizeof *special)];
            dtype_store(t, p, i, (double)(positive && v < 0 ? -v : v));
        } else {
            uint32_t v = next_random();
            if (i % 7 == 0) v = v & 1 ? 0x7fff8000u : 0x80007fffu;
            memcpy(p + i * size, &v, size);
        }
    }
}

static uint32_t lane_addr(uint32_t base, uint32_t size, bool count_form, uint32_t lanes, uint32_t blk, uint32_t rep, uint32_t r, uint32_t lane)
{
    uint32_t per = 32 / size;
    if (count_form) return base + (r * lanes + lane) * size;
    return base + 32 * (r * rep + lane / per * blk) + lane % per * size;
}

static int64_t load_int(DType t, const uint8_t *p)
{
    switch (t) {
    case DTYPE_I16: return *(const int16_t *)p;
    case DTYPE_U16: return *(const uint16_t *)p;
    case DTYPE_I32: return *(const int32_t *)p;
    default: return *(const uint32_t *)p;
    }
}

static void store_result(DType t, uint8_t *p, float v)
{
    if (t == DTYPE_I8) *(int8_t *)p = (int8_t)(isnan(v) ? 0 : fmaxf(-128, fminf(127, nearbyintf(v))));
    else if (t == DTYPE_U8) *p = (uint8_t)(isnan(v) ? 0 : fmaxf(0, fminf(255, nearbyintf(v))));
    else dtype_store(t, p, 0, (double)v);
}

static void want_element(Case *c, uint32_t d, uint32_t a, uint32_t b)
{
    const DTypeInfo *info = dtype_info(c->st);
    uint64_t bits = c->scalar;
    if (info->cls == DTYPE_CLASS_F || c->dt == DTYPE_I8) {
        bool int_src = info->cls != DTYPE_CLASS_F;
        float fa = int_src ? (float)load_int(c->st, c->mem + a) : (float)dtype_load(c->st, c->mem + a, 0);
        float fb = int_src ? (float)load_int(c->st, c->mem + b) : (float)dtype_load(c->st, c->mem + b, 0);
        float fd = c->dt == DTYPE_I8 || c->dt == DTYPE_U8 ? 0.0f : (float)dtype_load(c->dt, c->mem + d, 0);
        steps_are_half = c->dt == DTYPE_F16;
        store_result(c->dt, c->want + d, c->ref->f(fa, fb, fd, int_src ? 0.0f : (float)dtype_load(c->st, &bits, 0)));
        return;
    }
    int64_t v = c->ref->i(load_int(c->st, c->mem + a), load_int(c->st, c->mem + b), load_int(c->st, (const uint8_t *)&bits),
                          (int)info->size_bytes * 8, info->cls == DTYPE_CLASS_I);
    memcpy(c->want + d, &v, info->size_bytes);
}

static void make_want(Case *c)
{
    uint32_t ds = (uint32_t)dtype_info(c->dt)->size_bytes, ss = (uint32_t)dtype_info(c->st)->size_bytes;
    uint32_t lanes = 256 / (ds > ss ? ds : ss);
    uint32_t repeats = c->count_form ? (uint32_t)((c->count + lanes - 1) / lanes) : c->r.repeat;
    memcpy(c->want, c->mem, UB);
    for (uint32_t r = 0; r < repeats; r++)
        for (uint32_t l = 0; l < lanes; l++) {
            bool on = c->count_form ? (int64_t)r * lanes + l < c->count
                      : c->r.mask_bits ? c->bits[l / 64] >> (l % 64) & 1 : l < c->r.mask_count;
            if (!on) continue;
            want_element(c, lane_addr(DST, ds, c->count_form, lanes, c->r.dst_blk, c->r.dst_rep, r, l),
                         lane_addr(SRC0, ss, c->count_form, lanes, c->r.src_blk[0], c->r.src_rep[0], r, l),
                         lane_addr(SRC1, ss, c->count_form, lanes, c->r.src_blk[1], c->r.src_rep[1], r, l));
        }
}

static void body(void *const *args)
{
    (void)args;
    Case *c = now;
    OwLocal d = ub_at(DST, AREA), a = ub_at(SRC0, AREA), b = ub_at(SRC1, AREA), all = ub_at(0, UB);
    bool two = c->insn->form == FORM_BINARY || c->insn->form == FORM_ACC;
    memcpy(ow_local_host(&all), c->mem, UB);
    if (c->count_form)
        ow_vec_n(c->insn->name, OW_TYPES(c->dt, c->st), &d, &a, two ? &b : NULL, c->scalar, 0, c->count, AT);
    else
        ow_vec_r(c->insn->name, OW_TYPES(c->dt, c->st), &d, &a, two ? &b : NULL, c->scalar, 0, &c->r, AT);
    memcpy(c->mem, ow_local_host(&all), UB);
}

static bool close_enough(const Case *c, const uint8_t *got, const uint8_t *want)
{
    size_t size = dtype_info(c->dt)->size_bytes;
    if (memcmp(got, want, size) == 0) return true;
    if (dtype_info(c->dt)->cls != DTYPE_CLASS_F) return false;
    double g = dtype_load(c->dt, got, 0), w = dtype_load(c->dt, want, 0);
    if (isnan(g) && isnan(w)) return true;
    if (c->ref->tolerance_ulp == 0 && c->ref->relative == 0) return false;
    if (isinf(w) || isinf(g)) return g == w;
    double rel = c->dt == DTYPE_F16 && c->ref->relative > 0 ? 16 * c->ref->relative : c->ref->relative;
    double ulp = c->dt == DTYPE_F16 ? 0x1p-10 : 0x1p-23, tiny = c->dt == DTYPE_F16 ? 0x1p-24 : 0x1p-149;
    return fabs(g - w) <= fabs(w) * rel + c->ref->tolerance_ulp * (fabs(w) * ulp + tiny);
}

static size_t n_cases;

static void check(Sim *s, Case *c)
{
    uint8_t *before = malloc(UB);
    bool positive = strcmp(c->insn->name, "Ln") == 0;
    fill(c->dt == DTYPE_I8 || c->dt == DTYPE_U8 ? DTYPE_I16 : c->dt, c->mem + DST, AREA, false);
    fill(c->st, c->mem + SRC0, AREA, positive);
    fill(c->st, c->mem + SRC1, AREA, false);
    memcpy(before, c->mem, UB);
    make_want(c);
    now = c;
    n_cases++;
    run(s, body);
    expect_clean(s);
    size_t size = dtype_info(c->dt)->size_bytes;
    for (uint32_t at = 0; at < UB; at += (uint32_t)size) {
        if (close_enough(c, c->mem + at, c->want + at)) continue;
        print_error("%s %s<-%s count %lld repeat %u blk %u rep %u byte %u: got %g want %g (a %g b %g)\n", c->insn->name,
                    dtype_info(c->dt)->cxx, dtype_info(c->st)->cxx, (long long)c->count, c->r.repeat, c->r.dst_blk, c->r.dst_rep, at,
                    dtype_load(c->dt, c->mem + at, 0), dtype_load(c->dt, c->want + at, 0),
                    dtype_load(c->st, before + SRC0 + (at - DST) / size * dtype_info(c->st)->size_bytes, 0), 0.0);
        fail();
    }
    free(before);
}

static uint64_t scalar_for(const InsnInfo *insn, DType t)
{
    uint64_t bits = 0;
    if (insn->checks & CHK_SHIFT) return 3;
    if (dtype_info(t)->cls == DTYPE_CLASS_F) dtype_store(t, &bits, 0, -1.75);
    else bits = (uint64_t)-7 & (dtype_info(t)->size_bytes == 2 ? 0xffff : 0xffffffff);
    return bits;
}

/* Strides that are legal for 8-bit fields, keep repeats disjoint and stay inside an area. */
static void check_repeats(Sim *s, Case *c, uint32_t lanes)
{
    const uint32_t wide = lanes * (uint32_t)dtype_info(c->st)->size_bytes / 32, wide_d = lanes * (uint32_t)dtype_info(c->dt)->size_bytes / 32;
    static const struct {
        uint32_t repeat, blk, gap; /* blk stride; blocks added between repeats */
    } forms[] = {{1, 1, 0}, {3, 1, 0}, {255, 1, 0}, {2, 2, 1}, {5, 3, 2}, {0, 1, 0}};
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (int m = 0; m < 5; m++) {
            c->count_form = false;
            c->count = 0;
            c->bits[0] = m == 3 ? 0xaaaaaaaaaaaaaaaaull : 0x8000000000000001ull;
            c->bits[1] = lanes > 64 ? 0x00ff00000000f001ull : 0;
            const uint64_t counts[] = {1, lanes / 2 + 1, lanes, 0, 0};
            uint32_t blk = forms[f].blk;
            c->r = (OwRepeat){.mask_bits = m >= 3 ? c->bits : NULL, .mask_count = counts[m], .set_mask = 1, .repeat = forms[f].repeat,
                              .dst_blk = blk, .src_blk = {blk, blk}, .dst_rep = wide_d * blk + forms[f].gap,
                              .src_rep = {wide * blk + forms[f].gap, wide * blk}};
            check(s, c);
        }
}

static void test_row(Sim *s, const InsnInfo *insn, DType dt, DType st)
{
    static const int64_t counts[] = {0, 1, 7, 8, 31, 64, 65, 128, 1000, 16384};
    Case *c = calloc(1, sizeof *c);
    *c = (Case){.insn = insn, .ref = ref_of(insn->name), .dt = dt, .st = st, .scalar = scalar_for(insn, st)};
    size_t widest = dtype_info(dt)->size_bytes > dtype_info(st)->size_bytes ? dtype_info(dt)->size_bytes : dtype_info(st)->size_bytes;
    c->count_form = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        c->count = counts[i];
        check(s, c);
    }
    check_repeats(s, c, (uint32_t)(256 / widest));
    free(c);
}

static bool has_expression(const InsnInfo *insn)
{
    return insn->form <= FORM_ACC_SCALAR;
}

static void rows_and_references_match(void **state)
{
    (void)state;
    InsnId id;
    for (int i = 0; i < INSN_COUNT; i++)
        if (has_expression(insn_info((InsnId)i))) assert_non_null(ref_of(insn_info((InsnId)i)->name));
    for (size_t i = 0; i < sizeof REFS / sizeof *REFS; i++) assert_true(insn_find(REFS[i].name, &id));
}

static void every_row_every_type(void **state)
{
    (void)state;
    static const struct {
        DType dt, st;
    } pairs[] = {{DTYPE_F16, DTYPE_F16}, {DTYPE_F32, DTYPE_F32}, {DTYPE_I16, DTYPE_I16}, {DTYPE_U16, DTYPE_U16},
                 {DTYPE_I32, DTYPE_I32}, {DTYPE_U32, DTYPE_U32}, {DTYPE_F32, DTYPE_F16}, {DTYPE_F16, DTYPE_F32},
                 {DTYPE_I8, DTYPE_F16}, {DTYPE_U8, DTYPE_F16}, {DTYPE_I8, DTYPE_I16}};
    Sim *s = new_sim();
    for (int i = 0; i < INSN_COUNT; i++) {
        const InsnInfo *insn = insn_info((InsnId)i);
        if (!has_expression(insn)) continue;
        for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
            if (insn->pairs >> pair_find(pairs[p].dt, pairs[p].st) & 1) test_row(s, insn, pairs[p].dt, pairs[p].st);
    }
    print_message("%zu cases\n", n_cases);
    sim_free(s);
}

static void chips_have_the_vector_cores(void **state)
{
    (void)state;
    assert_int_equal(chip_find("Ascend910B4")->n_vector_cores, 40);
    assert_int_equal(chip_find("Ascend910B1")->n_vector_cores, 48);
    assert_int_equal(chip_find("Ascend910_9391")->ub_bytes, 196608);
    assert_null(chip_find("Ascend310"));
    Err err;
    assert_null(sim_new("nothing", &err));
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_and_references_match),
        cmocka_unit_test(every_row_every_type),
        cmocka_unit_test(chips_have_the_vector_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
