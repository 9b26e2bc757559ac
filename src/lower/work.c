/* Which operators need a second look at an input. Passes that read it twice without need do not count: a later pass must read what an
 * anchor before it made of that input. */
#include "lower/work.h"

#include "lower/family.h"

enum { RESTS = 1, THROUGH_ANCHOR = 2 };

static unsigned arg_state(const GraphArg *arg, const unsigned *state) {
    unsigned all = arg->kind == GRAPH_ARG_REF ? state[arg->value] : 0;
    for (size_t i = 0; arg->kind == GRAPH_ARG_LIST && i < arg->n; i++) all |= arg_state(&arg->item[i], state);
    return all;
}

/* How every value rests on input `input`: not at all, by way of free nodes, by way of anchors. */
static unsigned *states(Arena *a, const Graph *g, uint32_t input) {
    unsigned *state = ARENA_ARRAY(a, g->n_values, unsigned);
    for (size_t v = 0; v < g->n_values; v++) state[v] = 0;
    state[g->inputs[input].value] = RESTS;
    for (size_t i = 0; i < g->n_nodes; i++) {
        const GraphNode *n = &g->nodes[i];
        unsigned all = 0;
        for (size_t k = 0; k < n->n_args; k++) all |= arg_state(&n->args[k], state);
        for (size_t k = 0; k < n->n_kwargs; k++) all |= arg_state(&n->kwargs[k].arg, state);
        if (all && !family_is_free(n)) all |= THROUGH_ANCHOR;
        for (uint32_t k = 0; k < n->n_results; k++) state[n->first_value + k] = all;
    }
    return state;
}

static bool reads(const PlanPass *p, uint32_t tensor) {
    for (size_t i = 0; i < p->access.n; i++)
        if (!p->access.at[i].is_store && p->access.at[i].cls != PLAN_COUNTED && p->access.at[i].tensor == tensor) return true;
    return false;
}

/* Does pass j read what an anchor of an earlier stage made of the input? */
static bool reads_result_of(const Plan *p, size_t j, const unsigned *state) {
    for (size_t t = 0; t < p->temps.n; t++)
        if ((state[p->temps.at[t].value] & THROUGH_ANCHOR) && reads(p->passes.at[j], (uint32_t)(p->graph->n_inputs + t))) return true;
    return false;
}

static bool is_read_before(const Plan *p, size_t j, uint32_t input) {
    for (size_t i = 0; i < j; i++)
        if (p->passes.at[i]->stage != p->passes.at[j]->stage && reads(p->passes.at[i], input)) return true;
    return false;
}

static const PlanAccess *find_again(const Plan *p, const PlanPass *pass) {
    for (size_t i = 0; pass->family->moves_by_phase && i < pass->access.n; i++)
        if (!pass->access.at[i].is_temp && pass->family->times_moved(p->graph, pass, &pass->access.at[i]) > 1) return &pass->access.at[i];
    return NULL;
}

const char *work_second_look(Arena *a, const Plan *p) {
    for (size_t j = 0; j < p->passes.n; j++) {
        const PlanAccess *again = find_again(p, p->passes.at[j]);
        if (again) return arena_printf(a, "what is reduced of %s does not fit UB, and pass %zu needs it again when the reduction is finished", again->tensor_name, j + 1);
    }
    for (uint32_t i = 0; i < p->graph->n_inputs; i++) {
        const unsigned *state = states(a, p->graph, i);
        for (size_t j = 1; j < p->passes.n; j++)
            if (reads(p->passes.at[j], i) && is_read_before(p, j, i) && reads_result_of(p, j, state))
                return arena_printf(a, "pass %zu needs %s beside what an earlier pass made of all of it", j + 1, p->graph->inputs[i].name);
    }
    return NULL;
}
