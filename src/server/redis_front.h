/* A service whose jobs are verified by workers on other machines (opwright serve --queue): its slots are places in the shared
 * queue instead of devices, each with a thread that hands one job over and follows it. The functions are called where a
 * service of its own devices does its own thing. */
#ifndef OPWRIGHT_SERVER_REDIS_FRONT_H
#define OPWRIGHT_SERVER_REDIS_FRONT_H

#include "server/service.h"

/* In place of the device pool. */
bool front_make_slots(Service *s, Err *err) ERR_CHECKED;
/* In place of looking devices up: any worker serves sim:K; npu:K only one that has it. */
bool front_resolve_devices(Job *j, const char *where, Err *err) ERR_CHECKED;
/* In place of the thread that feeds a worker process; arg is the Slot. */
void *front_slot_thread(void *arg);

#endif
