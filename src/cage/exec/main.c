/* opwright-cage: the inner wall. Starts a command under a system-call filter and limits, and watches how many processes it
 * has: RLIMIT_NPROC does not bind root, so in a process namespace, whose first process this is, they are counted.
 *   opwright-cage [--processes N] [--file-bytes N] [--memory-bytes N] [--cpu-s N] -- COMMAND [ARGS...]
 * Ends as the command ends (128 + signal for a signal); 97 when the cage cannot be set up, 98 after too many processes. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { EXIT_SETUP = 97, EXIT_PROCESSES = 98 };
#define LOOK_EVERY_NS 100000000 /* a tenth of a second */

static const char *const DENIED[] = {
#define DENY(name) #name,
#include "cage/deny.def"
#undef DENY
};

static int die(const char *what) {
    fprintf(stderr, "opwright-cage: %s: %s\n", what, strerror(errno));
    return EXIT_SETUP;
}

/* Answers `error` to a call whose argument number `arg` has `value` in the bits of `mask`. */
static bool add_rule(scmp_filter_ctx f, int error, int nr, unsigned arg, scmp_datum_t mask, scmp_datum_t value) {
    const struct scmp_arg_cmp test = {.arg = arg, .op = SCMP_CMP_MASKED_EQ, .datum_a = mask, .datum_b = value};
    return seccomp_rule_add_array(f, SCMP_ACT_ERRNO((unsigned)error), nr, 1, &test) == 0;
}

/* Sockets: connected pairs of the cage's own only. Any other, also a local one, could reach a service of the machine through
 * its file, which a read-only view does not keep from being connected to; so could a datagram from one of a pair. */
static bool add_socket_rules(scmp_filter_ctx f) {
    return seccomp_rule_add(f, SCMP_ACT_ERRNO(EACCES), SCMP_SYS(socket), 0) == 0 &&
           add_rule(f, EACCES, SCMP_SYS(socketpair), 1, 0xf, SOCK_DGRAM) &&
           add_rule(f, EACCES, SCMP_SYS(socketpair), 1, 0xf, SOCK_RAW);
}

/* What a program on the terminal we were started from may not do: type into it. */
static bool add_terminal_rules(scmp_filter_ctx f) {
    return add_rule(f, EPERM, SCMP_SYS(ioctl), 1, 0xffffffff, TIOCSTI) && add_rule(f, EPERM, SCMP_SYS(ioctl), 1, 0xffffffff, TIOCLINUX);
}

/* New namespaces would open ways around the rest. */
static bool load_filter(void) {
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ALLOW);
    if (!f) return false;
    bool ok = true;
    for (size_t i = 0; i < sizeof DENIED / sizeof DENIED[0]; i++) {
        int nr = seccomp_syscall_resolve_name(DENIED[i]);
        if (nr != __NR_SCMP_ERROR) ok = seccomp_rule_add(f, SCMP_ACT_ERRNO(EPERM), nr, 0) == 0 && ok;
    }
    ok = ok && add_socket_rules(f) && add_terminal_rules(f);
    const unsigned namespaces[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP};
    for (size_t i = 0; i < sizeof namespaces / sizeof namespaces[0]; i++)
        ok = ok && add_rule(f, EPERM, SCMP_SYS(clone), 0, namespaces[i], namespaces[i]);
    /* clone3 keeps its flags in memory, where a filter cannot look: the C library falls back to clone. */
    ok = ok && seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0;
    ok = ok && seccomp_load(f) == 0;
    seccomp_release(f);
    return ok;
}

static bool limit(__rlimit_resource_t what, rlim_t value) {
    struct rlimit r;
    if (getrlimit(what, &r) != 0) return false;
    if (r.rlim_max != RLIM_INFINITY && value > r.rlim_max) value = r.rlim_max;
    return setrlimit(what, &(struct rlimit){value, value}) == 0;
}

/* Root keeps one right beyond those of any user, to read files of others: it is the view that is read-only. Without this it
 * could make device files, and change the kernel's settings. */
static bool drop_capabilities(void) {
    for (unsigned long c = 0; c < 64; c++)
        if (c != CAP_DAC_READ_SEARCH) (void)prctl(PR_CAPBSET_DROP, c, 0, 0, 0); /* others than root may not, and need not */
    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};
    if (syscall(SYS_capget, &head, data) != 0) return false;
    data[0].permitted &= 1u << CAP_DAC_READ_SEARCH;
    data[0].effective &= 1u << CAP_DAC_READ_SEARCH;
    data[1].permitted = data[1].effective = data[0].inheritable = data[1].inheritable = 0;
    return syscall(SYS_capset, &head, data) == 0;
}

typedef struct Limits {
    rlim_t processes, file_bytes;
    rlim_t memory_bytes, cpu_s; /* 0: none */
} Limits;

static int run_command(char **argv, const Limits *l) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_FSIZE, l->file_bytes)) return die("limits");
    if (l->cpu_s && !limit(RLIMIT_CPU, l->cpu_s)) return die("limits");
    if (getuid() != 0 && l->processes < 4096) { /* counts every process and thread of the user: a wide margin */
        if (!limit(RLIMIT_NPROC, l->processes + 4096)) return die("limits");
    }
    if (!drop_capabilities()) return die("capabilities");
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || !load_filter()) return die("system-call filter");
    if (l->memory_bytes && !limit(RLIMIT_AS, l->memory_bytes)) return die("limits"); /* last: what is above may need more itself */
    execvp(argv[0], argv);
    fprintf(stderr, "opwright-cage: cannot start %s: %s\n", argv[0], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

/* Processes visible in /proc; in a process namespace those are the cage's. */
static unsigned long count_processes(void) {
    DIR *d = opendir("/proc");
    unsigned long n = 0;
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) n += isdigit((unsigned char)e->d_name[0]) != 0;
    closedir(d);
    return n;
}

static int watch(pid_t child, unsigned long processes) {
    bool own_namespace = getpid() == 1;
    for (int fd = 3; fd < 64; fd++) close(fd);            /* the command's pipes must end with the command */
    sigset_t chld;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    for (;;) {
        int status;
        pid_t done = waitpid(-1, &status, WNOHANG);
        if (done == child) return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (done > 0) continue;
        if (own_namespace && count_processes() > processes) {
            fprintf(stderr, "opwright-cage: more than %lu processes\n", processes);
            kill(-1, SIGKILL);
            return EXIT_PROCESSES;
        }
        sigtimedwait(&chld, NULL, &(struct timespec){.tv_nsec = LOOK_EVERY_NS});
    }
}

int main(int argc, char **argv) {
    Limits l = {.processes = 512, .file_bytes = 4ull << 30};
    static const struct option OPTIONS[] = {{"processes", required_argument, NULL, 'p'},
                                            {"file-bytes", required_argument, NULL, 'f'},
                                            {"memory-bytes", required_argument, NULL, 'm'},
                                            {"cpu-s", required_argument, NULL, 'c'},
                                            {0}};
    for (int c; (c = getopt_long(argc, argv, "+", OPTIONS, NULL)) != -1;) {
        rlim_t *to = c == 'p' ? &l.processes : c == 'f' ? &l.file_bytes : c == 'm' ? &l.memory_bytes : c == 'c' ? &l.cpu_s : NULL;
        if (!to) return EXIT_SETUP;
        *to = strtoull(optarg, NULL, 10);
    }
    if (optind >= argc) {
        fprintf(stderr, "usage: opwright-cage [--processes N] [--file-bytes N] [--memory-bytes N] [--cpu-s N] -- COMMAND [ARGS...]\n");
        return EXIT_SETUP;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_DUMPABLE, 0); /* we are outside the filter: those inside must not get at us through /proc */
    sigset_t chld, old;
    sigemptyset(&chld);
    sigaddset(&chld, SIGCHLD);
    sigprocmask(SIG_BLOCK, &chld, &old);
    pid_t child = fork();
    if (child < 0) return die("fork");
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &old, NULL);
        _exit(run_command(argv + optind, &l));
    }
    return watch(child, l.processes);
}
