/* HTTP over libmicrohttpd: bytes in, guards, one handler, one answer. All handlers run in the one thread of
 * the server; long answers wait suspended, woken by the jobs they wait for. */
#ifndef OPWRIGHT_SERVER_HTTP_H
#define OPWRIGHT_SERVER_HTTP_H

#include "server/service.h"

#include <stdint.h>

struct MHD_Connection;
struct MHD_Daemon;
struct MHD_Response;

typedef struct Conn Conn;

typedef struct Http {
    Service *service;
    struct MHD_Daemon *daemon;
    const char *token;     /* NULL: none needed */
    const char *dashboard; /* HTML */
    const char *cage;      /* one sentence */
    unsigned port;
    bool closing;       /* guarded by the service's lock: nobody may wait any more */
    struct Call *calls; /* list of those in work, guarded by the service's lock */
    Conn *conns;        /* guarded by conn_lock */
    pthread_mutex_t conn_lock;
    size_t body_bytes; /* of all bodies being received; the server's thread only */
} Http;

/* One request and its answer. */
typedef struct Call {
    Http *http;
    struct MHD_Connection *connection;
    struct Call *next, *before;
    Arena *arena;
    const struct Route *route;
    const char *rest;             /* path after a route that ends in "/" */
    struct MHD_Response *refusal; /* decided from the headers; sent when the body has passed by */
    unsigned refusal_status;
    char *body;
    size_t n_body, cap_body, n_dropped;
    bool dispatched; /* the handler has had it */
    /* waiting */
    Job **jobs; /* held */
    size_t n_jobs, next_job;
    JobWatch watch;
    bool suspended;
    size_t offset; /* of the stream */
    bool plain;    /* the stream is the log, not NDJSON */
} Call;

/* cage: one sentence, or NULL. */
bool http_start(Http *h, Service *s, const char *cage, Err *err) ERR_CHECKED;
/* Cuts connections that take too long to send a request. */
void http_tick(Http *h);
/* Answers what still waits and ends. */
void http_stop(Http *h);

/* For handlers; each returns what the handler returns (MHD_Result as int). */
int http_answer_json(Call *c, unsigned status, json_t *o); /* takes o */
int http_answer_text(Call *c, unsigned status, const char *type, const char *text);
/* {"error":{code, message, field?, hint?}, "detail": text} */
int http_refuse(Call *c, unsigned status, const char *code, const char *field, const char *message,
                const char *hint);
/* Streams the log or the lines of jobs[0] until it is finished. */
int http_answer_stream(Call *c, bool plain);
/* Waits until all of the call's jobs are finished; true: they are, or never will be (http->closing).
 * Otherwise the handler returns and is called again. */
bool http_all_finished(Call *c);
const char *http_query(Call *c, const char *name);

typedef int HandlerFn(Call *c);
#define ROUTE(method, path, handler, access, body, help) HandlerFn handler;
#include "server/routes.def"
#undef ROUTE

#endif
