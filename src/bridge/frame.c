/* Frames of the worker protocol: the parts that need no file descriptor. */
#include "bridge/frame.h"

#include <stdlib.h>
#include <string.h>

bool frame_json_length(const uint8_t head[FRAME_HEAD_BYTES], size_t *n_bytes, Err *err) {
    uint32_t n =
        (uint32_t)head[0] | (uint32_t)head[1] << 8 | (uint32_t)head[2] << 16 | (uint32_t)head[3] << 24;
    if (n == 0 || n > FRAME_MAX_JSON_BYTES)
        return err_set(err, ERR_INTERNAL, NULL,
                       "the Python worker sent a frame of %u bytes of JSON, which is not possible", n);
    *n_bytes = n;
    return true;
}

/* The "blobs" list of an object that is otherwise accepted. */
static bool parse_blobs(Arena *a, FrameHead *h, Err *err) {
    const json_t *list = json_object_get(h->value, "blobs");
    if (!list || json_is_null(list)) return true;
    if (!json_is_array(list))
        return err_set(err, ERR_INTERNAL, NULL, "the Python worker sent \"blobs\" that is not a list");
    size_t n = json_array_size(list);
    if (n > FRAME_MAX_BLOBS)
        return err_set(err, ERR_INTERNAL, NULL, "the Python worker announced %zu blobs", n);
    h->blob_bytes = ARENA_ARRAY(a, n, uint64_t);
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(list, i);
        json_int_t bytes = json_is_integer(item) ? json_integer_value(item) : -1;
        if (bytes < 0 || (uint64_t)bytes > FRAME_MAX_BLOB_BYTES - h->total_bytes)
            return err_set(err, ERR_INTERNAL, NULL,
                           "the Python worker announced blob %zu of a size that is not possible", i);
        h->blob_bytes[i] = (uint64_t)bytes;
        h->total_bytes += (uint64_t)bytes;
    }
    h->n_blobs = n;
    return true;
}

bool frame_parse_json(Arena *a, const char *text, size_t n_bytes, FrameHead *h, Err *err) {
    *h = (FrameHead){0};
    json_error_t why;
    h->value = json_loadb(text, n_bytes, JSON_REJECT_DUPLICATES, &why);
    if (!h->value)
        return err_set(err, ERR_INTERNAL, NULL, "the Python worker sent a frame that is not JSON: %s",
                       why.text);
    bool ok = json_is_object(h->value)
                  ? parse_blobs(a, h, err)
                  : err_set(err, ERR_INTERNAL, NULL, "the Python worker sent JSON that is not an object");
    if (ok) return true;
    json_decref(h->value);
    *h = (FrameHead){0};
    return false;
}

char *frame_print(Arena *a, const json_t *value, size_t *n_bytes, Err *err) {
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII);
    size_t n = text ? strlen(text) : 0;
    if (!text || n > FRAME_MAX_JSON_BYTES) {
        free(text);
        err_set(err, ERR_BAD_INPUT, NULL,
                text ? "a request of %zu bytes is too long" : "a request holds text that is not UTF-8 (%zu)",
                n);
        return NULL;
    }
    char *out = arena_alloc(a, FRAME_HEAD_BYTES + n);
    for (unsigned i = 0; i < FRAME_HEAD_BYTES; i++) out[i] = (char)(unsigned char)(n >> (8 * i) & 0xffu);
    memcpy(out + FRAME_HEAD_BYTES, text, n);
    free(text);
    *n_bytes = FRAME_HEAD_BYTES + n;
    return out;
}
