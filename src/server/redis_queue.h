/* What services and workers do with the shared queue. Keys, all under "opwright:VERSION:" so that a job meets only workers of
 * its own version:
 *   q:LANE      stream {id}: jobs that wait or run, with the consumer group "workers"; LANE is "sim", or "npu:0" and so on
 *   job:ID      hash {body, state (queued, running, done), entry, tries, worker, result}
 *   log:ID      stream {t (start, log, done), d, s}: what the job says
 *   alive:LANE  sorted set of workers by the time they were last seen
 * Each function is one command or one script, so that it happens wholly or not at all; false: Redis is away (the link backs off). */
#ifndef OPWRIGHT_SERVER_REDIS_QUEUE_H
#define OPWRIGHT_SERVER_REDIS_QUEUE_H

#include "server/redis_link.h"

#include <stdint.h>

#define REDISQ_TRIES      3           /* a job whose workers died this often is given up */
#define REDISQ_BODY_BYTES (32u << 20) /* of a job, and of a result */

typedef struct RedisJob {
    char lane[24], id[33], entry[48];
} RedisJob;

void redisq_new_id(char id[33]);
bool redisq_submit(RedisLink *l, const RedisJob *j, const char *body); /* one that is there already is left alone */
/* Marks it done without a result. *was_open: it had none. */
bool redisq_cancel(RedisLink *l, const RedisJob *j, bool *was_open);
/* The result's text, the caller's to free, or NULL when there is none. */
bool redisq_result(RedisLink *l, const RedisJob *j, char **text);
/* Whether the job is still known, and how many workers there are for its lane. */
bool redisq_look(RedisLink *l, const RedisJob *j, bool *known, size_t *n_workers);
/* Lines after `last` (updated), waiting up to wait_ms for the first. */
typedef void RedisqLine(void *ctx, const char *type, const char *data, const char *stage);
bool redisq_follow(RedisLink *l, const RedisJob *j, char last[48], int wait_ms, RedisqLine *on_line, void *ctx);

/* ---- for workers ---- */
bool redisq_join(RedisLink *l, const char *lane); /* makes the consumer group where it is missing */
bool redisq_alive(RedisLink *l, const char *lane, const char *consumer);
bool redisq_leave(RedisLink *l, const char *lane, const char *consumer);
/* Takes over a job that nobody has cared for since idle_ms, or else (idle_ms 0) waits up to wait_ms for a new one.
 * *got: j has one, which redisq_begin must look at. */
bool redisq_take(RedisLink *l, const char *lane, const char *consumer, int64_t idle_ms, int wait_ms, RedisJob *j, bool *got);
/* *tries: how often it was begun; 0: nothing to do any more; -1: given up. *body: the caller's to free, NULL unless tries > 0. */
bool redisq_begin(RedisLink *l, const RedisJob *j, const char *consumer, int *tries, char **body);
/* *ours: the job is still this worker's. */
bool redisq_beat(RedisLink *l, const RedisJob *j, const char *consumer, bool *ours);
bool redisq_say(RedisLink *l, const RedisJob *j, const char *line, const char *stage);
/* *first: this is the job's result; otherwise it had one, was cancelled or is gone, and this one is dropped. */
bool redisq_finish(RedisLink *l, const RedisJob *j, const char *result, bool *first);
/* Gives it back unfinished, for another worker to take at once. */
bool redisq_release(RedisLink *l, const RedisJob *j, const char *consumer);

#endif
