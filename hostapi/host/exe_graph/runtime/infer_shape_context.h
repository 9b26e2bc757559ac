/* gert::InferShapeContext and gert::InferDataTypeContext. HW: api_truth host, same names. */
#ifndef OPWRIGHT_HOSTAPI_GERT_INFER_CONTEXT_H
#define OPWRIGHT_HOSTAPI_GERT_INFER_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
  public:
    const Shape *GetInputShape(const size_t i) const { return ShapeOf(InputAt(i)); }
    const Shape *GetOptionalInputShape(const size_t ir) const { return ShapeOf(FindInput(ir, 0)); }
    const Shape *GetRequiredInputShape(const size_t ir) const { return ShapeOf(FindInput(ir, 0)); }
    const Shape *GetDynamicInputShape(const size_t ir, const size_t relative) const {
        return ShapeOf(FindInput(ir, relative));
    }
    const Tensor *GetInputTensor(const size_t i) const { return TensorOf(InputAt(i)); }
    const Tensor *GetOptionalInputTensor(const size_t ir) const { return TensorOf(FindInput(ir, 0)); }
    const Tensor *GetRequiredInputTensor(const size_t ir) const { return TensorOf(FindInput(ir, 0)); }
    const Tensor *GetDynamicInputTensor(const size_t ir, const size_t relative) const {
        return TensorOf(FindInput(ir, relative));
    }
    Shape *GetOutputShape(const size_t i) {
        return i < node().n_out ? reinterpret_cast<Shape *>(&node().out[i].shape.origin) : nullptr;
    }

  private:
    static const Shape *ShapeOf(const OwhTensorDesc *t) {
        return t == nullptr ? nullptr : reinterpret_cast<const Shape *>(&t->shape.origin);
    }
    static const Tensor *TensorOf(const OwhTensorDesc *t) { return reinterpret_cast<const Tensor *>(t); }
};

class InferDataTypeContext : public ExtendedKernelContext {
  public:
    ge::DataType GetInputDataType(const size_t i) const { return TypeOf(InputAt(i)); }
    ge::DataType GetOptionalInputDataType(const size_t ir) const { return TypeOf(FindInput(ir, 0)); }
    ge::DataType GetRequiredInputDataType(const size_t ir) const { return TypeOf(FindInput(ir, 0)); }
    ge::DataType GetDynamicInputDataType(const size_t ir, const size_t relative) const {
        return TypeOf(FindInput(ir, relative));
    }
    ge::DataType GetOutputDataType(const size_t i) const {
        return i < node().n_out ? TypeOf(&node().out[i]) : ge::DT_UNDEFINED;
    }
    ge::graphStatus SetOutputDataType(const size_t i, const ge::DataType t) {
        if (i >= node().n_out) return ge::GRAPH_FAILED;
        node().out[i].type.dtype = t;
        return ge::GRAPH_SUCCESS;
    }

  private:
    static ge::DataType TypeOf(const OwhTensorDesc *t) {
        return t == nullptr ? ge::DT_UNDEFINED : static_cast<ge::DataType>(t->type.dtype);
    }
};

template <class T> class Range {
  public:
    Range() : min_(nullptr), max_(nullptr) {}
    Range(T *min, T *max) : min_(min), max_(max) {}
    explicit Range(T *same) : min_(same), max_(same) {}
    void SetMin(T *min) { min_ = min; }
    void SetMax(T *max) { max_ = max; }
    const T *GetMin() const { return min_; }
    const T *GetMax() const { return max_; }
    T *GetMin() { return min_; }
    T *GetMax() { return max_; }

  private:
    T *min_;
    T *max_;
};
/* Range inference serves dynamic-shape graphs, which are not run here: registered and never called. */
class InferShapeRangeContext;

} // namespace gert
#endif
