/* System variables, tiling, printing, synchronisation between cores, kernel entry. */
#ifndef OW_SYSTEM_H
#define OW_SYSTEM_H

#include "ow/pipe.h"
#include "ow/scalar.h"
#include "ow/std.h"
#include "ow/sync.h"

#define ASCEND_IS_AIV constexpr(AscendC::g_coreType == AscendC::AIV)
#define ASCEND_IS_AIC constexpr(AscendC::g_coreType == AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(AscendC::g_coreType != AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(AscendC::g_coreType != AscendC::AIC)

namespace AscendC {

inline int64_t GetBlockIdx() { return ow_block_idx(); }
/* Hints that change nothing the simulator shows. */
#define OW_HINT(name)                                                                                                \
    {                                                                                                                \
        ow_hint(#name, ow_loc);                                                                                      \
    }
template <typename T> inline void DataCachePreload(const GlobalTensor<uint64_t> &, const T, OW_LOC) OW_HINT(DataCachePreload)
inline void ICachePreLoad(const int64_t, OW_LOC) OW_HINT(ICachePreLoad)
inline int64_t GetICachePreloadStatus() { return 0; } /* finished */
inline void MetricsProfStart(OW_LOC) OW_HINT(MetricsProfStart)
inline void MetricsProfStop(OW_LOC) OW_HINT(MetricsProfStop)
inline void PrintTimeStamp(uint32_t, OW_LOC) OW_HINT(PrintTimeStamp) /* HW: off unless compiled with ASCENDC_TIME_STAMP_ON */
template <pipe_t AIV_PIPE = PIPE_MTE3, pipe_t AIC_PIPE = PIPE_FIX, bool FORCE = false>
inline void SetNextTaskStart(OW_LOC) OW_HINT(SetNextTaskStart) /* HW: only within a SuperKernel */
template <bool FORCE = false> inline void WaitPreTaskEnd(OW_LOC) OW_HINT(WaitPreTaskEnd)
#undef OW_HINT

enum class EngineType : int32_t { AIC = 1, AIV = 2 };
template <EngineType engine, auto funPtr, class... Args> void Async(Args... args)
{
    if constexpr (engine == EngineType::AIV) funPtr(args...);
}

inline int64_t GetBlockNum() { return ow_block_num(); }
inline int64_t GetSubBlockIdx() { return 0; }
inline int64_t GetSubBlockNum() { return 1; }
inline int64_t GetTaskRatio() { return 1; }
inline int64_t GetSystemCycle() { return ow_system_cycle(); }
inline int64_t GetProgramCounter(OW_LOC) { return (int64_t)ow_loc.line * 4; } /* a number for the place of the call; the card's is another */
constexpr uint32_t GetRuntimeUBSize() { return TOTAL_UB_SIZE; }
template <int count = 1> inline void Nop(OW_LOC) { ow_hint("Nop", ow_loc); } /* HW: header: does something on the 950 only */
constexpr int16_t GetDataBlockSizeInBytes() { return 32; }
inline void CheckLocalMemoryIA(const CheckLocalMemoryIAParam &p, OW_LOC)
{
    uint32_t kinds = p.isScalarRead | p.isScalarWrite << 1 | p.isVectorRead << 2 | p.isVectorWrite << 3 | p.isMteRead << 4 | p.isMteWrite << 5;
    ow_guard(p.enableBit, p.startAddr, p.endAddr, p.isEnable ? kinds : 0, ow_loc);
}
inline void Trap(OW_LOC) { ow_trap("Trap", ow_loc); }
inline GM_ADDR GetUserWorkspace(GM_ADDR workspace, OW_LOC) { return (GM_ADDR)ow_user_workspace((void *)workspace, ow_loc); }
inline void SetSysWorkspace(GM_ADDR) {}


} // namespace AscendC

/* The scalar unit's square root. HW: the only one of the C library's functions the device compiler accepts. */
template <typename T> inline AscendC::Std::enable_if_t<AscendC::ow_same<T, float>, T> sqrt(T x)
{
    return __builtin_sqrtf(x);
}

inline __gm__ uint8_t *GetSysWorkSpacePtr() { return (__gm__ uint8_t *)ow_sys_workspace(); }

/* ---- tiling ---------------------------------------------------------------------------------------------------- */

#define OW_CAT_(a, b) a##b
#define OW_CAT(a, b)  OW_CAT_(a, b)
/* The struct registered for this operator; OW_OP is its type name (AddCustom), given by whoever compiles. */
#define OW_TILING_OF_OP OW_CAT(OwTilingOf_, OW_OP)

#define GET_TILING_DATA(name, arg)                                                                                   \
    OW_TILING_OF_OP name;                                                                                            \
    ow_tiling_get(&name, sizeof(name), (const void *)(arg), OW_HERE)
#define GET_TILING_DATA_WITH_STRUCT(type, name, arg)                                                                 \
    type name;                                                                                                       \
    ow_tiling_get(&name, sizeof(name), (const void *)(arg), OW_HERE)
#define GET_TILING_DATA_MEMBER(type, member, name, arg)                                                              \
    decltype(type::member) name;                                                                                     \
    do {                                                                                                             \
        type ow_whole;                                                                                               \
        ow_tiling_get(&ow_whole, sizeof(ow_whole), (const void *)(arg), OW_HERE);                                                    \
        __builtin_memcpy((void *)&name, (const void *)&ow_whole.member, sizeof(name));                               \
    } while (0)
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, ptr, arg)                                                              \
    type OW_CAT(ow_tiling_, ptr);                                                                                    \
    ow_tiling_get(&OW_CAT(ow_tiling_, ptr), sizeof(type), (const void *)(arg), OW_HERE);                                             \
    const type *ptr = &OW_CAT(ow_tiling_, ptr)
#define REGISTER_TILING_DEFAULT(type) using OW_TILING_OF_OP = type
#define REGISTER_TILING_FOR_TILINGKEY(expr, type)
#define REGISTER_NONE_TILING
#define TILING_KEY_IS(key) (ow_tiling_key_is((uint64_t)(key), OW_HERE))
template <typename... K> inline bool OwTilingKeyList(OwLoc loc, K... keys)
{
    bool hit = false;
    ((hit = ow_tiling_key_is((uint64_t)keys, loc) || hit), ...);
    return hit;
}
#define TILING_KEY_LIST(...) (OwTilingKeyList(OW_HERE, __VA_ARGS__))
/* Copies of parts of a struct that GET_TILING_DATA_PTR_WITH_STRUCT points to. */
#define COPY_TILING_WITH_STRUCT(type, src, dst)                                                                      \
    type OW_CAT(ow_copy_, dst) = *(src);                                                                             \
    const type *dst = &OW_CAT(ow_copy_, dst)
#define COPY_TILING_WITH_ARRAY(type, count, src, dst)                                                                \
    type OW_CAT(ow_copy_, dst)[count];                                                                               \
    __builtin_memcpy((void *)OW_CAT(ow_copy_, dst), (const void *)(src), sizeof(OW_CAT(ow_copy_, dst)));             \
    const type(*dst)[count] = &OW_CAT(ow_copy_, dst)

/* Kernel types. HW: KERNEL_TASK_TYPE_DEFAULT page. */
enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
};
#define KERNEL_TASK_TYPE_DEFAULT(type) ow_task_type(#type, (uint32_t)(type), OW_HERE)
#define KERNEL_TASK_TYPE(key, type)                                                                                  \
    do {                                                                                                             \
        if (ow_tiling_key_is((uint64_t)(key), OW_HERE)) ow_task_type(#type, (uint32_t)(type), OW_HERE);              \
    } while (0)

/* ---- printing and stopping -------------------------------------------------------------------------------------- */

/* HW: page about ASCENDC_DUMP: 0 turns printing, dumps and assertions off. */
#if defined(ASCENDC_DUMP) && ASCENDC_DUMP == 0
#define OW_DUMP_ON 0
#else
#define OW_DUMP_ON 1
#endif
namespace AscendC {
struct OwFormat { /* the format of a print, with the place of the call */
    const char *text;
    OwLoc loc;
    OwFormat(const char *fmt, OW_LOC) : text(fmt), loc(ow_loc) {}
};
template <typename T> inline T OwPrintArg(T v) { return v; }
inline double OwPrintArg(half v) { return (double)(float)v; }
inline double OwPrintArg(bfloat16_t v) { return (double)ToFloat(v); }
template <class... Args> inline void PRINTF(OwFormat fmt, Args... args)
{
    if (OW_DUMP_ON) ow_printf(fmt.loc, fmt.text, OwPrintArg(args)...);
}
template <class... Args> inline void printf(OwFormat fmt, Args... args)
{
    if (OW_DUMP_ON) ow_printf(fmt.loc, fmt.text, OwPrintArg(args)...);
}
} // namespace AscendC
using AscendC::printf;

/* DumpTensor and DumpAccChkPoint: elements of a tensor on the standard output. */
namespace AscendC {
template <typename T> inline void OwDump(const LocalTensor<T> &t, const char *api, uint32_t desc, uint32_t off, uint32_t n, const ShapeInfo *s, OwLoc loc)
{
    if (OW_DUMP_ON) ow_dump(api, ow_id<T>, &t.ow, nullptr, desc, off, n, s ? s->shape : nullptr, s ? s->shapeDim : 0u, loc);
}
template <typename T> inline void OwDump(const GlobalTensor<T> &t, const char *api, uint32_t desc, uint32_t off, uint32_t n, const ShapeInfo *s, OwLoc loc)
{
    if (OW_DUMP_ON) ow_dump(api, ow_id<T>, nullptr, &t.ow, desc, off, n, s ? s->shape : nullptr, s ? s->shapeDim : 0u, loc);
}
#define OW_DUMPS(Tensor)                                                                                             \
    template <typename T> inline void DumpTensor(const Tensor<T> &tensor, uint32_t desc, uint32_t dumpSize, OW_LOC)  \
    {                                                                                                                \
        OwDump(tensor, "DumpTensor", desc, 0, dumpSize, nullptr, ow_loc);                                            \
    }                                                                                                                \
    template <typename T>                                                                                            \
    inline void DumpTensor(const Tensor<T> &tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo &shapeInfo, OW_LOC) \
    {                                                                                                                \
        OwDump(tensor, "DumpTensor", desc, 0, dumpSize, &shapeInfo, ow_loc);                                         \
    }                                                                                                                \
    template <typename T>                                                                                            \
    inline void DumpAccChkPoint(const Tensor<T> &tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize, OW_LOC) \
    {                                                                                                                \
        OwDump(tensor, "DumpAccChkPoint", index, countOff, dumpSize, nullptr, ow_loc);                               \
    }
OW_DUMPS(LocalTensor)
OW_DUMPS(GlobalTensor)
#undef OW_DUMPS
} // namespace AscendC

#define ASSERT(...)                                                                                                  \
    do {                                                                                                             \
        if (OW_DUMP_ON && !(__VA_ARGS__)) ow_trap(#__VA_ARGS__, OW_HERE);                                                          \
    } while (0)
#define ascendc_assert(cond, ...)                                                                                    \
    do {                                                                                                             \
        if (OW_DUMP_ON && !(cond)) ow_trap(#cond, OW_HERE);                                                                        \
    } while (0)

/* The vendor's assert takes a message too; one of the host's C library is not meant. */
#undef assert
#define assert(cond, ...) ascendc_assert(cond)

/* Marks for a trace of pipes: off unless compiled with ASCENDC_TRACE_ON. */
#define TRACE_START(...)
#define TRACE_STOP(...)

/* ---- entry ------------------------------------------------------------------------------------------------------ */

template <size_t... I> struct OwSeq {};
template <size_t N, size_t... I> struct OwMakeSeq : OwMakeSeq<N - 1, N - 1, I...> {};
template <size_t... I> struct OwMakeSeq<0, I...> {
    using type = OwSeq<I...>;
};
template <size_t N, typename... P, size_t... I>
inline void OwCall(void (*kernel)(P...), void *const *args, OwSeq<I...>)
{
    static_assert(sizeof...(P) == N, "the kernel's parameters must be inputs, outputs, workspace, tiling");
    kernel((P)args[I]...);
}
/* Written after the kernel: what sim_launch calls. n: number of kernel parameters. */
#define OW_KERNEL_ENTRY(kernel, n)                                                                                   \
    extern "C" OW_API void ow_kernel_entry(void *const *args)                                                        \
    {                                                                                                                \
        OwCall<n>(&kernel, args, OwMakeSeq<n>::type());                                                              \
    }

#endif
