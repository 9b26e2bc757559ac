/* Bodies of POST /verify, /verify_stream and /verify_batch: bytes in, checked requests out. Does no input or
 * output. */
#ifndef OPWRIGHT_SERVER_REQUEST_H
#define OPWRIGHT_SERVER_REQUEST_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>
#include <stddef.h>

#define REQUEST_MAX_ITEMS   1000
#define REQUEST_MAX_DEVICES 64

/* One verification as asked. Texts are NULL when not given; the defaults are filled in. */
typedef struct Request {
#define FIELD(name, kind, max_bytes) const char *name;
#include "server/request.def"
#undef FIELD
    const char *const *devices; /* in one spelling: "npu:0", "sim:1"; sorted, none twice */
    size_t n_devices;
    bool no_cache, strict, exact;
    bool stream; /* not asked in the body: the answer is a stream, so its lines are kept */
} Request;

/* One item, or `items` of a batch. On failure err->where names the field ("items[3].op"). Requests are in the
 * arena. */
bool request_parse(Arena *a, const char *body, size_t n_bytes, bool batch, Request **items, size_t *n_items,
                   Err *err) ERR_CHECKED;
/* "0" -> "npu:0", "NPU: 1" -> "npu:1", "sim:0"; NULL for anything else. */
const char *request_device_name(Arena *a, const char *text);
/* The request as JSON that request_parse reads back. */
json_t *request_json(const Request *r);

#endif
