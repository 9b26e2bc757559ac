/* What must not outlive the process when a signal ends it: temporary paths and groups of child processes.
 * fs.c enters and leaves its own; a program that wants the promise calls cleanup_install. */
#ifndef OPWRIGHT_BASE_CLEANUP_H
#define OPWRIGHT_BASE_CLEANUP_H

#include <sys/types.h>

/* SIGINT, SIGTERM and SIGHUP from now on kill the groups, remove the paths, and then end the process as they
 * would have. Processes that left their group are ours from now on, and die with us too, also at a normal end. */
void cleanup_install(void);
/* A file or folder; the text is copied. Past 64 paths at once further ones are not remembered. A folder is locked (flock, shared) until
 * it is dropped or the process is gone. */
void cleanup_add_path(const char *path);
void cleanup_drop_path(const char *path); /* unknown: nothing happens */
void cleanup_add_group(pid_t group);
void cleanup_drop_group(pid_t group);

#endif
