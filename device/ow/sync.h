/* Synchronisation: flags by pipe names, between blocks, and the scalar unit's data cache. */
#ifndef OW_SYNC_H
#define OW_SYNC_H

#include "ow/pipe.h"

namespace AscendC {

/* The event between two pipes, by name. */
constexpr HardEvent OwEvent(pipe_t src, pipe_t dst)
{
#define OW_EVENT(a, b)                                                                                               \
    if (src == PIPE_##a && dst == PIPE_##b) return HardEvent::a##_##b;
    OW_EVENT(MTE2, MTE1) OW_EVENT(MTE1, MTE2) OW_EVENT(MTE1, M) OW_EVENT(M, MTE1) OW_EVENT(MTE2, V) OW_EVENT(V, MTE2)
    OW_EVENT(MTE3, V) OW_EVENT(V, MTE3) OW_EVENT(M, V) OW_EVENT(V, M) OW_EVENT(MTE3, MTE1) OW_EVENT(MTE1, MTE3)
    OW_EVENT(MTE1, V) OW_EVENT(MTE2, M) OW_EVENT(M, MTE2) OW_EVENT(V, MTE1) OW_EVENT(M, FIX) OW_EVENT(FIX, M)
    OW_EVENT(MTE3, MTE2) OW_EVENT(MTE2, MTE3) OW_EVENT(S, V) OW_EVENT(V, S) OW_EVENT(S, MTE2) OW_EVENT(MTE2, S)
    OW_EVENT(S, MTE3) OW_EVENT(MTE3, S) OW_EVENT(MTE2, FIX) OW_EVENT(FIX, MTE2) OW_EVENT(FIX, S) OW_EVENT(M, S)
    OW_EVENT(FIX, MTE3) OW_EVENT(MTE1, FIX) OW_EVENT(FIX, MTE1)
#undef OW_EVENT
    return HardEvent::MAX;
}

template <pipe_t src, pipe_t dst> class TQueSync {
    static_assert(OwEvent(src, dst) != HardEvent::MAX, "TQueSync: these two pipes have no event");

public:
    void SetFlag(TEventID id, OW_LOC) { ow_flag_set((uint32_t)OwEvent(src, dst), id, ow_loc); }
    void WaitFlag(TEventID id, OW_LOC) { ow_flag_wait((uint32_t)OwEvent(src, dst), id, ow_loc); }
};

template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace,
                    const int32_t usedCores = 0, OW_LOC)
{
    ow_sync_all(&gmWorkspace.ow, &ubWorkspace.ow, isAIVOnly ? usedCores : -1, ow_loc);
}
template <bool isAIVOnly = true> inline void SyncAll(OW_LOC)
{
    ow_sync_all(nullptr, nullptr, isAIVOnly ? 0 : -1, ow_loc);
}
template <uint8_t modeId, pipe_t pipe> inline void CrossCoreSetFlag(uint16_t flagId, OW_LOC)
{
    ow_cross_set(modeId, (uint32_t)pipe, flagId, ow_loc);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S> inline void CrossCoreWaitFlag(uint16_t flagId, OW_LOC)
{
    ow_cross_wait(modeId, flagId, ow_loc);
}
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace, int32_t blockIdx,
                  int32_t eventID, OW_LOC)
{
    ow_ib_set(&gmWorkspace.ow, &ubWorkspace.ow, blockIdx, eventID, ow_loc);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t> &gmWorkspace, const LocalTensor<int32_t> &ubWorkspace, int32_t blockIdx,
                   int32_t eventID, OW_LOC)
{
    ow_ib_wait(&gmWorkspace.ow, &ubWorkspace.ow, blockIdx, eventID, ow_loc);
}
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace, OW_LOC)
{
    ow_order_init(&gmWorkspace.ow, &ubWorkspace.ow, ow_loc);
}
inline void WaitPreBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace, OW_LOC)
{
    ow_order_wait(&gmWorkspace.ow, &ubWorkspace.ow, ow_loc);
}
inline void NotifyNextBlock(GlobalTensor<int32_t> &gmWorkspace, LocalTensor<int32_t> &ubWorkspace, OW_LOC)
{
    ow_order_notify(&gmWorkspace.ow, &ubWorkspace.ow, ow_loc);
}

/* For UB the cache holds nothing: CTRL[49] is 0. HW: DataCacheCleanAndInvalid page, notes of the C API. */
template <typename T, CacheLine entireType, DcciDst dcciDst>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst, OW_LOC)
{
    ow_dcache_clean(&dst.ow, entireType == CacheLine::ENTIRE_DATA_CACHE, ow_loc);
}
template <typename T, CacheLine entireType, DcciDst dcciDst> inline void DataCacheCleanAndInvalid(const LocalTensor<T> &) {}
template <typename T, CacheLine entireType> inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst, OW_LOC)
{
    ow_dcache_clean(&dst.ow, entireType == CacheLine::ENTIRE_DATA_CACHE, ow_loc);
}

} // namespace AscendC
#endif
