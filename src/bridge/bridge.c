/* The Python worker as a child process: one request at a time over two descriptors, time limits, restart
 * after death. The worker forks for every request, so its own death is rare (it was killed, or Python itself
 * fell over); it costs the call in flight and the next call starts another. */
#include "bridge/bridge.h"

#include "base/fs.h"
#include "bridge/frame.h"
#include "bridge/worker.h"
#include "cage/cage.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DEFAULT_START_S   60.0
#define DEFAULT_WALL_S    120.0
#define DEFAULT_MEMORY_MB 8192.0
/* The worker keeps the limit itself; this much later something is wrong with the worker. Also the longest
 * silence while blobs are coming. */
#define GRACE_S 30.0
/* Of the worker and what a request starts; models have no use for many. */
#define PROCESSES 128
/* Blobs may exceed the child's memory limit by what its process maps anyway. */
#define BLOB_SLACK_BYTES ((uint64_t)2 << 30)

struct Bridge {
    Arena *arena; /* options, and what lives as long as the bridge */
    const char *python, *worker_path, *scratch;
    double start_limit_s;
    Worker worker;
    bool hello_pending; /* sent at start, answer not read yet */
    json_t *hello;
    json_int_t last_id;
};

static const char *choose_python(Arena *a, const BridgeOptions *o) {
    if (o->python) return arena_strdup(a, o->python);
    const char *env = getenv("OPWRIGHT_PYTHON");
    if (env && *env) return arena_strdup(a, env);
    const char *venv = arena_printf(a, "%s/.venv/bin/python", o->home);
    return fs_exists(venv) ? venv : "python3";
}

/* ---- one exchange
 * ------------------------------------------------------------------------------------------------- */

static bool send_request(Bridge *b, Arena *a, const char *method, json_t *params, const BridgeLimits *limits,
                         double deadline_s, Err *err) {
    json_t *request = json_pack("{s:I, s:s}", "id", ++b->last_id, "method", method);
    if (request && params) json_object_set(request, "params", params);
    if (request && limits)
        json_object_set_new(
            request, "limits",
            json_pack("{s:f, s:f}", "wall_s", limits->wall_s, "memory_mb", limits->memory_mb));
    size_t n_bytes = 0;
    const char *text = request ? frame_print(a, request, &n_bytes, err) : NULL;
    bool ok = text && worker_write(&b->worker, text, n_bytes, deadline_s, err);
    if (!request) err_set(err, ERR_INTERNAL, NULL, "cannot make a request for the Python worker");
    json_decref(request);
    return ok;
}

/* Reads the frame's JSON; h->value is the caller's. */
static bool read_head(Bridge *b, Arena *a, double deadline_s, FrameHead *h, Err *err) {
    uint8_t head[FRAME_HEAD_BYTES];
    size_t n_bytes = 0;
    if (!worker_read(&b->worker, head, sizeof head, deadline_s, err) ||
        !frame_json_length(head, &n_bytes, err))
        return false;
    char *text = arena_alloc(a, n_bytes + 1);
    return worker_read(&b->worker, text, n_bytes, deadline_s, err) &&
           frame_parse_json(a, text, n_bytes, h, err);
}

static bool can_allocate(uint64_t n_bytes) {
    void *p = n_bytes < SIZE_MAX / 4 ? malloc((size_t)n_bytes + 1) : NULL;
    free(p);
    return p != NULL;
}

static bool read_blobs(Bridge *b, Arena *a, const FrameHead *h, double memory_mb, BridgeReply *reply,
                       Err *err) {
    if (h->total_bytes > (uint64_t)(memory_mb * 1048576.0) + BLOB_SLACK_BYTES ||
        !can_allocate(h->total_bytes))
        return err_set(err, ERR_INTERNAL, NULL,
                       "the Python worker announced %llu bytes of tensors, too many to hold",
                       (unsigned long long)h->total_bytes);
    reply->blobs = ARENA_ARRAY(a, h->n_blobs, BridgeBlob);
    for (size_t i = 0; i < h->n_blobs; i++) {
        size_t n_bytes = (size_t)h->blob_bytes[i];
        char *data = arena_alloc(a, n_bytes);
        for (size_t at = 0;
             at < n_bytes;) { /* each piece has the grace time, so a large answer has as long as it takes */
            size_t part = n_bytes - at < (1u << 24) ? n_bytes - at : (1u << 24);
            if (!worker_read(&b->worker, data + at, part, time_now_s() + GRACE_S, err)) return false;
            at += part;
        }
        reply->blobs[i] = (BridgeBlob){.data = data, .n_bytes = n_bytes};
    }
    reply->n_blobs = h->n_blobs;
    return true;
}

/* ---- errors of the worker
 * ----------------------------------------------------------------------------------------- */

static ErrCode code_of(const char *name) {
    for (int c = 0; name && strcasecmp(err_code_name((ErrCode)c), "INTERNAL") != 0; c++)
        if (!strcasecmp(err_code_name((ErrCode)c), name)) return c == ERR_OK ? ERR_INTERNAL : (ErrCode)c;
    return ERR_INTERNAL;
}

static const char *text_of(const json_t *object, const char *key) {
    const char *s = json_string_value(json_object_get(object, key));
    return s ? s : "";
}

/* Fills *err from an error object: file:line (or where the kernel was when it stopped), message, cure. */
static bool take_error(const json_t *e, Err *err) {
    const json_t *place = json_is_object(json_object_get(e, "trail")) ? json_object_get(e, "trail") : e;
    const char *file = text_of(place, "file"), *message = text_of(e, "message"), *hint = text_of(e, "hint");
    json_int_t line = json_integer_value(json_object_get(place, "line"));
    char where[sizeof err->where] = "";
    if (*file && line > 0) snprintf(where, sizeof where, "%s:%lld", file, (long long)line);
    else if (*file) snprintf(where, sizeof where, "%s", file);
    err_set(err, code_of(text_of(e, "code")), where, "%s",
            *message ? message : "the Python worker failed without a message");
    if (*hint) err_hint(err, "%s", hint);
    return false;
}

/* Checks the envelope of a reply and takes it apart. h->value is consumed. */
static bool take_reply(Arena *a, FrameHead *h, json_int_t id, BridgeReply *reply, Err *err) {
    const json_t *got = json_object_get(h->value, "id");
    json_t *result = json_object_get(h->value, "result"), *error = json_object_get(h->value, "error");
    bool ok = json_is_integer(got) && json_integer_value(got) == id &&
              (json_is_object(result) != 0) != (json_is_object(error) != 0);
    if (ok) {
        reply->log = arena_strdup(a, text_of(h->value, "log"));
        if (json_is_object(result)) reply->result = json_incref(result);
        else reply->error = json_incref(error);
    } else {
        err_set(err, ERR_INTERNAL, NULL, "the Python worker sent a reply that does not answer the request");
    }
    json_decref(h->value);
    h->value = NULL;
    return ok;
}

/* ---- life of the worker
 * -------------------------------------------------------------------------------------------- */

/* Turns the failure of a worker that never answered into one that says what is needed. */
static bool no_start(const Bridge *b, Err *err) {
    Err cause = *err;
    err_set(err, cause.code == ERR_TIMEOUT ? ERR_TIMEOUT : ERR_NO_PYTHON, NULL,
            "the Python worker (%.200s) did not start: %.1500s", b->python, cause.message);
    return err_hint(err, "opwright needs Python 3.9 or newer with PyTorch; choose one with OPWRIGHT_PYTHON");
}

/* Starts a worker and sends hello without waiting. */
static bool launch(Bridge *b, Err *err) {
    Arena *a = arena_new();
    const char *const argv[] = {b->python, b->worker_path, NULL};
    const CageSpec cage = {.writable = b->scratch, .processes = PROCESSES};
    if (!worker_start(&b->worker, cage_argv(a, &cage, argv), b->python, err)) {
        arena_free(a);
        return false;
    }
    bool ok = send_request(b, a, "hello", NULL, NULL, time_now_s() + b->start_limit_s, err);
    arena_free(a);
    b->hello_pending = ok;
    if (ok) return true;
    worker_stop(&b->worker);
    return no_start(b, err);
}

/* Reads the answer to hello when it is still to come; the worker is up afterwards. */
static bool await_hello(Bridge *b, Err *err) {
    if (!b->hello_pending) return true;
    b->hello_pending = false;
    Arena *a = arena_new();
    FrameHead h = {0};
    BridgeReply reply = {0};
    bool ok = read_head(b, a, time_now_s() + b->start_limit_s, &h, err) &&
              take_reply(a, &h, b->last_id, &reply, err);
    if (!ok) {
        no_start(b, err);
    } else if (reply.error) {
        ok = take_error(reply.error, err);
    } else if (!b->hello) {
        b->hello = json_incref(reply.result);
    }
    bridge_reply_clear(&reply);
    arena_free(a);
    if (!ok) worker_stop(&b->worker);
    return ok;
}

Bridge *bridge_start(const BridgeOptions *o, Err *err) {
    Arena *a = arena_new();
    Bridge *b = ARENA_NEW(a, Bridge);
    b->arena = a;
    b->python = choose_python(a, o);
    b->worker_path = arena_printf(a, "%s/bridge/worker.py", o->home);
    b->start_limit_s = o->start_limit_s > 0 ? o->start_limit_s : DEFAULT_START_S;
    bool ok = fs_exists(b->worker_path);
    if (!ok) {
        err_set(err, ERR_NOT_FOUND, NULL, "opwright's Python worker is not at %s", b->worker_path);
        err_hint(err, "set OPWRIGHT_HOME to the folder that holds bridge/");
    }
    b->scratch = ok ? fs_temp_dir(a, "opwright", err) : NULL;
    if (b->scratch && launch(b, err)) return b;
    if (b->scratch) fs_remove_tree(b->scratch);
    arena_free(a);
    return NULL;
}

const char *bridge_scratch(const Bridge *b) {
    return b->scratch;
}

void bridge_tidy(Bridge *b) {
    DIR *d = opendir(b->scratch);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char path[4200];
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%s", b->scratch, e->d_name);
        fs_remove_tree(path);
    }
    if (d) closedir(d);
}

const json_t *bridge_hello(Bridge *b, Err *err) {
    if (b->hello) return b->hello;
    if (!worker_is_up(&b->worker) && !launch(b, err)) return NULL;
    return await_hello(b, err) ? b->hello : NULL;
}

bool bridge_call(Bridge *b, Arena *a, const char *method, json_t *params, const BridgeLimits *limits,
                 BridgeReply *reply, Err *err) {
    *reply = (BridgeReply){.log = ""};
    BridgeLimits used = limits ? *limits : (BridgeLimits){0};
    if (!(used.wall_s > 0)) used.wall_s = DEFAULT_WALL_S;
    if (!(used.memory_mb > 0)) used.memory_mb = DEFAULT_MEMORY_MB;
    if (!worker_is_up(&b->worker) && !launch(b, err)) return false;
    if (!await_hello(b, err)) return false;
    double deadline_s = time_now_s() + used.wall_s + GRACE_S;
    FrameHead h = {0};
    bool ok = send_request(b, a, method, params, &used, deadline_s, err);
    if (!ok && err->code == ERR_BAD_INPUT) return false; /* nothing was sent: the worker is as it was */
    ok = ok && read_head(b, a, deadline_s, &h, err) && take_reply(a, &h, b->last_id, reply, err) &&
         read_blobs(b, a, &h, used.memory_mb, reply, err);
    if (!ok) {
        worker_stop(&b->worker);
        bridge_reply_clear(reply);
        return err_context(err, "%s", method);
    }
    return reply->error ? take_error(reply->error, err) : true;
}

void bridge_reply_clear(BridgeReply *r) {
    json_decref(r->result);
    json_decref(r->error);
    r->result = r->error = NULL;
    r->n_blobs = 0;
}

void bridge_stop(Bridge *b) {
    if (!b) return;
    worker_stop(&b->worker);
    fs_remove_tree(b->scratch);
    json_decref(b->hello);
    arena_free(b->arena);
}
