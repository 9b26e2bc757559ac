/* Element types: the table, and conversions of 16-bit floats in portable integer arithmetic. */
#include "base/dtype.h"

#include <math.h>
#include <string.h>

static const DTypeInfo ROWS[] = {
#define DTYPE(id, torch_, cxx_, ge_, msop_, size_, cls_)                                                     \
    [DTYPE_##id] = {.torch = torch_,                                                                         \
                    .cxx = cxx_,                                                                             \
                    .ge = ge_,                                                                               \
                    .msop = msop_,                                                                           \
                    .size_bytes = size_,                                                                     \
                    .cls = DTYPE_CLASS_##cls_},
#include "base/dtype.def"
#undef DTYPE
};

static const struct {
    const char *name;
    DType type;
} ALIASES[] = {
    {"fp16", DTYPE_F16}, {"fp32", DTYPE_F32}, {"float", DTYPE_F32}, {"bf16", DTYPE_BF16},
    {"int", DTYPE_I32},  {"long", DTYPE_I64}, {"short", DTYPE_I16},
};

const DTypeInfo *dtype_info(DType t) {
    return &ROWS[t];
}

bool dtype_find(const char *name, DType *out) {
    if (strncmp(name, "torch.", 6) == 0) name += 6;
    if (strncmp(name, "ge::", 4) == 0) name += 4;
    for (size_t i = 0; i < DTYPE_COUNT; i++)
        if (!strcmp(name, ROWS[i].torch) || !strcmp(name, ROWS[i].cxx) || !strcmp(name, ROWS[i].ge) ||
            !strcmp(name, ROWS[i].msop)) {
            *out = (DType)i;
            return true;
        }
    for (size_t i = 0; i < sizeof ALIASES / sizeof ALIASES[0]; i++)
        if (!strcmp(name, ALIASES[i].name)) {
            *out = ALIASES[i].type;
            return true;
        }
    return false;
}

/* Rounds a double to a float format of `man_bits` stored mantissa bits and exponent range [min_exp, max_exp]
 * (unbiased, normal); returns the bit pattern without sign. Ties to even, one rounding. */
static uint16_t narrow_bits(double a, int man_bits, int min_exp, int max_exp) {
    int exp2;
    double m = frexp(a, &exp2); /* a = m * 2^exp2, m in [0.5, 1) */
    int e = exp2 - 1;
    int quantum = (e < min_exp ? min_exp : e) - man_bits; /* weight of the last place */
    double scaled = ldexp(m, exp2 - quantum);             /* exact: at most 53 bits */
    double r = nearbyint(scaled);
    if (r == 0.0) return 0;
    uint32_t q = (uint32_t)r; /* below 2^(man_bits+1), or equal when rounding carried */
    uint32_t top = 1u << man_bits;
    if (q < top) return (uint16_t)q; /* subnormal */
    int be = quantum + man_bits - min_exp + 1;
    if (q == top << 1) {
        q = top;
        be++;
    }
    int be_max = max_exp - min_exp + 1;
    if (be > be_max) return (uint16_t)((uint32_t)(be_max + 1) << man_bits); /* infinity */
    return (uint16_t)(((uint32_t)be << man_bits) | (q - top));
}

static uint16_t narrow(double d, int man_bits, int min_exp, int max_exp) {
    uint16_t sign = signbit(d) ? 0x8000u : 0u;
    uint16_t inf = (uint16_t)((uint32_t)(max_exp - min_exp + 2) << man_bits);
    if (isnan(d)) return (uint16_t)(sign | inf | (1u << (man_bits - 1)));
    if (isinf(d)) return (uint16_t)(sign | inf);
    if (d == 0.0) return sign;
    return (uint16_t)(sign | narrow_bits(fabs(d), man_bits, min_exp, max_exp));
}

uint16_t f16_from_f64(double d) {
    return narrow(d, 10, -14, 15);
}
uint16_t f16_from_f32(float f) {
    return narrow((double)f, 10, -14, 15);
}
uint16_t bf16_from_f64(double d) {
    return narrow(d, 7, -126, 127);
}

uint16_t bf16_from_f32(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)((u >> 16) | 0x40u);
    return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
}

float bf16_to_f32(uint16_t b) {
    uint32_t u = (uint32_t)b << 16;
    float f;
    memcpy(&f, &u, 4);
    return f;
}

float f16_to_f32(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, exp = (h >> 10) & 0x1fu, man = h & 0x3ffu, u;
    float f;
    if (exp == 0) {
        f = ldexpf((float)man, -24);
        return sign ? -f : f;
    }
    u = exp == 31 ? sign | 0x7f800000u | man << 13 : sign | (exp + 112u) << 23 | man << 13;
    memcpy(&f, &u, 4);
    return f;
}

#define LOAD(T)                                                                                              \
    T v;                                                                                                     \
    memcpy(&v, (const char *)data + i * sizeof v, sizeof v);                                                 \
    return (double)v

double dtype_load(DType t, const void *data, size_t i) {
    switch (t) {
    case DTYPE_F16:
        return (double)f16_to_f32(((const uint16_t *)data)[i]);
    case DTYPE_BF16:
        return (double)bf16_to_f32(((const uint16_t *)data)[i]);
    case DTYPE_F32: {
        LOAD(float);
    }
    case DTYPE_F64: {
        LOAD(double);
    }
    case DTYPE_I8: {
        LOAD(int8_t);
    }
    case DTYPE_I16: {
        LOAD(int16_t);
    }
    case DTYPE_I32: {
        LOAD(int32_t);
    }
    case DTYPE_I64: {
        LOAD(int64_t);
    }
    case DTYPE_U8: {
        LOAD(uint8_t);
    }
    case DTYPE_U16: {
        LOAD(uint16_t);
    }
    case DTYPE_U32: {
        LOAD(uint32_t);
    }
    case DTYPE_U64: {
        LOAD(uint64_t);
    }
    case DTYPE_BOOL:
        return ((const uint8_t *)data)[i] ? 1.0 : 0.0;
    case DTYPE_COUNT:
        break;
    }
    return 0.0;
}

#define STORE(T)                                                                                             \
    T v = (T)d;                                                                                              \
    memcpy((char *)data + i * sizeof v, &v, sizeof v);                                                       \
    break

void dtype_store(DType t, void *data, size_t i, double d) {
    switch (t) {
    case DTYPE_F16:
        ((uint16_t *)data)[i] = f16_from_f64(d);
        break;
    case DTYPE_BF16:
        ((uint16_t *)data)[i] = bf16_from_f64(d);
        break;
    case DTYPE_F32: {
        STORE(float);
    }
    case DTYPE_F64: {
        STORE(double);
    }
    case DTYPE_I8: {
        STORE(int8_t);
    }
    case DTYPE_I16: {
        STORE(int16_t);
    }
    case DTYPE_I32: {
        STORE(int32_t);
    }
    case DTYPE_I64: {
        STORE(int64_t);
    }
    case DTYPE_U8: {
        STORE(uint8_t);
    }
    case DTYPE_U16: {
        STORE(uint16_t);
    }
    case DTYPE_U32: {
        STORE(uint32_t);
    }
    case DTYPE_U64: {
        STORE(uint64_t);
    }
    case DTYPE_BOOL:
        ((uint8_t *)data)[i] = d != 0.0;
        break;
    case DTYPE_COUNT:
        break;
    }
}
