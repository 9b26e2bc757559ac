/* A compiler's output, which quotes foreign text. */
#include "verify/verify_int.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    DiagList list = {.arena = arena_new()};
    Desc d = {.path = "d.py", .op = "AddCustom", .kernel_name = "add_custom"};
    for (int i = 0; i < DESC_N_SOURCES; i++) d.source[i] = "first\nsecond\n\tthird\r\n";
    compile_log_parse(&d, "/nonexistent", arena_strndup(list.arena, (const char *)data, n_bytes), &list);
    for (size_t i = 0; i < list.n; i++)
        if (!list.at[i].text || !list.at[i].check) __builtin_trap();
    arena_free(list.arena);
    return 0;
}
