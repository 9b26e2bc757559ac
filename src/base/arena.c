/* Arena allocator: a chain of blocks. Under ASan every allocation is its own malloc, so overruns are seen. */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blocks double from the first to the greatest size: there may be thousands of small arenas (jobs that wait). */
#define ARENA_FIRST_BYTES (4u * 1024u - 64u)
#define ARENA_BLOCK_BYTES (64u * 1024u)

typedef struct Block {
    struct Block *next;
    size_t used, cap;
    max_align_t data[];
} Block;

struct Arena {
    Block *head;
    size_t block_bytes; /* of the last ordinary block */
};

static Block *block_new(Block *next, size_t cap) {
    Block *b = calloc(1, sizeof *b + cap);
    if (!b) abort();
    b->next = next;
    b->cap = cap;
    return b;
}

Arena *arena_new(void) {
    Arena *a = calloc(1, sizeof *a);
    if (!a) abort();
    return a;
}

void arena_free(Arena *a) {
    if (!a) return;
    for (Block *b = a->head, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

void *arena_alloc(Arena *a, size_t n_bytes) {
    if (n_bytes > SIZE_MAX / 2) abort();
    size_t need = (n_bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (need == 0) need = sizeof(max_align_t);
#if defined(__SANITIZE_ADDRESS__)
    a->head = block_new(a->head, n_bytes ? n_bytes : 1);
    return a->head->data;
#else
    if (!a->head || a->head->cap - a->head->used < need) {
        if (need > ARENA_BLOCK_BYTES / 4 && a->head) { /* a large one goes behind the current block */
            a->head->next = block_new(a->head->next, need);
            a->head->next->used = need;
            return a->head->next->data;
        }
        a->block_bytes = a->block_bytes == 0                      ? ARENA_FIRST_BYTES
                         : a->block_bytes < ARENA_BLOCK_BYTES / 2 ? a->block_bytes * 2
                                                                  : ARENA_BLOCK_BYTES;
        a->head = block_new(a->head, need > a->block_bytes ? need : a->block_bytes);
    }
    void *p = (char *)a->head->data + a->head->used;
    a->head->used += need;
    return p;
#endif
}

void *arena_array(Arena *a, size_t n, size_t size_bytes) {
    if (size_bytes && n > SIZE_MAX / 2 / size_bytes) abort();
    return arena_alloc(a, n * size_bytes);
}

char *arena_strndup(Arena *a, const char *s, size_t n_bytes) {
    char *p = arena_alloc(a, n_bytes + 1);
    memcpy(p, s, n_bytes);
    return p;
}

char *arena_strdup(Arena *a, const char *s) {
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(Arena *a, const char *fmt, ...) {
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0) abort();
    char *p = arena_alloc(a, (size_t)n + 1);
    vsnprintf(p, (size_t)n + 1, fmt, again);
    va_end(again);
    return p;
}

void *arena_grow(Arena *a, void *old, size_t *cap, size_t size_bytes) {
    size_t new_cap = *cap ? *cap * 2 : 8;
    void *p = arena_array(a, new_cap, size_bytes);
    if (old) memcpy(p, old, *cap * size_bytes);
    *cap = new_cap;
    return p;
}
