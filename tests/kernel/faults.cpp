// blocks: 1
// n: 256
// options: no-hazards
// One fault a line; the simulation goes on behind each.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuf, bBuf;
    TQue<TPosition::VECIN, 1> que;
    pipe.InitBuffer(aBuf, 1024);
    pipe.InitBuffer(bBuf, 1024);
    pipe.InitBuffer(que, 1, 1024);
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, 256);
    zGm.SetGlobalBuffer((__gm__ float *)z, 256);
    LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>();
    DataCopy(a, xGm, 264);             // expect: gm-out-of-bounds, ub-out-of-bounds
    DataCopy(xGm, a, 256);             // expect: gm-write-input
    Add(b, a, a, 257);                 // expect: ub-out-of-bounds
    Exp(b[1], a, 8);                   // expect: ub-misaligned
    Muls(b, a, 2.0f, (uint64_t)64, 300, {1, 1, 8, 8}); // expect: repeat-too-large, ub-out-of-bounds
    LocalTensor<int32_t> i = b.ReinterpretCast<int32_t>();
    Cast(i, a, RoundMode::CAST_NONE, 256); // expect: cast-round-mode
    LocalTensor<float> q = que.AllocTensor<float>();
    que.FreeTensor(q);
    Add(b, a, q, 8);                   // expect: tensor-after-free
    Duplicate(a, 1.0f, 256);
    DataCopy(zGm, a, 256);
    b.SetValue(300, 1.0f);             // expect: scalar-out-of-bounds
    q = que.AllocTensor<float>();
    que.AllocTensor<float>();          // expect: que-pool-exhausted
    DataCopy(zGm, a, 100000);          // never reached
}
