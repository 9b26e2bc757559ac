// blocks: 4
// n: 1024
// Blocks that hand work on: each adds what its right neighbour has loaded, announced by a flag between cores; the first
// element of each share goes through the scalar unit and its cache.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
    const uint32_t n = t.n / GetBlockNum(), me = GetBlockIdx(), left = (me + GetBlockNum() - 1) % GetBlockNum();
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuf, bBuf;
    pipe.InitBuffer(aBuf, n * sizeof(float));
    pipe.InitBuffer(bBuf, n * sizeof(float));
    GlobalTensor<float> xGm, yGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, t.n);
    yGm.SetGlobalBuffer((__gm__ float *)y, t.n);
    zGm.SetGlobalBuffer((__gm__ float *)z, t.n);
    LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>();
    TQueSync<PIPE_MTE2, PIPE_MTE3> loaded;
    DataCopy(a, xGm[left * n], n);
    loaded.SetFlag(0);
    loaded.WaitFlag(0);
    DataCopy(zGm[left * n], a, n); // the neighbour's share
    CrossCoreSetFlag<0, PIPE_MTE3>(3);
    CrossCoreWaitFlag(3);
    DataCopy(a, zGm[me * n], n);
    DataCopy(b, yGm[me * n], n);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Add(a, a, b, n);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm[me * n], a, n);
    SyncAll();
    float first = zGm.GetValue(left * n); // written by the neighbour, before SyncAll
    SyncAll();
    zGm.SetValue(left * n, first + 1.0f);
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(zGm[left * n]);
    SyncAll();
    DataCopy(a, zGm[me * n], n);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(a, a, -1.0f, 1); // element 0 only
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm[me * n], a, n);
}
