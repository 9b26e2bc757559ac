/* The table of dtype and format combinations an operator supports: aligned columns times free lists.
 * HW: api_truth host, "op dtype/format table expansion". */
#include "runtime/runtime_int.h"

#include <string.h>

#define MAX_COMBOS 4096
#define GE_FORMAT_ND 2

typedef struct Axis {
    const OwhParamDef *dtype_source, *format_source; /* after Follow */
} Axis;

static const OwhParamDef *find_param(const OwhOpDef *op, const char *name) {
    for (size_t i = 0; i < op->in.n; i++)
        if (!strcmp(op->in.at[i]->name, name)) return op->in.at[i];
    for (size_t i = 0; i < op->out.n; i++)
        if (!strcmp(op->out.at[i]->name, name)) return op->out.at[i];
    return NULL;
}

/* Follows a chain of the same kind (1 dtype, 2 format; 0 is both); NULL when it is broken or circular. */
static const OwhParamDef *follow(const OwhOpDef *op, const OwhParamDef *p, int32_t type) {
    for (size_t steps = 0; p && p->follow && (p->follow_type == 0 || p->follow_type == type); steps++) {
        if (steps > op->in.n + op->out.n) return NULL;
        p = find_param(op, p->follow);
    }
    return p;
}

/* One list axis turns the running index into its element. */
static int32_t pick_list(const int32_t *at, size_t n, size_t *rest) {
    const int32_t v = at[*rest % n];
    *rest /= n;
    return v;
}

static int count_axes(Rt *rt, const OwhOpDef *op, const Axis *axes, size_t n_params, size_t *n_columns, size_t *n_product) {
    size_t columns = 0, product = 1;
    for (size_t i = 0; i < n_params; i++) {
        const OwhParamDef *d = axes[i].dtype_source, *f = axes[i].format_source;
        if (!d || !f) return rt_fail(rt, "host: a parameter of %s follows one that does not exist", op->type);
        const struct { size_t n; bool list; } sets[] = {{d->n_dtypes, d->dtype_list}, {f->n_formats, f->format_list}};
        for (size_t k = 0; k < 2; k++) {
            if (!sets[k].n) continue;
            if (sets[k].list) product *= sets[k].n;
            else if (columns && columns != sets[k].n)
                return rt_fail(rt, "host: Element num of DataType and Format is not aligned: %s has lists of %zu and of %zu entries", op->type,
                               columns, sets[k].n);
            else columns = sets[k].n;
            if (product > MAX_COMBOS) return rt_fail(rt, "host: %s has more than %d dtype and format combinations", op->type, MAX_COMBOS);
        }
    }
    *n_columns = columns ? columns : 1;
    *n_product = product;
    return 0;
}

int rt_op_expand(Rt *rt, OwhOpDef *op) {
    const size_t n_params = op->in.n + op->out.n;
    Axis *axes = ARENA_ARRAY(rt->arena, n_params, Axis);
    size_t n_columns = 0, n_product = 0;
    for (size_t i = 0; i < n_params; i++) {
        const OwhParamDef *p = i < op->in.n ? op->in.at[i] : op->out.at[i - op->in.n];
        axes[i] = (Axis){follow(op, p, 1), follow(op, p, 2)};
    }
    if (count_axes(rt, op, axes, n_params, &n_columns, &n_product)) return -1;
    op->n_combos = n_columns * n_product;
    int32_t *dtype = ARENA_ARRAY(rt->arena, op->n_combos * n_params, int32_t);
    int32_t *format = ARENA_ARRAY(rt->arena, op->n_combos * n_params, int32_t);
    for (size_t c = 0; c < op->n_combos; c++) {
        const size_t column = c / n_product;
        size_t rest = c % n_product;
        for (size_t k = n_params; k-- > 0;) { /* the last list varies fastest */
            const OwhParamDef *d = axes[k].dtype_source, *f = axes[k].format_source;
            format[c * n_params + k] = !f->n_formats    ? GE_FORMAT_ND
                                       : f->format_list ? pick_list(f->formats, f->n_formats, &rest)
                                                        : f->formats[column];
            dtype[c * n_params + k] = d->dtype_list ? pick_list(d->dtypes, d->n_dtypes, &rest) : d->dtypes[column];
        }
    }
    op->combo_dtype = dtype;
    op->combo_format = format;
    return 0;
}
