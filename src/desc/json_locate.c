/* Where a value stands in a JSON text: the parser used for the values themselves keeps no positions, and an
 * error in a description should name its line. Works on any text; gives up quietly where the text is no JSON.
 */
#include "desc/desc_int.h"

#include <string.h>

typedef struct Walk {
    const char *p;
    int line;
    int depth;
} Walk;

#define DEPTH_MAX 256

static void blanks(Walk *w) {
    while (*w->p == ' ' || *w->p == '\t' || *w->p == '\r' || *w->p == '\n') {
        if (*w->p == '\n') w->line++;
        w->p++;
    }
}

/* Skips a string; key is set to its first byte, its raw length returned. False at the end of the text. */
static bool string(Walk *w, const char **text, size_t *n_bytes) {
    *text = ++w->p;
    while (*w->p && *w->p != '"') {
        if (*w->p == '\\' && w->p[1]) w->p++;
        if (*w->p == '\n') w->line++;
        w->p++;
    }
    *n_bytes = (size_t)(w->p - *text);
    if (!*w->p) return false;
    w->p++;
    return true;
}

static bool skip_value(Walk *w);

/* Walks an object or array. Stops before the member wanted (true) or behind the closing bracket (false). */
static bool members(Walk *w, const JsonStep *want) {
    bool object = *w->p++ == '{';
    for (size_t i = 0;; i++) {
        const char *key = "";
        size_t n_key = 0;
        blanks(w);
        if (*w->p == '}' || *w->p == ']' || !*w->p) break;
        if (object) {
            if (*w->p != '"' || !string(w, &key, &n_key)) break;
            blanks(w);
            if (*w->p != ':') break;
            w->p++;
            blanks(w);
        }
        bool hit = want && (want->key ? object && strlen(want->key) == n_key && !memcmp(key, want->key, n_key)
                                      : !object && i == want->index);
        if (hit) return true;
        if (!skip_value(w)) break;
        blanks(w);
        if (*w->p == ',') w->p++;
    }
    if (*w->p) w->p++;
    return false;
}

/* False when nothing was consumed or the nesting is absurd. */
static bool skip_value(Walk *w) {
    const char *start = w->p;
    const char *text;
    size_t n;
    if (*w->p == '"') return string(w, &text, &n);
    if (*w->p == '{' || *w->p == '[') {
        if (w->depth >= DEPTH_MAX) return false;
        w->depth++;
        members(w, NULL);
        w->depth--;
        return true;
    }
    while (*w->p && !strchr(",]} \t\r\n", *w->p)) w->p++;
    return w->p != start;
}

int json_locate(const char *text, const JsonStep *path, size_t n_steps) {
    Walk w = {.p = text, .line = 1};
    blanks(&w);
    int line = w.line;
    for (size_t i = 0; i < n_steps; i++) {
        if ((*w.p != '{' && *w.p != '[') || !members(&w, &path[i])) return line;
        line = w.line;
    }
    return line;
}
