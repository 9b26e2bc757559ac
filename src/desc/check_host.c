/* Static rules of host_operator_src and host_tiling_src: they speak of the same operator and tensors as
 * project_json_src. */
#include "desc/desc_int.h"

#include <string.h>

static char *token_text(Arena *a, const CxxToken *t) {
    return arena_strndup(a, t->text, t->n_bytes);
}

static void check_op_add(RuleList *list, const Desc *d, const CxxTokens *t) {
    int line = 0;
    for (size_t i = 0; i + 2 < t->n; i++) {
        if (!cxx_is(&t->at[i], "OP_ADD") || !cxx_is(&t->at[i + 1], "(")) continue;
        if (cxx_is(&t->at[i + 2], d->op)) return;
        line = t->at[i].line;
    }
    rule_add(list, RULE_HOST_OP_ADD, DESC_HOST_OPERATOR, line, d->op);
}

typedef struct TilingClass {
    bool own;
    const CxxToken *other; /* a registration for something else */
} TilingClass;

static void find_tiling_class(const Desc *d, const CxxTokens *t, TilingClass *c) {
    for (size_t i = 0; i + 2 < t->n; i++) {
        if (!cxx_is(&t->at[i], "REGISTER_TILING_DATA_CLASS") || !cxx_is(&t->at[i + 1], "(")) continue;
        if (cxx_is(&t->at[i + 2], d->op)) c->own = true;
        else c->other = &t->at[i + 2];
    }
}

typedef struct HostTensor {
    const char *name;
    const char *const *types; /* "DT_FLOAT" */
    size_t n_types;           /* 0: not a plain list */
    int line;
} HostTensor;

typedef struct HostTensors {
    HostTensor *at;
    size_t n, cap;
} HostTensors;

/* The first plain DataType({...}) list between token i and the end of the statement or the next tensor. */
static void read_types(Arena *a, const CxxToken *t, size_t i, HostTensor *out) {
    for (; t[i].kind != CXX_END && !cxx_is(&t[i], ";") && !cxx_is(&t[i], "Input") && !cxx_is(&t[i], "Output");
         i++) {
        if (!cxx_is(&t[i], "DataType") || !cxx_is(&t[i + 1], "(") || !cxx_is(&t[i + 2], "{")) continue;
        struct {
            const char **at;
            size_t n, cap;
        } names = {0};
        for (i += 3; t[i].kind != CXX_END && !cxx_is(&t[i], "}"); i++) {
            if (cxx_is(&t[i], ",") || cxx_is(&t[i], "ge") || cxx_is(&t[i], "::")) continue;
            if (t[i].kind != CXX_IDENT || t[i].n_bytes < 4 || memcmp(t[i].text, "DT_", 3) != 0) return;
            vec_push(a, &names, token_text(a, &t[i]));
        }
        out->types = names.at;
        out->n_types = names.n;
        return;
    }
}

/* Input("x") or Output("x") in order; a name seen again (a chip's own configuration) is the same tensor. */
static HostTensors read_tensors(Arena *a, const CxxTokens *t, const char *word) {
    HostTensors list = {0};
    for (size_t i = 1; i + 3 < t->n; i++) {
        const CxxToken *p = &t->at[i];
        if (!cxx_is(p, word) || !cxx_is(p + 1, "(") || p[2].kind != CXX_STRING || !cxx_is(p + 3, ")"))
            continue;
        if (!cxx_is(p - 1, "->") && !cxx_is(p - 1, ".")) continue;
        HostTensor h = {.name = cxx_string_text(a, p + 2), .line = p->line};
        bool known = false;
        for (size_t k = 0; k < list.n; k++) known = known || !strcmp(list.at[k].name, h.name);
        if (known) continue;
        read_types(a, t->at, i + 4, &h);
        vec_push(a, &list, h);
    }
    return list;
}

static bool same_types(const DescTensor *d, size_t n_combos, const HostTensor *h) {
    if (h->n_types == 0) return true; /* not a plain list: nothing to say */
    bool same = h->n_types == n_combos;
    for (size_t i = 0; same && i < n_combos; i++) same = !strcmp(dtype_info(d->types[i])->ge, h->types[i]);
    return same;
}

/* Adds a note for the first difference; true when there is one. */
static bool note_difference(RuleList *list, const Desc *d, const HostTensors *host, const char *word,
                            const DescTensor *tensors, size_t n) {
    Arena *a = list->arena;
    int line = host->n ? host->at[0].line : 0;
    if (host->n != n) {
        rule_add(list, RULE_HOST_TENSORS, DESC_HOST_OPERATOR, line,
                 arena_printf(a, "%zu times %s(\"..\"), %zu in project_json_src", host->n, word, n));
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const HostTensor *h = &host->at[i];
        if (strcmp(h->name, tensors[i].name) != 0) {
            rule_add(list, RULE_HOST_TENSORS, DESC_HOST_OPERATOR, h->line,
                     arena_printf(a, "%s %zu is `%s` there and `%s` in project_json_src", word, i, h->name,
                                  tensors[i].name));
            return true;
        }
        if (same_types(&tensors[i], d->n_combos, h)) continue;
        rule_add(list, RULE_HOST_TYPES, DESC_HOST_OPERATOR, h->line, arena_printf(a, "`%s`", h->name));
        return true;
    }
    return false;
}

/* The tensors as the operator definition has them; NULL when a list is not plain or not n_combos long. */
static DescTensor *from_host(Arena *a, const HostTensors *host, size_t n_combos) {
    DescTensor *out = ARENA_ARRAY(a, host->n, DescTensor);
    for (size_t i = 0; i < host->n; i++) {
        if (host->at[i].n_types != n_combos) return NULL;
        DType *types = ARENA_ARRAY(a, n_combos, DType);
        const char **formats = ARENA_ARRAY(a, n_combos, const char *);
        for (size_t k = 0; k < n_combos; k++) {
            if (!dtype_find(host->at[i].types[k], &types[k])) return NULL;
            formats[k] = "ND";
        }
        out[i] = (DescTensor){
            .name = host->at[i].name, .param_type = "required", .types = types, .formats = formats};
    }
    return out;
}

/* HW: msopgen makes only the skeleton from the JSON; the kernel's macros and argument list come from the
 * operator definition. So where the two differ, the definition counts, when it can be read. */
static void adopt_host(Arena *a, Desc *d, const HostTensors *inputs, const HostTensors *outputs) {
    size_t n_combos = outputs->n ? outputs->at[0].n_types : 0;
    if (n_combos == 0) return;
    DescTensor *in = from_host(a, inputs, n_combos), *out = from_host(a, outputs, n_combos);
    if (!in || !out) return;
    d->inputs = in;
    d->n_inputs = inputs->n;
    d->outputs = out;
    d->n_outputs = outputs->n;
    d->n_combos = n_combos;
}

static bool names(const CxxTokens *t, const CxxToken *word) {
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].kind == CXX_IDENT && t->at[i].n_bytes == word->n_bytes && !memcmp(t->at[i].text, word->text, word->n_bytes)) return true;
    return false;
}

/* The last argument of the macro call at t[i], or NULL: every TILING_DATA_FIELD_DEF form ends in the field's name. */
static const CxxToken *field_name(const CxxToken *t, size_t i) {
    static const char *const FORMS[] = {"TILING_DATA_FIELD_DEF", "TILING_DATA_FIELD_DEF_ARR", "TILING_DATA_FIELD_DEF_STRUCT"};
    bool is_field = false;
    for (size_t k = 0; k < sizeof FORMS / sizeof FORMS[0]; k++) is_field |= cxx_is(&t[i], FORMS[k]);
    if (!is_field || !cxx_is(&t[i + 1], "(")) return NULL;
    for (i += 2; t[i].kind != CXX_END && !cxx_is(&t[i], ")");) i++;
    return t[i].kind != CXX_END && t[i - 1].kind == CXX_IDENT ? &t[i - 1] : NULL;
}

/* A kernel that reads its tiling data through the struct names the fields it reads. */
static void note_unread(RuleList *list, const Desc *d, const CxxTokens *tiling) {
    Arena *a = list->arena;
    CxxTokens kernel = cxx_lex(a, d->source[DESC_KERNEL]);
    bool by_struct = false;
    for (size_t i = 0; i < kernel.n; i++)
        by_struct |= kernel.at[i].kind == CXX_IDENT && kernel.at[i].n_bytes >= 15 && !memcmp(kernel.at[i].text, "GET_TILING_DATA", 15);
    const char *unread = NULL;
    int line = 0;
    for (size_t i = 0; by_struct && i < tiling->n; i++) {
        const CxxToken *name = field_name(tiling->at, i);
        if (!name || names(&kernel, name)) continue;
        unread = unread ? arena_printf(a, "%s, %.*s", unread, (int)name->n_bytes, name->text) : token_text(a, name);
        if (!line) line = name->line;
    }
    if (unread) rule_add(list, RULE_TILING_UNREAD, DESC_HOST_TILING, line, unread);
}

void check_host(RuleList *list, Desc *d) {
    Arena *a = list->arena;
    CxxTokens host = cxx_lex(a, d->source[DESC_HOST_OPERATOR]);
    CxxTokens tiling = cxx_lex(a, d->source[DESC_HOST_TILING]);
    check_op_add(list, d, &host);
    HostTensors inputs = read_tensors(a, &host, "Input"), outputs = read_tensors(a, &host, "Output");
    bool differ = note_difference(list, d, &inputs, "Input", d->inputs, d->n_inputs);
    differ = note_difference(list, d, &outputs, "Output", d->outputs, d->n_outputs) || differ;
    if (differ) adopt_host(a, d, &inputs, &outputs);
    note_unread(list, d, &tiling);
    TilingClass c = {0};
    find_tiling_class(d, &host, &c);
    find_tiling_class(d, &tiling, &c);
    if (c.other && !c.own) {
        const char *text = arena_printf(a, "`%.*s`, not `%s`", (int)c.other->n_bytes, c.other->text, d->op);
        rule_add(list, RULE_HOST_TILING_CLASS, DESC_HOST_TILING, c.other->line, text);
    }
}
