/* Tensor storage and copies. Views are in view.c. Storage of ours starts as 0xFF bytes (NaN in every floating type), so
 * that what no kernel wrote does not look like a result. */
#include "runtime/runtime_int.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GM_ALIGN_BYTES 512 /* HW: api_truth host, aclrtMalloc: device allocations; the allocator of torch_npu rounds to 512 */
#define HUGE_PAGE_BYTES 2097152u
#define MAX_TENSOR_BYTES ((int64_t)1 << 36)

int64_t owh_tensor_numel(const RtTensor *t) {
    int64_t n = 1;
    for (int32_t d = 0; d < t->rank; d++) n *= t->size[d];
    return n;
}

static RtTensor *new_handle(int32_t dtype, const int64_t *size, int32_t rank) {
    RtTensor *t = calloc(1, sizeof *t);
    if (!t) abort();
    t->refs = 1;
    t->dtype = dtype;
    t->rank = rank;
    int64_t stride = 1;
    for (int32_t d = rank - 1; d >= 0; d--) {
        t->size[d] = size[d];
        t->stride[d] = stride;
        stride *= size[d] > 1 ? size[d] : 1;
    }
    return t;
}

/* Elements, or -1 when a size is negative or the tensor is larger than any card's memory. */
static int64_t checked_numel(const int64_t *size, int32_t rank) {
    int64_t n = 1;
    for (int32_t d = 0; d < rank; d++) {
        if (size[d] < 0 || __builtin_mul_overflow(n, size[d], &n)) return -1;
    }
    return n;
}

/* Large storages sit on huge pages where the kernel has them: touching 64 MiB by small pages takes 50 ms, as long as the
 * operator on top of it. */
static void *new_storage(size_t n_bytes, size_t *cap_bytes) {
    const size_t align = n_bytes >= HUGE_PAGE_BYTES ? HUGE_PAGE_BYTES : GM_ALIGN_BYTES;
    *cap_bytes = (n_bytes / GM_ALIGN_BYTES + 1) * GM_ALIGN_BYTES;
    void *p = NULL;
    if (posix_memalign(&p, align, *cap_bytes) != 0) return NULL;
    if (align == HUGE_PAGE_BYTES) madvise(p, *cap_bytes, MADV_HUGEPAGE);
    return p;
}

RtTensor *rt_tensor_new(int32_t dtype, const int64_t *size, int32_t rank, bool on_cpu) {
    char shape[160];
    if (rank < 0 || rank > RT_MAX_RANK) {
        rt_fail(rt_current(), "binding: a tensor of %d dimensions; at most %d are modelled", rank, RT_MAX_RANK);
        return NULL;
    }
    if (dtype < 0 || dtype >= DTYPE_COUNT) {
        rt_fail(rt_current(), "binding: not modelled: a tensor of this dtype");
        return NULL;
    }
    int64_t n = checked_numel(size, rank), n_bytes = 0;
    if (n < 0 || __builtin_mul_overflow(n, (int64_t)dtype_info((DType)dtype)->size_bytes, &n_bytes) || n_bytes > MAX_TENSOR_BYTES) {
        rt_fail(rt_current(), "binding: trying to create a tensor of shape %s", rt_shape_text(shape, size, (size_t)rank));
        return NULL;
    }
    size_t cap;
    void *storage = new_storage((size_t)n_bytes, &cap);
    if (!storage) {
        rt_fail(rt_current(), "binding: no memory for a tensor of shape %s (%lld bytes)",
                rt_shape_text(shape, size, (size_t)rank), (long long)n_bytes);
        return NULL;
    }
    memset(storage, 0xFF, cap);
    RtTensor *t = new_handle(dtype, size, rank);
    t->owns = 1;
    t->storage = storage;
    t->storage_bytes = n_bytes;
    t->on_cpu = on_cpu;
    return t;
}

RtTensor *owh_tensor_empty(int32_t dtype, const int64_t *size, int32_t rank, bool on_cpu) {
    return rt_tensor_new(dtype, size, rank, on_cpu);
}

RtTensor *rt_tensor_wrap(const char *dtype, int rank, const int64_t *size, const int64_t *stride, int64_t offset, void *storage,
                         int64_t storage_bytes) {
    DType type;
    if (!dtype_find(dtype, &type)) {
        rt_fail(rt_current(), "binding: not modelled: a tensor of dtype %s", dtype);
        return NULL;
    }
    if (rank < 0 || rank > RT_MAX_RANK) {
        rt_fail(rt_current(), "binding: a tensor of %d dimensions; at most %d are modelled", rank, RT_MAX_RANK);
        return NULL;
    }
    RtTensor *t = new_handle((int32_t)type, size, rank);
    for (int d = 0; d < rank; d++) t->stride[d] = stride[d];
    t->offset = offset;
    t->storage = storage;
    t->storage_bytes = storage_bytes;
    t->is_input = 1;
    return t;
}

void rt_tensor_ref(RtTensor *t) { t->refs++; }

void rt_tensor_unref(RtTensor *t) {
    if (!t) return;
    assert(t->refs > 0);
    if (--t->refs > 0) return;
    if (t->base) rt_tensor_unref(t->base);
    else if (t->owns) free(t->storage);
    free(t);
}

void owh_tensor_ref(RtTensor *t) { rt_tensor_ref(t); }
void owh_tensor_unref(RtTensor *t) { rt_tensor_unref(t); }

RtTensor *rt_tensor_owner(RtTensor *t) { return t->base ? t->base : t; }

const char *rt_shape_text(char out[160], const int64_t *size, size_t rank) {
    size_t at = (size_t)snprintf(out, 160, "[");
    for (size_t d = 0; d < rank && at < 130; d++)
        at += (size_t)snprintf(out + at, 160 - at, d ? ", %lld" : "%lld", (long long)size[d]);
    snprintf(out + at, 160 - at, "]");
    return out;
}

/* Rows of an odometer over all dims but the last; moves both element offsets. False at the end. */
static bool next_row(const RtTensor *shape, int64_t *index, const RtTensor *a, int64_t *a_at, const RtTensor *b, int64_t *b_at) {
    for (int32_t d = shape->rank - 2; d >= 0; d--) {
        *a_at += a->stride[d];
        *b_at += b->stride[d];
        if (++index[d] < shape->size[d]) return true;
        *a_at -= a->stride[d] * shape->size[d];
        *b_at -= b->stride[d] * shape->size[d];
        index[d] = 0;
    }
    return false;
}

#define COPY_ROW(T)                                                                                          \
    for (int64_t i = 0; i < n; i++) ((T *)dst)[i * ds] = ((const T *)src)[i * ss]
static void copy_row(size_t esize, char *dst, int64_t ds, const char *src, int64_t ss, int64_t n) {
    if (ds == 1 && ss == 1) {
        memcpy(dst, src, (size_t)n * esize);
        return;
    }
    switch (esize) {
    case 1: COPY_ROW(uint8_t); break;
    case 2: COPY_ROW(uint16_t); break;
    case 4: COPY_ROW(uint32_t); break;
    default: COPY_ROW(uint64_t); break;
    }
}

static void convert_row(DType dt, char *dst, int64_t ds, DType st, const char *src, int64_t ss, int64_t n) {
    for (int64_t i = 0; i < n; i++) dtype_store(dt, dst, (size_t)(i * ds), dtype_load(st, src, (size_t)(i * ss)));
}

/* Same shape, any strides; converts when the types differ. */
static void copy_elements(RtTensor *dst, const RtTensor *src) {
    if (owh_tensor_numel(dst) == 0) return;
    const size_t de = owh_dtype_bytes(dst->dtype), se = owh_dtype_bytes(src->dtype);
    int64_t index[RT_MAX_RANK] = {0}, d_at = dst->offset, s_at = src->offset;
    const bool flat = owh_tensor_is_contiguous(dst) && owh_tensor_is_contiguous(src);
    const int32_t last = dst->rank - 1;
    const int64_t n = flat ? owh_tensor_numel(dst) : last < 0 ? 1 : dst->size[last];
    const int64_t ds = flat || last < 0 ? 1 : dst->stride[last], ss = flat || last < 0 ? 1 : src->stride[last];
    do {
        char *to = (char *)dst->storage + d_at * (int64_t)de;
        const char *from = (const char *)src->storage + s_at * (int64_t)se;
        if (dst->dtype == src->dtype) copy_row(de, to, ds, from, ss, n);
        else convert_row((DType)dst->dtype, to, ds, (DType)src->dtype, from, ss, n);
    } while (!flat && next_row(dst, index, dst, &d_at, src, &s_at));
}

/* Beyond every user address of x86-64 with 4-level tables, and of AArch64; with more levels nothing is mapped there. */
#define DEVICE_ADDRESS ((uintptr_t)1 << 49)

void *owh_tensor_address(RtTensor *t, bool may_write) {
    const uintptr_t at = (uintptr_t)rt_tensor_data(t);
    if (t->on_cpu && may_write) rt_tensor_owner(t)->written = 0;
    return (void *)(t->on_cpu || !at ? at : at | DEVICE_ADDRESS);
}

uint64_t rt_checksum(const void *p, size_t n_bytes) {
    const unsigned char *at = p;
    uint64_t lane[4] = {1, 2, 3, 4}, rest = 0, word;
    for (; n_bytes >= 32; n_bytes -= 32)
        for (int i = 0; i < 4; i++, at += 8) {
            memcpy(&word, at, sizeof word);
            lane[i] = (lane[i] ^ word) * 0x9E3779B97F4A7C15u;
            lane[i] ^= lane[i] >> 29;
        }
    for (; n_bytes > 0; n_bytes--) rest = rest * 131 + *at++;
    return lane[0] ^ (lane[1] * 3) ^ (lane[2] * 5) ^ (lane[3] * 7) ^ rest;
}

RtTensor *owh_tensor_clone(RtTensor *t, int32_t dtype, bool on_cpu) {
    RtTensor *r = rt_tensor_new(dtype, t->size, t->rank, on_cpu);
    if (!r) return NULL;
    if (dtype != t->dtype)
        rt_finding(rt_current(), RT_BINDING_CAST, (long long)owh_tensor_numel(t), rt_dtype_name(t->dtype), rt_dtype_name(dtype));
    copy_elements(r, t);
    r->written = rt_tensor_owner(t)->written;
    return r;
}

int owh_tensor_copy(RtTensor *dst, RtTensor *src) {
    copy_elements(dst, src);
    rt_tensor_owner(dst)->written = rt_tensor_owner(src)->written;
    return 0;
}

void owh_tensor_fill(RtTensor *t, double value, int64_t ivalue, bool is_int) {
    RtTensor one = {.refs = 1, .dtype = t->dtype, .rank = t->rank, .storage_bytes = 8};
    uint64_t cell = 0;
    one.storage = &cell;
    for (int32_t d = 0; d < t->rank; d++) one.size[d] = t->size[d]; /* strides stay 0: one element seen everywhere */
    if (t->dtype == DTYPE_I64 && is_int) memcpy(&cell, &ivalue, sizeof ivalue);
    else dtype_store((DType)t->dtype, &cell, 0, value);
    copy_elements(t, &one);
    if (owh_tensor_numel(t) * (int64_t)dtype_info((DType)t->dtype)->size_bytes == rt_tensor_owner(t)->storage_bytes)
        rt_tensor_owner(t)->written = 0; /* nothing of a launch is left */
}

double owh_tensor_item(RtTensor *t, int64_t *as_int) {
    const void *at = rt_tensor_data(t);
    const double f = dtype_load((DType)t->dtype, at, 0);
    const DTypeClass cls = dtype_info((DType)t->dtype)->cls;
    if (t->dtype == DTYPE_I64) memcpy(as_int, at, sizeof *as_int);
    else *as_int = cls == DTYPE_CLASS_F ? 0 : (int64_t)f;
    return f;
}

void *owh_alloc(size_t n_bytes) {
    void *p = calloc(1, n_bytes ? n_bytes : 1);
    if (!p) abort();
    return p;
}

void owh_release(void *p) { free(p); }
