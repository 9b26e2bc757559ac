/* What decides a result, as one digest: the sources, the options, the chip, and opwright itself. */
#include "server/service.h"

#include "base/stamp.h"
#include "verify/verify.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void key_fingerprint(const char *home, char out[SHA256_HEX]) {
    static const char *const PARTS[] = {"device", "hostapi", "bridge"};
    char path[PATH_MAX];
    Sha256 h;
    uint8_t digest[SHA256_BYTES];
    sha256_init(&h);
    sha256_add_field(&h, OPWRIGHT_VERSION);
    for (size_t i = 0; i < sizeof PARTS / sizeof PARTS[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", home, PARTS[i]);
        stamp_tree(&h, path);
    }
    const char *rt = getenv("OPWRIGHT_RT");
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 32);
    if (n > 0) {
        path[n] = '\0';
        stamp_file(&h, path);
        char *slash = strrchr(path, '/');
        if (slash) strcpy(slash, "/libopwright_rt.so");
        stamp_file(&h, rt && *rt ? rt : path);
    }
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
                            r->schedule,    r->toolchain,
                            r->strict ? "strict" : NULL, r->exact ? "exact" : NULL,
                            limits};
    sha256_init(&h);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) sha256_add_field(&h, fields[i]);
    sha256_final(&h, digest);
    sha256_hex(digest, out);
}
