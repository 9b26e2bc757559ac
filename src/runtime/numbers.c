/* Element types under the numbers of the three worlds that name them: ge::DataType, at::ScalarType and ours. */
#include "runtime/runtime_int.h"

#include <stdio.h>

/* HW: api_truth host, "ge::DataType"; PyTorch c10/core/ScalarType.h. */
static const struct {
    int32_t ge, torch;
    const char *torch_name;
} NUMBERS[DTYPE_COUNT] = {
    [DTYPE_F16] = {1, 5, "Half"},   [DTYPE_BF16] = {27, 15, "BFloat16"}, [DTYPE_F32] = {0, 6, "Float"},
    [DTYPE_F64] = {11, 7, "Double"}, [DTYPE_I8] = {2, 1, "Char"},         [DTYPE_I16] = {6, 2, "Short"},
    [DTYPE_I32] = {3, 3, "Int"},     [DTYPE_I64] = {9, 4, "Long"},        [DTYPE_U8] = {4, 0, "Byte"},
    [DTYPE_U16] = {7, 27, "UInt16"}, [DTYPE_U32] = {8, 28, "UInt32"},     [DTYPE_U64] = {10, 29, "UInt64"},
    [DTYPE_BOOL] = {12, 11, "Bool"},
};

static bool known(int32_t dtype) { return dtype >= 0 && dtype < DTYPE_COUNT; }

int32_t rt_ge_of_dtype(int32_t dtype) { return known(dtype) ? NUMBERS[dtype].ge : 28; /* DT_UNDEFINED */ }

int32_t rt_dtype_of_ge(int32_t ge) {
    for (int32_t t = 0; t < DTYPE_COUNT; t++)
        if (NUMBERS[t].ge == ge) return t;
    return -1;
}

const char *rt_ge_name(int32_t ge) {
    const int32_t t = rt_dtype_of_ge(ge);
    return t < 0 ? "a type that is not modelled" : dtype_info((DType)t)->torch;
}

const char *rt_dtype_name(int32_t dtype) { return known(dtype) ? dtype_info((DType)dtype)->torch : NULL; }

int32_t owh_dtype_of_scalar_type(int32_t scalar_type) {
    for (int32_t t = 0; t < DTYPE_COUNT; t++)
        if (NUMBERS[t].torch == scalar_type) return t;
    return -1;
}

int32_t owh_scalar_type_of_dtype(int32_t dtype) { return known(dtype) ? NUMBERS[dtype].torch : 44; /* Undefined */ }

const char *owh_scalar_type_name(int32_t scalar_type) {
    const int32_t t = owh_dtype_of_scalar_type(scalar_type);
    return t < 0 ? "a type that is not modelled" : NUMBERS[t].torch_name;
}

size_t owh_dtype_bytes(int32_t dtype) { return known(dtype) ? dtype_info((DType)dtype)->size_bytes : 0; }
