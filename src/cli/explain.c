/* opwright explain: what a pasted log means. */
#include "cli/cli.h"
#include "cli/lang_options.h"
#include "explain/explain.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_usage(FILE *to) {
    fputs("usage: opwright explain [FILE] [--lang en|zh] [--json]\n"
          "\n"
          "Reads a log (from FILE, or what is piped or pasted in) and says what it means: errors of the "
          "device and of CANN,\n"
          "of the compilers, of the installation, and opwright's own results. The first real cause comes "
          "first.\n"
          "\n"
          "  --lang en|zh  language of the answer; otherwise from LC_ALL, LC_MESSAGES or LANG\n"
          "  --json        the answer as one JSON object\n"
          "\n"
          "exit status: 0 something was recognised, 1 nothing was, 2 the log cannot be read\n",
          to);
}

/* All of fd, up to one byte more than explain_log takes; NULL and *err on failure. Caller frees. */
static char *read_all(int fd, const char *where, size_t *n_bytes, Err *err) {
    size_t cap = 1 << 16, n = 0;
    char *text = malloc(cap);
    if (!text) abort();
    for (;;) {
        ssize_t got = read(fd, text + n, cap - n);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            err_set(err, ERR_IO, where, "cannot read: %s", strerror(errno));
            free(text);
            return NULL;
        }
        n += (size_t)got;
        if (got == 0 || n > EXPLAIN_INPUT_MAX) break;
        if (n < cap) continue;
        cap *= 2;
        char *larger = realloc(text, cap);
        if (!larger) abort();
        text = larger;
    }
    *n_bytes = n;
    return text;
}

static char *read_input(const char *path, size_t *n_bytes, Err *err) {
    if (!path || !strcmp(path, "-")) {
        if (isatty(STDIN_FILENO)) fputs("paste the log, then press Ctrl-D on a line of its own\n", stderr);
        return read_all(STDIN_FILENO, "standard input", n_bytes, err);
    }
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, path, "%s", strerror(errno));
        return NULL;
    }
    char *text = read_all(fd, path, n_bytes, err);
    close(fd);
    return text;
}

static int explain_input(Arena *a, const char *path, ExplainLang lang, bool as_json, Err *err) {
    size_t n_bytes;
    char *text = read_input(path, &n_bytes, err);
    ExplainReport r;
    bool ok = text && explain_log(a, text, n_bytes, &r, err);
    free(text);
    if (!ok) return cli_report(err);
    if (as_json) {
        json_t *j = explain_json(&r, lang);
        char *out = json_dumps(j, JSON_INDENT(2));
        puts(out);
        free(out);
        json_decref(j);
    } else {
        fputs(explain_print(a, &r, lang), stdout);
    }
    return r.n_matches ? 0 : 1;
}

int cli_explain(int argc, char **argv) {
    LangOptions o;
    int status;
    if (!lang_options_read(argc, argv, print_usage, &o, &status)) return status;
    Err err = {0};
    if (argc - optind > 1) {
        err_set(&err, ERR_USAGE, NULL, "one log at a time: `%s` is too many", argv[optind + 1]);
        return cli_report(&err);
    }
    Arena *a = arena_new();
    status = explain_input(a, optind < argc ? argv[optind] : NULL, o.lang, o.as_json, &err);
    arena_free(a);
    return status;
}
