/* Descriptions and references. A description is one entry: its kernel and host sources, without what is the
 * same in all of them. Any other Python file is code. */
#include "search/likeness.h"
#include "search/split_int.h"

#include <string.h>

/* Place of `NAME =` at the beginning of a line; n when there is none. */
static size_t find_assignment(const Split *s, const char *name) {
    size_t k = strlen(name);
    for (size_t at = 0; at < s->n; at = split_line_end(s, at)) {
        if (strncmp(s->text + at, name, k) != 0) continue;
        size_t eq = at + k;
        while (s->text[eq] == ' ') eq++;
        if (s->text[eq] == '=' && s->text[eq + 1] != '=') return at;
    }
    return s->n;
}

/* The first line of a module's text, without quotes. */
static const char *doc_line(Split *s) {
    size_t at = 0;
    while (at < s->n && (s->text[at] == '\n' || s->text[at] == '#')) at = split_line_end(s, at);
    if (strncmp(s->text + at, "\"\"\"", 3) != 0) return NULL;
    at += 3;
    size_t end = at;
    while (end < s->n && s->text[end] != '\n' && strncmp(s->text + end, "\"\"\"", 3) != 0) end++;
    return end > at ? arena_strndup(s->a, s->text + at, end - at) : NULL;
}

/* The value of "op": "..." in the project JSON: AddCustom. */
static const char *project_op(Split *s, size_t at) {
    const char *key = strstr(s->text + at, "\"op\"");
    if (!key) return NULL;
    key += 4;
    key += strspn(key, " :\n\t");
    if (*key != '"') return NULL;
    size_t n = strcspn(key + 1, "\"\n");
    return n && n < 200 ? arena_strndup(s->a, key + 1, n) : NULL;
}

void split_python(Split *s) {
    size_t kernel = find_assignment(s, "kernel_src"), project = find_assignment(s, "project_json_src");
    const char *doc = doc_line(s);
    if (kernel == s->n || project == s->n) {
        split_add(s, s->stem, doc ? doc : s->stem, 0, s->n, 1);
        return;
    }
    const char *op = project_op(s, project);
    const char *title = doc  ? arena_printf(s->a, "%s: %s", s->stem, doc)
                        : op ? arena_printf(s->a, "%s (%s)", s->stem, op)
                             : s->stem;
    size_t n_lines = split_count_lines(s->text, s->n) + (s->text[s->n - 1] != '\n');
    Likeness like = likeness_of_kernel(s->text + kernel);
    split_add_entry(s, (SplitEntry){.name = s->stem,
                                    .title = title,
                                    .body = s->text,
                                    .first_line = 1,
                                    .n_lines = n_lines,
                                    .likeness = likeness_print(s->a, &like)});
}
