/* What long work says while it runs, on stderr: a line a stage, a line that replaces itself on a terminal,
 * every case with --verbose, nothing with --quiet. */
#ifndef OPWRIGHT_CLI_PROGRESS_H
#define OPWRIGHT_CLI_PROGRESS_H

#include <stdbool.h>

typedef struct Progress {
    bool quiet, verbose;
    bool brief;        /* stages too are only shown in passing: many operators, a line each */
    const char *label; /* before what is shown in passing; may be NULL */
    bool shown;        /* a line that wants to be replaced is on the terminal */
} Progress;

/* One finished stage. */
void progress_stage(Progress *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same where `ctx` is the Progress and lines come from verify_run: cases that pass are shown in passing.
 */
void progress_log(void *ctx, const char *line);
/* Takes the line shown in passing away; call it before anything else is printed. */
void progress_clear(Progress *p);

#endif
