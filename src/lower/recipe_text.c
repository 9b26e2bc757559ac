/* LaTeX of a recipe formula. */
#include "lower/recipe.h"

#include "base/strbuf.h"

#include <string.h>

static void print(StrBuf *sb, const RxNode *n, int min_power);

static const char *const GREEK[] = {"alpha", "beta",  "gamma", "delta", "lambda", "mu",
                                    "rho",   "sigma", "pi",    "theta", "eps"};

/* Functions LaTeX sets upright by itself. */
static const char *const NAMED[] = {"exp",  "ln",   "log",  "sin", "cos", "tan",
                                    "sinh", "cosh", "tanh", "max", "min"};

static bool listed(const char *const *list, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], name) == 0) return true;
    return false;
}

static void print_word(StrBuf *sb, const char *command, const char *name) {
    strbuf_printf(sb, "%s{", command);
    for (const char *s = name; *s; s++) strbuf_printf(sb, *s == '_' ? "\\%c" : "%c", *s);
    strbuf_add(sb, "}");
}

static void print_name(StrBuf *sb, const char *name) {
    if (strcmp(name, "inf") == 0) strbuf_add(sb, "\\infty");
    else if (strcmp(name, "eps") == 0) strbuf_add(sb, "\\epsilon");
    else if (listed(GREEK, sizeof GREEK / sizeof GREEK[0], name)) strbuf_printf(sb, "\\%s", name);
    else if (strlen(name) == 1) strbuf_add(sb, name);
    else print_word(sb, "\\mathit", name);
}

static void print_list(StrBuf *sb, const RxNode *n) {
    strbuf_add(sb, "\\left(");
    for (size_t i = 0; i < n->n_arg; i++) {
        if (i) strbuf_add(sb, ", ");
        print(sb, n->arg[i], 0);
    }
    strbuf_add(sb, "\\right)");
}

static void print_between(StrBuf *sb, const char *open, const RxNode *n, const char *close) {
    strbuf_add(sb, open);
    print(sb, n, 0);
    strbuf_add(sb, close);
}

static void print_call(StrBuf *sb, const RxNode *n) {
    if (strcmp(n->name, "sqrt") == 0) {
        print_between(sb, "\\sqrt{", n->arg[0], "}");
    } else if (strcmp(n->name, "abs") == 0) {
        print_between(sb, "\\left|", n->arg[0], "\\right|");
    } else if (strcmp(n->name, "floor") == 0) {
        print_between(sb, "\\lfloor ", n->arg[0], " \\rfloor");
    } else if (strcmp(n->name, "ceil") == 0) {
        print_between(sb, "\\lceil ", n->arg[0], " \\rceil");
    } else if (strcmp(n->name, "select") == 0 && n->n_arg == 3) {
        print_between(sb, "\\begin{cases} ", n->arg[1], " & ");
        print(sb, n->arg[0], 0);
        print_between(sb, " \\\\ ", n->arg[2], " & \\text{otherwise} \\end{cases}");
    } else {
        if (listed(NAMED, sizeof NAMED / sizeof NAMED[0], n->name)) strbuf_printf(sb, "\\%s", n->name);
        else print_word(sb, "\\operatorname", n->name);
        print_list(sb, n);
    }
}

static const struct {
    const char *latex;
    int power;
} INFIX[OPR_COUNT] = {
    [OPR_OR] = {" \\lor ", 1},
    [OPR_AND] = {" \\land ", 2},
    [OPR_EQ] = {" = ", 4},
    [OPR_NE] = {" \\ne ", 4},
    [OPR_LT] = {" < ", 4},
    [OPR_LE] = {" \\le ", 4},
    [OPR_GT] = {" > ", 4},
    [OPR_GE] = {" \\ge ", 4},
    [OPR_BOR] = {" \\mid ", 5},
    [OPR_BXOR] = {" \\oplus ", 6},
    [OPR_BAND] = {" \\mathbin{\\&} ", 7},
    [OPR_SHL] = {" \\ll ", 8},
    [OPR_SHR] = {" \\gg ", 8},
    [OPR_SHRU] = {" \\ggg ", 8},
    [OPR_ADD] = {" + ", 9},
    [OPR_SUB] = {" - ", 9},
    [OPR_MUL] = {" \\cdot ", 10},
};

static void print_binary(StrBuf *sb, const RxNode *n, int min_power) {
    if (n->opr == OPR_DIV) {
        print_between(sb, "\\frac{", n->arg[0], "}{");
        print_between(sb, "", n->arg[1], "}");
        return;
    }
    if (n->opr == OPR_POW) {
        print(sb, n->arg[0], 12);
        print_between(sb, "^{", n->arg[1], "}");
        return;
    }
    int power = INFIX[n->opr].power;
    if (power < min_power) strbuf_add(sb, "\\left(");
    print(sb, n->arg[0], power);
    strbuf_add(sb, INFIX[n->opr].latex);
    print(sb, n->arg[1], power + 1);
    if (power < min_power) strbuf_add(sb, "\\right)");
}

static void print(StrBuf *sb, const RxNode *n, int min_power) {
    switch (n->kind) {
    case RX_NUM:
        strbuf_printf(sb, "%.10g", n->num);
        return;
    case RX_STR:
        print_word(sb, "\\text", n->name);
        return;
    case RX_NIL:
        strbuf_add(sb, "\\varnothing");
        return;
    case RX_NAME:
        print_name(sb, n->name);
        return;
    case RX_CALL:
        print_call(sb, n);
        return;
    case RX_UNARY:
        if (min_power > 9) strbuf_add(sb, "\\left(");
        strbuf_add(sb, n->opr == OPR_NOT ? "\\lnot " : n->opr == OPR_INV ? "\\sim " : "-");
        print(sb, n->arg[0], 11);
        if (min_power > 9) strbuf_add(sb, "\\right)");
        return;
    case RX_BINARY:
        print_binary(sb, n, min_power);
        return;
    case RX_COND:
        print_between(sb, "\\begin{cases} ", n->arg[1], " & ");
        print(sb, n->arg[0], 0);
        print_between(sb, " \\\\ ", n->arg[2], " & \\text{otherwise} \\end{cases}");
        return;
    case RX_LET:
        print_name(sb, n->name);
        print_between(sb, " = ", n->arg[0], ",\\; ");
        print(sb, n->arg[1], 0);
        return;
    }
}

char *rx_latex(const RxNode *n, Arena *a) {
    StrBuf sb;
    strbuf_init(&sb, a);
    print(&sb, n, 0);
    return sb.text;
}
