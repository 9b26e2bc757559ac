/* One function for each row of routes.def. */
#include "server/http.h"

#include "base/fs.h"

#include <stdlib.h>
#include <string.h>

#define MHD_YES_INT 1 /* handlers that wait */

/* ---- verify ---------------------------------------------------------------------------------- */

static int refuse_submit(Call *c, SubmitStatus status, const Err *err) {
    switch (status) {
    case SUBMIT_FORBIDDEN:
        return http_refuse(c, 403, "forbidden", err->where, err->message, NULL);
    case SUBMIT_FULL:
        return http_refuse(c, 429, "queue_full", NULL, "the queue is full", "try again later");
    case SUBMIT_CLOSING:
        return http_refuse(c, 503, "closing", NULL, "the service is stopping", "try again when it is back");
    default:
        return http_refuse(c, (unsigned)err_http_status(err->code), "bad_input", err->where, err->message,
                           err->hint);
    }
}

/* Makes the call's jobs; false: refused, with *answer the handler's result. */
static bool submit(Call *c, bool batch, bool stream, int *answer) {
    Request *items;
    size_t n;
    Err err = {0};
    if (c->jobs) return true;
    if (!request_parse(c->arena, c->body ? c->body : "", c->n_body, batch, &items, &n, &err)) {
        *answer = http_refuse(c, 400, "bad_input", err.where, err.message, err.hint);
        return false;
    }
    Job **jobs = ARENA_ARRAY(c->arena, n, Job *);
    for (size_t i = 0; i < n; i++) items[i].stream = stream;
    SubmitStatus status = service_submit(c->http->service, items, n, batch, jobs, &err);
    if (status != SUBMIT_OK) {
        *answer = refuse_submit(c, status, &err);
        return false;
    }
    c->jobs = jobs;
    c->n_jobs = n;
    return true;
}

/* The service stops before the job was done: it is recorded and runs again after the restart. */
static int refuse_stopping(Call *c) {
    return http_refuse(c, 503, "closing", NULL,
                       "the service is stopping; the job runs again after its restart",
                       "ask for it with GET /jobs");
}

int handle_verify(Call *c) {
    int answer;
    if (!submit(c, false, false, &answer)) return answer;
    if (!http_all_finished(c)) return MHD_YES_INT;
    if (c->next_job < c->n_jobs) return refuse_stopping(c);
    pthread_mutex_lock(&c->http->service->lock);
    json_t *o = job_answer_json(c->jobs[0], false, true);
    pthread_mutex_unlock(&c->http->service->lock);
    return http_answer_json(c, 200, o);
}

int handle_batch(Call *c) {
    int answer;
    if (!submit(c, true, false, &answer)) return answer;
    if (!http_all_finished(c)) return MHD_YES_INT;
    if (c->next_job < c->n_jobs) return refuse_stopping(c);
    json_t *list = json_array();
    pthread_mutex_lock(&c->http->service->lock);
    for (size_t i = 0; i < c->n_jobs; i++)
        json_array_append_new(list, job_answer_json(c->jobs[i], true, false));
    pthread_mutex_unlock(&c->http->service->lock);
    return http_answer_json(c, 200, list);
}

int handle_stream(Call *c) {
    int answer;
    if (!submit(c, false, true, &answer)) return answer;
    return http_answer_stream(c, false);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

int handle_jobs(Call *c) {
    Service *s = c->http->service;
    json_t *queued = json_array(), *running = json_array(), *finished = json_array();
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_queue; i++) json_array_append_new(queued, job_brief_json(s->queue[i]));
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].job) json_array_append_new(running, job_brief_json(s->slots[i].job));
    for (size_t i = 1; i <= SERVICE_RECENT && i <= s->next_recent; i++)
        json_array_append(finished, s->recent[(s->next_recent - i) % SERVICE_RECENT]);
    pthread_mutex_unlock(&s->lock);
    return http_answer_json(
        c, 200, json_pack("{s:o, s:o, s:o}", "queued", queued, "running", running, "finished", finished));
}

/* "17/log" -> 17 and "/log"; 0 when it does not start with a number. */
static uint64_t parse_id(const char *rest, const char **after) {
    char *end;
    if (rest[0] < '0' || rest[0] > '9') return 0;
    uint64_t id = strtoull(rest, &end, 10);
    *after = end;
    return id;
}

static int no_such_job(Call *c) {
    return http_refuse(c, 404, "not_found", NULL, "there is no such job", "GET /jobs lists the jobs");
}

static json_t *job_view(Job *j) {
    json_t *o = job_record_json(j);
    static const char *const HIDDEN[] = {"reference_text", "kernel_code_text", "reference_cases", "key"};
    for (size_t i = 0; i < sizeof HIDDEN / sizeof HIDDEN[0]; i++) json_object_del(o, HIDDEN[i]);
    return o;
}

/* A part of a log, from the byte that the request names. */
static int answer_log_text(Call *c, const char *text, size_t n_bytes) {
    const char *from = http_query(c, "from");
    size_t at = from ? (size_t)strtoull(from, NULL, 10) : 0;
    return http_answer_text(c, 200, "text/plain; charset=utf-8", text + (at < n_bytes ? at : n_bytes));
}

/* A finished job. */
static int answer_old_job(Call *c, uint64_t id, bool log) {
    json_t *o = store_read(c->http->service->store, id);
    Job *j = o ? job_from_record(o) : NULL;
    json_decref(o);
    if (!j) return no_such_job(c);
    int answer = log ? answer_log_text(c, arena_strdup(c->arena, j->log.text), j->log.n_bytes)
                     : http_answer_json(c, 200, job_view(j));
    job_release(j);
    return answer;
}

static int answer_log(Call *c, Job *j) {
    Service *s = c->http->service;
    const char *from = http_query(c, "from"), *follow = http_query(c, "follow");
    c->offset = from ? (size_t)strtoull(from, NULL, 10) : 0;
    c->jobs = ARENA_ARRAY(c->arena, 1, Job *);
    c->jobs[0] = j;
    c->n_jobs = 1;
    if (follow && !strcmp(follow, "1")) return http_answer_stream(c, true);
    pthread_mutex_lock(&s->lock);
    size_t n_bytes = j->log.n_bytes;
    const char *text = arena_strdup(c->arena, j->log.text);
    pthread_mutex_unlock(&s->lock);
    return answer_log_text(c, text, n_bytes);
}

int handle_job(Call *c) {
    Service *s = c->http->service;
    const char *after = "";
    uint64_t id = parse_id(c->rest, &after);
    bool log = !strcmp(after, "/log");
    if (id == 0 || (*after && !log)) return no_such_job(c);
    Job *j = service_find(s, id);
    if (!j) return answer_old_job(c, id, log);
    if (log) return answer_log(c, j);
    pthread_mutex_lock(&s->lock);
    json_t *o = job_view(j);
    job_release(j);
    pthread_mutex_unlock(&s->lock);
    return http_answer_json(c, 200, o);
}

int handle_cancel(Call *c) {
    const char *after = "";
    uint64_t id = parse_id(c->rest, &after);
    if (id == 0 || *after) return no_such_job(c);
    if (service_cancel(c->http->service, id))
        return http_answer_json(c, 202, json_pack("{s:I, s:b}", "id", (json_int_t)id, "cancelled", 1));
    json_t *record = store_read(c->http->service->store, id);
    if (!record) return no_such_job(c);
    json_decref(record);
    return http_refuse(c, 409, "finished", NULL, "the job is finished", NULL);
}

/* ---- the service itself ---------------------------------------------------------------------- */

static json_t *devices_json(const Service *s) {
    json_t *list = json_array();
    for (size_t i = 0; i < s->n_slots; i++) {
        const Slot *slot = &s->slots[i];
        json_t *o = json_pack("{s:s, s:s, s:b, s:b, s:s, s:i}", "name", slot->device, "backend",
                              slot->npu ? "cann" : "sim", "busy", (int)slot->busy, "warm", (int)slot->warm,
                              "python", slot->python, "pid", (int)slot->pid);
        if (slot->job) json_object_set_new(o, "job", json_integer((json_int_t)slot->job->id));
        json_array_append_new(list, o);
    }
    return list;
}

int handle_health(Call *c) {
    Service *s = c->http->service;
    pthread_mutex_lock(&s->lock);
    bool warm = false, npu = false, sim = false;
    for (size_t i = 0; i < s->n_slots; i++) {
        warm = warm || s->slots[i].warm;
        npu = npu || s->slots[i].npu;
        sim = sim || !s->slots[i].npu;
    }
    json_t *backends = json_array();
    if (sim) json_array_append_new(backends, json_string("sim"));
    if (npu) json_array_append_new(backends, json_string("cann"));
    json_t *o = json_pack("{s:s, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:f, s:b}", "status",
                          s->draining ? "draining"
                          : warm      ? "ok"
                                      : "starting",
                          "version", OPWRIGHT_VERSION, "devices", devices_json(s), "backends", backends,
                          "cage", c->http->cage ? c->http->cage : "not built in", "queue",
                          (json_int_t)s->n_queue, "running", (json_int_t)s->n_running, "max_inflight",
                          (json_int_t)s->o.max_inflight, "queue_limit", (json_int_t)s->o.queue_limit,
                          "uptime_s", time_now_s() - s->started_s, "token", c->http->token != NULL);
    pthread_mutex_unlock(&s->lock);
    return http_answer_json(c, 200, o);
}

int handle_metrics(Call *c) {
    Service *s = c->http->service;
    pthread_mutex_lock(&s->lock);
    const char *text = metrics_print_locked(c->arena, s);
    pthread_mutex_unlock(&s->lock);
    return http_answer_text(c, 200, "text/plain; version=0.0.4; charset=utf-8", text);
}

int handle_dashboard(Call *c) {
    return http_answer_text(c, 200, "text/html; charset=utf-8", c->http->dashboard);
}
