/* The command line: a table of subcommands. A command gets argv with its own name as argv[0] and returns the
 * exit status: 0 success, 1 a verdict that is not PASS, 2 bad input or a missing tool, 3 a failure of our
 * own. */
#ifndef OPWRIGHT_CLI_CLI_H
#define OPWRIGHT_CLI_CLI_H

#include "base/arena.h"
#include "base/err.h"
#include "base/fs.h"
#include "bridge/bridge.h"

#include <getopt.h>

#define COMMAND(name, function, help) int function(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* True when this program has the subcommand. */
bool cli_has_command(const char *name);
/* Prints "opwright: where: message" and the hint to stderr; returns the exit status of the code. */
int cli_report(const Err *err);
/* getopt_long with errors in our words: the option's value or letter, -1 after the last, '?' with *err set.
 */
int cli_next_option(int argc, char **argv, const char *letters, const struct option *options, Err *err);
/* Starts the worker with opwright's own files; NULL after an error. From here on a signal leaves nothing
 * behind. */
Bridge *cli_start_bridge(Arena *a, Err *err) ERR_CHECKED;
/* A positive number of an option; the error names the option. */
bool cli_parse_positive(const char *option, const char *text, double *out, Err *err) ERR_CHECKED;
/* Progress lines of long work, to stderr. */
void cli_log(void *ctx, const char *line);

#endif
