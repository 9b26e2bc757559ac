/* Unified diffs. Texts here always end a line before the next begins, also a last line without an end: such a
 * line is followed by "\ No newline at end of file", as everywhere. */
#include "store/diff.h"

#include "base/strbuf.h"

#include <git2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- make ------------------------------------------------------------------------------------ */

static bool git_failed(Err *err) {
    const git_error *e = git_error_last();
    return err_set(err, ERR_INTERNAL, NULL, "cannot compare two texts: %s",
                   e && e->message ? e->message : "libgit2 does not say why");
}

static void add_range(StrBuf *sb, char sign, int start, int lines) {
    if (lines == 1) strbuf_printf(sb, "%c%d", sign, start);
    else strbuf_printf(sb, "%c%d,%d", sign, start, lines);
}

static bool add_hunk(StrBuf *sb, git_patch *patch, size_t i, Err *err) {
    const git_diff_hunk *hunk;
    size_t n_lines;
    if (git_patch_get_hunk(&hunk, &n_lines, patch, i) != 0) return git_failed(err);
    strbuf_add(sb, "@@ ");
    add_range(sb, '-', hunk->old_start, hunk->old_lines);
    strbuf_add(sb, " ");
    add_range(sb, '+', hunk->new_start, hunk->new_lines);
    strbuf_add(sb, " @@\n");
    for (size_t k = 0; k < n_lines; k++) {
        const git_diff_line *line;
        if (git_patch_get_line_in_hunk(&line, patch, i, k) != 0) return git_failed(err);
        if (line->origin == ' ' || line->origin == '+' || line->origin == '-')
            strbuf_printf(sb, "%c", line->origin);
        strbuf_addn(sb, line->content,
                    line->content_len); /* the note on a missing line end begins with one */
    }
    return true;
}

char *diff_unified(Arena *a, const char *from, const char *to, const char *from_name, const char *to_name,
                   Err *err) {
    git_libgit2_init();
    git_diff_options options;
    (void)git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_FORCE_TEXT;
    git_patch *patch = NULL;
    StrBuf sb;
    strbuf_init(&sb, a);
    bool ok = git_patch_from_buffers(&patch, from, strlen(from), from_name, to, strlen(to), to_name,
                                     &options) == 0 ||
              git_failed(err);
    size_t n = ok && patch ? git_patch_num_hunks(patch) : 0;
    if (n) strbuf_printf(&sb, "--- %s\n+++ %s\n", from_name, to_name);
    for (size_t i = 0; ok && i < n; i++) ok = add_hunk(&sb, patch, i, err);
    git_patch_free(patch);
    git_libgit2_shutdown();
    return ok ? sb.text : NULL;
}

const char *diff_body(const char *diff) {
    for (int i = 0; i < 2 && (!strncmp(diff, "--- ", 4) || !strncmp(diff, "+++ ", 4)); i++) {
        const char *end = strchr(diff, '\n');
        if (!end) return "";
        diff = end + 1;
    }
    return diff;
}

/* ---- apply ----------------------------------------------------------------------------------- */

typedef struct Apply {
    StrBuf out;
    const char *from; /* what of the old text is left */
    long line;        /* of it, from 1 */
} Apply;

static size_t line_length(const char *text) {
    const char *end = strchr(text, '\n');
    return end ? (size_t)(end - text) + 1 : strlen(text);
}

static void take_old_line(Apply *p, bool keep) {
    size_t n = line_length(p->from);
    if (keep) strbuf_addn(&p->out, p->from, n);
    p->from += n;
    p->line++;
}

/* "@@ -a,b +c,d @@": where the old part begins and how many lines both parts have. */
static bool parse_head(const char *at, long *start, long *n_old, long *n_new) {
    *n_old = *n_new = 1;
    char *end;
    if (strncmp(at, "@@ -", 4) != 0) return false;
    *start = strtol(at + 4, &end, 10);
    if (*end == ',') *n_old = strtol(end + 1, &end, 10);
    if (strncmp(end, " +", 2) != 0) return false;
    (void)strtol(end + 2, &end, 10);
    if (*end == ',') *n_new = strtol(end + 1, &end, 10);
    return !strncmp(end, " @@", 3) && *start >= 0 && *n_old >= 0 && *n_new >= 0;
}

/* True when the old text's next line is `want`; a line of the diff always has an end, the old text's last may
 * lack it. */
static bool old_line_is(const Apply *p, const char *want, size_t n) {
    size_t have = line_length(p->from);
    if (n && want[n - 1] == '\n') n--;
    if (have && p->from[have - 1] == '\n') have--;
    return *p->from && have == n && !memcmp(p->from, want, n);
}

/* One hunk; *diff is behind it afterwards. */
static bool apply_hunk(Apply *p, const char **diff) {
    long start, n_old, n_new;
    if (!parse_head(*diff, &start, &n_old, &n_new)) return false;
    *diff += line_length(*diff);
    long first = n_old ? start : start + 1; /* a hunk that only adds names the line before it */
    while (p->line < first && *p->from) take_old_line(p, true);
    if (p->line != first) return false;
    while (n_old > 0 || n_new > 0) {
        const char *at = *diff;
        size_t n = line_length(at);
        char sign = at[0]; /* NUL at the end */
        if ((sign == ' ' || sign == '-') && (n_old-- == 0 || !old_line_is(p, at + 1, n - 1))) return false;
        if ((sign == ' ' || sign == '+') && n_new-- == 0) return false;
        if (sign == ' ' || sign == '-') take_old_line(p, sign == ' ');
        else if (sign == '+') strbuf_addn(&p->out, at + 1, n - 1);
        else return false;
        *diff += n;
        if (**diff != '\\') continue;
        *diff += line_length(*diff);
        if (sign == '+' && p->out.n_bytes && p->out.text[p->out.n_bytes - 1] == '\n')
            p->out.text[--p->out.n_bytes] = '\0';
    }
    return true;
}

char *diff_apply(Arena *a, const char *from, const char *diff, Err *err) {
    Apply p = {.from = from, .line = 1};
    strbuf_init(&p.out, a);
    diff = diff_body(diff);
    while (*diff)
        if (!apply_hunk(&p, &diff)) {
            err_set(err, ERR_BAD_INPUT, NULL,
                    "the change does not fit the code at its line %ld: one of them was edited", p.line);
            return NULL;
        }
    strbuf_add(&p.out, p.from);
    return p.out.text;
}
