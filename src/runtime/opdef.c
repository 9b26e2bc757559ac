/* Builds operator definitions from what a host library's constructors call, and checks them when it is loaded. */
#include "runtime/runtime_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static Arena *arena(void) { return rt_current() ? rt_current()->arena : NULL; }

OwhOpDef *owh_op_new(const char *type, OwhGuard guard) {
    Arena *a = arena();
    if (!a) return NULL;
    OwhOpDef *op = ARENA_NEW(a, OwhOpDef);
    op->type = arena_strdup(a, type);
    op->guard = guard;
    return op;
}

void owh_op_register(OwhOpDef *op) {
    Rt *rt = rt_current();
    if (rt && op) vec_push(rt->arena, &rt->ops, op);
}

/* The vendor's get-or-create: the order of first use is the order of arguments. */
static OwhParamDef *param_of(ParamList *list, const char *name) {
    Arena *a = arena();
    for (size_t i = 0; i < list->n; i++)
        if (!strcmp(list->at[i]->name, name)) return list->at[i];
    OwhParamDef *p = ARENA_NEW(a, OwhParamDef);
    p->name = arena_strdup(a, name);
    p->option = OWH_REQUIRED;
    vec_push(a, list, p);
    return p;
}

OwhParamDef *owh_op_param(OwhOpDef *op, bool is_output, const char *name) {
    return op && arena() ? param_of(is_output ? &op->out : &op->in, name) : NULL;
}

OwhAttrDef *owh_op_attr(OwhOpDef *op, const char *name) {
    Arena *a = arena();
    if (!op || !a) return NULL;
    for (size_t i = 0; i < op->attrs.n; i++)
        if (!strcmp(op->attrs.at[i]->name, name)) return op->attrs.at[i];
    OwhAttrDef *attr = ARENA_NEW(a, OwhAttrDef);
    attr->name = arena_strdup(a, name);
    attr->kind = -1;
    vec_push(a, &op->attrs, attr);
    return attr;
}

void owh_op_fn(OwhOpDef *op, OwhFnKind kind, void (*fn)(void)) {
    if (op) op->fn[kind] = fn;
}

void owh_op_launch_empty(OwhOpDef *op, bool flag) {
    if (op) op->launch_empty = flag;
}

void owh_op_add_config(OwhOpDef *op, const char *soc, OwhConfigDef *cfg) {
    Rt *rt = rt_current();
    if (!op || !rt) return;
    vec_push(rt->arena, &op->socs, arena_strdup(rt->arena, soc));
    if (!strcmp(soc, chip_soc(rt->chip))) op->config = cfg; /* a second call for a soc replaces the first */
}

OwhConfigDef *owh_config_new(void) { return arena() ? ARENA_NEW(arena(), OwhConfigDef) : NULL; }

OwhParamDef *owh_config_param(OwhConfigDef *cfg, bool is_output, const char *name) {
    return cfg && arena() ? param_of(is_output ? &cfg->out : &cfg->in, name) : NULL;
}

void owh_param_option(OwhParamDef *p, int32_t option) {
    if (p) p->option = option;
}

static const int32_t *copy_numbers(const int32_t *at, size_t n) {
    int32_t *copy = ARENA_ARRAY(arena(), n, int32_t);
    memcpy(copy, at, n * sizeof *at);
    return copy;
}

void owh_param_dtypes(OwhParamDef *p, const int32_t *at, size_t n, bool is_list) {
    if (!p || !arena()) return;
    p->dtypes = copy_numbers(at, n);
    p->n_dtypes = n;
    p->dtype_list = is_list;
}

void owh_param_formats(OwhParamDef *p, const int32_t *at, size_t n, bool is_list) {
    if (!p || !arena()) return;
    p->formats = copy_numbers(at, n);
    p->n_formats = n;
    p->format_list = is_list;
}

void owh_param_flag(OwhParamDef *p, uint32_t flag) {
    if (p) p->flags |= flag;
}

void owh_param_scalar_to(OwhParamDef *p, int32_t ge_dtype, const char *input) {
    if (!p || !arena()) return;
    p->scalar_to_set = true;
    p->scalar_to = input ? -1 : ge_dtype;
    p->scalar_like = input ? arena_strdup(arena(), input) : NULL;
}

void owh_param_follow(OwhParamDef *p, const char *source, int32_t type) {
    if (!p || !arena()) return;
    p->follow = arena_strdup(arena(), source);
    p->follow_type = type;
}

void owh_param_init_value(OwhParamDef *p, double value) {
    if (!p) return;
    p->has_init = true;
    p->init_value = value;
}

void owh_attr_optional(OwhAttrDef *a) {
    if (a) a->optional = true;
}

void owh_attr_type(OwhAttrDef *a, int32_t kind, const void *data, size_t n) {
    static const size_t ELEM_BYTES[] = {[OWH_BOOL] = sizeof(bool),      [OWH_FLOAT] = sizeof(float),
                                        [OWH_INT] = sizeof(int64_t),    [OWH_STR] = 1,
                                        [OWH_LIST_BOOL] = sizeof(bool), [OWH_LIST_FLOAT] = sizeof(float),
                                        [OWH_LIST_INT] = sizeof(int64_t), [OWH_LIST_LIST_INT] = 1};
    if (!a || !arena()) return;
    const bool list = kind >= OWH_LIST_BOOL;
    const size_t n_bytes = n * ELEM_BYTES[kind];
    char *copy = arena_alloc(arena(), (list ? sizeof(OwhVector) : 0) + n_bytes + 8);
    if (list) *(OwhVector *)copy = (OwhVector){.capacity = n, .size = n};
    if (n_bytes) memcpy(copy + (list ? sizeof(OwhVector) : 0), data, n_bytes);
    a->kind = kind;
    a->data = copy;
}

void owh_impl_op_fn(const char *type, OwhGuard guard, OwhFnKind kind, void (*fn)(void)) {
    Rt *rt = rt_current();
    if (!rt) return;
    const ImplFn impl = {arena_strdup(rt->arena, type), guard, kind, fn};
    vec_push(rt->arena, &rt->impls, impl);
}

void owh_tiling_class(const char *op_type, const char *class_name, size_t n_bytes) {
    Rt *rt = rt_current();
    if (!rt) return;
    for (size_t i = 0; i < rt->tiling_classes.n; i++)
        if (!strcmp(rt->tiling_classes.at[i].op, op_type)) return; /* the first registration stays */
    const TilingClass c = {arena_strdup(rt->arena, op_type), arena_strdup(rt->arena, class_name), n_bytes};
    vec_push(rt->arena, &rt->tiling_classes, c);
}

/* HW: api_truth host, "op type to file name". */
void rt_snake_case(const char *type, char *out, size_t n_out) {
    size_t at = 0;
    for (size_t i = 0; type[i] && at + 2 < n_out; i++) {
        const bool upper = isupper((unsigned char)type[i]);
        if (upper && i > 0) {
            const bool prev_upper = isupper((unsigned char)type[i - 1]);
            const bool next_lower = islower((unsigned char)type[i + 1]);
            if ((!prev_upper && type[i - 1] != '_') || (prev_upper && next_lower)) out[at++] = '_';
        }
        out[at++] = (char)tolower((unsigned char)type[i]);
    }
    out[at] = 0;
}

const OwhOpDef *rt_op_find(const Rt *rt, const char *type) {
    for (size_t i = 0; i < rt->ops.n; i++)
        if (!strcmp(rt->ops.at[i]->type, type)) return rt->ops.at[i];
    return NULL;
}

/* Chip-specific parameters replace those of the same name whole; new names go to the end. */
static void merge_params(ParamList *to, const ParamList *from) {
    for (size_t i = 0; i < from->n; i++) {
        OwhParamDef *p = param_of(to, from->at[i]->name);
        const OwhParamDef old = *p;
        *p = *from->at[i];
        if (!p->dtypes) p->dtypes = old.dtypes, p->n_dtypes = old.n_dtypes, p->dtype_list = old.dtype_list;
        if (!p->formats) p->formats = old.formats, p->n_formats = old.n_formats, p->format_list = old.format_list;
    }
}

static int check_param(Rt *rt, const OwhOpDef *op, const OwhParamDef *p, bool is_output) {
    const char *what = is_output ? "output" : "input";
    const uint32_t contiguous = OWH_PARAM_AUTO_CONTIGUOUS | OWH_PARAM_IGNORE_CONTIGUOUS;
    if (!p->n_dtypes && !(p->follow && (p->follow_type == 0 || p->follow_type == 1)))
        return rt_fail(rt, "host: %s '%s' of %s has no DataType", what, p->name, op->type);
    if ((p->flags & contiguous) == contiguous)
        return rt_fail(rt, "host: %s '%s' of %s has both AutoContiguous and IgnoreContiguous, which is conflicting", what, p->name, op->type);
    if (is_output && (p->flags & (OWH_PARAM_VALUE_DEPEND | OWH_PARAM_VALUE_DEPEND_OPTIONAL)))
        return rt_fail(rt, "host: ValueDepend does not support output '%s' of %s", p->name, op->type);
    if (!is_output && p->has_init) return rt_fail(rt, "host: input '%s' of %s has InitValue, which is not supported", p->name, op->type);
    return 0;
}

static int check_op(Rt *rt, OwhOpDef *op) {
    if (op->config) {
        merge_params(&op->in, &op->config->in);
        merge_params(&op->out, &op->config->out);
    }
    for (size_t i = 0; i < rt->impls.n; i++)
        if (!strcmp(rt->impls.at[i].type, op->type)) op->fn[rt->impls.at[i].kind] = rt->impls.at[i].fn;
    if (!op->fn[OWH_FN_TILING]) return rt_fail(rt, "host: %s has no tiling function: call this->AICore().SetTiling(...)", op->type);
    bool configured = false;
    for (size_t i = 0; i < op->socs.n; i++) configured |= !strcmp(op->socs.at[i], chip_soc(rt->chip));
    if (!configured)
        return rt_fail(rt, "host: %s has no AddConfig(\"%s\"), so no kernel exists for %s (aclnn status 561003)", op->type, chip_soc(rt->chip),
                       rt->chip->name);
    if (!op->out.n) return rt_fail(rt, "host: %s has no output", op->type);
    for (size_t i = 0; i < op->in.n; i++)
        if (check_param(rt, op, op->in.at[i], false)) return -1;
    for (size_t i = 0; i < op->out.n; i++)
        if (check_param(rt, op, op->out.at[i], true)) return -1;
    for (size_t i = 0; i < op->attrs.n; i++) {
        if (op->attrs.at[i]->kind < 0) return rt_fail(rt, "host: attribute '%s' of %s has no type", op->attrs.at[i]->name, op->type);
        if (op->attrs.at[i]->kind == OWH_LIST_LIST_INT)
            return rt_fail(rt, "host: Data type of attr %s of op %s is not support: no aclnn function can take a ListListInt",
                           op->attrs.at[i]->name, op->type);
    }
    return rt_op_expand(rt, op);
}

int rt_ops_check(Rt *rt) {
    if (!rt->ops.n) return rt_fail(rt, "host: host_operator_src registers no operator: OP_ADD is missing");
    for (size_t i = 0; i < rt->ops.n; i++)
        if (check_op(rt, rt->ops.at[i])) return -1;
    return 0;
}

void owh_attr_read(const OwhAttrs *attrs, size_t index, int32_t kind) {
    static const char *const NAMES[] = {"Bool", "Float", "Int", "String", "ListBool", "ListFloat", "ListInt", "ListListInt"};
    static const char *const OTHER[] = {"double (8 bytes)", "int32_t (4 bytes)", "a list"};
    const int32_t have = attrs->at[index].kind;
    if (kind < 0 || kind == have || (kind == 102 && have >= OWH_LIST_BOOL)) return;
    rt_finding(rt_current(), RT_ATTR_TYPE, index, NAMES[have], kind >= 100 ? OTHER[kind - 100] : NAMES[kind]);
}
