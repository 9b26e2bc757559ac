// blocks: 4
// n: 1024
// Blocks 0 and 1 write halves of z, and arrive; 2 and 3 wait, and add the input to what they read, round by round.
#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t HALF = 512;
constexpr uint32_t N_ROUNDS = 2;

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf;
    pipe.InitBuffer(buf, 3 * HALF * sizeof(float));
    LocalTensor<float> first = buf.Get<float>(), second = first[HALF];
    GM_ADDR counters = (GM_ADDR)(((uint64_t)GetUserWorkspace(workspace) + 511) / 512 * 512);
    if (GetBlockIdx() == 0) {
        GlobalTensor<int32_t> space;
        space.SetGlobalBuffer((__gm__ int32_t *)counters, 2 * 128);
        Duplicate(second.ReinterpretCast<int32_t>(), 0, 256);
        PipeBarrier<PIPE_ALL>();
        DataCopy(space, second.ReinterpretCast<int32_t>(), 256);
    }
    SyncAll();
    GroupBarrier<PipeMode::MTE3_MODE> ready(counters, 2, 2);
    GlobalTensor<float> half[3];
    const int64_t at = GetBlockIdx() % 2 * HALF;
    half[0].SetGlobalBuffer((__gm__ float *)x + at, HALF);
    half[1].SetGlobalBuffer((__gm__ float *)y + at, HALF);
    half[2].SetGlobalBuffer((__gm__ float *)z + at, HALF);
    if (GetBlockIdx() < 2) {
        DataCopy(first, half[0], HALF);
        PipeBarrier<PIPE_ALL>();
        DataCopy(half[2], first, HALF);
        for (uint32_t round = 0; round < N_ROUNDS; round++) ready.Arrive((uint32_t)GetBlockIdx());
    } else {
        for (uint32_t round = 0; round < N_ROUNDS; round++) ready.Wait((uint32_t)GetBlockIdx() - 2);
        DataCopy(first, half[2], HALF);
        DataCopy(second, half[1], HALF);
        PipeBarrier<PIPE_ALL>();
        Add(first, first, second, HALF);
        PipeBarrier<PIPE_ALL>();
        DataCopy(half[2], first, HALF);
    }
}
