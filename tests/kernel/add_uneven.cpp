// blocks: 8
// n: 4108
// options: no-hazards
// The same split on a length that does not divide: every copy is short, and the tail is never written.
// expect-launch: output-not-written
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    uint32_t block = t.n / GetBlockNum();
    GlobalTensor<float> xGm, zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + block * GetBlockIdx(), block);
    zGm.SetGlobalBuffer((__gm__ float *)z + block * GetBlockIdx(), block);
    pipe.InitBuffer(buf, block * sizeof(float));
    LocalTensor<float> v = buf.Get<float>();
    DataCopy(v, xGm, block); // expect: copy-unaligned-count
    Muls(v, v, 2.0f, block);
    DataCopy(zGm, v, block); // expect: copy-unaligned-count
}
