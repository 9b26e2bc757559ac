/* Slots that a signal handler may read at any moment: everything in the handler is a system call. */
#include "base/cleanup.h"

#include "base/fs.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define N_SLOTS      64
#define STRAY_ROUNDS 100

/* Threads share the slots. Whoever changes a tag to 0 owns the slot's path and may free it; nobody else looks at the text. */
static struct {
    _Atomic(char *) path[N_SLOTS];
    _Atomic uint64_t tag[N_SLOTS]; /* of the path; 0: empty, or being filled or emptied */
    _Atomic int lock[N_SLOTS];     /* 1 + the descriptor that says the folder is in use; 0: none */
    _Atomic pid_t group[N_SLOTS];
    pid_t owner;       /* who called cleanup_install */
    char children[48]; /* the kernel's list of our first thread's children */
} state;

/* FNV-1a, never 0. */
static uint64_t tag_of(const char *path) {
    uint64_t h = 0xcbf29ce484222325u;
    for (; *path; path++) h = (h ^ (unsigned char)*path) * 0x100000001b3u;
    return h ? h : 1;
}

/* A folder that is used is locked: who finds one without a lock knows that its owner is dead, however it died. Without a slot
 * the descriptor stays until the process ends, and the lock with it. */
static int lock_folder(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) (void)flock(fd, LOCK_SH | LOCK_NB);
    return fd;
}

void cleanup_add_path(const char *path) {
    char *copy = strdup(path);
    int fd = lock_folder(path);
    for (int i = 0; copy && i < N_SLOTS; i++) {
        char *empty = NULL;
        if (!atomic_compare_exchange_strong(&state.path[i], &empty, copy)) continue;
        atomic_store(&state.lock[i], fd + 1);
        atomic_store(&state.tag[i], tag_of(path));
        return;
    }
    free(copy);
}

void cleanup_drop_path(const char *path) {
    const uint64_t tag = tag_of(path);
    for (int i = 0; i < N_SLOTS; i++) {
        uint64_t wanted = tag;
        if (!atomic_compare_exchange_strong(&state.tag[i], &wanted, 0)) continue;
        char *at = atomic_load(&state.path[i]);
        if (strcmp(at, path) != 0) { /* another path with the same tag */
            atomic_store(&state.tag[i], tag);
            continue;
        }
        int fd = atomic_exchange(&state.lock[i], 0) - 1;
        if (fd >= 0) close(fd);
        atomic_store(&state.path[i], NULL);
        free(at);
        return;
    }
}

void cleanup_add_group(pid_t group) {
    for (int i = 0; i < N_SLOTS; i++) {
        pid_t empty = 0;
        if (atomic_compare_exchange_strong(&state.group[i], &empty, group)) return;
    }
}

void cleanup_drop_group(pid_t group) {
    for (int i = 0; i < N_SLOTS; i++) {
        pid_t wanted = group;
        if (atomic_compare_exchange_strong(&state.group[i], &wanted, 0)) return;
    }
}

/* Kills and reaps the processes in a text of numbers; how many lived. */
static int end_listed(const char *text, size_t n_bytes) {
    int n_living = 0;
    for (size_t i = 0; i < n_bytes;) {
        pid_t pid = 0;
        for (; i < n_bytes && text[i] >= '0' && text[i] <= '9'; i++) pid = pid * 10 + (text[i] - '0');
        i++;
        if (pid <= 1 || waitpid(pid, NULL, WNOHANG) == pid) continue;
        n_living++;
        kill(pid, SIGKILL);
    }
    return n_living;
}

/* Foreign code may have started processes in sessions of their own. We are a subreaper, so once those they came from are
 * dead they are children of our first thread, which the kernel lists. */
static void end_strays(void) {
    const struct timespec moment = {.tv_nsec = 2000000};
    for (int round = 0; round < STRAY_ROUNDS; round++) {
        char text[4096];
        int fd = open(state.children, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
        if (fd >= 0) close(fd);
        if (n <= 0 || end_listed(text, (size_t)n) == 0) return;
        nanosleep(&moment, NULL);
    }
}

static void on_signal(int signal_no) {
    for (int i = 0; i < N_SLOTS; i++) {
        pid_t group = atomic_load(&state.group[i]);
        if (group > 0) kill(-group, SIGKILL);
    }
    end_strays();
    for (int i = 0; i < N_SLOTS; i++) {
        const char *path = atomic_load(&state.path[i]);
        if (path) fs_remove_tree(path);
    }
    raise(signal_no); /* the handler was reset: this ends the process */
}

/* At a normal end only what is left of our own children is strange to us. */
static void on_exit_kill(void) {
    if (getpid() == state.owner) end_strays();
}

void cleanup_install(void) {
    if (state.owner != getpid()) {
        state.owner = getpid();
        snprintf(state.children, sizeof state.children, "/proc/self/task/%d/children", (int)state.owner);
        prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
        atexit(on_exit_kill);
    }
    static const int SIGNALS[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof SIGNALS[0]; i++) {
        struct sigaction old,
            action = {.sa_handler = on_signal, .sa_flags = (int)(SA_RESETHAND | SA_NODEFER)};
        sigemptyset(&action.sa_mask);
        if (sigaction(SIGNALS[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(SIGNALS[i], &action, NULL);
    }
}
