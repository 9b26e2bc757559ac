/* Messages between the service and a worker process: 4 bytes little-endian length, then a JSON object, over a
 * socket. to the worker    {op, category, language, reference_path, kernel_code_path, reference_text?,
 * kernel_code_text?, reference_cases?, standard, chip?, stage_limit_s, memory_mb} from the worker
 * {"type":"ready", "python":text, "ok":bool}   once, when PyTorch is imported
 *                    {"type":"log", "data":line}
 *                    {"type":"result", "exit_code", "summary", "result":[object]} */
#ifndef OPWRIGHT_SERVER_LINK_H
#define OPWRIGHT_SERVER_LINK_H

#include "base/err.h"

#include <jansson.h>
#include <stdint.h>

#define LINK_FD 3 /* in the worker process */

typedef enum { LINK_MESSAGE, LINK_WOKEN, LINK_LATE, LINK_CLOSED } LinkStatus;

/* Takes o. False when the other side is gone. */
bool link_send(int fd, json_t *o);
/* The next message (the caller's), or why there is none: wake_fd (-1: none) became readable, the monotonic
 * time deadline_s (0: none) has passed, or the other side is gone or talks nonsense. */
LinkStatus link_receive(int fd, int wake_fd, double deadline_s, json_t **o);

#endif
