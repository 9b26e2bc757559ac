// blocks: 8
// n: 4096
// The classic three-stage add with double buffering, any length that divides by blocks, tiles and buffers.
#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;

class KernelAdd {
public:
    __aicore__ inline KernelAdd() {}
    __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tiles)
    {
        block = total / AscendC::GetBlockNum();
        tile = block / tiles / BUFFER_NUM;
        loops = tiles * BUFFER_NUM;
        xGm.SetGlobalBuffer((__gm__ float *)x + block * AscendC::GetBlockIdx(), block);
        yGm.SetGlobalBuffer((__gm__ float *)y + block * AscendC::GetBlockIdx(), block);
        zGm.SetGlobalBuffer((__gm__ float *)z + block * AscendC::GetBlockIdx(), block);
        pipe.InitBuffer(inX, BUFFER_NUM, tile * sizeof(float));
        pipe.InitBuffer(inY, BUFFER_NUM, tile * sizeof(float));
        pipe.InitBuffer(outZ, BUFFER_NUM, tile * sizeof(float));
    }
    __aicore__ inline void Process()
    {
        for (uint32_t i = 0; i < loops; i++) {
            AscendC::LocalTensor<float> x = inX.AllocTensor<float>(), y = inY.AllocTensor<float>();
            AscendC::DataCopy(x, xGm[i * tile], tile);
            AscendC::DataCopy(y, yGm[i * tile], tile);
            inX.EnQue(x);
            inY.EnQue(y);
            x = inX.DeQue<float>();
            y = inY.DeQue<float>();
            AscendC::LocalTensor<float> z = outZ.AllocTensor<float>();
            AscendC::Add(z, x, y, tile);
            outZ.EnQue<float>(z);
            inX.FreeTensor(x);
            inY.FreeTensor(y);
            z = outZ.DeQue<float>();
            AscendC::DataCopy(zGm[i * tile], z, tile);
            outZ.FreeTensor(z);
        }
    }

private:
    AscendC::TPipe pipe;
    AscendC::TQue<AscendC::TPosition::VECIN, BUFFER_NUM> inX, inY;
    AscendC::TQue<AscendC::TPosition::VECOUT, BUFFER_NUM> outZ;
    AscendC::GlobalTensor<float> xGm, yGm, zGm;
    uint32_t block, tile, loops;
};

extern "C" __global__ __aicore__ void test_kernel(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    KernelAdd op;
    op.Init(x, y, z, t.n, 2);
    op.Process();
}
