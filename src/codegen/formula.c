/* The formula in words and in LaTeX: recipes' texts with the operands put in. Results used more than once,
 * and long ones, get a line of their own, so that the text grows with the graph and not with its paths. */
#include "codegen/gen.h"
#include "lower/family.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define LONG_TEXT 72

typedef struct Formula {
    Gen *gen;
    bool latex;
    const char **text; /* per value: as an operand */
    uint32_t *uses, own;
    StrBuf lines; /* of the hoisted results, in order */
} Formula;

static void count_arg(const GraphArg *arg, uint32_t *uses) {
    if (arg->kind == GRAPH_ARG_REF) uses[arg->value]++;
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) count_arg(&arg->item[i], uses);
}

static void count_uses(const Graph *g, uint32_t *uses) {
    for (size_t i = 0; i < g->n_nodes; i++) {
        for (size_t k = 0; k < g->nodes[i].n_args; k++) count_arg(&g->nodes[i].args[k], uses);
        for (size_t k = 0; k < g->nodes[i].n_kwargs; k++) count_arg(&g->nodes[i].kwargs[k].arg, uses);
    }
}

static const char *name_text(const Formula *f, const char *name) {
    if (!f->latex) return name;
    StrBuf sb;
    strbuf_init(&sb, f->gen->a);
    strbuf_add(&sb, strlen(name) > 1 ? "\\mathit{" : "");
    for (const char *p = name; *p; p++) {
        if (*p == '_') strbuf_add(&sb, "\\");
        strbuf_addn(&sb, p, 1);
    }
    strbuf_add(&sb, strlen(name) > 1 ? "}" : "");
    return sb.text;
}

static const char *number_text(const Formula *f, double v) {
    if (isinf(v)) return v > 0 ? (f->latex ? "\\infty" : "inf") : f->latex ? "-\\infty" : "-inf";
    if (isnan(v)) return "NaN";
    return arena_printf(f->gen->a, "%.9g", v);
}

static const char *arg_text(Formula *f, const GraphArg *arg);

/* An operand needs parentheses unless it is a name, a number or a call. */
static bool is_simple(const char *s) {
    int depth = 0;
    for (const char *p = s; *p; p++) {
        if (*p == '(' || *p == '{') depth++;
        if (*p == ')' || *p == '}') depth--;
        if (depth == 0 && (*p == ' ' || (*p == '-' && p == s))) return false;
    }
    return true;
}

static const char *as_operand(const Formula *f, const char *s) {
    return is_simple(s) ? s : arena_printf(f->gen->a, f->latex ? "\\left(%s\\right)" : "(%s)", s);
}

static const char *param_value(Formula *f, const GraphNode *n, const char *params, const char *word,
                               size_t len) {
    size_t i = 0;
    for (const char *p = params; *p; i++) {
        size_t n_name = strcspn(p, " =:"), n_all = strcspn(p, " ");
        if (n_name == len && strncmp(p, word, len) == 0) {
            char *name = arena_strndup(f->gen->a, p, n_name);
            const GraphArg *arg = graph_arg(n, i, name);
            if (arg) return arg_text(f, arg);
            const char *eq = memchr(p, '=', n_all);
            return eq ? arena_strndup(f->gen->a, eq + 1, (size_t)(p + n_all - eq - 1)) : name;
        }
        p += n_all;
        p += strspn(p, " ");
    }
    return NULL;
}

/* Whether the word at p is a whole operand: nothing binds to it, so it needs no parentheses. */
static bool stands_alone(const char *before, const char *after, const char *start) {
    while (before > start && before[-1] == ' ') before--;
    while (*after == ' ') after++;
    char b = before > start ? before[-1] : '(';
    return (b == '(' || b == ',' || b == '{') &&
           (*after == ')' || *after == ',' || *after == '\0' || *after == '}');
}

/* A word of a recipe's text and what belongs to it: LaTeX writes \\alpha and \\mathit{other}. */
typedef struct Word {
    const char *name;
    size_t n_name, n_all; /* n_all 0: no word here */
} Word;

static Word word_at(const char *p, bool latex) {
    static const char ITALIC[] = "\\mathit{";
    const size_t n_italic = sizeof ITALIC - 1;
    Word w = {.name = p};
    bool italic = latex && strncmp(p, ITALIC, n_italic) == 0;
    if (italic) w.name += n_italic;
    else if (latex && *p == '\\') w.name++;
    if (!isalpha((unsigned char)*w.name)) return (Word){.name = p};
    while (isalnum((unsigned char)w.name[w.n_name]) || w.name[w.n_name] == '_' ||
           (w.name[w.n_name] == '\\' && w.name[w.n_name + 1] == '_'))
        w.n_name++;
    w.n_all = (size_t)(w.name - p) + w.n_name;
    if (italic && p[w.n_all] == '}') w.n_all++;
    return w;
}

static const char *substitute(Formula *f, const GraphNode *n, const char *form, const char *params) {
    const char *times = f->latex ? " \\cdot " : " * ";
    StrBuf sb;
    strbuf_init(&sb, f->gen->a);
    for (const char *p = form; *p;) {
        Word w = word_at(p, f->latex);
        const char *value = w.n_all ? param_value(f, n, params, w.name, w.n_name) : NULL;
        const char *after = p + (w.n_all ? w.n_all : 1);
        if (value && strcmp(value, "1") == 0 && strncmp(after, times, strlen(times)) == 0)
            after += strlen(times); /* 1 * x */
        else if (value) strbuf_add(&sb, stands_alone(p, after, form) ? value : as_operand(f, value));
        else strbuf_addn(&sb, p, (size_t)(after - p));
        p = after;
    }
    return sb.text;
}

/* ---- choices: "approximate == 'tanh' ? A : B", in LaTeX \begin{cases} A & .. \\\\ B & .. \end{cases}
 * ------------------- */

/* Position of `mark` in s outside parentheses and braces; NULL: not there. */
static const char *find_outside(const char *s, const char *mark) {
    int depth = 0;
    for (; *s; s++) {
        if (*s == '(' || *s == '{') depth++;
        if (*s == ')' || *s == '}') depth--;
        if (depth == 0 && strncmp(s, mark, strlen(mark)) == 0) return s;
    }
    return NULL;
}

/* Follows the choices of a text whose conditions compare a parameter with a literal; *branch is the row of
 * the cases. */
static const char *resolve_text(Formula *f, const GraphNode *n, const char *form, const char *params,
                                int *branch) {
    *branch = -1;
    for (const char *ask = find_outside(form, " ? "); ask; ask = find_outside(form, " ? ")) {
        const char *eq = find_outside(form, " == "), *colon = find_outside(ask, " : ");
        if (!eq || eq > ask || !colon || strcspn(form, " ") != (size_t)(eq - form)) return form;
        const char *value = param_value(f, n, params, form, (size_t)(eq - form));
        const char *want = eq + 4;
        if (!value) return form;
        ++*branch;
        if (strlen(value) == (size_t)(ask - want) && strncmp(value, want, strlen(value)) == 0)
            return arena_strndup(f->gen->a, ask + 3, (size_t)(colon - ask - 3));
        form = colon + 3;
        if (!find_outside(form, " ? ")) ++*branch;
    }
    return form;
}

static const char *latex_row(Formula *f, const char *form, int branch) {
    static const char BEGIN[] = "\\begin{cases} ";
    if (branch < 0 || strncmp(form, BEGIN, sizeof BEGIN - 1) != 0) return form;
    const char *row = form + sizeof BEGIN - 1;
    for (int i = 0; i < branch; i++) {
        row = strstr(row, " \\\\ ");
        if (!row) return form;
        row += 4;
    }
    const char *end = find_outside(row, " & ");
    return end ? arena_strndup(f->gen->a, row, (size_t)(end - row)) : form;
}

static const char *short_name(Arena *a, const char *op) {
    const char *dot = strchr(op, '.');
    const char *name = dot ? dot + 1 : op;
    return arena_strndup(a, name, strcspn(name, "."));
}

static const char *view_text(Formula *f, const GraphNode *n, uint32_t result) {
    static const char *const SILENT[] = {"expand",    "view",    "reshape",         "_unsafe_view",
                                         "unsqueeze", "squeeze", "clone",           "contiguous",
                                         "alias",     "detach",  "broadcast_in_dim"};
    const char *name = short_name(f->gen->a, n->op), *x = arg_text(f, &n->args[0]);
    for (size_t i = 0; i < sizeof SILENT / sizeof SILENT[0]; i++)
        if (strcmp(name, SILENT[i]) == 0) return x;
    const char *index = n->is_multi ? arena_printf(f->gen->a, "[%u]", result) : "";
    return f->latex ? arena_printf(f->gen->a, "\\mathrm{%s}(%s)%s",
                                   name_text(&(Formula){.gen = f->gen}, name), x, index)
                    : arena_printf(f->gen->a, "%s(%s)%s", name, x, index);
}

/* An anchor of some family: "sum(x)". */
static const char *anchor_text(Formula *f, const GraphNode *n, uint32_t result) {
    const char *name = short_name(f->gen->a, n->op);
    StrBuf sb;
    strbuf_init(&sb, f->gen->a);
    strbuf_printf(&sb, f->latex ? "\\mathrm{%s}(" : "%s(",
                  f->latex ? name_text(&(Formula){.gen = f->gen}, name) : name);
    for (size_t i = 0; i < n->n_args; i++)
        if (n->args[i].kind == GRAPH_ARG_REF)
            strbuf_printf(&sb, "%s%s", i ? ", " : "", arg_text(f, &n->args[i]));
    strbuf_add(&sb, ")");
    return n->n_results > 1 ? arena_printf(f->gen->a, "%s[%u]", sb.text, result) : sb.text;
}

static const char *node_text(Formula *f, const GraphNode *n, uint32_t result) {
    if (graph_is_view(n->op)) return view_text(f, n, result);
    if (!family_is_free(n)) return anchor_text(f, n, result);
    const PointwiseOp *op = pointwise_find(n->op);
    if (op) {
        int branch;
        const char *text = resolve_text(f, n, op->text, op->params, &branch);
        return substitute(f, n, f->latex ? latex_row(f, op->latex, branch) : text, op->params);
    }
    if (n->n_args > 1 && strstr(n->op, "full")) return arg_text(f, &n->args[1]);
    return strstr(n->op, "ones") ? "1" : "0";
}

static const char *value_text(Formula *f, uint32_t value) {
    if (f->text[value]) return f->text[value];
    const GraphValue *v = &f->gen->g->values[value];
    const char *text = v->node < 0 ? name_text(f, f->gen->g->inputs[v->result].name)
                                   : node_text(f, &f->gen->g->nodes[v->node], v->result);
    bool own_line = value != f->own && v->node >= 0 && !is_simple(text) &&
                    (f->uses[value] > 1 || strlen(text) > LONG_TEXT);
    if (own_line) {
        const char *name = name_text(f, v->id);
        strbuf_printf(&f->lines, f->latex ? "%s &= %s \\\\\n" : "%s = %s\n", name, text);
        text = name;
    }
    f->text[value] = text;
    return text;
}

static const char *arg_text(Formula *f, const GraphArg *arg) {
    switch (arg->kind) {
    case GRAPH_ARG_REF:
        return value_text(f, arg->value);
    case GRAPH_ARG_SCALAR: {
        const char *name = name_text(f, f->gen->g->scalars[arg->scalar].name);
        return arg->negated ? arena_printf(f->gen->a, "(-%s)", name) : name;
    }
    case GRAPH_ARG_INT:
        return arena_printf(f->gen->a, "%" PRId64, arg->i);
    case GRAPH_ARG_NUM:
        return number_text(f, arg->f);
    case GRAPH_ARG_BOOL:
        return arg->i ? "True" : "False";
    case GRAPH_ARG_STR:
        return arena_printf(f->gen->a, "'%s'", arg->str);
    case GRAPH_ARG_SIZE:
        return size_print(f->gen->a, arg->size, f->gen->symbols, SIZE_PYTHON);
    case GRAPH_ARG_DTYPE:
        return dtype_info(arg->dtype)->torch;
    default:
        return "None";
    }
}

static const char *formula(Gen *gen, size_t output, bool latex) {
    const Graph *g = gen->g;
    Formula f = {.gen = gen,
                 .latex = latex,
                 .text = ARENA_ARRAY(gen->a, g->n_values, const char *),
                 .uses = ARENA_ARRAY(gen->a, g->n_values, uint32_t)};
    strbuf_init(&f.lines, gen->a);
    count_uses(g, f.uses);
    f.own = g->outputs[output].value; /* its line is the output's */
    const char *name = name_text(&f, g->outputs[output].name),
               *text = value_text(&f, g->outputs[output].value);
    if (latex && f.lines.n_bytes)
        return arena_printf(gen->a, "\\begin{aligned}\n%s%s &= %s\n\\end{aligned}", f.lines.text, name, text);
    return arena_printf(gen->a, "%s%s = %s", f.lines.text, name, text);
}

const char *gen_formula_text(Gen *gen, size_t output) {
    return formula(gen, output, false);
}
const char *gen_formula_latex(Gen *gen, size_t output) {
    return formula(gen, output, true);
}

/* ---- category
 * ---------------------------------------------------------------------------------------------------- */

/* From what the operator is made of: only views; comparisons; operands of several shapes; one tensor through
 * a non-linear function; other arithmetic. */
const char *gen_category(const Gen *gen) {
    const Graph *g = gen->g;
    size_t n_pointwise = 0;
    bool nonlinear = false, logical = true, rows = false;
    for (size_t i = 0; i < g->n_nodes; i++) n_pointwise += pointwise_find(g->nodes[i].op) != NULL;
    for (size_t i = 0; i < gen->n_passes; i++) {
        const PlanPass *p = gen->pass[i].p;
        for (size_t k = 0; k < p->kir->insns.n; k++) {
            KirOp op = p->kir->insns.at[k].op;
            nonlinear |= op == KIR_EXP_F || op == KIR_LN_F || op == KIR_RELU_F || op == KIR_SELS_F ||
                         op == KIR_SEL_F || op == KIR_MAXS_F;
        }
        for (size_t k = 0; k < p->access.n; k++) {
            const PlanAccess *acc = &p->access.at[k];
            rows |= acc->cls == PLAN_VECTOR || acc->cls == PLAN_COLUMN || (acc->cls == PLAN_NUMBER);
            if (acc->is_store) logical = logical && acc->dtype[0] == DTYPE_BOOL;
        }
    }
    bool smaller = false, anchors = false;
    for (size_t i = 0; i < g->n_nodes; i++) anchors |= !family_is_free(&g->nodes[i]);
    for (size_t i = 0; i < g->n_outputs; i++)
        smaller |= g->n_inputs &&
                   g->values[g->outputs[i].value].shape.rank < g->values[g->inputs[0].value].shape.rank;
    if (anchors) return smaller ? "reduce" : "normalization";
    if (n_pointwise == 0) return "layout";
    if (logical) return "comparison";
    if (rows) return "broadcast";
    return g->n_inputs == 1 && nonlinear ? "activation" : "math";
}
