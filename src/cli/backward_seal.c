/* What seals a workspace: files that must not change while the operator runs, and the code and thresholds that judge it. */
#include "base/fs.h"
#include "base/sha256.h"
#include "cli/backward_int.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static bool add_file(Arena *a, Sha256 *s, const char *path) {
    size_t n_bytes;
    Err ignored = {0};
    const char *data = fs_read(a, path, &n_bytes, &ignored);
    if (data) sha256_add(s, data, n_bytes);
    return data != NULL;
}

static const char *finish(Arena *a, Sha256 *s) {
    uint8_t digest[SHA256_BYTES];
    char *hex = arena_alloc(a, SHA256_HEX);
    sha256_final(s, digest);
    sha256_hex(digest, hex);
    return hex;
}

/* Of one file; "" when it is not there. */
static const char *hash_of(Arena *a, const char *path) {
    Sha256 s;
    sha256_init(&s);
    return add_file(a, &s, path) ? finish(a, &s) : "";
}

void backward_watch(Arena *a, BackwardJob *job) {
    const char *const names[BACKWARD_N_WATCHED] = {arena_printf(a, "%s/forward_spec.py", job->workspace), arena_printf(a, "%s/backward_ref.json", job->workspace),
                                                   backward_path(a, job, "model.py"), backward_path(a, job, arena_printf(a, "%s.ascendc.py", job->name))};
    for (size_t i = 0; i < BACKWARD_N_WATCHED; i++) job->watched[i] = (BackwardFile){names[i], hash_of(a, names[i])};
}

const char *backward_changed(Arena *a, const BackwardJob *job) {
    for (size_t i = 0; i < BACKWARD_N_WATCHED; i++)
        if (strcmp(hash_of(a, job->watched[i].path), job->watched[i].hash) != 0) return job->watched[i].path;
    return NULL;
}

static int by_name(const struct dirent **x, const struct dirent **y) {
    return strcmp((*x)->d_name, (*y)->d_name);
}

static int is_python(const struct dirent *d) {
    const char *dot = strrchr(d->d_name, '.');
    return dot && !strcmp(dot, ".py");
}

const char *backward_verifier(Arena *a, Err *err) {
    const char *home = fs_home(a, err);
    if (!home) return NULL;
    Sha256 s;
    sha256_init(&s);
    add_file(a, &s, "/proc/self/exe"); /* holds the thresholds */
    const char *bridge = arena_printf(a, "%s/bridge", home);
    struct dirent **list = NULL;
    int n = scandir(bridge, &list, is_python, by_name);
    for (int i = 0; i < n; i++) {
        add_file(a, &s, arena_printf(a, "%s/%s", bridge, list[i]->d_name));
        free(list[i]);
    }
    free(list);
    return finish(a, &s);
}
