/* Direct-launch descriptions: whatever the text, files that stay below the job's folder, or an error. */
#include "desc/direct.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void check_path(const char *path) {
    if (path[0] == '/') __builtin_trap();
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n == 2 && p[0] == '.' && p[1] == '.') __builtin_trap();
        p += n + (p[n] == '/');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    Err err = {0};
    const char *text = arena_strndup(a, (const char *)data, n_bytes);
    (void)direct_is(text);
    DirectDesc *d = direct_parse(a, text, &err);
    if (!d && !err.message[0]) __builtin_trap();
    if (d) {
        size_t n = 0;
        for (size_t i = 0; i < d->n_sources; i++) check_path(d->sources[i].path);
        for (size_t i = 0; i < d->n_include_dirs; i++) check_path(d->include_dirs[i]);
        check_path(d->build_dir);
        (void)direct_check(a, d, NULL, &n);
    }
    arena_free(a);
    return 0;
}
