/* opwright run: one case of a description in one process, alone or under gdb, with the lines of kernel_src. */
#include "cann/cann.h"
#include "cli/check_int.h"
#include "cli/cli.h"
#include "cli/model_options.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void print_usage(FILE *to) {
    fprintf(to, "usage: opwright run DESC.py --reference REF.py [options] [-- ARGUMENTS OF GDB]\n\n"
                "Builds a description without optimisation and runs one case in one process, without cage and limits: for your own code.\n\n"
                "  --reference FILE    PyTorch reference: its inputs are taken, and its results compared with\n"
                "  --gdb               under gdb: `break kernel_src:57`, `run`; all blocks are in this process, one after the other\n"
                "  --shape SHAPES      sizes of the inputs, 33x100,100; default: the file's own\n"
                "  --dtype NAME        of floating inputs with --shape\n"
                "  --schedule NAME     in-order (default), lazy or random:SEED\n"
                "  --chip NAME         default Ascend910B4\n\n"
                "What stands behind -- goes to gdb: `-- -batch -ex 'break kernel_src:57' -ex run -ex bt`.\n"
                "exit status: 0 nothing found and the outputs agree, 1 otherwise, 2 bad input or a missing tool; with --gdb that of gdb\n");
}

enum { OPT_REF = 256, OPT_GDB, OPT_SHAPE, OPT_DTYPE, OPT_CHIP };

typedef struct Args {
    VerifyOptions options;
    const char *shape, *dtype;
    char **more; /* for gdb, NULL-terminated */
    bool gdb, help;
} Args;

static bool parse_one(int c, Args *args, Err *err) {
    switch (c) {
    case OPT_REF: args->options.reference_path = optarg; return true;
    case OPT_GDB: args->gdb = true; return true;
    case OPT_SHAPE: args->shape = optarg; return true;
    case OPT_DTYPE: args->dtype = optarg; return true;
    case OPT_CHIP: args->options.chip = optarg; return true;
    case 'h': args->help = true; return true;
    default: return model_option(c, &args->options.model, err);
    }
}

static bool parse_args(int argc, char **argv, Args *args, Err *err) {
    static const struct option OPTIONS[] = {{"reference", required_argument, NULL, OPT_REF}, {"gdb", no_argument, NULL, OPT_GDB},
                                            {"shape", required_argument, NULL, OPT_SHAPE},   {"dtype", required_argument, NULL, OPT_DTYPE},
                                            {"chip", required_argument, NULL, OPT_CHIP},     MODEL_OPTIONS,
                                            {"help", no_argument, NULL, 'h'},                {0}};
    int n = 0;
    while (n < argc && strcmp(argv[n], "--") != 0) n++;
    args->more = n < argc ? argv + n + 1 : argv + argc;
    for (int c; (c = cli_next_option(n, argv, "h", OPTIONS, err)) != -1;)
        if (!parse_one(c, args, err)) return false;
    if (args->help) return true;
    if (n - optind != 1) return err_set(err, ERR_USAGE, NULL, n == optind ? "no description given" : "one description at a time");
    if (!args->options.reference_path) return err_set(err, ERR_USAGE, NULL, "--reference is missing");
    if (*args->more && !args->gdb) return err_set(err, ERR_USAGE, NULL, "what stands behind -- is for gdb: add --gdb");
    args->options.kernel_code_path = argv[optind];
    return true;
}

/* Builds into dir. False also when the description is at fault; that is told then, and *status is set. */
static bool build(Arena *a, Args *args, const char *dir, int *status, Err *err) {
    VerifyOptions *o = &args->options;
    o->op = check_op_name(a, o->kernel_code_path);
    o->debug_dir = dir;
    Bridge *b = cli_start_bridge(a, err);
    if (!b) return false;
    VerifyResult r = {0};
    bool ok = check_cases(a, b, &args->shape, args->shape ? 1 : 0, args->dtype, o, err) && verify_run(a, b, o, &r, err);
    if (ok && !fs_exists(arena_printf(a, "%s/run.json", dir))) {
        puts(r.summary);
        *status = r.exit_code ? r.exit_code : 1;
        ok = false;
    }
    for (size_t i = 0; i < o->n_cases; i++) json_decref(o->cases[i].spec);
    json_decref(r.json);
    bridge_stop(b);
    return ok;
}

static const char **command(Arena *a, const Args *args, const char *dir, const char *home) {
    VEC(const char *) v = {0};
    const char *const run[] = {cann_python(a, home), arena_printf(a, "%s/bridge/one.py", home), arena_printf(a, "%s/run.json", dir)};
    /* The kernel's library is opened later, and the simulator's fibers change stacks: neither is a reason to stop or to ask. */
    const char *const gdb[] = {"gdb", "-q", "-d", dir, "-iex", "set breakpoint pending on", "-iex", "set debuginfod enabled off"};
    for (size_t i = 0; args->gdb && i < sizeof gdb / sizeof gdb[0]; i++) vec_push(a, &v, gdb[i]);
    for (char **m = args->more; args->gdb && *m; m++) vec_push(a, &v, *m);
    if (args->gdb) vec_push(a, &v, "--args");
    for (size_t i = 0; i < sizeof run / sizeof run[0]; i++) vec_push(a, &v, run[i]);
    vec_push(a, &v, NULL);
    return v.at;
}

/* The terminal is the child's. */
static bool run_child(const char *const *argv, int *status, Err *err) {
    fflush(NULL);
    pid_t pid = fork();
    if (pid < 0) return err_set(err, ERR_IO, NULL, "cannot start %s: %s", argv[0], strerror(errno));
    if (pid == 0) {
        execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    int how = 0;
    while (waitpid(pid, &how, 0) < 0 && errno == EINTR) {}
    if (WIFEXITED(how) && WEXITSTATUS(how) == 127) {
        err_set(err, ERR_NOT_FOUND, NULL, "cannot start %s", argv[0]);
        return err_hint(err, "install it, on Debian and Ubuntu: apt-get install %s", argv[0]);
    }
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
    if (WIFSIGNALED(how)) fprintf(stderr, "the process was ended by signal %d: run it with --gdb\n", WTERMSIG(how));
    return true;
}

int cli_run(int argc, char **argv) {
    Err err = {0};
    Args args = {0};
    Arena *a = arena_new();
    int status = 0;
    char *dir = NULL;
    bool ok = parse_args(argc, argv, &args, &err);
    if (ok && args.help) {
        print_usage(stdout);
    } else if (ok) {
        const char *home = NULL;
        ok = fs_check_readable(args.options.kernel_code_path, &err) && fs_check_readable(args.options.reference_path, &err) && (home = fs_home(a, &err)) &&
             (dir = fs_temp_dir(a, "opwright-run", &err)) && build(a, &args, dir, &status, &err) && run_child(command(a, &args, dir, home), &status, &err);
    }
    if (dir) fs_remove_tree(dir);
    if (!ok && !status) status = cli_report(&err);
    arena_free(a);
    return status;
}
