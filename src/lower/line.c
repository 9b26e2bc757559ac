#include "lower/line.h"

const Size *lower_n_elements(Arena *a, const GraphShape *s) {
    const Size *n = size_const(a, 1);
    for (uint32_t d = 0; d < s->rank; d++) n = size_mul(a, n, s->dim[d]);
    return n;
}

GraphShape lower_line_shape(Arena *a, const Size *n) {
    GraphShape s = {.rank = 1, .dim = ARENA_ARRAY(a, 1, const Size *)};
    s.dim[0] = n;
    return s;
}

bool lower_line(Lower *lo, const GraphNode *n, uint32_t value, uint32_t *access) {
    const GraphValue *lies = &lo->g->values[lower_peel(lo->g, value)];
    if (lies->node >= 0) return lower_unsupported(lo, n, "its argument is not in memory", "");
    const GraphInput *in = &lo->g->inputs[lies->result];
    DType t = in->dtype ? in->dtype[lo->variant] : lies->dtype[lo->variant];
    if (!lower_dtype_is_supported(t) && t != DTYPE_I64)
        return lower_unsupported(lo, n, "its argument has an element type that is not taken here", "use float16, bfloat16, float32, int32, int64 or bool");
    GraphShape line = lower_line_shape(lo->a, lower_n_elements(lo->a, &lies->shape));
    GraphView view = graph_view_contiguous(lo->a, &line);
    *access = lower_operand(lo, lies->result, &view, PLAN_LINE);
    return true;
}

uint32_t lower_line_store(Lower *lo, uint32_t index) {
    const GraphOutput *o = &lo->g->outputs[index];
    const GraphValue *v = &lo->g->values[o->value];
    GraphShape line = lower_line_shape(lo->a, lower_n_elements(lo->a, &v->shape));
    PlanAccess acc = {.is_store = true,
                      .is_temp = o->dtype != NULL,
                      .tensor = index,
                      .name = o->name,
                      .tensor_name = o->name,
                      .cls = PLAN_LINE,
                      .dtype = o->dtype ? o->dtype : v->dtype,
                      .view = graph_view_contiguous(lo->a, &line)};
    vec_push(lo->a, &lo->pass->access, acc);
    vec_push(lo->a, &lo->pass->outputs, index);
    return (uint32_t)lo->pass->access.n - 1;
}

const GraphArg *lower_tensor_arg(const GraphNode *n, size_t i) {
    return i < n->n_args && n->args[i].kind == GRAPH_ARG_REF ? &n->args[i] : NULL;
}
