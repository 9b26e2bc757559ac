/* Places, locks, reading and writing. */
#include "store/store.h"

#include "base/fs.h"
#include "base/sha256.h"
#include "store/json_text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#define OP_MAX_BYTES 200 /* a file name has 255: suffixes and the ending of a temporary file come behind */

const char *store_absolute(Arena *a, const char *path) {
    char cwd[PATH_MAX];
    return path[0] == '/' || !getcwd(cwd, sizeof cwd) ? path : arena_printf(a, "%s/%s", cwd, path);
}

const char *store_root(Arena *a, Err *err) {
    const char *root = getenv("ASCEND_SKILL_ROOT");
    if (root && *root) return store_absolute(a, root);
    const char *dir = fs_user_dir(a, "XDG_DATA_HOME", ".local/share");
    if (dir) return dir;
    err_set(err, ERR_USAGE, NULL,
            "there is no place to keep past work: ASCEND_SKILL_ROOT and HOME are not set");
    err_hint(err, "set ASCEND_SKILL_ROOT to the folder that holds reference/");
    return NULL;
}

bool store_check_op(const char *op, Err *err) {
    json_t *utf8 = json_string(op);
    size_t n = strlen(op);
    bool ok = utf8 && n > 0 && n <= OP_MAX_BYTES && op[0] != '.' && op[0] != '-' && !strpbrk(op, "/\\");
    for (size_t i = 0; i < n; i++) ok = ok && (unsigned char)op[i] >= 0x20 && op[i] != 0x7f;
    json_decref(utf8);
    if (ok) return true;
    err_set(err, ERR_BAD_INPUT, NULL, "`%s` cannot be an operator's name: it becomes the name of a file",
            utf8 ? op : "(not UTF-8)");
    return err_hint(err, "use letters, digits and underscores, at most %d bytes", OP_MAX_BYTES);
}

const char *store_stamp(Arena *a) {
    char stamp[32];
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return arena_strdup(a, stamp);
}

const char *store_hash(Arena *a, const void *data, size_t n_bytes) {
    Sha256 s;
    uint8_t digest[SHA256_BYTES];
    char *hex = arena_alloc(a, SHA256_HEX);
    sha256_init(&s);
    sha256_add(&s, data, n_bytes);
    sha256_final(&s, digest);
    sha256_hex(digest, hex);
    return hex;
}

const char *store_hash16(Arena *a, const void *data, size_t n_bytes) {
    return arena_strndup(a, store_hash(a, data, n_bytes), 16);
}

const char *store_dir_of(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/');
    return !slash ? "." : slash == path ? "/" : arena_strndup(a, path, (size_t)(slash - path));
}

int store_lock(const char *lock_path, Err *err) {
    Arena *a = arena_new();
    int fd = -1;
    if (fs_make_dirs(store_dir_of(a, lock_path), err)) {
        fd = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (fd < 0) err_set(err, ERR_IO, lock_path, "cannot make the lock file: %s", strerror(errno));
    }
    arena_free(a);
    int locked = fd < 0;
    while (fd >= 0 && (locked = flock(fd, LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (fd >= 0 && locked != 0) {
        err_set(err, ERR_IO, lock_path, "cannot lock: %s", strerror(errno));
        close(fd);
        return -1;
    }
    return fd;
}

void store_unlock(int fd) {
    if (fd >= 0) close(fd);
}

json_t *store_parse_json(const char *path, const char *text, size_t n_bytes, Err *err) {
    json_error_t e;
    json_t *o = json_loadb(text, n_bytes, JSON_DECODE_ANY, &e);
    if (o) return o;
    const char *why = n_bytes == 0 ? "the file is empty" : e.text;
    err_set(err, ERR_BAD_INPUT, path, "is not JSON: line %d: %s; it was left as it is",
            e.line > 0 ? e.line : 1, why);
    return NULL;
}

bool store_read_json(Arena *a, const char *path, json_t **out, Err *err) {
    *out = NULL;
    if (!fs_exists(path)) return true;
    size_t n = 0;
    const char *text = fs_read(a, path, &n, err);
    if (text) *out = store_parse_json(path, text, n, err);
    return *out != NULL;
}

bool store_write_json(Arena *a, const char *path, const json_t *o, int n_indent, Err *err) {
    const char *text = json_text_print(a, o, n_indent, 0);
    return fs_make_dirs(store_dir_of(a, path), err) && fs_write(path, text, strlen(text), err);
}

const char *store_keep_aside(Arena *a, const char *path, const char *bytes, size_t n_bytes, Err *err) {
    const char *aside = arena_printf(a, "%s.broken-%s", path, store_hash16(a, bytes, n_bytes));
    return fs_exists(aside) || fs_write(aside, bytes, n_bytes, err) ? aside : NULL;
}
