#include "server/redis_link.h"

#include "base/fs.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECT_LIMIT_S 2
#define COMMAND_LIMIT_S 10 /* longer than any BLOCK we ask for */
#define WAIT_FIRST_S    0.1
#define WAIT_MOST_S     5.0

/* ---- address --------------------------------------------------------------------------------- */

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %41 -> A */
static char *decode(Arena *a, const char *s, size_t n) {
    char *out = arena_strndup(a, s, n), *to = out;
    for (const char *p = out; *p; p++) {
        int high = *p == '%' && p[1] ? hex_digit(p[1]) : -1, low = high >= 0 ? hex_digit(p[2]) : -1;
        if (low >= 0) *to++ = (char)(high * 16 + low), p += 2;
        else *to++ = *p;
    }
    *to = '\0';
    return out;
}

static const char *take_env_password(Arena *a) {
    char *text = getenv("OPWRIGHT_QUEUE_PASSWORD");
    if (!text || !*text) return NULL;
    const char *copy = arena_strdup(a, text);
    memset(text, 0, strlen(text));
    unsetenv("OPWRIGHT_QUEUE_PASSWORD");
    return copy;
}

static void take_login(Arena *a, char *start, char *at, RedisUrl *url) {
    char *colon = memchr(start, ':', (size_t)(at - start));
    size_t n_user = (size_t)((colon ? colon : at) - start);
    if (n_user > 0) url->user = decode(a, start, n_user);
    if (!colon) return;
    url->password = decode(a, colon + 1, (size_t)(at - colon) - 1);
    memset(colon + 1, '*', (size_t)(at - colon) - 1);
}

bool redis_url_parse(Arena *a, char *text, RedisUrl *url, Err *err) {
    static const char FORM[] = "redis://[[USER]:PASSWORD@]HOST[:PORT][/DB]";
    const char *env_password = take_env_password(a);
    if (!strncmp(text, "rediss://", 9)) {
        err_set(err, ERR_UNSUPPORTED, "--queue", "rediss:// needs a hiredis with TLS, which this build has not");
        return err_hint(err, "run a TLS tunnel (stunnel, ssh -L) and give its end: redis://127.0.0.1:PORT");
    }
    if (strncmp(text, "redis://", 8) != 0) return err_set(err, ERR_USAGE, "--queue", "is not of the form %s", FORM);
    char *host = text + 8, *at = strrchr(host, '@');
    if (at) {
        take_login(a, host, at, url);
        host = at + 1;
    }
    if (!url->password) url->password = env_password;
    size_t n = host[0] == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
    if (n > strlen(host)) return err_set(err, ERR_USAGE, "--queue", "is not of the form %s", FORM);
    char *rest = host + n;
    url->host = host[0] == '[' ? arena_strndup(a, host + 1, n - 2) : arena_strndup(a, host, n);
    unsigned long port = 6379, db = 0;
    if (*rest == ':') port = strtoul(rest + 1, &rest, 10);
    if (*rest == '/' && rest[1]) db = strtoul(rest + 1, &rest, 10);
    else if (*rest == '/') rest++;
    if (*rest || !*url->host || port == 0 || port > 65535 || db > 9999)
        return err_set(err, ERR_USAGE, "--queue", "is not of the form %s", FORM);
    url->port = arena_printf(a, "%lu", port);
    url->db = (unsigned)db;
    url->shown = arena_printf(a, "redis://%.*s:%lu/%lu", (int)n, host, port, db);
    return true;
}

/* ---- connection ------------------------------------------------------------------------------ */

/* Close-on-exec from the first moment: code under test must never inherit a connection that has logged in. */
static int connect_one(const struct addrinfo *ai) {
    int fd = socket(ai->ai_family, ai->ai_socktype | SOCK_CLOEXEC, ai->ai_protocol);
    struct timeval limit = {.tv_sec = CONNECT_LIMIT_S};
    if (fd < 0) return -1;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit); /* bounds connect() as well */
    if (connect(fd, ai->ai_addr, ai->ai_addrlen) == 0) return fd;
    int why = errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(fd);
    errno = why;
    return -1;
}

static int connect_host(const RedisUrl *url, Err *err) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    int rc = getaddrinfo(url->host, url->port, &hints, &list), fd = -1;
    if (rc != 0) {
        err_set(err, ERR_NOT_FOUND, url->shown, "the queue's host is not known: %s", gai_strerror(rc));
        return -1;
    }
    for (struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next) fd = connect_one(ai);
    if (fd < 0) {
        err_set(err, ERR_NOT_FOUND, url->shown, "no Redis answers: %s", strerror(errno));
        err_hint(err, "start redis-server there (6.2 or newer), or give --queue the address it listens on");
    }
    freeaddrinfo(list);
    return fd;
}

/* An answer that is an error ends the attempt. */
static bool accept_reply(const RedisLink *l, redisReply *r, const char *what, Err *err) {
    bool ok = r && r->type != REDIS_REPLY_ERROR;
    if (!ok)
        err_set(err, ERR_NOT_FOUND, l->url->shown, "%s: %.200s", what, r ? r->str : l->c->errstr[0] ? l->c->errstr : "no answer");
    if (r) freeReplyObject(r);
    return ok;
}

static bool check_version(RedisLink *l, Err *err) {
    redisReply *r = redisCommand(l->c, "INFO server");
    int major = 0, minor = 0;
    const char *at = r && r->type == REDIS_REPLY_STRING ? strstr(r->str, "redis_version:") : NULL;
    bool told = at && sscanf(at, "redis_version:%d.%d", &major, &minor) == 2;
    if (!told) return accept_reply(l, r, "this is no Redis that tells its version", err);
    freeReplyObject(r);
    if (major > 6 || (major == 6 && minor >= 2)) return true;
    return err_set(err, ERR_UNSUPPORTED, l->url->shown, "Redis %d.%d is too old: 6.2 is the first with XAUTOCLAIM", major, minor);
}

static bool greet(RedisLink *l, Err *err) {
    const RedisUrl *u = l->url;
    if (u->password && u->user && !accept_reply(l, redisCommand(l->c, "AUTH %s %s", u->user, u->password), "login refused", err)) return false;
    if (u->password && !u->user && !accept_reply(l, redisCommand(l->c, "AUTH %s", u->password), "login refused", err)) return false;
    if (!accept_reply(l, redisCommand(l->c, "SELECT %u", u->db), "the database cannot be used", err)) return false;
    return check_version(l, err);
}

bool redis_link_open(RedisLink *l, Err *err) {
    redis_link_close(l);
    int fd = connect_host(l->url, err);
    if (fd < 0) return false;
    l->c = redisConnectFd(fd);
    if (!l->c) {
        close(fd);
        return err_set(err, ERR_INTERNAL, NULL, "out of memory");
    }
    redisSetTimeout(l->c, (struct timeval){.tv_sec = COMMAND_LIMIT_S});
    redisEnableKeepAlive(l->c);
    if (!greet(l, err)) {
        redis_link_close(l);
        return false;
    }
    l->connected_s = time_now_s();
    l->wait_s = 0;
    return true;
}

void redis_link_close(RedisLink *l) {
    if (l->c) redisFree(l->c);
    l->c = NULL;
}

/* Many clients must not come back at the same moment. */
static void set_back(RedisLink *l) {
    unsigned char dice = 0;
    (void)!getrandom(&dice, 1, GRND_NONBLOCK);
    l->wait_s = l->wait_s > 0 ? l->wait_s * 2 : WAIT_FIRST_S;
    if (l->wait_s > WAIT_MOST_S) l->wait_s = WAIT_MOST_S;
    l->retry_at_s = time_now_s() + l->wait_s * (0.75 + dice / 512.0);
}

bool redis_link_ready(RedisLink *l, bool *fresh) {
    Err err = {0};
    if (fresh) *fresh = false;
    if (l->c) return true;
    if (time_now_s() < l->retry_at_s) return false;
    double wait_s = l->wait_s;
    if (redis_link_open(l, &err)) {
        if (l->complained) fprintf(stderr, "opwright: %s is back\n", l->url->shown);
        l->complained = false;
        l->wait_s = wait_s; /* forgotten by the first command that works */
        if (fresh) *fresh = true;
        return true;
    }
    if (!l->complained) fprintf(stderr, "opwright: %s: %s; trying again\n", err.where, err.message);
    l->complained = true;
    set_back(l);
    return false;
}

redisReply *redis_call(RedisLink *l, const char *fmt, ...) {
    va_list ap;
    if (!l->c) return NULL;
    va_start(ap, fmt);
    redisReply *r = redisvCommand(l->c, fmt, ap);
    va_end(ap);
    if (r && r->type != REDIS_REPLY_ERROR) {
        l->wait_s = 0;
        return r;
    }
    if (!l->complained) fprintf(stderr, "opwright: %s: %.200s; trying again\n", l->url->shown, r ? r->str : l->c->errstr);
    l->complained = true;
    if (r) freeReplyObject(r);
    redis_link_close(l);
    set_back(l);
    return NULL;
}
