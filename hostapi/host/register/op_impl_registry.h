/* IMPL_OP, IMPL_OP_OPTILING, IMPL_OP_INFERSHAPE: registration without an OpDef. HW: api_truth host, "IMPL_OP family". */
#ifndef OPWRIGHT_HOSTAPI_REGISTER_OP_IMPL_REGISTRY_H
#define OPWRIGHT_HOSTAPI_REGISTER_OP_IMPL_REGISTRY_H

#include "register/op_def.h"

namespace gert {

class OpImplRegisterV2 {
  public:
    typedef ge::graphStatus (*TilingKernelFunc)(TilingContext *);
    typedef ge::graphStatus (*InferShapeKernelFunc)(InferShapeContext *);
    typedef ge::graphStatus (*InferDataTypeKernelFunc)(InferDataTypeContext *);

    explicit OpImplRegisterV2(const char *type) : type_(type) {}
    OpImplRegisterV2 &Tiling(TilingKernelFunc fn, size_t = 2048) { return put(OWH_FN_TILING, ow::Plain(fn)); }
    OpImplRegisterV2 &InferShape(InferShapeKernelFunc fn) { return put(OWH_FN_INFER_SHAPE, ow::Plain(fn)); }
    OpImplRegisterV2 &InferDataType(InferDataTypeKernelFunc fn) { return put(OWH_FN_INFER_DTYPE, ow::Plain(fn)); }
    /* Parsing runs once per compiled operator in the vendor's graph engine; its result is not available here. */
    template <class T> OpImplRegisterV2 &TilingParse(ge::graphStatus (*)(TilingParseContext *)) { return *this; }

  private:
    OpImplRegisterV2 &put(OwhFnKind kind, void (*fn)()) { return owh_impl_op_fn(type_, ow::Guard, kind, fn), *this; }
    const char *type_;
};

} // namespace gert

#define OWH_IMPL_OP_NAME_(a, b) a##b
#define OWH_IMPL_OP_NAME(a, b)  OWH_IMPL_OP_NAME_(a, b)
#define IMPL_OP(opType)                                                                                      \
    static ::gert::OpImplRegisterV2 OWH_IMPL_OP_NAME(owh_impl_##opType, __COUNTER__) __attribute__((unused)) = \
        ::gert::OpImplRegisterV2(#opType)
#define IMPL_OP_OPTILING(opType)   IMPL_OP(opType)
#define IMPL_OP_INFERSHAPE(opType) IMPL_OP(opType)

#endif
