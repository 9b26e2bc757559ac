/* TPipe, TQue, TQueBind, TBuf: allocation of local memory and the queues between the pipes. */
#ifndef OW_PIPE_H
#define OW_PIPE_H

#include "ow/params.h"
#include "ow/std.h"
#include "ow/tensor.h"

namespace AscendC {

/* Reserved template argument of a queue; only the fields that exist in the public headers. */
struct TQueConfig {
    bool nd2nz = false;
    bool nz2nd = false;
    bool scmBlockGroup = false;
    uint32_t bufferLen = 0;
    uint32_t bufferNumber = 0;
    uint32_t consumerSize = 0;
    TPosition consumer[8] = {};
    bool enableStaticEvtId = false;
    bool enableLoopQueue = false;
};

/* Of a pool of the kernel's own: a buffer is known by the address of its descriptor. HW: TQueBind::InitBufHandle, implementation:
 * the index says nothing, and a descriptor that is never set is a buffer of no length. */
using TBufHandle = uint8_t *;
struct OwBufHandle {
    uint8_t bytes[32];
};

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0> class TQueBind {
public:
    uint32_t ow_que = 0;
    TBufHandle ow_start = nullptr;

    TQueBind() {}
    template <typename T> LocalTensor<T> AllocTensor(OW_LOC)
    {
        static_assert(depth != 0, "AllocTensor() needs a queue depth other than 0; use AllocTensor(tensor)");
        LocalTensor<T> t;
        ow_que_alloc(ow_que, &t.ow, ow_loc);
        return t;
    }
    template <typename T> void AllocTensor(LocalTensor<T> &tensor, OW_LOC)
    {
        static_assert(depth == 0, "AllocTensor(tensor) needs queue depth 0");
        ow_que_alloc(ow_que, &tensor.ow, ow_loc);
    }
    template <typename T> void FreeTensor(LocalTensor<T> &tensor, OW_LOC) { ow_que_free(ow_que, &tensor.ow, ow_loc); }
    template <typename T> bool EnQue(const LocalTensor<T> &tensor, OW_LOC)
    {
        ow_que_enque(ow_que, &tensor.ow, ow_loc);
        return true;
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T> bool EnQue(const LocalTensor<T> &tensor, OW_LOC)
    {
        ow_que_enque(ow_que, &tensor.ow, ow_loc);
        return true;
    }
    template <typename T> void DeQue(LocalTensor<T> &tensor, OW_LOC)
    {
        static_assert(depth == 0, "DeQue(tensor) needs queue depth 0");
        ow_que_deque(ow_que, &tensor.ow, ow_loc);
    }
    template <typename T> LocalTensor<T> DeQue(OW_LOC)
    {
        static_assert(depth != 0, "DeQue() needs a queue depth other than 0; use DeQue(tensor)");
        LocalTensor<T> t;
        ow_que_deque(ow_que, &t.ow, ow_loc);
        return t;
    }
    template <TPosition srcUserPos, TPosition dstUserPos, typename T> LocalTensor<T> DeQue(OW_LOC)
    {
        return DeQue<T>(ow_loc);
    }
    bool VacantInQue(OW_LOC) { return ow_que_ask("VacantInQue", ow_que, 0, ow_loc) != 0; }
    bool HasTensorInQue(OW_LOC) { return ow_que_ask("HasTensorInQue", ow_que, 1, ow_loc) != 0; }
    int32_t GetTensorCountInQue(OW_LOC) { return ow_que_ask("GetTensorCountInQue", ow_que, 2, ow_loc); }
    bool HasIdleBuffer(OW_LOC) { return ow_que_ask("HasIdleBuffer", ow_que, 3, ow_loc) != 0; }
    void FreeAllEvent(OW_LOC) { ow_que_free_events(ow_que, ow_loc); }
    void InitStartBufHandle(TBufHandle startBufhandle, uint8_t num, uint32_t len, OW_LOC)
    {
        OwPool anywhere = {0, UINT32_MAX, 0, 1};
        ow_start = startBufhandle;
        ow_pool_use(&anywhere, ow_loc);
        OwInit(num, len, ow_loc);
        ow_pool_use(nullptr, ow_loc);
        for (uint32_t i = 0; i < num; i++) ow_que_place(ow_que, i, 0, 0, nullptr, ow_loc);
    }
    template <typename T> void InitBufHandle(T *bufPool, uint32_t, TBufHandle bufhandle, uint32_t curPoolAddr, uint32_t len, OW_LOC)
    {
        const uint32_t i = (uint32_t)((uintptr_t)bufhandle - (uintptr_t)ow_start) / (uint32_t)sizeof(OwBufHandle);
        ow_que_place(ow_que, i, curPoolAddr, (len + 31) / 32 * 32, &bufPool->ow_pool, ow_loc);
    }

private:
    friend class TPipe;
    template <TPosition bufPos, uint32_t bufIDSize> friend class TBufPool;
    void OwInit(uint32_t num, uint32_t len, OwLoc loc)
    {
        ow_que = ow_que_init((uint32_t)src, (uint32_t)dst, depth, num, len, loc);
    }
};

/* The two ends of a queue that is named by one position. */
constexpr TPosition OwQueEnd(TPosition pos, bool is_src)
{
    switch (pos) {
    case TPosition::VECIN: return is_src ? TPosition::GM : TPosition::VECIN;
    case TPosition::VECOUT: return is_src ? TPosition::VECOUT : TPosition::GM;
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1: return is_src ? TPosition::GM : pos;
    case TPosition::A2: return is_src ? TPosition::A1 : pos;
    case TPosition::B2: return is_src ? TPosition::B1 : pos;
    case TPosition::C2: return is_src ? TPosition::C1 : pos;
    case TPosition::CO1: return is_src ? TPosition::CO1 : TPosition::CO2;
    case TPosition::CO2: return is_src ? TPosition::CO2 : TPosition::GM;
    default: return pos;
    }
}

template <TPosition pos, int32_t depth, auto mask = 0>
class TQue : public TQueBind<OwQueEnd(pos, true), OwQueEnd(pos, false), depth, mask> {
public:
    TQue() = default;
};

template <TPosition pos = TPosition::LCM> class TBuf {
public:
    uint32_t ow_buf = 0;

    TBuf() = default;
    template <typename T> LocalTensor<T> Get(OW_LOC) { return OwGet<T>("Get", UINT32_MAX, 0, ow_loc); }
    template <typename T> LocalTensor<T> Get(uint32_t len, OW_LOC)
    {
        return OwGet<T>("Get", (uint32_t)ow_bytes<T>(len), 0, ow_loc);
    }
    template <typename T> LocalTensor<T> GetWithOffset(uint32_t size, uint32_t bufOffset, OW_LOC)
    {
        return OwGet<T>("GetWithOffset", (uint32_t)(size * sizeof(T)), bufOffset, ow_loc);
    }
    template <typename T> void EnQue(const LocalTensor<T> &) {}
    template <typename T> LocalTensor<T> DeQue(OW_LOC) { return OwGet<T>("DeQue", UINT32_MAX, 0, ow_loc); }
    template <typename T> LocalTensor<T> AllocTensor(OW_LOC) { return OwGet<T>("AllocTensor", UINT32_MAX, 0, ow_loc); }
    template <typename T> void FreeTensor(LocalTensor<T> &) {}
    void InitStartBufHandle(TBufHandle, uint8_t, uint32_t) {}
    template <typename T> void InitBufHandle(T *, uint32_t, TBufHandle, uint32_t curPoolAddr, uint32_t len, OW_LOC)
    {
        OwPool here = {curPoolAddr, UINT32_MAX, curPoolAddr, 1};
        ow_pool_use(&here, ow_loc);
        ow_buf = ow_tbuf_init((uint32_t)pos, len, ow_loc);
        ow_pool_use(nullptr, ow_loc);
    }

private:
    friend class TPipe;
    template <typename T> LocalTensor<T> OwGet(const char *api, uint32_t len_bytes, uint32_t offset, OwLoc loc)
    {
        LocalTensor<T> t;
        ow_tbuf_get(api, ow_buf, len_bytes, offset, &t.ow, loc);
        return t;
    }
};

/* A part of UB handed to queues and buffers of its own, which may share it with another pool's. */
template <TPosition pos, uint32_t bufIDSize = 4> class TBufPool {
    static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::VECCALC,
                  "TBufPool outside VECIN, VECOUT and VECCALC is not modelled");

public:
    static constexpr TPosition poolPos = pos;
    OwPool ow_pool = {0, 0, 0, 0};

    TBufPool() {}
    template <class T> bool InitBuffer(T &que, uint8_t num, uint32_t len, OW_LOC)
    {
        ow_pool_use(&ow_pool, ow_loc);
        que.OwInit(num, len, ow_loc);
        ow_pool_use(nullptr, ow_loc);
        return true;
    }
    template <TPosition bufPos> bool InitBuffer(TBuf<bufPos> &buf, uint32_t len, OW_LOC)
    {
        ow_pool_use(&ow_pool, ow_loc);
        buf.ow_buf = ow_tbuf_init((uint32_t)bufPos, len, ow_loc);
        ow_pool_use(nullptr, ow_loc);
        return true;
    }
    template <class T> bool InitBufPool(T &bufPool, uint32_t len, OW_LOC)
    {
        ow_pool_init(&bufPool.ow_pool, (uint32_t)T::poolPos, len, &ow_pool, nullptr, ow_loc);
        return true;
    }
    template <class T, class U> bool InitBufPool(T &bufPool, uint32_t len, U &shareBuf, OW_LOC)
    {
        ow_pool_init(&bufPool.ow_pool, (uint32_t)T::poolPos, len, &ow_pool, &shareBuf.ow_pool, ow_loc);
        return true;
    }
    void Reset(OW_LOC) { ow_pool_reset(&ow_pool, ow_loc); }
};

/* In a class of the kernel's own that gives out a pool's memory by GetBufHandle, GetCurAddr, and what sets them. HW: its page, and
 * the implementation: after Reset the pool has no memory any more. */
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE)                                                       \
public:                                                                                                              \
    static constexpr AscendC::TPosition poolPos = POSITION;                                                          \
    static constexpr int bufIDSize = BUFID_SIZE;                                                                     \
    static constexpr bool isTbufPool = true;                                                                         \
    static_assert(poolPos == AscendC::TPosition::VECIN || poolPos == AscendC::TPosition::VECOUT ||                   \
                      poolPos == AscendC::TPosition::VECCALC,                                                        \
                  "EXTERN_IMPL_BUFPOOL outside VECIN, VECOUT and VECCALC is not modelled");                          \
    OwPool ow_pool = {0, 0, 0, 0};                                                                                   \
    ~EXT_BUFPOOL() { Reset(); }                                                                                      \
    void Reset(OW_LOC)                                                                                               \
    {                                                                                                                \
        ow_pool_reset(&ow_pool, ow_loc);                                                                             \
        Init();                                                                                                      \
    }                                                                                                                \
    void Init()                                                                                                      \
    {                                                                                                                \
        ow_pool = OwPool{0, 0, 0, 0};                                                                                \
        ow_n_handles = 0;                                                                                            \
    }                                                                                                                \
    AscendC::TBufHandle GetBufHandle(uint8_t offset) { return (AscendC::TBufHandle)(ow_handles + offset); }          \
    void SetCurAddr(uint32_t curAddr) { ow_pool.top = curAddr; }                                                     \
    uint32_t GetCurAddr() { return ow_pool.top; }                                                                    \
    void SetCurBufSize(uint8_t curBufSize) { ow_n_handles = curBufSize; }                                            \
    uint8_t GetCurBufSize() { return ow_n_handles; }                                                                 \
                                                                                                                     \
private:                                                                                                             \
    AscendC::OwBufHandle ow_handles[BUFID_SIZE];                                                                     \
    uint8_t ow_n_handles

class TPipe {
public:
    TPipe(OW_LOC) { ow_pipe_init(this, ow_loc); }
    ~TPipe() { ow_pipe_destroy(this, OwLoc{nullptr, 0}); }
    void Init(OW_LOC) { ow_pipe_init(this, ow_loc); }
    template <class T> bool InitBuffer(T &que, uint8_t num, uint32_t len, OW_LOC)
    {
        que.OwInit(num, len, ow_loc);
        return true;
    }
    template <TPosition pos> bool InitBuffer(TBuf<pos> &buf, uint32_t len, OW_LOC)
    {
        buf.ow_buf = ow_tbuf_init((uint32_t)pos, len, ow_loc);
        return true;
    }
    /* Buffers at addresses of the kernel's choice: pairs of address and length. A template cannot end in a default argument
     * behind a pack: findings name the line of the call before. */
    template <class T, class U, class V, class... Addrs>
    bool InitBuffer(T &que, const Std::tuple<U, V> &addr0, const Addrs &...addrs)
    {
        const OwLoc here = {nullptr, 0};
        OwPool none = {0, UINT32_MAX, 0, 1};
        ow_pool_use(&none, here);
        que.OwInit((uint32_t)(1 + sizeof...(addrs)), (uint32_t)Std::get<1>(addr0), here);
        ow_pool_use(nullptr, here);
        uint32_t i = 0;
        ow_que_place(que.ow_que, i++, (uint32_t)Std::get<0>(addr0), (uint32_t)Std::get<1>(addr0), nullptr, here);
        (ow_que_place(que.ow_que, i++, (uint32_t)Std::get<0>(addrs), (uint32_t)Std::get<1>(addrs), nullptr, here), ...);
        return true;
    }
    template <class T> bool InitBufPool(T &bufPool, uint32_t len, OW_LOC)
    {
        ow_pool_init(&bufPool.ow_pool, (uint32_t)T::poolPos, len, nullptr, nullptr, ow_loc);
        return true;
    }
    template <class T, class U> bool InitBufPool(T &bufPool, uint32_t len, U &shareBuf, OW_LOC)
    {
        ow_pool_init(&bufPool.ow_pool, (uint32_t)T::poolPos, len, nullptr, &shareBuf.ow_pool, ow_loc);
        return true;
    }
    template <HardEvent evt> TEventID AllocEventID(OW_LOC) { return (TEventID)ow_event_alloc((uint32_t)evt, 1, ow_loc); }
    template <HardEvent evt> void ReleaseEventID(TEventID id, OW_LOC) { ow_event_release((uint32_t)evt, id, ow_loc); }
    template <HardEvent evt> TEventID FetchEventID(OW_LOC) { return (TEventID)ow_event_alloc((uint32_t)evt, 0, ow_loc); }
    TEventID FetchEventID(HardEvent evt, OW_LOC) { return (TEventID)ow_event_alloc((uint32_t)evt, 0, ow_loc); }
    void DestroyWithoutPipeAll(OW_LOC) { ow_pipe_destroy(this, ow_loc); }
    void Destroy(OW_LOC) { ow_pipe_destroy(this, ow_loc); }
    void Reset(OW_LOC) { ow_pipe_reset(this, ow_loc); }
    template <typename T> void InitSpmBuffer(const GlobalTensor<T> &workspace, const int32_t bufferSize, OW_LOC)
    {
        ow_spm_init(&workspace.ow, bufferSize, ow_loc);
    }
    template <typename N = int32_t> void InitSpmBuffer(const N)
    {
        static_assert(sizeof(N) == 0, "InitSpmBuffer in L1, without an address, does not exist on this chip");
    }
    template <typename T> void WriteSpmBuffer(const LocalTensor<T> &writeBuffer, const DataCopyParams &copyParams, int32_t writeOffset = 0, OW_LOC)
    {
        OwFlags<HardEvent::V_MTE3, HardEvent::MTE2_MTE3>(ow_loc);
        OwSpmCopy("WriteSpmBuffer", 1, writeBuffer, copyParams, writeOffset, ow_loc);
        OwFlags<HardEvent::MTE3_MTE2, HardEvent::MTE3_V>(ow_loc);
    }
    template <typename T> void WriteSpmBuffer(const LocalTensor<T> &writeBuffer, const int32_t writeSize, int32_t writeOffset = 0, OW_LOC)
    {
        WriteSpmBuffer(writeBuffer, OwSpmRow(writeBuffer, writeSize), writeOffset, ow_loc);
    }
    template <typename T> void ReadSpmBuffer(const LocalTensor<T> &readBuffer, const DataCopyParams &copyParams, int32_t readOffset = 0, OW_LOC)
    {
        OwFlags<HardEvent::V_MTE2>(ow_loc);
        OwSpmCopy("ReadSpmBuffer", 0, readBuffer, copyParams, readOffset, ow_loc);
        OwFlags<HardEvent::MTE2_V, HardEvent::MTE2_MTE3>(ow_loc);
    }
    template <typename T> void ReadSpmBuffer(const LocalTensor<T> &readBuffer, const int32_t readSize, int32_t readOffset = 0, OW_LOC)
    {
        ReadSpmBuffer(readBuffer, OwSpmRow(readBuffer, readSize), readOffset, ow_loc);
    }

private:
    template <HardEvent... evt> static void OwFlags(OwLoc loc)
    {
        const int32_t ids[] = {ow_event_alloc((uint32_t)evt, 0, loc)...};
        const int32_t *id = ids;
        ((ow_flag_set((uint32_t)evt, *id, loc), ow_flag_wait((uint32_t)evt, *id++, loc)), ...);
    }
    /* HW: implementation: whole blocks; 0 elements mean those of the tensor's ShapeInfo. */
    template <typename T> static DataCopyParams OwSpmRow(const LocalTensor<T> &t, int32_t size)
    {
        const uint64_t n = size ? (uint64_t)size : GetShapeSize(t.GetShapeInfo());
        return DataCopyParams(1, (uint16_t)(ow_bytes<T>(n) / 32), 0, 0);
    }
    /* HW: implementation: offsets count elements, though the pages say bytes. */
    template <typename T>
    static void OwSpmCopy(const char *api, uint32_t write, const LocalTensor<T> &t, const DataCopyParams &p, int32_t offset, OwLoc loc)
    {
        OwGlobal gm;
        const int64_t gap = write ? p.dstGap : p.srcGap;
        const int64_t span = p.blockCount ? (p.blockCount * (p.blockLen + gap) - gap) * 32 : 0;
        ow_spm_at(api, offset * (int64_t)sizeof(PrimT<T>), span, &gm, loc);
        ow_copy_blocks(ow_id<T>, write, &gm, &t.ow, p.blockCount, p.blockLen, p.srcGap, p.dstGap, loc);
    }
};

template <typename T, TPosition pos> inline bool PopStackBuffer(LocalTensor<T> &popBuffer, OW_LOC)
{
    ow_stack_buffer((uint32_t)pos, &popBuffer.ow, ow_loc);
    return true;
}

template <HardEvent event> inline void SetFlag(int32_t eventID, OW_LOC)
{
    ow_flag_set((uint32_t)event, eventID, ow_loc);
}
template <HardEvent event> inline void WaitFlag(int32_t eventID, OW_LOC)
{
    ow_flag_wait((uint32_t)event, eventID, ow_loc);
}
/* The same two, by pipes. */
constexpr HardEvent OwEventOf(pipe_t src, pipe_t dst)
{
    switch ((uint32_t)src * 16 + (uint32_t)dst) {
#define OW_EVENT(s, d) case PIPE_##s * 16 + PIPE_##d: return HardEvent::s##_##d;
        OW_EVENT(MTE2, V) OW_EVENT(V, MTE2) OW_EVENT(MTE3, V) OW_EVENT(V, MTE3) OW_EVENT(MTE2, MTE3) OW_EVENT(MTE3, MTE2)
        OW_EVENT(S, V) OW_EVENT(V, S) OW_EVENT(S, MTE2) OW_EVENT(MTE2, S) OW_EVENT(S, MTE3) OW_EVENT(MTE3, S)
#undef OW_EVENT
    default: return HardEvent::MAX;
    }
}
template <pipe_t src, pipe_t dst> class TQueSync {
    static_assert(OwEventOf(src, dst) != HardEvent::MAX, "TQueSync: no event between these two pipes of the vector core");

public:
    void SetFlag(TEventID id, OW_LOC) { ow_flag_set((uint32_t)OwEventOf(src, dst), id, ow_loc); }
    void WaitFlag(TEventID id, OW_LOC) { ow_flag_wait((uint32_t)OwEventOf(src, dst), id, ow_loc); }
};

template <pipe_t pipe> inline void PipeBarrier(OW_LOC)
{
    ow_barrier((uint32_t)pipe, ow_loc);
}
template <MemDsbT arg0> inline void DataSyncBarrier(OW_LOC)
{
    ow_barrier(PIPE_S, ow_loc);
}
inline void InitSocState(OW_LOC)
{
    ow_init_soc(ow_loc);
}

} // namespace AscendC

extern "C++" {
/* The TPipe made last on this core. A kernel that asks for it has made one. */
inline AscendC::TPipe *GetTPipePtr()
{
    alignas(AscendC::TPipe) static unsigned char ow_pipe[sizeof(AscendC::TPipe)];
    return reinterpret_cast<AscendC::TPipe *>(ow_pipe);
}
}
inline void pipe_barrier(pipe_t pipe, OW_LOC)
{
    ow_barrier((uint32_t)pipe, ow_loc);
}
#endif
