/* The cost model. */
#include "lower/cost.h"

#include "lower/family.h"

#include <string.h>

/* HW: published measurements of the 910B series: streams reach about 1.5 of 1.8 TB/s, half of that on the
 * chip with half the memory; a kernel of vector cores takes 1.9 us and 0.037 us for each block to start.
 * ASSUMED: waiting for all cores takes 1 us (no published number). */
#define LAUNCH_US    1.9
#define PER_BLOCK_US 0.037
#define SYNC_US      1.0

static double bytes_per_s(const ChipInfo *chip) {
    return strstr(chip->name, "910B4") ? 0.75e12 : 1.5e12;
}

double cost_us(const ChipInfo *chip, const Cost *c) {
    double memory = c->bytes / bytes_per_s(chip) * 1e6,
           vector = c->cycles / chip->n_vector_cores / chip->clock_mhz;
    return (memory > vector ? memory : vector) + c->n_syncs * SYNC_US +
           c->n_launches * (LAUNCH_US + PER_BLOCK_US * chip->n_vector_cores);
}

static double elements(const Graph *g, const GraphShape *shape, const GraphView *view) {
    int64_t hints[64] = {0};
    double n = 1;
    for (size_t s = 0; s < g->n_symbols && s < 64; s++) hints[s] = g->symbols[s].hint;
    for (uint32_t d = 0; d < shape->rank; d++) /* what is repeated is read once */
        if (!view || !size_is(view->stride[d], 0)) n *= (double)size_eval(shape->dim[d], hints);
    return n;
}

Cost cost_of_pass(const Plan *p, size_t i) {
    const PlanPass *pass = p->passes.at[i];
    Cost c = {.n_launches = i == 0, .n_syncs = p->waits[i]};
    for (size_t k = 0; k < pass->access.n; k++) {
        const PlanAccess *acc = &pass->access.at[k];
        if (acc->cls == PLAN_COUNTED) continue;
        double times = pass->family->times_moved ? pass->family->times_moved(p->graph, pass, acc) : 1;
        c.bytes += times * elements(p->graph, &acc->view.shape, &acc->view) *
                   (double)dtype_info(acc->dtype[p->own_variant])->size_bytes;
    }
    c.cycles = pass->cycles64 * elements(p->graph, &pass->space, NULL) / 64;
    return c;
}

Cost cost_of_eager(const Graph *g) {
    Cost c = {0};
    for (size_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        if (graph_is_view(n->op)) continue;
        c.n_launches++;
        for (size_t k = 0; k < n->n_args; k++) {
            if (n->args[k].kind != GRAPH_ARG_REF) continue;
            const GraphValue *v = &g->values[n->args[k].value];
            c.bytes +=
                elements(g, &v->shape, NULL) * (double)dtype_info(v->dtype[g->own_variant])->size_bytes;
        }
        const GraphValue *v = &g->values[n->first_value];
        c.bytes += elements(g, &v->shape, NULL) * (double)dtype_info(v->dtype[g->own_variant])->size_bytes;
    }
    return c;
}

void cost_explain(Arena *a, Plan *p) {
    const ChipInfo *chip = chip_find("Ascend910B4");
    double sum = 0;
    for (size_t i = 0; i < p->passes.n; i++) {
        Cost c = cost_of_pass(p, i);
        double us = cost_us(chip, &c), memory = c.bytes / bytes_per_s(chip) * 1e6,
               vector = c.cycles / chip->n_vector_cores / chip->clock_mhz;
        const char *text = arena_printf(a,
                                        "pass %zu, family %s: %.1f us predicted on %s with the file's sizes "
                                        "(%.3g MB take %.1f us, arithmetic "
                                        "%.1f us%s)",
                                        i + 1, p->passes.at[i]->family->name, us, chip->name, c.bytes / 1e6,
                                        memory, vector, c.n_syncs ? ", waiting for other cores 1 us" : "");
        vec_push(a, &p->decisions, text);
        sum += us;
    }
    Cost eager = cost_of_eager(p->graph);
    const char *text = arena_printf(a,
                                    "one launch: %.1f us predicted; the alternative, a launch for each of %u "
                                    "operations, %.1f us and %.3g MB",
                                    sum, eager.n_launches, cost_us(chip, &eager), eager.bytes / 1e6);
    vec_push(a, &p->decisions, text);
}
