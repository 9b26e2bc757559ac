/* The cage for foreign code: compilers on foreign sources, and the Python worker that runs foreign models and kernels.
 * Inside: no network and no sockets but pairs, one writable folder and a read-only view of the rest, no privileges (root's
 * neither) and none to come, no system calls that reach other processes or the kernel's own settings, limits on processes and
 * file sizes; everything dies with the cage.
 *
 * Made of bubblewrap (namespaces) around opwright-cage (seccomp, limits, a count of processes). Where bubblewrap is missing
 * or the kernel forbids namespaces, opwright-cage alone: then files outside stay writable and the filter keeps the network
 * away. Wall time is limited by those who start requests, and so are memory and CPU time in the Python worker, which maps
 * gigabytes itself (docs/bridge.md). */
#ifndef OPWRIGHT_CAGE_CAGE_H
#define OPWRIGHT_CAGE_CAGE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct CageSpec {
    const char *writable; /* absolute path of an existing folder; TMPDIR inside is this folder */
    uint32_t processes;   /* at once, threads not counted; 0: 512 */
    uint64_t file_bytes;  /* of one file; 0: 4 GiB */
    uint64_t memory_bytes; /* address space of each process; 0: no limit */
    uint32_t cpu_s;        /* of each process; 0: no limit */
} CageSpec;

typedef enum {
    CAGE_FULL,   /* bubblewrap and seccomp */
    CAGE_FILTER, /* seccomp and limits only; also OPWRIGHT_CAGE=filter */
    CAGE_NONE    /* OPWRIGHT_CAGE=off, or opwright-cage is not beside this program */
} CageKind;

/* What can be done on this machine; tried once per process and remembered. */
CageKind cage_kind(void);
/* One sentence for people: what the cage can do here, and why not more. */
const char *cage_describe(void);
/* argv (NULL-terminated) so that it runs in the cage, found by PATH: a new NULL-terminated array in the arena, or argv itself without one. */
const char *const *cage_argv(Arena *a, const CageSpec *spec, const char *const *argv);

#endif
