/* opwright clean: takes away what finished or dead jobs left. */
#include "cli/cli.h"
#include "store/clean.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

static void print_usage(FILE *to) {
    fputs("usage: opwright clean [options]\n\n"
          "Removes temporary folders that finished or dead jobs left: opwright's own under $TMPDIR (or "
          "/tmp), and those of the\n"
          "existing skill under scripts/multi-kernel-bench/tmp of $ASCEND_SKILL_ROOT. What a running job "
          "uses, what was made less\n"
          "than a minute ago, other users' folders and kept builds stay.\n\n"
          "  --op NAME         only the skill's folders of this operator\n"
          "  --builds          also what `verify --keep-build` left\n"
          "  --dry_run         say what would go, remove nothing\n"
          "  --skill_root DIR  instead of $ASCEND_SKILL_ROOT\n"
          "  --ignore_missing  accepted; a folder that is not there is never an error\n"
          "  --verbose         name what stays, too\n\n"
          "exit status: 0 done, 2 a folder cannot be read or removed\n",
          to);
}

typedef struct Args {
    CleanOptions o;
    bool verbose, help;
} Args;

static bool parse(int argc, char **argv, Args *args, Err *err) {
    enum { OP = 256, BUILDS, DRY, ROOT, IGNORE, VERBOSE };
    static const struct option OPTIONS[] = {{"op", required_argument, NULL, OP},
                                            {"builds", no_argument, NULL, BUILDS},
                                            {"dry_run", no_argument, NULL, DRY},
                                            {"dry-run", no_argument, NULL, DRY},
                                            {"skill_root", required_argument, NULL, ROOT},
                                            {"ignore_missing", no_argument, NULL, IGNORE},
                                            {"verbose", no_argument, NULL, VERBOSE},
                                            {"help", no_argument, NULL, 'h'},
                                            {0}};
    for (int c; (c = cli_next_option(argc, argv, "h", OPTIONS, err)) != -1;) switch (c) {
        case OP:
            args->o.op = optarg;
            break;
        case BUILDS:
            args->o.builds = true;
            break;
        case DRY:
            args->o.dry_run = true;
            break;
        case ROOT:
            args->o.skill_root = optarg;
            break;
        case IGNORE:
            break;
        case VERBOSE:
            args->verbose = true;
            break;
        case 'h':
            args->help = true;
            return true;
        default:
            return false;
        }
    if (optind < argc) return err_set(err, ERR_USAGE, NULL, "unexpected argument `%s`", argv[optind]);
    return !args->o.op || store_check_op(args->o.op, err);
}

static void show(void *ctx, const char *path, CleanFate fate) {
    const Args *args = ctx;
    if (fate == CLEAN_REMOVED) printf("%s %s\n", args->o.dry_run ? "would remove" : "removed", path);
    else if (fate == CLEAN_FAILED || args->verbose) printf("left %s: %s\n", path, clean_fate_text(fate));
}

int cli_clean(int argc, char **argv) {
    Args args = {0};
    Err err = {0};
    if (!parse(argc, argv, &args, &err)) return cli_report(&err);
    if (args.help) {
        print_usage(stdout);
        return 0;
    }
    const char *temp = getenv("TMPDIR"), *root = getenv("ASCEND_SKILL_ROOT");
    if (!args.o.op) args.o.temp_dir = temp && *temp ? temp : "/tmp";
    if (!args.o.skill_root && root && *root) args.o.skill_root = root;
    args.o.on_folder = show;
    args.o.ctx = &args;
    Arena *a = arena_new();
    size_t n = 0;
    bool ok = clean_run(a, &args.o, &n, &err);
    printf("%zu folder%s %s\n", n, n == 1 ? "" : "s", args.o.dry_run ? "would be removed" : "removed");
    arena_free(a);
    return ok ? 0 : cli_report(&err);
}
