/* The client of the verification service: static rules first, then one request, plain or streaming; writes
 * what came of it. */
#ifndef OPWRIGHT_SERVER_CLIENT_H
#define OPWRIGHT_SERVER_CLIENT_H

#include "base/arena.h"
#include "base/err.h"

#include "verify/verify.h"

#include <jansson.h>

#define CLIENT_DEFAULT_URL "http://127.0.0.1:23457/verify"

typedef struct ClientOptions {
    const char *op;
    const char *reference_path;             /* made absolute against the working folder */
    const char *kernel_code_path;           /* the same */
    const char *devices;                    /* "npu:0,npu:1" or NULL */
    const char *standard, *chip, *category; /* or NULL */
    const char *url; /* NULL: $ASCEND_VERIFY_URL, else CLIENT_DEFAULT_URL; .../verify_stream means stream */
    const char *token_file; /* NULL: $ASCEND_VERIFY_TOKEN, which may be unset */
    VerifyModel model; /* all zero: as the service does by itself */
    bool stream;
    bool no_cache;
    bool send_sources; /* for a service on another machine: the files' texts instead of their paths */
    double timeout_s;  /* for the whole request; 0: 3600 */
    const char
        *result_json_path; /* the answer is written here and appended to traj.json beside it; NULL: neither */
    void (*on_log)(void *ctx, const char *line); /* progress, without the line's end; may be NULL */
    void *log_ctx;
} ClientOptions;

typedef struct ClientAnswer {
    int exit_code; /* the service's; 0 only for PASS */
    json_t *json;  /* {exit_code, reference_path, kernel_code_path, result, summary, ...}; caller decrefs */
    const char *summary; /* NULL without an answer */
} ClientAnswer;

/* False when there is no answer: no service (ERR_NOT_FOUND), refused, cut off. An answer that cannot be
 * written down is an error as well, with answer->json set. */
bool client_verify(Arena *a, const ClientOptions *o, ClientAnswer *answer, Err *err) ERR_CHECKED;

/* {exit_code, reference_path, kernel_code_path, result, summary}, paths made absolute; takes result; the caller's. */
json_t *client_answer(Arena *a, const char *reference_path, const char *kernel_code_path, int exit_code,
                      json_t *result, const char *summary);
/* Writes an answer to `path` and appends it, with the description's text, to traj.json beside it. */
bool client_keep(Arena *a, const char *path, const char *code, const json_t *answer, Err *err) ERR_CHECKED;

/* precheck.c: the answer for a description that breaks a rule which can be seen without Python; NULL: ask the
 * service. */
json_t *client_precheck(Arena *a, const ClientOptions *o, const char *text);

#endif
