/* Frames of the worker protocol (docs/bridge.md): 4 bytes little-endian length, a JSON object, then the blobs
 * that its "blobs" list measures. The parser trusts nothing: any bytes give a frame, a wish for more, or an
 * error. */
#ifndef OPWRIGHT_BRIDGE_FRAME_H
#define OPWRIGHT_BRIDGE_FRAME_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#define FRAME_HEAD_BYTES     4u
#define FRAME_MAX_JSON_BYTES (64u << 20)
#define FRAME_MAX_BLOBS      65536u
#define FRAME_MAX_BLOB_BYTES ((uint64_t)1 << 40) /* all blobs of one frame together */

/* What a frame announces before its blobs are read. */
typedef struct FrameHead {
    json_t *value;        /* the JSON object; owned, json_decref */
    uint64_t *blob_bytes; /* in the arena given */
    size_t n_blobs;
    uint64_t total_bytes; /* of all blobs */
} FrameHead;

/* Length of the JSON from the first FRAME_HEAD_BYTES bytes of a frame. ERR_INTERNAL when it is 0 or above the
 * limit. */
bool frame_json_length(const uint8_t head[FRAME_HEAD_BYTES], size_t *n_bytes, Err *err) ERR_CHECKED;
/* Parses the JSON part. On success h->value is the caller's; on ERR_INTERNAL nothing is left to free. */
bool frame_parse_json(Arena *a, const char *text, size_t n_bytes, FrameHead *h, Err *err) ERR_CHECKED;
/* Length and JSON of a request, in the arena; NULL on ERR_BAD_INPUT (a value JSON cannot hold, or too long).
 */
char *frame_print(Arena *a, const json_t *value, size_t *n_bytes, Err *err) ERR_CHECKED;

#endif
