/* Static rules of python_bind_src: it launches the description's own operator in live code, and computes
 * nothing. The check looks at names of calls; what slips through is seen at run time, where no computing
 * function exists. */
#include "desc/desc_int.h"

#include <ctype.h>
#include <string.h>

static const char *const ALLOWED[] = {
#define ALLOW(name) #name,
#define DENY(name)
#define OTHER(name)
#include "desc/binding.def"
#undef ALLOW
#undef DENY
#undef OTHER
};

static const char *const DENIED[] = {
#define ALLOW(name)
#define DENY(name) #name,
#define OTHER(name)
#include "desc/binding.def"
#undef ALLOW
#undef DENY
#undef OTHER
};

static const char *const OTHERS[] = {
#define ALLOW(name)
#define DENY(name)
#define OTHER(name) #name,
#include "desc/binding.def"
#undef ALLOW
#undef DENY
#undef OTHER
};

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static bool in_list(const char *const *names, size_t n, const char *text, size_t n_bytes) {
    for (size_t i = 0; i < n; i++)
        if (strlen(names[i]) == n_bytes && !memcmp(names[i], text, n_bytes)) return true;
    return false;
}

static bool starts_with(const CxxToken *t, const char *prefix) {
    size_t n = strlen(prefix);
    return t->kind == CXX_IDENT && t->n_bytes > n && !memcmp(t->text, prefix, n);
}

/* aclnnAddCustom or aclnnAddCustomGetWorkspaceSize of the description's own operator; d NULL: it has none. */
static bool is_own_aclnn(const Desc *d, const CxxToken *t) {
    if (!d) return false;
    size_t n = strlen(d->op);
    const char *rest = t->text + 5;
    size_t n_rest = t->n_bytes - 5;
    if (n_rest < n || memcmp(rest, d->op, n) != 0) return false;
    return n_rest == n || (n_rest == n + 16 && !memcmp(rest + n, "GetWorkspaceSize", 16));
}

/* at::f( or torch::a::b::f(: returns the index of f when token i starts such a call that may compute, else 0.
 */
static size_t computing_call(const CxxToken *t, size_t i) {
    bool root = cxx_is(&t[i], "at") || cxx_is(&t[i], "torch") || cxx_is(&t[i], "at_npu");
    if (!root || !cxx_is(&t[i + 1], "::") || (i > 1 && cxx_is(&t[i - 1], "::") && t[i - 2].kind == CXX_IDENT))
        return 0;
    bool allocator = false;
    while (cxx_is(&t[i + 1], "::") && t[i + 2].kind == CXX_IDENT) {
        allocator = allocator || cxx_is(&t[i], "OpPreparation");
        i += 2;
    }
    if (!cxx_is(&t[i + 1], "(") || allocator) return 0;
    const char *name = t[i].text;
    bool constant_or_type = isupper((unsigned char)*name) ||
                            (*name == 'k' && t[i].n_bytes > 1 && isupper((unsigned char)name[1]));
    return constant_or_type || in_list(ALLOWED, N_OF(ALLOWED), name, t[i].n_bytes) ? 0 : i;
}

/* x.sum( or x->add_(: a method that computes. */
static bool computing_method(const CxxToken *t, size_t i) {
    if (i == 0 || t[i].kind != CXX_IDENT || !cxx_is(&t[i + 1], "(")) return false;
    if (!cxx_is(&t[i - 1], ".") && !cxx_is(&t[i - 1], "->")) return false;
    size_t n = t[i].n_bytes;
    if (n == 2 && !memcmp(t[i].text, "ne", 2) && cxx_is(&t[i + 2], "0") && cxx_is(&t[i + 3], ")")) return false; /* to bool */
    if (n > 1 && t[i].text[n - 1] == '_') n--;
    return in_list(DENIED, N_OF(DENIED), t[i].text, n);
}

static void add_named(RuleList *list, RuleId id, const CxxToken *from, const CxxToken *to) {
    size_t n = (size_t)(to->text + to->n_bytes - from->text);
    rule_add(list, id, DESC_PYTHON_BIND, from->line, arena_strndup(list->arena, from->text, n));
}

/* A call that launches an operator by name; *own is set for the description's. */
static void check_launch(RuleList *list, const Desc *d, const CxxToken *t, size_t i, bool *own) {
    bool macro = starts_with(&t[i], "EXEC_NPU") && cxx_is(&t[i + 1], "(");
    const CxxToken *op = macro ? &t[i + 2] : &t[i];
    bool direct = !macro && cxx_is(&t[i + 1], "(") && !(i > 0 && cxx_is(&t[i - 1], "."));
    if ((!macro && !direct) || !starts_with(op, "aclnn") || !isupper((unsigned char)op->text[5])) return;
    if (!is_own_aclnn(d, op)) add_named(list, RULE_BIND_BUILTIN, op, op);
    else if (macro) *own = true;
}

static void check_tokens(RuleList *list, const Desc *d, const CxxTokens *t, bool *own) {
    size_t before = list->n;
    for (size_t i = 0; i < t->n && list->n < before + 16; i++) {
        if (t->at[i].kind != CXX_IDENT) continue;
        check_launch(list, d, t->at, i, own);
        size_t call = computing_call(t->at, i);
        if (call) add_named(list, RULE_BIND_COMPUTE, &t->at[i], &t->at[call]);
        if (computing_method(t->at, i)) add_named(list, RULE_BIND_COMPUTE, &t->at[i], &t->at[i]);
        if (in_list(OTHERS, N_OF(OTHERS), t->at[i].text, t->at[i].n_bytes))
            add_named(list, RULE_BIND_DISPATCH, &t->at[i], &t->at[i]);
    }
}

void check_calls(RuleList *list, const CxxTokens *t) {
    bool own;
    check_tokens(list, NULL, t, &own);
}

/* ASSUMED: an operator of CANN's own has the name of PyTorch's function, as Cumsum and Softplus have. HW: two public failures of
 * operators that were named so: REG_OP is there twice, or the built-in one runs. */
static void check_op_name(RuleList *list, const Desc *d) {
    for (size_t i = 0; i < N_OF(DENIED); i++)
        if (!strcmp(DENIED[i], d->kernel_name)) rule_add(list, RULE_OP_BUILTIN, DESC_PROJECT_JSON, 0, d->op);
}

void check_binding(RuleList *list, const Desc *d) {
    check_op_name(list, d);
    CxxTokens t = cxx_lex(list->arena, d->source[DESC_PYTHON_BIND]);
    bool own = false;
    check_tokens(list, d, &t, &own);
    if (!own) rule_add(list, RULE_BIND_NO_LAUNCH, DESC_PYTHON_BIND, 0, d->op);
}
