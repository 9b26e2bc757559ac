/* Graph rules, text form and small look-ups. Parsing is parse.c. */
#include "graph/graph.h"

#include "base/names.h"
#include "base/strbuf.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

const char *graph_at(Arena *a, const Graph *g, const GraphNode *n) {
    return n->line > 0 ? arena_printf(a, "%s:%d", g->file, n->line) : g->file;
}

const GraphArg *graph_arg(const GraphNode *n, size_t i, const char *name) {
    if (i < n->n_args) return &n->args[i];
    for (size_t k = 0; k < n->n_kwargs; k++)
        if (strcmp(n->kwargs[k].name, name) == 0) return &n->kwargs[k].arg;
    return NULL;
}

/* ---- check
 * ------------------------------------------------------------------------------------------------------- */

static bool is_identifier(const char *s) {
    if (!isalpha((unsigned char)s[0]) && s[0] != '_') return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_') return false;
    return true;
}

static bool check_name(const char *what, const char *name, Err *err) {
    if (!is_identifier(name))
        return err_set(err, ERR_BAD_INPUT, NULL, "%s `%s` is not a C identifier", what, name);
    if (names_is_reserved(name))
        return err_set(err, ERR_BAD_INPUT, NULL, "%s `%s` is a reserved word", what, name);
    return true;
}

static const char *kernel_arg_name(const Graph *g, size_t i) {
    if (i < g->n_inputs) return g->inputs[i].name;
    i -= g->n_inputs;
    return i < g->n_outputs ? g->outputs[i].name : g->scalars[i - g->n_outputs].name;
}

/* Inputs, outputs and scalars become arguments of one function and differ even without regard to case,
 * because DTYPE_<NAME> macros are made of them. */
static bool check_names(const Graph *g, Err *err) {
    size_t n = g->n_inputs + g->n_outputs + g->n_scalars;
    for (size_t i = 0; i < n; i++) {
        const char *name = kernel_arg_name(g, i);
        if (!check_name("name", name, err)) return false;
        for (size_t j = 0; j < i; j++)
            if (strcasecmp(name, kernel_arg_name(g, j)) == 0)
                return err_set(err, ERR_BAD_INPUT, NULL, "two inputs, outputs or scalars are named `%s`",
                               name);
    }
    return true;
}

static bool check_arg(const Graph *g, const GraphNode *n, const GraphArg *arg, Err *err) {
    if (arg->kind == GRAPH_ARG_REF && arg->value >= n->first_value)
        return err_set(err, ERR_BAD_INPUT, NULL, "node %s uses `%s`, which comes later", n->id,
                       g->values[arg->value].id);
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++)
        if (!check_arg(g, n, &arg->item[i], err)) return false;
    return true;
}

static bool check_symbols(const Graph *g, Err *err) {
    for (size_t s = 0; s < g->n_symbols; s++) {
        const GraphSymbol *sym = &g->symbols[s];
        if (!check_name("symbol", sym->name, err)) return false;
        if (sym->input >= g->n_inputs)
            return err_set(err, ERR_BAD_INPUT, NULL, "symbol %s does not stand alone in any input's shape",
                           sym->name);
        if (g->inputs[sym->input].hint_shape[sym->dim] != sym->hint)
            return err_set(err, ERR_BAD_INPUT, NULL,
                           "symbol %s has the hint %" PRId64 ", but input %s has %" PRId64 " there",
                           sym->name, sym->hint, g->inputs[sym->input].name,
                           g->inputs[sym->input].hint_shape[sym->dim]);
    }
    return true;
}

static bool is_hidden(const GraphOutput *o) { return o->is_count || o->changes; }

size_t graph_n_results(const Graph *g) {
    size_t n = 0;
    while (n < g->n_outputs && !is_hidden(&g->outputs[n])) n++;
    return n;
}

static bool check_counts(const Graph *g, Err *err) {
    size_t n = graph_n_results(g);
    if (g->n_outputs == 0 || (n == 0) != (g->output_kind == GRAPH_OUT_NONE)) return err_set(err, ERR_BAD_INPUT, NULL, "the graph has no output");
    for (size_t i = 0; i < g->n_outputs; i++) {
        const GraphOutput *o = &g->outputs[i];
        if (is_hidden(o) != (i >= n)) return err_set(err, ERR_BAD_INPUT, NULL, "output `%s` comes after a count or a changed input", o->name);
        if (o->changes && (o->is_count || o->cut || o->changes > g->n_inputs)) return err_set(err, ERR_BAD_INPUT, NULL, "output `%s` changes no input", o->name);
        if (o->cut && (o->cut > g->values[o->value].shape.rank || o->count < n || o->count >= g->n_outputs))
            return err_set(err, ERR_BAD_INPUT, NULL, "output `%s` has no such dimension, or no such count", o->name);
    }
    return true;
}

bool graph_check(const Graph *g, Err *err) {
    if (g->n_variants == 0 || g->own_variant >= g->n_variants)
        return err_set(err, ERR_BAD_INPUT, NULL, "own_variant is not one of the %zu variants", g->n_variants);
    if (!check_counts(g, err)) return false;
    for (size_t i = 0; i < g->n_values; i++)
        if (g->values[i].shape.rank > GRAPH_MAX_RANK)
            return err_set(err, ERR_UNSUPPORTED, NULL, "`%s` has %u dimensions; at most %d are supported",
                           g->values[i].id, g->values[i].shape.rank, GRAPH_MAX_RANK);
    for (size_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        for (size_t k = 0; k < n->n_args; k++)
            if (!check_arg(g, n, &n->args[k], err)) return false;
        for (size_t k = 0; k < n->n_kwargs; k++)
            if (!check_arg(g, n, &n->kwargs[k].arg, err)) return false;
    }
    size_t n_call = g->n_inputs + g->n_scalars;
    if (g->model.n_call_args != n_call)
        return err_set(err, ERR_BAD_INPUT, NULL, "model.call_args has %zu entries for %zu inputs and scalars",
                       g->model.n_call_args, n_call);
    return check_names(g, err) && check_symbols(g, err);
}

/* ---- text form
 * --------------------------------------------------------------------------------------------------- */

static void print_dtypes(StrBuf *sb, const Graph *g, const DType *dtype) {
    bool same = true;
    for (size_t v = 1; v < g->n_variants; v++) same = same && dtype[v] == dtype[0];
    for (size_t v = 0; v < (same ? 1 : g->n_variants); v++)
        strbuf_printf(sb, "%s%s", v ? "|" : "", dtype_info(dtype[v])->torch);
}

static void print_value(StrBuf *sb, const Graph *g, const GraphValue *v) {
    strbuf_printf(sb, "%s: ", v->id);
    print_dtypes(sb, g, v->dtype);
    strbuf_add(sb, "[");
    for (uint32_t d = 0; d < v->shape.rank; d++)
        strbuf_printf(sb, "%s%s", d ? ", " : "",
                      size_print(sb->arena, v->shape.dim[d], g->symbol_names, SIZE_PYTHON));
    strbuf_add(sb, "]");
}

static void print_arg(StrBuf *sb, const Graph *g, const GraphArg *arg) {
    switch (arg->kind) {
    case GRAPH_ARG_NULL:
        strbuf_add(sb, "None");
        break;
    case GRAPH_ARG_REF:
        strbuf_add(sb, g->values[arg->value].id);
        break;
    case GRAPH_ARG_SCALAR:
        strbuf_printf(sb, "%s$%s", arg->negated ? "-" : "", g->scalars[arg->scalar].name);
        break;
    case GRAPH_ARG_INT:
        strbuf_printf(sb, "%" PRId64, arg->i);
        break;
    case GRAPH_ARG_NUM:
        strbuf_printf(sb, "%.17g", arg->f);
        break;
    case GRAPH_ARG_BOOL:
        strbuf_add(sb, arg->i ? "True" : "False");
        break;
    case GRAPH_ARG_STR:
        strbuf_printf(sb, "'%s'", arg->str);
        break;
    case GRAPH_ARG_SIZE:
        strbuf_add(sb, size_print(sb->arena, arg->size, g->symbol_names, SIZE_PYTHON));
        break;
    case GRAPH_ARG_DTYPE:
        strbuf_add(sb, dtype_info(arg->dtype)->torch);
        break;
    case GRAPH_ARG_LIST:
        strbuf_add(sb, "[");
        for (size_t i = 0; i < arg->n; i++) {
            if (i) strbuf_add(sb, ", ");
            print_arg(sb, g, &arg->item[i]);
        }
        strbuf_add(sb, "]");
        break;
    }
}

static void print_node(StrBuf *sb, const Graph *g, const GraphNode *n) {
    for (uint32_t r = 0; r < n->n_results; r++) {
        if (r) strbuf_add(sb, ", ");
        print_value(sb, g, &g->values[n->first_value + r]);
    }
    strbuf_printf(sb, " = %s(", n->op);
    for (size_t i = 0; i < n->n_args; i++) {
        if (i) strbuf_add(sb, ", ");
        print_arg(sb, g, &n->args[i]);
    }
    for (size_t i = 0; i < n->n_kwargs; i++) {
        strbuf_printf(sb, "%s%s=", i || n->n_args ? ", " : "", n->kwargs[i].name);
        print_arg(sb, g, &n->kwargs[i].arg);
    }
    strbuf_add(sb, ")");
    if (n->line) strbuf_printf(sb, "  # %d: %s", n->line, n->text);
    strbuf_add(sb, "\n");
}

char *graph_print(const Graph *g, Arena *a) {
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_printf(&sb, "graph %s\n", g->name);
    for (size_t i = 0; i < g->n_symbols; i++)
        strbuf_printf(&sb, "symbol %s = %" PRId64 "\n", g->symbols[i].name, g->symbols[i].hint);
    for (size_t i = 0; i < g->n_inputs; i++) {
        strbuf_add(&sb, "input ");
        print_value(&sb, g, &g->values[g->inputs[i].value]);
        if (g->inputs[i].path) strbuf_printf(&sb, "  # %s", g->inputs[i].path);
        strbuf_add(&sb, "\n");
    }
    for (size_t i = 0; i < g->n_scalars; i++)
        strbuf_printf(&sb, "scalar %s = %.17g\n", g->scalars[i].name, g->scalars[i].value);
    for (size_t i = 0; i < g->n_nodes; i++) print_node(&sb, g, &g->nodes[i]);
    for (size_t i = 0; i < g->n_outputs; i++)
        strbuf_printf(&sb, "output %s = %s\n", g->outputs[i].name, g->values[g->outputs[i].value].id);
    return sb.text;
}
