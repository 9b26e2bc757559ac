/* Names that several sides must derive alike: the op type, the file and kernel name, identifiers that are
 * legal in C++. */
#ifndef OPWRIGHT_BASE_NAMES_H
#define OPWRIGHT_BASE_NAMES_H

#include "base/arena.h"

#include <stdbool.h>

/* Op type to file and kernel function name by the vendor's rule: "BiasGeluCustom" -> "bias_gelu_custom". */
char *names_snake_case(Arena *a, const char *op_type);
/* Operator name in snake case to op type: "bias_gelu" -> "BiasGeluCustom", "10_relu" -> "Op10ReluCustom" (a
 * type starts with a letter). A name that already ends in Custom keeps its ending. */
char *names_op_type(Arena *a, const char *name);
/* "half_alpha" -> "halfAlpha": fields of tiling data and locals of generated code. */
char *names_camel(Arena *a, const char *name);
/* True for words that C++ or AscendC reserve: "new", "half", "auto". */
bool names_is_reserved(const char *name);

#endif
