/* Inside of the simulator: one Sim, its launch, and the cores that run it. All state hangs off Sim; the one thread-local
 * is the core that runs now (core.c). */
#ifndef OPWRIGHT_SIM_SIM_INT_H
#define OPWRIGHT_SIM_SIM_INT_H

#include "../../device/abi.h"
#include "isa/isa.h"
#include "sim/cross.h"
#include "sim/gm_shadow.h"
#include "sim/issue.h"
#include "sim/sim.h"

typedef enum {
#define CHECK(id, ...) CHK_ID_##id,
#include "sim/checks.def"
#undef CHECK
    CHK_ID_COUNT
} CheckId;

/* ---- bits: one bit for each byte of memory, set when something wrote the byte ---------------------------------- */

bool bits_all(const uint64_t *w, size_t from, size_t n);
size_t bits_count(const uint64_t *w, size_t from, size_t n);
void bits_fill(uint64_t *w, size_t from, size_t n, bool value);
bool bits_get(const uint64_t *w, size_t i);
/* First index in [from, end) whose bit equals value, or end. */
size_t bits_find(const uint64_t *w, size_t from, size_t end, bool value);
void bits_copy(uint64_t *dst, size_t to, const uint64_t *src, size_t from, size_t n);

/* What unwritten memory reads as: NaN as half, bfloat16 and float, a large number as integer. */
#define POISON16 0x7fa5u
void poison_fill(uint8_t *p, size_t n, size_t phase); /* phase: offset of p in its memory */

/* ---- memories ---------------------------------------------------------------------------------------------------- */

typedef struct GmRange {
    const SimGm *gm;
    uint64_t *valid; /* NULL: all bytes are valid */
    uint64_t n_same; /* bytes that a block wrote and another one wrote again, alike */
    uint64_t n_raw;  /* bytes found written by no API call: raw.c */
    GmShadow shadow; /* pages NULL: not followed */
} GmRange;

/* The memory of a range's valid bits and marks, kept from launch to launch: to get it anew costs more than to clear it. */
typedef struct RangeStore {
    uint64_t *valid;
    GmShadow shadow;
    size_t valid_bytes, shadow_bytes; /* of global memory that they are large enough for */
} RangeStore;

enum { BUF_FREE, BUF_OCCUPIED, BUF_ENQUEUED, BUF_DEQUEUED };
/* One buffer of InitBuffer. */
typedef struct Buf {
    uint32_t start, len;   /* bytes in UB (or the memory of pos); len a multiple of 32 */
    uint32_t tensor_bytes; /* what AllocTensor and TBuf::Get() without a length give; Get(len) changes it */
    uint32_t que;          /* 1-based; 0: a TBuf */
    uint16_t gen;          /* counts AllocTensor */
    uint8_t state, pos;
    int8_t event;     /* forward event id while enqueued, or -1 */
    int8_t back;      /* backward event id from FreeTensor to the next AllocTensor, or -1 */
    int32_t tag;      /* SetUserTag */
    const OwPool *pool; /* it was taken from, to be compared only */
    OwLoc made, last; /* InitBuffer; the last change of state */
} Buf;

enum { MAX_BUFS = 512, MAX_QUES = 512, FRAMEWORK_BUFS = 64 };

typedef struct Que {
    uint8_t src, dst, pos;
    int32_t depth;
    uint32_t first, n_bufs, cursor; /* buffers first..first+n_bufs-1 */
    int16_t forward, backward;      /* HardEvents, or -1 */
    uint32_t n_queued, n_used;
    uint32_t fifo[FRAMEWORK_BUFS * 4]; /* buffer ids, oldest first */
    OwLoc made;
} Que;

/* A reference handed out by operator(): looked at when the next call comes, to see whether it was written. */
typedef struct PendingRef {
    uint8_t *p, *gm; /* what was handed out; the place in global memory it stands for */
    uint32_t n_bytes, index;
    uint8_t old[8];
    bool was_valid, is_gm;
    uint32_t addr; /* UB */
    GmRange *range;
    OwLoc loc;
} PendingRef;

/* WAITING: for other blocks. HELD: the block has ended, what its data cache holds is not written back yet. */
enum { CORE_READY, CORE_WAITING, CORE_HELD, CORE_DONE };

enum { DEQ_NONE, DEQ_HALF, DEQ_SCALAR, DEQ_TABLE };
enum { MASK_FORM_ANY, MASK_FORM_LANES, MASK_FORM_COUNT };
/* Registers that the scalar unit sets and instructions see as they were at their issue. */
#define CORE_REGS                                                                                                    \
    uint64_t mask[2]; /* low, high */                                                                                \
    bool counter_mode, deq_set, pad_set;   /* deq_set: SetDeqScale(half) was called */                              \
    uint8_t mask_form;                     /* the MASK register was set for this mode: MASK_FORM_... */                                          \
    uint8_t deq_form;                      /* the last SetDeqScale: DEQ_... */                                      \
    float deq_scale;                                                                                                 \
    uint64_t deq_word;                     /* DEQSCALE, in the other two forms */                                   \
    uint32_t ctrl48, ctrl53, ctrl59;                                                                                 \
    uint64_t pad_value;                                                                                              \
    uint32_t atomic_op, atomic_type;
typedef struct Regs {
    CORE_REGS
} Regs;

/* A source that holds the result of its own reduction; n_bytes 0: none. */
typedef struct Eaten {
    uint32_t at, dst;
    uint64_t n_bytes;
    OwLoc loc;
} Eaten;

/* A result register of the vector unit's reductions. HW: pages of GetReduceRepeatSumSpr and GetReduceRepeatMaxMinSpr. */
typedef enum { SPR_UNSET, SPR_WHOLE, SPR_NO_INDEX, SPR_UNDEFINED } SprState;
typedef struct ReduceSpr {
    SprState state; /* NO_INDEX: the value only; UNDEFINED: a form that leaves something else in it */
    DType type;
    uint64_t value, index; /* bits of the type */
} ReduceSpr;

/* CheckLocalMemoryIA: accesses of these kinds to blocks from..to-1 of UB end the core. */
enum { N_UB_GUARDS = 4 };
typedef struct UbGuard {
    uint32_t from, to, kinds; /* 32-byte blocks; kinds 0: off */
    OwLoc loc;
} UbGuard;

struct Core {
    Sim *sim;
    uint32_t block;
    int state;
    struct Fiber *fiber;
    bool killed; /* ended by a fault, its end-of-kernel checks do not run */

    uint8_t *ub;
    uint64_t *ub_valid;
    uint32_t ub_bytes;
    uint32_t ub_touched; /* bytes from 0 that were written since the last reset */
    uint32_t ub_top;     /* end of the InitBuffer allocations */

    uint32_t n_bufs, n_ques; /* ids are 1-based */
    Buf *bufs;
    Que *ques;
    bool pipe_live;
    uint32_t n_bufs_before; /* of n_bufs, those of earlier pipes. HW: TPipe::ResetPool counts buffers anew */
    OwPool *pool; /* InitBuffer takes from it; NULL: from what the pipe has left */
    OwGlobal spm; /* of InitSpmBuffer, and its bytes */
    int32_t spm_bytes;
    UbGuard guards[N_UB_GUARDS];
    bool is_guarded;
    uint16_t store_atomic; /* SetStoreAtomicConfig: type, and op from bit 3 */
    OwLoc pipe_made;

    union {
        struct {
            CORE_REGS
        };
        Regs regs;
    };
    struct Pipes *pipes;
    struct DataCache *dcache;
    CoreWait wait;
    uint32_t n_meetings; /* SyncAlls of all blocks that are over */
    bool order_open;     /* InitDetermineComputeWorkspace was called */
    struct Hazards *hazards;
    uint64_t cmpmask[2];
    bool cmpmask_valid;
    ReduceSpr acc, best; /* of the last ReduceSum by count; of the last reduction to a maximum or minimum */
    uint64_t gathered;     /* elements the last GatherMask kept */
    uint16_t mrg_taken[4]; /* records the last MrgSort took of each queue */

    Eaten eaten;
    uint8_t event_taken[N_EVENTS]; /* bits of ids held by queues and AllocEventID */
    uint8_t flag_set[N_EVENTS], flag_owed[N_EVENTS];
    OwLoc flag_loc[N_EVENTS][N_EVENT_IDS];

    PendingRef refs[4];
    uint32_t n_refs;
    OwLoc loc;
    const char *api;
};

typedef struct Finding {
    SimFinding pub;
    CheckId id;
} Finding;

/* A call in the source, for races: small enough to be kept for every place in memory. */
typedef struct Site {
    OwLoc loc;
    const char *api;
} Site;

struct Sim {
    const ChipInfo *chip;
    SimOptions options;
    SimStats stats;
    Arena *arena; /* findings' texts */
    VEC(Finding) findings;
    VEC(SimUbUse) ub_uses, ub_hidden; /* ledger.c; since sim_new or sim_reset */
    uint32_t ub_ledger_top;
    Core **cores; /* one for each physical core, made when first needed */
    /* the launch in progress */
    Arena *launch_arena;
    const SimLaunch *launch;
    GmRange *ranges;
    size_t n_ranges;
    RangeStore *stores; /* of the ranges, by number */
    size_t n_stores;
    size_t last_range;
    uint64_t n_calls, call_limit;
    bool key_asked, key_matched;
    VEC(SimTraced) traced; /* trace.c; as those below since sim_new or sim_reset */
    uint32_t n_trace_hits;
    bool told_nan, told_inf, told_range; /* watch.c; since sim_new or sim_reset */
    uint32_t n_killed;
    struct Cross *cross;
    uint64_t random; /* for the order of cores */
    struct {
        const char *name;
        uint32_t insn; /* InsnId + 1 */
    } insn_cache[64];
    bool *given_up; /* while blocks run on several threads: set by what needs their order. NULL: one thread */
    Sim **helpers;  /* of the other threads, made when first needed */
    VEC(Site) sites;          /* of the launch, in launch_arena */
    uint16_t site_cache[256]; /* by line */
};

/* reuse.c: the result of a reduction lies in its source; and before each access to UB while that is so. */
void reuse_note(Core *c, uint32_t src, uint64_t n_bytes, uint32_t dst);
void reuse_check(Core *c, const Access *acc, uint32_t n_acc);
/* guard.c: at the issue of an instruction, while is_guarded. Ends the core where a guard forbids the access. */
void guard_check(Core *c, Pipe pipe, const Access *acc, uint32_t n_acc);

extern _Thread_local Core *sim_core; /* the core that runs now; NULL outside a launch */

/* Starts an API call: counts it, remembers the place, looks at pending references. */
Core *core_enter(const char *api, OwLoc loc);
/* Ends the running core after a fault it could not go on from. Does not return. */
__attribute__((noreturn)) void core_kill(Core *c);
void core_settle_refs(Core *c);
void core_reset(Core *c, uint32_t block);
void core_finish(Core *c); /* checks at the end of a kernel */
bool core_report_owed(Core *c); /* flags that are waited for and were never set; false: none */
void core_soc_init(Core *c);

/* sim.c, for parallel.c */
Core *sim_idle_core(Sim *s);
void sim_run_block(Core *c, uint32_t block);
/* fill: memory that starts unwritten gets its pattern. */
void sim_open_launch(Sim *s, const SimLaunch *l, bool fill);
void sim_close_launch(Sim *s); /* drops everything of the launch, without the checks at its end */
void sim_reopen_ranges(Sim *s, const SimLaunch *l); /* as if no block had run */
SimTrail *core_trail(void);

/* All blocks, on the threads the options allow. False: memory is as before, the caller runs them one after the other. */
bool parallel_run(Sim *s, const SimLaunch *l);
void parallel_free(Sim *s);
bool parallel_is_over(const Sim *s);
/* Of a call whose effect depends on the order of blocks. On several threads it ends the core and the attempt. */
void core_needs_order(Core *c);

/* Adds a finding at the core's current place, or counts it when it is known. Arguments as the row's texts take them. */
void sim_report(Core *c, CheckId id, ...);
void sim_report_at(Core *c, OwLoc loc, const char *api, CheckId id, ...);
/* A race of the access at c's place with an earlier one; severity E or W of the pair. */
void sim_report_race(Core *c, SimSeverity severity, const Site *earlier, const Site *later, CheckId id, ...);
/* A finding of the launch as a whole. */
void sim_report_launch(Sim *s, CheckId id, ...);
/* ledger.c: after InitBuffer; and when an API takes n_bytes of UB that nobody gave it. */
void ledger_allocated(Core *c);
void ledger_hidden(Core *c, const char *api, uint32_t n_bytes);
const char *loc_file(OwLoc loc); /* "?" when unknown */

/* ---- local memory: one operand of an instruction --------------------------------------------------------------- */

typedef struct Place {
    uint32_t addr;  /* byte in UB */
    uint32_t end;   /* first byte past the allocation */
    OwLoc made;
    uint32_t start; /* of the allocation */
    bool raw;       /* explicit address: no allocation to check */
} Place;
/* Checks the tensor itself (allocated, in UB, not freed) and its alignment. False: skip the access. */
bool local_in_l1(const OwLocal *t);
const char *position_name(uint8_t pos); /* of TPosition */
bool local_place(Core *c, const OwLocal *t, const char *role, uint32_t align_bytes, Place *out);
/* How many of n_bytes from byte `off` of the tensor may be touched; the rest is reported. verb: "reads", "writes". */
uint32_t local_clip(Core *c, const Place *p, const char *role, bool write, uint64_t off, uint64_t n_bytes);
void ub_wrote(Core *c, uint32_t addr, uint32_t n_bytes);

/* ---- global memory --------------------------------------------------------------------------------------------- */

/* Where an access of n_bytes at addr lies. Reports and gives the part that may be touched: [*skip, *skip + *n_ok). */
GmRange *gm_access(Core *c, const OwGlobal *g, uintptr_t addr, uint64_t n_bytes, bool write, uint64_t *skip, uint64_t *n_ok);
GmRange *gm_find(Sim *s, uintptr_t addr);
/* raw.c: before a byte without a valid bit is said to be unwritten. True: all of them are written. */
void gm_raw_open(GmRange *r);
bool gm_settle_raw(GmRange *r, size_t off, size_t n);
void gm_raw_close(Sim *s, GmRange *r);

DType dtype_of(uint32_t abi_type);
InsnId insn_of(Core *c, const char *name);

#define LL(x) ((long long)(x))
#endif
