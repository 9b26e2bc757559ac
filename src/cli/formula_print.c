/* A checked formula to the text of a reference file: one line of Python for each assignment, parentheses only
 * where precedence asks for them. */
#include "base/strbuf.h"
#include "cli/formula.h"

#include <ctype.h>
#include <string.h>

#define PRECEDENCE_PRIMARY 100
#define NAME_MAX_BYTES     40

static void print_node(StrBuf *sb, const FormulaNode *n, int min_precedence);

/* Precedence of what print_node writes for n, in Python's terms. */
static int precedence_of(const FormulaNode *n) {
    if (n->kind == FORMULA_CALL) /* the one template that is not a primary is a quotient of numbers */
        return !strncmp(n->fn->python, "1 / ", 4) ? FORMULA_OPS[FORMULA_OP_DIV].precedence
                                                  : PRECEDENCE_PRIMARY;
    if (n->kind != FORMULA_OPERATION || FORMULA_OPS[n->op].python) return PRECEDENCE_PRIMARY;
    return FORMULA_OPS[n->op].precedence;
}

static void print_template(StrBuf *sb, const char *template, const FormulaNode *n) {
    for (const char *s = template; *s; s++) {
        if (*s != '$') {
            strbuf_addn(sb, s, 1);
            continue;
        }
        s++;
        int min_precedence = 0;
        if (*s == 'p') {
            min_precedence = PRECEDENCE_PRIMARY;
            s++;
        }
        print_node(sb, n->arg[*s - '0'], min_precedence);
    }
}

static void print_operation(StrBuf *sb, const FormulaNode *n) {
    const FormulaOp *op = &FORMULA_OPS[n->op];
    if (op->python) {
        print_template(sb, op->python, n);
    } else if (n->n_args == 1) {
        strbuf_add(sb, op->token);
        print_node(sb, n->arg[0], op->precedence);
    } else if (n->op == FORMULA_OP_POW) {
        /* Groups to the right, and takes a signed exponent as it is. */
        print_node(sb, n->arg[0], op->precedence + 1);
        strbuf_add(sb, " ** ");
        print_node(sb, n->arg[1], FORMULA_OPS[FORMULA_OP_NEG].precedence);
    } else {
        /* A comparison inside a comparison would chain. */
        bool is_comparison = op->result == FORMULA_BOOL;
        print_node(sb, n->arg[0], op->precedence + is_comparison);
        strbuf_printf(sb, " %s ", op->token);
        print_node(sb, n->arg[1], op->precedence + 1);
    }
}

static void print_node(StrBuf *sb, const FormulaNode *n, int min_precedence) {
    bool needs_parentheses = precedence_of(n) < min_precedence;
    if (needs_parentheses) strbuf_add(sb, "(");
    if (n->kind == FORMULA_OPERATION) print_operation(sb, n);
    else if (n->kind == FORMULA_CALL) print_template(sb, n->fn->python, n);
    else strbuf_add(sb, n->python ? n->python : n->text);
    if (needs_parentheses) strbuf_add(sb, ")");
}

/* ---- get_inputs -------------------------------------------------------------------------------- */

/* "M, N": arguments of a torch factory; an empty shape is "()". */
static void print_sizes(StrBuf *sb, FormulaShape s) {
    if (s.rank == 0) strbuf_add(sb, "()");
    for (size_t i = 0; i < s.rank; i++) {
        if (i) strbuf_add(sb, ", ");
        if (s.dim[i].symbol) strbuf_add(sb, s.dim[i].symbol);
        else strbuf_printf(sb, "%lld", (long long)s.dim[i].n);
    }
}

static void print_drawn(StrBuf *sb, const FormulaInput *in) {
    const DTypeInfo *t = dtype_info(in->dtype);
    if (t->cls == DTYPE_CLASS_B) {
        strbuf_add(sb, "torch.rand(");
        print_sizes(sb, in->shape);
        strbuf_add(sb, ") < 0.5");
        return;
    }
    if (t->cls != DTYPE_CLASS_F) {
        /* Not all integer types can be drawn directly. */
        strbuf_add(sb, "torch.randint(1, 101, (");
        if (in->shape.rank) print_sizes(sb, in->shape);
        strbuf_printf(sb, "%s)).to(torch.%s)", in->shape.rank == 1 ? "," : "", t->torch);
        return;
    }
    static const char *const BEFORE[] = {[FORMULA_NORMAL] = "torch.randn(",
                                         [FORMULA_POSITIVE] = "0.1 + 4 * torch.rand(",
                                         [FORMULA_UNIT] = "0.1 + 0.8 * torch.rand("};
    strbuf_add(sb, BEFORE[in->range]);
    print_sizes(sb, in->shape);
    if (in->dtype != DTYPE_F32) strbuf_printf(sb, ", dtype=torch.%s", t->torch);
    strbuf_add(sb, ")");
}

static void print_get_inputs(StrBuf *sb, const FormulaDecls *d) {
    strbuf_add(sb, "\n\ndef get_inputs():\n");
    for (size_t i = 0; i < d->dims.n; i++) strbuf_printf(sb, "%s%s", i ? ", " : "    ", d->dims.at[i].symbol);
    for (size_t i = 0; i < d->dims.n; i++)
        strbuf_printf(sb, "%s%lld", i ? ", " : " = ", (long long)d->dims.at[i].n);
    if (d->dims.n) strbuf_add(sb, "\n");
    for (size_t i = 0; i < d->inputs.n; i++) {
        strbuf_printf(sb, "    %s = ", d->inputs.at[i].name);
        print_drawn(sb, &d->inputs.at[i]);
        strbuf_add(sb, "\n");
    }
    strbuf_add(sb, "    return [");
    for (size_t i = 0; i < d->inputs.n; i++) strbuf_printf(sb, "%s%s", i ? ", " : "", d->inputs.at[i].name);
    for (size_t i = 0; i < d->scalars.n; i++)
        strbuf_printf(sb, "%s%s", i + d->inputs.n ? ", " : "", d->scalars.at[i].text);
    strbuf_add(sb, "]\n\n\ndef get_init_inputs():\n    return []\n");
}

/* ---- the file ---------------------------------------------------------------------------------- */

static void print_forward(StrBuf *sb, const Formula *f, const FormulaDecls *d) {
    static const char *const TYPES[] = {
        [FORMULA_BOOL] = "bool", [FORMULA_INT] = "int", [FORMULA_FLOAT] = "float"};
    strbuf_add(sb, "class Model(nn.Module):\n    def forward(self");
    for (size_t i = 0; i < d->inputs.n; i++) strbuf_printf(sb, ", %s", d->inputs.at[i].name);
    for (size_t i = 0; i < d->scalars.n; i++)
        strbuf_printf(sb, ", %s: %s", d->scalars.at[i].name, TYPES[d->scalars.at[i].cls]);
    strbuf_add(sb, "):\n");
    for (size_t i = 0; i < f->statements.n; i++) {
        strbuf_printf(sb, "        %s = ", f->statements.at[i].name);
        print_node(sb, f->statements.at[i].value, 0);
        strbuf_add(sb, "\n");
    }
    strbuf_add(sb, "        return ");
    for (size_t i = 0; i < f->outputs.n; i++)
        strbuf_printf(sb, "%s%s", i ? ", " : "", f->outputs.at[i]->name);
    strbuf_add(sb, "\n");
}

char *formula_print_reference(Arena *a, const Formula *f, const FormulaDecls *d) {
    StrBuf body, sb;
    strbuf_init(&body, a);
    print_forward(&body, f, d);
    strbuf_init(&sb, a);
    strbuf_printf(&sb, "\"\"\"%s\n\nMade from this formula with", f->text);
    for (size_t i = 0; i < d->inputs.n; i++)
        strbuf_printf(&sb, "%s %s %s%s", i ? "," : "", d->inputs.at[i].name,
                      dtype_info(d->inputs.at[i].dtype)->torch,
                      formula_print_shape(a, d->inputs.at[i].shape));
    strbuf_add(&sb, ".\n\"\"\"\n");
    if (strstr(body.text, "math.")) strbuf_add(&sb, "import math\n\n");
    strbuf_add(&sb, "import torch\nimport torch.nn as nn\n\n\n");
    strbuf_add(&sb, body.text);
    print_get_inputs(&sb, d);
    return sb.text;
}

/* ---- a name for the file ----------------------------------------------------------------------- */

/* Adds the words of n's operations in the order they are carried out, as long as they fit. */
static void add_words(StrBuf *sb, const FormulaNode *n) {
    for (size_t i = 0; i < n->n_args; i++) add_words(sb, n->arg[i]);
    const char *word = "";
    if (n->is_tensor && n->kind == FORMULA_OPERATION) word = FORMULA_OPS[n->op].word;
    if (n->is_tensor && n->kind == FORMULA_CALL) word = n->text;
    if (*word && sb->n_bytes + strlen(word) + 1 <= NAME_MAX_BYTES)
        strbuf_printf(sb, "%s%s", sb->n_bytes ? "_" : "", word);
}

char *formula_suggest_name(Arena *a, const Formula *f) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < f->statements.n; i++) add_words(&sb, f->statements.at[i].value);
    if (sb.n_bytes == 0) strbuf_add(&sb, "copy");
    return sb.text;
}
