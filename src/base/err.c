/* The error type: filling, prefixing, and the table of codes. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name, *text;
    int exit_status, http_status;
} ERR_ROWS[] = {
#define ERR(code, exit_st, http, txt) [ERR_##code] = {#code, txt, exit_st, http},
#include "base/err.def"
#undef ERR
};

bool err_set(Err *err, ErrCode code, const char *where, const char *fmt, ...) {
    err->code = code;
    err->hint[0] = '\0';
    snprintf(err->where, sizeof err->where, "%s", where ? where : "");
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->message, sizeof err->message, fmt, ap);
    va_end(ap);
    return false;
}

bool err_hint(Err *err, const char *fmt, ...) {
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
    return false;
}

bool err_context(Err *err, const char *fmt, ...) {
    char old[sizeof err->message];
    memcpy(old, err->message, sizeof old);
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(err->message, sizeof err->message, fmt, ap);
    va_end(ap);
    size_t room = n >= 0 && (size_t)n < sizeof err->message ? sizeof err->message - (size_t)n : 0;
    if (room > 2) { /* a message too long loses its end */
        char *to = err->message + n;
        size_t keep = strlen(old) < room - 3 ? strlen(old) : room - 3;
        memcpy(to, ": ", 2);
        memcpy(to + 2, old, keep);
        to[2 + keep] = '\0';
    }
    return false;
}

const char *err_code_name(ErrCode code) {
    return ERR_ROWS[code].name;
}
const char *err_code_text(ErrCode code) {
    return ERR_ROWS[code].text;
}
int err_exit_status(ErrCode code) {
    return ERR_ROWS[code].exit_status;
}
int err_http_status(ErrCode code) {
    return ERR_ROWS[code].http_status;
}
