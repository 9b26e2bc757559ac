/* Runs InferShape, InferDataType and the tiling function of an op on plain-data contexts, and checks what they set. */
#include "runtime/runtime_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* HW: api_truth host, "tiling data capacity": 16 KiB where the compiler sizes it, 2048 bytes in some executors. */
#define TILING_CAPACITY_BYTES 16384u
#define TILING_SMALL_BYTES    2048u
#define POISON_BYTE           0xA5
#define WORKSPACE_UNSET       ((size_t)0xA5A5A5A5A5A5A5A5u)
#define GE_PLACEMENT_DEVICE   0
#define GE_PLACEMENT_HOST     1

static void fill_shape(OwhShape *s, const RtTensor *t) {
    s->n_dims = (size_t)t->rank;
    for (int32_t d = 0; d < t->rank; d++) s->dim[d] = t->size[d];
}

static void fill_desc(const ExecCall *c, const Operand *o, OwhTensorDesc *d) {
    const size_t at = c->combo * (c->op->in.n + c->op->out.n) + o->param;
    fill_shape(&d->shape.origin, o->t);
    d->shape.storage = d->shape.origin;
    d->type.dtype = rt_ge_of_dtype(o->t->dtype);
    d->type.origin_format = d->type.storage_format = c->op->combo_format[at];
    d->placement = GE_PLACEMENT_DEVICE;
    if (o->def->flags & (OWH_PARAM_VALUE_DEPEND | OWH_PARAM_VALUE_DEPEND_OPTIONAL)) {
        d->data = rt_tensor_data(o->t);
        d->n_bytes = rt_tensor_bytes(o->t);
        d->placement = GE_PLACEMENT_HOST;
    }
}

/* The tensors of one declared parameter, behind those of the ones before. */
static OwhAnchor fill_anchor(const ExecCall *c, const Operand *o, OwhTensorDesc *descs, size_t *n) {
    OwhAnchor anchor = {.start = (uint32_t)*n};
    for (size_t j = 0; j < o->n_items; j++) {
        if (!o->item[j].t) continue;
        fill_desc(c, &o->item[j], &descs[(*n)++]);
        anchor.n++;
    }
    return anchor;
}

void exec_fill_node(ExecCall *c, OwhNode *node) {
    const OwhOpDef *op = c->op;
    OwhAnchor *ir_in = ARENA_ARRAY(c->arena, op->in.n, OwhAnchor), *ir_out = ARENA_ARRAY(c->arena, op->out.n, OwhAnchor);
    *node = (OwhNode){.name = op->type, .type = op->type, .ir_in = ir_in, .ir_out = ir_out, .n_ir_in = op->in.n, .n_ir_out = op->out.n,
                      .in = ARENA_ARRAY(c->arena, c->all_in.n, OwhTensorDesc), .out = ARENA_ARRAY(c->arena, c->all_out.n, OwhTensorDesc),
                      .attrs = {op->attrs.n, c->attrs}};
    for (size_t i = 0; i < op->in.n; i++) ir_in[i] = fill_anchor(c, &c->in[i], node->in, &node->n_in);
    for (size_t i = 0; i < op->out.n; i++) ir_out[i] = fill_anchor(c, &c->out[i], node->out, &node->n_out);
}

static uint32_t run_guarded(ExecCall *c, OwhFnKind kind, void *ctx, const char *name, char *text, size_t n_text) {
    text[0] = 0;
    rt_trail(c->rt, "host_operator_src", name);
    const uint32_t status = c->op->guard(c->op->fn[kind], ctx, text, n_text);
    rt_trail(c->rt, "python_bind_src", "EXEC_NPU_CMD");
    return status;
}

/* -------------------------------------------------------------------------------------------------- inference */

static bool same_shape(const OwhShape *s, const RtTensor *t) {
    if (s->n_dims != (size_t)t->rank) return false;
    for (int32_t d = 0; d < t->rank; d++)
        if (s->dim[d] != t->size[d]) return false;
    return true;
}

static void check_inferred_shapes(ExecCall *c, const OwhNode *node) {
    char inferred[160], given[160];
    for (size_t i = 0, at = 0; i < c->all_out.n; i++) {
        const Operand *o = c->all_out.at[i];
        const RtTensor *t = o->t;
        if (!t) continue;
        const OwhShape *s = &node->out[at++].shape.origin;
        if (same_shape(s, t)) continue;
        const size_t rank = s->n_dims <= OWH_MAX_DIMS ? s->n_dims : OWH_MAX_DIMS;
        rt_finding(c->rt, RT_INFER_SHAPE_MISMATCH, c->op->type, rt_shape_text(inferred, s->dim, rank), o->def->name,
                   rt_shape_text(given, t->size, (size_t)t->rank));
    }
}

/* aclnn calls use the given outputs, so inference is only checked, as graph mode would use it. */
static void infer_shape(ExecCall *c) {
    char text[512], why[600] = "";
    OwhInferContext ctx;
    if (!c->op->fn[OWH_FN_INFER_SHAPE]) {
        rt_finding(c->rt, RT_INFER_SHAPE_ABSENT, c->op->type);
        return;
    }
    exec_fill_node(c, &ctx.node);
    for (size_t i = 0; i < ctx.node.n_out; i++) memset(&ctx.node.out[i].shape, 0, sizeof ctx.node.out[i].shape);
    const uint32_t status = run_guarded(c, OWH_FN_INFER_SHAPE, &ctx, "InferShape", text, sizeof text);
    if (text[0]) snprintf(why, sizeof why, ": %s", text);
    if (status != 0) rt_finding(c->rt, RT_INFER_SHAPE_FAILED, c->op->type, status, why);
    else check_inferred_shapes(c, &ctx.node);
}

static void infer_dtype(ExecCall *c) {
    char text[512];
    OwhInferContext ctx;
    if (!c->op->fn[OWH_FN_INFER_DTYPE]) return;
    exec_fill_node(c, &ctx.node);
    if (run_guarded(c, OWH_FN_INFER_DTYPE, &ctx, "InferDataType", text, sizeof text) != 0) return;
    for (size_t i = 0, at = 0; i < c->all_out.n; i++) {
        const Operand *o = c->all_out.at[i];
        if (!o->t) continue;
        const int32_t ge = ctx.node.out[at++].type.dtype;
        if (ge != rt_ge_of_dtype(o->t->dtype))
            rt_finding(c->rt, RT_INFER_DTYPE_MISMATCH, c->op->type, rt_ge_name(ge), o->def->name, rt_dtype_name(o->t->dtype));
    }
}

int exec_infer(ExecCall *c) {
    infer_shape(c);
    infer_dtype(c);
    return 0;
}

/* ----------------------------------------------------------------------------------------------------- tiling */

static const TilingClass *tiling_class(const ExecCall *c) {
    char keyed[320];
    const TilingClass *found = NULL;
    snprintf(keyed, sizeof keyed, "%s_%" PRIu64, c->op->type, c->tiling.tiling_key);
    for (size_t i = 0; i < c->rt->tiling_classes.n; i++) {
        const TilingClass *t = &c->rt->tiling_classes.at[i];
        if (!strcmp(t->op, keyed)) return t;
        if (!strcmp(t->op, c->op->type)) found = t;
    }
    return found;
}

static int check_tiling_data(ExecCall *c) {
    const TilingClass *cls = tiling_class(c);
    const size_t n = c->tiling.data.n_bytes;
    if (n > c->tiling.data.capacity)
        return rt_fail(c->rt, "tiling: the tiling function of %s set a data size of %zu bytes, the capacity is %zu", c->op->type, n,
                       c->tiling.data.capacity);
    if (cls && n == 0) rt_finding(c->rt, RT_TILING_EMPTY, c->op->type, cls->name, cls->n_bytes);
    else if (cls && n != cls->n_bytes) rt_finding(c->rt, RT_TILING_SIZE, c->op->type, n, cls->name, cls->n_bytes);
    if (n > TILING_SMALL_BYTES) rt_finding(c->rt, RT_TILING_OVER_2K, c->op->type, n);
    return 0;
}

static int check_tiling(ExecCall *c) {
    OwhTilingContext *t = &c->tiling;
    if (t->block_dim < 1 || t->block_dim > 65535)
        return rt_fail(c->rt, "tiling: the tiling function of %s set block dim %u, allowed is 1 to 65535%s", c->op->type, t->block_dim,
                       t->block_dim == 0 ? ": SetBlockDim was not called or got 0" : "");
    if (t->workspace.size > 1)
        return rt_fail(c->rt, "tiling: the tiling function of %s asks for %zu workspaces, custom operators have one", c->op->type, t->workspace.size);
    if (t->workspace.size == 0) t->workspace_bytes[0] = 0;
    if (t->workspace_bytes[0] == WORKSPACE_UNSET) {
        rt_finding(c->rt, RT_WORKSPACE_UNSET, c->op->type);
        t->workspace_bytes[0] = 0;
    }
    return check_tiling_data(c);
}

int exec_tiling(ExecCall *c) {
    OwhTilingContext *t = &c->tiling;
    char text[1024];
    c->tiling_buffer = arena_alloc(c->arena, TILING_CAPACITY_BYTES);
    memset(c->tiling_buffer, POISON_BYTE, TILING_CAPACITY_BYTES); /* GetTilingData gives a buffer that is not reset */
    exec_fill_node(c, &t->node);
    t->data = (OwhTilingData){.capacity = TILING_CAPACITY_BYTES, .data = c->tiling_buffer};
    t->workspace = (OwhVector){.capacity = OWH_MAX_WORKSPACES};
    for (size_t i = 0; i < OWH_MAX_WORKSPACES; i++) t->workspace_bytes[i] = WORKSPACE_UNSET;
    t->platform = (void *)(uintptr_t)c->rt->chip;
    const uint32_t status = run_guarded(c, OWH_FN_TILING, t, "Tiling", text, sizeof text);
    if (status != 0)
        return rt_fail(c->rt, "tiling: do tiling failed: the tiling function of %s returned %u for %s%s%s (aclnn status 561002)", c->op->type,
                       status, exec_operands_text(c), text[0] ? ": " : "", text);
    return check_tiling(c);
}
