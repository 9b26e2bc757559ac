/* Temporary space of the high-level APIs, in bytes: what their host helpers answer and what their kernels check. */
#ifndef OPWRIGHT_SIM_ADV_SIZE_H
#define OPWRIGHT_SIM_ADV_SIZE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct AdvSize {
    uint64_t max, min;
} AdvSize;

/* Reductions by pattern over [first, last] elements of type_size bytes. */
typedef enum { ADV_REDUCE_SUM, ADV_REDUCE_MAX, ADV_REDUCE_LOGIC, ADV_REDUCE_PROD } AdvReduceKind;
AdvSize adv_size_reduce(AdvReduceKind kind, uint64_t first, uint64_t last, uint32_t type_size, bool is_ra, bool reuse);
/* Sum and Mean over n elements; acc_size: bytes of the type it adds in. */
AdvSize adv_size_sum(uint64_t n, uint32_t type_size, uint32_t acc_size);
AdvSize adv_size_mean(uint64_t n, uint32_t type_size, uint32_t acc_size);
AdvSize adv_size_cumsum(uint64_t outer, uint64_t inner, uint32_t type_size, bool is_last_axis);
/* Broadcast of src_n elements to [d0, d1]; equal: same size or one element. axis: 0 repeats rows. */
AdvSize adv_size_broadcast(uint64_t src_n, uint64_t d0, uint64_t d1, uint32_t type_size, bool equal, uint32_t axis);
AdvSize adv_size_select(uint64_t src_n, uint32_t mask_size, bool compacts);
AdvSize adv_size_antiquant(uint64_t src_k, uint64_t src_n, uint64_t scale_n, bool transposed, bool to_bf16);
AdvSize adv_size_transdata(bool to_blocks, bool is_z3d, uint64_t n, uint64_t c, uint64_t d, uint64_t h, uint64_t w);

#endif
