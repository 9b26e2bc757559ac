/* What a model is told: the rules, the requirement, the file, what the checker found, and what the store
 * knows. */
#ifndef OPWRIGHT_IMPROVE_PROMPT_H
#define OPWRIGHT_IMPROVE_PROMPT_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

typedef struct PromptFacts {
    const char *op, *chip, *reference, *description; /* the files' texts */
    const json_t *result;                            /* of the description: the result object */
    const char *root;                                /* of the store; NULL: nothing is recalled */
    const char *earlier; /* what earlier tries came to, a line each; may be empty */
    const char *refusal; /* why the last answer could not be used, or NULL */
} PromptFacts;

extern const char PROMPT_SYSTEM[];
const char *prompt_question(Arena *a, const PromptFacts *f);

/* The solution of the store that is nearest by its name's words (its own included); NULL: none shares one. */
const char *recall_golden(Arena *a, const char *root, const char *op, const char **name);
/* Up to n_max summaries of admitted lessons that fit the failing checks or the operator, best first; "" for
 * none. */
const char *recall_lessons(Arena *a, const char *root, const char *op, const json_t *result, size_t n_max);

#endif
