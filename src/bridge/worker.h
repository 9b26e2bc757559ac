/* The worker process and its descriptors: bytes in, bytes out, each with a deadline. */
#ifndef OPWRIGHT_BRIDGE_WORKER_H
#define OPWRIGHT_BRIDGE_WORKER_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

typedef struct Worker {
    pid_t pid; /* 0: not running */
    int request_fd, reply_fd;
    int log_fd; /* a memory file that takes the worker's own stdout and stderr */
} Worker;

/* Starts argv (NULL-terminated) in its own process group; `python` is its interpreter. ERR_NO_PYTHON when there is no such
 * program. */
bool worker_start(Worker *w, const char *const *argv, const char *python, Err *err) ERR_CHECKED;
bool worker_is_up(const Worker *w);
/* Exactly n_bytes, or *err: ERR_TIMEOUT past deadline_s (time_now_s), ERR_CHILD_DIED with the end of its log.
 * The stream is of no use afterwards: call worker_stop. */
bool worker_write(Worker *w, const void *data, size_t n_bytes, double deadline_s, Err *err) ERR_CHECKED;
bool worker_read(Worker *w, void *data, size_t n_bytes, double deadline_s, Err *err) ERR_CHECKED;
/* Kills the process group and reaps it; may be called twice. */
void worker_stop(Worker *w);

#endif
