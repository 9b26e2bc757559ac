/* A wording such as "Ascend 910C" or "arch-35", brought to a row of target.def. */
#include "isa/target.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    Target target;
    const char *words;
} TARGETS[] = {
#define TARGET(name, chip, words) {{#name, #chip}, words},
#include "isa/target.def"
#undef TARGET
};
#define N_TARGETS (sizeof TARGETS / sizeof TARGETS[0])

/* Letters and digits in lower case; "ascend" goes. False when it is longer than any word. */
static bool normalise(const char *wording, char *out, size_t cap)
{
    size_t n = 0;
    for (const char *p = wording; *p; p++) {
        if (!isalnum((unsigned char)*p)) {
            if (!strchr(" -_.", *p)) return false;
            continue;
        }
        if (n + 1 >= cap) return false;
        out[n++] = (char)tolower((unsigned char)*p);
    }
    out[n] = '\0';
    char *at = strstr(out, "ascend");
    if (at) memmove(at, at + strlen("ascend"), strlen(at + strlen("ascend")) + 1);
    return out[0] != '\0';
}

static bool has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = words; (p = strstr(p, word)) != NULL; p += n)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0')) return true;
    return false;
}

const Target *target_find(const char *wording, Err *err)
{
    char word[32];
    if (normalise(wording, word, sizeof word))
        for (size_t i = 0; i < N_TARGETS; i++)
            if (has_word(TARGETS[i].words, word)) return &TARGETS[i].target;
    char known[512] = "";
    size_t n = 0;
    for (size_t i = 0; i < N_TARGETS && n < sizeof known; i++)
        n += (size_t)snprintf(known + n, sizeof known - n, "%s%s (%s)", i ? "; " : "", TARGETS[i].words, TARGETS[i].target.name);
    err_set(err, ERR_USAGE, NULL, "target `%s` is not known", wording);
    err_hint(err, "known: %s", known);
    return NULL;
}
