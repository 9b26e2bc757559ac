/* The server: connections, guards, waiting, streams. */
#include "server/http.h"

#include "base/fs.h"
#include "base/sha256.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEADER_BYTES     (32u << 10) /* memory of a connection: request line, headers, and what is being sent */
#define CONNECTIONS_MAX  4096u
#define BODIES_MAX_BYTES ((size_t)512 << 20) /* of all requests being received */
#define DROP_FACTOR      4 /* a refused body is read and dropped up to so many times the limit */
#define STREAM_BLOCK     16384u

typedef enum { OPEN, TOKEN } Access;
typedef enum { NO_BODY, BODY } HasBody;

typedef struct Route {
    const char *method, *path;
    HandlerFn *handler;
    Access access;
    HasBody body;
} Route;

static const Route ROUTES[] = {
#define ROUTE(method_, path_, handler_, access_, body_, help_) {method_, path_, handler_, access_, body_},
#include "server/routes.def"
#undef ROUTE
};
#define N_ROUTES (sizeof ROUTES / sizeof ROUTES[0])

/* A TCP connection; lives between the two notifications. */
struct Conn {
    Conn *next, *before;
    int fd;
    double since_s; /* a request is awaited or being received since then; 0: one is being answered */
};

/* ---- answers --------------------------------------------------------------------------------- */

static struct MHD_Response *make_response(const char *type, const char *text, size_t n_bytes) {
    struct MHD_Response *r =
        MHD_create_response_from_buffer(n_bytes, (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY);
    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    return r;
}

int http_answer_text(Call *c, unsigned status, const char *type, const char *text) {
    struct MHD_Response *r = make_response(type, text, strlen(text));
    if (!strncmp(type, "text/html", 9))
        MHD_add_response_header(
            r, "Content-Security-Policy",
            "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'");
    enum MHD_Result ok = MHD_queue_response(c->connection, status, r);
    MHD_destroy_response(r);
    return (int)ok;
}

int http_answer_json(Call *c, unsigned status, json_t *o) {
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    int ok = http_answer_text(c, text ? status : 500, "application/json",
                              text ? text : "{\"detail\":\"internal error\"}");
    free(text);
    return ok;
}

static json_t *error_json(const char *code, const char *field, const char *message, const char *hint) {
    json_t *e = json_pack("{s:s, s:s}", "code", code, "message", message);
    if (!e) e = json_pack("{s:s, s:s}", "code", code, "message", "(text is not UTF-8)");
    if (field && *field) json_object_set_new(e, "field", json_string(field));
    if (hint && *hint) json_object_set_new(e, "hint", json_string(hint));
    const char *detail = json_string_value(json_object_get(e, "message"));
    json_t *text = field && *field ? json_sprintf("%s: %s", field, detail) : json_string(detail);
    return json_pack("{s:o, s:o}", "error", e, "detail", text);
}

static void add_retry(struct MHD_Response *r, unsigned status) {
    if (status == 429 || status == 503) MHD_add_response_header(r, "Retry-After", "5");
    if (status == 401) MHD_add_response_header(r, "WWW-Authenticate", "Bearer");
}

static struct MHD_Response *refusal(unsigned status, const char *code, const char *field, const char *message,
                                    const char *hint) {
    json_t *o = error_json(code, field, message, hint);
    char *text = json_dumps(o, JSON_COMPACT);
    struct MHD_Response *r = make_response("application/json", text, strlen(text));
    add_retry(r, status);
    free(text);
    json_decref(o);
    return r;
}

int http_refuse(Call *c, unsigned status, const char *code, const char *field, const char *message,
                const char *hint) {
    struct MHD_Response *r = refusal(status, code, field, message, hint);
    enum MHD_Result ok = MHD_queue_response(c->connection, status, r);
    MHD_destroy_response(r);
    return (int)ok;
}

const char *http_query(Call *c, const char *name) {
    return MHD_lookup_connection_value(c->connection, MHD_GET_ARGUMENT_KIND, name);
}

/* ---- waiting --------------------------------------------------------------------------------- */

/* Under the service's lock, from any thread. */
static void wake_call(void *ctx) {
    Call *c = ctx;
    if (!c->suspended) return;
    c->suspended = false;
    MHD_resume_connection(c->connection);
}

static void wait_for_locked(Call *c, Job *j) {
    c->watch = (JobWatch){.wake = wake_call, .ctx = c};
    job_watch(j, &c->watch);
    c->suspended = true;
    MHD_suspend_connection(c->connection);
}

bool http_all_finished(Call *c) {
    Service *s = c->http->service;
    pthread_mutex_lock(&s->lock);
    while (c->next_job < c->n_jobs && job_finished(c->jobs[c->next_job])) c->next_job++;
    bool done = c->next_job == c->n_jobs || c->http->closing;
    if (!done) wait_for_locked(c, c->jobs[c->next_job]);
    pthread_mutex_unlock(&s->lock);
    return done;
}

static ssize_t read_stream(void *ctx, uint64_t pos, char *out, size_t cap) {
    (void)pos;
    Call *c = ctx;
    Service *s = c->http->service;
    Job *j = c->jobs[0];
    ssize_t n = 0;
    pthread_mutex_lock(&s->lock);
    const StrBuf *text = c->plain ? &j->log : &j->lines;
    if (c->offset < text->n_bytes) {
        size_t left = text->n_bytes - c->offset;
        size_t part = left < cap ? left : cap;
        memcpy(out, text->text + c->offset, part);
        c->offset += part;
        n = (ssize_t)part;
    } else if (job_finished(j) || c->http->closing) {
        static const char LAST[] = "{\"type\":\"error\",\"message\":\"the service is stopping; the job runs "
                                   "again after its restart\"}\n";
        bool tell = !job_finished(j) && !c->plain && c->n_dropped == 0 && cap >= sizeof LAST - 1;
        if (tell) {
            memcpy(out, LAST, sizeof LAST - 1);
            c->n_dropped = 1; /* said */
        }
        n = tell ? (ssize_t)(sizeof LAST - 1) : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        wait_for_locked(c, j);
    }
    pthread_mutex_unlock(&s->lock);
    return n;
}

int http_answer_stream(Call *c, bool plain) {
    c->plain = plain;
    struct MHD_Response *r =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, c, NULL);
    MHD_add_response_header(r, "Content-Type", plain ? "text/plain; charset=utf-8" : "application/x-ndjson");
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-Accel-Buffering", "no");
    enum MHD_Result ok = MHD_queue_response(c->connection, 200, r);
    MHD_destroy_response(r);
    return (int)ok;
}

/* ---- guards ---------------------------------------------------------------------------------- */

static const char *header(Call *c, const char *name) {
    return MHD_lookup_connection_value(c->connection, MHD_HEADER_KIND, name);
}

static void refuse_later(Call *c, unsigned status, const char *code, const char *message, const char *hint) {
    if (c->refusal) return;
    c->refusal = refusal(status, code, NULL, message, hint);
    c->refusal_status = status;
}

/* "127.0.0.1:80", "localhost", "[::1]:80" */
static bool is_loopback_name(const char *host) {
    size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    return (n == 9 && !strncasecmp(host, "localhost", 9)) ||
           (n > 4 && !strncmp(host, "127.", 4) && strspn(host, "0123456789.") == n) ||
           (n == 5 && !strncmp(host, "[::1]", 5));
}

/* A page of another site must not be able to start jobs through the user's browser, neither by a plain form
 * post nor by a name that was made to point here. */
static bool from_elsewhere(Call *c) {
    const char *host = header(c, "Host"), *origin = header(c, "Origin"), *site = header(c, "Sec-Fetch-Site");
    if (!c->http->token && host && !is_loopback_name(host)) return true;
    if (site && !strcmp(site, "cross-site")) return true;
    if (!origin) return false;
    const char *at = strstr(origin, "://");
    return !host || !at || strcmp(at + 3, host) != 0;
}

static bool has_token(Call *c) {
    const char *auth = header(c, "Authorization");
    if (!c->http->token) return true;
    return auth && !strncasecmp(auth, "Bearer ", 7) &&
           sha256_same_text(auth + 7 + strspn(auth + 7, " "), c->http->token);
}

static const Route *find_route(Call *c, const char *method, const char *path) {
    const Route *other = NULL;
    for (size_t i = 0; i < N_ROUTES; i++) {
        const Route *r = &ROUTES[i];
        size_t n = strlen(r->path);
        bool folder = n > 1 && r->path[n - 1] == '/';
        if (folder ? strncmp(path, r->path, n) != 0 : strcmp(path, r->path) != 0) continue;
        c->rest = arena_strdup(c->arena, path + n);
        if (!strcmp(r->method, method) || (!strcmp(method, "HEAD") && !strcmp(r->method, "GET"))) return r;
        other = r;
    }
    if (other)
        refuse_later(c, 405, "method", arena_printf(c->arena, "%s takes %s", other->path, other->method),
                     NULL);
    else
        refuse_later(c, 404, "not_found", "there is nothing at this path",
                     "the paths are /verify, /verify_stream, /verify_batch, /jobs, /healthz, /metrics and /");
    return NULL;
}

/* Decides from the headers; a refusal may be sent before the body has come. */
static void guard(Call *c, const char *method, const char *path) {
    c->route = find_route(c, method, path);
    if (from_elsewhere(c))
        refuse_later(c, 403, "forbidden", "requests of another site's page are not taken", NULL);
    if (c->route && c->route->access == TOKEN && !has_token(c))
        refuse_later(c, 401, "token", "a bearer token is needed",
                     "send the header Authorization: Bearer TOKEN");
    const char *length = header(c, "Content-Length");
    size_t limit = c->http->service->o.body_limit_bytes;
    if (length && strtoull(length, NULL, 10) > limit)
        refuse_later(c, 413, "too_large", arena_printf(c->arena, "the body has more than %zu bytes", limit),
                     NULL);
}

static bool refuse_at_once(Call *c) {
    const char *length = header(c, "Content-Length"), *expect = header(c, "Expect");
    return c->refusal && (expect || (length && strtoull(length, NULL, 10) >
                                                   DROP_FACTOR * c->http->service->o.body_limit_bytes));
}

/* ---- one request ----------------------------------------------------------------------------- */

static Call *call_new(Http *h, struct MHD_Connection *connection) {
    Arena *a = arena_new();
    Call *c = ARENA_NEW(a, Call);
    *c = (Call){.http = h, .connection = connection, .arena = a};
    pthread_mutex_lock(&h->service->lock);
    c->next = h->calls;
    if (h->calls) h->calls->before = c;
    h->calls = c;
    h->service->counters.http_requests++;
    pthread_mutex_unlock(&h->service->lock);
    return c;
}

static void drop_body(Call *c) {
    c->http->body_bytes -= c->cap_body;
    free(c->body);
    c->body = NULL;
    c->n_body = c->cap_body = 0;
}

static void take_body(Call *c, const char *data, size_t n) {
    size_t limit = c->http->service->o.body_limit_bytes;
    if (!c->refusal && c->n_body + n > limit)
        refuse_later(c, 413, "too_large", arena_printf(c->arena, "the body has more than %zu bytes", limit),
                     NULL);
    if (!c->refusal && c->n_body + n > c->cap_body) {
        size_t cap = c->cap_body ? c->cap_body : 4096;
        while (cap < c->n_body + n) cap *= 2;
        char *more =
            c->http->body_bytes + cap - c->cap_body <= BODIES_MAX_BYTES ? realloc(c->body, cap) : NULL;
        if (more) {
            c->http->body_bytes += cap - c->cap_body;
            c->body = more;
            c->cap_body = cap;
        } else {
            refuse_later(c, 503, "busy", "too much is being sent at this moment", "try again later");
        }
    }
    if (c->refusal) {
        drop_body(c);
        c->n_dropped += n;
        return;
    }
    memcpy(c->body + c->n_body, data, n);
    c->n_body += n;
}

static Conn *conn_of(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void set_since(Http *h, struct MHD_Connection *connection, double since_s) {
    Conn *conn = conn_of(connection);
    pthread_mutex_lock(&h->conn_lock);
    if (conn) conn->since_s = since_s;
    pthread_mutex_unlock(&h->conn_lock);
}

static enum MHD_Result send_refusal(Call *c) {
    enum MHD_Result ok = MHD_queue_response(c->connection, c->refusal_status, c->refusal);
    MHD_destroy_response(c->refusal);
    c->refusal = NULL;
    return ok;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data, size_t *n_data,
                                  void **con_cls) {
    (void)version;
    Http *h = ctx;
    Call *c = *con_cls;
    if (!c) {
        *con_cls = c = call_new(h, connection);
        guard(c, method, url);
        return refuse_at_once(c) ? send_refusal(c) : MHD_YES;
    }
    if (*n_data > 0) {
        take_body(c, data, *n_data);
        *n_data = 0;
        /* Someone who sends without end is cut off. */
        return c->n_dropped > DROP_FACTOR * h->service->o.body_limit_bytes ? MHD_NO : MHD_YES;
    }
    if (!c->dispatched) {
        c->dispatched = true;
        c->n_dropped = 0;
        set_since(h, connection, 0);
    }
    if (c->refusal) return send_refusal(c);
    return (enum MHD_Result)c->route->handler(c);
}

static void on_completed(void *ctx, struct MHD_Connection *connection, void **con_cls,
                         enum MHD_RequestTerminationCode code) {
    (void)code;
    Http *h = ctx;
    Call *c = *con_cls;
    set_since(h, connection, time_now_s());
    if (!c) return;
    pthread_mutex_lock(&h->service->lock);
    if (c->next) c->next->before = c->before;
    if (c->before) c->before->next = c->next;
    else h->calls = c->next;
    for (size_t i = 0; i < c->n_jobs; i++) {
        job_unwatch(c->jobs[i], &c->watch);
        job_release(c->jobs[i]);
    }
    pthread_mutex_unlock(&h->service->lock);
    if (c->refusal) MHD_destroy_response(c->refusal);
    drop_body(c);
    arena_free(c->arena);
    *con_cls = NULL;
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **socket_context,
                          enum MHD_ConnectionNotificationCode code) {
    Http *h = ctx;
    pthread_mutex_lock(&h->conn_lock);
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        Conn *conn = calloc(1, sizeof *conn);
        if (conn) {
            *conn = (Conn){.fd = info ? info->connect_fd : -1, .since_s = time_now_s(), .next = h->conns};
            if (h->conns) h->conns->before = conn;
            h->conns = conn;
        }
        *socket_context = conn;
    } else if (*socket_context) {
        Conn *conn = *socket_context;
        if (conn->next) conn->next->before = conn->before;
        if (conn->before) conn->before->next = conn->next;
        else h->conns = conn->next;
        free(conn);
        *socket_context = NULL;
    }
    pthread_mutex_unlock(&h->conn_lock);
}

void http_tick(Http *h) {
    double now = time_now_s();
    pthread_mutex_lock(&h->conn_lock);
    for (Conn *c = h->conns; c; c = c->next)
        if (c->since_s > 0 && now - c->since_s > h->service->o.receive_limit_s) shutdown(c->fd, SHUT_RDWR);
    pthread_mutex_unlock(&h->conn_lock);
}

/* ---- start and stop -------------------------------------------------------------------------- */

static bool is_loopback(const struct sockaddr *sa) {
    if (sa->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)sa)->sin_addr.s_addr) >> 24 == 127;
    return sa->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr);
}

static bool read_token(Http *h, Err *err) {
    const ServeOptions *o = &h->service->o;
    if (!o->token_file) return true;
    char *text = fs_read(h->service->arena, o->token_file, NULL, err);
    if (!text) return err_context(err, "--token-file");
    text[strcspn(text, "\r\n")] = '\0';
    if (strlen(text) < 16)
        return err_set(err, ERR_USAGE, o->token_file, "the token has fewer than 16 characters");
    h->token = text;
    return true;
}

/* Socket that listens; -1 and *err. */
static int open_socket(Http *h, Err *err) {
    const ServeOptions *o = &h->service->o;
    struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                             .ai_socktype = SOCK_STREAM},
                    *found = NULL;
    char port[16];
    snprintf(port, sizeof port, "%u", o->port);
    int fd = -1;
    if (getaddrinfo(o->host, port, &hints, &found) != 0) {
        err_set(err, ERR_USAGE, NULL, "--host %s is not an address", o->host);
        return -1;
    }
    if (!h->token && !is_loopback(found->ai_addr)) {
        err_set(err, ERR_USAGE, NULL, "--host %s: a service that others can reach needs a token", o->host);
        err_hint(err, "put one into a file that only you can read and give --token-file FILE");
        goto done;
    }
    fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int on = 1;
    if (fd >= 0) setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) != 0 || listen(fd, 1024) != 0) {
        err_set(err, ERR_IO, NULL, "cannot listen on %s port %u: %s", o->host, o->port, strerror(errno));
        if (fd >= 0) close(fd);
        fd = -1;
        goto done;
    }
    struct sockaddr_storage got;
    socklen_t n = sizeof got;
    if (getsockname(fd, (struct sockaddr *)&got, &n) == 0)
        h->port = ntohs(got.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&got)->sin6_port
                                                  : ((struct sockaddr_in *)&got)->sin_port);
done:
    freeaddrinfo(found);
    return fd;
}

static void raise_files_limit(void) {
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= 2 * CONNECTIONS_MAX) return;
    r.rlim_cur = r.rlim_max < 2 * CONNECTIONS_MAX ? r.rlim_max : 2 * CONNECTIONS_MAX;
    setrlimit(RLIMIT_NOFILE, &r);
}

static unsigned connections_max(void) {
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur < 256) return 64;
    return r.rlim_cur - 128 < CONNECTIONS_MAX ? (unsigned)(r.rlim_cur - 128) : CONNECTIONS_MAX;
}

bool http_start(Http *h, Service *s, const char *cage, Err *err) {
    *h = (Http){.service = s, .cage = cage};
    pthread_mutex_init(&h->conn_lock, NULL);
    const char *home = fs_home(s->arena, err);
    if (!home || !read_token(h, err)) return false;
    h->dashboard = fs_read(s->arena, arena_printf(s->arena, "%s/data/dashboard/index.html", home), NULL, err);
    if (!h->dashboard) return false;
    int fd = open_socket(h, err);
    if (fd < 0) return false;
    raise_files_limit();
    h->daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, h,
        MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, h, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)HEADER_BYTES, MHD_OPTION_CONNECTION_LIMIT, connections_max(), MHD_OPTION_CONNECTION_TIMEOUT,
        (unsigned)(s->o.receive_limit_s + 0.999), MHD_OPTION_END);
    if (h->daemon) return true;
    close(fd);
    return err_set(err, ERR_IO, NULL, "cannot start the HTTP server: %s", strerror(errno));
}

void http_stop(Http *h) {
    Service *s = h->service;
    if (!h->daemon) return;
    int fd = MHD_quiesce_daemon(h->daemon);
    if (fd >= 0) close(fd);
    /* Whoever waits is told; those who do not listen are cut off after a second. */
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&s->lock);
        h->closing = true;
        bool waiting = false;
        for (Call *c = h->calls; c; c = c->next) {
            waiting = true;
            wake_call(c);
        }
        pthread_mutex_unlock(&s->lock);
        if (!waiting) break;
        usleep(10000);
    }
    MHD_stop_daemon(h->daemon);
    h->daemon = NULL;
    pthread_mutex_destroy(&h->conn_lock);
}
