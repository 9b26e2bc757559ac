/* The scalar unit's data cache for global memory: lines of 64 bytes, written back late and whole. */
#ifndef OPWRIGHT_SIM_DCACHE_H
#define OPWRIGHT_SIM_DCACHE_H

#include "sim/issue.h"

struct GmRange;
struct DataCache;

struct DataCache *dcache_new(void);
void dcache_free(struct DataCache *d);
void dcache_reset(Core *c); /* empty, nothing written back */

/* Scalar access of `size` bytes at p, which lies in r. In the schedule in-order a store reaches memory at once and what a real
 * cache would have done differently is a finding; in the others it reaches memory when the line is written back. */
uint64_t dcache_read(Core *c, struct GmRange *r, const uint8_t *p, uint32_t size);
void dcache_write(Core *c, struct GmRange *r, uint8_t *p, uint64_t bits, uint32_t size);
/* A place that stands for p until the next call; dcache_wrote when it was written to. */
void *dcache_ref(Core *c, struct GmRange *r, uint8_t *p, uint32_t size);
void dcache_wrote(Core *c, struct GmRange *r, uint8_t *p, const void *ref, uint32_t size);
/* DataCacheCleanAndInvalid: the line of p, or all. */
void dcache_clean(Core *c, const uint8_t *p, bool entire);
bool dcache_is_dirty(const Core *c);

/* Copies see memory, not the cache: reads of bytes that only the cache has, stores into lines that will be written back. */
void dcache_check_read(Core *c, struct GmRange *r, size_t off, size_t n);
void dcache_check_store(Core *c, struct GmRange *r, size_t off, size_t n);

#endif
