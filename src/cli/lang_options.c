/* --lang, --json and --help. */
#include "cli/lang_options.h"

#include "cli/cli.h"

#include <getopt.h>

bool lang_options_read(int argc, char **argv, void (*print_usage)(FILE *), LangOptions *o, int *status) {
    static const struct option OPTIONS[] = {{"lang", required_argument, NULL, 'l'},
                                            {"json", no_argument, NULL, 'j'},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    const char *lang_name = NULL;
    *o = (LangOptions){0};
    for (int c; (c = getopt_long(argc, argv, "h", OPTIONS, NULL)) != -1;) {
        if (c == 'l') lang_name = optarg;
        else if (c == 'j') o->as_json = true;
        else {
            print_usage(c == 'h' ? stdout : stderr);
            *status = c == 'h' ? 0 : 2;
            return false;
        }
    }
    Err err = {0};
    if (explain_lang(lang_name, &o->lang, &err)) return true;
    *status = cli_report(&err);
    return false;
}
