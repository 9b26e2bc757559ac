# ys[i] = (i + 1) * xs[i] for a list of matrices of any sizes: a dynamic input, a dynamic output, shapes read on the device.

project_json_src = '''
[{"op": "ListScaleCustom", "language": "cpp",
  "input_desc": [{"name": "xs", "param_type": "dynamic", "format": ["ND"], "type": ["float"]}],
  "output_desc": [{"name": "ys", "param_type": "dynamic", "format": ["ND"], "type": ["float"]}]}]
'''

host_tiling_src = """
#include "register/tilingdata_base.h"
namespace optiling {
BEGIN_TILING_DATA_DEF(ListScaleTilingData)
  TILING_DATA_FIELD_DEF(uint32_t, count);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ListScaleCustom, ListScaleTilingData)
}
"""

host_operator_src = """
#include "list_scale_custom_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {
static ge::graphStatus Tile(gert::TilingContext* context)
{
    ListScaleTilingData data;
    uint32_t count = 0;
    while (context->GetDynamicInputShape(0, count) != nullptr) count++;
    data.set_count(count);
    data.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(data.GetDataSize());
    context->SetBlockDim(1);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}
}

namespace ge {
static ge::graphStatus Shape(gert::InferShapeContext* context)
{
    for (size_t i = 0; context->GetDynamicInputShape(0, i) != nullptr; i++) *context->GetOutputShape(i) = *context->GetDynamicInputShape(0, i);
    return GRAPH_SUCCESS;
}
static ge::graphStatus Type(gert::InferDataTypeContext* context)
{
    context->SetOutputDataType(0, context->GetDynamicInputDataType(0, 0));
    return GRAPH_SUCCESS;
}
}

namespace ops {
class ListScaleCustom : public OpDef {
public:
    explicit ListScaleCustom(const char* name) : OpDef(name)
    {
        this->Input("xs").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("ys").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->SetInferShape(ge::Shape).SetInferDataType(ge::Type);
        this->AICore().SetTiling(optiling::Tile);
        this->AICore().AddConfig("ascend910b");
    }
};
OP_ADD(ListScaleCustom);
}
"""

kernel_src = """
#include "kernel_operator.h"
#include "kernel_operator_list_tensor_intf.h"
using namespace AscendC;

extern "C" __global__ __aicore__ void list_scale_custom(GM_ADDR xs, GM_ADDR ys, GM_ADDR workspace, GM_ADDR tiling)
{
    GET_TILING_DATA(data, tiling);
    constexpr uint32_t TILE = 1024;
    TPipe pipe;
    TQue<TPosition::VECIN, 1> in;
    TQue<TPosition::VECOUT, 1> out;
    pipe.InitBuffer(in, 1, TILE * sizeof(float));
    pipe.InitBuffer(out, 1, TILE * sizeof(float));
    ListTensorDesc from((__gm__ void*)xs), to;
    to.Init((__gm__ void*)ys);
    for (uint32_t i = 0; i < data.count && i < from.GetSize() && to.GetSize() == from.GetSize(); i++) {
        uint64_t shape[8];
        TensorDesc<float> desc;
        desc.SetShapeAddr(shape);
        from.GetDesc(desc, i);
        uint32_t n = 1;
        for (uint32_t d = 0; d < desc.GetDim(); d++) n *= desc.GetShape(d);
        GlobalTensor<float> x, y;
        x.SetGlobalBuffer(desc.GetDataPtr(), n);
        y.SetGlobalBuffer(to.GetDataPtr<float>(i), n);
        for (uint32_t at = 0; at < n; at += TILE) {
            uint32_t m = n - at < TILE ? n - at : TILE;
            LocalTensor<float> t = in.AllocTensor<float>();
            DataCopyPad(t, x[at], {1, m * 4, 0, 0, 0}, {false, 0, 0, 0.0f});
            in.EnQue(t);
            t = in.DeQue<float>();
            LocalTensor<float> s = out.AllocTensor<float>();
            Muls(s, t, static_cast<float>(static_cast<int32_t>(desc.GetIndex() + 1)), m);
            in.FreeTensor(t);
            out.EnQue(s);
            s = out.DeQue<float>();
            DataCopyPad(y[at], s, {1, m * 4, 0, 0, 0});
            out.FreeTensor(s);
        }
    }
}
"""

python_bind_src = """
#include <torch/library.h>
#include <torch/extension.h>
#include "pytorch_npu_helper.hpp"

std::vector<at::Tensor> list_scale(const std::vector<at::Tensor>& xs)
{
    std::vector<at::Tensor> ys;
    for (const at::Tensor& x : xs) ys.push_back(at::empty_like(x));
    at::TensorList in(xs), out(ys);
    EXEC_NPU_CMD(aclnnListScaleCustom, in, out);
    return ys;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
    m.def("list_scale", &list_scale, "every tensor of the list times its place in it");
}
"""

model_src = '''
import torch
import torch_npu
import custom_ops_lib


class ModelNew(torch.nn.Module):
    def forward(self, a, b, c):
        return tuple(custom_ops_lib.list_scale([a, b, c]))
'''
