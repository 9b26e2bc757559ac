/* graph.json to Graph. Every error says where in the JSON it is. */
#include "graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reader {
    Arena *a;
    Graph *g;
    Err *err;
    VEC(GraphValue) values;
} Reader;

static bool bad(Reader *r, const char *where, const char *what) {
    return err_set(r->err, ERR_BAD_INPUT, NULL, "graph.json: %s: %s", where, what);
}

static const char *get_string(Reader *r, const json_t *o, const char *key, const char *fallback) {
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? arena_strdup(r->a, json_string_value(v)) : fallback;
}

static int get_int(const json_t *o, const char *key, int fallback) {
    const json_t *v = json_object_get(o, key);
    return json_is_integer(v) ? (int)json_integer_value(v) : fallback;
}

static bool read_dtype_name(Reader *r, const char *where, const json_t *v, DType *out) {
    if (json_is_string(v) && dtype_find(json_string_value(v), out)) return true;
    return bad(r, where, "not the name of an element type");
}

/* A list with one name per variant. */
static const DType *read_dtypes(Reader *r, const char *where, const json_t *v) {
    if (json_array_size(v) != r->g->n_variants) {
        bad(r, where, "dtype must list one name per variant");
        return NULL;
    }
    DType *out = ARENA_ARRAY(r->a, r->g->n_variants, DType);
    for (size_t i = 0; i < r->g->n_variants; i++)
        if (!read_dtype_name(r, where, json_array_get(v, i), &out[i])) return NULL;
    return out;
}

static const Size *read_size(Reader *r, const char *where, const json_t *v) {
    if (json_is_integer(v)) return size_const(r->a, json_integer_value(v));
    if (json_is_string(v)) {
        const Size *s = size_parse(r->a, json_string_value(v), r->g->symbol_names, r->g->n_symbols, r->err);
        if (!s) err_context(r->err, "graph.json: %s", where);
        return s;
    }
    bad(r, where, "a size is an integer or an expression string");
    return NULL;
}

static bool read_shape(Reader *r, const char *where, const json_t *v, GraphShape *out) {
    if (!json_is_array(v)) return bad(r, where, "shape must be a list");
    out->rank = (uint32_t)json_array_size(v);
    out->dim = ARENA_ARRAY(r->a, out->rank, const Size *);
    for (uint32_t d = 0; d < out->rank; d++)
        if (!(out->dim[d] = read_size(r, where, json_array_get(v, d)))) return false;
    return true;
}

static bool find_value(Reader *r, const char *where, const char *id, uint32_t *out) {
    for (size_t i = 0; id && i < r->values.n; i++)
        if (strcmp(r->values.at[i].id, id) == 0) {
            *out = (uint32_t)i;
            return true;
        }
    return bad(r, where, arena_printf(r->a, "no tensor has the id `%s` here", id ? id : "(none)"));
}

static bool add_value(Reader *r, const char *where, const json_t *o, int32_t node, uint32_t result) {
    GraphValue v = {.node = node, .result = result};
    v.id = get_string(r, o, "id", NULL);
    if (!v.id) return bad(r, where, "id missing");
    for (size_t i = 0; i < r->values.n; i++)
        if (strcmp(r->values.at[i].id, v.id) == 0)
            return bad(r, where, arena_printf(r->a, "id `%s` is used twice", v.id));
    if (!(v.dtype = read_dtypes(r, where, json_object_get(o, "dtype")))) return false;
    if (!read_shape(r, where, json_object_get(o, "shape"), &v.shape)) return false;
    vec_push(r->a, &r->values, v);
    return true;
}

/* ---- head
 * -------------------------------------------------------------------------------------------------------- */

static bool read_variants(Reader *r, const json_t *root) {
    const json_t *list = json_object_get(root, "variants");
    r->g->n_variants = json_array_size(list);
    r->g->variants = ARENA_ARRAY(r->a, r->g->n_variants, DType);
    for (size_t i = 0; i < r->g->n_variants; i++)
        if (!read_dtype_name(r, "variants", json_array_get(list, i), &r->g->variants[i])) return false;
    int own = get_int(root, "own_variant", 0);
    r->g->own_variant = own < 0 ? SIZE_MAX : (size_t)own;
    return true;
}

static int by_length_then_name(const void *x, const void *y) {
    const GraphSymbol *p = x, *q = y;
    size_t np = strlen(p->name), nq = strlen(q->name);
    return np != nq ? (np < nq ? -1 : 1) : strcmp(p->name, q->name);
}

/* Symbols are an object, whose order is not ours: they are sorted (s2 before s10), so that output does not
 * depend on it. */
static bool read_symbols(Reader *r, const json_t *root) {
    json_t *object = json_object_get(root, "symbols");
    Graph *g = r->g;
    g->symbols = ARENA_ARRAY(r->a, json_object_size(object), GraphSymbol);
    const char *name;
    json_t *v;
    json_object_foreach(object, name, v) {
        const json_t *hint = json_object_get(v, "hint");
        if (!json_is_integer(hint)) return bad(r, "symbols", "hint missing");
        g->symbols[g->n_symbols++] = (GraphSymbol){
            .name = arena_strdup(r->a, name), .hint = json_integer_value(hint), .input = UINT32_MAX};
    }
    if (g->n_symbols) qsort(g->symbols, g->n_symbols, sizeof *g->symbols, by_length_then_name);
    g->symbol_names = ARENA_ARRAY(r->a, g->n_symbols, const char *);
    for (size_t i = 0; i < g->n_symbols; i++) g->symbol_names[i] = g->symbols[i].name;
    return true;
}

static bool read_ints(Reader *r, const char *where, const json_t *v, size_t n, int64_t **out) {
    if (json_array_size(v) != n)
        return bad(r, where, "hint_shape and hint_stride must have one entry per dimension");
    *out = ARENA_ARRAY(r->a, n, int64_t);
    for (size_t i = 0; i < n; i++) (*out)[i] = json_integer_value(json_array_get(v, i));
    return true;
}

static bool read_input(Reader *r, size_t i, const json_t *o) {
    const char *where = arena_printf(r->a, "inputs[%zu]", i);
    GraphInput *in = &r->g->inputs[i];
    in->name = get_string(r, o, "name", get_string(r, o, "id", NULL));
    in->path = get_string(r, o, "path", NULL);
    in->arg_index = get_int(o, "arg_index", -1);
    const char *kind = get_string(r, o, "kind", "argument");
    in->kind = strcmp(kind, "parameter") == 0 ? GRAPH_PARAMETER
               : strcmp(kind, "buffer") == 0  ? GRAPH_BUFFER
                                              : GRAPH_ARGUMENT;
    in->contiguous = !json_is_false(json_object_get(o, "contiguous"));
    in->value = (uint32_t)r->values.n;
    if (!add_value(r, where, o, -1, (uint32_t)i)) return false;
    size_t rank = r->values.at[in->value].shape.rank;
    return read_ints(r, where, json_object_get(o, "hint_shape"), rank, &in->hint_shape) &&
           read_ints(r, where, json_object_get(o, "hint_stride"), rank, &in->hint_stride);
}

static void place_symbols(Reader *r) {
    Graph *g = r->g;
    for (size_t s = 0; s < g->n_symbols; s++) {
        const Size *symbol = size_symbol(r->a, (uint32_t)s);
        for (size_t i = g->n_inputs; i-- > 0;) {
            const GraphShape *shape = &r->values.at[g->inputs[i].value].shape;
            for (uint32_t d = shape->rank; d-- > 0;)
                if (size_equal(shape->dim[d], symbol)) {
                    g->symbols[s].input = (uint32_t)i;
                    g->symbols[s].dim = d;
                }
        }
    }
}

static bool read_inputs(Reader *r, const json_t *root) {
    const json_t *list = json_object_get(root, "inputs");
    r->g->n_inputs = json_array_size(list);
    r->g->inputs = ARENA_ARRAY(r->a, r->g->n_inputs, GraphInput);
    for (size_t i = 0; i < r->g->n_inputs; i++)
        if (!read_input(r, i, json_array_get(list, i))) return false;
    place_symbols(r);
    return true;
}

static bool read_scalars(Reader *r, const json_t *root) {
    const json_t *list = json_object_get(root, "scalars");
    r->g->n_scalars = json_array_size(list);
    r->g->scalars = ARENA_ARRAY(r->a, r->g->n_scalars, GraphScalar);
    for (size_t i = 0; i < r->g->n_scalars; i++) {
        const json_t *o = json_array_get(list, i), *v = json_object_get(o, "value");
        GraphScalar *s = &r->g->scalars[i];
        s->name = get_string(r, o, "name", get_string(r, o, "id", NULL));
        if (!s->name) return bad(r, "scalars", "name missing");
        const char *type = get_string(r, o, "type", "float");
        s->type = strcmp(type, "int") == 0 ? GRAPH_INT : strcmp(type, "bool") == 0 ? GRAPH_BOOL : GRAPH_FLOAT;
        s->value = json_is_boolean(v) ? json_is_true(v) : json_number_value(v);
        s->from_init = strcmp(get_string(r, o, "from", "argument"), "init") == 0;
        s->arg_index = get_int(o, "arg_index", -1);
    }
    return true;
}

/* ---- nodes
 * ------------------------------------------------------------------------------------------------------- */

static bool read_arg(Reader *r, const char *where, const json_t *v, int depth, GraphArg *out);

static bool read_scalar_ref(Reader *r, const char *where, const char *id, GraphArg *out) {
    for (size_t i = 0; i < r->g->n_scalars; i++)
        if (strcmp(r->g->scalars[i].name, id) == 0) {
            *out = (GraphArg){.kind = GRAPH_ARG_SCALAR, .scalar = (uint32_t)i};
            return true;
        }
    return bad(r, where, arena_printf(r->a, "no scalar has the id `%s`", id));
}

static bool read_object_arg(Reader *r, const char *where, const json_t *v, GraphArg *out) {
    const json_t *x;
    if (json_is_string(x = json_object_get(v, "ref"))) {
        out->kind = GRAPH_ARG_REF;
        return find_value(r, where, json_string_value(x), &out->value);
    }
    if (json_is_string(x = json_object_get(v, "scalar"))) {
        if (!read_scalar_ref(r, where, json_string_value(x), out)) return false;
        out->negated = json_is_true(json_object_get(v, "negated"));
        return out->negated && r->g->scalars[out->scalar].type == GRAPH_BOOL ? bad(r, where, "a bool cannot be negated") : true;
    }
    if ((x = json_object_get(v, "size"))) {
        out->kind = GRAPH_ARG_SIZE;
        if (!(out->size = read_size(r, where, x))) return false;
        if (size_is_const(out->size, &out->i)) out->kind = GRAPH_ARG_INT;
        return true;
    }
    if ((x = json_object_get(v, "dtype"))) {
        out->kind = GRAPH_ARG_DTYPE;
        return read_dtype_name(r, where, x, &out->dtype);
    }
    if (json_is_string(x = json_object_get(v, "const"))) {
        const char *s = json_string_value(x);
        out->kind = GRAPH_ARG_NUM;
        out->f = strcmp(s, "nan") == 0    ? (double)NAN
                 : strcmp(s, "-inf") == 0 ? -(double)INFINITY
                                          : (double)INFINITY;
        return true;
    }
    return bad(r, where, "an argument object has one of ref, scalar, size, dtype, const");
}

static bool read_list_arg(Reader *r, const char *where, const json_t *v, int depth, GraphArg *out) {
    out->kind = GRAPH_ARG_LIST;
    out->n = json_array_size(v);
    out->item = ARENA_ARRAY(r->a, out->n, GraphArg);
    if (depth > 8) return bad(r, where, "lists are nested too deeply");
    for (size_t i = 0; i < out->n; i++)
        if (!read_arg(r, where, json_array_get(v, i), depth + 1, &out->item[i])) return false;
    return true;
}

static bool read_arg(Reader *r, const char *where, const json_t *v, int depth, GraphArg *out) {
    *out = (GraphArg){.kind = GRAPH_ARG_NULL};
    switch (v ? json_typeof(v) : JSON_NULL) {
    case JSON_NULL:
        return true;
    case JSON_INTEGER:
        *out = (GraphArg){.kind = GRAPH_ARG_INT, .i = json_integer_value(v)};
        return true;
    case JSON_REAL:
        *out = (GraphArg){.kind = GRAPH_ARG_NUM, .f = json_real_value(v)};
        return true;
    case JSON_TRUE:
    case JSON_FALSE:
        *out = (GraphArg){.kind = GRAPH_ARG_BOOL, .i = json_is_true(v)};
        return true;
    case JSON_STRING:
        *out = (GraphArg){.kind = GRAPH_ARG_STR, .str = arena_strdup(r->a, json_string_value(v))};
        return true;
    case JSON_ARRAY:
        return read_list_arg(r, where, v, depth, out);
    case JSON_OBJECT:
        return read_object_arg(r, where, v, out);
    }
    return false;
}

static bool read_node_args(Reader *r, const char *where, const json_t *o, GraphNode *n) {
    const json_t *list = json_object_get(o, "args");
    n->n_args = json_array_size(list);
    n->args = ARENA_ARRAY(r->a, n->n_args, GraphArg);
    for (size_t i = 0; i < n->n_args; i++)
        if (!read_arg(r, where, json_array_get(list, i), 0, &n->args[i])) return false;
    json_t *kwargs = json_object_get(o, "kwargs");
    n->kwargs = ARENA_ARRAY(r->a, json_object_size(kwargs), GraphKwarg);
    const char *name;
    json_t *v;
    json_object_foreach(kwargs, name, v) {
        GraphKwarg *k = &n->kwargs[n->n_kwargs++];
        k->name = arena_strdup(r->a, name);
        if (!read_arg(r, where, v, 0, &k->arg)) return false;
    }
    return true;
}

static bool read_node(Reader *r, size_t i, const json_t *o) {
    const char *where = arena_printf(r->a, "nodes[%zu]", i);
    GraphNode *n = &r->g->nodes[i];
    n->id = get_string(r, o, "id", NULL);
    n->op = get_string(r, o, "op", NULL);
    if (!n->id || !n->op) return bad(r, where, "id or op missing");
    const json_t *at = json_object_get(o, "at");
    n->line = get_int(at, "line", 0);
    n->text = get_string(r, at, "text", "");
    if (!read_node_args(r, where, o, n)) return false;
    n->first_value = (uint32_t)r->values.n;
    const json_t *results = json_object_get(o, "results");
    n->is_multi = json_is_array(results);
    n->n_results = n->is_multi ? (uint32_t)json_array_size(results) : 1;
    for (uint32_t k = 0; k < n->n_results; k++)
        if (!add_value(r, where, n->is_multi ? json_array_get(results, k) : o, (int32_t)i, k)) return false;
    return true;
}

/* Position of an input; n_inputs when there is none. */
static uint32_t find_input(const Graph *g, const char *name) {
    uint32_t i = 0;
    while (i < g->n_inputs && strcmp(g->inputs[i].name, name) != 0) i++;
    return i;
}

static bool read_outputs(Reader *r, const json_t *root) {
    const json_t *list = json_object_get(root, "outputs");
    Graph *g = r->g;
    g->n_outputs = json_array_size(list);
    g->outputs = ARENA_ARRAY(r->a, g->n_outputs, GraphOutput);
    for (size_t i = 0; i < g->n_outputs; i++) {
        const json_t *o = json_array_get(list, i);
        const char *where = arena_printf(r->a, "outputs[%zu]", i);
        g->outputs[i].name = get_string(r, o, "name", arena_printf(r->a, "y%zu", i));
        if (!find_value(r, where, json_string_value(json_object_get(o, "ref")), &g->outputs[i].value))
            return false;
        g->outputs[i].is_count = json_is_true(json_object_get(o, "is_count"));
        if (json_object_get(o, "changes")) g->outputs[i].changes = find_input(g, get_string(r, o, "changes", "")) + 1;
        const json_t *cut = json_object_get(o, "cut");
        if (!cut) continue;
        g->outputs[i].cut = (uint32_t)(get_int(cut, "dim", -1) + 1);
        g->outputs[i].count = (uint32_t)get_int(cut, "count", -1);
    }
    const char *kind = get_string(r, root, "output_kind", "tensor");
    g->output_kind = strcmp(kind, "tuple") == 0  ? GRAPH_OUT_TUPLE
                     : strcmp(kind, "list") == 0 ? GRAPH_OUT_LIST
                     : strcmp(kind, "none") == 0 ? GRAPH_OUT_NONE
                                                 : GRAPH_OUT_TENSOR;
    return true;
}

static const char **read_strings(Reader *r, const json_t *list, size_t *n) {
    *n = json_array_size(list);
    const char **out = ARENA_ARRAY(r->a, *n, const char *);
    for (size_t i = 0; i < *n; i++) {
        const char *s = json_string_value(json_array_get(list, i));
        out[i] = arena_strdup(r->a, s ? s : "");
    }
    return out;
}

static bool read_ties(Reader *r, const json_t *root) {
    const json_t *list = json_object_get(root, "equal");
    Graph *g = r->g;
    g->n_ties = json_array_size(list);
    g->ties = ARENA_ARRAY(r->a, g->n_ties + 1, GraphTie);
    for (size_t i = 0; i < g->n_ties; i++) {
        const json_t *o = json_array_get(list, i);
        GraphTie *t = &g->ties[i];
        int node = get_int(o, "node", -1);
        if (!(t->x = read_size(r, "equal.x", json_object_get(o, "x"))) || !(t->y = read_size(r, "equal.y", json_object_get(o, "y")))) return false;
        if (node < 0 || (size_t)node >= g->n_nodes) return bad(r, "equal.node", "names no node");
        t->node = (uint32_t)node;
    }
    return true;
}

static void read_model(Reader *r, const json_t *root) {
    const json_t *m = json_object_get(root, "model");
    GraphModel *out = &r->g->model;
    out->module_code = get_string(r, m, "module_code", "");
    out->init_code = get_string(r, m, "init_code", "");
    out->forward_params = get_string(r, m, "forward_params", "");
    out->call_args = read_strings(r, json_object_get(m, "call_args"), &out->n_call_args);
    out->results = read_strings(r, json_object_get(m, "results"), &out->n_results);
}

Graph *graph_parse(Arena *a, const json_t *json, Err *err) {
    Graph *g = ARENA_NEW(a, Graph);
    Reader r = {.a = a, .g = g, .err = err};
    if (get_int(json, "schema", 0) != 1) {
        bad(&r, "schema", "must be 1");
        return NULL;
    }
    g->name = get_string(&r, json, "name", "op");
    g->file = get_string(&r, json, "file", "reference.py");
    g->torch = get_string(&r, json, "torch", "");
    if (!read_variants(&r, json) || !read_symbols(&r, json) || !read_inputs(&r, json) ||
        !read_scalars(&r, json))
        return NULL;
    const json_t *nodes = json_object_get(json, "nodes");
    g->n_nodes = json_array_size(nodes);
    g->nodes = ARENA_ARRAY(a, g->n_nodes, GraphNode);
    for (size_t i = 0; i < g->n_nodes; i++)
        if (!read_node(&r, i, json_array_get(nodes, i))) return NULL;
    if (!read_outputs(&r, json) || !read_ties(&r, json)) return NULL;
    read_model(&r, json);
    g->notes = read_strings(&r, json_object_get(json, "notes"), &g->n_notes);
    g->values = r.values.at;
    g->n_values = r.values.n;
    return graph_check(g, err) ? g : NULL;
}
