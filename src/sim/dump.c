/* DumpTensor and DumpAccChkPoint: elements of a tensor on the standard output, as text. HW: their pages: a description
 * number, then the values, nested when a shape is given; elements beyond the tensor's own are shown as "-". */
#include "sim/sim_int.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef struct Dump {
    const uint8_t *p;
    uint64_t n; /* elements there are */
    DType type;
} Dump;

static void print_one(const Dump *d, uint64_t i)
{
    const DTypeInfo *info = dtype_info(d->type);
    if (i >= d->n) {
        printf("-");
        return;
    }
    const uint8_t *p = d->p + i * info->size_bytes;
    if (info->cls == DTYPE_CLASS_F) {
        printf("%f", dtype_load(d->type, p, 0));
    } else if (d->type == DTYPE_U64 || d->type == DTYPE_I64) {
        int64_t v;
        memcpy(&v, p, sizeof v);
        if (d->type == DTYPE_U64) printf("%" PRIu64, (uint64_t)v);
        else printf("%" PRId64, v);
    } else {
        printf("%.0f", dtype_load(d->type, p, 0));
    }
}

/* Elements from *at on, the dimensions from `dim` on. */
static void print_shaped(const Dump *d, const uint32_t *shape, uint32_t dims, uint32_t dim, uint64_t *at)
{
    printf("[");
    for (uint32_t i = 0; i < shape[dim]; i++) {
        if (i) printf(dim + 1 == dims ? ", " : ",\n");
        if (dim + 1 == dims) print_one(d, (*at)++);
        else print_shaped(d, shape, dims, dim + 1, at);
    }
    printf("]");
}

static bool source_of(Core *c, const OwLocal *local, const OwGlobal *global, uint64_t off, uint64_t n_bytes, Dump *d)
{
    uint64_t skip, n_ok = 0, size = dtype_info(d->type)->size_bytes;
    if (local) {
        Place p;
        if (!local_place(c, local, "the tensor", 1, &p)) return false;
        n_ok = local_clip(c, &p, "the tensor", false, off, n_bytes);
        d->p = c->ub + p.addr + off;
    } else {
        if (!gm_access(c, global, (uintptr_t)global->addr + off, n_bytes, false, &skip, &n_ok) || skip) return false;
        d->p = (const uint8_t *)global->addr + off;
    }
    d->n = n_ok / size;
    return true;
}

void ow_dump(const char *api, uint32_t type, const OwLocal *local, const OwGlobal *global, uint32_t desc, uint32_t offset, uint32_t n,
             const uint32_t *shape, uint32_t dims, OwLoc loc)
{
    enum { LIMIT = 30 * 1024, MAX_DIMS = 8 }; /* HW: DumpTensor page: more data is not printed at all */
    Core *c = core_enter(api, loc);
    core_needs_order(c);
    Dump d = {.type = dtype_of(type)};
    uint64_t size = dtype_info(d.type)->size_bytes;
    if (n * size > LIMIT || !source_of(c, local, global, offset * size, n * size, &d)) return;
    printf("[AIV Block %u/%u] %s: desc=%u, line=%u, data_type=%s, position=%s, dump_size=%u\n", c->block, c->sim->launch->block_dim, api,
           desc, c->loc.line, dtype_info(d.type)->torch, local ? "UB" : "GM", n);
    const uint32_t flat[] = {n};
    uint64_t at = 0;
    bool shaped = shape && dims && dims <= MAX_DIMS;
    print_shaped(&d, shaped ? shape : flat, shaped ? dims : 1, 0, &at);
    printf("\n");
}

void ow_dump_at(const char *api, uint32_t type, const void *at, uint32_t desc, uint32_t n, OwLoc loc)
{
    enum { VECCALC = 11 }; /* TPosition */
    const Core *c = core_enter(api, loc);
    const uintptr_t from = (uintptr_t)c->ub, to = (uintptr_t)at;
    if (to >= from && to < from + c->ub_bytes) {
        const OwLocal local = {.addr = (uint32_t)(to - from), .buf = OW_BUF_RAW, .pos = VECCALC};
        ow_dump(api, type, &local, NULL, desc, 0, n, NULL, 0, loc);
    } else {
        const OwGlobal global = {(void *)at, ow_gm_bind(at, loc)};
        ow_dump(api, type, NULL, &global, desc, 0, n, NULL, 0, loc);
    }
}

void ow_hint(const char *api, OwLoc loc)
{
    core_enter(api, loc);
}
