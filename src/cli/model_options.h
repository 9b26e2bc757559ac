/* --strict, --schedule, --exact and --toolchain, for every command that verifies. */
#ifndef OPWRIGHT_CLI_MODEL_OPTIONS_H
#define OPWRIGHT_CLI_MODEL_OPTIONS_H

#include "verify/verify.h"

#include <getopt.h>

enum { OPT_STRICT = 512, OPT_SCHEDULE, OPT_EXACT, OPT_TOOLCHAIN };

#define MODEL_OPTIONS                                                                                        \
    {"strict", no_argument, NULL, OPT_STRICT}, {"schedule", required_argument, NULL, OPT_SCHEDULE},          \
        {"exact", no_argument, NULL, OPT_EXACT}, {"toolchain", required_argument, NULL, OPT_TOOLCHAIN}

/* Takes one of those options; false with *err untouched when c is none of them (an error is set already). */
bool model_option(int c, VerifyModel *m, Err *err) ERR_CHECKED;

#endif
