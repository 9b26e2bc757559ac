/* The state folder: live/ID.json for jobs that wait or run, jobs/ID.json for finished ones, cache/, tmp/.
 * A file is written whole under another name and renamed, so that a killed service leaves no half record; it
 * is not forced to the disk for each job, so a power failure may lose the newest. */
#include "server/service.h"

#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define STORE_KEEP 2000 /* records of finished jobs */

struct Store {
    const char *live, *jobs;
    int lock_fd;
    bool complained;
};

Store *store_open(Arena *a, const char *dir, Err *err) {
    Store *st = ARENA_NEW(a, Store);
    *st = (Store){.lock_fd = -1};
    st->live = arena_printf(a, "%s/live", dir);
    st->jobs = arena_printf(a, "%s/jobs", dir);
    if (!fs_make_dirs(st->live, err) || !fs_make_dirs(st->jobs, err)) return NULL;
    const char *lock = arena_printf(a, "%s/lock", dir);
    st->lock_fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (st->lock_fd < 0) {
        err_set(err, ERR_IO, dir, "cannot write %s: %s", lock, strerror(errno));
        return NULL;
    }
    if (flock(st->lock_fd, LOCK_EX | LOCK_NB) == 0) return st;
    close(st->lock_fd);
    err_set(err, ERR_USAGE, dir, "another service uses this state folder");
    err_hint(err, "stop it, or give this one its own with --state-dir");
    return NULL;
}

void store_close(Store *st) {
    if (st && st->lock_fd >= 0) close(st->lock_fd);
}

/* Records are for later; a full disk must not stop the service, but it is said once. */
static void write_record(Store *st, const char *dir, uint64_t id, json_t *record) {
    char tmp[4200], path[4200];
    snprintf(tmp, sizeof tmp, "%s/.%08" PRIu64 ".tmp", dir, id);
    snprintf(path, sizeof path, "%s/%08" PRIu64 ".json", dir, id);
    int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && record && json_dumpfd(record, fd, JSON_COMPACT) == 0;
    if (fd >= 0) ok = close(fd) == 0 && ok;
    ok = ok && rename(tmp, path) == 0;
    if (!ok && !st->complained) {
        fprintf(stderr, "opwright: cannot write %s: %s; jobs may be lost at a restart\n", path,
                strerror(errno));
        st->complained = true;
    }
    json_decref(record);
}

static void remove_record(const char *dir, uint64_t id) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%08" PRIu64 ".json", dir, id);
    unlink(path);
}

void store_write_live(Store *st, const Job *j) {
    write_record(st, st->live, j->id, job_record_json(j));
}

void store_write_finished(Store *st, const Job *j) {
    write_record(st, st->jobs, j->id, job_record_json(j));
    remove_record(st->live, j->id);
    if (j->id > STORE_KEEP) remove_record(st->jobs, j->id - STORE_KEEP);
}

static json_t *read_record(const char *dir, uint64_t id) {
    char path[4200];
    snprintf(path, sizeof path, "%s/%08" PRIu64 ".json", dir, id);
    return json_load_file(path, 0, NULL);
}

json_t *store_read(Store *st, uint64_t id) {
    return read_record(st->jobs, id);
}

/* ---- after a restart ------------------------------------------------------------------------- */

static int by_id(const void *x, const void *y) {
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* Ids of a folder, sorted; free() it. */
static uint64_t *list_ids(const char *dir, size_t *n) {
    DIR *d = opendir(dir);
    uint64_t *ids = NULL;
    size_t cap = 0;
    *n = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        char *end;
        uint64_t id = strtoull(e->d_name, &end, 10);
        if (end == e->d_name || id == 0 || strcmp(end, ".json") != 0) continue;
        if (*n == cap) {
            cap = cap ? cap * 2 : 256;
            uint64_t *more = realloc(ids, cap * sizeof *ids);
            if (!more) break;
            ids = more;
        }
        ids[(*n)++] = id;
    }
    if (d) closedir(d);
    if (*n > 0) qsort(ids, *n, sizeof *ids, by_id);
    return ids;
}

static void give(const char *dir, uint64_t id, bool live, void (*take)(void *, const json_t *, bool),
                 void *ctx) {
    json_t *o = read_record(dir, id);
    if (o) take(ctx, o, live);
    json_decref(o);
}

uint64_t store_load(Store *st, size_t n_finished, void (*take)(void *ctx, const json_t *record, bool live),
                    void *ctx) {
    size_t n_live, n_jobs;
    uint64_t *live = list_ids(st->live, &n_live), *jobs = list_ids(st->jobs, &n_jobs), greatest = 0;
    if (n_live > 0) greatest = live[n_live - 1];
    if (n_jobs > 0 && jobs[n_jobs - 1] > greatest) greatest = jobs[n_jobs - 1];
    for (size_t i = n_jobs > n_finished ? n_jobs - n_finished : 0; i < n_jobs; i++)
        give(st->jobs, jobs[i], false, take, ctx);
    for (size_t i = 0; i < n_live; i++) give(st->live, live[i], true, take, ctx);
    free(live);
    free(jobs);
    return greatest;
}
