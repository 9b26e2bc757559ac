/* Tiling data: which numbers the host hands to the kernel, and how the kernel writes them. */
#include "codegen/gen.h"

#include "base/names.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *suffixed(Gen *gen, const GenPass *gp, const char *name) {
    return arena_printf(gen->a, "%s%s", name, gp->suffix);
}

static bool field_exists(const GenPass *gp, const char *name) {
    for (size_t i = 0; i < gp->fields.n; i++)
        if (strcmp(gp->fields.at[i].name, name) == 0) return true;
    return false;
}

void gen_add_field(Gen *gen, GenPass *gp, const char *type, const char *name, const char *value,
                      const Size *size, const char *what) {
    GenField f = {.name = suffixed(gen, gp, name), .type = type, .value = value, .what = what, .size = size};
    for (int n = 2; field_exists(gp, f.name); n++)
        f.name = suffixed(gen, gp, arena_printf(gen->a, "%s_%d", name, n));
    vec_push(gen->a, &gp->fields, f);
}

static const Size *magnitude(Arena *a, const Size *s, bool *minus) {
    const Size *neg = size_sub(a, size_const(a, 0), s);
    int64_t v;
    *minus = size_is_const(s, &v) ? v < 0 : !size_is_nonnegative(s) && size_is_nonnegative(neg);
    return *minus ? neg : s;
}

/* A size expression needs a field unless it is a constant or some field already holds it. */
void gen_add_size(Gen *gen, GenPass *gp, const char *name, const Size *signed_size, const char *what) {
    bool minus;
    const Size *s = magnitude(gen->a, signed_size, &minus);
    if (size_is_const(s, NULL)) return;
    for (size_t i = 0; i < gp->fields.n; i++)
        if (gp->fields.at[i].size && size_equal(gp->fields.at[i].size, s)) return;
    const char *value =
        arena_printf(gen->a, "static_cast<uint64_t>(%s)", size_print(gen->a, s, gen->symbols, SIZE_CXX));
    gen_add_field(gen, gp, "uint64_t", name, value, s, what);
}

/* A dimension of the space always has its field, even when its size is fixed: the loops are written with it.
 */
void gen_add_dim(Gen *gen, GenPass *gp, const char *name, const Size *s, const char *what) {
    int64_t v;
    const char *value = size_is_const(s, &v) ? arena_printf(gen->a, "%" PRId64, v)
                                             : arena_printf(gen->a, "static_cast<uint64_t>(%s)",
                                                            size_print(gen->a, s, gen->symbols, SIZE_CXX));
    gen_add_field(gen, gp, "uint64_t", name, value, s, what);
}

void gen_add_access_sizes(Gen *gen, GenPass *gp, const PlanAccess *acc) {
    uint32_t rank = gp->p->space.rank;
    const char *camel = names_camel(gen->a, acc->name);
    if (acc->cls == PLAN_NUMBER || acc->cls == PLAN_LINE) {
        gen_add_size(gen, gp, arena_printf(gen->a, "%sOffset", camel), acc->view.offset,
                 "first element of the view");
        return;
    }
    gen_add_size(gen, gp, arena_printf(gen->a, "%sOffset", camel), acc->view.offset, "first element of the view");
    for (uint32_t d = 0; d < rank; d++) {
        const char *what = d + 1 == rank   ? "elements from column to column"
                           : d + 2 == rank ? "elements from row to row"
                                           : "elements from index to index";
        const char *name = d + 1 == rank   ? arena_printf(gen->a, "%sColStride", camel)
                           : d + 2 == rank ? arena_printf(gen->a, "%sRowStride", camel)
                                           : arena_printf(gen->a, "%sStride%u", camel, d);
        gen_add_size(gen, gp, name, acc->view.stride[d], what);
    }
}

static void add_index_sizes(Gen *gen, GenPass *gp, const PlanAccess *acc) {
    const char *camel = names_camel(gen->a, acc->name);
    for (uint32_t i = 0; i < acc->n_by; i++) {
        const char *nth = acc->n_by > 1 ? arena_printf(gen->a, "%u", i) : "";
        if (acc->by[i].wraps || plan_picks_from_window(gp->p, acc))
            gen_add_size(gen, gp, arena_printf(gen->a, "%sIndexed%s", camel, nth), acc->by[i].size, "elements an index can name");
        gen_add_size(gen, gp, arena_printf(gen->a, "%sIndexStride%s", camel, nth), acc->by[i].stride, "elements from index to index");
    }
}

static bool is_taken(const GenPass *gp, size_t i, const char *name) {
    for (size_t k = 0; k < i; k++)
        if (strcmp(gp->p->scalars.at[k].name, name) == 0) return true;
    return false;
}

const char *gen_scalar_member(const Gen *gen, const PlanPass *p, uint32_t i, bool as_float) {
    const PlanScalar *s = &p->scalars.at[i];
    bool both = s->as_float && s->as_int;
    return arena_printf(gen->a, "%s%s_", names_camel(gen->a, s->name), both && !as_float ? "Int" : "");
}

/* Attributes and sizes come with the tiling data; a tensor of one element is read by the kernel itself. */
void gen_add_scalars(Gen *gen, GenPass *gp) {
    for (uint32_t i = 0; i < gp->p->scalars.n; i++) {
        const PlanScalar *s = &gp->p->scalars.at[i];
        if (s->kind == PLAN_ELEMENT || s->kind == PLAN_MEMBER || is_taken(gp, i, s->name)) continue;
        const char *from = s->kind == PLAN_ATTRIBUTE
                               ? arena_printf(gen->a, "%s%s", s->negated ? "-" : "", names_camel(gen->a, gen->g->scalars[s->index].name))
                               : size_print_factor(gen->a, s->size, gen->symbols, SIZE_CXX);
        for (int as_float = 1; as_float >= 0; as_float--) {
            if (as_float ? !s->as_float : !s->as_int) continue;
            const char *type = as_float ? "float" : "int32_t",
                       *member = gen_scalar_member(gen, gp->p, i, as_float);
            char *name = arena_strndup(gen->a, member, strlen(member) - 1);
            gen_add_field(gen, gp, type, name, arena_printf(gen->a, "static_cast<%s>(%s)", type, from), NULL,
                      s->kind == PLAN_ATTRIBUTE ? "attribute" : "a size as a number");
        }
    }
}

/* 8-byte fields first, in the order they were made: qsort is not stable, so widths are split by hand. */
void gen_sort_fields(Gen *gen, GenPass *gp) {
    GenField *out = ARENA_ARRAY(gen->a, gp->fields.n, GenField);
    size_t n = 0;
    for (int wide = 1; wide >= 0; wide--)
        for (size_t i = 0; i < gp->fields.n; i++)
            if ((strcmp(gp->fields.at[i].type, "uint64_t") == 0) == (wide == 1)) out[n++] = gp->fields.at[i];
    memcpy(gp->fields.at, out, n * sizeof *out);
}

void gen_add_operand_fields(Gen *gen, GenPass *gp) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        gen_add_access_sizes(gen, gp, &gp->p->access.at[i]);
        add_index_sizes(gen, gp, &gp->p->access.at[i]);
    }
    gen_add_scalars(gen, gp);
    gen_sort_fields(gen, gp);
}

void gen_make_fields(Gen *gen, GenPass *gp) {
    const GraphShape *sp = &gp->p->space;
    if (gp->p->schedule == PLAN_FLAT) {
        gen_add_dim(gen, gp, "total", sp->dim[0], "elements of the output");
        gen_add_field(gen, gp, "uint64_t", "unitsPerCore", NULL, NULL, "units of UNIT elements every core takes");
        gen_add_field(gen, gp, "uint32_t", "extraUnits", NULL, NULL, "the first cores take one unit more");
        gen_add_field(gen, gp, "uint32_t", "tileLength", NULL, NULL, "elements of a tile");
    } else {
        for (uint32_t d = 0; d + 2 < sp->rank; d++)
            gen_add_dim(gen, gp, arena_printf(gen->a, "outer%u", d), sp->dim[d], "size of an outer dimension");
        gen_add_dim(gen, gp, "rows", sp->dim[sp->rank - 2], "rows of one run");
        gen_add_dim(gen, gp, "cols", sp->dim[sp->rank - 1], "columns");
        gen_add_field(gen, gp, "uint64_t", "rowBlocks", NULL, NULL, "tiles along the rows of one run");
        gen_add_field(gen, gp, "uint64_t", "tilesPerCore", NULL, NULL, "tiles every core takes");
        gen_add_field(gen, gp, "uint32_t", "extraTiles", NULL, NULL, "the first cores take one tile more");
        gen_add_field(gen, gp, "uint32_t", "rowsPerTile", NULL, NULL, "rows of a tile");
        gen_add_field(gen, gp, "uint32_t", "colsPerTile", NULL, NULL, "columns of a tile");
        gen_add_field(gen, gp, "uint32_t", "tileLength", NULL, NULL, "elements a tile takes in UB");
    }
    gen_add_operand_fields(gen, gp);
}

const char *gen_kernel_size(const Gen *gen, const GenPass *gp, const Size *signed_size, bool *minus) {
    int64_t v;
    const Size *s = magnitude(gen->a, signed_size, minus);
    if (size_is_const(s, &v)) return arena_printf(gen->a, "%" PRId64, v);
    for (size_t i = 0; i < gp->fields.n; i++)
        if (gp->fields.at[i].size && size_equal(gp->fields.at[i].size, s)) {
            size_t n = strlen(gp->fields.at[i].name) - strlen(gp->suffix);
            return arena_printf(gen->a, "%.*s_", (int)n, gp->fields.at[i].name);
        }
    return "0"; /* not reached: gen_make_fields has a field for every size in use */
}

const char *gen_literal(Arena *a, double v, bool is_float) {
    if (!is_float) {
        if (v <= -2147483648.0) return "(-2147483647 - 1)";
        return arena_printf(a, "%d", (int)v);
    }
    if (isnan(v)) return "FloatFromBits(0x7FC00000)";
    if (isinf(v)) return v > 0 ? "FloatFromBits(0x7F800000)" : "FloatFromBits(0xFF800000)";
    char text[40];
    for (int digits = 6; digits <= 9; digits++) { /* the shortest that reads back as the same float */
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtof(text, NULL) == (float)v) break;
    }
    bool plain = strpbrk(text, ".e") == NULL;
    return arena_printf(a, "%s%sf", text, plain ? ".0" : "");
}
