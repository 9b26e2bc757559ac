/* Any bytes through the frame parser, as they would come out of the worker's pipe. */
#include "bridge/frame.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Err err;
    size_t n_json = 0;
    if (n_bytes < FRAME_HEAD_BYTES) return 0;
    if (frame_json_length(data, &n_json, &err) && (n_json == 0 || n_json > FRAME_MAX_JSON_BYTES))
        __builtin_trap();
    Arena *a = arena_new();
    FrameHead h;
    if (frame_parse_json(a, (const char *)data + FRAME_HEAD_BYTES, n_bytes - FRAME_HEAD_BYTES, &h, &err)) {
        uint64_t total = 0;
        for (size_t i = 0; i < h.n_blobs; i++) total += h.blob_bytes[i];
        if (total != h.total_bytes || total > FRAME_MAX_BLOB_BYTES) __builtin_trap();
        size_t n_again = 0;
        char *again = frame_print(a, h.value, &n_again, &err);
        FrameHead h2;
        if (!again || !frame_parse_json(a, again + FRAME_HEAD_BYTES, n_again - FRAME_HEAD_BYTES, &h2, &err))
            __builtin_trap();
        if (!json_equal(h.value, h2.value)) __builtin_trap();
        json_decref(h2.value);
        json_decref(h.value);
    }
    arena_free(a);
    return 0;
}
