/* A service without HTTP, and for each of its devices a thread that takes one job after another from the shared queue, puts it
 * on that device, passes on what it says, and reports that the worker lives. */
#include "server/redis_worker.h"

#include "base/fs.h"
#include "server/redis_queue.h"
#include "server/service.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BEAT_MOST_S 0.5 /* how soon a cancellation is seen */
#define ALIVE_EVERY 4.0 /* seconds */
#define WAIT_MS     500
#define STATE_DIRS  64

typedef struct Feeder {
    Service *service;
    size_t number; /* of the slot */
    char lane[24], consumer[200];
    RedisLink link;
    double claim_after_s, claim_at_s, alive_at_s, beat_at_s;
    pthread_t thread;
    bool has_thread, ended; /* ended: guarded by the service's lock */
    bool *draining; /* guarded by the service's lock, as *stop */
    bool *stop;
    pthread_cond_t news; /* the job has said something */
} Feeder;

/* One job here. */
typedef struct Run {
    RedisJob key;
    Job *job;
    JobWatch watch;
    size_t n_sent; /* bytes of its log */
    char *stage;   /* as last sent */
    bool lost;     /* cancelled, or another worker has it */
} Run;

static bool flag(Feeder *f, const bool *what) {
    pthread_mutex_lock(&f->service->lock);
    bool on = *what;
    pthread_mutex_unlock(&f->service->lock);
    return on;
}

/* A link that came back: what this worker holds may look abandoned, and so may the others' jobs. All get time to speak up. */
static bool ready(Feeder *f) {
    bool fresh;
    if (!redis_link_ready(&f->link, &fresh)) return false;
    if (!fresh) return true;
    f->claim_at_s = time_now_s() + f->claim_after_s;
    f->alive_at_s = 0;
    return redisq_join(&f->link, f->lane);
}

static void tell_alive(Feeder *f) {
    if (time_now_s() >= f->alive_at_s && redisq_alive(&f->link, f->lane, f->consumer)) f->alive_at_s = time_now_s() + ALIVE_EVERY;
}

/* ---- one job --------------------------------------------------------------------------------- */

static void wake(void *ctx) {
    pthread_cond_signal(&((Feeder *)ctx)->news);
}

/* Puts the job on this feeder's device; NULL: it is no job. */
static Job *start_job(Feeder *f, const char *body) {
    Service *s = f->service;
    json_t *o = json_loads(body, 0, NULL);
    Job *j = o ? job_from_record(o) : NULL;
    json_decref(o);
    if (!j || !j->reference_text || !j->kernel_code_text) { /* a worker never reads files of its own for a job */
        job_release(j);
        return NULL;
    }
    size_t *wants = ARENA_ARRAY(j->arena, 1, size_t);
    wants[0] = f->number;
    pthread_mutex_lock(&s->lock);
    j->id = s->next_id++;
    j->state = JOB_QUEUED;
    j->wants = wants;
    j->n_wants = 1;
    job_hold(j);
    queue_push_locked(s, j);
    queue_dispatch_locked(s);
    pthread_mutex_unlock(&s->lock);
    return j;
}

/* Passes on what the job has said since. False: Redis is away; it is said later. */
static bool pass_log(Feeder *f, Run *r) {
    Service *s = f->service;
    pthread_mutex_lock(&s->lock);
    char *text = strdup(r->job->log.text + r->n_sent), *stage = strdup(r->job->stage);
    pthread_mutex_unlock(&s->lock);
    bool ok = text && stage;
    if (ok && !*text && (!r->stage || strcmp(r->stage, stage) != 0)) ok = redisq_say(&f->link, &r->key, "", stage);
    for (char *line = text; ok && *line;) {
        size_t n = strcspn(line, "\n"), n_all = n + (line[n] == '\n');
        line[n] = '\0';
        ok = redisq_say(&f->link, &r->key, line, stage);
        if (ok) r->n_sent += n_all;
        line += n_all;
    }
    free(text);
    free(r->stage);
    r->stage = ok ? stage : NULL;
    if (!ok) free(stage);
    return ok;
}

static void beat(Feeder *f, Run *r) {
    bool ours = true;
    double every_s = f->claim_after_s / 4 < BEAT_MOST_S ? f->claim_after_s / 4 : BEAT_MOST_S;
    if (time_now_s() < f->beat_at_s || !redisq_beat(&f->link, &r->key, f->consumer, &ours)) return;
    f->beat_at_s = time_now_s() + every_s;
    if (ours || r->lost) return;
    r->lost = true;
    fprintf(stderr, "opwright: job %s was cancelled, or another worker has taken it: dropped here\n", r->key.id);
    (void)service_cancel(f->service, r->job->id);
}

static void wait_news(Feeder *f, Run *r) {
    Service *s = f->service;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&s->lock);
    if (!job_finished(r->job) && !r->job->log.text[r->n_sent]) {
        r->watch = (JobWatch){.wake = wake, .ctx = f};
        job_watch(r->job, &r->watch);
        pthread_cond_timedwait(&f->news, &s->lock, &until);
        job_unwatch(r->job, &r->watch);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Follows the job to its end here. */
static void follow(Feeder *f, Run *r) {
    for (;;) {
        pthread_mutex_lock(&f->service->lock);
        bool finished = job_finished(r->job) || (*f->stop && r->job->state == JOB_QUEUED);
        pthread_mutex_unlock(&f->service->lock);
        if (ready(f) && !r->lost) {
            beat(f, r);
            tell_alive(f);
            if (!r->lost) (void)pass_log(f, r);
        }
        if (finished) return;
        wait_news(f, r);
    }
}

/* free() it. */
static char *print_result(Feeder *f, const Job *j) {
    pthread_mutex_lock(&f->service->lock);
    json_t *o = json_pack("{s:i, s:s, s:O, s:s}", "exit_code", j->exit_code, "summary", j->summary, "result", j->result, "worker", f->consumer);
    pthread_mutex_unlock(&f->service->lock);
    char *text = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    if (text && strlen(text) <= REDISQ_BODY_BYTES) return text;
    free(text);
    return strdup("{}"); /* the service says that it cannot be read */
}

/* Delivers the result, however long Redis is away; only a stop gives up, and then the job is another worker's. */
static void deliver(Feeder *f, Run *r) {
    bool first = true;
    char *text = print_result(f, r->job);
    if (!text) return;
    while (!(ready(f) && redisq_finish(&f->link, &r->key, text, &first)) && !flag(f, f->stop)) usleep(50000);
    if (!first) fprintf(stderr, "opwright: job %s has a result already or was cancelled: the one of this worker is dropped\n", r->key.id);
    free(text);
}

static void refuse_body(Feeder *f, const RedisJob *key) {
    bool first;
    fprintf(stderr, "opwright: job %s in the queue cannot be read\n", key->id);
    (void)redisq_finish(&f->link, key, "{}", &first);
}

static void run_job(Feeder *f, const RedisJob *key, const char *body) {
    Run r = {.key = *key, .job = start_job(f, body)};
    if (!r.job) return refuse_body(f, key);
    f->beat_at_s = 0;
    follow(f, &r);
    pthread_mutex_lock(&f->service->lock);
    bool judged = r.job->state == JOB_DONE;
    pthread_mutex_unlock(&f->service->lock);
    if (judged && !r.lost) deliver(f, &r);
    else if (!r.lost && ready(f)) (void)redisq_release(&f->link, key, f->consumer);
    free(r.stage);
    pthread_mutex_lock(&f->service->lock);
    job_release(r.job);
    pthread_mutex_unlock(&f->service->lock);
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Abandoned jobs are older than all that wait, so they come first. */
static bool take(Feeder *f, RedisJob *key) {
    bool got = false;
    if (time_now_s() >= f->claim_at_s) {
        if (!redisq_take(&f->link, f->lane, f->consumer, (int64_t)(f->claim_after_s * 1000), 0, key, &got)) return false;
        if (got) return true;
        f->claim_at_s = time_now_s() + f->claim_after_s / 4;
    }
    return redisq_take(&f->link, f->lane, f->consumer, 0, WAIT_MS, key, &got) && got;
}

/* A machine without PyTorch would turn every job into an error: it takes none. */
static bool is_able(Feeder *f, bool *able) {
    pthread_mutex_lock(&f->service->lock);
    *able = *able || f->service->slots[f->number].warm;
    pthread_mutex_unlock(&f->service->lock);
    return *able;
}

static void *feed(void *arg) {
    Feeder *f = arg;
    bool able = false;
    while (!flag(f, f->draining)) {
        RedisJob key = {0};
        char *body = NULL;
        int tries = 0;
        if (!is_able(f, &able) || !ready(f)) {
            usleep(50000);
            continue;
        }
        tell_alive(f);
        if (!take(f, &key) || !redisq_begin(&f->link, &key, f->consumer, &tries, &body)) continue;
        if (tries < 0) fprintf(stderr, "opwright: job %s is given up: %d workers died of it\n", key.id, REDISQ_TRIES);
        if (tries > 0) run_job(f, &key, body ? body : "");
        free(body);
    }
    if (ready(f)) (void)redisq_leave(&f->link, f->lane, f->consumer);
    redis_link_close(&f->link);
    pthread_mutex_lock(&f->service->lock);
    f->ended = true;
    pthread_mutex_unlock(&f->service->lock);
    return NULL;
}

/* ---- the process ----------------------------------------------------------------------------- */

static const char *base_dir(Arena *a) {
    const char *dir = fs_user_dir(a, "XDG_STATE_HOME", ".local/state");
    return dir ? dir : "/tmp/.local/state/opwright";
}

/* Several workers may run on one machine: each takes the first state folder that is free. */
static Service *open_service(Arena *a, const WorkerOptions *o, Err *err) {
    ServeOptions so = o->serve;
    if (so.state_dir) return service_new(&so, err);
    for (int i = 0; i < STATE_DIRS; i++) {
        so.state_dir = arena_printf(a, "%s/worker-%d", base_dir(a), i);
        *err = (Err){0};
        Service *s = service_new(&so, err);
        if (s || err->code != ERR_USAGE || strcmp(err->where, so.state_dir) != 0) return s;
    }
    return NULL;
}

static bool start_feeders(Service *s, const WorkerOptions *o, Feeder *feeders, bool *draining, bool *stop, Err *err) {
    char host[100] = "";
    (void)gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < s->n_slots; i++) {
        Feeder *f = &feeders[i];
        const char *device = s->slots[i].device;
        *f = (Feeder){.service = s, .number = i, .draining = draining, .stop = stop, .claim_after_s = o->claim_after_s, .link.url = o->url};
        snprintf(f->lane, sizeof f->lane, "%s", !strncmp(device, "sim:", 4) ? "sim" : device);
        snprintf(f->consumer, sizeof f->consumer, "%s/%d/%s", host, (int)getpid(), device);
        pthread_cond_init(&f->news, NULL);
        f->has_thread = pthread_create(&f->thread, NULL, feed, f) == 0;
        if (!f->has_thread) return err_set(err, ERR_IO, NULL, "cannot start a thread");
    }
    return true;
}

static bool all_ended(Service *s, const Feeder *feeders) {
    bool ended = true;
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->n_slots; i++) ended = ended && (feeders[i].ended || !feeders[i].has_thread);
    pthread_mutex_unlock(&s->lock);
    return ended;
}

/* Returns when the jobs here are done after one signal, or at once after two. */
static void wait_for_end(Service *s, const Feeder *feeders, const sigset_t *signals, bool *draining) {
    for (int n_signals = 0;;) {
        struct timespec tick = {.tv_sec = n_signals ? 0 : 1, .tv_nsec = n_signals ? 50000000 : 0};
        int got = sigtimedwait(signals, NULL, &tick);
        serve_reap_strays(s);
        if (got > 0 && ++n_signals == 1) {
            pthread_mutex_lock(&s->lock);
            *draining = true;
            pthread_mutex_unlock(&s->lock);
            fprintf(stderr, "opwright: finishing the jobs here; a second signal gives them back to the queue\n");
        }
        if (n_signals >= 2 || (n_signals == 1 && all_ended(s, feeders))) return;
    }
}

static bool run_service(Service *s, const WorkerOptions *o, const sigset_t *signals, Err *err) {
    bool draining = false, stop = false;
    Feeder *feeders = ARENA_ARRAY(s->arena, s->n_slots, Feeder);
    /* Records of the last run are no jobs: those are in the queue. */
    const char *live = arena_printf(s->arena, "%s/live", s->o.state_dir);
    fs_remove_tree(live);
    bool ok = fs_make_dirs(live, err) && service_start(s, err) && start_feeders(s, o, feeders, &draining, &stop, err);
    if (ok) {
        fprintf(stderr, "opwright %s works for %s on %zu device%s\n", OPWRIGHT_VERSION, o->url->shown, s->n_slots, s->n_slots == 1 ? "" : "s");
        wait_for_end(s, feeders, signals, &draining);
    }
    pthread_mutex_lock(&s->lock);
    draining = stop = true; /* those that have not ended give their jobs back */
    pthread_mutex_unlock(&s->lock);
    service_stop(s);
    for (size_t i = 0; i < s->n_slots; i++)
        if (feeders[i].has_thread) pthread_join(feeders[i].thread, NULL);
    return ok;
}

bool worker_run(const WorkerOptions *given, Err *err) {
    WorkerOptions o = *given;
    RedisLink link = {.url = o.url};
    Arena *a = arena_new();
    sigset_t signals;
    if (!(o.claim_after_s > 0)) o.claim_after_s = 30;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    bool ok = redis_link_open(&link, err);
    redis_link_close(&link);
    Service *s = ok ? open_service(a, &o, err) : NULL;
    ok = s && run_service(s, &o, &signals, err);
    service_free(s);
    arena_free(a);
    return ok;
}
