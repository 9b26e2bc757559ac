/* Files, folders and child processes. */
#include "base/fs.h"

#include "base/cleanup.h"

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
#include <sys/syscall.h>
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

bool fs_exists(const char *path) {
    return access(path, F_OK) == 0;
}

char *fs_read(Arena *a, const char *path, size_t *n_bytes, Err *err) {
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, path, "cannot read the file: %s",
                strerror(errno));
        goto done;
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_BAD_INPUT, path, "this is not a regular file");
        goto done;
    }
    size_t cap = (size_t)st.st_size, n = 0;
    char *buf = arena_alloc(a, cap + 1);
    while (n < cap) {
        ssize_t k = read(fd, buf + n, cap - n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) {
            err_set(err, ERR_IO, path, "cannot read the file: %s", strerror(errno));
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

/* Writes the data into a new file beside `path` and flushes it; `tmp` takes its name. Nothing is left after a
 * failure. */
static bool write_beside(const char *path, const void *data, size_t n_bytes, char tmp[PATH_MAX], Err *err) {
    int len = snprintf(tmp, PATH_MAX, "%s.tmp.XXXXXX", path);
    if (len < 0 || len >= PATH_MAX) return err_set(err, ERR_IO, path, "the path is too long");
    int fd = mkostemp(tmp, O_CLOEXEC);
    if (fd < 0) return err_set(err, ERR_IO, path, "cannot write the file: %s", strerror(errno));
    cleanup_add_path(tmp);
    mode_t mask = umask(0);
    umask(mask);
    bool ok = fchmod(fd, 0666 & ~mask) == 0 && write_all(fd, data, n_bytes) && fsync(fd) == 0;
    int saved = errno;
    ok = close(fd) == 0 && ok;
    if (ok) return true;
    unlink(tmp);
    cleanup_drop_path(tmp);
    return err_set(err, ERR_IO, path, "cannot write the file: %s", strerror(saved));
}

bool fs_write(const char *path, const void *data, size_t n_bytes, Err *err) {
    return fs_write_set(&(FsFile){.path = path, .data = data, .n_bytes = n_bytes}, 1, err);
}

bool fs_write_set(const FsFile *files, size_t n, Err *err) {
    if (n > FS_SET_MAX) return err_set(err, ERR_INTERNAL, NULL, "too many files to write at once");
    char(*tmp)[PATH_MAX] = malloc(n * sizeof *tmp);
    if (n && !tmp) abort();
    size_t n_staged = 0, n_done = 0;
    while (n_staged < n && write_beside(files[n_staged].path, files[n_staged].data, files[n_staged].n_bytes,
                                        tmp[n_staged], err))
        n_staged++;
    bool ok = n_staged == n;
    for (; ok && n_done < n; n_done += ok) {
        ok = rename(tmp[n_done], files[n_done].path) == 0;
        if (!ok) err_set(err, ERR_IO, files[n_done].path, "cannot write the file: %s", strerror(errno));
    }
    for (size_t i = 0; i < n_staged; i++) {
        if (i >= n_done) unlink(tmp[i]);
        cleanup_drop_path(tmp[i]);
    }
    free(tmp);
    return ok;
}

bool fs_check_readable(const char *path, Err *err) {
    struct stat st;
    if (stat(path, &st) != 0)
        return err_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, path, "%s",
                       errno == ENOENT ? "there is no such file" : strerror(errno));
    if (S_ISDIR(st.st_mode)) return err_set(err, ERR_BAD_INPUT, path, "this is a folder; a file is wanted");
    if (!S_ISREG(st.st_mode)) return err_set(err, ERR_BAD_INPUT, path, "this is not a regular file");
    if (access(path, R_OK) != 0)
        return err_set(err, ERR_IO, path, "the file cannot be read: %s", strerror(errno));
    return true;
}

bool fs_check_writable_dir(const char *path, Err *err) {
    char at[PATH_MAX];
    struct stat st;
    size_t n = strlen(path);
    if (n >= sizeof at) return err_set(err, ERR_IO, path, "the path is too long");
    memcpy(at, path, n + 1);
    while (stat(at, &st) != 0) { /* up to the nearest folder that is there */
        if (errno != ENOENT)
            return err_set(err, ERR_IO, path, "the folder cannot be used: %s", strerror(errno));
        char *slash = strrchr(at, '/');
        if (slash == at) at[1] = '\0';
        else if (slash) *slash = '\0';
        else memcpy(at, ".", 2);
    }
    if (!S_ISDIR(st.st_mode)) return err_set(err, ERR_BAD_INPUT, at, "this is a file; a folder is wanted");
    if (access(at, W_OK | X_OK) == 0) return true;
    return err_set(err, ERR_IO, at, "the folder cannot be written to: %s", strerror(errno));
}

bool fs_make_dirs(const char *path, Err *err) {
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part) return err_set(err, ERR_IO, path, "the path is too long");
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
    if (mkdtemp(path)) {
        cleanup_add_path(path);
        return path;
    }
    err_set(err, ERR_IO, parent, "cannot make a temporary folder here: %s", strerror(errno));
    err_hint(err, "set TMPDIR to a folder that can be written to and has room");
    return NULL;
}

struct linux_dirent64 { /* what getdents64 fills in; the C library's readdir may not be called in a signal
                           handler */
    uint64_t d_ino;
    int64_t d_off;
    uint16_t d_reclen;
    uint8_t d_type;
    char d_name[];
};

/* A folder that its owner may not read; -1 when it is none. */
static int open_closed(int parent_fd, const char *name) {
    int at = openat(parent_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), fd = -1;
    if (at < 0) return -1;
    char path[32] = "/proc/self/fd/", *end = path + 14; /* fchmod does not take such a descriptor */
    int digits = 1;
    for (int n = at; n >= 10; n /= 10) digits++;
    for (int n = at, i = digits; i > 0; n /= 10) end[--i] = (char)('0' + n % 10);
    end[digits] = '\0';
    if (chmod(path, 0700) == 0) fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close(at);
    return fd;
}

/* System calls only (cleanup.h). Foreign code may have taken the rights of its folders away. True when the name is gone. */
static bool remove_at(int parent_fd, const char *name) {
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 && errno == EACCES) fd = open_closed(parent_fd, name);
    if (fd < 0) return unlinkat(parent_fd, name, 0) == 0;
    (void)fchmod(fd, 0700);
    bool removed_some = true;
    while (removed_some) { /* what is removed while a folder is read may hide its neighbours: read again */
        removed_some = false;
        lseek(fd, 0, SEEK_SET);
        _Alignas(struct linux_dirent64) char buf[2048];
        for (long n; (n = syscall(SYS_getdents64, fd, buf, sizeof buf)) > 0;)
            for (long at = 0; at < n;) {
                const struct linux_dirent64 *e = (const void *)(buf + at);
                at += e->d_reclen;
                if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
                    removed_some |= remove_at(fd, e->d_name);
            }
    }
    close(fd);
    return unlinkat(parent_fd, name, AT_REMOVEDIR) == 0;
}

void fs_remove_tree(const char *path) {
    remove_at(AT_FDCWD, path);
    cleanup_drop_path(path);
}

const char *fs_user_dir(Arena *a, const char *variable, const char *fallback) {
    const char *dir = getenv(variable), *home = getenv("HOME");
    if (dir && dir[0] == '/') return arena_printf(a, "%s/opwright", dir);
    return home && home[0] == '/' ? arena_printf(a, "%s/%s/opwright", home, fallback) : NULL;
}

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
            if (fs_exists(arena_printf(a, "%s/bridge/worker.py", dir)) && realpath(dir, real))
                return arena_strdup(a, real);
        }
    }
    err_set(err, ERR_NOT_FOUND, NULL, "cannot find opwright's own files (device/, hostapi/, bridge/)");
    err_hint(err, "set OPWRIGHT_HOME to the folder that holds them");
    return NULL;
}

bool proc_start(Proc *p, const char *const *argv, const char *cwd, Err *err) {
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return err_set(err, ERR_IO, NULL, "cannot make a pipe: %s", strerror(errno));
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
        return err_set(err, rc == ENOENT ? ERR_NOT_FOUND : ERR_IO, NULL, "cannot start %s: %s", argv[0],
                       strerror(rc));
    }
    p->out_fd = fds[0];
    cleanup_add_group(p->pid);
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
        ssize_t k = n < PROC_OUTPUT_MAX ? read(p->out_fd, buf + n, PROC_OUTPUT_MAX - n)
                                        : read(p->out_fd, sink, sizeof sink);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) break;
        if (n < PROC_OUTPUT_MAX) n += (size_t)k;
    }
    close(p->out_fd);
    cleanup_drop_group(p->pid); /* not after it is reaped: its number may belong to another by then */
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
