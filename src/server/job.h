/* One verification in the service: what was asked, where it stands, what it said, what came out. A job is
 * guarded by the service's lock, except for what never changes after it was made (id, request, key). */
#ifndef OPWRIGHT_SERVER_JOB_H
#define OPWRIGHT_SERVER_JOB_H

#include "base/sha256.h"
#include "base/strbuf.h"
#include "server/request.h"

#include <jansson.h>
#include <stdint.h>
#include <time.h>

typedef enum { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_CANCELLED, JOB_ABORTED, JOB_N_STATES } JobState;

/* Someone who waits for news of a job; called once, under the lock, then forgotten. */
typedef struct JobWatch {
    struct JobWatch *next;
    void (*wake)(void *ctx);
    void *ctx;
} JobWatch;

typedef struct Job {
    Arena *arena;
    uint64_t id;
    Request request;
    const char *reference_text,
        *kernel_code_text;       /* sources to run from a private folder; NULL: run the files in place */
    const char *reference_cases; /* text of the .json beside the reference, or NULL */
    char key[SHA256_HEX];        /* of everything that decides the result */
    JobState state;
    const char *stage;   /* "waiting", "starting", "build", "run", "done" */
    const char *backend; /* "sim" or "cann": where it may run */
    bool restored;       /* from a record of an earlier service: its result is not for the cache */
    const char *note;    /* a log line about the devices asked for, or NULL */
    const size_t *wants; /* devices by number; NULL: any one */
    size_t n_wants;
    size_t device[REQUEST_MAX_DEVICES], n_devices; /* held while it runs, kept afterwards for the record */
    const char *device_names;                      /* "sim:0" */
    size_t ahead;                                  /* as last told */
    bool cancel;                                   /* asked for while it runs */
    bool cached;
    time_t accepted_at, started_at, finished_at; /* wall clock, 0: not yet */
    double accepted_s, started_s, finished_s;    /* monotonic */
    StrBuf lines;                                /* NDJSON; of a request that streams only */
    StrBuf log;                                  /* text */
    bool log_full;
    int exit_code;
    json_t *result;                /* list with one object, NULL until finished */
    const char *summary, *verdict; /* verdict "" when nothing could be judged */
    JobWatch *watches;
    unsigned refs; /* connections that look at it, and the service's own list */
} Job;

const char *job_state_name(JobState s);
bool job_state_find(const char *name, JobState *out);
bool job_finished(const Job *j);

Job *job_new(uint64_t id);
void job_hold(Job *j);
void job_release(Job *j); /* frees at the last; NULL is allowed */

/* One line of text to the log and the stream; watchers are woken. Text beyond 1 MiB is left out, and the log
 * says so. */
void job_log(Job *j, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "waiting: 3 operators ahead of this one" */
void job_log_place(Job *j, size_t ahead);
void job_meta(Job *j);
/* Takes result (a list); fills what follows from it, writes the last line and wakes watchers. */
void job_finish(Job *j, JobState state, int exit_code, json_t *result, const char *summary);
void job_watch(Job *j, JobWatch *w);
void job_unwatch(Job *j, JobWatch *w); /* one that is not there is fine */

/* A result list for something that is no verdict on the kernel: verdict "INFRA_ERROR", or none when `verdict`
 * is NULL. */
json_t *job_plain_result(const Request *r, const char *backend, const char *verdict, const char *message,
                         const char *hint);

/* The same for what an error kept from being judged; *exit_code is 2 or 3, *summary the text for people. */
json_t *job_error_result(Arena *a, const Request *r, const char *backend, const Err *err, int *exit_code,
                         const char **summary);

/* {exit_code, reference_path, kernel_code_path, result, summary} and more, by the endpoint; job finished. */
json_t *job_answer_json(const Job *j, bool with_op, bool with_logs);
/* For /jobs: no result, no log. */
json_t *job_brief_json(const Job *j);
/* For the state folder: everything needed to run it again, and the result. */
json_t *job_record_json(const Job *j);
/* Back from a record; NULL when it is none. */
Job *job_from_record(const json_t *o);
/* What the client sees where it named a path, or the name of its text. */
const char *job_reference_label(const Job *j);
const char *job_kernel_code_label(const Job *j);

#endif
