/* What tiling and inference contexts share: descriptors, instances, attributes, names.
 * HW: api_truth host, "ExtendedKernelContext::...", "gert::ComputeNodeInfo", "gert::AnchorInstanceInfo". */
#ifndef OPWRIGHT_HOSTAPI_GERT_EXTENDED_CONTEXT_H
#define OPWRIGHT_HOSTAPI_GERT_EXTENDED_CONTEXT_H

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

class AnchorInstanceInfo {
  public:
    size_t GetInstanceNum() const { return a_.n; }
    size_t GetInstanceStart() const { return a_.start; }

  private:
    OwhAnchor a_;
};

class ComputeNodeInfo {
  public:
    const char *GetNodeType() const { return n_.type; }
    const char *GetNodeName() const { return n_.name; }
    size_t GetIrInputsNum() const { return n_.n_ir_in; }
    size_t GetIrOutputsNum() const { return n_.n_ir_out; }
    size_t GetInputsNum() const { return n_.n_in; }
    size_t GetOutputsNum() const { return n_.n_out; }
    const AnchorInstanceInfo *GetInputInstanceInfo(const size_t ir) const {
        return ir < n_.n_ir_in ? reinterpret_cast<const AnchorInstanceInfo *>(n_.ir_in + ir) : nullptr;
    }
    const AnchorInstanceInfo *GetOutputInstanceInfo(const size_t ir) const {
        return ir < n_.n_ir_out ? reinterpret_cast<const AnchorInstanceInfo *>(n_.ir_out + ir) : nullptr;
    }
    const CompileTimeTensorDesc *GetInputTdInfo(const size_t i) const {
        return i < n_.n_in ? reinterpret_cast<const CompileTimeTensorDesc *>(&n_.in[i].type) : nullptr;
    }
    const CompileTimeTensorDesc *GetOutputTdInfo(const size_t i) const {
        return i < n_.n_out ? reinterpret_cast<const CompileTimeTensorDesc *>(&n_.out[i].type) : nullptr;
    }
    const RuntimeAttrs *GetAttrs() const { return reinterpret_cast<const RuntimeAttrs *>(&n_.attrs); }

  private:
    OwhNode n_;
};

/* Context structs of abi.h begin with their OwhNode. */
class ExtendedKernelContext {
  public:
    const CompileTimeTensorDesc *GetInputDesc(const size_t i) const { return info().GetInputTdInfo(i); }
    const CompileTimeTensorDesc *GetOutputDesc(const size_t i) const { return info().GetOutputTdInfo(i); }
    const CompileTimeTensorDesc *GetOptionalInputDesc(const size_t ir) const { return GetDynamicInputDesc(ir, 0); }
    const CompileTimeTensorDesc *GetRequiredInputDesc(const size_t ir) const { return GetDynamicInputDesc(ir, 0); }
    const CompileTimeTensorDesc *GetDynamicInputDesc(const size_t ir, const size_t relative) const {
        const OwhTensorDesc *t = FindInput(ir, relative);
        return t == nullptr ? nullptr : reinterpret_cast<const CompileTimeTensorDesc *>(&t->type);
    }
    const AnchorInstanceInfo *GetIrInputInstanceInfo(const size_t ir) const { return info().GetInputInstanceInfo(ir); }
    const AnchorInstanceInfo *GetIrOutputInstanceInfo(const size_t ir) const { return info().GetOutputInstanceInfo(ir); }
    size_t GetComputeNodeInputNum() const { return node().n_in; }
    size_t GetComputeNodeOutputNum() const { return node().n_out; }
    const RuntimeAttrs *GetAttrs() const { return info().GetAttrs(); }
    const char *GetNodeName() const { return node().name; }
    const char *GetNodeType() const { return node().type; }
    const ComputeNodeInfo *GetComputeNodeInfo() const { return &info(); }

  protected:
    const OwhNode &node() const { return *reinterpret_cast<const OwhNode *>(this); }
    const ComputeNodeInfo &info() const { return *reinterpret_cast<const ComputeNodeInfo *>(this); }
    const OwhTensorDesc *InputAt(const size_t i) const { return i < node().n_in ? &node().in[i] : nullptr; }
    const OwhTensorDesc *FindInput(const size_t ir, const size_t relative) const {
        const OwhNode &n = node();
        if (ir >= n.n_ir_in || relative >= n.ir_in[ir].n) return nullptr;
        return &n.in[n.ir_in[ir].start + relative];
    }
};

} // namespace gert
#endif
