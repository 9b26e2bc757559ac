/* Names of the kinds. */
#include "search/search.h"

#include <string.h>

static const char *const NAMES[] = {
#define KIND(id, name, weight, plural) name,
#include "search/kinds.def"
#undef KIND
};
static const char *const PLURALS[] = {
#define KIND(id, name, weight, plural) plural,
#include "search/kinds.def"
#undef KIND
};

const char *search_kind_name(SearchKind k) {
    return NAMES[k];
}

const char *search_kind_plural(SearchKind k) {
    return PLURALS[k];
}

bool search_kind_find(const char *name, SearchKind *out) {
    for (int k = 0; k < SEARCH_N_KINDS; k++)
        if (!strcmp(NAMES[k], name)) {
            *out = (SearchKind)k;
            return true;
        }
    return false;
}
