/* A stack to run one core's kernel on, and the switch to and from it. */
#ifndef OPWRIGHT_SIM_FIBER_H
#define OPWRIGHT_SIM_FIBER_H

#include <stdbool.h>

typedef struct Fiber Fiber;

Fiber *fiber_new(void); /* NULL when there is no memory for a stack */
void fiber_free(Fiber *f);
/* Makes f run fn(arg) from the start at the next fiber_enter; whatever it ran before is forgotten. */
void fiber_set(Fiber *f, void (*fn)(void *arg), void *arg);
/* Runs f until it leaves or its function returns; called from the scheduler's stack. */
void fiber_enter(Fiber *f);
/* Back to the scheduler; called on f's stack. Returns when f is entered again. */
void fiber_leave(Fiber *f);

#endif
