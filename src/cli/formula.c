/* Formula text to a tree: a lexer that works on demand and a precedence climber over the operator table. Also
 * the tables themselves and the caret. Knows nothing of classes and shapes. */
#include "cli/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const FormulaOp FORMULA_OPS[FORMULA_N_OPS] = {
#define FORMULA_OP(id, token_, n, prec, takes_, result_, word_, python_)                                     \
    [FORMULA_OP_##id] = {.token = token_,                                                                    \
                         .n_args = n,                                                                        \
                         .precedence = prec,                                                                 \
                         .takes = FORMULA_TAKES_##takes_,                                                    \
                         .result = FORMULA_##result_,                                                        \
                         .word = word_,                                                                      \
                         .python = python_},
#include "cli/formula.def"
#undef FORMULA_OP
};

/* ---- the caret --------------------------------------------------------------------------------- */

#define SHOWN_BEFORE 70 /* bytes of a long line shown before and after the place */
#define SHOWN_AFTER  40

static bool is_continuation(char c) {
    return ((unsigned char)c & 0xC0) == 0x80;
}

bool formula_error(Err *err, const char *label, const char *text, size_t at, const char *fmt, ...) {
    size_t n = strlen(text), line_no = 1, start = 0;
    if (at > n) at = n;
    for (size_t i = 0; i < at; i++)
        if (text[i] == '\n') {
            line_no++;
            start = i + 1;
        }
    size_t end = at + strcspn(text + at, "\r\n"), column = 1;
    for (size_t i = start; i < at; i++) column += !is_continuation(text[i]);
    size_t from = at - start > SHOWN_BEFORE ? at - SHOWN_BEFORE : start;
    while (from < at && is_continuation(text[from])) from++;
    size_t to = end - at > SHOWN_AFTER ? at + SHOWN_AFTER : end;
    while (to < end && is_continuation(text[to])) to++;

    char what[512], pad[SHOWN_BEFORE + 8], where[64];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    size_t n_pad = 0;
    if (from > start) n_pad += (size_t)snprintf(pad, sizeof pad, "   ");
    for (size_t i = from; i < at; i++)
        if (!is_continuation(text[i])) pad[n_pad++] = text[i] == '\t' ? '\t' : ' ';
    pad[n_pad] = '\0';
    snprintf(where, sizeof where, "%s:%zu:%zu", label, line_no, column);
    return err_set(err, ERR_BAD_INPUT, where, "%s\n    %s%.*s%s\n    %s^", what, from > start ? "..." : "",
                   (int)(to - from), text + from, to < end ? "..." : "", pad);
}

/* ---- names ------------------------------------------------------------------------------------- */

bool formula_name_ok(const char *name, const char **why) {
    static const char *const KEYWORDS[] = {
        "and", "as",    "assert", "async",  "await", "break",    "class",  "continue", "def",
        "del", "elif",  "else",   "except", "for",   "from",     "global", "if",       "import",
        "in",  "is",    "lambda", "not",    "or",    "nonlocal", "pass",   "raise",    "return",
        "try", "while", "with",   "yield",  "None",  "True",     "False",  "finally"};
    /* What the text of the reference file itself uses. */
    static const char *const TAKEN[] = {"torch", "nn", "math",  "self", "min", "max",
                                        "abs",   "pi", "float", "int",  "bool"};
    for (size_t i = 0; i < sizeof KEYWORDS / sizeof KEYWORDS[0]; i++)
        if (!strcmp(name, KEYWORDS[i])) {
            *why = "is a word of Python";
            return false;
        }
    for (size_t i = 0; i < sizeof TAKEN / sizeof TAKEN[0]; i++)
        if (!strcmp(name, TAKEN[i])) {
            *why = "has a meaning of its own in the reference file";
            return false;
        }
    if (!strncmp(name, "__", 2)) {
        *why = "begins with two underscores";
        return false;
    }
    return true;
}

/* ---- lexer ------------------------------------------------------------------------------------- */

typedef enum { TOK_END, TOK_SEPARATOR, TOK_NAME, TOK_NUMBER, TOK_PUNCT } TokKind;

typedef struct Parser {
    Arena *a;
    Err *err;
    const char *text;
    size_t pos;      /* after the current token */
    int parentheses; /* open ones: a new line inside them is a space */
    int nesting;     /* of the parser's own recursion */
    TokKind kind;
    size_t at; /* of the current token */
    char *tok; /* its text */
} Parser;

static const char *const PUNCT[] = {"**", "//", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*",
                                    "/",  "%",  "&",  "|",  "^",  "~",  "(", ")", ",", "="};

static bool fail(Parser *p, size_t at, const char *message) {
    return formula_error(p->err, "--formula", p->text, at, "%s", message);
}

static bool is_name_start(char c) {
    return isalpha((unsigned char)c) || c == '_';
}
static bool is_name_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Decimal integers without a leading zero, and decimal fractions with an optional exponent: as in Python. */
static bool lex_number(Parser *p) {
    const char *s = p->text + p->at;
    size_t n = strspn(s, "0123456789");
    bool is_float = false;
    if (s[n] == '.') {
        is_float = true;
        n++;
        n += strspn(s + n, "0123456789");
    }
    if (s[n] == 'e' || s[n] == 'E') {
        size_t m = n + 1;
        if (s[m] == '+' || s[m] == '-') m++;
        size_t digits = strspn(s + m, "0123456789");
        if (digits) {
            is_float = true;
            n = m + digits;
        }
    }
    if (is_name_char(s[n]) || s[n] == '.') {
        fail(p, p->at + n, "a number runs into something else");
        return err_hint(p->err, "write a product with *: 2 * x");
    }
    if (!is_float && n > 1 && s[0] == '0') return fail(p, p->at, "a whole number does not begin with 0");
    if (!is_float && n > 18) return fail(p, p->at, "this whole number does not fit in 64 bits");
    p->kind = TOK_NUMBER;
    p->tok = arena_strndup(p->a, s, n);
    p->pos = p->at + n;
    return true;
}

static bool lex_punct(Parser *p) {
    const char *s = p->text + p->at;
    for (size_t i = 0; i < sizeof PUNCT / sizeof PUNCT[0]; i++) {
        size_t n = strlen(PUNCT[i]);
        if (strncmp(s, PUNCT[i], n) != 0) continue;
        p->kind = TOK_PUNCT;
        p->tok = arena_strndup(p->a, s, n);
        p->pos = p->at + n;
        return true;
    }
    if (s[0] == '[' || s[0] == '.') {
        fail(p, p->at, "indexing and methods are not part of a formula");
        return err_hint(
            p->err,
            "for views and slices write the reference file yourself: examples/transpose_add.py shows how");
    }
    if (s[0] == '!') return fail(p, p->at, "`!` is not an operator; write `not` or ~");
    if (s[0] == '@')
        return fail(p, p->at, "a formula works element by element; matrix products are not part of it");
    if ((unsigned char)s[0] >= 0x80)
        return fail(p, p->at, "names and operators are plain ASCII; this character is not");
    return fail(p, p->at, "this character has no meaning in a formula");
}

/* Moves to the next token. */
static bool next(Parser *p) {
    const char *t = p->text;
    while (t[p->pos] == ' ' || t[p->pos] == '\t' || t[p->pos] == '\r' ||
           (p->parentheses > 0 && t[p->pos] == '\n'))
        p->pos++;
    p->at = p->pos;
    char c = t[p->pos];
    if (c == '\0') {
        p->kind = TOK_END;
        p->tok = arena_strdup(p->a, "the end");
        return true;
    }
    if (c == ';' || c == '\n') {
        p->kind = TOK_SEPARATOR;
        p->tok = arena_strdup(p->a, c == ';' ? ";" : "the end of the line");
        p->pos++;
        return true;
    }
    if (is_name_start(c)) {
        size_t n = 1;
        while (is_name_char(t[p->pos + n])) n++;
        p->kind = TOK_NAME;
        p->tok = arena_strndup(p->a, t + p->pos, n);
        p->pos += n;
        return true;
    }
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)t[p->pos + 1])))
        return lex_number(p);
    return lex_punct(p);
}

static bool is_punct(const Parser *p, const char *s) {
    return p->kind == TOK_PUNCT && !strcmp(p->tok, s);
}

/* ---- parser ------------------------------------------------------------------------------------ */

static FormulaNode *parse_expression(Parser *p, int min_precedence);

/* The operator the current token is, with that many operands; FORMULA_N_OPS when it is none. */
static FormulaOpId find_op(const Parser *p, int n_args) {
    if (p->kind == TOK_PUNCT || p->kind == TOK_NAME)
        for (int i = 0; i < FORMULA_N_OPS; i++)
            if (FORMULA_OPS[i].n_args == n_args && !strcmp(FORMULA_OPS[i].token, p->tok))
                return (FormulaOpId)i;
    return FORMULA_N_OPS;
}

static FormulaNode *new_node(Parser *p, FormulaKind kind, size_t at, const char *text) {
    FormulaNode *n = ARENA_NEW(p->a, FormulaNode);
    n->kind = kind;
    n->at = at;
    n->text = text;
    n->depth = 1;
    n->op = FORMULA_N_OPS;
    return n;
}

/* Adds an argument; false when the tree would be deeper than the walks over it may recurse. */
static bool add_arg(Parser *p, FormulaNode *n, FormulaNode *arg) {
    n->arg[n->n_args++] = arg;
    if (arg->depth + 1 > n->depth) n->depth = arg->depth + 1;
    if (n->depth <= FORMULA_MAX_DEPTH) return true;
    fail(p, n->at, "this expression is nested too deeply");
    return err_hint(p->err, "give a part of it a name of its own: a = ...; b = ...");
}

static FormulaNode *parse_call(Parser *p, size_t at, const char *name) {
    FormulaNode *n = new_node(p, FORMULA_CALL, at, name);
    size_t open_at = p->at;
    p->parentheses++;
    if (!next(p)) return NULL;
    while (!is_punct(p, ")")) {
        if (n->n_args == FORMULA_MAX_ARGS) {
            formula_error(p->err, "--formula", p->text, p->at, "%s has too many arguments", name);
            return NULL;
        }
        FormulaNode *arg = parse_expression(p, 0);
        if (!arg || !add_arg(p, n, arg)) return NULL;
        if (is_punct(p, ")")) break;
        if (!is_punct(p, ",")) {
            if (p->kind == TOK_END) fail(p, open_at, "this parenthesis is not closed");
            else
                formula_error(p->err, "--formula", p->text, p->at, "expected `,` or `)` here, found `%s`",
                              p->tok);
            return NULL;
        }
        if (!next(p)) return NULL;
    }
    p->parentheses--;
    return next(p) ? n : NULL;
}

static FormulaNode *parse_group(Parser *p) {
    size_t open_at = p->at;
    p->parentheses++;
    if (!next(p)) return NULL;
    FormulaNode *n = parse_expression(p, 0);
    if (!n) return NULL;
    if (!is_punct(p, ")")) {
        if (p->kind == TOK_END) fail(p, open_at, "this parenthesis is not closed");
        else
            formula_error(p->err, "--formula", p->text, p->at, "expected an operator or `)` here, found `%s`",
                          p->tok);
        return NULL;
    }
    p->parentheses--;
    return next(p) ? n : NULL;
}

/* primary = NUMBER | NAME | NAME "(" [expression {"," expression}] ")" | "(" expression ")" */
static FormulaNode *parse_primary(Parser *p) {
    size_t at = p->at;
    const char *text = p->tok;
    if (is_punct(p, "(")) return parse_group(p);
    if (p->kind == TOK_NUMBER) return next(p) ? new_node(p, FORMULA_NUMBER, at, text) : NULL;
    if (p->kind == TOK_NAME && find_op(p, 2) == FORMULA_N_OPS) {
        if (!next(p)) return NULL;
        return is_punct(p, "(") ? parse_call(p, at, text) : new_node(p, FORMULA_NAME, at, text);
    }
    formula_error(p->err, "--formula", p->text, at, "expected a name, a number or `(` here, found %s%s%s",
                  p->kind == TOK_END || !strncmp(text, "the ", 4) ? "" : "`", text,
                  p->kind == TOK_END || !strncmp(text, "the ", 4) ? "" : "`");
    return NULL;
}

/* prefix = ("-" | "+" | "~" | "not") expression of its precedence | primary */
static FormulaNode *parse_prefix(Parser *p, int min_precedence) {
    FormulaOpId op = find_op(p, 1);
    if (op == FORMULA_N_OPS) return parse_primary(p);
    size_t at = p->at;
    int precedence = FORMULA_OPS[op].precedence;
    /* `a + not b` is an error in Python too; `a ** -b` is not. */
    if (op == FORMULA_OP_NOT && min_precedence > precedence) {
        fail(p, at, "`not` needs parentheses here");
        return NULL;
    }
    FormulaNode *n = new_node(p, FORMULA_OPERATION, at, p->tok);
    n->op = op;
    if (!next(p)) return NULL;
    FormulaNode *arg = parse_expression(p, precedence);
    return arg && add_arg(p, n, arg) ? n : NULL;
}

static FormulaNode *parse_binary(Parser *p, int min_precedence) {
    FormulaNode *left = parse_prefix(p, min_precedence);
    while (left) {
        FormulaOpId op = find_op(p, 2);
        if (op == FORMULA_N_OPS || FORMULA_OPS[op].precedence < min_precedence) return left;
        int precedence = FORMULA_OPS[op].precedence;
        FormulaNode *n = new_node(p, FORMULA_OPERATION, p->at, p->tok);
        n->op = op;
        if (!next(p)) return NULL;
        /* ** groups to the right, all others to the left. */
        FormulaNode *right = parse_expression(p, op == FORMULA_OP_POW ? precedence : precedence + 1);
        if (!right || !add_arg(p, n, left) || !add_arg(p, n, right)) return NULL;
        left = n;
        FormulaOpId after = find_op(p, 2);
        if (FORMULA_OPS[op].result == FORMULA_BOOL && FORMULA_OPS[op].takes == FORMULA_TAKES_ANY &&
            after != FORMULA_N_OPS && FORMULA_OPS[after].precedence == precedence) {
            fail(p, p->at, "comparisons cannot be chained, and & and | bind tighter than a comparison");
            err_hint(p->err, "write (a < b) and (b < c)");
            return NULL;
        }
    }
    return NULL;
}

static FormulaNode *parse_expression(Parser *p, int min_precedence) {
    if (++p->nesting > FORMULA_MAX_DEPTH) {
        fail(p, p->at, "this expression is nested too deeply");
        err_hint(p->err, "give a part of it a name of its own: a = ...; b = ...");
        return NULL;
    }
    FormulaNode *n = parse_binary(p, min_precedence);
    p->nesting--;
    return n;
}

/* statement = [NAME "="] expression; a statement without a name gets NULL. */
static bool parse_statement(Parser *p, FormulaStatement *s) {
    *s = (FormulaStatement){.at = p->at};
    size_t back_pos = p->pos;
    TokKind back_kind = p->kind;
    char *back_tok = p->tok;
    if (p->kind == TOK_NAME) {
        if (!next(p)) return false;
        if (is_punct(p, "=")) {
            const char *why;
            s->name = back_tok;
            if (!formula_name_ok(s->name, &why))
                return formula_error(p->err, "--formula", p->text, s->at, "`%s` %s and cannot be assigned",
                                     s->name, why);
            if (!next(p)) return false;
        } else {
            p->at = s->at;
            p->pos = back_pos;
            p->kind = back_kind;
            p->tok = back_tok;
        }
    }
    s->value = parse_expression(p, 0);
    if (!s->value) return false;
    if (p->kind == TOK_END || p->kind == TOK_SEPARATOR) return true;
    if (is_punct(p, "="))
        return fail(p, p->at, "only a single name can be assigned; a comparison is written ==");
    return formula_error(p->err, "--formula", p->text, p->at,
                         "expected an operator or the end here, found `%s`", p->tok);
}

Formula *formula_parse(Arena *a, const char *text, Err *err) {
    if (strlen(text) > FORMULA_MAX_BYTES) {
        err_set(err, ERR_BAD_INPUT, "--formula", "the formula is longer than %d bytes", FORMULA_MAX_BYTES);
        return NULL;
    }
    Formula *f = ARENA_NEW(a, Formula);
    f->text = text;
    Parser p = {.a = a, .err = err, .text = text};
    if (!next(&p)) return NULL;
    for (;;) {
        while (p.kind == TOK_SEPARATOR)
            if (!next(&p)) return NULL;
        if (p.kind == TOK_END) break;
        FormulaStatement s;
        if (!parse_statement(&p, &s)) return NULL;
        vec_push(a, &f->statements, s);
    }
    if (f->statements.n == 0) {
        formula_error(err, "--formula", text, 0, "the formula is empty");
        return NULL;
    }
    for (size_t i = 0; i < f->statements.n; i++) {
        FormulaStatement *s = &f->statements.at[i];
        if (s->name) continue;
        if (f->statements.n > 1) {
            formula_error(err, "--formula", text, s->at, "this value has no name");
            err_hint(err, "of several statements each is an assignment: z = ...");
            return NULL;
        }
        s->name = "out";
    }
    return f;
}
