/* How launches are simulated, from words. */
#include "sim/sim_int.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_set_options(Sim *s, const SimOptions *o)
{
    s->options = *o;
}

/* The number behind "NAME:"; false when there is none. */
static bool number_after(const char *word, const char *name, uint64_t *out)
{
    size_t n = strlen(name);
    if (strncmp(word, name, n) != 0 || word[n] != ':' || !isdigit((unsigned char)word[n + 1])) return false;
    char *end;
    *out = strtoull(word + n + 1, &end, 10);
    return *end == 0;
}

static bool parse_word(const char *word, SimOptions *o)
{
    uint64_t n;
    if (!strcmp(word, "in-order")) o->schedule = SIM_IN_ORDER;
    else if (!strcmp(word, "lazy")) o->schedule = SIM_LAZY;
    else if (number_after(word, "random", &n)) o->schedule = SIM_RANDOM, o->seed = n;
    else if (!strcmp(word, "strict")) o->strict = true;
    else if (!strcmp(word, "exact")) o->exact = true;
    else if (sscanf(word, "trace:%u:%u:%u", &o->trace_block, &o->trace_line, &o->trace_hit) == 3) o->trace = true;
    else if (!strncmp(word, "watch:", 6)) {
        char *end;
        o->watch = true;
        o->watch_limit = strtod(word + 6, &end);
        return end != word + 6 && *end == 0 && o->watch_limit >= 0;
    } else if (!strcmp(word, "no-hazards")) o->no_hazards = true;
    else if (!strcmp(word, "no-checks")) o->no_hazards = o->no_checks = true;
    else if (number_after(word, "threads", &n) && n <= 256) o->n_threads = (uint32_t)n;
    else return false;
    return true;
}

bool sim_parse_options(const char *text, SimOptions *o, Err *err)
{
    SimOptions parsed = *o;
    char word[64];
    for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
        end = at + strcspn(at, ",");
        size_t n = (size_t)(end - at);
        bool ok = n < sizeof word;
        if (ok) {
            memcpy(word, at, n);
            word[n] = 0;
            ok = n == 0 || parse_word(word, &parsed);
        }
        if (ok) continue;
        err_set(err, ERR_BAD_INPUT, NULL, "%.*s is no option of the simulator", (int)(n < 60 ? n : 60), at);
        err_hint(err, "in-order, lazy, random:SEED, strict, exact, no-hazards, no-checks, threads:N, watch:LIMIT, trace:BLOCK:LINE:HIT");
        return false;
    }
    *o = parsed;
    return true;
}
