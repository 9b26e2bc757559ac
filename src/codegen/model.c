/* model_src and project_json_src. */
#include "codegen/host.h"

#include <stdlib.h>
#include <string.h>

/* ---- project JSON
 * ------------------------------------------------------------------------------------------------ */

static json_t *tensor_json(Gen *gen, const char *name, const GraphValue *v) {
    json_t *formats = json_array(), *types = json_array();
    for (size_t k = 0; k < gen->plan->variants.n; k++) {
        DType t = gen_value_dtype(gen, v, k);
        json_array_append_new(formats, json_string("ND"));
        json_array_append_new(types, json_string(t == DTYPE_F32 ? "float" : dtype_info(t)->msop));
    }
    return json_pack("{s:s, s:s, s:o, s:o}", "name", name, "param_type", "required", "format", formats,
                     "type", types);
}

const char *gen_project_json(Gen *gen) {
    static const char *const TYPES[] = {"float", "int", "bool"};
    json_t *in = json_array(), *out = json_array(), *attr = json_array();
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        json_array_append_new(
            in, tensor_json(gen, gen->g->inputs[i].name, &gen->g->values[gen->g->inputs[i].value]));
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        json_array_append_new(
            out, tensor_json(gen, gen->g->outputs[i].name, &gen->g->values[gen->g->outputs[i].value]));
    for (size_t i = 0; i < gen->g->n_scalars; i++)
        json_array_append_new(attr,
                              json_pack("{s:s, s:s, s:s}", "name", gen->g->scalars[i].name, "param_type",
                                        "required", "type", TYPES[gen->g->scalars[i].type]));
    json_t *op = json_pack("{s:s, s:s, s:o, s:o}", "op", gen->op_type, "language", "cpp", "input_desc", in,
                           "output_desc", out);
    if (gen->g->n_scalars) json_object_set(op, "attr", attr);
    json_decref(attr);
    json_t *doc = json_pack("[o]", op);
    char *text = json_dumps(doc, JSON_INDENT(4));
    const char *copy = arena_printf(gen->a, "%s\n", text);
    free(text);
    json_decref(doc);
    return copy;
}

/* ---- model
 * ------------------------------------------------------------------------------------------------------- */

/* Lines of `code` with their common indentation replaced by `depth` blanks; no blank lines at either end. */
static void add_code(StrBuf *sb, const char *code, int depth) {
    size_t common = SIZE_MAX;
    for (const char *p = code; *p;) {
        size_t indent = strspn(p, " "), n = strcspn(p, "\n");
        if (n > indent && indent < common) common = indent;
        p += n + (p[n] == '\n');
    }
    bool begun = false;
    int held = 0;
    for (const char *p = code; *p;) {
        size_t n = strcspn(p, "\n"), indent = strspn(p, " \t");
        bool blank = indent >= n;
        if (blank) held += begun;
        if (!blank) {
            while (held > 0) {
                strbuf_add(sb, "\n");
                held--;
            }
            strbuf_printf(sb, "%*s", depth, "");
            strbuf_addn(sb, p + common, n - common);
            strbuf_add(sb, "\n");
            begun = true;
        }
        p += n + (p[n] == '\n');
    }
}

static bool has_code(const char *s) {
    return s[strspn(s, " \t\n")] != '\0';
}

static const char *after_result(const GraphModel *m, size_t i) {
    return i < m->n_results ? m->results[i] : "";
}

static bool has_after_results(const GraphModel *m) {
    for (size_t i = 0; i < m->n_results; i++)
        if (m->results[i][0]) return true;
    return false;
}

/* Several results of which some are seen under another dtype. */
static void write_results(Gen *gen, const char *call, StrBuf *sb) {
    const GraphModel *m = &gen->g->model;
    bool list = gen->g->output_kind == GRAPH_OUT_LIST;
    strbuf_printf(sb, "        results = %s\n        return %s", call, list ? "[" : "");
    for (size_t i = 0; i < graph_n_results(gen->g); i++) strbuf_printf(sb, "%sresults[%zu]%s", i ? ", " : "", i, after_result(m, i));
    strbuf_printf(sb, "%s\n", list ? "]" : "");
}

const char *gen_model(Gen *gen) {
    const GraphModel *m = &gen->g->model;
    StrBuf sb, args;
    strbuf_init(&sb, gen->a);
    strbuf_init(&args, gen->a);
    for (size_t i = 0; i < m->n_call_args; i++) strbuf_printf(&args, "%s%s", i ? ", " : "", m->call_args[i]);
    strbuf_add(&sb, "import torch\nimport torch_npu\nimport custom_ops_lib\n");
    if (has_code(m->module_code)) {
        strbuf_add(&sb, "\n");
        add_code(&sb, m->module_code, 0);
    }
    strbuf_add(&sb, "\n\nclass ModelNew(torch.nn.Module):\n");
    if (has_code(m->init_code)) {
        add_code(&sb, m->init_code, 4);
    } else {
        strbuf_add(&sb, "    def __init__(self):\n        super().__init__()\n");
    }
    const char *call = arena_printf(gen->a, "custom_ops_lib.%s(%s)", gen->snake, args.text);
    strbuf_printf(&sb, "\n    def forward(self%s%s):\n", m->forward_params[0] ? ", " : "", m->forward_params);
    if (graph_n_results(gen->g) == 1) call = arena_printf(gen->a, "%s%s", call, after_result(m, 0));
    if (gen->g->output_kind == GRAPH_OUT_NONE) strbuf_printf(&sb, "        %s\n", call);
    else if (gen->g->output_kind == GRAPH_OUT_TENSOR) strbuf_printf(&sb, "        return %s\n", call);
    else if (graph_n_results(gen->g) > 1 && has_after_results(m)) write_results(gen, call, &sb);
    else if (graph_n_results(gen->g) == 1)
        strbuf_printf(
            &sb, gen->g->output_kind == GRAPH_OUT_LIST ? "        return [%s]\n" : "        return (%s,)\n",
            call);
    else if (gen->g->output_kind == GRAPH_OUT_LIST) strbuf_printf(&sb, "        return list(%s)\n", call);
    else strbuf_printf(&sb, "        return %s\n", call);
    return sb.text;
}
