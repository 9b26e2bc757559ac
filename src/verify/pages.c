/* Which heading of docs/check.md explains a check. */
#include "verify/verify_int.h"

#include <string.h>

static const struct {
    const char *start, *page;
} PAGES[] = {
#define PAGE(start_, heading) {.start = start_, .page = "docs/check.md#" heading},
#include "verify/pages.def"
#undef PAGE
};

const char *diag_page(const char *check) {
    size_t i = 0;
    while (strncmp(check, PAGES[i].start, strlen(PAGES[i].start)) != 0) i++; /* the last row fits everything */
    return PAGES[i].page;
}
