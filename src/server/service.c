/* Life of the service and of the jobs in it. */
#include "server/service.h"

#include "base/fs.h"
#include "server/redis_front.h"
#include "cann/cann.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* ---- start ----------------------------------------------------------------------------------- */

static const char *default_state_dir(Arena *a) {
    const char *dir = fs_user_dir(a, "XDG_STATE_HOME", ".local/state");
    return arena_printf(a, "%s/serve", dir ? dir : "/tmp/.local/state/opwright");
}

static bool env_number(const char *name, size_t *out, Err *err) {
    const char *text = getenv(name);
    if (!text || !*text) return true;
    char *end;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || *end || text[0] == '-' || n > 10000)
        return err_set(err, ERR_USAGE, NULL, "%s=%s is not a number from 0 to 10000", name, text);
    *out = n;
    return true;
}

static bool take_options(Service *s, const ServeOptions *o, Err *err) {
    Arena *a = s->arena;
    s->o = *o;
    if (!o->host) s->o.host = "127.0.0.1";
    if (!o->queue_limit) s->o.queue_limit = 1000;
    if (!o->body_limit_bytes) s->o.body_limit_bytes = (size_t)32 << 20;
    if (!o->cache_limit) s->o.cache_limit = 1000;
    if (!(o->memory_mb > 0)) s->o.memory_mb = 8192;
    if (!(o->receive_limit_s > 0)) s->o.receive_limit_s = 60;
    char real[PATH_MAX];
    const char *dir = o->state_dir ? o->state_dir : default_state_dir(a);
    if (!fs_make_dirs(dir, err)) return false;
    if (!realpath(dir, real))
        return err_set(err, ERR_IO, dir, "cannot use the state folder %s: %s", dir, strerror(errno));
    s->o.state_dir = arena_strdup(a, real);
    return s->o.max_inflight > 0 || env_number("ASCEND_VERIFY_MAX_INFLIGHT", &s->o.max_inflight, err);
}

/* The vendor's tools take minutes for what the simulator's build does in a second. */
double service_stage_limit_s(const Service *s, bool npu) {
    return s->o.stage_limit_s > 0 ? s->o.stage_limit_s : npu ? 600 : 120;
}

double service_job_limit_s(const Service *s, bool npu) {
    return s->o.job_limit_s > 0 ? s->o.job_limit_s : npu ? 3600 : 900;
}

static const char *default_devices(Arena *a) {
    char why[512];
    CannParts parts = {0};
    StrBuf sb;
    strbuf_init(&sb, a);
    if (cann_available(why, sizeof why)) cann_find(a, &parts);
    for (size_t i = 0; i < parts.n_devices; i++)
        strbuf_printf(&sb, "%snpu:%d", i ? "," : "", parts.devices[i]);
    if (parts.n_devices > 0) return sb.text;
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    for (long i = 0; i < (n > 0 ? n : 1) && i < REQUEST_MAX_DEVICES; i++)
        strbuf_printf(&sb, "%ssim:%ld", i ? "," : "", i);
    return sb.text;
}

static bool check_npu(Arena *a, const char *name, Err *err) {
    char why[512];
    CannParts parts = {0};
    if (!cann_available(why, sizeof why)) {
        err_set(err, ERR_NO_CANN, NULL, "%s is in the device pool, but no NPU can be used here: %s", name, why);
        return err_hint(err, "opwright doctor says how to get it; --devices sim:0,sim:1 are simulated AI Cores");
    }
    cann_find(a, &parts);
    for (size_t i = 0; i < parts.n_devices; i++)
        if (parts.devices[i] == atoi(name + 4)) return true;
    return err_set(err, ERR_NO_CANN, NULL, "%s is in the device pool, but this machine has no such NPU", name);
}

static bool add_slot(Service *s, const char *text, Err *err) {
    const char *name = request_device_name(s->arena, text);
    if (!name)
        return err_set(err, ERR_USAGE, NULL, "`%s` is not a device: they are called `sim:0` or `npu:0`",
                       text);
    bool npu = !strncmp(name, "npu:", 4);
    if (npu && !check_npu(s->arena, name, err)) return false;
    for (size_t i = 0; i < s->n_slots; i++)
        if (!strcmp(s->slots[i].device, name))
            return err_set(err, ERR_USAGE, NULL, "%s is in the device pool twice", name);
    if (s->n_slots == REQUEST_MAX_DEVICES)
        return err_set(err, ERR_USAGE, NULL, "more than %d devices", REQUEST_MAX_DEVICES);
    s->slots[s->n_slots] = (Slot){.service = s, .number = s->n_slots, .device = name, .npu = npu, .fd = -1};
    s->n_slots++;
    return true;
}

static bool make_slots(Service *s, Err *err) {
    if (s->o.queue) return front_make_slots(s, err);
    const char *env = getenv("ASCEND_VERIFY_DEVICE_POOL"), *text = s->o.devices  ? s->o.devices
                                                                   : env && *env ? env
                                                                                 : default_devices(s->arena);
    char *rest = arena_strdup(s->arena, text);
    s->slots = ARENA_ARRAY(s->arena, REQUEST_MAX_DEVICES, Slot);
    for (char *part; (part = strsep(&rest, ","));)
        if (part[strspn(part, " \t")] && !add_slot(s, part, err)) return false;
    if (s->n_slots == 0) return err_set(err, ERR_USAGE, NULL, "the device pool is empty");
    if (s->o.max_inflight == 0) s->o.max_inflight = s->n_slots;
    return true;
}

Service *service_new(const ServeOptions *o, Err *err) {
    Arena *a = arena_new();
    Service *s = ARENA_NEW(a, Service);
    s->arena = a;
    s->root.fd = -1;
    s->started_s = time_now_s();
    pthread_mutex_init(&s->lock, NULL);
    const char *home = fs_home(a, err);
    if (home && take_options(s, o, err) && make_slots(s, err) &&
        source_root_open(a, o->root, &s->root, err) && (s->store = store_open(a, s->o.state_dir, err)) &&
        fs_make_dirs(arena_printf(a, "%s/cache", s->o.state_dir), err)) {
        s->cache = cache_open(a, arena_printf(a, "%s/cache", s->o.state_dir), s->o.cache_limit);
        fs_remove_tree(arena_printf(a, "%s/tmp", s->o.state_dir));
        key_fingerprint(home, s->fingerprint);
        return s;
    }
    service_free(s);
    return NULL;
}

void service_free(Service *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n_queue; i++) job_release(s->queue[i]);
    for (size_t i = 0; i < SERVICE_RECENT; i++) json_decref(s->recent[i]);
    cache_free(s->cache);
    store_close(s->store);
    if (s->root.fd >= 0) close(s->root.fd);
    pthread_mutex_destroy(&s->lock);
    arena_free(s->arena);
}

/* ---- finished jobs --------------------------------------------------------------------------- */

/* Takes the service's hold on j. */
static void remember(Service *s, Job *j) {
    json_t **place = &s->recent[s->next_recent % SERVICE_RECENT];
    json_decref(*place);
    *place = job_brief_json(j);
    s->next_recent++;
    job_release(j);
}

void service_answer_cached_locked(Service *s, Job *j, json_t *hit) {
    j->cached = true;
    s->counters.cache_hits++;
    job_log(j, "answered from the cache: the same sources were verified before");
    job_meta(j);
    service_finish_locked(s, j, JOB_DONE, (int)json_integer_value(json_object_get(hit, "exit_code")),
                          json_incref(json_object_get(hit, "result")),
                          json_string_value(json_object_get(hit, "summary")));
    json_decref(hit);
}

/* Answers what waits for the same result. */
static void serve_twins(Service *s, const Job *j) {
    for (size_t i = 0; i < s->n_queue;) {
        Job *twin = s->queue[i];
        json_t *hit =
            !twin->request.no_cache && !strcmp(twin->key, j->key) ? cache_find(s->cache, j->key) : NULL;
        if (!hit) {
            i++;
            continue;
        }
        queue_remove_locked(s, twin);
        service_answer_cached_locked(s, twin, hit);
        i = 0;
    }
}

void service_finish_locked(Service *s, Job *j, JobState state, int exit_code, json_t *result,
                           const char *summary) {
    Slot *slot = service_slot_of_locked(s, j);
    bool ran = j->state == JOB_RUNNING && slot;
    job_hold(j);
    job_finish(j, state, exit_code, result, summary);
    metrics_observe(&s->counters.total, j->finished_s - j->accepted_s);
    metrics_count_verdict_locked(s, j);
    s->counters.cancelled += state == JOB_CANCELLED;
    store_write_finished(s->store, j);
    remember(s, j);
    if (ran) {
        slot->job = NULL;
        for (size_t i = 0; i < j->n_devices; i++) s->slots[j->device[i]].busy = false;
        s->n_running--;
        if (cache_may_keep(j)) {
            cache_put(s->cache, j->key, j);
            serve_twins(s, j);
        }
        queue_dispatch_locked(s);
    }
    job_release(j);
}

Job *service_find(Service *s, uint64_t id) {
    Job *found = NULL;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_queue && !found; i++)
        if (s->queue[i]->id == id) found = s->queue[i];
    for (size_t i = 0; i < s->n_slots && !found; i++)
        if (s->slots[i].job && s->slots[i].job->id == id) found = s->slots[i].job;
    if (found) job_hold(found);
    pthread_mutex_unlock(&s->lock);
    return found;
}

bool service_cancel(Service *s, uint64_t id) {
    Job *j = service_find(s, id);
    pthread_mutex_lock(&s->lock);
    bool live = j && !job_finished(j);
    Slot *slot = live ? service_slot_of_locked(s, j) : NULL;
    if (slot) {
        j->cancel = true;
        slot_wake_locked(slot);
    } else if (live && queue_remove_locked(s, j)) {
        job_log(j, "cancelled while it waited");
        service_finish_locked(
            s, j, JOB_CANCELLED, 3,
            job_plain_result(&j->request, j->backend, "INFRA_ERROR", "cancelled while it waited", NULL),
            arena_printf(j->arena, "INFRA_ERROR %s: cancelled while it waited", j->request.op));
        queue_dispatch_locked(s);
    }
    job_release(j);
    pthread_mutex_unlock(&s->lock);
    return live;
}

/* ---- restart --------------------------------------------------------------------------------- */

static void take_record(void *ctx, const json_t *record, bool live) {
    Service *s = ctx;
    Job *j = job_from_record(record);
    if (!j) return;
    if (!live) return remember(s, j);
    if (j->state == JOB_QUEUED) {
        job_log(j, "the service was restarted while this job waited");
        j->n_wants = 0; /* the pool may be another one now, so any device will do */
        j->backend = s->slots[0].npu ? "cann" : "sim";
        return queue_push_locked(s, j);
    }
    static const char WHY[] = "the service ended while this job ran";
    if (!job_finished(j)) {
        job_log(j, "%s", WHY);
        job_finish(j, JOB_ABORTED, 3,
                   job_plain_result(&j->request, j->backend, "INFRA_ERROR", WHY, "send the request again"),
                   arena_printf(j->arena, "INFRA_ERROR %s: %s", j->request.op, WHY));
        metrics_count_verdict_locked(s, j);
    }
    store_write_finished(s->store, j);
    remember(s, j);
}

bool service_start(Service *s, Err *err) {
    /* What a worker leaves behind becomes ours, so that it can be found and reaped. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pthread_mutex_lock(&s->lock);
    s->next_id = store_load(s->store, SERVICE_RECENT, take_record, s) + 1;
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->n_slots; i++)
        if (!slot_start(&s->slots[i], err)) return false;
    pthread_mutex_lock(&s->lock);
    queue_dispatch_locked(s);
    pthread_mutex_unlock(&s->lock);
    return true;
}

void service_drain(Service *s) {
    pthread_mutex_lock(&s->lock);
    s->draining = true;
    pthread_mutex_unlock(&s->lock);
}

bool service_is_idle(Service *s) {
    pthread_mutex_lock(&s->lock);
    bool idle = s->n_queue == 0 && s->n_running == 0;
    pthread_mutex_unlock(&s->lock);
    return idle;
}

void service_stop(Service *s) {
    pthread_mutex_lock(&s->lock);
    s->draining = s->stopping = true;
    for (size_t i = 0; i < s->n_slots; i++)
        if (s->slots[i].has_thread) slot_wake_locked(&s->slots[i]);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->n_slots; i++) slot_join(&s->slots[i]);
}
