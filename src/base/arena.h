/* Arena: memory for one job, released at once. Passes and handlers never free. Pointers belong to the arena
 * given. Out of memory aborts: sizes that come from a user are checked before they reach here. */
#ifndef OPWRIGHT_BASE_ARENA_H
#define OPWRIGHT_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a); /* NULL is allowed */
/* Zeroed, aligned for any type; n_bytes 0 gives a valid unique pointer. */
void *arena_alloc(Arena *a, size_t n_bytes);
/* Zeroed array; aborts when n * size overflows. */
void *arena_array(Arena *a, size_t n, size_t size_bytes);
char *arena_strdup(Arena *a, const char *s);
char *arena_strndup(Arena *a, const char *s, size_t n_bytes);
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, T)      ((T *)arena_alloc((a), sizeof(T)))
#define ARENA_ARRAY(a, n, T) ((T *)arena_array((a), (n), sizeof(T)))

/* Growing array in an arena. Declare `VEC(T) v = {0};`, push with vec_push(a, &v, item), read v.at[i], v.n.
 */
#define VEC(T)                                                                                               \
    struct {                                                                                                 \
        T *at;                                                                                               \
        size_t n, cap;                                                                                       \
    }
#define vec_push(a, v, item)                                                                                 \
    do {                                                                                                     \
        if ((v)->n == (v)->cap) (v)->at = arena_grow((a), (v)->at, &(v)->cap, sizeof *(v)->at);              \
        (v)->at[(v)->n++] = (item);                                                                          \
    } while (0)
void *arena_grow(Arena *a, void *old, size_t *cap, size_t size_bytes);

#endif
