/* Element loops for any host. */
#define LOOPS vec_loops_plain
#include "sim/vec_loops.inc"

const VecLoops *vec_loops(void)
{
    static const VecLoops *best; /* threads may find it at the same time, and find the same */
    const VecLoops *l = __atomic_load_n(&best, __ATOMIC_RELAXED);
    if (l) return l;
    l = &vec_loops_plain;
#if defined(__x86_64__)
    __builtin_cpu_init(); /* every processor with AVX2 has F16C */
    if (__builtin_cpu_supports("avx2")) l = &vec_loops_avx2;
#endif
    __atomic_store_n(&best, l, __ATOMIC_RELAXED);
    return l;
}
