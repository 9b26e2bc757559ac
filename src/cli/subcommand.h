/* Commands that have commands of their own: opwright golden save. */
#ifndef OPWRIGHT_CLI_SUBCOMMAND_H
#define OPWRIGHT_CLI_SUBCOMMAND_H

#include <stddef.h>

typedef struct SubCommand {
    const char *name;    /* "save" */
    const char *command; /* "golden save": argv[0] of the function, for messages */
    int (*run)(int argc, char **argv);
    const char *help; /* one line */
} SubCommand;

/* Runs the one that argv[1] names; prints what there is for --help (0) or for none or another (2). `about`: a
 * sentence or two under the list. */
int cli_run_subcommand(int argc, char **argv, const SubCommand *table, size_t n, const char *about);

#endif
