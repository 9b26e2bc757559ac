// blocks: 2
// n: 16
// options: no-hazards
// expect-launch: output-not-written
// The soft form of SyncAll counts in memory that nothing cleared.
#include "kernel_operator.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 64);
    GlobalTensor<int32_t> counts;
    counts.SetGlobalBuffer((__gm__ int32_t *)z, 16);
    LocalTensor<int32_t> ub = buf.Get<int32_t>();
    SyncAll(counts, ub); // expect: sync-all-workspace
}
