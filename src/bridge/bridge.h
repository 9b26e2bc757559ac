/* Starts and feeds the Python worker (docs/bridge.md). */
#ifndef OPWRIGHT_BRIDGE_BRIDGE_H
#define OPWRIGHT_BRIDGE_BRIDGE_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

typedef struct Bridge Bridge;

typedef struct BridgeOptions {
    const char *home;     /* fs_home */
    const char *python;   /* NULL: $OPWRIGHT_PYTHON, then <home>/.venv/bin/python, then python3 */
    double start_limit_s; /* 0: 60 */
} BridgeOptions;

typedef struct BridgeLimits {
    double wall_s;    /* 0: 120 */
    double memory_mb; /* 0: 8192 */
} BridgeLimits;

typedef struct BridgeBlob {
    const void *data;
    size_t n_bytes;
} BridgeBlob;

typedef struct BridgeReply {
    json_t *result;    /* owned by the reply; bridge_reply_clear */
    BridgeBlob *blobs; /* in the arena of the call */
    size_t n_blobs;
    const char *log; /* what foreign code printed */
    json_t *error;   /* the error object, when the call failed in the worker; NULL otherwise */
} BridgeReply;

/* Starts the worker without waiting for `import torch`, so that compilers can run meanwhile. NULL and *err on
 * failure. */
Bridge *bridge_start(const BridgeOptions *o, Err *err) ERR_CHECKED;
/* The one folder the caged worker may write to, made and removed with the bridge: build folders and the trail go there. */
const char *bridge_scratch(const Bridge *b);
/* Empties that folder: between jobs of different people, what one left must not be found by the next. */
void bridge_tidy(Bridge *b);
/* Waits until the worker answers hello; its result stays valid with the bridge. NULL: no Python, no torch,
 * with what to do. */
const json_t *bridge_hello(Bridge *b, Err *err) ERR_CHECKED;
/* One request. True: reply->result is set. False: *err is set from the worker's error object (reply->error
 * holds it whole) or from our own failure. `params` is borrowed. A worker that dies is restarted by the next
 * call. */
bool bridge_call(Bridge *b, Arena *a, const char *method, json_t *params, const BridgeLimits *limits,
                 BridgeReply *reply, Err *err) ERR_CHECKED;
void bridge_reply_clear(BridgeReply *r);
void bridge_stop(Bridge *b); /* NULL is allowed */

#endif
