/* A Python file read without Python. */
#include "desc/desc.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    const char *source[DESC_N_SOURCES], *again[DESC_N_SOURCES];
    if (desc_peek(a, arena_strndup(a, (const char *)data, n_bytes), source)) {
        for (int i = 0; i < DESC_N_SOURCES; i++)
            if (!source[i]) __builtin_trap();
        desc_peek(a, desc_print(a, source), again);
    }
    arena_free(a);
    return 0;
}
