/* Fibers on ucontext. Under AddressSanitizer and ThreadSanitizer every switch is announced, or they would see one stack run into
 * another. */
#include "sim/fiber.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define HAS_TSAN 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAS_ASAN 1
#endif
#ifdef __SANITIZE_THREAD__
#define HAS_TSAN 1
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef HAS_TSAN
#include <sanitizer/tsan_interface.h>
#endif

/* HW: the scalar stack of a core is tens of KB; more here, because host code keeps more on it. */
enum { STACK_BYTES = 1 << 20 };

struct Fiber {
    ucontext_t here, scheduler;
    void (*fn)(void *arg);
    void *arg;
    char *stack;    /* usable part, above one guard page */
    size_t guard;   /* bytes of the guard page */
    void *fake_own; /* AddressSanitizer's state of the two stacks */
    void *fake_scheduler;
    const void *scheduler_bottom;
    size_t scheduler_size;
    void *thread_own, *thread_scheduler; /* ThreadSanitizer's */
};

Fiber *fiber_new(void)
{
    Fiber *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->guard = (size_t)sysconf(_SC_PAGESIZE);
    char *map = mmap(NULL, f->guard + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (map == MAP_FAILED || mprotect(map, f->guard, PROT_NONE) != 0) {
        if (map != MAP_FAILED) munmap(map, f->guard + STACK_BYTES);
        free(f);
        return NULL;
    }
    f->stack = map + f->guard;
    return f;
}

void fiber_free(Fiber *f)
{
    if (!f) return;
#ifdef HAS_TSAN
    if (f->thread_own) __tsan_destroy_fiber(f->thread_own);
#endif
    munmap(f->stack - f->guard, f->guard + STACK_BYTES);
    free(f);
}

static void start(unsigned low, unsigned high)
{
    Fiber *f = (Fiber *)((uintptr_t)low | (uintptr_t)high << 32);
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(NULL, &f->scheduler_bottom, &f->scheduler_size);
#endif
    f->fn(f->arg);
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(NULL, f->scheduler_bottom, f->scheduler_size);
#endif
#ifdef HAS_TSAN
    __tsan_switch_to_fiber(f->thread_scheduler, 0);
#endif
    setcontext(&f->scheduler);
}

void fiber_set(Fiber *f, void (*fn)(void *arg), void *arg)
{
#ifdef HAS_ASAN
    ASAN_UNPOISON_MEMORY_REGION(f->stack, STACK_BYTES);
#endif
    f->fn = fn;
    f->arg = arg;
    f->fake_own = NULL;
#ifdef HAS_TSAN
    if (f->thread_own) __tsan_destroy_fiber(f->thread_own);
    f->thread_own = __tsan_create_fiber(0);
#endif
    getcontext(&f->here);
    f->here.uc_stack.ss_sp = f->stack;
    f->here.uc_stack.ss_size = STACK_BYTES;
    f->here.uc_link = NULL;
    uintptr_t self = (uintptr_t)f;
    makecontext(&f->here, (void (*)(void))start, 2, (unsigned)self, (unsigned)(self >> 32));
}

void fiber_enter(Fiber *f)
{
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(&f->fake_scheduler, f->stack, STACK_BYTES);
#endif
#ifdef HAS_TSAN
    f->thread_scheduler = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(f->thread_own, 0);
#endif
    swapcontext(&f->scheduler, &f->here);
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(f->fake_scheduler, NULL, NULL);
#endif
}

void fiber_leave(Fiber *f)
{
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(&f->fake_own, f->scheduler_bottom, f->scheduler_size);
#endif
#ifdef HAS_TSAN
    __tsan_switch_to_fiber(f->thread_scheduler, 0);
#endif
    swapcontext(&f->here, &f->scheduler);
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(f->fake_own, &f->scheduler_bottom, &f->scheduler_size);
#endif
}
