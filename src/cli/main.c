/* opwright: finds the subcommand in the table and runs it. */
#include "cli/cli.h"

#include "base/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} Command;

static const Command COMMANDS[] = {
#define COMMAND(name_, function, help_) {.name = name_, .run = function, .help = help_},
#include "cli/commands.def"
#undef COMMAND
};
#define N_COMMANDS (sizeof COMMANDS / sizeof COMMANDS[0])

bool cli_has_command(const char *name) {
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!strcmp(name, COMMANDS[i].name)) return true;
    return false;
}

static void print_help(FILE *to) {
    fprintf(to,
            "opwright %s: writes AscendC operators and proves them without an NPU\n\n"
            "usage: opwright COMMAND [options]      (opwright COMMAND --help says more)\n\n",
            OPWRIGHT_VERSION);
    for (size_t i = 0; i < N_COMMANDS; i++) fprintf(to, "  %-8s %s\n", COMMANDS[i].name, COMMANDS[i].help);
}

/* Text that may come from a foreign file: its further lines are set in, and it cannot steer the terminal. */
static void print_foreign(const char *text) {
    for (const char *s = text; *s; s++)
        if (*s == '\n') fputs("\n    ", stderr);
        else fputc((unsigned char)*s < 0x20 && *s != '\t' ? '?' : *s, stderr);
}

int cli_report(const Err *err) {
    fputs("opwright: ", stderr);
    print_foreign(err->where);
    if (err->where[0]) fputs(": ", stderr);
    print_foreign(err->message);
    fputc('\n', stderr);
    if (err->hint[0]) {
        fputs("  to mend it: ", stderr);
        print_foreign(err->hint);
        fputc('\n', stderr);
    }
    return err_exit_status(err->code);
}

int cli_next_option(int argc, char **argv, const char *letters, const struct option *options, Err *err) {
    char spec[64];
    snprintf(spec, sizeof spec, ":%s", letters); /* the colon: a missing argument is told apart */
    opterr = 0;
    int c = getopt_long(argc, argv, spec, options, NULL);
    if (c != '?' && c != ':') return c;
    const char *given = optind > 0 && optind <= argc ? argv[optind - 1] : "";
    if (c == ':') err_set(err, ERR_USAGE, NULL, "%s needs a value after it", given);
    else err_set(err, ERR_USAGE, NULL, "%s is not an option of `opwright %s`", given, argv[0]);
    err_hint(err, "see `opwright %s --help`", argv[0]);
    return '?';
}

void cli_log(void *ctx, const char *line) {
    (void)ctx;
    fprintf(stderr, "  %s\n", line);
}

bool cli_parse_positive(const char *option, const char *text, double *out, Err *err) {
    char *end;
    *out = strtod(text, &end);
    if (end != text && *end == '\0' && *out > 0 && *out < 1e9) return true;
    return err_set(err, ERR_USAGE, NULL, "--%s takes a positive number, not `%s`", option, text);
}

Bridge *cli_start_bridge(Arena *a, Err *err) {
    const char *home = fs_home(a, err);
    if (!home) return NULL;
    cleanup_install();
    BridgeOptions o = {.home = home};
    return bridge_start(&o, err);
}

/* The status of the command, or of what it printed when that was lost. Nobody is told that a reader went
 * away. */
static int close_output(int status) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (errno == EPIPE) return status;
    Err err = {0};
    err_set(&err, ERR_IO, "standard output", "%s", strerror(errno));
    int lost = cli_report(&err);
    return status ? status : lost;
}

int main(int argc, char **argv) {
    signal(SIGPIPE, SIG_IGN); /* both are errors of a write, not ends of the process */
    signal(SIGXFSZ, SIG_IGN);
    if (argc < 2) {
        print_help(stderr);
        return 2;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_help(stdout);
        return 0;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("opwright %s\n", OPWRIGHT_VERSION);
        return 0;
    }
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (!strcmp(argv[1], COMMANDS[i].name)) return close_output(COMMANDS[i].run(argc - 1, argv + 1));
    fprintf(stderr, "opwright: unknown command `%s`\n\n", argv[1]);
    print_help(stderr);
    return 2;
}
