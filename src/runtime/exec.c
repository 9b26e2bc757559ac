/* EXEC_NPU_CMD: checks the arguments as the generated aclnn function would see them, finds the dtype combination, then
 * infers, tiles and launches. HW: api_truth host, "aclnn parameter types", "EXEC_NPU_CMD ...". */
#include "runtime/runtime_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct Cursor {
    ExecCall *c;
    const char *aclnn;
    const OwhArg *args;
    size_t i;
} Cursor;

/* What a generated function takes for an attr, by OwhAttrKind. */
static const struct {
    const char *attr, *cxx, *cure;
    int32_t arg_kind;
} ATTR_ABI[] = {
    [OWH_BOOL] = {"Bool", "bool", "declare the variable as bool", OWH_ARG_BOOL},
    [OWH_FLOAT] = {"Float", "double", "declare the variable as double (the generated function takes double for a Float attribute)", OWH_ARG_DOUBLE},
    [OWH_INT] = {"Int", "int64_t", "declare the variable as int64_t", OWH_ARG_INT64},
    [OWH_STR] = {"String", "char*", "pass a const char* variable, for example s.c_str()", OWH_ARG_CSTR},
    [OWH_LIST_BOOL] = {"ListBool", "aclBoolArray*", "pass a std::array<bool, N> or at::ArrayRef<bool> variable", OWH_ARG_BOOLS},
    [OWH_LIST_FLOAT] = {"ListFloat", "aclFloatArray*", "the helper converts no list of floats: use a tensor input or single Float attributes", OWH_ARG_FLOATS},
    [OWH_LIST_INT] = {"ListInt", "aclIntArray*", "declare the variable as at::IntArrayRef", OWH_ARG_INTS},
};

/* The C++ type in the compiler's words: the part after "T = ", without what follows. */
static const char *cxx_name(const OwhArg *a, char *out, size_t n_out) {
    static const char *const NAMES[] = {
        [OWH_ARG_TENSOR] = "at::Tensor", [OWH_ARG_TENSORS] = "at::TensorList", [OWH_ARG_SCALAR] = "at::Scalar",
        [OWH_ARG_INTS] = "at::IntArrayRef", [OWH_ARG_BOOLS] = "an array of bool", [OWH_ARG_INT64] = "a 64-bit integer",
        [OWH_ARG_DOUBLE] = "double", [OWH_ARG_BOOL] = "bool", [OWH_ARG_CSTR] = "const char*",
        [OWH_ARG_SCALAR_TYPE] = "at::ScalarType", [OWH_ARG_FLOATS] = "aclFloatArray*", [OWH_ARG_RAW] = "a C++ value",
    };
    const char *text = a->kind == OWH_ARG_RAW && a->cxx_type ? strstr(a->cxx_type, "T = ") : NULL;
    if (!text) return NAMES[a->kind];
    snprintf(out, n_out, "%s", text + 4);
    char *end = strrchr(out, ']');
    if (end) *end = 0;
    if ((end = strchr(out, ';'))) *end = 0;
    return out;
}

static int bad_arg(const Cursor *k, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int bad_arg(const Cursor *k, const char *fmt, ...) {
    char text[1024];
    va_list va;
    va_start(va, fmt);
    vsnprintf(text, sizeof text, fmt, va);
    va_end(va);
    return rt_fail(k->c->rt, "exec: %s argument %zu: %s", k->aclnn, k->i + 1, text);
}

static int take_handle(const Cursor *k, Operand *o, const char *what, RtTensor *t) {
    if (!t) {
        const bool may_be_absent = o->def->option == OWH_OPTIONAL || o->def->option == OWH_VIRTUAL;
        if (!may_be_absent)
            return bad_arg(k, "required %s '%s' is an undefined tensor (aclnn status 161001)", what, o->def->name);
        o->any_dtype = true;
        return 0;
    }
    if (t->on_cpu)
        return bad_arg(k, "%s '%s' is a CPU tensor, its address would be used on the device: allocate it with the options of an input "
                          "(x.options()) or move it with .to(x.device())", what, o->def->name);
    o->t = t;
    return 0;
}

static int take_tensor(const Cursor *k, Operand *o, const char *what) {
    const OwhArg *a = &k->args[k->i];
    char type[256];
    if (a->kind != OWH_ARG_TENSOR)
        return bad_arg(k, "%s '%s' is a tensor, but %s was passed", what, o->def->name, cxx_name(a, type, sizeof type));
    return take_handle(k, o, what, a->tensor);
}

/* DYNAMIC: every tensor of the list is an operand. The records of a list are read with the first one's rank (HW: ListTensorDesc). */
static int take_list(const Cursor *k, Operand *o, const char *what) {
    const OwhArg *a = &k->args[k->i];
    char type[256];
    if (a->kind != OWH_ARG_TENSORS)
        return bad_arg(k, "%s '%s' is a list of tensors, ParamType(DYNAMIC): pass an at::TensorList variable, not %s", what, o->def->name,
                       cxx_name(a, type, sizeof type));
    o->n_items = a->n;
    o->item = ARENA_ARRAY(k->c->arena, a->n, Operand);
    for (size_t j = 0; j < a->n; j++) {
        Operand *one = &o->item[j];
        *one = (Operand){.def = o->def, .param = o->param, .item = one, .n_items = 1};
        if (!a->tensors[j]) return bad_arg(k, "tensor %zu of the list '%s' is undefined (aclnn status 161001)", j, o->def->name);
        if (take_handle(k, one, what, a->tensors[j])) return -1;
        if (one->t->rank != o->item[0].t->rank)
            return rt_fail(k->c->rt, "exec: not modelled: tensors of different ranks in the list '%s' of %s", o->def->name, k->c->op->type);
    }
    return 0;
}

/* aclScalar: becomes a one-element tensor of the column's type. */
static int take_scalar(const Cursor *k, Operand *o) {
    const OwhArg *a = &k->args[k->i];
    char type[256];
    if (a->kind != OWH_ARG_SCALAR)
        return bad_arg(k, "input '%s' is declared Scalar(): pass an at::Scalar variable, not %s", o->def->name, cxx_name(a, type, sizeof type));
    o->is_scalar = o->any_dtype = true;
    o->scalar_f = a->f;
    o->scalar_i = a->i;
    o->scalar_int = a->n != 7; /* at::kDouble */
    return 0;
}

/* ValueDepend(REQUIRED): the caller passes a host array. */
static int take_host_array(const Cursor *k, Operand *o) {
    const OwhArg *a = &k->args[k->i];
    char type[256];
    if ((a->kind != OWH_ARG_INTS && a->kind != OWH_ARG_BOOLS) || a->i)
        return bad_arg(k, "input '%s' is ValueDepend(REQUIRED): pass an at::IntArrayRef (or array of bool), not %s", o->def->name,
                       cxx_name(a, type, sizeof type));
    const int64_t n = (int64_t)a->n;
    o->temp = o->t = rt_tensor_new(a->kind == OWH_ARG_INTS ? DTYPE_I64 : DTYPE_BOOL, &n, 1, false);
    if (!o->t) return -1;
    if (n) memcpy(o->t->storage, a->data, rt_tensor_bytes(o->t));
    return 0;
}

static int take_input(const Cursor *k, Operand *o) {
    const uint32_t f = o->def->flags;
    if (f & OWH_PARAM_SCALAR_LIST)
        return rt_fail(k->c->rt, "exec: not modelled: %s input '%s' is a list of scalars", k->c->op->type, o->def->name);
    if (exec_is_list(o)) return take_list(k, o, "input");
    if (f & OWH_PARAM_SCALAR) return take_scalar(k, o);
    if (f & OWH_PARAM_VALUE_DEPEND) return take_host_array(k, o);
    return take_tensor(k, o, "input");
}

static int take_output(const Cursor *k, Operand *o) {
    if (o->def->flags & OWH_PARAM_SHAPE_ON_COMPUTE)
        return rt_fail(k->c->rt, "exec: not modelled: %s output '%s' is OutputShapeDependOnCompute", k->c->op->type, o->def->name);
    if (exec_is_list(o) ? take_list(k, o, "output") : take_tensor(k, o, "output")) return -1;
    for (size_t j = 0; j < o->n_items; j++)
        if (o->item[j].t && !owh_tensor_is_contiguous(o->item[j].t))
            return bad_arg(k, "output '%s' is not contiguous: allocate it with at::empty, or copy the result into the view afterwards",
                           o->def->name);
    return 0;
}

static const void *list_value(Arena *arena, const OwhArg *a, size_t elem_bytes) {
    char *p = arena_alloc(arena, sizeof(OwhVector) + a->n * elem_bytes + 8);
    *(OwhVector *)p = (OwhVector){.capacity = a->n, .size = a->n};
    if (a->n) memcpy(p + sizeof(OwhVector), a->data, a->n * elem_bytes);
    return p;
}

/* A C++ float where double is taken: the register's low half is the float and its high half 0, as double a number too small
 * for float, so the operator sees 0. On cards some operators pass all the same, because they do without the value. */
static bool is_float_for_double(const OwhAttrDef *def, const OwhArg *a) {
    char type[256];
    return def->kind == OWH_FLOAT && a->kind == OWH_ARG_RAW && !strcmp(cxx_name(a, type, sizeof type), "float");
}

static int check_attr_type(const Cursor *k, const OwhAttrDef *def) {
    const OwhArg *a = &k->args[k->i];
    char type[256];
    if (a->kind == ATTR_ABI[def->kind].arg_kind) return 0;
    if (def->kind == OWH_BOOL && a->kind == OWH_ARG_INT64) {
        rt_finding(k->c->rt, RT_ATTR_INT_AS_BOOL, k->aclnn, def->name);
        return 0;
    }
    if (is_float_for_double(def, a)) {
        rt_finding(k->c->rt, RT_ATTR_FLOAT_AS_DOUBLE, k->aclnn, def->name);
        return 0;
    }
    if (def->kind == OWH_INT && a->kind == OWH_ARG_SCALAR_TYPE)
        return bad_arg(k, "attribute '%s' is Int, an at::ScalarType is passed as a 4-byte aclDataType: declare the variable as int64_t", def->name);
    return bad_arg(k, "attribute '%s' is %s, for which the generated aclnn function takes %s, but the C++ variable is %s; the operator would see garbage: %s",
                   def->name, ATTR_ABI[def->kind].attr, ATTR_ABI[def->kind].cxx, cxx_name(a, type, sizeof type), ATTR_ABI[def->kind].cure);
}

/* The value as the tiling function will read it; a list of floats has no argument kind that reaches here. */
static const void *attr_value(Arena *arena, int32_t kind, const OwhArg *a) {
    union {
        bool b;
        int64_t i;
        float f;
    } *v = arena_alloc(arena, 16);
    switch (kind) {
    case OWH_BOOL: v->b = (a->i & 0xff) != 0; break; /* the low byte is what the callee reads */
    case OWH_INT: v->i = a->i; break;
    case OWH_FLOAT: v->f = a->kind == OWH_ARG_RAW ? 0 : (float)a->f; break; /* narrowed inside the generated function; RAW: a float */
    case OWH_STR: return arena_strdup(arena, a->data);
    case OWH_LIST_INT: return list_value(arena, a, sizeof(int64_t));
    default: return list_value(arena, a, sizeof(bool));
    }
    return v;
}

static int take_attr(const Cursor *k, const OwhAttrDef *def, OwhAttr *out) {
    const OwhArg *a = &k->args[k->i];
    *out = (OwhAttr){.kind = def->kind, .data = def->data};
    if (check_attr_type(k, def)) return -1;
    const bool absent = def->kind == OWH_STR ? !a->data : def->kind >= OWH_LIST_BOOL && a->i != 0;
    if (absent && !def->optional) return bad_arg(k, "required attribute '%s' is a null pointer (aclnn status 161001)", def->name);
    if (!absent) out->data = attr_value(k->c->arena, def->kind, a); /* absent: the registered default */
    return 0;
}

/* An output with the name of an input is that input, changed in place: aclnn has one parameter for both. */
static const Operand *in_place_input(const ExecCall *c, const OwhParamDef *out) {
    for (size_t i = 0; i < c->op->in.n; i++)
        if (!strcmp(c->op->in.at[i]->name, out->name)) return &c->in[i];
    return NULL;
}

/* An output in place has the tensors of the input; one of a list has its items. */
static void share(Operand *out, const Operand *in) {
    out->t = in->t;
    if (!exec_is_list(in)) return;
    out->item = in->item;
    out->n_items = in->n_items;
}

static void add_names(char *text, size_t n_text, const char *title, size_t n, const char *(*name)(const OwhOpDef *, size_t), const OwhOpDef *op) {
    size_t at = strlen(text);
    if (!n || at + 1 >= n_text) return;
    at += (size_t)snprintf(text + at, n_text - at, "%s%s", at ? "; " : "", title);
    for (size_t i = 0; i < n && at + 1 < n_text; i++)
        at += (size_t)snprintf(text + at, n_text - at, "%s%s", i ? ", " : " ", name(op, i));
}
static const char *in_name(const OwhOpDef *op, size_t i) { return op->in.at[i]->name; }
static const char *out_name(const OwhOpDef *op, size_t i) { return op->out.at[i]->name; }
static const char *attr_name(const OwhOpDef *op, size_t i) { return op->attrs.at[i]->name; }

static int check_count(const ExecCall *c, const char *aclnn, size_t n_args) {
    const OwhOpDef *op = c->op;
    size_t n_in_place = 0;
    for (size_t i = 0; i < op->out.n; i++) n_in_place += in_place_input(c, op->out.at[i]) != NULL;
    const size_t expected = op->in.n + op->attrs.n + op->out.n - n_in_place;
    if (n_args == expected) return 0;
    char names[1024] = "";
    add_names(names, sizeof names, "inputs", op->in.n, in_name, op);
    add_names(names, sizeof names, "attributes", op->attrs.n, attr_name, op);
    add_names(names, sizeof names, "outputs", op->out.n, out_name, op);
    return rt_fail(c->rt, "exec: %s takes %zu arguments (%s), but EXEC_NPU_CMD passes %zu", aclnn, expected, names, n_args);
}

static void declare(Operand *o, const OwhParamDef *def, size_t param) { *o = (Operand){.def = def, .param = param, .item = o, .n_items = 1}; }

static Operands flatten(ExecCall *c, Operand *declared, size_t n) {
    Operands all = {0};
    for (size_t i = 0; i < n; i++) all.n += declared[i].n_items;
    all.at = ARENA_ARRAY(c->arena, all.n, Operand *);
    for (size_t i = 0, at = 0; i < n; i++)
        for (size_t j = 0; j < declared[i].n_items; j++) all.at[at++] = &declared[i].item[j];
    return all;
}

static int bind_args(ExecCall *c, const char *aclnn, const OwhArg *args, size_t n_args) {
    const OwhOpDef *op = c->op;
    Cursor k = {c, aclnn, args, 0};
    c->in = ARENA_ARRAY(c->arena, op->in.n, Operand);
    c->out = ARENA_ARRAY(c->arena, op->out.n, Operand);
    c->attrs = ARENA_ARRAY(c->arena, op->attrs.n, OwhAttr);
    if (check_count(c, aclnn, n_args)) return -1;
    for (size_t i = 0; i < op->in.n; i++, k.i++) {
        declare(&c->in[i], op->in.at[i], i);
        if (take_input(&k, &c->in[i])) return -1;
    }
    for (size_t i = 0; i < op->attrs.n; i++, k.i++)
        if (take_attr(&k, op->attrs.at[i], &c->attrs[i])) return -1;
    for (size_t i = 0; i < op->out.n; i++) {
        const Operand *same = in_place_input(c, op->out.at[i]);
        declare(&c->out[i], op->out.at[i], op->in.n + i);
        if (same) share(&c->out[i], same);
        else if (take_output(&k, &c->out[i])) return -1;
        if (!same) k.i++;
    }
    c->all_in = flatten(c, c->in, op->in.n);
    c->all_out = flatten(c, c->out, op->out.n);
    return 0;
}

/* ------------------------------------------------------------------------------------------------ combinations */

static bool columns_fit(const ExecCall *c, const Operands *all, size_t combo) {
    const size_t n = c->op->in.n + c->op->out.n;
    for (size_t i = 0; i < all->n; i++) {
        const Operand *o = all->at[i];
        if (!o->any_dtype && o->t && rt_ge_of_dtype(o->t->dtype) != c->op->combo_dtype[combo * n + o->param]) return false;
    }
    return true;
}

static bool combo_fits(const ExecCall *c, size_t combo) { return columns_fit(c, &c->all_in, combo) && columns_fit(c, &c->all_out, combo); }

const char *exec_operands_text(ExecCall *c) {
    char text[1024] = "", shape[160];
    size_t at = 0;
    for (size_t i = 0; i < c->all_in.n + c->all_out.n && at + 1 < sizeof text; i++) {
        const Operand *o = i < c->all_in.n ? c->all_in.at[i] : c->all_out.at[i - c->all_in.n];
        if (!o->t) continue;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %s%s", at ? ", " : "", o->def->name, rt_dtype_name(o->t->dtype),
                               rt_shape_text(shape, o->t->size, (size_t)o->t->rank));
    }
    return arena_strdup(c->arena, text);
}

static const OwhParamDef *param_at(const OwhOpDef *op, size_t p) { return p < op->in.n ? op->in.at[p] : op->out.at[p - op->in.n]; }

static int no_combo(ExecCall *c) {
    char text[1600] = "";
    size_t at = 0;
    const size_t n = c->op->in.n + c->op->out.n;
    for (size_t combo = 0; combo < c->op->n_combos && at < 1200; combo++) {
        for (size_t p = 0; p < n && at < 1400; p++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s %s", p ? ", " : combo ? "), (" : "(", param_at(c->op, p)->name,
                                   rt_ge_name(c->op->combo_dtype[combo * n + p]));
    }
    return rt_fail(c->rt, "exec: %s has no dtype combination for %s; it declares %s%s (aclnn status 161002)", c->op->type, exec_operands_text(c),
                   text, at < 1200 ? ")" : "), ...");
}

/* Columns may differ in formats only: one with a kernel is taken. */
static int find_combo(ExecCall *c) {
    size_t found = SIZE_MAX;
    for (size_t combo = 0; combo < c->op->n_combos; combo++) {
        if (!combo_fits(c, combo)) continue;
        if (found == SIZE_MAX) found = combo;
        if (combo < c->rt->n_kernels && c->rt->kernel_paths[combo]) {
            c->combo = combo;
            return 0;
        }
    }
    if (found == SIZE_MAX) return no_combo(c);
    c->combo = found; /* reported at launch: tiling may still say more */
    return 0;
}

static int make_scalar(ExecCall *c, size_t p, Operand *o) {
    const size_t n = c->op->in.n + c->op->out.n;
    const int64_t one = 1;
    int32_t ge = c->op->combo_dtype[c->combo * n + p];
    if (o->def->scalar_to_set && !o->def->scalar_like) ge = o->def->scalar_to;
    for (size_t i = 0; o->def->scalar_like && i < c->op->in.n; i++)
        if (!strcmp(c->op->in.at[i]->name, o->def->scalar_like)) ge = c->op->combo_dtype[c->combo * n + i];
    const int32_t dtype = rt_dtype_of_ge(ge);
    if (dtype < 0) return rt_fail(c->rt, "exec: not modelled: scalar input '%s' of this dtype", o->def->name);
    o->temp = o->t = rt_tensor_new(dtype, &one, 1, false);
    if (!o->t) return -1;
    owh_tensor_fill(o->t, o->scalar_int ? (double)o->scalar_i : o->scalar_f, o->scalar_i, o->scalar_int);
    return 0;
}

/* ------------------------------------------------------------------------------------------------- contiguity */

/* HW: api_truth host, OpParamDef::AutoContiguous: one input that sets it converts all that do not ignore it. */
static int make_contiguous(ExecCall *c) {
    bool convert = false;
    for (size_t i = 0; i < c->op->in.n; i++) convert |= (c->op->in.at[i]->flags & OWH_PARAM_AUTO_CONTIGUOUS) != 0;
    for (size_t i = 0; i < c->all_in.n; i++) {
        Operand *o = c->all_in.at[i];
        if (!o->t || owh_tensor_is_contiguous(o->t) || (o->def->flags & OWH_PARAM_IGNORE_CONTIGUOUS)) continue;
        if (!convert) {
            char shape[160], stride[160];
            return rt_fail(c->rt, "exec: input '%s' of %s is not contiguous (shape %s, strides %s) and the definition has neither AutoContiguous "
                                  "nor IgnoreContiguous: add .AutoContiguous() to an input in host_operator_src or pass x.contiguous() in python_bind_src",
                           o->def->name, c->op->type, rt_shape_text(shape, o->t->size, (size_t)o->t->rank),
                           rt_shape_text(stride, o->t->stride, (size_t)o->t->rank));
        }
        for (size_t k = 0; k < c->all_out.n; k++)
            if (c->all_out.at[k]->t == o->t && in_place_input(c, c->all_out.at[k]->def) == &c->in[o->param])
                return rt_fail(c->rt, "exec: in-place input '%s' of %s is not contiguous", o->def->name, c->op->type);
        o->temp = o->t = owh_tensor_clone(o->t, o->t->dtype, false);
        if (!o->t) return -1;
    }
    return 0;
}

static bool all_outputs_empty(const ExecCall *c) {
    for (size_t i = 0; i < c->all_out.n; i++)
        if (c->all_out.at[i]->t && owh_tensor_numel(c->all_out.at[i]->t) > 0) return false;
    return true;
}

static int exec_op(ExecCall *c, const char *aclnn, const OwhArg *args, size_t n_args) {
    if (bind_args(c, aclnn, args, n_args) || find_combo(c)) return -1;
    for (size_t i = 0; i < c->op->in.n; i++)
        if (c->in[i].is_scalar && make_scalar(c, i, &c->in[i])) return -1;
    if (make_contiguous(c) || exec_infer(c)) return -1;
    if (all_outputs_empty(c) && !c->op->launch_empty) {
        rt_finding(c->rt, RT_EMPTY_NOT_LAUNCHED, c->op->type);
        return 0;
    }
    return exec_tiling(c) || exec_launch(c) ? -1 : 0;
}

int owh_exec(const char *aclnn, const OwhArg *args, size_t n_args) {
    Rt *rt = rt_current();
    if (!rt) return -1;
    const char *type = strncmp(aclnn, "aclnn", 5) == 0 ? aclnn + 5 : aclnn;
    ExecCall c = {.rt = rt, .op = rt_op_find(rt, type)};
    if (!c.op) {
        const char *have = rt->ops.n ? rt->ops.at[0]->type : "no operator";
        return rt_fail(rt, "exec: %s is not the operator of this description (aclnn%s); built-in aclnn operators are not available, the work "
                           "belongs into kernel_src", aclnn, have);
    }
    c.arena = arena_new();
    const int status = exec_op(&c, aclnn, args, n_args);
    for (size_t i = 0; i < c.op->in.n && c.in; i++)
        for (size_t j = 0; j < c.in[i].n_items; j++) rt_tensor_unref(c.in[i].item[j].temp);
    arena_free(c.arena);
    return status;
}
