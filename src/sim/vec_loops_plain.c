/* Element loops for any host. */
#define LOOPS vec_loops_plain
#include "sim/vec_loops.inc"

const VecLoops *vec_loops(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init(); /* every processor with AVX2 has F16C */
    if (__builtin_cpu_supports("avx2")) return &vec_loops_avx2;
#endif
    return &vec_loops_plain;
}
