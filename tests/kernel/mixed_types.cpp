// blocks: 2
// n: 512
// options: no-hazards
// half and bfloat16 through float, comparison and selection, flags instead of queues, scalar access, repeat forms.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA_WITH_STRUCT(TestTilingData, t, tiling);
    KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
    const uint32_t n = t.n / GetBlockNum();
    TPipe pipe;
    TBuf<> fBuf, hBuf, bBuf, mBuf, rBuf;
    pipe.InitBuffer(fBuf, n * sizeof(float));
    pipe.InitBuffer(hBuf, n * sizeof(half));
    pipe.InitBuffer(bBuf, n * sizeof(bfloat16_t));
    pipe.InitBuffer(mBuf, n / 8);
    pipe.InitBuffer(rBuf, n * sizeof(float));
    LocalTensor<float> f = fBuf.Get<float>(), r = rBuf.Get<float>();
    LocalTensor<half> h = hBuf.Get<half>();
    LocalTensor<bfloat16_t> b = bBuf.Get<bfloat16_t>();
    LocalTensor<uint8_t> m = mBuf.Get<uint8_t>();
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + n * GetBlockIdx(), n);
    zGm.SetGlobalBuffer((__gm__ float *)z + n * GetBlockIdx(), n);
    DataCopy(f, xGm, n);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Cast(h, f, RoundMode::CAST_NONE, n);
    Adds(h, h, (half)1.0f, n);
    PipeBarrier<PIPE_V>();
    Cast(f, h, RoundMode::CAST_NONE, n);
    Cast(b, f, RoundMode::CAST_RINT, n);
    Cast(r, b, RoundMode::CAST_NONE, n);
    CompareScalar(m, r, 100.0f, CMPMODE::GT, n);
    Select(r, m, r, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
    uint64_t mask = 64;
    Max(r, r, f, mask, n / 64, {1, 1, 1, 8, 8, 8});
    uint64_t bits[2] = {0x0f, 0};
    Muls(r, r, 1.0f, bits, 2, {1, 1, 8, 8});
    Duplicate<float>(f, 0.0f, 8);
    Axpy(r, f, 2.0f, 8);
    if (TILING_KEY_IS(0)) r.SetValue(0, r.GetValue(0) + 0.0f);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, r, n);
    ASSERT(n > 0 && "there is work");
}
