/* Bodies of requests: any bytes give requests that keep their promises and read back, or an error that names
 * a field. */
#include "server/request.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void check(Arena *a, const Request *r) {
    if (!r->op || !*r->op || !r->language || r->n_devices > REQUEST_MAX_DEVICES) __builtin_trap();
    if ((!r->reference_path && !r->reference_src) || (!r->kernel_code_path && !r->kernel_code_src))
        __builtin_trap();
    for (size_t i = 0; i < r->n_devices; i++) {
        const char *again = request_device_name(a, r->devices[i]);
        if (!again || strcmp(again, r->devices[i]) != 0) __builtin_trap();
    }
    json_t *o = request_json(r);
    char *text = json_dumps(o, 0);
    Request *items;
    size_t n = 0;
    Err err = {0};
    if (!text || !request_parse(a, text, strlen(text), false, &items, &n, &err) || n != 1) __builtin_trap();
    json_t *again = request_json(items);
    if (!json_equal(o, again)) __builtin_trap();
    json_decref(again);
    json_decref(o);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    for (int batch = 0; batch < 2; batch++) {
        Request *items = NULL;
        size_t n = 0;
        Err err = {0};
        if (request_parse(a, (const char *)data, n_bytes, batch, &items, &n, &err)) {
            for (size_t i = 0; i < n; i++) check(a, &items[i]);
        } else if (!err.where[0] || !err.message[0]) {
            __builtin_trap();
        }
    }
    arena_free(a);
    return 0;
}
