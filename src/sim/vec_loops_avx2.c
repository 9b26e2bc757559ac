/* Element loops for x86-64 with AVX2 and the half conversions; chosen by vec_loops(). */
#if defined(__x86_64__)
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,f16c"))), apply_to = function)
#else
#pragma GCC target("avx2,f16c")
#endif
#define LOOPS vec_loops_avx2
#define LOOPS_F16C
#include "sim/vec_loops.inc"
#if defined(__clang__)
#pragma clang attribute pop
#endif
#else
typedef int vec_loops_avx2_is_for_x86_64; /* ISO C wants a declaration */
#endif
