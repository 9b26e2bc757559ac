/* Progress lines. */
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SHOWN_COLUMNS 76 /* a line that wraps could not be replaced */

void progress_clear(Progress *p) {
    if (p->shown) fputs("\r\033[K", stderr);
    p->shown = false;
}

static void show_in_passing(Progress *p, const char *line) {
    if (!isatty(STDERR_FILENO)) return;
    char text[256];
    snprintf(text, sizeof text, "%s%s%s", p->label ? p->label : "", p->label ? ": " : "  ", line);
    progress_clear(p);
    fprintf(stderr, "%.*s", SHOWN_COLUMNS, text);
    p->shown = true;
}

static bool is_passed_case(const char *line) {
    static const char TAIL[] = ": PASS";
    size_t n = strlen(line), n_tail = sizeof TAIL - 1;
    return strncmp(line, "case ", 5) == 0 && n > n_tail && strcmp(line + n - n_tail, TAIL) == 0;
}

void progress_log(void *ctx, const char *line) {
    Progress *p = ctx;
    if (p->quiet) return;
    if (!p->verbose && (p->brief || is_passed_case(line))) {
        show_in_passing(p, line);
        return;
    }
    progress_clear(p);
    fprintf(stderr, "  %s\n", line);
}

void progress_stage(Progress *p, const char *fmt, ...) {
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    progress_log(p, text);
}
