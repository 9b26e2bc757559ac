/* The table of families. */
#include "lower/family.h"
#include "lower/index.h"

#include <string.h>

static const Family *const FAMILIES[] = {
#define FAMILY(id) &FAMILY_##id,
#include "lower/families.def"
#undef FAMILY
};

size_t family_count(void) {
    return sizeof FAMILIES / sizeof FAMILIES[0];
}

const Family *family_at(size_t i) {
    return FAMILIES[i];
}

const Family *family_of(const GraphNode *n) {
    for (size_t i = 0; i < family_count(); i++)
        if (FAMILIES[i]->claims && FAMILIES[i]->claims(n)) return FAMILIES[i];
    return NULL;
}

static bool is_fill(const char *op) {
    for (size_t i = 0; i < plan_fill_count(); i++)
        if (strcmp(plan_fill_name(i), op) == 0) return true;
    return false;
}

bool family_is_free(const GraphNode *n) {
    return !family_of(n) && (is_fill(n->op) || graph_is_view(n->op) || pointwise_find(n->op));
}

/* The tensor that x.new_zeros takes its dtype from may have any shape. */
bool plan_is_elementwise(const char *op) {
    return !is_fill(op) && pointwise_find(op);
}

static bool is_bounded(const char *op) {
    const PointwiseOp *row = pointwise_find(op);
    return row && row->is_bounded;
}

static const Size *find_below(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end) {
    const Family *f = family_of(n);
    const Size *size = index_of_size(a, n, arg);
    if (size) *from_end = true;
    return size ? size : f && f->index_below ? f->index_below(a, g, n, arg, from_end) : NULL;
}

static bool relation(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out) {
    const Family *f = family_of(n);
    return f && f->relation && f->relation(a, g, n, i, out);
}

const GraphFacts *plan_facts(void) {
    static const GraphFacts FACTS = {.is_elementwise = plan_is_elementwise, .is_bounded = is_bounded, .relation = relation, .index_below = find_below};
    return &FACTS;
}

size_t plan_anchor_count(void) {
    size_t n = 0;
    for (size_t i = 0; i < family_count(); i++) n += FAMILIES[i]->n_ops ? FAMILIES[i]->n_ops() : 0;
    return n;
}

/* The family that the i-th anchor op belongs to; *i becomes its position there. */
static const Family *locate(size_t *i) {
    for (size_t f = 0; f < family_count(); f++) {
        size_t n = FAMILIES[f]->n_ops ? FAMILIES[f]->n_ops() : 0;
        if (*i < n) return FAMILIES[f];
        *i -= n;
    }
    return NULL;
}

const char *plan_anchor_name(size_t i) {
    const Family *f = locate(&i);
    return f ? f->op_name(i) : NULL;
}

const Family *plan_anchor_family(size_t i) {
    return locate(&i);
}
