/* Files, folders and child processes. */
#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROC_OUTPUT_MAX (1u << 20)

extern char **environ;

double time_now_s(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool fs_exists(const char *path) { return access(path, F_OK) == 0; }

char *fs_read(Arena *a, const char *path, size_t *n_bytes, Err *err) {
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, path, "cannot read %s: %s", path, strerror(errno));
        goto done;
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_BAD_INPUT, path, "%s is not a file", path);
        goto done;
    }
    size_t cap = (size_t)st.st_size, n = 0;
    char *buf = arena_alloc(a, cap + 1);
    while (n < cap) {
        ssize_t k = read(fd, buf + n, cap - n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            err_set(err, ERR_IO, path, "cannot read %s: %s", path, strerror(errno));
            goto done;
        }
        if (k == 0) break;
        n += (size_t)k;
    }
    if (n_bytes) *n_bytes = n;
    text = buf;
done:
    if (fd >= 0) close(fd);
    return text;
}

static bool write_all(int fd, const char *data, size_t n) {
    while (n > 0) {
        ssize_t k = write(fd, data, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        data += k;
        n -= (size_t)k;
    }
    return true;
}

bool fs_write(const char *path, const void *data, size_t n_bytes, Err *err) {
    char tmp[PATH_MAX];
    int len = snprintf(tmp, sizeof tmp, "%s.tmp.XXXXXX", path);
    if (len < 0 || (size_t)len >= sizeof tmp) return err_set(err, ERR_IO, path, "path too long: %s", path);
    int fd = mkostemp(tmp, O_CLOEXEC);
    if (fd < 0) return err_set(err, ERR_IO, path, "cannot write %s: %s", path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    bool ok = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, data, n_bytes) && fsync(fd) == 0;
    int saved = errno;
    ok = close(fd) == 0 && ok;
    if (ok && rename(tmp, path) == 0) return true;
    if (ok) saved = errno;
    unlink(tmp);
    return err_set(err, ERR_IO, path, "cannot write %s: %s", path, strerror(saved));
}

bool fs_make_dirs(const char *path, Err *err) {
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part) return err_set(err, ERR_IO, path, "path too long: %s", path);
    memcpy(part, path, n + 1);
    for (char *s = part + 1; n > 0; s++) {
        char c = *s;
        if (c && c != '/') continue;
        *s = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return err_set(err, ERR_IO, path, "cannot make the folder %s: %s", part, strerror(errno));
        *s = c;
        if (!c) break;
    }
    return true;
}

char *fs_temp_dir(Arena *a, const char *prefix, Err *err) {
    const char *base = getenv("TMPDIR");
    return fs_temp_dir_in(a, base && *base ? base : "/tmp", prefix, err);
}

char *fs_temp_dir_in(Arena *a, const char *parent, const char *prefix, Err *err) {
    char *path = arena_printf(a, "%s/%s.XXXXXX", parent, prefix);
    if (mkdtemp(path)) return path;
    err_set(err, ERR_IO, path, "cannot make a temporary folder %s: %s", path, strerror(errno));
    return NULL;
}

static void remove_at(int parent_fd, const char *name) {
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        if (fd >= 0) close(fd);
        unlinkat(parent_fd, name, 0);
        return;
    }
    for (struct dirent *e; (e = readdir(d));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) remove_at(dirfd(d), e->d_name);
    closedir(d);
    unlinkat(parent_fd, name, AT_REMOVEDIR);
}

void fs_remove_tree(const char *path) { remove_at(AT_FDCWD, path); }

const char *fs_home(Arena *a, Err *err) {
    const char *home = getenv("OPWRIGHT_HOME");
    if (home && *home) return arena_strdup(a, home);
    char exe[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n > 0) {
        exe[n] = '\0';
        static const char *const UP[] = {"/..", "/../share/opwright", "/../.."};
        char *slash = strrchr(exe, '/');
        if (slash) *slash = '\0';
        for (size_t i = 0; i < sizeof UP / sizeof UP[0]; i++) {
            char *dir = arena_printf(a, "%s%s", exe, UP[i]);
            char real[PATH_MAX];
            if (fs_exists(arena_printf(a, "%s/bridge/worker.py", dir)) && realpath(dir, real)) return arena_strdup(a, real);
        }
    }
    err_set(err, ERR_NOT_FOUND, NULL, "cannot find opwright's own files (device/, hostapi/, bridge/)");
    err_hint(err, "set OPWRIGHT_HOME to the folder that holds them");
    return NULL;
}

bool proc_start(Proc *p, const char *const *argv, const char *cwd, Err *err) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0) return err_set(err, ERR_IO, NULL, "cannot make a pipe: %s", strerror(errno));
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&fa, fds[1], 1);
    posix_spawn_file_actions_adddup2(&fa, fds[1], 2);
    if (cwd) posix_spawn_file_actions_addchdir_np(&fa, cwd);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attr, 0);
    union { /* posix_spawnp takes char *const *, but does not write */
        const char *const *in;
        char *const *out;
    } args = {.in = argv};
    int rc = posix_spawnp(&p->pid, argv[0], &fa, &attr, args.out, environ);
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&attr);
    close(fds[1]);
    if (rc != 0) {
        close(fds[0]);
        return err_set(err, rc == ENOENT ? ERR_NOT_FOUND : ERR_IO, NULL, "cannot start %s: %s", argv[0], strerror(rc));
    }
    p->out_fd = fds[0];
    return true;
}

bool proc_wait(Proc *p, Arena *a, double limit_s, ProcResult *r, Err *err) {
    double start = time_now_s();
    char *buf = malloc(PROC_OUTPUT_MAX + 1);
    if (!buf) abort();
    size_t n = 0;
    *r = (ProcResult){0};
    for (;;) {
        double left = limit_s - (time_now_s() - start);
        struct pollfd pfd = {.fd = p->out_fd, .events = POLLIN};
        int ready = left > 0 ? poll(&pfd, 1, (int)(left * 1000.0) + 1) : 0;
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) {
            r->timed_out = true;
            kill(-p->pid, SIGKILL);
            break;
        }
        char sink[4096];
        ssize_t k = n < PROC_OUTPUT_MAX ? read(p->out_fd, buf + n, PROC_OUTPUT_MAX - n) : read(p->out_fd, sink, sizeof sink);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) break;
        if (n < PROC_OUTPUT_MAX) n += (size_t)k;
    }
    close(p->out_fd);
    int status = 0;
    while (waitpid(p->pid, &status, 0) < 0) {
        if (errno == EINTR) continue;
        free(buf);
        return err_set(err, ERR_IO, NULL, "cannot wait for a child process: %s", strerror(errno));
    }
    r->output = arena_strndup(a, buf, n);
    free(buf);
    r->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    r->signal_no = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    r->wall_s = time_now_s() - start;
    return true;
}
