/* The C interface between the device headers (C++) and the simulated AI Core (src/sim). A kernel library leaves these
 * symbols undefined; libopwright_rt.so resolves them. Every call belongs to the core (fiber) running on this thread.
 * Calls never fail: a fault of the kernel becomes a finding, the access is clipped or skipped, or the core is ended.
 * `loc` is the user's place of the call; `api` is the API's name and, for vector instructions, its row in insn.def. */
#ifndef OW_ABI_H
#define OW_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OW_API __attribute__((visibility("default")))

/* Element types, in the order of base/dtype.def. */
enum {
    OW_F16, OW_BF16, OW_F32, OW_F64, OW_I8, OW_I16, OW_I32, OW_I64, OW_U8, OW_U16, OW_U32, OW_U64, OW_BOOL,
    OW_N_TYPES
};
#define OW_TYPES(dst, src) ((uint32_t)(dst) | (uint32_t)(src) << 8)

typedef struct OwLoc {
    const char *file; /* a string literal: compared by address first */
    uint32_t line;
} OwLoc;

/* What a LocalTensor is: a place in a local memory, and the allocation it came from. */
typedef struct OwLocal {
    uint32_t addr;      /* byte offset in the memory of pos */
    uint32_t len_bytes; /* as GetSize sees it; bounds are those of the allocation */
    uint32_t buf;       /* allocation, OW_BUF_RAW for an explicit address, OW_BUF_NONE before any allocation */
    uint16_t gen;       /* which use of the allocation: stale after FreeTensor */
    uint8_t pos;        /* TPosition */
    uint8_t unused;
} OwLocal;
#define OW_BUF_RAW  0u
#define OW_BUF_NONE UINT32_MAX

/* What a GlobalTensor is. */
typedef struct OwGlobal {
    void *addr;
    uint32_t range; /* which tensor of the launch, 1-based; 0: address in none of them */
} OwGlobal;

/* High-dimensional form: mask, repeats and strides in 32-byte blocks, as the user gave them (wider than the hardware's
 * fields, so that an overflow can be named). */
typedef struct OwRepeat {
    const uint64_t *mask_bits; /* two words, or NULL: mask_count */
    uint64_t mask_count;
    uint32_t set_mask; /* isSetMask: 0 takes the mask register instead */
    uint32_t repeat;
    uint32_t dst_blk, src_blk[2];
    uint32_t dst_rep, src_rep[2];
} OwRepeat;

/* vector instructions: count form and high-dimensional form. scalar: bits of the source type. arg: round mode,
 * comparison mode, roundEn. b NULL when the form has one source, a NULL when it has none. */
OW_API void ow_vec_n(const char *api, uint32_t types, const OwLocal *d, const OwLocal *a, const OwLocal *b,
                     uint64_t scalar, uint32_t arg, int64_t count, OwLoc loc);
OW_API void ow_vec_r(const char *api, uint32_t types, const OwLocal *d, const OwLocal *a, const OwLocal *b,
                     uint64_t scalar, uint32_t arg, const OwRepeat *r, OwLoc loc);
/* Elementwise high-level APIs, rows of adv.def. b NULL: one source. tmp NULL: space of the framework. how: VIA_FLOAT: half
 * tensors are computed in float whatever the row says; REUSE: isReuseSource. */
enum { OW_ADV_VIA_FLOAT = 1, OW_ADV_REUSE = 2 };
OW_API void ow_adv(const char *api, uint32_t type, const OwLocal *d, const OwLocal *a, const OwLocal *b, const OwLocal *tmp,
                   uint64_t scalar, uint32_t how, int64_t count, OwLoc loc);
/* The other high-level APIs, rows of adv_calls.def: tensors, whole numbers and scalars in the order the row states. The
 * result is the API's, where it has one. */
#define OW_ADV_TENSORS 10
#define OW_ADV_NUMBERS 24
typedef struct OwAdv {
    const OwLocal *t[OW_ADV_TENSORS]; /* NULL: not given */
    uint8_t type[OW_ADV_TENSORS];
    const OwLocal *tmp; /* NULL: space of the framework */
    int64_t n[OW_ADV_NUMBERS];
    double f[4];
} OwAdv;
OW_API int64_t ow_adv_call(const char *api, const OwAdv *call, OwLoc loc);
/* CastDequant from int16_t. r NULL: count form. */
enum { OW_DEQ_TABLE = 1, OW_DEQ_HIGH = 2 }; /* isVecDeq; halfBlock */
OW_API void ow_cast_deq(uint32_t dst_type, const OwLocal *d, const OwLocal *s, uint32_t how, uint32_t count, const OwRepeat *r, OwLoc loc);
/* Cast between half and 4-bit integers. r NULL: count form. */
OW_API void ow_cast_int4(uint32_t to_half, const OwLocal *d, const OwLocal *s, uint32_t mode, uint32_t count, const OwRepeat *r, OwLoc loc);
typedef struct OwBilinear { /* as the call gave them */
    uint32_t h_repeat, v_repeat, repeat_mode, dst_blk, v_offset;
} OwBilinear;
OW_API void ow_bilinear(const OwLocal *d, const OwLocal *s, const OwLocal *offset, const OwLocal *weight, const OwLocal *tmp,
                        const OwBilinear *p, const uint64_t *mask_bits, uint64_t mask_count, OwLoc loc);
/* Compare into the CMPMASK register; and that register's transfers. */
OW_API void ow_compare_reg(uint32_t type, const OwLocal *a, const OwLocal *b, uint32_t mode, const OwRepeat *r,
                           OwLoc loc);
OW_API void ow_cmpmask_get(const OwLocal *d, OwLoc loc);
OW_API void ow_cmpmask_set(const OwLocal *s, OwLoc loc);
/* Select: b NULL takes the scalar; sel NULL takes CMPMASK. r NULL: count form. */
OW_API void ow_select(uint32_t type, const OwLocal *d, const OwLocal *sel, const OwLocal *a, const OwLocal *b,
                      uint64_t scalar, uint32_t mode, int64_t count, const OwRepeat *r, OwLoc loc);
OW_API void ow_gather(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *offset, uint32_t base,
                      int64_t count, const OwRepeat *r, OwLoc loc);
OW_API void ow_gatherb(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *offset, const OwRepeat *r,
                       OwLoc loc);
OW_API void ow_brcb(uint32_t type, const OwLocal *d, const OwLocal *s, const OwRepeat *r, OwLoc loc);
OW_API void ow_index(uint32_t type, const OwLocal *d, uint64_t first, int64_t count, const OwRepeat *r, OwLoc loc);

/* Layout and sorting. dst and src of trans_5hd: 16 places each; high: bit 0 dstHighHalf, bit 1 srcHighHalf. */
OW_API void ow_trans_5hd(uint32_t type, const OwLocal *dst, const OwLocal *src, uint32_t high, uint32_t repeat, uint32_t dst_rep,
                         uint32_t src_rep, OwLoc loc);
/* The place whose GetPhyAddr gave phy. */
OW_API void ow_local_at(uint64_t phy, OwLocal *out, OwLoc loc);
OW_API void ow_transpose_16(uint32_t type, const OwLocal *d, const OwLocal *s, OwLoc loc);
OW_API void ow_transpose_ext(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *tmp, const uint32_t nchw[4],
                             uint32_t kind, OwLoc loc);
OW_API void ow_sort32(uint32_t type, const OwLocal *d, const OwLocal *score, const OwLocal *index, uint32_t repeat, OwLoc loc);
OW_API void ow_mrg_sort(uint32_t type, const OwLocal *d, const OwLocal src[4], const uint16_t len[4], uint32_t suspend,
                        uint32_t valid, uint32_t repeat, OwLoc loc);
OW_API void ow_mrg_result(uint16_t taken[4], OwLoc loc);
typedef struct OwGatherMask { /* strides in 32-byte blocks */
    uint32_t blk, repeat, src_rep, pattern_rep;
} OwGatherMask;
/* pattern NULL: the built-in one. Gives the number of elements kept. */
OW_API uint64_t ow_gather_mask(uint32_t type, const OwLocal *d, const OwLocal *s, const OwLocal *pattern, uint32_t builtin,
                               uint32_t counter, uint32_t mask, const OwGatherMask *p, OwLoc loc);
OW_API int64_t ow_gather_mask_count(OwLoc loc);

/* Reductions. kind: 0 sum, 1 max, 2 min. r NULL: count form. */
OW_API void ow_reduce_all(const char *api, uint32_t type, uint32_t kind, const OwLocal *d, const OwLocal *s,
                          const OwLocal *tmp, uint32_t cal_index, uint32_t set_mask, int64_t count, const OwRepeat *r,
                          OwLoc loc);
/* group: 0 whole repeat, 1 32-byte block, 2 pair of elements; order as ReduceOrder. */
OW_API void ow_reduce_rep(const char *api, uint32_t type, uint32_t kind, uint32_t group, const OwLocal *d,
                          const OwLocal *s, uint32_t order, const OwRepeat *r, OwLoc loc);
/* index NULL: not asked for. */
OW_API void ow_reduce_spr(uint32_t type, uint32_t kind, uint64_t *value, uint64_t *index, OwLoc loc);

/* mask register and modes */
OW_API void ow_mask_set(uint64_t high, uint64_t low, uint32_t counter, OwLoc loc); /* counter: meant for Counter mode */
OW_API void ow_mask_len(uint32_t type, uint32_t counter, int32_t len, OwLoc loc);
OW_API void ow_mask_mode(uint32_t counter, OwLoc loc);
OW_API void ow_ctrl_set(const char *api, uint32_t bit, uint32_t value, OwLoc loc);
OW_API uint32_t ow_ctrl_get(uint32_t bit);
OW_API void ow_deq_scale(uint16_t scale_f16, OwLoc loc);
/* The other forms: one word of parameters, and a table of 16 words in UB, already filled. */
OW_API void ow_deq_word(uint64_t word, OwLoc loc);
OW_API void ow_deq_table(const OwLocal *table, OwLoc loc);
/* CheckLocalMemoryIA: kinds is a bit each of scalar read, write, vector read, write, copy read, write; 0: off. Blocks of 32 bytes. */
OW_API void ow_guard(uint32_t reg, uint32_t start, uint32_t end, uint32_t kinds, OwLoc loc);
/* The store-atomic register: set 0 reads it. */
OW_API uint32_t ow_store_atomic(uint32_t set, uint32_t config, OwLoc loc);
OW_API void ow_pad_value(uint32_t type, uint64_t bits, OwLoc loc);
/* op: 0 none, 1 add, 2 max, 3 min, 4 as it was */
OW_API void ow_atomic(uint32_t op, uint32_t type, OwLoc loc);

/* copies. gm NULL on one side names the direction: to_gm 0 is GM to UB. */
OW_API void ow_copy_n(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, uint64_t count, OwLoc loc);
OW_API void ow_copy_blocks(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, uint32_t count,
                           uint32_t len, uint32_t src_gap, uint32_t dst_gap, OwLoc loc);
typedef struct OwPad {
    uint32_t count, len_bytes;
    int64_t src_gap, dst_gap; /* bytes on the GM side, 32-byte blocks on the UB side */
    uint32_t is_pad, left, right;
    uint64_t value; /* bits of the element */
    uint32_t ext;   /* DataCopyExtParams: 32-bit fields; 0: 16-bit fields */
} OwPad;
OW_API void ow_copy_pad(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, const OwPad *p, OwLoc loc);
OW_API void ow_copy_local_n(uint32_t type, const OwLocal *d, const OwLocal *s, uint64_t count, OwLoc loc);
OW_API void ow_copy_local_blocks(uint32_t type, const OwLocal *d, const OwLocal *s, uint32_t count, uint32_t len,
                                 uint32_t src_gap, uint32_t dst_gap, OwLoc loc);
/* Slices: of dimension 0 start, end and stride count elements and burst 32-byte blocks, of the others they count indices;
 * shape is the full length. */
typedef struct OwSlice {
    uint32_t start, end, stride, burst, shape;
} OwSlice;
OW_API void ow_copy_slice(uint32_t type, uint32_t to_gm, const OwGlobal *gm, const OwLocal *ub, const OwSlice *on_gm,
                          const OwSlice *on_ub, uint32_t dims, OwLoc loc);
typedef struct OwNd2Nz { /* as Nd2NzParams: strides in elements, of dst_c0 and dst_n in 32-byte blocks */
    uint32_t matrices, n, d, src_matrix, src_d, dst_c0, dst_n, dst_matrix;
} OwNd2Nz;
OW_API void ow_copy_nd2nz(uint32_t type, const OwGlobal *gm, const OwLocal *ub, const OwNd2Nz *p, OwLoc loc);
typedef struct OwNz2Nd { /* as Nz2NdParamsFull: src_matrix in 256 elements, src_n in 16, dst strides in elements */
    uint32_t matrices, n, d, src_matrix, src_n, dst_d, dst_matrix;
} OwNz2Nd;
OW_API void ow_copy_nz2nd(uint32_t type, const OwGlobal *gm, const OwLocal *ub, const OwNz2Nd *p, OwLoc loc);
OW_API void ow_init_output(uint32_t type, const OwGlobal *gm, uint64_t count, uint64_t value, OwLoc loc);

/* scalar access; values are bits of the type, zero-extended */
OW_API uint64_t ow_local_get(uint32_t type, const OwLocal *t, uint64_t index, OwLoc loc);
OW_API void ow_local_set(uint32_t type, const OwLocal *t, uint64_t index, uint64_t bits, OwLoc loc);
OW_API void *ow_local_ref(uint32_t type, const OwLocal *t, uint64_t index, OwLoc loc);
OW_API void *ow_local_host(const OwLocal *t);
OW_API uint64_t ow_gm_get(uint32_t type, const OwGlobal *g, uint64_t index, OwLoc loc);
OW_API void ow_gm_set(uint32_t type, const OwGlobal *g, uint64_t index, uint64_t bits, OwLoc loc);
OW_API void *ow_gm_ref(uint32_t type, const OwGlobal *g, uint64_t index, OwLoc loc);
/* Past the data cache: element 0 of g. */
OW_API uint64_t ow_gm_get_direct(uint32_t type, const OwGlobal *g, OwLoc loc);
OW_API void ow_gm_set_direct(uint32_t type, const OwGlobal *g, uint64_t bits, OwLoc loc);
/* Which tensor of the launch an address belongs to (the end of a tensor counts as that tensor). */
OW_API uint32_t ow_gm_bind(const void *addr, OwLoc loc);

/* TPipe, queues, buffers. A queue object holds an id given by ow_que_init; 0 before that. */
OW_API void ow_pipe_init(const void *pipe, OwLoc loc);
OW_API void ow_pipe_reset(const void *pipe, OwLoc loc);
OW_API void ow_pipe_destroy(const void *pipe, OwLoc loc);
OW_API uint32_t ow_que_init(uint32_t src_pos, uint32_t dst_pos, int32_t depth, uint32_t n_bufs, uint32_t len_bytes,
                            OwLoc loc);
OW_API void ow_que_alloc(uint32_t que, OwLocal *out, OwLoc loc);
OW_API void ow_que_enque(uint32_t que, const OwLocal *t, OwLoc loc);
/* t in: the tensor, for depth 0; out: the tensor taken. */
OW_API void ow_que_deque(uint32_t que, OwLocal *t, OwLoc loc);
OW_API void ow_que_free(uint32_t que, const OwLocal *t, OwLoc loc);
/* what: 0 VacantInQue, 1 HasTensorInQue, 2 GetTensorCountInQue, 3 HasIdleBuffer */
OW_API int32_t ow_que_ask(const char *api, uint32_t que, uint32_t what, OwLoc loc);
OW_API void ow_que_free_events(uint32_t que, OwLoc loc);
/* The tag of the tensor's buffer: set 1 changes it. */
OW_API int32_t ow_buf_tag(const OwLocal *t, uint32_t set, int32_t tag, OwLoc loc);
/* A part of UB that is given out apart from the rest: InitBuffer calls between two ow_pool_use take from it. */
typedef struct OwPool {
    uint32_t start, end, top; /* bytes; top: next free */
    uint32_t ready;
} OwPool;
/* parent NULL: from the pipe; share: same place as that pool. */
OW_API void ow_pool_init(OwPool *pool, uint32_t pos, uint32_t len_bytes, OwPool *parent, const OwPool *share, OwLoc loc);
OW_API void ow_pool_use(OwPool *pool, OwLoc loc); /* NULL: the pipe's own memory again */
OW_API void ow_pool_reset(OwPool *pool, OwLoc loc);
/* Buffer i of a queue lies at an address of the kernel's choice, and may be a pool's. */
OW_API void ow_que_place(uint32_t que, uint32_t i, uint32_t addr, uint32_t len_bytes, const OwPool *pool, OwLoc loc);
OW_API uint32_t ow_tbuf_init(uint32_t pos, uint32_t len_bytes, OwLoc loc);
/* len_bytes UINT32_MAX: the whole buffer */
OW_API void ow_tbuf_get(const char *api, uint32_t tbuf, uint32_t len_bytes, uint32_t offset_bytes, OwLocal *out,
                        OwLoc loc);
OW_API void ow_stack_buffer(uint32_t pos, OwLocal *out, OwLoc loc);
/* The spill area of InitSpmBuffer; out: its byte at, of which a copy touches span bytes. */
OW_API void ow_spm_init(const OwGlobal *gm, int32_t len_bytes, OwLoc loc);
OW_API void ow_spm_at(const char *api, int64_t at, int64_t span, OwGlobal *out, OwLoc loc);

/* flags and barriers; event: HardEvent */
OW_API int32_t ow_event_alloc(uint32_t event, uint32_t keep, OwLoc loc);
OW_API void ow_event_release(uint32_t event, int32_t id, OwLoc loc);
OW_API void ow_flag_set(uint32_t event, int32_t id, OwLoc loc);
OW_API void ow_flag_wait(uint32_t event, int32_t id, OwLoc loc);
OW_API void ow_barrier(uint32_t pipe, OwLoc loc);
OW_API void ow_sync_all(const OwGlobal *gm, const OwLocal *ub, int32_t used_cores, OwLoc loc);
/* between cores; pipe: pipe_t */
OW_API void ow_cross_set(uint32_t mode, uint32_t pipe, uint32_t flag, OwLoc loc);
OW_API void ow_cross_wait(uint32_t mode, uint32_t flag, OwLoc loc);
OW_API void ow_ib_set(const OwGlobal *gm, const OwLocal *ub, int32_t block, int32_t event, OwLoc loc);
OW_API void ow_ib_wait(const OwGlobal *gm, const OwLocal *ub, int32_t block, int32_t event, OwLoc loc);
OW_API void ow_order_init(const OwGlobal *gm, const OwLocal *ub, OwLoc loc);
OW_API void ow_order_wait(const OwGlobal *gm, const OwLocal *ub, OwLoc loc);
OW_API void ow_order_notify(const OwGlobal *gm, const OwLocal *ub, OwLoc loc);
/* GroupBarrier; side: 0 Arrive, 1 Wait; size of that side; need: how many of the other side must have counted before */
OW_API void ow_group_open(const OwGlobal *gm, uint32_t arrive_size, uint32_t wait_size, OwLoc loc);
OW_API void ow_group_step(const OwGlobal *gm, uint32_t side, uint32_t index, uint32_t size, uint32_t need, OwLoc loc);
/* DataCacheCleanAndInvalid: the line of the tensor's first byte, or all lines */
OW_API void ow_dcache_clean(const OwGlobal *g, uint32_t entire, OwLoc loc);

/* system */
OW_API int64_t ow_block_idx(void);
OW_API int64_t ow_block_num(void);
OW_API int64_t ow_system_cycle(void);
OW_API void ow_init_soc(OwLoc loc);
OW_API void ow_task_type(const char *name, uint32_t type, OwLoc loc);
OW_API void ow_tiling_get(void *out, uint64_t n_bytes, const void *tiling, OwLoc loc);
OW_API int ow_tiling_key_is(uint64_t key, OwLoc loc);
OW_API void *ow_user_workspace(void *workspace, OwLoc loc);
OW_API void *ow_sys_workspace(void);
OW_API void ow_printf(OwLoc loc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One of local and global is NULL; dims 0: no shape. */
OW_API void ow_dump(const char *api, uint32_t type, const OwLocal *local, const OwGlobal *global, uint32_t desc, uint32_t offset,
                    uint32_t n, const uint32_t *shape, uint32_t dims, OwLoc loc);
/* The same at a host address, which is in UB or in global memory. */
OW_API void ow_dump_at(const char *api, uint32_t type, const void *at, uint32_t desc, uint32_t n, OwLoc loc);
OW_API void ow_hint(const char *api, OwLoc loc); /* changes nothing */
OW_API void ow_trap(const char *what, OwLoc loc);
/* What the compiler's check of signed arithmetic found: a sign b is beyond `type`. */
OW_API void ow_overflow(const char *type, int64_t a, const char *sign, int64_t b, OwLoc loc);
/* A cast of an argument to `type` has made `becomes` of `value`. */
OW_API void ow_narrowed(const char *type, int64_t value, int64_t becomes, OwLoc loc);
OW_API void ow_not_modelled(const char *api, OwLoc loc);

#ifdef __cplusplus
}
#endif
#endif
