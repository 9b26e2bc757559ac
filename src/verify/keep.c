/* A build that stays: the libraries of a description, and what it takes to call the operator without building it again. */
#include "base/fs.h"
#include "base/sha256.h"
#include "verify/verify_int.h"

#include <stdlib.h>
#include <string.h>

static bool copy(Arena *a, const char *from, const char *dir, const char *name, Err *err) {
    size_t n_bytes;
    char *data = fs_read(a, from, &n_bytes, err);
    return data && fs_write(arena_printf(a, "%s/%s", dir, name), data, n_bytes, err);
}

/* Of the file as it is: who calls the libraries later can see whether it was edited since. */
static bool hash_of_file(Arena *a, const char *path, char hex[SHA256_HEX], Err *err) {
    size_t n_bytes;
    const char *text = fs_read(a, path, &n_bytes, err);
    if (!text) return false;
    Sha256 s;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&s);
    sha256_add(&s, text, n_bytes);
    sha256_final(&s, digest);
    sha256_hex(digest, hex);
    return true;
}

bool build_keep(Arena *a, const Build *b, const Toolchain *t, const Desc *d, const char *chip, const char *dir, Err *err) {
    char hex[SHA256_HEX];
    const char *home = fs_home(a, err);
    if (!home || !hash_of_file(a, d->path, hex, err)) return false;
    json_t *kernels = json_array();
    bool ok = copy(a, b->host_so, dir, "host.so", err) && copy(a, b->binding_so, dir, "binding.so", err);
    for (size_t i = 0; i < b->n_kernels && ok; i++) {
        const char *name = arena_printf(a, "kernel_%zu.so", i);
        if (b->kernel_sos[i]) ok = copy(a, b->kernel_sos[i], dir, name, err);
        json_array_append_new(kernels, b->kernel_sos[i] ? json_string(name) : json_null());
    }
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o}", "home", home, "runtime", t->rt_lib, "chip", chip, "kernel_name", d->kernel_name,
                          "description_sha256", hex, "host_so", "host.so", "binding_so", "binding.so", "kernel_sos", kernels);
    char *text = o ? json_dumps(o, JSON_INDENT(2)) : NULL;
    if (ok && !text) ok = err_set(err, ERR_INTERNAL, dir, "the parameters of the build cannot be written as JSON");
    if (ok) ok = fs_write(arena_printf(a, "%s/build.json", dir), text, strlen(text), err);
    free(text);
    json_decref(o);
    return ok;
}
