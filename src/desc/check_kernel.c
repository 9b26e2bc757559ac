/* Static rules of kernel_src: there is code, and an entry of the right name, linkage and number of arguments.
 */
#include "desc/desc_int.h"

#include <string.h>

typedef struct Entry {
    const CxxToken *name;
    bool has_aicore, has_void, has_extern_c;
    size_t n_args;
} Entry;

/* Arguments between the parentheses that open at t[i]. */
static size_t count_args(const CxxToken *t, size_t i) {
    size_t n = 1, depth = 0, first = i + 1;
    for (; t[i].kind != CXX_END; i++) {
        if (cxx_is(&t[i], "(") || cxx_is(&t[i], "<") || cxx_is(&t[i], "[") || cxx_is(&t[i], "{")) depth++;
        if (cxx_is(&t[i], ")") || cxx_is(&t[i], ">") || cxx_is(&t[i], "]") || cxx_is(&t[i], "}")) depth--;
        if (depth == 0) break;
        if (depth == 1 && cxx_is(&t[i], ",")) n++;
    }
    bool empty = i == first || (i == first + 1 && cxx_is(&t[first], "void"));
    return empty ? 0 : n;
}

/* extern "C" stands before token i in the same declaration, or an extern "C" { block is open there. */
static bool has_c_linkage(const CxxToken *t, size_t i) {
    for (size_t k = i; k-- > 0 && !cxx_is(&t[k], ";") && !cxx_is(&t[k], "}");)
        if (cxx_is(&t[k], "extern") && cxx_is(&t[k + 1], "\"C\"")) return true;
    long open = 0;
    for (size_t k = i; k-- > 0;) {
        if (cxx_is(&t[k], "}")) open--;
        if (cxx_is(&t[k], "{")) open++;
        if (open > 0 && cxx_is(&t[k], "{") && k >= 2 && cxx_is(&t[k - 1], "\"C\"") &&
            cxx_is(&t[k - 2], "extern"))
            return true;
    }
    return false;
}

/* The function whose declaration holds __global__ at t[i]; false when it is no function. */
static bool read_entry(const CxxToken *t, size_t i, Entry *e) {
    *e = (Entry){.has_extern_c = has_c_linkage(t, i)};
    for (size_t k = i; k-- > 0 && !cxx_is(&t[k], ";") && !cxx_is(&t[k], "}") && !cxx_is(&t[k], "{");)
        if (cxx_is(&t[k], "__aicore__")) e->has_aicore = true;
    for (; t[i].kind != CXX_END && !cxx_is(&t[i], ";") && !cxx_is(&t[i], "{"); i++) {
        if (cxx_is(&t[i], "__aicore__") || cxx_is(&t[i], "[aicore]")) e->has_aicore = true;
        if (cxx_is(&t[i], "void")) e->has_void = true;
        if (cxx_is(&t[i], "(") && t[i - 1].kind == CXX_IDENT) {
            e->name = &t[i - 1];
            e->n_args = count_args(t, i);
            return true;
        }
    }
    return false;
}

static void check_entry(RuleList *list, const Desc *d, const Entry *e) {
    Arena *a = list->arena;
    if (!e->has_extern_c || !e->has_aicore || !e->has_void)
        rule_add(list, RULE_KERNEL_ENTRY_C, DESC_KERNEL, e->name->line, d->kernel_name);
    size_t want = d->n_inputs + d->n_outputs + 2;
    if (e->n_args == want) return;
    const char *text = arena_printf(a, "`%s` has %zu; %zu inputs + %zu outputs + workspace + tiling = %zu",
                                    d->kernel_name, e->n_args, d->n_inputs, d->n_outputs, want);
    rule_add(list, RULE_KERNEL_ARGS, DESC_KERNEL, e->name->line, text);
}

void check_kernel(RuleList *list, const Desc *d) {
    Arena *a = list->arena;
    CxxTokens t = cxx_lex(a, d->source[DESC_KERNEL]);
    size_t n_code = 0;
    for (size_t i = 0; i < t.n; i++)
        if (t.at[i].kind != CXX_DIRECTIVE) n_code++;
    if (n_code == 0) {
        rule_add(list, RULE_KERNEL_EMPTY, DESC_KERNEL, 1, NULL);
        return;
    }
    const CxxToken *other = NULL;
    for (size_t i = 0; i < t.n; i++) {
        Entry e;
        if (!cxx_is(&t.at[i], "__global__") || !read_entry(t.at, i, &e)) continue;
        if (cxx_is(e.name, d->kernel_name)) {
            check_entry(list, d, &e);
            return;
        }
        if (!other) other = e.name;
    }
    const char *text = arena_printf(a, "`%s`", d->kernel_name);
    if (other) text = arena_printf(a, "%s; it has `%.*s`", text, (int)other->n_bytes, other->text);
    rule_add(list, RULE_KERNEL_ENTRY, DESC_KERNEL, other ? other->line : 0, text);
}
