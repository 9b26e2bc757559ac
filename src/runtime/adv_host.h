/* Between adv_sizes.c and adv_tilings.c: one helper's question. */
#ifndef OPWRIGHT_RUNTIME_ADV_HOST_H
#define OPWRIGHT_RUNTIME_ADV_HOST_H

#include "../../device/ow/tiling_structs.h"
#include "../../hostapi/abi.h"
#include "sim/adv_size.h"

/* The structures as C has them; the same layout as the kernel's. */
#define FIELD(type, name) type name;
#define STRUCT(name)                                                                                                   \
    typedef struct name {                                                                                              \
        OW_FIELDS_##name(FIELD)                                                                                        \
    } name;
OW_TILING_STRUCTS(STRUCT)
#undef STRUCT
#undef FIELD

typedef struct AdvAsk {
    const int64_t *dims;
    size_t n_dims;
    uint64_t elements;
    const int64_t *n;
} AdvAsk;

static inline uint64_t adv_up(uint64_t n, uint64_t to) { return (n + to - 1) / to * to; }
static inline uint64_t adv_least(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t adv_most(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* Rows and columns of a shape seen as [m, k]. False without a last axis. */
bool adv_rows(const AdvAsk *q, uint64_t *m, uint64_t *k);
bool adv_size_of(const char *api, const AdvAsk *q, AdvSize *out);
/* Floats that one row of the softmax family needs in temporary space; blk: elements of 32 bytes of the statistics. */
uint64_t adv_flash_v2_row(uint64_t k, uint64_t blk, bool half, bool basic);
uint64_t adv_grad_row(uint64_t k, uint64_t blk, bool half, bool front);

#endif
