/* The API truth table (data/api): rows API(.field = "text" "more", ...). Any other .def file is code. */
#include "search/split_int.h"

#include "base/strbuf.h"

#include <string.h>

#define FIELDS_MAX 32

typedef struct Row {
    const char *name[FIELDS_MAX], *value[FIELDS_MAX];
    size_t n;
} Row;

/* A C string, or several side by side; *at moves behind them. */
static const char *read_strings(Split *s, size_t *at) {
    StrBuf b;
    strbuf_init(&b, s->a);
    while (*at < s->n && s->text[*at] == '"') {
        for ((*at)++; *at < s->n && s->text[*at] != '"'; (*at)++) {
            if (s->text[*at] == '\\' && *at + 1 < s->n) (*at)++;
            strbuf_addn(&b, s->text + *at, 1);
        }
        if (*at < s->n) (*at)++;
        *at += strspn(s->text + *at, " \t\r\n");
    }
    return b.text;
}

static const char *get(const Row *r, const char *name) {
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->name[i], name)) return r->value[i];
    return NULL;
}

static void put(Row *r, const char *name, const char *value) {
    for (size_t i = 0; i < r->n; i++)
        if (!strcmp(r->name[i], name)) {
            r->value[i] = value;
            return;
        }
    if (r->n == FIELDS_MAX) return;
    r->name[r->n] = name;
    r->value[r->n++] = value;
}

/* Fields of the row that begins at `at`, behind "API("; ends behind its ")". */
static size_t read_row(Split *s, size_t at, Row *r) {
    *r = (Row){0};
    while (at < s->n && s->text[at] != ')') {
        if (s->text[at] != '.') {
            at++;
            continue;
        }
        size_t n = strspn(s->text + ++at, "abcdefghijklmnopqrstuvwxyz_0123456789");
        const char *name = arena_strndup(s->a, s->text + at, n);
        at += n;
        at += strspn(s->text + at, " =\t\r\n");
        if (at < s->n && s->text[at] == '"') put(r, name, read_strings(s, &at));
    }
    return at < s->n ? at + 1 : at;
}

/* What a row does not say is as in the row before of the same API, except what every row says itself. */
static void inherit(Row *r, const Row *before) {
    static const char *const OWN[] = {"api", "form", "kind", "a2", "a5"};
    const char *api = get(r, "api"), *was = get(before, "api");
    if (!api || !was || strcmp(api, was) != 0) return;
    for (size_t i = 0; i < before->n; i++) {
        bool own = false;
        for (size_t k = 0; k < sizeof OWN / sizeof OWN[0]; k++) own = own || !strcmp(OWN[k], before->name[i]);
        if (!own && !get(r, before->name[i])) put(r, before->name[i], before->value[i]);
    }
}

static void add_row(Split *s, const Row *r, size_t line, size_t n_lines) {
    const char *api = get(r, "api"), *form = get(r, "form"), *a2 = get(r, "a2");
    if (!api || !*api) return;
    StrBuf b;
    strbuf_init(&b, s->a);
    for (size_t i = 0; i < r->n; i++)
        if (*r->value[i] && strcmp(r->value[i], "-") != 0)
            strbuf_printf(&b, "%s: %s\n", r->name[i], r->value[i]);
    bool gap = a2 && !strcmp(a2, "none");
    const char *title = arena_printf(s->a, "%s, %s%s", api, form ? form : "", gap ? " (not modelled)" : "");
    split_add_entry(s, (SplitEntry){.name = api,
                                    .title = title,
                                    .body = b.text,
                                    .first_line = line,
                                    .n_lines = n_lines,
                                    .is_record = true});
}

void split_def(Split *s) {
    Row before = {0};
    size_t line = 1;
    bool any = false;
    for (size_t at = 0; at < s->n;) {
        if (strncmp(s->text + at, "API(.", 5) != 0) {
            size_t end = split_line_end(s, at);
            at = end, line++;
            continue;
        }
        Row r;
        size_t end = read_row(s, at + 4, &r), lines = split_count_lines(s->text + at, end - at);
        inherit(&r, &before);
        add_row(s, &r, line, lines + 1);
        before = r;
        any = true;
        line += lines;
        at = end; /* the rest of its last line follows */
        size_t next = split_line_end(s, at);
        line += next > at && s->text[next - 1] == '\n';
        at = next;
    }
    if (!any) split_code(s);
}
