/* One launch: opens the kernel of the combination, lays out its arguments and memory ranges, runs the simulator. */
#include "runtime/runtime_int.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL_ENTRY        "ow_kernel_entry" /* written behind kernel_src by OW_KERNEL_ENTRY of device/ */
#define GM_ALIGN_BYTES      512u
#define MAX_WORKSPACE_BYTES ((size_t)32 << 30)

typedef void (*KernelEntry)(void *const *args);

static int find_entry(ExecCall *c, KernelEntry *entry) {
    Rt *rt = c->rt;
    char snake[256];
    rt_snake_case(c->op->type, snake, sizeof snake);
    if (strcmp(snake, rt->kernel_name)) return rt_fail(rt, "launch: %s is not the operator whose kernel was built (%s)", c->op->type, rt->kernel_name);
    const char *path = c->combo < rt->n_kernels ? rt->kernel_paths[c->combo] : NULL;
    if (!path) return rt_fail(rt, "launch: no kernel was built for dtype combination %zu of %s (aclnn status 561003)", c->combo, c->op->type);
    if (!rt->kernel_libs[c->combo]) {
        rt->kernel_libs[c->combo] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!rt->kernel_libs[c->combo]) return rt_fail(rt, "launch: %s", dlerror());
    }
    *(void **)entry = dlsym(rt->kernel_libs[c->combo], KERNEL_ENTRY);
    return *entry ? 0 : rt_fail(rt, "launch: the kernel library of %s has no %s", c->op->type, KERNEL_ENTRY);
}

/* Workspace is reused between launches; the launch fills it with a pattern, so that nothing of the last one can be relied on. */
static int prepare_workspace(ExecCall *c, void **out) {
    const size_t n = c->tiling.workspace_bytes[0];
    *out = NULL;
    if (n == 0) return 0;
    if (n > MAX_WORKSPACE_BYTES) return rt_fail(c->rt, "launch: %s asks for a workspace of %zu bytes", c->op->type, n);
    if (n > c->rt->workspace_cap) {
        free(c->rt->workspace);
        c->rt->workspace_cap = (n + GM_ALIGN_BYTES - 1) / GM_ALIGN_BYTES * GM_ALIGN_BYTES;
        c->rt->workspace = aligned_alloc(GM_ALIGN_BYTES, c->rt->workspace_cap);
        if (!c->rt->workspace) {
            c->rt->workspace_cap = 0;
            return rt_fail(c->rt, "launch: no memory for a workspace of %zu bytes", n);
        }
    }
    *out = c->rt->workspace;
    return 0;
}

/* Bytes from the first element to the end of the last. */
static size_t span_bytes(const RtTensor *t) {
    int64_t last = 0;
    if (owh_tensor_numel(t) == 0) return 0;
    for (int32_t d = 0; d < t->rank; d++) last += (t->size[d] - 1) * t->stride[d];
    return (size_t)(last + 1) * owh_dtype_bytes(t->dtype);
}

static bool overlap(const SimGm *a, const SimGm *b) {
    const uintptr_t x = (uintptr_t)a->data, y = (uintptr_t)b->data;
    return a->n_bytes && b->n_bytes && x < y + b->n_bytes && y < x + a->n_bytes;
}

static SimGm range_of(const Operand *o, SimGmRole role) {
    return (SimGm){.name = o->def->name, .role = role, .dtype = (DType)o->t->dtype, .data = rt_tensor_data(o->t), .n_bytes = span_bytes(o->t)};
}

/* In place: input and output become one range that holds values and may be written. */
static void merge_in_place(SimGm *out, SimGm *gm, size_t *n_in) {
    size_t kept = 0;
    for (size_t i = 0; i < *n_in; i++) {
        if (!overlap(out, &gm[i])) {
            gm[kept++] = gm[i];
            continue;
        }
        char *from = (char *)out->data < (char *)gm[i].data ? out->data : gm[i].data;
        char *out_end = (char *)out->data + out->n_bytes, *in_end = (char *)gm[i].data + gm[i].n_bytes;
        out->data = from;
        out->n_bytes = (size_t)((out_end > in_end ? out_end : in_end) - from);
        out->initialised = true;
        out->blank = false;
    }
    *n_in = kept;
}

/* HW: OpParamDef::InitValue: written before the launch when tiling asked for it with SetNeedAtomic(true). */
static bool init_output(const ExecCall *c, const Operand *o) {
    if (!o->def->has_init || !c->tiling.need_atomic) return false;
    owh_tensor_fill(o->t, o->def->init_value, (int64_t)o->def->init_value, true);
    return true;
}

/* The binding filled it (at::zeros): a card finds that, too. Fresh memory is all ones (tensor.c). */
static bool is_filled(const SimGm *out) {
    const unsigned char *p = out->data;
    for (size_t i = 0; i < out->n_bytes; i++)
        if (p[i] != 0xFF) return true;
    return false;
}

static int build_ranges(ExecCall *c, SimGm *gm, size_t *n_gm) {
    size_t n_in = 0, n_out = 0;
    SimGm *outs = ARENA_ARRAY(c->arena, c->all_out.n, SimGm);
    for (size_t i = 0; i < c->all_in.n; i++)
        if (c->all_in.at[i]->t) gm[n_in++] = range_of(c->all_in.at[i], SIM_GM_INPUT);
    for (size_t i = 0; i < c->all_out.n; i++) {
        const Operand *o = c->all_out.at[i];
        if (!o->t) continue;
        SimGm out = range_of(o, SIM_GM_OUTPUT);
        out.initialised = init_output(c, o) || is_filled(&out);
        out.blank = !out.initialised;
        for (size_t k = 0; k < n_out; k++)
            if (overlap(&out, &outs[k])) rt_finding(c->rt, RT_OUTPUTS_OVERLAP, c->op->type, outs[k].name, out.name);
        merge_in_place(&out, gm, &n_in);
        outs[n_out++] = out;
    }
    memcpy(gm + n_in, outs, n_out * sizeof *gm);
    *n_gm = n_in + n_out;
    return 0;
}

static void *address(const Operand *o) { return o->t && owh_tensor_numel(o->t) ? rt_tensor_data(o->t) : NULL; }

/* What stands for a list of tensors, in 64-bit words: bytes from here to the addresses; for each tensor its rank and, in the high half,
 * its index, then its sizes; the addresses. Tensors of rank 0: their number in place of the index, all ones, the addresses.
 * HW: ListTensorDesc, and the dynamic-input page of the guide. NULL for an empty list, for which there is no such form. */
static void *list_words(const ExecCall *c, const Operand *o, SimGm *gm) {
    if (!o->n_items) return NULL;
    const size_t rank = (size_t)o->item[0].t->rank, n_words = 1 + (rank ? (1 + rank) * o->n_items : 2) + o->n_items;
    uintptr_t memory = (uintptr_t)arena_alloc(c->arena, n_words * sizeof(uint64_t) + 2 * GM_ALIGN_BYTES); /* whole cache lines of its own */
    uint64_t *words = (uint64_t *)((memory + GM_ALIGN_BYTES - 1) / GM_ALIGN_BYTES * GM_ALIGN_BYTES), *w = words + 1;
    words[0] = (n_words - o->n_items) * sizeof *words;
    if (!rank) {
        *w++ = (uint64_t)o->n_items << 32;
        *w++ = 0xffffffffu;
    }
    for (size_t j = 0; rank && j < o->n_items; j++) {
        *w++ = (uint64_t)j << 32 | rank;
        for (size_t d = 0; d < rank; d++) *w++ = (uint64_t)o->item[j].t->size[d];
    }
    for (size_t j = 0; j < o->n_items; j++) *w++ = (uintptr_t)address(&o->item[j]);
    *gm = (SimGm){.name = "list of tensors", .role = SIM_GM_INPUT, .dtype = DTYPE_U64, .data = words, .n_bytes = n_words * sizeof *words};
    return words;
}

static void *argument(const ExecCall *c, const Operand *o, SimGm *gm, size_t *n_gm) {
    if (!exec_is_list(o)) return address(o);
    void *words = list_words(c, o, &gm[*n_gm]);
    *n_gm += words != NULL;
    return words;
}

static void note_launch(ExecCall *c) {
    Rt *rt = c->rt;
    const size_t n_params = c->op->in.n + c->op->out.n;
    Launch l = {.op = arena_strdup(rt->report, c->op->type), .kernel = arena_strdup(rt->report, rt->kernel_name),
                .block_dim = c->tiling.block_dim, .tiling_key = c->tiling.tiling_key, .tiling_bytes = c->tiling.data.n_bytes,
                .workspace_bytes = c->tiling.workspace_bytes[0], .dtypes = ARENA_ARRAY(rt->report, n_params, const char *), .n_dtypes = n_params};
    for (size_t p = 0; p < n_params; p++) l.dtypes[p] = rt_ge_name(c->op->combo_dtype[c->combo * n_params + p]);
    for (size_t i = 0; i < c->all_in.n + c->all_out.n; i++) {
        const Operand *o = i < c->all_in.n ? c->all_in.at[i] : c->all_out.at[i - c->all_in.n];
        if (o->t) l.tensor_bytes += rt_tensor_bytes(o->t);
    }
    vec_push(rt->report, &rt->launches, l);
}

int exec_launch(ExecCall *c) {
    const OwhOpDef *op = c->op;
    KernelEntry entry;
    void *workspace;
    size_t n_gm, n_args = 0;
    if (find_entry(c, &entry) || prepare_workspace(c, &workspace)) return -1;
    SimGm *gm = ARENA_ARRAY(c->arena, c->all_in.n + c->all_out.n + op->in.n + op->out.n + 2, SimGm);
    void **args = ARENA_ARRAY(c->arena, op->in.n + op->out.n + 2, void *);
    build_ranges(c, gm, &n_gm);
    if (workspace)
        gm[n_gm++] = (SimGm){.name = "workspace", .role = SIM_GM_WORKSPACE, .dtype = DTYPE_U8, .data = workspace, .n_bytes = c->tiling.workspace_bytes[0], .blank = true};
    if (c->tiling.data.n_bytes)
        gm[n_gm++] = (SimGm){.name = "tiling", .role = SIM_GM_TILING, .dtype = DTYPE_U8, .data = c->tiling_buffer, .n_bytes = c->tiling.data.n_bytes};
    for (size_t i = 0; i < op->in.n; i++) args[n_args++] = argument(c, &c->in[i], gm, &n_gm);
    for (size_t i = 0; i < op->out.n; i++) args[n_args++] = argument(c, &c->out[i], gm, &n_gm);
    args[n_args++] = workspace;
    args[n_args++] = c->tiling.data.n_bytes ? c->tiling_buffer : NULL;
    const SimLaunch launch = {.op_name = op->type, .entry = entry, .args = args, .gm = gm, .n_gm = n_gm, .block_dim = c->tiling.block_dim,
                              .tiling_key = c->tiling.tiling_key};
    Err err = {0};
    note_launch(c);
    rt_trail(c->rt, "kernel_src", "launch");
    const bool ok = sim_launch(c->rt->sim, &launch, &err);
    rt_trail(c->rt, "python_bind_src", "EXEC_NPU_CMD");
    if (!ok) return rt_fail(c->rt, "launch: %s", err.message);
    for (size_t i = 0; i < c->all_out.n; i++)
        if (c->all_out.at[i]->t) rt_tensor_owner(c->all_out.at[i]->t)->written = 1;
    return 0;
}
