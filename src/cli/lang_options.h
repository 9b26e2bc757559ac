/* The options of commands that speak two languages: --lang en|zh, --json, --help. */
#ifndef OPWRIGHT_CLI_LANG_OPTIONS_H
#define OPWRIGHT_CLI_LANG_OPTIONS_H

#include "explain/explain.h"

#include <stdio.h>

typedef struct LangOptions {
    ExplainLang lang;
    bool as_json;
} LangOptions;

/* Reads the options; arguments start at optind afterwards. False: the command ends with *status, everything is said. */
bool lang_options_read(int argc, char **argv, void (*print_usage)(FILE *), LangOptions *o, int *status);

#endif
