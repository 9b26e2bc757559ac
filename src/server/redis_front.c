#include "server/redis_front.h"

#include "base/fs.h"
#include "server/redis_queue.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define POLL_MS     200 /* how soon a cancellation is seen */
#define LOOK_S      2
#define NO_DEVICE_S 30 /* a job for an NPU that no worker has is given up after this time */

bool front_make_slots(Service *s, Err *err) {
    RedisLink link = {.url = s->o.queue};
    if (!redis_link_open(&link, err)) return false;
    redis_link_close(&link);
    s->slots = ARENA_ARRAY(s->arena, REQUEST_MAX_DEVICES, Slot);
    for (; s->n_slots < REQUEST_MAX_DEVICES; s->n_slots++) {
        Slot *slot = &s->slots[s->n_slots];
        *slot = (Slot){.service = s, .number = s->n_slots, .fd = -1, .warm = true};
        slot->device = arena_printf(s->arena, "queue:%zu", s->n_slots);
        snprintf(slot->python, sizeof slot->python, "a place in %.120s", s->o.queue->shown);
    }
    if (s->o.max_inflight == 0) s->o.max_inflight = s->n_slots;
    fprintf(stderr, "opwright: jobs go to the workers at %s\n", s->o.queue->shown);
    return true;
}

static bool is_npu(const char *device) {
    return !strncmp(device, "npu:", 4);
}

bool front_resolve_devices(Job *j, const char *where, Err *err) {
    size_t n_npu = 0;
    for (size_t i = 0; i < j->request.n_devices; i++) n_npu += is_npu(j->request.devices[i]);
    j->backend = n_npu > 0 ? "cann" : "sim";
    return n_npu <= 1 || err_set(err, ERR_BAD_INPUT, where, "names %zu NPUs; with a shared queue a job has one device", n_npu);
}

static const char *lane_of(const Job *j) {
    for (size_t i = 0; i < j->request.n_devices; i++)
        if (is_npu(j->request.devices[i])) return j->request.devices[i];
    return "sim";
}

/* ---- outcomes -------------------------------------------------------------------------------- */

static void say(Service *s, Job *j, const char *text) {
    pthread_mutex_lock(&s->lock);
    job_log(j, "%s", text);
    pthread_mutex_unlock(&s->lock);
}

static void finish_infra(Service *s, Job *j, JobState state, const char *message) {
    pthread_mutex_lock(&s->lock);
    job_log(j, "%s", message);
    service_finish_locked(s, j, state, 3, job_plain_result(&j->request, j->backend, "INFRA_ERROR", message, NULL),
                          arena_printf(j->arena, "INFRA_ERROR %s: %s", j->request.op, message));
    pthread_mutex_unlock(&s->lock);
}

/* The result as a worker wrote it (redis_worker.c), or why there is none. */
static void finish_text(Service *s, Job *j, const char *text) {
    json_t *o = text ? json_loads(text, 0, NULL) : NULL, *result = json_object_get(o, "result");
    const char *summary = json_string_value(json_object_get(o, "summary"));
    json_int_t given_up = json_integer_value(json_object_get(o, "given_up"));
    char why[160];
    if (json_is_array(result)) {
        pthread_mutex_lock(&s->lock);
        service_finish_locked(s, j, JOB_DONE, (int)json_integer_value(json_object_get(o, "exit_code")), json_incref(result),
                              summary ? summary : "");
        pthread_mutex_unlock(&s->lock);
    } else if (given_up > 0) {
        snprintf(why, sizeof why, "given up: each of the %d workers that took this job died or was lost", (int)given_up);
        finish_infra(s, j, JOB_DONE, why);
    } else {
        finish_infra(s, j, JOB_DONE, text ? "the result in the queue cannot be read" : "the job was closed in the queue without a result");
    }
    json_decref(o);
}

/* ---- handing over ---------------------------------------------------------------------------- */

/* The job with its sources; its log so far stays here. free() it. */
static char *print_body(Service *s, const Job *j) {
    pthread_mutex_lock(&s->lock);
    json_t *o = job_record_json(j);
    pthread_mutex_unlock(&s->lock);
    json_object_del(o, "logs");
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    return text;
}

/* Jobs enter the queue in the order they were accepted: each waits for the older ones that were started with it. */
static bool is_next_locked(const Service *s, const Job *j) {
    for (size_t i = 0; i < s->n_slots; i++) {
        const Slot *o = &s->slots[i];
        if (o->job && o->job->id < j->id && o->published != o->job->id) return false;
    }
    return true;
}

static void wait_turn(Slot *slot, const Job *j) {
    Service *s = slot->service;
    pthread_mutex_lock(&s->lock);
    while (!is_next_locked(s, j) && !j->cancel && !s->stopping) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec++;
        pthread_cond_timedwait(&slot->work, &s->lock, &until);
    }
    pthread_mutex_unlock(&s->lock);
}

static void set_published(Slot *slot, const Job *j) {
    Service *s = slot->service;
    pthread_mutex_lock(&s->lock);
    slot->published = j->id;
    for (size_t i = 0; i < s->n_slots; i++) pthread_cond_signal(&s->slots[i].work);
    pthread_mutex_unlock(&s->lock);
}

/* ---- following ------------------------------------------------------------------------------- */

typedef struct Front {
    Slot *slot;
    Job *job;
    RedisJob key;
    char last[48]; /* of the log */
    bool submitted, begun, done;
    bool told_away, told_alone;
    double look_at_s, alone_since_s;
} Front;

static void take_line(void *ctx, const char *type, const char *data, const char *stage) {
    Front *f = ctx;
    Job *j = f->job;
    Service *s = f->slot->service;
    f->done = f->done || !strcmp(type, "done");
    if (f->done) return;
    bool start = !strcmp(type, "start");
    f->begun = true;
    pthread_mutex_lock(&s->lock);
    if (start && stage && strcmp(stage, "1") != 0) job_log(j, "its worker died or was lost; this is attempt %s", stage);
    if (start) job_log(j, "worker %s has it", data);
    if (!start && stage && *stage) j->stage = arena_strdup(j->arena, stage);
    if (!start && *data) job_log(j, "%s", data);
    pthread_mutex_unlock(&s->lock);
}

/* Now and then: a Redis that lost its data gets the job again; a job for which there is no worker says so. False: given up. */
static bool look(Front *f, RedisLink *l) {
    bool known;
    size_t n_workers;
    char text[160];
    double now_s = time_now_s();
    if (now_s < f->look_at_s) return true;
    f->look_at_s = now_s + LOOK_S;
    if (!redisq_look(l, &f->key, &known, &n_workers)) return true;
    if (!known) {
        say(f->slot->service, f->job, "the queue has lost this job: sending it again");
        f->submitted = false;
    }
    if (n_workers > 0 || f->begun) f->alone_since_s = 0;
    else if (!(f->alone_since_s > 0)) f->alone_since_s = now_s;
    if (!(f->alone_since_s > 0)) return true;
    if (!f->told_alone) {
        snprintf(text, sizeof text, "no worker for %s is there now: waiting for one", f->key.lane);
        say(f->slot->service, f->job, text);
        f->told_alone = true;
    }
    return !is_npu(f->key.lane) || now_s - f->alone_since_s < NO_DEVICE_S;
}

static bool submit(Front *f, RedisLink *l) {
    char *body = print_body(f->slot->service, f->job);
    bool ok = body && strlen(body) <= REDISQ_BODY_BYTES;
    if (!ok) {
        f->done = true;
        finish_infra(f->slot->service, f->job, JOB_DONE, "the job is too large for the queue");
    } else if ((f->submitted = redisq_submit(l, &f->key, body))) {
        set_published(f->slot, f->job);
    }
    free(body);
    return ok;
}

static void pause_away(Front *f) {
    if (!f->told_away) say(f->slot->service, f->job, "the queue is away: waiting for it");
    f->told_away = true;
    usleep(50000);
}

/* True: stopped or cancelled, and finished. */
static bool end_early(Front *f, RedisLink *l) {
    Service *s = f->slot->service;
    bool was_open;
    pthread_mutex_lock(&s->lock);
    bool cancel = f->job->cancel, stopping = s->stopping;
    pthread_mutex_unlock(&s->lock);
    if (!cancel && !stopping) return false;
    if (redis_link_ready(l, NULL)) (void)redisq_cancel(l, &f->key, &was_open);
    if (stopping) finish_infra(s, f->job, JOB_ABORTED, "the service was stopped while this job ran");
    else finish_infra(s, f->job, JOB_CANCELLED, f->begun ? "cancelled while it ran" : "cancelled while it waited");
    return true;
}

static void run_job(Slot *slot, RedisLink *l, Job *j) {
    Service *s = slot->service;
    Front f = {.slot = slot, .job = j, .last = "0", .look_at_s = time_now_s() + LOOK_S / 4.0};
    char *text = NULL;
    snprintf(f.key.lane, sizeof f.key.lane, "%s", lane_of(j));
    redisq_new_id(f.key.id);
    pthread_mutex_lock(&s->lock);
    j->backend = is_npu(f.key.lane) ? "cann" : "sim"; /* one from a record does not know */
    pthread_mutex_unlock(&s->lock);
    wait_turn(slot, j);
    for (;;) {
        if (end_early(&f, l)) return;
        if (!redis_link_ready(l, NULL)) {
            pause_away(&f);
        } else if (f.done) {
            if (!redisq_result(l, &f.key, &text)) continue;
            finish_text(s, j, text);
            return free(text);
        } else if (!f.submitted) {
            if (!submit(&f, l)) return;
        } else if (redisq_follow(l, &f.key, f.last, POLL_MS, take_line, &f) && !f.done && !look(&f, l)) {
            bool was_open = false;
            if (!redisq_cancel(l, &f.key, &was_open)) continue;
            if (was_open) return finish_infra(s, j, JOB_DONE, "no worker has the device this job asks for");
        }
    }
}

void *front_slot_thread(void *arg) {
    Slot *slot = arg;
    Service *s = slot->service;
    RedisLink link = {.url = s->o.queue};
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        Job *j = slot->job;
        if (!j) {
            pthread_cond_wait(&slot->work, &s->lock);
            continue;
        }
        pthread_mutex_unlock(&s->lock);
        run_job(slot, &link, j);
        pthread_mutex_lock(&s->lock);
        slot->warm = link.c != NULL;
    }
    Job *left = slot->job;
    pthread_mutex_unlock(&s->lock);
    if (left) finish_infra(s, left, JOB_ABORTED, "the service was stopped while this job ran");
    redis_link_close(&link);
    return NULL;
}
