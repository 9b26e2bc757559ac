/* Recipe text to syntax tree: a lexer and a Pratt parser. Knows no operator's meaning. */
#include "lower/recipe.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

typedef enum { T_END, T_NUM, T_NAME, T_STR, T_OPR, T_PUNCT } TokKind;

typedef struct Tok {
    TokKind kind;
    const char *at;
    size_t len;
    RxOpr opr;
    char punct;
    double num;
    bool is_int;
} Tok;

typedef struct Parser {
    Arena *arena;
    const char *text, *what;
    const char *pos;
    Tok tok;
    uint32_t depth;
    Err *err;
} Parser;

/* Left binding power of infix operators and of the prefix ones; longer spellings first. */
static const struct {
    const char *text;
    RxOpr opr;
    uint8_t infix, prefix;
} OPRS[] = {
    {">>>", OPR_SHRU, 18, 0}, {">>", OPR_SHR, 18, 0}, {"<<", OPR_SHL, 18, 0}, {"<=", OPR_LE, 10, 0},
    {">=", OPR_GE, 10, 0},    {"==", OPR_EQ, 10, 0},  {"!=", OPR_NE, 10, 0},  {"**", OPR_POW, 26, 0},
    {"<", OPR_LT, 10, 0},     {">", OPR_GT, 10, 0},   {"|", OPR_BOR, 12, 0},  {"^", OPR_BXOR, 14, 0},
    {"&", OPR_BAND, 16, 0},   {"+", OPR_ADD, 20, 0},  {"-", OPR_SUB, 20, 24}, {"*", OPR_MUL, 22, 0},
    {"/", OPR_DIV, 22, 0},    {"~", OPR_INV, 0, 24},  {"or", OPR_OR, 4, 0},   {"and", OPR_AND, 6, 0},
    {"not", OPR_NOT, 0, 8},
};
#define N_OPRS (sizeof OPRS / sizeof OPRS[0])

const char *rx_opr_text(RxOpr o) {
    for (size_t i = 0; i < N_OPRS; i++)
        if (OPRS[i].opr == o) return OPRS[i].text;
    return "-"; /* OPR_NEG */
}

static bool fail(Parser *p, const char *at, const char *what) {
    return err_set(p->err, ERR_INTERNAL, p->what, "column %zu: %s, in \"%s\"", (size_t)(at - p->text) + 1,
                   what, p->text);
}

static bool lex_number(Parser *p) {
    const char *s = p->pos;
    char *end = NULL;
    p->tok.num = strtod(s, &end);
    p->tok.kind = T_NUM;
    p->tok.len = (size_t)(end - s);
    bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
    p->tok.is_int = true;
    for (const char *c = s; c < end; c++)
        if (*c == '.' || *c == 'p' || *c == 'P' || (!hex && (*c == 'e' || *c == 'E'))) p->tok.is_int = false;
    if (isalnum((unsigned char)*end) || *end == '_') return fail(p, s, "malformed number");
    if (hex && p->tok.is_int && p->tok.num > INT32_MAX) p->tok.num -= 4294967296.0; /* a bit pattern */
    return true;
}

static void lex_name(Parser *p) {
    const char *s = p->pos;
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    p->tok.kind = T_NAME;
    p->tok.len = n;
    for (size_t i = 0; i < N_OPRS; i++) {
        if (strlen(OPRS[i].text) == n && strncmp(OPRS[i].text, s, n) == 0) {
            p->tok.kind = T_OPR;
            p->tok.opr = OPRS[i].opr;
        }
    }
}

static bool lex_symbol(Parser *p) {
    const char *s = p->pos;
    for (size_t i = 0; i < N_OPRS; i++) {
        size_t n = strlen(OPRS[i].text);
        if (strncmp(s, OPRS[i].text, n) != 0) continue;
        p->tok.kind = T_OPR;
        p->tok.opr = OPRS[i].opr;
        p->tok.len = n;
        return true;
    }
    if (!strchr("()?:;,=", *s)) return fail(p, s, "unexpected character");
    p->tok.kind = T_PUNCT;
    p->tok.punct = *s;
    p->tok.len = 1;
    return true;
}

static bool next(Parser *p) {
    while (isspace((unsigned char)*p->pos)) p->pos++;
    const char *s = p->pos;
    p->tok = (Tok){.kind = T_END, .at = s};
    if (*s == '\0') return true;
    if (isdigit((unsigned char)*s) || (*s == '.' && isdigit((unsigned char)s[1]))) {
        if (!lex_number(p)) return false;
    } else if (isalpha((unsigned char)*s) || *s == '_') {
        lex_name(p);
    } else if (*s == '\'') {
        const char *end = strchr(s + 1, '\'');
        if (!end) return fail(p, s, "text without closing quote");
        p->tok.kind = T_STR;
        p->tok.len = (size_t)(end - s) + 1;
    } else if (!lex_symbol(p)) {
        return false;
    }
    p->pos = s + p->tok.len;
    return true;
}

static RxNode *node(Parser *p, RxKind kind, const char *at, size_t n_arg) {
    RxNode *n = ARENA_NEW(p->arena, RxNode);
    n->kind = kind;
    n->column = (uint32_t)(at - p->text) + 1;
    n->n_arg = n_arg;
    if (n_arg) n->arg = ARENA_ARRAY(p->arena, n_arg, RxNode *);
    return n;
}

static bool expect(Parser *p, char punct, const char *what) {
    if (p->tok.kind != T_PUNCT || p->tok.punct != punct) return fail(p, p->tok.at, what);
    return next(p);
}

static RxNode *parse_expr(Parser *p, uint8_t min_bp);

static RxNode *parse_call(Parser *p, const char *name, const char *at) {
    RxNode *arg[32];
    size_t n = 0;
    if (!next(p)) return NULL;
    bool more = !(p->tok.kind == T_PUNCT && p->tok.punct == ')');
    while (more) {
        if (n == sizeof arg / sizeof arg[0]) return fail(p, at, "too many arguments"), NULL;
        if (!(arg[n++] = parse_expr(p, 0))) return NULL;
        more = p->tok.kind == T_PUNCT && p->tok.punct == ',';
        if (more && !next(p)) return NULL;
    }
    if (!expect(p, ')', "expected ')' or ','")) return NULL;
    RxNode *call = node(p, RX_CALL, at, n);
    call->name = name;
    for (size_t i = 0; i < n; i++) call->arg[i] = arg[i];
    return call;
}

static RxNode *parse_prefix_opr(Parser *p, const Tok *t) {
    for (size_t i = 0; i < N_OPRS; i++) {
        if (OPRS[i].opr != t->opr || OPRS[i].prefix == 0) continue;
        RxNode *inner = parse_expr(p, OPRS[i].prefix);
        if (!inner) return NULL;
        RxNode *n = node(p, RX_UNARY, t->at, 1);
        n->opr = t->opr == OPR_SUB ? OPR_NEG : t->opr;
        n->arg[0] = inner;
        return n;
    }
    return fail(p, t->at, "an operand is missing"), NULL;
}

static RxNode *parse_prefix(Parser *p) {
    Tok t = p->tok;
    if (!next(p)) return NULL;
    if (t.kind == T_NUM) {
        RxNode *n = node(p, RX_NUM, t.at, 0);
        n->num = t.num;
        n->is_int = t.is_int;
        return n;
    }
    if (t.kind == T_STR) {
        RxNode *n = node(p, RX_STR, t.at, 0);
        n->name = arena_strndup(p->arena, t.at + 1, t.len - 2);
        return n;
    }
    if (t.kind == T_NAME) {
        const char *name = arena_strndup(p->arena, t.at, t.len);
        if (p->tok.kind == T_PUNCT && p->tok.punct == '(') return parse_call(p, name, t.at);
        RxNode *n = node(p, strcmp(name, "None") == 0 ? RX_NIL : RX_NAME, t.at, 0);
        n->name = name;
        return n;
    }
    if (t.kind == T_OPR) return parse_prefix_opr(p, &t);
    if (t.kind == T_PUNCT && t.punct == '(') {
        RxNode *n = parse_expr(p, 0);
        return n && expect(p, ')', "expected ')'") ? n : NULL;
    }
    return fail(p, t.at, "an operand is missing"), NULL;
}

static uint8_t infix_power(const Tok *t) {
    if (t->kind == T_PUNCT && t->punct == '?') return 2;
    if (t->kind != T_OPR) return 0;
    for (size_t i = 0; i < N_OPRS; i++)
        if (OPRS[i].opr == t->opr) return OPRS[i].infix;
    return 0;
}

static RxNode *parse_infix(Parser *p, RxNode *left, const Tok *t, uint8_t bp) {
    if (t->kind == T_PUNCT) { /* cond ? a : b */
        RxNode *n = node(p, RX_COND, t->at, 3);
        n->arg[0] = left;
        if (!(n->arg[1] = parse_expr(p, 0)) || !expect(p, ':', "expected ':' of '?'")) return NULL;
        return (n->arg[2] = parse_expr(p, 1)) ? n : NULL;
    }
    RxNode *n = node(p, RX_BINARY, t->at, 2);
    n->opr = t->opr;
    n->arg[0] = left;
    return (n->arg[1] = parse_expr(p, t->opr == OPR_POW ? 23 : bp)) ? n : NULL; /* 2**-x is allowed */
}

static RxNode *parse_expr(Parser *p, uint8_t min_bp) {
    if (p->depth > 200) return fail(p, p->tok.at, "nested too deeply"), NULL;
    p->depth++;
    RxNode *left = parse_prefix(p);
    while (left) {
        Tok t = p->tok;
        uint8_t bp = infix_power(&t);
        if (bp == 0 || bp <= min_bp) break;
        left = next(p) ? parse_infix(p, left, &t, bp) : NULL;
    }
    p->depth--;
    return left;
}

/* Is the next token sequence `name =` (and not `==`, which is one token)? */
static bool at_let(const Parser *p) {
    const char *s = p->pos;
    while (isspace((unsigned char)*s)) s++;
    return p->tok.kind == T_NAME && s[0] == '=' && s[1] != '=';
}

static RxNode *parse_body(Parser *p) {
    if (!at_let(p)) return parse_expr(p, 0);
    RxNode *let = node(p, RX_LET, p->tok.at, 2);
    let->name = arena_strndup(p->arena, p->tok.at, p->tok.len);
    if (!next(p) || !next(p)) return NULL; /* the name and '=' */
    if (!(let->arg[0] = parse_expr(p, 0)) || !expect(p, ';', "expected ';' after a let")) return NULL;
    return (let->arg[1] = parse_body(p)) ? let : NULL;
}

RxNode *rx_parse(Arena *a, const char *text, const char *what, Err *err) {
    Parser p = {.arena = a, .text = text, .what = what, .pos = text, .err = err};
    if (!next(&p)) return NULL;
    RxNode *n = parse_body(&p);
    if (n && p.tok.kind != T_END) return fail(&p, p.tok.at, "something follows the expression"), NULL;
    return n;
}
