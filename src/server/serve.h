/* The verification service (docs/service.md): one process that parses, queues and answers, and one worker
 * process for each device, which verifies. */
#ifndef OPWRIGHT_SERVER_SERVE_H
#define OPWRIGHT_SERVER_SERVE_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

typedef struct ServeOptions {
    const char *host;       /* numeric address; NULL: 127.0.0.1 */
    unsigned port;          /* 0: the system chooses */
    const char *port_file;  /* the port is written there when the service listens; or NULL */
    const char *root;       /* files of requests must lie in this folder; NULL: anywhere */
    const char *token_file; /* NULL: no token, loopback addresses only */
    const char *state_dir;  /* NULL: $XDG_STATE_HOME/opwright/serve */
    const char *devices; /* "sim:0,sim:1"; NULL: $ASCEND_VERIFY_DEVICE_POOL, else the NPUs that can be used,
                            else sim:0.. for each core */
    size_t max_inflight; /* 0: $ASCEND_VERIFY_MAX_INFLIGHT, else the number of devices */
    size_t queue_limit;  /* jobs that wait; 0: 1000 */
    size_t body_limit_bytes; /* 0: 32 MiB */
    size_t cache_limit;      /* results kept; 0: 1000 */
    double stage_limit_s;    /* 0: 120, on an NPU 600 */
    double job_limit_s;      /* 0: 900, on an NPU 3600 */
    double memory_mb;        /* 0: 8192, of the candidate */
    const struct RedisUrl
        *queue;             /* NULL: verify here; else hand the jobs to the workers at this shared queue */
    double receive_limit_s; /* a connection must have sent its request after this time; 0: 60 */
} ServeOptions;

/* Runs until SIGTERM or SIGINT: the first finishes what was accepted, the second stops at once. False when it
 * cannot start. */
bool serve_run(const ServeOptions *o, Err *err) ERR_CHECKED;
/* The worker process of a device: takes jobs from descriptor 3 until it is closed; returns the exit status.
 */
int serve_worker_run(const char *device);

#endif
