/* Sizes, strides and offsets of tensors whose shapes may change between calls: integer expressions over the
 * graph's symbols. A Size is immutable, belongs to the arena it was made in, and is kept as a polynomial in
 * normal form, so that equal polynomials compare equal whatever way they were written. */
#ifndef OPWRIGHT_GRAPH_SIZE_H
#define OPWRIGHT_GRAPH_SIZE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

#include <stdint.h>

typedef struct Size Size;

const Size *size_const(Arena *a, int64_t v);
const Size *size_symbol(Arena *a, uint32_t symbol); /* position in the graph's symbols */
const Size *size_add(Arena *a, const Size *x, const Size *y);
const Size *size_sub(Arena *a, const Size *x, const Size *y);
const Size *size_mul(Arena *a, const Size *x, const Size *y);
/* Rounds down, as Python does. Exact divisions of polynomials by a monomial are carried out. y must not be 0.
 */
const Size *size_floordiv(Arena *a, const Size *x, const Size *y);
const Size *size_mod(Arena *a, const Size *x, const Size *y);
const Size *size_min(Arena *a, const Size *x, const Size *y);
const Size *size_max(Arena *a, const Size *x, const Size *y);

/* Parses "(s0 + 1)//2" or "Min(s0, 4)"; symbols by name. NULL and *err (BAD_INPUT) when not understood. */
const Size *size_parse(Arena *a, const char *text, const char *const *symbols, size_t n_symbols,
                       Err *err) ERR_CHECKED;

bool size_equal(const Size *x, const Size *y);
bool size_is_const(const Size *s, int64_t *v); /* v may be NULL */
bool size_is(const Size *s, int64_t v);        /* the constant v */
bool size_uses(const Size *s, uint32_t symbol);
/* True when s >= 0 whatever non-negative values the symbols take; false means not known. */
bool size_is_nonnegative(const Size *s);
/* Value for given symbol values; division by 0 gives 0, overflow wraps. */
int64_t size_eval(const Size *s, const int64_t *symbol_values);

/* SIZE_PYTHON is the form of graph.json. SIZE_CXX prints C++ on int64_t: '/' for '//', std::min, std::max. */
typedef enum { SIZE_PYTHON, SIZE_CXX } SizeStyle;
const char *size_print(Arena *a, const Size *s, const char *const *symbols, SizeStyle style);
/* As a factor of a product: parenthesised when it is a sum. */
const char *size_print_factor(Arena *a, const Size *s, const char *const *symbols, SizeStyle style);

#endif
