/* FIFO over the device pool: a free device goes to the first job that can use it, devices in turn; a job that
 * names devices waits for those; no more than max_inflight run at once. */
#include "server/service.h"

#include "base/fs.h"

#include <stdint.h>
#include <string.h>

/* Fills take with the devices the job can have now. */
static size_t choose_devices(const Service *s, const Job *j, size_t take[REQUEST_MAX_DEVICES]) {
    if (j->n_wants > 0) {
        for (size_t i = 0; i < j->n_wants; i++)
            if (s->slots[j->wants[i]].busy) return 0;
        memcpy(take, j->wants, j->n_wants * sizeof take[0]);
        return j->n_wants;
    }
    for (size_t i = 0; i < s->n_slots; i++) {
        size_t k = (s->next_slot + i) % s->n_slots;
        if (s->slots[k].busy || s->slots[k].npu != s->slots[0].npu)
            continue; /* unnamed: one kind, so that results compare */
        take[0] = k;
        return 1;
    }
    return 0;
}

/* The same work is being done: its result will be this job's too. */
static bool twin_runs(const Service *s, const Job *j) {
    if (j->request.no_cache || j->restored) return false;
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].job && !strcmp(s->slots[i].job->key, j->key)) return true;
    return false;
}

static void start_job(Service *s, Job *j, const size_t *take, size_t n) {
    StrBuf names;
    strbuf_init(&names, j->arena);
    for (size_t i = 0; i < n; i++) {
        s->slots[take[i]].busy = true;
        j->device[i] = take[i];
        strbuf_printf(&names, "%s%s", i ? ", " : "", s->slots[take[i]].device);
    }
    if (j->n_wants == 0) s->next_slot = (take[0] + 1) % s->n_slots;
    j->n_devices = n;
    j->device_names = names.text;
    j->state = JOB_RUNNING;
    j->stage = "starting";
    j->started_at = time(NULL);
    j->started_s = time_now_s();
    s->n_running++;
    metrics_observe(&s->counters.waiting, j->started_s - j->accepted_s);
    store_write_live(s->store, j);
    if (j->note) job_log(j, "%s", j->note);
    job_log(j, "verifying on %s", j->device_names);
    job_meta(j);
    Slot *slot = &s->slots[take[0]];
    slot->job = j;
    slot_wake_locked(slot);
}

static void remove_at(Service *s, size_t i) {
    memmove(&s->queue[i], &s->queue[i + 1], (s->n_queue - i - 1) * sizeof s->queue[0]);
    s->n_queue--;
}

static bool start_one(Service *s) {
    size_t take[REQUEST_MAX_DEVICES];
    for (size_t i = 0; i < s->n_queue; i++) {
        Job *j = s->queue[i];
        size_t n = twin_runs(s, j) ? 0 : choose_devices(s, j, take);
        if (n == 0) continue;
        remove_at(s, i);
        start_job(s, j, take, n);
        return true;
    }
    return false;
}

void queue_dispatch_locked(Service *s) {
    while (!s->stopping && s->n_running < s->o.max_inflight && start_one(s)) {
    }
    for (size_t i = 0; i < s->n_queue; i++) {
        Job *j = s->queue[i];
        if (j->ahead == i) continue;
        j->ahead = i;
        job_log_place(j, i);
    }
}

void queue_push_locked(Service *s, Job *j) {
    if (s->n_queue == s->cap_queue)
        s->queue = arena_grow(s->arena, s->queue, &s->cap_queue, sizeof s->queue[0]);
    s->queue[s->n_queue++] = j;
}

bool queue_remove_locked(Service *s, Job *j) {
    for (size_t i = 0; i < s->n_queue; i++)
        if (s->queue[i] == j) {
            remove_at(s, i);
            return true;
        }
    return false;
}

Slot *service_slot_of_locked(Service *s, const Job *j) {
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].job == j) return &s->slots[i];
    return NULL;
}
