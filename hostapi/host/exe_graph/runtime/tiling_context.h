/* gert::TilingContext. HW: api_truth host, "TilingContext::...". */
#ifndef OPWRIGHT_HOSTAPI_GERT_TILING_CONTEXT_H
#define OPWRIGHT_HOSTAPI_GERT_TILING_CONTEXT_H

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingContext : public ExtendedKernelContext {
  public:
    const StorageShape *GetInputShape(const size_t i) const { return ShapeOf(InputAt(i)); }
    const StorageShape *GetOptionalInputShape(const size_t ir) const { return ShapeOf(FindInput(ir, 0)); }
    const StorageShape *GetRequiredInputShape(const size_t ir) const { return ShapeOf(FindInput(ir, 0)); }
    const StorageShape *GetDynamicInputShape(const size_t ir, const size_t relative) const {
        return ShapeOf(FindInput(ir, relative));
    }
    const Tensor *GetInputTensor(const size_t i) const { return TensorOf(InputAt(i)); }
    const Tensor *GetOptionalInputTensor(const size_t ir) const { return TensorOf(FindInput(ir, 0)); }
    const Tensor *GetRequiredInputTensor(const size_t ir) const { return TensorOf(FindInput(ir, 0)); }
    const Tensor *GetDynamicInputTensor(const size_t ir, const size_t relative) const {
        return TensorOf(FindInput(ir, relative));
    }
    const StorageShape *GetOutputShape(const size_t i) const {
        return i < node().n_out ? ShapeOf(&node().out[i]) : nullptr;
    }

    ge::graphStatus SetTilingKey(const uint64_t key) { c().tiling_key = key; return ge::GRAPH_SUCCESS; }
    uint64_t GetTilingKey() const { return c().tiling_key; }
    ge::graphStatus SetBlockDim(const uint32_t n) { c().block_dim = n; return ge::GRAPH_SUCCESS; }
    uint32_t GetBlockDim() const { return c().block_dim; }
    ge::graphStatus SetScheduleMode(const uint32_t mode) { c().schedule_mode = mode; return ge::GRAPH_SUCCESS; }
    uint32_t GetScheduleMode() const { return c().schedule_mode; }
    ge::graphStatus SetTilingCond(const int32_t cond) { c().tiling_cond = cond; return ge::GRAPH_SUCCESS; }
    int32_t GetTilingCond() const { return c().tiling_cond; }
    ge::graphStatus SetNeedAtomic(const bool flag) { c().need_atomic = flag; return ge::GRAPH_SUCCESS; }
    bool NeedAtomic() const { return c().need_atomic; }
    ge::graphStatus SetLocalMemorySize(const uint32_t n_bytes) {
        c().local_memory_bytes = n_bytes;
        return ge::GRAPH_SUCCESS;
    }
    uint32_t GetLocalMemorySize() const { return c().local_memory_bytes; }
    int32_t GetDeterministic() const { return c().deterministic; }

    /* The raw buffer seen as T; the data size becomes sizeof(T). nullptr when it does not fit. */
    template <class T> T *GetTilingData() {
        if (c().data.capacity < sizeof(T)) return nullptr;
        c().data.n_bytes = sizeof(T);
        return static_cast<T *>(c().data.data);
    }
    TilingData *GetRawTilingData() { return reinterpret_cast<TilingData *>(&c().data); }
    /* nullptr when n is above the capacity; the sizes are not zeroed. */
    size_t *GetWorkspaceSizes(const size_t n) {
        if (n > c().workspace.capacity) return nullptr;
        c().workspace.size = n;
        return c().workspace_bytes;
    }
    size_t GetWorkspaceNum() const { return c().workspace.size; }
    fe::PlatFormInfos *GetPlatformInfo() const { return reinterpret_cast<fe::PlatFormInfos *>(c().platform); }
    /* With OP_ADD the compile info is a placeholder. */
    const void *GetCompileInfo() const { return nullptr; }
    template <class T> const T *GetCompileInfo() const { return nullptr; }

  private:
    OwhTilingContext &c() { return *reinterpret_cast<OwhTilingContext *>(this); }
    const OwhTilingContext &c() const { return *reinterpret_cast<const OwhTilingContext *>(this); }
    static const StorageShape *ShapeOf(const OwhTensorDesc *t) {
        return t == nullptr ? nullptr : reinterpret_cast<const StorageShape *>(&t->shape);
    }
    static const Tensor *TensorOf(const OwhTensorDesc *t) { return reinterpret_cast<const Tensor *>(t); }
};

/* OP_ADD registers a parse function that does nothing; declared so that sources naming it compile. */
class TilingParseContext;

} // namespace gert
#endif
