/* Walks the lines of a log, tries the rows of explain.def on each, and orders what was found. */
#include "explain/explain_int.h"

#include "base/strbuf.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MAX_BYTES 16384 /* longer lines are looked at in pieces: patterns span far less */

#define VERIFY "opwright verify --local --op NAME --reference_path REF.py --kernel_code_path DESC.py"
#define DOCTOR "opwright doctor"

typedef enum {
#define LOG_CLASS(id, ...) CLASS_##id,
#include "explain/classes.def"
#undef LOG_CLASS
    N_CLASSES
} ClassId;

static const struct {
    const char *name, *title[EXPLAIN_N_LANGS], *command;
} CLASSES[] = {
#define LOG_CLASS(id, name_, en, zh, command_)                                                               \
    [CLASS_##id] = {.name = name_, .title = {en, zh}, .command = command_},
#include "explain/classes.def"
#undef LOG_CLASS
};

typedef struct Row {
    const char *id;
    ExplainLevel level;
    ClassId cls;
    const char *needle, *pattern;
    const char *cause[EXPLAIN_N_LANGS], *check[EXPLAIN_N_LANGS];
    const char *related;
} Row;

static const Row ROWS[] = {
#define LOG(id_, level_, cls_, needle_, pattern_, cause_, cause_zh_, check_, check_zh_, related_)            \
    {.id = id_,                                                                                              \
     .level = EXPLAIN_##level_,                                                                              \
     .cls = CLASS_##cls_,                                                                                    \
     .needle = needle_,                                                                                      \
     .pattern = pattern_,                                                                                    \
     .cause = {cause_, cause_zh_},                                                                           \
     .check = {check_, check_zh_},                                                                           \
     .related = related_},
#include "explain/explain.def"
#undef LOG
};
#define N_ROWS (sizeof ROWS / sizeof ROWS[0])

const char *explain_row_id(size_t i) {
    return i < N_ROWS ? ROWS[i].id : NULL;
}

const char *explain_row_related(size_t i) {
    return i < N_ROWS ? ROWS[i].related : NULL;
}

typedef struct Scan {
    Arena *arena;
    regex_t compiled[N_ROWS];
    bool is_compiled[N_ROWS];
    ExplainMatch found[N_ROWS]; /* count 0: not met */
    MatchList own;
    Facts *facts;
    size_t line;
} Scan;

/* Where row i matches in the line, or -1. */
static long row_match(Scan *s, size_t i, const char *line) {
    const Row *row = &ROWS[i];
    const char *at = strstr(line, row->needle);
    if (!at) return -1;
    if (!row->pattern[0]) return at - line;
    if (!s->is_compiled[i]) {
        if (regcomp(&s->compiled[i], row->pattern, REG_EXTENDED) != 0)
            abort(); /* the table is ours and tested */
        s->is_compiled[i] = true;
    }
    regmatch_t m;
    return regexec(&s->compiled[i], line, 1, &m, 0) == 0 ? (long)m.rm_so : -1;
}

static void note_row(Scan *s, size_t i, const char *line, long at) {
    ExplainMatch *m = &s->found[i];
    if (m->count++) return;
    const Row *row = &ROWS[i];
    m->id = row->id;
    m->level = row->level;
    m->cls = CLASSES[row->cls].name;
    m->command = CLASSES[row->cls].command;
    for (int k = 0; k < EXPLAIN_N_LANGS; k++) {
        m->title[k] = CLASSES[row->cls].title[k];
        m->cause[k] = row->cause[k];
        m->check[k] = row->check[k];
    }
    m->related = row->related;
    m->line = s->line;
    m->column = (size_t)at + 1;
    m->excerpt = excerpt_of(s->arena, line, (size_t)at);
}

static void note_own(Scan *s, const char *line) {
    ExplainMatch m;
    if (!own_line(s->arena, line, &m)) return;
    m.line = s->line;
    for (size_t i = 0; i < s->own.n; i++)
        if (!strcmp(s->own.at[i].excerpt, m.excerpt)) {
            s->own.at[i].count++;
            return;
        }
    vec_push(s->arena, &s->own, m);
}

static void scan_line(Scan *s, const char *line) {
    if (!*line) return;
    long at[N_ROWS];
    bool specific = false;
    for (size_t i = 0; i < N_ROWS; i++) {
        at[i] = row_match(s, i, line);
        specific = specific || (at[i] >= 0 && ROWS[i].level == EXPLAIN_CAUSE);
    }
    for (size_t i = 0; i < N_ROWS; i++) {
        bool general = ROWS[i].level == EXPLAIN_GENERAL;
        if (at[i] < 0 || (specific && general)) continue;
        note_row(s, i, line, at[i]);
        specific = specific || general; /* of general rows the first one that fits */
    }
    facts_line(s->facts, line);
    note_own(s, line);
}

/* The end of the line that starts at p: a line feed, or a written \n of a text quoted in JSON. */
static const char *line_end(const char *p, const char *end, size_t *skip, bool *is_feed) {
    for (const char *q = p; q < end; q++) {
        if (*q == '\n' || (*q == '\\' && q + 1 < end && q[1] == 'n')) {
            *is_feed = *q == '\n';
            *skip = *is_feed ? 1 : 2;
            return q;
        }
        if ((size_t)(q - p) + 1 >= LINE_MAX_BYTES) {
            *is_feed = false;
            *skip = 0;
            return q + 1;
        }
    }
    *is_feed = false;
    *skip = 0;
    return end;
}

static void scan_text(Scan *s, const char *text, size_t n_bytes) {
    char *line = arena_alloc(s->arena, LINE_MAX_BYTES + 1);
    const char *end = text + n_bytes;
    s->line = 1;
    for (const char *p = text; p < end;) {
        size_t skip;
        bool is_feed;
        const char *stop = line_end(p, end, &skip, &is_feed);
        size_t n = (size_t)(stop - p);
        for (size_t i = 0; i < n; i++) line[i] = (char)(p[i] ? p[i] : ' ');
        line[n] = '\0';
        scan_line(s, line);
        p = stop + skip;
        if (is_feed && p < end) s->line++;
    }
}

static int group_of(const ExplainMatch *m) {
    return m->level == EXPLAIN_GENERAL ? EXPLAIN_CAUSE : (int)m->level;
}

/* Causes before signs before echoes; within a group as in the log. */
static int compare_matches(const void *x, const void *y) {
    const ExplainMatch *a = x, *b = y;
    if (group_of(a) != group_of(b)) return group_of(a) - group_of(b);
    if (a->line != b->line) return a->line < b->line ? -1 : 1;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    return strcmp(a->id, b->id);
}

bool explain_log(Arena *a, const char *text, size_t n_bytes, ExplainReport *r, Err *err) {
    *r = (ExplainReport){0};
    if (n_bytes > EXPLAIN_INPUT_MAX) {
        err_set(err, ERR_BAD_INPUT, NULL, "the log is larger than %u MiB", EXPLAIN_INPUT_MAX >> 20);
        return err_hint(
            err, "give the part around the first error: grep -n -m1 -A200 ERROR log | opwright explain");
    }
    Scan *s = ARENA_NEW(a, Scan);
    s->arena = a;
    s->facts = facts_new(a);
    char *flat = own_flatten(a, text, n_bytes, &s->own);
    if (flat) scan_text(s, flat, strlen(flat));
    else scan_text(s, text, n_bytes);
    MatchList all = {0};
    for (size_t i = 0; i < s->own.n; i++) vec_push(a, &all, s->own.at[i]);
    for (size_t i = 0; i < N_ROWS; i++) {
        if (s->found[i].count) vec_push(a, &all, s->found[i]);
        if (s->is_compiled[i]) regfree(&s->compiled[i]);
    }
    if (all.n) qsort(all.at, all.n, sizeof *all.at, compare_matches);
    r->matches = all.at;
    r->n_matches = all.n;
    r->n_lines = s->line;
    facts_print(a, s->facts, r->facts);
    return true;
}

bool explain_lang(const char *name, ExplainLang *out, Err *err) {
    if (name) {
        *out = !strcmp(name, "zh") ? EXPLAIN_ZH : EXPLAIN_EN;
        if (!strcmp(name, "zh") || !strcmp(name, "en")) return true;
        return err_set(err, ERR_USAGE, NULL, "--lang is en or zh, not `%s`", name);
    }
    static const char *const VARIABLES[] = {"LC_ALL", "LC_MESSAGES", "LANG"};
    *out = EXPLAIN_EN;
    for (size_t i = 0; i < sizeof VARIABLES / sizeof VARIABLES[0]; i++) {
        const char *value = getenv(VARIABLES[i]);
        if (!value || !*value) continue;
        *out = !strncmp(value, "zh", 2) ? EXPLAIN_ZH : EXPLAIN_EN;
        break;
    }
    return true;
}
