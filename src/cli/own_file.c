/* The line of origin in a generated description. */
#include "cli/own_file.h"

#include "base/fs.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char OPENING[] = "# Written by opwright gen from ", MIDDLE[] = ", sum ";

/* FNV-1a: tells an edited file from one that is not; nobody gains by a forgery. */
static unsigned long long sum_of(unsigned long long sum, const char *text, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++) sum = (sum ^ (unsigned char)text[i]) * 1099511628211ull;
    return sum;
}
#define SUM_START 14695981039346656037ull

static const char *file_name(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = arena_strdup(a, slash ? slash + 1 : path);
    for (char *s = name; *s; s++)
        if (iscntrl((unsigned char)*s)) *s = '?'; /* the name must stay within its line */
    return name;
}

const char *own_file_mark(Arena *a, const char *text, const char *reference) {
    const char *rest = strchr(text, '\n');
    if (!rest) return text;
    size_t n_first = (size_t)(rest + 1 - text);
    return arena_printf(a, "%.*s%s%s%s%016llx: replaced by the next gen unless edited\n%s", (int)n_first,
                        text, OPENING, file_name(a, reference), MIDDLE, sum_of(SUM_START, text, strlen(text)),
                        rest + 1);
}

static bool refuse(Err *err, const char *path, const char *hint, const char *fmt, const char *arg) {
    err_set(err, ERR_BAD_INPUT, path, fmt, arg);
    return err_hint(err, "%s", hint);
}

bool own_file_may_replace(Arena *a, const char *path, const char *reference, Err *err) {
    static const char HINT[] =
        "write elsewhere with --output-dir or --name, or replace the file with --force";
    if (!fs_exists(path)) return true;
    const char *text = fs_read(a, path, NULL, err);
    if (!text) return false;
    const char *mark = strchr(text, '\n');
    mark = mark ? mark + 1 : text;
    if (strncmp(mark, OPENING, sizeof OPENING - 1) != 0)
        return refuse(err, path, HINT, "the file exists and was not written by gen%s; it was left as it is",
                      "");
    const char *rest = strchr(mark, '\n');
    const char *line = arena_strndup(a, mark, rest ? (size_t)(rest - mark) : strlen(mark));
    const char *middle = NULL;
    for (const char *s = line; (s = strstr(s, MIDDLE)); s++)
        middle = s; /* a file name may hold the same words */
    const char *from = line + sizeof OPENING - 1;
    if (middle && rest) {
        unsigned long long sum =
            sum_of(sum_of(SUM_START, text, (size_t)(mark - text)), rest + 1, strlen(rest + 1));
        if (strtoull(middle + sizeof MIDDLE - 1, NULL, 16) != sum) middle = NULL;
    }
    if (!middle)
        return refuse(err, path, HINT, "the file was edited since gen wrote it%s; it was left as it is", "");
    from = arena_strndup(a, from, (size_t)(middle - from));
    if (strcmp(from, file_name(a, reference)) != 0)
        return refuse(err, path, HINT,
                      "the file was written from another reference, %s; it was left as it is", from);
    return true;
}
