#include "server/redis_queue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define PREFIX "opwright:" OPWRIGHT_VERSION ":"
#define GROUP  "workers"
/* Seconds. An open job is kept for a week, a finished one and its log for an hour; a worker says every few seconds that it lives. */
#define OPEN_S  "604800"
#define DONE_S  "3600"
#define ALIVE_S "15"

/* KEYS: stream, job, log, alive. ARGV[1]: the job's entry, id or the worker, by the script. */
#define DROP_ENTRY "redis.call('XACK',KEYS[1],'" GROUP "',ARGV[1]) redis.call('XDEL',KEYS[1],ARGV[1]) "
#define CLOSE_JOB                                                                                                  \
    "redis.call('HSET',KEYS[2],'state','done') redis.call('HDEL',KEYS[2],'body') "                                 \
    "redis.call('XADD',KEYS[3],'*','t','done','d','') "                                                            \
    "redis.call('EXPIRE',KEYS[2]," DONE_S ") redis.call('EXPIRE',KEYS[3]," DONE_S ") "
#define IS_OURS                                                                                                    \
    "local p=redis.call('XPENDING',KEYS[1],'" GROUP "',ARGV[1],ARGV[1],1) "                                        \
    "if #p==0 or p[1][2]~=ARGV[2] then return 0 end "

static const char SUBMIT[] = "if redis.call('EXISTS',KEYS[2])==1 then return 0 end "
                             "local e=redis.call('XADD',KEYS[1],'*','id',ARGV[1]) "
                             "redis.call('HSET',KEYS[2],'body',ARGV[2],'state','queued','entry',e,'tries',0) "
                             "redis.call('EXPIRE',KEYS[2]," OPEN_S ") return 1";
static const char CANCEL[] = "local s=redis.call('HGET',KEYS[2],'state') if not s or s=='done' then return 0 end "
                             "local e=redis.call('HGET',KEYS[2],'entry') "
                             "redis.call('XACK',KEYS[1],'" GROUP "',e) redis.call('XDEL',KEYS[1],e) " CLOSE_JOB "return 1";
static const char LOOK[] = "local t=redis.call('TIME')[1] "
                           "return {redis.call('EXISTS',KEYS[2]),redis.call('ZCOUNT',KEYS[4],t-" ALIVE_S ",'+inf')}";
static const char ALIVE[] = "local t=redis.call('TIME')[1] redis.call('ZADD',KEYS[4],t,ARGV[1]) "
                            "redis.call('ZREMRANGEBYSCORE',KEYS[4],'-inf',t-86400) return 1";
/* A consumer is removed only when it holds nothing: what it held would be forgotten with it. */
static const char LEAVE[] = "redis.call('ZREM',KEYS[4],ARGV[1]) "
                            "if #redis.call('XPENDING',KEYS[1],'" GROUP "','-','+',1,ARGV[1])==0 then "
                            "redis.call('XGROUP','DELCONSUMER',KEYS[1],'" GROUP "',ARGV[1]) end return 1";
static const char BEGIN[] = "local s=redis.call('HGET',KEYS[2],'state') "
                            "if not s or s=='done' then " DROP_ENTRY "return {0} end "
                            "local n=redis.call('HINCRBY',KEYS[2],'tries',1) "
                            "if n>tonumber(ARGV[3]) then " DROP_ENTRY
                            "redis.call('HSET',KEYS[2],'result','{\"given_up\":'..(n-1)..'}') " CLOSE_JOB "return {-1} end "
                            "redis.call('HSET',KEYS[2],'state','running','worker',ARGV[2],'entry',ARGV[1]) "
                            "redis.call('XADD',KEYS[3],'*','t','start','d',ARGV[2],'s',n) redis.call('EXPIRE',KEYS[3]," OPEN_S ") "
                            "return {n,redis.call('HGET',KEYS[2],'body')}";
static const char BEAT[] = IS_OURS "redis.call('XCLAIM',KEYS[1],'" GROUP "',ARGV[2],0,ARGV[1],'JUSTID') return 1";
static const char SAY[] = "redis.call('XADD',KEYS[3],'MAXLEN','~',20000,'*','t','log','d',ARGV[1],'s',ARGV[2]) "
                          "redis.call('EXPIRE',KEYS[3]," OPEN_S ") return 1";
static const char FINISH[] = DROP_ENTRY "local s=redis.call('HGET',KEYS[2],'state') if not s or s=='done' then return 0 end "
                                        "redis.call('HSET',KEYS[2],'result',ARGV[2]) " CLOSE_JOB "return 1";
/* As if it had been left alone for a day. */
static const char RELEASE[] = IS_OURS "redis.call('HINCRBY',KEYS[2],'tries',-1) redis.call('HSET',KEYS[2],'state','queued') "
                                      "redis.call('XCLAIM',KEYS[1],'" GROUP "',ARGV[2],0,ARGV[1],'IDLE',86400000,'JUSTID') return 1";

static redisReply *run(RedisLink *l, const char *script, const char *lane, const char *id, const char *a1, const char *a2, const char *a3) {
    char keys[4][128];
    snprintf(keys[0], sizeof keys[0], PREFIX "q:%s", lane);
    snprintf(keys[1], sizeof keys[1], PREFIX "job:%s", id);
    snprintf(keys[2], sizeof keys[2], PREFIX "log:%s", id);
    snprintf(keys[3], sizeof keys[3], PREFIX "alive:%s", lane);
    return redis_call(l, "EVAL %s 4 %s %s %s %s %s %s %s", script, keys[0], keys[1], keys[2], keys[3], a1, a2, a3);
}

/* A script that answers with a number. */
static bool run_number(RedisLink *l, const char *script, const char *lane, const char *id, const char *a1, const char *a2, long long *out) {
    redisReply *r = run(l, script, lane, id, a1, a2, "");
    if (!r) return false;
    if (out) *out = r->integer;
    freeReplyObject(r);
    return true;
}

static bool run_bool(RedisLink *l, const char *script, const RedisJob *j, const char *a1, const char *a2, bool *out) {
    long long n = 0;
    if (!run_number(l, script, j->lane, j->id, a1, a2, &n)) return false;
    *out = n == 1;
    return true;
}

/* ---- services -------------------------------------------------------------------------------- */

void redisq_new_id(char id[33]) {
    unsigned char raw[16];
    if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw) abort();
    for (size_t i = 0; i < sizeof raw; i++) snprintf(id + 2 * i, 3, "%02x", raw[i]);
}

bool redisq_submit(RedisLink *l, const RedisJob *j, const char *body) {
    return run_number(l, SUBMIT, j->lane, j->id, j->id, body, NULL);
}

bool redisq_cancel(RedisLink *l, const RedisJob *j, bool *was_open) {
    return run_bool(l, CANCEL, j, "", "", was_open);
}

bool redisq_result(RedisLink *l, const RedisJob *j, char **text) {
    redisReply *r = redis_call(l, "HGET " PREFIX "job:%s result", j->id);
    if (!r) return false;
    *text = r->type == REDIS_REPLY_STRING ? strdup(r->str) : NULL;
    freeReplyObject(r);
    return true;
}

static const redisReply *element(const redisReply *r, size_t i) {
    return r && r->type == REDIS_REPLY_ARRAY && i < r->elements ? r->element[i] : NULL;
}

static const char *text_of(const redisReply *r) {
    return r && r->type == REDIS_REPLY_STRING ? r->str : NULL;
}

bool redisq_look(RedisLink *l, const RedisJob *j, bool *known, size_t *n_workers) {
    redisReply *r = run(l, LOOK, j->lane, j->id, "", "", "");
    if (!r) return false;
    const redisReply *k = element(r, 0), *n = element(r, 1);
    *known = k && k->integer == 1;
    *n_workers = n ? (size_t)n->integer : 0;
    freeReplyObject(r);
    return true;
}

static const char *field(const redisReply *fields, const char *name) {
    for (size_t i = 0; fields && fields->type == REDIS_REPLY_ARRAY && i + 1 < fields->elements; i += 2) {
        const char *key = text_of(fields->element[i]);
        if (key && !strcmp(key, name)) return text_of(fields->element[i + 1]);
    }
    return NULL;
}

bool redisq_follow(RedisLink *l, const RedisJob *j, char last[48], int wait_ms, RedisqLine *on_line, void *ctx) {
    redisReply *r = redis_call(l, "XREAD COUNT 200 BLOCK %d STREAMS " PREFIX "log:%s %s", wait_ms, j->id, last);
    if (!r) return false;
    const redisReply *entries = element(element(r, 0), 1), *e;
    for (size_t i = 0; (e = element(entries, i)); i++) {
        const redisReply *fields = element(e, 1);
        const char *id = text_of(element(e, 0)), *type = field(fields, "t"), *data = field(fields, "d");
        if (id) snprintf(last, 48, "%s", id);
        if (type && data) on_line(ctx, type, data, field(fields, "s"));
    }
    freeReplyObject(r);
    return true;
}

/* ---- workers --------------------------------------------------------------------------------- */

bool redisq_join(RedisLink *l, const char *lane) {
    static const char JOIN[] = "local r=redis.pcall('XGROUP','CREATE',KEYS[1],'" GROUP "','0','MKSTREAM') "
                               "if type(r)=='table' and r.err and not string.find(r.err,'BUSYGROUP') then return r end return 1";
    return run_number(l, JOIN, lane, "", "", "", NULL);
}

bool redisq_alive(RedisLink *l, const char *lane, const char *consumer) {
    return run_number(l, ALIVE, lane, "", consumer, "", NULL);
}

bool redisq_leave(RedisLink *l, const char *lane, const char *consumer) {
    return run_number(l, LEAVE, lane, "", consumer, "", NULL);
}

/* The first of a list of entries; what does not look like one of ours is taken as well, for begin to drop it. */
static bool take_first(const redisReply *entries, const char *lane, RedisJob *j) {
    const redisReply *e = element(entries, 0);
    const char *entry = text_of(element(e, 0)), *id = field(element(e, 1), "id");
    if (!entry) return false;
    snprintf(j->lane, sizeof j->lane, "%s", lane);
    snprintf(j->entry, sizeof j->entry, "%s", entry);
    snprintf(j->id, sizeof j->id, "%s", id ? id : "");
    return true;
}

/* One call looks at ten entries only: those after them are reached by its cursor. */
static bool claim(RedisLink *l, const char *lane, const char *consumer, int64_t idle_ms, RedisJob *j, bool *got) {
    char cursor[48] = "0-0";
    do {
        redisReply *r = redis_call(l, "XAUTOCLAIM " PREFIX "q:%s " GROUP " %s %lld %s COUNT 1", lane, consumer,
                                   (long long)idle_ms, cursor);
        if (!r) return false;
        const char *next = text_of(element(r, 0));
        *got = take_first(element(r, 1), lane, j);
        snprintf(cursor, sizeof cursor, "%s", next ? next : "0-0");
        freeReplyObject(r);
    } while (!*got && strcmp(cursor, "0-0") != 0);
    return true;
}

bool redisq_take(RedisLink *l, const char *lane, const char *consumer, int64_t idle_ms, int wait_ms, RedisJob *j,
                 bool *got) {
    *got = false;
    if (idle_ms > 0) return claim(l, lane, consumer, idle_ms, j, got);
    redisReply *r = redis_call(l, "XREADGROUP GROUP " GROUP " %s COUNT 1 BLOCK %d STREAMS " PREFIX "q:%s >", consumer,
                               wait_ms, lane);
    if (!r) return false;
    *got = take_first(element(element(r, 0), 1), lane, j);
    freeReplyObject(r);
    return true;
}

bool redisq_begin(RedisLink *l, const RedisJob *j, const char *consumer, int *tries, char **body) {
    char most[16];
    snprintf(most, sizeof most, "%d", REDISQ_TRIES);
    redisReply *r = run(l, BEGIN, j->lane, j->id, j->entry, consumer, most);
    if (!r) return false;
    const redisReply *n = element(r, 0);
    const char *text = text_of(element(r, 1));
    *tries = n ? (int)n->integer : 0;
    *body = *tries > 0 && text ? strdup(text) : NULL;
    freeReplyObject(r);
    return true;
}

bool redisq_beat(RedisLink *l, const RedisJob *j, const char *consumer, bool *ours) {
    return run_bool(l, BEAT, j, j->entry, consumer, ours);
}

bool redisq_say(RedisLink *l, const RedisJob *j, const char *line, const char *stage) {
    return run_number(l, SAY, j->lane, j->id, line, stage, NULL);
}

bool redisq_finish(RedisLink *l, const RedisJob *j, const char *result, bool *first) {
    return run_bool(l, FINISH, j, j->entry, result, first);
}

bool redisq_release(RedisLink *l, const RedisJob *j, const char *consumer) {
    bool ours;
    return run_bool(l, RELEASE, j, j->entry, consumer, &ours);
}
