/* The list of what is wrong with a description. */
#include "verify/verify_int.h"

#include <string.h>

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && !strcmp(a, b));
}

void diag_add(DiagList *list, const Diag *d) {
    bool by_text = !strcmp(d->check, "compile") ||
                   (!d->source && d->line <= 0); /* nothing else tells two of these apart */
    for (size_t i = 0; i < list->n; i++) {
        Diag *o = &list->at[i];
        if (strcmp(o->check, d->check) != 0 || !same_text(o->source, d->source) || o->line != d->line)
            continue;
        if (by_text && !same_text(o->text, d->text)) continue;
        o->count += d->count ? d->count : 1;
        if (d->severity < o->severity) o->severity = d->severity;
        return;
    }
    Diag copy = *d;
    if (copy.count == 0) copy.count = 1;
    vec_push(list->arena, list, copy);
}

void diag_harden(DiagList *list) {
    for (size_t i = 0; i < list->n; i++)
        if (list->at[i].severity == DIAG_WARNING) list->at[i].severity = DIAG_ERROR;
}

size_t diag_count(const DiagList *list, DiagSeverity severity) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) n += list->at[i].severity == severity;
    return n;
}
