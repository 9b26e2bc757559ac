/* traj.json: every verification of a piece of work, in order. Writers take turns by a lock file beside it,
 * because the file itself is replaced at each write. */
#include "server/client.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

static json_t *load_list(const char *path, Err *err) {
    json_error_t e;
    if (!fs_exists(path)) return json_array();
    json_t *list = json_load_file(path, 0, &e);
    if (json_is_array(list)) return list;
    if (list) err_set(err, ERR_BAD_INPUT, path, "is not a list of records; it was left as it is");
    else err_set(err, ERR_BAD_INPUT, path, "is not JSON: %s (line %d); it was left as it is", e.text, e.line);
    json_decref(list);
    return NULL;
}

static bool append(const char *path, const char *code, const json_t *result, Err *err) {
    json_t *list = load_list(path, err);
    if (!list) return false;
    char stamp[32];
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &tm);
    json_t *text = json_string(code);
    json_array_append_new(list, json_pack("{s:I, s:s, s:o, s:O}", "idx", (json_int_t)json_array_size(list),
                                          "timestamp", stamp, "code", text ? text : json_string(""), "result",
                                          result));
    char *out = json_dumps(list, JSON_INDENT(2));
    bool ok = out ? fs_write(path, out, strlen(out), err)
                  : err_set(err, ERR_INTERNAL, path, "cannot be written as JSON");
    free(out);
    json_decref(list);
    return ok;
}

bool traj_append(Arena *a, const char *path, const char *code, const json_t *result, Err *err) {
    const char *lock = arena_printf(a, "%s.lock", path);
    int fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return err_set(err, ERR_IO, path, "cannot write %s: %s", lock, strerror(errno));
    int locked;
    while ((locked = flock(fd, LOCK_EX)) != 0 && errno == EINTR) {
    }
    bool ok = locked == 0 ? append(path, code, result, err)
                          : err_set(err, ERR_IO, path, "cannot lock %s: %s", lock, strerror(errno));
    close(fd);
    return ok;
}
