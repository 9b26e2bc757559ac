#include "verify/narrow.h"

#include "base/strbuf.h"
#include "desc/cxx_lex.h"
#include "verify/verify_int.h"

#include <stdlib.h>
#include <string.h>

static const char *const FIELDS[] = {"blockCount", "blockLen", "srcStride", "dstStride", "srcGap", "dstGap", "dstBlkStride", "srcBlkStride", "src0BlkStride", "src1BlkStride",
                                     "dstRepStride", "srcRepStride", "src0RepStride", "src1RepStride", "repeatTimes", "repeatTime"};
/* Statements whose numbers are the compiler's: a wrong one would not compile any more. */
static const char *const CONSTANT[] = {"constexpr", "static_assert", "static", "case", "template", "using", "typedef", "enum"};

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

#define NONE SIZE_MAX

/* Of a token: where it stands. */
typedef struct Place {
    size_t outer;  /* the bracket that holds it; NONE */
    size_t target; /* `name` of "name = ... token" in its statement; NONE */
    bool in_call;  /* an API call, or a structure of parameters, holds it */
    bool in_constant;
    bool is_block; /* `{` of statements, not of values */
} Place;

typedef struct Reader {
    const CxxToken *t;
    size_t n;
    Place *place; /* of each */
    VEC(const CxxToken *) given; /* names in API calls, sorted */
} Reader;

static bool is_any(const CxxToken *t, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (cxx_is(t, words[i])) return true;
    return false;
}

static bool is_narrow(const CxxToken *t) {
    return cxx_is(t, "uint8_t") || cxx_is(t, "uint16_t");
}

static bool opens(const CxxToken *t) {
    return cxx_is(t, "(") || cxx_is(t, "{") || cxx_is(t, "[");
}

static bool closes(const CxxToken *t) {
    return cxx_is(t, ")") || cxx_is(t, "}") || cxx_is(t, "]");
}

static bool is_api_name(const CxxToken *t) {
    static const char PARAMS[] = "Params";
    size_t n = sizeof PARAMS - 1;
    if (t->kind != CXX_IDENT) return false;
    return (t->n_bytes > n && !memcmp(t->text + t->n_bytes - n, PARAMS, n)) || vendor_name_known(t->text, t->n_bytes);
}

/* `Add(`, `Add<float>(`, `DataCopyParams{`, and `DataCopyParams p(`. */
static bool is_api_call(const Reader *r, size_t i) {
    if (i > 0 && cxx_is(&r->t[i - 1], ">")) {
        size_t depth = 1;
        for (i--; i > 0 && depth > 0 && !cxx_is(&r->t[i - 1], ";"); i--) depth += (size_t)cxx_is(&r->t[i - 1], ">") - (size_t)cxx_is(&r->t[i - 1], "<");
    }
    if (i == 0) return false;
    return is_api_name(&r->t[i - 1]) || (i > 1 && r->t[i - 1].kind == CXX_IDENT && is_api_name(&r->t[i - 2]));
}

static bool is_block(const Reader *r, size_t i) {
    static const char *const BEFORE[] = {")", ";", "{", "}", "else", "do", "const"};
    return cxx_is(&r->t[i], "{") && (i == 0 || is_any(&r->t[i - 1], BEFORE, N_OF(BEFORE)));
}

static int by_text(const void *x, const void *y) {
    const CxxToken *a = *(const CxxToken *const *)x, *b = *(const CxxToken *const *)y;
    int d = memcmp(a->text, b->text, a->n_bytes < b->n_bytes ? a->n_bytes : b->n_bytes);
    return d ? d : (a->n_bytes > b->n_bytes) - (a->n_bytes < b->n_bytes);
}

static void find_places(Arena *a, Reader *r) {
    size_t outer = NONE, target = NONE;
    bool constant = false;
    for (size_t i = 0; i < r->n; i++) {
        const CxxToken *t = &r->t[i];
        Place *p = &r->place[i];
        *p = (Place){.outer = outer, .target = target, .in_constant = constant, .in_call = outer != NONE && r->place[outer].in_call, .is_block = is_block(r, i)};
        if (t->kind == CXX_IDENT && p->in_call) vec_push(a, &r->given, t);
        constant = constant || is_any(t, CONSTANT, N_OF(CONSTANT));
        if (cxx_is(t, "=") && target == NONE && i > 0 && r->t[i - 1].kind == CXX_IDENT) target = i - 1;
        bool ends = cxx_is(t, ";") || p->is_block;
        if (opens(t)) {
            p->in_call = !p->is_block && (p->in_call || is_api_call(r, i)); /* of what it holds */
            outer = i;
        } else if (closes(t) && outer != NONE) {
            ends = r->place[outer].is_block;
            outer = r->place[outer].outer;
        }
        if (ends) target = NONE, constant = false;
    }
    if (r->given.n) qsort(r->given.at, r->given.n, sizeof r->given.at[0], by_text);
}

/* Token i is part of an argument of the API, or of what becomes a field of parameters or a variable that is one. */
static bool is_for_api(const Reader *r, size_t i) {
    const Place *p = &r->place[i];
    if (p->in_constant) return false;
    if (p->in_call) return true;
    if (p->target == NONE) return false;
    const CxxToken *name = &r->t[p->target];
    return is_any(name, FIELDS, N_OF(FIELDS)) || (r->given.n && bsearch(&name, r->given.at, r->given.n, sizeof r->given.at[0], by_text));
}

/* `(uint8_t)-1`, `(uint16_t)~0`: all bits, as meant. */
static bool is_all_ones(const Reader *r, size_t i) {
    while (i < r->n && cxx_is(&r->t[i], "(")) i++;
    return i + 1 < r->n && (cxx_is(&r->t[i], "-") || cxx_is(&r->t[i], "~")) && r->t[i + 1].kind == CXX_NUMBER;
}

typedef enum { NOT_NARROW, C_CAST, STATIC_CAST, CALL_CAST, VARIABLE } Kind;

/* What token i, a narrow type, is part of; *operand: the first token of what is made narrow. */
static Kind form_of(const Reader *r, size_t i, size_t *operand) {
    static const char *const NAMES_BEFORE[] = {")", "]", ">", "::"}, *const STARTS[] = {"(", "-", "*", "~"}, *const NO_CALL[] = {"<", "::", "*", "&"};
    if (i < 2 || i + 3 >= r->n) return NOT_NARROW;
    const CxxToken *t = &r->t[i];
    *operand = i + 2;
    if (cxx_is(t - 1, "<") && cxx_is(t - 2, "static_cast") && cxx_is(t + 1, ">") && cxx_is(t + 2, "(")) return STATIC_CAST;
    bool is_operand = t[2].kind == CXX_IDENT || t[2].kind == CXX_NUMBER || is_any(t + 2, STARTS, N_OF(STARTS));
    bool is_declared = (t[-2].kind == CXX_IDENT && !cxx_is(t - 2, "return")) || is_any(t - 2, NAMES_BEFORE, N_OF(NAMES_BEFORE)); /* `f(uint8_t) const` */
    if (cxx_is(t - 1, "(") && cxx_is(t + 1, ")") && is_operand && !is_declared) return C_CAST;
    *operand = i + 1;
    if (cxx_is(t + 1, "(") && t[-1].kind == CXX_PUNCT && !is_any(t - 1, NO_CALL, N_OF(NO_CALL)) && r->place[i].in_call) return CALL_CAST;
    *operand = i + 3;
    bool in_block = r->place[i].outer != NONE && r->place[r->place[i].outer].is_block;
    return in_block && t[1].kind == CXX_IDENT && cxx_is(t + 2, "=") && !cxx_is(t + 3, "{") ? VARIABLE : NOT_NARROW;
}

static Kind kind_of(const Reader *r, size_t i) {
    size_t operand;
    Kind kind = form_of(r, i, &operand);
    if (kind == NOT_NARROW || is_all_ones(r, operand)) return NOT_NARROW;
    return is_for_api(r, kind == VARIABLE ? operand : i) ? kind : NOT_NARROW;
}

const char *narrow_marks(Arena *a, const char *kernel_src) {
    Arena *scratch = arena_new();
    CxxTokens tokens = cxx_lex(scratch, kernel_src);
    Reader r = {.t = tokens.at, .n = tokens.n, .place = ARENA_ARRAY(scratch, tokens.n + 1, Place)};
    find_places(scratch, &r);
    StrBuf out;
    strbuf_init(&out, a);
    strbuf_add(&out, "");
    const char *done = kernel_src;
    for (size_t i = 0; i < r.n; i++) {
        const CxxToken *t = &r.t[i];
        Kind kind = is_narrow(t) ? kind_of(&r, i) : NOT_NARROW;
        if (kind == NOT_NARROW) continue;
        const CxxToken *from = kind == STATIC_CAST ? t - 2 : t, *last = kind == C_CAST ? t + 1 : kind == VARIABLE ? t + 2 : t;
        const char *type = arena_strndup(scratch, t->text, t->n_bytes), *end = last->text + last->n_bytes;
        strbuf_printf(&out, "%.*s", (int)(from->text - done), done);
        done = end;
        if (kind == STATIC_CAST) strbuf_printf(&out, "(%s)%.*sOW_NARROW_TYPE(%s)", type, (int)(t->text - from->text), from->text, type);
        else if (kind == CALL_CAST) strbuf_printf(&out, "(%s)OW_NARROW_TYPE(%s)", type, type);
        else strbuf_printf(&out, "%.*s %s(%s) ", (int)(end - from->text), from->text, kind == C_CAST ? "OW_NARROW" : "OW_INTO", type);
    }
    strbuf_add(&out, done);
    arena_free(scratch);
    return out.text;
}
