/* One device: a thread that feeds a worker process with one job after another. The process is started again
 * when it dies, passes a job's time limit or its job is cancelled. */
#include "server/service.h"

#include "base/fs.h"
#include "server/link.h"
#include "server/redis_front.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define ATTEMPTS 2

extern char **environ;

/* ---- the process ----------------------------------------------------------------------------- */

/* environ with TMPDIR of its own, so that what a killed worker leaves can be removed. */
enum { SLOT_PATH = 4200 };

/* The worker's own temporary folder. It carries the server's process id: a worker whose server was killed takes its folder
 * away a moment later, when another server may run over the same state already. */
static void slot_folder(const Slot *slot, char out[SLOT_PATH]) {
    snprintf(out, SLOT_PATH, "%s/tmp/%ld.%zu", slot->service->o.state_dir, (long)getpid(), slot->number);
}

static char **make_environ(Arena *a, const char *tmp) {
    size_t n = 0, k = 0;
    while (environ[n]) n++;
    char **env = ARENA_ARRAY(a, n + 2, char *);
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) env[k++] = environ[i];
    env[k++] = arena_printf(a, "TMPDIR=%s", tmp);
    return env;
}

static int spawn_worker(const Slot *slot, Arena *a, const char *tmp, int child_fd, pid_t *pid) {
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t none, pipes;
    sigemptyset(&none);
    sigemptyset(&pipes);
    sigaddset(&pipes, SIGPIPE);
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawn_file_actions_addopen(&fa, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&fa, 2, 1);
    posix_spawn_file_actions_adddup2(&fa, child_fd, LINK_FD);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &pipes);
    char name[] = "opwright", command[] = "serve", option[] = "--worker-of";
    char *const argv[] = {name, command, option, arena_strdup(a, slot->device), NULL};
    int rc = posix_spawn(pid, "/proc/self/exe", &fa, &attr, argv, make_environ(a, tmp));
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&attr);
    return rc;
}

static bool start_process(Slot *slot, Err *err) {
    Service *s = slot->service;
    Arena *a = arena_new();
    int pair[2] = {-1, -1};
    pid_t pid = 0;
    char tmp[SLOT_PATH];
    slot_folder(slot, tmp);
    fs_remove_tree(tmp);
    bool ok = fs_make_dirs(tmp, err);
    if (ok && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        ok = err_set(err, ERR_IO, NULL, "cannot make a socket for the worker: %s", strerror(errno));
    if (ok) {
        int child =
            fcntl(pair[1], F_DUPFD_CLOEXEC, 10); /* above LINK_FD, so that dup2 clears close-on-exec */
        int rc = child >= 0 ? spawn_worker(slot, a, tmp, child, &pid) : errno;
        if (child >= 0) close(child);
        ok = rc == 0 || err_set(err, ERR_IO, NULL, "cannot start a worker process: %s", strerror(rc));
    }
    if (pair[1] >= 0) close(pair[1]);
    if (!ok && pair[0] >= 0) close(pair[0]);
    pthread_mutex_lock(&s->lock);
    slot->fd = ok ? pair[0] : -1;
    slot->pid = ok ? pid : 0;
    slot->warm = false;
    s->counters.worker_starts += ok;
    pthread_mutex_unlock(&s->lock);
    arena_free(a);
    return ok;
}

/* Ends the process with all it started; says how it had ended, for which it has patience_s when it should be
 * dead. */
static void end_process(Slot *slot, double patience_s, char *how, size_t cap) {
    Service *s = slot->service;
    snprintf(how, cap, "was not there");
    if (slot->pid <= 0) return;
    siginfo_t info = {0};
    for (double until = time_now_s() + patience_s;;) { /* its socket closes a moment before it is gone */
        (void)waitid(P_PID, (id_t)slot->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (info.si_pid == slot->pid || time_now_s() >= until) break;
        usleep(5000);
    }
    if (info.si_pid != slot->pid) snprintf(how, cap, "stopped answering");
    else if (info.si_code == CLD_EXITED) snprintf(how, cap, "ended with exit status %d", info.si_status);
    else snprintf(how, cap, "was killed by signal %d", info.si_status);
    proc_tree_kill(slot->pid);
    while (waitpid(slot->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    char tmp[SLOT_PATH];
    slot_folder(slot, tmp);
    fs_remove_tree(tmp);
    pthread_mutex_lock(&s->lock);
    close(slot->fd);
    slot->fd = -1;
    slot->pid = 0;
    slot->revive = slot->warm; /* one that never came up would only fail again */
    slot->warm = false;
    if (!s->stopping) s->counters.worker_deaths++;
    pthread_mutex_unlock(&s->lock);
}

/* ---- one job --------------------------------------------------------------------------------- */

static json_t *job_message(const Slot *slot, const Job *j) {
    const Service *s = slot->service;
    Arena *a = arena_new();
    json_t *o = request_json(&j->request);
    const struct {
        const char *key, *text;
    } texts[] = {{"reference_text", j->reference_text},
                 {"kernel_code_text", j->kernel_code_text},
                 {"reference_cases", j->reference_cases}};
    for (size_t i = 0; i < 3; i++)
        if (texts[i].text) json_object_set_new(o, texts[i].key, json_string(texts[i].text));
    /* The texts are sent once, and relative paths mean the service's folder. */
    json_object_del(o, "reference_src");
    json_object_del(o, "kernel_code_src");
    if (j->request.reference_path)
        json_object_set_new(o, "reference_path",
                            json_string(source_absolute(a, &s->root, j->request.reference_path)));
    if (j->request.kernel_code_path)
        json_object_set_new(o, "kernel_code_path",
                            json_string(source_absolute(a, &s->root, j->request.kernel_code_path)));
    json_object_set_new(o, "stage_limit_s", json_real(service_stage_limit_s(s, slot->npu)));
    json_object_set_new(o, "memory_mb", json_real(s->o.memory_mb));
    arena_free(a);
    return o;
}

typedef enum { OUTCOME_RESULT, OUTCOME_DIED, OUTCOME_LATE, OUTCOME_CANCELLED, OUTCOME_STOPPING } Outcome;

static void take_ready(Slot *slot, const json_t *m) {
    Service *s = slot->service;
    const char *python = json_string_value(json_object_get(m, "python"));
    pthread_mutex_lock(&s->lock);
    slot->warm = json_is_true(json_object_get(m, "ok"));
    snprintf(slot->python, sizeof slot->python, "%s", python ? python : "");
    pthread_mutex_unlock(&s->lock);
}

static void take_log(Slot *slot, Job *j, const json_t *m) {
    Service *s = slot->service;
    const char *line = json_string_value(json_object_get(m, "data")),
               *stage = json_string_value(json_object_get(m, "stage"));
    pthread_mutex_lock(&s->lock);
    if (stage) j->stage = arena_strdup(j->arena, stage);
    if (line) job_log(j, "%s", line);
    pthread_mutex_unlock(&s->lock);
}

/* Reads what the worker says until the job has an outcome; *result is the message with the result. */
static Outcome follow(Slot *slot, Job *j, double deadline_s, json_t **result) {
    Service *s = slot->service;
    for (;;) {
        json_t *m = NULL;
        pthread_mutex_lock(&s->lock);
        bool cancel = j->cancel, stopping = s->stopping;
        pthread_mutex_unlock(&s->lock);
        if (stopping) return OUTCOME_STOPPING;
        if (cancel) return OUTCOME_CANCELLED;
        LinkStatus status = link_receive(slot->fd, slot->wake_fd, deadline_s, &m);
        const char *type = json_string_value(json_object_get(m, "type"));
        if (type && !strcmp(type, "result") && json_is_array(json_object_get(m, "result"))) {
            *result = m;
            return OUTCOME_RESULT;
        }
        if (type && !strcmp(type, "log")) take_log(slot, j, m);
        if (type && !strcmp(type, "ready")) take_ready(slot, m);
        json_decref(m);
        if (status == LINK_CLOSED) return OUTCOME_DIED;
        if (status == LINK_LATE) return OUTCOME_LATE;
    }
}

static void finish_infra(Service *s, Job *j, JobState state, const char *message) {
    pthread_mutex_lock(&s->lock);
    job_log(j, "%s", message);
    service_finish_locked(s, j, state, 3,
                          job_plain_result(&j->request, j->backend, "INFRA_ERROR", message, NULL),
                          arena_printf(j->arena, "INFRA_ERROR %s: %s", j->request.op, message));
    pthread_mutex_unlock(&s->lock);
}

static void finish_result(Service *s, Job *j, json_t *m) {
    const char *summary = json_string_value(json_object_get(m, "summary"));
    pthread_mutex_lock(&s->lock);
    service_finish_locked(s, j, JOB_DONE, (int)json_integer_value(json_object_get(m, "exit_code")),
                          json_incref(json_object_get(m, "result")), summary ? summary : "");
    pthread_mutex_unlock(&s->lock);
    json_decref(m);
}

static void log_locked(Service *s, Job *j, const char *text) {
    pthread_mutex_lock(&s->lock);
    job_log(j, "%s", text);
    pthread_mutex_unlock(&s->lock);
}

static void run_job(Slot *slot, Job *j) {
    Service *s = slot->service;
    double limit_s = service_job_limit_s(s, slot->npu), deadline_s = time_now_s() + limit_s;
    char text[256], how[64];
    for (int attempt = 1;; attempt++) {
        Err err = {0};
        json_t *m = NULL;
        if (slot->pid <= 0 && !start_process(slot, &err)) return finish_infra(s, j, JOB_DONE, err.message);
        bool sent = link_send(slot->fd, job_message(slot, j));
        Outcome outcome = sent ? follow(slot, j, deadline_s, &m) : OUTCOME_DIED;
        if (outcome == OUTCOME_RESULT) return finish_result(s, j, m);
        end_process(slot, outcome == OUTCOME_DIED ? 1.0 : 0, how, sizeof how);
        switch (outcome) {
        case OUTCOME_CANCELLED:
            return finish_infra(s, j, JOB_CANCELLED, "cancelled while it ran");
        case OUTCOME_STOPPING:
            return finish_infra(s, j, JOB_ABORTED, "the service was stopped while this job ran");
        case OUTCOME_LATE:
            snprintf(text, sizeof text, "the job was not done within %g s and was ended", limit_s);
            return finish_infra(s, j, JOB_DONE, text);
        default:
            break;
        }
        snprintf(text, sizeof text, "the worker process %s", how);
        if (attempt == ATTEMPTS) {
            snprintf(text, sizeof text, "the worker process %s, and so did the one before it", how);
            return finish_infra(s, j, JOB_DONE, text);
        }
        log_locked(s, j, text);
        log_locked(s, j, "trying once more with a new worker process");
    }
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Between jobs: hears that the worker is ready, or that it is gone. */
static void look_idle(Slot *slot) {
    json_t *m = NULL;
    char how[64];
    LinkStatus status = link_receive(slot->fd, slot->wake_fd, 0, &m);
    const char *type = json_string_value(json_object_get(m, "type"));
    if (type && !strcmp(type, "ready")) take_ready(slot, m);
    json_decref(m);
    if (status != LINK_CLOSED) return;
    end_process(slot, 1.0, how, sizeof how);
    fprintf(stderr, "opwright: the worker process of %s %s\n", slot->device, how);
}

static void warm_up(Slot *slot) {
    Err err = {0};
    slot->revive = false;
    if (!start_process(slot, &err)) fprintf(stderr, "opwright: %s: %s\n", slot->device, err.message);
}

static void *slot_thread(void *arg) {
    Slot *slot = arg;
    Service *s = slot->service;
    warm_up(slot);
    pthread_mutex_lock(&s->lock);
    while (!s->stopping) {
        Job *j = slot->job;
        if (!j && slot->pid <= 0 && !slot->revive) {
            /* A worker that cannot live is tried again with the next job, not over and over. */
            pthread_cond_wait(&slot->work, &s->lock);
            continue;
        }
        pthread_mutex_unlock(&s->lock);
        if (j) run_job(slot, j);
        else if (slot->pid > 0) look_idle(slot);
        else warm_up(slot);
        pthread_mutex_lock(&s->lock);
    }
    Job *left = slot->job;
    pthread_mutex_unlock(&s->lock);
    if (left) finish_infra(s, left, JOB_ABORTED, "the service was stopped while this job ran");
    char how[64];
    end_process(slot, 0, how, sizeof how);
    return NULL;
}

bool slot_start(Slot *slot, Err *err) {
    slot->fd = -1;
    slot->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_cond_init(&slot->work, NULL);
    if (slot->wake_fd < 0) return err_set(err, ERR_IO, NULL, "cannot make an eventfd: %s", strerror(errno));
    slot->has_thread = pthread_create(&slot->thread, NULL,
                                      slot->service->o.queue ? front_slot_thread : slot_thread, slot) == 0;
    return slot->has_thread || err_set(err, ERR_IO, NULL, "cannot start a thread");
}

void slot_wake_locked(Slot *slot) {
    uint64_t one = 1;
    pthread_cond_signal(&slot->work);
    (void)!write(slot->wake_fd, &one, sizeof one);
}

void slot_join(Slot *slot) {
    if (slot->has_thread) pthread_join(slot->thread, NULL);
    if (slot->wake_fd > 0) close(slot->wake_fd);
    slot->has_thread = false;
}
