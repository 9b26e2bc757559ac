/* opwright worker: takes jobs from a shared queue (redis_queue.h) and verifies them on this machine's devices. */
#ifndef OPWRIGHT_SERVER_REDIS_WORKER_H
#define OPWRIGHT_SERVER_REDIS_WORKER_H

#include "server/redis_link.h"
#include "server/serve.h"

typedef struct WorkerOptions {
    ServeOptions serve; /* devices, limits, state_dir; queue stays NULL */
    const RedisUrl *url;
    double claim_after_s; /* a job whose worker was silent for so long is taken over; 0: 30 */
} WorkerOptions;

/* Runs until SIGTERM or SIGINT: the first finishes the jobs it has, the second gives them back. False when it cannot start. */
bool worker_run(const WorkerOptions *o, Err *err) ERR_CHECKED;

#endif
