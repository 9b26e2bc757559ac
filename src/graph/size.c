/* Sizes as polynomials: a sum of terms, a term a coefficient times a product of atoms, an atom a symbol or
 * one of the operations that a polynomial cannot hold. Terms and atoms are sorted, so structure decides
 * equality. */
#include "graph/size.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef enum { ATOM_SYMBOL, ATOM_FLOORDIV, ATOM_MOD, ATOM_MIN, ATOM_MAX } AtomKind;

typedef struct Atom {
    AtomKind kind;
    uint32_t symbol;
    const Size *x, *y; /* operands of the other kinds */
} Atom;

typedef struct Term {
    int64_t coef; /* never 0 */
    uint32_t n_atoms;
    const Atom *const *atoms; /* sorted, repeated for powers */
} Term;

struct Size {
    uint32_t n_terms;  /* 0 is the constant 0 */
    const Term *terms; /* sorted by their atoms; the constant term is last */
};

/* ---- order
 * ------------------------------------------------------------------------------------------------------ */

static int size_cmp(const Size *x, const Size *y);

static int atom_cmp(const Atom *x, const Atom *y) {
    if (x == y) return 0;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->kind == ATOM_SYMBOL) return x->symbol == y->symbol ? 0 : x->symbol < y->symbol ? -1 : 1;
    int c = size_cmp(x->x, y->x);
    return c ? c : size_cmp(x->y, y->y);
}

/* Longer products come first, so that the constant is last and "s0*s1 + s0 + 1" prints as people write it. */
static int term_cmp(const Term *x, const Term *y) {
    if (x->n_atoms != y->n_atoms) return x->n_atoms > y->n_atoms ? -1 : 1;
    for (uint32_t i = 0; i < x->n_atoms; i++) {
        int c = atom_cmp(x->atoms[i], y->atoms[i]);
        if (c) return c;
    }
    return 0;
}

static int size_cmp(const Size *x, const Size *y) {
    if (x == y) return 0;
    if (x->n_terms != y->n_terms) return x->n_terms < y->n_terms ? -1 : 1;
    for (uint32_t i = 0; i < x->n_terms; i++) {
        int c = term_cmp(&x->terms[i], &y->terms[i]);
        if (c) return c;
        if (x->terms[i].coef != y->terms[i].coef) return x->terms[i].coef < y->terms[i].coef ? -1 : 1;
    }
    return 0;
}

bool size_equal(const Size *x, const Size *y) {
    return size_cmp(x, y) == 0;
}

/* ---- construction
 * ----------------------------------------------------------------------------------------------- */

/* Arithmetic of coefficients wraps: sizes that come from a file must not be able to trap. */
static int64_t wrap_add(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x + (uint64_t)y);
}
static int64_t wrap_mul(int64_t x, int64_t y) {
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

static const Size *size_new(Arena *a, uint32_t n, const Term *terms) {
    Size *s = ARENA_NEW(a, Size);
    s->n_terms = n;
    s->terms = terms;
    return s;
}

const Size *size_const(Arena *a, int64_t v) {
    if (v == 0) return size_new(a, 0, NULL);
    Term *t = ARENA_NEW(a, Term);
    t->coef = v;
    return size_new(a, 1, t);
}

static const Size *size_of_atom(Arena *a, Atom atom) {
    Atom *copy = ARENA_NEW(a, Atom);
    *copy = atom;
    const Atom **list = ARENA_ARRAY(a, 1, const Atom *);
    list[0] = copy;
    Term *t = ARENA_NEW(a, Term);
    *t = (Term){.coef = 1, .n_atoms = 1, .atoms = list};
    return size_new(a, 1, t);
}

const Size *size_symbol(Arena *a, uint32_t symbol) {
    return size_of_atom(a, (Atom){.kind = ATOM_SYMBOL, .symbol = symbol});
}

static const Size *add_scaled(Arena *a, const Size *x, const Size *y, int64_t scale) {
    Term *out = ARENA_ARRAY(a, (size_t)x->n_terms + y->n_terms, Term);
    uint32_t n = 0, i = 0, j = 0;
    while (i < x->n_terms || j < y->n_terms) {
        int c = i == x->n_terms ? 1 : j == y->n_terms ? -1 : term_cmp(&x->terms[i], &y->terms[j]);
        Term t = c <= 0 ? x->terms[i] : y->terms[j];
        if (c > 0) t.coef = wrap_mul(t.coef, scale);
        if (c == 0) t.coef = wrap_add(t.coef, wrap_mul(y->terms[j].coef, scale));
        i += c <= 0;
        j += c >= 0;
        if (t.coef != 0) out[n++] = t;
    }
    return size_new(a, n, out);
}

const Size *size_add(Arena *a, const Size *x, const Size *y) {
    return add_scaled(a, x, y, 1);
}
const Size *size_sub(Arena *a, const Size *x, const Size *y) {
    return add_scaled(a, x, y, -1);
}

static Term term_mul(Arena *a, const Term *x, const Term *y) {
    const Atom **atoms = ARENA_ARRAY(a, (size_t)x->n_atoms + y->n_atoms, const Atom *);
    uint32_t n = 0, i = 0, j = 0;
    while (i < x->n_atoms || j < y->n_atoms) {
        bool left = j == y->n_atoms || (i < x->n_atoms && atom_cmp(x->atoms[i], y->atoms[j]) <= 0);
        atoms[n++] = left ? x->atoms[i++] : y->atoms[j++];
    }
    return (Term){.coef = wrap_mul(x->coef, y->coef), .n_atoms = n, .atoms = atoms};
}

const Size *size_mul(Arena *a, const Size *x, const Size *y) {
    const Size *sum = size_const(a, 0);
    for (uint32_t i = 0; i < x->n_terms; i++)
        for (uint32_t j = 0; j < y->n_terms; j++) {
            Term *t = ARENA_NEW(a, Term);
            *t = term_mul(a, &x->terms[i], &y->terms[j]);
            sum = size_add(a, sum, size_new(a, t->coef != 0, t));
        }
    return sum;
}

bool size_is_const(const Size *s, int64_t *v) {
    int64_t value = 0;
    if (s->n_terms > 1) return false;
    if (s->n_terms == 1) {
        if (s->terms[0].n_atoms) return false;
        value = s->terms[0].coef;
    }
    if (v) *v = value;
    return true;
}

bool size_is(const Size *s, int64_t v) {
    int64_t value;
    return size_is_const(s, &value) && value == v;
}

/* *out = x / y when y divides x without a rest. */
static bool term_div(Arena *a, const Term *x, const Term *y, Term *out) {
    if (y->coef == 0 || y->coef == -1 || x->coef % y->coef != 0) return false;
    const Atom **atoms = ARENA_ARRAY(a, (size_t)x->n_atoms + 1, const Atom *);
    uint32_t n = 0, j = 0;
    for (uint32_t i = 0; i < x->n_atoms; i++) {
        if (j < y->n_atoms && atom_cmp(x->atoms[i], y->atoms[j]) == 0) j++;
        else atoms[n++] = x->atoms[i];
    }
    *out = (Term){.coef = x->coef / y->coef, .n_atoms = n, .atoms = atoms};
    return j == y->n_atoms;
}

static int64_t floordiv(int64_t x, int64_t y) {
    if (y == 0) return 0;
    if (y == -1) return (int64_t)(0 - (uint64_t)x);
    return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

const Size *size_floordiv(Arena *a, const Size *x, const Size *y) {
    int64_t vx, vy;
    if (size_is_const(y, &vy) && size_is_const(x, &vx)) return size_const(a, floordiv(vx, vy));
    if (y->n_terms == 1) {
        Term *out = ARENA_ARRAY(a, (size_t)x->n_terms + 1, Term);
        uint32_t n = 0;
        while (n < x->n_terms && term_div(a, &x->terms[n], &y->terms[0], &out[n])) n++;
        /* Dividing all terms by one product keeps them in order. */
        if (n == x->n_terms) return size_new(a, n, out);
    }
    return size_of_atom(a, (Atom){.kind = ATOM_FLOORDIV, .x = x, .y = y});
}

const Size *size_mod(Arena *a, const Size *x, const Size *y) {
    int64_t vx, vy;
    if (size_is_const(x, &vx) && size_is_const(y, &vy))
        return size_const(a, wrap_add(vx, wrap_mul(-floordiv(vx, vy), vy)));
    const Size *q = size_floordiv(a, x, y);
    if (size_equal(size_mul(a, q, y), x)) return size_const(a, 0);
    return size_of_atom(a, (Atom){.kind = ATOM_MOD, .x = x, .y = y});
}

static const Size *min_max(Arena *a, AtomKind kind, const Size *x, const Size *y) {
    const Size *d = size_sub(a, x, y); /* x - y >= 0 for all sizes: the larger one is known */
    if (size_is_nonnegative(d)) return kind == ATOM_MIN ? y : x;
    if (size_is_nonnegative(size_sub(a, y, x))) return kind == ATOM_MIN ? x : y;
    bool swap = size_cmp(x, y) > 0;
    return size_of_atom(a, (Atom){.kind = kind, .x = swap ? y : x, .y = swap ? x : y});
}

const Size *size_min(Arena *a, const Size *x, const Size *y) {
    return min_max(a, ATOM_MIN, x, y);
}
const Size *size_max(Arena *a, const Size *x, const Size *y) {
    return min_max(a, ATOM_MAX, x, y);
}

/* ---- questions
 * --------------------------------------------------------------------------------------------------- */

bool size_uses(const Size *s, uint32_t symbol) {
    for (uint32_t i = 0; i < s->n_terms; i++)
        for (uint32_t j = 0; j < s->terms[i].n_atoms; j++) {
            const Atom *at = s->terms[i].atoms[j];
            if (at->kind == ATOM_SYMBOL ? at->symbol == symbol
                                        : size_uses(at->x, symbol) || size_uses(at->y, symbol))
                return true;
        }
    return false;
}

static bool atom_is_nonnegative(const Atom *at) {
    switch (at->kind) {
    case ATOM_SYMBOL:
        return true;
    case ATOM_MAX:
        return size_is_nonnegative(at->x) || size_is_nonnegative(at->y);
    case ATOM_MOD:
        return size_is_nonnegative(at->y);
    case ATOM_FLOORDIV:
    case ATOM_MIN:
        return size_is_nonnegative(at->x) && size_is_nonnegative(at->y);
    }
    return false;
}

static bool terms_are_nonnegative(const Size *s) {
    for (uint32_t i = 0; i < s->n_terms; i++) {
        if (s->terms[i].coef < 0) return false;
        for (uint32_t j = 0; j < s->terms[i].n_atoms; j++)
            if (!atom_is_nonnegative(s->terms[i].atoms[j])) return false;
    }
    return true;
}

/* *least: a bound that the atom never goes below: -1 of (s0 - 1)//2. */
static bool atom_least(Arena *a, const Atom *at, int64_t *least) {
    *least = 0;
    if (atom_is_nonnegative(at)) return true;
    int64_t by;
    if (at->kind != ATOM_FLOORDIV || !size_is_const(at->y, &by) || by <= 0 || !at->x->n_terms) return false;
    const Term *last = &at->x->terms[at->x->n_terms - 1];
    int64_t constant = last->n_atoms ? 0 : last->coef;
    *least = floordiv(constant, by);
    return terms_are_nonnegative(size_sub(a, at->x, size_const(a, constant)));
}

/* The sum with each atom counted from its least value, so that what an atom stands for is not negative; NULL when a
 * least value is not known. */
static const Size *counted_from_least(Arena *a, const Size *s) {
    const Size *sum = size_const(a, 0);
    for (uint32_t i = 0; i < s->n_terms; i++) {
        const Size *product = size_const(a, s->terms[i].coef);
        for (uint32_t j = 0; j < s->terms[i].n_atoms; j++) {
            int64_t least;
            const Atom *at = s->terms[i].atoms[j];
            if (!atom_least(a, at, &least)) return NULL;
            product = size_mul(a, product, size_add(a, size_of_atom(a, *at), size_const(a, least)));
        }
        sum = size_add(a, sum, product);
    }
    return sum;
}

static bool coefficients_are_nonnegative(const Size *s) {
    for (uint32_t i = 0; i < s->n_terms; i++)
        if (s->terms[i].coef < 0) return false;
    return true;
}

static bool has_quotient(const Size *s) {
    for (uint32_t i = 0; i < s->n_terms; i++)
        for (uint32_t j = 0; j < s->terms[i].n_atoms; j++)
            if (s->terms[i].atoms[j]->kind == ATOM_FLOORDIV) return true;
    return false;
}

bool size_is_nonnegative(const Size *s) {
    if (terms_are_nonnegative(s)) return true;
    if (!has_quotient(s)) return false; /* counting from the least values changes nothing */
    Arena *a = arena_new();
    const Size *counted = counted_from_least(a, s);
    bool yes = counted && coefficients_are_nonnegative(counted);
    arena_free(a);
    return yes;
}

static int64_t atom_eval(const Atom *at, const int64_t *v) {
    if (at->kind == ATOM_SYMBOL) return v[at->symbol];
    int64_t x = size_eval(at->x, v), y = size_eval(at->y, v);
    switch (at->kind) {
    case ATOM_FLOORDIV:
        return floordiv(x, y);
    case ATOM_MOD:
        return wrap_add(x, wrap_mul(-floordiv(x, y), y));
    case ATOM_MIN:
        return x < y ? x : y;
    default:
        return x > y ? x : y;
    }
}

int64_t size_eval(const Size *s, const int64_t *v) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < s->n_terms; i++) {
        int64_t product = s->terms[i].coef;
        for (uint32_t j = 0; j < s->terms[i].n_atoms; j++)
            product = wrap_mul(product, atom_eval(s->terms[i].atoms[j], v));
        sum = wrap_add(sum, product);
    }
    return sum;
}

/* ---- text
 * ------------------------------------------------------------------------------------------------------- */

static const char *atom_print(Arena *a, const Atom *at, const char *const *symbols, SizeStyle style) {
    if (at->kind == ATOM_SYMBOL) return symbols[at->symbol];
    if (at->kind == ATOM_MIN || at->kind == ATOM_MAX) {
        static const char *const NAMES[2][2] = {{"Min", "Max"}, {"std::min<int64_t>", "std::max<int64_t>"}};
        return arena_printf(a, "%s(%s, %s)", NAMES[style == SIZE_CXX][at->kind == ATOM_MAX],
                            size_print(a, at->x, symbols, style), size_print(a, at->y, symbols, style));
    }
    const char *op = at->kind == ATOM_MOD ? " % " : style == SIZE_CXX ? " / " : "//";
    return arena_printf(a, "(%s%s%s)", size_print_factor(a, at->x, symbols, style), op,
                        size_print_factor(a, at->y, symbols, style));
}

static void term_print(StrBuf *sb, const Term *t, const char *const *symbols, SizeStyle style) {
    uint64_t coef = t->coef < 0 ? 0 - (uint64_t)t->coef : (uint64_t)t->coef;
    bool shown = coef != 1 || t->n_atoms == 0;
    if (shown) strbuf_printf(sb, "%" PRIu64, coef);
    for (uint32_t i = 0; i < t->n_atoms; i++) {
        if (shown || i) strbuf_add(sb, style == SIZE_CXX ? " * " : "*");
        strbuf_add(sb, atom_print(sb->arena, t->atoms[i], symbols, style));
    }
}

const char *size_print(Arena *a, const Size *s, const char *const *symbols, SizeStyle style) {
    StrBuf sb;
    strbuf_init(&sb, a);
    if (s->n_terms == 0) strbuf_add(&sb, "0");
    for (uint32_t i = 0; i < s->n_terms; i++) {
        bool minus = s->terms[i].coef < 0;
        strbuf_add(&sb, i ? (minus ? " - " : " + ") : minus ? "-" : "");
        term_print(&sb, &s->terms[i], symbols, style);
    }
    return sb.text;
}

const char *size_print_factor(Arena *a, const Size *s, const char *const *symbols, SizeStyle style) {
    const char *text = size_print(a, s, symbols, style);
    bool sum = s->n_terms > 1 || (s->n_terms == 1 && s->terms[0].coef < 0);
    bool product =
        s->n_terms == 1 && (s->terms[0].n_atoms > 1 || (s->terms[0].n_atoms == 1 && s->terms[0].coef != 1));
    return sum || product ? arena_printf(a, "(%s)", text) : text;
}

/* Recursive descent over + - * // % and ( ), Min, Max. Depth is limited, so that hostile input cannot exhaust
 * the stack. */
typedef struct Parser {
    Arena *a;
    const char *text, *p;
    const char *const *symbols;
    size_t n_symbols;
    int depth;
    const char *problem;
} Parser;

static const Size *parse_sum(Parser *ps);

static bool eat(Parser *ps, const char *token) {
    while (isspace((unsigned char)*ps->p)) ps->p++;
    size_t n = strlen(token);
    if (strncmp(ps->p, token, n) != 0) return false;
    ps->p += n;
    return true;
}

static const Size *fail(Parser *ps, const char *problem) {
    if (!ps->problem) ps->problem = problem;
    return size_const(ps->a, 0);
}

static const Size *parse_word(Parser *ps) {
    const char *start = ps->p;
    while (isalnum((unsigned char)*ps->p) || *ps->p == '_') ps->p++;
    size_t n = (size_t)(ps->p - start);
    bool is_min = n == 3 && strncmp(start, "Min", 3) == 0, is_max = n == 3 && strncmp(start, "Max", 3) == 0;
    if ((is_min || is_max) && eat(ps, "(")) {
        const Size *x = parse_sum(ps);
        while (eat(ps, ",")) {
            const Size *y = parse_sum(ps);
            x = is_min ? size_min(ps->a, x, y) : size_max(ps->a, x, y);
        }
        return eat(ps, ")") ? x : fail(ps, "`)` expected");
    }
    for (size_t i = 0; i < ps->n_symbols; i++)
        if (strlen(ps->symbols[i]) == n && strncmp(ps->symbols[i], start, n) == 0)
            return size_symbol(ps->a, (uint32_t)i);
    return fail(ps, n ? "a name that is not a symbol" : "a size expected");
}

static const Size *parse_atom(Parser *ps) {
    if (ps->problem) return size_const(ps->a, 0);
    if (++ps->depth > 200) return fail(ps, "nested too deeply");
    const Size *s;
    if (eat(ps, "(")) {
        s = parse_sum(ps);
        if (!eat(ps, ")")) s = fail(ps, "`)` expected");
    } else if (eat(ps, "-")) {
        s = size_sub(ps->a, size_const(ps->a, 0), parse_atom(ps));
    } else if (isdigit((unsigned char)*ps->p)) {
        char *end;
        s = size_const(ps->a, (int64_t)strtoull(ps->p, &end, 10));
        ps->p = end;
    } else {
        s = parse_word(ps);
    }
    ps->depth--;
    return s;
}

static const Size *parse_product(Parser *ps) {
    const Size *s = parse_atom(ps);
    for (;;) {
        bool div = eat(ps, "//"), mod = !div && eat(ps, "%");
        if (!div && !mod && !eat(ps, "*")) return s;
        const Size *y = parse_atom(ps);
        if ((div || mod) && size_is(y, 0)) return fail(ps, "division by 0");
        s = div ? size_floordiv(ps->a, s, y) : mod ? size_mod(ps->a, s, y) : size_mul(ps->a, s, y);
    }
}

static const Size *parse_sum(Parser *ps) {
    const Size *s = parse_product(ps);
    while (!ps->problem) {
        if (eat(ps, "+")) s = size_add(ps->a, s, parse_product(ps));
        else if (eat(ps, "-")) s = size_sub(ps->a, s, parse_product(ps));
        else break;
    }
    return s;
}

const Size *size_parse(Arena *a, const char *text, const char *const *symbols, size_t n_symbols, Err *err) {
    Parser ps = {.a = a, .text = text, .p = text, .symbols = symbols, .n_symbols = n_symbols};
    const Size *s = parse_sum(&ps);
    eat(&ps, "");
    if (!ps.problem && *ps.p) ps.problem = "text after the end of the expression";
    if (!ps.problem) return s;
    err_set(err, ERR_BAD_INPUT, NULL, "size `%s` not understood at column %d: %s", text,
            (int)(ps.p - text) + 1, ps.problem);
    return NULL;
}
