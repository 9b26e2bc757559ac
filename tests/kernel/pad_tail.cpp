// blocks: 3
// n: 1001
// An uneven split done right: DataCopyPad moves the exact bytes, half of the work through operators and references.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    uint32_t per = (t.n + GetBlockNum() - 1) / GetBlockNum();
    uint32_t from = per * GetBlockIdx();
    if (from >= t.n) return;
    uint32_t n = t.n - from < per ? t.n - from : per;
    TPipe pipe;
    TQue<QuePosition::VECIN, 1> in;
    TQue<QuePosition::VECOUT, 1> out;
    GlobalTensor<float> xGm, yGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, t.n);
    yGm.SetGlobalBuffer((__gm__ float *)y, t.n);
    zGm.SetGlobalBuffer((__gm__ float *)z, t.n);
    pipe.InitBuffer(in, 2, per * sizeof(float));
    pipe.InitBuffer(out, 1, per * sizeof(float));
    DataCopyExtParams copy{1, (uint32_t)(n * sizeof(float)), 0, 0, 0};
    DataCopyPadExtParams<float> pad{false, 0, 0, 0};
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopyPad(a, xGm[from], copy, pad);
    in.EnQue(a);
    LocalTensor<float> b = in.AllocTensor<float>();
    DataCopyPad(b, yGm[from], copy, pad);
    in.EnQue(b); // expect: que-full
    a = in.DeQue<float>();
    b = in.DeQue<float>();
    LocalTensor<float> c = out.AllocTensor<float>();
    c.SetSize(n);
    c = a + b;
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    c(0) = a.GetValue(0) + b(0);
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    out.EnQue(c);
    in.FreeTensor(a);
    in.FreeTensor(b);
    c = out.DeQue<float>();
    DataCopyPad(zGm[from], c, copy);
    out.FreeTensor(c);
}
