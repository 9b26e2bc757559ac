/* What host sources share: which symbols they need, shapes as text, dtypes over variants. */
#include "codegen/host.h"

HostSizes host_sizes_new(Gen *gen) {
    return (HostSizes){.symbol = ARENA_ARRAY(gen->a, gen->g->n_symbols, bool)};
}

void host_use_size(Gen *gen, HostSizes *hs, const Size *s) {
    for (uint32_t i = 0; i < gen->g->n_symbols; i++) hs->symbol[i] |= size_uses(s, i);
}

void host_use_shape(Gen *gen, HostSizes *hs, const GraphShape *shape) {
    for (uint32_t d = 0; d < shape->rank; d++) host_use_size(gen, hs, shape->dim[d]);
}

const char *host_shape_list(Gen *gen, const GraphShape *shape) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    strbuf_add(&sb, "{");
    for (uint32_t d = 0; d < shape->rank; d++)
        strbuf_printf(&sb, "%s%s", d ? ", " : "", size_print(gen->a, shape->dim[d], gen->symbols, SIZE_CXX));
    strbuf_add(&sb, "}");
    return sb.text;
}

bool host_same_dtypes(const Gen *gen, const GraphValue *x, const GraphValue *y) {
    for (size_t v = 0; v < gen->plan->variants.n; v++)
        if (gen_value_dtype(gen, x, v) != gen_value_dtype(gen, y, v)) return false;
    return true;
}

bool host_dtype_varies(const Gen *gen, const GraphValue *val) {
    for (size_t v = 1; v < gen->plan->variants.n; v++)
        if (gen_value_dtype(gen, val, v) != gen_value_dtype(gen, val, 0)) return true;
    return false;
}

size_t host_key_input(const Gen *gen) {
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        if (host_dtype_varies(gen, &gen->g->values[gen->g->inputs[i].value])) return i;
    return SIZE_MAX;
}
