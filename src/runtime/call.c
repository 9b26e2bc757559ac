/* The functions a binding exports, and calling them. */
#include "runtime/runtime_int.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void rt_value_clear(RtValue *v) {
    switch ((RtKind)v->kind) {
    case RT_TENSOR:
        rt_tensor_unref(v->u.tensor);
        break;
    case RT_STR:
    case RT_INTS:
    case RT_BOOLS:
    case RT_FLOATS:
        free(v->u.str); /* one pointer, whatever it points to */
        break;
    case RT_TENSORS:
    case RT_TUPLE:
        for (int32_t i = 0; i < v->n; i++) rt_value_clear(&v->u.items[i]);
        free(v->u.items);
        break;
    case RT_NONE:
    case RT_INT:
    case RT_FLOAT:
    case RT_BOOL:
        break;
    }
    memset(v, 0, sizeof *v);
}

/* Defaults are scalars, texts, None and lists of numbers; a tensor default has no JSON form. */
static json_t *value_json(const RtValue *v) {
    json_t *list = NULL;
    switch ((RtKind)v->kind) {
    case RT_INT: return json_integer(v->u.i);
    case RT_FLOAT: {
        json_t *f = json_real(v->u.f); /* NULL for infinities and NaN */
        return f ? f : json_pack("{s:s}", "const", v->u.f != v->u.f ? "nan" : v->u.f > 0 ? "inf" : "-inf");
    }
    case RT_BOOL: return json_boolean(v->u.i != 0);
    case RT_STR: return json_string(v->u.str);
    case RT_INTS:
    case RT_BOOLS:
    case RT_FLOATS:
        list = json_array();
        for (int32_t i = 0; i < v->n; i++)
            json_array_append_new(list, v->kind == RT_FLOATS ? json_real(v->u.floats[i])
                                        : v->kind == RT_BOOLS ? json_boolean(v->u.ints[i] != 0)
                                                              : json_integer(v->u.ints[i]));
        return list;
    case RT_TENSORS:
    case RT_TUPLE: return json_array();
    case RT_NONE:
    case RT_TENSOR: break;
    }
    return json_null();
}

void owh_binding_def(const OwhFnDef *def) {
    Rt *rt = rt_current();
    if (!rt) return;
    BoundFn fn = {.def = *def};
    json_t *list = json_array();
    for (int32_t i = 0; i < def->n_params; i++) {
        char unnamed[16];
        json_t *p = json_object();
        snprintf(unnamed, sizeof unnamed, "arg%d", i);
        json_object_set_new(p, "name", json_string(def->params[i].name ? def->params[i].name : unnamed));
        json_object_set_new(p, "named", json_boolean(def->params[i].name != NULL));
        json_object_set_new(p, "type", json_string(def->params[i].type));
        if (def->params[i].fallback) {
            json_object_set_new(p, "default", value_json(def->params[i].fallback));
            RtValue copy = *def->params[i].fallback;
            rt_value_clear(&copy); /* ours since m.def: the header hands it over */
        }
        json_array_append_new(list, p);
    }
    char *text = json_dumps(list, JSON_COMPACT);
    fn.params_json = arena_strdup(rt->arena, text);
    free(text);
    json_decref(list);
    fn.def.name = arena_strdup(rt->arena, def->name);
    fn.def.doc = arena_strdup(rt->arena, def->doc ? def->doc : "");
    fn.def.result = arena_strdup(rt->arena, def->result);
    fn.def.params = NULL;
    vec_push(rt->arena, &rt->fns, fn);
}

int rt_n_functions(const Rt *rt) { return (int)rt->fns.n; }

static const BoundFn *fn_at(const Rt *rt, int i) { return i >= 0 && (size_t)i < rt->fns.n ? &rt->fns.at[i] : NULL; }

const char *rt_function_name(const Rt *rt, int i) { return fn_at(rt, i) ? fn_at(rt, i)->def.name : NULL; }
const char *rt_function_params_json(const Rt *rt, int i) { return fn_at(rt, i) ? fn_at(rt, i)->params_json : NULL; }
const char *rt_function_result(const Rt *rt, int i) { return fn_at(rt, i) ? fn_at(rt, i)->def.result : NULL; }

/* Where results come from: a tensor that no launch wrote was not computed by the operator. */
static void check_result(Rt *rt, const char *name, const RtValue *v, int *index) {
    if (v->kind == RT_TUPLE || v->kind == RT_TENSORS) {
        for (int32_t i = 0; i < v->n; i++) check_result(rt, name, &v->u.items[i], index);
        return;
    }
    const int at = (*index)++;
    if (v->kind != RT_TENSOR || owh_tensor_numel(v->u.tensor) == 0) return;
    const RtTensor *owner = rt_tensor_owner(v->u.tensor);
    if (owner->written) return;
    rt_finding(rt, owner->is_input ? RT_RETURNS_INPUT : RT_NOT_FROM_KERNEL, name, at);
}

/* Our own texts start with their stage; what the binding throws itself is the binding's. */
static int binding_error(Rt *rt, const char *text) {
    static const char *const STAGES[] = {"exec: ", "tiling: ", "launch: ", "binding: ", "kernel: "};
    for (size_t i = 0; i < sizeof STAGES / sizeof STAGES[0]; i++)
        if (!strncmp(text, STAGES[i], strlen(STAGES[i]))) return rt_fail(rt, "%s", text);
    return rt_fail(rt, "binding: %s", text);
}

static int run(Rt *rt, const char *name, RtValue *args, int n_args, RtValue *result) {
    char text[sizeof rt->error] = "";
    bool found = false;
    for (size_t i = 0; i < rt->fns.n; i++) {
        const OwhFnDef *f = &rt->fns.at[i].def;
        if (strcmp(f->name, name)) continue;
        found = true;
        rt_trail(rt, "python_bind_src", name);
        const int status = f->call(f->self, args, n_args, result, text, sizeof text);
        rt_trail(rt, "", "");
        if (status == 1) return binding_error(rt, text);
        if (status == 0) {
            int index = 0;
            check_result(rt, name, result, &index);
            return 0;
        }
    }
    if (!found) return rt_fail(rt, "type: the binding exports no function %s", name);
    return rt_fail(rt, "type: %s(): incompatible function arguments", name);
}

int rt_call(Rt *rt, const char *name, RtValue *args, int n_args, RtValue *result) {
    rt_make_current(rt);
    memset(result, 0, sizeof *result);
    const int status = run(rt, name, args, n_args, result);
    for (int i = 0; i < n_args; i++) rt_value_clear(&args[i]);
    if (status) rt_value_clear(result);
    return status;
}
