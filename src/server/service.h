/* The service without HTTP: jobs, the queue over the device pool, worker processes, records, cached results.
 * Functions named *_locked want the lock held. */
#ifndef OPWRIGHT_SERVER_SERVICE_H
#define OPWRIGHT_SERVER_SERVICE_H

#include "server/job.h"
#include "server/serve.h"
#include "server/source.h"

#include <pthread.h>
#include <sys/types.h>

#define SERVICE_RECENT 200 /* finished jobs that are listed; all of them are read from the state folder */

struct Service;

/* One device and the process that verifies on it. */
typedef struct Slot {
    struct Service *service;
    size_t number;
    const char *device; /* "sim:0" */
    bool npu;           /* a real device: jobs run through the CANN backend */
    bool busy;          /* held by a job, whichever slot runs it */
    Job *job;           /* to run or running here */
    pthread_t thread;
    bool has_thread;
    pthread_cond_t work;
    int wake_fd; /* eventfd: look at job->cancel and service->stopping */
    /* written by the slot's thread, under the lock */
    uint64_t published; /* with a shared queue: id of the job that has got there */
    pid_t pid;          /* 0: no process */
    int fd;             /* our end of its socket */
    bool warm;          /* PyTorch is imported */
    bool revive;      /* the process was ended or died after it had been warm: start another without a job */
    char python[160]; /* what it said: "Python 3.11.2, PyTorch 2.13.0", or why there is none */
} Slot;

#define SERVICE_BUCKETS 12
typedef struct Histogram {
    uint64_t count[SERVICE_BUCKETS]; /* not cumulative; the last is above every bound */
    double sum_s;
} Histogram;

typedef struct Counters {
    uint64_t accepted, refused, cache_hits, cache_misses, worker_starts, worker_deaths, cancelled,
        http_requests;
    uint64_t verdict[6]; /* by METRICS_VERDICTS */
    Histogram total, waiting;
} Counters;

typedef struct Cache Cache;
typedef struct Store Store;

typedef struct Service {
    pthread_mutex_t lock;
    Arena *arena;   /* options and what lives as long as the service */
    ServeOptions o; /* with the defaults filled in */
    SourceRoot root;
    char fingerprint[SHA256_HEX]; /* of opwright's own files: a result is good for one build only */
    Slot *slots;
    size_t n_slots, next_slot; /* round robin */
    Job **queue;               /* o.queue_limit + a batch at most */
    size_t n_queue, cap_queue, n_running;
    json_t *recent[SERVICE_RECENT]; /* finished jobs in brief, a ring, newest at next_recent - 1 */
    size_t next_recent;
    uint64_t next_id;
    bool draining, stopping;
    double started_s;
    Store *store;
    Cache *cache;
    Counters counters;
} Service;

extern const double SERVICE_BOUNDS_S[SERVICE_BUCKETS - 1];

/* As asked for, else the default of the kind of device. */
double service_stage_limit_s(const Service *s, bool npu);
double service_job_limit_s(const Service *s, bool npu);

Service *service_new(const ServeOptions *o, Err *err) ERR_CHECKED;
/* Takes up what an earlier run left, and starts the worker processes. */
bool service_start(Service *s, Err *err) ERR_CHECKED;
void service_drain(Service *s);   /* nothing new is accepted */
bool service_is_idle(Service *s); /* nothing waits or runs */
void service_stop(Service *s);    /* ends workers and threads; jobs cut off are recorded as aborted */
void service_free(Service *s);

typedef enum { SUBMIT_OK, SUBMIT_BAD, SUBMIT_FORBIDDEN, SUBMIT_FULL, SUBMIT_CLOSING } SubmitStatus;
/* All or none. jobs has room for n; each is held for the caller. A file that cannot be read makes a finished
 * job that says so, except under --root: then nothing is accepted. err->where names the field. */
SubmitStatus service_submit(Service *s, const Request *items, size_t n, bool batch, Job **jobs, Err *err);
/* A job that waits or runs, held for the caller, or NULL. */
Job *service_find(Service *s, uint64_t id);
/* False when there is no such live job. */
bool service_cancel(Service *s, uint64_t id);

/* queue.c */
void queue_push_locked(Service *s, Job *j);
void queue_dispatch_locked(Service *s); /* starts what can start, tells the others their place */
bool queue_remove_locked(Service *s, Job *j);
Slot *service_slot_of_locked(Service *s, const Job *j);
/* Record, counters, recent list; gives its devices back and dispatches. Takes result. */
void service_finish_locked(Service *s, Job *j, JobState state, int exit_code, json_t *result,
                           const char *summary);

/* The outcome of an earlier job with the same key; takes hit (cache_find). */
void service_answer_cached_locked(Service *s, Job *j, json_t *hit);

/* slot.c */
bool slot_start(Slot *slot, Err *err) ERR_CHECKED;
/* Makes the thread look at slot->job, job->cancel and service->stopping. */
void slot_wake_locked(Slot *slot);
void slot_join(Slot *slot);

/* store.c: records of jobs in the state folder, one small file each, written whole or not at all */
Store *store_open(Arena *a, const char *dir, Err *err) ERR_CHECKED; /* one service at a time */
void store_close(Store *st);
void store_write_live(Store *st, const Job *j);
void store_write_finished(Store *st, const Job *j);
/* The record of an old job, or NULL. */
json_t *store_read(Store *st, uint64_t id);
/* Calls take for the newest finished records, then for the live ones, each oldest first. Returns the greatest
 * id seen. */
uint64_t store_load(Store *st, size_t n_finished, void (*take)(void *ctx, const json_t *record, bool live),
                    void *ctx);

/* cache.c: results by key, in memory an index, on disk the results; bounded, the longest unused goes first */
Cache *cache_open(Arena *a, const char *dir, size_t limit);
void cache_free(Cache *c);
json_t *cache_find(Cache *c, const char *key); /* {exit_code, result, summary}, or NULL; the caller's */
void cache_put(Cache *c, const char *key, const Job *j);
size_t cache_size(const Cache *c);
bool cache_may_keep(const Job *j); /* a verdict that the same request would get again */

/* key.c */
void key_fingerprint(const char *home, char out[SHA256_HEX]);
/* The texts that decide a result; those that are not there are NULL. */
typedef struct KeyTexts {
    const char *reference, *cases, *kernel_code;
    const char *reference_imports, *kernel_code_imports; /* source_imports */
} KeyTexts;
void key_of(const Service *s, const Request *r, const char *backend, const KeyTexts *t, char out[SHA256_HEX]);

/* metrics.c */
void metrics_observe(Histogram *h, double seconds);
void metrics_count_verdict_locked(Service *s, const Job *j);
char *metrics_print_locked(Arena *a, Service *s);

/* serve.c: reaps what a worker process left behind */
void serve_reap_strays(Service *s);

/* proc_tree.c: ends a process (unless it is our own), its session and everything it started */
void proc_tree_kill(pid_t pid);

#endif
