/* The declarations beside a formula: inputs with dtype and shape, scalars, sizes of symbols, outputs. */
#include "cli/formula.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a declaration from left to right; `label` is its option. */
typedef struct Reader {
    FormulaDecls *d;
    Err *err;
    const char *label, *text;
    size_t pos;
} Reader;

static void skip_spaces(Reader *r) {
    while (isspace((unsigned char)r->text[r->pos])) r->pos++;
}

static bool take(Reader *r, char c) {
    skip_spaces(r);
    if (r->text[r->pos] != c) return false;
    r->pos++;
    return true;
}

static bool expected(Reader *r, const char *what) {
    if (r->text[r->pos]) formula_error(r->err, r->label, r->text, r->pos, "expected %s here", what);
    else formula_error(r->err, r->label, r->text, r->pos, "expected %s, but the text ends", what);
    return false;
}

/* A C identifier; NULL when there is none. */
static char *take_word(Reader *r) {
    skip_spaces(r);
    const char *s = r->text + r->pos;
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_') n++;
    if (n == 0 || isdigit((unsigned char)s[0])) return NULL;
    r->pos += n;
    return arena_strndup(r->d->arena, s, n);
}

/* A word that may name a value or a symbol of the reference file. */
static const char *take_name(Reader *r, const char *what) {
    skip_spaces(r);
    size_t at = r->pos;
    char *name = take_word(r);
    const char *why;
    if (!name) {
        expected(r, what);
        return NULL;
    }
    if (formula_name_ok(name, &why)) return name;
    formula_error(r->err, r->label, r->text, at, "`%s` %s; choose another name", name, why);
    return NULL;
}

static bool at_end(Reader *r) {
    skip_spaces(r);
    return r->text[r->pos] == '\0' || expected(r, "nothing more");
}

/* A size: digits, 0 allowed. */
static bool take_size(Reader *r, int64_t *n) {
    skip_spaces(r);
    const char *s = r->text + r->pos;
    size_t len = strspn(s, "0123456789");
    if (len == 0) return expected(r, "a size");
    errno = 0;
    long long v = strtoll(s, NULL, 10);
    if (errno || v > INT32_MAX)
        return formula_error(r->err, r->label, r->text, r->pos, "a dimension is at most %d", INT32_MAX);
    r->pos += len;
    *n = v;
    return true;
}

static bool is_declared(const FormulaDecls *d, const char *name) {
    for (size_t i = 0; i < d->inputs.n; i++)
        if (!strcmp(d->inputs.at[i].name, name)) return true;
    for (size_t i = 0; i < d->scalars.n; i++)
        if (!strcmp(d->scalars.at[i].name, name)) return true;
    return false;
}

/* Name of a new input or scalar. */
static const char *take_new_name(Reader *r) {
    const char *name = take_name(r, "a name");
    if (!name || !is_declared(r->d, name)) return name;
    formula_error(r->err, r->label, r->text, 0, "`%s` is declared twice", name);
    return NULL;
}

static bool take_dtype(Reader *r, DType *t) {
    skip_spaces(r);
    size_t at = r->pos;
    char *word = take_word(r);
    if (!word) return expected(r, "an element type, for example float16");
    if (dtype_find(word, t)) return true;
    formula_error(r->err, r->label, r->text, at, "`%s` is not an element type", word);
    char known[256] = "";
    for (int i = 0; i < DTYPE_COUNT; i++) {
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", i ? ", " : "", dtype_info((DType)i)->torch);
    }
    return err_hint(r->err, "known types: %s", known);
}

/* shape = "[" [size {"," size}] "]", a size being a number or a symbol. */
static bool take_shape(Reader *r, FormulaShape *shape) {
    FormulaSize *dim = ARENA_ARRAY(r->d->arena, FORMULA_MAX_RANK, FormulaSize);
    *shape = (FormulaShape){.dim = dim};
    if (!take(r, '[')) {
        expected(r, "a shape in brackets");
        return err_hint(r->err, "for example [M,N], [16,1024], or [] for a tensor without dimensions");
    }
    if (take(r, ']')) return true;
    do {
        skip_spaces(r);
        if (shape->rank == FORMULA_MAX_RANK)
            return formula_error(r->err, r->label, r->text, r->pos, "a tensor has at most %d dimensions",
                                 FORMULA_MAX_RANK);
        FormulaSize *s = &dim[shape->rank];
        char c = r->text[r->pos];
        if (isdigit((unsigned char)c)) {
            if (!take_size(r, &s->n)) return false;
        } else if (!(s->symbol = take_name(r, "a size: a number, or a symbol such as M"))) return false;
        shape->rank++;
    } while (take(r, ','));
    return take(r, ']') || expected(r, "`,` or `]`");
}

bool formula_declare_input(FormulaDecls *d, const char *spec, Err *err) {
    Reader r = {.d = d, .err = err, .label = "--input", .text = spec};
    FormulaInput in = {0};
    if (!(in.name = take_new_name(&r))) return false;
    if (!take(&r, ':')) {
        expected(&r, "`:` and an element type");
        return err_hint(err, "for example --input x:float16[M,N]");
    }
    if (!take_dtype(&r, &in.dtype) || !take_shape(&r, &in.shape) || !at_end(&r)) return false;
    vec_push(d->arena, &d->inputs, in);
    return true;
}

/* A number as Python writes it, of the scalar's type. */
static bool take_scalar_value(Reader *r, FormulaScalar *s) {
    skip_spaces(r);
    size_t at = r->pos;
    const char *text = r->text + at;
    if (s->cls == FORMULA_BOOL) {
        char *word = take_word(r);
        bool is_true = word && (!strcmp(word, "True") || !strcmp(word, "true"));
        if (!is_true && !(word && (!strcmp(word, "False") || !strcmp(word, "false")))) {
            r->pos = at;
            return expected(r, "True or False");
        }
        s->text = is_true ? "True" : "False";
        s->value = is_true;
        return true;
    }
    /* strtod also reads hexadecimal, inf and nan, which Python would not read back. */
    size_t n = strspn(text, s->cls == FORMULA_INT ? "+-0123456789" : "+-.eE0123456789");
    char *end, *digits = arena_strndup(r->d->arena, text, n);
    s->value = strtod(digits, &end);
    if (n == 0 || *end || end == digits || !isfinite(s->value))
        return expected(r, s->cls == FORMULA_INT ? "a whole number" : "a finite number");
    if (s->cls == FORMULA_INT) {
        errno = 0;
        long long v = strtoll(digits, NULL, 10);
        if (errno)
            return formula_error(r->err, r->label, r->text, at, "this whole number does not fit in 64 bits");
        s->text = arena_printf(r->d->arena, "%lld", v);
    } else {
        /* The shortest text that reads back as the same number, and is a float to Python. */
        char *shown = NULL;
        for (int digits_n = 1; digits_n <= 17; digits_n++) {
            shown = arena_printf(r->d->arena, "%.*g", digits_n, s->value);
            if (strtod(shown, NULL) == s->value) break;
        }
        s->text = strpbrk(shown, ".e") ? shown : arena_printf(r->d->arena, "%s.0", shown);
    }
    r->pos += n;
    return true;
}

bool formula_declare_scalar(FormulaDecls *d, const char *spec, Err *err) {
    Reader r = {.d = d, .err = err, .label = "--scalar", .text = spec};
    FormulaScalar s = {0};
    if (!(s.name = take_new_name(&r))) return false;
    if (!take(&r, ':')) {
        expected(&r, "`:` and a type");
        return err_hint(err, "for example --scalar alpha:float=0.5");
    }
    skip_spaces(&r);
    size_t at = r.pos;
    char *type = take_word(&r);
    static const char *const TYPES[] = {
        [FORMULA_BOOL] = "bool", [FORMULA_INT] = "int", [FORMULA_FLOAT] = "float"};
    int cls = 0;
    while (cls < 3 && !(type && !strcmp(type, TYPES[cls]))) cls++;
    if (cls == 3) {
        r.pos = at;
        return expected(&r, "float, int or bool");
    }
    s.cls = (FormulaClass)cls;
    if (!take(&r, '=')) return expected(&r, "`=` and the value to try it with");
    if (!take_scalar_value(&r, &s) || !at_end(&r)) return false;
    vec_push(d->arena, &d->scalars, s);
    return true;
}

static FormulaDim *find_dim(FormulaDecls *d, const char *symbol) {
    for (size_t i = 0; i < d->dims.n; i++)
        if (!strcmp(d->dims.at[i].symbol, symbol)) return &d->dims.at[i];
    return NULL;
}

bool formula_declare_dim(FormulaDecls *d, const char *spec, Err *err) {
    Reader r = {.d = d, .err = err, .label = "--dim", .text = spec};
    FormulaDim dim = {.given = true};
    if (!(dim.symbol = take_name(&r, "a symbol"))) return false;
    if (!take(&r, '=')) return expected(&r, "`=` and a size");
    if (!take_size(&r, &dim.n) || !at_end(&r)) return false;
    if (find_dim(d, dim.symbol))
        return formula_error(err, "--dim", spec, 0, "`%s` is given twice", dim.symbol);
    vec_push(d->arena, &d->dims, dim);
    return true;
}

bool formula_declare_outputs(FormulaDecls *d, const char *spec, Err *err) {
    Reader r = {.d = d, .err = err, .label = "--output", .text = spec};
    do {
        const char *name = take_name(&r, "the name of an output");
        if (!name) return false;
        vec_push(d->arena, &d->outputs, name);
    } while (take(&r, ','));
    return at_end(&r);
}

/* ---- sizes of symbols -------------------------------------------------------------------------- */

/* Sizes for the letters people use; other symbols get the first free of the rest. All differ, because a trace
 * tells two sizes apart by their value. */
static const FormulaDim USUAL_SIZES[] = {
    {"M", 1024, false}, {"N", 512, false}, {"K", 256, false}, {"B", 8, false},  {"C", 24, false},
    {"H", 28, false},   {"W", 36, false},  {"S", 128, false}, {"T", 96, false}, {"D", 64, false}};
static const int64_t OTHER_SIZES[] = {48,  80,  112, 144, 160, 176, 192, 208,
                                      224, 240, 272, 288, 304, 320, 336, 352};

#define MAX_ELEMS_CHOSEN (INT64_C(1) << 22) /* of a tensor whose sizes are chosen here */
#define MAX_ELEMS_GIVEN  (INT64_C(1) << 31) /* of any tensor */

static bool is_size_taken(const FormulaDecls *d, int64_t n) {
    if (n < 2) return true; /* 0 and 1 are not ordinary sizes to a trace */
    for (size_t i = 0; i < d->dims.n; i++)
        if (d->dims.at[i].n == n) return true;
    for (size_t i = 0; i < d->inputs.n; i++)
        for (size_t k = 0; k < d->inputs.at[i].shape.rank; k++)
            if (!d->inputs.at[i].shape.dim[k].symbol && d->inputs.at[i].shape.dim[k].n == n) return true;
    return false;
}

static int64_t choose_size(const FormulaDecls *d, const char *symbol) {
    for (size_t i = 0; i < sizeof USUAL_SIZES / sizeof USUAL_SIZES[0]; i++)
        if (!strcmp(USUAL_SIZES[i].symbol, symbol) && !is_size_taken(d, USUAL_SIZES[i].n))
            return USUAL_SIZES[i].n;
    for (size_t i = 0; i < sizeof OTHER_SIZES / sizeof OTHER_SIZES[0]; i++)
        if (!is_size_taken(d, OTHER_SIZES[i])) return OTHER_SIZES[i];
    int64_t n = 353;
    while (is_size_taken(d, n)) n++;
    return n;
}

/* Elements of the input, or more than MAX_ELEMS_GIVEN. *largest is the largest dim chosen here, or NULL. */
static int64_t count_elems(FormulaDecls *d, const FormulaInput *in, FormulaDim **largest) {
    int64_t n = 1;
    *largest = NULL;
    for (size_t k = 0; k < in->shape.rank; k++) {
        const FormulaSize *s = &in->shape.dim[k];
        FormulaDim *dim = s->symbol ? find_dim(d, s->symbol) : NULL;
        int64_t size = dim ? dim->n : s->n;
        if (dim && !dim->given && (!*largest || dim->n > (*largest)->n)) *largest = dim;
        if (size == 0) return 0;
        n = n > MAX_ELEMS_GIVEN / size ? MAX_ELEMS_GIVEN + 1 : n * size;
    }
    return n;
}

/* Halves the sizes chosen here until the tensor is of a size that is quick to try. */
static void shrink(FormulaDecls *d, const FormulaInput *in) {
    FormulaDim *largest;
    while (count_elems(d, in, &largest) > MAX_ELEMS_CHOSEN && largest && largest->n > 4) {
        int64_t n = largest->n / 2;
        while (n > 2 && is_size_taken(d, n)) n--;
        if (n <= 2) return;
        largest->n = n;
    }
}

bool formula_settle_dims(FormulaDecls *d, Err *err) {
    for (size_t i = 0; i < d->dims.n; i++) {
        if (is_declared(d, d->dims.at[i].symbol))
            return err_set(err, ERR_BAD_INPUT, "--dim", "`%s` is the name of an input; rename one",
                           d->dims.at[i].symbol);
        bool used = false;
        for (size_t j = 0; j < d->inputs.n; j++)
            for (size_t k = 0; k < d->inputs.at[j].shape.rank; k++) {
                const char *symbol = d->inputs.at[j].shape.dim[k].symbol;
                used = used || (symbol && !strcmp(symbol, d->dims.at[i].symbol));
            }
        if (!used)
            return err_set(err, ERR_BAD_INPUT, "--dim", "no input has a dimension `%s`",
                           d->dims.at[i].symbol);
    }
    for (size_t j = 0; j < d->inputs.n; j++)
        for (size_t k = 0; k < d->inputs.at[j].shape.rank; k++) {
            const char *symbol = d->inputs.at[j].shape.dim[k].symbol;
            if (!symbol || find_dim(d, symbol)) continue;
            if (is_declared(d, symbol))
                return err_set(err, ERR_BAD_INPUT, "--input",
                               "`%s` is the name of an input and of a size; rename one", symbol);
            FormulaDim dim = {.symbol = symbol, .n = choose_size(d, symbol)};
            vec_push(d->arena, &d->dims, dim);
        }
    for (size_t j = 0; j < d->inputs.n; j++) {
        FormulaDim *largest;
        shrink(d, &d->inputs.at[j]);
        if (count_elems(d, &d->inputs.at[j], &largest) > MAX_ELEMS_GIVEN)
            return err_set(err, ERR_BAD_INPUT, "--input", "`%s` would have more than 2^31 elements",
                           d->inputs.at[j].name);
    }
    return true;
}
