// blocks: 2
// n: 16
// expect-launch: output-not-written
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TPipe second; // expect: tpipe-twice
    TBuf<TPosition::VECCALC> buf;
    second.InitBuffer(buf, 196640); // expect: ub-capacity
    SyncAll<false>(); // expect: sync-all-mix
}
