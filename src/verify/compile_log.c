/* Reads what g++ or clang++ print (without carets) and keeps one diagnostic per fault, placed in the user's
 * section even when the compiler complains about one of our headers: the last line of the user that led there
 * is the place. */
#include "verify/verify_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIAGS_MAX 20

static const struct {
    const char *part, *hint, *hint_zh;
} HINTS[] = {
#define HINT(part_, hint_, hint_zh_) {part_, hint_, hint_zh_},
#include "verify/compile_hints.def"
#undef HINT
};

typedef struct Place {
    const char *source; /* a name of DESC_SOURCE_NAMES, or NULL */
    int line, column;
} Place;

typedef struct Log {
    Arena *arena;
    const Desc *desc;
    const char *home;
    DiagList *diags;
    Place user;   /* the last place in the user's source that leads to what follows */
    Diag pending; /* an error that waits for its place (clang prints it later) */
    bool is_pending;
    bool user_is_include; /* `user` is only an #include line: any better place counts more */
    bool is_led; /* the pending error stands in our headers and may still be led to the user's line by a note
                  */
    size_t n_added;
} Log;

/* "file:line:column: rest" or "file:line: rest"; false when the line has another form. */
static bool split_place(Arena *a, const char *line, const char **file, int *line_no, int *column,
                        const char **rest) {
    for (const char *colon = strchr(line, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *end;
        long n = strtol(colon + 1, &end, 10);
        if (end == colon + 1 || n <= 0 || (*end != ':' && *end != ',')) continue;
        *file = arena_strndup(a, line, (size_t)(colon - line));
        *line_no = (int)n;
        *column = 0;
        const char *after = end + 1;
        long c = strtol(after, &end, 10);
        if (*end == ':' && end != after && c > 0) {
            *column = (int)c;
            after = end + 1;
        }
        *rest = after + strspn(after, " ");
        return true;
    }
    return false;
}

/* The section a file name of the compiler stands for, or NULL. */
static const char *section_of(const char *file) {
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    for (int i = 0; i < DESC_N_SOURCES; i++)
        if (!strcmp(base, DESC_SOURCE_NAMES[i])) return DESC_SOURCE_NAMES[i];
    return NULL;
}

static const char *source_line(Arena *a, const Desc *d, const char *source, int line) {
    for (int i = 0; i < DESC_N_SOURCES; i++) {
        if (!source || strcmp(source, DESC_SOURCE_NAMES[i]) != 0) continue;
        const char *p = d->source[i];
        for (int n = 1; p && n < line; n++) {
            p = strchr(p, '\n');
            if (p) p++;
        }
        if (!p) return NULL;
        size_t len = strcspn(p, "\r\n"), skip = strspn(p, " \t");
        return skip < len ? arena_strndup(a, p + skip, len - skip) : NULL;
    }
    return NULL;
}

static void flush(Log *l) {
    if (!l->is_pending) return;
    l->is_pending = false;
    if (l->n_added++ >= DIAGS_MAX) return;
    Diag *d = &l->pending;
    const char *code = source_line(l->arena, l->desc, d->source, d->line);
    if (code) {
        d->text_zh = arena_printf(l->arena, "编译错误: %s\n    %s", d->text, code);
        d->text = arena_printf(l->arena, "%s\n    %s", d->text, code);
    } else {
        d->text_zh = arena_printf(l->arena, "编译错误: %s", d->text);
    }
    diag_add(l->diags, d);
}

/* The name a message is about: the word quoted after `named`, else the first quoted one. */
static const char *quoted(Arena *a, const char *message) {
    const char *named = strstr(message, "member named '");
    const char *from = strchr(named ? named : message, '\'');
    const char *to = from ? strchr(from + 1, '\'') : NULL;
    return to ? arena_strndup(a, from + 1, (size_t)(to - from - 1)) : NULL;
}

/* A name of AscendC that nobody has: what may be meant is worth more than the rule. */
static void offer_names(Log *l, const char *message, const char *name) {
    bool in_api = strstr(message, "'AscendC'") != NULL, unknown = strstr(message, "not declared in this scope") || strstr(message, "use of undeclared") ||
                                                                 strstr(message, "has no member named") || strstr(message, "no member named");
    Diag *d = &l->pending;
    if (!name || (!in_api && !unknown) || !d->source || strcmp(d->source, DESC_SOURCE_NAMES[DESC_KERNEL]) != 0) return;
    const char *colon = strrchr(name, ':'), *near = vendor_names_near(l->arena, colon ? colon + 1 : name);
    if (!near) return;
    d->hint = arena_printf(l->arena, "names of the API like it: %s; %s", near, d->hint);
    d->hint_zh = arena_printf(l->arena, "相近的 API 名称: %s; %s", near, d->hint_zh);
}

static void begin(Log *l, const char *message, Place at) {
    flush(l);
    l->is_pending = true;
    l->pending = (Diag){.check = "compile",
                        .stage = "build",
                        .severity = DIAG_ERROR,
                        .source = at.source,
                        .line = at.line,
                        .column = at.column,
                        .text = arena_strdup(l->arena, message)};
    for (size_t i = 0; i < sizeof HINTS / sizeof HINTS[0] && !l->pending.hint; i++)
        if (strstr(message, HINTS[i].part)) {
            l->pending.hint = HINTS[i].hint;
            l->pending.hint_zh = HINTS[i].hint_zh;
        }
    bool header = strstr(message, "No such file") || strstr(message, "file not found");
    const char *name = quoted(l->arena, message);
    if (header && !name) name = arena_strndup(l->arena, message, strcspn(message, ":"));
    if (!header) offer_names(l, message, name);
    if (name && vendor_name_missing(l->arena, l->home, at.source, message, name)) {
        Diag *d = &l->pending;
        d->check = "not-modelled";
        d->not_modelled = true;
        d->hint = "this AscendC interface exists, but the simulated AI Core does not know it yet: verify it "
                  "on a card, or use another interface";
        d->hint_zh = "该 AscendC 接口存在, 但模拟核尚未支持: 请上板验证, 或改用其他接口";
    }
}

static void parse_line(Log *l, const char *line) {
    const char *file, *rest;
    int line_no, column;
    if (strstr(line, "undefined reference to") || strstr(line, "multiple definition of")) {
        begin(l, line, (Place){0});
        return;
    }
    bool included =
        !strncmp(line, "In file included from ", 22) || !strncmp(line, "                 from ", 22);
    if (!split_place(l->arena, included ? line + 22 : line, &file, &line_no, &column, &rest)) return;
    Place here = {.source = section_of(file), .line = line_no, .column = column};
    bool expansion = strstr(rest, "in expansion of macro") != NULL;
    if (included) {
        if (here.source) l->user = here;
        l->user_is_include = here.source != NULL;
        return;
    }
    bool leads = !strncmp(rest, "required from", 13) || !strncmp(rest, "  required from", 15) ||
                 !strncmp(rest, "recursively required", 20) || !strncmp(rest, "in 'constexpr'", 14);
    if (leads) {
        if (here.source) l->user = here;
        l->user_is_include = l->user_is_include && !here.source;
        return;
    }
    bool error = !strncmp(rest, "error: ", 7), fatal = !strncmp(rest, "fatal error: ", 13);
    if (error || fatal) {
        begin(l, rest + (error ? 7 : 13), here.source ? here : l->user);
        l->is_led = !l->pending.source || l->user_is_include;
        l->user = (Place){0};
        l->user_is_include = false;
    } else if (!strncmp(rest, "note: ", 6) && l->is_pending && here.source && (l->is_led || expansion)) {
        /* clang: "in instantiation of ... requested here" follows the error; g++: "in expansion of macro"
         * does */
        l->pending.source = here.source;
        l->pending.line = here.line;
        l->pending.column = here.column;
        l->is_led = expansion;
    }
}

size_t compile_log_parse(const Desc *d, const char *home, const char *output, DiagList *diags) {
    Log l = {.arena = diags->arena, .desc = d, .home = home, .diags = diags};
    for (const char *p = output; *p;) {
        size_t n = strcspn(p, "\n");
        parse_line(&l, arena_strndup(l.arena, p, n));
        p += n + (p[n] == '\n');
    }
    flush(&l);
    return l.n_added;
}
