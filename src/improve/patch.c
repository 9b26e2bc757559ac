/* Strict: a change that fits nowhere, or at two places, is told back rather than guessed at. */
#include "improve/patch.h"

#include "base/strbuf.h"
#include "store/diff.h"

#include <string.h>

#define LINES_ALWAYS 24 /* a small file may be changed by so many */

typedef struct Line {
    const char *at;
    size_t n; /* with its end */
} Line;

static bool next_line(const char **text, Line *line) {
    if (!**text) return false;
    const char *end = strchr(*text, '\n');
    *line = (Line){*text, end ? (size_t)(end - *text) + 1 : strlen(*text)};
    *text += line->n;
    return true;
}

/* True for a line of `sign` seven times, and then `word` (or nothing). */
static bool is_mark(const Line *l, char sign, const char *word) {
    size_t n = l->n, k = 0;
    while (n && strchr(" \t\r\n", l->at[n - 1])) n--;
    while (k < n && l->at[k] == sign) k++;
    if (k < 5 || k > 9) return false;
    while (k < n && l->at[k] == ' ') k++;
    return n - k == strlen(word) && !memcmp(l->at + k, word, n - k);
}

/* Lines up to the mark, as one text. */
static char *collect(Arena *a, const char **text, char sign, const char *word, bool *closed) {
    StrBuf sb;
    strbuf_init(&sb, a);
    Line line;
    *closed = false;
    while (!*closed && next_line(text, &line)) {
        *closed = is_mark(&line, sign, word);
        if (!*closed) strbuf_addn(&sb, line.at, line.n);
    }
    return sb.text;
}

static size_t count(const char *text, const char *what, const char **first) {
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        if (n++ == 0) *first = at;
    return n;
}

static char *replace(Arena *a, const char *text, const char *old, const char *new, size_t number, Err *err) {
    const char *at = NULL;
    size_t n = old[strspn(old, " \t\r\n")] ? count(text, old, &at) : 0;
    size_t n_old = strlen(old);
    if (n == 0 && n_old && old[n_old - 1] == '\n') { /* the file's last line may have no end */
        old = arena_strndup(a, old, n_old - 1);
        n = *old && old[strspn(old, " \t\r\n")] ? count(text, old, &at) : 0;
        if (n == 1 && at[n_old - 1]) n = 0;
    }
    if (n == 1) return arena_printf(a, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    if (n)
        err_set(err, ERR_BAD_INPUT, NULL,
                "change %zu: its SEARCH lines stand %zu times in the file; add lines around them", number, n);
    else if (!old[strspn(old, " \t\r\n")])
        err_set(err, ERR_BAD_INPUT, NULL, "change %zu: its SEARCH part is empty", number);
    else
        err_set(err, ERR_BAD_INPUT, NULL,
                "change %zu: its SEARCH lines are not in the file as they stand there, with every space",
                number);
    return NULL;
}

static size_t count_lines(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += *text == '\n';
    return n;
}

/* More than half of the file is no correction any more. */
static bool is_small(Arena *a, const char *text, const char *changed, Err *err) {
    const char *diff = diff_unified(a, text, changed, "old", "new", err);
    if (!diff) return false;
    size_t n = 0, n_lines = count_lines(text);
    Line line;
    for (diff = diff_body(diff); next_line(&diff, &line);) n += line.at[0] == '-';
    if (n <= LINES_ALWAYS || n * 2 <= n_lines) return true;
    return err_set(err, ERR_BAD_INPUT, NULL,
                   "the changes replace %zu of %zu lines; change only what the findings name", n, n_lines);
}

char *patch_apply(Arena *a, const char *text, const char *answer, size_t *n_changes, Err *err) {
    char *now = arena_strdup(a, text);
    Line line;
    *n_changes = 0;
    while (next_line(&answer, &line)) {
        if (!is_mark(&line, '<', "SEARCH")) continue;
        bool middle, end;
        const char *old = collect(a, &answer, '=', "", &middle),
                   *new = collect(a, &answer, '>', "REPLACE", &end);
        if (!middle || !end) {
            err_set(
                err, ERR_BAD_INPUT, NULL,
                "change %zu is not closed: the answer was cut off, or ======= or >>>>>>> REPLACE is missing",
                *n_changes + 1);
            return NULL;
        }
        now = replace(a, now, old, new, ++*n_changes, err);
        if (!now) return NULL;
    }
    if (*n_changes == 0)
        err_set(err, ERR_BAD_INPUT, NULL,
                "there is no change in the answer (<<<<<<< SEARCH ... ======= ... >>>>>>> REPLACE)");
    else if (!strcmp(now, text)) err_set(err, ERR_BAD_INPUT, NULL, "the changes leave the file as it was");
    else if (is_small(a, text, now, err)) return now;
    return NULL;
}
