/* Element types and the conversions of 16-bit floats. One row of dtype.def is one type. */
#ifndef OPWRIGHT_BASE_DTYPE_H
#define OPWRIGHT_BASE_DTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum {
#define DTYPE(id, torch, cxx, ge, msop, size, cls) DTYPE_##id,
#include "base/dtype.def"
#undef DTYPE
    DTYPE_COUNT
} DType;

typedef enum { DTYPE_CLASS_F, DTYPE_CLASS_I, DTYPE_CLASS_U, DTYPE_CLASS_B } DTypeClass;

typedef struct DTypeInfo {
    const char *torch; /* "float16" */
    const char *cxx;   /* device C++ name, "half" */
    const char *ge;    /* "DT_FLOAT16" */
    const char *msop;  /* canonical name in project_json_src */
    size_t size_bytes;
    DTypeClass cls;
} DTypeInfo;

const DTypeInfo *dtype_info(DType t);
/* Finds by torch name, by C++ name, by ge name (with or without "ge::") or by any msopgen spelling
 * ("fp16", "half", "float", "fp32", "bf16", ...). False when unknown. */
bool dtype_find(const char *name, DType *out);

/* Round to nearest even, subnormals kept, overflow to infinity, NaN kept (quiet). */
uint16_t f16_from_f32(float f);
float f16_to_f32(uint16_t h);
uint16_t f16_from_f64(double d); /* one rounding */
uint16_t bf16_from_f32(float f);
float bf16_to_f32(uint16_t b);
uint16_t bf16_from_f64(double d); /* one rounding */
/* Element i of an array of any type as double (int64 beyond 2^53 loses bits), bool as 0/1. */
double dtype_load(DType t, const void *data, size_t i);
/* Rounds d to type t as PyTorch's cast does (float types: one rounding to nearest even). */
void dtype_store(DType t, void *data, size_t i, double d);

#endif
