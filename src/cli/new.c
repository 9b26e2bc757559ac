/* opwright new: a reference file from a formula, for people who have no PyTorch file. */
#include "cli/cli.h"
#include "cli/formula.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef struct NewOptions {
    const char *formula, *output_dir, *name;
    bool force;
    FormulaDecls decls;
} NewOptions;

static void print_usage(FILE *to) {
    fputs("usage: opwright new --formula TEXT --input NAME:DTYPE[SIZES] ... [options]\n"
          "\n"
          "Writes a PyTorch reference file that computes the formula, ready for `opwright gen`.\n"
          "\n"
          "  --formula TEXT          \"z = relu(x + y) * 2\"; several assignments are separated by ; or new "
          "lines\n"
          "  --input x:float16[M,N]  a tensor; sizes are numbers or symbols, [] is a tensor without "
          "dimensions\n"
          "  --scalar alpha:float=0.5  a number handed over at each call: float, int or bool, and the value "
          "to try\n"
          "  --dim M=2048            the size to try a symbol with\n"
          "  --output z,w            results; otherwise every name that is assigned and not used later\n"
          "  --name NAME             of the operator and the file; otherwise made from the operations\n"
          "  --output-dir DIR        where to write; otherwise here\n"
          "  --force                 overwrite a file that exists\n"
          "\n"
          "Operators are Python's: + - * / // % ** == != < <= > >= and or not & | ^ ~, with its precedence. "
          "Functions:\n  ",
          to);
    const char *last = "";
    size_t column = 2;
    for (size_t i = 0; i < FORMULA_N_FNS; i++) {
        const FormulaFn *fn = &FORMULA_FNS[i];
        if (fn->value || !strcmp(fn->name, last)) continue;
        last = fn->name;
        if (column + strlen(last) > 100) {
            fputs("\n  ", to);
            column = 2;
        }
        column += (size_t)fprintf(to, "%s ", last);
    }
    fputs("\n", to);
}

/* 0: go on. Otherwise *status is the exit status. */
static bool parse_options(NewOptions *o, int argc, char **argv, int *status, Err *err) {
    enum { OPT_OUTPUT_DIR = 256, OPT_FORCE };
    static const struct option OPTIONS[] = {{"formula", required_argument, NULL, 'f'},
                                            {"input", required_argument, NULL, 'i'},
                                            {"scalar", required_argument, NULL, 's'},
                                            {"dim", required_argument, NULL, 'd'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"name", required_argument, NULL, 'n'},
                                            {"output-dir", required_argument, NULL, OPT_OUTPUT_DIR},
                                            {"force", no_argument, NULL, OPT_FORCE},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    bool ok = true;
    optind = 1;
    for (int c; ok && (c = cli_next_option(argc, argv, "f:i:s:d:o:n:h", OPTIONS, err)) != -1;) {
        switch (c) {
        case 'f':
            o->formula = optarg;
            break;
        case 'i':
            ok = formula_declare_input(&o->decls, optarg, err);
            break;
        case 's':
            ok = formula_declare_scalar(&o->decls, optarg, err);
            break;
        case 'd':
            ok = formula_declare_dim(&o->decls, optarg, err);
            break;
        case 'o':
            ok = formula_declare_outputs(&o->decls, optarg, err);
            break;
        case 'n':
            o->name = optarg;
            break;
        case OPT_OUTPUT_DIR:
            o->output_dir = optarg;
            break;
        case OPT_FORCE:
            o->force = true;
            break;
        case 'h':
            print_usage(stdout);
            *status = 0;
            return false;
        default:
            ok = false;
        }
    }
    if (ok && optind < argc) {
        ok = err_set(err, ERR_USAGE, NULL, "`%s` is not an option", argv[optind]);
        err_hint(err, "put the formula in quotes: --formula \"z = x + y\"");
    }
    if (ok && !o->formula) {
        ok = err_set(err, ERR_USAGE, NULL, "--formula is missing");
        err_hint(err, "for example: opwright new --formula \"z = relu(x + y) * 2\" --input x:float16[M,N] "
                      "--input y:float16[N]");
    }
    if (!ok) *status = cli_report(err);
    return ok;
}

/* Operator names become file names and C identifiers: lower case, digits, underscores. */
static bool check_name(const char *name, Err *err) {
    size_t n = strlen(name);
    bool ok =
        n > 0 && n <= 60 && islower((unsigned char)name[0]) && name[n - 1] != '_' && !strstr(name, "__");
    for (const char *s = name; *s; s++)
        ok = ok && (islower((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '_');
    if (ok) return true;
    err_set(err, ERR_BAD_INPUT, "--name", "`%.80s` is not an operator name", name);
    return err_hint(
        err, "use lower-case letters, digits and single underscores, a letter first, at most 60: bias_gelu");
}

static bool write_reference(Arena *a, NewOptions *o, const char **path, Err *err) {
    Formula *f = formula_parse(a, o->formula, err);
    if (!f || !formula_check(a, f, &o->decls, err) || !formula_settle_dims(&o->decls, err)) return false;
    const char *name = o->name ? o->name : formula_suggest_name(a, f);
    if (!check_name(name, err)) return false;
    const char *dir = o->output_dir ? o->output_dir : ".";
    size_t n = strlen(dir);
    *path = arena_printf(a, "%s%s%s.py", strcmp(dir, ".") ? dir : "",
                         !strcmp(dir, ".") || (n && dir[n - 1] == '/') ? "" : "/", name);
    if (!o->force && fs_exists(*path)) {
        err_set(err, ERR_BAD_INPUT, *path, "the file exists and was left as it is");
        return err_hint(err, "choose another name with --name, or overwrite it with --force");
    }
    char *text = formula_print_reference(a, f, &o->decls);
    return fs_make_dirs(dir, err) && fs_write(*path, text, strlen(text), err);
}

int cli_new(int argc, char **argv) {
    Err err = {0};
    Arena *a = arena_new();
    NewOptions o = {.decls = {.arena = a}};
    const char *path;
    int status = 0;
    if (parse_options(&o, argc, argv, &status, &err)) {
        if (write_reference(a, &o, &path, &err)) printf("wrote %s\nnext: opwright gen %s\n", path, path);
        else status = cli_report(&err);
    }
    arena_free(a);
    return status;
}
