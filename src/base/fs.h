/* Files, folders and child processes: the few things everyone needs, with errors that name the path. */
#ifndef OPWRIGHT_BASE_FS_H
#define OPWRIGHT_BASE_FS_H

#include "base/arena.h"
#include "base/err.h"

#include <stdint.h>
#include <sys/types.h>

/* Whole file as NUL-terminated bytes (length in *n_bytes, may be NULL); NULL and *err on failure. */
char *fs_read(Arena *a, const char *path, size_t *n_bytes, Err *err) ERR_CHECKED;
/* Writes path atomically: temp file in the same folder, fsync, rename. */
bool fs_write(const char *path, const void *data, size_t n_bytes, Err *err) ERR_CHECKED;
typedef struct FsFile {
    const char *path;
    const void *data;
    size_t n_bytes;
} FsFile;
#define FS_SET_MAX 16
/* Writes several files, none before all have their room on the disk and none in part. At most FS_SET_MAX. */
bool fs_write_set(const FsFile *files, size_t n, Err *err) ERR_CHECKED;
bool fs_exists(const char *path);
/* Checks before long work: a regular file that may be read; a folder that is there, or can be made, and
 * written to. */
bool fs_check_readable(const char *path, Err *err) ERR_CHECKED;
bool fs_check_writable_dir(const char *path, Err *err) ERR_CHECKED;
/* Makes a folder and those above it; one that is there already is fine. */
bool fs_make_dirs(const char *path, Err *err) ERR_CHECKED;
/* A new private folder under $TMPDIR (or /tmp), name starting with prefix; removed on a signal too
 * (cleanup.h). */
char *fs_temp_dir(Arena *a, const char *prefix, Err *err) ERR_CHECKED;
/* The same inside `parent`. */
char *fs_temp_dir_in(Arena *a, const char *parent, const char *prefix, Err *err) ERR_CHECKED;
/* Removes a folder and all below it; symlinks are removed, not followed. Missing is fine. */
void fs_remove_tree(const char *path);
/* Where the user's files of a kind lie: $VARIABLE/opwright, else $HOME/<fallback>/opwright. XDG wants absolute paths and ignores
 * others. NULL when neither is set. ("XDG_CACHE_HOME", ".cache"), ("XDG_DATA_HOME", ".local/share"), ("XDG_STATE_HOME",
 * ".local/state"). */
const char *fs_user_dir(Arena *a, const char *variable, const char *fallback);
/* Folder with device/, hostapi/, bridge/, data/: $OPWRIGHT_HOME, else found from the executable's place. */
const char *fs_home(Arena *a, Err *err) ERR_CHECKED;

typedef struct Proc {
    pid_t pid;
    int out_fd; /* child's stdout and stderr, read end */
} Proc;

typedef struct ProcResult {
    int exit_code;  /* -1 when killed by a signal */
    int signal_no;  /* 0 when exited */
    bool timed_out; /* killed by us at the time limit */
    char *output;   /* stdout and stderr together, at most 1 MiB kept, NUL-terminated */
    double wall_s;
} ProcResult;

/* Starts argv (NULL-terminated, argv[0] searched in PATH) in its own process group, working folder cwd (NULL:
 * ours). stdin is /dev/null. The caller must end it with proc_wait. */
bool proc_start(Proc *p, const char *const *argv, const char *cwd, Err *err) ERR_CHECKED;
/* Reads output until the child ends or limit_s has passed (then its group is killed). False only on our own
 * failure. */
bool proc_wait(Proc *p, Arena *a, double limit_s, ProcResult *r, Err *err) ERR_CHECKED;
double time_now_s(void); /* monotonic */

#endif
