/* Compilers and the Python worker lead process groups of their own, so a group is not enough: everything that
 * descends from the process or belongs to its session is found in /proc and killed, again and again until
 * nothing new shows up. */
#include "server/service.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TREE_MAX    4096
#define TREE_ROUNDS 20

typedef struct ProcRow {
    pid_t pid, parent, session;
    bool ours;
} ProcRow;

static bool read_row(const char *name, ProcRow *row) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.16s/stat", name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return false;
    text[n] = '\0';
    char *end = strrchr(text, ')'); /* the name before it may hold anything */
    char state;
    int parent, group, session;
    if (!end || sscanf(end + 1, " %c %d %d %d", &state, &parent, &group, &session) != 4 || state == 'Z')
        return false;
    *row = (ProcRow){.pid = (pid_t)atoi(name), .parent = parent, .session = session};
    return true;
}

static size_t read_rows(ProcRow *rows) {
    DIR *d = opendir("/proc");
    size_t n = 0;
    for (struct dirent *e; d && n < TREE_MAX && (e = readdir(d));)
        if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && read_row(e->d_name, &rows[n])) n++;
    if (d) closedir(d);
    return n;
}

/* Marks what belongs to root; returns how many besides root itself. */
static size_t mark(ProcRow *rows, size_t n, pid_t root) {
    size_t n_ours = 0;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < n; i++) {
            bool ours = rows[i].session == root || rows[i].parent == root;
            for (size_t k = 0; k < n && !ours; k++) ours = rows[k].ours && rows[k].pid == rows[i].parent;
            if (rows[i].ours || !ours || rows[i].pid == root || rows[i].pid == getpid()) continue;
            rows[i].ours = more = true;
            n_ours++;
        }
    }
    return n_ours;
}

void proc_tree_kill(pid_t pid) {
    if (pid <= 1) return;
    ProcRow *rows = calloc(TREE_MAX, sizeof *rows);
    bool self = pid == getpid();
    if (!self) kill(pid, SIGSTOP); /* it shall start nothing while its children are counted */
    for (int round = 0; rows && round < TREE_ROUNDS; round++) {
        memset(rows, 0, TREE_MAX * sizeof *rows);
        size_t n = read_rows(rows);
        if (mark(rows, n, pid) == 0) break;
        for (size_t i = 0; i < n; i++)
            if (rows[i].ours) kill(rows[i].pid, SIGKILL);
        usleep(2000);
    }
    if (!self) kill(pid, SIGKILL);
    free(rows);
}
