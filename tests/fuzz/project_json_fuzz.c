/* project_json_src: whatever the text, a parsed operator or an error that names a line. */
#include "desc/desc_int.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    Err err = {0};
    Desc d = {.path = "d.py"};
    d.source[DESC_PROJECT_JSON] = arena_strndup(a, (const char *)data, n_bytes);
    if (project_json_parse(a, &d, &err)) {
        if (!d.op || d.n_outputs == 0 || d.n_combos == 0) __builtin_trap();
    } else if (strncmp(err.where, "project_json_src:", 17) != 0 || !err.message[0]) {
        __builtin_trap();
    }
    const JsonStep path[] = {{.index = 0}, {.key = "input_desc"}, {.index = 1}, {.key = "type"}};
    if (json_locate(d.source[DESC_PROJECT_JSON], path, 4) < 1) __builtin_trap();
    arena_free(a);
    return 0;
}
