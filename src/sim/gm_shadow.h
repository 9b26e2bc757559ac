/* Who wrote and who read each place of an output or workspace last: for races between pipes and between blocks. */
#ifndef OPWRIGHT_SIM_GM_SHADOW_H
#define OPWRIGHT_SIM_GM_SHADOW_H

#include "sim/issue.h"

/* Last access of a kind to 32 bytes; clock 0: none. */
typedef struct GmMark {
    uint32_t clock, seq, bytes; /* of the block's pipe; in its order of issue; a bit for each byte */
    uint16_t site, block;
    uint8_t pipe;
    bool atomic, mixed, several; /* mixed: atomic, over a plain write of the same block; several: blocks read here; clock counts the meetings of all blocks instead */
} GmMark;

typedef struct GmGrain {
    GmMark wrote, read;
    uint32_t all_wrote, all_read; /* bytes that were touched at any time, by any block */
    bool scalar;                  /* some of it by a scalar unit's store */
} GmGrain;

/* 4096 bytes: touched alike, or with a grain for every 32. */
typedef struct GmPage {
    GmGrain all;
    struct GmGrains *split; /* NULL: not */
} GmPage;

typedef struct GmShadow {
    GmPage *pages;
    size_t n_pages;
    struct GmGrains *spare; /* of pages split in earlier launches */
} GmShadow;

struct GmRange;
/* False without memory. */
bool gm_shadow_new(GmShadow *s, size_t n_bytes);
void gm_shadow_free(GmShadow *s);
void gm_shadow_clear(GmShadow *s, size_t n_bytes); /* of n_bytes that may have been touched */
/* Reads, and atomic writes, against earlier accesses. */
void gm_shadow_touch(Core *c, Pipe pipe, AccessHow how, struct GmRange *r, size_t off, size_t n);
/* A plain write of `data`: the bytes another block wrote matter when they change. */
void gm_shadow_write(Core *c, Pipe pipe, struct GmRange *r, size_t off, const uint8_t *data, size_t n);
/* True when one has written what the other touched, or they share a cache line that one of them wrote through its cache. */
bool gm_shadow_clash(const GmShadow *a, const GmShadow *b, size_t n_bytes);
/* Another block that wrote into [from, end) and that nothing orders before c; scalar: by its scalar unit. UINT32_MAX: none. */
uint32_t gm_shadow_other_writer(const Core *c, const struct GmRange *r, size_t from, size_t end, bool scalar);

#endif
