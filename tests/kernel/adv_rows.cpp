// blocks: 1
// n: 256
// High-level APIs over rows: shapes that break their rules, overlap, temporary space, what reuse spoils.
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuf, bBuf, statBuf, tmpBuf;
    pipe.InitBuffer(aBuf, 1024);
    pipe.InitBuffer(bBuf, 1024);
    pipe.InitBuffer(statBuf, 1024);
    pipe.InitBuffer(tmpBuf, 4096);
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, 256);
    zGm.SetGlobalBuffer((__gm__ float *)z, 256);
    LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>(), sum = statBuf.Get<float>(), max = sum[128];
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>(), small = tmpBuf.Get<uint8_t>(64);
    SoftMaxTiling t;
    DataCopy(a, xGm, 256);
    PipeBarrier<PIPE_ALL>();
    SoftMax<float>(b, sum, max, a, tmp, t, {4, 64, 4, 64});
    SoftMax<float>(b, sum, max, a, tmp, t, {4, 60, 4, 60});   // expect: argument
    SoftMax<float>(b, sum, max, a, tmp, t, {4, 64, 4, 65});   // expect: argument
    SoftMax<float>(b, sum, sum, a, tmp, t, {4, 64, 4, 64});   // expect: overlap
    SoftMax<float>(b, sum, max, a, small, t, {4, 64, 4, 64}); // expect: tmp-too-small
    SoftMax<float>(a, sum, max, a, tmp, t, {4, 64, 4, 64});   // in place
    SoftMax<float>(b, sum, max, a, tmp, t, {8, 64, 8, 64});   // expect: ub-out-of-bounds
    uint32_t shape[2] = {4, 64}, none[2] = {0, 64};
    ReduceSum<float, Pattern::Reduce::RA>(b, a, tmp, shape, true);
    ReduceSum<float, Pattern::Reduce::RA>(b, a, tmp, none, true); // expect: argument
    ReduceMax<float, Pattern::Reduce::AR, true>(b, a, tmp, shape, true);
    Duplicate(b, 1.0f, 256);
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm, a, 256); // expect: uninitialised-output
    PipeBarrier<PIPE_ALL>();
    DataCopy(zGm, b, 256);
}
