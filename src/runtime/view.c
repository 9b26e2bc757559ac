/* Views: new handles over the same storage. Checks and texts follow PyTorch's. */
#include "runtime/runtime_int.h"

#include <stdlib.h>
#include <string.h>

static RtTensor *fail(const char *text) {
    rt_fail(rt_current(), "binding: %s", text);
    return NULL;
}

/* A new handle on t's storage with t's layout. */
static RtTensor *alias(RtTensor *t) {
    RtTensor *v = owh_alloc(sizeof *v);
    *v = *t;
    v->refs = 1;
    v->owns = 0;
    v->base = rt_tensor_owner(t);
    v->written = 0; /* asked of the owner only */
    rt_tensor_ref(v->base);
    return v;
}

/* Index of a dim counted from either end; -1 with the error set. extra: dims beyond the rank that are allowed. */
static int32_t wrap_dim(const RtTensor *t, int64_t d, int32_t extra) {
    const int64_t n = t->rank + extra, limit = n > 0 ? n : 1;
    if (d < -limit || d >= limit) {
        rt_fail(rt_current(), "binding: Dimension out of range (expected to be in range of [%lld, %lld], but got %lld)", (long long)-limit,
                (long long)limit - 1, (long long)d);
        return -1;
    }
    return (int32_t)(d < 0 ? d + limit : d);
}

bool owh_tensor_is_contiguous(const RtTensor *t) {
    int64_t expected = 1;
    if (owh_tensor_numel(t) == 0) return true;
    for (int32_t d = t->rank - 1; d >= 0; d--) {
        if (t->size[d] == 1) continue;
        if (t->stride[d] != expected) return false;
        expected *= t->size[d];
    }
    return true;
}

RtTensor *owh_tensor_strided(RtTensor *t, const int64_t *size, const int64_t *stride, int32_t rank, int64_t offset) {
    if (rank < 0 || rank > RT_MAX_RANK) return fail("a view has too many dimensions");
    int64_t last = offset;
    bool empty = false;
    for (int32_t d = 0; d < rank; d++) {
        int64_t reach;
        if (size[d] < 0 || stride[d] < 0) return fail("as_strided: negative sizes and strides are not supported");
        if (size[d] == 0) empty = true;
        else if (__builtin_mul_overflow(size[d] - 1, stride[d], &reach) || __builtin_add_overflow(last, reach, &last))
            return fail("as_strided: the view is too large");
    }
    const int64_t n_storage = t->storage_bytes / (int64_t)owh_dtype_bytes(t->dtype);
    if (offset < 0 || (!empty && last >= n_storage)) {
        rt_fail(rt_current(), "binding: as_strided: the view reaches element %lld of a storage of %lld elements", (long long)last,
                (long long)n_storage);
        return NULL;
    }
    RtTensor *v = alias(t);
    v->rank = rank;
    v->offset = offset;
    for (int32_t d = 0; d < rank; d++) {
        v->size[d] = size[d];
        v->stride[d] = stride[d];
    }
    return v;
}

RtTensor *owh_tensor_permute(RtTensor *t, const int64_t *dims, size_t n) {
    bool seen[RT_MAX_RANK] = {false};
    if (n != (size_t)t->rank) {
        rt_fail(rt_current(), "binding: permute: number of dimensions in the tensor input does not match the length of the "
                              "desired ordering of dimensions i.e. input.dim() = %d is not equal to len(dims) = %zu", t->rank, n);
        return NULL;
    }
    RtTensor *v = alias(t);
    for (size_t i = 0; i < n; i++) {
        const int32_t d = wrap_dim(t, dims[i], 0);
        if (d < 0 || seen[d]) {
            rt_tensor_unref(v);
            return d < 0 ? NULL : fail("permute(): duplicate dims are not allowed.");
        }
        seen[d] = true;
        v->size[i] = t->size[d];
        v->stride[i] = t->stride[d];
    }
    return v;
}

RtTensor *owh_tensor_transpose(RtTensor *t, int64_t a, int64_t b) {
    const int32_t i = wrap_dim(t, a, 0), j = i < 0 ? -1 : wrap_dim(t, b, 0);
    if (j < 0) return NULL;
    RtTensor *v = alias(t);
    if (t->rank == 0) return v;
    v->size[i] = t->size[j];
    v->stride[i] = t->stride[j];
    v->size[j] = t->size[i];
    v->stride[j] = t->stride[i];
    return v;
}

RtTensor *owh_tensor_slice(RtTensor *t, int64_t dim, int64_t start, int64_t end, int64_t step) {
    if (t->rank == 0) return fail("slice() cannot be applied to a 0-dim tensor.");
    if (step <= 0) return fail("slice step must be positive");
    const int32_t d = wrap_dim(t, dim, 0);
    if (d < 0) return NULL;
    const int64_t n = t->size[d];
    if (start < 0) start += n;
    if (end < 0) end += n;
    start = start < 0 ? 0 : start > n ? n : start;
    end = end < start ? start : end > n ? n : end;
    RtTensor *v = alias(t);
    v->size[d] = (end - start) / step + ((end - start) % step != 0);
    v->offset += start * t->stride[d];
    v->stride[d] *= step;
    return v;
}

RtTensor *owh_tensor_narrow(RtTensor *t, int64_t dim, int64_t start, int64_t length) {
    if (t->rank == 0) return fail("narrow() cannot be applied to a 0-dim tensor.");
    const int32_t d = wrap_dim(t, dim, 0);
    if (d < 0) return NULL;
    const int64_t n = t->size[d];
    if (length < 0) return fail("narrow(): length must be non-negative.");
    if (start < 0) start += n;
    if (start < 0 || start > n || length > n - start) {
        rt_fail(rt_current(), "binding: start (%lld) + length (%lld) exceeds dimension size (%lld).", (long long)start, (long long)length,
                (long long)n);
        return NULL;
    }
    return owh_tensor_slice(t, d, start, start + length, 1);
}

static void drop_dim(RtTensor *v, int32_t d) {
    for (int32_t i = d; i + 1 < v->rank; i++) {
        v->size[i] = v->size[i + 1];
        v->stride[i] = v->stride[i + 1];
    }
    v->rank--;
}

RtTensor *owh_tensor_select(RtTensor *t, int64_t dim, int64_t index) {
    if (t->rank == 0) return fail("select() cannot be applied to a 0-dim tensor.");
    const int32_t d = wrap_dim(t, dim, 0);
    if (d < 0) return NULL;
    const int64_t n = t->size[d];
    if (index < -n || index >= n) {
        rt_fail(rt_current(), "binding: select(): index %lld out of range for tensor of size %lld at dimension %d", (long long)index,
                (long long)n, d);
        return NULL;
    }
    RtTensor *v = alias(t);
    v->offset += (index < 0 ? index + n : index) * t->stride[d];
    drop_dim(v, d);
    return v;
}

RtTensor *owh_tensor_squeeze(RtTensor *t, int64_t dim, bool all) {
    int32_t d = 0;
    if (!all && (d = wrap_dim(t, dim, 0)) < 0) return NULL;
    RtTensor *v = alias(t);
    for (int32_t i = v->rank - 1; i >= 0; i--)
        if (v->size[i] == 1 && (all || i == d)) drop_dim(v, i);
    return v;
}

RtTensor *owh_tensor_unsqueeze(RtTensor *t, int64_t dim) {
    if (t->rank == RT_MAX_RANK) return fail("a view has too many dimensions");
    const int32_t d = wrap_dim(t, dim, 1);
    if (d < 0) return NULL;
    RtTensor *v = alias(t);
    for (int32_t i = t->rank; i > d; i--) {
        v->size[i] = v->size[i - 1];
        v->stride[i] = v->stride[i - 1];
    }
    v->stride[d] = d < t->rank ? t->size[d] * t->stride[d] : 1;
    v->size[d] = 1;
    v->rank++;
    return v;
}

RtTensor *owh_tensor_expand(RtTensor *t, const int64_t *size, size_t n) {
    char want[160], have[160];
    if (n < (size_t)t->rank || n > RT_MAX_RANK) {
        rt_fail(rt_current(), "binding: expand(%s, size=%s): the number of sizes provided (%zu) must be greater or equal to the number of "
                              "dimensions in the tensor (%d)",
                rt_shape_text(have, t->size, (size_t)t->rank), rt_shape_text(want, size, n), n, t->rank);
        return NULL;
    }
    RtTensor *v = alias(t);
    const int32_t lead = (int32_t)n - t->rank;
    v->rank = (int32_t)n;
    for (int32_t i = 0; i < v->rank; i++) {
        const int64_t old = i < lead ? 1 : t->size[i - lead];
        const bool keep = i >= lead && (size[i] == -1 || size[i] == old);
        if (!keep && (old != 1 || size[i] < 0)) {
            rt_tensor_unref(v);
            rt_fail(rt_current(), "binding: The expanded size of the tensor (%lld) must match the existing size (%lld) at non-singleton "
                                  "dimension %d.  Target sizes: %s.  Tensor sizes: %s",
                    (long long)size[i], (long long)old, i, rt_shape_text(want, size, n),
                    rt_shape_text(have, t->size, (size_t)t->rank));
            return NULL;
        }
        v->size[i] = keep ? old : size[i];
        v->stride[i] = keep ? t->stride[i - lead] : 0;
    }
    return v;
}

/* Fills in -1; false with the error set. */
static bool resolve_shape(const RtTensor *t, const int64_t *size, size_t n, int64_t *out) {
    char want[160];
    const int64_t numel = owh_tensor_numel(t);
    int64_t known = 1;
    int32_t unknown = -1;
    bool bad = n > RT_MAX_RANK;
    for (size_t i = 0; i < n && !bad; i++) {
        out[i] = size[i];
        if (size[i] == -1 && unknown < 0) unknown = (int32_t)i;
        else if (size[i] < 0 || __builtin_mul_overflow(known, size[i], &known)) bad = true;
    }
    if (!bad && unknown >= 0 && known > 0 && numel % known == 0) out[unknown] = numel / known;
    else if (bad || unknown >= 0 || known != numel) {
        rt_fail(rt_current(), "binding: shape '%s' is invalid for input of size %lld", rt_shape_text(want, size, n < 8 ? n : 8),
                (long long)numel);
        return false;
    }
    return true;
}

/* Strides of `size` over t's storage without a copy, or false: chunks of dims that are contiguous in t must be cut or
 * joined only within themselves. */
static bool view_strides(const RtTensor *t, const int64_t *size, int32_t rank, int64_t *stride) {
    int32_t v = rank - 1;
    int64_t chunk_stride = t->rank ? t->stride[t->rank - 1] : 1, t_numel = 1, v_numel = 1;
    if (owh_tensor_numel(t) == 0) {
        for (int32_t i = rank - 1; i >= 0; i--) stride[i] = i == rank - 1 ? 1 : stride[i + 1] * (size[i + 1] > 1 ? size[i + 1] : 1);
        return true;
    }
    for (int32_t d = t->rank - 1; d >= 0; d--) {
        t_numel *= t->size[d];
        const bool chunk_ends = d == 0 || (t->size[d - 1] != 1 && t->stride[d - 1] != t_numel * chunk_stride);
        if (!chunk_ends) continue;
        while (v >= 0 && (v_numel < t_numel || size[v] == 1)) {
            stride[v] = v_numel * chunk_stride;
            v_numel *= size[v--];
        }
        if (v_numel != t_numel) return false;
        if (d > 0) {
            chunk_stride = t->stride[d - 1];
            t_numel = v_numel = 1;
        }
    }
    for (; v >= 0; v--) stride[v] = 1; /* a 0-dim tensor seen with sizes 1 */
    return true;
}

RtTensor *owh_tensor_reshape(RtTensor *t, const int64_t *size, size_t n, bool must_view) {
    int64_t full[RT_MAX_RANK], stride[RT_MAX_RANK];
    if (!resolve_shape(t, size, n, full)) return NULL;
    if (view_strides(t, full, (int32_t)n, stride)) return owh_tensor_strided(t, full, stride, (int32_t)n, t->offset);
    if (must_view)
        return fail("view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
                    "contiguous subspaces). Use .reshape(...) instead.");
    RtTensor *copy = owh_tensor_clone(t, t->dtype, t->on_cpu != 0);
    if (!copy) return NULL;
    RtTensor *v = owh_tensor_reshape(copy, full, n, true);
    rt_tensor_unref(copy);
    return v;
}

/* Dims from the outermost in memory to the innermost; false when elements overlap or leave gaps. */
static bool dense_order(const RtTensor *t, int64_t order[RT_MAX_RANK]) {
    for (int32_t i = 0; i < t->rank; i++) {
        int32_t at = i;
        for (; at > 0 && t->stride[order[at - 1]] < t->stride[i]; at--) order[at] = order[at - 1];
        order[at] = i;
    }
    int64_t expected = 1;
    for (int32_t i = t->rank - 1; i >= 0; i--) {
        if (t->size[order[i]] == 1) continue;
        if (t->stride[order[i]] != expected) return false;
        expected *= t->size[order[i]];
    }
    return true;
}

RtTensor *owh_tensor_empty_like(RtTensor *t) {
    int64_t order[RT_MAX_RANK], size[RT_MAX_RANK], inverse[RT_MAX_RANK];
    if (!t) return fail("tensor does not exist: it is undefined");
    if (owh_tensor_is_contiguous(t) || !dense_order(t, order)) return rt_tensor_new(t->dtype, t->size, t->rank, t->on_cpu != 0);
    for (int32_t i = 0; i < t->rank; i++) {
        size[i] = t->size[order[i]];
        inverse[order[i]] = i;
    }
    RtTensor *flat = rt_tensor_new(t->dtype, size, t->rank, t->on_cpu != 0);
    if (!flat) return NULL;
    RtTensor *v = owh_tensor_permute(flat, inverse, (size_t)t->rank);
    rt_tensor_unref(flat);
    return v;
}

int32_t owh_broadcast(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b, int64_t *out) {
    const size_t n = n_a > n_b ? n_a : n_b;
    if (n > RT_MAX_RANK) return rt_fail(rt_current(), "binding: a shape has too many dimensions");
    for (size_t i = 0; i < n; i++) {
        const int64_t x = i < n - n_a ? 1 : a[i - (n - n_a)], y = i < n - n_b ? 1 : b[i - (n - n_b)];
        if (x != y && x != 1 && y != 1)
            return rt_fail(rt_current(), "binding: The size of tensor a (%lld) must match the size of tensor b (%lld) at non-singleton "
                                         "dimension %zu", (long long)x, (long long)y, i);
        out[i] = x == 1 ? y : x;
    }
    return (int32_t)n;
}
