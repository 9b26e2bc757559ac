/* ge:: element types, formats and status codes. Numbers: HW: api_truth host, "ge::DataType", "ge::Format", "ge::graphStatus". */
#ifndef OPWRIGHT_HOSTAPI_GRAPH_TYPES_H
#define OPWRIGHT_HOSTAPI_GRAPH_TYPES_H

#include "../../abi.h"

namespace ge {

typedef uint32_t graphStatus;
const graphStatus GRAPH_SUCCESS = 0U;
const graphStatus GRAPH_FAILED = 0xFFFFFFFFU;
const graphStatus GRAPH_PARAM_INVALID = 50331649U;
const graphStatus GRAPH_PARAM_OUT_OF_RANGE = 50331644U;

enum DataType {
    DT_FLOAT = 0, DT_FLOAT16 = 1, DT_INT8 = 2, DT_INT32 = 3, DT_UINT8 = 4, DT_INT16 = 6, DT_UINT16 = 7, DT_UINT32 = 8,
    DT_INT64 = 9, DT_UINT64 = 10, DT_DOUBLE = 11, DT_BOOL = 12, DT_STRING = 13, DT_DUAL_SUB_INT8 = 14,
    DT_DUAL_SUB_UINT8 = 15, DT_COMPLEX64 = 16, DT_COMPLEX128 = 17, DT_QINT8 = 18, DT_QINT16 = 19, DT_QINT32 = 20,
    DT_QUINT8 = 21, DT_QUINT16 = 22, DT_RESOURCE = 23, DT_STRING_REF = 24, DT_DUAL = 25, DT_VARIANT = 26, DT_BF16 = 27,
    DT_UNDEFINED = 28, DT_INT4 = 29, DT_UINT1 = 30, DT_INT2 = 31, DT_UINT2 = 32, DT_COMPLEX32 = 33, DT_HIFLOAT8 = 34,
    DT_FLOAT8_E5M2 = 35, DT_FLOAT8_E4M3FN = 36, DT_FLOAT8_E8M0 = 37, DT_FLOAT6_E3M2 = 38, DT_FLOAT6_E2M3 = 39,
    DT_FLOAT4_E2M1 = 40, DT_FLOAT4_E1M2 = 41, DT_MAX = 42
};

enum Format {
    FORMAT_NCHW = 0, FORMAT_NHWC = 1, FORMAT_ND = 2, FORMAT_NC1HWC0 = 3, FORMAT_FRACTAL_Z = 4, FORMAT_NC1HWC0_C04 = 12,
    FORMAT_HWCN = 16, FORMAT_NDHWC = 27, FORMAT_FRACTAL_ZZ = 28, FORMAT_FRACTAL_NZ = 29, FORMAT_NCDHW = 30,
    FORMAT_DHWCN = 31, FORMAT_NDC1HWC0 = 32, FORMAT_FRACTAL_Z_3D = 33, FORMAT_CN = 34, FORMAT_NC = 35,
    FORMAT_RESERVED = 40, FORMAT_ALL = 41, FORMAT_NULL = 42, FORMAT_NCL = 47, FORMAT_FRACTAL_Z_WINO = 48,
    FORMAT_C1HWC0 = 49, FORMAT_END = 50
};

inline Format GetPrimaryFormat(int32_t format) { return static_cast<Format>(static_cast<uint32_t>(format) & 0xffU); }

/* Bytes per element; types below one byte give 1000 + bits; -1 when there is none. */
inline int GetSizeByDataType(DataType t) {
    switch (t) {
    case DT_INT8: case DT_UINT8: case DT_BOOL: case DT_QINT8: case DT_QUINT8: case DT_DUAL_SUB_INT8:
    case DT_DUAL_SUB_UINT8: case DT_HIFLOAT8: case DT_FLOAT8_E5M2: case DT_FLOAT8_E4M3FN: case DT_FLOAT8_E8M0:
        return 1;
    case DT_FLOAT16: case DT_BF16: case DT_INT16: case DT_UINT16: case DT_QINT16: case DT_QUINT16:
        return 2;
    case DT_FLOAT: case DT_INT32: case DT_UINT32: case DT_QINT32: case DT_COMPLEX32:
        return 4;
    case DT_INT64: case DT_UINT64: case DT_DOUBLE: case DT_COMPLEX64:
        return 8;
    case DT_COMPLEX128:
        return 16;
    case DT_UINT1:
        return 1001;
    case DT_INT2: case DT_UINT2:
        return 1002;
    case DT_INT4: case DT_FLOAT4_E2M1: case DT_FLOAT4_E1M2:
        return 1004;
    default:
        return -1;
    }
}
inline int64_t GetSizeInBytes(int64_t n_elems, DataType t) {
    const int size = GetSizeByDataType(t);
    if (n_elems < 0 || size <= 0) return -1;
    const int64_t bits = size > 1000 ? size - 1000 : static_cast<int64_t>(size) * 8;
    if (n_elems > INT64_MAX / bits - 8) return -1;
    return (n_elems * bits + 7) / 8;
}

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_DIM_NUM = -2;

} // namespace ge
#endif
