/* Language, constants and element types of the device side. */
#ifndef OW_BASE_H
#define OW_BASE_H

#include "abi.h"
#include <stddef.h>
#include <stdint.h>

/* The second look at a kernel (src/verify/lang.h) keeps apart what the host's compiler need not: whose code a function is, and
 * which memory a pointer points to. */
#ifdef OW_LANG_PASS
#define __aicore__ __attribute__((annotate("aicore")))
#define __global__ __attribute__((annotate("global")))
#define __gm__ __attribute__((address_space(1)))
#define __ubuf__ __attribute__((address_space(2)))
#define __cbuf__ __attribute__((address_space(3)))
#define __ca__ __attribute__((address_space(4)))
#define __cb__ __attribute__((address_space(5)))
#define __cc__ __attribute__((address_space(6)))
#define __fbuf__ __attribute__((address_space(7)))
#else
#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#endif
#define __sync_alias__
#define __sync_noalias__
#define __inout_pipe__(x)
#define __in_pipe__(x)
#define __out_pipe__(x)
#define __vector__
#define __cube__
#define __mix__(c, v)
#define __schedmode__(m)
#define __tiling_data_ptr__
#ifndef __inline__
#define __inline__ inline
#endif
#define GM_ADDR __gm__ uint8_t *
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif

/* The user's line, seen from a default argument. Not OwLoc{...}: gcc 12 then gives the place of the declaration. */
#define OW_LOC OwLoc ow_loc = {__builtin_FILE(), (uint32_t)__builtin_LINE()}
#define OW_HERE (OwLoc{__builtin_FILE(), (uint32_t)__builtin_LINE()})

typedef _Float16 half;

/* Storage for bfloat16: the scalar unit has no arithmetic on it. A number converts to it (rounding to nearest even), it
 * converts back by ToFloat only. HW: scalar Cast page, ToFloat and ToBfloat16; DataCopyPadExtParams of the public
 * headers initialises one with 0. */
struct bfloat16_t {
    uint16_t ow_bits;
    bfloat16_t() = default;
    bfloat16_t(float f) : ow_bits(Round(f)) {}
    bfloat16_t(double f) : ow_bits(Round((float)f)) {}
    bfloat16_t(int i) : ow_bits(Round((float)i)) {}
    bfloat16_t(half h) : ow_bits(Round((float)h)) {}
    static uint16_t Round(float f)
    {
        uint32_t u;
        __builtin_memcpy(&u, &f, 4);
        if ((u & 0x7fffffffu) > 0x7f800000u) return (uint16_t)(u >> 16 | 0x40u);
        return (uint16_t)((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
    }
};
inline bool operator==(bfloat16_t a, bfloat16_t b)
{
    return a.ow_bits == b.ow_bits;
}
inline bool operator!=(bfloat16_t a, bfloat16_t b)
{
    return a.ow_bits != b.ow_bits;
}

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX };
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum pad_t { PAD_NONE = 0 };

/* Element type codes as DTYPE-conditional kernels compare them. HW: kernel_type.h of the public headers. */
#define DT_FLOAT 0
#define DT_FLOAT16 1
#define DT_INT8 2
#define DT_INT32 3
#define DT_UINT8 4
#define DT_INT16 6
#define DT_UINT16 7
#define DT_UINT32 8
#define DT_INT64 9
#define DT_UINT64 10
#define DT_DOUBLE 11
#define DT_BOOL 12
#define DT_BF16 27
#define FORMAT_NCHW 0
#define FORMAT_NHWC 1
#define FORMAT_ND 2
#define FORMAT_NC1HWC0 3
#define FORMAT_FRACTAL_NZ 29

namespace AscendC {

enum class TPosition : uint8_t {
    GM, A1, A2, B1, B2, C1, C2, CO1, CO2, VECIN, VECOUT, VECCALC, LCM = VECCALC, SPM, SHM = SPM, TSCM, C2PIPE2GM,
    C2PIPE2LOCAL, MAX
};
using QuePosition = TPosition;
enum class Hardware : uint8_t { GM, UB, L1, L0A, L0B, L0C, BIAS, FIXBUF, MAX };

enum class HardEvent : uint8_t {
    MTE2_MTE1, MTE1_MTE2, MTE1_M, M_MTE1, MTE2_V, V_MTE2, MTE3_V, V_MTE3, M_V, V_M, V_V, MTE3_MTE1, MTE1_MTE3, MTE1_V,
    MTE2_M, M_MTE2, V_MTE1, M_FIX, FIX_M, MTE3_MTE2, MTE2_MTE3, S_V, V_S, S_MTE2, MTE2_S, S_MTE3, MTE3_S, MTE2_FIX,
    FIX_MTE2, FIX_S, M_S, FIX_MTE3, MTE1_FIX, FIX_MTE1, FIX_FIX, MAX
};
enum class RoundMode : uint8_t {
    CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD, UNKNOWN = 0xFF
};
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class ReduceType : int32_t { NONE = -1, SUM = 0, MAX, MIN };
enum class SaturationMode : uint8_t { FLOAT, FLOAT8, INT, CAST };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC, NCDHW, NDC1HWC0, FRACTAL_Z_3D };
enum class CacheMode : uint8_t { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL = 1, CACHE_MODE_LAST = 2, CACHE_MODE_PERSISTENT = 4 };
enum class CacheRwMode : uint8_t { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };

using TEventID = int8_t;
using TTagType = int32_t;
using TBufHandle = uint8_t *;

constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;
constexpr int32_t g_coreType = AIV; /* ASSUMED: kernels run as vector-core programs; cube work is not modelled */

constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t DEFAULT_BLOCK_SIZE = 256;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint16_t ONE_BLK_SIZE = 32;
constexpr uint16_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;
constexpr uint32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr uint32_t TMP_UB_SIZE = 8 * 1024;
constexpr uint32_t TMP_UB_OFFSET = 184 * 1024;
constexpr uint64_t ASC_UB_SIZE = 192 * 1024 - 256;

/* Element type -> code of the ABI; no member for types that local memory does not hold. */
template <typename T> struct OwType;
#define OW_TYPE(T, code)                                                                                             \
    template <> struct OwType<T> {                                                                                   \
        static constexpr uint32_t id = code;                                                                         \
    };
OW_TYPE(half, OW_F16)
OW_TYPE(bfloat16_t, OW_BF16)
OW_TYPE(float, OW_F32)
OW_TYPE(double, OW_F64)
OW_TYPE(int8_t, OW_I8)
OW_TYPE(int16_t, OW_I16)
OW_TYPE(int32_t, OW_I32)
OW_TYPE(int64_t, OW_I64)
OW_TYPE(long long, OW_I64)
OW_TYPE(uint8_t, OW_U8)
OW_TYPE(uint16_t, OW_U16)
OW_TYPE(uint32_t, OW_U32)
OW_TYPE(uint64_t, OW_U64)
OW_TYPE(unsigned long long, OW_U64)
OW_TYPE(bool, OW_BOOL)
#undef OW_TYPE
template <typename T> struct OwType<const T> : OwType<T> {};
template <typename T> constexpr uint32_t ow_id = OwType<T>::id;

template <typename T> inline uint64_t ow_bits(T v)
{
    uint64_t b = 0;
    __builtin_memcpy(&b, &v, sizeof(T));
    return b;
}
template <typename T> inline T ow_unbits(uint64_t b)
{
    T v;
    __builtin_memcpy((void *)&v, &b, sizeof(T));
    return v;
}
/* Two of them in a byte of a tensor, the even one in the low half; alone, the low half of its byte. */
struct int4b_t {
    uint8_t storage;
    int4b_t() = default;
    int4b_t(uint32_t v) : storage((uint8_t)(v & 15)) {}
    int4b_t(int32_t v) : storage((uint8_t)((uint32_t)v & 15)) {}
    operator int8_t() const { return (int8_t)((storage & 15) - (storage & 8) * 2); }
};
template <> struct OwType<int4b_t> {
    static constexpr uint32_t id = OW_U8;
};

/* One of a list of element types. */
/* Not the built-in trait: gcc cannot write one into the name of a function whose signature has it. */
template <typename A, typename B> constexpr bool ow_same = false;
template <typename A> constexpr bool ow_same<A, A> = true;

/* The element type of a tensor of T: T, or what its TensorTrait says. */
template <typename T> struct OwPrim {
    using type = T;
};
template <typename T> using PrimT = typename OwPrim<T>::type;
template <typename T, typename... L> constexpr bool ow_one_of = (__is_same(PrimT<T>, L) || ...);

/* Bytes of n elements, and elements of n bytes. */
template <typename T> constexpr uint64_t ow_bytes(uint64_t n) { return ow_same<PrimT<T>, int4b_t> ? n / 2 : n * sizeof(PrimT<T>); }
template <typename T> constexpr uint64_t ow_elements(uint64_t n) { return ow_same<PrimT<T>, int4b_t> ? n * 2 : n / sizeof(PrimT<T>); }

struct ShapeInfo {
    ShapeInfo() : shapeDim(0), originalShapeDim(0) {}
    ShapeInfo(const uint8_t dim, const uint32_t in[], const uint8_t orig_dim, const uint32_t orig_in[],
              const DataFormat format)
        : shapeDim(dim), originalShapeDim(orig_dim), dataFormat(format)
    {
        for (int i = 0; i < dim && i < 8; i++) shape[i] = in[i];
        for (int i = 0; i < orig_dim && i < 8; i++) originalShape[i] = orig_in[i];
    }
    ShapeInfo(const uint8_t dim, const uint32_t in[], const DataFormat format) : ShapeInfo(dim, in, dim, in, format) {}
    ShapeInfo(const uint8_t dim, const uint32_t in[]) : ShapeInfo(dim, in, dim, in, DataFormat::ND) {}
    uint8_t shapeDim;
    uint8_t originalShapeDim;
    uint32_t shape[8];
    uint32_t originalShape[8];
    DataFormat dataFormat;
};
inline uint64_t GetShapeSize(const ShapeInfo &s)
{
    uint64_t n = 1;
    for (int i = 0; i < s.shapeDim; i++) n *= s.shape[i];
    return n;
}

} // namespace AscendC

#endif
