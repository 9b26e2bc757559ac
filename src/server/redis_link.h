/* One connection to the shared queue's Redis: its address, back-off when it goes away, commands. A link belongs to one thread. */
#ifndef OPWRIGHT_SERVER_REDIS_LINK_H
#define OPWRIGHT_SERVER_REDIS_LINK_H

#include "base/arena.h"
#include "base/err.h"

#include <hiredis/hiredis.h>

typedef struct RedisUrl {
    const char *host, *port;
    const char *user, *password; /* or NULL; never printed */
    unsigned db;
    const char *shown; /* the address without user and password */
} RedisUrl;

typedef struct RedisLink {
    const RedisUrl *url;
    redisContext *c; /* NULL: not connected */
    double retry_at_s, wait_s, connected_s; /* monotonic; wait_s is the present pause */
    bool complained;
} RedisLink;

/* redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]. A password in `text` is overwritten there, and so is the one taken from
 * $OPWRIGHT_QUEUE_PASSWORD, which is then unset: neither the list of processes nor a child process shows it. */
bool redis_url_parse(Arena *a, char *text, RedisUrl *url, Err *err) ERR_CHECKED;
/* One attempt. ERR_NOT_FOUND: nobody answers; ERR_UNSUPPORTED: a Redis older than 6.2. */
bool redis_link_open(RedisLink *l, Err *err) ERR_CHECKED;
/* Connects when that is due; false: not connected. *fresh (may be NULL): connected just now. Complains once for each time it goes away. */
bool redis_link_ready(RedisLink *l, bool *fresh);
void redis_link_close(RedisLink *l);
/* redisCommand; NULL when Redis is away or answers with an error: the link is closed then. Free with freeReplyObject. */
redisReply *redis_call(RedisLink *l, const char *fmt, ...);

#endif
