/* The state folder: live/ID.json for jobs that wait or run, jobs/ID.json for finished ones, cache/, tmp/.
 * A file is written whole under another name and renamed, so that a killed service leaves no half record. A
 * thread forces the records of accepted and of finished jobs to the disk a moment later, many at once when many
 * come: nothing waits for the disk, and a power failure loses the last moment at most. */
#include "server/service.h"

#include "base/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define STORE_KEEP 2000 /* records of finished jobs */
#define SYNC_EACH  16   /* more records than this at once are forced to the disk together */

typedef struct Pending {
    uint64_t id;
    bool finished;
} Pending;

static const char *record_path(const char *dir, uint64_t id, char *path, size_t cap) {
    snprintf(path, cap, "%s/%08" PRIu64 ".json", dir, id);
    return path;
}

static void remove_record(const char *dir, uint64_t id) {
    char path[4200];
    unlink(record_path(dir, id, path, sizeof path));
}

struct Store {
    const char *live, *jobs;
    int lock_fd;
    bool complained;
    /* what is to be forced to the disk; guarded by `lock` */
    pthread_mutex_t lock;
    pthread_cond_t work;
    pthread_t thread;
    bool has_thread, ending;
    Pending *pending;
    size_t n_pending, cap_pending;
};

/* ---- the disk -------------------------------------------------------------------------------- */

static void sync_path(const char *path, int flags) {
    int fd = open(path, flags | O_RDONLY | O_CLOEXEC);
    if (fd < 0) return; /* removed since */
    (void)fsync(fd);
    close(fd);
}

/* Few: one by one. Many: all the file system holds back, in one go. */
static void sync_all(const Store *st, const Pending *p, size_t n) {
    int fd = n > SYNC_EACH ? open(st->live, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        (void)syncfs(fd);
        close(fd);
        return;
    }
    bool dirs[2] = {false, false};
    char path[4200];
    for (size_t i = 0; i < n; i++) {
        sync_path(record_path(p[i].finished ? st->jobs : st->live, p[i].id, path, sizeof path), 0);
        dirs[p[i].finished] = true;
    }
    if (dirs[0]) sync_path(st->live, O_DIRECTORY);
    if (dirs[1]) sync_path(st->jobs, O_DIRECTORY);
}

/* A live record goes only when the finished one is safe; until then a restart finds both and knows (store_load). */
static void *sync_thread(void *arg) {
    Store *st = arg;
    pthread_mutex_lock(&st->lock);
    while (!st->ending || st->n_pending > 0) {
        if (st->n_pending == 0) {
            pthread_cond_wait(&st->work, &st->lock);
            continue;
        }
        Pending *p = st->pending;
        size_t n = st->n_pending;
        st->pending = NULL;
        st->n_pending = st->cap_pending = 0;
        pthread_mutex_unlock(&st->lock);
        sync_all(st, p, n);
        for (size_t i = 0; i < n; i++)
            if (p[i].finished) remove_record(st->live, p[i].id);
        free(p);
        pthread_mutex_lock(&st->lock);
    }
    pthread_mutex_unlock(&st->lock);
    return NULL;
}

static void sync_later(Store *st, uint64_t id, bool finished) {
    pthread_mutex_lock(&st->lock);
    if (st->n_pending == st->cap_pending) {
        size_t cap = st->cap_pending ? st->cap_pending * 2 : 64;
        Pending *more = realloc(st->pending, cap * sizeof *more);
        if (!more) abort();
        st->pending = more;
        st->cap_pending = cap;
    }
    st->pending[st->n_pending++] = (Pending){.id = id, .finished = finished};
    pthread_cond_signal(&st->work);
    pthread_mutex_unlock(&st->lock);
}

static bool start_sync(Store *st, Err *err) {
    pthread_mutex_init(&st->lock, NULL);
    pthread_cond_init(&st->work, NULL);
    st->has_thread = pthread_create(&st->thread, NULL, sync_thread, st) == 0;
    return st->has_thread || err_set(err, ERR_IO, NULL, "cannot start a thread");
}

/* ---- the folder ------------------------------------------------------------------------------ */

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
    if (flock(st->lock_fd, LOCK_EX | LOCK_NB) == 0) {
        if (start_sync(st, err)) return st;
        close(st->lock_fd);
        return NULL;
    }
    close(st->lock_fd);
    err_set(err, ERR_USAGE, dir, "another service uses this state folder");
    err_hint(err, "stop it, or give this one its own with --state-dir");
    return NULL;
}

void store_close(Store *st) {
    if (!st) return;
    pthread_mutex_lock(&st->lock);
    st->ending = true;
    pthread_cond_signal(&st->work);
    pthread_mutex_unlock(&st->lock);
    pthread_join(st->thread, NULL);
    pthread_cond_destroy(&st->work);
    pthread_mutex_destroy(&st->lock);
    close(st->lock_fd);
}

/* Records are for later; a full disk must not stop the service, but it is said once. */
static bool write_record(Store *st, const char *dir, uint64_t id, json_t *record) {
    char tmp[4200], path[4200];
    snprintf(tmp, sizeof tmp, "%s/.%08" PRIu64 ".tmp", dir, id);
    record_path(dir, id, path, sizeof path);
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
    return ok;
}

/* That a job has begun is not worth waiting for: lost, it would begin once more. */
void store_write_live(Store *st, const Job *j) {
    bool ok = write_record(st, st->live, j->id, job_record_json(j));
    if (ok && j->state == JOB_QUEUED) sync_later(st, j->id, false);
}

void store_write_finished(Store *st, const Job *j) {
    if (write_record(st, st->jobs, j->id, job_record_json(j))) sync_later(st, j->id, true);
    else remove_record(st->live, j->id); /* it is done, and its client has the answer */
    if (j->id > STORE_KEEP) remove_record(st->jobs, j->id - STORE_KEEP);
}

static json_t *read_record(const char *dir, uint64_t id) {
    char path[4200];
    return json_load_file(record_path(dir, id, path, sizeof path), 0, NULL);
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
    else fprintf(stderr, "opwright: the record of job %" PRIu64 " in %s cannot be read\n", id, dir);
    json_decref(o);
}

/* Killed in the moment after it finished: both records are there. One that a power failure cut off does not count. */
static bool is_finished(const Store *st, const uint64_t *jobs, size_t n_jobs, uint64_t id) {
    json_t *o = n_jobs > 0 && bsearch(&id, jobs, n_jobs, sizeof *jobs, by_id) ? read_record(st->jobs, id) : NULL;
    bool finished = json_is_array(json_object_get(o, "result"));
    json_decref(o);
    return finished;
}

uint64_t store_load(Store *st, size_t n_finished, void (*take)(void *ctx, const json_t *record, bool live),
                    void *ctx) {
    size_t n_live, n_jobs;
    uint64_t *live = list_ids(st->live, &n_live), *jobs = list_ids(st->jobs, &n_jobs), greatest = 0;
    if (n_live > 0) greatest = live[n_live - 1];
    if (n_jobs > 0 && jobs[n_jobs - 1] > greatest) greatest = jobs[n_jobs - 1];
    for (size_t i = n_jobs > n_finished ? n_jobs - n_finished : 0; i < n_jobs; i++)
        give(st->jobs, jobs[i], false, take, ctx);
    for (size_t i = 0; i < n_live; i++) {
        if (is_finished(st, jobs, n_jobs, live[i])) remove_record(st->live, live[i]);
        else give(st->live, live[i], true, take, ctx);
    }
    free(live);
    free(jobs);
    return greatest;
}
