// blocks: 1
// n: 256
// options: no-hazards
// High-level APIs: temporary space and overlap.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuf, bBuf, tmpBuf;
    pipe.InitBuffer(aBuf, 1024);
    pipe.InitBuffer(bBuf, 1024);
    pipe.InitBuffer(tmpBuf, 1280);
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x, 256);
    zGm.SetGlobalBuffer((__gm__ float *)z, 256);
    LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>();
    LocalTensor<uint8_t> tmp = tmpBuf.Get<uint8_t>(), small = tmpBuf.Get<uint8_t>(128);
    DataCopy(a, xGm, 256);
    Sigmoid(b, a, tmp, 256);
    Sigmoid(b, a, 256);
    Sigmoid(b, a, small, 256);  // expect: tmp-too-small
    Tanh(a, a, tmp, 256);       // expect: overlap
    Gelu(a, a, 256);            // dst may be src
    Erf(b, a, a.ReinterpretCast<uint8_t>(), 256); // expect: overlap
    Log(b, a, 257);             // expect: ub-out-of-bounds
    Duplicate(b, 1.0f, 256);
    TBuf<TPosition::VECCALC> rest;
    pipe.InitBuffer(rest, 192 * 1024 - 3072 - 256 - 512);
    Sigmoid(a, b, tmp, 256);
    Sigmoid(a, b, 256);
    Sin(a, b, 256);             // expect: tmp-no-room
    Power(a, b, b, tmp, 256);   // expect: ub-reserved
    Duplicate(a, 1.0f, 256);
    DataCopy(zGm, a, 256);
}
