/* Which splitter a file gets, and what they share; documents and code. */
#include "search/split_int.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

typedef struct Format {
    const char *ending;
    void (*split)(Split *s);
    SearchKind kind;
} Format;

static const Format FORMATS[] = {
#define FORMAT(ending_, function, kind_) {.ending = ending_, .split = function, .kind = SEARCH_##kind_},
#include "search/formats.def"
#undef FORMAT
};

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const Format *find_format(const char *path) {
    const char *dot = strrchr(file_name(path), '.');
    for (size_t i = 0; dot && i < sizeof FORMATS / sizeof FORMATS[0]; i++)
        if (!strcasecmp(FORMATS[i].ending, dot + 1)) return &FORMATS[i];
    return NULL;
}

bool split_wants(const char *path) {
    return find_format(path) != NULL;
}

/* "0105_DataCopyPad.md" -> "DataCopyPad", "add.ascendc.py" -> "add". */
static const char *file_stem(Arena *a, const char *path) {
    const char *name = file_name(path);
    size_t digits = strspn(name, "0123456789");
    if (digits && (name[digits] == '_' || name[digits] == '-')) name += digits + 1;
    char *stem = arena_strdup(a, name);
    static const char *const ENDINGS[] = {".ascendc.py", "_torch_reference.py"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++) {
        size_t n = strlen(stem), k = strlen(ENDINGS[i]);
        if (n > k && !strcmp(stem + n - k, ENDINGS[i])) stem[n - k] = '\0';
    }
    char *dot = strrchr(stem, '.');
    if (dot && dot != stem) *dot = '\0';
    return stem;
}

size_t split_count_lines(const char *text, size_t n) {
    size_t lines = 0;
    for (const char *p = text, *end = text + n; (p = memchr(p, '\n', (size_t)(end - p))); p++) lines++;
    return lines;
}

size_t split_line_end(const Split *s, size_t at) {
    const char *nl = memchr(s->text + at, '\n', s->n - at);
    return nl ? (size_t)(nl - s->text) + 1 : s->n;
}

static bool is_blank(const char *line, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)line[i])) return false;
    return true;
}

void split_add_entry(Split *s, SplitEntry e) {
    SplitList *out = s->out;
    if (out->n == out->cap) out->at = arena_grow(s->a, out->at, &out->cap, sizeof *out->at);
    e.kind = s->kind;
    if (e.n_lines == 0) e.n_lines = 1;
    out->at[out->n++] = e;
}

static void add_one(Split *s, const char *name, const char *title, size_t at, size_t end, size_t line) {
    while (at < end) {
        size_t next = split_line_end(s, at);
        if (next > end) next = end;
        if (!is_blank(s->text + at, next - at)) break;
        at = next, line++;
    }
    while (end > at && isspace((unsigned char)s->text[end - 1])) end--;
    if (at >= end) return;
    split_add_entry(s, (SplitEntry){.name = name,
                                    .title = title,
                                    .body = arena_strndup(s->a, s->text + at, end - at),
                                    .first_line = line,
                                    .n_lines = split_count_lines(s->text + at, end - at) + 1});
}

/* Where an entry that begins at `at` ends: at its size, going back to a blank line in its second half. */
static size_t stretch_end(const Split *s, size_t at, size_t end) {
    size_t lines = 0, blank = 0, next = at;
    while (next < end && lines < SPLIT_ENTRY_LINES && next - at < SPLIT_ENTRY_BYTES) {
        size_t line = next;
        next = split_line_end(s, line);
        if (next - at > SPLIT_ENTRY_BYTES) { /* one line of any length, cut between characters */
            next = at + SPLIT_ENTRY_BYTES;
            if (line > at) return line;
            while (next > at && ((unsigned char)s->text[next] & 0xc0) == 0x80) next--;
            return next > at ? next : at + SPLIT_ENTRY_BYTES;
        }
        lines++;
        if (lines > SPLIT_ENTRY_LINES / 2 && is_blank(s->text + line, next - line)) blank = next;
    }
    if (next > end) next = end;
    return next < end && blank ? blank : next;
}

void split_add(Split *s, const char *name, const char *title, size_t at, size_t end, size_t first_line) {
    while (at < end) {
        size_t next = stretch_end(s, at, end);
        add_one(s, name, title, at, next, first_line);
        first_line += split_count_lines(s->text + at, next - at);
        at = next;
    }
}

/* ---- documents ------------------------------------------------------------------------------- */

typedef struct Heading {
    int level; /* 0: no heading */
    const char *text;
} Heading;

static Heading read_heading(Split *s, size_t at, size_t end) {
    size_t level = 0;
    while (at + level < end && s->text[at + level] == '#') level++;
    if (level == 0 || level > 6 || at + level >= end || s->text[at + level] != ' ') return (Heading){0};
    at += level;
    while (at < end && isspace((unsigned char)s->text[at])) at++;
    while (end > at && (isspace((unsigned char)s->text[end - 1]) || s->text[end - 1] == '#')) end--;
    return (Heading){.level = (int)level, .text = arena_strndup(s->a, s->text + at, end - at)};
}

static bool is_fence(const Split *s, size_t at, size_t end) {
    while (at < end && s->text[at] == ' ') at++;
    return end - at >= 3 && (!strncmp(s->text + at, "```", 3) || !strncmp(s->text + at, "~~~", 3));
}

/* "Service > The queue": the headings above a section, without empty levels. */
static const char *heading_path(Split *s, const char *const above[7]) {
    const char *path = "";
    for (int i = 1; i <= 6; i++)
        if (above[i]) path = *path ? arena_printf(s->a, "%s > %s", path, above[i]) : above[i];
    return *path ? path : s->stem;
}

void split_markdown(Split *s) {
    const char *above[7] = {0};
    size_t start = 0, start_line = 1, line = 1;
    bool fenced = false;
    for (size_t at = 0; at < s->n; line++) {
        size_t end = split_line_end(s, at);
        if (is_fence(s, at, end)) fenced = !fenced;
        Heading h = fenced ? (Heading){0} : read_heading(s, at, end);
        if (h.level) {
            split_add(s, s->stem, heading_path(s, above), start, at, start_line);
            start = at, start_line = line;
            above[h.level] = h.text;
            for (int i = h.level + 1; i <= 6; i++) above[i] = NULL;
        }
        at = end;
    }
    split_add(s, s->stem, heading_path(s, above), start, s->n, start_line);
}

void split_plain(Split *s) {
    split_add(s, s->stem, s->stem, 0, s->n, 1);
}

void split_code(Split *s) {
    split_add(s, s->stem, file_name(s->path), 0, s->n, 1);
}

/* ---- entry ----------------------------------------------------------------------------------- */

void split_file(Arena *a, const char *path, const char *text, size_t n_bytes, int kind, SplitList *out) {
    const Format *f = find_format(path);
    *out = (SplitList){0};
    if (!f) return;
    if (memchr(text, '\0', n_bytes)) {
        out->fault = "holds NUL bytes: no text";
        return;
    }
    Split s = {.a = a,
               .path = path,
               .stem = file_stem(a, path),
               .text = text,
               .n = n_bytes,
               .out = out,
               .forced = kind >= 0};
    s.kind = kind >= 0 ? (SearchKind)kind : f->kind;
    f->split(&s);
}
