// Host source of the runtime's tests: the classic add, an operator whose tiling function misbehaves on demand, one in place.
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

#include <stdexcept>

namespace optiling {
BEGIN_TILING_DATA_DEF(InnerTiling)
  TILING_DATA_FIELD_DEF(uint8_t, a);
  TILING_DATA_FIELD_DEF(uint16_t, b);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InnerTilingOp, InnerTiling)

BEGIN_TILING_DATA_DEF(LayoutTiling)
  TILING_DATA_FIELD_DEF(uint8_t, c);
  TILING_DATA_FIELD_DEF(int64_t, d);
  TILING_DATA_FIELD_DEF(int8_t, e);
  TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, f);
  TILING_DATA_FIELD_DEF_STRUCT(InnerTiling, g);
  TILING_DATA_FIELD_DEF(float, h);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(LayoutCustom, LayoutTiling)

BEGIN_TILING_DATA_DEF(AddTiling)
  TILING_DATA_FIELD_DEF(uint32_t, n);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddCustom, AddTiling)
REGISTER_TILING_DATA_CLASS(TwiceCustom, AddTiling)
REGISTER_TILING_DATA_CLASS(PairCustom, AddTiling)

BEGIN_TILING_DATA_DEF(ZooTiling)
  TILING_DATA_FIELD_DEF_ARR(float, 16, seen);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ZooCustom, ZooTiling)

template <class T> static void Save(gert::TilingContext *context, T &tiling) {
    tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
    context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
}

static ge::graphStatus AddTilingFunc(gert::TilingContext *context) {
    AddTiling tiling;
    tiling.set_n(static_cast<uint32_t>(context->GetInputShape(0)->GetOriginShape().GetShapeSize()));
    context->SetBlockDim(1);
    Save(context, tiling);
    context->GetWorkspaceSizes(1)[0] = 0;
    return ge::GRAPH_SUCCESS;
}

enum Mode { OK, FAILS, THROWS, NO_BLOCKS, TOO_MANY_BLOCKS, TOO_BIG, NO_SIZE, NO_WORKSPACE_SIZE, TWO_WORKSPACES, WRONG_ATTR, WORKSPACE, TYPED, SHORT, LARGE };

static void Observe(gert::TilingContext *context, ZooTiling &tiling) {
    const gert::RuntimeAttrs *attrs = context->GetAttrs();
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    uint64_t ub = 0;
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ub);
    const gert::TypedContinuousVector<int64_t> *dims = attrs->GetListInt(4);
    float *seen = tiling.get_seen();
    seen[0] = static_cast<float>(*attrs->GetAttrPointer<int64_t>(0));
    seen[1] = *attrs->GetAttrPointer<float>(1);
    seen[2] = *attrs->GetBool(2);
    seen[3] = static_cast<float>(attrs->GetStr(3)[0]);
    seen[4] = static_cast<float>(dims->GetSize());
    seen[5] = dims->GetSize() ? static_cast<float>(dims->GetData()[dims->GetSize() - 1]) : -1;
    seen[6] = static_cast<float>(context->GetInputShape(0)->GetStorageShape().GetDim(0));
    seen[7] = static_cast<float>(context->GetComputeNodeInputNum());
    seen[8] = context->GetOptionalInputShape(1) != nullptr;
    seen[9] = static_cast<float>(context->GetInputDesc(0)->GetDataType());
    seen[10] = static_cast<float>(platform.GetCoreNumAiv());
    seen[11] = static_cast<float>(ub);
    seen[12] = context->GetInputTensor(0)->GetData<float>() == nullptr;
    seen[13] = context->GetInputShape(5) == nullptr;
    seen[14] = static_cast<float>(context->GetOutputShape(0)->GetStorageShape().GetDimNum());
    seen[15] = attrs->GetInt(9) == nullptr;
}

static ge::graphStatus ZooTilingFunc(gert::TilingContext *context) {
    const int64_t mode = *context->GetAttrs()->GetInt(0);
    ZooTiling tiling;
    Observe(context, tiling);
    if (mode == FAILS) return ge::GRAPH_FAILED;
    if (mode == THROWS) throw std::runtime_error("tiles do not fit");
    if (mode == WRONG_ATTR && context->GetAttrs()->GetInt(1) == nullptr) return ge::GRAPH_FAILED;
    if (mode != NO_BLOCKS) context->SetBlockDim(mode == TOO_MANY_BLOCKS ? 70000 : 1);
    if (mode == TYPED) {
        struct Big { char bytes[20000]; };
        if (context->GetTilingData<Big>() != nullptr) return ge::GRAPH_FAILED;
        float *raw = context->GetTilingData<float[16]>()[0];
        for (int i = 0; i < 16; i++) raw[i] = tiling.get_seen()[i];
    } else {
        Save(context, tiling);
    }
    if (mode == TOO_BIG) context->GetRawTilingData()->SetDataSize(20000);
    if (mode == NO_SIZE) context->GetRawTilingData()->SetDataSize(0);
    if (mode == SHORT) context->GetRawTilingData()->SetDataSize(60);
    if (mode == LARGE) context->GetRawTilingData()->SetDataSize(2052);
    size_t *workspace = context->GetWorkspaceSizes(mode == TWO_WORKSPACES ? 2 : 1);
    if (context->GetWorkspaceSizes(9) != nullptr) return ge::GRAPH_FAILED;
    if (mode != NO_WORKSPACE_SIZE) workspace[0] = mode == WORKSPACE ? 100 : 0;
    return ge::GRAPH_SUCCESS;
}

static ge::graphStatus TwiceTilingFunc(gert::TilingContext *context) {
    AddTiling tiling;
    tiling.set_n(static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
    context->SetBlockDim(1);
    Save(context, tiling);
    return ge::GRAPH_SUCCESS;
}
} // namespace optiling

// What the inference functions get wrong, set by the test: 1 the shape function fails, 2 the type is another.
extern "C" __attribute__((visibility("default"))) int zoo_infer_wrong;
int zoo_infer_wrong;

namespace ge {
static graphStatus InferShape(gert::InferShapeContext *context) {
    if (zoo_infer_wrong == 1) return GRAPH_FAILED;
    *context->GetOutputShape(0) = *context->GetInputShape(0);
    return GRAPH_SUCCESS;
}
static graphStatus InferDataType(gert::InferDataTypeContext *context) {
    context->SetOutputDataType(0, zoo_infer_wrong == 2 ? DT_INT32 : context->GetInputDataType(0));
    return GRAPH_SUCCESS;
}
} // namespace ge

namespace ops {
class AddCustom : public OpDef {
  public:
    explicit AddCustom(const char *name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Input("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16}).Format({ge::FORMAT_ND, ge::FORMAT_ND});
        this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
        this->AICore().SetTiling(optiling::AddTilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(AddCustom);

class ZooCustom : public OpDef {
  public:
    explicit ZooCustom(const char *name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND}).AutoContiguous();
        this->Input("m").ParamType(OPTIONAL).DataType({ge::DT_INT32}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Attr("mode").AttrType(REQUIRED).Int();
        this->Attr("scale").AttrType(OPTIONAL).Float(0.5f);
        this->Attr("flag").AttrType(OPTIONAL).Bool(false);
        this->Attr("name").AttrType(OPTIONAL).String("none");
        this->Attr("dims").AttrType(OPTIONAL).ListInt({7, 8, 9});
        this->SetInferShape(ge::InferShape);
        this->AICore().SetTiling(optiling::ZooTilingFunc);
        OpAICoreConfig config;
        config.DynamicShapeSupportFlag(true);
        this->AICore().AddConfig("ascend910b", config);
    }
};
OP_ADD(ZooCustom);

class TwiceCustom : public OpDef {
  public:
    explicit TwiceCustom(const char *name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::TwiceTilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(TwiceCustom);

class PairCustom : public OpDef {
  public:
    explicit PairCustom(const char *name) : OpDef(name) {
        this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->Output("z").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
        this->AICore().SetTiling(optiling::AddTilingFunc).AddConfig("ascend910b");
    }
};
OP_ADD(PairCustom);
} // namespace ops

// For the layout test: the saved bytes of a filled structure, and of a copy changed after copying.
extern "C" __attribute__((visibility("default"))) size_t zoo_layout(unsigned char *to, size_t capacity, int change_copy) {
    optiling::LayoutTiling t;
    const uint16_t f[3] = {0x2211, 0x4433, 0x6655};
    t.set_c(0x11);
    t.set_d(0x0807060504030201);
    t.set_e(-2);
    t.set_f(f);
    t.g.set_a(0xAA);
    t.g.set_b(0xBBCC);
    t.set_h(1.0f);
    optiling::LayoutTiling copy = t;
    if (change_copy) {
        copy.g.set_b(0x1234);
        copy.set_c(0x77);
    }
    (change_copy ? copy : t).SaveToBuffer(to, capacity);
    return t.GetDataSize() + (t.get_d() == 0x0807060504030201 && t.get_f()[2] == 0x6655 ? 0 : 1000);
}
