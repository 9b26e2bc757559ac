/* What decides a result, as one digest: the sources, the options, the chip, and opwright itself. */
#include "server/service.h"

#include "base/fs.h"
#include "verify/verify.h"

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_file(Sha256 *h, const char *path, const struct stat *st) {
    char text[96];
    snprintf(text, sizeof text, "%lld %lld.%09ld", (long long)st->st_size, (long long)st->st_mtim.tv_sec,
             st->st_mtim.tv_nsec);
    sha256_add_field(h, path);
    sha256_add_field(h, text);
}

/* nftw has no context argument; used by one thread at start only. */
static uint8_t tree_sum[SHA256_BYTES];

/* Added up without order, because the order of a folder's entries is not fixed. */
static int add_entry(const char *path, const struct stat *st, int type, struct FTW *ftw) {
    (void)ftw;
    size_t n = strlen(path);
    if (type != FTW_F || (n > 4 && !strcmp(path + n - 4, ".pyc"))) return 0;
    Sha256 h;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&h);
    add_file(&h, path, st);
    sha256_final(&h, digest);
    for (int i = 0; i < SHA256_BYTES; i++) tree_sum[i] = (uint8_t)(tree_sum[i] + digest[i]);
    return 0;
}

void key_fingerprint(const char *home, char out[SHA256_HEX]) {
    static const char *const PARTS[] = {"device", "hostapi", "bridge"};
    char path[PATH_MAX];
    memset(tree_sum, 0, sizeof tree_sum);
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", home, PARTS[i]);
        (void)nftw(path, add_entry, 16, FTW_PHYS);
    }
    Sha256 h;
    uint8_t digest[SHA256_BYTES];
    struct stat st;
    sha256_init(&h);
    sha256_add_field(&h, OPWRIGHT_VERSION);
    sha256_add(&h, tree_sum, sizeof tree_sum);
    if (stat("/proc/self/exe", &st) == 0) add_file(&h, "exe", &st);
    const char *rt = getenv("OPWRIGHT_RT");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    char *slash = n > 0 ? memrchr(path, '/', (size_t)n) : NULL;
    if (slash) strcpy(slash, "/libopwright_rt.so");
    if (slash && stat(rt && *rt ? rt : path, &st) == 0) add_file(&h, "runtime", &st);
    sha256_add_field(&h, getenv("OPWRIGHT_CXX"));
    sha256_add_field(&h, getenv("OPWRIGHT_PYTHON"));
    sha256_final(&h, digest);
    sha256_hex(digest, out);
}

void key_of(const Service *s, const Request *r, const char *backend, const KeyTexts *t, char out[SHA256_HEX]) {
    Sha256 h;
    uint8_t digest[SHA256_BYTES];
    char limits[96];
    snprintf(limits, sizeof limits, "%g %g", service_stage_limit_s(s, !strcmp(backend, "cann")), s->o.memory_mb);
    const char *fields[] = {s->fingerprint, backend,
                            t->reference,   t->cases,
                            t->kernel_code, t->reference_imports,
                            t->kernel_code_imports, r->op,
                            r->category,    r->language,
                            r->chip,        r->standard ? r->standard : verify_standard_name(VERIFY_STD_SEED),
                            limits};
    sha256_init(&h);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) sha256_add_field(&h, fields[i]);
    sha256_final(&h, digest);
    sha256_hex(digest, out);
}
