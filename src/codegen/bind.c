/* python_bind_src: checks what the trace takes for granted, allocates the outputs, launches. */
#include "codegen/host.h"

#include <string.h>

static const char *AT_TYPES[DTYPE_COUNT] = {[DTYPE_F16] = "at::kHalf",
                                            [DTYPE_BF16] = "at::kBFloat16",
                                            [DTYPE_F32] = "at::kFloat",
                                            [DTYPE_I32] = "at::kInt",
                                            [DTYPE_I64] = "at::kLong",
                                            [DTYPE_F64] = "at::kDouble",
                                            [DTYPE_I8] = "at::kChar",
                                            [DTYPE_I16] = "at::kShort",
                                            [DTYPE_U8] = "at::kByte",
                                            [DTYPE_U16] = "at::kUInt16",
                                            [DTYPE_U32] = "at::kUInt32",
                                            [DTYPE_U64] = "at::kUInt64",
                                            [DTYPE_BOOL] = "at::kBool"};

static const char *at_type(DType t) {
    return AT_TYPES[t] ? AT_TYPES[t] : "at::kFloat";
}

static const GraphValue *input_value(const Gen *gen, size_t i) {
    return &gen->g->values[gen->g->inputs[i].value];
}

/* ---- checks
 * ------------------------------------------------------------------------------------------------------ */

static void write_rank_checks(Gen *gen, Cxx *cx) {
    for (size_t i = 0; i < gen->g->n_inputs; i++) {
        uint32_t rank = input_value(gen, i)->shape.rank;
        const char *name = gen->g->inputs[i].name;
        cxx_line(cx, "TORCH_CHECK(%s.dim() == %u, \"%s: %s must have %u dimension%s, got \", %s.dim());",
                 name, rank, gen->snake, name, rank, rank == 1 ? "" : "s", name);
    }
}

static void write_dtype_checks(Gen *gen, Cxx *cx) {
    size_t key = host_key_input(gen);
    for (size_t i = 0; i < gen->g->n_inputs; i++) {
        const GraphValue *v = input_value(gen, i);
        const char *name = gen->g->inputs[i].name;
        StrBuf test, names;
        strbuf_init(&test, gen->a);
        strbuf_init(&names, gen->a);
        if (i != key && key != SIZE_MAX && host_same_dtypes(gen, v, input_value(gen, key))) {
            const char *first = gen->g->inputs[key].name;
            cxx_line(cx,
                     "TORCH_CHECK(%s.scalar_type() == %s.scalar_type(), \"%s: %s must have the dtype of %s, "
                     "\", %s.scalar_type(), \", got \", %s.scalar_type());",
                     name, first, gen->snake, name, first, first, name);
            continue;
        }
        bool seen[DTYPE_COUNT] = {false};
        for (size_t k = 0; k < gen->plan->variants.n; k++) {
            DType t = gen_value_dtype(gen, v, k);
            if (seen[t]) continue;
            seen[t] = true;
            strbuf_printf(&test, "%s%s.scalar_type() == %s", test.n_bytes ? " || " : "", name, at_type(t));
            strbuf_printf(&names, "%s%s", names.n_bytes ? " or " : "", dtype_info(t)->torch);
        }
        cxx_line(cx, "TORCH_CHECK(%s, \"%s: %s must be %s, got \", %s.scalar_type());", test.text, gen->snake,
                 name, names.text, name);
    }
}

static void write_symbols(Gen *gen, const HostSizes *hs, Cxx *cx) {
    for (size_t i = 0; i < gen->g->n_symbols; i++)
        if (hs->symbol[i])
            cxx_line(cx, "const int64_t %s = %s.size(%u);", gen->symbols[i],
                     gen->g->inputs[gen->g->symbols[i].input].name, gen->g->symbols[i].dim);
}

/* "size 1 of x" for a symbol alone, else the expression. */
static const char *size_words(Gen *gen, const Size *s) {
    for (uint32_t i = 0; i < gen->g->n_symbols; i++)
        if (size_equal(s, size_symbol(gen->a, i)))
            return arena_printf(gen->a, "size %u of %s", gen->g->symbols[i].dim,
                                gen->g->inputs[gen->g->symbols[i].input].name);
    return size_print(gen->a, s, gen->symbols, SIZE_PYTHON);
}

static bool is_home(const Gen *gen, size_t input, uint32_t dim) {
    for (size_t i = 0; i < gen->g->n_symbols; i++)
        if (gen->g->symbols[i].input == input && gen->g->symbols[i].dim == dim) return true;
    return false;
}

static bool has_size_checks(const Gen *gen) {
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        for (uint32_t d = 0; d < input_value(gen, i)->shape.rank; d++)
            if (!is_home(gen, i, d)) return true;
    return gen->plan->bounds.list.n > 0;
}

static void write_size_checks(Gen *gen, Cxx *cx) {
    for (size_t i = 0; i < gen->g->n_inputs; i++) {
        const GraphValue *v = input_value(gen, i);
        const char *name = gen->g->inputs[i].name;
        for (uint32_t d = 0; d < v->shape.rank; d++) {
            const Size *s = v->shape.dim[d];
            const char *text = size_print(gen->a, s, gen->symbols, SIZE_CXX);
            if (is_home(gen, i, d)) continue;
            if (size_is_const(s, NULL))
                cxx_line(
                    cx,
                    "TORCH_CHECK(%s.size(%u) == %s, \"%s: size %u of %s must be %s, got \", %s.size(%u));",
                    name, d, text, gen->snake, d, name, text, name, d);
            else
                cxx_line(cx,
                         "TORCH_CHECK(%s.size(%u) == %s, \"%s: size %u of %s must equal %s, \", %s, \", got "
                         "\", %s.size(%u));",
                         name, d, text, gen->snake, d, name, size_words(gen, s), text, name, d);
        }
    }
}

static const char *quoted(Arena *a, const char *text) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\') strbuf_add(&sb, "\\");
        if (*p == '\n') strbuf_add(&sb, " ");
        else strbuf_addn(&sb, p, 1);
    }
    return sb.text;
}

static void write_bound_checks(Gen *gen, Cxx *cx) {
    for (size_t i = 0; i < gen->plan->bounds.list.n; i++) {
        const GraphBound *b = &gen->plan->bounds.list.at[i];
        cxx_line(cx, "TORCH_CHECK(%s <= %s, \"%s: `%s` needs %s <= %s\");",
                 size_print(gen->a, b->small, gen->symbols, SIZE_CXX),
                 size_print(gen->a, b->large, gen->symbols, SIZE_CXX), gen->snake,
                 quoted(gen->a, b->node->text), size_print(gen->a, b->small, gen->symbols, SIZE_PYTHON),
                 size_print(gen->a, b->large, gen->symbols, SIZE_PYTHON));
    }
}

/* ---- outputs
 * ----------------------------------------------------------------------------------------------------- */

static const char *options_text(Gen *gen, const GraphValue *v) {
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        if (host_same_dtypes(gen, v, input_value(gen, i)))
            return arena_printf(gen->a, "%s.options()", gen->g->inputs[i].name);
    const char *any = gen->g->inputs[0].name;
    if (!host_dtype_varies(gen, v))
        return arena_printf(gen->a, "%s.options().dtype(%s)", any, at_type(gen_value_dtype(gen, v, 0)));
    size_t key = host_key_input(gen), n = gen->plan->variants.n;
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t k = 0; k + 1 < n; k++)
        strbuf_printf(&sb, "%s.scalar_type() == %s ? %s : ", gen->g->inputs[key].name,
                      at_type(gen_value_dtype(gen, input_value(gen, key), k)),
                      at_type(gen_value_dtype(gen, v, k)));
    return arena_printf(gen->a, "%s.options().dtype(%s%s)", any, sb.text,
                        at_type(gen_value_dtype(gen, v, n - 1)));
}

static void use_output_sizes(Gen *gen, HostSizes *hs) {
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        host_use_shape(gen, hs, &gen->g->values[gen->g->outputs[i].value].shape);
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        for (uint32_t d = 0; d < input_value(gen, i)->shape.rank; d++)
            if (!is_home(gen, i, d)) host_use_size(gen, hs, input_value(gen, i)->shape.dim[d]);
    for (size_t i = 0; i < gen->plan->bounds.list.n; i++) {
        host_use_size(gen, hs, gen->plan->bounds.list.at[i].small);
        host_use_size(gen, hs, gen->plan->bounds.list.at[i].large);
    }
}

static const char *return_type(Gen *gen) {
    size_t n = graph_n_results(gen->g);
    if (n == 0) return "void";
    if (n == 1) return "at::Tensor";
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    strbuf_add(&sb, "std::tuple<");
    for (size_t i = 0; i < n; i++) strbuf_printf(&sb, "%sat::Tensor", i ? ", " : "");
    strbuf_add(&sb, ">");
    return sb.text;
}

/* What is returned of output i: as many elements as the device has counted. */
static const char *result_text(Gen *gen, size_t i) {
    const GraphOutput *o = &gen->g->outputs[i];
    if (!o->cut) return o->name;
    return arena_printf(gen->a, "%s.narrow(%u, 0, n_%s)", o->name, o->cut - 1, gen->g->outputs[o->count].name);
}

static void write_return(Gen *gen, Cxx *cx) {
    size_t n = graph_n_results(gen->g);
    StrBuf results;
    strbuf_init(&results, gen->a);
    for (size_t i = 0; i < n; i++) strbuf_printf(&results, "%s%s", i ? ", " : "", result_text(gen, i));
    for (size_t i = n; i < gen->g->n_outputs; i++) {
        const GraphOutput *o = &gen->g->outputs[i];
        if (i == n && o->is_count) cxx_comment(cx, "The outputs have room for all elements there could be; reading a count waits for the device.");
        if (o->is_count) cxx_line(cx, "const int64_t n_%s = %s.item<int64_t>();", o->name, o->name);
        else cxx_line(cx, "%s.copy_(%s);", gen->g->inputs[o->changes - 1].name, o->name);
    }
    if (n == 0) return;
    if (n == 1) cxx_line(cx, "return %s;", results.text);
    else cxx_line(cx, "return std::make_tuple(%s);", results.text);
}

static void write_function(Gen *gen, Cxx *cx) {
    static const char *const TYPES[] = {"double", "int64_t", "bool"};
    StrBuf params, names, outs;
    strbuf_init(&params, gen->a);
    strbuf_init(&names, gen->a);
    strbuf_init(&outs, gen->a);
    for (size_t i = 0; i < gen->g->n_inputs; i++) {
        strbuf_printf(&params, "%sconst at::Tensor &%s", i ? ", " : "", gen->g->inputs[i].name);
        strbuf_printf(&names, "%s, ", gen->g->inputs[i].name);
    }
    for (size_t i = 0; i < gen->g->n_scalars; i++) {
        strbuf_printf(&params, "%s%s %s", params.n_bytes ? ", " : "", TYPES[gen->g->scalars[i].type],
                      gen->g->scalars[i].name);
        strbuf_printf(&names, "%s, ", gen->g->scalars[i].name);
    }
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        strbuf_printf(&outs, "%s%s", i ? ", " : "", gen->g->outputs[i].name);
    cxx_function(cx, "%s %s_impl_npu(%s)", return_type(gen), gen->snake, params.text);
    write_rank_checks(gen, cx);
    write_dtype_checks(gen, cx);
    HostSizes hs = host_sizes_new(gen);
    use_output_sizes(gen, &hs);
    write_symbols(gen, &hs, cx);
    if (has_size_checks(gen)) {
        write_size_checks(gen, cx);
        write_bound_checks(gen, cx);
    }
    cxx_blank(cx);
    for (size_t i = 0; i < gen->g->n_outputs; i++) {
        const GraphValue *v = &gen->g->values[gen->g->outputs[i].value];
        cxx_line(cx, "at::Tensor %s = at::empty(%s, %s);", gen->g->outputs[i].name,
                 host_shape_list(gen, &v->shape), options_text(gen, v));
    }
    cxx_line(cx, "EXEC_NPU_CMD(aclnn%s, %s%s);", gen->op_type, names.text, outs.text);
    write_return(gen, cx);
    cxx_close(cx, "");
}

const char *gen_python_bind(Gen *gen) {
    Cxx cx;
    cxx_init(&cx, gen->a);
    cxx_line(&cx, "#include <torch/extension.h>");
    cxx_line(&cx, "#include <torch/library.h>");
    cxx_blank(&cx);
    cxx_line(&cx, "#include <algorithm>");
    if (graph_n_results(gen->g) > 1) cxx_line(&cx, "#include <tuple>");
    cxx_blank(&cx);
    cxx_line(&cx, "#include \"pytorch_npu_helper.hpp\"");
    cxx_blank(&cx);
    write_function(gen, &cx);
    cxx_blank(&cx);
    cxx_open(&cx, "TORCH_LIBRARY_IMPL(myops, PrivateUse1, m)");
    cxx_line(&cx, "m.impl(\"%s\", &%s_impl_npu);", gen->snake, gen->snake);
    cxx_close(&cx, "");
    cxx_blank(&cx);
    cxx_open(&cx, "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)");
    cxx_line(&cx, "m.def(\"%s\", &%s_impl_npu, \"%s\");", gen->snake, gen->snake,
             quoted(gen->a, gen_formula_text(gen, 0)));
    cxx_close(&cx, "");
    return cx.sb.text;
}
