# AddCustom, written by hand: the six sources of a description, for the reference ../add.py.
# Any number of elements is right: each core takes one run of elements, goes over it tile by tile, and both copies are
# DataCopyPad with the true byte count, so the last tile may be of any length.

project_json_src = '''
[
    {
        "op": "AddCustom",
        "language": "cpp",
        "input_desc": [
            {"name": "x", "param_type": "required", "format": ["ND", "ND", "ND"], "type": ["float16", "float", "int32"]},
            {"name": "y", "param_type": "required", "format": ["ND", "ND", "ND"], "type": ["float16", "float", "int32"]}
        ],
        "output_desc": [
            {"name": "z", "param_type": "required", "format": ["ND", "ND", "ND"], "type": ["float16", "float", "int32"]}
        ]
    }
]
'''

host_tiling_src = """
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddCustomTilingData)
  TILING_DATA_FIELD_DEF(int64_t, total);    // elements in all
  TILING_DATA_FIELD_DEF(int64_t, perCore);  // elements of one core; the last core may have fewer
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(AddCustom, AddCustomTilingData)
}
"""

host_operator_src = """
#include "add_custom_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
// A core's run is a multiple of this, so no two cores write into the same 512 bytes.
constexpr int64_t GRAIN = 256;

static ge::graphStatus SplitOverCores(gert::TilingContext* context)
{
    auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
    int64_t cores = platform.GetCoreNumAiv();
    int64_t total = context->GetInputShape(0)->GetStorageShape().GetShapeSize();
    if (cores <= 0 || total < 0) {
        return ge::GRAPH_FAILED;
    }
    int64_t grains = (total + GRAIN - 1) / GRAIN;
    int64_t perCore = (grains + cores - 1) / cores * GRAIN;
    int64_t used = perCore == 0 ? 1 : (total + perCore - 1) / perCore;

    AddCustomTilingData tiling;
    tiling.set_total(total);
    tiling.set_perCore(perCore);
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
    context->SetBlockDim(static_cast<uint32_t>(used));
    size_t* workspace = context->GetWorkspaceSizes(1);
    workspace[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}

namespace ge {
static ge::graphStatus SameShape(gert::InferShapeContext* context)
{
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static ge::graphStatus SameType(gert::InferDataTypeContext* context)
{
    context->SetOutputDataType(0, context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
}

namespace ops {
class AddCustom : public OpDef {
public:
    explicit AddCustom(const char* name) : OpDef(name)
    {
        this->Input("x")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("z")
            .ParamType(REQUIRED)
            .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32})
            .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
            .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::SameShape).SetInferDataType(ge::SameType);
        this->AICore().SetTiling(optiling::SplitOverCores);
        this->AICore().AddConfig("ascend910b");
    }
};

OP_ADD(AddCustom);
}
"""

kernel_src = """
#include "kernel_operator.h"

constexpr int32_t DEPTH = 2;              // buffers per queue: one is copied while the other is computed on
constexpr uint32_t TILE_BYTES = 16 * 1024;
constexpr int64_t TILE = TILE_BYTES / sizeof(DTYPE_X);

class RunOfOneCore {
public:
    __aicore__ inline RunOfOneCore() {}
    __aicore__ inline void Init(AscendC::TPipe* pipe, GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t total, int64_t perCore)
    {
        int64_t first = perCore * AscendC::GetBlockIdx();
        length = total - first;
        if (length > perCore) {
            length = perCore;
        }
        if (length <= 0) {
            return;
        }
        xGm.SetGlobalBuffer((__gm__ DTYPE_X*)x + first, length);
        yGm.SetGlobalBuffer((__gm__ DTYPE_Y*)y + first, length);
        zGm.SetGlobalBuffer((__gm__ DTYPE_Z*)z + first, length);
        pipe->InitBuffer(xQueue, DEPTH, TILE_BYTES);
        pipe->InitBuffer(yQueue, DEPTH, TILE_BYTES);
        pipe->InitBuffer(zQueue, DEPTH, TILE_BYTES);
    }
    __aicore__ inline void Process()
    {
        for (int64_t at = 0; at < length; at += TILE) {
            uint32_t n = static_cast<uint32_t>(length - at < TILE ? length - at : TILE);
            Load(at, n);
            Compute(n);
            Store(at, n);
        }
    }

private:
    __aicore__ inline void Load(int64_t at, uint32_t n)
    {
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(n * sizeof(DTYPE_X)), 0, 0, 0};
        AscendC::DataCopyPadExtParams<DTYPE_X> noPad{false, 0, 0, 0};
        AscendC::LocalTensor<DTYPE_X> x = xQueue.AllocTensor<DTYPE_X>();
        AscendC::DataCopyPad(x, xGm[at], run, noPad);
        xQueue.EnQue(x);
        AscendC::LocalTensor<DTYPE_Y> y = yQueue.AllocTensor<DTYPE_Y>();
        AscendC::DataCopyPad(y, yGm[at], run, noPad);
        yQueue.EnQue(y);
    }
    __aicore__ inline void Compute(uint32_t n)
    {
        AscendC::LocalTensor<DTYPE_X> x = xQueue.DeQue<DTYPE_X>();
        AscendC::LocalTensor<DTYPE_Y> y = yQueue.DeQue<DTYPE_Y>();
        AscendC::LocalTensor<DTYPE_Z> z = zQueue.AllocTensor<DTYPE_Z>();
        AscendC::Add(z, x, y, static_cast<int32_t>(n));
        zQueue.EnQue(z);
        xQueue.FreeTensor(x);
        yQueue.FreeTensor(y);
    }
    __aicore__ inline void Store(int64_t at, uint32_t n)
    {
        AscendC::DataCopyExtParams run{1, static_cast<uint32_t>(n * sizeof(DTYPE_Z)), 0, 0, 0};
        AscendC::LocalTensor<DTYPE_Z> z = zQueue.DeQue<DTYPE_Z>();
        AscendC::DataCopyPad(zGm[at], z, run);
        zQueue.FreeTensor(z);
    }

    AscendC::TQue<AscendC::TPosition::VECIN, DEPTH> xQueue, yQueue;
    AscendC::TQue<AscendC::TPosition::VECOUT, DEPTH> zQueue;
    AscendC::GlobalTensor<DTYPE_X> xGm;
    AscendC::GlobalTensor<DTYPE_Y> yGm;
    AscendC::GlobalTensor<DTYPE_Z> zGm;
    int64_t length = 0;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(t, tiling);
    AscendC::TPipe pipe;
    RunOfOneCore run;
    run.Init(&pipe, x, y, z, t.total, t.perCore);
    run.Process();
}
"""

python_bind_src = """
#include <torch/library.h>
#include <torch/csrc/autograd/custom_function.h>
#include "pytorch_npu_helper.hpp"
#include <torch/extension.h>

at::Tensor add_custom_npu(const at::Tensor& x, const at::Tensor& y)
{
    TORCH_CHECK(x.sizes() == y.sizes(), "add_custom: x and y differ in shape");
    TORCH_CHECK(x.scalar_type() == y.scalar_type(), "add_custom: x and y differ in dtype");
    at::Tensor z = at::empty_like(x);
    EXEC_NPU_CMD(aclnnAddCustom, x, y, z);
    return z;
}

TORCH_LIBRARY_IMPL(myops, PrivateUse1, m) {
    m.impl("add_custom", &add_custom_npu);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("add_custom", &add_custom_npu, "x + y");
}
"""

model_src = '''
import torch
import torch_npu
import custom_ops_lib


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return custom_ops_lib.add_custom(x, y)
'''
