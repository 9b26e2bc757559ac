/* One error type for bad input and failed resources. The deepest function that knows the facts fills it once;
 * callers pass it on or add one clause with err_context. `Err *` is the last parameter and never NULL. */
#ifndef OPWRIGHT_BASE_ERR_H
#define OPWRIGHT_BASE_ERR_H

#include <stdbool.h>

typedef enum {
#define ERR(code, exit_status, http, text) ERR_##code,
#include "base/err.def"
#undef ERR
} ErrCode;

typedef struct Err {
    ErrCode code;
    char where[512];    /* "file:line", "kernel_src:57", or empty */
    char message[2048]; /* one sentence: what is wrong */
    char hint[1024];    /* one sentence: how to mend it, or empty */
} Err;

#define ERR_CHECKED __attribute__((warn_unused_result))

/* Fills *err and returns false, so that a function can `return err_set(...)`. `where` may be NULL. */
bool err_set(Err *err, ErrCode code, const char *where, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds the cure to an error already set; returns false. */
bool err_hint(Err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Prefixes the message with one clause ("while reading x: ..."); returns false. */
bool err_context(Err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *err_code_name(ErrCode code);
const char *err_code_text(ErrCode code);
int err_exit_status(ErrCode code);
int err_http_status(ErrCode code);

#endif
