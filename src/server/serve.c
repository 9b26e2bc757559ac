/* The service process from start to end: signals are waited for by the first thread, everything else has
 * threads of its own. */
#include "server/serve.h"

#include "base/fs.h"
#include "server/http.h"

#if __has_include("cage/cage.h")
#include "cage/cage.h"
#define CAGE_TEXT() cage_describe()
#else
#define CAGE_TEXT() NULL
#endif

#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Reaps strangers: processes a worker left behind. Our own workers are waited for by their slots. */
void serve_reap_strays(Service *s) {
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0) {
        bool ours = false;
        pthread_mutex_lock(&s->lock);
        for (size_t i = 0; i < s->n_slots; i++) ours = ours || s->slots[i].pid == info.si_pid;
        pthread_mutex_unlock(&s->lock);
        if (ours) return; /* its slot is about to wait for it; strays behind it have time */
        waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG);
        info.si_pid = 0;
    }
}

static bool announce(const Http *h, Err *err) {
    const ServeOptions *o = &h->service->o;
    char text[32];
    bool v6 = strchr(o->host, ':') != NULL;
    fprintf(stderr, "opwright %s serves http://%s%s%s:%u/ on %zu device%s; state in %s\n", OPWRIGHT_VERSION,
            v6 ? "[" : "", o->host, v6 ? "]" : "", h->port, h->service->n_slots,
            h->service->n_slots == 1 ? "" : "s", o->state_dir);
    snprintf(text, sizeof text, "%u\n", h->port);
    return !o->port_file || fs_write(o->port_file, text, strlen(text), err);
}

/* After a burst the C library keeps what was freed; an idle service gives it back to the machine. */
static void trim_when_idle(Service *s, bool *was_busy) {
    bool idle = service_is_idle(s);
    if (idle && *was_busy) malloc_trim(0);
    *was_busy = !idle;
}

/* Returns when everything accepted is done after one signal, or at once after two. */
static void wait_for_end(Http *h, const sigset_t *signals) {
    Service *s = h->service;
    bool was_busy = false;
    for (int n_signals = 0;;) {
        struct timespec tick = {.tv_sec = n_signals ? 0 : 1, .tv_nsec = n_signals ? 50000000 : 0};
        int got = sigtimedwait(signals, NULL, &tick);
        http_tick(h);
        serve_reap_strays(s);
        trim_when_idle(s, &was_busy);
        if (got > 0 && ++n_signals == 1) {
            service_drain(s);
            fprintf(stderr, "opwright: finishing what was accepted; a second signal stops at once\n");
        }
        if (n_signals >= 2 || (n_signals == 1 && service_is_idle(s))) return;
    }
}

bool serve_run(const ServeOptions *o, Err *err) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    Service *s = service_new(o, err);
    if (!s) return false;
    Http h = {0};
    /* The socket first: an address in use must not cost jobs a start. */
    const char *cage = CAGE_TEXT();
    bool ok = http_start(&h, s, cage, err) && service_start(s, err) && announce(&h, err);
    if (ok) wait_for_end(&h, &signals);
    service_stop(s);
    http_stop(&h);
    service_free(s);
    return ok;
}
