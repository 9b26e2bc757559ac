/* The worker process: one warm bridge, one verification after another. It lives as long as its socket. */
#include "server/serve.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "bridge/bridge.h"
#include "cann/cann.h"
#include "server/link.h"
#include "server/request.h"
#include "server/service.h"
#include "verify/verify.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- life ------------------------------------------------------------------------------------ */

/* A service that was killed cannot end its workers: they watch for its end themselves, also amid a job. */
static void *watch_parent(void *arg) {
    (void)arg;
    struct pollfd p = {.fd = LINK_FD, .events = POLLRDHUP};
    while (poll(&p, 1, -1) < 0 && errno == EINTR) {
    }
    proc_tree_kill(getpid());
    const char *tmp = getenv("TMPDIR");
    if (tmp && *tmp) fs_remove_tree(tmp);
    _exit(0);
}

static bool start_watch(void) {
    pthread_t t;
    return pthread_create(&t, NULL, watch_parent, NULL) == 0 && pthread_detach(t) == 0;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* "case 2 of 5 (trial 1): PASS" belongs to the stage "run"; verify's other lines start with their stage's
 * name. */
static const char *stage_of(const char *line) {
    static const struct { const char *start, *next; } LINES[] = {{"build:", "run"}, {"case ", "run"}, {"run on the device", "run"}};
    for (size_t i = 0; i < sizeof LINES / sizeof LINES[0]; i++)
        if (!strncmp(line, LINES[i].start, strlen(LINES[i].start))) return LINES[i].next;
    return NULL;
}

static void send_log(void *ctx, const char *line) {
    (void)ctx;
    json_t *data = json_string(line);
    json_t *o =
        json_pack("{s:s, s:o}", "type", "log", "data", data ? data : json_string("(text is not UTF-8)"));
    const char *stage = stage_of(line);
    if (stage) json_object_set_new(o, "stage", json_string(stage));
    (void)link_send(LINK_FD, o);
}

static void send_ready(Bridge *b, const Err *why) {
    Err err = *why;
    const json_t *hello = b ? bridge_hello(b, &err) : NULL;
    char text[160];
    if (hello) {
        const char *python = json_string_value(json_object_get(hello, "python")),
                   *torch = json_string_value(json_object_get(hello, "torch"));
        snprintf(text, sizeof text, "Python %s, PyTorch %s", python ? python : "?", torch ? torch : "?");
    } else {
        snprintf(text, sizeof text, "%.150s", err.message);
        fprintf(stderr, "opwright: %s\n", err.message);
    }
    (void)link_send(LINK_FD,
                    json_pack("{s:s, s:s, s:b}", "type", "ready", "python", text, "ok", hello != NULL));
}

static void send_result(int exit_code, const char *summary, json_t *result) {
    json_t *text = json_string(summary);
    (void)link_send(LINK_FD,
                    json_pack("{s:s, s:i, s:o, s:o}", "type", "result", "exit_code", exit_code, "summary",
                              text ? text : json_string("(text is not UTF-8)"), "result", result));
}

/* ---- one job --------------------------------------------------------------------------------- */

static const char *text_of(const json_t *m, const char *key) {
    return json_string_value(json_object_get(m, key));
}

/* op as part of a file name. */
static char *file_stem(Arena *a, const char *op) {
    char *stem = arena_printf(a, "%.100s", op);
    for (char *p = stem; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *p)) *p = '_';
    return stem;
}

static const char *write_text(Arena *a, const char *dir, const char *name, const char *text, Err *err) {
    const char *path = arena_printf(a, "%s/%s", dir, name);
    return fs_write(path, text, strlen(text), err) ? path : NULL;
}

/* Puts texts that came with the job into a private folder; *dir is NULL when none did. */
static bool place_sources(Arena *a, const json_t *m, VerifyOptions *o, char **dir, Err *err) {
    const char *reference = text_of(m, "reference_text"), *desc = text_of(m, "kernel_code_text"),
               *cases = text_of(m, "reference_cases");
    o->reference_path = text_of(m, "reference_path");
    o->kernel_code_path = text_of(m, "kernel_code_path");
    if (!reference && !desc) return true;
    char *stem = file_stem(a, o->op);
    if (!(*dir = fs_temp_dir(a, "opwright-job", err))) return false;
    if (reference && !(o->reference_path = write_text(a, *dir, arena_printf(a, "%s_torch_reference.py", stem),
                                                      reference, err)))
        return false;
    if (reference && cases &&
        !write_text(a, *dir, arena_printf(a, "%s_torch_reference.json", stem), cases, err))
        return false;
    return !desc ||
           (o->kernel_code_path = write_text(a, *dir, arena_printf(a, "%s.py", stem), desc, err)) != NULL;
}

/* What cannot be judged still gets an answer in the usual form. */
static void send_error(const VerifyOptions *o, const char *backend, const Err *err, Arena *a) {
    const Request r = {.op = o->op, .category = o->category, .language = "ascendc"};
    int status;
    const char *summary;
    json_t *result = job_error_result(a, &r, backend, err, &status, &summary);
    send_result(status, summary, result);
}

/* What this process verifies on: a simulated AI Core behind a warm bridge, or an NPU. */
typedef struct Backend {
    Bridge *bridge; /* NULL: there is none, and why says so */
    Err why;
    int npu; /* -1: simulated */
} Backend;

static bool verify_on(const Backend *k, Arena *a, const VerifyOptions *o, VerifyResult *r, Err *err) {
    if (k->npu >= 0 && !verify_model_is_default(&o->model))
        return err_set(err, ERR_BAD_INPUT, NULL, "strict, schedule, exact and toolchain are the simulator's; ask for a device such as sim:0");
    if (k->npu >= 0) return cann_verify_on(a, o, k->npu, r, err);
    *err = k->why;
    return k->bridge && verify_run(a, k->bridge, o, r, err);
}

static void verify_job(const Backend *k, const json_t *m) {
    Arena *a = arena_new();
    Err err = {0};
    char *dir = NULL;
    VerifyResult r = {0};
    VerifyOptions o = {.op = text_of(m, "op"),
                       .category = text_of(m, "category"),
                       .chip = text_of(m, "chip"),
                       .stage_limit_s = json_number_value(json_object_get(m, "stage_limit_s")),
                       .memory_mb = json_number_value(json_object_get(m, "memory_mb")),
                       .model = {.strict = json_is_true(json_object_get(m, "strict")),
                                 .exact = json_is_true(json_object_get(m, "exact")),
                                 .schedule = text_of(m, "schedule"),
                                 .toolchain = text_of(m, "toolchain")},
                       .on_log = send_log};
    const char *standard = text_of(m, "standard");
    (void)link_send(LINK_FD, json_pack("{s:s, s:s}", "type", "log", "stage", "build"));
    bool ok = (!standard || verify_standard_find(standard, &o.standard, &err)) &&
              place_sources(a, m, &o, &dir, &err) && verify_on(k, a, &o, &r, &err);
    if (ok) send_result(r.exit_code, r.summary, json_pack("[O]", r.json));
    else send_error(&o, k->npu >= 0 ? "cann" : "sim", &err, a);
    json_decref(r.json);
    if (dir) fs_remove_tree(dir);
    if (k->bridge) bridge_tidy(k->bridge);
    arena_free(a);
}

static void start_backend(Arena *a, const char *device, Backend *k) {
    *k = (Backend){.npu = !strncmp(device, "npu:", 4) ? atoi(device + 4) : -1};
    const char *home = fs_home(a, &k->why);
    if (home && k->npu >= 0) {
        (void)link_send(
            LINK_FD, json_pack("{s:s, s:s, s:b}", "type", "ready", "python", cann_python(a, home), "ok", 1));
        return;
    }
    BridgeOptions options = {.home = home};
    k->bridge = home ? bridge_start(&options, &k->why) : NULL;
    if (k->bridge) verify_warm(a, k->bridge);
    send_ready(k->bridge, &k->why);
}

int serve_worker_run(const char *device) {
    Arena *a = arena_new();
    Backend k;
    if (!start_watch()) return 3;
    start_backend(a, device, &k);
    json_t *m = NULL;
    while (link_receive(LINK_FD, -1, 0, &m) == LINK_MESSAGE) {
        verify_job(&k, m);
        json_decref(m);
        m = NULL;
    }
    json_decref(m);
    bridge_stop(k.bridge);
    arena_free(a);
    return 0;
}
