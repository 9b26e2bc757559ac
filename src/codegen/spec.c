/* spec.json: the requirement in normal form. */
#include "codegen/host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static json_t *shape_json(const Gen *gen, const GraphShape *shape) {
    json_t *list = json_array();
    for (uint32_t d = 0; d < shape->rank; d++) {
        int64_t v;
        if (size_is_const(shape->dim[d], &v)) json_array_append_new(list, json_integer(v));
        else
            json_array_append_new(list,
                                  json_string(size_print(gen->a, shape->dim[d], gen->symbols, SIZE_PYTHON)));
    }
    return list;
}

static json_t *dtypes_json(const Gen *gen, const GraphValue *v) {
    json_t *list = json_array();
    for (size_t k = 0; k < gen->plan->variants.n; k++)
        json_array_append_new(list, json_string(dtype_info(gen_value_dtype(gen, v, k))->torch));
    return list;
}

static json_t *tensor_json(const Gen *gen, const char *name, const GraphValue *v) {
    return json_pack("{s:s, s:o, s:o, s:s}", "name", name, "dtype", dtypes_json(gen, v), "shape",
                     shape_json(gen, &v->shape), "layout", "ND");
}

/* How an input takes part: the classes of its accesses in all passes. */
static const char *broadcast_rule(const Gen *gen, size_t input) {
    static const char *const WORDS[PLAN_N_CLASSES] = {
        [PLAN_LINE] = "element by element",         [PLAN_NUMBER] = "one element for all",
        [PLAN_ROW] = "element by element",          [PLAN_VECTOR] = "one row for all rows",
        [PLAN_COLUMN] = "one element for each row", [PLAN_STRIDED] = "permuted or strided view",
        [PLAN_INDEX] = "names elements of others",  [PLAN_PICKED] = "elements that an index tensor names",
        [PLAN_UPDATE] = "goes to elements that an index tensor names",
        [PLAN_COUNTED] = "numbers counted in the kernel"};
    bool seen[PLAN_N_CLASSES] = {false};
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (size_t i = 0; i < gen->n_passes; i++)
        for (size_t k = 0; k < gen->pass[i].p->access.n; k++) {
            const PlanAccess *acc = &gen->pass[i].p->access.at[k];
            PlanClass c = acc->cls == PLAN_ROW ? PLAN_LINE : acc->cls;
            if (acc->is_store || acc->tensor != input || seen[c]) continue;
            seen[c] = true;
            strbuf_printf(&sb, "%s%s", sb.n_bytes ? "; " : "", WORDS[c]);
        }
    return sb.n_bytes ? sb.text : "not used";
}

static json_t *inputs_json(const Gen *gen) {
    json_t *list = json_array();
    for (size_t i = 0; i < gen->g->n_inputs; i++) {
        const GraphInput *in = &gen->g->inputs[i];
        static const char *const KINDS[] = {"argument", "parameter", "buffer"};
        json_t *o = tensor_json(gen, in->name, &gen->g->values[in->value]);
        json_object_set_new(o, "kind", json_string(KINDS[in->kind]));
        json_object_set_new(o, "broadcast", json_string(broadcast_rule(gen, i)));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *outputs_json(Gen *gen) {
    json_t *list = json_array();
    for (size_t i = 0; i < gen->g->n_outputs; i++) {
        json_t *o = tensor_json(gen, gen->g->outputs[i].name, &gen->g->values[gen->g->outputs[i].value]);
        json_object_set_new(o, "formula", json_string(gen_formula_text(gen, i)));
        json_object_set_new(o, "latex", json_string(gen_formula_latex(gen, i)));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *attributes_json(const Gen *gen) {
    static const char *const TYPES[] = {"float", "int", "bool"};
    json_t *list = json_array();
    for (size_t i = 0; i < gen->g->n_scalars; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:f}", "name", gen->g->scalars[i].name, "type",
                                        TYPES[gen->g->scalars[i].type], "example", gen->g->scalars[i].value));
    return list;
}

static json_t *constraints_json(const Gen *gen) {
    json_t *list = json_array();
    for (size_t i = 0; i < gen->plan->bounds.list.n; i++) {
        const GraphBound *b = &gen->plan->bounds.list.at[i];
        json_array_append_new(
            list, json_string(arena_printf(
                      gen->a, "%s <= %s (%s)", size_print(gen->a, b->small, gen->symbols, SIZE_PYTHON),
                      size_print(gen->a, b->large, gen->symbols, SIZE_PYTHON), b->node->text)));
    }
    if (host_key_input(gen) != SIZE_MAX)
        json_array_append_new(list, json_string("all floating tensors of a call have one dtype"));
    for (size_t i = 0; i < gen->plan->notes.n; i++)
        json_array_append_new(list, json_string(gen->plan->notes.at[i]));
    for (size_t i = 0; i < gen->g->n_notes; i++) json_array_append_new(list, json_string(gen->g->notes[i]));
    return list;
}

static json_t *symbols_json(const Gen *gen) {
    json_t *o = json_object();
    for (size_t i = 0; i < gen->g->n_symbols; i++) {
        const GraphSymbol *s = &gen->g->symbols[i];
        json_object_set_new(
            o, gen->symbols[i],
            json_string(arena_printf(gen->a, "size %u of %s", s->dim, gen->g->inputs[s->input].name)));
    }
    return o;
}

const char *gen_spec_json(Gen *gen) {
    json_t *doc =
        json_pack("{s:i, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "schema", 1, "name", gen->name,
                  "op", gen->op_type, "category", gen_category(gen), "chip", gen->chip, "symbols",
                  symbols_json(gen), "inputs", inputs_json(gen), "attributes", attributes_json(gen),
                  "outputs", outputs_json(gen), "reduce", "none", "constraints", constraints_json(gen));
    char *text = json_dumps(doc, JSON_INDENT(2));
    const char *copy = text ? arena_printf(gen->a, "%s\n", text) : "";
    free(text);
    json_decref(doc);
    return copy;
}
