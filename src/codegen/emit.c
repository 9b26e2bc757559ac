/* The table of emitters, and what they share: workspace. */
#include "codegen/emit.h"

#include "codegen/host.h"

static const struct {
    const Family *family;
    const Emit *emit;
} EMITS[] = {
#define FAMILY(id) {&FAMILY_##id, &EMIT_##id},
#include "lower/families.def"
#undef FAMILY
};
#define N_EMITS (sizeof EMITS / sizeof EMITS[0])

const Emit *emit_find(const Family *f) {
    size_t i = 0;
    while (EMITS[i].family != f) i++;
    return EMITS[i].emit;
}

size_t emit_index(const Emit *e) {
    size_t i = 0;
    while (EMITS[i].emit != e) i++;
    return i;
}

const char *emit_scratch(Gen *gen, const GenPass *gp) {
    return gp->emit->scratch ? gp->emit->scratch(gen, gp) : NULL;
}

bool emit_syncs(Gen *gen) {
    for (size_t i = 0; i < gen->n_passes; i++)
        if (gen->plan->waits[i] || (gen->pass[i].emit->syncs && gen->pass[i].emit->syncs(gen, &gen->pass[i])))
            return true;
    return false;
}

bool emit_has_workspace(Gen *gen) {
    return gen->fields.n > 0;
}

static void add_field(Gen *gen, const char *name, const char *bytes, const Size *size, const char *what) {
    GenField f = {.name = arena_printf(gen->a, "%sOffset", name),
                  .type = "uint64_t",
                  .value = bytes,
                  .what = what,
                  .size = size};
    vec_push(gen->a, &gen->fields, f);
}

void emit_workspace_fields(Gen *gen) {
    for (size_t i = 0; i < gen->plan->temps.n; i++) {
        const PlanTemp *t = &gen->plan->temps.at[i];
        const GraphValue *v = &gen->plan->graph->values[t->value];
        const Size *n = size_const(gen->a, (int64_t)dtype_info(t->dtype[0])->size_bytes);
        for (uint32_t d = 0; d < v->shape.rank; d++) n = size_mul(gen->a, n, v->shape.dim[d]);
        add_field(
            gen, t->name,
            arena_printf(gen->a, "static_cast<uint64_t>(%s)", size_print(gen->a, n, gen->symbols, SIZE_CXX)),
            n, arena_printf(gen->a, "what stage %u leaves", t->stage + 1));
    }
    for (size_t i = 0; i < gen->n_passes; i++) {
        const char *bytes = emit_scratch(gen, &gen->pass[i]);
        if (bytes)
            add_field(gen, arena_printf(gen->a, "scratch%s", gen->pass[i].suffix), bytes, NULL,
                      "what cores tell each other");
    }
}
