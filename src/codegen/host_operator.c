/* host_operator_src: tiling function, shape and type inference, operator definition. */
#include "codegen/emit.h"
#include "codegen/host_tile.h"

#include "base/names.h"
#include "codegen/kernel.h"

#include <string.h>

static void write_helpers(Gen *gen, Cxx *cx) {
    uint32_t needs = 0;
    bool done[32] = {false};
    for (size_t i = 0; i < gen->n_passes; i++)
        if (gen->pass[i].emit->host_needs) needs |= gen->pass[i].emit->host_needs(gen, &gen->pass[i]);
    if (needs & HOST_UNIT)
        cxx_line(cx,
                 "constexpr uint64_t UNIT = %u; // elements: cores take whole units, the same number in the "
                 "kernel",
                 GEN_UNIT);
    if (needs & HOST_MIN_TILE_ELEMENTS)
        cxx_line(cx, "constexpr uint64_t MIN_TILE = %u; // elements", HOST_MIN_TILE);
    if (needs & HOST_MAX_COPY) cxx_line(cx, "constexpr uint64_t MAX_COPY_BYTES = %u;", HOST_MAX_COPY_BYTES);
    if (needs & HOST_MAX_TILE) cxx_line(cx, "constexpr uint64_t MAX_TILE = %u; // elements", PLAN_MAX_TILE);
    if (needs & HOST_MAX_ROWS)
        cxx_line(cx, "constexpr uint64_t MAX_ROWS = %u; // of a tile, the same number in the kernel",
                 PLAN_MAX_ROWS);
    if (needs & HOST_RESERVED)
        cxx_line(cx, "constexpr uint64_t RESERVED_UB = %u; // Select works in the last 8 KB of UB",
                 HOST_RESERVED_UB);
    cxx_blank(cx);
    cxx_line(cx, "uint64_t CeilDiv(uint64_t n, uint64_t by) { return (n + by - 1) / by; }");
    cxx_line(cx, "uint64_t AlignUp(uint64_t n, uint64_t unit) { return CeilDiv(n, unit) * unit; }");
    cxx_line(cx, "uint64_t Clamp(uint64_t n, uint64_t low, uint64_t high) { return std::max(low, std::min(n, "
                 "high)); }");
    for (size_t i = 0; i < gen->n_passes; i++) {
        const Emit *e = gen->pass[i].emit;
        if (e->host_helpers && !done[emit_index(e)]) e->host_helpers(gen, cx);
        done[emit_index(e)] = true;
    }
}

static void use_field_sizes(Gen *gen, HostSizes *hs) {
    for (size_t i = 0; i < gen->fields.n; i++)
        if (gen->fields.at[i].size) host_use_size(gen, hs, gen->fields.at[i].size);
    for (size_t i = 0; i < gen->n_passes; i++) {
        const GenPass *gp = &gen->pass[i];
        for (size_t k = 0; k < gp->fields.n; k++)
            if (gp->fields.at[k].size) host_use_size(gen, hs, gp->fields.at[k].size);
        for (size_t k = 0; k < gp->p->scalars.n; k++)
            if (gp->p->scalars.at[k].kind == PLAN_SIZE) host_use_size(gen, hs, gp->p->scalars.at[k].size);
    }
}

static void write_tiling_sizes(Gen *gen, Cxx *cx) {
    HostSizes hs = host_sizes_new(gen);
    use_field_sizes(gen, &hs);
    for (size_t i = 0; i < gen->g->n_symbols; i++)
        if (hs.symbol[i])
            cxx_line(cx,
                     "const int64_t %s = context->GetInputShape(%u)->GetStorageShape().GetDim(%u); // of %s",
                     gen->symbols[i], gen->g->symbols[i].input, gen->g->symbols[i].dim,
                     gen->g->inputs[gen->g->symbols[i].input].name);
}

static bool scalar_in_use(const Gen *gen, uint32_t index) {
    for (size_t i = 0; i < gen->n_passes; i++)
        for (size_t k = 0; k < gen->pass[i].p->scalars.n; k++) {
            const PlanScalar *s = &gen->pass[i].p->scalars.at[k];
            if (s->kind == PLAN_ATTRIBUTE && s->index == index) return true;
        }
    return false;
}

static void write_attributes(Gen *gen, Cxx *cx) {
    static const char *const TYPES[] = {"float", "int64_t", "bool"}, *const GETTERS[] = {"GetFloat", "GetInt",
                                                                                         "GetBool"};
    for (uint32_t i = 0; i < gen->g->n_scalars; i++) {
        const GraphScalar *s = &gen->g->scalars[i];
        if (scalar_in_use(gen, i))
            cxx_line(cx, "const %s %s = *context->GetAttrs()->%s(%u);", TYPES[s->type],
                     names_camel(gen->a, s->name), GETTERS[s->type], i);
    }
}

static bool uses_dtype(Gen *gen) {
    for (size_t i = 0; i < gen->n_passes; i++)
        if (gen->pass[i].emit->host_uses_dtype && gen->pass[i].emit->host_uses_dtype(gen, &gen->pass[i])) return true;
    return false;
}

static void write_split(Gen *gen, const GenPass *gp, Cxx *cx) {
    if (gp->emit->host_split) {
        gp->emit->host_split(gen, gp, cx);
        return;
    }
    for (size_t i = 0; i < gp->fields.n; i++) cxx_line(cx, "tiling.set_%s(%s);", gp->fields.at[i].name, gp->fields.at[i].value);
}

/* Temps, then the scratch of passes, each from a multiple of 512 bytes on. */
static void write_workspace(Gen *gen, Cxx *cx) {
    if (!emit_has_workspace(gen)) {
        cxx_line(cx, "size_t *workspaces = context->GetWorkspaceSizes(1);");
        cxx_line(cx, "workspaces[0] = %s;", emit_syncs(gen) ? "platform.GetLibApiWorkSpaceSize() + 16" : "0");
        return;
    }
    cxx_line(cx, "uint64_t workspaceBytes = 0;");
    for (size_t i = 0; i < gen->fields.n; i++) {
        const GenField *f = &gen->fields.at[i];
        cxx_line(cx, "tiling.set_%s(workspaceBytes);", f->name);
        cxx_line(cx, "workspaceBytes += AlignUp(%s, 512); // %s", f->value, f->what);
    }
}

static void write_tiling_func(Gen *gen, Cxx *cx) {
    cxx_function(cx, "static ge::graphStatus TilingFunc(gert::TilingContext *context)");
    write_tiling_sizes(gen, cx);
    write_attributes(gen, cx);
    if (uses_dtype(gen))
        cxx_line(cx, "const ge::DataType dtype = context->GetInputDesc(%zu)->GetDataType();",
                 host_key_input(gen));
    cxx_blank(cx);
    cxx_line(cx, "const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());");
    cxx_line(cx, "const uint64_t cores = platform.GetCoreNumAiv();");
    cxx_line(cx, "uint64_t ubBytes = 0;");
    cxx_line(cx, "platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);");
    for (size_t i = 0; i < gen->n_passes; i++) {
        cxx_blank(cx);
        gen->pass[i].emit->host_tiles(gen, &gen->pass[i], cx);
    }
    StrBuf wanted;
    strbuf_init(&wanted, gen->a);
    for (size_t i = 0; i < gen->n_passes; i++)
        strbuf_printf(&wanted, "%swanted%s", i ? ", " : "", gen->pass[i].suffix);
    cxx_blank(cx);
    if (gen->n_passes > 1) cxx_line(cx, "const uint64_t blockDim = std::max<uint64_t>({%s});", wanted.text);
    else cxx_line(cx, "const uint64_t blockDim = %s;", wanted.text);
    cxx_line(cx, "%s tiling;", gen->tiling_type);
    for (size_t i = 0; i < gen->n_passes; i++) write_split(gen, &gen->pass[i], cx);
    if (emit_has_workspace(gen)) write_workspace(gen, cx);
    cxx_blank(cx);
    if (emit_syncs(gen))
        cxx_line(cx, "context->SetScheduleMode(1); // all cores at once: they wait for each other");
    cxx_line(cx, "context->SetBlockDim(static_cast<uint32_t>(blockDim));");
    cxx_line(cx, "tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), "
                 "context->GetRawTilingData()->GetCapacity());");
    cxx_line(cx, "context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());");
    if (emit_has_workspace(gen)) {
        cxx_line(cx, "size_t *workspaces = context->GetWorkspaceSizes(1);");
        cxx_line(cx, "workspaces[0] = platform.GetLibApiWorkSpaceSize() + workspaceBytes + 16;");
    } else {
        write_workspace(gen, cx);
    }
    cxx_line(cx, "return ge::GRAPH_SUCCESS;");
    cxx_close(cx, "");
}

/* ---- inference
 * --------------------------------------------------------------------------------------------------- */

static void write_infer_shape(Gen *gen, Cxx *cx) {
    HostSizes hs = host_sizes_new(gen);
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        host_use_shape(gen, &hs, &gen->g->values[gen->g->outputs[i].value].shape);
    cxx_function(cx, "static ge::graphStatus InferShape(gert::InferShapeContext *context)");
    for (size_t i = 0; i < gen->g->n_symbols; i++)
        if (hs.symbol[i])
            cxx_line(cx, "const int64_t %s = context->GetInputShape(%u)->GetDim(%u);", gen->symbols[i],
                     gen->g->symbols[i].input, gen->g->symbols[i].dim);
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        cxx_line(cx, "*context->GetOutputShape(%zu) = gert::Shape(%s);", i,
                 host_shape_list(gen, &gen->g->values[gen->g->outputs[i].value].shape));
    cxx_line(cx, "return ge::GRAPH_SUCCESS;");
    cxx_close(cx, "");
}

static const char *output_type(Gen *gen, const GraphValue *v) {
    if (!host_dtype_varies(gen, v))
        return arena_printf(gen->a, "ge::%s", dtype_info(gen_value_dtype(gen, v, 0))->ge);
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        if (host_same_dtypes(gen, v, &gen->g->values[gen->g->inputs[i].value]))
            return arena_printf(gen->a, "context->GetInputDataType(%zu)", i);
    size_t key = host_key_input(gen), n = gen->plan->variants.n;
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t k = 0; k + 1 < n; k++)
        strbuf_printf(&sb, "context->GetInputDataType(%zu) == ge::%s ? ge::%s : ", key,
                      dtype_info(gen_value_dtype(gen, &gen->g->values[gen->g->inputs[key].value], k))->ge,
                      dtype_info(gen_value_dtype(gen, v, k))->ge);
    strbuf_printf(&sb, "ge::%s", dtype_info(gen_value_dtype(gen, v, n - 1))->ge);
    return sb.text;
}

static void write_infer_types(Gen *gen, Cxx *cx) {
    cxx_function(cx, "static ge::graphStatus InferDataType(gert::InferDataTypeContext *context)");
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        cxx_line(cx, "context->SetOutputDataType(%zu, %s);", i,
                 output_type(gen, &gen->g->values[gen->g->outputs[i].value]));
    cxx_line(cx, "return ge::GRAPH_SUCCESS;");
    cxx_close(cx, "");
}

/* ---- definition
 * -------------------------------------------------------------------------------------------------- */

static const char *repeat(Gen *gen, const char *(*item)(Gen *, const GraphValue *, size_t),
                          const GraphValue *v) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t k = 0; k < gen->plan->variants.n; k++)
        strbuf_printf(&sb, "%sge::%s", k ? ", " : "", item(gen, v, k));
    return sb.text;
}

static const char *ge_type(Gen *gen, const GraphValue *v, size_t k) {
    return dtype_info(gen_value_dtype(gen, v, k))->ge;
}
static const char *ge_format(Gen *gen, const GraphValue *v, size_t k) {
    (void)gen, (void)v, (void)k;
    return "FORMAT_ND";
}

static void write_tensor(Gen *gen, Cxx *cx, const char *kind, const char *name, const GraphValue *v,
                         bool is_input) {
    const char *formats = repeat(gen, ge_format, v);
    cxx_line(cx, "this->%s(\"%s\")", kind, name);
    cx->depth++;
    cxx_line(cx, ".ParamType(REQUIRED)");
    cxx_line(cx, ".DataType({%s})", repeat(gen, ge_type, v));
    cxx_line(cx, ".Format({%s})", formats);
    cxx_line(cx, ".UnknownShapeFormat({%s})%s", formats, is_input ? "" : ";");
    if (is_input) cxx_line(cx, ".AutoContiguous();");
    cx->depth--;
}

static void write_op_def(Gen *gen, Cxx *cx) {
    static const char *const TYPES[] = {"Float", "Int", "Bool"};
    cxx_open(cx, "class %s : public OpDef", gen->op_type);
    cxx_label(cx, "public:");
    cxx_function(cx, "explicit %s(const char *name) : OpDef(name)", gen->op_type);
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        write_tensor(gen, cx, "Input", gen->g->inputs[i].name, &gen->g->values[gen->g->inputs[i].value],
                     true);
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        write_tensor(gen, cx, "Output", gen->g->outputs[i].name, &gen->g->values[gen->g->outputs[i].value],
                     false);
    for (size_t i = 0; i < gen->g->n_scalars; i++)
        cxx_line(cx, "this->Attr(\"%s\").AttrType(REQUIRED).%s();", gen->g->scalars[i].name,
                 TYPES[gen->g->scalars[i].type]);
    cxx_blank(cx);
    cxx_line(cx, "this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);");
    cxx_line(cx, "this->AICore().SetTiling(optiling::TilingFunc);");
    cxx_line(cx, "this->AICore().AddConfig(\"ascend910b\");");
    cxx_line(cx, "this->AICore().AddConfig(\"ascend910_93\");");
    cxx_line(cx, "this->AICore().AddConfig(\"ascend950\");");
    cxx_close(cx, "");
    cxx_close(cx, ";");
    cxx_blank(cx);
    cxx_line(cx, "OP_ADD(%s);", gen->op_type);
}

const char *gen_host_operator(Gen *gen) {
    Cxx cx;
    cxx_init(&cx, gen->a);
    cxx_line(&cx, "#include \"%s_tiling.h\"", gen->snake);
    cxx_line(&cx, "#include \"register/op_def_registry.h\"");
    cxx_line(&cx, "#include \"tiling/platform/platform_ascendc.h\"");
    cxx_blank(&cx);
    cxx_line(&cx, "#include <algorithm>");
    cxx_blank(&cx);
    cxx_line(&cx, "namespace optiling {");
    cxx_line(&cx, "namespace {");
    write_helpers(gen, &cx);
    cxx_line(&cx, "} // namespace");
    cxx_blank(&cx);
    write_tiling_func(gen, &cx);
    cxx_line(&cx, "} // namespace optiling");
    cxx_blank(&cx);
    cxx_line(&cx, "namespace ge {");
    write_infer_shape(gen, &cx);
    cxx_blank(&cx);
    write_infer_types(gen, &cx);
    cxx_line(&cx, "} // namespace ge");
    cxx_blank(&cx);
    cxx_line(&cx, "namespace ops {");
    write_op_def(gen, &cx);
    cxx_line(&cx, "} // namespace ops");
    return cx.sb.text;
}
