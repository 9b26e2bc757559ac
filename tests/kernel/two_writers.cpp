// blocks: 4
// n: 1024
// Blocks that write over each other, or too near to each other.
#include "kernel_operator.h"
using namespace AscendC;

/* The second pipe waits for the first. */
template <HardEvent event> void Order()
{
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
}

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuf;
    pipe.InitBuffer(aBuf, 2048);
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, 1024);
    zGm.SetGlobalBuffer((__gm__ float *)z, 1024);
    LocalTensor<float> a = aBuf.Get<float>();
    int64_t i = GetBlockIdx();
    DataCopy(a, xGm[i * 128], 256);
    Order<HardEvent::MTE2_MTE3>();
    DataCopyPad(zGm[i * 250], a, DataCopyExtParams{1, 1000, 0, 0, 0}); // unaligned neighbours
    SyncAll();
    DataCopy(zGm[i * 248], a, 256);                 // expect: gm-two-writers
    SyncAll();
    DataCopy(zGm[i * 256], a, 256);                 // in order: after the others
    SyncAll();
    DataCopy(a, xGm, 256);
    Order<HardEvent::MTE2_MTE3>();
    DataCopy(zGm, a, 256);                          // all the same values
    SyncAll();
    zGm.SetValue(512 + i * 16, 1.0f);               // a line of its own
    SyncAll();
    zGm.SetValue(512 + i, 1.0f);                    // expect: gm-cache-line-shared
}
