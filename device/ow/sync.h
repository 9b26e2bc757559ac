/* Synchronisation between blocks, and the scalar unit's data cache. */
#ifndef OW_SYNC_H
#define OW_SYNC_H

#include "ow/pipe.h"

namespace AscendC {

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

/* Blocks that wait until others have arrived, round by round. HW: GroupBarrier pages; rounds as the implementation counts them: a block
 * that arrives and waits counts the round once. */
template <PipeMode pipeMode> class GroupBarrier {
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier takes PipeMode::MTE3_MODE only");

public:
    GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn, OW_LOC) : arriveSize(arriveSizeIn), waitSize(waitSizeIn)
    {
        counters.SetGlobalBuffer((__gm__ int32_t *)groupWorkspace);
        ow_group_open(&counters.ow, arriveSize, waitSize, ow_loc);
    }
    void Arrive(uint32_t arriveIndex, OW_LOC)
    {
        ow_group_step(&counters.ow, 0, arriveIndex, arriveSize, (round - 1) * waitSize, ow_loc);
        round++;
        hasArrived = true;
    }
    void Wait(uint32_t waitIndex, OW_LOC)
    {
        ow_group_step(&counters.ow, 1, waitIndex, waitSize, (hasArrived ? round - 1 : round) * arriveSize, ow_loc);
        if (!hasArrived) round++;
        hasArrived = false;
    }
    uint64_t GetWorkspaceLen() { return 512 * (uint64_t)(arriveSize > waitSize ? arriveSize : waitSize); }

private:
    GlobalTensor<int32_t> counters;
    uint32_t arriveSize, waitSize, round = 1;
    bool hasArrived = false;
};

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
