/* Results by key: files KEY.json in one folder and an index of them in memory, longest unused first out. */
#include "server/service.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct CacheEntry {
    char key[SHA256_HEX];
    uint64_t used; /* greater: later */
} CacheEntry;

struct Cache {
    const char *dir;
    size_t limit, n;
    uint64_t clock;
    CacheEntry *at;
};

static const char *path_of(const Cache *c, const char *key, char *path, size_t cap) {
    snprintf(path, cap, "%s/%s.json", c->dir, key);
    return path;
}

static void drop(Cache *c, size_t i) {
    char path[4200];
    unlink(path_of(c, c->at[i].key, path, sizeof path));
    c->at[i] = c->at[--c->n];
}

static CacheEntry *find(Cache *c, const char *key) {
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->at[i].key, key)) return &c->at[i];
    return NULL;
}

static CacheEntry *add(Cache *c, const char *key, uint64_t used) {
    if (c->n == c->limit) {
        size_t oldest = 0;
        for (size_t i = 1; i < c->n; i++)
            if (c->at[i].used < c->at[oldest].used) oldest = i;
        drop(c, oldest);
    }
    CacheEntry *e = &c->at[c->n++];
    snprintf(e->key, sizeof e->key, "%s", key);
    e->used = used;
    return e;
}

Cache *cache_open(Arena *a, const char *dir, size_t limit) {
    Cache *c = ARENA_NEW(a, Cache);
    *c = (Cache){.dir = arena_strdup(a, dir), .limit = limit, .at = calloc(limit, sizeof *c->at)};
    if (!c->at) abort();
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        char key[SHA256_HEX];
        if (strlen(e->d_name) != SHA256_HEX - 1 + 5 || strcmp(e->d_name + SHA256_HEX - 1, ".json") != 0 ||
            fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        memcpy(key, e->d_name, SHA256_HEX - 1);
        key[SHA256_HEX - 1] = '\0';
        uint64_t used = st.st_mtim.tv_sec > 0 ? (uint64_t)st.st_mtim.tv_sec : 0;
        add(c, key, used);
        if (used > c->clock) c->clock = used;
    }
    if (d) closedir(d);
    return c;
}

void cache_free(Cache *c) {
    if (c) free(c->at);
}

json_t *cache_find(Cache *c, const char *key) {
    CacheEntry *e = find(c, key);
    char path[4200];
    json_t *o = e ? json_load_file(path_of(c, key, path, sizeof path), 0, NULL) : NULL;
    if (o && json_is_array(json_object_get(o, "result")) && json_is_string(json_object_get(o, "summary"))) {
        e->used = ++c->clock;
        return o;
    }
    if (e) drop(c, (size_t)(e - c->at));
    json_decref(o);
    return NULL;
}

void cache_put(Cache *c, const char *key, const Job *j) {
    char path[4200], tmp[4200];
    json_t *o =
        json_pack("{s:i, s:O, s:s}", "exit_code", j->exit_code, "result", j->result, "summary", j->summary);
    snprintf(tmp, sizeof tmp, "%s/.new.tmp", c->dir);
    bool ok = o && json_dump_file(o, tmp, JSON_COMPACT) == 0 &&
              rename(tmp, path_of(c, key, path, sizeof path)) == 0;
    json_decref(o);
    if (!ok) return;
    CacheEntry *e = find(c, key);
    if (!e) e = add(c, key, 0);
    e->used = ++c->clock;
}

size_t cache_size(const Cache *c) {
    return c->n;
}

bool cache_may_keep(const Job *j) {
    if (j->restored || j->state != JOB_DONE || !*j->verdict || !strcmp(j->verdict, "INFRA_ERROR"))
        return false;
    /* Time limits depend on what else the machine does. */
    const json_t *checks = json_object_get(json_array_get(j->result, 0), "checks");
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const char *id = json_string_value(json_object_get(json_array_get(checks, i), "check"));
        if (id && strstr(id, "timeout")) return false;
    }
    return true;
}
