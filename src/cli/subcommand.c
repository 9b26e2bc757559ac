/* Commands that have commands of their own. */
#include "cli/subcommand.h"

#include "cli/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_list(FILE *to, const char *name, const SubCommand *table, size_t n, const char *about) {
    fprintf(to, "usage: opwright %s COMMAND [options]      (opwright %s COMMAND --help says more)\n\n", name,
            name);
    for (size_t i = 0; i < n; i++) fprintf(to, "  %-10s %s\n", table[i].name, table[i].help);
    fprintf(to, "\n%s\n", about);
}

int cli_run_subcommand(int argc, char **argv, const SubCommand *table, size_t n, const char *about) {
    const char *name = argv[0];
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        print_list(stdout, name, table, n, about);
        return 0;
    }
    for (size_t i = 0; i < n && argc > 1; i++) {
        if (strcmp(argv[1], table[i].name) != 0) continue;
        Arena *a = arena_new();
        argv[1] = arena_strdup(a, table[i].command);
        int status = table[i].run(argc - 1, argv + 1);
        arena_free(a);
        return status;
    }
    Err err = {0};
    if (argc < 2) err_set(&err, ERR_USAGE, NULL, "`opwright %s` needs a command after it", name);
    else err_set(&err, ERR_USAGE, NULL, "`opwright %s` has no command `%s`", name, argv[1]);
    int status = cli_report(&err);
    print_list(stderr, name, table, n, about);
    return status;
}
