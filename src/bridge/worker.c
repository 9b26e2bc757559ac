/* The worker process: spawn, pipes, deadlines, and what is known when it dies. */
#include "bridge/worker.h"

#include "base/cleanup.h"
#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_REQUEST_FD 3
#define CHILD_REPLY_FD   4
#define FIRST_FREE_FD                                                                                        \
    10 /* ours stay above the child's numbers, so that placing one cannot overwrite another */
#define REPLY_PIPE_BYTES (1 << 20)

extern char **environ;

/* ---- start
 * -------------------------------------------------------------------------------------------------------- */

static void close_if(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

/* Moves fd out of the way of the child's numbers; -1 stays -1. */
static int lift(int fd) {
    if (fd < 0) return -1;
    int up = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE_FD);
    close(fd);
    return up;
}

static int spawn(pid_t *pid, const char *const *argv, int request_fd, int reply_fd, int log_fd) {
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&fa, log_fd, 1);
    posix_spawn_file_actions_adddup2(&fa, log_fd, 2);
    posix_spawn_file_actions_adddup2(&fa, request_fd, CHILD_REQUEST_FD);
    posix_spawn_file_actions_adddup2(&fa, reply_fd, CHILD_REPLY_FD);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attr, 0);
    union { /* posix_spawnp takes char *const *, but does not write */
        const char *const *in;
        char *const *out;
    } args = {.in = argv};
    int rc = posix_spawnp(pid, argv[0], &fa, &attr, args.out, environ);
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&attr);
    return rc;
}

/* Inside the cage a missing interpreter would only be an odd exit status. */
static bool has_program(const char *name) {
    if (strchr(name, '/')) return access(name, X_OK) == 0;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/bin:/bin"; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        char file[4096];
        int n = snprintf(file, sizeof file, "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0) return true;
    }
    return false;
}

bool worker_start(Worker *w, const char *const *argv, const char *python, Err *err) {
    /* Requests go through a socket: writing to a worker that died must be an error, not SIGPIPE. */
    int request[2] = {-1, -1}, reply[2] = {-1, -1}, log_fd = -1;
    *w = (Worker){.request_fd = -1, .reply_fd = -1, .log_fd = -1};
    bool ok = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, request) == 0 &&
              pipe2(reply, O_CLOEXEC) == 0 &&
              (log_fd = memfd_create("opwright-worker-log", MFD_CLOEXEC)) >= 0;
    if (ok) {
        for (int i = 0; i < 2; i++) request[i] = lift(request[i]), reply[i] = lift(reply[i]);
        log_fd = lift(log_fd);
        ok = request[0] >= 0 && request[1] >= 0 && reply[0] >= 0 && reply[1] >= 0 && log_fd >= 0;
    }
    if (!ok) {
        err_set(err, ERR_IO, NULL, "cannot make a pipe to the Python worker: %s", strerror(errno));
        goto done;
    }
    (void)fcntl(reply[0], F_SETPIPE_SZ, REPLY_PIPE_BYTES); /* speed only */
    int rc = has_program(python) ? spawn(&w->pid, argv, request[1], reply[1], log_fd) : ENOENT;
    ok = rc == 0;
    if (!ok) {
        w->pid = 0;
        err_set(err, rc == ENOENT || rc == EACCES ? ERR_NO_PYTHON : ERR_IO, NULL,
                "cannot start Python as %s: %s", python, strerror(rc));
        err_hint(err, "install Python 3.9 or newer with PyTorch, or set OPWRIGHT_PYTHON to its interpreter");
        goto done;
    }
    cleanup_add_group(w->pid);
    w->request_fd = request[0], w->reply_fd = reply[0], w->log_fd = log_fd;
    request[0] = reply[0] = log_fd = -1;
done:
    for (int i = 0; i < 2; i++) close_if(&request[i]), close_if(&reply[i]);
    close_if(&log_fd);
    return ok;
}

bool worker_is_up(const Worker *w) {
    return w->pid > 0;
}

void worker_stop(Worker *w) {
    if (w->pid <= 0) return;
    kill(-w->pid, SIGKILL); /* it has nothing to save, and its children die with it */
    kill(w->pid, SIGKILL);
    cleanup_drop_group(w->pid); /* not after it is reaped: its number may belong to another by then */
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    w->pid = 0;
    close_if(&w->request_fd);
    close_if(&w->reply_fd);
    close_if(&w->log_fd);
}

/* ---- bytes
 * -------------------------------------------------------------------------------------------------------- */

/* Last complete lines of what the worker printed itself, on one line; empty when nothing. */
static void log_tail(const Worker *w, char *out, size_t cap) {
    off_t end = lseek(w->log_fd, 0, SEEK_END);
    off_t from = end > (off_t)cap - 1 ? end - ((off_t)cap - 1) : 0;
    ssize_t n = end > 0 ? pread(w->log_fd, out, (size_t)(end - from), from) : 0;
    out[n > 0 ? n : 0] = '\0';
    while (n > 0 && out[n - 1] == '\n') out[--n] = '\0';
    for (char *p = out; *p; p++)
        if (*p == '\n') *p = ' ';
}

static bool died(Worker *w, Err *err) {
    siginfo_t info = {0};
    for (double until = time_now_s() + 1.0;
         time_now_s() < until;) { /* its pipe closes a moment before it is gone */
        if (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == w->pid)
            break;
        poll(NULL, 0, 5);
    }
    char how[64] = "stopped answering", tail[800];
    bool exited = info.si_pid == w->pid && info.si_code == CLD_EXITED;
    if (exited && info.si_status > 128) /* the cage passes a signal on like a shell */
        snprintf(how, sizeof how, "was killed by signal %d", info.si_status - 128);
    else if (exited) snprintf(how, sizeof how, "ended with exit status %d", info.si_status);
    else if (info.si_pid == w->pid) snprintf(how, sizeof how, "was killed by signal %d", info.si_status);
    log_tail(w, tail, sizeof tail);
    return err_set(err, ERR_CHILD_DIED, NULL, "the Python worker %s%s%s", how, *tail ? ": " : "", tail);
}

/* Waits for an event; false with *err past the deadline. */
static bool wait_for(int fd, short events, double deadline_s, Err *err) {
    for (;;) {
        double left_s = deadline_s - time_now_s();
        if (left_s <= 0) return err_set(err, ERR_TIMEOUT, NULL, "the Python worker does not answer");
        struct pollfd p = {.fd = fd, .events = events};
        int ready = poll(&p, 1, left_s > 3600 ? 3600 * 1000 : (int)(left_s * 1000.0) + 1);
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR)
            return err_set(err, ERR_IO, NULL, "cannot wait for the Python worker: %s", strerror(errno));
    }
}

bool worker_write(Worker *w, const void *data, size_t n_bytes, double deadline_s, Err *err) {
    const char *at = data;
    while (n_bytes > 0) {
        ssize_t n = send(w->request_fd, at, n_bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0) {
            at += n;
            n_bytes -= (size_t)n;
        } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_for(w->request_fd, POLLOUT, deadline_s, err)) return false;
        } else if (n == 0 || errno != EINTR) {
            return died(w, err);
        }
    }
    return true;
}

bool worker_read(Worker *w, void *data, size_t n_bytes, double deadline_s, Err *err) {
    char *at = data;
    while (n_bytes > 0) {
        if (!wait_for(w->reply_fd, POLLIN, deadline_s, err)) return false;
        ssize_t n = read(w->reply_fd, at, n_bytes);
        if (n > 0) {
            at += n;
            n_bytes -= (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            return died(w, err);
        }
    }
    return true;
}
