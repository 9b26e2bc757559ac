/* Which reshapes take a copy: under a permuted, sliced or broadcast value no strides give the new shape. What such a reshape
 * is of is computed to workspace first, where its elements lie one after the other. */
#include "lower/stage_int.h"

#include "lower/family.h"

#define MAX_VIEWS 32 /* of one value; more are not looked at, and an error names the reshape that none can do */

static void add_view(StageViews *w, ViewList *list, const GraphView *v) {
    for (size_t i = 0; i < list->n; i++)
        if (graph_view_equal(&list->at[i], v)) return;
    if (list->n < MAX_VIEWS) vec_push(w->a, list, *v);
}

static bool apply(StageViews *w, const GraphNode *n, uint32_t result, GraphView *v) {
    GraphBounds bounds = {.arena = w->a};
    Err ignored = {0};
    return graph_view_apply(w->a, w->g, n, result, v, &bounds, &ignored);
}

static void add_views_of_arg(StageViews *w, const GraphArg *arg, const GraphNode *n, const GraphValue *value, ViewList *out) {
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) add_views_of_arg(w, &arg->item[i], n, value, out);
    if (arg->kind != GRAPH_ARG_REF) return;
    const ViewList *from = stage_views(w, arg->value);
    for (size_t i = 0; i < from->n; i++) {
        GraphView v = from->at[i];
        if (graph_is_view(n->op) ? apply(w, n, value->result, &v) : graph_view_expand(w->a, &v, &value->shape)) add_view(w, out, &v);
    }
}

const ViewList *stage_views(StageViews *w, uint32_t value) {
    if (w->of[value] && w->made_by[value] < 0) return w->of[value];
    ViewList *list = ARENA_NEW(w->a, ViewList);
    const GraphValue *v = &w->g->values[value];
    const GraphNode *n = v->node >= 0 ? &w->g->nodes[v->node] : NULL;
    if (!n || w->made_by[value] >= 0 || !family_is_free(n)) {
        GraphView own = graph_view_contiguous(w->a, &v->shape);
        add_view(w, list, &own);
    } else {
        size_t n_args = graph_is_view(n->op) && n->n_args ? 1 : n->n_args;
        for (size_t i = 0; i < n_args; i++) add_views_of_arg(w, &n->args[i], n, v, list);
    }
    return w->of[value] = list;
}

bool stage_reshape_copies(StageViews *w, const GraphNode *n) {
    if (!graph_keeps_order(n->op) || !n->n_args || n->args[0].kind != GRAPH_ARG_REF) return false;
    const ViewList *from = stage_views(w, n->args[0].value);
    for (size_t i = 0; i < from->n; i++) {
        GraphView v = from->at[i];
        if (!apply(w, n, 0, &v)) return true;
    }
    return false;
}
