/* Confinement: the path is resolved first (symlinks inside the root are fine), then opened by a call that
 * follows none, so that nothing can be swapped in between. */
#include "server/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool source_root_open(Arena *a, const char *path, SourceRoot *root, Err *err) {
    *root = (SourceRoot){.fd = -1};
    if (!path) return true;
    char real[PATH_MAX];
    if (realpath(path, real)) root->fd = open(real, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root->fd < 0) return err_set(err, ERR_USAGE, NULL, "--root %s: %s", path, strerror(errno));
    root->path = arena_strdup(a, real);
    return true;
}

const char *source_absolute(Arena *a, const SourceRoot *root, const char *path) {
    if (path[0] == '/') return path;
    char cwd[PATH_MAX];
    return arena_printf(a, "%s/%s", root->path ? root->path : getcwd(cwd, sizeof cwd) ? cwd : "", path);
}

/* Opens rest (relative, resolved) below dir without following anything. */
static int open_beneath(int dir, const char *rest) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK,
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
    long fd = syscall(SYS_openat2, dir, rest, &how, sizeof how);
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return (int)fd;
    /* An older kernel: one folder at a time. */
    char part[NAME_MAX + 1];
    int at = fcntl(dir, F_DUPFD_CLOEXEC, 0);
    for (const char *s = rest; at >= 0; s++) {
        size_t n = strcspn(s, "/");
        bool last = !s[n];
        if (n == 0 || n > NAME_MAX) break;
        memcpy(part, s, n);
        part[n] = '\0';
        int next =
            openat(at, part, O_NOFOLLOW | O_CLOEXEC | (last ? O_RDONLY | O_NONBLOCK : O_PATH | O_DIRECTORY));
        close(at);
        if (last || next < 0) return next;
        at = next;
        s += n;
    }
    if (at >= 0) close(at);
    return -1;
}

static int open_source(Arena *a, const SourceRoot *root, const char *path) {
    const char *absolute = source_absolute(a, root, path);
    if (!root->path) return open(absolute, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char real[PATH_MAX];
    if (!realpath(absolute, real)) return -1;
    size_t n = strcmp(root->path, "/") != 0 ? strlen(root->path) : 0;
    if (strncmp(real, root->path, n) != 0 || real[n] != '/' || !real[n + 1]) return -1;
    return open_beneath(root->fd, real + n + 1);
}

static char *read_all(Arena *a, int fd, size_t n_bytes) {
    char *text = arena_alloc(a, n_bytes + 1);
    for (size_t at = 0; at < n_bytes;) {
        ssize_t k = read(fd, text + at, n_bytes - at);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return NULL;
        if (k == 0) break;
        at += (size_t)k;
    }
    return text;
}

char *source_read(Arena *a, const SourceRoot *root, const char *path, Err *err) {
    int fd = open_source(a, root, path);
    struct stat st;
    char *text = NULL;
    if (fd < 0 || fstat(fd, &st) != 0) {
        err_set(err, ERR_NOT_FOUND, NULL,
                root->path ? "%s is not a file under the service's root" : "cannot read %s: %s", path,
                strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        err_set(err, ERR_BAD_INPUT, NULL, "%s is not a file", path);
    } else if (st.st_size > (off_t)SOURCE_MAX_BYTES) {
        err_set(err, ERR_BAD_INPUT, NULL, "%s has %lld bytes; at most %u are taken", path,
                (long long)st.st_size, SOURCE_MAX_BYTES);
    } else if (!(text = read_all(a, fd, (size_t)st.st_size))) {
        err_set(err, ERR_IO, NULL, "cannot read %s: %s", path, strerror(errno));
    }
    if (fd >= 0) close(fd);
    return text;
}
